/*
 * values.c -- values of sparse matrices: taken at another's places, spread and summed along lines, added and
 * multiplied, the diagonal, single elements.
 */
#include "part.h"

#include "ops/reduce/reduce.h"

#include <string.h>

static bool same_shape(const ShapeQ *q, int i, int k) {
    return sparse_same(q, sparse_rows(q, i), sparse_rows(q, k), "Shape mismatch: {0} rows and {1} rows") &&
           sparse_same(q, sparse_cols(q, i), sparse_cols(q, k), "Shape mismatch: {0} columns and {1} columns");
}

/* Operand `dense` is a matrix of x's shape. */
static bool same_as_dense(const ShapeQ *q, int x, int dense) {
    return sparse_same(q, sparse_rows(q, x), q->in[dense][0],
                       "Shape mismatch: the sparse matrix has {0} rows, the dense one {1}") &&
           sparse_same(q, sparse_cols(q, x), q->in[dense][1],
                       "Shape mismatch: the sparse matrix has {0} columns, the dense one {1}");
}

static bool one_format(Infer *q) {
    if (!sparse_wants(q, 0, "x") || !sparse_wants(q, 1, "y")) return false;
    if (sparse_format(q->in[0]) == sparse_format(q->in[1])) return true;
    return err(q->ctx, TH_TypeError, "%s: both operands must be of one format, got %s and %s", q->op->name,
               sparse_name(sparse_format(q->in[0])), sparse_name(sparse_format(q->in[1])));
}

static bool one_dtype(Infer *q) {
    if (type_dtype(q->in[0]->type) == type_dtype(q->in[1]->type)) return true;
    return err(q->ctx, TH_TypeError, "%s: both operands must be of one dtype, got %s and %s", q->op->name,
               th_dtype_name(type_dtype(q->in[0]->type)), th_dtype_name(type_dtype(q->in[1]->type)));
}

static bool is_csr(const HostCall *h) { return sparse_letter(((const SparseFormatAttrs *)h->attrs)->format) == 'r'; }

/* Steps of a dense matrix in elements, by line and by place of the sparse one beside it. */
static void steps(const ThArray *a, bool rows, int64_t *by_line, int64_t *by_place) {
    int64_t item = (int64_t)th_dtype_bytes((ThDtype)a->dtype);
    *by_line = ARRAY_STRIDES(a)[rows ? 0 : 1] / item;
    *by_place = ARRAY_STRIDES(a)[rows ? 1 : 0] / item;
}

/* ---- values of g where x stores some ---------------------------------------------------------------------------- */
static bool infer_take(Infer *q) {
    if (!sparse_wants(q, 0, "x")) return false;
    bool sparse = q->in[1]->type.kind == TYPE_SPARSE;
    if (sparse ? !one_format(q) : !sparse_wants_dense(q, 1, 2, "g")) return false;
    return sparse_gives(q, type_tensor(type_dtype(q->in[1]->type), 1, 0));
}

static bool shape_take(ShapeQ *q) {
    q->out[0][0] = sparse_head(q, 0, SPARSE_NNZ);
    return is_sparse(q->node->in[1]) ? same_shape(q, 0, 1) : same_as_dense(q, 0, 1);
}

typedef struct Take {
    const Sparse *x;
    const SparseLoops *loops;
    const ThArray *g;
    int64_t by_line, by_place;
    char *out;
} Take;

static void take_share(void *user, int64_t from, int64_t to) {
    const Take *t = user;
    t->loops->take_dense(t->x, t->g->data, t->by_line, t->by_place, t->out, from, to);
}

static int run_take_dense(HostCall *h) {
    Sparse x = sparse_in(h, 0);
    if (sparse_away(h))
        return h->lib->sparse(
            h, &(SparseWork){.task = SPARSE_TASK_TAKE_DENSE, .x = x, .a = h->in[1], .z = h->out[0], .rows = is_csr(h)});
    Take t = {.x = &x, .loops = sparse_loops((ThDtype)h->in[1]->dtype), .g = h->in[1], .out = h->out[0]->data};
    steps(h->in[1], is_csr(h), &t.by_line, &t.by_place);
    sparse_shares(h, &x, 1, take_share, &t);
    return 0;
}

static int run_take_sparse(HostCall *h) {
    Sparse x = sparse_in(h, 0), y = sparse_in(h, 1);
    if (sparse_away(h))
        return h->lib->sparse(h, &(SparseWork){.task = SPARSE_TASK_TAKE, .x = x, .y = y, .z = h->out[0]});
    if (x.nnz == y.nnz && !memcmp(x.ptr, y.ptr, (size_t)(x.lines + 1) * 4) &&
        !memcmp(x.idx, y.idx, (size_t)x.nnz * 4)) {
        memcpy(h->out[0]->data, y.data, (size_t)y.nnz * y.item); /* one structure, in order or not */
        return 0;
    }
    if (sparse_ordered(h, 0, &x) || sparse_ordered(h, 1, &y)) return 1;
    sparse_loops(y.dtype)->take_sparse(&x, &y, h->out[0]->data);
    return 0;
}

static bool lower_take(Lower *l) {
    return l->api->host(l, is_sparse(l->node->in[1]) ? run_take_sparse : run_take_dense, 0);
}

static void grad_take(Grad *g) {
    ThVar *x = g->node->in[0], *at = sparse_with_make(g->b, x, g->gz[0]);
    g->gx[1] = is_sparse(g->node->in[1]) ? at : at ? dense_from_sparse_make(g->b, at, true) : NULL;
}

const Op op_sparse_take = {
    .name = "SparseTake",
    .flags = OP_FAILS,
    .nin = 2,
    .nout = 1,
    .attr_bytes = sizeof(SparseFormatAttrs),
    .attrs = sparse_format_fields,
    .nattr = 1,
    .infer = infer_take,
    .shape = shape_take,
    .grad = OP_IF(TH_SPARSE, grad_take),
    .lower = OP_IF(TH_SPARSE, lower_take),
    .connected = sparse_connected_values,
    .rop = OP_IF(TH_SPARSE, sparse_rop),
    .device = SPARSE_TWO,
    .failures = sparse_failures,
    .doc = OP_DOC("the values of one matrix where another stores some"),
};

ThVar *sparse_take_make(Builder *b, ThVar *x, ThVar *g) {
    if (!is_sparse(x) || !g) return NULL;
    if (is_sparse(g) && g->owner && g->owner->op == &op_sparse_with && g->owner->in[0] == x) return g->owner->in[1];
    if (g->owner && g->owner->op == &op_sparse_from_dense) g = g->owner->in[0]; /* has the same values there */
    SparseFormatAttrs a = sparse_format_attrs(b, sparse_format(x));
    return apply1(b, &op_sparse_take, &a, (ThVar *[]){x, sparse_grad_like(b, x, g)}, 2);
}

/* ---- along rows and columns ------------------------------------------------------------------------------------- */
static const AttrField axis_fields[] = {{"axis", ATTR_INT, offsetof(SparseAxisAttrs, axis), false},
                                        {"by_line", ATTR_BOOL, offsetof(SparseAxisAttrs, by_line), true},
                                        {"sparse_grad", ATTR_BOOL, offsetof(SparseAxisAttrs, structured), false}};

static Sz axis_length(const ShapeQ *q, int64_t axis) { return axis ? sparse_rows(q, 0) : sparse_cols(q, 0); }

static bool infer_spread(Infer *q) {
    return sparse_wants(q, 0, "x") && sparse_wants_dense(q, 1, 1, "the vector") &&
           sparse_gives(q, type_tensor((ThDtype)q->in[1]->type.dtype, 1, 0));
}

static bool shape_spread(ShapeQ *q) {
    q->out[0][0] = sparse_head(q, 0, SPARSE_NNZ);
    int64_t axis = ATTRS(SparseAxisAttrs, q->node)->axis;
    return sparse_same(q, axis_length(q, axis), q->in[1][0],
                       axis ? "Shape mismatch: the matrix has {0} rows, the vector {1} elements"
                            : "Shape mismatch: the matrix has {0} columns, the vector {1} elements");
}

static int run_spread(HostCall *h) {
    const SparseAxisAttrs *a = h->attrs;
    Sparse x = sparse_in(h, 0);
    if (sparse_away(h))
        return h->lib->sparse(
            h, &(SparseWork){.task = SPARSE_TASK_SPREAD, .x = x, .a = h->in[1], .z = h->out[0], .flag = a->by_line});
    sparse_spread(&x, h->in[1]->data, h->out[0]->data, th_dtype_bytes((ThDtype)h->in[1]->dtype), a->by_line);
    return 0;
}

static bool lower_second(Lower *l, HostFn fn) { return l->api->contiguous(l, 1) && l->api->host(l, fn, 0); }
static bool lower_spread(Lower *l) { return lower_second(l, run_spread); }

static void grad_spread(Grad *g) {
    g->gx[1] = sparse_sum_make(g->b, g->node->in[0], g->gz[0], (int)ATTRS(SparseAxisAttrs, g->node)->axis);
    if (g->gx[1]) g->gx[1] = patternbroadcast_make(g->b, g->gx[1], g->node->in[1]->type.broadcastable);
}

static SparseAxisAttrs axis_attrs(const ThVar *x, int axis) {
    SparseAxisAttrs a;
    memset(&a, 0, sizeof a);
    a.axis = axis;
    a.by_line = (sparse_format(x) == 'r') == (axis == 1);
    return a;
}

#define AXIS_OP(var, title, kin, text) \
    const Op op_##var = { \
        .name = title, \
        .flags = OP_FAILS, \
        .nin = 2, \
        .nout = 1, \
        .attr_bytes = sizeof(SparseAxisAttrs), \
        .attrs = axis_fields, \
        .nattr = TH_LEN(axis_fields), \
        .infer = infer_##kin, \
        .shape = shape_##kin, \
        .grad = OP_IF(TH_SPARSE, grad_##kin), \
        .lower = OP_IF(TH_SPARSE, lower_##kin), \
        .connected = sparse_connected_values, \
        .rop = OP_IF(TH_SPARSE, sparse_rop), \
        .device = SPARSE_FIRST, \
        .doc = OP_DOC(text), \
    }
AXIS_OP(sparse_spread, "SparseSpread", spread, "for each stored value the number of its row, or of its column");

ThVar *sparse_spread_make(Builder *b, ThVar *x, ThVar *v, int axis) {
    if (!is_sparse(x)) return x ? apply1(b, &op_sparse_spread, NULL, (ThVar *[]){x, v}, 2) : NULL;
    SparseAxisAttrs a = axis_attrs(x, axis);
    return apply1(b, &op_sparse_spread, &a, (ThVar *[]){x, v}, 2);
}

static bool infer_sum(Infer *q) { return infer_spread(q); }

static bool shape_sum(ShapeQ *q) {
    q->out[0][0] = axis_length(q, ATTRS(SparseAxisAttrs, q->node)->axis);
    return sparse_same(q, sparse_head(q, 0, SPARSE_NNZ), q->in[1][0], "the matrix stores {0} values, {1} are given");
}

static int run_sum(HostCall *h) {
    const SparseAxisAttrs *a = h->attrs;
    Sparse x = sparse_in(h, 0);
    if (sparse_away(h))
        return h->lib->sparse(
            h, &(SparseWork){.task = SPARSE_TASK_SUM, .x = x, .a = h->in[1], .z = h->out[0], .flag = a->by_line});
    sparse_loops((ThDtype)h->in[1]->dtype)->sum(&x, h->in[1]->data, h->out[0]->data, a->by_line);
    return 0;
}

static bool lower_sum(Lower *l) { return lower_second(l, run_sum); }

static void grad_sum(Grad *g) {
    g->gx[1] = sparse_spread_make(g->b, g->node->in[0], g->gz[0], (int)ATTRS(SparseAxisAttrs, g->node)->axis);
}

AXIS_OP(sparse_sum, "SparseSum", sum, "sums of values by row or by column");

ThVar *sparse_sum_make(Builder *b, ThVar *x, ThVar *values, int axis) {
    if (!is_sparse(x)) return NULL;
    SparseAxisAttrs a = axis_attrs(x, axis);
    return apply1(b, &op_sparse_sum, &a, (ThVar *[]){x, values}, 2);
}

/* ---- SpSum: a gradient everywhere, or where values are stored --------------------------------------------------- */
static bool infer_total(Infer *q) {
    return sparse_wants(q, 0, "x") &&
           sparse_gives(q, type_tensor(sparse_dtype(q->in[0]), ATTRS(SparseAxisAttrs, q)->axis < 0 ? 0 : 1, 0));
}

static bool shape_total(ShapeQ *q) {
    int64_t axis = ATTRS(SparseAxisAttrs, q->node)->axis;
    if (axis >= 0) q->out[0][0] = axis_length(q, axis);
    return true;
}

static int run_total(HostCall *h) {
    const SparseAxisAttrs *a = h->attrs;
    Sparse x = sparse_in(h, 0);
    if (sparse_away(h) && a->axis < 0)
        return h->lib->sparse(h, &(SparseWork){.task = SPARSE_TASK_TOTAL, .x = x, .z = h->out[0]});
    if (sparse_away(h)) {
        ThArray own = {.dtype = x.dtype, .data = x.data};
        return h->lib->sparse(
            h, &(SparseWork){.task = SPARSE_TASK_SUM, .x = x, .a = &own, .z = h->out[0], .flag = a->by_line});
    }
    int32_t all[2] = {0, (int32_t)x.nnz};
    if (a->axis < 0) x.lines = 1, x.ptr = all; /* one line of everything */
    sparse_loops(x.dtype)->sum(&x, x.data, h->out[0]->data, a->axis < 0 || a->by_line);
    return 0;
}

static bool lower_total(Lower *l) { return l->api->host(l, run_total, 0); }

static void grad_total(Grad *g) {
    const SparseAxisAttrs *a = g->node->attrs;
    Builder *b = g->b;
    ThVar *x = g->node->in[0], *gz = g->gz[0];
    if (!gz) return;
    if (a->structured && a->axis < 0) {
        g->gx[0] = sparse_with_make(b, x, second_make(b, sparse_part_make(b, x, "data"), gz));
        return;
    }
    if (a->structured) {
        g->gx[0] = sparse_with_make(b, x, sparse_spread_make(b, x, gz, (int)a->axis));
        return;
    }
    static const int8_t column[] = {0, -1}, row[] = {-1, 0};
    ThVar *n[2] = {sparse_length_make(b, x, 0), sparse_length_make(b, x, 1)};
    if (a->axis >= 0) gz = dimshuffle_make(b, gz, a->axis == 1 ? column : row, 2);
    ThVar *all = gz && n[0] && n[1] ? alloc_make(b, gz, n, 2) : NULL;
    g->gx[0] = sparse_from_dense_make(b, all, sparse_format(x));
}

static void str_total(Text *t, const ThApply *a) {
    int64_t axis = ATTRS(SparseAxisAttrs, a)->axis;
    if (axis < 0) text_put(t, "SpSum{axis=None}");
    else text_printf(t, "SpSum{axis=%lld}", (long long)axis);
}

const Op op_sp_sum = {
    .name = "SpSum",
    .nin = 1,
    .nout = 1,
    .attr_bytes = sizeof(SparseAxisAttrs),
    .attrs = axis_fields,
    .nattr = TH_LEN(axis_fields),
    .infer = infer_total,
    .shape = shape_total,
    .grad = OP_IF(TH_SPARSE, grad_total),
    .lower = OP_IF(TH_SPARSE, lower_total),
    .str = str_total,
    .rop = OP_IF(TH_SPARSE, sparse_rop),
    .device = SPARSE_FIRST,
    .doc = OP_DOC("sum of a sparse matrix, of all or along an axis"),
};

ThVar *sparse_total_make(Builder *b, ThVar *x, int axis, bool structured) {
    if (!is_sparse(x)) return x ? apply1(b, &op_sp_sum, NULL, &x, 1) : NULL;
    SparseAxisAttrs a = axis_attrs(x, axis);
    a.structured = structured;
    return apply1(b, &op_sp_sum, &a, &x, 1);
}

/* ---- sparse with sparse ----------------------------------------------------------------------------------------- */
static bool infer_both(Infer *q) { return one_format(q) && one_dtype(q) && sparse_gives(q, q->in[0]->type); }

static bool shape_both(ShapeQ *q) {
    const ShapeAlg *g = q->alg;
    Sz x = sparse_head(q, 0, SPARSE_NNZ), y = sparse_head(q, 1, SPARSE_NNZ);
    Sz room = g->op(g->u, q->node->op == &op_sparse_add ? '+' : 'm', x, y);
    q->out[0][0] = sparse_vector(q, sparse_head(q, 0, SPARSE_LINES), room, sparse_dtype(q->node->out[0]));
    return same_shape(q, 0, 1);
}

static int run_both(HostCall *h) {
    Sparse x = sparse_in(h, 0), y = sparse_in(h, 1);
    bool add = h->op == &op_sparse_add;
    int64_t room = add ? x.nnz + y.nnz : x.nnz < y.nnz ? x.nnz : y.nnz;
    if (sparse_away(h) && room <= SPARSE_MOST)
        return h->lib->sparse(h, &(SparseWork){.task = SPARSE_TASK_MERGE,
                                               .x = x,
                                               .y = y,
                                               .z = h->out[0],
                                               .lines = x.lines,
                                               .places = x.places,
                                               .room = room,
                                               .flag = add});
    if (room <= SPARSE_MOST && (sparse_ordered(h, 0, &x) || sparse_ordered(h, 1, &y))) return 1;
    if (room > SPARSE_MOST) return host_error(h, TH_ValueError, "%s: more than 2^31 values", h->op->name);
    Sparse s = sparse_lay(sparse_out(h), x.dtype, x.lines, x.places, room);
    sparse_loops(x.dtype)->merge(&x, &y, &s, add);
    s.order = true;
    sparse_close(sparse_out(h), &s);
    return 0;
}

static bool lower_both(Lower *l) { return l->api->host(l, run_both, 0); }

static void grad_add(Grad *g) {
    for (int i = 0; i < 2; i++) g->gx[i] = g->gz[0] ? sparse_grad_like(g->b, g->node->in[i], g->gz[0]) : NULL;
}

static void grad_mul(Grad *g) {
    for (int i = 0; i < 2; i++) {
        ThVar *other = g->node->in[1 - i], *gz = g->gz[0] ? sparse_grad_like(g->b, other, g->gz[0]) : NULL;
        if (gz) g->gx[i] = is_sparse(gz) ? sparse_mul_make(g->b, other, gz) : sparse_mul_dense_make(g->b, other, gz);
    }
}

static bool rop_add(Rop *r) {
    r->out[0] = r->ev[0] && r->ev[1] ? sparse_sum_of(r->b, r->ev[0], r->ev[1]) : r->ev[0] ? r->ev[0] : r->ev[1];
    return !failed(r->b->ctx);
}

#define BOTH_OP(var, title, gradient, forward, text) \
    const Op op_##var = { \
        .name = title, \
        .flags = OP_FAILS, \
        .nin = 2, \
        .nout = 1, \
        .infer = infer_both, \
        .shape = shape_both, \
        .grad = OP_IF(TH_SPARSE, gradient), \
        .lower = OP_IF(TH_SPARSE, lower_both), \
        .rop = OP_IF(TH_SPARSE, forward), \
        .device = SPARSE_TWO, \
        .failures = sparse_failures, \
        .doc = OP_DOC(text), \
    }
BOTH_OP(sparse_add, "AddSS", grad_add, rop_add, "sum of two sparse matrices");
BOTH_OP(sparse_mul, "MulSS", grad_mul, sparse_rop, "elementwise product of two sparse matrices");

static ThVar *both_make(Builder *b, const Op *op, ThVar *x, ThVar *y) {
    if (!is_sparse(x) || !is_sparse(y)) return x && y ? apply1(b, op, NULL, (ThVar *[]){x, y}, 2) : NULL;
    ThDtype d = th_dtype_upcast(sparse_dtype(x), sparse_dtype(y));
    y = sparse_format_make(b, y, sparse_format(x));
    return apply1(b, op, NULL, (ThVar *[]){sparse_cast_make(b, x, d), sparse_cast_make(b, y, d)}, 2);
}

static ThVar *structure_of(ThVar *x) {
    while (x->owner && x->owner->op == &op_sparse_with) x = x->owner->in[0];
    return x;
}

static ThVar *values_of(Builder *b, ThVar *x) {
    return x->owner && x->owner->op == &op_sparse_with ? x->owner->in[1] : sparse_part_make(b, x, "data");
}

/* Of one structure, in order or not, values are added where they lie. */
ThVar *sparse_add_make(Builder *b, ThVar *x, ThVar *y) {
    if (!is_sparse(x) || !is_sparse(y) || structure_of(x) != structure_of(y)) return both_make(b, &op_sparse_add, x, y);
    return sparse_with_make(b, structure_of(x), elemwise_2(b, S_add, values_of(b, x), values_of(b, y)));
}
ThVar *sparse_mul_make(Builder *b, ThVar *x, ThVar *y) { return both_make(b, &op_sparse_mul, x, y); }

/* ---- sparse with dense ------------------------------------------------------------------------------------------ */
static bool infer_add_dense(Infer *q) {
    return sparse_wants(q, 0, "x") && sparse_wants_dense(q, 1, 2, "y") && one_dtype(q) &&
           sparse_gives(q, type_tensor((ThDtype)q->in[1]->type.dtype, 2, 0));
}

static bool shape_add_dense(ShapeQ *q) {
    q->out[0][0] = q->in[1][0];
    q->out[0][1] = q->in[1][1];
    return same_as_dense(q, 0, 1);
}

static int run_add_dense(HostCall *h) {
    Sparse x = sparse_in(h, 0);
    int64_t by_line, by_place;
    if (sparse_away(h)) {
        if (h->out[0]->data != h->in[1]->data && h->lib->assign(h, h->out[0], h->in[1])) return 1;
        return h->lib->sparse(h,
                              &(SparseWork){.task = SPARSE_TASK_ADD_DENSE, .x = x, .z = h->out[0], .rows = is_csr(h)});
    }
    if (h->out[0]->data != h->in[1]->data && h->out[0]->size)
        memcpy(h->out[0]->data, h->in[1]->data, (size_t)h->out[0]->size * x.item);
    steps(h->out[0], is_csr(h), &by_line, &by_place);
    sparse_loops(x.dtype)->to_dense(&x, h->out[0]->data, by_line, by_place);
    return 0;
}

static bool lower_add_dense(Lower *l) {
    if (!l->api->contiguous(l, 1)) return false;
    if (l->node->destroys == 1 && !l->api->alias(l, 0, 1)) return false;
    return l->api->host(l, run_add_dense, 0);
}

static void grad_add_dense(Grad *g) {
    ThVar *x = g->node->in[0], *gz = g->gz[0];
    if (!gz) return;
    g->gx[0] = sparse_with_make(g->b, x, sparse_grad_values(g->b, x, gz));
    g->gx[1] = patternbroadcast_make(g->b, gz, g->node->in[1]->type.broadcastable);
}

static bool rop_add_dense(Rop *r) {
    ThVar *x = r->ev[0] ? r->ev[0] : NULL, *y = r->ev[1];
    if (x && y) r->out[0] = sparse_sum_of(r->b, x, y);
    else r->out[0] = is_sparse(x) ? dense_from_sparse_make(r->b, x, true) : x ? x : y;
    return !failed(r->b->ctx);
}

const Op op_sparse_add_dense = {
    .name = "AddSD",
    .flags = OP_FAILS | OP_CAN_DESTROY,
    .nin = 2,
    .nout = 1,
    .destroy_input = 1,
    .attr_bytes = sizeof(SparseFormatAttrs),
    .attrs = sparse_format_fields,
    .nattr = 1,
    .infer = infer_add_dense,
    .shape = shape_add_dense,
    .grad = OP_IF(TH_SPARSE, grad_add_dense),
    .lower = OP_IF(TH_SPARSE, lower_add_dense),
    .rop = OP_IF(TH_SPARSE, rop_add_dense),
    .device = SPARSE_FIRST,
    .doc = OP_DOC("sum of a sparse and a dense matrix, dense"),
};

ThVar *sparse_add_dense_make(Builder *b, ThVar *x, ThVar *y) {
    SparseFormatAttrs a = sparse_format_attrs(b, is_sparse(x) ? sparse_format(x) : 'r');
    if (!is_sparse(x) || !y) return x && y ? apply1(b, &op_sparse_add_dense, &a, (ThVar *[]){x, y}, 2) : NULL;
    ThDtype d = th_dtype_upcast(sparse_dtype(x), (ThDtype)y->type.dtype);
    return apply1(b, &op_sparse_add_dense, &a, (ThVar *[]){sparse_cast_make(b, x, d), cast_make(b, y, d)}, 2);
}

ThVar *sparse_mul_dense_make(Builder *b, ThVar *x, ThVar *y) {
    ThVar *v = sparse_take_make(b, x, y);
    return v ? sparse_with_make(b, x, elemwise_2(b, S_mul, sparse_part_make(b, x, "data"), v)) : NULL;
}

/* ---- the diagonal ----------------------------------------------------------------------------------------------- */
static bool infer_diag(Infer *q) {
    return sparse_wants(q, 0, "x") && sparse_gives(q, type_tensor(sparse_dtype(q->in[0]), 1, 0));
}

static bool shape_diag(ShapeQ *q) {
    q->out[0][0] = sparse_head(q, 0, SPARSE_LINES);
    return sparse_same(q, sparse_rows(q, 0), sparse_cols(q, 0), "Diag only apply on square matrix: {0} by {1}");
}

static int run_diag(HostCall *h) {
    Sparse x = sparse_in(h, 0);
    if (sparse_away(h)) return h->lib->sparse(h, &(SparseWork){.task = SPARSE_TASK_DIAGONAL, .x = x, .z = h->out[0]});
    sparse_loops(x.dtype)->diagonal(&x, h->out[0]->data);
    return 0;
}

static bool lower_diag(Lower *l) { return l->api->host(l, run_diag, 0); }

static void grad_diag(Grad *g) {
    ThVar *d = sparse_square_diagonal_make(g->b, g->gz[0]);
    g->gx[0] = d ? sparse_format_make(g->b, d, sparse_format(g->node->in[0])) : NULL;
}

const Op op_sparse_diag = {
    .name = "Diag",
    .flags = OP_FAILS,
    .nin = 1,
    .nout = 1,
    .infer = infer_diag,
    .shape = shape_diag,
    .grad = OP_IF(TH_SPARSE, grad_diag),
    .lower = OP_IF(TH_SPARSE, lower_diag),
    .rop = OP_IF(TH_SPARSE, sparse_rop),
    .device = SPARSE_FIRST,
    .doc = OP_DOC("the diagonal of a square sparse matrix"),
};

ThVar *sparse_diag_make(Builder *b, ThVar *x) { return apply1(b, &op_sparse_diag, NULL, &x, 1); }

static bool infer_square(Infer *q) {
    return sparse_wants_dense(q, 0, 1, "diag") && sparse_gives(q, type_sparse((ThDtype)q->in[0]->type.dtype, 'c'));
}

static bool shape_square(ShapeQ *q) {
    q->out[0][0] = sparse_vector(q, q->in[0][0], q->in[0][0], (ThDtype)q->node->in[0]->type.dtype);
    return true;
}

static int run_square(HostCall *h) {
    int64_t n = h->in[0]->size;
    if (n > SPARSE_MOST) return host_error(h, TH_ValueError, "SquareDiagonal: %lld elements", (long long)n);
    if (sparse_away(h))
        return h->lib->sparse(
            h, &(SparseWork){
                   .task = SPARSE_TASK_SQUARE, .a = h->in[0], .z = h->out[0], .lines = n, .places = n, .room = n});
    Sparse s = sparse_lay(sparse_out(h), (ThDtype)h->in[0]->dtype, n, n, n);
    for (int64_t i = 0; i < n; i++) s.idx[i] = (int32_t)i, s.ptr[i + 1] = (int32_t)(i + 1);
    memcpy(s.data, h->in[0]->data, (size_t)n * s.item);
    s.nnz = n;
    sparse_close(sparse_out(h), &s);
    return 0;
}

static bool lower_square(Lower *l) { return l->api->contiguous(l, 0) && l->api->host(l, run_square, 0); }

static void grad_square(Grad *g) {
    if (!g->gz[0]) return;
    static const DiagAttrs at = {0, 0, 1};
    ThVar *d = is_sparse(g->gz[0]) ? sparse_diag_make(g->b, g->gz[0]) : extract_diag_make(g->b, g->gz[0], &at);
    g->gx[0] = d ? patternbroadcast_make(g->b, d, g->node->in[0]->type.broadcastable) : NULL;
}

const Op op_sparse_square_diagonal = {
    .name = "SquareDiagonal",
    .flags = OP_FAILS,
    .nin = 1,
    .nout = 1,
    .infer = infer_square,
    .shape = shape_square,
    .grad = OP_IF(TH_SPARSE, grad_square),
    .lower = OP_IF(TH_SPARSE, lower_square),
    .rop = OP_IF(TH_SPARSE, sparse_rop),
    .device = DEVICE_FORM,
    .doc = OP_DOC("a square sparse matrix with the given diagonal"),
};

ThVar *sparse_square_diagonal_make(Builder *b, ThVar *d) { return apply1(b, &op_sparse_square_diagonal, NULL, &d, 1); }

/* ---- single elements -------------------------------------------------------------------------------------------- */
static bool infer_at(Infer *q) {
    if (!sparse_wants(q, 0, "x")) return false;
    for (int i = 1; i < 3; i++)
        if (!is_dense(q->in[i], 1) || !dtype_is_int((ThDtype)q->in[i]->type.dtype))
            return err(q->ctx, TH_TypeError, "GetItem2Lists: positions are vectors of integers");
    return sparse_gives(q, type_tensor(sparse_dtype(q->in[0]), 1, 0));
}

static bool shape_at(ShapeQ *q) {
    q->out[0][0] = q->in[1][0];
    return sparse_same(q, q->in[1][0], q->in[2][0], "{0} rows and {1} columns are asked for");
}

static int run_at(HostCall *h) {
    Sparse x = sparse_in(h, 0);
    bool rows = is_csr(h);
    if (sparse_away(h))
        return h->lib->sparse(h, &(SparseWork){.task = SPARSE_TASK_AT,
                                               .x = x,
                                               .b = h->in[rows ? 1 : 2],
                                               .c = h->in[rows ? 2 : 1],
                                               .z = h->out[0],
                                               .rows = rows});
    int64_t n = h->in[1]->size, *at = h->room(h, 16 * (uint64_t)(n + 1)), len[2] = {x.lines, x.places};
    if (!at) return 1;
    for (int k = 0; k < 2; k++) {
        const ThArray *a = h->in[(k == 0) == rows ? 1 : 2];
        dtype_cast((char *)(at + k * n), TH_INT64, 8, a->data, (ThDtype)a->dtype,
                   (int64_t)th_dtype_bytes((ThDtype)a->dtype), n);
        for (int64_t e = 0; e < n; e++) {
            int64_t *p = &at[k * n + e];
            if (*p < -len[k] || *p >= len[k])
                return host_failed(h, (k == 0) == rows ? SPARSE_FAULT_ROW : SPARSE_FAULT_COLUMN, *p, len[k], 0, 0);
            if (*p < 0) *p += len[k];
        }
    }
    sparse_loops(x.dtype)->at(&x, at, at + n, n, h->out[0]->data);
    return 0;
}

static bool lower_at(Lower *l) {
    return l->api->contiguous(l, 1) && l->api->contiguous(l, 2) && l->api->host(l, run_at, 0);
}

/* Positions counted from the end, from the start. */
static ThVar *from_start(Builder *b, ThVar *i, ThVar *n) {
    ThVar *negative = elemwise_2(b, S_lt, i, const_int(b, 0, TH_INT8));
    return elemwise_3(b, S_switch, negative, elemwise_2(b, S_add, i, n), i);
}

static void grad_at(Grad *g) {
    ThVar *x = g->node->in[0], *n[2] = {sparse_length_make(g->b, x, 0), sparse_length_make(g->b, x, 1)};
    ThVar *row = from_start(g->b, g->node->in[1], n[0]), *col = from_start(g->b, g->node->in[2], n[1]);
    if (g->gz[0]) g->gx[0] = sparse_triplets_make(g->b, sparse_format(x), g->gz[0], row, col, n[0], n[1]);
}

const Op op_sparse_at = {
    .name = "GetItem2Lists",
    .flags = OP_FAILS,
    .nin = 3,
    .nout = 1,
    .attr_bytes = sizeof(SparseFormatAttrs),
    .attrs = sparse_format_fields,
    .nattr = 1,
    .infer = infer_at,
    .shape = shape_at,
    .grad = OP_IF(TH_SPARSE, grad_at),
    .lower = OP_IF(TH_SPARSE, lower_at),
    .connected = sparse_connected_first,
    .rop = OP_IF(TH_SPARSE, sparse_rop),
    .device = SPARSE_FIRST,
    .failures = sparse_failures,
    .doc = OP_DOC("elements of a sparse matrix at rows and columns"),
};

ThVar *sparse_at_make(Builder *b, ThVar *x, ThVar *row, ThVar *col) {
    SparseFormatAttrs a = sparse_format_attrs(b, is_sparse(x) ? sparse_format(x) : 'r');
    return apply1(b, &op_sparse_at, &a, (ThVar *[]){x, row, col}, 3);
}
