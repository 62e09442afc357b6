/*
 * schedule_choose.c -- what others than transforms ask the chooser: which lengths a version is to know and what that
 * gains, what building costs, how many compilers a unit deserves; and schedules shown where memory runs out.
 */
#include "graph/graph.h"
#include "schedule/choose.h"
#include "test.h"

static Kernel *rows(ThContext *c, int outer, int stages, DimKind inner) {
    Kernel *k = kernel_new(c);
    if (!k) return NULL;
    kernel_dim(k, (Size){1, 0}, DIM_PAR);
    for (int s = 0; s < stages; s++) {
        int d = kernel_dim(k, (Size){1, 1}, inner);
        kernel_stage(k, STAGE_LOOP, outer ? d : 0, outer ? 1 : 2);
        if (inner == DIM_RED) k->st.at[s].nred = 1;
    }
    k->nouter = outer;
    return k;
}

/* The gain where these dims may be known; `want` of them, as bits, are to be. */
static double gain(const Kernel *k, const double *n, int may, int want) {
    bool known[KDIM];
    int got = 0;
    for (int d = 0; d < k->ndim; d++) known[d] = may >> d & 1;
    double ns = choose_version_gain(k, n, known);
    for (int d = 0; d < k->ndim; d++) got |= known[d] << d;
    CHECK(got == want);
    return ns;
}

static void is(double got, double want) { CHECK(got > want - 1e-9 && got < want + 1e-9); }

static void gains(ThContext *c) {
    Kernel *k = rows(c, 0, 1, DIM_PAR);
    is(gain(k, (double[]){100, 64}, 3, 2), 100); /* the length of rows, but not how many there are */
    is(gain(k, (double[]){100, 32}, 3, 2), 100);
    is(gain(k, (double[]){100, 31}, 3, 2), 30); /* the general code runs on from row to row */
    is(gain(k, (double[]){100, 65}, 3, 0), 0);
    is(gain(k, (double[]){100, 0}, 3, 0), 0);
    is(gain(k, (double[]){100, 1}, 3, 2), 30);
    is(gain(k, (double[]){100, 40}, 1, 0), 0); /* another in each call */
    is(gain(k, (double[]){0, 40}, 2, 2), 0);
    kernel_free(k);
    k = rows(c, 0, 1, DIM_RED);
    is(gain(k, (double[]){100, 40}, 3, 2), 30); /* the general code reduces rows side by side */
    kernel_free(k);
    k = rows(c, 1, 2, DIM_PAR);
    is(gain(k, (double[]){10, 40, 40}, 7, 6), 20); /* each stage starts its loop */
    is(gain(k, (double[]){10, 40, 70}, 7, 2), 10);
    kernel_free(k);
    k = rows(c, 0, 0, DIM_PAR);
    kernel_stage(k, STAGE_LOOP, 0, 1);
    is(gain(k, (double[]){10}, 1, 0), 0); /* one loop starts once */
    kernel_free(k);
    k = rows(c, 0, 1, DIM_PAR);
    k->st.at[0].cls = STAGE_GEMM;
    is(gain(k, (double[]){10, 40}, 3, 0), 0);
    kernel_free(k);
}

/* ---- plans shown with the n-th allocation failing ---- */
/* sum(exp(x), axis 1): short rows side by side, the others by vectors. */
static ThFunction *sums(ThContext *c) {
    ThVar *x = th_variable_new(c, type_tensor(TH_FLOAT32, 2, 0), "x"), *e = th_op(c, "exp", 1, x), *y[1] = {0};
    ThArg args[2] = {{.kind = TH_ARG_VAR, .var = e}, {.kind = TH_ARG_INT, .i = 1, .key = "axis"}};
    ThIn in = {.var = x, .allow_downcast = -1};
    bool built = e && th_build(c, th_func_find("sum"), args, 2, y, 1) == 1;
    ThOut out = {.var = y[0]};
    ThCompile spec = {.in = &in, .nin = 1, .out = &out, .nout = 1, .linker = "interpreter", .allow_input_downcast = -1};
    ThFunction *f = built ? th_compile(c, &spec) : NULL;
    th_var_release(y[0]);
    th_var_release(e);
    th_var_release(x);
    return f;
}

static void without_memory(const char *target) {
    if (!TH_COMPILER || (!TH_CUDA && !strcmp(target, "cuda")))
        return; /* nobody asks for plans of other processors then */
    ThHost host = test_failing_host(0);
    ThContext *c = th_context_new(&host);
    ThFunction *f = sums(c);
    CHECK(f != NULL);
    for (long n = 1; f; n++) {
        test_heap.calls = 0, test_heap.fail_at = n, test_heap.failed = 0;
        char *text = th_function_plan_for(f, target, NULL, NULL, 0);
        bool failed = test_heap.failed;
        test_heap.fail_at = 0;
        CHECK(th_error(c) == (text ? TH_OK : TH_MemoryError));
        CHECK(!text == failed || (text && strstr(text, "nest for")));
        th_error_clear(c);
        th_free(c, text);
        if (!failed) break;
    }
    th_function_release(f);
    th_context_release(c);
    CHECK(test_leaked() == 0);
}

int main(void) {
    ThContext *c = th_context_new(NULL);
    gains(c);
    CHECK(choose_build_ns(0) >= 1e6 && choose_build_ns(1 << 20) > 4 * choose_build_ns(1 << 10));
    CHECK(choose_parts(0) == 1 && choose_parts(8191) == 1 && choose_parts(16383) == 1 && choose_parts(16384) == 2);
    CHECK(choose_parts((size_t)1 << 40) == 8);
    CHECK(th_error(c) == TH_OK);
    th_context_release(c);
    without_memory("avx512");
    without_memory("cuda");
    return test_done("schedule_choose");
}
