/*
 * copy.c -- rows that go as they are from one tensor to another, picked by an index, are long enough for memcpy at
 * times.
 */
#include "nest.h"

bool copy_may(const Nest *t, const NestNode *loop) {
    const Kernel *k = t->k;
    const LoopStage *s = &loop->way->stage[loop->stage];
    const int *ids = t->o->code + s->pre[loop->loop + 1], n = s->npre[loop->loop + 1];
    if (n != 2 || s->st->nred || loop->loop != s->nloop - 1) return false; /* reductions see each element */
    const Ins *in = &k->ins.at[ids[0]], *out = &k->ins.at[ids[1]];
    if (in->op != INS_LOAD || out->op != INS_STORE || out->b != ids[0]) return false;
    const Access *x = &k->acc.at[in->a], *y = &k->acc.at[out->a];
    return x->idx >= 0 && k->ins.at[x->idx].depth <= s->vec && y->idx < 0 && x->guard < 0 && y->guard < 0 &&
           !(y->flags & ACC_ADD) && x->buf != y->buf && x->dtype == y->dtype && size_is(x->st[loop->dim], 1) &&
           size_is(y->st[loop->dim], 1);
}
