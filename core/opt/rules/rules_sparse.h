/* rules_sparse.h -- sparse matrices. */
/* clang-format off */
REWRITE(local_csm_properties_csm,  CANON|SPEC,        "CSMProperties", 2, rw_sparse_part)
REWRITE(local_csm_properties_csm,  CANON|SPEC,        "SparseWith",    2, rw_sparse_with)
REWRITE(local_csm_properties_csm,  CANON|SPEC,        "SparseWord",    2, rw_sparse_word)
REWRITE(local_sparse_turned_twice, CANON|SPEC,        "Transpose",     2, rw_sparse_turned)
REWRITE(local_dense_from_sparse_sparse_from_dense, CANON|SPEC|FC, "DenseFromSparse", 4, rw_dense_from_sparse)
REWRITE(local_sparse_sum_values,   CANON|SPEC,        "SpSum",         2, rw_sparse_total)
REWRITE(local_sparse_take_lift,    CANON|SPEC,        "SparseTake",    2, rw_sparse_take)
/* clang-format on */
