/*
 * special_gammainc.h -- the incomplete gamma functions (see special.h).
 * In: a >= 0, x >= 0. Out: P and Q within a few units in the last place: series below, continued fraction above, the
 * common factor x^a e^-x / Gamma(a) in double-double where its exponent is large. NaN outside the domain.
 */
/* clang-format off */
/* log(a / b) to 30 digits */
FN(DD, sf_dd_log_ratio, (f64 a, f64 b), "sf_dd sf_dd_add sf_dd_mul sf_dd_div", {
    int n = 0;
    for (; a > 1.5 * b; n++) b *= 2;
    for (; 1.5 * a < b; n--) a *= 2;
    DD k = sf_dd_mul(sf_dd(0.6931471805599453, 2.3190468138462996e-17), sf_dd(n, 0));
    f64 d = a - b;
    f64 s = a + b;
    f64 t = s - a;
    f64 u = d - a;
    DD z = sf_dd_div(sf_dd(d, (a - (d - u)) - (b + u)), sf_dd(s, (a - (s - t)) + (b - t)));
    DD w = sf_dd_mul(z, z);
    DD r = sf_dd(0, 0);
    for (n = 41; n > 1; n -= 2) r = sf_dd_mul(w, sf_dd_add(r, sf_dd_div(sf_dd(1, 0), sf_dd(n, 0))));
    r = sf_dd_mul(sf_dd(2 * z.hi, 2 * z.lo), sf_dd_add(r, sf_dd(1, 0)));
    return sf_dd_add(k, r);
})
/* x^a e^-x / Gamma(a) */
FN(DD, sf_gamma_factor, (f64 a, f64 x),
   "exp pow fma sf_dd sf_dd_add sf_dd_mul sf_dd_div sf_dd_sqrt sf_rgamma sf_gamma_large sf_dd_log_ratio", {
    if (a < 20) {
        f64 p = pow(x, a);
        f64 e = exp(x < 700 ? -x : -0.5 * x);
        f64 t = p * e;
        DD r = sf_dd_mul(sf_dd(t, fma(p, e, -t)), sf_rgamma(a, 0));
        return x < 700 ? r : sf_dd_mul(r, sf_dd(e, 0));
    }
    if (x < 1e-250 * a) return sf_dd(0, 0);
    DD d = sf_dd_add(sf_dd(a, 0), sf_dd(-x, 0));
    DD t = sf_dd_add(sf_dd_mul(sf_dd_log_ratio(x, a), sf_dd(a, 0)), d); /* a - x + a log(x / a) */
    f64 e = exp(t.hi);
    DD root = sf_dd_sqrt(sf_dd_mul(sf_dd(a, 0), sf_dd(0.15915494309189535, -9.839338337591243e-18)));
    return sf_dd_div(sf_dd_mul(root, sf_dd(e, e * t.lo)), sf_gamma_large(1 / a));
})
/* a P(a, x) / factor: 1 + x/(a + 1) + x^2/((a + 1)(a + 2)) + .. */
FN(DD, sf_gamma_series, (f64 a, f64 x), "sf_dd sf_dd_add sf_dd_mul sf_dd_div", {
    DD s = sf_dd(1, 0);
    DD t = s;
    for (int n = 1; n < 1000000; n++) {
        t = sf_dd_div(sf_dd_mul(t, sf_dd(x, 0)), sf_dd_add(sf_dd(a, 0), sf_dd(n, 0)));
        s = sf_dd_add(s, t);
        if (t.hi < 1e-17 * s.hi) break;
    }
    return s;
})
/* Q(a, x) / factor by Legendre's continued fraction, x >= 1: forward until it stands, then from there backward */
FN(DD, sf_gamma_fraction, (f64 a, f64 x), "fabs sf_dd sf_dd_add sf_dd_mul sf_dd_div", {
    f64 b = x + 1 - a;
    f64 c = 1e300;
    f64 d = 1 / b;
    int n = 1;
    for (; n < 1000000; n++) {
        f64 k = -n * (n - a);
        b += 2;
        d = 1 / (k * d + b);
        c = b + k / c;
        if (fabs(c * d - 1) < 1e-16) break;
    }
    n += n / 2 + 8; /* the tail of a slow convergence */
    DD h = sf_dd_add(sf_dd(x, 0), sf_dd(-a, 0));
    DD r = sf_dd_add(sf_dd(2.0 * n + 1, 0), h);
    for (; n > 0; n--) {
        DD p = sf_dd_mul(sf_dd(-n, 0), sf_dd_add(sf_dd(n, 0), sf_dd(-a, 0)));
        r = sf_dd_add(sf_dd_add(sf_dd(2.0 * n - 1, 0), h), sf_dd_div(p, r));
    }
    return sf_dd_div(sf_dd(1, 0), r);
})
/* Q(a, x) for a < 1, x < 1, where P comes near 1: 1 - e^u (1 - w) = w - (e^u - 1)(1 - w) */
FN(f64, sf_gamma_small_q, (f64 a, f64 x), "expm1 log sf_dd sf_dd_add sf_dd_mul sf_dd_div sf_lgamma_1 sf_gammaln", {
    f64 u = a < 0.6 ? a * (log(x) - sf_lgamma_1(a)) : a * log(x) - sf_gammaln(1 + a);
    DD s = sf_dd(0, 0);
    DD t = sf_dd(1, 0);
    for (int n = 1; n < 26; n++) {
        t = sf_dd_div(sf_dd_mul(t, sf_dd(-x, 0)), sf_dd(n, 0));
        s = sf_dd_add(s, sf_dd_div(t, sf_dd_add(sf_dd(n, 0), sf_dd(a, 0))));
    }
    f64 w = -a * s.hi;
    return w - expm1(u) * (1 - w);
})
/* Q(a, x) of huge a: the normal distribution and the first correction */
FN(f64, sf_gamma_normal, (f64 a, f64 x, int upper), "fabs sqrt erfc exp log1p", {
    f64 l = (x - a) / a;
    f64 f = fabs(l) < 1e-3 ? l * l * (0.5 - l * (1.0 / 3 - l * (0.25 - l * 0.2))) : l - log1p(l);
    f64 e = sqrt(2 * f);
    if (l < 0) e = -e;
    f64 c = fabs(l) < 1e-4 ? -1.0 / 3 + l / 12 : 1 / l - 1 / e;
    f64 r = exp(-a * f) / sqrt(6.283185307179586 * a) * c;
    return upper ? 0.5 * erfc(e * sqrt(0.5 * a)) + r : 0.5 * erfc(-e * sqrt(0.5 * a)) - r;
})
FN(f64, sf_gamma_pq, (f64 a, f64 x, int upper),
   "sf_dd sf_dd_mul sf_dd_div sf_gamma_factor sf_gamma_series sf_gamma_fraction sf_gamma_small_q sf_gamma_normal", {
    if (x != x || a != a || x < 0 || a < 0) return __builtin_nan("");
    if (a == 0) return x == 0 ? __builtin_nan("") : upper ? 0 : 1;
    if (x == 0) return upper ? 1 : 0;
    if (x - x != 0) return a - a != 0 ? __builtin_nan("") : upper ? 0 : 1;
    if (a - a != 0) return upper ? 1 : 0;
    if (a > 1e8) return sf_gamma_normal(a, x, upper);
    if (x > 1e3 + 50 * a) return upper ? 0 : 1;
    if (a < 1 ? x < 1 : x < a) {
        if (upper && a < 1) return sf_gamma_small_q(a, x);
        DD p = sf_dd_mul(sf_dd_div(sf_gamma_factor(a, x), sf_dd(a, 0)), sf_gamma_series(a, x));
        return upper ? 1 - p.hi : p.hi;
    }
    f64 q = sf_dd_mul(sf_gamma_factor(a, x), sf_gamma_fraction(a, x)).hi;
    return upper ? q : 1 - q;
})
FN(f64, sf_gammainc, (f64 a, f64 x), "sf_gamma_pq", { return sf_gamma_pq(a, x, 0); })
FN(f64, sf_gammaincc, (f64 a, f64 x), "sf_gamma_pq", { return sf_gamma_pq(a, x, 1); })
FN(f64, sf_gammal, (f64 a, f64 x), "sf_gamma sf_gamma_pq", { return sf_gamma_pq(a, x, 0) * sf_gamma(a); })
FN(f64, sf_gammau, (f64 a, f64 x), "sf_gamma sf_gamma_pq", { return sf_gamma_pq(a, x, 1) * sf_gamma(a); })
/* P(chi^2 of k degrees > x) */
FN(f64, sf_chi2sf, (f64 x, f64 k), "sf_gamma_pq", { return k > 0 ? x <= 0 ? 1 : sf_gamma_pq(0.5 * k, 0.5 * x, 1) : __builtin_nan(""); })
/* clang-format on */
