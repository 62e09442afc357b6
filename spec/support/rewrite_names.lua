--- The rewrites that Theano has for the operations that exist here: their names, and the phases they run in.
-- C canonicalize, T stabilize, Z specialize, U useless, N uncanonicalize, D specialize_device; or the position of their
-- own pass. Ours may run in more phases. `left` says why a name of Theano's list has no rewrite of its own.
-- @module spec.support.rewrite_names
local M = {}

M.phases = { C = "canonicalize", T = "stabilize", Z = "specialize", U = "useless", N = "uncanonicalize",
  D = "specialize_device" }

M.rules = {
  -- fills and allocations
  local_fill_sink = "C", local_fill_to_alloc = "Z", local_useless_fill = "CU", local_useless_alloc = "C",
  local_merge_alloc = "CTZU", local_alloc_unary = "Z", local_opt_alloc = "Z", local_useless_inc_subtensor_alloc = "Z",
  local_elemwise_alloc = "Z",
  -- sparse matrices
  local_csm_properties_csm = "Z", local_dense_from_sparse_sparse_from_dense = "CZ",
  -- views
  local_dimshuffle_lift = "CZ", local_lift_transpose_through_dot = "C", local_useless_dimshuffle_in_reshape = "C",
  local_reshape_chain = "C", local_useless_reshape = "CTU", local_reshape_to_dimshuffle = "C",
  local_reshape_lift = "CT", local_useless_rebroadcast = "CZ", local_rebroadcast_lift = "CZ",
  local_alloc_dimshuffle = "N", local_reshape_dimshuffle = "N", local_dimshuffle_alloc = "N",
  local_dimshuffle_subtensor = "N", local_tensor_scalar_tensor = "CZ", local_scalar_tensor_scalar = "CZ",
  local_shape_to_shape_i = "CZ", local_track_shape_i = "CZ", local_view_op = "C",
  -- algebra
  local_add_canonizer = "C", local_mul_canonizer = "C", local_neg_to_mul = "C", local_mul_specialize = "Z",
  local_add_specialize = "Z", local_pow_specialize = "Z", local_pow_specialize_device = "D", local_mul_to_sqr = "Z",
  local_div_to_inv = "Z", local_pow_canonicalize = "C", local_mul_zero = "C", local_intdiv_by_one = "C",
  local_zero_div = "CZ", local_neg_neg = "Z", local_neg_div_neg = "Z", local_elemwise_sub_zeros = "Z",
  local_func_inv = "CZ", local_exp_log = "CZ", local_cast_cast = "CZ", local_abs_lift = "C", local_abs_merge = "Z",
  local_greedy_distributor = "CT", local_upcast_elemwise_constant_inputs = "C", local_useless_elemwise = "CZU",
  local_useless_elemwise_comparison = "CTZU", local_expm1 = "CTZ", constant_folding = "CTZ",
  -- switches
  local_useless_switch = "CZU", local_mul_switch_sink = "CZ", local_div_switch_sink = "C",
  local_merge_switch_same_cond = "C",
  -- subscripts
  local_useless_slice = "CZ", local_useless_subtensor = "CZ", local_subtensor_lift = "C", local_subtensor_merge = "CZ",
  local_subtensor_of_alloc = "C", local_subtensor_of_dot = "C", local_subtensor_make_vector = "CZ",
  local_subtensor_inc_subtensor = "CZ", local_subtensor_remove_broadcastable_index = "CZ",
  local_useless_inc_subtensor = "CZ", local_set_to_inc_subtensor = "CZ", local_incsubtensor_of_zeros = "CZ",
  local_incsubtensor_of_zeros_to_setsubtensor = "Z", local_setsubtensor_of_constants = "CZ",
  local_adv_sub1_adv_inc_sub1 = "CZ", local_IncSubtensor_serialize = "pre_local_IncSubtensor_serialize",
  -- joins and reductions
  local_join_1 = "CZ", local_join_empty = "CZ", local_join_make_vector = "CZ", local_useless_split = "CZ",
  local_reduce_join = "CN", local_sum_prod_mul_by_scalar = "Z", local_sum_prod_div_dimshuffle = "CZ",
  local_sum_prod_all_to_none = "C", local_op_of_op = "C", local_useless_reduce = "CU",
  local_reduce_broadcastable = "CZ", local_sumsqr2dot = "CZ", local_max_and_argmax = "N", local_max_to_min = "N",
  -- stability
  local_log1p = "TZ", local_log_add = "TZ", local_log_sum_exp = "local_log_sum_exp", local_0_dot_x = "T",
  local_log_erfc = "TZ", local_grad_log_erfc_neg = "TZ", local_one_minus_erf = "CTZ", local_erf_minus_one = "CTZ",
  local_one_plus_erf = "CTZ",
  local_one_minus_erfc = "CTZ", local_erfc_minus_one = "CTZ", logsigm_to_softplus = "T", log1msigm_to_softplus = "T",
  log1pexp_to_softplus = "T", local_exp_over_1_plus_exp = "TZ", local_inv_1_plus_exp = "TZ",
  local_sigm_times_exp = "T", local_logsoftmax = "TZ", local_logsoftmax_grad = "TZ", softmax_simplifier = "Z",
  local_softmax_with_bias = "Z", local_advanced_indexing_crossentropy_onehot = "Z",
  local_advanced_indexing_crossentropy_onehot_grad = "Z", local_softmax_grad_to_crossentropy_with_softmax_grad = "Z",
  local_useless_crossentropy_softmax_1hot_with_bias_dx_alloc = "Z", local_argmax_pushdown = "Z",
  -- products
  local_dot_to_dot22 = "BlasOpt", local_dot22_to_dot22scalar = "blas_vectors", local_gemm_to_gemv = "blas_vectors",
  local_gemm_to_ger = "blas_vectors", local_dot22_to_ger_or_gemv = "blas_vectors",
  -- convolutions as they run
  local_abstractconv_gemm = "specialize_device", local_abstractconv_gradinputs_gemm = "specialize_device",
  local_abstractconv_gradweight_gemm = "specialize_device",
  inv_as_solve = "T",
  -- asserts, and what runs only where it is asked for
  local_remove_useless_assert = "CZ", local_remove_all_assert = "C", local_1msigmoid = "CT",
  local_hard_sigmoid = "N", local_ultra_fast_sigmoid = "N", alloc_empty_to_zeros = "alloc_empty_to_zeros",
}

--- Passes, at Theano's positions.
M.passes = { merge1 = 0, ShapeOpt = 0.1, useless = 0.6, ["merge1.1"] = 0.65, pre_local_IncSubtensor_serialize = 0.99,
  canonicalize = 1, ["merge1.2"] = 1.2, stabilize = 1.5, local_fill_to_alloc = 1.51, local_log_sum_exp = 1.6,
  BlasOpt = 1.7, GemmOptimizer = 1.71, specialize = 2, crossentropy_to_crossentropy_with_softmax = 2.01,
  uncanonicalize = 3, specialize_device = 48.6, merge2 = 49, elemwise_fusion = 49, alloc_empty_to_zeros = 49.3,
  InplaceBlasOpt = 70, inplace_elemwise_opt = 75, random_make_inplace = 99, merge3 = 100 }

--- Passes that are one function over the whole graph, and change it where they are run by name.
M.whole = { "merge1", "GemmOptimizer", "crossentropy_to_crossentropy_with_softmax", "add_mul_fusion", "elemwise_fusion",
  "linalg_factors", "attention",
  "local_elemwise_split", "inplace_subtensor", "InplaceBlasOpt", "inplace_elemwise_opt" }

M.left = {
  local_inv_canon = "inverses are quotients in local_mul_canonizer",
  local_useless_composite = "Composites are made last, with one output and only the inputs that they use",
  local_useless_tile = "tile is made of other operations",
  local_useless_topk = "one host call fills the outputs that are used",
  local_canonicalize_alloc = "an Alloc broadcasts its value itself; another name of local_useless_alloc",
  local_flatten_lift = "flatten is a Reshape: another name of local_reshape_lift",
  local_log_softmax = "the documentation's name of local_logsoftmax",
  local_sum_mul_by_scalar = "the documentation's name of local_sum_prod_mul_by_scalar",
  tag_solve_triangular = "local_solve_structure sees how a matrix is made",
  local_det_chol = "linalg_factors does, where the matrix is surely symmetric",
  local_log_pow = "log(x^a) is a log(x) only where x is positive",
  local_structured_dot = "no sparse matrices yet", local_usmm = "no sparse matrices yet",
  conv_gemm = "its members are rules: local_abstractconv_gemm and those of the gradients",
  conv_meta = "one way to run a convolution, chosen by shape when it runs",
}

--- What the tables hold: by rule the set of passes it is listed under, by pass its position.
-- @tparam function summary of a query
function M.present(summary)
  local rules, passes, pass = {}, {}, nil
  local query = "fast_run +unsafe +local_1msigmoid +local_hard_sigmoid +local_ultra_fast_sigmoid +alloc_empty_to_zeros"
  for line in summary(query):gmatch("[^\n]+") do
    local position, name = line:match("^ *(%d+%.%d+)  (%S+)")
    if name then
      pass, passes[name] = name, tonumber(position)
    else
      local rule = line:match("^ +(%S+)")
      rules[rule] = rules[rule] or {}
      rules[rule][pass] = true
    end
  end
  return rules, passes
end

return M
