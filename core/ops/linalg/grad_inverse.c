/*
 * grad_inverse.c -- gradients of MatrixInverse, MatrixPinv, Det, SLogDet, Expm, Sqrtm, Logm (letters: grads.h).
 */
#include "grads.h"

/* dY = -Y dX Y */
void inverse_grad(Grad *g) {
    ThVar *yh = adjoint_make(g->b, g->node->out[0]);
    linalg_set(g, 0, neg_make(g->b, matmul_make(g->b, matmul_make(g->b, yh, g->gz[0]), yh)));
}

/* dY = -Y dA Y + Y Y^H dA^H (1 - A Y) + (1 - Y A) dA^H Y^H Y (Golub and Pereyra 1973) */
ThVar *pinv_back_make(Builder *b, ThVar *a, ThVar *y, ThVar *g) {
    ThVar *yh = adjoint_make(b, y), *gh = adjoint_make(b, g);
    ThVar *first = matmul_make(b, matmul_make(b, yh, g), yh);
    ThVar *left = sub_make(b, gh, matmul_make(b, a, matmul_make(b, y, gh)));
    ThVar *right = sub_make(b, gh, matmul_make(b, matmul_make(b, gh, y), a));
    ThVar *second = matmul_make(b, matmul_make(b, left, y), yh), *third = matmul_make(b, yh, matmul_make(b, y, right));
    return sub_make(b, add_make(b, second, third), first);
}

/* The Hermitian matrix that the lower triangle of a stands for. */
static ThVar *hermitian_of(Builder *b, ThVar *a) {
    ThVar *below = band_make(b, a, true, -1), *d = diagonals_make(b, a);
    if (d && dtype_is_complex((ThDtype)d->type.dtype)) d = elemwise_1(b, S_real, d);
    return d ? add_make(b, add_make(b, below, adjoint_make(b, below)), diagonal_matrices_make(b, d)) : NULL;
}

void pinv_grad(Grad *g) {
    bool hermitian = ATTRS(LinalgAttrs, g->node)->hermitian;
    ThVar *a = hermitian ? hermitian_of(g->b, g->node->in[0]) : g->node->in[0];
    ThVar *r = pinv_back_make(g->b, a, g->node->out[0], g->gz[0]);
    linalg_set(g, 0, hermitian ? half_make(g->b, r, true, true) : r);
}

/* v (..) beside matrices (.., n, n). */
static ThVar *over_matrices(Builder *b, ThVar *v) { return v ? with_axes_make(b, v, v->type.ndim, 2) : NULL; }

/* dY = Y tr(X^-1 dX) */
void det_grad(Grad *g) {
    Builder *b = g->b;
    ThVar *y = conj_make(b, g->node->out[0]), *inverse = matrix_inverse_make(b, g->node->in[0], false);
    ThVar *by = over_matrices(b, elemwise_2(b, S_mul, g->gz[0], y));
    linalg_set(g, 0, elemwise_2(b, S_mul, by, adjoint_make(b, inverse)));
}

/* d log|det| = Re tr(X^-1 dX); the sign s of a complex determinant turns: ds = i s Im tr(X^-1 dX) */
void slogdet_grad(Grad *g) {
    Builder *b = g->b;
    ThVar *x = g->node->in[0], *s = g->node->out[0], *by = g->gz[1];
    if (g->gz[0] && dtype_is_complex((ThDtype)s->type.dtype)) {
        ThVar *turn = elemwise_1(b, S_imag, elemwise_2(b, S_mul, conj_make(b, s), g->gz[0]));
        ThVar *i = cast_make(b, const_complex(b, (ThComplex128){0, 1}), (ThDtype)s->type.dtype);
        by = both_make(b, by, elemwise_2(b, S_mul, i, turn));
    }
    if (!by) {
        g->gx[0] = g->gz[0] ? zero_grad_make(b, x) : NULL;
        return;
    }
    ThVar *inverse = matrix_inverse_make(b, x, false);
    linalg_set(g, 0, elemwise_2(b, S_mul, over_matrices(b, by), adjoint_make(b, inverse)));
}

/*
 * f([X^H G; 0 X^H]) = [f(X)^H L; 0 f(X)^H], where L is the derivative of f at X^H in the direction G: what the adjoint
 * of f's derivative at X makes of G. It is f itself again, and so are derivatives of any order.
 */
void function_grad(Grad *g) {
    Builder *b = g->b;
    ThVar *xh = adjoint_make(b, g->node->in[0]), *gz = g->gz[0];
    if (!xh || !gz) return;
    int nd = xh->type.ndim;
    ThVar *zero = zeros_like_make(b, xh, (ThDtype)xh->type.dtype), *n = shape_length_make(b, xh, nd - 1);
    ThVar *across = const_int(b, nd - 1, TH_INT8), *down = const_int(b, nd - 2, TH_INT8);
    gz = cast_make(b, gz, (ThDtype)xh->type.dtype);
    if (!zero || !n || !across || !down || !gz) return;
    gz = elemwise_2(b, S_add, gz, zero);
    ThVar *top = join_make(b, across, (ThVar *[]){xh, gz}, 2), *low = join_make(b, across, (ThVar *[]){zero, xh}, 2);
    ThVar *whole = top && low ? join_make(b, down, (ThVar *[]){top, low}, 2) : NULL;
    ThVar *f = whole ? apply1(b, g->node->op, g->node->attrs, &whole, 1) : NULL;
    f = turned_make(b, columns_make(b, f, n, NULL));
    linalg_set(g, 0, turned_make(b, columns_make(b, f, NULL, n)));
}
