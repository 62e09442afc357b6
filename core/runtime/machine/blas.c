/*
 * blas.c -- opens OpenBLAS.
 *
 * In: a context. Out: its function pointers, or NULL. Always holds: the library is asked for once in a context, and
 * thread counts of the process are as before after every enter/leave pair.
 */
#include "blas.h"

#include "cpu.h"

#include <string.h>

/* A function's address through memcpy: ISO C has no cast from an object pointer. */
static void find(void *handle, const char *name, void *fn) {
    void *p = os_library_symbol(handle, name);
    memcpy(fn, &p, sizeof p);
}

static void *open_library(void) {
    static const char *const names[] = {
#if defined(__x86_64__)
        "/usr/lib/x86_64-linux-gnu/openblas-openmp/libopenblas.so.0",
#elif defined(__aarch64__)
        "/usr/lib/aarch64-linux-gnu/openblas-openmp/libopenblas.so.0",
#endif
        "libopenblas.so.0",
    };
    for (int i = 0; i < TH_LEN(names); i++) {
        void *h = os_library(names[i]);
        if (h) return h;
    }
    return NULL;
}

static void fill(Blas *b) {
    b->handle = open_library();
    if (!b->handle) return;
    int (*get_parallel)(void);
    find(b->handle, "openblas_get_parallel", &get_parallel);
    b->parallel = get_parallel ? get_parallel() : 1;
    if (b->parallel == 2) {
        find(b->handle, "omp_get_max_threads", &b->get_threads);
        find(b->handle, "omp_set_num_threads", &b->set_threads);
        if (!b->get_threads || !b->set_threads) b->parallel = 1;
    }
    if (b->parallel == 1) {
        b->get_threads = NULL;
        return;
    }
    find(b->handle, "cblas_sgemm", &b->sgemm);
    find(b->handle, "cblas_dgemm", &b->dgemm);
    find(b->handle, "cblas_cgemm", &b->cgemm);
    find(b->handle, "cblas_zgemm", &b->zgemm);
}

const Blas *blas_open(ThContext *c) {
    Cpu *u = cpu_of(c);
    if (!u || config_bool(c, "repro")) return NULL;
    if (!atomic_load_explicit(&u->blas_asked, memory_order_acquire)) {
        os_lock(&u->lock);
        if (!atomic_load_explicit(&u->blas_asked, memory_order_relaxed)) fill(&u->blas);
        atomic_store_explicit(&u->blas_asked, true, memory_order_release);
        os_unlock(&u->lock);
    }
    return u->blas.handle ? &u->blas : NULL;
}

void *blas_symbol(ThContext *c, const char *name) {
    const Blas *b = blas_open(c);
    return b ? os_library_symbol(b->handle, name) : NULL;
}

int blas_enter(const Blas *b) {
    if (!b->get_threads) return 0;
    int saved = b->get_threads();
    if (saved != 1) b->set_threads(1);
    return saved;
}

void blas_leave(const Blas *b, int saved) {
    if (b->get_threads && saved != 1) b->set_threads(saved);
}
