/*
 * plain.c -- uniform and normal numbers of NumPy's legacy RandomState, which every build has; dist.c and count.c have
 * the other distributions.
 *
 * In: a generator and checked parameters. Out: one float64. Always holds: as in dist.c, to the last bit. Published
 * method: polar (normal).
 */
#ifndef RANDOM_ALONE
#include "random.h"

#include <math.h>
#endif

DRAW double random_gauss(ThRandom *r) {
    RandomWords *w = r->w;
#ifndef RANDOM_ALONE
    if (!w) return pcg_normal(r->pcg);
#endif
    if (w->has_gauss) {
        double kept = w->gauss;
        w->has_gauss = 0;
        w->gauss = 0;
        return kept;
    }
    double x1, x2, r2;
    do {
        x1 = 2.0 * random_double(r) - 1.0;
        x2 = 2.0 * random_double(r) - 1.0;
        r2 = x1 * x1 + x2 * x2;
    } while (r2 >= 1.0 || r2 == 0.0);
    double f = sqrt(-2.0 * log(r2) / r2);
    w->gauss = f * x1;
    w->has_gauss = 1;
    return f * x2;
}

DRAW double random_sample(ThRandom *r, const ThValue *p) {
    (void)p;
    return random_double(r);
}

DRAW double random_standard_normal(ThRandom *r, const ThValue *p) {
    (void)p;
    return random_gauss(r);
}

DRAW double random_uniform(ThRandom *r, const ThValue *p) { return p[0].f + (p[1].f - p[0].f) * random_double(r); }
DRAW double random_normal(ThRandom *r, const ThValue *p) { return p[0].f + p[1].f * random_gauss(r); }
