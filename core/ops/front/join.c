/*
 * join.c -- functions that put tensors together or take them apart, and products of tensors of any rank.
 */
#include "util.h"

/* ---- join, stack, split ------------------------------------------------------------------------------------------ */
static int join_list(Front *f, ThVar *axis, const VarVec *v) {
    if (v->n == 0) return front_error(f, TH_ValueError, "Cannot join an empty list of tensors");
    return front_return(f, axis ? join_make(f->b, axis, v->at, v->n) : NULL);
}

int front_join(Front *f) {
    VarVec v = {0};
    ThVar *axis = front_var(f, 0);
    int r = axis && front_list(f, -1, &v) ? join_list(f, axis, &v) : -1;
    vec_free(f->ctx, &v);
    return r;
}

/* The list in the dtype of parameter i, where that is given. */
static bool as_dtype(Front *f, int i, VarVec *v) {
    ThDtype d = front_dtype(f, i);
    for (int k = 0; d != TH_DTYPE_NONE && k < v->n; k++) v->at[k] = cast_make(f->b, v->at[k], d);
    return !failed(f->ctx);
}

/* Of one tensor there is nothing to join, but the axis has to be one of its own. */
static bool axis_there(Front *f, const VarVec *v) {
    ThVar *x = v->n == 1 ? v->at[0] : NULL;
    int axis;
    return !x || f->arg[1].kind != TH_ARG_INT || x->type.ndim == 0 || front_axis(f, 1, x->type.ndim, &axis);
}

int front_concatenate(Front *f) {
    VarVec v = {0};
    if (f->arg[0].kind != TH_ARG_LIST)
        return front_error(f, TH_TypeError,
                           "The 'tensor_list' argument must be a list of tensors; to join two give join(axis, a, b)");
    bool flat = front_none(f, 1);
    ThVar *axis = flat ? const_int(f->b, 0, TH_DTYPE_NONE) : front_var(f, 1);
    int r = -1;
    if (axis && front_list(f, 0, &v) && as_dtype(f, 2, &v)) {
        for (int i = 0; flat && i < v.n; i++) v.at[i] = front_flatten_to(f->b, v.at[i], 1);
        r = failed(f->ctx) || !axis_there(f, &v) ? -1 : join_list(f, axis, &v);
    }
    vec_free(f->ctx, &v);
    return r;
}

/* All 0-d: one vector in the promoted dtype. */
static ThVar *stack_scalars(Front *f, const VarVec *v) {
    ThDtype d = (ThDtype)v->at[0]->type.dtype;
    for (int i = 1; i < v->n; i++) d = th_dtype_upcast(d, (ThDtype)v->at[i]->type.dtype);
    return make_vector_make(f->b, v->at, v->n, d);
}

static ThVar *stack_tensors(Front *f, VarVec *v, int64_t axis) {
    int8_t order[TH_MAX_NDIM + 1];
    for (int i = 0; i < v->n; i++) {
        int n = v->at[i]->type.ndim;
        for (int d = 0; d <= n; d++) order[d] = (int8_t)(d == axis ? -1 : d < axis ? d : d - 1);
        if (axis > n || !(v->at[i] = dimshuffle_make(f->b, v->at[i], order, n + 1))) {
            if (!failed(f->ctx)) front_error(f, TH_ValueError, "all tensors must have the same number of dimensions");
            return NULL;
        }
    }
    return join_make(f->b, const_int(f->b, axis, TH_DTYPE_NONE), v->at, v->n);
}

int front_stack(Front *f) {
    VarVec v = {0};
    ThVar *r = NULL;
    int64_t axis = front_int(f, 1);
    if (!failed(f->ctx) && front_list(f, 0, &v) && as_dtype(f, 2, &v)) {
        bool scalars = true;
        for (int i = 0; i < v.n; i++) scalars = scalars && v.at[i]->type.ndim == 0;
        if (v.n == 0) front_error(f, TH_ValueError, "no tensors to stack");
        else if (axis_normalize(f->ctx, &axis, v.at[0]->type.ndim + 1, f->info->name))
            r = scalars ? stack_scalars(f, &v) : stack_tensors(f, &v, axis);
    }
    vec_free(f->ctx, &v);
    return front_return(f, r);
}

int front_split(Front *f) {
    ThVar *x = front_var(f, 0), *sizes = front_var(f, 1), *axis = front_var(f, 3);
    int n = front_count(f, 2, 0, OP_MAX_OUT);
    if (failed(f->ctx)) return -1;
    ThApply *a = split_make(f->b, x, axis, sizes, n);
    return a ? front_return_n(f, a->out, a->nout) : -1;
}

int front_hstack(Front *f) {
    VarVec v = {0};
    int r = -1;
    if (front_list(f, -1, &v)) {
        bool ok = v.n >= 2;
        for (int i = 0; i < v.n; i++) ok = ok && v.at[i]->type.ndim == 2;
        if (!ok) r = front_error(f, TH_ValueError, "needs two or more matrices");
        else r = join_list(f, const_int(f->b, front_is(f, "horizontal_stack"), TH_DTYPE_NONE), &v);
    }
    vec_free(f->ctx, &v);
    return r;
}

/* ---- products ---------------------------------------------------------------------------------------------------- */
int front_outer(Front *f) {
    ThVar *x = front_var(f, 0), *y = front_var(f, 1);
    if (!x || !y) return -1;
    if (x->type.ndim != 1) x = front_flatten_to(f->b, x, 1);
    if (y->type.ndim != 1) y = front_flatten_to(f->b, y, 1);
    x = front_pad(f->b, x, 0, 1);
    y = front_pad(f->b, y, 1, 0);
    if (!x || !y) return -1;
    /* A product adds to zero, which has another sign than -0. */
    return front_return(f, f->b->arrays ? elemwise_2(f->b, S_mul, x, y) : dot_make(f->b, x, y));
}

/* Product of lengths dims[from..to), one multiplication after the other; 1 when there are none. */
static ThVar *length_product(Builder *b, ThVar *const *dims, int from, int to) {
    ThVar *p = from < to ? dims[from] : const_int(b, 1, TH_INT64);
    for (int i = from + 1; i < to; i++) p = elemwise_2(b, S_mul, p, dims[i]);
    return p;
}

/* The product of the lengths ad[from..from+n), which are to be those of bd too: of one the product itself tells. */
static ThVar *summed_length(Front *f, ThVar *const *ad, ThVar *const *bd, int n) {
    ThVar *p = length_product(f->b, ad, 0, n), *cond[TH_MAX_NDIM];
    if (n < 2) return p;
    for (int i = 0; i < n; i++) cond[i] = elemwise_2(f->b, S_eq, ad[i], bd[i]);
    return failed(f->ctx) ? NULL : assert_make(f->b, p, cond, n, "shapes do not match in tensordot", TH_ValueError);
}

/* The last n dimensions of a against the first n of b, through one product of matrices; one that is a matrix of these
 * already goes in as it is, so that its gradient is a product, too. */
static ThVar *tensordot_last(Front *f, ThVar *a, ThVar *b, int n) {
    ThVar *ad[TH_MAX_NDIM], *bd[TH_MAX_NDIM], *shape[2 * TH_MAX_NDIM];
    int an = a->type.ndim, bn = b->type.ndim, out = 0;
    uint32_t bits = 0;
    if (!front_shape_of(f->b, a, ad) || !front_shape_of(f->b, b, bd)) return NULL;
    ThVar *left[2] = {length_product(f->b, ad, 0, an - n), summed_length(f, ad + an - n, bd, n)};
    ThVar *right[2] = {length_product(f->b, bd, 0, n), length_product(f->b, bd, n, bn)};
    ThVar *x = an == 2 && n == 1 ? a : reshape_make(f->b, a, front_shape_vector(f->b, left, 2), 2);
    ThVar *y = bn == 2 && n == 1 ? b : reshape_make(f->b, b, front_shape_vector(f->b, right, 2), 2);
    if (!x || !y) return NULL;
    for (int d = 0; d < an - n; d++, out++) {
        shape[out] = ad[d];
        bits |= (uint32_t)type_bcast(a->type, d) << out;
    }
    for (int d = n; d < bn; d++, out++) {
        shape[out] = bd[d];
        bits |= (uint32_t)type_bcast(b->type, d) << out;
    }
    if (out > TH_MAX_NDIM) {
        front_error(f, TH_ValueError, "a result of %d dimensions is too large", out);
        return NULL;
    }
    ThVar *z = reshape_make(f->b, dot_make(f->b, x, y), front_shape_vector(f->b, shape, out), out);
    return patternbroadcast_make(f->b, z, bits);
}

/* The axes of one operand to sum over: a list, or one integer. Their number, -1 on error. */
static int sum_axes(Front *f, const ThArg *a, int ndim, int64_t *axes) {
    int n = a->kind == TH_ARG_LIST ? a->list.n : 1;
    const ThArg *at = a->kind == TH_ARG_LIST ? a->list.at : a;
    if (n > ndim) return front_error(f, TH_ValueError, "%d axes to sum over, but a tensor of %d dimensions", n, ndim);
    for (int i = 0; i < n; i++) {
        if (at[i].kind != TH_ARG_INT) return front_error(f, TH_TypeError, "axes must be integers");
        axes[i] = at[i].i;
        if (!axis_normalize(f->ctx, &axes[i], ndim, f->info->name)) return -1;
        for (int j = 0; j < i; j++)
            if (axes[j] == axes[i])
                return front_error(f, TH_ValueError, "axis %lld is given twice", (long long)axes[i]);
    }
    return n;
}

/* x with `axes` brought to its end (or its front), the others kept in order. */
static ThVar *bring(Builder *b, ThVar *x, const int64_t *axes, int n, bool to_end) {
    int8_t order[TH_MAX_NDIM];
    int nd = x->type.ndim, at = to_end ? 0 : n;
    for (int i = 0; i < n; i++) order[to_end ? nd - n + i : i] = (int8_t)axes[i];
    for (int d = 0; d < nd; d++) {
        bool summed = false;
        for (int i = 0; i < n; i++) summed = summed || axes[i] == d;
        if (!summed) order[at++] = (int8_t)d;
    }
    return dimshuffle_make(b, x, order, nd);
}

static ThVar *tensordot_axes(Front *f, ThVar *a, ThVar *b, const ThArg *left, const ThArg *right) {
    int64_t aa[TH_MAX_NDIM], ba[TH_MAX_NDIM];
    int n = sum_axes(f, left, a->type.ndim, aa), m = sum_axes(f, right, b->type.ndim, ba);
    if (n < 0 || m < 0) return NULL;
    if (n != m) {
        front_error(f, TH_ValueError, "%d axes of a against %d of b", n, m);
        return NULL;
    }
    a = bring(f->b, a, aa, n, true);
    b = bring(f->b, b, ba, n, false);
    return a && b ? tensordot_last(f, a, b, n) : NULL;
}

int front_tensordot(Front *f) {
    ThVar *a = front_var(f, 0), *b = front_var(f, 1);
    const ThArg *axes = &f->arg[2];
    if (!a || !b) return -1;
    if (axes->kind == TH_ARG_LIST) {
        if (axes->list.n != 2)
            return front_error(f, TH_ValueError, "axes must be a number or a list of two (axes of a, axes of b)");
        return front_return(f, tensordot_axes(f, a, b, &axes->list.at[0], &axes->list.at[1]));
    }
    int64_t n = front_int(f, 2);
    if (failed(f->ctx)) return -1;
    if (n < 0 || n > a->type.ndim || n > b->type.ndim)
        return front_error(f, TH_ValueError, "axes = %lld does not fit tensors of %d and %d dimensions", (long long)n,
                           a->type.ndim, b->type.ndim);
    return front_return(f, tensordot_last(f, a, b, (int)n));
}

int front_dot(Front *f) {
    ThVar *a = front_var(f, 0), *b = front_var(f, 1);
    if (!a || !b) return -1;
    int an = a->type.ndim, bn = b->type.ndim;
    if (an == 0 || bn == 0) return front_return(f, elemwise_2(f->b, S_mul, a, b));
    if (an <= 2 && bn <= 2) return front_return(f, dot_make(f->b, a, b));
    ThArg left = front_arg_int(an - 1), right = front_arg_int(bn > 2 ? bn - 2 : 0);
    return front_return(f, tensordot_axes(f, a, b, &left, &right));
}
