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
/* clang-format on */
