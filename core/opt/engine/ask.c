/*
 * ask.c -- questions that rules ask about variables, and constants they build.
 * In: variables of the FGraph. Out: answers in O(1), or in the length of a chain of DimShuffles. Nothing is changed.
 */
#include "rewrite.h"

#include <string.h>

ThApply *ask_scalar(const ThVar *v, int scalar) {
    return v && v->owner && ask_which(v->owner) == scalar ? v->owner : NULL;
}

ThApply *ask_exact(const ThVar *v, int scalar, ThDtype d) {
    ThApply *a = ask_scalar(v, scalar);
    return a && (v->type.dtype == d || !dtype_is_discrete(v->type.dtype)) ? a : NULL;
}

bool ask_op(const ThVar *v, const Op *op) { return v && v->owner && v->owner->op == op; }

bool ask_all_bcast(ThType t) {
    uint32_t all = t.ndim >= 32 ? ~0u : (1u << t.ndim) - 1;
    return (t.broadcastable & all) == all;
}

static const ThVar *constant_behind(const ThVar *v) {
    while (v && v->owner && v->owner->op == &op_dimshuffle) v = v->owner->in[0];
    return v && var_is_const(v) && v->type.kind == TYPE_TENSOR ? v : NULL;
}

bool ask_value(const ThVar *v, double *x) {
    const ThVar *k = constant_behind(v);
    return k && const_all_equal(k, x);
}

bool ask_equals(const ThVar *v, double x) {
    double y;
    return ask_value(v, &y) && y == x;
}

bool ask_zeros(const ThVar *x) {
    ThApply *f = ask_scalar(x, S_second);
    return ask_equals(x, 0) || (f && ask_equals(f->in[1], 0)) ||
           (ask_op(x, &op_alloc) && ask_equals(x->owner->in[0], 0));
}

/* The integer that a float shows, or v itself. */
static const ThVar *integer_behind(const ThVar *v) {
    while (v->owner && (v->owner->op == &op_dimshuffle || ask_which(v->owner) == S_cast)) v = v->owner->in[0];
    return v;
}

bool ask_count(const ThVar *v) {
    v = integer_behind(v);
    return v->type.kind == TYPE_TENSOR && dtype_is_discrete(v->type.dtype) && v->type.dtype != TH_BOOL;
}

bool ask_length(const ThVar *v) {
    v = integer_behind(v);
    for (int i = 0; i < TH_MAX_NDIM && ask_scalar(v, S_mul); i++) v = integer_behind(v->owner->in[0]);
    if (ask_op(v, &op_prod) || ask_op(v, &op_subtensor)) v = v->owner->in[0];
    return ask_op(v, &op_shape) || ask_op(v, &op_shape_i);
}

bool ask_number(const ThVar *v, ThValue *x) {
    const ThVar *k = constant_behind(v);
    if (!k || !ask_all_bcast(v->type) || k->u.data->size != 1 || dtype_is_complex(k->type.dtype)) return false;
    if (dtype_is_float(k->type.dtype)) x->f = array_item_float(k->u.data);
    else x->i = array_item_int(k->u.data);
    return true;
}

const void *ask_attr(const Op *op, const void *attrs, const char *name) {
    for (int i = 0; i < op->nattr; i++)
        if (strcmp(op->attrs[i].name, name) == 0) return (const char *)attrs + op->attrs[i].offset;
    return NULL;
}

const Op *opt_op_named(const char *name) {
    const Op *op = op_find(name);
    for (int i = 0; !op && i < op_count; i++)
        if (text_same(op_table[i]->name, name)) op = op_table[i];
    return op;
}

/* 0-d constant of t's dtype, seen with t's rank where all of t's dims may broadcast. */
ThVar *opt_number(Opt *o, ThValue x, ThType t) {
    ThVar *v;
    if (dtype_is_float(t.dtype) || dtype_is_complex(t.dtype)) v = const_float(&o->b, x.f, t.dtype);
    else v = const_int(&o->b, x.i, t.dtype);
    return v && ask_all_bcast(t) ? padleft_make(&o->b, v, t.ndim) : v;
}

ThVar *opt_const(Opt *o, double x, ThType t) {
    ThValue v;
    if (dtype_is_float(t.dtype) || dtype_is_complex(t.dtype)) v.f = x;
    else v.i = (int64_t)x;
    return opt_number(o, v, t);
}

ThVar *opt_call(Opt *o, int scalar, ThVar **in, int nin, ThDtype d) {
    bool wide = false;
    if (!nin || !in[0]) return NULL;
    if (nin == 1) return cast_make(&o->b, in[0], d);
    for (int i = 0; i < nin; i++) wide |= !in[i] || in[i]->type.dtype == d;
    if (!wide) in[0] = cast_make(&o->b, in[0], d); /* a constant that is gone had made it so wide */
    return elemwise_make(&o->b, scalar, in, nin);
}
