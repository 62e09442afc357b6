/*
 * file_write.c -- writing bytes to a file that appears whole or not at all.
 *
 * In: a path and bytes in order. Out: the file, gzip when its name ends in .gz (without a date, so equal data gives
 * equal bytes). Always holds: a new file is written beside the old one and renamed at the end, so the old one survives
 * a failure; the new one has its owner and rights. What is no file, as a device or a pipe, is written in place. The
 * first failure is kept and reported by writer_close.
 */
#include "deflate.h"
#include "file.h"
#include "base/os/paths.h"
#include "base/parts.h"
#include "theano_files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* All n bytes; the first errno is kept. */
static void raw(Writer *w, const char *p, size_t n) {
    while (n && !w->error) {
        int64_t done = os_write(w->fd, p, n > 1 << 30 ? 1 << 30 : (int64_t)n);
        if (done < 0) w->error = errno;
        if (done > 0) {
            p += done;
            n -= (size_t)done;
        }
    }
}

/* A new file beside path, its name in tmp; -1 with errno. */
static int open_aside(const char *path, char *tmp, size_t size) {
    const char *name = strrchr(path, '/');
    size_t n = strlen(path), most = 200 + (name ? (size_t)(name - path) : 0); /* a long name has one beside it, too */
    for (int i = 0; i < 100; i++) {
        snprintf(tmp, size, "%.*s.tmp-%ld-%d", (int)(n < most ? n : most), path, os_process(), i);
        int fd = os_open(tmp, OS_NEW);
        if (fd >= 0 && !os_inherit(fd, path)) {
            int error = errno;
            os_close(fd);
            os_remove(tmp);
            errno = error;
            return -1;
        }
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    return -1;
}

/* What is written is what links lead to: they stay. */
static bool follow(FileAt *at) {
    size_t n = strlen(at->path);
    if (n >= sizeof at->room) return errno = ENAMETOOLONG, false;
    at->path = memmove(at->room, at->path, n + 1);
    return os_follow(at->room, sizeof at->room);
}

/* ---- gzip -------------------------------------------------------------------------------------------------------- */
static bool sink(void *user, const char *p, size_t n) {
    Writer *w = user;
    raw(w, p, n);
    return !w->error;
}

static void put_on(Writer *w, const void *p, size_t n, bool last) {
    if (w->gzip) pack_put(w->gzip, p, n, last, sink, w);
    else raw(w, p, n);
}

static void flush(Writer *w) {
    put_on(w, w->buf, w->used, false);
    w->used = 0;
}

/* ---- the face ---------------------------------------------------------------------------------------------------- */
bool writer_open_plain(Writer *w, ThContext *c, const char *path) {
    OsFile file;
    *w = (Writer){.c = c, .path = path, .fd = -1};
    if (!path) return err(c, TH_TypeError, "a path is missing");
    if (!ctx_file(c, 'w', path, &w->at)) return false;
    if (follow(&w->at)) {
        const char *to = w->at.path;
        w->direct = os_look_at(to, &file) && !file.regular;
        w->fd = w->direct ? os_open(to, OS_TRUNCATE) : open_aside(to, w->tmp, sizeof w->tmp);
    }
    return w->fd >= 0 || err(c, TH_IOError, "cannot write %s: %s", path, strerror(errno));
}

bool writer_open(Writer *w, ThContext *c, const char *path) {
    if (!writer_open_plain(w, c, path)) return false;
    size_t n = strlen(path);
    if (n < 3 || strcmp(path + n - 3, ".gz") || (w->gzip = pack_new(c, DEFLATE_GZIP))) return true;
    writer_close(w, false);
    return false;
}

void writer_put(Writer *w, const void *p, size_t n) {
    if (n > sizeof w->buf - w->used) flush(w);
    if (n > sizeof w->buf) {
        put_on(w, p, n, false);
    } else if (n) {
        memcpy(w->buf + w->used, p, n);
        w->used += n;
    }
}

void writer_head(Writer *w, const void *p, size_t n) {
    flush(w);
    if (!w->error && os_write_at(w->fd, p, (int64_t)n, 0) != (int64_t)n) w->error = errno ? errno : EIO;
}

static void end(Writer *w, bool keep) {
    if (w->fd < 0) return;
    if (keep) flush(w);
    if (w->gzip) {
        if (keep) put_on(w, "", 0, true);
        pack_free(w->c, w->gzip);
        w->gzip = NULL;
    }
    if (!os_close(w->fd) && !w->error) w->error = errno;
    w->fd = -1;
}

bool writer_end(Writer *w) {
    end(w, true);
    return !w->error;
}

bool writer_close(Writer *w, bool keep) {
    end(w, keep);
    if (!w->direct) {
        if (keep && !w->error && !os_rename(w->tmp, w->at.path)) w->error = errno;
        if (!keep || w->error) os_remove(w->tmp);
    }
    return !keep || !w->error || err(w->c, TH_IOError, "cannot write %s: %s", w->path, strerror(w->error));
}

int th_save_bytes(ThContext *c, const char *path, const void *bytes, size_t n) {
    Writer w;
    if (!c) return -1;
    if (!path || (!bytes && n)) return err_missing(c, __func__), -1;
    if (!writer_open_plain(&w, c, path)) return -1;
    writer_put(&w, bytes, n);
    return writer_close(&w, true) ? 0 : -1;
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
