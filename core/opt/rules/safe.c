/*
 * safe.c -- safe gradients, under the tag `safe_grad` only: in nodes that an elementwise gradient made, a factor of
 * zero makes the product zero and a numerator of zero the quotient, whatever infinity or NaN stands beside it. So the
 * branch of a switch that is not taken, and the norm of a vector of zeros, give gradients of zero instead of NaN.
 * Measure: nodes of the gradient's own that are left; the products made here are none.
 */
#include "rules.h"

static bool applies(const ThApply *a) {
    return (a->flags & APPLY_GRAD) && !dtype_is_discrete((ThDtype)a->out[0]->type.dtype);
}

/* A constant other than 0 decides nothing; beside constants only, zero is zero anyway. */
static bool may_be_zero(const ThVar *v) {
    double x;
    return !ask_value(v, &x) || x == 0;
}

static ThVar *is_zero(Opt *o, ThVar *v) { return call2(o, S_eq, v, opt_const(o, 0, type_tensor(TH_INT8, 0, 0))); }

/* v, and `instead` where zero holds. */
static ThVar *unless(Opt *o, ThVar *zero, ThVar *v, double instead) {
    ThVar *c = opt_const(o, instead, type_tensor(v->type.dtype, 0, 0));
    return zero && c ? elemwise_make(&o->b, S_switch, (ThVar *[]){zero, c, v}, 3) : NULL;
}

/* a * b * .. -> product of (0 where any of them is 0, else itself). */
ThVar *rw_grad_safe_mul(Opt *o, ThApply *a) {
    ThVar *in[8], *any = NULL;
    int n = 0;
    if (!applies(a) || a->nin > TH_LEN(in)) return NULL;
    for (int i = 0; i < a->nin; i++) {
        if (!may_be_zero(a->in[i])) continue;
        ThVar *zero = is_zero(o, a->in[i]);
        any = any ? call2(o, S_or_, any, zero) : zero;
        if (!any) return NULL;
        n++;
    }
    if (n < 2) return NULL;
    for (int i = 0; i < a->nin; i++) {
        in[i] = may_be_zero(a->in[i]) ? unless(o, any, a->in[i], 0) : a->in[i];
        if (!in[i]) return NULL;
    }
    return elemwise_make(&o->b, S_mul, in, a->nin);
}

/* a / b -> a / (1 where a is 0, else b). */
ThVar *rw_grad_safe_div(Opt *o, ThApply *a) {
    if (!applies(a) || !may_be_zero(a->in[0])) return NULL;
    return call2(o, S_true_div, a->in[0], unless(o, is_zero(o, a->in[0]), a->in[1], 1));
}
