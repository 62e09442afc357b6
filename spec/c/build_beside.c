/*
 * build_beside.c -- compilers beside the calls, and processes: a forked child leaves its parent's compiler and files
 * alone and has code of its own in the end; who leaves by exit() leaves no compiler at work; a unit that is let go
 * when its compiler is done is kept; what the interpreter spent in processes that were over too early makes the next
 * one build before it goes on.
 */
#include "build_test.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

static char sleepy[128]; /* a compiler that takes its time: its path */

static void rest(int ms) {
    struct timespec t = {ms / 1000, ms % 1000 * 1000000l};
    nanosleep(&t, NULL);
}

/* The compiler: waits until `go` is there, then is gcc; writes its number to `pid`. */
static void write_compiler(void) {
    snprintf(sleepy, sizeof sleepy, "%s/cc", root);
    FILE *f = fopen(sleepy, "w");
    if (!f) exit(1);
    fprintf(f, "#!/bin/sh\necho $$ >>%s/pid\nwhile ! [ -e %s/go ]; do sleep 0.01; done\nexec cc \"$@\"\n", root, root);
    fclose(f);
    if (chmod(sleepy, 0700)) exit(1);
}

/* Whether a compiler is at work: its file is there before its number is in it. */
static bool at_work(void) {
    char path[256];
    struct stat s;
    snprintf(path, sizeof path, "%s/pid", root);
    return !stat(path, &s) && s.st_size > 0;
}

static void go(bool yes) {
    char path[256];
    snprintf(path, sizeof path, "%s/go", root);
    FILE *f = yes ? fopen(path, "w") : NULL;
    if (f) fclose(f);
    if (!yes) unlink(path);
}

/* How many files of the cache have this in their name. */
static int files_with(const char *part) {
    char path[256];
    snprintf(path, sizeof path, "%s/cache/lua-units", root);
    DIR *d = opendir(path);
    int n = 0;
    for (struct dirent *e; d && (e = readdir(d));) n += strstr(e->d_name, part) != NULL;
    if (d) closedir(d);
    return n;
}

static ThContext *slow_context(void) {
    ThContext *c = context_in("cache");
    th_config_set(c, "cxx", sleepy);
    return c;
}

static double run(const Unit *u) {
    double x = 1;
    char *buf[1] = {(char *)&x};
    ThFrame f = {.buf = buf, .rt = &th_rt};
    return u->run && !u->run(&f) ? x - 1 : -1;
}

/* What a unit's poll comes to within half a minute. */
static int until(Unit *u) {
    int now = 0;
    for (int i = 0; i < 300 && !now; i++) now = u->poll(u, 100);
    return now;
}

static void forks(void) {
    ThContext *c = slow_context();
    Unit *u = unit_build_beside(c, unit_text(11, TH_RT_ABI));
    CHECK(u && u->poll && u->poll(u, 0) == 0);
    if (!u || !u->poll) return;
    while (!at_work()) rest(5);
    pid_t pid = fork();
    if (!pid) { /* lets its copy go, with a compiler of its own at work */
        bool ok = u->poll(u, 5) == 0 && files_with(".c") == 2;
        u->release(u);
        th_context_release(c);
        _exit(ok ? 0 : 1);
    }
    int status = 1;
    waitpid(pid, &status, 0);
    CHECK(WIFEXITED(status) && !WEXITSTATUS(status));
    CHECK(files_with(".c") == 1); /* ours */
    pid = fork();
    if (!pid) { /* waits for what one of the two makes */
        go(true);
        bool ok = until(u) == 1 && run(u) == 11;
        u->release(u);
        th_context_release(c);
        _exit(ok ? 0 : 1);
    }
    waitpid(pid, &status, 0);
    CHECK(WIFEXITED(status) && !WEXITSTATUS(status));
    CHECK(until(u) == 1 && run(u) == 11);
    u->release(u);
    th_context_release(c);
    CHECK(!lines && files_with("aside") == 0 && files_with(".so") == 1);
    CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD); /* all were collected */
}

/* The process leaves with a compiler at work: it goes too. */
static void leaves(bool by_exit) {
    char path[256];
    snprintf(path, sizeof path, "%s/pid", root);
    unlink(path);
    go(false);
    pid_t pid = fork();
    if (!pid) {
        ThContext *c = slow_context();
        Unit *u = unit_build_beside(c, unit_text(by_exit ? 12 : 13, TH_RT_ABI));
        while (u && !at_work()) rest(5);
        if (by_exit) exit(0);
        u->release(u);
        th_context_release(c);
        _exit(0);
    }
    waitpid(pid, NULL, 0);
    FILE *f = fopen(path, "r");
    int compiler = 0;
    CHECK(f && fscanf(f, "%d", &compiler) == 1 && compiler > 0);
    if (f) fclose(f);
    bool gone = false;
    for (int i = 0; i < 2000 && !gone; i++, rest(5)) gone = kill(compiler, 0) && errno == ESRCH;
    CHECK(gone);
    if (!by_exit) CHECK(files_with("aside") == 0);
}

/* Its compiler is done, and nobody asks for it any more. */
static void keeps(void) {
    go(true);
    const int had = files_with(".so"), aside = files_with("aside"); /* of who left by exit() */
    for (int ms = 100; ms < 60000 && files_with(".so") == had; ms *= 2) {
        ThContext *c = slow_context();
        Unit *u = unit_build_beside(c, unit_text(14, TH_RT_ABI));
        CHECK(u && u->poll);
        rest(ms);
        if (u) u->release(u);
        CHECK((int)th_stat(c, "compiles") == files_with(".so") - had);
        th_context_release(c);
    }
    CHECK(files_with(".so") == had + 1);
    CHECK(files_with("aside") == aside);
}

static void remembers(void) {
    go(false);
    int built = 0;
    for (int i = 0; i < 4 && !built; i++) {
        ThContext *c = slow_context();
        go(i > 0 && files_with(".spent") == 1);
        Unit *u = unit_build_beside(c, unit_text(15, TH_RT_ABI));
        built = u && !u->poll;
        CHECK(u && (built || (i == 0 && u->poll(u, 0) == 0)));
        if (u && built) CHECK(run(u) == 15 && i == 1);
        else if (u) atomic_store(&u->spent, 30000000000);
        if (u) u->release(u);
        CHECK(files_with(".spent") == !built);
        th_context_release(c);
    }
    CHECK(built);
}

int main(void) {
    snprintf(root, sizeof root, "/tmp/theano-beside-XXXXXX");
    if (!mkdtemp(root)) return 1;
    write_compiler();
    forks();
    leaves(false);
    leaves(true);
    keeps();
    remembers();
    char command[256];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    if (system(command)) return 1;
    return test_done("build_beside");
}
