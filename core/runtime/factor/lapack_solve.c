/*
 * lapack_solve.c -- Cholesky, LU and what is solved with them, by LAPACK. In: matrices in rows. Out: results in rows.
 * LAPACK sees the transposed matrices there: a lower triangle is an upper one to it, op(A) X = B is X^T op(A)^T = B^T,
 * and so nothing is turned but what goes into LUFactor.
 */
#include "lapack.h"
#include "move.h"
#include "scalar.h"

#include <string.h>

static const char triangle[2] = "LU"; /* what LAPACK calls an upper and a lower one */

void lapack_triangular(FactorJob *j, int slot, const void *a, bool lower, int trans, bool unit, void *b, int n, int k) {
    static const double one[2] = {1, 0};
    static const float one_single[2] = {1, 0};
    const char *uplo = &triangle[lower], *diag = unit ? "U" : "N", *op = &"NTC"[trans];
    if (n == 0 || k == 0) return;
    if (k == 1 && trans != FACTOR_C) {
        int step = 1;
        ((Trsv)j->fn[slot + 1])(uplo, trans == FACTOR_N ? "T" : "N", diag, &n, a, &n, b, &step, 1, 1, 1);
        return;
    }
    ((Trsm)j->fn[slot])("R", uplo, op, diag, &k, &n, j->real == 4 ? (const void *)one_single : one, a, &n, b, &k, 1, 1,
                        1, 1);
}

static bool need_triangular(FactorJob *j, int slot) {
    return lapack_need(j, slot, LAPACK_trsm) && lapack_need(j, slot + 1, LAPACK_trsv);
}

/* ---- Cholesky ---------------------------------------------------------------------------------------------------- */
bool lapack_plan_cholesky(FactorJob *j) { return lapack_need(j, 0, LAPACK_potrf); }

static bool factor_positive(FactorJob *j, int slot, void *a, bool lower) {
    int info = 0;
    ((Potrf)j->fn[slot])(&triangle[lower], &j->n, a, &j->n, &info, 1);
    return info <= 0 || factor_failed(j, FAULT_NOT_POSITIVE, info);
}

bool lapack_run_cholesky(FactorJob *j, char *const *at) {
    factor_triangle(j, 0, at[0], at[1]);
    return factor_positive(j, 0, at[1], j->w->lower);
}

/* ---- LU ---------------------------------------------------------------------------------------------------------- */
bool lapack_plan_lu(FactorJob *j) {
    factor_reserve(j, (int64_t)j->m * j->n, j->item);
    return lapack_need(j, 0, LAPACK_getrf);
}

bool lapack_run_lu(FactorJob *j, char *const *at) {
    int info = 0, *positions = (int *)(void *)at[2];
    factor_turned(j, 0, at[0], j->room);
    ((Getrf)j->fn[0])(&j->m, &j->n, j->room, &j->m, positions, &info);
    factor_copy(j->d, at[1], j->n * j->item, j->item, j->room, j->item, j->m * j->item, j->m, j->n);
    for (int i = 0; i < j->small; i++) positions[i]--;
    return true;
}

bool lapack_plan_lu_solve(FactorJob *j) {
    factor_reserve(j, (int64_t)j->n * j->n, j->item);
    factor_reserve(j, j->n, sizeof(int));
    return need_triangular(j, 0);
}

bool lapack_run_lu_solve(FactorJob *j, char *const *at) {
    char *room = j->room;
    void *lu = factor_take(&room, (int64_t)j->n * j->n, j->item);
    int *positions = factor_take(&room, j->n, sizeof(int)), trans = j->w->trans;
    factor_rows(j, 0, at[0], lu);
    factor_rows(j, 2, at[2], at[3]);
    if (!factor_positions(j, 1, at[1], positions)) return false;
    if (!factor_diagonal(j, lu, j->n)) return false;
    if (trans == FACTOR_N) {
        factor_swap_rows(j, at[3], j->k, positions, j->n, 0, false);
        lapack_triangular(j, 0, lu, true, trans, true, at[3], j->n, j->k);
        lapack_triangular(j, 0, lu, false, trans, false, at[3], j->n, j->k);
    } else {
        lapack_triangular(j, 0, lu, false, trans, false, at[3], j->n, j->k);
        lapack_triangular(j, 0, lu, true, trans, true, at[3], j->n, j->k);
        factor_swap_rows(j, at[3], j->k, positions, j->n, 0, true);
    }
    return true;
}

/* ---- triangular systems ------------------------------------------------------------------------------------------ */
/* The matrix where it lies, if its rows are dense; a copy otherwise. */
static const void *in_rows(FactorJob *j, int i, const char *at) {
    const FactorOperand *o = &j->w->op[i];
    if (o->ms[1] == j->item && o->ms[0] == o->n[1] * j->item) return at;
    factor_rows(j, i, at, j->room);
    return j->room;
}

bool lapack_plan_triangular(FactorJob *j) {
    factor_reserve(j, (int64_t)j->n * j->n, j->item);
    return need_triangular(j, 0);
}

bool lapack_run_triangular(FactorJob *j, char *const *at) {
    const FactorWork *w = j->w;
    const void *a = in_rows(j, 0, at[0]);
    factor_rows(j, 1, at[1], at[2]);
    if (!w->unit && !factor_diagonal(j, a, j->n)) return false;
    lapack_triangular(j, 0, a, w->lower, w->trans, w->unit, at[2], j->n, j->k);
    return true;
}

bool lapack_plan_cho_solve(FactorJob *j) { return lapack_plan_triangular(j); }

/* A = L L^H, or U^H U. */
static void solve_positive(FactorJob *j, int slot, const void *a, bool lower, void *b) {
    lapack_triangular(j, slot, a, lower, lower ? FACTOR_N : FACTOR_C, false, b, j->n, j->k);
    lapack_triangular(j, slot, a, lower, lower ? FACTOR_C : FACTOR_N, false, b, j->n, j->k);
}

bool lapack_run_cho_solve(FactorJob *j, char *const *at) {
    const void *a = in_rows(j, 0, at[0]);
    factor_rows(j, 1, at[1], at[2]);
    if (!factor_diagonal(j, a, j->n)) return false;
    solve_positive(j, 0, a, j->w->lower, at[2]);
    return true;
}

/* ---- systems ----------------------------------------------------------------------------------------------------- */
bool lapack_plan_solve(FactorJob *j) {
    factor_reserve(j, (int64_t)j->n * j->n, j->item);
    factor_reserve(j, j->n, sizeof(int));
    if (!need_triangular(j, 0)) return false;
    return j->w->assume == FACTOR_POS ? lapack_need(j, 2, LAPACK_potrf)
                                      : lapack_need(j, 2, LAPACK_getrf) && lapack_need(j, 3, LAPACK_getrs);
}

/* With P L U = A^T: X^T P L U = B^T, and for op(A) = A^T (or its conjugate) X^T U^T L^T P^T = B^T. */
static bool solve_general(FactorJob *j, void *a, int *positions, void *b) {
    int info = 0, trans = j->w->trans;
    ((Getrf)j->fn[2])(&j->n, &j->n, a, &j->n, positions, &info);
    if (info > 0) return factor_failed(j, FAULT_SINGULAR, info);
    if (j->k == 1 && trans != FACTOR_C) {
        ((Getrs)j->fn[3])(trans == FACTOR_N ? "T" : "N", &j->n, &j->k, a, &j->n, positions, b, &j->n, &info, 1);
        return true;
    }
    if (trans == FACTOR_N) { /* in rows U is a lower triangle, L an upper one */
        lapack_triangular(j, 0, a, true, FACTOR_N, false, b, j->n, j->k);
        lapack_triangular(j, 0, a, false, FACTOR_N, true, b, j->n, j->k);
        factor_swap_rows(j, b, j->k, positions, j->n, 1, true);
    } else {
        factor_swap_rows(j, b, j->k, positions, j->n, 1, false);
        lapack_triangular(j, 0, a, false, trans, true, b, j->n, j->k);
        lapack_triangular(j, 0, a, true, trans, false, b, j->n, j->k);
    }
    return true;
}

bool lapack_run_solve(FactorJob *j, char *const *at) {
    const FactorWork *w = j->w;
    char *room = j->room;
    void *a = factor_take(&room, (int64_t)j->n * j->n, j->item);
    int *positions = factor_take(&room, j->n, sizeof(int));
    factor_rows(j, 1, at[1], at[2]);
    if (w->assume != FACTOR_POS) {
        factor_rows(j, 0, at[0], a);
        if (w->assume != FACTOR_GEN) factor_mirror(j, a, w->lower, w->assume == FACTOR_SYM);
        return solve_general(j, a, positions, at[2]);
    }
    factor_triangle(j, 0, at[0], a);
    if (!factor_positive(j, 2, a, w->lower)) return false;
    bool turn = w->trans == FACTOR_T; /* A^T is the conjugate of A */
    if (turn) factor_conjugate(j->d, at[2], (int64_t)j->n * j->k);
    solve_positive(j, 0, a, w->lower, at[2]);
    if (turn) factor_conjugate(j->d, at[2], (int64_t)j->n * j->k);
    return true;
}

/* ---- inverse, determinant ---------------------------------------------------------------------------------------- */
bool lapack_plan_inverse(FactorJob *j) {
    int info = 0, query = -1;
    double first[2] = {0};
    if (!lapack_need(j, 0, LAPACK_getrf) || !lapack_need(j, 1, LAPACK_getri)) return false;
    ((Getri)j->fn[1])(&j->n, NULL, &j->n, NULL, first, &query, &info);
    j->lwork = lapack_length(j, first, j->n);
    factor_reserve(j, j->n, sizeof(int));
    factor_reserve(j, j->lwork, j->item);
    return true;
}

bool lapack_run_inverse(FactorJob *j, char *const *at) {
    char *room = j->room;
    int info = 0, *positions = factor_take(&room, j->n, sizeof(int));
    void *work = factor_take(&room, j->lwork, j->item);
    factor_rows(j, 0, at[0], at[1]);
    ((Getrf)j->fn[0])(&j->n, &j->n, at[1], &j->n, positions, &info);
    if (info > 0) return factor_failed(j, FAULT_SINGULAR, info);
    ((Getri)j->fn[1])(&j->n, at[1], &j->n, positions, work, &j->lwork, &info);
    return info <= 0 || factor_failed(j, FAULT_SINGULAR, info);
}

bool lapack_plan_det(FactorJob *j) {
    factor_reserve(j, (int64_t)j->n * j->n, j->item);
    factor_reserve(j, j->n, sizeof(int));
    return lapack_need(j, 0, LAPACK_getrf);
}

bool lapack_run_det(FactorJob *j, char *const *at) {
    char *room = j->room;
    void *a = factor_take(&room, (int64_t)j->n * j->n, j->item);
    int info = 0, *positions = factor_take(&room, j->n, sizeof(int));
    bool odd = false;
    factor_rows(j, 0, at[0], a);
    ((Getrf)j->fn[0])(&j->n, &j->n, a, &j->n, positions, &info);
    for (int i = 0; i < j->n; i++) odd ^= positions[i] != i + 1;
    if (j->w->kind == FACTOR_DET) factor_det(j, a, odd, at[1]);
    else factor_slogdet(j, a, odd, at[1], at[2]);
    return true;
}
