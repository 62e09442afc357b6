/*
 * table_linalg.h -- the public functions of linear algebra: lines of the function table (see table.h for the columns).
 * Matrices are the last two dimensions; those before them are many matrices.
 */
#ifndef TH_FRONT_LINALG_H
#define TH_FRONT_LINALG_H

/* clang-format off */
/* linear.c */
#define FRONT_LINEAR(FRONT) \
    FRONT("batched_dot", "a, b", NULL, FUNC, front_batched_dot, "dot of a[i] and b[i] for each i") \
    FRONT("batched_tensordot", "x, y, axes=2", NULL, FUNC, front_batched_tensordot, "tensordot of x[i] and y[i] for each i; listed axes count the first one") \
    FRONT("matmul", "a, b", NULL, FUNC, front_matmul, "matrix products over the last two dimensions; those before them are broadcast, a vector is a row or a column") \
    FRONT("nlinalg.matrix_dot", "*args", NULL, FUNC, front_matrix_dot, "product of several matrices, from left to right") \
    FRONT("nlinalg.multi_dot", "*arrays", NULL, FUNC, front_multi_dot, "product of several matrices in the order that needs the fewest multiplications; the first and the last may be vectors") \
    FRONT("nlinalg.matrix_power", "M, n", NULL, FUNC, front_matrix_power, "square matrix M multiplied n times; of the inverse where n is negative") \
    FRONT("slinalg.kron", "a, b", NULL, FUNC, front_kron, "Kronecker product, as scipy.linalg.kron; of more than two dimensions the first two are merged") \
    FRONT("slinalg.block_diag", "*arrs", NULL, FUNC, front_block_diag, "matrices along the diagonal of one that has zeros elsewhere; a vector is a row") \
    FRONT("nlinalg.tensorinv", "a, ind=2", NULL, FUNC, front_tensorinv, "inverse of the map that tensordot with a is: its first ind dimensions against the others") \
    FRONT("nlinalg.tensorsolve", "a, b, axes=None", NULL, FUNC, front_tensorsolve, "x with tensordot(a, x, x.ndim) = b; axes of a come last before")

/* norm.c */
#define FRONT_NORM(FRONT) \
    FRONT("nlinalg.norm", "x, ord=None, axis=None, keepdims=False", NULL, FUNC, front_matrix_norm, \
      "norm of a vector or a matrix: ord None, a number, \"inf\", \"-inf\", of matrices \"fro\", \"nuc\", 1, -1, 2, -2 too; axis: one of vectors, two of matrices") \
    FRONT("nlinalg.cond", "x, p=None", NULL, FUNC, front_cond, "condition number: norm(x, p) * norm(inverse, p); p None: by singular values") \
    FRONT("nlinalg.matrix_rank", "A, tol=None, hermitian=False, rtol=None", NULL, FUNC, front_matrix_rank, "number of singular values above tol (None: the largest times rtol, or times max(m, n) times epsilon)")

/* linalg.c */
#define FRONT_FACTORS(FRONT) \
    FRONT("slinalg.cholesky", "x, lower=True, on_error=\"raise\"", NULL, FUNC, front_cholesky, \
      "triangular factor of a positive definite matrix, of which one triangle is read; on_error \"nan\": NaN where it is not positive definite") \
    FRONT("slinalg.lu", "a, permute_l=False", NULL, FUNC, front_lu, "p, l, u with a = p l u: p a permutation, l with ones on its diagonal; or p l and u") \
    FRONT("slinalg.lu_factor", "a", NULL, FUNC, front_lu_factor, "l and u in one matrix, and with which row each was exchanged") \
    FRONT("nlinalg.qr", "a, mode=\"reduced\"", NULL, FUNC, front_qr, "q, r with a = q r; mode \"reduced\", \"complete\", \"r\" (r alone) or \"raw\"") \
    FRONT("nlinalg.svd", "a, full_matrices=True, compute_uv=True", NULL, FUNC, front_svd, "u, s, vt with a = u diag(s) vt; without compute_uv s alone, descending") \
    FRONT("nlinalg.eig", "x, complex=False", NULL, FUNC, front_eig, "eigenvalues and right eigenvectors (columns) of x's dtype; LinAlgError where those of a real matrix are not real, unless complex") \
    FRONT("nlinalg.eigvals", "x, complex=False", NULL, FUNC, front_eig, "eigenvalues of x's dtype; complex: complex ones of real matrices too") \
    FRONT("nlinalg.eigh", "x, UPLO=\"L\"", NULL, FUNC, front_eigh, "real eigenvalues, ascending, and eigenvectors (columns) of a Hermitian matrix, of which one triangle is read") \
    FRONT("nlinalg.eigvalsh", "x, UPLO=\"L\"", NULL, FUNC, front_eigh, "real eigenvalues of a Hermitian matrix, ascending") \
    FRONT("slinalg.eigvalsh", "a, b=None, lower=True", NULL, FUNC, front_eigvalsh, "eigenvalues w of a v = w b v, a Hermitian and b positive definite (None: the identity)")
#define FRONT_HINTS(FRONT) \
    FRONT("slinalg.hint", "x, psd=False, symmetric=False, lower_triangular=False, upper_triangular=False", NULL, FUNC, front_hint, \
      "x, of which rewrites may take for granted that it is positive definite, symmetric or triangular; nothing is checked")
#define FRONT_SOLVES(FRONT) \
    FRONT("slinalg.solve", "a, b, assume_a=\"gen\", lower=False, trans=0, on_error=\"raise\"", NULL, FUNC, front_solve, \
      "x with a x = b; assume_a \"gen\", \"sym\", \"her\", \"pos\" (one triangle is read), \"lower triangular\", \"upper triangular\"; trans 1: a transposed, 2: conjugated too") \
    FRONT("slinalg.solve_symmetric", "a, b, lower=False, on_error=\"raise\"", NULL, FUNC, front_solve, "x with a x = b, a symmetric: one triangle is read") \
    FRONT("slinalg.solve_triangular", "a, b, trans=0, lower=False, unit_diagonal=False, on_error=\"raise\"", NULL, FUNC, front_solve_triangular, \
      "x with a x = b, a triangular") \
    FRONT("slinalg.solve_lower_triangular", "a, b, trans=0, unit_diagonal=False, on_error=\"raise\"", NULL, FUNC, front_solve_triangular, \
      "x with a x = b, of a the lower triangle") \
    FRONT("slinalg.solve_upper_triangular", "a, b, trans=0, unit_diagonal=False, on_error=\"raise\"", NULL, FUNC, front_solve_triangular, \
      "x with a x = b, of a the upper triangle") \
    FRONT("slinalg.cho_solve", "c, b, lower=True", NULL, FUNC, front_cho_solve, "x with a x = b, c being the factor of a by cholesky, or {c, lower}") \
    FRONT("slinalg.lu_solve", "lu, piv, b, trans=0", NULL, FUNC, front_lu_solve, "x with a x = b, lu and piv being the results of lu_factor(a)") \
    FRONT("nlinalg.lstsq", "x, y, rcond=None", NULL, FUNC, front_lstsq, \
      "z for which x z is nearest to y, what is left, squared and summed (zeros unless the rank is full and x has more rows than columns), rank, singular values") \
    FRONT("nlinalg.matrix_inverse", "x, on_error=\"raise\"", NULL, FUNC, front_inverse, "inverse of a square matrix; LinAlgError where it is singular, or NaN") \
    FRONT("nlinalg.inv", "x, on_error=\"raise\"", NULL, FUNC, front_inverse, "inverse of a square matrix; LinAlgError where it is singular, or NaN") \
    FRONT("nlinalg.pinv", "x, rcond=1e-15, hermitian=False", NULL, FUNC, front_pinv, "pseudo-inverse of a matrix: singular values up to rcond times the largest count as 0") \
    FRONT("nlinalg.det", "x", NULL, FUNC, front_det, "determinant") \
    FRONT("nlinalg.slogdet", "x", NULL, FUNC, front_slogdet, "sign of the determinant, and the logarithm of its modulus") \
    FRONT("nlinalg.logdet", "x", NULL, FUNC, front_slogdet, "logarithm of the modulus of the determinant") \
    FRONT("slinalg.expm", "A", NULL, FUNC, front_matrix_function, "exponential of a matrix") \
    FRONT("slinalg.sqrtm", "A", NULL, FUNC, front_matrix_function, "principal square root of a matrix, of its dtype") \
    FRONT("slinalg.logm", "A", NULL, FUNC, front_matrix_function, "principal logarithm of a matrix, of its dtype")
/* clang-format on */

#define FRONT_LINALG(FRONT) \
    FRONT_LINEAR(FRONT) FRONT_NORM(FRONT) FRONT_FACTORS(FRONT) FRONT_HINTS(FRONT) FRONT_SOLVES(FRONT)

#endif
