/*
 * stream.c -- results too large for the caches go past them: a kernel of one run of elements stores its vectors without
 * reading the lines of memory that it fills. In: a kernel of one stage over one dim. Out: stores that look, once a run,
 * at how long it is and where it lies. Always holds: what is stored is the same, and all of it has arrived before the
 * kernel ends, for threads that wait for it, too.
 */
#include "nest.h"

/* The Nest's only loop, by single vectors that are not under masks. */
static const NestNode *run_of(const Nest *t) {
    const NestNode *loop = t->k->nouter || t->k->st.n != 1 ? NULL : nest_vec(t, 0);
    bool plain = loop && loop->lanes > 1 && loop->vectors <= 1 && !loop->jam && loop->tail != TAIL_MASKED;
    return plain && !loop->copy && t->way->stage[0].nloop == 1 ? loop : NULL;
}

bool stream_may(const Nest *t, int id) {
    const Kernel *k = t->k;
    const Ins *i = &k->ins.at[id];
    const NestNode *loop = run_of(t);
    if (!loop || i->op != INS_STORE || i->depth != 1 || t->target->vector_bytes < 16) return false;
    const Access *a = &k->acc.at[i->a];
    int bytes = loop->lanes * (int)th_dtype_bytes((ThDtype)a->dtype);
    if (bytes < 16 || (a->flags & (ACC_ADD | ACC_ROWTEMP)) || a->idx >= 0 || a->guard >= 0) return false;
    return size_is(a->off, 0) && size_is(a->st[loop->dim], 1);
}

void stream_apply(Nest *t, int id) { t->way->value[id] |= VALUE_STREAM; }
