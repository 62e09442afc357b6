/*
 * nnet.c -- functions of tensor.nnet on rows: softmax and cross-entropies. Elementwise ones are in
 * elemwise.c.
 */
#include "util.h"

/* Softmax along any axis of a tensor: it becomes the last one of a matrix, and everything goes back after. */
static ThVar *softmax_along(Builder *b, const Op *op, ThVar *x, int axis) {
    static const int8_t drop[] = {1};
    int8_t there[TH_MAX_NDIM], back[TH_MAX_NDIM];
    int n = x->type.ndim, k = 0;
    if (n == 1) return dimshuffle_make(b, softmax_make(b, op, x), drop, 1);
    for (int d = 0; d < n; d++)
        if (d != axis) there[k++] = (int8_t)d;
    there[k] = (int8_t)axis;
    for (int d = 0; d < n; d++) back[there[d]] = (int8_t)d;
    ThVar *moved = dimshuffle_make(b, x, there, n), *len[2];
    if (!moved) return NULL;
    len[0] = shape_elem_make(b, moved, 0); /* no -1: there may be no columns */
    for (int d = 1; d + 1 < n && len[0]; d++) len[0] = elemwise_2(b, S_mul, len[0], shape_elem_make(b, moved, d));
    len[1] = shape_elem_make(b, moved, n - 1);
    ThVar *rows = n == 2 ? moved : reshape_make(b, moved, make_vector_make(b, len, 2, TH_INT64), 2);
    ThVar *r = rows ? softmax_make(b, op, rows) : NULL;
    if (r && n != 2) r = reshape_make(b, r, shape_make(b, moved), n);
    r = r ? dimshuffle_make(b, r, back, n) : NULL;
    return r ? patternbroadcast_make(b, r, x->type.broadcastable) : NULL;
}

/* Without axis: rows, a vector being one row, as in Theano; the last axis of more dimensions. */
int front_softmax(Front *f) {
    ThVar *x = front_var(f, 0);
    const Op *op = front_is(f, "nnet.softmax") ? &op_softmax : &op_log_softmax;
    int axis = x ? x->type.ndim - 1 : 0;
    if (!x) return -1;
    if (front_none(f, 1) && x->type.ndim <= 2) return front_return(f, softmax_make(f->b, op, x));
    if (x->type.kind != TYPE_TENSOR || !dtype_is_float((ThDtype)x->type.dtype))
        return front_error(f, TH_ValueError, "c must be a tensor of floats");
    if (!front_none(f, 1) && !front_axis(f, 1, x->type.ndim, &axis)) return -1;
    return front_return(f, softmax_along(f->b, op, x, axis));
}

int front_softmax_with_bias(Front *f) {
    ThVar *x = front_var(f, 0), *b = front_var(f, 1);
    return front_return(f, x && b ? apply1(f->b, &op_softmax_with_bias, NULL, (ThVar *[]){x, b}, 2) : NULL);
}

int front_ctc(Front *f) {
    ThVar *x = front_var(f, 0), *labels = front_var(f, 1), *lengths = front_var(f, 2);
    return front_return(f, x && labels && lengths ? ctc_make(f->b, x, labels, lengths) : NULL);
}

/* exp(c) / exp(c).sum(axis=-1, keepdims=True) */
int front_softmax_graph(Front *f) {
    ThVar *x = front_var(f, 0);
    if (!x) return -1;
    if (x->type.ndim == 0) return front_error(f, TH_ValueError, "c needs at least one dimension");
    AttrInts last = {.n = 1, .at = {(int8_t)(x->type.ndim - 1)}};
    ThVar *e = elemwise_1(f->b, S_exp, x), *sum = e ? sum_make(f->b, e, &last) : NULL;
    return front_return(f, sum ? elemwise_2(f->b, S_true_div, e, keepdims_make(f->b, e, sum, &last)) : NULL);
}

static ThVar *loss_1hot(Builder *b, ThVar *p, ThVar *y) {
    return apply1(b, &op_crossentropy_1hot, NULL, (ThVar *[]){p, y}, 2);
}

int front_categorical_1hot(Front *f) {
    ThVar *p = front_var(f, 0), *y = front_var(f, 1);
    return front_return(f, p && y ? loss_1hot(f->b, p, y) : NULL);
}

/* Distributions on both sides: -sum(true * log(coding)) over the last axis; class numbers: the 1hot form. */
int front_categorical_crossentropy(Front *f) {
    ThVar *p = front_var(f, 0), *t = front_var(f, 1);
    if (!p || !t) return -1;
    if (t->type.ndim == p->type.ndim - 1) return front_return(f, loss_1hot(f->b, p, t));
    if (t->type.ndim != p->type.ndim || p->type.ndim == 0)
        return front_error(f, TH_TypeError, "rank mismatch between coding and true distributions");
    AttrInts last = {.n = 1, .at = {(int8_t)(p->type.ndim - 1)}};
    ThVar *product = elemwise_2(f->b, S_mul, t, elemwise_1(f->b, S_log, p));
    ThVar *sum = product ? sum_make(f->b, product, &last) : NULL;
    return front_return(f, sum ? elemwise_1(f->b, S_neg, sum) : NULL);
}

/* nll and softmax; with argmax; with maximum and argmax: by the name of the function. */
static int fused(Front *f, ThVar *x, ThVar *b, ThVar *y) {
    ThVar *out[4];
    ThApply *a = x && b && y ? apply_make(f->b, &op_crossentropy_softmax, NULL, (ThVar *[]){x, b, y}, 3) : NULL;
    if (!a) return -1;
    out[0] = a->out[0];
    out[1] = a->out[1];
    if (__builtin_strstr(f->info->name, "max_and_argmax")) {
        AttrInts columns = {.n = 1, .at = {1}};
        ThApply *m = max_and_argmax_make(f->b, out[1], &columns);
        if (!m) return -1;
        out[2] = m->out[0];
        out[3] = m->out[1];
        return front_return_n(f, out, 4);
    }
    out[2] = a->out[2];
    return front_return_n(f, out, __builtin_strstr(f->info->name, "_argmax_") ? 3 : 2);
}

int front_xent_softmax_bias(Front *f) { return fused(f, front_var(f, 0), front_var(f, 1), front_var(f, 2)); }

/* Without bias: a bias of zeros shaped like the first row. */
int front_xent_softmax(Front *f) {
    ThVar *x = front_var(f, 0), *y = front_var(f, 1);
    if (!x || !y) return -1;
    if (x->type.ndim != 2) return front_error(f, TH_ValueError, "x must be 2-d tensor of floats");
    ThVar *row = subtensor_int_make(f->b, x, 0);
    return fused(f, x, row ? zeros_like_make(f->b, row, (ThDtype)x->type.dtype) : NULL, y);
}
