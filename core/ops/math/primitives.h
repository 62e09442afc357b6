/*
 * primitives.h -- the helpers that value texts of scalar.h may call: exactly these, in every backend and the
 * interpreter. PRIM works on one dtype (that of the instruction's operands) and gives the same dtype unless the text
 * says otherwise; CPRIM works on complex numbers {re, im}. Everything else in a value text is + - * / < <= > >= == !=
 * && || ! ?: and the literals 0 1 2 -1 0.5, taken in the computing dtype. Operators on integers wrap; bool is 0 or 1.
 */
#ifndef TH_PRIMITIVES_H
#define TH_PRIMITIVES_H

#include <stdbool.h>

/*
 * PRIM_EXACT: of a number there is one result, whatever the numbers beside it and however many lanes there are. Others
 * call a library whose vector form may round otherwise, unless vmath_all.h has them for the dtype.
 */
enum { PRIM_EXACT = 1 };
typedef struct Primitive {
    const char *name;
    int arity, flags;
    bool of_complex;
} Primitive;
/* By name, operators of value texts included: they are PRIM_EXACT. NULL: there is no such helper. */
const Primitive *primitives_find(const char *name);

/* clang-format off */
/* Operators of value texts, as the parser names them. */
#define OPERATOR_TABLE(OPERATOR) \
    OPERATOR(add, 2) OPERATOR(sub, 2) OPERATOR(mul, 2) OPERATOR(true_div, 2) OPERATOR(neg, 1) OPERATOR(lt, 2) OPERATOR(le, 2) \
    OPERATOR(gt, 2) OPERATOR(ge, 2) OPERATOR(eq, 2) OPERATOR(neq, 2) OPERATOR(and_, 2) OPERATOR(or_, 2) OPERATOR(not, 1) \
    OPERATOR(switch, 3)

#define PRIM_TABLE(PRIM) LIBM_PRIMS(PRIM) SPECIAL_PRIMS(PRIM)
#define CPRIM_TABLE(CPRIM) PLAIN_CPRIMS(CPRIM) SPECIAL_CPRIMS(CPRIM)

#define LIBM_PRIMS(PRIM)                                                                                               \
    PRIM(abs,       1, PRIM_EXACT, "|a|; the most negative integer stays itself, unsigned and bool unchanged")                     \
    PRIM(div_floor, 2, 0, "a / b rounded toward -inf, floats as NumPy: rint((a - fmod(a, b)) / b), less 1 where the signs of remainder and b differ, a / b for b == 0, zeros signed as a / b; an integer b of 0 gives 0 (checked before)") \
    PRIM(mod_floor, 2, 0, "a - b * floor(a / b), sign of b: r = fmod(a, b), plus b when r != 0 and signs differ, zeros signed as b; b == 0 as div_floor") \
    PRIM(pow,       2, 0, "a to the power b; integers by wrapping products, b < 0: 1 for a == 1, 1 or -1 for a == -1, else 0") \
    PRIM(bit_and,   2, PRIM_EXACT, "a & b on integers and bool")                                                                   \
    PRIM(bit_or,    2, PRIM_EXACT, "a | b on integers and bool")                                                                   \
    PRIM(bit_xor,   2, PRIM_EXACT, "a ^ b on integers and bool")                                                                   \
    PRIM(bit_not,   1, PRIM_EXACT, "~a on integers, !a on bool")                                                                   \
    PRIM(bit_shl,   2, 0, "a * 2^b, wrapped; 0 where b is negative or not below the width")                               \
    PRIM(bit_shr,   2, 0, "a / 2^b rounded toward -inf; where b is negative or not below the width 0, or -1 for a < 0")  \
    PRIM(isinf,     1, PRIM_EXACT, "true for either infinity (bool result)")                                                       \
    PRIM(floor,     1, PRIM_EXACT, "largest integral value not above a")                                                           \
    PRIM(ceil,      1, PRIM_EXACT, "smallest integral value not below a")                                                          \
    PRIM(trunc,     1, PRIM_EXACT, "a without its fraction")                                                                       \
    PRIM(rint,      1, PRIM_EXACT, "nearest integral value, halves to even")                                                       \
    PRIM(round,     1, PRIM_EXACT, "nearest integral value, halves away from zero")                                                \
    PRIM(exp,       1, 0, "e to the power a")                                                                             \
    PRIM(exp2,      1, 0, "2 to the power a")                                                                             \
    PRIM(expm1,     1, 0, "exp(a) - 1")                                                                                   \
    PRIM(log,       1, 0, "natural logarithm")                                                                            \
    PRIM(log2,      1, 0, "logarithm to base 2")                                                                          \
    PRIM(log10,     1, 0, "logarithm to base 10")                                                                         \
    PRIM(log1p,     1, 0, "log(1 + a)")                                                                                   \
    PRIM(sqrt,      1, PRIM_EXACT, "square root; NaN below 0")                                                                     \
    PRIM(deg2rad,   1, 0, "a * (pi / 180), the factor rounded to the dtype")                                              \
    PRIM(rad2deg,   1, 0, "a * (180 / pi), the factor rounded to the dtype")                                              \
    PRIM(sin,       1, 0, "sine of radians")                                                                              \
    PRIM(cos,       1, 0, "cosine of radians")                                                                            \
    PRIM(tan,       1, 0, "tangent of radians")                                                                           \
    PRIM(asin,      1, 0, "arc sine")                                                                                     \
    PRIM(acos,      1, 0, "arc cosine")                                                                                   \
    PRIM(atan,      1, 0, "arc tangent")                                                                                  \
    PRIM(atan2,     2, 0, "angle of the point (b, a)")                                                                    \
    PRIM(sinh,      1, 0, "hyperbolic sine")                                                                              \
    PRIM(cosh,      1, 0, "hyperbolic cosine")                                                                            \
    PRIM(tanh,      1, 0, "hyperbolic tangent")                                                                           \
    PRIM(asinh,     1, 0, "inverse hyperbolic sine")                                                                      \
    PRIM(acosh,     1, 0, "inverse hyperbolic cosine")                                                                    \
    PRIM(atanh,     1, 0, "inverse hyperbolic tangent")                                                                   \
    PRIM(hypot, 2, PRIM_EXACT, "sqrt(a * a + b * b), not out of range on the way")                                     \
    PRIM(copysign, 2, PRIM_EXACT, "|a| with the sign of b")                                                            \
    PRIM(nextafter, 2, PRIM_EXACT, "the next number of the dtype behind a on the way to b")                            \
    PRIM(fmod, 2, PRIM_EXACT, "a - b * trunc(a / b), exactly")                                                         \
    PRIM(cbrt, 1, PRIM_EXACT, "real cube root")                                                                        \
    PRIM(gcd, 2, PRIM_EXACT, "greatest common divisor of integers")                                                    \
    PRIM(lcm, 2, PRIM_EXACT, "least common multiple of integers, wrapped; 0 where one is 0")                           \
    PRIM(erf,       1, 0, "error function")                                                                               \
    PRIM(erfc,      1, 0, "1 - erf(a)")                                                                                   \
    PRIM(sigmoid,   1, PRIM_EXACT, "1 / (1 + exp(-a)); 0 below -709 (float32 -88)")                       \
    PRIM(softplus,  1, PRIM_EXACT, "log1p(exp(a)); 0 below -745 (float32 -103), a above 40 (float32 20), where it rounds to a")

#define PLAIN_CPRIMS(CPRIM)                                                                                             \
    CPRIM(c_add,  2, 0, "a + b")                                                                                          \
    CPRIM(c_sub,  2, 0, "a - b")                                                                                          \
    CPRIM(c_mul,  2, 0, "(ar*br - ai*bi, ar*bi + ai*br)")                                                                 \
    CPRIM(c_div,  2, 0, "a / b by Smith's scaling, as NumPy divides")                                                     \
    CPRIM(c_neg,  1, 0, "-a")                                                                                             \
    CPRIM(c_conj, 1, 0, "(ar, -ai)")                                                                                      \
    CPRIM(c_abs,  1, 0, "hypot(ar, ai): a real of the component's dtype")                                                 \
    CPRIM(c_real, 1, 0, "ar: a real")                                                                                     \
    CPRIM(c_imag, 1, 0, "ai: a real")                                                                                     \
    CPRIM(c_make, 2, 0, "(a, b) of two reals: a complex")                                                                 \
    CPRIM(c_eq,   2, 0, "ar == br && ai == bi: a bool")                                                                   \
    CPRIM(c_neq,  2, 0, "not c_eq: a bool")

/*
 * Those whose text stands in special_*.h, once for all executors: functions sf_NAME of float64 and complex128, where
 * float32 and complex64 are computed too.
 */
#define SPECIAL_PRIMS(PRIM)                                                                                            \
    PRIM(erfinv,    1, 0, "inverse of erf; NaN outside [-1, 1]")                                                          \
    PRIM(erfcinv,   1, 0, "inverse of erfc; NaN outside [0, 2]")                                                          \
    PRIM(erfcx,     1, 0, "exp(a * a) * erfc(a)")                                                                         \
    PRIM(gamma,     1, 0, "gamma function; NaN at negative integers")                                                     \
    PRIM(gammaln,   1, 0, "log |gamma(a)|")                                                                               \
    PRIM(psi,       1, 0, "derivative of log gamma(a)")                                                                   \
    PRIM(poly_gamma, 2, 0, "derivative of psi of order a >= 0")                                                           \
    PRIM(tri_gamma, 1, 0, "second derivative of log gamma(a)")                                                            \
    PRIM(chi2sf,    2, 0, "probability that chi squared of b degrees of freedom exceeds a")                               \
    PRIM(gammainc,  2, 0, "regularised lower incomplete gamma function P(a, b)")                                          \
    PRIM(gammaincc, 2, 0, "regularised upper one, Q(a, b)")                                                               \
    PRIM(gammal,    2, 0, "lower incomplete gamma function")                                                              \
    PRIM(gammau,    2, 0, "upper incomplete gamma function")                                                              \
    PRIM(j0,        1, 0, "Bessel function of the first kind, order 0")                                                   \
    PRIM(j1,        1, 0, "order 1")                                                                                      \
    PRIM(jv,        2, 0, "real order a, of b")                                                                           \
    PRIM(i0,        1, 0, "modified Bessel function of the first kind, order 0")                                          \
    PRIM(i1,        1, 0, "order 1")                                                                                      \
    PRIM(iv,        2, 0, "real order a, of b")                                                                           \
    PRIM(i0e,       1, 0, "exp(-|a|) i0(a)")                                                                              \
    PRIM(i1e,       1, 0, "exp(-|a|) i1(a)")                                                                              \
    PRIM(ndtr,      1, 0, "the part of a normal distribution below a")                                                    \
    PRIM(log_ndtr,  1, 0, "its logarithm")                                                                                \
    PRIM(expi,      1, 0, "exponential integral Ei(a)")                                                                   \
    PRIM(exp1,      1, 0, "exponential integral E1(a), a >= 0")                                                           \
    PRIM(ellipk,    1, 0, "complete elliptic integral of the first kind, of the parameter a = k^2")                       \
    PRIM(ellipe,    1, 0, "of the second kind")                                                                           \
    PRIM(ellipd,    1, 0, "(ellipk(a) - ellipe(a)) / a")                                                                  \
    PRIM(zeta,      2, 0, "sum of (b + k)^-a, k = 0, 1, ..; for b = 1 Riemann's zeta function of any a")                  \
    PRIM(beta,      2, 0, "beta function")                                                                                \
    PRIM(betaln,    2, 0, "log |beta(a, b)|")                                                                             \
    PRIM(binom,     2, 0, "a over b")                                                                                     \
    PRIM(betainc,   3, 0, "regularised incomplete beta function I_c(a, b)")                                               \
    PRIM(ldexp,     2, PRIM_EXACT, "a * 2^b, b integral")                                                                 \
    PRIM(mantissa,  1, PRIM_EXACT, "a / 2^exponent(a): of magnitude [0.5, 1); 0, NaN and infinities stay")                \
    PRIM(exponent,  1, PRIM_EXACT, "the exponent of frexp; 0 of 0, NaN and infinities")

#define SPECIAL_CPRIMS(CPRIM)                                                                                          \
    CPRIM(c_exp,   1, 0, "e to the power a")                                                                              \
    CPRIM(c_exp2,  1, 0, "2 to the power a")                                                                              \
    CPRIM(c_expm1, 1, 0, "exp(a) - 1")                                                                                    \
    CPRIM(c_log,   1, 0, "principal logarithm")                                                                           \
    CPRIM(c_log2,  1, 0, "logarithm to base 2")                                                                           \
    CPRIM(c_log10, 1, 0, "logarithm to base 10")                                                                          \
    CPRIM(c_log1p, 1, 0, "log(1 + a)")                                                                                    \
    CPRIM(c_sqrt,  1, 0, "principal square root")                                                                         \
    CPRIM(c_pow,   2, 0, "a to the power b, principal value")                                                             \
    CPRIM(c_sin,   1, 0, "sine")                                                                                          \
    CPRIM(c_cos,   1, 0, "cosine")                                                                                        \
    CPRIM(c_tan,   1, 0, "tangent")                                                                                       \
    CPRIM(c_asin,  1, 0, "arc sine")                                                                                      \
    CPRIM(c_acos,  1, 0, "arc cosine")                                                                                    \
    CPRIM(c_atan,  1, 0, "arc tangent")                                                                                   \
    CPRIM(c_sinh,  1, 0, "hyperbolic sine")                                                                               \
    CPRIM(c_cosh,  1, 0, "hyperbolic cosine")                                                                             \
    CPRIM(c_tanh,  1, 0, "hyperbolic tangent")                                                                            \
    CPRIM(c_asinh, 1, 0, "inverse hyperbolic sine")                                                                       \
    CPRIM(c_acosh, 1, 0, "inverse hyperbolic cosine")                                                                     \
    CPRIM(c_atanh, 1, 0, "inverse hyperbolic tangent")                                                                    \
    CPRIM(c_erf,   1, 0, "error function")                                                                                \
    CPRIM(c_erfc,  1, 0, "1 - erf(a)")                                                                                    \
    CPRIM(c_sgn,   1, 0, "a / |a|, 0 at 0")
/* clang-format on */

#endif
