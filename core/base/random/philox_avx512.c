/* philox_avx512.c -- Philox4x32-10 for AVX-512. */
#include "philox.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

enum { LANES = 8 };
typedef uint64_t V __attribute__((vector_size(64)));
static inline V product(V a, V b) { return (V)_mm512_mul_epu32((__m512i)a, (__m512i)b); }
#define KERNELS philox_kernels_avx512
#include "philox_body.h"
#else
typedef int philox_no_avx512; /* a translation unit is not empty */
#endif
