/*
 * file_write.c -- writing bytes to a file that appears whole or not at all.
 *
 * In: a path and bytes in order. Out: the file, gzip when its name ends in .gz (without a date, so equal data gives
 * equal bytes). Always holds: a new file is written beside the old one and renamed at the end, so the old one survives
 * a failure; a device or link is written in place. The first failure is kept and reported by writer_close.
 */
#include "file.h"
#include "base/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define ZLIB_CONST
#include <zlib.h>

/* All n bytes; the first errno is kept. */
static void raw(Writer *w, const char *p, size_t n) {
    while (n && !w->error) {
        ssize_t done = write(w->fd, p, n > 1 << 30 ? 1 << 30 : n);
        if (done < 0 && errno != EINTR) w->error = errno;
        if (done > 0) {
            p += done;
            n -= (size_t)done;
        }
    }
}

/* A new file beside path, its name in tmp; -1 with errno. */
static int open_aside(const char *path, char *tmp, size_t size) {
    for (int i = 0; i < 100; i++) {
        if (snprintf(tmp, size, "%s.tmp-%ld-%d", path, (long)getpid(), i) >= (int)size) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int fd = open(tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    return -1;
}

/* ---- gzip -------------------------------------------------------------------------------------------------------- */
static void *zlib_alloc(void *c, unsigned items, unsigned size) { return ctx_alloc_owned(c, (size_t)items * size); }
static void zlib_free(void *c, void *p) { th_free(c, p); }

static bool gzip_start(Writer *w) {
    z_stream *z = ctx_alloc0(w->c, sizeof *z);
    if (!z) return false;
    z->zalloc = zlib_alloc;
    z->zfree = zlib_free;
    z->opaque = w->c;
    if (deflateInit2(z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        ctx_free(w->c, z, sizeof *z);
        return err_nomem(w->c);
    }
    w->gzip = z;
    return true;
}

static void gzip_put(Writer *w, const char *p, size_t n, int flush) {
    z_stream *z = w->gzip;
    char out[1 << 14];
    int status = Z_OK;
    do {
        size_t part = n > 1 << 30 ? 1 << 30 : n;
        z->next_in = (const unsigned char *)p;
        z->avail_in = (unsigned)part;
        do {
            z->next_out = (unsigned char *)out;
            z->avail_out = sizeof out;
            status = deflate(z, part == n ? flush : Z_NO_FLUSH);
            raw(w, out, sizeof out - z->avail_out);
        } while (!z->avail_out && status != Z_STREAM_END && !w->error);
        p += part;
        n -= part;
    } while (n && !w->error);
}

static void flush(Writer *w) {
    if (w->gzip) gzip_put(w, w->buf, w->used, Z_NO_FLUSH);
    else raw(w, w->buf, w->used);
    w->used = 0;
}

/* ---- the face ---------------------------------------------------------------------------------------------------- */
bool writer_open(Writer *w, ThContext *c, const char *path) {
    struct stat st;
    *w = (Writer){.c = c, .path = path, .fd = -1};
    if (!path) return err(c, TH_TypeError, "a path is missing");
    if (!ctx_file(c, 'w', path, &w->at)) return false;
    size_t n = strlen(path);
    const char *to = w->at.path;
    w->direct = !lstat(to, &st) && !S_ISREG(st.st_mode);
    w->fd = w->direct ? open(to, O_WRONLY | O_TRUNC | O_CLOEXEC) : open_aside(to, w->tmp, sizeof w->tmp);
    if (w->fd < 0) return err(c, TH_IOError, "cannot write %s: %s", path, strerror(errno));
    if (n < 3 || strcmp(path + n - 3, ".gz") || gzip_start(w)) return true;
    writer_close(w, false);
    return false;
}

void writer_put(Writer *w, const void *p, size_t n) {
    if (n > sizeof w->buf - w->used) flush(w);
    if (n > sizeof w->buf) {
        if (w->gzip) gzip_put(w, p, n, Z_NO_FLUSH);
        else raw(w, p, n);
    } else if (n) {
        memcpy(w->buf + w->used, p, n);
        w->used += n;
    }
}

void writer_head(Writer *w, const void *p, size_t n) {
    flush(w);
    if (!w->error && pwrite(w->fd, p, n, 0) != (ssize_t)n) w->error = errno ? errno : EIO;
}

bool writer_close(Writer *w, bool keep) {
    if (keep) flush(w);
    if (w->gzip) {
        if (keep) gzip_put(w, "", 0, Z_FINISH);
        deflateEnd(w->gzip);
        ctx_free(w->c, w->gzip, sizeof(z_stream));
        w->gzip = NULL;
    }
    if (close(w->fd) && !w->error) w->error = errno;
    w->fd = -1;
    if (!w->direct) {
        if (keep && !w->error && rename(w->tmp, w->at.path)) w->error = errno;
        if (!keep || w->error) unlink(w->tmp);
    }
    return !keep || !w->error || err(w->c, TH_IOError, "cannot write %s: %s", w->path, strerror(w->error));
}

bool writer_array(Writer *w, const ThArray *a) {
    union {
        const ThArray *in;
        ThArray *out;
    } u = {a}; /* only its reference count changes */
    ThArray *flat = a->flags & ARRAY_CONTIGUOUS ? th_array_retain(u.out) : th_array_copy(u.out);
    if (!flat) return false;
    writer_put(w, flat->data, (size_t)flat->size * th_dtype_bytes((ThDtype)flat->dtype));
    th_array_release(flat);
    return true;
}
