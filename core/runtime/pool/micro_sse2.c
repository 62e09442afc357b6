/* micro_sse2.c -- pooling on the vectors that every x86-64 has, or on those of any other machine. */
#include "parts.h"

#define VBYTES 16

#define VECTOR(T, I, S) \
    typedef T Vector##S __attribute__((vector_size(VBYTES))); \
    typedef I Bits##S __attribute__((vector_size(VBYTES))); \
    static inline Vector##S part##S(const T *p, int64_t n) { \
        Vector##S v = {0}; \
        for (int64_t i = 0; i < n; i++) v[i] = p[i]; \
        return v; \
    } \
    static inline void put_part##S(T *p, Vector##S v, int64_t n) { \
        for (int64_t i = 0; i < n; i++) p[i] = v[i]; \
    } \
    static inline Vector##S larger##S(Vector##S a, Vector##S c) { \
        return (Vector##S)(((Bits##S)a & (a > c)) | ((Bits##S)c & ~(a > c))); \
    } \
    static inline Vector##S where##S(Vector##S a, Vector##S b, Vector##S v) { \
        return (Vector##S)((Bits##S)v & (a == b)); \
    }
VECTOR(float, int32_t, _f32)
VECTOR(double, int64_t, _f64)

#define T float
#define T_BYTES 4
#define FN(x) x##_f32
#define VLARGER(a, c) larger_f32(a, c)
#define VWHERE(a, b, v) where_f32(a, b, v)
#define VPART(p, n) part_f32(p, n)
#define VPUT(p, v, n) put_part_f32(p, v, n)
#include "micro.h"

#define T double
#define T_BYTES 8
#define FN(x) x##_f64
#define VLARGER(a, c) larger_f64(a, c)
#define VWHERE(a, b, v) where_f64(a, b, v)
#define VPART(p, n) part_f64(p, n)
#define VPUT(p, v, n) put_part_f64(p, v, n)
#include "micro.h"

const PoolKernels pool_kernels_sse2[2] = {{pool_f32, back_f32}, {pool_f64, back_f64}};
