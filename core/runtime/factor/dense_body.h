/*
 * dense_body.h -- the kernels' one source (dense.h), for one dtype (number.h) of one instruction set. Rows are updated
 * whole, so that loops run along memory; what stands in a column is gathered first. NUMBER_ALONE: a GPU, where there
 * are neither lanes nor tables (core/runtime/gpu/factor.c); so this is C and C++.
 */

enum { FN(MOST_GATHERED) = 256 };

/* y[i] -= f x[i] */
static inline void FN(subtract)(T *restrict y, const T *restrict x, T f, int n) {
    for (int i = 0; i < n; i++) y[i] = MUL_ADD(-f, x[i], y[i]);
}

static int FN(cholesky_lower)(T *a, int n, int64_t ld) {
    T column[FN(MOST_GATHERED)];
    for (int k = 0; k < n; k++) {
        R d = RE(a[k * ld + k]);
        if (d <= 0) return k + 1;
        d = R_SQRT(d);
        a[k * ld + k] = d;
        R inverse = 1 / d;
        for (int i0 = k + 1; i0 < n; i0 += FN(MOST_GATHERED)) {
            int i1 = i0 + FN(MOST_GATHERED) < n ? i0 + FN(MOST_GATHERED) : n;
            for (int i = i0; i < i1; i++) {
                T v = SCALE(a[i * ld + k], inverse);
                a[i * ld + k] = v;
                column[i - i0] = CONJ(v);
            }
            for (int i = i0; i < n; i++) {
                T f = i < i1 ? a[i * ld + k] : SCALE(a[i * ld + k], inverse);
                FN(subtract)(a + i * ld + i0, column, f, (i < i1 ? i + 1 : i1) - i0);
            }
        }
    }
    return 0;
}

static int FN(cholesky_upper)(T *a, int n, int64_t ld) {
    for (int k = 0; k < n; k++) {
        T *row = a + k * ld;
        R d = RE(row[k]);
        if (d <= 0) return k + 1;
        d = R_SQRT(d);
        row[k] = d;
        R inverse = 1 / d;
        for (int i = k + 1; i < n; i++) row[i] = SCALE(row[i], inverse);
        for (int i = k + 1; i < n; i++) FN(subtract)(a + i * ld + i, row + i, CONJ(row[i]), n - i);
    }
    return 0;
}

static int FN(cholesky)(void *at, int n, int64_t ld, bool lower) {
    return lower ? FN(cholesky_lower)((T *)at, n, ld) : FN(cholesky_upper)((T *)at, n, ld);
}

static void FN(exchange)(T *x, T *y, int n) {
    for (int i = 0; i < n; i++) {
        T v = x[i];
        x[i] = y[i], y[i] = v;
    }
}

static int FN(lu)(void *to, int m, int n, int64_t ld, int *at) {
    T *a = (T *)to;
    int small = m < n ? m : n, bad = 0;
    for (int k = 0; k < small; k++) {
        int best = k;
        R most = SIZE1(a[k * ld + k]);
        for (int i = k + 1; i < m; i++) {
            R v = SIZE1(a[i * ld + k]);
            if (v > most) most = v, best = i;
        }
        at[k] = best;
        if (best != k) FN(exchange)(a + k * ld, a + best * ld, n);
        T pivot = a[k * ld + k];
        if (pivot == 0) {
            if (!bad) bad = k + 1;
            continue;
        }
        T inverse = QUOTIENT((T)1, pivot);
        bool exact = most >= R_MIN; /* else the inverse overflows */
        for (int i = k + 1; i < m; i++) {
            T f = exact ? MUL(a[i * ld + k], inverse) : QUOTIENT(a[i * ld + k], pivot);
            a[i * ld + k] = f;
            FN(subtract)(a + i * ld + k + 1, a + k * ld + k + 1, f, n - k - 1);
        }
    }
    return bad;
}

/* One column: sums along rows of a, or columns subtracted, whatever lies along memory. */
static void FN(triangular_one)(const T *a, int n, int64_t ld, bool down, int trans, bool unit, T *b, int64_t step) {
    for (int s = 0; s < n; s++) {
        int i = down ? s : n - 1 - s;
        const T *row = a + i * ld;
        T v = b[i * step];
        if (trans == FACTOR_N) {
            int first = down ? 0 : i + 1, end = down ? i : n;
            T sum[4] = {0};
            int j = first;
            for (; j + 4 <= end; j += 4)
                for (int l = 0; l < 4; l++) sum[l] = MUL_ADD(row[j + l], b[(j + l) * step], sum[l]);
            for (; j < end; j++) sum[0] = MUL_ADD(row[j], b[j * step], sum[0]);
            v -= (sum[0] + sum[1]) + (sum[2] + sum[3]);
            b[i * step] = unit ? v : QUOTIENT(v, row[i]);
            continue;
        }
        if (!unit) v = QUOTIENT(v, trans == FACTOR_C ? CONJ(row[i]) : row[i]);
        b[i * step] = v;
        for (int j = down ? i + 1 : 0; j < (down ? n : i); j++)
            b[j * step] = MUL_ADD(-(trans == FACTOR_C ? CONJ(row[j]) : row[j]), v, b[j * step]);
    }
}

static void FN(triangular)(const void *from, int n, int64_t lda, bool lower, int trans, bool unit, void *to, int k,
                           int64_t ldb) {
    const T *a = (const T *)from;
    T *b = (T *)to;
    bool down = lower == (trans == FACTOR_N); /* rows of X in ascending order */
    if (k == 1) {
        FN(triangular_one)(a, n, lda, down, trans, unit, b, ldb);
        return;
    }
    for (int s = 0; s < n; s++) {
        int i = down ? s : n - 1 - s;
        T *row = b + i * ldb, d = trans == FACTOR_C ? CONJ(a[i * lda + i]) : a[i * lda + i];
        if (!unit && SIZE1(d) >= R_MIN) {
            d = QUOTIENT((T)1, d);
            for (int c = 0; c < k; c++) row[c] = MUL(row[c], d);
        } else if (!unit) { /* the inverse overflows */
            for (int c = 0; c < k; c++) row[c] = QUOTIENT(row[c], d);
        }
        for (int j = down ? i + 1 : 0; j < (down ? n : i); j++) {
            T f = trans == FACTOR_N ? a[j * lda + i] : a[i * lda + j];
            FN(subtract)(b + j * ldb, row, trans == FACTOR_C ? CONJ(f) : f, k);
        }
    }
}

#ifndef NUMBER_ALONE
#if NUM < 2
/* ---- on lanes ---------------------------------------------------------------------------------------------------- */
typedef T FN(V) __attribute__((vector_size(VBYTES), aligned(VBYTES)));
#if NUM == 0
typedef int32_t FN(I) __attribute__((vector_size(VBYTES), aligned(VBYTES)));
static const int32_t FN(NO_SIGN) = INT32_MAX;
#else
typedef int64_t FN(I) __attribute__((vector_size(VBYTES), aligned(VBYTES)));
static const int64_t FN(NO_SIGN) = INT64_MAX;
#endif
#define V FN(V)
#define LANES ((int)(VBYTES / sizeof(T)))
#ifdef V_MASK /* masks of their own kind */
typedef V_MASK FN(M);
#define M FN(M)
#define NONE 0
#define ANY(m) ((m) != 0)
#else
typedef FN(I) FN(M);
#define M FN(M)
#define V_LESS(a, b) ((a) < (b))
#define V_SAME(a, b) ((a) == (b))
#define V_PICK(m, yes, no) ((V)(((M)(yes) & (m)) | ((M)(no) & ~(m))))
#define NONE ((M){0})
#define ANY(m) FN(any)(m)
static inline bool FN(any)(M m) {
    uint64_t bits = 0, part[VBYTES / 8];
    memcpy(part, &m, sizeof m);
    for (int i = 0; i < TH_LEN(part); i++) bits |= part[i];
    return bits != 0;
}
#endif

static inline V FN(all)(T v) { return (V){0} + v; }
static inline V FN(modulus)(V v) { return (V)((FN(I))v & ((FN(I)){0} + FN(NO_SIGN))); }

#include "lane_body.h"

/* LANES rows of as many numbers turned: parts of 1, 2, 4 .. lanes change places. */
static inline void FN(turn)(V *r) {
#ifdef __clang__ /* it has no shuffle by a vector */
    T part[LANES][LANES];
    for (int i = 0; i < LANES; i++)
        for (int k = 0; k < LANES; k++) part[k][i] = r[i][k];
    memcpy(r, part, sizeof part);
#else
    FN(I) place;
    for (int i = 0; i < LANES; i++) place[i] = i;
#pragma GCC unroll 4
    for (int bit = 0; bit < 4; bit++) {
        if (1 << bit >= LANES) break;
        int d = 1 << bit;
        FN(I) low = place + (-(place >> bit & 1) & (LANES - d)), high = low + d;
#pragma GCC unroll 16
        for (int i = 0; i < LANES; i++) {
            if (i & d) continue;
            V x = r[i], y = r[i + d];
            r[i] = __builtin_shuffle(x, y, low);
            r[i + d] = __builtin_shuffle(x, y, high);
        }
    }
#endif
}

static void FN(lane_gather)(void *at, const void *first, int64_t step, int n) {
    V *to = at;
    const T *from = first;
    int e = 0;
    for (; !step && e < n; e++) to[e] = FN(all)(from[e]); /* one matrix */
    for (; e + LANES <= n; e += LANES) {
        V r[LANES];
        for (int l = 0; l < LANES; l++) memcpy(&r[l], from + l * step + e, sizeof r[l]);
        FN(turn)(r);
        for (int l = 0; l < LANES; l++) to[e + l] = r[l];
    }
    for (; e < n; e++)
        for (int l = 0; l < LANES; l++) to[e][l] = from[l * step + e];
}

static void FN(lane_scatter)(void *first, int64_t step, const void *at, int n) {
    const V *from = at;
    T *to = first;
    int e = 0;
    for (; !step && e < n; e++) to[e] = from[e][0];
    for (; e + LANES <= n; e += LANES) {
        V r[LANES];
        for (int l = 0; l < LANES; l++) r[l] = from[e + l];
        FN(turn)(r);
        for (int l = 0; l < LANES; l++) memcpy(to + l * step + e, &r[l], sizeof r[l]);
    }
    for (; e < n; e++)
        for (int l = 0; l < LANES; l++) to[l * step + e] = from[e][l];
}

static const DenseKernels FN(kernels) = {LANES,           FN(cholesky),      FN(lu),
                                         FN(triangular),  FN(lane_cholesky), FN(lane_solve),
                                         FN(lane_invert), FN(lane_det),      FN(lane_triangular),
                                         FN(lane_gather), FN(lane_scatter)};
#undef V
#undef M
#undef LANES
#undef NONE
#undef ANY
#ifndef V_MASK
#undef V_LESS
#undef V_SAME
#undef V_PICK
#endif
#else
static const DenseKernels FN(kernels) = {.cholesky = FN(cholesky), .lu = FN(lu), .triangular = FN(triangular)};
#endif
#endif
