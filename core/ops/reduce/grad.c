/*
 * grad.c -- gradients of the reductions, node for node as Theano builds them, and the summing back of
 * broadcasts.
 */
#include "reduce.h"

static const AttrInts *axes_of(const ThApply *a) { return a->attrs; }

/* Zeros in floatX where a discrete result stands in the way. */
static ThVar *zeros_floatX(Builder *b, ThVar *x) { return zeros_like_make(b, x, config_floatX(b->ctx)); }

static bool is_flat(const ThApply *a) { return dtype_is_discrete(a->out[0]->type.dtype); }

void flat_grad(Grad *g) { g->gx[0] = zeros_floatX(g->b, g->node->in[0]); }

/* gz spread over x: Elemwise{second}(x, dimshuffled gz). */
void sum_grad(Grad *g) {
    ThVar *x = g->node->in[0];
    if (is_flat(g->node)) {
        flat_grad(g);
        return;
    }
    bool was = g->b->in_grad;
    g->b->in_grad = true;
    g->gx[0] = second_make(g->b, x, keepdims_make(g->b, x, g->gz[0], axes_of(g->node)));
    g->b->in_grad = was;
}

/*
 * gz * prod / x; a group with zeros is split into the product p of its other elements, which nothing divides by zero,
 * and the zeros: what the others of element i multiply to is p / x_i times the product of the zeros but i, which is 1,
 * the other zero (0, whose derivative is 1), or, of several, 0 with its derivative. So first and second derivatives are
 * exact with any zeros.
 */
void prod_grad(Grad *g) {
    Builder *b = g->b;
    ThVar *x = g->node->in[0];
    const ReduceAttrs *a = ATTRS(ReduceAttrs, g->node);
    if (is_flat(g->node) || dtype_is_discrete(a->acc_dtype) || dtype_is_discrete(x->type.dtype)) {
        flat_grad(g);
        return;
    }
    ThVar *cx = conj_make(b, x), *gz = keepdims_make(b, x, g->gz[0], &a->axis);
    if (a->no_zeros) {
        ThVar *out = conj_make(b, keepdims_make(b, x, g->node->out[0], &a->axis));
        g->gx[0] = elemwise_2(b, S_true_div, elemwise_2(b, S_mul, gz, out), cx);
        return;
    }
    ThVar *zero = const_float(b, 0.0, scalar_real_of(x->type.dtype)), *is_zero = elemwise_2(b, S_eq, x, zero);
    ThVar *others = elemwise_3(b, S_switch, is_zero, const_float(b, 1.0, scalar_real_of(x->type.dtype)), cx);
    ThVar *zeros = elemwise_3(b, S_switch, is_zero, cx, zero);
    ThVar *p = keepdims_make(b, x, reduce_make(b, &op_prod, others, &a->axis, a->dtype, a->acc_dtype, true), &a->axis);
    ThVar *count = keepdims_make(b, x, sum_make(b, is_zero, &a->axis), &a->axis);
    ThVar *left = elemwise_2(b, S_sub, count, is_zero);
    ThVar *other = elemwise_2(b, S_sub, keepdims_make(b, x, sum_make(b, zeros, &a->axis), &a->axis), zeros);
    ThVar *one = elemwise_2(b, S_eq, left, const_int(b, 1, TH_DTYPE_NONE));
    ThVar *none = elemwise_2(b, S_eq, left, const_int(b, 0, TH_DTYPE_NONE));
    ThVar *whole = elemwise_2(b, S_true_div, elemwise_2(b, S_mul, gz, p), others);
    ThVar *rest = elemwise_3(b, S_switch, one, elemwise_2(b, S_mul, whole, other), zero);
    g->gx[0] = elemwise_3(b, S_switch, none, whole, rest);
}

/* Every tied position takes the whole gradient: eq(extremum, x) * gz. */
static ThVar *at_extremum(Builder *b, ThVar *x, ThVar *extremum, ThVar *gz, const AttrInts *axis) {
    ThVar *g = keepdims_make(b, x, gz, axis);
    return elemwise_2(b, S_mul, elemwise_2(b, S_eq, keepdims_make(b, x, extremum, axis), x), g);
}

void extremum_grad(Grad *g) {
    if (is_flat(g->node)) flat_grad(g);
    else g->gx[0] = at_extremum(g->b, g->node->in[0], g->node->out[0], g->gz[0], axes_of(g->node));
}

/* Positions do not move: a gradient that reaches only the argmax is zero. */
void max_and_argmax_grad(Grad *g) {
    if (!g->gz[0] || g->gz[0]->type.kind != TYPE_TENSOR || is_flat(g->node)) flat_grad(g);
    else extremum_grad(g);
}

/* ---- after elementwise gradients --------------------------------------------------------------------------------- */
ThVar *unbroadcast_make(Builder *b, ThVar *g, ThVar *x) {
    if (!g || !x || g->type.kind != TYPE_TENSOR) return g;
    AttrInts axis = {0};
    int8_t pattern[TH_MAX_NDIM];
    int extra = g->type.ndim - x->type.ndim, kept = 0;
    for (int d = 0; d < g->type.ndim; d++) {
        bool sum = d < extra || (type_bcast(x->type, d - extra) && !type_bcast(g->type, d));
        if (sum) axis.at[axis.n++] = (int8_t)d;
        if (d >= extra) pattern[d - extra] = (int8_t)(sum ? -1 : kept);
        if (!sum) kept++;
    }
    if (axis.n == 0) return g;
    /* Gradients are never discrete, so the sum keeps their dtype. */
    return dimshuffle_make(b, sum_make(b, g, &axis), pattern, x->type.ndim);
}
