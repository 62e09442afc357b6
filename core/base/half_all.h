/*
 * half_all.h -- conversions between halves (float16, bfloat16: their bits) and float32, float64, as text: compiled into
 * the engine (half.h) and put into generated C and CUDA (core/text/half.c).
 *
 *   FN(result, name, (parameters), { body })
 *
 * In: any bits. Out: the nearest value, of two the even one; what is too large is infinite, what is small a denormal or
 * a zero of its sign; NaN stays NaN with its sign and the high bits of its payload, quiet where processors make it so.
 * No branches, so that loops of these become vectors. A float64 goes through the float32 that is rounded to odd: the
 * bits that it lost still show in its last one, so that rounding again gives what rounding once would.
 */
/* clang-format off */
FN(f32, half_to_f32, (u16 a), {
    union { u32 u; f32 f; } x;
    const u32 m = a & 0x7fffu;
    u32 n = (m << 13) + 0x38000000u;
    n += m >= 0x7c00u ? 0x38000000u : 0u;
    n |= m > 0x7c00u ? 0x400000u : 0u;
    x.f = (f32)(i32)m * 0x1p-24f;
    n = m < 0x400u ? x.u : n;
    x.u = n | (u32)(a & 0x8000u) << 16;
    return x.f;
})
FN(u16, half_of_f32, (f32 a), {
    union { f32 f; u32 u; } x;
    x.f = a;
    const u32 s = x.u >> 16 & 0x8000u;
    const u32 m = x.u & 0x7fffffffu;
    x.u = m;
    x.f += 0.5f;
    const u32 small = x.u - 0x3f000000u;
    u32 n = m - 0x38000000u;
    n = (n + 0xfffu + (n >> 13 & 1u)) >> 13;
    n = m < 0x38800000u ? small : n;
    n = m >= 0x477ff000u ? 0x7c00u : n;
    n = m > 0x7f800000u ? 0x7e00u | (m >> 13 & 0x3ffu) : n;
    return (u16)(s | n);
})
FN(f32, bhalf_to_f32, (u16 a), {
    union { u32 u; f32 f; } x;
    x.u = (u32)a << 16;
    return x.f;
})
FN(u16, bhalf_of_f32, (f32 a), {
    union { f32 f; u32 u; } x;
    x.f = a;
    u32 n = (x.u + 0x7fffu + (x.u >> 16 & 1u)) >> 16;
    n = (x.u & 0x7fffffffu) > 0x7f800000u ? x.u >> 16 | 0x40u : n;
    return (u16)n;
})
FN(f32, half_odd, (f64 a), {
    union { f32 f; i32 i; } x;
    x.f = (f32)a;
    const f64 back = x.f;
    const f64 size = a < 0 ? -a : a;
    const f64 near = back < 0 ? -back : back;
    const i32 step = near < size ? 1 : near > size ? -1 : 0;
    x.i += x.i & 1 ? 0 : step;
    return x.f;
})
FN(u16, half_of_f64, (f64 a), { return half_of_f32(half_odd(a)); })
FN(u16, bhalf_of_f64, (f64 a), { return bhalf_of_f32(half_odd(a)); })
/* clang-format on */
