/* graph_inner.c -- inner graphs: equal ones are one record, others are not, and all of it is given back. */
#include "test.h"

#include "graph/op.h"
#include "ops/table/ops.h"

static const ThType vec = {.kind = TYPE_TENSOR, .dtype = TH_FLOAT64, .ndim = 1};

/* a * k + b, or with the arguments swapped */
static GraphBody *make(ThContext *c, double k, bool swapped) {
    Builder b;
    builder_begin(&b, c);
    ThVar *in[] = {var_new(&b, vec, "a"), var_new(&b, vec, NULL)};
    ThVar *x[] = {in[swapped], const_float(&b, k, TH_FLOAT64)};
    ThVar *y[] = {elemwise_make(&b, scalar_find("mul"), x, 2), in[!swapped]};
    ThVar *z = elemwise_make(&b, scalar_find("add"), y, 2);
    GraphBody *g = graph_body(c, in, 2, &z, 1);
    builder_end(&b);
    return g;
}

static void test_open(ThContext *c) {
    Builder b;
    builder_begin(&b, c);
    ThVar *in = var_new(&b, vec, "x"), *other = var_new(&b, vec, "other");
    ThVar *z = elemwise_make(&b, scalar_find("exp"), &other, 1);
    CHECK(!graph_body(c, &in, 1, &z, 1));
    CHECK(strstr(th_error_text(c), "other") != NULL);
    th_error_clear(c);
    CHECK(!graph_body(c, &z, 1, &z, 1));
    th_error_clear(c);
    builder_end(&b);
}

static int make_both(ThContext *c) {
    GraphBody *x = make(c, 2, false), *y = make(c, 2, false);
    int ok = x && y;
    graph_body_release(x);
    graph_body_release(y);
    return ok;
}

int main(void) {
    ThHost host = test_failing_host(0);
    ThContext *c = th_context_new(&host);
    CHECK(c != NULL);
    int64_t before = th_stat(c, "live_nodes");
    GraphBody *x = make(c, 2, false), *y = make(c, 2, false), *z = make(c, 3, false), *w = make(c, 2, true);
    CHECK(x && x == y && z && z != x && w && w != x);
    graph_body_release(x);
    CHECK(make(c, 2, false) == y);
    graph_body_release(y);
    graph_body_release(y);
    graph_body_release(z);
    graph_body_release(w);
    GraphBody *again = make(c, 2, false);
    CHECK(again && again->nout == 1);
    graph_body_release(again);
    test_open(c);
    CHECK(th_stat(c, "live_nodes") == before);
    th_context_release(c);
    CHECK(test_leaked() == 0);
    test_every_failure(make_both);
    return test_done("graph_inner");
}
