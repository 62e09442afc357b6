/*
 * api_misuse.c -- a host that makes mistakes: errors say what is missing and stay, contexts do not mix, handles may be
 * dropped in any order, a context goes on after an error. That every function of core/theano.h survives every argument
 * is spec/api_walk_spec.lua's.
 */
#include "test.h"

#include <limits.h>

static const ThType vector = {.dtype = TH_FLOAT64, .ndim = 1};

/* The error is of the kind and says the words; it is cleared. */
static bool says(ThContext *c, ThError kind, const char *words) {
    bool good = th_error(c) == kind && strstr(th_error_text(c), words);
    if (!good) printf("  %s: %s\n", th_error_name(th_error(c)), th_error_text(c));
    th_error_clear(c);
    return good;
}

static void missing(void) {
    ThHost h = test_failing_host(0);
    ThContext *c = th_context_new(&h);
    ThVar *x = th_variable_new(c, vector, "x"), *out = NULL;
    CHECK(!th_op(c, "add", 2, x, (ThVar *)NULL) && says(c, TH_TypeError, "add: operand 2 of th_op is NULL"));
    CHECK(!th_op(c, "no such", 1, x) && says(c, TH_ValueError, "no function named no such"));
    CHECK(!th_op(c, NULL, 1, x) && says(c, TH_TypeError, "th_op: an argument"));
    CHECK(!th_op(c, "exp", -1) && says(c, TH_ValueError, "at most 16"));
    CHECK(!th_op(c, "exp", 2, th_op(c, "bad", 1, x), x) && says(c, TH_ValueError, "named bad")); /* the first stays */
    CHECK(th_grad(c, x, NULL, 1, NULL, &out) && says(c, TH_TypeError, "th_grad"));
    ThVar *none = NULL;
    CHECK(th_grad(c, x, &none, 1, NULL, &out) && says(c, TH_TypeError, "th_grad: variable 0 is NULL"));
    CHECK(!th_compile(c, &(ThCompile){.nin = 2}) && says(c, TH_TypeError, "th_compile: an argument"));
    CHECK(!th_compile(c, NULL) && says(c, TH_TypeError, "th_compile: an argument"));
    ThArg list = {.kind = TH_ARG_LIST, .list = {NULL, 2}};
    CHECK(th_build(c, th_func_find("stack"), &list, 1, &out, 1) < 0 &&
          says(c, TH_TypeError, "argument 1 is no proper list"));
    ThArg text = {.kind = TH_ARG_STR};
    CHECK(th_build(c, th_func_find("exp"), &text, 1, &out, 1) < 0 && says(c, TH_TypeError, "argument 1 is NULL"));
    CHECK(!th_array_empty(c, TH_FLOAT64, 2, NULL) && says(c, TH_TypeError, "lengths of an array"));
    const int64_t negative[] = {-1}, huge[] = {INT64_MAX / 8, 4}, wide[] = {INT64_MAX / 16};
    CHECK(!th_array_zeros(c, TH_FLOAT64, 1, negative) && says(c, TH_ValueError, "negative length"));
    CHECK(!th_array_zeros(c, TH_FLOAT64, 2, huge) && th_error(c) != TH_OK);
    th_error_clear(c);
    CHECK(!th_array_zeros(c, TH_FLOAT64, 1, wide) && says(c, TH_MemoryError, ""));
    CHECK(!th_array_zeros(c, TH_FLOAT64, 33, huge) && says(c, TH_ValueError, "0 to 32 dimensions"));
    CHECK(!th_array_zeros(c, (ThDtype)77, 1, wide) && says(c, TH_TypeError, "dtype"));
    CHECK(!th_variable_new(c, (ThType){.dtype = 99, .ndim = 1}, "v") && th_error(c) != TH_OK);
    th_error_clear(c);
    CHECK(!th_variable_new(c, (ThType){.dtype = TH_INT8, .ndim = 999}, "v") && th_error(c) != TH_OK);
    th_error_clear(c);
    th_var_release(x);
    th_context_release(c);
    CHECK(test_leaked() == 0);
}

/* What every builder does without a context; what there is to ask of nothing. */
static void nothing(void) {
    ThVar *v = NULL;
    ThArray *a = NULL;
    CHECK(!th_variable_new(NULL, vector, "x") && !th_constant_float(NULL, 1) && !th_constant_int(NULL, 1));
    CHECK(!th_op(NULL, "exp", 1, v) && th_build(NULL, 0, NULL, 0, &v, 1) < 0 && th_eager(NULL, 0, NULL, 0, &a, 1) < 0);
    CHECK(!th_array_empty(NULL, TH_FLOAT64, 0, NULL) && !th_shared_new(NULL, NULL, NULL, false, 0));
    CHECK(!th_compile(NULL, NULL) && th_grad(NULL, v, &v, 1, NULL, &v) && !th_graph_text(NULL, &v, 0));
    CHECK(th_error(NULL) != TH_OK && th_error_text(NULL) && th_error_name((ThError)-7));
    CHECK(th_config_set(NULL, "floatX", "float32") && !th_config_get(NULL, "floatX"));
    CHECK(!th_array_shape(NULL) && !th_array_ndim(NULL) && !th_array_size(NULL) && !th_array_data(NULL));
    CHECK(!th_var_owner(NULL) && !th_var_name(NULL) && th_var_index(NULL) == -1 && !th_var_context(NULL));
    CHECK(!th_apply_input(NULL, 0) && !th_function_ninputs(NULL) && !th_function_context(NULL));
    CHECK(th_call(NULL, NULL, 0, &a) && !th_function_node(NULL, 0) && th_call_run(NULL));
    th_context_release(NULL);
    th_array_release(NULL);
    th_array_free(NULL);
    th_var_release(NULL);
    th_apply_release(NULL);
    th_function_release(NULL);
    th_call_release(NULL);
    th_random_release(NULL);
    th_stream_release(NULL);
    th_watch_release(NULL);
    th_fgraph_free(NULL);
    th_free(NULL, NULL);
    th_interrupt(NULL);
    th_error_clear(NULL);
}

static ThFunction *compiled(ThContext *c, ThVar *x, ThVar *y) {
    const ThIn in = {.var = x, .allow_downcast = -1};
    const ThOut out = {.var = y};
    return th_compile(c, &(ThCompile){.in = &in, .nin = 1, .out = &out, .nout = 1, .allow_input_downcast = -1});
}

static void places(void) {
    ThContext *c = th_context_new(NULL);
    th_config_set(c, "linker", "py");
    ThVar *x = th_variable_new(c, vector, "x"), *y = th_op(c, "exp", 1, x);
    ThFunction *f = compiled(c, x, y);
    CHECK(f && !strcmp(th_function_input_name(f, 0), "x") && th_function_input_var(f, 0) == x);
    const int out[] = {-1, 1, 99, INT_MIN, INT_MAX};
    for (int i = 0; i < (int)(sizeof out / sizeof *out); i++) {
        CHECK(!th_function_input_name(f, out[i]) && !th_function_input_var(f, out[i]));
        CHECK(!th_function_implicit(f, out[i]) && th_function_output_type(f, out[i]).ndim == 0);
        CHECK(!th_function_node(f, out[i]) && !th_function_output_var(f, out[i]) &&
              !th_function_graph_input(f, out[i]));
        CHECK(!th_function_shared(f, out[i]) && !th_apply_input(th_var_owner(y), out[i]) && !th_func_info(-1));
        CHECK(th_error(c) == TH_OK); /* asking is no mistake */
        CHECK(!th_function_default(f, out[i]) && says(c, TH_IndexError, "1 inputs"));
        CHECK(th_function_set_default(f, out[i], NULL) && says(c, TH_IndexError, "1 inputs"));
    }
    th_function_release(f);
    th_var_release(y);
    th_var_release(x);
    th_context_release(c);
}

static void contexts_mixed(void) {
    ThContext *c = th_context_new(NULL), *d = th_context_new(NULL);
    th_config_set(c, "linker", "py");
    ThVar *x = th_variable_new(c, vector, "x"), *z = th_variable_new(d, vector, "z"), *out = NULL;
    CHECK(!th_op(c, "add", 2, x, z) && says(c, TH_TypeError, "another context") && th_error(d) == TH_OK);
    CHECK(!compiled(c, z, x) && says(c, TH_TypeError, "input 0 is a variable of another context"));
    CHECK(!compiled(c, x, z) && says(c, TH_TypeError, "output 0 is a variable of another context"));
    CHECK(th_grad(c, x, &z, 1, NULL, &out) && says(c, TH_TypeError, "another context"));
    const int64_t three = 3;
    ThVar *y = th_op(c, "sqr", 1, x);
    ThFunction *f = compiled(c, x, y);
    ThArray *a = th_array_zeros(d, TH_FLOAT64, 1, &three), *r = NULL; /* memory is memory */
    CHECK(f && !th_call(f, &a, 1, &r) && th_array_size(r) == 3);
    th_context_release(d);
    th_array_release(a);
    th_array_release(r);
    th_function_release(f);
    th_var_release(y);
    th_var_release(x);
    th_context_release(c);
    th_var_release(z); /* the last of d */
}

/* After an error the context does nothing until it is cleared, and then everything. */
static void after_error(void) {
    ThContext *c = th_context_new(NULL);
    th_config_set(c, "linker", "py");
    ThVar *x = th_variable_new(c, vector, "x"), *y = th_op(c, "exp", 1, x);
    ThFunction *f = compiled(c, x, y);
    th_op(c, "no such", 1, x);
    const int64_t three = 3;
    ThArray *r = NULL;
    CHECK(!th_op(c, "exp", 1, x) && !compiled(c, x, y));
    CHECK(th_error(c) == TH_ValueError && strstr(th_error_text(c), "no such"));
    th_error_clear(c);
    ThArray *a = th_array_zeros(c, TH_FLOAT64, 1, &three);
    ThArray *wrong = th_array_zeros(c, TH_COMPLEX64, 1, &three);
    CHECK(th_call(f, &wrong, 1, &r) && says(c, TH_TypeError, "Bad input argument"));
    CHECK(th_call(f, &a, 2, &r) && says(c, TH_TypeError, ""));
    CHECK(th_call(f, &a, -1, &r) && says(c, TH_TypeError, ""));
    CHECK(th_call(f, &a, 1, NULL) && says(c, TH_TypeError, "th_call"));
    CHECK(!th_call(f, &a, 1, &r) && *(double *)th_array_data(r) == 1);
    th_array_free(a);
    ThArray *again = NULL;
    CHECK(th_call(f, &a, 1, &again) && says(c, TH_ValueError, "freed"));
    th_array_release(a);
    th_array_release(wrong);
    th_array_release(r);
    th_function_release(f);
    th_var_release(y);
    th_var_release(x);
    th_context_release(c);
}

/* Handles of one graph are dropped in every order: each holds what it needs. */
static void any_order(void) {
    for (int order = 0; order < 720; order++) {
        ThHost h = test_failing_host(0);
        ThContext *c = th_context_new(&h);
        th_config_set(c, "linker", "py");
        const int64_t three = 3;
        ThArray *a = th_array_zeros(c, TH_FLOAT64, 1, &three);
        ThVar *s = th_shared_new(c, a, "s", false, 0), *x = th_variable_new(c, vector, "x"),
              *y = th_op(c, "add", 2, x, s);
        ThApply *n = th_apply_retain(th_var_owner(y));
        ThFunction *f = compiled(c, x, y);
        ThArray *r = NULL;
        CHECK(f && !th_call(f, &a, 1, &r));
        th_array_release(a);
        int left[6] = {0, 1, 2, 3, 4, 5}, k = order;
        for (int m = 6; m > 0; m--) {
            int pick = k % m;
            k /= m;
            switch (left[pick]) {
            case 0: th_context_release(c); break;
            case 1: th_var_release(s); break;
            case 2: th_var_release(x); break;
            case 3: th_var_release(y), th_apply_release(n); break;
            case 4: th_function_release(f); break;
            case 5: th_array_release(r); break;
            default: break;
            }
            left[pick] = left[m - 1];
        }
        CHECK(test_leaked() == 0);
    }
}

/* What arrays are called with stays ready in the context, also where it has constants of its own (an axis that was left
 * out): that must not keep the context. */
static void eager_calls(void) {
    for (int f = 0; th_func_info(f); f++) {
        ThHost h = test_failing_host(0);
        ThContext *c = th_context_new(&h);
        const int64_t shape[] = {3, 3};
        ThArray *a = th_array_zeros(c, TH_FLOAT64, 2, shape);
        for (int turn = 0; turn < 4; turn++) {
            ThArg args[] = {{.kind = TH_ARG_ARRAY, .array = a}, {.kind = TH_ARG_ARRAY, .array = a}};
            ThArray *out[16] = {NULL};
            int n = th_eager(c, f, args, 1 + turn % 2, out, 16);
            for (int i = 0; i < n; i++) th_array_release(out[i]);
            th_error_clear(c);
        }
        th_array_release(a);
        th_context_release(c);
        CHECK(test_leaked() == 0);
        if (test_leaked()) fprintf(stderr, "%s\n", th_func_info(f)->name), test_heap.live = 0;
    }
}

static void freed_arrays(void) {
    ThHost h = test_failing_host(0);
    ThContext *c = th_context_new(&h);
    const int64_t three = 3;
    ThArray *a = th_array_zeros(c, TH_FLOAT64, 1, &three), *axis = th_array_zeros(c, TH_INT64, 0, NULL), *r = NULL;
    ThVar *x = th_variable_new(c, vector, "x"), *y = NULL;
    th_array_free(axis);
    ThArg one = {.kind = TH_ARG_ARRAY, .array = axis};
    ThArg with[][2] = {{{.kind = TH_ARG_ARRAY, .array = a}, one},
                       {{.kind = TH_ARG_ARRAY, .array = a}, {.kind = TH_ARG_LIST, .list = {&one, 1}}},
                       {{.kind = TH_ARG_VAR, .var = x}, one}};
    for (int f = 0; th_func_info(f); f++) {
        CHECK(th_eager(c, f, with[0], 2, &r, 1) < 0 && says(c, TH_ValueError, "was freed"));
        CHECK(th_eager(c, f, with[1], 2, &r, 1) < 0 && says(c, TH_ValueError, "was freed"));
        CHECK(th_build(c, f, with[2], 2, &y, 1) < 0 && says(c, TH_ValueError, "was freed"));
    }
    th_var_release(x);
    th_array_release(a);
    th_array_release(axis);
    th_context_release(c);
    CHECK(test_leaked() == 0);
}

int main(void) {
    missing();
    nothing();
    places();
    contexts_mixed();
    after_error();
    any_order();
    eager_calls();
    freed_arrays();
    return test_done("api_misuse");
}
