/*
 * fft.c -- functions of tensor.fft: Theano's rfft and irfft, NumPy's transforms of complex numbers, frequencies,
 * shifts.
 */
#include "util.h"
#include "ops/fft/dft.h"

#include <string.h>

/* The function's name without its module. */
static const char *name_of(const Front *f) { return strrchr(f->info->name, '.') + 1; }
static bool named(const Front *f, const char *name) { return strcmp(name_of(f), name) == 0; }

/* Numbers as this family takes them: integers become floats, float32 stays. */
static ThVar *floats(Front *f, ThVar *x) {
    if (!x || x->type.kind != TYPE_TENSOR || !dtype_is_discrete((ThDtype)x->type.dtype)) return x;
    return cast_make(f->b, x, f->b->arrays ? TH_FLOAT64 : config_floatX(f->ctx));
}

static ThVar *complexes(Front *f, ThVar *x) {
    if (!(x = floats(f, x)) || dtype_is_complex((ThDtype)x->type.dtype)) return x;
    return cast_make(f->b, x, x->type.dtype == TH_FLOAT32 ? TH_COMPLEX64 : TH_COMPLEX128);
}

/* ---- Theano's ---------------------------------------------------------------------------------------------------- */
typedef enum { NORM_NONE, NORM_ORTHO, NORM_NO, NORM_WRONG } Norm;

static Norm theano_norm(Front *f, int i) {
    if (front_none(f, i)) return NORM_NONE;
    const char *norm = f->arg[i].kind == TH_ARG_STR ? front_str(f, i) : NULL;
    if (norm && strcmp(norm, "ortho") == 0) return NORM_ORTHO;
    if (norm && strcmp(norm, "no_norm") == 0) return NORM_NO;
    front_error(f, TH_ValueError, "Invalid value %s for norm, must be nil, \"ortho\" or \"no_norm\"",
                norm ? norm : "(no text)");
    return NORM_WRONG;
}

/* x's lengths but the first `from` and the last `but`; of a half the last one is twice - 2, or - 1 where odd. */
static ThVar *own_lengths(Builder *b, ThVar *x, int from, int but, bool half, bool odd) {
    ThVar *n[TH_MAX_NDIM];
    int k = 0;
    for (int d = from; d < x->type.ndim - but; d++) n[k++] = shape_elem_make(b, x, d);
    if (half && k) {
        ThVar *less = elemwise_2(b, S_sub, n[k - 1], const_int(b, 1, TH_DTYPE_NONE));
        n[k - 1] = elemwise_2(b, S_mul, less, const_int(b, 2, TH_DTYPE_NONE));
        if (odd) n[k - 1] = elemwise_2(b, S_add, n[k - 1], const_int(b, 1, TH_DTYPE_NONE));
    }
    return make_vector_make(b, n, k, TH_INT64);
}

/* x.shape[1:], as Theano writes it. */
static ThVar *lengths_from_1(Builder *b, ThVar *x) {
    AttrIdx idx = {.n = 1, .at = {{'s', 1, {TH_INT64, 0, 0}}}};
    ThVar *s = shape_make(b, x), *from = const_scalar_int(b, 1);
    return s && from ? subtensor_make(b, s, &idx, &from, 1) : NULL;
}

static ThVar *scaling(Builder *b, ThVar *s, ThVar *like, bool root) {
    ThVar *n = reduce_make(b, &op_prod, s, NULL, TH_DTYPE_NONE, TH_DTYPE_NONE, false);
    n = n ? cast_make(b, n, (ThDtype)like->type.dtype) : NULL;
    return n && root ? elemwise_1(b, S_sqrt, n) : n;
}

int front_rfft(Front *f) {
    Builder *b = f->b;
    bool back = named(f, "irfft"), odd = back && f->arg[2].kind == TH_ARG_BOOL && front_bool(f, 2);
    ThVar *x = floats(f, front_var(f, 0)), *by;
    Norm norm = theano_norm(f, 1);
    if (back && f->arg[2].kind != TH_ARG_BOOL)
        return front_error(f, TH_ValueError, "Invalid value for is_odd, must be true or false");
    if (failed(f->ctx) || !x) return -1;
    const Op *op = back ? &op_irfft : &op_rfft;
    if (x->type.ndim < (back ? 3 : 2))
        return front_return(f, rfft_make(b, op, x, own_lengths(b, x, 0, 0, false, false), true));
    ThVar *s = back ? own_lengths(b, x, 1, 1, true, odd) : lengths_from_1(b, x), *r = rfft_make(b, op, x, s, true);
    if (!r) return -1;
    if (norm == NORM_ORTHO) by = scaling(b, s, x, true);
    else if (norm == NORM_NONE && back) by = scaling(b, s, x, false);
    else by = const_int(b, 1, TH_DTYPE_NONE);
    return front_return(f, elemwise_2(b, S_true_div, r, by));
}

int front_rfft_op(Front *f) {
    bool back = named(f, "irfft_op"), given = !front_none(f, 1);
    ThVar *x = floats(f, front_var(f, 0)), *s = given ? front_var(f, 1) : NULL;
    if (failed(f->ctx) || !x) return -1;
    if (!given) s = own_lengths(f->b, x, 1, back, back, false);
    return front_return(f, rfft_make(f->b, back ? &op_irfft : &op_rfft, x, s, !given));
}

/* ---- NumPy's ----------------------------------------------------------------------------------------------------- */
/* What norm asks of a transform that NumPy scales in this direction. -1: an error. */
static int numpy_norm(Front *f, int i, bool inverse) {
    const char *norm = front_none(f, i) ? "backward" : f->arg[i].kind == TH_ARG_STR ? front_str(f, i) : "(no text)";
    if (strcmp(norm, "ortho") == 0) return DFT_ORTHO;
    if (strcmp(norm, "backward") == 0) return inverse ? DFT_MEAN : DFT_PLAIN;
    if (strcmp(norm, "forward") == 0) return inverse ? DFT_PLAIN : DFT_MEAN;
    return front_error(f, TH_ValueError, "Invalid norm value '%s'; should be \"backward\", \"ortho\" or \"forward\"",
                       norm);
}

typedef struct Request {
    DftAttrs at;
    ThVar *n[TH_MAX_NDIM]; /* NULL: x's own */
} Request;

/* fft(a, n, axis): one axis. */
static bool one_axis(Front *f, ThVar *x, Request *r) {
    int axis;
    if (!front_axis(f, 2, x->type.ndim, &axis)) return false;
    r->at.axes = (AttrInts){.n = 1, .at = {(int8_t)axis}};
    r->n[0] = front_none(f, 1) ? NULL : front_var(f, 1);
    return !failed(f->ctx);
}

/* Axes as they are listed; the last `few` ones, or all, where they are not. */
static bool listed_axes(Front *f, ThVar *x, int few, Request *r) {
    int64_t v[TH_MAX_NDIM];
    int nd = x->type.ndim, n = few;
    uint32_t seen = 0;
    if (front_none(f, 2)) {
        for (int i = 0; i < n; i++) v[i] = nd - n + i;
    } else if (!front_ints(f, 2, v, TH_MAX_NDIM, &n)) {
        if (!failed(f->ctx)) front_error(f, TH_TypeError, "axes must be integers");
        return false;
    }
    r->at.axes = (AttrInts){.n = (int8_t)n};
    for (int i = 0; i < n; i++) {
        if (v[i] < -nd || v[i] >= nd)
            return front_error(f, TH_ValueError, "axis %lld is out of range for a tensor with %d dimension%s",
                               (long long)v[i], nd, nd == 1 ? "" : "s") > 0;
        int axis = (int)(v[i] < 0 ? v[i] + nd : v[i]);
        if (seen >> axis & 1) return front_error(f, TH_ValueError, "axis %d stands twice in axes", axis) > 0;
        seen |= 1u << axis;
        r->at.axes.at[i] = (int8_t)axis;
    }
    return n > 0 || front_error(f, TH_ValueError, "at least 1 axis must be transformed") > 0;
}

/* fftn(a, s, axes): lengths s of the axes; without axes those of the last ones. */
static bool many_axes(Front *f, ThVar *x, bool two, Request *r) {
    VarVec s = {0};
    bool given = !front_none(f, 1), ok = !given || front_lengths(f, 1, &s);
    int few = two ? 2 : given ? s.n : x->type.ndim;
    if (ok && few > x->type.ndim)
        ok = front_error(f, TH_ValueError, "%d axes of a tensor with %d dimension%s", few, x->type.ndim,
                         x->type.ndim == 1 ? "" : "s") > 0;
    ok = ok && listed_axes(f, x, few, r);
    if (ok && given && s.n != r->at.axes.n)
        ok = front_error(f, TH_ValueError, "s has %d lengths, there are %d axes", s.n, r->at.axes.n) > 0;
    for (int i = 0; ok && given && i < s.n; i++) r->n[i] = s.at[i];
    vec_free(f->ctx, &s);
    return ok;
}

/* The lengths as a vector, each known one held against 1. */
static ThVar *lengths(Front *f, ThVar *x, Request *r, bool half) {
    Builder *b = f->b;
    ThVar *n[TH_MAX_NDIM];
    int64_t v;
    r->at.whole = true;
    for (int i = 0; i < r->at.axes.n; i++) {
        n[i] = r->n[i];
        if (n[i] &&
            (n[i]->type.kind != TYPE_TENSOR || n[i]->type.ndim != 0 || !dtype_is_int((ThDtype)n[i]->type.dtype)))
            return front_error(f, TH_TypeError, "a length is an integer, not %s",
                               th_dtype_name((ThDtype)n[i]->type.dtype)),
                   NULL;
        if (n[i] && scalar_known(n[i], &v) && v < 1)
            return front_error(f, TH_ValueError, "Invalid number of FFT data points (%lld) specified", (long long)v),
                   NULL;
        if (n[i]) {
            r->at.whole = false;
            continue;
        }
        n[i] = shape_elem_make(b, x, r->at.axes.at[i]);
        if (!half || i != r->at.axes.n - 1) continue;
        ThVar *less = elemwise_2(b, S_sub, n[i], const_int(b, 1, TH_DTYPE_NONE));
        n[i] = elemwise_2(b, S_mul, less, const_int(b, 2, TH_DTYPE_NONE));
    }
    return front_shape_vector(b, n, r->at.axes.n);
}

int front_dft(Front *f) {
    const char *name = name_of(f);
    bool hermite = strstr(name, "hfft") != NULL, inverse = (name[0] == 'i') != hermite,
         one = strchr("t", name[strlen(name) - 1]);
    bool real = strstr(name, "rfft") || hermite, back = inverse; /* hfft is an inverse transform, ihfft is none */
    int norm = numpy_norm(f, 3, inverse != hermite);
    Request r = {.at = {.twice = 1, .norm = norm}};
    ThVar *x = front_var(f, 0);
    if (failed(f->ctx) || !x) return -1;
    if (x->type.kind != TYPE_TENSOR || x->type.ndim == 0)
        return front_error(f, TH_ValueError, "a tensor with at least one dimension is needed");
    const Op *op = !real ? &op_dft : back ? &op_dft_from_half : &op_dft_to_half;
    if (op == &op_dft_to_half && dtype_is_complex((ThDtype)x->type.dtype))
        return front_error(f, TH_TypeError, "the input must be real, it is %s", th_dtype_name((ThDtype)x->type.dtype));
    x = op == &op_dft_to_half ? floats(f, x) : complexes(f, x);
    if (!x || !(one ? one_axis(f, x, &r) : many_axes(f, x, name[strlen(name) - 1] == '2', &r))) return -1;
    if (op == &op_dft) r.at.back = back;
    if (hermite && back) x = conj_make(f->b, x);
    ThVar *s = lengths(f, x, &r, op == &op_dft_from_half);
    ThVar *y = s ? dft_make(f->b, op, x, s, &r.at) : NULL;
    return front_return(f, y && hermite && !back ? conj_make(f->b, y) : y);
}

/* ---- frequencies, shifts ----------------------------------------------------------------------------------------- */
/* Whole numbers over n d: 0, 1, .., those from (n + 1) / 2 on less n. */
int front_fftfreq(Front *f) {
    Builder *b = f->b;
    ThVar *n = front_var(f, 0), *d = front_var(f, 1), *one = const_int(b, 1, TH_INT64),
          *two = const_int(b, 2, TH_INT64);
    int64_t v;
    if (!n || !d || failed(f->ctx)) return -1;
    if (n->type.ndim != 0 || !dtype_is_int((ThDtype)n->type.dtype))
        return front_error(f, TH_ValueError, "n should be an integer");
    if (d->type.ndim != 0) return front_error(f, TH_TypeError, "d is a number");
    if (scalar_known(n, &v) && v < 1)
        return front_error(f, TH_ValueError, "n must be positive, it is %lld", (long long)v);
    n = cast_make(b, n, TH_INT64);
    ThVar *half = elemwise_2(b, S_int_div, n, two), *zero = const_int(b, 0, TH_INT64);
    ThVar *to = named(f, "rfftfreq") ? elemwise_2(b, S_add, half, one) : n;
    ThVar *k = arange_make(b, zero, to, one, TH_INT64);
    if (!named(f, "rfftfreq")) k = elemwise_2(b, S_sub, elemwise_2(b, S_mod, elemwise_2(b, S_add, k, half), n), half);
    ThVar *wide = cast_make(b, n, TH_FLOAT64), *step = cast_make(b, d, TH_FLOAT64);
    ThVar *by = elemwise_2(b, S_true_div, const_float(b, 1, TH_FLOAT64), elemwise_2(b, S_mul, wide, step));
    ThVar *r = elemwise_2(b, S_mul, k, by);
    return front_return(f, r ? cast_make(b, r, b->arrays ? TH_FLOAT64 : config_floatX(f->ctx)) : NULL);
}

/* Moved by half of each length, so that frequency 0 stands in the middle; or back. */
int front_fftshift(Front *f) {
    Builder *b = f->b;
    ThVar *x = front_var(f, 0);
    AttrInts axes;
    if (!x || failed(f->ctx) || !front_axes(f, 1, x->type.ndim, &axes)) return -1;
    int n = axes.n < 0 ? x->type.ndim : axes.n;
    for (int i = 0; x && i < n; i++) {
        int axis = axes.n < 0 ? i : axes.at[i];
        ThVar *by = elemwise_2(b, S_int_div, shape_elem_make(b, x, axis), const_int(b, 2, TH_DTYPE_NONE));
        if (by && named(f, "ifftshift")) by = elemwise_1(b, S_neg, by);
        x = by ? front_call(b, "roll", (ThArg[]){front_arg_var(x), front_arg_var(by), front_arg_int(axis)}, 3) : NULL;
    }
    return front_return(f, x);
}
