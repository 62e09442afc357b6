/*
 * random.h -- the generator behind RandomState, for the distributions and for operations that draw.
 */
#ifndef TH_BASE_RANDOM_H
#define TH_BASE_RANDOM_H

#include "base.h"

struct ThRandom {
    ThContext *ctx; /* retained */
    uint32_t key[624];
    int pos;        /* next word; 624: a new block is due */
    bool has_gauss; /* the polar method makes two at a time */
    double gauss;
};

uint32_t random_word(ThRandom *r);
uint64_t random_word64(ThRandom *r);                  /* high word first */
double random_double(ThRandom *r);                    /* [0, 1), 53 bits */
uint64_t random_bounded(ThRandom *r, uint64_t range); /* [0, range], masked rejection */
double random_gauss(ThRandom *r);

#endif
