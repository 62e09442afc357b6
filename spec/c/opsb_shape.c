/*
 * opsb_shape.c -- structural operations: types, op strings, shape rules over constant sizes, gradients that build.
 * The shape algebra here computes with plain numbers, so that every rule is checked against lengths known from NumPy.
 */
#include "test.h"
#include "ops/front/front.h"
#include "ops/table/shape.h"

static ThContext *ctx;
static Builder b;

/* ---- a shape algebra over numbers: a handle is a place in a table ------------------------------------------------ */
static struct {
    int64_t at[20000];
    int n, failures;
    int64_t left, right;
    char why[300];
    const ThApply *node;
    int64_t value[8][8]; /* of inputs that are not constants */
} alg;

static Sz put(int64_t v) {
    alg.at[alg.n] = v;
    return alg.n++;
}

static Sz alg_constant(void *u, int64_t v) {
    (void)u;
    return put(v);
}

static int64_t floor_div(int64_t x, int64_t y) { return x / y - (x % y != 0 && (x < 0) != (y < 0)); }

static Sz alg_op(void *u, char op, Sz i, Sz j) {
    (void)u;
    int64_t x = alg.at[i], y = alg.at[j];
    switch (op) {
    case '+': return put(x + y);
    case '-': return put(x - y);
    case '*': return put(x * y);
    case '/': return put(floor_div(x, y));
    case 'c': return put(-floor_div(-x, y));
    case 'm': return put(x < y ? x : y);
    case 'M': return put(x > y ? x : y);
    default: return put(x < y);
    }
}

static Sz alg_value(void *u, int in, int64_t elem) {
    (void)u;
    int64_t k;
    const ThVar *v = alg.node->in[in];
    if (v->type.ndim ? vector_known(v, elem, &k) : scalar_known(v, &k)) return put(k);
    return put(alg.value[in][elem]);
}

static bool alg_equal(void *u, Sz i, Sz j, const char *why) {
    (void)u;
    if (alg.at[i] == alg.at[j]) return true;
    alg.failures++;
    alg.left = alg.at[i];
    alg.right = alg.at[j];
    snprintf(alg.why, sizeof alg.why, "%s", why);
    return true;
}

/* Runs the shape rule of v's node on input lengths (row i: input i) and writes the lengths of output o as "2,3". */
static const char *shape_of(ThVar *v, int o, int64_t in[][8]) {
    static const ShapeAlg api = {.constant = alg_constant, .op = alg_op, .value = alg_value, .equal = alg_equal};
    static char text[200];
    Sz dims[8][8], outs[8][TH_MAX_NDIM];
    const Sz *ins[8];
    Sz *outp[8];
    const ThApply *a = v->owner;
    alg.n = alg.failures = 0;
    alg.node = a;
    for (int i = 0; i < a->nin && i < 8; i++) {
        for (int d = 0; d < a->in[i]->type.ndim; d++) dims[i][d] = put(in[i][d]);
        ins[i] = dims[i];
    }
    for (int i = 0; i < a->nout && i < 8; i++) outp[i] = outs[i];
    ShapeQ q = {&api, a, ins, outp};
    if (!a->op->shape(&q)) return "failed";
    int at = 0;
    text[0] = 0;
    for (int d = 0; d < a->out[o]->type.ndim; d++)
        at += snprintf(text + at, sizeof text - (size_t)at, d ? ",%lld" : "%lld", (long long)alg.at[outs[o][d]]);
    return text;
}

/* ---- building by name -------------------------------------------------------------------------------------------- */
static ThArg V(ThVar *v) { return front_arg_var(v); }
static ThArg I(int64_t i) { return front_arg_int(i); }
static ThArg key(const char *k, ThArg a) {
    a.key = k;
    return a;
}
#define LIST(...) \
    ((ThArg){.kind = TH_ARG_LIST, \
             .list = {(ThArg[]){__VA_ARGS__}, (int)(sizeof((ThArg[]){__VA_ARGS__}) / sizeof(ThArg))}})
#define NONE ((ThArg){.kind = TH_ARG_NONE})
#define SLICE(a, o, s) ((ThArg){.kind = TH_ARG_SLICE, .list = {(ThArg[]){a, o, s}, 3}})
#define ALL SLICE(NONE, NONE, NONE)
#define NEWAXIS ((ThArg){.kind = TH_ARG_NEWAXIS})
#define ELLIPSIS ((ThArg){.kind = TH_ARG_ELLIPSIS})
#define CALL(name, ...) \
    front_call(&b, name, (ThArg[]){__VA_ARGS__}, (int)(sizeof((ThArg[]){__VA_ARGS__}) / sizeof(ThArg)))

static ThVar *tensor(ThDtype d, int ndim, const char *name) { return var_new(&b, type_tensor(d, ndim, 0), name); }

static const char *op_text(ThVar *v) {
    static char text[400];
    Text t;
    text_init(&t, ctx);
    if (v && v->owner) apply_op_str(&t, v->owner);
    snprintf(text, sizeof text, "%s", t.at ? t.at : "none");
    text_free(&t);
    return text;
}

static const char *type_of(ThVar *v) {
    static char text[200];
    Text t;
    text_init(&t, ctx);
    if (v) type_text(&t, v->type);
    snprintf(text, sizeof text, "%s", t.at ? t.at : "none");
    text_free(&t);
    return text;
}

/* Gradients of v's node with ones-like output gradients: all build, with the types of the inputs that have one. */
static void check_grad(ThVar *v) {
    ThVar *gz[8] = {0}, *gx[8] = {0};
    bool wanted[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    ThApply *a = v->owner;
    for (int o = 0; o < a->nout; o++) gz[o] = var_new(&b, a->out[o]->type, "g");
    Grad g = {&b, a, gz, gx, wanted};
    a->op->grad(&g);
    CHECK(th_error(ctx) == TH_OK);
    CHECK(gx[0] != NULL);
    for (int i = 0; i < a->nin && i < 8; i++)
        if (gx[i] && gx[i]->type.kind == TYPE_TENSOR && dtype_is_float((ThDtype)a->in[i]->type.dtype)) {
            CHECK(type_eq(gx[i]->type, a->in[i]->type));
        }
}

/* ---- shapes ------------------------------------------------------------------------------------------------------ */
static void test_shape_ops(void) {
    ThVar *x = tensor(TH_FLOAT64, 3, "x");
    CHECK_TEXT(op_text(CALL("shape", V(x))), "Shape");
    CHECK_TEXT(op_text(shape_i_make(&b, x, 1)), "Shape_i{1}");
    CHECK_TEXT(op_text(shape_elem_make(&b, x, 0)), "Subtensor{int64}");
    CHECK(vector_length(shape_make(&b, x)) == 3);
    ThVar *r = CALL("reshape", V(x), LIST(I(4), I(-1), I(2)));
    CHECK_TEXT(op_text(r), "Reshape{3}");
    CHECK_TEXT(shape_of(r, 0, (int64_t[][8]){{2, 3, 4}, {3}}), "4,3,2");
    CHECK(alg.failures == 0);
    shape_of(r, 0, (int64_t[][8]){{2, 3, 5}, {3}});
    CHECK(alg.failures == 1 && strstr(alg.why, "Cannot reshape"));
    check_grad(r);
    r = CALL("reshape", V(x), LIST(I(1), I(-1)));
    CHECK_TEXT(type_of(r), "TensorType(float64, row)");
    r = CALL("reshape", V(x), LIST(V(shape_elem_make(&b, x, 0)), I(-1)));
    CHECK_TEXT(op_text(r->owner->in[1]), "MakeVector{dtype='int64'}");
    alg.value[1][0] = 2;
    alg.value[1][1] = -1;
    CHECK_TEXT(shape_of(r, 0, (int64_t[][8]){{2, 3, 4}, {2}}), "2,12");
    ThVar *s = tensor(TH_INT64, 1, "s");
    CHECK(CALL("reshape", V(x), V(s)) == NULL);
    CHECK_ERROR(ctx, TH_ValueError, "ndim");
    r = CALL("reshape", V(x), V(s), I(2));
    alg.value[1][0] = -1;
    alg.value[1][1] = 6;
    CHECK_TEXT(shape_of(r, 0, (int64_t[][8]){{2, 3, 4}, {2}}), "4,6");
    CHECK(CALL("reshape", V(x), LIST(I(-1), I(-1))) == NULL);
    CHECK_ERROR(ctx, TH_ValueError, "only one");
    CHECK_TEXT(type_of(CALL("flatten", V(x))), "TensorType(float64, vector)");
    CHECK_TEXT(type_of(CALL("flatten", V(x), I(2))), "TensorType(float64, matrix)");
    CHECK_TEXT(op_text(CALL("addbroadcast", V(x), I(1))), "Rebroadcast{?,1}");
    CHECK_TEXT(op_text(CALL("unbroadcast", V(CALL("shape_padleft", V(x))), I(0))), "Rebroadcast{0}");
    CHECK(CALL("unbroadcast", V(x), I(0)) == x);
    ThVar *one = CALL("addbroadcast", V(x), I(0));
    shape_of(one, 0, (int64_t[][8]){{3, 4, 5}});
    CHECK(alg.failures == 1 && strstr(alg.why, "Dimension 0 in Rebroadcast's input was supposed to be 1"));
    check_grad(one);
    CHECK_TEXT(type_of(CALL("squeeze", V(one))), "TensorType(float64, matrix)");
    CHECK_TEXT(op_text(CALL("transpose", V(x), LIST(I(2), I(0), I(1)))), "InplaceDimShuffle{2,0,1}");
    CHECK_TEXT(CALL("transpose", V(x))->name, "x.T");
    CHECK_TEXT(op_text(CALL("swapaxes", V(x), I(0), I(-1))), "InplaceDimShuffle{2,1,0}");
    CHECK_TEXT(op_text(CALL("tile", V(x), LIST(I(2), I(1), I(3)))), "Reshape{3}");
    CHECK_TEXT(type_of(CALL("repeat_", V(x), I(2))), "TensorType(float64, vector)");
}

static void test_create(void) {
    ThVar *v = tensor(TH_FLOAT64, 1, "v"), *n = tensor(TH_INT64, 0, "n");
    ThVar *a = CALL("alloc", V(v), V(n), I(3));
    CHECK_TEXT(op_text(a), "Alloc");
    alg.value[1][0] = 4;
    CHECK_TEXT(shape_of(a, 0, (int64_t[][8]){{3}, {0}, {0}}), "4,3");
    shape_of(a, 0, (int64_t[][8]){{2}, {0}, {0}});
    CHECK(alg.failures == 1);
    check_grad(a);
    CHECK_TEXT(type_of(CALL("zeros", LIST(I(1), I(3)))), "TensorType(float64, row)");
    CHECK_TEXT(op_text(alloc_empty_make(&b, TH_FLOAT64, &n, 1)), "AllocEmpty{dtype='float64'}");
    ThVar *r = CALL("arange", V(n));
    CHECK_TEXT(op_text(r), "ARange{dtype='int64'}");
    alg.value[1][0] = 5;
    CHECK_TEXT(shape_of(r, 0, (int64_t[][8]){{0}, {0}, {0}}), "5");
    r = CALL("arange", I(10), I(1), I(-3));
    CHECK_TEXT(shape_of(r, 0, (int64_t[][8]){{0}, {0}, {0}}), "3");
    r = CALL("arange", I(2), I(9), I(3));
    CHECK_TEXT(shape_of(r, 0, (int64_t[][8]){{0}, {0}, {0}}), "3");
    r = CALL("arange", V(n), V(n), V(n));
    alg.value[0][0] = 9;
    alg.value[1][0] = 1;
    alg.value[2][0] = -2;
    CHECK_TEXT(shape_of(r, 0, (int64_t[][8]){{0}, {0}, {0}}), "4");
    CHECK_TEXT(type_of(CALL("arange", V(tensor(TH_FLOAT32, 0, "f")))), "TensorType(float32, vector)");
    CHECK_TEXT(op_text(CALL("eye", I(3))), "Eye{dtype='float64'}");
    CHECK(CALL("alloc", V(v), V(tensor(TH_INT64, 1, "lengths")), I(3)) == NULL);
    CHECK_ERROR(ctx, TH_ValueError, "known");
    CHECK(CALL("alloc", V(v), V(v)) == NULL);
    CHECK_ERROR(ctx, TH_TypeError, "integers");
}

/* ---- subscripts -------------------------------------------------------------------------------------------------- */
/* Length of range(start, stop, step) clipped to n as Python's slice.indices does; NONE_ stands for an open end. */
enum { NONE_ = 99 };
static int64_t python_length(int64_t n, int64_t start, int64_t stop, int64_t step) {
    int64_t lo = step < 0 ? -1 : 0, hi = step < 0 ? n - 1 : n, count = 0;
    if (start == NONE_) start = step < 0 ? hi : lo;
    else start = start < 0 ? (start + n < lo ? lo : start + n) : (start > hi ? hi : start);
    if (stop == NONE_) stop = step < 0 ? lo : hi;
    else stop = stop < 0 ? (stop + n < lo ? lo : stop + n) : (stop > hi ? hi : stop);
    for (int64_t i = start; step > 0 ? i < stop : i > stop; i += step) count++;
    return count;
}

static ThArg part(int64_t v) { return v == NONE_ ? NONE : I(v); }

static void test_slices(void) {
    static const int64_t ends[] = {NONE_, -8, -1, 0, 1, 5, 8}, steps[] = {1, 2, -1, -3};
    ThVar *x = tensor(TH_FLOAT64, 1, "x"), *i = tensor(TH_INT64, 0, "i");
    char want[30];
    for (int s = 0; s < 4; s++)
        for (int p = 0; p < 7; p++)
            for (int q = 0; q < 7; q++)
                for (int n = 0; n < 7; n += 3) {
                    ThVar *v = CALL("subtensor", V(x), SLICE(part(ends[p]), part(ends[q]), part(steps[s])));
                    snprintf(want, sizeof want, "%lld", (long long)python_length(n, ends[p], ends[q], steps[s]));
                    CHECK_TEXT(shape_of(v, 0, (int64_t[][8]){{n}, {0}, {0}, {0}}), want);
                    if (ends[p] == NONE_ || ends[q] == NONE_) continue;
                    v = CALL("subtensor", V(x), SLICE(V(i), V(i), V(i))); /* the same with all parts at run time */
                    alg.value[1][0] = ends[p];
                    alg.value[2][0] = ends[q];
                    alg.value[3][0] = steps[s];
                    CHECK_TEXT(shape_of(v, 0, (int64_t[][8]){{n}, {0}, {0}, {0}}), want);
                }
}

static void test_subscripts(void) {
    ThVar *x = tensor(TH_FLOAT64, 2, "x"), *t = tensor(TH_FLOAT64, 3, "t"), *i = tensor(TH_INT32, 0, "i");
    CHECK_TEXT(op_text(CALL("subtensor", V(x), I(0))), "Subtensor{int64}");
    CHECK_TEXT(op_text(CALL("subtensor", V(x), SLICE(I(1), I(3), NONE))), "Subtensor{int64:int64:}");
    CHECK_TEXT(op_text(CALL("subtensor", V(x), SLICE(NONE, NONE, I(-1)), I(2))), "Subtensor{::int64, int64}");
    CHECK_TEXT(op_text(CALL("subtensor", V(x), V(i))), "Subtensor{int32}");
    CHECK_TEXT(op_text(CALL("subtensor", V(x), V(i))->owner->in[1]), "ScalarFromTensor");
    CHECK_TEXT(op_text(CALL("subtensor", V(t), ELLIPSIS, I(1))), "Subtensor{::, ::, int64}");
    CHECK_TEXT(op_text(CALL("subtensor", V(x), NEWAXIS, ALL)), "InplaceDimShuffle{x,0,1}");
    ThVar *v = CALL("subtensor", V(x), ALL, NEWAXIS, I(1));
    CHECK_TEXT(op_text(v), "Subtensor{::, ::, int64}");
    CHECK_TEXT(type_of(v), "TensorType(float64, col)");
    v = CALL("subtensor", V(x), I(3));
    shape_of(v, 0, (int64_t[][8]){{3, 4}, {0}});
    CHECK(alg.failures == 1 && strstr(alg.why, "IndexError: index out of bounds"));
    v = CALL("subtensor", V(x), I(-3));
    CHECK_TEXT(shape_of(v, 0, (int64_t[][8]){{3, 4}, {0}}), "4");
    CHECK(alg.failures == 0);
    check_grad(v);
    CHECK(CALL("subtensor", V(x), ELLIPSIS, ELLIPSIS) == NULL);
    CHECK_ERROR(ctx, TH_IndexError, "single Ellipsis");
    CHECK(CALL("subtensor", V(x), I(0), I(0), I(0)) == NULL);
    CHECK_ERROR(ctx, TH_IndexError, "too many indices");
    CHECK(CALL("subtensor", V(x), V(tensor(TH_FLOAT64, 1, "f"))) == NULL);
    CHECK_ERROR(ctx, TH_TypeError, "integers");
    ThVar *y = tensor(TH_FLOAT64, 1, "y");
    ThVar *part_ = CALL("subtensor", V(x), I(0)), *inc = CALL("inc_subtensor", V(part_), V(y)),
          *set = CALL("set_subtensor", V(part_), V(y));
    CHECK_TEXT(op_text(inc), "IncSubtensor{Inc;int64}");
    CHECK_TEXT(op_text(set), "IncSubtensor{Set;int64}");
    check_grad(inc);
    check_grad(set);
    CHECK_TEXT(shape_of(inc, 0, (int64_t[][8]){{3, 4}, {4}, {0}}), "3,4");
    shape_of(inc, 0, (int64_t[][8]){{3, 4}, {5}, {0}});
    CHECK(alg.failures == 1);
    CHECK(CALL("set_subtensor", V(x), V(y)) == NULL);
    CHECK_ERROR(ctx, TH_TypeError, "must be the result of a subtensor");
    CHECK(CALL("set_subtensor", V(part_), V(x)) == NULL);
    CHECK_ERROR(ctx, TH_TypeError, "1-dimensional subtensor with a 2-dimensional");
}

static void test_advanced(void) {
    ThVar *x = tensor(TH_FLOAT64, 3, "x"), *i = tensor(TH_INT64, 1, "i"), *m = tensor(TH_INT64, 2, "m"),
          *y = tensor(TH_FLOAT64, 1, "y");
    ThVar *v = CALL("subtensor", V(x), V(i));
    CHECK_TEXT(op_text(v), "AdvancedSubtensor1");
    CHECK_TEXT(shape_of(v, 0, (int64_t[][8]){{2, 3, 4}, {7}}), "7,3,4");
    check_grad(v);
    CHECK_TEXT(op_text(CALL("inc_subtensor", V(v), V(y))), "AdvancedIncSubtensor1{no_inplace,inc}");
    v = CALL("subtensor", V(x), ALL, V(i));
    CHECK_TEXT(op_text(v), "InplaceDimShuffle{1,0,2}");
    ThVar *inc = CALL("set_subtensor", V(v), V(y));
    CHECK_TEXT(op_text(inc), "InplaceDimShuffle{1,0,2}");
    CHECK_TEXT(op_text(inc->owner->in[0]), "AdvancedIncSubtensor1{no_inplace,set}");
    v = CALL("subtensor", V(x), V(i), V(i));
    CHECK_TEXT(op_text(v), "AdvancedSubtensor");
    CHECK_TEXT(shape_of(v, 0, (int64_t[][8]){{2, 3, 4}, {5}, {5}}), "5,4");
    shape_of(v, 0, (int64_t[][8]){{2, 3, 4}, {5}, {6}});
    CHECK(alg.failures == 1 && strstr(alg.why, "IndexError"));
    check_grad(v);
    inc = CALL("inc_subtensor", V(v), V(y));
    CHECK_TEXT(op_text(inc), "AdvancedIncSubtensor{inplace=False,  set_instead_of_inc=False}");
    check_grad(inc);
    CHECK_TEXT(shape_of(CALL("subtensor", V(x), ALL, V(i), V(i)), 0, (int64_t[][8]){{2, 3, 4}, {5}, {5}}), "2,5");
    CHECK_TEXT(shape_of(CALL("subtensor", V(x), V(i), ALL, V(i)), 0, (int64_t[][8]){{2, 3, 4}, {5}, {5}}), "5,3");
    CHECK_TEXT(shape_of(CALL("subtensor", V(x), I(0), ALL, V(i)), 0, (int64_t[][8]){{2, 3, 4}, {0}, {5}}), "5,3");
    v = CALL("subtensor", V(x), SLICE(I(0), I(1), NONE), V(i), V(m));
    CHECK_TEXT(shape_of(v, 0, (int64_t[][8]){{2, 3, 4}, {0}, {0}, {5}, {6, 5}}), "1,6,5");
    v = CALL("subtensor", V(x), V(m));
    CHECK_TEXT(op_text(v), "Reshape{4}");
    CHECK_TEXT(op_text(CALL("inc_subtensor", V(v), V(y))), "AdvancedIncSubtensor1{no_inplace,inc}");
    CHECK_TEXT(type_of(CALL("take", V(x), V(i))), "TensorType(float64, vector)");
}

/* ---- joins and products ------------------------------------------------------------------------------------------ */
static void test_join(void) {
    ThVar *a = tensor(TH_FLOAT32, 2, "a"), *c = tensor(TH_FLOAT64, 2, "c"), *s = tensor(TH_FLOAT64, 0, "s"),
          *k = tensor(TH_INT64, 0, "k");
    ThVar *j = CALL("join", I(-1), V(a), V(c));
    CHECK_TEXT(op_text(j), "Join");
    CHECK_TEXT(type_of(j), "TensorType(float64, matrix)");
    CHECK_TEXT(shape_of(j, 0, (int64_t[][8]){{0}, {2, 3}, {2, 4}}), "2,7");
    shape_of(j, 0, (int64_t[][8]){{0}, {2, 3}, {3, 4}});
    CHECK(alg.failures == 1);
    j = CALL("join", V(k), V(c), V(c));
    alg.value[0][0] = -2;
    CHECK_TEXT(shape_of(j, 0, (int64_t[][8]){{0}, {2, 3}, {5, 3}}), "7,3");
    CHECK(alg.failures == 0);
    CHECK_TEXT(op_text(CALL("stack", LIST(V(s), V(s)))), "MakeVector{dtype='float64'}");
    CHECK_TEXT(type_of(CALL("stack", LIST(V(c), V(c)), I(1))), "TensorType(float64, 3D)");
    CHECK(CALL("join", I(0), V(c), V(s)) == NULL);
    CHECK_ERROR(ctx, TH_TypeError, "stack");
    CHECK(CALL("join", I(0), V(c), V(tensor(TH_FLOAT64, 1, "v"))) == NULL);
    CHECK_ERROR(ctx, TH_TypeError, "same number of dimensions");
    CHECK(CALL("join", I(2), V(c), V(c)) == NULL);
    CHECK_ERROR(ctx, TH_IndexError, "out of bounds");
    ThVar *sp = CALL("split", V(c), LIST(I(1), I(3)), I(2), key("axis", I(1)));
    CHECK_TEXT(op_text(sp), "Split{2}");
    CHECK_TEXT(shape_of(sp, 1, (int64_t[][8]){{5, 4}, {0}, {2}}), "5,3");
    shape_of(sp, 1, (int64_t[][8]){{5, 5}, {0}, {2}});
    CHECK(alg.failures == 1 && strstr(alg.why, "The splits sum to {0}, expected {1}") && alg.left == 4 &&
          alg.right == 5);
}

static void test_products(void) {
    ThVar *x = tensor(TH_FLOAT64, 2, "x"), *v = tensor(TH_FLOAT64, 1, "v"), *i = tensor(TH_INT32, 2, "i"),
          *s = tensor(TH_FLOAT64, 0, "s");
    ThVar *f = tensor(TH_FLOAT32, 2, "f"), *t = tensor(TH_FLOAT64, 3, "t");
    ThVar *d = CALL("dot", V(x), V(x));
    CHECK_TEXT(op_text(d), "dot");
    CHECK_TEXT(shape_of(d, 0, (int64_t[][8]){{2, 3}, {3, 5}}), "2,5");
    shape_of(d, 0, (int64_t[][8]){{2, 3}, {4, 5}});
    CHECK(alg.failures == 1 && strstr(alg.why, "Shape mismatch: x has {0} cols") && alg.left == 3 && alg.right == 4);
    check_grad(d);
    check_grad(CALL("dot", V(x), V(v)));
    check_grad(CALL("dot", V(v), V(x)));
    check_grad(CALL("dot", V(v), V(v)));
    CHECK_TEXT(type_of(CALL("dot", V(i), V(f))), "TensorType(float64, matrix)");
    CHECK_TEXT(type_of(CALL("dot", V(v), V(v))), "TensorType(float64, scalar)");
    CHECK_TEXT(op_text(CALL("dot", V(s), V(x))), "Elemwise{mul,no_inplace}");
    CHECK_TEXT(type_of(CALL("dot", V(t), V(v))), "TensorType(float64, matrix)");
    CHECK_TEXT(type_of(CALL("tensordot", V(t), V(t), I(2))), "TensorType(float64, matrix)");
    CHECK_TEXT(type_of(CALL("outer", V(v), V(v))), "TensorType(float64, matrix)");
    ThVar *g = apply1(&b, &op_gemm, NULL, (ThVar *[]){x, s, x, x, s}, 5);
    CHECK_TEXT(op_text(g), "Gemm{no_inplace}");
    g->owner->destroys = 0;
    CHECK_TEXT(op_text(g), "Gemm{inplace}");
    CHECK_TEXT(op_text(apply1(&b, &op_cgemv, NULL, (ThVar *[]){v, s, x, v, s}, 5)), "CGemv{no_inplace}");
    CHECK_TEXT(op_text(apply1(&b, &op_cger, NULL, (ThVar *[]){x, s, v, v}, 4)), "CGer{non-destructive}");
    CHECK(apply1(&b, &op_dot22, NULL, (ThVar *[]){x, f}, 2) == NULL);
    CHECK_ERROR(ctx, TH_TypeError, "one float or complex dtype");
}

static void test_rows(void) {
    ThVar *x = tensor(TH_FLOAT64, 2, "x"), *v = tensor(TH_FLOAT64, 1, "v"), *y = tensor(TH_INT32, 1, "y");
    CHECK_TEXT(op_text(CALL("nnet.softmax", V(x))), "Softmax");
    CHECK_TEXT(type_of(CALL("nnet.softmax", V(v))), "TensorType(float64, row)");
    CHECK_TEXT(op_text(CALL("nnet.logsoftmax", V(x))), "LogSoftmax");
    check_grad(CALL("nnet.softmax", V(x)));
    check_grad(CALL("nnet.logsoftmax", V(x)));
    check_grad(CALL("nnet.softmax_with_bias", V(x), V(v)));
    ThVar *sm = CALL("nnet.softmax", V(x));
    check_grad(apply1(&b, &op_softmax_grad, NULL, (ThVar *[]){x, sm}, 2));
    CHECK_TEXT(op_text(CALL("nnet.categorical_crossentropy", V(sm), V(y))), "CrossentropyCategorical1Hot");
    check_grad(CALL("nnet.categorical_crossentropy", V(sm), V(y)));
    CHECK_TEXT(op_text(CALL("nnet.categorical_crossentropy", V(sm), V(x))), "Elemwise{neg,no_inplace}");
    ThVar *nll = CALL("nnet.crossentropy_softmax_argmax_1hot_with_bias", V(x), V(v), V(y));
    CHECK_TEXT(op_text(nll), "CrossentropySoftmaxArgmax1HotWithBias");
    check_grad(nll);
    check_grad(apply1(&b, &op_crossentropy_softmax_dx, NULL, (ThVar *[]){v, sm, y}, 3));
    CHECK(CALL("nnet.softmax", V(tensor(TH_INT64, 2, "i"))) == NULL);
    CHECK_ERROR(ctx, TH_ValueError, "1-d or 2-d tensor of floats");
    CHECK(CALL("nnet.categorical_crossentropy", V(sm), V(tensor(TH_INT64, 0, "k"))) == NULL);
    CHECK_ERROR(ctx, TH_TypeError, "rank mismatch");
}

int main(void) {
    ThHost host = test_failing_host(0);
    ctx = th_context_new(&host);
    builder_begin(&b, ctx);
    test_shape_ops();
    test_create();
    test_slices();
    test_subscripts();
    test_advanced();
    test_join();
    test_products();
    test_rows();
    builder_end(&b);
    th_context_release(ctx);
    CHECK(test_leaked() == 0);
    return test_done("opsb_shape");
}
