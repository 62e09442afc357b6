/*
 * conv.c -- convolutions as they run: AbstractConv2d and its gradients become CorrMM and its own, which never flip.
 * In: a convolution as it was written. Out: the same on filters reversed by a view, which costs nothing; the gradient
 * for filters comes out reversed and is turned back the same way. A 1x1 filter has nothing to reverse, and hints have
 * been checked by then. Pooling of what comes out, perhaps behind a bias and tanh, sigmoid or relu of that sum, is done
 * by the same node.
 */
#include "rules.h"

#include "ops/image/conv.h"
#include "ops/image/pool.h"

/* w[..., ::-1, ::-1] over the window's dimensions. */
static ThVar *reversed(Opt *o, ThVar *w, const ConvAttrs *at) {
    AttrIdx idx = {.n = (int8_t)w->type.ndim};
    ThVar *step = const_scalar_int(&o->b, -1), *in[CONV_MAX] = {step, step, step};
    int first = w->type.ndim - (int)at->ndim, n = 0;
    for (int d = 0; d < w->type.ndim; d++) {
        idx.at[d].kind = 's';
        if (d < first || type_bcast(w->type, d)) continue;
        idx.at[d].has = 4;
        idx.at[d].dtype[2] = TH_INT64;
        n++;
    }
    return n && step ? subtensor_make(&o->b, w, &idx, in, n) : w;
}

ThVar *rw_conv_gemm(Opt *o, ThApply *a) {
    ConvAttrs at = *ATTRS(ConvAttrs, a);
    ConvRole role = conv_role(a->op);
    ThVar *x = a->in[0], *y = a->in[1];
    if (at.mm) return NULL;
    bool flip = at.flip;
    at.mm = 1, at.flip = 0;
    if (flip && role == CONV_FORWARD) y = reversed(o, y, &at);
    if (flip && role == CONV_INPUTS) x = reversed(o, x, &at);
    ThVar *r = conv_make(&o->b, role, &at, x, y, a->nin > 2 ? a->in[2] : NULL);
    return r && flip && role == CONV_WEIGHTS ? reversed(o, r, &at) : r;
}

/* ---- what follows ------------------------------------------------------------------------------------------------ */
/* The vector behind InplaceDimShuffle{x,0,x,x}, of dtype d; NULL when v is something else. */
static ThVar *bias_of(const ThVar *v, const ConvAttrs *at, ThDtype d) {
    if (!ask_op(v, &op_dimshuffle)) return NULL;
    ThVar *b = v->owner->in[0];
    const AttrInts *p = ask_attr(v->owner->op, v->owner->attrs, "order");
    if (b->type.ndim != 1 || b->type.dtype != d || type_bcast(b->type, 0) || p->n != 2 + at->ndim) return NULL;
    for (int i = 0; i < p->n; i++)
        if (p->at[i] != (i == 1 ? 0 : -1)) return NULL;
    return b;
}

/* The convolution that y is, where it is read so often and the library computes it. */
static const ThApply *hosted(const ThVar *y, int uses) {
    bool is = ask_op(y, &op_corr_mm) && y->nclients == uses && conv_hosted(y->owner);
    return is && !ATTRS(ConvAttrs, y->owner)->stacked ? y->owner : NULL;
}

/* v = conv + bias, read so often: the convolution, NULL when it is something else. */
static const ThApply *biased(const ThVar *v, int uses, ThVar **bias) {
    const ThApply *a = ask_scalar(v, S_add), *c;
    if (!a || a->nin != 2 || v->nclients != uses) return NULL;
    for (int i = 0; i < 2; i++) {
        if (!(c = hosted(a->in[i], 1)) || !type_eq(v->type, a->in[i]->type)) continue;
        if ((*bias = bias_of(a->in[1 - i], ATTRS(ConvAttrs, c), (ThDtype)v->type.dtype))) return c;
    }
    return NULL;
}

/* The s of 1/2 * (s + |s|), each part of it read here alone. */
static const ThVar *relu_of(const ThVar *v) {
    const ThApply *a = ask_scalar(v, S_mul);
    for (int i = 0; a && a->nin == 2 && i < 2; i++) {
        const ThApply *sum = ask_scalar(a->in[1 - i], S_add);
        if (!ask_equals(a->in[i], 0.5) || !sum || sum->nin != 2 || sum->out[0]->nclients != 1) continue;
        for (int j = 0; j < 2; j++) {
            const ThApply *size = ask_scalar(sum->in[j], S_abs_);
            if (size && size->in[0] == sum->in[1 - j] && size->out[0]->nclients == 1 &&
                type_eq(v->type, sum->out[0]->type))
                return size->in[0];
        }
    }
    return NULL;
}

/* A convolution, with a bias or not, and a function of that sum: `then` and the bias. NULL: v is something else. */
static const ThApply *followed(const ThVar *v, ConvThen *then, ThVar **bias) {
    const ThApply *f;
    const ThVar *s;
    *bias = NULL, *then = CONV_THEN_NOTHING;
    if (ask_op(v, &op_corr_mm)) return hosted(v, 1);
    if ((f = ask_scalar(v, S_tanh))) return *then = CONV_THEN_TANH, biased(f->in[0], 1, bias);
    if ((f = ask_scalar(v, S_sigmoid))) return *then = CONV_THEN_SIGMOID, biased(f->in[0], 1, bias);
    if ((s = relu_of(v))) return *then = CONV_THEN_RELU, biased(s, 2, bias);
    return biased(v, 1, bias);
}

/* ---- windows of that --------------------------------------------------------------------------------------------- */
/* A window of numbers, as a list. */
static bool known_pair(const ThVar *v, AttrLongs *to) {
    to->n = 2;
    return vector_known(v, 0, &to->at[0]) && vector_known(v, 1, &to->at[1]);
}

/* Pool of a convolution that nothing else reads (so not where a gradient does), with what follows it or without. */
ThVar *rw_conv_pool(Opt *o, ThApply *a) {
    const PoolAttrs *pool = ATTRS(PoolAttrs, a);
    ThVar *v = a->in[0], *bias;
    ConvThen then;
    if (pool->ndim != 2 || v->nclients != 1 || v->type.ndim != 4) return NULL;
    const ThApply *c = followed(v, &then, &bias);
    if (!c || ATTRS(ConvAttrs, c)->ndim != 2) return NULL;
    ConvPoolAttrs at = {
        .conv = *ATTRS(ConvAttrs, c), .then = then, .mode = pool->mode, .ignore_border = pool->ignore_border};
    if (!known_pair(a->in[1], &at.ws) || !known_pair(a->in[2], &at.stride) || !known_pair(a->in[3], &at.inside))
        return NULL;
    return conv_pool_make(&o->b, &at, c->in[0], c->in[1], bias);
}
