/*
 * spread.c -- arguments of a kernel without a frame that have another shape than its result, or lie in no line: rows,
 * columns, parts of matrices. In: the loops in which their elements come. Out: those of the next block, where they lie
 * or in a register. Always holds: blocks follow one another, and nothing behind the last element is read.
 */
#include "unit.h"

#include <string.h>

/* n turns of loop d on, which it still has; those inside it are at their beginning. */
static void go_on(const DirectSpread *w, SpreadWalk *k, int d, int64_t n) {
    k->at[d] += n;
    k->p += n * w->step[d];
    for (; k->at[d] == w->len[d]; d++) {
        k->at[d] = 0;
        k->p -= w->len[d] * w->step[d];
        if (d + 1 == w->n) return;
        k->at[d + 1]++;
        k->p += w->step[d + 1];
    }
}

/* The same element n times. */
static void fill(char *to, const char *p, size_t bytes, int64_t n) {
    enum { FEW = 16 };
    uint64_t v;
    if (bytes == sizeof v && n < FEW) {
        memcpy(&v, p, sizeof v);
        for (int64_t i = 0; i < n; i++) memcpy(to + i * (int64_t)sizeof v, &v, sizeof v);
        return;
    }
    memcpy(to, p, bytes);
    interp_replicate(to, bytes, 1, n);
}

/* Short runs from their first to their last element, as many as there are one after the other and go into n: how many
 * elements that is. */
static int64_t short_runs(const DirectSpread *w, SpreadWalk *k, int64_t n, size_t bytes, char *to) {
    enum { SHORT = 24 };
    const int64_t len = w->len[0], step = w->step[0];
    if (bytes != 8 || len > SHORT || len > n || k->at[0] || w->n < 2 || (step && step != 8)) return 0;
    const int64_t some = w->len[1] - k->at[1] < n / len ? w->len[1] - k->at[1] : n / len;
    const char *p = k->p;
    for (int64_t i = 0; i < some; i++, p += w->step[1])
        for (int64_t j = 0; j < len; j++, to += 8) memcpy(to, p + j * step, 8);
    go_on(w, k, 1, some);
    return some * len;
}

const char *interp_spread(const DirectSpread *w, SpreadWalk *k, int64_t n, size_t bytes, bool there, char *reg) {
    const int64_t step = w->step[0];
    const char *p = k->p;
    if (w->len[0] - k->at[0] >= n) { /* all in one run */
        go_on(w, k, 0, n);
        if (step == 0 && k->held == p && k->many >= n) return reg;
        k->held = p;
        k->many = step == 0 ? n : 0;
        if (step == (int64_t)bytes && there) return p;
        if (step == 0) fill(reg, p, bytes, n);
        else if (step == (int64_t)bytes) memcpy(reg, p, (size_t)n * bytes);
        else interp_gather(k->simd, reg, p, step, bytes, n);
        return reg;
    }
    k->many = 0;
    char *to = reg;
    for (int64_t some; n > 0; n -= some, to += (size_t)some * bytes) {
        if ((some = short_runs(w, k, n, bytes, to))) continue;
        some = w->len[0] - k->at[0] < n ? w->len[0] - k->at[0] : n;
        if (step == 0) fill(to, k->p, bytes, some);
        else if (step == (int64_t)bytes) memcpy(to, k->p, (size_t)some * bytes);
        else interp_gather(k->simd, to, k->p, step, bytes, some);
        go_on(w, k, 0, some);
    }
    return reg;
}

int64_t interp_spread_row(const DirectSpread *w, int64_t n, size_t bytes) {
    enum { OFTEN = 4 };
    const bool row = w->n == 2 && w->step[0] == (int64_t)bytes && w->step[1] == 0 && w->len[0] <= SPREAD_ROW;
    return row && n >= OFTEN * w->len[0] && n > 2 * SIMD_BLOCK ? w->len[0] + SIMD_BLOCK : 0;
}
