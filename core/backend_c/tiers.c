/*
 * tiers.c -- units that are built beside the calls (config compile.tiers).
 *
 * In: the text of a unit that the cache does not hold. Out: at once a Unit without code, which the interpreter stands
 * in for; its poll, asked between calls, starts the compiler when there is room, and loads what it made. Always holds:
 * a call waits for nothing (the compiler is a process, asked with WNOHANG, at most once a millisecond); as many run at
 * once as there are processors; a Unit that goes ends its compiler; nothing here touches the context's Build but its
 * count, so any thread may poll.
 */
#include "build.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct Beside {
    Unit unit;
    ThContext *c;
    Build *b;
    Compiler k;
    BuildJob job;
    char log[BUILD_PATH + 96]; /* the compiler's output */
    int pid;                   /* 0: not started yet, or ended */
    int64_t asked;             /* when it was polled last, ns */
    Unit *built;
} Beside;

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* A place among those that run at once. */
static bool take_place(Build *b) {
    long most = sysconf(_SC_NPROCESSORS_ONLN);
    int n = atomic_load(&b->beside);
    while (n < (most < 1 ? 1 : most))
        if (atomic_compare_exchange_weak(&b->beside, &n, n + 1)) return true;
    return false;
}

static void free_place(Beside *u) {
    u->pid = 0;
    atomic_fetch_sub(&u->b->beside, 1);
}

static int give_up(Beside *u, const char *why) {
    build_finish(&u->k, &u->job, false);
    unlink(u->log);
    ctx_log(u->c, "theano: the C compiler %s failed: %.700s; this function runs in the interpreter", u->k.path, why);
    return -1;
}

static int begin(Beside *u) {
    if (!take_place(u->b)) return 0;
    int output = open(u->log, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600), rc = errno;
    if (output >= 0) {
        rc = build_start(&u->k, output, &u->pid);
        close(output);
    }
    if (output >= 0 && !rc) return 0;
    free_place(u);
    return give_up(u, strerror(rc));
}

static const char *read_log(const Beside *u, char text[BUILD_OUTPUT]) {
    int fd = open(u->log, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    ssize_t n = fd < 0 ? 0 : read(fd, text, BUILD_OUTPUT - 1);
    if (fd >= 0) close(fd);
    text[n > 0 ? n : 0] = 0;
    build_shorten(text);
    return text[0] ? text : "(it printed nothing)";
}

static int end(Beside *u, bool ok) {
    char text[BUILD_OUTPUT];
    free_place(u);
    if (!ok) return give_up(u, read_log(u, text));
    if (!build_finish(&u->k, &u->job, true)) return give_up(u, "what it made cannot be written");
    unlink(u->log);
    atomic_fetch_add(&u->c->compiles, 1);
    u->built = unit_load(u->c, u->job.path, u->k.key, u->unit.source);
    if (!u->built) return -1;
    u->unit.run = u->built->run;
    u->unit.step = u->built->step;
    return 1;
}

static int poll(Unit *unit) {
    Beside *u = unit->impl;
    int64_t t = now();
    if (u->asked && t - u->asked < 1000000) return 0;
    u->asked = t;
    if (!u->pid) return begin(u);
    int status = 0;
    pid_t got = waitpid(u->pid, &status, WNOHANG);
    if (got == 0 || (got < 0 && errno == EINTR)) return 0;
    /* A host that ignores SIGCHLD never hears of it: the file it made tells. */
    return end(u, got < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 0));
}

static void release(Unit *unit) {
    Beside *u = unit->impl;
    if (u->built) u->built->release(u->built);
    else {
        if (u->pid) {
            kill(u->pid, SIGTERM); /* its driver removes what it wrote elsewhere */
            while (waitpid(u->pid, NULL, 0) < 0 && errno == EINTR) {}
            free_place(u);
        }
        unlink(u->job.in);
        unlink(u->job.out);
        unlink(u->log);
    }
    th_free(u->c, u->unit.source);
    th_free(u->c, u->k.words);
    ctx_free(u->c, u, sizeof *u);
}

/* The source stands aside, ready for the compiler. */
static bool prepare(Beside *u, Build *b, const char *source) {
    u->b = b;
    if (!build_prepare(b, CACHE_MAIN, &u->k, &u->job, source) && !build_prepare(b, CACHE_TEMP, &u->k, &u->job, source))
        return false;
    snprintf(u->log, sizeof u->log, "%.*s.log", BUILD_PATH + 80, u->job.out);
    u->unit.source = ctx_strdup(u->c, source);
    return u->unit.source != NULL;
}

Unit *unit_build_beside(ThContext *c, const char *source) {
    Build *b = build_state(c);
    Beside *u = b ? ctx_alloc0(c, sizeof *u) : NULL;
    if (!u) return NULL;
    u->c = c;
    u->unit.impl = u;
    u->unit.poll = poll;
    u->unit.release = release;
    Unit *ready = NULL;
    bool chosen = build_choose(b, &u->k, source), hit = chosen && build_find(b, &u->k, u->job.path);
    if (hit) {
        atomic_fetch_add(&c->cache_hits, 1);
        ready = unit_load(c, u->job.path, u->k.key, source);
    } else if (chosen && !b->gave_up && prepare(u, b, source)) {
        if (poll(&u->unit) == 0) return &u->unit;
    } else if (chosen && !failed(c)) {
        ready = unit_build(c, source); /* it says what is wrong */
    }
    u->job.in[0] = u->job.out[0] = u->log[0] = 0; /* nothing of ours stands there */
    release(&u->unit);
    return ready;
}
