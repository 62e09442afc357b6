/*
 * backend_cuda.c -- every class of kernel as CUDA text: run by the emulated driver and compared with the interpreter on
 * the same plan, and compiled by NVRTC for two architectures where that library is. Last, the emulation's own promises.
 */
#include "build/build.h"
#include "backend_cuda/cuda.h"
#include "compile/compile.h"
#include "runtime/device/device.h"
#include "runtime/function.h"
#include "runtime/gpu/gpu.h"
#include "plan_test.h"

#include <dirent.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static ThContext *c;
static bool nvrtc = true;
static char root[64];

static void quiet(void *user, const char *text) { (void)user, (void)text; }

#define over(...) build(__VA_ARGS__) /* a function of x over an axis */

/* ---- data -------------------------------------------------------------------------------------------------------- */
static double random_number(void) {
    static uint64_t x = 12345;
    x = x * 6364136223846793005u + 1442695040888963407u;
    return (double)(x >> 33) / 4294967296.0 * 4 - 1; /* in [-1, 1) */
}

static ThArray *filled(ThDtype d, int ndim, const int64_t *shape, double scale, double shift) {
    ThArray *a = th_array_zeros(c, d, ndim, shape);
    for (int64_t i = 0; a && i < th_array_size(a); i++) {
        double v = random_number() * scale + shift;
        dtype_cast((char *)th_array_data(a) + (size_t)i * th_dtype_bytes(d), d, 0, (const char *)&v, TH_FLOAT64, 0, 1);
    }
    return a;
}

/* Element i; of complex arrays the parts stand one after the other. */
static double element(const ThArray *a, int64_t i) {
    double v;
    ThDtype part = scalar_real_of(a->dtype);
    dtype_cast((char *)&v, TH_FLOAT64, 0, a->data + (size_t)i * th_dtype_bytes(part), part, 0, 1);
    return v;
}

/* Equal to rounding; integers and NaN exactly. */
static bool near(const ThArray *a, const ThArray *b) {
    if (!a || !b || a->dtype != b->dtype || a->size != b->size || a->ndim != b->ndim) return false;
    ThDtype part = scalar_real_of(a->dtype);
    double tolerance = part == TH_FLOAT32 ? 2e-5 : part == TH_FLOAT64 ? 1e-13 : 0;
    for (int64_t i = 0; i < a->size * (part == a->dtype ? 1 : 2); i++) {
        double x = element(a, i), y = element(b, i);
        if (x == y || (x != x && y != y)) continue;
        if (!(fabs(x - y) <= tolerance * (1 + fabs(x)))) {
            fprintf(stderr, "element %lld: %.17g and %.17g\n", (long long)i, x, y);
            return false;
        }
    }
    return true;
}

/* ---- what is asked of NVRTC -------------------------------------------------------------------------------------- */
/* Under sanitizers and valgrind it takes many times as long, and there is nothing of ours to see in it. */
static bool watched(void) {
#ifdef __SANITIZE_ADDRESS__
    return true;
#else
    return test_amount(1000) < 1000;
#endif
}

/* One of so many, other ones every day: all with TH_ALL, those of day n with TH_SEED=n. */
static bool of_today(int number, int days) {
    const char *seed = getenv("TH_SEED");
    long day = seed && *seed ? strtol(seed, NULL, 10) : (long)(time(NULL) / 86400);
    if (watched()) days = 32;
    return getenv("TH_ALL") || (number + day) % days == 0;
}

/* ---- one comparison ---------------------------------------------------------------------------------------------- */
/* A third of the texts a day NVRTC takes too, for one of two architectures in turn; each holds `word` (what tells the
 * class of kernel). */
static void check_text(const Plan *p, const char *name, const char *word) {
    Text t;
    text_init(&t, c);
    CHECK(backend_cuda.emit(&t, p, NULL, NULL) && t.at);
    if (!strstr(t.at, word)) fprintf(stderr, "%s: no '%s' in its text\n", name, word);
    CHECK(strstr(t.at, word));
    static int turn;
    turn++;
    int rc = !nvrtc ? 1 : !of_today(turn, 3) ? 0 : cuda_compile_check(c, t.at, turn % 2 ? "sm_90" : "sm_80");
    nvrtc = rc != 1;
    CHECK(rc == 0 || rc == 1);
    if (rc == 2) fprintf(stderr, "%s: %s\n", name, th_error_text(c));
    th_error_clear(c);
    text_free(&t);
}

/* One call by the interpreter, one by the unit: near results. Arguments are released. */
static void same_call(const char *name, Made *m, Unit *unit, int nin, int nout, ThArray **args) {
    ThArray *want[8] = {0}, *got[8] = {0};
    m->fn->unit = NULL;
    CHECK(call(m, args, nin, want) == 0);
    m->fn->unit = unit;
    CHECK(call(m, args, nin, got) == 0);
    for (int o = 0; o < nout; o++) {
        bool good = near(want[o], got[o]);
        if (!good) fprintf(stderr, "%s: output %d differs\n", name, o);
        CHECK(good);
        th_array_release(want[o]);
        th_array_release(got[o]);
    }
    for (int i = 0; i < nin; i++) th_array_release(args[i]);
}

/* The plan of the outputs through interpreter and emulation, for n lists of arguments, one behind the other. */
static void same_lists(const char *name, ThVar *const *in, int nin, ThVar *const *out, int nout, ThArray **args, int n,
                       const char *word) {
    for (int o = 0; o < nout; o++) {
        CHECK(out[o] != NULL);
        if (!out[o]) fprintf(stderr, "%s: output %d: %s\n", name, o, th_error_text(c));
        if (!out[o]) return;
    }
    Made m = make(c, in, nin, out, nout, NULL, NULL, 0);
    CHECK(m.plan && m.fn);
    if (!m.fn) {
        fprintf(stderr, "%s: %s\n", name, th_error_text(c));
        return;
    }
    check_text(m.plan, name, word);
    Unit *unit = compile_for_device(c, m.plan);
    CHECK(unit != NULL);
    for (int i = 0; i < n; i++) same_call(name, &m, unit, nin, nout, args + i * nin);
    unmake(&m);
    CHECK(th_error(c) == TH_OK);
    th_error_clear(c);
}

static void same(const char *name, ThVar *const *in, int nin, ThVar *const *out, int nout, ThArray **args,
                 const char *word) {
    same_lists(name, in, nin, out, nout, args, 1, word);
}

/* Both fail, with one message. */
static void same_error(const char *name, ThVar *const *in, int nin, ThVar *out, ThArray **args, ThError kind,
                       const char *words) {
    CHECK(out != NULL);
    if (!out) return;
    Made m = make(c, in, nin, &out, 1, NULL, NULL, 0);
    char text[4096];
    ThArray *got[1] = {0};
    CHECK(m.fn != NULL);
    if (!m.fn) return;
    check_text(m.plan, name, "record(a.err");
    CHECK(call(&m, args, nin, got) != 0);
    snprintf(text, sizeof text, "%s", th_error_text(c));
    CHECK_ERROR(c, kind, words);
    m.fn->unit = compile_for_device(c, m.plan);
    CHECK(m.fn->unit != NULL);
    CHECK(call(&m, args, nin, got) != 0);
    CHECK_TEXT(th_error_text(c), text);
    th_error_clear(c);
    unmake(&m);
    for (int i = 0; i < nin; i++) th_array_release(args[i]);
}

static ThVar *call_with(const char *name, const ThArg *args, int n) {
    ThVar *out[4] = {0};
    int got = th_build(c, th_func_find(name), args, n, out, 4);
    if (got < 1) fprintf(stderr, "%s: %s\n", name, th_error_text(c));
    for (int i = 1; i < got; i++) th_var_release(out[i]);
    return got < 1 ? NULL : kept(out[0]);
}
#define VAR(v) \
    { .kind = TH_ARG_VAR, .var = (v) }

/* ---- classes of kernels ------------------------------------------------------------------------------------------ */
static void elementwise(ThDtype d) {
    ThVar *x = tensor(c, d, 2, 0, "x"), *row = tensor(c, d, 2, 1, "row"), *col = tensor(c, d, 2, 2, "col");
    ThVar *y = th_op(c, "mul", 2, th_op(c, "tanh", 1, th_op(c, "add", 2, x, row)), col);
    ThArray *a[] = {filled(d, 2, (int64_t[]){37, 53}, 1, 0), filled(d, 2, (int64_t[]){1, 53}, 1, 0),
                    filled(d, 2, (int64_t[]){37, 1}, 1, 0)};
    same("broadcasting", (ThVar *[]){x, row, col}, 3, &y, 1, a, "gridDim.x * (ix)blockDim.x");
    ThArray *none[] = {filled(d, 2, (int64_t[]){0, 53}, 1, 0), filled(d, 2, (int64_t[]){1, 53}, 1, 0),
                       filled(d, 2, (int64_t[]){0, 1}, 1, 0)};
    same("no elements", (ThVar *[]){x, row, col}, 3, &y, 1, none, "KERNEL");
}

/* Every scalar operation that takes floats, eight to a unit; among the numbers are NaN, infinities and zeros. */
static void all_scalars(ThDtype d) {
    ThVar *x = tensor(c, d, 1, 0, "x"), *y = tensor(c, d, 1, 0, "y"), *out[8];
    int n = 0, tried = 0;
    for (int op = 0; op < scalar_count; op++) {
        const ScalarOp *s = &scalar_ops[op];
        if (!s->value || op == S_switch || op == S_clip || op == S_cast || op == S_identity || op == S_second) continue;
        bool whole = (op >= S_and_ && op <= S_invert) || s->result == RES_INTS || op == S_ldexp;
        if (whole || th_func_find(s->name) < 0) continue;
        out[n] = s->arity == 1 ? th_op(c, s->name, 1, x) : th_op(c, s->name, 2, x, y);
        if (!out[n]) fprintf(stderr, "%s: %s\n", s->name, th_error_text(c));
        CHECK(out[n] != NULL);
        n++;
        tried++;
        if (n < 8 && op + 1 < scalar_count) continue;
        ThArray *a[] = {filled(d, 1, (int64_t[]){300}, 3, 0), filled(d, 1, (int64_t[]){300}, 2, 0.5)};
        const double special[] = {0, -0.0, 1, -1, 0.5, INFINITY, -INFINITY, NAN, 1e30, -700, 700};
        for (int i = 0; i < TH_LEN(special); i++)
            dtype_cast(a[0]->data + (size_t)i * th_dtype_bytes(d), d, 0, (const char *)&special[i], TH_FLOAT64, 0, 1);
        same(s->name, (ThVar *[]){x, y}, 2, out, n, a, "KERNEL");
        n = 0;
    }
    CHECK(tried > 40);
}

/* Every scalar operation with a complex form (of complex64, which is computed in complex128, a few), and sums,
 * products, dot of complex numbers. */
static void complex_numbers(ThDtype d) {
    ThVar *x = tensor(c, d, 1, 0, "x"), *y = tensor(c, d, 1, 0, "y"), *m = tensor(c, d, 2, 0, "m"), *out[8];
    int n = 0, tried = 0;
    for (int op = d == TH_COMPLEX64 ? S_sqrt : 0; op <= (d == TH_COMPLEX64 ? S_exp : scalar_count); op++) {
        const ScalarOp *s = &scalar_ops[op < scalar_count ? op : 0];
        bool is = op < scalar_count && (s->flags & SF_COMPLEX) && s->arity < 3 && th_func_find(s->name) >= 0;
        if (is && op != S_cast && op != S_identity && op != S_second) {
            out[n++] = s->arity == 1 ? th_op(c, s->name, 1, x) : th_op(c, s->name, 2, x, y);
            tried++;
        }
        if (n < 8 && !(n && op >= (d == TH_COMPLEX64 ? S_exp : scalar_count))) continue;
        ThArray *a[] = {filled(d, 1, (int64_t[]){300}, 1, 0), filled(d, 1, (int64_t[]){300}, 1, 0.5)};
        for (int64_t i = 0; i < 300; i++) { /* imaginary parts too */
            double v = random_number();
            size_t bytes = th_dtype_bytes(scalar_real_of(d));
            dtype_cast(a[0]->data + (size_t)(2 * i + 1) * bytes, scalar_real_of(d), 0, (const char *)&v, TH_FLOAT64, 0,
                       1);
        }
        same("complex", (ThVar *[]){x, y}, 2, out, n, a, "KERNEL");
        n = 0;
    }
    CHECK(tried > (d == TH_COMPLEX64 ? 7 : 30));
    ThVar *red[] = {over(c, "sum", m, 0), over(c, "prod", m, 1), th_op(c, "dot", 2, m, x)};
    ThArray *a[] = {filled(d, 2, (int64_t[]){7, 700}, 0.1, 0.9), filled(d, 1, (int64_t[]){700}, 1, 0.5)};
    same("complex sums", (ThVar *[]){m, x}, 2, red, TH_LEN(red), a, "KERNEL");
}

static void integers(void) {
    ThVar *x = tensor(c, TH_INT32, 1, 0, "x"), *y = tensor(c, TH_INT8, 1, 0, "y"),
          *f = tensor(c, TH_FLOAT64, 1, 0, "f");
    ThArg to[2] = {VAR(f), {.kind = TH_ARG_STR, .s = "int16"}};
    ThVar *out[] = {th_op(c, "int_div", 2, x, y),  th_op(c, "mod", 2, x, y), th_op(c, "xor", 2, x, y),
                    th_op(c, "true_div", 2, x, y), call_with("cast", to, 2), th_op(c, "maximum", 2, x, y)};
    ThArray *a[] = {filled(TH_INT32, 1, (int64_t[]){500}, 1e6, 0), filled(TH_INT8, 1, (int64_t[]){500}, 20, 40),
                    filled(TH_FLOAT64, 1, (int64_t[]){500}, 1e5, 0)};
    for (int i = 0; i < 500; i++)
        if (!a[1]->data[i]) a[1]->data[i] = 3;
    same("integers", (ThVar *[]){x, y, f}, 3, out, TH_LEN(out), a, "div_floor");
    ThArray *zero[] = {filled(TH_INT32, 1, (int64_t[]){5}, 1e6, 0), th_array_zeros(c, TH_INT8, 1, (int64_t[]){5})};
    same_error("division", (ThVar *[]){x, y}, 2, out[0], zero, TH_ZeroDivisionError, "division");
}

static void reductions(ThDtype d, int64_t rows, int64_t cols) {
    static const char *const op[] = {"sum", "max", "min", "prod", "argmax"};
    ThVar *x = tensor(c, d, 2, 0, "x"), *out[8];
    for (int axis = 0; axis < 2; axis++) {
        for (int i = 0; i < TH_LEN(op); i++) out[i] = over(c, op[i], x, axis);
        ThArray *a = filled(d, 2, (int64_t[]){rows, cols}, 0.3, 0.9);
        same("reductions", &x, 1, out, TH_LEN(op), &a, axis ? "fold_argmax" : "KERNEL");
    }
    ThArg whole = VAR(x);
    for (int i = 0; i < TH_LEN(op); i++) out[i] = call_with(op[i], &whole, 1);
    ThArray *a = filled(d, 2, (int64_t[]){rows, cols}, 0.3, 0.9);
    if (dtype_is_float(d) && rows * cols > 7) { /* the first of two NaN wins */
        const double nan = NAN;
        for (int i = 5; i < 7; i++)
            dtype_cast(a->data + (size_t)i * th_dtype_bytes(d), d, 0, (const char *)&nan, TH_FLOAT64, 0, 1);
    }
    same("whole reductions", &x, 1, out, TH_LEN(op), &a, "fold_sum");
}

static void products(ThDtype d) {
    ThVar *x = tensor(c, d, 2, 0, "x"), *y = tensor(c, d, 2, 0, "y"), *v = tensor(c, d, 1, 0, "v");
    ThVar *out[] = {th_op(c, "dot", 2, x, y), th_op(c, "dot", 2, x, v)};
    ThArray *a[] = {filled(d, 2, (int64_t[]){45, 70}, 1, 0), filled(d, 2, (int64_t[]){70, 33}, 1, 0),
                    filled(d, 1, (int64_t[]){70}, 1, 0),     filled(d, 2, (int64_t[]){3, 0}, 1, 0),
                    filled(d, 2, (int64_t[]){0, 2}, 1, 0),   filled(d, 1, (int64_t[]){0}, 1, 0)};
    same_lists("products", (ThVar *[]){x, y, v}, 3, out, 2, a, 2, "matrices");
}

/* Every shape of tile: small, low, large; factors that lie along their columns; numbers of all kinds. */
static void product_tiles(ThDtype d) {
    static const int64_t shape[][3] = {{33, 31, 35}, {5, 130, 40}, {530, 515, 18}, {64, 64, 64}};
    ThVar *x = tensor(c, d, 2, 0, "x"), *y = tensor(c, d, 2, 0, "y");
    ThVar *turned = th_op(c, "dot", 2, th_op(c, "transpose", 1, y), th_op(c, "transpose", 1, x));
    ThVar *out[] = {th_op(c, "neg", 1, th_op(c, "dot", 2, x, y)), turned};
    ThArray *a[2 * TH_LEN(shape)];
    for (int i = 0; i < TH_LEN(shape); i++) {
        a[2 * i] = filled(d, 2, (int64_t[]){shape[i][0], shape[i][2]}, 3, 0);
        a[2 * i + 1] = filled(d, 2, (int64_t[]){shape[i][2], shape[i][1]}, 3, 0);
    }
    same_lists("tiles", (ThVar *[]){x, y}, 2, out, 2, a, TH_LEN(shape), "matrices");
}

static void batches(ThDtype d) {
    ThVar *x = tensor(c, d, 3, 0, "x"), *y = tensor(c, d, 3, 0, "y"), *z = th_op(c, "batched_dot", 2, x, y);
    ThVar *out[] = {th_op(c, "sqr", 1, z)};
    ThArray *a[] = {filled(d, 3, (int64_t[]){3, 20, 5}, 1, 0), filled(d, 3, (int64_t[]){3, 5, 37}, 1, 0),
                    filled(d, 3, (int64_t[]){0, 20, 5}, 1, 0), filled(d, 3, (int64_t[]){0, 5, 37}, 1, 0)};
    same_lists("batches", (ThVar *[]){x, y}, 2, out, 1, a, 2, "matrices");
}

static void rows(void) {
    ThVar *x = tensor(c, TH_FLOAT64, 2, 0, "x"), *b = tensor(c, TH_FLOAT64, 1, 0, "b"),
          *y = tensor(c, TH_INT64, 1, 0, "y");
    const ThArg loss[3] = {VAR(x), VAR(b), VAR(y)};
    ThVar *out[] = {th_op(c, "nnet.softmax_with_bias", 2, x, b), th_op(c, "nnet.logsoftmax", 1, x),
                    call_with("nnet.crossentropy_softmax_1hot_with_bias", loss, 3)};
    ThArray *a[] = {filled(TH_FLOAT64, 2, (int64_t[]){19, 301}, 3, 0), filled(TH_FLOAT64, 1, (int64_t[]){301}, 1, 0),
                    filled(TH_INT64, 1, (int64_t[]){19}, 100, 150)};
    same("rows", (ThVar *[]){x, b, y}, 3, out, 3, a, "fold_max");
    ThArray *bad[] = {filled(TH_FLOAT64, 2, (int64_t[]){2, 3}, 3, 0), filled(TH_FLOAT64, 1, (int64_t[]){3}, 1, 0),
                      filled(TH_INT64, 1, (int64_t[]){2}, 0, 7)};
    CHECK(bad[2]->size == 2);
    same_error("classes", (ThVar *[]){x, b, y}, 3, out[2], bad, TH_ValueError, "class 7");
}

/* Rows taken and added to by a vector of positions; some come twice. */
static void places(void) {
    ThVar *x = tensor(c, TH_FLOAT64, 2, 0, "x"), *i = tensor(c, TH_INT64, 1, 0, "i"),
          *y = tensor(c, TH_FLOAT64, 2, 0, "y");
    ThArg take[2] = {VAR(x), VAR(i)};
    ThVar *taken = call_with("subtensor", take, 2);
    ThVar *out[] = {taken, th_op(c, "inc_subtensor", 2, taken, y), th_op(c, "set_subtensor", 2, taken, y)};
    ThArray *a[] = {filled(TH_FLOAT64, 2, (int64_t[]){9, 40}, 1, 0), filled(TH_INT64, 1, (int64_t[]){25}, 4, 3),
                    filled(TH_FLOAT64, 2, (int64_t[]){25, 40}, 1, 0)};
    same("gather and scatter", (ThVar *[]){x, i, y}, 3, out, 3, a, "record(a.err");
    ThArray *bad[] = {filled(TH_FLOAT64, 2, (int64_t[]){9, 4}, 1, 0), filled(TH_INT64, 1, (int64_t[]){3}, 0, -10)};
    same_error("positions", (ThVar *[]){x, i}, 2, taken, bad, TH_IndexError, "index -10");
    ThArg slice[3] = {{.kind = TH_ARG_INT, .i = 1}, {.kind = TH_ARG_NONE}, {.kind = TH_ARG_INT, .i = 2}};
    ThArg part[2] = {VAR(x), {.kind = TH_ARG_LIST, .list = {slice, 3}}};
    part[1].kind = TH_ARG_SLICE;
    ThVar *odd = call_with("subtensor", part, 2);
    ThVar *views[] = {odd, th_op(c, "inc_subtensor", 2, odd, odd)};
    ThArray *v[] = {filled(TH_FLOAT64, 2, (int64_t[]){9, 40}, 1, 0)};
    same("slices", &x, 1, views, 2, v, "KERNEL");
}

/* name(first, second, (n,)), with what follows it in the same kernel; of a draw by streams the states too. */
static int draw(const char *name, ThVar *first, ThVar *second, int64_t n, const char *dtype, ThVar **out) {
    ThArg size = {.kind = TH_ARG_INT, .i = n};
    ThArg args[4] = {
        VAR(first), VAR(second), {.kind = TH_ARG_LIST, .list = {&size, 1}}, {.kind = TH_ARG_STR, .s = dtype}};
    ThVar *made[2] = {0};
    args[3].key = "dtype";
    if (!second) args[1] = args[2], args[2] = args[3];
    int nout = th_build(c, th_func_find(name), args, second ? 4 : 3, made, 2), last = nout - 1;
    for (int o = 0; o < nout; o++) out[o] = kept(made[o]);
    if (last >= 0) out[last] = th_op(c, "add", 2, out[last], out[last]);
    return nout;
}

static void draws(void) {
    static const char *const dtype[] = {"float32", "float64", "uint32", "uint64"};
    ThVar *states = tensor(c, TH_INT32, 2, 0, "states"), *key = tensor(c, TH_UINT32, 1, 0, "key");
    ThVar *counter = tensor(c, TH_UINT32, 1, 0, "counter"), *out[2];
    for (int d = 0; d < 4; d++) {
        for (int64_t n = 1; n < 5000; n = 5 * n + 3) {
            ThArray *words[] = {filled(TH_UINT32, 1, (int64_t[]){2}, 1e9, 2e9),
                                filled(TH_UINT32, 1, (int64_t[]){4}, 1e9, 3e9)};
            CHECK(draw("random.philox", key, counter, n, dtype[d], out) == 1);
            same(dtype[d], (ThVar *[]){key, counter}, 2, out, 1, words, "philox(c, ");
            if (d > 1) continue;
            ThArray *rows = filled(TH_INT32, 2, (int64_t[]){70, 6}, 3e8, 1e9);
            CHECK(draw("random.mrg_uniform", states, NULL, n, dtype[d], out) == 2);
            same(dtype[d], &states, 1, out, 2, &rows, "mrg_next(y)");
        }
    }
    ThArray *none = th_array_zeros(c, TH_INT32, 2, (int64_t[]){3, 6});
    CHECK(draw("random.mrg_uniform", states, NULL, 9, "float64", out) == 2);
    same_error("no states", &states, 1, out[1], &none, TH_ValueError, "the states are no states of MRG31k3p");
}

/* A text that is no CUDA is refused with the compiler's words. */
static void nonsense(void) {
    if (!nvrtc) return;
    CHECK(cuda_compile_check(c, "extern \"C\" __global__ void k(void) { nonsense_here; }", "sm_90") == 2);
    CHECK_ERROR(c, TH_CompileError, "nonsense_here");
    CHECK(cuda_compile_check(c, "", "sm_1") == 2);
    CHECK_ERROR(c, TH_CompileError, "sm_1");
}

/* ---- the emulation itself ---------------------------------------------------------------------------------------- */
/* Three blocks of the kernel through the emulated compiler and driver; its status, and its n numbers in `out`. */
static DeviceStatus emulated(const char *kernel, unsigned threads, double *out, int n) {
    static char text[4096];
    const char *why;
    Device *d = device_open(c, "cuda", &why);
    DeviceQueue q = {.device = d};
    DeviceAddress a = 0;
    void *module = NULL, *k = NULL;
    size_t bytes;
    snprintf(text, sizeof text, "%stypedef struct { f64 *out; } Args;\nKERNEL kernel(const Args a) {\n%s\n}\n",
             cuda_prelude, kernel);
    char *image = d ? cuda_image(c, d, text, &bytes) : NULL;
    CHECK(image && !d->op->open(&q) && !d->op->alloc(&q, sizeof *out * (size_t)n, &a));
    if (!a) return DEVICE_FAILED;
    CHECK(!d->op->module_load(&q, image, &module) && !d->op->kernel(&q, module, "kernel", &k));
    CHECK(!d->op->copy_in(&q, a, out, sizeof *out * (size_t)n));
    DeviceStatus s = d->op->launch(&q, k, (DeviceGrid){3, threads, 0}, &a);
    if (!s) s = d->op->wait(&q);
    if (!s) s = d->op->copy_out(&q, out, a, sizeof *out * (size_t)n);
    if (!s) s = d->op->free(&q, a);
    d->op->module_free(&q, module);
    d->op->close(&q);
    if (s == DEVICE_LOST) CHECK(!device_error(c, &q, s, "it runs") && !d->op->rebuild(d));
    ctx_free(c, image, bytes);
    return s;
}

/* The host reads what is on the device, behind work there. */
static void reach(void) {
    const char *why;
    Device *d = device_open(c, "cuda", &why);
    DeviceQueue q = {.device = d};
    DeviceAddress a = 0;
    double v = 1;
    if (!d || d->op->open(&q) || d->op->alloc(&q, sizeof v, &a)) _exit(0);
    if (d->op->copy_in(&q, a, &v, sizeof v) || d->op->wait(&q)) _exit(0);
    _exit(*(volatile double *)(uintptr_t)a == 2);
}

/* What a process of its own ends with that runs the kernel over 32 numbers, or reaches for memory without one. */
static bool ends_well(const char *kernel) {
    double out[32] = {0};
    int status = -1;
    pid_t pid = fork();
    if (!pid) {
        alarm(300);
        if (!freopen("/dev/null", "w", stderr)) _exit(2);
        if (!kernel) reach();
        _exit(emulated(kernel, 1, out, 32) != 0);
    }
    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Nothing beside what was allocated can be touched by a kernel, and nothing at all by the host. */
static void fences(void) {
    CHECK(ends_well("a.out[31] = 1;"));
    CHECK(!ends_well("a.out[32] = 1;"));
    CHECK(!ends_well("a.out[-512] = 1;"));
    CHECK(!ends_well(NULL));
}

static void emulation(void) {
    double out[4] = {0};
    fences();
    CHECK(!emulated("SHARED; if (threadIdx.x == 0) a.out[blockIdx.x] = *(f64 *)sh;", 32, out, 3));
    CHECK(out[0] != out[0] && out[1] != out[1] && out[2] != out[2]); /* poisoned */
    CHECK(!emulated("SHARED; f64 *v = (f64 *)sh; v[threadIdx.x] = threadIdx.x; __syncthreads();\n"
                    "if (threadIdx.x == 31) a.out[blockIdx.x] = v[0] + v[31];",
                    32, out, 3));
    CHECK(out[0] == 31 && out[2] == 31);
    CHECK(emulated("if (threadIdx.x < 16) __syncthreads();\nelse __syncthreads();", 32, out, 3) == DEVICE_LOST);
    CHECK_ERROR(c, TH_GpuError, "a barrier that not all threads of a block reach");  /* but two places */
    CHECK(!emulated("if (threadIdx.x < 16) return;\n__syncthreads();", 32, out, 3)); /* gone before: as on the device */
    double order[4] = {0};
    CHECK(!emulated("if (threadIdx.x == 0) { a.out[1 + (int)a.out[0]] = blockIdx.x; a.out[0]++; }", 8, order, 4));
    CHECK(order[0] == 3 && !(order[1] == 0 && order[2] == 1 && order[3] == 2)); /* shuffled */
}

/* ---- images in the cache ----------------------------------------------------------------------------------------- */
static long long compiled(void) { return atomic_load(&c->compiles); }

/* Flips a byte of the only image in the cache; false: there is not one. */
static bool damage(const char *folder) {
    char path[400];
    int found = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        size_t n = strlen(e->d_name);
        if (n < 6 || strcmp(e->d_name + n - 6, ".cubin")) continue;
        found++;
        snprintf(path, sizeof path, "%.120s/%.255s", folder, e->d_name);
    }
    if (d) closedir(d);
    FILE *f = found == 1 ? fopen(path, "r+b") : NULL;
    if (f && !fseek(f, 100, SEEK_SET)) {
        int was = fgetc(f);
        if (!fseek(f, 100, SEEK_SET)) fputc(was ^ 1, f);
    }
    return f && !fclose(f);
}

/* For a GPU that is not there: NVRTC's own image is kept, found again, and compiled anew when it was changed. */
static void kept_images(const Device *d) {
    char dir[128], folder[160];
    size_t n = 0, again = 0;
    static const char text[] = "extern \"C\" __global__ void k(double *p_x) { p_x[threadIdx.x] = 1; /* a word */ }",
                      same[] = "extern \"C\" __global__ void k(double *p_name) { p_name[threadIdx.x] = 1;  }";
    snprintf(dir, sizeof dir, "%s/cache", root);
    snprintf(folder, sizeof folder, "%s/lua-units", dir);
    CHECK(!th_config_set(c, "base_compiledir", dir));
    long long before = compiled();
    char *image = cuda_image(c, d, text, &n);
    if (!image && !th_error(c)) return; /* no NVRTC here */
    CHECK(image && n > 100 && compiled() == before + 1);
    char *found = cuda_image(c, d, same, &again);
    CHECK(found && again == n && !memcmp(found, image, n) && compiled() == before + 1);
    ctx_free(c, found, again);
    CHECK(damage(folder));
    found = cuda_image(c, d, text, &again);
    CHECK(found && again == n && !memcmp(found, image, n) && compiled() == before + 2);
    ctx_free(c, found, again);
    ctx_free(c, image, n);
    CHECK(!cuda_image(c, d, "nonsense here;", &n));
    CHECK_ERROR(c, TH_CompileError, ".cu");
    th_config_set(c, "base_compiledir", "/dev/null");
}

/* Writing and loading a unit (from the cache) with each allocation failing in turn. */
static int one_unit(ThContext *other) {
    char dir[128];
    snprintf(dir, sizeof dir, "%s/cache", root);
    ThContext *was = c;
    c = other;
    ThVar *x = (tensor)(c, TH_FLOAT64, 2, 0, "x"), *y = x ? (th_op)(c, "exp", 1, x) : NULL,
          *s = y ? build(c, "sum", y, 1) : NULL;
    PlanIo in = {0}, out = {0};
    if (s) in.type = th_var_type(x), out.type = th_var_type(s);
    bool ready = s && !th_config_set(c, "base_compiledir", dir) && !th_config_set(c, "device", "cuda") &&
                 !th_config_set(c, "cuda.driver", TH_EMULATED);
    FGraph *fg = ready ? fg_new(c, &x, 1, &s, 1, NULL, NULL, 0, false) : NULL;
    Plan *p = fg ? plan_make(fg, &in, 1, &out, 1) : NULL;
    Unit *u = p ? compile_for_device(c, p) : NULL;
    if (u) u->release(u);
    plan_release(p);
    fg_free(fg);
    th_var_release(s);
    th_var_release(y);
    th_var_release(x);
    c = was;
    return u != NULL;
}

static void remove_cache(void) {
    char path[256];
    snprintf(path, sizeof path, "%s/cache/lua-units", root);
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));)
        if (e->d_name[0] != '.') unlinkat(dirfd(d), e->d_name, 0);
    if (d) closedir(d);
    rmdir(path);
    snprintf(path, sizeof path, "%s/cache", root);
    rmdir(path);
}

/* The kernels of core/runtime/gpu: NVRTC takes them for some dtypes, for one of two architectures in turn. */
static void library(const GpuFamily *f, int variant) {
    char *text = gpu_text(c, f, variant);
    Text t;
    text_init(&t, c);
    CHECK(text && cuda_library_text(&t, f->name, text, f->kernel, f->n));
    int rc = nvrtc ? cuda_compile_check(c, t.at, variant % 2 ? "sm_90" : "sm_80") : 1;
    nvrtc = rc != 1;
    CHECK(rc == 0 || rc == 1);
    if (rc == 2) fprintf(stderr, "%s, variant %d: %s\n", f->name, variant, th_error_text(c));
    th_error_clear(c);
    text_free(&t);
    th_free(c, text);
}

static void libraries(void) {
    int number = 0;
    static const bool some[TH_DTYPE_COUNT] = {
        [TH_BOOL] = true, [TH_INT16] = true, [TH_UINT64] = true, [TH_FLOAT64] = true, [TH_COMPLEX64] = true};
    for (int i = 0; i < gpu_family_count; i++)
        for (int v = 0; v < GPU_VARIANTS; v++)
            if ((gpu_families[i] == &gpu_states || gpu_families[i] == &gpu_attention_cores ||
                 (v % GPU_DTYPES < TH_DTYPE_COUNT && some[v % GPU_DTYPES])) &&
                gpu_families[i]->has(v) && of_today(number++, 8))
                library(gpu_families[i], v);
}

int main(void) {
    snprintf(root, sizeof root, "/tmp/theano-spec-XXXXXX");
    if (!mkdtemp(root)) return 1;
    ThHost h = {.log = quiet};
    c = th_context_new(&h);
    bool compiler = config_str(c, "cxx")[0];
    th_config_set(c, "device", "cuda");
    th_config_set(c, "cuda.driver", TH_EMULATED);
    plan_for_device = true;
    th_config_set(c, "base_compiledir", "/dev/null"); /* units go to a private directory that is removed at the end */
    setenv("TMPDIR", root, 1);
    if (compiler) {
        elementwise(TH_FLOAT64);
        elementwise(TH_FLOAT32);
        all_scalars(TH_FLOAT64);
        all_scalars(TH_FLOAT32);
        complex_numbers(TH_COMPLEX128);
        complex_numbers(TH_COMPLEX64);
        integers();
        reductions(TH_FLOAT64, 7, 5000);
        reductions(TH_FLOAT32, 300, 12);
        reductions(TH_INT32, 3, 700);
        products(TH_FLOAT64);
        products(TH_FLOAT32);
        product_tiles(TH_FLOAT64);
        product_tiles(TH_FLOAT32);
        product_tiles(TH_INT8);
        product_tiles(TH_COMPLEX128);
        batches(TH_FLOAT32);
        batches(TH_INT64);
        rows();
        places();
        draws();
        nonsense();
        emulation();
        libraries();
        const Device gpu = {.info = {.major = 9, .driver = 13000}};
        kept_images(&gpu);
    }
    kept_release();
    th_context_release(c);
    if (compiler) test_every_failure(one_unit);
    remove_cache();
    rmdir(root);
    int bad = test_done("backend_cuda");
    if (bad || (compiler && nvrtc)) return bad;
    printf("backend_cuda: skipped in part, there is no %s\n", compiler ? "libnvrtc" : "C compiler");
    return 77;
}
