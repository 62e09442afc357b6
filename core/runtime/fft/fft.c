/*
 * fft.c -- lengths, radices and roots of unity of Fourier transforms. In: a length. Out: a plan. Always holds: roots
 * come from angles of at most an eighth of a turn, in long double, so that they are symmetric and right to the last
 * place.
 */
#include "fft.h"

#include <math.h>

const FftKernels *fft_kernels(ThDtype dtype) {
    int which = dtype == TH_FLOAT64;
#if TH_WIDE
    int bytes = isa_vector_bytes();
    if (bytes == 64) return fft_kernels_avx512[which];
    if (bytes == 32) return fft_kernels_avx2[which];
#endif
    return fft_kernels_sse2[which];
}

/* ---- lengths ----------------------------------------------------------------------------------------------------- */
/* Vector operations an element, with loads and stores, of a pass of each radix. */
static double pass_cost(int radix) {
    static const double of[] = {[2] = 7, [3] = 9, [4] = 9.5, [5] = 14, [8] = 14};
    return radix <= 8 && of[radix] > 0 ? of[radix] : 12 + 1.5 * radix;
}

/* The radices of n, or 0 passes where it has other factors. */
static int radices(int64_t n, uint8_t *radix) {
    static const uint8_t order[] = {8, 4, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, FFT_PRIME};
    int passes = 0;
    for (int i = 0; i < TH_LEN(order); i++)
        for (; n % order[i] == 0; n /= order[i]) {
            if (passes == FFT_PASSES) return 0;
            radix[passes++] = order[i];
            if (order[i] == 2 && passes > 1 && radix[passes - 2] == 8) radix[passes - 2] = radix[passes - 1] = 4;
        }
    return n == 1 ? passes : 0;
}

double fft_cost(int64_t n) {
    uint8_t radix[FFT_PASSES];
    double each = 0;
    int passes = n > 0 ? radices(n, radix) : 0;
    if (n != 1 && !passes) return INFINITY;
    for (int i = 0; i < passes; i++) each += pass_cost(radix[i]);
    return each * (double)n;
}

int64_t fft_length(int64_t n, bool even) {
    int64_t best = 0, unit = even ? 2 : 1;
    double least = INFINITY;
    if (n < unit) n = unit;
    for (int64_t m = (n + unit - 1) / unit; m <= 2 * n / unit + 1; m++) { /* a power of two is among them */
        double cost = fft_cost(m) + 8.0 * (double)m;
        if (cost < least) least = cost, best = m;
    }
    return best * unit;
}

/* ---- roots ------------------------------------------------------------------------------------------------------- */
enum { DIGIT = 256 };

/* Angles are counted in eighths of a step, so that a quarter and an eighth of a turn are whole numbers of them. */
void fft_circle(FftCircle *c, int64_t n) {
    int64_t far = n, unit = 1; /* an eighth of a turn */
    c->n = n;
    for (c->levels = 0; c->levels < 4 && (c->levels == 0 || far >= unit); c->levels++, unit *= DIGIT)
        for (int64_t k = 0; k < DIGIT && k * unit <= far; k++) {
            long double angle =
                2 * 3.14159265358979323846264338327950288L * (long double)(k * unit) / (8 * (long double)n);
            c->table[c->levels][k][0] = cosl(angle);
            c->table[c->levels][k][1] = sinl(angle);
        }
}

/* cos and sin of k eighths of a step, 0 <= k <= n */
static void eighth(const FftCircle *o, int64_t k, double *c, double *s) {
    const long double *first = o->table[0][k % DIGIT];
    long double re = first[0], im = first[1];
    for (int i = 1; i < o->levels && (k /= DIGIT) > 0; i++) {
        const long double *t = o->table[i][i == 3 ? k : k % DIGIT];
        long double r = re * t[0] - im * t[1];
        im = re * t[1] + im * t[0], re = r;
    }
    *c = (double)re;
    *s = (double)im;
}

void fft_root(const FftCircle *o, int64_t k, double *re, double *im) {
    int64_t n = o->n;
    double c, s, t;
    bool low = 2 * k > n, left, steep;
    if (low) k = n - k; /* now at most half a turn: 4 n eighths */
    k *= 8;
    left = k > 2 * n;
    if (left) k = 4 * n - k; /* at most a quarter */
    steep = k > n;
    if (steep) k = 2 * n - k;
    eighth(o, k, &c, &s);
    if (steep) t = c, c = s, s = t;
    *re = left ? -c : c;
    *im = low ? s : -s;
}

void fft_put(ThDtype dtype, void *to, int64_t at, double re, double im) {
    if (dtype == TH_FLOAT64) {
        ((double *)to)[2 * at] = re;
        ((double *)to)[2 * at + 1] = im;
    } else {
        ((float *)to)[2 * at] = (float)re;
        ((float *)to)[2 * at + 1] = (float)im;
    }
}

void fft_roots(int64_t n, int64_t count, ThDtype dtype, void *to) {
    FftCircle c;
    fft_circle(&c, n);
    for (int64_t k = 0; k < count; k++) {
        double re, im;
        fft_root(&c, k % n, &re, &im);
        fft_put(dtype, to, k, re, im);
    }
}

/* ---- plans ------------------------------------------------------------------------------------------------------- */
int64_t fft_twiddles(int64_t n) {
    uint8_t radix[FFT_PASSES];
    int passes = radices(n, radix);
    int64_t most = n;
    for (int i = 0; i < passes; i++)
        if (radix[i] > 5 && radix[i] != 8) most += radix[i];
    return most;
}

void fft_plan(FftPlan *p, int64_t n, ThDtype dtype, void *room) {
    FftCircle c;
    int64_t at = 0, left = n;
    double re, im;
    *p = (FftPlan){.n = n, .twiddles = room};
    p->passes = radices(n, p->radix);
    fft_circle(&c, n);
    for (int i = 0; i < p->passes; i++) {
        int r = p->radix[i];
        int64_t m = left / r, whole = n / left;
        for (int k = 0; r > 5 && r != 8 && k < r; k++) {
            fft_root(&c, n / r * k, &re, &im);
            fft_put(dtype, room, at++, re, im);
        }
        for (int64_t j = 0; j < m; j++)
            for (int k = 1; k < r; k++) {
                fft_root(&c, j * k % left * whole, &re, &im);
                fft_put(dtype, room, at++, re, im);
            }
        left = m;
    }
}
