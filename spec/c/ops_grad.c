/* ops_grad.c -- gradients of scalar operations and reductions as graphs: Theano's operands, order and association. */
#include "test.h"

#include "ops/front/front.h"
#include "ops/reduce/reduce.h"

static char *pp_grad(ThContext *c, ThVar *cost, ThVar *wrt) { /* of the last call */
    static char text[6000];
    ThVar *g = NULL;
    snprintf(text, sizeof text, "error");
    if (th_grad(c, cost, &wrt, 1, NULL, &g) != 0) return text;
    char *s = th_pp(g);
    snprintf(text, sizeof text, "%s", s ? s : "NULL");
    th_free(c, s);
    th_var_release(g);
    return text;
}

/* The gradient of op(x) or op(x, y) wrt its input `which`, all 0-d float64; gz prints as fill(op(x),
 * TensorConstant{1.0}). */
static const char *grad_of(ThContext *c, const char *op, int arity, int which) {
    static char text[6000];
    ThType t = {.dtype = TH_FLOAT64};
    ThVar *v[3] = {th_variable_new(c, t, "x"), th_variable_new(c, t, "y"), th_variable_new(c, t, "w")};
    ThVar *z = arity == 1   ? th_op(c, op, 1, v[0])
               : arity == 2 ? th_op(c, op, 2, v[0], v[1])
                            : th_op(c, op, 3, v[0], v[1], v[2]);
    char fill[300], *s = pp_grad(c, z, v[which]);
    char *zs = th_pp(z);
    snprintf(fill, sizeof fill, "fill(%s, TensorConstant{1.0})", zs ? zs : "?");
    size_t n = 0;
    for (const char *p = s; *p && n + 8 < sizeof text;) { /* gz for the seed */
        if (!strncmp(p, fill, strlen(fill))) {
            n += (size_t)snprintf(text + n, sizeof text - n, "gz");
            p += strlen(fill);
        } else {
            text[n++] = *p++;
        }
    }
    text[n] = 0;
    th_free(c, zs);
    th_var_release(z);
    for (int i = 0; i < 3; i++) th_var_release(v[i]);
    return text;
}

static void test_scalars(ThContext *c) {
    CHECK_TEXT(grad_of(c, "pow", 2, 0), "((gz * y) * (x ** (y - TensorConstant{1})))");
    CHECK_TEXT(grad_of(c, "pow", 2, 1),
               "switch(eq(x, TensorConstant{0}), TensorConstant{0}, ((gz * log(x)) * (x ** y)))");
    CHECK_TEXT(grad_of(c, "true_div", 2, 0), "(gz / y)");
    CHECK_TEXT(grad_of(c, "true_div", 2, 1), "((-(gz * x)) / (y * y))");
    CHECK_TEXT(grad_of(c, "maximum", 2, 0), "(eq(maximum(x, y), x) * gz)");
    CHECK_TEXT(grad_of(c, "maximum", 2, 1), "((TensorConstant{1.0} - eq(maximum(x, y), x)) * gz)");
    CHECK_TEXT(grad_of(c, "tanh", 1, 0), "(gz * (TensorConstant{1} - sqr(tanh(x))))");
    CHECK_TEXT(grad_of(c, "sigmoid", 1, 0), "((gz * sigmoid(x)) * (TensorConstant{1.0} - sigmoid(x)))");
    CHECK_TEXT(grad_of(c, "softplus", 1, 0), "(gz * sigmoid(x))");
    CHECK_TEXT(grad_of(c, "log1p", 1, 0), "(gz / (TensorConstant{1} + x))");
    CHECK_TEXT(grad_of(c, "abs_", 1, 0), "(gz * sgn(x))");
    CHECK_TEXT(grad_of(c, "cos", 1, 0), "((-gz) * sin(x))");
    CHECK_TEXT(grad_of(c, "sqrt", 1, 0), "((gz * TensorConstant{0.5}) / sqrt(x))");
    CHECK_TEXT(grad_of(c, "sub", 2, 1), "(-gz)");
    CHECK_TEXT(grad_of(c, "switch", 3, 1), "switch(x, gz, TensorConstant{0.0})");
    CHECK_TEXT(grad_of(c, "floor", 1, 0), "fill(x, TensorConstant{0.0})");
    CHECK_TEXT(grad_of(c, "inv", 1, 0), "((-gz) / (x * x))");
    CHECK(th_error(c) == TH_OK);
}

/* 05_grad_sum_sqr of the reference prints, and the sum over what was broadcast. */
static void test_tensors(ThContext *c) {
    ThVar *a = th_variable_new(c, (ThType){.dtype = TH_FLOAT64, .ndim = 1}, "a");
    ThVar *sq = th_op(c, "sqr", 1, a), *s = th_op(c, "sum", 1, sq);
    CHECK_TEXT(pp_grad(c, s, a),
               "((fill(sqr(a), fill(Sum{acc_dtype=float64}(sqr(a)), TensorConstant{1.0})) * a) * TensorConstant{2})");
    ThVar *m = th_variable_new(c, (ThType){.dtype = TH_FLOAT64, .ndim = 2}, "m");
    ThVar *t = th_op(c, "add", 2, m, a), *st = th_op(c, "sum", 1, t), *g = NULL;
    CHECK(th_grad(c, st, &a, 1, NULL, &g) == 0);
    CHECK(g && th_var_type(g).ndim == 1);
    char *text = th_pp(g);
    CHECK_TEXT(text,
               "DimShuffle{1}(Sum{axis=[0], acc_dtype=float64}(fill((m + a), fill(Sum{acc_dtype=float64}((m + a)), "
               "TensorConstant{1.0}))))");
    th_free(c, text);
    ThVar *mx = th_op(c, "max", 1, a);
    CHECK_TEXT(pp_grad(c, mx, a),
               "(eq(MaxAndArgmax{axis=(0,)}(a), a) * fill(MaxAndArgmax{axis=(0,)}(a), TensorConstant{1.0}))");
    ThVar *all[] = {a, sq, s, m, t, st, g, mx};
    for (int i = 0; i < TH_LEN(all); i++) th_var_release(all[i]);
    CHECK(th_error(c) == TH_OK);
}

/* Every text of the table builds, with the input's rank, for every rank of operands. */
static void test_all(ThContext *c) {
    Builder b;
    builder_begin(&b, c);
    for (int op = 0; op < scalar_count; op++) {
        const ScalarOp *s = &scalar_ops[op];
        bool whole = s->result == RES_BITS || s->result == RES_SHIFT || s->result == RES_INTS;
        if (!s->value || op == S_cast || whole) continue;
        for (int nd = 0; nd < 3; nd++) {
            ThVar *in[3], *gx[3] = {0};
            bool wanted[3] = {true, true, true};
            for (int i = 0; i < s->arity; i++) in[i] = var_new(&b, type_tensor(TH_FLOAT64, nd, i ? 0 : nd > 1), "x");
            ThVar *z = elemwise_raw(&b, op, in, s->arity);
            CHECK(z);
            if (!z) break;
            ThVar *gz = var_new(&b, type_tensor(TH_FLOAT64, nd, z->type.broadcastable), "gz");
            Grad g = {.b = &b, .node = z->owner, .gz = &gz, .gx = gx, .wanted = wanted};
            op_elemwise.grad(&g);
            for (int i = 0; i < s->arity; i++) {
                bool connected = op_elemwise.connected(z->owner, i, 0);
                if (connected != (gx[i] != NULL)) fprintf(stderr, "%s input %d: %s\n", s->name, i, th_error_text(c));
                CHECK(connected == (gx[i] != NULL));
                if (gx[i] && gx[i]->type.kind == TYPE_NULL) continue; /* no formula is known */
                if (gx[i]) CHECK(gx[i]->type.dtype == TH_FLOAT64 && gx[i]->type.ndim == nd);
                if (gx[i] && gx[i]->type.broadcastable != in[i]->type.broadcastable)
                    fprintf(stderr, "%s input %d, rank %d\n", s->name, i, nd);
                if (gx[i]) CHECK(gx[i]->type.broadcastable == in[i]->type.broadcastable);
            }
        }
    }
    CHECK(!failed(c));
    builder_end(&b);
}

/* Building, differentiating and interning survive any allocation that fails: MemoryError, nothing left over. */
static int build_all(ThContext *c) {
    ThVar *x = th_variable_new(c, (ThType){.dtype = TH_FLOAT32, .ndim = 2}, "x"), *g = NULL, *out[2] = {0};
    ThVar *y = th_op(c, "mul", 2, x, x), *z = NULL, *s = NULL;
    if (y) z = th_op(c, "softplus", 1, y);
    ThArg args[2] = {{.kind = TH_ARG_VAR, .var = z}, {.kind = TH_ARG_INT, .key = "axis", .i = 1}};
    if (z && th_build(c, th_func_find("std"), args, 2, out, 2) == 1) s = th_op(c, "max", 1, out[0]);
    int ok = s && th_grad(c, s, &x, 1, NULL, &g) == 0;
    ScalarBody p = {.nin = 1,
                    .nout = 1,
                    .n = 1,
                    .narg = 1,
                    .in_dtype = (ThDtype[]){TH_FLOAT64},
                    .ins = (ScalarIns[]){{S_exp, TH_FLOAT64, 1, 0}},
                    .arg = (int[]){0},
                    .out = (int[]){1}};
    ok = ok && scalar_body_intern(c, &p);
    ThVar *all[] = {x, y, z, out[0], s, g};
    for (int i = 0; i < TH_LEN(all); i++)
        if (all[i]) th_var_release(all[i]);
    return ok;
}

int main(void) {
    ThContext *c = th_context_new(NULL);
    test_scalars(c);
    test_tensors(c);
    test_all(c);
    CHECK(build_all(c));
    CHECK(th_error(c) == TH_OK);
    CHECK(th_stat(c, "live_nodes") == 0);
    th_context_release(c);
    test_every_failure(build_all);
    return test_done("ops_grad");
}
