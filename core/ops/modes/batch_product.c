/*
 * batch_product.c -- vmap rules of products and of operations on the rows of matrices.
 * In: Dot and its relatives, softmax and cross-entropies with mapped inputs. Out: one larger Dot where only one operand
 * is mapped (its rows or columns are those of all), products summed over the inner dimension where both are, and row
 * operations on all rows at once.
 */
#include "ops/nnet/rows.h"
#include "ops/table/shape.h"
#include "ops/table/linear.h"
#include "ops/table/nnet.h"

static bool set(Batch *q, ThVar *v) {
    q->out[0] = v;
    return v != NULL;
}

/* ---- Dot --------------------------------------------------------------------------------------------------------- */
/* x mapped: (size, [m,] k) . y */
static ThVar *dot_left(Batch *q, ThVar *x, ThVar *y) {
    Builder *b = q->b;
    if (x->type.ndim == 2) return dot_make(b, x, y);
    return batch_unmerge(b, dot_make(b, batch_merge(b, x), y), x);
}

/* y mapped: x . (size, k [, n]). A matrix y is laid out as (k, size * n). */
static ThVar *dot_right(Batch *q, ThVar *x, ThVar *y) {
    static const int8_t swap[3] = {1, 0, 2};
    Builder *b = q->b;
    if (y->type.ndim == 2) {
        ThVar *xt = x->type.ndim == 2 ? transpose_make(b, x) : x;
        return xt ? dot_make(b, y, xt) : NULL;
    }
    ThVar *n[3] = {shape_elem_make(b, y, 1), elemwise_2(b, S_mul, shape_elem_make(b, y, 0), shape_elem_make(b, y, 2))};
    ThVar *wide = dimshuffle_make(b, y, swap, 3);
    wide = wide ? reshape_make(b, wide, make_vector_make(b, n, 2, TH_INT64), 2) : NULL;
    ThVar *r = wide ? dot_make(b, x, wide) : NULL;
    if (!r) return NULL;
    int k = 0;
    if (x->type.ndim == 2) n[k++] = shape_elem_make(b, x, 0);
    n[k++] = shape_elem_make(b, y, 0);
    n[k++] = shape_elem_make(b, y, 2);
    r = reshape_make(b, r, make_vector_make(b, n, k, TH_INT64), k);
    return k == 3 && r ? dimshuffle_make(b, r, swap, 3) : r;
}

/* Both mapped: a batched product; two vectors are multiplied and summed. */
static ThVar *dot_both(Batch *q, ThVar *x, ThVar *y) {
    Builder *b = q->b;
    ThDtype d = th_dtype_upcast((ThDtype)x->type.dtype, (ThDtype)y->type.dtype);
    x = cast_make(b, x, d);
    y = cast_make(b, y, d);
    if (!x || !y) return NULL;
    if (x->type.ndim + y->type.ndim > 4) return batched_dot_make(b, x, y);
    AttrInts axis = {.n = 1, .at = {1}};
    ThVar *p = elemwise_2(b, S_mul, x, y);
    return p ? reduce_make(b, &op_sum, p, &axis, (ThDtype)p->type.dtype, TH_DTYPE_NONE, false) : NULL;
}

bool batch_dot(Batch *q) {
    ThVar *x = q->in[0], *y = q->in[1];
    if (q->mapped[0] && q->mapped[1]) return set(q, dot_both(q, x, y));
    return set(q, q->mapped[0] ? dot_left(q, x, y) : dot_right(q, x, y));
}

/* The optimizer's products, written out again. */
bool batch_dot_scaled(Batch *q) {
    ThVar *const *in = q->node->in;
    ThVar *r = elemwise_2(q->b, S_mul, dot_make(q->b, in[0], in[1]), in[2]);
    return batch_through(q, &r);
}

bool batch_gemm(Batch *q) {
    Builder *b = q->b;
    ThVar *const *in = q->node->in;
    ThVar *xy = elemwise_2(b, S_mul, in[1], dot_make(b, in[2], in[3]));
    ThVar *r = elemwise_2(b, S_add, elemwise_2(b, S_mul, in[4], in[0]), xy);
    return batch_through(q, &r);
}

bool batch_ger(Batch *q) {
    static const int8_t column[2] = {0, -1}, row[2] = {-1, 0};
    Builder *b = q->b;
    ThVar *const *in = q->node->in;
    ThVar *outer = elemwise_2(b, S_mul, dimshuffle_make(b, in[2], column, 2), dimshuffle_make(b, in[3], row, 2));
    ThVar *r = elemwise_2(b, S_add, in[0], elemwise_2(b, S_mul, in[1], outer));
    return batch_through(q, &r);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */
bool batch_rows(Batch *q) {
    static const int8_t column[2] = {0, -1};
    ThApply *a = q->node;
    ThVar *in[4], *like = NULL;
    for (int i = 0; i < a->nin; i++) {
        if (!(in[i] = batch_full(q, i))) return false;
        if (in[i]->type.ndim == 3) like = in[i];
    }
    if (!like) return err(q->b->ctx, TH_RuntimeError, "vmap: %s has no matrix input", a->op->name);
    ThVar *rows = dimshuffle_make(q->b, rows_sum(q->b, like, 2), (int8_t[]){0, 1}, 2);
    for (int i = 0; i < a->nin; i++) {
        if (in[i]->type.ndim == 1) /* one value for all rows of an element */
            in[i] = second_make(q->b, rows, dimshuffle_make(q->b, in[i], column, 2));
        if (!(in[i] = batch_merge(q->b, in[i]))) return false;
    }
    ThApply *r = apply_make(q->b, a->op, a->attrs, in, a->nin);
    for (int o = 0; r && o < a->nout; o++) {
        q->out[o] = batch_unmerge(q->b, r->out[o], like);
        if (!q->out[o]) return false;
    }
    return r != NULL;
}

bool batch_softmax_bias(Batch *q) {
    ThVar *r = softmax_make(q->b, &op_softmax, elemwise_2(q->b, S_add, q->node->in[0], q->node->in[1]));
    return batch_through(q, &r);
}

/* One row: its sum with the bias, and a bias of zeros, are what batch_rows can merge. */
bool batch_crossentropy_softmax(Batch *q) {
    Builder *b = q->b;
    ThVar *const *in = q->node->in;
    ThVar *x = batch_full(q, 0), *y = batch_full(q, 2);
    if (!x || !y) return false;
    ThVar *sum = elemwise_2(b, S_add, x, batch_beside(q, 1, 2));
    if (!sum) return false;
    ThVar *merged = cast_make(b, batch_merge(b, sum), (ThDtype)in[0]->type.dtype);
    AttrInts first = {.n = 1, .at = {0}};
    ThVar *row = merged
                     ? zeros_like_make(b, reduce_make(b, &op_sum, merged, &first, TH_DTYPE_NONE, TH_DTYPE_NONE, false),
                                       (ThDtype)in[1]->type.dtype)
                     : NULL;
    ThVar *all[3] = {merged, row, batch_merge(b, y)};
    ThApply *r = row && all[2] ? apply_make(b, q->node->op, NULL, all, 3) : NULL;
    for (int o = 0; r && o < 3; o++)
        if (!(q->out[o] = batch_unmerge(b, r->out[o], x))) return false;
    return r != NULL;
}
