/*
 * child.c -- one run of a compiler: started, listened to, waited for, ended.
 *
 * In: a Compiler's argv. Out: its exit and the first words it printed. Always holds: it runs in a process group of its
 * own, so that all it starts can be ended; what is waited for is its end, not that of its output, which a process that
 * it left behind may keep open; while it is waited for th_interrupt ends it, as it ends a call, and so does its time
 * (config compile.timeout); `as`, `ld` and others that it looks for on PATH are not taken from where anybody could have
 * put them; what it writes for itself goes into a folder of the run (Compiler.temp), which goes with it however it
 * ends.
 */
#define _GNU_SOURCE /* pipe2 */
#include "base/trusted.h"
#include "build.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { LOOK_MS = 40, PATIENCE_MS = 400 }; /* how often an interruption is asked for; between SIGTERM and SIGKILL */

/* ---- its time ---------------------------------------------------------------------------------------------------- */
int64_t child_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t child_deadline(const Compiler *k) { return k->patience ? child_clock() + k->patience : 0; }

void child_tell_late(const Compiler *k, char out[BUILD_OUTPUT]) {
    snprintf(out, BUILD_OUTPUT, "it did not end within %lld s and was ended (config compile.timeout)",
             (long long)(k->patience / 1000000000));
}

/* ---- starting ---------------------------------------------------------------------------------------------------- */
/* Whether both are settings of the same variable. */
static bool same_variable(const char *a, const char *b) {
    size_t n = strcspn(b, "=") + 1;
    return !strncmp(a, b, n);
}

/* The environment with the run's own PATH and TMPDIR, where it has them; NULL: no memory. */
static char **own_environment(Compiler *k, size_t *bytes) {
    char *own[] = {k->search, k->temp[0] ? k->temp : NULL};
    size_t n = 0;
    while (environ && environ[n]) n++;
    *bytes = (n + TH_LEN(own) + 1) * sizeof(char *);
    char **e = ctx_alloc(k->c, *bytes);
    if (!e) return NULL;
    size_t m = 0;
    for (size_t i = 0; i < n; i++) {
        bool replaced = false;
        for (int o = 0; o < TH_LEN(own) && !replaced; o++) replaced = own[o] && same_variable(environ[i], own[o]);
        if (!replaced) e[m++] = environ[i];
    }
    for (int o = 0; o < TH_LEN(own); o++)
        if (own[o]) e[m++] = own[o];
    e[m] = NULL;
    return e;
}

static int prepare(posix_spawn_file_actions_t *a, posix_spawnattr_t *at, int output) {
    sigset_t none, plain;
    sigemptyset(&none);
    sigemptyset(&plain);
    const int usual[] = {SIGINT, SIGTERM, SIGPIPE, SIGCHLD, SIGHUP};
    for (int i = 0; i < TH_LEN(usual); i++) sigaddset(&plain, usual[i]);
    int rc = posix_spawn_file_actions_addopen(a, 0, "/dev/null", O_RDONLY, 0);
    if (!rc) rc = posix_spawn_file_actions_adddup2(a, output, 1);
    if (!rc) rc = posix_spawn_file_actions_adddup2(a, output, 2);
    /* The host may block signals or ignore them; the compiler waits for children of its own. */
    if (!rc) rc = posix_spawnattr_setsigmask(at, &none);
    if (!rc) rc = posix_spawnattr_setsigdefault(at, &plain);
    if (!rc) rc = posix_spawnattr_setpgroup(at, 0);
    if (!rc) rc = posix_spawnattr_setflags(at, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    return rc;
}

int child_start(Compiler *k, int output, int *pid) {
    if (ctx_sealed(k->c)) return EPERM;
    posix_spawn_file_actions_t a;
    posix_spawnattr_t at;
    pid_t p = 0;
    size_t bytes = 0;
    *pid = 0;
    char **env = own_environment(k, &bytes);
    if (!env) return ENOMEM;
    int rc = posix_spawn_file_actions_init(&a) ? ENOMEM : 0;
    if (!rc && posix_spawnattr_init(&at)) {
        posix_spawn_file_actions_destroy(&a);
        rc = ENOMEM;
    }
    if (!rc) {
        rc = prepare(&a, &at, output);
        if (!rc) rc = posix_spawn(&p, k->path, &a, &at, k->argv, env);
        posix_spawnattr_destroy(&at);
        posix_spawn_file_actions_destroy(&a);
    }
    ctx_free(k->c, env, bytes);
    if (!rc) *pid = (int)p;
    return rc;
}

void child_listen(Compiler *k, Child *ch, char out[BUILD_OUTPUT]) {
    int p[2], pid;
    out[0] = 0;
    *ch = (Child){.fd = -1, .end = -1};
    if (pipe2(p, O_CLOEXEC)) return;
    int rc = child_start(k, p[1], &pid);
    close(p[1]);
    if (rc) {
        close(p[0]);
        snprintf(out, BUILD_OUTPUT, "%s", strerror(rc));
        return;
    }
    fcntl(p[0], F_SETFL, O_NONBLOCK);
    ch->pid = pid;
    ch->fd = p[0];
    ch->until = child_deadline(k);
#ifdef SYS_pidfd_open
    ch->end = (int)syscall(SYS_pidfd_open, pid, 0); /* older systems: its end is seen a little later */
#endif
}

/* ---- its end ----------------------------------------------------------------------------------------------------- */
bool child_ended(int pid) {
    siginfo_t info = {0};
    int rc;
    do rc = waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT);
    while (rc < 0 && errno == EINTR);
    return rc < 0 || info.si_pid != 0;
}

static void rest_ms(int ms) {
    struct timespec t = {0, ms * 1000000l};
    nanosleep(&t, NULL);
}

void child_stop(int pid) {
    kill(-pid, SIGTERM); /* the driver removes what it wrote elsewhere */
    for (int ms = 0; ms < PATIENCE_MS && !child_ended(pid); ms += 5) rest_ms(5);
    kill(-pid, SIGKILL);
}

/* A driver that was killed could not end what it had started, which would go on writing. */
static void end_orphans(int pid) {
    siginfo_t info = {0};
    int rc;
    do rc = waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
    while (rc < 0 && errno == EINTR);
    if (!rc && info.si_code != CLD_EXITED) kill(-pid, SIGKILL);
}

int child_collect(int pid, char out[BUILD_OUTPUT]) {
    int status = 0;
    pid_t got;
    end_orphans(pid);
    do got = waitpid(pid, &status, 0);
    while (got < 0 && errno == EINTR);
    if (got < 0) return 0; /* a host that ignores SIGCHLD: the file it made tells */
    if (WIFSIGNALED(status) && out) snprintf(out, BUILD_OUTPUT, "killed by signal %d", WTERMSIG(status));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* Reads what is there, keeping the first bytes. False at the end. */
static bool listen_to(int fd, char out[BUILD_OUTPUT], size_t *have) {
    char rest[4096];
    bool room = *have < BUILD_OUTPUT - 1;
    ssize_t n = room ? read(fd, out + *have, BUILD_OUTPUT - 1 - *have) : read(fd, rest, sizeof rest);
    if (n > 0 && room) *have += (size_t)n;
    return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

int child_wait(const Compiler *k, Child *ch, char out[BUILD_OUTPUT]) {
    size_t have = 0;
    bool open = true, stopped = false, late = false;
    if (!ch->pid) return -1;
    for (int turn = 0; !child_ended(ch->pid); turn++) {
        stopped = ctx_stopped(k->c);
        late = ch->until && child_clock() > ch->until;
        if (stopped || late) {
            child_stop(ch->pid);
            break;
        }
        struct pollfd p[2] = {{open ? ch->fd : -1, POLLIN, 0}, {ch->end, POLLIN, 0}};
        int unseen = turn < 10 ? 1 : 10; /* without a descriptor of the process */
        if (poll(p, 2, !open && ch->end < 0 ? unseen : LOOK_MS) > 0 && p[0].revents)
            open = listen_to(ch->fd, out, &have);
    }
    for (int i = 0; i < 64 && open; i++) { /* what it still said; those it left behind may go on for ever */
        size_t before = have;
        open = listen_to(ch->fd, out, &have) && have > before;
    }
    out[have] = 0;
    close(ch->fd);
    if (ch->end >= 0) close(ch->end);
    int rc = child_collect(ch->pid, out);
    ch->pid = 0;
    const bool asked = atomic_load_explicit(&k->c->interrupted, memory_order_relaxed);
    if (stopped)
        err(k->c, TH_Interrupted, "%s while the C compiler ran", asked ? "interrupted" : "the time given was over");
    else if (late) child_tell_late(k, out);
    return stopped || late ? 1 : rc;
}
