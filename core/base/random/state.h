/*
 * state.h -- a state of MT19937 and its words. Compiled into the host's samplers, and a part of the text of a GPU's
 * (RANDOM_ALONE; core/runtime/gpu/state.c), as plain.c, dist.c, count.c and picks.c are.
 */
#ifndef TH_BASE_RANDOM_STATE_H
#define TH_BASE_RANDOM_STATE_H

#ifndef RANDOM_ALONE
#include "base/base.h"
#define DRAW /* what stands before a function of other files */
#endif

/* A state as it lies in memory: a vector of RANDOM_WORDS uint32. Two of equal states have equal bits. */
typedef struct RandomWords {
    uint32_t key[624];
    uint32_t pos;       /* next word; 624: a new block is due */
    uint32_t has_gauss; /* the polar method makes two at a time */
    double gauss;       /* 0 where there is none */
} RandomWords;

DRAW void words_refill(RandomWords *w); /* the next block */
static inline uint32_t words_tempered(uint32_t y) {
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ (y >> 18);
}

static inline uint32_t words_next(RandomWords *w) {
    if (w->pos >= 624) words_refill(w); /* whatever who holds the state wrote there */
    return words_tempered(w->key[w->pos++]);
}

static inline double words_double(RandomWords *w) { /* [0, 1), 53 bits */
    uint32_t a = words_next(w) >> 5, b = words_next(w) >> 6;
    return (a * 67108864.0 + b) / 9007199254740992.0;
}

/* Whether numbers are those of NumPy's Generator, which draws some distributions otherwise; its exponentials. */
#ifdef RANDOM_ALONE
#define RANDOM_NEWER(r) 0
#define RANDOM_ZIGGURAT(r) 0
#else
#define RANDOM_NEWER(r) ((r)->pcg != NULL)
#define RANDOM_ZIGGURAT(r) pcg_exponential((r)->pcg)
#endif

enum { RANDOM_OFTEN = 4096 }; /* numbers between two looks at the clock */

typedef struct RandomChoice {
    int64_t n, size;       /* out of how many, how many */
    bool replace, ordered; /* ordered: of a PCG64, need not be shuffled */
    const double *p;       /* n probabilities, or NULL: all alike */
} RandomChoice;

#endif
