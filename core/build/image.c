/*
 * image.c -- a module of the C compiler as bytes, for the emulated driver to load: found in the cache or built, as a
 * unit is, and not loaded here.
 */
#include "build.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static bool read_all(int fd, char *to, size_t n) {
    for (size_t at = 0; at < n;) {
        ssize_t got = read(fd, to + at, n - at);
        if (got <= 0) return false;
        at += (size_t)got;
    }
    return true;
}

static char *bytes_of(ThContext *c, const BuildJob *j, size_t *n) {
    struct stat s;
    int fd = trusted_open(j->dir->fd, j->name, O_RDONLY);
    if (fd < 0) return NULL;
    char *image = !fstat(fd, &s) && s.st_size > 0 ? ctx_alloc(c, *n = (size_t)s.st_size) : NULL;
    if (image && !read_all(fd, image, *n)) {
        ctx_free(c, image, *n);
        image = NULL;
    }
    close(fd);
    return image;
}

char *build_image(ThContext *c, const char *source, size_t *n) {
    BuildJob *j = unit_file(c, source);
    if (!j) return NULL;
    char *image = bytes_of(c, j, n);
    build_job_free(j);
    ctx_free(c, j, sizeof *j);
    return image;
}
