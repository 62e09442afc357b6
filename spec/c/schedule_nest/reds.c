/*
 * reds.c -- accumulators of a Nest, in the layout that the node says: 256 bytes of them in several vectors along a row,
 * a vector for as many points, one a column where rows lie in lanes; folded by halves.
 */
#include "eval.h"

#include <math.h>
#include <string.h>

static const Red *red_at(const Eval *e, int r) { return &e->k->red.at[r]; }
static bool is_side(const Eval *e) { return e->way->kind == WAY_SIDE; }
static bool in_lanes(const Eval *e) { return red_in_lanes(e->k, e->s); }
static size_t bytes_of(const Red *d) { return th_dtype_bytes((ThDtype)d->acc_dtype); }
static ThDtype value_dtype(const Eval *e, const Red *d) { return (ThDtype)e->k->ins.at[d->v].dtype; }

RedState *eval_red(Eval *e, int red, int vector) { return e->red + red * (EVAL_VECTORS + 1) + vector; }

/* The one that is meant here: a name of its own for each vector, but for accumulators along a row. */
static RedState *own(Eval *e, int r) {
    return eval_red(e, r, e->vector >= 0 && (!in_lanes(e) || red_is_arg(red_at(e, r))) ? e->vector + 1 : 0);
}

static int width(const Eval *e, const Red *d) {
    return in_lanes(e) || (e->s->vec >= 0 && d->depth > e->s->vec) ? e->lanes : 1;
}

static void identity(RedKind kind, ThDtype t, char *to, int n) {
    char k = th_dtype_kind(t);
    ThValue v = {0};
    int one = kind == RED_PROD || kind == RED_AND, bits = (int)th_dtype_bytes(t) * 8;
    uint64_t top = bits > 64 ? 0 : UINT64_MAX >> (64 - bits);
    bool max = kind == RED_MAX || kind == RED_ARGMAX, min = kind == RED_MIN || kind == RED_ARGMIN;
    if (k == 'c') v.c = (ThComplex128){one, 0};
    else if (k == 'f') v.f = max ? -INFINITY : min ? INFINITY : one;
    else if (t == TH_BOOL) v.i = max ? 0 : min ? 1 : one;
    else if (k == 'u') v.i = max ? 0 : min ? (int64_t)top : one;
    else v.i = max ? -(int64_t)(top >> 1) - 1 : min ? (int64_t)(top >> 1) : one;
    dtype_cast(to, t, (int64_t)th_dtype_bytes(t), (const char *)&v,
               k == 'c'   ? TH_COMPLEX128
               : k == 'f' ? TH_FLOAT64
               : k == 'u' ? TH_UINT64
                          : TH_INT64,
               0, n);
}

/* acc = acc (+) v, n neighbours */
static void combine(Eval *e, const Red *d, int n, char *acc, const char *v) {
    e->simd->fold[d->kind][d->acc_dtype](n, acc, v);
}

/* ---- positions ---- */
/* 64 bits of mantissa: every number of every dtype. */
static long double number(ThDtype d, const char *p) {
    switch (d) {
#define X(NAME, name, ctype, letter, kind, bytes) \
    case TH_##NAME: { \
        ctype x; \
        memcpy(&x, p, sizeof x); \
        return NUMBER_##NAME(x); \
    }
#define NUMBER_BOOL(x) x
#define NUMBER_INT8(x) x
#define NUMBER_INT16(x) x
#define NUMBER_INT32(x) x
#define NUMBER_INT64(x) x
#define NUMBER_UINT8(x) x
#define NUMBER_UINT16(x) x
#define NUMBER_UINT32(x) x
#define NUMBER_UINT64(x) x
#define NUMBER_FLOAT32(x) x
#define NUMBER_FLOAT64(x) x
#define NUMBER_FLOAT16(x) x
#define NUMBER_BFLOAT16(x) x
#define NUMBER_COMPLEX64(x) x.re
#define NUMBER_COMPLEX128(x) x.re
        TH_DTYPE_MAP(X)
#undef X
    default: return 0;
    }
}

static bool position(Eval *e, int64_t *p) {
    *p = 0;
    for (int l = 0; l < e->s->nloop; l++) {
        int d = e->s->loop[l];
        if (e->k->dim[d].kind != DIM_RED) continue;
        if (!e->in[d]) return eval_wrong(e, "a position along i%d, which is not there", d);
        *p = *p * e->n[d] + e->i[d];
    }
    return true;
}

static void arg_init(Eval *e, const Red *d, RedState *s) {
    bool max = d->kind == RED_ARGMAX;
    int lanes = width(e, d);
    identity(max ? RED_MAX : RED_MIN, value_dtype(e, d), s->best, EVAL_LANES);
    for (int j = 0; j < EVAL_LANES; j++) s->at[j] = lanes == 1 ? -1 : 0;
}

static bool arg_step(Eval *e, int r, RedState *s) {
    const Red *d = red_at(e, r);
    ThDtype t = value_dtype(e, d);
    bool max = d->kind == RED_ARGMAX;
    int lanes = width(e, d);
    size_t bytes = th_dtype_bytes(t);
    int64_t p = 0;
    if (lanes == 1 || is_side(e) || !in_lanes(e)) {
        if (!position(e, &p)) return false;
    } else if (e->vector >= 0) p = e->j[e->s->st->vec] / lanes + e->vector;
    else p = e->u;
    if (lanes > 1 && !is_side(e) && in_lanes(e) && e->n[e->s->st->vec] > INT32_MAX) return eval_wrong(e, "too long");
    for (int j = 0; j < lanes; j++) {
        const char *v = e->value[d->v].at + (size_t)j * bytes;
        char *b = s->best + (size_t)j * bytes;
        long double x = number(t, v), y = number(t, b);
        bool better = max ? x > y : x < y;
        if (lanes == 1) better = s->at[0] < 0 || better || (x != x && y == y);
        else if (dtype_is_float(t)) better = !(max ? x <= y : x >= y) && y == y;
        if (lanes > 1 && e->tail && in_lanes(e) && j >= e->m) better = false;
        if (!better) continue;
        memcpy(b, v, bytes);
        s->at[j] = p;
    }
    return true;
}

/* Of the lanes' best the best, by halves: vector number, then lane. */
static void arg_final(Eval *e, const Red *d, RedState *s) {
    ThDtype t = value_dtype(e, d);
    bool max = d->kind == RED_ARGMAX;
    size_t bytes = th_dtype_bytes(t);
    int lanes = width(e, d), lane[EVAL_LANES];
    s->ended = true;
    s->lanes = in_lanes(e) ? 1 : lanes;
    for (int j = 0; j < EVAL_LANES; j++) lane[j] = j;
    for (int h = lanes / 2; h && in_lanes(e); h /= 2)
        for (int j = 0; j < h; j++) {
            char *x = s->best + (size_t)j * bytes, *y = x + (size_t)h * bytes;
            long double a = number(t, x), b = number(t, y);
            int64_t p = s->at[j], q = s->at[j + h];
            bool same = a == b || (a != a && b != b);
            if (same ? q < p || (q == p && lane[j + h] < lane[j]) : !(max ? b <= a : b >= a) && a == a) {
                memcpy(x, y, bytes);
                s->at[j] = q;
                lane[j] = lane[j + h];
            }
        }
    if (in_lanes(e) && lanes > 1) s->at[0] = s->at[0] * lanes + lane[0];
    for (int j = 0; j < EVAL_LANES; j++) ((int64_t *)s->r)[j] = s->at[s->lanes == 1 ? 0 : j];
}

/* ---- values along rows and down columns ---- */
static bool there(Eval *e, int r, int id) {
    return e->value[id].there || eval_wrong(e, "r%d takes v%d, which is not there", r, id);
}

/* What is reduced: of a value that is not made its operand, wider. */
static bool taken(Eval *e, int r, const char **v, char *room) {
    const Red *d = red_at(e, r);
    if (!nest_halves(e->nest, e->way, red_at(e, r)->stage, r)) {
        *v = e->value[d->v].at;
        return there(e, r, d->v);
    }
    const Ins *i = &e->k->ins.at[d->v];
    if (!there(e, r, i->a)) return false;
    eval_cast(e, room, (ThDtype)d->acc_dtype, e->value[i->a].at, (ThDtype)e->k->ins.at[i->a].dtype);
    *v = room;
    return true;
}

static bool step(Eval *e, int r, RedState *s) {
    const Red *d = red_at(e, r);
    size_t bytes = bytes_of(d);
    char room[EVAL_VALUE];
    const char *v;
    int lanes = width(e, d), all = red_lanes(d), n = lanes;
    if (!taken(e, r, &v, room)) return false;
    if (!in_lanes(e)) {
        int of = e->value[d->v].there ? e->value[d->v].lanes : lanes;
        if (of != 1 && of != lanes) return eval_wrong(e, "r%d of %d lanes takes %d", r, lanes, of);
        combine(e, d, lanes, s->acc, v);
        return true;
    }
    int first = (e->vector >= 0 ? e->vector : e->u) * lanes;
    if (e->vector >= 0 && !nest_halves(e->nest, e->way, d->stage, r) && first >= all)
        return eval_wrong(e, "r%d has no accumulators for vector %d", r, e->vector);
    if (e->tail) n = (int)e->m;
    combine(e, d, n, s->acc + (size_t)(first % all) * bytes, v);
    return true;
}

/* By halves; vectors that no element of the row reached stay out. */
static void final(Eval *e, int r, RedState *s) {
    const Red *d = red_at(e, r);
    size_t bytes = bytes_of(d);
    s->ended = true;
    if (!in_lanes(e)) {
        s->lanes = width(e, d);
        memcpy(s->r, s->acc, sizeof s->r);
    } else {
        int lanes = nest_acc_lanes(e->nest, e->way, d->stage, r), h = red_lanes(d) / 2;
        bool all = d->kind == RED_PROD && dtype_is_complex((ThDtype)d->acc_dtype); /* 1 is not neutral to infinity */
        for (; h >= lanes; h /= 2)
            if (all || e->n[e->s->st->vec] > h) combine(e, d, h, s->acc, s->acc + (size_t)h * bytes);
        for (; h; h /= 2) combine(e, d, h, s->acc, s->acc + (size_t)h * bytes);
        s->lanes = 1;
    }
    if (s->lanes > 1) return;
    for (int j = 0; j < EVAL_LANES; j++) memmove(s->r + (size_t)j * bytes, s->acc, bytes);
}

/* ---- rows in lanes: element j of each row waits in w[j] ---- */
static char *column(Eval *e, int r, int64_t j) { return e->columns + ((size_t)r * SIDE_MOST + (size_t)j) * EVAL_VALUE; }

static bool side_step(Eval *e, int r) {
    const Red *d = red_at(e, r);
    const int col = e->s->loop[e->way->row + 1];
    int64_t j = e->i[col];
    char room[EVAL_VALUE];
    const char *v;
    if (!e->in[col] || j >= SIDE_MOST) return eval_wrong(e, "r%d has no column %lld", r, (long long)j);
    if (!taken(e, r, &v, room)) return false;
    identity((RedKind)d->kind, (ThDtype)d->acc_dtype, column(e, r, j), EVAL_LANES);
    combine(e, d, EVAL_LANES, column(e, r, j), v);
    return true;
}

static void side_final(Eval *e, int r, RedState *s) {
    const Red *d = red_at(e, r);
    int64_t n = e->n[e->s->loop[e->way->row + 1]];
    int h = red_lanes(d);
    for (int64_t j = 0; j + h < n; j++) combine(e, d, EVAL_LANES, column(e, r, j % h), column(e, r, j + h));
    for (h /= 2; h; h /= 2)
        for (int64_t j = 0; j < h && j + h < n; j++) combine(e, d, EVAL_LANES, column(e, r, j), column(e, r, j + h));
    if (n) memcpy(s->r, column(e, r, 0), sizeof s->r);
    else identity((RedKind)d->kind, (ThDtype)d->acc_dtype, s->r, EVAL_LANES);
    s->lanes = e->lanes;
    s->ended = true;
}

/* ---- nodes ---- */
static bool begin(Eval *e, int r) {
    const Red *d = red_at(e, r);
    RedState *s = own(e, r);
    s->begun = true;
    s->ended = false;
    if (red_is_arg(d)) arg_init(e, d, s);
    else identity((RedKind)d->kind, (ThDtype)d->acc_dtype, s->acc, 256 / (int)bytes_of(d));
    return true;
}

static bool one(Eval *e, int r, NestAcc how) {
    const Red *d = red_at(e, r);
    if (how == ACC_BEGIN) return begin(e, r);
    RedState *s = own(e, r);
    if (!s->begun || s->ended) return eval_wrong(e, "r%d goes on where it has not begun", r);
    if (red_is_arg(d)) {
        if (how == ACC_STEP) return there(e, r, d->v) && arg_step(e, r, s);
        arg_final(e, d, s);
    } else if (how == ACC_STEP) return is_side(e) ? side_step(e, r) : step(e, r, s);
    else if (is_side(e)) side_final(e, r, s);
    else final(e, r, s);
    return true;
}

bool eval_acc(Eval *e, const NestNode *n) {
    if (n->how == ACC_JOIN && e->parts) return eval_parts(e, n->first, n->n);
    for (int r = n->first; r < n->first + n->n; r++)
        if (!(n->how == ACC_FOLD ? eval_fold(e, r, e->threads + r * EVAL_THREADS) : one(e, r, (NestAcc)n->how)))
            return false;
    return true;
}

/* ---- vectors: chains of positions that each start with nothing, and come together ---- */
static void join_chain(Eval *e, const Red *d, RedState *all, const RedState *chain) {
    ThDtype t = value_dtype(e, d);
    size_t bytes = th_dtype_bytes(t);
    bool max = d->kind == RED_ARGMAX;
    for (int j = 0; j < e->lanes; j++) {
        long double x = number(t, chain->best + (size_t)j * bytes), b = number(t, all->best + (size_t)j * bytes);
        bool same = x == b || (x != x && b != b);
        if (!(same ? chain->at[j] < all->at[j] : !(max ? x <= b : x >= b) && b == b)) continue;
        memcpy(all->best + (size_t)j * bytes, chain->best + (size_t)j * bytes, bytes);
        all->at[j] = chain->at[j];
    }
}

bool eval_turns(Eval *e, const NestNode *n, bool start) {
    const Stage *st = e->s->st;
    for (int r = st->red0; r < st->red0 + st->nred; r++) {
        const Red *d = red_at(e, r);
        RedState *all = eval_red(e, r, 0);
        if (!all->begun || all->ended) return eval_wrong(e, "vectors of r%d, which has not begun", r);
        if (!red_is_arg(d)) {
            int lanes = nest_acc_lanes(e->nest, e->way, n->stage, r);
            bool halves = nest_halves(e->nest, e->way, n->stage, r);
            if (!halves && red_lanes(d) != n->vectors * lanes)
                return eval_wrong(e, "r%d is no %d vectors", r, n->vectors);
            if (n->vectors * e->lanes % red_lanes(d)) return eval_wrong(e, "r%d does not come round", r);
            continue;
        }
        for (int j = 0; j < n->vectors && start; j++) *eval_red(e, r, j + 1) = *all;
        if (start || !e->j[st->vec]) continue;
        *all = *eval_red(e, r, 1);
        for (int j = 1; j < n->vectors; j++) join_chain(e, d, all, eval_red(e, r, j + 1));
    }
    return true;
}

/* ---- blocks: a part's result to that of those before it ---- */
bool eval_join(Eval *e, const RedState *part, RedState *all, int64_t first, bool start) {
    for (int r = 0; r < e->k->red.n; r++) {
        const Red *d = red_at(e, r);
        if (!part[r].ended) return eval_wrong(e, "a block without an end of r%d", r);
        if (start) all[r] = part[r];
        else if (red_is_arg(d)) {
            ThDtype t = value_dtype(e, d);
            long double x = number(t, part[r].best), y = number(t, all[r].best);
            if (!((d->kind == RED_ARGMAX ? x > y : x < y) || (x != x && y == y))) continue;
            all[r] = part[r];
            for (int j = 0; j < EVAL_LANES; j++) ((int64_t *)all[r].r)[j] += first;
        } else combine(e, d, EVAL_LANES, all[r].r, part[r].r);
    }
    return true;
}

/* ---- a GPU's block: thread t with t + 128, then t + 64, ..; a warp: with t + 16, .. ---- */
bool eval_fold(Eval *e, int r, RedState *of) {
    const Red *d = red_at(e, r);
    ThDtype t = value_dtype(e, d);
    RedState *s = eval_red(e, r, 0);
    e->epoch++;
    for (int h = grid_group(e->nest) / 2; h; h /= 2)
        for (int j = 0; j < h; j++) {
            RedState *a = &of[j], *b = &of[j + h];
            if (!a->begun || !b->begun) return eval_wrong(e, "r%d is folded where it has not begun", r);
            if (!red_is_arg(d)) {
                combine(e, d, 1, a->acc, b->acc);
                continue;
            }
            long double x = number(t, a->best), y = number(t, b->best);
            bool nx = x != x, ny = y != y, same = (nx && ny) || x == y;
            if (b->at[0] < 0) continue;
            if (a->at[0] < 0 || (same ? b->at[0] < a->at[0] : ny || (!nx && (d->kind == RED_ARGMAX ? y > x : y < x))))
                *a = *b;
        }
    *s = of[0];
    s->ended = true;
    s->lanes = 1;
    size_t bytes = red_is_arg(d) ? 8 : bytes_of(d);
    for (int j = 0; j < EVAL_LANES; j++)
        memcpy(s->r + (size_t)j * bytes, red_is_arg(d) ? (const char *)s->at : s->acc, bytes);
    return true;
}

/* Each part keeps what it has; threads of the last one take these in turn, and are folded. */
bool eval_parts(Eval *e, int red, int n) {
    int group = grid_group(e->nest);
    for (int r = red; r < red + n; r++) e->kept[r * EVAL_PARTS + e->part] = *eval_red(e, r, 0);
    e->stop = ++e->ended < e->parts;
    for (int r = red; r < red + n && !e->stop; r++) {
        RedState *of = e->threads + r * EVAL_THREADS;
        for (int j = 0; j < group; j++) {
            begin(e, r);
            of[j] = *eval_red(e, r, 0);
            if (j >= e->parts) continue;
            const RedState *kept = &e->kept[r * EVAL_PARTS + j];
            if (red_is_arg(red_at(e, r))) of[j] = *kept;
            else combine(e, red_at(e, r), 1, of[j].acc, kept->r);
            of[j].begun = true;
        }
        if (!eval_fold(e, r, of)) return false;
    }
    return true;
}
