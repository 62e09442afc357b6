/*
 * factor_work.h -- linear algebra on batches of matrices as plain numbers: what the operations (core/ops/linalg) hand
 * to the library (core/runtime/factor) through HostServices.factor. Strides in bytes, of any sign; results are dense.
 *
 * Operands in their order, m x n the first matrix (n x n where it must be square), p the smaller of m and n:
 *   FACTOR_CHOLESKY    A; the triangular factor, zeros on its other side. Only the triangle `lower` of A is read
 *   FACTOR_LU          A; both factors in one, int32 positions p: row i was exchanged with row at[i]
 *   FACTOR_LU_SOLVE    LU, positions, B; X of op(A) X = B, op as `trans`
 *   FACTOR_TRIANGULAR  A, B; X of op(A) X = B, A triangular (`lower`; `unit`: ones on its diagonal, which is not read)
 *   FACTOR_CHO_SOLVE   a factor of Cholesky, B; X
 *   FACTOR_SOLVE       A, B; X of op(A) X = B, A as `assume` says (symmetric: the triangle `lower` is read)
 *   FACTOR_INVERSE     A; its inverse
 *   FACTOR_DET         A; determinant          FACTOR_SLOGDET  its sign, the logarithm of its modulus (real)
 *   FACTOR_PINV        A; n x m, by singular values above rcond times the largest (`hermitian`: by eigenvalues)
 *   FACTOR_QR          A; as `mode`: Q (m x p), R (p x n); Q (m x m), R (m x n); R (p x n); the reflectors turned (n x
 *                      m), their factors p
 *   FACTOR_SVD         A; singular values p, or U, these, V^H: m x p and p x n (`full`: m x m and n x n)
 *   FACTOR_EIG         A; eigenvalues n, or these and vectors n x n in columns; of the result's dtype, see
 * FACTOR_UNREAL FACTOR_EIGH        A; real eigenvalues n ascending, or these and vectors in columns. The triangle
 * `lower` is read FACTOR_EIGH_OF     A, B; eigenvalues of A v = w B v, B positive definite FACTOR_EXPM FACTOR_SQRTM
 * FACTOR_LOGM    A; the function of it FACTOR_LSTSQ       A, B (m x k); X (n x k), sums of squares k of what is left
 * (zeros unless m > n = rank), rank (0-d int64), singular values p
 */
#ifndef TH_FACTOR_WORK_H
#define TH_FACTOR_WORK_H

#include "base/base.h"

typedef enum {
    FACTOR_CHOLESKY,
    FACTOR_LU,
    FACTOR_LU_SOLVE,
    FACTOR_TRIANGULAR,
    FACTOR_CHO_SOLVE,
    FACTOR_SOLVE,
    FACTOR_INVERSE,
    FACTOR_DET,
    FACTOR_SLOGDET,
    FACTOR_PINV,
    FACTOR_QR,
    FACTOR_SVD,
    FACTOR_EIG,
    FACTOR_EIGH,
    FACTOR_EIGH_OF,
    FACTOR_EXPM,
    FACTOR_SQRTM,
    FACTOR_LOGM,
    FACTOR_LSTSQ,
    FACTOR_KINDS
} FactorKind;

enum { FACTOR_N, FACTOR_T, FACTOR_C }; /* trans: A itself, transposed, transposed and conjugated */
enum { FACTOR_GEN, FACTOR_SYM, FACTOR_HER, FACTOR_POS };
enum { FACTOR_REDUCED, FACTOR_COMPLETE, FACTOR_R, FACTOR_RAW };
enum { FACTOR_MOST = 6 };

typedef struct FactorOperand {
    char *at;
    int nbatch; /* dims before the matrix.. */
    const int64_t *len, *st;
    int64_t n[2], ms[2]; /* ..rows and columns of the matrix (a vector: rows alone; the other length is 1), strides */
} FactorOperand;

typedef struct FactorWork {
    FactorKind kind;
    ThDtype dtype;
    bool lower, unit, full, vectors, hermitian, complex; /* complex: so are the results of FACTOR_EIG */
    bool nan;                                            /* what fails becomes NaN, and no error */
    int8_t trans, assume, mode;
    double rcond; /* below 0: the dtype's epsilon; NaN: epsilon times the larger of m and n */
    int nin, nout;
    FactorOperand op[FACTOR_MOST]; /* inputs, then results */
} FactorWork;

#endif
