/*
 * sort_avx512.c -- sorts of 32 and 64 bit keys by vectors: a quicksort that writes each half with compressed stores,
 * and bitonic networks for what is left. Built with the instruction set's flags, called only where the processor has
 * it.
 */
#include "sort_simd.h"

#include <immintrin.h>
#include <string.h>

#define WORD uint64_t
#define NAME(x) x##_64
#define LANES 8
#define ALL_LANES(block) LANES8(0, block)
#define MASK __mmask8
#define V(x) V64_##x
#define V64_permutexvar _mm512_permutexvar_epi64
#define V64_min _mm512_min_epu64
#define V64_max _mm512_max_epu64
#define V64_mask_max _mm512_mask_max_epu64
#define V64_mask_blend _mm512_mask_blend_epi64
#define V64_mask_loadu _mm512_mask_loadu_epi64
#define V64_mask_storeu _mm512_mask_storeu_epi64
#define V64_set1(k) _mm512_set1_epi64((long long)(k))
#define V64_cmplt _mm512_cmplt_epu64_mask
#define V64_cmple _mm512_cmple_epu64_mask
#define V64_maskz_compress _mm512_maskz_compress_epi64
#include "sort_avx512_body.h"
#undef WORD
#undef NAME
#undef LANES
#undef ALL_LANES
#undef MASK
#undef V

#define WORD uint32_t
#define NAME(x) x##_32
#define LANES 16
#define ALL_LANES(block) LANES8(0, block), LANES8(8, block)
#define MASK __mmask16
#define V(x) V32_##x
#define V32_permutexvar _mm512_permutexvar_epi32
#define V32_min _mm512_min_epu32
#define V32_max _mm512_max_epu32
#define V32_mask_max _mm512_mask_max_epu32
#define V32_mask_blend _mm512_mask_blend_epi32
#define V32_mask_loadu _mm512_mask_loadu_epi32
#define V32_mask_storeu _mm512_mask_storeu_epi32
#define V32_set1(k) _mm512_set1_epi32((int)(k))
#define V32_cmplt _mm512_cmplt_epu32_mask
#define V32_cmple _mm512_cmple_epu32_mask
#define V32_maskz_compress _mm512_maskz_compress_epi32
#include "sort_avx512_body.h"

void sort_u32_avx512(uint32_t *key, int64_t n, uint32_t *tmp, void (*rest)(uint32_t *, int64_t, uint32_t *)) {
    quick_32(key, n, tmp, rest);
}

void sort_u64_avx512(uint64_t *key, int64_t n, uint64_t *tmp, void (*rest)(uint64_t *, int64_t, uint64_t *)) {
    quick_64(key, n, tmp, rest);
}
