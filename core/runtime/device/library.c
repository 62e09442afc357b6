/*
 * library.c -- CUDA's libraries found, their versions looked at, their entry points taken. All that is needed is looked
 * up by one thread at a time; what was found never changes until the context goes.
 */
#include "library.h"

#include <stdlib.h>
#include <string.h>

enum { FILES = 3 };
typedef struct Known {
    const char *title;
    const char *file[FILES]; /* of CUDA 13, of CUDA 12, an older one for that */
    const char *version; /* the entry point that tells it: by property, or (NVRTC) both numbers, or (NCCL) one number */
    int needed;
    const char *package; /* to be installed */
} Known;

static const Known known[LIBRARIES] = {
    [LIBRARY_NVRTC] = {"NVRTC", {"libnvrtc.so.13", "libnvrtc.so.12"}, "nvrtcVersion", 12000, "CUDA's nvrtc"},
    [LIBRARY_CUBLAS] = {"cuBLAS", {"libcublas.so.13", "libcublas.so.12"}, "cublasGetProperty", 12000, "CUDA's cublas"},
    [LIBRARY_CUBLASLT] =
        {"cuBLASLt", {"libcublasLt.so.13", "libcublasLt.so.12"}, "cublasLtGetProperty", 12000, "CUDA's cublas"},
    [LIBRARY_CUDNN] =
        {"cuDNN", {"libcudnn.so.9", "libcudnn.so.9", "libcudnn.so.8"}, "cudnnGetProperty", 8010, "NVIDIA's cudnn"},
    [LIBRARY_CUSPARSE] =
        {"cuSPARSE", {"libcusparse.so.12", "libcusparse.so.12"}, "cusparseGetProperty", 12000, "CUDA's cusparse"},
    [LIBRARY_CUSOLVER] =
        {"cuSOLVER", {"libcusolver.so.12", "libcusolver.so.11"}, "cusolverGetProperty", 11040, "CUDA's cusolver"},
    [LIBRARY_CUFFT] = {"cuFFT", {"libcufft.so.12", "libcufft.so.11"}, "cufftGetProperty", 11000, "CUDA's cufft"},
    [LIBRARY_NCCL] = {"NCCL", {"libnccl.so.2", "libnccl.so.2"}, "ncclGetVersion", 2100, "NVIDIA's nccl"},
};

enum { WHY = 400 };
typedef struct Entry { /* a table, for devices of one driver */
    struct Entry *next;
    const LibraryTable *table;
    const void *of;    /* the emulated driver, or NULL */
    int cuda, version; /* CUDA's major number that the driver is for, 0: any; the library's */
    bool found;
    char why[WHY];
    void *function[];
} Entry;

static size_t entry_bytes(const LibraryTable *t) { return sizeof(Entry) + sizeof(void *) * (size_t)t->n; }

static void release(ThContext *c, void *p) {
    for (Entry *e = p, *next; e; e = next) {
        next = e->next;
        ctx_free(c, e, entry_bytes(e->table));
    }
}

/* ---- where it is ------------------------------------------------------------------------------------------------- */
static void *open_at(const char *folder, size_t length, const char *inside, const char *file) {
    char path[2048];
    if (length > 1024) return NULL;
    number_format(path, sizeof path, "%.*s%s%s", (int)length, folder, inside, file);
    return os_library(path);
}

static void *open_below(const char *folder, size_t length, const char *file) {
    void *h = length ? open_at(folder, length, "/lib64/", file) : NULL;
    if (!h && length) h = open_at(folder, length, "/lib/", file);
    return h || !length ? h : open_at(folder, length, "/", file);
}

static void *open_in_list(const char *folders, const char *file) {
    void *h = NULL;
    while (!h && folders && *folders) {
        size_t n = strcspn(folders, ":");
        h = open_below(folders, n, file);
        folders += n + (folders[n] == ':');
    }
    return h;
}

static void *search(ThContext *c, const char *file) {
    static const char *const home[] = {"CUDA_ROOT", "CUDA_HOME"};
    void *h = open_in_list(config_str(c, "cuda.root"), file);
    if (!h) h = os_library(file);
    for (int i = 0; i < TH_LEN(home) && !h; i++) h = open_in_list(ctx_env(c, home[i]), file);
    return h ? h : open_in_list("/usr/local/cuda", file);
}

/* ---- which it is ------------------------------------------------------------------------------------------------- */
static bool take(void *handle, const char *symbol, void *to) {
    void *p = os_library_symbol(handle, symbol); /* ISO C has no cast to a function's address */
    memcpy(to, &p, sizeof p);
    return p;
}

static int version_of(void *handle, LibraryName which) {
    int (*both)(int *major, int *minor), (*property)(int which, int *value), major = 0, minor = 0;
    int (*one)(int *version), version = 0;
    if (which == LIBRARY_NCCL) { /* 22304 for 2.23.4; before 2.9 the first digit counted thousands */
        if (!take(handle, known[which].version, &one) || one(&version)) return 0;
        return version < 10000 ? version : version / 10000 * 1000 + version / 100 % 100 * 10;
    }
    if (which == LIBRARY_NVRTC) {
        if (!take(handle, known[which].version, &both) || both(&major, &minor)) return 0;
    } else if (!take(handle, known[which].version, &property) || property(0, &major) || property(1, &minor)) return 0;
    return major * 1000 + minor * 10;
}

/* The files that are searched: the newest that the driver can run first. */
static const char *file_of(const Entry *e, int i) {
    const char *const *file = known[e->table->library].file;
    if (e->cuda == 12) return i < 2 ? file[1 + i] : NULL;
    return i > 1 || (i && !strcmp(file[0], file[1])) ? NULL : file[i];
}

static void refuse(Entry *e, void *handle, const char *missing) {
    const Known *k = &known[e->table->library];
    const char *other = file_of(e, 1);
    int n = k->needed, v = e->version;
    char found[32], want[32];
    number_format(found, sizeof found, "%d.%d", v / 1000, v % 1000 / 10);
    number_format(want, sizeof want, "%d.%d", n / 1000, n % 1000 / 10);
    e->found = false;
    if (!handle)
        number_format(e->why, WHY,
                      "%s is not found (%s%s%s): %s or later is needed; install %s, or name its folder in the flag "
                      "cuda.root",
                      k->title, file_of(e, 0), other ? ", " : "", other ? other : "", want, k->package);
    else if (!v) number_format(e->why, WHY, "%s was found and does not tell its version (%s)", k->title, k->version);
    else if (v < n)
        number_format(e->why, WHY, "%s %s was found, and %s or later is needed: install %s", k->title, found, want,
                      k->package);
    else
        number_format(e->why, WHY, "%s %s was found and has no %s: install another version of %s", k->title, found,
                      missing, k->package);
}

static void *find(ThContext *c, const Entry *e) {
    void *h = (void *)(uintptr_t)e->of;
    for (int i = 0; i < FILES && !h && file_of(e, i); i++) h = search(c, file_of(e, i));
    return h;
}

static void fill(ThContext *c, Entry *e) {
    const LibraryTable *t = e->table;
    void *h = find(c, e);
    e->version = h ? version_of(h, t->library) : 0;
    e->found = e->version >= known[t->library].needed;
    if (!e->found) refuse(e, h, NULL);
    for (int i = 0; i < t->n && e->found; i++)
        if (!take(h, t->symbol[i], &e->function[i])) refuse(e, h, t->symbol[i]);
}

/* ---- what is known already --------------------------------------------------------------------------------------- */
static void enter(ThContext *c) {
    while (atomic_flag_test_and_set_explicit(&c->library_lock, memory_order_acquire)) os_yield();
}

static void leave(ThContext *c) { atomic_flag_clear_explicit(&c->library_lock, memory_order_release); }

static const Entry *look_up(ThContext *c, const LibraryTable *t, const void *of, int cuda) {
    for (const Entry *e = c->slot[CTX_LIBRARY]; e; e = e->next)
        if (e->table == t && e->of == of && e->cuda == cuda) return e;
    Entry *e = ctx_alloc0(c, entry_bytes(t));
    if (!e) return NULL;
    *e = (Entry){.table = t, .of = of, .cuda = cuda, .next = c->slot[CTX_LIBRARY]};
    fill(c, e);
    c->slot[CTX_LIBRARY] = e;
    c->slot_free[CTX_LIBRARY] = release;
    return e;
}

const void *device_library(ThContext *c, const Device *d, const LibraryTable *t, const char **why) {
    int cuda = d ? d->info.driver / 1000 : 0;
    enter(c);
    const Entry *e = look_up(c, t, d ? d->libraries : NULL, cuda > 13 ? 13 : cuda);
    leave(c);
    *why = e && !e->found ? e->why : NULL;
    return e && e->found ? e->function : NULL;
}

int device_library_version(ThContext *c, LibraryName which) {
    int version = 0;
    enter(c);
    for (const Entry *e = c->slot[CTX_LIBRARY]; e && !version; e = e->next)
        if (e->found && e->table->library == which) version = e->version;
    leave(c);
    return version;
}
