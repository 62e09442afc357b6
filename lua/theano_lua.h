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

#endif
