/*
 * cast.c -- one strided loop for each pair of dtypes, with NumPy's answers on x86-64.
 *
 * In: n elements at a byte stride. Out: the same values in another dtype. Always holds: the result is defined for every
 * input: floats are truncated through int32 (results of up to 16 bits), int64 (int32 and up), and what does not fit
 * there gives that type's smallest value before it is cut to size; complex drops its imaginary part; bool is != 0.
 * Halves (half.h) go through float32; a float64 becomes one directly.
 */
#include "base/base.h"
#include "base/half.h"
#include "move.h"

#include <string.h>

/* Truncation as cvttsd2si does it: the "integer indefinite" for NaN and for what does not fit. */
static inline int32_t to_i32(double v) { return v > -2147483649.0 && v < 2147483648.0 ? (int32_t)v : INT32_MIN; }
static inline int64_t to_i64(double v) {
    return v >= -9223372036854775808.0 && v < 9223372036854775808.0 ? (int64_t)v : INT64_MIN;
}
static inline uint64_t to_u64(double v) {
    if (v >= 9223372036854775808.0) return (uint64_t)to_i64(v - 9223372036854775808.0) ^ (1ull << 63);
    return (uint64_t)to_i64(v);
}

/* Values by kind of source: D discrete, F float, C complex, G float16, B bfloat16; the suffix is the destination. */
#define PLAIN(T, v) ((T)(v))
#define D_bool(v) ((v) != 0)
#define F_bool(v) ((v) != 0)
#define F_int8(v) PLAIN(int8_t, to_i32((double)(v)))
#define F_int16(v) PLAIN(int16_t, to_i32((double)(v)))
#define F_int32(v) to_i32((double)(v))
#define F_int64(v) to_i64((double)(v))
#define F_uint8(v) PLAIN(uint8_t, to_i32((double)(v)))
#define F_uint16(v) PLAIN(uint16_t, to_i32((double)(v)))
#define F_uint32(v) PLAIN(uint32_t, to_i64((double)(v)))
#define F_uint64(v) to_u64((double)(v))
#define F_float32(v) PLAIN(float, v)
#define F_float64(v) PLAIN(double, v)
#define F_complex64(v) ((ThComplex64){(float)(v), 0})
#define F_complex128(v) ((ThComplex128){(double)(v), 0})
#define D_int8(v) PLAIN(int8_t, v)
#define D_int16(v) PLAIN(int16_t, v)
#define D_int32(v) PLAIN(int32_t, v)
#define D_int64(v) PLAIN(int64_t, v)
#define D_uint8(v) PLAIN(uint8_t, v)
#define D_uint16(v) PLAIN(uint16_t, v)
#define D_uint32(v) PLAIN(uint32_t, v)
#define D_uint64(v) PLAIN(uint64_t, v)
#define D_float32 F_float32
#define D_float64 F_float64
#define D_complex64 F_complex64
#define D_complex128 F_complex128
#define C_bool(v) ((v).re != 0 || (v).im != 0)
#define C_int8(v) F_int8((v).re)
#define C_int16(v) F_int16((v).re)
#define C_int32(v) F_int32((v).re)
#define C_int64(v) F_int64((v).re)
#define C_uint8(v) F_uint8((v).re)
#define C_uint16(v) F_uint16((v).re)
#define C_uint32(v) F_uint32((v).re)
#define C_uint64(v) F_uint64((v).re)
#define C_float32(v) F_float32((v).re)
#define C_float64(v) F_float64((v).re)
#define C_complex64(v) ((ThComplex64){(float)(v).re, (float)(v).im})
#define C_complex128(v) ((ThComplex128){(double)(v).re, (double)(v).im})
/* Halves: from the float32 of the same value; a float64 is rounded once. */
#define F_float16(v) _Generic((v), double : half_of_f64, float : half_of_f32)(v)
#define F_bfloat16(v) _Generic((v), double : bhalf_of_f64, float : bhalf_of_f32)(v)
#define D_float16(v) half_of_f32((float)(v))
#define D_bfloat16(v) bhalf_of_f32((float)(v))
#define C_float16(v) F_float16((v).re)
#define C_bfloat16(v) F_bfloat16((v).re)
#define G_bool(v) F_bool(half_to_f32(v))
#define G_int8(v) F_int8(half_to_f32(v))
#define G_int16(v) F_int16(half_to_f32(v))
#define G_int32(v) F_int32(half_to_f32(v))
#define G_int64(v) F_int64(half_to_f32(v))
#define G_uint8(v) F_uint8(half_to_f32(v))
#define G_uint16(v) F_uint16(half_to_f32(v))
#define G_uint32(v) F_uint32(half_to_f32(v))
#define G_uint64(v) F_uint64(half_to_f32(v))
#define G_float32(v) F_float32(half_to_f32(v))
#define G_float64(v) F_float64(half_to_f32(v))
#define G_complex64(v) F_complex64(half_to_f32(v))
#define G_complex128(v) F_complex128(half_to_f32(v))
#define G_float16(v) (v)
#define G_bfloat16(v) bhalf_of_f32(half_to_f32(v))
#define B_bool(v) F_bool(bhalf_to_f32(v))
#define B_int8(v) F_int8(bhalf_to_f32(v))
#define B_int16(v) F_int16(bhalf_to_f32(v))
#define B_int32(v) F_int32(bhalf_to_f32(v))
#define B_int64(v) F_int64(bhalf_to_f32(v))
#define B_uint8(v) F_uint8(bhalf_to_f32(v))
#define B_uint16(v) F_uint16(bhalf_to_f32(v))
#define B_uint32(v) F_uint32(bhalf_to_f32(v))
#define B_uint64(v) F_uint64(bhalf_to_f32(v))
#define B_float32(v) F_float32(bhalf_to_f32(v))
#define B_float64(v) F_float64(bhalf_to_f32(v))
#define B_complex64(v) F_complex64(bhalf_to_f32(v))
#define B_complex128(v) F_complex128(bhalf_to_f32(v))
#define B_float16(v) half_of_f32(bhalf_to_f32(v))
#define B_bfloat16(v) (v)

typedef void (*Loop)(char *dst, int64_t dstride, const char *src, int64_t sstride, int64_t n);

/* The contiguous case stands apart so that the compiler can vectorise it, which it does not where it builds for size.
 */
#ifdef __OPTIMIZE_SIZE__
enum { APART = 0 };
#else
enum { APART = 1 };
#endif
#define LOOP(K, S, s, D, d) \
    static void s##_to_##d(char *dst, int64_t dstride, const char *src, int64_t sstride, int64_t n) { \
        if (APART && dstride == (int64_t)sizeof(D) && sstride == (int64_t)sizeof(S)) { \
            D *to = (D *)(void *)dst; \
            const S *from = (const S *)(const void *)src; \
            for (int64_t i = 0; i < n; i++) to[i] = K##_##d(from[i]); \
        } else { \
            for (int64_t i = 0; i < n; i++) { \
                S v = *(const S *)(const void *)(src + i * sstride); \
                *(D *)(void *)(dst + i * dstride) = K##_##d(v); \
            } \
        } \
    }

/* clang-format off */
#define EACH(M, K, S, s)                                                                                               \
    M(K, S, s, uint8_t, bool)     M(K, S, s, int8_t, int8)              M(K, S, s, int16_t, int16)                     \
    M(K, S, s, int32_t, int32)    M(K, S, s, int64_t, int64)            M(K, S, s, uint8_t, uint8)                     \
    M(K, S, s, uint16_t, uint16)  M(K, S, s, uint32_t, uint32)          M(K, S, s, uint64_t, uint64)                   \
    M(K, S, s, float, float32)    M(K, S, s, double, float64)           M(K, S, s, ThComplex64, complex64)             \
    M(K, S, s, ThComplex128, complex128)  M(K, S, s, uint16_t, float16)   M(K, S, s, uint16_t, bfloat16)
#define ENTRY(K, S, s, D, d) s##_to_##d,
/* All loops of one source, and its row of the table in the order of ThDtype. */
#define FROM(K, S, s) EACH(LOOP, K, S, s) static const Loop from_##s[TH_DTYPE_COUNT] = {EACH(ENTRY, K, S, s)};
/* clang-format on */

#undef bool /* stdbool's macro would turn the name of the dtype into _Bool */
FROM(D, uint8_t, bool)
FROM(D, int8_t, int8)
FROM(D, int16_t, int16)
FROM(D, int32_t, int32)
FROM(D, int64_t, int64)
FROM(D, uint8_t, uint8)
FROM(D, uint16_t, uint16)
FROM(D, uint32_t, uint32)
FROM(D, uint64_t, uint64)
FROM(F, float, float32)
FROM(F, double, float64)
FROM(C, ThComplex64, complex64)
FROM(C, ThComplex128, complex128)
FROM(G, uint16_t, float16)
FROM(B, uint16_t, bfloat16)

static const Loop *const loops[TH_DTYPE_COUNT] = {
    from_bool,   from_int8,    from_int16,   from_int32,     from_int64,      from_uint8,   from_uint16,  from_uint32,
    from_uint64, from_float32, from_float64, from_complex64, from_complex128, from_float16, from_bfloat16};

void dtype_cast(char *dst, ThDtype dd, int64_t dstride, const char *src, ThDtype sd, int64_t sstride, int64_t n) {
    enum { FEW = 4 };
    int64_t bytes = (int64_t)th_dtype_bytes(dd);
    if (dd == sd && dstride == bytes && sstride == bytes) memcpy(dst, src, (size_t)(n * bytes));
    else if (dd == sd && n >= FEW && dd != TH_BOOL) array_move((size_t)bytes, dst, dstride, src, sstride, n);
    else if (n > 0) loops[sd][dd](dst, dstride, src, sstride, n);
}
