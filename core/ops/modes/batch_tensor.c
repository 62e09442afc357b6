/*
 * batch_tensor.c -- vmap rules of diagonals, batched products, ordering, running sums, conditions (see batch.h).
 * In: a node and its inputs, some with the mapped dimension in front. Out: the same operation with its axes one further
 * back, or a graph that says the same for all. What gives results of different lengths for different elements has no
 * common shape and is refused by name.
 */
#include "ops/order/order.h"
#include "ops/table/shape.h"
#include "ops/table/index.h"
#include "ops/table/linear.h"
#include "ops/table/control.h"
#include "ops/reduce/reduce.h"

static bool set(Batch *q, ThVar *v) {
    q->out[0] = v;
    return v != NULL;
}

bool batch_ragged(Batch *q) {
    return err(q->b->ctx, TH_NotImplementedError,
               "vmap: %s depends on a mapped variable, but its results may be of another length for each element",
               q->node->op->name);
}

/* ---- products, diagonals ----------------------------------------------------------------------------------------- */
/* Both batches become one. */
bool batch_batched_dot(Batch *q) {
    ThVar *x = batch_full(q, 0), *y = batch_full(q, 1);
    ThVar *r = batched_dot_make(q->b, batch_merge(q->b, x), batch_merge(q->b, y));
    return set(q, r ? batch_unmerge(q->b, r, x) : NULL);
}

bool batch_diag(Batch *q) {
    DiagAttrs at = *ATTRS(DiagAttrs, q->node);
    at.axis1++, at.axis2++;
    return set(q, apply1(q->b, q->node->op, &at, q->in, 1));
}

/* 0, 1, .. along dimension d of nd behind the mapped one. */
static ThVar *grid(Builder *b, ThVar *n, int d, int nd) {
    int8_t order[TH_MAX_NDIM + 1];
    ThVar *line = arange_make(b, const_int(b, 0, TH_INT64), n, const_int(b, 1, TH_INT64), TH_INT64);
    for (int i = 0; i <= nd; i++) order[i] = (int8_t)(i == d + 1 ? 0 : -1);
    return line ? dimshuffle_make(b, line, order, nd + 1) : NULL;
}

/* The value where all coordinates are equal (the second less the offset), the tensor elsewhere. */
bool batch_fill_diagonal(Batch *q) {
    Builder *b = q->b;
    int nd = q->node->in[0]->type.ndim;
    ThVar *a = batch_full(q, 0), *mask = NULL, *first = NULL;
    if (q->node->nin == 3 && !batch_fixed(q, 2, "the offset must be the same for all")) return false;
    for (int d = 0; a && d < nd; d++) {
        ThVar *at = grid(b, shape_elem_make(b, a, d + 1), d, nd);
        if (d == 1 && q->node->nin == 3) at = elemwise_2(b, S_sub, at, cast_make(b, q->in[2], TH_INT64));
        if (d == 0) first = at;
        else {
            ThVar *same = elemwise_2(b, S_eq, first, at);
            mask = d == 1 ? same : elemwise_2(b, S_and_, mask, same);
        }
    }
    ThVar *v = cast_make(b, batch_beside(q, 1, nd), (ThDtype)q->node->out[0]->type.dtype);
    return set(q, a ? elemwise_3(b, S_switch, mask, v, a) : NULL);
}

/* ---- ordering ---------------------------------------------------------------------------------------------------- */
bool batch_sort(Batch *q) {
    ThVar *in[2] = {q->in[0], batch_axis(q, 1)};
    return set(q, apply1(q->b, q->node->op, q->node->attrs, in, 2));
}

bool batch_topk(Batch *q) {
    TopKAttrs at = *ATTRS(TopKAttrs, q->node);
    at.axis++;
    if (!batch_fixed(q, 1, "k must be the same for all")) return false;
    ThApply *r = topk_make(q->b, q->in[0], q->in[1], &at);
    for (int o = 0; r && o < 2; o++) q->out[o] = r->out[o];
    return r != NULL;
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

bool batch_cum(Batch *q) {
    Builder *b = q->b;
    CumAttrs at = *ATTRS(CumAttrs, q->node);
    ThVar *x = q->in[0];
    if (at.axis.n < 0) {
        ThVar *shape[2] = {q->size, const_int(b, -1, TH_INT64)};
        x = reshape_make(b, x, make_vector_make(b, shape, 2, TH_INT64), 2);
        at.axis = (AttrInts){.n = 1, .at = {1}};
    } else at.axis.at[0]++;
    return set(q, cumulate_make(b, x, &at.axis, at.prod));
}

/* ---- conditions, counts ------------------------------------------------------------------------------------------ */
static void behind(AttrInts *axis, int ndim) {
    *axis = (AttrInts){.n = (int8_t)ndim};
    for (int d = 0; d < ndim; d++) axis->at[d] = (int8_t)(d + 1);
}

/* The condition must hold for every element. */
bool batch_assert(Batch *q) {
    ThVar *in[1 + TH_MAX_NDIM] = {batch_full(q, 0)};
    for (int i = 1; i < q->node->nin; i++) {
        in[i] = q->in[i];
        if (q->mapped[i]) in[i] = reduce_make(q->b, &op_all, in[i], NULL, TH_DTYPE_NONE, TH_DTYPE_NONE, false);
    }
    return set(q, apply1(q->b, q->node->op, q->node->attrs, in, q->node->nin));
}

bool batch_count(Batch *q) {
    AttrInts axis;
    ThVar *x = q->in[0], *zero = cast_make(q->b, const_int(q->b, 0, TH_INT8), (ThDtype)x->type.dtype);
    behind(&axis, q->node->in[0]->type.ndim);
    ThVar *found = cast_make(q->b, elemwise_2(q->b, S_neq, x, zero), TH_INT64);
    return set(q, axis.n ? sum_make(q->b, found, &axis) : found);
}
