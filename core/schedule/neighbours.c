/*
 * neighbours.c -- a thread of a GPU takes some neighbours along the last loop: what lies side by side in memory moves
 * 16 bytes at a time. Points do not touch each other, so all of a thread's may be loaded before any is stored; nor do
 * what a block's threads do inside one point, between two of their meetings.
 */
#include "nest.h"

/* What else happens to the memory of instruction id in its stage: a load before it is stored to, a store that nothing
 * follows. */
static bool alone(const Kernel *k, int id) {
    const Ins *own = &k->ins.at[id];
    const Stage *st = &k->st.at[own->stage];
    for (int j = st->ins0; j < st->ins0 + st->nins; j++) {
        const Ins *i = &k->ins.at[j];
        if (j == id || (i->op != INS_LOAD && i->op != INS_STORE) || k->acc.at[i->a].buf != k->acc.at[own->a].buf)
            continue;
        if (own->op == INS_LOAD ? i->op == INS_STORE && j < id : i->op == INS_STORE || j > id) return false;
    }
    return true;
}

bool neighbours_early(const Nest *t, int id) {
    const Ins *i = &t->k->ins.at[id];
    const Access *a = &t->k->acc.at[i->a];
    return i->op == INS_LOAD && i->depth == t->o->stage[i->stage].nloop && a->guard < 0 && a->idx < 0 &&
           !(a->flags & ACC_ADD) && alone(t->k, id);
}

bool neighbours_together(const Nest *t, int id) {
    const Kernel *k = t->k;
    const Ins *i = &k->ins.at[id];
    const LoopStage *s = &t->o->stage[i->stage];
    if (i->op != INS_LOAD && i->op != INS_STORE) return false;
    const Access *a = &k->acc.at[i->a];
    if (!s->nloop || i->depth != s->nloop || a->guard >= 0 || (a->flags & ACC_ADD) ||
        !size_is(a->st[s->loop[s->nloop - 1]], 1))
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

/* All that touches memory, or may leave, stands before the lanes or behind them: only steps of reductions need a look
 * at how many there are. */
static bool pure(const Nest *t, int stage) {
    const Kernel *k = t->k;
    for (int id = 0; id < k->ins.n; id++) {
        const Ins *i = &k->ins.at[id];
        if (i->stage != stage || i->depth != t->o->stage[stage].nloop) continue;
        if ((i->op == INS_LOAD || i->op == INS_STORE) && !(t->way->value[id] & VALUE_TOGETHER)) return false;
        if (grid_can_leave(k, i)) return false;
    }
    return true;
}

static NestNode **moves(Nest *t, NestNode **at, int stage, NestMove how) {
    for (int id = 0; id < t->k->ins.n; id++)
        if (t->k->ins.at[id].stage == stage && (t->way->value[id] & VALUE_TOGETHER) &&
            (t->k->ins.at[id].op == INS_LOAD) == (how == MOVE_LOAD))
            at = nest_move(t, at, t->way, stage, how, id);
    return at;
}

/* `points`, a loop over points whose last one is the stage's, takes so many of them at a time: what stands
 * at *at, to the end, is done for each of these. */
static void together(Nest *t, NestNode *points, NestNode **at, int stage, int lanes) {
    const LoopStage *s = &t->way->stage[stage];
    NestNode *body = *at, *loop;
    for (int id = 0; id < t->k->ins.n; id++)
        if (t->k->ins.at[id].stage == stage && neighbours_together(t, id)) t->way->value[id] |= VALUE_TOGETHER;
    *at = NULL;
    at = moves(t, at, stage, MOVE_LOAD);
    at = nest_put(t, at, t->way, NEST_FOR, stage, &loop);
    loop->how = FOR_LANES;
    loop->loop = s->nloop - 1;
    loop->dim = s->loop[loop->loop];
    loop->lanes = points->lanes = lanes;
    loop->vectors = 1;
    loop->tail = pure(t, stage) ? TAIL_MASKED : TAIL_ONCE;
    loop->child = body;
    moves(t, at, stage, MOVE_STORE);
}

bool neighbours_apply(Nest *t, int lanes) {
    NestNode *grid = t->root, *stage;
    while (grid->kind != NEST_FOR) grid = grid->next;
    for (stage = grid->child; stage->kind != NEST_STAGE;) stage = stage->next;
    together(t, grid, &stage->child, 0, lanes);
    return !t->failed;
}

/* ---- inside the points of blocks ---- */
static NestNode *over_threads(const Nest *t, int stage) {
    NestNode *n = t->root;
    while (n && n->kind != NEST_FOR) n = n->next;
    for (n = n ? n->child : NULL; n && (n->kind != NEST_STAGE || n->stage != stage);) n = n->next;
    for (n = n ? n->child : NULL; n && n->kind != NEST_FOR;) n = n->next;
    return n;
}

/* Its threads go along the stage's last loop, none of them leaves, and something lies side by side there. */
bool neighbours_may_inside(const Nest *t, int stage) {
    const LoopStage *s = &t->o->stage[stage];
    const NestNode *n = t->grid == GRID_BLOCK && !t->across ? over_threads(t, stage) : NULL;
    bool any = false;
    if (!n || n->how != FOR_THREAD || n->lanes > 1 || n->loop + n->n != s->nloop) return false;
    for (int id = 0; id < t->k->ins.n; id++) {
        if (t->k->ins.at[id].stage != stage) continue;
        if (t->k->ins.at[id].depth > t->depth && grid_can_leave(t->k, &t->k->ins.at[id])) return false;
        any |= neighbours_together(t, id);
    }
    return any;
}

/* Of code that stands before the last loop it stays so. */
bool neighbours_apply_inside(Nest *t, int stage, int lanes) {
    NestNode *points = over_threads(t, stage), **at = &points->child;
    while (*at && (*at)->kind == NEST_CODE && t->k->ins.at[(*at)->ids[0]].depth < t->o->stage[stage].nloop)
        at = &(*at)->next;
    together(t, points, at, stage, lanes);
    return !t->failed;
}

int neighbours_inside(const Nest *t, int stage) {
    const NestNode *n = t->grid == GRID_BLOCK ? over_threads(t, stage) : NULL;
    return n && n->how == FOR_THREAD ? n->lanes : 1;
}
