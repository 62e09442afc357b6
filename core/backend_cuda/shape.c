/*
 * shape.c -- what this backend can run, and the Nest by which it does.
 */
#include "cuda.h"

/* A product alone, but for factors computed before it. */
static bool gemm_only(const Kernel *k) {
    int last = k->st.n - 1;
    const Stage *g = &k->st.at[last];
    ThDtype d = (ThDtype)k->acc.at[g->C].dtype;
    if (k->nouter || g->nred || k->can_fail || !dtype_is_float(d)) return false;
    for (int i = 0; i < last; i++)
        if (k->st.at[i].cls != STAGE_LOOP || k->st.at[i].nd || k->st.at[i].nred) return false;
    for (int i = 0; i < k->ins.n; i++)
        if (k->ins.at[i].op == INS_STORE && k->ins.at[i].stage != last) return false;
    return k->acc.at[g->A].dtype == d && k->acc.at[g->B].dtype == d;
}

static bool supported(Emit *e, const Kernel *k) {
    bool product = false, good = k->st.n > 0;
    for (int i = 0; i < k->st.n; i++) {
        product |= k->st.at[i].cls == STAGE_GEMM;
        good &= k->st.at[i].cls == STAGE_LOOP || (k->st.at[i].cls == STAGE_GEMM && i == k->st.n - 1);
    }
    if (good && product) good = gemm_only(k);
    return good || err(e->c, TH_NotImplementedError, "the CUDA backend cannot run this kernel yet: %s",
                       k->title ? k->title : "(no title)");
}

bool cuda_shape(Emit *e, int number, CudaKernel *out) {
    *out = (CudaKernel){.k = e->p->kernel[number], .number = number};
    if (!supported(e, out->k) || !kernel_order(out->k, e->arena, &out->o)) return false;
    out->nest = nest_choose_grid(out->k, &out->o, e->target, e->arena);
    if (!out->nest) return false;
    for (int s = 0; s < e->p->nstep; s++) {
        const Step *st = &e->p->step[s];
        if (st->kind != STEP_KERNEL || st->kernel != number) continue;
        out->nbuf = st->nbuf > out->nbuf ? st->nbuf : out->nbuf;
        out->nsym = st->nsym > out->nsym ? st->nsym : out->nsym;
        out->nparam = st->nparam > out->nparam ? st->nparam : out->nparam;
    }
    if (16 * out->nbuf + 8 * out->nsym + 16 * out->nparam > 4000) /* CUDA passes 4 KB of arguments */
        return err(e->c, TH_NotImplementedError, "the CUDA backend cannot pass so many arguments: %s", out->k->title);
    return true;
}
