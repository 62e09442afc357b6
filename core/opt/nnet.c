/*
 * nnet.c -- softmax out of quotients, the gradient of the logarithm of a softmax.
 * These keep precision where the written form overflows or divides by zero.
 */
#include "rules.h"

#include "../ops/reduce.h"

/* SoftmaxGrad(g / sm, sm) with sm = Softmax(x) is the gradient of log(softmax(x)): g - sum(g, axis 1, kept) * sm. */
ThVar *rw_logsoftmax_grad(Opt *o, ThApply *a) {
    ThApply *div = ask_scalar(a->in[0], S_true_div);
    ThVar *sm = a->in[1];
    if (!div || div->in[1] != sm || !ask_op(sm, &op_softmax) || div->in[0]->type.ndim != 2) return NULL;
    ThVar *g = div->in[0];
    if (xent_scatters(o, g)) return NULL; /* local_advanced_indexing_crossentropy_onehot_grad's */
    if (g->type.broadcastable != sm->type.broadcastable)
        g = second_make(&o->b, sm, g); /* its sum counts every column */
    if (!g) return NULL;
    AttrInts axis = {.n = 1, .at = {1}};
    ThVar *total = keepdims_make(&o->b, g, sum_make(&o->b, g, &axis), &axis);
    return call2(o, S_sub, g, call2(o, S_mul, total, sm));
}

/* exp(x) / (sum over the rows of exp(x), kept as a column) -> Softmax(x), which subtracts the maximum first. */
ThVar *rw_softmax(Opt *o, ThApply *a) {
    ThApply *e = ask_scalar(a->in[0], S_exp);
    const ThVar *total = a->in[1];
    if (!e || e->in[0]->type.ndim != 2 || !ask_op(total, &op_dimshuffle)) return NULL;
    const AttrInts *p = ask_attr(total->owner->op, total->owner->attrs, "order");
    const ThVar *sum = total->owner->in[0];
    if (p->n != 2 || p->at[0] != 0 || p->at[1] != -1 || !ask_op(sum, &op_sum) || sum->owner->in[0] != a->in[0])
        return NULL;
    const ReduceAttrs *r = sum->owner->attrs;
    return r->axis.n == 1 && r->axis.at[0] == 1 ? softmax_make(&o->b, &op_softmax, e->in[0]) : NULL;
}
