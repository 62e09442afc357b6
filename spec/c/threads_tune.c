/*
 * threads_tune.c -- compile.autotune with a clock of our own: the candidate that is said to be the fastest serves, its
 * record holds for later contexts, records that are cut off, changed, too large or writable by others do not, calls
 * from other threads go on meanwhile, and every call gives the same bits from the same arguments.
 */
#include "graph/graph.h"
#include "runtime/tune.h"
#include "test.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROWS = 40, COLS = 70, CALLS = 300 };
static char dir[] = "/tmp/theano-tune-XXXXXX", file[64];

/* Clocks: candidate 1 is the fastest; all take the same time. */
static int64_t second(int candidate, int64_t ns) { return (void)ns, candidate == 1 ? 10 : 1000; }
static int64_t equal(int candidate, int64_t ns) { return (void)candidate, (void)ns, 1000; }

static ThContext *context(int64_t (*clock)(int candidate, int64_t ns)) {
    ThContext *c = th_context_new(NULL);
    th_config_set(c, "base_compiledir", dir);
    th_config_set(c, "compile.autotune", "4");
    c->tune_clock = clock;
    return c;
}

/* max, sum and min of columns: whether some vectors of columns go together is a decision. */
static ThFunction *function(ThContext *c) {
    ThVar *x = th_variable_new(c, (ThType){.dtype = TH_FLOAT64, .ndim = 2}, "x"), *axis = th_constant_int(c, 0);
    ThVar *v[3] = {th_op(c, "max", 2, x, axis), th_op(c, "sum", 2, x, axis), th_op(c, "min", 2, x, axis)};
    const ThIn in = {.var = x, .allow_downcast = -1};
    const ThOut out[3] = {{.var = v[0]}, {.var = v[1]}, {.var = v[2]}};
    const ThCompile s = {.in = &in, .nin = 1, .out = out, .nout = 3, .allow_input_downcast = -1};
    ThFunction *f = th_compile(c, &s);
    for (int i = 0; i < 3; i++) th_var_release(v[i]);
    th_var_release(axis);
    th_var_release(x);
    return f;
}

static ThArray *matrix(ThContext *c, int64_t rows) {
    ThArray *a = th_array_zeros(c, TH_FLOAT64, 2, (int64_t[]){rows, COLS});
    double *p = th_array_data(a);
    for (int64_t i = 0; i < rows * COLS; i++) p[i] = (double)((i * 7919) % 1001) / 3.0;
    return a;
}

typedef struct Caller {
    ThFunction *f;
    ThArray *x, *first[3];
    int bad;
} Caller;

static void call(Caller *w) {
    ThArray *out[3] = {0};
    w->bad += th_call(w->f, &w->x, 1, out) != 0;
    for (int i = 0; i < 3; i++) {
        if (!w->first[i]) w->first[i] = th_array_retain(out[i]);
        w->bad += !out[i] || !array_same_bits(out[i], w->first[i]);
        th_array_release(out[i]);
    }
}

static void *caller(void *user) {
    for (int i = 0; i < CALLS; i++) call(user);
    return NULL;
}

/* Calls until there is nothing more to find out; false: that never comes. */
static bool settle(Caller *w) {
    for (int i = 0; i < 60000 && !tune_over(w->f); i++) {
        call(w);
        usleep(500);
    }
    return tune_over(w->f);
}

static Caller begin(ThContext *c, int64_t rows) {
    Caller w = {.f = function(c), .x = matrix(c, rows)};
    CHECK(w.f && w.f->tune);
    return w;
}

static void end(Caller *w) {
    ThArray *fresh = matrix(w->f->ctx, th_array_shape(w->x)[0]);
    CHECK(array_same_bits(w->x, fresh)); /* arguments are as they were */
    CHECK(w->bad == 0);
    for (int i = 0; i < 3; i++) th_array_release(w->first[i]);
    th_array_release(fresh);
    th_array_release(w->x);
    th_function_release(w->f);
}

/* The candidate that serves a fresh context's function in the end. */
static int outcome(int64_t (*clock)(int candidate, int64_t ns), int64_t rows) {
    ThContext *c = context(clock);
    Caller w = begin(c, rows);
    CHECK(settle(&w));
    call(&w);
    int found = function_candidate(w.f, 0);
    char *plan = th_function_plan(w.f);
    CHECK(plan && (strstr(plan, "the other way: columns together") != NULL) == (found == 1));
    th_free(c, plan);
    end(&w);
    th_context_release(c);
    return found;
}

/* The last record, of three words: key, number, check sum. */
static bool record(uint64_t x[3], int64_t at, bool write_) {
    int fd = open(file, write_ ? O_WRONLY : O_RDONLY);
    size_t n = 3 * sizeof *x;
    bool ok = fd >= 0 && (write_ ? pwrite(fd, x, n, at) : pread(fd, x, n, at)) == (ssize_t)n;
    if (fd >= 0) close(fd);
    return ok;
}

static void records(void) {
    uint64_t kept[3], bad[3];
    CHECK(outcome(second, ROWS) == 1);
    CHECK(record(kept, 0, false) && kept[1] == 1);
    CHECK(outcome(equal, ROWS) == 1); /* known: no clock is asked */
    CHECK(outcome(equal, ROWS + 1) == 0);
    CHECK(outcome(second, ROWS + 1) == 0);
    memcpy(bad, kept, sizeof bad);
    bad[1] = 0; /* changed, with the check sum of another number */
    CHECK(truncate(file, 0) == 0 && record(bad, 0, true));
    CHECK(outcome(second, ROWS) == 1);
    bad[1] = 99; /* no candidate has this number */
    bad[2] = hash_mix(hash_mix(0x7475, bad[0]), 99);
    CHECK(truncate(file, 0) == 0 && record(bad, 0, true));
    CHECK(outcome(equal, ROWS) == 0);
    CHECK(truncate(file, 0) == 0 && record(kept, 0, true) && truncate(file, 23) == 0); /* cut off */
    CHECK(outcome(equal, ROWS) == 0);
    CHECK(truncate(file, 0) == 0 && record(kept, 0, true) &&
          chmod(file, 0666) == 0); /* anybody could have written it */
    CHECK(outcome(equal, ROWS) == 0);
    CHECK(chmod(file, 0600) == 0 && outcome(equal, ROWS) == 1);
    CHECK(truncate(file, 0) == 0);
}

/* Other threads call all the while, with the same lengths and with others. */
static void threads(void) {
    ThContext *c = context(second);
    Caller w = begin(c, ROWS), other[3];
    pthread_t t[3];
    for (int i = 0; i < 3; i++) other[i] = (Caller){.f = w.f, .x = i ? matrix(c, ROWS + i) : th_array_retain(w.x)};
    for (int i = 0; i < 3; i++) CHECK(pthread_create(&t[i], NULL, caller, &other[i]) == 0);
    CHECK(settle(&w));
    for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
    for (int i = 0; i < 3; i++) {
        CHECK(other[i].bad == 0);
        for (int j = 0; j < 3; j++) th_array_release(other[i].first[j]);
        th_array_release(other[i].x);
    }
    call(&w);
    end(&w);
    th_context_release(c);
}

/* Functions that go before, while and after candidates are built. */
static void early(void) {
    for (int calls = 0; calls < 12; calls++) {
        ThContext *c = context(second);
        Caller w = begin(c, ROWS + 100 + calls);
        for (int i = 0; i < calls; i++) call(&w);
        end(&w);
        th_context_release(c);
    }
}

int main(void) {
    CHECK(mkdtemp(dir));
    snprintf(file, sizeof file, "%s/lua-kernels.tuned", dir);
    records();
    threads();
    early();
    char command[96];
    snprintf(command, sizeof command, "rm -r %s", dir);
    CHECK(system(command) == 0);
    return test_done("threads_tune");
}
