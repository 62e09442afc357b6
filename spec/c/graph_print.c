/*
 * graph_print.c -- str, debugprint, pp, gradients' shapes and graph text against what Theano 1.0.5 prints.
 */
#include "test.h"

#include "graph/op.h"

/* ---- small helpers: expressions from the table of functions; everything is released at the end of a test ---- */
static ThVar *kept[256];
static int nkept;

static ThVar *keep(ThVar *v) {
    if (v && nkept < 256) kept[nkept++] = v;
    return v;
}

static void release_all(void) {
    while (nkept) th_var_release(kept[--nkept]);
}

static ThArg arg_var(ThVar *v) { return (ThArg){.kind = TH_ARG_VAR, .var = v}; }
static ThArg arg_int(int64_t i) { return (ThArg){.kind = TH_ARG_INT, .i = i}; }
static ThArg arg_float(double f) { return (ThArg){.kind = TH_ARG_FLOAT, .f = f}; }

static ThVar *call(ThContext *c, const char *name, int n, ThArg a, ThArg b) {
    ThArg args[] = {a, b};
    ThVar *out[8] = {0};
    int got = th_build(c, th_func_find(name), args, n, out, 8);
    if (got < 1) {
        test_failures++;
        fprintf(stderr, "%s: %s\n", name, th_error_text(c));
        th_error_clear(c);
        return NULL;
    }
    for (int i = 0; i < got; i++) keep(out[i]);
    return out[0];
}

static ThVar *un(ThContext *c, const char *name, ThVar *x) { return call(c, name, 1, arg_var(x), (ThArg){0}); }
static ThVar *bin(ThContext *c, const char *name, ThVar *x, ThVar *y) {
    return call(c, name, 2, arg_var(x), arg_var(y));
}

static ThVar *input(ThContext *c, const char *name, ThDtype d, int ndim) {
    return keep(th_variable_new(c, (ThType){0, (uint8_t)d, (uint16_t)ndim, 0}, name));
}

static void check_print(ThContext *c, ThVar **v, int n, bool types, const char *want) {
    ThDebugPrint o = {.depth = -1, .print_type = types, .ids = 'C'};
    char *got = th_debugprint(c, v, n, &o);
    CHECK_TEXT(got, want);
    th_free(c, got);
}

static void check_pp(ThContext *c, ThVar *v, const char *want) {
    char *got = th_pp(v);
    CHECK_TEXT(got, want);
    th_free(c, got);
}

static void check_str(ThContext *c, ThVar *v, const char *want) {
    char *got = v ? th_var_str(v) : NULL;
    CHECK_TEXT(got, want);
    th_free(c, got);
}

/* ---- str ---- */
static void test_str(ThContext *c) {
    ThVar *x = input(c, "x", TH_FLOAT64, 2), *v = input(c, NULL, TH_FLOAT64, 1);
    ThVar *y = call(c, "mul", 2, arg_var(x), arg_float(2.0));
    check_str(c, y, "Elemwise{mul,no_inplace}.0");
    char *s = th_apply_op_str(th_var_owner(y));
    CHECK_TEXT(s, "Elemwise{mul,no_inplace}");
    th_free(c, s);
    s = th_apply_str(th_var_owner(y));
    CHECK_TEXT(s, "Elemwise{mul,no_inplace}(x, InplaceDimShuffle{x,x}.0)");
    th_free(c, s);
    ThVar *shuffled = th_apply_input(th_var_owner(y), 1);
    check_str(c, shuffled, "InplaceDimShuffle{x,x}.0");
    check_str(c, th_apply_input(th_var_owner(shuffled), 0), "TensorConstant{2.0}");
    check_str(c, v, "<TensorType(float64, vector)>");
    check_str(c, keep(th_constant_int(c, 2)), "TensorConstant{2}");
    int64_t n20 = 20, n2 = 2;
    ThArray *big = th_array_empty(c, TH_FLOAT64, 1, &n20), *pair = th_array_empty(c, TH_INT64, 1, &n2);
    for (int64_t i = 0; i < 20; i++) th_array_set(big, &i, 'f', (ThValue){.f = (double)i});
    for (int64_t i = 0; i < 2; i++) th_array_set(pair, &i, 'i', (ThValue){.i = i + 1});
    check_str(c, keep(th_constant_new(c, big, "named")), "TensorConstant{[ 0.  1.  ..\n 18. 19.]}");
    check_str(c, keep(th_constant_new(c, pair, NULL)), "TensorConstant{[1 2]}");
    int64_t one = 1, at = 0;
    ThArray *ones = th_array_empty(c, TH_FLOAT64, 1, &one);
    th_array_set(ones, &at, 'f', (ThValue){.f = 1});
    check_str(c, keep(th_constant_new(c, ones, NULL)), "TensorConstant{(1,) of 1.0}");
    check_str(c, keep(th_shared_new(c, big, "s", false, 0)), "s");
    th_array_release(big);
    th_array_release(pair);
    th_array_release(ones);
    static const struct {
        ThType t;
        const char *want;
    } type[] = {{{0, TH_INT32, 2, 1}, "TensorType(int32, row)"},
                {{0, TH_FLOAT64, 0, 0}, "TensorType(float64, scalar)"},
                {{0, TH_FLOAT64, 2, 2}, "TensorType(float64, col)"},
                {{0, TH_FLOAT64, 2, 0}, "TensorType(float64, matrix)"},
                {{0, TH_FLOAT32, 3, 0}, "TensorType(float32, 3D)"},
                {{0, TH_FLOAT32, 1, 1}, "TensorType(float32, (True,))"},
                {{0, TH_FLOAT32, 3, 2}, "TensorType(float32, (False, True, False))"},
                {{1, TH_INT64, 0, 0}, "int64"}};
    for (size_t i = 0; i < sizeof type / sizeof *type; i++) {
        s = th_type_str(c, type[i].t);
        CHECK_TEXT(s, type[i].want);
        th_free(c, s);
    }
    release_all();
}

/* ---- debugprint and pp of graphs that nothing has compiled ---- */
static void test_merge_example(ThContext *c) { /* oracle 03: a graph of the user's is not merged */
    ThVar *x = input(c, "x", TH_FLOAT64, 2), *y = input(c, "y", TH_FLOAT64, 2);
    ThVar *out[] = {call(c, "mul", 2, arg_var(bin(c, "add", x, y)), arg_int(2)),
                    call(c, "mul", 2, arg_var(bin(c, "add", x, y)), arg_int(3))};
    check_print(c, out, 2, false,
                "Elemwise{mul,no_inplace} [id A] ''   \n"
                " |Elemwise{add,no_inplace} [id B] ''   \n"
                " | |x [id C]\n"
                " | |y [id D]\n"
                " |InplaceDimShuffle{x,x} [id E] ''   \n"
                "   |TensorConstant{2} [id F]\n"
                "Elemwise{mul,no_inplace} [id G] ''   \n"
                " |Elemwise{add,no_inplace} [id H] ''   \n"
                " | |x [id C]\n"
                " | |y [id D]\n"
                " |InplaceDimShuffle{x,x} [id I] ''   \n"
                "   |TensorConstant{3} [id J]\n");
    check_pp(c, out[0], "((x + y) * TensorConstant{2})");
    check_print(c, out, 1, true,
                "Elemwise{mul,no_inplace} [id A] <TensorType(float64, matrix)> ''   \n"
                " |Elemwise{add,no_inplace} [id B] <TensorType(float64, matrix)> ''   \n"
                " | |x [id C] <TensorType(float64, matrix)>\n"
                " | |y [id D] <TensorType(float64, matrix)>\n"
                " |InplaceDimShuffle{x,x} [id E] <TensorType(int8, (True, True))> ''   \n"
                "   |TensorConstant{2} [id F] <TensorType(int8, scalar)>\n");
    release_all();
}

static void test_grad_sum_sqr(ThContext *c) { /* oracle 05 */
    ThVar *a = input(c, "a", TH_FLOAT64, 1), *cost = un(c, "sum", un(c, "sqr", a)), *g = NULL;
    CHECK(th_grad(c, cost, &a, 1, NULL, &g) == 0);
    keep(g);
    check_print(c, &g, 1, false,
                "Elemwise{mul} [id A] ''   \n"
                " |Elemwise{mul} [id B] ''   \n"
                " | |Elemwise{second} [id C] ''   \n"
                " | | |Elemwise{sqr,no_inplace} [id D] ''   \n"
                " | | | |a [id E]\n"
                " | | |InplaceDimShuffle{x} [id F] ''   \n"
                " | |   |Elemwise{second,no_inplace} [id G] ''   \n"
                " | |     |Sum{acc_dtype=float64} [id H] ''   \n"
                " | |     | |Elemwise{sqr,no_inplace} [id D] ''   \n"
                " | |     |TensorConstant{1.0} [id I]\n"
                " | |a [id E]\n"
                " |InplaceDimShuffle{x} [id J] ''   \n"
                "   |TensorConstant{2} [id K]\n");
    check_pp(c, g,
             "((fill(sqr(a), fill(Sum{acc_dtype=float64}(sqr(a)), TensorConstant{1.0})) * a) * TensorConstant{2})");
    release_all();
}

/* oracle 10 without its function: one constant 1 for all, shared parts print once */
static void test_logistic(ThContext *c) {
    ThVar *x = input(c, "x", TH_FLOAT64, 2), *y = input(c, "y", TH_FLOAT64, 1), *w = input(c, "w", TH_FLOAT64, 1);
    ThVar *b = input(c, "b", TH_FLOAT64, 0);
    ThVar *e = un(c, "exp", bin(c, "sub", un(c, "neg", bin(c, "dot", x, w)), b));
    ThVar *p = call(c, "true_div", 2, arg_int(1), arg_var(call(c, "add", 2, arg_int(1), arg_var(e))));
    ThVar *left = bin(c, "mul", un(c, "neg", y), un(c, "log", p));
    ThVar *right = bin(c, "mul", call(c, "sub", 2, arg_int(1), arg_var(y)),
                       un(c, "log", call(c, "sub", 2, arg_int(1), arg_var(p))));
    ThVar *out[] = {call(c, "gt", 2, arg_var(p), arg_float(0.5)), bin(c, "sub", left, right)};
    check_print(c, out, 2, false,
                "Elemwise{gt,no_inplace} [id A] ''   \n"
                " |Elemwise{true_div,no_inplace} [id B] ''   \n"
                " | |InplaceDimShuffle{x} [id C] ''   \n"
                " | | |TensorConstant{1} [id D]\n"
                " | |Elemwise{add,no_inplace} [id E] ''   \n"
                " |   |InplaceDimShuffle{x} [id F] ''   \n"
                " |   | |TensorConstant{1} [id D]\n"
                " |   |Elemwise{exp,no_inplace} [id G] ''   \n"
                " |     |Elemwise{sub,no_inplace} [id H] ''   \n"
                " |       |Elemwise{neg,no_inplace} [id I] ''   \n"
                " |       | |dot [id J] ''   \n"
                " |       |   |x [id K]\n"
                " |       |   |w [id L]\n"
                " |       |InplaceDimShuffle{x} [id M] ''   \n"
                " |         |b [id N]\n"
                " |InplaceDimShuffle{x} [id O] ''   \n"
                "   |TensorConstant{0.5} [id P]\n"
                "Elemwise{sub,no_inplace} [id Q] ''   \n"
                " |Elemwise{mul,no_inplace} [id R] ''   \n"
                " | |Elemwise{neg,no_inplace} [id S] ''   \n"
                " | | |y [id T]\n"
                " | |Elemwise{log,no_inplace} [id U] ''   \n"
                " |   |Elemwise{true_div,no_inplace} [id B] ''   \n"
                " |Elemwise{mul,no_inplace} [id V] ''   \n"
                "   |Elemwise{sub,no_inplace} [id W] ''   \n"
                "   | |InplaceDimShuffle{x} [id X] ''   \n"
                "   | | |TensorConstant{1} [id D]\n"
                "   | |y [id T]\n"
                "   |Elemwise{log,no_inplace} [id Y] ''   \n"
                "     |Elemwise{sub,no_inplace} [id Z] ''   \n"
                "       |InplaceDimShuffle{x} [id BA] ''   \n"
                "       | |TensorConstant{1} [id D]\n"
                "       |Elemwise{true_div,no_inplace} [id B] ''   \n");
    check_pp(c, out[0],
             "gt((TensorConstant{1} / (TensorConstant{1} + exp(((-(x \\dot w)) - b)))), TensorConstant{0.5})");
    release_all();
}

static void test_options(ThContext *c) {
    ThVar *x = input(c, "x", TH_FLOAT64, 0), *y = un(c, "exp", x), *z = un(c, "sin", y);
    CHECK(th_var_set_name(y, "y") == 0);
    ThDebugPrint o = {.depth = 2, .ids = 'i'};
    char *s = th_debugprint(c, &z, 1, &o);
    CHECK_TEXT(s, "Elemwise{sin,no_inplace} [id 0] ''   \n |Elemwise{exp,no_inplace} [id 1] 'y'   \n");
    th_free(c, s);
    o = (ThDebugPrint){.depth = -1, .stop_on_name = true, .ids = 0};
    s = th_debugprint(c, &z, 1, &o);
    CHECK_TEXT(s, "Elemwise{sin,no_inplace}  ''   \n |Elemwise{exp,no_inplace}  'y'   \n");
    th_free(c, s);
    for (int i = 0; i < 40; i++) z = bin(c, "add", z, z); /* 2^40 paths: pp must stop */
    o = (ThDebugPrint){.depth = -1, .ids = 'C', .max_bytes = 200};
    s = th_debugprint(c, &z, 1, &o);
    CHECK(s && strstr(s, "... cut after 200 bytes"));
    th_free(c, s);
    s = th_pp(z);
    CHECK(s && strstr(s, "... cut after 8388608 bytes"));
    th_free(c, s);
    th_var_set_name(x, "alpha");
    check_pp(c, y, "exp(\\alpha)");
    release_all();
}

/* ---- graph text ---- */
static void check_round_trip(ThContext *c, ThVar **out, int n) {
    char *first = th_graph_text(c, out, n);
    ThVar **in = NULL, **back = NULL;
    int nin = 0, nback = 0;
    CHECK(first && th_graph_read(c, first, &in, &nin, &back, &nback) == 0);
    if (th_error(c)) fprintf(stderr, "%s\n%s\n", th_error_text(c), first);
    CHECK(nback == n);
    char *second = back ? th_graph_text(c, back, nback) : NULL;
    CHECK_TEXT(second, first ? first : "");
    th_free(c, first);
    th_free(c, second);
    for (int i = 0; i < nin; i++) th_var_release(in[i]);
    for (int i = 0; i < nback; i++) th_var_release(back[i]);
    th_free(c, in);
    th_free(c, back);
}

static void test_graph_text(ThContext *c) {
    ThVar *x = input(c, "x", TH_FLOAT64, 2), *odd = input(c, "a \"b\"", TH_FLOAT32, 1);
    ThVar *y = un(c, "sum", call(c, "mul", 2, arg_var(x), arg_float(0.1))), *g = NULL;
    th_var_set_name(y, "cost");
    char *s = th_graph_text(c, &y, 1);
    CHECK_TEXT(s, "x: float64[?,?]\n"
                  "%0: const float64[] 0.1\n"
                  "%1 = DimShuffle{order=[-1, -1]}(%0)\n"
                  "%2 = Elemwise{mul}(x, %1)\n"
                  "%3 = Sum{dtype=float64, acc_dtype=float64}(%2) \"cost\"\n"
                  "out %3\n");
    th_free(c, s);
    check_round_trip(c, &y, 1);
    CHECK(th_grad(c, y, &x, 1, NULL, &g) == 0);
    keep(g);
    check_round_trip(c, &g, 1);
    int64_t shape[] = {1, 3};
    ThArray *a = th_array_zeros(c, TH_COMPLEX128, 2, shape);
    ThVar *out[] = {un(c, "exp", odd), keep(th_constant_new(c, a, "weird name")),
                    keep(th_shared_new(c, a, "w", false, 1)), un(c, "sin", input(c, "out", TH_FLOAT64, 0)),
                    call(c, "cast", 2, arg_var(x), (ThArg){.kind = TH_ARG_STR, .s = "bool"})};
    th_array_release(a);
    check_round_trip(c, out, 5);
    ThVar **in, **back;
    int nin, nback;
    CHECK(th_graph_read(c, "x: float64[?]\ny = Nothing(x)\n", &in, &nin, &back, &nback) != 0);
    CHECK_ERROR(c, TH_ValueError, "line 2: no such operation");
    CHECK(th_graph_read(c, "x: float64[?]\nout y\n", &in, &nin, &back, &nback) != 0);
    CHECK_ERROR(c, TH_ValueError, "line 2");
    CHECK(th_graph_read(c, "x: float63[?]\n", &in, &nin, &back, &nback) != 0);
    CHECK_ERROR(c, TH_ValueError, "float63");
    release_all();
}

static int make_and_print(ThContext *c) {
    ThVar *x = th_variable_new(c, (ThType){0, TH_FLOAT64, 2, 0}, "x");
    ThVar *e = x ? th_op(c, "exp", 1, x) : NULL, *s = e ? th_op(c, "sum", 1, e) : NULL, *g = NULL;
    int ok = s && th_grad(c, s, &x, 1, NULL, &g) == 0;
    char *text = ok ? th_graph_text(c, &g, 1) : NULL, *dp = text ? th_debugprint(c, &g, 1, NULL) : NULL;
    char *p = dp ? th_pp(g) : NULL;
    ThVar **in = NULL, **out = NULL;
    int nin = 0, nout = 0;
    ok = p && th_graph_read(c, text, &in, &nin, &out, &nout) == 0;
    for (int i = 0; i < nin; i++) th_var_release(in[i]);
    for (int i = 0; i < nout; i++) th_var_release(out[i]);
    th_free(c, in);
    th_free(c, out);
    th_free(c, text);
    th_free(c, dp);
    th_free(c, p);
    th_var_release(g);
    th_var_release(s);
    th_var_release(e);
    th_var_release(x);
    return ok;
}

int main(void) {
    ThHost host = test_failing_host(0);
    ThContext *c = th_context_new(&host);
    test_str(c);
    test_merge_example(c);
    test_grad_sum_sqr(c);
    test_logistic(c);
    test_options(c);
    test_graph_text(c);
    CHECK(th_error(c) == TH_OK);
    CHECK(th_stat(c, "live_nodes") == 0);
    th_context_release(c);
    CHECK(test_leaked() == 0);
    test_every_failure(make_and_print);
    return test_done("graph_print");
}
