/*
 * number.h -- the numbers that a body is compiled for: T, its real part R, and what is done with them. In: NUM, 0 .. 3
 * as FACTOR_F32 ..; FUSED where the instruction set multiplies and adds at once. A body undefines nothing: number_end.h
 * does.
 */
#if NUM == 0
#define T float
#define R float
#define FN(x) x##_f32
#elif NUM == 1
#define T double
#define R double
#define FN(x) x##_f64
#elif NUM == 2
#define R float
#define FN(x) x##_c64
#else
#define R double
#define FN(x) x##_c128
#endif
#if NUM >= 2 && defined(__CUDACC__)
#define T FN(Pair)
#elif NUM == 2
#define T float _Complex
#elif NUM == 3
#define T double _Complex
#endif

/* Asked in loops around quadratic work: is it to end? */
#ifdef NUMBER_ALONE
#define STOPPED(job) false
#define JOB const void
#else
#define STOPPED(job) factor_stopped(job)
#define JOB const FactorJob
#endif

#if NUM % 2 == 0
#define R_SQRT(x) __builtin_sqrtf(x)
#define R_ABS(x) __builtin_fabsf(x)
#define R_HYPOT(x, y) __builtin_hypotf(x, y)
#define R_EPS FLT_EPSILON
#define R_MIN FLT_MIN
#define R_MAX FLT_MAX
#define R_FMA(a, b, c) __builtin_fmaf(a, b, c)
#else
#define R_SQRT(x) __builtin_sqrt(x)
#define R_ABS(x) __builtin_fabs(x)
#define R_HYPOT(x, y) __builtin_hypot(x, y)
#define R_EPS DBL_EPSILON
#define R_MIN DBL_MIN
#define R_MAX DBL_MAX
#define R_FMA(a, b, c) __builtin_fma(a, b, c)
#endif

#if NUM < 2
#define COMPLEX 0
#define RE(x) (x)
#define IM(x) ((R)0)
#define CONJ(x) (x)
#define MUL(a, b) ((a) * (b))
#define SCALE(a, r) ((a) * (r))
#define SIZE2(x) ((x) * (x))
#define SIZE1(x) R_ABS(x)
#define MODULUS(x) R_ABS(x)
#define QUOTIENT(a, b) ((a) / (b))
#ifdef FUSED
#define MUL_ADD(a, b, c) R_FMA(a, b, c)
#else
#define MUL_ADD(a, b, c) ((a) * (b) + (c))
#endif
#else
#define COMPLEX 1
#ifdef __CUDACC__ /* C++, whose complex numbers need a header */
#define RE(x) ((x).re)
#define IM(x) ((x).im)
#define GPU __device__ __forceinline__
struct T {
    R re, im;
    GPU T(R x = 0, R y = 0) : re(x), im(y) {}
    GPU T operator-() const { return T(-re, -im); }
    GPU void operator+=(const T &x) { re += x.re, im += x.im; }
    GPU void operator-=(const T &x) { re -= x.re, im -= x.im; }
};
GPU T operator+(const T &x, const T &y) { return T(x.re + y.re, x.im + y.im); }
GPU T operator-(const T &x, const T &y) { return T(x.re - y.re, x.im - y.im); }
GPU bool operator==(const T &x, const T &y) { return x.re == y.re && x.im == y.im; }
GPU bool operator!=(const T &x, const T &y) { return !(x == y); }
#undef GPU
#else
#define RE(x) (__real__(x))
#define IM(x) (__imag__(x))
#endif
#define CONJ(x) FN(number_pair)(RE(x), -IM(x))
#define MUL(a, b) FN(number_mul)(a, b)
#define SCALE(a, r) FN(number_pair)(RE(a) * (r), IM(a) * (r))
#define SIZE2(x) (RE(x) * RE(x) + IM(x) * IM(x))
#define SIZE1(x) (R_ABS(RE(x)) + R_ABS(IM(x)))
#define MODULUS(x) R_HYPOT(RE(x), IM(x))
#define QUOTIENT(a, b) FN(number_div)(a, b)
#define MUL_ADD(a, b, c) (MUL(a, b) + (c))

static inline T FN(number_pair)(R re, R im) {
#ifdef __CUDACC__
    return T(re, im);
#else
    T z;
    __real__ z = re, __imag__ z = im;
    return z;
#endif
}
/* Without C's search for infinities among NaNs. */
static inline T FN(number_mul)(T a, T b) {
    return FN(number_pair)(RE(a) * RE(b) - IM(a) * IM(b), RE(a) * IM(b) + IM(a) * RE(b));
}
/* Scaled by the larger part of b (Smith 1962). */
static inline T FN(number_div)(T a, T b) {
    R r, d;
    if (R_ABS(RE(b)) >= R_ABS(IM(b))) {
        r = IM(b) / RE(b), d = RE(b) + r * IM(b);
        return FN(number_pair)((RE(a) + IM(a) * r) / d, (IM(a) - RE(a) * r) / d);
    }
    r = RE(b) / IM(b), d = RE(b) * r + IM(b);
    return FN(number_pair)((RE(a) * r + IM(a)) / d, (IM(a) * r - RE(a)) / d);
}
#endif
