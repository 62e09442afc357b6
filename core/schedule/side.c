/*
 * side.c -- short rows side by side: each lane of a vector works on a row of its own. In: a kernel that reduces rows
 * and whose rows do not touch each other. Out: before its ordinary loops, a way for rows of at most so many elements:
 * columns are gathered and scattered, what lies in one row only is an array of vectors, and no time goes into lanes
 * that a short row leaves empty or into folding a vector. Always holds: a row's elements are added in the ordinary
 * order (element j is lane j of the accumulators, folded by halves), and all functions give every lane width the same
 * bits, so the way taken cannot be told from the result.
 */
#include "ops/table/expr.h"
#include "ops/table/ops.h"
#include "ops/math/vmath.h"
#include "nest.h"

#include <string.h>

static int column_of(const Kernel *k, int stage) { return k->st.at[stage].d0 + k->st.at[stage].nd - 1; }
/* The loop over rows, and its dim: the first one, or of a stage alone the one around its columns. */
static int row_of(const Kernel *k) { return k->nouter ? 0 : k->st.at[0].nd - 2; }

/* ---- may it ---- */
/* The text of a scalar function uses nothing but arithmetic and functions of our own. */
static bool own_text(const Nest *t, const Ins *i) {
    const ScalarTexts *st = scalar_value_texts(t->k->ctx, i->op, !scalar_ops[i->op].value);
    if (!st || !st->n || !st->at[0]) return false;
    for (int j = 0; j < st->at[0]->n; j++) {
        const ExNode *n = &st->at[0]->at[j];
        if (n->kind == EX_NUM || n->kind == EX_NAME) continue;
        const Primitive *f = primitives_find(n->name);
        if (!(f && (f->flags & PRIM_EXACT)) && !vmath_find(n->name, (ThDtype)i->in_dtype)) return false;
    }
    return true;
}

static bool plain_ins(const Nest *t) {
    const Kernel *k = t->k;
    const int row = row_of(k);
    for (int j = 0; j < k->ins.n; j++) {
        const Ins *i = &k->ins.at[j];
        if (i->op < INS_LOAD && i->depth > row && dtype_is_float((ThDtype)i->in_dtype) && !own_text(t, i)) return false;
        if (i->op != INS_LOAD && i->op != INS_STORE) continue;
        const Access *a = &k->acc.at[i->a];
        if ((a->flags & ACC_ROWTEMP) &&
            (i->depth != row + 2 || !size_is(a->st[column_of(k, i->stage)], 1) || !size_is(a->off, 0)))
            return false;
    }
    return true;
}

static bool plain_reds(const Kernel *k) {
    for (int r = 0; r < k->red.n; r++) {
        const Red *d = &k->red.at[r];
        size_t bytes = th_dtype_bytes((ThDtype)(red_is_arg(d) ? k->ins.at[d->v].dtype : d->acc_dtype));
        if (d->depth != row_of(k) + 1 || dtype_is_complex((ThDtype)d->acc_dtype)) return false;
        if (red_is_arg(d) && bytes < 4) return false;
    }
    return k->red.n > 0;
}

/* Rows lie along one dim, dim 0 where there are several stages; every stage runs along one dim more, which the vectors
 * of the ordinary loops lie along. What stands around the rows' loop comes before it. */
static bool rows_of_one_dim(const Nest *t) {
    const Kernel *k = t->k;
    if (k->nouter > 1 || k->ndim < 2 || (!k->nouter && (k->st.n != 1 || k->st.at[0].nd < 2))) return false;
    const int row = row_of(k);
    for (int d = 0; d <= row; d++)
        if (k->dim[d].kind != DIM_PAR || t->o->stage[0].npost[d]) return false;
    for (int s = 0; s < k->st.n; s++) {
        const Stage *st = &k->st.at[s];
        if (st->cls != STAGE_LOOP || k->nouter + st->nd != row + 2 || st->vec != column_of(k, s)) return false;
        if ((!k->nouter && st->d0) || k->dim[column_of(k, s)].kind == DIM_SEQ) return false;
    }
    return true;
}

bool side_may(const Nest *t) {
    return rows_of_one_dim(t) && plain_reds(t->k) && apart_dim(t->k, row_of(t->k)) && plain_ins(t);
}

/* How many lanes suit all stages. */
static int all_lanes(const Nest *t, const NestWay *w, bool halves) {
    int lanes = 16;
    for (int s = 0; s < t->k->st.n; s++) {
        int n = lanes_of(t, w, s, halves);
        if (n < lanes) lanes = n;
    }
    return lanes;
}

/* The stages with vectors along the rows' loop. Sums of float64 are two vectors where all the rest is vectors of
 * float32. */
NestWay *side_way(Nest *t) {
    NestWay *w = nest_way(t, WAY_SIDE);
    Stage *st = w ? arena_alloc(t->arena, sizeof *st * (size_t)(t->k->st.n + 1)) : NULL;
    if (!st) return t->failed = true, NULL;
    w->row = row_of(t->k);
    for (int s = 0; s < t->k->st.n; s++) {
        st[s] = *w->stage[s].st;
        st[s].vec = (int8_t)w->row;
        w->stage[s].st = &st[s];
        w->stage[s].vec = w->row;
    }
    int whole = t->target->vector_bytes / 4, lanes = all_lanes(t, w, true);
    bool halves = lanes == whole;
    if (!halves) lanes = all_lanes(t, w, false);
    for (int s = 0; s < t->k->st.n; s++) {
        w->lanes[s] = lanes;
        lanes_mark(t, w, s, halves);
    }
    return w;
}

/* ---- which accesses go through arrays of columns ---- */
/* Another access to the same buffer, or only one that writes. */
static bool shared_buffer(const Kernel *k, int acc, int flags) {
    for (int j = 0; j < k->acc.n; j++)
        if (j != acc && k->acc.at[j].buf == k->acc.at[acc].buf && (k->acc.at[j].flags & flags)) return true;
    return false;
}

/* Rows of neighbours at some distance from each other, column by column; nothing else touches them, or only reads. */
static bool apart_in_memory(const Kernel *k, int acc, int column) {
    const Access *a = &k->acc.at[acc];
    if (a->idx >= 0 || a->guard >= 0 || (a->flags & ACC_ADD) || !size_is(a->st[column], 1)) return false;
    const Size step = a->st[row_of(k)];
    if (size_is(step, 0) || size_is(step, 1)) return false;
    return !shared_buffer(k, acc, (a->flags & ACC_WRITE) ? ACC_READ | ACC_WRITE : ACC_WRITE);
}

static bool same_rows(const Kernel *k, int a, int ca, int b, int cb) {
    const Access *x = &k->acc.at[a], *y = &k->acc.at[b];
    if (x->buf != y->buf || !size_eq(k->dim[ca].n, k->dim[cb].n)) return false;
    bool same = size_eq(x->off, y->off);
    for (int d = 0; d <= row_of(k); d++) same &= size_eq(x->st[d], y->st[d]);
    return (x->flags & ACC_ROWTEMP) || same;
}

/* The first of the accesses to the same rows names their array. */
static bool find_arrays(Nest *t, NestWay *w) {
    const Kernel *k = t->k;
    int *column = arena_alloc(t->arena, sizeof(int) * (size_t)(k->acc.n + 1));
    w->array = arena_alloc(t->arena, sizeof(int) * (size_t)(k->acc.n + 1));
    if (!column || !w->array) return false;
    for (int a = 0; a < k->acc.n; a++) w->array[a] = column[a] = -1;
    for (int j = 0; j < k->ins.n; j++) {
        const Ins *i = &k->ins.at[j];
        if ((i->op != INS_LOAD && i->op != INS_STORE) || i->depth != w->row + 2) continue;
        int a = i->a, c = column_of(k, i->stage);
        column[a] = c;
        if (!(k->acc.at[a].flags & ACC_ROWTEMP) && !apart_in_memory(k, a, c)) continue;
        w->array[a] = a;
        for (int b = 0; b < k->acc.n && w->array[a] == a; b++)
            if (b != a && w->array[b] == b && same_rows(k, b, column[b], a, c)) w->array[a] = b;
    }
    return true;
}

/* ---- doing it ---- */
/* Rows that the stage loads for the first time, or those that it has stored. */
static NestNode **move_rows(Nest *t, NestNode **at, NestWay *w, int s, bool load, bool *there) {
    const Stage *st = &t->k->st.at[s];
    for (int j = st->ins0; j < st->ins0 + st->nins; j++) {
        const Ins *i = &t->k->ins.at[j];
        if (i->op != (load ? INS_LOAD : INS_STORE) || i->depth != w->row + 2 || w->array[i->a] < 0) continue;
        if ((t->k->acc.at[i->a].flags & ACC_ROWTEMP) || there[w->array[i->a]]) continue;
        there[w->array[i->a]] = true;
        at = nest_move(t, at, w, s, load ? MOVE_GET : MOVE_PUT, j);
    }
    return at;
}

static NestNode **stage(Nest *t, NestNode **at, NestWay *w, int s, bool *there) {
    const LoopStage *ls = &w->stage[s];
    const int *code = t->o->code;
    const int in_row = w->row + 1;
    NestNode *columns;
    at = move_rows(t, at, w, s, true, there);
    at = nest_code(t, at, w, s, code + ls->pre[in_row], ls->npre[in_row]);
    at = nest_acc(t, at, w, s, ACC_BEGIN, ls->st->red0, ls->st->nred);
    at = nest_put(t, at, w, NEST_FOR, s, &columns);
    columns->how = FOR_SERIAL;
    columns->loop = in_row;
    columns->dim = ls->loop[in_row];
    columns->lanes = columns->vectors = 1;
    NestNode **in = nest_code(t, &columns->child, w, s, code + ls->pre[in_row + 1], ls->npre[in_row + 1]);
    nest_acc(t, in, w, s, ACC_STEP, ls->st->red0, ls->st->nred);
    at = move_rows(t, at, w, s, false, there);
    at = nest_acc(t, at, w, s, ACC_END, ls->st->red0, ls->st->nred);
    return nest_code(t, at, w, s, code + ls->post[in_row], ls->npost[in_row]);
}

static const NestTest *tests(Nest *t, int rows, int most) {
    const Kernel *k = t->k;
    NestTest *test = arena_alloc(t->arena, sizeof *test * (size_t)(k->st.n + 1));
    if (!test) return t->failed = true, NULL;
    test[0] = (NestTest){row_of(k), ">=", rows};
    for (int s = 0; s < k->st.n; s++) test[s + 1] = (NestTest){column_of(k, s), "<=", most};
    return test;
}

bool side_apply(Nest *t, NestWay *w, int rows, int most) {
    const Kernel *k = t->k;
    NestNode *way, *loop;
    bool *there = arena_alloc0(t->arena, (size_t)k->acc.n + 1);
    if (!there || !find_arrays(t, w)) return false;
    NestNode *after = t->root;
    nest_put(t, &t->root, w, NEST_WAY, -1, &way);
    way->next = after;
    way->test = tests(t, rows, most);
    way->n = k->st.n + 1;
    NestNode **at = &way->child;
    for (int d = 0; d <= w->row; d++) {
        for (int s = 0; s < k->st.n; s++)
            at = nest_code(t, at, w, s, t->o->code + w->stage[s].pre[d], w->stage[s].npre[d]);
        nest_put(t, at, w, NEST_FOR, 0, &loop);
        loop->how = d < w->row ? FOR_SERIAL : FOR_VECTOR;
        loop->loop = loop->dim = d;
        loop->lanes = d < w->row ? 1 : w->lanes[0];
        loop->vectors = 1;
        at = &loop->child;
    }
    for (int a = 0; a < k->acc.n; a++)
        if (w->array[a] == a) at = nest_move(t, at, w, 0, MOVE_ARRAY, a);
    for (int s = 0; s < k->st.n; s++) at = stage(t, at, w, s, there);
    return !t->failed;
}
