/*
 * scatter.c -- stores at places that are values, from loops that run in order (DIM_SEQ) and parallel ones, over a GPU:
 * the positions of the ordered loops are sorted by place, and what goes to one place is done by one thread for each
 * parallel point, in the loops' order: the CPU's bits. Always holds: what tells the place is known before any store,
 * and different parallel points store at different places.
 */
#include "nest.h"

#include <string.h>

static const Stage *last_stage(const Kernel *k) { return &k->st.at[k->st.n - 1]; }

static bool in_order(const Kernel *k, const Stage *s) {
    for (int d = s->d0; d < s->d0 + s->nd; d++)
        if (k->dim[d].kind == DIM_SEQ) return true;
    return false;
}

/* One that only looks: its points are independent, and it stores nothing. */
static bool looks(const Kernel *k, const Stage *s) {
    if (s->cls != STAGE_LOOP || s->nred) return false;
    for (int d = s->d0; d < s->d0 + s->nd; d++)
        if (k->dim[d].kind != DIM_PAR) return false;
    for (int i = s->ins0; i < s->ins0 + s->nins; i++)
        if (k->ins.at[i].op == INS_STORE) return false;
    return true;
}

/* The place of all stores, or -1. */
static int place_of(const Kernel *k, const Stage *s) {
    int at = -1;
    for (int i = s->ins0; i < s->ins0 + s->nins; i++) {
        if (k->ins.at[i].op != INS_STORE) continue;
        int idx = k->acc.at[k->ins.at[i].a].idx;
        if (idx < 0 || (at >= 0 && idx != at)) return -1;
        at = idx;
    }
    return at;
}

static bool stored(const Kernel *k, int buf) {
    for (int i = 0; i < k->ins.n; i++)
        if (k->ins.at[i].op == INS_STORE && k->acc.at[k->ins.at[i].a].buf == buf) return true;
    return false;
}

/* What is stored may be read nowhere: another thread may be at work there. */
static bool reads_own(const Kernel *k) {
    for (int i = 0; i < k->ins.n; i++)
        if (k->ins.at[i].op == INS_LOAD && stored(k, k->acc.at[k->ins.at[i].a].buf)) return true;
    return false;
}

void scatter_needs(const Kernel *k, int place, uint8_t *need) {
    memset(need, 0, (size_t)k->ins.n);
    need[place] = 1;
    for (int i = place; i >= 0; i--) {
        int v[6], n = need[i] ? ins_reads(k, &k->ins.at[i], v) : 0;
        for (int j = 0; j < n; j++) need[v[j]] = 1;
    }
}

/* The place is the same for all parallel points. */
static bool one_place(const Kernel *k, const Stage *s, int place) {
    uint8_t need[KINS];
    if (k->ins.n > KINS) return false;
    scatter_needs(k, place, need);
    for (int i = 0; i < k->ins.n; i++) {
        const Ins *n = &k->ins.at[i];
        if (!need[i]) continue;
        if (i < s->ins0 || n->op == INS_RED || n->op == INS_EP) return false;
        for (int d = s->d0; d < s->d0 + s->nd; d++) {
            if (k->dim[d].kind == DIM_SEQ) continue;
            if (n->op == INS_LOAD && !size_is(k->acc.at[n->a].st[d], 0)) return false;
            if (n->op == INS_INDEX && n->a == d) return false;
        }
    }
    return true;
}

int scatter_place(const Kernel *k) {
    const Stage *s = last_stage(k);
    if (k->nouter || k->st.n > 2 || s->cls != STAGE_LOOP || s->nred || k->red.n || !in_order(k, s)) return -1;
    if (k->st.n == 2 && !looks(k, &k->st.at[0])) return -1;
    int place = place_of(k, s);
    return place >= 0 && !reads_own(k) && one_place(k, s, place) ? place : -1;
}

bool scatter_apply(Nest *t) {
    NestNode **at = &t->root, *stage, *grid;
    for (int i = 0; i < t->k->st.n; i++) {
        const LoopStage *s = &t->o->stage[i];
        at = nest_put(t, at, t->way, NEST_STAGE, i, &stage);
        nest_put(t, &stage->child, t->way, NEST_FOR, i, &grid);
        grid->how = FOR_GRID;
        grid->n = s->nloop;
        grid->lanes = grid->vectors = 1;
        NestNode **in = &grid->child;
        for (int d = 0; d <= s->nloop; d++) in = nest_code(t, in, t->way, i, t->o->code + s->pre[d], s->npre[d]);
        for (int d = s->nloop; d >= 0; d--) in = nest_code(t, in, t->way, i, t->o->code + s->post[d], s->npost[d]);
    }
    return !t->failed;
}
