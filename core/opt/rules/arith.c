/*
 * arith.c -- n-ary rules of sums and products, and constants in the dtype of what they are joined with.
 * In: an Elemwise node. Out: its replacement, fitted to its type by the engine.
 */
#include "rules.h"

/* Constants of a lower dtype are cast to the result's, so that no loop converts them again and again. */
ThVar *rw_upcast_constants(Opt *o, ThApply *a) {
    int s = ask_which(a);
    ThDtype d = a->out[0]->type.dtype;
    ThVar *in[KACC];
    bool changed = false;
    if (s < 0 || a->nin > KACC || a->nin < 2) return NULL;
    int result = scalar_ops[s].result;
    if (result != RES_UP && result != RES_UP_NOBOOL && result != RES_UP_BOOL8 && result != RES_DIV) return NULL;
    if (result == RES_UP_BOOL8 && dtype_is_float(d)) { /* x ** 2 keeps the exponent that tells how to multiply */
        double y;
        if (ask_value(a->in[1], &y) && !dtype_is_float(a->in[1]->type.dtype) && !ask_value(a->in[0], &y))
            d = a->out[0]->type.dtype;
    }
    for (int i = 0; i < a->nin; i++) {
        in[i] = a->in[i];
        double x;
        if (in[i]->type.dtype == d || !ask_value(in[i], &x)) continue;
        in[i] = cast_make(&o->b, in[i], d);
        changed = true;
    }
    return changed ? elemwise_make(&o->b, s, in, a->nin) : NULL;
}

ThVar *rw_mul_zero(Opt *o, ThApply *a) {
    for (int i = 0; i < a->nin; i++)
        if (ask_equals(a->in[i], 0)) return opt_const(o, 0, type_tensor(a->out[0]->type.dtype, 0, 0));
    return NULL;
}

ThVar *rw_neg_to_mul(Opt *o, ThApply *a) {
    ThType t = a->out[0]->type;
    if (dtype_is_complex(t.dtype) || dtype_is_unsigned(t.dtype)) return NULL;
    return call2(o, S_mul, opt_const(o, -1, type_tensor(t.dtype, 0, 0)), a->in[0]);
}

ThVar *rw_mul_to_sqr(Opt *o, ThApply *a) {
    if (a->nin != 2 || a->in[0] != a->in[1] || a->in[0]->type.dtype == TH_BOOL) return NULL;
    return call1(o, S_sqr, a->in[0]);
}

typedef VEC(ThVar *) Factors;

/* Sorts the inputs of a product: signs and ones out, the rest kept. false: a zero stands among them. */
static bool sift(Opt *o, ThApply *a, Factors *rest, bool *negative, int *nneg, int *nconst, bool *ok) {
    ThDtype d = a->out[0]->type.dtype;
    for (int i = 0; *ok && i < a->nin; i++) {
        ThVar *v = a->in[i];
        for (ThApply *n; (n = ask_exact(v, S_neg, d)); v = n->in[0]) {
            *negative = !*negative;
            ++*nneg;
        }
        double x = 7;
        ThValue any;
        if (ask_number(v, &any)) ask_value(v, &x);
        if (x == 0) return false;
        if (x == 1 || x == -1) {
            ++*nconst;
            if (x == -1) *negative = !*negative;
        } else {
            *ok = vec_push(o->c, rest, v);
        }
    }
    return true;
}

static ThVar *rebuild_product(Opt *o, ThApply *a, Factors *rest, bool negative, int nneg, int nconst) {
    ThType t = type_tensor(a->out[0]->type.dtype, 0, 0);
    if (!nneg && !nconst) return NULL;
    if (negative && dtype_is_unsigned(t.dtype)) return NULL;
    if (!rest->n) return opt_const(o, negative ? -1 : 1, t);
    if (rest->n == 1) return negative ? call1(o, S_neg, cast_make(&o->b, rest->at[0], t.dtype)) : rest->at[0];
    if (negative && !nneg && nconst == 1) return NULL; /* -1 * x * y stays: neg would be one node more */
    if (!negative) return opt_call(o, S_mul, rest->at, rest->n, t.dtype);
    ThVar *minus = opt_const(o, -1, t);
    if (!minus || !vec_push(o->c, rest, minus)) return NULL;
    for (int i = rest->n - 1; i > 0; i--) rest->at[i] = rest->at[i - 1];
    rest->at[0] = minus;
    return elemwise_make(&o->b, S_mul, rest->at, rest->n);
}

/* mul(-1, x) -> neg(x), mul(1, x, y) -> mul(x, y), mul(-x, -y) -> mul(x, y), mul(0, ..) -> zeros. */
ThVar *rw_mul_specialize(Opt *o, ThApply *a) {
    ThDtype d = a->out[0]->type.dtype;
    Factors rest = {0};
    bool negative = false, ok = true;
    int nneg = 0, nconst = 0;
    if (d == TH_BOOL || dtype_is_complex(d)) return NULL;
    ThVar *r = NULL;
    if (!sift(o, a, &rest, &negative, &nneg, &nconst, &ok)) r = opt_const(o, 0, type_tensor(d, 0, 0));
    else if (ok) r = rebuild_product(o, a, &rest, negative, nneg, nconst);
    vec_free(o->c, &rest);
    return ok ? r : NULL;
}

/* add(0, x) -> x. */
ThVar *rw_add_specialize(Opt *o, ThApply *a) {
    Factors rest = {0};
    bool ok = true;
    ThType t = a->out[0]->type;
    if (t.dtype == TH_BOOL) return NULL;
    for (int i = 0; ok && i < a->nin; i++)
        if (!ask_equals(a->in[i], 0)) ok = vec_push(o->c, &rest, a->in[i]);
    ThVar *r = NULL;
    if (ok && rest.n < a->nin)
        r = rest.n ? opt_call(o, S_add, rest.at, rest.n, t.dtype) : opt_const(o, 0, type_tensor(t.dtype, 0, 0));
    vec_free(o->c, &rest);
    return r;
}
