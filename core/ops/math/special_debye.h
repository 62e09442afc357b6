/*
 * special_debye.h -- Bessel functions of large orders by Debye's expansions (see special.h).
 * In: 0 < v, 0 < x < inf, x not near v for J (special_bessel.h goes there by recurrence). Out: a few units in the last
 * place; exponents and phases are computed to 30 digits.
 */
/* clang-format off */
/* The sums of U_k / v^k over even and odd k up to 5 as {even, odd}: t = 1 / w, s = (v / w)^2, or both as of an imaginary w */
FN(DD, sf_debye_sums, (f64 t, f64 s, f64 tt), "", {
    f64 a = 0.125 + s * -0.20833333333333334;
    f64 b = 0.0703125 + s * (-0.40104166666666669 + s * 0.3342013888888889);
    f64 c = 0.0732421875 + s * (-0.89121093750000002 + s * (1.8464626736111112 + s * -1.0258125964506173));
    f64 d = 0.112152099609375 + s * (-2.3640869140624998 + s * (8.78912353515625 + s * (-11.207002616222994 + s * 4.6695844234262474)));
    f64 e = 0.22710800170898438 + s * (-7.3687943594796321 + s * (42.534998745388457 + s * (-91.818241543240021 + s * (84.636217674600729 + s * -28.212072558200244))));
    DD r;
    r.hi = 1 + tt * (b + tt * d);
    r.lo = t * (a + tt * (c + tt * e));
    return r;
})
/* e^(w - v log((v + w) / x)) (1 + ..) / sqrt(2 pi w): I for w = sqrt(v^2 + x^2), J for sqrt(v^2 - x^2) */
FN(f64, sf_debye_real, (f64 v, f64 x, DD w), "exp sqrt sf_dd sf_dd_add sf_dd_mul sf_dd_div sf_dd_log sf_debye_sums", {
    DD l = sf_dd_log(sf_dd_div(sf_dd_add(sf_dd(v, 0), w), sf_dd(x, 0)));
    DD g = sf_dd_add(w, sf_dd_mul(sf_dd(-v, 0), l));
    if (g.hi < -1400) return 0;
    if (g.hi > 1400) return __builtin_inf();
    f64 t = 1 / w.hi;
    f64 p = v * t;
    DD sums = sf_debye_sums(t, p * p, t * t);
    f64 e = exp(0.5 * g.hi);
    return e * ((sums.hi + sums.lo) * (1 + g.lo) / sqrt(6.283185307179586 * w.hi)) * e;
})
/* The arc whose cosine is c and whose sine is s */
FN(DD, sf_dd_arc, (DD c, DD s), "sin cos sf_dd sf_dd_add sf_dd_mul sf_dd_reduce sf_dd_cos", {
    f64 a = 2 * s.hi / (1 + c.hi);
    for (int k = 0; k < 3; k++) a += s.hi * cos(a) - c.hi * sin(a);
    int turns = a > 0.7853981633974483;
    DD r = sf_dd_reduce(sf_dd(a, 0), turns);
    DD y = sf_dd_cos(r, turns + 3);
    DD d = sf_dd_add(sf_dd_mul(s, sf_dd_cos(r, turns)), sf_dd_mul(sf_dd(-c.hi, -c.lo), y));
    return sf_dd_add(sf_dd(a, 0), d);
})
/* J of orders below x: an amplitude and the cosine of w - v arc - pi / 4 */
FN(f64, sf_debye_waves, (f64 v, f64 x, DD w), "rint sqrt sf_dd sf_dd_add sf_dd_mul sf_dd_div sf_dd_reduce sf_dd_cos sf_dd_arc sf_debye_sums", {
    DD by = sf_dd(x, 0);
    DD a = sf_dd_arc(sf_dd_div(sf_dd(v, 0), by), sf_dd_div(w, by));
    DD g = sf_dd_add(w, sf_dd_mul(sf_dd(-v, 0), a));
    f64 m = rint(g.hi * 0.6366197723675814 - 0.5);
    DD r = sf_dd_reduce(g, m + 0.5);
    int turns = (int)(m - 4 * rint(0.25 * m));
    f64 t = 1 / w.hi;
    f64 p = v * t;
    DD sums = sf_debye_sums(t, -p * p, -t * t);
    return (sf_dd_cos(r, turns).hi * sums.hi + sf_dd_cos(r, turns + 3).hi * sums.lo) * sqrt(0.6366197723675814 / w.hi);
})
/* Jv(x), |v - x| at least about 80 v^(1/3), v > 10^6 */
FN(f64, sf_jv_debye, (f64 v, f64 x), "sf_dd sf_dd_add sf_dd_mul sf_dd_sqrt sf_debye_real sf_debye_waves", {
    DD s = sf_dd_add(sf_dd(v, 0), sf_dd(x, 0));
    if (100 * x < v) return 0;
    if (x < v) return sf_debye_real(v, x, sf_dd_sqrt(sf_dd_mul(s, sf_dd_add(sf_dd(v, 0), sf_dd(-x, 0)))));
    return sf_debye_waves(v, x, sf_dd_sqrt(sf_dd_mul(s, sf_dd_add(sf_dd(x, 0), sf_dd(-v, 0)))));
})
/* Iv(x), v > 500; beyond 10^15 it is 0 or infinite, on this or that side of its one crossing */
FN(f64, sf_iv_debye, (f64 v, f64 x), "sf_dd sf_dd_add sf_dd_mul sf_dd_sqrt sf_debye_real", {
    if (100 * x < v) return 0;
    if (v > 1e15 || x > 1e15) return x < 0.6627434193491816 * v ? 0 : __builtin_inf();
    DD s = sf_dd_add(sf_dd_mul(sf_dd(v, 0), sf_dd(v, 0)), sf_dd_mul(sf_dd(x, 0), sf_dd(x, 0)));
    return sf_debye_real(v, x, sf_dd_sqrt(s));
})
/* clang-format on */
