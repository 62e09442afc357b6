/*
 * keys.h -- values as unsigned keys of their width whose order is NumPy's order of the values: NaN last, signed and
 * float bits turned. Complex numbers have no such key; they go through compare functions.
 */
#ifndef TH_KEYS_H
#define TH_KEYS_H

#include "ops/table/host.h"

/* n values of a lane (stride in bytes) to dense keys of the same width, and dense keys, which change, back to a lane.
 * -0.0 comes before 0.0, and every NaN becomes one. Not for complex. */
void keys_from(void *key, const char *lane, int64_t step, int64_t n, ThDtype d);
void keys_to(char *lane, int64_t step, void *key, int64_t n, ThDtype d);
/* The same key as 64 bits, with -0.0 equal to 0.0: for comparing and for positions. */
void keys_wide(uint64_t *key, int64_t key_step, const char *lane, int64_t step, int64_t n, ThDtype d);
/* How many of n dense values, in whole groups, come before the first group with one that may lie beyond the value of
 * the wide key `bound`: larger (or NaN), or smaller. */
int64_t keys_within(const char *lane, int64_t n, ThDtype d, uint64_t bound, bool larger);
/* < 0, 0, > 0 as NumPy sorts complex numbers: by real part, then imaginary part, those with NaN last. */
int keys_compare_complex(const char *a, const char *b, ThDtype d);

#endif
