/*
 * sort_avx2.c -- sorts of 32 and 64 bit keys by vectors of 32 bytes: a quicksort that orders the lanes of each vector
 * by a table, and networks over columns for what is left. Comparisons are those of numbers with a sign, so keys of 64
 * bits have theirs turned in registers. Built with the instruction set's flags, called only where the processor has it.
 */
#include "sort_lanes.h"

#define INLINE static inline __attribute__((always_inline))
#define TOP64 _mm256_set1_epi64x(INT64_MIN)
#define TOP32 _mm256_set1_epi32(INT32_MIN)

/* Lanes that have a bit, as a mask of vectors; the first lanes, from the eighth word on backwards. */
static const int32_t upper[5][8] __attribute__((aligned(32))) = {
    [1] = {0, -1, 0, -1, 0, -1, 0, -1}, [2] = {0, 0, -1, -1, 0, 0, -1, -1}, [4] = {0, 0, 0, 0, -1, -1, -1, -1}};
static const int32_t there[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
INLINE __m256i first(int64_t left, int64_t lanes, int words) { /* of so many 32 bit words a lane */
    const int64_t n = left >= lanes ? lanes : left <= 0 ? 0 : left;
    return _mm256_loadu_si256((const void *)(there + 8 - n * words));
}
INLINE __m256i upper_lanes(int word_bit) { return _mm256_load_si256((const void *)upper[word_bit]); }
INLINE __m256i order_of(unsigned m) { return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)&orders[m])); }

/* Where `take` is set (of a lane all bits) b, else a. */
INLINE __m256i chosen(__m256i a, __m256i b, __m256i take) { return _mm256_blendv_epi8(a, b, take); }

/* ---- 64 bits: with their sign turned while they are in registers of the network ---------------------------------- */
INLINE __m256i loadu_64(const uint64_t *from) { return _mm256_loadu_si256((const void *)from); }
INLINE __m256i set1_64(uint64_t k) { return _mm256_set1_epi64x((long long)k); }
INLINE __m256i load_64(const uint64_t *from, int64_t left) {
    const __m256i in = first(left, 4, 2);
    const __m256i v = _mm256_maskload_epi64((const void *)from, in);
    return chosen(_mm256_set1_epi64x(INT64_MAX), _mm256_xor_si256(v, TOP64), in);
}
INLINE void store_64(uint64_t *to, int64_t left, __m256i v) {
    _mm256_maskstore_epi64((void *)to, first(left, 4, 2), _mm256_xor_si256(v, TOP64));
}
INLINE __m256i least_64(__m256i a, __m256i b) { return chosen(a, b, _mm256_cmpgt_epi64(a, b)); }
INLINE __m256i rest_64(__m256i a, __m256i b, __m256i least) { return _mm256_xor_si256(_mm256_xor_si256(a, b), least); }
INLINE __m256i exchange_64(__m256i a, __m256i b, int bit, bool up) {
    const __m256i more = _mm256_cmpgt_epi64(a, b), turned = _mm256_xor_si256(more, upper_lanes(2 * bit));
    return up ? chosen(a, b, turned) : chosen(b, a, turned);
}
INLINE __m256i turn_64(__m256i v, int block) {
    return block == 1   ? _mm256_permute4x64_epi64(v, 0xB1)
           : block == 2 ? _mm256_permute4x64_epi64(v, 0x4E)
                        : _mm256_permute4x64_epi64(v, 0x1B);
}
INLINE __m256i even_64(__m256i a, __m256i b) { return _mm256_permute4x64_epi64(_mm256_unpacklo_epi64(a, b), 0xD8); }
INLINE __m256i odd_64(__m256i a, __m256i b) { return _mm256_permute4x64_epi64(_mm256_unpackhi_epi64(a, b), 0xD8); }
INLINE unsigned below_64(__m256i v, __m256i p, bool equal) {
    v = _mm256_xor_si256(v, TOP64), p = _mm256_xor_si256(p, TOP64);
    const __m256i m = equal ? _mm256_cmpgt_epi64(v, p) : _mm256_cmpgt_epi64(p, v);
    return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(m)) ^ (equal ? 15 : 0);
}
/* Four lanes of two words: the order of eight words whose mask has each bit twice. */
static const uint8_t twice[16] = {0x00, 0x03, 0x0C, 0x0F, 0x30, 0x33, 0x3C, 0x3F,
                                  0xC0, 0xC3, 0xCC, 0xCF, 0xF0, 0xF3, 0xFC, 0xFF};
INLINE void part_64(__m256i v, unsigned m, int k, uint64_t *low, uint64_t *high) {
    (void)k;
    v = _mm256_permutevar8x32_epi32(v, order_of(twice[m]));
    _mm256_storeu_si256((void *)low, v);
    _mm256_storeu_si256((void *)(high - 4), v);
}

/* ---- 32 bits ----------------------------------------------------------------------------------------------------- */
INLINE __m256i loadu_32(const uint32_t *from) { return _mm256_loadu_si256((const void *)from); }
INLINE __m256i set1_32(uint32_t k) { return _mm256_set1_epi32((int)k); }
INLINE __m256i load_32(const uint32_t *from, int64_t left) {
    const __m256i in = first(left, 8, 1);
    return chosen(_mm256_set1_epi32(-1), _mm256_maskload_epi32((const void *)from, in), in);
}
INLINE void store_32(uint32_t *to, int64_t left, __m256i v) {
    _mm256_maskstore_epi32((void *)to, first(left, 8, 1), v);
}
INLINE __m256i least_32(__m256i a, __m256i b) { return _mm256_min_epu32(a, b); }
INLINE __m256i rest_32(__m256i a, __m256i b, __m256i least) {
    (void)least;
    return _mm256_max_epu32(a, b);
}
INLINE __m256i exchange_32(__m256i a, __m256i b, int bit, bool up) {
    const __m256i low = _mm256_min_epu32(a, b), high = _mm256_max_epu32(a, b);
    return up ? chosen(low, high, upper_lanes(bit)) : chosen(high, low, upper_lanes(bit));
}
INLINE __m256i turn_32(__m256i v, int block) {
    return block == 1   ? _mm256_shuffle_epi32(v, 0xB1)
           : block == 2 ? _mm256_shuffle_epi32(v, 0x4E)
           : block == 3 ? _mm256_shuffle_epi32(v, 0x1B)
           : block == 4 ? _mm256_permute4x64_epi64(v, 0x4E)
                        : _mm256_permute4x64_epi64(_mm256_shuffle_epi32(v, 0x1B), 0x4E);
}
INLINE __m256i of_both(__m256i a, __m256i b, int odd) { /* within halves, then the halves of both side by side */
    const __m256 x = _mm256_castsi256_ps(a), y = _mm256_castsi256_ps(b);
    const __m256 v = odd ? _mm256_shuffle_ps(x, y, 0xDD) : _mm256_shuffle_ps(x, y, 0x88);
    return _mm256_permute4x64_epi64(_mm256_castps_si256(v), 0xD8);
}
INLINE __m256i even_32(__m256i a, __m256i b) { return of_both(a, b, 0); }
INLINE __m256i odd_32(__m256i a, __m256i b) { return of_both(a, b, 1); }
INLINE unsigned below_32(__m256i v, __m256i p, bool equal) {
    v = _mm256_xor_si256(v, TOP32), p = _mm256_xor_si256(p, TOP32);
    const __m256i m = equal ? _mm256_cmpgt_epi32(v, p) : _mm256_cmpgt_epi32(p, v);
    return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(m)) ^ (equal ? 255 : 0);
}
INLINE void part_32(__m256i v, unsigned m, int k, uint32_t *low, uint32_t *high) {
    (void)k;
    v = _mm256_permutevar8x32_epi32(v, order_of(m));
    _mm256_storeu_si256((void *)low, v);
    _mm256_storeu_si256((void *)(high - 8), v);
}

/* The last keys one by one, without branches: what is free lies between low and high. */
#define DEAL_REST(bits, word) \
    INLINE int64_t deal_rest_##bits(const word *from, int64_t n, word *to, int64_t low, int64_t high, word pivot, \
                                    bool equal) { \
        for (int64_t i = 0; i < n; i++) { \
            const word v = from[i]; \
            const bool front = equal ? v <= pivot : v < pivot; \
            to[low] = v; \
            to[high - 1] = v; \
            low += front; \
            high -= !front; \
        } \
        return low; \
    }
DEAL_REST(64, uint64_t)
DEAL_REST(32, uint32_t)

#define VECTOR __m256i
#define MASK unsigned
#define ROWS 16
#define WORD uint64_t
#define NAME(x) x##_64
#define V(x) x##_64
#define LANES 4
#include "sort_vector_body.h"
#undef WORD
#undef NAME
#undef V
#undef LANES

#define WORD uint32_t
#define NAME(x) x##_32
#define V(x) x##_32
#define LANES 8
#include "sort_vector_body.h"

SORT_FUNCTIONS(avx2)
