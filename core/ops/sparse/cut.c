/*
 * cut.c -- parts of sparse matrices, and matrices side by side. In: row and column numbers as vectors; a slice is the
 * slice of a range. Out: a sparse matrix in the operand's format.
 */
#include "part.h"

#include <string.h>

/* ---- SparseChoose ----------------------------------------------------------------------------------------------- */
static bool infer_operands(Infer *q) {
    if (!sparse_wants(q, 0, "x")) return false;
    for (int i = 1; i < 3; i++)
        if (!is_dense(q->in[i], 1) || !dtype_is_int((ThDtype)q->in[i]->type.dtype))
            return err(q->ctx, TH_TypeError, "%s: rows and columns are vectors of integers", q->op->name);
    return true;
}

static bool infer_count(Infer *q) { return infer_operands(q) && sparse_gives(q, type_tensor(TH_INT64, 0, 0)); }

static bool infer_choose(Infer *q) {
    return infer_operands(q) && sparse_wants_dense(q, 3, 0, "the number of values") && sparse_gives(q, q->in[0]->type);
}

static bool shape_count(ShapeQ *q) { return (void)q, true; }

static bool shape_choose(ShapeQ *q) {
    bool rows = sparse_format(q->node->in[0]) == 'r';
    q->out[0][0] =
        sparse_vector(q, q->in[rows ? 1 : 2][0], q->alg->value(q->alg->u, 3, 0), sparse_dtype(q->node->in[0]));
    return true;
}

/* Numbers of input i as int64 from the start; false after the call failed. */
static bool positions(HostCall *h, int i, int64_t n, SparseFault wrong, int64_t *at) {
    const ThArray *a = h->in[i];
    dtype_cast((char *)at, TH_INT64, 8, a->data, (ThDtype)a->dtype, (int64_t)th_dtype_bytes((ThDtype)a->dtype),
               a->size);
    for (int64_t k = 0; k < a->size; k++) {
        if (at[k] < -n || at[k] >= n) return !host_failed(h, wrong, at[k], n, 0, 0);
        if (at[k] < 0) at[k] += n;
    }
    return true;
}

/* The choice that inputs 1 and 2 are; false after the call failed. */
static bool choice(HostCall *h, const Sparse *x, SparseChoice *c) {
    const SparseFormatAttrs *a = h->attrs;
    bool rows = sparse_letter(a->format) == 'r';
    int by_line = rows ? 1 : 2, by_place = rows ? 2 : 1;
    int64_t n = h->in[by_line]->size, m = h->in[by_place]->size;
    int64_t *at = h->room(h, 8 * (uint64_t)(n + m + x->places + 1)), *place;
    if (!at) return false;
    place = at + n;
    int32_t *to = (int32_t *)(void *)(place + m);
    if (!positions(h, by_line, x->lines, rows ? SPARSE_FAULT_ROW : SPARSE_FAULT_COLUMN, at) ||
        !positions(h, by_place, x->places, rows ? SPARSE_FAULT_COLUMN : SPARSE_FAULT_ROW, place))
        return false;
    memset(to, 0xff, (size_t)x->places * 4);
    for (int64_t k = 0; k < m; k++) {
        if (to[place[k]] >= 0)
            return !host_failed(h, rows ? SPARSE_FAULT_COLUMN_TWICE : SPARSE_FAULT_ROW_TWICE, place[k], 0, 0, 0);
        to[place[k]] = (int32_t)k;
    }
    *c = (SparseChoice){.line = at, .n = n, .to = to, .backward = m > 1 && place[0] > place[m - 1]};
    return true;
}

/* What a device does: lines and places are inputs 1 and 2, or 2 and 1. */
static SparseWork away(const HostCall *h, SparseTask task, const Sparse *x) {
    bool rows = sparse_letter(((const SparseFormatAttrs *)h->attrs)->format) == 'r';
    return (SparseWork){.task = task,
                        .x = *x,
                        .b = h->in[rows ? 1 : 2],
                        .c = h->in[rows ? 2 : 1],
                        .z = h->out[0],
                        .lines = h->in[rows ? 1 : 2]->size,
                        .places = h->in[rows ? 2 : 1]->size,
                        .rows = rows};
}

static int run_count(HostCall *h) {
    Sparse x = sparse_in(h, 0);
    SparseWork w = away(h, SPARSE_TASK_CHOICE, &x);
    if (sparse_away(h)) return h->lib->sparse(h, &w);
    SparseChoice c;
    if (!choice(h, &x, &c)) return 1;
    *(int64_t *)(void *)h->out[0]->data = sparse_choice_count(&x, &c);
    return 0;
}

static int run_choose(HostCall *h) {
    Sparse x = sparse_in(h, 0);
    SparseChoice c;
    SparseWork w = away(h, SPARSE_TASK_CHOOSE, &x);
    int64_t places = w.places, n = w.room = host_int(h, 3);
    if (!sparse_away(h) && !choice(h, &x, &c)) return 1;
    if (n > SPARSE_MOST || w.lines > SPARSE_MOST) return host_error(h, TH_ValueError, "more than 2^31 values or rows");
    if (sparse_away(h)) return h->lib->sparse(h, &w);
    Sparse s = sparse_lay(sparse_out(h), x.dtype, c.n, places, n);
    sparse_choose(&x, &c, &s);
    s.order = sparse_order(&s);
    sparse_close(sparse_out(h), &s);
    return 0;
}

static bool lower_lists(Lower *l, HostFn fn) {
    return l->api->contiguous(l, 1) && l->api->contiguous(l, 2) && l->api->host(l, fn, 0);
}
static bool lower_count(Lower *l) { return lower_lists(l, run_count); }
static bool lower_choose(Lower *l) { return lower_lists(l, run_choose); }

/* Each value goes back to the row and column that it came from. */
static void grad_choose(Grad *g) {
    Builder *b = g->b;
    ThVar *x = g->node->in[0], *gz = g->gz[0];
    if (!gz) return;
    if (!is_sparse(gz)) gz = sparse_from_dense_make(b, gz, sparse_format(x));
    if (!gz) return;
    ThVar *n[2] = {sparse_length_make(b, x, 0), sparse_length_make(b, x, 1)}, *at[2];
    for (int k = 0; k < 2; k++) {
        ThVar *i = g->node->in[1 + k], *negative = elemwise_2(b, S_lt, i, const_int(b, 0, TH_INT8));
        i = elemwise_3(b, S_switch, negative, elemwise_2(b, S_add, i, n[k]), i);
        at[k] = sparse_spread_make(b, gz, i, 1 - k);
    }
    g->gx[0] = sparse_triplets_make(b, sparse_format(x), sparse_part_make(b, gz, "data"), at[0], at[1], n[0], n[1]);
}

static bool connected_none(const ThApply *a, int in, int out) { return (void)a, (void)in, (void)out, false; }
static bool rop_none(Rop *r) { return r->out[0] = NULL, true; }
static bool rop_choose(Rop *r) {
    ThVar *t = r->ev[0], *const *in = r->node->in;
    if (t && !is_sparse(t)) t = sparse_from_dense_make(r->b, t, sparse_format(in[0]));
    r->out[0] = t ? sparse_choose_make(r->b, t, in[1], in[2]) : NULL;
    return !t || r->out[0];
}

const Op op_sparse_choice_count = {
    .name = "SparseChoiceCount",
    .flags = OP_FAILS,
    .nin = 3,
    .nout = 1,
    .attr_bytes = sizeof(SparseFormatAttrs),
    .attrs = sparse_format_fields,
    .nattr = 1,
    .infer = infer_count,
    .shape = shape_count,
    .lower = OP_IF(TH_SPARSE, lower_count),
    .connected = connected_none,
    .rop = OP_IF(TH_SPARSE, rop_none),
    .device = SPARSE_FIRST,
    .failures = sparse_failures,
    .doc = OP_DOC("how many values rows and columns of a sparse matrix have"),
};

const Op op_sparse_choose = {
    .name = "GetItem2d",
    .flags = OP_FAILS,
    .nin = 4,
    .nout = 1,
    .attr_bytes = sizeof(SparseFormatAttrs),
    .attrs = sparse_format_fields,
    .nattr = 1,
    .infer = infer_choose,
    .shape = shape_choose,
    .grad = OP_IF(TH_SPARSE, grad_choose),
    .lower = OP_IF(TH_SPARSE, lower_choose),
    .connected = sparse_connected_first,
    .rop = OP_IF(TH_SPARSE, rop_choose),
    .device = SPARSE_FIRST | DEVICE_READS(3),
    .failures = sparse_failures,
    .doc = OP_DOC("rows and columns of a sparse matrix"),
};

static ThVar *all_of(Builder *b, ThVar *n) {
    return n ? arange_make(b, const_int(b, 0, TH_INT64), n, const_int(b, 1, TH_INT64), TH_INT64) : NULL;
}

ThVar *sparse_choose_make(Builder *b, ThVar *x, ThVar *rows, ThVar *cols) {
    if (!is_sparse(x)) return NULL;
    SparseFormatAttrs a = sparse_format_attrs(b, sparse_format(x));
    ThVar *in[4] = {x, rows ? rows : all_of(b, sparse_length_make(b, x, 0)),
                    cols ? cols : all_of(b, sparse_length_make(b, x, 1))};
    in[3] = apply1(b, &op_sparse_choice_count, &a, in, 3);
    return apply1(b, &op_sparse_choose, &a, in, 4);
}

/* ---- HStack, VStack --------------------------------------------------------------------------------------------- */
static const AttrField stack_fields[] = {{"format", ATTR_STR, offsetof(SparseStackAttrs, format), false},
                                         {"along", ATTR_BOOL, offsetof(SparseStackAttrs, along), false}};

/* Blocks of the result's format and dtype. Along the compressed way lines follow each other, else they are joined. */
static bool infer_stack(Infer *q) {
    if (!q->nin) return err(q->ctx, TH_ValueError, "a stack needs at least one block");
    for (int i = 0; i < q->nin; i++) {
        if (!sparse_wants(q, i, "a block")) return false;
        if (!type_eq(q->in[i]->type, q->in[0]->type))
            return err(q->ctx, TH_TypeError, "%s: blocks must be of one format and dtype", q->op->name);
    }
    return sparse_gives(q, q->in[0]->type);
}

static bool follows(const SparseStackAttrs *a) { return (sparse_letter(a->format) == 'r') != (a->along != 0); }

static bool shape_stack(ShapeQ *q) {
    const ShapeAlg *g = q->alg;
    const SparseStackAttrs *a = ATTRS(SparseStackAttrs, q->node);
    Sz lines = sparse_head(q, 0, SPARSE_LINES), nnz = sparse_head(q, 0, SPARSE_NNZ);
    Sz first = a->along ? sparse_rows(q, 0) : sparse_cols(q, 0);
    for (int i = 1; i < q->node->nin; i++) {
        nnz = g->op(g->u, '+', nnz, sparse_head(q, i, SPARSE_NNZ));
        if (follows(a)) lines = g->op(g->u, '+', lines, sparse_head(q, i, SPARSE_LINES));
        if (!sparse_same(q, first, a->along ? sparse_rows(q, i) : sparse_cols(q, i),
                         a->along ? "hstack: blocks of {0} and {1} rows" : "vstack: blocks of {0} and {1} columns"))
            return false;
    }
    q->out[0][0] = sparse_vector(q, lines, nnz, sparse_dtype(q->node->in[0]));
    return true;
}

/* Lines of every block, one block behind the other. */
static void follow(HostCall *h, Sparse *s) {
    int64_t n = 0, line = 0;
    for (int i = 0; i < h->nin; i++) {
        Sparse x = sparse_in(h, i);
        for (int64_t k = 0; k < x.lines; k++) s->ptr[++line] = (int32_t)(n + x.ptr[k + 1]);
        memcpy(s->idx + n, x.idx, (size_t)x.nnz * 4);
        memcpy(s->data + (size_t)n * s->item, x.data, (size_t)x.nnz * s->item);
        s->order = s->order && x.order;
        n += x.nnz;
    }
    s->nnz = n;
}

/* Each line is that of all blocks. */
static void join(HostCall *h, Sparse *s) {
    int64_t n = 0;
    for (int64_t line = 0; line < s->lines; line++) {
        int64_t before = 0;
        for (int i = 0; i < h->nin; i++) {
            Sparse x = sparse_in(h, i);
            int64_t from = x.ptr[line], len = x.ptr[line + 1] - from;
            for (int64_t k = 0; k < len; k++) s->idx[n + k] = (int32_t)(before + x.idx[from + k]);
            memcpy(s->data + (size_t)n * s->item, x.data + (size_t)from * s->item, (size_t)len * s->item);
            n += len;
            before += x.places;
            s->order = s->order && x.order;
        }
        s->ptr[line + 1] = (int32_t)n;
    }
    s->nnz = n;
}

static int run_stack(HostCall *h) {
    const SparseStackAttrs *a = h->attrs;
    Sparse x = sparse_in(h, 0);
    int64_t nnz = 0, lines = 0, places = 0;
    for (int i = 0; i < h->nin; i++) {
        Sparse b = sparse_in(h, i);
        nnz += b.nnz;
        lines += b.lines;
        places += b.places;
    }
    if (nnz > SPARSE_MOST || lines > SPARSE_MOST || places > SPARSE_MOST)
        return host_error(h, TH_ValueError, "%s: more than 2^31 values, rows or columns", h->op->name);
    if (!follows(a)) lines = x.lines;
    else places = x.places;
    if (sparse_away(h))
        return h->lib->sparse(h, &(SparseWork){.task = SPARSE_TASK_STACK,
                                               .x = x,
                                               .z = h->out[0],
                                               .lines = lines,
                                               .places = places,
                                               .room = nnz,
                                               .flag = follows(a)});
    Sparse s = sparse_lay(sparse_out(h), x.dtype, lines, places, nnz);
    s.order = true;
    if (follows(a)) follow(h, &s);
    else join(h, &s);
    sparse_close(sparse_out(h), &s);
    return 0;
}

static bool lower_stack(Lower *l) { return l->api->host(l, run_stack, 0); }

/* Rows or columns [from, from + n) of gz, as x is. */
static ThVar *slice_of(Builder *b, ThVar *gz, ThVar *x, bool along, ThVar *from, ThVar *n) {
    ThVar *to = elemwise_2(b, S_add, from, n);
    if (is_sparse(gz)) {
        ThVar *at = to ? arange_make(b, from, to, const_int(b, 1, TH_INT64), TH_INT64) : NULL;
        return at ? sparse_grad_like(b, x, sparse_choose_make(b, gz, along ? NULL : at, along ? at : NULL)) : NULL;
    }
    AttrIdx idx = {.n = along ? 2 : 1, .at = {{.kind = 's'}, {.kind = 's'}}};
    idx.at[along ? 1 : 0].has = 3;
    idx.at[along ? 1 : 0].dtype[0] = idx.at[along ? 1 : 0].dtype[1] = TH_INT64;
    ThVar *in[2] = {index_make(b, from), to ? index_make(b, to) : NULL};
    return in[0] && in[1] ? subtensor_make(b, gz, &idx, in, 2) : NULL;
}

static void grad_stack(Grad *g) {
    const SparseStackAttrs *a = g->node->attrs;
    ThVar *from = const_int(g->b, 0, TH_INT64);
    for (int i = 0; g->gz[0] && i < g->node->nin; i++) {
        ThVar *x = g->node->in[i], *n = sparse_length_make(g->b, x, a->along ? 1 : 0);
        if (g->wanted[i]) g->gx[i] = slice_of(g->b, g->gz[0], x, a->along, from, n);
        from = elemwise_2(g->b, S_add, from, n);
    }
}

static void str_stack(Text *t, const ThApply *a) {
    text_put(t, ATTRS(SparseStackAttrs, a)->along ? "HStack" : "VStack");
}

/* Blocks without a tangent lend their shape. */
static bool rop_stack(Rop *r) {
    ThApply *a = r->node;
    VarVec in = {0};
    for (int i = 0; i < a->nin; i++) {
        ThVar *x = a->in[i], *t = r->ev[i];
        if (t && !is_sparse(t)) t = sparse_from_dense_make(r->b, t, sparse_format(x));
        if (!t)
            t = sparse_with_make(r->b, x, zeros_like_make(r->b, sparse_part_make(r->b, x, "data"), sparse_dtype(x)));
        t = t ? sparse_format_make(r->b, t, sparse_format(x)) : NULL;
        if (!t || !vec_push(r->b->ctx, &in, t)) break;
    }
    r->out[0] = in.n == a->nin ? apply1(r->b, a->op, a->attrs, in.at, in.n) : NULL;
    vec_free(r->b->ctx, &in);
    return r->out[0] != NULL;
}

const Op op_sparse_stack = {
    .name = "SparseStack",
    .flags = OP_FAILS,
    .nin = -1,
    .nout = 1,
    .attr_bytes = sizeof(SparseStackAttrs),
    .attrs = stack_fields,
    .nattr = TH_LEN(stack_fields),
    .infer = infer_stack,
    .shape = shape_stack,
    .grad = OP_IF(TH_SPARSE, grad_stack),
    .lower = OP_IF(TH_SPARSE, lower_stack),
    .str = str_stack,
    .rop = OP_IF(TH_SPARSE, rop_stack),
    .device = DEVICE_FORM | (~0u << 16), /* heads of all */
    .doc = OP_DOC("sparse matrices side by side, or one below the other"),
};

ThVar *sparse_stack_make(Builder *b, ThVar *const *x, int n, bool along, char format) {
    VarVec in = {0};
    SparseStackAttrs a;
    memset(&a, 0, sizeof a);
    a.format = sparse_format_attrs(b, format).format;
    a.along = along;
    for (int i = 0; i < n; i++) {
        ThVar *v = is_sparse(x[i]) ? sparse_format_make(b, x[i], format) : x[i];
        if (!v || !vec_push(b->ctx, &in, v)) break;
    }
    ThVar *r = in.n == n ? apply1(b, &op_sparse_stack, &a, in.at, in.n) : NULL;
    vec_free(b->ctx, &in);
    return r;
}
