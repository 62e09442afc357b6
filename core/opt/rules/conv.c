/*
 * conv.c -- convolutions as they run: AbstractConv2d and its gradients become CorrMM and its own, which never flip.
 * In: a convolution as it was written. Out: the same on filters reversed by a view, which costs nothing; the gradient
 * for filters comes out reversed and is turned back the same way. A 1x1 filter has nothing to reverse, and hints have
 * been checked by then. A bias added to a lowered one that nothing else reads, and tanh, sigmoid or relu of that, are
 * done by the same node, and so is pooling of what comes out.
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

/* Whether the sum is read by more than an elementwise expression, which would add the bias on its way for nothing, or
 * by one of the functions that the node itself can do. */
static bool worth(const ThVar *sum) {
    bool sized = false;
    for (int i = 0; i < sum->nclients; i++) {
        const ThApply *reader = sum->clients[i].node;
        int s = reader ? ask_which(reader) : -1;
        if (!reader || reader->op != &op_elemwise) return true;
        if (sum->nclients == 1) return s == S_tanh || s == S_sigmoid;
        sized |= s == S_abs_;
    }
    return sized && sum->nclients == 2;
}

/* conv + bias, where nothing else reads conv. */
ThVar *rw_conv_bias(Opt *o, ThApply *a) {
    for (int i = 0; i < 2 && a->nin == 2 && worth(a->out[0]); i++) {
        ThVar *y = a->in[i], *b;
        if (!ask_op(y, &op_corr_mm) || y->nclients != 1 || !conv_hosted(y->owner)) continue;
        const ThApply *c = y->owner;
        ConvThenAttrs at = {.conv = *ATTRS(ConvAttrs, c)};
        if (at.conv.stacked || !type_eq(a->out[0]->type, y->type)) continue;
        b = bias_of(a->in[1 - i], &at.conv, (ThDtype)y->type.dtype);
        if (b) return conv_then_make(&o->b, &at, c->in[0], c->in[1], b);
    }
    return NULL;
}

/* A function of v = conv + bias that nothing else reads (`uses`: but so often). */
static ThVar *then(Opt *o, ThVar *v, ConvThen fn, int uses) {
    if (!ask_op(v, &op_corr_mm_then) || v->nclients != uses) return NULL;
    ThApply *c = v->owner;
    ConvThenAttrs at = *ATTRS(ConvThenAttrs, c);
    if (at.then != CONV_THEN_NOTHING) return NULL;
    at.then = fn;
    return conv_then_make(&o->b, &at, c->in[0], c->in[1], c->in[2]);
}

ThVar *rw_conv_tanh(Opt *o, ThApply *a) { return then(o, a->in[0], CONV_THEN_TANH, 1); }
ThVar *rw_conv_sigmoid(Opt *o, ThApply *a) { return then(o, a->in[0], CONV_THEN_SIGMOID, 1); }

/* 1/2 * (v + |v|) */
ThVar *rw_conv_relu(Opt *o, ThApply *a) {
    if (a->nin != 2) return NULL;
    for (int i = 0; i < 2; i++) {
        ThApply *sum = ask_scalar(a->in[1 - i], S_add);
        if (!ask_equals(a->in[i], 0.5) || !sum || sum->nin != 2 || sum->out[0]->nclients != 1) continue;
        for (int j = 0; j < 2; j++) {
            ThApply *size = ask_scalar(sum->in[j], S_abs_);
            if (size && size->in[0] == sum->in[1 - j] && size->out[0]->nclients == 1 &&
                type_eq(a->out[0]->type, sum->out[0]->type))
                return then(o, size->in[0], CONV_THEN_RELU, 2);
        }
    }
    return NULL;
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
    ThVar *v = a->in[0];
    bool then = ask_op(v, &op_corr_mm_then);
    if (pool->ndim != 2 || v->nclients != 1 || v->type.ndim != 4 || (!then && !ask_op(v, &op_corr_mm))) return NULL;
    const ThApply *c = v->owner;
    ConvPoolAttrs at = {.mode = pool->mode, .ignore_border = pool->ignore_border};
    if (then) at.then = *ATTRS(ConvThenAttrs, c);
    else at.then.conv = *ATTRS(ConvAttrs, c);
    if (!conv_hosted(c) || at.then.conv.stacked || at.then.conv.ndim != 2) return NULL;
    if (!known_pair(a->in[1], &at.ws) || !known_pair(a->in[2], &at.stride) || !known_pair(a->in[3], &at.inside))
        return NULL;
    return conv_pool_make(&o->b, &at, c->in[0], c->in[1], then ? c->in[2] : NULL);
}
