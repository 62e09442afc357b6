/*
 * reduce.c -- sum, mean, max and their kin, built as Theano builds them: a mean is a sum divided by each reduced
 * length in turn, a minimum is the negated maximum of the negation.
 */
#include "util.h"
#include "ops/reduce/reduce.h"
#include "ops/table/index.h"
#include "ops/table/shape.h"

#include <math.h>
#include <string.h>

/* ---- arguments --------------------------------------------------------------------------------------------------- */
/* Argument 0 as a tensor and parameter 1 as its axes. NULL: error. */
static ThVar *input(Front *f, AttrInts *axis) {
    ThVar *x = front_var(f, 0);
    return x && front_axes(f, 1, x->type.ndim, axis) ? x : NULL;
}

/* The same for what NumPy reduces by a function of two: a tensor without dimensions has an axis 0 there. */
static ThVar *folded_input(Front *f, AttrInts *axis) {
    ThVar *x = front_var(f, 0);
    *axis = (AttrInts){.n = -1};
    return x && (front_no_axis(f, 1, x) || front_axes(f, 1, x->type.ndim, axis)) ? x : NULL;
}

static ThVar *keep(Front *f, bool keepdims, ThVar *x, ThVar *y, const AttrInts *axis) {
    return keepdims ? keepdims_make(f->b, x, y, axis) : y;
}

static ThVar *named(Front *f, ThVar *v, const char *name) {
    (void)f;
    return v && th_var_set_name(v, name) == 0 ? v : NULL;
}

/* NumPy's where (parameter i): a boolean tensor that broadcasts to x; NULL without one, or with true. *ok: no error. */
static ThVar *where_of(Front *f, int i, ThVar *x, bool *ok) {
    bool all = front_none(f, i) || (f->arg[i].kind == TH_ARG_BOOL && f->arg[i].b);
    *ok = x && !failed(f->ctx);
    if (all || !*ok) return NULL;
    ThVar *m = f->arg[i].kind == TH_ARG_BOOL ? cast_make(f->b, const_int(f->b, 0, TH_INT64), TH_BOOL) : front_var(f, i);
    *ok = m != NULL;
    if (m && (m->type.dtype != TH_BOOL || m->type.ndim > x->type.ndim)) {
        front_error(f, TH_TypeError, "'where' must be a bool tensor of at most %d dimensions, not one of %s and %d",
                    x->type.ndim, th_dtype_name((ThDtype)m->type.dtype), m->type.ndim);
        *ok = false;
    }
    return *ok ? m : NULL;
}

/* x where m holds, elsewhere v; x itself without m. */
static ThVar *masked(Builder *b, ThVar *x, ThVar *m, ThVar *v) {
    return m && x && v ? elemwise_3(b, S_switch, m, x, cast_make(b, v, (ThDtype)x->type.dtype)) : x;
}

static ThVar *constant(Builder *b, int v, ThVar *like) {
    return like ? cast_make(b, const_int(b, v, TH_INT8), (ThDtype)like->type.dtype) : NULL;
}

/* r by `op` with NumPy's initial (parameter i), which takes r's dtype; r itself without one. */
static ThVar *with_initial(Front *f, int i, int op, ThVar *r) {
    if (!r || front_none(f, i)) return r;
    ThVar *v = front_var(f, i);
    if (v && v->type.ndim != 0) {
        front_error(f, TH_ValueError, "'initial' has no dimensions, it has %d", v->type.ndim);
        return NULL;
    }
    return v ? elemwise_2(f->b, op, cast_make(f->b, v, (ThDtype)r->type.dtype), r) : NULL;
}

/* ---- sums and products ------------------------------------------------------------------------------------------- */
enum { OF_SUM = 5, OF_PROD = 6 }; /* where `initial` stands among the parameters, `where` behind it */

static int reduce(Front *f, const Op *op, bool no_zeros, int at) {
    AttrInts axis;
    bool sums = op == &op_sum, ok;
    ThVar *x = folded_input(f, &axis), *m = where_of(f, at + 1, x, &ok);
    ThDtype dtype = front_dtype(f, 2), acc = front_dtype(f, 4);
    if (!ok || failed(f->ctx)) return -1;
    if (f->b->arrays && dtype != TH_DTYPE_NONE &&
        (dtype_is_discrete(dtype) || dtype_is_discrete(x->type.dtype) || dtype_is_half(x->type.dtype)))
        x = cast_make(f->b, x, dtype);
    x = masked(f->b, x, m, constant(f->b, !sums, x));
    ThVar *r = keep(f, front_bool(f, 3), x, reduce_make(f->b, op, x, &axis, dtype, acc, no_zeros), &axis);
    return front_return(f, with_initial(f, at, sums ? S_add : S_mul, r));
}

int front_sum(Front *f) { return reduce(f, &op_sum, false, OF_SUM); }
int front_prod(Front *f) { return reduce(f, &op_prod, front_bool(f, 5), OF_PROD); }

static int front_logical(Front *f, const Op *op) {
    AttrInts axis;
    bool ok;
    ThVar *x = folded_input(f, &axis), *m = where_of(f, 3, x, &ok);
    if (!ok) return -1;
    x = masked(f->b, x, m, constant(f->b, op == &op_all, x));
    ThVar *r = reduce_make(f->b, op, x, &axis, TH_DTYPE_NONE, TH_DTYPE_NONE, false);
    return front_return(f, keep(f, front_bool(f, 2), x, r, &axis));
}

int front_any(Front *f) { return front_logical(f, &op_any); }
int front_all(Front *f) { return front_logical(f, &op_all); }

/* ---- mean, variance ---------------------------------------------------------------------------------------------- */
/* s divided by lengths[d] for each reduced dimension d in turn. */
static ThVar *divide(Builder *b, ThVar *s, ThVar *lengths, int ndim, const AttrInts *axis) {
    for (int d = 0; d < ndim; d++)
        if (axis_in(axis, d)) s = elemwise_2(b, S_true_div, s, subtensor_int_make(b, lengths, d));
    return s;
}

/* What a mean or a variance is taken of: where holds (NULL: everywhere), along these axes, which stay or not. */
typedef struct Domain {
    ThVar *where;
    AttrInts axis;
    bool keepdims;
} Domain;

static ThVar *sum_over(Front *f, ThVar *x, const Domain *of, ThDtype dtype, ThDtype acc) {
    x = masked(f->b, x, of->where, constant(f->b, 0, x));
    return keep(f, of->keepdims, x, reduce_make(f->b, &op_sum, x, &of->axis, dtype, acc, false), &of->axis);
}

/* How many elements such a sum adds, less ddof, but not below 0: a float64, of no dimension without a where. */
static ThVar *count_make(Front *f, ThVar *x, const Domain *of, double ddof) {
    Builder *b = f->b;
    ThVar *lengths = cast_make(b, shape_make(b, x), TH_FLOAT64), *n = const_float(b, 1, TH_FLOAT64);
    if (of->where && x) {
        ThVar *m = elemwise_2(b, S_second, x, of->where);
        n = keep(f, of->keepdims, m, sum_make(b, cast_make(b, m, TH_FLOAT64), &of->axis), &of->axis);
    }
    for (int d = 0; x && !of->where && d < x->type.ndim; d++)
        if (axis_in(&of->axis, d)) n = elemwise_2(b, S_mul, n, subtensor_int_make(b, lengths, d));
    if (ddof == 0) return n;
    return elemwise_2(b, S_maximum, elemwise_2(b, S_sub, n, const_float(b, ddof, TH_FLOAT64)),
                      const_float(b, 0, TH_FLOAT64));
}

/* s / n in the dtype of s. */
static ThVar *quotient(Builder *b, ThVar *s, ThVar *n) {
    if (!s) return NULL;
    return elemwise_2(b, S_true_div, s, cast_make(b, n, scalar_real_of((ThDtype)s->type.dtype)));
}

/* NumPy's: of integers in float64, which does not wrap. */
static ThVar *mean_of_array(Front *f, ThVar *x, const Domain *of, ThDtype dtype, ThDtype acc) {
    ThDtype d = dtype != TH_DTYPE_NONE ? dtype : dtype_is_discrete(x->type.dtype) ? TH_FLOAT64 : TH_DTYPE_NONE;
    if (d != TH_DTYPE_NONE) x = cast_make(f->b, x, d);
    ThVar *s = sum_over(f, x, of, d, acc);
    ThVar *m = quotient(f->b, dtype_is_discrete(d) && s ? cast_make(f->b, s, TH_FLOAT64) : s, count_make(f, x, of, 0));
    return m && dtype != TH_DTYPE_NONE ? cast_make(f->b, m, dtype) : m;
}

static ThVar *mean(Front *f, ThVar *x, const AttrInts *axis, ThDtype dtype, ThDtype acc, bool keepdims) {
    Builder *b = f->b;
    if (!x) return NULL;
    if (b->arrays) return mean_of_array(f, x, &(Domain){NULL, *axis, keepdims}, dtype, acc);
    ThVar *s = keep(f, keepdims, x, reduce_make(b, &op_sum, x, axis, dtype, acc, false), axis);
    if (!s) return NULL;
    ThDtype d = s->type.dtype == TH_FLOAT32 || s->type.dtype == TH_COMPLEX64 ? TH_FLOAT32 : TH_FLOAT64;
    s = divide(b, s, cast_make(b, shape_make(b, x), d), x->type.ndim, axis);
    if (s && dtype_is_discrete(s->type.dtype)) s = cast_make(b, s, d);
    return named(f, s, "mean");
}

int front_mean(Front *f) {
    AttrInts axis;
    bool ok, keepdims = front_bool(f, 3);
    ThVar *x = input(f, &axis), *m = where_of(f, 5, x, &ok);
    ThDtype dtype = front_dtype(f, 2), acc = front_dtype(f, 4);
    if (!ok || failed(f->ctx)) return -1;
    if (m) return front_return(f, mean_of_array(f, x, &(Domain){m, axis, keepdims}, dtype, acc));
    return front_return(f, mean(f, x, &axis, dtype, acc, keepdims));
}

/* What the corrected two-pass form takes off: the square of the mean of the centred input. */
static ThVar *correction(Front *f, ThVar *x, ThVar *centred, const AttrInts *axis, int64_t ddof, bool keepdims) {
    Builder *b = f->b;
    ThVar *square = const_int(b, 2, TH_DTYPE_NONE);
    if (ddof == 0) return elemwise_2(b, S_pow, mean(f, centred, axis, TH_DTYPE_NONE, TH_DTYPE_NONE, keepdims), square);
    ThVar *lengths = shape_make(b, x), *less = elemwise_2(b, S_sub, lengths, const_int(b, ddof, TH_DTYPE_NONE));
    ThVar *e = elemwise_2(b, S_pow, keep(f, keepdims, x, sum_make(b, centred, axis), axis), square);
    for (int d = 0; x && d < x->type.ndim; d++)
        if (axis_in(axis, d))
            e = elemwise_2(b, S_true_div, e,
                           elemwise_2(b, S_mul, subtensor_int_make(b, less, d), subtensor_int_make(b, lengths, d)));
    return e;
}

/* |x|^2, a real. */
static ThVar *square_of(Builder *b, ThVar *x) {
    if (!x || !dtype_is_complex((ThDtype)x->type.dtype)) return elemwise_1(b, S_sqr, x);
    ThVar *re = elemwise_1(b, S_real, x), *im = elemwise_1(b, S_imag, x);
    return elemwise_2(b, S_add, elemwise_1(b, S_sqr, re), elemwise_1(b, S_sqr, im));
}

enum { OF_DTYPE = 6, OF_MEAN, OF_WHERE }; /* parameters of var and std that only NumPy has */

/* NumPy's: divided by the number of elements less ddof (or correction), whatever the axes; of complex numbers a real.
 */
static ThVar *variance_of_array(Front *f, ThVar *x, const Domain *of) {
    Builder *b = f->b;
    Domain wide = *of;
    double less = front_none(f, 5) ? (double)front_int(f, 2) : front_float(f, 5);
    bool corrected = front_bool(f, 4);
    ThDtype dtype = front_dtype(f, OF_DTYPE);
    wide.keepdims = true;
    if (failed(f->ctx)) return NULL;
    if (dtype != TH_DTYPE_NONE) x = cast_make(b, x, dtype);
    if (x && dtype_is_discrete((ThDtype)x->type.dtype)) x = cast_make(b, x, TH_FLOAT64);
    ThVar *middle = !x                       ? NULL
                    : front_none(f, OF_MEAN) ? mean_of_array(f, x, &wide, TH_DTYPE_NONE, TH_DTYPE_NONE)
                                             : cast_make(b, front_var(f, OF_MEAN), (ThDtype)x->type.dtype);
    ThVar *c = elemwise_2(b, S_sub, x, middle);
    ThVar *s = sum_over(f, square_of(b, c), of, TH_DTYPE_NONE, TH_DTYPE_NONE);
    if (corrected) {
        ThVar *e = square_of(b, sum_over(f, c, of, TH_DTYPE_NONE, TH_DTYPE_NONE));
        s = elemwise_2(b, S_sub, s, quotient(b, e, count_make(f, x, of, 0)));
    }
    return quotient(b, s, count_make(f, x, of, less));
}

static ThVar *variance(Front *f) {
    Builder *b = f->b;
    AttrInts axis;
    bool ok, numpy = b->arrays;
    ThVar *x = input(f, &axis), *m = where_of(f, OF_WHERE, x, &ok);
    int64_t ddof = front_int(f, 2);
    bool keepdims = front_bool(f, 3), corrected = front_bool(f, 4);
    if (!ok || failed(f->ctx)) return NULL;
    if (!front_none(f, 5) && ddof != 0) {
        front_error(f, TH_ValueError, "ddof and correction are two names of one number: give one of them");
        return NULL;
    }
    for (int i = 5; i <= OF_WHERE; i++) numpy = numpy || !front_none(f, i);
    if (numpy) return variance_of_array(f, x, &(Domain){m, axis, keepdims});
    ThVar *centred = elemwise_2(b, S_sub, x, mean(f, x, &axis, TH_DTYPE_NONE, TH_DTYPE_NONE, true));
    if (!centred) return NULL;
    ThDtype d = centred->type.dtype;
    ThVar *sq = elemwise_2(b, S_pow, centred, dtype_is_discrete(d) ? const_int(b, 2, d) : const_float(b, 2, d)), *v;
    if (ddof == 0) {
        v = mean(f, sq, &axis, TH_DTYPE_NONE, TH_DTYPE_NONE, keepdims);
    } else {
        ThVar *less = elemwise_2(b, S_sub, shape_make(b, x), const_int(b, ddof, TH_DTYPE_NONE));
        v = divide(b, keep(f, keepdims, x, sum_make(b, sq, &axis), &axis), less, x->type.ndim, &axis);
    }
    if (corrected) v = elemwise_2(b, S_sub, v, correction(f, x, centred, &axis, ddof, keepdims));
    return named(f, v, "var");
}

int front_variance(Front *f) { return front_return(f, variance(f)); }
int front_std(Front *f) { return front_return(f, named(f, elemwise_1(f->b, S_sqrt, variance(f)), "std")); }

/* pow(sum(pow(|x|, L), axis), 1 / L); the optimizer knows L = 1 and L = 2. */
int front_norm(Front *f) {
    Builder *b = f->b;
    AttrInts axis;
    ThVar *x = front_var(f, 0);
    double power = front_float(f, 1);
    if (!x || failed(f->ctx) || !front_axes(f, 2, x->type.ndim, &axis)) return -1;
    if (power == 0 || power - power != 0)
        return front_error(f, TH_NotImplementedError, "L should be a finite number other than 0");
    ThVar *sum = sum_make(b, elemwise_2(b, S_pow, elemwise_1(b, S_abs_, x), front_var(f, 1)), &axis);
    ThVar *y = elemwise_2(b, S_pow, sum, const_float(b, 1 / power, TH_DTYPE_NONE));
    return front_return(f, keep(f, front_bool(f, 3), x, y, &axis));
}

/* The maximum of x; of nothing it is the least number of its dtype. */
static ThVar *largest_or_least(Builder *b, ThVar *x, const AttrInts *axis) {
    if (!x) return NULL;
    const ThDtype d = (ThDtype)x->type.dtype;
    if (dtype_is_half(d)) return cast_make(b, largest_or_least(b, cast_make(b, x, TH_FLOAT32), axis), d);
    if (dtype_is_complex(d)) return reduce_make(b, &op_max, x, axis, TH_DTYPE_NONE, TH_DTYPE_NONE, false); /* says no */
    const ReduceAttrs r = {.axis = *axis, .dtype = d, .acc_dtype = d, .or_least = true};
    return apply1(b, &op_max, &r, &x, 1);
}

/* x where its weight is not 0, -inf elsewhere: what does not count may be infinite. Both have all dims then. */
static ThVar *weighed(Builder *b, ThVar *x, ThVar *weights) {
    ThVar *none = elemwise_2(b, S_eq, weights, constant(b, 0, weights));
    ThVar *least = x ? const_float(b, -INFINITY, (ThDtype)x->type.dtype) : NULL;
    return elemwise_3(b, S_switch, none, least, x);
}

/* log(sum(w exp(x - m))) + m with m the finite maximum; m takes no part in the gradient, which is the softmax. A sum of
 * nothing is 0, and its logarithm -inf. */
int front_logsumexp(Front *f) {
    Builder *b = f->b;
    AttrInts axis;
    ThVar *x = front_var(f, 0), *w = front_none(f, 3) ? NULL : front_var(f, 3);
    bool keepdims = front_bool(f, 2);
    if (!x || failed(f->ctx)) return -1;
    if (!dtype_is_float(x->type.dtype)) x = cast_make(b, x, scalar_float_of(x->type.dtype));
    if (w && !(x = weighed(b, x, w))) return -1;
    if (!x || !front_axes(f, 1, x->type.ndim, &axis)) return -1;
    ThVar *m = keepdims_make(b, x, largest_or_least(b, x, &axis), &axis);
    ThVar *zero = const_float(b, 0, x ? (ThDtype)x->type.dtype : TH_FLOAT64);
    m = elemwise_3(b, S_switch, elemwise_1(b, S_isinf, m), zero, m);
    ThVar *e = elemwise_1(b, S_exp, elemwise_2(b, S_sub, x, m));
    ThVar *s = sum_make(b, w ? elemwise_2(b, S_mul, w, e) : e, &axis);
    ThVar *r = elemwise_2(b, S_add, elemwise_1(b, S_log, keepdims_make(b, x, s, &axis)), m);
    if (keepdims || !r) return front_return(f, r);
    int8_t order[TH_MAX_NDIM];
    int n = 0;
    for (int d = 0; d < x->type.ndim; d++)
        if (!axis_in(&axis, d)) order[n++] = (int8_t)d;
    return front_return(f, dimshuffle_make(b, r, order, n));
}

/* ---- extrema ----------------------------------------------------------------------------------------------------- */
/* An empty list of axes stands for all of them, as in Theano. */
static ThVar *ordered_input(Front *f, AttrInts *axis) {
    ThVar *x = folded_input(f, axis);
    if (x && axis->n == 0 && !f->b->arrays) axis->n = -1;
    return x;
}

/* Output `which` (0 maximum, 1 position) of MaxAndArgmax(x). In eager calls no axes leave the elements, as in NumPy. */
static ThVar *extremum(Front *f, ThVar *x, const AttrInts *axis, int which, bool keepdims) {
    if (x && axis->n == 0) {
        if (which == 0) return elemwise_1(f->b, S_identity, x);
        front_error(f, TH_ValueError, "an empty list of axes has no positions");
        return NULL;
    }
    ThApply *a = max_and_argmax_make(f->b, x, axis);
    return a ? keep(f, keepdims, x, a->out[which], axis) : NULL;
}

/* x turned so that its smallest element becomes the largest, by kind of dtype. NULL for complex (error set). */
static ThVar *flip(Front *f, ThVar *x) {
    if (!x) return NULL;
    ThDtype d = x->type.dtype;
    if (dtype_is_complex(d)) {
        front_error(f, TH_TypeError, "complex numbers have no order");
        return NULL;
    }
    return elemwise_1(f->b, dtype_is_discrete(d) ? S_invert : S_neg, x); /* minus the least integer is itself */
}

/* What extrema of no elements are with NumPy's initial: it, in the form of the result. */
static ThVar *initial_alone(Front *f, ThVar *x, ThVar *initial, const AttrInts *axis, bool keepdims) {
    ThVar *dims[TH_MAX_NDIM];
    int n = 0;
    if (!front_shape_of(f->b, x, dims)) return NULL;
    for (int d = 0; d < x->type.ndim; d++)
        if (!axis_in(axis, d)) dims[n++] = dims[d];
        else if (keepdims) dims[n++] = const_int(f->b, 1, TH_INT64);
    return alloc_make(f->b, cast_make(f->b, initial, (ThDtype)x->type.dtype), dims, n);
}

/* max and min, with NumPy's initial and where. */
static int front_extreme(Front *f, bool smallest) {
    enum { INITIAL = 3, WHERE };
    AttrInts axis;
    bool ok;
    ThVar *x = ordered_input(f, &axis), *m = where_of(f, WHERE, x, &ok);
    ThVar *initial = front_none(f, INITIAL) ? NULL : front_var(f, INITIAL);
    if (!ok || failed(f->ctx)) return -1;
    if (m && !initial)
        return front_error(f, TH_ValueError, "of no element there is none: with 'where' it needs 'initial'");
    bool empty = x->kind == VAR_CONSTANT ? th_array_size(x->u.data) == 0 /* halves are a cast of one */
                                         : f->arg[0].kind == TH_ARG_ARRAY && th_array_size(f->arg[0].array) == 0;
    if (initial && empty) return front_return(f, initial_alone(f, x, initial, &axis, front_bool(f, 2)));
    x = masked(f->b, x, m, initial);
    ThVar *r = extremum(f, smallest ? flip(f, x) : x, &axis, 0, front_bool(f, 2));
    if (smallest) r = flip(f, r);
    return front_return(f, with_initial(f, INITIAL, smallest ? S_minimum : S_maximum, r));
}

int front_max(Front *f) { return front_extreme(f, false); }
int front_min(Front *f) { return front_extreme(f, true); }

static int front_position(Front *f, bool smallest) {
    AttrInts axis;
    ThVar *x = ordered_input(f, &axis);
    return front_return(f, extremum(f, smallest ? flip(f, x) : x, &axis, 1, front_bool(f, 2)));
}

int front_argmax(Front *f) { return front_position(f, false); }
int front_argmin(Front *f) { return front_position(f, true); }

int front_max_and_argmax(Front *f) {
    AttrInts axis;
    ThVar *x = ordered_input(f, &axis);
    bool keepdims = front_bool(f, 2);
    ThVar *r[2] = {extremum(f, x, &axis, 0, keepdims), extremum(f, x, &axis, 1, keepdims)};
    return front_return_n(f, r, 2);
}

int front_ptp(Front *f) {
    AttrInts axis;
    ThVar *x = ordered_input(f, &axis);
    bool keepdims = front_bool(f, 2);
    ThVar *least = flip(f, extremum(f, flip(f, x), &axis, 0, keepdims));
    return front_return(f, elemwise_2(f->b, S_sub, extremum(f, x, &axis, 0, keepdims), least));
}
