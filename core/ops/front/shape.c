/*
 * shape.c -- functions that change how a tensor's dimensions are seen: reshape, flatten, transpose, padding,
 * promises of length 1, tile, repeat. They build Reshape, DimShuffle, Rebroadcast and Alloc in the forms that Theano
 * prints.
 */
#include "util.h"

#include <math.h>
#include <string.h>

/* ---- shared ------------------------------------------------------------------------------------------------------ */
/* An integer, or a constant that is a whole number: nothing is cut off. */
static bool whole(Front *f, const ThVar *x) {
    double value;
    char hint[96];
    if (dtype_is_discrete((ThDtype)x->type.dtype)) return true;
    if (dtype_is_float((ThDtype)x->type.dtype) && const_all_equal(x, &value) && value == floor(value)) return true;
    front_error(f, TH_TypeError, "Shape must be integers, got a %s%s", th_dtype_name((ThDtype)x->type.dtype),
                const_float_hint(x, hint));
    return false;
}

static bool push_length(Front *f, VarVec *v, ThVar *x) {
    if (!x || !whole(f, x)) return false;
    if (x->type.ndim == 0) return vec_push(f->ctx, v, x);
    int64_t n = vector_length(x);
    if (x->type.ndim != 1 || n < 0)
        return front_error(
                   f, TH_ValueError,
                   "the number of lengths in a shape must be known: give a list, or a vector of known length") >= 0;
    for (int64_t i = 0; i < n; i++)
        if (!vec_push(f->ctx, v, subtensor_int_make(f->b, x, i))) return false;
    return !failed(f->ctx);
}

static bool push_lengths(Front *f, const ThArg *a, int n, VarVec *v) {
    for (int i = 0; i < n; i++) {
        ThVar *x = a[i].kind == TH_ARG_INT ? const_int(f->b, a[i].i, TH_INT64) : front_as_var(f, &a[i], "a length");
        if (!push_length(f, v, x)) return false;
    }
    return true;
}

bool front_lengths(Front *f, int i, VarVec *v) {
    if (i < 0) return push_lengths(f, f->rest, f->nrest, v);
    const ThArg *a = &f->arg[i];
    return a->kind == TH_ARG_LIST ? push_lengths(f, a->list.at, a->list.n, v) : push_lengths(f, a, 1, v);
}

bool front_lengths_of(Front *f, int i, int n, VarVec *v) {
    ThVar *x = f->arg[i].kind == TH_ARG_LIST || f->arg[i].kind == TH_ARG_INT ? NULL : front_var(f, i);
    if (failed(f->ctx)) return false;
    if (n < 0 || !x || x->type.ndim != 1 || vector_length(x) >= 0) return front_lengths(f, i, v);
    ThVar *length = const_int(f->b, n, TH_INT64);
    x = whole(f, x) ? specify_shape_make(f->b, x, front_shape_vector(f->b, &length, 1)) : NULL;
    for (int k = 0; x && k < n; k++)
        if (!vec_push(f->ctx, v, subtensor_int_make(f->b, x, k))) return false;
    return x && !failed(f->ctx);
}

bool front_shape_of(Builder *b, ThVar *x, ThVar **out) {
    ThVar *s = x ? shape_make(b, x) : NULL;
    for (int d = 0; s && d < x->type.ndim; d++)
        if (!(out[d] = subtensor_int_make(b, s, d))) return false;
    return s != NULL;
}

ThVar *front_pad(Builder *b, ThVar *x, int left, int right) {
    int8_t order[3 * TH_MAX_NDIM];
    int n = 0;
    if (!x) return NULL;
    int room = TH_MAX_NDIM - x->type.ndim;
    if (left < 0 || right < 0 || left > room || right > room - left) {
        err(b->ctx, TH_ValueError, "padding %d dimensions with %d more is not possible", x->type.ndim, left + right);
        return NULL;
    }
    while (n < left) order[n++] = -1;
    for (int d = 0; d < x->type.ndim; d++) order[n++] = (int8_t)d;
    for (int i = 0; i < right; i++) order[n++] = -1;
    return dimshuffle_make(b, x, order, n);
}

/* ---- shape, size ------------------------------------------------------------------------------------------------- */
int front_shape(Front *f) {
    ThVar *x = front_var(f, 0);
    return front_return(f, x ? shape_make(f->b, x) : NULL);
}

int front_size(Front *f) {
    ThVar *x = front_var(f, 0);
    AttrInts axis;
    if (!x || !front_axes(f, 1, x->type.ndim, &axis)) return -1;
    if (axis.n >= 0) {
        ThVar *n = const_int(f->b, 1, TH_INT64);
        for (int d = 0; d < x->type.ndim; d++)
            if (axis_in(&axis, d)) n = elemwise_2(f->b, S_mul, n, shape_elem_make(f->b, x, d));
        return front_return(f, n);
    }
    if (x->type.ndim == 1) return front_return(f, shape_elem_make(f->b, x, 0));
    ThArg a = front_arg_var(shape_make(f->b, x));
    return front_return(f, front_call(f->b, "prod", &a, 1));
}

/* ---- reshape, flatten -------------------------------------------------------------------------------------------- */
/* The new shape as a vector, and the rank it gives. */
static ThVar *new_shape(Front *f, int i, int *ndim) {
    VarVec v = {0};
    ThVar *s = NULL;
    *ndim = -1;
    if (f->arg[i].kind == TH_ARG_LIST || f->arg[i].kind == TH_ARG_INT) {
        if (front_lengths(f, i, &v)) s = front_shape_vector(f->b, v.at, v.n);
        *ndim = v.n;
        vec_free(f->ctx, &v);
        return s;
    }
    s = front_var(f, i);
    if (s && s->type.ndim == 0) s = make_vector_make(f->b, &s, 1, (ThDtype)s->type.dtype);
    if (s) *ndim = (int)vector_length(s);
    return s;
}

int front_reshape(Front *f) {
    ThVar *x = front_var(f, 0);
    int ndim;
    ThVar *s = new_shape(f, 1, &ndim);
    if (!x || !s) return -1;
    if (s->type.ndim != 1)
        return front_error(f, TH_TypeError,
                           "New shape in reshape must be a vector or a list of scalars, got %d dimensions",
                           s->type.ndim);
    if (!front_none(f, 2) && f->arg[1].kind == TH_ARG_INT && f->arg[2].kind == TH_ARG_INT && front_int(f, 2) != 1)
        return front_error(f, TH_ValueError,
                           "the lengths stand in one table, x:reshape({%lld, %lld}); what follows it is "
                           "the number of dimensions",
                           (long long)f->arg[1].i, (long long)f->arg[2].i);
    if (!front_none(f, 2)) ndim = front_count(f, 2, 0, TH_MAX_NDIM);
    if (ndim < 0 && !failed(f->ctx))
        return front_error(f, TH_ValueError,
                           "the length of the new shape is not known while building: give ndim = number of dimensions");
    return front_return(f, failed(f->ctx) ? NULL : reshape_make(f->b, x, s, ndim));
}

ThVar *front_flatten_to(Builder *b, ThVar *x, int ndim) {
    ThVar *dims[TH_MAX_NDIM];
    ThVar *s = NULL;
    if (!x) return NULL;
    if (ndim > 1) s = shape_make(b, x);
    for (int i = 0; i + 1 < ndim; i++)
        if (!s || !(dims[i] = subtensor_int_make(b, s, i))) return NULL;
    dims[ndim - 1] = const_int(b, -1, TH_INT64);
    ThVar *flat = reshape_make(b, x, front_shape_vector(b, dims, ndim), ndim);
    uint32_t bits = 0, last = 1;
    for (int d = 0; d < x->type.ndim; d++) {
        if (d < ndim - 1) bits |= (uint32_t)type_bcast(x->type, d) << d;
        else last &= (uint32_t)type_bcast(x->type, d);
    }
    return patternbroadcast_make(b, flat, bits | last << (ndim - 1));
}

int front_flatten(Front *f) {
    ThVar *x = front_var(f, 0);
    int64_t ndim = f->nparam > 1 ? front_int(f, 1) : 1;
    if (!x || failed(f->ctx)) return -1;
    if (ndim < 1 || (ndim > 1 && ndim > x->type.ndim))
        return front_error(f, TH_ValueError, "ndim %lld out of bound [1, %d)", (long long)ndim, x->type.ndim + 1);
    return front_return(f, front_flatten_to(f->b, x, (int)ndim));
}

/* ---- order of dimensions ----------------------------------------------------------------------------------------- */
/* Integers of *xs, or of argument i; normalised for ndim. Their number, -1 on error. */
static int axes_of(Front *f, const ThArg *a, int n, int ndim, int64_t *out) {
    if (n > TH_MAX_NDIM) return front_error(f, TH_ValueError, "too many axes");
    for (int i = 0; i < n; i++) {
        if (a[i].kind != TH_ARG_INT) return front_error(f, TH_TypeError, "axes must be integers");
        out[i] = a[i].i;
        if (!axis_normalize(f->ctx, &out[i], ndim, f->info->name)) return -1;
    }
    return n;
}

int front_transpose(Front *f) {
    ThVar *x = front_var(f, 0);
    int64_t axes[TH_MAX_NDIM];
    int8_t order[TH_MAX_NDIM];
    if (!x) return -1;
    bool none = f->nrest == 0 || (f->nrest == 1 && f->rest[0].kind == TH_ARG_NONE);
    if (none) return front_return(f, transpose_make(f->b, x));
    int n = axes_of(f, f->rest, f->nrest, x->type.ndim, axes);
    if (n < 0) return -1;
    bool reversed = n == x->type.ndim;
    for (int i = 0; i < n; i++) {
        order[i] = (int8_t)axes[i];
        reversed = reversed && axes[i] == n - 1 - i;
    }
    if (reversed) return front_return(f, transpose_make(f->b, x));
    return front_return(f, dimshuffle_make(f->b, x, order, n));
}

int front_swapaxes(Front *f) {
    ThVar *x = front_var(f, 0);
    int a, b;
    int8_t order[TH_MAX_NDIM];
    if (!x || !front_axis(f, 1, x->type.ndim, &a) || !front_axis(f, 2, x->type.ndim, &b)) return -1;
    for (int d = 0; d < x->type.ndim; d++) order[d] = (int8_t)(d == a ? b : d == b ? a : d);
    return front_return(f, dimshuffle_make(f->b, x, order, x->type.ndim));
}

int front_shape_pad(Front *f) {
    ThVar *x = front_var(f, 0);
    int n = front_count(f, 1, 0, TH_MAX_NDIM);
    if (!x || failed(f->ctx)) return -1;
    return front_return(f, front_is(f, "shape_padleft") ? front_pad(f->b, x, n, 0) : front_pad(f->b, x, 0, n));
}

int front_shape_padaxis(Front *f) {
    ThVar *x = front_var(f, 0);
    int64_t axis = front_int(f, 1);
    int8_t order[TH_MAX_NDIM + 1];
    if (!x || failed(f->ctx) || !axis_normalize(f->ctx, &axis, x->type.ndim + 1, f->info->name)) return -1;
    for (int d = 0; d <= x->type.ndim; d++) order[d] = (int8_t)(d == axis ? -1 : d < axis ? d : d - 1);
    return front_return(f, dimshuffle_make(f->b, x, order, x->type.ndim + 1));
}

int front_squeeze(Front *f) {
    ThVar *x = front_var(f, 0);
    AttrInts axes = {.n = -1};
    int8_t order[TH_MAX_NDIM];
    int n = 0;
    if (!x || (!front_no_axis(f, 1, x) && !front_axes(f, 1, x->type.ndim, &axes))) return -1;
    for (int d = 0; d < x->type.ndim; d++) {
        bool named = axes.n >= 0 && axis_in(&axes, d) && !type_bcast(x->type, d);
        int64_t length = named ? var_length(x, d) : -1;
        if (named && length >= 0 && length != 1)
            return front_error(f, TH_ValueError, "axis %d has length %lld, and 1 alone can be left out", d,
                               (long long)length);
        if (!type_bcast(x->type, d) || !axis_in(&axes, d)) order[n++] = (int8_t)d;
    }
    return front_return(f, dimshuffle_make(f->b, x, order, n));
}

/* ---- promises of length 1 ---------------------------------------------------------------------------------------- */
int front_addbroadcast(Front *f) {
    ThVar *x = front_var(f, 0);
    int64_t axes[TH_MAX_NDIM];
    if (!x) return -1;
    int n = axes_of(f, f->rest, f->nrest, x->type.ndim, axes);
    uint32_t bits = x->type.broadcastable;
    for (int i = 0; i < n; i++) {
        if (front_is(f, "addbroadcast")) bits |= 1u << axes[i];
        else bits &= ~(1u << axes[i]);
    }
    return n < 0 ? -1 : front_return(f, patternbroadcast_make(f->b, x, bits));
}

int front_patternbroadcast(Front *f) {
    ThVar *x = front_var(f, 0);
    const ThArg *a = &f->arg[1];
    uint32_t bits = 0;
    if (!x) return -1;
    if (a->kind != TH_ARG_LIST || a->list.n != x->type.ndim)
        return front_error(f, TH_ValueError, "broadcastable must list %d booleans", x->type.ndim);
    for (int d = 0; d < x->type.ndim; d++) {
        if (a->list.at[d].kind != TH_ARG_BOOL) return front_error(f, TH_TypeError, "broadcastable must hold booleans");
        bits |= (uint32_t)a->list.at[d].b << d;
    }
    return front_return(f, patternbroadcast_make(f->b, x, bits));
}

int front_specify_shape(Front *f) {
    ThVar *x = front_var(f, 0);
    int ndim;
    ThVar *s = new_shape(f, 1, &ndim);
    return front_return(f, x && s ? specify_shape_make(f->b, x, s) : NULL);
}

/* ---- repetition -------------------------------------------------------------------------------------------------- */
/* n * m for lengths, folded when both are constants. */
static ThVar *times(Builder *b, ThVar *n, ThVar *m) {
    int64_t x, y;
    if (n && m && n->kind == VAR_CONSTANT && m->kind == VAR_CONSTANT && scalar_known(n, &x) && scalar_known(m, &y))
        return const_int(b, x * y, TH_INT64);
    return elemwise_2(b, S_mul, n, m);
}

/* How often x is repeated along each dimension. Of a vector of unknown length, whose elements are those of the last of
 * the `ndim` dimensions: the others once. */
static bool repetitions(Front *f, VarVec *reps) {
    ThVar *v = f->arg[1].kind == TH_ARG_LIST || f->arg[1].kind == TH_ARG_INT ? NULL : front_var(f, 1);
    if (failed(f->ctx)) return false;
    if (!v || v->type.ndim != 1 || vector_length(v) >= 0 || front_none(f, 2)) return front_lengths(f, 1, reps);
    int n = front_count(f, 2, 0, TH_MAX_NDIM);
    if (n < 0 || !whole(f, v)) return false;
    ThVar *missing = elemwise_2(f->b, S_sub, const_int(f->b, n, TH_INT64), shape_elem_make(f->b, v, 0));
    ThVar *parts[2] = {alloc_make(f->b, const_int(f->b, 1, TH_INT64), &missing, 1), v};
    ThVar *all = parts[0] ? join_make(f->b, const_int(f->b, 0, TH_INT64), parts, 2) : NULL;
    for (int d = 0; all && d < n; d++)
        if (!vec_push(f->ctx, reps, subtensor_int_make(f->b, all, d))) return false;
    return all && !failed(f->ctx);
}

/* Alloc of x with a copy dimension before each of its own, brought beside it and merged: as Theano builds tile. */
int front_tile(Front *f) {
    ThVar *x = front_var(f, 0), *dims[TH_MAX_NDIM], *shape[2 * TH_MAX_NDIM], *merged[TH_MAX_NDIM];
    int8_t order[2 * TH_MAX_NDIM];
    VarVec reps = {0};
    if (!x || !repetitions(f, &reps)) return vec_free(f->ctx, &reps), -1;
    int n = reps.n > x->type.ndim ? reps.n : x->type.ndim;
    if (!front_none(f, 2)) {
        int64_t want = front_int(f, 2);
        if (want < n)
            front_error(f, TH_ValueError, "ndim = %lld is smaller than the %d dimensions of the result",
                        (long long)want, n);
        else n = want > TH_MAX_NDIM ? TH_MAX_NDIM : (int)want;
    }
    ThVar *one = const_int(f->b, 1, TH_INT64);
    if (2 * n > TH_MAX_NDIM) front_error(f, TH_ValueError, "more than %d dimensions are too many", TH_MAX_NDIM / 2);
    if (failed(f->ctx) || !(x = front_pad(f->b, x, n - x->type.ndim, 0)) || !front_shape_of(f->b, x, dims))
        return vec_free(f->ctx, &reps), -1;
    for (int d = 0; d < n; d++) {
        ThVar *r = d < n - reps.n ? one : reps.at[d - (n - reps.n)];
        shape[d] = r;
        shape[n + d] = dims[d];
        order[2 * d] = (int8_t)d;
        order[2 * d + 1] = (int8_t)(n + d);
        merged[d] = times(f->b, dims[d], r);
    }
    vec_free(f->ctx, &reps);
    ThVar *y = alloc_make(f->b, x, shape, 2 * n);
    y = y ? dimshuffle_make(f->b, y, order, 2 * n) : NULL;
    return front_return(f, y ? reshape_make(f->b, y, front_shape_vector(f->b, merged, n), n) : NULL);
}

/* x repeated the same number of times along an axis: Alloc with one more dimension after it, merged by Reshape. */
static ThVar *repeat_evenly(Front *f, ThVar *x, ThVar *times_, int axis) {
    ThVar *dims[TH_MAX_NDIM], *shape[TH_MAX_NDIM + 1];
    int8_t order[TH_MAX_NDIM + 1];
    int n = x->type.ndim;
    if (n + 1 > TH_MAX_NDIM || !front_shape_of(f->b, x, dims)) return NULL;
    for (int d = 0; d <= n; d++) {
        int own = d <= axis ? d : d - 1;
        shape[d] = d == axis + 1 ? times_ : dims[own];
        order[d] = (int8_t)(d == axis + 1 ? -1 : own);
    }
    ThVar *y = alloc_make(f->b, dimshuffle_make(f->b, x, order, n + 1), shape, n + 1);
    dims[axis] = times(f->b, dims[axis], times_);
    return y ? reshape_make(f->b, y, front_shape_vector(f->b, dims, n), n) : NULL;
}

/* x taken at 0 0 1 2 2 2 along axis: a number of repeats for each element. */
static ThVar *repeat_each(Front *f, ThVar *x, ThVar *repeats, int axis) {
    ThVar *n = shape_elem_make(f->b, x, axis), *sum = sum_make(f->b, repeats, NULL);
    ThArg a[3] = {front_arg_var(x), front_arg_var(repeat_index_make(f->b, repeats, cast_make(f->b, sum, TH_INT64), n)),
                  front_arg_int(axis)};
    return front_call(f->b, "take", a, 3);
}

int front_repeat(Front *f) {
    ThVar *x = front_var(f, 0), *n = front_integers(f, 1);
    int axis = 0;
    const bool flat = front_no_axis(f, 2, x);
    if (!x || !n || (!flat && !front_axis(f, 2, x->type.ndim, &axis))) return -1;
    if (n->type.ndim == 1 && type_bcast(n->type, 0)) n = subtensor_int_make(f->b, n, 0);
    if (!n) return -1;
    if (n->type.ndim > 1)
        return front_error(f, TH_TypeError, "repeats must be an integer or a vector of integers, it has %d dimensions",
                           n->type.ndim);
    char hint[96];
    if (!dtype_is_int((ThDtype)n->type.dtype))
        return front_error(f, TH_TypeError, "repeats must be an integer%s", const_float_hint(n, hint));
    if (flat) x = front_flatten_to(f->b, x, 1);
    if (!x) return -1;
    return front_return(f, n->type.ndim ? repeat_each(f, x, n, axis) : repeat_evenly(f, x, n, axis));
}
