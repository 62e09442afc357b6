/* words.c -- blocks of words of MT19937, by the loops of words_body.h. */
#include "words.h"

static const WordsKernels *kernels(void) {
#if TH_WIDE
    int bytes = isa_vector_bytes();
    if (bytes >= 64) return &words_kernels_avx512;
    if (bytes >= 32) return &words_kernels_avx2;
#endif
    return &words_kernels_sse2;
}

void words_refill(RandomWords *w) {
    kernels()->refill(w->key);
    w->pos = 0;
}

int words_take(RandomWords *w, int64_t most, uint32_t *out) {
    if (w->pos >= WORDS_BLOCK) words_refill(w);
    int left = WORDS_BLOCK - (int)w->pos, n = most < left ? (int)most : left;
    kernels()->temper(w->key + w->pos, n, out);
    w->pos += (uint32_t)n;
    return n;
}

void words_doubles(const uint32_t *words, int64_t n, double *out) { kernels()->doubles(words, n, out); }
