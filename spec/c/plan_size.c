/*
 * plan_size.c -- sizes of every origin: lengths, arguments' values (part of the signature), values that a step computes
 * (late buffers), products that overflow; and the layout against a brute-force check.
 */
#include "runtime/frame/runtime.h"
#include "ops/table/shape.h"
#include "plan_test.h"

/* arange(0, stop) as a node of the user's graph; a new reference. */
static ThVar *arange(ThContext *c, ThVar *stop) {
    Builder b;
    builder_begin(&b, c);
    ThVar *v = arange_make(&b, const_int(&b, 0, TH_INT64), stop, const_int(&b, 1, TH_INT64), TH_INT64);
    th_var_retain(v);
    builder_end(&b);
    return kept(v);
}

static int64_t length_for(Made *m, ThArray *a) {
    ThArray *out[1] = {0};
    int bad = call(m, &a, 1, out);
    int64_t n = bad ? -1 : th_array_size(out[0]);
    if (!bad && n > 0) CHECK(((const int64_t *)th_array_data(out[0]))[n - 1] == n);
    th_array_release(out[0]);
    return n;
}

/* arange(n) + 1 for an argument n: no step, a new signature for each n. */
static void argument_values(ThContext *c) {
    ThVar *n = tensor(c, TH_INT64, 0, 0, "n"), *y = th_op(c, "add", 2, arange(c, n), th_constant_int(c, 1));
    Made m = make(c, &n, 1, &y, 1, NULL, NULL, 0);
    CHECK(m.plan && plan_check(m.plan));
    if (!m.plan) return;
    check_sizes_proved(m.plan);
    CHECK(m.plan->nsig == 1 && m.plan->nstep == 1);
    for (int64_t k = 0; k < 5; k += 2) {
        ThArray *a = array(c, TH_INT64, 0, NULL, &k);
        CHECK(length_for(&m, a) == k);
        th_array_release(a);
    }
    unmake(&m);
}

/* arange(max(x)) + 1: the size is known only after a step; its buffers are late. */
static void computed_values(ThContext *c) {
    ThVar *x = tensor(c, TH_INT64, 1, 0, "x"), *n = build(c, "max", x, 0), *r = arange(c, n),
          *y = th_op(c, "add", 2, r, th_constant_int(c, 1));
    ThVar *sum = build(c, "sum", th_op(c, "mul", 2, r, r), 0);
    Made m = make(c, &x, 1, (ThVar *[]){y, sum}, 2, NULL, NULL, 0);
    CHECK(m.plan && plan_check(m.plan));
    if (!m.plan) return;
    check_sizes_proved(m.plan);
    int sizes = 0, late = 0;
    for (int s = 0; s < m.plan->nstep; s++)
        sizes += m.plan->step[s].kind == STEP_SIZE, late += m.plan->step[s].kind == STEP_LATE;
    CHECK(sizes == 1 && late >= 1);
    int64_t xs[2][3] = {{1, 4, 2}, {7, 0, 3}};
    for (int k = 0; k < 2; k++) {
        ThArray *a = array(c, TH_INT64, 1, (int64_t[]){3}, xs[k]), *out[2] = {0};
        CHECK(call(&m, &a, 1, out) == 0);
        CHECK(out[0] && th_array_size(out[0]) == (k ? 7 : 4));
        CHECK(out[1] && array_item_int(out[1]) == (k ? 91 : 14));
        th_array_release(out[0]);
        th_array_release(out[1]);
        th_array_release(a);
    }
    unmake(&m);
}

/* user: one length for all dims of each argument */
static int64_t dim_of(void *user, int buf, int d) {
    (void)d;
    return ((const int64_t *)user)[buf];
}

/* The outer sum of two huge broadcast lengths does not fit: an error, not a wild size. */
static void overflow(ThContext *c) {
    ThVar *x = tensor(c, TH_FLOAT64, 2, 2, "x"), *y = tensor(c, TH_FLOAT64, 2, 1, "y"), *z = th_op(c, "add", 2, x, y);
    Made m = make(c, (ThVar *[]){x, y}, 2, &z, 1, NULL, NULL, 0);
    CHECK(m.plan != NULL);
    if (!m.plan) return;
    int64_t big = (int64_t)1 << 40, sym[8];
    ShapeEnv env = {0};
    int64_t dims[2] = {big, big};
    env.u = dims;
    env.dim = dim_of;
    CHECK(m.plan->nsym <= 8);
    CHECK(shape_run(m.plan, 0, m.plan->nshape_static, sym, &env) == 1);
    dims[1] = 3;
    CHECK(shape_run(m.plan, 0, m.plan->nshape_static, sym, &env) == 0);
    unmake(&m);
}

/* A graph whose temporaries have many sizes and lifetimes. */
static ThVar *tangle(ThContext *c, ThVar *x, ThVar *b) {
    ThVar *keep[6] = {x}, *y = x;
    for (int i = 0; i < 60; i++) {
        ThVar *s = build(c, "sum", y, i % 2),
              *t = th_op(c, "tanh", 1, i % 2 ? y : th_op(c, "add", 2, y, i % 3 ? b : s));
        keep[1 + i % 5] = t;
        y = keep[1 + (i * 7) % 5] ? th_op(c, "mul", 2, t, keep[1 + (i * 7) % 5]) : t;
    }
    return y;
}

static int64_t bytes_of(const PlanBuf *f, const int64_t *sym) {
    return f->kind == BUF_TEMP ? size_value(f->size, sym) * (int64_t)th_dtype_bytes((ThDtype)f->dtype) : 0;
}

static int64_t peak_bytes(const Plan *p, const int64_t *sym) {
    int64_t peak = 0;
    for (int s = 0; s < p->nstep; s++) {
        int64_t now = 0;
        for (int b = 0; b < p->nbuf; b++)
            if (p->buf[b].first <= s && s <= p->buf[b].last) now += bytes_of(&p->buf[b], sym);
        if (now > peak) peak = now;
    }
    return peak;
}

static int64_t all_bytes(const Plan *p, const int64_t *sym) {
    int64_t n = 0;
    for (int b = 0; b < p->nbuf; b++) n += bytes_of(&p->buf[b], sym);
    return n;
}

/* Buffers that live together never overlap, unless one was wished in place of the other. */
static void layout(ThContext *c) {
    ThVar *x = tensor(c, TH_FLOAT64, 2, 0, "x"), *b = tensor(c, TH_FLOAT64, 1, 0, "b"), *y = tangle(c, x, b);
    Made m = make(c, (ThVar *[]){x, b}, 2, &y, 1, NULL, NULL, 0);
    CHECK(m.plan && plan_check(m.plan));
    if (!m.plan) return;
    const Plan *p = m.plan;
    size_t bytes = plan_layout_work(p);
    int64_t sym[64], *off = calloc((size_t)p->nbuf, sizeof *off);
    void *work = malloc(bytes);
    for (int64_t n = 1; n < 300000; n = n * 3 + 1) { /* from 4,000 on slots are placed by their lives */
        int64_t dims[2] = {n, 7};
        ShapeEnv env = {.dim = dim_of, .u = dims};
        for (int s = 0; s < TH_LEN(sym); s++) sym[s] = 0; /* what only steps would compute is nothing */
        shape_run(p, 0, p->nshape_static, sym, &env);
        for (int s = 0; s < p->nsym; s++)
            if (sym[s] < 0) sym[s] = 0;
        int64_t top = plan_layout(p, sym, off, work, bytes), peak = peak_bytes(p, sym);
        CHECK(top >= 0);
        for (int i = 0; i < p->nbuf; i++) {
            const PlanBuf *f = &p->buf[i];
            if (f->kind != BUF_TEMP) continue;
            int64_t size = size_value(f->size, sym) * (int64_t)th_dtype_bytes((ThDtype)f->dtype);
            CHECK(off[i] % 64 == 0 && off[i] >= 0 && off[i] + size <= top);
            for (int j = 0; j < i; j++) {
                const PlanBuf *g = &p->buf[j];
                if (g->kind != BUF_TEMP || g->last < f->first || f->last < g->first) continue;
                if ((f->inplace_of == j && g->last == f->first) || (g->inplace_of == i && f->last == g->first))
                    continue;
                int64_t gs = size_value(g->size, sym) * (int64_t)th_dtype_bytes((ThDtype)g->dtype);
                CHECK(off[i] + size <= off[j] || off[j] + gs <= off[i]);
            }
        }
        CHECK(top <= peak + peak / (n < 10000 ? 2 : 16) + 1024 * p->nbuf);
        CHECK(n < 1000 || peak < all_bytes(p, sym) / 2);
    }
    free(off);
    free(work);
    unmake(&m);
}

int main(void) {
    ThContext *c = th_context_new(NULL);
    argument_values(c);
    computed_values(c);
    overflow(c);
    layout(c);
    if (th_error(c)) fprintf(stderr, "%s\n", th_error_text(c));
    CHECK(th_error(c) == TH_OK);
    th_context_release(c);
    return test_done("plan_size");
}
