/*
 * build.c -- the text of a unit becomes a loaded Unit: found in the cache, or compiled into it.
 *
 * In: self-contained C. Out: a Unit, or NULL after at most one log line a reason. Always holds: the compiler is started
 * directly (never through a shell), with one file in and one file out, both in a directory that only we can write; the
 * name of a built unit is a hash of everything that decides its code: text (key.c), compiler (path, size, time), flags,
 * instruction set, TH_RT_ABI, which kernels are the library's (common.c).
 */
#include "common.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { GIVE_UP = 3 };
/* -nostdlib with the libraries by name skips start files and LTO's plugin: 8 ms of some 45 for a small unit. */
static const char fixed_flags[] = "-std=gnu11 -O2 -fPIC -shared -fwrapv -fno-strict-aliasing -ffp-contract=off "
                                  "-fno-math-errno -fno-trapping-math -w -nostdlib -Wl,--hash-style=gnu";

static void release_state(ThContext *c, void *p) {
    cache_close(p);
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

bool build_key(ThContext *c, char key[BUILD_KEY], uint64_t identity, const char *source) {
    char *canonical = key_canonical(c, source);
    if (!canonical) return false;
    XXH128_hash_t h = XXH3_128bits_withSeed(canonical, strlen(canonical), identity);
    th_free(c, canonical);
    snprintf(key, BUILD_KEY, "%016llx%016llx", (unsigned long long)h.high64, (unsigned long long)h.low64);
    return true;
}

static uint64_t identity(const Compiler *k, const struct stat *s, const char *flags) {
    char head[BUILD_PATH + 128];
    int n = snprintf(head, sizeof head, "%d|%s|%lld|%lld.%ld|", TH_RT_ABI, k->path, (long long)s->st_size,
                     (long long)s->st_mtim.tv_sec, s->st_mtim.tv_nsec);
    return XXH3_64bits_withSeed(flags, strlen(flags), XXH3_64bits_withSeed(head, (size_t)n, 7));
}

bool build_compiler(Build *b, Compiler *k, const char *flags) {
    const char *cxx = config_str(b->c, "cxx");
    Text t;
    text_init(&t, b->c);
    text_printf(&t, "%s %s%s", cxx, fixed_flags, flags);
    k->c = b->c;
    int64_t seconds = config_int(b->c, "compile.timeout");
    k->patience = seconds > 0 && seconds < 1 << 30 ? seconds * 1000000000 : 0;
    k->words = text_take(&t);
    if (!k->words) return false;
    char *whole = ctx_strdup(b->c, k->words);
    struct stat s;
    bool good = whole && cxx[strspn(cxx, " \t")] && split(k) && trusted_program(b->c, k->argv[0], k->path) &&
                !stat(k->path, &s);
    if (good) k->identity = identity(k, &s, whole);
    th_free(b->c, whole);
    if (good || failed(b->c)) return good;
    if (!b->told_compiler && !cxx[strspn(cxx, " \t")])
        ctx_log(b->c, "theano: there is no C compiler (config cxx is empty): functions run in the interpreter");
    else if (!b->told_compiler)
        ctx_log(b->c, "theano: the C compiler '%.200s' (config cxx) cannot be run: functions run in the interpreter",
                cxx);
    b->told_compiler = true;
    return false;
}

/* Finds the compiler and its flags, and the key of the source under them. */
bool build_choose(Build *b, Compiler *k, const char *source) {
    Text flags;
    text_init(&flags, b->c);
    text_printf(&flags, "%s %s", machine_flags(b->c), config_str(b->c, "gcc.cxxflags"));
    uint64_t which = 0;
    bool ok = !flags.failed && build_compiler(b, k, flags.at) &&
              common_cut(b->c, common_here(b->c), source, &k->cut, &which) &&
              build_key(b->c, k->key, k->identity ^ which, source);
    text_free(&flags);
    return ok;
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

const char *build_name(const CacheDir *d, const char *path) { return path + strlen(d->path) + 1; }

bool build_write(const CacheDir *d, const char *name, const char *source, const char *key) {
    char tail[96];
    int fd = openat(d->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return false;
    int n = key ? snprintf(tail, sizeof tail, "\nconst char theano_key[] = \"%s\";\n", key) : 0;
    bool good = write_all(fd, source, strlen(source)) && write_all(fd, tail, (size_t)n);
    if (close(fd)) good = false;
    if (!good) unlinkat(d->fd, name, 0);
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

static void tell_failure(Build *b, const Compiler *k, char *output, const char *bad) {
    build_shorten(output);
    if (*bad) snprintf(output, BUILD_OUTPUT, "%s", bad);
    b->gave_up = ++b->failures >= GIVE_UP;
    ctx_log(b->c, "theano: the C compiler %s failed%s: %.700s; %s in the interpreter", k->path,
            b->gave_up ? " again" : "", output[0] ? output : "(it printed nothing)",
            b->gave_up ? "from now on all functions run" : "this function runs");
}

/* The key's file in the directory. */
static void set_place(BuildJob *j, CacheDir *d, const Compiler *k) {
    cache_retain(d);
    cache_release(j->dir);
    j->dir = d;
    snprintf(j->name, sizeof j->name, "%s.so", k->key);
}

void build_job_free(BuildJob *j) {
    cache_release(j->dir);
    j->dir = NULL;
}

void build_compiler_free(Compiler *k) {
    th_free(k->c, k->words);
    th_free(k->c, k->cut);
    th_free(k->c, k->search);
}

/* PATH of the compiler's children, when something was taken out of it. */
static bool set_search(Compiler *k) {
    char *safe = k->search ? NULL : trusted_search(k->c);
    if (!safe) return !failed(k->c);
    Text t;
    text_init(&t, k->c);
    text_printf(&t, "PATH=%s", safe);
    th_free(k->c, safe);
    k->search = text_take(&t);
    return k->search != NULL;
}

enum { TEMP_NAME = sizeof "TMPDIR=" - 1 };
/* The compiler's files between its passes lie where the unit is made: one that is killed leaves them to us. */
static void set_temp(Compiler *k, const BuildJob *j) {
    snprintf(k->temp, sizeof k->temp, "TMPDIR=%.*s.tmp", BUILD_PATH + 92, j->out);
    if (!cache_folder(j->dir, build_name(j->dir, k->temp + TEMP_NAME))) k->temp[0] = 0;
}

/* argv is whole: what goes in and comes out stands behind the flags. */
static void set_files(Compiler *k, const BuildJob *j) {
    int n = k->argc;
    k->argv[n++] = (char *)(uintptr_t) "-o";
    k->argv[n++] = (char *)(uintptr_t)j->out;
    k->argv[n++] = (char *)(uintptr_t)j->in;
    k->argv[n++] = (char *)(uintptr_t) "-lm";
    k->argv[n++] = (char *)(uintptr_t) "-lc";
    k->argv[n] = NULL;
}

/* gcc ends with 4 and clang's driver with 70 when the compiler itself failed, both with a signal's number at times; gcc
 * 12 with 1 and words. */
bool build_again(Compiler *k, const BuildJob *j, int rc, const char *output) {
    enum { GCC_CRASHED = 4, CLANG_CRASHED = 70, BY_SIGNAL = 128 };
    bool crashed = rc == GCC_CRASHED || rc == CLANG_CRASHED || rc > BY_SIGNAL;
    if (k->lowered || (!crashed && !strstr(output, "internal compiler error"))) return false;
    k->lowered = true;
    k->argv[k->argc++] = (char *)(uintptr_t) "-O1";
    set_files(k, j);
    return true;
}

bool build_prepare(Build *b, int which, Compiler *k, BuildJob *j, const char *source) {
    CacheDir *d = cache_dir(b, which, true);
    if (!d || !set_search(k)) return false;
    unsigned serial = ++b->serial;
    set_place(j, d, k);
    snprintf(j->in, sizeof j->in, "%s/aside-%ld-%u-%.8s.c", d->path, (long)getpid(), serial, k->key);
    snprintf(j->out, sizeof j->out, "%s/aside-%ld-%u-%.8s.so", d->path, (long)getpid(), serial, k->key);
    cache_sweep(b, d);
    if (which == CACHE_MAIN && b->built++ % 64 == 0) cache_limit(b, d);
    unlinkat(d->fd, build_name(d, j->in), 0); /* of a process that had our number and was killed */
    if (!build_write(d, build_name(d, j->in), build_text(k, source), k->key)) {
        snprintf(b->why, sizeof b->why, "%.500s: %.90s", d->path, strerror(errno));
        return false;
    }
    set_temp(k, j);
    set_files(k, j);
    return true;
}

const char *build_finish(const Compiler *k, const BuildJob *j, bool ok) {
    int dir = j->dir->fd;
    const char *out = build_name(j->dir, j->out), *bad = ok ? cache_seal(j->dir, out, k->key) : "";
    if (!bad && renameat(dir, out, dir, j->name)) bad = "what it made cannot be kept";
    unlinkat(dir, build_name(j->dir, j->in), 0);
    if (k->temp[0]) cache_folder_remove(j->dir, build_name(j->dir, k->temp + TEMP_NAME));
    if (bad) unlinkat(dir, out, 0);
    return bad;
}

enum { BUILT, REFUSED, NOT_WRITTEN };

int build_run(Compiler *k, const BuildJob *j, char output[BUILD_OUTPUT]) {
    int rc;
    do {
        Child ch;
        child_listen(k, &ch, output);
        rc = child_wait(k, &ch, output);
    } while (rc && build_again(k, j, rc, output));
    return rc;
}

static int build_in(Build *b, int which, Compiler *k, BuildJob *j, const char *source) {
    char output[BUILD_OUTPUT] = "";
    if (!build_prepare(b, which, k, j, source)) return failed(b->c) ? REFUSED : NOT_WRITTEN;
    const char *text = build_text(k, source);
    int n = parts_wanted(b, text), rc = n > 1 ? parts_build(b, k, j, text, n, output) : PARTS_NOT;
    if (rc == PARTS_NOT || (rc && build_again(k, j, rc, output))) rc = build_run(k, j, output);
    bool vanished = rc && faccessat(j->dir->fd, build_name(j->dir, j->in), F_OK, 0);
    const char *bad = build_finish(k, j, !rc);
    if (!bad) return BUILT;
    if (failed(b->c)) return REFUSED;
    if (vanished) {
        snprintf(b->why, sizeof b->why, "what is written there disappears");
        return NOT_WRITTEN;
    }
    tell_failure(b, k, output, bad);
    return REFUSED;
}

/* Looks for the unit in a directory. */
static bool find_in(Build *b, int which, const Compiler *k, BuildJob *j) {
    CacheDir *d = cache_dir(b, which, false);
    if (!d) return false;
    set_place(j, d, k);
    return cache_holds(d, j->name, k->key);
}

bool build_find(Build *b, const Compiler *k, BuildJob *j) {
    bool found = find_in(b, CACHE_MAIN, k, j) || (!failed(b->c) && find_in(b, CACHE_TEMP, k, j));
    if (found) cache_touch(j->dir, j->name);
    return found;
}

/* Builds in the cache, else in the context's own directory. */
static bool build(Build *b, Compiler *k, BuildJob *j, const char *source) {
    if (b->gave_up) return false;
    const char *base = config_str(b->c, "base_compiledir");
    uint64_t place = hash_bytes(base, strlen(base), 1) | 1;
    int rc = b->refused == place ? NOT_WRITTEN : build_in(b, CACHE_MAIN, k, j, source);
    if (rc == NOT_WRITTEN) {
        if (b->refused != place)
            ctx_log(b->c,
                    "theano: the cache %s (config base_compiledir) is not used: %s: units go to a temporary directory",
                    base, b->why);
        b->refused = place;
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
    BuildJob *j = k ? ctx_alloc0(c, sizeof *j) : NULL;
    Unit *u = NULL;
    if (j && build_choose(b, k, source)) {
        bool hit = build_find(b, k, j);
        if (hit) u = unit_load(j->dir, j->name, k->key, source, false);
        if (u) atomic_fetch_add(&c->cache_hits, 1);
        else if (!failed(c) && build(b, k, j, source)) u = unit_load(j->dir, j->name, k->key, source, true);
    }
    if (j) build_job_free(j);
    if (k) build_compiler_free(k);
    ctx_free(c, j, sizeof *j);
    ctx_free(c, k, sizeof *k);
    return u;
}
