/*
 * compile_api.c -- th_compile from outside: what it refuses and how it says so, what updates do to storage, and that
 * every failing allocation is survived.
 */
#include "graph/graph.h"
#include "plan/plan.h"
#include "runtime/frame/runtime.h"
#include "plan_test.h"

static ThFunction *compile(ThContext *c, ThVar *const *in, int nin, ThVar *const *out, int nout, const ThPair *up,
                           int nup, const char *mode) {
    ThIn ins[4];
    ThOut outs[4];
    memset(ins, 0, sizeof ins);
    memset(outs, 0, sizeof outs);
    for (int i = 0; i < nin; i++) ins[i] = (ThIn){.var = in[i], .allow_downcast = -1};
    for (int o = 0; o < nout; o++) outs[o].var = out[o];
    ThCompile s = {.in = ins,
                   .nin = nin,
                   .out = outs,
                   .nout = nout,
                   .updates = up,
                   .nupdates = nup,
                   .mode = mode,
                   .linker = "interpreter",
                   .allow_input_downcast = -1};
    return th_compile(c, &s);
}

static ThVar *shared(ThContext *c, ThDtype d, double v, const char *name) {
    ThArray *a = th_array_zeros(c, d, 1, (int64_t[]){3});
    for (int i = 0; a && i < 3; i++) {
        if (d == TH_FLOAT64) ((double *)th_array_data(a))[i] = v + i;
        else ((float *)th_array_data(a))[i] = (float)v;
    }
    ThVar *s = a ? th_shared_new(c, a, name, false, 0) : NULL;
    th_array_release(a);
    return s;
}

static void refuses_inputs(ThContext *c) {
    ThVar *x = tensor(c, TH_FLOAT64, 1, 0, "x"), *y = tensor(c, TH_FLOAT64, 1, 0, "y"), *z = th_op(c, "add", 2, x, y);
    ThVar *k = th_constant_float(c, 2), *s = shared(c, TH_FLOAT64, 1, "w");
    CHECK(!compile(c, (ThVar *[]){x, k}, 2, (ThVar *[]){x}, 1, NULL, 0, NULL));
    CHECK_ERROR(c, TH_TypeError, "input at index 1 is the constant");
    CHECK(!compile(c, (ThVar *[]){s}, 1, (ThVar *[]){x}, 1, NULL, 0, NULL));
    CHECK_ERROR(c, TH_TypeError, "givens");
    CHECK(!compile(c, (ThVar *[]){x, y, x}, 3, (ThVar *[]){z}, 1, NULL, 0, NULL));
    CHECK_ERROR(c, TH_UnusedInputError, "index 0 and at index 2");
    CHECK(!compile(c, (ThVar *[]){x, y}, 2, (ThVar *[]){x}, 1, NULL, 0, NULL));
    CHECK_ERROR(c, TH_UnusedInputError,
                "input variable at index 1 is not part of the computational graph needed to compute the outputs: y");
    CHECK(!compile(c, (ThVar *[]){x}, 1, (ThVar *[]){z}, 1, NULL, 0, NULL));
    CHECK_ERROR(c, TH_MissingInputError, "Input 1 of the graph node Elemwise{add,no_inplace} is the variable y");
    CHECK(!compile(c, (ThVar *[]){x, y}, 2, (ThVar *[]){z}, 1, NULL, 0, "FAST_RUM"));
    CHECK_ERROR(c, TH_ValueError, "did you mean 'FAST_RUN'?");
    th_var_release(s);
}

static void refuses_updates(ThContext *c) {
    ThVar *x = tensor(c, TH_FLOAT64, 1, 0, "x"), *w = shared(c, TH_FLOAT32, 1, "w"), *e = th_op(c, "add", 2, w, x);
    CHECK(!compile(c, (ThVar *[]){x}, 1, NULL, 0, &(ThPair){x, e}, 1, NULL));
    CHECK_ERROR(c, TH_TypeError, "must be a shared variable, not x");
    CHECK(!compile(c, (ThVar *[]){x}, 1, NULL, 0, &(ThPair){w, e}, 1, NULL));
    CHECK_ERROR(c, TH_TypeError,
                "shared_var=w, shared_var.type=TensorType(float32, vector), update_val=Elemwise{add,no_inplace}.0");
    ThPair twice[2] = {{w, w}, {w, w}};
    CHECK(!compile(c, NULL, 0, NULL, 0, twice, 2, NULL));
    CHECK_ERROR(c, TH_ValueError, "already has an update");
    th_var_release(w);
}

static ThFunction *with_givens(ThContext *c, ThVar *in, ThVar *out, const ThPair *g, int n) {
    ThIn i = {.var = in, .allow_downcast = -1};
    ThOut o = {.var = out};
    ThCompile s = {.in = &i,
                   .nin = in != NULL,
                   .out = &o,
                   .nout = 1,
                   .givens = g,
                   .ngivens = n,
                   .linker = "py",
                   .allow_input_downcast = -1};
    return th_compile(c, &s);
}

static void givens(ThContext *c) {
    ThVar *x = tensor(c, TH_FLOAT64, 1, 0, "x"), *y = tensor(c, TH_FLOAT64, 1, 0, "y"),
          *f = tensor(c, TH_FLOAT32, 1, 0, "f");
    ThVar *z = th_op(c, "mul", 2, x, x);
    CHECK(!with_givens(c, y, z, &(ThPair){x, f}, 1));
    CHECK_ERROR(c, TH_TypeError, "the types differ");
    CHECK(!with_givens(c, x, z, &(ThPair){x, y}, 1));
    CHECK_ERROR(c, TH_RuntimeError, "an input cannot be replaced");
    ThPair chain[2] = {{x, th_op(c, "neg", 1, y)}, {y, x}};
    CHECK(!with_givens(c, NULL, z, chain, 2));
    CHECK_ERROR(c, TH_RuntimeError, "another replacement");
    ThFunction *fn = with_givens(c, y, z, &(ThPair){x, th_op(c, "neg", 1, y)}, 1);
    double v[2] = {3, 4};
    ThArray *a = array(c, TH_FLOAT64, 1, (int64_t[]){2}, v), *out[1] = {0};
    CHECK(fn && th_call(fn, &a, 1, out) == 0);
    if (out[0]) CHECK(((double *)th_array_data(out[0]))[1] == 16);
    th_array_release(out[0]);
    th_array_release(a);
    th_function_release(fn);
}

static double first(ThVar *s) {
    ThArray *a = th_shared_get(s, true);
    double v = a ? array_item_float(a) : NAN;
    th_array_release(a);
    return v;
}

static const void *storage(ThVar *s) {
    ThArray *a = th_shared_get(s, true);
    const void *p = a ? th_array_data(a) : NULL;
    th_array_release(a);
    return p;
}

/* An optimized update overwrites the storage; all updates read old values. */
static void updates_in_place(ThContext *c) {
    ThVar *w = shared(c, TH_FLOAT64, 1, "w"), *v = shared(c, TH_FLOAT64, 10, "v");
    ThPair up[2] = {{w, th_op(c, "add", 2, w, v)}, {v, th_op(c, "mul", 2, v, v)}};
    ThFunction *f = compile(c, NULL, 0, NULL, 0, up, 2, "FAST_RUN");
    CHECK(f && plan_check(function_plan(f)));
    if (!f) return;
    CHECK(function_plan(f)->nupdate == 0);
    const void *p = storage(w), *q = storage(v);
    CHECK(th_call(f, NULL, 0, NULL) == 0);
    CHECK(storage(w) == p && storage(v) == q);
    CHECK(first(w) == 11 && first(v) == 100);
    th_function_release(f);
    th_var_release(w);
    th_var_release(v);
}

/* A step that fails leaves every shared as it was, whatever stands in the schedule. */
static void failure_changes_nothing(ThContext *c) {
    ThVar *w = shared(c, TH_FLOAT64, 1, "w"), *x = tensor(c, TH_INT64, 1, 0, "x"), *y = tensor(c, TH_INT64, 1, 0, "y");
    ThVar *q = th_op(c, "int_div", 2, x, y);
    ThVar *grow = th_op(c, "add", 2, w, w), *mix = th_op(c, "add", 2, grow, q);
    const char *modes[] = {"FAST_RUN", "FAST_COMPILE", "None"};
    int64_t xs[3] = {6, 7, 8}, zero[3] = {1, 0, 1}, two[3] = {2, 2, 2};
    ThArray *a = array(c, TH_INT64, 1, (int64_t[]){3}, xs), *b = array(c, TH_INT64, 1, (int64_t[]){3}, zero),
            *d = array(c, TH_INT64, 1, (int64_t[]){3}, two);
    double want = 1;
    for (int m = 0; m < 3; m++) {
        ThFunction *f = compile(c, (ThVar *[]){x, y}, 2, (ThVar *[]){q, mix}, 2, &(ThPair){w, grow}, 1, modes[m]);
        ThArray *out[2] = {0};
        CHECK(f && plan_check(function_plan(f)));
        CHECK(f && th_call(f, (ThArray *[]){a, b}, 2, out) != 0);
        CHECK(th_error(c) == TH_ZeroDivisionError);
        th_error_clear(c);
        CHECK(first(w) == want);
        CHECK(f && th_call(f, (ThArray *[]){a, d}, 2, out) == 0);
        want *= 2;
        CHECK(first(w) == want);
        if (out[1]) CHECK(((double *)th_array_data(out[1]))[0] == want + 3);
        th_array_release(out[0]);
        th_array_release(out[1]);
        th_function_release(f);
    }
    th_array_release(a);
    th_array_release(b);
    th_array_release(d);
    th_var_release(w);
}

/* The old value of an updated shared as output is a copy made before the update. */
static void old_value_out(ThContext *c) {
    ThVar *w = shared(c, TH_FLOAT64, 5, "w");
    ThFunction *f = compile(c, NULL, 0, (ThVar *[]){w}, 1, &(ThPair){w, th_op(c, "neg", 1, w)}, 1, "FAST_RUN");
    ThArray *out[1] = {0};
    CHECK(f && th_call(f, NULL, 0, out) == 0);
    CHECK(out[0] && array_item_float(out[0]) == 5 && first(w) == -5);
    th_array_release(out[0]);
    th_function_release(f);
    th_var_release(w);
}

/* One compile and call of a small network with an update; 1 when it went through. */
static int compile_and_call(ThContext *c) {
    ThVar *v[6] = {tensor(c, TH_FLOAT64, 2, 0, "x"), shared(c, TH_FLOAT64, 1, "b")};
    v[2] = th_op(c, "add", 2, v[0], v[1]);
    v[3] = th_op(c, "tanh", 1, v[2]);
    v[4] = v[3] ? build(c, "sum", v[3], 0) : NULL;
    v[5] = th_op(c, "sub", 2, v[1], v[4]);
    ThFunction *f = v[5] ? compile(c, v, 1, &v[3], 1, &(ThPair){v[1], v[5]}, 1, "FAST_RUN") : NULL;
    ThArray *a = th_array_zeros(c, TH_FLOAT64, 2, (int64_t[]){2, 3}), *out[1] = {0};
    int ok = f && a && th_call(f, &a, 1, out) == 0;
    th_array_release(out[0]);
    th_array_release(a);
    th_function_release(f);
    for (int i = 0; i < 6; i++) th_var_release(v[i]);
    return ok;
}

int main(void) {
    ThContext *c = th_context_new(NULL);
    refuses_inputs(c);
    refuses_updates(c);
    givens(c);
    updates_in_place(c);
    failure_changes_nothing(c);
    old_value_out(c);
    if (th_error(c)) fprintf(stderr, "%s\n", th_error_text(c));
    CHECK(th_error(c) == TH_OK);
    th_context_release(c);
    kept_release();
    test_every_failure(compile_and_call);
    return test_done("compile_api");
}
