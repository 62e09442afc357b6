/*
 * hostcalls.c -- what a call costs a C host: nanoseconds, minima of rounds. The functions are compiled by the C
 * compiler where there is one; everything is warm. A small network, bound, beside the same by hand in this file, which
 * is built with -O3 -march=native and without fast-math, and beside its export, so built; what slices cost; contexts,
 * models in memory, callers on threads.
 */
#include "theano.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
static int run_slice(Case *c) { return th_call_step(c->bound, 1000000); }

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

/* ---- a policy: 64 - 64 - 4, float32, a row at a time ------------------------------------------------------------- */
enum { IN = 64, HIDDEN = 64, ACTIONS = 4 };
static float row[IN], w1[IN][HIDDEN], b1[HIDDEN], w2[HIDDEN][ACTIONS], b2[ACTIONS], actions[ACTIONS];

static int by_hand(Case *c) {
    float h[HIDDEN];
    (void)c;
    memcpy(h, b1, sizeof h);
    for (int k = 0; k < IN; k++)
        for (int j = 0; j < HIDDEN; j++) h[j] += row[k] * w1[k][j];
    for (int j = 0; j < HIDDEN; j++) h[j] = tanhf(h[j]);
    memcpy(actions, b2, sizeof actions);
    for (int k = 0; k < HIDDEN; k++)
        for (int j = 0; j < ACTIONS; j++) actions[j] += h[k] * w2[k][j];
    return 0;
}

static ThVar *weight(ThContext *c, float *at, int64_t rows, int64_t columns) {
    const int64_t shape[2] = {rows, columns};
    for (int64_t i = 0; i < (rows ? rows : 1) * columns; i++) at[i] = (float)((i * 7919 + 31) % 1000) / 5000 - 0.1f;
    ThArray *a = th_array_wrap(c, TH_FLOAT32, rows ? 2 : 1, rows ? shape : shape + 1, NULL, at, NULL, NULL);
    ThVar *w = th_shared_new(c, a, NULL, false, 0);
    th_array_release(a);
    return w;
}

static ThFunction *policy(ThContext *c) {
    ThVar *x = th_variable_new(c, (ThType){.dtype = TH_FLOAT32, .ndim = 2, .broadcastable = 1}, "x");
    ThVar *w[4] = {weight(c, &w1[0][0], IN, HIDDEN), weight(c, b1, 0, HIDDEN), weight(c, &w2[0][0], HIDDEN, ACTIONS),
                   weight(c, b2, 0, ACTIONS)};
    ThVar *p = th_op(c, "dot", 2, x, w[0]), *q = th_op(c, "add", 2, p, w[1]), *h = th_op(c, "tanh", 1, q);
    ThVar *r = th_op(c, "dot", 2, h, w[2]), *y = th_op(c, "add", 2, r, w[3]);
    const ThIn in = {.var = x, .allow_downcast = -1};
    const ThOut out = {.var = y};
    ThFunction *f =
        th_compile(c, &(ThCompile){.in = &in, .nin = 1, .out = &out, .nout = 1, .allow_input_downcast = -1});
    ThVar *all[] = {x, w[0], w[1], w[2], w[3], p, q, h, r, y};
    for (int i = 0; i < 10; i++) th_var_release(all[i]);
    return f;
}

static ThCall *bind_row(ThContext *c, ThFunction *f, float *at) {
    const int64_t shape[2] = {1, IN};
    ThArray *a = th_array_wrap(c, TH_FLOAT32, 2, shape, NULL, at, NULL, NULL);
    const ThArg arg = {.kind = TH_ARG_ARRAY, .array = a};
    ThCall *b = f ? th_call_new(f, &arg, 1) : NULL;
    th_array_release(a);
    return b;
}

/* ---- the same, exported and built by the compiler that is there -------------------------------------------------- */
enum { PATH = 96 };
static int (*exported_call)(void *state, const float *x, float *out);
static void *exported_state;

static int run_exported(Case *c) {
    (void)c;
    return exported_call(exported_state, row, actions);
}

/* Opens it; its flags are those that it asks for in its CMakeLists.txt. */
static void *exported_open(ThFunction *f, ThArray *x, const char *dir, const char *compiler) {
    static const char *const out = "actions";
    char text[8 * PATH];
    const ThExport how = {
        .name = "policy", .dir = dir, .example = &x, .nexample = 1, .result_names = &out, .nresult_names = 1};
    if (!x || th_function_export(f, &how)) return NULL;
    snprintf(text, sizeof text,
             "cd %s && echo '#include \"policy.c\"\nunsigned long policy_bytes(void) { return sizeof(policy_state); }'"
             " >all.c && command -v %s >/dev/null && %s -std=c99 -O3 -march=native -fwrapv -ffp-contract=off "
             "-fno-math-errno -fno-trapping-math "
             "-fPIC -shared all.c -o %s.so -lm",
             dir, compiler, compiler, compiler);
    if (system(text)) return NULL;
    snprintf(text, sizeof text, "%s/%s.so", dir, compiler);
    return dlopen(text, RTLD_NOW | RTLD_LOCAL);
}

/* The bound one and what is open, in turns. */
static void in_turns(Case *bound, void *of, const char *compiler) {
    void (*init)(void *) = NULL;
    unsigned long (*bytes)(void) = NULL;
    *(void **)&init = dlsym(of, "policy_init"), *(void **)&bytes = dlsym(of, "policy_bytes");
    *(void **)&exported_call = dlsym(of, "policy_call");
    exported_state = malloc(bytes());
    init(exported_state);
    Case both[2] = {*bound, {.run = run_exported}};
    double best[2] = {1e30, 1e30};
    for (int r = 0; r < 4 * ROUNDS; r++) {
        double t = now();
        for (int i = 0; i < CALLS / 4; i++) both[r % 2].run(&both[r % 2]);
        t = (now() - t) / (CALLS / 4);
        if (t < best[r % 2]) best[r % 2] = t;
    }
    printf("from C, the same, bound: %.0f ns, exported and built by %s: %.0f ns, %.2f of it\n", best[0], compiler,
           best[1], best[1] / best[0]);
    free(exported_state);
}

/* Built by each compiler that is there. */
static int beside_exported(ThContext *c, Case *bound) {
    static const char *const compilers[] = {"gcc", "clang"};
    char dir[PATH] = "/tmp/theano-hostcalls-XXXXXX", text[2 * PATH];
    if (!mkdtemp(dir)) return 0;
    const int64_t shape[2] = {1, IN};
    ThArray *x = th_array_wrap(c, TH_FLOAT32, 2, shape, NULL, row, NULL, NULL);
    for (int i = 0; i < 2; i++) {
        void *of = exported_open(bound->f, x, dir, compilers[i]);
        if (of) in_turns(bound, of, compilers[i]), dlclose(of);
    }
    th_array_release(x);
    snprintf(text, sizeof text, "rm -r %s", dir);
    return system(text) != 0;
}

/* As a context is by itself: from the interpreter to C to a version for these lengths, which is what is measured. */
static int policy_in_tiers(void) {
    enum { PATIENCE = 20000 }; /* milliseconds */
    ThContext *c = th_context_new(NULL);
    ThFunction *f = policy(c);
    Case it = {"the same, bound, with tiers", run_bound, f, NULL, bind_row(c, f, row)};
    int bad = !it.bound;
    for (int i = 0; i < PATIENCE && !bad && !th_stat(c, "versions"); i++) {
        const double until = now() + 1e6;
        while (now() < until && !bad) bad = run_bound(&it);
    }
    if (!bad && !th_stat(c, "versions")) it.title = "the same, bound, with tiers, and no version came";
    bad = bad || measure(&it) || beside_exported(c, &it);
    if (bad) fprintf(stderr, "%s\n", th_error_text(c));
    th_call_release(it.bound);
    th_function_release(f);
    th_context_release(c);
    return bad;
}

static int policies(ThContext *c) {
    ThFunction *f = policy(c);
    Case cases[] = {{"network 64-64-4 by hand", by_hand, NULL, NULL, NULL},
                    {"the same, bound", run_bound, f, NULL, bind_row(c, f, row)},
                    {"the same, bound, in slices", run_slice, f, NULL, bind_row(c, f, row)}};
    int bad = !cases[1].bound;
    for (int i = 0; i < IN; i++) row[i] = (float)i / IN;
    for (int i = 0; i < 3 && !bad; i++) bad = measure(&cases[i]);
    const float *got = bad ? NULL : th_array_data(th_call_output(cases[1].bound, 0, NULL));
    for (int i = 0; got && i < ACTIONS; i++) bad |= !(fabsf(got[i] - actions[i]) < 1e-4f);
    for (int i = 1; i < 3; i++) th_call_release(cases[i].bound);
    th_function_release(f);
    return bad;
}

/* ---- slices of a call of many short steps ------------------------------------------------------------------------ */
enum { LAYERS = 60, WIDTH = 16, ROWS = 8, FEWER = 40 };

static ThFunction *deep(ThContext *c) {
    static float weights[LAYERS][WIDTH * WIDTH];
    ThVar *x = th_variable_new(c, (ThType){.dtype = TH_FLOAT32, .ndim = 2}, "x"), *y = th_var_retain(x);
    for (int i = 0; i < LAYERS; i++) {
        ThVar *w = weight(c, weights[i], WIDTH, WIDTH), *p = th_op(c, "dot", 2, y, w), *h = th_op(c, "tanh", 1, p);
        th_var_release(w), th_var_release(p), th_var_release(y);
        y = h;
    }
    const ThIn in = {.var = x, .allow_downcast = -1};
    const ThOut out = {.var = y};
    ThFunction *f =
        th_compile(c, &(ThCompile){.in = &in, .nin = 1, .out = &out, .nout = 1, .allow_input_downcast = -1});
    th_var_release(x), th_var_release(y);
    return f;
}

/* In turns, since they differ by little. */
static int slices(ThContext *c) {
    const int64_t shape[2] = {ROWS, WIDTH};
    ThFunction *f = deep(c);
    ThArray *a = th_array_zeros(c, TH_FLOAT32, 2, shape);
    const ThArg arg = {.kind = TH_ARG_ARRAY, .array = a};
    Case both[2] = {{.run = run_bound}, {.run = run_slice}};
    double best[2] = {1e30, 1e30};
    int bad = 0;
    for (int k = 0; k < 2; k++) bad |= !(both[k].bound = f ? th_call_new(f, &arg, 1) : NULL);
    for (int r = 0; r < 6 * ROUNDS && !bad; r++) {
        double t = now();
        for (int i = 0; i < CALLS / FEWER; i++) bad |= both[r % 2].run(&both[r % 2]);
        t = (now() - t) / (CALLS / FEWER);
        if (t < best[r % 2]) best[r % 2] = t;
    }
    printf("from C, 60 small products: %.0f ns, in slices: %.0f ns, %+.1f %%\n", best[0], best[1],
           (best[1] / best[0] - 1) * 100);
    for (int k = 0; k < 2; k++) th_call_release(both[k].bound);
    th_array_release(a);
    th_function_release(f);
    return bad;
}

/* ---- contexts, models, threads ----------------------------------------------------------------------------------- */
static double clock_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void contexts(void) {
    double best = 1e30;
    for (int r = 0; r < ROUNDS; r++) {
        double t = now();
        th_context_release(th_context_new(NULL));
        t = now() - t;
        if (t < best) best = t;
    }
    printf("from C, a context made and freed: %.1f us\n", best / 1000);
}

/* A network of a megabyte, as bytes; loaded into a context that interprets. */
static int models(void) {
    enum { WIDE = 512 };
    ThContext *c = th_context_new(NULL);
    th_config_set(c, "linker", "py");
    float *at = malloc(WIDE * WIDE * sizeof *at);
    ThVar *x = th_variable_new(c, (ThType){.dtype = TH_FLOAT32, .ndim = 2}, "x"), *w = weight(c, at, WIDE, WIDE);
    ThVar *p = th_op(c, "dot", 2, x, w), *y = th_op(c, "tanh", 1, p);
    const ThIn in = {.var = x, .allow_downcast = -1};
    const ThOut out = {.var = y};
    ThFunction *f =
        th_compile(c, &(ThCompile){.in = &in, .nin = 1, .out = &out, .nout = 1, .allow_input_downcast = -1});
    void *bytes = NULL;
    size_t n = 0;
    int bad = !f || th_function_save(f, NULL, &bytes, &n);
    double best = 1e30;
    for (int r = 0; r < ROUNDS && !bad; r++) {
        double t = now();
        ThFunction *g = th_load(c, bytes, n, NULL, NULL);
        t = now() - t;
        bad = !g;
        th_function_release(g);
        if (t < best) best = t;
    }
    printf("from C, a model of %.2f MB loaded: %.0f us\n", (double)n / 1e6, best / 1000);
    th_free(c, bytes);
    th_function_release(f);
    th_var_release(x), th_var_release(w), th_var_release(p), th_var_release(y);
    free(at);
    th_context_release(c);
    return bad;
}

enum { CALLERS = 8 };
static void *caller(void *user) {
    for (int i = 0; i < CALLS; i++) th_call_run(user);
    return NULL;
}

static int threads(ThContext *c) {
    static float rows[CALLERS][IN];
    ThFunction *f = policy(c);
    ThCall *b[CALLERS];
    int bad = !f;
    for (int i = 0; i < CALLERS; i++) bad |= !(b[i] = bind_row(c, f, rows[i]));
    enum { TURNS = 9, MOST = 4 }; /* 1, 2, 4, 8 threads in turns: what else runs meets all of them */
    double best[MOST] = {1e30, 1e30, 1e30, 1e30};
    for (int k = 0; k < TURNS * MOST && !bad; k++) {
        pthread_t id[CALLERS];
        const int n = 1 << k % MOST;
        double t = clock_now();
        for (int i = 0; i < n; i++) pthread_create(&id[i], NULL, caller, b[i]);
        for (int i = 0; i < n; i++) pthread_join(id[i], NULL);
        t = (clock_now() - t) / CALLS / n;
        if (t < best[k % MOST]) best[k % MOST] = t;
    }
    for (int i = 0; i < MOST; i++) printf("from C, %d threads on one function: %.0f ns a call\n", 1 << i, best[i]);
    for (int i = 0; i < CALLERS; i++) th_call_release(b[i]);
    th_function_release(f);
    return bad;
}

int main(void) {
    ThContext *c = th_context_new(NULL);
    th_config_set(c, "linker", "c"); /* compiled from the first call on */
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
    bad = bad || policies(c) || policy_in_tiers() || slices(c) || models() || threads(c);
    contexts();
    if (bad) fprintf(stderr, "%s\n", th_error_text(c));
    for (int i = 0; i < 5; i++) th_call_release(cases[i].bound);
    th_array_release(a);
    th_array_release(v);
    th_function_release(scalar);
    th_function_release(vector);
    th_context_release(c);
    return bad;
}
