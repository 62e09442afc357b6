/* words_avx512.c -- words of MT19937 for AVX-512. */
#include "words.h"

#if defined(__x86_64__)
#define KERNELS words_kernels_avx512
#include "words_body.h"
#else
typedef int words_no_avx512; /* a translation unit is not empty */
#endif
