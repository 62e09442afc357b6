/*
 * reduce.c -- reductions: over broadcastable dimensions, over all dimensions, and with a factor taken out.
 */
#include "rules.h"

#include "ops/reduce/reduce.h"

static const ReduceAttrs *attrs_of(const ThApply *a) { return a->attrs; }

/* Sum{axis=[0, 1]} of a matrix is Sum: all dimensions named one by one. */
ThVar *rw_reduce_all_to_none(Opt *o, ThApply *a) {
    ReduceAttrs r = *attrs_of(a);
    if (r.axis.n < 0 || r.axis.n != a->in[0]->type.ndim || r.axis.n == 0) return NULL;
    r.axis = (AttrInts){.n = -1};
    return apply1(&o->b, a->op, &r, a->in, 1);
}

/* Dimensions of length 1 are dropped by a view instead of being reduced. */
ThVar *rw_reduce_broadcastable(Opt *o, ThApply *a) {
    ReduceAttrs r = *attrs_of(a);
    ThVar *x = a->in[0];
    int8_t keep[TH_MAX_NDIM];
    AttrInts axis = {.n = 0};
    int nkeep = 0;
    for (int d = 0; d < x->type.ndim; d++) {
        bool reduced = axis_in(&r.axis, d);
        if (reduced && type_bcast(x->type, d)) continue;
        if (reduced) axis.at[axis.n++] = (int8_t)nkeep;
        keep[nkeep++] = (int8_t)d;
    }
    if (nkeep == x->type.ndim) return NULL;
    ThVar *y = dimshuffle_make(&o->b, x, keep, nkeep);
    if (!axis.n) return y && y->type.dtype != a->out[0]->type.dtype ? cast_make(&o->b, y, a->out[0]->type.dtype) : y;
    r.axis = axis.n == nkeep ? (AttrInts){.n = -1} : axis;
    return apply1(&o->b, a->op, &r, &y, 1);
}

/* sum(-x) -> -sum(x); sum(s * x) -> s * sum(x) for scalars s (0-d or with broadcastable dimensions only), but for
 * those that a length has made infinite: 1 / n times nothing is NaN.
 * Not of products, as Theano does: s^n * prod(x) overflows where prod(s * x) does not (2 and many 0.5). */
ThVar *rw_sum_mul_by_scalar(Opt *o, ThApply *a) {
    ThApply *m = a->in[0]->owner;
    int s = ask_which(m), nscalar = 0, nrest = 0;
    ThVar *factor[KACC + 1], *rest[KACC];
    ThType t = a->out[0]->type;
    bool plain = true;
    if ((s != S_mul && s != S_neg) || m->nin > KACC || m->out[0]->type.dtype == TH_BOOL) return NULL;
    if (dtype_is_discrete(m->out[0]->type.dtype) && m->out[0]->type.dtype != t.dtype) return NULL; /* it wraps first */
    if (s == S_neg) return call1(o, S_neg, apply1(&o->b, a->op, a->attrs, m->in, 1));
    for (int i = 0; i < m->nin; i++) {
        plain &= !ask_all_bcast(m->in[i]->type) || sums_plain(m->in[i], false);
        if (ask_all_bcast(m->in[i]->type)) factor[nscalar++] = dimshuffle_make(&o->b, m->in[i], NULL, 0);
        else rest[nrest++] = m->in[i];
    }
    if (!nscalar || !nrest || !(plain || sums_some(o, a->in[0], &attrs_of(a)->axis))) return NULL;
    ThVar *x = opt_call(o, S_mul, rest, nrest, m->out[0]->type.dtype);
    if (!x || x->type.broadcastable != m->out[0]->type.broadcastable || x->type.dtype != m->out[0]->type.dtype)
        return NULL;
    ThVar *sum = apply1(&o->b, a->op, a->attrs, &x, 1);
    if (!sum || sum->type.dtype != t.dtype) return NULL;
    factor[nscalar] = sum;
    return elemwise_make(&o->b, S_mul, factor, nscalar + 1);
}
