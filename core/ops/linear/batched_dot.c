/*
 * batched_dot.c -- BatchedDot: for each element of the first axis, the product of a vector or matrix of x with one of
 * y. In: x (b, k) or (b, m, k), y (b, k) or (b, k, n). Out: (b), (b, m), (b, n) or (b, m, n) in the promoted dtype.
 * Float matrices of one dtype run as one GEMM stage inside the loop over the batch, everything else as a loop with a
 * sum.
 */
#include "product.h"
#include "ops/table/linear.h"
#include "ops/table/lowering.h"

static bool infer_batched(Infer *q) {
    uint32_t bits = 0;
    int out = 1;
    for (int i = 0; i < 2; i++) {
        ThType t = q->in[i]->type;
        if (t.kind != TYPE_TENSOR || t.ndim < 2 || t.ndim > 3)
            return err(q->ctx, TH_TypeError, "BatchedDot: input %d must have 2 or 3 dimensions, it has %d", i, t.ndim);
        if (type_bcast(t, 0)) bits |= 1;
    }
    ThType x = q->in[0]->type, y = q->in[1]->type;
    if (x.ndim == 3) bits |= (uint32_t)type_bcast(x, 1) << out++;
    if (y.ndim == 3) bits |= (uint32_t)type_bcast(y, 2) << out++;
    q->out[0] = type_tensor(th_dtype_upcast((ThDtype)x.dtype, (ThDtype)y.dtype), out, bits);
    return true;
}

static bool shape_batched(ShapeQ *q) {
    int xd = q->node->in[0]->type.ndim, yd = q->node->in[1]->type.ndim, out = 1;
    q->out[0][0] = q->in[0][0];
    if (xd == 3) q->out[0][out++] = q->in[0][1];
    if (yd == 3) q->out[0][out++] = q->in[1][2];
    return product_equal(q, 0, 0, 1, 0, "Shape mismatch: batch sizes unequal: x has {0} and y has {1}{x=0}{y=1}") &&
           product_equal(q, 0, xd - 1, 1, 1,
                         "Shape mismatch: the rows of x have length {0}, the columns of y {1}{x=0}{y=1}");
}

static ThVar *turned(Builder *b, ThVar *x) {
    static const int8_t order[3] = {0, 2, 1};
    return dimshuffle_make(b, x, order, 3);
}

static ThVar *outer(Builder *b, ThVar *x, ThVar *y) {
    static const int8_t column[3] = {0, 1, -1}, row[3] = {0, -1, 1};
    return elemwise_2(b, S_mul, dimshuffle_make(b, x, column, 3), dimshuffle_make(b, y, row, 3));
}

static void grad_batched(Grad *g) {
    static const int8_t column[2] = {0, -1};
    Builder *b = g->b;
    ThVar *x = g->node->in[0], *y = g->node->in[1], *gz = g->gz[0], *gx = NULL, *gy = NULL;
    int xd = x->type.ndim, yd = y->type.ndim;
    x = conj_make(b, x), y = conj_make(b, y);
    if (!x || !y) return;
    if (xd == 2 && yd == 2) {
        ThVar *scale = dimshuffle_make(b, gz, column, 2);
        gx = elemwise_2(b, S_mul, scale, y);
        gy = elemwise_2(b, S_mul, scale, x);
    } else {
        if (g->wanted[0]) gx = yd == 3 ? batched_dot_make(b, gz, turned(b, y)) : outer(b, gz, y);
        if (g->wanted[1]) gy = xd == 3 ? batched_dot_make(b, turned(b, x), gz) : outer(b, x, gz);
    }
    g->gx[0] = g->wanted[0] ? patternbroadcast_make(b, gx, x->type.broadcastable) : NULL;
    g->gx[1] = g->wanted[1] ? patternbroadcast_make(b, gy, y->type.broadcastable) : NULL;
}

/* Kernel dims: the batch outside, then m where x has it, n where y has it, k. */
static bool batch_dims(Lower *l, Kernel *k, bool rows, bool cols) {
    if (kernel_dim(k, l->api->in_dim(l, 0, 0), DIM_PAR) < 0) return false;
    k->nouter = 1;
    if (rows && kernel_dim(k, l->api->in_dim(l, 0, 1), DIM_PAR) < 0) return false;
    if (cols && kernel_dim(k, l->api->in_dim(l, 1, 2), DIM_PAR) < 0) return false;
    return kernel_dim(k, l->api->in_dim(l, 1, 1), DIM_RED) >= 0;
}

static bool lower_matrices(Lower *l) {
    static const int8_t map_a[3] = {0, 1, 3}, map_b[3] = {0, 3, 2}, map_c[3] = {0, 1, 2};
    Kernel *k = l->api->kernel(l);
    if (!k || !batch_dims(l, k, true, true)) return false;
    int s = kernel_stage(k, STAGE_GEMM, 1, 3);
    if (s < 0) return false;
    int a = l->api->read(l, k, 0, map_a), b = l->api->read(l, k, 1, map_b), c = l->api->write(l, k, 0, map_c);
    if (a < 0 || b < 0 || c < 0) return false;
    Stage *st = &k->st.at[s];
    st->A = a, st->B = b, st->C = c;
    st->alpha = st->beta = -1;
    return !failed(l->ctx);
}

static bool lower_batched(Lower *l) {
    ThType x = l->api->in_type(l, 0), y = l->api->in_type(l, 1);
    ThDtype d = (ThDtype)l->node->out[0]->type.dtype;
    bool rows = x.ndim == 3, cols = y.ndim == 3;
    if (rows && cols && dtype_is_float(d) && x.dtype == d && y.dtype == d) return lower_matrices(l);
    int8_t inner = (int8_t)(1 + rows + cols), depth = inner, full = (int8_t)(inner + 1);
    int8_t map_a[3] = {0, rows ? 1 : inner, inner}, map_b[3] = {0, inner, (int8_t)(inner - 1)}, map_c[3] = {0, 1, 2};
    Kernel *k = l->api->kernel(l);
    if (!k || !batch_dims(l, k, rows, cols) || kernel_stage(k, STAGE_LOOP, 1, rows + cols + 1) < 0) return false;
    int v = ins_cast(k, ins_load(k, l->api->read(l, k, 0, map_a), full), d, full);
    int w = ins_cast(k, ins_load(k, l->api->read(l, k, 1, map_b), full), d, full);
    int p = ins_binary(k, d == TH_BOOL ? S_and_ : S_mul, d, full, v, w);
    int sum = ins_reduce(k, d == TH_BOOL ? RED_OR : RED_SUM, p, d, depth);
    ins_store(k, l->api->write(l, k, 0, map_c), sum, depth);
    return !failed(l->ctx);
}

const Op op_batched_dot = {
    .name = "BatchedDot",
    .flags = OP_AMP,
    .nin = 2,
    .nout = 1,
    .infer = infer_batched,
    .shape = shape_batched,
    .grad = grad_batched,
    .lower = lower_batched,
    .batch = batch_batched_dot,
    .rop = rop_bilinear,
    .doc = OP_DOC("products of the vectors or matrices along the first axis"),
};

ThVar *batched_dot_make(Builder *b, ThVar *x, ThVar *y) {
    return apply1(b, &op_batched_dot, NULL, (ThVar *[]){x, y}, 2);
}
