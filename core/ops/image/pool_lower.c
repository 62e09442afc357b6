/*
 * pool_lower.c -- pooling and its gradients as loops, for every dtype, mode and window. Floats over two dimensions run
 * as one pass over whole rows instead (pool_stage.c, pool_host.c). In: a node. Out: one kernel. Towards the windows
 * (Pool, DownsampleFactorMaxGradGrad) the elements of a window are reduced; towards the image the windows over an
 * element are summed: q = (i + pad) / stride - j for j below ceil(ws / stride), which for windows that do not overlap
 * is one. Elements outside of the image take no part.
 */
#include "pool.h"
#include "ops/table/lowering.h"
#include "window.h"

#include <math.h>

typedef struct Loops {
    Lower *l;
    const PoolAttrs *at;
    Kernel *k;
    int nd, lead, n; /* dimensions of x, those not pooled, number of tensor inputs */
    int8_t outer[TH_MAX_NDIM];
    int own[POOL_MAX_DIMS], red[POOL_MAX_DIMS]; /* kernel dims: of the result, and reduced */
    int depth, result;
    Size in[POOL_MAX_DIMS], ws[POOL_MAX_DIMS], stride[POOL_MAX_DIMS], pad[POOL_MAX_DIMS], out[POOL_MAX_DIMS];
} Loops;

static At inner(const Loops *s) { return (At){s->k, s->depth}; }

static bool measure(Loops *s) {
    LowerAlg alg;
    lower_alg_init(&alg, s->l);
    for (int d = 0; d < s->at->ndim; d++) {
        s->in[d] = s->l->api->in_dim(s->l, 0, s->lead + d);
        PoolSizes z = {.in = lower_alg_put(&alg, s->in[d])};
        pool_sizes(&alg.alg, s->l->node, d, &z);
        s->ws[d] = lower_alg_size(&alg, z.ws), s->stride[d] = lower_alg_size(&alg, z.stride);
        s->pad[d] = lower_alg_size(&alg, z.pad), s->out[d] = lower_alg_size(&alg, z.out);
    }
    lower_alg_free(&alg);
    return !failed(s->l->ctx);
}

static bool make_dims(Loops *s, bool towards_image) {
    const LowerApi *api = s->l->api;
    for (int d = 0; d < s->lead; d++) s->outer[d] = (int8_t)kernel_dim(s->k, api->out_dim(s->l, 0, d), DIM_PAR);
    for (int d = 0; d < s->at->ndim; d++) s->own[d] = kernel_dim(s->k, towards_image ? s->in[d] : s->out[d], DIM_PAR);
    s->result = s->k->ndim;
    for (int d = 0; d < s->at->ndim; d++) {
        Size n = towards_image ? api->op(s->l, 'c', s->ws[d], s->stride[d]) : s->ws[d];
        s->red[d] = kernel_dim(s->k, n, DIM_RED);
    }
    s->depth = s->k->ndim;
    return !failed(s->l->ctx) && kernel_stage(s->k, STAGE_LOOP, 0, s->depth) >= 0;
}

static ThDtype result_dtype(const Loops *s) { return (ThDtype)s->l->node->out[0]->type.dtype; }

/* Strides of the dimensions that are not pooled, and the offset. */
static Size start(Loops *s, int operand, Size *st) {
    for (int d = 0; d < KDIM; d++) st[d] = size_const(0);
    for (int d = 0; d < s->lead; d++) st[s->outer[d]] = s->l->api->in_stride(s->l, operand, d);
    return s->l->api->in_offset(s->l, operand);
}

static int load(Loops *s, int operand, Size off, const Size *st, int guard, int idx) {
    int a = s->l->api->read_at(s->l, s->k, operand, off, st);
    if (a < 0) return -1;
    s->k->acc.at[a].guard = guard;
    s->k->acc.at[a].idx = idx;
    return ins_load(s->k, a, s->depth);
}

/* An input that lies as the result does. */
static int load_own(Loops *s, int operand) {
    Size st[KDIM], off = start(s, operand, st);
    for (int d = 0; d < s->at->ndim; d++) st[s->own[d]] = s->l->api->in_stride(s->l, operand, s->lead + d);
    return load(s, operand, off, st, -1, -1);
}

/* ---- towards the windows ----------------------------------------------------------------------------------------- */
/* Whether element r of window q lies in the image; -1: always. */
static int window_guard(Loops *s) {
    At w = inner(s);
    int guard = -1;
    for (int d = 0; d < s->at->ndim; d++) {
        if (s->at->ignore_border && size_is(s->pad[d], 0)) continue;
        int v = at_op(w, S_add, at_scaled(w, s->own[d], s->stride[d]), ins_index(s->k, s->red[d], s->depth));
        guard = at_inside(w, guard, at_op(w, S_sub, v, at_size(w, s->pad[d])), s->in[d]);
    }
    return guard;
}

/* Element r of window q of an input that lies as the image. */
static int load_window(Loops *s, int operand, int guard) {
    Size st[KDIM], off = start(s, operand, st);
    const LowerApi *api = s->l->api;
    for (int d = 0; d < s->at->ndim; d++) {
        Size step = api->in_stride(s->l, operand, s->lead + d);
        st[s->own[d]] = api->mul(s->l, step, s->stride[d]);
        st[s->red[d]] = step;
        off = sizes_mul_add(s->l, off, api->mul(s->l, s->pad[d], size_const(-1)), step);
    }
    return load(s, operand, off, st, guard, -1);
}

/* The least value of a dtype. */
static int lowest(Loops *s, ThDtype d) {
    int64_t bits = (int64_t)th_dtype_bytes(d) * 8;
    bool is_signed = d == TH_INT8 || d == TH_INT16 || d == TH_INT32 || d == TH_INT64;
    ThValue v = {.i = is_signed ? (int64_t)(UINT64_MAX << (bits - 1)) : 0};
    if (dtype_is_float(d)) v.f = -INFINITY;
    return ins_literal(s->k, d, v, s->depth);
}

/* How many elements of window q count: of those in the image, or all of them; as an int64 at depth `depth`. own: its
 * number in each dimension. */
static int count(Loops *s, At w, const int *own) {
    int n = -1;
    for (int d = 0; d < s->at->ndim; d++) {
        int v;
        if (s->at->ignore_border && (s->at->mode == POOL_INC_PAD || size_is(s->pad[d], 0))) {
            v = at_size(w, s->ws[d]);
        } else {
            int first = at_op(w, S_sub, at_op(w, S_mul, own[d], at_size(w, s->stride[d])), at_size(w, s->pad[d]));
            int last = at_op(w, S_minimum, at_op(w, S_add, first, at_size(w, s->ws[d])), at_size(w, s->in[d]));
            v = at_op(w, S_sub, last, at_op(w, S_maximum, first, at_lit(w, 0)));
        }
        n = n < 0 ? v : at_op(w, S_mul, n, v);
    }
    return n;
}

/* v divided by the number of elements; integers through float64, cut off as Theano's are. */
static int mean(Loops *s, At w, int v, ThDtype d, const int *own) {
    ThDtype by = dtype_is_discrete(d) ? TH_FLOAT64 : d;
    int n = ins_cast(s->k, count(s, w, own), by, w.depth);
    return ins_cast(s->k, ins_binary(s->k, S_true_div, by, w.depth, ins_cast(s->k, v, by, w.depth), n), d, w.depth);
}

/*
 * v with NaN as the least value, except in the first place: a maximum is kept until a larger one comes, so only a NaN
 * that starts a window stays. RED_MAX alone would let every NaN through.
 */
static int without_nan(Loops *s, int v, ThDtype d) {
    At w = inner(s);
    int first = -1;
    if (!dtype_is_float(d)) return v;
    for (int i = 0; i < s->at->ndim; i++) {
        int from = at_lit(w, 0), r = ins_index(s->k, s->red[i], s->depth);
        if (!size_is(s->pad[i], 0)) {
            int start = at_op(w, S_sub, at_size(w, s->pad[i]), at_scaled(w, s->own[i], s->stride[i]));
            from = at_op(w, S_maximum, start, from);
        }
        first = at_both(w, first, at_test(w, S_eq, r, from));
    }
    int number = ins_op(s->k, S_eq, d, TH_BOOL, s->depth, v, v, -1);
    int keep = ins_binary(s->k, S_or_, TH_BOOL, s->depth, number, first);
    return ins_op(s->k, S_switch, d, d, s->depth, keep, v, lowest(s, d));
}

static int pooled(Loops *s) {
    ThDtype d = result_dtype(s);
    int guard = window_guard(s), v = load_window(s, 0, guard), own[POOL_MAX_DIMS];
    At w = {s->k, s->result};
    if (s->at->mode == POOL_MAX) {
        if (guard >= 0) v = ins_op(s->k, S_switch, d, d, s->depth, guard, v, lowest(s, d));
        v = v < 0 ? -1 : without_nan(s, v, d);
        return v < 0 ? -1 : ins_reduce(s->k, RED_MAX, v, d, s->result);
    }
    v = v < 0 ? -1 : ins_reduce(s->k, RED_SUM, v, d, s->result);
    if (v < 0 || s->at->mode == POOL_SUM) return v;
    for (int i = 0; i < s->at->ndim; i++) own[i] = ins_index(s->k, s->own[i], s->result);
    return mean(s, w, v, d, own);
}

/* v where x is the maximum m, else 0. */
static int where_max(Loops *s, int x, int m, int v) {
    ThDtype from = (ThDtype)s->l->node->in[0]->type.dtype, d = result_dtype(s);
    m = ins_cast(s->k, m, from, s->depth);
    int same = ins_op(s->k, S_eq, from, TH_BOOL, s->depth, x, m, -1),
        zero = ins_literal(s->k, d, (ThValue){0}, s->depth);
    return ins_op(s->k, S_switch, d, d, s->depth, same, ins_cast(s->k, v, d, s->depth), zero);
}

static int at_maxima(Loops *s) {
    int guard = window_guard(s), x = load_window(s, 0, guard), v = load_window(s, 2, guard), m = load_own(s, 1);
    return ins_reduce(s->k, RED_SUM, where_max(s, x, m, v), result_dtype(s), s->result);
}

/* ---- towards the image ------------------------------------------------------------------------------------------- */
/* Window number of each dimension; *guard: whether there is one and it holds the element. */
static void windows_over(Loops *s, int *own, int *guard) {
    At w = inner(s);
    *guard = -1;
    for (int d = 0; d < s->at->ndim; d++) {
        int i = ins_index(s->k, s->own[d], s->depth);
        if (!size_is(s->pad[d], 0)) i = at_op(w, S_add, i, at_size(w, s->pad[d]));
        int q = at_op(w, S_int_div, i, at_size(w, s->stride[d]));
        q = at_op(w, S_sub, q, ins_index(s->k, s->red[d], s->depth));
        int within = at_op(w, S_sub, i, at_op(w, S_mul, q, at_size(w, s->stride[d])));
        *guard = at_inside(w, *guard, q, s->out[d]);
        *guard = at_both(w, *guard, at_test(w, S_lt, within, at_size(w, s->ws[d])));
        own[d] = q;
    }
}

/* Window `own` of an input that lies as the pooled result. */
static int load_found(Loops *s, int operand, const int *own, int guard) {
    Size st[KDIM], off = start(s, operand, st);
    int idx = -1;
    for (int d = 0; d < s->at->ndim; d++)
        idx = at_offset(inner(s), idx, own[d], s->l->api->in_stride(s->l, operand, s->lead + d));
    return load(s, operand, off, st, guard, idx);
}

static int spread(Loops *s) {
    ThDtype d = result_dtype(s);
    int own[POOL_MAX_DIMS], guard;
    windows_over(s, own, &guard);
    int v = ins_cast(s->k, load_found(s, s->n - 1, own, guard), d, s->depth);
    if (s->n == 3) {
        int x = load_own(s, 0), max = load_found(s, 1, own, guard);
        v = where_max(s, x, max, v);
        int zero = ins_literal(s->k, d, (ThValue){0}, s->depth); /* the maximum read as 0 outside is no maximum */
        v = ins_op(s->k, S_switch, d, d, s->depth, guard, v, zero);
    } else if (s->at->mode != POOL_SUM) {
        v = mean(s, inner(s), v, d, own);
        v = ins_op(s->k, S_switch, d, d, s->depth, guard, v, ins_literal(s->k, d, (ThValue){0}, s->depth));
    }
    return v < 0 ? -1 : ins_reduce(s->k, RED_SUM, v, d, s->result);
}

bool pool_lower(Lower *l) {
    Loops s = {.l = l, .at = ATTRS(PoolAttrs, l->node), .nd = l->node->in[0]->type.ndim};
    bool towards_image = l->node->op == &op_max_pool_grad || l->node->op == &op_average_pool_grad;
    bool done;
    if (pool_hosted(l, &done)) return done;
    s.lead = s.nd - (int)s.at->ndim;
    s.n = pool_tensors(l->node->op);
    s.k = l->api->kernel(l);
    if (!s.k || !measure(&s) || !make_dims(&s, towards_image)) return false;
    int v = towards_image ? spread(&s) : s.n == 1 ? pooled(&s) : at_maxima(&s);
    int8_t map[TH_MAX_NDIM];
    for (int d = 0; d < s.nd; d++) map[d] = (int8_t)(d < s.lead ? s.outer[d] : s.own[d - s.lead]);
    int to = v < 0 ? -1 : l->api->write(l, s.k, 0, map);
    return to >= 0 && ins_store(s.k, to, v, s.result) >= 0 && !failed(l->ctx);
}
