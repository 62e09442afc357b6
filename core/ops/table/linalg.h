/*
 * linalg.h -- what ops/linalg gives to others: operations on the last two dimensions of their operands, those before
 * being a batch. Builders put operands of lower rank beside the others (a batch of length 1) and bring them to one
 * float or complex dtype; NULL (error set) when the operands do not fit, and NULL given NULL. A right side is a matrix:
 * put a dimension behind a vector.
 */
#ifndef TH_TABLE_LINALG_H
#define TH_TABLE_LINALG_H

#include "ops.h"
#include "kernel/factor_work.h"

typedef struct LinalgAttrs { /* each operation has some of these */
    uint8_t lower, unit, full, vectors, hermitian, complex;
    uint8_t nan;                /* what fails becomes NaN; else LinAlgError */
    int8_t trans, assume, mode; /* of factor_work.h */
    double rcond;
} LinalgAttrs;

/* ---- factors ----------------------------------------------------------------------------------------------------- */
ThVar *cholesky_make(Builder *b, ThVar *x, bool lower, bool nan); /* the triangle `lower` of x is read */
ThApply *lu_make(Builder *b, ThVar *x);                           /* LU (m, n), int32 positions (min(m, n)) */
ThApply *qr_make(Builder *b, ThVar *x, int mode);                 /* FACTOR_REDUCED ..: q, r; FACTOR_R: r alone */
ThApply *svd_make(Builder *b, ThVar *x, bool full, bool vectors); /* u, s, vt; or s alone */
/* w, v; or w alone. complex: the results are; else those of x's dtype, and LinAlgError where they are not real. */
ThApply *eig_make(Builder *b, ThVar *x, bool complex, bool vectors);
ThApply *eigh_make(Builder *b, ThVar *x, bool lower, bool vectors); /* w (real, ascending), v; or w alone */
ThVar *eigvalsh_make(Builder *b, ThVar *x, ThVar *y, bool lower);   /* w of x v = w y v, y positive; y may be NULL */

/* ---- what uses them ---------------------------------------------------------------------------------------------- */
/* op(x) z = y, trans and assume as in factor_work.h */
ThVar *solve_make(Builder *b, ThVar *x, ThVar *y, const LinalgAttrs *at);            /* assume, lower, trans, nan */
ThVar *solve_triangular_make(Builder *b, ThVar *x, ThVar *y, const LinalgAttrs *at); /* lower, trans, unit, nan */
ThVar *cholesky_solve_make(Builder *b, ThVar *l, ThVar *y, bool lower);              /* l: from cholesky */
ThVar *lu_solve_make(Builder *b, ThVar *lu, ThVar *at, ThVar *y, int trans, bool nan);
ThVar *matrix_inverse_make(Builder *b, ThVar *x, bool nan);
ThVar *det_make(Builder *b, ThVar *x);
ThApply *slogdet_make(Builder *b, ThVar *x); /* sign, logarithm of the modulus (real) */
ThVar *pinv_make(Builder *b, ThVar *x, double rcond, bool hermitian);
/* x (m, n), y (m, k), rcond 0-d (below 0: epsilon; NaN: epsilon max(m, n)): solution (n, k), what is left (k; zeros
 * unless m > n = rank), rank (int64), singular values */
ThApply *lstsq_make(Builder *b, ThVar *x, ThVar *y, ThVar *rcond);

/* ---- functions of matrices --------------------------------------------------------------------------------------- */
ThVar *expm_make(Builder *b, ThVar *x);
ThVar *sqrtm_make(Builder *b, ThVar *x); /* of x's dtype: LinAlgError where a real matrix has no real root (cast it) */
ThVar *logm_make(Builder *b, ThVar *x);

/* ---- what is known ----------------------------------------------------------------------------------------------- */
typedef struct HintAttrs {
    uint8_t psd, symmetric, lower, upper;
} HintAttrs;
ThVar *hint_make(Builder *b, ThVar *x, const HintAttrs *at);

/* Operands brought to one float or complex dtype and to one number of dimensions before the last two. */
bool linalg_settle(Builder *b, ThVar **v, int n);
ThDtype linalg_real(ThDtype d);    /* of the modulus: float32 of complex64 */
ThDtype linalg_complex(ThDtype d); /* complex64 of float32 */

#endif
