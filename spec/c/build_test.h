/*
 * build_test.h -- what the tests of building share: a fresh directory, contexts with a cache in it, units to build.
 */
#ifndef TH_BUILD_TEST_H
#define TH_BUILD_TEST_H

#include "test.h"

#include "build/build.h"
#include "text/emit.h"

#include <dirent.h>
#include <unistd.h>

static char root[64], logged[8192];
static int lines;

TH_UNUSED static void keep_log(void *user, const char *text) {
    (void)user;
    lines++;
    snprintf(logged + strlen(logged), sizeof logged - strlen(logged), "%s\n", text);
}

/* A unit that adds what `number` says to the first element of buffer 0. */
TH_UNUSED static char *unit_text(int number, unsigned abi) {
    static char text[8192];
    snprintf(text, sizeof text,
             "%sf64 sin(f64);\nf64 keep(f64 x) { return sin(x); }\n"
             "static int step_0(Frame *f) { *(f64 *)f->buf[0] += %d; return 0; }\n"
             "int theano_step(Frame *f, int i) { return i == 0 ? step_0(f) : 1; }\n"
             "int theano_run(Frame *f) { return step_0(f); }\nconst unsigned theano_abi = %u;\n",
             prelude_c, number, abi);
    return text;
}

TH_UNUSED static ThContext *context_in(const char *dir) {
    ThHost h = test_failing_host(0);
    h.log = keep_log;
    ThContext *c = th_context_new(&h);
    char path[256];
    snprintf(path, sizeof path, "%s/%s", root, dir);
    th_config_set(c, "base_compiledir", path);
    logged[0] = 0;
    lines = 0;
    return c;
}

/* Builds and runs; the number the unit added, or -1 where there is no unit. */
TH_UNUSED static double answer(ThContext *c, int number) {
    Unit *u = unit_build(c, unit_text(number, TH_RT_ABI));
    if (!u) return -1;
    double x = 1;
    char *buf[1] = {(char *)&x};
    ThFrame f = {.buf = buf, .rt = &th_rt};
    CHECK(u->run(&f) == 0);
    double by_run = x;
    CHECK(u->step && u->step(&f, 0) == 0 && x == by_run + number);
    CHECK(u->source && strstr(u->source, "step_0"));
    u->release(u);
    return by_run - 1;
}

/* Number of files in root/dir/lua-units whose name ends so; the last one's path in `path`. */
TH_UNUSED static int files(const char *dir, const char *end, char path[512]) {
    char full[256];
    int n = 0;
    snprintf(full, sizeof full, "%s/%s/lua-units", root, dir);
    DIR *d = opendir(full);
    if (!d) return 0;
    for (struct dirent *e; (e = readdir(d));) {
        size_t l = strlen(e->d_name), m = strlen(end);
        if (e->d_name[0] == '.' || l < m || strcmp(e->d_name + l - m, end)) continue;
        if (path) snprintf(path, 512, "%s/%s", full, e->d_name);
        n++;
    }
    closedir(d);
    return n;
}

TH_UNUSED static void done(ThContext *c) {
    CHECK(th_error(c) == TH_OK);
    th_context_release(c);
    CHECK(test_leaked() == 0);
}

TH_UNUSED static void remove_tree(const char *dir) {
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));) {
        char path[512];
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
        snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        if (unlink(path)) remove_tree(path);
    }
    if (d) closedir(d);
    rmdir(dir);
}

#endif
