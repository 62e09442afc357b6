/*
 * files.c -- libFuzzer over the readers of array files: whatever the bytes are, an array or an error comes back.
 *
 * The format is the environment's TH_FUZZ_KIND: npy npz safetensors idx csv. The memory of the context, which serves a
 * thousand inputs, is counted: nothing may be left over after an input, an error must have been set exactly when
 * nothing came back, and what was read is written and must read back the same. The bytes are the host's, read where
 * they lie, to the byte; of each sixteen inputs one is a file of the system. Checksums of archives are put right in
 * every other input, so that what lies behind them is reached. Built and run by scripts/fuzz-files.
 */
#define _GNU_SOURCE /* memfd_create */
#include "base/base.h"
#include "base/files/zip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#define MUST(x) ((x) ? (void)0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x), abort()))
enum {
    LIMIT = 64 << 20, /* bytes an input may take; more is MemoryError */
    SERVES = 1000     /* inputs of a context: to make one takes longer than most of them */
};

static size_t live;
static char in_path[64], out_path[64];
static int in_fd = -1, out_fd = -1;
static const char *kind;
static struct {
    const uint8_t *bytes;
    size_t n;
    uint32_t hash;
} input;

static void *count_alloc(void *user, void *old, size_t old_size, size_t size, size_t align) {
    (void)user;
    if (!size) {
        if (old) live -= old_size;
        free(old);
        return NULL;
    }
    if (size > LIMIT || live + size > 2 * (size_t)LIMIT) return NULL;
    void *p = NULL;
    if (posix_memalign(&p, align < 16 ? 16 : align, size)) return NULL;
    if (old) memcpy(p, old, old_size < size ? old_size : size);
    if (old) live -= old_size;
    free(old);
    live += size;
    return p;
}

/* The host's file hook: the input where it lies, with nothing behind its last byte. */
static int give(void *user, ThFile *f) {
    (void)user;
    if (f->use != 'r' || strcmp(f->path, in_path) || input.hash % 16 == 0) return 0;
    f->bytes = input.bytes;
    f->nbytes = input.n;
    return 0;
}

static int memory_file(const char *name, char *path, size_t size) {
    int fd = memfd_create(name, 0);
    MUST(fd >= 0);
    snprintf(path, size, "/proc/self/fd/%d", fd);
    return fd;
}

/* Reads every element, so that a wrong stride or length shows, for one input of eight through the printer. */
static void touch(ThContext *c, ThArray *a) {
    ThArray *copy = th_array_copy(a);
    char *text = copy && input.hash / 64 % 8 == 0 ? th_array_str(c, copy) : NULL;
    MUST(copy || th_error(c) == TH_MemoryError);
    MUST(text || th_error(c) == TH_MemoryError || input.hash / 64 % 8);
    th_free(c, text);
    th_array_release(copy);
    th_error_clear(c);
}

/* Same shape, dtype and bits. */
static void same(ThArray *a, ThArray *b) {
    MUST(a->dtype == b->dtype && a->ndim == b->ndim && a->size == b->size);
    ThArray *x = th_array_copy(a), *y = th_array_copy(b);
    if (x && y && a->size) MUST(!memcmp(x->data, y->data, (size_t)a->size * th_dtype_bytes(th_array_dtype(a))));
    th_array_release(x);
    th_array_release(y);
}

/* Of every fourth input: files are slow. */
static void again(ThContext *c, ThArray *a, int (*save)(ThContext *, const char *, const ThArray *),
                  ThArray *(*load)(ThContext *, const char *)) {
    if (input.hash / 16 % 4) return;
    if (!save(c, out_path, a)) {
        ThArray *b = load(c, out_path);
        if (b) same(a, b);
        else MUST(th_error(c) == TH_MemoryError);
        th_array_release(b);
    }
    th_error_clear(c);
}

static void blocks(ThContext *c, char which, const ThTextOptions *o) {
    ThStream *s = th_stream_open(c, in_path, which, o);
    for (int i = 0; s && i < 100; i++) {
        ThArray *a = th_stream_read(s, 3);
        int64_t n = a && a->ndim ? th_array_shape(a)[0] : 0;
        if (a && a->size < 4096) touch(c, a);
        th_array_release(a);
        if (!n) break;
    }
    th_stream_release(s);
    th_error_clear(c);
}

static void one(ThContext *c) {
    ThTextOptions o = th_text_options();
    ThArray *a = NULL;
    ThNpz z = {0};
    if (!strcmp(kind, "npy")) a = th_load_npy(c, in_path);
    else if (!strcmp(kind, "idx")) a = th_load_idx(c, in_path);
    else if (!strcmp(kind, "csv")) {
        o.delimiter = ',';
        a = th_load_text(c, in_path, &o, NULL);
    } else {
        int bad = *kind == 'n' ? th_load_npz(c, in_path, &z) : th_load_safetensors(c, in_path, NULL, &z);
        MUST((th_error(c) != TH_OK) == (bad != 0));
    }
    if (*kind != 's' && strcmp(kind, "npz")) MUST((th_error(c) != TH_OK) == !a);
    th_error_clear(c);
    if (a) touch(c, a);
    for (int i = 0; i < z.n; i++) touch(c, z.arrays[i]);
    if (a && !strcmp(kind, "npy")) again(c, a, th_save_npy, th_load_npy);
    if (a && !strcmp(kind, "idx")) again(c, a, th_save_idx, th_load_idx);
    if (*kind == 's' && z.arrays) {
        ThNpz y;
        MUST(!th_save_safetensors(c, out_path, z.n, (const char *const *)z.names, z.arrays, z.nmeta,
                                  (const char *const *)z.meta));
        MUST(!th_load_safetensors(c, out_path, NULL, &y) && y.n == z.n && y.nmeta == z.nmeta);
        th_npz_free(c, &y);
    }
    th_array_release(a);
    th_npz_free(c, &z);
}

/* The other ways into the same bytes: maps, streams, dtypes of text. */
static void others(ThContext *c, size_t size) {
    if (!strcmp(kind, "npy")) {
        ThArray *a = th_map_npy(c, in_path, "r");
        if (a) touch(c, a);
        th_array_release(a);
        th_error_clear(c);
        blocks(c, 'n', NULL);
    } else if (!strcmp(kind, "idx")) {
        blocks(c, 'i', NULL);
    } else if (!strcmp(kind, "safetensors")) {
        ThNpz z;
        th_load_safetensors(c, in_path, "c", &z);
        for (int i = 0; i < z.n; i++) touch(c, z.arrays[i]);
        th_npz_free(c, &z);
        th_error_clear(c);
    } else if (!strcmp(kind, "csv")) {
        ThTextOptions o = th_text_options();
        int64_t columns[2] = {-1, 0};
        o.dtype = (ThDtype)(size % TH_DTYPE_COUNT);
        o.delimiter = size % 3 ? 0 : ',';
        o.usecols = size % 2 ? columns : NULL;
        o.nusecols = size % 2 ? 2 : 0;
        o.names = size % 5 == 0;
        blocks(c, 't', &o);
    }
}

/* For so many inputs; NULL ends the last one. */
static ThContext *context(void) {
    static ThContext *c;
    static int served;
    if (c && served++ < SERVES) return c;
    th_context_release(c);
    MUST(!live);
    served = 0;
    /* 'n': to look programs up would be a third of the time */
    c = th_context_new(&(ThHost){.alloc = count_alloc, .environment = 'n', .file = give});
    MUST(c);
    return c;
}

/* ---- archives whose checksums are right ---------------------------------------------------------------------------
 */
static uint32_t unpacked_crc(uint8_t *at, size_t n, bool deflated) {
    static uint8_t out[1 << 16];
    if (!deflated) return (uint32_t)crc32_z(0, at, n);
    z_stream z = {.next_in = at, .avail_in = (unsigned)n, .next_out = out, .avail_out = sizeof out};
    if (inflateInit2(&z, -15) != Z_OK) return 0;
    inflate(&z, Z_FINISH);
    inflateEnd(&z);
    return (uint32_t)crc32_z(0, out, sizeof out - z.avail_out);
}

static void mend(uint8_t *p, size_t n) {
    if (n < ZIP_ENTRY + ZIP_END || zip_get(p + n - ZIP_END, 4) != ZIP_SIGN_END) return;
    size_t at = zip_get(p + n - ZIP_END + 16, 4);
    for (int i = 0; i < 64 && at <= n - ZIP_ENTRY && zip_get(p + at, 4) == ZIP_SIGN_ENTRY; i++) {
        uint8_t *e = p + at;
        const size_t head = zip_get(e + 42, 4), packed = zip_get(e + 20, 4);
        at += ZIP_ENTRY + zip_get(e + 28, 2) + zip_get(e + 30, 2) + zip_get(e + 32, 2);
        if (head > n - ZIP_HEAD) continue;
        const size_t from = head + ZIP_HEAD + zip_get(p + head + 26, 2) + zip_get(p + head + 28, 2);
        if (from > n || packed > n - from) continue;
        const uint32_t crc = unpacked_crc(p + from, packed, zip_get(e + 10, 2) == ZIP_DEFLATED);
        for (int b = 0; b < 4; b++) e[16 + b] = (uint8_t)(crc >> 8 * b);
    }
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    size = LLVMFuzzerMutate(data, size, most);
    if (seed % 2 && kind && !strcmp(kind, "npz")) mend(data, size);
    return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (in_fd < 0) {
        kind = getenv("TH_FUZZ_KIND");
        MUST(kind);
        in_fd = memory_file("in", in_path, sizeof in_path);
        out_fd = memory_file("out", out_path, sizeof out_path);
    }
    input.bytes = data, input.n = size, input.hash = (uint32_t)size;
    for (size_t i = 0; i < size; i++) input.hash = (input.hash ^ data[i]) * 0x01000193u;
    input.hash ^= input.hash >> 15;
    if (input.hash % 16 == 0) MUST(!ftruncate(in_fd, 0) && pwrite(in_fd, data, size, 0) == (ssize_t)size);
    ThContext *c = context();
    size_t before = live;
    one(c);
    others(c, size);
    buffer_cache_trim(c, 0);
    MUST(live == before && th_error(c) == TH_OK);
    return 0;
}
