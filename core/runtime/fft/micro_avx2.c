/* micro_avx2.c -- Fourier transforms for AVX2 with FMA. */
#include "fft.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define VBYTES 32

#define T float
#define LANES 8
#define FN(x) x##_f32
#define VFMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#define VSET(s) _mm256_set1_ps(s)
#include "micro.h"

#define T double
#define LANES 4
#define FN(x) x##_f64
#define VFMA(a, b, c) _mm256_fmadd_pd(a, b, c)
#define VSET(s) _mm256_set1_pd(s)
#include "micro.h"

const FftKernels *const fft_kernels_avx2[2] = {&kernels_f32, &kernels_f64};
#else
typedef int fft_no_avx2; /* a translation unit is not empty */
#endif
