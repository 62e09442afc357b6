/*
 * core.c -- the module theano.core: its state (context, metatables, log) and the assembly of what the other files add.
 */
#include "binding.h"
#include "pool.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char key, module; /* their addresses name our state and its table in the registry */

LtState *lt_state(lua_State *L) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, &key);
    LtState *s = lua_touserdata(L, -1);
    lua_pop(L, 1);
    return s;
}

void *lt_test(lua_State *L, LtState *s, int i, LtKind kind) {
    void *p = lua_touserdata(L, i);
    if (!p || !lua_getmetatable(L, i)) return NULL;
    const void *m = lua_topointer(L, -1);
    lua_pop(L, 1);
    return m == s->meta[kind] ? p : NULL;
}

void lt_set_meta(lua_State *L, LtState *s, LtKind kind) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, s->meta_ref[kind]);
    lua_setmetatable(L, -2);
}

void lt_register(lua_State *L, LtState *s, const luaL_Reg *fns) {
    lua_pushlightuserdata(L, s);
    luaL_setfuncs(L, fns, 1);
}

void lt_new_meta(lua_State *L, LtState *s, LtKind kind, const char *name, const luaL_Reg *fns) {
    enum { ALL = 64 };
    lua_createtable(L, 0, kind == LT_ARRAY ? ALL : 0);
    if (kind == LT_ARRAY) { /* ndarray.lua gives it; what comes first, where all have room, is found at once */
        lua_pushboolean(L, false);
        lua_setfield(L, -2, "__index");
    }
    lua_pushstring(L, name);
    lua_setfield(L, -2, "__name");
    lua_pushliteral(L, "protected");
    lua_setfield(L, -2, "__metatable");
    lt_register(L, s, fns);
    lua_pushvalue(L, -1);
    lua_pushfstring(L, strncmp(name, "theano.", 7) ? "theano.%s" : "%s", name); /* for a host (theano_lua.h) */
    lua_insert(L, -2);
    lua_settable(L, LUA_REGISTRYINDEX);
    s->meta[kind] = lua_topointer(L, -1);
    lua_pushvalue(L, -1);
    s->meta_ref[kind] = luaL_ref(L, LUA_REGISTRYINDEX);
}

/* The engine never prints: its lines wait here until a Lua function drains them. */
static void host_log(void *user, const char *line) {
    LtState *s = user;
    size_t n = strlen(line);
    if (s->nlog + n + 2 > 1 << 16) return;
    char *p = realloc(s->log, s->nlog + n + 2);
    if (!p) return;
    memcpy(p + s->nlog, line, n);
    p[s->nlog + n] = '\n';
    p[s->nlog + n + 1] = 0;
    s->log = p;
    s->nlog += n + 1;
}

/* Logger and lines are pushed; false: there are none. */
static bool waiting_lines(lua_State *L, LtState *s) {
    if (!s->nlog) return false;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &s->nlog); /* the logger, set by core.set_logger */
    lua_pushlstring(L, s->log, s->nlog);
    s->nlog = 0;
    if (lua_isfunction(L, -2)) return true;
    lua_pop(L, 2);
    return false;
}

void lt_drain_log(lua_State *L, LtState *s) {
    if (waiting_lines(L, s)) lua_call(L, 1, 0);
}

static int set_logger(lua_State *L) {
    LtState *s = LT_STATE(L);
    lua_settop(L, 1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &s->nlog);
    return 0;
}

static int set_home(lua_State *L) {
    LtState *s = LT_STATE(L);
    const char *h = luaL_checkstring(L, 1);
    size_t n = strlen(h);
    if (n < sizeof s->home) memcpy(s->home, h, n + 1);
    return 0;
}

static int stat_of(lua_State *L) {
    lua_pushinteger(L, (lua_Integer)th_stat(LT_STATE(L)->ctx, luaL_checkstring(L, 1)));
    return 1;
}

/* log(lines): true if they went to a host's logger; for scripts alone the caller has to print them. */
static int log_lines(lua_State *L) {
    LtState *s = LT_STATE(L);
    const char *line = luaL_checkstring(L, 1);
    for (const char *end; s->hosted && *line; line = end + (*end == '\n')) {
        end = line + strcspn(line, "\n");
        lua_pushlstring(L, line, (size_t)(end - line));
        th_log(s->ctx, lua_tostring(L, -1));
        lua_pop(L, 1);
    }
    lua_pushboolean(L, s->hosted);
    return 1;
}

static int monotonic(lua_State *L) { /* seconds since some moment */
    struct timespec t = {0};
    clock_gettime(CLOCK_MONOTONIC, &t);
    lua_pushnumber(L, (lua_Number)t.tv_sec + 1e-9 * (lua_Number)t.tv_nsec);
    return 1;
}

/* Whether flags are read from the environment (ThHost.environment). */
static int environment(lua_State *L) {
    lua_pushboolean(L, th_context_environment(LT_STATE(L)->ctx) == 'f');
    return 1;
}

static int seed(lua_State *L) {
    lua_pushinteger(L, (lua_Integer)th_context_seed(LT_STATE(L)->ctx));
    return 1;
}

static int interrupt(lua_State *L) {
    th_interrupt(LT_STATE(L)->ctx);
    return 0;
}

static int close_state(lua_State *L) {
    LtState *s = lua_touserdata(L, 1);
    if (waiting_lines(L, s) && lua_pcall(L, 1, 0, 0)) lua_pop(L, 1); /* the last words: nothing is raised here */
    /* A host may hold the context, or a function, for longer: nothing of it may lead back here. */
    if (s->pool) s->pool->watch.user = NULL; /* arrays that go from now on are none of ours */
    lt_close_userop(s);
    lt_close_watch(s);
    if (s->ctx) {
        lt_close_rewrite(L, s);
        if (!s->shared) {
            th_context_log(s->ctx, NULL, NULL);
            th_op_forget(s->ctx, NULL);
            th_shared_forget_updates(s->ctx);
        }
        th_context_release(s->ctx);
    }
    s->ctx = NULL;
    free(s->log);
    s->log = NULL;
    s->nlog = 0;
    return 0;
}

/* What th_lua_open or th_lua_use left in the registry; NULL: nothing. */
static void *given(lua_State *L, const char *name) {
    lua_getfield(L, LUA_REGISTRYINDEX, name);
    void *p = lua_touserdata(L, -1);
    lua_pop(L, 1);
    return p;
}

/* The host's context, one of the host's making, or one as for scripts alone. */
static void open_context(lua_State *L, LtState *s) {
    const ThHost *host = given(L, "theano.host");
    ThHost own = {.log = host_log, .log_user = s, .environment = 'f'};
    s->ctx = given(L, "theano.context");
    s->shared = s->ctx;
    s->hosted = s->ctx || host;
    if (s->ctx) th_context_retain(s->ctx);
    else s->ctx = th_context_new(host ? host : &own);
    if (!s->ctx) luaL_error(L, "MemoryError: no memory for the engine, or its host is of another ABI");
}

static LtState *new_state(lua_State *L) {
    LtState *s = lua_newuserdatauv(L, sizeof *s, 0);
    memset(s, 0, sizeof *s);
    lt_collect_init(s);
    lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
    s->main = lua_tothread(L, -1);
    lua_pop(L, 1);
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, close_state);
    lua_setfield(L, -2, "__gc");
    lua_setmetatable(L, -2);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &key);
    open_context(L, s);
    return s;
}

__attribute__((visibility("default"))) int luaopen_theano_core(lua_State *L) {
    if (lt_state(L)) { /* a test runner forgot it and asks again: one engine a state, the same table */
        lua_rawgetp(L, LUA_REGISTRYINDEX, &module);
        return 1;
    }
    LtState *s = new_state(L);
    lua_pushlightuserdata(L, s->ctx); /* this and the next for theano_lua.h */
    lua_setfield(L, LUA_REGISTRYINDEX, "theano.engine");
    lua_newtable(L);
    lua_newtable(L); /* what scripts keep by name (theano.keep), however often they are loaded */
    lua_pushvalue(L, -1);
    lua_setfield(L, LUA_REGISTRYINDEX, "theano.kept");
    lua_setfield(L, -2, "kept");
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &module);
    static const luaL_Reg fns[] = {{"set_logger", set_logger},
                                   {"log", log_lines},
                                   {"set_home", set_home},
                                   {"stat", stat_of},
                                   {"interrupt", interrupt},
                                   {"environment", environment},
                                   {"seed", seed},
                                   {"monotonic", monotonic},
                                   {NULL, NULL}};
    lt_register(L, s, fns);
    lua_pushstring(L, th_version());
    lua_setfield(L, -2, "version");
    lt_open_arg(L, s);
    lt_open_array(L, s);
    lt_open_index(L, s);
    lt_open_quick(L, s);
    lt_open_short(L, s);
    lt_open_counts(L, s);
    lt_open_device(L, s);
    lt_open_files(L, s);
    lt_open_random(L, s);
    lt_open_sparse(L, s);
    lt_open_generator(L, s);
    lt_open_var(L, s);
    lt_open_shared(L, s);
    lt_open_ops(L, s);
    lt_open_along(L, s);
    lt_open_function(L, s);
    lt_open_call(L, s);
    lt_open_print(L, s);
    lt_open_derive(L, s);
    lt_open_scan(L, s);
    lt_open_userop(L, s);
    lt_open_rewrite(L, s);
    lt_open_graph(L, s);
    lt_open_watch(L, s);
    lt_open_config(L, s);
    lt_open_sandbox(L, s);
    lt_open_picture(L, s);
    lt_open_mpi(L, s);
    lt_open_prefetch(L, s);
    return 1;
}
