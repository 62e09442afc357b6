/*
 * special_bessel.h -- Bessel functions of the first kind, plain and modified, of any real order (see special.h).
 * In: any doubles. Out: J0 J1 I0 I1 within 4 units in the last place of the value (of J: of the amplitude near a zero);
 * Jv and Iv by power series in double-double, Hankel's expansion, or recurrence, whose error grows slowly with the
 * order.
 */
/* clang-format off */
FN(f64, sf_j0, (f64 x), "fabs sin cos sqrt sf_j0_0 sf_j0_2 sf_j0_4 sf_j0_7 sf_j0_p sf_j0_q", {
    f64 a = fabs(x);
    if (a < 2) return sf_j0_0(a * a);
    if (a < 4) return (a - 2.404825557695773 + 1.176691651530894e-16) * sf_j0_2(a);
    if (a < 7) return (a - 5.520078110286311 - 8.088597146146722e-17) * sf_j0_4(a);
    if (a < 8) return sf_j0_7(a);
    if (a > 1.7976931348623157e308) return 0;
    f64 w = 1 / a / a;
    f64 c = cos(a);
    f64 s = sin(a);
    return 0.5641895835477563 * (sf_j0_p(w) * (c + s) - sf_j0_q(w) / a * (s - c)) / sqrt(a);
})
FN(f64, sf_j1, (f64 x), "fabs sin cos sqrt sf_j1_0 sf_j1_2 sf_j1_5 sf_j1_p sf_j1_q", {
    f64 a = fabs(x);
    f64 r;
    if (a < 2.5) return x * sf_j1_0(x * x);
    if (a < 5.5) r = (a - 3.8317059702075125 + 1.5269184090088067e-16) * sf_j1_2(a);
    else if (a < 8) r = (a - 7.015586669815619 + 9.414165653410389e-17) * sf_j1_5(a);
    else if (a > 1.7976931348623157e308) r = 0;
    else {
        f64 w = 1 / a / a;
        f64 c = cos(a);
        f64 s = sin(a);
        r = 0.5641895835477563 * (sf_j1_p(w) * (s - c) + sf_j1_q(w) / a * (s + c)) / sqrt(a);
    }
    return x < 0 ? -r : r;
})
/* e^a * f / sqrt(a), not overflowing before the result does */
FN(f64, sf_exp_over_root, (f64 a, f64 f), "exp sqrt", {
    if (a < 700) return exp(a) * (f / sqrt(a));
    f64 e = exp(0.5 * a);
    return a > 800 ? __builtin_inf() : e * (f / sqrt(a)) * e;
})
FN(f64, sf_i0, (f64 x), "fabs sf_i0_0 sf_i0_2 sf_i0_5 sf_i0_11 sf_i0_25 sf_exp_over_root", {
    f64 a = fabs(x);
    if (a <= 2) return sf_i0_0(a * a);
    f64 u = 1 / a;
    f64 f = a < 5 ? sf_i0_2(u) : a < 11.1 ? sf_i0_5(u) : a < 25 ? sf_i0_11(u) : sf_i0_25(u);
    return sf_exp_over_root(a, f);
})
FN(f64, sf_i1, (f64 x), "fabs sf_i1_0 sf_i1_2 sf_i1_5 sf_i1_11 sf_i1_25 sf_exp_over_root", {
    f64 a = fabs(x);
    if (a <= 2) return x * sf_i1_0(x * x);
    f64 u = 1 / a;
    f64 f = a < 5 ? sf_i1_2(u) : a < 11.1 ? sf_i1_5(u) : a < 25 ? sf_i1_11(u) : sf_i1_25(u);
    f = sf_exp_over_root(a, f);
    return x < 0 ? -f : f;
})
/* (x/2)^v / Gamma(v + 1), x > 0: the first factor of both power series */
FN(f64, sf_bessel_first, (f64 v, f64 x), "fabs pow sqrt sf_dd sf_dd_mul sf_dd_div sf_gamma sf_gamma_1 sf_gamma_large", {
    if (fabs(v) <= 0.5) return pow(0.5 * x, v) / sf_gamma_1(v);
    if (v < 20) return pow(0.5 * x, v) / v / sf_gamma(v);
    DD z = sf_dd_mul(sf_dd_div(sf_dd(0.5 * x, 0), sf_dd(v, 0)), sf_dd(2.718281828459045, 1.4456468917292502e-16));
    f64 p = pow(z.hi, v);
    return (p + p * (v * (z.lo / z.hi))) / (sqrt(6.283185307179586 * v) * sf_gamma_large(1 / v));
})
/* sum over k of (sign x^2/4)^k / (k! (v + 1) .. (v + k)), summed to 32 digits: cancellation down to 1e-16 does not show */
FN(f64, sf_bessel_series, (f64 v, f64 x, f64 sign), "fabs sf_dd sf_dd_add sf_dd_mul sf_dd_div", {
    DD q = sf_dd_mul(sf_dd(0.25 * sign * x, 0), sf_dd(x, 0));
    DD t = sf_dd(1, 0);
    DD s = t;
    for (int k = 1; k < 100000; k++) {
        DD d = sf_dd_mul(sf_dd_add(sf_dd(v, 0), sf_dd(k, 0)), sf_dd(k, 0));
        t = sf_dd_div(sf_dd_mul(t, q), d);
        s = sf_dd_add(s, t);
        if (fabs(t.hi) <= 1e-17 * fabs(s.hi) && fabs(q.hi) < 0.5 * fabs(d.hi)) break;
    }
    return s.hi;
})
/* Hankel's expansion of J, x > max(25, v^2/2) */
FN(f64, sf_jv_far, (f64 v, f64 x), "fabs sin cos sqrt rint sf_sinpi", {
    f64 m = 4 * v * v;
    f64 p = 1;
    f64 q = 0;
    f64 t = 1;
    for (int k = 1; k < 200; k++) {
        f64 n = t * ((m - (2.0 * k - 1) * (2.0 * k - 1)) / (8.0 * k * x));
        if (fabs(n) < 1e-18 || (fabs(n) > fabs(t) && k > fabs(v))) break;
        t = n;
        int r = k & 3;
        if (r == 1) q += t;
        if (r == 2) p -= t;
        if (r == 3) q -= t;
        if (r == 0) p += t;
    }
    f64 a = 0.5 * v + 0.25; /* the phase is x - pi a */
    f64 ca = sf_sinpi(a + 0.5);
    f64 sa = sf_sinpi(a);
    f64 c = cos(x);
    f64 s = sin(x);
    return 0.7978845608028654 * (p * (c * ca + s * sa) - q * (s * ca - c * sa)) / sqrt(x);
})
/* Orders between: upward from order f in [0, 1) while v <= x, else downward from v, scaled at f (or f + 1) */
FN(f64, sf_jv_between, (f64 v, f64 x), "fabs floor sf_jv_far", {
    f64 f = v - floor(v);
    f64 a = sf_jv_far(f, x);
    f64 b = sf_jv_far(f + 1, x);
    if (v <= x) {
        int n = (int)(v - f);
        for (int k = 1; k < n; k++) {
            f64 c = 2 * (f + k) / x * b - a;
            a = b;
            b = c;
        }
        return n ? b : a;
    }
    f64 c = 1e-300; /* J(v + 1) / J(v) by its continued fraction */
    f64 d = 0;
    f64 r = 1e-300;
    for (int k = 1; k < 100000; k++) {
        f64 e = 2 * (v + k) / x;
        d = 1 / (k == 1 ? e : e - d);
        c = k == 1 ? e + 1 / c : e - 1 / c;
        r *= c * d;
        if (fabs(c * d - 1) < 1e-16) break;
    }
    f64 up = r;
    f64 here = 1;
    f64 scale = 1;
    for (f64 k = v; k > f + 0.5; k -= 1) {
        f64 down = 2 * k / x * here - up;
        up = here;
        here = down;
        if (fabs(here) > 1e200) {
            here *= 1e-200;
            up *= 1e-200;
            scale *= 1e-200;
        }
    }
    return fabs(here) > fabs(up) ? a / here * scale : b / up * scale;
})
FN(f64, sf_jv, (f64 v, f64 x), "fabs floor rint sf_gamma sf_bessel_first sf_bessel_series sf_jv_far sf_jv_between", {
    if (x != x || v != v) return x + v;
    f64 sign = 1;
    if (v == rint(v)) {
        int odd = 0.5 * v != rint(0.5 * v);
        if (odd && x < 0) sign = -sign;
        if (odd && v < 0) sign = -sign;
        v = fabs(v);
        x = fabs(x);
    }
    if (x < 0) return __builtin_nan("");
    if (x == 0) return v == 0 ? 1 : v > 0 ? 0 * sign : v == rint(v) ? 0 : sf_gamma(v + 1) > 0 ? __builtin_inf() : -__builtin_inf();
    if (x - x != 0) return 0;
    if (x < 25 || x * x < 40 * (v + 1)) return sign * (sf_bessel_first(v, x) * sf_bessel_series(v, x, -1));
    if (x > 0.5 * v * v) return sign * sf_jv_far(v, x);
    if (fabs(v) > 1e6) return __builtin_nan(""); /* too many steps */
    if (v > 0) return sign * sf_jv_between(v, x);
    f64 k = v - floor(v); /* downward: below order 0 that is the stable direction */
    f64 up = sf_jv_far(k, x);
    f64 here = sf_jv_far(k - 1, x);
    for (k -= 1; k > v + 0.5; k -= 1) {
        f64 down = 2 * k / x * here - up;
        up = here;
        here = down;
    }
    return here;
})
FN(f64, sf_iv, (f64 v, f64 x), "fabs rint sf_dd sf_dd_add sf_dd_mul sf_dd_div sf_exp_over_root sf_gamma sf_bessel_first sf_bessel_series", {
    if (x != x || v != v) return x + v;
    f64 sign = 1;
    if (v == rint(v)) {
        if (x < 0 && 0.5 * v != rint(0.5 * v)) sign = -1;
        v = fabs(v);
        x = fabs(x);
    }
    if (x < 0) return __builtin_nan("");
    if (x == 0) return v == 0 ? 1 : v > 0 ? 0 * sign : sf_gamma(v + 1) > 0 ? __builtin_inf() : -__builtin_inf();
    if (x - x != 0) return v - v != 0 ? __builtin_nan("") : sign * x;
    if (x < 25 || x < 0.5 * v * v) {
        if (x > 1500 && x > 2 * fabs(v)) return sign * __builtin_inf();
        return sign * (sf_bessel_first(v, x) * sf_bessel_series(v, x, 1));
    }
    DD m = sf_dd_mul(sf_dd(2 * v, 0), sf_dd(2 * v, 0));
    DD s = sf_dd(1, 0);
    DD t = s;
    for (int k = 1; k < 200; k++) {
        DD n = sf_dd_mul(t, sf_dd_div(sf_dd_add(sf_dd((2.0 * k - 1) * (2.0 * k - 1), 0), sf_dd(-m.hi, -m.lo)), sf_dd(8.0 * k * x, 0)));
        if (fabs(n.hi) < 1e-18 || (fabs(n.hi) > fabs(t.hi) && k > fabs(v))) break;
        t = n;
        s = sf_dd_add(s, t);
    }
    return sign * sf_exp_over_root(x, 0.3989422804014327 * s.hi);
})
/* clang-format on */
