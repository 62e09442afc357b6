/*
 * micro.h -- pooling's one source. Included twice by each micro_<isa>.c, which defines before:
 *   T, T_BYTES, VBYTES     element type and its bytes, bytes of a vector
 *   FN(x)                  name of x for this type
 *   VLARGER(a, c)          a > c ? a : c, so c where they cannot be compared
 *   VWHERE(a, b, v)        v where a == b, else 0
 *   VPART(p, n)            vector of p[0..n) and zeros; n in 0..VL
 *   VPUT(p, v, n)          p[0..n) = v
 * A row of results is made from the rows its windows cover, position by position of the window in order, so values are
 * those of core/ops/image/pool_lower.c. Windows of 2x2 side by side, which is most of them, run on vectors.
 */
#include <string.h>

#define VL (VBYTES / T_BYTES)
#define V FN(Vec)
#define VU FN(VecU)
typedef T V __attribute__((vector_size(VBYTES)));
typedef T VU __attribute__((vector_size(VBYTES), aligned(T_BYTES), may_alias));

#define MIX __builtin_shufflevector
#if VBYTES / T_BYTES == 2
#define EVEN(a, b) MIX(a, b, 0, 2)
#define ODD(a, b) MIX(a, b, 1, 3)
#define LOW(a) MIX(a, a, 0, 0)
#define HIGH(a) MIX(a, a, 1, 1)
#define EVENS(a) MIX(a, a, 0, 0)
#define ODDS(a) MIX(a, a, 1, 1)
#elif VBYTES / T_BYTES == 4
#define EVEN(a, b) MIX(a, b, 0, 2, 4, 6)
#define ODD(a, b) MIX(a, b, 1, 3, 5, 7)
#define LOW(a) MIX(a, a, 0, 0, 1, 1)
#define HIGH(a) MIX(a, a, 2, 2, 3, 3)
#define EVENS(a) MIX(a, a, 0, 0, 2, 2)
#define ODDS(a) MIX(a, a, 1, 1, 3, 3)
#elif VBYTES / T_BYTES == 8
#define EVEN(a, b) MIX(a, b, 0, 2, 4, 6, 8, 10, 12, 14)
#define ODD(a, b) MIX(a, b, 1, 3, 5, 7, 9, 11, 13, 15)
#define LOW(a) MIX(a, a, 0, 0, 1, 1, 2, 2, 3, 3)
#define HIGH(a) MIX(a, a, 4, 4, 5, 5, 6, 6, 7, 7)
#define EVENS(a) MIX(a, a, 0, 0, 2, 2, 4, 4, 6, 6)
#define ODDS(a) MIX(a, a, 1, 1, 3, 3, 5, 5, 7, 7)
#else
#define EVEN(a, b) MIX(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
#define ODD(a, b) MIX(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)
#define LOW(a) MIX(a, a, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7)
#define HIGH(a) MIX(a, a, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15)
#define EVENS(a) MIX(a, a, 0, 0, 2, 2, 4, 4, 6, 6, 8, 8, 10, 10, 12, 12, 14, 14)
#define ODDS(a) MIX(a, a, 1, 1, 3, 3, 5, 5, 7, 7, 9, 9, 11, 11, 13, 13, 15, 15)
#endif
#define AHEAD (4096 / T_BYTES)
#define INLINE static inline __attribute__((always_inline))

/* ---- windows of 2x2 side by side --------------------------------------------------------------------------------- */
/* Each step makes n results from 2n elements of a row, all VL of them or (`whole` false) the last few. */
#define GET(p, n) (whole ? (V) * (const VU *)(p) : (V)VPART(p, n))
#define SET(p, v, n) \
    do { \
        if (whole) *(VU *)(p) = v; \
        else VPUT(p, v, n); \
    } while (0)
#define TWO \
    int64_t n0 = least(2 * n, VL), n1 = 2 * n - n0; \
    (void)n0, (void)n1;

INLINE void FN(max_step)(const T *a, const T *b, T *z, bool whole, int64_t n) {
    TWO V a0 = GET(a, n0), a1 = GET(a + VL, n1), b0 = GET(b, n0), b1 = GET(b + VL, n1);
    V even = EVEN(a0, a1), odd = ODD(a0, a1), below = EVEN(b0, b1), last = ODD(b0, b1);
    V v = VLARGER(odd, even);
    v = VLARGER(below, v);
    v = VLARGER(last, v);
    SET(z, v, n);
}
static void FN(max_pairs)(const T *a, const T *b, T *z, int64_t n) {
    int64_t p = 0;
    for (; p + VL <= n; p += VL) FN(max_step)(a + 2 * p, b + 2 * p, z + p, true, VL);
    if (p < n) FN(max_step)(a + 2 * p, b + 2 * p, z + p, false, n - p);
}

/* by: 1, or a quarter, which is what dividing by four gives */
INLINE void FN(sum_step)(const T *a, const T *b, T *z, T by, bool whole, int64_t n) {
    TWO V a0 = GET(a, n0), a1 = GET(a + VL, n1), b0 = GET(b, n0), b1 = GET(b + VL, n1);
    V v = (EVEN(a0, a1) + ODD(a0, a1) + EVEN(b0, b1) + ODD(b0, b1)) * by;
    SET(z, v, n);
}
static void FN(sum_pairs)(const T *a, const T *b, T *z, int64_t n, T by) {
    int64_t p = 0;
    for (; p + VL <= n; p += VL) FN(sum_step)(a + 2 * p, b + 2 * p, z + p, by, true, VL);
    if (p < n) FN(sum_step)(a + 2 * p, b + 2 * p, z + p, by, false, n - p);
}

/* The largest of each pair of columns of rows a and b, in both of the columns. */
INLINE V FN(largest)(V a, V b) {
    V v = VLARGER(ODDS(a), EVENS(a));
    v = VLARGER(EVENS(b), v);
    return VLARGER(ODDS(b), v);
}

/* Columns of two rows a of an image, which are `line` apart, their maxima m (NULL: to be found) and g, to two rows c.
 */
INLINE void FN(max_step_back)(const T *a, int64_t line, const T *m, const T *g, T *c, bool whole, int64_t n) {
    TWO V v = GET(g, n), most = m ? (V)GET(m, n) : v;
    for (int half = 0; half < 2; half++, a += VL, c += VL) {
        int64_t k = half ? n1 : n0;
        if (k <= 0) return;
        V x = GET(a, k), y = GET(a + line, k), z = half ? HIGH(v) : LOW(v), top = half ? HIGH(most) : LOW(most);
        if (!m) top = FN(largest)(x, y);
        SET(c, VWHERE(x, top, z), k);
        SET(c + line, VWHERE(y, top, z), k);
    }
}
static void FN(max_pairs_back)(const T *a, int64_t line, const T *m, const T *g, T *c, int64_t n) {
    int64_t p = 0;
    for (; p + VL <= n; p += VL) FN(max_step_back)(a + 2 * p, line, m ? m + p : NULL, g + p, c + 2 * p, true, VL);
    if (p < n) FN(max_step_back)(a + 2 * p, line, m ? m + p : NULL, g + p, c + 2 * p, false, n - p);
}

INLINE void FN(sum_step_back)(const T *g, int64_t line, T *c, T by, bool whole, int64_t n) {
    TWO V v = GET(g, n) * by, v0 = LOW(v), v1 = HIGH(v);
    for (int r = 0; r < 2; r++, c += line) {
        SET(c, v0, n0);
        SET(c + VL, v1, n1);
    }
}
static void FN(sum_pairs_back)(const T *g, int64_t line, T *c, int64_t n, T by) {
    int64_t p = 0;
    for (; p + VL <= n; p += VL) FN(sum_step_back)(g + p, line, c + 2 * p, by, true, VL);
    if (p < n) FN(sum_step_back)(g + p, line, c + 2 * p, by, false, n - p);
}

/* Several streams of memory are read at once: more than the processor foresees by itself. */
static void FN(ask_ahead)(const T *p, int64_t n, int64_t ahead, bool write) {
    for (int64_t i = 0; i < n; i += 64 / T_BYTES) {
        if (write) __builtin_prefetch(p + ahead + i, 1);
        else __builtin_prefetch(p + ahead + i);
    }
}

/* ---- any windows ------------------------------------------------------------------------------------------------- */
/* Row q of an image's results. */
static void FN(pool_row)(const PoolWork *w, const T *x, int64_t q, T *z) {
    bool max = w->mode == POOL_MAX;
    int64_t top = q * w->st[0] - w->pad[0], r0 = most(top, 0), r1 = least(top + w->ws[0], w->h);
    const T *a = x + r0 * w->w;
    for (int64_t p = 0; p < w->ow; p++) z[p] = max ? a[most(p * w->st[1] - w->pad[1], 0)] : 0;
    for (int64_t i = r0; i < r1; i++)
        for (int64_t s = 0; s < w->ws[1]; s++) {
            int64_t from, to, st = w->st[1];
            pool_inside(w, 1, s, &from, &to);
            a = x + i * w->w + s - w->pad[1];
            if (max) {
                for (int64_t p = from; p < to; p++) z[p] = a[p * st] > z[p] ? a[p * st] : z[p];
            } else {
                for (int64_t p = from; p < to; p++) z[p] += a[p * st];
            }
        }
    if (max || w->mode == POOL_SUM) return;
    int64_t rows = pool_counted(w, 0, q);
    for (int64_t p = 0; p < w->ow; p++) z[p] /= (T)(rows * pool_counted(w, 1, p));
}

static void FN(pool)(const PoolPart *part) {
    const PoolWork *w = part->w;
    const T *x = (const T *)(const void *)w->x + part->n * w->h * w->w;
    T *z = (T *)(void *)w->to + (part->n * w->oh + part->q0) * w->ow;
    bool two = pool_pairs(w), max = w->mode == POOL_MAX;
    for (int64_t q = part->q0; q < part->q1; q++, z += w->ow) {
        const T *a = x + 2 * q * w->w;
        if (!two) {
            FN(pool_row)(w, x, q, z);
            continue;
        }
        if (part->far) FN(ask_ahead)(a, 2 * w->w, most(4 * w->w, AHEAD), false);
        if (max) FN(max_pairs)(a, a + w->w, z, w->ow);
        else FN(sum_pairs)(a, a + w->w, z, w->ow, w->mode == POOL_SUM ? 1 : (T)0.25);
    }
}

/* What window q's results give each of their elements; maxima: g itself. */
static const T *FN(shares)(const PoolPart *part, const T *g, int64_t q) {
    const PoolWork *w = part->w;
    if (w->mode == POOL_MAX || w->mode == POOL_SUM) return g;
    T *line = part->line, rows = (T)pool_counted(w, 0, q);
    for (int64_t p = 0; p < w->ow; p++) line[p] = g[p] / (rows * (T)pool_counted(w, 1, p));
    return line;
}

/* The last windows over an element first, in both dimensions, as pool_lower.c sums them. */
static void FN(back_windows)(const PoolPart *part, const T *x, const T *m, const T *gg, T *to) {
    const PoolWork *w = part->w;
    for (int64_t q = part->q1; q-- > part->q0;) {
        int64_t top = q * w->st[0] - w->pad[0], r0 = most(top, 0), r1 = least(top + w->ws[0], w->h);
        const T *g = FN(shares)(part, gg + q * w->ow, q), *mm = m ? m + q * w->ow : NULL;
        if (w->mode == POOL_MAX && !m) {
            FN(pool_row)(w, x, q, part->line);
            mm = part->line;
        }
        for (int64_t i = r0; i < r1; i++)
            for (int64_t s = 0; s < w->ws[1]; s++) {
                int64_t from, end, st = w->st[1], off = i * w->w + s - w->pad[1];
                pool_inside(w, 1, s, &from, &end);
                if (mm) {
                    for (int64_t p = from; p < end; p++) to[off + p * st] += x[off + p * st] == mm[p] ? g[p] : 0;
                } else {
                    for (int64_t p = from; p < end; p++) to[off + p * st] += g[p];
                }
            }
    }
}

/* What back_pairs will read and write some rows later. */
static void FN(ask_back)(const PoolWork *w, const T *x, const T *m, const T *g, T *to) {
    FN(ask_ahead)(to, 2 * w->w, most(4 * w->w, AHEAD), true);
    if (x) FN(ask_ahead)(x, 2 * w->w, most(4 * w->w, AHEAD), false);
    if (m) FN(ask_ahead)(m, w->ow, most(4 * w->ow, AHEAD / 2), false);
    FN(ask_ahead)(g, w->ow, most(4 * w->ow, AHEAD / 2), false);
}

static void FN(back_pairs)(const PoolPart *part, const T *x, const T *m, const T *g, T *to) {
    const PoolWork *w = part->w;
    int64_t two = 2 * w->ow;
    for (int64_t q = part->q0; q < part->q1; q++) {
        int64_t at = 2 * q * w->w;
        const T *xx = x ? x + at : NULL, *mm = m ? m + q * w->ow : NULL, *gg = g + q * w->ow;
        T *c = to + at;
        if (part->far) FN(ask_back)(w, xx, mm, gg, c);
        if (x) FN(max_pairs_back)(xx, w->w, mm, gg, c, w->ow);
        else FN(sum_pairs_back)(gg, w->w, c, w->ow, w->mode == POOL_SUM ? 1 : (T)0.25);
        if (two == w->w) continue;
        for (int r = 0; r < 2; r++, c += w->w) /* covered by no window */
            memset(c + two, 0, (size_t)(w->w - two) * sizeof(T));
    }
}

static void FN(back)(const PoolPart *part) {
    const PoolWork *w = part->w;
    int64_t big = part->n * w->h * w->w, small = part->n * w->oh * w->ow;
    const T *x = w->x ? (const T *)(const void *)w->x + big : NULL;
    const T *m = w->m ? (const T *)(const void *)w->m + small : NULL, *g = (const T *)(const void *)w->g + small;
    T *to = (T *)(void *)w->to + big;
    int64_t row0 = pool_first_row(w, part->q0), row1 = pool_first_row(w, part->q1);
    bool two = pool_pairs(w);
    if (two) {
        FN(back_pairs)(part, x, m, g, to);
        row0 = least(2 * part->q1, row1);
    }
    memset(to + row0 * w->w, 0, (size_t)((row1 - row0) * w->w) * sizeof(T));
    if (!two) FN(back_windows)(part, x, m, g, to);
}

#undef T
#undef T_BYTES
#undef FN
#undef VL
#undef V
#undef VU
#undef MIX
#undef EVEN
#undef ODD
#undef LOW
#undef HIGH
#undef EVENS
#undef ODDS
#undef INLINE
#undef AHEAD
#undef GET
#undef SET
#undef TWO
#undef VPART
#undef VPUT
#undef VLARGER
#undef VWHERE
