/*
 * special_gamma.h -- the gamma function, its logarithm and derivatives (see special.h).
 * In: any double. Out: within 4 units in the last place where well conditioned, that is away from the zeros of
 * log|Gamma| and psi on the negative axis, where the error is that of the terms around them. Poles give what SciPy
 * gives.
 */
/* clang-format off */
/* sin(pi x), the argument reduced exactly and multiplied in two parts */
FN(f64, sf_sinpi, (f64 x), "rint sin cos fma", {
    f64 r = x - 2 * rint(0.5 * x);
    f64 n = rint(2 * r);
    f64 f = r - 0.5 * n;
    f64 y = 3.141592653589793 * f;
    f64 l = fma(3.141592653589793, f, -y) + 1.2246467991473532e-16 * f;
    f64 s = sin(y);
    f64 c = cos(y);
    if (n == 1 || n == -1) return n * (c - l * s);
    return n == 0 ? s + l * c : -(s + l * c);
})
/* pi cot(pi x) */
FN(DD, sf_pi_cotpi, (f64 x), "rint tan fma sf_dd sf_dd_mul sf_dd_div", {
    f64 r = x - rint(x);
    f64 f = r > 0.25 ? r - 0.5 : r < -0.25 ? r + 0.5 : r;
    f64 y = 3.141592653589793 * f;
    f64 l = fma(3.141592653589793, f, -y) + 1.2246467991473532e-16 * f;
    f64 t = tan(y);
    l *= 1 + t * t;
    DD pi = sf_dd(3.141592653589793, 1.2246467991473532e-16);
    return f == r ? sf_dd_div(pi, sf_dd(t, l)) : sf_dd_mul(pi, sf_dd(-t, -l));
})
/* Gamma(x) / (sqrt(2 pi) x^(x - 1/2) e^-x) of 1/x, x >= 16 */
FN(DD, sf_gamma_large, (f64 u), "sf_dd sf_gamma_large_1", { return sf_dd(1, u * sf_gamma_large_1(u)); })
/* Gamma(x) / sf_gamma_half(x) for x >= 16: two factors, so that neither overflows before the product does */
FN(f64, sf_gamma_half, (f64 x), "pow", { return x < 140 ? 1 : pow(x, 0.5 * x - 0.25); })
FN(DD, sf_gamma_far, (f64 x), "pow exp fma sf_dd sf_dd_mul sf_gamma_large", {
    f64 p = pow(x, x < 140 ? x - 0.5 : 0.5 * x - 0.25);
    f64 e = exp(-x);
    f64 t = p * e;
    DD root = sf_dd_mul(sf_dd(2.5066282746310007, -1.8328579980459168e-16), sf_gamma_large(1 / x));
    return sf_dd_mul(sf_dd(t, fma(p, e, -t)), root);
})
FN(f64, sf_gamma, (f64 x), "rint fma sf_dd sf_dd_mul sf_dd_div sf_sinpi sf_gamma_1 sf_gamma_half sf_gamma_far", {
    if (x != x) return x;
    if (x > 171.7) return __builtin_inf();
    if (x > -1e-300 && x < 1e-300) return 1 / x; /* of denormals there is no half */
    if (x < 0 && x == rint(x)) return __builtin_nan("");
    if (x >= 20) return sf_gamma_far(x).hi * sf_gamma_half(x);
    if (x < -190) return 0 * sf_sinpi(x);
    if (x < -20) { /* -pi / (x sin(pi x) Gamma(-x)) */
        DD d = sf_dd_mul(sf_dd_mul(sf_dd(x, 0), sf_dd(sf_sinpi(x), 0)), sf_gamma_far(-x));
        return sf_dd_div(sf_dd(-3.141592653589793, -1.2246467991473532e-16), d).hi / sf_gamma_half(-x);
    }
    f64 n = rint(x);
    f64 g = sf_gamma_1(x - n);
    f64 h = 1; /* the product of what lies between, h + l */
    f64 l = 0;
    for (f64 k = n > 0 ? 1 : n; n > 0 ? k < n : k <= 0; k++) {
        f64 a = x - k;
        f64 p = h * a;
        l = fma(h, a, -p) + l * a;
        h = p;
    }
    if (n > 0) return h * g + l * g;
    f64 q = g / h;
    return q - q * (l / h);
})
/* 1 / Gamma(x), |x| < 30, to 30 digits or 18: from the next integer n by the product of what lies between */
FN(DD, sf_rgamma, (f64 x, int exact), "rint sf_dd sf_dd_mul sf_dd_div sf_rgamma_1", {
    f64 n = rint(x);
    DD r = sf_rgamma_1(x - n, exact);
    for (f64 k = n; k <= 0; k++) r = sf_dd_mul(r, sf_dd(x - k, 0));
    DD p = sf_dd(1, 0);
    for (f64 k = 1; k < n; k++) p = sf_dd_mul(p, sf_dd(x - k, 0));
    return n > 1 ? sf_dd_div(r, p) : r;
})
/* log |Gamma(x)| near its zeros, -30 < x < 0 */
FN(f64, sf_gammaln_below, (f64 x), "fabs log log1p sf_dd sf_dd_add sf_rgamma sf_gammaln_near", {
    DD p = sf_rgamma(x, 1);
    if (p.hi < 0) p = sf_dd(-p.hi, -p.lo);
    if (p.hi < 0.5 || p.hi > 2) return -log(p.hi) - p.lo / p.hi;
    DD t = sf_dd_add(p, sf_dd(-1, 0));
    for (int n = 0; n < 33 && fabs(t.hi) < 2e-9; n++) {
        f64 r = sf_gammaln_near(n, x);
        if (r != 1) return r;
    }
    return -(log1p(t.hi) + t.lo / (1 + t.hi));
})
FN(f64, sf_gammaln, (f64 x), "fabs rint log sf_sinpi sf_lgamma_1 sf_lgamma_2 sf_lgamma_3 sf_lgamma_5 sf_stirling sf_gammaln_below", {
    if (x != x) return x;
    if (x < 0 && x > -0.4) return x * sf_lgamma_1(x) - log(-x);
    f64 y = fabs(x);
    f64 r;
    if (y > 2.5e305) return y > 1.7976931348623157e308 ? x : __builtin_inf();
    if (y < 0.6) r = y * sf_lgamma_1(y) - log(y);
    else if (y < 1.6) r = (y - 1) * sf_lgamma_1(y - 1);
    else if (y < 2.6) r = (y - 2) * sf_lgamma_2(y - 2);
    else if (y < 4.2) r = sf_lgamma_3(y);
    else if (y < 8) r = sf_lgamma_5(y);
    else r = (y - 0.5) * (log(y) - 1) + (0.4189385332046727 + (y < 1e15 ? sf_stirling(1 / y / y) / y : 0));
    if (x >= 0) return r;
    if (x == rint(x)) return __builtin_inf();
    f64 a = log(3.141592653589793 / (y * fabs(sf_sinpi(y))));
    f64 t = a - r;
    return (fabs(t) < 1 || fabs(t) < 0.7 * fabs(r) || fabs(t) < 0.6 * fabs(a)) && x > -30 ? sf_gammaln_below(x) : t;
})
/* psi(x) near its zeros, x < 0: psi(1 - x) - pi cot(pi x), both to 30 digits */
FN(f64, sf_psi_below, (f64 x),
   "floor rint sf_dd sf_dd_add sf_dd_mul sf_dd_div sf_dd_log sf_dd_cospi sf_psi_near", {
    static const f64 up[] = {1, 1, 1, 1, 1, 691, 1, 3617, 43867, 174611, 77683, 236364091, 657931, 3392780147, 1723168255201}; /* Bernoulli's */
    static const f64 down[] = {12, 120, 252, 240, 132, 32760, 12, 8160, 14364, 6600, 276, 65520, 12, 3480, 85932};
    if (x > -64) {
        f64 r = sf_psi_near((int)(-floor(x)) - 1, x);
        if (r != 1) return r;
    }
    DD y = sf_dd_add(sf_dd(1, 0), sf_dd(-x, 0));
    DD s = sf_dd(0, 0);
    for (; y.hi < 26; y = sf_dd_add(y, sf_dd(1, 0))) s = sf_dd_add(s, sf_dd_div(sf_dd(-1, 0), y));
    DD u = sf_dd_div(sf_dd(1, 0), y);
    DD w = sf_dd_mul(u, u);
    DD t = sf_dd(0, 0);
    for (int n = 14; n > 6; n--) t.hi = w.hi * (t.hi + (n & 1 ? up[n] : -up[n]) / down[n]);
    for (int n = 6; n >= 0; n--) {
        f64 b = n & 1 ? up[n] : -up[n];
        t = sf_dd_mul(w, sf_dd_add(t, sf_dd_div(sf_dd(b, 0), sf_dd(down[n], 0))));
    }
    s = sf_dd_add(sf_dd_add(s, t), sf_dd_add(sf_dd_log(y), sf_dd(-0.5 * u.hi, -0.5 * u.lo)));
    f64 f = x - rint(x);
    DD c = sf_dd_div(sf_dd_cospi(sf_dd(f, 0)), sf_dd_cospi(sf_dd_add(sf_dd(f, 0), sf_dd(-0.5, 0))));
    c = sf_dd_mul(sf_dd(-3.141592653589793, -1.2246467991473532e-16), c);
    return sf_dd_add(s, c).hi;
})
FN(f64, sf_psi, (f64 x), "fabs rint log sf_dd sf_dd_add sf_pi_cotpi sf_psi_1 sf_psi_large sf_psi_below", {
    if (x > -1e-300 && x < 1e-300) return -1 / x;
    f64 y = fabs(x);
    f64 c = 0;
    f64 s = 0; /* what the recurrence adds, s + l */
    f64 l = 0;
    if (x < 0) {
        if (x == rint(x)) return __builtin_nan("");
        DD d = sf_pi_cotpi(x);
        c = d.hi;
        d = sf_dd_add(sf_dd(y < 1 ? 0 : 1 / y, 0), sf_dd(-d.hi, -d.lo));
        s = d.hi;
        l = d.lo;
    }
    f64 r;
    if (y >= 10) {
        f64 w = 1 / y / y;
        r = s + (log(y) - (0.5 / y + w * sf_psi_large(w)) + l);
    } else {
        f64 d = y < 1 ? y - 0.46163214496836225 : 0; /* from the zero, exactly */
        if (y < 1) {
            if (x > 0) s -= 1 / y;
            y += 1;
        }
        for (; y >= 2.5; ) {
            y -= 1;
            f64 a = 1 / y;
            f64 t = s + a;
            f64 b = t - s;
            l += (s - (t - b)) + (a - b);
            s = t;
        }
        if (d == 0) d = y - 1.4616321449683622;
        r = s + ((d - 9.549995429965697e-17) * sf_psi_1(y) + l);
    }
    return x < 0 && (fabs(r) < 0.5 * fabs(c) || fabs(r) < 0.5 * fabs(r + c)) ? sf_psi_below(x) : r;
})
FN(f64, sf_tri_gamma, (f64 x), "rint sf_dd sf_dd_mul sf_dd_div sf_sinpi sf_tri_large", {
    if (x != x) return x;
    if (x <= 0 && x == rint(x)) return __builtin_inf();
    f64 y = x < 0 ? 1 - x : x;
    f64 s = 0;
    f64 l = 0;
    for (; y < 10; y += 1) {
        f64 a = 1 / (y * y);
        f64 t = s + a;
        f64 d = t - s;
        l += (s - (t - d)) + (a - d);
        s = t;
    }
    f64 u = 1 / y;
    f64 w = u * u;
    f64 r = s + (u + (0.5 * w + (w * u * sf_tri_large(w) + l)));
    if (x > 0) return r;
    DD q = sf_dd_div(sf_dd(3.141592653589793, 1.2246467991473532e-16), sf_dd(sf_sinpi(x), 0));
    q = sf_dd_mul(q, q);
    return q.hi - r + q.lo;
})
/* The n-th derivative of psi: (-1)^(n + 1) n! times the sum of (x + k)^-(n + 1), Euler and Maclaurin's from 16 on */
FN(f64, sf_poly_gamma, (f64 n, f64 x), "rint pow sf_gamma sf_psi", {
    if (n == 0) return sf_psi(x);
    if (x != x || n < 1 || n != rint(n) || n > 160) return __builtin_nan("");
    if (x == rint(x) && x <= 0) return 0.5 * n == rint(0.5 * n) ? __builtin_nan("") : __builtin_inf();
    if (x < -1e6) return __builtin_nan(""); /* too many terms */
    f64 y = x;
    f64 s = 0;
    f64 limit = 16 + n;
    for (; y < limit; y += 1) s += pow(y, -n - 1);
    f64 u = 1 / y;
    f64 w = u * u;
    f64 e = (n + 4) * (n + 3) * (n + 2) * (n + 1); /* rising from n + 1; over factorials below, times Bernoulli numbers */
    f64 b = (n + 1) / 12 - w * ((n + 3) * (n + 2) * (n + 1) / 720 - w * (e * (n + 5) / 30240 -
            w * (e * (n + 5) * (n + 6) * (n + 7) / 1209600 - w * e * (n + 5) * (n + 6) * (n + 7) * (n + 8) * (n + 9) / 47900160)));
    s += pow(y, -n) * (1 / n + u * (0.5 + u * b));
    return (0.5 * n == rint(0.5 * n) ? -s : s) * sf_gamma(n + 1);
})
/* clang-format on */
