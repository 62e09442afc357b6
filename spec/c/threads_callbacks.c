/*
 * threads_callbacks.c -- operations of the host whose callbacks use the engine while their call holds locks: on one
 * thread nothing waits for itself; two threads that would wait for each other get an error, one of them at least; and
 * what a callback computed stays with its own call.
 */
#include "test.h"

#include <pthread.h>

typedef struct Side {
    ThFunction *f;
    ThVar *other; /* what the callback sets */
    ThArray *value;
    pthread_barrier_t *both; /* or NULL */
    int set, calls;
} Side;

/* Returns its input, after setting a shared variable that the other side's call holds. */
static int perform_set(void *user, ThContext *c, ThArray *const *in, int nin, const ThType *types, ThArray **out,
                       int nout) {
    Side *s = user;
    (void)c, (void)nin, (void)types, (void)nout;
    s->calls++;
    if (s->both) pthread_barrier_wait(s->both);
    s->set = th_shared_set(s->other, s->value, false);
    out[0] = s->set ? NULL : th_array_copy(in[0]);
    return s->set;
}

/* Element 0 says how many elements of element 1 there are. */
static int perform_repeat(void *user, ThContext *c, ThArray *const *in, int nin, const ThType *types, ThArray **out,
                          int nout) {
    const double *v = th_array_data(in[0]);
    const int64_t n = (int64_t)v[0];
    (void)user, (void)nin, (void)types, (void)nout;
    out[0] = th_array_empty(c, TH_FLOAT64, 1, &n);
    double *to = out[0] ? th_array_data(out[0]) : NULL;
    for (int64_t i = 0; to && i < n; i++) to[i] = v[1];
    return to ? 0 : -1;
}

static const ThType vector = {.dtype = TH_FLOAT64, .ndim = 1};

/* y = KEY(x); own += 1. */
static ThFunction *make(ThContext *c, const char *key, const ThOpDef *d, ThVar *own) {
    ThVar *x = th_variable_new(c, vector, "x"), *one = th_constant_float(c, 1.0);
    ThApply *a = th_op_define(c, key, d) ? NULL : th_op_apply(c, key, &x, 1, &vector, 1);
    ThVar *y = a ? th_apply_output(a, 0) : NULL, *next = own ? th_op(c, "add", 2, own, one) : NULL;
    ThFunction *f = th_compile(c, &(ThCompile){.in = &(ThIn){.var = x, .allow_downcast = -1},
                                               .nin = 1,
                                               .out = &(ThOut){.var = y},
                                               .nout = 1,
                                               .updates = &(ThPair){own, next},
                                               .nupdates = own != NULL,
                                               .allow_input_downcast = -1});
    th_apply_release(a);
    ThVar *vars[] = {x, one, next};
    for (int i = 0; i < 3; i++) th_var_release(vars[i]);
    return f;
}

static void *call_once(void *user) {
    Side *s = user;
    const int64_t n = 2;
    ThArray *arg = th_array_zeros(th_function_context(s->f), TH_FLOAT64, 1, &n), *out = NULL;
    th_call(s->f, &arg, 1, &out);
    th_array_release(out);
    th_array_release(arg);
    return NULL;
}

static double value_of(ThVar *s) {
    ThArray *a = th_shared_get(s, false);
    double v = *(const double *)th_array_data(a);
    th_array_release(a);
    return v;
}

static void test_locks(ThContext *c) {
    ThArray *zero = th_array_zeros(c, TH_FLOAT64, 0, NULL);
    ThVar *a = th_shared_new(c, zero, "a", false, 0), *b = th_shared_new(c, zero, "b", false, 0);
    Side side[2] = {{.other = a, .value = zero}, {.other = b, .value = zero}};
    side[0].f = make(c, "SetA", &(ThOpDef){.perform = perform_set, .user = &side[0]}, a);
    side[1].f = make(c, "SetB", &(ThOpDef){.perform = perform_set, .user = &side[1]}, b);
    CHECK(side[0].f && side[1].f);
    call_once(&side[0]); /* its own variable */
    CHECK(side[0].set);
    CHECK_ERROR(c, TH_RuntimeError, "the shared variable a cannot be changed here");
    CHECK(value_of(a) == 0);
    side[0].other = b;
    call_once(&side[0]); /* one that nobody holds */
    CHECK(!side[0].set && th_error(c) == TH_OK && value_of(a) == 1);

    pthread_barrier_t both;
    pthread_barrier_init(&both, NULL, 2);
    pthread_t t[2];
    for (int round = 0; round < 50; round++) { /* a's holder sets b and b's sets a */
        side[0].other = b, side[1].other = a;
        side[0].both = side[1].both = &both;
        for (int i = 0; i < 2; i++) CHECK(pthread_create(&t[i], NULL, call_once, &side[i]) == 0);
        for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
        CHECK(side[0].set || side[1].set);
        CHECK_ERROR(c, TH_RuntimeError, "waits for what the call around this one holds");
    }
    side[0].both = NULL;
    call_once(&side[0]); /* everything was given back */
    CHECK(!side[0].set && th_error(c) == TH_OK);
    pthread_barrier_destroy(&both);
    for (int i = 0; i < 2; i++) th_function_release(side[i].f);
    th_var_release(a);
    th_var_release(b);
    th_array_release(zero);
}

/* Many calls of one function on two threads, with results of different lengths. */
typedef struct Many {
    ThFunction *f;
    double data[2];
    int wrong;
} Many;

static void *call_many(void *user) {
    Many *m = user;
    const int64_t n = 2;
    ThArray *arg = th_array_wrap(th_function_context(m->f), TH_FLOAT64, 1, &n, NULL, m->data, NULL, NULL);
    for (int i = 0; i < 1000; i++) {
        ThArray *out = NULL;
        m->wrong += th_call(m->f, &arg, 1, &out) != 0 || th_array_size(out) != (int64_t)m->data[0];
        for (int64_t k = 0; out && k < th_array_size(out); k++)
            m->wrong += ((const double *)th_array_data(out))[k] != m->data[1];
        th_array_release(out);
    }
    th_array_release(arg);
    return NULL;
}

int main(void) {
    ThContext *c = th_context_new(NULL);
    th_config_set(c, "cxx", "");
    test_locks(c);
    ThFunction *f = make(c, "Repeat", &(ThOpDef){.perform = perform_repeat}, NULL);
    CHECK(f);
    Many m[2] = {{f, {3, 7}, 0}, {f, {40, 9}, 0}};
    pthread_t t[2];
    for (int i = 0; i < 2; i++) CHECK(pthread_create(&t[i], NULL, call_many, &m[i]) == 0);
    for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
    CHECK(!m[0].wrong && !m[1].wrong);
    th_function_release(f);
    th_context_release(c);
    return test_done("threads_callbacks");
}
