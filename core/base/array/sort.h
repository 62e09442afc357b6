/*
 * sort.h -- sorting of dense unsigned keys, and of positions by key; selection of one. Every dtype maps to keys of its
 * width whose order is the order of its values (see core/ops/order/sort.c), so these are the only sorts.
 */
#ifndef TH_SORT_H
#define TH_SORT_H

#include "base/base.h"

/* Ascending. tmp: n more keys of working memory. */
void sort_u8(uint8_t *key, int64_t n);
void sort_u16(uint16_t *key, int64_t n, uint16_t *tmp);
void sort_u32(uint32_t *key, int64_t n, uint32_t *tmp);
void sort_u64(uint64_t *key, int64_t n, uint64_t *tmp);
/* The same of keys of so many bytes; vector: isa_vector_bytes(), asked once for many sorts. */
void sort_words(void *key, int64_t n, void *tmp, size_t bytes, int vector);

/* The key that stands at `at` in ascending order goes there, none larger before it, none smaller behind it. */
void sort_select_u32(uint32_t *key, int64_t n, int64_t at, uint32_t *tmp);
void sort_select_u64(uint64_t *key, int64_t n, int64_t at, uint64_t *tmp);

/*
 * Keys of n dense values (or values of keys, with `back`) by vectors, the same as core/ops/order/keys.c gives. False
 * where the processor or the dtype has none; then nothing is written.
 */
bool sort_convert(void *to, const void *from, int64_t n, ThDtype d, bool back);

/* Whether a long sort is to end before its time. */
typedef struct SortEnd {
    bool (*over)(const void *user);
    const void *user;
} SortEnd;

/*
 * Positions 0 .. n - 1 in ascending order of their keys, equal keys in order. room: 4 n words of working memory. end
 * (or NULL) is asked every some milliseconds; false where it was over, and then nothing of `at` can be relied on.
 */
bool sort_positions(const uint64_t *key, int64_t n, int64_t *at, uint64_t *room, const SortEnd *end);

#endif
