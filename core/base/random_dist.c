/*
 * random_dist.c -- float64 samples of NumPy's legacy RandomState.
 *
 * In: a generator, parameters, a shape. Out: a C-ordered float64 array, drawn in element order. Always holds: the
 * parameters are checked and the array is made before the first word is drawn.
 */
#include "random.h"

#include <math.h>

double random_gauss(ThRandom *r) {
    if (r->has_gauss) {
        r->has_gauss = false;
        return r->gauss;
    }
    double x1, x2, r2;
    do {
        x1 = 2.0 * random_double(r) - 1.0;
        x2 = 2.0 * random_double(r) - 1.0;
        r2 = x1 * x1 + x2 * x2;
    } while (r2 >= 1.0 || r2 == 0.0);
    double f = sqrt(-2.0 * log(r2) / r2);
    r->gauss = f * x1;
    r->has_gauss = true;
    return f * x2;
}

/* offset + scale * draw(r) for each element. */
static ThArray *sample(ThRandom *r, double (*draw)(ThRandom *), double offset, double scale, int ndim,
                       const int64_t *shape) {
    ThArray *a = th_array_empty(r->ctx, TH_FLOAT64, ndim, shape);
    if (!a) return NULL;
    double *v = (double *)(void *)a->data;
    for (int64_t i = 0; i < a->size; i++) v[i] = offset + scale * draw(r);
    return a;
}

ThArray *th_random_rand(ThRandom *r, int ndim, const int64_t *shape) {
    return r ? sample(r, random_double, 0, 1, ndim, shape) : NULL;
}

ThArray *th_random_randn(ThRandom *r, int ndim, const int64_t *shape) {
    return r ? sample(r, random_gauss, 0, 1, ndim, shape) : NULL;
}

ThArray *th_random_uniform(ThRandom *r, double low, double high, int ndim, const int64_t *shape) {
    if (!r) return NULL;
    if (isfinite(high - low)) return sample(r, random_double, low, high - low, ndim, shape);
    err(r->ctx, TH_ValueError, "uniform: the range from %g to %g exceeds what a float64 holds", low, high);
    return NULL;
}

ThArray *th_random_normal(ThRandom *r, double loc, double scale, int ndim, const int64_t *shape) {
    if (!r) return NULL;
    if (scale >= 0 && !signbit(scale)) return sample(r, random_gauss, loc, scale, ndim, shape);
    err(r->ctx, TH_ValueError, "normal: scale must not be negative, got %g", scale);
    return NULL;
}
