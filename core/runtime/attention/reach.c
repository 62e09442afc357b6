/*
 * reach.c -- which keys a mask hides from rows of queries, so that their weights are zeros and no product needs them.
 * In: an AttentionWork. Out: ranges of keys. A weight is exp(score - largest score): zero where that is below -746
 * (float64) or -104. Scores are scale q . k, at most `bound` from zero, plus what the mask has; so a mask that is
 * REACH_GAP below the largest of its row gives zero where two bounds and the rounding of the sums (24 for masks up to
 * 1e8) leave so much.
 */
#include "reach.h"

#include <math.h>
#include <string.h>

static const double REACH_GAP = 4096, REACH_BOUND = 1500, REACH_MOST = 1e8;

bool reach_may(const AttentionWork *w) {
    const ThArray *m = w->mask;
    if (!m || ARRAY_SHAPE(m)[2] <= 1 || (ARRAY_SHAPE(m)[0] > 1 && ARRAY_SHAPE(m)[1] > 1)) return false;
    return w->kind == ATTENTION_ADD || w->fill <= -REACH_GAP;
}

/* What the mask adds, or would for what it chooses. */
static double value(const AttentionWork *w, ThDtype d, const char *at) {
    if (w->kind != ATTENTION_ADD) return (*at != 0) == (w->kind == ATTENTION_KEEP) ? 0 : w->fill;
    return d == TH_FLOAT64 ? *(const double *)(const void *)at : *(const float *)(const void *)at;
}

/* A row of the mask, and how it is read: by vectors where its numbers are neighbours. */
typedef struct Row {
    const AttentionWork *w;
    const SimdRows *simd;
    ThDtype d;
    const char *at;
    int64_t step, keys;
    double most; /* the largest of the row; NaN where it has one */
} Row;

static double key(const Row *r, int64_t k) { return value(r->w, r->d, r->at + k * r->step); }
static bool by_vectors(const Row *r) { return r->w->kind == ATTENTION_ADD && r->step == (int64_t)th_dtype_bytes(r->d); }

static double most_of(const Row *r) {
    if (by_vectors(r)) return r->simd->top(r->keys, r->at, false);
    double most = -INFINITY;
    for (int64_t k = 0; k < r->keys; k++) {
        double v = key(r, k);
        if (v != v) return v;
        if (v > most) most = v;
        if (v == 0 && r->w->kind != ATTENTION_ADD) break; /* fill is below */
    }
    return most;
}

/* Are keys first .. end all hidden? / as they are? Only where vectors tell; false otherwise. */
static bool all_hidden(const Row *r, int64_t first, int64_t end) {
    return by_vectors(r) && r->simd->top(end - first, r->at + first * r->step, false) < r->most - REACH_GAP;
}
static bool all_clear(const Row *r, int64_t end) { return by_vectors(r) && r->simd->top(end, r->at, true) == 0; }

/* What this row reaches too. */
static void widen(Reach *to, const Row *r) {
    const double hidden = r->most - REACH_GAP;
    int64_t first = 0, end = r->keys, clear = 0;
    while (first < to->first && key(r, first) < hidden) first++;
    to->first = first;
    if (end > to->end && !all_hidden(r, to->end, end)) {
        while (end > to->end && key(r, end - 1) < hidden) end--;
        to->end = end;
    }
    if (all_clear(r, to->clear)) return;
    while (clear < to->clear && key(r, clear) == 0) clear++;
    to->clear = clear;
}

Reach reach_rows(const AttentionWork *w, const SimdRows *simd, ThDtype d, ReachBlock x) {
    const ThArray *m = w->mask;
    const int64_t *len = ARRAY_SHAPE(m), *st = ARRAY_STRIDES(m);
    Row row = {w, simd, d, NULL, st[2], x.keys, 0};
    Reach r = {x.keys, 0, x.keys};
    for (int64_t i = x.row; i < x.row + x.n; i++) {
        row.at = m->data + (len[0] > 1 ? x.b / w->each % len[0] * st[0] : 0) + (len[1] > 1 ? i * st[1] : 0);
        row.most = most_of(&row);
        if (!(fabs(row.most) <= REACH_MOST)) return (Reach){0, x.keys, 0}; /* a NaN: of weights, too */
        widen(&r, &row);
        if (len[1] <= 1) break; /* all rows are alike */
    }
    r.first = r.first / x.step * x.step;
    r.end = (r.end + x.step - 1) / x.step * x.step;
    if (r.end > x.keys) r.end = x.keys;
    return r;
}

/* The largest magnitude of matrix b; infinity where one is NaN. */
#define LARGEST(T, U, MASK) \
    static double largest_##T(const ThArray *x, int64_t b) { \
        const int64_t *n = ARRAY_SHAPE(x), *st = ARRAY_STRIDES(x); \
        U most = 0; \
        bool turned = st[2] != (int64_t)sizeof(T) && st[1] == (int64_t)sizeof(T); \
        int64_t rows = n[turned ? 2 : 1], cols = n[turned ? 1 : 2], rs = st[turned ? 2 : 1], cs = st[turned ? 1 : 2]; \
        for (int64_t i = 0; i < rows; i++) { \
            const char *at = x->data + b * st[0] + i * rs; \
            U some[4] = {0}; /* by turns: the next one need not wait for the last */ \
            int64_t j = 0; \
            for (; j + 4 <= cols; j += 4) \
                for (int l = 0; l < 4; l++) { \
                    U v = *(const U *)(const void *)(at + (j + l) * cs) & (MASK); \
                    some[l] = v > some[l] ? v : some[l]; \
                } \
            for (; j < cols; j++) { \
                U v = *(const U *)(const void *)(at + j * cs) & (MASK); \
                some[0] = v > some[0] ? v : some[0]; \
            } \
            for (int l = 0; l < 4; l++) most = some[l] > most ? some[l] : most; \
        } \
        T f; \
        memcpy(&f, &most, sizeof f); \
        return f <= f ? (double)f : INFINITY; \
    }
LARGEST(float, uint32_t, 0x7fffffffU)
LARGEST(double, uint64_t, 0x7fffffffffffffffU)

static double largest(const ThArray *x, const SimdRows *simd, ThDtype d, int64_t b) {
    const int64_t *n = ARRAY_SHAPE(x), *st = ARRAY_STRIDES(x), item = (int64_t)th_dtype_bytes(d);
    const bool rows = st[2] == item && st[1] == n[2] * item, columns = st[1] == item && st[2] == n[1] * item;
    if (rows || columns) {
        const double most = simd->top(n[1] * n[2], x->data + b * st[0], true);
        return most == most ? most : INFINITY;
    }
    return d == TH_FLOAT64 ? largest_double(x, b) : largest_float(x, b);
}

bool reach_holds(const AttentionWork *w, const SimdRows *simd, ThDtype d, int64_t b) {
    const int64_t *q = ARRAY_SHAPE(w->q), *v = ARRAY_SHAPE(w->v);
    double bound = fabs(w->scale) * (double)q[2] * largest(w->q, simd, d, b) * largest(w->k, simd, d, b);
    double top = largest(w->v, simd, d, b);
    if (w->dz) top = 2 * (double)v[2] * top * largest(w->dz, simd, d, b); /* of dz . v, and of that from its mean */
    return bound <= REACH_BOUND && top * (1 + fabs(w->scale)) < (d == TH_FLOAT64 ? 1e300 : 1e37);
}
