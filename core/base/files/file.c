/*
 * file.c -- readers of plain and gzip files.
 *
 * In: a path. Out: bytes in order. Always holds: only regular files are read, so their size is known; a message starts
 * with the path.
 */
#include "deflate.h"
#include "file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void file_swap(void *p, int64_t n, size_t bytes) {
    if (bytes == 2)
        for (uint16_t *v = p; n--; v++) *v = __builtin_bswap16(*v);
    else if (bytes == 4)
        for (uint32_t *v = p; n--; v++) *v = __builtin_bswap32(*v);
    else if (bytes == 8)
        for (uint64_t *v = p; n--; v++) *v = __builtin_bswap64(*v);
}

void file_native(ThArray *a, bool swapped) {
    ThDtype d = (ThDtype)a->dtype;
    int64_t parts = dtype_is_complex(d) ? 2 : 1;
    if (swapped) file_swap(a->data, a->size * parts, th_dtype_bytes(d) / (size_t)parts);
    if (d == TH_BOOL)
        for (int64_t i = 0; i < a->size; i++) a->data[i] = a->data[i] != 0;
}

/* ---- plain ------------------------------------------------------------------------------------------------------- */
/* Up to n bytes at a place of the file, or of the memory that the host gave for it. */
static int64_t bytes_at(Reader *r, void *p, int64_t n, int64_t at) {
    if (!r->by.bytes) return os_read_at(r->fd, p, n, at);
    int64_t left = (int64_t)r->by.nbytes - at;
    if (n > left) n = left > 0 ? left : 0;
    if (n) memcpy(p, (const char *)r->by.bytes + at, (size_t)n);
    return n;
}

static int64_t read_plain(Reader *r, char *p, int64_t n) {
    if (r->by.bytes) {
        int64_t m = bytes_at(r, p, n, (int64_t)r->at);
        r->at += (size_t)m;
        return m;
    }
    int64_t got = os_read(r->fd, p, n > 1 << 30 ? 1 << 30 : n);
    if (got < 0) err(r->c, TH_IOError, "%s: %s", r->where, strerror(errno));
    return got;
}

static void close_plain(Reader *r) {
    if (r->fd >= 0) os_close(r->fd);
    ctx_file_done(&r->by);
}

bool reader_open(Reader *r, ThContext *c, const char *path) {
    OsFile file;
    FileAt at;
    *r = (Reader){.c = c, .fd = -1, .read = read_plain};
    if (!path) return err(c, TH_TypeError, "a path is missing");
    snprintf(r->where, sizeof r->where, "%s", path);
    if (!ctx_file(c, 'r', path, &at)) return false;
    if (at.by.bytes) {
        r->by = at.by;
        r->limit = (int64_t)at.by.nbytes;
        r->close = close_plain;
        return true;
    }
    r->fd = os_open(at.path, OS_READ); /* not waiting for a fifo, which is refused below */
    if (r->fd < 0 || !os_look(r->fd, &file)) {
        int error = errno;
        reader_close(r);
        return err(c, TH_IOError, "cannot open %s: %s", path, strerror(error));
    }
    r->close = close_plain;
    r->limit = file.bytes;
    if (file.regular) return true;
    reader_close(r);
    return err(c, TH_IOError, "%s is not a regular file", path);
}

bool reader_at(Reader *r, void *p, int64_t n, int64_t at, const char *what) {
    for (char *to = p; n > 0;) {
        int64_t got = bytes_at(r, to, n > 1 << 30 ? 1 << 30 : n, at);
        if (got < 0) return err(r->c, TH_IOError, "%s: %s", r->where, strerror(errno));
        if (!got) return err(r->c, TH_IOError, "%s: truncated: it ends in its %s", r->where, what);
        to += got, at += got, n -= got;
    }
    return true;
}

void reader_close(Reader *r) {
    if (r->close) r->close(r);
    else if (r->fd >= 0) os_close(r->fd);
    r->close = NULL;
    r->fd = -1;
}

bool reader_fits(Reader *r, int64_t n, const char *what) {
    if (n <= r->limit) return true;
    return err(r->c, TH_IOError, "%s: truncated or corrupt: %s takes %lld bytes, the file has room for %lld", r->where,
               what, (long long)n, (long long)r->limit);
}

int64_t reader_array(Reader *r, ThDtype d, int ndim, const int64_t *shape) {
    int64_t bytes = (int64_t)th_dtype_bytes(d);
    bool overflow = false, empty = false;
    for (int i = 0; i < ndim; i++) {
        empty |= !shape[i];
        if (shape[i]) overflow |= __builtin_mul_overflow(bytes, shape[i], &bytes);
    }
    if (overflow) {
        err(r->c, TH_IOError, "%s: corrupt: its lengths are too large", r->where);
        return -1;
    }
    if (empty) return 0;
    return reader_fits(r, bytes, "its array") ? bytes : -1;
}

bool reader_take(Reader *r, void *p, int64_t n, const char *what) {
    char *at = p;
    while (n > 0) {
        int64_t got = r->read(r, at, n);
        if (got < 0) return false;
        if (!got) return err(r->c, TH_IOError, "%s: truncated: it ends in its %s", r->where, what);
        at += got;
        n -= got;
        r->limit -= got;
    }
    return true;
}

bool reader_finish(Reader *r) {
    char more;
    int64_t got = r->read(r, &more, 1);
    if (got < 0) return false;
    return !got || err(r->c, TH_IOError, "%s: corrupt: it is longer than its header says", r->where);
}

/* ---- gzip -------------------------------------------------------------------------------------------------------- */
static int64_t packed(void *r, char *p, int64_t n) { return read_plain(r, p, n); }

static int64_t read_gzip(Reader *r, char *p, int64_t n) {
    return unpack_take(r->c, r->state, r->where, packed, r, p, n);
}

static void close_gzip(Reader *r) {
    unpack_free(r->c, r->state);
    close_plain(r);
}

bool reader_open_gzip(Reader *r, ThContext *c, const char *path) {
    unsigned char magic[2];
    if (!reader_open(r, c, path)) return false;
    if (r->limit < 2 || bytes_at(r, magic, 2, 0) != 2 || magic[0] != 0x1f || magic[1] != 0x8b) return true;
    r->state = unpack_new(c, DEFLATE_GZIP);
    if (!r->state) {
        reader_close(r);
        return false;
    }
    r->limit = r->limit > INT64_MAX / DEFLATE_RATIO ? INT64_MAX : r->limit * DEFLATE_RATIO;
    r->read = read_gzip;
    r->close = close_gzip;
    return true;
}
