/*
 * stream.c -- files larger than memory: blocks of rows of .npy, IDX and text files, and .npy files that grow.
 *
 * In: a path and its kind. Out: arrays of the next rows. Always holds: a block takes no more memory than the rows that
 * were asked for; a file being written appears under its name only when it is complete, its header then telling how
 * many rows there are.
 */
#include "csv.h"
#include "base/parts.h"

#include <string.h>

struct ThStream {
    ThContext *c; /* retained */
    Reader r;
    Csv *csv;
    Writer *w;
    ThDtype d;
    bool swapped, ended;
    int ndim;                   /* of a block: its rows have one less */
    int64_t shape[TH_MAX_NDIM]; /* shape[0]: rows left to read, or written so far */
    int64_t head;               /* bytes of the written header */
    char path[];
};

static ThStream *stream_new(ThContext *c, const char *path) {
    if (!path) {
        err(c, TH_TypeError, "a path is missing");
        return NULL;
    }
    ThStream *s = ctx_alloc0(c, sizeof *s + strlen(path) + 1);
    if (!s) return NULL;
    s->c = th_context_retain(c);
    s->r.fd = -1;
    strcpy(s->path, path);
    return s;
}

void th_stream_release(ThStream *s) {
    if (!s) return;
    ThContext *c = s->c;
    csv_close(s->csv);
    reader_close(&s->r);
    if (s->w) {
        writer_close(s->w, false);
        ctx_free(c, s->w, sizeof *s->w);
    }
    ctx_free(c, s, sizeof *s + strlen(s->path) + 1);
    th_context_release(c);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */
static bool open_npy(ThStream *s) {
    NpyHead h;
    if (!reader_open_gzip(&s->r, s->c, s->path) || !npy_head_read(&h, &s->r)) return false;
    if (!h.ndim || (h.fortran && h.ndim > 1))
        return err(s->c, TH_ValueError, "%s: %s has no rows to read one after the other", s->path,
                   h.ndim ? "an array in Fortran order" : "a 0-d array");
    s->d = h.dtype;
    s->swapped = h.swapped;
    s->ndim = h.ndim;
    memcpy(s->shape, h.shape, sizeof s->shape);
    return true;
}

static bool open_idx(ThStream *s) {
    s->swapped = true;
    return reader_open_gzip(&s->r, s->c, s->path) && idx_head_read(&s->r, &s->d, &s->ndim, s->shape);
}

ThStream *th_stream_open(ThContext *c, const char *path, char kind, const ThTextOptions *text) {
    if (!c) return NULL;
    if (!path) return err_missing(c, __func__), NULL;
    ThStream *s = stream_new(c, path);
    if (!s) return NULL;
    bool ok;
    if (kind == 't') ok = (s->csv = csv_open(c, path, text, NULL)) != NULL;
    else ok = kind == 'i' ? open_idx(s) : open_npy(s);
    if (ok && kind != 't') ok = reader_array(&s->r, s->d, s->ndim, s->shape) >= 0;
    if (ok) return s;
    th_stream_release(s);
    return NULL;
}

ThArray *th_stream_read(ThStream *s, int64_t rows) {
    if (!s) return NULL;
    int64_t shape[TH_MAX_NDIM];
    if (s->w || rows < 0) {
        err(s->c, TH_ValueError, s->w ? "%s is being written" : "%s: a negative number of rows", s->path);
        return NULL;
    }
    if (s->csv) return csv_read(s->csv, rows);
    memcpy(shape, s->shape, sizeof shape);
    if (rows < shape[0]) shape[0] = rows;
    ThArray *a = th_array_empty(s->c, s->d, s->ndim, shape);
    if (a && !reader_take(&s->r, a->data, (int64_t)a->buf->bytes, "array")) {
        th_array_release(a);
        return NULL;
    }
    if (!a) return NULL;
    file_native(a, s->swapped);
    s->shape[0] -= shape[0];
    return a;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */
ThStream *th_stream_create(ThContext *c, const char *path, ThDtype d, int ndim, const int64_t *row_shape) {
    if (!c) return NULL;
    if (!path) return err_missing(c, __func__), NULL;
    int64_t size, bytes;
    char head[NPY_HEADER];
    if (!array_count(c, d, ndim, row_shape, &size, &bytes)) return NULL;
    size_t n = path ? strlen(path) : 0;
    if (ndim == TH_MAX_NDIM || (n > 3 && !strcmp(path + n - 3, ".gz"))) {
        err(c, TH_ValueError,
            ndim == TH_MAX_NDIM ? "a row has at most %d dimensions" : "a file that grows cannot be gzip",
            TH_MAX_NDIM - 1);
        return NULL;
    }
    ThStream *s = stream_new(c, path);
    if (!s) return NULL;
    s->d = d;
    s->ndim = ndim + 1;
    if (ndim) memcpy(s->shape + 1, row_shape, (size_t)ndim * sizeof *row_shape);
    s->w = ctx_alloc0(c, sizeof *s->w);
    if (s->w && writer_open(s->w, c, s->path)) {
        s->head = (int64_t)npy_head_text(head, d, false, s->ndim, s->shape);
        writer_put(s->w, head, (size_t)s->head);
        return s;
    }
    if (s->w) ctx_free(c, s->w, sizeof *s->w);
    s->w = NULL;
    th_stream_release(s);
    return NULL;
}

static bool row_fits(ThStream *s, const ThArray *a) {
    int extra = a->ndim - (s->ndim - 1);
    bool fits = extra == 0 || extra == 1;
    for (int i = 1; i < s->ndim && fits; i++) fits = ARRAY_SHAPE(a)[i - 1 + extra] == s->shape[i];
    char t[256], u[256];
    return fits || err(s->c, TH_ValueError, "%s: an array of shape %s holds no rows of shape %s", s->path,
                       array_shape_text(a->ndim, ARRAY_SHAPE(a), t, sizeof t),
                       array_shape_text(s->ndim - 1, s->shape + 1, u, sizeof u));
}

int th_stream_write(ThStream *s, ThArray *rows) {
    if (!s || !rows) return -1;
    if (!s->w || s->ended) {
        err(s->c, TH_ValueError, s->ended ? "%s was closed" : "%s was opened for reading", s->path);
        return -1;
    }
    if (!array_usable(s->c, rows) || !row_fits(s, rows)) return -1;
    ThArray *own = (ThDtype)rows->dtype == s->d ? th_array_retain(rows) : th_array_astype(rows, s->d);
    bool ok = own && writer_array(s->w, own);
    if (ok) s->shape[0] += rows->ndim == s->ndim ? ARRAY_SHAPE(rows)[0] : 1;
    th_array_release(own);
    return ok ? 0 : -1;
}

int th_stream_close(ThStream *s) {
    if (!s) return -1;
    if (!s->w || s->ended) return 0;
    char head[NPY_HEADER];
    size_t n = npy_head_text(head, s->d, false, s->ndim, s->shape);
    bool ok = (int64_t)n == s->head || err(s->c, TH_IOError, "%s: its header has no room for the rows", s->path);
    if (ok) writer_head(s->w, head, n);
    ok = writer_close(s->w, ok) && ok;
    ctx_free(s->c, s->w, sizeof *s->w);
    s->w = NULL;
    s->ended = true;
    return ok ? 0 : -1;
}
