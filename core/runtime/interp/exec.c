/*
 * exec.c -- runs a straight list of instructions on the current block (or on one value, replicated).
 * Dense blocks of inputs are read, and results written, where they lie (views.c says which may); all else is in
 * registers, which hold SIMD_BLOCK elements; what lies past the block's end is padding: the last element again, so that
 * vector functions see ordinary numbers there.
 */
#include "interp.h"

#include <string.h>

static int64_t padded(int64_t n) { return (n + SIMD_PAD - 1) / SIMD_PAD * SIMD_PAD; }

static void copy1(char *d, const char *s, size_t bytes) {
    switch (bytes) {
    case 1: *d = *s; break;
    case 2: memcpy(d, s, 2); break;
    case 4: memcpy(d, s, 4); break;
    case 8: memcpy(d, s, 8); break;
    default: memcpy(d, s, bytes);
    }
}

/* A loop over elements of a size that the compiler knows. */
#define BY_BYTES(LOOP) \
    switch (bytes) { \
    case 1: LOOP(uint8_t); break; \
    case 2: LOOP(uint16_t); break; \
    case 4: LOOP(uint32_t); break; \
    case 8: LOOP(uint64_t); break; \
    default: LOOP(ThComplex128); \
    }

/* A piece of 64 bytes first, then copies of that. */
#define PIECE(T) \
    for (int i = 0; i < (int)(sizeof piece / sizeof(T)); i++) \
    memcpy(piece + i * (int)sizeof(T), p - sizeof(T), sizeof(T))
void interp_replicate(char *d, size_t bytes, int64_t from, int64_t to) {
    char *p = d + (size_t)from * bytes, *end = d + (size_t)to * bytes, piece[64];
    if (p >= end) return;
    BY_BYTES(PIECE)
    if (from == 1) p = d; /* whole pieces, whose first element is there already */
    for (; end - p >= (ptrdiff_t)sizeof piece; p += sizeof piece) memcpy(p, piece, sizeof piece);
    if (end > p) memcpy(p, piece, (size_t)(end - p));
}

#define GATHER(T) \
    for (int64_t i = 0; i < n; i++) memcpy(d + i * (int64_t)sizeof(T), s + i * st, sizeof(T))
void interp_gather(const SimdTable *simd, char *d, const char *s, int64_t st, size_t bytes, int64_t n) {
    if (st + (int64_t)bytes == 0 && (bytes == 4 || bytes == 8)) {
        simd->back[bytes == 8](n, d, s);
        return;
    }
    BY_BYTES(GATHER)
}
#define SCATTER(T) \
    for (int64_t i = 0; i < n; i++) memcpy(d + i * st, s + i * (int64_t)sizeof(T), sizeof(T))
static void scatter(char *d, const char *s, int64_t st, size_t bytes, int64_t n) { BY_BYTES(SCATTER) }

enum { BY_ROWS = INT32_MIN }; /* a step: the access has none, its rows stand apart (flat.c) */

/* In a run of rows. */
static char *run_address(const IRun *r, const LoopStage *s, int acc, int64_t *step) {
    const int64_t *st = r->st[acc];
    int over = s->loop[1], along = s->loop[2];
    *step = r->row == 1 ? st[over] : r->n[over] == 1 || st[over] == r->row * st[along] ? st[along] : BY_ROWS;
    return r->base[acc] + r->idx[s->loop[0]] * st[s->loop[0]] + (*step == BY_ROWS ? 0 : r->pos * *step);
}

/* Address of the access at the block's first element, and its byte step along the vec dim. */
static char *address(const IRun *r, const LoopStage *s, const IIns *i, int acc, int64_t *step) {
    char *p = r->base[acc];
    if (r->row && i->block) return run_address(r, s, acc, step);
    for (int l = 0; l < s->nloop && l < i->ins->depth; l++) {
        int d = s->loop[l];
        p += (l == s->vec ? r->pos : r->idx[d]) * r->st[acc][d];
    }
    *step = i->block ? r->st[acc][s->loop[s->vec]] : 0;
    return p;
}

static void load_one_by_one(IRun *r, const Access *a, char *d, const char *p, int64_t st, size_t bytes, int64_t n) {
    const int64_t *idx = a->idx >= 0 ? (const int64_t *)(const void *)ireg(r, a->idx) : NULL;
    const char *guard = a->guard >= 0 ? ireg(r, a->guard) : NULL;
    for (int64_t i = 0; i < n; i++) {
        if (guard && !guard[i]) memset(d + (size_t)i * bytes, 0, bytes);
        else copy1(d + (size_t)i * bytes, p + i * st + (idx ? idx[i] * (int64_t)bytes : 0), bytes);
    }
}

static int id_of(const IRun *r, const IIns *i) { return (int)(i - r->ik->ins); }

/* The access that a value is read through; what a call of the library left, through its result. */
static int source(const LoopStage *s, const IIns *i) {
    return i->ins->op == INS_EP ? stage_element(s->st, i->ins) : i->ins->a;
}

/* Whole blocks that lie dense are read where they are. */
static bool look(IRun *r, const LoopStage *s, const IIns *i, int64_t n) {
    int64_t st;
    char *p = address(r, s, i, source(s, i), &st);
    bool here = st == i->bytes && (n % SIMD_PAD == 0 || i->loose);
    r->at[id_of(r, i)] = here ? p : r->regs + i->reg;
    return here;
}

static void load(IRun *r, const LoopStage *s, const IIns *i, char *d, int64_t n) {
    const Access *a = &r->ik->k->acc.at[source(s, i)];
    int64_t st;
    char *p = address(r, s, i, source(s, i), &st);
    if (a->idx >= 0 || a->guard >= 0) load_one_by_one(r, a, d, p, st, i->bytes, n);
    else if (st == BY_ROWS) interp_flat_load(r, s, source(s, i), d, i->bytes);
    else if (st == i->bytes) memcpy(d, p, (size_t)n * i->bytes);
    else if (st == 0) {
        copy1(d, p, i->bytes);
        interp_replicate(d, i->bytes, 1, n);
    } else interp_gather(r->simd, d, p, st, i->bytes, n);
}

/* Truth values are added as such. */
static SimdFold adding(const IRun *r, ThDtype d) { return r->simd->fold[d == TH_BOOL ? RED_OR : RED_SUM][d]; }

static void store_one_by_one(IRun *r, const Access *a, char *p, int64_t st, const char *v, size_t bytes, int64_t n) {
    const int64_t *idx = a->idx >= 0 ? (const int64_t *)(const void *)ireg(r, a->idx) : NULL;
    const char *guard = a->guard >= 0 ? ireg(r, a->guard) : NULL;
    SimdFold add = adding(r, a->dtype);
    for (int64_t i = 0; i < n; i++) {
        if (guard && !guard[i]) continue;
        char *q = p + i * st + (idx ? idx[i] * (int64_t)bytes : 0);
        if (a->flags & ACC_ADD) add(1, q, v + (size_t)i * bytes);
        else copy1(q, v + (size_t)i * bytes, bytes);
    }
}

static void store(IRun *r, const LoopStage *s, const IIns *i, int64_t n) {
    const Access *a = &r->ik->k->acc.at[i->ins->a];
    const char *v = ireg(r, i->ins->b);
    size_t bytes = th_dtype_bytes(a->dtype);
    int64_t st;
    char *p = address(r, s, i, i->ins->a, &st);
    if (v == p && !(a->flags & ACC_ADD)) return; /* computed here */
    if (st == BY_ROWS) {
        interp_flat_store(r, s, i->ins->a, v, bytes);
        return;
    }
    if (a->idx >= 0 || a->guard >= 0 || ((a->flags & ACC_ADD) && st != (int64_t)bytes))
        store_one_by_one(r, a, p, st, v, bytes, n);
    else if (a->flags & ACC_ADD) adding(r, a->dtype)(n, p, v);
    else if (st == (int64_t)bytes || n == 1) memcpy(p, v, (size_t)n * bytes);
    else scatter(p, v, st, bytes, n);
}

/* A number as an element of dtype d, n times. */
static void literal(char *o, ThDtype d, ThValue v, int64_t n) {
    char kind = th_dtype_kind(d);
    ThDtype from = kind == 'c' ? TH_COMPLEX128 : kind == 'f' ? TH_FLOAT64 : kind == 'u' ? TH_UINT64 : TH_INT64;
    dtype_cast(o, d, (int64_t)th_dtype_bytes(d), (const char *)&v, from, 0, n);
}

void interp_number(const Step *step, const Ins *i, char *o, int64_t n) {
    ThDtype d = i->dtype;
    ThValue v;
    if (i->op == INS_PARAM) v = step->param[i->a];
    else {
        double x = i->a == INS_HALF ? 0.5 : i->a;
        char kind = th_dtype_kind(d);
        if (kind == 'c') v.c = (ThComplex128){x, 0};
        else if (kind == 'f') v.f = x;
        else v.i = (int64_t)x;
    }
    literal(o, d, v, n);
}

static void position(IRun *r, const LoopStage *s, const IIns *i, char *o, int64_t n) {
    int64_t *p = (int64_t *)(void *)o;
    bool vec = i->block && s->loop[s->vec] == i->ins->a;
    int64_t first = vec ? r->pos : r->idx[i->ins->a];
    if (s->vec >= 0 && s->loop[s->vec] == i->ins->a) first = r->pos;
    for (int64_t j = 0; j < n; j++) p[j] = vec ? first + j : first;
}

static int check_index(IRun *r, const IIns *i, char *o, int64_t n) {
    int64_t *p = (int64_t *)(void *)o;
    const int64_t *v = (const int64_t *)(const void *)ireg(r, i->ins->a);
    const int64_t *len = (const int64_t *)(const void *)ireg(r, i->ins->b);
    for (int64_t j = 0; j < n; j++) {
        int64_t x = v[j] < 0 ? v[j] + len[j] : v[j];
        if (x < 0 || x >= len[j]) return interp_fail(r, TH_IndexError, 2, v[j], len[j]);
        p[j] = x;
    }
    return 0;
}

static int fail_if(IRun *r, const IIns *i, int64_t n) {
    const char *v = ireg(r, i->ins->a);
    for (int64_t j = 0; j < n; j++)
        if (v[j]) return interp_fail(r, (ThError)i->ins->b, 0, 0, 0);
    return 0;
}

/* Integer division and modulo raise on zero, as Python's. */
#define ANY_ZERO(T) \
    { \
        T x; \
        bool zero = false; \
        for (int64_t j = 0; j < n; j++) { \
            memcpy(&x, v + j * (int64_t)sizeof x, sizeof x); \
            zero |= x == 0; \
        } \
        return zero; \
    }
static bool any_zero(const char *v, size_t bytes, int64_t n) {
    switch (bytes) {
    case 1: ANY_ZERO(uint8_t)
    case 2: ANY_ZERO(uint16_t)
    case 4: ANY_ZERO(uint32_t)
    default: ANY_ZERO(uint64_t)
    }
}

static int check_divisor(IRun *r, const IIns *i, int64_t n) {
    const char *v = ireg(r, i->ins->b);
    if (!r->ik->ins[i->ins->b].block) n = 1; /* the same everywhere */
    return any_zero(v, th_dtype_bytes(i->ins->in_dtype), n) ? interp_fail(r, TH_ZeroDivisionError, 0, 0, 0) : 0;
}

/* Where the value's block goes: to the store's memory if it is dense there and no operand, else to the register. */
static char *place(IRun *r, const LoopStage *s, const IIns *i, const IMicro *last, int64_t n) {
    const IIns *store = &r->ik->ins[i->into];
    int64_t st;
    char *p = address(r, s, store, store->ins->a, &st);
    bool here = st == i->bytes && n % SIMD_PAD == 0;
    for (int j = 0; j < 3; j++) here = here && (last->in[j].value < 0 || r->at[last->in[j].value] != p);
    return r->at[id_of(r, i)] = here ? p : r->regs + i->reg;
}

static int compute(IRun *r, const LoopStage *s, const IIns *i, int64_t n, int64_t np) {
    if (i->fails && check_divisor(r, i, n)) return 1;
    for (const IMicro *m = r->ik->micro.at + i->micro, *end = m + i->nmicro; m < end; m++) {
        const char *in[3];
        for (int j = 0; j < 3; j++) {
            const IOpnd *o = &m->in[j];
            in[j] = o->value >= 0 ? r->at[o->value] : (o->base ? o->base : r->regs) + o->off;
        }
        char *out = i->into >= 0 && m == end - 1 ? place(r, s, i, m, n) : r->regs + m->out;
        m->fn(np, out, in[0], in[1], in[2]);
    }
    return 0;
}

/* How often a value that is the same for a whole block stands in its register: in as many elements as blocks have.
 * Where something is reduced other loops (rows.c) have lengths of their own. */
static int64_t filled(const IRun *r, const LoopStage *s) {
    if (r->ik->k->st.n > 1 || r->ik->k->red.n || r->row || s->vec < 0) return r->ik->block_elems;
    const int64_t n = r->n[s->loop[s->vec]];
    return n < r->ik->block_elems ? padded(n) : r->ik->block_elems;
}

static int one(IRun *r, const LoopStage *s, const IIns *i) {
    int64_t n = i->block ? r->len : 1, np = padded(n);
    char *o = r->regs + i->reg;
    switch (i->ins->op) {
    case INS_STORE: store(r, s, i, n); return 0;
    case INS_FAIL_IF: return fail_if(r, i, n);
    case INS_LOAD:
    case INS_EP:
        if (i->view && look(r, s, i, n)) return 0;
        load(r, s, i, o, n);
        break;
    case INS_PARAM:
    case INS_CONST: interp_number(r->step, i->ins, o, n); break;
    case INS_INDEX: position(r, s, i, o, n); break;
    case INS_SIZE:
        for (int64_t j = 0; j < n; j++) ((int64_t *)(void *)o)[j] = isize(r, r->ik->k->size.at[i->ins->a]);
        break;
    case INS_CHECK_INDEX:
        if (check_index(r, i, o, n)) return 1;
        break;
    case INS_RED: memcpy(o, r->regs + r->ik->red[i->ins->a].reg, (size_t)i->bytes * (size_t)n); break;
    default:
        if (compute(r, s, i, n, np)) return 1;
        if (i->fill) interp_replicate(o, i->bytes, 1, filled(r, s));
        return 0;
    }
    interp_replicate(o, i->bytes, n, i->fill ? filled(r, s) : np);
    return 0;
}

int interp_exec(IRun *r, const LoopStage *s, const int *code, int n) {
    for (int j = 0; j < n; j++)
        if (one(r, s, &r->ik->ins[code[j]])) return 1;
    return 0;
}
