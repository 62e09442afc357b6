/*
 * graph_fg.c -- FunctionGraph: consing, replacement by forwarding, merging, pruning, listeners, verification, its text.
 */
#include "test.h"

#include "graph/op.h"

static FGraph *read_fg(ThContext *c, const char *text, bool cons) {
    FGraph *fg = graph_read_fg(c, text, cons);
    if (!fg) {
        test_failures++;
        fprintf(stderr, "%s\n", th_error_text(c));
        th_error_clear(c);
    }
    return fg;
}

static void check_fg(FGraph *fg, const char *want) {
    Text t;
    text_init(&t, fg->ctx);
    CHECK(graph_verify(fg));
    if (th_error(fg->ctx)) fprintf(stderr, "%s\n", th_error_text(fg->ctx));
    CHECK(graph_print_fg(&t, fg));
    CHECK_TEXT(t.at ? t.at : "", want);
    text_free(&t);
}

static ThVar *apply_in(Builder *b, const char *name, ThVar *x, ThVar *y) {
    ThVar *in[] = {x, y};
    return elemwise_make(b, scalar_find(name), in, y ? 2 : 1);
}

/* ---- merging ---- */
static const char twins[] = "x: float64[?]\n"
                            "y: float64[?]\n"
                            "%0: const float64[1] (1) 25.5\n"
                            "%1: const float64[1] (1) 25.5\n"
                            "%2 = Elemwise{add}(x, y)\n"
                            "%3 = Elemwise{add}(y, x)\n"
                            "%4 = Elemwise{mul}(%2, %0)\n"
                            "%5 = Elemwise{mul}(%1, %3)\n"
                            "%6 = Elemwise{sub}(x, y)\n"
                            "%7 = Elemwise{sub}(y, x)\n"
                            "out %4, %5, %6, %7\n";
static const char merged[] = "x: float64[?]\n"
                             "y: float64[?]\n"
                             "%0 = Elemwise{add}(x, y)\n"
                             "%1: const float64[1] (1) 25.5\n"
                             "%2 = Elemwise{mul}(%0, %1)\n"
                             "%3 = Elemwise{sub}(x, y)\n"
                             "%4 = Elemwise{sub}(y, x)\n"
                             "out %2, %2, %3, %4\n";

static void test_merge(ThContext *c) {
    FGraph *fg = read_fg(c, twins, true); /* merged while copied */
    CHECK(fg->live == 4 && fg->out[0] == fg->out[1]);
    check_fg(fg, merged);
    fg_free(fg);
    fg = read_fg(c, twins, false);
    CHECK(fg->live == 6 && fg->consts.n == 2);
    CHECK(graph_verify(fg));
    CHECK(fg_merge(fg)); /* merged afterwards: the same */
    check_fg(fg, merged);
    CHECK(fg_merge(fg) && fg->live == 4);
    fg_free(fg);
}

/* ---- replacement ---- */
typedef struct Seen {
    int imports, changes, prunes;
} Seen;
static void on_import(void *u, ThApply *a) { (void)a, ((Seen *)u)->imports++; }
static void on_change(void *u, ThApply *a) { (void)a, ((Seen *)u)->changes++; }
static void on_prune(void *u, ThApply *a) { (void)a, ((Seen *)u)->prunes++; }

static void test_replace(ThContext *c) {
    FGraph *fg = read_fg(c,
                         "x: float64[?]\n"
                         "%1 = Elemwise{exp}(x)\n"
                         "%2 = Elemwise{neg}(%1)\n"
                         "%3 = Elemwise{neg}(%2)\n"
                         "%4 = Elemwise{sin}(%3) \"s\"\n"
                         "%5 = Elemwise{sin}(%1)\n"
                         "%6 = Elemwise{tanh}(%4)\n"
                         "%7 = Elemwise{tanh}(%5)\n"
                         "%8 = Elemwise{add}(%6, %7)\n"
                         "out %8\n",
                         true);
    Seen seen = {0};
    FgListener l = {on_import, on_change, on_prune, &seen, NULL};
    CHECK(vec_push(c, &fg->listeners, l));
    ThApply *add = fg->out[0]->owner, *sin = add->in[0]->owner->in[0]->owner, *neg = sin->in[0]->owner;
    ThVar *x = neg->in[0]->owner->in[0];
    CHECK(fg_replace(fg, neg->out[0], x,
                     "local_neg_neg")); /* sin and tanh become equal to their twins, one after the other */
    check_fg(fg, "x: float64[?]\n"
                 "%0 = Elemwise{exp}(x)\n"
                 "%1 = Elemwise{sin}(%0) \"s\"\n"
                 "%2 = Elemwise{tanh}(%1)\n"
                 "%3 = Elemwise{add}(%2, %2)\n"
                 "out %3\n");
    CHECK(fg->live == 4 && seen.prunes == 4 && seen.imports == 0 && seen.changes >= 1);
    CHECK((neg->flags & APPLY_DEAD) && fg_find(neg->out[0]) == x);
    Builder b;
    builder_begin_fg(&b, fg, 0);
    ThVar *same = apply_in(&b, "sin", x, NULL), *unused = apply_in(&b, "cos", x, NULL);
    CHECK(same->owner->rank == 2 && unused->owner->rank == 2 && seen.imports == 1); /* sin(exp(x)) was there already */
    builder_end(&b);
    CHECK(fg->live == 4 && (unused->owner->flags & APPLY_DEAD)); /* nobody used it */
    ThVar *bad = fg->in[0];
    CHECK(fg_replace(fg, fg->out[0], bad, "r"));
    check_fg(fg, "x: float64[?]\nout x\n");
    CHECK(fg->live == 0);
    fg_free(fg);
}

static void test_refused(ThContext *c) {
    FGraph *fg = read_fg(c, "x: float64[?]\nr: float64[1]\n%1 = Elemwise{exp}(x)\nout %1, r\n", true);
    CHECK(!fg_replace(fg, fg->out[0], fg->in[1], "local_wrong"));
    CHECK_ERROR(c, TH_BadOptimization, "rewrite local_wrong: the types differ");
    Builder b;
    builder_begin_fg(&b, fg, 0);
    CHECK(!fg_replace(fg, fg->out[0], apply_in(&b, "sin", fg->out[0], NULL), "local_loop"));
    CHECK_ERROR(c, TH_BadOptimization, "computed from the old one");
    builder_end(&b);
    check_fg(fg, "x: float64[?]\nr: float64[1]\n%0 = Elemwise{exp}(x)\nout %0, r\n");
    fg_free(fg);
}

static void test_edges(ThContext *c) {
    FGraph *fg = read_fg(
        c, "x: float64[?]\ny: float64[?]\n%1 = Elemwise{exp}(x)\n%2 = Elemwise{mul}(%1, x)\nout %2, %1\n", true);
    ThApply *mul = fg->out[0]->owner;
    CHECK(fg_set_input(fg, mul, 0, fg->in[1]));
    check_fg(fg, "x: float64[?]\ny: float64[?]\n%0 = Elemwise{mul}(y, x)\n%1 = Elemwise{exp}(x)\nout %0, %1\n");
    CHECK(fg_set_output(fg, 1, fg->in[0]));
    check_fg(fg, "x: float64[?]\ny: float64[?]\n%0 = Elemwise{mul}(y, x)\nout %0, x\n");
    fg->out[0]->owner->rank = 0;
    CHECK(graph_verify(fg)); /* no computed input: nothing to compare with */
    fg->out[0]->owner->in[0]->nclients = 0;
    CHECK(!graph_verify(fg));
    CHECK_ERROR(c, TH_BadOptimization, "does not list this node among its clients");
    fg_free(fg);
}

/* Two that change places at once: what one needs must not die while the other is done. */
static void test_many(ThContext *c) {
    FGraph *fg = read_fg(
        c, "x: float64[?]\n%1 = Elemwise{exp}(x)\n%2 = Elemwise{sin}(%1)\n%3 = Elemwise{cos}(x)\nout %2, %3\n", true);
    ThVar *old[] = {fg->out[0], fg->out[1]}, *new_[] = {fg->in[0], fg->out[0]->owner->in[0]};
    CHECK(fg_replace_many(fg, old, new_, 2, "swap"));
    check_fg(fg, "x: float64[?]\n%0 = Elemwise{exp}(x)\nout x, %0\n");
    fg_free(fg);
}

/* ---- updates, shareds, the fixed order ---- */
static void test_updates(ThContext *c) {
    static const char text[] = "x: float64[?]\n"
                               "w: shared float64[?] (3)\n"
                               "%0 = Elemwise{add}(x, w) @destroys=0\n"
                               "out %0\n"
                               "update w = %0\n";
    FGraph *fg = read_fg(c, text, true);
    CHECK(fg->nin == 2 && fg->nplain_out == 1 && fg->nout == 2 && fg->update_of[0] == fg->in[1]);
    CHECK(!fg->in_mutable[0] && fg->in_mutable[1] && fg->in[1]->u.shared && fg->in[1]->origin);
    CHECK(fg->out[0] == fg->out[1] && fg->out[0]->nclients == 2);
    check_fg(fg, text);
    fg_free(fg);
    fg = read_fg(c, "x: float64[?]\n%0 = Elemwise{exp}(x) @destroys=0\n%1 = Elemwise{sin}(x)\nout %0, %1\n", true);
    ApplyVec order = {0};
    CHECK(fg_toposort(fg, &order));
    fg->order = order.at;
    fg->norder = order.n;
    CHECK(!graph_verify(fg)); /* sin reads what exp overwrote */
    CHECK_ERROR(c, TH_BadOptimization, "an earlier step overwrote");
    vec_free(c, &order);
    fg->norder = 0;
    fg_free(fg);
    CHECK(!graph_read_fg(c, "x: float64[?]\nupdate x = x\n", true));
    CHECK_ERROR(c, TH_ValueError, "only a shared variable");
}

static void test_missing(ThContext *c) {
    th_set_line(c, "net.lua", 5);
    ThVar *x = th_variable_new(c, (ThType){0, TH_FLOAT64, 1, 0}, "x"), *y = th_variable_new(c, x->type, "y");
    ThVar *z = th_op(c, "add", 2, x, y);
    CHECK(!fg_new(c, &x, 1, &z, 1, NULL, NULL, 0, true));
    CHECK_ERROR(c, TH_MissingInputError,
                "Input 1 of the graph node Elemwise{add,no_inplace} is the variable y (made at net.lua:5)");
    FGraph *fg = fg_new(c, &z, 1, &z, 1, NULL, NULL, 0, true); /* a computed variable may stand as an input: the cut */
    CHECK(fg && fg->live == 0 && fg->nin == 1 && fg->out[0] == fg->in[0]);
    fg_free(fg);
    th_var_release(x);
    th_var_release(y);
    th_var_release(z);
    th_set_line(c, NULL, 0);
}

/* ---- cost ---- */
/* exp(x) + k for k < n, all over one shared exp; then exp(x) is replaced: each user is rehashed once. */
static long long fan(ThContext *c, int n) {
    Text t;
    text_init(&t, c);
    text_put(&t, "x: float64[?]\ne: float64[?]\n");
    text_put(&t, "%0 = Elemwise{exp}(x)\n");
    for (int i = 0; i < n; i++)
        text_printf(&t, "%%c%d: const float64[1] (1) %d\n%%a%d = Elemwise{add}(%%0, %%c%d)\n", i, i, i, i);
    text_put(&t, "out %0");
    for (int i = 0; i < n; i++) text_printf(&t, ", %%a%d", i);
    text_put(&t, "\n");
    FGraph *fg = read_fg(c, t.at, true);
    text_free(&t);
    long long before = test_heap.calls;
    ThVar *e = fg->out[0];
    CHECK(e->nclients == n + 1);
    CHECK(fg_replace(fg, e, fg->in[1], "r"));
    CHECK(fg->live == n && graph_verify(fg));
    long long used = test_heap.calls - before;
    fg_free(fg);
    return used;
}

/* A tower of pairs f(a), f(b): making a and b equal merges every level, bottom up, without recursion. */
static void tower(ThContext *c, int n) {
    Builder b;
    builder_begin(&b, c);
    ThVar *x = var_new(&b, type_tensor(TH_FLOAT64, 1, 0), "x"), *y = var_new(&b, x->type, "y"), *p = x, *q = y;
    for (int i = 0; i < n; i++) {
        p = apply_in(&b, "sin", p, NULL);
        q = apply_in(&b, "sin", q, NULL);
    }
    ThVar *in[] = {x, y}, *out[] = {p, q};
    FGraph *fg = fg_new(c, in, 2, out, 2, NULL, NULL, 0, true);
    builder_end(&b);
    CHECK(fg->live == 2 * n);
    CHECK(fg_replace(fg, fg->in[1], fg->in[0], "same"));
    CHECK(fg->live == n && fg->out[0] == fg->out[1] && graph_verify(fg));
    CHECK(fg_ranks(fg) && fg->out[0]->owner->rank == (uint32_t)n && graph_verify(fg));
    fg_free(fg);
}

static int replace_all(ThContext *c) {
    FGraph *fg = graph_read_fg(c, twins, false);
    bool ok = fg && fg_merge(fg);
    Builder b;
    if (ok) {
        builder_begin_fg(&b, fg, 0);
        ThVar *z = apply_in(&b, "cos", fg->in[0], NULL);
        ok = z && fg_replace(fg, fg->out[0], z, "r");
        builder_end(&b);
    }
    ok = ok && graph_verify(fg);
    fg_free(fg);
    return ok;
}

int main(void) {
    ThHost host = test_failing_host(0);
    ThContext *c = th_context_new(&host);
    test_merge(c);
    test_replace(c);
    test_refused(c);
    test_edges(c);
    test_many(c);
    test_updates(c);
    test_missing(c);
    long long small = fan(c, 1000), large = fan(c, 10000);
    CHECK(large < 11 * small);
    tower(c, 100000);
    CHECK(th_error(c) == TH_OK);
    CHECK(th_stat(c, "live_nodes") == 0);
    th_context_release(c);
    CHECK(test_leaked() == 0);
    test_every_failure(replace_all);
    return test_done("graph_fg");
}
