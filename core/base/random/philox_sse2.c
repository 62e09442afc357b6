/* philox_sse2.c -- Philox4x32-10 for any processor. */
#include "philox.h"

#include <string.h>

#if defined(__x86_64__)
#include <emmintrin.h>
enum { LANES = 2 };
typedef uint64_t V __attribute__((vector_size(16)));
static inline V product(V a, V b) { return (V)_mm_mul_epu32((__m128i)a, (__m128i)b); }
#else
enum { LANES = 1 };
typedef uint64_t V;
static inline V product(V a, V b) { return (uint64_t)(uint32_t)a * (uint32_t)b; }
#endif
#define KERNELS philox_kernels_sse2
#include "philox_body.h"
