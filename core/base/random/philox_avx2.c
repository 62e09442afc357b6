/* philox_avx2.c -- Philox4x32-10 for AVX2. */
#include "philox.h"

#if defined(__x86_64__)
#define KERNELS philox_kernels_avx2
#include "philox_body.h"
#else
typedef int philox_no_avx2; /* a translation unit is not empty */
#endif
