/*
 * tiers.c -- units that are built beside the calls (config compile.tiers).
 *
 * In: the text of a unit that the cache does not hold. Out: at once a Unit without code, which the interpreter stands
 * in for; its poll, asked between calls, starts the compiler when there is room, and loads what it made. Always holds:
 * a call waits for nothing that it does not ask for (the compiler is a process, asked with WNOHANG, at most once a
 * millisecond); as many run at once as there are processors, and one that has ended keeps nobody waiting, though its
 * function is never called again; a Unit that goes keeps what its compiler made or ends it, as do the end of the
 * process and a poll after its time; a forked child leaves its parent's compilers and their files alone and starts its
 * own; nothing here touches the context's Build but its places, so any thread may poll.
 *
 * A process that is over before its compilers would leave nothing for the next one, again and again. What its calls
 * spent in the interpreter is therefore noted in the cache (KEY.spent, a file of a byte a millisecond); once this is
 * what building takes, the next process builds before it goes on.
 */
#include "build.h"

#include "schedule/choose.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STARTING = -1, NOTED = 16 /* of building's time: less is not noted */ };
typedef struct Beside {
    Unit unit;
    ThContext *c;
    Build *b;
    Compiler k;
    BuildJob job;
    char log[BUILD_PATH + 96]; /* the compiler's output */
    long process;              /* in which all this was prepared */
    int pid, place;            /* 0: not started yet, or ended; which of Build.beside it took */
    int64_t asked, until;      /* by child_clock: when it was polled last, when it is ended (0: never) */
    Unit *built;
} Beside;

/* ---- the end of the process ---------------------------------------------------------------------------------------
 */
/* Compilers at work, for hosts that leave by exit() with all their contexts open. */
static struct {
    atomic_int pid[BUILD_PLACES];
    atomic_long process;
} at_work;

static void end_all(void) {
    if (atomic_load(&at_work.process) != os_process()) return; /* a forked child's are its parent's */
    for (int i = 0; i < BUILD_PLACES; i++)
        if (atomic_load(&at_work.pid[i]) > 0)
            kill(-atomic_load(&at_work.pid[i]), SIGTERM); /* the driver removes its files */
}

static void note_start(int pid) {
    long before = atomic_exchange(&at_work.process, os_process());
    if (!before) atexit(end_all);
    for (int i = 0; before && before != os_process() && i < BUILD_PLACES; i++) atomic_store(&at_work.pid[i], 0);
    for (int i = 0, free = 0; i < BUILD_PLACES; i++, free = 0)
        if (atomic_compare_exchange_strong(&at_work.pid[i], &free, pid)) return;
}

static void note_end(int pid) {
    for (int i = 0, it = pid; i < BUILD_PLACES; i++, it = pid)
        if (atomic_compare_exchange_strong(&at_work.pid[i], &it, 0)) return;
}

/* ---- one compiler -------------------------------------------------------------------------------------------------
 */
/* A place among those that run at once, free or of a process that has ended: now STARTING. -1: all are busy. */
static int take_place(Build *b) {
    int most = os_processors();
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
    note_end(pid);
    u->pid = 0;
    atomic_compare_exchange_strong(&u->b->beside[u->place], &pid, 0);
}

static void remove_log(const Beside *u) { unlinkat(u->job.dir->fd, build_name(u->job.dir, u->log), 0); }

static int give_up(Beside *u, const char *why) {
    build_finish(&u->k, &u->job, false);
    remove_log(u);
    u->log[0] = 0;
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
    if (started) return note_start(u->pid), 0;
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

static int take_over(Beside *u, Unit *built) {
    u->built = built;
    u->unit.run = built->run;
    u->unit.step = built->step;
    return 1;
}

static int end(Beside *u, int rc) {
    char text[BUILD_OUTPUT];
    if (rc && build_again(&u->k, &u->job, rc, read_log(u, text))) {
        remove_log(u);
        return begin(u);
    }
    if (rc) return give_up(u, read_log(u, text));
    const char *bad = build_finish(&u->k, &u->job, true);
    if (bad) return give_up(u, bad);
    remove_log(u);
    atomic_fetch_add(&u->c->compiles, 1);
    Unit *built = unit_load(u->job.dir, u->job.name, u->k.key, u->unit.source, true);
    return built ? take_over(u, built) : -1;
}

static bool prepare(Beside *u, const char *source);

/* In a forked child: what the parent has made, or a compiler of one's own. */
static int begin_forked(Beside *u) {
    Unit *ready = cache_holds(u->job.dir, u->job.name, u->k.key)
                      ? unit_load(u->job.dir, u->job.name, u->k.key, u->unit.source, false)
                      : NULL;
    if (ready) return take_over(u, ready);
    u->pid = 0;
    return prepare(u, u->unit.source) ? begin(u) : -1;
}

static int look(Beside *u) {
    int64_t t = child_clock();
    if (u->asked && t - u->asked < 1000000) return 0;
    u->asked = t;
    if (u->process != os_process()) return begin_forked(u);
    if (!u->pid) return begin(u);
    bool late = !child_ended(u->pid);
    if (late && (!u->until || t <= u->until)) return 0;
    if (late) child_stop(u->pid);
    int pid = u->pid;
    free_place(u);
    int rc = child_collect(pid, NULL);
    char text[BUILD_OUTPUT];
    if (!late) return end(u, rc);
    child_tell_late(&u->k, text);
    return give_up(u, text);
}

static int poll(Unit *unit, int ms) {
    Beside *u = unit->impl;
    int now = look(u);
    for (; !now && ms > 0; ms--) {
        struct timespec rest = {0, 1000000};
        nanosleep(&rest, NULL);
        now = look(u);
    }
    return now;
}

/* ---- what calls spent ---------------------------------------------------------------------------------------------
 */
static const char *spent_name(const Beside *u, char name[BUILD_NAME + 8]) {
    snprintf(name, BUILD_NAME + 8, "%s.spent", u->k.key);
    return name;
}

static void note_spent(Beside *u) {
    int64_t ns = atomic_load(&u->unit.spent);
    char name[BUILD_NAME + 8];
    struct stat s;
    if ((double)ns * NOTED < choose_build_ns(u->unit.built)) return;
    int fd = openat(u->job.dir->fd, spent_name(u, name), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return;
    if (!fstat(fd, &s) && S_ISREG(s.st_mode) && ftruncate(fd, s.st_size + ns / 1000000))
        unlinkat(u->job.dir->fd, name, 0);
    close(fd);
}

/* Processes before this one spent more than building takes; that is forgotten now. */
static bool overdue(Beside *u) {
    char name[BUILD_NAME + 8];
    struct stat s;
    const CacheDir *d = cache_dir(u->b, CACHE_MAIN, false);
    if (!d || fstatat(d->fd, spent_name(u, name), &s, AT_SYMLINK_NOFOLLOW)) return false;
    bool over = S_ISREG(s.st_mode) && (double)s.st_size * 1e6 >= choose_build_ns(u->unit.built);
    if (over) unlinkat(d->fd, name, 0);
    return over;
}

/* ---- the Unit -----------------------------------------------------------------------------------------------------
 */
static void stop(Beside *u) {
    int pid = u->pid;
    if (!u->log[0]) return;
    bool ended = pid && child_ended(pid);
    if (pid && !ended) child_stop(pid);
    if (pid) free_place(u);
    bool ok = pid && child_collect(pid, NULL) == 0;
    if (!ended) note_spent(u);
    if (!build_finish(&u->k, &u->job, ended && ok)) atomic_fetch_add(&u->c->compiles, 1);
    remove_log(u);
}

static void release(Unit *unit) {
    Beside *u = unit->impl;
    if (u->built) u->built->release(u->built);
    else if (u->process == os_process()) stop(u);
    th_free(u->c, u->unit.source);
    build_job_free(&u->job);
    build_compiler_free(&u->k);
    ctx_free(u->c, u, sizeof *u);
}

/* The source stands aside, ready for the compiler. */
static bool prepare(Beside *u, const char *source) {
    u->process = os_process();
    u->log[0] = 0;
    if (!build_prepare(u->b, CACHE_MAIN, &u->k, &u->job, source) &&
        !build_prepare(u->b, CACHE_TEMP, &u->k, &u->job, source))
        return false;
    snprintf(u->log, sizeof u->log, "%.*s.log", BUILD_PATH + 80, u->job.out);
    if (!u->unit.source) u->unit.source = ctx_strdup(u->c, source);
    return u->unit.source != NULL;
}

Unit *unit_build_beside(ThContext *c, const char *source) {
    Build *b = build_state(c);
    Beside *u = b ? ctx_alloc0(c, sizeof *u) : NULL;
    if (!u) return NULL;
    u->c = c;
    u->b = b;
    u->unit.impl = u;
    u->unit.poll = poll;
    u->unit.release = release;
    Unit *ready = NULL;
    bool chosen = build_choose(b, &u->k, source), hit = chosen && build_find(b, &u->k, &u->job);
    u->k.c = c;
    if (chosen) u->unit.built = strlen(build_text(&u->k, source));
    if (hit) ready = unit_load(u->job.dir, u->job.name, u->k.key, source, false);
    if (ready) {
        atomic_fetch_add(&c->cache_hits, 1);
    } else if (chosen && !failed(c) && !b->gave_up && !overdue(u) && prepare(u, source)) {
        if (poll(&u->unit, 0) == 0) return &u->unit;
    } else if (chosen && !failed(c)) {
        ready = unit_build(c, source); /* it says what is wrong */
    }
    release(&u->unit);
    return ready;
}
