/*
 * narrow_micro.h -- tiles of products with few columns, a part of micro.h (its types and macros, the same
 * instruction sets): lanes along k where rows lie along k, and a tile with lanes along rows that is turned when stored.
 */
/* x is loaded once: compilers would rather put the same load into each multiply-add, and loads are what is scarce. */
#if VBYTES == 64
#define ONCE(x) __asm__("" : "+v"(x));
#elif defined(__x86_64__)
#define ONCE(x) __asm__("" : "+x"(x));
#else
#define ONCE(x)
#endif
#define PAIR_ROWS(X) X(0, 0, 0) X(1, 0, 1) X(2, 0, 2) X(3, 1, 0) X(4, 1, 1) X(5, 1, 2)
#define PAIR_STEP(i, p, q) \
    if (R > i) { \
        V x = LOAD(a##p + q * ars); \
        ONCE(x) \
        c##i##0 = VFMA(b0, x, c##i##0); \
        if (W > 1) c##i##1 = VFMA(b1, x, c##i##1); \
        if (W > 2) c##i##2 = VFMA(b2, x, c##i##2); \
        if (W > 3) c##i##3 = VFMA(b3, x, c##i##3); \
    }
#define PAIR_STEPS \
    { \
        V b0 = LOAD(p0), b1 = b0, b2 = b0, b3 = b0; \
        if (W > 1) b1 = LOAD(p1); \
        if (W > 2) b2 = LOAD(p2); \
        if (W > 3) b3 = LOAD(p3); \
        PAIR_ROWS(PAIR_STEP) \
    }
#define PAIR_RESUME(i, p, q) \
    if (R > i) { \
        c##i##0 = state[i * W]; \
        if (W > 1) c##i##1 = state[i * W + 1]; \
        if (W > 2) c##i##2 = state[i * W + 2]; \
        if (W > 3) c##i##3 = state[i * W + 3]; \
    }
#define PAIR_KEEP(i, p, q) \
    if (R > i) { \
        all[i * W] = c##i##0; \
        if (W > 1) all[i * W + 1] = c##i##1; \
        if (W > 2) all[i * W + 2] = c##i##2; \
        if (W > 3) all[i * W + 3] = c##i##3; \
    }

/* Sums of the lanes of four vectors, each by halving (fold_vector's order): sums[i] of v[i]. */
INLINE void FN(fold_four)(const V *v, T *sums) {
#define MIX __builtin_shufflevector
#define S (16 / (int)sizeof(T))
    _Alignas(64) T t[VL > 4 * S ? VL : 4 * S];
#if VBYTES == 64 && T_BYTES == 4
    V x = MIX(v[0], v[1], 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23) +
          MIX(v[0], v[1], 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
    V y = MIX(v[2], v[3], 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23) +
          MIX(v[2], v[3], 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
    V z = MIX(x, y, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27) +
          MIX(x, y, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
    z += MIX(z, z, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
    *(V *)t = z + MIX(z, z, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
#elif VBYTES == 64
    V x = MIX(v[0], v[1], 0, 1, 2, 3, 8, 9, 10, 11) + MIX(v[0], v[1], 4, 5, 6, 7, 12, 13, 14, 15);
    V y = MIX(v[2], v[3], 0, 1, 2, 3, 8, 9, 10, 11) + MIX(v[2], v[3], 4, 5, 6, 7, 12, 13, 14, 15);
    V z = MIX(x, y, 0, 1, 4, 5, 8, 9, 12, 13) + MIX(x, y, 2, 3, 6, 7, 10, 11, 14, 15);
    *(V *)t = z + MIX(z, z, 1, 0, 3, 2, 5, 4, 7, 6);
#else
    for (int i = 0; i < 4; i++) t[i * S] = FN(fold_vector)(v[i]);
#endif
    for (int i = 0; i < 4; i++) sums[i] = t[i * S];
#undef S
#undef MIX
}

#ifndef TURN_EIGHT
#define TURN_EIGHT(d, ds, s, ss) \
    for (int q = 0; q < 8; q += Q) FN(turn)((d) + q, ds, (s) + q * (ss), ss);
#endif

/* d[j][i] = s[i][j] for n rows of m elements, m small: all of a few rows of s before the next ones */
static void FN(turn_narrow)(void *to, int64_t ds, const void *from, int64_t ss, int64_t n, int64_t m) {
    T *d = to;
    const T *s = from;
    int64_t i = 0, last = m - Q;
    for (; m >= Q && i + 8 <= n; i += 8, s += 8 * ss, d += 8)
        for (int64_t j = 0;; j = j + Q < last ? j + Q : last) { /* the last columns may be turned twice */
            TURN_EIGHT(d + j * ds, ds, s + j, ss)
            if (j == last) break;
        }
    for (; i < n; i++, s += ss, d++)
        for (int64_t j = 0; j < m; j++) d[j * ds] = s[j];
}

/* c[i,j] = alpha * sum_k a[i,k] b[j,k] + beta * c[i,j], R x W sums on VL lanes: element k goes to lane k mod VL. */
INLINE void FN(pairs)(const GemmPairs *t, int R, int W) {
    const int64_t ars = t->ars, brs = t->brs;
    const T *a0 = t->a, *a1 = a0 + 3 * ars;
    const T *p0 = t->b, *p1 = p0 + (W > 1 ? brs : 0), *p2 = p0 + (W > 2 ? 2 * brs : 0),
            *p3 = p0 + (W > 3 ? 3 * brs : 0);
    PAIR_ROWS(DECLARE)
    int64_t k = t->k;
    V *state = t->state;
    if (t->resume) { PAIR_ROWS(PAIR_RESUME) }
#define LOAD(p) (*(const VU *)(p))
    for (; k >= VL; k -= VL) {
        PAIR_STEPS
        a0 += VL, p0 += VL;
        if (R > 3) a1 += VL;
        if (W > 1) p1 += VL;
        if (W > 2) p2 += VL;
        if (W > 3) p3 += VL;
    }
#undef LOAD
#define LOAD(p) ((V)VPART(p, k))
    if (k) PAIR_STEPS
#undef LOAD
    V room[6 * 4 + 3], *all = t->suspend ? state : room;
    PAIR_ROWS(PAIR_KEEP)
    if (t->suspend) return;
    T sums[6 * 4 + 3];
    for (int i = R * W; i < (R * W + 3) / 4 * 4; i++) all[i] = all[0];
    for (int i = 0; i < R * W; i += 4) FN(fold_four)(all + i, sums + i);
    FN(scatter)(sums, W, R, W, t->c, t->crs, t->ccs, t->alpha, t->beta);
}

/* c = alpha * v + beta * c of 16 bytes */
INLINE void FN(put_quad)(T *c, FN(Quad) v, FN(Quad) va, FN(Quad) vb, bool keep) {
    FN(Quad) *p = (FN(Quad) *)c;
    if (keep) *p = (FN(Quad))QFMA(va, v, vb * *p);
    else *p = va * v;
}

/* c[i,j] = alpha * t[j,i] + beta * c[i,j], m x n; c's columns are neighbours */
static void FN(put_turned)(const void *t, int64_t trs, int64_t m, int64_t n, void *to, int64_t crs, double alpha,
                           double beta) {
    const T *s = t;
    T *c = to;
    FN(Quad) va, vb;
    for (int q = 0; q < Q; q++) va[q] = (T)alpha, vb[q] = (T)beta;
    bool keep = beta != 0;
    int64_t mq = m / Q * Q, nq = n / Q * Q;
    for (int64_t i = 0; i < mq; i += Q)
        for (int64_t j = 0; j < nq; j += Q) {
            FN(Quad) out[Q];
            FN(turn)((T *)out, Q, s + j * trs + i, trs);
            for (int q = 0; q < Q; q++) FN(put_quad)(c + (i + q) * crs + j, out[q], va, vb, keep);
        }
    FN(scatter)(s + nq * trs, trs, n - nq, m, c + nq, 1, crs, alpha, beta);
    if (mq < m) FN(scatter)(s + mq, trs, nq, m - mq, c + mq * crs, 1, crs, alpha, beta);
}

/* tiles whose rows of b go on beyond the tile: the next columns are asked for on the way */
#ifdef FEW_TILES
#define AHEAD_TABLE \
    { FN(tile_1x2), FN(tile_2x2), FN(tile_3x2), FN(tile_4x2), FN(tile_5x2), FN(tile_6x2) }
#else
#define AHEAD_TILE(r) \
    static void FN(ahead_##r)(const GemmTile *t) { FN(tile)(t, r, NV, FN(AHEAD)); }
#define AHEAD_TILES AHEAD_TILE(1) AHEAD_TILE(2) AHEAD_TILE(3) AHEAD_TILE(4) AHEAD_TILE(5) AHEAD_TILE(6)
AHEAD_TILES
#define AHEAD_TABLE \
    { FN(ahead_1), FN(ahead_2), FN(ahead_3), FN(ahead_4), FN(ahead_5), FN(ahead_6) }
#endif

#define PAIRS(r, w) \
    static void FN(pairs_##r##x##w)(const GemmPairs *t) { FN(pairs)(t, r, w); }
#ifdef FEW_TILES /* as micro.h: the same chains a row at a time, their lanes in the same places */
#define LESS_PAIRS(r, w) \
    static void FN(pairs_##r##x##w)(const GemmPairs *t) { FN(pairs_by_rows)(t, r, w, FN(pairs_1x##w)); }
#define PAIRS_OF(w) PAIRS(1, w) LESS_PAIRS(2, w) LESS_PAIRS(3, w) LESS_PAIRS(4, w) LESS_PAIRS(5, w) PAIRS(6, w)

static void FN(pairs_by_rows)(const GemmPairs *t, int rows, int w, void (*row)(const GemmPairs *t)) {
    GemmPairs own = *t;
    for (int i = 0; i < rows; i++) {
        row(&own);
        own.a = (const T *)own.a + t->ars, own.c = (T *)own.c + t->crs, own.state = (V *)own.state + w;
    }
}
#else
#define PAIRS_OF(w) PAIRS(1, w) PAIRS(2, w) PAIRS(3, w) PAIRS(4, w) PAIRS(5, w) PAIRS(6, w)
#endif
PAIRS_OF(1)
PAIRS_OF(2)
#if NV > 2
PAIRS_OF(3) PAIRS_OF(4)
#define PAIR_TABLE_ROW(r) {FN(pairs_##r##x1), FN(pairs_##r##x2), FN(pairs_##r##x3), FN(pairs_##r##x4)},
#else
#define PAIR_TABLE_ROW(r) {FN(pairs_##r##x1), FN(pairs_##r##x2)},
#endif
#define PAIR_TABLE \
    { PAIR_TABLE_ROW(1) PAIR_TABLE_ROW(2) PAIR_TABLE_ROW(3) PAIR_TABLE_ROW(4) PAIR_TABLE_ROW(5) PAIR_TABLE_ROW(6) }
