/*
 * pool.c -- Pool, MaxPoolGrad, AveragePoolGrad, DownsampleFactorMaxGradGrad and the like: types, lengths, derivatives.
 * In: a tensor whose last ndim dimensions are pooled, and windows as integer vectors. Out: see pool.h.
 */
#include "pool.h"
#include "ops/table/shape.h"

static const AttrField pool_fields[] = {
    {"ndim", ATTR_INT, offsetof(PoolAttrs, ndim), false},
    {"mode", ATTR_INT, offsetof(PoolAttrs, mode), false},
    {"ignore_border", ATTR_BOOL, offsetof(PoolAttrs, ignore_border), false},
};

const char *pool_mode_name(int64_t mode) {
    static const char *const names[] = {"max", "sum", "average_inc_pad", "average_exc_pad"};
    return names[mode];
}

/* ---- types ------------------------------------------------------------------------------------------------------- */
static bool want_vector(Infer *q, int i, const char *name) {
    const PoolAttrs *at = q->attrs;
    ThType t = q->in[i]->type;
    if (t.kind != TYPE_TENSOR || t.ndim != 1 || !dtype_is_int((ThDtype)t.dtype))
        return err(q->ctx, TH_TypeError, "pool: %s must be a vector of %d integers", name, (int)at->ndim);
    int64_t n = vector_length(q->in[i]);
    return n < 0 || n == at->ndim ||
           err(q->ctx, TH_ValueError, "pool: %s has %lld elements, %d dimensions are pooled", name, (long long)n,
               (int)at->ndim);
}

/* What is known of the window while building. */
static bool want_window(Infer *q, int first) {
    const PoolAttrs *at = q->attrs;
    if (!want_vector(q, first, "ws") || !want_vector(q, first + 1, "stride") || !want_vector(q, first + 2, "pad"))
        return false;
    for (int d = 0; d < at->ndim; d++) {
        int64_t ws = 1, stride = 1, pad = 0;
        bool known = vector_known(q->in[first], d, &ws);
        vector_known(q->in[first + 1], d, &stride);
        vector_known(q->in[first + 2], d, &pad);
        if (ws < 1 || stride < 1)
            return err(q->ctx, TH_ValueError,
                       "pool: ws and stride must be positive, in dimension %d they are %lld and "
                       "%lld",
                       d, (long long)ws, (long long)stride);
        if (pad < 0) return err(q->ctx, TH_ValueError, "pool: a padding of %lld is negative", (long long)pad);
        if (pad > 0 && !at->ignore_border)
            return err(q->ctx, TH_NotImplementedError, "pool: padding works only with ignore_border = true");
        if (known && pad >= ws)
            return err(q->ctx, TH_NotImplementedError, "pool: padding (%lld) must be smaller than ws (%lld)",
                       (long long)pad, (long long)ws);
    }
    return true;
}

static bool want_tensor(Infer *q, int i) {
    const PoolAttrs *at = q->attrs;
    ThType t = q->in[i]->type, x = q->in[0]->type;
    if (t.kind != TYPE_TENSOR || t.ndim < at->ndim)
        return err(q->ctx, TH_TypeError, "pool_%dd: the input must have at least %d dimensions, it has %d",
                   (int)at->ndim, (int)at->ndim, t.ndim);
    if (t.dtype == TH_BOOL || (at->mode == POOL_MAX && dtype_is_complex((ThDtype)t.dtype)))
        return err(q->ctx, TH_TypeError, "pool_%dd: mode '%s' is not defined for %s", (int)at->ndim,
                   pool_mode_name(at->mode), th_dtype_name((ThDtype)t.dtype));
    return t.ndim == x.ndim ||
           err(q->ctx, TH_TypeError, "%s: inputs have %d and %d dimensions", q->op->name, x.ndim, t.ndim);
}

static bool infer_pool(Infer *q) {
    const PoolAttrs *at = q->attrs;
    int n = pool_tensors(q->op);
    if (at->ndim < 1 || at->ndim > POOL_MAX_DIMS || at->mode < POOL_MAX || at->mode > POOL_EXC_PAD)
        return err(q->ctx, TH_ValueError, "pooling has 1 to 3 dimensions and one of four modes");
    for (int i = 0; i < n; i++)
        if (!want_tensor(q, i)) return false;
    if (!want_window(q, n)) return false;
    ThType x = q->in[0]->type;
    if (q->op == &op_max_pool_grad_from_input &&
        (at->ndim != 2 || at->mode != POOL_MAX || !dtype_is_float((ThDtype)x.dtype) || x.dtype != q->in[1]->type.dtype))
        return err(q->ctx, TH_TypeError, "%s: maxima of floats over two dimensions", q->op->name);
    uint32_t lead = x.broadcastable & ((1u << (x.ndim - at->ndim)) - 1);
    bool pooled = q->op == &op_pool || q->op == &op_max_pool_grad_grad;
    ThDtype d = n == 1 ? (ThDtype)x.dtype : th_dtype_upcast((ThDtype)x.dtype, (ThDtype)q->in[n - 1]->type.dtype);
    q->out[0] = type_tensor(d, x.ndim, pooled ? lead : x.broadcastable);
    return true;
}

/* ---- lengths ----------------------------------------------------------------------------------------------------- */
static Sz calc(const ShapeAlg *a, char op, Sz x, Sz y) { return a->op(a->u, op, x, y); }
static Sz number(const ShapeAlg *a, int64_t k) { return a->constant(a->u, k); }

static Sz entry(const ShapeAlg *a, const ThApply *node, int in, int d, int64_t *known) {
    *known = -1;
    return vector_known(node->in[in], d, known) ? number(a, *known) : a->value(a->u, in, d);
}

/* Windows that start inside: (v - 1) / st + 1 where they do not overlap, else those that reach something new. */
static Sz bordered(const ShapeAlg *a, const PoolSizes *s, Sz v, int64_t ws, int64_t st) {
    Sz one = number(a, 1), zero = number(a, 0);
    Sz apart = calc(a, '+', calc(a, '/', calc(a, '-', v, one), s->stride), one);
    if (ws > 0 && st >= ws) return apart;
    Sz over = calc(a, '+', calc(a, '-', calc(a, '-', v, one), s->ws), s->stride);
    over = calc(a, '+', calc(a, 'M', calc(a, '/', over, s->stride), zero), one);
    if (ws > 0 && st > 0) return over;
    Sz overlap = calc(a, '<', s->stride, s->ws); /* known when called */
    return calc(a, '+', apart, calc(a, '*', overlap, calc(a, '-', over, apart)));
}

/* s->out from the others; ws, st, pad: those that are known, else -1. */
static void count(const ShapeAlg *a, bool ignore_border, int64_t ws, int64_t st, int64_t pad, PoolSizes *s) {
    Sz v = pad == 0 ? s->in : calc(a, '+', s->in, calc(a, '*', number(a, 2), s->pad));
    if (!ignore_border) {
        s->out = bordered(a, s, v, ws, st);
        return;
    }
    s->out = calc(a, '+', calc(a, '/', calc(a, '-', v, s->ws), s->stride), number(a, 1));
    s->out = calc(a, 'M', s->out, number(a, 0));
}

void pool_sizes(const ShapeAlg *a, const ThApply *node, int d, PoolSizes *s) {
    int first = pool_tensors(node->op);
    int64_t ws, st, pad;
    s->ws = entry(a, node, first, d, &ws);
    s->stride = entry(a, node, first + 1, d, &st);
    s->pad = entry(a, node, first + 2, d, &pad);
    count(a, ATTRS(PoolAttrs, node)->ignore_border, ws, st, pad, s);
}

/* Checks of a window that only the call knows. */
static bool fits(const ShapeAlg *a, const ThApply *node, int first, int d, const PoolSizes *s) {
    const PoolAttrs *at = ATTRS(PoolAttrs, node);
    int64_t ws, st, pad;
    bool all = vector_known(node->in[first], d, &ws);
    all = vector_known(node->in[first + 1], d, &st) && all;
    all = vector_known(node->in[first + 2], d, &pad) && all;
    if (all) return true;
    Sz one = number(a, 1), zero = number(a, 0);
    return a->equal(a->u, s->ws, calc(a, 'M', s->ws, one), "pool: ws is {0}, it must be at least {1}") &&
           a->equal(a->u, s->stride, calc(a, 'M', s->stride, one), "pool: stride is {0}, it must be at least {1}") &&
           a->equal(a->u, s->pad, calc(a, 'M', s->pad, zero), "pool: a padding of {0} is negative") &&
           (at->ignore_border ||
            a->equal(a->u, s->pad, zero, "pool: padding ({0}) works only with ignore_border = true")) &&
           a->equal(a->u, s->pad, calc(a, 'm', s->pad, calc(a, '-', s->ws, one)),
                    "pool: padding ({0}) must be smaller than ws, at most {1}");
}

static bool shape_pool(ShapeQ *q) {
    const PoolAttrs *at = ATTRS(PoolAttrs, q->node);
    const ShapeAlg *a = q->alg;
    const Op *op = q->node->op;
    int nd = q->node->in[0]->type.ndim, lead = nd - (int)at->ndim, n = pool_tensors(op);
    bool pooled = op == &op_pool || op == &op_max_pool_grad_grad;
    for (int d = 0; d < nd; d++) {
        PoolSizes s = {.in = q->in[0][d], .out = q->in[0][d]};
        if (d >= lead) {
            pool_sizes(a, q->node, d - lead, &s);
            if (!fits(a, q->node, n, d - lead, &s)) return false;
        }
        q->out[0][d] = pooled ? s.out : s.in;
        for (int i = 1; i < n; i++) {
            bool like_x = i == 2 && op == &op_max_pool_grad_grad;
            if (!a->equal(a->u, q->in[i][d], like_x ? s.in : s.out,
                          "pool: a gradient or maximum has length {0}, the windows give {1}"))
                return false;
        }
    }
    return true;
}

/* ---- derivatives ------------------------------------------------------------------------------------------------- */
static ThVar *again(Builder *b, const Op *op, const ThApply *a, ThVar *x, ThVar *y, ThVar *z) {
    ThVar *in[3] = {x, y, z};
    return pool_make(b, op, ATTRS(PoolAttrs, a), in, a->in + pool_tensors(a->op));
}

/* Of its last tensor, in which every one of them is linear (Pool of a maximum apart). */
static ThVar *linear(Builder *b, const ThApply *a, ThVar *gz) {
    ThVar *x = a->in[0];
    bool max = ATTRS(PoolAttrs, a)->mode == POOL_MAX;
    if (a->op == &op_pool)
        return max ? again(b, &op_max_pool_grad, a, x, a->out[0], gz) : again(b, &op_average_pool_grad, a, x, gz, NULL);
    if (a->op == &op_max_pool_grad) return again(b, &op_max_pool_grad_grad, a, x, a->in[1], gz);
    if (a->op == &op_max_pool_grad_from_input) {
        ThVar *maxima = again(b, &op_pool, a, x, NULL, NULL);
        return maxima ? again(b, &op_max_pool_grad_grad, a, x, maxima, gz) : NULL;
    }
    if (a->op == &op_max_pool_grad_grad) return again(b, &op_max_pool_grad, a, x, a->in[1], gz);
    return again(b, &op_pool, a, gz, NULL, NULL);
}

static void grad_pool(Grad *g) {
    const ThApply *a = g->node;
    int n = pool_tensors(a->op);
    if (dtype_is_discrete((ThDtype)a->in[n - 1]->type.dtype)) {
        for (int i = 0; i < n; i++) g->gx[i] = zero_grad_make(g->b, a->in[i]);
        return;
    }
    for (int i = 0; i < n - 1; i++)
        if (g->wanted[i]) g->gx[i] = zero_grad_make(g->b, a->in[i]);
    ThVar *r = g->wanted[n - 1] ? linear(g->b, a, g->gz[0]) : NULL;
    g->gx[n - 1] = r ? patternbroadcast_make(g->b, r, a->in[n - 1]->type.broadcastable) : NULL;
}

static bool rop_pool(Rop *r) {
    const ThApply *a = r->node;
    int n = pool_tensors(a->op);
    ThVar *ev = r->ev[n - 1];
    if (!ev) {
        r->out[0] = zeros_like_make(r->b, a->out[0], (ThDtype)a->out[0]->type.dtype);
        return r->out[0] != NULL;
    }
    if (a->op == &op_pool && ATTRS(PoolAttrs, a)->mode == POOL_MAX)
        r->out[0] = again(r->b, &op_max_pool_grad_grad, a, a->in[0], a->out[0], ev);
    else r->out[0] = again(r->b, a->op, a, n > 1 ? a->in[0] : ev, n > 2 ? a->in[1] : ev, ev);
    return r->out[0] != NULL;
}

/* Windows are over the last dimensions: one more in front changes nothing. */
static bool batch_pool(Batch *q) {
    ThVar *in[3] = {NULL, NULL, NULL};
    int n = pool_tensors(q->node->op);
    for (int i = n; i < n + 3; i++)
        if (!batch_fixed(q, i, "windows must be the same for all elements")) return false;
    for (int i = 0; i < n; i++)
        if (!(in[i] = batch_full(q, i))) return false;
    q->out[0] = pool_make(q->b, q->node->op, ATTRS(PoolAttrs, q->node), in, q->in + n);
    return q->out[0] != NULL;
}

static bool tensors_connected(const ThApply *a, int in, int out) {
    (void)out;
    return in < pool_tensors(a->op);
}

/* ---- records ----------------------------------------------------------------------------------------------------- */
static void str_pool(Text *t, const ThApply *a) {
    const PoolAttrs *at = ATTRS(PoolAttrs, a);
    text_printf(t, "%s{ignore_border=%s, mode='%s', ndim=%d}", a->op->name, at->ignore_border ? "True" : "False",
                pool_mode_name(at->mode), (int)at->ndim);
}

#define POOL_OP(id, text, inputs, about) \
    const Op op_##id = { \
        .name = text, \
        .nin = inputs, \
        .nout = 1, \
        .attr_bytes = sizeof(PoolAttrs), \
        .attrs = pool_fields, \
        .nattr = TH_LEN(pool_fields), \
        .infer = infer_pool, \
        .shape = shape_pool, \
        .grad = grad_pool, \
        .lower = pool_lower, \
        .str = str_pool, \
        .connected = tensors_connected, \
        .rop = rop_pool, \
        .batch = batch_pool, \
        .doc = OP_DOC(about), \
    };
POOL_OP(pool, "Pool", 4, "maximum, sum or mean of windows over the last dimensions")
POOL_OP(max_pool_grad, "MaxPoolGrad", 6, "gradient of Pool's maximum, to every element that is one")
POOL_OP(max_pool_grad_from_input, "MaxPoolGradFromInput", 5, "MaxPoolGrad, the maxima found on the way")
POOL_OP(average_pool_grad, "AveragePoolGrad", 5, "gradient of Pool's sum or mean")
POOL_OP(max_pool_grad_grad, "DownsampleFactorMaxGradGrad", 6, "elements at the maxima of windows, summed")

ThVar *pool_make(Builder *b, const Op *op, const PoolAttrs *at, ThVar *const *tensors, ThVar *const *window) {
    ThVar *in[6];
    int n = pool_tensors(op);
    for (int i = 0; i < n; i++) in[i] = tensors[i];
    for (int i = 0; i < 3; i++) in[n + i] = window[i];
    return apply1(b, op, at, in, n + 3);
}
