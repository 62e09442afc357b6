/* opt_engine.c -- the rewriting engine driven directly: folding, queries, schedule, in place, failing allocations,
 * size. */
#include "test.h"

#include "opt/engine/rewrite.h"

static int evals;

/* exp of a 0-d double and nothing else; everything else fails as an operation at run time would. */
static int tiny_eval(ThContext *c, ThApply *node, ThArray *const *in, ThArray **out) {
    evals++;
    if (ask_which(node) != S_exp || in[0]->ndim) {
        err(c, TH_ValueError, "cannot do that");
        return -1;
    }
    double one = 1;
    out[0] = array_scalar(c, TH_FLOAT64, &one);
    return out[0] ? 0 : -1;
}

static FGraph *read(ThContext *c, const char *text) {
    FGraph *fg = graph_read_fg(c, text, false);
    if (!fg) fprintf(stderr, "%s\n", th_error_text(c));
    return fg;
}

static char *text_of(FGraph *fg) {
    Text t;
    text_init(&t, fg->ctx);
    graph_print_fg(&t, fg);
    return text_take(&t);
}

static void check_named(ThContext *c, const char *given, const char *passes, OptEval eval, const char *want) {
    FGraph *fg = read(c, given);
    CHECK(fg && opt_run_named(fg, passes, eval));
    char *got = fg ? text_of(fg) : NULL;
    CHECK_TEXT(got, want);
    th_free(c, got);
    fg_free(fg);
}

static void test_folding(void) {
    ThContext *c = th_context_new(NULL);
    const char *works = "%0: const float64[] 0.0\n%1 = Elemwise{exp}(%0)\nout %1\n";
    const char *fails = "%0: const float64[] 0.0\n%1 = Elemwise{tan}(%0)\nout %1\n";
    check_named(c, works, "constant_folding", NULL, works); /* nobody can evaluate */
    check_named(c, works, "constant_folding", tiny_eval, "%0: const float64[] 1.0\nout %0\n");
    CHECK(evals > 0);
    check_named(c, fails, "constant_folding", tiny_eval, fails); /* what fails stays, and the error is not kept */
    CHECK(th_error(c) == TH_OK);
    evals = 0; /* views and casts need no evaluation */
    check_named(c,
                "%0: const int8[] 3\n%1 = DimShuffle{order=[-1]}(%0)\n%2 = Elemwise{cast, dtype=float64}(%1)\nout %2\n",
                "constant_folding", tiny_eval, "%0: const float64[1] (1) 3.0\nout %0\n");
    CHECK(evals == 0);
    const char *large = "%0: const float64[] 1.0\n%1: const int64[] 3000000\n%2 = Alloc(%0, %1)\nout %2\n";
    check_named(c, large, "constant_folding", tiny_eval, large);
    th_context_release(c);
}

static const char *const step = "x: float64[?,?]\ny: float64[?,?]\nW: shared float64[?,?] (4, 3)\n"
                                "%0 = DimShuffle{order=[1, 0]}(x)\n%1 = Dot(%0, y)\n%2: const float64[1,1] (1, 1) 0.1\n"
                                "%3 = Elemwise{mul}(%2, %1)\n%4 = Elemwise{sub}(W, %3)\n";

static ThApply *update_node(FGraph *fg) { return fg->out[fg->nout - 1]->owner; }

/* Runs fast_run on the step with more lines; the node that makes the new W. */
static FGraph *run_step(ThContext *c, const char *more, const char *excluding) {
    char text[1024];
    snprintf(text, sizeof text, "%s%s", step, more);
    FGraph *fg = read(c, text);
    OptSpec s = {.optimizer = "fast_run", .excluding = excluding, .verify = true};
    CHECK(fg && opt_run(fg, &s));
    return fg;
}

static void test_updates(void) {
    ThContext *c = th_context_new(NULL);
    FGraph *fg = run_step(c, "update W = %4\n", NULL);
    CHECK(update_node(fg)->op == &op_gemm && update_node(fg)->destroys == 0);
    fg_free(fg);
    fg = run_step(c, "update W = %4\n", "inplace");
    CHECK(update_node(fg)->op == &op_gemm && update_node(fg)->destroys == -1);
    fg_free(fg);
    /* other readers of the old W come first */
    fg = run_step(c, "%5 = Dot(y, W)\nout %5\nupdate W = %4\n", NULL);
    CHECK(update_node(fg)->destroys == 0 && fg->order[fg->norder - 1] == update_node(fg));
    fg_free(fg);
    /* an output that is W itself protects it */
    fg = run_step(c, "out W\nupdate W = %4\n", NULL);
    CHECK(update_node(fg)->destroys == -1);
    fg_free(fg);
    /* a step that can fail and needs the new W: W is not written before it */
    fg = run_step(c, "i: int64[?]\n%5 = AdvancedSubtensor1(%4, i)\nout %5\nupdate W = %4\n", NULL);
    CHECK(update_node(fg)->destroys == -1);
    fg_free(fg);
    /* a step that can fail and does not need it runs before */
    fg = run_step(c, "i: int64[?]\n%5 = AdvancedSubtensor1(W, i)\nout %5\nupdate W = %4\n", NULL);
    CHECK(update_node(fg)->destroys == 0 && fg->order[fg->norder - 1] == update_node(fg));
    fg_free(fg);
    CHECK(th_error(c) == TH_OK);
    th_context_release(c);
}

static void test_queries(void) {
    ThContext *c = th_context_new(NULL);
    FGraph *fg = read(c, "x: float64[?]\n%0 = Elemwise{neg}(x)\n%1 = Elemwise{neg}(%0)\nout %1\n");
    OptSpec none = {.optimizer = "None", .verify = true}, wrong = {.optimizer = "fast_rum"};
    CHECK(opt_run(fg, &none) && fg->norder == 2);
    CHECK(!opt_run(fg, &wrong));
    CHECK_ERROR(c, TH_ValueError, "fast_run");
    OptSpec without = {.optimizer = "fast_run", .excluding = "local_func_inv:local_neg_neg:local_neg_to_mul"};
    CHECK(opt_run(fg, &without) && fg->norder == 1); /* one Composite of two signs */
    fg_free(fg);
    const RuleTable *t = rules_get(c);
    for (int i = 0; t && i < t->n; i++) {
        if (!t->at[i].resolved) fprintf(stderr, "%s names an operation that does not exist\n", t->at[i].name);
        CHECK(t->at[i].resolved);
    }
    th_context_release(c);
}

/* tanh(x) * k + x, again and again: no recursion, no rule that runs away, as many groups as the caps ask for. */
static void test_long_chain(void) {
    ThContext *c = th_context_new(NULL);
    Builder b;
    builder_begin(&b, c);
    ThVar *x = var_new(&b, type_tensor(TH_FLOAT64, 1, 0), "x"), *v = x;
    for (int i = 0; i < 20000; i++) {
        ThVar *t = elemwise_make(&b, S_tanh, &v, 1);
        ThVar *k = elemwise_make(&b, S_mul, (ThVar *[]){t, const_float(&b, 1 + i * 0.5, TH_FLOAT64)}, 2);
        v = elemwise_make(&b, S_add, (ThVar *[]){k, x}, 2);
    }
    FGraph *fg = fg_new(c, &x, 1, &v, 1, NULL, NULL, 0, false);
    OptSpec s = {.optimizer = "fast_run"};
    CHECK(fg && opt_run(fg, &s));
    CHECK(fg->max_generation_hit == 0 && fg->norder == fg->live && fg->live < 4000);
    fg_free(fg);
    builder_end(&b);
    th_context_release(c);
}

/* An update, a folding, a softplus, shapes: every allocation of the run may fail. */
static int optimize_once(ThContext *c) {
    char text[1024];
    snprintf(
        text, sizeof text,
        "%s%%5: const int8[] 1\n%%6 = DimShuffle{order=[-1, -1]}(%%5)\n%%7 = Elemwise{exp}(%%4)\n"
        "%%8 = Elemwise{add}(%%6, %%7)\n%%9 = Elemwise{log}(%%8)\n%%10 = Shape(%%9)\nout %%9, %%10\nupdate W = %%4\n",
        step);
    FGraph *fg = graph_read_fg(c, text, false);
    OptSpec s = {.optimizer = "fast_run", .eval = tiny_eval};
    int ok = fg && opt_run(fg, &s);
    fg_free(fg);
    return ok;
}

int main(void) {
    test_folding();
    test_updates();
    test_queries();
    test_long_chain();
    test_every_failure(optimize_once);
    return test_done("opt_engine");
}
