/*
 * vmath_all.h -- vector math of our own, as text: exp, expm1, log, log1p, tanh, sigmoid, softplus, cbrt, erf, erfc
 * of float64 and float32. Included with VF(dtype, name, uses, body) defined, and VF2 for functions of two arguments:
 * compiled into the interpreter's block kernels (core/runtime/simd/simd_math.h) and put as text into generated C
 * (core/text/vmath.c), so that both compute the same bits at every width of vector. VB and VB2 are texts of both
 * dtypes.
 *
 * In a body: x is the argument, y the second; V its type, a GCC vector; I signed integers as wide as its elements; K(c)
 * a constant of V's element type; PER(a, b) is a for float64, b for float32; FMA(a, b, c) fused where the processor
 * can; REST(a, b, p) what a * b is more than its rounded product p; LEAST(x, c), MOST(x, c) the smaller and the larger,
 * NaN if x is; ABS(x); SIGN(x) the sign's bit, as an integer; PICK(m, a, b) by a mask; WITHIN(x, a, b) whether all of x
 * lie from a to b: then nothing has to be looked at on the way; FLUSH(x, c, y) zero where x < c, else y; SQRT(x);
 * ONE_BY(x) 1 / x, rounded as that, where x is not so small or large that this is no normal number;
 * SCALE(y, t, n) is y * 2^n, in range or not, for t = n + a number whose low bits are free: a product that underflows
 * takes a processor some 150 cycles, which zeros (exponentials of what a mask left out) are spared by FLUSH. Errors are
 * at most 4 units in the last place (bench/ulp.lua); infinities, NaN, signs of zero and denormals come out right.
 *
 * exp(x) = 2^n e^r with n = rint(x / ln 2): n is added to a number so large that its low bits are n, r = x - n ln 2 in
 * two steps, e^r - 1 = r + r^2 Q(r) with Q the best polynomial for |r| <= ln(2) / 2. tanh(x) = d / (d + 2), d = e^2|x|
 * - 1. log1p(x) = k ln 2 + log(1 + f) with 1 + x = 2^k (1 + f), f exact for k = 0, 1 + f
 * between the roots of 1/2 and 2. cbrt(x) = n z^2 2^q of float32, with |x| = n 8^q, 1 <= n < 8, and z = n^(-1/3) from a
 * polynomial, one step of the third order and a last correction by what is left of n; of float64 x z^2, z = t (1 - h)^
 * (-1/3) with t from a third of the upper half of x's bits, h = 1 - x t^3 less than 1/8, and the same correction.
 * erf(x) = x + x P(x^2) below 1, 1 - e^Q(|x|) from there. erfc(|x|) = e^(-x^2) R((|x| - 4) / (|x| + 4)) /
 * (1 + 2|x|), x^2 in two parts of which one is exact; of
 * float32 e^(-x^2) R(u) / (1 + |x|), R(0) = 1, with u = |x| / (1 + |x|), and 2^(n + 64) 2^-64 for 2^n: no cases.
 */
/* clang-format off */
#ifndef VB
#define VB(name, uses, ...) VF(FLOAT64, name, uses, __VA_ARGS__) VF(FLOAT32, name, uses, __VA_ARGS__)
#define VB2(name, uses, ...) VF2(FLOAT64, name, uses, __VA_ARGS__) VF2(FLOAT32, name, uses, __VA_ARGS__)
#endif
VF(FLOAT64, expm1_of, "", {
    V z = x * x;
    V even = FMA(z, FMA(z, FMA(z, FMA(z, K(0x1.28a0488e230edp-22), K(0x1.a019aa6e9f6a2p-16)),
        K(0x1.6c16c17cff8c3p-10)), K(0x1.555555555314ap-5)), K(0.5));
    V odd = FMA(z, FMA(z, FMA(z, FMA(z, K(0x1.af796e4c7697bp-26), K(0x1.71dde85d226ecp-19)),
        K(0x1.a01a01b681ec2p-13)), K(0x1.111111110e555p-7)), K(0x1.555555555555cp-3));
    return FMA(z, FMA(x, odd, even), x);
})
VF(FLOAT32, expm1_of, "", {
    V z = x * x;
    V even = FMA(z, FMA(z, K(0x1.6d79840000000p-10), K(0x1.5554c00000000p-5)), K(0.5));
    V odd = FMA(z, K(0x1.123a4e0000000p-7), K(0x1.5554900000000p-3));
    return FMA(z, FMA(x, odd, even), x);
})
VF(FLOAT64, exp, "expm1_of", {
    V y = MOST(LEAST(x, K(710)), K(-746));
    V t = FMA(y, K(0x1.71547652b82fep+0), K(0x1.8p52));
    V n = t - K(0x1.8p52);
    V r = FMA(n, K(-0x1.a39ef35793c76p-33), FMA(n, K(-0x1.62e42fee00000p-1), y));
    return SCALE(FLUSH(x, K(-746), 1 + expm1_of(r)), t, n);
})
VF(FLOAT32, exp, "expm1_of", {
    V y = MOST(LEAST(x, K(89)), K(-104));
    V t = FMA(y, K(0x1.715476p+0), K(0x1.8p23));
    V n = t - K(0x1.8p23);
    V r = FMA(n, K(-0x1.7f7d1cp-20), FMA(n, K(-0x1.62e4p-1), y));
    return SCALE(FLUSH(x, K(-104), 1 + expm1_of(r)), t, n);
})
VF(FLOAT64, expm1, "expm1_of", {
    V y = MOST(LEAST(x, K(710)), K(-60));
    V t = FMA(y, K(0x1.71547652b82fep+0), K(0x1.8p52));
    V n = t - K(0x1.8p52);
    V r = FMA(n, K(-0x1.a39ef35793c76p-33), FMA(n, K(-0x1.62e42fee00000p-1), y));
    V half = (V)(((I)t << 52) + 0x3fe0000000000000);
    V e = FMA(half, expm1_of(r), half - K(0.5));
    e = PICK(ABS(x) < K(0x1p-54), x, e + e); /* half a denormal is none */
    return (V)(((I)e & 0x7fffffffffffffff) | ((I)x & (-0x7fffffffffffffff - 1)));
})
VF(FLOAT32, expm1, "expm1_of", {
    V y = MOST(LEAST(x, K(89)), K(-30));
    V t = FMA(y, K(0x1.715476p+0), K(0x1.8p23));
    V n = t - K(0x1.8p23);
    V r = FMA(n, K(-0x1.7f7d1cp-20), FMA(n, K(-0x1.62e4p-1), y));
    V half = (V)(((I)t << 23) + 0x3f000000);
    V e = FMA(half, expm1_of(r), half - K(0.5));
    e = PICK(ABS(x) < K(0x1p-25), x, e + e);
    return (V)(((I)e & 0x7fffffff) | ((I)x & (-0x7fffffff - 1)));
})
VF(FLOAT64, tanh, "expm1_of", {
    V a = LEAST((V)((I)x & 0x7fffffffffffffff), K(20));
    V t = FMA(a, K(0x1.71547652b82fep+1), K(0x1.8p52));
    V n = t - K(0x1.8p52);
    V r = FMA(n, K(-0x1.a39ef35793c76p-33), FMA(n, K(-0x1.62e42fee00000p-1), a + a));
    V s = (V)(((I)t << 52) + 0x3ff0000000000000);
    V d = FMA(s, expm1_of(r), s - 1);
    return (V)((I)(d / (d + 2)) | ((I)x & (-0x7fffffffffffffff - 1)));
})
VF(FLOAT32, tanh, "expm1_of", {
    V a = LEAST((V)((I)x & 0x7fffffff), K(10));
    V t = FMA(a, K(0x1.715476p+1), K(0x1.8p23));
    V n = t - K(0x1.8p23);
    V r = FMA(n, K(-0x1.7f7d1cp-20), FMA(n, K(-0x1.62e4p-1), a + a));
    V s = (V)(((I)t << 23) + 0x3f800000);
    V d = FMA(s, expm1_of(r), s - 1);
    return (V)((I)(d / (d + 2)) | ((I)x & (-0x7fffffff - 1)));
})
VF(FLOAT64, log1p, "", {
    V u = 1 + x;
    I w = (I)u - 0x3fe6a09e667f3bcd + 0x3ff0000000000000;
    V k = (V)((w >> 52 & 0xfff) | 0x4330000000000000) - K(0x1.00000000003ffp52);
    V s = (V)((-0x7fffffffffffffff - 1) - (w & 0x7ff0000000000000));
    V f = FMA(x * K(0.25), s, FMA(s, K(0.25), K(-1)));
    V g = f / (2 + f);
    V z = g * g;
    V y = z * z;
    V odd = FMA(y, FMA(y, K(0x1.39a0f4742bc72p-3), K(0x1.c71c51e7d7169p-3)), K(0x1.999999997fb2dp-2));
    V even = FMA(y, FMA(y, FMA(y, K(0x1.2f0d9405740ddp-3), K(0x1.746646327093bp-3)), K(0x1.2492494217d14p-2)),
        K(0x1.5555555555593p-1));
    V h = K(0.5) * f * f;
    V l = FMA(g, FMA(z, FMA(z, odd, even), h), k * K(0x1.a39ef35793c76p-33));
    l = FMA(k, K(0x1.62e42fee00000p-1), f - (h - l));
    if (!WITHIN(u, K(0x1p-60), K(0x1.fffffffffffffp1023))) {
        V odds = PICK(u == 0, K(-__builtin_inf()), PICK(x > 0, x, K(__builtin_nan(""))));
        l = PICK((u > 0) & (u < K(__builtin_inf())), l, odds);
    }
    return PICK((V)((I)x & 0x7fffffffffffffff) < K(0x1p-54), x, l);
})
VF(FLOAT32, log1p, "", {
    V u = 1 + x;
    I w = (I)u - 0x3f3504f3 + 0x3f800000;
    V k = (V)((w >> 23 & 0x1ff) | 0x4b000000) - K(0x1.0000fep23);
    V s = (V)((-0x7fffffff - 1) - (w & 0x7f800000));
    V f = FMA(x * K(0.25), s, FMA(s, K(0.25), K(-1)));
    V z = f * f;
    V odd = FMA(z, FMA(z, FMA(z, K(-0x1.e34a36p-4), K(-0x1.fb355ap-4)), K(-0x1.556330p-3)), K(-0x1.ffffecp-3));
    V even = FMA(z, FMA(z, FMA(z, FMA(z, K(0x1.1b8158p-4), K(0x1.e667eap-4)), K(0x1.233072p-3)), K(0x1.99a562p-3)),
        K(0x1.555546p-2));
    V l = FMA(k, K(0x1.7f7d1cp-20), FMA(f * z, FMA(f, odd, even), K(-0.5) * z));
    l = FMA(k, K(0x1.62e4p-1), f + l);
    if (!WITHIN(u, K(0x1p-30), K(0x1.fffffep127))) {
        V odds = PICK(u == 0, K(-__builtin_inf()), PICK(x > 0, x, K(__builtin_nan(""))));
        l = PICK((u > 0) & (u < K(__builtin_inf())), l, odds);
    }
    return PICK((V)((I)x & 0x7fffffff) < K(0x1p-25), x, l);
})
VB(shifted_of, "", {
    V u = PICK(x < K(PER(0x1p-1022, 0x1p-126)), x * K(PER(0x1p54, 0x1p25)), x);
    return (V)((I)u - PER(0x3fe6a09e667f3bcd, 0x3f3504f3) + PER(0x3ff0000000000000, 0x3f800000));
})
VB(exponent_of, "shifted_of", {
    I w = (I)shifted_of(x);
    V e = (V)(PER((w >> 52 & 0xfff) | 0x4330000000000000, (w >> 23 & 0x1ff) | 0x4b000000));
    return e - PICK(x < K(PER(0x1p-1022, 0x1p-126)), K(PER(0x1.0000000000435p52, 0x1.000130p23)),
        K(PER(0x1.00000000003ffp52, 0x1.0000fep23)));
})
VB(fraction_of, "shifted_of", {
    I w = (I)shifted_of(x);
    return (V)(PER((w & 0x000fffffffffffff) + 0x3fe6a09e667f3bcd, (w & 0x007fffff) + 0x3f3504f3)) - 1;
})
/* Of numbers that are positive, finite and normal. */
VB(exponent_in, "", {
    I w = (I)x - PER(0x3fe6a09e667f3bcd, 0x3f3504f3) + PER(0x3ff0000000000000, 0x3f800000);
    return (V)(PER(w >> 52 | 0x4330000000000000, w >> 23 | 0x4b000000)) - K(PER(0x1.00000000003ffp52, 0x1.0000fep23));
})
VB(fraction_in, "", {
    I w = (I)x - PER(0x3fe6a09e667f3bcd, 0x3f3504f3) + PER(0x3ff0000000000000, 0x3f800000);
    return (V)(PER((w & 0x000fffffffffffff) + 0x3fe6a09e667f3bcd, (w & 0x007fffff) + 0x3f3504f3)) - 1;
})
VF2(FLOAT64, log_join, "", {
    V g = y / (2 + y);
    V z = g * g;
    V w = z * z;
    V odd = FMA(w, FMA(w, K(0x1.39a0f4742bc72p-3), K(0x1.c71c51e7d7169p-3)), K(0x1.999999997fb2dp-2));
    V even = FMA(w, FMA(w, FMA(w, K(0x1.2f0d9405740ddp-3), K(0x1.746646327093bp-3)),
        K(0x1.2492494217d14p-2)), K(0x1.5555555555593p-1));
    V h = K(0.5) * y * y;
    V l = FMA(g, FMA(z, FMA(z, odd, even), h), x * K(0x1.a39ef35793c76p-33));
    return FMA(x, K(0x1.62e42fee00000p-1), y - (h - l));
})
VF2(FLOAT32, log_join, "", {
    V z = y * y;
    V odd = FMA(z, FMA(z, FMA(z, K(-0x1.e34a36p-4), K(-0x1.fb355ap-4)), K(-0x1.556330p-3)), K(-0x1.ffffecp-3));
    V even = FMA(z, FMA(z, FMA(z, FMA(z, K(0x1.1b8158p-4), K(0x1.e667eap-4)), K(0x1.233072p-3)),
        K(0x1.99a562p-3)), K(0x1.555546p-2));
    V l = FMA(x, K(0x1.7f7d1cp-20), FMA(y * z, FMA(y, odd, even), K(-0.5) * z));
    return FMA(x, K(0x1.62e4p-1), y + l);
})
VB(log, "exponent_of fraction_of exponent_in fraction_in log_join", {
    if (WITHIN(x, K(PER(0x1p-1022, 0x1p-126)), K(PER(0x1.fffffffffffffp1023, 0x1.fffffep127))))
        return log_join(exponent_in(x), fraction_in(x));
    V l = log_join(exponent_of(x), fraction_of(x));
    V odds = PICK(x == 0, K(-__builtin_inf()), PICK(x > 0, x, K(__builtin_nan(""))));
    return PICK((x > 0) & (x < K(__builtin_inf())), l, odds);
})
VF(FLOAT64, sigmoid, "exp", { return PICK(x < K(-709), K(0), 1 / (1 + exp(-x))); })
VF(FLOAT32, sigmoid, "exp", { return PICK(x < K(-88), K(0), 1 / (1 + exp(-x))); })
VF(FLOAT64, softplus, "exp log1p", { return PICK(x < K(-745), K(0), PICK(x > K(40), x, log1p(exp(x)))); })
VF(FLOAT32, softplus, "exp log1p", { return PICK(x < K(-103), K(0), PICK(x > K(20), x, log1p(exp(x)))); })
VF(FLOAT64, erf_of, "", {
    V z = x * x;
    V even = FMA(FMA(FMA(FMA(K(0x1.d784936618cc2p-27), z, K(0x1.b9827b1885f9bp-20)), z, K(0x1.f9a2bf73f0c68p-14)),
        z, K(0x1.565bccfa9a825p-8)), z, K(0x1.ce2f21a041018p-4));
    even = FMA(even, z, K(0x1.06eba8214db68p-3));
    V odd = FMA(FMA(FMA(FMA(K(-0x1.acdff90b8ebd8p-31), z, K(-0x1.5c16e30fb0d45p-23)), z, K(-0x1.f4ca94990cb86p-17)),
        z, K(-0x1.c02db072f3fe0p-11)), z, K(-0x1.b82ce312062bcp-6));
    odd = FMA(odd, z, K(-0x1.812746b0379c2p-2));
    return FMA(x, odd, even);
})
VF(FLOAT32, erf_of, "", {
    V p = FMA(FMA(FMA(FMA(K(0x1.496a12p-14), x, K(-0x1.a3f71ep-11)), x, K(0x1.5405bep-8)), x,
        K(-0x1.b7f91p-6)), x, K(0x1.ce2cf8p-4));
    return FMA(FMA(p, x, K(-0x1.81273ep-2)), x, K(0x1.06eba8p-3));
})
VF(FLOAT64, erf_far, "", {
    V z = x * x;
    V even = FMA(FMA(FMA(FMA(K(0x1.bc397b2b320f7p-33), z, K(0x1.8a86d87dd9d2bp-25)), z, K(0x1.1bd28d7996da2p-19)),
        z, K(0x1.7a01d219f2c3bp-16)), z, K(-0x1.1e658f1bd0eeep-13));
    even = FMA(FMA(FMA(FMA(even, z, K(-0x1.f70b79497571bp-10)), z, K(0x1.371992fe1ba80p-6)), z,
        K(-0x1.45f635b7df421p-1)), z, K(-0x1.1390a3a9c889cp-21));
    V odd = FMA(FMA(FMA(FMA(K(-0x1.564ddb7592366p-38), z, K(-0x1.0b4a9bd9f1191p-28)), z, K(-0x1.8cc90b25d930dp-22)),
        z, K(-0x1.1fd5d5f21f0aep-17)), z, K(-0x1.47768a7577b42p-16));
    odd = FMA(FMA(FMA(FMA(odd, z, K(0x1.954e2ad45b60bp-11)), z, K(0x1.b1a43ec888e19p-12)), z,
        K(-0x1.a4ab2683fd2acp-4)), z, K(-0x1.20dd1e2e5b93ep+0));
    return FMA(x, odd, even);
})
VF(FLOAT32, erf_far, "", {
    V q = FMA(FMA(FMA(FMA(K(-0x1.6c0616p-16), x, K(0x1.ceea9p-12)), x, K(-0x1.1398dcp-8)), x,
        K(0x1.9d0bcp-6)), x, K(-0x1.bc18c8p-4));
    return FMA(FMA(FMA(q, x, K(-0x1.4434f2p-1)), x, K(-0x1.212c2cp+0)), x, K(0x1.8b3cecp-13));
})
VB(erf, "exp erf_of erf_far", {
    V a = LEAST(ABS(x), K(PER(6, 4)));
    V y = PICK(a < K(1), FMA(erf_of(a * a), a, a), 1 - exp(erf_far(a)));
    return (V)((I)y | SIGN(x));
})
VF(FLOAT64, erfc_of, "", {
    V z = x * x;
    V even = FMA(FMA(FMA(FMA(K(0x1.b4d675be3d02ep-30), z, K(-0x1.57e56ad19d54ap-27)), z, K(-0x1.6c7d33dc95c49p-25)),
        z, K(0x1.38622913003a0p-19)), z, K(-0x1.66e197c978157p-15));
    even = FMA(FMA(FMA(FMA(even, z, K(0x1.27e6635340732p-11)), z, K(-0x1.143c4ca233dfdp-8)), z,
        K(-0x1.8ff5ef76dac61p-5)), z, K(-0x1.d76830c352fdcp-4));
    even = FMA(FMA(even, z, K(-0x1.59e2c284b121cp-7)), z, K(0x1.3e0a99a0ee914p+0));
    V odd = FMA(FMA(FMA(FMA(K(0x1.4c75e8451bbf7p-27), z, K(-0x1.8ab62edea25dbp-24)), z, K(0x1.41eb8d79e5ef4p-21)),
        z, K(-0x1.fff6dcd02a325p-19)), z, K(0x1.9708893006c87p-16));
    odd = FMA(FMA(FMA(FMA(odd, z, K(-0x1.fda9095b41037p-14)), z, K(-0x1.3cf36974b8aa3p-12)), z,
        K(0x1.38ec667110e4fp-6)), z, K(0x1.686106046f066p-4));
    odd = FMA(FMA(odd, z, K(0x1.8f702ec6b331bp-4)), z, K(-0x1.1ebd220ea593bp-3));
    return FMA(x, odd, even);
})
VF(FLOAT64, erfc, "expm1_of erf_of erfc_of", {
    V a = LEAST(ABS(x), K(27.5));
    V c = K(3.5);
    V d = FMA(a, K(2), K(1));
    V i = 1 / ((a + c) * d);
    V r = erfc_of((a - c) * (i * d));
    i *= a + c;
    V g = r * i;
    r = FMA(FMA(-g, d, r) - g * (a + a - (d - 1)), i, g);
    V h = (V)((I)a & -0x8000000);
    V w = -h * h;
    V t = FMA(w, K(0x1.71547652b82fep+0), K(0x1.8p52));
    V n = t - K(0x1.8p52);
    V e = FMA(n, K(-0x1.62e42fee00000p-1), w);
    e = FMA(n, K(-0x1.a39ef35793c76p-33), e) + (h - a) * (h + a);
    V y = SCALE(FLUSH(w, K(-745.5), FMA(expm1_of(e), r, r)), t, n);
    return PICK(a < K(0.75), 1 - FMA(erf_of(a * a), x, x), PICK(x < 0, 2 - y, y));
})
VF(FLOAT32, erfc_of, "", {
    V r = FMA(FMA(FMA(FMA(K(0x1.67bb56p-2), x, K(-0x1.3ef33ep+0)), x, K(0x1.a8e442p+0)), x,
        K(-0x1.028f08p+0)), x, K(0x1.8e6b52p-4));
    r = FMA(FMA(FMA(FMA(r, x, K(0x1.4d8e1cp-2)), x, K(-0x1.4c949ap-3)), x, K(0x1.b16cc2p-4)), x, K(-0x1.28da24p-5));
    return FMA(FMA(FMA(r, x, K(-0x1.165b9ep-3)), x, K(-0x1.07007ap-2)), x, K(-0x1.06eacap-3));
})
VF(FLOAT32, erfc, "expm1_of erfc_of", {
    V a = LEAST(ABS(x), K(10.5));
    V s = ONE_BY(1 + a);
    V u = a * s;
    V r = FMA(s * u, erfc_of(u), s);
    V w = -a * a;
    V t = FMA(w, K(0x1.715476p+0), K(0x1.80017ep23));
    V n = t - K(0x1.80017ep23);
    V e = FMA(n, K(-0x1.62e4p-1), w) + FMA(n, K(-0x1.7f7d1cp-20), REST(-a, a, w));
    V y = FLUSH(w, K(-103.98), FMA(expm1_of(e), r, r)) * (V)((I)t << 23) * K(0x1p-64);
    return PICK(x < 0, 2 - y, y);
})
/* Of positive, finite and normal numbers; of others it is something. */
VF(FLOAT64, cbrt_of, "", {
    V high = (V)(((I)x >> 32) | 0x4330000000000000);
    V t = FMA(high, K(-0x1.5555555555555p-2), K(0x1.55555aa946131p+52));
    V z = (V)((I)t << 32);
    V h = FMA(-x * z, z * z, K(1));
    V hh = h * h;
    V low = FMA(h, K(0x1.c71c4b7407378p-3), K(0x1.555555c1b992ep-2));
    V middle = FMA(h, K(0x1.2732ece1af626p-3), K(0x1.61f696171f993p-3));
    V last = FMA(h, K(0x1.a49c530538113p-4), K(0x1.028af1ed21e4ep-3));
    z = FMA(z * h, FMA(hh, FMA(hh, last, middle), low), z);
    V zz = z * z;
    V y = x * zz;
    return FMA(FMA(-y * y, y, x) * K(0x1.5555555555555p-2), zz, y);
})
VF(FLOAT32, cbrt_of, "", {
    I w = (I)x;
    V e = (V)((w >> 23) | 0x4b000000) - K(0x1.fffff8p22);
    V t = FMA(e - 1, K(0x1.555556p-2), K(0x1.8p23));
    V q = t - K(0x1.8p23);
    V r = FMA(q, K(-3), e);
    I up = (I)t << 23;
    V m = (V)((w & 0x007fffff) | 0x3f800000);
    V n = (V)(w - up - up - up + 0x40800000);
    V z = FMA(m, FMA(m, FMA(m, K(-0x1.8e66e8p-5), K(0x1.3f54e4p-2)), K(-0x1.9a40aap-1)), K(0x1.89aaa8p+0));
    z *= PICK(r == 0, K(1), PICK(r == 1, K(0x1.965feap-1), K(0x1.428a30p-1)));
    V zz = z * z;
    V h = FMA(-n * z, zz, K(1));
    z = FMA(z * h, FMA(h, K(0x1.c71c72p-3), K(0x1.555556p-2)), z);
    zz = z * z;
    V y = n * zz;
    y = FMA(FMA(-y * y, y, n) * K(0x1.555556p-2), zz, y);
    return y * (V)(up + 0x2a000000);
})
VB(cbrt, "cbrt_of", {
    V a = ABS(x);
    if (WITHIN(a, K(PER(0x1p-1022, 0x1p-126)), K(PER(0x1.fffffffffffffp1023, 0x1.fffffep127))))
        return (V)((I)cbrt_of(a) | SIGN(x));
    I tiny = a < K(PER(0x1p-1022, 0x1p-126));
    V y = cbrt_of(PICK(tiny, a * K(PER(0x1p54, 0x1p24)), a));
    y = PICK(tiny, y * K(PER(0x1p-18, 0x1p-8)), y);
    y = PICK((a > 0) & (a < K(__builtin_inf())), y, x + x);
    return (V)((I)ABS(y) | SIGN(x));
})
/* clang-format on */
#include "vmath_trig.h"
#include "vmath_two.h"
