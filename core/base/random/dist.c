/*
 * dist.c -- real numbers of NumPy's legacy RandomState and, on a PCG64, of its Generator, one function a distribution.
 *
 * In: a generator and checked parameters (table.c has names, defaults and checks). Out: one float64. Always
 * holds: the same words are drawn in the same order and combined in the same order of operations as in NumPy, so that
 * results agree to the last bit. Published methods: Marsaglia and Tsang (gamma), Joehnk (beta), Best and Fisher (von
 * Mises), Michael, Schucany and Haas (wald).
 */
#ifndef RANDOM_ALONE
#include "random.h"

#include <math.h>
#endif

static const double pi = 3.14159265358979323846;

static double exponential(ThRandom *r) { return RANDOM_NEWER(r) ? RANDOM_ZIGGURAT(r) : -log(1.0 - random_double(r)); }

/* Shapes below 1: rejection from a mixture of a power and an exponential tail. */
static double gamma_small(ThRandom *r, double shape) {
    for (;;) {
        double u = random_double(r), v = exponential(r);
        if (u <= 1.0 - shape) {
            double x = pow(u, 1. / shape);
            if (x <= v) return x;
        } else {
            double y = -log((1 - u) / shape), x = pow(1.0 - shape + shape * y, 1. / shape);
            if (x <= v + y) return x;
        }
    }
}

DRAW double random_gamma(ThRandom *r, double shape) {
    if (shape == 1.0) return exponential(r);
    if (shape == 0.0) return 0.0;
    if (shape < 1.0) return gamma_small(r, shape);
    double b = shape - 1. / 3., c = 1. / sqrt(9 * b);
    for (;;) {
        double x, v;
        do {
            x = random_gauss(r);
            v = 1.0 + c * x;
        } while (v <= 0.0);
        v = v * v * v;
        double u = random_double(r);
        if (u < 1.0 - 0.0331 * (x * x) * (x * x)) return b * v;
        if (log(u) < 0.5 * x * x + b * (1. - v + log(v))) return b * v;
    }
}

static double chisquare(ThRandom *r, double df) { return 2.0 * random_gamma(r, df / 2.0); }

static double noncentral(ThRandom *r, double df, double nonc) {
    if (nonc == 0) return chisquare(r, df);
    if (1 < df) {
        double chi2 = chisquare(r, df - 1), n = random_gauss(r) + sqrt(nonc);
        return chi2 + n * n;
    }
    int64_t i = random_poisson(r, nonc / 2.0);
    return chisquare(r, df + 2 * (double)i);
}

/* ---- no parameter ------------------------------------------------------------------------------------------------ */
DRAW double random_standard_exponential(ThRandom *r, const ThValue *p) {
    (void)p;
    return exponential(r);
}

DRAW double random_standard_cauchy(ThRandom *r, const ThValue *p) {
    (void)p;
    double x = random_gauss(r), y = random_gauss(r);
    return x / y;
}

/* ---- place and scale --------------------------------------------------------------------------------------------- */
DRAW double random_lognormal(ThRandom *r, const ThValue *p) { return exp(p[0].f + p[1].f * random_gauss(r)); }
DRAW double random_exponential(ThRandom *r, const ThValue *p) { return p[0].f * exponential(r); }
DRAW double random_rayleigh(ThRandom *r, const ThValue *p) {
    return p[0].f * sqrt(RANDOM_NEWER(r) ? 2.0 * exponential(r) : -2.0 * log1p(-random_double(r)));
}

/* A uniform number above 0: where 0 comes, the next is taken. */
static double positive(ThRandom *r) {
    double u;
    do u = random_double(r);
    while (u <= 0.0);
    return u;
}

DRAW double random_laplace(ThRandom *r, const ThValue *p) {
    double u = positive(r);
    return u >= 0.5 ? p[0].f - p[1].f * log(2.0 - u - u) : p[0].f + p[1].f * log(u + u);
}

DRAW double random_logistic(ThRandom *r, const ThValue *p) {
    double u = positive(r);
    return p[0].f + p[1].f * log(u / (1.0 - u));
}

DRAW double random_gumbel(ThRandom *r, const ThValue *p) {
    double u = 1.0 - positive(r);
    return p[0].f - p[1].f * log(-log(u));
}

/* ---- shapes ------------------------------------------------------------------------------------------------------ */
DRAW double random_standard_gamma(ThRandom *r, const ThValue *p) { return random_gamma(r, p[0].f); }
DRAW double random_gamma_scaled(ThRandom *r, const ThValue *p) { return p[1].f * random_gamma(r, p[0].f); }
DRAW double random_chisquare(ThRandom *r, const ThValue *p) { return chisquare(r, p[0].f); }
DRAW double random_noncentral_chisquare(ThRandom *r, const ThValue *p) { return noncentral(r, p[0].f, p[1].f); }

DRAW double random_f(ThRandom *r, const ThValue *p) {
    double a = chisquare(r, p[0].f) * p[1].f, b = chisquare(r, p[1].f) * p[0].f;
    return a / b;
}

DRAW double random_noncentral_f(ThRandom *r, const ThValue *p) {
    double t = noncentral(r, p[0].f, p[2].f) * p[1].f;
    return t / (chisquare(r, p[1].f) * p[0].f);
}

DRAW double random_standard_t(ThRandom *r, const ThValue *p) {
    double num = random_gauss(r), denom = random_gamma(r, p[0].f / 2);
    return sqrt(p[0].f / 2) * num / sqrt(denom);
}

DRAW double random_pareto(ThRandom *r, const ThValue *p) {
    const double x = exponential(r) / p[0].f;
    return RANDOM_NEWER(r) ? expm1(x) : exp(x) - 1;
}
DRAW double random_power(ThRandom *r, const ThValue *p) {
    const double x = -exponential(r);
    return pow(RANDOM_NEWER(r) ? -expm1(x) : 1 - exp(x), 1. / p[0].f);
}
DRAW double random_weibull(ThRandom *r, const ThValue *p) {
    return p[0].f == 0.0 ? 0.0 : pow(exponential(r), 1. / p[0].f);
}

/* Both powers were 0: the quotient is found from their logarithms. */
static double beta_logs(double u, double v, double a, double b) {
    double x = log(u) / a, y = log(v) / b, m = x > y ? x : y;
    x -= m;
    y -= m;
    return exp(x - log(exp(x) + exp(y)));
}

DRAW double random_beta(ThRandom *r, const ThValue *p) {
    double a = p[0].f, b = p[1].f;
    if (a > 1.0 || b > 1.0) {
        double ga = random_gamma(r, a), gb = random_gamma(r, b);
        return ga / (ga + gb);
    }
    for (;;) {
        double u = random_double(r), v = random_double(r), x = pow(u, 1.0 / a), y = pow(v, 1.0 / b), sum = x + y;
        if (sum > 1.0 || u + v <= 0.0) continue;
        return sum > 0 ? x / sum : beta_logs(u, v, a, b);
    }
}

DRAW double random_triangular(ThRandom *r, const ThValue *p) {
    double left = p[0].f, mode = p[1].f, right = p[2].f, base = right - left, leftbase = mode - left;
    double ratio = leftbase / base, leftprod = leftbase * base, rightprod = (right - mode) * base;
    double u = random_double(r);
    return u <= ratio ? left + sqrt(u * leftprod) : right - sqrt((1.0 - u) * rightprod);
}

DRAW double random_wald(ThRandom *r, const ThValue *p) {
    double mean = p[0].f, scale = p[1].f, half = mean / (2 * scale), y = random_gauss(r);
    y = mean * y * y;
    double x = RANDOM_NEWER(r) ? mean * (1.0 - 2.0 / (1.0 + sqrt(1.0 + 4.0 * scale / y)))
                               : mean + half * (y - sqrt(4 * scale * y + y * y));
    double u = random_double(r);
    return u <= mean / (mean + x) ? x : mean * mean / x;
}

/* An angle between -pi and pi. */
static double on_circle(double angle) {
    double mod = fmod(fabs(angle) + pi, 2 * pi) - pi;
    return angle < 0 ? -mod : mod;
}

DRAW double random_vonmises(ThRandom *r, const ThValue *p) {
    double mu = p[0].f, kappa = p[1].f, s, w;
    if (isnan(kappa)) return kappa;
    if (kappa < 1e-8) return pi * (2 * random_double(r) - 1);
    if (RANDOM_NEWER(r) && kappa > 1e6) {
        double angle = mu + sqrt(1. / kappa) * random_gauss(r);
        return angle < -pi ? angle + 2 * pi : angle > pi ? angle - 2 * pi : angle;
    }
    if (kappa < 1e-5) {
        s = 1. / kappa + kappa;
    } else {
        double q = 1 + sqrt(1 + 4 * kappa * kappa), rho = (q - sqrt(2 * q)) / (2 * kappa);
        s = (1 + rho * rho) / (2 * rho);
    }
    /* Beyond 10^15 no proposal differs from the mode, and NumPy draws for ever; the distribution is normal there. */
    if (!(s > 1)) return on_circle(mu + random_gauss(r) / sqrt(kappa));
    for (;;) {
        double z = cos(pi * random_double(r));
        w = (1 + s * z) / (s + z);
        double y = kappa * (s - w), v = random_double(r);
        if (y * (2 - y) - v >= 0 || log(y / v) + 1 - y >= 0) break;
    }
    double u = random_double(r), angle = acos(w);
    if (u < 0.5) angle = -angle;
    return on_circle(angle + mu);
}
