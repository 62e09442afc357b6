/*
 * index.c -- what index arrays and masks need beside views: positions of what is not zero, values put at
 * positions, evenly spaced numbers.
 *
 * In: arrays of any strides. Out: int64 positions, or an array changed in place. Always holds: every position is
 * checked before anything is written; of equal positions the last wins.
 */
#include "base/base.h"
#include "base/parts.h"

#include <string.h>

/* ---- positions --------------------------------------------------------------------------------------------------- */
/* bool bytes in C order; a bool array that lies so is its own. */
static ThArray *truth(ThArray *a) {
    if (a->dtype == TH_BOOL && a->flags & ARRAY_CONTIGUOUS) return th_array_retain(a);
    return th_array_astype(a, TH_BOOL);
}

/* Without branches: each position is written, and stays where the element is not zero. */
static void fill_positions(const ThArray *mask, int64_t count, int64_t *const *to) {
    int64_t at[TH_MAX_NDIM] = {0}, k = 0;
    int last = mask->ndim - 1;
    int64_t n = ARRAY_SHAPE(mask)[last];
    for (int64_t row = 0; row < mask->size && k < count; row += n) {
        const char *m = mask->data + row;
        int64_t first = k, i = 0, *p = to[last];
        for (; i + 8 <= n && k + 8 <= count; i += 8) /* eight places have room, whatever holds */
            for (int64_t j = 0; j < 8; j++) {
                p[k] = i + j;
                k += m[i + j] != 0;
            }
        for (; i < n && k < count; i++) {
            p[k] = i;
            k += m[i] != 0;
        }
        for (int d = 0; d < last; d++)
            for (int64_t j = first; j < k; j++) to[d][j] = at[d];
        for (int d = last - 1; d >= 0 && ++at[d] == ARRAY_SHAPE(mask)[d]; d--) at[d] = 0;
    }
}

int th_array_nonzero(ThArray *a, ThArray **out) {
    if (!a) return -1;
    if (!out) return err_missing(array_ctx(a), __func__), -1;
    ThContext *c = array_ctx(a);
    int64_t count = 0, *to[TH_MAX_NDIM];
    if (!array_usable(c, a)) return -1;
    if (!a->ndim) {
        err(c, TH_ValueError, "nonzero: a 0-d array has no positions");
        return -1;
    }
    ThArray *mask = truth(a);
    if (!mask) return -1;
    for (int64_t i = 0; i < mask->size;) { /* by bytes, which hold 255 */
        uint8_t some = 0;
        for (int64_t end = mask->size - i < 255 ? mask->size : i + 255; i < end; i++) some += mask->data[i] != 0;
        count += some;
    }
    int made = 0;
    while (made < a->ndim && (out[made] = th_array_empty(c, TH_INT64, 1, &count))) {
        to[made] = (int64_t *)(void *)out[made]->data;
        made++;
    }
    bool ok = made == a->ndim;
    if (ok && count) fill_positions(mask, count, to);
    while (!ok && made > 0) th_array_release(out[--made]);
    th_array_release(mask);
    return ok ? 0 : -1;
}

/* ---- values at positions ----------------------------------------------------------------------------------------- */
/* Address of element p, counted in C order. */
static char *place(const ThArray *a, int64_t p) {
    if (a->flags & ARRAY_CONTIGUOUS) return a->data + p * (int64_t)th_dtype_bytes((ThDtype)a->dtype);
    char *at = a->data;
    for (int d = a->ndim - 1; d >= 0; d--) {
        at += p % ARRAY_SHAPE(a)[d] * ARRAY_STRIDES(a)[d];
        p /= ARRAY_SHAPE(a)[d];
    }
    return at;
}

int th_array_put(ThArray *a, ThArray *where, ThArray *values) {
    if (!a || !where || !values) return -1;
    ThContext *c = array_ctx(a);
    if (!array_writeable(c, a) || !array_usable(c, where) || !array_usable(c, values)) return -1;
    if (where->dtype != TH_INT64) {
        err(c, TH_TypeError, "positions are int64, not %s", th_dtype_name((ThDtype)where->dtype));
        return -1;
    }
    ThArray *at = where->flags & ARRAY_CONTIGUOUS ? th_array_retain(where) : th_array_copy(where);
    ThArray *full = th_array_empty(c, (ThDtype)a->dtype, where->ndim, ARRAY_SHAPE(where));
    bool ok = at && full && !th_array_assign(full, values);
    const int64_t *p = ok ? (const int64_t *)(const void *)at->data : NULL;
    for (int64_t i = 0; ok && i < at->size; i++)
        if (p[i] < 0 || p[i] >= a->size)
            ok = err(c, TH_IndexError, "position %lld is out of bounds for size %lld", (long long)p[i],
                     (long long)a->size);
    size_t bytes = th_dtype_bytes((ThDtype)a->dtype);
    for (int64_t i = 0; ok && i < at->size; i++) memcpy(place(a, p[i]), full->data + (size_t)i * bytes, bytes);
    th_array_release(at);
    th_array_release(full);
    return ok ? 0 : -1;
}

/* ---- evenly spaced ----------------------------------------------------------------------------------------------- */
ThArray *th_array_ramp(ThContext *c, ThDtype d, int64_t n, ThValue start, ThValue step) {
    if (!c) return NULL;
    ThArray *a = th_array_empty(c, d == TH_INT64 ? TH_INT64 : TH_FLOAT64, 1, &n);
    if (!a) return NULL;
    int64_t *whole = (int64_t *)(void *)a->data;
    double *real = (double *)(void *)a->data;
    for (int64_t i = 0; i < n && d == TH_INT64; i++) whole[i] = start.i + i * step.i;
    for (int64_t i = 0; i < n && d != TH_INT64; i++) real[i] = start.f + (double)i * step.f;
    return a;
}

bool th_array_fortran(const ThArray *a) {
    if (!a) return false;
    int64_t step = (int64_t)th_dtype_bytes((ThDtype)a->dtype);
    if (!a->size) return true;
    for (int i = 0; i < a->ndim; i++) {
        if (ARRAY_SHAPE(a)[i] == 1) continue;
        if (ARRAY_STRIDES(a)[i] != step) return false;
        step *= ARRAY_SHAPE(a)[i];
    }
    return true;
}

void th_array_protect(ThArray *a) {
    if (a) a->flags |= ARRAY_READONLY;
}
