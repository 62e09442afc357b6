/*
 * backend_build.c -- from the text of a unit to a loaded one: cold, warm, damaged cache, directories that may not be
 * used, compilers that are missing or fail. Everything happens in a fresh temporary directory.
 */
#include "build_test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static void cold_then_warm(void) {
    ThContext *c = context_in("plain");
    CHECK(answer(c, 5) == 5 && th_stat(c, "compiles") == 1 && th_stat(c, "cache_hits") == 0);
    CHECK(answer(c, 5) == 5 && th_stat(c, "compiles") == 1 && th_stat(c, "cache_hits") == 1);
    CHECK(answer(c, 6) == 6 && th_stat(c, "compiles") == 2);
    CHECK(lines == 0);
    done(c);
    c = context_in("plain"); /* another process would do the same */
    CHECK(answer(c, 6) == 6 && th_stat(c, "compiles") == 0 && th_stat(c, "cache_hits") == 1);
    done(c);
    CHECK(files("plain", ".so", NULL) == 2 && files("plain", "", NULL) == 2); /* nothing left aside */
    struct stat s;
    char path[512];
    files("plain", ".so", path);
    CHECK(!stat(path, &s) && (s.st_mode & 0777) == 0700);
}

/* The key holds the flags and the instruction set. */
static void key_depends(void) {
    ThContext *c = context_in("plain");
    unsetenv("THEANO_ISA"); /* scripts/matrix sets it */
    th_config_set(c, "gcc.cxxflags", "-DSOMETHING=1  -O1");
    CHECK(answer(c, 5) == 5 && th_stat(c, "compiles") == 1);
    int wide = machine_vector_bytes(c);
    setenv("THEANO_ISA", "sse2", 1);
    CHECK(machine_vector_bytes(c) == 16);
    CHECK(answer(c, 5) == 5 && th_stat(c, "compiles") == (wide > 16 ? 2 : 1));
    unsetenv("THEANO_ISA");
    const struct {
        const char *flags;
        int most;
    } lowered[] = {{"-O1 -march=x86-64", 16}, {"-march=x86-64-v2 -O1", 16}, {"-mno-avx512f", 32},
                   {"-march=x86-64-v3", 32},  {"-march=native", 64},        {"-DX-march=x86-64", 64}};
    for (int i = 0; i < TH_LEN(lowered); i++) {
        th_config_set(c, "gcc.cxxflags", lowered[i].flags);
        CHECK(machine_vector_bytes(c) == (wide < lowered[i].most ? wide : lowered[i].most));
        CHECK(wide > 32 || !strstr(machine_flags(c), "avx512"));
    }
    done(c);
}

/* Files cut off or changed at any place are built again, not loaded. */
static void damaged(void) {
    ThContext *c = context_in("damaged");
    char path[512];
    struct stat s;
    CHECK(answer(c, 7) == 7 && files("damaged", ".so", path) == 1);
    CHECK(!stat(path, &s));
    const off_t cuts[] = {0, 10, s.st_size / 2, s.st_size - 1};
    for (int i = 0; i < TH_LEN(cuts); i++) {
        CHECK(!truncate(path, cuts[i]));
        CHECK(answer(c, 7) == 7 && th_stat(c, "compiles") == 2 + i && th_stat(c, "cache_hits") == 0);
    }
    int64_t before = th_stat(c, "compiles");
    int fd = open(path, O_WRONLY);
    CHECK(fd >= 0 && pwrite(fd, "xxxx", 4, s.st_size / 3) == 4);
    close(fd);
    CHECK(answer(c, 7) == 7 && th_stat(c, "compiles") == before + 1);
    CHECK(!chmod(path, 0722)); /* others may have written it */
    CHECK(answer(c, 7) == 7 && th_stat(c, "compiles") == before + 2);
    CHECK(!unlink(path) && !symlink("/bin/true", path));
    CHECK(answer(c, 7) == 7 && th_stat(c, "compiles") == before + 3 && lines == 0);
    done(c);
}

/* What killed builds left aside goes away, but not what may be in work. */
static void swept(void) {
    ThContext *c = context_in("swept");
    char old[256], fresh[256], folder[256], within[300], path[512];
    CHECK(answer(c, 1) == 1);
    done(c);
    snprintf(old, sizeof old, "%s/swept/lua-units/aside-1-1-0.c", root);
    snprintf(fresh, sizeof fresh, "%s/swept/lua-units/aside-2-1-0.c", root);
    snprintf(folder, sizeof folder, "%s/swept/lua-units/aside-1-1-0.so.tmp", root); /* the compiler's own files */
    snprintf(within, sizeof within, "%s/cc012345.s", folder);
    CHECK(!mkdir(folder, 0700));
    close(open(old, O_CREAT | O_WRONLY, 0600));
    close(open(within, O_CREAT | O_WRONLY, 0600));
    close(open(fresh, O_CREAT | O_WRONLY, 0600));
    const struct timespec past[2] = {{1000000, 0}, {1000000, 0}};
    CHECK(!utimensat(AT_FDCWD, old, past, 0) && !utimensat(AT_FDCWD, folder, past, 0));
    c = context_in("swept");
    CHECK(answer(c, 2) == 2 && access(old, F_OK) && !access(fresh, F_OK) && files("swept", ".c", path) == 1);
    CHECK(access(folder, F_OK) && files("swept", ".tmp", NULL) == 0);
    done(c);
}

/* A directory that may not be used: one line, a private directory instead, removed with the context. */
static void unusable(const char *dir) {
    ThContext *c = context_in(dir);
    CHECK(answer(c, 3) == 3 && answer(c, 4) == 4 && th_stat(c, "compiles") == 2);
    CHECK(answer(c, 3) == 3 && th_stat(c, "cache_hits") == 1);
    CHECK(lines == 1 && strstr(logged, "temporary directory") && strstr(logged, dir));
    struct stat s;
    char temp[BUILD_PATH];
    snprintf(temp, sizeof temp, "%s", build_state(c)->temp);
    CHECK(!strncmp(temp, root, strlen(root)) && !stat(temp, &s) && (s.st_mode & 0777) == 0700);
    done(c);
    CHECK(stat(temp, &s) != 0);
}

static void directories(void) {
    char path[256];
    setenv("TMPDIR", root, 1);
    snprintf(path, sizeof path, "%s/file", root);
    close(open(path, O_CREAT | O_WRONLY, 0600));
    unusable("file/below");
    snprintf(path, sizeof path, "%s/open", root);
    CHECK(!mkdir(path, 0700));
    snprintf(path, sizeof path, "%s/open/lua-units", root);
    CHECK(!mkdir(path, 0700) && !chmod(path, 0777));
    unusable("open");
    snprintf(path, sizeof path, "%s/link", root);
    CHECK(!mkdir(path, 0700));
    snprintf(path, sizeof path, "%s/link/lua-units", root);
    CHECK(!symlink("../open/lua-units", path));
    unusable("link");
    setenv("TMPDIR", "/nowhere/at/all", 1);
    ThContext *c = context_in("open");
    CHECK(answer(c, 3) == -1 && answer(c, 3) == -1 && lines == 2 && strstr(logged, "no directory to build in"));
    done(c);
    unsetenv("TMPDIR");
}

static void compilers(void) {
    ThContext *c = context_in("compilers");
    th_config_set(c, "cxx", "");
    CHECK(answer(c, 1) == -1 && answer(c, 2) == -1 && lines == 1 && strstr(logged, "no C compiler"));
    done(c);
    c = context_in("compilers");
    th_config_set(c, "cxx", "no-such-compiler -x");
    CHECK(answer(c, 1) == -1 && answer(c, 2) == -1 && lines == 1 && strstr(logged, "'no-such-compiler -x'"));
    done(c);
    c = context_in("compilers");
    th_config_set(c, "cxx", "/bin/false");
    CHECK(answer(c, 1) == -1 && lines == 1 && strstr(logged, "/bin/false failed: (it printed nothing)"));
    for (int i = 2; i < 9; i++) CHECK(answer(c, i) == -1);
    CHECK(lines == 3 && strstr(logged, "from now on all functions run in the interpreter"));
    done(c);
    c = context_in("compilers");
    th_config_set(c, "cxx", "/bin/true"); /* succeeds and makes nothing */
    CHECK(answer(c, 1) == -1 && lines >= 1);
    done(c);
    c = context_in("compilers"); /* the compiler's own words reach the log */
    CHECK(!unit_build(c, "int theano_run(void) { return nonsense_here; }\n"));
    CHECK(lines == 1 && strstr(logged, "nonsense_here") && answer(c, 1) == 1);
    done(c);
    CHECK(files("compilers", "", NULL) == 1);
}

static void foreign(void) {
    ThContext *c = context_in("abi");
    CHECK(!unit_build(c, unit_text(1, TH_RT_ABI + 1)) && lines == 1 && strstr(logged, "another version"));
    done(c);
}

static int body(ThContext *c) {
    char path[256];
    snprintf(path, sizeof path, "%s/plain", root);
    if (th_config_set(c, "base_compiledir", path)) return 0;
    Unit *u = unit_build(c, unit_text(6, TH_RT_ABI));
    if (u) u->release(u);
    return u != NULL;
}

int main(void) {
    snprintf(root, sizeof root, "/tmp/theano-spec-XXXXXX");
    if (!mkdtemp(root)) return 1;
    unsetenv("TMPDIR");
    ThContext *c = context_in("none");
    bool compiler = config_str(c, "cxx")[0];
    done(c);
    if (!compiler) {
        remove_tree(root);
        printf("backend_build: skipped, there is no C compiler\n");
        return 77;
    }
    cold_then_warm();
    key_depends();
    damaged();
    swept();
    directories();
    compilers();
    foreign();
    test_every_failure(body);
    remove_tree(root);
    return test_done("backend_build");
}
