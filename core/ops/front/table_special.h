/*
 * table_special.h -- SciPy's special functions: other names of scalar operations (see table.h for the columns).
 * Compositions of them are in lua/theano/alikespecial.lua.
 */
#ifndef TH_FRONT_SPECIAL_H
#define TH_FRONT_SPECIAL_H

/* clang-format off */
#define FRONT_SPECIAL_ALIAS(ALIAS) \
    ALIAS("special.gamma", gamma, FUNC, "x", "gamma function") \
    ALIAS("special.gammaln", gammaln, FUNC, "x", "logarithm of |gamma(x)|") \
    ALIAS("special.loggamma", gammaln, FUNC, "x", "logarithm of |gamma(x)|, of real numbers") \
    ALIAS("special.psi", psi, FUNC, "x", "digamma function, derivative of gammaln") \
    ALIAS("special.digamma", psi, FUNC, "x", "derivative of gammaln") \
    ALIAS("special.polygamma", poly_gamma, FUNC, "n, x", "derivative of digamma of an order") \
    ALIAS("special.zeta", zeta, FUNC, "x, q=1.0", "Hurwitz's zeta function, the sum of (q + k)^-x; of q = 1 Riemann's") \
    ALIAS("special.gammainc", gammainc, FUNC, "a, x", "regularised lower incomplete gamma function") \
    ALIAS("special.gammaincc", gammaincc, FUNC, "a, x", "regularised upper incomplete gamma function") \
    ALIAS("special.beta", beta, FUNC, "a, b", "beta function gamma(a) gamma(b) / gamma(a + b)") \
    ALIAS("special.betaln", betaln, FUNC, "a, b", "logarithm of |beta(a, b)|") \
    ALIAS("special.betainc", betainc, FUNC, "a, b, x", "regularised incomplete beta function I_x(a, b)") \
    ALIAS("special.binom", binom, FUNC, "x, y", "binomial coefficient x over y, of real numbers") \
    ALIAS("special.erf", erf, FUNC, "x", "error function") \
    ALIAS("special.erfc", erfc, FUNC, "x", "1 - erf(x)") \
    ALIAS("special.erfcx", erfcx, FUNC, "x", "exp(x*x) * erfc(x)") \
    ALIAS("special.erfinv", erfinv, FUNC, "y", "inverse of erf") \
    ALIAS("special.erfcinv", erfcinv, FUNC, "y", "inverse of erfc") \
    ALIAS("special.ndtr", ndtr, FUNC, "x", "the part of the standard normal distribution below x") \
    ALIAS("special.log_ndtr", log_ndtr, FUNC, "x", "logarithm of ndtr(x), exact far below 0 too") \
    ALIAS("special.ndtri", ndtri, FUNC, "y", "inverse of ndtr") \
    ALIAS("special.expi", expi, FUNC, "x", "exponential integral Ei") \
    ALIAS("special.exp1", exp1, FUNC, "x", "exponential integral E1 of x >= 0") \
    ALIAS("special.ellipk", ellipk, FUNC, "m", "complete elliptic integral of the first kind, of the parameter m = k^2") \
    ALIAS("special.ellipe", ellipe, FUNC, "m", "complete elliptic integral of the second kind, of the parameter m = k^2") \
    ALIAS("special.j0", j0, FUNC, "x", "Bessel function of the first kind, order 0") \
    ALIAS("special.j1", j1, FUNC, "x", "Bessel function of the first kind, order 1") \
    ALIAS("special.jv", jv, FUNC, "v, z", "Bessel function of the first kind, real order v") \
    ALIAS("special.jn", jv, FUNC, "n, x", "Bessel function of the first kind, real order n") \
    ALIAS("special.i0", i0, FUNC, "x", "modified Bessel function of the first kind, order 0") \
    ALIAS("special.i1", i1, FUNC, "x", "modified Bessel function of the first kind, order 1") \
    ALIAS("special.i0e", i0e, FUNC, "x", "exp(-|x|) i0(x)") \
    ALIAS("special.i1e", i1e, FUNC, "x", "exp(-|x|) i1(x)") \
    ALIAS("special.iv", iv, FUNC, "v, z", "modified Bessel function of the first kind, real order v") \
    ALIAS("special.expit", sigmoid, FUNC, "x", "logistic function 1 / (1 + exp(-x))") \
    ALIAS("special.logit", logit, FUNC, "x", "log(x / (1 - x)), inverse of expit") \
    ALIAS("special.xlogy", xlogy, FUNC, "x, y", "x * log(y), 0 where x is 0 and y is no NaN") \
    ALIAS("special.xlog1py", xlog1py, FUNC, "x, y", "x * log1p(y), 0 where x is 0 and y is no NaN") \
    ALIAS("special.entr", entr, FUNC, "x", "-x * log(x), 0 at 0, -inf below") \
    ALIAS("special.rel_entr", rel_entr, FUNC, "x, y", "x * log(x / y), 0 where x is 0 and y >= 0; inf outside") \
    ALIAS("special.kl_div", kl_div, FUNC, "x, y", "x * log(x / y) - x + y, y where x is 0 and y >= 0; inf outside") \
    ALIAS("special.exp2", exp2, FUNC, "x", "2 to the power x") \
    ALIAS("special.expm1", expm1, FUNC, "x", "exp(x) - 1, accurate near 0") \
    ALIAS("special.log1p", log1p, FUNC, "x", "log(1 + x), accurate near 0") \
    ALIAS("special.cbrt", cbrt, FUNC, "x", "real cube root")
/* clang-format on */

#endif
