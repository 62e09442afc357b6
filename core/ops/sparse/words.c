/*
 * words.c -- sparse matrices and their parts: numbers of the head, the three vectors (views), the matrix made of them,
 * of another's structure, or of triplets; the transpose, which is the same words under another type.
 */
#include "part.h"

#include <string.h>

/* ---- numbers of the head ---------------------------------------------------------------------------------------- */
static const AttrField word_fields[] = {{"word", ATTR_INT, offsetof(SparseWordAttrs, word), false}};

static bool infer_word(Infer *q) {
    const SparseWordAttrs *a = q->attrs;
    if (a->word < 0 || a->word >= SPARSE_HEAD) return err(q->ctx, TH_ValueError, "SparseWord: there is no such number");
    return sparse_wants(q, 0, "x") && sparse_gives(q, type_tensor(TH_INT64, 0, 0));
}

static bool shape_word(ShapeQ *q) { return (void)q, true; }

static bool lower_word(Lower *l) {
    Size off = l->api->add(l, l->api->in_offset(l, 0), size_const(ATTRS(SparseWordAttrs, l->node)->word));
    return l->api->view(l, 0, 0, 0, NULL, NULL, off);
}

static bool no_rop(Rop *r) { return r->out[0] = NULL, true; }

static bool connected_none(const ThApply *a, int in, int out) { return (void)a, (void)in, (void)out, false; }

const Op op_sparse_word = {
    .name = "SparseWord",
    .flags = OP_VIEW,
    .nin = 1,
    .nout = 1,
    .attr_bytes = sizeof(SparseWordAttrs),
    .attrs = word_fields,
    .nattr = TH_LEN(word_fields),
    .infer = infer_word,
    .shape = shape_word,
    .lower = OP_IF(TH_SPARSE, lower_word),
    .connected = connected_none,
    .rop = OP_IF(TH_SPARSE, no_rop),
    .doc = OP_DOC("a number of a sparse matrix's head: rows, columns, stored values"),
};

ThVar *sparse_word_make(Builder *b, ThVar *x, int word) {
    while (x && x->owner && (x->owner->op == &op_sparse_with || x->owner->op == &op_sparse_transpose) &&
           word <= SPARSE_NNZ && word != SPARSE_KIND)
        x = x->owner->in[0]; /* the same numbers there */
    return apply1(b, &op_sparse_word, &(SparseWordAttrs){word}, &x, 1);
}

ThVar *sparse_length_make(Builder *b, ThVar *x, int axis) {
    if (!is_sparse(x)) return NULL;
    return sparse_word_make(b, x, (sparse_format(x) == 'r') == (axis == 0) ? SPARSE_LINES : SPARSE_PLACES);
}

/* ---- the three vectors ------------------------------------------------------------------------------------------ */
static const AttrField part_fields[] = {{"part", ATTR_STR, offsetof(SparsePartAttrs, part), false}};

static bool infer_part(Infer *q) {
    const SparsePartAttrs *a = q->attrs;
    if (!a->part || (strcmp(a->part, "data") && strcmp(a->part, "indices") && strcmp(a->part, "indptr")))
        return err(q->ctx, TH_ValueError, "CSMProperties: the parts are data, indices and indptr");
    if (!sparse_wants(q, 0, "csm")) return false;
    return sparse_gives(q, type_tensor(a->part[0] == 'd' ? sparse_dtype(q->in[0]) : TH_INT32, 1, 0));
}

static bool shape_part(ShapeQ *q) {
    const ShapeAlg *g = q->alg;
    if (strcmp(ATTRS(SparsePartAttrs, q->node)->part, "indptr")) q->out[0][0] = sparse_head(q, 0, SPARSE_NNZ);
    else q->out[0][0] = g->op(g->u, '+', sparse_head(q, 0, SPARSE_LINES), g->constant(g->u, 1));
    return true;
}

/* A view whose elements are of another dtype: it starts at a whole cache line. */
static bool lower_part(Lower *l) {
    const LowerApi *api = l->api;
    const char *part = ATTRS(SparsePartAttrs, l->node)->part;
    if (!api->contiguous(l, 0)) return false;
    int64_t item = (int64_t)th_dtype_bytes((ThDtype)l->node->out[0]->type.dtype);
    Size words = strcmp(part, "indptr") == 0 ? size_const(SPARSE_HEAD)
                                             : api->in_value(l, 0, part[0] == 'd' ? SPARSE_DATA : SPARSE_INDICES);
    Size at = api->add(l, api->in_offset(l, 0), words), n = api->out_dim(l, 0, 0), one = size_const(1);
    Size off = item <= 8 ? api->mul(l, at, size_const(8 / item)) : api->op(l, '/', at, size_const(item / 8));
    return api->view(l, 0, 0, 1, &n, &one, off);
}

static void grad_part(Grad *g) {
    ThVar *x = g->node->in[0];
    bool data = ATTRS(SparsePartAttrs, g->node)->part[0] == 'd';
    g->gx[0] = data && g->gz[0] ? sparse_with_make(g->b, x, g->gz[0]) : NULL;
}

static bool connected_part(const ThApply *a, int in, int out) {
    (void)in, (void)out;
    return ATTRS(SparsePartAttrs, a)->part[0] == 'd';
}

static bool rop_part(Rop *r) {
    bool data = ATTRS(SparsePartAttrs, r->node)->part[0] == 'd' && r->ev[0];
    r->out[0] = data ? sparse_take_make(r->b, r->node->in[0], r->ev[0]) : NULL;
    return !data || r->out[0];
}

static void str_part(Text *t, const ThApply *a) {
    text_printf(t, "CSMProperties{%s}", ATTRS(SparsePartAttrs, a)->part);
}

const Op op_sparse_part = {
    .name = "CSMProperties",
    .flags = OP_VIEW,
    .nin = 1,
    .nout = 1,
    .attr_bytes = sizeof(SparsePartAttrs),
    .attrs = part_fields,
    .nattr = TH_LEN(part_fields),
    .infer = infer_part,
    .shape = shape_part,
    .grad = OP_IF(TH_SPARSE, grad_part),
    .lower = OP_IF(TH_SPARSE, lower_part),
    .str = str_part,
    .connected = connected_part,
    .rop = OP_IF(TH_SPARSE, rop_part),
    .doc = OP_DOC("stored values, their indices, or where lines begin: views of a sparse matrix"),
};

ThVar *sparse_part_make(Builder *b, ThVar *x, const char *part) {
    const char *p = intern(b->ctx, part);
    return p ? apply1(b, &op_sparse_part, &(SparsePartAttrs){p}, &x, 1) : NULL;
}

/* ---- another's structure, other values -------------------------------------------------------------------------- */
static bool infer_with(Infer *q) {
    if (!sparse_wants(q, 0, "x") || !sparse_wants_dense(q, 1, 1, "the values")) return false;
    return sparse_gives(q, type_sparse((ThDtype)q->in[1]->type.dtype, sparse_format(q->in[0])));
}

static bool shape_with(ShapeQ *q) {
    Sz nnz = sparse_head(q, 0, SPARSE_NNZ);
    q->out[0][0] = sparse_vector(q, sparse_head(q, 0, SPARSE_LINES), nnz, sparse_dtype(q->node->out[0]));
    return sparse_same(q, nnz, q->in[1][0], "the matrix stores {0} values, {1} are given");
}

static int run_with(HostCall *h) {
    Sparse x = sparse_in(h, 0);
    if (sparse_away(h))
        return h->lib->sparse(h, &(SparseWork){.task = SPARSE_TASK_WITH,
                                               .x = x,
                                               .a = h->in[1],
                                               .z = h->out[0],
                                               .lines = x.lines,
                                               .places = x.places,
                                               .room = x.nnz});
    Sparse s = sparse_lay(sparse_out(h), (ThDtype)h->in[1]->dtype, x.lines, x.places, x.nnz);
    memcpy(s.ptr, x.ptr, (size_t)(x.lines + 1) * 4);
    memcpy(s.idx, x.idx, (size_t)x.nnz * 4);
    memcpy(s.data, h->in[1]->data, (size_t)x.nnz * s.item);
    s.nnz = x.nnz;
    s.order = x.order;
    sparse_close(sparse_out(h), &s);
    return 0;
}

static bool lower_with(Lower *l) { return l->api->contiguous(l, 1) && l->api->host(l, run_with, 0); }

static void grad_with(Grad *g) { g->gx[1] = sparse_grad_values(g->b, g->node->in[0], g->gz[0]); }

const Op op_sparse_with = {
    .name = "SparseWith",
    .nin = 2,
    .nout = 1,
    .infer = infer_with,
    .shape = shape_with,
    .grad = OP_IF(TH_SPARSE, grad_with),
    .lower = OP_IF(TH_SPARSE, lower_with),
    .connected = sparse_connected_values,
    .rop = OP_IF(TH_SPARSE, sparse_rop),
    .device = SPARSE_FIRST,
    .doc = OP_DOC("a sparse matrix with the structure of another and values of its own"),
};

ThVar *sparse_with_make(Builder *b, ThVar *x, ThVar *values) {
    return apply1(b, &op_sparse_with, NULL, (ThVar *[]){x, values}, 2);
}

ThVar *sparse_cast_make(Builder *b, ThVar *x, ThDtype d) {
    if (!x || sparse_dtype(x) == d) return x;
    return sparse_with_make(b, x, cast_make(b, sparse_part_make(b, x, "data"), d));
}

/* ---- the transpose ---------------------------------------------------------------------------------------------- */
static bool infer_transpose(Infer *q) {
    return sparse_wants(q, 0, "x") &&
           sparse_gives(q, type_sparse(sparse_dtype(q->in[0]), sparse_other(sparse_format(q->in[0]))));
}

static bool shape_transpose(ShapeQ *q) { return q->out[0][0] = q->in[0][0], true; }

static bool lower_transpose(Lower *l) {
    Size n = l->api->in_dim(l, 0, 0), step = l->api->in_stride(l, 0, 0);
    return l->api->view(l, 0, 0, 1, &n, &step, l->api->in_offset(l, 0));
}

static ThVar *turned(Builder *b, ThVar *g) { return is_sparse(g) ? sparse_transpose_make(b, g) : transpose_make(b, g); }

static void grad_transpose(Grad *g) { g->gx[0] = g->gz[0] ? turned(g->b, g->gz[0]) : NULL; }

const Op op_sparse_transpose = {
    .name = "Transpose",
    .flags = OP_VIEW,
    .nin = 1,
    .nout = 1,
    .infer = infer_transpose,
    .shape = shape_transpose,
    .grad = OP_IF(TH_SPARSE, grad_transpose),
    .lower = OP_IF(TH_SPARSE, lower_transpose),
    .rop = OP_IF(TH_SPARSE, sparse_rop),
    .doc = OP_DOC("the transpose of a sparse matrix: the same words in the other format"),
};

ThVar *sparse_transpose_make(Builder *b, ThVar *x) {
    if (x && x->owner && x->owner->op == &op_sparse_transpose) return x->owner->in[0];
    return apply1(b, &op_sparse_transpose, NULL, &x, 1);
}

/* ---- CSM: a matrix of its parts --------------------------------------------------------------------------------- */
static bool is_integers(const ThVar *v) { return is_dense(v, 1) && dtype_is_int((ThDtype)v->type.dtype); }

static bool infer_csm(Infer *q) {
    static const char *const what[] = {"indices", "indptr", "shape"};
    const SparseFormatAttrs *a = q->attrs;
    if (!sparse_wants_dense(q, 0, 1, "data")) return false;
    for (int i = 1; i < 4; i++)
        if (!is_integers(q->in[i]))
            return err(q->ctx, TH_TypeError, "CSM: %s must be a vector of integers", what[i - 1]);
    return sparse_gives(q, type_sparse((ThDtype)q->in[0]->type.dtype, sparse_letter(a->format)));
}

static bool shape_csm(ShapeQ *q) {
    const ShapeAlg *g = q->alg;
    Sz one = g->constant(g->u, 1), lines = g->op(g->u, '-', q->in[2][0], one);
    q->out[0][0] = sparse_vector(q, g->op(g->u, 'M', lines, g->constant(g->u, 0)), q->in[0][0],
                                 (ThDtype)q->node->in[0]->type.dtype);
    return sparse_same(q, q->in[3][0], g->constant(g->u, 2), "CSM: the shape has two lengths, not {0}") &&
           sparse_same(q, q->in[0][0], q->in[1][0], "CSM: {0} values and {1} indices");
}

static bool numbers(HostCall *h, int i, int32_t *to, SparseFault wrong) {
    const ThArray *a = h->in[i];
    int64_t v, item = (int64_t)th_dtype_bytes((ThDtype)a->dtype);
    for (int64_t k = 0; k < a->size; k++) {
        if (a->dtype == TH_INT32) v = ((const int32_t *)(const void *)a->data)[k];
        else dtype_cast((char *)&v, TH_INT64, 0, a->data + k * item, (ThDtype)a->dtype, 0, 1);
        if (v < 0 || v > SPARSE_MOST) return !host_failed(h, wrong, k, v, 0, 0);
        to[k] = (int32_t)v;
    }
    return true;
}

static int run_csm(HostCall *h) {
    const SparseFormatAttrs *a = h->attrs;
    int64_t shape[2], lines = h->in[2]->size - 1, nnz = h->in[0]->size;
    dtype_cast((char *)shape, TH_INT64, 8, h->in[3]->data, (ThDtype)h->in[3]->dtype,
               (int64_t)th_dtype_bytes((ThDtype)h->in[3]->dtype), 2);
    int line = sparse_letter(a->format) == 'r' ? 0 : 1;
    if (lines < 0 || shape[line] != lines || shape[1 - line] < 0 || shape[1 - line] > SPARSE_MOST || nnz > SPARSE_MOST)
        return host_error(h, TH_ValueError,
                          "CSM{%s}: indptr has %lld entries, which does not fit the shape (%lld, %lld)", a->format,
                          (long long)lines + 1, (long long)shape[0], (long long)shape[1]);
    if (sparse_away(h))
        return h->lib->sparse(h, &(SparseWork){.task = SPARSE_TASK_CSM,
                                               .a = h->in[0],
                                               .b = h->in[1],
                                               .c = h->in[2],
                                               .z = h->out[0],
                                               .lines = lines,
                                               .places = shape[1 - line],
                                               .room = nnz,
                                               .rows = line == 0});
    Sparse s = sparse_lay(sparse_out(h), (ThDtype)h->in[0]->dtype, lines, shape[1 - line], nnz);
    if (!numbers(h, 2, s.ptr, SPARSE_FAULT_POINTER) || !numbers(h, 1, s.idx, SPARSE_FAULT_NUMBER)) return 1;
    const char *why = sparse_structure_wrong(s.ptr, s.idx, lines, s.places, nnz, &s.order);
    if (why)
        return host_error(h, TH_ValueError, "CSM of shape (%lld, %lld) with %lld values: %s", (long long)shape[0],
                          (long long)shape[1], (long long)nnz, why);
    memcpy(s.data, h->in[0]->data, (size_t)nnz * s.item);
    s.nnz = nnz;
    sparse_close(sparse_out(h), &s);
    return 0;
}

static bool lower_all(Lower *l, HostFn fn) {
    for (int i = 0; i < l->node->nin; i++)
        if (!l->api->contiguous(l, i)) return false;
    return l->api->host(l, fn, 0);
}

static bool lower_csm(Lower *l) { return lower_all(l, run_csm); }

static void grad_csm(Grad *g) { g->gx[0] = sparse_grad_values(g->b, g->node->out[0], g->gz[0]); }

const Op op_csm = {
    .name = "CSM",
    .flags = OP_FAILS,
    .nin = 4,
    .nout = 1,
    .attr_bytes = sizeof(SparseFormatAttrs),
    .attrs = sparse_format_fields,
    .nattr = 1,
    .infer = infer_csm,
    .shape = shape_csm,
    .grad = OP_IF(TH_SPARSE, grad_csm),
    .lower = OP_IF(TH_SPARSE, lower_csm),
    .connected = sparse_connected_first,
    .rop = OP_IF(TH_SPARSE, sparse_rop),
    .device = DEVICE_FORM | DEVICE_READS(3),
    .failures = sparse_failures,
    .doc = OP_DOC("a sparse matrix of its values, indices, pointers and shape"),
};

ThVar *csm_make(Builder *b, char format, ThVar *data, ThVar *indices, ThVar *indptr, ThVar *shape) {
    SparseFormatAttrs a = sparse_format_attrs(b, format);
    return apply1(b, &op_csm, &a, (ThVar *[]){data, indices, indptr, shape}, 4);
}

/* ---- triplets --------------------------------------------------------------------------------------------------- */
static bool infer_triplets(Infer *q) {
    const SparseFormatAttrs *a = q->attrs;
    if (!sparse_wants_dense(q, 0, 1, "data")) return false;
    if (!is_integers(q->in[1]) || !is_integers(q->in[2]))
        return err(q->ctx, TH_TypeError, "SparseTriplets: rows and columns are vectors of integers");
    return sparse_wants_dense(q, 3, 0, "the number of rows") && sparse_wants_dense(q, 4, 0, "the number of columns") &&
           sparse_gives(q, type_sparse((ThDtype)q->in[0]->type.dtype, sparse_letter(a->format)));
}

static bool shape_triplets(ShapeQ *q) {
    const ShapeAlg *g = q->alg;
    bool rows = sparse_format(q->node->out[0]) == 'r';
    Sz lines = g->op(g->u, 'M', g->value(g->u, rows ? 3 : 4, 0), g->constant(g->u, 0));
    q->out[0][0] = sparse_vector(q, lines, q->in[0][0], sparse_dtype(q->node->out[0]));
    return sparse_same(q, q->in[0][0], q->in[1][0], "{0} values and {1} row numbers") &&
           sparse_same(q, q->in[0][0], q->in[2][0], "{0} values and {1} column numbers");
}

/* Working memory of a call: row and column numbers, the matrix by places, a word for each line or place. */
typedef struct Triplets {
    int64_t n, lines, places, *line, *place, *words;
    int32_t *next;
    ThDtype dtype;
} Triplets;

static bool triplets_room(HostCall *h, Triplets *t) {
    int64_t most = t->lines > t->places ? t->lines : t->places;
    int64_t words = sparse_words(t->places, t->n, th_dtype_bytes(t->dtype));
    t->line = h->room(h, 8 * (uint64_t)(2 * t->n + words + most + 1));
    if (!t->line) return false;
    t->place = t->line + t->n;
    t->words = t->place + t->n;
    t->next = (int32_t *)(void *)(t->words + words);
    return true;
}

static int triplets_read(HostCall *h, bool rows, const Triplets *t) {
    const ThArray *line = h->in[rows ? 1 : 2], *place = h->in[rows ? 2 : 1];
    dtype_cast((char *)t->line, TH_INT64, 8, line->data, (ThDtype)line->dtype,
               (int64_t)th_dtype_bytes((ThDtype)line->dtype), t->n);
    dtype_cast((char *)t->place, TH_INT64, 8, place->data, (ThDtype)place->dtype,
               (int64_t)th_dtype_bytes((ThDtype)place->dtype), t->n);
    for (int64_t k = 0; k < t->n; k++)
        for (int way = 0; way < 2; way++) {
            int64_t at = (way == 0) == rows ? t->line[k] : t->place[k], n = host_int(h, 3 + way);
            if (at < 0 || at >= n) return host_failed(h, SPARSE_FAULT_ENTRY_ROW + way, k, at, n, 0);
        }
    return 0;
}

/* By place, in the order given. */
static Sparse by_place(const HostCall *h, const Triplets *t) {
    Sparse p = sparse_lay(t->words, t->dtype, t->places, t->lines, t->n);
    for (int64_t k = 0; k < t->n; k++) p.ptr[t->place[k] + 1]++;
    for (int64_t j = 0; j < t->places; j++) p.ptr[j + 1] += p.ptr[j], t->next[j] = p.ptr[j];
    for (int64_t k = 0; k < t->n; k++) {
        int32_t to = t->next[t->place[k]]++;
        p.idx[to] = (int32_t)t->line[k];
        memcpy(p.data + (size_t)to * p.item, h->in[0]->data + (size_t)k * p.item, p.item);
    }
    p.nnz = t->n;
    return p;
}

static int run_triplets(HostCall *h) {
    const SparseFormatAttrs *a = h->attrs;
    bool rows = sparse_letter(a->format) == 'r';
    Triplets t = {.n = h->in[0]->size,
                  .lines = host_int(h, rows ? 3 : 4),
                  .places = host_int(h, rows ? 4 : 3),
                  .dtype = (ThDtype)h->in[0]->dtype};
    if (t.lines < 0 || t.places < 0 || t.lines > SPARSE_MOST || t.places > SPARSE_MOST || t.n > SPARSE_MOST)
        return host_error(h, TH_ValueError, "SparseTriplets: %lld values in %lld rows and %lld columns", (long long)t.n,
                          (long long)host_int(h, 3), (long long)host_int(h, 4));
    if (sparse_away(h))
        return h->lib->sparse(h, &(SparseWork){.task = SPARSE_TASK_TRIPLETS,
                                               .a = h->in[0],
                                               .b = h->in[rows ? 1 : 2],
                                               .c = h->in[rows ? 2 : 1],
                                               .z = h->out[0],
                                               .lines = t.lines,
                                               .places = t.places,
                                               .room = t.n,
                                               .rows = rows});
    if (!triplets_room(h, &t)) return 1;
    if (triplets_read(h, rows, &t)) return 1;
    Sparse p = by_place(h, &t), s = sparse_lay(sparse_out(h), t.dtype, t.lines, t.places, t.n);
    sparse_turn(&p, &s, t.next); /* lines with ascending places */
    sparse_loops(t.dtype)->fold(&s);
    s.order = true;
    sparse_close(sparse_out(h), &s);
    return 0;
}

static bool lower_triplets(Lower *l) { return lower_all(l, run_triplets); }

static void grad_triplets(Grad *g) {
    ThApply *a = g->node;
    if (!g->gz[0]) return;
    if (is_sparse(g->gz[0])) g->gx[0] = sparse_at_make(g->b, g->gz[0], a->in[1], a->in[2]);
    else {
        AttrIdx idx = {.n = 2, .at = {{.kind = 'i'}, {.kind = 'i'}}};
        g->gx[0] = adv_subtensor_make(g->b, g->gz[0], &idx, (ThVar *[]){a->in[1], a->in[2]}, 2);
    }
}

const Op op_sparse_triplets = {
    .name = "SparseTriplets",
    .flags = OP_FAILS,
    .nin = 5,
    .nout = 1,
    .attr_bytes = sizeof(SparseFormatAttrs),
    .attrs = sparse_format_fields,
    .nattr = 1,
    .infer = infer_triplets,
    .shape = shape_triplets,
    .grad = OP_IF(TH_SPARSE, grad_triplets),
    .lower = OP_IF(TH_SPARSE, lower_triplets),
    .connected = sparse_connected_first,
    .rop = OP_IF(TH_SPARSE, sparse_rop),
    .device = DEVICE_FORM | DEVICE_READS(3) | DEVICE_READS(4),
    .failures = sparse_failures,
    .doc = OP_DOC("a sparse matrix of values with their rows and columns; those at one place are added"),
};

ThVar *sparse_triplets_make(Builder *b, char format, ThVar *data, ThVar *row, ThVar *col, ThVar *rows, ThVar *cols) {
    SparseFormatAttrs a = sparse_format_attrs(b, format);
    return apply1(b, &op_sparse_triplets, &a, (ThVar *[]){data, row, col, rows, cols}, 5);
}

/* ---- sums of gradients ------------------------------------------------------------------------------------------ */
ThVar *sparse_values_as(Builder *b, ThVar *x, ThDtype d) {
    return is_sparse(x) ? sparse_cast_make(b, x, d) : x ? cast_make(b, x, d) : NULL;
}

ThVar *sparse_sum_of(Builder *b, ThVar *x, ThVar *y) {
    if (!x || !y) return NULL;
    if (!is_sparse(x) && !is_sparse(y)) return elemwise_2(b, S_add, x, y);
    if (!is_sparse(x)) return sparse_add_dense_make(b, y, x);
    if (!is_sparse(y)) return sparse_add_dense_make(b, x, y);
    return sparse_add_make(b, x, sparse_format_make(b, y, sparse_format(x)));
}
