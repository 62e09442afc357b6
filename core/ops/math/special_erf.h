/*
 * special_erf.h -- the inverse and scaled error functions, the normal distribution (see special.h).
 * In: any double. Out: within 4 units in the last place; NaN outside the domain, infinities at its ends.
 */
/* clang-format off */
/* erfcinv(q) for 0 < q <= 0.5, by the root of -log q */
FN(f64, sf_erfcinv_tail, (f64 q), "log sqrt sf_erfcinv_0 sf_erfcinv_1 sf_erfcinv_2 sf_erfcinv_3 sf_erfcinv_4", {
    f64 u = sqrt(-log(q));
    if (u < 1.6) return u * sf_erfcinv_0(u);
    if (u < 3) return u * sf_erfcinv_1(u);
    if (u < 5.8) return u * sf_erfcinv_2(u);
    return u * (u < 11 ? sf_erfcinv_3(u) : sf_erfcinv_4(u));
})
FN(f64, sf_erfinv, (f64 x), "fabs copysign sf_erfinv_small sf_erfcinv_tail", {
    f64 a = fabs(x);
    if (a <= 0.5) return x * sf_erfinv_small(x * x);
    if (a < 1) return copysign(sf_erfcinv_tail(1 - a), x);
    return a == 1 ? x / 0.0 : __builtin_nan("");
})
FN(f64, sf_erfcinv, (f64 x), "sf_erfinv sf_erfcinv_tail", {
    if (x > 0 && x <= 0.5) return sf_erfcinv_tail(x);
    if (x > 0.5 && x < 1.5) return sf_erfinv(1 - x);
    if (x >= 1.5 && x < 2) return -sf_erfcinv_tail(2 - x);
    return x == 0 ? __builtin_inf() : x == 2 ? -__builtin_inf() : __builtin_nan("");
})
FN(f64, sf_erfcx, (f64 x), "exp fma sf_erfcx_near sf_erfcx_middle sf_erfcx_far sf_erfcx_below sf_erfcx_above", {
    if (x != x) return x;
    if (x < 0 && x >= -1) return sf_erfcx_below(x);
    if (x >= 0 && x < 1) return sf_erfcx_above(x);
    f64 y = x < 0 ? -x : x;
    f64 t = (y - 4) / (y + 4);
    f64 r = y > 1e16 ? 0.5641895835477563 / y
                     : (t < -0.5 ? sf_erfcx_near(t) : t < 0.25 ? sf_erfcx_middle(t) : sf_erfcx_far(t)) / (1 + 2 * y);
    if (x >= 0) return r;
    f64 h = x * x;
    if (h > 710) return __builtin_inf();
    f64 e = exp(h);
    return 2 * (e + e * fma(x, x, -h)) - r;
})
/* The normal distribution: below 0 exp(-x^2 / 2) erfcx(-x / sqrt 2) / 2, the square in two parts */
FN(f64, sf_ndtr, (f64 x), "fabs erfc exp fma sf_erfcx", {
    f64 a = fabs(x);
    if (!(a >= 1)) return 0.5 * erfc(-x * 0.7071067811865476);
    f64 h = a * a;
    f64 l = a < 40 ? fma(a, a, -h) : 0;
    f64 r = a > 40 ? 0 : 0.5 * exp(-0.5 * h) * (1 - 0.5 * l) * sf_erfcx(a * 0.7071067811865476);
    return x < 0 ? r : 1 - r;
})
FN(f64, sf_log_ndtr, (f64 x), "log log1p sf_ndtr sf_erfcx", {
    if (x > 0) return log1p(-sf_ndtr(-x));
    return x > -1 ? log(sf_ndtr(x)) : log(0.5 * sf_erfcx(-x * 0.7071067811865476)) - 0.5 * x * x;
})
/* clang-format on */
