/*
 * scatter.c -- stores that may meet at one place, from loops that run in order (DIM_SEQ) and parallel ones, over a GPU:
 * the positions of the ordered loops are sorted by place, and what goes to one place is done by one thread for each
 * parallel point, in the loops' order: the CPU's bits. Where the place is no value of the ordered loops alone (windows
 * that overlap), all points are sorted by their address. Always holds: what tells the place is known before any store,
 * and what is not sorted stores at different places.
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

static void needs(const Kernel *k, int value, uint8_t *need) {
    if (value >= 0) need[value] = 1;
    for (int i = value; i >= 0; i--) {
        int v[6], n = need[i] ? ins_reads(k, &k->ins.at[i], v) : 0;
        for (int j = 0; j < n; j++) need[v[j]] = 1;
    }
}

void scatter_needs(const Kernel *k, const Scatter *f, uint8_t *need) {
    memset(need, 0, (size_t)k->ins.n);
    needs(k, f->place, need);
    needs(k, f->guard, need);
}

/* The place is the same for all parallel points. */
static bool one_place(const Kernel *k, const Stage *s, int place) {
    uint8_t need[KINS] = {0};
    needs(k, place, need);
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

/* Its value tells where all stores of a point of the ordered loops go. */
static int by_index(const Kernel *k, const Stage *s) {
    int place = place_of(k, s);
    return place >= 0 && one_place(k, s, place) ? place : -1;
}

/* The only store; NULL: there are others. */
static const Ins *only_store(const Kernel *k, const Stage *s) {
    const Ins *store = NULL;
    for (int i = s->ins0; i < s->ins0 + s->nins; i++) {
        if (k->ins.at[i].op != INS_STORE) continue;
        if (store) return NULL;
        store = &k->ins.at[i];
    }
    return store;
}

Scatter scatter_form(const Kernel *k) {
    const Scatter none = {.how = SCATTER_NOT, .place = -1};
    const Stage *s = last_stage(k);
    if (k->nouter || k->st.n > 2 || s->cls != STAGE_LOOP || s->nred || k->red.n || !in_order(k, s)) return none;
    if ((k->st.n == 2 && !looks(k, &k->st.at[0])) || k->ins.n > KINS || reads_own(k)) return none;
    int place = by_index(k, s);
    if (place >= 0) return (Scatter){SCATTER_BY_INDEX, place, -1, -1};
    const Ins *store = only_store(k, s);
    if (!store || k->st.n > 1) return none;
    const Access *a = &k->acc.at[store->a];
    return (Scatter){SCATTER_BY_ADDRESS, a->idx, a->guard, store->a};
}

bool scatter_sorts(const Kernel *k, const Scatter *f, int dim) {
    return f->how == SCATTER_BY_ADDRESS || k->dim[dim].kind == DIM_SEQ;
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
