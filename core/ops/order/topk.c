/*
 * topk.c -- TopKOp: the k largest (k > 0) or -k smallest (k < 0) elements along an axis, and where they stand.
 * In: a tensor and k as an integer scalar. Out: values and positions, the extreme ones first; of equal elements the
 * earlier ones are taken. k of 0, or beyond the length, raises ValueError before anything runs.
 */
#include "graph/services.h"
#include "keys.h"
#include "ops/table/shape.h"
#include "order.h"

static const AttrField topk_fields[] = {
    {"axis", ATTR_INT, offsetof(TopKAttrs, axis), false},
    {"sorted", ATTR_BOOL, offsetof(TopKAttrs, sorted), false},
    {"idx_dtype", ATTR_DTYPE, offsetof(TopKAttrs, idx_dtype), false},
};

static bool infer_topk(Infer *q) {
    const TopKAttrs *at = q->attrs;
    ThType x = q->in[0]->type, t = q->in[1]->type;
    int64_t k;
    if (x.kind != TYPE_TENSOR || x.ndim == 0) return err(q->ctx, TH_ValueError, "topk: cannot take from a 0-d tensor");
    if (dtype_is_complex((ThDtype)x.dtype)) return err(q->ctx, TH_TypeError, "topk: complex numbers have no order");
    if (t.kind != TYPE_TENSOR || t.ndim != 0 || !dtype_is_int((ThDtype)t.dtype))
        return err(q->ctx, TH_TypeError, "topk: k must be an integer scalar");
    if (at->axis < 0 || at->axis >= x.ndim)
        return err(q->ctx, TH_IndexError, "topk: axis %lld is out of bounds for %d dimensions", (long long)at->axis,
                   x.ndim);
    bool known = scalar_known(q->in[1], &k);
    if (known && k == 0) return err(q->ctx, TH_ValueError, "topk: k cannot be zero");
    q->nout = 2;
    uint32_t bits = x.broadcastable & ~(1u << at->axis);
    if (known && (k == 1 || k == -1)) bits |= 1u << at->axis;
    q->out[0] = type_tensor((ThDtype)x.dtype, x.ndim, bits);
    q->out[1] = type_tensor((ThDtype)at->idx_dtype, x.ndim, bits);
    return true;
}

static bool shape_topk(ShapeQ *q) {
    const ShapeAlg *a = q->alg;
    int axis = (int)ATTRS(TopKAttrs, q->node)->axis;
    int64_t known;
    Sz k = scalar_known(q->node->in[1], &known) ? a->constant(a->u, known) : a->value(a->u, 1, 0);
    Sz size = a->op(a->u, 'M', k, a->op(a->u, '-', a->constant(a->u, 0), k)), n = q->in[0][axis];
    for (int o = 0; o < 2; o++)
        for (int d = 0; d < q->node->in[0]->type.ndim; d++) q->out[o][d] = d == axis ? size : q->in[0][d];
    return a->equal(a->u, size, a->op(a->u, 'M', size, a->constant(a->u, 1)), "topk: k cannot be zero") &&
           a->equal(a->u, size, a->op(a->u, 'm', size, n), "topk: k = {0} is more than the {1} elements of the axis");
}

typedef struct SortPair {
    uint64_t key;
    int64_t at;
} SortPair;

/* The best k of n pairs so far in a heap whose root is the worst of them: largest key, then largest position. */
static bool worse(SortPair a, SortPair b) { return a.key > b.key || (a.key == b.key && a.at > b.at); }

static void sink(SortPair *heap, int64_t k, int64_t i) {
    SortPair v = heap[i];
    for (int64_t c; (c = 2 * i + 1) < k; i = c) {
        if (c + 1 < k && worse(heap[c + 1], heap[c])) c++;
        if (!worse(heap[c], v)) break;
        heap[i] = heap[c];
    }
    heap[i] = v;
}

/* Few of many: one pass over the keys, most of which are turned away by one comparison; dense values are turned away in
 * groups before they become keys. */
static void few(const char *lane, int64_t step, int64_t n, ThDtype d, int64_t k, bool largest, SortPair *pair,
                int64_t *at) {
    enum { BLOCK = 256, GROUP = 16 };
    uint64_t key[BLOCK], turn = 0;
    int bits = 8 * (int)th_dtype_bytes(d);
    if (largest) turn = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    bool dense = step == (int64_t)th_dtype_bytes(d);
    for (int64_t first = 0, m; first < n; first += m) {
        bool skip = dense && first >= k;
        if (skip) first += keys_within(lane + first * step, n - first, d, pair[0].key ^ turn, largest);
        m = skip ? GROUP : BLOCK;
        if (m > n - first) m = n - first;
        keys_wide(key, 1, lane + first * step, step, m, d);
        for (int64_t j = 0; j < m; j++) {
            SortPair p = {key[j] ^ turn, first + j};
            if (p.at < k) {
                pair[p.at] = p;
                for (int64_t i = k / 2; p.at == k - 1 && i-- > 0;) sink(pair, k, i);
            } else if (p.key < pair[0].key) {
                pair[0] = p;
                sink(pair, k, 0);
            }
        }
    }
    for (int64_t i = k - 1; i > 0; i--) { /* the worst to the end, until they are in order */
        SortPair p = pair[0];
        pair[0] = pair[i], pair[i] = p;
        sink(pair, i, 0);
    }
    for (int64_t i = 0; i < k; i++) at[i] = pair[i].at;
}

int topk_sort(HostCall *h, const SortWork *w) {
    ThArray *all[3] = {(ThArray *)w->x, w->z, w->at};
    ThDtype d = (ThDtype)w->x->dtype, at = (ThDtype)w->at->dtype;
    int64_t n = ARRAY_SHAPE(w->x)[w->axis], k = ARRAY_SHAPE(w->z)[w->axis];
    bool small = k * 16 <= n;
    size_t item = th_dtype_bytes(d);
    int64_t *order = h->room(h, 6 * sizeof *order * (uint64_t)(n + 1));
    if (!order) return 1;
    uint64_t *key = (uint64_t *)(void *)(order + n + 1), *room = key + n;
    Lanes l;
    for (host_lanes(&l, all, 3, w->axis); !l.done && !host_leaves(h); host_next(&l)) {
        if (small) few(l.ptr[0], l.step[0], n, d, k, w->descending, (SortPair *)(void *)key, order);
        else if (!sort_lane(h, l.ptr[0], l.step[0], n, d, w->descending, order, key, room)) break;
        for (int64_t i = 0; i < k; i++) {
            host_put(l.ptr[1] + i * l.step[1], l.step[1], l.ptr[0] + order[i] * l.step[0], 1, item);
            dtype_cast(l.ptr[2] + i * l.step[2], at, 0, (const char *)&order[i], TH_INT64, 0, 1);
        }
    }
    return 0;
}

static int run_topk(HostCall *h) {
    int axis = (int)((const TopKAttrs *)h->attrs)->axis;
    return h->lib->sort(h, &(SortWork){h->in[0], h->out[0], h->out[1], axis, host_int(h, 1) > 0});
}

static bool lower_topk(Lower *l) { return l->api->host(l, run_topk, 0); }

static void grad_topk(Grad *g) {
    ThApply *a = g->node;
    ThVar *x = a->in[0];
    g->gx[0] = g->gx[1] = NULL;
    if (!g->gz[0]) return;
    if (dtype_is_discrete((ThDtype)x->type.dtype)) g->gx[0] = zero_grad_make(g->b, x);
    else g->gx[0] = sort_scatter(g->b, x, g->gz[0], a->out[1], (int)ATTRS(TopKAttrs, a)->axis);
}

static bool topk_connected(const ThApply *a, int in, int out) {
    (void)a;
    return in == 0 && out == 0;
}

const Op op_topk = {
    .name = "TopKOp",
    .flags = OP_FAILS,
    .nin = 2,
    .nout = -1,
    .attr_bytes = sizeof(TopKAttrs),
    .attrs = topk_fields,
    .nattr = TH_LEN(topk_fields),
    .infer = infer_topk,
    .shape = shape_topk,
    .grad = grad_topk,
    .lower = lower_topk,
    .connected = topk_connected,
    .batch = batch_topk,
    .device = DEVICE_FORM | DEVICE_READS(1),
    .doc = OP_DOC("the largest or smallest elements along an axis and their positions"),
};

ThApply *topk_make(Builder *b, ThVar *x, ThVar *k, const TopKAttrs *at) {
    return apply_make(b, &op_topk, at, (ThVar *[]){x, k}, 2);
}
