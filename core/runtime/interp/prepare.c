/*
 * prepare.c -- a Kernel becomes an IKernel: registers and block kernels for its values; kernel/order.h
 * gives the order.
 */
#include "interp.h"

static int width(const LoopStage *s, const Ins *i) { return s->vec >= 0 && i->depth > s->vec; }

/* One value: its register, whether it is a block, the function that computes it. */
static bool one(ThContext *c, const SimdTable *simd, const Kernel *k, const LoopStage *s, int id, Arena *a,
                IKernel *out) {
    const Ins *i = &k->ins.at[id];
    IIns *o = &out->ins[id];
    *o = (IIns){.ins = i, .block = (uint8_t)width(s, i), .into = -1};
    o->bytes = (uint8_t)th_dtype_bytes(i->op == INS_STORE ? TH_BOOL : i->dtype);
    if (i->op == INS_FAIL_IF || i->op == INS_STORE) return true;
    o->reg = out->reg_bytes;
    out->reg_bytes += (size_t)o->bytes * (size_t)out->block_elems;
    if (i->op == INS_CAST || i->op < INS_LOAD) {
        o->fails = i->op < INS_LOAD && (scalar_ops[i->op].flags & SF_FAILS) && dtype_is_discrete(i->in_dtype);
        return interp_micro(c, simd, k, id, a, out);
    }
    return true;
}

static bool values(ThContext *c, const SimdTable *simd, const Kernel *k, Arena *a, IKernel *out) {
    for (int id = 0; id < k->ins.n; id++)
        if (!one(c, simd, k, &out->order.stage[k->ins.at[id].stage], id, a, out)) return false;
    for (int id = 0; id < k->ins.n; id++) { /* uniform values read by blocks */
        int v[6], n = ins_reads(k, &k->ins.at[id], v);
        if (out->ins[id].block)
            for (int j = 0; j < n; j++) out->ins[v[j]].fill = !out->ins[v[j]].block;
    }
    for (int r = 0; r < k->red.n; r++) /* a uniform value fed to block accumulators */
        if (!out->ins[k->red.at[r].v].block) out->ins[k->red.at[r].v].fill = 1;
    return true;
}

static bool reductions(const SimdTable *simd, const Kernel *k, bool side, Arena *a, IKernel *out) {
    for (int r = 0; r < k->red.n; r++) {
        const Red *red = &k->red.at[r];
        const LoopStage *s = &out->order.stage[red->stage];
        IRed *o = &out->red[r];
        *o = (IRed){.red = red, .reg = out->reg_bytes, .dtype = k->ins.at[red->v].dtype};
        o->lanes = s->vec >= 0 && k->dim[s->loop[s->vec]].kind == DIM_RED;
        bool arg = red->kind == RED_ARGMAX || red->kind == RED_ARGMIN;
        o->fold = arg ? NULL : simd->fold[red->kind][red->acc_dtype];
        if (side) interp_side_red(o, out);
        if (!o->turns) out->reg_bytes += (size_t)SIMD_BLOCK * (arg ? 32 : 16);
        if (!interp_red_prepare(o, a)) return false;
    }
    return true;
}

/* Blocks along a reduced dim that other loops are inside of: an accumulator takes one element of each, so that those
 * loops come before its next one, as kernel.h orders them. Positions know their place, whole numbers any order. */
static int step_of(const Kernel *k, const LoopStage *s) {
    int least = SIMD_BLOCK;
    if (s->vec < 0 || s->vec == s->nloop - 1 || k->dim[s->loop[s->vec]].kind != DIM_RED) return least;
    for (int r = s->st->red0; r < s->st->red0 + s->st->nred; r++) {
        const Red *d = &k->red.at[r];
        int lanes = SIMD_LANE_BYTES / (int)th_dtype_bytes((ThDtype)d->acc_dtype);
        bool any = d->kind == RED_ARGMAX || d->kind == RED_ARGMIN || dtype_is_discrete((ThDtype)d->acc_dtype);
        if (!any && lanes < least) least = lanes;
    }
    return least;
}

bool interp_prepare(ThContext *c, const SimdTable *simd, const Kernel *k, bool side, Arena *a, IKernel *out) {
    *out = (IKernel){.k = k, .blocks = kernel_in_blocks(k), .block_elems = side ? SIDE_ROWS : SIMD_BLOCK};
    out->ins = arena_alloc0(a, sizeof *out->ins * (size_t)(k->ins.n + 1));
    out->red = arena_alloc0(a, sizeof *out->red * (size_t)(k->red.n + 1));
    out->step = arena_alloc0(a, sizeof *out->step * (size_t)(k->st.n + 1));
    out->rows = arena_alloc0(a, sizeof *out->rows * (size_t)(k->st.n + 1));
    out->columns = arena_alloc0(a, sizeof *out->columns * (size_t)(k->st.n + 1));
    if (!out->ins || !out->red || !out->step || !out->rows || !out->columns || !kernel_order(k, a, &out->order))
        return false;
    if (side) interp_side_order(k, &out->order);
    for (int s = 0; s < k->st.n; s++) out->step[s] = side ? SIDE_ROWS : step_of(k, &out->order.stage[s]);
    if (k->acc.n > KACC + 8)
        return err(c, TH_RuntimeError, "kernel has %d accesses, at most %d fit", k->acc.n, KACC + 8);
    if (!values(c, simd, k, a, out) || !reductions(simd, k, side, a, out)) return false;
    if (side && !interp_side_tiles(a, out)) return false;
    out->at = (out->reg_bytes + 63) / 64 * 64;
    out->reg_bytes = out->at + sizeof(char *) * (size_t)k->ins.n;
    if (!interp_views(a, out)) return false;
    for (int s = 0; s < k->st.n && !side; s++) {
        out->rows[s] = interp_rows_suit(simd, out, &out->order.stage[s]);
        out->columns[s] = interp_columns_suit(simd, out, &out->order.stage[s]);
    }
    return true;
}

void interp_release(ThContext *c, IKernel *k) {
    if (k->flat) vec_free(c, &k->flat->micro);
    if (k->side) vec_free(c, &k->side->micro);
    vec_free(c, &k->micro);
}
