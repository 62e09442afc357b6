/*
 * simd_math.h -- the vector functions of core/ops/math/vmath_all.h for the instruction set of the file that includes
 * this: vm_<name>_double, vm_<name>_float on vectors of VM_BYTES. Mirrored in core/text/vmath.c.
 */
#ifndef TH_SIMD_MATH_H
#define TH_SIMD_MATH_H

#if defined(VM_BYTES) /* asked for: products and sums round apart then */
#elif defined(__AVX512F__)
#define VM_BYTES 64
#elif defined(__AVX2__)
#define VM_BYTES 32
#else
#define VM_BYTES 16
#endif
#define VM static inline __attribute__((always_inline, unused))
typedef double vm_double __attribute__((vector_size(VM_BYTES)));
typedef float vm_float __attribute__((vector_size(VM_BYTES)));
typedef int64_t vm_int64 __attribute__((vector_size(VM_BYTES)));
typedef int32_t vm_int32 __attribute__((vector_size(VM_BYTES)));

/* By name, also where clang compiles: asked to contract a * b + c it takes a product that it has already, rounded. */
#if VM_BYTES == 64
VM vm_double vm_fma_double(vm_double a, vm_double b, vm_double c) {
    return __builtin_ia32_vfmaddpd512_mask(a, b, c, (unsigned char)-1, 4);
}
VM vm_float vm_fma_float(vm_float a, vm_float b, vm_float c) {
    return __builtin_ia32_vfmaddps512_mask(a, b, c, (unsigned short)-1, 4);
}
#elif VM_BYTES == 32
VM vm_double vm_fma_double(vm_double a, vm_double b, vm_double c) { return __builtin_ia32_vfmaddpd256(a, b, c); }
VM vm_float vm_fma_float(vm_float a, vm_float b, vm_float c) { return __builtin_ia32_vfmaddps256(a, b, c); }
#else
VM vm_double vm_fma_double(vm_double a, vm_double b, vm_double c) { return a * b + c; }
VM vm_float vm_fma_float(vm_float a, vm_float b, vm_float c) { return a * b + c; }
#endif
#if VM_BYTES == 64 && !defined(__clang__)
VM vm_double vm_sqrt_double(vm_double x) { return __builtin_ia32_sqrtpd512_mask(x, x, (unsigned char)-1, 4); }
VM vm_float vm_sqrt_float(vm_float x) { return __builtin_ia32_sqrtps512_mask(x, x, (unsigned short)-1, 4); }
#elif VM_BYTES == 32 && !defined(__clang__)
VM vm_double vm_sqrt_double(vm_double x) { return __builtin_ia32_sqrtpd256(x); }
VM vm_float vm_sqrt_float(vm_float x) { return __builtin_ia32_sqrtps256(x); }
#else
VM vm_double vm_sqrt_double(vm_double x) {
    for (int i = 0; i < VM_BYTES / 8; i++) x[i] = __builtin_sqrt(x[i]);
    return x;
}
VM vm_float vm_sqrt_float(vm_float x) {
    for (int i = 0; i < VM_BYTES / 4; i++) x[i] = __builtin_sqrtf(x[i]);
    return x;
}
#endif

/* What a * b is more than its rounded product p: fused, or from halves whose products are exact. */
#if VM_BYTES >= 32
#define VM_REST(E, I, low) \
    VM vm_##E vm_rest_##E(vm_##E a, vm_##E b, vm_##E p) { return vm_fma_##E(a, b, -p); }
#else
#define VM_REST(E, I, low) \
    VM vm_##E vm_rest_##E(vm_##E a, vm_##E b, vm_##E p) { \
        const vm_##E ah = (vm_##E)((I)a & -low), al = a - ah, bh = (vm_##E)((I)b & -low), bl = b - bh; \
        return ((ah * bh - p) + ah * bl + al * bh) + al * bl; \
    }
#endif
VM_REST(double, vm_int64, (int64_t)0x8000000)
VM_REST(float, vm_int32, (int32_t)0x1000)
#undef VM_REST
#define VM_DEFINE(E, I) \
    VM vm_##E vm_pick_##E(I m, vm_##E a, vm_##E b) { return (vm_##E)(((I)a & m) | ((I)b & ~m)); }
VM_DEFINE(double, vm_int64)
VM_DEFINE(float, vm_int32)
#undef VM_DEFINE
/* The smaller or larger of x and c, x where either is NaN: as the instructions have it, their operands turned round. */
#if VM_BYTES == 64 && !defined(__clang__)
#define VM_BOUND(name, op, instruction) \
    VM vm_double vm_##name##_double(vm_double x, vm_double c) { \
        return __builtin_ia32_##instruction##pd512_mask(c, x, x, (unsigned char)-1, 4); \
    } \
    VM vm_float vm_##name##_float(vm_float x, vm_float c) { \
        return __builtin_ia32_##instruction##ps512_mask(c, x, x, (unsigned short)-1, 4); \
    }
#elif VM_BYTES == 32 && !defined(__clang__)
#define VM_BOUND(name, op, instruction) \
    VM vm_double vm_##name##_double(vm_double x, vm_double c) { return __builtin_ia32_##instruction##pd256(c, x); } \
    VM vm_float vm_##name##_float(vm_float x, vm_float c) { return __builtin_ia32_##instruction##ps256(c, x); }
#elif defined(__SSE2__) && !defined(__clang__)
#define VM_BOUND(name, op, instruction) \
    VM vm_double vm_##name##_double(vm_double x, vm_double c) { return __builtin_ia32_##instruction##pd(c, x); } \
    VM vm_float vm_##name##_float(vm_float x, vm_float c) { return __builtin_ia32_##instruction##ps(c, x); }
#else
#define VM_BOUND(name, op, instruction) \
    VM vm_double vm_##name##_double(vm_double x, vm_double c) { return vm_pick_double(x op c, c, x); } \
    VM vm_float vm_##name##_float(vm_float x, vm_float c) { return vm_pick_float(x op c, c, x); }
#endif
VM_BOUND(least, >, min)
VM_BOUND(most, <, max)
#undef VM_BOUND
#if VM_BYTES == 64 && defined(__GNUC__) && !defined(__clang__)
VM vm_double vm_flush_double(vm_double x, vm_double c, vm_double y) {
    return __builtin_ia32_movapd512_mask(y, (vm_double){0},
                                         __builtin_ia32_cmppd512_mask(x, c, 5, (unsigned char)-1, 4));
}
VM vm_float vm_flush_float(vm_float x, vm_float c, vm_float y) {
    return __builtin_ia32_movaps512_mask(y, (vm_float){0},
                                         __builtin_ia32_cmpps512_mask(x, c, 5, (unsigned short)-1, 4));
}
#else
VM vm_double vm_flush_double(vm_double x, vm_double c, vm_double y) { return (vm_double)((vm_int64)y & ~(x < c)); }
VM vm_float vm_flush_float(vm_float x, vm_float c, vm_float y) { return (vm_float)((vm_int32)y & ~(x < c)); }
#endif
/* y * 2^n for t = n + a number whose low bits are free: by the instruction, or in two steps, the last of which rounds.
 */
#if VM_BYTES == 64
VM vm_double vm_scale_double(vm_double y, vm_double t, vm_double n) {
    (void)t;
    return __builtin_ia32_scalefpd512_mask(y, n, y, (unsigned char)-1, 4);
}
VM vm_float vm_scale_float(vm_float y, vm_float t, vm_float n) {
    (void)t;
    return __builtin_ia32_scalefps512_mask(y, n, y, (unsigned short)-1, 4);
}
#else
VM vm_double vm_scale_double(vm_double y, vm_double t, vm_double n) {
    vm_int64 k = (vm_int64)t, h = (vm_int64)((vm_int32)t >> 1);
    (void)n;
    return y * (vm_double)((h << 52) + 0x3ff0000000000000) * (vm_double)(((k - h) << 52) + 0x3ff0000000000000);
}
VM vm_float vm_scale_float(vm_float y, vm_float t, vm_float n) {
    vm_int32 k = (vm_int32)t, h = k >> 1;
    (void)n;
    return y * (vm_float)((h << 23) + 0x3f800000) * (vm_float)(((k - h) << 23) + 0x3f800000);
}
#endif

#if VM_BYTES == 64
VM bool vm_within_double(vm_double x, vm_double a, vm_double b) {
    return (unsigned char)(__builtin_ia32_cmppd512_mask(x, a, 13, (unsigned char)-1, 4) &
                           __builtin_ia32_cmppd512_mask(x, b, 2, (unsigned char)-1, 4)) == (unsigned char)-1;
}
VM bool vm_within_float(vm_float x, vm_float a, vm_float b) {
    return (unsigned short)(__builtin_ia32_cmpps512_mask(x, a, 13, (unsigned short)-1, 4) &
                            __builtin_ia32_cmpps512_mask(x, b, 2, (unsigned short)-1, 4)) == (unsigned short)-1;
}
#elif VM_BYTES == 32
VM bool vm_within_double(vm_double x, vm_double a, vm_double b) {
    return __builtin_ia32_movmskpd256((vm_double)((x >= a) & (x <= b))) == 15;
}
VM bool vm_within_float(vm_float x, vm_float a, vm_float b) {
    return __builtin_ia32_movmskps256((vm_float)((x >= a) & (x <= b))) == 255;
}
#else
#define VM_WITHIN(E, I) \
    VM bool vm_within_##E(vm_##E x, vm_##E a, vm_##E b) { \
        I all = (x >= a) & (x <= b); \
        for (int i = 1; i < VM_BYTES / (int)sizeof x[0]; i++) all[0] &= all[i]; \
        return all[0] != 0; \
    }
VM_WITHIN(double, vm_int64)
VM_WITHIN(float, vm_int32)
#endif
/* The texts, for one dtype and then for the other. */
#define VF(D, name, uses, ...) VF_##D(vm_##name, (V x), __VA_ARGS__)
#define VF2(D, name, uses, ...) VF_##D(vm_##name, (V x, V y), __VA_ARGS__)
#define K(c) ((E)(c) - (V){0})
#define SCALE(y, t, n) VM_OF(scale)(y, t, n)
#define FMA(a, b, c) VM_OF(fma)(a, b, c)
#define PICK(m, a, b) VM_OF(pick)(m, a, b)
#define FLUSH(x, c, y) VM_OF(flush)(x, c, y)
#define LEAST(x, c) VM_OF(least)(x, c)
#define MOST(x, c) VM_OF(most)(x, c)
#define SQRT(x) VM_OF(sqrt)(x)
#define ONE_BY(x) (1 / (x))
#define REST(a, b, p) VM_OF(rest)(a, b, p)
#define WITHIN(x, a, b) VM_OF(within)(x, a, b)
#define log_join(x, y) VM_OF(log_join)(x, y)
#define ABS(x) ((V)((I)(x)&PER(0x7fffffffffffffff, 0x7fffffff)))
#define SIGN(x) ((I)(x) & (-PER(0x7fffffffffffffff, 0x7fffffff) - 1))
#define expm1_of(x) VM_OF(expm1_of)(x)
#define sin_of(x) VM_OF(sin_of)(x)
#define erf_of(x) VM_OF(erf_of)(x)
#define erf_far(x) VM_OF(erf_far)(x)
#define erfc_of(x) VM_OF(erfc_of)(x)
#define shifted_of(x) VM_OF(shifted_of)(x)
#define atan_of(x) VM_OF(atan_of)(x)
#define exponent_of(x) VM_OF(exponent_of)(x)
#define fraction_of(x) VM_OF(fraction_of)(x)
#define log_of(x) VM_OF(log_of)(x)
#define arc_of(x) VM_OF(arc_of)(x)
#define cos_of(x) VM_OF(cos_of)(x)
#define turn_of(x) VM_OF(turn_of)(x)
#define exponent_in(x) VM_OF(exponent_in)(x)
#define fraction_in(x) VM_OF(fraction_in)(x)
#define cbrt_of(x) VM_OF(cbrt_of)(x)
#define log2_join(x, y) VM_OF(log2_join)(x, y)
#define log10_join(x, y) VM_OF(log10_join)(x, y)
#define exp(x) VM_OF(exp)(x)
#define log1p(x) VM_OF(log1p)(x)

#define V vm_double
#define I vm_int64
#define E double
#define PER(a, b) a
#define VM_OF(name) vm_##name##_double
#define VF_FLOAT64(name, params, ...) \
    VM V name##_double params { __VA_ARGS__ }
#define VF_FLOAT32(name, params, ...)
#include "ops/math/vmath_all.h"
#undef V
#undef I
#undef E
#undef PER
#undef VM_OF
#undef VF_FLOAT64
#undef VF_FLOAT32

#define V vm_float
#define I vm_int32
#define E float
#define PER(a, b) b
#define VM_OF(name) vm_##name##_float
#define VF_FLOAT64(name, params, ...)
#define VF_FLOAT32(name, params, ...) \
    VM V name##_float params { __VA_ARGS__ }
#include "ops/math/vmath_all.h"
#undef V
#undef I
#undef E
#undef PER
#undef VM_OF
#undef VF_FLOAT64
#undef VF_FLOAT32
#undef VB
#undef VB2
#undef VF
#undef VF2
#undef K
#undef SCALE
#undef FMA
#undef PICK
#undef FLUSH
#undef LEAST
#undef MOST
#undef SQRT
#undef REST
#undef WITHIN
#undef ONE_BY
#undef ABS
#undef SIGN
#undef expm1_of
#undef sin_of
#undef erf_of
#undef erf_far
#undef erfc_of
#undef shifted_of
#undef atan_of
#undef exponent_of
#undef fraction_of
#undef log_of
#undef arc_of
#undef cos_of
#undef turn_of
#undef exponent_in
#undef fraction_in
#undef cbrt_of
#undef log2_join
#undef log10_join
#undef log_join
#undef exp
#undef log1p

#endif
