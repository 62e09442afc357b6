/*
 * user_op.c -- operations of the host through theano.h: callbacks and graphs, gradients, errors that change nothing,
 * and every failing allocation.
 */
#include "test.h"

static int perform(void *user, ThContext *c, ThArray *const *in, int nin, const ThType *types, ThArray **out,
                   int nout) {
    int *calls = user;
    (void)types;
    CHECK(nin == 1 && nout == 1);
    if (calls) ++*calls;
    ThArray *r = th_array_copy(in[0]);
    double *v = r ? th_array_data(r) : NULL;
    for (int64_t i = 0; r && i < th_array_size(r); i++) {
        if (v[i] < 0) {
            th_array_release(r);
            return th_fail(c, TH_ValueError, "Square: a negative number");
        }
        v[i] *= v[i];
    }
    out[0] = r;
    return r ? 0 : -1;
}

static int infer_shape(void *user, ThContext *c, ThVar *const *in, ThVar *const *in_shape, int nin, ThVar **out,
                       int nout) {
    (void)user, (void)c, (void)in, (void)nin, (void)nout;
    out[0] = th_var_retain(in_shape[0]);
    return 0;
}

static int grad(void *user, ThContext *c, ThVar *const *in, int nin, ThVar *const *out, int nout, ThVar *const *gz,
                ThVar **gx) {
    (void)user, (void)nin, (void)out, (void)nout;
    gx[0] = th_expr(c, "g * 2 * x", (const char *[]){"g", "x"}, (ThVar *[]){gz[0], in[0]}, 2);
    return gx[0] ? 0 : -1;
}

static int released;
static void release(void *user) {
    (void)user;
    released++;
}

static const ThType vector = {.dtype = TH_FLOAT64, .ndim = 1};

/* y = Square(x) and d sum(y) / dx, with an update of `state` (NULL: none) by y. */
static ThFunction *square(ThContext *c, ThVar *x, ThVar *state) {
    ThApply *a = th_op_apply(c, "Square", &x, 1, &vector, 1);
    ThVar *y = a ? th_apply_output(a, 0) : NULL, *cost = th_op(c, "sum", 1, y), *slope = NULL;
    ThVar *next = state ? th_op(c, "add", 2, state, y) : NULL;
    ThFunction *f = NULL;
    if (cost && !th_grad(c, cost, &x, 1, NULL, &slope) && (!state || next))
        f = th_compile(c, &(ThCompile){.in = &(ThIn){.var = x, .allow_downcast = -1},
                                       .nin = 1,
                                       .out = (ThOut[]){{.var = y}, {.var = slope}},
                                       .nout = 2,
                                       .updates = state ? &(ThPair){state, next} : NULL,
                                       .nupdates = state != NULL,
                                       .linker = "interpreter",
                                       .allow_input_downcast = -1});
    th_var_release(slope);
    th_var_release(next);
    th_var_release(cost);
    if (a) th_apply_release(a);
    return f;
}

static ThArray *two(ThContext *c, double a, double b) {
    ThArray *r = th_array_empty(c, TH_FLOAT64, 1, (int64_t[]){2});
    if (r) memcpy(th_array_data(r), (double[]){a, b}, 2 * sizeof a);
    return r;
}

static int call(ThFunction *f, ThArray *arg, const double *want) {
    ThArray *out[2] = {NULL, NULL};
    if (!arg || th_call(f, &arg, 1, out)) return 0;
    for (int i = 0; i < 2; i++) {
        const double *v = th_array_data(out[i]);
        CHECK(v[0] == want[2 * i] && v[1] == want[2 * i + 1]);
        th_array_release(out[i]);
    }
    return 1;
}

/* The whole way once, with shapes told or not. */
static int body_of(ThContext *c, int told) {
    ThOpDef def = {.name = "Square", .perform = perform, .grad = grad, .infer_shape = told ? infer_shape : NULL};
    if (th_op_define(c, "Square", &def)) return 0;
    ThVar *x = th_variable_new(c, vector, "x");
    ThFunction *f = x ? square(c, x, NULL) : NULL;
    ThArray *arg = f ? two(c, 2, 3) : NULL;
    int ok = f && call(f, arg, (double[]){4, 9, 4, 6});
    th_array_release(arg);
    th_function_release(f);
    th_var_release(x);
    return ok;
}

static int body_told(ThContext *c) { return body_of(c, 1); }
static int body_untold(ThContext *c) { return body_of(c, 0); }

static void check_errors(void) {
    int calls = 0;
    ThContext *c = th_context_new(NULL);
    ThOpDef def = {.name = "Square",
                   .perform = perform,
                   .grad = grad,
                   .infer_shape = infer_shape,
                   .user = &calls,
                   .release = release};
    CHECK(!th_op_defined(c, "Square"));
    CHECK(!th_op_define(c, "Square", &def));
    CHECK(th_op_defined(c, "Square"));
    CHECK(!th_op_define(c, "Square", &def)); /* the first stays */
    CHECK(released == 1);
    ThArray *zero = two(c, 0, 0), *bad = two(c, 1, -1), *good = two(c, 1, 5), *out[2] = {NULL, NULL};
    ThVar *state = th_shared_new(c, zero, "state", false, 0), *x = th_variable_new(c, vector, "x");
    ThFunction *f = square(c, x, state);
    CHECK(f != NULL);
    CHECK(th_call(f, &bad, 1, out) != 0 && !out[0] && !out[1]);
    CHECK(strstr(th_error_text(c), "Apply node that caused the error: Square(x") != NULL);
    CHECK_ERROR(c, TH_ValueError, "Square: a negative number");
    ThArray *now = th_shared_get(state, false);
    CHECK(th_array_equal(now, zero)); /* no update happened */
    th_array_release(now);
    CHECK(call(f, good, (double[]){1, 25, 2, 10}));
    now = th_shared_get(state, false);
    CHECK(((const double *)th_array_data(now))[1] == 25);
    CHECK(calls == 2);
    CHECK(!th_op_apply(c, "Cube", &x, 1, &vector, 1));
    CHECK_ERROR(c, TH_KeyError, "Cube");
    ThArray *arrays[] = {now, zero, bad, good};
    for (int i = 0; i < 4; i++) th_array_release(arrays[i]);
    th_function_release(f);
    th_var_release(x);
    th_var_release(state);
    th_context_release(c);
    CHECK(released == 2);
}

/* A graph as an operation needs no callback, not even for its gradient. */
static int body_graph(ThContext *c) {
    ThVar *a = th_variable_new(c, vector, "a"), *aa = th_op(c, "sqr", 1, a);
    ThOpDef def = {.name = "Square", .graph_in = &a, .ngraph_in = 1, .graph_out = &aa, .ngraph_out = 1};
    ThVar *x = aa && !th_op_define(c, "Square", &def) ? th_variable_new(c, vector, "x") : NULL;
    ThFunction *f = x ? square(c, x, NULL) : NULL;
    ThArray *arg = f ? two(c, 2, -3) : NULL;
    int ok = f && call(f, arg, (double[]){4, 9, 4, -6});
    th_array_release(arg);
    th_function_release(f);
    ThVar *vars[] = {x, aa, a};
    for (int i = 0; i < 3; i++) th_var_release(vars[i]);
    th_op_forget(c, "Square"); /* its graph holds the context */
    CHECK(!ok || !th_op_defined(c, "Square"));
    return ok;
}

int main(void) {
    check_errors();
    test_every_failure(body_told);
    test_every_failure(body_untold);
    test_every_failure(body_graph);
    return test_done("user_op");
}
