/*
 * flat.c -- formulas over short rows as one run of elements. In: a kernel of one stage over rows and columns whose
 * operands are matrices in C order and rows that every row shares (a bias). Out: before its ordinary loops, a way for
 * short rows: the shared row stands repeated as often as vectors take to start at its first element
 * again, so that all vectors are full, whatever the length of the rows. Always holds: each element is computed by the
 * vector functions of the ordinary loops, so the bits are theirs.
 */
#include "nest.h"

/* The matrix in C order; a row for all rows. */
static bool is_dense(const Kernel *k, const Access *a) {
    return size_is(a->st[1], 1) && size_eq(a->st[0], k->dim[1].n);
}
bool flat_is_row(const Access *a) { return size_is(a->st[1], 1) && size_is(a->st[0], 0); }

bool flat_may(const Nest *t) {
    const Kernel *k = t->k;
    if (k->ndim != 2 || k->nouter || k->st.n != 1 || k->red.n || k->can_fail) return false;
    const Stage *st = &k->st.at[0];
    if (st->cls != STAGE_LOOP || st->nd != 2 || st->vec != 1 || t->way->lanes[0] == 1) return false;
    if (k->dim[0].kind != DIM_PAR || k->dim[1].kind != DIM_PAR || !apart_rows(k)) return false;
    bool rows = false;
    for (int j = 0; j < k->ins.n; j++) {
        const Ins *i = &k->ins.at[j];
        if (i->depth == 1 || (i->op == INS_INDEX && i->depth)) return false;
        if ((i->op != INS_LOAD && i->op != INS_STORE) || !i->depth) continue;
        const Access *a = &k->acc.at[i->a];
        if (a->idx >= 0 || a->guard >= 0 || (a->flags & (ACC_ADD | ACC_ROWTEMP))) return false;
        if (!is_dense(k, a) && (!flat_is_row(a) || i->op == INS_STORE)) return false;
        rows |= flat_is_row(a);
    }
    return rows;
}

bool flat_apply(Nest *t, FlatRows rows) {
    const Kernel *k = t->k;
    NestNode *way, *loop, *after = t->root;
    NestWay *w = nest_way(t, WAY_FLAT);
    NestTest *test = arena_alloc(t->arena, 3 * sizeof *test);
    if (!w || !test) return false;
    int n = w->lanes[0] = t->way->lanes[0];
    w->value = t->way->value;
    test[0] = (NestTest){1, "<", rows.below};
    test[1] = (NestTest){1, "!=", rows.but};
    test[2] = (NestTest){0, ">=", rows.least};
    nest_put(t, &t->root, w, NEST_WAY, -1, &way);
    way->next = after;
    way->test = test;
    way->n = 3;
    const LoopStage *s = &w->stage[0];
    NestNode **at = nest_code(t, &way->child, w, 0, t->o->code + s->pre[0], s->npre[0]);
    for (int i = 0; i < k->acc.n; i++)
        if ((k->acc.at[i].flags & ACC_READ) && flat_is_row(&k->acc.at[i])) {
            NestNode *move = NULL;
            NestNode **next = nest_move(t, at, w, 0, MOVE_REPEAT, i);
            move = *at;
            move->n = rows.below;
            at = next;
        }
    nest_put(t, at, w, NEST_FOR, 0, &loop);
    loop->how = FOR_FLAT;
    loop->lanes = n;
    loop->vectors = 1;
    nest_code(t, &loop->child, w, 0, t->o->code + s->pre[2], s->npre[2]);
    return !t->failed;
}
