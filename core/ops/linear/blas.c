/*
 * blas.c -- Dot22, Dot22Scalar, Gemm, Gemv, Ger and their C forms: what the BLAS rewrites put in the place of Dot.
 * In: operands of one float or complex dtype and known rank. Out: alpha * x . y + beta * z, in place of z (or of y, A)
 * once the in-place pass decided so. beta == 0 never reads the operand it scales. They are made after gradients: no
 * grad here.
 */
#include "product.h"
#include "ops/table/linear.h"
#include "ops/table/lowering.h"

/* What stands behind the texts, {x=2}, is what the message calls x: the node's input 2, by the user's name. */
static const char DOT22_LENGTHS[] = "Shape mismatch: x has {0} cols but y has {1} rows{x=0}{y=1}";
static const char GEMM_LENGTHS[] = "Shape mismatch: x has {0} cols but y has {1} rows{x=2}{y=3}";

/* ---- Dot22, Dot22Scalar ------------------------------------------------------------------------------------------ */
static bool infer_dot22(Infer *q) {
    if (!product_types(q, "220")) return false;
    ThType x = q->in[0]->type, y = q->in[1]->type;
    q->out[0] = type_tensor((ThDtype)x.dtype, 2, (uint32_t)type_bcast(x, 0) | (uint32_t)type_bcast(y, 1) << 1);
    return true;
}

static bool shape_dot22(ShapeQ *q) {
    q->out[0][0] = q->in[0][0];
    q->out[0][1] = q->in[1][1];
    return product_equal(q, 0, 1, 1, 0, DOT22_LENGTHS);
}

static bool lower_dot22(Lower *l) { return product_lower(l, &(Product){0, 1, -1, l->node->nin == 3 ? 2 : -1, -1}); }

const Op op_dot22 = {
    .name = "Dot22",
    .flags = OP_PURE,
    .nin = 2,
    .nout = 1,
    .infer = infer_dot22,
    .shape = shape_dot22,
    .lower = lower_dot22,
    .rop = rop_bilinear,
    .batch = batch_dot,
    .doc = OP_DOC("product of two matrices"),
};
const Op op_dot22scalar = {
    .name = "Dot22Scalar",
    .flags = OP_PURE,
    .nin = 3,
    .nout = 1,
    .infer = infer_dot22,
    .shape = shape_dot22,
    .lower = lower_dot22,
    .batch = batch_dot_scaled,
    .doc = OP_DOC("x . y * a"),
};

/* ---- Gemm(z, a, x, y, b) = b * z + a * x . y --------------------------------------------------------------------- */
static bool infer_gemm(Infer *q) {
    if (!product_types(q, "20220")) return false;
    q->out[0] = q->in[0]->type;
    return true;
}

static bool shape_gemm(ShapeQ *q) {
    q->out[0][0] = q->in[0][0];
    q->out[0][1] = q->in[0][1];
    return product_equal(q, 2, 1, 3, 0, GEMM_LENGTHS) &&
           product_equal(q, 0, 0, 2, 0, "Gemm: z has {0} rows but x . y has {1}{x=2}{y=3}{z=0}") &&
           product_equal(q, 0, 1, 3, 1, "Gemm: z has {0} cols but x . y has {1}{x=2}{y=3}{z=0}");
}

static bool lower_gemm(Lower *l) { return product_lower(l, &(Product){.a = 2, .b = 3, .c = 0, .alpha = 1, .beta = 4}); }

static void str_inplace(Text *t, const ThApply *a) {
    text_printf(t, "%s{%s}", a->op->name, a->destroys == 0 ? "inplace" : "no_inplace");
}

const Op op_gemm = {
    .name = "Gemm",
    .flags = OP_CAN_DESTROY,
    .nin = 5,
    .nout = 1,
    .destroy_input = 0,
    .infer = infer_gemm,
    .shape = shape_gemm,
    .lower = lower_gemm,
    .str = str_inplace,
    .batch = batch_gemm,
    .doc = OP_DOC("b * z + a * x . y on matrices"),
};

/* ---- Gemv(y, alpha, A, x, beta) = beta * y + alpha * A . x ------------------------------------------------------- */
static bool infer_gemv(Infer *q) {
    if (!product_types(q, "10210")) return false;
    q->out[0] = q->in[0]->type;
    return true;
}

static bool shape_gemv(ShapeQ *q) {
    q->out[0][0] = q->in[0][0];
    return product_equal(q, 2, 1, 3, 0, "Shape mismatch: A has {0} cols but x has {1} rows{A=2}{x=3}") &&
           product_equal(q, 0, 0, 2, 0, "Gemv: y has length {0} but A has {1} rows{A=2}{y=0}");
}

static bool lower_gemv(Lower *l) { return product_lower(l, &(Product){.a = 2, .b = 3, .c = 0, .alpha = 1, .beta = 4}); }

#define GEMV(id, title, about) \
    const Op op_##id = { \
        .name = title, \
        .flags = OP_CAN_DESTROY, \
        .nin = 5, \
        .nout = 1, \
        .destroy_input = 0, \
        .infer = infer_gemv, \
        .shape = shape_gemv, \
        .lower = lower_gemv, \
        .str = str_inplace, \
        .batch = batch_gemm, \
        .doc = OP_DOC(about), \
    };
GEMV(gemv, "Gemv", "beta * y + alpha * A . x")
GEMV(cgemv, "CGemv", "Gemv in compiled code")

/* ---- Ger(A, alpha, x, y) = A + alpha * outer(x, y) --------------------------------------------------------------- */
static bool infer_ger(Infer *q) {
    if (!product_types(q, "2011")) return false;
    q->out[0] = q->in[0]->type;
    return true;
}

static bool shape_ger(ShapeQ *q) {
    q->out[0][0] = q->in[0][0];
    q->out[0][1] = q->in[0][1];
    return product_equal(q, 0, 0, 2, 0, "Ger: A has {0} rows but x has length {1}{A=0}{x=2}") &&
           product_equal(q, 0, 1, 3, 0, "Ger: A has {0} cols but y has length {1}{A=0}{y=3}");
}

static bool lower_ger(Lower *l) {
    static const int8_t both[2] = {0, 1}, row[1] = {0}, col[1] = {1};
    ThDtype d = (ThDtype)l->api->in_type(l, 0).dtype;
    if (l->node->destroys == 0 && !l->api->alias(l, 0, 0)) return false;
    Kernel *k = l->api->kernel(l);
    if (!k) return false;
    for (int i = 0; i < 2; i++)
        if (kernel_dim(k, l->api->in_dim(l, 0, i), DIM_PAR) < 0) return false;
    if (kernel_stage(k, STAGE_LOOP, 0, 2) < 0) return false;
    int alpha = ins_load(k, l->api->read(l, k, 1, NULL), 0);
    int x = ins_binary(k, S_mul, d, 1, alpha, ins_load(k, l->api->read(l, k, 2, row), 1));
    int v = ins_binary(k, S_mul, d, 2, x, ins_load(k, l->api->read(l, k, 3, col), 2));
    v = ins_binary(k, S_add, d, 2, ins_load(k, l->api->read(l, k, 0, both), 2), v);
    ins_store(k, l->api->write(l, k, 0, both), v, 2);
    return !failed(l->ctx);
}

static void str_ger(Text *t, const ThApply *a) {
    text_printf(t, "%s{%s}", a->op->name, a->destroys == 0 ? "destructive" : "non-destructive");
}

#define GER(id, title, about) \
    const Op op_##id = { \
        .name = title, \
        .flags = OP_CAN_DESTROY, \
        .nin = 4, \
        .nout = 1, \
        .destroy_input = 0, \
        .infer = infer_ger, \
        .shape = shape_ger, \
        .lower = lower_ger, \
        .str = str_ger, \
        .batch = batch_ger, \
        .doc = OP_DOC(about), \
    };
GER(ger, "Ger", "A + alpha * outer(x, y)")
GER(cger, "CGer", "Ger in compiled code")
