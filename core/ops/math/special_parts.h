/*
 * special_parts.h -- exponents of floats (see special.h): what frexp and ldexp do.
 * In: any double, an exponent as a double without a fraction. Out: exact, rounded once where the result is a denormal.
 */
/* clang-format off */
FN(f64, sf_exponent, (f64 x), "", {
    union { f64 f; unsigned long long u; } v;
    v.f = x;
    int e = (int)(v.u >> 52 & 0x7ff);
    if (e == 0x7ff || x == 0) return 0;
    if (e) return e - 1022;
    v.f = x * 0x1p54;
    return (int)(v.u >> 52 & 0x7ff) - 1076;
})
FN(f64, sf_mantissa, (f64 x), "", {
    union { f64 f; unsigned long long u; } v;
    v.f = x;
    if ((v.u >> 52 & 0x7ff) == 0x7ff || x == 0) return x;
    if ((v.u >> 52 & 0x7ff) == 0) v.f = x * 0x1p54;
    v.u = (v.u & 0x800fffffffffffffull) | 0x3fe0000000000000ull;
    return v.f;
})
FN(f64, sf_ldexp, (f64 x, f64 n), "copysign sf_exponent sf_mantissa", {
    union { f64 f; unsigned long long u; } v;
    if (x - x != 0 || x == 0 || n != n) return x * (n != n ? n : 1);
    f64 e = sf_exponent(x) + (n > 5000 ? 5000 : n < -5000 ? -5000 : n);
    if (e > 1024) return copysign(__builtin_inf(), x);
    if (e < -1075) return copysign(0.0, x);
    v.f = sf_mantissa(x);
    int low = e < -1021;
    v.u = (v.u & 0x800fffffffffffffull) | (unsigned long long)((int)e + 1022 + (low ? 54 : 0)) << 52;
    return low ? v.f * 0x1p-54 : v.f;
})
/* clang-format on */
