/*
 * linear.h -- what ops/linear gives to others: builders of products. NULL (error set) when the operands do not fit,
 * and NULL given NULL.
 */
#ifndef TH_TABLE_LINEAR_H
#define TH_TABLE_LINEAR_H

#include "ops.h"

/* ---- dot.c, blas.c, batched_dot.c -------------------------------------------------------------------------------- */
ThVar *dot_make(Builder *b, ThVar *x, ThVar *y);         /* 1-d and 2-d operands */
ThVar *batched_dot_make(Builder *b, ThVar *x, ThVar *y); /* 2-d and 3-d operands */
ThVar *transpose_make(Builder *b, ThVar *x);             /* x.T; named "x.T" when x has a name */

/* ---- rules of vmap (ops/modes) ----------------------------------------------------------------------------------- */
bool batch_dot(Batch *q);        /* Dot, Dot22 */
bool batch_dot_scaled(Batch *q); /* Dot22Scalar */
bool batch_gemm(Batch *q);       /* Gemm, Gemv, CGemv */
bool batch_ger(Batch *q);
bool batch_batched_dot(Batch *q);

#endif
