/*
 * cpu.c -- the context's record of its machine.
 *
 * In: a context. Out: the same Cpu for the context's whole life, whichever thread asks first. The threads of its team
 * end with it. Opened libraries are never closed: their own threads may still be running.
 */
#include "cpu.h"

int cpu_vector_bytes(ThContext *c) { return config_bool(c, "repro") ? 16 : isa_vector_bytes(); }

const GemmKernels *const *cpu_gemm_kernels(ThContext *c) {
#if TH_WIDE
    int bytes = cpu_vector_bytes(c);
    if (bytes == 64) return gemm_kernels_avx512;
    if (bytes == 32) return gemm_kernels_avx2;
#else
    (void)c;
#endif
    return gemm_kernels_sse2;
}

static void release(ThContext *c, void *p) {
    Cpu *u = p;
    team_end(&u->team);
    tuned_free(c, u->conv_tuned);
    tuned_free(c, u->kernel_tuned);
    tuned_free(c, u->grid_tuned);
    os_lock_end(&u->lock);
    ctx_free(c, u, sizeof *u);
}

Cpu *cpu_of(ThContext *c) {
    void *old = __atomic_load_n(&c->slot[CTX_CPU], __ATOMIC_ACQUIRE);
    if (old) return old;
    Cpu *u = ctx_alloc0(c, sizeof *u);
    if (!u) return NULL;
    u->gemm = cpu_gemm_kernels(c);
    os_lock_init(&u->lock);
    team_init(&u->team, ctx_env(c, "OMP_NUM_THREADS"));
    __atomic_store_n(&c->slot_free[CTX_CPU], release, __ATOMIC_RELEASE);
    if (__atomic_compare_exchange_n(&c->slot[CTX_CPU], &old, (void *)u, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return u;
    release(c, u); /* another thread was first */
    return old;
}
