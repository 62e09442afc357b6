/*
 * grad_factor.c -- gradients of Cholesky, LUFactor and QR (letters: grads.h).
 */
#include "grads.h"
#include "ops/table/control.h"

/* ---- Cholesky: Murray 2016 (arXiv 1602.07527), (3.3) ------------------------------------------------------------- */
/* Below the diagonal, and half of it. */
static ThVar *lower_and_half(Builder *b, ThVar *x) {
    ThVar *half = const_float(b, 0.5, TH_FLOAT32), *d = elemwise_2(b, S_mul, diagonals_make(b, x), half);
    return sub_make(b, band_make(b, x, true, 0), diagonal_matrices_make(b, d));
}

/* S = L^-H Phi(L^H G) L^-1 is the gradient for all of A; of an upper factor L^H it is the same. */
void cholesky_grad(Grad *g) {
    Builder *b = g->b;
    bool lower = ATTRS(LinalgAttrs, g->node)->lower;
    ThVar *l = g->node->out[0], *gl = g->gz[0];
    const LinalgAttrs turned = {.lower = true, .trans = FACTOR_C, .nan = ATTRS(LinalgAttrs, g->node)->nan};
    if (!lower) l = adjoint_make(b, l), gl = adjoint_make(b, gl);
    ThVar *p = lower_and_half(b, matmul_make(b, adjoint_make(b, l), band_make(b, gl, true, 0)));
    ThVar *s = solve_triangular_make(b, l, p, &turned);
    s = adjoint_make(b, solve_triangular_make(b, l, adjoint_make(b, s), &turned));
    linalg_set(g, 0, half_make(b, s, lower, true));
}

/* ---- LU ---------------------------------------------------------------------------------------------------------- */
/*
 * P A = L U, of a square matrix: with M = tril(L^H G_L, -1) + triu(G_U U^H) the gradient for P A is L^-H M U^-H. A
 * factorization of the identity that has these exchanges of rows solves to P^T.
 */
void lu_grad(Grad *g) {
    Builder *b = g->b;
    ThVar *lu = g->node->out[0], *one = unit_make(b, lu);
    int64_t rows = var_length(lu, lu->type.ndim - 2), columns = var_length(lu, lu->type.ndim - 1);
    if (rows >= 0 && columns >= 0 && rows != columns) {
        err(b->ctx, TH_ValueError, "lu and lu_factor have gradients of square matrices alone, not of %lld x %lld",
            (long long)rows, (long long)columns);
        return;
    }
    const LinalgAttrs of_l = {.lower = true, .unit = true, .trans = FACTOR_C}, of_u = {.trans = FACTOR_N};
    ThVar *l = add_make(b, band_make(b, lu, true, -1), one), *u = band_make(b, lu, false, 0);
    ThVar *gl = band_make(b, g->gz[0], true, -1), *gu = band_make(b, g->gz[0], false, 0);
    ThVar *m = add_make(b, band_make(b, matmul_make(b, adjoint_make(b, l), gl), true, -1),
                        band_make(b, matmul_make(b, gu, adjoint_make(b, u)), false, 0));
    ThVar *s = solve_triangular_make(b, lu, m, &of_l);
    s = adjoint_make(b, solve_triangular_make(b, lu, adjoint_make(b, s), &of_u));
    linalg_set(g, 0, lu_solve_make(b, one, g->node->out[1], s, FACTOR_C, false));
}

/* ---- QR ---------------------------------------------------------------------------------------------------------- */
/* A = Q R with square R: (G_Q + Q T) R^-H, where T is Hermitian and triu(G_R R^H - G_Q^H Q) above its real diagonal. */
static ThVar *square_back(Builder *b, ThVar *q, ThVar *r, ThVar *gq, ThVar *gr) {
    const LinalgAttrs turned = {.lower = false, .trans = FACTOR_N};
    ThVar *m = gr ? matmul_make(b, gr, adjoint_make(b, r)) : NULL;
    if (gq) {
        ThVar *w = matmul_make(b, adjoint_make(b, q), gq);
        m = m ? sub_make(b, m, w) : neg_make(b, w);
    }
    ThVar *t = band_make(b, m, false, 0), *d = diagonals_make(b, t);
    t = add_make(b, t, adjoint_make(b, band_make(b, t, false, 1)));
    if (d && dtype_is_complex((ThDtype)d->type.dtype)) /* i Im of it goes */
        t = sub_make(b, t, diagonal_matrices_make(b, sub_make(b, d, elemwise_1(b, S_real, d))));
    ThVar *s = both_make(b, gq, matmul_make(b, q, t));
    return adjoint_make(b, solve_triangular_make(b, r, adjoint_make(b, s), &turned));
}

/* A = [A1 A2], as many columns in A1 as R has rows: Q R1 = A1, R2 = Q^H A2. */
static ThVar *wide_back(Builder *b, ThVar *a, ThVar *q, ThVar *r, ThVar *gq, ThVar *gr) {
    ThVar *p = shape_length_make(b, r, r->type.ndim - 2), *a2 = columns_make(b, a, p, NULL);
    ThVar *r1 = columns_make(b, r, NULL, p), *gr1 = NULL, *ga2 = NULL;
    if (gr) {
        ThVar *gr2 = columns_make(b, gr, p, NULL);
        gr1 = columns_make(b, gr, NULL, p);
        gq = both_make(b, gq, matmul_make(b, a2, adjoint_make(b, gr2)));
        ga2 = matmul_make(b, q, gr2);
    } else ga2 = a2 ? zeros_like_make(b, a2, (ThDtype)a2->type.dtype) : NULL;
    ThVar *ga1 = square_back(b, q, r1, gq, gr1), *axis = const_int(b, a->type.ndim - 1, TH_INT8);
    return ga1 && ga2 && axis ? join_make(b, axis, (ThVar *[]){ga1, ga2}, 2) : NULL;
}

void qr_grad(Grad *g) {
    Builder *b = g->b;
    ThVar *a = g->node->in[0], *q = g->node->out[0], *r = NULL, *gq = g->gz[0], *gr = NULL;
    int mode = ATTRS(LinalgAttrs, g->node)->mode, nd = a->type.ndim;
    int64_t m = var_length(a, nd - 2), n = var_length(a, nd - 1);
    if (mode == FACTOR_RAW) {
        g->gx[0] = grad_undefined(g, 0, "qr has no gradient with mode 'raw'");
        return;
    }
    if (mode == FACTOR_R) {
        ThApply *both = qr_make(b, a, FACTOR_REDUCED);
        if (!both) return;
        q = both->out[0], r = both->out[1], gr = gq, gq = NULL;
    } else r = g->node->out[1], gr = g->gz[1];
    if (mode == FACTOR_COMPLETE && !(m >= 0 && n >= 0 && m <= n)) {
        ThVar *rows = shape_length_make(b, a, nd - 2), *columns = shape_length_make(b, a, nd - 1);
        ThVar *fits = elemwise_2(b, S_le, rows, columns), *p = elemwise_2(b, S_minimum, rows, columns);
        const char *why = "qr has a gradient with mode 'complete' only where a matrix has at least as many columns as "
                          "rows: take 'reduced'";
        q = columns_make(b, q, NULL, p), r = rows_make(b, r, p);
        if (gq) gq = columns_make(b, gq, NULL, p);
        if (gr) gr = rows_make(b, gr, p);
        q = fits && q ? assert_make(b, q, &fits, 1, intern(b->ctx, why), TH_ValueError) : NULL;
    }
    bool tall = mode != FACTOR_COMPLETE && m >= 0 && n >= 0 && m >= n;
    linalg_set(g, 0, tall ? square_back(b, q, r, gq, gr) : wide_back(b, a, q, r, gq, gr));
}
