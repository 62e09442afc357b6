/*
 * neighbours.c -- a thread of a GPU takes some neighbours along the last loop: what lies side by side in memory moves
 * 16 bytes at a time. Points do not touch each other, so all of a thread's may be loaded before any is stored.
 */
#include "nest.h"

/* What else happens to the memory of instruction id at the same point: a load before it is stored to, a store that
 * nothing follows. */
static bool alone(const Kernel *k, int id) {
    const Ins *own = &k->ins.at[id];
    for (int j = 0; j < k->ins.n; j++) {
        const Ins *i = &k->ins.at[j];
        if (j == id || (i->op != INS_LOAD && i->op != INS_STORE) || k->acc.at[i->a].buf != k->acc.at[own->a].buf)
            continue;
        if (own->op == INS_LOAD ? i->op == INS_STORE && j < id : i->op == INS_STORE || j > id) return false;
    }
    return true;
}

bool neighbours_together(const Nest *t, int id) {
    enum { ODD = ACC_ADD | ACC_ROWTEMP };
    const Kernel *k = t->k;
    const LoopStage *s = &t->o->stage[0];
    const Ins *i = &k->ins.at[id];
    if (i->op != INS_LOAD && i->op != INS_STORE) return false;
    const Access *a = &k->acc.at[i->a];
    if (i->depth != s->nloop || a->guard >= 0 || (a->flags & ODD) || !size_is(a->st[s->loop[s->nloop - 1]], 1))
        return false;
    return (a->idx < 0 || k->ins.at[a->idx].depth < s->nloop) && alone(k, id);
}

bool neighbours_may(const Nest *t) {
    const LoopStage *s = &t->o->stage[0];
    bool any = false;
    if (t->grid != GRID_THREAD || t->k->st.n != 1 || s->st->nred || !s->nloop || t->depth != s->nloop) return false;
    for (int id = 0; id < t->k->ins.n; id++) any |= neighbours_together(t, id);
    return any;
}

/* All that touches memory, or may leave, stands before the lanes or behind them: these need no look at how many there
 * are. */
static bool pure(const Nest *t) {
    const Kernel *k = t->k;
    for (int id = 0; id < k->ins.n; id++) {
        const Ins *i = &k->ins.at[id];
        if (i->depth != t->depth) continue;
        if ((i->op == INS_LOAD || i->op == INS_STORE) && !(t->way->value[id] & VALUE_TOGETHER)) return false;
        if (grid_can_leave(k, i)) return false;
    }
    return true;
}

static NestNode **moves(Nest *t, NestNode **at, NestMove how) {
    for (int id = 0; id < t->k->ins.n; id++)
        if ((t->way->value[id] & VALUE_TOGETHER) && (t->k->ins.at[id].op == INS_LOAD) == (how == MOVE_LOAD))
            at = nest_move(t, at, t->way, 0, how, id);
    return at;
}

bool neighbours_apply(Nest *t, int lanes) {
    NestNode *grid = t->root, *stage, *loop;
    for (int id = 0; id < t->k->ins.n; id++)
        if (neighbours_together(t, id)) t->way->value[id] |= VALUE_TOGETHER;
    while (grid->kind != NEST_FOR) grid = grid->next;
    for (stage = grid->child; stage->kind != NEST_STAGE;) stage = stage->next;
    NestNode *body = stage->child, **at = moves(t, &stage->child, MOVE_LOAD);
    at = nest_put(t, at, t->way, NEST_FOR, 0, &loop);
    loop->how = FOR_LANES;
    loop->loop = t->depth - 1;
    loop->dim = t->way->stage[0].loop[loop->loop];
    loop->lanes = grid->lanes = lanes;
    loop->vectors = 1;
    loop->tail = pure(t) ? TAIL_MASKED : TAIL_ONCE;
    loop->child = body;
    *at = NULL;
    moves(t, at, MOVE_STORE);
    return !t->failed;
}
