/*
 * calls.c -- stages that are a convolution, a pooling, or both, or a draw: their numbers are the kernel's sizes, and
 * what follows runs on each part of the result while that is in a near cache, from several threads at once: each has
 * registers of its own.
 */
#include "kernel/conv_work.h"
#include "unit.h"

#include <stdatomic.h>

typedef struct Tiles {
    const IRun *r;
    const LoopStage *s;
    char *at;           /* where the result's buffer lies, if that has no memory of its own */
    atomic_uint *taken; /* by room for registers: a bit */
} Tiles;

size_t interp_room(const IKernel *k) {
    const IKernel *twin = k->flat ? k->flat : k->side; /* with a call, or without one */
    size_t own = interp_gemm_offset(k), other = twin ? interp_gemm_offset(twin) : 0;
    return own > other ? own : other;
}

/* Rooms for registers that a kernel needs: of its own, and of the parts of a call that run at the same time. */
int interp_rooms(const Kernel *k) {
    for (int s = 0; s < k->st.n; s++)
        if (k->st.at[s].cls != STAGE_GEMM && kernel_tiles(k, s)) return 1 + HOST_SHARES + 1;
    return 1;
}

/* There are as many rooms as parts, so one is free. */
static int take(Tiles *t) {
    for (;;)
        for (int i = 0; i <= HOST_SHARES; i++)
            if (!(atomic_fetch_or(t->taken, 1u << i) & 1u << i)) return i;
}

static void tile(void *user, int64_t i0, int64_t i1, int64_t j0, int64_t j1) {
    Tiles *t = user;
    IRun r = *t->r;
    const Kernel *k = r.ik->k;
    int i = t->s->st->d0, j = i + 1, room = take(t), fed = t->s->st->feeds ? k->acc.at[t->s->st->C].buf : -1;
    r.regs += (size_t)(1 + room) * interp_room(r.ik);
    interp_registers(&r);
    for (int a = 0; a < k->acc.n; a++) {
        if (k->acc.at[a].buf == fed) r.base[a] = t->at; /* its offset is 0 */
        r.base[a] += i0 * r.st[a][i] + j0 * r.st[a][j];
    }
    r.n[i] = i1 - i0, r.n[j] = j1 - j0;
    if (interp_flat_pays(&r, t->s)) interp_flat(&r, (int)(t->s - r.ik->order.stage));
    else interp_loops(&r, t->s);
    atomic_fetch_and(t->taken, ~(1u << room));
}

/* The record of stage s; `numbers` has room for those of any. */
static CallWork record(IRun *r, const LoopStage *s, int64_t *numbers, Tiles *t) {
    const Kernel *k = r->ik->k;
    const Stage *st = s->st;
    CallWork w = {.dtype = k->acc.at[st->C].dtype, .numbers = numbers, .a = r->base[st->A], .c = r->base[st->C]};
    t->r = r, t->s = s;
    if (st->B >= 0) w.b = r->base[st->B];
    if (st->cls != STAGE_DRAW && kernel_tiles(k, (int)(st - k->st.at))) w.done = tile, w.user = t;
    for (int i = 0; i < st->nnum; i++) numbers[i] = isize(r, k->size.at[st->num0 + i]);
    return w;
}

/* Numbers [from, to) of a draw, which lie at c. */
static void numbers_drawn(void *user, void *c, int64_t from, int64_t to) {
    Tiles *t = user;
    IRun r = *t->r;
    const Stage *st = t->s->st;
    int room = take(t);
    r.regs += (size_t)(1 + room) * interp_room(r.ik);
    interp_registers(&r);
    for (int a = 0; a < r.ik->k->acc.n; a++) r.base[a] += from * r.st[a][st->d0];
    r.base[st->C] = c;
    r.n[st->d0] = to - from;
    interp_loops(&r, t->s);
    atomic_fetch_and(t->taken, ~(1u << room));
}

/* A device's kernel that takes numbers in pairs, where the device refused: all of them lie in memory of their own. */
static int draw_pairs(IRun *r, const LoopStage *s) {
    const Kernel *k = r->ik->k;
    const Access *c = &k->acc.at[s->st->C];
    int64_t numbers[DRAW_NUMBERS], item = (int64_t)th_dtype_bytes((ThDtype)c->dtype);
    int step = (int)(r->step - r->f->plan->step);
    Tiles t;
    CallWork w = record(r, s, numbers, &t);
    size_t bytes = (size_t)(numbers[DRAW_AT_EACH] * item) + 64; /* a buffer of so many has been planned */
    char *room = ctx_alloc_aligned(r->f->plan->ctx, bytes, 64);
    if (!room) return r->f->rt->fail(r->f, step, TH_MemoryError, 0, 0, 0, 0, 0);
    w.c = room;
    for (int a = 0; a < k->acc.n; a++)
        if (k->acc.at[a].buf == c->buf) r->base[a] = room + isize(r, k->acc.at[a].off) * item;
    int bad = r->f->rt->draw(r->f, step, &w, NULL, NULL) || interp_loops(r, s);
    ctx_free(r->f->plan->ctx, room, bytes);
    return bad;
}

int interp_draw(IRun *r, const LoopStage *s) {
    const Kernel *k = r->ik->k;
    if (s->st->paired) return draw_pairs(r, s);
    int64_t numbers[DRAW_NUMBERS];
    atomic_uint taken;
    Tiles t = {.taken = &taken};
    bool tiles = kernel_tiles(k, (int)(s->st - k->st.at));
    atomic_init(&taken, 0);
    CallWork w = record(r, s, numbers, &t);
    if (s->st->passing) w.c = NULL;
    if (r->f->rt->draw(r->f, (int)(r->step - r->f->plan->step), &w, tiles ? numbers_drawn : NULL, &t)) return 1;
    return s->st->nins && !tiles ? interp_loops(r, s) : 0;
}

int interp_call(IRun *r, const LoopStage *s) {
    const Kernel *k = r->ik->k;
    int64_t numbers[2][CONV_NUMBERS];
    int step = (int)(r->step - r->f->plan->step), stage = (int)(s->st - k->st.at);
    atomic_uint taken;
    Tiles t[2] = {{.taken = &taken}, {.taken = &taken}};
    bool tiles = kernel_tiles(k, stage);
    atomic_init(&taken, 0);
    if (!kernel_fed(k, stage)) { /* else it ran inside the call before */
        CallWork w = record(r, s, numbers[0], &t[0]), pool;
        if (s->st->feeds) pool = record(r, s + 1, numbers[1], &t[1]);
        if (s->st->cls == STAGE_POOL ? r->f->rt->pool(r->f, step, &w)
                                     : r->f->rt->conv(r->f, step, &w, s->st->feeds ? &pool : NULL, &t[0].at))
            return 1;
    }
    return s->st->nins && !tiles ? interp_loops(r, s) : 0;
}
