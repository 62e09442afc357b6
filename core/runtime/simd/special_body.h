/*
 * special_body.h -- the helper texts of core/ops/math/special.h compiled, as block kernels, once for each file that
 * includes this with SPECIAL(name) defined. float32 is computed in float64, complex64 in complex128. Equal neighbours
 * (uniform values, padding) are computed once.
 */
#ifndef SPECIAL_STATIC
#define SPECIAL_STATIC
#endif
#include "ops/math/special.h"
#include "simd.h"

#include <math.h>
#include <string.h>

typedef double f64;
typedef float f32;
typedef ThComplex128 c128;
typedef struct DD {
    double hi, lo;
} DD;

#define FN(result, name, params, uses, ...) static result name params __VA_ARGS__
#include "ops/math/special_all.h"
#undef FN

#define REAL_1(name, T) \
    SPECIAL_STATIC void SPECIAL(name##_##T)(int64_t n, void *po, const void *pa, const void *pb, const void *pc) { \
        const T *a = pa; \
        T *o = po, last = 0; \
        (void)pb, (void)pc; \
        for (int64_t i = 0; i < n; i++) { \
            T x = a[i]; \
            o[i] = i && !memcmp(&x, &last, sizeof x) ? o[i - 1] : (T)sf_##name(x); \
            last = x; \
        } \
    }
#define REAL_2(name, T) \
    SPECIAL_STATIC void SPECIAL(name##_##T)(int64_t n, void *po, const void *pa, const void *pb, const void *pc) { \
        const T *a = pa, *b = pb; \
        T *o = po, last = 0, before = 0; \
        (void)pc; \
        for (int64_t i = 0; i < n; i++) { \
            T x = a[i], y = b[i]; \
            bool same = i && !memcmp(&x, &last, sizeof x) && !memcmp(&y, &before, sizeof y); \
            o[i] = same ? o[i - 1] : (T)sf_##name(x, y); \
            last = x; \
            before = y; \
        } \
    }
/* betainc, whose parameters many neighbours share */
#define REAL_3(name, T) \
    SPECIAL_STATIC void SPECIAL(name##_##T)(int64_t n, void *po, const void *pa, const void *pb, const void *pc) { \
        const T *a = pa, *b = pb, *c = pc; \
        T *o = po, last[3] = {0}; \
        DD scale = {0, 0}; \
        if (n == 1) o[0] = (T)sf_##name(a[0], b[0], c[0]); \
        for (int64_t i = 0; n > 1 && i < n; i++) { \
            const T x[3] = {a[i], b[i], c[i]}; \
            if (!i || memcmp(x, last, 2 * sizeof *x)) scale = sf_betainc_scale(x[0], x[1]); \
            o[i] = i && !memcmp(x, last, sizeof x) ? o[i - 1] : (T)sf_##name##_of(x[0], x[1], x[2], scale); \
            memcpy(last, x, sizeof x); \
        } \
    }
#define WIDE(z) ((c128){(z).re, (z).im})
#define COMPLEX_1(name, Z) \
    SPECIAL_STATIC void SPECIAL(name##_##Z)(int64_t n, void *po, const void *pa, const void *pb, const void *pc) { \
        const Z *a = pa; \
        Z *o = po, last = {0, 0}; \
        (void)pb, (void)pc; \
        for (int64_t i = 0; i < n; i++) { \
            Z x = a[i]; \
            if (i && !memcmp(&x, &last, sizeof x)) { \
                o[i] = o[i - 1]; \
                continue; \
            } \
            c128 r = sf_##name(WIDE(x)); \
            o[i].re = (__typeof__(x.re))r.re; \
            o[i].im = (__typeof__(x.re))r.im; \
            last = x; \
        } \
    }
#define COMPLEX_2(name, Z) \
    SPECIAL_STATIC void SPECIAL(name##_##Z)(int64_t n, void *po, const void *pa, const void *pb, const void *pc) { \
        const Z *a = pa, *b = pb; \
        Z *o = po; \
        (void)pc; \
        for (int64_t i = 0; i < n; i++) { \
            c128 r = sf_##name(WIDE(a[i]), WIDE(b[i])); \
            o[i].re = (__typeof__(a->re))r.re; \
            o[i].im = (__typeof__(a->re))r.im; \
        } \
    }
#if TH_SPECIAL
#define PRIM(name, arity, flags, doc) REAL_##arity(name, f64) REAL_##arity(name, f32)
#define CPRIM(name, arity, flags, doc) COMPLEX_##arity(name, ThComplex128) COMPLEX_##arity(name, ThComplex64)
SPECIAL_PRIMS(PRIM)
SPECIAL_CPRIMS(CPRIM)
#undef PRIM
#undef CPRIM
#endif

#define FAR(name, T, limit) \
    SPECIAL_STATIC void name(SimdFn near, int what, int64_t n, void *o, const void *a) { \
        T from[SIMD_BLOCK]; \
        for (int64_t i = 0; i < n; i += SIMD_BLOCK) { \
            const T *x = (const T *)a + i; \
            T *y = (T *)o + i; \
            int64_t m = n - i < SIMD_BLOCK ? n - i : SIMD_BLOCK; \
            int any = 0; \
            for (int64_t j = 0; j < m; j++) any |= fabs(x[j]) >= limit; \
            if (any) x = memcpy(from, x, (size_t)m * sizeof *x); /* o may be a */ \
            near(m, y, x, NULL, NULL); \
            for (int64_t j = 0; any && j < m; j++) \
                if (fabs(x[j]) >= limit) y[j] = (T)sf_far(x[j], what); \
        } \
    }
FAR(SPECIAL(far_double), double, SPECIAL_FAR)
FAR(SPECIAL(far_float), float, SPECIAL_FAR_SINGLE)
