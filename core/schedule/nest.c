/*
 * nest.c -- building and walking the tree.
 */
#include "nest.h"

static NestNode *fresh(Nest *t) {
    NestNode *n = arena_alloc0(t->arena, sizeof *n);
    if (n) return n;
    t->failed = true;
    t->spare = (NestNode){0};
    return &t->spare;
}

NestWay *nest_way(Nest *t, WayKind kind) {
    size_t nst = (size_t)t->k->st.n + 1;
    NestWay *w = arena_alloc0(t->arena, sizeof *w);
    if (w) {
        w->kind = kind;
        w->stage = arena_alloc0(t->arena, nst * sizeof *w->stage);
        w->lanes = arena_alloc0(t->arena, nst * sizeof *w->lanes);
        w->value = arena_alloc0(t->arena, (size_t)t->k->ins.n + 1);
    }
    if (!w || !w->stage || !w->lanes || !w->value) return t->failed = true, NULL;
    for (int s = 0; s < t->k->st.n; s++) {
        w->stage[s] = t->o->stage[s];
        w->lanes[s] = 1;
    }
    return w;
}

NestNode **nest_put(Nest *t, NestNode **at, const NestWay *w, NestKind kind, int stage, NestNode **out) {
    NestNode *n = fresh(t);
    n->kind = (uint8_t)kind;
    n->way = w;
    n->stage = stage;
    *at = n;
    if (out) *out = n;
    return &n->next;
}

NestNode **nest_code(Nest *t, NestNode **at, const NestWay *w, int stage, const int *ids, int n) {
    NestNode *c;
    if (!n) return at;
    at = nest_put(t, at, w, NEST_CODE, stage, &c);
    c->ids = ids;
    c->n = n;
    return at;
}

NestNode **nest_acc(Nest *t, NestNode **at, const NestWay *w, int stage, NestAcc how, int first, int n) {
    NestNode *c;
    if (!n) return at;
    at = nest_put(t, at, w, NEST_ACC, stage, &c);
    c->how = (uint8_t)how;
    c->first = first;
    c->n = n;
    return at;
}

NestNode **nest_move(Nest *t, NestNode **at, const NestWay *w, int stage, NestMove how, int first) {
    NestNode *c;
    at = nest_put(t, at, w, NEST_MOVE, stage, &c);
    c->how = (uint8_t)how;
    c->first = first;
    return at;
}

NestNode **nest_fetch(Nest *t, NestNode **at, const NestNode *before, int id, int rows) {
    NestNode **next = nest_move(t, at, before->way, before->stage, MOVE_NEXT, id);
    (*at)->n = rows;
    return next;
}

/* Loops nest as deep as a kernel has dims. */
void nest_each(NestNode *n, void (*fn)(NestNode *n, void *user), void *user) {
    for (; n; n = n->next) {
        fn(n, user);
        nest_each(n->child, fn, user);
    }
}

typedef struct Find {
    const Nest *t;
    int stage;
    NestNode *found;
} Find;

static void find(NestNode *n, void *user) {
    Find *f = user;
    if (n->kind == NEST_FOR && n->stage == f->stage && n->way == f->t->way && n->loop == f->t->way->stage[f->stage].vec)
        f->found = n;
}

NestNode *nest_vec(const Nest *t, int stage) {
    Find f = {t, stage, NULL};
    if (t->way->stage[stage].vec >= 0) nest_each(t->root, find, &f);
    return f.found;
}

bool nest_halves(const Nest *t, const NestWay *w, int stage, int red) {
    return w->lanes[stage] > 2 && (w->value[t->k->red.at[red].v] & VALUE_HALVES);
}

int nest_acc_lanes(const Nest *t, const NestWay *w, int stage, int red) {
    return nest_halves(t, w, stage, red) ? w->lanes[stage] / 2 : w->lanes[stage];
}
