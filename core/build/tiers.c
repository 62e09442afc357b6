/*
 * tiers.c -- units that are built beside the calls (config compile.tiers).
 *
 * In: the text of a unit that the cache does not hold. Out: at once a Unit without code, which the interpreter stands
 * in for; its poll, asked between calls, starts the compiler when there is room, and loads what it made. Always holds:
 * a call waits for nothing (the compiler is a process, asked with WNOHANG, at most once a millisecond); as many run at
 * once as there are processors, and one that has ended keeps nobody waiting, though its function is never called again;
 * a Unit that goes ends its compiler, as does a poll after its time; nothing here touches the context's Build but its
 * places, so any thread may poll.
 */
#include "build.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { STARTING = -1 };
typedef struct Beside {
    Unit unit;
    ThContext *c;
    Build *b;
    Compiler k;
    BuildJob job;
    char log[BUILD_PATH + 96]; /* the compiler's output */
    int pid, place;            /* 0: not started yet, or ended; which of Build.beside it took */
    int64_t asked, until;      /* by child_clock: when it was polled last, when it is ended (0: never) */
    Unit *built;
} Beside;

/* A place among those that run at once, free or of a process that has ended: now STARTING. -1: all are busy. */
static int take_place(Build *b) {
    long most = sysconf(_SC_NPROCESSORS_ONLN);
    for (int i = 0; i < BUILD_PLACES && i < (most < 1 ? 1 : most); i++) {
        int pid = atomic_load(&b->beside[i]);
        if ((!pid || (pid != STARTING && child_ended(pid))) &&
            atomic_compare_exchange_strong(&b->beside[i], &pid, STARTING))
            return i;
    }
    return -1;
}

/* Before the process is collected, whose number could be another's then. */
static void free_place(Beside *u) {
    int pid = u->pid;
    u->pid = 0;
    atomic_compare_exchange_strong(&u->b->beside[u->place], &pid, 0);
}

static void remove_log(const Beside *u) { unlinkat(u->job.dir->fd, build_name(u->job.dir, u->log), 0); }

static int give_up(Beside *u, const char *why) {
    build_finish(&u->k, &u->job, false);
    remove_log(u);
    ctx_log(u->c, "theano: the C compiler %s failed: %.700s; this function runs in the interpreter", u->k.path, why);
    return -1;
}

static int begin(Beside *u) {
    u->place = take_place(u->b);
    if (u->place < 0) return 0;
    const int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
    int output = openat(u->job.dir->fd, build_name(u->job.dir, u->log), flags, 0600), rc = errno;
    if (output >= 0) {
        rc = child_start(&u->k, output, &u->pid);
        close(output);
    }
    bool started = output >= 0 && !rc;
    atomic_store(&u->b->beside[u->place], started ? u->pid : 0);
    u->until = child_deadline(&u->k);
    if (started) return 0;
    u->pid = 0;
    return give_up(u, strerror(rc));
}

static const char *read_log(const Beside *u, char text[BUILD_OUTPUT]) {
    int fd = openat(u->job.dir->fd, build_name(u->job.dir, u->log), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    ssize_t n = fd < 0 ? 0 : read(fd, text, BUILD_OUTPUT - 1);
    if (fd >= 0) close(fd);
    text[n > 0 ? n : 0] = 0;
    build_shorten(text);
    return text[0] ? text : "(it printed nothing)";
}

static int end(Beside *u, bool ok) {
    char text[BUILD_OUTPUT];
    if (!ok) return give_up(u, read_log(u, text));
    const char *bad = build_finish(&u->k, &u->job, true);
    if (bad) return give_up(u, bad);
    remove_log(u);
    atomic_fetch_add(&u->c->compiles, 1);
    u->built = unit_load(u->job.dir, u->job.name, u->k.key, u->unit.source, true);
    if (!u->built) return -1;
    u->unit.run = u->built->run;
    u->unit.step = u->built->step;
    return 1;
}

static int poll(Unit *unit) {
    Beside *u = unit->impl;
    int64_t t = child_clock();
    if (u->asked && t - u->asked < 1000000) return 0;
    u->asked = t;
    if (!u->pid) return begin(u);
    bool late = !child_ended(u->pid);
    if (late && (!u->until || t <= u->until)) return 0;
    if (late) child_stop(u->pid);
    int pid = u->pid;
    free_place(u);
    bool ok = child_collect(pid, NULL) == 0;
    char text[BUILD_OUTPUT];
    if (!late) return end(u, ok);
    child_tell_late(&u->k, text);
    return give_up(u, text);
}

static void release(Unit *unit) {
    Beside *u = unit->impl;
    if (u->built) u->built->release(u->built);
    else {
        int pid = u->pid;
        if (pid) {
            child_stop(pid);
            free_place(u);
            child_collect(pid, NULL);
        }
        if (u->log[0]) {
            build_finish(&u->k, &u->job, false);
            remove_log(u);
        }
    }
    th_free(u->c, u->unit.source);
    build_job_free(&u->job);
    build_compiler_free(&u->k);
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
    bool chosen = build_choose(b, &u->k, source), hit = chosen && build_find(b, &u->k, &u->job);
    u->k.c = c;
    if (hit) ready = unit_load(u->job.dir, u->job.name, u->k.key, source, false);
    if (ready) {
        atomic_fetch_add(&c->cache_hits, 1);
    } else if (chosen && !failed(c) && !b->gave_up && prepare(u, b, source)) {
        if (poll(&u->unit) == 0) return &u->unit;
    } else if (chosen && !failed(c)) {
        ready = unit_build(c, source); /* it says what is wrong */
    }
    release(&u->unit);
    return ready;
}
