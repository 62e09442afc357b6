/*
 * scalar.h -- the table of scalar operations: one entry each, everything else is made from it.
 *
 *   X(name,      operation number S_name, printed Elemwise{name,no_inplace}, word of the expression language
 *     cls,       Theano's class: Elemwise{cls}[(0, 0)] once in place
 *     infix,     operator in pp and Composite texts, or NULL
 *     str,       Theano's str of the scalar operation: in Composite texts and in Elemwise{str} of gradients; NULL: name
 *     opname,    printed whole instead of Elemwise{name,no_inplace}, or NULL
 *     arity,     operands (n-ary ones: 2 in texts, any number >= 1 in graphs)
 *     flags,     SF_*
 *     result,    RES_*: result dtype and the dtype computed in
 *     value,     C and expr.h text over a b c, calls only to primitives.h; NULL: complex only
 *     cvalue,    complex form: text over CPRIM helpers, NULL: none
 *     grad,      a text per input, separated by ';', over inputs x y w, result z, its gradient gz; see below
 *     meta,      Lua metamethod or NULL
 *     params,    parameter names of the public function; NULL: not public under this name
 *     doc)       one line
 *
 * Gradient texts are Theano's, operand for operand: they are visible in printed graphs. Two words are special there:
 * lit(k) is the literal k in the dtype of the result, zeros(x) a gradient of zeros shaped like x (connected). Numbers
 * take the smallest dtype that holds them. An empty text: the input is disconnected; the word undefined alone: no
 * gradient is known. Results of a discrete dtype never use the text: their gradients are zeros. n-ary add and mul have
 * no text: nary_grad (ops/elemwise/grad.c).
 *
 * Complex numbers: the gradient of a real cost C with respect to z = x + iy is dC/dx + i dC/dy. Of a holomorphic
 * function that is gz * conj(f'), so ops/elemwise/grad.c conjugates gz and the text's value around it; operations with
 * SF_CGRAD have texts that hold as they stand. A real input beside a complex result takes the real part.
 *
 * Conventions of lowering (ops/elemwise/lower.c), which keep value texts this short: operands are cast to the computing
 * dtype before; the condition of switch is cast to bool; add, mul and sqr on bool become or_, and_ and and_; integer
 * division is preceded by a check of the divisor; cast is INS_CAST and second is its second operand.
 */
#ifndef TH_SCALAR_H
#define TH_SCALAR_H

#include "graph/op.h"
#include "ops/math/primitives.h"

/* clang-format off */
/* Families. F1: a function of floats with one operand. CMP: comparison. RND: locally constant. BIT: bitwise. */
#define SCALAR_F1(X, name, cls, text, grad, doc) \
    X(name, cls, NULL, NULL, NULL, 1, SF_METHOD, RES_FLOAT, text, NULL, grad, NULL, "x", doc)
/* FZ: the same with a complex form. */
#define SCALAR_FZ(X, name, cls, text, ctext, grad, doc) \
    X(name, cls, NULL, NULL, NULL, 1, SF_METHOD | SF_COMPLEX, RES_FLOAT, text, ctext, grad, NULL, "x", doc)
#define SCALAR_CMP(X, name, cls, text, ctext, flags, doc) \
    X(name, cls, NULL, cls, NULL, 2, SF_METHOD | SF_CHEAP | SF_ZERO_GRAD | (flags), RES_BOOL, text, ctext, "zeros(x); zeros(y)", NULL, "x, y", doc)
#define SCALAR_RND(X, name, cls, str, flags, result, text, doc) \
    X(name, cls, NULL, str, NULL, 1, SF_METHOD | SF_ZERO_GRAD | SF_NO_COMPLEX | (flags), result, text, NULL, "zeros(x)", NULL, "x", doc)
#define SCALAR_BIT(X, name, cls, text, meta, doc) \
    X(name, cls, NULL, cls, NULL, 2, SF_COMM | SF_ASSOC | SF_CHEAP | SF_ZERO_GRAD, RES_BITS, text, NULL, "zeros(x); zeros(y)", meta, "x, y", doc)

#define SCALAR_PUBLIC(X) \
    /* arithmetic */ \
    X(add, "Add", "+", NULL, NULL, 2, SF_SIZE('+') | SF_COMM | SF_ASSOC | SF_NARY | SF_COMPLEX | SF_CGRAD | SF_CHEAP | SF_IDENTITY0, RES_UP, \
      "a + b", "c_add(a, b)", NULL, "__add", "*inputs", "sum of the inputs, elementwise with broadcasting; or on bool") \
    X(sub, "Sub", "-", NULL, NULL, 2, SF_SIZE('-') | SF_COMPLEX | SF_CGRAD | SF_CHEAP, RES_UP_NOBOOL, \
      "a - b", "c_sub(a, b)", "gz; -gz", "__sub", "x, y", "difference x - y") \
    X(mul, "Mul", "*", NULL, NULL, 2, SF_SIZE('*') | SF_COMM | SF_ASSOC | SF_NARY | SF_COMPLEX | SF_CHEAP | SF_IDENTITY1, RES_UP, \
      "a * b", "c_mul(a, b)", NULL, "__mul", "*inputs", "product of the inputs, elementwise with broadcasting; and on bool") \
    X(true_div, "TrueDiv", "/", NULL, NULL, 2, SF_COMPLEX, RES_DIV, \
      "a / b", "c_div(a, b)", "gz/y; -(gz*x)/(y*y)", "__div", "x, y", "quotient x / y; integers give floatX") \
    X(int_div, "IntDiv", "//", NULL, NULL, 2, SF_SIZE('/') | SF_NO_COMPLEX | SF_FAILS | SF_ZERO_GRAD, RES_UP, \
      "div_floor(a, b)", NULL, "zeros(x); zeros(y)", "__idiv", "x, y", "quotient rounded toward -inf; an integer zero divisor raises") \
    X(mod, "Mod", "%", NULL, NULL, 2, SF_NO_COMPLEX | SF_FAILS, RES_UP, \
      "mod_floor(a, b)", NULL, "gz; -int_div(x, y)*gz", "__mod", "x, y", "remainder with the sign of y; an integer zero divisor raises") \
    X(pow, "Pow", "**", NULL, NULL, 2, SF_COMPLEX, RES_UP_BOOL8, \
      "pow(a, b)", "c_pow(a, b)", "gz*y*x^(y-1); switch(eq(x, 0), 0, gz*log(x)*x^y)", "__pow", "x, y", "x to the power y") \
    X(neg, "Neg", "-", NULL, NULL, 1, SF_COMPLEX | SF_CGRAD | SF_CHEAP | SF_METHOD, RES_SAME_NOBOOL, \
      "-a", "c_neg(a)", "-gz", "__unm", "x", "-x") \
    X(inv, "Inv", NULL, NULL, NULL, 1, SF_METHOD | SF_COMPLEX, RES_FLOAT, "1 / a", "c_div(1, a)", "-gz/(x*x)", NULL, "x", "1 / x") \
    X(sqr, "Sqr", NULL, NULL, NULL, 1, SF_COMPLEX | SF_CHEAP | SF_METHOD, RES_SAME, \
      "a * a", "c_mul(a, a)", "gz*x*2", NULL, "x", "x * x") \
    X(sqrt, "Sqrt", NULL, NULL, NULL, 1, SF_METHOD | SF_COMPLEX, RES_FLOAT, "sqrt(a)", "c_sqrt(a)", "(gz*0.5)/z", NULL, "x", "square root") \
    X(abs_, "Abs", NULL, "Abs", NULL, 1, SF_COMPLEX | SF_CGRAD | SF_CHEAP | SF_METHOD, RES_ABS, \
      "abs(a)", "c_abs(a)", "gz*sgn(x)", NULL, "x", "absolute value; of complex, the modulus") \
    X(sgn, "Sgn", NULL, NULL, NULL, 1, SF_METHOD | SF_ZERO_GRAD | SF_COMPLEX | SF_CGRAD | SF_CHEAP, RES_SAME_NOBOOL, \
      "a > 0 ? 1 : a < 0 ? -1 : a == 0 ? 0 : a", "c_sgn(a)", "zeros(x)", NULL, "x", "sign: -1, 0 or 1; NaN stays; of complex, x / |x|") \
    X(maximum, "Maximum", NULL, NULL, NULL, 2, SF_SIZE('M') | SF_COMM | SF_ASSOC | SF_CHEAP | SF_COMPLEX | SF_CGRAD | SF_METHOD, RES_UP, "a >= b || a != a ? a : b", \
      "c_real(a) > c_real(b) || c_real(a) == c_real(b) && c_imag(a) >= c_imag(b) ? c_neq(b, b) ? b : a : c_neq(a, a) ? a : b", \
      "eq(z, x)*gz; (lit(1)-eq(z, x))*gz", NULL, "x, y", "the larger of two; NaN propagates, on ties the gradient goes to x; complex by real, then imaginary part") \
    X(minimum, "Minimum", NULL, NULL, NULL, 2, SF_SIZE('m') | SF_COMM | SF_ASSOC | SF_CHEAP | SF_COMPLEX | SF_CGRAD | SF_METHOD, RES_UP, "a <= b || a != a ? a : b", \
      "c_real(a) < c_real(b) || c_real(a) == c_real(b) && c_imag(a) <= c_imag(b) ? c_neq(b, b) ? b : a : c_neq(a, a) ? a : b", \
      "eq(z, x)*gz; (lit(1)-eq(z, x))*gz", NULL, "x, y", "the smaller of two; NaN propagates, on ties the gradient goes to x; complex by real, then imaginary part") \
    X(clip, "Clip", NULL, NULL, NULL, 3, SF_NO_COMPLEX | SF_METHOD, RES_UP, "a < b ? b : a > c ? c : a", NULL, \
      "and_(ge(x, y), le(x, w))*gz; lt(x, y)*gz; gt(x, w)*gz", NULL, "x, min, max", "x limited to [min, max]; the gradient passes at the bounds") \
    /* comparison: bool results, connected gradients of zeros */ \
    SCALAR_CMP(X, lt,  "LT",  "a < b",  NULL,          SF_SIZE('<') | SF_NO_COMPLEX,        "x < y") \
    SCALAR_CMP(X, gt,  "GT",  "a > b",  NULL,          SF_NO_COMPLEX,        "x > y") \
    SCALAR_CMP(X, le,  "LE",  "a <= b", NULL,          SF_NO_COMPLEX,        "x <= y") \
    SCALAR_CMP(X, ge,  "GE",  "a >= b", NULL,          SF_NO_COMPLEX,        "x >= y") \
    SCALAR_CMP(X, eq,  "EQ",  "a == b", "c_eq(a, b)",  SF_COMM | SF_COMPLEX, "x == y (the operator == is identity in Lua)") \
    SCALAR_CMP(X, neq, "NEQ", "a != b", "c_neq(a, b)", SF_COMM | SF_COMPLEX, "x ~= y (the operator ~= is identity in Lua)") \
    X(isnan, "IsNan", NULL, "IsNan", NULL, 1, SF_METHOD | SF_ZERO_GRAD | SF_COMPLEX | SF_CHEAP, RES_CUSTOM, "a != a", "c_neq(a, a)", "zeros(x)", NULL, "x", "true where x is NaN") \
    X(isinf, "IsInf", NULL, "IsInf", NULL, 1, SF_METHOD | SF_ZERO_GRAD | SF_COMPLEX | SF_CHEAP, RES_CUSTOM, "isinf(a)", "isinf(c_real(a)) || isinf(c_imag(a))", "zeros(x)", NULL, "x", "true where x is an infinity") \
    /* rounding */ \
    SCALAR_RND(X, ceil,  "Ceil",  NULL, 0, RES_FLOAT, "ceil(a)",  "smallest integral value not below x") \
    SCALAR_RND(X, floor, "Floor", NULL, 0, RES_FLOAT, "floor(a)", "largest integral value not above x") \
    SCALAR_RND(X, trunc, "Trunc", NULL, 0, RES_FLOAT, "trunc(a)", "x without its fraction") \
    SCALAR_RND(X, round_half_to_even, "RoundHalfToEven", "RoundHalfToEven", SF_FLOAT_ONLY, RES_SAME, "rint(a)", \
      "nearest integral value, halves to even; floats only") \
    SCALAR_RND(X, round_half_away_from_zero, "RoundHalfAwayFromZero", "RoundHalfAwayFromZero", SF_FLOAT_ONLY, RES_SAME, "round(a)", \
      "nearest integral value, halves away from zero; floats only") \
    /* exponentials, logarithms, angles */ \
    SCALAR_FZ(X, exp, "Exp", "exp(a)", "c_exp(a)", "gz*z",                        "e to the power x") \
    SCALAR_FZ(X, exp2, "Exp2", "exp2(a)", "c_exp2(a)",    "gz*z*log(lit(2))",            "2 to the power x") \
    SCALAR_FZ(X, expm1, "Expm1", "expm1(a)", "c_expm1(a)", "gz*exp(x)",                   "exp(x) - 1, accurate near 0") \
    SCALAR_FZ(X, log, "Log", "log(a)", "c_log(a)", "gz/x",                        "natural logarithm") \
    SCALAR_FZ(X, log2, "Log2", "log2(a)", "c_log2(a)",    "gz/(x*lit(0.6931471805599453))",  "logarithm to base 2") \
    SCALAR_FZ(X, log10, "Log10", "log10(a)", "c_log10(a)",   "gz/(x*lit(2.302585092994046))",  "logarithm to base 10") \
    SCALAR_FZ(X, log1p, "Log1p", "log1p(a)", "c_log1p(a)", "gz/(1+x)",                    "log(1 + x), accurate near 0") \
    SCALAR_F1(X, deg2rad, "Deg2Rad", "deg2rad(a)", "gz*lit(0.017453292519943295)", "degrees to radians") \
    SCALAR_F1(X, rad2deg, "Rad2Deg", "rad2deg(a)", "gz*lit(57.29577951308232)",   "radians to degrees") \
    SCALAR_FZ(X, sin, "Sin", "sin(a)", "c_sin(a)", "gz*cos(x)",                   "sine") \
    SCALAR_FZ(X, cos, "Cos", "cos(a)", "c_cos(a)", "-gz*sin(x)",                  "cosine") \
    SCALAR_FZ(X, tan, "Tan", "tan(a)", "c_tan(a)", "gz/sqr(cos(x))",              "tangent") \
    SCALAR_FZ(X, arcsin, "ArcSin", "asin(a)", "c_asin(a)", "gz/sqrt(lit(1)-sqr(x))",      "inverse sine") \
    SCALAR_FZ(X, arccos, "ArcCos", "acos(a)", "c_acos(a)", "-gz/sqrt(lit(1)-sqr(x))",     "inverse cosine") \
    SCALAR_FZ(X, arctan, "ArcTan", "atan(a)", "c_atan(a)", "gz/(lit(1)+sqr(x))",          "inverse tangent") \
    X(arctan2, "ArcTan2", NULL, NULL, NULL, 2, SF_NO_COMPLEX | SF_METHOD, RES_FLOAT, "atan2(a, b)", NULL, \
      "gz*y/(sqr(x)+sqr(y)); gz*neg(x)/(sqr(x)+sqr(y))", NULL, "x, y", "angle of the point (y, x)") \
    SCALAR_FZ(X, sinh, "Sinh", "sinh(a)", "c_sinh(a)", "gz*cosh(x)",                  "hyperbolic sine") \
    SCALAR_FZ(X, cosh, "Cosh", "cosh(a)", "c_cosh(a)", "gz*sinh(x)",                  "hyperbolic cosine") \
    SCALAR_FZ(X, tanh, "Tanh", "tanh(a)", "c_tanh(a)", "gz*(1-sqr(z))",               "hyperbolic tangent") \
    SCALAR_FZ(X, arcsinh, "ArcSinh", "asinh(a)", "c_asinh(a)", "gz/sqrt(sqr(x)+lit(1))",      "inverse hyperbolic sine") \
    SCALAR_FZ(X, arccosh, "ArcCosh", "acosh(a)", "c_acosh(a)", "gz/sqrt(sqr(x)-lit(1))",      "inverse hyperbolic cosine") \
    SCALAR_FZ(X, arctanh, "ArcTanh", "atanh(a)", "c_atanh(a)", "gz/(lit(1)-sqr(x))",          "inverse hyperbolic tangent") \
    SCALAR_FZ(X, erf, "Erf", "erf(a)", "c_erf(a)", "gz*lit(1.1283791670955126)*exp(-x*x)",  "error function") \
    SCALAR_FZ(X, erfc, "Erfc", "erfc(a)", "c_erfc(a)", "-gz*lit(1.1283791670955126)*exp(-x*x)", "1 - erf(x)") \
    /* special functions: texts in special_*.h */ \
    SCALAR_F1(X, erfcx, "Erfcx", "erfcx(a)", "gz*(2*x*z-lit(1.1283791670955126))", "scaled complementary error function exp(x*x) * erfc(x)") \
    SCALAR_F1(X, erfinv, "Erfinv", "erfinv(a)", "gz*lit(0.886226925452758)*exp(sqr(z))", "inverse of erf") \
    SCALAR_F1(X, erfcinv, "Erfcinv", "erfcinv(a)", "-gz*lit(0.886226925452758)*exp(sqr(z))", "inverse of erfc") \
    SCALAR_F1(X, gamma, "Gamma", "gamma(a)", "gz*z*psi(x)", "gamma function") \
    SCALAR_F1(X, gammaln, "GammaLn", "gammaln(a)", "gz*psi(x)", "logarithm of |gamma(x)|") \
    SCALAR_F1(X, psi, "Psi", "psi(a)", "gz*tri_gamma(x)", "digamma function, derivative of gammaln") \
    SCALAR_F1(X, tri_gamma, "TriGamma", "tri_gamma(a)", "gz*poly_gamma(lit(2), x)", "derivative of psi") \
    X(chi2sf, "Chi2SF", NULL, NULL, NULL, 2, SF_NO_COMPLEX, RES_FLOAT, "chi2sf(a, b)", NULL, \
      "-gz*exp((lit(0.5)*y-lit(1))*log(x)-lit(0.5)*x-gammaln(lit(0.5)*y)-lit(0.6931471805599453)*lit(0.5)*y); undefined", NULL, "x, k", "probability that chi squared of k degrees of freedom exceeds x") \
    X(gammainc, "GammaInc", NULL, NULL, NULL, 2, SF_NO_COMPLEX, RES_FLOAT, "gammainc(a, b)", NULL, \
      "undefined; gz*exp((x-lit(1))*log(y)-y-gammaln(x))", NULL, "k, x", "regularised lower incomplete gamma function P(k, x)") \
    X(gammaincc, "GammaIncC", NULL, NULL, NULL, 2, SF_NO_COMPLEX, RES_FLOAT, "gammaincc(a, b)", NULL, \
      "undefined; -gz*exp((x-lit(1))*log(y)-y-gammaln(x))", NULL, "k, x", "regularised upper incomplete gamma function Q(k, x)") \
    X(gammal, "GammaL", NULL, NULL, NULL, 2, SF_NO_COMPLEX, RES_FLOAT, "gammal(a, b)", NULL, \
      "undefined; gz*exp((x-lit(1))*log(y)-y)", NULL, "k, x", "lower incomplete gamma function") \
    X(gammau, "GammaU", NULL, NULL, NULL, 2, SF_NO_COMPLEX, RES_FLOAT, "gammau(a, b)", NULL, \
      "undefined; -gz*exp((x-lit(1))*log(y)-y)", NULL, "k, x", "upper incomplete gamma function") \
    SCALAR_F1(X, j0, "J0", "j0(a)", "gz*-1*j1(x)", "Bessel function of the first kind, order 0") \
    SCALAR_F1(X, j1, "J1", "j1(a)", "gz*(j0(x)-jv(lit(2), x))/lit(2)", "Bessel function of the first kind, order 1") \
    X(jv, "Jv", NULL, NULL, NULL, 2, SF_NO_COMPLEX, RES_FLOAT, "jv(a, b)", NULL, \
      "undefined; gz*(jv(x-1, y)-jv(x+1, y))/lit(2)", NULL, "v, x", "Bessel function of the first kind, real order v") \
    SCALAR_F1(X, i0, "I0", "i0(a)", "gz*i1(x)", "modified Bessel function of the first kind, order 0") \
    SCALAR_F1(X, i1, "I1", "i1(a)", "gz*(i0(x)+iv(lit(2), x))/lit(2)", "modified Bessel function of the first kind, order 1") \
    X(iv, "Iv", NULL, NULL, NULL, 2, SF_NO_COMPLEX, RES_FLOAT, "iv(a, b)", NULL, \
      "undefined; gz*(iv(x-1, y)+iv(x+1, y))/lit(2)", NULL, "v, x", "modified Bessel function of the first kind, real order v") \
    X(sigmoid,  "ScalarSigmoid",  NULL, "scalar_sigmoid",  "sigmoid",  1, SF_NO_COMPLEX, RES_FLOAT, "sigmoid(a)",  NULL, \
      "gz*z*(1.0-z)", NULL, "x", "logistic function 1 / (1 + exp(-x))") \
    X(softplus, "ScalarSoftplus", NULL, "scalar_softplus", "softplus", 1, SF_NO_COMPLEX, RES_FLOAT, "softplus(a)", NULL, \
      "gz*sigmoid(x)", NULL, "x", "log(1 + exp(x))") \
    X(ultra_fast_sigmoid, "UltraFastScalarSigmoid", NULL, NULL, NULL, 1, SF_NO_COMPLEX, RES_FLOAT, \
      "0.5 * ((a < 0 ? -1 : 1) * (abs(a) < 3.4 ? 1.5 * abs(a) / (2 + abs(a)) : abs(a) < 6 ? 0.935409070603099 + 0.0458812946797165 * (0.5 * abs(a) - 1.7) : 0.99505475368673) + 1)", NULL, \
      "gz*switch(lt(abs_(x), lit(3.4)), lit(1.5)/sqr(lit(2)+abs_(x)), switch(lt(abs_(x), lit(6)), lit(0.011470323669929125), lit(0)))", NULL, "x", "sigmoid by pieces of simple functions, within 0.1") \
    /* choice, bits, dtypes */ \
    X(switch, "Switch", NULL, "Switch", NULL, 3, SF_COMPLEX | SF_CGRAD, RES_SWITCH, "a ? b : c", "a ? b : c", \
      "zeros(x); switch(x, gz, 0.0); switch(x, 0.0, gz)", NULL, "cond, ift, iff", "ift where cond is nonzero, else iff") \
    X(second, "Second", NULL, NULL, NULL, 2, SF_SIZE('2') | SF_COMPLEX | SF_CGRAD | SF_CHEAP, RES_SECOND, "b", "b", \
      "; gz", NULL, "a, b", "b broadcast to the shape of a") \
    SCALAR_BIT(X, and_, "AND", "bit_and(a, b)", "__band", "bitwise and; logical on bool") \
    SCALAR_BIT(X, or_,  "OR",  "bit_or(a, b)",  "__bor",  "bitwise or; logical on bool") \
    SCALAR_BIT(X, xor,  "XOR", "bit_xor(a, b)", "__bxor", "bitwise exclusive or; logical on bool") \
    X(left_shift, "LeftShift", "<<", NULL, NULL, 2, SF_CHEAP | SF_ZERO_GRAD, RES_SHIFT, "bit_shl(a, b)", NULL, \
      "zeros(x); zeros(y)", "__shl", "x, y", "x * 2^y of integers, wrapped; 0 where y is not in [0, width)") \
    X(right_shift, "RightShift", ">>", NULL, NULL, 2, SF_CHEAP | SF_ZERO_GRAD, RES_SHIFT, "bit_shr(a, b)", NULL, \
      "zeros(x); zeros(y)", "__shr", "x, y", "x / 2^y of integers, rounded toward -inf") \
    X(invert, "Invert", NULL, "Invert", NULL, 1, SF_CHEAP | SF_ZERO_GRAD, RES_BITS, "bit_not(a)", NULL, \
      "zeros(x)", "__bnot", "x", "bitwise not; logical on bool") \
    /* signs and last bits, whole numbers */ \
    X(isfinite, "IsFinite", NULL, NULL, NULL, 1, SF_METHOD | SF_ZERO_GRAD | SF_COMPLEX | SF_CHEAP, RES_CUSTOM, "a - a == 0", \
      "c_real(a) - c_real(a) == 0 && c_imag(a) - c_imag(a) == 0", "zeros(x)", NULL, "x", "true where x is neither NaN nor an infinity") \
    X(signbit, "SignBit", NULL, NULL, NULL, 1, SF_ZERO_GRAD | SF_NO_COMPLEX | SF_CHEAP, RES_CUSTOM, "copysign(1, a) < 0", NULL, "zeros(x)", \
      NULL, "x", "true where the sign bit is set: that of -0.0 is") \
    X(copysign, "CopySign", NULL, NULL, NULL, 2, SF_NO_COMPLEX | SF_CHEAP, RES_FLOAT, "copysign(a, b)", NULL, \
      "gz*sgn(x)*copysign(lit(1), y); zeros(y)", NULL, "x1, x2", "the value of x1 with the sign of x2") \
    X(nextafter, "NextAfter", NULL, NULL, NULL, 2, SF_NO_COMPLEX, RES_FLOAT, "nextafter(a, b)", NULL, "gz; zeros(y)", NULL, "x1, x2", \
      "the next float behind x1 on the way to x2") \
    X(fmax, "FMax", NULL, NULL, NULL, 2, SF_NO_COMPLEX | SF_CHEAP, RES_UP, "a >= b || b != b ? a : b", NULL, \
      "eq(z, x)*gz; (lit(1)-eq(z, x))*gz", NULL, "x1, x2", "the larger of two; where one is NaN the other") \
    X(fmin, "FMin", NULL, NULL, NULL, 2, SF_NO_COMPLEX | SF_CHEAP, RES_UP, "a <= b || b != b ? a : b", NULL, \
      "eq(z, x)*gz; (lit(1)-eq(z, x))*gz", NULL, "x1, x2", "the smaller of two; where one is NaN the other") \
    X(heaviside, "Heaviside", NULL, NULL, NULL, 2, SF_NO_COMPLEX | SF_CHEAP, RES_FLOAT, "a < 0 ? 0 : a > 0 ? 1 : a == 0 ? b : a", NULL, \
      "zeros(x); eq(x, 0)*gz", NULL, "x1, x2", "0 below 0, 1 above, and x2 at 0") \
    X(hypot, "Hypot", NULL, NULL, NULL, 2, SF_NO_COMPLEX, RES_FLOAT, "hypot(a, b)", NULL, "gz*x/z; gz*y/z", NULL, "x1, x2", \
      "sqrt(x1^2 + x2^2), not out of range on the way") \
    X(logaddexp, "LogAddExp", NULL, NULL, NULL, 2, SF_NO_COMPLEX, RES_FLOAT, \
      "a == b ? a + 0.6931471805599453 : (a >= b || a != a ? a : b) + log1p(exp(-abs(a - b)))", NULL, \
      "gz*sigmoid(x-y); gz*sigmoid(y-x)", NULL, "x1, x2", "log(exp(x1) + exp(x2))") \
    X(logaddexp2, "LogAddExp2", NULL, NULL, NULL, 2, SF_NO_COMPLEX, RES_FLOAT, \
      "a == b ? a + 1 : (a >= b || a != a ? a : b) + log1p(exp2(-abs(a - b))) * 1.4426950408889634", NULL, \
      "gz*sigmoid((x-y)*lit(0.6931471805599453)); gz*sigmoid((y-x)*lit(0.6931471805599453))", NULL, "x1, x2", "log2(2^x1 + 2^x2)") \
    SCALAR_F1(X, cbrt, "Cbrt", "cbrt(a)", "gz/(3*sqr(z))", "real cube root") \
    X(gcd, "Gcd", NULL, NULL, NULL, 2, SF_ZERO_GRAD | SF_COMM, RES_INTS, "gcd(a, b)", NULL, "zeros(x); zeros(y)", NULL, "x1, x2", \
      "greatest common divisor of integers") \
    X(lcm, "Lcm", NULL, NULL, NULL, 2, SF_ZERO_GRAD | SF_COMM, RES_INTS, "lcm(a, b)", NULL, "zeros(x); zeros(y)", NULL, "x1, x2", \
      "least common multiple of integers") \
    /* parts of complex numbers */ \
    X(conj, "Conj", NULL, NULL, NULL, 1, SF_COMPLEX | SF_CGRAD | SF_CHEAP | SF_METHOD, RES_SAME, "a", "c_conj(a)", "conj(gz)", NULL, "z", "complex conjugate") \
    X(angle, "Angle", NULL, NULL, NULL, 1, SF_METHOD | SF_COMPLEX | SF_CGRAD, RES_FLOAT_REAL, "atan2(0, a)", "atan2(c_imag(a), c_real(a))", \
      "complex(-gz*imag(x), gz*real(x))/sqr(abs_(x))", NULL, "z", "angle of a complex number, in (-pi, pi]") \
    X(complex, "Complex", NULL, NULL, NULL, 2, SF_NO_COMPLEX | SF_CGRAD | SF_CHEAP, RES_COMPLEX, NULL, "c_make(a, b)", \
      "real(gz); imag(gz)", NULL, "real, imag", "complex number of two reals") \
    X(complex_from_polar, "ComplexFromPolar", NULL, NULL, NULL, 2, SF_NO_COMPLEX | SF_CGRAD, RES_COMPLEX, NULL, "c_make(a * cos(b), a * sin(b))", \
      "real(gz)*cos(y)+imag(gz)*sin(y); x*(imag(gz)*cos(y)-real(gz)*sin(y))", NULL, "abs, angle", "complex number of modulus and angle")

/* Reached under other names (T.xlogx.xlogx) or through functions of their own (cast, tensor_copy, x.real, x.imag). */
#define SCALAR_HIDDEN(X) \
    X(xlogx, "XlogX", NULL, NULL, NULL, 1, SF_NO_COMPLEX, RES_FLOAT, "a == 0 ? 0 : a * log(a)", NULL, "gz*(lit(1)+log(x))", NULL, NULL, "x * log(x), 0 at 0") \
    X(xlogy0, "XlogY0", NULL, NULL, NULL, 2, SF_NO_COMPLEX, RES_FLOAT, "a == 0 ? 0 : a * log(b)", NULL, "gz*log(y); gz*x/y", NULL, NULL, "x * log(y), 0 where x is 0") \
    X(sigmoid_binary_crossentropy, "SigmoidBinaryCrossentropy", NULL, NULL, NULL, 2, SF_NO_COMPLEX, RES_FLOAT, \
      "softplus(-abs(a)) + a * ((a > 0 ? 1 : 0) - b)", NULL, "gz*(sigmoid(x)-y); -gz*x", NULL, NULL, "cross-entropy of sigmoid(x) and y") \
    X(identity, "Identity", NULL, NULL, NULL, 1, SF_SIZE('=') | SF_COMPLEX | SF_CGRAD | SF_CHEAP, RES_SAME, "a", "a", "gz", NULL, NULL, "x itself, copied") \
    X(cast, "Cast", NULL, NULL, NULL, 1, SF_SIZE('=') | SF_COMPLEX | SF_CGRAD | SF_CHEAP, RES_CAST, "a", "a", "gz", NULL, NULL, "x in another dtype") \
    X(fmod, "FMod", NULL, NULL, NULL, 2, SF_NO_COMPLEX, RES_FLOAT, "fmod(a, b)", NULL, "gz; -gz*trunc(x/y)", NULL, NULL, "remainder of floats with the sign of x") \
    X(ldexp, "LdExp", NULL, NULL, NULL, 2, SF_NO_COMPLEX, RES_FLOAT, "ldexp(a, b)", NULL, "gz*exp2(y); gz*z*lit(0.6931471805599453)", NULL, NULL, "x * 2^y, y integral") \
    X(mantissa, "Mantissa", NULL, NULL, NULL, 1, SF_NO_COMPLEX, RES_FLOAT, "mantissa(a)", NULL, "switch(eq(x, 0), gz, gz*z/x)", NULL, NULL, "x / 2^exponent(x)") \
    X(exponent, "Exponent", NULL, NULL, NULL, 1, SF_NO_COMPLEX | SF_ZERO_GRAD, RES_FLOAT, "exponent(a)", NULL, "zeros(x)", NULL, NULL, "the exponent of frexp") \
    X(poly_gamma, "PolyGamma", NULL, NULL, NULL, 2, SF_NO_COMPLEX, RES_FLOAT, "poly_gamma(a, b)", NULL, "undefined; gz*poly_gamma(x+1, y)", NULL, NULL, "derivative of psi of an order") \
    X(ndtr, "Ndtr", NULL, NULL, NULL, 1, SF_NO_COMPLEX, RES_FLOAT, "ndtr(a)", NULL, "gz*lit(0.3989422804014327)*exp(-lit(0.5)*sqr(x))", NULL, NULL, "the part of the standard normal distribution below x") \
    X(log_ndtr, "LogNdtr", NULL, NULL, NULL, 1, SF_NO_COMPLEX, RES_FLOAT, "log_ndtr(a)", NULL, \
      "gz*lit(0.7978845608028654)/erfcx(-x*lit(0.7071067811865476))", NULL, NULL, "logarithm of ndtr(x)") \
    X(ndtri, "Ndtri", NULL, NULL, NULL, 1, SF_NO_COMPLEX, RES_FLOAT, "-1.4142135623730951 * erfcinv(2 * a)", NULL, \
      "gz*lit(2.5066282746310002)*exp(lit(0.5)*sqr(z))", NULL, NULL, "inverse of ndtr") \
    X(i0e, "I0e", NULL, NULL, NULL, 1, SF_NO_COMPLEX, RES_FLOAT, "i0e(a)", NULL, "gz*(i1e(x)-sgn(x)*z)", NULL, NULL, "exp(-|x|) i0(x)") \
    X(i1e, "I1e", NULL, NULL, NULL, 1, SF_NO_COMPLEX, RES_FLOAT, "i1e(a)", NULL, \
      "gz*switch(eq(z, 0), lit(0.5), i0e(x)-z*sgn(x)-z/switch(eq(x, 0), lit(1), x))", NULL, NULL, "exp(-|x|) i1(x)") \
    X(expi, "Expi", NULL, NULL, NULL, 1, SF_NO_COMPLEX, RES_FLOAT, "expi(a)", NULL, "gz*exp(x)/x", NULL, NULL, "exponential integral Ei") \
    X(exp1, "Exp1", NULL, NULL, NULL, 1, SF_NO_COMPLEX, RES_FLOAT, "exp1(a)", NULL, "-gz*exp(-x)/x", NULL, NULL, "exponential integral E1") \
    X(ellipd, "EllipD", NULL, NULL, NULL, 1, SF_NO_COMPLEX, RES_FLOAT, "ellipd(a)", NULL, \
      "gz*switch(lt(abs_(x), lit(0.00390625)), lit(0.2945243112740431)+x*(lit(0.36815538909255385)+x*(lit(0.4026699568199808)+x*(lit(0.42280345466097985)+x*(lit(0.43601606261913545)+x*lit(0.4453592639609741))))), " \
      "((ellipk(x)-z)/(lit(2)*(lit(1)-x))-z*lit(0.5))/switch(lt(abs_(x), lit(0.00390625)), lit(0.5), x))", NULL, NULL, "(ellipk(x) - ellipe(x)) / x") \
    X(ellipk, "EllipK", NULL, NULL, NULL, 1, SF_NO_COMPLEX, RES_FLOAT, "ellipk(a)", NULL, \
      "gz*(z-ellipd(x))/(lit(2)*(lit(1)-x))", NULL, NULL, "complete elliptic integral of the first kind") \
    X(ellipe, "EllipE", NULL, NULL, NULL, 1, SF_NO_COMPLEX, RES_FLOAT, "ellipe(a)", NULL, "-gz*lit(0.5)*ellipd(x)", NULL, NULL, "complete elliptic integral of the second kind") \
    X(zeta, "Zeta", NULL, NULL, NULL, 2, SF_NO_COMPLEX, RES_FLOAT, "zeta(a, b)", NULL, "undefined; -gz*x*zeta(x+1, y)", NULL, NULL, "Hurwitz's zeta function") \
    X(beta, "Beta", NULL, NULL, NULL, 2, SF_NO_COMPLEX | SF_COMM, RES_FLOAT, "beta(a, b)", NULL, \
      "gz*z*(psi(x)-psi(x+y)); gz*z*(psi(y)-psi(x+y))", NULL, NULL, "beta function") \
    X(betaln, "BetaLn", NULL, NULL, NULL, 2, SF_NO_COMPLEX | SF_COMM, RES_FLOAT, "betaln(a, b)", NULL, \
      "gz*(psi(x)-psi(x+y)); gz*(psi(y)-psi(x+y))", NULL, NULL, "logarithm of |beta(x, y)|") \
    X(betainc, "BetaInc", NULL, NULL, NULL, 3, SF_NO_COMPLEX, RES_FLOAT, "betainc(a, b, c)", NULL, \
      "undefined; undefined; gz*exp((x-lit(1))*log(w)+(y-lit(1))*log1p(-w)-betaln(x, y))", NULL, NULL, "regularised incomplete beta function I_w(x, y)") \
    X(binom, "Binom", NULL, NULL, NULL, 2, SF_NO_COMPLEX, RES_FLOAT, "binom(a, b)", NULL, \
      "gz*z*(psi(x+1)-psi(x-y+1)); gz*z*(psi(x-y+1)-psi(y+1))", NULL, NULL, "binomial coefficient of real numbers") \
    X(logit, "Logit", NULL, NULL, NULL, 1, SF_NO_COMPLEX, RES_FLOAT, "abs(a - 0.5) < 0.15 ? log1p((2 * a - 1) / (1 - a)) : log(a / (1 - a))", NULL, \
      "gz/(x*(lit(1)-x))", NULL, NULL, "log(x / (1 - x))") \
    X(xlogy, "XlogY", NULL, NULL, NULL, 2, SF_NO_COMPLEX, RES_FLOAT, "a == 0 && b == b ? 0 : a * log(b)", NULL, "gz*log(y); gz*x/y", NULL, NULL, "x * log(y), 0 where x is 0") \
    X(xlog1py, "Xlog1pY", NULL, NULL, NULL, 2, SF_NO_COMPLEX, RES_FLOAT, "a == 0 && b == b ? 0 : a * log1p(b)", NULL, "gz*log1p(y); gz*x/(1+y)", NULL, NULL, "x * log1p(y), 0 where x is 0") \
    X(entr, "Entr", NULL, NULL, NULL, 1, SF_NO_COMPLEX, RES_FLOAT, "a > 0 ? -(a * log(a)) : a == 0 ? 0 : a != a ? a : log(0)", NULL, "-gz*(lit(1)+log(x))", NULL, NULL, "-x * log(x)") \
    X(rel_entr, "RelEntr", NULL, NULL, NULL, 2, SF_NO_COMPLEX, RES_FLOAT, \
      "a != a || b != b ? a + b : a > 0 && b > 0 ? (a / b > 0 && a / b - a / b == 0 ? a * log(a / b) : a * (log(a) - log(b))) : a == 0 && b >= 0 ? 0 : -log(0)", NULL, \
      "gz*(log(x/y)+lit(1)); -gz*x/y", NULL, NULL, "x * log(x / y)") \
    X(kl_div, "KlDiv", NULL, NULL, NULL, 2, SF_NO_COMPLEX, RES_FLOAT, \
      "a != a || b != b ? a + b : a > 0 && b > 0 ? (a / b > 0 && a / b - a / b == 0 ? a * log(a / b) : a * (log(a) - log(b))) - a + b : a == 0 && b >= 0 ? b : -log(0)", NULL, \
      "gz*log(x/y); gz*(lit(1)-x/y)", NULL, NULL, "x * log(x / y) - x + y") \
    X(real, "Real", NULL, NULL, NULL, 1, SF_COMPLEX | SF_CGRAD | SF_CHEAP, RES_ABS, NULL, "c_real(a)", "complex(gz, lit(0))", NULL, NULL, "real part") \
    X(imag, "Imag", NULL, NULL, NULL, 1, SF_COMPLEX | SF_CGRAD | SF_CHEAP, RES_ABS, NULL, "c_imag(a)", "complex(lit(0), gz)", NULL, NULL, "imaginary part")

#define SCALAR_TABLE(X) SCALAR_PUBLIC(X) SCALAR_HIDDEN(X)
/* clang-format on */

enum {
#define X(name, ...) S_##name,
    SCALAR_TABLE(X)
#undef X
        SCALAR_COUNT
};

/* Name of a scalar operation as Theano's str gives it: in Composite texts and gradients. */
static inline const char *scalar_str(int op) {
    return scalar_ops[op].fname ? scalar_ops[op].fname : scalar_ops[op].name;
}
/* Theano's promotion for functions of floats: bool and 8/16-bit integers to float32, wider ones to float64. */
ThDtype scalar_float_of(ThDtype d);
/* Dtype of the components of a complex dtype; other dtypes unchanged. */
ThDtype scalar_real_of(ThDtype d);
/* Parsed value or gradient texts, kept in the context: at[0..n). NULL with the error set. */
typedef struct ScalarTexts {
    int n;
    struct Expr *at[4];
} ScalarTexts;
const ScalarTexts *scalar_grad_texts(ThContext *c, int op);
const ScalarTexts *scalar_value_texts(ThContext *c, int op, bool complex_form);
/* Theano's print of a body: Composite{((i0 + i1) * i2)}; shared values named t0.. first. */
void scalar_body_text(Text *t, const ScalarBody *b);
#endif
