/*
 * move.c -- elements of one size moved as they are: along a stride, and turned, rows to columns.
 *
 * In: places and byte strides of both sides. Out: the same bytes at other places. Always holds: elements are read
 * before what is behind them is written only where the two sides do not meet; callers see to that.
 */
#include "base/base.h"
#include "move.h"

#include <string.h>

typedef uint8_t __attribute__((may_alias)) Any1;
typedef uint16_t __attribute__((may_alias)) Any2;
typedef uint32_t __attribute__((may_alias)) Any4;
typedef uint64_t __attribute__((may_alias)) Any8;
typedef struct {
    uint64_t part[2];
} __attribute__((may_alias)) Any16;

/* What is written lies densely: forwards, backwards and every second element are vectors. */
#define MOVE(T, NAME) \
    static void NAME(char *dst, int64_t dstride, const char *src, int64_t sstride, int64_t n) { \
        const int64_t size = (int64_t)sizeof(T); \
        T *to = (T *)(void *)dst; \
        const T *from = (const T *)(const void *)src; \
        int64_t i = 0; \
        if (dstride == size && sstride == -size) { \
            for (; i < n; i++) to[i] = from[-i]; \
        } else if (dstride == size && sstride == 2 * size) { \
            for (; i < n; i++) to[i] = from[2 * i]; \
        } else { \
            for (; i + 4 <= n; i += 4, src += 4 * sstride, dst += 4 * dstride) { \
                const T a = *(const T *)(const void *)src, b = *(const T *)(const void *)(src + sstride); \
                const T c = *(const T *)(const void *)(src + 2 * sstride), \
                        d = *(const T *)(const void *)(src + 3 * sstride); \
                *(T *)(void *)dst = a; \
                *(T *)(void *)(dst + dstride) = b; \
                *(T *)(void *)(dst + 2 * dstride) = c; \
                *(T *)(void *)(dst + 3 * dstride) = d; \
            } \
            for (; i < n; i++, src += sstride, dst += dstride) *(T *)(void *)dst = *(const T *)(const void *)src; \
        } \
    }
MOVE(Any1, move_1)
MOVE(Any2, move_2)
MOVE(Any4, move_4)
MOVE(Any8, move_8)
MOVE(Any16, move_16)

void array_move(size_t bytes, char *dst, int64_t dstride, const char *src, int64_t sstride, int64_t n) {
    switch (bytes) {
    case 1: move_1(dst, dstride, src, sstride, n); break;
    case 2: move_2(dst, dstride, src, sstride, n); break;
    case 4: move_4(dst, dstride, src, sstride, n); break;
    case 8: move_8(dst, dstride, src, sstride, n); break;
    default: move_16(dst, dstride, src, sstride, n);
    }
}

/* ---- rows to columns --------------------------------------------------------------------------------------------- */
enum { TILE = 8 }; /* a line of memory for doubles, and no more lines than the nearest cache has ways */

/* A tile: rows of dst lie `row` apart, columns of src `column`; the elements of either lie densely along the other. */
#define TURN(T, NAME) \
    static void NAME(char *dst, int64_t row, const char *src, int64_t column, int64_t rows, int64_t columns) { \
        for (int64_t i = 0; i < rows; i++) \
            for (int64_t j = 0; j < columns; j++) \
                ((T *)(void *)(dst + i * row))[j] = ((const T *)(const void *)(src + j * column))[i]; \
    }
TURN(Any1, turn_1)
TURN(Any2, turn_2)
TURN(Any4, turn_4)
TURN(Any8, turn_8)
TURN(Any16, turn_16)

typedef uint64_t Pair __attribute__((vector_size(16), aligned(8), may_alias));

static void turn_whole_8(char *dst, int64_t row, const char *src, int64_t column) {
    for (int i = 0; i < TILE; i += 2)
        for (int j = 0; j < TILE; j += 2) {
            const char *from = src + j * column + i * 8;
            char *to = dst + i * row + j * 8;
            const Pair a = *(const Pair *)(const void *)from, b = *(const Pair *)(const void *)(from + column);
            *(Pair *)(void *)to = (Pair){a[0], b[0]};
            *(Pair *)(void *)(to + row) = (Pair){a[1], b[1]};
        }
}

static void turn_tile(size_t bytes, char *dst, int64_t row, const char *src, int64_t column, int64_t rows,
                      int64_t columns) {
    switch (bytes) {
    case 1: turn_1(dst, row, src, column, rows, columns); break;
    case 2: turn_2(dst, row, src, column, rows, columns); break;
    case 4: turn_4(dst, row, src, column, rows, columns); break;
    case 8: turn_8(dst, row, src, column, rows, columns); break;
    default: turn_16(dst, row, src, column, rows, columns);
    }
}

void array_turn(size_t bytes, char *dst, int64_t row, const char *src, int64_t column, int64_t rows, int64_t columns) {
    const int64_t size = (int64_t)bytes;
    for (int64_t i = 0; i < rows; i += TILE)
        for (int64_t j = 0; j < columns; j += TILE) {
            const int64_t ni = rows - i < TILE ? rows - i : TILE, nj = columns - j < TILE ? columns - j : TILE;
            char *to = dst + i * row + j * size;
            const char *from = src + j * column + i * size;
            if (bytes == 8 && ni == TILE && nj == TILE) turn_whole_8(to, row, from, column);
            else turn_tile(bytes, to, row, from, column, ni, nj);
        }
}
