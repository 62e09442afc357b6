/*
 * columns.c -- columns that are reduced, several vectors of them together: memory is read in longer runs. The vectors
 * run inside the loops over rows. Where no cache holds the rows, as many as there is room for: then memory is read in
 * its order, and the accumulators are an array.
 */
#include "nest.h"

/* Nothing but the reductions stands between the loop over columns and the innermost one. */
bool columns_may(const Nest *t, const NestNode *loop) {
    const LoopStage *s = &loop->way->stage[loop->stage];
    int d = loop->loop;
    if ((loop->lanes == 1 && t->target->vector_bytes != 1) || t->k->dim[loop->dim].kind == DIM_RED || d + 1 >= s->nloop)
        return false;
    if (!s->st->nred || s->nred[d + 1] != s->st->nred || s->npre[d + 1]) return false;
    for (int l = d + 2; l <= s->nloop; l++)
        if (s->npost[l] || (l < s->nloop && s->npre[l])) return false;
    return true;
}

bool columns_apply(Nest *t, NestNode *loop, int vectors) {
    const LoopStage *s = &loop->way->stage[loop->stage];
    NestNode *n = loop->child;
    loop->vectors = vectors;
    loop->jam = true;
    for (int l = loop->loop + 1; n && l < s->nloop; l++) { /* into the innermost loop */
        while (n && n->kind != NEST_FOR) n = n->next;
        if (n && l + 1 == s->nloop) break;
        n = n ? n->child : NULL;
    }
    if (!n || !n->child || n->child->kind != NEST_CODE) return true;
    NestNode *code = n->child;
    nest_move(t, &n->child, loop->way, loop->stage, MOVE_AHEAD, 0);
    n->child->ids = code->ids;
    n->child->n = code->n;
    n->child->next = code;
    return !t->failed;
}

/* One loop over rows: the accumulators of all its columns can be an array. */
bool columns_may_far(const Nest *t, const NestNode *loop) {
    const LoopStage *s = &loop->way->stage[loop->stage];
    return columns_may(t, loop) && loop->lanes > 1 && loop->loop + 2 == s->nloop;
}
