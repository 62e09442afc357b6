/* threads_contexts.c -- two contexts in two threads share nothing: each builds, differentiates, compiles and trains on
 * its own.
 */
#include "test.h"

#include "theano.h"

#include <pthread.h>
#include <string.h>

static ThArray *vector(ThContext *c, double first, int64_t n) {
    ThArray *a = th_array_empty(c, TH_FLOAT64, 1, &n);
    for (int64_t i = 0; a && i < n; i++) ((double *)th_array_data(a))[i] = first + (double)i;
    return a;
}

/* Minimises sum((w - x)^2) by gradient descent; gives the final cost. */
static double train(void) {
    ThContext *c = th_context_new(NULL);
    th_config_set(c, "cxx", "");
    ThArray *zero = th_array_zeros(c, TH_FLOAT64, 1, (int64_t[]){8}), *data = vector(c, 1, 8), *cost_value = NULL;
    ThVar *x = th_variable_new(c, (ThType){.dtype = TH_FLOAT64, .ndim = 1}, "x"),
          *w = th_shared_new(c, zero, "w", false, 0);
    ThVar *d = th_op(c, "sub", 2, w, x), *s = th_op(c, "sqr", 1, d), *cost = th_op(c, "sum", 1, s), *g = NULL;
    CHECK(cost && !th_grad(c, cost, &w, 1, NULL, &g));
    ThVar *rate = th_constant_float(c, 0.25), *step = th_op(c, "mul", 2, rate, g), *next = th_op(c, "sub", 2, w, step);
    const ThIn in = {.var = x, .allow_downcast = -1};
    const ThOut out = {.var = cost};
    const ThPair update = {w, next};
    const ThCompile spec = {
        .in = &in, .nin = 1, .out = &out, .nout = 1, .updates = &update, .nupdates = 1, .allow_input_downcast = -1};
    ThFunction *f = th_compile(c, &spec);
    CHECK(f != NULL);
    double last = -1;
    for (int i = 0; f && i < 200; i++) {
        CHECK(th_call(f, &data, 1, &cost_value) == 0);
        last = *(double *)th_array_data(cost_value);
        th_array_release(cost_value);
    }
    ThVar *vars[] = {x, w, d, s, cost, g, rate, step, next};
    for (int i = 0; i < 9; i++) th_var_release(vars[i]);
    th_function_release(f);
    th_array_release(zero);
    th_array_release(data);
    th_context_release(c);
    return last;
}

static void *worker(void *result) {
    double *r = result;
    for (int i = 0; i < 5; i++) *r = train();
    return NULL;
}

int main(void) {
    pthread_t t[2];
    double r[2] = {1, 1};
    for (int i = 0; i < 2; i++) CHECK(pthread_create(&t[i], NULL, worker, &r[i]) == 0);
    for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
    CHECK(r[0] >= 0 && r[0] < 1e-20);
    CHECK(r[0] == r[1]);
    return test_done("threads_contexts");
}
