/*
 * base_processors.c -- how many processors a process may use: what its control groups give, of both versions, and of
 * files that say nothing; and what threads leave to others.
 */
#include "base/os/os.h"
#include "test.h"

#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char root[64];

/* Signals are for the host's threads, but faults: of these its handler would not hear. */
static void *blocked(void *user) {
    pthread_sigmask(SIG_SETMASK, NULL, user);
    return NULL;
}

static void test_signals(void) {
    sigset_t of;
    OsThread t;
    if (!os_thread_start(&t, blocked, &of)) {
        CHECK(!"a thread begins");
        return;
    }
    os_thread_join(t);
    CHECK(sigismember(&of, SIGINT) && sigismember(&of, SIGTERM) && sigismember(&of, SIGCHLD));
    CHECK(!sigismember(&of, SIGSEGV) && !sigismember(&of, SIGBUS) && !sigismember(&of, SIGFPE));
}

static void put(const char *name, const char *text) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", root, name);
    for (char *p = path + strlen(root) + 1; (p = strchr(p, '/')); p++) {
        *p = 0;
        mkdir(path, 0700);
        *p = '/';
    }
    FILE *f = fopen(path, "w");
    CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static int of(const char *groups, int most) {
    char path[256];
    put("groups", groups);
    snprintf(path, sizeof path, "%s/groups", root);
    return os_group_processors(path, root, most);
}

int main(void) {
    snprintf(root, sizeof root, "/tmp/theano-groups-XXXXXX");
    if (!mkdtemp(root)) return 1;
    CHECK(of("", 8) == 8 && of("0::/none\n", 8) == 8 && of("nonsense", 8) == 8 && of("0::", 8) == 8);
    put("a/cpu.max", "650000 100000\n");
    put("a/b/cpu.max", "max 100000\n");
    put("a/b/c/cpu.max", "250000 100000\n");
    put("a/low/cpu.max", "20000 100000\n");
    put("a/odd/cpu.max", "0 0\n");
    CHECK(of("0::/a/b\n", 8) == 6 && of("0::/a/b", 4) == 4); /* the group around it counts */
    CHECK(of("5:memory:/x\n0::/a/b/c\n", 8) == 2);
    CHECK(of("0::/a/low\n", 8) == 1 && of("0::/a/odd\n", 8) == 6);
    CHECK(of("0::/a/../a/b/c\n", 8) == 8); /* outside of what this process sees */
    put("cpu/x/cpu.cfs_quota_us", "300000\n");
    put("cpu/x/cpu.cfs_period_us", "100000\n");
    put("cpu/y/cpu.cfs_quota_us", "-1\n");
    put("cpu/y/cpu.cfs_period_us", "100000\n");
    put("cpu/z/cpu.cfs_quota_us", "100000\n"); /* without a period */
    CHECK(of("4:cpu,cpuacct:/x\n", 8) == 3 && of("1:cpu:/y\n", 8) == 8 && of("1:cpu:/z\n", 8) == 8);
    CHECK(of("3:cpuset:/x\n", 8) == 8);
    put("cpu.max", "100000 100000\n");
    CHECK(of("0::/\n", 8) == 1 && of("0::/none\n", 8) == 1);
    CHECK(os_processors() >= 1);
    test_signals();
    int64_t waits = os_thread_waits();
    for (int i = 0; i < 20; i++) usleep(1000);
    CHECK(waits < 0 || os_thread_waits() >= waits + 10);
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    int status = system(command);
    CHECK(WIFEXITED(status) && !WEXITSTATUS(status));
    return test_done("base_processors");
}
