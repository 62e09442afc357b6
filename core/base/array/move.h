/* move.h -- elements of one size, 1, 2, 4, 8 or 16 bytes, moved as they are (move.c). */
#ifndef TH_MOVE_H
#define TH_MOVE_H

#include <stddef.h>
#include <stdint.h>

/* n elements along byte strides. */
void array_move(size_t bytes, char *dst, int64_t dstride, const char *src, int64_t sstride, int64_t n);
/* A matrix of `rows`, which lie `row` bytes apart in dst; in src its columns lie `column` apart. Elements lie densely
 * along rows in dst and along columns in src. */
void array_turn(size_t bytes, char *dst, int64_t row, const char *src, int64_t column, int64_t rows, int64_t columns);

#endif
