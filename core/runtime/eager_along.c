/*
 * eager_along.c -- a function of two that goes along a vector or along rows: reductions, running values. In: a
 * function's number, dense elements. Out: a new array, or NULL: then the caller goes step by step. Always holds: the
 * bits of a call for each step, in the order that theano.h tells.
 */
#include "eager.h"

#include "base/array/sparse.h"
#include "runtime/simd/simd.h"

#include <string.h>

enum { OFTEN = 1 << 22 /* elements between looks whether work is to stop */ };

typedef struct Pair { /* a function of two at work */
    const InterpDirect *d;
    char *regs;
    size_t bytes; /* of an element */
} Pair;

static void put(const Pair *p, char *to, const char *from) {
    if (p->bytes == 8) memcpy(to, from, 8);
    else memcpy(to, from, p->bytes);
}

/* n elements at `to`, where no operand lies, become the function of those of both, `step` bytes apart (0: dense). */
static void apply(const Pair *p, int64_t n, const char *a, const char *b, int64_t step, char *to) {
    const bool number[2] = {false, false};
    const int64_t steps[2] = {step, step};
    char *in[2] = {(char *)a, (char *)b};
    const DirectCall call = {.n = n, .in = in, .number = number, .step = step ? steps : NULL, .out = &to};
    interp_direct_run(p->d, &call, p->regs);
}

/* ---- in which order ---- */
enum { BY_PAIRS = -1, ONE_BY_ONE = -2 };
typedef struct Way {
    char name[11];
    int8_t red; /* the reduction that gives the same, of fmax and fmin where nothing is NaN; or one of these */
} Way;
/* What is associative goes by pairs, which is quicker, and closer where it is rounded. */
static const Way ways[] = {{"maximum", RED_MAX}, {"minimum", RED_MIN},    {"fmax", RED_MAX},        {"fmin", RED_MIN},
                           {"hypot", BY_PAIRS},  {"logaddexp", BY_PAIRS}, {"logaddexp2", BY_PAIRS}, {"", ONE_BY_ONE}};

static int way_of(int func) {
    const char *name = th_func_info(func)->name;
    const Way *w = ways;
    while (w->name[0] && strcmp(name, w->name) != 0) w++;
    return w->red;
}

/* ---- one row after the other ---- */
/* The function of `to` and of rows from the second on; to: two rows in turn, or each row's own. */
static bool by_rows(ThContext *c, const Pair *p, const ThArray *x, char *to, char *other) {
    const int64_t n = ARRAY_SHAPE(x)[0], m = x->size / n, row = m * (int64_t)p->bytes;
    const char *from = x->data;
    char *next = other ? other : to + row;
    int64_t left = OFTEN;
    memcpy(to, from, (size_t)row);
    for (int64_t i = 1; i < n; i++) {
        apply(p, m, to, from += row, 0, next);
        char *done = next;
        next = other ? to : next + row;
        to = done;
        if ((left -= m) < 0) {
            if (ctx_stopped(c)) return err_stopped(c);
            left = OFTEN;
        }
    }
    return true;
}

/* The same of numbers; false: stopped, or (no error) the function's kernel is no single operation. */
static bool by_numbers(ThContext *c, const Pair *p, const ThArray *x, bool each, char *to) {
    _Alignas(16) char value[16];
    put(p, value, x->data);
    if (each) put(p, to, x->data);
    for (int64_t i = 1; i < x->size; i += OFTEN) {
        const size_t at = (size_t)i * p->bytes;
        const int64_t n = x->size - i < OFTEN ? x->size - i : OFTEN;
        if (!interp_direct_chain(p->d, n, value, x->data + at, each ? to + at : NULL, p->regs)) return false;
        if (i + n < x->size && ctx_stopped(c)) return err_stopped(c);
    }
    if (!each) put(p, to, value);
    return true;
}

/* The result of rows: the last, or each of them. spare: a row. */
static bool one_by_one(ThContext *c, const Pair *p, ThArray *x, char *spare, bool each, ThArray *r) {
    const bool even = ARRAY_SHAPE(x)[0] % 2 == 0; /* the last row is that of r */
    if (x->size == ARRAY_SHAPE(x)[0] && by_numbers(c, p, x, each, r->data)) return true;
    if (failed(c)) return false;
    char *first = !each && even ? spare : r->data, *other = first == r->data ? spare : r->data;
    return by_rows(c, p, x, first, each ? NULL : other);
}

/* ---- by pairs ---- */
/* Of n rows each second one and its neighbour, to rows at `to`; an odd one stays. */
static void meet(const Pair *p, const char *from, int64_t n, int64_t m, char *to) {
    const int64_t row = m * (int64_t)p->bytes;
    if (m == 1) apply(p, n / 2, from, from + row, 2 * row, to);
    for (int64_t i = 0; m > 1 && i < n / 2; i++)
        apply(p, m, from + 2 * i * row, from + (2 * i + 1) * row, 0, to + i * row);
    if (n % 2) memcpy(to + n / 2 * row, from + (n - 1) * row, (size_t)row);
}

static bool by_pairs(ThContext *c, const Pair *p, ThArray *x, ThArray *r) {
    const int64_t m = r->size, half = (ARRAY_SHAPE(x)[0] + 1) / 2, size = m * (half + (half + 1) / 2);
    if (m == 1 && interp_direct_pairs(p->d, x->size, x->data, r->data, p->regs)) return true;
    ThArray *room = th_array_empty(c, (ThDtype)x->dtype, 1, &size);
    if (!room) return false;
    char *to[2] = {room->data, room->data + (size_t)(m * half) * p->bytes};
    const char *from = x->data;
    int at = 0;
    for (int64_t n = ARRAY_SHAPE(x)[0]; n > 1 && !failed(c); n = (n + 1) / 2, at = !at) {
        if (ctx_stopped(c)) err_stopped(c);
        else meet(p, from, n, m, to[at]), from = to[at];
    }
    memcpy(r->data, from, (size_t)m * p->bytes);
    th_array_release(room);
    return !failed(c);
}

/* ---- in any order ---- */
/* Extrema, but where the sign of a float's zero and the bits of NaN are those of the first that came. */
static bool extremum(ThContext *c, RedKind red, const ThArray *x, void *r) {
    const ThDtype d = (ThDtype)x->dtype;
    const SimdTable *simd = simd_table(c);
    const SimdFold lanes = d == TH_BOOL ? NULL : simd->lanes[red][d], join = simd->join[red][d];
    const int64_t bytes = (int64_t)th_dtype_bytes(d);
    _Alignas(64) char acc[SIMD_LANE_BYTES];
    if (!lanes || !join) return false;
    interp_neutral(acc, red, d, SIMD_LANE_BYTES / bytes);
    lanes(x->size, acc, x->data);
    join(0, acc, NULL);
    memcpy(r, acc, (size_t)bytes);
    const double e = d == TH_FLOAT64 ? *(double *)r : d == TH_FLOAT32 ? (double)*(float *)r : 1;
    return e < 0 || e > 0;
}

/* NULL without an error: step by step. */
static ThArray *finished(ThContext *c, ThArray *r, bool done) {
    if (!done) th_array_release(r), r = NULL;
    if (failed(c) && error_kind(c) != TH_Interrupted) th_error_clear(c);
    return r;
}

static bool goes(ThContext *c, int func, const ThArray *x, const char *who) {
    if (!x) return err_missing(c, who), false;
    if (func < 0 || func >= th_func_count()) return err(c, TH_ValueError, "there is no function number %d", func);
    if (failed(c) || array_is_sparse(x) || buffer_special(x->buf)) return false;
    return x->ndim >= 1 && x->size && (x->flags & ARRAY_CONTIGUOUS);
}

ThArray *th_eager_along(ThContext *c, int func, ThArray *x, bool each) {
    if (!c || !goes(c, func, x, __func__)) return NULL;
    _Alignas(16) char number[16];
    const int drop = each ? 0 : 1;
    const int64_t m = x->size / ARRAY_SHAPE(x)[0];
    ThArray *row = x->ndim == 1 ? th_array_retain(x) : th_array_empty(c, (ThDtype)x->dtype, 1, &m), *r = NULL;
    Pair p = {.bytes = th_dtype_bytes((ThDtype)x->dtype)};
    bool done = false;
    if (row && (p.d = eager_pair(c, func, row, &p.regs)))
        r = th_array_empty(c, (ThDtype)x->dtype, x->ndim - drop, ARRAY_SHAPE(x) + drop);
    const int way = r && !each ? way_of(func) : ONE_BY_ONE;
    char *spare = x->ndim == 1 ? number : row ? row->data : NULL;
    if (way == BY_PAIRS) done = by_pairs(c, &p, x, r);
    else if (way >= 0 && m == 1) done = extremum(c, (RedKind)way, x, r->data);
    if (r && !done && !failed(c)) done = one_by_one(c, &p, x, spare, each, r);
    th_array_release(row);
    return finished(c, r, done);
}
