/*
 * rewrite.c -- rewrites written in Lua: registering them, running them inside a compilation (fgraph.c: what they ask).
 * A rewrite runs in the Lua state that compiles, under lua_pcall, so that its errors come back to the engine as text
 * with the user's line. Nodes it sees are ordinary user nodes.
 */
#include "binding.h"

#include <string.h>

/* One registered function: an userdata kept in a registry table under the rewrite's name. */
typedef struct Rewrite {
    LtState *s;
    int fn; /* reference in the registry */
} Rewrite;

static const char rewrites; /* registry key */

/* ---- running ----------------------------------------------------------------------------------------------------- */
typedef struct Run {
    LtState *s;
    LtCall call;
    ThApply *node;
    ThVar **out;
    int done, nout;
} Run;

/* (function, Run): calls it with the node and the graph; its results go to run->out. Runs protected. */
static int run_protected(lua_State *L) {
    Run *r = lua_touserdata(L, 2);
    lua_settop(L, 1);
    if (!r->node) {
        lt_push_graph(L, r->s, &r->call);
        lua_call(L, 1, 0);
        r->done = 1;
        return 0;
    }
    lt_push_apply(L, r->s, r->node);
    lt_push_graph(L, r->s, &r->call);
    lua_call(L, 2, 1);
    if (!lua_istable(L, 1)) return 0; /* nil, false: does not apply */
    for (int i = 0; i < r->nout; i++) {
        lua_rawgeti(L, 1, i + 1);
        if (lua_toboolean(L, -1)) r->out[i] = th_var_retain(lt_check_var(L, r->s, -1));
        lua_pop(L, 1);
    }
    r->done = 1;
    return 0;
}

static int run(Rewrite *w, ThRewriteCall *call, Run *r) {
    LtState *s = w->s;
    lua_State *L = s->running;
    if (!L || !lua_checkstack(L, 10)) return th_rewrite_fail(call, TH_RuntimeError, "it needs Lua to run");
    r->call = (LtCall){call, ++s->ncalls, s->call};
    s->call = &r->call;
    lua_pushcfunction(L, run_protected);
    lua_rawgeti(L, LUA_REGISTRYINDEX, w->fn);
    lua_pushlightuserdata(L, r);
    bool ok = lua_pcall(L, 2, 0, 0) == LUA_OK;
    s->call = r->call.below;
    if (ok) return r->done;
    for (int i = 0; i < r->nout; i++) {
        th_var_release(r->out[i]);
        r->out[i] = NULL;
    }
    const char *text = lua_tostring(L, -1), *said;
    int status = th_rewrite_fail(call, lt_kind_in(text, &said), text ? text : said);
    lua_pop(L, 1);
    return status;
}

static int run_local(void *user, ThRewriteCall *call, ThApply *node, ThVar **out) {
    Run r = {.s = ((Rewrite *)user)->s, .node = node, .out = out, .nout = th_apply_noutputs(node)};
    return run(user, call, &r);
}

static int run_global(void *user, ThRewriteCall *call) {
    Run r = {.s = ((Rewrite *)user)->s};
    return run(user, call, &r);
}

/* ---- registering ------------------------------------------------------------------------------------------------- */
static const char *text(lua_State *L, const char *k) { /* stays alive through the table */
    lua_getfield(L, 1, k);
    const char *v = lua_isnil(L, -1) ? NULL : luaL_checkstring(L, -1);
    lua_pop(L, 1);
    return v;
}

/* rewrite_register{name =, phases = | position =, tags =, before =, after =, only_if = | ops =, fn =, global =} */
static int rewrite_register(lua_State *L) {
    LtState *s = LT_STATE(L);
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    ThRewriteSpec spec = {.name = text(L, "name"),
                          .phases = text(L, "phases"),
                          .tags = text(L, "tags"),
                          .before = text(L, "before"),
                          .after = text(L, "after"),
                          .only_if = text(L, "only_if"),
                          .ops = text(L, "ops")};
    lua_getfield(L, 1, "position");
    spec.position = lua_isnil(L, -1) ? 0 : luaL_checknumber(L, -1);
    lua_getfield(L, 1, "global");
    bool global = lua_toboolean(L, -1);
    lua_getfield(L, 1, "fn");
    lua_rawgetp(L, LUA_REGISTRYINDEX, &rewrites);
    if (lua_isfunction(L, 4)) {
        Rewrite *w = lua_newuserdatauv(L, sizeof *w, 0);
        lua_pushvalue(L, 4);
        *w = (Rewrite){s, luaL_ref(L, LUA_REGISTRYINDEX)};
        spec.user = w;
        if (global) spec.global = run_global;
        else spec.local = run_local;
    }
    LT_CHECK(L, s, !th_rewrite_register(s->ctx, &spec));
    if (spec.user) lua_setfield(L, 5, spec.name);
    return 0;
}

static int rewrite_op(lua_State *L) { /* what node.op.kind says of an operation's nodes; nil: there is none */
    LtState *s = LT_STATE(L);
    lua_pushstring(L, th_rewrite_op(s->ctx, luaL_checkstring(L, 1)));
    return 1;
}

static int rewrite_remove(lua_State *L) {
    LtState *s = LT_STATE(L);
    const char *name = luaL_checkstring(L, 1);
    LT_CHECK(L, s, !th_rewrite_remove(s->ctx, name));
    lua_rawgetp(L, LUA_REGISTRYINDEX, &rewrites);
    if (lua_getfield(L, -1, name) == LUA_TUSERDATA)
        luaL_unref(L, LUA_REGISTRYINDEX, ((Rewrite *)lua_touserdata(L, -1))->fn);
    lua_pushnil(L);
    lua_setfield(L, -3, name);
    return 0;
}

void lt_close_rewrite(lua_State *L, LtState *s) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, &rewrites);
    for (lua_pushnil(L); lua_istable(L, -2) && lua_next(L, -2); lua_pop(L, 1))
        if (lua_type(L, -2) == LUA_TSTRING && th_rewrite_remove(s->ctx, lua_tostring(L, -2))) th_error_clear(s->ctx);
    lua_pop(L, 1);
}

void lt_open_rewrite(lua_State *L, LtState *s) {
    lua_newtable(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &rewrites);
    static const luaL_Reg fns[] = {{"rewrite_register", rewrite_register},
                                   {"rewrite_remove", rewrite_remove},
                                   {"rewrite_op", rewrite_op},
                                   {NULL, NULL}};
    lt_register(L, s, fns);
}
