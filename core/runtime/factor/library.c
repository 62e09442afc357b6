/*
 * library.c -- LAPACK in OpenBLAS. In: a context. Out: functions. Always holds: each is looked up once in a context,
 * when it is first needed; integers of the library are of 32 bits.
 */
#include "library.h"

#include <string.h>

struct FactorLibrary {
    ThContext *ctx;
    const Blas *blas;
    _Atomic(LapackFn) at[LAPACK_COUNT][4];
};

static void release(ThContext *c, void *p) { ctx_free(c, p, sizeof(FactorLibrary)); }

FactorLibrary *factor_library(ThContext *c) {
    void *old = __atomic_load_n(&c->slot[CTX_FACTOR], __ATOMIC_ACQUIRE);
    if (old) return old;
    const Blas *b = blas_open(c);
    FactorLibrary *l = b ? ctx_alloc0(c, sizeof *l) : NULL;
    if (!l) return NULL;
    l->ctx = c, l->blas = b;
    __atomic_store_n(&c->slot_free[CTX_FACTOR], release, __ATOMIC_RELEASE);
    if (__atomic_compare_exchange_n(&c->slot[CTX_FACTOR], &old, (void *)l, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return l;
    release(c, l); /* another thread was first */
    return old;
}

const Blas *factor_library_blas(const FactorLibrary *l) { return l->blas; }

LapackFn factor_symbol(FactorLibrary *l, LapackName name, int d) {
    static const char *const names[LAPACK_COUNT][2] = {
#define X(key, real, complex) [LAPACK_##key] = {real, complex},
        LAPACK_LIST(X)
#undef X
    };
    LapackFn fn = atomic_load_explicit(&l->at[name][d], memory_order_acquire);
    if (fn) return fn;
    const char *text = names[name][d >= 2];
    char full[16] = {"sdcz"[d]};
    size_t n = strlen(text);
    memcpy(full + 1, text, n);
    full[n + 1] = '_';
    void *p = blas_symbol(l->ctx, full);
    memcpy(&fn, &p, sizeof p); /* ISO C has no cast from an object pointer */
    atomic_store_explicit(&l->at[name][d], fn, memory_order_release);
    return fn;
}
