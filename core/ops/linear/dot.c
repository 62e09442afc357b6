/*
 * dot.c -- Dot: products of vectors and matrices of any dtype, as users write them.
 * In: two operands of 1 or 2 dimensions. Out: their product in the promoted dtype. Lengths that do not fit raise
 * ValueError before anything runs. The BLAS forms that rewrites put in its place are in blas.c.
 */
#include "product.h"
#include "ops/table/linear.h"

static bool infer_dot(Infer *q) {
    for (int i = 0; i < 2; i++) {
        ThType t = q->in[i]->type;
        if (t.kind != TYPE_TENSOR || t.ndim < 1 || t.ndim > 2)
            return err(q->ctx, TH_TypeError,
                       "Dot: input %d must have 1 or 2 dimensions, %d given. Consider calling T.dot instead.", i,
                       t.ndim);
    }
    ThType x = q->in[0]->type, y = q->in[1]->type;
    int out = 0;
    uint32_t bits = 0;
    if (x.ndim == 2) bits |= (uint32_t)type_bcast(x, 0) << out++;
    if (y.ndim == 2) bits |= (uint32_t)type_bcast(y, 1) << out++;
    q->out[0] = type_tensor(th_dtype_upcast((ThDtype)x.dtype, (ThDtype)y.dtype), out, bits);
    return true;
}

static bool shape_dot(ShapeQ *q) {
    int xd = q->node->in[0]->type.ndim, yd = q->node->in[1]->type.ndim, out = 0;
    if (xd == 2) q->out[0][out++] = q->in[0][0];
    if (yd == 2) q->out[0][out++] = q->in[1][1];
    return product_equal(q, 0, xd - 1, 1, 0, "Shape mismatch: x has {0} cols but y has {1} rows{x=0}{y=1}");
}

static ThVar *outer(Builder *b, ThVar *x, ThVar *y) {
    static const int8_t column[2] = {0, -1}, row[2] = {-1, 0};
    return dot_make(b, dimshuffle_make(b, x, column, 2), dimshuffle_make(b, y, row, 2));
}

/* The forms and their order are Theano's: they show in printed gradients. */
static void grad_dot(Grad *g) {
    Builder *b = g->b;
    ThVar *x = g->node->in[0], *y = g->node->in[1], *gz = g->gz[0], *gx = NULL, *gy = NULL;
    int xd = x->type.ndim, yd = y->type.ndim;
    ThVar *to_x = x, *to_y = y; /* of whom the gradients are: real ones take the real part */
    x = conj_make(b, x), y = conj_make(b, y);
    if (xd == 1 && yd == 1) {
        gx = elemwise_2(b, S_mul, gz, y);
        gy = elemwise_2(b, S_mul, gz, x);
    } else {
        if (g->wanted[0])
            gx = xd == 2 && yd == 1 ? outer(b, gz, transpose_make(b, y)) : dot_make(b, gz, transpose_make(b, y));
        if (g->wanted[1]) gy = xd == 1 ? outer(b, transpose_make(b, x), gz) : dot_make(b, transpose_make(b, x), gz);
    }
    g->gx[0] = g->wanted[0] ? patternbroadcast_make(b, real_make(b, gx, to_x), x->type.broadcastable) : NULL;
    g->gx[1] = g->wanted[1] ? patternbroadcast_make(b, real_make(b, gy, to_y), y->type.broadcastable) : NULL;
}

static bool lower_dot(Lower *l) {
    return product_lower(l, &(Product){.a = 0, .b = 1, .c = -1, .alpha = -1, .beta = -1});
}

static void str_dot(Text *t, const ThApply *a) {
    (void)a;
    text_put(t, "dot");
}

static void pp_dot(Text *t, const ThApply *a, void (*arg)(Text *t, const ThApply *a, int i)) {
    text_putc(t, '(');
    arg(t, a, 0);
    text_put(t, " \\dot ");
    arg(t, a, 1);
    text_putc(t, ')');
}

const Op op_dot = {
    .name = "Dot",
    .flags = OP_AMP,
    .nin = 2,
    .nout = 1,
    .infer = infer_dot,
    .shape = shape_dot,
    .grad = grad_dot,
    .lower = lower_dot,
    .str = str_dot,
    .pp = pp_dot,
    .rop = rop_bilinear,
    .batch = batch_dot,
    .doc = OP_DOC("product of vectors and matrices"),
};

ThVar *dot_make(Builder *b, ThVar *x, ThVar *y) { return apply1(b, &op_dot, NULL, (ThVar *[]){x, y}, 2); }

ThVar *transpose_make(Builder *b, ThVar *x) {
    int8_t order[TH_MAX_NDIM];
    if (!x) return NULL;
    for (int d = 0; d < x->type.ndim; d++) order[d] = (int8_t)(x->type.ndim - 1 - d);
    ThVar *t = dimshuffle_node(b, x, order, x->type.ndim);
    if (t && x->name && !t->name) {
        Text name;
        text_init(&name, b->ctx);
        text_printf(&name, "%s.T", x->name);
        t->name = name.at ? intern(b->ctx, name.at) : NULL;
        text_free(&name);
    }
    return t;
}
