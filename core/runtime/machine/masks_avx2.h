/* masks_avx2.h -- masks of the first n lanes, for loads and stores of a rest with AVX2. */
#ifndef TH_MASKS_AVX2_H
#define TH_MASKS_AVX2_H

#include <immintrin.h>
#include <stdint.h>

static inline __m256i first8(int64_t n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
static inline __m256i first4(int64_t n) {
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
}

#endif
