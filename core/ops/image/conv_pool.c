/*
 * conv_pool.c -- CorrMM_pool(images, filters) and CorrMM_then_pool(images, filters, bias): a convolution of images as
 * it runs, a bias and a function of the sum, and windows of that, pooled while a few images' results are in the cache:
 * they never exist as a whole. Rewriting makes it (core/opt/rules/conv.c). Out: what the operations apart give, to the
 * bit.
 */
#include "ops/table/batch.h"
#include "ops/table/shape.h"
#include "conv.h"
#include "pool.h"

#include <stdio.h>

static const AttrField conv_pool_fields[] = {
    CONV_FIELDS,
    {"then", ATTR_INT, offsetof(ConvPoolAttrs, then), false},
    {"mode", ATTR_INT, offsetof(ConvPoolAttrs, mode), false},
    {"ignore_border", ATTR_BOOL, offsetof(ConvPoolAttrs, ignore_border), false},
    {"ws", ATTR_LONGS, offsetof(ConvPoolAttrs, ws), false},
    {"stride", ATTR_LONGS, offsetof(ConvPoolAttrs, stride), false},
    {"inside", ATTR_LONGS, offsetof(ConvPoolAttrs, inside), false},
};

static bool infer_then(Infer *q) {
    const ConvPoolAttrs *at = q->attrs;
    ThType b = q->in[2]->type;
    if (!conv_infer(q)) return false;
    if (at->then < CONV_THEN_NOTHING || at->then > CONV_THEN_RELU)
        return err(q->ctx, TH_ValueError, "CorrMM_then_pool: no such function");
    if (b.kind == TYPE_TENSOR && b.ndim == 1 && b.dtype == q->out[0].dtype && !type_bcast(b, 0) &&
        q->in[0]->type.dtype == b.dtype && q->in[1]->type.dtype == b.dtype && dtype_is_float((ThDtype)b.dtype))
        return true;
    return err(q->ctx, TH_TypeError,
               "CorrMM_then_pool: images, filters and a vector of biases must be of one float dtype");
}

static bool infer_conv_pool(Infer *q) {
    const ConvPoolAttrs *at = q->attrs;
    bool sound = at->mode >= POOL_MAX && at->mode <= POOL_EXC_PAD && at->conv.ndim == 2 && at->ws.n == 2 &&
                 at->stride.n == 2 && at->inside.n == 2;
    for (int d = 0; d < 2; d++)
        sound = sound && at->ws.at[d] > 0 && at->stride.at[d] > 0 && at->inside.at[d] >= 0 &&
                at->inside.at[d] < at->ws.at[d] && (at->ignore_border || at->inside.at[d] == 0);
    if (!sound) return err(q->ctx, TH_ValueError, "CorrMM_pool: no such mode or window, or not over two dimensions");
    if (!(q->op == &op_corr_mm_pool ? conv_infer(q) : infer_then(q))) return false;
    if (!dtype_is_float((ThDtype)q->out[0].dtype) || at->conv.stacked || at->conv.unshared)
        return err(q->ctx, TH_TypeError, "CorrMM_pool: floats only, neither stacked nor unshared filters");
    q->out[0].broadcastable &= 3u;
    return true;
}

static bool shape_then(ShapeQ *q) {
    return conv_shape(q) &&
           q->alg->equal(q->alg->u, q->in[2][0], q->in[1][0], "the bias has length {0}, but there are {1} filters");
}

static bool shape_conv_pool(ShapeQ *q) {
    const ConvPoolAttrs *at = ATTRS(ConvPoolAttrs, q->node);
    if (!(q->node->op == &op_corr_mm_pool ? conv_shape(q) : shape_then(q))) return false;
    for (int d = 0; d < 2; d++)
        q->out[0][2 + d] =
            pool_length(q->alg, at->ignore_border, q->out[0][2 + d], at->ws.at[d], at->stride.at[d], at->inside.at[d]);
    return true;
}

static const char *name_then(const ConvPoolAttrs *at) {
    static const char *const names[] = {"_bias", "_bias_tanh", "_bias_sigmoid", "_bias_relu"};
    return names[at->then];
}

/* CorrMM_bias_tanh_max_2x2{..} */
static void str_conv_pool(Text *t, const ThApply *a) {
    static const char *const modes[] = {"max", "sum", "average", "average"};
    const ConvPoolAttrs *at = ATTRS(ConvPoolAttrs, a);
    char more[64];
    snprintf(more, sizeof more, "%s_%s_%lldx%lld", a->op == &op_corr_mm_pool ? "" : name_then(at), modes[at->mode],
             (long long)at->ws.at[0], (long long)at->ws.at[1]);
    conv_str_lowered(t, &at->conv, more);
}

static bool lower_conv_pool(Lower *l) { return l->api->host(l, conv_host_run, 0); }

static ThVar *pair(Builder *b, const AttrLongs *v) {
    ThVar *of[2] = {const_int(b, v->at[0], TH_INT64), const_int(b, v->at[1], TH_INT64)};
    return of[0] && of[1] ? make_vector_make(b, of, 2, TH_INT64) : NULL;
}

/* The operations that it stands for, but for the pooling. */
static ThVar *apart(Builder *b, const ConvPoolAttrs *at, ThVar *const *in) {
    static const int8_t channel[5] = {-1, 0, -1, -1, -1};
    ThVar *v = conv_make(b, CONV_FORWARD, &at->conv, in[0], in[1], NULL);
    v = elemwise_2(b, S_add, v, dimshuffle_make(b, in[2], channel, (int)at->conv.ndim + 2));
    switch ((ConvThen)at->then) {
    case CONV_THEN_NOTHING: break;
    case CONV_THEN_TANH: return elemwise_1(b, S_tanh, v);
    case CONV_THEN_SIGMOID: return elemwise_1(b, S_sigmoid, v);
    case CONV_THEN_RELU: {
        ThVar *sum = elemwise_2(b, S_add, v, elemwise_1(b, S_abs_, v));
        return elemwise_2(b, S_mul, sum, const_float(b, 0.5, (ThDtype)in[2]->type.dtype));
    }
    }
    return v;
}

static bool batch_conv_pool(Batch *q) {
    const ConvPoolAttrs *at = ATTRS(ConvPoolAttrs, q->node);
    const PoolAttrs pool = {.ndim = 2, .mode = at->mode, .ignore_border = at->ignore_border};
    ThVar *const *in = q->node->in,
                 *window[3] = {pair(q->b, &at->ws), pair(q->b, &at->stride), pair(q->b, &at->inside)};
    ThVar *v = q->node->op == &op_corr_mm_pool ? conv_make(q->b, CONV_FORWARD, &at->conv, in[0], in[1], NULL)
                                               : apart(q->b, at, in);
    if (!v || !window[0] || !window[1] || !window[2]) return false;
    ThVar *r = pool_make(q->b, &op_pool, &pool, &v, window);
    return batch_through(q, &r);
}

#define CONV_POOL_OP(id, text, inputs, about) \
    const Op op_##id = { \
        .name = text, \
        .nin = inputs, \
        .nout = 1, \
        .attr_bytes = sizeof(ConvPoolAttrs), \
        .attrs = conv_pool_fields, \
        .nattr = TH_LEN(conv_pool_fields), \
        .infer = infer_conv_pool, \
        .shape = shape_conv_pool, \
        .lower = lower_conv_pool, \
        .str = str_conv_pool, \
        .batch = batch_conv_pool, \
        .doc = about, \
    };
CONV_POOL_OP(corr_mm_pool, "CorrMM_pool", 2, "images correlated with filters, and windows of that")
CONV_POOL_OP(corr_mm_then_pool, "CorrMM_then_pool", 3,
             "images correlated with filters, plus a bias, a function, windows")

ThVar *conv_pool_make(Builder *b, const ConvPoolAttrs *at, ThVar *images, ThVar *filters, ThVar *bias) {
    return apply1(b, bias ? &op_corr_mm_then_pool : &op_corr_mm_pool, at, (ThVar *[]){images, filters, bias},
                  bias ? 3 : 2);
}
