/*
 * with_lua.c -- a host with its own lua_State: a script compiles a function, C calls it a million times on its own
 * buffers. build/examples/host/with_lua [script.lua] The host's memory is wrapped, not copied; the result buffer is
 * borrowed (Out with borrow), so calls allocate nothing.
 */
#include "theano.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include <stdio.h>

static const char *const builtin =
    "local theano = require('theano')\n"
    "local T = require('theano.tensor')\n"
    "local x, v = T.dvector('x'), T.dvector('v')\n"
    "-- a damped spring, one time step of every particle\n"
    "local v2 = v + 0.01 * (-4.0 * x - 0.1 * v)\n"
    "return theano.compile{inputs = {x, v}, outputs = {theano.Out(x + 0.01 * v2, {borrow = true}),\n"
    "  theano.Out(v2, {borrow = true})}, name = 'spring'}\n";

static int fail(lua_State *L) {
    fprintf(stderr, "with_lua: %s\n", lua_tostring(L, -1));
    lua_close(L);
    return 1;
}

/* Where the tree keeps its Lua files and the built module; an installed Theano needs neither line. */
static void set_paths(lua_State *L) {
    luaL_dostring(L, "package.path = '" TH_TREE_LUA "/?.lua;" TH_TREE_LUA "/?/init.lua;' .. package.path\n"
                     "package.cpath = '" TH_BUILD_LUA "/?.so;' .. package.cpath");
}

/* The userdata of a compiled function begins with its ThFunction. */
static ThFunction *function_at(lua_State *L, int i) {
    ThFunction **f = luaL_testudata(L, i, "theano.Function");
    if (!f) f = lua_touserdata(L, i);
    return f ? *f : NULL;
}

enum { PARTICLES = 64, CALLS = 1000000 };

static int simulate(ThFunction *f) {
    static double x[PARTICLES], v[PARTICLES];
    for (int i = 0; i < PARTICLES; i++) x[i] = i, v[i] = 0;
    ThContext *c = th_function_context(f);
    const int64_t n = PARTICLES;
    ThArray *args[2] = {th_array_wrap(c, TH_FLOAT64, 1, &n, NULL, x, NULL, NULL),
                        th_array_wrap(c, TH_FLOAT64, 1, &n, NULL, v, NULL, NULL)};
    ThArray *out[2] = {NULL, NULL};
    int64_t before = 0, after = 0;
    for (int step = 0; step < CALLS; step++) {
        if (step == 1000) before = th_stat(c, "allocs");
        if (th_call(f, args, 2, out)) {
            fprintf(stderr, "%s: %s\n", th_error_name(th_error(c)), th_error_text(c));
            return 1;
        }
        th_array_assign(args[0], out[0]);
        th_array_assign(args[1], out[1]);
        th_array_release(out[0]);
        th_array_release(out[1]);
    }
    after = th_stat(c, "allocs");
    printf("%d calls: x[1] = %.6f, v[1] = %.6f, allocations after warming up: %lld\n", CALLS, x[1], v[1],
           (long long)(after - before));
    th_array_release(args[0]);
    th_array_release(args[1]);
    return 0;
}

int main(int argc, char **argv) {
    lua_State *L = luaL_newstate();
    if (!L) return 1;
    luaL_openlibs(L);
    set_paths(L);
    int bad = argc > 1 ? luaL_loadfile(L, argv[1]) : luaL_loadstring(L, builtin);
    if (bad || lua_pcall(L, 0, 1, 0)) return fail(L);
    ThFunction *f = function_at(L, -1);
    if (!f) {
        lua_pushliteral(L, "the script returns no compiled function");
        return fail(L);
    }
    int code = simulate(f);
    lua_close(L);
    return code;
}
