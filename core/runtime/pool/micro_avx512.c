/* micro_avx512.c -- pooling on vectors of 64 bytes. */
#include "parts.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define VBYTES 64

/* the first n lanes, n in 0..16 */
static inline __mmask16 first16(int64_t n) { return (__mmask16)((1u << n) - 1); }

#define T float
#define T_BYTES 4
#define FN(x) x##_f32
#define VLARGER(a, c) _mm512_max_ps(a, c) /* its second operand where they cannot be compared */
#define VWHERE(a, b, v) _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ), v)
#define VPART(p, n) _mm512_maskz_loadu_ps(first16(n), p)
#define VPUT(p, v, n) _mm512_mask_storeu_ps(p, first16(n), v)
#include "micro.h"

#define T double
#define T_BYTES 8
#define FN(x) x##_f64
#define VLARGER(a, c) _mm512_max_pd(a, c)
#define VWHERE(a, b, v) _mm512_maskz_mov_pd(_mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ), v)
#define VPART(p, n) _mm512_maskz_loadu_pd((__mmask8)first16(n), p)
#define VPUT(p, v, n) _mm512_mask_storeu_pd(p, (__mmask8)first16(n), v)
#include "micro.h"

const PoolKernels pool_kernels_avx512[2] = {{pool_f32, back_f32}, {pool_f64, back_f64}};
#else
typedef int pool_no_avx512; /* a translation unit is not empty */
#endif
