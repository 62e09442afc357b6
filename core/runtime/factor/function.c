/*
 * function.c -- pseudo-inverses and exponentials: matrices made from factors and products. In: matrices. Out: results
 * in rows. The exponential is an approximant of Pade of a degree that the norm asks for, of the matrix halved until
 * that is small, and squared as often (Higham 2005).
 */
#include "function.h"

#include "move.h"
#include "runtime/gemm/gemm.h"

#include <math.h>
#include <string.h>

/* ---- products ---------------------------------------------------------------------------------------------------- */
/* c = a b, or with a turned; rows, dense. */
static GemmArgs product(const FactorJob *j, int m, int n, int k, const void *a, bool a_turned, const void *b,
                        bool b_turned, void *c) {
    return (GemmArgs){.early = j->early,
                      .dtype = j->w->dtype,
                      .m = m,
                      .n = n,
                      .k = k,
                      .a = a,
                      .ars = a_turned ? 1 : k,
                      .acs = a_turned ? m : 1,
                      .b = b,
                      .brs = b_turned ? 1 : n,
                      .bcs = b_turned ? k : 1,
                      .c = c,
                      .crs = n,
                      .ccs = 1,
                      .alpha = 1};
}

static size_t product_bytes(const FactorJob *j, int m, int n, int k, bool turned) {
    GemmArgs g = product(j, m, n, k, NULL, turned, NULL, turned, NULL);
    return factor_round(gemm_scratch_bytes(&g));
}

size_t factor_multiply_bytes(const FactorJob *j) { return product_bytes(j, j->n, j->n, j->n, false); }

void factor_multiply(FactorJob *j, void *c, const void *a, const void *b, void *work) {
    GemmArgs g = product(j, j->n, j->n, j->n, a, false, b, false, c);
    gemm_run(j->ctx, &g, work);
}

/* ---- pseudo-inverse ---------------------------------------------------------------------------------------------- */
/* Numbers count as pairs of reals here. */
static void scale_reals(const FactorJob *j, void *row, int64_t count, double by) {
    if (factor_is_complex(j)) count *= 2;
    if (j->real == 4)
        for (int64_t i = 0; i < count; i++) ((float *)row)[i] *= (float)by;
    else
        for (int64_t i = 0; i < count; i++) ((double *)row)[i] *= by;
}

static double real_at(const FactorJob *j, const void *x, int64_t i) {
    return j->real == 4 ? ((const float *)x)[i] : ((const double *)x)[i];
}

static bool plan_pinv(FactorJob *j) {
    bool hermitian = j->w->hermitian;
    int p = j->small;
    FactorWork w = {.kind = hermitian ? FACTOR_EIGH : FACTOR_SVD,
                    .dtype = j->w->dtype,
                    .vectors = true,
                    .lower = true,
                    .nin = 1,
                    .nout = hermitian ? 2 : 3};
    w.op[0] = j->w->op[0];
    w.op[1] = hermitian ? factor_dense(j, p, 1) : factor_dense(j, j->m, p);
    w.op[2] = hermitian ? factor_dense(j, p, p) : factor_dense(j, p, 1);
    w.op[3] = factor_dense(j, p, j->n);
    factor_reserve(j, (int64_t)j->m * p, j->item);
    factor_reserve(j, p, j->real);
    factor_reserve(j, (int64_t)p * j->n, j->item);
    j->bytes += product_bytes(j, j->n, j->m, p, true);
    return factor_inner(j, &w);
}

/* Row i of x by 1 / s[i], or by 0 where s[i] is not above the limit. */
static void scale_rows(const FactorJob *j, char *x, const void *s, double limit) {
    for (int i = 0; i < j->small; i++) {
        double v = real_at(j, s, i);
        scale_reals(j, x + (int64_t)i * j->n * j->item, j->n, fabs(v) > limit ? 1 / v : 0);
    }
}

static double largest_modulus(const FactorJob *j, const void *s) {
    double most = 0;
    for (int i = 0; i < j->small; i++) most = fmax(most, fabs(real_at(j, s, i)));
    return most;
}

/* A^+ = V S^+ U^H, from U (m x p) and V^H (p x n); of a Hermitian A = V W V^H that is V W^+ V^H. */
static bool run_pinv(FactorJob *j, char *const *at) {
    char *room = j->room;
    int p = j->small;
    bool hermitian = j->w->hermitian;
    char *u = factor_take(&room, (int64_t)j->m * p, j->item), *s = factor_take(&room, p, j->real);
    char *vh = factor_take(&room, (int64_t)p * j->n, j->item), *work = room;
    double eps = j->real == 4 ? 1.1920928955078125e-7 : 2.220446049250313e-16, rcond = j->w->rcond;
    room += product_bytes(j, j->n, j->m, p, true);
    char *inner[4] = {at[0], hermitian ? s : u, hermitian ? u : s, vh};
    if (!factor_inner_run(j, room, inner)) return false;
    if (hermitian) {
        if (!factor_finite(j, u, (int64_t)j->m * p)) return factor_failed(j, FAULT_EIGENVALUES, 0);
        factor_copy(j->d, vh, j->n * j->item, j->item, u, j->item, p * j->item, p, j->n);
        factor_conjugate(j->d, vh, (int64_t)p * j->n);
    }
    rcond = isnan(rcond) ? eps * j->large : rcond < 0 ? eps : rcond;
    scale_rows(j, vh, s, rcond * largest_modulus(j, s));
    factor_conjugate(j->d, vh, (int64_t)p * j->n);
    factor_conjugate(j->d, u, (int64_t)j->m * p);
    GemmArgs g = product(j, j->n, j->m, p, vh, true, u, true, at[1]);
    return gemm_run(j->ctx, &g, work) == 0;
}

/* ---- exponential ------------------------------------------------------------------------------------------------- */
/* to = eye I + sum of by[i] x[i] */
static void combine(const FactorJob *j, char *to, int terms, char *const *x, const double *by, double eye) {
    int64_t numbers = (int64_t)j->n * j->n, reals = factor_is_complex(j) ? 2 * numbers : numbers;
    int64_t step = reals / numbers * (j->n + 1);
#define COMBINE(type) \
    for (int64_t i = 0; i < reals; i++) { \
        type v = 0; \
        for (int t = 0; t < terms; t++) v += (type)by[t] * ((const type *)(const void *)x[t])[i]; \
        ((type *)(void *)to)[i] = v; \
    } \
    for (int64_t i = 0; i < j->n; i++) ((type *)(void *)to)[i * step] += (type)eye;
    if (j->real == 4) {
        COMBINE(float)
    } else {
        COMBINE(double)
    }
#undef COMBINE
}

/* The largest sum of moduli of a column; of complex numbers at most half as much again. */
double factor_norm(const FactorJob *j, const void *a) {
    int64_t parts = factor_is_complex(j) ? 2 : 1, n = j->n;
    double most = 0;
    for (int64_t c = 0; c < n; c++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++)
            for (int64_t p = 0; p < parts; p++) sum += fabs(real_at(j, a, (i * n + c) * parts + p));
        if (!(sum <= most)) most = sum; /* NaN too */
    }
    return most;
}

enum { BUFFERS = 8 };

static bool plan_expm(FactorJob *j) {
    FactorWork w = {.kind = FACTOR_SOLVE, .dtype = j->w->dtype, .nin = 2, .nout = 1};
    for (int i = 0; i < 3; i++) w.op[i] = factor_dense(j, j->n, j->n);
    factor_reserve(j, BUFFERS * (int64_t)j->n * j->n, j->item);
    j->bytes += factor_multiply_bytes(j);
    return factor_inner(j, &w);
}

static const double pade3[] = {120, 60, 12, 1}, pade5[] = {30240, 15120, 3360, 420, 30, 1},
                    pade7[] = {17297280, 8648640, 1995840, 277200, 25200, 1512, 56, 1},
                    pade9[] = {17643225600, 8821612800, 2075673600, 302702400, 30270240, 2162160, 110880, 3960, 90, 1},
                    pade13[] = {64764752532480000,
                                32382376266240000,
                                7771770303897600,
                                1187353796428800,
                                129060195264000,
                                10559470521600,
                                670442572800,
                                33522128640,
                                1323241920,
                                40840800,
                                960960,
                                16380,
                                182,
                                1};

typedef struct Degree {
    double most; /* norm up to which it serves */
    int m;
    const double *by;
} Degree;
static const Degree single_degrees[] = {
    {4.258730016922831e-1, 3, pade3}, {1.880152677804762, 5, pade5}, {3.925724783138660, 7, pade7}};
static const Degree double_degrees[] = {{1.495585217958292e-2, 3, pade3},
                                        {2.539398330063230e-1, 5, pade5},
                                        {9.504178996162932e-1, 7, pade7},
                                        {2.097847961257068, 9, pade9},
                                        {5.371920351148152, 13, pade13}};

/* Odd and even part of the approximant: u = A (..), v. x: A, A^2, A^4, .. and two more matrices. */
static void parts(FactorJob *j, const Degree *d, char *const *x, char *u, char *v, char *spare, void *work) {
    const double *b = d->by;
    double odd[4] = {0}, even[4] = {0};
    bool long_one = d->m == 13;
    int powers = long_one ? 3 : d->m / 2;
    for (int i = 0; i < powers; i++) odd[i] = b[2 * i + 3], even[i] = b[2 * i + 2];
    factor_multiply(j, x[1], x[0], x[0], work);
    for (int i = 2; i <= powers; i++) factor_multiply(j, x[i], x[i - 1], x[1], work);
    combine(j, spare, powers, x + 1, odd, b[1]);
    combine(j, v, powers, x + 1, even, b[0]);
    if (long_one) { /* the higher powers are those times A^6 */
        static const double one[2] = {1, 1};
        const double high_odd[3] = {b[9], b[11], b[13]}, high_even[3] = {b[8], b[10], b[12]};
        char *high = x[4];
        combine(j, high, 3, x + 1, high_odd, 0);
        factor_multiply(j, u, x[3], high, work);
        combine(j, spare, 2, (char *[]){spare, u}, one, 0);
        combine(j, high, 3, x + 1, high_even, 0);
        factor_multiply(j, u, x[3], high, work);
        combine(j, v, 2, (char *[]){v, u}, one, 0);
    }
    factor_multiply(j, u, x[0], spare, work);
}

static bool run_expm(FactorJob *j, char *const *at) {
    static const double sum[2] = {1, 1}, difference[2] = {1, -1};
    char *room = j->room, *x[BUFFERS];
    int64_t numbers = (int64_t)j->n * j->n;
    char *all = factor_take(&room, BUFFERS * numbers, j->item), *work = room;
    for (int i = 0; i < BUFFERS; i++) x[i] = all + i * numbers * j->item;
    room += factor_multiply_bytes(j);
    factor_rows(j, 0, at[0], x[0]);
    double norm = factor_norm(j, x[0]);
    if (!isfinite(norm)) {
        factor_nan(j->w->dtype, at[1], numbers);
        return true;
    }
    const Degree *d = j->real == 4 ? single_degrees : double_degrees;
    const Degree *last = d + (j->real == 4 ? TH_LEN(single_degrees) : TH_LEN(double_degrees)) - 1;
    while (d < last && norm > d->most) d++;
    int halved = norm > d->most ? (int)ceil(log2(norm / d->most)) : 0;
    if (halved) scale_reals(j, x[0], numbers, ldexp(1, -halved));
    parts(j, d, x, x[5], x[6], x[7], work);
    combine(j, x[0], 2, (char *[]){x[6], x[5]}, difference, 0);
    combine(j, x[1], 2, (char *[]){x[6], x[5]}, sum, 0);
    char *to = at[1], *other = x[2];
    if (!factor_inner_run(j, room, (char *[]){x[0], x[1], halved % 2 ? other : to})) return false;
    for (int s = halved; s > 0; s--) {
        const char *from = s % 2 ? other : to;
        factor_multiply(j, s % 2 ? to : other, from, from, work);
    }
    return true;
}

const FactorRoutine factor_function[FACTOR_KINDS] = {
    [FACTOR_PINV] = {plan_pinv, run_pinv},
    [FACTOR_EXPM] = {plan_expm, run_expm},
    [FACTOR_SQRTM] = {schur_plan, schur_run},
    [FACTOR_LOGM] = {schur_plan, schur_run},
};
