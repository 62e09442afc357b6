/*
 * order.c -- sorts a kernel's instructions by loop depth. An instruction runs before the inner loops of its depth
 * unless it depends on a reduction that those loops feed, or only such instructions read it: then nothing stands
 * between the loops of a reduction (columns of which go together), and fewer values live through them.
 */
#include "order.h"

static int stage_depth(const Kernel *k, const Stage *s) { return k->nouter + stage_loops(s); }

static void loops(const Kernel *k, const Stage *s, LoopStage *out) {
    *out = (LoopStage){.st = s, .vec = -1};
    for (int i = 0; i < k->nouter; i++) out->loop[out->nloop++] = i;
    for (int i = k->nouter; i < stage_depth(k, s); i++) out->loop[out->nloop++] = s->d0 + i - k->nouter;
    for (int i = 0; i < out->nloop; i++)
        if (s->vec >= 0 && out->loop[i] == s->vec && i >= k->nouter) out->vec = i;
}

/* Operands of an instruction that are value ids. */
static int operands(const Ins *i, int v[4]) {
    switch (i->op) {
    case INS_LOAD:
    case INS_PARAM:
    case INS_CONST:
    case INS_INDEX:
    case INS_SIZE:
    case INS_RED:
    case INS_EP: return 0;
    case INS_STORE: v[0] = i->b; return 1;
    case INS_CAST:
    case INS_FAIL_IF: v[0] = i->a; return 1;
    case INS_CHECK_INDEX:
        v[0] = i->a;
        v[1] = i->b;
        return 2;
    default: break;
    }
    int n = 0;
    const int all[4] = {i->a, i->b, i->c, i->d};
    for (int j = 0; j < 4; j++)
        if (all[j] >= 0) v[n++] = all[j];
    return n;
}

int ins_reads(const Kernel *k, const Ins *i, int v[6]) {
    int n = operands(i, v);
    if (i->op == INS_LOAD || i->op == INS_STORE) {
        const Access *a = &k->acc.at[i->a];
        if (a->idx >= 0) v[n++] = a->idx;
        if (a->guard >= 0) v[n++] = a->guard;
    }
    return n;
}

static int moved(const int *to, int v) { return v < 0 ? v : to[v]; }

void ins_renumber(Ins *i, const int *to) {
    const bool scalar = i->op < INS_LOAD, check = i->op == INS_CHECK_INDEX;
    if (scalar || check || i->op == INS_CAST || i->op == INS_FAIL_IF) i->a = moved(to, i->a);
    if (scalar || check || i->op == INS_STORE) i->b = moved(to, i->b);
    if (scalar) i->c = moved(to, i->c), i->d = moved(to, i->d);
}

/* Marks instructions of stage s that must run after the inner loops of their depth. */
static void mark_after(const Kernel *k, const LoopStage *s, uint8_t *after) {
    const Stage *st = s->st;
    for (int id = st->ins0; id < st->ins0 + st->nins; id++) {
        const Ins *i = &k->ins.at[id];
        int v[6], n = ins_reads(k, i, v);
        after[id] = i->op == INS_RED;
        for (int j = 0; j < n; j++)
            if (v[j] >= st->ins0 && k->ins.at[v[j]].depth == i->depth && after[v[j]]) after[id] = 1;
    }
}

/* Does the stage store nothing but what its reductions at depth d have made? */
static bool stores_after(const Kernel *k, const Stage *st, int d, const uint8_t *after) {
    for (int id = st->ins0; id < st->ins0 + st->nins; id++) {
        const Ins *i = &k->ins.at[id];
        if (i->op == INS_STORE && (i->depth != d || !after[id])) return false;
    }
    return true;
}

/* Marks what at the depth of a reduction is read by marked instructions alone; from the last one on, so that what feeds
 * it is looked at with that known. */
static void mark_late(const Kernel *k, const LoopStage *s, uint8_t *after, uint8_t *read) {
    const Stage *st = s->st;
    int d = st->nred ? k->red.at[st->red0].depth : 0;
    for (int r = st->red0; r < st->red0 + st->nred; r++)
        if (k->red.at[r].depth != d) return;
    if (!d || !stores_after(k, st, d, after)) return;
    for (int r = st->red0; r < st->red0 + st->nred; r++) read[k->red.at[r].v] = 1;
    for (int id = st->ins0 + st->nins - 1; id >= st->ins0; id--) {
        const Ins *i = &k->ins.at[id];
        bool still = i->depth == d && !read[id] && i->op != INS_FAIL_IF && i->op != INS_CHECK_INDEX;
        if (still) after[id] = 1;
        int v[6], n = ins_reads(k, i, v);
        for (int j = 0; j < n; j++)
            if (!after[id]) read[v[j]] = 1;
    }
}

static void sort_stage(const Kernel *k, LoopStage *s, const uint8_t *after, KernelOrder *out) {
    const Stage *st = s->st;
    for (int d = 0; d <= s->nloop; d++)
        for (int phase = 0; phase < 2; phase++) {
            int first = out->ncode;
            for (int id = st->ins0; id < st->ins0 + st->nins; id++)
                if (k->ins.at[id].depth == d && after[id] == phase) out->code[out->ncode++] = id;
            if (phase) s->post[d] = first, s->npost[d] = out->ncode - first;
            else s->pre[d] = first, s->npre[d] = out->ncode - first;
        }
    for (int d = 0; d <= s->nloop; d++) s->red[d] = -1;
    for (int r = st->red0; r < st->red0 + st->nred; r++) {
        int d = k->red.at[r].depth;
        if (s->red[d] < 0) s->red[d] = r;
        s->nred[d] = r - s->red[d] + 1;
    }
}

bool kernel_order(const Kernel *k, Arena *a, KernelOrder *out) {
    *out = (KernelOrder){0};
    out->stage = arena_alloc0(a, sizeof *out->stage * (size_t)(k->st.n + 1));
    out->code = arena_alloc0(a, sizeof *out->code * (size_t)(k->ins.n + 1));
    uint8_t *after = arena_alloc0(a, (size_t)k->ins.n + 1), *read = arena_alloc0(a, (size_t)k->ins.n + 1);
    if (!out->stage || !out->code || !after || !read) return false;
    for (int i = 0; i < k->st.n; i++) {
        loops(k, &k->st.at[i], &out->stage[i]);
        mark_after(k, &out->stage[i], after);
        mark_late(k, &out->stage[i], after, read);
        sort_stage(k, &out->stage[i], after, out);
    }
    return true;
}
