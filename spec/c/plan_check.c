/*
 * plan_check.c -- plans by hand in which something is read before it is there, in every order that regions can have:
 * each is refused with the reason. `copies` is the plan they are made from: a copy of x whose length is x[0].
 */
#include "runtime/frame/runtime.h"
#include "plan_test.h"

typedef enum { SIZE, LATE, COPY } Piece;

static void piece(PlanBuilder *b, Piece p, int ins, int x, int to) {
    Step s = {.host = -1, .node = -1, .title = "test"};
    if (p == SIZE) s.kind = STEP_SIZE, s.a = ins, s.n = 1;
    int both[2] = {x, to};
    if (p == LATE) s.kind = STEP_LATE, s.buf = &to, s.nbuf = 1;
    if (p == COPY) s.kind = STEP_TRANSFER, s.buf = both, s.nbuf = 2;
    planb_step(b, s);
}

static void region(PlanBuilder *b, RegionKind kind, int first, int n, int child, int next) {
    Region r = {.kind = kind, .first = first, .n = n, .child = child, .next = next, .other = -1, .trip = size_const(2)};
    r.counter = r.until = r.cond = -1;
    planb_region(b, r);
}

typedef struct Wrong {
    const char *says; /* NULL: nothing is wrong */
    Piece step[3];
    int nstep;
    bool prompt;     /* the buffer is not late */
    int in_loop;     /* so many of the steps, the first ones, are a loop's */
    bool in_branch;  /* or a branch's */
    bool own_result; /* the result lies in a slot of its own */
    bool trip;       /* the loop turns as often as the slot it computes says */
    bool too_early;  /* the static program reads the late slot */
} Wrong;

static Plan *copies(ThContext *c, const Wrong *w) {
    PlanBuilder *b = planb_new(c);
    ThType vec = type_tensor(TH_INT64, 1, 0);
    int x = planb_input(b, vec, "x"), turn = planb_slot(b, (ShapeIns){.op = SHAPE_CONST, .k = 0});
    int ins = planb_late_slot(b, (ShapeIns){.op = SHAPE_VALUE, .a = x, .b = 0, .c = -1}), slot = turn + 1;
    if (w->too_early) planb_slot(b, (ShapeIns){.op = SHAPE_ADD, .a = slot, .b = slot, .c = -1});
    PlanBuf of = {.kind = BUF_OUTPUT, .dtype = TH_INT64, .ndim = 1, .index = 0, .size = {1, slot}, .late = !w->prompt};
    of.shape[0] = of.size;
    int to = planb_buffer(b, of), cond = planb_buffer(b, (PlanBuf){.kind = BUF_TEMP, .size = size_const(1)});
    for (int i = 0; i < w->nstep; i++) piece(b, w->step[i], ins, x, to);
    int inside = w->in_loop;
    if (inside) {
        Region r = {.kind = w->in_branch ? REGION_BRANCH : REGION_LOOP, .child = 2, .other = -1, .next = 1};
        r.trip = w->trip ? (Size){1, slot} : size_const(2);
        r.until = -1;
        r.counter = w->in_branch ? -1 : turn;
        r.cond = w->in_branch ? cond : -1;
        planb_region(b, r);
    }
    region(b, REGION_STRAIGHT, inside, w->nstep - inside, -1, -1);
    if (inside) region(b, REGION_STRAIGHT, 0, inside, -1, -1);
    PlanValue v = {.buf = to, .dtype = TH_INT64, .ndim = 1, .off = size_const(0)};
    v.shape[0] = w->own_result ? (Size){1, slot + 1} : (Size){1, slot};
    if (w->own_result) planb_late_slot(b, (ShapeIns){.op = SHAPE_VALUE, .a = x, .b = 1, .c = -1});
    v.stride[0] = size_const(1);
    planb_result(b, vec, &v);
    return planb_finish(b);
}

static const Wrong cases[] = {
    {.step = {SIZE, LATE, COPY}, .nstep = 3},
    {.says = "no size yet", .step = {LATE, SIZE, COPY}, .nstep = 3},
    {.says = "no size yet", .step = {LATE, COPY}, .nstep = 2},
    {.says = "not there yet", .step = {SIZE, COPY, LATE}, .nstep = 3},
    {.says = "not there yet", .step = {SIZE, COPY}, .nstep = 2},
    {.says = "too late", .step = {SIZE, COPY}, .nstep = 2, .prompt = true},
    {.says = "no size yet", .step = {SIZE, LATE, COPY}, .nstep = 3, .in_loop = 1},
    {.says = "no size yet", .step = {SIZE, LATE, COPY}, .nstep = 3, .in_loop = 1, .in_branch = true},
    {.says = "not there yet", .step = {SIZE, LATE, COPY}, .nstep = 3, .in_loop = 2},
    {.says = "not there yet", .step = {SIZE, LATE, COPY}, .nstep = 3, .in_loop = 2, .in_branch = true},
    {.says = "result 0: is not there", .step = {SIZE, LATE, COPY}, .nstep = 3, .in_loop = 3},
    {.says = "result 0: is not there", .step = {SIZE, LATE, COPY}, .nstep = 3, .in_loop = 3, .in_branch = true},
    {.says = "result 0: is not there", .step = {SIZE, LATE, COPY}, .nstep = 3, .own_result = true},
    {.says = "starts before", .step = {SIZE, LATE, COPY}, .nstep = 3, .in_loop = 1, .trip = true},
    {.says = "reads a", .step = {SIZE, LATE, COPY}, .nstep = 3, .too_early = true},
};

int main(void) {
    ThContext *c = th_context_new(NULL);
    for (int i = 0; i < TH_LEN(cases); i++) {
        Plan *p = copies(c, &cases[i]);
        CHECK((p != NULL) == !cases[i].says);
        if (p) check_sizes_proved(p);
        else if (cases[i].says) CHECK_ERROR(c, TH_RuntimeError, cases[i].says);
        plan_release(p);
    }
    th_context_release(c);
    return test_done("plan_check");
}
