/*
 * special_beta.h -- the beta function, its logarithm, binomial coefficients, the incomplete beta function (special.h).
 * In: any doubles. Out: a few units in the last place; for arguments of thousands some tens of them.
 */
/* clang-format off */
/* log Gamma(x) less (x - 1/2) log x - x + log(2 pi) / 2, x >= 8 */
FN(f64, sf_lgamma_rest, (f64 x), "sf_stirling", { return x < 1e15 ? sf_stirling(1 / x / x) / x : 0; })
FN(f64, sf_betaln, (f64 a, f64 b), "rint log log1p sf_gamma sf_gammaln sf_lgamma_rest", {
    if (a != a || b != b) return a + b;
    f64 p = a < b ? a : b;
    f64 q = a < b ? b : a;
    if (p <= 0 && p == rint(p)) {
        if (q != rint(q) || q <= 0 || p + q > 0) return __builtin_inf();
        f64 m = 1 - p - q; /* both of p and p + q are poles */
        p = m < q ? m : q;
        q = m < q ? q : m;
    }
    f64 s = p + q;
    if (q - q != 0) return p > 0 ? -__builtin_inf() : __builtin_nan("");
    if (s <= 0 && s == rint(s)) return -__builtin_inf();
    if (p <= 0) return sf_gammaln(p) + sf_gammaln(q) - sf_gammaln(s);
    f64 r = p / (p + q);
    if (p >= 8) {
        f64 c = sf_lgamma_rest(p) + sf_lgamma_rest(q) - sf_lgamma_rest(p + q);
        return -0.5 * log(q) + 0.9189385332046727 + c + (p - 0.5) * log(r) + q * log1p(-r);
    }
    if (q >= 8) {
        f64 c = sf_lgamma_rest(q) - sf_lgamma_rest(p + q);
        return sf_gammaln(p) + c + p - p * log(p + q) + (q - 0.5) * log1p(-r);
    }
    return p < 1e-300 ? -log(p) : log(sf_gamma(p) * (sf_gamma(q) / sf_gamma(p + q)));
})
FN(f64, sf_beta, (f64 a, f64 b), "rint floor exp sf_gamma sf_psi sf_betaln", {
    if (a != a || b != b) return a + b;
    f64 s = a + b;
    if ((a <= 0 && a == rint(a)) || (b <= 0 && b == rint(b))) {
        f64 n = a <= 0 && a == rint(a) ? a : b;
        f64 m = n == a ? b : a;
        if (m != rint(m) || m <= 0 || m > -n) return __builtin_inf();
        return (0.5 * m == rint(0.5 * m) ? 1 : -1) * exp(sf_betaln(1 - n - m, m)); /* both have poles */
    }
    if (s <= 0 && s == rint(s)) return 0;
    if (a < 170 && b < 170 && s < 170 && s > -170 && a > -170 && b > -170) {
        f64 big = sf_gamma(a < b ? b : a);
        f64 t = s - a; /* what the sum lost */
        f64 rest = (a - (s - t)) + (b - t);
        return sf_gamma(a < b ? a : b) * (big / sf_gamma(s)) * (1 - rest * sf_psi(s));
    }
    if (a > 0 && b > 0) return exp(sf_betaln(a, b));
    f64 p = a < b ? a : b;
    f64 q = a < b ? b : a;
    if (p > -50 && q > 100) { /* up by the recurrence to where nothing cancels */
        f64 f = 1;
        for (; p < 0; p += 1) f *= (p + q) / p;
        return f * exp(sf_betaln(p, q));
    }
    f64 r = exp(sf_betaln(a, b)); /* signs of gamma between its poles */
    int sign = 0;
    if (a < 0) sign += 0.5 * floor(a) == rint(0.5 * floor(a)) ? 0 : 1;
    if (b < 0) sign += 0.5 * floor(b) == rint(0.5 * floor(b)) ? 0 : 1;
    if (s < 0) sign += 0.5 * floor(s) == rint(0.5 * floor(s)) ? 0 : 1;
    return sign & 1 ? -r : r;
})
/* n over k; of integers exact while it fits */
FN(f64, sf_binom, (f64 n, f64 k), "rint fabs exp log sf_sinpi sf_gamma sf_beta sf_betaln", {
    if (n != n || k != k) return n + k;
    if (n < 0 && n == rint(n)) return __builtin_nan("");
    f64 m = k;
    if (k == rint(k)) {
        if (n == rint(n) && n > 0 && k > 0.5 * n) m = n - k;
        if (m >= 0 && m < 550) {
            f64 r = 1;
            for (f64 i = 1; i <= m; i++) r = r < 1e290 ? r * (n - (m - i)) / i : r / i * (n - (m - i));
            return r;
        }
        if (k < 0) return 0;
        if (n > -1 && n < k) { /* gamma(1 + n - k) by its reflection, beside its poles */
            f64 r = sf_beta(k - n, n + 1) * sf_sinpi(n) / 3.141592653589793;
            return 0.5 * k == rint(0.5 * k) ? -r : r;
        }
    }
    if (n >= 1e10 * k && k > 0) return exp(-sf_betaln(1 + n - k, 1 + k) - log(n + 1));
    if (k > 1e8 * fabs(n) && n - n == 0) {
        f64 r = sf_gamma(1 + n) / fabs(k) + sf_gamma(1 + n) * n / (2 * k * k);
        r /= 3.141592653589793 * exp(n * log(fabs(k)));
        return r * (k > 0 ? sf_sinpi(k - n) : sf_sinpi(k));
    }
    return 1 / ((n + 1) * sf_beta(1 + n - k, 1 + k));
})
/* 1 / B(a, b) of small a and b, which many x share (REAL_3 of special_body.h); 0 of others */
FN(DD, sf_betainc_scale, (f64 a, f64 b), "sf_dd sf_dd_mul sf_dd_div sf_rgamma sf_psi", {
    if (!(a > 0 && b > 0 && a < 20 && b < 20)) return sf_dd(0, 0);
    f64 s = a + b;
    f64 t = s - a; /* what the sum lost */
    f64 rest = (a - (s - t)) + (b - t);
    DD r = sf_dd_div(sf_dd_mul(sf_rgamma(a, 0), sf_rgamma(b, 0)), sf_rgamma(s, 0));
    return rest == 0 ? r : sf_dd_mul(r, sf_dd(1, rest * sf_psi(s)));
})
/* x^a y^b / B(a, b), y = 1 - x: two powers, or three factors of incomplete gamma functions */
FN(f64, sf_beta_factor, (f64 a, f64 b, f64 x, f64 y, DD scale), "pow fma sf_dd sf_dd_mul sf_dd_div sf_gamma_factor", {
    if (scale.hi > 0 && scale.hi < 1e300) {
        f64 p = pow(x, a);
        f64 q = pow(y, b);
        f64 t = p * q;
        return sf_dd_mul(sf_dd(t, fma(p, q, -t) + t * b * ((1 - y) - x) / y), scale).hi;
    }
    f64 n = a + b;
    DD r = sf_dd_mul(sf_gamma_factor(a, n * x), sf_gamma_factor(b, n * y));
    return sf_dd_div(r, sf_gamma_factor(n, n)).hi;
})
/* I_x(a, b) a / factor, y = 1 - x, by every second convergent of its continued fraction, for x below about (a + 1) / (a + b + 2) */
FN(f64, sf_beta_fraction, (f64 a, f64 b, f64 x, f64 y), "fabs", {
    f64 s = a + b;
    f64 r = 1 / (a + 1);
    f64 e = a * y - b * x + 1;
    f64 c = e * r; /* less a factor of a, as the first numerator */
    f64 h = c;
    f64 d = 0;
    for (int n = 1; n < 200000; n++) {
        f64 next = 1 / (a + (2 * n + 1));
        f64 m = n * (b - n) * x;
        f64 k = (n > 1 ? (a + (n - 1)) * r : r) * ((s + (n - 1)) * x * r) * m;
        f64 w = n + m * r + (a + n) * (e + n * (2 - x)) * next;
        d = 1 / (w + k * d);
        c = w + k / c;
        r = next;
        f64 t = d * c;
        h *= t;
        if (fabs(t - 1) < 1.2e-16) break;
    }
    return 1 / h;
})
FN(f64, sf_betainc_of, (f64 a, f64 b, f64 x, DD scale), "log1p pow sf_beta_factor sf_beta_fraction", {
    if (x != x || a != a || b != b || x < 0 || x > 1 || a < 0 || b < 0) return __builtin_nan("");
    if (a == 0 || b - b != 0) return b == 0 || a - a != 0 ? __builtin_nan("") : x == 0 && a > 0 ? 0 : 1;
    if (b == 0 || a - a != 0) return x == 1 && b > 0 ? 1 : 0;
    if (x == 0 || x == 1) return x;
    f64 y = 1 - x;
    if (a < 1e-9 && b < 1e-9) return b / (a + b) * (pow(x, a) - a * log1p(-x)); /* but for a b and their squares */
    if (a < 1e-290) return 1;
    f64 f = sf_beta_factor(a, b, x, y, scale);
    if (x * (a + b + 2) < a + 1) return f / a * sf_beta_fraction(a, b, x, y);
    return b < 1e-290 ? 0 : 1 - f / b * sf_beta_fraction(b, a, y, x);
})
FN(f64, sf_betainc, (f64 a, f64 b, f64 x), "sf_betainc_scale sf_betainc_of", {
    return sf_betainc_of(a, b, x, sf_betainc_scale(a, b));
})
/* clang-format on */
