/*
 * batch_order.c -- vmap rules of diagonals, assertions, sorting, searching, running sums and batched products.
 * In: a node and its inputs, some with the mapped dimension in front. Out: nodes whose results have it in front.
 */
#include "order.h"
#include "reduce.h"

static bool set(Batch *q, ThVar *v) {
    q->out[0] = v;
    return v != NULL;
}

bool batch_refused(Batch *q) {
    for (int i = 0; i < q->node->nin; i++)
        if (!batch_fixed(q, i, "the length of the result would differ from one element to the next")) return false;
    return false;
}

/* Holds where every mapped condition holds for all. */
bool batch_assert(Batch *q) {
    ThVar *cond[TH_MAX_NDIM];
    int n = q->node->nin - 1;
    const AssertAttrs *at = ATTRS(AssertAttrs, q->node);
    for (int i = 0; i < n && i < TH_MAX_NDIM; i++) {
        cond[i] = q->in[i + 1];
        if (q->mapped[i + 1]) cond[i] = reduce_make(q->b, &op_all, cond[i], NULL, TH_DTYPE_NONE, TH_DTYPE_NONE, false);
    }
    return set(q, assert_make(q->b, batch_full(q, 0), cond, n, at->msg, (ThError)at->kind));
}

bool batch_batched_dot(Batch *q) {
    ThVar *x = batch_full(q, 0), *y = batch_full(q, 1);
    ThVar *r = x && y ? batched_dot_make(q->b, batch_merge(q->b, x), batch_merge(q->b, y)) : NULL;
    return set(q, r ? batch_unmerge(q->b, r, x) : NULL);
}

/* ---- diagonals --------------------------------------------------------------------------------------------------- */
bool batch_diag(Batch *q) {
    DiagAttrs at = *ATTRS(DiagAttrs, q->node);
    at.axis1++;
    at.axis2++;
    return set(q, apply1(q->b, q->node->op, &at, q->in, 1));
}

/* The value where a diagonal of ones lies, else what was there. */
bool batch_fill_diagonal(Batch *q) {
    Builder *b = q->b;
    ThVar *x = batch_full(q, 0), *n[TH_MAX_NDIM];
    ThVar *offset = q->node->nin == 3 ? q->in[2] : NULL;
    if (!x || (offset && !batch_fixed(q, 2, "the offset must be the same for all"))) return false;
    for (int d = 1; d < x->type.ndim; d++) n[d - 1] = shape_elem_make(b, x, d);
    ThVar *zeros = alloc_make(b, const_int(b, 0, TH_INT8), n, x->type.ndim - 1);
    ThVar *mask = fill_diagonal_make(b, zeros, const_int(b, 1, TH_INT8), offset);
    ThVar *r = elemwise_3(b, S_switch, mask, batch_beside(q, 1, x->type.ndim - 1), x);
    return set(q, r ? cast_make(b, r, (ThDtype)x->type.dtype) : NULL);
}

bool batch_count(Batch *q) {
    AttrInts axes = {.n = (int8_t)q->node->in[0]->type.ndim};
    for (int d = 0; d < axes.n; d++) axes.at[d] = (int8_t)(d + 1);
    ThVar *hit = elemwise_2(q->b, S_neq, q->in[0], const_int(q->b, 0, TH_DTYPE_NONE));
    if (axes.n == 0) return set(q, hit ? cast_make(q->b, hit, TH_INT64) : NULL);
    return set(q, hit ? sum_make(q->b, hit, &axes) : NULL);
}

/* ---- order ------------------------------------------------------------------------------------------------------- */
bool batch_sort(Batch *q) {
    ThVar *in[2] = {batch_full(q, 0), batch_axis(q, 1)};
    return in[0] && in[1] && set(q, apply1(q->b, q->node->op, q->node->attrs, in, 2));
}

bool batch_topk(Batch *q) {
    TopKAttrs at = *ATTRS(TopKAttrs, q->node);
    if (!batch_fixed(q, 1, "k must be the same for all")) return false;
    at.axis++;
    ThApply *a = topk_make(q->b, q->in[0], q->in[1], &at);
    for (int o = 0; a && o < q->node->nout; o++) q->out[o] = a->out[o];
    return a != NULL;
}

bool batch_cum(Batch *q) {
    const CumAttrs *at = ATTRS(CumAttrs, q->node);
    AttrInts axis = {.n = 1, .at = {1}};
    ThVar *x = q->in[0];
    if (at->axis.n > 0) axis.at[0] = (int8_t)(at->axis.at[0] + 1);
    else
        x = reshape_make(q->b, x,
                         make_vector_make(q->b, (ThVar *[]){q->size, const_int(q->b, -1, TH_INT64)}, 2, TH_INT64), 2);
    return set(q, cumulate_make(q->b, x, &axis, at->prod));
}

/* Positions in one sorted vector are found as ever; in mapped ones by counting what stands before. */
bool batch_search(Batch *q) {
    static const int8_t vector[2] = {0, 1};
    Builder *b = q->b;
    const SearchAttrs *at = ATTRS(SearchAttrs, q->node);
    bool sorter = q->node->nin == 3;
    if (!q->mapped[0] && !(sorter && q->mapped[2]))
        return set(q, apply1(b, q->node->op, q->node->attrs, q->in, q->node->nin));
    int nd = q->node->in[1]->type.ndim;
    ThVar *x = batch_full(q, 0), *v = batch_full(q, 1);
    if (sorter) {
        AttrIdx idx = {.n = 2, .at = {{'i', 1, {TH_INT64, 0, 0}}, {'i', 1, {TH_INT64, 0, 0}}}};
        ThVar *each = arange_make(b, const_int(b, 0, TH_INT64), q->size, const_int(b, 1, TH_INT64), TH_INT64);
        ThVar *order = batch_full(q, 2);
        x = each && order ? adv_subtensor_make(b, x, &idx, (ThVar *[]){batch_pad(b, each, 1), order}, 2) : NULL;
    }
    x = x ? batch_pad(b, dimshuffle_make(b, x, vector, 2), nd + 1) : NULL;
    int8_t last[TH_MAX_NDIM + 1];
    for (int d = 0; d <= nd; d++) last[d] = (int8_t)d;
    last[nd + 1] = -1;
    v = v ? dimshuffle_make(b, v, last, nd + 2) : NULL;
    AttrInts axis = {.n = 1, .at = {(int8_t)(nd + 1)}};
    ThVar *before = elemwise_2(b, at->right ? S_le : S_lt, x, v);
    return set(q, before ? sum_make(b, before, &axis) : NULL);
}
