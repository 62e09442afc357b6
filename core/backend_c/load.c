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

typedef struct Module {
    Unit unit;
    ThContext *c;
    void *handle;
} Module;

static void release(Unit *u) {
    Module *m = u->impl;
    dlclose(m->handle);
    th_free(m->c, u->source);
    ctx_free(m->c, m, sizeof *m);
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

Unit *unit_load(ThContext *c, const char *path, const char *key, const char *source) {
    Module *m = ctx_alloc0(c, sizeof *m);
    if (!m) return NULL;
    m->c = c;
    m->unit.impl = m;
    m->unit.release = release;
    m->unit.source = ctx_strdup(c, source);
    m->handle = m->unit.source ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    const char *bad = m->handle ? bind_symbols(m, key) : NULL;
    if (m->handle && !bad) return &m->unit;
    if (bad) ctx_log(c, "theano: %s cannot be used: %s; the interpreter serves", path, bad);
    else if (m->unit.source) ctx_log(c, "theano: cannot load %s: %s; the interpreter serves", path, dlerror());
    if (m->handle) dlclose(m->handle);
    th_free(c, m->unit.source);
    ctx_free(c, m, sizeof *m);
    return NULL;
}
