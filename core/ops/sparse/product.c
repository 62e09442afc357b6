/*
 * product.c -- products of sparse matrices with dense and sparse ones. In: a sparse operand in either format; dense
 * ones C-contiguous. Out: dense (StructuredDot, SparseDot), sparse (TrueDot), or only the values at another's places
 * (SparseRowsDot). Lines are shared out between threads where each result is one line's own.
 */
#include "part.h"

#include <string.h>

static bool csr(const char *format) { return sparse_letter(format) == 'r'; }

static bool one_dtype(Infer *q, int i, int k) {
    ThDtype a = type_dtype(q->in[i]->type), b = type_dtype(q->in[k]->type);
    if (a == b) return true;
    return err(q->ctx, TH_TypeError, "%s: operands must be of one dtype, got %s and %s", q->op->name, th_dtype_name(a),
               th_dtype_name(b));
}

/* ---- a dense result --------------------------------------------------------------------------------------------- */
static const AttrField dot_fields[] = {{"format", ATTR_STR, offsetof(SparseDotAttrs, format), false},
                                       {"structured", ATTR_BOOL, offsetof(SparseDotAttrs, structured), false}};

static bool infer_dot(Infer *q) {
    if (!sparse_wants(q, 0, "x")) return false;
    ThType y = q->in[1]->type;
    if (y.kind == TYPE_SPARSE && type_sparse_format(y) != sparse_format(q->in[0]))
        return err(q->ctx, TH_TypeError, "SparseDot: both operands must be of one format");
    if (y.kind != TYPE_SPARSE && !(y.kind == TYPE_TENSOR && (y.ndim == 1 || y.ndim == 2)))
        return sparse_wants_dense(q, 1, 2, "y");
    return one_dtype(q, 0, 1) &&
           sparse_gives(q, type_tensor(sparse_dtype(q->in[0]), y.kind == TYPE_SPARSE ? 2 : y.ndim,
                                       y.kind == TYPE_TENSOR && y.ndim == 2 ? y.broadcastable & 2 : 0));
}

static bool shape_dot(ShapeQ *q) {
    bool sparse = is_sparse(q->node->in[1]);
    q->out[0][0] = sparse_rows(q, 0);
    if (q->node->out[0]->type.ndim == 2) q->out[0][1] = sparse ? sparse_cols(q, 1) : q->in[1][1];
    return sparse_same(q, sparse_cols(q, 0), sparse ? sparse_rows(q, 1) : q->in[1][0],
                       "Shape mismatch: x has {0} columns, y has {1} rows");
}

typedef struct Product {
    const Sparse *x, *y;
    const SparseLoops *loops;
    SparseDense dense;
    int64_t n;
    char *out, *room; /* room of a share of columns follows another's */
    int64_t room_bytes;
} Product;

static void gather(void *user, int64_t from, int64_t to) {
    const Product *p = user;
    p->loops->gather(p->x, p->dense.data, p->n, p->out, from, to);
}

static void both(void *user, int64_t from, int64_t to) {
    const Product *p = user;
    p->loops->product_dense(p->x, p->y, p->out, from, to);
}

/* Columns of the result shared out: each is one share's own. */
static void scatter(int i, void *user) {
    enum { WIDE = 16 };
    const Product *p = user;
    int64_t blocks = (p->n + WIDE - 1) / WIDE, from = blocks * i / HOST_SHARES * WIDE;
    int64_t to = blocks * (i + 1) / HOST_SHARES * WIDE;
    char *room = p->room ? p->room + i * p->room_bytes : NULL;
    if (from < to) p->loops->scatter(p->x, &p->dense, room, p->out, from, to < p->n ? to : p->n);
}

static void zeros(HostCall *h) {
    ThArray *a = h->out[0];
    if (a->size) memset(a->data, 0, (size_t)a->size * th_dtype_bytes((ThDtype)a->dtype));
}

static SparseDense dense_in(const HostCall *h, int i, int64_t n) {
    const ThArray *a = h->in[i];
    int64_t item = (int64_t)th_dtype_bytes((ThDtype)a->dtype);
    return (SparseDense){a->data, n, ARRAY_STRIDES(a)[0] / item, a->ndim == 2 ? ARRAY_STRIDES(a)[1] / item : 0};
}

/* By places: in blocks of columns where these have several to be summed up at most places. */
static int run_scatter(HostCall *h, Product *p) {
    enum { WORTH = 1 << 20, BLOCK = 64, MOST = 4 << 20 };
    bool shares = p->n >= 4 * HOST_SHARES && p->x->nnz * p->n > WORTH;
    p->room_bytes = p->x->places * BLOCK;
    if (p->n * (int64_t)p->x->item > BLOCK && p->x->nnz >= 2 * p->x->places && p->room_bytes <= MOST) {
        p->room = h->room(h, (uint64_t)p->room_bytes * (shares ? HOST_SHARES : 1));
        if (!p->room) return 1;
    } else zeros(h);
    if (shares) h->parallel(h, HOST_SHARES, scatter, p);
    else p->loops->scatter(p->x, &p->dense, p->room, p->out, 0, p->n);
    return 0;
}

static int run_dot(HostCall *h) {
    const SparseDotAttrs *a = h->attrs;
    Sparse x = sparse_in(h, 0);
    if (sparse_away(h))
        return h->lib->sparse(
            h, &(SparseWork){.task = SPARSE_TASK_DOT, .x = x, .a = h->in[1], .z = h->out[0], .rows = csr(a->format)});
    Product p = {.x = &x, .loops = sparse_loops(x.dtype), .out = h->out[0]->data};
    p.n = h->out[0]->ndim == 2 ? ARRAY_SHAPE(h->out[0])[1] : 1;
    p.dense = dense_in(h, 1, p.n);
    if (!h->out[0]->size) return 0;
    if (!csr(a->format)) return run_scatter(h, &p);
    sparse_shares(h, &x, p.n, gather, &p);
    return 0;
}

/* Of two: lines of one are summed into lines of the result, which is transposed for CSC. */
static int run_dot_both(HostCall *h) {
    const SparseDotAttrs *a = h->attrs;
    Sparse x = sparse_in(h, csr(a->format) ? 0 : 1), y = sparse_in(h, csr(a->format) ? 1 : 0);
    if (sparse_away(h))
        return h->lib->sparse(
            h, &(SparseWork){.task = SPARSE_TASK_DOT_BOTH, .x = x, .y = y, .z = h->out[0], .rows = csr(a->format)});
    Product p = {.x = &x, .y = &y, .loops = sparse_loops(x.dtype), .out = h->out[0]->data};
    char *turned = csr(a->format) ? NULL : h->room(h, (uint64_t)h->out[0]->size * x.item + 8);
    if (!csr(a->format) && !turned) return 1;
    if (turned) {
        memset(turned, 0, (size_t)h->out[0]->size * x.item);
        p.out = turned;
    } else zeros(h);
    sparse_shares(h, &x, 16, both, &p);
    int64_t rows = ARRAY_SHAPE(h->out[0])[0], cols = ARRAY_SHAPE(h->out[0])[1];
    for (int64_t i = 0; turned && i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            memcpy(h->out[0]->data + (size_t)(i * cols + j) * x.item, turned + (size_t)(j * rows + i) * x.item, x.item);
    return 0;
}

static bool lower_dot(Lower *l) {
    if (is_sparse(l->node->in[1])) return l->api->host(l, run_dot_both, 0);
    if (!csr(ATTRS(SparseDotAttrs, l->node)->format)) return l->api->host(l, run_dot, 0); /* any steps */
    return l->api->contiguous(l, 1) && l->api->host(l, run_dot, 0);
}

/* A vector as a column. */
static ThVar *column(Builder *b, ThVar *v) {
    static const int8_t pattern[] = {0, -1};
    return v && v->type.ndim == 1 ? dimshuffle_make(b, v, pattern, 2) : v;
}

static void grad_dot(Grad *g) {
    Builder *b = g->b;
    ThVar *x = g->node->in[0], *y = g->node->in[1], *gz = g->gz[0];
    bool structured = ATTRS(SparseDotAttrs, g->node)->structured;
    if (!gz) return;
    ThVar *gm = column(b, gz);
    if (g->wanted[1]) g->gx[1] = sparse_dot_make(b, sparse_transpose_make(b, x), gz, structured);
    if (g->gx[1] && is_dense(y, 2)) g->gx[1] = patternbroadcast_make(b, g->gx[1], y->type.broadcastable);
    if (!g->wanted[0]) return;
    if (is_sparse(y)) g->gx[0] = transpose_make(b, sparse_dot_make(b, y, transpose_make(b, gm), structured));
    else if (structured) g->gx[0] = sparse_with_make(b, x, sparse_rows_dot_make(b, x, gm, column(b, y)));
    else g->gx[0] = dot_make(b, gm, transpose_make(b, column(b, y)));
}

static void str_dot(Text *t, const ThApply *a) {
    text_put(t, ATTRS(SparseDotAttrs, a)->structured ? "StructuredDot" : "SparseDot");
}

const Op op_sparse_dot = {
    .name = "SparseDot",
    .flags = OP_FAILS | OP_MACHINE,
    .nin = 2,
    .nout = 1,
    .attr_bytes = sizeof(SparseDotAttrs),
    .attrs = dot_fields,
    .nattr = TH_LEN(dot_fields),
    .infer = infer_dot,
    .shape = shape_dot,
    .grad = OP_IF(TH_SPARSE, grad_dot),
    .lower = OP_IF(TH_SPARSE, lower_dot),
    .str = str_dot,
    .rop = OP_IF(TH_SPARSE, sparse_rop),
    .device = SPARSE_TWO,
    .doc = OP_DOC("product of a sparse matrix with a dense or sparse one, dense"),
};

ThVar *sparse_dot_make(Builder *b, ThVar *x, ThVar *y, bool structured) {
    if (!x || !y) return NULL;
    if (!is_sparse(x) && is_sparse(y)) { /* (y^T . x^T)^T */
        if (x->type.kind == TYPE_TENSOR && x->type.ndim == 1)
            return sparse_dot_make(b, sparse_transpose_make(b, y), x, structured);
        ThVar *t = sparse_dot_make(b, sparse_transpose_make(b, y), transpose_make(b, x), structured);
        return t ? transpose_make(b, t) : NULL;
    }
    ThDtype d = th_dtype_upcast(type_dtype(x->type), type_dtype(y->type));
    SparseDotAttrs a;
    memset(&a, 0, sizeof a);
    a.format = sparse_format_attrs(b, is_sparse(x) ? sparse_format(x) : 'r').format;
    a.structured = structured;
    if (is_sparse(x) && is_sparse(y)) y = sparse_format_make(b, y, sparse_format(x));
    return apply1(b, &op_sparse_dot, &a, (ThVar *[]){sparse_values_as(b, x, d), sparse_values_as(b, y, d)}, 2);
}

/* ---- a sparse result -------------------------------------------------------------------------------------------- */
static bool infer_count(Infer *q) {
    return sparse_wants(q, 0, "x") && sparse_wants(q, 1, "y") && sparse_gives(q, type_tensor(TH_INT64, 0, 0));
}

static bool inner_same(const ShapeQ *q) {
    return sparse_same(q, sparse_cols(q, 0), sparse_rows(q, 1), "Shape mismatch: x has {0} columns, y has {1} rows");
}

static bool shape_count(ShapeQ *q) { return inner_same(q); }

/* Room for all products where these are few, or where hardly two fall on one place in some of the lines; counted where
 * many may. */
static int run_count(HostCall *h) {
    enum { LINES = 1024, STEP = 32 };
    const SparseDotAttrs *a = h->attrs;
    Sparse x = sparse_in(h, csr(a->format) ? 0 : 1), y = sparse_in(h, csr(a->format) ? 1 : 0);
    if (sparse_away(h))
        return h->lib->sparse(h, &(SparseWork){.task = SPARSE_TASK_DOT_COUNT, .x = x, .y = y, .z = h->out[0]});
    int64_t n = sparse_product_most(&x, &y, 1), few = 2 * (x.nnz + y.nnz) + 4096;
    int64_t *out = (int64_t *)(void *)h->out[0]->data;
    *out = n;
    if (n <= few) return 0;
    int32_t *mark = h->room(h, (uint64_t)(y.places + 1) * sizeof *mark);
    if (!mark) return 1;
    if (n <= SPARSE_MOST && x.lines >= LINES &&
        4 * sparse_product_count(&x, &y, STEP, mark) > 3 * sparse_product_most(&x, &y, STEP))
        return 0;
    *out = sparse_product_count(&x, &y, 1, mark);
    return 0;
}

static bool lower_count(Lower *l) { return l->api->host(l, run_count, 0); }

static bool connected_none(const ThApply *a, int in, int out) { return (void)a, (void)in, (void)out, false; }
static bool rop_none(Rop *r) { return r->out[0] = NULL, true; }

const Op op_sparse_dot_count = {
    .name = "SparseDotCount",
    .flags = OP_FAILS | OP_MACHINE,
    .nin = 2,
    .nout = 1,
    .attr_bytes = sizeof(SparseDotAttrs),
    .attrs = dot_fields,
    .nattr = TH_LEN(dot_fields),
    .infer = infer_count,
    .shape = shape_count,
    .lower = OP_IF(TH_SPARSE, lower_count),
    .connected = connected_none,
    .rop = OP_IF(TH_SPARSE, rop_none),
    .device = SPARSE_TWO,
    .doc = OP_DOC("how many values a product of sparse matrices may have"),
};

static bool infer_true_dot(Infer *q) {
    if (!sparse_wants(q, 0, "x") || !sparse_wants(q, 1, "y") || !sparse_wants_dense(q, 2, 0, "the number of values"))
        return false;
    if (sparse_format(q->in[0]) != sparse_format(q->in[1]))
        return err(q->ctx, TH_TypeError, "TrueDot: both operands must be of one format");
    return one_dtype(q, 0, 1) && sparse_gives(q, q->in[0]->type);
}

static bool shape_true_dot(ShapeQ *q) {
    bool rows = sparse_format(q->node->in[0]) == 'r';
    q->out[0][0] = sparse_vector(q, sparse_head(q, rows ? 0 : 1, SPARSE_LINES), q->alg->value(q->alg->u, 2, 0),
                                 sparse_dtype(q->node->in[0]));
    return inner_same(q);
}

static int run_true_dot(HostCall *h) {
    const SparseDotAttrs *a = h->attrs;
    Sparse x = sparse_in(h, csr(a->format) ? 0 : 1), y = sparse_in(h, csr(a->format) ? 1 : 0);
    int64_t room = host_int(h, 2);
    if (room > SPARSE_MOST) return host_error(h, TH_ValueError, "TrueDot: more than 2^31 values");
    if (sparse_away(h))
        return h->lib->sparse(h, &(SparseWork){.task = SPARSE_TASK_TRUE_DOT,
                                               .x = x,
                                               .y = y,
                                               .z = h->out[0],
                                               .lines = x.lines,
                                               .places = y.places,
                                               .room = room});
    Sparse s = sparse_lay(sparse_out(h), x.dtype, x.lines, y.places, room);
    void *at = h->room(h, sparse_marks_bytes(y.places, x.item));
    if (!at) return 1;
    SparseMarks m = sparse_marks(at, y.places, x.item);
    const SparseLoops *loops = sparse_loops(x.dtype);
    for (int64_t i = 0; i < x.lines; i++) {
        int64_t from = s.ptr[i];
        s.ptr[i + 1] =
            (int32_t)(from + loops->product_line(&x, &y, i, &m, s.idx + from, s.data + (size_t)from * s.item));
    }
    s.nnz = s.ptr[x.lines];
    s.order = true;
    sparse_close(sparse_out(h), &s);
    return 0;
}

static bool lower_true_dot(Lower *l) { return l->api->host(l, run_true_dot, 0); }

static void grad_true_dot(Grad *g) {
    Builder *b = g->b;
    ThVar *x = g->node->in[0], *y = g->node->in[1], *gz = g->gz[0];
    if (!gz) return;
    ThVar *xt = sparse_transpose_make(b, x), *yt = sparse_transpose_make(b, y);
    if (!is_sparse(gz)) {
        if (g->wanted[0]) g->gx[0] = sparse_dot_make(b, gz, yt, false);
        if (g->wanted[1]) g->gx[1] = sparse_dot_make(b, xt, gz, false);
        return;
    }
    if (g->wanted[0]) g->gx[0] = sparse_grad_like(b, x, sparse_true_dot_make(b, gz, yt));
    if (g->wanted[1]) g->gx[1] = sparse_grad_like(b, y, sparse_true_dot_make(b, xt, gz));
}

static bool connected_two(const ThApply *a, int in, int out) { return (void)a, (void)out, in < 2; }

/* The number of values is that of the tangent's own product. */
static bool rop_true_dot(Rop *r) {
    ThVar *sum = NULL;
    for (int i = 0; i < 2; i++) {
        if (!r->ev[i]) continue;
        ThVar *x = i ? r->node->in[0] : r->ev[0], *y = i ? r->ev[1] : r->node->in[1];
        ThVar *t = is_sparse(x) && is_sparse(y) ? sparse_true_dot_make(r->b, x, y) : sparse_dot_make(r->b, x, y, false);
        sum = sum ? sparse_sum_of(r->b, sum, t) : t;
        if (!sum) return false;
    }
    r->out[0] = sum;
    return true;
}

const Op op_true_dot = {
    .name = "TrueDot",
    .flags = OP_FAILS | OP_MACHINE,
    .nin = 3,
    .nout = 1,
    .attr_bytes = sizeof(SparseDotAttrs),
    .attrs = dot_fields,
    .nattr = TH_LEN(dot_fields),
    .infer = infer_true_dot,
    .shape = shape_true_dot,
    .grad = OP_IF(TH_SPARSE, grad_true_dot),
    .lower = OP_IF(TH_SPARSE, lower_true_dot),
    .connected = connected_two,
    .rop = OP_IF(TH_SPARSE, rop_true_dot),
    .device = SPARSE_TWO | DEVICE_READS(2),
    .doc = OP_DOC("product of two sparse matrices, sparse"),
};

ThVar *sparse_true_dot_make(Builder *b, ThVar *x, ThVar *y) {
    if (!is_sparse(x) || !is_sparse(y)) return NULL;
    ThDtype d = th_dtype_upcast(sparse_dtype(x), sparse_dtype(y));
    SparseDotAttrs a;
    memset(&a, 0, sizeof a);
    a.format = sparse_format_attrs(b, sparse_format(x)).format;
    ThVar *in[3] = {sparse_cast_make(b, x, d), sparse_cast_make(b, sparse_format_make(b, y, sparse_format(x)), d)};
    in[2] = apply1(b, &op_sparse_dot_count, &a, in, 2);
    return apply1(b, &op_true_dot, &a, in, 3);
}

/* ---- x . y^T at the places of p --------------------------------------------------------------------------------- */
static bool infer_rows_dot(Infer *q) {
    return sparse_wants(q, 0, "p") && sparse_wants_dense(q, 1, 2, "x") && sparse_wants_dense(q, 2, 2, "y") &&
           one_dtype(q, 1, 2) && sparse_gives(q, type_tensor((ThDtype)q->in[1]->type.dtype, 1, 0));
}

static bool shape_rows_dot(ShapeQ *q) {
    q->out[0][0] = sparse_head(q, 0, SPARSE_NNZ);
    return sparse_same(q, q->in[1][1], q->in[2][1], "Shape mismatch: x has {0} columns, y has {1}") &&
           sparse_same(q, sparse_rows(q, 0), q->in[1][0], "Shape mismatch: p has {0} rows, x has {1}") &&
           sparse_same(q, sparse_cols(q, 0), q->in[2][0], "Shape mismatch: p has {0} columns, y has {1} rows");
}

typedef struct RowsDot {
    const Sparse *p;
    const SparseLoops *loops;
    const void *left, *right;
    int64_t n;
    void *out;
} RowsDot;

static void rows_dot(void *user, int64_t from, int64_t to) {
    const RowsDot *w = user;
    w->loops->rows_dot(w->p, w->left, w->right, w->n, w->out, from, to);
}

static int run_rows_dot(HostCall *h) {
    const SparseFormatAttrs *a = h->attrs;
    Sparse p = sparse_in(h, 0);
    const ThArray *x = h->in[csr(a->format) ? 1 : 2], *y = h->in[csr(a->format) ? 2 : 1];
    if (sparse_away(h))
        return h->lib->sparse(h, &(SparseWork){.task = SPARSE_TASK_ROWS_DOT, .x = p, .a = x, .b = y, .z = h->out[0]});
    RowsDot w = {&p, sparse_loops((ThDtype)x->dtype), x->data, y->data, ARRAY_SHAPE(x)[1], h->out[0]->data};
    sparse_shares(h, &p, w.n, rows_dot, &w);
    return 0;
}

static bool lower_rows_dot(Lower *l) {
    return l->api->contiguous(l, 1) && l->api->contiguous(l, 2) && l->api->host(l, run_rows_dot, 0);
}

static void grad_rows_dot(Grad *g) {
    ThVar *p = g->node->in[0], *x = g->node->in[1], *y = g->node->in[2];
    ThVar *w = g->gz[0] ? sparse_with_make(g->b, p, g->gz[0]) : NULL;
    if (w && g->wanted[1]) g->gx[1] = sparse_dot_make(g->b, w, y, true);
    if (w && g->wanted[2]) g->gx[2] = sparse_dot_make(g->b, sparse_transpose_make(g->b, w), x, true);
    for (int i = 1; i < 3; i++)
        if (g->gx[i]) g->gx[i] = patternbroadcast_make(g->b, g->gx[i], g->node->in[i]->type.broadcastable);
}

const Op op_sparse_rows_dot = {
    .name = "SparseRowsDot",
    .flags = OP_FAILS | OP_MACHINE,
    .nin = 3,
    .nout = 1,
    .attr_bytes = sizeof(SparseFormatAttrs),
    .attrs = sparse_format_fields,
    .nattr = 1,
    .infer = infer_rows_dot,
    .shape = shape_rows_dot,
    .grad = OP_IF(TH_SPARSE, grad_rows_dot),
    .lower = OP_IF(TH_SPARSE, lower_rows_dot),
    .connected = sparse_connected_values,
    .rop = OP_IF(TH_SPARSE, sparse_rop),
    .device = SPARSE_FIRST,
    .doc = OP_DOC("products of rows of two matrices where a sparse one stores values"),
};

ThVar *sparse_rows_dot_make(Builder *b, ThVar *p, ThVar *x, ThVar *y) {
    if (!is_sparse(p) || !x || !y) return NULL;
    ThDtype d = th_dtype_upcast((ThDtype)x->type.dtype, (ThDtype)y->type.dtype);
    SparseFormatAttrs a = sparse_format_attrs(b, sparse_format(p));
    return apply1(b, &op_sparse_rows_dot, &a, (ThVar *[]){p, cast_make(b, x, d), cast_make(b, y, d)}, 3);
}
