/*
 * threads_random.c -- functions on several threads that draw from one state: every number of the stream is drawn once,
 * whoever draws it. Two functions a kind of state (RandomState, MRG31k3p), two threads a function, which also read the
 * states on the way.
 */
#include "test.h"

#include "theano.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 400, EACH = 25, THREADS = 4, ALL = CALLS * EACH * THREADS };

typedef struct Work {
    ThFunction *f;
    ThVar *state;
    double *drawn; /* CALLS * EACH */
    int failures;
} Work;

static void *worker(void *user) {
    Work *w = user;
    for (int i = 0; i < CALLS; i++) {
        ThArray *out = NULL;
        w->failures += th_call(w->f, NULL, 0, &out) != 0;
        if (out) memcpy(w->drawn + i * EACH, th_array_data(out), EACH * sizeof(double));
        th_array_release(out);
        if (i % 64) continue;
        out = th_shared_get(w->state, false);
        w->failures += out == NULL;
        th_array_release(out);
    }
    return NULL;
}

/* EACH numbers; the state moves on. */
static ThFunction *drawing(ThContext *c, ThVar *state, ThVar *const *draw) {
    const ThOut out = {.var = draw[1]};
    const ThPair up = {state, draw[0]};
    const ThCompile spec = {.out = &out, .nout = 1, .updates = &up, .nupdates = 1, .allow_input_downcast = -1};
    return th_compile(c, &spec);
}

static int order(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* f and g on two threads each; their numbers together are those that `alone` draws in as many calls. */
static void race(ThContext *c, ThVar *state, ThVar *const *draw, ThFunction *alone) {
    double *all = malloc(ALL * sizeof *all), *want = malloc(ALL * sizeof *want);
    ThFunction *f[2] = {drawing(c, state, draw), drawing(c, state, draw)};
    Work w[THREADS];
    pthread_t t[THREADS];
    CHECK(all && want && f[0] && f[1] && alone);
    for (int i = 0; i < THREADS; i++) {
        w[i] = (Work){f[i % 2], state, all + i * CALLS * EACH, 0};
        CHECK(pthread_create(&t[i], NULL, worker, &w[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(t[i], NULL);
        CHECK(w[i].failures == 0);
    }
    Work serial = {alone, state, want, 0};
    for (int i = 0; i < THREADS; i++, serial.drawn += CALLS * EACH) worker(&serial);
    CHECK(serial.failures == 0);
    qsort(all, ALL, sizeof *all, order);
    qsort(want, ALL, sizeof *want, order);
    CHECK(!memcmp(all, want, ALL * sizeof *all));
    th_function_release(f[0]);
    th_function_release(f[1]);
    free(all);
    free(want);
}

static ThVar *shared_random(ThContext *c) {
    ThRandom *r = th_random_new(c, 7);
    ThVar *v = th_shared_random(c, r, "rng", false);
    th_random_release(r);
    return v;
}

static ThVar *shared_streams(ThContext *c) {
    ThArray *rows = th_mrg_streams(c, (const int32_t[6]){7, 7, 7, 7, 7, 7}, 10); /* no divisor of EACH */
    ThVar *v = th_shared_new(c, rows, "rstate", false, 0);
    th_array_release(rows);
    return v;
}

static void draw_random(ThContext *c, ThVar *state, ThVar *size, ThVar **out) {
    ThVar *low = th_constant_float(c, 0.0), *high = th_constant_float(c, 1.0), *in[] = {state, size, low, high};
    ThType t = {.dtype = TH_FLOAT64, .ndim = 1};
    CHECK(!th_random_function(c, "uniform", t, 0, in, 4, out));
    th_var_release(low);
    th_var_release(high);
}

static void draw_streams(ThContext *c, ThVar *state, ThVar *size, ThVar **out) {
    const ThArg args[] = {{.kind = TH_ARG_VAR, .var = state}, {.kind = TH_ARG_VAR, .var = size}};
    CHECK(th_build(c, th_func_find("random.mrg_uniform"), args, 2, out, 2) == 2);
}

static void kind(ThContext *c, ThVar *(*shared)(ThContext *), void (*draw)(ThContext *, ThVar *, ThVar *, ThVar **)) {
    const int64_t n = EACH, one = 1;
    ThArray *size = th_array_zeros(c, TH_INT64, 1, &one);
    memcpy(th_array_data(size), &n, sizeof n);
    ThVar *length = th_constant_new(c, size, NULL), *state[2] = {shared(c), shared(c)};
    ThVar *out[2][2] = {{NULL}};
    CHECK(length && state[0] && state[1]);
    for (int i = 0; i < 2; i++) draw(c, state[i], length, out[i]);
    ThFunction *alone = drawing(c, state[1], out[1]);
    race(c, state[0], out[0], alone);
    th_function_release(alone);
    for (int i = 0; i < 2; i++) {
        th_var_release(out[i][0]);
        th_var_release(out[i][1]);
        th_var_release(state[i]);
    }
    th_var_release(length);
    th_array_release(size);
}

int main(void) {
    ThContext *c = th_context_new(NULL);
    th_config_set(c, "cxx", "");
    kind(c, shared_random, draw_random);
    kind(c, shared_streams, draw_streams);
    CHECK(!th_error(c));
    th_context_release(c);
    return test_done("threads_random");
}
