/*
 * special_dd.h -- arithmetic on pairs {hi, lo} of doubles, some 31 digits (see special.h). In and out: |lo| at most
 * about half a unit in the last place of hi; no overflow.
 */
/* clang-format off */
FN(DD, sf_dd, (f64 hi, f64 lo), "", {
    DD r;
    r.hi = hi + lo;
    r.lo = lo - (r.hi - hi);
    return r;
})
FN(DD, sf_dd_add, (DD a, DD b), "sf_dd", {
    f64 s = a.hi + b.hi;
    f64 t = s - a.hi;
    return sf_dd(s, (a.hi - (s - t)) + (b.hi - t) + (a.lo + b.lo));
})
FN(DD, sf_dd_mul, (DD a, DD b), "fma sf_dd", {
    f64 p = a.hi * b.hi;
    return sf_dd(p, fma(a.hi, b.hi, -p) + (a.hi * b.lo + a.lo * b.hi));
})
FN(DD, sf_dd_div, (DD a, DD b), "fma sf_dd", {
    f64 q = a.hi / b.hi;
    f64 r = fma(-q, b.hi, a.hi) + (a.lo - q * b.lo);
    return sf_dd(q, r / b.hi);
})
FN(DD, sf_dd_sqrt, (DD a), "fma sqrt sf_dd", {
    f64 r = sqrt(a.hi);
    return sf_dd(r, (fma(-r, r, a.hi) + a.lo) / (2 * r));
})
/* e^x, |x| < 700: x = k log 2 + 8 r, by Taylor's series of r and three squarings */
FN(DD, sf_dd_exp, (DD x), "rint exp2 sf_dd sf_dd_add sf_dd_mul sf_dd_div", {
    f64 k = rint(x.hi * 1.4426950408889634);
    DD r = sf_dd_add(x, sf_dd_mul(sf_dd(-0.6931471805599453, -2.3190468138462996e-17), sf_dd(k, 0)));
    r = sf_dd_add(r, sf_dd(k * -5.707708438416212e-34, 0));
    r = sf_dd(0.125 * r.hi, 0.125 * r.lo);
    DD s = sf_dd(1, 0);
    for (int n = 16; n > 0; n--) s = sf_dd_add(sf_dd(1, 0), sf_dd_div(sf_dd_mul(s, r), sf_dd(n, 0)));
    for (int n = 0; n < 3; n++) s = sf_dd_mul(s, s);
    f64 two = exp2(k);
    return sf_dd(s.hi * two, s.lo * two);
})
FN(DD, sf_dd_expm1, (f64 x), "fabs sf_dd sf_dd_add sf_dd_mul sf_dd_div sf_dd_exp", {
    if (fabs(x) > 0.35) return sf_dd_add(sf_dd_exp(sf_dd(x, 0)), sf_dd(-1, 0));
    DD s = sf_dd(1, 0);
    for (int n = 25; n > 1; n--) s = sf_dd_add(sf_dd(1, 0), sf_dd_div(sf_dd_mul(s, sf_dd(x, 0)), sf_dd(n, 0)));
    return sf_dd_mul(s, sf_dd(x, 0));
})
FN(DD, sf_dd_log, (DD x), "log sf_dd sf_dd_add sf_dd_mul sf_dd_exp", {
    f64 y = log(x.hi);
    DD t = sf_dd_add(sf_dd_mul(x, sf_dd_exp(sf_dd(-y, 0))), sf_dd(-1, 0));
    return sf_dd_add(sf_dd(y, 0), sf_dd(t.hi, t.lo - 0.5 * t.hi * t.hi));
})
/* cos(r + turns pi / 2), |r| at most about 0.8 */
FN(DD, sf_dd_cos, (DD r, int turns), "sf_dd sf_dd_add sf_dd_mul sf_dd_div", {
    DD w = sf_dd_mul(r, r);
    int odd = turns & 1;
    DD s = sf_dd(1, 0);
    for (int n = 28 + odd; n > 1; n -= 2) s = sf_dd_add(sf_dd(1, 0), sf_dd_div(sf_dd_mul(s, w), sf_dd(-(f64)n * (n - 1), 0)));
    if (odd) s = sf_dd_mul(s, r);
    int minus = (turns & 3) == 1 || (turns & 3) == 2;
    return minus ? sf_dd(-s.hi, -s.lo) : s;
})
FN(DD, sf_dd_cospi, (DD x), "rint sf_dd sf_dd_add sf_dd_mul sf_dd_cos", {
    f64 n = rint(2 * x.hi);
    DD r = sf_dd_mul(sf_dd_add(x, sf_dd(-0.5 * n, 0)), sf_dd(3.141592653589793, 1.2246467991473532e-16));
    return sf_dd_cos(r, (int)(n - 4 * rint(0.25 * n)));
})
/* x less n times pi / 2, which comes in three parts */
FN(DD, sf_dd_reduce, (DD x, f64 n), "fma sf_dd sf_dd_add", {
    f64 p = n * 1.5707963267948966;
    DD r = sf_dd_add(x, sf_dd(-p, 0));
    r = sf_dd_add(r, sf_dd(-fma(n, 1.5707963267948966, -p), 0));
    p = n * 6.123233995736766e-17;
    r = sf_dd_add(r, sf_dd(-p, -fma(n, 6.123233995736766e-17, -p)));
    return sf_dd_add(r, sf_dd(n * 1.4973849048591698e-33, 0));
})
/* clang-format on */
