/*
 * simd_body.h -- the block kernels, once for all instruction sets: included by simd_sse2.c, simd_avx2.c, simd_avx512.c
 * with SIMD_TABLE and SIMD_ISA defined. Plain loops on dense blocks: the compiler vectorises them for the file's ISA
 * (never fast-math; contraction is off); vector math is our own.
 * Blocks may coincide (o == a) but never overlap otherwise, hence ivdep.
 */
#include "simd.h"

#include "base/half.h"
#include "ops/math/special.h"

#include "simd_math.h"

#include <math.h>
#include <string.h>

/* clang-format off */
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
/* Where the sign of an integer does not matter: signed ones take the loops of words (-fwrapv). */
#define WORDS(X) UNSIGNED(X) X(float) X(double)

#define DEF_ALL(T)                                                                                                      \
    LOOP(lt_##T, uint8_t, T, T, T, a < b) LOOP(le_##T, uint8_t, T, T, T, a <= b) LOOP(gt_##T, uint8_t, T, T, T, a > b)  \
    LOOP(ge_##T, uint8_t, T, T, T, a >= b)
#define DEF_WORDS(T)                                                                                                    \
    LOOP(eq_##T, uint8_t, T, T, T, a == b) LOOP(neq_##T, uint8_t, T, T, T, a != b)                                      \
    LOOP(switch_##T, T, uint8_t, T, T, a ? b : c) LOOP(copy_##T, T, T, T, T, a)                                         \
    LOOP(add_##T, T, T, T, T, a + b) LOOP(sub_##T, T, T, T, T, a - b) LOOP(mul_##T, T, T, T, T, a *b) LOOP(neg_##T, T, T, T, T, -a)
ALL(DEF_ALL)
WORDS(DEF_WORDS)
LOOP(and_bool, uint8_t, uint8_t, uint8_t, uint8_t, a & b)
LOOP(or_bool, uint8_t, uint8_t, uint8_t, uint8_t, a | b)
LOOP(not_bool, uint8_t, uint8_t, uint8_t, uint8_t, !a)

/* Common divisors of magnitudes, which fit the unsigned words: one division, then by halves and differences. */
static inline uint64_t magnitude(int64_t x) { return x < 0 ? 0 - (uint64_t)x : (uint64_t)x; }
static inline uint64_t common(uint64_t x, uint64_t y) {
    if (!x || !y) return x | y;
    const uint64_t r = x > y ? x % y : y % x, less = x > y ? y : x;
    if (!r) return less;
    x = less >> __builtin_ctzll(less), y = r >> __builtin_ctzll(r);
    while (x != y) {
        const uint64_t far = x > y ? x - y : y - x;
        x = x > y ? y : x;
        y = far >> __builtin_ctzll(far);
    }
    return x << __builtin_ctzll(less | r);
}
static inline uint64_t multiple(uint64_t x, uint64_t y) { return x && y ? x / common(x, y) * y : 0; }
#define SIZE_OF(x) ((x) > 0 ? (uint64_t)(x) : magnitude((int64_t)(x)))

#define DEF_INT(T)                                                                                                      \
    LOOP(gcd_##T, T, T, T, T, common(SIZE_OF(a), SIZE_OF(b))) LOOP(lcm_##T, T, T, T, T, multiple(SIZE_OF(a), SIZE_OF(b))) \
    LOOP(bit_shr_##T, T, T, T, T, (uint64_t)b < 8 * sizeof(T) ? a >> (b & 63) : a < 1 && a != 0 ? (T)-1 : (T)0)
INTS(DEF_INT)
#define DEF_BITS(T)                                                                                                     \
    LOOP(bit_and_##T, T, T, T, T, a & b) LOOP(bit_or_##T, T, T, T, T, a | b) LOOP(bit_xor_##T, T, T, T, T, a ^ b)       \
    LOOP(bit_not_##T, T, T, T, T, ~a)                                                                                   \
    LOOP(bit_shl_##T, T, T, T, T, (uint64_t)b < 8 * sizeof(T) ? (uint64_t)a << (b & 63) : 0)
UNSIGNED(DEF_BITS)
/* Floor division and modulo; a divisor of 0 is reported before and gives 0; the quotient of MIN by -1 wraps. */
/* Quotients of whole numbers below 2^53 by the division of doubles, which has vectors: a quotient that is no whole
 * number is further from one than its rounding, so that its floor is exact. */
#define DIVISION(name, T, expr)                                                                                         \
    static void name##_##T(int64_t n, void *po, const void *pa, const void *pb, const void *pc) {                       \
        T *o = po;                                                                                                      \
        const T *va = pa, *vb = pb;                                                                                     \
        uint64_t far = 0, zero = 0;                                                                                     \
        for (int64_t i = 0; i < n; i++) {                                                                               \
            far |= ((uint64_t)(int64_t)a ^ (uint64_t)((int64_t)a >> 63)) | ((uint64_t)(int64_t)b ^ (uint64_t)((int64_t)b >> 63)); \
            zero |= (uint64_t)(b == 0);                                                                                 \
        }                                                                                                               \
        if (zero || far >> 53) {                                                                                        \
            plain_##name##_##T(n, po, pa, pb, pc);                                                                      \
            return;                                                                                                     \
        }                                                                                                               \
        IVDEP for (int64_t i = 0; i < n; i++) {                                                                         \
            const double q = floor((double)a / (double)b);                                                              \
            o[i] = expr;                                                                                                \
        }                                                                                                               \
    }
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
    LOOP(plain_div_floor_##T, T, T, T, T, floordiv_##T(a, b)) LOOP(plain_mod_floor_##T, T, T, T, T, floormod_##T(a, b)) \
    DIVISION(div_floor, T, (T)(int64_t)q) DIVISION(mod_floor, T, (T)(a - (int64_t)q * b))                               \
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
    LOOP(pow_##T, T, T, T, T, ipow_##T(a, b))
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
#define VLOOP2(name, T)                                                                                                 \
    static void name##_##T(int64_t n, void *po, const void *pa, const void *pb, const void *pc) {                       \
        const char *from = pa, *with = pb;                                                                              \
        char *to = po;                                                                                                  \
        (void)pc;                                                                                                       \
        for (int64_t i = 0; i < n * (int64_t)sizeof(T); i += VM_BYTES) {                                                \
            vm_##T x, y;                                                                                                \
            memcpy(&x, from + i, VM_BYTES);                                                                             \
            memcpy(&y, with + i, VM_BYTES);                                                                             \
            x = vm_##name##_##T(x, y);                                                                                  \
            memcpy(to + i, &x, VM_BYTES);                                                                               \
        }                                                                                                               \
    }
#define DEF_VMATH(T, f) VLOOP2(pow, T) VLOOP2(atan2, T) VLOOP2(hypot, T) VLOOP(exp, T) VLOOP(expm1, T) VLOOP(tanh, T) VLOOP(log, T) VLOOP(log1p, T) VLOOP(sigmoid, T) VLOOP(softplus, T) VLOOP(cbrt, T) VLOOP(erf, T) VLOOP(erfc, T) \
    VLOOP(exp2, T) VLOOP(log2, T) VLOOP(log10, T) VLOOP(asin, T) VLOOP(acos, T) VLOOP(atan, T) VLOOP(sinh, T) VLOOP(cosh, T) \
    VLOOP(asinh, T) VLOOP(acosh, T) VLOOP(atanh, T) VLOOP(near_sin, T) VLOOP(near_cos, T) VLOOP(near_tan, T)
FLOATS(DEF_VMATH)

/* Remainders of floats by division: for x and y positive and x / y below 2^52 (2^22), the quotient's integer part t is
 * right or one too large, and x - t y is a number of their dtype in both cases, which a fused multiply-add gives as it
 * is. Where a few in a row hold anything else, libm has these few. */
#if defined(__FMA__)
#define REMAINDERS(name, of, T, f)                                                                                      \
    static void name##_##T(int64_t n, void *po, const void *pa, const void *pb, const void *pc) {                       \
        enum { SOME = 32 };                                                                                             \
        const T far = sizeof(T) == 8 ? (T)0x1p52 : (T)0x1p22;                                                           \
        T *o = po;                                                                                                      \
        const T *va = pa, *vb = pb;                                                                                     \
        (void)pc;                                                                                                       \
        for (int64_t m; n > 0; n -= m, o += m, va += m, vb += m) {                                                      \
            int odd = 0;                                                                                                \
            m = n < SOME ? n : SOME;                                                                                    \
            for (int64_t i = 0; i < m; i++) odd |= !(fabs##f(a) < fabs##f(b) * far) | !(fabs##f(b) < (T)INFINITY);         \
            if (odd)                                                                                                    \
                for (int64_t i = 0; i < m; i++) o[i] = of##_##T(a, b, fmod##f(a, b));                                   \
            else                                                                                                        \
                IVDEP for (int64_t i = 0; i < m; i++) {                                                                 \
                    const T x = fabs##f(a), y = fabs##f(b), t = trunc##f(x / y), r = __builtin_fma##f(-t, y, x);        \
                    o[i] = of##_##T(a, b, copysign##f(r < 0 ? r + y : r, a));                                           \
                }                                                                                                       \
        }                                                                                                               \
    }
#else
#define REMAINDERS(name, of, T, f) LOOP(name##_##T, T, T, T, T, of##_##T(a, b, fmod##f(a, b)))
#endif
#define DEF_FLOAT(T, f)                                                                                                 \
    LOOP(true_div_##T, T, T, T, T, a / b) LOOP(abs_##T, T, T, T, T, fabs##f(a)) LOOP(floor_##T, T, T, T, T, floor##f(a)) \
    LOOP(ceil_##T, T, T, T, T, ceil##f(a)) LOOP(trunc_##T, T, T, T, T, trunc##f(a)) LOOP(rint_##T, T, T, T, T, rint##f(a)) \
    LOOP(round_##T, T, T, T, T, round##f(a)) LOOP(isinf_##T, uint8_t, T, T, T, fabs##f(a) == (T)INFINITY)               \
    LOOP(sqrt_##T, T, T, T, T, sqrt##f(a))                                     \
    LOOP(deg2rad_##T, T, T, T, T, a *(T)0.017453292519943295) LOOP(rad2deg_##T, T, T, T, T, a *(T)57.29577951308232)    \
    LOOP(copysign_##T, T, T, T, T, copysign##f(a, b))               \
    static inline T floormod_##T(T x, T y, T r) { /* r = fmod(x, y) */                                                  \
        const T up = r + y, none = y < 0 ? -(T)0 : (T)0, s = (r < 0) != (y < 0) ? up : r;                               \
        (void)x;                                                                                                        \
        return r == 0 ? none : s;                                                                                       \
    }                                                                                                                   \
    static inline T floordiv_##T(T x, T y, T r) { /* as NumPy: exact where x / y rounds up to an integer */             \
        const T by = x / y, p = (x - r) / y, q = r != 0 && (r < 0) != (y < 0) ? p - 1 : p;                              \
        const T whole = q == 0 ? by * 0 : rint##f(q);                                                                   \
        return y == 0 ? by : whole;                                                                                     \
    }                                                                                                                   \
    static inline T fmod_of_##T(T x, T y, T r) { return (void)x, (void)y, r; }                                          \
    REMAINDERS(fmod, fmod_of, T, f) REMAINDERS(mod_floor, floormod, T, f) REMAINDERS(div_floor, floordiv, T, f)
FLOATS(DEF_FLOAT)
/* Whether any of n numbers is too large for near_sin and its like; NaN is not. */
#define DEF_FAR(T, W, limit)                                                                                           \
    static bool far_##T(int64_t n, const T *x) {                                                                       \
        vm_##W any = {0};                                                                                              \
        for (int64_t i = 0; i < n; i += VM_BYTES / (int64_t)sizeof(T)) {                                               \
            vm_##T v;                                                                                                  \
            memcpy(&v, x + i, VM_BYTES);                                                                               \
            any |= vm_most_##T(v, -v) >= (T)limit;                                                                     \
        }                                                                                                              \
        __typeof__(any[0]) one = 0;                                                                                                 \
        for (int i = 0; i < VM_BYTES / (int)sizeof(T); i++) one |= any[i];                                             \
        return one != 0;                                                                                               \
    }
DEF_FAR(double, int64, SPECIAL_FAR)
DEF_FAR(float, int32, SPECIAL_FAR_SINGLE)
#define DEF_TURN(name, what, T)                                                                                        \
    static void name##_##T(int64_t n, void *po, const void *pa, const void *pb, const void *pc) {                      \
        const T *va = pa;                                                                                              \
        T *o = po;                                                                                                     \
        for (int64_t m; n > 0; n -= m, o += m, va += m) {                                                              \
            m = n < SIMD_BLOCK ? n : SIMD_BLOCK;                                                                       \
            if (far_##T(m, va)) special_far_##T(near_##name##_##T, what, m, o, va);                                    \
            else near_##name##_##T(m, o, va, pb, pc);                                                                  \
        }                                                                                                              \
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
#define DEF_LENGTH(T, f)                                                                                                \
    static inline T length_##T(T x, T y) { return vm_hypot_##T((vm_##T){0} + x, (vm_##T){0} + y)[0]; }
FLOATS(DEF_LENGTH)
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
    LOOP(c_abs_##Z, T, Z, Z, Z, length_##T(a.re, a.im)) LOOP(c_real_##Z, T, Z, Z, Z, a.re) LOOP(c_imag_##Z, T, Z, Z, Z, a.im) \
    LOOP(c_make_##T, Z, T, T, T, ((Z){a, b})) LOOP(c_eq_##Z, uint8_t, Z, Z, Z, a.re == b.re && a.im == b.im)            \
    LOOP(c_neq_##Z, uint8_t, Z, Z, Z, !(a.re == b.re && a.im == b.im))                                                  \
    LOOP(switch_##Z, Z, uint8_t, Z, Z, a ? b : c) LOOP(copy_##Z, Z, Z, Z, Z, a)
DEF_COMPLEX(ThComplex128, double, )
DEF_COMPLEX(ThComplex64, float, f)
/* ---- exponents: special_parts.h's without branches --------------------------------------------------------------- */
static inline uint64_t bits_of(double x) {
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}
static inline double of_bits(uint64_t u) {
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}
static inline int64_t power_in(double x) { return (int64_t)(bits_of(x) >> 52 & 0x7ff); }
static inline double exponent_of(double x) {
    const int64_t e = power_in(x), low = power_in(x * 0x1p54);
    const int64_t r = e ? e - 1022 : low - 1076;
    return (double)(e == 0x7ff || x == 0 ? 0 : r);
}
static inline double mantissa_of(double x) {
    const int64_t e = power_in(x);
    const double m = of_bits((bits_of(e ? x : x * 0x1p54) & 0x800fffffffffffffull) | 0x3fe0000000000000ull);
    return e == 0x7ff || x == 0 ? x : m;
}
static inline double scaled_by(double x, double n) {
    const double by = n > 5000 ? 5000 : n < -5000 ? -5000 : n == n ? n : 0, e = exponent_of(x) + by;
    const bool low = e < -1021;
    const int64_t field = (int64_t)(e > 1024 ? 1024 : e < -1075 ? -1075 : e) + 1022 + (low ? 54 : 0);
    const double v = of_bits((bits_of(mantissa_of(x)) & 0x800fffffffffffffull) | (uint64_t)field << 52);
    const uint64_t sign = bits_of(x) & 0x8000000000000000ull;
    double r = low ? v * 0x1p-54 : v;
    r = e > 1024 ? of_bits(sign | 0x7ff0000000000000ull) : e < -1075 ? of_bits(sign) : r;
    return x - x != 0 || x == 0 || n != n ? x * (n != n ? n : 1) : r;
}
#define DEF_WHOLE(T)                                                                                                    \
    LOOP(maximum_##T, T, T, T, T, a >= b || a != a ? a : b) LOOP(minimum_##T, T, T, T, T, a <= b || a != a ? a : b)     \
    LOOP(whole_fmax_##T, T, T, T, T, a >= b || b != b ? a : b) LOOP(whole_fmin_##T, T, T, T, T, a <= b || b != b ? a : b) \
    LOOP(clip_##T, T, T, T, T, a < b ? b : a > c ? c : a)
ALL(DEF_WHOLE)
#define DEF_WHOLE_FLOAT(T, f)                                                                                           \
    LOOP(sgn_##T, T, T, T, T, a > 0 ? 1 : a < 0 ? -1 : a == 0 ? 0 : a)                                                  \
    LOOP(heaviside_##T, T, T, T, T, a < 0 ? 0 : a > 0 ? 1 : a == 0 ? b : a)                                             \
    LOOP(isfinite_##T, uint8_t, T, T, T, a - a == 0) LOOP(signbit_##T, uint8_t, T, T, T, copysign##f(1, a) < 0)         \
    LOOP(nextafter_##T, T, T, T, T, T##_after(a, b))
/* The next number on the way, without branches: numbers of one sign lie in the order of their bits. */
#define DEF_AFTER(T, U)                                                                                                 \
    static inline T T##_after(T x, T y) {                                                                               \
        U bits, sign, one = 1;                                                                                          \
        T r, least;                                                                                                     \
        memcpy(&bits, &x, sizeof bits);                                                                                 \
        memcpy(&sign, &y, sizeof sign);                                                                                 \
        sign = (sign >> (8 * sizeof(U) - 1) << (8 * sizeof(U) - 1)) | one;                                              \
        bits += (x < y) == (x > 0) ? one : (U)0 - one;                                                                  \
        memcpy(&r, &bits, sizeof r);                                                                                    \
        memcpy(&least, &sign, sizeof least);                                                                            \
        r = x == 0 ? least : r;                                                                                         \
        r = x == y ? y : r;                                                                                             \
        return x != x || y != y ? x + y : r;                                                                            \
    }
DEF_AFTER(double, uint64_t)
DEF_AFTER(float, uint32_t)
FLOATS(DEF_WHOLE_FLOAT)
#if TH_SPECIAL
#define DEF_EXPONENTS(T, f)                                                                                             \
    LOOP(exponent_##T, T, T, T, T, exponent_of(a)) LOOP(mantissa_##T, T, T, T, T, mantissa_of(a))                       \
    LOOP(ldexp_##T, T, T, T, T, scaled_by(a, b))
FLOATS(DEF_EXPONENTS)
/* In the place of special.c's, which the table below names. */
#define special_exponent_f64 exponent_double
#define special_exponent_f32 exponent_float
#define special_mantissa_f64 mantissa_double
#define special_mantissa_f32 mantissa_float
#define special_ldexp_f64 ldexp_double
#define special_ldexp_f32 ldexp_float
#endif

#undef a
#undef b
#undef c

/* ---- casts: NumPy's. Plain C conversions where those are the same; float to integer and complex through base's exact routine  */
#define CAST_EXACT(TO, T, FROM, F)                                                                                      \
    static void cast_##TO##_##FROM(int64_t n, void *po, const void *pa, const void *pb, const void *pc) {               \
        (void)pb, (void)pc;                                                                                             \
        dtype_cast(po, TH_##TO, sizeof(T), pa, TH_##FROM, sizeof(F), n);                                                \
    }
#ifdef __OPTIMIZE_SIZE__ /* base's loops are as good where nothing is vectorised */
#define CAST_PLAIN CAST_EXACT
#else
#define CAST_PLAIN(TO, T, FROM, F)                                                                                      \
    static void cast_##TO##_##FROM(int64_t n, void *po, const void *pa, const void *pb, const void *pc) {               \
        T *o = po;                                                                                                      \
        const F *v = pa;                                                                                                \
        (void)pb, (void)pc;                                                                                             \
        if (TH_##TO == TH_BOOL)                                                                                         \
            for (int64_t i = 0; i < n; i++) o[i] = (T)(v[i] != 0);                                                      \
        else if (TH_##FROM >= TH_FLOAT32 && TH_##TO < TH_FLOAT32) {                                                     \
            const bool narrow = TH_##TO == TH_INT32 || sizeof(T) < 4;                                                   \
            const double most = narrow ? 0x1p31 : 0x1p63;                                                               \
            int64_t far = TH_##TO == TH_UINT64;                                                                         \
            for (int64_t i = 0; i < n; i++) far |= !((double)v[i] >= -most) | !((double)v[i] < most);                   \
            if (far) dtype_cast(po, TH_##TO, sizeof(T), pa, TH_##FROM, sizeof(F), n);                                   \
            else if (narrow)                                                                                            \
                for (int64_t i = 0; i < n; i++) o[i] = (T)(int32_t)v[i];                                                \
            else                                                                                                        \
                for (int64_t i = 0; i < n; i++) o[i] = (T)(int64_t)v[i];                                                \
        } else                                                                                                          \
            for (int64_t i = 0; i < n; i++) o[i] = (T)v[i];                                                             \
    }
#endif
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
/* Halves: loops of our own from and to floats, the rest through base's routine. */
#define CAST_HALF(TO, T, FROM, F, expr)                                                                                 \
    static void cast_##TO##_##FROM(int64_t n, void *po, const void *pa, const void *pb, const void *pc) {               \
        T *o = po;                                                                                                      \
        const F *v = pa;                                                                                                \
        (void)pb, (void)pc;                                                                                             \
        for (int64_t i = 0; i < n; i++) o[i] = (T)(expr);                                                               \
    }
CAST_HALF(FLOAT32, float, FLOAT16, uint16_t, half_to_f32(v[i])) CAST_HALF(FLOAT64, double, FLOAT16, uint16_t, half_to_f32(v[i]))
CAST_HALF(FLOAT32, float, BFLOAT16, uint16_t, bhalf_to_f32(v[i])) CAST_HALF(FLOAT64, double, BFLOAT16, uint16_t, bhalf_to_f32(v[i]))
CAST_HALF(FLOAT16, uint16_t, FLOAT32, float, half_of_f32(v[i])) CAST_HALF(FLOAT16, uint16_t, FLOAT64, double, half_of_f64(v[i]))
CAST_HALF(BFLOAT16, uint16_t, FLOAT32, float, bhalf_of_f32(v[i])) CAST_HALF(BFLOAT16, uint16_t, FLOAT64, double, bhalf_of_f64(v[i]))
#define NOT_FLOATS(X, ...)                                                                                              \
    X(BOOL, uint8_t, __VA_ARGS__) X(INT8, int8_t, __VA_ARGS__) X(INT16, int16_t, __VA_ARGS__) X(INT32, int32_t, __VA_ARGS__) \
    X(INT64, int64_t, __VA_ARGS__) X(UINT8, uint8_t, __VA_ARGS__) X(UINT16, uint16_t, __VA_ARGS__)                      \
    X(UINT32, uint32_t, __VA_ARGS__) X(UINT64, uint64_t, __VA_ARGS__) X(COMPLEX64, ThComplex64, __VA_ARGS__)            \
    X(COMPLEX128, ThComplex128, __VA_ARGS__)
#define CAST_BACK(FROM, F, TO, T) CAST_EXACT(TO, T, FROM, F)
NOT_FLOATS(CAST_EXACT, FLOAT16, uint16_t) NOT_FLOATS(CAST_EXACT, BFLOAT16, uint16_t)
NOT_FLOATS(CAST_BACK, FLOAT16, uint16_t) NOT_FLOATS(CAST_BACK, BFLOAT16, uint16_t)
CAST_EXACT(FLOAT16, uint16_t, BFLOAT16, uint16_t) CAST_EXACT(BFLOAT16, uint16_t, FLOAT16, uint16_t)
CAST_EXACT(FLOAT16, uint16_t, FLOAT16, uint16_t) CAST_EXACT(BFLOAT16, uint16_t, BFLOAT16, uint16_t)
#define CAST_TO(X)                                                                                                      \
    X(BOOL) X(INT8) X(INT16) X(INT32) X(INT64) X(UINT8) X(UINT16) X(UINT32) X(UINT64) X(FLOAT32) X(FLOAT64) X(COMPLEX64) X(COMPLEX128) \
    X(FLOAT16) X(BFLOAT16)

/* ---- folds ------------------------------------------------------------------------------------------------------- */
#define FOLD(name, T, expr) FOLD_AS(, name, T, expr)
#define HALVE(T, H, expr)                                                                                               \
    HALVE_BY(T, (int64_t)(H), expr)
#define HALVE_BY(T, H, expr)                                                                                            \
    for (int64_t i = 0; i < (H); i++) {                                                                                 \
        T x = acc[i], y = acc[i + (H)];                                                                                 \
        acc[i] = (T)(expr);                                                                                             \
    }
#ifdef __OPTIMIZE_SIZE__ /* the same halves in a loop */
#define HALVES(T, L, expr)                                                                                              \
    for (int64_t h = L / 2; h > 0; h /= 2) HALVE_BY(T, h, expr)
#else
#define HALVES(T, L, expr)                                                                                              \
    HALVE(T, L / 2, expr) HALVE(T, L / 4, expr) HALVE(T, L / 8, expr) HALVE(T, L / 16, expr) HALVE(T, L / 32, expr)      \
    HALVE(T, L / 64, expr) HALVE(T, L / 128, expr) HALVE(T, L / 256, expr)
#endif
#define FOLD_AS(how, name, T, expr)                                                                                     \
    FOLD_EACH(how, name, T, expr) FOLD_LANES(how, lanes_##name##_##T, name, T, expr) FOLD_JOIN(how, name, T, expr)
#define FOLD_EACH(how, name, T, expr)                                                                                   \
    how static void fold_##name##_##T(int64_t n, void *pacc, const void *pv) {                                              \
        T *acc = pacc;                                                                                                  \
        const T *v = pv;                                                                                                \
        IVDEP for (int64_t i = 0; i < n; i++) {                                                                         \
            T x = acc[i], y = v[i];                                                                                     \
            acc[i] = (T)(expr);                                                                                         \
        }                                                                                                               \
    }
#define FOLD_LANES(how, lanes, name, T, expr)                                                                           \
    how static void lanes(int64_t n, void *pacc, const void *pv) {                                                      \
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
#define FOLD_JOIN(how, name, T, expr)                                                                                   \
    how static void join_##name##_##T(int64_t n, void *pacc, const void *pv) {                                              \
        enum { L = SIMD_LANE_BYTES / sizeof(T) };                                                                       \
        T acc[L];                                                                                                       \
        (void)n, (void)pv;                                                                                              \
        memcpy(acc, pacc, sizeof acc);                                                                                  \
        HALVES(T, L, expr)                                                                                              \
        memcpy(pacc, acc, sizeof(T));                                                                                   \
    }
#define FOLD_ALL(T) /* NaN propagates: a NaN accumulator stays, a NaN value wins */                                     \
    FOLD(max, T, x >= y || x != x ? x : y) FOLD(min, T, x <= y || x != x ? x : y)
#if VM_BYTES == 64
INTS(FOLD_ALL)
/* Floats by the processor's instruction, which drops NaN: from where one is met on, or stands in the accumulators, by
 * comparisons. */
#define EXTREMA(name, bound, T, expr) \
    FOLD_EACH(, name, T, expr) FOLD_LANES(, odd_##name##_##T, name, T, expr) FOLD_JOIN(, name, T, expr) \
    static void lanes_##name##_##T(int64_t n, void *pacc, const void *pv) { \
        enum { EACH = VM_BYTES / sizeof(T), FEW = SIMD_LANE_BYTES / VM_BYTES, L = FEW * EACH, SOME = 128 * L }; \
        const T *v = pv; \
        for (int64_t m; n >= L; n -= m, v += m) { \
            vm_##T acc[FEW], odd[FEW], y; \
            vm_int64 any = {0}; \
            m = n < SOME ? n / L * L : SOME; \
            memcpy(acc, pacc, sizeof acc); \
            memcpy(odd, acc, sizeof odd); \
            for (const T *p = v; p < v + m; p += L) \
                for (int i = 0; i < FEW; i++) { \
                    memcpy(&y, p + i * EACH, sizeof y); \
                    acc[i] = vm_##bound##_##T(acc[i], y); \
                    odd[i] = vm_pick_##T(y == y, odd[i], y); \
                } \
            for (int i = 0; i < FEW; i++) any |= (vm_int64)(odd[i] != odd[i]); \
            int64_t one = 0; \
            for (int i = 0; i < VM_BYTES / 8; i++) one |= any[i]; \
            if (one) break; \
            memcpy(pacc, acc, sizeof acc); \
        } \
        odd_##name##_##T(n, pacc, v); \
    }
#define EXTREMA_OF(T, f) \
    EXTREMA(max, most, T, x >= y || x != x ? x : y) EXTREMA(min, least, T, x <= y || x != x ? x : y)
FLOATS(EXTREMA_OF)
#else
ALL(FOLD_ALL)
#endif
#define FOLD_WORDS(T) FOLD(sum, T, x + y) FOLD(prod, T, x *y)
WORDS(FOLD_WORDS)
FOLD(and, uint8_t, x & y)
FOLD(or, uint8_t, x | y)
#ifndef __OPTIMIZE_SIZE__
#include "simd_down.h"
#define AHEAD(T)                                                                                                        \
    static void ahead_##T(int64_t n, void *pacc, const void *pv) {                                                      \
        enum { L = SIMD_LANE_BYTES / sizeof(T), PAGE = 4096, LINE = 64 };                                               \
        T acc[L];                                                                                                       \
        const T *v = pv;                                                                                                \
        memcpy(acc, pacc, sizeof acc);                                                                                  \
        for (; n >= L; n -= L, v += L) {                                                                                \
            for (int k = 0; k < SIMD_LANE_BYTES; k += LINE) __builtin_prefetch((const char *)v + PAGE + k, 0, 2);       \
            IVDEP for (int64_t i = 0; i < L; i++) acc[i] += v[i];                                                       \
        }                                                                                                               \
        memcpy(pacc, acc, sizeof acc);                                                                                  \
        fold_sum_##T(n, pacc, v);                                                                                       \
    }
AHEAD(uint64_t)
AHEAD(double)
#endif
#define FOLD_Z(T) FOLD(sum, T, ((T){x.re + y.re, x.im + y.im})) FOLD_AS(SCALAR, prod, T, zmul_##T(x, y))
FOLD_Z(ThComplex64)
FOLD_Z(ThComplex128)

/* The first of n elements that equals what stands at `best`, or the first NaN where that is one; n: there is none. */
#define FIRST(T, W)                                                                                                        \
    static int64_t first_##T(int64_t n, const void *best, const void *pv) {                                             \
        enum { SOME = 256 / sizeof(T) };                                                                                \
        const T *v = pv;                                                                                                \
        T w;                                                                                                            \
        int64_t i = 0;                                                                                                  \
        memcpy(&w, best, sizeof w);                                                                                     \
        const bool nan = w != w;                                                                                        \
        for (; !nan && i + SOME <= n; i += SOME) {                                                                      \
            W any = 0;                                                                                                  \
            for (int j = 0; j < SOME; j++) any |= v[i + j] == w;                                                        \
            if (any != 0) break;                                                                                        \
        }                                                                                                               \
        for (; i < n; i++)                                                                                              \
            if (v[i] == w || (nan && v[i] != v[i])) break;                                                              \
        return i;                                                                                                       \
    }                                                                                                                   \
    static void place_##T(int64_t n, void *pbest, int64_t *at, const void *pv, int64_t here, bool max) {                \
        const T *v = pv;                                                                                                \
        T *best = pbest;                                                                                                \
        if (max)                                                                                                        \
            IVDEP for (int64_t i = 0; i < n; i++) {                                                                     \
                const T x = v[i], w = best[i];                                                                          \
                const bool better = x > w || (x != x && w == w);                                                        \
                best[i] = better ? x : w;                                                                               \
                at[i] = better ? here : at[i];                                                                          \
            }                                                                                                           \
        else                                                                                                            \
            IVDEP for (int64_t i = 0; i < n; i++) {                                                                     \
                const T x = v[i], w = best[i];                                                                          \
                const bool better = x < w || (x != x && w == w);                                                        \
                best[i] = better ? x : w;                                                                               \
                at[i] = better ? here : at[i];                                                                          \
            }                                                                                                           \
    }
FIRST(int64_t, int64_t)
FIRST(float, int32_t)
FIRST(double, int64_t)

/* Sums of products, rounded on their way: lanes of what mul and sum do one after the other. */
#define PRODUCTS(T, suffix)                                                                                             \
    static void products_##T(int64_t n, void *pacc, const void *pa, const void *pb) {                                   \
        enum { L = SIMD_LANE_BYTES / sizeof(T) };                                                                       \
        T acc[L], *end = pacc;                                                                                          \
        const T *v = pa, *w = pb;                                                                                       \
        memcpy(acc, pacc, sizeof acc);                                                                                  \
        for (; n >= L; n -= L, v += L, w += L)                                                                          \
            IVDEP for (int64_t i = 0; i < L; i++) acc[i] = acc[i] + v[i] * w[i];                                        \
        memcpy(pacc, acc, sizeof acc);                                                                                  \
        IVDEP for (int64_t i = 0; i < n; i++) end[i] = end[i] + v[i] * w[i];                                            \
    }
FLOATS(PRODUCTS)
#ifndef __OPTIMIZE_SIZE__
/* Sums of squares of what they differ by from a number: lanes of what sub, mul and sum do one after the other. */
#define SPREADS(T, suffix)                                                                                              \
    static void spreads_##T(int64_t n, void *pacc, const void *pv, const void *pc) {                                    \
        enum { L = SIMD_LANE_BYTES / sizeof(T) };                                                                       \
        T acc[L], *end = pacc, c;                                                                                       \
        const T *v = pv;                                                                                                \
        memcpy(acc, pacc, sizeof acc);                                                                                  \
        memcpy(&c, pc, sizeof c);                                                                                       \
        for (; n >= L; n -= L, v += L)                                                                                  \
            IVDEP for (int64_t i = 0; i < L; i++) acc[i] = acc[i] + (v[i] - c) * (v[i] - c);                            \
        memcpy(pacc, acc, sizeof acc);                                                                                  \
        IVDEP for (int64_t i = 0; i < n; i++) end[i] = end[i] + (v[i] - c) * (v[i] - c);                                \
    }
FLOATS(SPREADS)
#endif
#if defined __x86_64__ && !defined __OPTIMIZE_SIZE__
/* Doubles whose results do not go into the caches; n elements, whole vectors, and o at a vector's place. */
#ifdef __clang__
#define PAST(to, v) __builtin_nontemporal_store(v, (vm_double *)(to))
#elif VM_BYTES == 64
#define PAST(to, v) __builtin_ia32_movntpd512(to, v)
#elif VM_BYTES == 32
#define PAST(to, v) __builtin_ia32_movntpd256(to, v)
#else
#define PAST(to, v) __builtin_ia32_movntpd(to, v)
#endif
#define PASTS(name, op)                                                                                                 \
    static void past_##name(int64_t n, void *po, const void *pa, const void *pb, const void *pc) {                      \
        double *o = po;                                                                                                 \
        const double *a = pa, *b = pb;                                                                                  \
        (void)pc;                                                                                                       \
        for (int64_t i = 0; i < n; i += VM_BYTES / 8) {                                                                 \
            vm_double x, y;                                                                                             \
            memcpy(&x, a + i, sizeof x);                                                                                \
            memcpy(&y, b + i, sizeof y);                                                                                \
            x = x op y;                                                                                                 \
            PAST(o + i, x);                                                                                             \
        }                                                                                                               \
        __builtin_ia32_sfence();                                                                                        \
    }
PASTS(add, +) PASTS(sub, -) PASTS(mul, *) PASTS(true_div, /)
#endif
/* Four rows in one pass over the accumulators: the same sums, which are read and written a quarter as often. */
#ifdef __OPTIMIZE_SIZE__
#define BY_FOUR false
#else
#define BY_FOUR true
#endif
#define SCALED(T, suffix)                                                                                               \
    static void scaled_##T(int64_t n, void *pacc, int64_t rows, const char *by, int64_t between, const char *pv,        \
                           int64_t step) {                                                                              \
        enum { EACH = 4 };                                                                                              \
        T *acc = pacc, w[EACH];                                                                                         \
        for (; BY_FOUR && rows >= EACH; rows -= EACH, by += EACH * between, pv += EACH * step) {                        \
            const T *a = (const T *)(const void *)pv, *b = (const T *)(const void *)(pv + step);                        \
            const T *c = (const T *)(const void *)(pv + 2 * step), *d = (const T *)(const void *)(pv + 3 * step);       \
            for (int k = 0; k < EACH; k++) memcpy(&w[k], by + k * between, sizeof *w);                                  \
            IVDEP for (int64_t i = 0; i < n; i++)                                                                       \
                acc[i] = (((acc[i] + w[0] * a[i]) + w[1] * b[i]) + w[2] * c[i]) + w[3] * d[i];                          \
        }                                                                                                               \
        for (; rows > 0; rows--, by += between, pv += step) {                                                           \
            const T *v = (const T *)(const void *)pv;                                                                   \
            memcpy(w, by, sizeof *w);                                                                                   \
            IVDEP for (int64_t i = 0; i < n; i++) acc[i] = acc[i] + w[0] * v[i];                                        \
        }                                                                                                               \
    }
FLOATS(SCALED)
    /* clang-format on */

    /* Lanes of a sum of doubles, fed by floats. */
    static void widened(int64_t n, void *pacc, const void *pv) {
    typedef float Few __attribute__((vector_size(VM_BYTES / 2)));
    enum { L = SIMD_LANE_BYTES / sizeof(double), EACH = VM_BYTES / sizeof(double) };
    vm_double acc[L / EACH];
    const float *v = pv;
    double *end = pacc;
    memcpy(acc, pacc, sizeof acc);
    for (; n >= L; n -= L, v += L)
        for (int i = 0; i < L / EACH; i++) {
            Few x;
            memcpy(&x, v + i * EACH, sizeof x);
            acc[i] += __builtin_convertvector(x, vm_double);
        }
    memcpy(pacc, acc, sizeof acc);
    for (int64_t i = 0; i < n; i++) end[i] += v[i];
}

/* Four rows in one pass over the accumulators, as in scaled. */
static void widened_each(int64_t n, void *pacc, int64_t rows, const char *pv, int64_t step) {
    enum { EACH = 4 };
    double *acc = pacc;
    for (; rows >= EACH; rows -= EACH, pv += EACH * step) {
        const float *a = (const float *)(const void *)pv, *b = (const float *)(const void *)(pv + step);
        const float *c = (const float *)(const void *)(pv + 2 * step),
                    *d = (const float *)(const void *)(pv + 3 * step);
        IVDEP for (int64_t i = 0; i < n; i++) acc[i] = (((acc[i] + a[i]) + b[i]) + c[i]) + d[i];
    }
    for (; rows > 0; rows--, pv += step) {
        const float *v = (const float *)(const void *)pv;
        IVDEP for (int64_t i = 0; i < n; i++) acc[i] += v[i];
    }
}

#include "simd_rows.h"
#include "simd_turn.h"
/* ---- the table --------------------------------------------------------------------------------------------------- */
/* clang-format off */
#define AT_ALL(name) {[TH_BOOL] = name##_uint8_t, [TH_INT8] = name##_int8_t, [TH_INT16] = name##_int16_t, [TH_INT32] = name##_int32_t, \
    [TH_INT64] = name##_int64_t, [TH_UINT8] = name##_uint8_t, [TH_UINT16] = name##_uint16_t, [TH_UINT32] = name##_uint32_t, \
    [TH_UINT64] = name##_uint64_t, [TH_FLOAT32] = name##_float, [TH_FLOAT64] = name##_double}
#define AT_NUM(name) {[TH_INT8] = name##_int8_t, [TH_INT16] = name##_int16_t, [TH_INT32] = name##_int32_t, \
    [TH_INT64] = name##_int64_t, [TH_UINT8] = name##_uint8_t, [TH_UINT16] = name##_uint16_t, [TH_UINT32] = name##_uint32_t, \
    [TH_UINT64] = name##_uint64_t, [TH_FLOAT32] = name##_float, [TH_FLOAT64] = name##_double}
#define AT_BIT(name, boolean) {[TH_BOOL] = boolean, [TH_INT8] = name##_int8_t, [TH_INT16] = name##_int16_t, [TH_INT32] = name##_int32_t, \
    [TH_INT64] = name##_int64_t, [TH_UINT8] = name##_uint8_t, [TH_UINT16] = name##_uint16_t, [TH_UINT32] = name##_uint32_t, [TH_UINT64] = name##_uint64_t}
/* The words of either sign. */
#define TWICE(name) [TH_INT8] = name##_uint8_t, [TH_INT16] = name##_uint16_t, [TH_INT32] = name##_uint32_t, [TH_INT64] = name##_uint64_t, \
    [TH_UINT8] = name##_uint8_t, [TH_UINT16] = name##_uint16_t, [TH_UINT32] = name##_uint32_t, [TH_UINT64] = name##_uint64_t
#define AT_BITS(name, boolean) {[TH_BOOL] = boolean, TWICE(name)}
#define AT_WORDS(name) {TWICE(name), [TH_FLOAT32] = name##_float, [TH_FLOAT64] = name##_double}
#define AT_EVERY(name) {[TH_BOOL] = name##_uint8_t, TWICE(name), [TH_FLOAT32] = name##_float, [TH_FLOAT64] = name##_double}
#define AT_ABS {[TH_BOOL] = copy_uint8_t, [TH_INT8] = abs_int8_t, [TH_INT16] = abs_int16_t, [TH_INT32] = abs_int32_t, \
    [TH_INT64] = abs_int64_t, [TH_UINT8] = copy_uint8_t, [TH_UINT16] = copy_uint16_t, [TH_UINT32] = copy_uint32_t, \
    [TH_UINT64] = copy_uint64_t, [TH_FLOAT32] = abs_float, [TH_FLOAT64] = abs_double}
#define AT_FLOAT(name) {[TH_FLOAT32] = name##_float, [TH_FLOAT64] = name##_double}
#define AT_DOWN(name, T) {[TH_INT64] = name##_##T, [TH_FLOAT32] = name##_float, [TH_FLOAT64] = name##_double}
#define AT_ANY(name) {[TH_BOOL] = name##_uint8_t, TWICE(name), [TH_FLOAT32] = name##_float, [TH_FLOAT64] = name##_double, \
    [TH_COMPLEX64] = name##_ThComplex64, [TH_COMPLEX128] = name##_ThComplex128, \
    [TH_FLOAT16] = name##_uint16_t, [TH_BFLOAT16] = name##_uint16_t}
#define ROW_FROM(first, ...) {(const SimdFn[])__VA_ARGS__, first, sizeof((const SimdFn[])__VA_ARGS__) / sizeof(SimdFn)}
#define ROW(...) ROW_FROM(TH_BOOL, __VA_ARGS__)
#define F(name) [P_##name] = ROW_FROM(TH_FLOAT32, {name##_float, name##_double})
#define Z(name) [P_##name] = ROW_FROM(TH_COMPLEX64, {name##_ThComplex64, name##_ThComplex128})
#define CASTS_FROM(TO) [TH_##TO] = { \
    [TH_BOOL] = cast_##TO##_BOOL, [TH_INT8] = cast_##TO##_INT8, [TH_INT16] = cast_##TO##_INT16, [TH_INT32] = cast_##TO##_INT32, \
    [TH_INT64] = cast_##TO##_INT64, [TH_UINT8] = cast_##TO##_UINT8, [TH_UINT16] = cast_##TO##_UINT16, [TH_UINT32] = cast_##TO##_UINT32, \
    [TH_UINT64] = cast_##TO##_UINT64, [TH_FLOAT32] = cast_##TO##_FLOAT32, [TH_FLOAT64] = cast_##TO##_FLOAT64, \
    [TH_COMPLEX64] = cast_##TO##_COMPLEX64, [TH_COMPLEX128] = cast_##TO##_COMPLEX128, \
    [TH_FLOAT16] = cast_##TO##_FLOAT16, [TH_BFLOAT16] = cast_##TO##_BFLOAT16},

const SimdTable SIMD_TABLE = {
    .isa = SIMD_ISA,
    .prim = {
        [P_add] = ROW(AT_WORDS(add)), [P_sub] = ROW(AT_WORDS(sub)), [P_mul] = ROW(AT_WORDS(mul)), [P_neg] = ROW(AT_WORDS(neg)), F(true_div),
        [P_lt] = ROW(AT_ALL(lt)), [P_le] = ROW(AT_ALL(le)), [P_gt] = ROW(AT_ALL(gt)), [P_ge] = ROW(AT_ALL(ge)), [P_eq] = ROW(AT_EVERY(eq)), [P_neq] = ROW(AT_EVERY(neq)),
        [P_and_] = ROW({[TH_BOOL] = and_bool}), [P_or_] = ROW({[TH_BOOL] = or_bool}), [P_not] = ROW({[TH_BOOL] = not_bool}),
        [P_switch] = ROW(AT_ANY(switch)), [P_copy] = ROW(AT_ANY(copy)),
        [P_abs] = ROW(AT_ABS), [P_div_floor] = ROW(AT_NUM(div_floor)), [P_mod_floor] = ROW(AT_NUM(mod_floor)), [P_pow] = ROW(AT_NUM(pow)),
        [P_bit_and] = ROW(AT_BITS(bit_and, and_bool)), [P_bit_or] = ROW(AT_BITS(bit_or, or_bool)), [P_bit_xor] = ROW(AT_BITS(bit_xor, neq_uint8_t)),
        [P_bit_not] = ROW(AT_BITS(bit_not, not_bool)), [P_bit_shl] = ROW(AT_BITS(bit_shl, NULL)), [P_bit_shr] = ROW(AT_BIT(bit_shr, NULL)),
        F(isinf), F(floor), F(ceil), F(trunc), F(rint), F(round), F(exp), F(exp2), F(expm1), F(log), F(log2), F(log10), F(log1p), F(sqrt),
        F(deg2rad), F(rad2deg), F(sin), F(cos), F(tan), F(asin), F(acos), F(atan), F(atan2), F(sinh), F(cosh), F(tanh), F(asinh), F(acosh),
        F(atanh), F(hypot), F(copysign), F(nextafter), F(fmod), F(cbrt), [P_gcd] = ROW(AT_BIT(gcd, NULL)), [P_lcm] = ROW(AT_BIT(lcm, NULL)),
        F(erf), F(erfc), F(sigmoid), F(softplus),
        Z(c_add), Z(c_sub), Z(c_mul), Z(c_div), Z(c_neg), Z(c_conj), Z(c_abs), Z(c_real), Z(c_imag), Z(c_eq), Z(c_neq),
        F(c_make),
#if TH_SPECIAL
#define PRIM(name, arity, flags, doc) [P_##name] = ROW_FROM(TH_FLOAT32, {special_##name##_f32, special_##name##_f64}),
#define CPRIM(name, arity, flags, doc) [P_##name] = ROW_FROM(TH_COMPLEX64, {special_##name##_ThComplex64, special_##name##_ThComplex128}),
        SPECIAL_PRIMS(PRIM) SPECIAL_CPRIMS(CPRIM)
#undef PRIM
#undef CPRIM
#endif
    },
    .whole = {
        [W_maximum] = AT_ALL(maximum), [W_minimum] = AT_ALL(minimum), [W_fmax] = AT_ALL(whole_fmax), [W_fmin] = AT_ALL(whole_fmin),
        [W_clip] = AT_ALL(clip), [W_sgn] = AT_FLOAT(sgn), [W_heaviside] = AT_FLOAT(heaviside), [W_isfinite] = AT_FLOAT(isfinite),
        [W_signbit] = AT_FLOAT(signbit),
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
    .join = {
        [RED_SUM] = AT_ANY(join_sum), [RED_PROD] = AT_ANY(join_prod), [RED_MAX] = AT_ALL(join_max), [RED_MIN] = AT_ALL(join_min),
        [RED_AND] = {[TH_BOOL] = join_and_uint8_t}, [RED_OR] = {[TH_BOOL] = join_or_uint8_t},
    },
#ifndef __OPTIMIZE_SIZE__
    .ahead = {[TH_INT64] = ahead_uint64_t, [TH_UINT64] = ahead_uint64_t, [TH_FLOAT64] = ahead_double},
    .spreads = AT_FLOAT(spreads),
    .down = {[RED_SUM] = AT_DOWN(down_sum, uint64_t), [RED_MAX] = AT_DOWN(down_max, int64_t), [RED_MIN] = AT_DOWN(down_min, int64_t)},
#ifdef PAST
    .past = {[P_add] = past_add, [P_sub] = past_sub, [P_mul] = past_mul, [P_true_div] = past_true_div},
#endif
#endif
    .products = AT_FLOAT(products),
    .widened = widened, .widened_each = widened_each,
    .scaled = AT_FLOAT(scaled),
    .first = {[TH_INT64] = first_int64_t, [TH_FLOAT32] = first_float, [TH_FLOAT64] = first_double},
    .place = {[TH_INT64] = place_int64_t, [TH_FLOAT32] = place_float, [TH_FLOAT64] = place_double},
    .rows = {ROWS_OF(float), ROWS_OF(double)},
    .turn = {turn_plain_uint8_t, turn_plain_uint16_t, turn_uint32_t, turn_uint64_t, turn_plain_ThComplex128},
    .back = {back_uint32_t, back_uint64_t},
};
/* clang-format on */
