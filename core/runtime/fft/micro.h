/*
 * micro.h -- the transforms' one source (fft.h). Included twice by each micro_<isa>.c, which defines before:
 *   T, FN(x)       element type, name of x for it
 *   VBYTES, LANES  bytes of a vector, its elements as a plain number (2, 4, 8 or 16)
 *   VFMA(a, b, c)  a * b + c, fused where the instruction set has it
 *   VSET(s)        all lanes s
 * Stockham's passes: decimation in frequency, each writes what the next reads in order, so nothing is reversed.
 */
#define V FN(Vec)
typedef T V __attribute__((vector_size(VBYTES), may_alias));
typedef T FN(VecU) __attribute__((vector_size(VBYTES), aligned(sizeof(T)), may_alias));
#define VU FN(VecU)
#define C FN(Pair)
typedef struct C {
    V re, im;
} C;
#define INLINE static inline __attribute__((always_inline))

INLINE C FN(plus)(C a, C b) { return (C){a.re + b.re, a.im + b.im}; }
INLINE C FN(minus)(C a, C b) { return (C){a.re - b.re, a.im - b.im}; }
/* times -i forth, i back */
INLINE C FN(quarter)(C a, bool back) { return back ? (C){-a.im, a.re} : (C){a.im, -a.re}; }
INLINE C FN(times)(C a, const T *w, bool back) {
    V re = VSET(w[0]), im = back ? VSET(-w[1]) : VSET(w[1]);
    return (C){VFMA(a.re, re, -(a.im * im)), VFMA(a.re, im, a.im * re)};
}

/* One pass: s transforms of length radix * m, interleaved. */
#define PASS_BEGIN(name, r) \
    INLINE void FN(name)(const C *x, C *y, const T *w, int64_t m, int64_t s, bool back) { \
        for (int64_t p = 0; p < m; p++, w += 2 * ((r)-1)) \
            for (int64_t q = 0; q < s; q++) { \
                const C *a = x + q + s * p; \
                C *b = y + q + s * (r)*p;
#define PASS_END \
    } \
    }

PASS_BEGIN(pass2, 2)
C a0 = a[0], a1 = a[s * m];
b[0] = FN(plus)(a0, a1);
b[s] = FN(times)(FN(minus)(a0, a1), w, back);
PASS_END

PASS_BEGIN(pass3, 3)
C a0 = a[0], a1 = a[s * m], a2 = a[2 * s * m];
C t = FN(plus)(a1, a2), d = FN(quarter)(FN(minus)(a1, a2), back);
V half = VSET((T)-0.5), h = VSET((T)0.86602540378443864676);
C e = {VFMA(t.re, half, a0.re), VFMA(t.im, half, a0.im)}, f = {d.re * h, d.im *h};
b[0] = FN(plus)(a0, t);
b[s] = FN(times)(FN(plus)(e, f), w, back);
b[2 * s] = FN(times)(FN(minus)(e, f), w + 2, back);
PASS_END

PASS_BEGIN(pass4, 4)
C a0 = a[0], a1 = a[s * m], a2 = a[2 * s * m], a3 = a[3 * s * m];
C e = FN(plus)(a0, a2), f = FN(minus)(a0, a2), g = FN(plus)(a1, a3), h = FN(quarter)(FN(minus)(a1, a3), back);
b[0] = FN(plus)(e, g);
b[s] = FN(times)(FN(plus)(f, h), w, back);
b[2 * s] = FN(times)(FN(minus)(e, g), w + 2, back);
b[3 * s] = FN(times)(FN(minus)(f, h), w + 4, back);
PASS_END

PASS_BEGIN(pass5, 5)
C a0 = a[0], a1 = a[s * m], a2 = a[2 * s * m], a3 = a[3 * s * m], a4 = a[4 * s * m];
C t1 = FN(plus)(a1, a4), t2 = FN(plus)(a2, a3);
C d1 = FN(quarter)(FN(minus)(a1, a4), back), d2 = FN(quarter)(FN(minus)(a2, a3), back);
V c1 = VSET((T)0.30901699437494742410), c2 = VSET((T)-0.80901699437494742410);
V s1 = VSET((T)0.95105651629515357212), s2 = VSET((T)0.58778525229247312917);
C e1 = {VFMA(t1.re, c1, VFMA(t2.re, c2, a0.re)), VFMA(t1.im, c1, VFMA(t2.im, c2, a0.im))};
C e2 = {VFMA(t1.re, c2, VFMA(t2.re, c1, a0.re)), VFMA(t1.im, c2, VFMA(t2.im, c1, a0.im))};
C f1 = {VFMA(d1.re, s1, d2.re *s2), VFMA(d1.im, s1, d2.im *s2)};
C f2 = {VFMA(d1.re, s2, -(d2.re *s1)), VFMA(d1.im, s2, -(d2.im *s1))};
b[0] = FN(plus)(a0, FN(plus)(t1, t2));
b[s] = FN(times)(FN(plus)(e1, f1), w, back);
b[2 * s] = FN(times)(FN(plus)(e2, f2), w + 2, back);
b[3 * s] = FN(times)(FN(minus)(e2, f2), w + 4, back);
b[4 * s] = FN(times)(FN(minus)(e1, f1), w + 6, back);
PASS_END

/* Two transforms of length 4: of sums and of differences, these turned by eighths. */
PASS_BEGIN(pass8, 8)
C e[4], f[4], g[4];
V r = VSET((T)0.70710678118654752440), t;
for (int j = 0; j < 4; j++) {
    C u = a[j * s * m], v = a[(j + 4) * s * m];
    e[j] = FN(plus)(u, v), f[j] = FN(minus)(u, v);
}
f[2] = FN(quarter)(f[2], back);
g[1] = FN(quarter)(f[1], back), g[3] = FN(quarter)(f[3], back);
f[1] = (C){(f[1].re + g[1].re) * r, (f[1].im + g[1].im) * r}; /* (1 - i) / sqrt 2 forth */
t = (g[3].re - f[3].re) * r, f[3].im = (g[3].im - f[3].im) * r, f[3].re = t;
g[0] = FN(plus)(e[0], e[2]), g[1] = FN(minus)(e[0], e[2]);
g[2] = FN(plus)(e[1], e[3]), g[3] = FN(quarter)(FN(minus)(e[1], e[3]), back);
b[0] = FN(plus)(g[0], g[2]);
b[2 * s] = FN(times)(FN(plus)(g[1], g[3]), w + 2, back);
b[4 * s] = FN(times)(FN(minus)(g[0], g[2]), w + 6, back);
b[6 * s] = FN(times)(FN(minus)(g[1], g[3]), w + 10, back);
g[0] = FN(plus)(f[0], f[2]), g[1] = FN(minus)(f[0], f[2]);
g[2] = FN(plus)(f[1], f[3]), g[3] = FN(quarter)(FN(minus)(f[1], f[3]), back);
b[s] = FN(times)(FN(plus)(g[0], g[2]), w, back);
b[3 * s] = FN(times)(FN(plus)(g[1], g[3]), w + 4, back);
b[5 * s] = FN(times)(FN(minus)(g[0], g[2]), w + 8, back);
b[7 * s] = FN(times)(FN(minus)(g[1], g[3]), w + 12, back);
PASS_END

/* One pass of an odd prime r up to FFT_PRIME: sums and differences of what stands opposite, then r / 2 sums of each;
 * cosines and sines of all of them lie before the pass's twiddles. */
static void FN(pass_odd)(const C *x, C *y, const T *table, int64_t m, int64_t s, int r, bool back) {
    const T *w = table + 2 * r;
    int h = r / 2;
    for (int64_t p = 0; p < m; p++, w += 2 * (r - 1))
        for (int64_t q = 0; q < s; q++) {
            const C *a = x + q + s * p;
            C *b = y + q + s * r * p, t[FFT_PRIME / 2], d[FFT_PRIME / 2], all = a[0];
            for (int j = 0; j < h; j++) {
                C u = a[(j + 1) * s * m], v = a[(r - 1 - j) * s * m];
                t[j] = FN(plus)(u, v), d[j] = FN(quarter)(FN(minus)(u, v), back);
                all = FN(plus)(all, t[j]);
            }
            b[0] = all;
            for (int k = 1; k <= h; k++) {
                C e = a[0], f = {{0}, {0}};
                for (int j = 0, at = k; j < h; j++, at = at + k < r ? at + k : at + k - r) {
                    V c = VSET(table[2 * at]), n = VSET(-table[2 * at + 1]);
                    e.re = VFMA(t[j].re, c, e.re), e.im = VFMA(t[j].im, c, e.im);
                    f.re = VFMA(d[j].re, n, f.re), f.im = VFMA(d[j].im, n, f.im);
                }
                b[k * s] = FN(times)(FN(plus)(e, f), w + 2 * (k - 1), back);
                b[(r - k) * s] = FN(times)(FN(minus)(e, f), w + 2 * (r - k - 1), back);
            }
        }
}

INLINE void FN(passes)(const FftPlan *plan, const void *src, void *dst, void *tmp, bool back) {
    const C *x = src;
    const T *w = plan->twiddles;
    int64_t s = 1, n = plan->n;
    if (plan->passes == 0) *(C *)dst = *x;
    for (int i = 0; i < plan->passes; i++) {
        int64_t r = plan->radix[i], m = n / r;
        C *y = (plan->passes - i) % 2 ? dst : tmp;
        if (r == 8) FN(pass8)(x, y, w, m, s, back);
        else if (r == 4) FN(pass4)(x, y, w, m, s, back);
        else if (r == 2) FN(pass2)(x, y, w, m, s, back);
        else if (r == 3) FN(pass3)(x, y, w, m, s, back);
        else if (r == 5) FN(pass5)(x, y, w, m, s, back);
        else FN(pass_odd)(x, y, w, m, s, (int)r, back), w += 2 * r;
        w += 2 * (r - 1) * m;
        x = y, n = m, s *= r;
    }
}

static void FN(transform)(const FftPlan *p, const void *src, void *dst, void *tmp, bool back) {
    if (back) FN(passes)(p, src, dst, tmp, true);
    else FN(passes)(p, src, dst, tmp, false);
}

/* ---- reals as pairs ---------------------------------------------------------------------------------------------- */
/* x[k] = (z[k] + conj z[half - k]) / 2 - i w^k (z[k] - conj z[half - k]) / 2 */
static void FN(split)(const void *pairs, const void *roots, int64_t half, void *to, int64_t step) {
    const C *z = pairs;
    const T *w = roots;
    T *at = to;
    V h = VSET((T)0.5);
    for (int64_t k = 0; k <= half; k++, at += step) {
        C a = z[k == half ? 0 : k], b = z[k == 0 ? 0 : half - k];
        C even = {(a.re + b.re) * h, (a.im - b.im) * h}, odd = {(a.im + b.im) * h, (b.re - a.re) * h};
        odd = FN(times)(odd, w + 2 * k, false);
        *(V *)at = even.re + odd.re;
        *(V *)(at + LANES) = even.im + odd.im;
    }
}

/* z[k] = (x[k] + conj x[half - k]) + i w^-k (x[k] - conj x[half - k]) */
static void FN(join)(const void *from, int64_t step, const void *roots, int64_t half, void *pairs) {
    C *z = pairs;
    const T *w = roots;
    for (int64_t k = 0; k < half; k++) {
        const T *pa = (const T *)from + k * step, *pb = (const T *)from + (half - k) * step;
        C a = {*(const V *)pa, *(const V *)(pa + LANES)}, b = {*(const V *)pb, *(const V *)(pb + LANES)};
        C even = {a.re + b.re, a.im - b.im}, odd = {a.re - b.re, a.im + b.im};
        odd = FN(times)(odd, w + 2 * k, true);
        z[k] = (C){even.re - odd.im, even.im + odd.re};
    }
}

/* ---- transposing ------------------------------------------------------------------------------------------------- */
/* Interleaving rows i and i + LANES / 2 into 2 i and 2 i + 1 turns the number (row, column) by one binary place. */
#define MIX __builtin_shufflevector
#if LANES == 2
#define LOW(a, b) MIX(a, b, 0, 2)
#define HIGH(a, b) MIX(a, b, 1, 3)
#define STAGES 1
#elif LANES == 4
#define LOW(a, b) MIX(a, b, 0, 4, 1, 5)
#define HIGH(a, b) MIX(a, b, 2, 6, 3, 7)
#define STAGES 2
#elif LANES == 8
#define LOW(a, b) MIX(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH(a, b) MIX(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#define STAGES 3
#else
#define LOW(a, b) MIX(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define HIGH(a, b) MIX(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define STAGES 4
#endif

static void FN(transpose)(const void *from, int64_t fs, void *to, int64_t ts) {
    V v[2][LANES];
    _Pragma("GCC unroll 16") for (int i = 0; i < LANES; i++) v[0][i] = *(const VU *)((const T *)from + i * fs);
    _Pragma("GCC unroll 4") for (int k = 0; k < STAGES; k++) {
        _Pragma("GCC unroll 8") for (int i = 0; i < LANES / 2; i++) {
            v[1 - k % 2][2 * i] = LOW(v[k % 2][i], v[k % 2][i + LANES / 2]);
            v[1 - k % 2][2 * i + 1] = HIGH(v[k % 2][i], v[k % 2][i + LANES / 2]);
        }
    }
    _Pragma("GCC unroll 16") for (int i = 0; i < LANES; i++) * (VU *)((T *)to + i * ts) = v[STAGES % 2][i];
}
#undef MIX
#undef LOW
#undef HIGH
#undef STAGES

/* ---- sums of products -------------------------------------------------------------------------------------------- */
#define SUMS_EACH(X) X(0, 0) X(0, 1) X(0, 2) X(0, 3) X(1, 0) X(1, 1) X(1, 2) X(1, 3)
#define SUMS_DECLARE(i, j) C y##i##j = {{0}, {0}};
/* sign: 1, or -1 where v counts as its conjugate */
#define SUMS_STEP(i, j) \
    if (A > i && B > j) { \
        y##i##j.re = VFMA(u##i.re, v##j.re, y##i##j.re); \
        y##i##j.im = VFMA(u##i.im, v##j.re, y##i##j.im); \
        y##i##j.re = VFMA(conjugate ? u##i.im : -u##i.im, v##j.im, y##i##j.re); \
        y##i##j.im = VFMA(conjugate ? -u##i.re : u##i.re, v##j.im, y##i##j.im); \
    }
#define SUMS_PUT(i, j) \
    if (A > i && B > j) { \
        C *o = (C *)(out + i * s->oa + j * s->ob); \
        *o = s->add ? FN(plus)(*o, y##i##j) : y##i##j; \
    }

INLINE void FN(sums_tile)(const FftSums *s, const T *pu, const T *pv, T *out, int A, int B, bool conjugate) {
    SUMS_EACH(SUMS_DECLARE)
    for (int64_t k = 0; k < s->k; k++, pu += s->uk, pv += s->vk) {
        C u0 = *(const C *)pu, u1 = A > 1 ? *(const C *)(pu + s->ua) : u0;
        C v0 = *(const C *)pv, v1 = B > 1 ? *(const C *)(pv + s->vb) : v0;
        C v2 = B > 2 ? *(const C *)(pv + 2 * s->vb) : v0, v3 = B > 3 ? *(const C *)(pv + 3 * s->vb) : v0;
        SUMS_EACH(SUMS_STEP)
    }
    SUMS_EACH(SUMS_PUT)
}

INLINE void FN(sums_part)(const FftSums *s, int64_t at, bool conjugate) {
    for (int64_t a = 0; a < s->a; a += 2)
        for (int64_t b = 0; b < s->b; b += 4) {
            const T *u = (const T *)s->u + a * s->ua + at, *v = (const T *)s->v + b * s->vb + at;
            T *out = (T *)s->out + a * s->oa + b * s->ob + at;
            bool two = a + 1 < s->a;
            int64_t left = s->b - b;
            if (left >= 4 && two) FN(sums_tile)(s, u, v, out, 2, 4, conjugate);
            else if (left >= 4) FN(sums_tile)(s, u, v, out, 1, 4, conjugate);
            else if (left == 3 && two) FN(sums_tile)(s, u, v, out, 2, 3, conjugate);
            else if (left == 3) FN(sums_tile)(s, u, v, out, 1, 3, conjugate);
            else if (left == 2 && two) FN(sums_tile)(s, u, v, out, 2, 2, conjugate);
            else if (left == 2) FN(sums_tile)(s, u, v, out, 1, 2, conjugate);
            else if (two) FN(sums_tile)(s, u, v, out, 2, 1, conjugate);
            else FN(sums_tile)(s, u, v, out, 1, 1, conjugate);
        }
}

static void FN(sums)(const FftSums *s) {
    for (int64_t i = 0; i < s->n; i++)
        if (s->conjugate) FN(sums_part)(s, 2 * LANES * i, true);
        else FN(sums_part)(s, 2 * LANES * i, false);
}

#include "micro_line.h"

static const FftKernels FN(kernels) = {
    LANES,    FN(transform), FN(split),   FN(join),  FN(transpose),     FN(sums),        FN(load),       FN(store),
    FN(turn), FN(square),    FN(product), FN(scale), FN(pairs_product), FN(pairs_split), FN(pairs_join),
};
#undef V
#undef VU
#undef C
#undef T
#undef FN
#undef LANES
#undef VFMA
#undef VSET
#undef INLINE
#undef PASS_BEGIN
#undef PASS_END
#undef SUMS_EACH
#undef SUMS_DECLARE
#undef SUMS_STEP
#undef SUMS_PUT
