--- Public names of Theano 1.0.5 and of NumPy, by module: where one of ours lacks a field, the error says whether there
-- is one in the original ("Theano has it, this version does not") or whether it is a slip of the fingers.
-- @module theano.names
return {
  -- what Python imports, behind "theano."
  modules = [[
    compat compile compile.builders compile.debugmode compile.function compile.function_module compile.io compile.mode
    compile.monitormode compile.nanguardmode compile.ops compile.pfunc compile.profiling compile.sandbox
    compile.sharedvalue configdefaults configparser d3viz d3viz.d3viz d3viz.formatting gof gof.callcache gof.cc
    gof.cmodule gof.compiledir gof.compilelock gof.cutils gof.destroyhandler gof.fg gof.graph gof.lazylinker_c
    gof.link gof.null_type gof.op gof.opt gof.optdb gof.params_type gof.sched gof.toolbox gof.type gof.unify gof.utils
    gof.vm gpuarray gpuarray.basic_ops gpuarray.blas gpuarray.blocksparse gpuarray.ctc gpuarray.cudnn_defs
    gpuarray.dnn gpuarray.elemwise gpuarray.extra_ops gpuarray.fft gpuarray.fp16_help gpuarray.kernel_codegen
    gpuarray.linalg gpuarray.multinomial gpuarray.neighbours gpuarray.nerv gpuarray.nnet gpuarray.opt
    gpuarray.opt_util gpuarray.pool gpuarray.reduction gpuarray.rng_mrg gpuarray.sort gpuarray.subtensor gpuarray.type
    gradient ifelse misc misc.buildbot_filter misc.burn_gpu misc.check_blas misc.check_duplicate_key
    misc.check_multi_gpu misc.cpucount misc.doubleop misc.elemwise_openmp_speedup misc.elemwise_time_test
    misc.frozendict misc.gh_api misc.latence_gpu_transfert misc.may_share_memory misc.ordered_set misc.pkl_utils
    misc.safe_asarray misc.strutil misc.windows pathparse printing raise_op sandbox sandbox.blocksparse sandbox.conv
    sandbox.cuda sandbox.fourier sandbox.linalg sandbox.linalg.ops sandbox.minimal sandbox.multinomial
    sandbox.neighbours sandbox.rng_mrg sandbox.softsign sandbox.solve scalar scalar.basic scalar.basic_scipy
    scalar.basic_sympy scalar.sharedvar scan_module scan_module.scan scan_module.scan_checkpoints scan_module.scan_op
    scan_module.scan_opt scan_module.scan_perform_ext scan_module.scan_utils scan_module.scan_views sparse
    sparse.basic sparse.opt sparse.sandbox sparse.sandbox.sp sparse.sandbox.sp2 sparse.sandbox.truedot
    sparse.sharedvar sparse.type sparse.utils tensor tensor.basic tensor.blas tensor.blas_c tensor.blas_headers
    tensor.blas_scipy tensor.elemwise tensor.elemwise_cgen tensor.extra_ops tensor.fft tensor.fourier tensor.inc_code
    tensor.inplace tensor.io tensor.nlinalg tensor.nnet tensor.nnet.abstract_conv tensor.nnet.blocksparse
    tensor.nnet.bn tensor.nnet.conv tensor.nnet.conv3d2d tensor.nnet.corr tensor.nnet.corr3d tensor.nnet.ctc
    tensor.nnet.neighbours tensor.nnet.nnet tensor.nnet.opt tensor.nnet.sigm tensor.opt tensor.opt_uncanonicalize
    tensor.raw_random tensor.shared_randomstreams tensor.sharedvar tensor.signal tensor.signal.conv tensor.signal.pool
    tensor.slinalg tensor.sort tensor.subtensor tensor.type tensor.type_other tensor.utils tensor.var tensor.xlogx
    typed_list typed_list.basic typed_list.opt typed_list.type updates version
  ]],
  ["theano"] = [[
    Apply CLinker Constant Container DualLinker FunctionGraph FunctionMaker Generic In InconsistencyError Linker
    LocalLinker Lop Mode Op OpFromGraph OpWiseCLinker OpenMPOp OrderedUpdates Out Param PerformLinker ProfileStats
    Rop SymbolicInput SymbolicOutput Type Variable as_op change_flags clone compat compile config configdefaults
    configparser d3viz disable_log_handler dot foldl foldr function function_dump generic get_scalar_constant_value
    gof gpuarray grad gradient has_handlers ifelse logging_default_formatter logging_default_handler map misc
    object2 opt pathparse pp pprint predefined_linkers predefined_modes predefined_optimizers printing raise_op
    reduce rpath sandbox scalar scan scan_checkpoints scan_module shared sparse sparse_grad subgraph_grad tensor
    test theano theano_logger toolbox typed_list updates utils version
  ]],
  ["theano.tensor"] = [[
    ARange AdvancedBooleanIncSubtensor AdvancedBooleanIndexingError AdvancedBooleanSubtensor AdvancedIncSubtensor
    AdvancedIncSubtensor1 AdvancedIndexingError AdvancedSubtensor AdvancedSubtensor1 Alloc AllocDiag AllocEmpty
    Apply Argmax AsTensorError BaseAdvancedIncSubtensor BaseAdvancedSubtensor CAReduce Choose Constant Default
    DiffOp DimShuffle DisconnectedType Dot Elemwise EmptyConstantError ExtractDiag Eye Flatten Generic IncSubtensor
    Iterable Join LoadFromDisk Lop MPIRecv MPIRecvWait MPISend MPISendWait MakeSlice MaxAndArgmax Mean
    MethodNotDefined NoneConst NoneTypeT Nonzero NotScalarConstantError Op ParamsType PermuteRowElements Rebroadcast
    Reshape Rop ScalarFromTensor Shape ShapeError SliceConstant SliceType SpecifyShape Split Subtensor
    SubtensorPrinter Sum Tensor TensorConstant TensorConstantSignature TensorFromScalar TensorType TensorVariable
    Tile Tri Type Variable abs_ add addbroadcast adv_index_broadcastable_pattern advanced_boolean_inc_subtensor
    advanced_boolean_set_subtensor advanced_boolean_subtensor advanced_inc_subtensor advanced_inc_subtensor1
    advanced_set_subtensor advanced_set_subtensor1 advanced_subtensor advanced_subtensor1 all all_dtypes allclose
    alloc alloc_validate_shape and_ angle any arange arccos arccosh arcsin arcsinh arctan arctan2 arctanh argmax
    argmin argsort argtopk as_index_variable as_int_none_variable as_tensor as_tensor_variable bartlett basic
    batched_dot batched_tensordot bcol bincount bitwise_and bitwise_not bitwise_or bitwise_xor blas blas_c
    blas_headers blas_scipy bmatrix brow bscalar btensor3 btensor4 btensor5 btensor6 btensor7 bvector c_code cast
    ccol ceil ceil_intdiv check_advanced_indexing_dimensions check_and_normalize_axes check_and_reject_bool
    check_equal_numpy chi2sf choose clip cmatrix col cols comm complex complex_dtypes complex_from_polar
    complex_matrix_types complex_scalar_types complex_types complex_vector_types concatenate conj consider_constant
    constant constant_cache constructor continuous_dtypes cos cosh cov crow cscalar ctensor3 ctensor4 ctensor5
    ctensor6 ctensor7 cumprod cumsum cvector dcol dcols default deg2rad diag diagonal discrete_dtypes div_proxy
    divmod dmatrices dmatrix dot drow drows dscalar dscalars dtensor3 dtensor3s dtensor4 dtensor4s dtensor5
    dtensor5s dtensor6 dtensor6s dtensor7 dtensor7s dvector dvectors elemwise elemwise_cgen eq erf erfc erfcinv
    erfcx erfinv exp exp2 expm1 extra_ops extract_constant eye fcol fcols fft fill fill_diagonal
    fill_diagonal_offset flatnonzero flatten float16_atol float16_rtol float32_atol float32_rtol float64_atol
    float64_rtol float_dtypes float_matrix_types float_scalar_types float_types float_vector_types floor floor_div
    fmatrices fmatrix fourier frow frows fscalar fscalars ftensor3 ftensor3s ftensor4 ftensor4s ftensor5 ftensor5s
    ftensor6 ftensor6s ftensor7 ftensor7s fvector fvectors gamma gammainc gammaincc gammal gammaln gammau ge
    get_canonical_form_slice get_idx_list get_scalar_constant_value get_scalar_constant_value_elemwises
    get_vector_length grad grad_not_implemented grad_undefined gt hashtype hessian horizontal_stack i0 i1 icol icols
    identity_like imag imatrices imatrix inc_code inc_subtensor inplace int32 int32_t int_div int_dtypes
    int_matrix_types int_scalar_types int_types int_vector_types integer_dtypes inv inverse_permutation invert io
    irecv iround irow irows is_flat iscalar iscalars isclose isend isinf isinf_ isnan isnan_ itensor3 itensor3s
    itensor4 itensor4s itensor5 itensor5s itensor6 itensor6s itensor7 itensor7s iv ivector ivectors j0 j1 jacobian
    join join_ jv key_to_cmp largest lcol lcols le lmatrices lmatrix load log log10 log1p log2 lrow lrows lscalar
    lscalars lt ltensor3 ltensor3s ltensor4 ltensor4s ltensor5 ltensor5s ltensor6 ltensor6s ltensor7 ltensor7s
    lvector lvectors makeKeepDims make_constant make_slice matrices matrix max max_and_argmax maximum mean mgrid min
    min_informative_str minimum mod mod_check mpi_cmps mpi_enabled mpi_keys mpi_send_wait_cmp mpi_send_wait_key
    mpi_tag_cmp mpi_tag_key mul neg neq nlinalg nnet none_type_t nonzero nonzero_values numeric_grad
    numpy_diagonal_return_view numpy_scalar ogrid ones ones_like opt opt_uncanonicalize or_ outer patternbroadcast
    permute_row_elements pow power pprint printing prod psi ptp python_all python_any python_complex rad2deg
    ravel_multi_index raw_random real recv register_transfer repeat reshape roll round round_half_away_from_zero
    round_half_to_even row rows scal scalar scalar_from_tensor scalars second send set_subtensor setdefault sgn
    shape shape_padaxis shape_padleft shape_padright shared_randomstreams sharedvar signal sin sinh slicetype
    slinalg smallest sort sparse_module_ref specify_shape split sqr sqrt square squeeze stack stacklists std sub
    subtensor sum swapaxes switch take tan tanh tensor3 tensor3s tensor4 tensor4s tensor5 tensor5s tensor6 tensor6s
    tensor7 tensor7s tensor_copy tensor_from_scalar tensordot tile topk topk_and_argtopk transfer transpose tri
    tri_gamma tril triu true_div trunc type type_other uint_dtypes unbroadcast unravel_index utils
    values_eq_approx_always_true var vector vectors verify_grad vertical_stack wcol where wmatrix wrow wscalar
    wtensor3 wtensor4 wtensor5 wtensor6 wtensor7 wvector xlogx xor zcol zeros zeros_like zmatrix zrow zscalar
    ztensor3 ztensor4 ztensor5 ztensor6 ztensor7 zvector
  ]],
  ["theano.tensor.nnet"] = [[
    ConvOp CrossentropyCategorical1Hot CrossentropyCategorical1HotGrad CrossentropySoftmax1HotWithBiasDx
    CrossentropySoftmaxArgmax1HotWithBias LogSoftmax Prepend_scalar_constant_to_each_row Prepend_scalar_to_each_row
    Softmax SoftmaxGrad SoftmaxWithBias abstract_conv abstract_conv2d batch_normalization binary_crossentropy
    blocksparse bn c_code categorical_crossentropy confusion_matrix conv conv2d conv2d_grad_wrt_inputs
    conv2d_transpose conv3d conv3d2d corr corr3d crossentropy_categorical_1hot crossentropy_categorical_1hot_grad
    crossentropy_softmax_1hot crossentropy_softmax_1hot_with_bias crossentropy_softmax_1hot_with_bias_dx
    crossentropy_softmax_argmax_1hot_with_bias crossentropy_softmax_max_and_argmax_1hot
    crossentropy_softmax_max_and_argmax_1hot_with_bias crossentropy_to_crossentropy_with_softmax
    crossentropy_to_crossentropy_with_softmax_with_bias ctc elu graph_merge_softmax_with_crossentropy_softmax
    h_softmax hard_sigmoid logsoftmax logsoftmax_op neighbours nnet opt prepend_0_to_each_row prepend_1_to_each_row
    prepend_scalar_to_each_row relu scalar_sigmoid selu separable_conv2d sigm sigmoid sigmoid_binary_crossentropy
    sigmoid_inplace softmax softmax_grad softmax_graph softmax_op softmax_simplifier softmax_with_bias softplus
    softsign ultra_fast_sigmoid
  ]],
  ["theano.tensor.nnet.bn"] = [[
    AbstractBatchNormInference AbstractBatchNormTrain AbstractBatchNormTrainGrad Apply BNComposite Composite Op
    TensorType add as_common_dtype as_tensor_variable batch_normalization batch_normalization_test
    batch_normalization_train bn_groupopt copy_stack_trace local_abstract_batch_norm_inference
    local_abstract_batch_norm_train local_abstract_batch_norm_train_grad local_optimizer mul
    register_specialize_device sub true_div
  ]],
  ["theano.tensor.nnet.blocksparse"] = [[
    Apply Op SparseBlockGemv SparseBlockOuter discrete_dtypes grad_undefined sparse_block_dot sparse_block_gemv
    sparse_block_gemv_inplace sparse_block_outer sparse_block_outer_inplace
  ]],
  ["theano.tensor.nnet.neighbours"] = [[
    Apply EnumList Images2Neibs Op grad_not_implemented grad_undefined images2neibs neibs2images
  ]],
  ["theano.tensor.nnet.abstract_conv"] = [[
    AbstractConv AbstractConv2d AbstractConv2d_gradInputs AbstractConv2d_gradWeights AbstractConv3d
    AbstractConv3d_gradInputs AbstractConv3d_gradWeights AbstractConv_gradInputs AbstractConv_gradWeights Apply
    Assert BaseAbstractConv NotScalarConstantError Op as_tensor_variable assert_conv_shape assert_shape
    bilinear_kernel_1D bilinear_kernel_2D bilinear_upsampling border_mode_to_pad causal_conv1d
    check_conv_gradinputs_shape conv2d conv2d_grad_wrt_inputs conv2d_grad_wrt_weights conv3d conv3d_grad_wrt_inputs
    conv3d_grad_wrt_weights frac_bilinear_upsampling get_conv_gradinputs_shape get_conv_gradinputs_shape_1axis
    get_conv_gradweights_shape get_conv_gradweights_shape_1axis get_conv_output_shape get_conv_shape_1axis
    get_scalar_constant_value imported_scipy_signal patternbroadcast separable_conv2d separable_conv3d
  ]],
  ["theano.tensor.nnet.conv"] = [[
    Apply ConvOp NotScalarConstantError OpenMPOp as_tensor_variable blas conv2d gen_conv_code_unroll_batch_kern
    get_conv_output_shape get_conv_shape_1axis get_scalar_constant_value imported_scipy_signal patternbroadcast
  ]],
  ["theano.tensor.nnet.conv3d2d"] = [[
    Apply DiagonalSubtensor DisconnectedType IncDiagonalSubtensor Op TopoOptimizer conv3d copy_stack_trace
    diagonal_subtensor get_diagonal_subtensor_view inc_diagonal_subtensor local_inplace_DiagonalSubtensor
  ]],
  ["theano.tensor.nnet.ctc"] = [[
    ConnectionistTemporalClassification GCC_compiler cpu_contiguous ctc ctc_available ctc_present grad_undefined
    local_ctc_no_grad local_optimizer register_canonicalize
  ]],
  ["theano.tensor.nnet.nnet"] = [[
    Apply CrossentropyCategorical1Hot CrossentropyCategorical1HotGrad CrossentropySoftmax1HotWithBiasDx
    CrossentropySoftmaxArgmax1HotWithBias DisconnectedType LogSoftmax Prepend_scalar_constant_to_each_row
    Prepend_scalar_to_each_row ScalarSoftsign Softmax SoftmaxGrad SoftmaxWithBias as_tensor_variable
    binary_crossentropy categorical_crossentropy confusion_matrix copy_stack_trace crossentropy_categorical_1hot
    crossentropy_categorical_1hot_grad crossentropy_softmax_1hot crossentropy_softmax_1hot_with_bias
    crossentropy_softmax_1hot_with_bias_dx crossentropy_softmax_argmax_1hot_with_bias
    crossentropy_softmax_max_and_argmax_1hot crossentropy_softmax_max_and_argmax_1hot_with_bias
    crossentropy_to_crossentropy_with_softmax crossentropy_to_crossentropy_with_softmax_with_bias elemwise elu
    extra_ops grad_not_implemented graph_merge_softmax_with_crossentropy_softmax h_softmax
    local_advanced_indexing_crossentropy_onehot local_advanced_indexing_crossentropy_onehot_grad
    local_argmax_pushdown local_logsoftmax local_logsoftmax_grad
    local_softmax_grad_to_crossentropy_with_softmax_grad local_softmax_with_bias
    local_useless_crossentropy_softmax_1hot_with_bias_dx_alloc logsoftmax logsoftmax_op opt optdb
    prepend_0_to_each_row prepend_1_to_each_row prepend_scalar_to_each_row relu scalar scalar_softsign selu sigmoid
    sigmoid_binary_crossentropy softmax softmax_grad softmax_graph softmax_op softmax_simplifier softmax_with_bias
    softplus softsign sparse_block_dot subtensor values_eq_approx_remove_inf values_eq_approx_remove_nan
  ]],
  ["theano.tensor.nnet.sigm"] = [[
    NotScalarConstantError ScalarSigmoid ScalarSoftplus UltraFastScalarSigmoid compute_mul copy_stack_trace elemwise
    hard_sigmoid imap is_1pexp is_exp is_mul is_neg local_1msigmoid local_exp_over_1_plus_exp local_hard_sigmoid
    local_inv_1_plus_exp local_sigm_times_exp local_ultra_fast_sigmoid log1msigm_to_softplus log1p_neg_sigmoid
    log1pexp_to_softplus logsigm_to_softplus opt parse_mul_tree partition_num_or_denom perform_sigm_times_exp pprint
    printing register_local_1msigmoid replace_leaf scalar scalar_sigmoid scalar_softplus sigmoid sigmoid_inplace
    simplify_mul softplus ultra_fast_scalar_sigmoid ultra_fast_sigmoid ultra_fast_sigmoid_inplace
    values_eq_approx_remove_inf
  ]],
  ["theano.tensor.signal"] = [[
    conv pool
  ]],
  ["theano.tensor.signal.pool"] = [[
    Apply AveragePoolGrad DisconnectedType DownsampleFactorMaxGradGrad EnumList MaxPoolGrad MaxPoolRop OpenMPOp
    ParamsType Pool PoolGrad PoolingMode_t Variable bool_t max_pool_2d_same_size pool_2d pool_3d
  ]],
  ["theano.tensor.signal.conv"] = [[
    conv conv2d
  ]],
  ["theano.tensor.slinalg"] = [[
    Apply Cholesky CholeskyGrad Eigvalsh EigvalshGrad Expm ExpmGrad MATRIX_STRUCTURES Op Solve as_tensor_variable
    cholesky eigvalsh expm imported_scipy kron solve solve_lower_triangular solve_symmetric solve_upper_triangular
  ]],
  ["theano.tensor.nlinalg"] = [[
    AllocDiag Apply Det DisconnectedType Eig Eigh EighGrad ExtractDiag MatrixInverse MatrixPinv Op QRFull
    QRIncomplete SVD TensorInv TensorSolve alloc_diag as_tensor_variable det diag eig eigh extract_diag lstsq
    matrix_dot matrix_inverse matrix_power norm pinv qr svd tensorinv tensorsolve trace
  ]],
  ["theano.tensor.fft"] = [[
    DisconnectedType IRFFTOp RFFTOp irfft irfft_op rfft rfft_op
  ]],
  ["theano.tensor.extra_ops"] = [[
    Bartlett CpuContiguous CumOp CumprodOp CumsumOp DiffOp DisconnectedType EnumList FillDiagonal FillDiagonalOffset
    Generic ParamsType RavelMultiIndex RepeatOp SearchsortedOp Unique UnravelIndex bartlett bartlett_ basic bincount
    compress cpu_contiguous cumprod cumsum diff disconnected_type fill_diagonal fill_diagonal_ fill_diagonal_offset
    fill_diagonal_offset_ gradient int_t nlinalg ravel_multi_index repeat scalar searchsorted squeeze to_one_hot
    unravel_index
  ]],
  ["theano.tensor.shared_randomstreams"] = [[
    RandomStateSharedVariable RandomStreams SharedVariable randomstate_constructor raw_random shared
    shared_constructor
  ]],
  ["theano.tensor.opt"] = [[
    ALL_REDUCE AdvancedIncSubtensor AdvancedIncSubtensor1 AdvancedSubtensor1 Alloc Assert Canonizer Constant
    DimShuffle DisconnectedType Elemwise FusionOptimizer IncSubtensor InconsistencyError InplaceElemwiseOptimizer
    MakeVector MakeVectorPrinter MethodNotDefined NotScalarConstantError Optimizer Reshape Shape ShapeError
    ShapeFeature ShapeOptimizer Shape_i Subtensor TopKOp TopoOptimizer UnShapeOptimizer Variable add_calculate
    add_canonizer advanced_inc_subtensor1 advanced_subtensor advanced_subtensor1 apply_local_dimshuffle_lift
    apply_rebroadcast_opt assert_ assert_op attempt_distribution basic broadcast_like check_for_x_over_absX
    constant_folding copy_stack_trace distribute_greedy elemwise_max_input_fct encompasses_broadcastable
    extract_constant fuse_seqopt get_canonical_form_slice get_clients get_clients2 get_idx_list
    get_scalar_constant_value graph in2out inplace_elemwise_optimizer is_an_upcast is_dimshuffle_useless
    is_inverse_pair local_0_dot_x local_IncSubtensor_serialize local_abs_lift local_abs_merge local_add_canonizer
    local_add_mul_fusion local_add_specialize local_adv_sub1_adv_inc_sub1 local_alloc_empty_to_zeros
    local_alloc_unary local_canonicalize_alloc local_cast_cast local_dimshuffle_lift local_div_switch_sink
    local_div_to_inv local_elemwise_alloc local_elemwise_alloc_op local_elemwise_fusion local_elemwise_fusion_op
    local_elemwise_sub_zeros local_erf_minus_one local_erf_neg_minus_one local_erf_neg_minus_one2 local_expm1
    local_fill_sink local_fill_to_alloc local_flatten_lift local_func_inv local_grad_log_erfc_neg
    local_greedy_distributor local_incsubtensor_of_zeros local_incsubtensor_of_zeros_to_setsubtensor
    local_inplace_incsubtensor1 local_inplace_setsubtensor local_intdiv_by_one local_inv_canon local_join_1
    local_join_empty local_join_make_vector local_lift_transpose_through_dot local_log1p local_log_add
    local_log_erfc local_log_sum_exp local_merge_alloc local_merge_switch_same_cond local_mul_canonizer
    local_mul_specialize local_mul_switch_sink local_mul_to_sqr local_mul_zero local_neg_div_neg local_neg_neg
    local_neg_to_mul local_one_add_neg_erfc local_one_minus_erf local_one_minus_erf2 local_one_minus_erfc
    local_one_minus_erfc2 local_one_minus_erfc3 local_one_plus_erf local_one_plus_neg_erf local_op_of_op
    local_opt_alloc local_pow_canonicalize local_pow_specialize local_pow_specialize_device local_rebroadcast_lift
    local_reduce_broadcastable local_reduce_join local_remove_all_assert local_remove_useless_assert
    local_reshape_chain local_reshape_lift local_reshape_to_dimshuffle local_scalar_tensor_scalar
    local_set_to_inc_subtensor local_setsubtensor_of_constants local_shape_to_shape_i local_subtensor_inc_subtensor
    local_subtensor_lift local_subtensor_make_vector local_subtensor_merge local_subtensor_of_alloc
    local_subtensor_of_dot local_subtensor_remove_broadcastable_index local_sum_prod_all_to_none
    local_sum_prod_div_dimshuffle local_sum_prod_mul_by_scalar local_sumsqr2dot local_tensor_scalar_tensor
    local_track_shape_i local_upcast_elemwise_constant_inputs local_useless_alloc local_useless_composite
    local_useless_dimshuffle_in_reshape local_useless_elemwise local_useless_elemwise_comparison local_useless_fill
    local_useless_inc_subtensor local_useless_inc_subtensor_alloc local_useless_rebroadcast local_useless_reduce
    local_useless_reshape local_useless_slice local_useless_split local_useless_subtensor local_useless_switch
    local_useless_tile local_useless_topk local_view_op local_zero_div make_constant make_vector
    merge_broadcastables merge_two_slices mul_calculate mul_canonizer opt pre_constant_merge
    pre_greedy_local_optimizer register_canonicalize register_specialize register_specialize_device
    register_stabilize register_uncanonicalize register_useless scalar scalarconsts_rest topo_constant_folding
    values_eq_approx_remove_inf values_eq_approx_remove_inf_nan values_eq_approx_remove_nan
  ]],
  ["theano.gradient"] = [[
    ConsiderConstant DebugMode DisconnectedGrad DisconnectedInputError DisconnectedType FAST_RUN GradClip GradScale
    GradientError Lop NullType NullTypeGradError Rop UndefinedGrad Variable ViewOp ZeroGrad consider_constant
    consider_constant_ disconnected_grad disconnected_grad_ disconnected_type format_as get_debug_values get_mode
    grad grad_clip grad_not_implemented grad_scale grad_time grad_undefined hessian jacobian mode_not_slow null_type
    numeric_grad subgraph_grad undefined_grad undefined_grad_ utils verify_grad zero_grad zero_grad_
  ]],
  ["theano.printing"] = [[
    Apply DefaultPrinter Function FunctionPrinter IgnorePrinter LeafPrinter Op OperatorPrinter PPrinter
    PatternPrinter PdbBreakpoint Print PrinterState SharedVariable VALID_ASSOC debugmode debugprint default_colorCodes
    default_printer greek hex_digest leaf_printer min_informative_str position_independent_str pp pprint
    pydot_imported pydot_imported_msg pydotprint special use_ascii var_descriptor
  ]],
  ["theano.compile"] = [[
    AddDestroyHandler AddFeatureOptimizer AliasedMemoryError DUPLICATE DebugMode DeepCopyOp DisconnectedType
    FAST_COMPILE FAST_RUN FromFunctionOp Function FunctionMaker In Mode MonitorMode NODEFAULT NullType
    OPT_FAST_COMPILE OPT_FAST_RUN OPT_FAST_RUN_STABLE OPT_MERGE OPT_NONE OPT_O2 OPT_O3 OPT_STABILIZE OPT_UNSAFE
    OpFromGraph Out Param PrintCurrentFunctionGraph ProfileStats Rebroadcast ScanProfileStats Shape Shape_i
    SharedVariable SpecifyShape Supervisor SymbolicInput SymbolicOutput UnusedInputError Variable ViewOp alias_root
    as_op builders check_equal convert_function_input debugmode deep_copy_op exclude fgraph_updated_vars function
    function_dump function_module get_default_mode get_info_on_inputs get_mode graph infer_reuse_pattern
    inline_ofg_expansion insert_deepcopy instantiated_default_mode io io_connection_pattern is_same_graph
    local_useless mode monitormode nanguardmode ops ops_with_inner_function optdb orig_function pfunc
    predefined_linkers predefined_modes predefined_optimizers profiling rebuild_collect_shared register_checker
    register_deep_copy_op_c_code register_linker register_mode register_optimizer register_rebroadcast_c_code
    register_shape_c_code register_shape_i_c_code register_specify_shape_c_code register_view_op_c_code shape shared
    shared_constructor sharedvalue specify_shape std_fgraph view_op view_tree_set
  ]],
  ["theano.compile.mode"] = [[
    AddDestroyHandler AddFeatureOptimizer FAST_COMPILE FAST_RUN Mode OPT_FAST_COMPILE OPT_FAST_RUN
    OPT_FAST_RUN_STABLE OPT_MERGE OPT_NONE OPT_O2 OPT_O3 OPT_STABILIZE OPT_UNSAFE PrintCurrentFunctionGraph
    Supervisor exclude get_default_mode get_mode instantiated_default_mode local_useless optdb predefined_linkers
    predefined_modes predefined_optimizers register_linker register_mode register_optimizer
  ]],
  ["theano.compile.nanguardmode"] = [[
    GpuArrayType Mode NanGuardMode ValuesView contains_inf contains_nan f_compute f_gpua_absmax f_gpua_max
    f_gpua_min flatten get_mode pygpu_available
  ]],
  ["theano.compile.debugmode"] = [[
    BadDestroyMap BadOptimization BadThunkOutput BadViewMap DataDestroyed DebugMode DebugModeError Function
    FunctionMaker InvalidValueError Mode NoDuplicateOptWarningFilter OutputGuard StochasticOrder change_flags
    char_from_number check_eq data_destroyed debugprint default_make_thunk get_unbound_function graph
    infer_reuse_pattern link ops_with_inner_function raise_with_op register_mode std_fgraph utils
  ]],
  ["theano.compile.monitormode"] = [[
    Mode MonitorMode detect_nan
  ]],
  ["theano.gof"] = [[
    Apply Bookkeeper CEnumType CLinker COp CachedConstantError CheckStackTraceOptimization Constant Container DB
    DestroyHandler DualLinker EnumList EnumType EquilibriumDB EquilibriumOptimizer Feature FunctionGraph Generic
    HideC History InconsistencyError Linker LocalGroupDB LocalLinker LocalOptGroup LocalOptimizer MergeOptimizer
    MethodNotDefined MissingInputError NavigatorOptimizer NoOutputFromInplace NodeFinder Op OpKeyOptimizer OpRemove
    OpSub OpWiseCLinker OpenMPOp Optimizer Params ParamsType PatternSub PerformLinker PrintListener ProxyDB PureOp
    Query ReplaceValidate ReplacementDidntRemovedError SeqOptimizer SequenceDB TopoOptimizer Type Validator Variable
    WrapLinker WrapLinkerMany c_code callcache cc cmodule compiledir compilelock cutils destroyhandler fg generic
    graph hashtype inplace_optimizer lazylinker_c link local_optimizer null_type object2 op ops_with_inner_function
    opt optdb optimizer params_type sched type unify utils view_roots vm
  ]],
  ["theano.gof.graph"] = [[
    Apply Constant NoParams Node OrderedSet Variable ancestors as_string clone clone_get_equiv
    default_leaf_formatter default_node_formatter equal_computations general_toposort inputs io_connection_pattern
    io_toposort is_in_ancestors is_same_graph is_same_graph_with_merge list_of_nodes nodes_constructed op_as_string
    ops orphans stack_search utils variables variables_and_orphans view_roots
  ]],
  ["theano.gof.toolbox"] = [[
    AlreadyThere BadOptimization Bookkeeper Feature GetCheckpoint History LambdExtract NoOutputFromInplace
    NodeFinder PreserveNames PreserveVariableAttributes PrintListener ReplaceValidate ReplacementDidntRemovedError
    Validator graph
  ]],
  ["theano.gof.opt"] = [[
    ChangeTracker CheckStackTraceOptimization CheckStrackTraceFeature EquilibriumOptimizer
    FromFunctionLocalOptimizer FromFunctionOptimizer GraphToGPULocalOptGroup InconsistencyError LocalMetaOptimizer
    LocalMetaOptimizerSkipAssertionError LocalOptGroup LocalOptimizer MergeFeature MergeOptimizer NavigatorOptimizer
    OpKeyOptimizer OpRemove OpSub Optimizer OrderedSet PatternSub SeqOptimizer TopoOptimizer Updater check_chain
    check_stack_trace copy_stack_trace dh graph in2out inherit_stack_trace inplace_optimizer
    is_same_graph_with_merge local_optimizer merge_dict op optimizer out2in pre_constant_merge
    pre_greedy_local_optimizer unify utils
  ]],
  ["theano.gof.fg"] = [[
    CachedConstantError FunctionGraph InconsistencyError MissingInputError NullType OrderedSet
    get_variable_trace_string graph utils
  ]],
  ["theano.typed_list"] = [[
    Append Apply Constant Count Extend GetItem Index Insert Length MakeList Op Remove Reverse SliceType
    TypedListConstant TypedListType TypedListVariable Variable append basic count extend getitem index_ insert
    length make_list opt remove reverse type
  ]],
  ["theano.scan_module"] = [[
    c_code clone foldl foldr map reduce scan scan_checkpoints scan_op scan_opt scan_perform_ext scan_utils
    scan_views until
  ]],
  ["theano.updates"] = [[
    OrderedUpdates SharedVariable
  ]],
  ["theano.ifelse"] = [[
    Apply CondMerge IfElse Op TensorType acceptable_ops clone cond_make_inplace cond_merge_ifs_false
    cond_merge_ifs_true cond_merge_random_op cond_remove_identical ifelse
    ifelse_lift_single_if_through_acceptable_ops opt optdb
  ]],
  ["theano.sparse"] = [[
    AddSD AddSS AddSSData CSC CSM CSMGrad CSMProperties CSR Cast ColScaleCSC ConstructSparseFromList DenseFromSparse
    Diag DisconnectedType Dot EnsureSortedIndices EqualSD EqualSS GetItem2Lists GetItem2ListsGrad GetItem2d
    GetItemList GetItemListGrad GetItemScalar GreaterEqualSD GreaterEqualSS GreaterThanSD GreaterThanSS HStack
    LessEqualSD LessEqualSS LessThanSD LessThanSS MulSD MulSS MulSV Neg NotEqualSD NotEqualSS Remove0 RowScaleCSC
    SamplingDot SpSum SparseConstant SparseConstantSignature SparseFromDense SparseType SparseVariable
    SquareDiagonal StructuredAddSV StructuredDot StructuredDotGradCSC StructuredDotGradCSR Transpose TrueDot Usmm
    VStack add add_s_d add_s_s add_s_s_data all_dtypes arcsin arcsinh arctan arctanh as_sparse
    as_sparse_or_tensor_variable as_sparse_variable basic bcast bsr_dmatrix bsr_fmatrix bsr_matrix cast ccast ceil
    clean col_scale complex_dtypes conj constant construct_sparse_from_list continuous_dtypes csc_dmatrix
    csc_fmatrix csc_from_dense csc_matrix csm_data csm_grad csm_indices csm_indptr csm_properties csm_shape
    csr_dmatrix csr_fmatrix csr_from_dense csr_matrix dcast deg2rad dense_from_sparse diag discrete_dtypes dot
    enable_sparse ensure_sorted_indices eq equal_s_d equal_s_s expm1 fcast float_dtypes floor ge get_item_2d
    get_item_2lists get_item_2lists_grad get_item_list get_item_list_grad get_item_scalar grad_not_implemented
    grad_undefined greater_equal_s_d greater_equal_s_s greater_than_s_d greater_than_s_s gt hash_from_sparse hstack
    icast imported_scipy int_dtypes integer_dtypes lcast le less_equal_s_d less_equal_s_s less_than_s_d
    less_than_s_s log1p lt matrix mul mul_s_d mul_s_s mul_s_v neg neq not_equal_s_d not_equal_s_s opt rad2deg
    remove0 rint row_scale sampling_dot scalar scipy_ver sdg_csc sdg_csr sgn shared sharedvar sin sinh sp_ones_like
    sp_sum sp_zeros_like sparse_formats sqr sqrt square_diagonal structured_add structured_add_s_v structured_dot
    structured_dot_grad structured_exp structured_log structured_maximum structured_minimum structured_monoid
    structured_pow structured_sigmoid sub tan tanh transpose true_dot trunc type uint_dtypes usmm utils vstack wcast
    zcast
  ]],
  ["theano.sandbox.rng_mrg"] = [[
    A1p134 A1p72 A2p134 A2p72 Apply DotModulo M1 M2 MASK12 MASK13 MASK2 MRG_RandomStreams MULT2 NORM Op ParamsType
    TensorType Variable as_tensor_variable bool_t cast ff_2p134 ff_2p72 function get_vector_length gradient
    guess_n_streams int_t local_optimizer matVecModM mrg_next_value mrg_random_make_inplace mrg_uniform
    mrg_uniform_base multMatVect multinomial np_int32_vals opt optdb scal shared undefined_grad
  ]],
  ["Variable"] = [[
    T all any append_construction_observer arccos arccosh arcsin arcsinh arctan arctanh argmax argmin argsort astype
    broadcastable ceil choose clip clone compress conj conjugate construction_observers copy cos cosh cumprod cumsum
    deg2rad diagonal dimshuffle dot dtype eval exp exp2 expm1 fill flatten floor get_parents
    get_scalar_constant_value log log10 log1p log2 max mean min ndim nonzero nonzero_values norm
    notify_construction_observers ones_like prod ptp rad2deg ravel remove_construction_observer repeat reshape round
    searchsorted shape sin sinh size sort sqrt squeeze std sum swapaxes take tan tanh trace transfer transpose trunc
    var zeros_like
  ]],
  ["SharedVariable"] = [[
    clone container get_value set_value value zero
  ]],
  ["function"] = [[
    container copy defaults finder fn free get_shared indices input_storage inv_finder maker n_returned_outputs name
    nodes_with_inner_function output_keys output_storage outputs pickle_aliased_memory_strategy return_none
    sync_shared unpack_single value
  ]],
  ["numpy"] = [[
    False_ ScalarType True_ abs absolute acos acosh add all allclose amax amin angle any append apply_along_axis
    apply_over_axes arange arccos arccosh arcsin arcsinh arctan arctan2 arctanh argmax argmin argpartition argsort
    argwhere around array array2string array_equal array_equiv array_repr array_split array_str asanyarray asarray
    asarray_chkfinite ascontiguousarray asfortranarray asin asinh asmatrix astype atan atan2 atanh atleast_1d
    atleast_2d atleast_3d average bartlett base_repr binary_repr bincount bitwise_and bitwise_count bitwise_invert
    bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor blackman block bmat bool bool_
    broadcast broadcast_arrays broadcast_shapes broadcast_to busday_count busday_offset busdaycalendar byte bytes_
    c_ can_cast cbrt cdouble ceil char character choose clip clongdouble column_stack common_type complex128
    complex256 complex64 complexfloating compress concat concatenate conj conjugate convolve copy copysign copyto
    corrcoef correlate cos cosh count_nonzero cov cross csingle ctypeslib cumprod cumsum cumulative_prod
    cumulative_sum datetime64 datetime_as_string datetime_data deg2rad degrees delete diag diag_indices
    diag_indices_from diagflat diagonal diff digitize divide divmod dot double dsplit dstack dtype dtypes e ediff1d
    einsum einsum_path emath empty empty_like equal errstate euler_gamma exceptions exp exp2 expand_dims expm1
    extract eye f2py fabs fft fill_diagonal finfo fix flatiter flatnonzero flexible flip fliplr flipud float128
    float16 float32 float64 float_power floating floor floor_divide fmax fmin fmod format_float_positional
    format_float_scientific frexp from_dlpack frombuffer fromfile fromfunction fromiter frompyfunc fromregex
    fromstring full full_like gcd generic genfromtxt geomspace get_include get_printoptions getbufsize geterr
    geterrcall gradient greater greater_equal half hamming hanning heaviside histogram histogram2d
    histogram_bin_edges histogramdd hsplit hstack hypot i0 identity iinfo imag index_exp indices inexact inf info
    inner insert int16 int32 int64 int8 int_ intc integer interp intersect1d intp invert is_busday isclose iscomplex
    iscomplexobj isdtype isfinite isfortran isin isinf isnan isnat isneginf isposinf isreal isrealobj isscalar
    issubdtype iterable ix_ kaiser kron lcm ldexp left_shift less less_equal lexsort linalg linspace little_endian
    load loadtxt log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or logical_xor logspace
    long longdouble longlong ma mask_indices matmul matrix matrix_transpose matvec max maximum may_share_memory mean
    median memmap meshgrid mgrid min min_scalar_type minimum mintypecode mod modf moveaxis multiply nan nan_to_num
    nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmedian nanmin nanpercentile nanprod nanquantile
    nanstd nansum nanvar ndarray ndenumerate ndim ndindex nditer negative nested_iters newaxis nextafter nonzero
    not_equal number object_ ogrid ones ones_like outer packbits pad partition percentile permute_dims pi piecewise
    place poly poly1d polyadd polyder polydiv polyfit polyint polymul polynomial polysub polyval positive pow power
    printoptions prod promote_types ptp put put_along_axis putmask quantile r_ rad2deg radians random ravel
    ravel_multi_index real real_if_close rec recarray reciprocal record remainder repeat require reshape resize
    result_type right_shift rint roll rollaxis roots rot90 round row_stack s_ save savetxt savez savez_compressed
    sctypeDict searchsorted select set_printoptions setbufsize setdiff1d seterr seterrcall setxor1d shape
    shares_memory short show_config show_runtime sign signbit signedinteger sin sinc single sinh size sort
    sort_complex spacing split sqrt square squeeze stack std str_ strings subtract sum swapaxes take take_along_axis
    tan tanh tensordot testing tile timedelta64 trace transpose trapezoid tri tril tril_indices tril_indices_from
    trim_zeros triu triu_indices triu_indices_from true_divide trunc typecodes typename typing ubyte ufunc uint
    uint16 uint32 uint64 uint8 uintc uintp ulong ulonglong union1d unique unique_all unique_counts unique_inverse
    unique_values unpackbits unravel_index unsignedinteger unstack unwrap ushort vander var vdot vecdot vecmat
    vectorize void vsplit vstack where zeros zeros_like
  ]],
  ["numpy.fft"] = [[
    fft fft2 fftfreq fftn fftshift hfft ifft ifft2 ifftn ifftshift ihfft irfft irfft2 irfftn rfft rfft2 rfftfreq rfftn
  ]],
  ["numpy.random"] = [[
    BitGenerator Generator MT19937 PCG64 PCG64DXSM Philox RandomState SFC64 SeedSequence beta binomial bytes
    chisquare choice default_rng dirichlet exponential f gamma geometric get_bit_generator get_state gumbel
    hypergeometric laplace logistic lognormal logseries multinomial multivariate_normal negative_binomial
    noncentral_chisquare noncentral_f normal pareto permutation poisson power rand randint randn random
    random_integers random_sample ranf rayleigh sample seed set_bit_generator set_state shuffle standard_cauchy
    standard_exponential standard_gamma standard_normal standard_t triangular uniform vonmises wald weibull zipf
  ]],
  ["numpy.linalg"] = [[
    LinAlgError cholesky cond cross det diagonal eig eigh eigvals eigvalsh inv lstsq matmul matrix_norm matrix_power
    matrix_rank matrix_transpose multi_dot norm outer pinv qr slogdet solve svd svdvals tensordot tensorinv
    tensorsolve trace vecdot vector_norm
  ]],
  ["scipy.integrate"] = [[
    BDF DOP853 DenseOutput IntegrationWarning LSODA ODEintWarning OdeSolution OdeSolver RK23 RK45 Radau complex_ode
    cubature cumulative_simpson cumulative_trapezoid dblquad fixed_quad lebedev_rule newton_cotes nquad nsum ode
    odeint qmc_quad quad quad_vec romb simpson solve_bvp solve_ivp tanhsinh tplquad trapezoid
  ]],
  ["scipy.interpolate"] = [[
    AAA Akima1DInterpolator BPoly BSpline BarycentricInterpolator BivariateSpline CloughTocher2DInterpolator
    CubicHermiteSpline CubicSpline FloaterHormannInterpolator InterpolatedUnivariateSpline KroghInterpolator
    LSQBivariateSpline LSQSphereBivariateSpline LSQUnivariateSpline LinearNDInterpolator NdBSpline NdPPoly
    NearestNDInterpolator PPoly PchipInterpolator RBFInterpolator Rbf RectBivariateSpline RectSphereBivariateSpline
    RegularGridInterpolator SmoothBivariateSpline SmoothSphereBivariateSpline UnivariateSpline
    approximate_taylor_polynomial barycentric_interpolate bisplev bisplrep generate_knots griddata insert interp1d
    interp2d interpn krogh_interpolate lagrange make_interp_spline make_lsq_spline make_smoothing_spline
    make_splprep make_splrep pade pchip_interpolate spalde splantider splder splev splint splprep splrep sproot
  ]],
  ["scipy.optimize"] = [[
    BFGS Bounds BroydenFirst HessianUpdateStrategy InverseJacobian KrylovJacobian LbfgsInvHessProduct
    LinearConstraint NoConvergence NonlinearConstraint OptimizeResult OptimizeWarning RootResults SR1 anderson
    approx_fprime basinhopping bisect bracket brent brenth brentq broyden1 broyden2 brute check_grad curve_fit
    diagbroyden differential_evolution direct dual_annealing excitingmixing fixed_point fmin fmin_bfgs fmin_cg
    fmin_cobyla fmin_l_bfgs_b fmin_ncg fmin_powell fmin_slsqp fmin_tnc fminbound fsolve golden isotonic_regression
    least_squares leastsq line_search linear_sum_assignment linearmixing linprog linprog_verbose_callback
    lsq_linear milp minimize minimize_scalar newton newton_krylov nnls quadratic_assignment ridder root root_scalar
    rosen rosen_der rosen_hess rosen_hess_prod shgo show_options toms748
  ]],
  ["scipy.signal"] = [[
    BadCoefficients CZT ShortTimeFFT StateSpace TransferFunction ZerosPolesGain ZoomFFT abcd_normalize
    argrelextrema argrelmax argrelmin band_stop_obj bessel besselap bilinear bilinear_zpk bode buttap butter
    buttord cheb1ap cheb1ord cheb2ap cheb2ord cheby1 cheby2 check_COLA check_NOLA chirp choose_conv_method
    closest_STFT_dual_window coherence cont2discrete convolve convolve2d correlate correlate2d correlation_lags csd
    cspline1d cspline1d_eval cspline2d czt czt_points dbode decimate deconvolve detrend dfreqresp dimpulse dlsim
    dlti dstep ellip ellipap ellipord envelope fftconvolve filtfilt find_peaks find_peaks_cwt findfreqs firls
    firwin firwin2 firwin_2d freqresp freqs freqs_zpk freqz freqz_sos freqz_zpk gammatone gauss_spline gausspulse
    get_window group_delay hilbert hilbert2 iircomb iirdesign iirfilter iirnotch iirpeak impulse invres invresz
    istft kaiser_atten kaiser_beta kaiserord lfilter lfilter_zi lfiltic lombscargle lp2bp lp2bp_zpk lp2bs lp2bs_zpk
    lp2hp lp2hp_zpk lp2lp lp2lp_zpk lsim lti max_len_seq medfilt medfilt2d minimum_phase normalize oaconvolve
    order_filter peak_prominences peak_widths periodogram place_poles qspline1d qspline1d_eval qspline2d remez
    resample resample_poly residue residuez savgol_coeffs savgol_filter sawtooth sepfir2d sos2tf sos2zpk sosfilt
    sosfilt_zi sosfiltfilt sosfreqz spectrogram spline_filter square ss2tf ss2zpk step stft sweep_poly symiirorder1
    symiirorder2 tf2sos tf2ss tf2zpk unique_roots unit_impulse upfirdn vectorstrength welch wiener zoom_fft zpk2sos
    zpk2ss zpk2tf
  ]],
  ["scipy.special"] = [[
    SpecialFunctionError SpecialFunctionWarning agm ai_zeros airy airye assoc_laguerre assoc_legendre_p
    assoc_legendre_p_all bdtr bdtrc bdtri bdtrik bdtrin bei bei_zeros beip beip_zeros ber ber_zeros bernoulli berp
    berp_zeros besselpoly beta betainc betaincc betainccinv betaincinv betaln bi_zeros binom boxcox boxcox1p
    btdtria btdtrib c_roots cbrt cg_roots chdtr chdtrc chdtri chdtriv chebyc chebys chebyt chebyu chndtr chndtridf
    chndtrinc chndtrix comb cosdg cosm1 cotdg dawsn digamma diric ellip_harm ellip_harm_2 ellip_normal ellipe
    ellipeinc ellipj ellipk ellipkinc ellipkm1 elliprc elliprd elliprf elliprg elliprj entr erf erf_zeros erfc
    erfcinv erfcx erfi erfinv errstate euler eval_chebyc eval_chebys eval_chebyt eval_chebyu eval_gegenbauer
    eval_genlaguerre eval_hermite eval_hermitenorm eval_jacobi eval_laguerre eval_legendre eval_sh_chebyt
    eval_sh_chebyu eval_sh_jacobi eval_sh_legendre exp1 exp10 exp2 expi expit expm1 expn exprel factorial
    factorial2 factorialk fdtr fdtrc fdtri fdtridfd fresnel fresnel_zeros fresnelc_zeros fresnels_zeros gamma
    gammainc gammaincc gammainccinv gammaincinv gammaln gammaln gammasgn gdtr gdtrc gdtria gdtrib gdtrix gegenbauer
    genlaguerre geterr h1vp h2vp h_roots hankel1 hankel1e hankel2 hankel2e he_roots hermite hermitenorm huber
    hyp0f1 hyp1f1 hyp2f1 hyperu i0 i0e i1 i1e inv_boxcox inv_boxcox1p it2i0k0 it2j0y0 it2struve0 itairy iti0k0
    itj0y0 itmodstruve0 itstruve0 iv ive ivp j0 j1 j_roots jacobi jn jn_zeros jnjnp_zeros jnp_zeros jnyn_zeros
    js_roots jv jve jvp k0 k0e k1 k1e kei kei_zeros keip keip_zeros kelvin kelvin_zeros ker ker_zeros kerp
    kerp_zeros kl_div kn kolmogi kolmogorov kv kve kvp l_roots la_roots laguerre lambertw legendre legendre_p
    legendre_p_all lmbda log1p log_expit log_ndtr log_softmax log_wright_bessel loggamma logit logsumexp lpmv lqmn
    lqn mathieu_a mathieu_b mathieu_cem mathieu_even_coef mathieu_modcem1 mathieu_modcem2 mathieu_modsem1
    mathieu_modsem2 mathieu_odd_coef mathieu_sem modfresnelm modfresnelp modstruve multigammaln nbdtr nbdtrc nbdtri
    nbdtrik nbdtrin ncfdtr ncfdtri ncfdtridfd ncfdtridfn ncfdtrinc nctdtr nctdtridf nctdtrinc nctdtrit ndtr ndtri
    ndtri_exp nrdtrimn nrdtrisd obl_ang1 obl_ang1_cv obl_cv obl_cv_seq obl_rad1 obl_rad1_cv obl_rad2 obl_rad2_cv
    owens_t p_roots pbdn_seq pbdv pbdv_seq pbvv pbvv_seq pbwa pdtr pdtrc pdtri pdtrik perm poch polygamma powm1
    pro_ang1 pro_ang1_cv pro_cv pro_cv_seq pro_rad1 pro_rad1_cv pro_rad2 pro_rad2_cv ps_roots pseudo_huber psi
    radian rel_entr rgamma riccati_jn riccati_yn roots_chebyc roots_chebys roots_chebyt roots_chebyu
    roots_gegenbauer roots_genlaguerre roots_hermite roots_hermitenorm roots_jacobi roots_laguerre roots_legendre
    roots_sh_chebyt roots_sh_chebyu roots_sh_jacobi roots_sh_legendre round s_roots seterr sh_chebyt sh_chebyu
    sh_jacobi sh_legendre shichi sici sinc sindg smirnov smirnovi softmax softplus spence sph_harm_y sph_harm_y_all
    sph_legendre_p sph_legendre_p_all spherical_in spherical_jn spherical_kn spherical_yn stdtr stdtridf stdtrit
    stirling2 struve t_roots tandg tklmbda ts_roots u_roots us_roots voigt_profile wofz wright_bessel wrightomega
    xlog1py xlogy y0 y0_zeros y1 y1_zeros y1p_zeros yn yn_zeros ynp_zeros yv yve yvp zeta zetac
  ]],
  ["ndarray"] = [[
    T all any argmax argmin argpartition argsort astype base byteswap choose clip compress conj conjugate copy
    ctypes cumprod cumsum data device diagonal dot dtype dump dumps fill flags flat flatten getfield imag item
    itemsize mT max mean min nbytes ndim nonzero partition prod put ravel real repeat reshape resize round
    searchsorted setfield setflags shape size sort squeeze std strides sum swapaxes take to_device tobytes tofile
    tolist trace transpose var view
  ]],
}
