/* micro_avx512.c -- Fourier transforms for AVX-512. */
#include "fft.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define VBYTES 64

#define T float
#define LANES 16
#define FN(x) x##_f32
#define VFMA(a, b, c) _mm512_fmadd_ps(a, b, c)
#define VSET(s) _mm512_set1_ps(s)
#include "micro.h"

#define T double
#define LANES 8
#define FN(x) x##_f64
#define VFMA(a, b, c) _mm512_fmadd_pd(a, b, c)
#define VSET(s) _mm512_set1_pd(s)
#include "micro.h"

const FftKernels *const fft_kernels_avx512[2] = {&kernels_f32, &kernels_f64};
#else
typedef int fft_no_avx512; /* a translation unit is not empty */
#endif
