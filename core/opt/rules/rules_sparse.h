/* rules_sparse.h -- parts of sparse matrices. */
/* clang-format off */
REWRITE(local_csm_properties_csm,  CANON|SPEC,        "CSMProperties", 2, rw_sparse_part)
REWRITE(local_csm_properties_csm,  CANON|SPEC,        "SparseWith",    2, rw_sparse_with)
REWRITE(local_csm_properties_csm,  CANON|SPEC,        "SparseWord",    2, rw_sparse_word)
/* clang-format on */
