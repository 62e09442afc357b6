/*
 * theano_lua.h -- for C programs that run scripts: values of Lua as things of theano.h. Nothing to link but Lua.
 */
#ifndef THEANO_LUA_H
#define THEANO_LUA_H

#include "theano.h"

#include <lauxlib.h>
#include <lua.h>

/* What stands at index i as a handle of the engine, borrowed: it lives as long as the Lua value (retain it to keep it
 * for longer, even past lua_close). NULL where something else stands there. */
static inline void *th_lua_handle(lua_State *L, int i, const char *kind) {
    void **p = (void **)luaL_testudata(L, i, kind);
    return p ? *p : NULL;
}
static inline ThFunction *th_lua_function(lua_State *L, int i) {
    return (ThFunction *)th_lua_handle(L, i, "theano.Function");
}
static inline ThArray *th_lua_array(lua_State *L, int i) { return (ThArray *)th_lua_handle(L, i, "theano.ndarray"); }
static inline ThVar *th_lua_variable(lua_State *L, int i) { return (ThVar *)th_lua_handle(L, i, "theano.Variable"); }

/*
 * Opens the engine in L as the host wants it, before a script requires it: with a ThHost of the host's (which is
 * copied; NULL: as scripts alone have it), or with a context that the host has (L holds a reference; what scripts
 * define in it stays there). package.path and package.cpath must lead to the modules. As lua_pcall: LUA_OK and the
 * module theano on the stack, or an error and its text. A state opens once: RuntimeError afterwards.
 */
static inline int th_lua_opening(lua_State *L) {
    if (lua_getfield(L, LUA_REGISTRYINDEX, "theano.engine") != LUA_TNIL)
        return luaL_error(L, "RuntimeError: the engine is open in this Lua state already");
    lua_settop(L, 2);
    lua_setfield(L, LUA_REGISTRYINDEX, "theano.context");
    lua_setfield(L, LUA_REGISTRYINDEX, "theano.host");
    lua_getglobal(L, "require");
    lua_pushstring(L, "theano");
    lua_call(L, 1, 1);
    return 1;
}
static inline int th_lua_open_with(lua_State *L, const ThHost *host, ThContext *c) {
    union {
        const ThHost *in;
        void *out;
    } h;
    int status;
    h.in = host;
    lua_pushcfunction(L, th_lua_opening);
    if (host) lua_pushlightuserdata(L, h.out);
    else lua_pushnil(L);
    if (c) lua_pushlightuserdata(L, c);
    else lua_pushnil(L);
    status = lua_pcall(L, 2, 1, 0);
    lua_pushnil(L);
    lua_setfield(L, LUA_REGISTRYINDEX, "theano.context");
    lua_pushnil(L);
    lua_setfield(L, LUA_REGISTRYINDEX, "theano.host");
    return status;
}
static inline int th_lua_open(lua_State *L, const ThHost *host) { return th_lua_open_with(L, host, NULL); }
static inline int th_lua_use(lua_State *L, ThContext *c) { return th_lua_open_with(L, NULL, c); }

/* The context of L's engine, borrowed; NULL: none is open. */
static inline ThContext *th_lua_context(lua_State *L) {
    ThContext *c;
    lua_getfield(L, LUA_REGISTRYINDEX, "theano.engine");
    c = (ThContext *)lua_touserdata(L, -1);
    lua_pop(L, 1);
    return c;
}

/* Pushes what a script kept under the name (theano.keep), or nil: ask th_lua_function(L, -1) and the like then. */
static inline int th_lua_kept(lua_State *L, const char *name) {
    if (lua_getfield(L, LUA_REGISTRYINDEX, "theano.kept") != LUA_TTABLE) {
        lua_pop(L, 1);
        lua_pushnil(L);
        return LUA_TNIL;
    }
    lua_pushstring(L, name);
    lua_rawget(L, -2);
    lua_remove(L, -2);
    return lua_type(L, -1);
}

/* What a sandbox may take: of its Lua state and its engine each, of one run; 0: as much as theano.sandboxed gives it,
 * below 0: any number. */
typedef struct ThLuaLimits {
    double memory, seconds, steps, nodes; /* bytes, seconds, steps of Lua's machine, variables and applications */
} ThLuaLimits;
static inline void th_lua_limit(lua_State *L, const char *name, double v) {
    if (v == 0) return;
    lua_pushnumber(L, v < 0 ? 0 : v);
    lua_setfield(L, -2, name);
}
static inline int th_lua_boxing(lua_State *L) {
    const ThLuaLimits *l = (const ThLuaLimits *)lua_touserdata(L, 1);
    lua_getglobal(L, "require");
    lua_pushstring(L, "theano");
    lua_call(L, 1, 1);
    lua_getfield(L, -1, "sandboxed");
    lua_newtable(L);
    if (l) {
        th_lua_limit(L, "memory", l->memory);
        th_lua_limit(L, "seconds", l->seconds);
        th_lua_limit(L, "steps", l->steps);
        th_lua_limit(L, "nodes", l->nodes);
    }
    lua_call(L, 1, 1);
    return 1;
}
/* Pushes a sandbox for scripts that are not trusted (docs/sandbox.md); limits may be NULL. As lua_pcall. */
static inline int th_lua_sandbox(lua_State *L, const ThLuaLimits *limits) {
    union {
        const ThLuaLimits *in;
        void *out;
    } l;
    l.in = limits;
    lua_pushcfunction(L, th_lua_boxing);
    lua_pushlightuserdata(L, l.out);
    return lua_pcall(L, 1, 1, 0);
}
static inline int th_lua_running(lua_State *L) { /* (box, text, ...) */
    if (!luaL_testudata(L, 1, "theano.Box"))
        return luaL_error(L, "TypeError: th_lua_sandbox_run: no sandbox stands at that index, but a %s",
                          luaL_typename(L, 1));
    lua_getfield(L, 1, "run");
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}
/* Runs a text in the sandbox at index `box` with the nargs values on top, which it takes. As lua_pcall. */
static inline int th_lua_sandbox_run(lua_State *L, int box, const char *text, int nargs, int nresults) {
    box = lua_absindex(L, box);
    lua_pushcfunction(L, th_lua_running);
    lua_insert(L, -1 - nargs);
    lua_pushvalue(L, box);
    lua_insert(L, -1 - nargs);
    lua_pushstring(L, text);
    lua_insert(L, -1 - nargs);
    return lua_pcall(L, nargs + 2, nresults, 0);
}

#endif
