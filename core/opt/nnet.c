/*
 * nnet.c -- sigmoids out of quotients, the gradient of the logarithm of a softmax.
 * These keep precision where the written form overflows or divides by zero.
 */
#include "rules.h"

#include "../ops/reduce.h"

typedef VEC(ThVar *) Vars;

/* x of 1 + exp(x), in any order; NULL when v is something else. */
static ThVar *one_plus_exp(const ThVar *v) {
    ThApply *a = ask_scalar(v, S_add);
    if (!a || a->nin != 2) return NULL;
    for (int i = 0; i < 2; i++) {
        ThApply *e = ask_scalar(a->in[1 - i], S_exp);
        if (ask_equals(a->in[i], 1) && e) return e->in[0];
    }
    return NULL;
}

/* Factors of v: the inputs of a product, or v itself; signs are counted out. */
static bool factors(Opt *o, ThVar *v, Vars *to, bool *negative, ThDtype d) {
    for (ThApply *n; (n = ask_exact(v, S_neg, d)); v = n->in[0]) *negative = !*negative;
    ThApply *m = ask_exact(v, S_mul, d);
    if (!m) return vec_push(o->c, to, v);
    for (int i = 0; i < m->nin; i++)
        if (!vec_push(o->c, to, m->in[i])) return false;
    return true;
}

/* Moves every 1 + exp(x) of the denominator into `sig` as sigmoid(x) (its exp(x) stood in num) or sigmoid(-x). */
static bool take_sigmoids(Opt *o, Vars *num, Vars *den, Vars *sig) {
    int kept = 0;
    for (int i = 0; i < den->n; i++) {
        ThVar *x = one_plus_exp(den->at[i]), *s = NULL;
        if (!x) {
            den->at[kept++] = den->at[i];
            continue;
        }
        for (int k = 0; k < num->n && !s; k++) {
            ThApply *e = ask_scalar(num->at[k], S_exp);
            if (!e || e->in[0] != x) continue;
            for (int j = k; j + 1 < num->n; j++) num->at[j] = num->at[j + 1];
            num->n--;
            s = call1(o, S_sigmoid, x);
        }
        if (!s) s = call1(o, S_sigmoid, call1(o, S_neg, cast_make(&o->b, x, den->at[i]->type.dtype))); /* -x may wrap */
        if (!s || !vec_push(o->c, sig, s)) return false;
    }
    den->n = kept;
    return true;
}

static ThVar *quotient(Opt *o, Vars *num, Vars *den, Vars *sig, bool negative) {
    for (int i = 0; i < num->n; i++) {
        if (ask_equals(num->at[i], 1) && ask_all_bcast(num->at[i]->type)) continue; /* 1 * x */
        if (!vec_push(o->c, sig, num->at[i])) return NULL;
    }
    ThVar *r = opt_call(o, S_mul, sig->at, sig->n, sig->at[0]->type.dtype);
    if (negative) r = call1(o, S_neg, r);
    if (!r) return NULL;
    return den->n ? call2(o, S_true_div, r, opt_call(o, S_mul, den->at, den->n, r->type.dtype)) : r;
}

/* exp(x) / (1 + exp(x)) -> sigmoid(x); c / (1 + exp(x)) -> c * sigmoid(-x); other factors stay. */
ThVar *rw_exp_over_1_plus_exp(Opt *o, ThApply *a) {
    Vars num = {0}, den = {0}, sig = {0};
    bool negative = false;
    ThVar *r = NULL;
    ThDtype d = a->out[0]->type.dtype;
    if (!dtype_is_float(d)) return NULL;
    if (factors(o, a->in[1], &den, &negative, d)) {
        bool any = false;
        for (int i = 0; i < den.n; i++) any |= one_plus_exp(den.at[i]) != NULL;
        if (any && factors(o, a->in[0], &num, &negative, d) && take_sigmoids(o, &num, &den, &sig))
            r = quotient(o, &num, &den, &sig, negative);
    }
    vec_free(o->c, &num);
    vec_free(o->c, &den);
    vec_free(o->c, &sig);
    return r;
}

/* SoftmaxGrad(g / sm, sm) with sm = Softmax(x) is the gradient of log(softmax(x)): g - sum(g, axis 1, kept) * sm. */
ThVar *rw_logsoftmax_grad(Opt *o, ThApply *a) {
    ThApply *div = ask_scalar(a->in[0], S_true_div);
    ThVar *sm = a->in[1];
    if (!div || div->in[1] != sm || !ask_op(sm, &op_softmax) || div->in[0]->type.ndim != 2) return NULL;
    ThVar *g = div->in[0];
    if (xent_scatters(o, g)) return NULL; /* local_advanced_indexing_crossentropy_onehot_grad's */
    if (g->type.broadcastable != sm->type.broadcastable)
        g = second_make(&o->b, sm, g); /* its sum counts every column */
    if (!g) return NULL;
    AttrInts axis = {.n = 1, .at = {1}};
    ThVar *total = keepdims_make(&o->b, g, sum_make(&o->b, g, &axis), &axis);
    return call2(o, S_sub, g, call2(o, S_mul, total, sm));
}

/* exp(x) / (sum over the rows of exp(x), kept as a column) -> Softmax(x), which subtracts the maximum first. */
ThVar *rw_softmax(Opt *o, ThApply *a) {
    ThApply *e = ask_scalar(a->in[0], S_exp);
    const ThVar *total = a->in[1];
    if (!e || e->in[0]->type.ndim != 2 || !ask_op(total, &op_dimshuffle)) return NULL;
    const AttrInts *p = ask_attr(total->owner->op, total->owner->attrs, "order");
    const ThVar *sum = total->owner->in[0];
    if (p->n != 2 || p->at[0] != 0 || p->at[1] != -1 || !ask_op(sum, &op_sum) || sum->owner->in[0] != a->in[0])
        return NULL;
    const ReduceAttrs *r = sum->owner->attrs;
    return r->axis.n == 1 && r->axis.at[0] == 1 ? softmax_make(&o->b, &op_softmax, e->in[0]) : NULL;
}
