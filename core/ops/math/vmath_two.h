/*
 * vmath_two.h -- functions of two arguments, x and y: texts as in vmath_all.h, which includes this. Errors are at most
 * 4 units in the last place (bench/ulp.lua), with and without fused multiply-adds.
 *
 * pow: |x| = 2^k (1 + f), log |x| = k ln 2 + 2 atanh(q) with q = f / (2 + f), as a sum of two numbers throughout (the
 * logarithm is needed to some 64 bits, as a result near overflow has its error 700 times), times y as such a sum, then
 * exp. atan2: the smaller by the larger magnitude as atan has it, then so many quarters of pi. hypot: the root of a sum
 * of squares that is a sum of two numbers, corrected by what is left of it.
 */
/* clang-format off */
/* Half the logarithm of 2^k (1 + f): l, and what it lacks, ll. */
#define POW_LOG \
    V d = 2 + f; \
    V r = 1 / d; \
    V q = f * r; \
    V p = q * d; \
    V ql = (((f - p) - REST(q, d, p)) - q * (f - (d - 2))) * r; \
    V z = q * q; \
    V zl = FMA(q + q, ql, REST(q, q, z)); \
    V s = PER( \
        FMA(z, FMA(z, FMA(z, FMA(z, FMA(z, FMA(z, FMA(z, K(0x1.e045d4712d5fcp-5), K(0x1.df7a766f361a5p-5)), K(0x1.1118d37799539p-4)), K(0x1.3b139598fbdcep-4)), \
        K(0x1.745d177b266f6p-4)), K(0x1.c71c71c6e9f38p-4)), K(0x1.2492492492524p-3)), K(0x1.999999999999ap-3)), \
        FMA(z, FMA(z, K(0x1.d8147ep-4), K(0x1.247a02p-3)), K(0x1.9999a4p-3))); \
    s *= z * z; \
    V t = z * K(PER(0x1.5555555555555p-2, 0x1.555556p-2)); \
    V tl = FMA(zl, K(PER(0x1.5555555555555p-2, 0x1.555556p-2)), FMA(z, K(PER(0x1.5555555555555p-56, -0x1.555556p-27)), \
        REST(z, K(PER(0x1.5555555555555p-2, 0x1.555556p-2)), t))); \
    V w = t + s; \
    V wl = ((t - w) + s) + tl; \
    V c = q * w; \
    V cl = FMA(q, wl, FMA(ql, w, REST(q, w, c))); \
    V h = k * K(PER(0x1.62e42fefa3p-2, 0x1.62e4p-2)); \
    V u = h + q; \
    V v = u + c; \
    V low = (((h - u) + q) + ((u - v) + c)) + FMA(k, K(PER(0x1.3de6af278ece6p-43, 0x1.7f7d1cp-21)), ql + cl); \
    V l = v + low; \
    V ll = (v - l) + low;
/* e^(g + gl) = 2^n (w + wl), t being n + a number whose low bits are free. */
#define POW_EXP \
    t = FMA(g, K(PER(0x1.71547652b82fep+0, 0x1.715476p+0)), K(PER(0x1.8p52, 0x1.8p23))); \
    V n = t - K(PER(0x1.8p52, 0x1.8p23)); \
    r = FMA(n, K(PER(-0x1.62e42fee00000p-1, -0x1.62e4p-1)), g); \
    f = n * K(PER(-0x1.a39ef35793c76p-33, -0x1.7f7d1cp-20)); \
    u = r + f; \
    gl += (r - u) + f; \
    v = expm1_of(u); \
    w = 1 + v; \
    wl = ((1 - w) + v) + FMA(gl, v, gl);
/* Where neither x nor y nor the result are extreme. */
VB2(pow_near, "exponent_in fraction_in expm1_of", {
    V k = exponent_in(x);
    V f = fraction_in(x);
    POW_LOG
    V b = y + y;
    V g = b * l;
    V gl = FMA(b, ll, REST(b, l, g));
    POW_EXP
    return (w + wl) * (V)(((I)t << PER(52, 23)) + PER(0x3ff0000000000000, 0x3f800000));
})
VB2(pow, "exponent_of fraction_of expm1_of pow_near", {
    if (WITHIN(x, K(PER(0x1p-64, 0x1p-12)), K(PER(0x1p64, 0x1p12))) && WITHIN(y, K(-10), K(10))) return pow_near(x, y);
    V a = ABS(x);
    V k = exponent_of(a);
    V f = fraction_of(a);
    POW_LOG
    l = PICK(a == 0, K(-__builtin_inf()), PICK(a == K(__builtin_inf()), a, l));
    V b = MOST(LEAST(y, K(PER(0x1p65, 0x1p35))), K(PER(-0x1p65, -0x1p35)));
    b += b;
    V g = b * l;
    V gl = PICK(ABS(g) < K(PER(800, 150)), FMA(b, ll, REST(b, l, g)), K(0));
    g = MOST(LEAST(g, K(PER(710, 89))), K(PER(-746, -104)));
    POW_EXP
    V e = SCALE(FLUSH(g, K(PER(-745.5, -103.98)), w + wl), t, n);
    V j = LEAST(ABS(y), K(PER(0x1p53, 0x1p24)));
    j -= (j + K(PER(0x1p53, 0x1p24))) - K(PER(0x1p53, 0x1p24));
    I odd = ABS(j) == 1;
    e = PICK(odd, (V)((I)e | SIGN(x)), e);
    I none = (x != x) | ((x < 0) & (j != 0) & (ABS(j) != 1) & (a != K(__builtin_inf())));
    return PICK((y == 0) | (x == 1), K(1), PICK(none, K(__builtin_nan("")), e));
})
#undef POW_LOG
#undef POW_EXP
VB2(atan2, "atan_of", {
    V p = ABS(x);
    V q = ABS(y);
    I up = p > q;
    V hi = PICK(up, p, q);
    V lo = PICK(up, q, p);
    V by = PICK(hi > K(PER(0x1p1020, 0x1p124)), K(0.25), PICK(hi < K(PER(0x1p-960, 0x1p-80)), K(PER(0x1p100, 0x1p30)), K(1)));
    I far = lo == K(__builtin_inf());
    hi = PICK(far | (hi == 0), K(1), hi * by);
    lo = PICK(far, K(1), lo * by);
    I some = lo > hi * K(0x1.a8279ap-2);
    I back = SIGN(y) != 0;
    V c = PICK(back, PICK(some, K(3), PICK(up, K(2), K(4))), PICK(some, K(1), PICK(up, K(2), K(0))));
    V r = atan_of(PICK(some, lo - hi, lo) / PICK(some, lo + hi, hi));
    r = PICK(up ^ back, -r, r);
    r = c * K(PER(0x1.921fb54442d18p-1, 0x1.921fbp-1)) + (r + c * K(PER(0x1.1a62633145c07p-55, 0x1.5110b4p-23)));
    return PICK((x != x) | (y != y), x + y, (V)((I)r | SIGN(x)));
})
VB2(hypot, "", {
    V p = ABS(x);
    V q = ABS(y);
    V hi = PICK(p > q, p, q);
    V lo = PICK(p > q, q, p);
    I many = hi > K(PER(0x1p500, 0x1p60));
    I few = hi < K(PER(0x1p-400, 0x1p-40));
    V by = PICK(many, K(PER(0x1p-600, 0x1p-80)), PICK(few, K(PER(0x1p600, 0x1p100)), K(1)));
    V a = hi * by;
    V b = lo * by;
    V s = a * a;
    V t = b * b;
    V v = s + t;
    V low = ((s - v) + t) + (REST(a, a, s) + REST(b, b, t));
    V h = SQRT(v);
    s = h * h;
    h += ((v - s) - REST(h, h, s) + low) / (h + h);
    h *= PICK(many, K(PER(0x1p600, 0x1p80)), PICK(few, K(PER(0x1p-600, 0x1p-100)), K(1)));
    h = PICK((x != x) | (y != y), x + y, PICK(hi == 0, K(0), h));
    return PICK((p == K(__builtin_inf())) | (q == K(__builtin_inf())),
        K(__builtin_inf()), h);
})
/* clang-format on */
