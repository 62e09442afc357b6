/* micro_avx512.c -- the GEMM kernels for AVX-512 (F, DQ, BW, VL): 6 x 4 vectors of 64 bytes, 12 x 2 in narrow
 * panels. */
#include "runtime/machine/gemm_kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define ISA "avx512"
#define VBYTES 64
#define NV 4

/* the first n lanes, n in 0..16 */
static inline __mmask16 first16(int64_t n) { return (__mmask16)((1u << n) - 1); }

/* Two neighbours of each of four rows. Loads put them together: shuffles are what is scarce. */
static inline __m512d four_pairs(const double *s, int64_t step) {
    __m512d v = _mm512_broadcast_f64x2(_mm_loadu_pd(s));
    v = _mm512_mask_broadcast_f64x2(v, 0x0c, _mm_loadu_pd(s + step));
    v = _mm512_mask_broadcast_f64x2(v, 0x30, _mm_loadu_pd(s + 2 * step));
    return _mm512_mask_broadcast_f64x2(v, 0xc0, _mm_loadu_pd(s + 3 * step));
}

/* d[0][i] = s[i][0], d[1][i] = s[i][1] for eight rows i */
static inline void turn_eight(double *d, int64_t ds, const double *s, int64_t ss) {
    __m512d even = four_pairs(s, 2 * ss), odd = four_pairs(s + ss, 2 * ss);
    _mm512_storeu_pd(d, _mm512_unpacklo_pd(even, odd));
    _mm512_storeu_pd(d + ds, _mm512_unpackhi_pd(even, odd));
}

#define T float
#define T_BYTES 4
#define FN(x) x##_f32
#define VFMA(a, b, c) _mm512_fmadd_ps(a, b, c)
#define QFMA(a, b, c) _mm_fmadd_ps(a, b, c)
#define SFMA(a, b, c) __builtin_fmaf(a, b, c)
#define VPART(p, n) _mm512_maskz_loadu_ps(first16(n), p)
#define VPUT(p, v, n) _mm512_mask_storeu_ps(p, first16(n), v)
#define VEDGE VPART
#define VSET(s) _mm512_set1_ps(s)
#define VPICK(v, i) _mm512_permutexvar_ps(i, v)
#define VLINE __m512i
#include "micro.h"

#define T double
#define T_BYTES 8
#define FN(x) x##_f64
#define VFMA(a, b, c) _mm512_fmadd_pd(a, b, c)
#define QFMA(a, b, c) _mm_fmadd_pd(a, b, c)
#define SFMA(a, b, c) __builtin_fma(a, b, c)
#define VPART(p, n) _mm512_maskz_loadu_pd((__mmask8)first16(n), p)
#define VPUT(p, v, n) _mm512_mask_storeu_pd(p, (__mmask8)first16(n), v)
#define VEDGE VPART
#define VSET(s) _mm512_set1_pd(s)
#define TURN_EIGHT(d, ds, s, ss) turn_eight(d, ds, s, ss);
#define VPICK(v, i) _mm512_permutexvar_pd(i, v)
#define VLINE __m512i
#include "micro.h"

const GemmKernels *const gemm_kernels_avx512[2] = {&kernels_f32, &kernels_f64};
#else
typedef int gemm_no_avx512; /* a translation unit is not empty */
#endif
