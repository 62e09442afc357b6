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

/* ---- matrices.c: matrices are the last two dimensions; those before them are many of them -------------------------
 */
ThVar *matmul_make(Builder *b, ThVar *x, ThVar *y);  /* (.., m, k) and (.., k, n), both of 2 dimensions or more */
ThVar *matvec_make(Builder *b, ThVar *x, ThVar *v);  /* (.., m, k) and (.., k) */
ThVar *turned_make(Builder *b, ThVar *x);            /* (.., m, n) -> (.., n, m) */
ThVar *adjoint_make(Builder *b, ThVar *x);           /* the same, conjugated */
ThVar *diagonals_make(Builder *b, ThVar *x);         /* (.., m, n) -> (.., min(m, n)) */
ThVar *diagonal_matrices_make(Builder *b, ThVar *v); /* (.., n) -> (.., n, n), zeros elsewhere */
ThVar *merged_make(Builder *b, ThVar *x, int keep);  /* all dimensions but the last `keep` as one */
ThVar *with_axes_make(Builder *b, ThVar *x, int at, int n);    /* n broadcastable dimensions before dimension `at` */
ThVar *without_axes_make(Builder *b, ThVar *x, int at, int n); /* less such ones */

/* ---- rules of vmap (ops/modes) ----------------------------------------------------------------------------------- */
bool batch_dot(Batch *q);        /* Dot, Dot22 */
bool batch_dot_scaled(Batch *q); /* Dot22Scalar */
bool batch_gemm(Batch *q);       /* Gemm, Gemv, CGemv */
bool batch_ger(Batch *q);
bool batch_batched_dot(Batch *q);

#endif
