/*
 * cache.c -- the directories of built units.
 *
 * In: a key (hex) and a name. Out: whether the file of that name may be loaded. Always holds: a directory is used only
 * when nobody else can change it or what leads to it (core/base/trusted.h), it is held open, and its files are opened
 * from there; a file becomes visible under its name only whole (written aside, looked through, sealed, renamed), so a
 * kill at any moment leaves at most a file aside, which a later sweep removes. The seal at the end of a file (magic,
 * key, hash of all before it) is checked before the dynamic linker sees it: a truncated or changed file is built again.
 * The directory is kept under compile.cache_mb: a unit's time is that of its last use, and what was used longest ago
 * goes first, never what was used in the last minutes. There is no lock: two processes that build the same unit rename
 * equal files over each other.
 */
#include "base/trusted.h"
#include "build.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef struct Seal {
    char magic[16], key[BUILD_KEY + 7];
    uint64_t size, hash; /* of what stands before */
} Seal;
static const char magic[16] = "theano unit 1";

/* ---- directories ------------------------------------------------------------------------------------------------- */
CacheDir *cache_retain(CacheDir *d) {
    if (d) atomic_fetch_add(&d->refs, 1);
    return d;
}

void cache_release(CacheDir *d) {
    if (!d || atomic_fetch_sub(&d->refs, 1) != 1) return;
    close(d->fd);
    ctx_free(d->c, d, sizeof *d);
}

/* The directory just opened as fd (taken over) is the one that is held, or is held from now on. */
static CacheDir *hold(Build *b, int which, int fd, const char *path) {
    struct stat s;
    CacheDir *d = b->dir[which];
    if (fd >= 0 && fstat(fd, &s)) {
        close(fd);
        fd = -1;
    }
    if (fd < 0) return NULL;
    if (d && d->dev == s.st_dev && d->ino == s.st_ino && !strcmp(d->path, path)) {
        close(fd);
        return d;
    }
    cache_release(d);
    b->dir[which] = d = ctx_alloc(b->c, sizeof *d);
    if (!d) {
        close(fd);
        return NULL;
    }
    *d = (CacheDir){.c = b->c, .fd = fd, .dev = s.st_dev, .ino = s.st_ino};
    atomic_init(&d->refs, 1);
    memcpy(d->path, path, strlen(path) + 1);
    return d;
}

static bool make_temp(Build *b) {
    const char *tmp = ctx_env(b->c, "TMPDIR");
    FileAt at;
    if (ctx_ask_file(b->c, 'd', tmp && *tmp ? tmp : "/tmp", &at)) return false;
    int n = snprintf(b->temp, sizeof b->temp, "%s/theano-XXXXXX", at.path);
    if (n >= BUILD_PATH - 96 || !mkdtemp(b->temp)) b->temp[0] = 0; /* mkdtemp: 0700, a fresh name */
    return b->temp[0];
}

CacheDir *cache_dir(Build *b, int which, bool make) {
    char path[BUILD_PATH];
    int fd = -1;
    if (which == CACHE_MAIN) fd = trusted_compiledir(b->c, "lua-units", make, path, b->why);
    else if (b->temp[0] || (make && make_temp(b))) fd = trusted_dir(b->temp, false, path, b->why);
    return hold(b, which, fd, path);
}

/* A directory in another one, to be read; "." for itself: a copy of its descriptor. */
static DIR *list_at(int dir, const char *name) {
    int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    DIR *list = fd < 0 ? NULL : fdopendir(fd);
    if (!list && fd >= 0) close(fd);
    return list;
}

static DIR *list_of(const CacheDir *d) { return list_at(d->fd, "."); }

static bool itself(const char *name) { return !strcmp(name, ".") || !strcmp(name, ".."); }

/* Compilers make no folders in theirs. */
static void remove_folder(int dir, const char *name) {
    DIR *d = list_at(dir, name);
    if (!d) return;
    for (struct dirent *e; (e = readdir(d));)
        if (!itself(e->d_name)) unlinkat(dirfd(d), e->d_name, 0);
    closedir(d);
    unlinkat(dir, name, AT_REMOVEDIR);
}

bool cache_folder(const CacheDir *d, const char *name) {
    remove_folder(d->fd, name); /* of a process that had our number and was killed */
    return !mkdirat(d->fd, name, 0700);
}

void cache_folder_remove(const CacheDir *d, const char *name) { remove_folder(d->fd, name); }

/* What calls spent in the interpreter (tiers.c) is known for a day. */
static bool spent(const char *name) {
    const char *end = strrchr(name, '.');
    return end && !strcmp(end, ".spent");
}

/* Removes what was left aside in the directory (all: every file). */
static void remove_files(const CacheDir *dir, bool all, time_t before) {
    DIR *d = list_of(dir);
    if (!d) return;
    for (struct dirent *e; (e = readdir(d));) {
        struct stat s;
        const bool old = spent(e->d_name);
        if (itself(e->d_name)) continue;
        if (!all && !old && strncmp(e->d_name, "aside-", 6)) continue;
        if (fstatat(dirfd(d), e->d_name, &s, AT_SYMLINK_NOFOLLOW)) continue;
        if (!all && s.st_mtime >= before - (old ? 86400 : 0)) continue;
        if (S_ISDIR(s.st_mode)) remove_folder(dirfd(d), e->d_name);
        else unlinkat(dirfd(d), e->d_name, 0);
    }
    closedir(d);
}

/* Removes what processes that were killed left behind: what was written aside more than an hour ago. */
void cache_sweep(Build *b, const CacheDir *dir) {
    if (b->swept) return;
    b->swept = true;
    remove_files(dir, false, time(NULL) - 3600);
}

void cache_close(Build *b) {
    CacheDir *d = b->temp[0] ? cache_dir(b, CACHE_TEMP, false) : NULL;
    if (d) remove_files(d, true, 0);
    if (b->temp[0]) rmdir(b->temp);
    b->temp[0] = 0;
    for (int i = 0; i < TH_LEN(b->dir); i++) {
        cache_release(b->dir[i]);
        b->dir[i] = NULL;
    }
}

/* ---- size -------------------------------------------------------------------------------------------------------- */
enum { FRESH = 600 }; /* seconds: what was used this recently stays, since somebody may be about to load it */

void cache_touch(const CacheDir *d, const char *name) {
    struct stat s;
    if (!fstatat(d->fd, name, &s, AT_SYMLINK_NOFOLLOW) && s.st_mtime < time(NULL) - 60)
        utimensat(d->fd, name, NULL, AT_SYMLINK_NOFOLLOW);
}

typedef struct Unused { /* a unit that nobody used for a while */
    time_t used;
    off_t bytes;
    char name[BUILD_IMAGE];
} Unused;

/* KEY.so, KEY.cubin, or KEY.cu: a text that did not compile. */
static bool kept(const char *name) {
    static const char *const end[] = {".so", ".cubin", ".cu"};
    for (int i = 0; i < TH_LEN(end) && strlen(name) > BUILD_KEY; i++)
        if (!strcmp(name + BUILD_KEY - 1, end[i])) return true;
    return false;
}

/* Units and images of the directory that may go, and how many bytes all units have. */
static Unused *unused(ThContext *c, const CacheDir *dir, int *n, int *room, int64_t *total) {
    DIR *d = list_of(dir);
    Unused *list = NULL;
    time_t before = time(NULL) - FRESH;
    *n = *room = 0;
    *total = 0;
    for (struct dirent *e; d && (e = readdir(d));) {
        struct stat s;
        size_t length = strlen(e->d_name);
        if (!kept(e->d_name)) continue;
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

void cache_limit(Build *b, const CacheDir *dir) {
    if (failed(b->c)) return;
    int n, room;
    int64_t total, most = config_int(b->c, "compile.cache_mb") * (1 << 20);
    Unused *list = unused(b->c, dir, &n, &room, &total);
    if (failed(b->c)) th_error_clear(b->c); /* no memory for a longer list: a shorter one will do */
    if (n && total > most) qsort(list, (size_t)n, sizeof *list, by_use);
    for (int i = 0; i < n && total > most / 4 * 3; i++) {
        if (total <= most && i == 0) break;
        if (!unlinkat(dir->fd, list[i].name, 0)) total -= list[i].bytes; /* who has it mapped keeps it */
    }
    ctx_free(b->c, list, sizeof *list * (size_t)room);
}

/* ---- sealed files ------------------------------------------------------------------------------------------------ */
/* The bytes of a regular file of ours that nobody else can write, read and not mapped: a file that is cut meanwhile
 * must not end the process. NULL: there is none, or no memory. */
static char *read_ours(const CacheDir *d, const char *name, int *fd, int flags, size_t *n) {
    struct stat s;
    *fd = trusted_open(d->fd, name, flags);
    if (*fd < 0) return NULL;
    *n = !fstat(*fd, &s) && s.st_size > 0 ? (size_t)s.st_size : 0;
    char *p = *n ? ctx_alloc(d->c, *n) : NULL;
    for (size_t have = 0; p && have < *n;) {
        ssize_t got = read(*fd, p + have, *n - have);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) {
            ctx_free(d->c, p, *n);
            p = NULL;
        } else have += (size_t)got;
    }
    if (!p) close(*fd);
    return p;
}

/* Bytes with their seal behind them. */
static bool sealed(const char *p, size_t n, const char *key) {
    Seal s;
    if (n <= sizeof s) return false;
    memcpy(&s, p + n - sizeof s, sizeof s);
    return !memcmp(s.magic, magic, sizeof magic) && !memcmp(s.key, key, BUILD_KEY) && s.size == n - sizeof s &&
           s.hash == hash_bytes(p, n - sizeof s, 1);
}

static Seal seal_for(const void *p, size_t n, const char *key) {
    Seal s = {.size = n, .hash = hash_bytes(p, n, 1)};
    memcpy(s.magic, magic, sizeof magic);
    memcpy(s.key, key, BUILD_KEY);
    return s;
}

bool cache_holds(const CacheDir *d, const char *name, const char *key) {
    size_t n;
    int fd;
    char *p = read_ours(d, name, &fd, O_RDONLY, &n);
    if (!p) return false;
    bool good = sealed(p, n, key);
    ctx_free(d->c, p, n);
    close(fd);
    return good;
}

char *cache_read(const CacheDir *d, const char *name, const char *key, size_t *n) {
    size_t all;
    int fd;
    char *p = read_ours(d, name, &fd, O_RDONLY, &all), *bytes = NULL;
    if (!p) return NULL;
    *n = all - sizeof(Seal);
    if (sealed(p, all, key)) bytes = ctx_alloc(d->c, *n);
    if (bytes) memcpy(bytes, p, *n);
    ctx_free(d->c, p, all);
    close(fd);
    return bytes;
}

static bool put(int fd, const void *bytes, size_t n) {
    for (const char *p = bytes; n;) {
        ssize_t wrote = write(fd, p, n);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return false;
        p += wrote, n -= (size_t)wrote;
    }
    return true;
}

const CacheDir *cache_keep(Build *b, int which, const char *name, const char *key, const void *bytes, size_t n) {
    char aside[BUILD_IMAGE + 64];
    Seal s = {0};
    const CacheDir *d = cache_dir(b, which, true);
    if (!d) return NULL;
    if (key) s = seal_for(bytes, n, key);
    cache_sweep(b, d);
    if (which == CACHE_MAIN && b->built++ % 64 == 0) cache_limit(b, d);
    number_format(aside, sizeof aside, "aside-%ld-%u-%.8s", (long)getpid(), ++b->serial, name);
    int fd = openat(d->fd, aside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return NULL;
    bool good = put(fd, bytes, n) && (!key || put(fd, &s, sizeof s));
    if (close(fd)) good = false;
    if (good && !renameat(d->fd, aside, d->fd, name)) return d;
    unlinkat(d->fd, aside, 0);
    return NULL;
}

const char *cache_seal(const CacheDir *d, const char *name, const char *key) {
    size_t n;
    int fd;
    if (fchmodat(d->fd, name, 0700, 0)) return errno == ENOENT ? "it made nothing" : "what it made cannot be kept";
    char *p = read_ours(d, name, &fd, O_RDWR | O_APPEND, &n);
    if (!p) return "what it made cannot be read";
    const char *bad = elf_incomplete(p, n, key);
    Seal s = seal_for(p, n, key);
    ctx_free(d->c, p, n);
    ssize_t wrote = 0;
    do wrote = bad ? 0 : write(fd, &s, sizeof s);
    while (wrote < 0 && errno == EINTR);
    bool closed = close(fd) == 0;
    return bad ? bad : closed && wrote == (ssize_t)sizeof s ? NULL : "what it made cannot be kept";
}
