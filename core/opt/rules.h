/* rules.h -- the C rewrites that the rules_*.h tables name. Each is a RewriteFn; see rewrite.h. */
#ifndef TH_OPT_RULES_H
#define TH_OPT_RULES_H

#include "rewrite.h"

ThVar *rw_constant_folding(Opt *o, ThApply *a); /* fold.c */
ThVar *rw_useless_fill(Opt *o, ThApply *a);     /* useless.c */
ThVar *rw_useless_elemwise(Opt *o, ThApply *a);
ThVar *rw_useless_switch(Opt *o, ThApply *a);
ThVar *rw_useless_reduce(Opt *o, ThApply *a);
ThVar *rw_view_op(Opt *o, ThApply *a);
ThVar *rw_exp_over_1_plus_exp(Opt *o, ThApply *a); /* nnet.c */
ThVar *rw_logsoftmax_grad(Opt *o, ThApply *a);
ThVar *rw_softmax(Opt *o, ThApply *a);
ThVar *rw_fill_sink(Opt *o, ThApply *a); /* fill.c */
ThVar *rw_fill_to_alloc(Opt *o, ThApply *a);
ThVar *rw_elemwise_alloc(Opt *o, ThApply *a);
ThVar *rw_useless_inc_subtensor_alloc(Opt *o, ThApply *a);
ThVar *rw_shape_to_shape_i(Opt *o, ThApply *a); /* shape_feature.c */
ThVar *rw_track_shape_i(Opt *o, ThApply *a);
ThVar *rw_subtensor_make_vector(Opt *o, ThApply *a); /* views.c */
ThVar *rw_dimshuffle_lift(Opt *o, ThApply *a);
ThVar *rw_subtensor_lift(Opt *o, ThApply *a);
ThVar *rw_upcast_constants(Opt *o, ThApply *a); /* arith.c */
ThVar *rw_mul_zero(Opt *o, ThApply *a);
ThVar *rw_neg_to_mul(Opt *o, ThApply *a);
ThVar *rw_mul_to_sqr(Opt *o, ThApply *a);
ThVar *rw_mul_specialize(Opt *o, ThApply *a);
ThVar *rw_add_specialize(Opt *o, ThApply *a);
ThVar *rw_add_canonizer(Opt *o, ThApply *a); /* canon.c */
ThVar *rw_mul_canonizer(Opt *o, ThApply *a);
ThVar *rw_greedy_distributor(Opt *o, ThApply *a); /* greedy.c */
ThVar *rw_reduce_all_to_none(Opt *o, ThApply *a); /* reduce.c */
ThVar *rw_reduce_broadcastable(Opt *o, ThApply *a);
ThVar *rw_sum_mul_by_scalar(Opt *o, ThApply *a);
ThVar *rw_dot_to_dot22(Opt *o, ThApply *a); /* blas.c */
ThVar *rw_dot22_to_dot22scalar(Opt *o, ThApply *a);
ThVar *rw_gemm_to_gemv(Opt *o, ThApply *a);
ThVar *rw_gemm_to_ger(Opt *o, ThApply *a);
ThVar *rw_dot22_to_ger_or_gemv(Opt *o, ThApply *a);

#endif
