/*
 * vec.c -- the growing half of VEC(T): at least doubles, so that n pushes cost O(n).
 * Always holds: on failure the old items are still there and the capacity is unchanged.
 */
#include "base.h"

#include <limits.h>

/* Makes room for `need` items of `item` bytes; false with MemoryError. Called through vec_reserve and vec_push. */
bool vec_grow(ThContext *c, void **at, int *cap, int need, size_t item) {
    if (need < 0) return err_nomem(c);
    int want = *cap < 8 ? 8 : *cap > INT_MAX / 2 ? INT_MAX : 2 * *cap;
    if (want < need) want = need;
    size_t bytes;
    if (__builtin_mul_overflow((size_t)want, item, &bytes)) return err_nomem(c);
    void *p = ctx_realloc(c, *at, (size_t)*cap * item, bytes);
    if (!p) return false;
    *at = p;
    *cap = want;
    return true;
}
