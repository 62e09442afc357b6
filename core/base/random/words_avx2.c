/* words_avx2.c -- words of MT19937 for AVX2. */
#include "words.h"

#if defined(__x86_64__)
#define KERNELS words_kernels_avx2
#include "words_body.h"
#else
typedef int words_no_avx2; /* a translation unit is not empty */
#endif
