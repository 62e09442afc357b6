/*
 * lapack_factor.c -- QR, singular values, eigenvalues, least squares, by LAPACK. In: matrices in rows. Out: results in
 * rows. A = U S V^H is A^T = conj(V) S U^T, so singular vectors come out where they belong; the rest is turned on the
 * way.
 */
#include "lapack.h"
#include "move.h"
#include "scalar.h"

#include <math.h>
#include <string.h>

bool lapack_need(FactorJob *j, int slot, LapackName name) {
    j->fn[slot] = factor_symbol(j->lib, name, j->d);
    return j->fn[slot] != NULL;
}

int lapack_length(const FactorJob *j, const void *first, int least) {
    double n = j->real == 4 ? *(const float *)first : *(const double *)first;
    n += n * 1e-6; /* a float may have rounded it down */
    return n > least ? n < INT32_MAX ? (int)ceil(n) : INT32_MAX : least;
}

static int at_least(int64_t n) { return n < 1 ? 1 : n < INT32_MAX ? (int)n : INT32_MAX; }

static int largest(int a, int b) { return a > b ? a : b; }

/* ---- QR ---------------------------------------------------------------------------------------------------------- */
static int columns_of_q(const FactorJob *j) { return j->w->mode == FACTOR_COMPLETE ? j->m : j->small; }

bool lapack_plan_qr(FactorJob *j) {
    int info = 0, query = -1, q = columns_of_q(j), p = j->small;
    double first[2] = {0};
    if (!lapack_need(j, 0, LAPACK_geqrf) || !lapack_need(j, 1, LAPACK_orgqr)) return false;
    ((Geqrf)j->fn[0])(&j->m, &j->n, NULL, &j->m, NULL, first, &query, &info);
    j->lwork = lapack_length(j, first, j->n);
    ((Orgqr)j->fn[1])(&j->m, &q, &p, NULL, &j->m, NULL, first, &query, &info);
    j->lwork = lapack_length(j, first, j->lwork);
    factor_reserve(j, (int64_t)j->m * largest(j->n, q), j->item);
    factor_reserve(j, p, j->item);
    factor_reserve(j, j->lwork, j->item);
    return true;
}

bool lapack_run_qr(FactorJob *j, char *const *at) {
    char *room = j->room;
    int info = 0, mode = j->w->mode, q = columns_of_q(j), p = j->small;
    char *a = factor_take(&room, (int64_t)j->m * largest(j->n, q), j->item);
    void *tau = factor_take(&room, p, j->item), *work = factor_take(&room, j->lwork, j->item);
    if (mode == FACTOR_RAW) a = at[1], tau = at[2];
    factor_turned(j, 0, at[0], a);
    ((Geqrf)j->fn[0])(&j->m, &j->n, a, &j->m, tau, work, &j->lwork, &info);
    if (mode == FACTOR_RAW) return true;
    factor_upper(j, a, mode == FACTOR_R ? at[1] : at[2], mode == FACTOR_COMPLETE ? j->m : p);
    if (mode == FACTOR_R) return true;
    ((Orgqr)j->fn[1])(&j->m, &q, &p, a, &j->m, tau, work, &j->lwork, &info);
    factor_copy(j->d, at[1], q * j->item, j->item, a, j->item, j->m * j->item, j->m, q);
    return true;
}

/* ---- singular values --------------------------------------------------------------------------------------------- */
static void call_gesdd(FactorJob *j, void *a, void *s, void *u, int ldu, void *vt, int ldvt, void *work, int lwork,
                       void *rwork, int *iwork, int *info) {
    const char *job = !j->w->vectors ? "N" : j->w->full ? "A" : "S";
    if (factor_is_complex(j))
        ((GesddComplex)j->fn[0])(job, &j->n, &j->m, a, &j->n, s, u, &ldu, vt, &ldvt, work, &lwork, rwork, iwork, info,
                                 1);
    else ((GesddReal)j->fn[0])(job, &j->n, &j->m, a, &j->n, s, u, &ldu, vt, &ldvt, work, &lwork, iwork, info, 1);
}

static int64_t gesdd_reals(const FactorJob *j) {
    int64_t p = j->small, most = j->large, more = 2 * most + 2 * p + 1;
    if (!factor_is_complex(j)) return 0;
    return j->w->vectors ? p * (5 * p + 7 > more ? 5 * p + 7 : more) : 7 * p;
}

bool lapack_plan_svd(FactorJob *j) {
    int info = 0;
    int first_int = 0;
    double first[2] = {0}, first_real[1];
    if (!lapack_need(j, 0, LAPACK_gesdd)) return false;
    call_gesdd(j, NULL, NULL, NULL, j->n, NULL, j->w->full ? j->m : j->small, first, -1, first_real, &first_int, &info);
    j->lwork = lapack_length(j, first, 1);
    factor_reserve(j, (int64_t)j->m * j->n, j->item);
    factor_reserve(j, j->lwork, j->item);
    factor_reserve(j, gesdd_reals(j), j->real);
    factor_reserve(j, 8 * (int64_t)j->small, sizeof(int));
    return true;
}

bool lapack_run_svd(FactorJob *j, char *const *at) {
    char *room = j->room;
    bool vectors = j->w->vectors;
    int info = 0;
    void *a = factor_take(&room, (int64_t)j->m * j->n, j->item), *work = factor_take(&room, j->lwork, j->item);
    void *rwork = factor_take(&room, gesdd_reals(j), j->real);
    int *iwork = factor_take(&room, 8 * (int64_t)j->small, sizeof(int));
    factor_rows(j, 0, at[0], a);
    if (!factor_finite(j, a, (int64_t)j->m * j->n)) return factor_failed(j, FAULT_SVD, 0);
    call_gesdd(j, a, at[vectors ? 2 : 1], vectors ? at[3] : NULL, j->n, vectors ? at[1] : NULL,
               j->w->full ? j->m : j->small, work, j->lwork, rwork, iwork, &info);
    return info == 0 || factor_failed(j, FAULT_SVD, 0);
}

/* ---- eigenvalues ------------------------------------------------------------------------------------------------- */
static void call_geev(FactorJob *j, void *a, void *w, void *wi, void *v, void *work, int lwork, void *rwork,
                      int *info) {
    const char *job = j->w->vectors ? "V" : "N";
    int one = 1;
    if (factor_is_complex(j))
        ((GeevComplex)j->fn[0])("N", job, &j->n, a, &j->n, w, NULL, &one, v, &j->n, work, &lwork, rwork, info, 1, 1);
    else ((GeevReal)j->fn[0])("N", job, &j->n, a, &j->n, w, wi, NULL, &one, v, &j->n, work, &lwork, info, 1, 1);
}

bool lapack_plan_eig(FactorJob *j) {
    int info = 0;
    double first[2] = {0}, first_real[1];
    if (!lapack_need(j, 0, LAPACK_geev)) return false;
    call_geev(j, NULL, NULL, NULL, NULL, first, -1, first_real, &info);
    j->lwork = lapack_length(j, first, 4 * j->n);
    factor_reserve(j, (int64_t)j->n * j->n, j->item);
    factor_reserve(j, j->w->vectors ? (int64_t)j->n * j->n : 0, j->item);
    factor_reserve(j, j->lwork, j->item);
    factor_reserve(j, 2 * (int64_t)j->n, j->item);
    return true;
}

bool lapack_run_eig(FactorJob *j, char *const *at) {
    char *room = j->room;
    int info = 0;
    int64_t n = j->n;
    void *a = factor_take(&room, n * n, j->item), *v = factor_take(&room, j->w->vectors ? n * n : 0, j->item);
    void *work = factor_take(&room, j->lwork, j->item);
    char *w = factor_take(&room, 2 * n, j->item), *wi = w + n * j->item; /* complex: numbers for rwork there */
    factor_turned(j, 0, at[0], a);
    if (!factor_finite(j, a, n * n)) return factor_failed(j, FAULT_NOT_FINITE, 0);
    call_geev(j, a, factor_is_complex(j) ? at[1] : w, wi, v, work, j->lwork, w, &info);
    if (info) return factor_failed(j, FAULT_EIGENVALUES, 0);
    if (!factor_is_complex(j)) return factor_spread_eig(j, w, wi, v, at[1], j->w->vectors ? at[2] : NULL);
    if (j->w->vectors) factor_copy(j->d, at[2], n * j->item, j->item, v, j->item, n * j->item, n, n);
    return true;
}

static void call_eigh(FactorJob *j, void *a, void *w, void *work, int lwork, void *rwork, int lrwork, int *iwork,
                      int liwork, int *info) {
    const char *job = j->w->vectors ? "V" : "N", *uplo = j->w->lower ? "U" : "L";
    if (factor_is_complex(j))
        ((EighComplex)j->fn[0])(job, uplo, &j->n, a, &j->n, w, work, &lwork, rwork, &lrwork, iwork, &liwork, info, 1,
                                1);
    else ((EighReal)j->fn[0])(job, uplo, &j->n, a, &j->n, w, work, &lwork, iwork, &liwork, info, 1, 1);
}

/* Room for working arrays, as the query answers. */
static void eigh_lengths(FactorJob *j, const double *first, const double *first_real, int first_int) {
    int64_t n = j->n, square = n * n;
    bool v = j->w->vectors;
    bool complex = factor_is_complex(j);
    j->lwork = lapack_length(
        j, first, at_least(complex ? (v ? 2 * n + square : n + 1) : (v ? 1 + 6 * n + 2 * square : 2 * n + 1)));
    j->lrwork = complex ? lapack_length(j, first_real, at_least(v ? 1 + 5 * n + 2 * square : n)) : 0;
    j->liwork = largest(first_int, at_least(v ? 3 + 5 * n : 1));
    factor_reserve(j, j->lwork, j->item);
    factor_reserve(j, j->lrwork, j->real);
    factor_reserve(j, j->liwork, sizeof(int));
}

bool lapack_plan_eigh(FactorJob *j) {
    int info = 0, first_int = 0;
    double first[2] = {0}, first_real[1] = {0};
    if (!lapack_need(j, 0, LAPACK_eigh)) return false;
    call_eigh(j, NULL, NULL, first, -1, first_real, -1, &first_int, -1, &info);
    factor_reserve(j, j->w->vectors ? 0 : (int64_t)j->n * j->n, j->item);
    eigh_lengths(j, first, first_real, first_int);
    return true;
}

static bool no_eigenvalues(FactorJob *j, char *w, char *v) {
    ThDtype real = j->real == 4 ? TH_FLOAT32 : TH_FLOAT64;
    factor_nan(real, w, j->n);
    if (v) factor_nan(j->w->dtype, v, (int64_t)j->n * j->n);
    return true;
}

bool lapack_run_eigh(FactorJob *j, char *const *at) {
    char *room = j->room;
    bool vectors = j->w->vectors;
    int info = 0;
    int64_t n = j->n;
    void *a = factor_take(&room, vectors ? 0 : n * n, j->item), *work = factor_take(&room, j->lwork, j->item);
    void *rwork = factor_take(&room, j->lrwork, j->real);
    int *iwork = factor_take(&room, j->liwork, sizeof(int));
    if (vectors) a = at[2];
    factor_triangle(j, 0, at[0], a);
    if (!factor_finite(j, a, n * n)) return no_eigenvalues(j, at[1], vectors ? at[2] : NULL);
    call_eigh(j, a, at[1], work, j->lwork, rwork, j->lrwork, iwork, j->liwork, &info);
    if (info) return factor_failed(j, FAULT_EIGENVALUES, 0);
    if (vectors) factor_turn_square(j->d, a, n, true); /* of the conjugate matrix, in rows */
    return true;
}

static void call_eigh_of(FactorJob *j, void *a, void *b, void *w, void *work, int lwork, void *rwork, int lrwork,
                         int *iwork, int liwork, int *info) {
    const char *uplo = j->w->lower ? "U" : "L";
    int type = 1;
    if (factor_is_complex(j))
        ((EighOfComplex)j->fn[0])(&type, "N", uplo, &j->n, a, &j->n, b, &j->n, w, work, &lwork, rwork, &lrwork, iwork,
                                  &liwork, info, 1, 1);
    else
        ((EighOfReal)j->fn[0])(&type, "N", uplo, &j->n, a, &j->n, b, &j->n, w, work, &lwork, iwork, &liwork, info, 1,
                               1);
}

bool lapack_plan_eigh_of(FactorJob *j) {
    int info = 0, first_int = 0;
    double first[2] = {0}, first_real[1] = {0};
    if (!lapack_need(j, 0, LAPACK_eigh_of)) return false;
    call_eigh_of(j, NULL, NULL, NULL, first, -1, first_real, -1, &first_int, -1, &info);
    factor_reserve(j, 2 * (int64_t)j->n * j->n, j->item);
    eigh_lengths(j, first, first_real, first_int);
    return true;
}

bool lapack_run_eigh_of(FactorJob *j, char *const *at) {
    char *room = j->room;
    int info = 0;
    int64_t square = (int64_t)j->n * j->n;
    char *a = factor_take(&room, 2 * square, j->item), *b = a + square * j->item;
    void *work = factor_take(&room, j->lwork, j->item), *rwork = factor_take(&room, j->lrwork, j->real);
    int *iwork = factor_take(&room, j->liwork, sizeof(int));
    factor_triangle(j, 0, at[0], a);
    factor_triangle(j, 1, at[1], b);
    if (!factor_finite(j, a, 2 * square)) return no_eigenvalues(j, at[2], NULL);
    call_eigh_of(j, a, b, at[2], work, j->lwork, rwork, j->lrwork, iwork, j->liwork, &info);
    if (info > j->n) return factor_failed(j, FAULT_NOT_POSITIVE_OTHER, info - j->n);
    return info == 0 || factor_failed(j, FAULT_EIGENVALUES, 0);
}

/* ---- least squares ----------------------------------------------------------------------------------------------- */
/* LAPACK wants at least one right side. */
static int sides(const FactorJob *j) { return j->k > 0 ? j->k : 1; }

static void call_gelsd(FactorJob *j, void *a, void *b, void *s, int *rank, void *work, int lwork, void *rwork,
                       int *iwork, int *info) {
    double rcond = j->w->rcond;
    int k = sides(j);
    if (isnan(rcond)) rcond = j->large * (j->real == 4 ? 1.1920928955078125e-7 : 2.220446049250313e-16);
    float single = (float)rcond;
    const void *limit = j->real == 4 ? (const void *)&single : &rcond;
    if (factor_is_complex(j))
        ((GelsdComplex)j->fn[0])(&j->m, &j->n, &k, a, &j->m, b, &j->large, s, limit, rank, work, &lwork, rwork, iwork,
                                 info);
    else ((GelsdReal)j->fn[0])(&j->m, &j->n, &k, a, &j->m, b, &j->large, s, limit, rank, work, &lwork, iwork, info);
}

bool lapack_plan_lstsq(FactorJob *j) {
    int info = 0, rank = 0, first_int = 0;
    double first[2] = {0}, first_real[1] = {0};
    if (!lapack_need(j, 0, LAPACK_gelsd)) return false;
    call_gelsd(j, NULL, NULL, NULL, &rank, first, -1, first_real, &first_int, &info);
    j->lwork = lapack_length(j, first, 1);
    j->lrwork = factor_is_complex(j) ? lapack_length(j, first_real, 1) : 0;
    j->liwork = first_int > 1 ? first_int : 1;
    factor_reserve(j, (int64_t)j->m * j->n, j->item);
    factor_reserve(j, (int64_t)j->large * sides(j), j->item);
    factor_reserve(j, j->lwork, j->item);
    factor_reserve(j, j->lrwork, j->real);
    factor_reserve(j, j->liwork, sizeof(int));
    return true;
}

/* Column c of the residuals: rows n .. m of what gelsd left. */
static void put_left(const FactorJob *j, const char *b, int rank, void *to) {
    for (int c = 0; c < j->k; c++) {
        double sum = 0, re, im;
        for (int64_t i = j->n; i < j->m && rank == j->n; i++) {
            factor_get(j, b, (int64_t)c * j->large + i, &re, &im);
            sum += re * re + im * im;
        }
        if (j->real == 4) ((float *)to)[c] = (float)sum;
        else ((double *)to)[c] = sum;
    }
}

bool lapack_run_lstsq(FactorJob *j, char *const *at) {
    char *room = j->room;
    const FactorOperand *y = &j->w->op[1];
    int64_t item = j->item, column = j->large * item;
    int info = 0, rank = 0;
    char *a = factor_take(&room, (int64_t)j->m * j->n, item),
         *b = factor_take(&room, (int64_t)j->large * sides(j), item);
    void *work = factor_take(&room, j->lwork, item), *rwork = factor_take(&room, j->lrwork, j->real);
    int *iwork = factor_take(&room, j->liwork, sizeof(int));
    factor_turned(j, 0, at[0], a);
    memset(b, 0, (size_t)(column * sides(j)));
    factor_copy(j->d, b, column, item, at[1], y->ms[1], y->ms[0], j->k, j->m);
    if (!factor_finite(j, a, (int64_t)j->m * j->n) || !factor_finite(j, b, (int64_t)j->large * sides(j)))
        return factor_failed(j, FAULT_LSTSQ, 0);
    call_gelsd(j, a, b, at[5], &rank, work, j->lwork, rwork, iwork, &info);
    if (info) return factor_failed(j, FAULT_LSTSQ, 0);
    factor_copy(j->d, at[2], j->k * item, item, b, item, column, j->n, j->k);
    put_left(j, b, rank, at[3]);
    *(int64_t *)(void *)at[4] = rank;
    return true;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */
#define ROUTINE(name) \
    { lapack_plan_##name, lapack_run_##name }
const FactorRoutine factor_lapack[FACTOR_KINDS] = {
    [FACTOR_CHOLESKY] = ROUTINE(cholesky),
    [FACTOR_LU] = ROUTINE(lu),
    [FACTOR_LU_SOLVE] = ROUTINE(lu_solve),
    [FACTOR_TRIANGULAR] = ROUTINE(triangular),
    [FACTOR_CHO_SOLVE] = ROUTINE(cho_solve),
    [FACTOR_SOLVE] = ROUTINE(solve),
    [FACTOR_INVERSE] = ROUTINE(inverse),
    [FACTOR_DET] = ROUTINE(det),
    [FACTOR_SLOGDET] = ROUTINE(det),
    [FACTOR_QR] = ROUTINE(qr),
    [FACTOR_SVD] = ROUTINE(svd),
    [FACTOR_EIG] = ROUTINE(eig),
    [FACTOR_EIGH] = ROUTINE(eigh),
    [FACTOR_EIGH_OF] = ROUTINE(eigh_of),
    [FACTOR_LSTSQ] = ROUTINE(lstsq),
};
