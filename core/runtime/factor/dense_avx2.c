/* dense_avx2.c -- kernels on small dense matrices for AVX2 with FMA. */
#include "dense.h"

#include <float.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>

#define VBYTES 32
#define FUSED 1

#define NUM 0
#define V_FMA(a, b, c) (V) _mm256_fmadd_ps(a, b, c)
#define V_SQRT(a) (V) _mm256_sqrt_ps(a)
#include "number.h"
#include "dense_body.h"
#include "number_end.h"
#undef V_FMA
#undef V_SQRT

#define NUM 1
#define V_FMA(a, b, c) (V) _mm256_fmadd_pd(a, b, c)
#define V_SQRT(a) (V) _mm256_sqrt_pd(a)
#include "number.h"
#include "dense_body.h"
#include "number_end.h"
#undef V_FMA
#undef V_SQRT

#define NUM 2
#include "number.h"
#include "dense_body.h"
#include "number_end.h"

#define NUM 3
#include "number.h"
#include "dense_body.h"
#include "number_end.h"

const DenseKernels *const dense_avx2[4] = {&kernels_f32, &kernels_f64, &kernels_c64, &kernels_c128};
#else
typedef int dense_no_avx2; /* a translation unit is not empty */
#endif
