/*
 * mrg.c -- mrg_uniform: numbers of MRG31k3p in [0, 1), and the states of the streams after them.
 * In: states (int32, a row of six for each stream) and the size as a vector of integers. Out: the new states, a tensor
 * of that size. Element i in C order is the next number of stream i mod (number of streams). No gradient goes through
 * it.
 */
#include "random.h"
#include "base/random/mrg.h"

static const AttrField mrg_fields[] = {
    {"dtype", ATTR_DTYPE, offsetof(MrgAttrs, dtype), false},
    {"ndim", ATTR_INT, offsetof(MrgAttrs, ndim), false},
    {"lanes", ATTR_INT, offsetof(MrgAttrs, lanes), false},
};

static bool infer_mrg(Infer *q) {
    const MrgAttrs *at = q->attrs;
    ThType r = q->in[0]->type, n = q->in[1]->type;
    uint32_t bits = 0;
    if (r.kind != TYPE_TENSOR || r.ndim != 2 || r.dtype != TH_INT32)
        return err(q->ctx, TH_TypeError, "mrg_uniform: the states must be an int32 matrix");
    if (n.kind != TYPE_TENSOR || n.ndim != 1 || !dtype_is_int((ThDtype)n.dtype))
        return err(q->ctx, TH_TypeError, "mrg_uniform: the size must be a vector of integers");
    if (at->dtype != TH_FLOAT32 && at->dtype != TH_FLOAT64)
        return err(q->ctx, TH_TypeError, "mrg_uniform gives float32 or float64, not %s",
                   th_dtype_name((ThDtype)at->dtype));
    if (at->ndim < 0 || at->ndim > TH_MAX_NDIM || at->lanes < 0 || at->lanes > at->ndim)
        return err(q->ctx, TH_ValueError, "mrg_uniform: %lld dimensions (at most %d)", (long long)at->ndim,
                   TH_MAX_NDIM);
    for (int d = 0; d < at->ndim; d++) {
        int64_t v;
        if (vector_known(q->in[1], d, &v) && v == 1) bits |= 1u << d;
    }
    q->nout = 2;
    q->out[0] = r;
    q->out[1] = type_tensor((ThDtype)at->dtype, (int)at->ndim, bits);
    return true;
}

static bool shape_mrg(ShapeQ *q) {
    const ShapeAlg *a = q->alg;
    const MrgAttrs *at = ATTRS(MrgAttrs, q->node);
    Sz zero = a->constant(a->u, 0), one = a->constant(a->u, 1), most = a->constant(a->u, MRG_MOST), all = one;
    if (!a->equal(a->u, q->in[0][1], a->constant(a->u, MRG_STATE),
                  "mrg_uniform: a stream's state is {1} numbers, the states' matrix has {0} columns") ||
        !a->equal(a->u, a->op(a->u, 'M', q->in[0][0], one), q->in[0][0],
                  "mrg_uniform: there are no streams to draw from"))
        return false;
    if (!a->equal(a->u, q->in[1][0], a->constant(a->u, at->ndim), "mrg_uniform: the size has {0} entries, not {1}"))
        return false;
    for (int d = 0; d < at->ndim; d++) {
        int64_t k;
        Sz n = vector_known(q->node->in[1], d, &k) ? a->constant(a->u, k) : a->value(a->u, 1, d);
        if (!a->equal(a->u, n, a->op(a->u, 'M', n, zero), "negative dimension {0} is not allowed")) return false;
        q->out[1][d] = n;
        all = a->op(a->u, 'm', a->op(a->u, '*', all, a->op(a->u, 'm', n, a->constant(a->u, (int64_t)MRG_MOST + 1))),
                    a->constant(a->u, (int64_t)MRG_MOST + 1));
    }
    if (!a->equal(a->u, all, a->op(a->u, 'm', all, most), "rng_mrg does not support more than (2**31 -1) samples"))
        return false;
    q->out[0][0] = q->in[0][0];
    q->out[0][1] = q->in[0][1];
    return true;
}

static void grad_mrg(Grad *g) {
    for (int i = 0; i < 2; i++) g->gx[i] = grad_undefined(g, i, "No gradient defined through random sampling op");
}

static bool rop_mrg(Rop *r) {
    (void)r; /* a draw does not move */
    return true;
}

/* States that a later step's failure would have to bring back are not overwritten: there is new memory for them. */
static bool lower_mrg(Lower *l) {
    const LowerApi *api = l->api;
    Kernel *k = api->contiguous(l, 0) ? api->kernel(l) : NULL;
    DrawStage w = {.kind = DRAW_MRG, .out = 1, .lead = (int)ATTRS(MrgAttrs, l->node)->lanes};
    if (!k || (l->node->destroys == 0 && api->destroyable(l, 0) && !api->alias(l, 0, 0))) return false;
    w.streams = api->in_dim(l, 0, 0);
    w.a = draw_whole(l, k, 0, false);
    w.b = draw_whole(l, k, 0, true);
    k->can_fail = k->fails_first = true; /* the states may be none */
    return w.a >= 0 && w.b >= 0 && draw_stage(l, k, &w);
}

static void str_mrg(Text *t, const ThApply *a) {
    const MrgAttrs *at = ATTRS(MrgAttrs, a);
    text_put(t, "mrg_uniform{");
    type_text(t, type_tensor((ThDtype)at->dtype, (int)at->ndim, 0));
    text_printf(t, ",%s}", a->destroys == 0 ? "inplace" : "no_inplace");
}

/* The mapped dimension comes first in the sample, whose states are jumped ahead for each of its elements; the states
 * after it are those of the first, so that they are no more than without vmap. */
static bool batch_mrg(Batch *q) {
    MrgAttrs at = *ATTRS(MrgAttrs, q->node);
    if (!batch_fixed(q, 0, "the states of random streams must be the same for all") ||
        !batch_fixed(q, 1, "the size must be the same for all"))
        return false;
    ThVar *size = batch_shape(q, q->in[1], (int)at.ndim);
    at.ndim++, at.lanes++;
    ThApply *a = size ? mrg_uniform_make(q->b, q->in[0], size, &at) : NULL;
    if (!a) return false;
    q->out[0] = a->out[0];
    q->out_mapped[0] = false;
    q->out[1] = a->out[1];
    return true;
}

const Op op_mrg_uniform = {
    .name = "mrg_uniform",
    .flags = OP_FAILS | OP_CAN_DESTROY | OP_DRAWS,
    .nin = 2,
    .nout = 2,
    .destroy_input = 0,
    .attr_bytes = sizeof(MrgAttrs),
    .attrs = mrg_fields,
    .nattr = TH_LEN(mrg_fields),
    .infer = infer_mrg,
    .shape = shape_mrg,
    .grad = grad_mrg,
    .rop = rop_mrg,
    .lower = lower_mrg,
    .str = str_mrg,
    .batch = batch_mrg,
    .doc = OP_DOC("uniform random numbers of MRG31k3p streams, and the streams' states after them"),
};

ThApply *mrg_uniform_make(Builder *b, ThVar *rstate, ThVar *size, const MrgAttrs *at) {
    ThVar *in[2] = {rstate, size};
    return rstate && size ? apply_make(b, &op_mrg_uniform, at, in, 2) : NULL;
}
