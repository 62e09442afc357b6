/*
 * own.c -- Cholesky, LU and what is solved with them, without a library. In: matrices in rows. Out: results in rows.
 * Always holds: blocks depend on lengths alone; a product forms most of each large result.
 */
#include "own.h"

#include "move.h"
#include "runtime/gemm/gemm.h"
#include "scalar.h"

#include <string.h>

enum { BLOCK = 48, WHOLE = 96, STRIPE = 192 }; /* up to WHOLE by one kernel */

/* ---- products ---------------------------------------------------------------------------------------------------- */
static int least(int a, int b) { return a < b ? a : b; }

static char *cell(const FactorJob *j, const void *a, int64_t ld, int64_t row, int64_t col) {
    return (char *)a + (row * ld + col) * j->item;
}

/* c -= op(a) b on rows: a is m x k (turned: k x m as it lies), b k x n. */
typedef struct Product {
    int m, n, k;
    const void *a;
    int64_t lda;
    bool turned;
    const void *b;
    int64_t ldb;
    void *c;
    int64_t ldc;
} Product;

static GemmArgs gemm_of(const FactorJob *j, const Product *p) {
    return (GemmArgs){.early = j->early,
                      .dtype = j->w->dtype,
                      .m = p->m,
                      .n = p->n,
                      .k = p->k,
                      .a = p->a,
                      .ars = p->turned ? 1 : p->lda,
                      .acs = p->turned ? p->lda : 1,
                      .b = p->b,
                      .brs = p->ldb,
                      .bcs = 1,
                      .c = p->c,
                      .crs = p->ldc,
                      .ccs = 1,
                      .alpha = -1,
                      .beta = 1};
}

/* A factor conjugated by blocks (where numbers are complex) stands before the room of the product. */
static size_t factor_bytes(const FactorJob *j, int n) {
    return factor_is_complex(j) ? factor_round((size_t)n * BLOCK * (size_t)j->item) : 0;
}

void own_plan_products(FactorJob *j, int n, int k) {
    if (n <= WHOLE) return;
    size_t most = 0;
    int wide = n > k ? n : k;
    for (int turned = 0; turned < 2; turned++) {
        Product p = {n, wide, BLOCK, NULL, n, turned, NULL, wide, NULL, wide};
        GemmArgs g = gemm_of(j, &p);
        size_t bytes = gemm_scratch_bytes(&g);
        if (bytes > most) most = bytes;
        p.m = STRIPE, g = gemm_of(j, &p), bytes = gemm_scratch_bytes(&g);
        if (bytes > most) most = bytes;
    }
    j->bytes += 2 * factor_round(most) + factor_bytes(j, wide);
}

static void subtract(FactorJob *j, const Product *p, char *work) {
    GemmArgs g = gemm_of(j, p);
    if (p->m > 0 && p->n > 0) gemm_run(j->ctx, &g, work);
}

/* k rows of m, turned and conjugated for a product: where they lie, or at `work`. */
static const void *adjoint(FactorJob *j, const void *a, int64_t *ld, int rows, int cols, char *work) {
    if (!factor_is_complex(j)) return a;
    factor_copy(j->d, work, cols * j->item, j->item, a, *ld * j->item, j->item, rows, cols);
    factor_conjugate(j->d, work, (int64_t)rows * cols);
    *ld = cols;
    return work;
}

/* ---- by blocks --------------------------------------------------------------------------------------------------- */
/* A = U^H U */
static int blocks_cholesky(FactorJob *j, void *a, int n, char *work) {
    const DenseKernels *kern = dense_kernels(j);
    for (int k = 0; k < n && !factor_stopped(j); k += BLOCK) {
        int size = least(BLOCK, n - k), next = k + size, rest = n - next;
        int bad = kern->cholesky(cell(j, a, n, k, k), size, n, false);
        if (bad) return k + bad;
        char *row = cell(j, a, n, k, next);
        kern->triangular(cell(j, a, n, k, k), size, n, false, FACTOR_C, false, row, rest, n);
        int64_t ld = n;
        const char *left = adjoint(j, row, &ld, size, rest, work);
        for (int i = 0; i < rest; i += STRIPE) {
            Product p = {
                least(STRIPE, rest - i),           rest - i, size, left + i * j->item, ld, true, row + i * j->item, n,
                cell(j, a, n, next + i, next + i), n};
            subtract(j, &p, work + factor_bytes(j, n));
        }
    }
    return 0;
}

int own_cholesky(FactorJob *j, void *a, int n, bool lower, void *work) {
    if (n <= WHOLE) return dense_kernels(j)->cholesky(a, n, n, lower);
    if (lower) factor_turn_square(j->d, a, n, true);
    int bad = blocks_cholesky(j, a, n, work);
    for (int64_t i = 1; i < n; i++) memset(cell(j, a, n, i, 0), 0, (size_t)(i * j->item)); /* stripes are whole there */
    if (lower) factor_turn_square(j->d, a, n, true);
    return bad;
}

int own_lu(FactorJob *j, void *a, int m, int n, int *at, void *work) {
    const DenseKernels *kern = dense_kernels(j);
    int small = least(m, n), bad = 0;
    if (small <= WHOLE) return kern->lu(a, m, n, n, at);
    for (int k = 0; k < small && !factor_stopped(j); k += BLOCK) {
        int size = least(BLOCK, small - k), next = k + size;
        int wrong = kern->lu(cell(j, a, n, k, k), m - k, size, n, at + k);
        if (wrong && !bad) bad = k + wrong;
        for (int i = k; i < next; i++) {
            at[i] += k;
            if (at[i] == i) continue;
            factor_swap(cell(j, a, n, i, 0), cell(j, a, n, at[i], 0), k * j->item);
            factor_swap(cell(j, a, n, i, next), cell(j, a, n, at[i], next), (n - next) * j->item);
        }
        char *row = cell(j, a, n, k, next);
        kern->triangular(cell(j, a, n, k, k), size, n, true, FACTOR_N, true, row, n - next, n);
        Product p = {m - next, n - next, size, cell(j, a, n, next, k), n, false, row, n, cell(j, a, n, next, next), n};
        subtract(j, &p, work);
    }
    return bad;
}

void own_triangular(FactorJob *j, const void *a, int n, bool lower, int trans, bool unit, void *b, int k, void *work) {
    const DenseKernels *kern = dense_kernels(j);
    if (n <= WHOLE || k == 1) {
        kern->triangular(a, n, n, lower, trans, unit, b, k, k);
        return;
    }
    bool down = lower == (trans == FACTOR_N);
    int blocks = (n + BLOCK - 1) / BLOCK;
    for (int s = 0; s < blocks && !factor_stopped(j); s++) {
        int i = BLOCK * (down ? s : blocks - 1 - s), size = least(BLOCK, n - i), next = i + size;
        int first = down ? next : 0, rest = down ? n - next : i;
        kern->triangular(cell(j, a, n, i, i), size, n, lower, trans, unit, cell(j, b, k, i, 0), k, k);
        const void *left = trans == FACTOR_N ? cell(j, a, n, first, i) : cell(j, a, n, i, first);
        int64_t ld = n;
        if (trans == FACTOR_C) left = adjoint(j, left, &ld, size, rest, work);
        Product p = {rest, k, size, left, ld, trans != FACTOR_N, cell(j, b, k, i, 0), k, cell(j, b, k, first, 0), k};
        subtract(j, &p, (char *)work + factor_bytes(j, n > k ? n : k));
    }
}

/* ---- routines ---------------------------------------------------------------------------------------------------- */
/* Every plan: the matrix, positions of its rows, the room of products. */
static bool plan_square(FactorJob *j) {
    factor_reserve(j, (int64_t)j->m * j->n, j->item);
    factor_reserve(j, j->n, sizeof(int));
    own_plan_products(j, j->large, j->w->kind == FACTOR_INVERSE ? j->n : j->k);
    return true;
}

typedef struct Parts {
    void *a;
    int *at;
    char *work;
} Parts;

static Parts parts(FactorJob *j) {
    char *room = j->room;
    Parts p = {.a = factor_take(&room, (int64_t)j->m * j->n, j->item)};
    p.at = factor_take(&room, j->n, sizeof(int));
    p.work = room;
    return p;
}

static bool run_cholesky(FactorJob *j, char *const *at) {
    factor_triangle(j, 0, at[0], at[1]);
    int bad = own_cholesky(j, at[1], j->n, j->w->lower, parts(j).work);
    return !bad || factor_failed(j, FAULT_NOT_POSITIVE, bad);
}

static bool run_lu(FactorJob *j, char *const *at) {
    factor_rows(j, 0, at[0], at[1]);
    own_lu(j, at[1], j->m, j->n, (int *)(void *)at[2], parts(j).work);
    return true;
}

/* op(A) X = B with P A = L U. */
static void solve_factored(FactorJob *j, const void *lu, const int *at, int trans, void *b, int k, char *work) {
    if (trans == FACTOR_N) {
        factor_swap_rows(j, b, k, at, j->n, 0, false);
        own_triangular(j, lu, j->n, true, trans, true, b, k, work);
        own_triangular(j, lu, j->n, false, trans, false, b, k, work);
    } else {
        own_triangular(j, lu, j->n, false, trans, false, b, k, work);
        own_triangular(j, lu, j->n, true, trans, true, b, k, work);
        factor_swap_rows(j, b, k, at, j->n, 0, true);
    }
}

static bool run_lu_solve(FactorJob *j, char *const *at) {
    Parts p = parts(j);
    factor_rows(j, 0, at[0], p.a);
    factor_rows(j, 2, at[2], at[3]);
    if (!factor_positions(j, 1, at[1], p.at) || !factor_diagonal(j, p.a, j->n)) return false;
    solve_factored(j, p.a, p.at, j->w->trans, at[3], j->k, p.work);
    return true;
}

static bool run_triangular(FactorJob *j, char *const *at) {
    const FactorWork *w = j->w;
    Parts p = parts(j);
    factor_rows(j, 0, at[0], p.a);
    factor_rows(j, 1, at[1], at[2]);
    if (!w->unit && !factor_diagonal(j, p.a, j->n)) return false;
    own_triangular(j, p.a, j->n, w->lower, w->trans, w->unit, at[2], j->k, p.work);
    return true;
}

static void solve_positive(FactorJob *j, const void *a, void *b, char *work) {
    bool lower = j->w->lower;
    own_triangular(j, a, j->n, lower, lower ? FACTOR_N : FACTOR_C, false, b, j->k, work);
    own_triangular(j, a, j->n, lower, lower ? FACTOR_C : FACTOR_N, false, b, j->k, work);
}

static bool run_cho_solve(FactorJob *j, char *const *at) {
    Parts p = parts(j);
    factor_rows(j, 0, at[0], p.a);
    factor_rows(j, 1, at[1], at[2]);
    if (!factor_diagonal(j, p.a, j->n)) return false;
    solve_positive(j, p.a, at[2], p.work);
    return true;
}

static bool run_positive(FactorJob *j, char *const *at) {
    Parts p = parts(j);
    bool turn = j->w->trans == FACTOR_T; /* A^T is the conjugate of A */
    factor_triangle(j, 0, at[0], p.a);
    int bad = own_cholesky(j, p.a, j->n, j->w->lower, p.work);
    if (bad) return factor_failed(j, FAULT_NOT_POSITIVE, bad);
    if (turn) factor_conjugate(j->d, at[2], (int64_t)j->n * j->k);
    solve_positive(j, p.a, at[2], p.work);
    if (turn) factor_conjugate(j->d, at[2], (int64_t)j->n * j->k);
    return true;
}

static bool run_solve(FactorJob *j, char *const *at) {
    const FactorWork *w = j->w;
    Parts p = parts(j);
    factor_rows(j, 1, at[1], at[2]);
    if (w->assume == FACTOR_POS) return run_positive(j, at);
    factor_rows(j, 0, at[0], p.a);
    if (w->assume != FACTOR_GEN) factor_mirror(j, p.a, w->lower, w->assume == FACTOR_SYM);
    int bad = own_lu(j, p.a, j->n, j->n, p.at, p.work);
    if (bad) return factor_failed(j, FAULT_SINGULAR, bad);
    solve_factored(j, p.a, p.at, w->trans, at[2], j->k, p.work);
    return true;
}

static bool run_inverse(FactorJob *j, char *const *at) {
    Parts p = parts(j);
    factor_rows(j, 0, at[0], p.a);
    int bad = own_lu(j, p.a, j->n, j->n, p.at, p.work);
    if (bad) return factor_failed(j, FAULT_SINGULAR, bad);
    factor_eye(j->d, at[1], j->n);
    solve_factored(j, p.a, p.at, FACTOR_N, at[1], j->n, p.work);
    return true;
}

static bool run_det(FactorJob *j, char *const *at) {
    Parts p = parts(j);
    bool odd = false;
    factor_rows(j, 0, at[0], p.a);
    own_lu(j, p.a, j->n, j->n, p.at, p.work);
    for (int i = 0; i < j->n; i++) odd ^= p.at[i] != i;
    if (j->w->kind == FACTOR_DET) factor_det(j, p.a, odd, at[1]);
    else factor_slogdet(j, p.a, odd, at[1], at[2]);
    return true;
}

const FactorRoutine factor_own[FACTOR_KINDS] = {
    [FACTOR_CHOLESKY] = {plan_square, run_cholesky},   [FACTOR_LU] = {plan_square, run_lu},
    [FACTOR_LU_SOLVE] = {plan_square, run_lu_solve},   [FACTOR_TRIANGULAR] = {plan_square, run_triangular},
    [FACTOR_CHO_SOLVE] = {plan_square, run_cho_solve}, [FACTOR_SOLVE] = {plan_square, run_solve},
    [FACTOR_INVERSE] = {plan_square, run_inverse},     [FACTOR_DET] = {plan_square, run_det},
    [FACTOR_SLOGDET] = {plan_square, run_det},         [FACTOR_QR] = {own_plan_qr, own_run_qr},
    [FACTOR_SVD] = {own_plan_svd, own_run_svd},        [FACTOR_EIG] = {own_plan_eig, own_run_eig},
    [FACTOR_EIGH] = {own_plan_eigh, own_run_eigh},     [FACTOR_EIGH_OF] = {own_plan_eigh_of, own_run_eigh_of},
    [FACTOR_LSTSQ] = {own_plan_lstsq, own_run_lstsq},
};
