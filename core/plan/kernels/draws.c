/*
 * draws.c -- random numbers that only what follows in their kernel reads have no memory, nor have states that nobody
 * wants. In: tidied kernels. Out: the same; `passing` of their stages, and the roots that need none, are set.
 */
#include "plan/parts.h"

static Root *root_of(Planner *p, const Kernel *k, int acc) { return &p->root.at[k->acc.at[acc].buf]; }

bool draws_own(const Root *r) { return r->kind == BUF_TEMP && !r->kept && r->writers == 1 && !r->written; }

bool draws_forget(Planner *p, Root *r) {
    if (!(r->shape = arena_alloc(p->arena, sizeof *r->shape))) return false;
    r->size = r->shape[0] = size_const(0);
    r->ndim = 1;
    r->gone = true;
    return true;
}

static bool draw(Planner *p, const Group *g, Kernel *k) {
    Stage *s = &k->st.at[0];
    Root *c = root_of(p, k, s->C);
    bool states = s->B >= 0 && (k->acc.at[s->B].flags & ACC_WRITE);
    if (states && draws_own(root_of(p, k, s->B)) && !root_of(p, k, s->B)->needed) {
        if (!draws_forget(p, root_of(p, k, s->B))) return false;
        s->B = -1;
    }
    if (s->paired || !draws_own(c) || (c->needed && !(g->sole && kernel_tiles(k, 0)))) return true;
    s->passing = true;
    return draws_forget(p, c);
}

bool draws_all(Planner *p) {
    for (int i = 0; i < p->made.n; i++) {
        const Made *m = &p->made.at[i];
        if (m->k && m->k->st.n == 1 && m->k->st.at[0].cls == STAGE_DRAW && !draw(p, &p->group.at[m->group], m->k))
            return false;
    }
    return true;
}
