/*
 * crossentropy.c -- cross-entropy of rows of probabilities (or of scores, through softmax) against class numbers.
 * In: a float matrix, an integer vector with one class a row. Out: a vector of losses; the fused form also gives the
 * softmax and the most likely class. A class number out of range raises ValueError or IndexError, never reads outside.
 */
#include "rows.h"
#include "ops/table/shape.h"
#include "ops/table/index.h"
#include "ops/table/nnet.h"
#include "ops/table/lowering.h"

static bool want_matrix(Infer *q, int i, const char *name) {
    ThType t = q->in[i]->type;
    if (t.kind == TYPE_TENSOR && t.ndim == 2 && dtype_is_float((ThDtype)t.dtype)) return true;
    if (t.kind == TYPE_TENSOR && t.ndim > 2) /* steps of a sequence, pixels: their classes are rows too */
        return err(q->ctx, TH_ValueError,
                   "%s: %s must be 2-d tensor of floats, not of %d dimensions: p:reshape { -1, classes }, y:flatten()",
                   q->op->name, name, t.ndim);
    return err(q->ctx, TH_ValueError, "%s: %s must be 2-d tensor of floats", q->op->name, name);
}

static bool want_classes(Infer *q, int i) {
    ThType t = q->in[i]->type;
    if (t.kind == TYPE_TENSOR && t.ndim == 1 && dtype_is_int((ThDtype)t.dtype)) return true;
    return err(q->ctx, TH_TypeError, "%s: the classes must be 1-d tensor of integers", q->op->name);
}

static bool same_rows(ShapeQ *q, int matrix, int vector) {
    return q->alg->equal(q->alg->u, q->in[matrix][0], q->in[vector][0], "there are {0} rows but {1} class numbers");
}

/* As many class numbers as rows, and none of them, as far as they are known, out of range. */
static bool classes_fit(ShapeQ *q, int matrix, int vector) {
    return same_rows(q, matrix, vector) && sizes_in_range(q->alg, q->node->in[vector], q->in[matrix][1], -1);
}

/* Class number of the row as a checked int64 at depth 1. The dims of kernel k start with the row. Classes are not
 * counted from the end: without its sign a negative one is out of range. */
static int class_of(Lower *l, Kernel *k, int input, Size cols) {
    static const int8_t map[1] = {0};
    int v = ins_cast(k, ins_load(k, l->api->read(l, k, input, map), 1), TH_INT64, 1);
    v = ins_binary(k, S_and_, TH_INT64, 1, v, ins_literal(k, TH_INT64, (ThValue){.i = INT64_MAX}, 1));
    return ins_check_index(k, v, ins_size(k, cols, 1), 1);
}

/* Loads input[row, cls] (matrix) or input[cls] (vector): one gathered element at depth 1. */
static int pick(Lower *l, Kernel *k, int input, int cls) {
    Size stride[KDIM];
    bool matrix = l->api->in_type(l, input).ndim == 2;
    for (int d = 0; d < KDIM; d++) stride[d] = size_const(0);
    if (matrix) stride[0] = l->api->in_stride(l, input, 0);
    int offset = ins_binary(k, S_mul, TH_INT64, 1, cls, ins_size(k, l->api->in_stride(l, input, matrix ? 1 : 0), 1));
    int acc = l->api->read_at(l, k, input, l->api->in_offset(l, input), stride);
    if (acc < 0) return -1;
    k->acc.at[acc].idx = offset;
    return ins_load(k, acc, 1);
}

/* ---- CrossentropyCategorical1Hot(coding, y) = -log(coding[row, y]) ----------------------------------------------- */
static bool infer_1hot(Infer *q) {
    if (!want_matrix(q, 0, "the distribution") || !want_classes(q, 1)) return false;
    q->out[0] = type_tensor((ThDtype)q->in[0]->type.dtype, 1, 0);
    return true;
}

static bool shape_1hot(ShapeQ *q) {
    q->out[0][0] = q->in[0][0];
    return classes_fit(q, 0, 1);
}

static void grad_1hot(Grad *g) {
    ThApply *a = g->node;
    if (g->wanted[0])
        g->gx[0] = apply1(g->b, &op_crossentropy_1hot_grad, NULL, (ThVar *[]){g->gz[0], a->in[0], a->in[1]}, 3);
    if (g->wanted[1]) g->gx[1] = grad_undefined(g, 1, "class numbers have no gradient");
}

static bool lower_1hot(Lower *l) {
    static const int8_t map[1] = {0};
    ThDtype d = (ThDtype)l->api->in_type(l, 0).dtype;
    Kernel *k = l->api->kernel(l);
    if (!k || kernel_dim(k, l->api->in_dim(l, 0, 0), DIM_PAR) < 0 || kernel_stage(k, STAGE_LOOP, 0, 1) < 0)
        return false;
    int p = pick(l, k, 0, class_of(l, k, 1, l->api->in_dim(l, 0, 1)));
    int v = ins_unary(k, S_neg, d, 1, ins_unary(k, S_log, d, 1, p));
    ins_store(k, l->api->write(l, k, 0, map), v, 1);
    return !failed(l->ctx);
}

const Op op_crossentropy_1hot = {
    .name = "CrossentropyCategorical1Hot",
    .flags = OP_FAILS,
    .nin = 2,
    .nout = 1,
    .infer = infer_1hot,
    .shape = shape_1hot,
    .grad = grad_1hot,
    .lower = lower_1hot,
    .batch = batch_rows,
    .doc = OP_DOC("-log of the probability of each row's class"),
};

/* ---- CrossentropyCategorical1HotGrad(gz, coding, y) -------------------------------------------------------------- */
static bool infer_1hot_grad(Infer *q) {
    if (!want_matrix(q, 1, "the distribution") || !want_classes(q, 2)) return false;
    if (q->in[0]->type.kind != TYPE_TENSOR || q->in[0]->type.ndim != 1)
        return err(q->ctx, TH_TypeError, "%s: gz must be 1-d", q->op->name);
    q->out[0] = q->in[1]->type;
    return true;
}

static bool shape_1hot_grad(ShapeQ *q) {
    q->out[0][0] = q->in[1][0];
    q->out[0][1] = q->in[1][1];
    return same_rows(q, 1, 2) &&
           q->alg->equal(q->alg->u, q->in[1][0], q->in[0][0], "there are {0} rows but {1} gradients");
}

/* A kernel over the elements of matrix input `matrix`, dims row and column. */
static Kernel *element_kernel(Lower *l, int matrix) {
    Kernel *k = l->api->kernel(l);
    if (!k) return NULL;
    for (int d = 0; d < 2; d++)
        if (kernel_dim(k, l->api->in_dim(l, matrix, d), DIM_PAR) < 0) return NULL;
    return kernel_stage(k, STAGE_LOOP, 0, 2) < 0 ? NULL : k;
}

/* true where the column is the row's class, at depth 2. */
static int is_class(Lower *l, Kernel *k, int classes, int matrix) {
    int cls = class_of(l, k, classes, l->api->in_dim(l, matrix, 1));
    return ins_op(k, S_eq, TH_INT64, TH_BOOL, 2, ins_index(k, 1, 2), cls, -1);
}

static bool lower_1hot_grad(Lower *l) {
    static const int8_t row[1] = {0}, both[2] = {0, 1};
    ThDtype d = (ThDtype)l->api->in_type(l, 1).dtype;
    Kernel *k = element_kernel(l, 1);
    if (!k) return false;
    int hit = is_class(l, k, 2, 1);
    int gz = ins_cast(k, ins_load(k, l->api->read(l, k, 0, row), 1), d, 1);
    int p = ins_load(k, l->api->read(l, k, 1, both), 2);
    int v = ins_binary(k, S_true_div, d, 2, ins_unary(k, S_neg, d, 1, gz), p);
    v = ins_op(k, S_switch, d, d, 2, hit, v, ins_literal(k, d, (ThValue){.f = 0}, 0));
    ins_store(k, l->api->write(l, k, 0, both), v, 2);
    return !failed(l->ctx);
}

/* out[i, y_i] = -gz_i / p[i, y_i], so by gz it is the loss's gradient again, and by p it is -out / p. */
static void grad_1hot_grad(Grad *g) {
    Builder *b = g->b;
    ThApply *a = g->node;
    ThVar *gz = a->in[0], *p = a->in[1], *y = a->in[2], *up = g->gz[0];
    if (g->wanted[0]) {
        ThVar *ones = second_make(b, gz, const_float(b, 1.0, (ThDtype)gz->type.dtype));
        ThVar *d = ones ? apply1(b, &op_crossentropy_1hot_grad, NULL, (ThVar *[]){ones, p, y}, 3) : NULL;
        ThVar *sum = d ? rows_sum(b, elemwise_2(b, S_mul, up, d), 1) : NULL;
        g->gx[0] = sum ? patternbroadcast_make(b, sum, gz->type.broadcastable) : NULL;
    }
    if (g->wanted[1])
        g->gx[1] = elemwise_1(b, S_neg, elemwise_2(b, S_true_div, elemwise_2(b, S_mul, up, a->out[0]), p));
    if (g->wanted[2]) g->gx[2] = grad_undefined(g, 2, "class numbers have no gradient");
}

const Op op_crossentropy_1hot_grad = {
    .name = "CrossentropyCategorical1HotGrad",
    .flags = OP_FAILS,
    .nin = 3,
    .nout = 1,
    .infer = infer_1hot_grad,
    .shape = shape_1hot_grad,
    .grad = grad_1hot_grad,
    .lower = lower_1hot_grad,
    .batch = batch_rows,
    .doc = OP_DOC("gradient of CrossentropyCategorical1Hot"),
};

/* ---- CrossentropySoftmaxArgmax1HotWithBias(x, b, y) -> nll, softmax, argmax -------------------------------------- */
static bool infer_fused(Infer *q) {
    ThType b = q->in[1]->type;
    if (!want_matrix(q, 0, "x") || !want_classes(q, 2)) return false;
    if (b.kind != TYPE_TENSOR || b.ndim != 1 || !dtype_is_float((ThDtype)b.dtype))
        return err(q->ctx, TH_ValueError, "%s: b must be 1-d tensor of floats", q->op->name);
    q->out[0] = type_tensor((ThDtype)q->in[0]->type.dtype, 1, q->in[2]->type.broadcastable);
    q->out[1] = q->in[0]->type;
    q->out[2] = q->in[2]->type;
    return true;
}

static bool shape_fused(ShapeQ *q) {
    q->out[0][0] = q->out[2][0] = q->out[1][0] = q->in[0][0];
    q->out[1][1] = q->in[0][1];
    return classes_fit(q, 0, 2) &&
           q->alg->equal(q->alg->u, q->in[0][1], q->in[1][0], "x has {0} columns but b has length {1}");
}

static ThVar *add_term(Builder *b, ThVar *sum, ThVar *term) { return sum ? elemwise_2(b, S_add, sum, term) : term; }

static void grad_fused(Grad *g) {
    Builder *b = g->b;
    ThApply *a = g->node;
    ThVar *dx = NULL;
    if (g->gz[0]) {
        ThApply *same = apply_make(b, &op_crossentropy_softmax, NULL, a->in, 3);
        if (!same) return;
        dx = apply1(b, &op_crossentropy_softmax_dx, NULL, (ThVar *[]){g->gz[0], same->out[1], a->in[2]}, 3);
    }
    if (g->gz[1]) {
        ThVar *sm = apply1(b, &op_softmax_with_bias, NULL, a->in, 2);
        dx = add_term(b, dx, apply1(b, &op_softmax_grad, NULL, (ThVar *[]){g->gz[1], sm}, 2));
    }
    if (g->gz[2]) dx = add_term(b, dx, zero_grad_make(b, a->in[0]));
    g->gx[0] = dx;
    if (g->wanted[1] && dx) {
        ThVar *db = patternbroadcast_make(b, rows_sum(b, dx, 0), a->in[1]->type.broadcastable);
        g->gx[1] = db ? cast_make(b, db, (ThDtype)a->in[1]->type.dtype) : NULL;
    }
    if (g->wanted[2]) g->gx[2] = grad_undefined(g, 2, "class numbers have no gradient");
}

static bool lower_fused(Lower *l) {
    static const int8_t row[1] = {0};
    Rows r;
    int temp = -1;
    if (!rows_begin(&r, l, 0, 1)) return false;
    int dim = rows_stage(&r, DIM_RED);
    if (dim < 0) return false;
    int v = rows_value(&r, dim);
    int max = ins_reduce(r.k, RED_MAX, v, r.d, 1), best = ins_reduce(r.k, RED_ARGMAX, v, r.d, 1);
    int sum = rows_sum_exp(&r, max, true, &temp);
    /* nll = log(sum) + max - (x[y] + b[y]) */
    int cls = class_of(l, r.k, 2, r.cols);
    int x = pick(l, r.k, 0, cls), bias = ins_cast(r.k, pick(l, r.k, 1, cls), r.d, 1);
    int own = ins_binary(r.k, S_sub, r.d, 1, ins_binary(r.k, S_add, r.d, 1, x, bias), max);
    int nll = ins_binary(r.k, S_sub, r.d, 1, ins_unary(r.k, S_log, r.d, 1, sum), own);
    ins_store(r.k, l->api->write(l, r.k, 0, row), nll, 1);
    ins_store(r.k, l->api->write(l, r.k, 2, row), ins_cast(r.k, best, (ThDtype)l->node->out[2]->type.dtype, 1), 1);
    dim = rows_stage(&r, DIM_PAR);
    return dim >= 0 && rows_store(&r, 1, dim, ins_binary(r.k, S_true_div, r.d, 2, rows_temp(&r, temp, dim), sum));
}

const Op op_crossentropy_softmax = {
    .name = "CrossentropySoftmaxArgmax1HotWithBias",
    .flags = OP_FAILS,
    .nin = 3,
    .nout = 3,
    .infer = infer_fused,
    .shape = shape_fused,
    .grad = grad_fused,
    .lower = lower_fused,
    .batch = batch_crossentropy_softmax,
    .doc = OP_DOC("loss, softmax and argmax of x + b against classes"),
};

/* ---- CrossentropySoftmax1HotWithBiasDx(dy, sm, y) = dy * (sm - onehot(y)) ---------------------------------------- */
static bool infer_dx(Infer *q) {
    ThType dy = q->in[0]->type;
    if (!want_matrix(q, 1, "sm") || !want_classes(q, 2)) return false;
    if (dy.kind != TYPE_TENSOR || dy.ndim > 1 || !dtype_is_float((ThDtype)dy.dtype))
        return err(q->ctx, TH_ValueError, "%s: dy must be {0,1}-d tensor of floats", q->op->name);
    q->out[0] = q->in[1]->type;
    return true;
}

static bool shape_dx(ShapeQ *q) {
    ThType dy = q->node->in[0]->type;
    q->out[0][0] = q->in[1][0];
    q->out[0][1] = q->in[1][1];
    if (dy.ndim == 1 && !type_bcast(dy, 0) &&
        !q->alg->equal(q->alg->u, q->in[0][0], q->in[1][0], "there are {0} gradients but {1} rows"))
        return false;
    return same_rows(q, 1, 2);
}

static void grad_dx(Grad *g) {
    Builder *b = g->b;
    ThVar *dy = g->node->in[0], *sm = g->node->in[1], *y = g->node->in[2], *gz = g->gz[0];
    if (g->wanted[0]) {
        AttrIdx idx = {.n = 2, .at = {{'i', 1, {TH_INT64, 0, 0}}, {'i', 1, {y->type.dtype, 0, 0}}}};
        ThVar *rows = arange_make(b, const_int(b, 0, TH_DTYPE_NONE), shape_elem_make(b, y, 0),
                                  const_int(b, 1, TH_DTYPE_NONE), TH_DTYPE_NONE);
        ThVar *minus = const_float(b, -1, (ThDtype)sm->type.dtype);
        ThVar *hot = adv_inc_subtensor_make(b, sm, minus, &idx, (ThVar *[]){rows, y}, 2, false);
        ThVar *sum = hot ? rows_sum(b, elemwise_2(b, S_mul, gz, hot), 1) : NULL;
        g->gx[0] = unbroadcast_make(b, sum, dy);
    }
    if (g->wanted[1]) g->gx[1] = elemwise_2(b, S_mul, dy->type.ndim ? rows_column(b, dy) : dy, gz);
    if (g->wanted[2]) g->gx[2] = grad_undefined(g, 2, "class numbers have no gradient");
}

static bool lower_dx(Lower *l) {
    static const int8_t both[2] = {0, 1};
    ThDtype d = (ThDtype)l->api->in_type(l, 1).dtype;
    int8_t row[1];
    Kernel *k = element_kernel(l, 1);
    if (!k) return false;
    sizes_map_dims(row, l->api->in_type(l, 0), 0);
    int hit = is_class(l, k, 2, 1);
    int dy = ins_cast(k, ins_load(k, l->api->read(l, k, 0, row), 1), d, 1);
    int v = ins_binary(k, S_mul, d, 2, dy, ins_load(k, l->api->read(l, k, 1, both), 2));
    v = ins_op(k, S_switch, d, d, 2, hit, ins_binary(k, S_sub, d, 2, v, dy), v);
    ins_store(k, l->api->write(l, k, 0, both), v, 2);
    return !failed(l->ctx);
}

const Op op_crossentropy_softmax_dx = {
    .name = "CrossentropySoftmax1HotWithBiasDx",
    .flags = OP_FAILS,
    .nin = 3,
    .nout = 1,
    .infer = infer_dx,
    .shape = shape_dx,
    .grad = grad_dx,
    .lower = lower_dx,
    .batch = batch_rows,
    .doc = OP_DOC("gradient of the fused loss with respect to x"),
};
