/*
 * special_complex.h -- functions of complex numbers: one text for the interpreter, generated C and CUDA (special.h).
 * In: c128, both parts any double. Out: c128 on C99's branches (cuts along the axes, continuous with the sign of zero),
 * each part within a few units in the last place where it is well conditioned. complex64 is computed in complex128.
 */
/* clang-format off */
FN(c128, sf_c, (f64 re, f64 im), "", {
    c128 z;
    z.re = re;
    z.im = im;
    return z;
})
/* a * b, with 0 * inf = 0: a factor that is exactly 0 makes its part 0 */
FN(f64, sf_part, (f64 a, f64 b), "", {
    f64 p = a * b;
    if (p != p && (a == 0 || b == 0)) p = a == 0 ? a : b;
    return p;
})
/* x*x + y*y - 1 + extra, almost free of rounding: for logarithms near the unit circle */
FN(f64, sf_square_sum, (f64 x, f64 y, f64 extra), "fma", {
    f64 a = x * x;
    f64 al = fma(x, x, -a);
    f64 b = y * y;
    f64 bl = fma(y, y, -b);
    f64 s = a + extra;
    f64 t = s - a;
    f64 sl = (a - (s - t)) + (extra - t);
    f64 r = s + b;
    t = r - s;
    f64 rl = (s - (r - t)) + (b - t);
    return r + (rl + sl + al + bl);
})
FN(c128, sf_c_exp, (c128 z), "exp sin cos copysign sf_c", {
    f64 x = z.re;
    f64 y = z.im;
    if (y == 0) return sf_c(exp(x), y);
    if (y - y != 0) { /* infinite or NaN */
        if (x < -1e308) return sf_c(0, y != y ? 0 : copysign(0.0, y));
        return sf_c(x > 1e308 && x - x != 0 ? x : y - y, y - y);
    }
    if (x > 709 && x < 1500) {
        f64 h = exp(0.5 * x);
        return sf_c(h * cos(y) * h, h * sin(y) * h);
    }
    f64 e = exp(x);
    return sf_c(e * cos(y), e * sin(y));
})
/* 2^z: the angle y log 2 in two parts */
FN(c128, sf_c_exp2, (c128 z), "exp2 sin cos fma sf_c sf_c_exp", {
    f64 y = z.im;
    if (y == 0 || y - y != 0 || z.re - z.re != 0 || z.re > 1022 || (y > 1e15 || y < -1e15))
        return sf_c_exp(sf_c(z.re * 0.6931471805599453, y * 0.6931471805599453));
    f64 h = y * 0.6931471805599453;
    f64 l = fma(y, 0.6931471805599453, -h) + y * 2.3190468138462996e-17;
    f64 c = cos(h);
    f64 s = sin(h);
    f64 cl = cos(l);
    f64 sl = sin(l);
    f64 e = exp2(z.re);
    return sf_c(e * (c * cl - s * sl), e * (s * cl + c * sl));
})
/* e^x cos y - 1 where it nearly cancels: (e^x - 1) cos y - 2 sin(y/2)^2 to 30 digits */
FN(f64, sf_c_expm1_near, (f64 x, f64 y), "rint sf_dd sf_dd_add sf_dd_mul sf_dd_cos sf_dd_expm1 sf_dd_reduce", {
    f64 n = rint(y * 0.3183098861837907);
    DD s = sf_dd_cos(sf_dd_reduce(sf_dd(0.5 * y, 0), n), (int)(n - 4 * rint(0.25 * n)) - 1);
    s = sf_dd_mul(sf_dd(-2 * s.hi, -2 * s.lo), s);
    return sf_dd_add(sf_dd_mul(sf_dd_expm1(x), sf_dd_add(s, sf_dd(1, 0))), s).hi;
})
FN(c128, sf_c_expm1, (c128 z), "exp expm1 sin cos fabs sf_c sf_c_exp sf_c_expm1_near", {
    if (z.im == 0) return sf_c(expm1(z.re), z.im);
    if (z.re > 700 || z.im - z.im != 0 || z.re - z.re != 0) {
        c128 w = sf_c_exp(z);
        return sf_c(w.re - 1, w.im);
    }
    f64 s = sin(0.5 * z.im);
    f64 t = 2 * s * s;
    f64 r = expm1(z.re) * cos(z.im) - t;
    if (fabs(r) < 0.7 * t && fabs(z.im) < 1e12) r = sf_c_expm1_near(z.re, z.im);
    return sf_c(r, exp(z.re) * sin(z.im));
})
/* log |x + iy| */
FN(f64, sf_log_abs, (f64 x, f64 y), "fabs log log1p hypot sf_square_sum", {
    f64 ax = fabs(x);
    f64 ay = fabs(y);
    f64 s = ax * ax + ay * ay;
    if (s > 0.25 && s < 4) return 0.5 * log1p(sf_square_sum(x, y, -1));
    if (ax > 1e307 || ay > 1e307) return log(hypot(0.5 * x, 0.5 * y)) + 0.6931471805599453;
    if (ax < 1e-290 && ay < 1e-290 && ax + ay > 0)
        return log(hypot(1.3407807929942597e154 * x, 1.3407807929942597e154 * y)) - 354.891356446692; /* 2^512 */
    return log(hypot(x, y));
})
FN(c128, sf_c_log, (c128 z), "atan2 sf_c sf_log_abs", { return sf_c(sf_log_abs(z.re, z.im), atan2(z.im, z.re)); })
FN(c128, sf_c_log2, (c128 z), "sf_c sf_c_log", {
    c128 w = sf_c_log(z);
    return sf_c(w.re * 1.4426950408889634, w.im * 1.4426950408889634);
})
FN(c128, sf_c_log10, (c128 z), "sf_c sf_c_log", {
    c128 w = sf_c_log(z);
    return sf_c(w.re * 0.4342944819032518, w.im * 0.4342944819032518);
})
FN(c128, sf_c_log1p, (c128 z), "atan2 log1p sf_c sf_log_abs sf_square_sum", {
    f64 s = (2 + z.re) * z.re + z.im * z.im;
    if (z.im == 0 && z.re > -1) return sf_c(log1p(z.re), z.im);
    f64 re = s > -0.75 && s < 3 ? 0.5 * log1p(sf_square_sum(z.re, z.im, 2 * z.re)) : sf_log_abs(1 + z.re, z.im);
    return sf_c(re, atan2(z.im, 1 + z.re));
})
FN(c128, sf_c_sqrt, (c128 z), "fabs sqrt hypot copysign sf_c", {
    f64 x = z.re;
    f64 y = z.im;
    f64 ax = fabs(x);
    f64 ay = fabs(y);
    f64 s = 1;
    if (x == 0 && y == 0) return sf_c(0, y);
    if (ay > 1.7976931348623157e308) return sf_c(ay, y);
    if (ax > 1.7976931348623157e308) {
        if (x > 0) return sf_c(x, y != y ? y : copysign(0.0, y));
        return sf_c(y != y ? y : 0.0, y != y ? ax : copysign(ax, y));
    }
    if (ax > 4e307 || ay > 4e307) {
        ax *= 0.0625;
        ay *= 0.0625;
        s = 4;
    } else if (ax < 1e-280 && ay < 1e-280) {
        ax *= 2.3384026197294447e49; /* 2^164 */
        ay *= 2.3384026197294447e49;
        s = 2.0679515313825692e-25; /* 2^-82 */
    }
    f64 t = sqrt(0.5 * (ax + hypot(ax, ay)));
    f64 u = ay / (2 * t);
    if (x >= 0) return sf_c(s * t, copysign(s * u, y));
    if (x < 0) return sf_c(s * u, copysign(s * t, y));
    return sf_c(x - x, y - y + (x - x));
})
FN(c128, sf_c_sinh, (c128 z), "exp sinh cosh sin cos fabs copysign sf_c sf_part", {
    f64 x = z.re;
    f64 y = z.im;
    f64 c = cos(y);
    f64 s = sin(y);
    if (y == 0) return sf_c(sinh(x), y);
    if (y - y != 0 && fabs(x) > 1.7976931348623157e308) return sf_c(fabs(x), y - y);
    if (fabs(x) > 709 && fabs(x) < 1500) {
        f64 h = exp(0.5 * fabs(x));
        return sf_c(copysign(0.5 * h, x) * c * h, 0.5 * h * s * h);
    }
    return sf_c(sf_part(sinh(x), c), sf_part(cosh(x), s));
})
FN(c128, sf_c_cosh, (c128 z), "exp sinh cosh sin cos fabs copysign sf_c sf_part", {
    f64 x = z.re;
    f64 y = z.im;
    f64 c = cos(y);
    f64 s = sin(y);
    if (y == 0) return sf_c(cosh(x), x == x && copysign(1.0, x) < 0 ? -y : y);
    if (y - y != 0 && x == 0) return sf_c(y - y, 0);
    if (y - y != 0 && fabs(x) > 1.7976931348623157e308) return sf_c(fabs(x), y - y);
    if (fabs(x) > 709 && fabs(x) < 1500) {
        f64 h = exp(0.5 * fabs(x));
        return sf_c(0.5 * h * c * h, copysign(0.5 * h, x) * s * h);
    }
    return sf_c(sf_part(cosh(x), c), sf_part(sinh(x), s));
})
/* sinh 2x / 2d and sin 2y / 2d with d = sinh^2 x + cos^2 y, for larger x by e^-2x: nothing cancels */
FN(c128, sf_c_tanh, (c128 z), "fma exp sinh sin cos fabs copysign sf_c", {
    f64 x = fabs(z.re);
    if (z.im == 0 && x != x) return z;
    if (x == 0 && z.im - z.im != 0) return sf_c(z.re, z.im - z.im);
    if (x > 0.5) {
        f64 e = exp(-2 * x);
        f64 c = cos(2 * z.im);
        if (x > 1.7976931348623157e308) return sf_c(copysign(1.0, z.re), copysign(0.0, z.im - z.im == 0 ? sin(2 * z.im) : z.im != z.im ? 1.0 : z.im));
        f64 d = 1 + e * (2 * c + e);
        return sf_c(copysign((1 - e * e) / d, z.re), 2 * e * sin(2 * z.im) / d);
    }
    f64 c = cos(z.im);
    f64 h = sinh(x);
    f64 d = fma(c, c, h * h);
    return sf_c(copysign(0.5 * sinh(2 * x) / d, z.re), 0.5 * sin(2 * z.im) / d);
})
FN(c128, sf_c_sin, (c128 z), "fabs sf_c sf_c_sinh", {
    if (z.re - z.re != 0 && fabs(z.im) > 1.7976931348623157e308) return sf_c(z.re - z.re, fabs(z.im));
    c128 w = sf_c_sinh(sf_c(-z.im, z.re));
    return sf_c(w.im, -w.re);
})
FN(c128, sf_c_cos, (c128 z), "sf_c sf_c_cosh", { return sf_c_cosh(sf_c(-z.im, z.re)); })
FN(c128, sf_c_tan, (c128 z), "sf_c sf_c_tanh", {
    c128 w = sf_c_tanh(sf_c(-z.im, z.re));
    return sf_c(w.im, -w.re);
})
/*
 * Inverse sine (cosine = 0) or cosine (cosine = 1) of |re| + i |im| in the first quadrant: {angle, logarithm}, by the
 * half sum a and difference of the distances to -1 and 1, each in the form that does not cancel (Hull, Fairgrieve, Tang).
 */
FN(c128, sf_arc, (f64 x, f64 y, int cosine), "hypot asin acos atan atan2 log log1p sqrt sf_c sf_log_abs", {
    if (x > 1e150 || y > 1e150) return sf_c(cosine ? atan2(y, x) : atan2(x, y), sf_log_abs(x, y) + 0.6931471805599453);
    f64 r = hypot(x + 1, y);
    f64 s = hypot(x - 1, y);
    f64 a = 0.5 * (r + s);
    f64 b = x / a;
    f64 re = cosine ? acos(b) : asin(b);
    if (b > 0.6417) {
        f64 q = x <= 1 ? sqrt(0.5 * (a + x) * (y * y / (r + x + 1) + (s + (1 - x))))
                       : y * sqrt(0.5 * ((a + x) / (r + x + 1) + (a + x) / (s + x - 1)));
        re = cosine ? atan2(q, x) : atan2(x, q);
    }
    f64 im = log(a + sqrt((a - 1) * (a + 1)));
    if (a <= 1.5) {
        f64 m = 0.5 * (y * y / (r + x + 1) + (x < 1 ? y * y / (s + (1 - x)) : s + (x - 1)));
        im = x < 1 && y < 1e-140 ? y / sqrt((1 - x) * (1 + x)) : log1p(m + sqrt(m * (a + 1)));
    }
    return sf_c(re, im);
})
FN(c128, sf_c_asin, (c128 z), "fabs copysign sf_c sf_arc", {
    if (z.re == 0 && z.im != z.im) return z;
    if (z.im != z.im && fabs(z.re) > 1.7976931348623157e308) return sf_c(z.im, fabs(z.re));
    c128 w = sf_arc(fabs(z.re), fabs(z.im), 0);
    return sf_c(copysign(w.re, z.re), copysign(w.im, z.im));
})
FN(c128, sf_c_acos, (c128 z), "fabs copysign sf_c sf_arc", {
    if (z.re == 0 && z.im != z.im) return sf_c(1.5707963267948966, z.im);
    if (z.im != z.im && fabs(z.re) > 1.7976931348623157e308) return sf_c(z.im, -fabs(z.re));
    c128 w = sf_arc(fabs(z.re), fabs(z.im), 1);
    return sf_c(z.re < 0 ? 3.141592653589793 - (w.re - 1.2246467991473532e-16) : w.re, -copysign(w.im, z.im));
})
FN(c128, sf_c_asinh, (c128 z), "sf_c sf_c_asin", {
    c128 w = sf_c_asin(sf_c(-z.im, z.re));
    return sf_c(w.im, -w.re);
})
FN(c128, sf_c_acosh, (c128 z), "fabs copysign sf_c sf_c_acos", {
    c128 w = sf_c_acos(z);
    return sf_c(fabs(w.im), z.im != z.im ? w.re : copysign(w.re, z.im));
})
FN(c128, sf_c_atanh, (c128 z), "fabs copysign log log1p atan2 hypot sf_c", {
    f64 x = fabs(z.re);
    f64 y = fabs(z.im);
    f64 re;
    f64 im;
    if (x == 0 && y != y) return z;
    if (x != x && y > 1.7976931348623157e308) return sf_c(0, copysign(1.5707963267948966, z.im));
    if (x != x || y != y) return sf_c(x > 1.7976931348623157e308 ? copysign(0.0, z.re) : x + y, x + y);
    if (x > 1e150 || y > 1e150) {
        f64 h = hypot(x, y);
        re = h > 1.7976931348623157e308 ? 0 : x / h / h;
        im = 1.5707963267948966;
    } else {
        re = x == 1 && y < 1e-150 ? 0.5 * (0.6931471805599453 - log(y)) : 0.25 * log1p(4 * x / ((1 - x) * (1 - x) + y * y));
        im = 0.5 * atan2(2 * y, (1 - x) * (1 + x) - y * y);
    }
    return sf_c(copysign(re, z.re), copysign(im, z.im));
})
FN(c128, sf_c_atan, (c128 z), "fabs copysign sf_c sf_c_atanh", {
    if (z.im != z.im && fabs(z.re) > 1.7976931348623157e308) return sf_c(copysign(1.5707963267948966, z.re), 0);
    c128 w = sf_c_atanh(sf_c(-z.im, z.re));
    return sf_c(w.im, -w.re);
})
FN(c128, sf_c_times, (c128 a, c128 b), "sf_c", { return sf_c(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re); })
/* a * b, where a product with an infinity is one although its parts are NaN (C99, Annex G) */
FN(c128, sf_c_times_inf, (c128 a, c128 b), "copysign fabs sf_c sf_c_times", {
    c128 p = sf_c_times(a, b);
    f64 big = 1.7976931348623157e308;
    int far_a = fabs(a.re) > big || fabs(a.im) > big;
    int far_b = fabs(b.re) > big || fabs(b.im) > big;
    if (p.re == p.re || p.im == p.im || !(far_a || far_b)) return p;
    if (far_a) a = sf_c(copysign(fabs(a.re) > big ? 1.0 : 0.0, a.re), copysign(fabs(a.im) > big ? 1.0 : 0.0, a.im));
    if (far_b) b = sf_c(copysign(fabs(b.re) > big ? 1.0 : 0.0, b.re), copysign(fabs(b.im) > big ? 1.0 : 0.0, b.im));
    a = sf_c(a.re == a.re ? a.re : 0, a.im == a.im ? a.im : 0);
    b = sf_c(b.re == b.re ? b.re : 0, b.im == b.im ? b.im : 0);
    p = sf_c_times(a, b);
    return sf_c(big * 2 * p.re, big * 2 * p.im);
})
/* 1 / z by Smith's scaling */
FN(c128, sf_c_inverse, (c128 z), "fabs sf_c", {
    f64 h = fabs(z.re) >= fabs(z.im) ? fabs(z.re) : fabs(z.im);
    f64 u = z.re / h;
    f64 v = z.im / h;
    if (fabs(u) >= fabs(v)) {
        f64 q = v / u;
        f64 s = u + v * q;
        return sf_c(1 / s / h, (0 - q) / s / h);
    }
    f64 q = u / v;
    f64 s = v + u * q;
    return sf_c(q / s / h, -1 / s / h);
})
/*
 * a to the power b: products for small integers, polar form otherwise; 0 to a power with a positive real part is 0. Beside
 * infinities and NaN e^(b log a), as NumPy.
 */
FN(c128, sf_c_pow, (c128 a, c128 b), "fabs rint exp pow sin cos atan2 hypot sf_c sf_log_abs sf_c_times sf_c_times_inf sf_c_inverse sf_c_exp sf_c_log", {
    if (b.re == 0 && b.im == 0) return sf_c(1, 0);
    if (a.re == 0 && a.im == 0) {
        if (b.re > 0) return sf_c(0, 0);
        return sf_c((a.re - a.re) / (a.re - a.re), (a.re - a.re) / (a.re - a.re));
    }
    if (b.im == 0 && b.re == rint(b.re) && fabs(b.re) < 100) {
        int n = (int)fabs(b.re);
        c128 p = a;
        c128 r = sf_c(1, 0);
        int first = 1;
        for (; n; n >>= 1) {
            if (n & 1) r = first ? p : sf_c_times(r, p);
            if (n & 1) first = 0;
            if (n > 1) p = sf_c_times(p, p);
        }
        return b.re > 0 ? r : sf_c_inverse(r);
    }
    f64 l = sf_log_abs(a.re, a.im);
    f64 t = atan2(a.im, a.re);
    if (l - l != 0 || t != t || b.re - b.re != 0 || b.im - b.im != 0) return sf_c_exp(sf_c_times_inf(b, sf_c(l, t)));
    f64 m = b.im == 0 ? pow(hypot(a.re, a.im), b.re) : exp(b.re * l - b.im * t);
    f64 w = b.im * l + b.re * t;
    return w == 0 ? sf_c(m, w) : sf_c(m * cos(w), m * sin(w));
})
/* e^2ixy, of the exact product */
FN(c128, sf_c_turn, (f64 x, f64 y), "sin cos fma sf_c", {
    f64 p = 2 * x * y;
    f64 q = fma(2 * x, y, -p);
    return sf_c(cos(p) * cos(q) - sin(p) * sin(q), sin(p) * cos(q) + cos(p) * sin(q));
})
/* exp(-z^2) / (z sqrt pi) (1 - 1/(2z^2) + 3/(2z^2)^2 - ...): erfc(z) for x, y >= 0 and |z| >= 8, but for a 1 near i */
FN(c128, sf_c_erfc_far, (f64 x, f64 y), "exp fma sf_c sf_part sf_c_times sf_c_inverse sf_c_turn", {
    f64 big = 1.7976931348623157e308;
    if (x > big && y <= big) return sf_c(0, -0.0);
    f64 d = (y - x) * (y + x); /* and l: the real part of -z^2 */
    f64 l = 0;
    c128 turn = sf_c(1, 0);
    if (x < 1e150 && y < 1e150) {
        f64 a = x * x;
        f64 b = y * y;
        d = b - a;
        f64 t = d - b;
        l = ((b - (d - t)) - (a + t)) + (fma(y, y, -b) - fma(x, x, -a));
        turn = sf_c_turn(x, y);
    } else if (!(d <= 0)) return sf_c(d - d, d - d); /* nobody knows the angle */
    c128 w = sf_c_inverse(sf_c(x, y));
    c128 u = sf_c_times(w, w);
    c128 r = sf_c(1, 0);
    for (int k = 39; k > 0; k -= 2) {
        r = sf_c_times(u, r);
        r = sf_c(1 - 0.5 * k * r.re, -0.5 * k * r.im);
    }
    w = sf_c_times(sf_c_times(w, r), sf_c(turn.re, -turn.im));
    f64 h = exp(0.5 * d) * exp(0.5 * l);
    return sf_c(sf_part(h, 0.5641895835477563 * w.re * h), sf_part(h, 0.5641895835477563 * w.im * h));
})
/*
 * erf(z) - erf(x) for x, y >= 0 and |z| < 8: the integral of exp(t^2) cos 2xt and exp(t^2) sin 2xt over [0, y], with
 * exp(t^2) as a comb of exp(nt), n / 2 apart (Abramowitz and Stegun, 7.1.29). Nothing cancels near an axis.
 */
FN(c128, sf_c_erf_near, (f64 x, f64 y), "exp sin sinh cosh fma sf_c sf_c_turn", {
    f64 xx = x * x;
    f64 yy = y * y;
    f64 t = x * y;
    f64 c = sf_c_turn(x, y).re;
    f64 s = sf_c_turn(x, y).im;
    f64 v = t < 1e-9 ? y : sin(t) / x;
    f64 re = 0.5 * v * sin(t);
    f64 im = t < 1e-9 ? 0.5 * y : s / (4 * x);
    f64 g = y < 1 ? 1 : exp(yy) * (1 + fma(y, y, -yy));
    int last = 14 + (int)(2 * y);
    for (int n = 1; n <= last; n++) {
        f64 m = 0.5 * n;
        f64 plain = exp(-m * m);
        f64 ch = 0;
        f64 sh = 0;
        if (y < 1) {
            ch = plain * cosh(n * y);
            sh = plain * sinh(n * y);
        } else {
            f64 up = exp(-(m - y) * (m - y));
            f64 down = exp(-(m + y) * (m + y));
            ch = 0.5 * g * (up + down);
            sh = 0.5 * g * (up - down);
        }
        f64 q = m * m + xx;
        re += (0.5 * x * (plain - ch * c) + 0.5 * m * sh * s) / q;
        im += (0.5 * x * ch * s + 0.5 * m * sh * c) / q;
    }
    f64 e = 0.6366197723675814 * exp(-xx) * (1 - fma(x, x, -xx));
    return sf_c(e * re, e * im);
})
/* erf(z), or erfc(z) if the rest to 1 is asked for: by its quadrant's first */
FN(c128, sf_c_erf_or_rest, (c128 z, int rest), "erf erfc fabs hypot sf_c sf_c_erfc_far sf_c_erf_near", {
    f64 x = fabs(z.re);
    f64 y = fabs(z.im);
    f64 re = rest ? erfc(z.re) : erf(z.re);
    if (y == 0) return sf_c(re, rest ? -z.im : z.im);
    if (x == 0 && (y != y || y > 1e154)) return sf_c(rest ? 1 : z.re, rest ? -z.im : z.im);
    if (x < 8 && y < 8 && hypot(x, y) < 8) {
        c128 w = sf_c_erf_near(x, y);
        re += (z.re < 0) == rest ? w.re : -w.re;
        return sf_c(re, (z.im < 0) == rest ? w.im : -w.im);
    }
    c128 w = sf_c_erfc_far(x, y);
    int high = (y - x) * (y + x) > 40; /* 1 is nothing beside exp(40), and not there on the imaginary axis */
    f64 mine = high ? -w.re : 1 - w.re; /* erf(x + iy) */
    if (!rest) return sf_c(z.re < 0 ? -mine : z.re > 0 ? mine : z.re, z.im < 0 ? w.im : -w.im);
    re = x == 0 ? 1 : z.re < 0 ? 1 + mine : high ? 1 - mine : w.re;
    return sf_c(re, z.im < 0 ? -w.im : w.im);
})
FN(c128, sf_c_erf, (c128 z), "sf_c_erf_or_rest", { return sf_c_erf_or_rest(z, 0); })
FN(c128, sf_c_erfc, (c128 z), "sf_c_erf_or_rest", { return sf_c_erf_or_rest(z, 1); })
/* z / |z|, 0 at 0 */
FN(c128, sf_c_sgn, (c128 z), "hypot fabs copysign sf_c", {
    f64 x = z.re;
    f64 y = z.im;
    if (x == 0 && y == 0) return sf_c(0, 0);
    if (fabs(x) > 1.7976931348623157e308 && !(fabs(y) > 1.7976931348623157e308)) return sf_c(copysign(1.0, x), 0);
    if (fabs(y) > 1.7976931348623157e308 && !(fabs(x) > 1.7976931348623157e308)) return sf_c(0, copysign(1.0, y));
    if (fabs(x) < 1e-300 && fabs(y) < 1e-300) {
        x *= 1e300;
        y *= 1e300;
    } else if (fabs(x) > 1e300 || fabs(y) > 1e300) {
        x *= 1e-10;
        y *= 1e-10;
    }
    f64 h = hypot(x, y);
    return sf_c(x / h, y / h);
})
/* clang-format on */
