/* rules.h -- the C rewrites that the rules_*.h tables name. Each is a RewriteFn; see rewrite.h. */
#ifndef TH_OPT_RULES_H
#define TH_OPT_RULES_H

#include "opt/engine/rewrite.h"

ThVar *rw_constant_folding(Opt *o, ThApply *a); /* fold.c */
ThVar *rw_useless_fill(Opt *o, ThApply *a);     /* useless.c */
ThVar *rw_sparse_part(Opt *o, ThApply *a);      /* sparse.c */
ThVar *rw_sparse_with(Opt *o, ThApply *a);
ThVar *rw_sparse_word(Opt *o, ThApply *a);
ThVar *rw_sparse_turned(Opt *o, ThApply *a);
ThVar *rw_dense_from_sparse(Opt *o, ThApply *a);
ThVar *rw_sparse_total(Opt *o, ThApply *a);
ThVar *rw_sparse_take(Opt *o, ThApply *a);
ThVar *rw_useless_elemwise(Opt *o, ThApply *a);
ThVar *rw_useless_switch(Opt *o, ThApply *a);
ThVar *rw_useless_reduce(Opt *o, ThApply *a);
ThVar *rw_view_op(Opt *o, ThApply *a);
ThVar *rw_logistic(Opt *o, ThApply *a); /* logistic.c */
ThVar *rw_gauss(Opt *o, ThApply *a);    /* gauss.c */
ThVar *rw_log1p(Opt *o, ThApply *a);    /* ones.c */
ThVar *rw_erf_beside_one(Opt *o, ThApply *a);
ThVar *rw_erfc_beside_one(Opt *o, ThApply *a);
ThVar *rw_exp_beside_one(Opt *o, ThApply *a);
ThVar *rw_expm1_beside_one(Opt *o, ThApply *a);
ThVar *rw_sigmoid_beside_one(Opt *o, ThApply *a);
ThVar *rw_logsoftmax_grad(Opt *o, ThApply *a); /* homogeneous.c */
ThVar *rw_softmax(Opt *o, ThApply *a);
ThVar *rw_log_of_product(Opt *o, ThApply *a); /* softmaxes.c */
ThVar *rw_fill_sink(Opt *o, ThApply *a);      /* fill.c */
ThVar *rw_fill_to_alloc(Opt *o, ThApply *a);
ThVar *rw_elemwise_alloc(Opt *o, ThApply *a);
ThVar *rw_useless_inc_subtensor_alloc(Opt *o, ThApply *a);
bool reshapes_keep(Opt *o, ThVar *shape, int d, ThVar *x, int e); /* reshapes.c */
ThVar *rw_shape_to_shape_i(Opt *o, ThApply *a);                   /* shape_feature.c */
ThVar *rw_track_shape_i(Opt *o, ThApply *a);
ThVar *rw_subtensor_make_vector(Opt *o, ThApply *a); /* views.c */
ThVar *rw_dimshuffle_merge(Opt *o, ThApply *a);
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
ThVar *rw_pow_specialize_device(Opt *o, ThApply *a); /* powers.c */
ThVar *rw_abs_lift(Opt *o, ThApply *a);
ThVar *rw_abs_merge(Opt *o, ThApply *a);
ThVar *rw_cast_cast(Opt *o, ThApply *a);
ThVar *rw_useless_elemwise_comparison(Opt *o, ThApply *a);
ThVar *rw_useless_extremum(Opt *o, ThApply *a);
ThVar *rw_mul_switch_sink(Opt *o, ThApply *a);
ThVar *rw_div_switch_sink(Opt *o, ThApply *a);
ThVar *rw_merge_switch_same_cond(Opt *o, ThApply *a);
ThVar *rw_inverse_to_solve(Opt *o, ThApply *a); /* linalg.c */
ThVar *rw_inverse_transposed(Opt *o, ThApply *a);
ThVar *rw_det_transposed(Opt *o, ThApply *a);
ThVar *rw_solve_transposed(Opt *o, ThApply *a);
ThVar *rw_solve_structure(Opt *o, ThApply *a);
ThVar *rw_hint(Opt *o, ThApply *a);
ThVar *rw_log_det(Opt *o, ThApply *a);
/* Has each sum of x over axis something to add, whatever the call? */
bool sums_some(Opt *o, ThVar *x, const AttrInts *axis); /* sums.c */
/* A factor (divisor) that is finite (not 0) where the inputs that it is made of are. */
bool sums_plain(const ThVar *v, bool divides);
ThVar *rw_op_of_op(Opt *o, ThApply *a);
ThVar *rw_opt_alloc(Opt *o, ThApply *a);
ThVar *rw_sum_div_dimshuffle(Opt *o, ThApply *a);
ThVar *rw_max_and_argmax(Opt *o, ThApply *a);
ThVar *rw_max_to_min(Opt *o, ThApply *a);
ThVar *rw_reduce_join(Opt *o, ThApply *a);
ThVar *rw_log_sum_exp(Opt *o, ThApply *a);
ThVar *rw_0_dot_x(Opt *o, ThApply *a);
ThVar *rw_log_erfc(Opt *o, ThApply *a);
ThVar *rw_useless_slice(Opt *o, ThApply *a); /* subscripts.c */
ThVar *rw_useless_subtensor(Opt *o, ThApply *a);
ThVar *rw_subtensor_merge(Opt *o, ThApply *a);
/* The parts of one entry in place of two, int64 and NULL where there is none. */
typedef struct Merged {
    char kind;
    ThVar *part[3];
} Merged;
/* Entry e of a's subscript on entry d, a slice, of in's. false: they stay two. */
bool slices_merge(Opt *o, ThApply *in, int d, ThApply *a, int e, Merged *m); /* slices.c */
ThVar *rw_subtensor_of_alloc(Opt *o, ThApply *a);
ThVar *rw_subtensor_of_dot(Opt *o, ThApply *a);
ThVar *rw_subtensor_inc_subtensor(Opt *o, ThApply *a);
ThVar *rw_useless_inc_subtensor(Opt *o, ThApply *a);
ThVar *rw_incsubtensor_of_zeros(Opt *o, ThApply *a);
ThVar *rw_setsubtensor_of_constants(Opt *o, ThApply *a);
ThVar *rw_inc_subtensor_serialize(Opt *o, ThApply *a);
ThVar *rw_reshape_chain(Opt *o, ThApply *a);
ThVar *rw_useless_reshape(Opt *o, ThApply *a); /* reshapes.c */
ThVar *rw_useless_dimshuffle_in_reshape(Opt *o, ThApply *a);
ThVar *rw_reshape_to_dimshuffle(Opt *o, ThApply *a);
ThVar *rw_reshape_lift(Opt *o, ThApply *a);
ThVar *rw_useless_rebroadcast(Opt *o, ThApply *a);
ThVar *rw_rebroadcast_lift(Opt *o, ThApply *a);
ThVar *rw_lift_transpose_through_dot(Opt *o, ThApply *a);
ThVar *rw_useless_alloc(Opt *o, ThApply *a);
ThVar *rw_merge_alloc(Opt *o, ThApply *a);
ThVar *rw_alloc_dimshuffle(Opt *o, ThApply *a);
ThVar *rw_alloc_unary(Opt *o, ThApply *a);
ThVar *rw_join_1(Opt *o, ThApply *a);
ThVar *rw_join_empty(Opt *o, ThApply *a);
ThVar *rw_join_make_vector(Opt *o, ThApply *a);
ThVar *rw_useless_split(Opt *o, ThApply *a);
ThVar *rw_dimshuffle_alloc(Opt *o, ThApply *a);
ThVar *rw_subtensor_remove_broadcastable_index(Opt *o, ThApply *a); /* subscripts.c */
ThVar *rw_set_to_inc_subtensor(Opt *o, ThApply *a);
ThVar *rw_adv_sub1_adv_inc_sub1(Opt *o, ThApply *a);
ThVar *rw_inc_of_zeros(Opt *o, ThApply *a);
ThVar *rw_zeros_beside_slices(Opt *o, ThApply *a);
ThVar *rw_add_rows(Opt *o, ThApply *a);
ThVar *rw_dimshuffle_subtensor(Opt *o, ThApply *a);
ThVar *rw_useless_assert(Opt *o, ThApply *a); /* rest.c */
ThVar *rw_remove_all_assert(Opt *o, ThApply *a);
ThVar *rw_alloc_empty_to_zeros(Opt *o, ThApply *a);
ThVar *rw_logsoftmax_view(Opt *o, ThApply *a);
ThVar *rw_argmax_pushdown(Opt *o, ThApply *a);
ThVar *rw_sumsqr2dot(Opt *o, ThApply *a);
ThVar *rw_conv_gemm(Opt *o, ThApply *a); /* conv.c */
ThVar *rw_max_pool_grad_from_input(Opt *o, ThApply *a);
ThVar *rw_softmax_with_bias(Opt *o, ThApply *a); /* xent.c */
ThVar *rw_crossentropy_onehot(Opt *o, ThApply *a);
ThVar *rw_crossentropy_onehot_grad(Opt *o, ThApply *a);
ThVar *rw_softmax_grad_to_xent(Opt *o, ThApply *a);
ThVar *rw_xent_dx_alloc(Opt *o, ThApply *a);
ThVar *rw_xent_grad_times_p(Opt *o, ThApply *a);
ThVar *rw_grad_safe_mul(Opt *o, ThApply *a); /* safe.c */
ThVar *rw_grad_safe_div(Opt *o, ThApply *a);
ThVar *rw_dot_to_dot22(Opt *o, ThApply *a); /* blas.c */
ThVar *rw_dot22_to_dot22scalar(Opt *o, ThApply *a);
ThVar *rw_gemm_to_gemv(Opt *o, ThApply *a);
ThVar *rw_gemm_to_ger(Opt *o, ThApply *a);
ThVar *rw_dot22_to_ger_or_gemv(Opt *o, ThApply *a);

#endif
