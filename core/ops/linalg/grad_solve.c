/*
 * grad_solve.c -- gradients of Solve, SolveTriangular, CholeskySolve, LUSolve, lstsq (letters: grads.h).
 * For op(A) Z = B the gradient for B solves op(A)^H W = G, and that for op(A) is -W Z^H: the same matrix again, so that
 * rewrites can factor it once for both.
 */
#include "grads.h"

typedef ThVar *(*Solver)(Grad *g, ThVar *y, int trans);

/* A turned and conjugated where it was not, itself where it was; of complex A^T it is conj(A). */
static ThVar *adjoint_solution(Grad *g, Solver solve) {
    int trans = ATTRS(LinalgAttrs, g->node)->trans;
    bool complex = dtype_is_complex((ThDtype)g->node->in[0]->type.dtype);
    if (complex && trans == FACTOR_T) return conj_make(g->b, solve(g, conj_make(g->b, g->gz[0]), FACTOR_N));
    return solve(g, g->gz[0], trans != FACTOR_N ? FACTOR_N : complex ? FACTOR_C : FACTOR_T);
}

/* -W Z^H as a gradient for A. */
static ThVar *outer(Grad *g, ThVar *w) {
    Builder *b = g->b;
    int trans = ATTRS(LinalgAttrs, g->node)->trans;
    ThVar *r = neg_make(b, matmul_make(b, w, adjoint_make(b, g->node->out[0])));
    return trans == FACTOR_T ? turned_make(b, r) : trans == FACTOR_C ? adjoint_make(b, r) : r;
}

/* ---- Solve, SolveTriangular -------------------------------------------------------------------------------------- */
static ThVar *solve_again(Grad *g, ThVar *y, int trans) {
    LinalgAttrs at = *ATTRS(LinalgAttrs, g->node);
    at.trans = (int8_t)trans;
    if (g->node->op == &op_solve) return solve_make(g->b, g->node->in[0], y, &at);
    return solve_triangular_make(g->b, g->node->in[0], y, &at);
}

void solve_grad(Grad *g) {
    const LinalgAttrs *at = ATTRS(LinalgAttrs, g->node);
    ThVar *w = adjoint_solution(g, solve_again);
    if (g->wanted[1]) linalg_set(g, 1, w);
    if (!g->wanted[0]) return;
    ThVar *r = outer(g, w);
    if (at->assume != FACTOR_GEN) r = half_make(g->b, r, at->lower, at->assume != FACTOR_SYM);
    linalg_set(g, 0, r);
}

void triangular_grad(Grad *g) {
    const LinalgAttrs *at = ATTRS(LinalgAttrs, g->node);
    ThVar *w = adjoint_solution(g, solve_again);
    int k = !at->unit ? 0 : at->lower ? -1 : 1; /* a diagonal of ones is not read */
    if (g->wanted[1]) linalg_set(g, 1, w);
    if (g->wanted[0]) linalg_set(g, 0, band_make(g->b, outer(g, w), at->lower, k));
}

/* ---- CholeskySolve, LUSolve -------------------------------------------------------------------------------------- */
/*
 * M = L L^H, so that the gradient S for M is (S + S^H) L for L; of an upper factor U, M = U^H U, it is U (S + S^H).
 * What stands in the other triangle, as LAPACK leaves it, is no part of the factor.
 */
void cholesky_solve_grad(Grad *g) {
    Builder *b = g->b;
    bool lower = ATTRS(LinalgAttrs, g->node)->lower;
    ThVar *l = g->node->in[0], *z = g->node->out[0], *w = cholesky_solve_make(b, l, g->gz[0], lower), *r;
    if (g->wanted[1]) linalg_set(g, 1, w);
    if (!g->wanted[0]) return;
    ThVar *wh = adjoint_make(b, w), *zh = adjoint_make(b, z);
    if (!l->owner || l->owner->op != &op_cholesky) l = band_make(b, l, lower, 0);
    if (lower) r = add_make(b, matmul_make(b, w, matmul_make(b, zh, l)), matmul_make(b, z, matmul_make(b, wh, l)));
    else r = add_make(b, matmul_make(b, matmul_make(b, l, w), zh), matmul_make(b, matmul_make(b, l, z), wh));
    linalg_set(g, 0, neg_make(b, band_make(b, r, lower, 0)));
}

static ThVar *lu_again(Grad *g, ThVar *y, int trans) {
    return lu_solve_make(g->b, g->node->in[0], g->node->in[1], y, trans, ATTRS(LinalgAttrs, g->node)->nan);
}

/* A = P^T L U: the gradient S for A is P S U^H for L, below its diagonal of ones, and L^H P S for U. */
void lu_solve_grad(Grad *g) {
    Builder *b = g->b;
    ThVar *lu = g->node->in[0], *w = adjoint_solution(g, lu_again);
    g->gx[1] = NULL;
    if (g->wanted[2]) linalg_set(g, 2, w);
    if (!g->wanted[0]) return;
    ThVar *one = unit_make(b, lu);
    ThVar *s = lu_solve_make(b, one, g->node->in[1], outer(g, w), FACTOR_N, false); /* P S */
    ThVar *l = add_make(b, band_make(b, lu, true, -1), one), *u = band_make(b, lu, false, 0);
    ThVar *gl = band_make(b, matmul_make(b, s, adjoint_make(b, u)), true, -1);
    ThVar *gu = band_make(b, matmul_make(b, adjoint_make(b, l), s), false, 0);
    linalg_set(g, 0, add_make(b, gl, gu));
}

/* ---- lstsq ------------------------------------------------------------------------------------------------------- */
/* What is left, r = y - x z, sums its squares to |r|^2 where the rank is full: dr is -2 Re <r, dx z> + 2 Re <r, dy>. */
static void residual_grad(Grad *g, ThVar *gr, ThVar **gx, ThVar **gy) {
    Builder *b = g->b;
    ThVar *x = g->node->in[0], *z = g->node->out[0], *rank = g->node->out[2];
    ThVar *full = elemwise_2(b, S_eq, rank, shape_length_make(b, x, x->type.ndim - 1));
    full = full ? with_axes_make(b, full, full->type.ndim, 1) : NULL;
    ThVar *two = elemwise_2(b, S_mul, gr, const_int(b, 2, TH_INT8));
    ThVar *left = sub_make(b, g->node->in[1], matmul_make(b, x, z));
    ThVar *r = columns_by_make(b, left, elemwise_3(b, S_switch, full, two, const_int(b, 0, TH_INT8)));
    *gy = both_make(b, *gy, r);
    *gx = both_make(b, *gx, neg_make(b, matmul_make(b, r, adjoint_make(b, z))));
}

void lstsq_grad(Grad *g) {
    Builder *b = g->b;
    ThVar *x = g->node->in[0], *y = g->node->in[1], *rc = g->node->in[2], *gx = NULL, *gy = NULL;
    double rcond = -1;
    if (!const_all_equal(rc, &rcond)) rcond = -1;
    g->gx[2] = NULL;
    if (g->gz[0]) { /* z = x+ y */
        ThVar *p = pinv_make(b, x, rcond, false);
        gy = matmul_make(b, adjoint_make(b, p), g->gz[0]);
        gx = pinv_back_make(b, x, p, matmul_make(b, g->gz[0], adjoint_make(b, y)));
    }
    if (g->gz[1]) residual_grad(g, g->gz[1], &gx, &gy);
    if (g->gz[3]) {
        ThApply *s = svd_make(b, x, false, true);
        gx = both_make(b, gx, s ? matmul_make(b, columns_by_make(b, s->out[0], g->gz[3]), s->out[2]) : NULL);
    }
    if (gx) linalg_set(g, 0, gx);
    if (gy) linalg_set(g, 1, gy);
}
