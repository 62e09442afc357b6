/*
 * order.c -- functions that order, search, accumulate and count: sort, topk, searchsorted, unique, cumsum, diff,
 * bincount.
 */
#include "util.h"
#include "ops/order/order.h"
#include "ops/table/control.h"

#include <math.h>
#include <string.h>

/* The function's name without its module. */
static bool named(const Front *f, const char *name) {
    const char *dot = strrchr(f->info->name, '.');
    return strcmp(dot ? dot + 1 : f->info->name, name) == 0;
}

/* ---- sort -------------------------------------------------------------------------------------------------------- */
/* NumPy's names; every sort here is stable. */
static bool is_kind(const char *kind) {
    static const char *const known[] = {"quicksort", "mergesort", "heapsort", "stable"};
    for (int i = 0; i < TH_LEN(known); i++)
        if (strcmp(kind, known[i]) == 0) return true;
    return false;
}

/* x[.., ::-1] along axis. */
static ThVar *reversed(Builder *b, ThVar *x, int axis) {
    AttrIdx idx = {.n = (int8_t)(axis + 1)};
    ThVar *step = const_scalar_int(b, -1);
    for (int d = 0; d <= axis; d++) idx.at[d].kind = 's';
    idx.at[axis].has = 4;
    idx.at[axis].dtype[2] = TH_INT64;
    return x && step ? subtensor_make(b, x, &idx, &step, 1) : NULL;
}

/* From the largest on: what sorts the reversed x, read backwards, so that equal elements stay in order; NaN first. */
static ThVar *descending(Front *f, ThVar *x, const char *kind) {
    Builder *b = f->b;
    int axis = 0;
    if (front_none(f, 1)) x = front_flatten_to(b, x, 1);
    else if (!front_axis(f, 1, x->type.ndim, &axis)) return NULL;
    ThVar *at = const_int(b, axis, TH_DTYPE_NONE), *back = x ? reversed(b, x, axis) : NULL;
    if (named(f, "sort")) return reversed(b, sort_make(b, back, at, kind), axis);
    ThVar *last = back ? elemwise_2(b, S_sub, shape_elem_make(b, x, axis), const_int(b, 1, TH_INT64)) : NULL;
    return elemwise_2(b, S_sub, last, reversed(b, argsort_make(b, back, at, kind), axis));
}

/* An axis may be a float scalar, as in Theano; what it holds is a whole number, checked when it runs if not known. */
static ThVar *whole_axis(Front *f, ThVar *axis) {
    double value;
    if (!axis || axis->type.ndim != 0 || !dtype_is_float((ThDtype)axis->type.dtype)) return axis;
    if (const_all_equal(axis, &value) && value != floor(value)) {
        front_error(f, TH_ValueError, "the axis must be an integer, not %.17g", value);
        return NULL;
    }
    ThVar *whole = cast_make(f->b, axis, TH_INT64), *same = elemwise_2(f->b, S_eq, axis, whole);
    return assert_make(f->b, whole, &same, 1, "sort: the axis must be an integer", TH_ValueError);
}

int front_sort(Front *f) {
    ThVar *x = front_var(f, 0), *axis = front_none(f, 1) ? NULL : whole_axis(f, front_var(f, 1));
    const char *kind = front_str(f, 2);
    bool down = front_bool(f, 4);
    front_bool(f, 5); /* every sort is stable */
    if (failed(f->ctx) || !x) return -1;
    if (!is_kind(kind))
        return front_error(f, TH_ValueError, "kind is quicksort, mergesort, heapsort or stable, not '%s'", kind);
    if (!front_none(f, 3))
        return front_error(f, TH_ValueError, "order is for structured arrays, which do not exist here");
    if (down) return front_return(f, descending(f, x, kind));
    if (named(f, "argsort") ? front_no_axis(f, 1, x) : front_none(f, 1)) {
        x = front_flatten_to(f->b, x, 1);
        axis = const_int(f->b, 0, TH_DTYPE_NONE);
    }
    return front_return(f, named(f, "sort") ? sort_make(f->b, x, axis, kind) : argsort_make(f->b, x, axis, kind));
}

/* ---- topk -------------------------------------------------------------------------------------------------------- */
int front_topk(Front *f) {
    ThVar *x = front_var(f, 0), *k = front_var(f, 1);
    ThDtype d = front_dtype(f, 4);
    int axis = 0;
    if (!x || !k || failed(f->ctx)) return -1;
    if (!dtype_is_int(d)) return front_error(f, TH_TypeError, "idx_dtype must be an integer dtype");
    if (front_none(f, 2)) x = front_flatten_to(f->b, x, 1);
    else if (!front_axis(f, 2, x->type.ndim, &axis)) return -1;
    ThApply *a = topk_make(f->b, x, k, &(TopKAttrs){.axis = axis, .sorted = front_bool(f, 3), .idx_dtype = (uint8_t)d});
    if (!a) return -1;
    if (named(f, "topk")) return front_return(f, a->out[0]);
    return named(f, "argtopk") ? front_return(f, a->out[1]) : front_return_n(f, a->out, 2);
}

/* ---- searching --------------------------------------------------------------------------------------------------- */
int front_searchsorted(Front *f) {
    ThVar *x = front_var(f, 0), *v = front_var(f, 1), *sorter = front_none(f, 3) ? NULL : front_var(f, 3);
    const char *side = front_str(f, 2);
    if (failed(f->ctx)) return -1;
    bool right = strcmp(side, "right") == 0;
    if (!right && strcmp(side, "left") != 0)
        return front_error(f, TH_ValueError, "'%s' is an invalid value for side: \"left\" or \"right\"", side);
    return front_return(f, searchsorted_make(f->b, x, v, sorter, right));
}

/* The first n elements of x's first axis. */
static ThVar *first_part(Builder *b, ThVar *x, ThVar *n) {
    AttrIdx idx = {.n = 1, .at = {{'s', 2, {0, TH_INT64, 0}}}};
    ThVar *stop = index_make(b, n);
    return x && stop ? subtensor_make(b, x, &idx, &stop, 1) : NULL;
}

/* x with axis first and the others merged behind it: rows to be compared. */
static ThVar *rows_of(Front *f, ThVar *x, int axis) {
    int8_t order[TH_MAX_NDIM];
    ThVar *dims[TH_MAX_NDIM], *shape[2];
    if (x->type.ndim == 1) return x;
    for (int d = 0; d < x->type.ndim; d++) order[d] = (int8_t)(d == 0 ? axis : d <= axis ? d - 1 : d);
    ThVar *y = dimshuffle_make(f->b, x, order, x->type.ndim);
    if (!y || !front_shape_of(f->b, y, dims)) return NULL;
    shape[0] = dims[0], shape[1] = dims[1];
    for (int d = 2; d < x->type.ndim; d++) shape[1] = elemwise_2(f->b, S_mul, shape[1], dims[d]);
    return reshape_make(f->b, y, front_shape_vector(f->b, shape, 2), 2);
}

/* Distinct rows back in the dimensions of x, the axis where it was. */
static ThVar *rows_back(Front *f, ThVar *x, ThVar *rows, int axis) {
    int8_t order[TH_MAX_NDIM];
    ThVar *dims[TH_MAX_NDIM], *shape[TH_MAX_NDIM];
    int nd = x->type.ndim;
    if (!rows || nd == 1) return rows;
    if (!front_shape_of(f->b, x, dims)) return NULL;
    shape[0] = shape_elem_make(f->b, rows, 0);
    for (int d = 0, n = 1; d < nd; d++)
        if (d != axis) shape[n++] = dims[d];
    ThVar *y = reshape_make(f->b, rows, front_shape_vector(f->b, shape, nd), nd);
    for (int d = 0; d < nd; d++) order[d] = (int8_t)(d == axis ? 0 : d < axis ? d + 1 : d);
    return y ? dimshuffle_make(f->b, y, order, nd) : NULL;
}

/* The places of all elements: of arrays in their shape where no axis was said, as NumPy 2 has them. */
static ThVar *inverse_of(Front *f, ThVar *x, ThVar *places) {
    ThVar *dims[TH_MAX_NDIM];
    if (!f->b->arrays || !front_none(f, 4) || x->type.ndim == 1) return places;
    if (!front_shape_of(f->b, x, dims)) return NULL;
    return reshape_make(f->b, places, front_shape_vector(f->b, dims, x->type.ndim), x->type.ndim);
}

int front_unique(Front *f) {
    ThVar *given = front_var(f, 0), *x = given, *out[4];
    const UniqueAttrs want = {front_bool(f, 1), front_bool(f, 2), front_bool(f, 3), !front_bool(f, 6)};
    front_bool(f, 5); /* they always are */
    int axis = 0, n = 0;
    if (!x || failed(f->ctx)) return -1;
    if (front_none(f, 4)) x = front_flatten_to(f->b, x, 1);
    else if (!front_axis(f, 4, x->type.ndim, &axis)) return -1;
    ThVar *rows = x ? rows_of(f, x, axis) : NULL;
    ThApply *u = rows ? unique_make(f->b, rows, &want) : NULL;
    if (!u) return -1;
    out[n++] = rows_back(f, x, first_part(f->b, u->out[0], u->out[4]), axis);
    if (want.index) out[n++] = first_part(f->b, u->out[1], u->out[4]);
    if (want.inverse) out[n++] = inverse_of(f, given, u->out[2]);
    if (want.counts) out[n++] = first_part(f->b, u->out[3], u->out[4]);
    return front_return_n(f, out, n);
}

/* ---- accumulating ------------------------------------------------------------------------------------------------ */
int front_cumulate(Front *f) {
    ThVar *x = front_var(f, 0);
    AttrInts axes = {.n = -1};
    int axis;
    if (!x) return -1;
    if (!front_no_axis(f, 1, x)) {
        if (!front_axis(f, 1, x->type.ndim, &axis)) return -1;
        axes = (AttrInts){.n = 1, .at = {(int8_t)axis}};
    }
    ThDtype dtype = front_dtype(f, 2);
    if (failed(f->ctx)) return -1;
    if (dtype != TH_DTYPE_NONE) x = cast_make(f->b, x, dtype);
    else if (f->b->arrays &&
             dtype_is_discrete((ThDtype)x->type.dtype)) /* as NumPy adds them: no wrapping in few bits */
        x = cast_make(f->b, x, th_dtype_kind((ThDtype)x->type.dtype) == 'u' ? TH_UINT64 : TH_INT64);
    return front_return(f, cumulate_make(f->b, x, &axes, named(f, "cumprod")));
}

/* x from element 1 on, or without the last one, along axis. */
static ThVar *neighbours(Builder *b, ThVar *x, int axis, bool later) {
    AttrIdx idx = {.n = (int8_t)(axis + 1)};
    ThVar *bound = const_scalar_int(b, later ? 1 : -1);
    for (int d = 0; d <= axis; d++) idx.at[d].kind = 's';
    idx.at[axis].has = later ? 1 : 2;
    idx.at[axis].dtype[later ? 0 : 1] = TH_INT64;
    return x && bound ? subtensor_make(b, x, &idx, &bound, 1) : NULL;
}

/* x with what argument i gives before it (or behind it) along axis; a number stands for one element. */
static ThVar *extended(Front *f, ThVar *x, int i, int axis, bool behind) {
    ThVar *more = front_var(f, i), *dims[TH_MAX_NDIM];
    if (!more || !x) return NULL;
    if (more->type.ndim == 0) {
        if (!front_shape_of(f->b, x, dims)) return NULL;
        dims[axis] = const_int(f->b, 1, TH_INT64);
        more = alloc_make(f->b, more, dims, x->type.ndim);
    }
    ThVar *both[2] = {behind ? x : more, behind ? more : x};
    return both[0] && both[1] ? join_make(f->b, const_int(f->b, axis, TH_DTYPE_NONE), both, 2) : NULL;
}

enum { MOST_ORDERS = 1000 }; /* of differences: each takes nodes of its own */

int front_diff(Front *f) {
    ThVar *x = front_var(f, 0);
    int n = front_count(f, 1, 0, MOST_ORDERS), axis;
    if (!x || failed(f->ctx)) return -1;
    if (n == 0) return front_return(f, x);
    if (x->type.ndim == 0) return front_error(f, TH_ValueError, "needs at least one dimension");
    if (!front_axis(f, 2, x->type.ndim, &axis)) return -1;
    if (!front_none(f, 3)) x = extended(f, x, 3, axis, false);
    if (!front_none(f, 4)) x = extended(f, x, 4, axis, true);
    if (!x) return -1;
    int op = x->type.dtype == TH_BOOL ? S_xor : S_sub; /* NumPy: where a flag changes */
    for (int i = 0; x && i < n; i++)
        x = elemwise_2(f->b, op, neighbours(f->b, x, axis, true), neighbours(f->b, x, axis, false));
    return front_return(f, x);
}

/* ---- counting ---------------------------------------------------------------------------------------------------- */
static ThVar *constant(Builder *b, int v, ThDtype d) { return cast_make(b, const_int(b, v, TH_INT8), d); }

/* Zeros of max(x) + 1 elements, increased at the positions x. */
int front_bincount(Front *f) {
    Builder *b = f->b;
    ThVar *x = front_var(f, 0), *w = front_none(f, 1) ? NULL : front_var(f, 1);
    ThVar *least = front_none(f, 2) ? NULL : front_var(f, 2);
    if (failed(f->ctx) || !x) return -1;
    if (x->type.ndim != 1)
        return front_error(f, b->arrays ? TH_ValueError : TH_TypeError, "x must have 1 dimension, it has %d",
                           x->type.ndim);
    if (b->arrays && x->type.dtype == TH_BOOL && !(x = cast_make(b, x, TH_INT64))) return -1;
    if (!dtype_is_discrete((ThDtype)x->type.dtype) || x->type.dtype == TH_BOOL)
        return front_error(f, TH_TypeError, "x must hold integers, not %s", th_dtype_name((ThDtype)x->type.dtype));
    if (least && (least->type.ndim != 0 || !dtype_is_int((ThDtype)least->type.dtype)))
        return front_error(f, TH_TypeError, "minlength must be an integer");
    if (w && w->type.ndim != 1)
        return front_error(f, TH_TypeError, "weights must have 1 dimension, they have %d", w->type.ndim);
    ThDtype d = (ThDtype)(w ? w->type.dtype : x->type.dtype);
    if (b->arrays) d = w ? TH_FLOAT64 : TH_INT64; /* as NumPy */
    ThArg xa = front_arg_var(x);
    if (f->arg[2].kind == TH_ARG_INT && f->arg[2].i < 0) return front_error(f, TH_ValueError, "minlength is negative");
    if (front_bool(f, 3) || (b->arrays && dtype_is_signed((ThDtype)x->type.dtype))) {
        ThArg positive = front_arg_var(elemwise_2(b, S_ge, x, const_int(b, 0, TH_DTYPE_NONE)));
        ThVar *cond = front_call(b, "all", &positive, 1);
        x = assert_make(b, x, &cond, 1, "Input to bincount has negative values!",
                        b->arrays ? TH_ValueError : TH_AssertionError);
        xa = front_arg_var(x);
    }
    ThVar *n = elemwise_2(b, S_add, cast_make(b, front_call(b, "max", &xa, 1), TH_INT64), const_int(b, 1, TH_INT64));
    if (least) n = elemwise_2(b, S_maximum, n, cast_make(b, least, TH_INT64));
    ThVar *zeros = alloc_make(b, constant(b, 0, d), &n, 1);
    return front_return(f, adv_inc_subtensor1_make(b, zeros, w ? w : constant(b, 1, d), x, false));
}

/* ---- extrema of several ------------------------------------------------------------------------------------------ */
int front_smallest(Front *f) {
    VarVec v = {0};
    ThVar *r = NULL;
    if (front_list(f, -1, &v)) {
        if (v.n == 0) front_error(f, TH_TypeError, "needs at least one argument");
        else r = v.at[0];
        for (int i = 1; r && i < v.n; i++)
            r = elemwise_2(f->b, named(f, "smallest") ? S_minimum : S_maximum, r, v.at[i]);
    }
    vec_free(f->ctx, &v);
    return front_return(f, r);
}
