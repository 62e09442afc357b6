/*
 * tile.c -- what follows a call of the library runs on each part of its result while that is in a near cache. The part
 * is some columns of many rows: of what else is read and written there each row begins in another line of memory, far
 * from the last one, which no processor foresees. So lines are asked for some rows ahead.
 */
#include "nest.h"

bool tile_may(const Nest *t, int stage) { return kernel_tiles(t->k, stage); }

/* The loop over columns, by vectors, inside one over rows. */
static NestNode *columns_of(const Nest *t, int stage) {
    const LoopStage *s = &t->way->stage[stage];
    NestNode *loop = s->st->cls == STAGE_GEMM && tile_may(t, stage) ? nest_vec(t, stage) : NULL;
    bool inner = loop && loop->lanes > 1 && loop->vectors == 1 && loop->loop >= 1 && loop->loop + 1 == s->nloop;
    return inner && loop->child && loop->child->kind == NEST_CODE ? loop : NULL;
}

/* Elements side by side in rows of their own, elsewhere than the product, for the first time in the loop. */
static bool far_rows(const Nest *t, const NestNode *loop, int at) {
    const LoopStage *s = &t->way->stage[loop->stage];
    const Ins *i = &t->k->ins.at[loop->child->ids[at]];
    int row = s->loop[loop->loop - 1];
    if (i->op != INS_LOAD && i->op != INS_STORE) return false;
    const Access *a = &t->k->acc.at[i->a];
    if (a->idx >= 0 || a->guard >= 0 || a->buf == t->k->acc.at[s->st->C].buf) return false;
    if (size_is(a->st[row], 0) || size_is(a->st[row], 1) || !size_is(a->st[s->st->vec], 1)) return false;
    for (int j = 0; j < at; j++) {
        const Ins *o = &t->k->ins.at[loop->child->ids[j]];
        if ((o->op == INS_LOAD || o->op == INS_STORE) && t->k->acc.at[o->a].buf == a->buf) return false;
    }
    return true;
}

bool tile_fetch_may(const Nest *t, int stage) {
    const NestNode *loop = columns_of(t, stage);
    for (int j = 0; loop && j < loop->child->n; j++)
        if (far_rows(t, loop, j)) return true;
    return false;
}

bool tile_fetch(Nest *t, int stage, int rows) {
    NestNode *loop = columns_of(t, stage), *code = loop ? loop->child : NULL, *first = NULL, **at = &first;
    for (int j = 0; code && j < code->n; j++)
        if (far_rows(t, loop, j)) at = nest_fetch(t, at, code, code->ids[j], rows);
    if (t->failed || !first) return !t->failed;
    *at = code;
    loop->child = first;
    return true;
}
