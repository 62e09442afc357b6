/*
 * cache.c -- the directories of built units.
 *
 * In: a key (hex) and a path. Out: whether the file there may be loaded. Always holds: a directory is used only if it
 * is ours, no link, and nobody else may write it; a file becomes visible under its name only whole (written aside,
 * sealed, renamed), so a kill at any moment leaves at most a file aside, which a later sweep removes. The seal at the
 * end of a file (magic, key, hash of all before it) is checked before the dynamic linker sees it: a truncated or
 * changed file is built again. The directory is kept under compile.cache_mb: a unit's time is that of its last use, and
 * what was used longest ago goes first, never what was used in the last minutes. There is no lock: two processes that
 * build the same unit rename equal files over each other.
 */
#include "build.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef struct Seal {
    char magic[16], key[BUILD_KEY + 7];
    uint64_t size, hash; /* of what stands before */
} Seal;
static const char magic[16] = "theano unit 1";

/* ---- directories ------------------------------------------------------------------------------------------------- */
static bool trusted(const char *dir) {
    struct stat s;
    return lstat(dir, &s) == 0 && S_ISDIR(s.st_mode) && s.st_uid == geteuid() && !(s.st_mode & 022);
}

/* Makes every missing directory on the way, for its owner only. */
static bool make_path(const char *dir) {
    char path[BUILD_PATH];
    size_t n = strlen(dir);
    if (n >= sizeof path) return false;
    memcpy(path, dir, n + 1);
    for (size_t i = 1; i <= n; i++) {
        if (path[i] != '/' && path[i]) continue;
        char was = path[i];
        path[i] = 0;
        if (mkdir(path, 0700) && errno != EEXIST && errno != EISDIR) {
            struct stat s; /* a parent that may not be written, but is there */
            if (stat(path, &s) || !S_ISDIR(s.st_mode)) return false;
        }
        path[i] = was;
    }
    return true;
}

static bool main_dir(Build *b, char out[BUILD_PATH]) {
    const char *base = config_str(b->c, "base_compiledir"), *home = getenv("HOME");
    bool tilde = base[0] == '~' && (base[1] == '/' || !base[1]);
    if (!*base || (tilde && !home)) return false;
    int n = snprintf(out, BUILD_PATH, "%s%s/lua-units", tilde ? home : "", tilde ? base + 1 : base);
    return n < BUILD_PATH - 80;
}

static bool make_temp(Build *b) {
    const char *tmp = getenv("TMPDIR");
    int n = snprintf(b->temp, sizeof b->temp, "%s/theano-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (n >= BUILD_PATH - 80 || !mkdtemp(b->temp)) b->temp[0] = 0; /* mkdtemp: 0700, a fresh name */
    return b->temp[0];
}

bool cache_dir(Build *b, int which, bool make, char out[BUILD_PATH]) {
    if (which == CACHE_TEMP) {
        if (!b->temp[0] && (!make || !make_temp(b))) return false;
        memcpy(out, b->temp, BUILD_PATH);
        return trusted(out);
    }
    return main_dir(b, out) && (!make || make_path(out)) && trusted(out);
}

/* Calls what(path) for files of the directory that were left aside (all: for every file). */
static void each_file(const char *dir, bool all, time_t before) {
    DIR *d = opendir(dir);
    if (!d) return;
    for (struct dirent *e; (e = readdir(d));) {
        struct stat s;
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") || (!all && strncmp(e->d_name, "aside-", 6))) continue;
        if (fstatat(dirfd(d), e->d_name, &s, AT_SYMLINK_NOFOLLOW)) continue;
        if (all || s.st_mtime < before) unlinkat(dirfd(d), e->d_name, 0);
    }
    closedir(d);
}

/* Removes what processes that were killed left behind: files written aside more than an hour ago. */
void cache_sweep(Build *b, const char *dir) {
    if (b->swept) return;
    b->swept = true;
    each_file(dir, false, time(NULL) - 3600);
}

void cache_remove_temp(Build *b) {
    if (!b->temp[0]) return;
    each_file(b->temp, true, 0);
    rmdir(b->temp);
    b->temp[0] = 0;
}

/* ---- size -------------------------------------------------------------------------------------------------------- */
enum { FRESH = 600 }; /* seconds: what was used this recently stays, since somebody may be about to load it */

void cache_touch(const char *path) {
    struct stat s;
    if (!stat(path, &s) && s.st_mtime < time(NULL) - 60) utimensat(AT_FDCWD, path, NULL, 0);
}

typedef struct Unused { /* a unit that nobody used for a while */
    time_t used;
    off_t bytes;
    char name[BUILD_KEY + 4];
} Unused;

/* Units of the directory that may go, and how many bytes all units have. */
static Unused *unused(ThContext *c, const char *dir, int *n, int *room, int64_t *total) {
    DIR *d = opendir(dir);
    Unused *list = NULL;
    time_t before = time(NULL) - FRESH;
    *n = *room = 0;
    *total = 0;
    for (struct dirent *e; d && (e = readdir(d));) {
        struct stat s;
        size_t length = strlen(e->d_name);
        if (length != BUILD_KEY + 2 || strcmp(e->d_name + length - 3, ".so")) continue;
        if (fstatat(dirfd(d), e->d_name, &s, AT_SYMLINK_NOFOLLOW) || !S_ISREG(s.st_mode)) continue;
        *total += s.st_size;
        if (s.st_mtime >= before) continue;
        if (*n == *room) {
            Unused *more = ctx_alloc(c, sizeof *more * (size_t)(*room * 2 + 64));
            if (!more) break;
            if (*n) memcpy(more, list, sizeof *more * (size_t)*n);
            ctx_free(c, list, sizeof *list * (size_t)*room);
            list = more;
            *room = *room * 2 + 64;
        }
        Unused *u = &list[(*n)++];
        u->used = s.st_mtime;
        u->bytes = s.st_size;
        memcpy(u->name, e->d_name, length + 1);
    }
    if (d) closedir(d);
    return list;
}

static int by_use(const void *a, const void *b) {
    const Unused *x = a, *y = b;
    return (x->used > y->used) - (x->used < y->used);
}

void cache_limit(Build *b, const char *dir) {
    if (failed(b->c)) return;
    int n, room;
    int64_t total, most = config_int(b->c, "compile.cache_mb") * (1 << 20);
    Unused *list = unused(b->c, dir, &n, &room, &total);
    if (failed(b->c)) th_error_clear(b->c); /* no memory for a longer list: a shorter one will do */
    if (n && total > most) qsort(list, (size_t)n, sizeof *list, by_use);
    for (int i = 0; i < n && total > most / 4 * 3; i++) {
        char path[BUILD_PATH + 64];
        if (total <= most && i == 0) break;
        snprintf(path, sizeof path, "%s/%s", dir, list[i].name);
        if (!unlink(path)) total -= list[i].bytes; /* who has it mapped keeps it */
    }
    ctx_free(b->c, list, sizeof *list * (size_t)room);
}

/* ---- sealed files ------------------------------------------------------------------------------------------------ */
/* Maps a regular file of ours that nobody else can write; its size in *n. NULL otherwise. */
static void *map_ours(const char *path, size_t *n) {
    struct stat s;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return NULL;
    bool good = !fstat(fd, &s) && S_ISREG(s.st_mode) && s.st_uid == geteuid() && !(s.st_mode & 022) && s.st_size > 0;
    *n = good ? (size_t)s.st_size : 0;
    void *p = good ? mmap(NULL, *n, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    close(fd);
    return p == MAP_FAILED ? NULL : p;
}

bool cache_holds(const char *path, const char *key) {
    size_t n;
    char *p = map_ours(path, &n);
    if (!p) return false;
    Seal s;
    bool good = n > sizeof s;
    if (good) {
        memcpy(&s, p + n - sizeof s, sizeof s);
        good = !memcmp(s.magic, magic, sizeof magic) && !memcmp(s.key, key, BUILD_KEY) && s.size == n - sizeof s &&
               s.hash == hash_bytes(p, n - sizeof s, 1);
    }
    munmap(p, n);
    return good;
}

bool cache_seal(const char *path, const char *key) {
    if (chmod(path, 0700)) return false;
    size_t n;
    char *p = map_ours(path, &n);
    if (!p) return false;
    Seal s = {.size = n, .hash = hash_bytes(p, n, 1)};
    memcpy(s.magic, magic, sizeof magic);
    memcpy(s.key, key, BUILD_KEY);
    munmap(p, n);
    int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) return false;
    ssize_t wrote;
    do wrote = write(fd, &s, sizeof s);
    while (wrote < 0 && errno == EINTR);
    return close(fd) == 0 && wrote == (ssize_t)sizeof s;
}
