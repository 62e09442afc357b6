/* blocks.c -- matrices put together from others (block_diag), tensors taken as matrices (tensorinv, tensorsolve). */
#include "util.h"
#include "ops/table/linalg.h"

/* ---- block_diag -------------------------------------------------------------------------------------------------- */
static ThVar *sum_of(Builder *b, ThVar *x, ThVar *y) { return x ? elemwise_2(b, S_add, x, y) : y; }

/* zeros with x[i] at (.., row, column), which are the sums of the lengths before. */
static ThVar *place_blocks(Front *f, const VarVec *v, ThDtype dtype, int nd) {
    Builder *b = f->b;
    ThVar *n[TH_MAX_NDIM], *at[2] = {NULL, NULL}, *end[2] = {NULL, NULL};
    for (int i = 0; i < v->n; i++)
        for (int k = 0; k < 2; k++) end[k] = sum_of(b, end[k], shape_length_make(b, v->at[i], nd - 2 + k));
    for (int d = 0; d < nd - 2; d++) n[d] = shape_length_make(b, v->at[0], d);
    n[nd - 2] = end[0], n[nd - 1] = end[1];
    ThVar *zero = cast_make(b, const_int(b, 0, TH_INT8), dtype), *r = zero ? alloc_make(b, zero, n, nd) : NULL;
    for (int i = 0; r && i < v->n; i++) {
        AttrIdx idx = {.n = (int8_t)nd};
        ThVar *in[4];
        int m = 0;
        for (int d = 0; d < nd; d++) idx.at[d].kind = 's';
        for (int k = 0; k < 2; k++) {
            ThVar *stop = sum_of(b, at[k], shape_length_make(b, v->at[i], nd - 2 + k));
            if (at[k])
                idx.at[nd - 2 + k].has |= 1, idx.at[nd - 2 + k].dtype[0] = TH_INT64, in[m++] = index_make(b, at[k]);
            idx.at[nd - 2 + k].has |= 2, idx.at[nd - 2 + k].dtype[1] = TH_INT64;
            in[m++] = stop ? index_make(b, stop) : NULL;
            at[k] = stop;
        }
        for (int k = 0; k < m; k++)
            if (!in[k]) return NULL;
        r = inc_subtensor_make(b, r, cast_make(b, v->at[i], dtype), &idx, in, m, true);
    }
    return r;
}

int front_block_diag(Front *f) {
    VarVec v = {0};
    ThVar *r = NULL;
    int nd = 2;
    bool ok = front_list(f, -1, &v);
    if (ok && v.n == 0) ok = front_error(f, TH_ValueError, "needs at least one matrix") > 0;
    for (int i = 0; ok && i < v.n; i++)
        if (v.at[i]->type.ndim > nd) nd = v.at[i]->type.ndim;
    ThDtype d = ok ? (ThDtype)v.at[0]->type.dtype : TH_FLOAT64;
    for (int i = 0; ok && i < v.n; i++) {
        int own = v.at[i]->type.ndim;
        if (own > 2 && own != nd)
            ok = front_error(f, TH_ValueError, "matrix %d has %d dimensions, another one has %d", i + 1, own, nd) > 0;
        if (ok && own < 2) v.at[i] = with_axes_make(f->b, v.at[i], 0, 2 - own); /* a row */
        if (ok && own < nd && nd > 2)
            ok = front_error(f, TH_ValueError, "matrix %d is one, another argument has many", i + 1) > 0;
        ok = ok && v.at[i];
        if (ok) d = th_dtype_upcast(d, (ThDtype)v.at[i]->type.dtype);
    }
    if (ok) r = place_blocks(f, &v, d, nd);
    vec_free(f->ctx, &v);
    return front_return(f, r);
}

/* ---- tensors as matrices ----------------------------------------------------------------------------------------- */
static ThVar *product(Builder *b, ThVar *const *n, int from, int to) {
    ThVar *p = const_int(b, 1, TH_INT64);
    for (int i = from; i < to; i++) p = i == from ? n[i] : elemwise_2(b, S_mul, p, n[i]);
    return p;
}

static ThVar *as_matrix(Builder *b, ThVar *x, ThVar *const *n, int split) {
    ThVar *shape[2] = {product(b, n, 0, split), product(b, n, split, x->type.ndim)};
    return reshape_make(b, x, shape_vector_make(b, shape, 2), 2);
}

static bool lengths_of(Builder *b, ThVar *x, ThVar **n) {
    for (int d = 0; d < x->type.ndim; d++)
        if (!(n[d] = shape_length_make(b, x, d))) return false;
    return true;
}

int front_tensorinv(Front *f) {
    Builder *b = f->b;
    ThVar *a = front_var(f, 0), *n[2 * TH_MAX_NDIM];
    int64_t ind = front_int(f, 1);
    if (!a || failed(f->ctx)) return -1;
    int nd = a->type.ndim;
    if (ind <= 0) return front_error(f, TH_ValueError, "Invalid ind argument: %lld", (long long)ind);
    if (ind >= nd) return front_error(f, TH_ValueError, "ind = %lld of %d dimensions leaves none", (long long)ind, nd);
    if (!lengths_of(b, a, n)) return -1;
    for (int d = 0; d < nd; d++) n[nd + d] = n[d];
    ThVar *r = matrix_inverse_make(b, as_matrix(b, a, n, (int)ind), false);
    return front_return(f, r ? reshape_make(b, r, shape_vector_make(b, n + ind, nd), nd) : NULL);
}

/* a with `axes` after the others. */
static ThVar *axes_last(Front *f, ThVar *a, int i) {
    int64_t v[TH_MAX_NDIM];
    int8_t order[TH_MAX_NDIM];
    int n, k = 0, nd = a->type.ndim;
    uint32_t moved = 0;
    if (front_none(f, i)) return a;
    if (!front_ints(f, i, v, TH_MAX_NDIM, &n)) {
        if (!failed(f->ctx)) front_error(f, TH_TypeError, "axes must be integers");
        return NULL;
    }
    for (int j = 0; j < n; j++) {
        if (!axis_normalize(f->ctx, &v[j], nd, f->info->name)) return NULL;
        if (moved >> v[j] & 1) return front_error(f, TH_ValueError, "axis %d is given twice", (int)v[j]), NULL;
        moved |= 1u << v[j];
    }
    for (int d = 0; d < nd; d++)
        if (!(moved >> d & 1)) order[k++] = (int8_t)d;
    for (int j = 0; j < n; j++) order[k++] = (int8_t)v[j];
    return dimshuffle_make(f->b, a, order, nd);
}

int front_tensorsolve(Front *f) {
    Builder *b = f->b;
    ThVar *a = front_var(f, 0), *y = front_var(f, 1), *n[TH_MAX_NDIM];
    if (!a || !y || !(a = axes_last(f, a, 2))) return -1;
    int nd = a->type.ndim, split = y->type.ndim;
    if (nd <= split)
        return front_error(f, TH_ValueError, "a has %d dimensions: more than b's %d are needed", nd, split);
    if (!lengths_of(b, a, n)) return -1;
    ThVar *flat = front_flatten_to(b, y, 1);
    ThVar *x = solve_make(b, as_matrix(b, a, n, split), flat ? with_axes_make(b, flat, 1, 1) : NULL, &(LinalgAttrs){0});
    return front_return(f, x ? reshape_make(b, x, shape_vector_make(b, n + split, nd - split), nd - split) : NULL);
}
