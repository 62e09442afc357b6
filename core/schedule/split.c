/*
 * split.c -- kernels whose outermost dimension may be shared out among threads. Always holds: every point of dim 0
 * writes elements of its own and no sum crosses it, so the bits are the same at any number of threads; pieces are cut
 * by sizes alone. What may fail from sizes alone is looked at once, before the pieces. Of products in outer loops the
 * call does these too, since it knows what working memory there is for threads.
 */
#include "ops/table/ops.h"
#include "nest.h"

bool split_may(const Nest *t) {
    const Kernel *k = t->k;
    if (k->ndim < 1 || k->dim[0].kind != DIM_PAR) return false;
    if (!k->nouter && (k->st.n != 1 || k->st.at[0].d0 != 0)) return false;
    for (int i = 0; i < k->st.n; i++)
        if (k->st.at[i].cls != STAGE_LOOP) return false;
    if (!apart_rows(k)) return false;
    for (int i = 0; i < k->ins.n; i++)
        if (apart_may_fail(k, &k->ins.at[i])) return false;
    return true;
}

/* The checks that the pieces leave out, and what they read. */
static NestNode **checks(Nest *t, NestNode **at) {
    const Kernel *k = t->k;
    bool *wanted = arena_alloc0(t->arena, (size_t)k->ins.n + 1);
    int *ids = arena_alloc(t->arena, sizeof(int) * (size_t)(k->ins.n + 1)), n = 0;
    if (!wanted || !ids) return t->failed = true, at;
    for (int i = k->ins.n - 1; i >= 0; i--) {
        int v[6];
        if (k->ins.at[i].op == INS_FAIL_IF) wanted[i] = true;
        int reads = wanted[i] ? ins_reads(k, &k->ins.at[i], v) : 0;
        for (int j = 0; j < reads; j++) wanted[v[j]] = true;
    }
    for (int i = 0; i < k->ins.n; i++)
        if (wanted[i]) ids[n++] = i;
    return nest_code(t, at, t->way, 0, ids, n);
}

static void leave_out(Nest *t, NestNode *c) {
    bool any = false;
    for (int j = 0; j < c->n; j++) any |= t->k->ins.at[c->ids[j]].op == INS_FAIL_IF;
    if (!any) return;
    int *ids = arena_alloc(t->arena, sizeof(int) * (size_t)c->n), n = 0;
    if (!ids) {
        t->failed = true;
        return;
    }
    for (int j = 0; j < c->n; j++)
        if (t->k->ins.at[c->ids[j]].op != INS_FAIL_IF) ids[n++] = c->ids[j];
    c->ids = ids;
    c->n = n;
}

/* Nodes that were nothing but checks go. Loops nest as deep as a kernel has dims. */
static void without(Nest *t, NestNode **at) {
    while (*at) {
        if ((*at)->kind == NEST_CODE) leave_out(t, *at);
        without(t, &(*at)->child);
        if ((*at)->kind == NEST_CODE && !(*at)->n) *at = (*at)->next;
        else at = &(*at)->next;
    }
}

bool split_apply(Nest *t) {
    NestNode *pieces, *inside;
    without(t, &t->root);
    inside = t->root;
    NestNode **at = checks(t, &t->root);
    nest_put(t, at, t->way, NEST_FOR, 0, &pieces);
    pieces->how = FOR_PIECE;
    pieces->lanes = pieces->vectors = 1;
    pieces->share = true;
    pieces->n = 1;
    pieces->child = inside;
    return !t->failed;
}

bool split_batch_may(const Nest *t) {
    const Kernel *k = t->k;
    bool may = kernel_is_batch(k);
    for (int d = 0; may && d < k->nouter; d++) may = d ? apart_dim(k, d) : apart_rows(k);
    return may;
}

void split_batch(Nest *t) {
    while (t->root->kind == NEST_FOR) t->root = t->root->child;
    t->root->child->share = true;
}
