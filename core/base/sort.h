/*
 * sort.h -- sorting of dense unsigned keys, and of positions by key. Every dtype maps to keys of its width whose order
 * is the order of its values (see core/ops/sort.c), so these are the only sorts.
 */
#ifndef TH_SORT_H
#define TH_SORT_H

#include "base.h"

/* Ascending. tmp: n more keys of working memory. */
void sort_u8(uint8_t *key, int64_t n);
void sort_u16(uint16_t *key, int64_t n, uint16_t *tmp);
void sort_u32(uint32_t *key, int64_t n, uint32_t *tmp);
void sort_u64(uint64_t *key, int64_t n, uint64_t *tmp);

/* A key with the position it came from. */
typedef struct SortPair {
    uint64_t key;
    int64_t at;
} SortPair;
/* Ascending by key; equal keys stay in order. bits: how many low bits of the keys may differ. tmp: n pairs. Returns the
 * block that holds the result: pair or tmp. */
SortPair *sort_pairs(SortPair *pair, int64_t n, SortPair *tmp, int bits);

#endif
