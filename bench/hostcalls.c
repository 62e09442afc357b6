/*
 * calls.c -- what a call costs a C host: nanoseconds, minima of rounds. The functions are compiled by the C compiler
 * where there is one; everything is warm.
 */
#include "theano.h"

#include <stdio.h>
#include <time.h>

enum { ROUNDS = 100, CALLS = 20000 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

typedef struct Case {
    const char *title;
    int (*run)(struct Case *c);
    ThFunction *f;
    ThArray *array;
    ThCall *bound;
} Case;

static int run_array(Case *c) {
    ThArray *out = NULL;
    int bad = th_call(c->f, &c->array, 1, &out);
    th_array_release(out);
    return bad;
}

static int run_number(Case *c) {
    const ThArg a = {.kind = TH_ARG_FLOAT, .f = 3};
    ThArray *out = NULL;
    ThValue v;
    return th_call_args(c->f, &a, 1, &out, &v);
}

static int run_bound(Case *c) { return th_call_run(c->bound); }

static int measure(Case *c) {
    double best = 1e30;
    for (int r = 0; r < ROUNDS; r++) {
        double t = now();
        for (int i = 0; i < CALLS; i++)
            if (c->run(c)) return 1;
        t = (now() - t) / CALLS;
        if (t < best) best = t;
    }
    printf("from C, %s: %.0f ns\n", c->title, best);
    return 0;
}

/* x -> 2 x for a scalar or a vector */
static ThFunction *twice(ThContext *c, int ndim) {
    ThVar *x = th_variable_new(c, (ThType){.dtype = TH_FLOAT64, .ndim = (uint16_t)ndim}, "x"),
          *two = th_constant_float(c, 2);
    ThVar *y = th_op(c, "mul", 2, x, two);
    const ThIn in = {.var = x, .allow_downcast = -1};
    const ThOut out = {.var = y};
    const ThCompile s = {.in = &in, .nin = 1, .out = &out, .nout = 1, .allow_input_downcast = -1};
    ThFunction *f = th_compile(c, &s);
    th_var_release(x);
    th_var_release(two);
    th_var_release(y);
    return f;
}

int main(void) {
    ThContext *c = th_context_new(NULL);
    const int64_t ten = 10;
    ThFunction *scalar = twice(c, 0), *vector = twice(c, 1);
    ThArray *a = th_array_zeros(c, TH_FLOAT64, 0, NULL), *v = th_array_zeros(c, TH_FLOAT64, 1, &ten);
    const ThArg av = {.kind = TH_ARG_ARRAY, .array = v}, aa = {.kind = TH_ARG_ARRAY, .array = a};
    Case cases[] = {{"scalar from a number to a number", run_number, scalar, NULL, NULL},
                    {"scalar from an array to an array", run_array, scalar, a, NULL},
                    {"10-vector with a new result", run_array, vector, v, NULL},
                    {"scalar, bound", run_bound, scalar, NULL, th_call_new(scalar, &aa, 1)},
                    {"10-vector, bound", run_bound, vector, NULL, th_call_new(vector, &av, 1)}};
    int bad = 0;
    for (int i = 0; i < 5 && !bad; i++) bad = measure(&cases[i]);
    if (bad) fprintf(stderr, "%s\n", th_error_text(c));
    for (int i = 0; i < 5; i++) th_call_release(cases[i].bound);
    th_array_release(a);
    th_array_release(v);
    th_function_release(scalar);
    th_function_release(vector);
    th_context_release(c);
    return bad;
}
