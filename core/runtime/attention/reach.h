/*
 * reach.h -- the keys that a block of rows of queries can see: those that a mask does not hide for certain.
 */
#ifndef TH_REACH_H
#define TH_REACH_H

#include "kernel/attention_work.h"
#include "runtime/simd/simd.h"

/* A matrix of the batch: strides in elements. */
typedef struct ReachView {
    char *at;
    int64_t batch, row, col;
} ReachView;

typedef struct Reach {
    int64_t first, end, clear; /* clear: the first keys, whose scores the mask leaves as they are */
} Reach;

/* The mask can hide keys from some rows and not from others. */
bool reach_may(const AttentionWork *w);
typedef struct ReachBlock {
    int64_t b, row, n; /* rows row .. row + n of matrix b */
    int64_t keys, step;
} ReachBlock;

/*
 * Of a block of rows: the keys between the first and the last one whose mask is not REACH_GAP below the largest of its
 * row, `first` and `end` rounded to multiples of `step`. All where a row has NaN, or no largest number.
 */
Reach reach_rows(const AttentionWork *w, const SimdRows *simd, ThDtype d, ReachBlock x);
/*
 * Is what a mask hides zero whatever the scores are: so small are scale q . k, and nothing is there that a zero times
 * it would not be zero? rows: of q; dz: NULL for the result alone. Matrices of b.
 */
bool reach_holds(const AttentionWork *w, const SimdRows *simd, ThDtype d, int64_t b);

#endif
