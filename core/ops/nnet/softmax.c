/*
 * softmax.c -- Softmax, SoftmaxWithBias, LogSoftmax, SoftmaxGrad on the rows of a float matrix.
 * In: a matrix (a vector is made one row by the builder). Out: a matrix of the same type. The row maximum is subtracted
 * before exp, so no finite row overflows.
 */
#include "rows.h"
#include "ops/table/nnet.h"
#include "ops/table/lowering.h"

static bool want_matrix(Infer *q, int i) {
    ThType t = q->in[i]->type;
    if (t.kind == TYPE_TENSOR && t.ndim == 2 && dtype_is_float((ThDtype)t.dtype)) return true;
    Text text;
    text_init(&text, q->ctx);
    type_text(&text, t);
    err(q->ctx, TH_ValueError, "%s: input %d must be 1-d or 2-d tensor of floats. Got %s", q->op->name, i,
        text.at ? text.at : "?");
    text_free(&text);
    return false;
}

static bool infer_rows(Infer *q) {
    if (!want_matrix(q, 0)) return false;
    q->out[0] = q->in[0]->type;
    return true;
}

static bool shape_rows(ShapeQ *q) {
    q->out[0][0] = q->in[0][0];
    q->out[0][1] = q->in[0][1];
    return true;
}

/* ---- Softmax ----------------------------------------------------------------------------------------------------- */
static ThVar *softmax_gradient(Builder *b, ThVar *gz, ThVar *sm) {
    return apply1(b, &op_softmax_grad, NULL, (ThVar *[]){gz, sm}, 2);
}

static void grad_softmax(Grad *g) { g->gx[0] = softmax_gradient(g->b, g->gz[0], g->node->out[0]); }

static bool lower_softmax_of(Lower *l, int bias) {
    Rows r;
    int temp = -1;
    if (!rows_begin(&r, l, 0, bias)) return false;
    int sum = rows_sum_exp(&r, rows_max(&r), true, &temp);
    int dim = rows_stage(&r, DIM_PAR);
    return dim >= 0 && rows_store(&r, 0, dim, ins_binary(r.k, S_true_div, r.d, 2, rows_temp(&r, temp, dim), sum));
}

static bool lower_softmax(Lower *l) { return lower_softmax_of(l, -1); }

const Op op_softmax = {
    .name = "Softmax",
    .nin = 1,
    .nout = 1,
    .infer = infer_rows,
    .shape = shape_rows,
    .grad = grad_softmax,
    .lower = lower_softmax,
    .batch = batch_rows,
    .doc = OP_DOC("exp(x) / sum(exp(x)) of each row"),
};

/* ---- SoftmaxWithBias --------------------------------------------------------------------------------------------- */
static bool infer_bias(Infer *q) {
    ThType b = q->in[1]->type;
    if (!want_matrix(q, 0)) return false;
    if (b.kind != TYPE_TENSOR || b.ndim != 1 || !dtype_is_float((ThDtype)b.dtype))
        return err(q->ctx, TH_ValueError, "%s: b must be 1-d tensor of floats", q->op->name);
    q->out[0] = q->in[0]->type;
    return true;
}

static bool shape_bias(ShapeQ *q) {
    return shape_rows(q) && q->alg->equal(q->alg->u, q->in[0][1], q->in[1][0],
                                          "SoftmaxWithBias: x has {0} columns but b has length {1}");
}

static void grad_bias(Grad *g) {
    g->gx[0] = softmax_gradient(g->b, g->gz[0], g->node->out[0]);
    if (!g->wanted[1]) return;
    ThVar *b = g->node->in[1];
    g->gx[1] = patternbroadcast_make(g->b, rows_sum(g->b, g->gx[0], 0), b->type.broadcastable);
    g->gx[1] = g->gx[1] ? cast_make(g->b, g->gx[1], (ThDtype)b->type.dtype) : NULL;
}

static bool lower_bias(Lower *l) { return lower_softmax_of(l, 1); }

const Op op_softmax_with_bias = {
    .name = "SoftmaxWithBias",
    .flags = OP_PURE,
    .nin = 2,
    .nout = 1,
    .infer = infer_bias,
    .shape = shape_bias,
    .grad = grad_bias,
    .lower = lower_bias,
    .batch = batch_softmax_bias,
    .doc = OP_DOC("softmax of x + b, b added to each row"),
};

/* ---- LogSoftmax -------------------------------------------------------------------------------------------------- */
static void grad_log_softmax(Grad *g) {
    Builder *b = g->b;
    ThVar *x = g->node->in[0], *sm = softmax_make(b, &op_softmax, x);
    ThVar *sum = rows_column(b, rows_sum(b, g->gz[0], 1));
    g->gx[0] = elemwise_2(b, S_sub, g->gz[0], elemwise_2(b, S_mul, sum, sm));
}

static bool lower_log_softmax(Lower *l) {
    Rows r;
    if (!rows_begin(&r, l, 0, -1)) return false;
    int max = rows_max(&r), sum = rows_sum_exp(&r, max, false, NULL);
    int log = ins_unary(r.k, S_log, r.d, 1, sum), dim = rows_stage(&r, DIM_PAR);
    if (dim < 0) return false;
    int v = ins_binary(r.k, S_sub, r.d, 2, rows_value(&r, dim), max);
    return rows_store(&r, 0, dim, ins_binary(r.k, S_sub, r.d, 2, v, log));
}

const Op op_log_softmax = {
    .name = "LogSoftmax",
    .nin = 1,
    .nout = 1,
    .infer = infer_rows,
    .shape = shape_rows,
    .grad = grad_log_softmax,
    .lower = lower_log_softmax,
    .batch = batch_rows,
    .doc = OP_DOC("log of the softmax of each row"),
};

/* ---- SoftmaxGrad(dy, sm) = dy * sm - sum(dy * sm) * sm ----------------------------------------------------------- */
static bool infer_softmax_grad(Infer *q) {
    if (!want_matrix(q, 0) || !want_matrix(q, 1)) return false;
    q->out[0] = q->in[1]->type;
    return true;
}

static bool shape_softmax_grad(ShapeQ *q) {
    for (int d = 0; d < 2; d++) {
        q->out[0][d] = q->in[1][d];
        if (!q->alg->equal(q->alg->u, q->in[0][d], q->in[1][d], "SoftmaxGrad: dy and sm differ in shape ({0} and {1})"))
            return false;
    }
    return true;
}

static void grad_softmax_grad(Grad *g) {
    Builder *b = g->b;
    ThVar *dy = g->node->in[0], *sm = g->node->in[1], *gz = g->gz[0];
    if (g->wanted[0]) {
        ThVar *sum = rows_column(b, rows_sum(b, elemwise_2(b, S_mul, gz, sm), 1));
        g->gx[0] = elemwise_2(b, S_mul, elemwise_2(b, S_add, gz, elemwise_1(b, S_neg, sum)), sm);
    }
    if (g->wanted[1]) {
        ThVar *sum = rows_column(b, rows_sum(b, elemwise_2(b, S_mul, dy, sm), 1));
        ThVar *inner = rows_column(b, rows_sum(b, elemwise_2(b, S_mul, gz, sm), 1));
        ThVar *direct = elemwise_2(b, S_mul, elemwise_2(b, S_add, gz, elemwise_1(b, S_neg, inner)), dy);
        g->gx[1] = elemwise_2(b, S_sub, direct, elemwise_2(b, S_mul, gz, sum));
    }
}

static bool lower_softmax_grad(Lower *l) {
    Rows r;
    if (!rows_begin(&r, l, 1, -1)) return false;
    int dim = rows_stage(&r, DIM_RED);
    if (dim < 0) return false;
    int dy = ins_cast(r.k, rows_read(&r, 0, dim), r.d, 2);
    int sum = ins_reduce(r.k, RED_SUM, ins_binary(r.k, S_mul, r.d, 2, dy, rows_read(&r, 1, dim)), r.d, 1);
    dim = rows_stage(&r, DIM_PAR);
    if (dim < 0) return false;
    dy = ins_cast(r.k, rows_read(&r, 0, dim), r.d, 2);
    int sm = rows_read(&r, 1, dim), v = ins_binary(r.k, S_mul, r.d, 2, dy, sm);
    return rows_store(&r, 0, dim, ins_binary(r.k, S_sub, r.d, 2, v, ins_binary(r.k, S_mul, r.d, 2, sum, sm)));
}

const Op op_softmax_grad = {
    .name = "SoftmaxGrad",
    .flags = OP_PURE,
    .nin = 2,
    .nout = 1,
    .infer = infer_softmax_grad,
    .shape = shape_softmax_grad,
    .grad = grad_softmax_grad,
    .lower = lower_softmax_grad,
    .batch = batch_rows,
    .doc = OP_DOC("gradient of Softmax, from its output"),
};

ThVar *softmax_make(Builder *b, const Op *op, ThVar *x) {
    static const int8_t row[2] = {-1, 0};
    if (!x) return NULL;
    if (x->type.kind == TYPE_TENSOR && x->type.ndim == 1) x = dimshuffle_make(b, x, row, 2);
    return apply1(b, op, NULL, &x, 1);
}
