/*
 * shape.c -- what this backend can run, and the Nest by which it does.
 */
#include "cuda.h"

/* Several steps by one launch: points of a thread each, none of which can fail; as many as there are, and as fit. */
static int many_of(const CudaKernel *c) {
    const Nest *t = c->nest;
    if (t->grid != GRID_THREAD || t->none || c->k->can_fail || c->k->nouter) return 0;
    for (int b = 0; b < c->k->nbuf; b++)
        if (grid_row_item(c->k, b)) return 0;
    int most = (int)((GRID_ARGS - 8) / (grid_record_bytes(c) + sizeof(int)));
    most = most < GRID_MOST_MANY ? most : GRID_MOST_MANY;
    most = most < c->many ? most : c->many;
    return most > 1 ? most : 0;
}

bool cuda_shape(Emit *e, int number, CudaKernel *out) {
    *out = (CudaKernel){.k = e->p->kernel[number], .number = number};
    if (!grid_can(out->k))
        return err(e->c, TH_NotImplementedError, "the CUDA backend cannot run this kernel yet: %s",
                   out->k->title ? out->k->title : "(no title)");
    if (!kernel_order(out->k, e->arena, &out->o)) return false;
    out->nest = nest_choose_grid(out->k, &out->o, e->target, e->arena);
    if (!out->nest) return false;
    int steps = 0;
    for (int s = 0; s < e->p->nstep; s++) {
        const Step *st = &e->p->step[s];
        if (st->kind != STEP_KERNEL || st->kernel != number) continue;
        out->nbuf = st->nbuf > out->nbuf ? st->nbuf : out->nbuf;
        out->nsym = st->nsym > out->nsym ? st->nsym : out->nsym;
        out->nparam = st->nparam > out->nparam ? st->nparam : out->nparam;
        steps++;
    }
    out->many = steps;
    out->nbuf += grid_parts(out);
    out->nbuf += !out->nbuf;
    out->nsym += !out->nsym;
    out->nparam += !out->nparam;
    if (16 * out->nbuf + 8 * out->nsym + 16 * out->nparam > GRID_ARGS)
        return err(e->c, TH_NotImplementedError, "the CUDA backend cannot pass so many arguments: %s", out->k->title);
    out->many = many_of(out);
    return true;
}
