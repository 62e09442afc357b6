/*
 * plan_basic.c -- plans of small graphs run by the interpreter: values, fusion, shape checks, outputs that are views,
 * updates.
 */
#include "runtime/frame/runtime.h"
#include "plan_test.h"

/* Two elementwise nodes and a reduction are one kernel; a row stays broadcast; the numbers are right. */
static void fuses_and_computes(ThContext *c) {
    ThVar *x = tensor(c, TH_FLOAT64, 2, 0, "x"), *b = tensor(c, TH_FLOAT64, 1, 0, "b");
    ThVar *y = th_op(c, "tanh", 1, th_op(c, "add", 2, x, b)), *s = build(c, "sum", y, 1);
    Made m = make(c, (ThVar *[]){x, b}, 2, (ThVar *[]){s}, 1, NULL, NULL, 0);
    CHECK(m.plan && plan_check(m.plan));
    if (!m.plan) return;
    CHECK(m.plan->nstep == 1);
    CHECK(m.plan->kernel[0]->red.n == 1);
    double xs[6] = {0, 1, 2, 3, 4, 5}, bs[3] = {0.5, -0.5, 0};
    ThArray *a = array(c, TH_FLOAT64, 2, (int64_t[]){2, 3}, xs), *d = array(c, TH_FLOAT64, 1, (int64_t[]){3}, bs),
            *out[1] = {0};
    CHECK(call(&m, (ThArray *[]){a, d}, 2, out) == 0);
    if (out[0]) {
        const double *r = th_array_data(out[0]);
        CHECK(fabs(r[0] - (tanh(0.5) + tanh(0.5) + tanh(2))) < 1e-14);
        CHECK(fabs(r[1] - (tanh(3.5) + tanh(3.5) + tanh(5))) < 1e-14);
    }
    th_array_release(out[0]);
    unmake(&m);
    th_array_release(a);
    th_array_release(d);
}

/* Lengths that must be equal and are not: the message counts inputs and dimensions as Theano's. */
static void checks_lengths(ThContext *c) {
    ThVar *x = tensor(c, TH_FLOAT64, 2, 0, "x"), *y = tensor(c, TH_FLOAT64, 2, 0, "y");
    ThVar *z = th_op(c, "add", 2, x, y);
    Made m = make(c, (ThVar *[]){x, y}, 2, (ThVar *[]){z}, 1, NULL, NULL, 0);
    CHECK(m.plan && plan_check(m.plan));
    if (!m.plan) return;
    ThArray *a = array(c, TH_FLOAT64, 2, (int64_t[]){2, 3}, NULL),
            *b = array(c, TH_FLOAT64, 2, (int64_t[]){2, 4}, NULL), *out[1] = {0};
    CHECK(call(&m, (ThArray *[]){a, b}, 2, out) != 0);
    CHECK_ERROR(c, TH_ValueError, "Input dimension mis-match. (input[0].shape[1] = 3, input[1].shape[1] = 4)");
    unmake(&m);
    th_array_release(a);
    th_array_release(b);
}

/* An output that is an input, twice: fresh copies, never the argument's memory. */
static void copies_outputs(ThContext *c) {
    ThVar *x = tensor(c, TH_FLOAT32, 1, 0, "x");
    Made m = make(c, (ThVar *[]){x}, 1, (ThVar *[]){x, x}, 2, NULL, NULL, 0);
    CHECK(m.plan && plan_check(m.plan));
    if (!m.plan) return;
    float xs[3] = {1, 2, 3};
    ThArray *a = array(c, TH_FLOAT32, 1, (int64_t[]){3}, xs), *out[2] = {0};
    CHECK(call(&m, (ThArray *[]){a}, 1, out) == 0);
    CHECK(out[0] && out[1] && !th_array_shares_memory(out[0], a) && !th_array_shares_memory(out[0], out[1]));
    CHECK(out[1] && th_array_equal(out[1], a));
    th_array_release(out[0]);
    th_array_release(out[1]);
    th_array_release(a);
    unmake(&m);
}

/* Updates read old values: two shareds swap, a third takes a copy of the first. */
static void swaps_shareds(ThContext *c) {
    double v[3] = {1, 2, 3};
    ThVar *s[3];
    for (int i = 0; i < 3; i++) {
        ThArray *a = array(c, TH_FLOAT64, 0, NULL, &v[i]);
        s[i] = th_shared_new(c, a, "s", false, 0);
        th_array_release(a);
    }
    Made m = make(c, NULL, 0, NULL, 0, s, (ThVar *[]){s[1], s[0], s[0]}, 3);
    CHECK(m.plan && plan_check(m.plan));
    if (!m.plan) return;
    CHECK(m.plan->nupdate == 3);
    CHECK(call(&m, NULL, 0, NULL) == 0);
    double want[3] = {2, 1, 1};
    for (int i = 0; i < 3; i++) {
        ThArray *a = th_shared_get(s[i], false);
        CHECK(a && array_item_float(a) == want[i]);
        th_array_release(a);
        th_var_release(s[i]);
    }
    unmake(&m);
}

/* Memory of a long chain is reused, and planning is linear: 100,000 nodes. */
static void long_chain(ThContext *c) {
    ThVar *x = tensor(c, TH_FLOAT64, 1, 0, "x"), *y = x;
    for (int i = 0; i < 100000; i++) y = th_op(c, "tanh", 1, y);
    struct timespec t0, t1;
    Made m = {0};
    clock_gettime(CLOCK_MONOTONIC, &t0);
    m = make(c, (ThVar *[]){x}, 1, (ThVar *[]){y}, 1, NULL, NULL, 0);
    clock_gettime(CLOCK_MONOTONIC, &t1);
    CHECK(m.plan && plan_check(m.plan));
    if (!m.plan) return;
    printf("chain: %.3f s with the graph's copy, %d steps, %d kernels\n",
           (double)(t1.tv_sec - t0.tv_sec) + 1e-9 * (double)(t1.tv_nsec - t0.tv_nsec), m.plan->nstep, m.plan->nkernel);
    int temps = 0;
    for (int b = 0; b < m.plan->nbuf; b++) temps += m.plan->buf[b].kind == BUF_TEMP;
    CHECK(temps < 2000);
    int64_t sym[16] = {0}, *offset = malloc((size_t)m.plan->nbuf * sizeof *offset);
    for (int i = 0; i < m.plan->nsym && i < 16; i++) sym[i] = 1000;
    size_t bytes = plan_layout_work(m.plan);
    void *work = malloc(bytes);
    int64_t arena = plan_layout(m.plan, sym, offset, work, bytes);
    CHECK(arena > 0 && arena < 4 * 9000);
    free(work);
    free(offset);
    unmake(&m);
}

int main(void) {
    ThContext *c = th_context_new(NULL);
    fuses_and_computes(c);
    checks_lengths(c);
    copies_outputs(c);
    swaps_shareds(c);
    long_chain(c);
    if (th_error(c)) fprintf(stderr, "%s\n", th_error_text(c));
    CHECK(th_error(c) == TH_OK);
    th_context_release(c);
    return test_done("plan_basic");
}
