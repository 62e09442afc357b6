/*
 * plan_fuzz.c -- random small graphs: the planner's fused kernels against every operation evaluated alone (eager
 * calls), with and without optimization. Seeds are fixed; the first failing one is printed and can be given as an
 * argument.
 */
#include "runtime/frame/runtime.h"
#include "plan_test.h"

enum { POOL = 40, ROWS = 3, COLS = 4, SHAREDS = 3, INPUTS = 3 }; /* the pool starts with shareds, then inputs */
typedef struct Pool {
    ThContext *c;
    uint64_t seed;
    int n;
    ThVar *v[POOL];
    ThArray *a[POOL];
} Pool;

static int pick(Pool *p, int n) {
    p->seed = p->seed * 6364136223846793005ull + 1442695040888963407ull;
    return (int)((p->seed >> 33) % (uint64_t)n);
}

static bool same_shape(const ThArray *a, const ThArray *b) {
    return a->ndim == b->ndim && !memcmp(ARRAY_SHAPE(a), ARRAY_SHAPE(b), sizeof(int64_t) * (size_t)a->ndim);
}

/* a row or scalar that broadcasts to b from the right */
static bool fits_right(const ThArray *a, const ThArray *b) {
    return a->ndim < b->ndim && (a->ndim == 0 || (a->ndim == 1 && ARRAY_SHAPE(a)[0] == ARRAY_SHAPE(b)[b->ndim - 1]));
}

/* a kept column or row: lengths of 1 that the type promises */
static bool fits_kept(const ThArray *a, const ThArray *b) {
    bool fits = a->ndim == b->ndim;
    for (int d = 0; d < a->ndim && fits; d++) fits = ARRAY_SHAPE(a)[d] == ARRAY_SHAPE(b)[d] || ARRAY_SHAPE(a)[d] == 1;
    return fits;
}

/* Calls a function both ways; the result joins the pool. */
static void apply_more(Pool *p, const char *name, const int *in, int nin, ThArg extra, ThArg extra2) {
    ThArg sym[5], now[5];
    int n = nin, f = th_func_find(name);
    for (int i = 0; i < nin; i++) {
        sym[i] = (ThArg){.kind = TH_ARG_VAR, .var = p->v[in[i]]};
        now[i] = (ThArg){.kind = TH_ARG_ARRAY, .array = p->a[in[i]]};
    }
    if (extra.kind != TH_ARG_NONE) sym[n] = now[n] = extra, n++;
    if (extra2.kind != TH_ARG_NONE) sym[n] = now[n] = extra2, n++;
    ThVar *v[1] = {0};
    ThArray *a[1] = {0};
    if (f < 0 || p->n == POOL || th_build(p->c, f, sym, n, v, 1) != 1) return;
    if (th_eager(p->c, f, now, n, a, 1) != 1) {
        th_var_release(v[0]);
        return;
    }
    p->v[p->n] = v[0];
    p->a[p->n++] = a[0];
}

static void apply(Pool *p, const char *name, const int *in, int nin, ThArg extra) {
    apply_more(p, name, in, nin, extra, (ThArg){.kind = TH_ARG_NONE});
}

/* Rows less their mean, over their sum, ..: stages over the same rows. */
static void normalize(Pool *p, int a) {
    static const char *const fold[] = {"sum", "max", "mean", "min"};
    static const char *const by[] = {"sub", "mul", "add", "maximum"};
    ThArg axis = {.kind = TH_ARG_INT, .i = pick(p, 3) ? 1 : 0, .key = "axis"};
    ThArg keep = {.kind = TH_ARG_BOOL, .i = 1, .key = "keepdims"};
    int n = p->n;
    apply_more(p, fold[pick(p, TH_LEN(fold))], &a, 1, axis, keep);
    if (p->n > n) apply(p, by[pick(p, TH_LEN(by))], (int[]){a, n}, 2, (ThArg){.kind = TH_ARG_NONE});
}

/* Numbers of a key, which readers may join. */
static void draw(Pool *p) {
    const uint32_t words[4] = {(uint32_t)pick(p, 1 << 20), 7, 0, 0};
    ThArray *key = array(p->c, TH_UINT32, 1, (int64_t[]){2}, words);
    ThArray *counter = array(p->c, TH_UINT32, 1, (int64_t[]){4}, words);
    int which = pick(p, 3), f = th_func_find("random.philox");
    ThArg length[2] = {{.kind = TH_ARG_INT, .i = which == 1 ? COLS : ROWS}, {.kind = TH_ARG_INT, .i = COLS}};
    ThArg size = {.kind = TH_ARG_LIST, .list = {length, which ? 1 : 2}};
    ThArg dtype = {.kind = TH_ARG_STR, .s = "float64", .key = "dtype"};
    ThArg sym[4] = {{.kind = TH_ARG_VAR, .var = th_constant_new(p->c, key, NULL)},
                    {.kind = TH_ARG_VAR, .var = th_constant_new(p->c, counter, NULL)},
                    size,
                    dtype};
    ThArg now[4] = {{.kind = TH_ARG_ARRAY, .array = key}, {.kind = TH_ARG_ARRAY, .array = counter}, size, dtype};
    ThVar *v[1] = {0};
    ThArray *a[1] = {0};
    if (p->n < POOL && th_build(p->c, f, sym, 4, v, 1) == 1) {
        if (th_eager(p->c, f, now, 4, a, 1) == 1) p->v[p->n] = v[0], p->a[p->n++] = a[0];
        else th_var_release(v[0]);
    }
    th_var_release(sym[0].var);
    th_var_release(sym[1].var);
    th_array_release(key);
    th_array_release(counter);
}

static void grow(Pool *p) {
    static const char *const one[] = {"tanh", "sqr", "neg", "exp", "sigmoid"};
    static const char *const two[] = {"add", "mul", "sub", "maximum", "minimum"};
    static const char *const fold[] = {"sum", "max", "mean", "prod"};
    ThArg none = {.kind = TH_ARG_NONE};
    int a = pick(p, p->n), b = pick(p, p->n), what = pick(p, 15);
    const ThArray *x = p->a[a], *y = p->a[b];
    if (what > 12) {
        draw(p);
    } else if (what < 2) {
        apply(p, one[pick(p, TH_LEN(one))], &a, 1, none);
    } else if (what < 6) {
        if (same_shape(x, y) || fits_right(x, y) || fits_right(y, x) || fits_kept(x, y) || fits_kept(y, x))
            apply(p, two[pick(p, TH_LEN(two))], (int[]){a, b}, 2, none);
    } else if (what < 8 && x->ndim > 0) {
        ThArg axis = {.kind = TH_ARG_INT, .i = pick(p, x->ndim), .key = "axis"};
        if (pick(p, 4) == 0) axis = none;
        apply(p, fold[pick(p, TH_LEN(fold))], &a, 1, axis);
    } else if (what == 8 && x->ndim == 2) {
        apply(p, "transpose", &a, 1, none);
    } else if (what > 9 && x->ndim == 2) {
        normalize(p, a);
    } else if (what == 9 && x->ndim == 2 && y->ndim > 0 && ARRAY_SHAPE(x)[1] == ARRAY_SHAPE(y)[0]) {
        apply(p, "dot", (int[]){a, b}, 2, none);
    } else if (what == 9 && x->ndim == 2) {
        ThArg nd = {.kind = TH_ARG_INT, .i = 1, .key = "ndim"};
        apply(p, "flatten", &a, 1, nd);
    }
}

static double item(const ThArray *a, int64_t i) {
    ThValue v = {0};
    int64_t at[2] = {i, 0};
    if (a->ndim == 2) at[0] = i / ARRAY_SHAPE(a)[1], at[1] = i % ARRAY_SHAPE(a)[1];
    th_array_get(a, at, &v);
    return v.f;
}

static bool close_to(const ThArray *a, const ThArray *b) {
    if (!a || !b || !same_shape(a, b)) return false;
    for (int64_t i = 0; i < a->size; i++) {
        double x = item(a, i), y = item(b, i);
        if (!(x == y || (isnan(x) && isnan(y)) || fabs(x - y) <= 1e-9 * (1 + fabs(x)))) return false;
    }
    return true;
}

/* A node that may become the new value of shared number i, or i itself. */
static int update_for(Pool *p, int i) {
    for (int tries = 0; tries < 20; tries++) {
        int k = pick(p, p->n);
        if (k != i && type_eq(th_var_type(p->v[k]), th_var_type(p->v[i])) && same_shape(p->a[k], p->a[i])) return k;
    }
    return i;
}

/* The shareds hold what their updates computed; then they get their first values again. */
static bool updated(Pool *p, const int *up, const char *mode) {
    bool ok = true;
    for (int i = 0; i < SHAREDS; i++) {
        ThArray *now = th_shared_get(p->v[i], true);
        if (!close_to(now, p->a[up[i]])) {
            fprintf(stderr, "%s: the update of shared %d by node %d differs\n", mode, i, up[i]);
            ok = false;
        }
        th_array_release(now);
        ok &= th_shared_set(p->v[i], p->a[i], false) == 0;
    }
    return ok;
}

/* Compiles three random nodes as outputs and updates of the shareds, and compares. */
static bool compare(Pool *p, const char *mode) {
    ThIn in[INPUTS];
    ThOut out[3];
    ThPair pair[SHAREDS];
    int which[3], up[SHAREDS];
    memset(in, 0, sizeof in);
    memset(out, 0, sizeof out);
    for (int i = 0; i < INPUTS; i++) in[i] = (ThIn){.var = p->v[SHAREDS + i], .allow_downcast = -1};
    for (int o = 0; o < 3; o++) {
        which[o] = o == 0 ? p->n - 1 : pick(p, p->n);
        out[o].var = p->v[which[o]];
    }
    for (int i = 0; i < SHAREDS; i++) {
        up[i] = update_for(p, i);
        pair[i] = (ThPair){p->v[i], p->v[up[i]]};
    }
    ThCompile s = {.in = in,
                   .nin = INPUTS,
                   .out = out,
                   .nout = 3,
                   .updates = pair,
                   .nupdates = SHAREDS,
                   .mode = mode,
                   .linker = "interpreter",
                   .on_unused_input = "ignore",
                   .allow_input_downcast = -1};
    ThFunction *f = th_compile(p->c, &s);
    ThArray *res[3] = {0};
    bool ok = f && plan_check(function_plan(f)) && th_call(f, p->a + SHAREDS, INPUTS, res) == 0;
    if (!ok) fprintf(stderr, "%s: %s\n", mode, th_error_text(p->c));
    for (int o = 0; o < 3 && ok; o++) {
        ok = close_to(res[o], p->a[which[o]]);
        if (!ok) fprintf(stderr, "%s: output %d (node %d) differs\n", mode, o, which[o]);
    }
    ok = ok && updated(p, up, mode);
    if (!ok && f && getenv("PLAN_SHOW")) show(function_plan(f));
    for (int o = 0; o < 3; o++) th_array_release(res[o]);
    th_function_release(f);
    return ok;
}

static ThArray *filled(Pool *p, int ndim, const int64_t *shape) {
    ThArray *a = th_array_zeros(p->c, TH_FLOAT64, ndim, shape);
    for (int64_t i = 0; a && i < a->size; i++) ((double *)th_array_data(a))[i] = (pick(p, 2001) - 1000) / 1000.0;
    return a;
}

static bool run(uint64_t seed) {
    const ThHost counts = test_failing_host(0);
    Pool p = {.c = th_context_new(&counts), .seed = seed * 7919 + 1};
    const int64_t rows = ROWS, cols = seed % 3 ? COLS : ROWS; /* squares: rows fit where columns do */
    const int64_t shapes[SHAREDS + INPUTS][2] = {{rows, cols}, {rows, cols}, {cols, 0},
                                                 {rows, cols}, {cols, 0},    {rows, 0}};
    for (int i = 0; i < SHAREDS + INPUTS; i++) {
        int nd = shapes[i][1] ? 2 : 1;
        p.a[p.n] = filled(&p, nd, shapes[i]);
        p.v[p.n] = i < SHAREDS ? th_shared_new(p.c, p.a[p.n], "w", false, 0) : tensor(p.c, TH_FLOAT64, nd, 0, "x");
        p.n++;
    }
    int size = 8 + pick(&p, POOL - 12);
    for (int tries = 0; tries < 200 && p.n < size; tries++) grow(&p);
    bool ok = !th_error(p.c);
    if (!ok) fprintf(stderr, "building: %s\n", th_error_text(p.c));
    ok = ok && compare(&p, "None") && compare(&p, "FAST_RUN") && compare(&p, "FAST_RUN");
    for (int i = 0; i < p.n; i++) {
        th_var_release(p.v[i]);
        th_array_release(p.a[i]);
    }
    th_context_release(p.c);
    CHECK(test_leaked() == 0);
    return ok && !test_leaked();
}

int main(int argc, char **argv) {
    uint64_t from = argc > 1 ? strtoull(argv[1], NULL, 10) : 0, n = argc > 1 ? 1 : (uint64_t)test_amount(300);
    if (argc > 2) n = strtoull(argv[2], NULL, 10);
    for (uint64_t s = from; s < from + n; s++)
        if (!run(s)) {
            fprintf(stderr, "seed %llu\n", (unsigned long long)s);
            CHECK(!"a compiled graph differs from its operations alone");
            break;
        }
    return test_done("plan_fuzz");
}
