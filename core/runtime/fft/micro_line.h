/*
 * micro_line.h -- kernels for one transform whose numbers lie side by side as pairs (re, im): part of micro.h, in its
 * words. A vector of re and one of im are unzipped from two vectors of pairs.
 */
#define MIX __builtin_shufflevector
#if LANES == 2
#define EVEN(a, b) MIX(a, b, 0, 2)
#define ODD(a, b) MIX(a, b, 1, 3)
#define ZIP_LOW(a, b) MIX(a, b, 0, 2)
#define ZIP_HIGH(a, b) MIX(a, b, 1, 3)
#define REVERSE(a) MIX(a, a, 1, 0)
#elif LANES == 4
#define EVEN(a, b) MIX(a, b, 0, 2, 4, 6)
#define ODD(a, b) MIX(a, b, 1, 3, 5, 7)
#define ZIP_LOW(a, b) MIX(a, b, 0, 4, 1, 5)
#define ZIP_HIGH(a, b) MIX(a, b, 2, 6, 3, 7)
#define REVERSE(a) MIX(a, a, 3, 2, 1, 0)
#elif LANES == 8
#define EVEN(a, b) MIX(a, b, 0, 2, 4, 6, 8, 10, 12, 14)
#define ODD(a, b) MIX(a, b, 1, 3, 5, 7, 9, 11, 13, 15)
#define ZIP_LOW(a, b) MIX(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define ZIP_HIGH(a, b) MIX(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#define REVERSE(a) MIX(a, a, 7, 6, 5, 4, 3, 2, 1, 0)
#else
#define EVEN(a, b) MIX(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
#define ODD(a, b) MIX(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)
#define ZIP_LOW(a, b) MIX(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define ZIP_HIGH(a, b) MIX(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define REVERSE(a) MIX(a, a, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#endif

INLINE C FN(unzip)(const T *from) {
    V a = *(const VU *)from, b = *(const VU *)(from + LANES);
    return (C){EVEN(a, b), ODD(a, b)};
}

INLINE void FN(zip)(C c, T *to) {
    *(VU *)to = ZIP_LOW(c.re, c.im);
    *(VU *)(to + LANES) = ZIP_HIGH(c.re, c.im);
}

INLINE C FN(turned)(C a, C w, bool back) {
    if (back) w.im = -w.im;
    return (C){VFMA(a.re, w.re, -(a.im * w.im)), VFMA(a.re, w.im, a.im * w.re)};
}

/* n rows of `lanes` pairs, `step` numbers apart, as elements; lanes past them are 0. */
static void FN(load)(const void *from, int64_t step, int64_t n, int lanes, void *to) {
    const T *x = from;
    C *y = to;
    if (lanes == LANES) {
        for (int64_t i = 0; i < n; i++) y[i] = FN(unzip)(x + i * step);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        T row[2 * LANES] = {0};
        for (int l = 0; l < 2 * lanes; l++) row[l] = x[i * step + l];
        y[i] = FN(unzip)(row);
    }
}

static void FN(store)(const void *from, int64_t n, void *to, int64_t step, int lanes, double by) {
    const C *x = from;
    T *y = to;
    V scale = VSET((T)by);
    for (int64_t i = 0; i < n; i++) {
        C v = {x[i].re * scale, x[i].im * scale};
        T row[2 * LANES];
        FN(zip)(v, lanes == LANES ? y + i * step : row);
        for (int l = 0; lanes < LANES && l < 2 * lanes; l++) y[i * step + l] = row[l];
    }
}

/* to[i * step] = x[i] * w[i], all of them elements of vectors; step counts elements. */
static void FN(turn)(const void *from, const void *by, int64_t n, void *to, int64_t step, bool back) {
    const C *x = from, *w = by;
    C *y = to;
    if (back)
        for (int64_t i = 0; i < n; i++) y[i * step] = FN(turned)(x[i], w[i], true);
    else
        for (int64_t i = 0; i < n; i++) y[i * step] = FN(turned)(x[i], w[i], false);
}

/* A square of numbers, lanes across: element j has what stands at place j of each of LANES rows, fs numbers apart. */
static void FN(square)(const void *from, int64_t fs, void *to) {
    FN(transpose)(from, fs, to, 2 * LANES);
    FN(transpose)((const T *)from + LANES, fs, (T *)to + LANES, 2 * LANES);
}

/* y[i] = x[i] * w[i]: the same number for all lanes. */
static void FN(product)(const void *from, const void *by, int64_t n, void *to, bool back) {
    const C *x = from;
    const T *w = by;
    C *y = to;
    for (int64_t i = 0; i < n; i++) y[i] = FN(times)(x[i], w + 2 * i, back);
}

/* n plain numbers */
static void FN(scale)(void *at, int64_t n, double by) {
    T *x = at, f = (T)by;
    for (int64_t i = 0; i < n; i++) x[i] *= f;
}

/* y[i] = x[i] * w[i] * by, all of them pairs; `back`: w's conjugate */
static void FN(pairs_product)(const void *from, const void *with, int64_t n, void *to, bool back, double by) {
    const T *x = from, *w = with;
    T *y = to, sign = (T)(back ? -by : by), f = (T)by;
    V scale = VSET(f), turn = VSET(sign);
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        C v = FN(unzip)(w + 2 * i);
        FN(zip)(FN(turned)(FN(unzip)(x + 2 * i), (C){v.re * scale, v.im * turn}, false), y + 2 * i);
    }
    for (; i < n; i++) {
        T re = x[2 * i], im = x[2 * i + 1], c = w[2 * i] * f, s = w[2 * i + 1] * sign;
        y[2 * i] = re * c - im * s, y[2 * i + 1] = re * s + im * c;
    }
}

/* Elements of the half spectrum at k and half - k from those of the pairs, as `split` computes them. */
INLINE void FN(split_one)(const T *z, const T *w, int64_t half, int64_t k, T *to, T by) {
    const T *a = z + 2 * (k == half ? 0 : k), *b = z + 2 * (k == 0 ? 0 : half - k);
    T h = (T)0.5 * by, even[2] = {(a[0] + b[0]) * h, (a[1] - b[1]) * h};
    T odd[2] = {(a[1] + b[1]) * h, (b[0] - a[0]) * h}, c = w[2 * k], s = w[2 * k + 1];
    to[2 * k] = even[0] + (odd[0] * c - odd[1] * s);
    to[2 * k + 1] = even[1] + (odd[0] * s + odd[1] * c);
}

static void FN(pairs_split)(const void *pairs, const void *roots, int64_t half, void *to, double by) {
    const T *z = pairs, *w = roots;
    T *x = to;
    V h = VSET((T)0.5 * (T)by);
    int64_t k = 1;
    FN(split_one)(z, w, half, 0, x, (T)by);
    for (; k + LANES <= half; k += LANES) {
        C a = FN(unzip)(z + 2 * k), b = FN(unzip)(z + 2 * (half - k - LANES + 1)), e, o;
        b = (C){REVERSE(b.re), REVERSE(b.im)};
        e = (C){(a.re + b.re) * h, (a.im - b.im) * h}, o = (C){(a.im + b.im) * h, (b.re - a.re) * h};
        FN(zip)(FN(plus)(e, FN(turned)(o, FN(unzip)(w + 2 * k), false)), x + 2 * k);
    }
    for (; k <= half; k++) FN(split_one)(z, w, half, k, x, (T)by);
}

INLINE void FN(join_one)(const T *x, const T *w, int64_t half, int64_t k, T *z) {
    const T *a = x + 2 * k, *b = x + 2 * (half - k);
    T ai = k == 0 ? 0 : a[1], bi = k == 0 ? 0 : b[1]; /* edges are real */
    T even[2] = {a[0] + b[0], ai - bi}, odd[2] = {a[0] - b[0], ai + bi}, c = w[2 * k], s = -w[2 * k + 1];
    T re = odd[0] * c - odd[1] * s, im = odd[0] * s + odd[1] * c;
    z[2 * k] = even[0] - im, z[2 * k + 1] = even[1] + re;
}

static void FN(pairs_join)(const void *from, const void *roots, int64_t half, void *pairs) {
    const T *x = from, *w = roots;
    T *z = pairs;
    int64_t k = 1;
    FN(join_one)(x, w, half, 0, z);
    for (; k + LANES <= half; k += LANES) {
        C a = FN(unzip)(x + 2 * k), b = FN(unzip)(x + 2 * (half - k - LANES + 1)), e, o;
        b = (C){REVERSE(b.re), REVERSE(b.im)};
        e = (C){a.re + b.re, a.im - b.im}, o = (C){a.re - b.re, a.im + b.im};
        o = FN(turned)(o, FN(unzip)(w + 2 * k), true);
        FN(zip)((C){e.re - o.im, e.im + o.re}, z + 2 * k);
    }
    for (; k < half; k++) FN(join_one)(x, w, half, k, z);
}
#undef MIX
#undef EVEN
#undef ODD
#undef ZIP_LOW
#undef ZIP_HIGH
#undef REVERSE
