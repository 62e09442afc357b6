/*
 * turn.c -- points of a GPU's grid by tiles of two loops, for loads that lie along an outer one: a block reads their
 * tile in the order in which it lies, 32 neighbours at a time, into shared memory, and takes it from there the other
 * way round. Nothing else changes: each point computes what it did. In: points of all loops, a thread each. Out: the
 * same by tiles.
 */
#include "choose.h"
#include "nest.h"

/* Nothing in the kernel stores to the memory of access a. */
static bool only_read(const Kernel *k, const Access *a) {
    for (int i = 0; i < k->ins.n; i++)
        if (k->ins.at[i].op == INS_STORE && k->acc.at[k->ins.at[i].a].buf == a->buf) return false;
    return true;
}

bool turn_load(const Nest *t, int id, int loop) {
    const Kernel *k = t->k;
    const LoopStage *s = &t->o->stage[0];
    const Ins *i = &k->ins.at[id];
    if (i->op != INS_LOAD || i->depth != s->nloop) return false;
    const Access *a = &k->acc.at[i->a];
    const Size far = a->st[s->loop[s->nloop - 1]];
    if (a->idx >= 0 || a->guard >= 0 || (a->flags & (ACC_ADD | ACC_WRITE | ACC_ROWTEMP))) return false;
    return size_is(a->st[s->loop[loop]], 1) && !size_is(far, 0) && !size_is(far, 1) && only_read(k, a);
}

static int bytes_along(const Nest *t, int loop) {
    int bytes = 0;
    for (int id = 0; id < t->k->ins.n; id++)
        if (turn_load(t, id, loop))
            bytes +=
                (CHOOSE_TURN + 1) * CHOOSE_TURN * (int)th_dtype_bytes((ThDtype)t->k->acc.at[t->k->ins.at[id].a].dtype);
    return bytes;
}

int turn_bytes(const Nest *t) { return bytes_along(t, t->turned); }

/* No thread leaves while others wait for it. */
int turn_loop(const Nest *t) {
    const Kernel *k = t->k;
    const LoopStage *s = &t->o->stage[0];
    int most = 0, best = -1;
    if (t->grid != GRID_THREAD || k->st.n != 1 || s->st->nred || t->depth != s->nloop || k->can_fail) return -1;
    for (int l = 0; l < s->nloop - 1; l++) {
        int bytes = bytes_along(t, l);
        if (bytes > most && bytes <= CHOOSE_TURN_SHARED) most = bytes, best = l;
    }
    return best;
}

bool turn_apply(Nest *t, int loop) {
    NestNode *grid = t->root, *tile;
    t->tiled = true;
    t->turned = loop;
    while (grid->kind != NEST_FOR) grid = grid->next;
    NestNode *body = grid->child, **at = &grid->child;
    *at = NULL;
    for (int id = 0; id < t->k->ins.n; id++) {
        if (!turn_load(t, id, loop)) continue;
        t->way->value[id] |= VALUE_TURNED;
        at = nest_move(t, at, t->way, 0, MOVE_TURN, id);
    }
    at = nest_put(t, at, t->way, NEST_SYNC, 0, NULL);
    at = nest_put(t, at, t->way, NEST_FOR, 0, &tile);
    tile->how = FOR_TILE;
    tile->loop = loop;
    tile->dim = t->way->stage[0].loop[loop];
    tile->lanes = tile->vectors = 1;
    tile->child = body;
    nest_put(t, at, t->way, NEST_SYNC, 0, NULL); /* the next tile comes to the same place */
    return !t->failed;
}
