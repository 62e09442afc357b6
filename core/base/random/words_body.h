/*
 * words_body.h -- words of MT19937 (words.h): the one source of all instruction sets. In: KERNELS, the name of the
 * record. Loops are plain; the compiler makes vectors of them.
 */
#ifndef RANDOM_ALONE
#include <string.h>
#endif

static inline uint32_t twist(uint32_t u, uint32_t v) {
    uint32_t y = (u & 0x80000000u) | (v & 0x7fffffffu);
    return (y >> 1) ^ (-(y & 1) & 0x9908b0dfu);
}

static void refill(uint32_t *k) {
    enum { N = WORDS_BLOCK, M = WORDS_AHEAD };
    for (int i = 0; i < N - M; i++) k[i] = k[i + M] ^ twist(k[i], k[i + 1]);
    for (int i = N - M; i < N - 1; i++) k[i] = k[i + M - N] ^ twist(k[i], k[i + 1]);
    k[N - 1] = k[M - 1] ^ twist(k[N - 1], k[0]);
}

#ifndef RANDOM_ALONE
static void temper(const uint32_t *restrict key, int64_t n, uint32_t *restrict out) {
    for (int64_t i = 0; i < n; i++) out[i] = words_tempered(key[i]);
}

/* A whole number below 2^52 as a double: the lower bits of 2^52 and it. */
static inline double small_whole(uint64_t x) {
    double d;
    x |= 0x4330000000000000u;
    memcpy(&d, &x, sizeof d);
    return d - 0x1p52;
}

static void doubles(const uint32_t *restrict words, int64_t n, double *restrict out) {
    for (int64_t i = 0; i < n; i++) {
        uint64_t both; /* the first is the lower half */
        memcpy(&both, words + 2 * i, sizeof both);
        out[i] = (small_whole((both & 0xffffffffu) >> 5) * 67108864.0 + small_whole(both >> 38)) * 0x1p-53;
    }
}

const WordsKernels KERNELS = {refill, temper, doubles};
#endif
