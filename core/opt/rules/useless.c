/*
 * useless.c -- operations whose result is one of their inputs or a constant.
 * In: a node. Out: what stands in its place; shapes and types are kept by the engine's fitting.
 */
#include "rules.h"

/* fill(x, v) of v's own type is v (a difference of shapes is then found by whoever uses it). */
ThVar *rw_useless_fill(Opt *o, ThApply *a) {
    (void)o;
    return type_eq(a->in[1]->type, a->out[0]->type) ? a->in[1] : NULL;
}

static ThVar *fold_logic(Opt *o, ThApply *a, bool is_and) {
    ThType t = type_tensor(a->out[0]->type.dtype, 0, 0);
    if (t.dtype != TH_BOOL || a->nin != 2) return NULL;
    for (int i = 0; i < 2; i++) {
        double x;
        ThValue v;
        if (!ask_number(a->in[i], &v) || !ask_value(a->in[i], &x)) continue;
        if ((x != 0) == is_and) return a->in[1 - i];
        return opt_const(o, is_and ? 0 : 1, t);
    }
    return NULL;
}

/* Of conj(conj(x)) and of what is not complex nothing is left. */
static ThVar *fold_conj(const ThApply *a) {
    ThVar *x = a->in[0];
    if (!dtype_is_complex(x->type.dtype)) return x;
    return ask_scalar(x, S_conj) ? x->owner->in[0] : NULL;
}

ThVar *rw_useless_elemwise(Opt *o, ThApply *a) {
    ThType t = type_tensor(a->out[0]->type.dtype, 0, 0);
    switch (ask_which(a)) {
    case S_add:
    case S_mul:
    case S_identity: return a->nin == 1 ? a->in[0] : NULL;
    case S_eq: /* on floats NaN is not equal to itself */
        return a->in[0] == a->in[1] && dtype_is_discrete(a->in[0]->type.dtype) ? opt_const(o, 1, t) : NULL;
    case S_neq: return a->in[0] == a->in[1] && dtype_is_discrete(a->in[0]->type.dtype) ? opt_const(o, 0, t) : NULL;
    case S_conj: return fold_conj(a);
    case S_and_: return fold_logic(o, a, true);
    case S_or_: return fold_logic(o, a, false);
    case S_xor: return a->in[0] == a->in[1] ? opt_const(o, 0, t) : NULL;
    case S_maximum:
    case S_minimum: return a->nin == 2 && a->in[0] == a->in[1] ? a->in[0] : NULL;
    default: return NULL;
    }
}

/* switch(constant, a, b), switch(c, a, a). */
ThVar *rw_useless_switch(Opt *o, ThApply *a) {
    double x;
    (void)o;
    if (a->in[1] == a->in[2]) return a->in[1];
    if (!ask_value(a->in[0], &x)) return NULL;
    return x != 0 ? a->in[1] : a->in[2];
}

/* Operations that only change gradients; transfers, since the planner says where values are. */
ThVar *rw_view_op(Opt *o, ThApply *a) {
    (void)o;
    return a->in[0];
}

/* A reduction over no dimension. */
ThVar *rw_useless_reduce(Opt *o, ThApply *a) {
    (void)o;
    return a->in[0]->type.ndim == a->out[0]->type.ndim ? a->in[0] : NULL;
}
