/*
 * reduce.h -- reductions: attributes and builders for rewrites and fronts.
 * axis: n == -1 is None (all dimensions, printed without axes), else sorted distinct dimensions.
 */
#ifndef TH_REDUCE_H
#define TH_REDUCE_H

#include "ops/table/ops.h"

/* Sum, Prod, All, Any, and the maximum and minimum of the optimizer (Reduce{maximum}{1}). */
typedef struct ReduceAttrs {
    AttrInts axis;
    uint8_t dtype, acc_dtype; /* of the result and of the accumulator, resolved */
    uint8_t no_zeros;         /* Prod: the caller promises that no input is zero */
    uint8_t or_least;         /* Max: of nothing it is -inf, where it is an error otherwise */
} ReduceAttrs;
/* MaxAndArgmax (two outputs) and Argmax: axes always listed. */
typedef struct ArgmaxAttrs {
    AttrInts axis;
} ArgmaxAttrs;

/*
 * Sum, Prod, All, Any, Max or Min of x; axis NULL: all dimensions. Dtypes TH_DTYPE_NONE take Theano's rules: integers
 * sum in int64 or uint64, float32 accumulates in float64. All and Any test x against 0 first when it is not bool.
 */
ThVar *reduce_make(Builder *b, const Op *op, ThVar *x, const AttrInts *axis, ThDtype dtype, ThDtype acc, bool no_zeros);
static inline ThVar *sum_make(Builder *b, ThVar *x, const AttrInts *axis) {
    return reduce_make(b, &op_sum, x, axis, TH_DTYPE_NONE, TH_DTYPE_NONE, false);
}
/* The Apply of MaxAndArgmax: out[0] the maximum, out[1] the position (int64, first occurrence, axes flattened in
 * order). */
ThApply *max_and_argmax_make(Builder *b, ThVar *x, const AttrInts *axis);
/* Puts reduced dimensions back as broadcastable ones: y, a reduction of x over axis, gets x's rank. Always a node. */
ThVar *keepdims_make(Builder *b, ThVar *x, ThVar *y, const AttrInts *axis);
static inline bool axis_in(const AttrInts *axis, int d) {
    if (axis->n < 0) return true;
    for (int i = 0; i < axis->n; i++)
        if (axis->at[i] == d) return true;
    return false;
}

/* grad.c, lower.c */
void sum_grad(Grad *g);
void prod_grad(Grad *g);
void flat_grad(Grad *g);     /* All, Any: zeros */
void extremum_grad(Grad *g); /* Max, Min */
void max_and_argmax_grad(Grad *g);
bool reduce_lower(Lower *l);
bool argmax_lower(Lower *l);

/* ---- rules of vmap (ops/modes) ----------------------------------------------------------------------------------- */
bool batch_reduce(Batch *q);
bool batch_argmax(Batch *q);

#endif
