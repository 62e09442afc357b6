/*
 * conv_then.c -- CorrMM_then(images, filters, bias): a convolution as it runs, the bias of each filter and a function
 * of the sum behind it, while an image is still in the cache. Rewriting makes it (core/opt/rules/conv.c). Out: what the
 * three operations apart give, to the bit.
 */
#include "conv.h"

#include "ops/table/batch.h"

static const AttrField then_fields[] = {CONV_FIELDS, {"then", ATTR_INT, offsetof(ConvThenAttrs, then), false}};

bool conv_then_infer(Infer *q) {
    const ConvThenAttrs *at = q->attrs;
    ThType b = q->in[2]->type;
    if (!conv_infer(q)) return false;
    if (at->then < CONV_THEN_NOTHING || at->then > CONV_THEN_RELU || at->conv.stacked || at->conv.unshared)
        return err(q->ctx, TH_ValueError, "CorrMM_then: no such function, or stacked or unshared filters");
    if (b.kind == TYPE_TENSOR && b.ndim == 1 && b.dtype == q->out[0].dtype && !type_bcast(b, 0) &&
        q->in[0]->type.dtype == b.dtype && q->in[1]->type.dtype == b.dtype && dtype_is_float((ThDtype)b.dtype))
        return true;
    return err(q->ctx, TH_TypeError, "CorrMM_then: images, filters and a vector of biases must be of one float dtype");
}

bool conv_then_shape(ShapeQ *q) {
    return conv_shape(q) &&
           q->alg->equal(q->alg->u, q->in[2][0], q->in[1][0], "the bias has length {0}, but there are {1} filters");
}

const char *conv_then_name(const ConvThenAttrs *at) {
    static const char *const names[] = {"_bias", "_bias_tanh", "_bias_sigmoid", "_bias_relu"};
    return names[at->then];
}

static void str_then(Text *t, const ThApply *a) {
    const ConvThenAttrs *at = ATTRS(ConvThenAttrs, a);
    conv_str_lowered(t, &at->conv, conv_then_name(at));
}

static bool lower_then(Lower *l) { return l->api->host(l, conv_host_run, 0); }

ThVar *conv_then_apart(Builder *b, const ConvThenAttrs *at, ThVar *const *in) {
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

static bool batch_then(Batch *q) {
    ThVar *r = conv_then_apart(q->b, ATTRS(ConvThenAttrs, q->node), q->node->in);
    return batch_through(q, &r);
}

const Op op_corr_mm_then = {
    .name = "CorrMM_then",
    .nin = 3,
    .nout = 1,
    .attr_bytes = sizeof(ConvThenAttrs),
    .attrs = then_fields,
    .nattr = TH_LEN(then_fields),
    .infer = conv_then_infer,
    .shape = conv_then_shape,
    .lower = lower_then,
    .str = str_then,
    .batch = batch_then,
    .doc = "images correlated with filters, plus a bias, and a function of that",
};

ThVar *conv_then_make(Builder *b, const ConvThenAttrs *at, ThVar *images, ThVar *filters, ThVar *bias) {
    return apply1(b, &op_corr_mm_then, at, (ThVar *[]){images, filters, bias}, 3);
}
