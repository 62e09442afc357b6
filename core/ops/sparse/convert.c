/*
 * convert.c -- between dense and sparse, between CSR and CSC, and structures made tidy. A result whose number of values
 * only its operand tells takes that number from SparseCount, or has room for as many as there may be.
 */
#include "part.h"

#include "ops/reduce/reduce.h"

#include <string.h>

/* ---- dense to sparse -------------------------------------------------------------------------------------------- */
static bool infer_from_dense(Infer *q) {
    const SparseFormatAttrs *a = q->attrs;
    return sparse_wants_dense(q, 0, 2, "x") && sparse_wants_dense(q, 1, 0, "the number of values") &&
           sparse_gives(q, type_sparse((ThDtype)q->in[0]->type.dtype, sparse_letter(a->format)));
}

static bool shape_from_dense(ShapeQ *q) {
    bool rows = sparse_format(q->node->out[0]) == 'r';
    q->out[0][0] =
        sparse_vector(q, q->in[0][rows ? 0 : 1], q->alg->value(q->alg->u, 1, 0), sparse_dtype(q->node->out[0]));
    return true;
}

static int run_from_dense(HostCall *h) {
    const SparseFormatAttrs *a = h->attrs;
    const ThArray *x = h->in[0];
    int line = sparse_letter(a->format) == 'r' ? 0 : 1;
    int64_t item = (int64_t)th_dtype_bytes((ThDtype)x->dtype), n = host_int(h, 1);
    if (ARRAY_SHAPE(x)[0] > SPARSE_MOST || ARRAY_SHAPE(x)[1] > SPARSE_MOST || n > SPARSE_MOST || n < 0)
        return host_error(h, TH_ValueError, "SparseFromDense: %lld by %lld with %lld values is too large",
                          (long long)ARRAY_SHAPE(x)[0], (long long)ARRAY_SHAPE(x)[1], (long long)n);
    if (sparse_away(h))
        return h->lib->sparse(h, &(SparseWork){.task = SPARSE_TASK_FROM_DENSE,
                                               .a = x,
                                               .z = h->out[0],
                                               .lines = ARRAY_SHAPE(x)[line],
                                               .places = ARRAY_SHAPE(x)[1 - line],
                                               .room = n,
                                               .rows = line == 0});
    Sparse s = sparse_lay(sparse_out(h), (ThDtype)x->dtype, ARRAY_SHAPE(x)[line], ARRAY_SHAPE(x)[1 - line], n);
    if (!sparse_loops(s.dtype)->from_dense(&s, x->data, ARRAY_STRIDES(x)[line] / item,
                                           ARRAY_STRIDES(x)[1 - line] / item))
        return host_error(h, TH_ValueError, "SparseFromDense: there are more values than were counted");
    s.order = true;
    sparse_close(sparse_out(h), &s);
    return 0;
}

static bool lower_from_dense(Lower *l) { return l->api->host(l, run_from_dense, 0); }

static void grad_from_dense(Grad *g) {
    ThVar *x = sparse_grad_dense(g->b, g->gz[0]);
    g->gx[0] = x ? patternbroadcast_make(g->b, x, g->node->in[0]->type.broadcastable) : NULL;
}

const Op op_sparse_from_dense = {
    .name = "SparseFromDense",
    .flags = OP_FAILS,
    .nin = 2,
    .nout = 1,
    .attr_bytes = sizeof(SparseFormatAttrs),
    .attrs = sparse_format_fields,
    .nattr = 1,
    .infer = infer_from_dense,
    .shape = shape_from_dense,
    .grad = OP_IF(TH_SPARSE, grad_from_dense),
    .lower = OP_IF(TH_SPARSE, lower_from_dense),
    .connected = sparse_connected_first,
    .rop = OP_IF(TH_SPARSE, rop_linear),
    .device = DEVICE_FORM | DEVICE_READS(1),
    .doc = OP_DOC("what is not zero of a matrix"),
};

ThVar *sparse_from_dense_make(Builder *b, ThVar *x, char format) {
    if (!x) return NULL;
    SparseFormatAttrs a = sparse_format_attrs(b, format);
    ThVar *some = elemwise_2(b, S_neq, x, const_int(b, 0, TH_INT8));
    ThVar *n = some ? reduce_make(b, &op_sum, some, NULL, TH_INT64, TH_DTYPE_NONE, false) : NULL;
    return apply1(b, &op_sparse_from_dense, &a, (ThVar *[]){x, n}, 2);
}

/* ---- sparse to dense -------------------------------------------------------------------------------------------- */
static const AttrField dense_fields[] = {{"format", ATTR_STR, offsetof(SparseDotAttrs, format), false},
                                         {"structured_grad", ATTR_BOOL, offsetof(SparseDotAttrs, structured), false}};

static bool infer_to_dense(Infer *q) {
    return sparse_wants(q, 0, "x") && sparse_gives(q, type_tensor(sparse_dtype(q->in[0]), 2, 0));
}

static bool shape_to_dense(ShapeQ *q) {
    q->out[0][0] = sparse_rows(q, 0);
    q->out[0][1] = sparse_cols(q, 0);
    return true;
}

static int run_to_dense(HostCall *h) {
    const SparseDotAttrs *a = h->attrs;
    Sparse s = sparse_in(h, 0);
    bool rows = sparse_letter(a->format) == 'r';
    if (sparse_away(h))
        return h->lib->sparse(
            h, &(SparseWork){.task = SPARSE_TASK_ADD_DENSE, .x = s, .z = h->out[0], .rows = rows, .flag = true});
    if (h->out[0]->size) memset(h->out[0]->data, 0, (size_t)h->out[0]->size * s.item);
    sparse_loops(s.dtype)->to_dense(&s, h->out[0]->data, rows ? s.places : 1, rows ? 1 : s.lines);
    return 0;
}

static bool lower_to_dense(Lower *l) { return l->api->host(l, run_to_dense, 0); }

static void grad_to_dense(Grad *g) {
    ThVar *x = g->node->in[0];
    if (!g->gz[0]) return;
    if (ATTRS(SparseDotAttrs, g->node)->structured)
        g->gx[0] = sparse_with_make(g->b, x, sparse_grad_values(g->b, x, g->gz[0]));
    else g->gx[0] = sparse_from_dense_make(g->b, g->gz[0], sparse_format(x));
}

static void str_to_dense(Text *t, const ThApply *a) {
    text_printf(t, "DenseFromSparse{structured_grad=%s}", ATTRS(SparseDotAttrs, a)->structured ? "True" : "False");
}

const Op op_dense_from_sparse = {
    .name = "DenseFromSparse",
    .nin = 1,
    .nout = 1,
    .attr_bytes = sizeof(SparseDotAttrs),
    .attrs = dense_fields,
    .nattr = TH_LEN(dense_fields),
    .infer = infer_to_dense,
    .shape = shape_to_dense,
    .grad = OP_IF(TH_SPARSE, grad_to_dense),
    .lower = OP_IF(TH_SPARSE, lower_to_dense),
    .str = str_to_dense,
    .rop = OP_IF(TH_SPARSE, sparse_rop),
    .device = SPARSE_FIRST,
    .doc = OP_DOC("a sparse matrix as a dense one"),
};

ThVar *dense_from_sparse_make(Builder *b, ThVar *x, bool structured) {
    if (!is_sparse(x)) return x ? apply1(b, &op_dense_from_sparse, NULL, &x, 1) : NULL;
    SparseDotAttrs a;
    memset(&a, 0, sizeof a);
    a.format = sparse_format_attrs(b, sparse_format(x)).format;
    a.structured = structured;
    return apply1(b, &op_dense_from_sparse, &a, &x, 1);
}

/* ---- the other format ------------------------------------------------------------------------------------------- */
static bool infer_convert(Infer *q) {
    return sparse_wants(q, 0, "x") &&
           sparse_gives(q, type_sparse(sparse_dtype(q->in[0]), sparse_other(sparse_format(q->in[0]))));
}

static bool shape_convert(ShapeQ *q) {
    q->out[0][0] =
        sparse_vector(q, sparse_head(q, 0, SPARSE_PLACES), sparse_head(q, 0, SPARSE_NNZ), sparse_dtype(q->node->in[0]));
    return true;
}

/* What has x's number of values at most. */
static int away(HostCall *h, SparseTask task, const Sparse *x, int64_t lines, int64_t places) {
    return h->lib->sparse(
        h, &(SparseWork){.task = task, .x = *x, .z = h->out[0], .lines = lines, .places = places, .room = x->nnz});
}

static int run_convert(HostCall *h) {
    Sparse x = sparse_in(h, 0);
    if (sparse_away(h)) return away(h, SPARSE_TASK_TURN, &x, x.places, x.lines);
    Sparse s = sparse_lay(sparse_out(h), x.dtype, x.places, x.lines, x.nnz);
    int32_t *next = h->room(h, (uint64_t)(x.places + 1) * 4);
    if (!next) return 1;
    sparse_turn(&x, &s, next);
    s.order = x.order || sparse_order(&s); /* numbers ascend; duplicates stay */
    sparse_close(sparse_out(h), &s);
    return 0;
}

static bool lower_convert(Lower *l) { return l->api->host(l, run_convert, 0); }

static void grad_same(Grad *g) { g->gx[0] = g->gz[0] ? sparse_grad_like(g->b, g->node->in[0], g->gz[0]) : NULL; }

const Op op_sparse_convert = {
    .name = "SparseConvert",
    .nin = 1,
    .nout = 1,
    .infer = infer_convert,
    .shape = shape_convert,
    .grad = OP_IF(TH_SPARSE, grad_same),
    .lower = OP_IF(TH_SPARSE, lower_convert),
    .rop = OP_IF(TH_SPARSE, sparse_rop),
    .device = SPARSE_FIRST,
    .doc = OP_DOC("a sparse matrix in the other format"),
};

ThVar *sparse_format_make(Builder *b, ThVar *x, char format) {
    if (!x || !is_sparse(x) || sparse_format(x) == format) return x;
    return apply1(b, &op_sparse_convert, NULL, &x, 1);
}

/* ---- tidy structures: EnsureSortedIndices, Remove0, SparseFold -------------------------------------------------- */
static bool infer_tidy(Infer *q) { return sparse_wants(q, 0, "x") && sparse_gives(q, q->in[0]->type); }

static bool shape_tidy(ShapeQ *q) {
    q->out[0][0] =
        sparse_vector(q, sparse_head(q, 0, SPARSE_LINES), sparse_head(q, 0, SPARSE_NNZ), sparse_dtype(q->node->in[0]));
    return true;
}

static void copy_of(const Sparse *x, Sparse *s) {
    memcpy(s->ptr, x->ptr, (size_t)(x->lines + 1) * 4);
    memcpy(s->idx, x->idx, (size_t)x->nnz * 4);
    memcpy(s->data, x->data, (size_t)x->nnz * x->item);
    s->nnz = x->nnz;
    s->order = x->order;
}

/* Turned round twice, which is a sort of all lines at once. */
static int run_sort(HostCall *h) {
    Sparse x = sparse_in(h, 0);
    if (sparse_away(h))
        return away(h, h->op == &op_sparse_fold ? SPARSE_TASK_FOLD : SPARSE_TASK_SORT, &x, x.lines, x.places);
    Sparse s = sparse_lay(sparse_out(h), x.dtype, x.lines, x.places, x.nnz);
    if (x.order) copy_of(&x, &s);
    else {
        int64_t most = x.lines > x.places ? x.lines : x.places, words = sparse_words(x.places, x.nnz, x.item);
        int64_t *room = h->room(h, 8 * (uint64_t)(words + most + 1));
        if (!room) return 1;
        Sparse turned = sparse_lay(room, x.dtype, x.places, x.lines, x.nnz);
        sparse_turn(&x, &turned, (int32_t *)(void *)(room + words));
        sparse_turn(&turned, &s, (int32_t *)(void *)(room + words));
        if (h->op == &op_sparse_fold) sparse_loops(x.dtype)->fold(&s);
        s.order = h->op == &op_sparse_fold || sparse_order(&s);
    }
    sparse_close(sparse_out(h), &s);
    return 0;
}

static int run_remove0(HostCall *h) {
    Sparse x = sparse_in(h, 0);
    if (sparse_away(h)) return away(h, SPARSE_TASK_REMOVE0, &x, x.lines, x.places);
    Sparse s = sparse_lay(sparse_out(h), x.dtype, x.lines, x.places, x.nnz);
    sparse_loops(x.dtype)->without_zeros(&x, &s);
    s.order = x.order;
    sparse_close(sparse_out(h), &s);
    return 0;
}

static bool lower_sort(Lower *l) { return l->api->host(l, run_sort, 0); }
static bool lower_remove0(Lower *l) { return l->api->host(l, run_remove0, 0); }

#define TIDY(var, title, lowering, text) \
    const Op op_##var = { \
        .name = title, \
        .nin = 1, \
        .nout = 1, \
        .infer = infer_tidy, \
        .shape = shape_tidy, \
        .grad = OP_IF(TH_SPARSE, grad_same), \
        .lower = OP_IF(TH_SPARSE, lowering), \
        .rop = OP_IF(TH_SPARSE, sparse_rop), \
        .device = SPARSE_FIRST, \
        .doc = OP_DOC(text), \
    }
TIDY(sparse_sort, "EnsureSortedIndices", lower_sort, "a sparse matrix whose indices ascend within each line");
TIDY(sparse_fold, "SparseFold", lower_sort, "the same with values of one place added");
TIDY(sparse_remove0, "Remove0", lower_remove0, "a sparse matrix without stored zeros");

ThVar *sparse_tidy_make(Builder *b, const Op *op, ThVar *x) { return apply1(b, op, NULL, &x, 1); }
