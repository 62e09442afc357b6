/* parts.h -- where windows lie: for pooling's kernels and what cuts its work. */
#ifndef TH_POOL_PARTS_H
#define TH_POOL_PARTS_H

#include "kernels.h"

static inline int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t pool_up_div(int64_t a, int64_t b) { return a <= 0 ? -(-a / b) : (a + b - 1) / b; }

/* Windows q (from .. to) of dimension d whose element s lies inside. */
static inline void pool_inside(const PoolWork *w, int d, int64_t s, int64_t *from, int64_t *to) {
    int64_t n = d ? w->w : w->h;
    *from = most(pool_up_div(w->pad[d] - s, w->st[d]), 0);
    *to = least(pool_up_div(n + w->pad[d] - s, w->st[d]), d ? w->ow : w->oh);
}

/* How many elements window q counts along dimension d. */
static inline int64_t pool_counted(const PoolWork *w, int d, int64_t q) {
    int64_t n = d ? w->w : w->h, from = q * w->st[d] - w->pad[d];
    if (w->ignore_border && (w->mode == POOL_INC_PAD || w->pad[d] == 0)) return w->ws[d];
    return least(from + w->ws[d], n) - most(from, 0);
}

/* 2x2 side by side */
static inline bool pool_pairs(const PoolWork *w) {
    return w->ws[0] == 2 && w->ws[1] == 2 && w->st[0] == 2 && w->st[1] == 2 && !w->pad[0] && !w->pad[1] &&
           w->oh * 2 <= w->h && w->ow * 2 <= w->w;
}

/* Rows of the image that belong to row q of the results and not to earlier ones begin here; q == oh: behind the last.
 */
static inline int64_t pool_first_row(const PoolWork *w, int64_t q) {
    if (q == 0) return 0;
    return q == w->oh ? w->h : least(most(q * w->st[0] - w->pad[0], 0), w->h);
}

#endif
