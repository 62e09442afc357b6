/*
 * sort.c -- SortOp and ArgSortOp: the elements along an axis in ascending order, NaN last, or where they stand in x.
 * In: a tensor and the axis as an integer scalar. Out: x's shape. Positions of equal elements stay in their order,
 * whatever `kind` says, so that results are the same on every machine.
 */
#include "graph/services.h"
#include "keys.h"
#include "ops/table/shape.h"
#include "ops/table/index.h"
#include "ops/table/lowering.h"
#include "order.h"

#include "base/array/move.h"
#include "base/array/sort.h"

#include <string.h>

static const AttrField sort_fields[] = {{"kind", ATTR_STR, offsetof(SortAttrs, kind), false}};

static bool infer_sort(Infer *q) {
    ThType x = q->in[0]->type, a = q->in[1]->type;
    int64_t axis;
    if (x.kind != TYPE_TENSOR || x.ndim == 0)
        return err(q->ctx, TH_ValueError, "%s needs a tensor with at least one dimension", q->op->name);
    if (a.kind != TYPE_TENSOR || a.ndim != 0 || !dtype_is_int((ThDtype)a.dtype))
        return err(q->ctx, TH_TypeError, "%s: the axis must be an integer scalar", q->op->name);
    if (scalar_known(q->in[1], &axis) && !axis_normalize(q->ctx, &axis, x.ndim, q->op->name)) return false;
    q->out[0] = x;
    if (q->op == &op_argsort) q->out[0].dtype = TH_INT64;
    return true;
}

static bool shape_sort(ShapeQ *q) {
    for (int d = 0; d < q->node->in[0]->type.ndim; d++) q->out[0][d] = q->in[0][d];
    return true;
}

/* The axis of this call, or -1 after an error. */
static int axis_of(HostCall *h) {
    int64_t axis = host_int(h, 1);
    int nd = h->in[0]->ndim;
    if (axis >= -nd && axis < nd) return (int)(axis < 0 ? axis + nd : axis);
    host_error(h, TH_IndexError, "%s: axis %lld is out of bounds for %d dimensions", h->op->name, (long long)axis, nd);
    return -1;
}

/* ---- what has no keys: a merge of positions ---------------------------------------------------------------------- */
typedef struct Merge { /* the next element of [i, mid) or of [j, hi) goes to k */
    int64_t i, mid, j, hi, k;
} Merge;

/* At most so many of them. */
static void merge(Merge *m, int64_t most, const int64_t *at, int64_t *to, SortLess *less, const void *user) {
    int64_t i = m->i, j = m->j, k = m->k, end = m->hi - k < most ? m->hi : k + most;
    for (; k < end && i < m->mid && j < m->hi; k++) to[k] = less(user, at[j], at[i]) ? at[j++] : at[i++];
    for (; k < end && i < m->mid; k++) to[k] = at[i++];
    for (; k < end; k++) to[k] = at[j++];
    m->i = i, m->j = j, m->k = k;
}

int64_t *sort_by(const HostCall *h, SortLess *less, const void *user, int64_t n, int64_t *at, int64_t *tmp) {
    enum { OFTEN = 1 << 16 };
    int64_t next = OFTEN; /* of all that are merged */
    for (int64_t i = 0; i < n; i++) at[i] = i;
    for (int64_t w = 1, all = 0; w < n; w *= 2) {
        for (int64_t lo = 0; lo < n; lo += 2 * w) {
            int64_t mid = lo + w < n ? lo + w : n, hi = lo + 2 * w < n ? lo + 2 * w : n;
            for (Merge m = {lo, mid, mid, hi, lo}; m.k < hi;) {
                const int64_t from = m.k;
                merge(&m, OFTEN, at, tmp, less, user);
                if ((all += m.k - from) < next) continue;
                if (host_leaves(h)) return NULL;
                next = all + OFTEN;
            }
        }
        int64_t *swap = at;
        at = tmp, tmp = swap;
    }
    return at;
}

typedef struct ComplexLane {
    const char *at;
    int64_t step;
    ThDtype d;
} ComplexLane;

static bool complex_less(const void *user, int64_t i, int64_t j) {
    const ComplexLane *l = user;
    return keys_compare_complex(l->at + i * l->step, l->at + j * l->step, l->d) < 0;
}

int64_t *sort_complex(const HostCall *h, const char *lane, int64_t step, int64_t n, ThDtype d, int64_t *at,
                      int64_t *tmp) {
    return sort_by(h, complex_less, &(ComplexLane){lane, step, d}, n, at, tmp);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */
/* Lanes of dense arrays that lie beside each other, some at a time: what they have in common is done once. */
typedef struct Side {
    int64_t n, inner; /* elements of a lane, and from one of them to the next */
    size_t item;
    ThDtype d;
    char *room, *tmp;
    int vector;
} Side;

/* `lanes` of them at z, dense, become sorted; they may stand there or at x. */
static void sort_dense(const Side *s, char *z, const char *x, int64_t lanes) {
    keys_from(z, x, (int64_t)s->item, lanes * s->n, s->d);
    for (int64_t i = 0; i < lanes; i++) sort_words(z + (size_t)(i * s->n) * s->item, s->n, s->tmp, s->item, s->vector);
    keys_to(z, (int64_t)s->item, z, lanes * s->n, s->d);
}

static void sort_columns(const Side *s, char *z, const char *x, int64_t lanes) {
    const int64_t line = s->n * (int64_t)s->item, row = s->inner * (int64_t)s->item;
    array_turn(s->item, s->room, line, x, row, lanes, s->n);
    sort_dense(s, s->room, s->room, lanes);
    array_turn(s->item, z, row, s->room, line, s->n, lanes);
}

static void side_by_side(HostCall *h, const SortWork *w, const Side *s, int64_t most) {
    const int64_t lanes = w->x->size / s->n;
    for (int64_t i = 0, some; i < lanes && !host_leaves(h); i += some) {
        const int64_t in = i % s->inner, left = s->inner > 1 ? s->inner - in : lanes - i;
        const size_t at = (size_t)((i - in) * s->n + in) * s->item;
        some = left < most ? left : most;
        (s->inner > 1 ? sort_columns : sort_dense)(s, w->z->data + at, w->x->data + at, some);
    }
}

static void one_by_one(HostCall *h, const SortWork *w, const Side *s) {
    ThArray *both[2] = {(ThArray *)w->x, w->z};
    Lanes l;
    for (host_lanes(&l, both, 2, w->axis); !l.done && !host_leaves(h); host_next(&l)) {
        if (dtype_is_complex(s->d)) {
            int64_t *at =
                sort_complex(h, l.ptr[0], l.step[0], s->n, s->d, (int64_t *)(void *)s->room, (int64_t *)(void *)s->tmp);
            for (int64_t i = 0; at && i < s->n; i++)
                memcpy(l.ptr[1] + i * l.step[1], l.ptr[0] + at[i] * l.step[0], s->item);
            continue;
        }
        char *key = l.step[1] == (int64_t)s->item ? l.ptr[1] : s->room;
        keys_from(key, l.ptr[0], l.step[0], s->n, s->d);
        sort_words(key, s->n, s->tmp, s->item, s->vector);
        keys_to(l.ptr[1], l.step[1], key, s->n, s->d);
    }
}

static int values(HostCall *h, const SortWork *w) {
    enum { SOME = 2048, FEW = 8, LONG = 1 << 15 }; /* elements, lanes of a line of memory, elements of a lane */
    const int64_t *shape = ARRAY_SHAPE(w->x);
    Side s = {.n = shape[w->axis], .inner = 1, .d = (ThDtype)w->x->dtype};
    s.item = th_dtype_bytes(s.d), s.vector = s.n > FEW ? isa_vector_bytes() : 0;
    for (int i = w->axis + 1; i < w->x->ndim; i++) s.inner *= shape[i];
    const bool dense = (w->x->flags & w->z->flags & ARRAY_CONTIGUOUS) && w->x->size && !dtype_is_complex(s.d);
    const bool beside = dense && s.n <= (s.inner > 1 ? LONG : SOME);
    const int64_t most = !beside ? 1 : s.n * FEW < SOME ? SOME / s.n : FEW;
    const uint64_t line = ((uint64_t)s.n * (s.item > 8 ? s.item : 8) + 127) / 64 * 64;
    s.tmp = s.n ? h->room(h, line * (uint64_t)(1 + (s.inner > 1 || !beside ? most : 0))) : NULL;
    if (!s.tmp) return s.n != 0;
    s.room = s.tmp + line;
    if (beside) side_by_side(h, w, &s, most);
    else one_by_one(h, w, &s);
    return 0;
}

/* ---- positions --------------------------------------------------------------------------------------------------- */
static bool over(const void *h) { return host_leaves(h); }

bool sort_lane(const HostCall *h, const char *lane, int64_t step, int64_t n, ThDtype d, bool descending, int64_t *at,
               uint64_t *key, uint64_t *room) {
    keys_wide(key, 1, lane, step, n, d);
    for (int64_t i = 0; descending && i < n; i++) key[i] = ~key[i];
    return sort_positions(key, n, at, room, &(SortEnd){over, h});
}

static int positions(HostCall *h, const SortWork *w) {
    ThArray *both[2] = {(ThArray *)w->x, w->at};
    ThDtype d = (ThDtype)w->x->dtype;
    int64_t n = ARRAY_SHAPE(w->x)[w->axis];
    int64_t *at = n ? h->room(h, 6 * sizeof *at * (uint64_t)n) : NULL;
    if (!at) return n != 0;
    uint64_t *key = (uint64_t *)(void *)(at + n), *room = key + n;
    Lanes l;
    for (host_lanes(&l, both, 2, w->axis); !l.done && !host_leaves(h); host_next(&l)) {
        bool dense = l.step[1] == 8;
        int64_t *to = dense ? (int64_t *)(void *)l.ptr[1] : at;
        if (dtype_is_complex(d)) to = sort_complex(h, l.ptr[0], l.step[0], n, d, at, at + n);
        else if (!sort_lane(h, l.ptr[0], l.step[0], n, d, false, to, key, room)) to = NULL;
        if (!to) break; /* which is an error above */
        if (!dense || to != (int64_t *)(void *)l.ptr[1]) host_put(l.ptr[1], l.step[1], to, n, 8);
    }
    return 0;
}

int sort_host(HostCall *h, const SortWork *w) {
    return w->z && w->at ? topk_sort(h, w) : w->z ? values(h, w) : positions(h, w);
}

static int run_sort(HostCall *h) {
    int axis = axis_of(h);
    bool at = h->op == &op_argsort;
    return axis < 0 ||
           h->lib->sort(
               h, &(SortWork){.x = h->in[0], .axis = axis, .z = at ? NULL : h->out[0], .at = at ? h->out[0] : NULL});
}

/* ---- the operations ---------------------------------------------------------------------------------------------- */
static bool first_connected(const ThApply *a, int in, int out) {
    (void)out;
    return in == 0 && a->op == &op_sort;
}

/* gz goes back to where each element came from: gz taken at the inverse permutation. */
static void grad_sort(Grad *g) {
    ThVar *x = g->node->in[0], *axis = g->node->in[1];
    int64_t at;
    g->gx[1] = NULL;
    if (dtype_is_discrete((ThDtype)x->type.dtype)) {
        g->gx[0] = zero_grad_make(g->b, x);
        return;
    }
    if (!scalar_known(axis, &at)) {
        g->gx[0] = grad_undefined(g, 0, "the gradient of sort needs an axis that is known while building");
        return;
    }
    if (at < 0) at += x->type.ndim;
    ThVar *order = argsort_make(g->b, x, axis, ATTRS(SortAttrs, g->node)->kind);
    g->gx[0] = sort_scatter(g->b, x, g->gz[0], order, (int)at);
}

static void grad_argsort(Grad *g) { g->gx[0] = g->gx[1] = NULL; }

static bool lower_sort(Lower *l) { return l->api->host(l, run_sort, 0); }

static void str_sort(Text *t, const ThApply *a) {
    text_printf(t, "%s{%s, None}", a->op->name, ATTRS(SortAttrs, a)->kind);
}

const Op op_sort = {
    .name = "SortOp",
    .flags = OP_FAILS,
    .nin = 2,
    .nout = 1,
    .attr_bytes = sizeof(SortAttrs),
    .attrs = sort_fields,
    .nattr = 1,
    .infer = infer_sort,
    .shape = shape_sort,
    .grad = grad_sort,
    .lower = lower_sort,
    .str = str_sort,
    .connected = first_connected,
    .batch = batch_sort,
    .device = DEVICE_FORM | DEVICE_READS(1),
    .doc = OP_DOC("elements along an axis in ascending order"),
};
const Op op_argsort = {
    .name = "ArgSortOp",
    .flags = OP_FAILS,
    .nin = 2,
    .nout = 1,
    .attr_bytes = sizeof(SortAttrs),
    .attrs = sort_fields,
    .nattr = 1,
    .infer = infer_sort,
    .shape = shape_sort,
    .grad = grad_argsort,
    .lower = lower_sort,
    .str = str_sort,
    .connected = first_connected,
    .batch = batch_sort,
    .device = DEVICE_FORM | DEVICE_READS(1),
    .doc = OP_DOC("positions of the elements along an axis in ascending order"),
};

ThVar *sort_make(Builder *b, ThVar *x, ThVar *axis, const char *kind) {
    return apply1(b, &op_sort, &(SortAttrs){intern(b->ctx, kind)}, (ThVar *[]){x, axis}, 2);
}

ThVar *argsort_make(Builder *b, ThVar *x, ThVar *axis, const char *kind) {
    return apply1(b, &op_argsort, &(SortAttrs){intern(b->ctx, kind)}, (ThVar *[]){x, axis}, 2);
}

/* Zeros like x with each element of `value` added at its position along axis; the other positions are its own. */
ThVar *sort_scatter(Builder *b, ThVar *x, ThVar *value, ThVar *at, int axis) {
    ThVar *in[TH_MAX_NDIM];
    AttrIdx idx = {.n = (int8_t)x->type.ndim};
    int8_t order[TH_MAX_NDIM];
    int nd = x->type.ndim;
    for (int d = 0; d < nd; d++) {
        idx.at[d].kind = 'i';
        idx.at[d].has = 1;
        idx.at[d].dtype[0] = TH_INT64;
        in[d] = at;
        if (d == axis) continue;
        ThVar *zero = const_int(b, 0, TH_INT64), *one = const_int(b, 1, TH_INT64);
        ThVar *line = arange_make(b, zero, shape_elem_make(b, at, d), one, TH_INT64);
        for (int i = 0; i < nd; i++) order[i] = (int8_t)(i == d ? 0 : -1);
        in[d] = line ? dimshuffle_make(b, line, order, nd) : NULL;
        if (!in[d]) return NULL;
    }
    ThVar *zeros = zeros_like_make(b, x, (ThDtype)x->type.dtype);
    if (nd == 1) return adv_inc_subtensor1_make(b, zeros, value, at, false);
    return adv_inc_subtensor_make(b, zeros, value, &idx, in, nd, false);
}
