/*
 * watch.c -- modes that look at every node: core.watch(kind, options) for lua/theano/modes.lua. In: "debug", "guard" or
 * "monitor" and a table of options. Out: an userdata that compile takes as spec.watch. The functions of MonitorMode are
 * called in the state that called the compiled function, on its thread.
 */
#include "binding.h"

#include <stdlib.h>
#include <string.h>

typedef struct LtMonitor {
    LtState *s; /* NULL: the state is closed */
    int fn[2];  /* registry references, LUA_NOREF: none */
    struct LtMonitor *next;
} Monitor;

static void push_cells(lua_State *L, LtState *s, ThArray *const *a, int n) { /* {{array}, ..}: Theano's storage */
    lua_createtable(L, n, 0);
    for (int i = 0; i < n; i++) {
        lua_createtable(L, 1, 0);
        if (a[i]) {
            ThArray *copy = th_array_copy(a[i]);
            lt_push_array(L, s, copy);
            lua_rawseti(L, -2, 1);
        }
        lua_rawseti(L, -2, i + 1);
    }
}

typedef struct Event {
    Monitor *m;
    const ThWatchNode *n;
    int which;
} Event;

/* (Event): calls fn(i, node, {inputs =, outputs =, within =, step =}). Runs protected. */
static int call_protected(lua_State *L) {
    Event *e = lua_touserdata(L, 1);
    LtState *s = e->m->s;
    lua_rawgeti(L, LUA_REGISTRYINDEX, e->m->fn[e->which]);
    lua_pushinteger(L, e->n->index);
    lt_push_apply(L, s, e->n->node);
    lua_createtable(L, 0, 4);
    push_cells(L, s, e->n->in, e->n->nin);
    lua_setfield(L, -2, "inputs");
    push_cells(L, s, e->n->out, e->n->nout);
    lua_setfield(L, -2, "outputs");
    if (e->n->within) {
        lt_push_apply(L, s, (ThApply *)e->n->within);
        lua_setfield(L, -2, "within");
    }
    if (e->n->step >= 0) {
        lua_pushinteger(L, e->n->step);
        lua_setfield(L, -2, "step");
    }
    lua_call(L, 3, 0);
    return 0;
}

static int monitor(Monitor *m, const ThWatchNode *n, int which) {
    LtState *s = m->s;
    lua_State *L = s ? lt_entered(s) : NULL;
    if (!L || !lua_checkstack(L, 8))
        return th_fail(th_apply_context(n->node), TH_RuntimeError,
                       s ? "MonitorMode: a function was called on a thread that is not Lua's"
                         : "MonitorMode: a function was called after its Lua state was closed");
    Event e = {m, n, which};
    lua_pushcfunction(L, call_protected);
    lua_pushlightuserdata(L, &e);
    s->callbacks++;
    bool ok = lua_pcall(L, 1, 0, 0) == LUA_OK;
    s->callbacks--;
    s->entered = L; /* it may have called the engine from a coroutine */
    if (ok) return 0;
    const char *said;
    ThError kind = lt_kind_in(lua_tostring(L, -1), &said);
    th_fail(s->ctx, kind, said);
    lua_pop(L, 1);
    return -1;
}

static int pre(void *user, const ThWatchNode *n) { return monitor(user, n, 0); }
static int post(void *user, const ThWatchNode *n) { return monitor(user, n, 1); }

/* The functions stay in the registry: a function may outlive whatever handle led here. */
static void release(void *user) {
    Monitor *m = user;
    for (Monitor **p = m->s ? &m->s->monitors : NULL; p && *p; p = &(*p)->next)
        if (*p == m) {
            *p = m->next;
            break;
        }
    free(m);
}

void lt_close_watch(LtState *s) {
    for (Monitor *m = s->monitors; m; m = m->next) m->s = NULL;
    s->monitors = NULL;
}

static bool option(lua_State *L, const char *k, bool absent) {
    bool v = lua_getfield(L, 2, k) == LUA_TNIL ? absent : lua_toboolean(L, -1);
    lua_pop(L, 1);
    return v;
}

static int take(lua_State *L, const char *k) {
    if (lua_getfield(L, 2, k) == LUA_TFUNCTION) return luaL_ref(L, LUA_REGISTRYINDEX);
    lua_pop(L, 1);
    return LUA_NOREF;
}

static int watch_gc(lua_State *L) {
    ThWatch **w = lua_touserdata(L, 1);
    th_watch_release(*w);
    *w = NULL;
    return 0;
}

static int watch(lua_State *L) { /* watch("debug" | "guard" | "monitor", options) */
    LtState *s = LT_STATE(L);
    const char *kind = luaL_checkstring(L, 1);
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_settop(L, 2);
    ThWatchSpec w = th_watch_defaults(s->ctx, *kind == 'g' ? 'n' : *kind);
    w.check_c = option(L, "check_c_code", w.check_c);
    w.check_py = option(L, "check_py_code", w.check_py);
    w.check_finite = option(L, "check_isfinite", w.check_finite);
    w.nan = option(L, "nan_is_error", w.nan);
    w.inf = option(L, "inf_is_error", w.inf);
    w.big = option(L, "big_is_error", w.big);
    if (lua_getfield(L, 2, "stability_patience") != LUA_TNIL) w.patience = (int)luaL_checkinteger(L, -1);
    if (lua_getfield(L, 2, "action") != LUA_TNIL) w.action = *luaL_checkstring(L, -1);
    lua_settop(L, 2);
    ThWatch **at = lua_newuserdatauv(L, sizeof *at, 0);
    *at = NULL;
    if (luaL_newmetatable(L, "theano.watch")) {
        lua_pushcfunction(L, watch_gc);
        lua_setfield(L, -2, "__gc");
    }
    lua_setmetatable(L, 3);
    if (w.kind == 'm') {
        Monitor *m = malloc(sizeof *m);
        if (!m) return lt_error(L, TH_MemoryError, "no memory");
        *m = (Monitor){s, {take(L, "pre_func"), take(L, "post_func")}, s->monitors};
        s->monitors = m;
        w.user = m;
        w.release = release;
        w.pre = m->fn[0] == LUA_NOREF ? NULL : pre;
        w.post = m->fn[1] == LUA_NOREF ? NULL : post;
    }
    *at = th_watch_new(s->ctx, &w);
    if (!*at && w.user) release(w.user);
    LT_CHECK(L, s, *at);
    return 1;
}

void lt_open_watch(lua_State *L, LtState *s) {
    static const luaL_Reg fns[] = {{"watch", watch}, {NULL, NULL}};
    lt_register(L, s, fns);
}
