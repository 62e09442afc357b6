/*
 * sample.h -- random kernels with the memory they run on, of the shapes that the planner makes.
 */
#ifndef NEST_SAMPLE_H
#define NEST_SAMPLE_H

#include "eval.h"

/* What a kernel is to be like, so that a transform may be applied. */
typedef enum {
    LIKE_ANY,
    LIKE_ROWS,    /* rows that are reduced */
    LIKE_PLACES,  /* ..to places of what one load brings */
    LIKE_COLUMNS, /* columns that are */
    LIKE_BLOCKS,  /* everything is */
    LIKE_SIDE,    /* short rows */
    LIKE_FLAT,    /* ..beside one that all share */
    LIKE_COPY,    /* rows picked by an index */
    LIKE_AGAIN,   /* stages that read a row again */
    LIKE_MATH,    /* long formulas */
    LIKE_PRODUCT, /* products and what follows them */
    LIKE_EXACT,   /* sums that are the same in any order */
    LIKE_TURNED,  /* no sums, and matrices that lie the other way round */
    LIKE_COUNT
} Like;

enum { SAMPLE_SYMS = 96 };
typedef struct Sample {
    Kernel *k;
    int64_t sym[SAMPLE_SYMS];
    int nsym, nbuf;
    Memory buf[KACC + 8];   /* as a run leaves it */
    Memory first[KACC + 8]; /* as it was */
} Sample;

/* False where what was drawn is no kernel, or memory ran out: draw again. */
bool sample_new(Sample *s, ThContext *c, Like like, uint64_t seed);
void sample_free(Sample *s);
void sample_reset(Sample *s); /* memory as it was */

#endif
