/*
 * conv_stage.c -- a convolution of float32 or float64 as a stage that calls the library's kernels (conv_work.h).
 * In: a node. Out: a kernel over the dims of its result, with no epilogue yet. Flipped filters are their last element
 * and negative strides.
 */
#include "conv.h"
#include "ops/table/lowering.h"
#include "window.h"

typedef struct Call {
    Lower *l;
    Kernel *k;
    const ConvAttrs *at;
    bool ok;
} Call;

static void number(Call *c, Size s) { c->ok = c->ok && s.sym >= -1 && vec_push(c->l->ctx, &c->k->size, s); }

/* Padding in front of dimension d, for filters of length n. */
static Size padding(const Call *c, int d, Size n) {
    const LowerApi *api = c->l->api;
    Size less = api->mul(c->l, api->add(c->l, n, size_const(-1)), size_const(c->at->dilation.at[d]));
    if (c->at->border == CONV_FULL) return less;
    if (c->at->border == CONV_HALF) return api->op(c->l, '/', api->add(c->l, less, size_const(1)), size_const(2));
    return size_const(c->at->border == CONV_PADS ? c->at->pad.at[2 * d] : 0);
}

static void lengths(Call *c) {
    const LowerApi *api = c->l->api;
    number(c, size_const(c->at->ndim));
    number(c, size_const(c->at->groups));
    number(c, api->in_dim(c->l, 0, 0));
    number(c, api->in_dim(c->l, 1, 0));
    number(c, api->in_dim(c->l, 0, 1));
    for (int d = 0; d < c->at->ndim; d++) {
        Size n = api->in_dim(c->l, 1, 2 + d);
        number(c, size_const(c->at->subsample.at[d]));
        number(c, size_const(c->at->dilation.at[d]));
        number(c, padding(c, d, n));
        number(c, api->in_dim(c->l, 0, 2 + d));
        number(c, n);
        number(c, api->out_dim(c->l, 0, 2 + d));
    }
}

/* The filters' strides; their access begins at the element that meets a window's first one. */
static int filters(Call *c) {
    const LowerApi *api = c->l->api;
    Size off = api->in_offset(c->l, 1), none[KDIM];
    for (int d = 0; d < KDIM; d++) none[d] = size_const(0);
    for (int d = 0; d < 2 + c->at->ndim; d++) {
        Size st = api->in_stride(c->l, 1, d);
        bool turned = d >= 2 && c->at->flip;
        if (turned) off = sizes_mul_add(c->l, off, api->add(c->l, api->in_dim(c->l, 1, d), size_const(-1)), st);
        number(c, turned ? api->mul(c->l, st, size_const(-1)) : st);
    }
    return api->read_at(c->l, c->k, 1, off, none);
}

bool conv_stage(Lower *l) {
    const LowerApi *api = l->api;
    Call c = {.l = l, .k = api->kernel(l), .at = ATTRS(ConvAttrs, l->node), .ok = true};
    static const int8_t nowhere[2 + CONV_MAX] = {-1, -1, -1, -1, -1}, map[2 + CONV_MAX] = {0, 1, 2, 3, 4};
    int nd = 2 + (int)c.at->ndim;
    if (!c.k) return false;
    for (int d = 0; d < nd; d++)
        if (kernel_dim(c.k, api->out_dim(l, 0, d), DIM_PAR) < 0) return false;
    int s = kernel_stage(c.k, STAGE_CONV, 0, nd);
    if (s < 0) return false;
    lengths(&c);
    for (int d = 0; d < nd; d++) number(&c, api->in_stride(l, 0, d));
    int b = filters(&c), a = api->read(l, c.k, 0, nowhere), to = api->write(l, c.k, 0, map);
    for (int d = 0; d < nd; d++) number(&c, api->out_stride(l, 0, d));
    if (!c.ok || a < 0 || b < 0 || to < 0) return false;
    Stage *st = &c.k->st.at[s];
    st->A = a, st->B = b, st->C = to;
    st->alpha = st->beta = -1;
    st->num0 = 0, st->nnum = c.k->size.n;
    c.k->can_fail = true; /* for want of memory */
    return !failed(l->ctx);
}
