/* rules_shape.h -- fills, allocations, shapes, views. */
/* clang-format off */
REWRITE(local_fill_sink,          CANON,              "Elemwise",   1, rw_fill_sink)
REWRITE(local_fill_to_alloc,      FILLALLOC|SPEC,     "second",     1, rw_fill_to_alloc)
REWRITE(local_elemwise_alloc,     FILLALLOC|SPEC,     "Elemwise",   1, rw_elemwise_alloc)
REWRITE(local_shape_to_shape_i,   CANON|SPEC,         "Shape",      1, rw_shape_to_shape_i)
REWRITE(local_track_shape_i,      CANON|SPEC,         "Shape_i",    1, rw_track_shape_i)
REWRITE(local_subtensor_make_vector, CANON|SPEC,      "Subtensor",  1, rw_subtensor_make_vector)
REWRITE(local_dimshuffle_lift,    CANON|SPEC|BLASV,   "DimShuffle", 2, rw_dimshuffle_lift)
RULE(local_tensor_scalar_tensor,  CANON|SPEC|FC,      "TensorFromScalar(ScalarFromTensor(x))", "x", "")
RULE(local_scalar_tensor_scalar,  CANON|SPEC|FC,      "ScalarFromTensor(TensorFromScalar(x))", "x", "")
