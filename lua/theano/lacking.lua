--- What Theano 1.0.5 has by name and this version has not, and why: for errors, `theano.help` and docs/lacking.md
-- (`scripts/make-lacking`). A family is its reason and the names in it, or patterns for them ("^%u").
-- @module theano.lacking
local FAMILIES = {
  { "Everything is one linker: `Mode{linker = \"c\"}` or `\"interpreter\"`, and a function says by "
      .. "`theano.printing.plan` how it runs.",
    [[
      CLinker Container DualLinker Linker LocalLinker OpWiseCLinker OpenMPOp PerformLinker WrapLinker WrapLinkerMany
      register_linker HideC link vm lazylinker_c callcache cc cmodule compiledir compilelock cutils sched]] },
  { "Operations in C are hosts' (`th_op_define`, docs/own-operations.md); there is no C text for an operation's "
      .. "class.",
    [[
      COp CEnumType EnumList EnumType Params ParamsType c_code blas_headers elemwise_cgen inc_code
      register_deep_copy_op_c_code register_rebroadcast_c_code register_shape_c_code register_shape_i_c_code
      register_specify_shape_c_code register_view_op_c_code hashtype]] },
  { "There is one way to a GPU, `device=cuda` (docs/cuda.md), and arrays of it are arrays.",
    [[gpuarray register_transfer]] },
  { "Drawings are `theano.printing.pydotprint` and, for a browser, `theano.printing.htmlprint`.",
    [[d3viz]] },
  { "Messages among processes are `theano.mpi`'s.",
    [[
      MPIRecv MPIRecvWait MPISend MPISendWait irecv isend recv send comm mpi_cmps mpi_enabled mpi_keys
      mpi_send_wait_cmp mpi_send_wait_key mpi_tag_cmp mpi_tag_key io]] },
  { "Files are read by `nd.load`, maps of them by `nd.load(path, {mmap = \"r\"})`.",
    [[LoadFromDisk]] },
  { "There is no BSR; `csc_dmatrix` and its like are `theano.sparse.csc_matrix(name, {dtype = })`.",
    [[bsr_dmatrix bsr_fmatrix bsr_matrix csc_dmatrix csc_fmatrix csr_dmatrix csr_fmatrix sparse_formats]] },
  { "Sparse operations are functions of `theano.sparse` for both formats (`add`, `mul`, `eq`, `dot`, `usmm`).",
    [[
      add_s_d add_s_s add_s_s_data mul_s_d mul_s_s equal_s_d equal_s_s not_equal_s_d not_equal_s_s greater_equal_s_d
      greater_equal_s_s greater_than_s_d greater_than_s_s less_equal_s_d less_equal_s_s less_than_s_d less_than_s_s
      csm_grad get_item_2lists_grad get_item_list_grad sdg_csc sdg_csr structured_dot_grad structured_monoid
      hash_from_sparse as_sparse_or_tensor_variable imported_scipy scipy_ver enable_sparse sparse_module_ref]] },
  { "Casts are `theano.sparse.cast(x, dtype)`.",
    [[bcast ccast dcast fcast icast lcast wcast zcast]] },
  { "Lists of dtypes: a dtype is a text, and `x.type` knows what it is.",
    [[
      complex_matrix_types complex_scalar_types complex_types complex_vector_types float_matrix_types
      float_scalar_types float_types float_vector_types int_matrix_types int_scalar_types int_types int_vector_types
      int32_t float16_atol float16_rtol float32_atol float32_rtol float64_atol float64_rtol]] },
  { "A rewrite's database is `theano.compile.optdb` and its queries (docs/rewrites.md).",
    [[
      DB EquilibriumDB LocalGroupDB ProxyDB SequenceDB AddDestroyHandler AddFeatureOptimizer Supervisor
      PrintCurrentFunctionGraph FAST_COMPILE FAST_RUN OPT_FAST_COMPILE OPT_FAST_RUN OPT_FAST_RUN_STABLE OPT_MERGE
      OPT_NONE OPT_O2 OPT_O3 OPT_STABILIZE OPT_UNSAFE exclude local_useless instantiated_default_mode
      graph_merge_softmax_with_crossentropy_softmax crossentropy_to_crossentropy_with_softmax softmax_simplifier
      crossentropy_to_crossentropy_with_softmax_with_bias opt_uncanonicalize]] },
  { "Names of error kinds stand in the message (`ValueError: ..`, docs/errors.md): pcall, then look at its "
      .. "text.",
    [[%u%w*Error UnusedInputError GradientError MethodNotDefined MissingInputError]] },
  { "A graph is looked at through its nodes (`x.owner`, `node.inputs`, `theano.gof.graph`), copied by "
      .. "`theano.clone`.",
    [[
      Variable Constant Type Generic generic SymbolicInput SymbolicOutput Param SharedVariable Container FunctionMaker
      Function TensorVariable TensorConstant TensorConstantSignature SparseVariable SparseConstant
      SparseConstantSignature Tensor NullType object2 function_dump NoneConst NoneTypeT none_type_t
      get_scalar_constant_value_elemwises as_int_none_variable constructor constant_cache make_constant
      shared_constructor sharedvar sharedvalue type type_other null_type params_type unify utils view_roots]] },
  { "Parts that compiling is made of, in Theano; here it is C.",
    [[
      AliasedMemoryError DUPLICATE NODEFAULT alias_root builders check_equal convert_function_input deep_copy_op
      fgraph_updated_vars function_module get_info_on_inputs infer_reuse_pattern inline_ofg_expansion insert_deepcopy
      ops_with_inner_function orig_function pfunc profiling rebuild_collect_shared
      register_checker std_fgraph view_op view_tree_set ProfileStats ScanProfileStats FromFunctionOp
      DeepCopyOp ViewOp]] },
  { "Python's debugger: `theano.printing.Print(message, {global_fn = function(op, v) debug.debug() end})(x)` stops "
      .. "where x is computed; a condition is an `if` in that function.",
    [[PdbBreakpoint]] },
  { "What one text prints another way: `theano.pp`, `theano.printing.debugprint`.",
    [[
      pprint PPrinter DefaultPrinter FunctionPrinter IgnorePrinter LeafPrinter OperatorPrinter PatternPrinter
      PrinterState VALID_ASSOC SubtensorPrinter default_colorCodes default_printer greek leaf_printer
      position_independent_str pydot_imported pydot_imported_msg use_ascii]] },
  { "Python's own, or of its packaging: logging, configuration, tests, versions.",
    [[
      compat configdefaults configparser disable_log_handler has_handlers logging_default_formatter
      logging_default_handler theano_logger misc pathparse raise_op rpath test theano utils version change_flags
      InconsistencyError python_all python_any python_complex Iterable key_to_cmp setdefault op]] },
  { "Subscripts are written as subscripts: `x[\"1:\"]`, `x[i]`, `T.set_subtensor`, `T.inc_subtensor`.",
    [[
      adv_index_broadcastable_pattern advanced_boolean_inc_subtensor advanced_boolean_set_subtensor
      advanced_boolean_subtensor advanced_inc_subtensor advanced_inc_subtensor1 advanced_set_subtensor
      advanced_set_subtensor1 advanced_subtensor advanced_subtensor1 as_index_variable get_canonical_form_slice
      get_idx_list make_slice slicetype check_advanced_indexing_dimensions check_and_normalize_axes
      check_and_reject_bool join_ isinf_ isnan_ scalar_from_tensor tensor_from_scalar alloc_validate_shape
      numpy_scalar numpy_diagonal_return_view check_equal_numpy Default]] },
  { "Gradients that are none: a function of an own operation gives `nil` or raises (docs/own-operations.md).",
    [[
      consider_constant_ disconnected_grad_ disconnected_type undefined_grad_ zero_grad_ numeric_grad format_as
      get_debug_values mode_not_slow grad_time]] },
  { "Steps of softmax and cross-entropy are rewritten to by the compiler; `T.nnet.softmax` and the cross- "
      .. "entropies are what a program calls.",
    [[
      crossentropy_categorical_1hot_grad crossentropy_softmax_1hot_with_bias_dx logsoftmax_op softmax_grad softmax_op
      scalar_sigmoid sigmoid_inplace abstract_conv2d]] },
  { "Modules that hold functions which stand one level up here.",
    [[blas blas_c blas_scipy elemwise fourier inplace scal corr corr3d values_eq_approx_always_true destroyhandler]] },
  { "The class of an operation: functions build them, `node.op.name` and `gof.is_op(node, T.exp)` tell which "
      .. "one it is.",
    [[^%u]] },
}

-- Modules whose names a program meets.
local MODULES = { "theano", "theano.tensor", "theano.tensor.nnet", "theano.sparse", "theano.gradient", "theano.compile",
  "theano.gof", "theano.printing" }

local M = { families = FAMILIES, modules = MODULES }

local by_name
local function fill()
  by_name = {}
  for i, family in ipairs(FAMILIES) do
    for name in family[2]:gmatch("%S+") do
      if not name:find("%%") then by_name[name] = by_name[name] or i end
    end
  end
end

--- The family that a name of Theano's belongs to: its number; nil for none.
function M.family(name)
  if not by_name then fill() end
  if by_name[name] then return by_name[name] end
  for i, family in ipairs(FAMILIES) do
    for pattern in family[2]:gmatch("%S+") do
      if pattern:find("%%") and name:find(pattern:find("^%^") and pattern or "^" .. pattern .. "$") then return i end
    end
  end
end

--- Why this version has no such name, or nil.
function M.why(name)
  local i = M.family(name)
  return i and (FAMILIES[i][1]:gsub("%.$", ""):gsub("^%u%f[%l%s]", string.lower))
end

--- What Theano's module has and none of ours has, sorted.
function M.of(module)
  local ours, find, list = require("theano"), require("theano.modules").find, {}
  for part in module:gsub("^theano%.?", ""):gmatch("[^.]+") do ours = ours[part] end
  for name in require("theano.names")[module]:gmatch("%S+") do
    local there = find(name) or pcall(function() assert(ours[name] ~= nil) end)
    local dtype = name:find("^u?int%d+$") -- errors say of these that dtypes are texts
    if name:find("^%a") and not dtype and not there then list[#list + 1] = name end
  end
  table.sort(list)
  return list
end

return M
