/*
 * models.c -- libFuzzer over th_load and th_graph_read: whatever the bytes are, a function or an error comes back, and
 * what comes back can be called, within limits.
 *
 * The kind is the environment's TH_FUZZ_KIND: model, or graph, a graph's text. Length and hash of a model's head are
 * put right first, so that what lies behind them is reached. A context serves a hundred inputs, and then owes nothing.
 * Built and run by scripts/fuzz-models.
 */
#include "theano.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUST(x) ((x) ? (void)0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x), abort()))
enum { HEAD = 64, LIMIT = 64 << 20, MOST_IN = 8, MOST_OUT = 16, SERVES = 100 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static long long live;

static void *count_alloc(void *user, void *old, size_t old_size, size_t size, size_t align) {
    (void)user;
    void *p = NULL;
    if (size && posix_memalign(&p, align < 16 ? 16 : align, size)) return NULL;
    if (p && old) memcpy(p, old, old_size < size ? old_size : size);
    free(old);
    __atomic_add_fetch(&live, (long long)size - (old ? (long long)old_size : 0), __ATOMIC_RELAXED);
    return p;
}

/* For so many inputs. */
static ThContext *context(void) {
    static ThContext *c;
    static int served;
    if (c && served++ < SERVES) return c;
    th_context_release(c);
    MUST(!live);
    served = 0;
    c = th_context_new(&(ThHost){.alloc = count_alloc,
                                 .environment = 'n',
                                 .limits = {.bytes = 2 * (int64_t)LIMIT, .nodes = 20000, .sealed = true}});
    MUST(c);
    return c;
}

static uint64_t hash_of(const uint8_t *p, size_t n) {
    uint64_t h = 0xcbf29ce484222325ull, w;
    for (; n >= 8; p += 8, n -= 8) {
        memcpy(&w, p, 8);
        h = (h ^ w) * 0x100000001b3ull;
    }
    for (; n; p++, n--) h = (h ^ *p) * 0x100000001b3ull;
    return h;
}

static void seal(uint8_t *p, size_t n) {
    uint64_t all = n, hash = hash_of(p + HEAD, n - HEAD);
    memcpy(p, "\x93THEANO\n", 8);
    memcpy(p + 16, &all, 8);
    memcpy(p + 24, &hash, 8);
}

/* Zeros of three elements each way. */
static void call(ThContext *c, ThFunction *f) {
    const int nin = th_function_ninputs(f), nout = th_function_noutputs(f);
    int64_t shape[TH_MAX_NDIM];
    ThArray *in[MOST_IN] = {NULL}, *out[MOST_OUT] = {NULL};
    if (nin > MOST_IN || nout > MOST_OUT) return;
    for (int i = 0; i < nin; i++) {
        ThType t = th_var_type(th_function_input_var(f, i));
        for (int d = 0; d < t.ndim && d < TH_MAX_NDIM; d++) shape[d] = t.broadcastable >> d & 1 ? 1 : 3;
        in[i] = t.kind || t.ndim > 8 ? NULL : th_array_zeros(c, (ThDtype)t.dtype, t.ndim, shape);
    }
    th_error_clear(c);
    th_context_deadline(c, 0.1);
    bool bad = th_call(f, in, nin, out);
    MUST(bad == (th_error(c) != TH_OK));
    for (int i = 0; i < nout; i++) th_array_release(out[i]);
    for (int i = 0; i < nin; i++) th_array_release(in[i]);
}

static void model(ThContext *c, uint8_t *bytes, size_t n) {
    if (n < HEAD) return;
    seal(bytes, n);
    ThFunction *f = th_load(c, bytes, n, NULL, NULL);
    MUST((f == NULL) == (th_error(c) != TH_OK));
    if (f) call(c, f);
    th_function_release(f);
}

typedef struct Read {
    ThVar **in, **out;
    int nin, nout;
} Read;

static bool read_text(ThContext *c, const char *text, Read *r) {
    *r = (Read){0};
    const bool bad = th_graph_read(c, text, &r->in, &r->nin, &r->out, &r->nout);
    MUST(bad == (th_error(c) != TH_OK));
    return !bad;
}

static void drop(ThContext *c, Read *r) {
    for (int i = 0; i < r->nin; i++) th_var_release(r->in[i]);
    for (int i = 0; i < r->nout; i++) th_var_release(r->out[i]);
    th_free(c, r->in), th_free(c, r->out);
}

/* What was read is written, reads back, and is written the same. */
static void graph(ThContext *c, const char *text) {
    Read r, s;
    if (!read_text(c, text, &r)) return drop(c, &r);
    char *first = th_graph_text(c, r.out, r.nout), *second = NULL;
    if (first && read_text(c, first, &s)) {
        second = th_graph_text(c, s.out, s.nout);
        if (second && strcmp(first, second) != 0) fprintf(stderr, "%s\n== again:\n%s\n", first, second);
        MUST(!second || !strcmp(first, second));
        drop(c, &s);
    }
    const ThError e = th_error(c);
    const bool fine = second || e == TH_MemoryError || e == TH_Interrupted;
    if (!fine) fprintf(stderr, "%s\n%s\n", first ? first : "", th_error_text(c));
    MUST(fine);
    th_free(c, first), th_free(c, second);
    drop(c, &r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    static const char *kind;
    if (!kind) MUST((kind = getenv("TH_FUZZ_KIND")));
    const bool text = *kind == 'g';
    uint8_t *copy = malloc(n + text); /* to the byte, so that reading further shows */
    memcpy(copy, data, n);
    if (text) copy[n] = 0;
    ThContext *c = context();
    th_context_deadline(c, 1);
    if (text) graph(c, (char *)copy);
    else model(c, copy, n);
    th_error_clear(c);
    free(copy);
    return 0;
}
