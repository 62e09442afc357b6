/*
 * batch.c -- vmap rules of elementwise operations, views, reductions, shapes, creation and joins (see batch.h).
 * In: a node and its inputs, some with the mapped dimension in front. Out: nodes whose results have it in front.
 */
#include "ops/reduce/reduce.h"
#include "ops/table/shape.h"

#include <string.h>

static bool set(Batch *q, ThVar *v) {
    q->out[0] = v;
    return v != NULL;
}

bool batch_same(Batch *q) {
    ThApply *a = apply_make(q->b, q->node->op, q->node->attrs, q->in, q->node->nin);
    for (int o = 0; a && o < q->node->nout; o++) q->out[o] = a->out[o];
    return a != NULL;
}

bool batch_elemwise(Batch *q) {
    ThApply *a = q->node;
    ThVar *few[8], **in = a->nin <= 8 ? few : ctx_alloc(q->b->ctx, sizeof *in * a->nin);
    if (!in) return false;
    for (int i = 0; i < a->nin; i++) in[i] = batch_beside(q, i, a->in[i]->type.ndim);
    ThApply *r = apply_make(q->b, a->op, a->attrs, in, a->nin);
    for (int o = 0; r && o < a->nout; o++) q->out[o] = r->out[o];
    if (in != few) ctx_free(q->b->ctx, in, sizeof *in * a->nin);
    return r != NULL;
}

/* ---- views ------------------------------------------------------------------------------------------------------- */
bool batch_dimshuffle(Batch *q) {
    const AttrInts *p = q->node->attrs;
    int8_t order[TH_MAX_NDIM + 1] = {0};
    if (p->n >= TH_MAX_NDIM) return err(q->b->ctx, TH_ValueError, "vmap: too many dimensions");
    for (int i = 0; i < p->n; i++) order[i + 1] = (int8_t)(p->at[i] < 0 ? -1 : p->at[i] + 1);
    return set(q, dimshuffle_make(q->b, q->in[0], order, p->n + 1));
}

bool batch_reshape(Batch *q) {
    int n = (int)ATTRS(ReshapeAttrs, q->node)->ndim;
    if (!batch_fixed(q, 1, "lengths must be the same for all")) return false;
    return set(q, reshape_make(q->b, q->in[0], batch_shape(q, q->in[1], n), n + 1));
}

bool batch_rebroadcast(Batch *q) {
    return set(q, patternbroadcast_make(q->b, q->in[0], q->node->out[0]->type.broadcastable << 1));
}

bool batch_specify_shape(Batch *q) {
    if (!batch_fixed(q, 1, "lengths must be the same for all")) return false;
    return set(q, specify_shape_make(q->b, q->in[0], batch_shape(q, q->in[1], q->node->in[0]->type.ndim)));
}

/* An index scalar is mapped as an integer vector. */
bool batch_index(Batch *q) { return set(q, q->in[0]); }

/* ---- reductions -------------------------------------------------------------------------------------------------- */
static void shift(AttrInts *to, const AttrInts *from, int ndim) {
    memset(to, 0, sizeof *to);
    to->n = (int8_t)(from->n < 0 ? ndim : from->n);
    for (int i = 0; i < to->n; i++) to->at[i] = (int8_t)(1 + (from->n < 0 ? i : from->at[i]));
}

bool batch_reduce(Batch *q) {
    ReduceAttrs a = *ATTRS(ReduceAttrs, q->node);
    shift(&a.axis, &ATTRS(ReduceAttrs, q->node)->axis, q->node->in[0]->type.ndim);
    if (a.axis.n == 0) return set(q, cast_make(q->b, q->in[0], (ThDtype)a.dtype));
    return set(q, apply1(q->b, q->node->op, &a, q->in, 1));
}

bool batch_argmax(Batch *q) {
    ArgmaxAttrs a;
    memset(&a, 0, sizeof a);
    shift(&a.axis, &ATTRS(ArgmaxAttrs, q->node)->axis, q->node->in[0]->type.ndim);
    bool both = q->node->nout == 2;
    if (a.axis.n == 0) {
        q->out[both] = zeros_like_make(q->b, q->in[0], TH_INT64);
        if (both) q->out[0] = q->in[0];
        return q->out[both] != NULL;
    }
    ThApply *r = apply_make(q->b, q->node->op, &a, q->in, 1);
    for (int o = 0; r && o < q->node->nout; o++) q->out[o] = r->out[o];
    return r != NULL;
}

/* ---- lengths ----------------------------------------------------------------------------------------------------- */
bool batch_lengths(Batch *q) {
    ThVar *n[TH_MAX_NDIM];
    int nd = q->node->in[0]->type.ndim;
    for (int d = 0; d < nd; d++) n[d] = shape_elem_make(q->b, q->in[0], d + 1);
    q->out_mapped[0] = false;
    return set(q, make_vector_make(q->b, n, nd, TH_INT64));
}

bool batch_length(Batch *q) {
    q->out_mapped[0] = false;
    return set(q, shape_i_make(q->b, q->in[0], (int)ATTRS(ShapeIAttrs, q->node)->i + 1));
}

/* (size) values one beside the other: (size, n). */
bool batch_make_vector(Batch *q) {
    static const int8_t column[2] = {0, -1};
    ThApply *a = q->node;
    ThVar *few[17], **in = a->nin <= 16 ? few : ctx_alloc(q->b->ctx, sizeof *in * (a->nin + 1u));
    if (!in) return false;
    for (int i = 0; i < a->nin; i++) {
        ThVar *v = batch_full(q, i);
        in[i] = v ? dimshuffle_make(q->b, v, column, 2) : NULL;
    }
    set(q, join_make(q->b, const_int(q->b, 1, TH_DTYPE_NONE), in, a->nin));
    if (in != few) ctx_free(q->b->ctx, in, sizeof *in * (a->nin + 1u));
    return q->out[0] != NULL;
}

/* ---- creation ---------------------------------------------------------------------------------------------------- */
static bool lengths_fixed(Batch *q, int first) {
    for (int i = first; i < q->node->nin; i++)
        if (!batch_fixed(q, i, "lengths must be the same for all")) return false;
    return true;
}

bool batch_alloc(Batch *q) {
    ThVar *n[TH_MAX_NDIM + 1] = {q->size};
    int nd = q->node->nin - 1;
    if (!lengths_fixed(q, 1)) return false;
    for (int d = 0; d < nd; d++) n[d + 1] = q->in[d + 1];
    return set(q, alloc_make(q->b, batch_pad(q->b, q->in[0], nd), n, nd + 1));
}

bool batch_alloc_empty(Batch *q) { return lengths_fixed(q, 0); }

bool batch_arange(Batch *q) { return lengths_fixed(q, 0); }

/* Eye and Tri with a mapped diagonal: column - row compared with k. */
bool batch_diagonal(Batch *q) {
    static const int8_t row[3] = {-1, 0, -1}, col[3] = {-1, -1, 0}, each[3] = {0, -1, -1};
    Builder *b = q->b;
    ThDtype d = (ThDtype)q->node->out[0]->type.dtype;
    ThVar *zero = const_int(b, 0, TH_INT64), *one = const_int(b, 1, TH_INT64), *at[2];
    for (int i = 0; i < 2; i++) {
        if (!batch_fixed(q, i, "lengths must be the same for all")) return false;
        at[i] = arange_make(b, zero, cast_make(b, q->in[i], TH_INT64), one, TH_INT64);
        if (!at[i]) return false;
    }
    ThVar *off = elemwise_2(b, S_sub, dimshuffle_make(b, at[1], col, 3), dimshuffle_make(b, at[0], row, 3));
    ThVar *k = dimshuffle_make(b, cast_make(b, q->in[2], TH_INT64), each, 3);
    ThVar *hit = elemwise_2(b, q->node->op == &op_eye ? S_eq : S_le, off, k);
    return set(q, hit ? cast_make(b, hit, d) : NULL);
}

/* ---- joins ------------------------------------------------------------------------------------------------------- */
ThVar *batch_axis(Batch *q, int i) {
    int64_t v;
    ThVar *x = q->in[i];
    if (!batch_fixed(q, i, "the axis must be the same for all")) return NULL;
    if (scalar_known(x, &v)) return const_int(q->b, v < 0 ? v : v + 1, TH_DTYPE_NONE);
    ThVar *neg = elemwise_2(q->b, S_lt, x, const_int(q->b, 0, TH_DTYPE_NONE));
    return elemwise_3(q->b, S_switch, neg, x, elemwise_2(q->b, S_add, x, const_int(q->b, 1, TH_DTYPE_NONE)));
}

bool batch_join(Batch *q) {
    int n = q->node->nin - 1;
    ThVar *few[16], **in = n <= 16 ? few : ctx_alloc(q->b->ctx, sizeof *in * (size_t)n);
    ThVar *axis = batch_axis(q, 0);
    if (!in) return false;
    for (int i = 0; i < n; i++) in[i] = batch_full(q, i + 1);
    if (axis) set(q, join_make(q->b, axis, in, n));
    if (in != few) ctx_free(q->b->ctx, in, sizeof *in * (size_t)n);
    return q->out[0] != NULL;
}

bool batch_split(Batch *q) {
    ThVar *axis = batch_axis(q, 1);
    if (!axis || !batch_fixed(q, 2, "lengths must be the same for all")) return false;
    ThApply *a = split_make(q->b, q->in[0], axis, q->in[2], (int)ATTRS(SplitAttrs, q->node)->n);
    for (int o = 0; a && o < q->node->nout; o++) q->out[o] = a->out[o];
    return a != NULL;
}
