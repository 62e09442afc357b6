/*
 * count.c -- integers of NumPy's legacy RandomState, one function a distribution.
 *
 * In: a generator and checked parameters. Out: one int64. Always holds: words and operations in NumPy's order, so that
 * results agree exactly. Published methods: BTPE of Kachitvichyanukul and Schmeiser (binomial), PTRS of Hoermann
 * (poisson), HRUA of Stadlober (hypergeometric), Kemp (logseries), Devroye (zipf).
 */
#ifndef RANDOM_ALONE
#include "random.h"

#include <math.h>
#endif

/* What does not fit an int64 is its end. */
static int64_t whole(double v) {
    return v >= 9223372036854775808.0 || isnan(v) ? INT64_MAX : v < -9223372036854775808.0 ? INT64_MIN : (int64_t)v;
}

/* log(gamma(x)) by Stirling's series. */
static double log_gamma(double x) {
    static const double a[10] = {8.333333333333333e-02,  -2.777777777777778e-03, 7.936507936507937e-04,
                                 -5.952380952380952e-04, 8.417508417508418e-04,  -1.917526917526918e-03,
                                 6.410256410256410e-03,  -2.955065359477124e-02, 1.796443723688307e-01,
                                 -1.39243221690590e+00};
    if (x == 1.0 || x == 2.0) return 0.0;
    int up = x < 7.0 ? (int)(7 - x) : 0; /* the series wants 7 and more */
    double at = x + up, inverse = 1.0 / at * (1.0 / at), sum = a[9];
    for (int k = 8; k >= 0; k--) {
        sum *= inverse;
        sum += a[k];
    }
    double g = sum / at + 0.5 * 1.8378770664093453e+00 + (at - 0.5) * log(at) - at;
    for (int k = 1; k <= up; k++) {
        g -= log(at - 1.0);
        at -= 1.0;
    }
    return g;
}

/* ---- binomial ---------------------------------------------------------------------------------------------------- */
/* What inversion knows of n and p: the chance of 0, and where to give up. */
typedef struct {
    int64_t n, bound;
    double p, q, qn;
} Inversion;

static void inversion_start(Inversion *b, int64_t n, double p) {
    double q = 1.0 - p, np = (double)n * p, most = np + 10.0 * sqrt(np * q + 1);
    const Inversion start = {n, (int64_t)((double)n < most ? (double)n : most), p, q, exp((double)n * log(q))};
    *b = start;
}

static int64_t binomial_inversion(ThRandom *r, const Inversion *b) {
    int64_t x = 0;
    double px = b->qn, u = random_double(r);
    while (u > px) {
        x++;
        if (x > b->bound) {
            x = 0;
            px = b->qn;
            u = random_double(r);
        } else {
            u -= px;
            px = ((double)(b->n - x + 1) * b->p * px) / ((double)x * b->q);
        }
    }
    return x;
}

/* What BTPE knows of n and p: four regions under a triangle, two parallelograms and two exponential tails. */
typedef struct {
    int64_t n, m;
    double r, q, p1, p2, p3, p4, xm, xl, xr, c, laml, lamr, nrq;
} Btpe;

static void btpe_regions(Btpe *b, int64_t n, double p) {
    b->n = n;
    b->r = p < 1.0 - p ? p : 1.0 - p;
    b->q = 1.0 - b->r;
    double dn = (double)n, fm = dn * b->r + b->r;
    b->m = (int64_t)floor(fm);
    b->p1 = floor(2.195 * sqrt(dn * b->r * b->q) - 4.6 * b->q) + 0.5;
    b->xm = (double)b->m + 0.5;
    b->xl = b->xm - b->p1;
    b->xr = b->xm + b->p1;
    b->c = 0.134 + 20.5 / (15.3 + (double)b->m);
    double a = (fm - b->xl) / (fm - b->xl * b->r);
    b->laml = a * (1.0 + a / 2.0);
    a = (b->xr - fm) / (b->xr * b->q);
    b->lamr = a * (1.0 + a / 2.0);
    b->p2 = b->p1 * (1.0 + 2.0 * b->c);
    b->p3 = b->p2 + b->c / b->laml;
    b->p4 = b->p3 + b->c / b->lamr;
    b->nrq = dn * b->r * b->q;
}

/* One term of the series of log(x!) behind the exact test. */
static double stirling(double x) {
    double x2 = x * x;
    return (13680. - (462. - (132. - (99. - 140. / x2) / x2) / x2) / x2) / x / 166320.;
}

/* Whether y, proposed with height v, lies under the binomial. */
static bool btpe_accept(const Btpe *b, int64_t y, double v) {
    int64_t k = y > b->m ? y - b->m : b->m - y;
    if (!(k > 20 && (double)k < b->nrq / 2.0 - 1)) {
        double s = b->r / b->q, a = s * (double)(b->n + 1), f = 1.0;
        for (int64_t i = b->m + 1; i <= y; i++) f *= a / (double)i - s;
        for (int64_t i = y + 1; i <= b->m; i++) f /= a / (double)i - s;
        return v <= f;
    }
    double dk = (double)k;
    double rho = (dk / b->nrq) * ((dk * (dk / 3.0 + 0.625) + 0.16666666666666666) / b->nrq + 0.5);
    double t = -dk * dk / (2 * b->nrq), a = log(v);
    if (a < t - rho) return true;
    if (a > t + rho) return false;
    double x1 = (double)(y + 1), f1 = (double)(b->m + 1), z = (double)(b->n + 1 - b->m), w = (double)(b->n - y + 1);
    return a <= b->xm * log(f1 / x1) + ((double)(b->n - b->m) + 0.5) * log(z / w) +
                    (double)(y - b->m) * log(w * b->r / (x1 * b->q)) + stirling(f1) + stirling(z) + stirling(x1) +
                    stirling(w);
}

static int64_t binomial_btpe(ThRandom *r, const Btpe *b) {
    int64_t y;
    for (;;) {
        double u = random_double(r) * b->p4, v = random_double(r);
        if (u <= b->p1) return (int64_t)floor(b->xm - b->p1 * v + u);
        if (u <= b->p2) {
            double x = b->xl + (u - b->p1) / b->c;
            v = v * b->c + 1.0 - fabs((double)b->m - x + 0.5) / b->p1;
            if (v > 1.0) continue;
            y = (int64_t)floor(x);
        } else if (u <= b->p3) {
            double x = floor(b->xl + log(v) / b->laml);
            if (x < 0 || v == 0.0) continue;
            y = (int64_t)x;
            v = v * (u - b->p2) * b->laml;
        } else {
            double x = floor(b->xr - log(v) / b->lamr);
            if (x > (double)b->n || v == 0.0) continue;
            y = (int64_t)x;
            v = v * (u - b->p3) * b->lamr;
        }
        if (btpe_accept(b, y, v)) return y;
    }
}

/* Of p and 1 - p the smaller is counted. */
typedef struct {
    bool turned, few;
    int64_t n;
    union {
        Inversion inversion;
        Btpe btpe;
    } by;
} Binomial;

static void binomial_start(Binomial *b, int64_t n, double p) {
    b->turned = p > 0.5;
    if (b->turned) p = 1.0 - p;
    b->n = n;
    b->few = p * (double)n <= 30.0;
    if (b->few) inversion_start(&b->by.inversion, n, p);
    else btpe_regions(&b->by.btpe, n, p);
}

static int64_t binomial(ThRandom *r, const Binomial *b) {
    int64_t x = b->few ? binomial_inversion(r, &b->by.inversion) : binomial_btpe(r, &b->by.btpe);
    return b->turned ? b->n - x : x;
}

DRAW int64_t random_binomial(ThRandom *r, int64_t n, double p) {
    Binomial b;
    if (!n || p == 0.0) return 0;
    binomial_start(&b, n, p);
    return binomial(r, &b);
}

/* Words are drawn for what is certain, too, as RandomState.binomial does and its multinomial does not. */
DRAW int64_t random_count_binomial(ThRandom *r, const ThValue *p) {
    Binomial b;
    binomial_start(&b, p[0].i, p[1].f);
    return binomial(r, &b);
}

#ifndef RANDOM_ALONE
void random_counts(ThRandom *r, RandomCount one, const ThValue *p, int64_t *out, int64_t n) {
    Binomial b;
    bool prepared = one == random_count_binomial;
    if (prepared) binomial_start(&b, p[0].i, p[1].f);
    for (int64_t i = 0; i < n; i++) out[i] = prepared ? binomial(r, &b) : one(r, p);
}
#endif

/* ---- poisson ----------------------------------------------------------------------------------------------------- */
static int64_t poisson_small(ThRandom *r, double lam) {
    double least = exp(-lam), product = 1.0;
    for (int64_t x = 0;; x++) {
        product *= random_double(r);
        if (!(product > least)) return x;
    }
}

DRAW int64_t random_poisson(ThRandom *r, double lam) {
    if (!(lam > 0)) return 0; /* NaN: infinitely many successes that never fail */
    if (lam < 10) return poisson_small(r, lam);
    double root = sqrt(lam), loglam = log(lam), b = 0.931 + 2.53 * root, a = -0.059 + 0.02483 * b;
    double inverse = 1.1239 + 1.1328 / (b - 3.4), vr = 0.9277 - 3.6224 / (b - 2);
    for (;;) {
        double u = random_double(r) - 0.5, v = random_double(r), us = 0.5 - fabs(u);
        double k = floor((2 * a / us + b) * u + lam + 0.43);
        if (us >= 0.07 && v <= vr) return whole(k);
        if (k < 0 || (us < 0.013 && v > us)) continue;
        if (log(v) + log(inverse) - log(a / (us * us) + b) <= -lam + k * loglam - log_gamma(k + 1)) return whole(k);
    }
}

DRAW int64_t random_count_poisson(ThRandom *r, const ThValue *p) { return random_poisson(r, p[0].f); }

DRAW int64_t random_count_negative_binomial(ThRandom *r, const ThValue *p) {
    double y = (1 - p[1].f) / p[1].f * random_gamma(r, p[0].f);
    return random_poisson(r, y);
}

/* ---- the others -------------------------------------------------------------------------------------------------- */
DRAW int64_t random_count_geometric(ThRandom *r, const ThValue *v) {
    double p = v[0].f;
    if (p < 0.333333333333333333333333)
        return whole(ceil(RANDOM_NEWER(r) ? -RANDOM_ZIGGURAT(r) / log1p(-p) : log1p(-random_double(r)) / log(1 - p)));
    int64_t x = 1;
    double sum = p, product = p, q = 1.0 - p, u = random_double(r);
    while (u > sum && product > 0) { /* the sum may end below 1 */
        product *= q;
        sum += product;
        x++;
    }
    return x;
}

/* Few draws: one by one. */
static int64_t hypergeometric_small(ThRandom *r, int64_t good, int64_t bad, int64_t sample) {
    int64_t d1 = bad + good - sample, k = sample;
    double d2 = (double)(bad < good ? bad : good), y = d2;
    while (y > 0.0) {
        double u = random_double(r);
        y -= (double)(int64_t)floor(u + y / (double)(d1 + k));
        k--;
        if (k == 0) break;
    }
    int64_t z = (int64_t)(d2 - y);
    return good > bad ? sample - z : z;
}

static int64_t hypergeometric_ratio(ThRandom *r, int64_t good, int64_t bad, int64_t sample) {
    static const double D1 = 1.7155277699214135, D2 = 0.8989161620588988;
    int64_t least = good < bad ? good : bad, most = good < bad ? bad : good, all = good + bad;
    int64_t m = sample < all - sample ? sample : all - sample, z;
    double d4 = (double)least / (double)all, d5 = RANDOM_NEWER(r) ? (double)most / (double)all : 1.0 - d4;
    double d6 = (double)m * d4 + 0.5, some = (double)(RANDOM_NEWER(r) ? m : sample);
    double d7 = sqrt((double)(all - m) * some * d4 * d5 / (double)(all - 1) + 0.5), d8 = D1 * d7 + D2;
    int64_t d9 = (int64_t)floor((double)(m + 1) * (double)(least + 1) / (double)(all + 2));
    double d10 = log_gamma((double)(d9 + 1)) + log_gamma((double)(least - d9 + 1)) + log_gamma((double)(m - d9 + 1)) +
                 log_gamma((double)(most - m + d9 + 1));
    double end = (double)(m < least ? m : least) + 1.0, far = floor(d6 + 16 * d7), d11 = end < far ? end : far;
    for (;;) {
        double x = random_double(r), y = random_double(r), w = d6 + d8 * (y - 0.5) / x;
        if (w < 0.0 || w >= d11) continue;
        z = (int64_t)floor(w);
        double t = d10 - (log_gamma((double)(z + 1)) + log_gamma((double)(least - z + 1)) +
                          log_gamma((double)(m - z + 1)) + log_gamma((double)(most - m + z + 1)));
        if (x * (4.0 - x) - 3.0 <= t) break;
        if (x * (x - t) >= 1) continue;
        if (2.0 * log(x) <= t) break;
    }
    if (good > bad) z = m - z;
    return m < sample ? good - z : z;
}

#ifndef RANDOM_ALONE
/* One by one, of the smaller side: how many of what is left are good. */
static int64_t hypergeometric_newer(ThRandom *r, int64_t good, int64_t bad, int64_t sample) {
    const int64_t all = good + bad, draws = sample > all / 2 ? all - sample : sample;
    int64_t left = all, good_left = good, n = draws;
    for (; n > 0 && good_left > 0 && left > good_left; n--)
        if ((int64_t)random_interval(r, (uint64_t)--left) < good_left) good_left--;
    if (left == good_left) good_left -= n;
    return sample > all / 2 ? good_left : good - good_left;
}
#endif

DRAW int64_t random_count_hypergeometric(ThRandom *r, const ThValue *p) {
#ifndef RANDOM_ALONE
    if (r->pcg && (p[2].i < 10 || p[2].i > p[0].i + p[1].i - 10))
        return hypergeometric_newer(r, p[0].i, p[1].i, p[2].i);
    if (r->pcg) return hypergeometric_ratio(r, p[0].i, p[1].i, p[2].i);
#endif
    if (p[2].i > 10) return hypergeometric_ratio(r, p[0].i, p[1].i, p[2].i);
    return p[2].i > 0 ? hypergeometric_small(r, p[0].i, p[1].i, p[2].i) : 0;
}

DRAW int64_t random_count_logseries(ThRandom *r, const ThValue *v) {
    double p = v[0].f, c = log1p(-p);
    for (;;) {
        double x = random_double(r);
        if (x >= p) return 1;
        double u = random_double(r), q = RANDOM_NEWER(r) ? -expm1(c * u) : 1.0 - exp(c * u);
        if (x <= q * q) {
            double k = floor(1 + log(x) / log(q));
            if (k < 1 || x == 0.0) continue;
            return whole(k);
        }
        return x >= q ? 1 : 2;
    }
}

DRAW int64_t random_count_zipf(ThRandom *r, const ThValue *v) {
    double am1 = v[0].f - 1.0, b = pow(2.0, am1), least = RANDOM_NEWER(r) ? pow((double)INT64_MAX, -am1) : 0;
    if (v[0].f >= 1025) return 1; /* 2 to that power is no number: 1 is certain */
    for (;;) {
        double v0 = random_double(r), u = v0 * least + (1.0 - v0);
        double w = random_double(r), x = floor(pow(u, -1.0 / am1));
        if (x > (double)INT64_MAX || x < 1.0) continue;
        double t = pow(1.0 + 1.0 / x, am1);
        if (w * x * (t - 1.0) / (b - 1.0) <= t / b) return whole(x);
    }
}

DRAW int64_t random_count_max(ThRandom *r, const ThValue *p) {
    (void)p;
    return (int64_t)(random_word64(r) >> 1);
}
