/*
 * view.c -- other shapes on the same buffer: views, transposes, reshapes.
 *
 * In: an array and the wanted lengths. Out: a new header on the same buffer; a copy only where a reshape cannot be
 * written with strides. Always holds: a view stays inside its buffer and is read-only where its array is.
 */
#include "base/base.h"
#include "base/parts.h"

#include <string.h>

static ThArray *view_as(ThArray *a, ThDtype d, char *data, int ndim, const int64_t *shape, const int64_t *strides) {
    ThArray *v = array_header(array_ctx(a), a->buf, data, d, ndim, shape, strides);
    if (v) v->flags |= (a->flags & ARRAY_READONLY) | ARRAY_VIEW;
    return v;
}

static ThArray *view(ThArray *a, char *data, int ndim, const int64_t *shape, const int64_t *strides) {
    return view_as(a, (ThDtype)a->dtype, data, ndim, shape, strides);
}

/* Sum of |stride| * (length - 1) and the start may not overflow: lengths and strides come from outside. */
static bool inside(const ThArray *a, int ndim, const int64_t *shape, const int64_t *strides, int64_t offset) {
    int64_t start, low, high;
    if (__builtin_add_overflow(a->data - a->buf->data, offset, &start)) return false;
    low = high = start;
    for (int i = 0; i < ndim; i++) {
        int64_t span;
        if (__builtin_mul_overflow(shape[i] - 1, strides[i], &span)) return false;
        if (__builtin_add_overflow(span < 0 ? low : high, span, span < 0 ? &low : &high)) return false;
    }
    return low >= 0 && high <= (int64_t)a->buf->bytes - (int64_t)th_dtype_bytes((ThDtype)a->dtype);
}

/* What array_count, `inside` and array_aligned ask, in one pass from the last axis, in which the rest of the header is
 * found too; NULL: one of them may say no, the view is empty, or memory is out. */
static ThArray *plain_view(ThArray *a, int ndim, const int64_t *shape, const int64_t *strides, int64_t offset) {
    const ThDtype d = (ThDtype)a->dtype;
    const int64_t item = (int64_t)th_dtype_bytes(d);
    int64_t low, high, step = item;
    uint64_t size = 1;
    bool over = __builtin_add_overflow(a->data - a->buf->data, offset, &low), dense = true;
    uint64_t bits = KEY(a->data) + (uint64_t)offset;
    high = low;
    for (int i = ndim - 1; i >= 0; i--) {
        const int64_t n = shape[i];
        int64_t span;
        if (n <= 0) return NULL;
        if (n > 1) {
            bits |= (uint64_t)strides[i];
            dense &= strides[i] == step;
        }
        over |= __builtin_mul_overflow(n - 1, strides[i], &span);
        over |= __builtin_mul_overflow(step, n, &step);
        over |= __builtin_add_overflow(span < 0 ? low : high, span, span < 0 ? &low : &high);
        size *= (uint64_t)n; /* no more than step */
    }
    const uint64_t unit = (uint64_t)item / (dtype_is_complex(d) ? 2 : 1);
    if (over || low < 0 || high > (int64_t)a->buf->bytes - item || (bits & (unit - 1))) return NULL;
    ThArray *v = array_header_new(array_ctx(a), ndim);
    if (!v) return NULL;
    buffer_retain(a->buf);
    atomic_init(&v->refs, 1);
    v->dtype = a->dtype;
    v->flags = (uint8_t)((a->flags & ARRAY_READONLY) | ARRAY_VIEW | (dense ? ARRAY_CONTIGUOUS : 0));
    v->ndim = (int16_t)ndim;
    v->buf = a->buf;
    v->data = a->data + offset;
    v->size = (int64_t)size;
    for (int i = 0; i < ndim; i++) ARRAY_SHAPE(v)[i] = shape[i], ARRAY_STRIDES(v)[i] = strides[i];
    return v;
}

/* Any lengths and byte strides from a's first element + offset_bytes on; ValueError when that leaves the buffer. */
ThArray *th_array_view(ThArray *a, int ndim, const int64_t *shape, const int64_t *strides, int64_t offset_bytes) {
    if (!a) return NULL;
    ThContext *c = array_ctx(a);
    ThDtype d = (ThDtype)a->dtype;
    int64_t size, bytes, own[TH_MAX_NDIM];
    char text[256];
    if (!array_there(c, a)) return NULL;
    const bool given = strides && shape && ndim > 0 && ndim <= TH_MAX_NDIM;
    ThArray *quick = given ? plain_view(a, ndim, shape, strides, offset_bytes) : NULL;
    if (quick) return quick;
    if (!array_count(c, d, ndim, shape, &size, &bytes)) return NULL;
    if (!strides) {
        array_c_strides(d, ndim, shape, own);
        strides = own;
    }
    if (!size) return view(a, a->data, ndim, shape, strides);
    if (!inside(a, ndim, shape, strides, offset_bytes)) {
        err(c, TH_ValueError, "a view of shape %s at %lld bytes leaves the array's memory",
            array_shape_text(ndim, shape, text, sizeof text), (long long)offset_bytes);
        return NULL;
    }
    if (!array_aligned(c, d, a->data + offset_bytes, ndim, shape, strides)) return NULL;
    return view(a, a->data + offset_bytes, ndim, shape, strides);
}

ThArray *th_array_component(ThArray *a, int which) {
    if (!a) return NULL;
    ThContext *c = array_ctx(a);
    if (!array_there(c, a)) return NULL;
    const bool single = a->dtype == TH_COMPLEX64;
    if (!single && a->dtype != TH_COMPLEX128)
        return err(c, TH_TypeError, "parts of complex numbers, not of %s", th_dtype_name((ThDtype)a->dtype)), NULL;
    const ThDtype d = single ? TH_FLOAT32 : TH_FLOAT64;
    char *from = a->data + (which && a->size ? th_dtype_bytes(d) : 0);
    return view_as(a, d, from, a->ndim, ARRAY_SHAPE(a), ARRAY_STRIDES(a));
}

/* perm NULL reverses the axes. Axes that perm leaves out must have length 1. */
ThArray *th_array_transpose(ThArray *a, int ndim, const int *perm) {
    if (!a) return NULL;
    ThContext *c = array_ctx(a);
    int64_t shape[TH_MAX_NDIM], strides[TH_MAX_NDIM];
    bool used[TH_MAX_NDIM] = {false};
    if (!array_there(c, a)) return NULL;
    if (!perm) ndim = a->ndim;
    if (ndim < 0 || ndim > TH_MAX_NDIM) {
        err(c, TH_ValueError, "an array has 0 to %d dimensions, not %d", TH_MAX_NDIM, ndim);
        return NULL;
    }
    for (int i = 0; i < ndim; i++) {
        int k = perm ? perm[i] : ndim - 1 - i;
        if (k < -1 || k >= a->ndim || (k >= 0 && used[k])) {
            err(c, TH_ValueError,
                k >= 0 && k < a->ndim ? "axis %d is repeated in a transpose"
                                      : "axis %d does not exist in an array of %d dimensions",
                k, a->ndim);
            return NULL;
        }
        if (k >= 0) used[k] = true;
        shape[i] = k < 0 ? 1 : ARRAY_SHAPE(a)[k];
        strides[i] = k < 0 ? 0 : ARRAY_STRIDES(a)[k];
    }
    for (int k = 0; k < a->ndim; k++)
        if (!used[k] && ARRAY_SHAPE(a)[k] != 1) {
            err(c, TH_ValueError, "axis %d of length %lld cannot be dropped: only lengths of 1 can", k,
                (long long)ARRAY_SHAPE(a)[k]);
            return NULL;
        }
    return view(a, a->data, ndim, shape, strides);
}

/* ---- reshape ----------------------------------------------------------------------------------------------------- */
/* Puts the length that -1 stands for into out; false with ValueError when the sizes disagree. */
static bool resolve(const ThArray *a, int ndim, const int64_t *shape, int64_t *out) {
    ThContext *c = array_ctx(a);
    char text[256];
    int64_t size, bytes, free_axis = -1;
    if (ndim < 0 || ndim > TH_MAX_NDIM)
        return err(c, TH_ValueError, "an array has 0 to %d dimensions, not %d", TH_MAX_NDIM, ndim);
    for (int i = 0; i < ndim; i++) {
        out[i] = shape[i];
        if (shape[i] != -1) continue;
        if (free_axis >= 0) return err(c, TH_ValueError, "can only specify one unknown dimension");
        free_axis = i;
        out[i] = 1;
    }
    if (!array_count(c, (ThDtype)a->dtype, ndim, out, &size, &bytes)) return false;
    if (free_axis >= 0 && size && a->size % size == 0) {
        out[free_axis] = a->size / size;
        size = a->size;
    } else if (free_axis >= 0) {
        size = -1;
    }
    return size == a->size || err(c, TH_ValueError, "cannot reshape array of size %lld into shape %s",
                                  (long long)a->size, array_shape_text(ndim, shape, text, sizeof text));
}

/*
 * Strides of a under new lengths, where they exist. Old and new axes are cut into the shortest groups of equal product;
 * a group can be renamed when its old axes lie in each other without gaps. Sizes are equal and not 0.
 */
static bool restride(const ThArray *a, int ndim, const int64_t *shape, int64_t *strides) {
    int64_t old_shape[TH_MAX_NDIM], old_strides[TH_MAX_NDIM];
    int n = 0;
    for (int i = 0; i < a->ndim; i++)
        if (ARRAY_SHAPE(a)[i] != 1) {
            old_shape[n] = ARRAY_SHAPE(a)[i];
            old_strides[n++] = ARRAY_STRIDES(a)[i];
        }
    int o = 0, w = 0; /* first old and new axis of the group */
    while (o < n) {
        int oe = o + 1, we = w + 1;
        int64_t op = old_shape[o], wp = shape[w];
        while (op != wp) {
            if (op < wp) op *= old_shape[oe++];
            else wp *= shape[we++];
        }
        for (int i = o; i < oe - 1; i++)
            if (old_strides[i] != old_strides[i + 1] * old_shape[i + 1]) return false;
        int64_t step = old_strides[oe - 1];
        for (int i = we - 1; i >= w; i--) {
            strides[i] = step;
            step *= shape[i];
        }
        o = oe;
        w = we;
    }
    for (; w < ndim; w++) strides[w] = (int64_t)th_dtype_bytes((ThDtype)a->dtype); /* lengths of 1 are left */
    return true;
}

ThArray *th_array_reshape(ThArray *a, int ndim, const int64_t *shape) {
    if (!a) return NULL;
    int64_t lengths[TH_MAX_NDIM], strides[TH_MAX_NDIM];
    if (ndim > 0 && !shape) return err_missing(array_ctx(a), __func__), NULL;
    if (!array_there(array_ctx(a), a) || !resolve(a, ndim, shape, lengths)) return NULL;
    if (a->flags & ARRAY_CONTIGUOUS) return view(a, a->data, ndim, lengths, NULL);
    if (restride(a, ndim, lengths, strides)) return view(a, a->data, ndim, lengths, strides);
    ThArray *copy = th_array_copy(a);
    ThArray *v = copy ? view(copy, copy->data, ndim, lengths, NULL) : NULL;
    th_array_release(copy);
    return v;
}
