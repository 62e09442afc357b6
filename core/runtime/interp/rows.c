/*
 * rows.c -- rows and columns that are reduced as they lie in memory: no instruction stands between the loads and the
 * reductions but a product that is summed, a float that is summed as a double, an opposite whose greatest is sought, or
 * the square of what a float differs by from a number of its row.
 * In: a stage whose innermost loop is reduced. Out: its accumulators fed, thousands of elements at a time. Always
 * holds: the lanes take the values that blocks would give them, in the same order, hence the same bits.
 */
#include "interp.h"

#include <string.h>

enum { PLAIN, PRODUCT, OPPOSITE, WIDENED, SPREAD };

static bool is_view(const IKernel *ik, int id) {
    const IIns *i = &ik->ins[id];
    return i->block && i->view && i->ins->op == INS_LOAD;
}

typedef void (*SpreadFn)(int64_t n, void *acc, const void *v, const void *centre);
#ifdef __OPTIMIZE_SIZE__
static SpreadFn spread_of(const SimdTable *simd, int t) { return (void)simd, (void)t, NULL; }
#else
static SpreadFn spread_of(const SimdTable *simd, int t) { return simd->spreads[t]; }
#endif
static bool is_spread(const SimdTable *simd, const IRed *d) { return d->way == SPREAD && spread_of(simd, TH_FLOAT64); }

/* What is squared and summed, if that is a load and what it differs by from a number of the row; else NULL. */
static const IMicro *difference(const SimdTable *simd, const IKernel *ik, const IRed *d) {
    const IIns *v = &ik->ins[d->red->v];
    const ThDtype t = (ThDtype)v->ins->dtype;
    if (d->red->kind != RED_SUM || !v->block || v->nmicro != 1 || !spread_of(simd, t)) return NULL;
    const IMicro *m = &ik->micro.at[v->micro];
    const int a = m->in[0].value, b = m->in[1].value;
    if (m->fn != simd_prim(simd, P_mul, t) || a != b || a < 0 || ik->ins[a].nmicro != 1) return NULL;
    m = &ik->micro.at[ik->ins[a].micro];
    const int x = m->in[0].value, y = m->in[1].value;
    const bool good = m->fn == simd_prim(simd, P_sub, t) && x >= 0 && y >= 0 && is_view(ik, x) && !ik->ins[y].block;
    return good ? m : NULL;
}

/* How a reduced value comes from loads, or -1. */
static int way_of(const SimdTable *simd, const IKernel *ik, const IRed *d) {
    const IIns *v = &ik->ins[d->red->v];
    const ThDtype t = v->ins->dtype;
    if (!v->block) return -1;
    if (is_view(ik, d->red->v)) return PLAIN;
    if (v->nmicro != 1) return -1;
    if (difference(simd, ik, d)) return SPREAD;
    const IMicro *m = &ik->micro.at[v->micro];
    const int kind = d->red->kind, a = m->in[0].value, b = m->in[1].value;
    if (a < 0 || !is_view(ik, a) || dtype_is_discrete(t) || dtype_is_complex(t)) return -1;
    if (m->fn == simd_prim(simd, P_neg, t) && (kind == RED_MAX || kind == RED_ARGMAX)) return OPPOSITE;
    if (m->fn == simd->cast[TH_FLOAT64][TH_FLOAT32] && kind == RED_SUM) return WIDENED;
    if (m->fn == simd_prim(simd, P_mul, t) && kind == RED_SUM && b >= 0 && is_view(ik, b) && simd->products[t])
        return PRODUCT;
    return -1;
}

static int squared(const IKernel *ik, const IRed *d) { return ik->micro.at[ik->ins[d->red->v].micro].in[0].value; }
static const IMicro *differs(const IKernel *ik, const IRed *d) { return &ik->micro.at[ik->ins[squared(ik, d)].micro]; }

/* Where nothing else has the number in blocks it stands in its register once (widen). */
static void narrow(IKernel *ik, IRed *d) {
    const Kernel *k = ik->k;
    const int number = differs(ik, d)->in[1].value;
    int v[6], readers = 0;
    for (int id = 0; id < k->ins.n; id++)
        for (int n = ik->ins[id].block ? ins_reads(k, &k->ins.at[id], v) : 0; n > 0; n--) readers += v[n - 1] == number;
    for (int i = 0; i < k->red.n; i++) readers += k->red.at[i].v == number;
    d->narrow = readers == 1;
    if (d->narrow) ik->ins[number].fill = 0;
}

/* The stage of an IKernel, all but its own instructions being prepared. */
bool interp_rows_suit(const SimdTable *simd, IKernel *ik, const LoopStage *s) {
    const Kernel *k = ik->k;
    if (s->st->cls != STAGE_LOOP || s->vec < 0 || s->vec != s->nloop - 1 || !s->st->nred) return false;
    if (k->dim[s->loop[s->vec]].kind != DIM_RED || s->npost[s->nloop]) return false;
    for (int j = 0; j < s->npre[s->nloop]; j++) {
        const int id = ik->order.code[s->pre[s->nloop] + j];
        bool read = is_view(ik, id);
        for (int i = 0; i < s->st->nred; i++) {
            const IRed *d = &ik->red[s->st->red0 + i];
            read |= d->red->v == id || (difference(simd, ik, d) && squared(ik, d) == id);
        }
        if (!read) return false;
    }
    for (int i = 0; i < s->st->nred; i++) {
        IRed *d = &ik->red[s->st->red0 + i];
        const int way = d->lanes ? way_of(simd, ik, d) : -1;
        if (way < 0 || (d->fold && dtype_is_complex((ThDtype)d->red->acc_dtype))) return false;
        d->way = (uint8_t)way;
    }
    for (int i = 0; i < s->st->nred; i++)
        if (is_spread(simd, &ik->red[s->st->red0 + i])) narrow(ik, &ik->red[s->st->red0 + i]);
    return true;
}

/* ---- columns: the reduced loop stands inside that of the vectors ------------------------------------------------- */
/* The one reduction of such a stage, all of whose instructions are loads and perhaps a product of two; or NULL. */
static const IRed *column(const SimdTable *simd, const IKernel *ik, const LoopStage *s) {
    const IRed *d = &ik->red[s->st->red0];
    if (s->st->cls != STAGE_LOOP || s->vec < 0 || s->vec != s->nloop - 2 || s->st->nred != 1) return NULL;
    if (ik->k->dim[s->loop[s->nloop - 1]].kind != DIM_RED || d->lanes || !d->fold) return NULL;
    if (s->npost[s->nloop] || s->npre[s->vec + 1] || s->nred[s->vec + 1] != 1) return NULL;
    const int way = way_of(simd, ik, d), n = s->npre[s->nloop];
    if ((way == PLAIN && n == 1) || (way == WIDENED && n == 2) || (way == PRODUCT && n == 3)) return d;
    return NULL;
}

bool interp_columns_suit(const SimdTable *simd, IKernel *ik, const LoopStage *s) {
    const IRed *d = column(simd, ik, s);
    if (d) ik->red[s->st->red0].way = (uint8_t)way_of(simd, ik, d);
    return d != NULL;
}

static char *start(const IRun *r, const LoopStage *s, int acc) { /* of the block, in the first row */
    char *p = r->base[acc];
    for (int l = 0; l < s->nloop - 1; l++) p += (l == s->vec ? r->pos : r->idx[s->loop[l]]) * r->st[acc][s->loop[l]];
    return p;
}

enum { PAGE = 4096, BIG = 1 << 20 }; /* bytes; the latter are what the second cache holds */

/* What is folded at r->pos, and how far it is to the next row. */
typedef struct Columns {
    const IRed *d;
    const char *p, *q;          /* elements, and the number that a row of them is multiplied by */
    int64_t step, qstep, bytes; /* of an element */
} Columns;

static bool columns_of(const IRun *r, const LoopStage *s, Columns *c) {
    const IKernel *ik = r->ik;
    const IRed *d = &ik->red[s->st->red0];
    const IIns *v = &ik->ins[d->red->v];
    const IMicro *m = v->nmicro ? &ik->micro.at[v->micro] : NULL;
    const int along = s->loop[s->vec], over = s->loop[s->nloop - 1];
    int dense = d->way == PLAIN ? d->red->v : m->in[0].value, number = d->way == PRODUCT ? m->in[1].value : dense;
    if (d->way == PRODUCT && !r->st[ik->ins[dense].ins->a][along]) {
        const int other = dense;
        dense = number, number = other;
    }
    const int a = ik->ins[dense].ins->a, b = ik->ins[number].ins->a;
    if (r->st[a][along] != ik->ins[dense].bytes || (a != b && r->st[b][along])) return false;
    if (d->way == PRODUCT && a == b) return false;
    *c = (Columns){d, start(r, s, a), start(r, s, b), r->st[a][over], r->st[b][over], ik->ins[dense].bytes};
    return true;
}

/* Bytes that a stage reads of elements of `item`, or `most` where that is less. */
static int64_t read_in_all(const IRun *r, const LoopStage *s, int64_t item, int64_t most) {
    for (int l = 0; l < s->nloop && item < most; l++) item *= r->n[s->loop[l]];
    return item;
}

/* Several rows at once, where the reduction has that. From memory, rows of less than a page come faster one by one: the
 * processor guesses what comes next of each page alone. */
static bool fold_down(const IRun *r, const LoopStage *s, const Columns *c, int64_t rows, int64_t len, char *acc) {
#ifndef __OPTIMIZE_SIZE__
    const RedKind kind = (RedKind)c->d->red->kind;
    const bool near = len * c->bytes >= PAGE || read_in_all(r, s, c->bytes, BIG) < BIG;
    if (near && c->d->way == PLAIN && kind <= RED_MIN && r->simd->down[kind][c->d->red->acc_dtype])
        return r->simd->down[kind][c->d->red->acc_dtype](len, acc, rows, c->p, c->step), true;
#endif
    return (void)r, (void)s, (void)c, (void)rows, (void)len, (void)acc, false;
}

static void fold_columns(const IRun *r, const LoopStage *s, const Columns *c, int64_t rows, int64_t len, char *acc) {
    const ThDtype t = (ThDtype)c->d->red->acc_dtype;
    const char *p = c->p;
    if (fold_down(r, s, c, rows, len, acc)) return;
    if (c->d->way == PRODUCT) r->simd->scaled[t](len, acc, rows, c->q, c->qstep, p, c->step);
    else if (c->d->way == WIDENED) r->simd->widened_each(len, acc, rows, p, c->step);
    else
        for (int64_t i = 0; i < rows; i++, p += c->step) c->d->fold(len, acc, p);
}

/* The rows of one block: n of them. */
bool interp_columns(IRun *r, const LoopStage *s, int64_t n) {
    Columns c;
    if (!columns_of(r, s, &c)) return false;
    fold_columns(r, s, &c, n, r->len, r->regs + c.d->reg);
    return true;
}

/* Columns from `from` on of many long rows, which are read in longer pieces than a block: one block after the other
 * would go through memory once for each. What follows goes by blocks. How many there were; 0: they are no such columns,
 * or are too few; -1: it failed. */
int64_t interp_wide_columns(IRun *r, const LoopStage *s, int64_t from, int64_t n) {
    enum { WIDE = 1 << 15 }; /* bytes: most of the nearest cache */
    const IKernel *ik = r->ik;
    const int at = s->vec + 1;
    const int64_t rows = r->n[s->loop[s->nloop - 1]], each = ik->step[s - ik->order.stage];
    char acc[WIDE] __attribute__((aligned(64)));
    Columns c;
    r->pos = from;
    const bool suits = !s->npre[at] && s->nred[at] == 1 && n - from > each && columns_of(r, s, &c);
    r->pos = 0;
    if (!suits) return 0;
    const int64_t bytes = (int64_t)th_dtype_bytes((ThDtype)c.d->red->acc_dtype), most = WIDE / bytes / each * each;
    const int64_t len = n - from < most ? n - from : most;
    if (c.step < len * c.bytes || rows * c.step < BIG) return 0;
    interp_red_neutral(acc, c.d, len);
    fold_columns(r, s, &c, rows, len, acc);
    for (int64_t j = 0; j < len; j += each) {
        r->pos = from + j, r->len = len - j < each ? len - j : each;
        memcpy(r->regs + c.d->reg, acc + j * bytes, (size_t)(r->len * bytes));
        if (s->npost[at] && interp_exec(r, s, ik->order.code + s->post[at], s->npost[at])) return -1;
    }
    r->pos = 0, r->len = 1;
    return len;
}

/* ---- rows ---- */
/* Elements that the nearest cache has when their extremum's place is sought, and from how many such blocks on the next
 * cache has to do; bytes that no cache has; rows whose results are stored together; how long those are that lie across
 * vectors, if an element has eight bytes, and if places are sought among words of four. */
enum { NEAR = 4096, MANY = 256, FAR = 64 << 20, EACH = 64, SHORT = 64, SHORT_OF_8 = 48, SHORT_PLACED = 128, STEPS = 4 };

/* Where the loads of this row begin; false: one of them is not dense. */
static bool look(IRun *r, const LoopStage *s, int64_t from) {
    const IKernel *ik = r->ik;
    for (int j = 0; j < s->npre[s->nloop]; j++) {
        const int id = ik->order.code[s->pre[s->nloop] + j];
        const IIns *i = &ik->ins[id];
        if (i->ins->op != INS_LOAD) continue;
        const int64_t *st = r->st[i->ins->a];
        char *p = r->base[i->ins->a];
        if (st[s->loop[s->vec]] != i->bytes) return false;
        for (int l = 0; l < s->vec; l++) p += r->idx[s->loop[l]] * st[s->loop[l]];
        r->at[id] = p + from * i->bytes;
    }
    return true;
}

/* The lanes of a reduction, by how much it reads in all. */
static SimdFold lanes_of(const IRun *r, const LoopStage *s, int kind, ThDtype t) {
#ifndef __OPTIMIZE_SIZE__
    const bool far = read_in_all(r, s, (int64_t)th_dtype_bytes(t), FAR) >= FAR;
    if (kind == RED_SUM && far && r->simd->ahead[t]) return r->simd->ahead[t];
#endif
    (void)s;
    return r->simd->lanes[kind][t];
}

static void opposite(IRun *r, const IRed *d, const char *v, int64_t n) {
    const ThDtype t = (ThDtype)d->red->acc_dtype;
    const int64_t lanes = SIMD_LANE_BYTES / (int64_t)th_dtype_bytes(t);
    char *acc = r->regs + d->reg;
    const SimdFn negate = simd_prim(r->simd, P_neg, t);
    negate(lanes, acc, acc, NULL, NULL);
    r->simd->lanes[RED_MIN][t](n, acc, v);
    negate(lanes, acc, acc, NULL, NULL);
}

/* What blocks would read of a number that stands alone. */
static void widen(IRun *r, const LoopStage *s) {
    for (int i = 0; i < s->st->nred; i++) {
        const IRed *d = &r->ik->red[s->st->red0 + i];
        if (!d->narrow || !is_spread(r->simd, d)) continue;
        const int number = differs(r->ik, d)->in[1].value;
        interp_replicate(ireg(r, number), r->ik->ins[number].bytes, 1, r->ik->block_elems);
    }
}

static void feed(IRun *r, const LoopStage *s, const IRed *d, int64_t from, int64_t n) {
    const IIns *v = &r->ik->ins[d->red->v];
    const IMicro *m = v->nmicro ? &r->ik->micro.at[v->micro] : NULL;
    const bool spread = is_spread(r->simd, d);
    if (spread) m = differs(r->ik, d);
    const char *p = r->at[d->way == PLAIN ? d->red->v : m->in[0].value];
    const ThDtype t = (ThDtype)d->red->acc_dtype;
    char *acc = r->regs + d->reg;
    if (!d->fold) {
        const int64_t near = n < MANY * NEAR ? NEAR : 8 * NEAR; /* between blocks memory waits */
        for (int64_t i = 0; i < n; i += near) {
            r->pos = from + i, r->len = n - i < near ? n - i : near;
            interp_red_place(r, d, s, p + i * v->bytes);
        }
    } else if (d->way == PRODUCT) r->simd->products[t](n, acc, p, r->at[m->in[1].value]);
    else if (spread) spread_of(r->simd, t)(n, acc, p, ireg(r, m->in[1].value));
    else if (d->way == OPPOSITE) opposite(r, d, p, n);
    else if (d->way == WIDENED) r->simd->widened(n, acc, p);
    else lanes_of(r, s, d->red->kind, t)(n, acc, p);
}

bool interp_rows(IRun *r, const LoopStage *s, int64_t from, int64_t to) {
    if (!look(r, s, from)) return widen(r, s), false;
    for (int i = 0; i < s->st->nred && from < to; i++) feed(r, s, &r->ik->red[s->st->red0 + i], from, to - from);
    r->pos = 0, r->len = 1;
    return true;
}

/* The one reduction of a stage whose rows need nothing before them, are read as they lie, and are many. */
typedef struct EachRow {
    const IRed *d;
    const char *p, *start; /* the first row; what its lanes begin with */
    int64_t n, step;       /* elements of a row; bytes to the next one */
    SimdFold lanes, join;
    int64_t (*place)(int64_t n, const void *best, const void *v); /* of an extremum, which is the result; or NULL */
    bool max;                                                     /* ..the greatest */
    const IMicro *then[STEPS]; /* what the results go through before they are stored */
    int nthen;
    const Access *store; /* NULL: more follows each row */
    size_t bytes;        /* of a result, and of what is stored */
    int64_t read;        /* bytes of an element */
} EachRow;

/* What follows a row: some steps, each of the last one's value and of what is the same for all rows, then a store. */
static void follows(const IKernel *ik, const LoopStage *s, EachRow *e) {
    const int *code = ik->order.code + s->post[s->vec], n = s->npost[s->vec];
    if (n < 2 || n > 2 + STEPS || ik->ins[code[0]].ins->op != INS_RED) return;
    for (int i = 1; i + 1 < n; i++) {
        const IIns *v = &ik->ins[code[i]];
        const IMicro *m = v->nmicro == 1 && !v->fails ? &ik->micro.at[v->micro] : NULL;
        bool good = m && m->in[0].value == code[i - 1] && m->in[2].value < 0 && !m->in[2].base;
        for (int j = 0; good && j < i; j++) good = m->in[1].value != code[j];
        if (!good) return;
        e->then[e->nthen++] = m;
    }
    const Ins *last = ik->ins[code[n - 1]].ins;
    const Access *a = last->op == INS_STORE ? &ik->k->acc.at[last->a] : NULL;
    if (a && last->b == code[n - 2] && a->idx < 0 && a->guard < 0 && !(a->flags & ACC_ADD)) e->store = a;
}

static bool each_of(const IRun *r, const LoopStage *s, int64_t from, EachRow *e) {
    const IRed *d = &r->ik->red[s->st->red0];
    const ThDtype t = (ThDtype)(d->fold ? d->red->acc_dtype : d->dtype);
    const bool max = (d->red->kind == RED_ARGMAX) == !d->way;
    if (s->st->nred != 1 || !d->start || s->npre[s->vec] || s->nred[s->vec] != 1) return false;
    const int kind = d->fold ? d->red->kind : max ? RED_MAX : RED_MIN;
    *e = (EachRow){.d = d, .n = r->n[s->loop[s->vec]], .start = d->start, .lanes = lanes_of(r, s, kind, t)};
    e->join = r->simd->join[kind][t];
    e->bytes = th_dtype_bytes(t);
    follows(r->ik, s, e);
    if (d->way == WIDENED) e->lanes = r->simd->widened;
    if (!d->fold) e->place = r->simd->first[t], e->bytes = sizeof(int64_t), e->max = max;
    if (!d->fold && d->way) e->start += SIMD_LANE_BYTES;
    if (!d->fold ? !e->place || !e->store || e->n > NEAR : d->way != PLAIN && d->way != WIDENED) return false;
    const IIns *read = &r->ik->ins[d->red->v];
    if (d->way != PLAIN) read = &r->ik->ins[r->ik->micro.at[read->micro].in[0].value];
    e->read = read->bytes;
    const int64_t *st = r->st[read->ins->a];
    e->step = st[s->loop[s->vec - 1]];
    e->p = r->base[read->ins->a] + from * e->step;
    for (int l = 0; l < s->vec - 1; l++) e->p += r->idx[s->loop[l]] * st[s->loop[l]];
    return st[s->loop[s->vec]] == read->bytes;
}

bool interp_each_row_stores(const IRun *r, const LoopStage *s) {
    EachRow e;
    return each_of(r, s, 0, &e) && e.store;
}

/* The result of the row at p, into the first of the lanes; an extremum's place instead of it. */
static void one_row(const EachRow *e, const char *p, char *lanes) {
    memcpy(lanes, e->start, SIMD_LANE_BYTES);
    e->lanes(e->n, lanes, p);
    e->join(0, lanes, NULL);
    if (!e->place) return;
    const int64_t at = e->place(e->n, lanes, p);
    memcpy(lanes, &at, sizeof at);
}

/* m short rows as columns, side by side: those lanes that a row leaves empty change nothing. */
static void short_rows(const IRun *r, const EachRow *e, int64_t m, char *result) {
    const IRed *d = e->d;
    const ThDtype t = (ThDtype)(d->fold ? d->red->acc_dtype : d->dtype);
    const int64_t read = e->read, n = e->n;
    const int64_t lanes = e->place ? 1 : SIMD_LANE_BYTES / (int64_t)e->bytes, each = EACH * (int64_t)e->bytes;
    _Alignas(64) char acc[SHORT * EACH * 8], turned[SHORT * EACH * 8], wide[EACH * 8];
    r->simd->turn[__builtin_ctzl((size_t)read)](m, n, turned, EACH * read, e->p, e->step);
    if (e->place) {
        memcpy(acc, turned, (size_t)(m * read));
        memset(result, 0, (size_t)m * sizeof(int64_t));
    }
    for (int64_t j = e->place ? 1 : 0; j < n; j++) {
        char *to = acc + j % lanes * each;
        const char *column = turned + j * EACH * read;
        if (e->place) {
            r->simd->place[t](m, acc, (int64_t *)(void *)result, column, j, e->max);
            continue;
        }
        for (int64_t i = 0; i < each && j < lanes; i += SIMD_LANE_BYTES) memcpy(to + i, d->start, SIMD_LANE_BYTES);
        if (d->way == WIDENED) r->simd->cast[TH_FLOAT64][TH_FLOAT32](EACH, wide, column, NULL, NULL);
        d->fold(m, to, d->way == WIDENED ? wide : column);
    }
    if (e->place) return;
    for (int64_t half = lanes / 2, left = n; half > 0; left = left < half ? left : half, half /= 2)
        for (int64_t j = 0; j < half && j + half < left; j++) d->fold(m, acc + j * each, acc + (j + half) * each);
    memcpy(result, acc, (size_t)m * e->bytes);
}

/* One step of the results of all rows. */
static char *one_step(IRun *r, const IMicro *m, const char *value, char *to) {
    _Alignas(64) char same[EACH * 8];
    const IOpnd *o = &m->in[1];
    const char *other = o->base ? o->base + o->off : o->value >= 0 ? same : NULL;
    if (o->value >= 0) {
        const size_t bytes = r->ik->ins[o->value].bytes;
        memcpy(same, ireg(r, o->value), bytes);
        interp_replicate(same, bytes, 1, EACH);
    }
    m->fn(EACH, to, value, other, NULL);
    return to;
}

/* m rows from row `from` on, whose results are stored side by side. */
static void rows_together(IRun *r, const LoopStage *s, const EachRow *e, int64_t from, int64_t m) {
    _Alignas(64) char lanes[SIMD_LANE_BYTES], result[EACH * 8] = {0}, stored[EACH * 8], *value = result;
    const int64_t *st = r->st[e->store - r->ik->k->acc.at], step = st[s->loop[s->vec - 1]];
    const size_t bytes = th_dtype_bytes(e->store->dtype);
    const char *p = e->p;
    char *to = r->base[e->store - r->ik->k->acc.at] + from * step;
    for (int l = 0; l < s->vec - 1; l++) to += r->idx[s->loop[l]] * st[s->loop[l]];
    const bool few = e->n > 0 && e->n <= (e->read == 8 ? SHORT_OF_8 : e->place ? SHORT_PLACED : SHORT);
    if (few) short_rows(r, e, m, result);
    for (int64_t i = 0; !few && i < m; i++, p += e->step) {
        one_row(e, p, lanes);
        memcpy(result + (size_t)i * e->bytes, lanes, e->bytes);
    }
    for (int i = 0; i < e->nthen; i++) value = one_step(r, e->then[i], value, value == result ? stored : result);
    if (step == (int64_t)bytes) memcpy(to, value, (size_t)m * bytes);
    else
        for (int64_t i = 0; i < m; i++) memcpy(to + i * step, value + (size_t)i * bytes, bytes);
}

/* Rows [from, to) of the loop around rows, with what follows each; -1: they are no such rows. */
int interp_each_row(IRun *r, const LoopStage *s, int64_t from, int64_t to) {
    const int over = s->loop[s->vec - 1], after = s->npost[s->vec];
    EachRow e;
    if (!each_of(r, s, from, &e)) return -1;
    if (e.store && to - from <= EACH) {
        rows_together(r, s, &e, from, to - from);
        return 0;
    }
    for (int64_t i = from; i < to; i++, e.p += e.step) {
        r->idx[over] = i;
        one_row(&e, e.p, r->regs + e.d->reg);
        if (after && interp_exec(r, s, r->ik->order.code + s->post[s->vec], after)) return 1;
    }
    r->idx[over] = 0;
    return 0;
}
