/* ops_reduce.c -- reductions: types, dtypes, Theano's names, gradients' shapes; and the functions that build them. */
#include "test.h"

#include "ops/front/front.h"
#include "ops/reduce/reduce.h"

static ThVar *tensor(Builder *b, ThDtype d, int ndim, uint32_t bc, const char *name) {
    return var_new(b, type_tensor(d, ndim, bc), name);
}

static const char *op_str(ThVar *v) { /* of the last call */
    static char text[300];
    Text t;
    if (!v || !v->owner) return "no node";
    text_init(&t, v->ctx);
    v->owner->op->str(&t, v->owner);
    snprintf(text, sizeof text, "%s", t.at ? t.at : "");
    text_free(&t);
    return text;
}

static const char *pp_of(ThVar *v) {
    static char text[2000];
    Text t;
    if (!v) return "NULL";
    text_init(&t, v->ctx);
    pp(&t, v);
    snprintf(text, sizeof text, "%s", t.at ? t.at : "");
    text_free(&t);
    return text;
}

static AttrInts axes(int n, int a, int b) {
    AttrInts x = {.n = (int8_t)n};
    if (n > 0) x.at[0] = (int8_t)a;
    if (n > 1) x.at[1] = (int8_t)b;
    return x;
}

static void test_names(ThContext *c) {
    Builder b;
    builder_begin(&b, c);
    ThVar *m = tensor(&b, TH_FLOAT64, 2, 0, "m"), *f = tensor(&b, TH_FLOAT32, 2, 1, "f"),
          *i = tensor(&b, TH_INT8, 2, 0, "i");
    AttrInts zero = axes(1, 0, 0), both = axes(2, 0, 1), none = axes(0, 0, 0), one = axes(1, 1, 0);
    CHECK_TEXT(op_str(sum_make(&b, m, NULL)), "Sum{acc_dtype=float64}");
    CHECK_TEXT(op_str(sum_make(&b, m, &zero)), "Sum{axis=[0], acc_dtype=float64}");
    CHECK_TEXT(op_str(sum_make(&b, m, &both)), "Sum{axis=[0, 1], acc_dtype=float64}");
    CHECK_TEXT(op_str(sum_make(&b, m, &none)), "Sum{axis=[], acc_dtype=float64}");
    ThVar *s = sum_make(&b, f, &one);
    CHECK(s->type.dtype == TH_FLOAT32 && s->type.ndim == 1 && s->type.broadcastable == 1);
    CHECK_TEXT(op_str(s), "Sum{axis=[1], acc_dtype=float64}");
    s = sum_make(&b, i, &zero);
    CHECK(s->type.dtype == TH_INT64);
    CHECK_TEXT(op_str(s), "Sum{axis=[0], acc_dtype=int64}");
    CHECK(sum_make(&b, tensor(&b, TH_UINT16, 1, 0, "u"), NULL)->type.dtype == TH_UINT64);
    CHECK_TEXT(op_str(reduce_make(&b, &op_prod, f, NULL, TH_DTYPE_NONE, TH_FLOAT32, false)), "Prod{acc_dtype=float32}");
    CHECK_TEXT(op_str(reduce_make(&b, &op_max, m, &one, TH_DTYPE_NONE, TH_DTYPE_NONE, false)), "Reduce{maximum}{1}");
    CHECK_TEXT(op_str(reduce_make(&b, &op_max, m, NULL, TH_DTYPE_NONE, TH_DTYPE_NONE, false)), "Reduce{maximum}");
    s = reduce_make(&b, &op_any, m, &zero, TH_DTYPE_NONE, TH_DTYPE_NONE, false);
    CHECK_TEXT(op_str(s), "Any{0}");
    CHECK_TEXT(op_str(s->owner->in[0]), "Elemwise{neq,no_inplace}");
    ThApply *a = max_and_argmax_make(&b, m, &one);
    CHECK(a && a->out[0]->type.dtype == TH_FLOAT64 && a->out[1]->type.dtype == TH_INT64 && a->out[1]->type.ndim == 1);
    CHECK_TEXT(op_str(a->out[0]), "MaxAndArgmax{axis=(1,)}");
    CHECK_TEXT(op_str(max_and_argmax_make(&b, m, NULL)->out[0]), "MaxAndArgmax{axis=(0, 1)}");
    CHECK(!failed(c));
    CHECK(reduce_make(&b, &op_sum, m, NULL, TH_FLOAT32, TH_DTYPE_NONE, false)->type.dtype == TH_FLOAT32);
    CHECK_TEXT(op_str(max_and_argmax_make(&b, m, &none)->out[0]), "MaxAndArgmax{axis=(0, 1)}");
    CHECK(!reduce_make(&b, &op_sum, m, NULL, TH_DTYPE_NONE, TH_FLOAT32, false));
    CHECK_ERROR(c, TH_TypeError, "acc_dtype float32");
    CHECK(!max_and_argmax_make(&b, tensor(&b, TH_COMPLEX64, 1, 0, "z"), NULL));
    CHECK_ERROR(c, TH_TypeError, "no order");
    builder_end(&b);
}

/* ---- functions --------------------------------------------------------------------------------------------------- */
static ThArg arg_var(ThVar *v) { return (ThArg){.kind = TH_ARG_VAR, .var = v}; }
static ThArg arg_int(int64_t i) { return (ThArg){.kind = TH_ARG_INT, .i = i}; }
static ThArg key_int(const char *k, int64_t i) { return (ThArg){.kind = TH_ARG_INT, .key = k, .i = i}; }
static ThArg key_bool(const char *k, bool v) { return (ThArg){.kind = TH_ARG_BOOL, .key = k, .b = v}; }

static ThVar *call(Builder *b, const char *name, ThArg x, ThArg y, int n) {
    ThVar *out[4];
    ThArg args[2] = {x, y};
    return front_build(b, th_func_find(name), args, n, out, 4) >= 1 ? out[0] : NULL;
}

static void test_functions(ThContext *c) {
    Builder b;
    builder_begin(&b, c);
    ThArg m = arg_var(tensor(&b, TH_FLOAT64, 2, 0, "m")), i = arg_var(tensor(&b, TH_INT8, 1, 0, "i")), no = {0};
    CHECK_TEXT(pp_of(call(&b, "sum", m, key_int("axis", -1), 2)), "Sum{axis=[1], acc_dtype=float64}(m)");
    CHECK_TEXT(pp_of(call(&b, "mean", m, no, 1)),
               "((Sum{acc_dtype=float64}(m) / float64(Shape(m))[Constant{0}]) / float64(Shape(m))[Constant{1}])");
    ThVar *v = call(&b, "mean", m, arg_int(0), 2);
    CHECK_TEXT(v->name, "mean");
    CHECK(v->type.ndim == 1 && v->type.dtype == TH_FLOAT64);
    v = call(&b, "sum", m, key_bool("keepdims", true), 2);
    CHECK(v->type.ndim == 2 && v->type.broadcastable == 3);
    CHECK_TEXT(op_str(v), "InplaceDimShuffle{x,x}");
    CHECK_TEXT(pp_of(call(&b, "max", m, arg_int(1), 2)), "MaxAndArgmax{axis=(1,)}(m)");
    CHECK_TEXT(pp_of(call(&b, "min", m, arg_int(1), 2)), "(-MaxAndArgmax{axis=(1,)}((-m)))");
    CHECK(call(&b, "argmax", m, arg_int(0), 2)->type.dtype == TH_INT64);
    CHECK(call(&b, "mean", i, no, 1)->type.dtype == TH_FLOAT64);
    CHECK(call(&b, "add", i, arg_int(200), 2)->type.dtype == TH_INT16);
    CHECK(call(&b, "mul", i, (ThArg){.kind = TH_ARG_FLOAT, .f = 2.5}, 2)->type.dtype == TH_FLOAT32);
    CHECK(call(&b, "sub", i, (ThArg){.kind = TH_ARG_FLOAT, .f = 0.1}, 2)->type.dtype == TH_FLOAT64);
    CHECK(call(&b, "nnet.sigmoid", m, no, 1)->owner->op == &op_elemwise);
    CHECK(call(&b, "cast", m, (ThArg){.kind = TH_ARG_STR, .s = "floatX"}, 2) == m.var);
    CHECK(call(&b, "var", m, arg_int(0), 2)->type.ndim == 1);
    CHECK_TEXT(pp_of(call(&b, "dimshuffle", m,
                          (ThArg){.kind = TH_ARG_LIST, .list = {(ThArg[]){arg_int(1), arg_int(0)}, 2}}, 2)),
               "m.T");
    ThArg row[2] = {arg_int(1), arg_int(2)};
    CHECK(call(&b, "add", i, (ThArg){.kind = TH_ARG_LIST, .list = {row, 2}}, 2)->type.dtype == TH_INT64);
    CHECK(!failed(c));
    builder_end(&b);
}

static void test_errors(ThContext *c) {
    Builder b;
    builder_begin(&b, c);
    ThArg m = arg_var(tensor(&b, TH_FLOAT64, 2, 0, "m")), no = {0};
    CHECK(!call(&b, "sum", m, key_int("axes", 0), 2));
    CHECK_ERROR(c, TH_TypeError,
                "unknown keyword 'axes'; it takes input, axis, dtype, keepdims, acc_dtype, initial, where "
                "(did you mean 'axis'?)");
    CHECK(!call(&b, "sum", m, arg_int(2), 2));
    CHECK_ERROR(c, TH_ValueError, "axis 2 is out of range");
    CHECK(!call(&b, "exp", m, arg_int(2), 2));
    CHECK_ERROR(c, TH_TypeError, "takes at most 1 argument");
    CHECK(!call(&b, "sub", m, no, 1));
    CHECK_ERROR(c, TH_TypeError, "argument 'y' is missing");
    CHECK(!call(&b, "sum", m, key_int("input", 0), 2));
    CHECK_ERROR(c, TH_TypeError, "got 'input' twice");
    CHECK(!call(&b, "exp", (ThArg){.kind = TH_ARG_BOOL, .b = true}, no, 1));
    CHECK_ERROR(c, TH_TypeError, "T.eq(x, y)");
    CHECK(!call(&b, "exp", (ThArg){.kind = TH_ARG_STR, .s = "a"}, no, 1));
    CHECK_ERROR(c, TH_TypeError, "exp: x is a string");
    CHECK(!call(&b, "cast", m, (ThArg){.kind = TH_ARG_STR, .s = "float61"}, 2));
    CHECK_ERROR(c, TH_TypeError, "unknown dtype 'float61'");
    CHECK(!call(&b, "dimshuffle", m, arg_int(0), 2));
    CHECK_ERROR(c, TH_ValueError, "cannot drop");
    CHECK(!call(&b, "sum", m, (ThArg){.kind = TH_ARG_FLOAT, .f = 0.5}, 2));
    CHECK_ERROR(c, TH_TypeError, "'axis' should be None, an integer or a list of integers, not a float");
    builder_end(&b);
}

/* Every function has a name of its own, a signature and one line; method names are claimed once. */
static void test_table(void) {
    CHECK(th_func_count() > 90 && !th_func_info(-1) && !th_func_info(th_func_count()));
    for (int i = 0; i < th_func_count(); i++) {
        const ThFuncInfo *f = th_func_info(i);
        CHECK(f->name && f->signature && f->doc && (!TH_HELP || f->doc[0]));
        if (th_func_find(f->name) != i) fprintf(stderr, "function %s is there twice\n", f->name);
        CHECK(th_func_find(f->name) == i);
        for (int k = 0; f->metamethod && k < i; k++)
            CHECK(!th_func_info(k)->metamethod || strcmp(th_func_info(k)->metamethod, f->metamethod));
    }
    CHECK(th_func_find("sum") >= 0 && th_func_find("log1p") >= 0 && th_func_find("identity") < 0);
    CHECK_TEXT(th_func_info(th_func_find("add"))->metamethod, "__add");
}

static void test_public(ThContext *c) {
    ThVar *x = th_variable_new(c, (ThType){.dtype = TH_FLOAT64, .ndim = 1}, "x");
    ThVar *y = th_op(c, "mul", 2, x, x);
    CHECK(y && th_var_owner(y) && th_error(c) == TH_OK);
    CHECK(!th_op(c, "exp", 1, (ThVar *)NULL));
    CHECK_ERROR(c, TH_TypeError, "operand 1 of th_op is NULL");
    CHECK(!th_op(c, "frobnicate", 1, x));
    CHECK_ERROR(c, TH_ValueError, "no function named frobnicate");
    th_var_release(y);
    th_var_release(x);
    CHECK(th_stat(c, "live_nodes") == 0);
}

int main(void) {
    ThContext *c = th_context_new(NULL);
    test_names(c);
    test_table();
    test_functions(c);
    test_errors(c);
    test_public(c);
    CHECK(th_error(c) == TH_OK);
    th_context_release(c);
    return test_done("ops_reduce");
}
