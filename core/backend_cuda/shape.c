/*
 * shape.c -- what this backend can run, and the Nest by which it does.
 */
#include "cuda.h"

bool cuda_shape(Emit *e, int number, CudaKernel *out) {
    *out = (CudaKernel){.k = e->p->kernel[number], .number = number};
    if (!grid_can(out->k))
        return err(e->c, TH_NotImplementedError, "the CUDA backend cannot run this kernel yet: %s",
                   out->k->title ? out->k->title : "(no title)");
    if (!kernel_order(out->k, e->arena, &out->o)) return false;
    out->nest = nest_choose_grid(out->k, &out->o, e->target, e->arena);
    if (!out->nest) return false;
    for (int s = 0; s < e->p->nstep; s++) {
        const Step *st = &e->p->step[s];
        if (st->kind != STEP_KERNEL || st->kernel != number) continue;
        out->nbuf = st->nbuf > out->nbuf ? st->nbuf : out->nbuf;
        out->nsym = st->nsym > out->nsym ? st->nsym : out->nsym;
        out->nparam = st->nparam > out->nparam ? st->nparam : out->nparam;
    }
    out->nbuf += grid_parts(out);
    out->nbuf += !out->nbuf;
    out->nsym += !out->nsym;
    out->nparam += !out->nparam;
    if (16 * out->nbuf + 8 * out->nsym + 16 * out->nparam > 4000) /* CUDA passes 4 KB of arguments */
        return err(e->c, TH_NotImplementedError, "the CUDA backend cannot pass so many arguments: %s", out->k->title);
    return true;
}
