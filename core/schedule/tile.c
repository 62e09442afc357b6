/*
 * tile.c -- what follows a product runs on each part of c while that is in the first-level cache.
 */
#include "nest.h"

/* It fails nowhere, needs no position, and stands in no outer loops. */
bool tile_may(const Nest *t, int stage) {
    const Kernel *k = t->k;
    const Stage *st = &k->st.at[stage];
    if (st->cls != STAGE_GEMM || !st->nins || k->nouter || k->can_fail || st->nred) return false;
    bool stores = false;
    for (int i = st->ins0; i < st->ins0 + st->nins; i++) {
        const Ins *x = &k->ins.at[i];
        if (x->op == INS_INDEX || x->op == INS_FAIL_IF || x->op == INS_CHECK_INDEX) return false;
        stores |= x->op == INS_STORE;
        if (x->op == INS_STORE && (x->depth < 2 || (k->acc.at[x->a].flags & ACC_ADD))) return false;
    }
    return stores && st->alpha < 0 && st->beta < 0;
}
