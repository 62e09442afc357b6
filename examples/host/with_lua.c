/*
 * with_lua.c -- a host with its own lua_State: a script compiles a function, C calls it a million times on its own
 * buffers. build/examples/host/with_lua [script.lua] The host's memory is wrapped, not copied; the result buffer is
 * borrowed (Out with borrow), so calls allocate nothing.
 */
#include "theano_lua.h"

#include <lualib.h>

#include <stdio.h>

static const char *const builtin =
    "local theano = require('theano')\n"
    "local T = require('theano.tensor')\n"
    "local x, v = T.dvector('x'), T.dvector('v')\n"
    "-- a damped spring, one time step of every particle\n"
    "local v2 = v + 0.01 * (-4.0 * x - 0.1 * v)\n"
    "return theano.compile{inputs = {x, v}, outputs = {theano.Out(x + 0.01 * v2, {borrow = true}),\n"
    "  theano.Out(v2, {borrow = true})}, name = 'spring',\n"
    "  mode = theano.compile.Mode{linker = 'c'}} -- its code is there before the first call\n";

static int fail(lua_State *L) {
    const char *why = lua_tostring(L, -1);
    fprintf(stderr, "with_lua: %s\n", why ? why : "an error that is no text");
    lua_close(L);
    return 1;
}

/* Where the tree keeps its Lua files and the built module; an installed Theano needs neither line. */
static void set_paths(lua_State *L) {
    luaL_dostring(L, "package.path = '" TH_TREE_LUA "/?.lua;" TH_TREE_LUA "/?/init.lua;' .. package.path\n"
                     "package.cpath = '" TH_BUILD_LUA "/?.so;' .. package.cpath");
}

enum { PARTICLES = 64, CALLS = 1000000 };

/* All steps; what the results say becomes the next arguments. */
static int steps(ThFunction *f, ThArray *const args[2]) {
    ThContext *c = th_function_context(f);
    int64_t before = 0;
    for (int step = 0; step < CALLS; step++) {
        ThArray *out[2] = {NULL, NULL};
        if (step == 1000) before = th_stat(c, "allocs");
        int bad = th_call(f, args, 2, out);
        for (int i = 0; i < 2; i++) {
            bad = bad || th_array_assign(args[i], out[i]);
            th_array_release(out[i]);
        }
        if (bad) {
            fprintf(stderr, "%s: %s\n", th_error_name(th_error(c)), th_error_text(c));
            return 1;
        }
    }
    const double *x = th_array_data(args[0]), *v = th_array_data(args[1]);
    printf("%d calls: x[1] = %.6f, v[1] = %.6f, allocations after warming up: %lld\n", CALLS, x[1], v[1],
           (long long)(th_stat(c, "allocs") - before));
    return 0;
}

static int simulate(ThFunction *f) {
    static double x[PARTICLES], v[PARTICLES];
    if (th_function_ninputs(f) != 2 || th_function_noutputs(f) != 2) {
        fprintf(stderr, "with_lua: a function of positions and velocities is wanted, with two results\n");
        return 1;
    }
    for (int i = 0; i < PARTICLES; i++) x[i] = i, v[i] = 0;
    ThContext *c = th_function_context(f);
    const int64_t n = PARTICLES;
    ThArray *args[2] = {th_array_wrap(c, TH_FLOAT64, 1, &n, NULL, x, NULL, NULL),
                        th_array_wrap(c, TH_FLOAT64, 1, &n, NULL, v, NULL, NULL)};
    int code = steps(f, args);
    th_array_release(args[0]);
    th_array_release(args[1]);
    return code;
}

int main(int argc, char **argv) {
    lua_State *L = luaL_newstate();
    if (!L) return 1;
    luaL_openlibs(L);
    set_paths(L);
    int bad = argc > 1 ? luaL_loadfile(L, argv[1]) : luaL_loadstring(L, builtin);
    if (bad || lua_pcall(L, 0, 1, 0)) return fail(L);
    ThFunction *f = th_lua_function(L, -1);
    if (!f) {
        lua_pushliteral(L, "the script returns no compiled function");
        return fail(L);
    }
    int code = simulate(f);
    lua_close(L);
    return code;
}
