/*
 * recur.c -- what goes from one element to the next, so that no loop over whole arrays can do it: linear filters, and
 * equations of three diagonals.
 *
 * In: contiguous arrays of float64. Out: results; a filter's state is changed in place. Always holds: every shape is
 * checked before anything is written; what is NaN or infinite reaches only what comes after it.
 */
#include "base/base.h"
#include "base/parts.h"

#include <string.h>

enum { MOST_ORDER = 8, MOST_SECTIONS = 16 };

static double *doubles(const ThArray *a) { return (double *)(void *)a->data; }

static bool is_plain(ThContext *c, const ThArray *a, int ndim, const char *what) {
    if (!array_usable(c, a)) return false;
    if (a->dtype == TH_FLOAT64 && a->ndim == ndim && a->flags & ARRAY_CONTIGUOUS) return true;
    return err(c, TH_ValueError, "%s: a contiguous array of float64 with %d dimensions is expected", what, ndim);
}

/* ---- filters ----------------------------------------------------------------------------------------------------- */
/* n samples through one filter of an order that the compiler knows where it is inlined: the state stays in registers.
 */
static inline __attribute__((always_inline)) void through(int order, const double *b, const double *a, const double *x,
                                                          double *y, int64_t n, double *state) {
    double z[MOST_ORDER + 1];
    for (int i = 0; i < order; i++) z[i] = state[i];
    z[order] = 0;
    for (int64_t t = 0; t < n; t++) {
        double in = x[t], out = b[0] * in + z[0];
#pragma GCC unroll 8
        for (int i = 0; i < order; i++) z[i] = z[i + 1] + b[i + 1] * in - a[i + 1] * out;
        y[t] = out;
    }
    for (int i = 0; i < order; i++) state[i] = z[i];
}

/* The same of any order, the state where it is. Of high orders it may be long: it stops where work is to stop. */
static bool through_long(ThContext *c, int order, const double *b, const double *a, const double *x, double *y,
                         int64_t n, double *z) {
    enum { OFTEN = 1 << 20 };
    for (int64_t t = 0, done = 0; t < n; t++, done += order) {
        if (done >= OFTEN) {
            if (ctx_stopped(c)) return err_stopped(c);
            done = 0;
        }
        double in = x[t], out = b[0] * in + z[0];
        for (int i = 0; i < order - 1; i++) z[i] = z[i + 1] + b[i + 1] * in - a[i + 1] * out;
        z[order - 1] = b[order] * in - a[order] * out;
        y[t] = out;
    }
    return true;
}

static bool filter_row(ThContext *c, int order, const double *b, const double *a, const double *x, double *y, int64_t n,
                       double *z) {
    switch (order) {
    case 0:
        for (int64_t t = 0; t < n; t++) y[t] = b[0] * x[t];
        break;
    case 1: through(1, b, a, x, y, n, z); break;
    case 2: through(2, b, a, x, y, n, z); break;
    case 3: through(3, b, a, x, y, n, z); break;
    case 4: through(4, b, a, x, y, n, z); break;
    case 5: through(5, b, a, x, y, n, z); break;
    case 6: through(6, b, a, x, y, n, z); break;
    case 7: through(7, b, a, x, y, n, z); break;
    case 8: through(8, b, a, x, y, n, z); break;
    default: return through_long(c, order, b, a, x, y, n, z);
    }
    return true;
}

/* Sections of the second order, all of them at each sample: while one waits for its own last sum others go on. `far`:
 * from a section's state to the next one's. */
static void filter_sections(int k, const double *b, const double *a, const double *x, double *y, int64_t n, double *z,
                            int64_t far) {
    double first[MOST_SECTIONS], second[MOST_SECTIONS];
    for (int s = 0; s < k; s++) first[s] = z[s * far], second[s] = z[s * far + 1];
    for (int64_t t = 0; t < n; t++) {
        double in = x[t];
        for (int s = 0; s < k; s++) {
            const double *bs = b + 3 * s, *as = a + 3 * s;
            double out = bs[0] * in + first[s];
            first[s] = second[s] + bs[1] * in - as[1] * out;
            second[s] = bs[2] * in - as[2] * out;
            in = out;
        }
        y[t] = in;
    }
    for (int s = 0; s < k; s++) z[s * far] = first[s], z[s * far + 1] = second[s];
}

ThArray *th_array_filter(ThContext *c, const ThArray *b, const ThArray *a, const ThArray *x, ThArray *state) {
    if (!c) return NULL;
    if (!b || !a || !x || !state) return err_missing(c, __func__), NULL;
    if (!is_plain(c, b, 2, "filter") || !is_plain(c, a, 2, "filter") || !is_plain(c, x, 2, "filter") ||
        !is_plain(c, state, 3, "filter") || !array_writeable(c, state))
        return NULL;
    const int64_t *form = ARRAY_SHAPE(b), *z = ARRAY_SHAPE(state);
    int64_t k = form[0], order = form[1] - 1, rows = ARRAY_SHAPE(x)[0], n = ARRAY_SHAPE(x)[1];
    if (memcmp(form, ARRAY_SHAPE(a), sizeof *form * 2) != 0 || k < 1 || order < 0 || z[0] != k || z[1] != rows ||
        z[2] != order || order > INT32_MAX)
        return err(c, TH_ValueError, "filter: the shapes of coefficients and states do not fit"), NULL;
    ThArray *y = th_array_empty(c, TH_FLOAT64, 2, ARRAY_SHAPE(x));
    if (!y) return NULL;
    bool together = order == 2 && k > 1 && k <= MOST_SECTIONS;
    for (int64_t r = 0; r < rows; r++) {
        const double *from = doubles(x) + r * n;
        double *to = doubles(y) + r * n;
        if (together) {
            filter_sections((int)k, doubles(b), doubles(a), from, to, n, doubles(state) + r * 2, rows * 2);
            continue;
        }
        for (int64_t s = 0; s < k; s++, from = to) {
            if (filter_row(c, (int)order, doubles(b) + s * form[1], doubles(a) + s * form[1], from, to, n,
                           doubles(state) + (s * rows + r) * order))
                continue;
            th_array_release(y);
            return NULL;
        }
    }
    return y;
}

/* ---- three diagonals --------------------------------------------------------------------------------------------- */
ThArray *th_array_tridiagonal(ThContext *c, const ThArray *diagonals, const ThArray *right) {
    if (!c) return NULL;
    if (!diagonals || !right) return err_missing(c, __func__), NULL;
    if (!is_plain(c, diagonals, 2, "tridiagonal") || !is_plain(c, right, 2, "tridiagonal")) return NULL;
    int64_t n = ARRAY_SHAPE(right)[0], m = ARRAY_SHAPE(right)[1];
    if (ARRAY_SHAPE(diagonals)[0] != 3 || ARRAY_SHAPE(diagonals)[1] != n)
        return err(c, TH_ValueError, "tridiagonal: three diagonals of length %lld are expected", (long long)n), NULL;
    ThArray *x = th_array_empty(c, TH_FLOAT64, 2, ARRAY_SHAPE(right)), *ratio = th_array_empty(c, TH_FLOAT64, 1, &n);
    if (!x || !ratio) {
        th_array_release(x);
        th_array_release(ratio);
        return NULL;
    }
    const double *low = doubles(diagonals), *middle = low + n, *up = middle + n, *r = doubles(right);
    double *v = doubles(x), *q = doubles(ratio);
    for (int64_t i = 0; i < n; i++) { /* row i without low[i], divided by its pivot: 1 on the diagonal, q[i] above */
        double before = i > 0 ? low[i] : 0.0, pivot = middle[i] - (i > 0 ? before * q[i - 1] : 0.0);
        q[i] = up[i] / pivot;
        for (int64_t j = 0; j < m; j++)
            v[i * m + j] = (r[i * m + j] - (i > 0 ? before * v[(i - 1) * m + j] : 0.0)) / pivot;
    }
    for (int64_t i = n - 2; i >= 0; i--)
        for (int64_t j = 0; j < m; j++) v[i * m + j] -= q[i] * v[(i + 1) * m + j];
    th_array_release(ratio);
    return x;
}
