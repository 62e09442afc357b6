/*
 * alloc.c -- tensors made from lengths: Alloc (a value broadcast to a shape), AllocEmpty, ARange, Eye, Tri.
 * In: integer scalars for the lengths (one an input), a value or bounds. Out: a new C-contiguous tensor; lengths that
 * are the constant 1 become broadcastable dimensions. Negative lengths raise ValueError.
 */
#include "ops/table/shape.h"
#include "ops/table/lowering.h"

static Sz calc(const ShapeAlg *a, char op, Sz x, Sz y) { return a->op(a->u, op, x, y); }

static const AttrField dtype_fields[] = {{"dtype", ATTR_DTYPE, offsetof(DtypeAttrs, dtype), false}};

static bool want_int(Infer *q, int i, const char *what) {
    ThType t = q->in[i]->type;
    if (t.kind == TYPE_TENSOR && t.ndim == 0 && dtype_is_int((ThDtype)t.dtype)) return true;
    char hint[96];
    return err(q->ctx, TH_TypeError, "%s: %s must be integer scalars; input %d is not%s", q->op->name, what, i,
               const_float_hint(q->in[i], hint));
}

/* Lengths from input `first` on: bits of those known to be 1. */
static bool want_lengths(Infer *q, int first, uint32_t *bits) {
    *bits = 0;
    if (q->nin - first > TH_MAX_NDIM)
        return err(q->ctx, TH_ValueError, "%s: %d dimensions are too many (at most %d)", q->op->name, q->nin - first,
                   TH_MAX_NDIM);
    for (int i = first; i < q->nin; i++) {
        int64_t v;
        if (!want_int(q, i, "Shape arguments")) return false;
        if (scalar_known(q->in[i], &v) && v == 1) *bits |= 1u << (i - first);
    }
    return true;
}

static bool put_lengths(ShapeQ *q, int first) {
    const ShapeAlg *a = q->alg;
    for (int i = first; i < q->node->nin; i++) {
        int64_t k;
        bool known = scalar_known(q->node->in[i], &k);
        Sz v = known ? a->constant(a->u, k) : a->value(a->u, i, 0);
        if (!known || k < 0)
            if (!a->equal(a->u, v, calc(a, 'M', v, a->constant(a->u, 0)), "negative dimension {0} is not allowed"))
                return false;
        q->out[0][i - first] = v;
    }
    return true;
}

/* ---- Alloc ------------------------------------------------------------------------------------------------------- */
static bool infer_alloc(Infer *q) {
    uint32_t bits;
    if (q->nin < 1 || q->in[0]->type.kind != TYPE_TENSOR)
        return err(q->ctx, TH_TypeError, "Alloc takes a tensor and lengths");
    ThType v = q->in[0]->type;
    if (!want_lengths(q, 1, &bits)) return false;
    int ndim = q->nin - 1, pad = ndim - v.ndim;
    if (pad < 0)
        return err(q->ctx, TH_TypeError,
                   "The Alloc value to use has more dimensions (%d) than the specified shape (%d)", v.ndim, ndim);
    q->out[0] = type_tensor((ThDtype)v.dtype, ndim, bits);
    return true;
}

static bool shape_alloc(ShapeQ *q) {
    const ThType v = q->node->in[0]->type;
    int pad = q->node->nin - 1 - v.ndim;
    if (!put_lengths(q, 1)) return false;
    for (int d = 0; d < v.ndim; d++)
        if (!type_bcast(v, d) && !q->alg->equal(q->alg->u, q->in[0][d], q->out[0][d + pad],
                                                "Alloc: the value has length {0} where the shape says {1}"))
            return false;
    return true;
}

static void grad_alloc(Grad *g) {
    g->gx[0] = unbroadcast_make(g->b, g->gz[0], g->node->in[0]);
    for (int i = 1; i < g->node->nin; i++) g->gx[i] = NULL;
}

static bool first_connected(const ThApply *a, int in, int out) {
    (void)a, (void)out;
    return in == 0;
}

static bool lower_alloc(Lower *l) { return l->api->copy(l, 0, 0); }

static void put_args(Text *t, const ThApply *a, void (*arg)(Text *t, const ThApply *a, int i)) {
    for (int i = 0; i < a->nin; i++) {
        if (i) text_put(t, ", ");
        arg(t, a, i);
    }
}

static void pp_alloc(Text *t, const ThApply *a, void (*arg)(Text *t, const ThApply *a, int i)) {
    text_put(t, "alloc(");
    put_args(t, a, arg);
    text_putc(t, ')');
}

const Op op_alloc = {
    .name = "Alloc",
    .flags = OP_FAILS | OP_HALVES,
    .nin = -1,
    .nout = 1,
    .infer = infer_alloc,
    .shape = shape_alloc,
    .grad = grad_alloc,
    .lower = lower_alloc,
    .pp = pp_alloc,
    .connected = first_connected,
    .rop = rop_linear,
    .batch = batch_alloc,
    .doc = OP_DOC("a value broadcast to a shape"),
};

ThVar *alloc_make(Builder *b, ThVar *value, ThVar *const *shape, int n) {
    ThVar *in[1 + TH_MAX_NDIM] = {value};
    if (n > TH_MAX_NDIM) {
        err(b->ctx, TH_ValueError, "alloc: %d dimensions are too many (at most %d)", n, TH_MAX_NDIM);
        return NULL;
    }
    for (int i = 0; i < n; i++) in[1 + i] = shape[i];
    return apply1(b, &op_alloc, NULL, in, n + 1);
}

/* ---- AllocEmpty -------------------------------------------------------------------------------------------------- */
static bool infer_alloc_empty(Infer *q) {
    uint32_t bits;
    if (!want_lengths(q, 0, &bits)) return false;
    q->out[0] = type_tensor((ThDtype)((const DtypeAttrs *)q->attrs)->dtype, q->nin, bits);
    return true;
}

static bool shape_alloc_empty(ShapeQ *q) { return put_lengths(q, 0); }

static void grad_nothing(Grad *g) {
    for (int i = 0; i < g->node->nin; i++) g->gx[i] = NULL;
}

static bool not_connected(const ThApply *a, int in, int out) {
    (void)a, (void)in, (void)out;
    return false;
}

static bool lower_nothing(Lower *l) {
    (void)l; /* the contents are undefined: whoever uses it writes first */
    return true;
}

static void str_dtype(Text *t, const ThApply *a) {
    text_printf(t, "%s{dtype='%s'}", a->op->name, th_dtype_name((ThDtype)ATTRS(DtypeAttrs, a)->dtype));
}

const Op op_alloc_empty = {
    .name = "AllocEmpty",
    .flags = OP_FAILS | OP_HALVES,
    .nin = -1,
    .nout = 1,
    .attr_bytes = sizeof(DtypeAttrs),
    .attrs = dtype_fields,
    .nattr = 1,
    .infer = infer_alloc_empty,
    .shape = shape_alloc_empty,
    .grad = grad_nothing,
    .lower = lower_nothing,
    .str = str_dtype,
    .connected = not_connected,
    .batch = batch_alloc_empty,
    .doc = OP_DOC("memory of a shape, contents undefined"),
};

ThVar *alloc_empty_make(Builder *b, ThDtype d, ThVar *const *shape, int n) {
    return apply1(b, &op_alloc_empty, &(DtypeAttrs){(uint8_t)d}, shape, n);
}

/* ---- ARange ------------------------------------------------------------------------------------------------------ */
/* Inputs start, stop, step; with float bounds a fourth: the length, ceil((stop - start) / step) as int64, computed by
 * the graph. */
static bool infer_arange(Infer *q) {
    ThDtype d = (ThDtype)((const DtypeAttrs *)q->attrs)->dtype;
    bool ints = true;
    if (q->nin < 3 || q->nin > 4) return err(q->ctx, TH_TypeError, "ARange takes start, stop and step");
    for (int i = 0; i < 3; i++) {
        ThType t = q->in[i]->type;
        if (t.kind != TYPE_TENSOR || t.ndim != 0)
            return err(q->ctx, TH_TypeError, "arange: start, stop and step must be scalars; number %d is not", i + 1);
        if (dtype_is_complex((ThDtype)t.dtype)) return err(q->ctx, TH_TypeError, "arange has no complex form");
        ints = ints && dtype_is_discrete((ThDtype)t.dtype);
    }
    if (!ints && q->nin == 3)
        return err(q->ctx, TH_TypeError, "ARange with float bounds needs its length as fourth input");
    if (q->nin == 4 && !want_int(q, 3, "the length")) return false;
    q->out[0] = type_tensor(d, 1, 0);
    return true;
}

/* As wide as the step: |stop - start| / |step| rounded up, 0 where the step leads away. */
static bool shape_arange(ShapeQ *q) {
    const ShapeAlg *a = q->alg;
    Sz zero = a->constant(a->u, 0), one = a->constant(a->u, 1), v[3];
    int64_t k[3] = {0};
    bool known[3];
    if (q->node->nin == 4) {
        q->out[0][0] = calc(a, 'M', a->value(a->u, 3, 0), zero);
        return true;
    }
    for (int i = 0; i < 3; i++) {
        known[i] = scalar_known(q->node->in[i], &k[i]);
        v[i] = known[i] ? a->constant(a->u, k[i]) : a->value(a->u, i, 0);
    }
    Sz span = known[0] && k[0] == 0 ? v[1] : calc(a, '-', v[1], v[0]);
    if (known[2] && k[2] > 0) {
        Sz up = calc(a, 'M', span, zero);
        q->out[0][0] = k[2] == 1 ? up : calc(a, 'c', up, v[2]);
        return true;
    }
    Sz back = calc(a, '-', zero, v[2]);
    Sz ahead = calc(a, 'M', span, zero), up = calc(a, 'c', ahead, calc(a, 'M', v[2], one));
    Sz behind = calc(a, 'M', calc(a, '-', zero, span), zero), down = calc(a, 'c', behind, calc(a, 'M', back, one));
    Sz neg = calc(a, '<', v[2], zero), size = calc(a, 'M', v[2], back);
    q->out[0][0] = calc(a, '+', up, calc(a, '*', neg, calc(a, '-', down, up)));
    return a->equal(a->u, size, calc(a, 'M', size, one), "arange: step cannot be zero");
}

static void grad_arange(Grad *g) {
    for (int i = 0; i < g->node->nin; i++) {
        bool real = i < 3 && !dtype_is_discrete((ThDtype)g->node->in[i]->type.dtype);
        g->gx[i] = NULL;
        if (!g->wanted[i] || !real) continue;
        if (i == 1) g->gx[i] = zero_grad_make(g->b, g->node->in[i]);
        else g->gx[i] = grad_undefined(g, i, "the gradient of arange with respect to its start or step is not defined");
    }
}

/* out[i] = start + i * ((start + step) - start): NumPy's arithmetic, in the dtype of the result. */
static bool lower_arange(Lower *l) {
    ThDtype d = (ThDtype)ATTRS(DtypeAttrs, l->node)->dtype;
    Kernel *k = l->api->kernel(l);
    if (!k || kernel_dim(k, l->api->out_dim(l, 0, 0), DIM_PAR) < 0 || kernel_stage(k, STAGE_LOOP, 0, 1) < 0)
        return false;
    int8_t map[1] = {0};
    int start = ins_cast(k, ins_load(k, l->api->read(l, k, 0, NULL), 0), d, 0);
    int step = ins_cast(k, ins_load(k, l->api->read(l, k, 2, NULL), 0), d, 0);
    if (dtype_is_float(d)) step = ins_binary(k, S_sub, d, 0, ins_binary(k, S_add, d, 0, start, step), start);
    int i = ins_cast(k, ins_index(k, 0, 1), d, 1);
    int v = ins_binary(k, S_add, d, 1, start, ins_binary(k, S_mul, d, 1, i, step));
    ins_store(k, l->api->write(l, k, 0, map), v, 1);
    return !failed(l->ctx);
}

const Op op_arange = {
    .name = "ARange",
    .flags = OP_FAILS,
    .nin = -1,
    .nout = 1,
    .attr_bytes = sizeof(DtypeAttrs),
    .attrs = dtype_fields,
    .nattr = 1,
    .infer = infer_arange,
    .shape = shape_arange,
    .grad = grad_arange,
    .lower = lower_arange,
    .str = str_dtype,
    .batch = batch_arange,
    .doc = OP_DOC("start, start + step, .. below stop"),
};

static ThDtype arange_dtype(ThVar *const v[3]) {
    ThDtype d = (ThDtype)v[0]->type.dtype;
    for (int i = 1; i < 3; i++) d = th_dtype_upcast(d, (ThDtype)v[i]->type.dtype);
    if (d == TH_BOOL || dtype_is_signed(d)) return TH_INT64;
    return dtype_is_unsigned(d) ? TH_UINT64 : d;
}

/* ceil((stop - start) / step) in float64, as int64. */
static ThVar *float_length(Builder *b, ThVar *const v[3]) {
    ThVar *w[3];
    for (int i = 0; i < 3; i++)
        if (!(w[i] = cast_make(b, v[i], TH_FLOAT64))) return NULL;
    ThVar *n = elemwise_2(b, S_true_div, elemwise_2(b, S_sub, w[1], w[0]), w[2]);
    return cast_make(b, elemwise_1(b, S_ceil, n), TH_INT64);
}

ThVar *arange_make(Builder *b, ThVar *start, ThVar *stop, ThVar *step, ThDtype d) {
    ThVar *v[4] = {start, stop, step, NULL};
    if (!start || !stop || !step) return NULL;
    bool ints = true;
    for (int i = 0; i < 3; i++) ints = ints && dtype_is_discrete((ThDtype)v[i]->type.dtype);
    if (d == TH_DTYPE_NONE) d = arange_dtype(v);
    if (dtype_is_half(d)) {
        for (int i = 0; i < 3; i++)
            if (dtype_is_half((ThDtype)v[i]->type.dtype)) v[i] = cast_make(b, v[i], TH_FLOAT32);
        return cast_make(b, arange_make(b, v[0], v[1], v[2], TH_FLOAT32), d);
    }
    if (!ints && !(v[3] = float_length(b, v))) return NULL;
    return apply1(b, &op_arange, &(DtypeAttrs){(uint8_t)d}, v, ints ? 3 : 4);
}

/* ---- Eye, Tri ---------------------------------------------------------------------------------------------------- */
/* Inputs n, m, k: an n x m matrix of ones where column - row == k (Eye) or <= k (Tri), zeros elsewhere. */
static bool infer_eye(Infer *q) {
    for (int i = 0; i < 3; i++)
        if (!want_int(q, i, "n, m and k")) return false;
    q->out[0] = type_tensor((ThDtype)((const DtypeAttrs *)q->attrs)->dtype, 2, 0);
    return true;
}

static bool shape_eye(ShapeQ *q) {
    for (int i = 0; i < 2; i++) {
        const ShapeAlg *a = q->alg;
        Sz v = a->value(a->u, i, 0), length = calc(a, 'M', v, a->constant(a->u, 0));
        if (!a->equal(a->u, v, length, "negative dimension {0} is not allowed")) return false;
        q->out[0][i] = length;
    }
    return true;
}

static bool lower_eye(Lower *l) {
    int op = l->node->op == &op_eye ? S_eq : S_le;
    Kernel *k = l->api->kernel(l);
    if (!k) return false;
    for (int d = 0; d < 2; d++)
        if (kernel_dim(k, l->api->out_dim(l, 0, d), DIM_PAR) < 0) return false;
    if (kernel_stage(k, STAGE_LOOP, 0, 2) < 0) return false;
    int8_t map[2] = {0, 1};
    int diag = ins_cast(k, ins_load(k, l->api->read(l, k, 2, NULL), 0), TH_INT64, 0);
    int far = ins_literal(k, TH_INT64, (ThValue){.i = (int64_t)1 << 62}, 0); /* further off there is nothing */
    diag = ins_binary(k, S_minimum, TH_INT64, 0, diag, far);
    int limit = ins_binary(k, S_add, TH_INT64, 1, ins_index(k, 0, 1), diag);
    int v = ins_op(k, op, TH_INT64, TH_BOOL, 2, ins_index(k, 1, 2), limit, -1);
    ins_store(k, l->api->write(l, k, 0, map), ins_cast(k, v, (ThDtype)ATTRS(DtypeAttrs, l->node)->dtype, 2), 2);
    return !failed(l->ctx);
}

const Op op_eye = {
    .name = "Eye",
    .flags = OP_HALVES,
    .nin = 3,
    .nout = 1,
    .attr_bytes = sizeof(DtypeAttrs),
    .attrs = dtype_fields,
    .nattr = 1,
    .infer = infer_eye,
    .shape = shape_eye,
    .grad = grad_nothing,
    .lower = lower_eye,
    .str = str_dtype,
    .connected = not_connected,
    .batch = batch_diagonal,
    .doc = OP_DOC("n x m matrix with ones on diagonal k"),
};
const Op op_tri = {
    .name = "Tri",
    .flags = OP_HALVES,
    .nin = 3,
    .nout = 1,
    .attr_bytes = sizeof(DtypeAttrs),
    .attrs = dtype_fields,
    .nattr = 1,
    .infer = infer_eye,
    .shape = shape_eye,
    .grad = grad_nothing,
    .lower = lower_eye,
    .str = str_dtype,
    .connected = not_connected,
    .batch = batch_diagonal,
    .doc = OP_DOC("n x m matrix with ones on and below diagonal k"),
};
