/*
 * lanes.c -- several elements at a time: the loop that vectors lie along (Stage.vec, which fixes the bits of
 * reductions) goes by vectors of as many lanes as suit the widest value in it.
 */
#include "ops/table/ops.h"
#include "nest.h"

#include <string.h>

/* ---- may it ---- */
static bool has_text(const Ins *i) {
    const ScalarOp *op = &scalar_ops[i->op];
    if (op->flags & SF_FAILS) return false; /* floor division and modulo: scalar helpers */
    if (dtype_is_float((ThDtype)i->in_dtype)) return op->value != NULL;
    if (op->result == RES_SHIFT || op->result == RES_INTS) return false;
    return !(!strcmp(op->name, "pow") || !strcmp(op->name, "abs_") || !op->value);
}

/* A row that is added to what stands there: each of its elements goes to a place of its own. */
static bool adds_neighbours(const NestWay *w, const LoopStage *s, const Access *a) {
    return w->kind != WAY_SIDE && a->dtype != TH_BOOL && size_is(a->st[s->loop[s->vec]], 1);
}

static bool may(const Kernel *k, const NestWay *w, const LoopStage *s, const Ins *i) {
    bool side = w->kind == WAY_SIDE;
    if (dtype_is_complex((ThDtype)i->dtype) || dtype_is_complex((ThDtype)i->in_dtype)) return false;
    switch (i->op) {
    case INS_LOAD:
    case INS_STORE: {
        const Access *a = &k->acc.at[i->a];
        bool own = a->idx < 0 || k->ins.at[a->idx].depth <= s->vec;  /* one offset for the whole row */
        own |= side && i->op == INS_LOAD && !(a->flags & ACC_WRITE); /* gathered: lanes are rows */
        return own && a->guard < 0 && (!(a->flags & ACC_ADD) || adds_neighbours(w, s, a)) &&
               !dtype_is_complex((ThDtype)a->dtype);
    }
    case INS_CHECK_INDEX: return side;
    case INS_FAIL_IF: return false;
    case INS_PARAM:
    case INS_CONST:
    case INS_INDEX:
    case INS_SIZE:
    case INS_CAST:
    case INS_RED:
    case INS_EP: return true;
    default: return has_text(i);
    }
}

/* Positions of the largest element go by vectors along rows, where the lane and the number of the vector tell them, and
 * down columns as whole numbers of 64 bits beside the elements. */
static bool arg_by_vectors(const Kernel *k, const NestWay *w, const LoopStage *s, const Red *d) {
    size_t bytes = th_dtype_bytes((ThDtype)k->ins.at[d->v].dtype);
    int reduced = 0;
    for (int l = 0; l < s->nloop; l++) reduced += k->dim[s->loop[l]].kind == DIM_RED;
    if (w->kind == WAY_SIDE) return bytes >= 4;
    if (!red_in_lanes(k, s)) return bytes >= 4;
    return bytes >= 4 && reduced == 1 && s->vec == s->nloop - 1;
}

/* ---- sums of float64 over vectors of float32 ---- */
/* All that reads value id are reductions. */
static bool reduced_only(const Kernel *k, int id) {
    for (int j = 0; j < k->ins.n; j++) {
        int v[6], n = ins_reads(k, &k->ins.at[j], v);
        for (int q = 0; q < n; q++)
            if (v[q] == id) return false;
    }
    return true;
}

/* All that reads the sum r rounds it to float32. */
static bool rounded_only(const Kernel *k, int r) {
    for (int i = 0; i < k->ins.n; i++) {
        if (k->ins.at[i].op != INS_RED || k->ins.at[i].a != r) continue;
        for (int j = 0; j < k->red.n; j++)
            if (k->red.at[j].v == i) return false;
        for (int j = 0; j < k->ins.n; j++) {
            const Ins *x = &k->ins.at[j];
            int v[6], n = ins_reads(k, x, v);
            for (int q = 0; q < n; q++)
                if (v[q] == i && (x->op != INS_CAST || x->dtype != TH_FLOAT32)) return false;
        }
    }
    return true;
}

static bool is_sum(const Red *d) { return d->kind == RED_SUM || d->kind == RED_PROD; }

/* With rows in lanes the vectors are whole ones of float32, and nothing else sees the two halves of a sum. */
static bool half_of_rows(const Kernel *k, const NestWay *w, int id) {
    const Ins *i = &k->ins.at[id];
    bool sum = false;
    if (i->depth != w->row + 2 || k->ins.at[i->a].depth != w->row + 2) return false;
    for (int r = 0; r < k->red.n; r++) {
        if (k->red.at[r].v != id) continue;
        sum = is_sum(&k->red.at[r]);
        if (!sum || !rounded_only(k, r)) return false;
    }
    return sum && reduced_only(k, id);
}

bool lanes_half(const Nest *t, const NestWay *w, int stage, int id, bool halves) {
    const Kernel *k = t->k;
    const LoopStage *s = &w->stage[stage];
    const Ins *i = &k->ins.at[id];
    if (i->op != INS_CAST || i->dtype != TH_FLOAT64 || i->in_dtype != TH_FLOAT32 || s->vec < 0) return false;
    if (w->kind == WAY_SIDE) return halves && half_of_rows(k, w, id);
    if (!red_in_lanes(k, s) || k->ins.at[i->a].depth <= s->vec) return false;
    bool summed = false, other = false;
    for (int r = 0; r < k->red.n; r++)
        if (k->red.at[r].v == id) summed = true, other |= !is_sum(&k->red.at[r]);
    for (int j = s->st->ins0; j < s->st->ins0 + s->st->nins && !other; j++) {
        int v[6], n = ins_reads(k, &k->ins.at[j], v);
        for (int q = 0; q < n; q++) other |= v[q] == id;
    }
    return summed && !other;
}

/* A sum whose halves wait for the cast that joins them. */
static bool red_half(const Nest *t, const NestWay *w, int stage, const Ins *i, bool halves) {
    return i->op == INS_RED && w->kind == WAY_SIDE && lanes_half(t, w, stage, t->k->red.at[i->a].v, halves);
}

void lanes_mark(Nest *t, NestWay *w, int stage, bool halves) {
    const Stage *st = w->stage[stage].st;
    if (w->lanes[stage] <= 2) return;
    for (int j = st->ins0; j < st->ins0 + st->nins; j++)
        if (lanes_half(t, w, stage, j, halves) || red_half(t, w, stage, &t->k->ins.at[j], halves))
            w->value[j] |= VALUE_HALVES;
}

/* ---- how many ---- */
static size_t bytes_of(const Kernel *k, const Ins *i) {
    size_t own = th_dtype_bytes((ThDtype)(i->op == INS_STORE ? k->acc.at[i->a].dtype : i->dtype));
    size_t in = i->op < INS_LOAD ? th_dtype_bytes((ThDtype)i->in_dtype) : 0;
    return own > in ? own : in;
}

int lanes_of(const Nest *t, const NestWay *w, int stage, bool halves) {
    enum { MOST = 16 }; /* names of helpers and masks of 16 bits know no more */
    const Kernel *k = t->k;
    const LoopStage *s = &w->stage[stage];
    size_t widest = 1;
    if (s->vec < 0) return 1;
    for (int j = s->st->ins0; j < s->st->ins0 + s->st->nins; j++) {
        const Ins *i = &k->ins.at[j];
        if (i->depth <= s->vec) continue;
        if (!may(k, w, s, i)) return 1;
        if (lanes_half(t, w, stage, j, halves) || red_half(t, w, stage, i, halves)) continue;
        size_t b = bytes_of(k, i);
        if (b > widest) widest = b;
    }
    for (int r = s->st->red0; r < s->st->red0 + s->st->nred; r++) {
        const Red *d = &k->red.at[r];
        if (dtype_is_complex((ThDtype)d->acc_dtype) || (red_is_arg(d) && !arg_by_vectors(k, w, s, d))) return 1;
    }
    int n = t->target->vector_bytes / (int)widest;
    return n > MOST ? MOST : n < 1 ? 1 : n;
}

bool lanes_is_vector(const Nest *t, const NestWay *w, int id) {
    const Ins *i = &t->k->ins.at[id];
    while (i->op == INS_CHECK_INDEX) i = &t->k->ins.at[i->a]; /* of one value or of a vector, as its index is */
    const LoopStage *s = &w->stage[i->stage];
    if (w->lanes[i->stage] == 1 || s->vec < 0 || i->depth <= s->vec) return false;
    if (i->op == INS_INDEX) return i->a == s->st->vec;
    return i->op != INS_PARAM && i->op != INS_CONST && i->op != INS_SIZE;
}

bool lanes_apply(Nest *t) {
    for (int s = 0; s < t->k->st.n; s++) {
        NestNode *loop = nest_vec(t, s);
        t->way->lanes[s] = lanes_of(t, t->way, s, false);
        lanes_mark(t, t->way, s, false);
        if (loop) loop->lanes = t->way->lanes[s];
    }
    return !t->failed;
}
