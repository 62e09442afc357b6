/*
 * work.c -- what a step does, in numbers: operations on elements, and bytes that memory must give or take at least,
 * each element of a buffer counted once for reading and once for writing. In: a plan and the slots of a call. Out:
 * StepWork of a step, negative where a length is not known. For profiles and rooflines: nothing else hangs on it.
 */
#include "kernel/conv_work.h"
#include "schedule/program.h"
#include "function.h"

#include <string.h>

static const StepWork unknown = {-1, -1, -1, -1};

typedef struct At { /* a kernel in a step, with its lengths */
    const Plan *p;
    const Step *s;
    const Kernel *k;
    const int64_t *sym;
    double dim[KDIM];
    bool lost;           /* a length is not known */
    const GridKernel *g; /* on a GPU, by this Nest of it; or NULL */
    const Nest *nest;
} At;

static double size_of(At *at, Size z) {
    int64_t v = z.k;
    if (z.sym >= 0) {
        int64_t n = z.sym < at->s->nsym ? at->sym[at->s->sym[z.sym]] : SIZE_UNKNOWN;
        at->lost |= n == SIZE_UNKNOWN || __builtin_mul_overflow(z.k, n, &v);
    }
    return at->lost || v < 0 ? 0 : (double)v;
}

/* How often what stands at this depth of the stage runs. */
static double points(const At *at, int depth, const Stage *st) {
    double n = 1;
    for (int i = 0; i < depth; i++) {
        int d = i < at->k->nouter ? i : st->d0 + i - at->k->nouter;
        if (d < at->k->ndim) n *= at->dim[d];
    }
    return n;
}

/* Elements of a buffer; negative: unknown, as of a window, which is a part of another one. */
static double elements(const PlanBuf *b, const int64_t *sym) {
    double all = 1;
    int64_t n;
    if (b->kind == BUF_WINDOW) return -1;
    if (b->kind == BUF_TEMP || b->kind == BUF_OUTPUT) return size_get(b->size, sym, &n) && n >= 0 ? (double)n : -1;
    for (int d = 0; d < b->ndim; d++) {
        if (!size_get(b->shape[d], sym, &n) || n < 0) return -1;
        all *= (double)n;
    }
    return all;
}

/* ---- operations ---- */
static double call_flops(At *at, const Stage *st) {
    double outer = points(at, at->k->nouter, st), own = 1;
    for (int d = 0; d < st->nd; d++) own *= at->dim[st->d0 + d];
    if (st->cls == STAGE_GEMM) return 2 * outer * own;
    if (st->cls != STAGE_CONV || st->nnum <= CONV_AT_FILTERS) return outer * own;
    /* Each element of the result adds up one filter's products: of the filters' elements, one part in so many. */
    double filters = size_of(at, at->k->size.at[st->num0 + CONV_AT_FILTERS]);
    double all = elements(&at->p->buf[at->s->buf[at->k->acc.at[st->B].buf]], at->sym);
    return all < 0 || filters < 1 ? outer * own : 2 * outer * own * all / filters;
}

static double flops(At *at) {
    const Kernel *k = at->k;
    double sum = 0;
    for (int i = 0; i < k->ins.n; i++) {
        const Ins *x = &k->ins.at[i];
        if (x->op < INS_LOAD) sum += points(at, x->depth, &k->st.at[x->stage]);
    }
    for (int i = 0; i < k->red.n; i++) {
        const Red *r = &k->red.at[i];
        const Stage *st = &k->st.at[r->stage];
        sum += points(at, k->nouter + st->nd, st);
    }
    for (int i = 0; i < k->st.n; i++)
        if (stage_calls(&k->st.at[i])) sum += call_flops(at, &k->st.at[i]);
    return sum;
}

/* ---- bytes ---- */
/* Of a stage that calls the library: its operands have no strides. */
static bool whole(const Kernel *k, int access) {
    for (int i = 0; i < k->st.n; i++) {
        const Stage *st = &k->st.at[i];
        if (stage_calls(st) && st->cls != STAGE_GEMM && (st->A == access || st->B == access || st->C == access))
            return true;
    }
    return false;
}

static bool stores(const Kernel *k, int buf) {
    for (int i = 0; i < k->ins.n; i++)
        if (k->ins.at[i].op == INS_STORE && k->acc.at[k->ins.at[i].a].buf == buf) return true;
    return false;
}

static bool nowhere(const Kernel *k, int buf) { /* it has no memory, or that is a library's */
    for (int i = 0; i < k->st.n; i++) {
        const Stage *st = &k->st.at[i];
        bool passes = st->feeds || st->passing || (st->sole && !stores(k, buf));
        if (passes && k->acc.at[st->C].buf == buf) return true;
    }
    return false;
}

/* Elements that an access touches, at most all of its buffer. */
static double touched(At *at, int access, double all) {
    const Access *a = &at->k->acc.at[access];
    double n = 1;
    if (whole(at->k, access)) return all;
    for (int d = 0; d < at->k->ndim; d++)
        if (a->idx >= 0 || !size_is(a->st[d], 0)) n *= at->dim[d];
    return n < all ? n : all;
}

/* The stage that an access is of; of an operand of a call, the last one. */
static int stage_of(const Kernel *k, int access) {
    for (int i = 0; i < k->ins.n; i++) {
        const Ins *x = &k->ins.at[i];
        if ((x->op == INS_LOAD || x->op == INS_STORE) && x->a == access) return x->stage;
    }
    return k->st.n - 1;
}

/* The dim that neighbouring threads of a GPU take neighbours of, but for those of length 1; -1: none. */
static int fast_dim(const At *at, const LoopStage *s) {
    const Nest *t = at->nest;
    bool inside = t->grid == GRID_BLOCK && !t->across;
    if (t->grid != GRID_THREAD && t->grid != GRID_BLOCK) return -1;
    for (int l = (inside ? s->nloop : t->depth < s->nloop ? t->depth : s->nloop) - 1; l >= 0; l--)
        if (at->dim[s->loop[l]] > 1) return s->loop[l];
    return -1;
}

/* Of a GPU's memory 32 bytes move at a time: how many times what it touches an access moves, as its own threads ask for
 * it. */
static double sectors(At *at, int access) {
    enum { SECTOR = 32 };
    const Access *a = &at->k->acc.at[access];
    const LoopStage *s = at->g ? &at->g->o.stage[stage_of(at->k, access)] : NULL;
    int d = s && !stage_calls(s->st) ? fast_dim(at, s) : -1;
    for (int i = 0; d >= 0 && at->nest->tiled && i < at->k->ins.n; i++)
        if (at->k->ins.at[i].a == access && turn_load(at->nest, i, at->nest->turned)) return 1;
    if (d < 0 || (at->nest->grid == GRID_BLOCK && !at->nest->across && size_is(a->st[d], 0))) return 1;
    double step = size_of(at, a->st[d].k < 0 ? (Size){-a->st[d].k, a->st[d].sym} : a->st[d]);
    double most = SECTOR / (double)th_dtype_bytes((ThDtype)a->dtype);
    if (a->idx >= 0 && at->k->ins.at[a->idx].depth >= s->nloop) step = most; /* anywhere */
    return step <= 1 || most < 1 ? 1 : step < most ? step : most;
}

static void bytes(At *at, StepWork *w) {
    const Kernel *k = at->k;
    for (int b = 0; b < k->nbuf && b < at->s->nbuf; b++) {
        const PlanBuf *buf = &at->p->buf[at->s->buf[b]];
        double read = 0, write = 0, moved = 0, all = elements(buf, at->sym);
        double item = (double)th_dtype_bytes((ThDtype)buf->dtype);
        if (nowhere(k, b)) continue;
        if (all < 0) all = 1e300; /* a window's part is told by the strides alone */
        for (int i = 0; i < k->acc.n; i++) {
            const Access *a = &k->acc.at[i];
            if (a->buf != b || (a->flags & ACC_ROWTEMP)) continue;
            double t = touched(at, i, all), times = (a->flags & ACC_ADD) ? 2 : 1;
            if (t >= 1e300) continue;
            if (a->flags & (ACC_READ | ACC_ADD)) read += t;
            if (a->flags & (ACC_WRITE | ACC_ADD)) write += t;
            if (a->flags & (ACC_READ | ACC_WRITE | ACC_ADD)) moved += times * t * sectors(at, i);
        }
        read = read < all ? read : all;
        write = write < all ? write : all;
        w->bytes += (read + write) * item;
        w->written += write * item;
        w->moved += moved * item;
    }
}

/* A host call reads and writes all of its operands; how much it computes it does not say. */
static double host_bytes(const PlanHost *h, const int64_t *sym) {
    double sum = 0;
    for (int i = 0; i < h->nin + h->nout; i++) {
        const PlanValue *v = i < h->nin ? &h->in[i] : &h->out[i - h->nin];
        double n = (double)th_dtype_bytes((ThDtype)v->dtype);
        for (int d = 0; d < v->ndim; d++) {
            int64_t len;
            if (!size_get(v->shape[d], sym, &len) || len < 0) return -1;
            n *= (double)len;
        }
        sum += n;
    }
    return sum;
}

static StepWork work_of_kernel(At at) {
    StepWork w = {0};
    at.k = at.p->kernel[at.s->kernel];
    for (int d = 0; d < at.k->ndim; d++) at.dim[d] = size_of(&at, at.k->dim[d].n);
    w.flops = flops(&at);
    bytes(&at, &w);
    return at.lost ? unknown : w;
}

/* A copy reads and writes all of its place. */
static StepWork work_of_copy(const PlanBuf *to, const int64_t *sym) {
    int64_t n;
    if (!size_get(to->size, sym, &n) || n < 0) return unknown;
    double bytes = (double)n * (double)th_dtype_bytes((ThDtype)to->dtype);
    return (StepWork){0, 2 * bytes, 2 * bytes, bytes};
}

StepWork work_of_step(const Plan *p, int step, const int64_t *sym) {
    const Step *s = &p->step[step];
    if (s->kind == STEP_TRANSFER) return work_of_copy(&p->buf[s->buf[1]], sym);
    double all = s->kind == STEP_HOST ? host_bytes(&p->host[s->host], sym) : 0;
    if (s->kind == STEP_HOST) return (StepWork){-1, all, -1, all};
    if (s->kind != STEP_KERNEL) return s->kind == STEP_SIZE || s->kind == STEP_LATE ? (StepWork){0} : unknown;
    return work_of_kernel((At){.p = p, .s = s, .sym = sym});
}

StepWork work_of_launch(const Plan *p, int step, const int64_t *sym, const GridKernel *g, const Nest *nest) {
    return work_of_kernel((At){.p = p, .s = &p->step[step], .sym = sym, .g = g, .nest = nest});
}

int64_t *function_sizes(ThFunction *f) {
    f = function_newest(f);
    int64_t *sym = NULL;
    workspace_lock(f);
    const Workspace *w = f->idle;
    for (; w && !w->valid; w = w->next) {}
    size_t bytes = ((size_t)f->plan->nsym + 1) * sizeof *sym;
    if (w && (sym = ctx_alloc(f->ctx, bytes))) memcpy(sym, w->frame.sym, bytes - sizeof *sym);
    workspace_unlock(f);
    return sym;
}

FunctionHabits function_habits(const ThFunction *f) {
    f = function_newest(f);
    return (FunctionHabits){atomic_load(&f->habits.lengths) - 1, atomic_load(&f->habits.strided),
                            atomic_load(&f->habits.aliased), atomic_load(&f->habits.args)};
}
