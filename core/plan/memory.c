/*
 * memory.c -- which temporaries share memory. In: steps and the lifetimes of buffers. Out: in-place wishes and the
 * ALLOC/FREE events that layout.c replays for concrete sizes.
 */
#include "apart.h"
#include "parts.h"

static const Access *only_access(const Kernel *k, int buf, bool writes) {
    const Access *only = NULL;
    for (int a = 0; a < k->acc.n; a++) {
        if (k->acc.at[a].buf != buf) continue;
        if (only || ((k->acc.at[a].flags & ACC_WRITE) != 0) != writes) return NULL;
        only = &k->acc.at[a];
    }
    return only;
}

/* Both visit the same element at every point, and no two points visit the same one: these may run at the same time. */
static bool same_map(const Kernel *k, const Access *r, const Access *w) {
    for (int d = 0; d < k->ndim; d++)
        if (k->dim[d].kind == DIM_PAR && size_is(w->st[d], 0) && !size_is(k->dim[d].n, 1)) return false;
    if (r->idx >= 0 || r->guard >= 0 || w->idx >= 0 || w->guard >= 0 || (w->flags & (ACC_ADD | ACC_READ | ACC_ROWTEMP)))
        return false;
    bool same = size_eq(r->off, w->off);
    for (int d = 0; d < KDIM && same; d++) same = size_eq(r->st[d], w->st[d]);
    return same;
}

/* Every load through r is done before the first store through w. */
static bool read_first(const Kernel *k, const Access *r, const Access *w) {
    bool stored = false;
    for (int i = 0; i < k->ins.n; i++) {
        const Ins *n = &k->ins.at[i];
        if (n->op == INS_STORE && &k->acc.at[n->a] == w) stored = true;
        if (n->op == INS_LOAD && &k->acc.at[n->a] == r && stored) return false;
    }
    return true;
}

/* The step sees the memory of local buffer i as another one too: two arguments of a body may be one variable. */
static bool seen_twice(const Plan *p, const Step *s, int i) {
    for (int j = 0; j < s->nbuf; j++) {
        const PlanBuf *b = &p->buf[s->buf[j]];
        int of = b->kind == BUF_WINDOW ? p->window[b->index].of : s->buf[j];
        if (j != i && of == s->buf[i]) return true;
    }
    return false;
}

/* Elements of a buffer; arguments and shared variables tell their lengths alone. */
static bool same_size(const PlanBuf *in, const PlanBuf *out) {
    if (th_dtype_bytes((ThDtype)in->dtype) != th_dtype_bytes((ThDtype)out->dtype)) return false;
    if (in->kind == BUF_TEMP || in->kind == BUF_OUTPUT) return size_eq(in->size, out->size);
    bool same = in->ndim == out->ndim && in->kind != BUF_WINDOW;
    for (int d = 0; d < in->ndim && same; d++) same = size_eq(in->shape[d], out->shape[d]);
    return same;
}

/* May output local buffer o of step s lie where the dying input local buffer i lies? APART_NONE, or why not. */
static Apart fits(const Plan *p, const Kernel *k, const Step *s, int step, int i, int o) {
    static const uint8_t kind[] = {APART_IN_ARGUMENT, APART_IN_SHARED, APART_IN_CONSTANT,
                                   APART_NONE,        APART_IN_RESULT, APART_IN_NOTHING};
    const PlanBuf *in = &p->buf[s->buf[i]], *out = &p->buf[s->buf[o]];
    if (!same_size(in, out) || (in->kind >= BUF_TEMP && in->first == step) || in->late) return APART_IN_NOTHING;
    if (kind[in->kind] != APART_NONE) return kind[in->kind];
    if (in->last != step) return APART_IN_LATER;
    if (in->carried || out->carried) return APART_IN_TURNS;
    const Access *r = only_access(k, i, false), *w = only_access(k, o, true);
    return r && w && same_map(k, r, w) && read_first(k, r, w) && !seen_twice(p, s, i) ? APART_NONE : APART_IN_ORDER;
}

/* Of several reasons the one that tells most. */
static void told(PlanBuf *out, Apart why, int of) {
    if (out->apart != APART_NONE && out->apart != APART_IN_NOTHING) return;
    out->apart = (uint8_t)why;
    out->apart_of = why == APART_IN_NOTHING ? -1 : of;
}

/* Each output of a one-stage loop takes the slot of the first dying input that it can replace element by element. */
static void wish(Plan *p, int step) {
    Step *s = &p->step[step];
    const Kernel *k = p->kernel[s->kernel];
    Apart never = k->st.n != 1 ? APART_IN_STAGES : k->st.at[0].cls != STAGE_LOOP ? APART_IN_CALL : APART_NONE;
    for (int o = 0; o < s->nbuf; o++) {
        PlanBuf *out = &p->buf[s->buf[o]];
        if (out->kind != BUF_TEMP || out->late || out->first != step || out->last == step) continue;
        out->apart = APART_NONE;
        told(out, never == APART_NONE ? APART_IN_NOTHING : never, -1);
        for (int i = 0; i < s->nbuf && never == APART_NONE && out->inplace_of < 0; i++) {
            Apart why = i == o ? APART_IN_NOTHING : fits(p, k, s, step, i, o);
            for (int q = 0; q < o && why == APART_NONE; q++)
                if (p->buf[s->buf[q]].inplace_of == s->buf[i] && p->buf[s->buf[q]].first == step) why = APART_IN_TAKEN;
            if (why == APART_NONE) out->inplace_of = s->buf[i];
            else told(out, why, s->buf[i]);
        }
    }
}

void plan_wishes(Plan *p) {
    for (int s = 0; s < p->nstep; s++)
        if (p->step[s].kind == STEP_KERNEL) wish(p, s);
}

/* Buffers by the step where they begin and end (counting lists), then one sweep over the steps. */
static void sweep(Plan *p, int *list) {
    int *begin = list, *end = begin + p->nstep + 1, *next_begin = end + p->nstep + 1, *next_end = next_begin + p->nbuf;
    for (int s = 0; s <= p->nstep; s++) begin[s] = end[s] = -1;
    for (int b = p->nbuf - 1; b >= 0; b--) {
        const PlanBuf *f = &p->buf[b];
        if (f->kind != BUF_TEMP || f->late || f->first < 0) continue;
        next_begin[b] = begin[f->first], begin[f->first] = b;
        next_end[b] = end[f->last], end[f->last] = b;
    }
    p->nlayout = 0;
    int until = 0, waits = 0; /* the end of the chain; the first step whose dead still have their memory */
    for (int s = 0; s < p->nstep; s++) {
        if (p->step[s].chain) until = s + p->step[s].chain - 1;
        for (int b = begin[s]; b >= 0; b = next_begin[b]) p->layout_order[p->nlayout++] = b + 1;
        for (; s >= until && waits <= s; waits++)
            for (int b = end[waits]; b >= 0; b = next_end[b]) p->layout_order[p->nlayout++] = -(b + 1);
    }
}

bool plan_events(Plan *p) {
    size_t bytes = (size_t)(2 * (p->nstep + p->nbuf) + 2) * sizeof(int);
    p->layout_order = arena_alloc(p->arena, (size_t)(2 * p->nbuf + 1) * sizeof(int));
    int *list = ctx_alloc(p->ctx, bytes);
    bool ok = p->layout_order && list;
    if (ok) sweep(p, list);
    ctx_free(p->ctx, list, bytes);
    return ok;
}
