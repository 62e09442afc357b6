/*
 * alloc_failures.c -- every allocation of building, compiling, calling, saving and loading fails once, for a function
 * of each kind of kernel: MemoryError, nothing left over, nothing that ends the process. build/spec/alloc_failures
 * [all]: the later ones of each kind are a sample, or all of them.
 */
#include "test.h"

#include <time.h>

static ThArray *numbers(ThContext *c, ThDtype d, int ndim, const int64_t *shape) {
    ThArray *a = th_array_zeros(c, d, ndim, shape);
    for (int64_t i = 0; a && d == TH_FLOAT64 && i < th_array_size(a); i++)
        ((double *)th_array_data(a))[i] = (double)((uint64_t)(i + 1) * 0x9e3779b97f4a7c15ull >> 40) / 0x1p23 - 1;
    return a;
}

/* Variables that are given back at the end, whatever was made of them. */
enum { MOST = 32 };
typedef struct Vars {
    ThContext *c;
    ThVar *at[MOST];
    int n;
} Vars;

static ThVar *keep(Vars *v, ThVar *x) { return v->at[v->n++] = x; }
static ThVar *op1(Vars *v, const char *name, ThVar *x) { return keep(v, th_op(v->c, name, 1, x)); }
static ThVar *op2(Vars *v, const char *name, ThVar *x, ThVar *y) { return keep(v, th_op(v->c, name, 2, x, y)); }

/* The turns of a loop: s * 0.5 + a row of x, from its first row on. */
static ThVar *loop(Vars *v, ThVar *x) {
    const ThType row = {.dtype = TH_FLOAT64, .ndim = 1};
    static const int tap[1] = {-1}, *const taps[1] = {tap}, ntap[1] = {1};
    ThVar *in = keep(v, th_variable_new(v->c, row, NULL)), *state = keep(v, th_variable_new(v->c, row, NULL));
    ThVar *half = keep(v, th_constant_float(v->c, 0.5)), *next = op2(v, "add", op2(v, "mul", state, half), in);
    ThVar *steps = keep(v, th_constant_int(v->c, 5)), *start = NULL, *out = NULL;
    const ThArg sum[3] = {{.kind = TH_ARG_VAR, .var = x},
                          {.kind = TH_ARG_INT, .key = "axis", .i = 0},
                          {.kind = TH_ARG_BOOL, .key = "keepdims", .b = true}};
    if (th_build(v->c, th_func_find("sum"), sum, 3, &start, 1) < 0) return NULL;
    ThVar *first = keep(v, th_scan_state(v->c, keep(v, start), 1, steps));
    const ThScan s = {.steps = steps,
                      .nseq = 1,
                      .seq = &x,
                      .seq_in = &in,
                      .nstate = 1,
                      .state = &first,
                      .tap_in = &state,
                      .state_out = &next,
                      .tap = taps,
                      .ntap = ntap,
                      .truncate = -1};
    if (!first || th_scan(v->c, &s, &out) < 0) return NULL;
    return keep(v, out);
}

static ThVar *made(Vars *v, int kind, ThVar *x, ThVar *y) {
    switch (kind) {
    case 0: return op1(v, "tanh", op2(v, "dot", x, y));
    case 1: return op1(v, "nnet.softmax", op2(v, "add", x, y));
    case 2: return op2(v, "slinalg.solve", op2(v, "add", op2(v, "dot", x, y), y), y);
    case 3: return op1(v, "cumsum", op1(v, "exp", x));
    case 4: return op2(v, "nnet.conv2d", x, y);
    case 5: return op1(v, "sort", op2(v, "mul", x, y));
    default: return loop(v, x);
    }
}
enum { KINDS = 7 };

static int kind;
static int body(ThContext *c) {
    const int ndim = kind == 4 ? 4 : 2;
    const int64_t flat[2] = {6, 6}, image[4] = {1, 2, 6, 6}, filter[4] = {2, 2, 3, 3};
    const ThType t = {.dtype = TH_FLOAT64, .ndim = (uint16_t)ndim};
    Vars v = {.c = c};
    th_config_set(c, "linker", "py");
    ThVar *x = keep(&v, th_variable_new(c, t, "x")), *y = keep(&v, th_variable_new(c, t, "y"));
    ThVar *z = made(&v, kind, x, y), *total = z ? op1(&v, "sum", z) : NULL, *slope = NULL;
    bool smooth = kind != 5;
    if (total && smooth && kind != 2 && !th_grad(c, total, &x, 1, NULL, &slope)) keep(&v, slope);
    ThArray *zero = numbers(c, TH_FLOAT64, 0, NULL), *arg[2] = {NULL, NULL}, *out[2] = {NULL, NULL};
    ThVar *n = zero ? keep(&v, th_shared_new(c, zero, "n", false, 0)) : NULL;
    ThVar *next = n && total ? op2(&v, "add", n, total) : NULL;
    const ThIn in[2] = {{.var = x, .allow_downcast = -1}, {.var = y, .allow_downcast = -1}};
    const ThOut outs[2] = {{.var = z}, {.var = slope ? slope : z}};
    const ThPair update = {n, next};
    const ThCompile spec = {.in = in,
                            .nin = 2,
                            .out = outs,
                            .nout = 2,
                            .updates = &update,
                            .nupdates = 1,
                            .allow_input_downcast = -1,
                            .on_unused_input = "ignore"};
    ThFunction *f = next && !th_error(c) ? th_compile(c, &spec) : NULL, *g = NULL;
    arg[0] = numbers(c, TH_FLOAT64, ndim, ndim == 4 ? image : flat);
    arg[1] = numbers(c, TH_FLOAT64, ndim, ndim == 4 ? filter : flat);
    void *bytes = NULL;
    size_t size = 0;
    bool ok = f && arg[0] && arg[1] && !th_call(f, arg, 2, out);
    ok = ok && !th_function_save(f, "note", &bytes, &size) && (g = th_load(c, bytes, size, NULL, NULL));
    for (int i = 0; i < 2; i++) th_array_release(out[i]), out[i] = NULL;
    ok = ok && !th_call(g, arg, 2, out);
    const ThArg args[2] = {{.kind = TH_ARG_ARRAY, .array = arg[0]}, {.kind = TH_ARG_ARRAY, .array = arg[1]}};
    ThCall *b = ok ? th_call_new(f, args, 2) : NULL;
    ok = ok && b && th_workspace_bytes(b) >= 0 && !th_call_run(b);
    if (b && !ok && th_call_error(b) && !th_error(c)) th_fail(c, th_call_error(b), th_call_error_text(b));
    th_call_release(b);
    th_free(c, bytes);
    for (int i = 0; i < 2; i++) th_array_release(out[i]), th_array_release(arg[i]);
    th_array_release(zero);
    th_function_release(f), th_function_release(g);
    while (v.n) th_var_release(v.at[--v.n]);
    return ok;
}

/* With the n-th allocation failing, and all later ones where `rest`; whether it was reached. */
static bool failing(long n, int rest) {
    ThHost host = test_failing_host(n);
    test_heap.from_there_on = rest;
    ThContext *c = th_context_new(&host);
    int ok = 0;
    if (c) {
        ok = body(c);
        CHECK(th_error(c) == (ok ? TH_OK : TH_MemoryError));
        if (!ok && th_error(c) != TH_MemoryError)
            fprintf(stderr, "  kind %d, allocation %ld: %s\n", kind, n, th_error_text(c));
        CHECK(ok || test_heap.failed);
        test_heap.fail_at = 0;
        th_context_release(c);
    }
    if (test_leaked()) fprintf(stderr, "  kind %d, allocation %ld: %lld bytes are left\n", kind, n, test_leaked());
    CHECK(test_leaked() == 0);
    return test_heap.failed;
}

int main(int argc, char **argv) {
    const bool all = argc > 1 && !strcmp(argv[1], "all");
    const long day = (long)(time(NULL) / 86400), each = all ? 1 : 97;
    long tried = 0;
    for (kind = 0; kind < KINDS && !test_failures; kind++) {
        CHECK(!failing(0, 0)); /* it works */
        for (long n = 1 + day % each; failing(n, (int)(n & 1)) && !test_failures; n += each) tried++;
    }
    printf("%ld failures, ", tried);
    return test_done("alloc_failures");
}
