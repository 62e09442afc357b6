/*
 * side.c -- kernels along short rows, some rows at a time: stage by stage, element by element of a row, with a row in
 * each lane. In: a kernel's twin, whose vectors lie across the loop around the rows' elements, so that what stood once
 * a row is a block. Out: blocks of rows for the loops of interp.c. Always holds: the bits are those of the rows one by
 * one. Values are computed by themselves; a row's reductions have as many accumulators as it had lanes, which take its
 * elements in turns and are folded in the lanes' order.
 */
#include "interp.h"

#include <limits.h>

/* Elements of a row, of a block; rows below which nothing is gained. */
enum { LONGEST = 100, TILE = LONGEST * SIDE_ROWS, FEWEST = 8 };

static int across(const Kernel *k, const LoopStage *s) { return k->nouter ? k->nouter - 1 : s->vec - 1; }

/* A value of its own for each outer point: a row of what only this point reads. */
static bool is_temp(const Access *a) { return (a->flags & ACC_ROWTEMP) != 0; }

static bool good_access(const Kernel *k, const LoopStage *s, const Ins *i) {
    const Access *a = &k->acc.at[i->a];
    if ((a->flags & ACC_ADD) || a->idx >= 0 || (i->op == INS_STORE && a->guard >= 0)) return false;
    if (!is_temp(a)) return true;
    if (i->depth != s->nloop || s->nloop != k->nouter + 1 || !size_is(a->off, 0)) return false;
    for (int d = 0; d < k->ndim; d++)
        if (!size_is(a->st[d], d == s->loop[s->nloop - 1])) return false;
    return true;
}

static bool good_reduction(const Kernel *k, const LoopStage *s, const Red *d) {
    const ThDtype t = (ThDtype)k->ins.at[d->v].dtype;
    return d->depth == s->nloop - 1 && !dtype_is_complex((ThDtype)d->acc_dtype) && !dtype_is_complex(t);
}

static bool good_stage(const Kernel *k, const LoopStage *s) {
    const bool plain = k->nouter && s->nloop == k->nouter && s->vec < 0 && !s->st->nred; /* values of rows alone */
    if (s->st->cls != STAGE_LOOP || (!plain && (s->vec < 1 || s->vec != s->nloop - 1))) return false;
    if (k->nouter && !plain && s->vec != k->nouter) return false;
    for (int l = 0; l < s->nloop; l++) {
        const int kind = k->dim[s->loop[l]].kind;
        if (kind != DIM_PAR && !(kind == DIM_RED && !plain && l == s->vec)) return false;
    }
    for (int i = s->st->ins0; i < s->st->ins0 + s->st->nins; i++) {
        const Ins *x = &k->ins.at[i];
        if ((x->op == INS_LOAD || x->op == INS_STORE) && !good_access(k, s, x)) return false;
        if (x->op == INS_STORE && x->depth <= across(k, s)) return false;
    }
    for (int i = s->st->red0; i < s->st->red0 + s->st->nred; i++)
        if (!good_reduction(k, s, &k->red.at[i])) return false;
    return true;
}

/* Nothing else goes to what is one outer point's alone. */
static bool temps_apart(const Kernel *k) {
    for (int i = 0; i < k->acc.n; i++)
        for (int j = 0; j < i; j++)
            if (k->acc.at[i].buf == k->acc.at[j].buf && is_temp(&k->acc.at[i]) != is_temp(&k->acc.at[j])) return false;
    return true;
}

static bool may(const Kernel *k, const KernelOrder *o) {
    if (k->can_fail || !k->st.n || (!k->nouter && k->st.n > 1) || !temps_apart(k)) return false;
    for (int s = 0; s < k->st.n; s++)
        if (!good_stage(k, &o->stage[s])) return false;
    return true;
}

bool interp_side_prepare(ThContext *c, const SimdTable *simd, Arena *a, IKernel *out) {
    if (!may(out->k, &out->order)) return true;
    if (!(out->side = arena_alloc(a, sizeof *out->side))) return false;
    return interp_prepare(c, simd, out->k, true, a, out->side);
}

void interp_side_order(const Kernel *k, KernelOrder *o) {
    for (int s = 0; s < k->st.n; s++) o->stage[s].vec = across(k, &o->stage[s]);
}

void interp_side_red(IRed *d, IKernel *out) {
    const ThDtype t = (ThDtype)d->red->acc_dtype;
    d->turns = !d->fold ? 0 : dtype_is_discrete(t) ? 1 : SIMD_LANE_BYTES / (int)th_dtype_bytes(t);
    const int held = d->turns < LONGEST ? d->turns : LONGEST; /* others take nothing */
    out->reg_bytes += SIDE_ROWS * th_dtype_bytes(t) * (size_t)held;
}

static SideAcc uses(const IKernel *ik, int acc) {
    const Kernel *k = ik->k;
    SideAcc x = {.tile = -1, .along = -1, .loaded = -1, .stored = INT_MAX};
    bool inside = true;
    for (int i = 0; i < k->ins.n; i++) {
        const Ins *ins = &k->ins.at[i];
        if ((ins->op != INS_LOAD && ins->op != INS_STORE) || ins->a != acc) continue;
        const LoopStage *s = &ik->order.stage[ins->stage];
        const int along = s->loop[s->nloop - 1];
        inside &= ins->depth == s->nloop && s->vec == s->nloop - 2 && (x.along < 0 || x.along == along);
        x.along = along;
        if (ins->op == INS_LOAD) x.loaded = i;
        else if (x.stored == INT_MAX) x.stored = i;
    }
    if (!inside || k->acc.at[acc].guard >= 0) x.along = -1;
    return x;
}

/* Do both go through the same rows? */
static bool alike(const IKernel *ik, int i, int j) {
    const Kernel *k = ik->k;
    const Access *a = &k->acc.at[i], *b = &k->acc.at[j];
    const LoopStage *s = &ik->order.stage[0];
    if (is_temp(a) || is_temp(b)) return is_temp(a) && is_temp(b) && a->buf == b->buf;
    bool same = a->buf == b->buf && a->dtype == b->dtype && size_eq(a->off, b->off);
    for (int l = 0; same && l <= s->vec; l++) same = size_eq(a->st[s->loop[l]], b->st[s->loop[l]]);
    return same && size_eq(k->dim[ik->acc[i].along].n, k->dim[ik->acc[j].along].n) &&
           size_eq(a->st[ik->acc[i].along], b->st[ik->acc[j].along]);
}

static void join(IKernel *out, int acc) {
    SideAcc *x = &out->acc[acc];
    for (int t = 0; t < out->ntile && x->tile < 0; t++)
        if (alike(out, acc, out->tile[t].acc)) x->tile = t;
    if (x->tile < 0) {
        const Access *a = &out->k->acc.at[acc];
        x->tile = out->ntile++;
        out->tile[x->tile] = (SideTile){.acc = acc, .temp = is_temp(a), .loaded = -1, .stored = INT_MAX};
        out->tile[x->tile].at = out->reg_bytes;
        out->reg_bytes += TILE * th_dtype_bytes((ThDtype)a->dtype);
    }
    SideTile *t = &out->tile[x->tile];
    if (x->loaded > t->loaded) t->loaded = x->loaded;
    if (x->stored < t->stored) t->stored = x->stored;
}

bool interp_side_tiles(Arena *a, IKernel *out) {
    const Kernel *k = out->k;
    out->acc = arena_alloc0(a, sizeof *out->acc * (size_t)(k->acc.n + 1));
    out->tile = arena_alloc0(a, sizeof *out->tile * (size_t)(k->acc.n + 1));
    if (!out->acc || !out->tile) return false;
    for (int i = 0; i < k->acc.n; i++) {
        out->acc[i] = uses(out, i);
        if (out->acc[i].along >= 0) join(out, i);
    }
    return true;
}

/* ---- a run ---- */
/* Bytes that an access reaches from where it begins: in one row, or in all of the kernel. */
typedef struct Reach {
    const char *lo, *hi;
} Reach;

static Reach reach(const IRun *r, int acc, const LoopStage *s, int outer) {
    const Kernel *k = r->ik->k;
    Reach x = {r->base[acc], r->base[acc] + th_dtype_bytes((ThDtype)k->acc.at[acc].dtype)};
    for (int d = 0; d < k->ndim; d++) {
        const int64_t far = (r->n[d] - 1) * r->st[acc][d];
        bool in = true;
        for (int l = 0; l < outer; l++) in &= s->loop[l] != d;
        if (in && far < 0) x.lo += far;
        else if (in) x.hi += far;
    }
    return x;
}

/* What a writes or reads and what b writes is in the same row, or nowhere the same. */
static bool apart(const IRun *r, const LoopStage *s, int a, int b, int over) {
    const Reach x = reach(r, a, s, 0), y = reach(r, b, s, 0);
    if (x.hi <= y.lo || y.hi <= x.lo) return true;
    for (int l = 0; l <= over; l++)
        if (r->st[a][s->loop[l]] != r->st[b][s->loop[l]]) return false;
    const Reach v = reach(r, a, s, over + 1), w = reach(r, b, s, over + 1);
    const int64_t row = r->st[a][s->loop[over]];
    return (v.hi > w.hi ? v.hi : w.hi) - (v.lo < w.lo ? v.lo : w.lo) <= (row < 0 ? -row : row);
}

static bool rows_apart(const IRun *r, const LoopStage *s, int over) {
    const Kernel *k = r->ik->k;
    for (int i = 0; i < k->acc.n; i++) {
        if (!(k->acc.at[i].flags & ACC_WRITE) || is_temp(&k->acc.at[i])) continue;
        for (int j = 0; j < k->acc.n; j++)
            if (!is_temp(&k->acc.at[j]) && !apart(r, s, j, i, over)) return false;
    }
    return true;
}

/* Elements of the longest row. */
static int64_t longest(const IRun *r) {
    int64_t most = 0;
    for (int i = 0; i < r->ik->k->st.n; i++) {
        const LoopStage *s = &r->ik->order.stage[i];
        const int64_t n = s->vec < 0 ? 1 : r->n[s->loop[s->vec]];
        if (n > most) most = n;
    }
    return most;
}

/* May a tile hold what its rows hold, taken before a block and given back behind it? */
static bool turns(const IRun *r, const IKernel *ik, const LoopStage *s, int tile) {
    const Kernel *k = ik->k;
    const SideTile *t = &ik->tile[tile];
    const int64_t bytes = (int64_t)th_dtype_bytes((ThDtype)k->acc.at[t->acc].dtype), *st = r->st[t->acc];
    if (!r->n[ik->acc[t->acc].along]) return false; /* rows of nothing */
    if (st[ik->acc[t->acc].along] != bytes || st[s->loop[s->vec]] == 0 || st[s->loop[s->vec]] == bytes) return false;
    const Reach x = reach(r, t->acc, s, 0);
    for (int i = 0; i < k->acc.n; i++) {
        const SideAcc *b = &ik->acc[i];
        if (b->tile == tile || is_temp(&k->acc.at[i]) || (t->stored == INT_MAX && b->stored == INT_MAX)) continue;
        const Reach y = reach(r, i, s, 0);
        if (x.hi <= y.lo || y.hi <= x.lo) continue;
        if (b->stored != INT_MAX && (t->stored != INT_MAX || t->loaded > b->stored)) return false;
        if (t->stored != INT_MAX && b->loaded > t->stored) return false;
    }
    return true;
}

static bool pays(const IRun *r, const LoopStage *s, int over, int64_t n) {
    const int64_t rows = r->n[s->loop[over]];
    if (rows < FEWEST || n > LONGEST || rows < n) return false;
    if (n && !r->ik->k->nouter && r->ik->rows[0] && interp_each_row_stores(r, s)) return false;
    for (int l = 0; l < over; l++)
        if (r->n[s->loop[l]] <= 0) return false;
    return rows_apart(r, s, over);
}

bool interp_side_begin(IRun *r, SideRun *w) {
    const IKernel *twin = r->ik->side;
    const LoopStage *s = &r->ik->order.stage[0];
    const int64_t n = longest(r);
    if (!pays(r, s, across(r->ik->k, s), n)) return false;
    s = &twin->order.stage[0];
    for (int i = 0; i < twin->ntile; i++) {
        const int acc = twin->tile[i].acc;
        w->tile[i].turned = twin->tile[i].temp || turns(r, twin, s, i);
        w->tile[i].base = r->base[acc];
        w->tile[i].step = r->st[acc][s->loop[s->vec]];
    }
    r->side = w, r->ik = twin;
    interp_registers(r);
    return true;
}

/* From the first of a block's rows to where they lie as if outer loops stood at their beginning. */
static int64_t before(const IRun *r, int acc, int64_t step) {
    const LoopStage *s = &r->ik->order.stage[0];
    int64_t p = r->pos * step;
    for (int l = 0; l < s->vec; l++) p += r->idx[s->loop[l]] * r->st[acc][s->loop[l]];
    return p;
}

static void move(IRun *r, int i, bool give) {
    const SideTile *t = &r->ik->tile[i];
    const SideAcc *x = &r->ik->acc[t->acc];
    const size_t bytes = th_dtype_bytes((ThDtype)r->ik->k->acc.at[t->acc].dtype);
    const int64_t n = r->n[x->along], each = SIDE_ROWS * (int64_t)bytes, step = r->side->tile[i].step;
    char *rows = r->side->tile[i].base + before(r, t->acc, step), *turned = r->regs + t->at;
    void (*turn)(int64_t, int64_t, char *, int64_t, const char *, int64_t) = r->simd->turn[__builtin_ctzl(bytes)];
    if (give) turn(n, r->len, rows, step, turned, each);
    else turn(r->len, n, turned, each, rows, step);
}

void interp_side_take(IRun *r) {
    const IKernel *ik = r->ik;
    for (int i = 0; i < ik->ntile; i++)
        if (r->side->tile[i].turned && !ik->tile[i].temp && ik->tile[i].loaded >= 0) move(r, i, false);
    for (int i = 0; i < ik->k->acc.n; i++) {
        const SideAcc *x = &ik->acc[i];
        if (x->tile < 0 || !r->side->tile[x->tile].turned) continue;
        const LoopStage *s = &ik->order.stage[0];
        const int64_t bytes = (int64_t)th_dtype_bytes((ThDtype)ik->k->acc.at[i].dtype);
        r->st[i][s->loop[s->vec]] = bytes;
        r->st[i][x->along] = SIDE_ROWS * bytes;
        r->base[i] = r->regs + ik->tile[x->tile].at - before(r, i, bytes);
    }
}

void interp_side_give(IRun *r) {
    const IKernel *ik = r->ik;
    for (int i = 0; i < ik->ntile; i++)
        if (r->side->tile[i].turned && !ik->tile[i].temp && ik->tile[i].stored != INT_MAX) move(r, i, true);
}
