/* micro_avx2.c -- pooling on vectors of 32 bytes. */
#include "parts.h"

#if defined(__x86_64__)
#include "runtime/machine/masks_avx2.h"

#define VBYTES 32

#define T float
#define T_BYTES 4
#define FN(x) x##_f32
#define VLARGER(a, c) _mm256_max_ps(a, c) /* its second operand where they cannot be compared */
#define VWHERE(a, b, v) _mm256_and_ps(_mm256_cmp_ps(a, b, _CMP_EQ_OQ), v)
#define VPART(p, n) _mm256_maskload_ps(p, first8(n))
#define VPUT(p, v, n) _mm256_maskstore_ps(p, first8(n), v)
#include "micro.h"

#define T double
#define T_BYTES 8
#define FN(x) x##_f64
#define VLARGER(a, c) _mm256_max_pd(a, c)
#define VWHERE(a, b, v) _mm256_and_pd(_mm256_cmp_pd(a, b, _CMP_EQ_OQ), v)
#define VPART(p, n) _mm256_maskload_pd(p, first4(n))
#define VPUT(p, v, n) _mm256_maskstore_pd(p, first4(n), v)
#include "micro.h"

const PoolKernels pool_kernels_avx2[2] = {{pool_f32, back_f32}, {pool_f64, back_f64}};
#else
typedef int pool_no_avx2; /* a translation unit is not empty */
#endif
