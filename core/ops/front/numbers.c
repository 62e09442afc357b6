/*
 * numbers.c -- NumPy's functions of single elements that are made of others: truth, signs, parts of floats, bits.
 */
#include "util.h"

#include <math.h>

static ThVar *one(Front *f, int s, ThVar *a) { return elemwise_1(f->b, s, a); }
static ThVar *two(Front *f, int s, ThVar *a, ThVar *b) { return elemwise_2(f->b, s, a, b); }
static ThVar *pick(Front *f, ThVar *c, ThVar *a, ThVar *b) { return elemwise_3(f->b, S_switch, c, a, b); }
static ThDtype dtype_of(const ThVar *x) { return (ThDtype)x->type.dtype; }

/* A constant beside x, in its dtype; beside complex numbers of any value, too. */
static ThVar *number(Front *f, double v, const ThVar *x) {
    if (!x) return NULL;
    if (dtype_is_float(dtype_of(x))) return const_float(f->b, v, dtype_of(x));
    ThVar *r = dtype_is_complex(dtype_of(x)) ? const_float(f->b, v, TH_FLOAT64) : const_int(f->b, (int64_t)v, TH_INT8);
    return cast_make(f->b, r, dtype_of(x));
}

/* Argument i, which is not complex. NULL with TypeError. */
static ThVar *real_arg(Front *f, int i) {
    ThVar *x = front_var(f, i);
    if (!x || !dtype_is_complex(dtype_of(x))) return x;
    front_error(f, TH_TypeError, "complex numbers (%s) are refused", th_dtype_name(dtype_of(x)));
    return NULL;
}

/* Argument i as floats: NumPy's in eager calls, Theano's in graphs. */
static ThVar *float_arg(Front *f, int i) {
    ThVar *x = real_arg(f, i);
    return x ? cast_make(f->b, x, scalar_float_of(dtype_of(x))) : NULL;
}

/* ---- truth ------------------------------------------------------------------------------------------------------- */
static ThVar *truth(Front *f, int i) {
    ThVar *x = front_var(f, i);
    if (!x || dtype_of(x) == TH_BOOL) return x;
    return two(f, S_neq, x, number(f, 0, x));
}

int front_truth(Front *f) {
    int s = front_is(f, "logical_and") ? S_and_ : front_is(f, "logical_or") ? S_or_ : S_xor;
    return front_return(f, two(f, s, truth(f, 0), truth(f, 1)));
}

int front_logical_not(Front *f) { return front_return(f, one(f, S_invert, truth(f, 0))); }

int front_isposinf(Front *f) {
    ThVar *x = real_arg(f, 0);
    if (!x) return -1;
    return front_return(f,
                        two(f, S_eq, x, const_float(f->b, front_is(f, "isposinf") ? HUGE_VAL : -HUGE_VAL, TH_FLOAT32)));
}

int front_iscomplex(Front *f) {
    ThVar *x = front_var(f, 0);
    if (!x) return -1;
    bool all = front_is(f, "isreal");
    if (dtype_is_complex(dtype_of(x)))
        return front_return(f, two(f, all ? S_eq : S_neq, one(f, S_imag, x), const_int(f->b, 0, TH_INT8)));
    return front_return(f, second_make(f->b, x, cast_make(f->b, const_int(f->b, all, TH_INT8), TH_BOOL)));
}

/* ---- signs and parts --------------------------------------------------------------------------------------------- */
int front_positive(Front *f) {
    ThVar *x = front_var(f, 0);
    if (x && dtype_of(x) == TH_BOOL) return front_error(f, TH_TypeError, "bool has no sign");
    return front_return(f, one(f, S_identity, x));
}

int front_reciprocal(Front *f) {
    ThVar *x = front_var(f, 0);
    if (x && dtype_of(x) == TH_BOOL) x = cast_make(f->b, x, TH_INT8);
    if (!x || !dtype_is_int(dtype_of(x))) return front_return(f, one(f, S_inv, x));
    ThVar *unit = two(f, S_eq, x, number(f, 1, x)), *none = two(f, S_int_div, number(f, 0, x), x);
    if (dtype_is_signed(dtype_of(x))) unit = two(f, S_or_, unit, two(f, S_eq, x, number(f, -1, x)));
    return front_return(f, pick(f, unit, x, none));
}

int front_fabs(Front *f) { return front_return(f, one(f, S_abs_, float_arg(f, 0))); }

/* Of integers the remainder with the sign of x2, less x2 where the signs differ. */
int front_fmod(Front *f) {
    ThVar *x = real_arg(f, 0), *y = real_arg(f, 1), *r;
    if (!x || !y) return -1;
    if (dtype_is_float(th_dtype_upcast(dtype_of(x), dtype_of(y)))) return front_return(f, two(f, S_fmod, x, y));
    r = two(f, S_mod, x, y);
    ThVar *zero = number(f, 0, r);
    ThVar *other = two(f, S_neq, two(f, S_lt, r, zero), two(f, S_lt, x, number(f, 0, x)));
    return front_return(f, two(f, S_sub, r, pick(f, two(f, S_and_, two(f, S_neq, r, zero), other), y, zero)));
}

int front_modf(Front *f) {
    ThVar *x = float_arg(f, 0), *whole = one(f, S_trunc, x);
    ThVar *rest = pick(f, one(f, S_isinf, x), number(f, 0, x), two(f, S_sub, x, whole));
    ThVar *r[2] = {two(f, S_copysign, rest, x), whole};
    return front_return_n(f, r, 2);
}

int front_frexp(Front *f) {
    ThVar *x = float_arg(f, 0);
    ThVar *r[2] = {one(f, S_mantissa, x), cast_make(f->b, one(f, S_exponent, x), TH_INT32)};
    return front_return_n(f, r, 2);
}

/* Exponents that are far outside of all floats become the nearest that float32 holds exactly. */
int front_ldexp(Front *f) {
    ThVar *x = float_arg(f, 0), *e = front_var(f, 1);
    if (!x || !e) return -1;
    if (!dtype_is_discrete(dtype_of(e)))
        return front_error(f, TH_TypeError, "exponents are integers, not %s", th_dtype_name(dtype_of(e)));
    ThVar *far = const_int(f->b, 5000, TH_INT64);
    e = cast_make(f->b, e, TH_INT64);
    e = two(f, S_maximum, two(f, S_minimum, e, far), one(f, S_neg, far));
    return front_return(f, two(f, S_ldexp, x, cast_make(f->b, e, dtype_of(x))));
}

int front_spacing(Front *f) {
    ThVar *x = float_arg(f, 0), *zero = number(f, 0, x);
    if (!zero) return -1;
    x = pick(f, two(f, S_eq, x, zero), zero, x); /* of -0.0 it is that of 0 */
    ThVar *far = two(f, S_copysign, number(f, HUGE_VAL, x), x);
    return front_return(f, two(f, S_sub, two(f, S_nextafter, x, far), x));
}

/* The division stands on numbers that are not 0, so that gradients hold at 0 too. */
int front_sinc(Front *f) {
    ThVar *x = front_var(f, 0);
    if (!x) return -1;
    bool wide = f->b->arrays && dtype_is_discrete(dtype_of(x)); /* as NumPy */
    x = cast_make(f->b, x, wide ? TH_FLOAT64 : scalar_float_of(dtype_of(x)));
    if (!x) return -1;
    ThVar *pi = const_float(f->b, 3.141592653589793,
                            dtype_of(x) == TH_FLOAT32 || dtype_of(x) == TH_COMPLEX64 ? TH_FLOAT32 : TH_FLOAT64);
    ThVar *unit = number(f, 1, x), *y = two(f, S_mul, x, pi);
    ThVar *near = y ? two(f, S_lt, one(f, S_abs_, y), const_float(f->b, 0.03125, dtype_of(pi))) : NULL;
    /* near 0 three terms of the series, which have derivatives there: 1 - s / 6 (1 - s / 20 (1 - s / 42)), s = y^2 */
    ThVar *s = one(f, S_sqr, pick(f, near, y, number(f, 0, x))), *sum = unit;
    for (int k = 6; k >= 2; k -= 2) {
        ThVar *part = two(f, S_mul, s, const_float(f->b, -1.0 / (k * (k + 1)), dtype_of(pi)));
        sum = two(f, S_add, unit, two(f, S_mul, part, sum));
    }
    y = pick(f, near, unit, y);
    return front_return(f, pick(f, near, sum, two(f, S_true_div, one(f, S_sin, y), y)));
}

int front_float_power(Front *f) {
    ThVar *v[2] = {front_var(f, 0), front_var(f, 1)};
    for (int i = 0; i < 2; i++)
        if (v[i]) v[i] = cast_make(f->b, v[i], dtype_is_complex(dtype_of(v[i])) ? TH_COMPLEX128 : TH_FLOAT64);
    return front_return(f, two(f, S_pow, v[0], v[1]));
}

/* ---- bits -------------------------------------------------------------------------------------------------------- */
/* Of the bits of x below `by` and those above, which are as many: (x & m) + (x >> by & m). */
static ThVar *halves_of(Front *f, ThVar *x, int by, uint64_t mask, int how) {
    ThVar *m = const_int(f->b, (int64_t)mask, TH_UINT64);
    ThVar *above = two(f, S_right_shift, x, const_int(f->b, by, TH_UINT64));
    if (how == S_sub) return two(f, S_sub, x, two(f, S_and_, above, m));
    if (how == S_and_) return two(f, S_and_, two(f, S_add, x, above), m);
    return two(f, S_add, two(f, S_and_, x, m), two(f, S_and_, above, m));
}

/* Sums of neighbouring bits, pairs, quads; the bytes are added up by a product. The first sum of two bits is what they
 * are as a number less the upper one; sums of quads cannot carry over, so that one mask will do. */
int front_bitwise_count(Front *f) {
    ThVar *x = front_var(f, 0);
    if (!x) return -1;
    if (!dtype_is_discrete(dtype_of(x)))
        return front_error(f, TH_TypeError, "integers are expected, not %s", th_dtype_name(dtype_of(x)));
    x = cast_make(f->b, dtype_is_signed(dtype_of(x)) ? one(f, S_abs_, cast_make(f->b, x, TH_INT64)) : x, TH_UINT64);
    x = x ? halves_of(f, x, 1, 0x5555555555555555u, S_sub) : NULL;
    x = x ? halves_of(f, x, 2, 0x3333333333333333u, S_add) : NULL;
    x = x ? halves_of(f, x, 4, 0x0f0f0f0f0f0f0f0fu, S_and_) : NULL;
    x = two(f, S_mul, x, const_int(f->b, 0x0101010101010101, TH_UINT64));
    x = two(f, S_right_shift, x, const_int(f->b, 56, TH_UINT64));
    return front_return(f, x ? cast_make(f->b, x, TH_UINT8) : NULL);
}
