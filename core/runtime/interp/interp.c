/*
 * interp.c -- executes a Plan without a compiler: its steps, and the loops of each kernel stage.
 * Recursion is over loop depth (at most 2 KDIM), never over graph nodes.
 */
#include "runtime/frame/walk.h"
#include "unit.h"

#include <string.h>

int interp_fail(IRun *r, ThError kind, int n, int64_t v0, int64_t v1) {
    int step = (int)(r->step - r->f->plan->step);
    return r->f->rt->fail(r->f, step, (int)kind, n, v0, v1, 0, 0);
}

enum { OFTEN = 1024 /* turns, of a block of elements at most */ };

/* A kernel may have more turns than any memory has elements; not where a part of what is written is worse than none. */
static int stop(IRun *r) {
    r->left = OFTEN;
    const Plan *p = r->f->plan;
    const int step = (int)(r->step - p->step);
    if (step >= p->first_write || !ctx_stopped(p->ctx)) return 0;
    return interp_fail(r, TH_Interrupted, 0, 0, 0);
}
static inline int turn(IRun *r) { return --r->left < 0 ? stop(r) : 0; }

static int run_depth(IRun *r, const LoopStage *s, int d);

/* Rows [from, n), some of them at a time; -1: one by one. */
static int run_rows(IRun *r, const LoopStage *s, int64_t from, int64_t n) {
    enum { SOME = 64 };
    int done = -1;
    for (int64_t i = from; i < n; i += SOME) {
        if (turn(r)) return 1;
        if ((done = interp_each_row(r, s, i, n - i < SOME ? n : i + SOME))) return done;
    }
    return done;
}

/* Elements of a block of at most `most`. Where nothing is reduced a long one is of whole vectors, which are read and
 * written where they lie; the last few are a block of their own. */
static int64_t block_length(const IRun *r, const LoopStage *s, int64_t most) {
    enum { LONG = 160 };
    return most >= LONG && !s->st->nred && !r->row ? most / SIMD_PAD * SIMD_PAD : most;
}

/* ---- loops around an empty one ---- */
enum { BUSY = LOOPS + 1 /* no depth: something is to be done */ };

static bool harmless(const IKernel *ik, const int *code, int n) { /* what neither writes nor fails */
    for (int j = 0; j < n; j++) {
        const IIns *i = &ik->ins[code[j]];
        const int op = i->ins->op;
        if (op == INS_STORE || op == INS_FAIL_IF || op == INS_CHECK_INDEX || i->fails) return false;
    }
    return true;
}

static bool has_steps(const IRun *r, const LoopStage *s) { /* a product over nothing is 0, and written */
    if (s->st->cls == STAGE_GEMM) return r->n[s->st->d0] && r->n[s->st->d0 + 1];
    return s->st->cls != STAGE_LOOP;
}

/* The depth of the outermost loop that does nothing: one in it is empty, and what stands between is harmless. */
static int idle_from(const IRun *r, const LoopStage *s) {
    const KernelOrder *o = &r->ik->order;
    int d = 0;
    while (d < s->nloop && r->n[s->loop[d]]) d++;
    if (has_steps(r, s) || d == s->nloop) return BUSY;
    while (d > 0 && harmless(r->ik, o->code + s->pre[d], s->npre[d]) &&
           harmless(r->ik, o->code + s->post[d], s->npost[d]))
        d--;
    return d;
}

/* The same of the outer loops, which all stages share. */
static int idle_outer(const IRun *r) {
    int d = 0;
    for (int i = 0; i < r->ik->k->st.n; i++) {
        const int own = idle_from(r, &r->ik->order.stage[i]);
        if (own > d) d = own;
    }
    return d < r->ik->k->nouter ? d : BUSY;
}

/* Steps [from, n) of loop d. */
static int run_steps(IRun *r, const LoopStage *s, int d, int64_t from, int64_t n) {
    if (d >= r->idle) return 0;
    int dim = s->loop[d];
    if (d == s->vec && r->ik->rows[s - r->ik->order.stage] && interp_rows(r, s, from, n)) return 0;
    for (int64_t some = 1; some && d == s->vec && r->ik->columns[s - r->ik->order.stage]; from += some)
        if (turn(r) || (some = interp_wide_columns(r, s, from, n)) < 0) return 1;
    if (d == s->vec) {
        int64_t each = r->ik->step[s - r->ik->order.stage];
        for (int64_t i = from; i < n; i += r->len) {
            r->pos = i;
            r->len = block_length(r, s, n - i < each ? n - i : each);
            if (r->side) interp_side_take(r);
            if (turn(r) || run_depth(r, s, d + 1)) return 1;
            if (r->side) interp_side_give(r);
        }
        r->len = 1;
        r->pos = 0;
        return 0;
    }
    if (d == s->vec - 1 && r->ik->rows[s - r->ik->order.stage]) {
        const int done = run_rows(r, s, from, n);
        if (done >= 0) return done;
    }
    const bool columns = d == s->nloop - 1 && r->ik->columns[s - r->ik->order.stage] && !from;
    if (columns && interp_columns(r, s, n)) return 0;
    for (int64_t i = from; i < n; i++) {
        r->idx[dim] = i;
        if (turn(r) || run_depth(r, s, d + 1)) return 1;
    }
    r->idx[dim] = 0;
    return 0;
}

/* Loop 0 block by block, each with accumulators of its own. */
static int run_blocks(IRun *r, const LoopStage *s) {
    const IKernel *ik = r->ik;
    int64_t n = r->n[0], each = kernel_block(ik->k, r->n);
    for (int64_t i = 0; i == 0 || i < n; i += each) {
        for (int j = 0; j < ik->k->red.n; j++) interp_red_block(r, &ik->red[j], i == 0);
        if (run_steps(r, s, 0, i, n - i < each ? n : i + each)) return 1;
        for (int j = 0; j < ik->k->red.n; j++) interp_red_join(r, &ik->red[j], i == 0);
    }
    for (int j = 0; j < ik->k->red.n; j++) interp_red_end(r, &ik->red[j]);
    return 0;
}

static int run_depth(IRun *r, const LoopStage *s, int d) {
    const IKernel *ik = r->ik;
    if (s->npre[d] && interp_exec(r, s, ik->order.code + s->pre[d], s->npre[d])) return 1;
    bool blocks = d == 0 && ik->blocks;
    for (int i = 0; i < s->nred[d] && !blocks; i++) interp_red_init(r, &ik->red[s->red[d] + i]);
    if (blocks) {
        if (run_blocks(r, s)) return 1;
    } else if (d < s->nloop) {
        if (run_steps(r, s, d, 0, r->n[s->loop[d]])) return 1;
    } else {
        for (int i = 0; i < s->st->nred; i++) interp_red_step(r, &ik->red[s->st->red0 + i]);
    }
    for (int i = 0; i < s->nred[d] && !blocks; i++) interp_red_final(r, &ik->red[s->red[d] + i]);
    return s->npost[d] ? interp_exec(r, s, ik->order.code + s->post[d], s->npost[d]) : 0;
}

int interp_loops(IRun *r, const LoopStage *s) { return run_depth(r, s, r->ik->k->nouter); }

/* Stages share the outer loops: for each outer point, one stage after the other runs its own loops. */
static int run_stage(IRun *r, const LoopStage *s) {
    if (r->empty) r->idle = idle_from(r, s);
    if (s->st->cls == STAGE_CONV || s->st->cls == STAGE_POOL) return interp_call(r, s);
    if (s->st->cls == STAGE_DRAW) return interp_draw(r, s);
    if (s->st->cls == STAGE_GEMM && interp_gemm(r, s)) return 1;
    if (s->st->cls == STAGE_GEMM && !s->st->nins) return 0;
    return interp_loops(r, s);
}

static int run_outer(IRun *r, int d);

/* The last of the outer loops, some rows at a time. */
static int run_side(IRun *r, int d) {
    for (r->pos = 0; r->pos < r->n[d]; r->pos += r->len) {
        r->len = r->n[d] - r->pos < SIDE_ROWS ? r->n[d] - r->pos : SIDE_ROWS;
        interp_side_take(r);
        if (turn(r) || run_outer(r, d + 1)) return 1;
        interp_side_give(r);
    }
    r->pos = 0, r->len = 1;
    return 0;
}

static int run_outer(IRun *r, int d) {
    const Kernel *k = r->ik->k;
    for (int i = 0; i < k->st.n; i++) { /* what belongs to this depth, before anything deeper */
        const LoopStage *s = &r->ik->order.stage[i];
        if (d < k->nouter && s->npre[d] && interp_exec(r, s, r->ik->order.code + s->pre[d], s->npre[d])) return 1;
    }
    if (d == k->nouter) {
        for (int i = 0; i < k->st.n; i++)
            if (run_stage(r, &r->ik->order.stage[i])) return 1;
        return 0;
    }
    if (d >= r->idle_outer) return 0;
    if (r->side && d == k->nouter - 1) return run_side(r, d);
    for (int64_t i = 0; i < r->n[d]; i++) {
        r->idx[d] = i;
        if (turn(r) || run_outer(r, d + 1)) return 1;
    }
    r->idx[d] = 0;
    return 0;
}

void interp_registers(IRun *r) {
    r->at = (char **)(void *)(r->regs + r->ik->at);
    for (int i = 0; i < r->ik->k->ins.n; i++) r->at[i] = r->regs + r->ik->ins[i].reg;
}

static void setup(IRun *r) {
    const Kernel *k = r->ik->k;
    r->empty = false;
    for (int d = 0; d < k->ndim; d++) r->n[d] = isize(r, k->dim[d].n), r->idx[d] = 0, r->empty |= !r->n[d];
    r->idle = r->idle_outer = BUSY;
    for (int i = 0; i < k->acc.n; i++) {
        const Access *a = &k->acc.at[i];
        int64_t bytes = (int64_t)th_dtype_bytes(a->dtype);
        r->base[i] = r->f->buf[r->step->buf[a->buf]] + isize(r, a->off) * bytes;
        for (int d = 0; d < k->ndim; d++) r->st[i][d] = isize(r, a->st[d]) * bytes;
    }
    interp_registers(r);
    r->pos = 0;
    r->len = 1;
}

static int run_kernel(const InterpUnit *u, const Step *st, ThFrame *f) {
    IRun r;
    SideRun side;
    r.ik = &u->kernel[st->kernel];
    r.f = f;
    r.step = st;
    r.simd = u->simd;
    r.regs = f->scratch;
    r.row = 0;
    r.side = NULL;
    r.left = OFTEN;
    setup(&r);
    if (r.ik->side) interp_side_begin(&r, &side);
    if (r.empty) r.idle_outer = idle_outer(&r);
    return run_outer(&r, 0);
}

static int transfer(const Plan *p, const Step *s, ThFrame *f) { /* host to host: a plain copy */
    const PlanBuf *to = &p->buf[s->buf[1]];
    int64_t bytes;
    if (!size_bytes(to->size, f->sym, (ThDtype)to->dtype, &bytes))
        return f->rt->fail(f, (int)(s - p->step), TH_RuntimeError, 0, 0, 0, 0, 0);
    memcpy(f->buf[s->buf[1]], f->buf[s->buf[0]], (size_t)bytes);
    return 0;
}

int interp_step(const InterpUnit *u, int step, ThFrame *f) {
    const Step *s = &u->plan->step[step];
    switch ((StepKind)s->kind) {
    case STEP_KERNEL: return run_kernel(u, s, f);
    case STEP_HOST: return f->rt->host_call(f, step);
    case STEP_TRANSFER: return transfer(u->plan, s, f);
    case STEP_SIZE: return f->rt->size_step(f, s->a, s->n);
    case STEP_LATE: return f->rt->late_alloc(f, s->buf[0]);
    }
    return 0;
}

typedef struct InterpWalk {
    Walk walk;
    const InterpUnit *u;
} InterpWalk;

static int one_step(const Walk *w, ThFrame *f, int step) {
    return profile_wanted(f) ? profile_step(f, step) : interp_step(((const InterpWalk *)w)->u, step, f);
}

int interp_run(const InterpUnit *u, ThFrame *f) {
    const InterpWalk w = {.walk = {.step = one_step}, u};
    return walk_plan(&w.walk, f);
}

InterpUnit *interp_unit(Plan *p) {
    Arena *a = arena_new(p->ctx);
    InterpUnit *u = a ? arena_alloc0(a, sizeof *u) : NULL;
    if (!u) {
        if (a) arena_free(a);
        return NULL;
    }
    u->plan = p;
    u->arena = a;
    u->simd = simd_table(p->ctx);
    u->kernel = arena_alloc0(a, sizeof *u->kernel * (size_t)(p->nkernel + 1));
    if (!u->kernel) {
        interp_unit_free(u);
        return NULL;
    }
    for (int i = 0; i < p->nkernel; i++) {
        if (!interp_prepare(p->ctx, u->simd, p->kernel[i], false, a, &u->kernel[i]) ||
            !interp_flat_prepare(p->ctx, u->simd, a, &u->kernel[i]) ||
            !interp_side_prepare(p->ctx, u->simd, a, &u->kernel[i])) {
            interp_unit_free(u);
            return NULL;
        }
        size_t need = interp_room(&u->kernel[i]) * (size_t)interp_rooms(p->kernel[i]);
        if (need > u->scratch) u->scratch = need;
    }
    return u;
}

void interp_unit_free(InterpUnit *u) {
    if (!u) return;
    for (int i = 0; u->kernel && i < u->plan->nkernel; i++) interp_release(u->plan->ctx, &u->kernel[i]);
    arena_free(u->arena);
}
size_t interp_scratch(const InterpUnit *u) { return u->scratch; }
