/* philox_avx2.c -- Philox4x32-10 for AVX2. */
#include "philox.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

enum { LANES = 4 };
typedef uint64_t V __attribute__((vector_size(32)));
static inline V product(V a, V b) { return (V)_mm256_mul_epu32((__m256i)a, (__m256i)b); }
#define KERNELS philox_kernels_avx2
#include "philox_body.h"
#else
typedef int philox_no_avx2; /* a translation unit is not empty */
#endif
