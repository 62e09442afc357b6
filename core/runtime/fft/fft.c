/*
 * fft.c -- lengths, radices and roots of unity of Fourier transforms. In: a length. Out: a plan. Always holds: roots
 * come from angles of at most an eighth of a turn, in float64, so that they are symmetric and right to the last place.
 */
#include "fft.h"

#include <math.h>

/* Vector operations an element, with loads and stores, of a pass of each radix. */
static double pass_cost(int radix) {
    static const double of[] = {[2] = 7, [3] = 9, [4] = 9.5, [5] = 14};
    return of[radix];
}

/* The radices of n, or 0 passes where it has other factors. */
static int radices(int64_t n, uint8_t *radix) {
    static const uint8_t order[] = {4, 5, 3, 2};
    int passes = 0;
    for (int i = 0; i < 4; i++)
        for (; n % order[i] == 0; n /= order[i]) {
            if (passes == FFT_PASSES) return 0;
            radix[passes++] = order[i];
        }
    return n == 1 ? passes : 0;
}

double fft_cost(int64_t n) {
    uint8_t radix[FFT_PASSES];
    double each = 0;
    int passes = radices(n, radix);
    if (n > 1 && !passes) return INFINITY;
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

/* cos and sin of 2 pi k / n, 0 <= k <= n / 8 */
static void eighth(int64_t k, int64_t n, double *c, double *s) {
    double angle = 2 * M_PI * (double)k / (double)n;
    *c = cos(angle);
    *s = sin(angle);
}

static void root(int64_t k, int64_t n, double *re, double *im) {
    double c, s, t;
    bool low = 2 * k > n, left, steep;
    if (low) k = n - k; /* now at most half a turn: 4 k of 4 n */
    left = 4 * k > n;
    int64_t k4 = left ? 2 * n - 4 * k : 4 * k; /* quarters of steps, at most n: a quarter of a turn */
    steep = 2 * k4 > n;
    if (steep) k4 = n - k4;
    eighth(k4, 4 * n, &c, &s);
    if (steep) t = c, c = s, s = t;
    *re = left ? -c : c;
    *im = low ? s : -s;
}

static void put(ThDtype dtype, void *to, int64_t at, double re, double im) {
    if (dtype == TH_FLOAT64) {
        ((double *)to)[2 * at] = re;
        ((double *)to)[2 * at + 1] = im;
    } else {
        ((float *)to)[2 * at] = (float)re;
        ((float *)to)[2 * at + 1] = (float)im;
    }
}

void fft_roots(int64_t n, int64_t count, ThDtype dtype, void *to) {
    for (int64_t k = 0; k < count; k++) {
        double re, im;
        root(k % n, n, &re, &im);
        put(dtype, to, k, re, im);
    }
}

void fft_plan(FftPlan *p, int64_t n, ThDtype dtype, void *room) {
    int64_t at = 0, left = n;
    *p = (FftPlan){.n = n, .twiddles = room};
    p->passes = radices(n, p->radix);
    for (int i = 0; i < p->passes; i++) {
        int64_t m = left / p->radix[i];
        for (int64_t j = 0; j < m; j++)
            for (int k = 1; k < p->radix[i]; k++) {
                double re, im;
                root(j * k % left, left, &re, &im);
                put(dtype, room, at++, re, im);
            }
        left = m;
    }
}
