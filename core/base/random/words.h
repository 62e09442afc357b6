/*
 * words.h -- the words of MT19937, many at a time. A generator's words lie in its state as they are mixed; a word is
 * read through a few shifts, which many words go through at once.
 */
#ifndef TH_BASE_RANDOM_WORDS_H
#define TH_BASE_RANDOM_WORDS_H

#include "random.h"

enum { WORDS_BLOCK = 624, WORDS_AHEAD = 397 };

/* The next words of w, at least one and at most `most` or what is left of a block: how many. */
int words_take(RandomWords *w, int64_t most, uint32_t *out);
/* Of 2 n words, n numbers of [0, 1). */
void words_doubles(const uint32_t *words, int64_t n, double *out);

/* ---- the loops, one source for each instruction set -------------------------------------------------------------- */
typedef struct WordsKernels {
    void (*refill)(uint32_t *key);
    void (*temper)(const uint32_t *key, int64_t n, uint32_t *out);
    void (*doubles)(const uint32_t *words, int64_t n, double *out);
} WordsKernels;
extern const WordsKernels words_kernels_sse2;
#if TH_WIDE
extern const WordsKernels words_kernels_avx2, words_kernels_avx512;
#endif

#endif
