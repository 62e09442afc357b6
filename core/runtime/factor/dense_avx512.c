/* dense_avx512.c -- kernels on small dense matrices for AVX-512. */
#include "dense.h"

#include <float.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>

#define VBYTES 64
#define FUSED 1

#define NUM 0
#define V_FMA(a, b, c) (V) _mm512_fmadd_ps(a, b, c)
#define V_SQRT(a) (V) _mm512_sqrt_ps(a)
#define V_MASK __mmask16
#define V_LESS(a, b) _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ)
#define V_SAME(a, b) _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ)
#define V_PICK(m, yes, no) (V) _mm512_mask_blend_ps(m, no, yes)
#include "number.h"
#include "dense_body.h"
#include "number_end.h"
#undef V_FMA
#undef V_SQRT
#undef V_MASK
#undef V_LESS
#undef V_SAME
#undef V_PICK

#define NUM 1
#define V_FMA(a, b, c) (V) _mm512_fmadd_pd(a, b, c)
#define V_SQRT(a) (V) _mm512_sqrt_pd(a)
#define V_MASK __mmask8
#define V_LESS(a, b) _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ)
#define V_SAME(a, b) _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ)
#define V_PICK(m, yes, no) (V) _mm512_mask_blend_pd(m, no, yes)
#include "number.h"
#include "dense_body.h"
#include "number_end.h"
#undef V_FMA
#undef V_SQRT
#undef V_MASK
#undef V_LESS
#undef V_SAME
#undef V_PICK

#define NUM 2
#include "number.h"
#include "dense_body.h"
#include "number_end.h"

#define NUM 3
#include "number.h"
#include "dense_body.h"
#include "number_end.h"

const DenseKernels *const dense_avx512[4] = {&kernels_f32, &kernels_f64, &kernels_c64, &kernels_c128};
#else
typedef int dense_no_avx512; /* a translation unit is not empty */
#endif
