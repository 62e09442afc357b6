/*
 * schur.c -- square roots and logarithms of matrices, through a unitary one that makes them triangular. In: matrices.
 * Out: results in rows; real ones only where the result is as good as real. NaN and infinities give NaN.
 */
#include "function.h"
#include "lapack.h"
#include "move.h"
#include "runtime/gemm/gemm.h"
#include "scalar.h"
#include "spectral.h"

#include <math.h>
#include <string.h>

enum { OWN_ROWS = 24 }; /* up to these many rows the library is slower */

/* The job as one of complex numbers: all work is done with these. */
static FactorJob complex_job(const FactorJob *j) {
    FactorJob c = *j;
    if (!factor_is_complex(j)) c.d += FACTOR_C64, c.item *= 2;
    return c;
}

static void call_gees(FactorJob *c, void *h, void *w, void *vs, void *work, int lwork, void *rwork, int *info) {
    int sdim = 0;
    ((GeesComplex)c->fn[0])("V", "N", NULL, &c->n, h, &c->n, &sdim, w, vs, &c->n, work, &lwork, rwork, NULL, info, 1,
                            1);
}

/* q (rows: columns of Q) and t as Q t Q^H. */
static GemmArgs product(const FactorJob *c, const void *a, bool turned, const void *b, void *to) {
    int n = c->n;
    return (GemmArgs){.early = c->early,
                      .dtype = c->d == FACTOR_C64 ? TH_COMPLEX64 : TH_COMPLEX128,
                      .m = n,
                      .n = n,
                      .k = n,
                      .a = a,
                      .ars = turned ? 1 : n,
                      .acs = turned ? n : 1,
                      .b = b,
                      .brs = n,
                      .bcs = 1,
                      .c = to,
                      .crs = n,
                      .ccs = 1,
                      .alpha = 1};
}

static size_t product_bytes(const FactorJob *c) {
    GemmArgs g = product(c, NULL, true, NULL, NULL);
    return factor_round(gemm_scratch_bytes(&g));
}

bool schur_plan(FactorJob *j) {
    FactorJob c = complex_job(j);
    int64_t n = j->n;
    int info = 0;
    double first[2] = {0}, first_real[1];
    j->lwork = 0;
    if (j->n > OWN_ROWS && factor_library_wanted(j) && (c.lib = factor_library(j->ctx)) &&
        lapack_need(&c, 0, LAPACK_gees)) {
        call_gees(&c, NULL, NULL, NULL, first, -1, first_real, &info);
        j->lwork = lapack_length(&c, first, 2 * j->n);
        j->lib = c.lib, j->fn[0] = c.fn[0];
    }
    factor_reserve(j, n * n + n, c.item); /* the triangle */
    factor_reserve(j, 4 * n * n, c.item); /* Q, the result, working matrices */
    factor_reserve(j, 2 * n + j->lwork, c.item);
    j->bytes += product_bytes(&c);
    return true;
}

typedef struct Rooms {
    char *t, *q, *r, *x, *y, *work, *rest;
} Rooms;

static Rooms rooms(const FactorJob *j, const FactorJob *c) {
    char *room = j->room;
    int64_t n = j->n, square = n * n * c->item;
    Rooms p = {.t = factor_take(&room, n * n + n, c->item)};
    p.q = factor_take(&room, 4 * n * n, c->item);
    p.r = p.q + square, p.x = p.r + square, p.y = p.x + square;
    p.work = factor_take(&room, 2 * n + j->lwork, c->item);
    p.rest = room;
    return p;
}

static bool triangular(FactorJob *j, FactorJob *c, const Rooms *p) {
    int64_t n = j->n;
    int info = 0;
    if (!j->lwork)
        return spectral_schur(j, c->d)->schur(j, p->t, j->n, p->q, p->work) || factor_failed(j, FAULT_EIGENVALUES, 0);
    factor_turn_square(c->d, p->t, n, false);
    call_gees(c, p->t, p->work, p->q, p->work + 2 * n * c->item, j->lwork, p->work + n * c->item, &info);
    if (info) return factor_failed(j, FAULT_EIGENVALUES, 0);
    factor_turn_square(c->d, p->t, n, false);
    return true;
}

/* The result, complex and at x, as the job's dtype. */
static bool put_result(FactorJob *j, const FactorJob *c, const char *x, char *to) {
    int64_t numbers = (int64_t)j->n * j->n;
    double real = 0, unreal = 0, re, im;
    if (factor_is_complex(j)) {
        memcpy(to, x, (size_t)(numbers * c->item));
        return true;
    }
    for (int64_t i = 0; i < numbers; i++) {
        factor_get(c, x, i, &re, &im);
        real = fmax(real, fabs(re)), unreal = fmax(unreal, fabs(im));
        factor_put(j, to, i, re, 0);
    }
    return unreal <= sqrt(j->real == 4 ? 1.1920928955078125e-7 : 2.220446049250313e-16) * real ||
           factor_failed(j, FAULT_UNREAL, 0);
}

/* Fills t; false: it is not finite, and the result became NaN. */
static bool take_matrix(const FactorJob *j, const FactorJob *c, const Rooms *p, char *const *at) {
    int64_t numbers = (int64_t)j->n * j->n;
    double re, im;
    factor_rows(j, 0, at[0], p->r);
    if (!factor_finite(j, p->r, numbers)) {
        factor_nan(j->w->dtype, at[1], numbers);
        return false;
    }
    for (int64_t i = 0; i < numbers; i++) {
        factor_get(j, p->r, i, &re, &im);
        factor_put(c, p->t, i, re, im);
    }
    return true;
}

bool schur_run(FactorJob *j, char *const *at) {
    FactorJob c = complex_job(j);
    const SchurKernels *kern = spectral_schur(j, c.d);
    Rooms p = rooms(j, &c);
    int64_t n = j->n;
    if (!take_matrix(j, &c, &p, at)) return true;
    if (!triangular(j, &c, &p)) return false;
    if (j->w->kind == FACTOR_SQRTM) {
        if (!kern->root(j, p.t, j->n, p.r)) return factor_failed(j, FAULT_SINGULAR, 0);
    } else {
        if (!factor_diagonal(&c, p.t, n)) return factor_failed(j, FAULT_SINGULAR, 0);
        kern->logarithm(j, p.t, j->n, p.r, p.x, p.y);
    }
    GemmArgs g = product(&c, p.q, true, p.r, p.x);
    if (gemm_run(j->ctx, &g, p.rest)) return false;
    factor_conjugate(c.d, p.q, n * n);
    g = product(&c, p.x, false, p.q, p.t);
    if (gemm_run(j->ctx, &g, p.rest)) return false;
    return put_result(j, &c, p.t, at[1]);
}
