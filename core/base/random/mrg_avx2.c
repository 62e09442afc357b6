/* mrg_avx2.c -- draws of MRG31k3p for AVX2. */
#include "mrg.h"

#if defined(__x86_64__)
#define KERNELS mrg_kernels_avx2
#include "mrg_body.h"
#else
typedef int mrg_no_avx2; /* a translation unit is not empty */
#endif
