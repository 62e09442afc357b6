/* rules_subtensor.h -- subscripts and increments. */
/* clang-format off */
REWRITE(local_IncSubtensor_serialize, SERIALIZE,      "add",          3, rw_inc_subtensor_serialize)
REWRITE(local_useless_slice,       CANON|SPEC,        "Subtensor",    1, rw_useless_slice)
REWRITE(local_useless_subtensor,   CANON|SPEC,        "Subtensor",    1, rw_useless_subtensor)
REWRITE(local_subtensor_merge,     CANON|SPEC,        "Subtensor",    2, rw_subtensor_merge)
REWRITE(local_subtensor_of_alloc,  CANON,             "Subtensor",    2, rw_subtensor_of_alloc)
REWRITE(local_subtensor_of_dot,    CANON,             "Subtensor",    2, rw_subtensor_of_dot)
REWRITE(local_subtensor_inc_subtensor, CANON|SPEC,    "Subtensor",    2, rw_subtensor_inc_subtensor)
REWRITE(local_useless_inc_subtensor, CANON|SPEC,      "IncSubtensor", 1, rw_useless_inc_subtensor)
REWRITE(local_setsubtensor_of_constants, CANON|STAB|SPEC, "IncSubtensor", 2, rw_setsubtensor_of_constants)
REWRITE(local_incsubtensor_of_zeros_to_setsubtensor, SPEC, "IncSubtensor", 2, rw_incsubtensor_of_zeros)
REWRITE(local_subtensor_remove_broadcastable_index, CANON|SPEC, "Subtensor", 1, rw_subtensor_remove_broadcastable_index)
REWRITE(local_set_to_inc_subtensor, CANON|SPEC,       "IncSubtensor", 2, rw_set_to_inc_subtensor)
