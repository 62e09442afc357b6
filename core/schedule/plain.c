/*
 * plain.c -- a kernel as its loops stand: for every point of the outer dims its stages one after the other, each with
 * its own loops inside; every loop runs one by one, the one that vectors lie along by vectors of one lane.
 */
#include "nest.h"

static NestNode **loop(Nest *t, NestNode **at, const NestWay *w, int stage, int position, int dim, NestNode **out) {
    at = nest_put(t, at, w, NEST_FOR, stage, out);
    (*out)->how = stage >= 0 && position == w->stage[stage].vec ? FOR_VECTOR : FOR_SERIAL;
    (*out)->loop = position;
    (*out)->dim = dim;
    (*out)->lanes = (*out)->vectors = 1;
    return at;
}

NestNode **nest_stage(Nest *t, NestNode **at, const NestWay *w, int stage, int d) {
    const LoopStage *s = &w->stage[stage];
    const int *code = t->o->code;
    at = nest_code(t, at, w, stage, code + s->pre[d], s->npre[d]);
    at = nest_acc(t, at, w, stage, ACC_BEGIN, s->red[d], s->nred[d]);
    if (d < s->nloop) {
        NestNode *inner;
        at = loop(t, at, w, stage, d, s->loop[d], &inner);
        nest_stage(t, &inner->child, w, stage, d + 1);
    } else at = nest_acc(t, at, w, stage, ACC_STEP, s->st->red0, s->st->nred);
    at = nest_acc(t, at, w, stage, ACC_END, s->red[d], s->nred[d]);
    return nest_code(t, at, w, stage, code + s->post[d], s->npost[d]);
}

/* Whether there is more in a stage than what stands before its loops. */
static bool follows(const LoopStage *s, int d) {
    bool more = s->npost[d] > 0 || s->st->nred > 0;
    for (int l = d + 1; l <= s->nloop; l++) more |= s->npre[l] > 0 || s->npost[l] > 0;
    return more;
}

/* A call of the library, and what follows it: on its tiles, or in loops after it. */
static void call(Nest *t, NestNode **at, int stage) {
    LoopStage *s = &t->way->stage[stage];
    int d = t->k->nouter;
    NestNode *made;
    bool tiles = tile_may(t, stage);
    if (!tiles) at = nest_code(t, at, t->way, stage, t->o->code + s->pre[d], s->npre[d]); /* alpha, beta */
    at = nest_put(t, at, t->way, NEST_CALL, stage, &made);
    if (tiles) {
        nest_stage(t, &made->child, t->way, stage, 0);
        return;
    }
    int before = s->npre[d];
    s->npre[d] = 0;
    if (follows(s, d)) nest_stage(t, at, t->way, stage, d);
    s->npre[d] = before;
}

static void outer(Nest *t, NestNode **at, int d) {
    const Kernel *k = t->k;
    const KernelOrder *o = t->o;
    for (int i = 0; d < k->nouter && i < k->st.n; i++)
        at = nest_code(t, at, t->way, i, o->code + o->stage[i].pre[d], o->stage[i].npre[d]);
    if (d < k->nouter) {
        NestNode *inner;
        loop(t, at, t->way, -1, d, d, &inner);
        outer(t, &inner->child, d + 1);
        return;
    }
    for (int i = 0; i < k->st.n; i++) {
        NestNode *stage;
        at = nest_put(t, at, t->way, NEST_STAGE, i, &stage);
        if (stage_calls(&k->st.at[i])) call(t, &stage->child, i);
        else nest_stage(t, &stage->child, t->way, i, d);
    }
}

bool nest_plain(Nest *t) {
    t->way = nest_way(t, WAY_PLAIN);
    if (!t->way) return false;
    t->root = NULL;
    outer(t, &t->root, 0);
    return !t->failed;
}
