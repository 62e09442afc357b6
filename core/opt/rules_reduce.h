/* rules_reduce.h -- sums, products and the other reductions. */
/* clang-format off */
REWRITE(local_sum_prod_all_to_none,    CANON,      "Sum",  1, rw_reduce_all_to_none)
REWRITE(local_sum_prod_all_to_none,    CANON,      "Prod", 1, rw_reduce_all_to_none)
REWRITE(local_reduce_broadcastable,    CANON|SPEC, "Sum",  1, rw_reduce_broadcastable)
REWRITE(local_reduce_broadcastable,    CANON|SPEC, "Prod", 1, rw_reduce_broadcastable)
REWRITE(local_reduce_broadcastable,    CANON|SPEC, "Max",  1, rw_reduce_broadcastable)
REWRITE(local_reduce_broadcastable,    CANON|SPEC, "Min",  1, rw_reduce_broadcastable)
REWRITE(local_reduce_broadcastable,    CANON|SPEC, "All",  1, rw_reduce_broadcastable)
REWRITE(local_reduce_broadcastable,    CANON|SPEC, "Any",  1, rw_reduce_broadcastable)
REWRITE(local_sum_prod_mul_by_scalar,  SPEC,       "Sum",  2, rw_sum_mul_by_scalar)
