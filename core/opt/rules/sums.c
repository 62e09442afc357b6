/*
 * sums.c -- reductions of reductions, of allocations, of quotients and squares; maxima of which one output is used.
 */
#include "rules.h"

#include "ops/reduce/reduce.h"

#include <math.h>

static const ReduceAttrs *attrs_of(const ThApply *a) { return a->attrs; }
static AttrInts axes_listed(const AttrInts *axis, int ndim) {
    AttrInts r = {.n = 0};
    for (int d = 0; d < ndim; d++)
        if (axis_in(axis, d)) r.at[r.n++] = (int8_t)d;
    return r;
}

/* sum(sum(x, 0), 0) -> sum(x, (0, 1)); all in the accumulator and result of the outer one. */
ThVar *rw_op_of_op(Opt *o, ThApply *a) {
    ThApply *in = a->in[0]->owner;
    if (!in || in->op != a->op || a->in[0]->nclients != 1) return NULL;
    ReduceAttrs r = *attrs_of(a), q = *attrs_of(in);
    if (r.dtype != q.dtype || r.acc_dtype != q.acc_dtype) return NULL;
    AttrInts inner = axes_listed(&q.axis, in->in[0]->type.ndim), both = {.n = 0};
    for (int d = 0, e = 0; d < in->in[0]->type.ndim; d++) {
        bool gone = axis_in(&inner, d);
        if (gone || axis_in(&r.axis, e)) both.at[both.n++] = (int8_t)d;
        e += !gone;
    }
    r.axis = both.n == in->in[0]->type.ndim ? (AttrInts){.n = -1} : both;
    r.no_zeros = r.no_zeros && q.no_zeros;
    return apply1(&o->b, a->op, &r, in->in, 1);
}

bool sums_some(Opt *o, ThVar *x, const AttrInts *axis) {
    for (int d = 0; d < x->type.ndim; d++) {
        int64_t n;
        if (!axis_in(axis, d) || type_bcast(x->type, d)) continue;
        if (!shape_known(o, shape_dim(o, x, d), &n) || n < 1) return false;
    }
    return true;
}

bool sums_plain(const ThVar *v, bool divides) {
    enum { MOST = 16 };
    const ThVar *todo[MOST];
    int n = 0, seen = 0;
    double k;
    for (todo[n++] = v; n;) {
        v = todo[--n];
        while (ask_op(v, &op_dimshuffle)) v = v->owner->in[0];
        if (dtype_is_discrete(v->type.dtype) ? divides
                                             : var_is_const(v) && !(ask_value(v, &k) && isfinite(k) && k != 0))
            return false;
        if (dtype_is_discrete(v->type.dtype) || !v->owner) continue;
        int s = ask_which(v->owner);
        if (s != S_mul && s != S_neg && s != S_cast && (divides || (s != S_add && s != S_sub))) return false;
        if ((seen += v->owner->nin) > MOST || n + v->owner->nin > MOST) return false;
        for (int i = 0; i < v->owner->nin; i++) todo[n++] = v->owner->in[i];
    }
    return true;
}

/* v * n, the sum of n times v: 0 where n is, whatever v is. */
static ThVar *times(Opt *o, ThVar *v, ThVar *n, ThDtype d, bool some) {
    double k;
    ThVar *r = call2(o, S_mul, v, cast_make(&o->b, n, d)), *zero = r ? opt_const(o, 0, type_tensor(d, 0, 0)) : NULL;
    if (some || dtype_is_discrete(d) || (ask_value(v, &k) && isfinite(k) && !signbit(k))) return r;
    return zero ? elemwise_make(&o->b, S_switch, (ThVar *[]){n, r, zero}, 3) : NULL;
}

/* sum(Alloc(x, n, m)) -> x * (n * m) for what x broadcasts along; only whole sums of 0-d values. */
ThVar *rw_opt_alloc(Opt *o, ThApply *a) {
    if (!ask_op(a->in[0], &op_alloc)) return NULL;
    const ThApply *f = a->in[0]->owner;
    ThVar *x = padleft_make(&o->b, f->in[0], f->nin - 1), *n = NULL;
    ThDtype d = a->out[0]->type.dtype;
    AttrInts axis = axes_listed(&attrs_of(a)->axis, f->nin - 1);
    int8_t keep[TH_MAX_NDIM];
    int nkeep = 0;
    ThVar *size[TH_MAX_NDIM];
    if (!x || !axis.n) return NULL;
    for (int i = 0; i < f->nin - 1; i++) {
        if (axis_in(&axis, i)) {
            if (!type_bcast(x->type, i)) return NULL;
            n = n ? call2(o, S_mul, n, f->in[1 + i]) : f->in[1 + i];
        } else {
            size[nkeep] = f->in[1 + i];
            keep[nkeep++] = (int8_t)i;
        }
    }
    ThVar *v = cast_make(&o->b, dimshuffle_make(&o->b, x, keep, nkeep), d);
    if (!v || !n) return NULL;
    if (a->op == &op_sum) v = times(o, v, n, d, sums_some(o, a->in[0], &axis));
    else v = call2(o, S_pow, v, cast_make(&o->b, n, d));
    if (v && v->type.dtype != d) v = cast_make(&o->b, v, d);
    return v && nkeep ? alloc_make(&o->b, v, size, nkeep) : v;
}

/* sum(x / s) -> sum(x) / s where s does not vary along what is summed (s behind a DimShuffle that adds it). */
ThVar *rw_sum_div_dimshuffle(Opt *o, ThApply *a) {
    ThApply *f = ask_scalar(a->in[0], S_true_div);
    AttrInts axis = attrs_of(a)->axis;
    if (!f || a->in[0]->nclients != 1 || f->in[0]->type.dtype != a->in[0]->type.dtype) return NULL;
    ThVar *s = f->in[1];
    int8_t keep[TH_MAX_NDIM];
    int n = 0, ndim = s->type.ndim;
    axis = axes_listed(&axis, ndim);
    if (!axis.n || !ask_op(s, &op_dimshuffle) || ask_all_bcast(f->in[0]->type)) return NULL;
    if (!sums_plain(s, true) && !sums_some(o, a->in[0], &axis)) return NULL; /* 0 / s of nothing may be NaN */
    for (int d = 0; d < ndim; d++) {
        if (!axis_in(&axis, d)) keep[n++] = (int8_t)d;
        else if (!type_bcast(s->type, d) || type_bcast(f->in[0]->type, d)) return NULL;
    }
    ThVar *sum = apply1(&o->b, a->op, a->attrs, f->in, 1);
    ThVar *r = sum ? call2(o, S_true_div, sum, dimshuffle_make(&o->b, s, keep, n)) : NULL;
    return r && r->type.dtype == a->out[0]->type.dtype ? r : NULL;
}

/* Max of all elements where only the position is unused, and the other way round. */
ThVar *rw_max_and_argmax(Opt *o, ThApply *a) {
    AttrInts axis = ((const ArgmaxAttrs *)a->attrs)->axis;
    if (!a->out[1]->nclients && a->out[0]->nclients)
        return reduce_make(&o->b, &op_max, a->in[0], &axis, TH_DTYPE_NONE, TH_DTYPE_NONE, false);
    if (a->out[0]->nclients || !a->out[1]->nclients) return NULL;
    o->which = 1;
    return apply1(&o->b, &op_argmax, a->attrs, a->in, 1);
}

/* -max(-x) -> min(x), and ~max(~x) of integers. */
ThVar *rw_max_to_min(Opt *o, ThApply *a) {
    ThVar *m = a->in[0];
    bool exact = dtype_is_float(m->type.dtype);
    ThApply *n = ask_op(m, &op_max) ? ask_scalar(m->owner->in[0], exact ? S_neg : S_invert) : NULL;
    if (!n || m->nclients != 1 || !ask_scalar(a->out[0], exact ? S_neg : S_invert)) return NULL;
    return apply1(&o->b, &op_min, m->owner->attrs, n->in, 1);
}

/* What joins the reductions of parts, -1: nothing; for max, min and such no part may be empty. */
static int joins(const Op *op) {
    static const struct {
        const Op *op;
        int scalar;
    } table[] = {{&op_sum, S_add},     {&op_prod, S_mul}, {&op_max, S_maximum},
                 {&op_min, S_minimum}, {&op_all, S_and_}, {&op_any, S_or_}};
    for (int i = 0; i < TH_LEN(table); i++)
        if (table[i].op == op) return table[i].scalar;
    return -1;
}

/* Parts in one, in the accumulator of a. */
static ThVar *joined(Opt *o, const ThApply *a, ThVar **part, int n) {
    int scalar = joins(a->op);
    ThDtype acc = (ThDtype)attrs_of(a)->acc_dtype, d = (ThDtype)a->out[0]->type.dtype;
    ThVar *r = NULL;
    for (int i = 0; i < n; i++)
        if (part[i] && part[i]->type.dtype != acc) part[i] = cast_make(&o->b, part[i], acc);
    if (scalar_ops[scalar].flags & SF_NARY) r = opt_call(o, scalar, part, n, acc);
    else
        for (int i = 0; i < n; i++) r = i ? call2(o, scalar, r, part[i]) : part[i];
    return r && r->type.dtype != d ? cast_make(&o->b, r, d) : r;
}

/* sum(MakeVector(x, y)) -> x + y. */
static ThVar *reduce_vector(Opt *o, ThApply *a, const ThApply *v) {
    ThVar *part[KACC];
    if (v->nin == 0 || v->nin > KACC) return NULL;
    for (int i = 0; i < v->nin; i++) {
        part[i] = v->in[i];
        if (part[i]->type.dtype != v->out[0]->type.dtype)
            part[i] = cast_make(&o->b, part[i], (ThDtype)v->out[0]->type.dtype);
    }
    return joined(o, a, part, v->nin);
}

/* sum(join(0, x, y), axes) -> sum(x, axes) + sum(y, axes) where the axes include that of the join; other reductions
 * alike, of rows. */
ThVar *rw_reduce_join(Opt *o, ThApply *a) {
    enum { MOST = 8 }; /* parts */
    ThVar *x = a->in[0], *part[MOST];
    int scalar = joins(a->op), n = x->owner ? x->owner->nin - 1 : 0;
    bool empty = scalar == S_add || scalar == S_mul; /* parts may be */
    ReduceAttrs r = *attrs_of(a);
    int64_t at;
    if (x->nclients != 1 || scalar < 0) return NULL;
    if (ask_op(x, &op_make_vector)) return reduce_vector(o, a, x->owner);
    if (!ask_op(x, &op_join) || n > MOST || !scalar_known(x->owner->in[0], &at)) return NULL;
    if (at < 0) at += x->type.ndim;
    if (!axis_in(&r.axis, (int)at)) return NULL;
    r.dtype = r.acc_dtype;
    for (int i = 0; i < n; i++) {
        ThVar *v = x->owner->in[1 + i];
        bool row = type_bcast(v->type, (int)at);
        if (v->type.dtype != x->type.dtype || !(row || empty)) return NULL;
        part[i] = apply1(&o->b, a->op, &r, &v, 1);
        ThVar *less = row && part[i] ? rw_reduce_broadcastable(o, part[i]->owner) : NULL;
        if (less) part[i] = less;
        if (!part[i]) return NULL;
    }
    return joined(o, a, part, n);
}

/* A product with zeros (a constant, or filled in) is zeros of its shape. */
ThVar *rw_0_dot_x(Opt *o, ThApply *a) {
    if (!ask_zeros(a->in[0]) && !ask_zeros(a->in[1])) return NULL;
    ThVar *zero = opt_const(o, 0, type_tensor(a->out[0]->type.dtype, 0, 0));
    return a->out[0]->type.ndim && zero ? shape_alloc_result(o, zero, a) : zero;
}
