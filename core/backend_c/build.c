/*
 * build.c -- the text of a unit becomes a loaded Unit: found in the cache, or compiled into it.
 *
 * In: self-contained C. Out: a Unit, or NULL after at most one log line a reason. Always holds: the compiler is started
 * directly (never through a shell), with one file in and one file out, both in a directory that only we can write; the
 * name of a built unit is a hash of everything that decides its code: text (key.c), compiler (path, size, time), flags,
 * instruction set, TH_RT_ABI.
 */
#define _GNU_SOURCE /* pipe2 */
#include "build.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

extern char **environ;

enum { GIVE_UP = 3 };
/* -nostdlib with the libraries by name skips start files and LTO's plugin: 8 ms of some 45 for a small unit. */
static const char fixed_flags[] = "-std=gnu11 -O2 -fPIC -shared -fwrapv -fno-strict-aliasing -ffp-contract=off "
                                  "-fno-math-errno -fno-trapping-math -w -nostdlib -Wl,--hash-style=gnu";

static void release_state(ThContext *c, void *p) {
    cache_remove_temp(p);
    ctx_free(c, p, sizeof(Build));
}

Build *build_state(ThContext *c) {
    Build *b = c->slot[CTX_BACKEND_C];
    if (b) return b;
    b = ctx_alloc0(c, sizeof *b);
    if (!b) return NULL;
    b->c = c;
    c->slot[CTX_BACKEND_C] = b;
    c->slot_free[CTX_BACKEND_C] = release_state;
    return b;
}

/* ---- which compiler ---------------------------------------------------------------------------------------------- */
static bool runnable(const char *path) {
    struct stat s;
    return !stat(path, &s) && S_ISREG(s.st_mode) && !access(path, X_OK);
}

static bool find_program(const char *name, char out[BUILD_PATH]) {
    if (strchr(name, '/')) return snprintf(out, BUILD_PATH, "%s", name) < BUILD_PATH && runnable(out);
    const char *path = getenv("PATH");
    for (const char *p = path ? path : ""; *p;) {
        size_t n = strcspn(p, ":");
        int len = snprintf(out, BUILD_PATH, "%.*s/%s", (int)n, p, name);
        if (n && len < BUILD_PATH && runnable(out)) return true;
        p += n + (p[n] == ':');
    }
    return false;
}

/* Cuts a text at its blanks; false when it has too many words. */
static bool split(Compiler *k) {
    for (char *p = k->words; *p;) {
        while (*p == ' ' || *p == '\t') *p++ = 0;
        if (!*p) break;
        if (k->argc >= BUILD_WORDS - 24) return false;
        k->argv[k->argc++] = p;
        p += strcspn(p, " \t");
    }
    return k->argc > 0;
}

static bool make_key(ThContext *c, Compiler *k, const char *flags, const struct stat *s, const char *source) {
    char head[BUILD_PATH + 128];
    int n = snprintf(head, sizeof head, "%d|%s|%lld|%lld.%ld|", TH_RT_ABI, k->path, (long long)s->st_size,
                     (long long)s->st_mtim.tv_sec, s->st_mtim.tv_nsec);
    uint64_t of_head = XXH3_64bits_withSeed(head, (size_t)n, 7);
    uint64_t of_flags = XXH3_64bits_withSeed(flags, strlen(flags), of_head);
    char *canonical = key_canonical(c, source);
    if (!canonical) return false;
    XXH128_hash_t h = XXH3_128bits_withSeed(canonical, strlen(canonical), of_flags);
    th_free(c, canonical);
    snprintf(k->key, BUILD_KEY, "%016llx%016llx", (unsigned long long)h.high64, (unsigned long long)h.low64);
    return true;
}

/* Finds the compiler and its flags, and the key of the source under them. */
bool build_choose(Build *b, Compiler *k, const char *source) {
    const char *cxx = config_str(b->c, "cxx");
    Text t;
    text_init(&t, b->c);
    text_printf(&t, "%s %s%s %s", cxx, fixed_flags, machine_flags(b->c), config_str(b->c, "gcc.cxxflags"));
    k->words = text_take(&t);
    if (!k->words) return false;
    char *flags = ctx_strdup(b->c, k->words);
    struct stat s;
    bool good = flags && cxx[strspn(cxx, " \t")] && split(k) && find_program(k->argv[0], k->path) && !stat(k->path, &s);
    good = good && make_key(b->c, k, flags, &s, source);
    th_free(b->c, flags);
    if (good || failed(b->c)) return good;
    if (!b->told_compiler && !cxx[strspn(cxx, " \t")])
        ctx_log(b->c, "theano: there is no C compiler (config cxx is empty): functions run in the interpreter");
    else if (!b->told_compiler)
        ctx_log(b->c, "theano: the C compiler '%.200s' (config cxx) cannot be run: functions run in the interpreter",
                cxx);
    b->told_compiler = true;
    return false;
}

/* ---- running it -------------------------------------------------------------------------------------------------- */
/* Reads all of fd, keeping the first bytes. */
static void drain(int fd, char out[BUILD_OUTPUT]) {
    size_t have = 0;
    char rest[1024];
    for (;;) {
        bool room = have < BUILD_OUTPUT - 1;
        ssize_t n = room ? read(fd, out + have, BUILD_OUTPUT - 1 - have) : read(fd, rest, sizeof rest);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        if (room) have += (size_t)n;
    }
    out[have] = 0;
}

static int start(const char *path, char *const *argv, int output, pid_t *pid) {
    posix_spawn_file_actions_t a;
    posix_spawnattr_t at;
    sigset_t none;
    sigemptyset(&none);
    if (posix_spawn_file_actions_init(&a)) return ENOMEM;
    if (posix_spawnattr_init(&at)) {
        posix_spawn_file_actions_destroy(&a);
        return ENOMEM;
    }
    int rc = posix_spawn_file_actions_addopen(&a, 0, "/dev/null", O_RDONLY, 0);
    if (!rc) rc = posix_spawn_file_actions_adddup2(&a, output, 1);
    if (!rc) rc = posix_spawn_file_actions_adddup2(&a, output, 2);
    if (!rc) rc = posix_spawnattr_setsigmask(&at, &none); /* the host may block signals; the compiler's children wait */
    if (!rc) rc = posix_spawnattr_setflags(&at, POSIX_SPAWN_SETSIGMASK);
    if (!rc) rc = posix_spawn(pid, path, &a, &at, argv, environ);
    posix_spawnattr_destroy(&at);
    posix_spawn_file_actions_destroy(&a);
    return rc;
}

int build_start(const Compiler *k, int output, int *pid) {
    pid_t p;
    int rc = start(k->path, k->argv, output, &p);
    *pid = rc ? 0 : (int)p;
    return rc;
}

void build_child(const Compiler *k, Child *ch, char out[BUILD_OUTPUT]) {
    int p[2];
    pid_t pid;
    out[0] = 0;
    ch->pid = 0;
    if (pipe2(p, O_CLOEXEC)) return;
    int rc = start(k->path, k->argv, p[1], &pid);
    close(p[1]);
    if (rc) {
        close(p[0]);
        snprintf(out, BUILD_OUTPUT, "%s", strerror(rc));
        return;
    }
    ch->pid = (int)pid;
    ch->fd = p[0];
}

int build_wait(Child *ch, char out[BUILD_OUTPUT]) {
    int status = 0;
    if (!ch->pid) return -1;
    drain(ch->fd, out);
    close(ch->fd);
    pid_t got;
    do got = waitpid(ch->pid, &status, 0);
    while (got < 0 && errno == EINTR);
    ch->pid = 0;
    if (got < 0) return 0; /* a host that ignores SIGCHLD: the file it made tells */
    if (WIFSIGNALED(status)) snprintf(out, BUILD_OUTPUT, "killed by signal %d", WTERMSIG(status));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* ---- one build --------------------------------------------------------------------------------------------------- */
static bool write_all(int fd, const char *p, size_t n) {
    while (n) {
        ssize_t w = write(fd, p, n);
        if (w < 0 && errno == EINTR) continue;
        if (w <= 0) return false;
        p += w;
        n -= (size_t)w;
    }
    return true;
}

bool build_write(const char *path, const char *source, const char *key) {
    char tail[96];
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return false;
    int n = key ? snprintf(tail, sizeof tail, "\nconst char theano_key[] = \"%s\";\n", key) : 0;
    bool good = write_all(fd, source, strlen(source)) && write_all(fd, tail, (size_t)n);
    if (close(fd)) good = false;
    if (!good) unlink(path);
    return good;
}

void build_shorten(char *s) {
    int lines = 0;
    for (char *p = s; *p; p++) {
        if (*p != '\n') continue;
        if (++lines == 3 || !p[1]) {
            *p = 0;
            return;
        }
        *p = '|';
    }
}

static void tell_failure(Build *b, const Compiler *k, char *output) {
    build_shorten(output);
    b->gave_up = ++b->failures >= GIVE_UP;
    ctx_log(b->c, "theano: the C compiler %s failed%s: %.700s; %s in the interpreter", k->path,
            b->gave_up ? " again" : "", output[0] ? output : "(it printed nothing)",
            b->gave_up ? "from now on all functions run" : "this function runs");
}

enum { BUILT, REFUSED, NOT_WRITTEN };
bool build_prepare(Build *b, int which, Compiler *k, BuildJob *j, const char *source) {
    char dir[BUILD_PATH];
    if (!cache_dir(b, which, true, dir)) return false;
    unsigned serial = ++b->serial;
    snprintf(j->path, BUILD_PATH, "%.*s/%s.so", BUILD_PATH - 80, dir, k->key);
    snprintf(j->in, sizeof j->in, "%s/aside-%ld-%u-%.8s.c", dir, (long)getpid(), serial, k->key);
    snprintf(j->out, sizeof j->out, "%s/aside-%ld-%u-%.8s.so", dir, (long)getpid(), serial, k->key);
    cache_sweep(b, dir);
    if (which == CACHE_MAIN && b->built++ % 64 == 0) cache_limit(b, dir);
    unlink(j->in); /* of a process that had our number and was killed */
    if (!build_write(j->in, source, k->key)) return false;
    int n = k->argc;
    k->argv[n++] = (char *)(uintptr_t) "-o";
    k->argv[n++] = j->out;
    k->argv[n++] = j->in;
    if (strstr(source, "_ZGV")) k->argv[n++] = (char *)(uintptr_t) "-lmvec";
    k->argv[n++] = (char *)(uintptr_t) "-lm";
    k->argv[n++] = (char *)(uintptr_t) "-lc";
    k->argv[n] = NULL;
    return true;
}

bool build_finish(const Compiler *k, const BuildJob *j, bool ok) {
    bool sealed = ok && !access(j->out, F_OK) && cache_seal(j->out, k->key) && !rename(j->out, j->path);
    unlink(j->in);
    if (!sealed) unlink(j->out);
    return sealed;
}

static int build_in(Build *b, int which, Compiler *k, BuildJob *j, const char *source) {
    char output[BUILD_OUTPUT];
    if (!build_prepare(b, which, k, j, source)) return NOT_WRITTEN;
    int n = parts_wanted(b, source), rc = n > 1 ? parts_build(b, k, j, source, n, output) : PARTS_NOT;
    if (rc == PARTS_NOT) {
        Child ch;
        build_child(k, &ch, output);
        rc = build_wait(&ch, output);
    }
    bool sealed = build_finish(k, j, !rc);
    if (rc) tell_failure(b, k, output);
    return rc ? REFUSED : sealed ? BUILT : NOT_WRITTEN;
}

/* Looks for the unit in a directory. */
static bool find_in(Build *b, int which, const Compiler *k, char path[BUILD_PATH]) {
    char dir[BUILD_PATH];
    if (!cache_dir(b, which, false, dir)) return false;
    snprintf(path, BUILD_PATH, "%.*s/%s.so", BUILD_PATH - 80, dir, k->key);
    return cache_holds(path, k->key);
}

bool build_find(Build *b, const Compiler *k, char path[BUILD_PATH]) {
    bool found = find_in(b, CACHE_MAIN, k, path) || find_in(b, CACHE_TEMP, k, path);
    if (found) cache_touch(path);
    return found;
}

/* Builds in the cache, else in the context's own directory. */
static bool build(Build *b, Compiler *k, BuildJob *j, const char *source) {
    if (b->gave_up) return false;
    int rc = b->told_dir ? NOT_WRITTEN : build_in(b, CACHE_MAIN, k, j, source);
    if (rc == NOT_WRITTEN) {
        if (!b->told_dir)
            ctx_log(b->c,
                    "theano: the cache %s (config base_compiledir) cannot be written, or others can write it: "
                    "units go to a temporary directory",
                    config_str(b->c, "base_compiledir"));
        b->told_dir = true;
        rc = build_in(b, CACHE_TEMP, k, j, source);
        if (rc == NOT_WRITTEN && !b->told_temp) {
            ctx_log(b->c, "theano: there is no directory to build in: functions run in the interpreter");
            b->told_temp = true;
        }
    }
    if (rc != BUILT) return false;
    b->failures = 0;
    atomic_fetch_add(&b->c->compiles, 1);
    return true;
}

Unit *unit_build(ThContext *c, const char *source) {
    Build *b = build_state(c);
    if (!b) return NULL;
    Compiler *k = ctx_alloc0(c, sizeof *k);
    BuildJob *j = ctx_alloc(c, sizeof *j);
    Unit *u = NULL;
    if (k && j && build_choose(b, k, source)) {
        bool hit = build_find(b, k, j->path);
        if (hit) atomic_fetch_add(&c->cache_hits, 1);
        if (hit || build(b, k, j, source)) u = unit_load(c, j->path, k->key, source);
    }
    if (k) th_free(c, k->words);
    ctx_free(c, j, sizeof *j);
    ctx_free(c, k, sizeof *k);
    return u;
}
