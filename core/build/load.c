/*
 * load.c -- a file of the cache becomes a Unit.
 *
 * Always holds: the module stays mapped as long as a Unit of it lives (the dynamic linker counts, each Unit owns one
 * handle, and a function holds its Unit), and what was loaded is what was asked for: the unit tells its key and the
 * number of the table of calls (TH_RT_ABI) it was written for.
 */
#include "common.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct Module {
    Unit unit;
    ThContext *c;
    CacheDir *dir; /* open as long as the module has its name from it; NULL: it came in memory */
    int fd;        /* as open_bytes says, or -1 */
    void *handle;
} Module;

static void release(Unit *u) {
    Module *m = u->impl;
    ThContext *c = m->c;
    dlclose(m->handle);
    if (m->fd >= 0) os_close(m->fd);
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
    if (!common_bind(m->c, m->handle)) return "it calls kernels that this library has not";
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

static Module *module_new(ThContext *c, const char *source) {
    Module *m = ctx_alloc0(c, sizeof *m);
    if (!m) return NULL;
    m->c = c;
    m->fd = -1;
    m->unit.impl = m;
    m->unit.release = release;
    m->unit.source = ctx_strdup(c, source);
    if (m->unit.source) return m;
    ctx_free(c, m, sizeof *m);
    return NULL;
}

/* The module whose handle is there, or not: a Unit, or NULL and *bad says why. */
static Unit *module_unit(Module *m, const char *key, const char **bad) {
    *bad = m->handle ? bind_symbols(m, key) : dlerror();
    if (m->handle && !*bad) return &m->unit;
    if (!*bad) *bad = "this system opens no library that lies in memory";
    return NULL;
}

static void module_free(Module *m) {
    ThContext *c = m->c;
    if (m->handle) dlclose(m->handle);
    if (m->fd >= 0) os_close(m->fd);
    th_free(c, m->unit.source);
    ctx_free(c, m, sizeof *m);
}

Unit *unit_load(CacheDir *d, const char *name, const char *key, const char *source, bool tell) {
    const char *bad;
    Module *m = module_new(d->c, source);
    if (!m) return NULL;
    m->handle = open_module(d, name);
    Unit *u = module_unit(m, key, &bad);
    if (u) {
        m->dir = cache_retain(d);
        return u;
    }
    if (tell) ctx_log(d->c, "theano: %s/%s cannot be used: %s; the interpreter serves", d->path, name, bad);
    unlinkat(d->fd, name, 0); /* so that it is built again, and nobody else meets it */
    module_free(m);
    return NULL;
}

Unit *unit_load_bytes(ThContext *c, const void *bytes, size_t n, const char *key, const char *source) {
    const char *bad = elf_incomplete(bytes, n, key);
    Module *m = module_new(c, source);
    if (!m) return NULL;
    if (!bad) m->handle = os_library_bytes(bytes, n, &m->fd);
    Unit *u = bad ? NULL : module_unit(m, key, &bad);
    if (u) return u;
    ctx_log(c, "theano: machine code of a saved model cannot be used: %s", bad);
    module_free(m);
    return NULL;
}
