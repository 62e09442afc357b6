/*
 * graph_grad.c -- Theano's gradient rules: seeds, order of terms, integers, disconnected and undefined, known
 * gradients.
 */
#include "test.h"

#include "graph/op.h"

static Builder b; /* one for a test: all its nodes go with it */

static ThVar *in(const char *name, ThDtype d, int ndim) { return var_new(&b, type_tensor(d, ndim, 0), name); }

static ThVar *on(const char *name, ThVar *x, ThVar *y) {
    ThVar *args[] = {x, y};
    return elemwise_make(&b, scalar_find(name), args, y ? 2 : 1);
}

static ThVar *grad1(ThVar *cost, ThVar *wrt, const ThGradOptions *o) {
    ThVar *g = NULL;
    int bad = th_grad(b.ctx, cost, &wrt, 1, o, &g);
    CHECK((bad == 0) == (g != NULL || (o && o->disconnected == 'n' && !th_error(b.ctx))));
    if (g) (void)!vec_push(b.ctx, &b.pool, g);
    return g;
}

static void check_pp(ThVar *v, const char *want) {
    char *s = v ? th_pp(v) : NULL;
    if (!s) fprintf(stderr, "%s\n", th_error_text(b.ctx));
    CHECK_TEXT(s, want);
    th_free(b.ctx, s);
}

static void test_terms(void) {
    ThVar *x = in("x", TH_FLOAT64, 0), *y = in("y", TH_FLOAT64, 0);
    check_pp(grad1(x, x, NULL), "fill(x, TensorConstant{1.0})"); /* the seed itself */
    ThVar *p = on("sin", x, NULL), *q = on("exp", x, NULL), *cost = on("add", p, on("mul", q, y));
    ThVar *g = grad1(cost, x, NULL);
    /* sin was met before exp, so its term stands first; the sum is `+` and prints as a user's node */
    check_pp(g, "((fill((sin(x) + (exp(x) * y)), TensorConstant{1.0}) * cos(x)) + "
                "((fill((sin(x) + (exp(x) * y)), TensorConstant{1.0}) * y) * exp(x)))");
    char *s = th_apply_op_str(g->owner);
    CHECK_TEXT(s, "Elemwise{add,no_inplace}");
    th_free(b.ctx, s);
    s = th_apply_op_str(g->owner->in[0]->owner);
    CHECK_TEXT(s, "Elemwise{mul}"); /* made by an Elemwise's own gradient */
    th_free(b.ctx, s);
    ThVar *twice = on("mul", x, x);
    check_pp(grad1(twice, x, NULL),
             "((fill((x * x), TensorConstant{1.0}) * x) + (fill((x * x), TensorConstant{1.0}) * x))");
}

static void test_dtypes(void) {
    ThVar *f = in("f", TH_FLOAT32, 0), *d = in("d", TH_FLOAT64, 0), *i = in("i", TH_INT32, 0);
    ThVar *cost = on("mul", f, d); /* float64 */
    ThVar *g = grad1(cost, f, NULL);
    CHECK(g && g->type.dtype == TH_FLOAT64); /* what the last operation gives is not cast, as in Theano */
    g = grad1(on("mul", on("sin", f, NULL), d), f, NULL);
    CHECK(g && g->type.dtype == TH_FLOAT32); /* but what reaches an operation has its output's dtype */
    g = grad1(on("mul", i, d), i, NULL);
    CHECK(g && g->type.dtype == TH_FLOAT64); /* never an integer gradient */
    g = grad1(i, i, NULL);
    CHECK(g && g->type.dtype == TH_FLOAT64); /* floatX seed of an integer cost */
    g = grad1(on("mul", d, on("gt", f, d)), f, NULL);
    CHECK(g && g->type.dtype == TH_FLOAT32); /* comparisons are connected, with real zeros */
    CHECK(th_error(b.ctx) == TH_OK);
}

static void test_names(void) {
    ThVar *x = in("x", TH_FLOAT64, 0), *y = on("exp", x, NULL), *cost = on("sin", y, NULL);
    th_var_set_name(cost, "cost");
    th_var_set_name(y, "y");
    ThVar *g = grad1(cost, x, NULL);
    CHECK_TEXT(th_var_name(g), "(dcost/dx)");
    ThVar *gy = NULL;
    for (int k = 0; k < 2; k++) gy = g->owner->in[k]->name && g->owner->in[k] != y ? g->owner->in[k] : gy;
    CHECK_TEXT(gy ? th_var_name(gy) : "", "(dcost/dy)"); /* those on the way are named too */
    ThGradOptions o = {.no_names = true};
    CHECK(th_var_name(grad1(cost, x, &o)) == NULL);
}

static void test_disconnected(ThContext *c) {
    th_set_line(c, "net.lua", 9);
    b.prov = c->prov;
    ThVar *x = in("x", TH_FLOAT64, 1), *z = in("z", TH_INT8, 1), *s = in("s", TH_FLOAT64, 0);
    ThVar *cost = on("exp", s, NULL);
    CHECK(grad1(cost, x, NULL) == NULL);
    CHECK_ERROR(c, TH_DisconnectedInputError, "non-differentiable operator: x (made at net.lua:9)");
    ThGradOptions o = {.disconnected_inputs = TH_IGNORE};
    check_pp(grad1(cost, x, &o), "fill(x, TensorConstant{0.0})");
    ThVar *g = grad1(cost, z, &o);
    CHECK(g && g->type.dtype == TH_FLOAT64 && g->type.ndim == 1);
    o.disconnected = 'n';
    CHECK(grad1(cost, x, &o) == NULL && th_error(c) == TH_OK);
    o.disconnected = 'd';
    g = grad1(cost, x, &o);
    CHECK(g && g->type.kind == TYPE_DISCONNECTED);
    o = (ThGradOptions){.disconnected_inputs = TH_WARN};
    CHECK(grad1(cost, x, &o) != NULL);
    ThVar *fill = second_make(&b, s, const_float(&b, 2.0, TH_FLOAT64)); /* only the shape of s is read */
    CHECK(grad1(fill, s, NULL) == NULL);
    CHECK_ERROR(c, TH_DisconnectedInputError, "s (made at");
    th_set_line(c, NULL, 0);
}

static void test_errors(ThContext *c) {
    ThVar *v = in("v", TH_FLOAT64, 1), *s = in("s", TH_FLOAT64, 0);
    CHECK(grad1(on("exp", v, NULL), v, NULL) == NULL);
    CHECK_ERROR(c, TH_TypeError, "cost must be a scalar: Elemwise{exp,no_inplace}.0 is a TensorType(float64, vector)");
    CHECK(grad1(NULL, s, NULL) == NULL);
    CHECK_ERROR(c, TH_AssertionError, "cost or known_grads");
    ThVar *cost = on("exp", s, NULL), *ints = in("i", TH_INT64, 0);
    ThGradOptions o = {.known = &s, .known_grad = &ints, .nknown = 1};
    CHECK(grad1(cost, s, &o) == NULL);
    CHECK_ERROR(c, TH_TypeError, "undefined or continuous");
}

static void test_known(void) {
    ThVar *x = in("x", TH_FLOAT64, 1), *y = on("sin", x, NULL), *z = on("exp", y, NULL), *gy = in("gy", TH_FLOAT64, 1);
    ThGradOptions o = {.known = &y, .known_grad = &gy, .nknown = 1};
    check_pp(grad1(NULL, x, &o), "(gy * cos(x))");
    ThGradOptions two = {.known = (ThVar *[]){y, z}, .known_grad = (ThVar *[]){gy, gy}, .nknown = 2};
    check_pp(grad1(NULL, x, &two), "(gy * cos(x))"); /* what is known at y replaces what comes from z */
    ThVar *s = in("s", TH_FLOAT64, 0), *e = on("exp", s, NULL), *cost = on("mul", e, s);
    ThGradOptions hold = {.consider_constant = &e, .nconsider = 1};
    check_pp(grad1(cost, s, &hold), "(fill((exp(s) * s), TensorConstant{1.0}) * exp(s))");
}

/* An operation without a gradient, to see undefined ones travel. */
static bool infer_same(Infer *q) { return q->out[0] = q->in[0]->type, true; }
static const Op op_nograd = {.name = "NoGrad", .nin = 1, .nout = 1, .infer = infer_same};

static void test_undefined(ThContext *c) {
    ThVar *x = in("x", TH_FLOAT64, 0), *y = apply1(&b, &op_nograd, NULL, &x, 1);
    ThVar *cost = on("add", on("exp", y, NULL), on("sin", x, NULL));
    CHECK(grad1(cost, x, NULL) == NULL); /* undefined poisons the sum */
    CHECK_ERROR(c, TH_NullTypeGradError, "the gradient of NoGrad with respect to its input 0 is not defined");
    ThGradOptions o = {.null_return = true};
    ThVar *g = grad1(cost, x, &o);
    CHECK(g && g->type.kind == TYPE_NULL);
    ThVar *far = on("exp", x, NULL), *cost2 = on("mul", apply1(&b, &op_nograd, NULL, &far, 1), x);
    CHECK(grad1(cost2, x, NULL) == NULL); /* also through what was made before it */
    CHECK_ERROR(c, TH_NullTypeGradError, "not defined");
    CHECK(grad1(g, x, NULL) == NULL);
    CHECK_ERROR(c, TH_ValueError, "the cost is not defined");
}

static int second_derivative(ThContext *c) {
    ThVar *x = th_variable_new(c, (ThType){0, TH_FLOAT64, 0, 0}, "x"), *y = x ? th_op(c, "tanh", 1, x) : NULL;
    ThVar *g = NULL, *h = NULL;
    int ok = y && th_grad(c, y, &x, 1, NULL, &g) == 0 && th_grad(c, g, &x, 1, NULL, &h) == 0;
    th_var_release(h);
    th_var_release(g);
    th_var_release(y);
    th_var_release(x);
    return ok;
}

int main(void) {
    ThHost host = test_failing_host(0);
    ThContext *c = th_context_new(&host);
    builder_begin(&b, c);
    test_terms();
    test_dtypes();
    test_names();
    test_disconnected(c);
    test_errors(c);
    test_known();
    test_undefined(c);
    builder_end(&b);
    CHECK(th_error(c) == TH_OK);
    CHECK(th_stat(c, "live_nodes") == 0);
    th_context_release(c);
    CHECK(test_leaked() == 0);
    test_every_failure(second_derivative);
    return test_done("graph_grad");
}
