/*
 * simd_body.h -- the block kernels, once for all instruction sets: included by simd_sse2.c, simd_avx2.c, simd_avx512.c
 * with SIMD_TABLE and SIMD_ISA defined. Plain loops on dense blocks: the compiler vectorises them for the file's ISA,
 * and the math calls go to glibc's vector functions through the simd attribute (never fast-math; contraction is off).
 * Blocks may coincide (o == a) but never overlap otherwise, hence ivdep.
 */
#include "simd.h"

#include "simd_math.h"

#include <math.h>
#include <string.h>

/* clang-format off */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__)
#define VECTOR(name, args, fargs)                                                                                       \
    __attribute__((simd("notinbranch"))) double name args;                                                              \
    __attribute__((simd("notinbranch"))) float name##f fargs;
#define VECTOR1(name) VECTOR(name, (double), (float))
VECTOR1(erf) VECTOR1(erfc)
VECTOR(atan2, (double, double), (float, float))
VECTOR(pow, (double, double), (float, float))
#endif

/* Results never overlap operands, or lie exactly on one. */
#if defined(__clang__)
#define IVDEP _Pragma("clang loop vectorize(assume_safety)")
#else
#define IVDEP _Pragma("GCC ivdep")
#endif
#define LOOP(name, T, A, B, C, expr)                                                                                    \
    static void name(int64_t n, void *po, const void *pa, const void *pb, const void *pc) {                             \
        T *o = po;                                                                                                      \
        const A *va = pa;                                                                                               \
        const B *vb = pb;                                                                                               \
        const C *vc = pc;                                                                                               \
        (void)vb, (void)vc;                                                                                             \
        IVDEP for (int64_t i = 0; i < n; i++) o[i] = (T)(expr);                                                         \
    }
#define a va[i]
#define b vb[i]
#define c vc[i]

/* Every dtype but complex: comparisons, choice, copies. */
#define ALL(X) X(uint8_t) X(int8_t) X(int16_t) X(int32_t) X(int64_t) X(uint16_t) X(uint32_t) X(uint64_t) X(float) X(double)
#define INTS(X) X(uint8_t) X(int8_t) X(int16_t) X(int32_t) X(int64_t) X(uint16_t) X(uint32_t) X(uint64_t)
#define SIGNED(X) X(int8_t, uint8_t) X(int16_t, uint16_t) X(int32_t, uint32_t) X(int64_t, uint64_t)
#define UNSIGNED(X) X(uint8_t) X(uint16_t) X(uint32_t) X(uint64_t)
#define FLOATS(X) X(double, ) X(float, f)

#define DEF_ALL(T)                                                                                                      \
    LOOP(lt_##T, uint8_t, T, T, T, a < b) LOOP(le_##T, uint8_t, T, T, T, a <= b) LOOP(gt_##T, uint8_t, T, T, T, a > b)  \
    LOOP(ge_##T, uint8_t, T, T, T, a >= b) LOOP(eq_##T, uint8_t, T, T, T, a == b) LOOP(neq_##T, uint8_t, T, T, T, a != b) \
    LOOP(switch_##T, T, uint8_t, T, T, a ? b : c) LOOP(copy_##T, T, T, T, T, a)                                         \
    LOOP(add_##T, T, T, T, T, a + b) LOOP(sub_##T, T, T, T, T, a - b) LOOP(mul_##T, T, T, T, T, a *b) LOOP(neg_##T, T, T, T, T, -a)
ALL(DEF_ALL)
LOOP(and_bool, uint8_t, uint8_t, uint8_t, uint8_t, a & b)
LOOP(or_bool, uint8_t, uint8_t, uint8_t, uint8_t, a | b)
LOOP(not_bool, uint8_t, uint8_t, uint8_t, uint8_t, !a)

/* Common divisors of magnitudes, which fit the unsigned words: Euclid's way. */
static inline uint64_t magnitude(int64_t x) { return x < 0 ? 0 - (uint64_t)x : (uint64_t)x; }
static inline uint64_t common(uint64_t x, uint64_t y) {
    while (y) {
        uint64_t r = x % y;
        x = y;
        y = r;
    }
    return x;
}
static inline uint64_t multiple(uint64_t x, uint64_t y) { return x && y ? x / common(x, y) * y : 0; }
#define SIZE_OF(x) ((x) > 0 ? (uint64_t)(x) : magnitude((int64_t)(x)))

#define DEF_INT(T)                                                                                                      \
    LOOP(bit_and_##T, T, T, T, T, a & b) LOOP(bit_or_##T, T, T, T, T, a | b) LOOP(bit_xor_##T, T, T, T, T, a ^ b)       \
    LOOP(gcd_##T, T, T, T, T, common(SIZE_OF(a), SIZE_OF(b))) LOOP(lcm_##T, T, T, T, T, multiple(SIZE_OF(a), SIZE_OF(b))) \
    LOOP(bit_not_##T, T, T, T, T, ~a)                                                                                   \
    LOOP(bit_shl_##T, T, T, T, T, (uint64_t)b < 8 * sizeof(T) ? (uint64_t)a << (b & 63) : 0)                            \
    LOOP(bit_shr_##T, T, T, T, T, (uint64_t)b < 8 * sizeof(T) ? a >> (b & 63) : a < 1 && a != 0 ? (T)-1 : (T)0)
INTS(DEF_INT)
/* Floor division and modulo; a divisor of 0 is reported before and gives 0; the quotient of MIN by -1 wraps. */
#define DEF_SIGNED(T, U)                                                                                                \
    static inline T floordiv_##T(T x, T y) {                                                                            \
        if (y == 0) return 0;                                                                                           \
        if (y == -1) return (T)(U)(0 - (U)x);                                                                           \
        return (T)(x / y - (x % y != 0 && (x < 0) != (y < 0)));                                                         \
    }                                                                                                                   \
    static inline T floormod_##T(T x, T y) {                                                                            \
        if (y == 0 || y == -1) return 0;                                                                                \
        T r = (T)(x % y);                                                                                               \
        return (T)(r != 0 && (r < 0) != (y < 0) ? r + y : r);                                                           \
    }                                                                                                                   \
    static inline T ipow_##T(T x, T y) {                                                                                \
        if (y < 0) return (T)(x == 1 ? 1 : x == -1 ? (y & 1 ? -1 : 1) : 0);                                             \
        U r = 1, p = (U)x;                                                                                              \
        for (U e = (U)y; e; e >>= 1, p = (U)(p * p))                                                                    \
            if (e & 1) r = (U)(r * p);                                                                                  \
        return (T)r;                                                                                                    \
    }                                                                                                                   \
    LOOP(div_floor_##T, T, T, T, T, floordiv_##T(a, b)) LOOP(mod_floor_##T, T, T, T, T, floormod_##T(a, b))             \
    LOOP(pow_##T, T, T, T, T, ipow_##T(a, b)) LOOP(abs_##T, T, T, T, T, a < 0 ? (T)(U)(0 - (U)a) : a)
SIGNED(DEF_SIGNED)
#define DEF_UNSIGNED(T)                                                                                                 \
    static inline T ipow_##T(T x, T y) {                                                                                \
        T r = 1;                                                                                                        \
        for (; y; y = (T)(y >> 1), x = (T)(x * x))                                                                      \
            if (y & 1) r = (T)(r * x);                                                                                  \
        return r;                                                                                                       \
    }                                                                                                                   \
    LOOP(div_floor_##T, T, T, T, T, b ? a / b : 0) LOOP(mod_floor_##T, T, T, T, T, b ? a % b : 0)                       \
    LOOP(pow_##T, T, T, T, T, ipow_##T(a, b)) LOOP(abs_##T, T, T, T, T, a)
UNSIGNED(DEF_UNSIGNED)

/* Vector functions of our own: whole vectors, n is a multiple of SIMD_PAD. */
#define VLOOP(name, T)                                                                                                  \
    static void name##_##T(int64_t n, void *po, const void *pa, const void *pb, const void *pc) {                       \
        const char *from = pa;                                                                                          \
        char *to = po;                                                                                                  \
        (void)pb, (void)pc;                                                                                             \
        for (int64_t i = 0; i < n * (int64_t)sizeof(T); i += VM_BYTES) {                                                \
            vm_##T x;                                                                                                   \
            memcpy(&x, from + i, VM_BYTES);                                                                             \
            x = vm_##name##_##T(x);                                                                                     \
            memcpy(to + i, &x, VM_BYTES);                                                                               \
        }                                                                                                               \
    }
#define DEF_VMATH(T, f) VLOOP(exp, T) VLOOP(expm1, T) VLOOP(tanh, T) VLOOP(log, T) VLOOP(log1p, T) VLOOP(sigmoid, T) VLOOP(softplus, T) VLOOP(cbrt, T) \
    VLOOP(exp2, T) VLOOP(log2, T) VLOOP(log10, T) VLOOP(asin, T) VLOOP(acos, T) VLOOP(atan, T) VLOOP(sinh, T) VLOOP(cosh, T) \
    VLOOP(asinh, T) VLOOP(acosh, T) VLOOP(atanh, T) VLOOP(near_sin, T) VLOOP(near_cos, T) VLOOP(near_tan, T)
FLOATS(DEF_VMATH)
VLOOP(erf, float) VLOOP(erfc, float)
LOOP(erf_double, double, double, double, double, erf(a)) LOOP(erfc_double, double, double, double, double, erfc(a))

#define DEF_FLOAT(T, f)                                                                                                 \
    LOOP(true_div_##T, T, T, T, T, a / b) LOOP(abs_##T, T, T, T, T, fabs##f(a)) LOOP(floor_##T, T, T, T, T, floor##f(a)) \
    LOOP(ceil_##T, T, T, T, T, ceil##f(a)) LOOP(trunc_##T, T, T, T, T, trunc##f(a)) LOOP(rint_##T, T, T, T, T, rint##f(a)) \
    LOOP(round_##T, T, T, T, T, round##f(a)) LOOP(isinf_##T, uint8_t, T, T, T, fabs##f(a) == (T)INFINITY)               \
    LOOP(sqrt_##T, T, T, T, T, sqrt##f(a))                                     \
    LOOP(deg2rad_##T, T, T, T, T, a *(T)0.017453292519943295) LOOP(rad2deg_##T, T, T, T, T, a *(T)57.29577951308232)    \
    LOOP(atan2_##T, T, T, T, T, atan2##f(a, b)) \
    LOOP(pow_##T, T, T, T, T, pow##f(a, b)) LOOP(hypot_##T, T, T, T, T, hypot##f(a, b)) \
    LOOP(copysign_##T, T, T, T, T, copysign##f(a, b)) LOOP(nextafter_##T, T, T, T, T, nextafter##f(a, b))               \
    LOOP(fmod_##T, T, T, T, T, fmod##f(a, b))                                                                           \
    static inline T floormod_##T(T x, T y) {                                                                            \
        T r = fmod##f(x, y);                                                                                            \
        if (r == 0) return y < 0 ? -(T)0 : (T)0;                                                                        \
        return (r < 0) != (y < 0) ? r + y : r;                                                                          \
    }                                                                                                                   \
    LOOP(mod_floor_##T, T, T, T, T, floormod_##T(a, b))                                                                 \
    static inline T floordiv_##T(T x, T y) { /* as NumPy: exact where x / y rounds up to an integer */                    \
        if (y == 0) return x / y;                                                                                       \
        T r = fmod##f(x, y), q = (x - r) / y;                                                                           \
        if (r != 0 && (r < 0) != (y < 0)) q -= 1;                                                                       \
        return q == 0 ? x / y * 0 : rint##f(q);                                                                         \
    }                                                                                                                   \
    LOOP(div_floor_##T, T, T, T, T, floordiv_##T(a, b))
FLOATS(DEF_FLOAT)
#define DEF_TURN(name, what, T)                                                                                         \
    static void name##_##T(int64_t n, void *po, const void *pa, const void *pb, const void *pc) {                       \
        (void)pb, (void)pc;                                                                                             \
        special_far_##T(near_##name##_##T, what, n, po, pa);                                                            \
    }
#define DEF_TURNS(T, f) DEF_TURN(sin, 0, T) DEF_TURN(cos, 1, T) DEF_TURN(tan, 2, T)
FLOATS(DEF_TURNS)

/*
 * Complex numbers as {re, im}. Division by Smith's scaling, as NumPy. Products stay scalar: gcc 12's vectoriser turns
 * them into fused multiply-adds in spite of -ffp-contract=off, and results would depend on the instruction set.
 */
#if defined(__GNUC__) && !defined(__clang__)
#define SCALAR __attribute__((optimize("no-tree-vectorize")))
#else
#define SCALAR
#endif
#define DEF_COMPLEX(Z, T, f)                                                                                            \
    static inline Z zmul_##Z(Z x, Z y) { return (Z){x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re}; }            \
    static inline Z zdiv_##Z(Z x, Z y) {                                                                                \
        T yr = fabs##f(y.re), yi = fabs##f(y.im);                                                                       \
        if (yr >= yi) {                                                                                                 \
            if (yr == 0 && yi == 0) return (Z){x.re / yr, x.im / yr};                                                   \
            T q = y.im / y.re, s = 1 / (y.re + y.im * q);                                                               \
            return (Z){(x.re + x.im * q) * s, (x.im - x.re * q) * s};                                                   \
        }                                                                                                               \
        T q = y.re / y.im, s = 1 / (y.im + y.re * q);                                                                   \
        return (Z){(x.re * q + x.im) * s, (x.im * q - x.re) * s};                                                       \
    }                                                                                                                   \
    LOOP(c_add_##Z, Z, Z, Z, Z, ((Z){a.re + b.re, a.im + b.im})) LOOP(c_sub_##Z, Z, Z, Z, Z, ((Z){a.re - b.re, a.im - b.im})) \
    SCALAR LOOP(c_mul_##Z, Z, Z, Z, Z, zmul_##Z(a, b)) SCALAR LOOP(c_div_##Z, Z, Z, Z, Z, zdiv_##Z(a, b))                             \
    LOOP(c_neg_##Z, Z, Z, Z, Z, ((Z){-a.re, -a.im})) LOOP(c_conj_##Z, Z, Z, Z, Z, ((Z){a.re, -a.im}))                   \
    LOOP(c_abs_##Z, T, Z, Z, Z, hypot##f(a.re, a.im)) LOOP(c_real_##Z, T, Z, Z, Z, a.re) LOOP(c_imag_##Z, T, Z, Z, Z, a.im) \
    LOOP(c_make_##T, Z, T, T, T, ((Z){a, b})) LOOP(c_eq_##Z, uint8_t, Z, Z, Z, a.re == b.re && a.im == b.im)            \
    LOOP(c_neq_##Z, uint8_t, Z, Z, Z, !(a.re == b.re && a.im == b.im))                                                  \
    LOOP(switch_##Z, Z, uint8_t, Z, Z, a ? b : c) LOOP(copy_##Z, Z, Z, Z, Z, a)
DEF_COMPLEX(ThComplex128, double, )
DEF_COMPLEX(ThComplex64, float, f)
#undef a
#undef b
#undef c

/* ---- casts: NumPy's. Plain C conversions where those are the same; float to integer and complex through base's exact routine  */
#define CAST_EXACT(TO, T, FROM, F)                                                                                      \
    static void cast_##TO##_##FROM(int64_t n, void *po, const void *pa, const void *pb, const void *pc) {               \
        (void)pb, (void)pc;                                                                                             \
        dtype_cast(po, TH_##TO, sizeof(T), pa, TH_##FROM, sizeof(F), n);                                                \
    }
#define CAST_PLAIN(TO, T, FROM, F)                                                                                      \
    static void cast_##TO##_##FROM(int64_t n, void *po, const void *pa, const void *pb, const void *pc) {               \
        T *o = po;                                                                                                      \
        const F *v = pa;                                                                                                \
        (void)pb, (void)pc;                                                                                             \
        if (TH_##TO == TH_BOOL)                                                                                         \
            for (int64_t i = 0; i < n; i++) o[i] = (T)(v[i] != 0);                                                      \
        else if (TH_##FROM >= TH_FLOAT32 && TH_##TO < TH_FLOAT32) dtype_cast(po, TH_##TO, sizeof(T), pa, TH_##FROM, sizeof(F), n); \
        else                                                                                                            \
            for (int64_t i = 0; i < n; i++) o[i] = (T)v[i];                                                             \
    }
#define REALS(X, ...)                                                                                                   \
    X(BOOL, uint8_t, __VA_ARGS__) X(INT8, int8_t, __VA_ARGS__) X(INT16, int16_t, __VA_ARGS__) X(INT32, int32_t, __VA_ARGS__) \
    X(INT64, int64_t, __VA_ARGS__) X(UINT8, uint8_t, __VA_ARGS__) X(UINT16, uint16_t, __VA_ARGS__)                      \
    X(UINT32, uint32_t, __VA_ARGS__) X(UINT64, uint64_t, __VA_ARGS__) X(FLOAT32, float, __VA_ARGS__) X(FLOAT64, double, __VA_ARGS__)
#define CAST_FROM_REAL(FROM, F)                                                                                         \
    REALS(CAST_PLAIN, FROM, F) CAST_EXACT(COMPLEX64, ThComplex64, FROM, F) CAST_EXACT(COMPLEX128, ThComplex128, FROM, F)
CAST_FROM_REAL(BOOL, uint8_t) CAST_FROM_REAL(INT8, int8_t) CAST_FROM_REAL(INT16, int16_t) CAST_FROM_REAL(INT32, int32_t)
CAST_FROM_REAL(INT64, int64_t) CAST_FROM_REAL(UINT8, uint8_t) CAST_FROM_REAL(UINT16, uint16_t) CAST_FROM_REAL(UINT32, uint32_t)
CAST_FROM_REAL(UINT64, uint64_t) CAST_FROM_REAL(FLOAT32, float) CAST_FROM_REAL(FLOAT64, double)
#define CAST_FROM_Z(FROM, F)                                                                                            \
    REALS(CAST_EXACT, FROM, F) CAST_EXACT(COMPLEX64, ThComplex64, FROM, F) CAST_EXACT(COMPLEX128, ThComplex128, FROM, F)
CAST_FROM_Z(COMPLEX64, ThComplex64) CAST_FROM_Z(COMPLEX128, ThComplex128)
#define CAST_TO(X)                                                                                                      \
    X(BOOL) X(INT8) X(INT16) X(INT32) X(INT64) X(UINT8) X(UINT16) X(UINT32) X(UINT64) X(FLOAT32) X(FLOAT64) X(COMPLEX64) X(COMPLEX128)

/* ---- folds ------------------------------------------------------------------------------------------------------- */
#define FOLD(name, T, expr) FOLD_AS(, name, T, expr)
#define FOLD_AS(how, name, T, expr)                                                                                     \
    how static void fold_##name##_##T(int64_t n, void *pacc, const void *pv) {                                              \
        T *acc = pacc;                                                                                                  \
        const T *v = pv;                                                                                                \
        IVDEP for (int64_t i = 0; i < n; i++) {                                                                         \
            T x = acc[i], y = v[i];                                                                                     \
            acc[i] = (T)(expr);                                                                                         \
        }                                                                                                               \
    }                                                                                                                   \
    how static void lanes_##name##_##T(int64_t n, void *pacc, const void *pv) {                                             \
        enum { L = SIMD_LANE_BYTES / sizeof(T) };                                                                       \
        T acc[L];                                                                                                       \
        const T *v = pv;                                                                                                \
        memcpy(acc, pacc, sizeof acc);                                                                                  \
        for (; n >= L; n -= L, v += L)                                                                                  \
            IVDEP for (int64_t i = 0; i < L; i++) {                                                                     \
                T x = acc[i], y = v[i];                                                                                 \
                acc[i] = (T)(expr);                                                                                     \
            }                                                                                                           \
        memcpy(pacc, acc, sizeof acc);                                                                                  \
        fold_##name##_##T(n, pacc, v);                                                                                  \
    }
#define FOLD_ALL(T) /* NaN propagates: a NaN accumulator stays, a NaN value wins */                                     \
    FOLD(sum, T, x + y) FOLD(prod, T, x *y) FOLD(max, T, x >= y || x != x ? x : y) FOLD(min, T, x <= y || x != x ? x : y)
ALL(FOLD_ALL)
FOLD(and, uint8_t, x & y)
FOLD(or, uint8_t, x | y)
#define FOLD_Z(T) FOLD(sum, T, ((T){x.re + y.re, x.im + y.im})) FOLD_AS(SCALAR, prod, T, zmul_##T(x, y))
FOLD_Z(ThComplex64)
FOLD_Z(ThComplex128)

/* ---- the table --------------------------------------------------------------------------------------------------- */
/* clang-format off */
#define AT_ALL(name) {[TH_BOOL] = name##_uint8_t, [TH_INT8] = name##_int8_t, [TH_INT16] = name##_int16_t, [TH_INT32] = name##_int32_t, \
    [TH_INT64] = name##_int64_t, [TH_UINT8] = name##_uint8_t, [TH_UINT16] = name##_uint16_t, [TH_UINT32] = name##_uint32_t, \
    [TH_UINT64] = name##_uint64_t, [TH_FLOAT32] = name##_float, [TH_FLOAT64] = name##_double}
#define AT_NUM(name) {[TH_INT8] = name##_int8_t, [TH_INT16] = name##_int16_t, [TH_INT32] = name##_int32_t, \
    [TH_INT64] = name##_int64_t, [TH_UINT8] = name##_uint8_t, [TH_UINT16] = name##_uint16_t, [TH_UINT32] = name##_uint32_t, \
    [TH_UINT64] = name##_uint64_t, [TH_FLOAT32] = name##_float, [TH_FLOAT64] = name##_double}
#define AT_ABS(name) {[TH_BOOL] = copy_uint8_t, [TH_INT8] = name##_int8_t, [TH_INT16] = name##_int16_t, [TH_INT32] = name##_int32_t, \
    [TH_INT64] = name##_int64_t, [TH_UINT8] = name##_uint8_t, [TH_UINT16] = name##_uint16_t, [TH_UINT32] = name##_uint32_t, \
    [TH_UINT64] = name##_uint64_t, [TH_FLOAT32] = name##_float, [TH_FLOAT64] = name##_double}
#define AT_BIT(name, boolean) {[TH_BOOL] = boolean, [TH_INT8] = name##_int8_t, [TH_INT16] = name##_int16_t, [TH_INT32] = name##_int32_t, \
    [TH_INT64] = name##_int64_t, [TH_UINT8] = name##_uint8_t, [TH_UINT16] = name##_uint16_t, [TH_UINT32] = name##_uint32_t, [TH_UINT64] = name##_uint64_t}
#define AT_FLOAT(name) {[TH_FLOAT32] = name##_float, [TH_FLOAT64] = name##_double}
#define AT_Z(name) {[TH_COMPLEX64] = name##_ThComplex64, [TH_COMPLEX128] = name##_ThComplex128}
#define AT_ANY(name) {[TH_BOOL] = name##_uint8_t, [TH_INT8] = name##_int8_t, [TH_INT16] = name##_int16_t, [TH_INT32] = name##_int32_t, \
    [TH_INT64] = name##_int64_t, [TH_UINT8] = name##_uint8_t, [TH_UINT16] = name##_uint16_t, [TH_UINT32] = name##_uint32_t, \
    [TH_UINT64] = name##_uint64_t, [TH_FLOAT32] = name##_float, [TH_FLOAT64] = name##_double, \
    [TH_COMPLEX64] = name##_ThComplex64, [TH_COMPLEX128] = name##_ThComplex128}
#define F(name) [P_##name] = AT_FLOAT(name)
#define Z(name) [P_##name] = AT_Z(name)
#define CASTS_FROM(TO) [TH_##TO] = { \
    [TH_BOOL] = cast_##TO##_BOOL, [TH_INT8] = cast_##TO##_INT8, [TH_INT16] = cast_##TO##_INT16, [TH_INT32] = cast_##TO##_INT32, \
    [TH_INT64] = cast_##TO##_INT64, [TH_UINT8] = cast_##TO##_UINT8, [TH_UINT16] = cast_##TO##_UINT16, [TH_UINT32] = cast_##TO##_UINT32, \
    [TH_UINT64] = cast_##TO##_UINT64, [TH_FLOAT32] = cast_##TO##_FLOAT32, [TH_FLOAT64] = cast_##TO##_FLOAT64, \
    [TH_COMPLEX64] = cast_##TO##_COMPLEX64, [TH_COMPLEX128] = cast_##TO##_COMPLEX128},

const SimdTable SIMD_TABLE = {
    .isa = SIMD_ISA,
    .prim = {
        [P_add] = AT_NUM(add), [P_sub] = AT_NUM(sub), [P_mul] = AT_NUM(mul), [P_neg] = AT_NUM(neg), F(true_div),
        [P_lt] = AT_ALL(lt), [P_le] = AT_ALL(le), [P_gt] = AT_ALL(gt), [P_ge] = AT_ALL(ge), [P_eq] = AT_ALL(eq), [P_neq] = AT_ALL(neq),
        [P_and_] = {[TH_BOOL] = and_bool}, [P_or_] = {[TH_BOOL] = or_bool}, [P_not] = {[TH_BOOL] = not_bool},
        [P_switch] = AT_ANY(switch), [P_copy] = AT_ANY(copy),
        [P_abs] = AT_ABS(abs), [P_div_floor] = AT_NUM(div_floor), [P_mod_floor] = AT_NUM(mod_floor), [P_pow] = AT_NUM(pow),
        [P_bit_and] = AT_BIT(bit_and, and_bool), [P_bit_or] = AT_BIT(bit_or, or_bool), [P_bit_xor] = AT_BIT(bit_xor, neq_uint8_t),
        [P_bit_not] = AT_BIT(bit_not, not_bool), [P_bit_shl] = AT_BIT(bit_shl, NULL), [P_bit_shr] = AT_BIT(bit_shr, NULL),
        F(isinf), F(floor), F(ceil), F(trunc), F(rint), F(round), F(exp), F(exp2), F(expm1), F(log), F(log2), F(log10), F(log1p), F(sqrt),
        F(deg2rad), F(rad2deg), F(sin), F(cos), F(tan), F(asin), F(acos), F(atan), F(atan2), F(sinh), F(cosh), F(tanh), F(asinh), F(acosh),
        F(atanh), F(hypot), F(copysign), F(nextafter), F(fmod), F(cbrt), [P_gcd] = AT_BIT(gcd, NULL), [P_lcm] = AT_BIT(lcm, NULL),
        F(erf), F(erfc), F(sigmoid), F(softplus),
        Z(c_add), Z(c_sub), Z(c_mul), Z(c_div), Z(c_neg), Z(c_conj), Z(c_abs), Z(c_real), Z(c_imag), Z(c_eq), Z(c_neq),
        [P_c_make] = AT_FLOAT(c_make),
#define PRIM(name, arity, flags, doc) [P_##name] = {[TH_FLOAT32] = special_##name##_f32, [TH_FLOAT64] = special_##name##_f64},
#define CPRIM(name, arity, flags, doc) [P_##name] = {[TH_COMPLEX64] = special_##name##_ThComplex64, [TH_COMPLEX128] = special_##name##_ThComplex128},
        SPECIAL_PRIMS(PRIM) SPECIAL_CPRIMS(CPRIM)
#undef PRIM
#undef CPRIM
    },
    .cast = {CAST_TO(CASTS_FROM)},
    .fold = {
        [RED_SUM] = AT_ANY(fold_sum), [RED_PROD] = AT_ANY(fold_prod), [RED_MAX] = AT_ALL(fold_max), [RED_MIN] = AT_ALL(fold_min),
        [RED_AND] = {[TH_BOOL] = fold_and_uint8_t}, [RED_OR] = {[TH_BOOL] = fold_or_uint8_t},
    },
    .lanes = {
        [RED_SUM] = AT_ANY(lanes_sum), [RED_PROD] = AT_ANY(lanes_prod), [RED_MAX] = AT_ALL(lanes_max), [RED_MIN] = AT_ALL(lanes_min),
        [RED_AND] = {[TH_BOOL] = lanes_and_uint8_t}, [RED_OR] = {[TH_BOOL] = lanes_or_uint8_t},
    },
};
/* clang-format on */
