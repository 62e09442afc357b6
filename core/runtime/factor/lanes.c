/*
 * lanes.c -- small matrices of a batch side by side in the lanes of vectors. In: first addresses of as many matrices as
 * there are lanes, or of one in all of them (steps of 0). Out: their results, or false: then each runs alone, at last
 * not in lanes, which tells what is wrong with which. So a matrix has the same bits wherever it stands in a batch.
 * Room: the matrices, the right sides or results, a working vector a row, and copies of what is not dense.
 */
#include "own.h"

#include "move.h"

#include <string.h>

static bool has_sides(FactorKind k) { return k == FACTOR_SOLVE || k == FACTOR_TRIANGULAR || k == FACTOR_CHO_SOLVE; }

/* Vectors of the result beside the matrix. */
static int result_vectors(const FactorJob *j) {
    if (has_sides(j->w->kind)) return j->n * j->k;
    return j->w->kind == FACTOR_INVERSE ? j->n * j->n : 1;
}

bool lanes_plan(FactorJob *j) {
    const FactorWork *w = j->w;
    const DenseKernels *kern = dense_kernels(j);
    bool square = w->kind == FACTOR_CHOLESKY || w->kind == FACTOR_INVERSE || w->kind == FACTOR_DET;
    if (!kern->lanes || j->n > LANE_ROWS || (!square && !has_sides(w->kind)) || result_vectors(j) > LANE_NUMBERS)
        return false;
    if (w->kind == FACTOR_SOLVE && w->assume != FACTOR_GEN && w->assume != FACTOR_POS) return false;
    int64_t vectors = (int64_t)j->n * j->n + result_vectors(j) + j->n;
    factor_reserve(j, vectors * kern->lanes, j->item);
    factor_reserve(j, (int64_t)kern->lanes * (j->n * j->n > result_vectors(j) ? j->n * j->n : result_vectors(j)),
                   j->item);
    return true;
}

static bool dense(const FactorJob *j, const FactorOperand *o) {
    return (o->n[1] == 1 || o->ms[1] == j->item) && (o->n[0] == 1 || o->ms[0] == o->n[1] * j->item);
}

/* The matrices of operand i, lane by lane; `aside`: room for dense copies. */
static void gather(const FactorJob *j, int i, const char *at, int64_t step, void *to, char *aside) {
    const FactorOperand *o = &j->w->op[i];
    int64_t count = o->n[0] * o->n[1];
    int lanes = dense_kernels(j)->lanes;
    if (!dense(j, o)) {
        for (int l = 0; l < lanes; l++)
            factor_copy(j->d, aside + l * count * j->item, o->n[1] * j->item, j->item, at + l * step, o->ms[0],
                        o->ms[1], o->n[0], o->n[1]);
        at = aside, step = count * j->item;
    }
    dense_kernels(j)->lane_gather(to, at, step / j->item, (int)count);
}

static void scatter(const FactorJob *j, int i, const void *from, char *to, int64_t step) {
    const FactorOperand *o = &j->w->op[i];
    dense_kernels(j)->lane_scatter(to, step / j->item, from, (int)(o->n[0] * o->n[1]));
}

static bool triangular(const DenseKernels *kern, const FactorJob *j, const void *a, bool turned, void *b) {
    bool lower = j->w->lower != turned, unit = j->w->kind == FACTOR_TRIANGULAR && j->w->unit;
    return kern->lane_triangular(a, j->n, turned ? 1 : j->n, turned ? j->n : 1, lower, unit, b, j->k);
}

/* The matrix, or the other triangle of a real positive one, L L^T or U^T U. */
static bool positive(const DenseKernels *kern, const FactorJob *j, const void *a, void *b) {
    return triangular(kern, j, a, !j->w->lower, b) && triangular(kern, j, a, j->w->lower, b);
}

static bool compute(FactorJob *j, const DenseKernels *kern, void *a, void *b, void *work) {
    const FactorWork *w = j->w;
    int n = j->n, rs = w->lower ? n : 1, cs = w->lower ? 1 : n;
    bool turned = w->trans != FACTOR_N;
    switch (w->kind) {
    case FACTOR_CHOLESKY: return kern->lane_cholesky(a, n, rs, cs);
    case FACTOR_TRIANGULAR: return triangular(kern, j, a, turned, b);
    case FACTOR_CHO_SOLVE: return positive(kern, j, a, b);
    case FACTOR_SOLVE:
        if (w->assume == FACTOR_POS) return kern->lane_cholesky(a, n, rs, cs) && positive(kern, j, a, b);
        return kern->lane_solve(a, n, turned ? 1 : n, turned ? n : 1, b, j->k, work);
    case FACTOR_INVERSE: return kern->lane_invert(a, n, b, work);
    default: return kern->lane_det(a, n, b, work);
    }
}

/* The next group's memory: a group often fills a page, and the processor's own fetching ends there. */
static void fetch(const char *at, int64_t bytes, bool to_write) {
    enum { LINE = 64, MOST = 8192 };
    for (int64_t i = 0; i < bytes && i < MOST; i += LINE)
        if (to_write) __builtin_prefetch(at + i, 1);
        else __builtin_prefetch(at + i, 0);
}

bool lanes_run(FactorJob *j, char *const *at, const int64_t *step, bool more) {
    const DenseKernels *kern = dense_kernels(j);
    int lanes = kern->lanes, last = j->w->nin;
    char *room = j->room;
    int64_t size = (int64_t)j->n * j->n, vector = lanes * j->item;
    char *a = factor_take(&room, (size + result_vectors(j) + j->n) * lanes, j->item);
    char *b = a + size * vector, *work = b + result_vectors(j) * vector;
    gather(j, 0, at[0], step[0], a, room);
    for (int i = 0; more && i <= last; i++)
        if (step[i] > 0 && i != 1) fetch(at[i] + lanes * step[i], lanes * step[i], i == last);
    if (has_sides(j->w->kind)) gather(j, 1, at[1], step[1], b, room);
    if (!compute(j, kern, a, b, work)) return false;
    scatter(j, last, j->w->kind == FACTOR_CHOLESKY ? a : b, at[last], step[last]);
    return true;
}
