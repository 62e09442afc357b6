/* philox_avx512.c -- Philox4x32-10 for AVX-512. */
#include "philox.h"

#if defined(__x86_64__)
#define KERNELS philox_kernels_avx512
#include "philox_body.h"
#else
typedef int philox_no_avx512; /* a translation unit is not empty */
#endif
