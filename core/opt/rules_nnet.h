/* rules_nnet.h -- softmax and its logarithm. */
/* clang-format off */
/*   name                        levels      before                               after                  only if */
RULE(local_logsoftmax,           CANON|STAB|SPEC|FC, "log(Softmax(x))",           "LogSoftmax(x)",       "")
REWRITE(local_logsoftmax,        CANON|STAB|SPEC|FC, "log", 3, rw_logsoftmax_view)
REWRITE(local_logsoftmax_grad,   STAB|SPEC,  "SoftmaxGrad", 2, rw_logsoftmax_grad)
REWRITE(softmax_simplifier,      CANON|STAB|SPEC, "true_div", 3, rw_softmax)
