/*
 * philox.c -- Philox: numbers of Philox4x32-10, which depend on a key and a counter alone.
 * In: a key (uint32, 2), the counter that a draw begins with (uint32, 4), the size as a vector of integers. Out: bits
 * as uint32 or uint64, or uniform float32 or float64 in [0, 1). Keys and counters may have dimensions in front, the
 * same ones, which are then those of the result: a draw each. No gradient goes through it, and none is missed: what a
 * draw depends on is discrete.
 */
#include "random.h"

static const AttrField philox_fields[] = {
    {"dtype", ATTR_DTYPE, offsetof(PhiloxAttrs, dtype), false},
    {"ndim", ATTR_INT, offsetof(PhiloxAttrs, ndim), false},
};

static bool infer_philox(Infer *q) {
    const PhiloxAttrs *at = q->attrs;
    ThType k = q->in[0]->type, c = q->in[1]->type, n = q->in[2]->type;
    bool words = k.kind == TYPE_TENSOR && c.kind == TYPE_TENSOR && k.dtype == TH_UINT32 && c.dtype == TH_UINT32;
    if (!words || k.ndim < 1 || k.ndim != c.ndim)
        return err(q->ctx, TH_TypeError, "Philox: the key must be a uint32 vector of 2, the counter one of 4");
    if (n.kind != TYPE_TENSOR || n.ndim != 1 || !dtype_is_int((ThDtype)n.dtype))
        return err(q->ctx, TH_TypeError, "Philox: the size must be a vector of integers");
    if (at->dtype != TH_FLOAT32 && at->dtype != TH_FLOAT64 && at->dtype != TH_UINT32 && at->dtype != TH_UINT64)
        return err(q->ctx, TH_TypeError, "Philox gives uint32, uint64, float32 or float64, not %s",
                   th_dtype_name((ThDtype)at->dtype));
    int lead = k.ndim - 1;
    if (at->ndim < 0 || at->ndim > TH_MAX_NDIM - lead)
        return err(q->ctx, TH_ValueError, "Philox: %lld dimensions (of an element, at most %d with those of the keys)",
                   (long long)at->ndim, TH_MAX_NDIM);
    uint32_t bits = k.broadcastable & c.broadcastable & ((1u << lead) - 1);
    for (int d = 0; d < at->ndim; d++) {
        int64_t v;
        if (vector_known(q->in[2], d, &v) && v == 1) bits |= 1u << (lead + d);
    }
    q->out[0] = type_tensor((ThDtype)at->dtype, lead + (int)at->ndim, bits);
    return true;
}

static bool shape_philox(ShapeQ *q) {
    const ShapeAlg *a = q->alg;
    int lead = q->node->in[0]->type.ndim - 1, ndim = (int)ATTRS(PhiloxAttrs, q->node)->ndim;
    Sz zero = a->constant(a->u, 0);
    for (int d = 0; d < lead; d++) {
        if (!a->equal(a->u, q->in[0][d], q->in[1][d], "Philox: {0} keys, but {1} counters")) return false;
        q->out[0][d] = q->in[0][d];
    }
    if (!a->equal(a->u, q->in[0][lead], a->constant(a->u, 2), "Philox: a key has {1} words, not {0}") ||
        !a->equal(a->u, q->in[1][lead], a->constant(a->u, 4), "Philox: a counter has {1} words, not {0}") ||
        !a->equal(a->u, q->in[2][0], a->constant(a->u, ndim), "Philox: the size has {0} entries, not {1}"))
        return false;
    for (int d = 0; d < ndim; d++) {
        int64_t k;
        Sz n = vector_known(q->node->in[2], d, &k) ? a->constant(a->u, k) : a->value(a->u, 2, d);
        if (!a->equal(a->u, n, a->op(a->u, 'M', n, zero), "negative dimension {0} is not allowed")) return false;
        q->out[0][lead + d] = n;
    }
    return true;
}

static bool lower_philox(Lower *l) {
    const LowerApi *api = l->api;
    Kernel *k = api->contiguous(l, 0) && api->contiguous(l, 1) ? api->kernel(l) : NULL;
    DrawStage w = {.kind = DRAW_PHILOX, .lead = l->node->in[0]->type.ndim - 1, .streams = size_const(0)};
    if (!k) return false;
    w.a = draw_whole(l, k, 0, false);
    w.b = draw_whole(l, k, 1, false);
    return w.a >= 0 && w.b >= 0 && draw_stage(l, k, &w);
}

static void grad_philox(Grad *g) {
    for (int i = 0; i < 3; i++) g->gx[i] = NULL;
}

static bool philox_connected(const ThApply *a, int in, int out) {
    (void)a, (void)in, (void)out;
    return false;
}

static bool rop_philox(Rop *r) {
    (void)r; /* a draw does not move */
    return true;
}

static void str_philox(Text *t, const ThApply *a) {
    text_put(t, "Philox{");
    type_text(t, type_tensor((ThDtype)ATTRS(PhiloxAttrs, a)->dtype, a->out[0]->type.ndim, 0));
    text_putc(t, '}');
}

/* Keys of their own for the elements of a mapped dimension: as key:fold_in(0), fold_in(1), .. */
static ThVar *keys_by_element(Batch *q, ThVar *key) {
    Builder *b = q->b;
    ThVar *zero = const_int(b, 0, TH_INT64), *tag = const_int(b, PHILOX_FOLD, TH_INT64),
          *two = const_int(b, 2, TH_INT64);
    ThVar *line = arange_make(b, zero, q->size, const_int(b, 1, TH_INT64), TH_INT64);
    ThVar *word[4] = {line, zero, zero, tag};
    int lead = key->type.ndim - 1;
    for (int w = 0; w < 4; w++) { /* each (size, 1, .., 1): a column of the counters */
        int8_t p[TH_MAX_NDIM + 1];
        for (int d = 0; d <= lead + 1; d++) p[d] = (int8_t)(d == 0 && w == 0 ? 0 : -1);
        if (!word[w] || !(word[w] = dimshuffle_make(b, word[w], p, lead + 2))) return NULL;
    }
    bool no = false;
    Batch own = {.b = b, .in = &key, .mapped = &no, .size = q->size};
    ThVar *all = batch_full(&own, 0), *n[TH_MAX_NDIM + 1];
    for (int d = 0; all && d <= lead; d++) n[d] = shape_elem_make(b, all, d);
    n[lead + 1] = const_int(b, 1, TH_INT64);
    for (int w = 0; all && w < 4; w++) word[w] = alloc_make(b, cast_make(b, word[w], TH_UINT32), n, lead + 2);
    ThVar *counter = all ? join_make(b, const_int(b, lead + 1, TH_INT64), word, 4) : NULL;
    ThVar *size = make_vector_make(b, &two, 1, TH_INT64);
    return counter && size ? philox_make(b, all, counter, size, &(PhiloxAttrs){.dtype = TH_UINT32, .ndim = 1}) : NULL;
}

static bool batch_philox(Batch *q) {
    if (!batch_fixed(q, 2, "the size must be the same for all")) return false;
    bool alike = !q->mapped[0] && !q->mapped[1];
    ThVar *key = alike ? keys_by_element(q, q->in[0]) : batch_full(q, 0), *counter = batch_full(q, 1);
    q->out[0] = key && counter ? philox_make(q->b, key, counter, q->in[2], ATTRS(PhiloxAttrs, q->node)) : NULL;
    return q->out[0] != NULL;
}

const Op op_philox = {
    .name = "Philox",
    .flags = OP_FAILS | OP_DRAWS,
    .nin = 3,
    .nout = 1,
    .attr_bytes = sizeof(PhiloxAttrs),
    .attrs = philox_fields,
    .nattr = TH_LEN(philox_fields),
    .infer = infer_philox,
    .shape = shape_philox,
    .grad = grad_philox,
    .rop = rop_philox,
    .lower = lower_philox,
    .str = str_philox,
    .connected = philox_connected,
    .batch = batch_philox,
    .doc = OP_DOC("random numbers of Philox4x32-10, which depend on a key and a counter alone"),
};

ThVar *philox_make(Builder *b, ThVar *key, ThVar *counter, ThVar *size, const PhiloxAttrs *at) {
    ThVar *in[3] = {key, counter, size};
    return key && counter && size ? apply1(b, &op_philox, at, in, 3) : NULL;
}
