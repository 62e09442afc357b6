/* keys.c -- order-preserving keys of values (see keys.h). */
#include "keys.h"

#include "base/array/move.h"
#include "base/array/sort.h"

#include <math.h>
#include <string.h>

/* Bits of a float: positive ones get the sign bit set, negative ones are turned around; NaN is the largest key. */
#define FLOAT_KEYS(name, real, word, bits) \
    static inline word key_##name(real v) { \
        word w; \
        memcpy(&w, &v, sizeof w); \
        if (v != v) return (word)-1; \
        return w ^ ((word)((word)0 - (w >> (bits - 1))) | (word)1 << (bits - 1)); \
    } \
    static inline real value_##name(word w) { \
        real v; \
        if (w == (word)-1) return (real)NAN; \
        w ^= ((word)((w >> (bits - 1)) - 1) | (word)1 << (bits - 1)); \
        memcpy(&v, &w, sizeof v); \
        return v; \
    } \
    static inline word wide_##name(real v) { return key_##name(v + 0); }
FLOAT_KEYS(float32, float, uint32_t, 32)
FLOAT_KEYS(float64, double, uint64_t, 64)

#define SIGNED_KEYS(name, type, word, bits) \
    static inline word key_##name(type v) { return (word)((word)v ^ (word)1 << (bits - 1)); } \
    static inline type value_##name(word w) { return (type)(w ^ (word)1 << (bits - 1)); } \
    static inline word wide_##name(type v) { return key_##name(v); }
#define UNSIGNED_KEYS(name, type, word) \
    static inline type value_##name(word w) { return w; } \
    static inline word wide_##name(type v) { return v; }
SIGNED_KEYS(int8, int8_t, uint8_t, 8)
SIGNED_KEYS(int16, int16_t, uint16_t, 16)
SIGNED_KEYS(int32, int32_t, uint32_t, 32)
SIGNED_KEYS(int64, int64_t, uint64_t, 64)
UNSIGNED_KEYS(bool, uint8_t, uint8_t)
UNSIGNED_KEYS(uint8, uint8_t, uint8_t)
UNSIGNED_KEYS(uint16, uint16_t, uint16_t)
UNSIGNED_KEYS(uint32, uint32_t, uint32_t)
UNSIGNED_KEYS(uint64, uint64_t, uint64_t)

/* clang-format off */
#define TURNED(X) \
    X(INT8, int8, int8_t, uint8_t) X(INT16, int16, int16_t, uint16_t) X(INT32, int32, int32_t, uint32_t) \
    X(INT64, int64, int64_t, uint64_t) X(FLOAT32, float32, float, uint32_t) X(FLOAT64, float64, double, uint64_t)
#define KEYED(X) \
    TURNED(X) X(BOOL, bool, uint8_t, uint8_t) X(UINT8, uint8, uint8_t, uint8_t) \
    X(UINT16, uint16, uint16_t, uint16_t) X(UINT32, uint32, uint32_t, uint32_t) X(UINT64, uint64, uint64_t, uint64_t)
/* clang-format on */

/* Dense values become their keys where they lie, and back; what has no sign is its own key. */
#define TURNS(D, name, type, word) \
    static void from_##name(void *p, int64_t n) { \
        word *key = p; \
        type v; \
        for (int64_t i = 0; i < n; i++) memcpy(&v, key + i, sizeof v), key[i] = key_##name(v); \
    } \
    static void to_##name(void *p, int64_t n) { \
        word *key = p; \
        type v; \
        for (int64_t i = 0; i < n; i++) v = value_##name(key[i]), memcpy(key + i, &v, sizeof v); \
    }
TURNED(TURNS)

#define LINES(D, name, type, word) \
    static void line_##name(uint64_t *key, int64_t ks, const char *p, int64_t st, int64_t n) { \
        for (int64_t i = 0; i < n; i++) key[i * ks] = wide_##name(*(const type *)(const void *)(p + i * st)); \
    }
KEYED(LINES)

enum { GROUP = 16 };
/* Compares that hold for ordered values alone, counted in words of their width: loops of a fixed length vectorise. */
#define WITHIN(D, name, type, word) \
    static int64_t within_##name(const char *p, int64_t n, uint64_t bound, bool larger) { \
        const type *v = (const void *)p, b = value_##name((word)bound); \
        for (int64_t i = 0;; i += GROUP) { \
            word good = 0; \
            if (i + GROUP > n) return i; \
            if (larger) \
                for (int j = 0; j < GROUP; j++) good = (word)(good + (v[i + j] <= b)); \
            else \
                for (int j = 0; j < GROUP; j++) good = (word)(good + (v[i + j] >= b)); \
            if (good != GROUP) return i; \
        } \
    }
KEYED(WITHIN)

void keys_from(void *key, const char *lane, int64_t step, int64_t n, ThDtype d) {
    const size_t item = th_dtype_bytes(d);
    const bool dense = step == (int64_t)item;
    if (dense && sort_convert(key, lane, n, d, false)) return;
    if (lane != key) array_move(item, key, (int64_t)item, lane, step, n);
    if (!dense && sort_convert(key, key, n, d, false)) return;
#define CASE(D, name, type, word) \
    case TH_##D: from_##name(key, n); break;
    switch (d) {
        TURNED(CASE)
    default: break;
    }
#undef CASE
}

void keys_to(char *lane, int64_t step, void *key, int64_t n, ThDtype d) {
    const size_t item = th_dtype_bytes(d);
    if (step == (int64_t)item && sort_convert(lane, key, n, d, true)) return;
    if (!sort_convert(key, key, n, d, true)) {
#define CASE(D, name, type, word) \
    case TH_##D: to_##name(key, n); break;
        switch (d) {
            TURNED(CASE)
        default: break;
        }
#undef CASE
    }
    if (lane != key) array_move(item, lane, step, key, (int64_t)item, n);
}

void keys_wide(uint64_t *key, int64_t key_step, const char *lane, int64_t step, int64_t n, ThDtype d) {
#define CASE(D, name, type, word) \
    case TH_##D: line_##name(key, key_step, lane, step, n); break;
    switch (d) {
        KEYED(CASE)
    default: break;
    }
#undef CASE
}

int64_t keys_within(const char *lane, int64_t n, ThDtype d, uint64_t bound, bool larger) {
#define CASE(D, name, type, word) \
    case TH_##D: return within_##name(lane, n, bound, larger);
    switch (d) {
        KEYED(CASE)
    default: return 0;
    }
#undef CASE
}

/* NumPy's order: numbers without NaN first, then by which part is NaN: imaginary, real, both. */
static int compare(double ar, double ai, double br, double bi) {
    int an = (ar != ar) * 2 + (ai != ai), bn = (br != br) * 2 + (bi != bi);
    if (an != bn) return an - bn;
    if (ar == ar && ar != br) return ar < br ? -1 : 1;
    if (ai == ai && ai != bi) return ai < bi ? -1 : 1;
    return 0;
}

int keys_compare_complex(const char *a, const char *b, ThDtype d) {
    if (d == TH_COMPLEX64) {
        const ThComplex64 *x = (const void *)a, *y = (const void *)b;
        return compare(x->re, x->im, y->re, y->im);
    }
    const ThComplex128 *x = (const void *)a, *y = (const void *)b;
    return compare(x->re, x->im, y->re, y->im);
}
