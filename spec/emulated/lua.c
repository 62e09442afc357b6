/*
 * lua.c -- what a spec asks of the emulated driver, as functions of Lua: package.loadlib gives them
 * (spec/support/emulated.lua). Lua is the program's own; nothing is linked.
 */
#define _GNU_SOURCE
#include "emulated.h"

#include <dlfcn.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

int cuEmulatedFail(const char *name, long n, int code);
long cuEmulatedCalls(const char *name);
void cuEmulatedMemory(size_t bytes);
void cuEmulatedIdle(bool idle);
void cuEmulatedResident(int blocks);

typedef struct Lua {
    const char *(*text)(void *L, int at, size_t *n);
    long long (*number)(void *L, int at, int *is);
    void (*push)(void *L, long long n);
} Lua;

static bool find(Lua *l) {
    static const char *const name[] = {"lua_tolstring", "lua_tointegerx", "lua_pushinteger"};
    void *at[3];
    for (int i = 0; i < 3; i++)
        if (!(at[i] = dlsym(RTLD_DEFAULT, name[i]))) return false;
    memcpy(l, at, sizeof *l);
    return true;
}

EXPORT int emulated_fail(void *L) { /* (entry point, n, code): its n-th call from now gives the code; 0: none */
    Lua l;
    if (find(&l)) cuEmulatedFail(l.text(L, 1, NULL), (long)l.number(L, 2, NULL), (int)l.number(L, 3, NULL));
    return 0;
}

EXPORT int emulated_calls(void *L) { /* (entry point or nothing) -> how often it was called, or all of them */
    Lua l;
    if (!find(&l)) return 0;
    l.push(L, cuEmulatedCalls(l.text(L, 1, NULL)));
    return 1;
}

EXPORT int emulated_idle(void *L) { /* (0 or 1): kernels do nothing */
    Lua l;
    if (find(&l)) cuEmulatedIdle(l.number(L, 1, NULL) != 0);
    return 0;
}

EXPORT int emulated_resident(void *L) { /* (blocks): so many run at once on each of its four multiprocessors */
    Lua l;
    if (find(&l)) cuEmulatedResident((int)l.number(L, 1, NULL));
    return 0;
}

EXPORT int emulated_memory(void *L) { /* (bytes): how much there is */
    Lua l;
    if (find(&l)) cuEmulatedMemory((size_t)l.number(L, 1, NULL));
    return 0;
}
