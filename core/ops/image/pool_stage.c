/*
 * pool_stage.c -- pooling of float32 or float64 over two dimensions as a stage that calls the library's kernels
 * (pool_work.h). In: a node. Out: a kernel over (image, channel, rows, columns) of its result, with no epilogue yet;
 * what stands before the last channel of x counts as images.
 */
#include "pool.h"
#include "ops/table/lowering.h"

enum { DIMS = 4 }; /* of the stage */

typedef struct Call {
    Lower *l;
    Kernel *k;
    Size n[DIMS];
} Call;

/* Lengths of the stage's dims. */
static void dims(Call *c) {
    const LowerApi *api = c->l->api;
    int nd = c->l->node->in[0]->type.ndim;
    c->n[0] = size_const(1);
    for (int d = 0; d < nd - 3; d++) c->n[0] = api->mul(c->l, c->n[0], api->out_dim(c->l, 0, d));
    for (int d = 1; d < DIMS; d++) {
        int own = nd - DIMS + d;
        c->n[d] = own < 0 ? size_const(1) : api->out_dim(c->l, 0, own);
    }
}

static bool number(Call *c, Size s) { return s.sym >= -1 && vec_push(c->l->ctx, &c->k->size, s); }

static bool numbers(Call *c) {
    const PoolAttrs *at = ATTRS(PoolAttrs, c->l->node);
    int lead = c->l->node->in[0]->type.ndim - 2;
    bool ok = number(c, size_const(at->mode)) && number(c, size_const(at->ignore_border)) && number(c, c->n[0]) &&
              number(c, c->n[1]);
    LowerAlg alg;
    lower_alg_init(&alg, c->l);
    for (int d = 0; d < 2 && ok; d++) {
        Size in = c->l->api->in_dim(c->l, 0, lead + d);
        PoolSizes z = {.in = lower_alg_put(&alg, in)};
        pool_sizes(&alg.alg, c->l->node, d, &z);
        ok = number(c, lower_alg_size(&alg, z.ws)) && number(c, lower_alg_size(&alg, z.stride)) &&
             number(c, lower_alg_size(&alg, z.pad)) && number(c, in) && number(c, c->n[2 + d]);
    }
    lower_alg_free(&alg);
    return ok;
}

/* The result is dense, whatever its dims are called. */
static int result(Call *c) {
    const LowerApi *api = c->l->api;
    Size st[KDIM], n = size_const(1);
    for (int d = 0; d < KDIM; d++) st[d] = size_const(0);
    for (int d = DIMS - 1; d >= 0; d--) {
        if (!size_is(c->n[d], 1)) st[d] = n;
        n = api->mul(c->l, n, c->n[d]);
    }
    return api->write_at(c->l, c->k, 0, 0, api->out_offset(c->l, 0), st);
}

bool pool_stage(Lower *l) {
    Call c = {.l = l};
    Size none[KDIM];
    for (int d = 0; d < KDIM; d++) none[d] = size_const(0);
    if (!l->api->contiguous(l, 0) || !(c.k = l->api->kernel(l))) return false;
    dims(&c);
    for (int d = 0; d < DIMS; d++)
        if (c.n[d].sym < -1 || kernel_dim(c.k, c.n[d], DIM_PAR) < 0) return false;
    int s = kernel_stage(c.k, STAGE_POOL, 0, DIMS);
    if (s < 0 || !numbers(&c)) return false;
    int a = l->api->read_at(l, c.k, 0, l->api->in_offset(l, 0), none), to = result(&c);
    if (a < 0 || to < 0) return false;
    Stage *st = &c.k->st.at[s];
    st->A = a, st->C = to;
    st->num0 = 0, st->nnum = c.k->size.n;
    return !failed(l->ctx);
}
