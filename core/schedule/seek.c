/*
 * seek.c -- the place of the largest element of a row that lies in memory as it is: the largest first, then where it
 * is. That reads the row twice, from the first-level cache the second time, and carries neither places nor NaN along.
 */
#include "ops/table/ops.h"
#include "nest.h"

/* The load behind a value that is one, or one's negative. */
static int loaded(const Kernel *k, int v) {
    const Ins *i = &k->ins.at[v];
    if (i->op == S_neg && i->in_dtype == i->dtype) v = i->a;
    return k->ins.at[v].op == INS_LOAD ? v : -1;
}

int seek_load(const Kernel *k, const Red *d) { return loaded(k, d->v); }

bool seek_largest(const Kernel *k, const Red *d) { return (d->kind == RED_ARGMAX) == (k->ins.at[d->v].op == INS_LOAD); }

/* Nothing but places of what one load brings is asked for, along the row; the least is the largest of negatives. */
bool seek_may(const Nest *t, const NestNode *loop) {
    const Kernel *k = t->k;
    const LoopStage *s = &loop->way->stage[loop->stage];
    if (loop->lanes == 1 || !s->st->nred || !red_in_lanes(k, s) || loop->loop != s->nloop - 1) return false;
    const int *ids = t->o->code + s->pre[loop->loop + 1], n = s->npre[loop->loop + 1], id = n ? ids[0] : -1;
    for (int j = 0; j < n || id < 0; j++)
        if (id < 0 || loaded(k, ids[j]) != id) return false;
    for (int r = s->st->red0; r < s->st->red0 + s->st->nred; r++) {
        const Red *d = &k->red.at[r];
        if (!red_is_arg(d) || loaded(k, d->v) != id || d->depth != loop->loop || !d->depth) return false;
    }
    const Ins *in = &k->ins.at[id];
    const Access *a = &k->acc.at[in->a];
    return dtype_is_float((ThDtype)in->dtype) && !dtype_is_half((ThDtype)in->dtype) && a->dtype == in->dtype &&
           a->idx < 0 && a->guard < 0 && size_is(a->st[loop->dim], 1);
}

void seek_apply(Nest *t, NestNode *loop, int least) {
    const LoopStage *s = &loop->way->stage[loop->stage];
    loop->seek = least;
    for (int r = s->st->red0; r < s->st->red0 + s->st->nred; r++) loop->way->value[t->k->red.at[r].v] |= VALUE_SOUGHT;
}
