/*
 * grads.h -- gradients of the operations of linear algebra, as graphs of differentiable operations, and the pieces that
 * they share. Matrices are the last two dimensions. With G for the gradient of a cost C, dC = Re tr(G^H dX).
 */
#ifndef TH_LINALG_GRADS_H
#define TH_LINALG_GRADS_H

#include "ops/table/linalg.h"
#include "ops/table/linear.h"
#include "ops/table/shape.h"

/* ---- grad_factor.c ----------------------------------------------------------------------------------------------- */
void cholesky_grad(Grad *g);
void lu_grad(Grad *g);
void qr_grad(Grad *g);

/* ---- grad_spectral.c --------------------------------------------------------------------------------------------- */
void svd_grad(Grad *g);
void eig_grad(Grad *g);
void eigh_grad(Grad *g);
void eigvalsh_grad(Grad *g);

/* ---- grad_solve.c ------------------------------------------------------------------------------------------------ */
void solve_grad(Grad *g);
void triangular_grad(Grad *g);
void cholesky_solve_grad(Grad *g);
void lu_solve_grad(Grad *g);
void lstsq_grad(Grad *g);

/* ---- grad_inverse.c ---------------------------------------------------------------------------------------------- */
void inverse_grad(Grad *g);
void pinv_grad(Grad *g);
void det_grad(Grad *g);
void slogdet_grad(Grad *g);
void function_grad(Grad *g); /* Expm, Sqrtm, Logm */

/* ---- pieces.c ---------------------------------------------------------------------------------------------------- */
/* Elements on and below diagonal k (lower), or on and above it; zeros elsewhere. */
ThVar *band_make(Builder *b, ThVar *x, bool lower, int k);
/* The gradient for the triangle that is read, from the one for the whole (Hermitian or symmetric) matrix. */
ThVar *half_make(Builder *b, ThVar *g, bool lower, bool hermitian);
ThVar *rows_by_make(Builder *b, ThVar *x, ThVar *v);    /* diag(v) x */
ThVar *columns_by_make(Builder *b, ThVar *x, ThVar *v); /* x diag(v) */
/* Columns from..to - 1 of x; NULL: from the first, to the last. */
ThVar *columns_make(Builder *b, ThVar *x, ThVar *from, ThVar *to);
ThVar *rows_make(Builder *b, ThVar *x, ThVar *to); /* the first `to` of them */
ThVar *unit_make(Builder *b, ThVar *x);            /* the identity with as many rows as x has, of its dtype */
ThVar *reciprocal_make(Builder *b, ThVar *x);      /* 1 / x, and 0 where x is 0 */
/* Of A+ = y: what a gradient g for y is for A. */
ThVar *pinv_back_make(Builder *b, ThVar *a, ThVar *y, ThVar *g);
static inline ThVar *add_make(Builder *b, ThVar *x, ThVar *y) { return elemwise_2(b, S_add, x, y); }
static inline ThVar *sub_make(Builder *b, ThVar *x, ThVar *y) { return elemwise_2(b, S_sub, x, y); }
static inline ThVar *neg_make(Builder *b, ThVar *x) { return x ? elemwise_1(b, S_neg, x) : NULL; }
/* Sum of what there is; NULL: neither. */
static inline ThVar *both_make(Builder *b, ThVar *x, ThVar *y) { return x && y ? add_make(b, x, y) : x ? x : y; }
/* The gradient for input i: real where that is, summed where its batch was repeated. */
void linalg_set(Grad *g, int i, ThVar *v);

#endif
