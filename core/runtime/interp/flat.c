/*
 * flat.c -- what follows a call of the library, on a part of its result, with rows as one run: blocks of elements go on
 * from one row into the next, so that short rows fill them too. In: a kernel's twin, in which what stood around the
 * rows' loop stands inside: a value for a row is loaded for each of its elements. Always holds: the bits are those of
 * the rows one by one, since every value is computed by itself.
 */
#include "interp.h"

#include <string.h>

enum { DEPTH = 3, OVER = 1, ALONG = 2, SHORT = 64 }; /* image, row, element; rows for which anything may run again */

static bool may(const IKernel *k, int stage) {
    const LoopStage *s = &k->order.stage[stage];
    if (s->st->cls == STAGE_LOOP || s->nloop != DEPTH || s->vec != ALONG || !kernel_tiles(k->k, stage)) return false;
    for (int i = s->st->ins0; i < s->st->ins0 + s->st->nins; i++) {
        const Ins *x = &k->k->ins.at[i];
        if (x->op == INS_STORE && x->depth != DEPTH) return false;
        const Access *a = x->op == INS_LOAD || x->op == INS_STORE ? &k->k->acc.at[x->a] : NULL;
        if (a && (a->idx >= 0 || a->guard >= 0)) return false;
    }
    return true;
}

bool interp_flat_prepare(ThContext *c, const SimdTable *simd, Arena *a, IKernel *out) {
    const Kernel *k = out->k;
    bool any = false;
    for (int s = 0; s < k->st.n; s++) any |= may(out, s);
    if (!any) return true;
    Kernel *twin = arena_alloc(a, sizeof *twin);
    out->flat = arena_alloc(a, sizeof *out->flat);
    if (!twin || !out->flat) return false;
    *twin = *k;
    if (!(twin->ins.at = arena_alloc(a, sizeof(Ins) * (size_t)(k->ins.n + 1)))) return false;
    memcpy(twin->ins.at, k->ins.at, sizeof(Ins) * (size_t)k->ins.n);
    for (int i = 0; i < k->ins.n; i++)
        if (may(out, k->ins.at[i].stage) && k->ins.at[i].depth > OVER) twin->ins.at[i].depth = DEPTH;
    *out->flat = (IKernel){.k = twin};
    return interp_prepare(c, simd, twin, false, a, out->flat);
}

/* Rows are short, or have no values of their own but loaded ones. */
bool interp_flat_pays(const IRun *r, const LoopStage *s) {
    if (!r->ik->flat || !may(r->ik, (int)(s - r->ik->order.stage))) return false;
    if (r->n[s->loop[ALONG]] < SHORT) return true;
    for (int i = 0; i < s->npre[ALONG]; i++)
        if (r->ik->ins[r->ik->order.code[s->pre[ALONG] + i]].ins->op != INS_LOAD) return false;
    return true;
}

int interp_flat(IRun *r, int stage) {
    r->ik = r->ik->flat;
    const LoopStage *s = &r->ik->order.stage[stage];
    const int *code = r->ik->order.code;
    int64_t n = r->n[s->loop[0]], each = r->n[s->loop[ALONG]], all = r->n[s->loop[OVER]] * each;
    interp_registers(r);
    r->row = each;
    interp_exec(r, s, code + s->pre[0], s->npre[0]); /* tiles fail nowhere */
    for (int64_t i = 0; i < n; i++) {
        r->idx[s->loop[0]] = i;
        interp_exec(r, s, code + s->pre[1], s->npre[1]);
        r->over = r->along = 0;
        for (r->pos = 0; r->pos < all; r->pos += SIMD_BLOCK) {
            r->len = all - r->pos < SIMD_BLOCK ? all - r->pos : SIMD_BLOCK;
            r->same = r->along >= SIMD_BLOCK && r->along + r->len <= each;
            interp_exec(r, s, code + s->pre[DEPTH], s->npre[DEPTH]);
            r->along += SIMD_BLOCK;
            if (r->along >= each) r->over += r->along / each, r->along %= each;
        }
    }
    return 0;
}

/* ---- rows of an access that are no run ---- */
typedef struct Part { /* of the block, in one row */
    char *at;
    int64_t step, n, done; /* bytes between elements; elements; before this part */
    int64_t row;
} Part;

static bool next(const IRun *r, const LoopStage *s, int acc, Part *p) {
    const int64_t *st = r->st[acc];
    int64_t along = p->n ? 0 : r->along;
    p->row = p->n ? p->row + 1 : r->over;
    p->done += p->n;
    if (p->done == r->len) return false;
    p->step = st[s->loop[ALONG]];
    p->n = r->row - along < r->len - p->done ? r->row - along : r->len - p->done;
    p->at = r->base[acc] + r->idx[s->loop[0]] * st[s->loop[0]] + p->row * st[s->loop[OVER]] + along * p->step;
    return true;
}

#define MOVE(T, to, from) \
    for (int64_t i = 0; i < p.n; i++) memcpy(to, from, sizeof(T))
#define MOVES(to, from) \
    switch (bytes) { \
    case 1: MOVE(uint8_t, to, from); break; \
    case 2: MOVE(uint16_t, to, from); break; \
    case 4: MOVE(uint32_t, to, from); break; \
    case 8: MOVE(uint64_t, to, from); break; \
    default: MOVE(ThComplex128, to, from); \
    }

void interp_flat_load(const IRun *r, const LoopStage *s, int acc, char *d, size_t bytes) {
    if (r->same && !r->st[acc][s->loop[ALONG]]) return; /* it stands there from the block before */
    for (Part p = {0}; next(r, s, acc, &p);) {
        char *to = d + (size_t)p.done * bytes;
        if (p.step == (int64_t)bytes) memcpy(to, p.at, (size_t)p.n * bytes);
        else if (p.step == 0) memcpy(to, p.at, bytes), interp_replicate(to, bytes, 1, p.n);
        else MOVES(to + (size_t)i * bytes, p.at + i * p.step)
    }
}

void interp_flat_store(const IRun *r, const LoopStage *s, int acc, const char *v, size_t bytes) {
    for (Part p = {0}; next(r, s, acc, &p);) {
        const char *from = v + (size_t)p.done * bytes;
        if (p.step == (int64_t)bytes) memcpy(p.at, from, (size_t)p.n * bytes);
        else MOVES(p.at + i * p.step, from + (size_t)i * bytes)
    }
}
