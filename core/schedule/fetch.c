/*
 * fetch.c -- where the stages of a kernel read the same row again, its next row has not been asked for yet: the second
 * stage that reads it asks, a line of memory for each vector that it loads.
 */
#include "nest.h"

static bool again(const Nest *t, const LoopStage *s, const Ins *i) {
    const Kernel *k = t->k;
    int before = -1;
    if (i->op != INS_LOAD || i->depth != 2) return false;
    const Access *a = &k->acc.at[i->a];
    if ((a->flags & ACC_ROWTEMP) || a->idx >= 0 || size_is(a->st[0], 0) || !size_is(a->st[s->st->vec], 1)) return false;
    for (int j = 0; j < s->st->ins0; j++) {
        const Ins *o = &k->ins.at[j];
        const Access *b = o->op == INS_LOAD ? &k->acc.at[o->a] : NULL;
        if (!b || o->depth != 2 || b->buf != a->buf || !size_eq(b->off, a->off) || !size_eq(b->st[0], a->st[0]))
            continue;
        if (before >= 0 && before != o->stage) return false;
        before = o->stage;
    }
    return before >= 0;
}

/* Cuts the instructions *at before each such load. */
static void cut(Nest *t, NestNode **at) {
    const LoopStage *s = &(*at)->way->stage[(*at)->stage];
    NestNode *code = *at, *rest = code;
    for (int j = 0; j < code->n; j++) {
        if (!again(t, s, &t->k->ins.at[code->ids[j]])) continue;
        NestNode *after = code->next;
        if (j) at = &code->next;
        *at = NULL;
        at = nest_fetch(t, at, code, code->ids[j], 1);
        if (j) {
            nest_put(t, at, code->way, NEST_CODE, code->stage, &rest);
            rest->ids = code->ids + j;
            rest->n = code->n - j;
            rest->next = after;
            code->n = j;
        } else *at = code;
        code = rest;
        j = 0;
    }
}

static NestNode *rows_of(const Nest *t, int stage) {
    NestNode *loop = t->k->nouter == 1 ? nest_vec(t, stage) : NULL;
    return loop && loop->lanes > 1 && loop->loop == 1 ? loop : NULL;
}

bool fetch_may(const Nest *t) {
    for (int j = 0; j < t->k->ins.n; j++) {
        const Ins *i = &t->k->ins.at[j];
        if (rows_of(t, i->stage) && again(t, &t->way->stage[i->stage], i)) return true;
    }
    return false;
}

bool fetch_rows(Nest *t) {
    for (int i = 0; i < t->k->st.n; i++) {
        NestNode *loop = rows_of(t, i);
        if (!loop) continue;
        for (NestNode **at = &loop->child; !t->failed && *at;) {
            NestNode *after = (*at)->next;
            if ((*at)->kind == NEST_CODE) cut(t, at);
            while (!t->failed && *at != after) at = &(*at)->next;
        }
    }
    return !t->failed;
}
