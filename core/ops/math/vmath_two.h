/*
 * vmath_two.h -- functions of two arguments, x and y: texts as in vmath_all.h, which includes this. Errors are at most
 * 4 units in the last place (bench/ulp.lua), with and without fused multiply-adds.
 *
 * pow: |x| = 2^k (1 + f), log |x| as a sum of two numbers (it is needed to some 64 bits, as a result near overflow
 * has its error 700 times), times y as such a sum, then exp. atan2: the smaller by the larger magnitude as atan has
 * it, then so many quarters of pi. hypot: the root of a sum of squares that is a sum of two numbers, corrected by
 * what is left of it.
 */
/* clang-format off */
/*
 * log |x| = u + low, u = k ln 2 + f - q + t with q = f^2 / 2 and t = s (q + R(s^2)), s = f / (2 + f). What t lacks is
 * looked for where y makes much of it. What decides between two ways is looked at in each number: no bit of a result
 * depends on what stands beside it.
 */
VB2(pow, "exponent_of fraction_of exponent_in fraction_in expm1_of", {
    V a = x;
    V k;
    V f;
    int easy = WITHIN(x, K(PER(0x1p-1022, 0x1p-126)), K(PER(0x1.fffffffffffffp1023, 0x1.fffffep127)));
    if (easy) {
        k = exponent_in(x);
        f = fraction_in(x);
    } else {
        a = ABS(x);
        k = exponent_of(a);
        f = fraction_of(a);
    }
    V d = 2 + f;
    V h = K(0.5) * f;
    V s = f / d;
    V q = h * f;
    V z = s * s;
    V p = z * z;
    V b = PER(FMA(z, FMA(p, FMA(p, FMA(p, K(0x1.e045d4712d5fcp-4), K(0x1.1118d37799539p-3)), K(0x1.745d177b266f6p-3)),
        K(0x1.2492492492524p-2)), FMA(p, FMA(p, FMA(p, K(0x1.df7a766f361a5p-4), K(0x1.3b139598fbdcep-3)),
        K(0x1.c71c71c6e9f38p-3)), K(0x1.999999999999ap-2))),
        FMA(z, FMA(z, K(0x1.d8147ep-3), K(0x1.247a02p-2)), K(0x1.9999a4p-2)));
    V t = s * FMA(z, FMA(z, b, K(PER(0x1.5555555555555p-1, 0x1.555556p-1))), q);
    V hl = REST(h, f, q);
    V v = k * K(PER(0x1.62e42fefa3p-1, 0x1.62e4p-1));
    V w = v + f;
    V low = FMA(k, K(PER(0x1.3de6af278ece6p-42, 0x1.7f7d1cp-20)), ((v - w) + f) - hl);
    v = w - q;
    low += (w - v) - q;
    V u = v + t;
    low += (v - u) + t;
    V g = y * t;
    if (!WITHIN(g, K(-0.25), K(0.25))) {
        V c = s * d;
        V sl = (((f - c) - REST(s, d, c)) - s * (f - (d - 2))) / d;
        V m = z * K(PER(0x1.5555555555555p-1, 0x1.555556p-1));
        V ml = FMA(FMA(s + s, sl, REST(s, s, z)), K(PER(0x1.5555555555555p-1, 0x1.555556p-1)),
            FMA(z, K(PER(0x1.5555555555555p-55, -0x1.555556p-26)),
                REST(z, K(PER(0x1.5555555555555p-1, 0x1.555556p-1)), m)));
        w = q + m;
        V wl = ((q - w) + m) + FMA(p, b, hl + ml);
        c = s * w;
        low += PICK(ABS(g) <= K(0.25), K(0), (c - t) + (REST(s, w, c) + FMA(s, wl, sl * w)));
    }
    g = y * u;
    V gl = FMA(y, low, REST(y, u, g));
    int small = WITHIN(g, K(PER(-700, -86)), K(PER(700, 86)));
    if (!easy || !small) {
        u = PICK(a == 0, K(-__builtin_inf()), PICK(a == K(__builtin_inf()), a, u));
        v = MOST(LEAST(y, K(PER(0x1p65, 0x1p35))), K(PER(-0x1p65, -0x1p35)));
        g = v * u;
        gl = PICK(ABS(g) < K(PER(800, 150)), FMA(v, low, REST(v, u, g)), K(0));
        g = MOST(LEAST(g, K(PER(710, 89))), K(PER(-746, -104)));
    }
    t = FMA(g, K(PER(0x1.71547652b82fep+0, 0x1.715476p+0)), K(PER(0x1.8p52, 0x1.8p23)));
    V n = t - K(PER(0x1.8p52, 0x1.8p23));
    V r = FMA(n, K(PER(-0x1.62e42fee00000p-1, -0x1.62e4p-1)), g);
    gl = FMA(n, K(PER(-0x1.a39ef35793c76p-33, -0x1.7f7d1cp-20)), gl);
    u = r + gl;
    gl = (r - u) + gl;
    v = expm1_of(u);
    w = 1 + v;
    w += ((1 - w) + v) + FMA(gl, v, gl);
    if (easy && small) return w * (V)(((I)t << PER(52, 23)) + PER(0x3ff0000000000000, 0x3f800000));
    V e = SCALE(FLUSH(g, K(PER(-745.5, -103.98)), w), t, n);
    V j = LEAST(ABS(y), K(PER(0x1p53, 0x1p24)));
    j -= (j + K(PER(0x1p53, 0x1p24))) - K(PER(0x1p53, 0x1p24));
    e = PICK(ABS(j) == 1, (V)((I)e | SIGN(x)), e);
    I none = (x != x) | ((x < 0) & (j != 0) & (ABS(j) != 1) & (a != K(__builtin_inf())));
    return PICK((y == 0) | (x == 1), K(1), PICK(none, K(__builtin_nan("")), e));
})
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
