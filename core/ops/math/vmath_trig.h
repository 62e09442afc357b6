/*
 * vmath_trig.h -- trigonometric and hyperbolic functions, their inverses, and powers and logarithms of 2 and 10: texts
 * as in vmath_all.h, which includes this. Errors are at most 4 units in the last place (bench/ulp.lua).
 *
 * Angles: x = n pi + r, for tangents n pi/2 + r, with pi in four parts, of which n times the first three is exact for
 * |x| below SPECIAL_FAR (special.h), beyond which the callers take sf_far; then the best polynomials for |r| <= pi/2 or
 * pi/4. turn_of(pi/2) is 1, so that cos(0) is. asin(a)
 * = pi/2 - 2 asin(sqrt((1 - a) / 2)) above 1/2. atan(a) = pi/4 + atan((a - 1) / (a + 1)) above tan(pi/8) and pi/2 -
 * atan(1 / a) above tan(3 pi/8). sinh and cosh from e^|x| / 4, so that nothing overflows early; asinh, acosh and atanh
 * are log1p of something. Powers of 2 and of 10 have whole logarithms.
 */
/* clang-format off */
VF(FLOAT64, sin_of, "", {
    V z = x * x;
    V y = z * z;
    V odd = FMA(y, FMA(y, K(0x1.5d93184bd00bbp-33), K(0x1.71de357816474p-19)), K(0x1.111111110f87dp-7));
    V even = FMA(y, FMA(y, K(-0x1.ae5e668850146p-26), K(-0x1.a01a019c12032p-13)), K(-0x1.5555555555549p-3));
    return FMA(x * z, FMA(z, odd, even), x);
})
VF(FLOAT64, cos_of, "", {
    V z = x * x;
    V h = K(0.5) * z;
    V w = 1 - h;
    V y = z * z;
    V odd = FMA(y, FMA(y, K(-0x1.8faeb5d6f5627p-37), K(-0x1.27e4f80a337e9p-22)), K(-0x1.6c16c16c15181p-10));
    V even = FMA(y, FMA(y, K(0x1.1ee9ec1874bep-29), K(0x1.a01a019cb2165p-16)), K(0x1.555555555554cp-5));
    return w + FMA(y, FMA(z, odd, even), (1 - w) - h);
})
VF(FLOAT32, sin_of, "", {
    V z = x * x;
    return FMA(x * z, FMA(z, FMA(z, K(-0x1.994e88p-13), K(0x1.11076p-7)), K(-0x1.555546p-3)), x);
})
VF(FLOAT32, cos_of, "", {
    V z = x * x;
    V h = K(0.5) * z;
    V w = 1 - h;
    return w + FMA(z * z, FMA(z, FMA(z, K(0x1.9a0232p-16), K(-0x1.6c0c8cp-10)), K(0x1.55554ap-5)), (1 - w) - h);
})
VF(FLOAT64, turn_of, "", {
    V z = x * x;
    return FMA(x * z, FMA(z, FMA(z, FMA(z, FMA(z, FMA(z, FMA(z, FMA(z, K(0x1.8851a9df645e4p-49),
        K(-0x1.ae44a7297e28p-41)), K(0x1.6123d149a4167p-33)), K(-0x1.ae6454e4ae541p-26)), K(0x1.71de3a52c1723p-19)),
        K(-0x1.a01a01a015186p-13)), K(0x1.11111111110cbp-7)), K(-0x1.5555555555555p-3)), x);
})
VF(FLOAT64, near_sin, "turn_of", {
    V t = FMA(x, K(0x1.45f306dc9c883p-2), K(0x1.8p52));
    V n = t - K(0x1.8p52);
    V r = FMA(n, K(-0x1.b839a252049c1p-103), FMA(n, K(-0x1.3198a2ep-68), FMA(n, K(-0x1.0b4611a6p-33), FMA(n,
        K(-0x1.921fb544p+1), x))));
    return PICK(x == 0, x, (V)((I)turn_of(r) ^ ((I)t << 63)));
})
VF(FLOAT64, near_cos, "turn_of", {
    V t = FMA(x, K(0x1.45f306dc9c883p-2), K(-0.5)) + K(0x1.8p52);
    V n = (t - K(0x1.8p52)) + K(0.5);
    V r = FMA(n, K(-0x1.b839a252049c1p-103), FMA(n, K(-0x1.3198a2ep-68), FMA(n, K(-0x1.0b4611a6p-33), FMA(n,
        K(-0x1.921fb544p+1), x))));
    return (V)((I)turn_of(r) ^ (((I)t + 1) << 63));
})
VF(FLOAT64, near_tan, "sin_of cos_of", {
    V t = FMA(x, K(0x1.45f306dc9c883p-1), K(0x1.8p52));
    V n = t - K(0x1.8p52);
    V r = FMA(n, K(-0x1.b839a252049c1p-104), FMA(n, K(-0x1.3198a2ep-69), FMA(n, K(-0x1.0b4611a6p-34), FMA(n,
        K(-0x1.921fb544p+0), x))));
    V s = sin_of(r);
    V c = cos_of(r);
    I odd = ((I)t & 1) == 1;
    return PICK(x == 0, x, PICK(odd, -c, s) / PICK(odd, s, c));
})
VF(FLOAT32, turn_of, "", {
    V z = x * x;
    return FMA(x * z, FMA(z, FMA(z, FMA(z, K(0x1.5e33e8p-19), K(-0x1.9f7812p-13)), K(0x1.110f02p-7)),
        K(-0x1.55554ep-3)), x);
})
VF(FLOAT32, near_sin, "turn_of", {
    V t = FMA(x, K(0x1.45f306p-2), K(0x1.8p23));
    V n = t - K(0x1.8p23);
    V r = FMA(n, K(-0x1.68c234p-38), FMA(n, K(-0x1.444p-23), FMA(n, K(-0x1.fb4p-11), FMA(n, K(-0x1.92p+1), x))));
    return PICK(x == 0, x, (V)((I)turn_of(r) ^ ((I)t << 31)));
})
VF(FLOAT32, near_cos, "turn_of", {
    V t = FMA(x, K(0x1.45f306p-2), K(-0.5)) + K(0x1.8p23);
    V n = (t - K(0x1.8p23)) + K(0.5);
    V r = FMA(n, K(-0x1.68c234p-38), FMA(n, K(-0x1.444p-23), FMA(n, K(-0x1.fb4p-11), FMA(n, K(-0x1.92p+1), x))));
    return (V)((I)turn_of(r) ^ (((I)t + 1) << 31));
})
VF(FLOAT32, near_tan, "sin_of cos_of", {
    V t = FMA(x, K(0x1.45f306p-1), K(0x1.8p23));
    V n = t - K(0x1.8p23);
    V r = FMA(n, K(-0x1.68c234p-39), FMA(n, K(-0x1.444p-24), FMA(n, K(-0x1.fb4p-12), FMA(n, K(-0x1.92p+0), x))));
    V s = sin_of(r);
    V c = cos_of(r);
    I odd = ((I)t & 1) == 1;
    return PICK(x == 0, x, PICK(odd, -c, s) / PICK(odd, s, c));
})
VF(FLOAT64, arc_of, "", {
    I far = x > K(0.5);
    V z = PICK(far, (1 - x) * K(0.5), x * x);
    V s = PICK(far, SQRT(z), x);
    V y = z * z;
    V odd = FMA(y, FMA(y, FMA(y, FMA(y, FMA(y, K(-0x1.5954bea51ea2cp-6), K(0x1.e2bdea6accc9fp-9)),
        K(0x1.757b77c71efbap-7)), K(0x1.1c49e2b81e958p-6)), K(0x1.f1c71a8dc1732p-6)), K(0x1.333333332df7ep-4));
    V even = FMA(y, FMA(y, FMA(y, FMA(y, FMA(y, FMA(y, K(0x1.0bb074ce83cd1p-5), K(0x1.6492dcbe0a96bp-6)),
        K(0x1.6173ff84236e2p-7)), K(0x1.ca20ce5acfde8p-7)), K(0x1.6e8bdfa69fd41p-6)), K(0x1.6db6db722610bp-5)),
        K(0x1.5555555555578p-3));
    return FMA(s * z, FMA(z, odd, even), s);
})
VF(FLOAT64, asin, "arc_of", {
    V a = (V)((I)x & 0x7fffffffffffffff);
    V p = arc_of(a);
    p = PICK(a > K(0.5), K(0x1.921fb54442d18p+0) - (p + p - K(0x1.1a62633145c07p-54)), p);
    return (V)((I)p | ((I)x & (-0x7fffffffffffffff - 1)));
})
VF(FLOAT64, acos, "arc_of", {
    V a = (V)((I)x & 0x7fffffffffffffff);
    V p = arc_of(a);
    V low = K(0x1.921fb54442d18p+0) - ((V)((I)p | ((I)x & (-0x7fffffffffffffff - 1))) - K(0x1.1a62633145c07p-54));
    return PICK(a > K(0.5), PICK(x > 0, p + p, K(0x1.921fb54442d18p+1) - (p + p - K(0x1.1a62633145c07p-53))), low);
})
VF(FLOAT64, atan_of, "", {
    V z = x * x;
    V y = z * z;
    V odd = FMA(y, FMA(y, FMA(y, FMA(y, K(0x1.37eedd1a6b17bp-5), K(0x1.df118a063b32fp-5)), K(0x1.3b111c971d454p-4)),
        K(0x1.c71c70e7b9cap-4)), K(0x1.99999999958f4p-3));
    V even = FMA(y, FMA(y, FMA(y, FMA(y, FMA(y, K(-0x1.25a0e29ed6384p-6), K(-0x1.9cdcc608be402p-5)),
        K(-0x1.10ebdfee58488p-4)), K(-0x1.745cf90dda31fp-4)), K(-0x1.24924922b159ep-3)), K(-0x1.555555555553dp-2));
    return FMA(x * z, FMA(z, odd, even), x);
})
VF(FLOAT64, atan, "atan_of", {
    V a = (V)((I)x & 0x7fffffffffffffff);
    I some = a > K(0x1.a8279ap-2);
    I many = a > K(0x1.3504f4p+1);
    V t = PICK(many, K(-1), PICK(some, a - 1, a)) / PICK(many, a, PICK(some, a + 1, K(1)));
    V low = PICK(many, K(0x1.1a62633145c07p-54), PICK(some, K(0x1.1a62633145c07p-55), K(0)));
    V p = atan_of(t);
    p = PICK(many, K(0x1.921fb54442d18p+0), PICK(some, K(0x1.921fb54442d18p-1), K(0))) + (p + low);
    return (V)((I)p | ((I)x & (-0x7fffffffffffffff - 1)));
})
VF(FLOAT32, arc_of, "", {
    I far = x > K(0.5);
    V z = PICK(far, (1 - x) * K(0.5), x * x);
    V s = PICK(far, SQRT(z), x);
    V y = z * z;
    V odd = FMA(y, K(0x1.8ba268p-6), K(0x1.33014ep-4));
    V even = FMA(y, FMA(y, K(0x1.59dabap-5), K(0x1.748c62p-5)), K(0x1.5555cap-3));
    return FMA(s * z, FMA(z, odd, even), s);
})
VF(FLOAT32, asin, "arc_of", {
    V a = (V)((I)x & 0x7fffffff);
    V p = arc_of(a);
    p = PICK(a > K(0.5), K(0x1.921fb6p+0) - (p + p - K(-0x1.777a5cp-25)), p);
    return (V)((I)p | ((I)x & (-0x7fffffff - 1)));
})
VF(FLOAT32, acos, "arc_of", {
    V a = (V)((I)x & 0x7fffffff);
    V p = arc_of(a);
    V low = K(0x1.921fb6p+0) - ((V)((I)p | ((I)x & (-0x7fffffff - 1))) - K(-0x1.777a5cp-25));
    return PICK(a > K(0.5), PICK(x > 0, p + p, K(0x1.921fb6p+1) - (p + p - K(-0x1.777a5cp-24))), low);
})
VF(FLOAT32, atan_of, "", {
    V z = x * x;
    V y = z * z;
    V odd = FMA(y, K(0x1.b202c2p-4), K(0x1.9991aep-3));
    V even = FMA(y, FMA(y, K(-0x1.f25946p-5), K(-0x1.23b6c4p-3)), K(-0x1.55554ap-2));
    return FMA(x * z, FMA(z, odd, even), x);
})
VF(FLOAT32, atan, "atan_of", {
    V a = (V)((I)x & 0x7fffffff);
    I some = a > K(0x1.a8279ap-2);
    I many = a > K(0x1.3504f4p+1);
    V t = PICK(many, K(-1), PICK(some, a - 1, a)) / PICK(many, a, PICK(some, a + 1, K(1)));
    V low = PICK(many, K(-0x1.777a5cp-25), PICK(some, K(-0x1.777a5cp-26), K(0)));
    V p = atan_of(t);
    p = PICK(many, K(0x1.921fb6p+0), PICK(some, K(0x1.921fb6p-1), K(0))) + (p + low);
    return (V)((I)p | ((I)x & (-0x7fffffff - 1)));
})
VF(FLOAT64, sinh, "expm1_of", {
    V a = LEAST((V)((I)x & 0x7fffffffffffffff), K(710.5));
    V t = FMA(a, K(0x1.71547652b82fep+0), K(0x1.8p52));
    V n = t - K(0x1.8p52);
    V r = FMA(n, K(-0x1.a39ef35793c76p-33), FMA(n, K(-0x1.62e42feep-1), a));
    V e = expm1_of(r);
    V s = (V)(((I)t << 52) + 0x3fd0000000000000);
    V h = FMA(s, e, s - K(0.25));
    h += h;
    V g = LEAST(h, K(0x1p1000));
    h += g / (g + g + 1);
    return PICK(a < K(0x1p-28), x, (V)((I)h | ((I)x & (-0x7fffffffffffffff - 1))));
})
VF(FLOAT64, cosh, "expm1_of", {
    V a = LEAST((V)((I)x & 0x7fffffffffffffff), K(710.5));
    V t = FMA(a, K(0x1.71547652b82fep+0), K(0x1.8p52));
    V n = t - K(0x1.8p52);
    V r = FMA(n, K(-0x1.a39ef35793c76p-33), FMA(n, K(-0x1.62e42feep-1), a));
    V e = expm1_of(r);
    V s = (V)(((I)t << 52) + 0x3fd0000000000000);
    V h = FMA(s, e, s);
    h += h;
    return h + K(0.25) / h;
})
VF(FLOAT64, exp2, "expm1_of", {
    V y = MOST(LEAST(x, K(1025)), K(-1080));
    V t = y + K(0x1.8p52);
    V n = t - K(0x1.8p52);
    return SCALE(FLUSH(x, K(-1080), 1 + expm1_of((y - n) * K(0x1.62e42fefa39efp-1))), t, n);
})
VF(FLOAT32, sinh, "expm1_of", {
    V a = LEAST((V)((I)x & 0x7fffffff), K(89.5));
    V t = FMA(a, K(0x1.715476p+0), K(0x1.8p23));
    V n = t - K(0x1.8p23);
    V r = FMA(n, K(-0x1.7f7d1cp-20), FMA(n, K(-0x1.62e4p-1), a));
    V e = expm1_of(r);
    V s = (V)(((I)t << 23) + 0x3e800000);
    V h = FMA(s, e, s - K(0.25));
    h += h;
    V g = LEAST(h, K(0x1p100));
    h += g / (g + g + 1);
    return PICK(a < K(0x1p-13), x, (V)((I)h | ((I)x & (-0x7fffffff - 1))));
})
VF(FLOAT32, cosh, "expm1_of", {
    V a = LEAST((V)((I)x & 0x7fffffff), K(89.5));
    V t = FMA(a, K(0x1.715476p+0), K(0x1.8p23));
    V n = t - K(0x1.8p23);
    V r = FMA(n, K(-0x1.7f7d1cp-20), FMA(n, K(-0x1.62e4p-1), a));
    V e = expm1_of(r);
    V s = (V)(((I)t << 23) + 0x3e800000);
    V h = FMA(s, e, s);
    h += h;
    return h + K(0.25) / h;
})
VF(FLOAT32, exp2, "expm1_of", {
    V y = MOST(LEAST(x, K(130)), K(-152));
    V t = y + K(0x1.8p23);
    V n = t - K(0x1.8p23);
    return SCALE(FLUSH(x, K(-152), 1 + expm1_of((y - n) * K(0x1.62e43p-1))), t, n);
})
VB(asinh, "log1p", {
    V a = ABS(x);
    if (WITHIN(a, K(0), K(PER(0x1p28, 0x1p13))))
        return (V)((I)log1p(FMA(a, a / (1 + SQRT(FMA(a, a, K(1)))), a)) | SIGN(x));
    V b = LEAST(a, K(PER(0x1p28, 0x1p13)));
    I far = a > K(PER(0x1p28, 0x1p13));
    V y = log1p(PICK(far, a - 1, FMA(b, b / (1 + SQRT(FMA(b, b, K(1)))), b)));
    y = PICK(far, y + K(PER(0x1.62e42fefa39efp-1, 0x1.62e43p-1)), y);
    return (V)((I)y | SIGN(x));
})
VF(FLOAT64, acosh, "log1p", {
    V b = LEAST(x, K(0x1p28)) - 1;
    I far = x > K(0x1p28);
    V y = log1p(PICK(far, x - 1, b + SQRT(b * (b + 2))));
    return PICK(x < 1, K(__builtin_nan("")), PICK(far, y + K(0x1.62e42fefa39efp-1), y));
})
VF(FLOAT64, atanh, "log1p", {
    V a = (V)((I)x & 0x7fffffffffffffff);
    V y = K(0.5) * log1p((a + a) / (1 - a));
    return (V)((I)y | ((I)x & (-0x7fffffffffffffff - 1)));
})
VF(FLOAT32, acosh, "log1p", {
    V b = LEAST(x, K(0x1p13)) - 1;
    I far = x > K(0x1p13);
    V y = log1p(PICK(far, x - 1, b + SQRT(b * (b + 2))));
    return PICK(x < 1, K(__builtin_nan("")), PICK(far, y + K(0x1.62e43p-1), y));
})
VF(FLOAT32, atanh, "log1p", {
    V a = (V)((I)x & 0x7fffffff);
    V y = K(0.5) * log1p((a + a) / (1 - a));
    return (V)((I)y | ((I)x & (-0x7fffffff - 1)));
})
VF(FLOAT64, log_of, "", {
    V g = x / (2 + x);
    V z = g * g;
    V y = z * z;
    V odd = FMA(y, FMA(y, K(0x1.39a0f4742bc72p-3), K(0x1.c71c51e7d7169p-3)), K(0x1.999999997fb2dp-2));
    V even = FMA(y, FMA(y, FMA(y, K(0x1.2f0d9405740ddp-3), K(0x1.746646327093bp-3)), K(0x1.2492494217d14p-2)),
        K(0x1.5555555555593p-1));
    V h = K(0.5) * x * x;
    return g * FMA(z, FMA(z, odd, even), h) - h + x;
})
VF(FLOAT32, log_of, "", {
    V z = x * x;
    V odd = FMA(z, FMA(z, FMA(z, K(-0x1.e34a36p-4), K(-0x1.fb355ap-4)), K(-0x1.55633p-3)), K(-0x1.ffffecp-3));
    V even = FMA(z, FMA(z, FMA(z, FMA(z, K(0x1.1b8158p-4), K(0x1.e667eap-4)), K(0x1.233072p-3)), K(0x1.99a562p-3)),
        K(0x1.555546p-2));
    return FMA(x * z, FMA(x, odd, even), K(-0.5) * z) + x;
})
VB2(log2_join, "log_of", { return FMA(log_of(y), K(PER(0x1.71547652b82fep+0, 0x1.715476p+0)), x); })
VB2(log10_join, "log_of", {
    V l = FMA(log_of(y), K(PER(0x1.bcb7b1526e50ep-2, 0x1.bcb7b2p-2)), x * K(PER(0x1.9fef311f12b36p-42, 0x1.3509f8p-18)));
    return FMA(x, K(PER(0x1.34413509f6p-2, 0x1.344p-2)), l);
})
VB(log2, "exponent_of fraction_of exponent_in fraction_in log2_join", {
    if (WITHIN(x, K(PER(0x1p-1022, 0x1p-126)), K(PER(0x1.fffffffffffffp1023, 0x1.fffffep127))))
        return log2_join(exponent_in(x), fraction_in(x));
    V l = log2_join(exponent_of(x), fraction_of(x));
    V odds = PICK(x == 0, K(-__builtin_inf()), PICK(x > 0, x, K(__builtin_nan(""))));
    return PICK((x > 0) & (x < K(__builtin_inf())), l, odds);
})
VB(log10, "exponent_of fraction_of exponent_in fraction_in log10_join", {
    if (WITHIN(x, K(PER(0x1p-1022, 0x1p-126)), K(PER(0x1.fffffffffffffp1023, 0x1.fffffep127))))
        return log10_join(exponent_in(x), fraction_in(x));
    V l = log10_join(exponent_of(x), fraction_of(x));
    V odds = PICK(x == 0, K(-__builtin_inf()), PICK(x > 0, x, K(__builtin_nan(""))));
    return PICK((x > 0) & (x < K(__builtin_inf())), l, odds);
})
/* clang-format on */
