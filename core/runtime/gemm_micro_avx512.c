/* gemm_micro_avx512.c -- the GEMM kernels for AVX-512 (F, DQ, BW, VL): 6 x 4 vectors of 64 bytes, 12 x 2 in narrow
 * panels. */
#include "gemm_kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define ISA "avx512"
#define VBYTES 64
#define NV 4

/* the first n lanes, n in 0..16 */
static inline __mmask16 first16(int64_t n) { return (__mmask16)((1u << n) - 1); }

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
#include "gemm_micro.h"

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
#define VPICK(v, i) _mm512_permutexvar_pd(i, v)
#define VLINE __m512i
#include "gemm_micro.h"

const GemmKernels *const gemm_kernels_avx512[2] = {&kernels_f32, &kernels_f64};
#else
typedef int gemm_no_avx512; /* a translation unit is not empty */
#endif
