/*
 * special_trig.h -- sine, cosine and tangent of large numbers (see special.h), where the C library's lose digits next
 * to their zeros and poles.
 * In: a double of magnitude 2^-9 and more. Out: within 1 unit in the last place; NaN for infinities.
 *
 * Payne and Hanek: x = m 2^e with 53 bits of m. Of x * 2/pi only the part below 4 is wanted, so the bits of 2/pi that
 * give multiples of 4 are left out and m is multiplied by the next 224, modulo 2^224: two bits of quadrant, 222 of
 * fraction, the last 53 of them wrong. No double comes nearer to a multiple of pi/2 than 2^-62.
 */
/* clang-format off */
/* what: 0 sine, 1 cosine, 2 tangent */
FN(f64, sf_far, (f64 x, int what), "sin cos fma", {
    static const unsigned bits[] = { /* 64 zeros, then 2/pi behind the point */
        0, 0, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
        0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
        0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
        0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
        0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20,
    };
    union { f64 f; unsigned long long u; } v;
    v.f = x;
    int e = (int)(v.u >> 52 & 0x7ff) - 1075;
    if (e == 972) return __builtin_nan("");
    const unsigned long long low = (unsigned)v.u, high = (v.u >> 32 & 0xfffff) | 0x100000;
    const int word = (e + 62) / 32, shift = (e + 62) % 32;
    unsigned w[7], r[7];
    unsigned long long c = 0;
    for (int i = 0; i < 7; i++)
        w[i] = shift ? bits[word + i] << shift | bits[word + i + 1] >> (32 - shift) : bits[word + i];
    for (int i = 6; i >= 0; i--) {
        c += low * w[i];
        r[i] = (unsigned)c;
        c >>= 32;
    }
    c = 0;
    for (int i = 5; i >= 0; i--) {
        c += high * w[i + 1] + r[i];
        r[i] = (unsigned)c;
        c >>= 32;
    }
    int q = (int)(r[0] >> 30), back = (int)(r[0] >> 29 & 1);
    r[0] &= 0x3fffffff;
    if (back) { /* to the nearest multiple: 1 - fraction */
        q++;
        c = 1;
        for (int i = 6; i >= 0; i--) {
            c += (unsigned)~r[i];
            r[i] = (unsigned)c;
            c >>= 32;
        }
        r[0] &= 0x3fffffff;
    }
    f64 hi = 0, lo = 0, unit = 0x1p-30;
    for (int i = 0; i < 7; i++, unit *= 0x1p-32) {
        f64 part = r[i] * unit, sum = hi + part;
        lo += part - (sum - hi);
        hi = sum;
    }
    f64 p = hi * 0x1.921fb54442d18p0, y, z, s, d;
    z = fma(hi, 0x1.921fb54442d18p0, -p) + (hi * 0x1.1a62633145c07p-54 + lo * 0x1.921fb54442d18p0);
    y = p + z;
    z -= y - p;
    if (back) {
        y = -y;
        z = -z;
    }
    s = sin(y);
    d = cos(y);
    f64 t = s + z * d;
    d -= z * s;
    if (what == 2) {
        t = q & 1 ? -d / t : t / d;
        return x < 0 ? -t : t;
    }
    q += what;
    f64 f = q & 1 ? d : t;
    return ((q & 2) != 0) != (x < 0 && !what) ? -f : f;
})
/* clang-format on */
