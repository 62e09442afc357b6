/*
 * check.c -- what a tree must be: everything that it names is there, each way runs every instruction of the kernel
 * once, in an order in which values are made before they are read, and reductions begin, step and end.
 */
#include "nest.h"

#include <string.h>

typedef struct Check {
    const Nest *t;
    uint8_t *seen; /* by value id: runs in this way */
    uint8_t *red;  /* by reduction: 1 begun, 2 stepped, 4 ended */
    bool good;
} Check;

static bool value_there(Check *c, int id) {
    const Kernel *k = c->t->k;
    const Ins *i = &k->ins.at[id];
    int v[6], n = ins_reads(k, i, v);
    for (int j = 0; j < n; j++)
        if (!c->seen[v[j]]) return false;
    return i->op != INS_RED || (c->red[i->a] & 4);
}

static bool code(Check *c, const NestNode *n) {
    for (int j = 0; j < n->n; j++) {
        int id = n->ids[j];
        if (id < 0 || id >= c->t->k->ins.n || c->seen[id] || !value_there(c, id)) return false;
        c->seen[id] = 1;
    }
    return true;
}

static bool acc(Check *c, const NestNode *n) {
    static const uint8_t before[] = {0, 1, 3, 7, 3}, after[] = {1, 2, 4, 0, 4};
    for (int r = n->first; r < n->first + n->n; r++) {
        if (r < 0 || r >= c->t->k->red.n || c->red[r] != before[n->how]) return false;
        if (n->how == ACC_STEP && !c->seen[c->t->k->red.at[r].v]) return false;
        c->red[r] |= after[n->how];
    }
    return true;
}

static bool loop(const Nest *t, const NestNode *n) {
    if (n->dim < 0 || (n->dim && n->dim >= t->k->ndim) || n->lanes < 1 || n->turns < 1) return false;
    if (n->how == FOR_GRID || n->how == FOR_THREAD) return n->loop + n->n <= n->way->stage[n->stage].nloop;
    if (n->how == FOR_SERIAL) return n->lanes == 1 && n->turns == 1;
    if (n->how == FOR_VECTOR && n->stage >= 0)
        return n->way->stage[n->stage].st->vec == n->dim && n->way->lanes[n->stage] == n->lanes;
    return true;
}

static void nodes(Check *c, const NestNode *n);

/* A way is the whole kernel; what follows it starts anew. */
static void way(Check *c, const NestNode *n) {
    const Kernel *k = c->t->k;
    Check inner = {.t = c->t,
                   .seen = arena_alloc0(c->t->arena, (size_t)k->ins.n + 1),
                   .red = arena_alloc0(c->t->arena, (size_t)k->red.n + 1),
                   .good = true};
    if (!inner.seen || !inner.red) return;
    memcpy(inner.seen, c->seen, (size_t)k->ins.n);
    nodes(&inner, n);
    for (int i = 0; i < k->ins.n; i++) inner.good &= inner.seen[i];
    for (int r = 0; r < k->red.n; r++) inner.good &= inner.red[r] == 7;
    c->good &= inner.good;
}

static void nodes(Check *c, const NestNode *n) {
    for (; n && c->good; n = n->next) {
        if (n->kind == NEST_WAY) {
            way(c, n->child);
            continue;
        }
        if (n->kind == NEST_CODE) c->good &= code(c, n);
        if (n->kind == NEST_ACC) c->good &= acc(c, n);
        if (n->kind == NEST_FOR) c->good &= loop(c->t, n);
        nodes(c, n->child);
    }
}

/* The checks that pieces leave out stand before them, with what they read, which the pieces compute again. */
bool nest_check(const Nest *t) {
    Check c = {.t = t,
               .seen = arena_alloc0(t->arena, (size_t)t->k->ins.n + 1),
               .red = arena_alloc0(t->arena, (size_t)t->k->red.n + 1),
               .good = true};
    const NestNode *n = t->root;
    if (!c.seen || !c.red) return false;
    if (n && n->kind == NEST_CODE && n->next && n->next->kind == NEST_FOR && n->next->how == FOR_PIECE) {
        c.good = code(&c, n);
        for (int i = 0; i < t->k->ins.n; i++) c.seen[i] = c.seen[i] && t->k->ins.at[i].op == INS_FAIL_IF;
        n = n->next;
    }
    if (n && n->kind == NEST_FOR && n->how == FOR_PIECE) n = n->child;
    nodes(&c, n);
    for (int i = 0; i < t->k->ins.n; i++) c.good &= c.seen[i];
    for (int r = 0; r < t->k->red.n; r++) c.good &= c.red[r] == 7;
    return c.good;
}
