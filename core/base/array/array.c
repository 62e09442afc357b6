/*
 * array.c -- strided arrays: making them, looking at them, single elements.
 *
 * In: dtype, lengths, memory. Out: a ThArray: lengths and byte strides over a refcounted buffer. Always holds: every
 * element lies inside the buffer and is aligned to its size (complex: to its parts); size is the product of the
 * lengths; ARRAY_CONTIGUOUS says exactly whether the elements lie in C order without gaps.
 */
#include "base/base.h"
#include "base/parts.h"

#include <stdio.h>
#include <string.h>

/* ---- shapes ------------------------------------------------------------------------------------------------------ */
const char *array_shape_text(int ndim, const int64_t *shape, char *buf, size_t size) {
    size_t n = (size_t)snprintf(buf, size, "(");
    for (int i = 0; i < ndim; i++) {
        char one[32];
        const char *end = i < ndim - 1 ? ", " : ndim == 1 ? "," : "";
        size_t m = (size_t)snprintf(one, sizeof one, "%lld%s", (long long)shape[i], end);
        if (n + m + 5 > size) {
            memcpy(buf + n, "...", 4);
            n += 3;
            break;
        }
        memcpy(buf + n, one, m + 1);
        n += m;
    }
    memcpy(buf + n, ")", 2);
    return buf;
}

bool array_count(ThContext *c, ThDtype d, int ndim, const int64_t *shape, int64_t *size, int64_t *bytes) {
    char text[256];
    if ((unsigned)d >= TH_DTYPE_COUNT) return err(c, TH_TypeError, "an array needs a dtype");
    if (ndim < 0 || ndim > TH_MAX_NDIM)
        return err(c, TH_ValueError, "an array has 0 to %d dimensions, not %d", TH_MAX_NDIM, ndim);
    if (ndim && !shape) return err(c, TH_TypeError, "the lengths of an array are missing");
    int64_t n = 1, total = (int64_t)th_dtype_bytes(d);
    bool empty = false, overflow = false;
    for (int i = 0; i < ndim; i++) {
        if (shape[i] < 0)
            return err(c, TH_ValueError, "negative length in shape %s",
                       array_shape_text(ndim, shape, text, sizeof text));
        if (!shape[i]) empty = true;
        /* zeros are left out so that strides of an empty array cannot overflow either */
        else overflow |= __builtin_mul_overflow(total, shape[i], &total) || __builtin_mul_overflow(n, shape[i], &n);
    }
    if (overflow)
        return err(c, TH_ValueError, "array is too big: shape %s of %s has more than 2^63 bytes",
                   array_shape_text(ndim, shape, text, sizeof text), th_dtype_name(d));
    *size = empty ? 0 : n;
    *bytes = empty ? 0 : total;
    return true;
}

void array_c_strides(ThDtype d, int ndim, const int64_t *shape, int64_t *strides) {
    int64_t step = (int64_t)th_dtype_bytes(d);
    for (int i = ndim - 1; i >= 0; i--) {
        strides[i] = step;
        if (shape[i] > 1) step *= shape[i];
    }
}

void array_extent(ThDtype d, int ndim, const int64_t *shape, const int64_t *strides, int64_t *low, int64_t *high) {
    *low = *high = 0;
    for (int i = 0; i < ndim; i++) {
        if (!shape[i]) {
            *low = *high = 0;
            return;
        }
        int64_t span = (shape[i] - 1) * strides[i];
        *(span < 0 ? low : high) += span;
    }
    *high += (int64_t)th_dtype_bytes(d);
}

bool array_reach(ThContext *c, ThDtype d, int ndim, const int64_t *shape, const int64_t *strides, int64_t *low,
                 int64_t *high) {
    const int64_t most = INT64_MAX / 4;
    int64_t way = 0, span;
    for (int i = 0; i < ndim; i++)
        if (!shape[i]) way = INT64_MIN; /* nothing is reached */
    for (int i = 0; i < ndim && way >= 0; i++) {
        bool far = __builtin_mul_overflow(shape[i] - 1, strides[i], &span) || span < -most || span > most;
        if (far || (way += span < 0 ? -span : span) > most)
            return err(c, TH_ValueError, "a stride of %lld bytes over %lld elements leads out of all memory",
                       (long long)strides[i], (long long)shape[i]);
    }
    array_extent(d, ndim, shape, strides, low, high);
    return true;
}

/* C order without gaps; strides of lengths 0 and 1 do not matter, and an empty array is contiguous. */
static bool contiguous(const ThArray *a) {
    int64_t step = (int64_t)th_dtype_bytes((ThDtype)a->dtype);
    if (!a->size) return true;
    for (int i = a->ndim - 1; i >= 0; i--) {
        if (ARRAY_SHAPE(a)[i] == 1) continue;
        if (ARRAY_STRIDES(a)[i] != step) return false;
        step *= ARRAY_SHAPE(a)[i];
    }
    return true;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */
ThArray *array_reserve(ThContext *c, int ndim) {
    ThArray *a = array_header_new(c, ndim);
    if (!a) return NULL;
    a->ndim = (int16_t)ndim;
    a->buf = NULL;
    return a;
}

bool array_unfilled(ThContext *c, ThArray *a) {
    if (a->buf) return false;
    array_header_free(c, a);
    return true;
}

void array_fill(ThArray *a, ThBuffer *b, char *data, ThDtype d, int ndim, const int64_t *shape,
                const int64_t *strides) {
    atomic_init(&a->refs, 1);
    a->dtype = (uint8_t)d;
    a->flags = 0;
    a->ndim = (int16_t)ndim;
    a->buf = b;
    a->data = data;
    a->size = 1;
    for (int i = 0; i < ndim; i++) {
        ARRAY_SHAPE(a)[i] = shape[i];
        a->size *= shape[i];
    }
    if (!strides) array_c_strides(d, ndim, shape, ARRAY_STRIDES(a));
    else if (ndim) memcpy(ARRAY_STRIDES(a), strides, (size_t)ndim * sizeof *strides);
    if (!strides || contiguous(a)) a->flags |= ARRAY_CONTIGUOUS;
}

ThArray *array_header(ThContext *c, ThBuffer *b, char *data, ThDtype d, int ndim, const int64_t *shape,
                      const int64_t *strides) {
    ThArray *a = array_header_new(c, ndim);
    if (!a) return NULL;
    buffer_retain(b);
    array_fill(a, b, data, d, ndim, shape, strides);
    return a;
}

ThArray *th_array_empty(ThContext *c, ThDtype d, int ndim, const int64_t *shape) {
    if (!c) return NULL;
    int64_t size, bytes;
    if (!array_count(c, d, ndim, shape, &size, &bytes)) return NULL;
    bool well = !failed(c);
    ThArray *a;
    ThBuffer *b = bytes_fit((uint64_t)bytes) ? buffer_new_array(c, (size_t)bytes, ndim, &a) : NULL;
    if (!b) {
        char text[256], room[64];
        if (well) th_error_clear(c);
        err(c, TH_MemoryError, "out of memory: %s for an array of shape %s, %s", text_bytes(room, sizeof room, bytes),
            array_shape_text(ndim, shape, text, sizeof text), th_dtype_name(d));
        return NULL;
    }
    array_fill(a, b, b->data, d, ndim, shape, NULL);
    return a;
}

ThArray *th_array_zeros(ThContext *c, ThDtype d, int ndim, const int64_t *shape) {
    if (!c) return NULL;
    ThArray *a = th_array_empty(c, d, ndim, shape);
    if (a) memset(a->data, 0, a->buf->bytes);
    return a;
}

ThArray *array_scalar(ThContext *c, ThDtype d, const void *value) {
    ThArray *a = th_array_empty(c, d, 0, NULL);
    if (a) memcpy(a->data, value, th_dtype_bytes(d));
    return a;
}

ThArray *array_on_buffer(ThContext *c, ThBuffer *b, ThDtype d, int ndim, const int64_t *shape) {
    int64_t size, bytes;
    if (!array_count(c, d, ndim, shape, &size, &bytes)) return NULL;
    if ((size_t)bytes > b->bytes) {
        err(c, TH_ValueError, "a buffer of %zu bytes is too small for %lld", b->bytes, (long long)bytes);
        return NULL;
    }
    return array_header(c, b, b->data, d, ndim, shape, NULL);
}

bool array_aligned(ThContext *c, ThDtype d, const void *data, int ndim, const int64_t *shape, const int64_t *strides) {
    uint64_t unit = th_dtype_bytes(d) / (dtype_is_complex(d) ? 2 : 1), bits = KEY(data);
    for (int i = 0; i < ndim; i++)
        if (shape[i] > 1) bits |= (uint64_t)strides[i];
    if (!(bits & (unit - 1))) return true;
    return err(c, TH_ValueError, "address and strides of %s must be multiples of %d bytes", th_dtype_name(d),
               (int)unit);
}

/* On failure release is not called: the memory stays the caller's. */
ThArray *th_array_wrap(ThContext *c, ThDtype d, int ndim, const int64_t *shape, const int64_t *strides, void *data,
                       void (*release)(void *user), void *user) {
    if (!c) return NULL;
    int64_t size, bytes, own[TH_MAX_NDIM], low, high;
    if (!array_count(c, d, ndim, shape, &size, &bytes)) return NULL;
    if (!strides) {
        array_c_strides(d, ndim, shape, own);
        strides = own;
    }
    if (!data && size) {
        err(c, TH_ValueError, "no memory was given for an array of %lld elements", (long long)size);
        return NULL;
    }
    if (size && !array_aligned(c, d, data, ndim, shape, strides)) return NULL;
    if (!array_reach(c, d, ndim, shape, strides, &low, &high)) return NULL;
    char *first = data ? data : (char *)c; /* an empty array still has an address */
    ThBuffer *b = buffer_wrap(c, first + low, (size_t)(high - low), NULL, NULL);
    if (!b) return NULL;
    ThArray *a = array_header(c, b, first, d, ndim, shape, strides);
    if (a) {
        b->release = release;
        b->user = user;
    }
    buffer_release(b);
    return a;
}

ThArray *th_array_retain(ThArray *a) {
    if (!a) return NULL;
    buffer_lend(a->buf);
    atomic_fetch_add_explicit(&a->refs, 1, memory_order_relaxed);
    return a;
}

void th_array_release(ThArray *a) {
    if (a && last_reference(&a->refs)) buffer_release_array(a);
}

void th_array_free(ThArray *a) {
    if (!a || buffer_is_freed(a->buf)) return;
    if ((a->flags & ARRAY_PINNED) || atomic_load(&a->buf->pins)) {
        err(array_ctx(a), TH_ValueError,
            "this array cannot be freed: a function is bound to it, or a call is at work on it");
        return;
    }
    buffer_drop(a->buf);
}

static bool ask(ThContext *c, const ThArray *a, uint8_t minds, bool write) {
    if (!a) return err(c, TH_TypeError, "an array is missing");
    return !(buffer_special(a->buf) & minds) || buffer_ask(c, a->buf, write);
}

bool array_usable(ThContext *c, const ThArray *a) { return ask(c, a, BUFFER_FREED | BUFFER_AWAY, false); }
bool array_there(ThContext *c, const ThArray *a) { return ask(c, a, BUFFER_FREED, false); }

bool array_writeable(ThContext *c, const ThArray *a) {
    if (!array_there(c, a)) return false;
    if (a->flags & ARRAY_READONLY) return err(c, TH_ValueError, "assignment destination is read-only");
    return ask(c, a, UINT8_MAX, true);
}

/* ---- looking ----------------------------------------------------------------------------------------------------- */
ThDtype th_array_dtype(const ThArray *a) { return a ? (ThDtype)a->dtype : TH_DTYPE_NONE; }
int th_array_ndim(const ThArray *a) { return a ? a->ndim : 0; }
const int64_t *th_array_shape(const ThArray *a) { return a ? ARRAY_SHAPE(a) : NULL; }
const int64_t *th_array_strides(const ThArray *a) { return a ? ARRAY_STRIDES(a) : NULL; }
int64_t th_array_size(const ThArray *a) { return a ? a->size : 0; }
/* Who has the address may write there. */
void *th_array_data(const ThArray *a) {
    if (!a || buffer_is_freed(a->buf) || !ask(array_ctx(a), a, UINT8_MAX, true)) return NULL;
    return a->data;
}
size_t th_array_held_bytes(const ThArray *a) { return !a ? 0 : a->buf->wrapped ? a->buf->bytes : a->buf->cap; }
bool th_array_count_held(ThArray *a) { return a && buffer_count(a->buf); }
bool th_array_alone(const ThArray *a) { return a && atomic_load_explicit(&a->buf->refs, memory_order_relaxed) == 1; }
bool th_array_contiguous(const ThArray *a) { return a ? a->flags & ARRAY_CONTIGUOUS : false; }
bool th_array_owns_data(const ThArray *a) { return a ? !(a->flags & ARRAY_VIEW) && !a->buf->wrapped : false; }
bool th_array_writeable(const ThArray *a) {
    return a ? !(a->flags & ARRAY_READONLY) && !buffer_is_freed(a->buf) : false;
}
ThContext *th_array_context(const ThArray *a) { return a ? array_ctx(a) : NULL; }

/* Whether the byte ranges of the two meet: never false when an element is shared, true also for interleaved views. */
bool th_array_shares_memory(const ThArray *a, const ThArray *b) {
    if (!a) return false;
    if (!b) return err_missing(array_ctx(a), __func__), false;
    int64_t la, ha, lb, hb;
    if (!a->size || !b->size || buffer_is_freed(a->buf) || buffer_is_freed(b->buf)) return false;
    array_extent((ThDtype)a->dtype, a->ndim, ARRAY_SHAPE(a), ARRAY_STRIDES(a), &la, &ha);
    array_extent((ThDtype)b->dtype, b->ndim, ARRAY_SHAPE(b), ARRAY_STRIDES(b), &lb, &hb);
    return KEY(a->data) + (uint64_t)la < KEY(b->data) + (uint64_t)hb &&
           KEY(b->data) + (uint64_t)lb < KEY(a->data) + (uint64_t)ha;
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */
double array_item_float(const ThArray *a) {
    double v;
    dtype_cast((char *)&v, TH_FLOAT64, 8, a->data, (ThDtype)a->dtype, 0, 1);
    return v;
}

int64_t array_item_int(const ThArray *a) {
    int64_t v;
    dtype_cast((char *)&v, TH_INT64, 8, a->data, (ThDtype)a->dtype, 0, 1);
    return v;
}

/* The dtype a ThValue holds for a kind. */
static ThDtype widest(char kind) {
    return kind == 'f' ? TH_FLOAT64 : kind == 'c' ? TH_COMPLEX128 : kind == 'u' ? TH_UINT64 : TH_INT64;
}

static char *locate(const ThArray *a, const int64_t *index) {
    if (!array_usable(array_ctx(a), a)) return NULL;
    if (a->ndim && !index) return err_missing(array_ctx(a), "index"), NULL;
    char *p = a->data;
    for (int i = 0; i < a->ndim; i++) {
        if (index[i] < 0 || index[i] >= ARRAY_SHAPE(a)[i]) {
            err(array_ctx(a), TH_IndexError, "index %lld is out of bounds for axis %d with size %lld",
                (long long)index[i], i, (long long)ARRAY_SHAPE(a)[i]);
            return NULL;
        }
        p += index[i] * ARRAY_STRIDES(a)[i];
    }
    return p;
}

void array_cell_value(ThDtype d, const void *cell, ThValue *v) {
    dtype_cast((char *)v, widest(th_dtype_kind(d)), 0, cell, d, 0, 1);
}

int th_array_get(const ThArray *a, const int64_t *index, ThValue *v) {
    if (!a) return -1;
    if (!v) return err_missing(array_ctx(a), __func__), -1;
    const char *p = locate(a, index);
    if (!p) return -1;
    if (a->dtype == TH_FLOAT64) memcpy(&v->f, p, sizeof v->f); /* of most arrays */
    else array_cell_value((ThDtype)a->dtype, p, v);
    return 0;
}

int th_array_set(ThArray *a, const int64_t *index, char kind, ThValue v) {
    if (!a) return -1;
    if (!array_writeable(array_ctx(a), a)) return -1;
    char *p = locate(a, index);
    if (!p || !array_castable(array_ctx(a), widest(kind), (ThDtype)a->dtype)) return -1;
    dtype_cast(p, (ThDtype)a->dtype, 0, (const char *)&v, widest(kind), 0, 1);
    return 0;
}
