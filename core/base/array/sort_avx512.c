/*
 * sort_avx512.c -- sorts of 32 and 64 bit keys by vectors: a quicksort that writes each half with compressed stores,
 * and networks over columns for what is left. Built with the instruction set's flags, called only where the processor
 * has it.
 */
#include "sort_lanes.h"

/* Lane i is lane i ^ block; lanes that have `bit` are the upper ones. */
#define LANE(i, block) (i) ^ (block)
#define LANES8(i, block) \
    LANE(i, block), LANE(i + 1, block), LANE(i + 2, block), LANE(i + 3, block), LANE(i + 4, block), \
        LANE(i + 5, block), LANE(i + 6, block), LANE(i + 7, block)
#define UPPER(bit) ((bit) == 1 ? 0xAAAA : (bit) == 2 ? 0xCCCC : (bit) == 4 ? 0xF0F0 : 0xFF00)
/* Every second lane of two vectors, from the first or from the second on. */
#define EVERY8(i) i, (i) + 2, (i) + 4, (i) + 6, (i) + 8, (i) + 10, (i) + 12, (i) + 14

#define MIRROR64(block) [block] = {LANES8(0, block)}
static const uint64_t mirrors_64[8][8]
    __attribute__((aligned(64))) = {MIRROR64(1), MIRROR64(2), MIRROR64(3), MIRROR64(4), MIRROR64(7)};
static const uint64_t every_64[2][8] __attribute__((aligned(64))) = {{EVERY8(0)}, {EVERY8(1)}};
#define MIRROR32(block) [block] = {LANES8(0, block), LANES8(8, block)}
static const uint32_t mirrors_32[16][16] __attribute__((aligned(64))) = {
    MIRROR32(1), MIRROR32(2), MIRROR32(3), MIRROR32(4), MIRROR32(7), MIRROR32(8), MIRROR32(15)};
static const uint32_t every_32[2][16] __attribute__((aligned(64))) = {{EVERY8(0), EVERY8(16)}, {EVERY8(1), EVERY8(17)}};

#define INLINE static inline __attribute__((always_inline))
INLINE void part_64(__m512i v, __mmask8 m, int k, uint64_t *low, uint64_t *high) {
    (void)k;
    v = _mm512_permutexvar_epi64(_mm512_cvtepu8_epi64(_mm_loadl_epi64((const void *)&orders[m])), v);
    _mm512_storeu_si512(low, v);
    _mm512_storeu_si512(high - 8, v);
}

INLINE void part_32(__m512i v, __mmask16 m, int k, uint32_t *low, uint32_t *high) {
    _mm512_storeu_si512(low, _mm512_maskz_compress_epi32(m, v));
    _mm512_mask_storeu_epi32(high - 16 + k, (__mmask16)(0xFFFFu >> k), _mm512_maskz_compress_epi32((__mmask16)~m, v));
}

/* a ^ b ^ least: the larger of two keys from both and the smaller, on another port than a maximum. */
#define OPERATIONS(bits, word, lanes, mask, set1_type) \
    INLINE mask first_##bits(int64_t left) { /* the first `left` lanes, none or all */ \
        return left >= (lanes) ? (mask)-1 : left <= 0 ? (mask)0 : (mask)((1u << left) - 1); \
    } \
    INLINE __m512i load_##bits(const word *from, int64_t left) { \
        return _mm512_mask_loadu_epi##bits(_mm512_set1_epi64(-1), first_##bits(left), from); \
    } \
    INLINE void store_##bits(word *to, int64_t left, __m512i v) { \
        _mm512_mask_storeu_epi##bits(to, first_##bits(left), v); \
    } \
    INLINE __m512i loadu_##bits(const word *from) { return _mm512_loadu_si512(from); } \
    INLINE __m512i set1_##bits(word k) { return _mm512_set1_epi##bits((set1_type)k); } \
    INLINE __m512i least_##bits(__m512i a, __m512i b) { return _mm512_min_epu##bits(a, b); } \
    INLINE __m512i rest_##bits(__m512i a, __m512i b, __m512i least) { \
        return _mm512_ternarylogic_epi64(a, b, least, 0x96); \
    } \
    INLINE __m512i exchange_##bits(__m512i a, __m512i b, int bit, bool up) { \
        return _mm512_mask_ternarylogic_epi##bits(least_##bits(a, b), (mask)(up ? UPPER(bit) : ~UPPER(bit)), a, b, \
                                                  0x96); \
    } \
    INLINE __m512i turn_##bits(__m512i v, int block) { \
        return _mm512_permutexvar_epi##bits(_mm512_load_si512(mirrors_##bits[block]), v); \
    } \
    INLINE __m512i even_##bits(__m512i a, __m512i b) { \
        return _mm512_permutex2var_epi##bits(a, _mm512_load_si512(every_##bits[0]), b); \
    } \
    INLINE __m512i odd_##bits(__m512i a, __m512i b) { \
        return _mm512_permutex2var_epi##bits(a, _mm512_load_si512(every_##bits[1]), b); \
    } \
    INLINE mask below_##bits(__m512i v, __m512i p, bool equal) { \
        return equal ? _mm512_cmple_epu##bits##_mask(v, p) : _mm512_cmplt_epu##bits##_mask(v, p); \
    } \
    INLINE int64_t deal_rest_##bits(const word *from, int64_t n, word *to, int64_t low, int64_t high, word pivot, \
                                    bool equal) { \
        const __m512i p = set1_##bits(pivot); \
        for (int64_t i = 0; i < n; i += (lanes)) { \
            const mask in = first_##bits(n - i); \
            const __m512i v = _mm512_mask_loadu_epi##bits(p, in, from + i); \
            const mask m = in & below_##bits(v, p, equal), rest = in & (mask)~m; \
            const int64_t k = __builtin_popcount(m), above = __builtin_popcount(rest); \
            store_##bits(to + low, k, _mm512_maskz_compress_epi##bits(m, v)); \
            low += k; \
            high -= above; \
            store_##bits(to + high, above, _mm512_maskz_compress_epi##bits(rest, v)); \
        } \
        return low; \
    }
OPERATIONS(64, uint64_t, 8, __mmask8, long long)
OPERATIONS(32, uint32_t, 16, __mmask16, int)

#define VECTOR __m512i
#define ROWS 16
#define WORD uint64_t
#define NAME(x) x##_64
#define V(x) x##_64
#define LANES 8
#define MASK __mmask8
#include "sort_vector_body.h"
#undef WORD
#undef NAME
#undef V
#undef LANES
#undef MASK

#define WORD uint32_t
#define NAME(x) x##_32
#define V(x) x##_32
#define LANES 16
#define MASK __mmask16
#include "sort_vector_body.h"

SORT_FUNCTIONS(avx512)
