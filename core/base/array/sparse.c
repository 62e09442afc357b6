/*
 * sparse.c -- sparse matrices as arrays: laying them out, looking at words from outside, making them of their parts.
 * Always holds: an array with ARRAY_CSR or ARRAY_CSC was made here or by an operation, so its structure is sound:
 * pointers ascend from 0 to nnz, numbers are in range. Values may be written to, structure never (its views are
 * read-only).
 */
#include "base/array/sparse.h"
#include "base/parts.h"

#include <string.h>

static int64_t aligned(int64_t bytes) { return (bytes + 63) / 64 * SPARSE_ALIGN; }

int64_t sparse_words(int64_t lines, int64_t room, size_t item) {
    return SPARSE_HEAD + aligned((lines + 1) * 4) + aligned(room * 4) + aligned(room * (int64_t)item);
}

Sparse sparse_open_at(const int64_t *head, char *base) {
    Sparse s = {.dtype = (ThDtype)(head[SPARSE_KIND] - SPARSE_MARK),
                .order = head[SPARSE_ORDER] != 0,
                .lines = head[SPARSE_LINES],
                .places = head[SPARSE_PLACES],
                .nnz = head[SPARSE_NNZ],
                .room = head[SPARSE_ROOM],
                .ptr = (int32_t *)(void *)(base + SPARSE_HEAD * 8),
                .idx = (int32_t *)(void *)(base + head[SPARSE_INDICES] * 8),
                .data = base + head[SPARSE_DATA] * 8};
    s.item = th_dtype_bytes(s.dtype);
    return s;
}

Sparse sparse_open(const int64_t *words) {
    return sparse_open_at(words, (char *)(uintptr_t)words); /* who reads does not write */
}

/* Gaps between the parts are zero, so that equal matrices are equal words. */
static void clear_tail(int64_t *words, int64_t from_bytes, int64_t to_word) {
    memset((char *)words + from_bytes, 0, (size_t)(to_word * 8 - from_bytes));
}

Sparse sparse_lay(int64_t *words, ThDtype d, int64_t lines, int64_t places, int64_t room) {
    int64_t indices = SPARSE_HEAD + aligned((lines + 1) * 4), data = indices + aligned(room * 4);
    words[SPARSE_KIND] = SPARSE_MARK + d;
    words[SPARSE_LINES] = lines;
    words[SPARSE_PLACES] = places;
    words[SPARSE_NNZ] = 0;
    words[SPARSE_INDICES] = indices;
    words[SPARSE_DATA] = data;
    words[SPARSE_ORDER] = 1;
    words[SPARSE_ROOM] = room;
    memset(words + SPARSE_HEAD, 0, (size_t)(indices - SPARSE_HEAD) * 8);
    return sparse_open(words);
}

void sparse_close(int64_t *words, const Sparse *s) {
    words[SPARSE_NNZ] = s->nnz;
    words[SPARSE_ORDER] = s->order;
    clear_tail(words, words[SPARSE_INDICES] * 8 + s->nnz * 4, words[SPARSE_DATA]);
    clear_tail(words, words[SPARSE_DATA] * 8 + s->nnz * (int64_t)s->item,
               words[SPARSE_DATA] + aligned(s->room * (int64_t)s->item));
}

const char *sparse_structure_wrong(const int32_t *ptr, const int32_t *idx, int64_t lines, int64_t places, int64_t nnz,
                                   bool *order) {
    bool sorted = true;
    if (ptr[0] != 0) return "the pointers must start with 0";
    if (ptr[lines] != nnz) return "the last pointer must be the number of stored values";
    for (int64_t i = 0; i < lines; i++)
        if (ptr[i + 1] < ptr[i]) return "the pointers must not descend";
    for (int64_t i = 0; i < lines; i++) {
        int64_t last = -1;
        for (int64_t k = ptr[i]; k < ptr[i + 1]; k++) {
            if (idx[k] < 0 || idx[k] >= places) return "an index is out of range";
            sorted = sorted && idx[k] > last;
            last = idx[k];
        }
    }
    *order = sorted;
    return NULL;
}

bool sparse_order(const Sparse *s) {
    for (int64_t i = 0; i < s->lines; i++)
        for (int64_t k = s->ptr[i] + 1; k < s->ptr[i + 1]; k++)
            if (s->idx[k] <= s->idx[k - 1]) return false;
    return true;
}

static bool in(int64_t v, int64_t most) { return v >= 0 && v <= most; }

const char *sparse_wrong(const int64_t *w, int64_t n) {
    bool order;
    if (n < SPARSE_HEAD) return "the head is cut off";
    int64_t kind = w[SPARSE_KIND] - SPARSE_MARK;
    if (w[SPARSE_KIND] < SPARSE_MARK || kind < 0 || kind >= TH_DTYPE_COUNT) return "the words hold no sparse matrix";
    if (!in(w[SPARSE_LINES], SPARSE_MOST) || !in(w[SPARSE_PLACES], SPARSE_MOST) || !in(w[SPARSE_ROOM], SPARSE_MOST) ||
        !in(w[SPARSE_NNZ], w[SPARSE_ROOM]) || !in(w[SPARSE_ORDER], 1))
        return "lengths in the head are out of range";
    int64_t indices = SPARSE_HEAD + aligned((w[SPARSE_LINES] + 1) * 4);
    if (w[SPARSE_INDICES] != indices || w[SPARSE_DATA] != indices + aligned(w[SPARSE_ROOM] * 4) ||
        n != sparse_words(w[SPARSE_LINES], w[SPARSE_ROOM], th_dtype_bytes((ThDtype)kind)))
        return "the words are more or fewer than the head says";
    Sparse s = sparse_open(w);
    const char *why = sparse_structure_wrong(s.ptr, s.idx, s.lines, s.places, s.nnz, &order);
    return why ? why : w[SPARSE_ORDER] && !order ? "the places are not in order, as the head says" : NULL;
}

/* ---- from parts, and back ---------------------------------------------------------------------------------------- */
static bool is_format(ThContext *c, char format) {
    return format == 'r' || format == 'c' || err(c, TH_ValueError, "a sparse format is csr or csc");
}

static ThArray *tagged(ThArray *a, char format) {
    if (a) a->flags |= format == 'r' ? ARRAY_CSR : ARRAY_CSC;
    return a;
}

/* A vector of int32 from one of any integers, each in [0, 2^31); NULL with the error set. */
static ThArray *numbers(ThContext *c, const char *what, ThArray *a) {
    if (a->ndim != 1 || !dtype_is_discrete((ThDtype)a->dtype)) {
        err(c, TH_TypeError, "sparse matrix: %s must be a vector of integers", what);
        return NULL;
    }
    ThArray *wide = th_array_astype(a, TH_INT64);
    const int64_t *v = wide ? (const int64_t *)(const void *)wide->data : NULL;
    for (int64_t i = 0; wide && i < a->size; i++)
        if (v[i] < 0 || v[i] > SPARSE_MOST) {
            err(c, TH_ValueError, "sparse matrix: %s[%lld] is %lld, which is out of range", what, (long long)i,
                (long long)v[i]);
            th_array_release(wide);
            return NULL;
        }
    ThArray *r = wide ? th_array_astype(wide, TH_INT32) : NULL;
    th_array_release(wide);
    return r;
}

static bool lengths_fit(ThContext *c, int64_t rows, int64_t cols, int64_t nnz) {
    if (rows < 0 || cols < 0)
        return err(c, TH_ValueError, "sparse matrix: negative length in shape (%lld, %lld)", (long long)rows,
                   (long long)cols);
    if (rows > SPARSE_MOST || cols > SPARSE_MOST || nnz > SPARSE_MOST)
        return err(c, TH_ValueError,
                   "sparse matrix: shape (%lld, %lld) with %lld values is too large: indices are int32",
                   (long long)rows, (long long)cols, (long long)nnz);
    return true;
}

static ThArray *assemble(ThContext *c, char format, const int64_t shape[2], ThArray *data, ThArray *idx, ThArray *ptr) {
    int64_t lines = shape[format == 'r' ? 0 : 1], places = shape[format == 'r' ? 1 : 0];
    int64_t n = sparse_words(lines, data->size, th_dtype_bytes((ThDtype)data->dtype));
    bool order;
    const char *why =
        sparse_structure_wrong((const int32_t *)(const void *)ptr->data, (const int32_t *)(const void *)idx->data,
                               lines, places, data->size, &order);
    if (why) {
        err(c, TH_ValueError, "sparse matrix of shape (%lld, %lld) with %lld values: %s", (long long)shape[0],
            (long long)shape[1], (long long)data->size, why);
        return NULL;
    }
    ThArray *a = th_array_empty(c, TH_INT64, 1, &n), *dense = th_array_copy(data);
    if (a && dense) {
        int64_t *words = (int64_t *)(void *)a->data;
        Sparse s = sparse_lay(words, (ThDtype)data->dtype, lines, places, data->size);
        memcpy(s.ptr, ptr->data, (size_t)(lines + 1) * 4);
        if (data->size) memcpy(s.idx, idx->data, (size_t)data->size * 4);
        if (data->size) memcpy(s.data, dense->data, (size_t)data->size * s.item);
        s.nnz = data->size;
        s.order = order;
        sparse_close(words, &s);
    }
    th_array_release(dense);
    return tagged(a, format);
}

ThArray *th_sparse_new(ThContext *c, char format, const int64_t shape[2], ThArray *data, ThArray *indices,
                       ThArray *indptr) {
    if (!c) return NULL;
    if (!shape || !data || !indices || !indptr) return err_missing(c, __func__), NULL;
    if (failed(c) || !is_format(c, format) || !array_usable(c, data) || !array_usable(c, indices) ||
        !array_usable(c, indptr) || !lengths_fit(c, shape[0], shape[1], data->size))
        return NULL;
    if (dtype_is_half((ThDtype)data->dtype)) {
        err(c, TH_TypeError, "sparse matrices hold no %s: use float32", th_dtype_name((ThDtype)data->dtype));
        return NULL;
    }
    int64_t lines = shape[format == 'r' ? 0 : 1];
    if (data->ndim != 1 || indices->size != data->size || indptr->size != lines + 1) {
        err(c, TH_ValueError,
            "sparse matrix of shape (%lld, %lld): data, indices and indptr have lengths %lld, %lld and %lld; the first "
            "two are vectors of one length, indptr has %lld entries",
            (long long)shape[0], (long long)shape[1], (long long)data->size, (long long)indices->size,
            (long long)indptr->size, (long long)lines + 1);
        return NULL;
    }
    ThArray *idx = numbers(c, "indices", indices), *ptr = idx ? numbers(c, "indptr", indptr) : NULL;
    ThArray *a = ptr ? assemble(c, format, shape, data, idx, ptr) : NULL;
    th_array_release(idx);
    th_array_release(ptr);
    return a;
}

ThArray *th_sparse_read(ThContext *c, char format, ThArray *words) {
    if (!c) return NULL;
    if (!words) return err_missing(c, __func__), NULL;
    if (failed(c) || !is_format(c, format) || !array_usable(c, words)) return NULL;
    ThArray *own = words->dtype == TH_INT64 && words->ndim == 1 ? th_array_copy(words) : NULL;
    const char *why = own         ? sparse_wrong((const int64_t *)(const void *)own->data, own->size)
                      : failed(c) ? NULL
                                  : "a sparse matrix is a vector of int64";
    if (own && !why) return tagged(own, format);
    th_array_release(own);
    if (why) err(c, TH_ValueError, "this is no sparse matrix: %s", why);
    return NULL;
}

char th_array_sparse(const ThArray *a) { return !a ? 0 : a->flags & ARRAY_CSR ? 'r' : a->flags & ARRAY_CSC ? 'c' : 0; }

static ThArray *part(ThArray *a, ThDtype d, char *at, int64_t n, bool fixed) {
    ThArray *v = array_header(array_ctx(a), a->buf, at, d, 1, &n, NULL);
    if (v) v->flags |= ARRAY_VIEW | (fixed ? ARRAY_READONLY : a->flags & ARRAY_READONLY);
    return v;
}

int th_sparse_parts(ThArray *a, ThSparse *out) {
    if (!a || !out) return -1;
    ThContext *c = array_ctx(a);
    if (!array_usable(c, a)) return -1;
    if (!array_is_sparse(a)) return !err(c, TH_TypeError, "a sparse matrix is needed, got an ndarray");
    Sparse s = sparse_open((const int64_t *)(const void *)a->data);
    bool rows = a->flags & ARRAY_CSR;
    *out = (ThSparse){.format = rows ? 'r' : 'c',
                      .dtype = s.dtype,
                      .shape = {rows ? s.lines : s.places, rows ? s.places : s.lines},
                      .nnz = s.nnz,
                      .sorted = s.order};
    out->data = part(a, s.dtype, s.data, s.nnz, false);
    out->indices = part(a, TH_INT32, (char *)s.idx, s.nnz, true);
    out->indptr = part(a, TH_INT32, (char *)s.ptr, s.lines + 1, true);
    if (out->data && out->indices && out->indptr) return 0;
    th_sparse_parts_free(out);
    return -1;
}

void th_sparse_parts_free(ThSparse *s) {
    if (!s) return;
    th_array_release(s->data);
    th_array_release(s->indices);
    th_array_release(s->indptr);
    s->data = s->indices = s->indptr = NULL;
}
