/* micro_avx2.c -- the GEMM kernels for AVX2 with FMA: 6 x 2 vectors of 32 bytes, since there are 16 registers. */
#include "runtime/machine/gemm_kernels.h"

#if defined(__x86_64__)
#include "runtime/machine/masks_avx2.h"

#define ISA "avx2"
#define VBYTES 32
#define NV 2

#define T float
#define T_BYTES 4
#define FN(x) x##_f32
#define VFMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#define QFMA(a, b, c) _mm_fmadd_ps(a, b, c)
#define SFMA(a, b, c) __builtin_fmaf(a, b, c)
#define VPART(p, n) _mm256_maskload_ps(p, first8(n))
#define VPUT(p, v, n) _mm256_maskstore_ps(p, first8(n), v)
#define VSET(s) _mm256_set1_ps(s)
#include "micro.h"

#define T double
#define T_BYTES 8
#define FN(x) x##_f64
#define VFMA(a, b, c) _mm256_fmadd_pd(a, b, c)
#define QFMA(a, b, c) _mm_fmadd_pd(a, b, c)
#define SFMA(a, b, c) __builtin_fma(a, b, c)
#define VPART(p, n) _mm256_maskload_pd(p, first4(n))
#define VPUT(p, v, n) _mm256_maskstore_pd(p, first4(n), v)
#define VSET(s) _mm256_set1_pd(s)
#include "micro.h"

const GemmKernels *const gemm_kernels_avx2[2] = {&kernels_f32, &kernels_f64};
#else
typedef int gemm_no_avx2; /* a translation unit is not empty */
#endif
