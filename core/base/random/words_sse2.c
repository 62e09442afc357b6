/* words_sse2.c -- words of MT19937 for any processor. */
#include "words.h"

#define KERNELS words_kernels_sse2
#include "words_body.h"
