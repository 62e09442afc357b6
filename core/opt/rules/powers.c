/*
 * powers.c -- integer powers as products, absolute values of products, chains of casts.
 * In: an Elemwise node. Out: cheaper operations with the same value; powers round once per multiplication.
 */
#include "rules.h"

enum { MAX_POWER = 512 };

/* x ^ n for a constant integer n, |n| <= 512, by squarings and products: at most 2 log2(n) multiplications. */
ThVar *rw_pow_specialize_device(Opt *o, ThApply *a) {
    double y;
    ThVar *x = a->in[0];
    ThDtype d = a->out[0]->type.dtype;
    if (!ask_value(a->in[1], &y) || y != __builtin_trunc(y) || !(y <= MAX_POWER && y >= -MAX_POWER) || y == 0)
        return NULL;
    if (x->type.dtype != d || d == TH_BOOL || dtype_is_complex(d) || (y < 0 && !dtype_is_float(d))) return NULL;
    int n = (int)(y < 0 ? -y : y);
    ThVar *square = x, *r = NULL;
    for (;; n /= 2) {
        if (n & 1) r = r ? call2(o, S_mul, r, square) : square;
        if (n == 1) break;
        square = call1(o, S_sqr, square);
    }
    return y < 0 ? call1(o, S_inv, r) : r;
}

/* ---- absolute values ---- */
/* |x * y| -> |x| * |y|, |x / y| -> |x| / |y|: signs meet what cancels them. Integers stay: their products wrap. */
ThVar *rw_abs_lift(Opt *o, ThApply *a) {
    ThApply *f = a->in[0]->owner;
    int s = ask_which(f);
    ThVar *in[KACC];
    if ((s != S_mul && s != S_true_div) || f->nin > KACC || f->out[0]->nclients != 1) return NULL;
    if (dtype_is_discrete(f->out[0]->type.dtype)) return NULL;
    for (int i = 0; i < f->nin; i++) in[i] = call1(o, S_abs_, f->in[i]);
    ThVar *r = elemwise_make(&o->b, s, in, f->nin);
    return r && r->type.dtype == a->out[0]->type.dtype ? r : NULL;
}

/* |x| * |y| -> |x * y|, |x| / |y| -> |x / y|: one operation for two. */
ThVar *rw_abs_merge(Opt *o, ThApply *a) {
    int s = ask_which(a), n = 0;
    ThVar *in[KACC], *rest[KACC + 1];
    int nrest = 1;
    if (a->nin > KACC || dtype_is_discrete(a->out[0]->type.dtype)) return NULL;
    for (int i = 0; i < a->nin; i++) {
        ThApply *f = ask_scalar(a->in[i], S_abs_);
        if (f && f->in[0]->type.dtype == a->out[0]->type.dtype) in[n++] = f->in[0];
        else rest[nrest++] = a->in[i];
    }
    if (n < 2 || (s == S_true_div && nrest > 1)) return NULL;
    rest[0] = call1(o, S_abs_, elemwise_make(&o->b, s, in, n));
    return nrest == 1 ? rest[0] : elemwise_make(&o->b, s, rest, nrest);
}

/* ---- casts ---- */
/* Does every value of dtype d fit w exactly? */
static bool exact(ThDtype d, ThDtype w) {
    return th_dtype_upcast(d, w) == w && !(dtype_is_discrete(d) && !dtype_is_discrete(w) && th_dtype_bytes(d) >= 4 &&
                                           (w == TH_FLOAT32 || w == TH_COMPLEX64 || th_dtype_bytes(d) == 8));
}

/* cast(cast(x, wide), d) -> cast(x, d): the wide dtype keeps every value of x's. */
ThVar *rw_cast_cast(Opt *o, ThApply *a) {
    ThApply *f = ask_scalar(a->in[0], S_cast);
    if (!f) return NULL;
    ThVar *x = f->in[0];
    ThDtype d = x->type.dtype, w = f->out[0]->type.dtype, t = a->out[0]->type.dtype;
    if (d == TH_DTYPE_NONE || w == TH_BOOL || !exact(d, w)) return NULL;
    return cast_make(&o->b, x, t);
}

/* ---- comparisons of a variable with itself, of lengths with numbers ---- */
static bool is_length(const ThVar *v) {
    while (v && v->owner && v->owner->op == &op_dimshuffle) v = v->owner->in[0];
    return ask_op(v, &op_shape_i);
}

/* Sums (which stand flat), minima and maxima of lengths and of numbers that are not negative. */
static bool not_negative(const ThVar *v) {
    while (ask_op(v, &op_dimshuffle)) v = v->owner->in[0];
    int s = ask_which(v->owner);
    if (is_length(v)) return true;
    if ((s != S_add && s != S_minimum && s != S_maximum) || v->type.dtype != TH_INT64) return false;
    for (int i = 0; i < v->owner->nin; i++) {
        double k;
        if (!is_length(v->owner->in[i]) && !(ask_value(v->owner->in[i], &k) && k >= 0)) return false;
    }
    return true;
}

/* x > y for certain (strictly), x >= y: of lengths over a number. */
static bool above(const ThVar *x, const ThVar *y, bool strictly) {
    double k;
    return ask_value(y, &k) && (strictly ? k < 0 : k <= 0) && not_negative(x);
}

/* x < x, x >= x, length < 0, length + length == -1, .. on numbers that are never NaN. */
ThVar *rw_useless_elemwise_comparison(Opt *o, ThApply *a) {
    int s = ask_which(a);
    ThVar *x = a->in[0], *y = a->in[1];
    ThType t = type_tensor(TH_BOOL, 0, 0);
    bool exact_numbers = dtype_is_discrete(x->type.dtype) && dtype_is_discrete(y->type.dtype);
    if (x == y && (s == S_lt || s == S_gt)) return opt_const(o, 0, t);
    if (x == y && exact_numbers && (s == S_le || s == S_ge)) return opt_const(o, 1, t);
    if (s == S_gt || s == S_le) { /* y < x, y >= x */
        x = a->in[1], y = a->in[0];
        s = s == S_gt ? S_lt : S_ge;
    }
    if (s == S_eq || s == S_neq) return above(x, y, true) || above(y, x, true) ? opt_const(o, s == S_neq, t) : NULL;
    if (above(x, y, false)) return opt_const(o, s == S_ge, t);
    if (above(y, x, true)) return opt_const(o, s == S_lt, t);
    return NULL;
}

/* max(length, 0) -> length, min(length, 0) -> 0. */
ThVar *rw_useless_extremum(Opt *o, ThApply *a) {
    (void)o;
    for (int i = 0; i < 2; i++) {
        if (!above(a->in[i], a->in[1 - i], false)) continue;
        return ask_which(a) == S_maximum ? a->in[i] : a->in[1 - i];
    }
    return NULL;
}

/* ---- switch ---- */
/* switch(c, a, 0) * y -> switch(c, a * y, 0): what is not wanted is not multiplied (and 0 * inf is not NaN). */
ThVar *rw_mul_switch_sink(Opt *o, ThApply *a) {
    ThVar *in[KACC];
    if (a->nin > KACC) return NULL;
    for (int i = 0; i < a->nin; i++) {
        ThApply *s = ask_scalar(a->in[i], S_switch);
        int zero = s && ask_equals(s->in[1], 0) ? 1 : s && ask_equals(s->in[2], 0) ? 2 : 0;
        if (!zero || a->in[i]->nclients != 1) continue;
        for (int k = 0; k < a->nin; k++) in[k] = k == i ? s->in[3 - zero] : a->in[k];
        ThVar *kept = elemwise_make(&o->b, S_mul, in, a->nin), *none = s->in[zero];
        return elemwise_make(&o->b, S_switch, (ThVar *[]){s->in[0], zero == 1 ? none : kept, zero == 1 ? kept : none},
                             3);
    }
    return NULL;
}

/* switch(c, a, 0) / y -> switch(c, a / y, 0). */
ThVar *rw_div_switch_sink(Opt *o, ThApply *a) {
    ThApply *s = ask_scalar(a->in[0], S_switch);
    int zero = s && ask_equals(s->in[1], 0) ? 1 : s && ask_equals(s->in[2], 0) ? 2 : 0;
    if (!zero || a->in[0]->nclients != 1) return NULL;
    ThVar *kept = call2(o, S_true_div, s->in[3 - zero], a->in[1]), *none = s->in[zero];
    return elemwise_make(&o->b, S_switch, (ThVar *[]){s->in[0], zero == 1 ? none : kept, zero == 1 ? kept : none}, 3);
}

/* f(switch(c, a, b), switch(c, x, y)) -> switch(c, f(a, x), f(b, y)); not where f fails by values, of which half are
 * not wanted. */
ThVar *rw_merge_switch_same_cond(Opt *o, ThApply *a) {
    ThVar *yes[KACC], *no[KACC];
    int s = ask_which(a);
    ThApply *first = ask_scalar(a->in[0], S_switch);
    if (s < 0 || a->nin < 2 || a->nin > KACC || !first) return NULL;
    if ((scalar_ops[s].flags & SF_FAILS) && dtype_is_discrete(a->out[0]->type.dtype)) return NULL;
    for (int i = 0; i < a->nin; i++) {
        ThApply *w = ask_scalar(a->in[i], S_switch);
        if (!w || w->in[0] != first->in[0] || a->in[i]->nclients != 1) return NULL;
        yes[i] = w->in[1];
        no[i] = w->in[2];
    }
    ThVar *y = apply1(&o->b, a->op, a->attrs, yes, a->nin), *n = apply1(&o->b, a->op, a->attrs, no, a->nin);
    return y && n ? elemwise_make(&o->b, S_switch, (ThVar *[]){first->in[0], y, n}, 3) : NULL;
}
