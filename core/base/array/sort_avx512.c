/*
 * sort_avx512.c -- sorts of 32 and 64 bit keys by vectors: a quicksort that writes each half with compressed stores,
 * and networks over columns for what is left. Built with the instruction set's flags, called only where the processor
 * has it.
 */
#include "sort_simd.h"

#include <immintrin.h>
#include <string.h>

/*
 * A vector's keys below the pivot go to `low` on, the k of mask m, the others before `high`. Eight lanes are ordered by
 * one permutation, a byte for each lane: those of m first. So both writes are whole vectors.
 */
#define BELOW(m, i) __builtin_popcount((m) & ((1 << (i)) - 1))
#define PLACE(m, i) ((m) >> (i)&1 ? BELOW(m, i) : __builtin_popcount(m) + BELOW(~(m), i))
#define BYTE(m, i) ((uint64_t)(i) << 8 * PLACE(m, i))
#define ORDER1(m) BYTE(m, 1) | BYTE(m, 2) | BYTE(m, 3) | BYTE(m, 4) | BYTE(m, 5) | BYTE(m, 6) | BYTE(m, 7)
#define ORDER4(m) ORDER1(m), ORDER1((m) + 1), ORDER1((m) + 2), ORDER1((m) + 3)
#define ORDER16(m) ORDER4(m), ORDER4((m) + 4), ORDER4((m) + 8), ORDER4((m) + 12)
#define ORDER64(m) ORDER16(m), ORDER16((m) + 16), ORDER16((m) + 32), ORDER16((m) + 48)
static const uint64_t orders[256] = {ORDER64(0), ORDER64(64), ORDER64(128), ORDER64(192)};

static inline void part_64(__m512i v, __mmask8 m, int k, uint64_t *low, uint64_t *high) {
    (void)k;
    v = _mm512_permutexvar_epi64(_mm512_cvtepu8_epi64(_mm_loadl_epi64((const void *)&orders[m])), v);
    _mm512_storeu_si512(low, v);
    _mm512_storeu_si512(high - 8, v);
}

static inline void part_32(__m512i v, __mmask16 m, int k, uint32_t *low, uint32_t *high) {
    _mm512_storeu_si512(low, _mm512_maskz_compress_epi32(m, v));
    _mm512_mask_storeu_epi32(high - 16 + k, (__mmask16)(0xFFFFu >> k), _mm512_maskz_compress_epi32((__mmask16)~m, v));
}

#define WORD uint64_t
#define NAME(x) x##_64
#define LANES 8
#define ALL_LANES(block) LANES8(0, block)
#define ALL_FROM(first) EVERY8(first)
#define MASK __mmask8
#define V(x) V64_##x
#define V64_permutexvar _mm512_permutexvar_epi64
#define V64_min _mm512_min_epu64
#define V64_mask_ternarylogic _mm512_mask_ternarylogic_epi64
#define V64_permutex2var _mm512_permutex2var_epi64
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
#undef ALL_FROM
#undef MASK
#undef V

#define WORD uint32_t
#define NAME(x) x##_32
#define LANES 16
#define ALL_LANES(block) LANES8(0, block), LANES8(8, block)
#define ALL_FROM(first) EVERY8(first), EVERY8(first + 16)
#define MASK __mmask16
#define V(x) V32_##x
#define V32_permutexvar _mm512_permutexvar_epi32
#define V32_min _mm512_min_epu32
#define V32_mask_ternarylogic _mm512_mask_ternarylogic_epi32
#define V32_permutex2var _mm512_permutex2var_epi32
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

void sort_select_u32_avx512(uint32_t *key, int64_t n, int64_t at, uint32_t *tmp,
                            void (*rest)(uint32_t *, int64_t, uint32_t *)) {
    pick_32(key, n, at, tmp, rest);
}

void sort_select_u64_avx512(uint64_t *key, int64_t n, int64_t at, uint64_t *tmp,
                            void (*rest)(uint64_t *, int64_t, uint64_t *)) {
    pick_64(key, n, at, tmp, rest);
}

/* ---- keys of values ---------------------------------------------------------------------------------------------- */
/* TOP is the sign bit; keys of floats are turned around where it is set, and NaN is the largest key. In C: the compiler
 * makes vectors of these loops. */
#define CONVERT(word, signed_word, bits, infinity, nan) \
    static void float_keys_##bits(word *to, const word *from, int64_t n) { \
        const word top = (word)1 << (bits - 1); \
        for (int64_t i = 0; i < n; i++) { \
            word w = from[i], k = w ^ ((word)((signed_word)w >> (bits - 1)) | top); \
            to[i] = (w & ~top) > (word)(infinity) ? (word)-1 : k; \
        } \
    } \
    static void float_values_##bits(word *to, const word *from, int64_t n) { \
        const word top = (word)1 << (bits - 1); \
        for (int64_t i = 0; i < n; i++) { \
            word w = from[i], v = w ^ ((word) ~((signed_word)w >> (bits - 1)) | top); \
            to[i] = w == (word)-1 ? (word)(nan) : v; \
        } \
    } \
    static void int_keys_##bits(word *to, const word *from, int64_t n) { \
        for (int64_t i = 0; i < n; i++) to[i] = from[i] ^ (word)1 << (bits - 1); \
    }
CONVERT(uint32_t, int32_t, 32, 0x7f800000u, 0x7fc00000u)
CONVERT(uint64_t, int64_t, 64, 0x7ff0000000000000u, 0x7ff8000000000000u)

bool sort_convert_avx512(void *to, const void *from, int64_t n, ThDtype d, bool back) {
    if (d == TH_INT32) int_keys_32(to, from, n);
    else if (d == TH_INT64) int_keys_64(to, from, n);
    else if (d == TH_FLOAT32 && back) float_values_32(to, from, n);
    else if (d == TH_FLOAT32) float_keys_32(to, from, n);
    else if (d == TH_FLOAT64 && back) float_values_64(to, from, n);
    else if (d == TH_FLOAT64) float_keys_64(to, from, n);
    else return false;
    return true;
}
