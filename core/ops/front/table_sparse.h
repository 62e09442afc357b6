/* table_sparse.h -- lines of the function table (see table.h) for sparse matrices. */
#ifndef TH_FRONT_SPARSE_H
#define TH_FRONT_SPARSE_H

/* clang-format off */
#define FRONT_SPARSE_ZERO(FRONT, name, text) \
    FRONT("sparse." name, "x", NULL, FUNC, front_sparse_unary, text " of the stored values")
#define FRONT_SPARSE_COMPARE(FRONT, name, text) \
    FRONT("sparse." name, "x, y", NULL, FUNC, front_sparse_compare, text ", as uint8: sparse for two sparse matrices, dense beside a dense one")

/* sparse.c */
#define FRONT_SPARSE_PARTS(FRONT) \
    FRONT("sparse.CSR", "data, indices, indptr, shape", NULL, FUNC, front_csm, "sparse matrix by rows from its values, column numbers, row pointers and shape") \
    FRONT("sparse.CSC", "data, indices, indptr, shape", NULL, FUNC, front_csm, "sparse matrix by columns from its values, row numbers, column pointers and shape") \
    FRONT("sparse.csm_properties", "csm", NULL, FUNC, front_csm_properties, "data, indices, indptr and shape of a sparse matrix, as four results") \
    FRONT("sparse.csm_data", "csm", NULL, FUNC, front_csm_part, "the stored values") \
    FRONT("sparse.csm_indices", "csm", NULL, FUNC, front_csm_part, "column (CSR) or row (CSC) of each stored value") \
    FRONT("sparse.csm_indptr", "csm", NULL, FUNC, front_csm_part, "where each row (CSR) or column (CSC) begins among the stored values, and the end") \
    FRONT("sparse.csm_shape", "csm", NULL, FUNC, front_csm_part, "rows and columns, int32") \
    FRONT("sparse.shape", "x", NULL, FUNC, front_csm_part, "rows and columns, int64") \
    FRONT("sparse.size", "x", NULL, FUNC, front_csm_part, "how many values are stored") \
    FRONT("sparse.with_data", "x, data", NULL, FUNC, front_sparse_with, "x with other stored values") \
    FRONT("sparse.from_triplets", "data, row, col, shape, format=\"csr\"", NULL, FUNC, front_triplets, "sparse matrix with data[k] at row[k], col[k]; what stands at one place is added") \
    FRONT("sparse.construct_sparse_from_list", "x, values, node_list", NULL, FUNC, front_rows_of, "sparse matrix of x's shape whose rows node_list are the rows of values; rows that stand twice are added") \
    FRONT("sparse.sp_ones_like", "x", NULL, FUNC, front_sparse_like, "x with ones as stored values") \
    FRONT("sparse.sp_zeros_like", "x", NULL, FUNC, front_sparse_like, "x with zeros as stored values") \
    FRONT("sparse.dense_from_sparse", "x, structured=True", NULL, FUNC, front_dense_from_sparse, "x as a dense matrix; its gradient is taken at stored values only unless structured is false") \
    FRONT("sparse.csr_from_dense", "x", NULL, FUNC, front_from_dense, "what is not zero of a matrix, by rows") \
    FRONT("sparse.csc_from_dense", "x", NULL, FUNC, front_from_dense, "what is not zero of a matrix, by columns") \
    FRONT("sparse.tocsr", "x", NULL, FUNC, front_sparse_format, "x by rows") \
    FRONT("sparse.tocsc", "x", NULL, FUNC, front_sparse_format, "x by columns") \
    FRONT("sparse.cast", "variable, dtype", NULL, FUNC, front_sparse_cast, "x with values of another dtype") \
    FRONT("sparse.astype", "variable, dtype", NULL, FUNC, front_sparse_cast, "x with values of another dtype") \
    FRONT("sparse.transpose", "x, *axes", NULL, FUNC, front_sparse_transpose, "the transpose in the other format: nothing is copied") \
    FRONT("sparse.ensure_sorted_indices", "x", NULL, FUNC, front_sparse_tidy, "x with ascending indices in each row (CSR) or column (CSC)") \
    FRONT("sparse.sum_duplicates", "x", NULL, FUNC, front_sparse_tidy, "the same with values of one place added") \
    FRONT("sparse.remove0", "x", NULL, FUNC, front_sparse_tidy, "x without stored zeros") \
    FRONT("sparse.clean", "x", NULL, FUNC, front_sparse_tidy, "x without stored zeros, with ascending indices")

#define FRONT_SPARSE_VALUES(FRONT) \
    FRONT("sparse.neg", "x", NULL, FUNC, front_sparse_unary, "x with the opposite values") \
    FRONT("sparse.add", "*args", NULL, FUNC, front_sparse_arith, "sum: sparse for sparse matrices, dense beside a dense one") \
    FRONT("sparse.sub", "x, y", NULL, FUNC, front_sparse_arith, "difference: sparse for two sparse matrices, dense beside a dense one") \
    FRONT("sparse.mul", "*args", NULL, FUNC, front_sparse_arith, "elementwise product, sparse; the other factor may be a matrix or a scalar") \
    FRONT("sparse.true_div", "x, y", NULL, FUNC, front_sparse_arith, "stored values of x divided by a scalar or by a dense matrix there") \
    FRONT("sparse.mul_s_v", "x, y", NULL, FUNC, front_sparse_vector, "x with each column multiplied by an element of the vector y") \
    FRONT("sparse.structured_add_s_v", "x, y", NULL, FUNC, front_sparse_vector, "stored values of x plus the element of the vector y of their column") \
    FRONT("sparse.row_scale", "x, s", NULL, FUNC, front_sparse_vector, "x with each row multiplied by an element of the vector s") \
    FRONT("sparse.col_scale", "x, s", NULL, FUNC, front_sparse_vector, "x with each column multiplied by an element of the vector s") \
    FRONT("sparse.sp_sum", "x, axis=None, sparse_grad=False", NULL, FUNC, front_sp_sum, "dense sum over all, of columns (axis 0) or of rows (axis 1); sparse_grad: its gradient at stored values only") \
    FRONT("sparse.sum", "x, axis=None, sparse_grad=False", NULL, FUNC, front_sp_sum, "sp_sum, as a method of sparse variables") \
    FRONT("sparse.diag", "x", NULL, FUNC, front_sparse_diag, "diagonal of a square sparse matrix, dense") \
    FRONT("sparse.square_diagonal", "diag", NULL, FUNC, front_sparse_diag, "square sparse matrix (CSC) with the given diagonal") \
    FRONT("sparse.structured_sigmoid", "x", NULL, FUNC, front_sparse_unary, "sigmoid of the stored values") \
    FRONT("sparse.structured_exp", "x", NULL, FUNC, front_sparse_unary, "exp of the stored values") \
    FRONT("sparse.structured_log", "x", NULL, FUNC, front_sparse_unary, "log of the stored values") \
    FRONT("sparse.structured_pow", "x, y", NULL, FUNC, front_sparse_unary, "stored values to the power y, a scalar") \
    FRONT("sparse.structured_minimum", "x, y", NULL, FUNC, front_sparse_unary, "smaller of the stored values and y, a scalar") \
    FRONT("sparse.structured_maximum", "x, y", NULL, FUNC, front_sparse_unary, "larger of the stored values and y, a scalar") \
    FRONT("sparse.structured_add", "x, y", NULL, FUNC, front_sparse_unary, "stored values plus y, a scalar") \
    FRONT_SPARSE_ZERO(FRONT, "sin", "sine") \
    FRONT_SPARSE_ZERO(FRONT, "tan", "tangent") \
    FRONT_SPARSE_ZERO(FRONT, "arcsin", "inverse sine") \
    FRONT_SPARSE_ZERO(FRONT, "arctan", "inverse tangent") \
    FRONT_SPARSE_ZERO(FRONT, "sinh", "hyperbolic sine") \
    FRONT_SPARSE_ZERO(FRONT, "arcsinh", "inverse hyperbolic sine") \
    FRONT_SPARSE_ZERO(FRONT, "tanh", "hyperbolic tangent") \
    FRONT_SPARSE_ZERO(FRONT, "arctanh", "inverse hyperbolic tangent") \
    FRONT_SPARSE_ZERO(FRONT, "rint", "nearest integral value") \
    FRONT_SPARSE_ZERO(FRONT, "sgn", "sign") \
    FRONT_SPARSE_ZERO(FRONT, "ceil", "next larger integral value") \
    FRONT_SPARSE_ZERO(FRONT, "floor", "next smaller integral value") \
    FRONT_SPARSE_ZERO(FRONT, "log1p", "log(1 + x)") \
    FRONT_SPARSE_ZERO(FRONT, "expm1", "exp(x) - 1") \
    FRONT_SPARSE_ZERO(FRONT, "deg2rad", "radians") \
    FRONT_SPARSE_ZERO(FRONT, "rad2deg", "degrees") \
    FRONT_SPARSE_ZERO(FRONT, "trunc", "integral part") \
    FRONT_SPARSE_ZERO(FRONT, "sqr", "square") \
    FRONT_SPARSE_ZERO(FRONT, "sqrt", "square root") \
    FRONT_SPARSE_ZERO(FRONT, "abs_", "absolute value") \
    FRONT_SPARSE_ZERO(FRONT, "abs", "absolute value") \
    FRONT_SPARSE_ZERO(FRONT, "conj", "complex conjugate") \
    FRONT_SPARSE_COMPARE(FRONT, "eq", "x == y") \
    FRONT_SPARSE_COMPARE(FRONT, "neq", "x != y") \
    FRONT_SPARSE_COMPARE(FRONT, "lt", "x < y") \
    FRONT_SPARSE_COMPARE(FRONT, "le", "x <= y") \
    FRONT_SPARSE_COMPARE(FRONT, "gt", "x > y") \
    FRONT_SPARSE_COMPARE(FRONT, "ge", "x >= y")

#define FRONT_SPARSE_PRODUCTS(FRONT) \
    FRONT("sparse.dot", "x, y", NULL, FUNC, front_sparse_dot, "product of matrices of which at least one is sparse, dense") \
    FRONT("sparse.structured_dot", "x, y", NULL, FUNC, front_sparse_dot, "dot whose gradient for the sparse factor is taken at its stored values only") \
    FRONT("sparse.true_dot", "x, y, grad_preserves_dense=True", NULL, FUNC, front_sparse_dot, "product as a sparse matrix") \
    FRONT("sparse.sampling_dot", "x, y, p", NULL, FUNC, front_sampling_dot, "dot(x, y.T) * p for a sparse p: only its places are computed") \
    FRONT("sparse.usmm", "alpha, x, y, z", NULL, FUNC, front_usmm, "alpha * dot(x, y) + z, dense") \
    FRONT("sparse.hstack", "blocks, format=None, dtype=None", NULL, FUNC, front_sparse_stack, "sparse matrices side by side; format \"csc\" unless it is given") \
    FRONT("sparse.vstack", "blocks, format=None, dtype=None", NULL, FUNC, front_sparse_stack, "sparse matrices one below the other; format \"csc\" unless it is given") \
    FRONT("sparse.get_item_2d", "x, index", NULL, FUNC, front_sparse_sub, "rows and columns by slices, sparse") \
    FRONT("sparse.get_item_scalar", "x, index", NULL, FUNC, front_sparse_sub, "one element") \
    FRONT("sparse.get_item_list", "x, index", NULL, FUNC, front_sparse_list, "rows by number, sparse") \
    FRONT("sparse.get_item_2lists", "x, ind1, ind2", NULL, FUNC, front_sparse_lists, "vector of the elements at rows ind1 and columns ind2") \
    FRONT("sparse.subtensor", "x, index", NULL, FUNC, front_sparse_sub, "x[index]: an element, a part, rows by number, or elements")
/* clang-format on */

#define FRONT_SPARSE(FRONT) FRONT_SPARSE_PARTS(FRONT) FRONT_SPARSE_VALUES(FRONT) FRONT_SPARSE_PRODUCTS(FRONT)

#endif
