/* mrg_avx512.c -- draws of MRG31k3p for AVX-512. */
#include "mrg.h"

#if defined(__x86_64__)
#define KERNELS mrg_kernels_avx512
#include "mrg_body.h"
#else
typedef int mrg_no_avx512; /* a translation unit is not empty */
#endif
