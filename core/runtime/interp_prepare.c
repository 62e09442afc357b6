/*
 * interp_prepare.c -- a Kernel becomes an IKernel: loops in order, instructions sorted by depth, registers.
 * An instruction runs before the inner loops of its depth unless it depends on a reduction that those loops feed.
 */
#include "interp.h"

static int stage_depth(const Kernel *k, const Stage *s) { return k->nouter + (s->cls == STAGE_GEMM ? 2 : s->nd); }

static void loops(const Kernel *k, const Stage *s, IStage *out) {
    *out = (IStage){.st = s, .vec = -1};
    for (int i = 0; i < k->nouter; i++) out->loop[out->nloop++] = i;
    for (int i = k->nouter; i < stage_depth(k, s); i++) out->loop[out->nloop++] = s->d0 + i - k->nouter;
    for (int i = 0; i < out->nloop; i++)
        if (s->vec >= 0 && out->loop[i] == s->vec && i >= k->nouter) out->vec = i;
}

/* Operands of an instruction that are value ids. */
static int operands(const Ins *i, int v[4]) {
    switch (i->op) {
    case INS_LOAD: case INS_PARAM: case INS_CONST: case INS_INDEX: case INS_SIZE: case INS_RED: case INS_EP: return 0;
    case INS_STORE: v[0] = i->b; return 1;
    case INS_CAST: case INS_FAIL_IF: v[0] = i->a; return 1;
    case INS_CHECK_INDEX: v[0] = i->a; v[1] = i->b; return 2;
    default: break;
    }
    int n = 0;
    const int all[4] = {i->a, i->b, i->c, i->d};
    for (int j = 0; j < 4; j++)
        if (all[j] >= 0) v[n++] = all[j];
    return n;
}

static int reads(const Kernel *k, const Ins *i, int v[6]) {
    int n = operands(i, v);
    if (i->op == INS_LOAD || i->op == INS_STORE) {
        const Access *a = &k->acc.at[i->a];
        if (a->idx >= 0) v[n++] = a->idx;
        if (a->guard >= 0) v[n++] = a->guard;
    }
    return n;
}

static int width(const IStage *s, const Ins *i) { return s->vec >= 0 && i->depth > s->vec; }

/* One value: its register, whether it is a block, the function that computes it. */
static bool one(ThContext *c, const SimdTable *simd, const Kernel *k, const IStage *s, int id, Arena *a, IKernel *out) {
    const Ins *i = &k->ins.at[id];
    IIns *o = &out->ins[id];
    *o = (IIns){.ins = i, .block = (uint8_t)width(s, i)};
    o->bytes = (uint8_t)th_dtype_bytes(i->op == INS_STORE ? TH_BOOL : i->dtype);
    if (i->op == INS_FAIL_IF || i->op == INS_STORE) return true;
    o->reg = out->reg_bytes;
    out->reg_bytes += (size_t)o->bytes * SIMD_BLOCK;
    if (i->op == INS_CAST || i->op < INS_LOAD) {
        o->fails = i->op < INS_LOAD && (scalar_ops[i->op].flags & SF_FAILS) && dtype_is_discrete(i->in_dtype);
        return interp_micro(c, simd, k, id, a, out);
    }
    return true;
}

static bool values(ThContext *c, const SimdTable *simd, const Kernel *k, Arena *a, IKernel *out) {
    for (int id = 0; id < k->ins.n; id++)
        if (!one(c, simd, k, &out->stage[k->ins.at[id].stage], id, a, out)) return false;
    for (int id = 0; id < k->ins.n; id++) { /* uniform values read by blocks */
        int v[6], n = reads(k, &k->ins.at[id], v);
        if (out->ins[id].block)
            for (int j = 0; j < n; j++) out->ins[v[j]].fill = !out->ins[v[j]].block;
    }
    for (int r = 0; r < k->red.n; r++) /* a uniform value fed to block accumulators */
        if (!out->ins[k->red.at[r].v].block) out->ins[k->red.at[r].v].fill = 1;
    return true;
}

static void reductions(const SimdTable *simd, const Kernel *k, IKernel *out) {
    for (int r = 0; r < k->red.n; r++) {
        const Red *red = &k->red.at[r];
        const IStage *s = &out->stage[red->stage];
        IRed *o = &out->red[r];
        *o = (IRed){.red = red, .reg = out->reg_bytes};
        o->lanes = s->vec >= 0 && k->dim[s->loop[s->vec]].kind == DIM_RED;
        bool arg = red->kind == RED_ARGMAX || red->kind == RED_ARGMIN;
        o->fold = arg ? NULL : simd->fold[red->kind][red->acc_dtype];
        out->reg_bytes += (size_t)SIMD_BLOCK * (arg ? 32 : 16);
    }
}

/* Marks instructions of stage s that must run after the inner loops of their depth. */
static void mark_after(const Kernel *k, const IStage *s, uint8_t *after) {
    const Stage *st = s->st;
    for (int id = st->ins0; id < st->ins0 + st->nins; id++) {
        const Ins *i = &k->ins.at[id];
        int v[6], n = reads(k, i, v);
        after[id] = i->op == INS_RED;
        for (int j = 0; j < n; j++)
            if (v[j] >= st->ins0 && k->ins.at[v[j]].depth == i->depth && after[v[j]]) after[id] = 1;
    }
}

static void sort_stage(const Kernel *k, IStage *s, const uint8_t *after, IKernel *out) {
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

bool interp_prepare(ThContext *c, const SimdTable *simd, const Kernel *k, Arena *a, IKernel *out) {
    *out = (IKernel){.k = k};
    out->ins = arena_alloc0(a, sizeof *out->ins * (size_t)(k->ins.n + 1));
    out->code = arena_alloc0(a, sizeof *out->code * (size_t)(k->ins.n + 1));
    out->red = arena_alloc0(a, sizeof *out->red * (size_t)(k->red.n + 1));
    out->stage = arena_alloc0(a, sizeof *out->stage * (size_t)(k->st.n + 1));
    uint8_t *after = arena_alloc0(a, (size_t)k->ins.n + 1);
    if (!out->ins || !out->code || !out->red || !out->stage || !after) return false;
    if (k->acc.n > KACC + 8) return err(c, TH_RuntimeError, "kernel has %d accesses, at most %d fit", k->acc.n, KACC + 8);
    for (int i = 0; i < k->st.n; i++) loops(k, &k->st.at[i], &out->stage[i]);
    if (!values(c, simd, k, a, out)) return false;
    reductions(simd, k, out);
    for (int i = 0; i < k->st.n; i++) {
        mark_after(k, &out->stage[i], after);
        sort_stage(k, &out->stage[i], after, out);
    }
    return true;
}
