/*
 * grad_spectral.c -- gradients of SVD, Eig, Eigh and Eigvalsh (letters: grads.h).
 * Vectors of equal values are any basis of their space, and have no derivative: the terms between them are left out, so
 * that gradients stay finite, and are right wherever the cost does not depend on that basis.
 */
#include "grads.h"
#include "ops/table/control.h"

/* 1 / (v[j] - v[i]), and 0 where they are equal. */
static ThVar *gaps(Builder *b, ThVar *v) {
    if (!v) return NULL;
    int nd = v->type.ndim;
    return reciprocal_make(b, sub_make(b, with_axes_make(b, v, nd - 1, 1), with_axes_make(b, v, nd, 1)));
}

static ThVar *times(Builder *b, ThVar *x, ThVar *y) { return elemwise_2(b, S_mul, x, y); }

/* ---- Eigh -------------------------------------------------------------------------------------------------------- */
/* V (diag(gw) + V^H gV / (w[j] - w[i])) V^H, as a gradient for the triangle that is read */
static ThVar *hermitian_back(Builder *b, ThVar *w, ThVar *v, ThVar *gw, ThVar *gv, bool lower) {
    ThVar *vh = adjoint_make(b, v), *inner = NULL, *r = NULL;
    if (gv) inner = matmul_make(b, times(b, matmul_make(b, vh, gv), gaps(b, w)), vh);
    if (gw) inner = both_make(b, inner, rows_by_make(b, vh, gw));
    r = inner ? matmul_make(b, v, inner) : NULL;
    return half_make(b, r, lower, true);
}

void eigh_grad(Grad *g) {
    const LinalgAttrs *at = ATTRS(LinalgAttrs, g->node);
    ThVar *x = g->node->in[0];
    ThApply *both = at->vectors ? g->node : eigh_make(g->b, x, at->lower, true);
    if (!both) return;
    ThVar *gv = at->vectors ? g->gz[1] : NULL;
    linalg_set(g, 0, hermitian_back(g->b, both->out[0], both->out[1], g->gz[0], gv, at->lower));
}

/* A v = w B v with v^H B v = 1: dw = v^H (dA - w dB) v. v is L^-H y where B = L L^H and L^-1 A L^-H y = w y. */
void eigvalsh_grad(Grad *g) {
    Builder *b = g->b;
    bool lower = ATTRS(LinalgAttrs, g->node)->lower;
    const LinalgAttrs plain = {.lower = true, .trans = FACTOR_N}, turned = {.lower = true, .trans = FACTOR_C};
    ThVar *a = g->node->in[0], *l = cholesky_make(b, g->node->in[1], lower, false), *w = g->node->out[0];
    if (!lower) l = adjoint_make(b, l);
    ThVar *whole = band_make(b, a, lower, 0); /* A from the triangle that is read */
    whole = add_make(b, whole, adjoint_make(b, band_make(b, a, lower, lower ? -1 : 1)));
    ThVar *c = solve_triangular_make(b, l, whole, &plain);
    c = solve_triangular_make(b, l, adjoint_make(b, c), &plain);
    ThApply *e = c ? eigh_make(b, c, true, true) : NULL;
    ThVar *v = e ? solve_triangular_make(b, l, e->out[1], &turned) : NULL, *vh = adjoint_make(b, v);
    ThVar *ga = half_make(b, matmul_make(b, columns_by_make(b, v, g->gz[0]), vh), lower, true);
    ThVar *gb = matmul_make(b, columns_by_make(b, v, times(b, g->gz[0], w)), vh);
    linalg_set(g, 0, ga);
    linalg_set(g, 1, neg_make(b, half_make(b, gb, lower, true)));
}

/* ---- Eig --------------------------------------------------------------------------------------------------------- */
/* V^-H (diag(gw) + (V^H gV - V^H V diag(Re(V^H gV))) / conj(w[j] - w[i])) V^H: vectors have length 1 */
void eig_grad(Grad *g) {
    Builder *b = g->b;
    const LinalgAttrs *at = ATTRS(LinalgAttrs, g->node);
    ThVar *gw = g->gz[0], *gv = at->vectors ? g->gz[1] : NULL, *inner = NULL;
    ThApply *both = at->vectors ? g->node : eig_make(b, g->node->in[0], at->complex, true);
    if (!both) return;
    ThVar *w = both->out[0], *v = both->out[1], *vh = adjoint_make(b, v);
    if (gv) {
        ThVar *m = matmul_make(b, vh, gv), *d = diagonals_make(b, m);
        if (d && dtype_is_complex((ThDtype)d->type.dtype)) d = elemwise_1(b, S_real, d);
        ThVar *length = columns_by_make(b, matmul_make(b, vh, v), d);
        inner = times(b, sub_make(b, m, length), gaps(b, conj_make(b, w)));
    }
    if (gw) inner = both_make(b, inner, diagonal_matrices_make(b, gw));
    inner = inner ? matmul_make(b, inner, vh) : NULL;
    linalg_set(g, 0, inner ? solve_make(b, vh, inner, &(LinalgAttrs){0}) : NULL);
}

/* ---- SVD --------------------------------------------------------------------------------------------------------- */
static ThVar *skew(Builder *b, ThVar *x) { return x ? sub_make(b, x, adjoint_make(b, x)) : NULL; }

/* i Im of the diagonal of what turns u and v against each other, over s */
static ThVar *phases(Builder *b, ThVar *m, ThVar *n, ThVar *one_over_s) {
    ThVar *half = const_float(b, 0.5, TH_FLOAT32), *d = NULL;
    if (m) d = skew(b, m);
    if (n) d = d ? sub_make(b, d, skew(b, n)) : neg_make(b, skew(b, n));
    ThVar *by = both_make(b, m, n);
    if (m && n) half = const_float(b, 0.25, TH_FLOAT32);
    d = by ? times(b, times(b, diagonals_make(b, d), half), one_over_s) : NULL;
    return diagonal_matrices_make(b, d);
}

typedef struct Svd {
    ThVar *u, *s, *vh, *gu, *gs, *gvh;
} Svd;

static ThVar *svd_back(Builder *b, const Svd *x) {
    ThVar *uh = adjoint_make(b, x->u), *v = adjoint_make(b, x->vh), *over = reciprocal_make(b, x->s), *inner = NULL;
    ThVar *f = x->gu || x->gvh ? gaps(b, times(b, x->s, x->s)) : NULL, *m = NULL, *n = NULL;
    if (x->gu) {
        m = matmul_make(b, uh, x->gu);
        inner = columns_by_make(b, times(b, skew(b, m), f), x->s);
    }
    if (x->gvh) {
        n = matmul_make(b, x->vh, adjoint_make(b, x->gvh));
        inner = both_make(b, inner, rows_by_make(b, times(b, skew(b, n), f), x->s));
    }
    if (x->gs) inner = both_make(b, inner, diagonal_matrices_make(b, x->gs));
    if ((m || n) && dtype_is_complex((ThDtype)x->u->type.dtype)) inner = both_make(b, inner, phases(b, m, n, over));
    ThVar *r = matmul_make(b, x->u, inner);
    if (x->gu) /* what leaves the columns of u */
        r = add_make(b, r, columns_by_make(b, sub_make(b, x->gu, matmul_make(b, x->u, m)), over));
    r = matmul_make(b, r, x->vh);
    if (x->gvh) {
        ThVar *out = sub_make(b, x->gvh, matmul_make(b, matmul_make(b, x->gvh, v), x->vh));
        r = add_make(b, r, matmul_make(b, x->u, rows_by_make(b, out, over)));
    }
    return r;
}

void svd_grad(Grad *g) {
    Builder *b = g->b;
    const LinalgAttrs *at = ATTRS(LinalgAttrs, g->node);
    ThVar *a = g->node->in[0];
    int nd = a->type.ndim;
    int64_t m = var_length(a, nd - 2), n = var_length(a, nd - 1);
    bool whole = at->vectors && (!at->full || (!g->gz[0] && !g->gz[2]));
    ThApply *node = at->vectors && !at->full ? g->node : svd_make(b, a, false, true);
    if (!node) return;
    Svd x = {node->out[0], node->out[1], node->out[2], NULL, at->vectors ? g->gz[1] : g->gz[0], NULL};
    if (at->vectors) x.gu = g->gz[0], x.gvh = g->gz[2];
    if (!whole && at->vectors && !(m >= 0 && m == n)) {
        ThVar *rows = shape_length_make(b, a, nd - 2), *columns = shape_length_make(b, a, nd - 1);
        ThVar *fits = elemwise_2(b, S_eq, rows, columns), *p = elemwise_2(b, S_minimum, rows, columns);
        const char *why = "svd has a gradient for vectors of matrices that are not square only with full_matrices = "
                          "false";
        x.s = fits ? assert_make(b, x.s, &fits, 1, intern(b->ctx, why), TH_ValueError) : NULL;
        if (x.gu) x.gu = columns_make(b, x.gu, NULL, p);
        if (x.gvh) x.gvh = rows_make(b, x.gvh, p);
    }
    linalg_set(g, 0, svd_back(b, &x));
}
