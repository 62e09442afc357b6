/*
 * hint.c -- Hint: a matrix, with what the user knows about it (psd, symmetric, triangular) for rewrites. Its value is
 * its input, as a view; nothing is checked.
 */
#include "ops/table/linalg.h"

static bool infer_hint(Infer *q) {
    ThType x = q->in[0]->type;
    if (x.kind != TYPE_TENSOR || x.ndim < 2)
        return err(q->ctx, TH_TypeError, "Hint takes a matrix, not %d dimensions", x.kind == TYPE_TENSOR ? x.ndim : 0);
    q->out[0] = x;
    return true;
}

static bool shape_hint(ShapeQ *q) {
    for (int d = 0; d < q->node->in[0]->type.ndim; d++) q->out[0][d] = q->in[0][d];
    return true;
}

static void grad_hint(Grad *g) { g->gx[0] = g->gz[0]; }

static bool lower_hint(Lower *l) {
    Size shape[TH_MAX_NDIM], stride[TH_MAX_NDIM];
    int n = l->api->in_type(l, 0).ndim;
    for (int d = 0; d < n; d++) shape[d] = l->api->in_dim(l, 0, d), stride[d] = l->api->in_stride(l, 0, d);
    return l->api->view(l, 0, 0, n, shape, stride, l->api->in_offset(l, 0));
}

static const AttrField hint_fields[] = {{"psd", ATTR_BOOL, offsetof(HintAttrs, psd), false},
                                        {"symmetric", ATTR_BOOL, offsetof(HintAttrs, symmetric), false},
                                        {"lower_triangular", ATTR_BOOL, offsetof(HintAttrs, lower), false},
                                        {"upper_triangular", ATTR_BOOL, offsetof(HintAttrs, upper), false}};

const Op op_hint = {
    .name = "Hint",
    .flags = OP_VIEW | OP_HALVES,
    .nin = 1,
    .nout = 1,
    .attr_bytes = sizeof(HintAttrs),
    .attrs = hint_fields,
    .nattr = TH_LEN(hint_fields),
    .infer = infer_hint,
    .shape = shape_hint,
    .grad = grad_hint,
    .lower = lower_hint,
    .rop = rop_linear,
    .batch = batch_same,
    .doc = OP_DOC("a matrix, of which it is known that it is positive definite, symmetric or triangular"),
};

ThVar *hint_make(Builder *b, ThVar *x, const HintAttrs *at) { return apply1(b, &op_hint, at, &x, 1); }
