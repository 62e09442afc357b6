/*
 * rest.c -- asserts, positions of maxima, sums of squares of outer products. In: a node. Out: its replacement. Measure:
 * nodes.
 */
#include "rules.h"

#include "ops/reduce/reduce.h"

/* ---- asserts ---- */
/* Assert(x, conditions of which some are constant and true): those go; without any left it is x. */
ThVar *rw_useless_assert(Opt *o, ThApply *a) {
    ThVar *in[1 + TH_MAX_NDIM];
    int n = 0;
    if (a->nin > TH_LEN(in)) return NULL;
    for (int i = 0; i < a->nin; i++) {
        double x;
        bool known = i && ask_value(a->in[i], &x) && x != 0;
        if (!known) in[n++] = a->in[i];
    }
    if (n == a->nin) return NULL;
    return n == 1 ? in[0] : apply1(&o->b, a->op, a->attrs, in, n);
}

/* Unsafe, and only under the tag `unsafe`: nothing is checked any more. */
ThVar *rw_remove_all_assert(Opt *o, ThApply *a) {
    (void)o;
    return a->in[0];
}

/* AllocEmpty -> Alloc(0): every run sees the same values in what is never written. */
ThVar *rw_alloc_empty_to_zeros(Opt *o, ThApply *a) {
    ThDtype d = (ThDtype)a->out[0]->type.dtype;
    return alloc_make(&o->b, opt_const(o, 0, type_tensor(d, 0, 0)), a->in, a->nin);
}

/* ---- positions of maxima ---- */
static bool rises(const ThVar *v) {
    static const int scalars[] = {S_exp, S_tanh, S_sigmoid, S_softplus, S_arctan, S_sinh, S_arcsinh, S_expm1};
    for (int i = 0; i < TH_LEN(scalars); i++)
        if (ask_scalar(v, scalars[i])) return v->type.dtype == v->owner->in[0]->type.dtype;
    return false;
}

/* argmax(softmax(x)), argmax(exp(x)) .. -> argmax(x) where the maximum itself is unused. Values that the function
 * rounds to the same are told apart now: the position is the true one. */
ThVar *rw_argmax_pushdown(Opt *o, ThApply *a) {
    bool both = a->nout == 2;
    ThVar *v = a->in[0];
    AttrInts axis = ((const ArgmaxAttrs *)a->attrs)->axis;
    if (both && (a->out[0]->nclients || !a->out[1]->nclients)) return NULL;
    bool biased = ask_op(v, &op_softmax_with_bias),
         soft = biased || ask_op(v, &op_softmax) || ask_op(v, &op_log_softmax);
    if (!(soft && axis.n == 1 && axis.at[0] == 1) && !rises(v)) return NULL;
    static const int8_t row[] = {-1, 0};
    ThVar *x = v->owner->in[0];
    if (biased) x = call2(o, S_add, x, dimshuffle_make(&o->b, v->owner->in[1], row, 2));
    ThApply *r = x ? apply_make(&o->b, a->op, a->attrs, &x, 1) : NULL;
    o->which = both ? 1 : 0;
    return r ? fg_find(r->out[o->which]) : NULL;
}

/* ---- sums of squares ---- */
static ThVar *behind(ThVar *v, int lost) {
    const AttrInts *p = ask_op(v, &op_dimshuffle) ? ask_attr(v->owner->op, v->owner->attrs, "order") : NULL;
    if (!p || p->n != 3 || v->owner->in[0]->type.ndim != 2 || p->at[lost] != -1) return NULL;
    for (int i = 0, k = 0; i < 3; i++)
        if (i != lost && p->at[i] != k++) return NULL;
    return v->owner->in[0];
}

/* sum((W.dimshuffle('x', 0, 1) * G.dimshuffle(0, 'x', 1))^2, (1, 2)) -> dot(G^2, sum(W^2, 0)): no cube is made. Sums
 * round in another order. */
ThVar *rw_sumsqr2dot(Opt *o, ThApply *a) {
    const ReduceAttrs *r = a->attrs;
    ThApply *s = ask_scalar(a->in[0], S_sqr), *m = s ? ask_scalar(s->in[0], S_mul) : NULL;
    ThDtype d = (ThDtype)a->out[0]->type.dtype;
    if (!m || m->nin != 2 || r->axis.n != 2 || r->axis.at[0] != 1 || r->axis.at[1] != 2 || !dtype_is_float(d))
        return NULL;
    for (int i = 0; i < 2; i++) {
        ThVar *w = behind(m->in[i], 0), *g = behind(m->in[1 - i], 1);
        AttrInts rows = {.n = 1, .at = {0}};
        if (!w || !g || w->type.dtype != d || g->type.dtype != d) continue;
        return dot_make(&o->b, call1(o, S_sqr, g), sum_make(&o->b, call1(o, S_sqr, w), &rows));
    }
    return NULL;
}
