/*
 * special_integrals.h -- exponential integrals, complete elliptic integrals, zeta functions (see special.h).
 * In: any doubles. Out: within a few units in the last place; NaN outside the domain, infinities at its poles.
 */
/* clang-format off */
/* Euler's constant + log |x| + the sum of x^k / (k k!), to 30 digits: what is left near Ei's zero has all of its own */
FN(f64, sf_expi_series, (f64 x), "fabs log sf_dd sf_dd_add sf_dd_mul sf_dd_div sf_dd_log", {
    if (fabs(x) < 1e-290) return log(fabs(x)) + 0.5772156649015329; /* denormals have no two halves */
    DD s = sf_dd_add(sf_dd(0.5772156649015329, -4.942915152430645e-18), sf_dd_log(sf_dd(fabs(x), 0)));
    DD t = sf_dd(1, 0);
    for (int k = 1; k < 200; k++) {
        t = sf_dd_div(sf_dd_mul(t, sf_dd(x, 0)), sf_dd(k, 0));
        DD u = sf_dd_div(t, sf_dd(k, 0));
        s = sf_dd_add(s, u);
        if (fabs(u.hi) < 1e-33 || fabs(u.hi) < 1e-19 * s.hi) break;
    }
    return s.hi;
})
/* e^x E1(x), x >= 2, by its continued fraction from the end */
FN(f64, sf_exp1_fraction, (f64 x), "", {
    int n = x < 60 ? 12 + (int)(150 / x) : 14;
    f64 r = x + 2 * n + 1;
    for (int k = n; k > 0; k--) r = x + 2 * k - 1 - (f64)k * k / r;
    return 1 / r;
})
FN(f64, sf_exp1, (f64 x), "exp sf_expi_series sf_exp1_fraction", {
    if (x != x || x < 0) return __builtin_nan("");
    if (x < 2) return x == 0 ? __builtin_inf() : -sf_expi_series(-x);
    return x > 750 ? 0 : exp(-x) * sf_exp1_fraction(x);
})
FN(f64, sf_expi, (f64 x), "exp sf_expi_series sf_exp1", {
    if (x != x) return x;
    if (x <= 0) return x == 0 ? -__builtin_inf() : -sf_exp1(-x);
    if (x < 40) return sf_expi_series(x);
    if (x > 720) return __builtin_inf();
    f64 s = 0;
    f64 t = 1;
    for (int k = 1; k < 40; k++) {
        t *= k / x;
        s += t;
        if (t < 1e-18) break;
    }
    f64 e = exp(0.5 * x);
    return e * (e / x * (1 + s));
})
/* K(m), (K(m) - E(m)) / m or E(m) of 1 - m = p > 0, by the means of 1 and sqrt(p) */
FN(f64, sf_elliptic, (DD p, int what), "fabs sf_dd sf_dd_add sf_dd_mul sf_dd_div sf_dd_sqrt", {
    DD m = sf_dd_add(sf_dd(1, 0), sf_dd(-p.hi, -p.lo));
    DD a = sf_dd(1, 0);
    DD b = sf_dd_sqrt(p);
    DD s = sf_dd(0.5, 0); /* of 2^(n - 1) c^2 / m */
    DD q = sf_dd(0, 0);
    f64 two = 1;
    for (int n = 0; n < 40; n++) {
        DD mean = sf_dd_add(sf_dd(0.5 * a.hi, 0.5 * a.lo), sf_dd(0.5 * b.hi, 0.5 * b.lo));
        if (n == 0) { /* c = (1 - sqrt p) / 2 = m / (2 (1 + sqrt p)); q is c / m */
            q = sf_dd_div(sf_dd(0.25, 0), mean);
            s = sf_dd_add(s, sf_dd_mul(sf_dd_mul(q, q), m));
            q = sf_dd_mul(q, m);
        } else {
            q = sf_dd_div(sf_dd_mul(q, q), sf_dd(4 * mean.hi, 4 * mean.lo));
            if (m.hi != 0) s = sf_dd_add(s, sf_dd_div(sf_dd_mul(sf_dd(two, 0), sf_dd_mul(q, q)), m));
        }
        b = sf_dd_sqrt(sf_dd_mul(a, b));
        a = mean;
        two *= 2;
        if (fabs(q.hi) < 1e-17 * a.hi) break;
    }
    DD k = sf_dd_div(sf_dd(1.5707963267948966, 6.123233995736766e-17), a);
    if (what == 0) return k.hi;
    DD d = sf_dd_mul(k, s);
    return what == 1 ? d.hi : sf_dd_add(k, sf_dd_mul(sf_dd(-m.hi, -m.lo), d)).hi;
})
FN(f64, sf_ellipk, (f64 m), "sf_dd sf_dd_add sf_elliptic", {
    if (!(m <= 1) || m < -1.7976931348623157e308) return m < 0 ? 0 : __builtin_nan("");
    return m == 1 ? __builtin_inf() : sf_elliptic(sf_dd_add(sf_dd(1, 0), sf_dd(-m, 0)), 0);
})
/* (K(m) - E(m)) / m, which is pi / 4 at 0 */
FN(f64, sf_ellipd, (f64 m), "sf_dd sf_dd_add sf_elliptic", {
    if (!(m <= 1) || m < -1.7976931348623157e308) return m < 0 ? 0 : __builtin_nan("");
    return m == 1 ? __builtin_inf() : sf_elliptic(sf_dd_add(sf_dd(1, 0), sf_dd(-m, 0)), 1);
})
/* below 0 by that of m / (m - 1), whose complement is 1 / (1 - m) */
FN(f64, sf_ellipe, (f64 m), "sqrt sf_dd sf_dd_add sf_dd_div sf_elliptic", {
    if (!(m <= 1) || m < -1.7976931348623157e308) return m < 0 ? __builtin_inf() : __builtin_nan("");
    DD p = sf_dd_add(sf_dd(1, 0), sf_dd(-m, 0));
    if (m >= 0) return m == 1 ? 1 : sf_elliptic(p, 2);
    return m < -1e30 ? sqrt(-m) : sqrt(p.hi) * sf_elliptic(sf_dd_div(sf_dd(1, 0), p), 2);
})
/* The sum of (q + k)^-x, x > 1: terms up to 20 (of a large x more), then Euler's and Maclaurin's, whose terms fall by
 * the square of about (x + 7) / (2 pi q) */
FN(f64, sf_zeta_sum, (f64 x, f64 q), "fabs pow", {
    static const f64 c[] = {12, -720, 30240, -1209600, 47900160, -1892437580.3183792, 74724249600, -2950130727918.164};
    f64 s = 0;
    f64 last = x < 4 ? 20 : 20 + 2 * (x < 1e5 ? x : 1e5);
    for (; q < last; q += 1) {
        f64 t = pow(q, -x);
        s += t;
        if (q > 0 && (t == 0 || t * q < 1e-18 * s)) return s;
    }
    f64 t = pow(q, -x);
    if (t == 0) return s + pow(q, 1 - x) / (x - 1);
    f64 r = t * q / (x - 1) + 0.5 * t;
    f64 f = t * x / q; /* rising factorials over powers */
    for (int k = 0; k < 8; k++) {
        f64 u = f / c[k];
        r += u;
        if (fabs(u) < 1e-18 * fabs(s + r)) break;
        f *= (x + 2 * k + 1) * (x + 2 * k + 2) / (q * q);
    }
    return s + r;
})
/* Riemann's of x >= -1/2: the alternating series with the weights of Chebyshev's polynomial of order 24 */
FN(f64, sf_zeta_alternating, (f64 x), "pow expm1", {
    f64 all = 1.1808722053187136e18; /* its value at 3 */
    f64 b = -1;
    f64 c = -all;
    f64 s = 0;
    for (int k = 0; k < 24; k++) {
        c = b - c;
        s += c * pow(k + 1, -x);
        b *= (k + 24.0) * (k - 24.0) / ((k + 0.5) * (k + 1));
    }
    return s / (-all * expm1((1 - x) * 0.6931471805599453));
})
/* Hurwitz's zeta function; of q = 1 Riemann's, below x = 1 too */
FN(f64, sf_zeta, (f64 x, f64 q), "rint pow sf_sinpi sf_gamma sf_zeta_alternating sf_zeta_sum", {
    if (x != x || q != q) return __builtin_nan("");
    if (x == 1) return __builtin_inf();
    if (x < 1) {
        if (q != 1 || x < -1.7976931348623157e308) return __builtin_nan("");
        if (x >= -0.5) return sf_zeta_alternating(x);
        if (0.5 * x == rint(0.5 * x)) return 0;
        f64 r = 2 * pow(6.283185307179586, 0.5 * x - 0.5) * sf_sinpi(0.5 * x);
        return r * (pow(6.283185307179586, 0.5 * x - 0.5) * sf_gamma(1 - x)) * sf_zeta_sum(1 - x, 1);
    }
    if (q <= 0) {
        if (q == rint(q)) return __builtin_inf();
        if (x != rint(x) || q < -1e6) return __builtin_nan("");
    }
    if (x > 1.7976931348623157e308) return q < 1 ? __builtin_inf() : q == 1 ? 1 : 0;
    return sf_zeta_sum(x, q);
})
/* clang-format on */
