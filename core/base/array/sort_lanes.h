/*
 * sort_lanes.h -- what the vector sorts of every instruction set share: the order that a mask of eight lanes gives
 * them, keys of values in C, of which the compiler makes vectors, and the functions that sort_simd.h declares.
 */
#ifndef TH_SORT_LANES_H
#define TH_SORT_LANES_H

#include "sort_simd.h"

#include <immintrin.h>
#include <string.h>

/*
 * A vector's keys below the pivot go to `low` on, the k of mask m, the others before `high`. Eight lanes are ordered by
 * one permutation, a byte for each lane: those of m first. So both writes are whole vectors.
 */
#define BELOW(m, i) __builtin_popcount((m) & ((1 << (i)) - 1))
#define PLACE(m, i) ((m) >> (i)&1 ? BELOW(m, i) : __builtin_popcount(m) + BELOW(~(m), i))
#define BYTE(m, i) ((uint64_t)(i) << 8 * PLACE(m, i))
#define ORDER1(m) BYTE(m, 1) | BYTE(m, 2) | BYTE(m, 3) | BYTE(m, 4) | BYTE(m, 5) | BYTE(m, 6) | BYTE(m, 7)
#define ORDER4(m) ORDER1(m), ORDER1((m) + 1), ORDER1((m) + 2), ORDER1((m) + 3)
#define ORDER16(m) ORDER4(m), ORDER4((m) + 4), ORDER4((m) + 8), ORDER4((m) + 12)
#define ORDER64(m) ORDER16(m), ORDER16((m) + 16), ORDER16((m) + 32), ORDER16((m) + 48)
static const uint64_t orders[256] = {ORDER64(0), ORDER64(64), ORDER64(128), ORDER64(192)};

/* TOP is the sign bit; keys of floats are turned around where it is set, and NaN is the largest key. */
#define CONVERT(word, signed_word, bits, infinity, nan) \
    static void float_keys_##bits(word *to, const word *from, int64_t n) { \
        const word top = (word)1 << (bits - 1); \
        for (int64_t i = 0; i < n; i++) { \
            word w = from[i], k = w ^ ((word)((signed_word)w >> (bits - 1)) | top); \
            to[i] = (w & ~top) > (word)(infinity) ? (word)-1 : k; \
        } \
    } \
    static void float_values_##bits(word *to, const word *from, int64_t n) { \
        const word top = (word)1 << (bits - 1); \
        for (int64_t i = 0; i < n; i++) { \
            word w = from[i], v = w ^ ((word) ~((signed_word)w >> (bits - 1)) | top); \
            to[i] = w == (word)-1 ? (word)(nan) : v; \
        } \
    } \
    static void int_keys_##bits(word *to, const word *from, int64_t n) { \
        for (int64_t i = 0; i < n; i++) to[i] = from[i] ^ (word)1 << (bits - 1); \
    }
CONVERT(uint32_t, int32_t, 32, 0x7f800000u, 0x7fc00000u)
CONVERT(uint64_t, int64_t, 64, 0x7ff0000000000000u, 0x7ff8000000000000u)

/* The functions of an instruction set whose sorts of both widths are defined. */
#define SORT_FUNCTIONS(isa) \
    void sort_u32_##isa(uint32_t *key, int64_t n, uint32_t *tmp, SortRest32 *rest) { quick_32(key, n, tmp, rest); } \
    void sort_u64_##isa(uint64_t *key, int64_t n, uint64_t *tmp, SortRest64 *rest) { quick_64(key, n, tmp, rest); } \
    void sort_select_u32_##isa(uint32_t *key, int64_t n, int64_t at, uint32_t *tmp, SortRest32 *rest) { \
        pick_32(key, n, at, tmp, rest); \
    } \
    void sort_select_u64_##isa(uint64_t *key, int64_t n, int64_t at, uint64_t *tmp, SortRest64 *rest) { \
        pick_64(key, n, at, tmp, rest); \
    } \
    bool sort_convert_##isa(void *to, const void *from, int64_t n, ThDtype d, bool back) { \
        if (d == TH_INT32) int_keys_32(to, from, n); \
        else if (d == TH_INT64) int_keys_64(to, from, n); \
        else if (d == TH_FLOAT32 && back) float_values_32(to, from, n); \
        else if (d == TH_FLOAT32) float_keys_32(to, from, n); \
        else if (d == TH_FLOAT64 && back) float_values_64(to, from, n); \
        else if (d == TH_FLOAT64) float_keys_64(to, from, n); \
        else return false; \
        return true; \
    }

#endif
