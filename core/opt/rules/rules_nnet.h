/* rules_nnet.h -- softmax and its logarithm. */
/* clang-format off */
/*   name                        levels      before                               after                  only if */
RULE(local_logsoftmax,           CANON|STAB|SPEC|FC, "log(Softmax(x))",           "LogSoftmax(x)",       "")
REWRITE(local_logsoftmax,        CANON|STAB|SPEC|FC, "log", 3, rw_logsoftmax_view)
REWRITE(local_logsoftmax_grad,   STAB|SPEC,  "SoftmaxGrad", 2, rw_logsoftmax_grad)
REWRITE(local_advanced_indexing_crossentropy_onehot_grad, STAB|SPEC, "SoftmaxGrad", 3, rw_crossentropy_onehot_grad)
REWRITE(local_softmax_grad_to_crossentropy_with_softmax_grad, STAB|SPEC, "SoftmaxGrad", 2, rw_softmax_grad_to_xent)
REWRITE(local_advanced_indexing_crossentropy_onehot, SPEC, "AdvancedSubtensor", 2, rw_crossentropy_onehot)
REWRITE(local_useless_crossentropy_softmax_1hot_with_bias_dx_alloc, SPEC, "CrossentropySoftmax1HotWithBiasDx", 2, rw_xent_dx_alloc)
REWRITE(local_crossentropy_1hot_grad_times_p, CANON|STAB|SPEC, "mul", 2, rw_xent_grad_times_p)
REWRITE(local_softmax_with_bias, SPEC,       "Softmax", 2, rw_softmax_with_bias)
REWRITE(softmax_simplifier,      CANON|STAB|SPEC, "true_div", 3, rw_softmax)
REWRITE(softmax_simplifier,      STAB|SPEC,  "mul", 3, rw_softmax)
REWRITE(local_log_of_product,    STAB|SPEC,  "log", 3, rw_log_of_product)
REWRITE(local_abstractconv_gemm,             SPECDEV|FC, "AbstractConv", 1, rw_conv_gemm)
REWRITE(local_abstractconv_gradinputs_gemm,  SPECDEV|FC, "AbstractConv_gradInputs", 1, rw_conv_gemm)
REWRITE(local_abstractconv_gradweight_gemm,  SPECDEV|FC, "AbstractConv_gradWeights", 1, rw_conv_gemm)
REWRITE(local_max_pool_grad_from_input,      SPECDEV, "MaxPoolGrad", 2, rw_max_pool_grad_from_input)
