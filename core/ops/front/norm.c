/*
 * norm.c -- norms of vectors and matrices, condition numbers, ranks: reductions of absolute values or of singular
 * values.
 */
#include "util.h"
#include "ops/table/linalg.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- orders ------------------------------------------------------------------------------------------------------ */
typedef enum { ORD_NONE, ORD_FRO, ORD_NUC, ORD_NUMBER, ORD_WRONG } OrdKind;
typedef struct Ord {
    OrdKind kind;
    double p;
} Ord;

static Ord read_ord(Front *f, int i) {
    const ThArg *a = &f->arg[i];
    const char *s = a->kind == TH_ARG_STR ? a->s : NULL;
    if (a->kind == TH_ARG_NONE) return (Ord){ORD_NONE, 2};
    if (s && strcmp(s, "fro") == 0) return (Ord){ORD_FRO, 2};
    if (s && strcmp(s, "nuc") == 0) return (Ord){ORD_NUC, 1};
    if (s && strcmp(s, "inf") == 0) return (Ord){ORD_NUMBER, INFINITY};
    if (s && strcmp(s, "-inf") == 0) return (Ord){ORD_NUMBER, -INFINITY};
    if (s) {
        front_error(f, TH_ValueError, "Invalid norm order '%s': a number, \"inf\", \"-inf\", \"fro\" or \"nuc\"", s);
        return (Ord){ORD_WRONG, 0};
    }
    double p = front_float(f, i);
    return failed(f->ctx) ? (Ord){ORD_WRONG, 0} : (Ord){ORD_NUMBER, p};
}

/* ---- reductions -------------------------------------------------------------------------------------------------- */
/* sum, max or min of x over axes (ascending), which stay with length 1. */
static ThVar *reduced(Builder *b, const char *name, ThVar *x, const int *axis, int n) {
    ThArg list[TH_MAX_NDIM];
    for (int i = 0; i < n; i++) list[i] = front_arg_int(axis[i]);
    ThArg args[3] = {front_arg_var(x),
                     {.kind = TH_ARG_LIST, .list = {list, n}, .key = "axis"},
                     {.kind = TH_ARG_BOOL, .b = true, .key = "keepdims"}};
    return x ? front_call(b, name, args, 3) : NULL;
}

static ThVar *absolute(Builder *b, ThVar *x) { return x ? elemwise_1(b, S_abs_, x) : NULL; }

/* Root of the sum of squares. */
static ThVar *euclidean(Builder *b, ThVar *x, const int *axis, int n) {
    if (x && dtype_is_complex((ThDtype)x->type.dtype)) x = absolute(b, x);
    x = x ? elemwise_1(b, S_sqr, x) : NULL;
    x = reduced(b, "sum", x, axis, n);
    return x ? elemwise_1(b, S_sqrt, x) : NULL;
}

static ThVar *count(Front *f, ThVar *x, const int *axis) {
    Builder *b = f->b;
    ThVar *is = elemwise_2(b, S_neq, x, const_int(b, 0, TH_INT8)), *n = reduced(b, "sum", is, axis, 1);
    return n && b->arrays
               ? cast_make(b, n, x->type.dtype == TH_FLOAT32 || x->type.dtype == TH_COMPLEX64 ? TH_FLOAT32 : TH_FLOAT64)
               : n;
}

static ThVar *power(Builder *b, ThVar *x, double p) {
    ThVar *e = x ? const_float(b, p, linalg_real((ThDtype)x->type.dtype)) : NULL;
    return e ? elemwise_2(b, S_pow, x, e) : NULL;
}

static ThVar *vector_norm(Front *f, ThVar *x, const Ord *o, int axis) {
    Builder *b = f->b;
    if (o->kind == ORD_FRO || o->kind == ORD_NUC)
        return front_error(f, TH_ValueError, "Invalid norm order for vectors: \"%s\"",
                           o->kind == ORD_FRO ? "fro" : "nuc"),
               NULL;
    if (o->p == 2) return euclidean(b, x, &axis, 1);
    if (o->p == 0) return count(f, x, &axis);
    ThVar *a = absolute(b, x);
    if (isinf(o->p)) return reduced(b, o->p > 0 ? "max" : "min", a, &axis, 1);
    if (o->p == 1) return reduced(b, "sum", a, &axis, 1);
    return power(b, reduced(b, "sum", power(b, a, o->p), &axis, 1), 1 / o->p);
}

/* x's dimensions in another order, the two axes last: singular values along the last. */
static ThVar *spectral(Front *f, ThVar *x, const int *axis, const Ord *o) {
    Builder *b = f->b;
    int8_t order[TH_MAX_NDIM], back[TH_MAX_NDIM];
    int nd = x->type.ndim, n = 0, last = nd - 2;
    for (int d = 0; d < nd; d++)
        if (d != axis[0] && d != axis[1]) order[n++] = (int8_t)d;
    order[n++] = (int8_t)axis[0], order[n] = (int8_t)axis[1];
    x = dimshuffle_make(b, x, order, nd);
    ThApply *svd = x ? svd_make(b, x, false, false) : NULL;
    const char *name = o->kind == ORD_NUC ? "sum" : o->p > 0 ? "max" : "min";
    ThVar *v = svd ? reduced(b, name, svd->out[0], &last, 1) : NULL; /* (.., 1) */
    n = 0;
    for (int d = 0; d < nd; d++) back[d] = (int8_t)(d == axis[0] || d == axis[1] ? -1 : n++);
    v = v ? without_axes_make(b, v, nd - 2, 1) : NULL;
    return v ? dimshuffle_make(b, v, back, nd) : NULL;
}

static ThVar *matrix_norm(Front *f, ThVar *x, const Ord *o, const int *axis) {
    Builder *b = f->b;
    int both[2] = {axis[0] < axis[1] ? axis[0] : axis[1], axis[0] < axis[1] ? axis[1] : axis[0]};
    if (o->kind == ORD_NONE || o->kind == ORD_FRO) return euclidean(b, x, both, 2);
    if (o->kind == ORD_NUC || o->p == 2 || o->p == -2) return spectral(f, x, axis, o);
    if (!isinf(o->p) && o->p != 1 && o->p != -1)
        return front_error(f, TH_ValueError, "Invalid norm order for matrices: %g", o->p), NULL;
    bool rows = isinf(o->p);
    ThVar *sums = reduced(b, "sum", absolute(b, x), &axis[rows], 1);
    return reduced(b, o->p > 0 ? "max" : "min", sums, &axis[!rows], 1);
}

/* ---- norm -------------------------------------------------------------------------------------------------------- */
static ThVar *floats(Front *f, ThVar *x) {
    if (!x || x->type.kind != TYPE_TENSOR || !dtype_is_discrete((ThDtype)x->type.dtype)) return x;
    return cast_make(f->b, x, f->b->arrays ? TH_FLOAT64 : config_floatX(f->ctx));
}

/* Axes as given, one or two; all of x's where None. Their number, -1: an error. */
static int norm_axes(Front *f, ThVar *x, int i, int *axis) {
    int64_t v[TH_MAX_NDIM];
    int n = 0, nd = x->type.ndim;
    if (front_none(f, i)) {
        for (int d = 0; d < nd && d < 2; d++) axis[d] = d;
        return nd;
    }
    if (!front_ints(f, i, v, TH_MAX_NDIM, &n))
        return failed(f->ctx) ? -1 : front_error(f, TH_TypeError, "'axis' should be None, an integer or two integers");
    if (n < 1 || n > 2) return front_error(f, TH_ValueError, "norms are over one or two axes, %d given", n);
    for (int k = 0; k < n; k++) {
        if (v[k] < -nd || v[k] >= nd)
            return front_error(f, TH_ValueError, "axis %lld is out of range for a tensor with %d dimension%s",
                               (long long)v[k], nd, nd == 1 ? "" : "s");
        axis[k] = (int)(v[k] < 0 ? v[k] + nd : v[k]);
    }
    if (n == 2 && axis[0] == axis[1]) return front_error(f, TH_ValueError, "Duplicate axes given.");
    return n;
}

static ThVar *norm(Front *f, ThVar *x, const Ord *o, const int *axis, int n, bool keep) {
    Builder *b = f->b;
    int all[TH_MAX_NDIM];
    ThVar *r;
    if (n > 2 && o->kind == ORD_NONE) {
        for (int d = 0; d < n; d++) all[d] = d;
        r = euclidean(b, x, all, n);
    } else if (n == 1) r = vector_norm(f, x, o, axis[0]);
    else if (n == 2) r = matrix_norm(f, x, o, axis);
    else return front_error(f, TH_ValueError, "Improper number of dimensions to norm: %d", n), NULL;
    if (keep || !r) return r;
    int8_t order[TH_MAX_NDIM];
    int left = 0;
    for (int d = 0; d < r->type.ndim && n <= 2; d++)
        if (d != axis[0] && (n == 1 || d != axis[1])) order[left++] = (int8_t)d;
    return dimshuffle_make(b, r, order, left);
}

int front_matrix_norm(Front *f) {
    ThVar *x = floats(f, front_var(f, 0));
    Ord o = read_ord(f, 1);
    int axis[2] = {0, 0}, n;
    bool keep = front_bool(f, 3);
    if (!x || failed(f->ctx)) return -1;
    if (x->type.ndim == 0 && front_none(f, 1) && front_none(f, 2)) return front_return(f, absolute(f->b, x));
    if (x->type.ndim == 0) return front_error(f, TH_ValueError, "x is a number: its norm is T.abs(x)");
    if ((n = norm_axes(f, x, 2, axis)) < 0) return -1;
    return front_return(f, norm(f, x, &o, axis, n, keep));
}

/* ---- cond, matrix_rank ------------------------------------------------------------------------------------------- */
/* NaN where x has none means a matrix without an inverse: infinity. */
static ThVar *infinite(Builder *b, ThVar *r, ThVar *x) {
    int axis[2] = {x->type.ndim - 2, x->type.ndim - 1};
    ThVar *sum = reduced(b, "sum", absolute(b, x), axis, 2);
    sum = without_axes_make(b, sum, axis[0], 2);
    ThVar *in = sum ? elemwise_1(b, S_isnan, sum) : NULL, *out = r ? elemwise_1(b, S_isnan, r) : NULL;
    ThVar *inf = r ? const_float(b, INFINITY, (ThDtype)r->type.dtype) : NULL;
    return elemwise_3(b, S_switch, elemwise_2(b, S_gt, out, in), inf, r);
}

int front_cond(Front *f) {
    Builder *b = f->b;
    ThVar *x = floats(f, front_var(f, 0)), *r;
    Ord o = read_ord(f, 1);
    if (!x || failed(f->ctx)) return -1;
    int nd = x->type.ndim, axis[2] = {nd - 2, nd - 1};
    if (nd < 2)
        return front_error(f, b->arrays ? TH_LinAlgError : TH_ValueError, "x must be a matrix, it has %d dimension%s",
                           nd, nd == 1 ? "" : "s");
    if (o.kind == ORD_NONE || (o.kind == ORD_NUMBER && fabs(o.p) == 2)) {
        Ord most = {ORD_NUMBER, o.p}, least = {ORD_NUMBER, -o.p};
        r = elemwise_2(b, S_true_div, norm(f, x, &most, axis, 2, false), norm(f, x, &least, axis, 2, false));
    } else
        r = elemwise_2(b, S_mul, norm(f, x, &o, axis, 2, false),
                       norm(f, matrix_inverse_make(b, x, true), &o, axis, 2, false));
    return front_return(f, r ? infinite(b, r, x) : NULL);
}

int front_matrix_rank(Front *f) {
    Builder *b = f->b;
    ThVar *x = floats(f, front_var(f, 0)), *tol = front_none(f, 1) ? NULL : front_var(f, 1), *s;
    ThVar *rtol = front_none(f, 3) ? NULL : front_var(f, 3);
    bool hermitian = front_bool(f, 2);
    if (!x || failed(f->ctx)) return -1;
    if (tol && rtol) return front_error(f, TH_ValueError, "tol and rtol are two bounds: give one of them");
    int nd = x->type.ndim, last = nd - 2;
    if (nd < 2) { /* whether there is anything */
        ThVar *is = elemwise_2(b, S_neq, x, const_int(b, 0, TH_INT8));
        ThVar *any = is ? reduce_make(b, &op_any, is, NULL, TH_DTYPE_NONE, TH_DTYPE_NONE, false) : NULL;
        return front_return(f, any ? cast_make(b, any, TH_INT64) : NULL);
    }
    if (hermitian) s = absolute(b, eigvalsh_make(b, x, NULL, true));
    else {
        ThApply *a = svd_make(b, x, false, false);
        s = a ? a->out[0] : NULL;
    }
    if (!s) return -1;
    if (!tol) {
        double eps = s->type.dtype == TH_FLOAT32 ? FLT_EPSILON : DBL_EPSILON;
        ThVar *n = elemwise_2(b, S_maximum, shape_length_make(b, x, nd - 2), shape_length_make(b, x, nd - 1));
        ThVar *by = rtol;
        if (!by)
            by = elemwise_2(b, S_mul, cast_make(b, n, (ThDtype)s->type.dtype),
                            const_float(b, eps, (ThDtype)s->type.dtype));
        tol = elemwise_2(b, S_mul, reduced(b, "max", s, &last, 1), by);
    } else if (tol->type.ndim) tol = with_axes_make(b, tol, tol->type.ndim, 1);
    ThVar *r = reduced(b, "sum", elemwise_2(b, S_gt, s, tol), &last, 1);
    return front_return(f, r ? without_axes_make(b, r, r->type.ndim - 1, 1) : NULL);
}
