/* micro_sse2.c -- Fourier transforms on the vectors that every x86-64 has, or on those of any other machine. */
#include "fft.h"

#define VBYTES 16

#define T float
#define LANES 4
#define FN(x) x##_f32
#define VFMA(a, b, c) ((a) * (b) + (c))
#define VSET(s) ((V){0} + (s))
#include "micro.h"

#define T double
#define LANES 2
#define FN(x) x##_f64
#define VFMA(a, b, c) ((a) * (b) + (c))
#define VSET(s) ((V){0} + (s))
#include "micro.h"

const FftKernels *const fft_kernels_sse2[2] = {&kernels_f32, &kernels_f64};
