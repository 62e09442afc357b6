/*
 * fold.c -- constant folding: a node whose inputs are all constants becomes a constant.
 * In: Opt.eval for values (views and casts need none). Out: constants of exactly the node's type. Invariant: a node
 * that fails, or whose result would be large, stays as it is.
 */
#include "rules.h"

enum { MAX_ELEMENTS = 1 << 20 }; /* a larger result is cheaper to compute than to keep */

static bool all_constant(const ThApply *a) {
    for (int i = 0; i < a->nin; i++)
        if (!var_is_const(a->in[i]) || a->in[i]->type.kind == TYPE_GENERIC) return false;
    return a->nin > 0;
}

/* Takes the reference on `value`. NULL when its shape is not what the type promises. */
static ThVar *constant(Opt *o, ThArray *value, ThType t) {
    bool fits = value && value->dtype == t.dtype && value->ndim == t.ndim;
    for (int d = 0; fits && d < t.ndim; d++) fits = !type_bcast(t, d) || ARRAY_SHAPE(value)[d] == 1;
    ThVar *v = fits ? const_make_typed(&o->b, value, t) : NULL;
    if (value) th_array_release(value);
    return v;
}

static ThArray *shuffled(ThVar *x, const AttrInts *p) {
    ThArray *in = x->u.data;
    int perm[TH_MAX_NDIM];
    for (int i = 0; i < p->n; i++) perm[i] = p->at[i];
    if (in->size == 1) { /* dropped dimensions too */
        int64_t one[TH_MAX_NDIM];
        for (int i = 0; i < p->n; i++) one[i] = 1;
        return th_array_reshape(in, p->n, one);
    }
    return p->n >= in->ndim ? th_array_transpose(in, p->n, perm) : NULL;
}

static ThVar *evaluate(Opt *o, ThApply *a) {
    ThArray *in[KACC], *out[8] = {NULL};
    if (!o->eval || a->nin > KACC || a->nout > TH_LEN(out) || failed(o->c)) return NULL;
    for (int i = 0; i < a->nin; i++) {
        if (a->in[i]->type.kind == TYPE_NONE) return NULL;
        in[i] = a->in[i]->u.data;
        if (in[i]->size > MAX_ELEMENTS) return NULL;
    }
    if (o->eval(o->c, a, in, out) != 0) {
        if (error_kind(o->c) != TH_MemoryError) th_error_clear(o->c); /* the error is the call's, if it is ever made */
        return NULL;
    }
    ThVar *v = out[0] && out[0]->size <= MAX_ELEMENTS ? constant(o, th_array_retain(out[0]), a->out[0]->type) : NULL;
    for (int i = 0; i < a->nout; i++)
        if (out[i]) th_array_release(out[i]);
    return v;
}

/* Nodes whose result can be far larger than their inputs are left to the plan. */
static bool makes_large(const ThApply *a) {
    enum { MOST_DRAWN = 64 }; /* keys of random numbers and the like */
    if (a->op->flags & OP_DRAWS) {
        int64_t all = 1, n;
        for (int d = 0; d < a->in[a->nin - 1]->u.data->size; d++)
            if (!vector_known(a->in[a->nin - 1], d, &n) || __builtin_mul_overflow(all, n, &all)) return true;
        return all > MOST_DRAWN;
    }
    return a->op == &op_alloc || a->op == &op_alloc_empty || a->op == &op_arange || a->op == &op_eye ||
           a->op == &op_tri;
}

ThVar *rw_constant_folding(Opt *o, ThApply *a) {
    if (!all_constant(a) || (a->op->flags & (OP_EFFECT | OP_CALLS_BACK)) || makes_large(a) || a->nout != 1) return NULL;
    ThType t = a->out[0]->type;
    if (a->op == &op_dimshuffle) {
        ThArray *v = shuffled(a->in[0], ask_attr(a->op, a->attrs, "order"));
        if (v) return constant(o, v, t);
    }
    if (ask_which(a) == S_cast && a->in[0]->type.kind == TYPE_TENSOR && t.kind == TYPE_TENSOR)
        return constant(o, th_array_astype(a->in[0]->u.data, t.dtype), t);
    return evaluate(o, a);
}
