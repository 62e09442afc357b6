/*
 * own_factor.c -- QR, singular values, eigenvalues, least squares, without a library. In: matrices in rows. Out:
 * results in rows. Columns are turned to lines of memory on the way in and out.
 */
#include "move.h"
#include "own.h"
#include "scalar.h"
#include "spectral.h"

#include <math.h>
#include <string.h>

static double epsilon(const FactorJob *j) { return j->real == 4 ? 1.1920928955078125e-7 : 2.220446049250313e-16; }

/* ---- QR ---------------------------------------------------------------------------------------------------------- */
static int columns_of_q(const FactorJob *j) { return j->w->mode == FACTOR_COMPLETE ? j->m : j->small; }

bool own_plan_qr(FactorJob *j) {
    int q = columns_of_q(j);
    factor_reserve(j, (int64_t)j->m * (q > j->n ? q : j->n), j->item);
    factor_reserve(j, j->small, j->item);
    return true;
}

bool own_run_qr(FactorJob *j, char *const *at) {
    const SpectralKernels *kern = spectral_kernels(j, j->d);
    char *room = j->room;
    int mode = j->w->mode, q = columns_of_q(j), p = j->small;
    char *a = factor_take(&room, (int64_t)j->m * (q > j->n ? q : j->n), j->item);
    void *tau = factor_take(&room, p, j->item);
    if (mode == FACTOR_RAW) a = at[1], tau = at[2];
    factor_turned(j, 0, at[0], a);
    kern->qr(j, a, j->m, j->n, tau);
    if (mode == FACTOR_RAW) return true;
    factor_upper(j, a, mode == FACTOR_R ? at[1] : at[2], mode == FACTOR_COMPLETE ? j->m : p);
    if (mode == FACTOR_R) return true;
    kern->q(j, a, j->m, q, p, tau);
    factor_copy(j->d, at[1], q * j->item, j->item, a, j->item, j->m * j->item, j->m, q);
    return true;
}

/* ---- singular values --------------------------------------------------------------------------------------------- */
static void reserve_svd(FactorJob *j) {
    int64_t most = j->large, least = j->small;
    factor_reserve(j, most * (j->w->full ? most : least), j->item);
    factor_reserve(j, least * least, j->item);
    factor_reserve(j, (most + 1) * most + least, j->item);
}

bool own_plan_svd(FactorJob *j) {
    reserve_svd(j);
    return true;
}

/* Of the taller of A and A^H: left (large x small, more columns where `full`) and right vectors, column after column.
 */
typedef struct Singular {
    char *left, *right;
} Singular;

static bool decompose(FactorJob *j, const char *at, bool full, bool vectors, void *s, Singular *x) {
    const SpectralKernels *kern = spectral_kernels(j, j->d);
    char *room = j->room;
    int64_t most = j->large, least = j->small;
    x->left = factor_take(&room, most * (j->w->full ? most : least), j->item);
    x->right = factor_take(&room, least * least, j->item);
    if (j->m >= j->n) {
        factor_turned(j, 0, at, x->left);
    } else {
        factor_rows(j, 0, at, x->left);
        factor_conjugate(j->d, x->left, most * least);
    }
    if (!factor_finite(j, x->left, most * least)) return factor_failed(j, FAULT_SVD, 0);
    if (!kern->svd(j, x->left, j->large, j->small, s, vectors ? x->right : NULL, room))
        return factor_failed(j, FAULT_SVD, 0);
    if (full) kern->complete(j, x->left, j->large, j->small, j->large, room);
    return true;
}

bool own_run_svd(FactorJob *j, char *const *at) {
    Singular x;
    int64_t item = j->item, most = j->large, least = j->small, wide = j->w->full ? most : least;
    bool tall = j->m >= j->n;
    if (!decompose(j, at[0], j->w->full, j->w->vectors, at[j->w->vectors ? 2 : 1], &x)) return false;
    if (!j->w->vectors) return true;
    const char *u = tall ? x.left : x.right, *v = tall ? x.right : x.left;
    int64_t ucols = tall ? wide : least, vrows = tall ? least : wide;
    factor_copy(j->d, at[1], ucols * item, item, u, item, j->m * item, j->m, ucols);
    memcpy(at[3], v, (size_t)(vrows * j->n * item));
    factor_conjugate(j->d, at[3], vrows * j->n);
    return true;
}

/* ---- least squares ----------------------------------------------------------------------------------------------- */
bool own_plan_lstsq(FactorJob *j) {
    reserve_svd(j);
    return true;
}

/* Number r of column c of the right side, or of the solution. */
static void side(const FactorJob *j, const char *at, int64_t r, int64_t c, double *re, double *im) {
    const FactorOperand *o = &j->w->op[1];
    factor_get(j, at + r * o->ms[0] + c * o->ms[1], 0, re, im);
}

static void add_to(const FactorJob *j, void *x, int64_t i, double re, double im) {
    double a, b;
    factor_get(j, x, i, &a, &b);
    factor_put(j, x, i, a + re, b + im);
}

/* x += (u^H b / s) v for column c; u and v are lines of memory, v conjugated where it comes from A^H. */
static void add_direction(const FactorJob *j, const char *u, const char *v, double s, const char *b, int64_t c,
                          char *x) {
    double re = 0, im = 0, p, q, y, z;
    for (int64_t r = 0; r < j->m; r++) {
        factor_get(j, u, r, &p, &q);
        side(j, b, r, c, &y, &z);
        re += p * y + q * z, im += p * z - q * y;
    }
    for (int64_t r = 0; r < j->n; r++) {
        factor_get(j, v, r, &p, &q);
        add_to(j, x, r * j->k + c, (p * re - q * im) / s, (p * im + q * re) / s);
    }
}

static double square_left(const FactorJob *j, const char *a, const char *b, const char *x, int64_t c) {
    const FactorOperand *o = &j->w->op[0];
    double sum = 0;
    for (int64_t r = 0; r < j->m; r++) {
        double re, im, p, q, y, z;
        side(j, b, r, c, &re, &im);
        for (int64_t i = 0; i < j->n; i++) {
            factor_get(j, a + r * o->ms[0] + i * o->ms[1], 0, &p, &q);
            factor_get(j, x, i * j->k + c, &y, &z);
            re -= p * y - q * z, im -= p * z + q * y;
        }
        sum += re * re + im * im;
    }
    return sum;
}

static bool finite_side(const FactorJob *j, const char *b) {
    double re, im;
    for (int64_t r = 0; r < j->m; r++)
        for (int64_t c = 0; c < j->k; c++) {
            side(j, b, r, c, &re, &im);
            if (!isfinite(re) || !isfinite(im)) return false;
        }
    return true;
}

static double real_of(const FactorJob *j, const void *s, int64_t i) {
    return j->real == 4 ? ((const float *)s)[i] : ((const double *)s)[i];
}

bool own_run_lstsq(FactorJob *j, char *const *at) {
    Singular x;
    bool tall = j->m >= j->n;
    double rcond = j->w->rcond;
    int64_t rank = 0;
    if (!finite_side(j, at[1])) return factor_failed(j, FAULT_LSTSQ, 0);
    if (!decompose(j, at[0], false, true, at[5], &x)) return factor_failed(j, FAULT_LSTSQ, 0);
    rcond = isnan(rcond) ? epsilon(j) * j->large : rcond < 0 ? epsilon(j) : rcond;
    memset(at[2], 0, (size_t)((int64_t)j->n * j->k * j->item));
    for (int64_t i = 0; i < j->small && !factor_stopped(j); i++) {
        double s = real_of(j, at[5], i);
        if (!(s > rcond * real_of(j, at[5], 0))) break;
        rank++;
        const char *left = x.left + i * j->large * j->item, *right = x.right + i * j->small * j->item;
        for (int64_t c = 0; c < j->k; c++)
            add_direction(j, tall ? left : right, tall ? right : left, s, at[1], c, at[2]);
    }
    for (int64_t c = 0; c < j->k && !factor_stopped(j); c++) {
        double left = rank == j->n && j->m > j->n ? square_left(j, at[0], at[1], at[2], c) : 0;
        if (j->real == 4) ((float *)(void *)at[3])[c] = (float)left;
        else ((double *)(void *)at[3])[c] = left;
    }
    *(int64_t *)(void *)at[4] = rank;
    return true;
}

/* ---- Hermitian eigenvalues --------------------------------------------------------------------------------------- */
static void reserve_eigh(FactorJob *j) {
    factor_reserve(j, 2 * (int64_t)j->n * j->n, j->item);
    factor_reserve(j, 4 * (int64_t)j->n, j->item);
}

bool own_plan_eigh(FactorJob *j) {
    reserve_eigh(j);
    return true;
}

static bool no_eigenvalues(const FactorJob *j, char *w, char *v) {
    factor_nan(j->real == 4 ? TH_FLOAT32 : TH_FLOAT64, w, j->n);
    if (v) factor_nan(j->w->dtype, v, (int64_t)j->n * j->n);
    return true;
}

bool own_run_eigh(FactorJob *j, char *const *at) {
    char *room = j->room;
    int64_t n = j->n, item = j->item;
    char *a = factor_take(&room, 2 * n * n, item), *z = a + n * n * item, *v = j->w->vectors ? at[2] : NULL;
    factor_triangle(j, 0, at[0], a);
    if (!factor_finite(j, a, n * n)) return no_eigenvalues(j, at[1], v);
    factor_mirror(j, a, j->w->lower, false);
    if (!spectral_kernels(j, j->d)->eigh(j, a, j->n, at[1], v ? z : NULL, room))
        return factor_failed(j, FAULT_EIGENVALUES, 0);
    if (v) factor_copy(j->d, v, n * item, item, z, item, n * item, n, n);
    return true;
}

bool own_plan_eigh_of(FactorJob *j) {
    reserve_eigh(j);
    own_plan_products(j, j->n, j->n);
    return true;
}

/* With B = L L^H the eigenvalues of L^-1 A L^-H. */
bool own_run_eigh_of(FactorJob *j, char *const *at) {
    char *room = j->room;
    int64_t n = j->n, item = j->item;
    bool lower = j->w->lower;
    char *a = factor_take(&room, 2 * n * n, item), *b = a + n * n * item, *work = factor_take(&room, 4 * n, item);
    factor_triangle(j, 0, at[0], a);
    factor_triangle(j, 1, at[1], b);
    if (!factor_finite(j, a, 2 * n * n)) return no_eigenvalues(j, at[2], NULL);
    factor_mirror(j, a, lower, false);
    int bad = own_cholesky(j, b, j->n, lower, room);
    if (bad) return factor_failed(j, FAULT_NOT_POSITIVE_OTHER, bad);
    for (int side_of = 0; side_of < 2; side_of++) {
        own_triangular(j, b, j->n, lower, lower ? FACTOR_N : FACTOR_C, false, a, j->n, room);
        factor_turn_square(j->d, a, n, true);
    }
    return spectral_kernels(j, j->d)->eigh(j, a, j->n, at[2], NULL, work) || factor_failed(j, FAULT_EIGENVALUES, 0);
}

/* ---- eigenvalues ------------------------------------------------------------------------------------------------- */
bool own_plan_eig(FactorJob *j) {
    int64_t n = j->n, item = 2 * j->real;
    factor_reserve(j, 3 * n * n, item);
    factor_reserve(j, n, item);
    return true;
}

/* Numbers of real matrices as complex ones. */
static FactorJob complex_job(const FactorJob *j) {
    FactorJob c = *j;
    if (!factor_is_complex(j)) c.d += FACTOR_C64, c.item *= 2;
    return c;
}

/* Eigenvalue i and its vector: those of real matrices that are as good as real become so. */
static bool put_eigenvalue(FactorJob *j, const FactorJob *c, const char *t, char *v, int64_t i, double limit,
                           char *const *at) {
    FactorJob out = j->w->complex ? *c : *j;
    int64_t n = j->n;
    double re, im;
    factor_get(c, t, i * n + i, &re, &im);
    bool real = !factor_is_complex(j) && fabs(im) <= limit;
    if (real) im = 0;
    if (im != 0 && !factor_is_complex(&out)) return factor_failed(j, FAULT_UNREAL_EIGENVALUES, 0);
    factor_put(&out, at[1], i, re, im);
    for (int64_t r = 0; r < n && v; r++) {
        factor_get(c, v, i * n + r, &re, &im);
        factor_put(&out, at[2], r * n + i, re, real ? 0 : im);
    }
    return true;
}

bool own_run_eig(FactorJob *j, char *const *at) {
    FactorJob c = complex_job(j);
    const SchurKernels *kern = spectral_schur(j, c.d);
    char *room = j->room;
    int64_t n = j->n;
    char *h = factor_take(&room, 3 * n * n, c.item), *qt = h + n * n * c.item, *v = qt + n * n * c.item;
    double most = 0;
    factor_rows(j, 0, at[0], v);
    if (!factor_finite(j, v, n * n)) return factor_failed(j, FAULT_NOT_FINITE, 0);
    for (int64_t i = 0; i < n * n; i++) {
        double re, im;
        factor_get(j, v, i, &re, &im);
        factor_put(&c, h, i, re, im);
        most = fmax(most, fabs(re));
    }
    if (!kern->schur(j, h, j->n, qt, room)) return factor_failed(j, FAULT_EIGENVALUES, 0);
    if (j->w->vectors) kern->vectors(j, h, j->n, qt, v, room);
    double limit = 4 * epsilon(j) * most * (double)n;
    if (!factor_is_complex(j)) spectral_mirror[c.d - FACTOR_C64](h, j->n, j->w->vectors ? v : NULL, limit);
    for (int64_t i = 0; i < n; i++)
        if (!put_eigenvalue(j, &c, h, j->w->vectors ? v : NULL, i, limit, at)) return false;
    return true;
}
