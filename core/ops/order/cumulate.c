/*
 * cumulate.c -- CumOp: running sums and products along an axis, or over the flattened tensor.
 * In: a tensor of any dtype. Out: x's shape (a vector when flattened) and dtype; integers wrap, bool is or / and.
 */
#include "graph/services.h"
#include "ops/table/host.h"
#include "ops/table/shape.h"
#include "ops/table/index.h"
#include "order.h"
#include "ops/reduce/reduce.h"

#include <string.h>

static const AttrField cum_fields[] = {
    {"axis", ATTR_AXES, offsetof(CumAttrs, axis), false},
    {"prod", ATTR_BOOL, offsetof(CumAttrs, prod), false},
};

static bool flat(const CumAttrs *at) { return at->axis.n < 0; }

static bool infer_cum(Infer *q) {
    const CumAttrs *at = q->attrs;
    ThType x = q->in[0]->type;
    if (x.kind != TYPE_TENSOR) return err(q->ctx, TH_TypeError, "CumOp takes a tensor");
    if (!flat(at) && (at->axis.n != 1 || at->axis.at[0] < 0 || at->axis.at[0] >= x.ndim))
        return err(q->ctx, TH_ValueError, "%s: axis %d is out of bounds for %d dimensions",
                   at->prod ? "cumprod" : "cumsum", at->axis.at[0], x.ndim);
    q->out[0] = flat(at) ? type_tensor((ThDtype)x.dtype, 1, 0) : x;
    return true;
}

static bool shape_cum(ShapeQ *q) {
    const CumAttrs *at = ATTRS(CumAttrs, q->node);
    int nd = q->node->in[0]->type.ndim;
    if (!flat(at)) {
        for (int d = 0; d < nd; d++) q->out[0][d] = q->in[0][d];
        return true;
    }
    Sz n = nd ? q->in[0][0] : q->alg->constant(q->alg->u, 1);
    for (int d = 1; d < nd; d++) n = q->alg->op(q->alg->u, '*', n, q->in[0][d]);
    q->out[0][0] = n;
    return true;
}

/* ---- running over n rows of `inner` dense elements; strides of rows in bytes ------------------------------------- */
typedef void (*CumFn)(const char *x, int64_t xs, char *z, int64_t zs, int64_t n, int64_t inner);

#define CUMULATE(name, type, combine) \
    static void cum_##name(const char *x, int64_t xs, char *z, int64_t zs, int64_t n, int64_t inner) { \
        if (inner == 1) { \
            type a = *(const type *)(const void *)x; \
            *(type *)(void *)z = a; \
            for (int64_t i = 1; i < n; i++) { \
                type b = *(const type *)(const void *)(x + i * xs); \
                a = combine; \
                *(type *)(void *)(z + i * zs) = a; \
            } \
            return; \
        } \
        memcpy(z, x, (size_t)inner * sizeof(type)); \
        for (int64_t i = 1; i < n; i++) { \
            const type *restrict p = (const void *)(x + i * xs), *restrict q = (const void *)(z + (i - 1) * zs); \
            type *restrict r = (void *)(z + i * zs); \
            for (int64_t j = 0; j < inner; j++) { \
                type a = q[j], b = p[j]; \
                r[j] = combine; \
            } \
        } \
    }
#define SUM_AND_PRODUCT(name, type) CUMULATE(sum_##name, type, (type)(a + b)) CUMULATE(prod_##name, type, (type)(a * b))
CUMULATE(sum_bool, uint8_t, a | b)
CUMULATE(prod_bool, uint8_t, a &b)
SUM_AND_PRODUCT(i8, uint8_t)
SUM_AND_PRODUCT(i16, uint16_t)
SUM_AND_PRODUCT(i32, uint32_t)
SUM_AND_PRODUCT(i64, uint64_t)
SUM_AND_PRODUCT(f32, float)
SUM_AND_PRODUCT(f64, double)
#define COMPLEX(name, type) \
    CUMULATE(sum_##name, type, ((type){a.re + b.re, a.im + b.im})) \
    CUMULATE(prod_##name, type, ((type){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}))
COMPLEX(c64, ThComplex64)
COMPLEX(c128, ThComplex128)

#define BOTH(n) \
    { cum_sum_##n, cum_prod_##n }
static const CumFn cums[TH_DTYPE_COUNT][2] = {
    [TH_BOOL] = BOTH(bool),      [TH_INT8] = BOTH(i8),     [TH_INT16] = BOTH(i16),   [TH_INT32] = BOTH(i32),
    [TH_INT64] = BOTH(i64),      [TH_UINT8] = BOTH(i8),    [TH_UINT16] = BOTH(i16),  [TH_UINT32] = BOTH(i32),
    [TH_UINT64] = BOTH(i64),     [TH_FLOAT32] = BOTH(f32), [TH_FLOAT64] = BOTH(f64), [TH_COMPLEX64] = BOTH(c64),
    [TH_COMPLEX128] = BOTH(c128)};

static int run_flat(const ThArray *x, ThArray *z, CumFn fn) {
    int64_t item = (int64_t)th_dtype_bytes((ThDtype)x->dtype);
    fn(x->data, item, z->data, item, x->size, 1);
    return 0;
}

/* All axes behind the axis as one dense row where both arrays allow it, else lane by lane. */
int cumulate_host(HostCall *h, const CumWork *w) {
    const ThArray *x = w->x;
    ThArray *z = w->z, *both[2] = {h->in[0], z};
    CumFn fn = cums[x->dtype][w->product];
    int axis = w->axis;
    if (x->size == 0) return 0;
    if (axis < 0) return run_flat(x, z, fn);
    if (!(x->flags & z->flags & ARRAY_CONTIGUOUS)) {
        Lanes l;
        for (host_lanes(&l, both, 2, axis); !l.done && !host_leaves(h); host_next(&l))
            fn(l.ptr[0], l.step[0], l.ptr[1], l.step[1], l.n[0], 1);
        return 0;
    }
    int64_t outer = 1, n = ARRAY_SHAPE(x)[axis], inner = 1, item = (int64_t)th_dtype_bytes((ThDtype)x->dtype);
    for (int d = 0; d < axis; d++) outer *= ARRAY_SHAPE(x)[d];
    for (int d = axis + 1; d < x->ndim; d++) inner *= ARRAY_SHAPE(x)[d];
    for (int64_t o = 0; o < outer; o++) {
        int64_t from = o * n * inner * item, row = inner * item;
        fn(x->data + from, row, z->data + from, row, n, inner);
    }
    return 0;
}

static int run_cum(HostCall *h) {
    const CumAttrs *at = h->attrs;
    bool all = flat(at) || h->in[0]->ndim == 0;
    return h->lib->cumulate(h, &(CumWork){h->in[0], h->out[0], all ? -1 : at->axis.at[0], at->prod});
}

static bool lower_cum(Lower *l) {
    bool dense = !flat(ATTRS(CumAttrs, l->node)) || l->api->contiguous(l, 0);
    return dense && l->api->host(l, run_cum, 0);
}

/* ---- gradient ---------------------------------------------------------------------------------------------------- */
static ThVar *reversed(Builder *b, ThVar *x, int axis) {
    AttrIdx idx = {.n = (int8_t)(axis + 1)};
    ThVar *step = const_scalar_int(b, -1);
    for (int d = 0; d <= axis; d++) idx.at[d].kind = 's';
    idx.at[axis].has = 4;
    idx.at[axis].dtype[2] = TH_INT64;
    return x && step ? subtensor_make(b, x, &idx, &step, 1) : NULL;
}

/* What comes after flows back: sums from the end on along an axis. */
static ThVar *sums_behind(Builder *b, ThVar *gz, const AttrInts *along) {
    const int axis = along->at[0];
    return reversed(b, cumulate_make(b, reversed(b, gz, axis), along, false), axis);
}

static ThVar *number(Builder *b, int v, const ThVar *like) {
    if (!like) return NULL;
    const ThDtype d = (ThDtype)like->type.dtype;
    return dtype_is_complex(d) ? cast_make(b, const_int(b, v, TH_INT8), d) : const_float(b, v, d);
}

/* The gradient of a product where x is 0, which cannot be divided by: at the first zero of a lane the products are
 * those with a 1 there. Behind it every product has that zero; those with a 1 at the second one are 0, but their
 * derivatives are not. x and gz go along the axis. */
static ThVar *grad_at_zeros(Builder *b, ThVar *x, ThVar *zero, ThVar *gz, const AttrInts *along) {
    ThVar *r = number(b, 0, x), *one = number(b, 1, x);
    ThVar *met = cumulate_make(b, cast_make(b, zero, TH_INT64), along, false);
    for (int nth = 1; nth <= 2; nth++) {
        ThVar *here = elemwise_2(b, S_and_, zero, elemwise_2(b, S_eq, met, const_int(b, nth, TH_INT64)));
        ThVar *product = cumulate_make(b, elemwise_3(b, S_switch, here, one, x), along, true);
        ThVar *sum = sums_behind(b, elemwise_2(b, S_mul, conj_make(b, product), gz), along);
        r = elemwise_3(b, S_switch, here, sum, r);
    }
    return r;
}

/* x, or all of it as a vector. */
static ThVar *as_lanes(Builder *b, ThVar *x, bool flat) {
    ThVar *n = const_int(b, -1, TH_INT64);
    return flat && x && x->type.ndim != 1 ? reshape_make(b, x, make_vector_make(b, &n, 1, TH_INT64), 1) : x;
}

/* What stands in lanes in the form of x. */
static ThVar *in_form(Builder *b, ThVar *v, ThVar *x, bool flat) {
    if (flat) v = reshape_make(b, v, shape_make(b, x), x->type.ndim);
    return patternbroadcast_make(b, v, x->type.broadcastable);
}

/* Sum: what comes after flows back. Product: the same of gz times the product, divided by x where that is not 0. */
static void grad_cum(Grad *g) {
    const CumAttrs *at = ATTRS(CumAttrs, g->node);
    Builder *b = g->b;
    ThVar *x = g->node->in[0], *gz = g->gz[0];
    const AttrInts first = {.n = 1}, *along = flat(at) ? &first : &at->axis;
    if (dtype_is_discrete((ThDtype)x->type.dtype)) {
        g->gx[0] = zero_grad_make(b, x);
        return;
    }
    if (!at->prod) {
        g->gx[0] = in_form(b, sums_behind(b, gz, along), x, flat(at));
        return;
    }
    ThVar *product = elemwise_2(b, S_mul, conj_make(b, cumulate_make(b, x, &at->axis, true)), gz);
    ThVar *sum = in_form(b, sums_behind(b, product, along), x, flat(at));
    ThVar *zero = elemwise_2(b, S_eq, x, number(b, 0, x));
    ThVar *there = grad_at_zeros(b, as_lanes(b, x, flat(at)), as_lanes(b, zero, flat(at)), gz, along);
    ThVar *by = conj_make(b, elemwise_3(b, S_switch, zero, number(b, 1, x), x)); /* derivatives divide by it again */
    g->gx[0] = elemwise_3(b, S_switch, zero, in_form(b, there, x, flat(at)), elemwise_2(b, S_true_div, sum, by));
}

static void str_cum(Text *t, const ThApply *a) {
    const CumAttrs *at = ATTRS(CumAttrs, a);
    if (flat(at)) text_put(t, "CumOp{None, ");
    else text_printf(t, "CumOp{%d, ", at->axis.at[0]);
    text_put(t, at->prod ? "mul}" : "add}");
}

const Op op_cum = {
    .name = "CumOp",
    .nin = 1,
    .nout = 1,
    .attr_bytes = sizeof(CumAttrs),
    .attrs = cum_fields,
    .nattr = TH_LEN(cum_fields),
    .infer = infer_cum,
    .shape = shape_cum,
    .grad = grad_cum,
    .lower = lower_cum,
    .str = str_cum,
    .batch = batch_cum,
    .device = DEVICE_FORM,
    .doc = OP_DOC("running sums or products"),
};

ThVar *cumulate_make(Builder *b, ThVar *x, const AttrInts *axis, bool prod) {
    CumAttrs at = {.axis = *axis, .prod = prod};
    return apply1(b, &op_cum, &at, &x, 1);
}
