/*
 * function_call.c -- calls from a C host: numbers as arguments, results as values, defaults and states, bound calls; no
 * failing allocation in the middle of a call changes a shared variable or an input's state.
 */
#include "graph/graph.h"
#include "runtime/frame/runtime.h"
#include "plan_test.h"

#include <pthread.h>
#include <time.h>

static ThVar *shared3(ThContext *c, double v, const char *name) {
    ThArray *a = th_array_zeros(c, TH_FLOAT64, 1, (int64_t[]){3});
    for (int i = 0; a && i < 3; i++) ((double *)th_array_data(a))[i] = v + i;
    ThVar *s = a ? th_shared_new(c, a, name, false, 0) : NULL;
    th_array_release(a);
    return s;
}

static double first(ThVar *s) {
    ThArray *a = th_shared_get(s, true);
    double v = a ? ((double *)th_array_data(a))[0] : -1;
    th_array_release(a);
    return v;
}

static ThFunction *function(ThContext *c, const ThIn *in, int nin, ThVar *const *out, int nout, const ThPair *up,
                            int nup) {
    ThOut o[4] = {0};
    for (int i = 0; i < nout; i++) o[i].var = out[i];
    const ThCompile s = {.in = in,
                         .nin = nin,
                         .out = o,
                         .nout = nout,
                         .updates = up,
                         .nupdates = nup,
                         .linker = "interpreter",
                         .allow_input_downcast = -1};
    return th_compile(c, &s);
}

/* Numbers go in and come out; the second call allocates nothing. */
static void numbers(ThContext *c) {
    ThVar *x = tensor(c, TH_FLOAT64, 0, 0, "x"), *n = tensor(c, TH_INT64, 0, 0, "n");
    ThVar *out[2] = {th_op(c, "mul", 2, x, n), th_op(c, "gt", 2, x, n)};
    const ThIn in[2] = {{.var = x, .allow_downcast = -1}, {.var = n, .allow_downcast = -1}};
    ThFunction *f = function(c, in, 2, out, 2, NULL, 0);
    ThArg a[2] = {{.kind = TH_ARG_FLOAT, .f = 2.5}, {.kind = TH_ARG_INT, .i = 4}};
    ThArray *r[2] = {0};
    ThValue v[2];
    CHECK(f && th_call_args(f, a, 2, r, v) == 0);
    CHECK(!r[0] && !r[1] && v[0].f == 10 && v[1].i == 0);
    int64_t before = th_stat(c, "allocs");
    a[0].f = 8;
    CHECK(th_call_args(f, a, 2, r, v) == 0 && v[0].f == 32 && v[1].i == 1);
    CHECK(th_stat(c, "allocs") == before);
    CHECK(th_call_args(f, a, 2, r, NULL) == 0 && r[0] && r[1]);
    th_array_release(r[0]);
    th_array_release(r[1]);
    a[1] = (ThArg){.kind = TH_ARG_FLOAT, .f = 4};
    CHECK(th_call_args(f, a, 2, r, v) != 0);
    CHECK_ERROR(c, TH_TypeError, "the type is int64");
    CHECK(th_call_args(f, a, 1, r, v) != 0);
    CHECK_ERROR(c, TH_TypeError, "Missing required input: n");
    th_function_release(f);
}

/* The state of an input: new after each call, as it was after a failed one. */
static void states(ThContext *c) {
    ThVar *x = tensor(c, TH_FLOAT64, 1, 0, "x"), *y = tensor(c, TH_FLOAT64, 1, 0, "y");
    ThVar *next = th_op(c, "add", 2, x, y);
    double one[2] = {1, 2};
    ThArray *a = array(c, TH_FLOAT64, 1, (int64_t[]){2}, one),
            *three = th_array_zeros(c, TH_FLOAT64, 1, (int64_t[]){3});
    const ThIn in[2] = {{.var = y, .allow_downcast = -1}, {.var = x, .value = a, .update = next, .allow_downcast = -1}};
    ThFunction *f = function(c, in, 2, &next, 1, NULL, 0);
    CHECK(f && th_function_noutputs(f) == 1);
    for (int i = 0; i < 3; i++) {
        ThArray *r = NULL;
        CHECK(th_call(f, &a, 1, &r) == 0);
        if (r) CHECK(((double *)th_array_data(r))[1] == 2.0 * (i + 2));
        th_array_release(r);
    }
    ThArray *r = NULL, *now;
    CHECK(th_call(f, &three, 1, &r) != 0 && th_error(c) == TH_ValueError);
    th_error_clear(c);
    CHECK((now = th_function_default(f, 1)) && ((double *)th_array_data(now))[1] == 8);
    th_array_release(now);
    CHECK(th_function_set_default(f, 1, three) == 0 && th_function_set_default(f, 5, three) != 0);
    CHECK_ERROR(c, TH_IndexError, "2 inputs");
    th_array_release(a);
    th_array_release(three);
    th_function_release(f);
}

/* Results stand still, arguments are pinned, nothing is allocated. */
static void bound(ThContext *c) {
    ThVar *x = tensor(c, TH_FLOAT64, 1, 0, "x"), *w = shared3(c, 1, "w"), *y = th_op(c, "mul", 2, x, w);
    const ThIn in = {.var = x, .allow_downcast = -1};
    const ThPair up = {w, th_op(c, "add", 2, w, x)};
    ThFunction *f = function(c, &in, 1, &y, 1, &up, 1);
    double v[3] = {1, 1, 1};
    ThArray *a = array(c, TH_FLOAT64, 1, (int64_t[]){3}, v);
    ThCall *b = f ? th_call_new(f, &(ThArg){.kind = TH_ARG_ARRAY, .array = a}, 1) : NULL;
    CHECK(b && th_call_run(b) == 0);
    unsigned turn, later;
    ThArray *r = th_call_output(b, 0, &turn);
    CHECK(r && ((double *)th_array_data(r))[0] == 1);
    int64_t before = th_stat(c, "allocs");
    for (int i = 0; i < 10; i++) CHECK(th_call_run(b) == 0);
    CHECK(th_stat(c, "allocs") == before);
    CHECK(th_call_output(b, 0, &later) == r && later == turn && ((double *)th_array_data(r))[0] == 11);
    CHECK(!th_call_output(b, 1, NULL));
    th_array_free(a);
    CHECK_ERROR(c, TH_ValueError, "bound");
    th_function_release(f);
    CHECK(th_call_run(b) == 0 && first(w) == 13); /* the function lives in it */
    th_call_release(b);
    th_array_free(a);
    CHECK(th_error(c) == TH_OK);
    th_array_release(a);
    th_var_release(w);
}

/* An error of a run as the context's. */
static int runs(ThContext *c, ThCall *b) {
    if (th_call_run(b) == 0) return 1;
    if (th_call_error(b)) th_fail(c, th_call_error(b), th_call_error_text(b));
    return 0;
}

/* Each caller has the error of its own run; the context has none of them. */
static void errors(ThContext *c) {
    ThVar *x = tensor(c, TH_FLOAT64, 1, 0, "x"), *y = tensor(c, TH_FLOAT64, 1, 0, "y"), *z = th_op(c, "add", 2, x, y);
    const ThIn in[2] = {{.var = x, .allow_downcast = -1}, {.var = y, .allow_downcast = -1}};
    ThFunction *f = function(c, in, 2, &z, 1, NULL, 0);
    double v[3] = {1, 2, 3};
    ThArray *three = array(c, TH_FLOAT64, 1, (int64_t[]){3}, v), *two = array(c, TH_FLOAT64, 1, (int64_t[]){2}, v);
    const ThArg good[2] = {{.kind = TH_ARG_ARRAY, .array = three}, {.kind = TH_ARG_ARRAY, .array = three}};
    const ThArg bad[2] = {{.kind = TH_ARG_ARRAY, .array = three}, {.kind = TH_ARG_ARRAY, .array = two}};
    ThCall *a = f ? th_call_new(f, good, 2) : NULL, *b = f ? th_call_new(f, bad, 2) : NULL;
    CHECK(a && b && th_call_run(b) == TH_CALL_FAILED && th_call_run(a) == TH_CALL_DONE);
    CHECK(th_call_error(a) == TH_OK && !*th_call_error_text(a));
    CHECK(th_call_error(b) == TH_ValueError && strstr(th_call_error_text(b), "mis-match"));
    CHECK(th_error(c) == TH_OK);
    CHECK(th_call_step(b, 1000) == TH_CALL_FAILED && th_call_error(b) == TH_ValueError);
    CHECK(th_call_step(a, 1000000) == TH_CALL_DONE && th_call_error(a) == TH_OK);
    CHECK(th_call_run(NULL) == -1 && th_call_step(NULL, 1) == -1 && th_call_error(NULL) == TH_TypeError);
    th_call_release(a);
    th_call_release(b);
    th_function_release(f);
    th_array_release(two);
    th_array_release(three);
    th_var_release(x);
    th_var_release(y);
}

static void limits(void) {
    ThHost h = {.size = sizeof h, .limits = {.bytes = 8 << 20, .nodes = 100, .sealed = true}};
    ThContext *c = th_context_new(&h);
    CHECK(c && th_context_sealed(c) && !th_array_empty(c, TH_FLOAT64, 1, (int64_t[]){2 << 20}));
    CHECK_ERROR(c, TH_MemoryError, "array of shape");
    CHECK(th_config_set(c, "cxx", "sh") != 0);
    CHECK_ERROR(c, TH_RuntimeError, "flags are closed");
    ThArray *a = th_array_zeros(c, TH_FLOAT64, 1, (int64_t[]){3});
    CHECK(a && th_save_npy(c, "/tmp/theano-limits", a) != 0);
    CHECK_ERROR(c, TH_IOError, "files are closed");
    th_context_limit(c, &(ThLimits){.nodes = 100});
    CHECK(th_context_sealed(c)); /* for good */
    ThVar *x = tensor(c, TH_FLOAT64, 1, 0, "x"), *y = th_var_retain(x);
    for (int i = 0; i < 200 && y; i++) {
        ThVar *z = th_op(c, "neg", 1, y);
        th_var_release(y);
        y = z;
    }
    CHECK(!y);
    CHECK_ERROR(c, TH_MemoryError, "the limit of 100");
    th_context_deadline(c, 1e-9);
    const ThIn in = {.var = x, .allow_downcast = -1};
    ThVar *z = th_op(c, "exp", 1, x);
    CHECK(!function(c, &in, 1, &z, 1, NULL, 0));
    CHECK_ERROR(c, TH_Interrupted, "the time that it was given is over");
    th_context_deadline(c, 0);
    ThFunction *f = function(c, &in, 1, &z, 1, NULL, 0);
    CHECK(f != NULL);
    th_function_release(f);
    th_var_release(x);
    th_array_release(a);
    th_context_release(c);
}

static void copies(ThContext *c) {
    ThVar *w = shared3(c, 1, "w"), *v = shared3(c, 10, "v"), *y = th_op(c, "mul", 2, w, w);
    const ThPair up = {w, th_op(c, "add", 2, w, w)}, swap = {w, v};
    ThFunction *f = function(c, NULL, 0, &y, 1, &up, 1);
    ThFunction *g = th_function_copy(f, &(ThCopy){.swap = &swap, .nswap = 1});
    ThFunction *h = th_function_copy(f, &(ThCopy){.delete_updates = true});
    ThArray *r[3] = {0};
    CHECK(g && h && th_call(g, NULL, 0, &r[0]) == 0 && th_call(h, NULL, 0, &r[1]) == 0 &&
          th_call(f, NULL, 0, &r[2]) == 0);
    CHECK(first(w) == 2 && first(v) == 20);
    CHECK(g && th_function_nshared(g) == 1 && th_function_shared(g, 0) == v);
    for (int i = 0; i < 3; i++) th_array_release(r[i]);
    th_function_release(f);
    th_function_release(g);
    th_function_release(h);
    th_var_release(w);
    th_var_release(v);
}

/* ---- failing allocations in the middle of calls ---- */
/* One round of everything; 1 when it all went through. After a failure every value is one of before or after a call. */
static int round_trip(ThContext *c) {
    ThVar *v[9] = {tensor(c, TH_FLOAT64, 1, 0, "x"), shared3(c, 1, "w"), shared3(c, 2, "b"),
                   tensor(c, TH_FLOAT64, 1, 0, "s")};
    v[4] = th_op(c, "add", 2, v[0], v[1]);
    v[6] = th_op(c, "mul", 2, v[1], v[4]);
    v[7] = th_op(c, "add", 2, v[2], v[6]);
    v[8] = th_op(c, "add", 2, v[3], v[0]);
    const ThPair up[2] = {{v[1], v[6]}, {v[2], v[7]}};
    ThArray *a = th_array_zeros(c, TH_FLOAT64, 1, (int64_t[]){3});
    const ThIn in[2] = {{.var = v[0], .allow_downcast = -1},
                        {.var = v[3], .value = a, .update = v[8], .allow_downcast = -1}};
    ThFunction *f = v[8] && a ? function(c, in, 2, &v[4], 1, up, 2) : NULL;
    int ok = f != NULL;
    double want[2] = {1, 2};
    for (int i = 0; i < 3 && ok; i++) {
        ThArray *r = NULL;
        ok = th_call(f, &a, 1, &r) == 0;
        if (ok) want[1] += want[0] * want[0], want[0] *= want[0];
        th_array_release(r);
        if (!(first(v[1]) == want[0] && first(v[2]) == want[1]))
            fprintf(stderr, "call %d ok %d: %g %g want %g %g\n", i, ok, first(v[1]), first(v[2]), want[0], want[1]);
        CHECK(first(v[1]) == want[0] && first(v[2]) == want[1]);
    }
    ThCall *b = ok ? th_call_new(f, &(ThArg){.kind = TH_ARG_ARRAY, .array = a}, 1) : NULL;
    ok = ok && b && runs(c, b) && runs(c, b);
    ThFunction *g = ok ? th_function_copy(f, NULL) : NULL;
    ok = g != NULL;
    th_call_release(b);
    th_function_release(g);
    th_function_release(f);
    th_array_release(a);
    for (int i = 0; i < 9; i++) th_var_release(v[i]);
    return ok;
}

/* ---- threads: readers see whole values while a writer works ---- */
enum { CALLS = 4000 };
typedef struct Work {
    ThFunction *f;
    ThVar *w;
    int bad;
} Work;

static void *reader(void *user) {
    Work *w = user;
    for (int i = 0; i < CALLS; i++) {
        ThArray *r = NULL;
        w->bad += th_call(w->f, NULL, 0, &r) != 0;
        const double *p = r ? th_array_data(r) : NULL;
        w->bad += !p || p[0] != 0; /* w[0] - w[1] */
        th_array_release(r);
    }
    return NULL;
}

static void *writer(void *user) {
    Work *w = user;
    for (int i = 0; i < CALLS; i++) w->bad += th_call(w->f, NULL, 0, NULL) != 0;
    return NULL;
}

static void *setter(void *user) {
    Work *w = user;
    for (int i = 0; i < CALLS; i++) {
        ThArray *a = th_shared_get(w->w, false);
        const double *p = a ? th_array_data(a) : NULL;
        w->bad += !p || p[0] != p[511] || th_shared_set(w->w, a, i % 2) != 0;
        th_array_release(a);
    }
    return NULL;
}

static void threads(ThContext *c) {
    ThArray *zero = th_array_zeros(c, TH_FLOAT64, 1, (int64_t[]){512});
    ThVar *w = th_shared_new(c, zero, "w", false, 0), *one = th_constant_float(c, 1);
    ThVar *reversed = th_op(c, "sub", 2, w, w);
    const ThPair up = {w, th_op(c, "add", 2, w, one)};
    Work work[3] = {{function(c, NULL, 0, &reversed, 1, NULL, 0), w, 0},
                    {function(c, NULL, 0, NULL, 0, &up, 1), w, 0},
                    {NULL, w, 0}};
    CHECK(work[0].f && work[1].f);
    pthread_t t[4];
    CHECK(!pthread_create(&t[0], NULL, reader, &work[0]) && !pthread_create(&t[1], NULL, writer, &work[1]));
    CHECK(!pthread_create(&t[2], NULL, setter, &work[2]));
    for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
    for (int i = 0; i < 3; i++) CHECK(work[i].bad == 0);
    th_function_release(work[0].f);
    th_function_release(work[1].f);
    th_array_release(zero);
    th_var_release(w);
}

int main(void) {
    ThContext *c = th_context_new(NULL);
    th_config_set(c, "cxx", "");
    numbers(c);
    states(c);
    bound(c);
    errors(c);
    copies(c);
    threads(c);
    if (th_error(c)) fprintf(stderr, "%s\n", th_error_text(c));
    CHECK(th_error(c) == TH_OK);
    th_context_release(c);
    kept_release();
    limits();
    test_every_failure(round_trip);
    return test_done("function_call");
}
