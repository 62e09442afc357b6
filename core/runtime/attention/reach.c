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

Reach reach_rows(const AttentionWork *w, ThDtype d, int64_t b, int64_t row, int64_t n, int64_t keys, int64_t step) {
    const ThArray *m = w->mask;
    const int64_t *len = ARRAY_SHAPE(m), *st = ARRAY_STRIDES(m);
    Reach r = {keys, 0, keys};
    for (int64_t i = row; i < row + n; i++) {
        const char *at = m->data + (len[0] > 1 ? b * st[0] : 0) + (len[1] > 1 ? i * st[1] : 0);
        double most = -INFINITY;
        bool nothing = false; /* a NaN: of weights, too */
        int64_t clear = 0;
        while (clear < r.clear && value(w, d, at + clear * st[2]) == 0) clear++;
        r.clear = clear;
        for (int64_t k = 0; k < keys; k++) {
            double v = value(w, d, at + k * st[2]);
            if (v > most) most = v;
            nothing |= v != v;
        }
        if (nothing || !(fabs(most) <= REACH_MOST)) return (Reach){0, keys, 0};
        int64_t first = 0, end = keys;
        while (value(w, d, at + first * st[2]) < most - REACH_GAP) first++; /* stops at the largest one */
        while (value(w, d, at + (end - 1) * st[2]) < most - REACH_GAP) end--;
        if (first < r.first) r.first = first;
        if (end > r.end) r.end = end;
        if (len[1] <= 1) break; /* all rows are alike */
    }
    r.first = r.first / step * step;
    r.end = (r.end + step - 1) / step * step;
    if (r.end > keys) r.end = keys;
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

static double largest(const ThArray *x, ThDtype d, int64_t b) {
    return d == TH_FLOAT64 ? largest_double(x, b) : largest_float(x, b);
}

bool reach_holds(const AttentionWork *w, ThDtype d, int64_t b) {
    const int64_t *q = ARRAY_SHAPE(w->q), *v = ARRAY_SHAPE(w->v);
    double bound = fabs(w->scale) * (double)q[2] * largest(w->q, d, b) * largest(w->k, d, b);
    double top = largest(w->v, d, b);
    if (w->dz) top = 2 * (double)v[2] * top * largest(w->dz, d, b); /* of dz . v, and of that from its mean */
    return bound <= REACH_BOUND && top * (1 + fabs(w->scale)) < (d == TH_FLOAT64 ? 1e300 : 1e37);
}
