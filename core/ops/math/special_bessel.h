/*
 * special_bessel.h -- Bessel functions of the first kind, plain and modified, of any real order (see special.h).
 * In: any doubles. Out: J0 J1 I0 I1 within 4 units in the last place of the value (of J: of the amplitude near a zero);
 * Jv and Iv by power series in double-double, Hankel's expansion, or recurrence, whose error grows slowly with the
 * order.
 */
/* clang-format off */
/* Jn(a), n = 0, 1, 8 <= a < 4e15, near a zero: below 50 by its Taylor series, which the differential equation gives, from a
   table; above as modulus and phase, the phase to 30 digits */
FN(f64, sf_bessel_near, (int n, f64 a),
   "fabs rint sin cos sqrt sf_dd sf_dd_add sf_dd_mul sf_dd_div sf_dd_reduce sf_bessel_zero "
   "sf_j0_phase sf_j1_phase sf_j0_modulus sf_j1_modulus", {
    if (a < 50) {
        int k = (int)rint(a * 0.3183098861837907 + 0.25 - 0.5 * n);
        f64 z = sf_bessel_zero(n, k, 0);
        f64 d = (a - z) - sf_bessel_zero(n, k, 1);
        f64 c[4] = {0, 0, 0, sf_bessel_zero(n, k, 2)};
        f64 s = 0;
        f64 p = d;
        for (int i = 1; i < 24 && fabs(p) > 1e-19 * fabs(d); i++) {
            s += c[3] * p;
            p *= d;
            f64 next = -(z * i * (2.0 * i - 1) * c[3] + ((i - 1.0) * (i - 1.0) + z * z - n * n) * c[2] + 2 * z * c[1] + c[0]) / (z * z * i * (i + 1.0));
            c[0] = c[1];
            c[1] = c[2];
            c[2] = c[3];
            c[3] = next;
        }
        return s;
    }
    DD u = sf_dd_div(sf_dd(1, 0), sf_dd(a, 0));
    DD w = sf_dd_mul(u, u);
    f64 q = rint(a * 0.3183098861837907 + 0.25 - 0.5 * n); /* the phase is a zero of the cosine at (q - 1/4 + n/2) pi */
    DD t = sf_dd_add(sf_dd_reduce(sf_dd(a, 0), 2 * q - 0.5 + n), sf_dd_mul(u, n ? sf_j1_phase(w) : sf_j0_phase(w)));
    f64 r = -(sin(t.hi) + t.lo * cos(t.hi)) * sqrt(0.6366197723675814 * (n ? sf_j1_modulus(w.hi) : sf_j0_modulus(w.hi)) / a);
    return 0.5 * q == rint(0.5 * q) ? -r : r;
})
/* Jn(a), n = 0, 1, a >= 8, by Hankel's form */
FN(f64, sf_bessel_hankel, (int n, f64 a),
   "rint fabs sin cos sqrt fma sf_dd sf_dd_reduce sf_j0_p sf_j0_q sf_j1_p sf_j1_q sf_bessel_near", {
    f64 c; /* of a - (n + 1/2) pi/2 */
    f64 s;
    if (a < 4e15) {
        f64 m = rint(a * 0.3183098861837907 - 0.25 - 0.5 * n);
        f64 turns = 2 * m + 0.5 + n;
        DD t;
        if (a < 1e7) {
            f64 p = turns * 1.5707963267948966;
            f64 l = -fma(turns, 1.5707963267948966, -p) - turns * 6.123233995736766e-17;
            t.hi = (a - p) + l;
            t.lo = l - (t.hi - (a - p));
        } else t = sf_dd_reduce(sf_dd(a, 0), turns);
        f64 x = cos(t.hi);
        f64 y = sin(t.hi);
        f64 sign = 0.5 * m == rint(0.5 * m) ? 1 : -1;
        c = sign * (x - t.lo * y);
        s = sign * (y + t.lo * x);
    } else { /* by c s = -cos(2 a) / 2 the smaller from the larger */
        f64 x = cos(a);
        f64 y = sin(a);
        f64 k = 0.7071067811865476;
        c = k * (x + y);
        s = k * (y - x);
        f64 d = a < 8e307 ? 0.5 * cos(2 * a) : -c * s;
        if (fabs(c) < fabs(s)) c = -d / s;
        else s = -d / c;
        if (n) {
            d = c;
            c = s;
            s = -d;
        }
    }
    f64 w = 1 / a / a;
    f64 q = (n ? sf_j1_q(w) : sf_j0_q(w)) / a;
    f64 r = c + (w * (n ? sf_j1_p(w) : sf_j0_p(w)) * c - q * s);
    if (fabs(r) < 4 * fabs(q) && a < 4e15) return sf_bessel_near(n, a);
    return r * sqrt(0.6366197723675814 / a);
})
FN(f64, sf_j0, (f64 x), "fabs sf_j0_0 sf_j0_2 sf_j0_4 sf_j0_7 sf_bessel_hankel", {
    f64 a = fabs(x);
    if (a < 2) return sf_j0_0(a * a);
    if (a < 4) return (a - 2.404825557695773 + 1.176691651530894e-16) * sf_j0_2(a);
    if (a < 7) return (a - 5.520078110286311 - 8.088597146146722e-17) * sf_j0_4(a);
    if (a < 8) return sf_j0_7(a);
    return a > 1.7976931348623157e308 ? 0 : sf_bessel_hankel(0, a);
})
FN(f64, sf_j1, (f64 x), "fabs sf_j1_0 sf_j1_2 sf_j1_5 sf_bessel_hankel", {
    f64 a = fabs(x);
    f64 r;
    if (a < 2.5) return x * sf_j1_0(x * x);
    if (a < 5.5) r = (a - 3.8317059702075125 + 1.5269184090088067e-16) * sf_j1_2(a);
    else if (a < 8) r = (a - 7.015586669815619 + 9.414165653410389e-17) * sf_j1_5(a);
    else r = a > 1.7976931348623157e308 ? 0 : sf_bessel_hankel(1, a);
    return x < 0 ? -r : r;
})
/* e^a * f / sqrt(a), not overflowing before the result does */
FN(f64, sf_exp_over_root, (f64 a, DD f), "exp sf_dd sf_dd_mul sf_dd_div sf_dd_sqrt", {
    f = sf_dd_div(f, sf_dd_sqrt(sf_dd(a, 0)));
    if (a < 700) return sf_dd_mul(sf_dd(exp(a), 0), f).hi;
    f64 e = exp(0.5 * a);
    return a > 800 ? __builtin_inf() : sf_dd_mul(sf_dd(e, 0), f).hi * e;
})
/* In(a) e^-a sqrt(a), n = 0, 1, a > 2 */
FN(f64, sf_i_scaled, (int n, f64 a), "sf_i0_2 sf_i0_5 sf_i0_11 sf_i0_25 sf_i1_2 sf_i1_5 sf_i1_11 sf_i1_25", {
    f64 u = 1 / a;
    if (n) return a < 5 ? sf_i1_2(u) : a < 11.1 ? sf_i1_5(u) : a < 25 ? sf_i1_11(u) : sf_i1_25(u);
    return a < 5 ? sf_i0_2(u) : a < 11.1 ? sf_i0_5(u) : a < 25 ? sf_i0_11(u) : sf_i0_25(u);
})
FN(f64, sf_i0, (f64 x), "fabs sf_dd sf_i0_0 sf_i_scaled sf_exp_over_root", {
    f64 a = fabs(x);
    return a <= 2 ? sf_i0_0(a * a) : sf_exp_over_root(a, sf_dd(sf_i_scaled(0, a), 0));
})
FN(f64, sf_i1, (f64 x), "fabs sf_dd sf_i1_0 sf_i_scaled sf_exp_over_root", {
    f64 a = fabs(x);
    if (a <= 2) return x * sf_i1_0(x * x);
    f64 f = sf_exp_over_root(a, sf_dd(sf_i_scaled(1, a), 0));
    return x < 0 ? -f : f;
})
FN(f64, sf_i0e, (f64 x), "fabs exp sqrt sf_i0_0 sf_i_scaled", {
    f64 a = fabs(x);
    return a <= 2 ? sf_i0_0(a * a) * exp(-a) : sf_i_scaled(0, a) / sqrt(a);
})
FN(f64, sf_i1e, (f64 x), "fabs exp sqrt sf_i1_0 sf_i_scaled", {
    f64 a = fabs(x);
    if (a <= 2) return x * sf_i1_0(x * x) * exp(-a);
    f64 f = sf_i_scaled(1, a) / sqrt(a);
    return x < 0 ? -f : f;
})
/* (x/2)^v / Gamma(v + 1), x > 0: the first factor of both power series */
FN(DD, sf_bessel_first, (f64 v, f64 x),
   "fabs pow sf_dd sf_dd_mul sf_dd_div sf_dd_sqrt sf_rgamma sf_rgamma_1 sf_gamma sf_gamma_large", {
    f64 first = v < 20 ? pow(0.5 * x, v) : 1;
    if (v < -20 || first == 0 || first - first != 0) return sf_dd(first / v / sf_gamma(v), 0);
    if (fabs(v) <= 0.5) return sf_dd_mul(sf_dd(first, 0), sf_rgamma_1(v, 0));
    if (v < 20) return sf_dd_mul(sf_dd_div(sf_dd(first, 0), sf_dd(v, 0)), sf_rgamma(v, 0));
    DD z = sf_dd_mul(sf_dd_div(sf_dd(0.5 * x, 0), sf_dd(v, 0)), sf_dd(2.718281828459045, 1.4456468917292502e-16));
    f64 p = pow(z.hi, v);
    if (p == 0 || p - p != 0) return sf_dd(p, 0);
    DD root = sf_dd_sqrt(sf_dd_mul(sf_dd(v, 0), sf_dd(6.283185307179586, 2.4492935982947064e-16)));
    return sf_dd_div(sf_dd(p, p * (v * (z.lo / z.hi))), sf_dd_mul(root, sf_gamma_large(1 / v)));
})
/* sum over k of (sign x^2/4)^k / (k! (v + 1) .. (v + k)), summed to 32 digits: cancellation down to 1e-16 does not show */
FN(DD, sf_bessel_series, (f64 v, f64 x, f64 sign), "fabs sf_dd sf_dd_add sf_dd_mul sf_dd_div", {
    DD q = sf_dd_mul(sf_dd(0.25 * sign * x, 0), sf_dd(x, 0));
    DD t = sf_dd(1, 0);
    DD s = t;
    for (int k = 1; k < 100000; k++) {
        DD d = sf_dd_mul(sf_dd_add(sf_dd(v, 0), sf_dd(k, 0)), sf_dd(k, 0));
        t = sf_dd_div(sf_dd_mul(t, q), d);
        s = sf_dd_add(s, t);
        if (fabs(t.hi) <= 1e-17 * fabs(s.hi) && fabs(q.hi) < 0.5 * fabs(d.hi)) break;
    }
    return s;
})
/* Hankel's expansion of J, x > max(25, v^2/2), to 30 digits */
FN(DD, sf_jv_far, (DD v, f64 x),
   "fabs sin cos rint sf_dd sf_dd_add sf_dd_mul sf_dd_div sf_dd_sqrt sf_dd_reduce sf_dd_cos sf_dd_cospi", {
    DD m = sf_dd_mul(sf_dd(2 * v.hi, 2 * v.lo), sf_dd(2 * v.hi, 2 * v.lo));
    DD p = sf_dd(1, 0);
    DD q = sf_dd(0, 0);
    DD t = p;
    for (int k = 1; k < 400; k++) {
        f64 odd = 2.0 * k - 1;
        DD below = sf_dd_mul(sf_dd(8.0 * k, 0), sf_dd(x, 0));
        DD n = sf_dd_mul(t, sf_dd_div(sf_dd_add(m, sf_dd(-odd * odd, 0)), below));
        if (fabs(n.hi) < 1e-33 || (fabs(n.hi) > fabs(t.hi) && k > fabs(v.hi))) break;
        t = n;
        if (k & 1) q = sf_dd_add(q, k & 2 ? sf_dd(-t.hi, -t.lo) : t);
        else p = sf_dd_add(p, k & 2 ? sf_dd(-t.hi, -t.lo) : t);
    }
    DD a = sf_dd_add(sf_dd(0.5 * v.hi, 0.5 * v.lo), sf_dd(0.25, 0)); /* the phase is x - pi a */
    DD c;
    DD s;
    if (x < 1e12) {
        f64 n = rint(x * 0.6366197723675814 - 2 * a.hi); /* x, which is exact, first */
        a = sf_dd_mul(a, sf_dd(-3.141592653589793, -1.2246467991473532e-16));
        a = sf_dd_add(sf_dd_reduce(sf_dd(x, 0), n), a);
        n -= 4 * rint(0.25 * n);
        c = sf_dd_cos(a, (int)n);
        s = sf_dd_cos(a, (int)n - 1);
    } else {
        DD ca = sf_dd_cospi(a);
        DD sa = sf_dd_cospi(sf_dd_add(a, sf_dd(-0.5, 0)));
        DD cx = sf_dd(cos(x), 0);
        DD sx = sf_dd(sin(x), 0);
        c = sf_dd_add(sf_dd_mul(cx, ca), sf_dd_mul(sx, sa));
        s = sf_dd_add(sf_dd_mul(sx, ca), sf_dd_mul(sf_dd(-cx.hi, 0), sa));
    }
    DD r = sf_dd_add(sf_dd_mul(p, c), sf_dd_mul(sf_dd(-q.hi, -q.lo), s));
    DD root = sf_dd_sqrt(sf_dd_div(sf_dd(0.6366197723675814, -3.935735335036497e-17), sf_dd(x, 0)));
    return sf_dd_mul(r, root);
})
/* The same in plain arithmetic, but near a zero or where the expansion is no small correction */
FN(f64, sf_jv_hankel, (f64 v, f64 x), "fabs sin cos rint sqrt sf_dd sf_dd_add sf_dd_mul sf_dd_reduce sf_jv_far", {
    f64 m = 4 * v * v;
    f64 p = 0;
    f64 q = 0;
    f64 t = 1;
    if (x > 1e12) return sf_jv_far(sf_dd(v, 0), x).hi;
    for (int k = 1; k < 60 && fabs(t) > 1e-18; k++) {
        t *= (m - (2.0 * k - 1) * (2.0 * k - 1)) / (8.0 * k * x);
        if (k & 1) q += k & 2 ? -t : t;
        else p += k & 2 ? -t : t;
    }
    f64 size = fabs(p) + fabs(q);
    if (size > 0.25) return sf_jv_far(sf_dd(v, 0), x).hi;
    DD a = sf_dd_add(sf_dd(0.5 * v, 0), sf_dd(0.25, 0));
    a = sf_dd_add(sf_dd(x, 0), sf_dd_mul(a, sf_dd(-3.141592653589793, -1.2246467991473532e-16)));
    f64 n = rint(a.hi * 0.3183098861837907);
    a = sf_dd_reduce(a, 2 * n);
    f64 sign = 0.5 * n == rint(0.5 * n) ? 1 : -1;
    f64 c = cos(a.hi);
    f64 s = sin(a.hi);
    f64 r = c + (p * c - q * s - a.lo * s);
    if (fabs(r) < 3 * size || fabs(r) < 1e-3) return sf_jv_far(sf_dd(v, 0), x).hi;
    return sign * r * sqrt(0.6366197723675814 / x);
})
/* From orders v (a) and v + 1 (b), n steps of one upward (up = 1) or from v and v - 1 downward (-1) */
FN(DD, sf_jv_steps, (DD v, f64 x, DD a, DD b, int n, int up), "sf_dd sf_dd_add sf_dd_mul sf_dd_div", {
    DD u = sf_dd_div(sf_dd(2, 0), sf_dd(x, 0));
    for (int k = 1; k < n; k++) {
        DD e = sf_dd_add(v, sf_dd((f64)up * k, 0));
        DD c = sf_dd_add(sf_dd_mul(sf_dd_mul(e, u), b), sf_dd(-a.hi, -a.lo));
        a = b;
        b = c;
    }
    return n ? b : a;
})
/* Orders between: upward from order f in [0, 1) while v is hardly above x, else downward from v, scaled at f (or f + 1); f
   of large orders is the nearest that Debye's expansion knows */
FN(f64, sf_jv_between, (f64 v, f64 x), "fabs floor pow sf_dd sf_dd_add sf_dd_mul sf_dd_div sf_jv_far sf_jv_debye sf_jv_steps", {
    f64 f = v - floor(v);
    DD a;
    DD b;
    if (v > 1e6) {
        f64 far = 80 * pow(v, 0.3333333333333333);
        if (fabs(v - x) >= far) return sf_jv_debye(v, x);
        f = v - floor(far - (x - v) + 1);
        a = sf_dd(sf_jv_debye(f, x), 0);
        b = sf_dd(sf_jv_debye(f + 1, x), 0);
    } else {
        a = sf_jv_far(sf_dd(f, 0), x);
        b = sf_jv_far(sf_dd_add(sf_dd(f, 0), sf_dd(1, 0)), x);
    }
    if (v <= x + 3.2 * pow(x, 0.3333333333333333)) return sf_jv_steps(sf_dd(f, 0), x, a, b, (int)(v - f), 1).hi;
    f64 c = 1e-300; /* J(v + 1) / J(v) by its continued fraction: forward until it stands, then from there backward */
    f64 d = 0;
    int n = 1;
    for (; n < 100000; n++) {
        f64 e = 2 * (v + n) / x;
        d = 1 / (n == 1 ? e : e - d);
        c = n == 1 ? e + 1 / c : e - 1 / c;
        if (fabs(c * d - 1) < 1e-16) break;
    }
    DD up = sf_dd(0, 0);
    for (n += n / 4 + 8; n > 0; n--) {
        DD e = sf_dd_div(sf_dd_add(sf_dd(2 * v, 0), sf_dd(2.0 * n, 0)), sf_dd(x, 0));
        up = sf_dd_div(sf_dd(1, 0), sf_dd_add(e, sf_dd(-up.hi, -up.lo)));
    }
    DD here = sf_dd(1, 0);
    DD u = sf_dd_div(sf_dd(2, 0), sf_dd(x, 0));
    f64 scale = 1;
    for (f64 k = v; k > f + 0.5; k -= 1) {
        DD down = sf_dd_add(sf_dd_mul(sf_dd_mul(sf_dd(k, 0), u), here), sf_dd(-up.hi, -up.lo));
        up = here;
        here = down;
        if (fabs(here.hi) > 1e200) {
            here = sf_dd(here.hi * 1e-200, here.lo * 1e-200);
            up = sf_dd(up.hi * 1e-200, up.lo * 1e-200);
            scale *= 1e-200;
        }
    }
    return (fabs(here.hi) > fabs(up.hi) ? sf_dd_div(a, here) : sf_dd_div(b, up)).hi * scale;
})
FN(f64, sf_jv, (f64 v, f64 x),
   "fabs floor rint sf_dd sf_dd_mul sf_dd_add sf_gamma sf_j0 sf_j1 sf_bessel_first sf_bessel_series sf_jv_far sf_jv_hankel sf_jv_steps sf_jv_between", {
    if (x != x || v != v) return x + v;
    f64 sign = 1;
    if (v == rint(v)) {
        int odd = 0.5 * v != rint(0.5 * v);
        if (odd && x < 0) sign = -sign;
        if (odd && v < 0) sign = -sign;
        v = fabs(v);
        x = fabs(x);
    }
    if (v == 0) return sf_j0(x);
    if (v == 1) return sign * sf_j1(x);
    if (x < 0) return __builtin_nan("");
    if (x == 0) return v == 0 ? 1 : v > 0 ? 0 * sign : v == rint(v) ? 0 : sf_gamma(v + 1) > 0 ? __builtin_inf() : -__builtin_inf();
    if (x - x != 0) return 0;
    if (x < 25 || x * x < 40 * (v + 1)) {
        DD first = sf_bessel_first(v, x);
        return sign * (first.hi == 0 || first.hi - first.hi != 0 ? first.hi : sf_dd_mul(first, sf_bessel_series(v, x, -1)).hi);
    }
    if (x > 0.5 * v * v) return sign * sf_jv_hankel(v, x);
    if (v > 1e12 && x < 0.999 * v) return 0;
    if (v < -1e6 || v > 1e12 || (v > 1e6 && x > 1e15)) return __builtin_nan(""); /* too many steps, or too long a phase */
    if (v > 0) return sign * sf_jv_between(v, x);
    f64 k = v - floor(v); /* downward: below order 0 that is the stable direction */
    return sf_jv_steps(sf_dd(k, 0), x, sf_jv_far(sf_dd(k, 0), x), sf_jv_far(sf_dd_add(sf_dd(k, 0), sf_dd(-1, 0)), x), (int)(k - v), -1).hi;
})
FN(f64, sf_iv, (f64 v, f64 x), "fabs rint sf_iv_debye sf_dd sf_dd_add sf_dd_mul sf_dd_div sf_exp_over_root sf_gamma sf_bessel_first sf_bessel_series", {
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
    if (v > 500) return sign * sf_iv_debye(v, x);
    if (x < 25 || x < 0.5 * v * v) {
        if (x > 1500 && x > 2 * fabs(v)) return sign * __builtin_inf();
        DD first = sf_bessel_first(v, x);
        f64 r = first.hi == 0 || first.hi - first.hi != 0 ? first.hi : sf_dd_mul(first, sf_bessel_series(v, x, 1)).hi;
        return sign * (r == r ? r : __builtin_inf());
    }
    DD m = sf_dd_mul(sf_dd(2 * v, 0), sf_dd(2 * v, 0));
    DD s = sf_dd(1, 0);
    DD t = s;
    for (int k = 1; k < 200; k++) {
        f64 odd = 2.0 * k - 1;
        DD below = sf_dd_mul(sf_dd(8.0 * k, 0), sf_dd(x, 0));
        DD n = sf_dd_mul(t, sf_dd_div(sf_dd_add(sf_dd(odd * odd, 0), sf_dd(-m.hi, -m.lo)), below));
        if (fabs(n.hi) < 1e-18 || (fabs(n.hi) > fabs(t.hi) && k > fabs(v))) break;
        t = n;
        s = sf_dd_add(s, t);
    }
    return sign * sf_exp_over_root(x, sf_dd_mul(s, sf_dd(0.3989422804014327, -2.49232720227773e-17)));
})
/* clang-format on */
