/*
 * trusted.c -- directories and files that nobody else can change.
 *
 * In: a path. Out: an open directory, so that what is done there later is done in what was looked at. Always holds:
 * each step of a path is opened in the one before it, looked at while open, and belongs to root, to us, or to whoever
 * owns the root directory (in a sandbox root may have another number); nobody else may write it, but for directories
 * with the sticky bit on the way, where others cannot rename what is ours.
 */
#define _GNU_SOURCE /* O_PATH */
#include "trusted.h"

#if OS_POSIX
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS = 40 };

typedef struct Walk {
    char full[TRUSTED_PATH]; /* where it stands; "" at the root */
    char rest[TRUSTED_PATH]; /* what is to go */
    char *why;
    int at, links;
    uid_t system;
} Walk;

/* why NULL: the system's reason. */
static bool no(Walk *w, const char *name, const char *why) {
    const char *reason = why ? why : strerror(errno);
    snprintf(w->why, TRUSTED_WHY, "%.400s/%.100s%s %.90s", w->full, name, why ? "" : ":", reason);
    return false;
}

static bool owned(const Walk *w, const struct stat *s) {
    return s->st_uid == 0 || s->st_uid == geteuid() || s->st_uid == w->system;
}

/* Puts text before what is to go. */
static bool push(Walk *w, const char *text, size_t n) {
    size_t have = strlen(w->rest);
    if (n + have + 2 > sizeof w->rest) return no(w, "", "is a path too long");
    memmove(w->rest + n + 1, w->rest, have + 1);
    memcpy(w->rest, text, n);
    w->rest[n] = '/';
    return true;
}

static bool to_root(Walk *w) {
    struct stat s;
    if (w->at >= 0) close(w->at);
    w->full[0] = 0;
    w->at = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (w->at < 0 || fstat(w->at, &s)) return no(w, "", NULL);
    w->system = s.st_uid;
    return !(s.st_mode & 022) || (s.st_mode & S_ISVTX) || no(w, "", "can be written by others");
}

static bool follow(Walk *w, int link, const char *name) {
    char text[TRUSTED_PATH];
    ssize_t n = readlinkat(link, "", text, sizeof text);
    if (n <= 0 || n == (ssize_t)sizeof text || ++w->links > LINKS) return no(w, name, "is a link that leads nowhere");
    return push(w, text, (size_t)n) && (text[0] != '/' || to_root(w));
}

/* The step `name` from where it stands. */
static bool enter(Walk *w, const char *name, bool make) {
    struct stat s;
    size_t n = strlen(w->full), m = strlen(name);
    int to = openat(w->at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (to < 0 && errno == ENOENT && make) {
        if (mkdirat(w->at, name, 0700) && errno != EEXIST) return no(w, name, NULL);
        to = openat(w->at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    }
    if (to < 0) return no(w, name, NULL);
    bool good = !fstat(to, &s) && (owned(w, &s) || no(w, name, "belongs to somebody else"));
    if (good && S_ISLNK(s.st_mode)) {
        good = follow(w, to, name);
        close(to);
        return good;
    }
    if (good && !S_ISDIR(s.st_mode)) good = no(w, name, "is no directory");
    if (good && (s.st_mode & 022) && !(s.st_mode & S_ISVTX)) good = no(w, name, "can be written by others");
    if (good && n + m + 2 > sizeof w->full) good = no(w, name, "is a path too long");
    if (!good) {
        close(to);
        return false;
    }
    close(w->at);
    w->at = to;
    w->full[n] = '/';
    memcpy(w->full + n + 1, name, m + 1);
    return true;
}

/* ".." of a directory without links is the directory before it in its path. */
static bool leave(Walk *w) {
    char *last = strrchr(w->full, '/');
    char before[TRUSTED_PATH];
    if (!last) return true;
    memcpy(before, w->full, (size_t)(last - w->full));
    before[last - w->full] = 0;
    return push(w, before, strlen(before)) && to_root(w);
}

static bool walk(Walk *w, bool make) {
    while (w->rest[0]) {
        char name[TRUSTED_PATH];
        const char *from = w->rest + strspn(w->rest, "/");
        size_t n = strcspn(from, "/");
        memcpy(name, from, n);
        name[n] = 0;
        memmove(w->rest, from + n, strlen(from + n) + 1);
        if (!n || !strcmp(name, ".")) continue;
        if (!(strcmp(name, "..") ? enter(w, name, make) : leave(w))) return false;
    }
    return true;
}

static bool begin(Walk *w, const char *path) {
    size_t n = strlen(path);
    if (!n || n + 2 > sizeof w->rest) return no(w, "", n ? "is a path too long" : "has no name");
    memcpy(w->rest, path, n + 1);
    if (path[0] != '/') {
        char here[TRUSTED_PATH];
        if (!getcwd(here, sizeof here)) return no(w, path, NULL);
        if (!push(w, here, strlen(here))) return false;
    }
    return to_root(w);
}

int trusted_dir(const char *path, bool make, char *full, char why[TRUSTED_WHY]) {
    Walk w = {.why = why, .at = -1};
    struct stat s;
    why[0] = 0;
    bool good = begin(&w, path) && walk(&w, make);
    if (good && fstat(w.at, &s)) good = no(&w, "", NULL);
    if (good && s.st_uid != geteuid()) good = no(&w, "", "belongs to somebody else");
    if (good && (s.st_mode & 022)) good = no(&w, "", "can be written by others");
    if (full) memcpy(full, good && !w.full[0] ? "/" : w.full, good && !w.full[0] ? 2 : strlen(w.full) + 1);
    if (good) return w.at;
    if (w.at >= 0) close(w.at);
    return -1;
}

int trusted_compiledir(ThContext *c, const char *sub, bool make, char *full, char why[TRUSTED_WHY]) {
    char path[TRUSTED_PATH];
    const char *base = config_str(c, "base_compiledir"), *home = ctx_env(c, "HOME");
    bool tilde = base[0] == '~' && (base[1] == '/' || !base[1]);
    snprintf(why, TRUSTED_WHY, "%s", tilde ? "HOME is not set" : "its name is empty or too long");
    if (!*base || (tilde && !home)) return -1;
    int n = snprintf(path, sizeof path, "%s%s%s%s", tilde ? home : "", tilde ? base + 1 : base, sub ? "/" : "",
                     sub ? sub : "");
    if (n >= (int)sizeof path - 96) return -1;
    FileAt at;
    const char *refused = ctx_ask_file(c, 'd', path, &at);
    if (refused) snprintf(why, TRUSTED_WHY, "%s", refused);
    return refused ? -1 : trusted_dir(at.path, make, full, why);
}

int trusted_open(int dir, const char *name, int flags) {
    struct stat s;
    int fd = openat(dir, name, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (fd < 0) return -1;
    if (!fstat(fd, &s) && S_ISREG(s.st_mode) && s.st_uid == geteuid() && !(s.st_mode & 022)) return fd;
    close(fd);
    return -1;
}

/* ---- programs ---------------------------------------------------------------------------------------------------- */
/* Whether everybody can put a program there, or put another directory in its place. */
static bool open_to_all(const char *dir, size_t n) {
    char path[TRUSTED_PATH];
    struct stat s;
    if (!n || dir[0] != '/' || n >= sizeof path) return true;
    memcpy(path, dir, n);
    path[n] = 0;
    if (!stat(path, &s) && (s.st_mode & 02)) return true;
    for (size_t i = n; --i > 0;) {
        if (path[i] != '/') continue;
        path[i] = 0;
        if (!stat(path, &s) && (s.st_mode & 02) && !(s.st_mode & S_ISVTX)) return true;
    }
    return false;
}

static bool runnable(const char *path) {
    struct stat s;
    return !stat(path, &s) && S_ISREG(s.st_mode) && !access(path, X_OK);
}

bool trusted_program(ThContext *c, const char *name, char out[TRUSTED_PATH]) {
    if (strchr(name, '/')) return snprintf(out, TRUSTED_PATH, "%s", name) < TRUSTED_PATH && runnable(out);
    const char *path = ctx_env(c, "PATH");
    for (const char *p = path ? path : ""; *p;) {
        size_t n = strcspn(p, ":");
        int len = snprintf(out, TRUSTED_PATH, "%.*s/%s", (int)n, p, name);
        if (len < TRUSTED_PATH && runnable(out) && !open_to_all(p, n)) return true;
        p += n + (p[n] == ':');
    }
    return false;
}

char *trusted_search(ThContext *c) {
    const char *path = ctx_env(c, "PATH");
    Text t;
    text_init(&t, c);
    for (const char *p = path ? path : ""; *p;) {
        size_t n = strcspn(p, ":");
        if (!open_to_all(p, n)) {
            if (t.n) text_putc(&t, ':');
            text_put_n(&t, p, n);
        }
        p += n + (p[n] == ':');
    }
    if (!t.n) text_put(&t, "/usr/bin:/bin");
    char *safe = text_take(&t);
    if (safe && path && strcmp(safe, path)) return safe;
    th_free(c, safe);
    return NULL;
}

long trusted_user(void) { return (long)getuid(); }

#else /* no system call tells who else may write */

int trusted_dir(const char *path, bool make, char *full, char why[TRUSTED_WHY]) {
    (void)make;
    snprintf(why, TRUSTED_WHY, "%.400s: this system has no directories that are known to be ours alone", path);
    if (full) full[0] = 0;
    return -1;
}

int trusted_compiledir(ThContext *c, const char *sub, bool make, char *full, char why[TRUSTED_WHY]) {
    (void)sub;
    return trusted_dir(config_str(c, "base_compiledir"), make, full, why);
}

int trusted_open(int dir, const char *name, int flags) {
    (void)dir, (void)name, (void)flags;
    return -1;
}

bool trusted_program(ThContext *c, const char *name, char out[TRUSTED_PATH]) {
    (void)c, (void)name;
    out[0] = 0;
    return false;
}

char *trusted_search(ThContext *c) {
    (void)c;
    return NULL;
}

long trusted_user(void) { return 0; }
#endif
