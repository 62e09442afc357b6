/*
 * threads_calls.c -- functions called from two threads: one workspace a caller, updates of shared variables one after
 * the other, and two functions that write the same shareds never wait for each other in a circle. One of the functions
 * is profiled and gives its memory back after each call; a trace with less room than there are events looks on.
 */
#include "test.h"

#include "theano.h"
#include "theano_debug.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 3000, EVENTS = 5000 };

typedef struct Work {
    ThFunction *f;
    ThArray *arg;
    int failures;
} Work;

static void *worker(void *user) {
    Work *w = user;
    for (int i = 0; i < CALLS; i++) {
        ThArray *out = NULL;
        w->failures += th_call(w->f, &w->arg, 1, &out) != 0;
        th_array_release(out);
    }
    return NULL;
}

/* outputs sum(x); first += 1, second += 1, in this order. */
static ThFunction *counter(ThContext *c, ThVar *x, ThVar *first, ThVar *second) {
    ThVar *one = th_constant_float(c, 1.0), *sum = th_op(c, "sum", 1, x);
    ThVar *next[2] = {th_op(c, "add", 2, first, one), th_op(c, "add", 2, second, one)};
    const ThIn in = {.var = x, .allow_downcast = -1};
    const ThOut out = {.var = sum};
    const ThPair up[2] = {{first, next[0]}, {second, next[1]}};
    const ThCompile spec = {
        .in = &in, .nin = 1, .out = &out, .nout = 1, .updates = up, .nupdates = 2, .allow_input_downcast = -1};
    ThFunction *f = th_compile(c, &spec);
    ThVar *vars[] = {one, sum, next[0], next[1]};
    for (int i = 0; i < 4; i++) th_var_release(vars[i]);
    return f;
}

int main(void) {
    ThContext *c = th_context_new(NULL);
    th_config_set(c, "cxx", "");
    const int64_t n = 32;
    ThArray *zero = th_array_zeros(c, TH_FLOAT64, 0, NULL), *data = th_array_zeros(c, TH_FLOAT64, 1, &n);
    ThVar *x = th_variable_new(c, (ThType){.dtype = TH_FLOAT64, .ndim = 1}, "x");
    ThVar *a = th_shared_new(c, zero, "a", false, 0), *b = th_shared_new(c, zero, "b", false, 0);
    Work w[2] = {{counter(c, x, a, b), data, 0}};
    th_config_set(c, "profile", "true");
    th_config_set(c, "allow_gc", "true");
    w[1] = (Work){counter(c, x, b, a), data, 0};
    CHECK(w[0].f && w[1].f);
    pthread_t t[4];
    Work all[4] = {w[0], w[1], w[0], w[1]};
    CHECK(th_trace_begin(c, EVENTS) == 0);
    for (int i = 0; i < 4 && w[0].f && w[1].f; i++) CHECK(pthread_create(&t[i], NULL, worker, &all[i]) == 0);
    for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
    for (int i = 0; i < 4; i++) CHECK(all[i].failures == 0);
    char *trace = th_trace_end(c), *lost = trace ? strstr(trace, "\"lost\": ") : NULL;
    ThProfile p;
    ThProfileStep q;
    CHECK(th_function_profile(w[1].f, &p) && lost && EVENTS + atoll(lost + 8) == (long long)2 * CALLS * (1 + p.nsteps));
    CHECK(trace && strstr(trace, ", 1, "));
    th_free(c, trace);
    CHECK(!th_function_profile(w[0].f, &p));
    CHECK(th_function_profile(w[1].f, &p) && p.calls == 2 * CALLS && p.failed_calls == 0 && p.nsteps > 0);
    CHECK(th_function_profile_step(w[1].f, 0, &q) && q.calls == 2 * CALLS && q.time > 0 && q.time <= p.call_time);
    ThArray *va = th_shared_get(a, false), *vb = th_shared_get(b, false);
    CHECK(*(double *)th_array_data(va) == 4.0 * CALLS);
    CHECK(*(double *)th_array_data(vb) == 4.0 * CALLS);
    ThArray *arrays[] = {zero, data, va, vb};
    for (int i = 0; i < 4; i++) th_array_release(arrays[i]);
    ThVar *vars[] = {x, a, b};
    for (int i = 0; i < 3; i++) th_var_release(vars[i]);
    th_function_release(w[0].f);
    th_function_release(w[1].f);
    th_context_release(c);
    return test_done("threads_calls");
}
