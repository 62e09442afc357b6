/*
 * elemwise.c -- Elemwise: any scalar operation or Composite applied to tensors of equal rank.
 * In: inputs of one rank (elemwise_make pads lower ones on the left). Out: the result types, the shape rule, builders.
 * Invariant: a dimension of the output is broadcastable iff it is in every input; only the type licenses broadcasting.
 */
#include "ops/table/ops.h"
#include "ops/table/sparse.h"

#include <stdio.h>
#include <string.h>

/* grad.c, print.c, lower.c */
void elemwise_grad(Grad *g);
bool elemwise_connected(const ThApply *a, int in, int out);
void elemwise_str(Text *t, const ThApply *a);
void elemwise_pp(Text *t, const ThApply *a, void (*arg)(Text *t, const ThApply *a, int i));
bool elemwise_lower(Lower *l);

static const char *op_name(const ElemwiseAttrs *a) { return a->body ? "Composite" : scalar_ops[a->scalar].name; }

static bool check_ranks(Infer *q, const ElemwiseAttrs *a) {
    for (int i = 0; i < q->nin; i++) {
        ThType t = q->in[i]->type;
        if (t.kind != TYPE_TENSOR) {
            Text s;
            text_init(&s, q->ctx);
            type_text(&s, t);
            err(q->ctx, TH_TypeError, "%s works on tensors, and input %d is of type %s", op_name(a), i,
                s.at ? s.at : "?");
            text_free(&s);
            return false;
        }
        if (t.ndim != q->in[0]->type.ndim)
            return err(q->ctx, TH_TypeError,
                       "Elemwise{%s} needs inputs of equal rank: input 0 has %d dimensions, input %d has %d",
                       op_name(a), q->in[0]->type.ndim, i, t.ndim);
    }
    return true;
}

static uint32_t join_broadcast(Infer *q) {
    uint32_t all = ~0u;
    int n = q->in[0]->type.ndim;
    for (int i = 0; i < q->nin; i++) all &= q->in[i]->type.broadcastable;
    return n >= 32 ? all : all & ((1u << n) - 1);
}

/* What does not compute with the elements that it gives. */
static bool moves(int scalar) {
    return scalar == S_cast || scalar == S_second || scalar == S_switch || scalar == S_identity;
}

/* Inside of a Composite halves are only moved and cast, too. */
static bool body_moves_halves(const ScalarBody *b) {
    for (int i = 0; i < b->n; i++) {
        const ScalarIns *x = &b->ins[i];
        if (moves(x->op)) continue;
        bool any = dtype_is_half((ThDtype)x->dtype);
        for (int k = 0; k < x->nargs; k++) any = any || dtype_is_half(scalar_body_dtype(b, b->arg[x->first + k]));
        if (any) return false;
    }
    return true;
}

static bool infer_body(Infer *q, const ScalarBody *body, uint32_t bc) {
    if (q->nin != body->nin) return err(q->ctx, TH_TypeError, "Composite takes %d inputs, %d given", body->nin, q->nin);
    for (int i = 0; i < q->nin; i++)
        if (q->in[i]->type.dtype != body->in_dtype[i])
            return err(q->ctx, TH_TypeError, "Composite: input %d is %s, %s expected", i,
                       th_dtype_name(q->in[i]->type.dtype), th_dtype_name(body->in_dtype[i]));
    if (!body_moves_halves(body)) return err(q->ctx, TH_TypeError, "Composite: halves are computed with as float32");
    q->nout = body->nout;
    for (int o = 0; o < body->nout; o++) {
        ThType t = type_tensor(scalar_body_dtype(body, body->out[o]), q->in[0]->type.ndim, bc);
        q->out[o] = t;
    }
    return true;
}

static bool is_half(const ThVar *v) { return v->type.kind == TYPE_TENSOR && dtype_is_half(v->type.dtype); }

static bool no_halves(Infer *q, ThDtype out) {
    bool any = dtype_is_half(out);
    for (int i = 0; i < q->nin; i++) any = any || is_half(q->in[i]);
    return !any || err(q->ctx, TH_TypeError, "%s computes with float32, not with halves: it needs casts around it",
                       op_name(q->attrs));
}

static bool infer(Infer *q) {
    const ElemwiseAttrs *a = q->attrs;
    if (q->nin < 1) return err(q->ctx, TH_TypeError, "%s needs at least one input", op_name(a));
    if (!check_ranks(q, a)) return false;
    uint32_t bc = join_broadcast(q);
    if (a->body) return infer_body(q, a->body, bc);
    ThDtype in[KACC], cast[KACC], out = a->cast_dtype;
    ThDtype *dt = in, *to = cast;
    VEC(ThDtype) many = {0};
    if (q->nin > KACC) { /* a long n-ary sum */
        if (!vec_reserve(q->ctx, &many, 2 * q->nin)) return false;
        dt = many.at;
        to = many.at + q->nin;
    }
    for (int i = 0; i < q->nin; i++) dt[i] = q->in[i]->type.dtype;
    bool ok = scalar_infer(q->ctx, a->scalar, dt, q->nin, to, &out);
    vec_free(q->ctx, &many);
    if (!ok || !(moves(a->scalar) || no_halves(q, out))) return false;
    q->nout = 1;
    q->out[0] = type_tensor(out, q->in[0]->type.ndim, bc);
    return true;
}

/* Every input that is not broadcastable in d must have the length of the first such input. */
static bool shape_dim(ShapeQ *q, int d, Sz *dim) {
    const ThApply *a = q->node;
    int first = -1;
    for (int i = 0; i < a->nin; i++) {
        if (type_bcast(a->in[i]->type, d)) continue;
        if (first < 0) {
            first = i;
            *dim = q->in[i][d];
            continue;
        }
        if (a->in[i] == a->in[first]) continue;
        if (q->alg->same && q->alg->same(q->alg->u, *dim, q->in[i][d])) continue;
        char text[400];
        snprintf(text, sizeof text,
                 "Input dimension mis-match. (input[%d].shape[%d] = {0}, input[%d].shape[%d] = {1}) "
                 "A length of 1 broadcasts only when the type promises it: T.row, T.col, T.addbroadcast(x, %d), "
                 "or shared(..., {broadcastable = ...})",
                 first, d, i, d, d);
        const char *why = intern(a->ctx, text);
        if (!why || !q->alg->equal(q->alg->u, *dim, q->in[i][d], why)) return false;
    }
    if (first < 0) *dim = q->alg->constant(q->alg->u, 1);
    return true;
}

static bool shape(ShapeQ *q) {
    int nd = q->node->in[0]->type.ndim;
    for (int d = 0; d < nd; d++) {
        Sz dim = 0;
        if (!shape_dim(q, d, &dim)) return false;
        for (int o = 0; o < q->node->nout; o++) q->out[o][d] = dim;
    }
    return true;
}

static const AttrField fields[] = {
    {"body", ATTR_BODY, offsetof(ElemwiseAttrs, body), false},
    {"scalar", ATTR_SCALAR, offsetof(ElemwiseAttrs, scalar), false},
    {"dtype", ATTR_DTYPE, offsetof(ElemwiseAttrs, cast_dtype), false},
    {"inplace", ATTR_BYTE, offsetof(ElemwiseAttrs, inplace), false},
    {"out", ATTR_BYTE, offsetof(ElemwiseAttrs, inplace) + 1, false},
    {"in", ATTR_BYTE, offsetof(ElemwiseAttrs, inplace) + 2, false},
};

static bool refit(Builder *b, const ThApply *a, ThVar **in) {
    int nd = 0;
    for (int i = 0; i < a->nin; i++)
        if (in[i]->type.ndim > nd) nd = in[i]->type.ndim;
    bool ok = true;
    for (int i = 0; i < a->nin && ok; i++) ok = (in[i] = padleft_make(b, in[i], nd)) != NULL;
    return ok;
}

const Op op_elemwise = {
    .name = "Elemwise",
    .flags = OP_ELEMWISE | OP_CAN_DESTROY | OP_HALVES,
    .nin = -1,
    .nout = -1,
    .attr_bytes = sizeof(ElemwiseAttrs),
    .attrs = fields,
    .nattr = TH_LEN(fields),
    .infer = infer,
    .refit = refit,
    .shape = shape,
    .grad = elemwise_grad,
    .lower = elemwise_lower,
    .str = elemwise_str,
    .pp = elemwise_pp,
    .connected = elemwise_connected,
    .rop = rop_elemwise,
    .batch = batch_elemwise,
    .doc = OP_DOC("a scalar operation applied to every element of its inputs, with broadcasting by type"),
};

/* ---- builders ---------------------------------------------------------------------------------------------------- */
static ThVar *plain(Builder *b, int scalar, ThVar *const *in, int nin) {
    ElemwiseAttrs a;
    memset(&a, 0, sizeof a);
    a.scalar = (uint16_t)scalar;
    return apply1(b, &op_elemwise, &a, in, nin);
}

/* v: room for the operands; d: for two dtypes each. */
static ThVar *in_single(Builder *b, int scalar, ThVar *const *in, int nin, ThVar **v, ThDtype *d) {
    ThDtype out = TH_DTYPE_NONE, *to = d + nin;
    for (int i = 0; i < nin; i++) d[i] = in[i]->type.dtype;
    if (!scalar_infer(b->ctx, scalar, d, nin, to, &out)) return NULL;
    bool any = dtype_is_half(out);
    for (int i = 0; i < nin; i++) {
        bool half = dtype_is_half(d[i]) || dtype_is_half(to[i]);
        v[i] = half ? cast_make(b, in[i], dtype_computed(to[i])) : in[i];
        any = any || half;
        if (!v[i]) return NULL;
    }
    ThVar *r = plain(b, scalar, any ? v : in, nin);
    return r && any && dtype_is_half(out) ? cast_make(b, r, out) : r;
}

/*
 * Halves are computed with as float32 and each result is rounded: the casts stand in the graph, so that every executor
 * and every way of fusing has the same bits. An operation that only moves elements takes them as they are. floatX may
 * make a half of integers.
 */
ThVar *elemwise_raw(Builder *b, int scalar, ThVar *const *in, int nin) {
    bool any = scalar_ops[scalar].result == RES_DIV && dtype_is_half(config_floatX(b->ctx));
    for (int i = 0; i < nin; i++) {
        if (!in[i]) return NULL;
        any = any || is_half(in[i]);
        if (in[i]->type.kind != TYPE_TENSOR) any = false, i = nin; /* the operation says what is wrong */
    }
    if (!any || moves(scalar) || !nin) return plain(b, scalar, in, nin);
    VEC(ThVar *) v = {0};
    VEC(ThDtype) d = {0};
    ThVar *r = NULL;
    if (vec_reserve(b->ctx, &v, nin) && vec_reserve(b->ctx, &d, 2 * nin)) r = in_single(b, scalar, in, nin, v.at, d.at);
    vec_free(b->ctx, &v);
    vec_free(b->ctx, &d);
    return r;
}

ThVar *padleft_make(Builder *b, ThVar *x, int n) {
    if (!x || x->type.kind != TYPE_TENSOR || x->type.ndim >= n) return x;
    int8_t pattern[TH_MAX_NDIM];
    int pad = n - x->type.ndim;
    for (int i = 0; i < n; i++) pattern[i] = (int8_t)(i < pad ? -1 : i - pad);
    return dimshuffle_make(b, x, pattern, n);
}

ThVar *elemwise_make(Builder *b, int scalar, ThVar *const *in, int nin) {
    ThVar *few[16];
    VEC(ThVar *) many = {0};
    ThVar **v = few;
    int nd = 0;
    if (nin > TH_LEN(few)) {
        if (!vec_reserve(b->ctx, &many, nin)) return NULL;
        v = many.at;
    }
    for (int i = 0; i < nin; i++) {
        v[i] = in[i];
        if (in[i] && in[i]->type.ndim > nd) nd = in[i]->type.ndim;
    }
    if (nin == 1) scalar = weak_rounding(b, scalar, v[0]);
    bool ok = weak_settle(b, scalar, v, nin);
    for (int i = 0; ok && i < nin; i++) v[i] = padleft_make(b, v[i], nd);
    ThVar *r = ok ? elemwise_raw(b, scalar, v, nin) : NULL;
    vec_free(b->ctx, &many);
    return r;
}

ThVar *cast_make(Builder *b, ThVar *x, ThDtype d) {
    if (!x || (x->type.kind == TYPE_TENSOR && x->type.dtype == d)) return x;
    ElemwiseAttrs a;
    memset(&a, 0, sizeof a);
    a.scalar = S_cast;
    a.cast_dtype = (uint8_t)d;
    return apply1(b, &op_elemwise, &a, &x, 1);
}

ThVar *second_make(Builder *b, ThVar *x, ThVar *value) { return elemwise_2(b, S_second, x, value); }

/* Always the user's form, Elemwise{second,no_inplace}: Theano's zeros_like is T.fill. */
ThVar *zeros_like_make(Builder *b, ThVar *x, ThDtype d) {
    if (!x) return NULL;
    if (is_sparse(x)) return sparse_with_make(b, x, zeros_like_make(b, sparse_part_make(b, x, "data"), d));
    bool in_grad = b->in_grad;
    b->in_grad = false;
    ThVar *zero = dtype_is_discrete(d) ? const_int(b, 0, d) : const_float(b, 0.0, d);
    ThVar *r = second_make(b, x, zero);
    b->in_grad = in_grad;
    return r;
}

ThVar *zero_grad_make(Builder *b, ThVar *x) {
    if (!x) return NULL;
    bool in_grad = b->in_grad;
    b->in_grad = false;
    ThVar *z = zeros_like_make(b, x, x->type.dtype);
    if (z && dtype_is_discrete(z->type.dtype)) z = cast_make(b, z, config_floatX(b->ctx));
    b->in_grad = in_grad;
    return z;
}
