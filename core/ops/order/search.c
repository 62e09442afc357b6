/*
 * search.c -- SearchsortedOp: where each element of v would go into the sorted vector x so that it stays sorted.
 * In: x (a vector) and v of one dtype, and optionally the positions that sort x. Out: int64 in v's shape: the first
 * such place, or the last one with `right`. NaN is larger than every number.
 */
#include "graph/services.h"
#include "keys.h"
#include "order.h"

static const AttrField search_fields[] = {{"right", ATTR_BOOL, offsetof(SearchAttrs, right), false}};

static bool infer_search(Infer *q) {
    ThType x = q->in[0]->type, v = q->in[1]->type;
    if (x.kind != TYPE_TENSOR || v.kind != TYPE_TENSOR) return err(q->ctx, TH_TypeError, "searchsorted takes tensors");
    if (x.ndim != 1) return err(q->ctx, TH_ValueError, "searchsorted: x must have 1 dimension, it has %d", x.ndim);
    if (x.dtype != v.dtype) return err(q->ctx, TH_TypeError, "SearchsortedOp: x and v must be of one dtype");
    if (q->nin == 3 && (q->in[2]->type.kind != TYPE_TENSOR || !dtype_is_int((ThDtype)q->in[2]->type.dtype)))
        return err(q->ctx, TH_TypeError, "searchsorted: sorter must be a vector of integers");
    if (q->nin == 3 && q->in[2]->type.ndim != 1)
        return err(q->ctx, TH_ValueError, "searchsorted: sorter must have 1 dimension, it has %d", q->in[2]->type.ndim);
    if (q->nin < 2 || q->nin > 3) return err(q->ctx, TH_TypeError, "searchsorted takes x, v and sorter");
    q->out[0] = v;
    q->out[0].dtype = TH_INT64;
    return true;
}

static bool shape_search(ShapeQ *q) {
    for (int d = 0; d < q->node->in[1]->type.ndim; d++) q->out[0][d] = q->in[1][d];
    return q->node->nin < 3 ||
           q->alg->equal(q->alg->u, q->in[2][0], q->in[0][0], "searchsorted: the sorter has length {0}, x has {1}");
}

/* x[0..n) by stride, v and the results by stride; the loop halves without a branch on the data. */
typedef void (*SearchFn)(const char *x, int64_t xs, int64_t n, const char *v, int64_t vs, int64_t *z, int64_t m,
                         bool right);
#define SEARCH(name, type, LESS) \
    static void search_##name(const char *x, int64_t xs, int64_t n, const char *v, int64_t vs, int64_t *z, int64_t m, \
                              bool right) { \
        for (int64_t i = 0; i < m; i++) { \
            type key = *(const type *)(const void *)(v + i * vs); \
            int64_t lo = 0, len = n; \
            while (len > 0) { \
                int64_t half = len / 2; \
                type at = *(const type *)(const void *)(x + (lo + half) * xs); \
                bool up = right ? !LESS(key, at) : LESS(at, key); \
                lo = up ? lo + half + 1 : lo; \
                len = up ? len - half - 1 : half; \
            } \
            z[i] = lo; \
        } \
    }
#define INT_LESS(a, b) ((a) < (b))
#define FLOAT_LESS(a, b) ((a) < (b) || ((b) != (b) && (a) == (a)))
#define C64_LESS(a, b) (keys_compare_complex((const char *)&(a), (const char *)&(b), TH_COMPLEX64) < 0)
#define C128_LESS(a, b) (keys_compare_complex((const char *)&(a), (const char *)&(b), TH_COMPLEX128) < 0)
SEARCH(i8, int8_t, INT_LESS)
SEARCH(i16, int16_t, INT_LESS)
SEARCH(i32, int32_t, INT_LESS)
SEARCH(i64, int64_t, INT_LESS)
SEARCH(u8, uint8_t, INT_LESS)
SEARCH(u16, uint16_t, INT_LESS)
SEARCH(u32, uint32_t, INT_LESS)
SEARCH(u64, uint64_t, INT_LESS)
SEARCH(f32, float, FLOAT_LESS)
SEARCH(f64, double, FLOAT_LESS)
SEARCH(c64, ThComplex64, C64_LESS)
SEARCH(c128, ThComplex128, C128_LESS)
static const SearchFn searches[TH_DTYPE_COUNT] = {
    [TH_BOOL] = search_u8,        [TH_INT8] = search_i8,     [TH_INT16] = search_i16,   [TH_INT32] = search_i32,
    [TH_INT64] = search_i64,      [TH_UINT8] = search_u8,    [TH_UINT16] = search_u16,  [TH_UINT32] = search_u32,
    [TH_UINT64] = search_u64,     [TH_FLOAT32] = search_f32, [TH_FLOAT64] = search_f64, [TH_COMPLEX64] = search_c64,
    [TH_COMPLEX128] = search_c128};

enum { BAD_SORTER };
static const OpFailure failures[] = {
    [BAD_SORTER] = {TH_IndexError, "searchsorted: sorter[{0}] = {1} is out of bounds for {2} elements"}};

/* x in the sorter's order, dense. */
static const char *sorted(HostCall *h, const SearchWork *w, size_t item) {
    const ThArray *x = w->x, *s = w->sorter;
    char *to = h->room(h, (uint64_t)x->size * item + 64);
    for (int64_t i = 0; to && i < x->size; i++) {
        int64_t at;
        dtype_cast((char *)&at, TH_INT64, 8, s->data + i * ARRAY_STRIDES(s)[0], (ThDtype)s->dtype, 0, 1);
        if (at < 0 || at >= x->size) {
            host_failed(h, w->failure, i, at, x->size, 0);
            return NULL;
        }
        host_get(to + i * (int64_t)item, x->data + at * ARRAY_STRIDES(x)[0], 0, 1, item);
    }
    return to;
}

int search_host(HostCall *h, const SearchWork *w) {
    const ThArray *x = w->x;
    ThArray *both[2] = {(ThArray *)w->v, w->z};
    SearchFn fn = searches[x->dtype];
    int64_t item = (int64_t)th_dtype_bytes((ThDtype)x->dtype), step = ARRAY_STRIDES(x)[0];
    const char *from = x->data;
    if (w->sorter) {
        if (!(from = sorted(h, w, (size_t)item))) return 1;
        step = item;
    }
    int64_t *z = (int64_t *)(void *)both[1]->data;
    if (both[0]->ndim == 0 || (both[0]->flags & ARRAY_CONTIGUOUS)) {
        fn(from, step, x->size, both[0]->data, item, z, both[0]->size, w->right);
        return 0;
    }
    Lanes l;
    for (host_lanes(&l, both, 2, both[0]->ndim - 1); !l.done && !host_leaves(h); host_next(&l))
        fn(from, step, x->size, l.ptr[0], l.step[0], (int64_t *)(void *)l.ptr[1], l.n[0], w->right);
    return 0;
}

static int run_search(HostCall *h) {
    return h->lib->search(h, &(SearchWork){.x = h->in[0],
                                           .v = h->in[1],
                                           .sorter = h->nin == 3 ? h->in[2] : NULL,
                                           .z = h->out[0],
                                           .right = ((const SearchAttrs *)h->attrs)->right,
                                           .failure = BAD_SORTER});
}

static bool lower_search(Lower *l) { return l->api->host(l, run_search, 0); }

/* Positions do not move under small changes: zeros. */
static void grad_search(Grad *g) {
    for (int i = 0; i < 2; i++) g->gx[i] = zero_grad_make(g->b, g->node->in[i]);
    if (g->node->nin == 3) g->gx[2] = NULL;
}

static bool search_connected(const ThApply *a, int in, int out) {
    (void)a, (void)out;
    return in < 2;
}

static void str_search(Text *t, const ThApply *a) {
    text_printf(t, "SearchsortedOp{side='%s'}", ATTRS(SearchAttrs, a)->right ? "right" : "left");
}

const Op op_searchsorted = {
    .name = "SearchsortedOp",
    .flags = OP_FAILS,
    .nin = -1,
    .nout = 1,
    .attr_bytes = sizeof(SearchAttrs),
    .attrs = search_fields,
    .nattr = 1,
    .infer = infer_search,
    .shape = shape_search,
    .grad = grad_search,
    .lower = lower_search,
    .str = str_search,
    .connected = search_connected,
    .batch = batch_search,
    .device = DEVICE_FORM,
    .failures = failures,
    .doc = OP_DOC("where elements go into a sorted vector"),
};

ThVar *searchsorted_make(Builder *b, ThVar *x, ThVar *v, ThVar *sorter, bool right) {
    ThVar *in[3] = {x, v, sorter};
    if (!x || !v) return NULL;
    ThDtype d = th_dtype_upcast((ThDtype)x->type.dtype, (ThDtype)v->type.dtype);
    in[0] = cast_make(b, x, d);
    in[1] = cast_make(b, v, d);
    return apply1(b, &op_searchsorted, &(SearchAttrs){right}, in, sorter ? 3 : 2);
}
