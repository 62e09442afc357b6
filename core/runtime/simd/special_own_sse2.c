/*
 * special_own_sse2.c -- the helper texts with elementary functions of our own in the place of libm's, which round
 * otherwise from one library, processor and version to the next: special_own. fma, sqrt and what rounds to whole
 * numbers have one result everywhere.
 */
#define VM_BYTES 16
#include "ops/math/special.h"
#include "simd.h"

#include "simd_math.h"

#include <math.h>

#define OWN1(name) \
    static inline double own_##name(double x) { return vm_##name##_double((vm_double){0} + x)[0]; }
#define OWN2(name) \
    static inline double own_##name(double x, double y) { \
        return vm_##name##_double((vm_double){0} + x, (vm_double){0} + y)[0]; \
    }
OWN1(exp)
OWN1(exp2)
OWN1(expm1)
OWN1(log)
OWN1(log1p)
OWN1(asin)
OWN1(acos)
OWN1(sinh)
OWN1(cosh)
OWN1(erf)
OWN1(erfc)
OWN2(atan2)
OWN2(hypot)
OWN2(pow)
static double sf_far(double x, int what);
#define TURN(name, what) \
    static inline double own_##name(double x) { \
        return fabs(x) >= SPECIAL_FAR ? sf_far(x, what) : vm_near_##name##_double((vm_double){0} + x)[0]; \
    }
TURN(sin, 0)
TURN(cos, 1)
TURN(tan, 2)

#define exp own_exp
#define exp2 own_exp2
#define expm1 own_expm1
#define log own_log
#define log1p own_log1p
#define asin own_asin
#define acos own_acos
#define sinh own_sinh
#define cosh own_cosh
#define erf own_erf
#define erfc own_erfc
#define atan2 own_atan2
#define hypot own_hypot
#define pow own_pow
#define sin own_sin
#define cos own_cos
#define tan own_tan
#define SPECIAL(name) own_##name
#define SPECIAL_STATIC static
#include "special_body.h"

#define NEAR(name, what, T) \
    static void near_##name##_##T(int64_t n, void *po, const void *pa, const void *pb, const void *pc) { \
        (void)pb, (void)pc; \
        for (int64_t i = 0; i < n * (int64_t)sizeof(T); i += VM_BYTES) { \
            vm_##T x; \
            memcpy(&x, (const char *)pa + i, VM_BYTES); \
            x = vm_near_##name##_##T(x); \
            memcpy((char *)po + i, &x, VM_BYTES); \
        } \
    } \
    static void block_##name##_##T(int64_t n, void *po, const void *pa, const void *pb, const void *pc) { \
        (void)pb, (void)pc; \
        own_far_##T(near_##name##_##T, what, n, po, pa); \
    }
NEAR(sin, 0, double)
NEAR(cos, 1, double)
NEAR(tan, 2, double)
NEAR(sin, 0, float)
NEAR(cos, 1, float)
NEAR(tan, 2, float)

#define BLOCK(name) [P_##name] = {[TH_FLOAT32] = block_##name##_float, [TH_FLOAT64] = block_##name##_double}
#define PRIM(name, arity, flags, doc) [P_##name] = {[TH_FLOAT32] = own_##name##_f32, [TH_FLOAT64] = own_##name##_f64},
#define CPRIM(name, arity, flags, doc) \
    [P_##name] = {[TH_COMPLEX64] = own_##name##_ThComplex64, [TH_COMPLEX128] = own_##name##_ThComplex128},

SimdFn special_own(SimdPrim p, ThDtype d) {
#if TH_SPECIAL
    static const SimdFn own[SIMD_PRIMS][TH_DTYPE_COUNT] = {SPECIAL_PRIMS(PRIM) SPECIAL_CPRIMS(CPRIM) BLOCK(sin),
                                                           BLOCK(cos), BLOCK(tan)};
    return own[p][d];
#else /* three rows of so many: no table */
    const bool single = d == TH_FLOAT32;
    if (d != TH_FLOAT64 && !single) return NULL;
    if (p == P_sin) return single ? block_sin_float : block_sin_double;
    if (p == P_cos) return single ? block_cos_float : block_cos_double;
    return p != P_tan ? NULL : single ? block_tan_float : block_tan_double;
#endif
}
