/*
 * table_numpy.h -- names that NumPy and the array API standard have and Theano has not: other names of scalar
 * operations, and lines of the function table (see table.h for the columns).
 */
#ifndef TH_FRONT_NUMPY_H
#define TH_FRONT_NUMPY_H

/* clang-format off */
#define FRONT_NUMPY_ALIAS(ALIAS) \
    ALIAS("acos", arccos, FUNC, "x", "inverse cosine") \
    ALIAS("acosh", arccosh, FUNC, "x", "inverse hyperbolic cosine") \
    ALIAS("asin", arcsin, FUNC, "x", "inverse sine") \
    ALIAS("asinh", arcsinh, FUNC, "x", "inverse hyperbolic sine") \
    ALIAS("atan", arctan, FUNC, "x", "inverse tangent") \
    ALIAS("atan2", arctan2, FUNC, "x1, x2", "angle of the point (x2, x1)") \
    ALIAS("atanh", arctanh, FUNC, "x", "inverse hyperbolic tangent") \
    ALIAS("bitwise_invert", invert, FUNC, "x", "bitwise not; logical on bool") \
    ALIAS("bitwise_left_shift", left_shift, FUNC, "x1, x2", "x1 * 2^x2 of integers, wrapped; 0 where x2 is not in [0, width)") \
    ALIAS("bitwise_right_shift", right_shift, FUNC, "x1, x2", "x1 / 2^x2 of integers, rounded toward -inf") \
    ALIAS("subtract", sub, FUNC, "x1, x2", "difference x1 - x2") \
    ALIAS("multiply", mul, FUNC, "*inputs", "product of the inputs, elementwise with broadcasting; and on bool") \
    ALIAS("divide", true_div, FUNC, "x1, x2", "quotient x1 / x2") \
    ALIAS("true_divide", true_div, FUNC, "x1, x2", "quotient x1 / x2") \
    ALIAS("floor_divide", int_div, FUNC, "x1, x2", "quotient rounded toward -inf; an integer zero divisor raises") \
    ALIAS("remainder", mod, FUNC, "x1, x2", "remainder with the sign of x2; an integer zero divisor raises") \
    ALIAS("negative", neg, FUNC, "x", "-x") \
    ALIAS("absolute", abs_, FUNC, "x", "absolute value; of complex, the modulus") \
    ALIAS("sign", sgn, FUNC, "x", "sign: -1, 0 or 1; NaN stays; of complex, x / |x|") \
    ALIAS("conjugate", conj, FUNC, "x", "complex conjugate") \
    ALIAS("fix", trunc, FUNC, "x", "x without its fraction") \
    ALIAS("degrees", rad2deg, FUNC, "x", "radians to degrees") \
    ALIAS("radians", deg2rad, FUNC, "x", "degrees to radians") \
    ALIAS("equal", eq, FUNC, "x1, x2", "x1 == x2") \
    ALIAS("not_equal", neq, FUNC, "x1, x2", "x1 != x2") \
    ALIAS("less", lt, FUNC, "x1, x2", "x1 < x2") \
    ALIAS("less_equal", le, FUNC, "x1, x2", "x1 <= x2") \
    ALIAS("greater", gt, FUNC, "x1, x2", "x1 > x2") \
    ALIAS("greater_equal", ge, FUNC, "x1, x2", "x1 >= x2")

/* numbers.c */
#define FRONT_NUMPY(FRONT) \
    FRONT("logical_and", "x1, x2", NULL, FUNC, front_truth, "whether both are nonzero") \
    FRONT("logical_or", "x1, x2", NULL, FUNC, front_truth, "whether one of both is nonzero") \
    FRONT("logical_xor", "x1, x2", NULL, FUNC, front_truth, "whether exactly one of both is nonzero") \
    FRONT("logical_not", "x", NULL, FUNC, front_logical_not, "whether x is zero") \
    FRONT("isposinf", "x", NULL, FUNC, front_isposinf, "whether x is positive infinity") \
    FRONT("isneginf", "x", NULL, FUNC, front_isposinf, "whether x is negative infinity") \
    FRONT("iscomplex", "x", NULL, FUNC, front_iscomplex, "whether x has an imaginary part that is not 0") \
    FRONT("isreal", "x", NULL, FUNC, front_iscomplex, "whether x has no imaginary part") \
    FRONT("positive", "x", NULL, FUNC, front_positive, "x itself, copied; bool has no sign") \
    FRONT("reciprocal", "x", NULL, FUNC, front_reciprocal, "1 / x; of integers rounded toward 0, an integer zero raises") \
    FRONT("fabs", "x", NULL, FUNC, front_fabs, "absolute value as a float") \
    FRONT("fmod", "x1, x2", NULL, FUNC, front_fmod, "remainder with the sign of x1, as in C; an integer zero divisor raises") \
    FRONT("modf", "x", NULL, FUNC, front_modf, "the part behind the point and the part before it, both with the sign of x") \
    FRONT("frexp", "x", NULL, FUNC, front_frexp, "mantissa of magnitude [0.5, 1) and exponent, int32: x = mantissa * 2^exponent") \
    FRONT("ldexp", "x1, x2", NULL, FUNC, front_ldexp, "x1 * 2^x2 for integers x2") \
    FRONT("spacing", "x", NULL, FUNC, front_spacing, "how far the next float is, away from zero") \
    FRONT("sinc", "x", NULL, FUNC, front_sinc, "sin(pi x) / (pi x), and 1 at 0") \
    FRONT("float_power", "x1, x2", NULL, FUNC, front_float_power, "x1 to the power x2, in float64 or complex128") \
    FRONT("bitwise_count", "x", NULL, FUNC, front_bitwise_count, "how many bits of |x| are set, uint8")
/* clang-format on */

#endif
