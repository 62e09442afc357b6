/*
 * unroll.c -- rows that are reduced, by as many vectors at a time as each accumulator has: these have names of their
 * own then, and stay in registers.
 */
#include "nest.h"

int unroll_vectors(const Nest *t, const NestNode *loop, int chains, int *live) {
    const Kernel *k = t->k;
    const LoopStage *s = &loop->way->stage[loop->stage];
    const Stage *st = s->st;
    int n = 0, halves = 0;
    *live = 0;
    if (!st->nred || !red_in_lanes(k, s) || loop->lanes == 1 || loop->loop != s->nloop - 1) return 1;
    for (int r = st->red0; r < st->red0 + st->nred; r++) {
        const Red *d = &k->red.at[r];
        int each = red_is_arg(d) ? chains : red_lanes(d) / loop->lanes;
        *live += red_is_arg(d) ? 2 * each : red_lanes(d) / nest_acc_lanes(t, loop->way, loop->stage, r);
        if (nest_halves(t, loop->way, loop->stage, r)) halves = each; /* must divide the number of vectors */
        else if (n && each != n) return 1;
        else n = each;
    }
    if (!n) n = halves;
    return n >= 2 && (!halves || n % halves == 0) ? n : 1;
}

/* Under masks the rest of a row goes on with the names; but a position is known by its vector's number alone. */
bool unroll_may_mask(const Nest *t, const NestNode *loop) {
    const Stage *st = loop->way->stage[loop->stage].st;
    for (int r = st->red0; r < st->red0 + st->nred; r++)
        if (red_is_arg(&t->k->red.at[r])) return false;
    return true;
}
