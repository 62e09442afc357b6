/*
 * map.c -- files mapped into memory: .npy arrays whose pages are read when they are touched.
 *
 * In: a path and a mode. Out: an array on the file's own pages. Always holds: the whole array lies in the file as long
 * as nobody shortens it; a read-only map gives a read-only array; what would need changing on the way in (big-endian
 * numbers, bool bytes that are neither 0 nor 1, data at odd places) is refused.
 */
#include "file.h"
#include "base/parts.h"

#include <errno.h>
#include <string.h>

/* The address and length that munmap wants back. */
typedef struct {
    ThContext *c;
    void *at;
    size_t n;
} Mapping;

typedef struct HostBytes {
    ThContext *c;
    ThFile by;
} HostBytes;

static void unmap(void *user) {
    Mapping *m = user;
    os_unmap(m->at, m->n);
    ctx_free(m->c, m, sizeof *m);
}

static void release_bytes(void *user) {
    HostBytes *h = user;
    ctx_file_done(&h->by);
    ctx_free(h->c, h, sizeof *h);
}

/* What the host gave: its own memory where it is only read, else a copy. */
static ThBuffer *map_bytes(ThContext *c, const ThFile *by, MapMode mode) {
    if (mode == MAP_COPY) {
        ThBuffer *b = buffer_new(c, by->nbytes);
        if (b && by->nbytes) memcpy(b->data, by->bytes, by->nbytes);
        ctx_file_done(by);
        return b;
    }
    HostBytes *h = ctx_alloc(c, sizeof *h);
    if (h) *h = (HostBytes){c, *by};
    union {
        const void *in;
        void *out;
    } u = {by->bytes}; /* read-only: map_array says so of its arrays */
    ThBuffer *b = h ? buffer_wrap(c, u.out, by->nbytes, release_bytes, h) : NULL;
    if (b) return b;
    if (h) ctx_free(c, h, sizeof *h);
    ctx_file_done(by);
    return NULL;
}

ThBuffer *map_file(ThContext *c, const char *path, MapMode mode) {
    OsFile file;
    FileAt its;
    if (!ctx_file(c, mode == MAP_CHANGE ? 'u' : 'r', path, &its)) return NULL;
    if (its.by.bytes) return map_bytes(c, &its.by, mode);
    int fd = os_open(its.path, mode == MAP_CHANGE ? OS_CHANGE : OS_READ);
    if (fd < 0 || !os_look(fd, &file)) {
        err(c, TH_IOError, "cannot open %s: %s", path, strerror(errno));
        if (fd >= 0) os_close(fd);
        return NULL;
    }
    bool ok = file.regular || err(c, TH_IOError, "%s is not a regular file", path);
    if (ok && !file.bytes) ok = err(c, TH_IOError, "%s: truncated: it is empty", path);
    if (ok && !bytes_fit((uint64_t)file.bytes))
        ok = err(c, TH_MemoryError, "%s is longer than addresses here are", path);
    size_t n = (size_t)file.bytes;
    void *at = ok ? os_map(fd, n, mode != MAP_READ, mode == MAP_CHANGE) : NULL;
    if (ok && !at) err(c, TH_IOError, "cannot map %s: %s", path, strerror(errno));
    os_close(fd);
    if (!at) return NULL;
    Mapping *m = ctx_alloc(c, sizeof *m);
    ThBuffer *b = NULL;
    if (m) {
        *m = (Mapping){c, at, n};
        b = buffer_wrap(c, at, n, unmap, m);
    }
    if (b) return b;
    os_unmap(at, n);
    if (m) ctx_free(c, m, sizeof *m);
    return NULL;
}

static bool all_bools(const char *p, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        if (p[i] & ~1) return false;
    return true;
}

ThArray *map_array(ThContext *c, ThBuffer *b, const char *where, MapMode mode, ThDtype d, int ndim,
                   const int64_t *shape, int64_t at) {
    int64_t size, bytes, strides[TH_MAX_NDIM];
    if (!array_count(c, d, ndim, shape, &size, &bytes)) return NULL;
    if (at < 0 || bytes > (int64_t)b->bytes - at) {
        err(c, TH_IOError, "%s: truncated: it ends in its array", where);
        return NULL;
    }
    array_c_strides(d, ndim, shape, strides);
    size_t unit = th_dtype_bytes(d) / (dtype_is_complex(d) ? 2 : 1);
    if (((uintptr_t)b->data + (uint64_t)at) % unit) {
        err(c, TH_ValueError, "%s: its data begins at byte %lld, where a %s cannot lie: load it without mmap", where,
            (long long)at, th_dtype_name(d));
        return NULL;
    }
    if (d == TH_BOOL && !all_bools(b->data + at, bytes)) {
        err(c, TH_ValueError, "%s: its bool bytes are not all 0 or 1: load it without mmap", where);
        return NULL;
    }
    ThArray *a = array_header(c, b, b->data + at, d, ndim, shape, strides);
    if (a && mode == MAP_READ) a->flags |= ARRAY_READONLY;
    return a;
}

/* mode: "r" read-only, "r+" writes go to the file, "c" writes stay in memory. */
bool map_mode(ThContext *c, const char *mode, MapMode *out) {
    if (!mode) return err_missing(c, "mmap");
    static const char *const names[] = {"r", "r+", "c"};
    for (int i = 0; i < 3; i++)
        if (!strcmp(mode, names[i])) {
            *out = (MapMode)i;
            return true;
        }
    return err(c, TH_ValueError, "mmap is one of 'r', 'r+', 'c', not '%s'", mode);
}

static ThArray *map_npy(ThContext *c, const char *path, MapMode mode, const NpyHead *h) {
    if (h->swapped && th_dtype_bytes(h->dtype) > 1) {
        err(c, TH_ValueError, "%s: its numbers are big-endian: load it without mmap", path);
        return NULL;
    }
    int64_t shape[TH_MAX_NDIM];
    for (int i = 0; i < h->ndim; i++) shape[i] = h->shape[h->fortran ? h->ndim - 1 - i : i];
    ThBuffer *b = map_file(c, path, mode);
    if (!b) return NULL;
    ThArray *a = map_array(c, b, path, mode, h->dtype, h->ndim, shape, h->bytes);
    buffer_release(b);
    if (!a || !h->fortran || h->ndim < 2) return a;
    ThArray *t = th_array_transpose(a, h->ndim, NULL);
    th_array_release(a);
    return t;
}

ThArray *th_map_npy(ThContext *c, const char *path, const char *mode) {
    if (!c) return NULL;
    if (!path) return err_missing(c, __func__), NULL;
    Reader r;
    NpyHead h;
    MapMode m = MAP_READ;
    if (!map_mode(c, mode, &m) || !reader_open(&r, c, path)) return NULL;
    bool ok = npy_head_read(&h, &r) && reader_array(&r, h.dtype, h.ndim, h.shape) >= 0;
    reader_close(&r);
    return ok ? map_npy(c, path, m, &h) : NULL;
}
