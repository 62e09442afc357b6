/*
 * pieces.c -- what gradients of linear algebra are put together from: triangles, scaled rows and columns, safe
 * reciprocals.
 */
#include "grads.h"
#include "ops/table/index.h"

static ThVar *line(Builder *b, ThVar *x, int d, bool column) {
    static const int8_t down[2] = {0, -1}, across[2] = {-1, 0};
    ThVar *n = shape_length_make(b, x, d), *zero = const_int(b, 0, TH_INT64), *one = const_int(b, 1, TH_INT64);
    ThVar *v = n && zero && one ? arange_make(b, zero, n, one, TH_INT64) : NULL;
    return v ? dimshuffle_make(b, v, column ? down : across, 2) : NULL;
}

ThVar *band_make(Builder *b, ThVar *x, bool lower, int k) {
    if (!x) return NULL;
    int nd = x->type.ndim;
    ThVar *i = line(b, x, nd - 2, true), *j = line(b, x, nd - 1, false);
    if (k) i = elemwise_2(b, S_add, i, const_int(b, k, TH_INT64));
    ThVar *mask = elemwise_2(b, lower ? S_ge : S_le, i, j), *zero = const_int(b, 0, TH_INT8);
    ThVar *r = elemwise_3(b, S_switch, mask, x, zero);
    return patternbroadcast_make(b, r, x->type.broadcastable);
}

ThVar *half_make(Builder *b, ThVar *g, bool lower, bool hermitian) {
    if (!g) return NULL;
    ThVar *turned = hermitian ? adjoint_make(b, g) : turned_make(b, g), *d = diagonals_make(b, g);
    if (hermitian && d && dtype_is_complex((ThDtype)d->type.dtype)) d = elemwise_1(b, S_real, d);
    ThVar *both = band_make(b, add_make(b, g, turned), lower, 0);
    return d && both ? sub_make(b, both, diagonal_matrices_make(b, d)) : NULL;
}

ThVar *rows_by_make(Builder *b, ThVar *x, ThVar *v) {
    return x && v ? elemwise_2(b, S_mul, with_axes_make(b, v, v->type.ndim, 1), x) : NULL;
}

ThVar *columns_by_make(Builder *b, ThVar *x, ThVar *v) {
    return x && v ? elemwise_2(b, S_mul, x, with_axes_make(b, v, v->type.ndim - 1, 1)) : NULL;
}

ThVar *columns_make(Builder *b, ThVar *x, ThVar *from, ThVar *to) {
    if (!x) return NULL;
    int d = x->type.ndim - 1, n = 0;
    AttrIdx idx = {.n = (int8_t)(d + 1)};
    ThVar *in[2];
    for (int i = 0; i <= d; i++) idx.at[i].kind = 's';
    if (from) idx.at[d].has |= 1, idx.at[d].dtype[0] = TH_INT64, in[n++] = index_make(b, from);
    if (to) idx.at[d].has |= 2, idx.at[d].dtype[1] = TH_INT64, in[n++] = index_make(b, to);
    for (int i = 0; i < n; i++)
        if (!in[i]) return NULL;
    return subtensor_make(b, x, &idx, in, n);
}

ThVar *rows_make(Builder *b, ThVar *x, ThVar *to) {
    return turned_make(b, columns_make(b, turned_make(b, x), NULL, to));
}

ThVar *unit_make(Builder *b, ThVar *x) {
    if (!x) return NULL;
    ThVar *n = shape_length_make(b, x, x->type.ndim - 2), *zero = const_int(b, 0, TH_INT64);
    return n && zero ? apply1(b, &op_eye, &(DtypeAttrs){x->type.dtype}, (ThVar *[]){n, n, zero}, 3) : NULL;
}

/* No infinity anywhere, so that derivatives of it are zero there too, and not NaN. */
ThVar *reciprocal_make(Builder *b, ThVar *x) {
    ThVar *zero = const_int(b, 0, TH_INT8), *is = x ? elemwise_2(b, S_eq, x, zero) : NULL;
    ThVar *one = const_int(b, 1, TH_INT8), *safe = elemwise_3(b, S_switch, is, one, x);
    ThVar *r = safe ? elemwise_2(b, S_true_div, one, safe) : NULL;
    return elemwise_3(b, S_switch, is, zero, r);
}

void linalg_set(Grad *g, int i, ThVar *v) {
    ThVar *x = g->node->in[i];
    v = real_make(g->b, v, x);
    v = v ? unbroadcast_make(g->b, v, x) : NULL;
    g->gx[i] = v ? patternbroadcast_make(g->b, v, x->type.broadcastable) : NULL;
}
