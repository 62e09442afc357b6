/*
 * conv.c -- a convolution stage: its numbers are the kernel's sizes, and its epilogue runs on each part of the result
 * while that is in a near cache, from several threads at once: each has registers of its own.
 */
#include "kernel/conv_work.h"
#include "unit.h"

#include <stdatomic.h>

typedef struct Tiles {
    const IRun *r;
    const LoopStage *s;
    atomic_uint taken; /* by room for registers: a bit */
} Tiles;

/* Rooms for registers that a kernel needs: of its own, and of the parts of a convolution that run at the same time. */
int interp_rooms(const Kernel *k) {
    for (int s = 0; s < k->st.n; s++)
        if (k->st.at[s].cls == STAGE_CONV && kernel_tiles(k, s)) return 1 + HOST_SHARES + 1;
    return 1;
}

/* There are as many rooms as parts, so one is free. */
static int take(Tiles *t) {
    for (;;)
        for (int i = 0; i <= HOST_SHARES; i++)
            if (!(atomic_fetch_or(&t->taken, 1u << i) & 1u << i)) return i;
}

static void tile(void *user, int64_t i0, int64_t i1, int64_t o0, int64_t o1) {
    Tiles *t = user;
    IRun r = *t->r;
    int n = t->s->st->d0, o = n + 1, room = take(t);
    r.regs += (size_t)(1 + room) * interp_gemm_offset(r.ik);
    interp_registers(&r);
    for (int a = 0; a < r.ik->k->acc.n; a++) r.base[a] += i0 * r.st[a][n] + o0 * r.st[a][o];
    r.n[n] = i1 - i0, r.n[o] = o1 - o0;
    interp_loops(&r, t->s);
    atomic_fetch_and(&t->taken, ~(1u << room));
}

int interp_conv(IRun *r, const LoopStage *s) {
    const Kernel *k = r->ik->k;
    const Stage *st = s->st;
    Tiles t = {.r = r, .s = s};
    int64_t numbers[CONV_NUMBERS];
    bool tiles = kernel_tiles(k, (int)(st - k->st.at));
    for (int i = 0; i < st->nnum; i++) numbers[i] = isize(r, k->size.at[st->num0 + i]);
    atomic_init(&t.taken, 0);
    if (r->f->rt->conv(r->f, (int)(r->step - r->f->plan->step), k->acc.at[st->C].dtype, numbers, r->base[st->A],
                       r->base[st->B], r->base[st->C], tiles ? tile : NULL, &t))
        return 1;
    return st->nins && !tiles ? interp_loops(r, s) : 0;
}
