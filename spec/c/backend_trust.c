/*
 * backend_trust.c -- what may go wrong between a text and a loaded unit: directories that others can change, compilers
 * that lie, hang or leave things behind, places of PATH that anybody can write, full disks, kills, company.
 */
#include "build_test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

enum { STRANGER = 54321 };

static char place[256];
static const char *in_root(const char *name) {
    snprintf(place, sizeof place, "%s/%s", root, name);
    return place;
}

static void make_dir(const char *name, mode_t mode) {
    CHECK(!mkdir(in_root(name), 0700) && !chmod(in_root(name), mode));
}

static void write_script(const char *name, const char *text) {
    int fd = open(in_root(name), O_WRONLY | O_CREAT | O_TRUNC, 0700);
    CHECK(fd >= 0 && write(fd, "#!/bin/sh\n", 10) == 10 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- directories ------------------------------------------------------------------------------------------------- */
/* Whether the cache root/dir is used; if not, `why` stands in the one line that says so. */
static bool used(const char *dir, const char *why) {
    ThContext *c = context_in(dir);
    CHECK(answer(c, 3) == 3);
    bool good = files(dir, ".so", NULL) == 1;
    CHECK(good ? lines == 0 : lines == 1 && strstr(logged, why) && strstr(logged, "temporary directory"));
    done(c);
    return good;
}

static void parents(void) {
    make_dir("shared", 0777);
    make_dir("shared/mine", 0700);
    CHECK(!used("shared/mine", "shared can be written by others"));
    CHECK(!used("shared/mine/../mine/new/deep", "shared can be written by others"));
    CHECK(access(in_root("shared/mine/new"), F_OK)); /* nothing is made there either */
    CHECK(!chmod(in_root("shared"), 01777));         /* as /tmp */
    CHECK(used("shared/mine", ""));
    CHECK(!chmod(in_root("shared"), 0770));
    CHECK(!used("shared/mine/other", "shared can be written by others"));
    CHECK(!chmod(in_root("shared"), 0755) && used("shared/mine/other", ""));
    make_dir("real", 0700);
    CHECK(!symlink("real", in_root("link")) && used("link/below", ""));
    CHECK(files("real/below", ".so", NULL) == 1);
    CHECK(!symlink("loop", in_root("loop")) && !used("loop/below", "link that leads nowhere"));
    CHECK(!symlink("/proc", in_root("proc")) && !used("proc/none", "/proc/none: No such file or directory"));
    CHECK(!symlink("shared/mine/../../open", in_root("around")));
    make_dir("open", 0777);
    CHECK(!used("around/x", "open can be written by others"));
    if (geteuid()) return;
    make_dir("theirs", 0755);
    make_dir("theirs/mine", 0700);
    CHECK(used("theirs/mine", ""));
    CHECK(!chown(in_root("theirs"), STRANGER, STRANGER) && !used("theirs/mine/b", "theirs belongs to somebody else"));
    CHECK(!symlink("real", in_root("planted")) && !lchown(in_root("planted"), STRANGER, STRANGER));
    CHECK(!used("planted/again", "planted belongs to somebody else"));
}

/* One that another process, or we a moment ago, cannot have swapped: files are taken from the directory looked at. */
static void loaded_from_there(void) {
    ThContext *c = context_in("there");
    CHECK(answer(c, 8) == 8);
    CacheDir *d = cache_dir(build_state(c), CACHE_MAIN, false);
    Compiler k = {0};
    BuildJob j = {0};
    CHECK(d && build_choose(build_state(c), &k, unit_text(8, TH_RT_ABI)) && build_find(build_state(c), &k, &j));
    char moved[256];
    snprintf(moved, sizeof moved, "%s", in_root("moved"));
    CHECK(!rename(in_root("there"), moved) && !symlink("/nowhere", in_root("there")));
    Unit *u = unit_load(j.dir, j.name, k.key, unit_text(8, TH_RT_ABI), true);
    CHECK(u && lines == 0);
    if (u) u->release(u);
    build_job_free(&j);
    build_compiler_free(&k);
    CHECK(!unlink(in_root("there")));
    done(c);
}

static void names(void) {
    static const char *const odd[] = {"two words", "it's \"so\"", "new\nline", "%s,$HOME;*`id`", "-O3", "@x", "b\\n\\"};
    for (int i = 0; i < TH_LEN(odd); i++) CHECK(used(odd[i], ""));
    char before[BUILD_PATH];
    CHECK(getcwd(before, sizeof before) && !chdir(root));
    ThContext *c = context_in("x");
    th_config_set(c, "base_compiledir", "-shared -o x"); /* relative, and like a flag */
    CHECK(answer(c, 4) == 4 && lines == 0 && files("-shared -o x", ".so", NULL) == 1);
    done(c);
    CHECK(!chdir(before));
}

static void vanishing(void) {
    ThContext *c = context_in("gone");
    CHECK(answer(c, 1) == 1);
    remove_tree(in_root("gone"));
    CHECK(answer(c, 1) == 1 && answer(c, 2) == 2 && lines == 0 && files("gone", ".so", NULL) == 2);
    done(c);
    write_script("sweeper", "rm -rf \"${0%/*}\"/swept-away; exit 1\n");
    c = context_in("swept-away");
    th_config_set(c, "cxx", in_root("sweeper"));
    CHECK(answer(c, 1) == -1 && strstr(logged, "disappears"));
    done(c);
}

/* Another base_compiledir is another chance. */
static void told_by_place(void) {
    ThContext *c = context_in("open/x");
    CHECK(answer(c, 1) == 1 && lines == 1);
    th_config_set(c, "base_compiledir", in_root("later"));
    CHECK(answer(c, 2) == 2 && lines == 1 && files("later", ".so", NULL) == 1);
    done(c);
}

/* ---- compilers --------------------------------------------------------------------------------------------------- */
/* What the script makes is refused, and not kept: the true compiler is asked again. */
static void refused(const char *dir, const char *script, const char *why) {
    ThContext *c = context_in(dir);
    write_script("cc-refused", script);
    th_config_set(c, "cxx", in_root("cc-refused"));
    CHECK(answer(c, 5) == -1 && lines == 1 && strstr(logged, why));
    CHECK(files(dir, "", NULL) == 0);
    th_config_set(c, "cxx", "gcc");
    CHECK(answer(c, 5) == 5);
    done(c);
}

#define OUT_OF "for w in \"$@\"; do case $l in -o) out=$w;; esac; l=$w; done\n"

static void liars(void) {
    refused("half", "gcc \"$@\" || exit 1\n" OUT_OF "s=$(stat -c %s \"$out\"); truncate -s $((s / 2)) \"$out\"\n",
            "cut off");
    refused("last", "gcc \"$@\" || exit 1\n" OUT_OF "truncate -s -1 \"$out\"\n", "cut off");
    refused("head", "gcc \"$@\" || exit 1\n" OUT_OF "truncate -s 40 \"$out\"\n", "no shared object");
    refused("none", OUT_OF ": >\"$out\"\n", "cannot be read");
    refused("text", OUT_OF "echo 'int x;' >\"$out\"\n", "no shared object");
    refused("object", "gcc -c \"$@\"\n", "no shared object");
    refused("other", OUT_OF "echo 'int x;' | gcc -shared -fPIC -x c - -o \"$out\"\n", "another module");
    refused("lied", "exit 0\n", "made nothing");
}

static void damaged_heads(void) {
    static char good[1 << 18]; /* arm64 has pages of 64 KB */
    char path[512];
    ThContext *c = context_in("heads");
    CHECK(answer(c, 5) == 5 && files("heads", ".so", path) == 1);
    int fd = open(path, O_RDONLY);
    ssize_t n = read(fd, good, sizeof good);
    close(fd);
    char key[BUILD_KEY] = "";
    memcpy(key, strrchr(path, '/') + 1, BUILD_KEY - 1);
    CHECK(n > 4096 && n < (ssize_t)sizeof good && !elf_incomplete(good, (size_t)n, key));
    key[0] ^= 1;
    CHECK(elf_incomplete(good, (size_t)n, key) != NULL);
    uint32_t x = 7;
    for (int i = 0; i < 3000; i++) { /* whatever stands there: no read outside (ASan looks) */
        char *copy = malloc((size_t)n);
        memcpy(copy, good, (size_t)n);
        for (int k = 0; k < 4; k++) {
            x = x * 1664525 + 1013904223;
            size_t at = i % 2 ? (x >> 8) % 1024 : (size_t)n - 1 - (x >> 8) % 4096;
            copy[at] = (char)(x >> 3);
        }
        elf_incomplete(copy, i % 3 ? (size_t)n : (x >> 5) % (size_t)n, key);
        free(copy);
    }
    done(c);
}

/* A process that the compiler leaves behind keeps its output open, or fills it. */
static void left_behind(void) {
    static const char *const script[] = {"sleep 60 & echo $! >\"$0.pid\"\nexec gcc \"$@\"\n",
                                         "(while :; do echo noise; done) & echo $! >\"$0.pid\"\nexec gcc \"$@\"\n",
                                         "exec gcc \"$@\" >&- 2>&-\n"};
    for (int i = 0; i < TH_LEN(script); i++) {
        char dir[16];
        snprintf(dir, sizeof dir, "left%d", i);
        write_script("cc-left", script[i]);
        ThContext *c = context_in(dir);
        th_config_set(c, "cxx", in_root("cc-left"));
        double start = seconds();
        CHECK(answer(c, 5) == 5 && lines == 0 && seconds() - start < 20);
        done(c);
        FILE *f = fopen(in_root("cc-left.pid"), "r");
        int pid = 0;
        if (f && fscanf(f, "%d", &pid) == 1) kill(pid, SIGKILL);
        if (f) fclose(f);
        unlink(in_root("cc-left.pid"));
    }
}

static ThContext *to_stop;
static void stop(int sig) {
    (void)sig;
    th_interrupt(to_stop);
}

static void hanging(void) {
    static const char *const script[] = {"echo $$ >\"$0.pid\"\nsleep 60\n",
                                         "trap '' TERM INT\necho $$ >\"$0.pid\"\nwhile :; do sleep 60; done\n"};
    for (int i = 0; i < TH_LEN(script); i++) {
        write_script("cc-hang", script[i]);
        ThContext *c = to_stop = context_in("hang");
        th_config_set(c, "cxx", in_root("cc-hang"));
        signal(SIGALRM, stop);
        setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 400000}}, NULL);
        double start = seconds();
        CHECK(answer(c, 5) == -1 && th_error(c) == TH_Interrupted && seconds() - start < 10 && lines == 0);
        th_error_clear(c);
        FILE *f = fopen(in_root("cc-hang.pid"), "r");
        int pid = 0;
        CHECK(f && fscanf(f, "%d", &pid) == 1);
        for (int t = 0; t < 300 && !kill(-pid, 0); t++) usleep(10000); /* until somebody collects the orphans */
        CHECK(kill(-pid, 0) && errno == ESRCH);                        /* it and what it started */
        if (f) fclose(f);
        CHECK(files("hang", "", NULL) == 0);
        atomic_store(&c->interrupted, 0); /* as the next compilation does */
        th_config_set(c, "cxx", "gcc");
        CHECK(answer(c, 5) == 5);
        remove_tree(in_root("hang"));
        done(c);
    }
}

static void search_path(void) {
    char before[8192], now[9000], evil[256];
    snprintf(before, sizeof before, "%s", getenv("PATH"));
    make_dir("evil", 0777);
    snprintf(evil, sizeof evil, "%s", in_root("evil"));
    static const char *const tool[] = {"as", "ld", "collect2", "cc1", "gcc"};
    for (int i = 0; i < TH_LEN(tool); i++) {
        char name[32];
        snprintf(name, sizeof name, "evil/%s", tool[i]);
        write_script(name, ": >\"${0%/*}\"/../taken; exit 1\n");
    }
    char cwd[BUILD_PATH];
    CHECK(getcwd(cwd, sizeof cwd) && !chdir(evil));
    const char *const first[] = {evil, ".", "", "../evil"};
    for (int i = 0; i < TH_LEN(first); i++) {
        snprintf(now, sizeof now, "%s:%s", first[i], before);
        setenv("PATH", now, 1);
        ThContext *c = context_in("path");
        th_config_set(c, "cxx", "gcc");
        CHECK(answer(c, 20 + i) == 20 + i && lines == 0);
        CHECK(access(in_root("taken"), F_OK) && !strcmp(getenv("PATH"), now));
        done(c);
    }
    CHECK(!chdir(cwd));
    CHECK(!chmod(evil, 0755)); /* nobody else's: as the user says */
    setenv("PATH", evil, 1);
    ThContext *c = context_in("path");
    th_config_set(c, "cxx", "gcc");
    CHECK(answer(c, 30) == -1 && !access(in_root("taken"), F_OK));
    done(c);
    setenv("PATH", before, 1);
}

/* ---- disks and company ------------------------------------------------------------------------------------------- */
static void full_disk(void) {
    struct rlimit was, small;
    CHECK(!getrlimit(RLIMIT_FSIZE, &was));
    signal(SIGXFSZ, SIG_IGN);
    static const rlim_t sizes[] = {100, 9000};
    for (int i = 0; i < TH_LEN(sizes); i++) {
        ThContext *c = context_in("full");
        small = (struct rlimit){sizes[i], was.rlim_max};
        CHECK(!setrlimit(RLIMIT_FSIZE, &small));
        double got = answer(c, 5);
        CHECK(!setrlimit(RLIMIT_FSIZE, &was));
        CHECK(got == -1 && lines >= 1 && files("full", "", NULL) == 0);
        done(c);
    }
    ThContext *c = context_in("full");
    CHECK(answer(c, 5) == 5 && lines == 0);
    done(c);
}

static int builder(const char *dir) {
    ThContext *c = context_in(dir);
    for (int i = 1; i < 5; i++)
        if (answer(c, i) != i) return 1;
    th_context_release(c);
    return lines > 0;
}

static void company(void) {
    pid_t pid[4];
    for (int i = 0; i < 4; i++) {
        pid[i] = fork();
        if (!pid[i]) _exit(builder("company"));
    }
    for (int i = 0; i < 4; i++) {
        int status;
        CHECK(waitpid(pid[i], &status, 0) == pid[i] && status == 0);
    }
    CHECK(files("company", "", NULL) == 4);
}

static void killed(void) {
    for (int i = 0; i < 8; i++) {
        pid_t pid = fork();
        if (!pid) _exit(builder("killed"));
        usleep((useconds_t)(20000 + 35000 * i));
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    ThContext *c = context_in("killed");
    for (int i = 1; i < 5; i++) CHECK(answer(c, i) == i);
    CHECK(lines == 0);
    done(c);
}

int main(void) {
    snprintf(root, sizeof root, "/tmp/theano-spec-XXXXXX");
    if (!mkdtemp(root)) return 1;
    unsetenv("TMPDIR");
    ThContext *c = context_in("none");
    bool gcc = !strcmp(config_str(c, "cxx"), "gcc");
    done(c);
    if (!gcc) {
        remove_tree(root);
        printf("backend_trust: skipped, there is no gcc\n");
        return 77;
    }
    parents();
    loaded_from_there();
    names();
    vanishing();
    told_by_place();
    liars();
    damaged_heads();
    left_behind();
    hanging();
    search_path();
    full_disk();
    company();
    killed();
    remove_tree(root);
    return test_done("backend_trust");
}
