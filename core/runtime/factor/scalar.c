/*
 * scalar.c -- small things about the numbers of a matrix: diagonals, determinants, positions. Numbers of every dtype
 * are taken as doubles; what is computed from n of them is negligible beside n^3.
 */
#include "scalar.h"

#include <math.h>

void factor_get(const FactorJob *j, const void *at, int64_t i, double *re, double *im) {
    *im = 0;
    if (factor_is_complex(j)) i *= 2;
    if (j->real == 4) {
        const float *p = (const float *)at + i;
        *re = p[0];
        if (factor_is_complex(j)) *im = p[1];
    } else {
        const double *p = (const double *)at + i;
        *re = p[0];
        if (factor_is_complex(j)) *im = p[1];
    }
}

void factor_put(const FactorJob *j, void *at, int64_t i, double re, double im) {
    if (factor_is_complex(j)) i *= 2;
    if (j->real == 4) {
        float *p = (float *)at + i;
        p[0] = (float)re;
        if (factor_is_complex(j)) p[1] = (float)im;
    } else {
        double *p = (double *)at + i;
        p[0] = re;
        if (factor_is_complex(j)) p[1] = im;
    }
}

bool factor_diagonal(FactorJob *j, const void *a, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        double re, im;
        factor_get(j, a, i * n + i, &re, &im);
        if (re == 0 && im == 0) return factor_failed(j, FAULT_SINGULAR, i + 1);
    }
    return true;
}

bool factor_positions(FactorJob *j, int i, const char *at, int *to) {
    const FactorOperand *o = &j->w->op[i];
    for (int64_t r = 0; r < o->n[0]; r++) {
        to[r] = *(const int32_t *)(const void *)(at + r * o->ms[0]);
        if (to[r] < 0 || to[r] >= o->n[0]) return factor_failed(j, FAULT_POSITIONS, r + 1);
    }
    return true;
}

/* The product as (re, im) 2^exponent, so that no part of it overflows where the whole does not. */
static void product(const FactorJob *j, const void *lu, bool odd, double *re, double *im, int64_t *exponent) {
    *re = odd ? -1 : 1, *im = 0, *exponent = 0;
    for (int64_t i = 0; i < j->n; i++) {
        double a, b, c;
        int e;
        factor_get(j, lu, i * j->n + i, &a, &b);
        c = *re * a - *im * b;
        if (factor_is_complex(j)) *im = *re * b + *im * a;
        *re = c;
        c = fmax(fabs(*re), fabs(*im));
        if (!(c > 0) || isinf(c)) continue;
        frexp(c, &e);
        *re = ldexp(*re, -e), *im = ldexp(*im, -e);
        *exponent += e;
    }
}

static double scaled(double v, int64_t e) { return ldexp(v, e > 5000 ? 5000 : e < -5000 ? -5000 : (int)e); }

void factor_det(const FactorJob *j, const void *lu, bool odd, void *det) {
    double re, im;
    int64_t e;
    product(j, lu, odd, &re, &im, &e);
    factor_put(j, det, 0, scaled(re, e), scaled(im, e));
}

void factor_slogdet(const FactorJob *j, const void *lu, bool odd, void *sign, void *log_modulus) {
    double re = odd ? -1 : 1, im = 0, sum = 0;
    for (int64_t i = 0; i < j->n; i++) {
        double a, b, r, c;
        factor_get(j, lu, i * j->n + i, &a, &b);
        r = factor_is_complex(j) ? hypot(a, b) : fabs(a);
        sum += log(r);
        if (r == 0) {
            re = im = 0;
            break;
        }
        if (factor_is_complex(j)) {
            a /= r, b /= r;
            c = re * a - im * b, im = re * b + im * a, re = c;
        } else if (a < 0) re = -re;
    }
    factor_put(j, sign, 0, re, im);
    if (j->real == 4) *(float *)log_modulus = (float)sum;
    else *(double *)log_modulus = sum;
}

bool factor_spread_eig(FactorJob *j, const void *wr, const void *wi, const void *v, void *w, void *vectors) {
    FactorJob out = *j; /* the results' dtype */
    int64_t n = j->n;
    if (j->w->complex) out.d += FACTOR_C64, out.item *= 2;
    for (int64_t c = 0; c < n; c++) {
        double re, im, unused;
        factor_get(j, wr, c, &re, &unused);
        factor_get(j, wi, c, &im, &unused);
        if (im != 0 && !j->w->complex) return factor_failed(j, FAULT_UNREAL_EIGENVALUES, 0);
        factor_put(&out, w, c, re, im);
        int64_t first = im < 0 ? c - 1 : c; /* a pair: the one with a positive imaginary part comes first */
        for (int64_t i = 0; vectors && i < n; i++) {
            double x, y = 0;
            factor_get(j, v, first * n + i, &x, &unused);
            if (im != 0) factor_get(j, v, (first + 1) * n + i, &y, &unused);
            factor_put(&out, vectors, i * n + c, x, im < 0 ? -y : y);
        }
    }
    return true;
}
