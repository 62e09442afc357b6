/*
 * shape.c -- how a kernel runs on a grid: which loops the grid covers and what happens inside. In: a Kernel and the
 * order of its instructions. Out: a CudaKernel. Always right is SERIAL; the others need that points are independent,
 * that no store stands between the loops that are spread, and (BLOCK) that no thread leaves while others wait for it.
 */
#include "cuda.h"

static bool can_leave(const Kernel *k, const Ins *i) {
    (void)k;
    if (i->op == INS_FAIL_IF || i->op == INS_CHECK_INDEX) return true;
    return i->op < INS_LOAD && (scalar_ops[i->op].flags & SF_FAILS) && dtype_is_discrete((ThDtype)i->in_dtype);
}

bool cuda_has_rowtemp(const Kernel *k, int buf) {
    for (int a = 0; a < k->acc.n; a++)
        if ((k->acc.at[a].flags & ACC_ROWTEMP) && (buf < 0 || k->acc.at[a].buf == buf)) return true;
    return false;
}

/* Sequential dims, and stores whose place is a value: the order of points matters. */
static bool ordered(const Kernel *k) {
    for (int d = 0; d < k->ndim; d++)
        if (k->dim[d].kind == DIM_SEQ) return true;
    for (int i = 0; i < k->ins.n; i++)
        if (k->ins.at[i].op == INS_STORE && k->acc.at[k->ins.at[i].a].idx >= 0) return true;
    return false;
}

static bool is_loop(const Kernel *k, const LoopStage *s, int from, int to, DimKind kind) {
    for (int l = from; l < to; l++)
        if (k->dim[s->loop[l]].kind != kind) return false;
    return true;
}

CudaSpread cuda_spread(const Kernel *k, const LoopStage *s, const int *code, int depth) {
    (void)code;
    const Stage *st = s->st;
    int par = depth;
    while (par < s->nloop && k->dim[s->loop[par]].kind == DIM_PAR) par++;
    bool reduces = st->nred > 0;
    if (!is_loop(k, s, par, s->nloop, DIM_RED) || (par < s->nloop) != reduces) return SPREAD_NOT;
    for (int r = st->red0; r < st->red0 + st->nred; r++)
        if (k->red.at[r].depth != par) return SPREAD_NOT;
    int inner = reduces && par > depth ? par : s->nloop; /* depth of the code that is spread */
    for (int i = st->ins0; i < st->ins0 + st->nins; i++) {
        const Ins *n = &k->ins.at[i];
        if (n->depth > depth && can_leave(k, n)) return SPREAD_NOT;
        if (n->op == INS_STORE && n->depth > depth && n->depth < inner) return SPREAD_NOT;
    }
    if (depth == s->nloop) return SPREAD_NONE;
    return !reduces ? SPREAD_POINTS : par == depth ? SPREAD_REDUCE : SPREAD_ROWS;
}

static bool all_spread(const CudaKernel *c, int depth) {
    for (int i = 0; i < c->k->st.n; i++)
        if (cuda_spread(c->k, &c->o.stage[i], c->o.code, depth) == SPREAD_NOT) return false;
    return true;
}

/* Leading parallel loops of the only stage around all its stores and accumulators. */
static int grid_depth(const Kernel *k, const LoopStage *s) {
    int d = 0;
    while (d < s->nloop && k->dim[s->loop[d]].kind == DIM_PAR) d++;
    for (int r = 0; r < k->red.n; r++)
        if (k->red.at[r].depth < d) d = k->red.at[r].depth;
    for (int i = 0; i < k->ins.n; i++)
        if (k->ins.at[i].op == INS_STORE && k->ins.at[i].depth < d) d = k->ins.at[i].depth;
    return d;
}

/* A product alone, but for factors computed before it. */
static bool gemm_only(const Kernel *k) {
    int last = k->st.n - 1;
    const Stage *g = &k->st.at[last];
    ThDtype d = (ThDtype)k->acc.at[g->C].dtype;
    if (k->nouter || g->nred || k->can_fail || !dtype_is_float(d)) return false;
    for (int i = 0; i < last; i++)
        if (k->st.at[i].cls != STAGE_LOOP || k->st.at[i].nd || k->st.at[i].nred) return false;
    for (int i = 0; i < k->ins.n; i++)
        if (k->ins.at[i].op == INS_STORE && k->ins.at[i].stage != last) return false;
    return k->acc.at[g->A].dtype == d && k->acc.at[g->B].dtype == d;
}

static bool supported(Emit *e, const Kernel *k) {
    bool product = false, good = k->st.n > 0;
    for (int i = 0; i < k->st.n; i++) {
        product |= k->st.at[i].cls == STAGE_GEMM;
        good &= k->st.at[i].cls == STAGE_LOOP || (k->st.at[i].cls == STAGE_GEMM && i == k->st.n - 1);
    }
    if (good && product) good = gemm_only(k);
    return good || err(e->c, TH_NotImplementedError, "the CUDA backend cannot run this kernel yet: %s",
                       k->title ? k->title : "(no title)");
}

static void choose(CudaKernel *c) {
    const Kernel *k = c->k;
    c->depth = k->nouter;
    if (k->st.at[k->st.n - 1].cls == STAGE_GEMM) {
        c->mode = CUDA_GEMM;
        return;
    }
    c->mode = CUDA_SERIAL;
    if (ordered(k)) return;
    if (k->nouter || k->st.n > 1) {
        if (all_spread(c, k->nouter)) c->mode = CUDA_BLOCK;
        else if (k->nouter && !cuda_has_rowtemp(k, -1)) c->mode = CUDA_THREAD;
        return;
    }
    c->mode = CUDA_THREAD;
    c->depth = grid_depth(k, &c->o.stage[0]);
    c->also_block = cuda_spread(k, &c->o.stage[0], c->o.code, c->depth) == SPREAD_REDUCE;
}

bool cuda_shape(Emit *e, int number, CudaKernel *out) {
    *out = (CudaKernel){.k = e->p->kernel[number], .number = number};
    if (!supported(e, out->k) || !kernel_order(out->k, e->arena, &out->o)) return false;
    for (int i = 0; i < out->k->st.n; i++) out->o.stage[i].vec = -1; /* one lane */
    Nest t = {.k = out->k, .o = &out->o, .target = &target_cuda, .arena = e->arena};
    out->way = nest_way(&t, WAY_PLAIN);
    if (!out->way) return false;
    for (int s = 0; s < e->p->nstep; s++) {
        const Step *st = &e->p->step[s];
        if (st->kind != STEP_KERNEL || st->kernel != number) continue;
        out->nbuf = st->nbuf > out->nbuf ? st->nbuf : out->nbuf;
        out->nsym = st->nsym > out->nsym ? st->nsym : out->nsym;
        out->nparam = st->nparam > out->nparam ? st->nparam : out->nparam;
    }
    if (16 * out->nbuf + 8 * out->nsym + 16 * out->nparam > 4000) /* CUDA passes 4 KB of arguments */
        return err(e->c, TH_NotImplementedError, "the CUDA backend cannot pass so many arguments: %s", out->k->title);
    choose(out);
    return true;
}
