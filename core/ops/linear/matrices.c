/*
 * matrices.c -- products and forms of the matrices that lie in the last two dimensions of tensors, as gradients and
 * functions of linear algebra write them.
 * In: operands (.., m, k) and (.., k, n); the dimensions before the last two are broadcast where their types promise
 * length 1. Out: graphs of Dot and BatchedDot between views: what only one operand has more than two dimensions of is
 * one Dot, and dimensions that both have become the batch of one BatchedDot.
 */
#include "ops/table/index.h"
#include "ops/table/linear.h"
#include "ops/table/shape.h"

/* Lengths of x's dimensions from..to - 1 multiplied. */
static ThVar *product_of(Builder *b, ThVar *x, int from, int to) {
    ThVar *p = from < to ? shape_length_make(b, x, from) : const_int(b, 1, TH_INT64);
    int64_t n = 1, k;
    bool known = true;
    for (int d = from; d < to && known; d++) {
        k = x ? var_length(x, d) : -1;
        known = k >= 0 && !__builtin_mul_overflow(n, k, &n);
    }
    if (known) return const_int(b, n, TH_INT64);
    for (int d = from + 1; d < to; d++) p = elemwise_2(b, S_mul, p, shape_length_make(b, x, d));
    return p;
}

ThVar *merged_make(Builder *b, ThVar *x, int keep) {
    ThVar *n[TH_MAX_NDIM];
    if (!x || x->type.ndim == keep + 1) return x;
    int lead = x->type.ndim - keep;
    uint32_t ones = 0;
    bool all = true;
    n[0] = product_of(b, x, 0, lead);
    for (int d = 0; d < lead; d++) all = all && type_bcast(x->type, d);
    for (int i = 0; i < keep; i++) {
        n[1 + i] = shape_length_make(b, x, lead + i);
        ones |= (uint32_t)type_bcast(x->type, lead + i) << (1 + i);
    }
    x = reshape_make(b, x, shape_vector_make(b, n, keep + 1), keep + 1);
    return patternbroadcast_make(b, x, ones | all);
}

/* The first dimension of x as those of `like` before its last `but` ones. */
static ThVar *parted(Builder *b, ThVar *x, ThVar *like, int but) {
    ThVar *n[TH_MAX_NDIM];
    if (!x || like->type.ndim - but == 1) return x;
    int lead = like->type.ndim - but, nd = lead + x->type.ndim - 1;
    uint32_t ones = 0;
    for (int d = 0; d < nd; d++) {
        ThVar *of = d < lead ? like : x;
        int at = d < lead ? d : d - lead + 1;
        n[d] = shape_length_make(b, of, at);
        ones |= (uint32_t)type_bcast(of->type, at) << d;
    }
    x = reshape_make(b, x, shape_vector_make(b, n, nd), nd);
    return patternbroadcast_make(b, x, ones);
}

ThVar *turned_make(Builder *b, ThVar *x) {
    int8_t order[TH_MAX_NDIM];
    if (!x) return NULL;
    int nd = x->type.ndim;
    for (int d = 0; d < nd; d++) order[d] = (int8_t)d;
    order[nd - 1] = (int8_t)(nd - 2), order[nd - 2] = (int8_t)(nd - 1);
    return dimshuffle_make(b, x, order, nd);
}

ThVar *adjoint_make(Builder *b, ThVar *x) {
    ThVar *t = turned_make(b, x);
    return t ? conj_make(b, t) : NULL;
}

ThVar *with_axes_make(Builder *b, ThVar *x, int at, int n) {
    int8_t order[TH_MAX_NDIM];
    int k = 0;
    if (!x) return NULL;
    if (x->type.ndim + n > TH_MAX_NDIM)
        return err(b->ctx, TH_ValueError, "%d dimensions are too many", x->type.ndim + n), NULL;
    for (int d = 0; d < at; d++) order[k++] = (int8_t)d;
    for (int i = 0; i < n; i++) order[k++] = -1;
    for (int d = at; d < x->type.ndim; d++) order[k++] = (int8_t)d;
    return dimshuffle_make(b, x, order, k);
}

ThVar *without_axes_make(Builder *b, ThVar *x, int at, int n) {
    int8_t order[TH_MAX_NDIM];
    int k = 0;
    if (!x) return NULL;
    for (int d = 0; d < x->type.ndim; d++)
        if (d < at || d >= at + n) order[k++] = (int8_t)d;
    return dimshuffle_make(b, x, order, k);
}

/* ---- diagonals --------------------------------------------------------------------------------------------------- */
ThVar *diagonals_make(Builder *b, ThVar *x) {
    if (!x) return NULL;
    return extract_diag_make(b, x, &(DiagAttrs){0, x->type.ndim - 2, x->type.ndim - 1});
}

ThVar *diagonal_matrices_make(Builder *b, ThVar *v) {
    if (!v) return NULL;
    return alloc_diag_make(b, v, &(DiagAttrs){0, v->type.ndim - 1, v->type.ndim});
}

/* ---- products ---------------------------------------------------------------------------------------------------- */
static bool single(const ThVar *x) { /* no dimension before the last two is longer than 1, by its type */
    for (int d = 0; d < x->type.ndim - 2; d++)
        if (!type_bcast(x->type, d)) return false;
    return true;
}

/* x (m, k) . y (.., k, n): y lies as (k, .. n) for one product. */
static ThVar *times_many(Builder *b, ThVar *x, ThVar *y) {
    int8_t to[TH_MAX_NDIM], back[TH_MAX_NDIM];
    ThVar *n[TH_MAX_NDIM];
    int nd = y->type.ndim;
    uint32_t ones = type_bcast(x->type, 0);
    to[0] = (int8_t)(nd - 2), to[nd - 1] = (int8_t)(nd - 1);
    for (int d = 0; d < nd - 2; d++) to[1 + d] = (int8_t)d, back[d] = (int8_t)(1 + d);
    back[nd - 2] = 0, back[nd - 1] = (int8_t)(nd - 1);
    ThVar *wide = dimshuffle_make(b, y, to, nd);
    if (!wide) return NULL;
    n[0] = shape_length_make(b, y, nd - 2);
    n[1] = product_of(b, wide, 1, nd);
    ThVar *r = dot_make(b, x, reshape_make(b, wide, shape_vector_make(b, n, 2), 2));
    n[0] = shape_length_make(b, x, 0);
    for (int d = 1; d < nd; d++) {
        n[d] = shape_length_make(b, wide, d);
        ones |= (uint32_t)type_bcast(wide->type, d) << d;
    }
    r = r ? patternbroadcast_make(b, reshape_make(b, r, shape_vector_make(b, n, nd), nd), ones) : NULL;
    return r ? dimshuffle_make(b, r, back, nd) : NULL;
}

/* x as long as y in the dimensions before the last two in which its type promises length 1 and y's does not. */
static ThVar *spread(Builder *b, ThVar *x, ThVar *y) {
    ThVar *n[TH_MAX_NDIM];
    int nd = x->type.ndim;
    bool any = false;
    for (int d = 0; d < nd; d++) {
        bool longer = d < nd - 2 && type_bcast(x->type, d) && !type_bcast(y->type, d);
        n[d] = shape_length_make(b, longer ? y : x, d);
        any = any || longer;
    }
    return any ? alloc_make(b, x, n, nd) : x;
}

/* The lengths before the last two, one by one: what is merged tells only their product. */
static ThVar *fitted(Builder *b, ThVar *y, ThVar *x) {
    ThVar *n[TH_MAX_NDIM];
    int nd = y->type.ndim;
    bool known = true;
    for (int d = 0; d < nd; d++) {
        int64_t have = var_length(y, d), want = d < nd - 2 ? var_length(x, d) : have;
        if (have >= 0 && want >= 0 && have != want)
            return err(b->ctx, TH_ValueError, "matmul: dimension %d has length %lld in one operand, %lld in the other",
                       d, (long long)want, (long long)have),
                   NULL;
        known = known && (d >= nd - 2 || (have >= 0 && want >= 0));
        n[d] = shape_length_make(b, d < nd - 2 ? x : y, d);
    }
    return known || nd < 4 ? y : specify_shape_make(b, y, shape_vector_make(b, n, nd));
}

static ThVar *both_many(Builder *b, ThVar *x, ThVar *y) {
    x = spread(b, x, y);
    y = x ? spread(b, y, x) : NULL;
    y = y ? fitted(b, y, x) : NULL;
    if (!y) return NULL;
    return parted(b, batched_dot_make(b, merged_make(b, x, 2), merged_make(b, y, 2)), x, 2);
}

ThVar *matmul_make(Builder *b, ThVar *x, ThVar *y) {
    if (!x || !y) return NULL;
    int nx = x->type.ndim, ny = y->type.ndim, nd = nx > ny ? nx : ny;
    if (nx < 2 || ny < 2) return err(b->ctx, TH_TypeError, "matmul: operands are matrices"), NULL;
    ThDtype d = th_dtype_upcast((ThDtype)x->type.dtype, (ThDtype)y->type.dtype);
    bool one_x = single(x), one_y = single(y);
    ThVar *r;
    if (one_x && nx > 2) x = without_axes_make(b, x, 0, nx - 2);
    if (one_y && ny > 2) y = without_axes_make(b, y, 0, ny - 2);
    if (!x || !y) return NULL;
    if (one_x && one_y) r = dot_make(b, x, y);
    else if (one_y) r = parted(b, dot_make(b, merged_make(b, x, 1), y), x, 1);
    else if (one_x) r = times_many(b, x, y);
    else
        r = both_many(b, with_axes_make(b, cast_make(b, x, d), 0, nd - nx),
                      with_axes_make(b, cast_make(b, y, d), 0, nd - ny));
    return r && r->type.ndim < nd ? with_axes_make(b, r, 0, nd - r->type.ndim) : r;
}

ThVar *matvec_make(Builder *b, ThVar *x, ThVar *v) {
    if (!x || !v) return NULL;
    ThVar *r = matmul_make(b, x, with_axes_make(b, v, v->type.ndim, 1));
    return r ? without_axes_make(b, r, r->type.ndim - 1, 1) : NULL;
}
