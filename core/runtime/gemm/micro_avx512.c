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

/* d[j][i] = s[i][j] for sixteen rows i and j < n <= 16. Rows are read whole: planes of images often lie a power of two
 * apart, where sixteen lines do not stay in the cache together. */
static inline void turn_sixteen(float *d, int64_t ds, const float *s, int64_t ss, int64_t n) {
    __m512 r[16], a[16];
    __m512d b[16];
    for (int i = 0; i < 16; i++) r[i] = _mm512_maskz_loadu_ps(first16(n), s + i * ss);
    for (int i = 0; i < 16; i += 2)
        a[i] = _mm512_unpacklo_ps(r[i], r[i + 1]), a[i + 1] = _mm512_unpackhi_ps(r[i], r[i + 1]);
    for (int i = 0; i < 16; i += 4)
        for (int h = 0; h < 2; h++) {
            __m512d x = _mm512_castps_pd(a[i + h]), y = _mm512_castps_pd(a[i + h + 2]);
            b[i + 2 * h] = _mm512_unpacklo_pd(x, y), b[i + 2 * h + 1] = _mm512_unpackhi_pd(x, y);
        }
    for (int c = 0; c < 4; c++) { /* columns c, c + 4, .. of four rows in each: quarters change places */
        __m512d even = _mm512_shuffle_f64x2(b[c], b[c + 4], 0x88), odd = _mm512_shuffle_f64x2(b[c], b[c + 4], 0xdd);
        __m512d low = _mm512_shuffle_f64x2(b[c + 8], b[c + 12], 0x88);
        __m512d high = _mm512_shuffle_f64x2(b[c + 8], b[c + 12], 0xdd);
        if (c < n) _mm512_storeu_pd(d + c * ds, _mm512_shuffle_f64x2(even, low, 0x88));
        if (c + 4 < n) _mm512_storeu_pd(d + (c + 4) * ds, _mm512_shuffle_f64x2(odd, high, 0x88));
        if (c + 8 < n) _mm512_storeu_pd(d + (c + 8) * ds, _mm512_shuffle_f64x2(even, low, 0xdd));
        if (c + 12 < n) _mm512_storeu_pd(d + (c + 12) * ds, _mm512_shuffle_f64x2(odd, high, 0xdd));
    }
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
#define TURN_SQUARE turn_sixteen
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
