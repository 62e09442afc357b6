/*
 * values.c -- instructions and moves of a Nest: one value a name, its lanes in a row.
 */
#include "eval.h"

#include <string.h>

static size_t bytes_of(ThDtype d) { return th_dtype_bytes(d); }
static const Ins *ins_at(const Eval *e, int id) { return &e->k->ins.at[id]; }

void eval_made(Eval *e, int id, int lanes) {
    e->value[id].there = true;
    e->value[id].lanes = lanes;
    e->made[e->nmade++] = id;
}

/* Elements from `n` on are those of lane 0, as what memory gives and what stands in all lanes. */
static void fill(Value *v, size_t bytes, int n) {
    for (int j = n; j < EVAL_LANES; j++) memcpy(v->at + (size_t)j * bytes, v->at, bytes);
}

static int lanes_here(const Eval *e, const Ins *i) { return e->s->vec >= 0 && i->depth > e->s->vec ? e->lanes : 1; }

static bool readable(Eval *e, int user, int id, int lanes) {
    const Value *v = &e->value[id];
    if (!v->there) return eval_wrong(e, "v%d reads v%d, which is not there", user, id);
    return v->lanes == 1 || v->lanes == lanes ||
           eval_wrong(e, "v%d of %d lanes reads v%d of %d", user, lanes, id, v->lanes);
}

/* ---- memory ---- */
/* Element of an access at the current position; `row`: more of the loop that vectors lie along. */
static bool place(Eval *e, int acc, int depth, int64_t row, int64_t idx, int64_t *at) {
    const Access *a = &e->k->acc.at[acc];
    *at = eval_size(e, a->off) + idx;
    if (e->split) *at += e->row0 * eval_size(e, a->st[0]);
    if (e->way->kind == WAY_FLAT && depth) {
        *at += e->t;
        return true;
    }
    for (int h = 0; e->tiled && h < 2; h++) *at += e->tile[h] * eval_size(e, a->st[e->tiled->st->d0 + h]);
    for (int l = 0; l < e->s->nloop && l < depth; l++) {
        int d = e->s->loop[l];
        if (size_is(a->st[d], 0)) continue;
        if (!e->in[d]) return eval_wrong(e, "access %d asks for i%d, which is not there", acc, d);
        *at += (e->i[d] + (l == e->s->vec ? row : 0)) * eval_size(e, a->st[d]);
    }
    return true;
}

static char *element(Eval *e, int acc, int64_t at, bool write) {
    const Access *a = &e->k->acc.at[acc];
    const Memory *m = &e->buf[a->buf];
    int64_t bytes = (int64_t)bytes_of((ThDtype)a->dtype);
    if (at < 0 || (at + 1) * bytes > m->bytes) {
        eval_wrong(e, "access %d %s element %lld of %lld", acc, write ? "writes" : "reads", (long long)at,
                   (long long)(m->bytes / bytes));
        return NULL;
    }
    uint64_t *w = e->writer ? &e->writer[a->buf][at] : NULL, now = (uint64_t)e->epoch << 32 | (uint32_t)(e->thread + 2);
    if (w && write) *w = now;
    else if (w && *w >> 32 == e->epoch && *w != now) {
        eval_wrong(e, "thread %d reads through access %d what thread %d has just written", e->thread, acc,
                   (int)(uint32_t)*w - 2);
        return NULL;
    }
    return m->at + at * bytes;
}

/* The index and guard of a single element. */
static bool index_of(Eval *e, int id, const Access *a, int64_t *idx) {
    *idx = 0;
    if (a->idx < 0) return true;
    if (!readable(e, id, a->idx, 1)) return false;
    memcpy(idx, e->value[a->idx].at, 8);
    return true;
}

static bool guarded(Eval *e, int id, const Access *a, bool *skip) {
    *skip = false;
    if (a->guard < 0) return true;
    if (!readable(e, id, a->guard, 1)) return false;
    *skip = !e->value[a->guard].at[0];
    return true;
}

static int column_array(const Eval *e, int acc) { return e->way->array ? e->way->array[acc] : -1; }

static bool column(Eval *e, int acc, char **p) {
    int d = e->s->loop[e->way->row + 1];
    if (!e->in[d]) return eval_wrong(e, "a column of access %d outside of its loop", acc);
    if (e->i[d] >= SIDE_MOST) return eval_wrong(e, "access %d: more columns than its array has", acc);
    *p = eval_array(e, column_array(e, acc)) + (size_t)e->i[d] * EVAL_VALUE;
    return true;
}

/* Rows side by side at positions of their own. Lanes past the last row read the first's. */
static bool gathered(Eval *e, int acc, const Ins *i, int lanes, Value *v) {
    const Access *a = &e->k->acc.at[acc];
    size_t bytes = bytes_of((ThDtype)a->dtype);
    for (int j = 0; j < lanes; j++) {
        int64_t at, idx;
        memcpy(&idx, e->value[a->idx].at + 8 * j, 8);
        if (!place(e, acc, i->depth, e->tail && j >= e->m ? 0 : j, idx, &at)) return false;
        const char *p = element(e, acc, at, false);
        if (!p) return false;
        memcpy(v->at + (size_t)j * bytes, p, bytes);
    }
    fill(v, bytes, lanes);
    return true;
}

static bool load(Eval *e, int id, const Ins *i, int acc, int lanes) {
    const Access *a = &e->k->acc.at[acc];
    Value *v = &e->value[id];
    size_t bytes = bytes_of((ThDtype)a->dtype);
    char *p;
    int64_t at, idx;
    bool skip;
    if (e->way->kind == WAY_SIDE && lanes > 1 && a->idx >= 0 && e->value[a->idx].lanes > 1)
        return readable(e, id, a->idx, lanes) && gathered(e, acc, i, lanes, v);
    if (e->way->kind == WAY_FLAT && i->depth && size_is(a->st[0], 0)) {
        memcpy(v->at, eval_array(e, acc) + (size_t)e->flat * bytes * (size_t)lanes, bytes * (size_t)lanes);
        return fill(v, bytes, lanes), true;
    }
    if (column_array(e, acc) >= 0) {
        if (!column(e, acc, &p)) return false;
        memcpy(v->at, p, EVAL_VALUE);
        return true;
    }
    if (!index_of(e, id, a, &idx) || !guarded(e, id, a, &skip)) return false;
    if (a->guard >= 0 && lanes > 1) return eval_wrong(e, "v%d loads a vector under a guard", id);
    if (skip) return memset(v->at, 0, EVAL_VALUE), true;
    if (!place(e, acc, i->depth, 0, idx, &at)) return false;
    int64_t st = lanes > 1 ? eval_size(e, a->st[e->s->st->vec]) : 0;
    int n = lanes > 1 && st ? (e->tail ? (int)e->m : lanes) : 1;
    for (int j = 0; j < n; j++) {
        p = element(e, acc, at + j * st, false);
        if (!p) return false;
        memcpy(v->at + (size_t)j * bytes, p, bytes);
    }
    return fill(v, bytes, n), true;
}

static bool store_one(Eval *e, const Ins *i, int64_t at, const char *v) {
    const Access *a = &e->k->acc.at[i->a];
    char *p = element(e, i->a, at, true);
    if (!p) return false;
    if (a->flags & ACC_ADD) e->simd->fold[a->dtype == TH_BOOL ? RED_OR : RED_SUM][a->dtype](1, p, v);
    else memcpy(p, v, bytes_of((ThDtype)a->dtype));
    return true;
}

static bool store(Eval *e, int id, const Ins *i, int lanes) {
    const Access *a = &e->k->acc.at[i->a];
    size_t bytes = bytes_of((ThDtype)a->dtype);
    const char *v = e->value[i->b].at;
    char *p;
    int64_t at, idx;
    bool skip;
    if (!readable(e, id, i->b, lanes)) return false;
    if (column_array(e, i->a) >= 0) {
        if (!column(e, i->a, &p)) return false;
        memcpy(p, v, EVAL_VALUE);
        return true;
    }
    if (!index_of(e, id, a, &idx) || !guarded(e, id, a, &skip)) return false;
    int64_t st = lanes > 1 ? eval_size(e, a->st[e->s->st->vec]) : 0;
    if (lanes > 1 && (a->guard >= 0 || ((a->flags & ACC_ADD) && (st != 1 || a->dtype == TH_BOOL))))
        return eval_wrong(e, "v%d stores a vector so", id);
    if (skip) return true;
    if (!place(e, i->a, i->depth, 0, idx, &at)) return false;
    int n = lanes > 1 ? (e->tail ? (int)e->m : lanes) : 1;
    for (int j = 0; j < n; j++)
        if (!store_one(e, i, at + j * st, v + (size_t)j * bytes)) return false;
    return true;
}

/* ---- what may fail ---- */
static bool fails(Eval *e, ThError kind) {
    e->end = EVAL_FAILED;
    e->kind = kind;
    return false;
}

static bool check_index(Eval *e, int id, const Ins *i) {
    Value *v = &e->value[id], *x = &e->value[i->a], *n = &e->value[i->b];
    int lanes = x->lanes, rows = lanes > 1 && e->tail ? (int)e->m : lanes;
    if (!readable(e, id, i->a, lanes) || !readable(e, id, i->b, lanes)) return false;
    for (int j = 0; j < EVAL_LANES; j++) {
        int64_t at, all;
        memcpy(&at, x->at + 8 * j, 8);
        memcpy(&all, n->at + 8 * j, 8);
        if (at < 0) at += all;
        if (j < rows && (at < 0 || at >= all)) return fails(e, TH_IndexError);
        memcpy(v->at + 8 * j, &at, 8);
    }
    eval_made(e, id, lanes);
    return true;
}

/* ---- values ---- */
static void literal(Eval *e, const Ins *i, char *to) {
    ThDtype d = (ThDtype)i->dtype;
    char kind = th_dtype_kind(d);
    ThDtype from = kind == 'c' ? TH_COMPLEX128 : kind == 'f' ? TH_FLOAT64 : kind == 'u' ? TH_UINT64 : TH_INT64;
    ThValue v = {0};
    double x = i->a == INS_HALF ? 0.5 : i->a;
    if (i->op == INS_PARAM) v = e->k->param.at[i->a];
    else if (kind == 'c') v.c = (ThComplex128){x, 0};
    else if (kind == 'f') v.f = x;
    else v.i = (int64_t)x;
    dtype_cast(to, d, (int64_t)bytes_of(d), (const char *)&v, from, 0, EVAL_LANES);
}

bool eval_cast(Eval *e, char *to, ThDtype d, const char *from, ThDtype f) {
    if (d == f) memcpy(to, from, EVAL_VALUE);
    else e->simd->cast[d][f](EVAL_LANES, to, from, NULL, NULL);
    return true;
}

static bool position(Eval *e, int id, const Ins *i, int lanes) {
    bool vector = lanes > 1 && e->s->st->vec == i->a;
    if (!e->in[i->a]) return eval_wrong(e, "v%d asks for i%d, which is not there", id, i->a);
    for (int j = 0; j < EVAL_LANES; j++) {
        int64_t x = (e->split && i->a == 0 ? e->row0 : 0) + e->i[i->a] + (vector && j < lanes ? j : 0);
        memcpy(e->value[id].at + 8 * j, &x, 8);
    }
    eval_made(e, id, vector ? lanes : 1);
    return true;
}

/* A vector of floats by one number of many: as backend_c/vmath.c does it. */
static double quotient64(double x, double s) {
    double a = s < 0 ? -s : s, low = a >= 0x1p-200 && a <= 0x1p200 ? 0x1p-800 : __builtin_inf(), h = x < 0 ? -x : x;
    if (!(h >= low && h <= 0x1p800)) return x / s;
    double y = 1 / s, q = x * y;
    q = __builtin_fma(__builtin_fma(-q, s, x), y, q);
    return __builtin_fma(__builtin_fma(-q, s, x), y, q);
}
static float quotient32(float x, float s) {
    float a = s < 0 ? -s : s, low = a >= 0x1p-40f && a <= 0x1p40f ? 0x1p-60f : __builtin_inff(), h = x < 0 ? -x : x;
    if (!(h >= low && h <= 0x1p60f)) return x / s;
    float y = 1 / s, q = x * y;
    q = __builtin_fmaf(__builtin_fmaf(-q, s, x), y, q);
    return __builtin_fmaf(__builtin_fmaf(-q, s, x), y, q);
}

static void quotient(const Ins *i, char *to, const char *x, const char *by) {
    for (int j = 0; j < EVAL_LANES; j++) {
        if (i->dtype == TH_FLOAT64) ((double *)to)[j] = quotient64(((const double *)x)[j], ((const double *)by)[j]);
        else ((float *)to)[j] = quotient32(((const float *)x)[j], ((const float *)by)[j]);
    }
}

static bool by_zero(const Eval *e, const Ins *i, int lanes) {
    static const char zero[16];
    size_t bytes = bytes_of((ThDtype)i->in_dtype);
    for (int j = 0; j < lanes; j++)
        if (!memcmp(e->value[i->b].at + (size_t)j * bytes, zero, bytes)) return true;
    return false;
}

/* The interpreter's short program of block functions, on a block of 16. */
static bool scalar(Eval *e, int id, const Ins *i, int lanes) {
    const int ids[4] = {i->a, i->op == INS_CAST ? -1 : i->b, i->op == INS_CAST ? -1 : i->c,
                        i->op == INS_CAST ? -1 : i->d};
    for (int j = 0; j < 4; j++)
        if (ids[j] >= 0 && !readable(e, id, ids[j], lanes)) return false;
    if (i->op < INS_LOAD && (scalar_ops[i->op].flags & SF_FAILS) && dtype_is_discrete((ThDtype)i->in_dtype)) {
        if (lanes > 1) return eval_wrong(e, "v%d divides vectors of integers", id);
        if (by_zero(e, i, 1)) return fails(e, TH_ZeroDivisionError);
    }
    if (e->way->value[id] & VALUE_QUOTIENT) {
        if (lanes == 1) return eval_wrong(e, "v%d is a quotient of single values", id);
        quotient(i, e->value[id].at, e->value[i->a].at, e->value[i->b].at);
        return eval_made(e, id, lanes), true;
    }
    const IIns *x = &e->ik->ins[id];
    for (const IMicro *m = e->ik->micro.at + x->micro, *end = m + x->nmicro; m < end; m++) {
        const char *in[3];
        for (int j = 0; j < 3; j++) {
            const IOpnd *o = &m->in[j];
            in[j] = o->value >= 0 ? e->value[o->value].at : (o->base ? o->base : e->regs) + o->off;
        }
        m->fn(EVAL_LANES, m == end - 1 ? e->value[id].at : e->regs + m->out, in[0], in[1], in[2]);
    }
    eval_made(e, id, lanes);
    return true;
}

/* A cast of a sum that waits as two halves: rounded and joined. Else an ordinary one. */
static bool cast(Eval *e, int id, const Ins *i, int lanes) {
    if (lanes == 1 || !(e->way->value[i->a] & VALUE_HALVES)) return scalar(e, id, i, lanes);
    const Ins *sum = ins_at(e, i->a);
    const RedState *r = sum->op == INS_RED ? eval_red(e, sum->a, 0) : NULL;
    if (!r || !r->ended || r->lanes != lanes) return eval_wrong(e, "v%d joins the halves of no sum", id);
    eval_cast(e, e->value[id].at, (ThDtype)i->dtype, r->r, TH_FLOAT64);
    return eval_made(e, id, lanes), true;
}

static bool finished(Eval *e, int id, const Ins *i) {
    const RedState *r = eval_red(e, i->a, e->vector + 1);
    if (!r->ended) r = eval_red(e, i->a, 0);
    if (!r->ended) return eval_wrong(e, "v%d reads r%d before its end", id, i->a);
    memcpy(e->value[id].at, r->r, EVAL_VALUE);
    eval_made(e, id, r->lanes);
    return true;
}

/* Of what the neighbours have loaded together, or will store. */
static bool together(Eval *e, int id, const Ins *i) {
    size_t bytes = bytes_of((ThDtype)e->k->acc.at[i->a].dtype);
    char *p = eval_together(e, id, e->lane);
    if (i->op == INS_STORE) {
        if (!readable(e, id, i->b, 1)) return false;
        memcpy(p, e->value[i->b].at, bytes);
        return true;
    }
    memcpy(e->value[id].at, p, bytes);
    fill(&e->value[id], bytes, 1);
    eval_made(e, id, 1);
    return true;
}

static bool one(Eval *e, int id) {
    const Ins *i = ins_at(e, id);
    int lanes = lanes_here(e, i);
    if (lanes > 2 && (e->way->value[id] & VALUE_HALVES)) return true;
    if (i->op != INS_STORE && i->op != INS_FAIL_IF && e->value[id].there) return eval_wrong(e, "v%d is made twice", id);
    if (e->way->value[id] & VALUE_TOGETHER) return together(e, id, i);
    switch (i->op) {
    case INS_STORE: return store(e, id, i, lanes);
    case INS_LOAD:
    case INS_EP: {
        if (!load(e, id, i, i->op == INS_EP ? e->s->st->C : i->a, lanes)) return false;
        eval_made(e, id, lanes);
        return true;
    }
    case INS_PARAM:
    case INS_CONST: literal(e, i, e->value[id].at); return eval_made(e, id, 1), true;
    case INS_INDEX: return position(e, id, i, lanes);
    case INS_SIZE:
        for (int j = 0; j < EVAL_LANES; j++) ((int64_t *)e->value[id].at)[j] = eval_size(e, e->k->size.at[i->a]);
        return eval_made(e, id, 1), true;
    case INS_CHECK_INDEX: return check_index(e, id, i);
    case INS_FAIL_IF:
        if (lanes > 1 || !readable(e, id, i->a, 1)) return eval_wrong(e, "v%d looks at a vector", id);
        return !e->value[i->a].at[0] || fails(e, (ThError)i->b);
    case INS_RED: return finished(e, id, i);
    case INS_CAST: return cast(e, id, i, lanes);
    default: return scalar(e, id, i, lanes);
    }
}

bool eval_code(Eval *e, const int *ids, int n, bool once) {
    for (int j = 0; j < n; j++) {
        if (once && e->writer && ins_at(e, ids[j])->op == INS_STORE) e->epoch++; /* all have read what stood there */
        int thread = e->thread;
        if (once && ins_at(e, ids[j])->op == INS_STORE) e->thread = 0;
        bool ok = one(e, ids[j]);
        e->thread = thread;
        if (!ok) return false;
    }
    return true;
}

/* ---- moves ---- */
/* The row that all rows share, as often as vectors take to start at its first element again. */
static bool repeat(Eval *e, int acc, int room) {
    const Access *a = &e->k->acc.at[acc];
    size_t bytes = bytes_of((ThDtype)a->dtype);
    if (e->n[1] > room) return eval_wrong(e, "a row of %lld elements repeated", (long long)e->n[1]);
    for (int64_t h = 0; h < e->n[1] * e->lanes; h++) {
        const char *p = element(e, acc, eval_size(e, a->off) + h % e->n[1], false);
        if (!p) return false;
        memcpy(eval_array(e, acc) + (size_t)h * bytes, p, bytes);
    }
    return true;
}

/* All columns of one vector's rows. */
static bool columns(Eval *e, int id, bool get) {
    const Ins *i = ins_at(e, id);
    const Access *a = &e->k->acc.at[i->a];
    int rows = e->tail ? (int)e->m : e->lanes, row = e->way->row, col = e->s->loop[row + 1], to = e->way->array[i->a];
    int64_t bytes = (int64_t)bytes_of((ThDtype)a->dtype), st = eval_size(e, a->st[row]), at;
    if (to < 0 || !e->in[row]) return eval_wrong(e, "rows of v%d as columns of nothing", id);
    if (e->n[col] > SIDE_MOST) return eval_wrong(e, "%lld columns", (long long)e->n[col]);
    at = eval_size(e, a->off) + (e->split ? e->row0 * eval_size(e, a->st[0]) : 0);
    for (int d = 0; d <= row; d++) at += e->i[d] * eval_size(e, a->st[d]);
    for (int r = 0; r < (get ? e->lanes : rows); r++)
        for (int64_t j = 0; j < e->n[col]; j++) {
            char *p = element(e, i->a, at + (r < rows ? r : 0) * st + j, !get);
            char *x = eval_array(e, to) + j * EVAL_VALUE + r * bytes;
            if (!p) return false;
            memcpy(get ? x : p, get ? p : x, (size_t)bytes);
        }
    return true;
}

/* What is asked for ahead need not be there; what tells its place must. */
static bool ahead(Eval *e, const int *ids, int n) {
    for (int j = 0; j < n; j++) {
        const Ins *i = ins_at(e, ids[j]);
        const Access *a = i->op == INS_LOAD ? &e->k->acc.at[i->a] : NULL;
        int64_t at;
        if (!a || a->idx >= 0 || i->depth != e->s->nloop) continue;
        if (!place(e, i->a, i->depth, 0, 0, &at)) return false;
    }
    return true;
}

/* What all neighbours load, before anything else; what they store, at the end. */
static bool neighbours(Eval *e, int id, bool in) {
    const Ins *i = ins_at(e, id);
    int dim = e->s->loop[e->s->nloop - 1];
    size_t bytes = bytes_of((ThDtype)e->k->acc.at[i->a].dtype);
    bool ok = true;
    if (in) memset(eval_together(e, id, 0), 0, EVAL_LANES * 16);
    for (int j = 0; j < e->there && ok; j++) {
        Value *v = &e->value[in ? id : i->b];
        e->in[dim] = true;
        e->i[dim] = e->begin + j;
        if (in) ok = load(e, id, i, i->a, 1), memcpy(eval_together(e, id, j), v->at, bytes);
        else {
            const Value kept = *v; /* another one, or a single one that stands around the loop */
            v->there = true, v->lanes = 1;
            memcpy(v->at, eval_together(e, id, j), bytes);
            ok = store(e, id, i, 1);
            *v = kept;
        }
        e->in[dim] = false;
    }
    return ok;
}

bool eval_move(Eval *e, const NestNode *n) {
    switch ((NestMove)n->how) {
    case MOVE_ARRAY: memset(eval_array(e, n->first), 0xa5, SIDE_MOST * EVAL_VALUE); return true;
    case MOVE_GET: return columns(e, n->first, true);
    case MOVE_PUT: return columns(e, n->first, false);
    case MOVE_REPEAT: return repeat(e, n->first, n->n);
    case MOVE_AHEAD: return e->vector < 0 || ahead(e, n->ids, n->n);
    case MOVE_NEXT: return e->tail || ahead(e, &n->first, 1);
    case MOVE_LOAD: return neighbours(e, n->first, true);
    case MOVE_STORE: return neighbours(e, n->first, false);
    case MOVE_TURN: return true; /* nothing stores there: the tile is as it is when it is looked at */
    }
    return true;
}

/* A whole row by memcpy. */
/* The first of the row's best, of NaN if there are any, which the lane that it lies in has then. */
static void sought(Eval *e, int r, const char *row, int64_t n) {
    const Red *d = &e->k->red.at[r];
    const ThDtype t = (ThDtype)e->k->ins.at[d->v].dtype;
    const bool largest = seek_largest(e->k, d), negative = e->k->ins.at[d->v].op != INS_LOAD;
    RedState *s = eval_red(e, r, 0);
    double best = 0;
    int64_t at = 0;
    for (int64_t j = 0; j < n; j++) {
        double x = t == TH_FLOAT32 ? (double)((const float *)row)[j] : ((const double *)row)[j];
        if (j && !(best == best && (x != x || (largest ? x > best : x < best)))) continue;
        best = x, at = j;
    }
    if (negative) best = -best;
    s->at[at % e->lanes] = at / e->lanes;
    if (t == TH_FLOAT32) ((float *)s->best)[at % e->lanes] = (float)best;
    else ((double *)s->best)[at % e->lanes] = best;
}

bool eval_seek(Eval *e) {
    const Ins *in = ins_at(e, seek_load(e->k, &e->k->red.at[e->s->st->red0]));
    const int dim = e->s->st->vec;
    const int64_t n = e->n[dim];
    int64_t from;
    if (n < 1) return true;
    e->in[dim] = true;
    e->i[dim] = 0;
    bool ok = place(e, in->a, in->depth, 0, 0, &from);
    e->in[dim] = false;
    const char *p = ok && element(e, in->a, from + n - 1, false) ? element(e, in->a, from, false) : NULL;
    for (int r = e->s->st->red0; p && r < e->s->st->red0 + e->s->st->nred; r++) sought(e, r, p, n);
    return p != NULL;
}

bool eval_copy(Eval *e, const int *ids) {
    const Ins *in = ins_at(e, ids[0]), *out = ins_at(e, ids[1]);
    const Access *x = &e->k->acc.at[in->a], *y = &e->k->acc.at[out->a];
    int dim = e->s->st->vec;
    int64_t from, to, ix, iy, last = e->n[dim] - 1;
    bool was = e->in[dim];
    e->in[dim] = true;
    e->i[dim] = 0;
    bool ok = index_of(e, ids[0], x, &ix) && index_of(e, ids[1], y, &iy) && place(e, in->a, in->depth, 0, ix, &from) &&
              place(e, out->a, out->depth, 0, iy, &to);
    e->in[dim] = was;
    if (!ok || last < 0) return ok;
    if (!element(e, in->a, from + last, false) || !element(e, out->a, to + last, true)) return false;
    const char *p = element(e, in->a, from, false);
    char *q = element(e, out->a, to, true);
    if (!p || !q) return false;
    memcpy(q, p, (size_t)e->n[dim] * bytes_of((ThDtype)in->dtype));
    return true;
}
