/*
 * native.c -- units as machine code that goes elsewhere with a saved model.
 *
 * In: the text of a unit for a level of x86-64. Out: a module for every processor of that level, in memory; and from
 * such bytes a Unit. Always holds: the module's key is a hash of the text, the level and TH_RT_ABI, so that code serves
 * only where this library would write the very text that it was made from; whether the bytes may be trusted was asked
 * before (core/model).
 */
#include "build.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool key_of(ThContext *c, char key[BUILD_KEY], int level, const char *source) {
    char head[64];
    int n = number_format(head, sizeof head, "native %d %d", TH_RT_ABI, level);
    return build_key(c, key, hash_bytes(head, (size_t)n, 11), source);
}

/* The user's own flags stay out: they are for this machine. */
static bool choose(Build *b, Compiler *k, int level, const char *source) {
    char flags[80];
    number_format(flags, sizeof flags, " -march=x86-64-v%d%s", level, level == 4 ? " -mprefer-vector-width=512" : "");
    return build_compiler(b, k, flags) && key_of(b->c, k->key, level, source);
}

static bool refused(Compiler *k, char *output) {
    build_shorten(output);
    return failed(k->c) || err(k->c, TH_CompileError, "native code: the C compiler %s failed: %.700s", k->path,
                               output[0] ? output : "(it printed nothing)");
}

static bool build(Build *b, Compiler *k, BuildJob *j, const char *source, char **bytes, size_t *n) {
    char output[BUILD_OUTPUT] = "";
    if (!build_prepare(b, CACHE_TEMP, k, j, source))
        return failed(b->c) || err(b->c, TH_CompileError, "native code: there is no directory to build in: %s", b->why);
    const char *bad = build_finish(k, j, !build_run(k, j, output));
    if (bad && *bad) snprintf(output, sizeof output, "%s", bad);
    if (bad) return refused(k, output);
    *bytes = cache_read(j->dir, j->name, k->key, n);
    unlinkat(j->dir->fd, j->name, 0);
    return *bytes || failed(b->c) || err(b->c, TH_CompileError, "native code: what the compiler made disappeared");
}

bool unit_native(ThContext *c, const char *source, int level, char **bytes, size_t *n) {
    Build *b = build_state(c);
    Compiler *k = b ? ctx_alloc0(c, sizeof *k) : NULL;
    BuildJob *j = k ? ctx_alloc0(c, sizeof *j) : NULL;
    *bytes = NULL, *n = 0;
    if (j && !choose(b, k, level, source) && !failed(c))
        err(c, TH_CompileError, "native code: there is no C compiler (config cxx)");
    else if (j && !failed(c)) build(b, k, j, source, bytes, n);
    if (j) build_job_free(j);
    if (k) k->c = c, build_compiler_free(k);
    ctx_free(c, j, sizeof *j);
    ctx_free(c, k, sizeof *k);
    return *bytes != NULL;
}

Unit *unit_native_load(ThContext *c, const char *source, int level, const void *bytes, size_t n) {
    char key[BUILD_KEY];
    Unit *u = key_of(c, key, level, source) ? unit_load_bytes(c, bytes, n, key, source) : NULL;
    if (u) atomic_fetch_add(&c->natives, 1);
    return u;
}
