/*
 * conv_micro.h -- register tiles of convolution, a part of micro.h (its types and macros, the same instruction
 * sets). Vectors are loaded where the image lies, wherever each of them starts; the index summed over is a list of
 * segments of equal length.
 */
#define WINDOW_START(i) const T *a##i = (const T *)t->a + t->arow[R > i ? i : 0] + t->aseg[seg];
#define WINDOW_STEP(i) \
    if (R > i) { \
        V s = VSET(a##i[0]); \
        a##i += t->acs; \
        c##i##0 = VFMA(b0, s, c##i##0); \
        if (W > 1) c##i##1 = VFMA(b1, s, c##i##1); \
        if (W > 2) c##i##2 = VFMA(b2, s, c##i##2); \
        if (W > 3) c##i##3 = VFMA(b3, s, c##i##3); \
    }
#define WINDOW_PUT(i, j) \
    if (R > i && W > j) { \
        VU *p = (VU *)((T *)t->c + i * t->crs + t->cvec[j]); \
        if (t->add) *p += c##i##j; \
        else *p = c##i##j; \
    }
#define WINDOW_FINISH(i) WINDOW_PUT(i, 0) WINDOW_PUT(i, 1) WINDOW_PUT(i, 2) WINDOW_PUT(i, 3)

/* c[i, vector j] = sum over segments s and k of a[arow i + aseg s + k acs] * b[bvec j + bseg s + k brs ..] */
INLINE void FN(window)(const ConvTile *t, int R, int W) {
    const int64_t v1 = W > 1 ? t->bvec[1] - t->bvec[0] : 0, v2 = W > 2 ? t->bvec[2] - t->bvec[0] : 0;
    const int64_t v3 = W > 3 ? t->bvec[3] - t->bvec[0] : 0;
    ROWS(DECLARE)
    for (int64_t seg = 0; seg < t->segs; seg++) {
        const T *b = (const T *)t->b + t->bvec[0] + t->bseg[seg];
        ROWS(WINDOW_START)
        for (int64_t k = t->len; k > 0; k--) {
            V b0 = *(const VU *)b, b1 = b0, b2 = b0, b3 = b0;
            if (W > 1) b1 = *(const VU *)(b + v1);
            if (W > 2) b2 = *(const VU *)(b + v2);
            if (W > 3) b3 = *(const VU *)(b + v3);
            b += t->brs;
            ROWS(WINDOW_STEP)
        }
    }
    ROWS(WINDOW_FINISH)
}

#define DOTS_START(i) const T *a##i = (const T *)t->a + t->arow[R > i ? i : 0] + t->aseg[seg];
#define DOTS_STEP(i) \
    if (R > i) { \
        V x = *(const VU *)(a##i + k); \
        c##i##0 = VFMA(b0, x, c##i##0); \
        if (W > 1) c##i##1 = VFMA(b1, x, c##i##1); \
        if (W > 2) c##i##2 = VFMA(b2, x, c##i##2); \
        if (W > 3) c##i##3 = VFMA(b3, x, c##i##3); \
    }
#define DOTS_LAST(i) \
    if (R > i) { \
        V x = VPART(a##i + k, rest); \
        c##i##0 = VFMA(b0, x, c##i##0); \
        if (W > 1) c##i##1 = VFMA(b1, x, c##i##1); \
        if (W > 2) c##i##2 = VFMA(b2, x, c##i##2); \
        if (W > 3) c##i##3 = VFMA(b3, x, c##i##3); \
    }
#define DOTS_PUT(i, j) \
    if (R > i && W > j) ((T *)t->c)[i * t->crs + t->cvec[j]] += FN(fold_vector)(c##i##j);
#define DOTS_FINISH(i) DOTS_PUT(i, 0) DOTS_PUT(i, 1) DOTS_PUT(i, 2) DOTS_PUT(i, 3)

/* c[i, j] += sum over segments s and k of a[arow i + aseg s + k] * b[bvec j + bseg s + k] */
INLINE void FN(dots)(const ConvTile *t, int R, int W) {
    ROWS(DECLARE)
    int64_t rest = t->len % VL;
    for (int64_t seg = 0; seg < t->segs; seg++) {
        const T *b = (const T *)t->b + t->bseg[seg], *p0 = b + t->bvec[0], *p1 = b + t->bvec[W > 1 ? 1 : 0];
        const T *p2 = b + t->bvec[W > 2 ? 2 : 0], *p3 = b + t->bvec[W > 3 ? 3 : 0];
        ROWS(DOTS_START)
        int64_t k = 0;
        for (; k + VL <= t->len; k += VL) {
            V b0 = *(const VU *)(p0 + k), b1 = b0, b2 = b0, b3 = b0;
            if (W > 1) b1 = *(const VU *)(p1 + k);
            if (W > 2) b2 = *(const VU *)(p2 + k);
            if (W > 3) b3 = *(const VU *)(p3 + k);
            ROWS(DOTS_STEP)
        }
        if (rest) {
            V b0 = VPART(p0 + k, rest), b1 = b0, b2 = b0, b3 = b0;
            if (W > 1) b1 = VPART(p1 + k, rest);
            if (W > 2) b2 = VPART(p2 + k, rest);
            if (W > 3) b3 = VPART(p3 + k, rest);
            ROWS(DOTS_LAST)
        }
    }
    ROWS(DOTS_FINISH)
}

/* d[i][j] += s[i][j] for n rows of m elements */
static void FN(add_rows)(void *to, int64_t ds, const void *from, int64_t ss, int64_t n, int64_t m) {
    T *d = to;
    const T *s = from;
    int64_t whole = m / VL * VL, rest = m - whole;
    for (; n > 0; n--, d += ds, s += ss) {
        for (int64_t j = 0; j < whole; j += VL) *(VU *)(d + j) += *(const VU *)(s + j);
        if (rest) VPUT(d + whole, VPART(d + whole, rest) + VPART(s + whole, rest), rest);
    }
}

/* d[j] = s[0][j] + s[1][j] + .. over n rows of m elements, n > 0; d is no row */
static void FN(sum_rows)(void *to, const void *from, int64_t ss, int64_t n, int64_t m) {
    T *d = to;
    const T *s = from;
    for (; m >= VL; m -= VL, d += VL, s += VL) {
        V sum = *(const VU *)s;
        for (int64_t i = 1; i < n; i++) sum += *(const VU *)(s + i * ss);
        *(VU *)d = sum;
    }
    if (m) {
        V sum = VPART(s, m);
        for (int64_t i = 1; i < n; i++) sum += VPART(s + i * ss, m);
        VPUT(d, sum, m);
    }
}

/* d[j][i] = s[i][j] for n rows of m elements */
static void FN(turn_all)(void *to, int64_t ds, const void *from, int64_t ss, int64_t n, int64_t m) {
    T *d = to;
    const T *s = from;
    int64_t nq = n / Q * Q, mq = m / Q * Q;
#ifdef TURN_SQUARE
    int64_t squares = n / VL * VL;
    for (int64_t j = 0; j < m; j += VL)
        for (int64_t i = 0; i < squares; i += VL)
            TURN_SQUARE(d + j * ds + i, ds, s + i * ss + j, ss, m - j < VL ? m - j : VL);
    d += squares, s += squares * ss, n -= squares, nq -= squares;
#endif
    for (int64_t j = 0; j < mq; j += Q)
        for (int64_t i = 0; i < nq; i += Q) FN(turn)(d + j * ds + i, ds, s + i * ss + j, ss);
    for (int64_t j = 0; j < m; j++)
        for (int64_t i = j < mq ? nq : 0; i < n; i++) d[j * ds + i] = s[i * ss + j];
}

#define CONV_TILE(r, w) \
    static void FN(window_##r##x##w)(const ConvTile *t) { FN(window)(t, r, w); } \
    static void FN(dots_##r##x##w)(const ConvTile *t) { FN(dots)(t, r, w); }
#ifdef FEW_TILES /* as micro.h has its tiles */
static void FN(conv_by_rows)(const ConvTile *t, int rows, ConvTileFn row) {
    ConvTile own = *t;
    for (int i = 0; i < rows; i++) {
        own.arow[0] = t->arow[i];
        row(&own);
        own.c = (T *)own.c + t->crs;
    }
}
#define CONV_LESS(r, w) \
    static void FN(window_##r##x##w)(const ConvTile *t) { FN(conv_by_rows)(t, r, FN(window_1x##w)); } \
    static void FN(dots_##r##x##w)(const ConvTile *t) { FN(conv_by_rows)(t, r, FN(dots_1x##w)); }
#else
#define CONV_LESS CONV_TILE
#endif
#define CONV_TILES(w) CONV_TILE(1, w) CONV_LESS(2, w) CONV_LESS(3, w) CONV_LESS(4, w) CONV_LESS(5, w) CONV_TILE(6, w)
CONV_TILES(1)
CONV_TILES(2)
#if NV > 2
CONV_TILES(3)
CONV_TILES(4)
#define CONV_ROW(kind, r) {FN(kind##_##r##x1), FN(kind##_##r##x2), FN(kind##_##r##x3), FN(kind##_##r##x4)},
#else
#define CONV_ROW(kind, r) {FN(kind##_##r##x1), FN(kind##_##r##x2)},
#endif
#define CONV_ROWS(kind) \
    { CONV_ROW(kind, 1) CONV_ROW(kind, 2) CONV_ROW(kind, 3) CONV_ROW(kind, 4) CONV_ROW(kind, 5) CONV_ROW(kind, 6) }
