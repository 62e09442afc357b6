/*
 * rank.c -- order statistics of arrays: the element at a place of the sorted list, and arrays put in parts around it,
 * by selection instead of a sort.
 *
 * In: float64, int64 or uint64 whose elements lie densely on the host. Out: numbers, or a new array. Always holds: what
 * comes out depends on the elements alone, not on how the processor selects: parts keep the order that their elements
 * had. NaN is larger than everything, -0.0 smaller than 0.0.
 */
#include "keys.h"

#include "base/array/sort.h"

#include <string.h>

enum { SOME = 512 }; /* keys at a time */

static bool rankable(ThContext *c, const ThArray *a, const char *name) {
    const ThDtype d = (ThDtype)a->dtype;
    if (!array_usable(c, a)) return false;
    if (d != TH_FLOAT64 && d != TH_INT64 && d != TH_UINT64)
        return err(c, TH_TypeError, "%s: float64, int64 or uint64 is expected, not %s", name, th_dtype_name(d));
    return (a->flags & ARRAY_CONTIGUOUS) || err(c, TH_ValueError, "%s: the elements do not lie densely", name);
}

int64_t th_array_count_nan(const ThArray *a) {
    if (!a) return -1;
    if (!rankable(array_ctx(a), a, __func__)) return -1;
    if (a->dtype != TH_FLOAT64) return 0;
    const double *x = (const void *)a->data;
    int64_t count = 0;
    for (int64_t i = 0; i < a->size; i++) count += x[i] != x[i];
    return count;
}

/* Keys of n elements and as many words to work in; false with MemoryError. */
typedef struct Room {
    ThArray *key, *tmp;
} Room;

static bool room_of(ThContext *c, int64_t n, Room *r) {
    r->key = th_array_empty(c, TH_UINT64, 1, &n);
    r->tmp = r->key ? th_array_empty(c, TH_UINT64, 1, &n) : NULL;
    return r->tmp != NULL;
}

static void room_free(Room *r) {
    th_array_release(r->key);
    th_array_release(r->tmp);
}

/* The key at place `at` of n sorted ones; all of them are in parts around it then. */
static uint64_t selected(const Room *r, const char *from, int64_t n, ThDtype d, int64_t at) {
    uint64_t *key = (uint64_t *)(void *)r->key->data;
    keys_from(key, from, 8, n, d);
    sort_select_u64(key, n, at, (uint64_t *)(void *)r->tmp->data);
    return key[at];
}

static ThValue value_of(uint64_t key, ThDtype d) {
    ThValue v;
    keys_to((char *)&v, 8, &key, 1, d);
    return v;
}

int th_array_rank(const ThArray *a, int64_t at, ThValue *value, ThValue *next) {
    if (!a) return -1;
    ThContext *c = array_ctx(a);
    Room r = {NULL, NULL};
    if (!value) return err_missing(c, __func__), -1;
    if (!rankable(c, a, __func__)) return -1;
    if (at < 0 || at >= a->size) {
        err(c, TH_IndexError, "place %lld of %lld sorted elements", (long long)at, (long long)a->size);
        return -1;
    }
    const bool ok = room_of(c, a->size, &r);
    if (ok) {
        const ThDtype d = (ThDtype)a->dtype;
        uint64_t here = selected(&r, a->data, a->size, d, at), least = UINT64_MAX;
        const uint64_t *key = (const void *)r.key->data;
        for (int64_t i = at + 1; next && i < a->size; i++) least = key[i] < least ? key[i] : least;
        *value = value_of(here, d);
        if (next) *next = value_of(at + 1 < a->size ? least : here, d);
    }
    room_free(&r);
    return ok ? 0 : -1;
}

/* The elements of a line (or their places, with `at`) below the key, those that have it, and those above it, each in
 * the order in which they stood. */
static void in_parts(const char *from, int64_t n, ThDtype d, uint64_t pivot, int64_t kth, const uint64_t *parted,
                     uint64_t *to, bool at) {
    uint64_t key[SOME];
    int64_t go[3] = {0, 0, 0}; /* where the next one of each part goes */
    for (int64_t i = 0; i < kth; i++) go[1] += parted[i] != pivot;
    for (int64_t i = kth; i < n; i++) go[2] += parted[i] == pivot;
    go[2] += kth;
    for (int64_t i = 0; i < n; i += SOME) {
        const int64_t some = n - i < SOME ? n - i : SOME;
        keys_from(key, from + 8 * i, 8, some, d);
        for (int64_t j = 0; j < some; j++) {
            const int part = (key[j] >= pivot) + (key[j] > pivot);
            uint64_t v = (uint64_t)(i + j);
            if (!at) memcpy(&v, from + 8 * (i + j), 8);
            to[go[part]++] = v;
        }
    }
}

ThArray *th_array_partition(ThArray *a, int64_t kth, bool positions) {
    if (!a) return NULL;
    ThContext *c = array_ctx(a);
    const int64_t n = a->ndim ? ARRAY_SHAPE(a)[a->ndim - 1] : 1;
    Room r = {NULL, NULL};
    if (!rankable(c, a, __func__)) return NULL;
    if (kth < 0 || kth >= n)
        return err(c, TH_IndexError, "place %lld of %lld sorted elements", (long long)kth, (long long)n), NULL;
    ThArray *out = th_array_empty(c, positions ? TH_INT64 : (ThDtype)a->dtype, a->ndim, ARRAY_SHAPE(a));
    const bool ok = out && room_of(c, n, &r);
    for (int64_t i = 0; ok && i < a->size; i += n) {
        const char *from = a->data + 8 * i;
        const uint64_t pivot = selected(&r, from, n, (ThDtype)a->dtype, kth);
        in_parts(from, n, (ThDtype)a->dtype, pivot, kth, (const void *)r.key->data, (uint64_t *)(void *)out->data + i,
                 positions);
    }
    room_free(&r);
    if (ok) return out;
    th_array_release(out);
    return NULL;
}
