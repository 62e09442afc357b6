/*
 * few_micro.h -- a matrix of few columns whose rows follow each other without a gap, by one vector: a part of
 * micro.h, where an instruction set permutes a vector's lanes by number (VPICK, VLINE). VL rows of N columns are N
 * whole vectors then, so no lane is empty and no vector is masked: lane l of vector p holds column (p VL + l) mod N of
 * row (p VL + l) div N. The sums and products are those of gemv and rank1, in their order.
 */
#define FEW_VECTORS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#define FEW_ROW(p, l) ((p)*VL + (l)) / N
#if T_BYTES == 8
typedef int64_t FN(Numbers) __attribute__((vector_size(VBYTES)));
#define FEW_ROWS(p) \
    { \
        FEW_ROW(p, 0), FEW_ROW(p, 1), FEW_ROW(p, 2), FEW_ROW(p, 3), FEW_ROW(p, 4), FEW_ROW(p, 5), FEW_ROW(p, 6), \
            FEW_ROW(p, 7) \
    }
#else
typedef int32_t FN(Numbers) __attribute__((vector_size(VBYTES)));
#define FEW_ROWS(p) \
    { \
        FEW_ROW(p, 0), FEW_ROW(p, 1), FEW_ROW(p, 2), FEW_ROW(p, 3), FEW_ROW(p, 4), FEW_ROW(p, 5), FEW_ROW(p, 6), \
            FEW_ROW(p, 7), FEW_ROW(p, 8), FEW_ROW(p, 9), FEW_ROW(p, 10), FEW_ROW(p, 11), FEW_ROW(p, 12), \
            FEW_ROW(p, 13), FEW_ROW(p, 14), FEW_ROW(p, 15) \
    }
#endif
#define FEW_START(p) \
    const VLINE i##p = (VLINE)(FN(Numbers))FEW_ROWS(p); \
    V s##p = {0};

/* ---- sums down the columns: y[j] = alpha * sum_k a[k,j] x[k] + beta * y[j] ---- */
#define FEW_STEP(p) \
    if (N > p) s##p = VFMA(*(const VU *)(a + p * VL), VPICK(x, i##p), s##p);
#define FEW_LAST(p) \
    if (N > p) s##p = VFMA(VPART(a + p * VL, FN(left)(rest * N - p * VL)), VPICK(x, i##p), s##p);
#define FEW_KEEP(p) \
    if (N > p) *(VU *)(t + p * VL) = s##p;

/* The lanes of all columns lie as the matrix does: t[lane][column]. */
INLINE void FN(few_sums)(const GemmVec *v, int N) {
    T t[12 * VL];
    const T *a = v->a, *px = v->x;
    FEW_VECTORS(FEW_START)
    int64_t k = 0;
    for (; k + VL <= v->k; k += VL, a += N * VL) {
        V x = *(const VU *)(px + k);
        FEW_VECTORS(FEW_STEP)
    }
    int64_t rest = v->k - k;
    if (rest > 0) { /* products of zeros for the lanes past the end, as in dot_rows */
        V x = VPART(px + k, rest);
        FEW_VECTORS(FEW_LAST)
    }
    FEW_VECTORS(FEW_KEEP)
    for (int h = VL / 2; h > 0; h /= 2)
        for (int j = 0; j < h * N; j += VL) {
            if (j + VL <= h * N) *(VU *)(t + j) += *(VU *)(t + h * N + j);
            else VPUT(t + j, VPART(t + j, h * N - j) + VPART(t + h * N + j, h * N - j), h * N - j);
        }
    T *y = (T *)v->y;
    for (int j = 0; j < N; j++, y += v->ys) *y = FN(blend)(t[j], (T)v->alpha, (T)v->beta, y);
}

/* ---- k of 1: c[i,j] = alpha a[i] b[j] + beta c[i,j], beta not 0; from the last rows to the first, as rank1_piece - */
#define FEW_PATTERN(p) \
    const VLINE i##p = (VLINE)(FN(Numbers))FEW_ROWS(p); \
    V b##p = N > p ? (V) * (const VU *)(pattern + p * VL % N) : (V){0};
#define FEW_PUT(p) \
    if (N > p) { \
        VU *to = (VU *)(c + p * VL); \
        *to = VFMA(va, VFMA(b##p, VPICK(x, i##p), (V){0}), vb * (V)*to); \
    }
#define FEW_PUT_LAST(p) \
    if (N > p) { \
        int64_t n = FN(left)(rest * N - p * VL); \
        V old = VPART(c + p * VL, n); \
        VPUT(c + p * VL, VFMA(va, VFMA(b##p, VPICK(x, i##p), (V){0}), vb * old), n); \
    }

INLINE void FN(few_outer)(const GemmTile *t, int64_t m, int N) {
    V va = VSET((T)t->alpha), vb = VSET((T)t->beta);
    T pattern[12 + VL], *c = t->c;
    const T *a = t->a;
    for (int j = 0, q = 0; j < N + VL; j++, q = q + 1 < N ? q + 1 : 0) pattern[j] = ((const T *)t->b)[q];
    FEW_VECTORS(FEW_PATTERN)
    int64_t rest = m % VL;
    a += m - rest, c += (m - rest) * N;
    if (rest > 0) {
        V x = VPART(a, rest);
        FEW_VECTORS(FEW_PUT_LAST)
    }
    for (int64_t i = m / VL; i > 0; i--) {
        a -= VL, c -= N * VL;
        V x = *(const VU *)a;
        FEW_VECTORS(FEW_PUT)
    }
}

#define FEW(n) \
    static void FN(few_sums_##n)(const GemmVec *v) { FN(few_sums)(v, n); } \
    static void FN(few_outer_##n)(const GemmTile *t, int64_t m) { FN(few_outer)(t, m, n); }
FEW(2)
FEW(3)
FEW(4)
FEW(5)
FEW(6)
FEW(7)
FEW(8)
FEW(9)
FEW(10)
FEW(11)
FEW(12)

/* By columns, from two on. */
#define FEW_TABLE(name) \
    { \
        NULL, NULL, FN(name##_2), FN(name##_3), FN(name##_4), FN(name##_5), FN(name##_6), FN(name##_7), FN(name##_8), \
            FN(name##_9), FN(name##_10), FN(name##_11), FN(name##_12) \
    }
static void (*const FN(few_sums_of)[])(const GemmVec *) = FEW_TABLE(few_sums);
static void (*const FN(few_outer_of)[])(const GemmTile *, int64_t) = FEW_TABLE(few_outer);
