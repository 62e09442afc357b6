/*
 * plan_region.c -- region trees: a loop that carries a row and stops early, and a branch whose other side would fail.
 */
#include "runtime/frame/runtime.h"
#include "ops/table/scalar.h"
#include "plan_test.h"

static Step kernel_step(int kernel, int *buf, int nbuf, int *sym, int nsym) {
    return (Step){.kind = STEP_KERNEL,
                  .kernel = kernel,
                  .buf = buf,
                  .nbuf = nbuf,
                  .sym = sym,
                  .nsym = nsym,
                  .host = -1,
                  .node = -1,
                  .title = "test"};
}

static Access along(int buf, ThDtype d, uint8_t flags, Size off, Size st) {
    Access a = {.buf = buf, .dtype = d, .flags = flags, .off = off, .idx = -1, .guard = -1};
    for (int i = 0; i < KDIM; i++) a.st[i] = size_const(0);
    a.st[0] = st;
    return a;
}

/* acc[i] = x[offset + i] + (first ? 0 : acc[i]) */
static Kernel *add_row(ThContext *c) {
    Kernel *k = kernel_new(c);
    kernel_dim(k, (Size){1, 0}, DIM_PAR);
    kernel_stage(k, STAGE_LOOP, 0, 1);
    int x = kernel_access(k, along(0, TH_FLOAT64, ACC_READ, (Size){1, 1}, size_const(1)));
    int r = kernel_access(k, along(1, TH_FLOAT64, ACC_READ, size_const(0), size_const(1)));
    int w = kernel_access(k, along(1, TH_FLOAT64, ACC_WRITE, size_const(0), size_const(1)));
    ins_store(k, w, ins_op(k, scalar_find("add"), TH_FLOAT64, TH_FLOAT64, 1, ins_load(k, r, 1), ins_load(k, x, 1), -1),
              1);
    k->st.at[0].vec = 0;
    return k;
}

static Kernel *fill(ThContext *c, double v) {
    Kernel *k = kernel_new(c);
    kernel_dim(k, (Size){1, 0}, DIM_PAR);
    kernel_stage(k, STAGE_LOOP, 0, 1);
    int w = kernel_access(k, along(0, TH_FLOAT64, ACC_WRITE, size_const(0), size_const(1)));
    ins_store(k, w, ins_literal(k, TH_FLOAT64, (ThValue){.f = v}, 0), 1);
    k->st.at[0].vec = 0;
    return k;
}

/* stop = acc[0] > 4 */
static Kernel *stop_above(ThContext *c) {
    Kernel *k = kernel_new(c);
    kernel_stage(k, STAGE_LOOP, 0, 0);
    int r = kernel_access(k, along(0, TH_FLOAT64, ACC_READ, size_const(0), size_const(0)));
    int w = kernel_access(k, along(1, TH_BOOL, ACC_WRITE, size_const(0), size_const(0)));
    int lit = ins_literal(k, TH_FLOAT64, (ThValue){.f = 2}, 0);
    int four = ins_op(k, scalar_find("add"), TH_FLOAT64, TH_FLOAT64, 0, lit, lit, -1);
    ins_store(k, w, ins_op(k, scalar_find("gt"), TH_FLOAT64, TH_BOOL, 0, ins_load(k, r, 0), four, -1), 0);
    return k;
}

static ThFunction *function(ThContext *c, Plan *p, int nin, int nout) {
    ThIn in[2];
    ThOut out[2];
    memset(in, 0, sizeof in);
    memset(out, 0, sizeof out);
    FunctionSpec s = {.plan = p, .in = in, .nin = nin, .out = out, .nout = nout, .allow_input_downcast = -1};
    return p ? function_new(c, &s) : NULL;
}

static void check_loop(ThContext *c, Plan *p) {
    ThFunction *f = function(c, p, 1, 1);
    CHECK(f != NULL);
    double xs[8] = {1, 10, 2, 20, 3, 30, 100, 1000};
    ThArray *a = array(c, TH_FLOAT64, 2, (int64_t[]){4, 2}, xs), *two = array(c, TH_FLOAT64, 2, (int64_t[]){2, 2}, xs),
            *out[1] = {0};
    CHECK(f && th_call(f, &a, 1, out) == 0);
    if (out[0]) {
        const double *r = th_array_data(out[0]);
        CHECK(r[0] == 6 && r[1] == 60); /* 1 + 2 + 3 > 4: the fourth row is not added */
    }
    th_array_release(out[0]);
    out[0] = NULL;
    CHECK(f && th_call(f, &two, 1, out) == 0);
    if (out[0]) CHECK(((const double *)th_array_data(out[0]))[1] == 30);
    th_array_release(out[0]);
    th_array_release(a);
    th_array_release(two);
    th_function_release(f);
    plan_release(p);
}

/* Sums the rows of x until the first sum passes 4. */
static void loops(ThContext *c) {
    PlanBuilder *b = planb_new(c);
    ThType mat = type_tensor(TH_FLOAT64, 2, 0), vec = type_tensor(TH_FLOAT64, 1, 0);
    int x = planb_input(b, mat, "x"), rows = 0, cols = 1;
    int counter = planb_slot(b, (ShapeIns){.op = SHAPE_CONST, .k = 0});
    int offset = planb_late_slot(b, (ShapeIns){.op = SHAPE_MUL, .a = counter, .b = cols, .c = -1});
    PlanBuf of = {.kind = BUF_OUTPUT, .dtype = TH_FLOAT64, .ndim = 1, .index = 0, .size = {1, cols}};
    of.shape[0] = of.size;
    int acc = planb_buffer(b, of);
    int stop = planb_buffer(b, (PlanBuf){.kind = BUF_TEMP, .dtype = TH_BOOL, .size = size_const(1)});
    int kf = planb_kernel(b, fill(c, 0)), ka = planb_kernel(b, add_row(c)), ks = planb_kernel(b, stop_above(c));
    planb_step(b, kernel_step(kf, (int[]){acc}, 1, (int[]){cols}, 1));
    planb_step(b, (Step){.kind = STEP_SIZE, .a = offset, .n = 1, .host = -1, .node = -1});
    planb_step(b, kernel_step(ka, (int[]){x, acc}, 2, (int[]){cols, 3}, 2)); /* slot 3: the offset */
    planb_step(b, kernel_step(ks, (int[]){acc, stop}, 2, NULL, 0));
    planb_region(b, (Region){.kind = REGION_STRAIGHT,
                             .n = 1,
                             .child = -1,
                             .other = -1,
                             .next = 1,
                             .counter = -1,
                             .until = -1,
                             .cond = -1});
    planb_region(b, (Region){.kind = REGION_LOOP,
                             .child = 2,
                             .other = -1,
                             .next = -1,
                             .trip = {1, rows},
                             .counter = counter,
                             .until = stop,
                             .cond = -1});
    planb_region(b, (Region){.kind = REGION_STRAIGHT,
                             .first = 1,
                             .n = 3,
                             .child = -1,
                             .other = -1,
                             .next = -1,
                             .counter = -1,
                             .until = -1,
                             .cond = -1});
    PlanValue v = {.buf = acc, .dtype = TH_FLOAT64, .ndim = 1, .off = size_const(0)};
    v.shape[0] = (Size){1, cols};
    v.stride[0] = size_const(1);
    planb_result(b, vec, &v);
    Plan *p = planb_finish(b);
    CHECK(p != NULL);
    check_loop(c, p);
}

/* fails where a bool input is true: only the taken side runs */
static Kernel *fail_always(ThContext *c) {
    Kernel *k = kernel_new(c);
    kernel_dim(k, (Size){1, 0}, DIM_PAR);
    kernel_stage(k, STAGE_LOOP, 0, 1);
    int w = kernel_access(k, along(0, TH_FLOAT64, ACC_WRITE, size_const(0), size_const(1)));
    int one = ins_literal(k, TH_FLOAT64, (ThValue){.f = 1}, 0);
    int yes = ins_op(k, scalar_find("eq"), TH_FLOAT64, TH_BOOL, 0, one, one, -1);
    ins_fail_if(k, yes, TH_AssertionError, 0);
    ins_store(k, w, one, 1);
    k->st.at[0].vec = 0;
    k->can_fail = true;
    return k;
}

static void branches(ThContext *c) {
    PlanBuilder *b = planb_new(c);
    ThType flag = type_tensor(TH_BOOL, 0, 0), vec = type_tensor(TH_FLOAT64, 1, 0);
    int cond = planb_input(b, flag, "cond"), n = planb_slot(b, (ShapeIns){.op = SHAPE_CONST, .k = 3});
    PlanBuf of = {.kind = BUF_OUTPUT, .dtype = TH_FLOAT64, .ndim = 1, .index = 0, .size = {1, n}};
    of.shape[0] = of.size;
    int out = planb_buffer(b, of), kf = planb_kernel(b, fail_always(c)), k2 = planb_kernel(b, fill(c, 2));
    Step bad = kernel_step(kf, (int[]){out}, 1, (int[]){n}, 1);
    bad.can_fail = true;
    planb_step(b, bad);
    planb_step(b, kernel_step(k2, (int[]){out}, 1, (int[]){n}, 1));
    planb_region(
        b,
        (Region){.kind = REGION_BRANCH, .child = 1, .other = 2, .next = -1, .counter = -1, .until = -1, .cond = cond});
    for (int s = 0; s < 2; s++)
        planb_region(b, (Region){.kind = REGION_STRAIGHT,
                                 .first = s,
                                 .n = 1,
                                 .child = -1,
                                 .other = -1,
                                 .next = -1,
                                 .counter = -1,
                                 .until = -1,
                                 .cond = -1});
    PlanValue v = {.buf = out, .dtype = TH_FLOAT64, .ndim = 1, .off = size_const(0)};
    v.shape[0] = (Size){1, n};
    v.stride[0] = size_const(1);
    planb_result(b, vec, &v);
    Plan *p = planb_finish(b);
    CHECK(p != NULL);
    ThFunction *f = function(c, p, 1, 1);
    uint8_t no = 0, yes = 1;
    ThArray *zero = array(c, TH_BOOL, 0, NULL, &no), *one = array(c, TH_BOOL, 0, NULL, &yes), *res[1] = {0};
    CHECK(f && th_call(f, &zero, 1, res) == 0);
    if (res[0]) CHECK(((const double *)th_array_data(res[0]))[2] == 2);
    th_array_release(res[0]);
    res[0] = NULL;
    CHECK(f && th_call(f, &one, 1, res) != 0);
    CHECK(th_error(c) == TH_AssertionError);
    th_error_clear(c);
    th_array_release(zero);
    th_array_release(one);
    th_function_release(f);
    plan_release(p);
}

int main(void) {
    ThContext *c = th_context_new(NULL);
    loops(c);
    branches(c);
    if (th_error(c)) fprintf(stderr, "%s\n", th_error_text(c));
    CHECK(th_error(c) == TH_OK);
    th_context_release(c);
    return test_done("plan_region");
}
