/*
 * file.c -- readers of plain and gzip files.
 *
 * In: a path. Out: bytes in order. Always holds: only regular files are read, so their size is known; zlib's memory
 * comes from the context; a message starts with the path.
 */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define ZLIB_CONST
#include <zlib.h>

enum { CHUNK = 1 << 16 };

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
static int64_t read_memory(Reader *r, char *p, int64_t n) {
    size_t left = r->by.nbytes - r->at, m = (uint64_t)n < left ? (size_t)n : left;
    if (m) memcpy(p, (const char *)r->by.bytes + r->at, m);
    r->at += m;
    return (int64_t)m;
}

static int64_t read_plain(Reader *r, char *p, int64_t n) {
    if (n > 1 << 30) n = 1 << 30;
    if (r->by.bytes) return read_memory(r, p, n);
    for (;;) {
        ssize_t got = read(r->fd, p, (size_t)n);
        if (got >= 0) return got;
        if (errno == EINTR) continue;
        err(r->c, TH_IOError, "%s: %s", r->where, strerror(errno));
        return -1;
    }
}

static void close_plain(Reader *r) {
    if (r->fd >= 0) close(r->fd);
    ctx_file_done(&r->by);
}

bool reader_open(Reader *r, ThContext *c, const char *path) {
    struct stat st;
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
    r->fd = open(at.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* not blocking on a fifo, which is refused below */
    if (r->fd < 0 || fstat(r->fd, &st)) {
        int error = errno;
        reader_close(r);
        return err(c, TH_IOError, "cannot open %s: %s", path, strerror(error));
    }
    r->close = close_plain;
    r->limit = st.st_size;
    if (S_ISREG(st.st_mode)) return true;
    reader_close(r);
    return err(c, TH_IOError, "%s is not a regular file", path);
}

void reader_close(Reader *r) {
    if (r->close) r->close(r);
    else if (r->fd >= 0) close(r->fd);
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
typedef struct {
    z_stream z;
    bool member_done; /* between two members of one file, or at its end */
    unsigned char in[CHUNK];
} Gzip;

static void *zlib_alloc(void *c, unsigned items, unsigned size) { return ctx_alloc_owned(c, (size_t)items * size); }
static void zlib_free(void *c, void *p) { th_free(c, p); }

/* More input; false at the end of the file (nothing set) or on an error (set). */
static bool gzip_input(Reader *r, Gzip *g) {
    int64_t got = read_plain(r, (char *)g->in, CHUNK);
    if (got <= 0) return false;
    g->z.next_in = g->in;
    g->z.avail_in = (unsigned)got;
    return true;
}

static int64_t read_gzip(Reader *r, char *p, int64_t n) {
    Gzip *g = r->state;
    unsigned want = n > 1 << 30 ? 1u << 30 : (unsigned)n;
    g->z.next_out = (unsigned char *)p;
    g->z.avail_out = want;
    while (g->z.avail_out) {
        if (!g->z.avail_in && !gzip_input(r, g)) {
            if (failed(r->c)) return -1;
            if (g->member_done || g->z.avail_out < want) break;
            err(r->c, TH_IOError, "%s: truncated: its gzip data does not end", r->where);
            return -1;
        }
        if (g->member_done) inflateReset(&g->z); /* gzip files may follow each other in one file */
        g->member_done = false;
        int status = inflate(&g->z, Z_NO_FLUSH);
        if (status == Z_STREAM_END) {
            g->member_done = true;
        } else if (status != Z_OK && status != Z_BUF_ERROR) {
            if (status == Z_MEM_ERROR) err_nomem(r->c);
            else err(r->c, TH_IOError, "%s: corrupt gzip data: %s", r->where, g->z.msg ? g->z.msg : "unknown format");
            return -1;
        }
    }
    return want - g->z.avail_out;
}

static void close_gzip(Reader *r) {
    Gzip *g = r->state;
    inflateEnd(&g->z);
    ctx_free(r->c, g, sizeof *g);
    close_plain(r);
}

/* The first two bytes, which stay to be read. */
static bool starts_as_gzip(Reader *r) {
    unsigned char magic[2] = {0};
    if (r->limit < 2) return false;
    if (r->by.bytes) memcpy(magic, r->by.bytes, 2);
    else if (pread(r->fd, magic, 2, 0) != 2) return false;
    return magic[0] == 0x1f && magic[1] == 0x8b;
}

bool reader_open_gzip(Reader *r, ThContext *c, const char *path) {
    if (!reader_open(r, c, path)) return false;
    if (!starts_as_gzip(r)) return true;
    Gzip *g = ctx_alloc0(c, sizeof *g);
    if (g) {
        g->z.zalloc = zlib_alloc;
        g->z.zfree = zlib_free;
        g->z.opaque = c;
        if (inflateInit2(&g->z, 15 + 16) == Z_OK) {
            r->limit = r->limit > INT64_MAX / DEFLATE_RATIO ? INT64_MAX : r->limit * DEFLATE_RATIO;
            r->state = g;
            r->read = read_gzip;
            r->close = close_gzip;
            return true;
        }
        ctx_free(c, g, sizeof *g);
    }
    reader_close(r);
    return err_nomem(c);
}
