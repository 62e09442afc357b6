/*
 * elemwise.c -- functions built from elementwise operations, node for node as Theano builds them: casts,
 * rounding, closeness, parts of complex numbers, dimshuffle, and the elementwise functions of nnet.
 */
#include "front.h"

#include <math.h>
#include <string.h>

/* ---- small words ------------------------------------------------------------------------------------------------- */
static ThVar *two(Front *f, int s, ThVar *a, ThVar *b) { return elemwise_2(f->b, s, a, b); }
static ThVar *one(Front *f, int s, ThVar *a) { return elemwise_1(f->b, s, a); }
static ThVar *integer(Front *f, int64_t v) { return const_int(f->b, v, TH_DTYPE_NONE); }
static ThVar *number(Front *f, double v) { return const_float(f->b, v, TH_DTYPE_NONE); }

/* ---- dtypes ------------------------------------------------------------------------------------------------------ */
int front_cast(Front *f) {
    ThVar *x = front_var(f, 0);
    ThDtype d = front_dtype_of(f->ctx, front_str(f, 1));
    if (f->nparam > 2 && !front_none(f, 2)) front_bool(f, 2); /* a copy or not is the same value */
    if (!x || failed(f->ctx)) return -1;
    return front_return(f, cast_make(f->b, x, d));
}

int front_real(Front *f) {
    ThVar *z = front_var(f, 0);
    return front_return(f, z && dtype_is_complex(z->type.dtype) ? one(f, S_real, z) : z);
}

int front_imag(Front *f) {
    ThVar *z = front_var(f, 0);
    if (!z) return -1;
    return front_return(f,
                        dtype_is_complex(z->type.dtype) ? one(f, S_imag, z) : zeros_like_make(f->b, z, z->type.dtype));
}

/* tensor_copy(a), a:copy(name) */
int front_copy(Front *f) {
    ThVar *r = one(f, S_identity, front_var(f, 0));
    if (r && f->nparam > 1 && !front_none(f, 1)) {
        const char *name = front_str(f, 1);
        if (!name || th_var_set_name(r, name) != 0) return -1;
    }
    return front_return(f, r);
}

/* ---- rounding ---------------------------------------------------------------------------------------------------- */
static ThVar *rounded(Front *f, ThVar *a, int how) {
    if (a && a->type.kind == TYPE_TENSOR && dtype_is_discrete((ThDtype)a->type.dtype)) return one(f, S_identity, a);
    if (!a || !dtype_is_complex((ThDtype)a->type.dtype)) return one(f, how, a);
    return two(f, S_complex, one(f, how, one(f, S_real, a)), one(f, how, one(f, S_imag, a)));
}

/* To so many places behind the point, or before it. */
static ThVar *round_places(Front *f, ThVar *a) {
    int64_t places = front_int(f, 1);
    if (!a || failed(f->ctx)) return NULL;
    ThDtype d = (ThDtype)a->type.dtype;
    bool whole = dtype_is_discrete(d);
    if (places == 0 || (whole && places > 0)) return rounded(f, a, S_round_half_to_even);
    ThVar *scale = const_float(f->b, pow(10.0, fabs((double)places)), whole ? TH_FLOAT64 : scalar_real_of(d));
    int there = places > 0 ? S_mul : S_true_div, back = places > 0 ? S_true_div : S_mul;
    ThVar *r = two(f, back, rounded(f, two(f, there, a, scale), S_round_half_to_even), scale);
    return whole ? cast_make(f->b, r, d) : r;
}

static ThVar *round_var(Front *f) {
    ThVar *a = front_var(f, 0);
    int how = S_round_half_to_even;
    if (f->arg[1].kind == TH_ARG_INT) return round_places(f, a);
    if (!front_none(f, 1)) {
        const char *mode = front_str(f, 1);
        if (!mode) return NULL;
        if (strcmp(mode, "half_away_from_zero") == 0) how = S_round_half_away_from_zero;
        else if (strcmp(mode, "half_to_even") != 0) {
            front_error(f, TH_ValueError, "mode '%s' is not known: half_to_even or half_away_from_zero", mode);
            return NULL;
        }
    }
    return rounded(f, a, how);
}

int front_round(Front *f) { return front_return(f, round_var(f)); }
int front_iround(Front *f) { return front_return(f, cast_make(f->b, round_var(f), TH_INT64)); }

int front_divmod(Front *f) {
    ThVar *x = front_var(f, 0), *y = front_var(f, 1);
    ThVar *r[2] = {two(f, S_int_div, x, y), two(f, S_mod, x, y)};
    return front_return_n(f, r, 2);
}

int front_ceil_intdiv(Front *f) {
    ThVar *a = front_var(f, 0), *b = front_var(f, 1), *q = two(f, S_int_div, a, b);
    ThVar *more = two(f, S_neq, two(f, S_mod, a, b), integer(f, 0));
    return q ? front_return(f, two(f, S_add, cast_make(f->b, more, q->type.dtype), q)) : -1;
}

/* ---- closeness --------------------------------------------------------------------------------------------------- */
/* Integers have no differences of their dtype: there is none below zero, or it is too large, as -128's modulus. */
static ThVar *difference_arg(Front *f, int i) {
    ThVar *x = front_var(f, i);
    bool plain = x && x->type.kind == TYPE_TENSOR && dtype_is_discrete((ThDtype)x->type.dtype);
    return plain ? cast_make(f->b, x, TH_FLOAT64) : x;
}

/* Infinities of one sign are close; NaN only with equal_nan. */
static ThVar *isclose(Front *f) {
    ThVar *a = difference_arg(f, 0), *b = difference_arg(f, 1);
    ThVar *diff = one(f, S_abs_, two(f, S_sub, a, b));
    ThVar *rtol = front_as_var(f, &f->arg[2], "rtol"), *atol = front_as_var(f, &f->arg[3], "atol");
    ThVar *near = two(f, S_le, diff, two(f, S_add, atol, two(f, S_mul, rtol, one(f, S_abs_, b))));
    ThVar *a_nan = one(f, S_isnan, a), *b_nan = one(f, S_isnan, b), *a_inf = one(f, S_isinf, a),
          *b_inf = one(f, S_isinf, b);
    ThVar *special = two(f, S_or_, two(f, S_or_, a_nan, b_nan), two(f, S_or_, a_inf, b_inf));
    ThVar *close = two(f, S_and_, near, one(f, S_invert, special));
    ThVar *same_sign = two(f, S_eq, two(f, S_mul, a_inf, one(f, S_sgn, a)), two(f, S_mul, b_inf, one(f, S_sgn, b)));
    ThVar *r = two(f, S_or_, close, two(f, S_and_, two(f, S_and_, a_inf, b_inf), same_sign));
    return front_bool(f, 4) ? two(f, S_or_, r, two(f, S_and_, a_nan, b_nan)) : r;
}

int front_isclose(Front *f) { return front_return(f, isclose(f)); }

int front_allclose(Front *f) {
    ThArg a = front_arg_var(isclose(f));
    return front_return(f, front_call(f->b, "all", &a, 1));
}

/* ---- dimshuffle -------------------------------------------------------------------------------------------------- */
int front_dimshuffle(Front *f) {
    ThVar *x = front_var(f, 0);
    int8_t pattern[TH_MAX_NDIM];
    if (!x) return -1;
    if (f->nrest > TH_MAX_NDIM)
        return front_error(f, TH_ValueError, "%d dimensions, at most %d are possible", f->nrest, TH_MAX_NDIM);
    for (int i = 0; i < f->nrest; i++) {
        const ThArg *a = &f->rest[i];
        if ((a->kind == TH_ARG_STR && strcmp(a->s, "x") == 0) || a->kind == TH_ARG_NEWAXIS) {
            pattern[i] = -1;
            continue;
        }
        if (a->kind != TH_ARG_INT)
            return front_error(f, TH_TypeError, "entry %d of the pattern should be a dimension or \"x\"", i);
        int64_t d = a->i < 0 ? a->i + x->type.ndim : a->i;
        if (d < 0 || d >= x->type.ndim)
            return front_error(f, TH_ValueError, "entry %d of the pattern is %lld, but the input has %d dimension%s", i,
                               (long long)a->i, x->type.ndim, x->type.ndim == 1 ? "" : "s");
        pattern[i] = (int8_t)d;
    }
    return front_return(f, dimshuffle_make(f->b, x, pattern, f->nrest));
}

/* ---- nnet -------------------------------------------------------------------------------------------------------- */
/* alpha == 0: 0.5 * (x + |x|), so that the gradient at 0 is 0.5; else f1 * x + f2 * |x|. */
int front_relu(Front *f) {
    ThVar *x = front_var(f, 0), *ax = one(f, S_abs_, x);
    const ThArg *alpha = &f->arg[1];
    if ((alpha->kind == TH_ARG_INT && alpha->i == 0) || (alpha->kind == TH_ARG_FLOAT && alpha->f == 0))
        return front_return(f, two(f, S_mul, number(f, 0.5), two(f, S_add, x, ax)));
    if (alpha->kind == TH_ARG_INT || alpha->kind == TH_ARG_FLOAT) {
        double a = front_float(f, 1);
        ThVar *f1 = number(f, 0.5 * (1 + a)), *f2 = number(f, 0.5 * (1 - a));
        return front_return(f, two(f, S_add, two(f, S_mul, f1, x), two(f, S_mul, f2, ax)));
    }
    ThVar *a = front_var(f, 1);
    ThVar *f1 = two(f, S_mul, number(f, 0.5), two(f, S_add, integer(f, 1), a));
    ThVar *f2 = two(f, S_mul, number(f, 0.5), two(f, S_sub, integer(f, 1), a));
    return front_return(f, two(f, S_add, two(f, S_mul, f1, x), two(f, S_mul, f2, ax)));
}

static ThVar *elu(Front *f, ThVar *x, ThVar *alpha) {
    return elemwise_3(f->b, S_switch, two(f, S_gt, x, integer(f, 0)), x, two(f, S_mul, alpha, one(f, S_expm1, x)));
}

int front_elu(Front *f) { return front_return(f, elu(f, front_var(f, 0), front_var(f, 1))); }

int front_selu(Front *f) {
    return front_return(f, two(f, S_mul, number(f, 1.0507009873554804934193349852946),
                               elu(f, front_var(f, 0), number(f, 1.6732632423543772848170429916717))));
}

int front_softsign(Front *f) {
    ThVar *x = front_var(f, 0);
    return front_return(f, two(f, S_true_div, x, two(f, S_add, number(f, 1.0), one(f, S_abs_, x))));
}

int front_hard_sigmoid(Front *f) {
    ThVar *x = front_var(f, 0);
    if (!x) return -1;
    ThDtype d = scalar_float_of(x->type.dtype);
    ThVar *line = two(f, S_add, two(f, S_mul, x, const_float(f->b, 0.2, d)), const_float(f->b, 0.5, d));
    return front_return(f, elemwise_3(f->b, S_clip, line, integer(f, 0), integer(f, 1)));
}

/* 0.5 x (1 + erf(x / sqrt 2)), or Hendrycks and Gimpel's (2016) approximation by tanh. */
int front_gelu(Front *f) {
    ThVar *x = front_var(f, 0);
    if (!x) return -1;
    ThDtype d = scalar_float_of(x->type.dtype);
    ThVar *half = two(f, S_mul, const_float(f->b, 0.5, d), x), *unit = const_float(f->b, 1, d), *shape;
    if (front_bool(f, 1)) {
        ThVar *cube = two(f, S_mul, two(f, S_mul, x, x), x);
        ThVar *sum = two(f, S_add, x, two(f, S_mul, const_float(f->b, 0.044715, d), cube));
        shape = one(f, S_tanh, two(f, S_mul, const_float(f->b, 0.79788456080286535588, d), sum)); /* sqrt(2 / pi) */
    } else {
        shape = one(f, S_erf, two(f, S_mul, x, const_float(f->b, 0.70710678118654752440, d)));
    }
    return front_return(f, two(f, S_mul, half, two(f, S_add, unit, shape)));
}

int front_silu(Front *f) {
    ThVar *x = front_var(f, 0);
    return front_return(f, two(f, S_mul, x, one(f, S_sigmoid, x)));
}

int front_mish(Front *f) {
    ThVar *x = front_var(f, 0);
    return front_return(f, two(f, S_mul, x, one(f, S_tanh, one(f, S_softplus, x))));
}

/* A number is of x's dtype: 0.01 does not widen float32, as it would in a product. */
int front_leaky_relu(Front *f) {
    ThVar *x = front_var(f, 0), *alpha;
    const ThArg *a = &f->arg[1];
    if (!x) return -1;
    bool given = a->kind == TH_ARG_INT || a->kind == TH_ARG_FLOAT;
    alpha = given ? const_float(f->b, front_float(f, 1), scalar_float_of(x->type.dtype)) : front_var(f, 1);
    return front_return(f, elemwise_3(f->b, S_switch, two(f, S_gt, x, integer(f, 0)), x, two(f, S_mul, alpha, x)));
}

int front_binary_crossentropy(Front *f) {
    ThVar *o = front_var(f, 0), *t = front_var(f, 1);
    ThVar *yes = two(f, S_mul, t, one(f, S_log, o));
    ThVar *no = two(f, S_mul, two(f, S_sub, number(f, 1.0), t), one(f, S_log, two(f, S_sub, number(f, 1.0), o)));
    return front_return(f, one(f, S_neg, two(f, S_add, yes, no)));
}

int front_sigmoid_bce(Front *f) {
    return front_return(f, two(f, S_sigmoid_binary_crossentropy, front_var(f, 0), front_var(f, 1)));
}
