/*
 * reduce.c -- the reductions: types, shapes, names and builders. In: one tensor. Out: the dimensions that are left, in
 * order. Gradients are in grad.c, kernels in lower.c.
 */
#include "reduce.h"

#include <string.h>

/* ---- types ------------------------------------------------------------------------------------------------------- */
static bool drop_axes(Infer *q, const AttrInts *axis, ThType *out, ThDtype dtype) {
    ThType t = q->in[0]->type;
    uint32_t bc = 0;
    int n = 0;
    if (t.kind != TYPE_TENSOR) return err(q->ctx, TH_TypeError, "%s works on tensors", q->op->name);
    for (int i = 0; i < axis->n; i++)
        if (axis->at[i] < 0 || axis->at[i] >= t.ndim)
            return err(q->ctx, TH_ValueError, "%s: axis %d is out of range for a tensor with %d dimensions",
                       q->op->name, axis->at[i], t.ndim);
    for (int d = 0; d < t.ndim; d++) {
        if (axis_in(axis, d)) continue;
        if (type_bcast(t, d)) bc |= 1u << n;
        n++;
    }
    *out = type_tensor(dtype, n, bc);
    return true;
}

static bool infer(Infer *q) {
    const ReduceAttrs *a = q->attrs;
    if (dtype_is_half(a->acc_dtype))
        return err(q->ctx, TH_TypeError, "%s: halves are added up in float32", q->op->name);
    return drop_axes(q, &a->axis, &q->out[0], a->dtype);
}

static bool infer_argmax(Infer *q) {
    const ArgmaxAttrs *a = q->attrs;
    ThType t = q->in[0]->type;
    if (dtype_is_complex(t.dtype)) return err(q->ctx, TH_TypeError, "%s: complex numbers have no order", q->op->name);
    int position = q->op == &op_argmax ? 0 : 1;
    if (position == 1 && !drop_axes(q, &a->axis, &q->out[0], t.dtype)) return false;
    return drop_axes(q, &a->axis, &q->out[position], TH_INT64);
}

/* The largest of nothing exists only where there are no results either. */
static bool some_in_each(ShapeQ *q, const AttrInts *axis) {
    const ShapeAlg *a = q->alg;
    Sz one = a->constant(a->u, 1), each = one, results = one;
    for (int d = 0; d < q->node->in[0]->type.ndim; d++) {
        Sz *part = axis_in(axis, d) ? &each : &results;
        *part = a->op(a->u, '*', *part, a->op(a->u, 'm', q->in[0][d], one));
    }
    return a->equal(a->u, results, a->op(a->u, '*', results, each),
                    "zero-size array to a maximum or minimum, which has no identity: a reduced dimension has length 0");
}

/* Both attribute structs start with the axes. */
static bool shape(ShapeQ *q) {
    const AttrInts *axis = q->node->attrs;
    const Op *op = q->node->op;
    bool position = op == &op_max_and_argmax || op == &op_argmax, extreme = op == &op_max || op == &op_min;
    if ((position || (extreme && !ATTRS(ReduceAttrs, q->node)->or_least)) && !some_in_each(q, axis)) return false;
    for (int o = 0; o < q->node->nout; o++) {
        int n = 0;
        for (int d = 0; d < q->node->in[0]->type.ndim; d++)
            if (!axis_in(axis, d)) q->out[o][n++] = q->in[0][d];
    }
    return true;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */
static void put_axes(Text *t, const AttrInts *axis) {
    for (int i = 0; i < axis->n; i++) text_printf(t, i ? ", %d" : "%d", axis->at[i]);
}

/* Sum{axis=[0], acc_dtype=float64} */
static void str_dtype(Text *t, const ThApply *a) {
    const ReduceAttrs *r = ATTRS(ReduceAttrs, a);
    text_printf(t, "%s{", a->op->name);
    if (r->axis.n >= 0) {
        text_put(t, "axis=[");
        put_axes(t, &r->axis);
        text_put(t, "], ");
    }
    text_printf(t, "acc_dtype=%s}", th_dtype_name(r->acc_dtype));
}

/* All, All{1} */
static void str_bool(Text *t, const ThApply *a) {
    const ReduceAttrs *r = ATTRS(ReduceAttrs, a);
    text_put(t, a->op->name);
    if (r->axis.n < 0) return;
    text_putc(t, '{');
    put_axes(t, &r->axis);
    text_putc(t, '}');
}

/* Reduce{maximum}{1} */
static void str_extremum(Text *t, const ThApply *a) {
    const ReduceAttrs *r = ATTRS(ReduceAttrs, a);
    text_printf(t, "Reduce{%s}", a->op == &op_max ? "maximum" : "minimum");
    if (r->axis.n < 0) return;
    text_putc(t, '{');
    put_axes(t, &r->axis);
    text_putc(t, '}');
}

/* MaxAndArgmax{axis=(1,)}: a Python tuple */
static void str_argmax(Text *t, const ThApply *a) {
    const ArgmaxAttrs *r = ATTRS(ArgmaxAttrs, a);
    text_printf(t, "%s{axis=(", a->op->name);
    put_axes(t, &r->axis);
    text_put(t, r->axis.n == 1 ? ",)}" : ")}");
}

/* ---- the records ------------------------------------------------------------------------------------------------- */
static const AttrField fields[] = {
    {"axis", ATTR_AXES, offsetof(ReduceAttrs, axis), false},
    {"dtype", ATTR_DTYPE, offsetof(ReduceAttrs, dtype), false},
    {"acc_dtype", ATTR_DTYPE, offsetof(ReduceAttrs, acc_dtype), false},
    {"no_zeros_in_input", ATTR_BOOL, offsetof(ReduceAttrs, no_zeros), false},
    {"or_least", ATTR_BOOL, offsetof(ReduceAttrs, or_least), false},
};
static const AttrField argmax_fields[] = {{"axis", ATTR_AXES, offsetof(ArgmaxAttrs, axis), false}};

#define REDUCTION(var, text, fl, gradient, forward, string, about) \
    const Op op_##var = { \
        .name = text, \
        .flags = fl, \
        .nin = 1, \
        .nout = 1, \
        .attr_bytes = sizeof(ReduceAttrs), \
        .attrs = fields, \
        .nattr = TH_LEN(fields), \
        .infer = infer, \
        .shape = shape, \
        .grad = gradient, \
        .lower = reduce_lower, \
        .str = string, \
        .rop = forward, \
        .batch = batch_reduce, \
        .doc = OP_DOC(about), \
    };
REDUCTION(sum, "Sum", OP_PURE, sum_grad, rop_linear, str_dtype, "sum over dimensions")
REDUCTION(prod, "Prod", OP_PURE, prod_grad, NULL, str_dtype, "product over dimensions")
REDUCTION(all, "All", OP_PURE, flat_grad, NULL, str_bool, "logical and over dimensions")
REDUCTION(any, "Any", OP_PURE, flat_grad, NULL, str_bool, "logical or over dimensions")
REDUCTION(max, "Max", OP_FAILS, extremum_grad, NULL, str_extremum, "largest element over dimensions; NaN propagates")
REDUCTION(min, "Min", OP_FAILS, extremum_grad, NULL, str_extremum, "smallest element over dimensions; NaN propagates")

const Op op_max_and_argmax = {
    .name = "MaxAndArgmax",
    .flags = OP_FAILS,
    .nin = 1,
    .nout = 2,
    .attr_bytes = sizeof(ArgmaxAttrs),
    .attrs = argmax_fields,
    .nattr = 1,
    .infer = infer_argmax,
    .shape = shape,
    .grad = max_and_argmax_grad,
    .lower = argmax_lower,
    .str = str_argmax,
    .batch = batch_argmax,
    .doc = OP_DOC("largest element over dimensions and its first position"),
};
const Op op_argmax = {
    .name = "Argmax",
    .flags = OP_FAILS,
    .nin = 1,
    .nout = 1,
    .attr_bytes = sizeof(ArgmaxAttrs),
    .attrs = argmax_fields,
    .nattr = 1,
    .infer = infer_argmax,
    .shape = shape,
    .grad = flat_grad,
    .lower = argmax_lower,
    .str = str_argmax,
    .batch = batch_argmax,
    .doc = OP_DOC("first position of the largest element over dimensions"),
};

/* ---- builders ---------------------------------------------------------------------------------------------------- */
static ThDtype widest_int(ThDtype d) {
    if (d == TH_BOOL || dtype_is_signed(d)) return TH_INT64;
    return dtype_is_unsigned(d) ? TH_UINT64 : d;
}

static ThDtype default_acc(ThDtype d) {
    return d == TH_FLOAT32 ? TH_FLOAT64 : d == TH_COMPLEX64 ? TH_COMPLEX128 : widest_int(d);
}

/* The accumulator must hold every input value; the result may have any dtype. Integers may accumulate as floats. */
static bool check_lossless(Builder *b, const Op *op, ThDtype in, ThDtype acc) {
    if (!dtype_is_discrete(acc) && dtype_is_discrete(in)) return true;
    if (th_dtype_upcast(in, acc) == acc) return true;
    return err(
        b->ctx, TH_TypeError,
        "%s of %s with acc_dtype %s would lose precision: leave acc_dtype out, give one at least as precise as %s, or "
        "cast the input with T.cast(x, \"%s\")",
        op->name, th_dtype_name(in), th_dtype_name(acc), th_dtype_name(in), th_dtype_name(acc));
}

static void set_axis(AttrInts *to, const AttrInts *from) {
    if (from) *to = *from;
    else to->n = -1;
    for (int i = to->n < 0 ? 0 : to->n; i < TH_MAX_NDIM; i++) to->at[i] = 0;
}

/* Halves are added up in float32, and the result is rounded once. */
static ThVar *reduce_halves(Builder *b, const Op *op, ThVar *x, const AttrInts *axis, ThDtype dtype, ThDtype acc,
                            bool no_zeros) {
    const ThDtype in = x->type.dtype, wide = acc == TH_DTYPE_NONE && dtype_is_half(in) ? TH_FLOAT32 : acc;
    const bool logical = op == &op_all || op == &op_any;
    if (acc != TH_DTYPE_NONE && !check_lossless(b, op, in, acc)) return NULL;
    ThVar *r = reduce_make(b, op, cast_make(b, x, dtype_computed(in)), axis,
                           dtype == TH_DTYPE_NONE ? dtype : dtype_computed(dtype),
                           wide == TH_DTYPE_NONE ? wide : dtype_computed(wide), no_zeros);
    return logical ? r : cast_make(b, r, dtype != TH_DTYPE_NONE ? dtype : in);
}

ThVar *reduce_make(Builder *b, const Op *op, ThVar *x, const AttrInts *axis, ThDtype dtype, ThDtype acc,
                   bool no_zeros) {
    if (!x) return NULL;
    if (dtype_is_half(x->type.dtype) || dtype_is_half(dtype) || dtype_is_half(acc))
        return reduce_halves(b, op, x, axis, dtype, acc, no_zeros);
    ThDtype in = x->type.dtype;
    bool logical = op == &op_all || op == &op_any, adds = op == &op_sum || op == &op_prod;
    if (logical && in != TH_BOOL) {
        x = elemwise_2(b, S_neq, x, const_int(b, 0, TH_DTYPE_NONE));
        in = TH_BOOL;
    }
    if (dtype_is_complex(in) && !adds) {
        err(b->ctx, TH_TypeError, "%s: complex numbers have no order", op->name);
        return NULL;
    }
    if (dtype != TH_DTYPE_NONE && dtype_is_complex(in) && !dtype_is_complex(dtype)) {
        err(b->ctx, TH_TypeError, "%s of %s cannot have dtype %s: take the real part first", op->name,
            th_dtype_name(in), th_dtype_name(dtype));
        return NULL;
    }
    if (acc != TH_DTYPE_NONE && !check_lossless(b, op, in, acc)) return NULL;
    ReduceAttrs a;
    memset(&a, 0, sizeof a);
    set_axis(&a.axis, axis);
    a.dtype = (uint8_t)(dtype != TH_DTYPE_NONE ? dtype : adds ? widest_int(in) : in);
    a.acc_dtype = (uint8_t)(acc != TH_DTYPE_NONE ? acc : adds ? default_acc(in) : in);
    a.no_zeros = no_zeros;
    return apply1(b, op, &a, &x, 1);
}

ThApply *max_and_argmax_make(Builder *b, ThVar *x, const AttrInts *axis) {
    if (!x) return NULL;
    if (dtype_is_half(x->type.dtype) && !(x = cast_make(b, x, TH_FLOAT32))) return NULL;
    ArgmaxAttrs a;
    memset(&a, 0, sizeof a);
    set_axis(&a.axis, axis);
    if (a.axis.n <= 0) /* no axes mean all of them, unlike for sums: Theano's MaxAndArgmax */
        for (a.axis.n = 0; a.axis.n < x->type.ndim; a.axis.n++) a.axis.at[a.axis.n] = a.axis.n;
    return apply_make(b, &op_max_and_argmax, &a, &x, 1);
}

ThVar *keepdims_make(Builder *b, ThVar *x, ThVar *y, const AttrInts *axis) {
    int8_t pattern[TH_MAX_NDIM];
    int n = 0;
    if (!x || !y) return NULL;
    for (int d = 0; d < x->type.ndim; d++) pattern[d] = (int8_t)(axis_in(axis, d) ? -1 : n++);
    return dimshuffle_node(b, y, pattern, x->type.ndim);
}
