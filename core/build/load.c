/*
 * load.c -- a file of the cache becomes a Unit.
 *
 * Always holds: the module stays mapped as long as a Unit of it lives (the dynamic linker counts, each Unit owns one
 * handle, and a function holds its Unit), and what was loaded is what was asked for: the unit tells its key and the
 * number of the table of calls (TH_RT_ABI) it was written for.
 */
#include "build.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct Module {
    Unit unit;
    CacheDir *dir; /* open as long as the module has its name from it */
    void *handle;
} Module;

static void release(Unit *u) {
    Module *m = u->impl;
    ThContext *c = m->dir->c;
    dlclose(m->handle);
    cache_release(m->dir);
    th_free(c, u->source);
    ctx_free(c, m, sizeof *m);
}

/* Fills the symbols; the reason when one is missing or not what it should be. */
static const char *bind_symbols(Module *m, const char *key) {
    const char *its_key = dlsym(m->handle, "theano_key");
    const unsigned *abi = dlsym(m->handle, "theano_abi");
    void *run = dlsym(m->handle, "theano_run");
    if (!its_key || strncmp(its_key, key, BUILD_KEY)) return "it is another unit";
    if (!abi || *abi != TH_RT_ABI) return "it was written for another version of this library";
    if (!run) return "it has no theano_run";
    memcpy(&m->unit.run, &run, sizeof run);
    void *step = dlsym(m->handle, "theano_step");
    memcpy(&m->unit.step, &step, sizeof step);
    return NULL;
}

/*
 * The dynamic linker takes names alone: the file's in the open directory, so that it is in the directory that was
 * looked at, whatever has become of its path. Debuggers find it there too (hence not "self"), profilers see the true
 * path. The key in it makes the name one of this module only. Without /proc: the path.
 */
static void *open_module(const CacheDir *d, const char *name) {
    char path[BUILD_PATH + 64], self[32];
    ssize_t n = readlink("/proc/self", self, sizeof self - 1);
    self[n > 0 ? n : 0] = 0;
    if (n > 0) snprintf(path, sizeof path, "/proc/%s/fd/%d/%.60s", self, d->fd, name);
    if (n <= 0 || access(path, F_OK)) snprintf(path, sizeof path, "%s/%.60s", d->path, name);
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

Unit *unit_load(CacheDir *d, const char *name, const char *key, const char *source, bool tell) {
    ThContext *c = d->c;
    Module *m = ctx_alloc0(c, sizeof *m);
    if (!m) return NULL;
    m->unit.impl = m;
    m->unit.release = release;
    m->unit.source = ctx_strdup(c, source);
    m->handle = m->unit.source ? open_module(d, name) : NULL;
    const char *bad = m->handle ? bind_symbols(m, key) : m->unit.source ? dlerror() : NULL;
    if (m->handle && !bad) {
        m->dir = cache_retain(d);
        return &m->unit;
    }
    if (bad && tell) ctx_log(c, "theano: %s/%s cannot be used: %s; the interpreter serves", d->path, name, bad);
    if (bad) unlinkat(d->fd, name, 0); /* so that it is built again, and nobody else meets it */
    if (m->handle) dlclose(m->handle);
    th_free(c, m->unit.source);
    ctx_free(c, m, sizeof *m);
    return NULL;
}
