/*
 * threads_device.c -- functions of one device called from several threads: one by three, of arguments of the host and
 * of the device, results held and let go, updates of the same shared variables in either order.
 */
#include "runtime/device/device.h"
#include "test.h"

#include <pthread.h>

enum { CALLS = 40, SIDE = 8, HELD = 4 };

typedef struct Work {
    ThFunction *f;
    ThArray *arg;
    double want; /* of each element of the result */
    int failures;
} Work;

static void *worker(void *user) {
    Work *w = user;
    ThArray *held[HELD] = {NULL};
    for (int i = 0; i < CALLS; i++) {
        ThArray *out = NULL;
        ThValue v = {0};
        const int64_t at[2] = {1, SIDE - 1};
        bool fine = !th_call(w->f, &w->arg, 1, &out) && !th_array_get(out, at, &v) && v.f == w->want;
        w->failures += !fine;
        th_array_release(held[i % HELD]);
        held[i % HELD] = out;
    }
    for (int i = 0; i < HELD; i++) th_array_release(held[i]);
    return NULL;
}

/* Outputs y; first += x, then second += x (NULL: neither). */
static ThFunction *function(ThContext *c, ThVar *x, ThVar *y, ThVar *first, ThVar *second) {
    const ThIn in = {.var = x, .allow_downcast = -1};
    const ThOut out = {.var = y};
    ThVar *next[2] = {NULL, NULL};
    if (first) next[0] = th_op(c, "add", 2, first, x), next[1] = th_op(c, "add", 2, second, x);
    const ThPair up[2] = {{first, next[0]}, {second, next[1]}};
    const ThCompile spec = {.in = &in,
                            .nin = 1,
                            .out = &out,
                            .nout = 1,
                            .updates = up,
                            .nupdates = first ? 2 : 0,
                            .allow_input_downcast = -1};
    ThFunction *f = th_compile(c, &spec);
    for (int i = 0; i < 2; i++) th_var_release(next[i]);
    return f;
}

static ThArray *filled(ThContext *c, double value) {
    const int64_t shape[2] = {SIDE, SIDE};
    ThArray *a = th_array_zeros(c, TH_FLOAT64, 2, shape);
    double *v = th_array_data(a);
    for (int i = 0; i < SIDE * SIDE; i++) v[i] = value;
    return a;
}

static double of(ThVar *shared) {
    ThArray *a = th_shared_get(shared, false);
    ThValue v = {0};
    CHECK(!th_array_get(a, (int64_t[]){SIDE - 1, 0}, &v));
    th_array_release(a);
    return v.f;
}

static void call_all(Work *w, int n) {
    pthread_t t[16];
    for (int i = 0; i < n; i++) CHECK(pthread_create(&t[i], NULL, worker, &w[i]) == 0);
    for (int i = 0; i < n; i++) pthread_join(t[i], NULL);
    for (int i = 0; i < n; i++) CHECK(w[i].failures == 0);
}

int main(void) {
    ThContext *c = th_context_new(NULL);
    CHECK(!th_config_set(c, "cuda.driver", TH_EMULATED) && !th_config_set(c, "device", "cuda"));
    CHECK(!th_config_set(c, "force_device", "true"));
    ThArray *zero = filled(c, 0), *ones = filled(c, 1), *there = th_array_to_device(ones, "cuda");
    ThVar *x = th_variable_new(c, (ThType){.dtype = TH_FLOAT64, .ndim = 2}, "x");
    ThVar *a = th_shared_new(c, zero, "a", false, 0), *b = th_shared_new(c, zero, "b", false, 0);
    ThVar *product = th_op(c, "dot", 2, x, x), *twice = th_op(c, "add", 2, x, x);
    ThFunction *dot = function(c, x, product, NULL, NULL), *add = function(c, x, twice, NULL, NULL),
               *ab = function(c, x, twice, a, b), *ba = function(c, x, product, b, a);
    if (th_error(c) == TH_CompileError) return 77; /* nothing here compiles the emulated device's kernels */
    CHECK(dot && add && ab && ba);
    Work w[] = {{dot, ones, SIDE, 0}, {dot, there, SIDE, 0}, {dot, there, SIDE, 0}, {add, ones, 2, 0},
                {add, there, 2, 0},   {ab, ones, 2, 0},      {ba, there, SIDE, 0},  {ab, there, 2, 0}};
    if (!test_failures) call_all(w, sizeof w / sizeof *w);
    CHECK(of(a) == 3 * CALLS && of(b) == 3 * CALLS);
    CHECK(!th_error(c));
    ThArray *arrays[] = {zero, ones, there};
    for (int i = 0; i < 3; i++) th_array_release(arrays[i]);
    ThVar *vars[] = {x, a, b, product, twice};
    for (int i = 0; i < 5; i++) th_var_release(vars[i]);
    ThFunction *functions[] = {dot, add, ab, ba};
    for (int i = 0; i < 4; i++) th_function_release(functions[i]);
    th_context_release(c);
    return test_done("threads_device");
}
