/*
 * region.c -- plans by hand: a builder for region trees. In: buffers, kernels, steps and regions in numbers. Out: a
 * checked Plan.
 */
#include "parts.h"

struct PlanBuilder {
    ThContext *ctx;
    Plan *plan;
    bool bad;
    VEC(ShapeIns) fixed, late;
    VEC(ShapeCheck) check;
    VEC(PlanBuf) buf;
    VEC(Kernel *) kernel;
    VEC(Step) step;
    VEC(Region) region;
    VEC(PlanIo) input, output;
    VEC(PlanValue) result;
};

PlanBuilder *planb_new(ThContext *c) {
    PlanBuilder *b = ctx_alloc0(c, sizeof *b);
    Arena *a = b ? arena_new(c) : NULL;
    Plan *p = a ? arena_alloc0(a, sizeof *p) : NULL;
    ShapeCheck overflow = {.node = -1, .kind = TH_ValueError, .text = "A size does not fit in 64 bits"};
    if (!p || !vec_push(c, &b->check, overflow)) {
        if (a) arena_free(a);
        ctx_free(c, b, b ? sizeof *b : 0);
        return NULL;
    }
    p->ctx = b->ctx = c;
    p->arena = a;
    atomic_init(&p->refs, 1);
    b->plan = p;
    return b;
}

#define PUSH(b, v, x) (vec_push((b)->ctx, &(b)->v, x) ? (b)->v.n - 1 : ((b)->bad = true, -1))

int planb_slot(PlanBuilder *b, ShapeIns i) {
    if (i.op < SHAPE_CHECK_EQ) i.dst = b->plan->nsym++;
    return PUSH(b, fixed, i) < 0 ? -1 : i.op < SHAPE_CHECK_EQ ? i.dst : 0;
}

int planb_late_slot(PlanBuilder *b, ShapeIns i) {
    if (i.op < SHAPE_CHECK_EQ) i.dst = b->plan->nsym++;
    return PUSH(b, late, i);
}

int planb_buffer(PlanBuilder *b, PlanBuf f) {
    f.first = f.last = f.inplace_of = -1;
    return PUSH(b, buf, f);
}

int planb_input(PlanBuilder *b, ThType t, const char *name) {
    PlanBuf f = {
        .kind = BUF_INPUT, .dtype = t.dtype, .ndim = (int16_t)t.ndim, .index = b->input.n, .size = size_const(1)};
    int at = b->buf.n;
    for (int d = 0; d < t.ndim; d++) {
        f.shape[d] = size_const(1);
        if (!type_bcast(t, d)) f.shape[d] = (Size){1, planb_slot(b, (ShapeIns){.op = SHAPE_DIM, .a = at, .b = d})};
    }
    PlanIo io = {.type = t, .name = name ? intern(b->ctx, name) : NULL};
    return PUSH(b, input, io) < 0 ? -1 : planb_buffer(b, f);
}

int planb_result(PlanBuilder *b, ThType t, const PlanValue *v) {
    PlanIo io = {.type = t};
    return PUSH(b, output, io) < 0 ? -1 : PUSH(b, result, *v);
}

int planb_kernel(PlanBuilder *b, Kernel *k) {
    if (k) k->key = kernel_key(k);
    int at = k ? PUSH(b, kernel, k) : -1;
    if (at < 0) b->bad = true, kernel_free(k);
    return at;
}

static void *keep(PlanBuilder *b, const void *from, size_t bytes) {
    void *to = arena_alloc(b->plan->arena, bytes ? bytes : 1);
    if (to && bytes) memcpy(to, from, bytes);
    b->bad |= !to;
    return to;
}

int planb_step(PlanBuilder *b, Step s) {
    s.buf = keep(b, s.buf, (size_t)s.nbuf * sizeof(int));
    s.sym = keep(b, s.sym, (size_t)s.nsym * sizeof(int));
    s.param = keep(b, s.param, (size_t)s.nparam * sizeof(ThValue));
    s.nodes = keep(b, s.nodes, (size_t)s.nnodes * sizeof(int));
    return PUSH(b, step, s);
}

int planb_region(PlanBuilder *b, Region r) { return PUSH(b, region, r); }

static void shape_program(PlanBuilder *b) {
    Plan *p = b->plan;
    p->nshape_static = b->fixed.n;
    p->nshape = b->fixed.n + b->late.n;
    p->shape = arena_alloc(p->arena, (size_t)(p->nshape + 1) * sizeof *p->shape);
    b->bad |= !p->shape;
    for (int i = 0; i < p->nshape && p->shape; i++)
        p->shape[i] = i < b->fixed.n ? b->fixed.at[i] : b->late.at[i - b->fixed.n];
    for (int s = 0; s < b->step.n; s++)
        if (b->step.at[s].kind == STEP_SIZE) b->step.at[s].a += b->fixed.n;
}

#define TAKE(b, count, field, vec) \
    ((b)->plan->count = (b)->vec.n, (b)->plan->field = keep(b, (b)->vec.at, (size_t)(b)->vec.n * sizeof *(b)->vec.at))

static void assemble(PlanBuilder *b) {
    Plan *p = b->plan;
    TAKE(b, nkernel, kernel, kernel);
    if (!p->kernel) {
        for (int k = 0; k < b->kernel.n; k++) kernel_free(b->kernel.at[k]);
        p->nkernel = 0;
    }
    shape_program(b);
    TAKE(b, ncheck, check, check);
    TAKE(b, nbuf, buf, buf);
    TAKE(b, nstep, step, step);
    TAKE(b, nregion, region, region);
    TAKE(b, ninput, input, input);
    TAKE(b, noutput, output, output);
    TAKE(b, noutput, result, result);
    p->scratch_sym = -1;
}

static void forget(PlanBuilder *b) {
    ThContext *c = b->ctx;
    vec_free(c, &b->fixed);
    vec_free(c, &b->late);
    vec_free(c, &b->check);
    vec_free(c, &b->buf);
    vec_free(c, &b->kernel);
    vec_free(c, &b->step);
    vec_free(c, &b->region);
    vec_free(c, &b->input);
    vec_free(c, &b->output);
    vec_free(c, &b->result);
    ctx_free(c, b, sizeof *b);
}

/* A plan by hand answers for itself; plan_check tells what is wrong with it. */
static bool hand_first_write(Plan *p) { return !failed(p->ctx); }

Plan *planb_finish(PlanBuilder *b) {
    Plan *p = b->plan;
    assemble(b);
    bool ok = !b->bad && !failed(b->ctx);
    ok = ok && plan_lives(p) && (plan_first_write(p) || hand_first_write(p));
    if (ok) plan_wishes(p);
    ok = ok && plan_chains(p) && plan_events(p) && plan_check(p);
    forget(b);
    if (ok) return p;
    plan_release(p);
    return NULL;
}
