/*
 * blocks.c -- reductions of everything, block by block (kernel.h fixes where they are cut), and shared out among
 * threads. Always holds: what stands before the loops runs once, and blocks get its values handed; blocks are cut by
 * sizes alone, so the bits are the same at any number of threads.
 */
#include "nest.h"

/* Blocks may run side by side: none fails, and each writes elements that no other one sees. */
bool blocks_may_share(const Nest *t) {
    const Kernel *k = t->k;
    for (int j = 0; j < k->ins.n; j++) {
        const Ins *i = &k->ins.at[j];
        if (i->depth && (apart_may_fail(k, i) || (i->op == INS_STORE && !apart_access(k, &k->acc.at[i->a]))))
            return false;
    }
    return true;
}

bool blocks_apply(Nest *t, bool share) {
    NestNode *blocks, *loop = NULL, **at;
    const LoopStage *s = &t->way->stage[0];
    for (NestNode *n = t->root->child; n; n = n->next)
        if (n->kind == NEST_FOR) loop = n;
    at = nest_code(t, &t->root, t->way, 0, t->o->code + s->pre[0], s->npre[0]);
    at = nest_put(t, at, t->way, NEST_FOR, 0, &blocks);
    blocks->how = FOR_BLOCK;
    blocks->lanes = blocks->vectors = 1;
    blocks->share = share;
    NestNode **in = nest_acc(t, &blocks->child, t->way, 0, ACC_BEGIN, s->red[0], s->nred[0]);
    if (loop) *in = loop, in = &loop->next, *in = NULL;
    nest_acc(t, in, t->way, 0, ACC_END, s->red[0], s->nred[0]);
    at = nest_acc(t, at, t->way, 0, ACC_JOIN, s->red[0], s->nred[0]);
    nest_code(t, at, t->way, 0, t->o->code + s->post[0], s->npost[0]);
    return !t->failed;
}
