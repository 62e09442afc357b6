/*
 * red.c -- accumulators of reductions in the order that kernel.h fixes: virtual lanes folded by halves when the
 * vectorised dim is reduced, one accumulator a point otherwise; argmax and argmin keep (value, position) pairs.
 */
#include "interp.h"

#include <math.h>
#include <string.h>

static void *acc_of(IRun *r, const IRed *d) { return r->regs + d->reg; }

static ThValue identity(RedKind kind, ThDtype t) {
    char k = th_dtype_kind(t);
    ThValue v = {0};
    int one = kind == RED_PROD || kind == RED_AND;
    if (k == 'c') v.c = (ThComplex128){one, 0};
    else if (k == 'f') v.f = kind == RED_MAX ? -INFINITY : kind == RED_MIN ? INFINITY : one;
    else if (kind == RED_MAX || kind == RED_MIN) {
        int bits = (int)th_dtype_bytes(t) * 8;
        int64_t top = k == 'u' ? (int64_t)(UINT64_MAX >> (64 - bits)) : (int64_t)(UINT64_MAX >> (65 - bits));
        v.i = t == TH_BOOL ? kind == RED_MIN : kind == RED_MIN ? top : k == 'u' ? 0 : -top - 1;
    } else v.i = one;
    return v;
}

void interp_neutral(char *to, RedKind kind, ThDtype t, int64_t n) {
    char k = th_dtype_kind(t);
    ThValue v = identity(kind, t);
    dtype_cast(to, t, (int64_t)th_dtype_bytes(t), (const char *)&v,
               k == 'c'   ? TH_COMPLEX128
               : k == 'f' ? TH_FLOAT64
               : k == 'u' ? TH_UINT64
                          : TH_INT64,
               0, n);
}

void interp_red_neutral(char *to, const IRed *d, int64_t n) {
    interp_neutral(to, (RedKind)d->red->kind, (ThDtype)d->red->acc_dtype, n);
}

bool interp_red_prepare(IRed *d, Arena *a) {
    RedKind kind = (RedKind)d->red->kind;
    const bool arg = kind == RED_ARGMAX || kind == RED_ARGMIN;
    ThDtype t = arg ? (ThDtype)d->dtype : (ThDtype)d->red->acc_dtype;
    if ((!d->lanes && !d->turns) || dtype_is_complex(t)) return true;
    const int64_t n = SIMD_LANE_BYTES / (int64_t)th_dtype_bytes(t);
    if (!(d->start = arena_alloc(a, arg ? 2 * SIMD_LANE_BYTES : SIMD_LANE_BYTES))) return false;
    interp_neutral(d->start, kind == RED_ARGMAX ? RED_MAX : kind == RED_ARGMIN ? RED_MIN : kind, t, n);
    if (arg)
        interp_neutral(d->start + SIMD_LANE_BYTES, kind == RED_ARGMAX ? RED_MIN : RED_MAX, t, n); /* of the opposites */
    return true;
}

/* A block of accumulators of rows side by side. */
static void begin(const IRun *r, const IRed *d, char *acc) {
    const int64_t bytes = r->len * (int64_t)th_dtype_bytes((ThDtype)d->red->acc_dtype);
    for (int64_t i = 0; i < bytes; i += SIMD_LANE_BYTES)
        memcpy(acc + i, d->start, (size_t)(bytes - i < SIMD_LANE_BYTES ? bytes - i : SIMD_LANE_BYTES));
}
static size_t side_bytes(const IRed *d) { return SIDE_ROWS * th_dtype_bytes((ThDtype)d->red->acc_dtype); }

static void side_step(IRun *r, const IRed *d, const char *v) {
    const LoopStage *s = &r->ik->order.stage[d->red->stage];
    const int64_t at = r->idx[s->loop[s->nloop - 1]];
    char *acc = (char *)acc_of(r, d) + (size_t)(at % d->turns) * side_bytes(d);
    if (at && at < d->turns) begin(r, d, acc);
    d->fold(r->len, acc, v);
}

/* By halves; accumulators that took nothing change nothing. */
static void side_final(IRun *r, const IRed *d) {
    const LoopStage *s = &r->ik->order.stage[d->red->stage];
    int64_t left = r->n[s->loop[s->nloop - 1]];
    const size_t each = side_bytes(d);
    char *acc = acc_of(r, d);
    for (int half = d->turns / 2; half > 0; left = left < half ? left : half, half /= 2)
        for (int j = 0; j < half && j + half < left; j++)
            d->fold(r->len, acc + (size_t)j * each, acc + (size_t)(j + half) * each);
}

void interp_red_init(IRun *r, const IRed *d) {
    const Red *x = d->red;
    ThDtype t = x->acc_dtype;
    if (!d->fold) { /* positions -1: nothing seen */
        memset((char *)acc_of(r, d) + (size_t)SIMD_BLOCK * 16, 0xff, d->lanes ? 8 : (size_t)SIMD_BLOCK * 8);
        return;
    }
    if (d->turns) begin(r, d, acc_of(r, d));
    else if (d->start) memcpy(acc_of(r, d), d->start, SIMD_LANE_BYTES);
    else interp_neutral(acc_of(r, d), x->kind, t, d->lanes ? SIMD_LANE_BYTES / (int64_t)th_dtype_bytes(t) : SIMD_BLOCK);
}

/* Position over the reduced dims, flattened in order, of the current point (at the block's start). */
static int64_t flat_position(const IRun *r, const LoopStage *s, bool lanes) {
    int64_t p = 0;
    for (int l = 0; l < s->nloop; l++) {
        int d = s->loop[l];
        if (r->ik->k->dim[d].kind != DIM_RED) continue;
        p = p * r->n[d] + (lanes && l == s->vec ? r->pos : r->idx[d]);
    }
    return p;
}

/* How far apart the positions of neighbours along the vectorised dim are: it need not be the last one. */
static int64_t position_step(const IRun *r, const LoopStage *s) {
    int64_t step = 1;
    for (int l = s->vec + 1; l < s->nloop; l++)
        if (r->ik->k->dim[s->loop[l]].kind == DIM_RED) step *= r->n[s->loop[l]];
    return step;
}

/* Is v better than best? NaN beats everything; of equal ones and of NaNs that at the first position stays, whatever
 * the order in which they come. */
#define ARG(T, IS_NAN) \
    for (int64_t i = 0; i < n; i++) { \
        int64_t j = lanes ? 0 : i; \
        T x, b; \
        memcpy(&x, v + i * (int64_t)sizeof(T), sizeof x); \
        memcpy(&b, best + j * (int64_t)sizeof(T), sizeof b); \
        int64_t here = lanes ? p + i * step : p; \
        bool seen = at[j] >= 0, same = seen && (x == b || (IS_NAN(x) && IS_NAN(b))); \
        bool better = !seen || (same ? here < at[j] : (max ? x > b : x < b) || IS_NAN(x)); \
        if (better) { \
            memcpy(best + j * (int64_t)sizeof(T), &x, sizeof x); \
            at[j] = here; \
        } \
    }
#define NEVER(x) false
#define UNEQUAL(x) ((x) != (x))
/* Whether a block of a row has nothing before which the best steps back: most have not, and the vector loops of max and
 * min tell, which begin with the best in each lane. Else what it steps back before is `better`. */
static bool nothing_better(const IRun *r, const char *v, const char *best, ThDtype t, bool max, char *better) {
    const RedKind kind = max ? RED_MAX : RED_MIN;
    const SimdFold fold = r->simd->lanes[kind][t];
    const size_t bytes = (size_t)th_dtype_bytes(t);
    if (!fold) return false;
    memcpy(better, best, bytes);
    interp_replicate(better, bytes, 1, SIMD_LANE_BYTES / (int64_t)bytes);
    fold(r->len, better, v);
    r->simd->join[kind][t](0, better, NULL);
    return memcmp(better, best, bytes) == 0;
}

/* The extremum of a block by the vector loops, spread over best[0]; false: there are none for the dtype. */
static bool block_extremum(const IRun *r, const IRed *d, const char *v, ThDtype t, bool max, char *best) {
    const RedKind kind = max ? RED_MAX : RED_MIN;
    const SimdFold lanes = r->simd->lanes[kind][t];
    const char *start = d->way && d->start ? d->start + SIMD_LANE_BYTES : d->start;
    char acc[SIMD_LANE_BYTES];
    if (!lanes || !start || max != ((d->red->kind == RED_ARGMAX) == !d->way)) return false;
    memcpy(acc, start, sizeof acc);
    lanes(r->len, acc, v);
    r->simd->join[kind][t](0, acc, NULL);
    memcpy(best, acc, th_dtype_bytes(t));
    return true;
}

static void arg_step(IRun *r, const IRed *d, const char *v, ThDtype t, bool max, int64_t p, int64_t step) {
    char *best = acc_of(r, d);
    int64_t *at = (int64_t *)(void *)(best + (size_t)SIMD_BLOCK * 16), n = r->len;
    bool lanes = d->lanes;
    const bool vectors = r->simd->first[t] != NULL;
    if (lanes && step > 0 && at[0] < 0 && vectors && block_extremum(r, d, v, t, max, best)) {
        at[0] = p + r->simd->first[t](n, best, v) * step;
        return;
    }
    if (!lanes && vectors) { /* places come in their order */
        if (at[0] >= 0) r->simd->place[t](n, best, at, v, p, max);
        else memcpy(best, v, (size_t)n * th_dtype_bytes(t));
        for (int64_t i = 0; i < n && at[i] < 0; i++) at[i] = p;
        return;
    }
    if (lanes && step > 0 && at[0] >= 0 && p > at[0]) {
        _Alignas(64) char better[SIMD_LANE_BYTES];
        if (nothing_better(r, v, best, t, max, better)) return;
        if (vectors) {
            memcpy(best, better, th_dtype_bytes(t));
            at[0] = p + r->simd->first[t](n, best, v) * step;
            return;
        }
    }
    switch (t) {
    case TH_BOOL:
    case TH_UINT8: ARG(uint8_t, NEVER) break;
    case TH_INT8: ARG(int8_t, NEVER) break;
    case TH_INT16: ARG(int16_t, NEVER) break;
    case TH_INT32: ARG(int32_t, NEVER) break;
    case TH_INT64: ARG(int64_t, NEVER) break;
    case TH_UINT16: ARG(uint16_t, NEVER) break;
    case TH_UINT32: ARG(uint32_t, NEVER) break;
    case TH_UINT64: ARG(uint64_t, NEVER) break;
    case TH_FLOAT32: ARG(float, UNEQUAL) break;
    case TH_FLOAT64: ARG(double, UNEQUAL) break;
    default: break; /* complex: refused when the graph is built */
    }
}

void interp_red_step(IRun *r, const IRed *d) {
    const Red *x = d->red;
    const char *v = ireg(r, x->v);
    const LoopStage *s = &r->ik->order.stage[x->stage];
    if (!d->fold) {
        int64_t step = d->lanes ? position_step(r, s) : 0;
        arg_step(r, d, v, (ThDtype)d->dtype, x->kind == RED_ARGMAX, flat_position(r, s, d->lanes), step);
        return;
    }
    if (d->turns) {
        side_step(r, d, v);
        return;
    }
    if (!d->lanes) {
        d->fold(r->len, acc_of(r, d), v);
        return;
    }
    int64_t bytes = (int64_t)th_dtype_bytes(x->acc_dtype), first = r->pos * bytes % SIMD_LANE_BYTES;
    char *acc = (char *)acc_of(r, d) + first; /* short blocks end before the accumulators do */
    if (first) d->fold(r->len, acc, v);
    else r->simd->lanes[x->kind][x->acc_dtype](r->len, acc, v);
}

void interp_red_place(IRun *r, const IRed *d, const LoopStage *s, const char *v) {
    const bool max = (d->red->kind == RED_ARGMAX) == !d->way;
    arg_step(r, d, v, (ThDtype)d->dtype, max, flat_position(r, s, true), position_step(r, s));
}

void interp_red_final(IRun *r, const IRed *d) {
    char *acc = acc_of(r, d);
    if (!d->fold) { /* the result is the position */
        memmove(acc, acc + (size_t)SIMD_BLOCK * 16, d->lanes ? 8 : (size_t)SIMD_BLOCK * 8);
        return;
    }
    if (d->turns) side_final(r, d);
    if (d->lanes) r->simd->join[d->red->kind][d->red->acc_dtype](0, acc, NULL);
}

/* What all blocks so far give stands behind the accumulators; positions, which count from the row's start, are sought
 * by one search. */
static char *so_far(IRun *r, const IRed *d) { return (char *)acc_of(r, d) + (size_t)SIMD_BLOCK * 8; }

void interp_red_block(IRun *r, const IRed *d, bool first) {
    if (first || d->fold) interp_red_init(r, d);
}

void interp_red_join(IRun *r, const IRed *d, bool first) {
    if (!d->fold) return;
    interp_red_final(r, d);
    if (first) memcpy(so_far(r, d), acc_of(r, d), th_dtype_bytes(d->red->acc_dtype));
    else d->fold(1, so_far(r, d), acc_of(r, d));
}

void interp_red_end(IRun *r, const IRed *d) {
    if (!d->fold) interp_red_final(r, d);
    else memcpy(acc_of(r, d), so_far(r, d), th_dtype_bytes(d->red->acc_dtype));
}
