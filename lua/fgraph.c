/*
 * fgraph.c -- FunctionGraphs in the user's hands: that of a rewrite while it runs, and graphs of their own.
 * Nodes and variables that are shown are ordinary user nodes; what they stand for in the graph is the engine's to know.
 * Invariant: a handle of a rewrite that has ended raises, whatever has taken its place.
 */
#include "binding.h"

#include <string.h>

typedef struct Graph {
    ThRewriteCall *own; /* a graph of its own, or NULL: .. */
    unsigned long call; /* ..that of the rewrite with this number */
} Graph;

void lt_push_graph(lua_State *L, LtState *s, const LtCall *call) {
    Graph *g = lua_newuserdatauv(L, sizeof *g, 1);
    *g = (Graph){NULL, call ? call->id : 0};
    lt_set_meta(L, s, LT_GRAPH);
    lua_newtable(L);
    lua_setiuservalue(L, -2, 1);
}

static ThRewriteCall *check(lua_State *L, LtState *s) {
    Graph *g = lt_test(L, s, 1, LT_GRAPH);
    if (!g)
        lt_error(L, TH_TypeError, "FunctionGraph expected, got %s (methods are called with a colon)",
                 luaL_typename(L, 1));
    if (g->own) return g->own;
    for (LtCall *c = s->call; c; c = c->below)
        if (c->id == g->call) return c->r;
    lt_error(L, TH_RuntimeError,
             "the graph of a rewrite can be asked only while the rewrite runs: keep its outputs instead, or make a "
             "theano.gof.FunctionGraph of them");
    return NULL;
}

/* Variables of the table at i, kept alive by it. */
static ThVar **list(lua_State *L, LtState *s, int i, int *n) {
    luaL_checktype(L, i, LUA_TTABLE);
    *n = lt_length(L, i, &(LtPlace){.argument = i});
    ThVar **v = lua_newuserdatauv(L, sizeof *v * (size_t)(*n + 1), 0);
    for (int k = 0; k < *n; k++) {
        lua_rawgeti(L, i, k + 1);
        v[k] = lt_check_var(L, s, -1);
        lua_pop(L, 1);
    }
    return v;
}

static int graph_new(lua_State *L) { /* ({inputs}, {outputs}) */
    LtState *s = LT_STATE(L);
    int nin, nout;
    ThVar **in = list(L, s, 1, &nin), **out = list(L, s, 2, &nout);
    lt_push_graph(L, s, NULL);
    lt_mark_line(L, s);
    Graph *g = lua_touserdata(L, -1);
    g->own = th_fgraph_new(s->ctx, in, nin, out, nout);
    LT_CHECK(L, s, g->own);
    return 1;
}

static int graph_gc(lua_State *L) {
    Graph *g = lua_touserdata(L, 1);
    th_fgraph_free(g->own);
    g->own = NULL;
    return 0;
}

/* ---- asking ------------------------------------------------------------------------------------------------------ */
static void push_nodes(lua_State *L, LtState *s, ThApply **nodes, int n) {
    lua_createtable(L, n, 0);
    for (int i = 0; i < n; i++) {
        lt_push_apply(L, s, nodes[i]);
        lua_rawseti(L, -2, i + 1);
    }
}

static int nodes(lua_State *L) {
    LtState *s = LT_STATE(L);
    ThApply **all = NULL;
    int n = th_rewrite_nodes(check(L, s), &all);
    if (n < 0) return lt_raise(L, s);
    push_nodes(L, s, all, n);
    th_free(s->ctx, all);
    return 1;
}

static int vars(lua_State *L) { /* "i" or "o" */
    LtState *s = LT_STATE(L);
    ThVar **all = NULL;
    int n = th_rewrite_vars(check(L, s), luaL_checkstring(L, 2)[0], &all);
    if (n < 0) return lt_raise(L, s);
    lua_createtable(L, n, 0);
    for (int i = 0; i < n; i++) {
        lt_push_var(L, s, th_var_retain(all[i]));
        lua_rawseti(L, -2, i + 1);
    }
    th_free(s->ctx, all);
    return 1;
}

/* {node or "output", place from 0} */
static void push_client(lua_State *L, LtState *s, ThApply *node, int place) {
    lua_createtable(L, 2, 0);
    if (node) lt_push_apply(L, s, node);
    else lua_pushliteral(L, "output");
    lua_rawseti(L, -2, 1);
    lua_pushinteger(L, place);
    lua_rawseti(L, -2, 2);
}

static int clients(lua_State *L) {
    LtState *s = LT_STATE(L);
    ThApply **users = NULL;
    int *at = NULL, n = th_rewrite_clients(check(L, s), lt_check_var(L, s, 2), &users, &at);
    if (n < 0) return lt_raise(L, s);
    lua_createtable(L, n, 0);
    for (int i = 0; i < n; i++) {
        push_client(L, s, users[i], at[i]);
        lua_rawseti(L, -2, i + 1);
    }
    th_free(s->ctx, users);
    th_free(s->ctx, at);
    return 1;
}

static int var_clients(lua_State *L) { /* of a compiled function's variable; nil: of another */
    LtState *s = LT_STATE(L);
    ThClient *at;
    int n = th_var_clients(lt_check_var(L, s, 1), &at);
    if (n < 0) return 0;
    lua_createtable(L, n, 0);
    for (int i = 0; i < n; i++) {
        push_client(L, s, at[i].node, at[i].position);
        lua_rawseti(L, -2, i + 1);
    }
    th_free(s->ctx, at);
    return 1;
}

static int shape(lua_State *L) { /* (graph, variable, dimension from 0) */
    LtState *s = LT_STATE(L);
    ThRewriteCall *r = check(L, s);
    lt_push_var(L, s, th_rewrite_shape(r, lt_check_var(L, s, 2), (int)luaL_checkinteger(L, 3)));
    return 1;
}

static ThApply *check_node(lua_State *L, LtState *s, int i) {
    ThApply **p = lt_test(L, s, i, LT_APPLY);
    if (!p) lt_error(L, TH_TypeError, "argument %d: Apply expected, got %s", i - 1, luaL_typename(L, i));
    return *p;
}

static int current(lua_State *L) { /* (graph, node) -> the node as it is now, or nil */
    LtState *s = LT_STATE(L);
    ThApply *now;
    if (th_rewrite_current(check(L, s), check_node(L, s, 2), &now) < 0) return lt_raise(L, s);
    lt_push_apply(L, s, now);
    return 1;
}

static int verify(lua_State *L) {
    LtState *s = LT_STATE(L);
    LT_CHECK(L, s, !th_rewrite_verify(check(L, s)));
    return 0;
}

static int merge(lua_State *L) {
    LtState *s = LT_STATE(L);
    LT_CHECK(L, s, !th_rewrite_merge(check(L, s)));
    return 0;
}

static int watch(lua_State *L) {
    LtState *s = LT_STATE(L);
    LT_CHECK(L, s, !th_rewrite_watch(check(L, s), lua_toboolean(L, 2)));
    return 0;
}

/* {{"import" | "prune" | "change", node or "output", position from 0, old, new, reason}, ..} since asked last */
static int events(lua_State *L) {
    LtState *s = LT_STATE(L);
    ThRewriteEvent *all;
    int n = th_rewrite_events(check(L, s), &all);
    if (n < 0) return lt_raise(L, s);
    lua_createtable(L, n, 0);
    for (int i = 0; i < n; i++) {
        const ThRewriteEvent *e = &all[i];
        lua_createtable(L, 6, 0);
        lua_pushstring(L, e->kind == 'i' ? "import" : e->kind == 'p' ? "prune" : "change");
        lua_rawseti(L, -2, 1);
        if (e->node) lt_push_apply(L, s, e->node);
        else lua_pushliteral(L, "output");
        lua_rawseti(L, -2, 2);
        lua_pushinteger(L, e->position);
        lua_rawseti(L, -2, 3);
        for (int k = 0; e->kind == 'c' && k < 2; k++) {
            lt_push_var(L, s, th_var_retain(k ? e->new_ : e->old));
            lua_rawseti(L, -2, 4 + k);
        }
        lua_pushstring(L, e->reason ? e->reason : "");
        lua_rawseti(L, -2, 6);
        lua_rawseti(L, -2, i + 1);
    }
    th_free(s->ctx, all);
    return 1;
}

static int state(lua_State *L) { /* the graph's own table, for what Lua keeps with it */
    LtState *s = LT_STATE(L);
    if (!lt_test(L, s, 1, LT_GRAPH)) return 0;
    lua_getiuservalue(L, 1, 1);
    return 1;
}

/* ---- changing ---------------------------------------------------------------------------------------------------- */
static int replace(lua_State *L) { /* (graph, old, new, reason) */
    LtState *s = LT_STATE(L);
    ThRewriteCall *r = check(L, s);
    ThVar *old = lt_check_var(L, s, 2), *new_ = lt_check_var(L, s, 3);
    lt_mark_line(L, s);
    LT_CHECK(L, s, !th_rewrite_replace(r, old, new_, luaL_optstring(L, 4, NULL)));
    return 0;
}

static int replace_all(lua_State *L) { /* (graph, {{old, new}, ..}, reason) */
    LtState *s = LT_STATE(L);
    ThRewriteCall *r = check(L, s);
    luaL_checktype(L, 2, LUA_TTABLE);
    int n = (int)luaL_len(L, 2);
    ThPair *pairs = lua_newuserdatauv(L, sizeof *pairs * (size_t)(n + 1), 0);
    for (int i = 0; i < n; i++) {
        if (lua_geti(L, 2, i + 1) != LUA_TTABLE)
            lt_error(L, TH_TypeError, "replace_all: pair %d is a %s, {old, new} expected", i + 1, luaL_typename(L, -1));
        lua_geti(L, -1, 1);
        lua_geti(L, -2, 2);
        for (int k = -2; k < 0; k++)
            if (!lt_var(L, s, k))
                lt_error(L, TH_TypeError, "replace_all: pair %d holds a %s, {old, new} of Variables expected", i + 1,
                         luaL_typename(L, k));
        pairs[i] = (ThPair){lt_var(L, s, -2), lt_var(L, s, -1)};
        lua_pop(L, 3);
    }
    lt_mark_line(L, s);
    LT_CHECK(L, s, !th_rewrite_replace_all(r, pairs, n, luaL_optstring(L, 3, NULL)));
    return 0;
}

static int change_input(lua_State *L) { /* (graph, node or "output", position from 0, new, reason) */
    LtState *s = LT_STATE(L);
    ThRewriteCall *r = check(L, s);
    ThApply *node = lua_type(L, 2) == LUA_TSTRING ? NULL : check_node(L, s, 2);
    ThVar *v = lt_check_var(L, s, 4);
    lt_mark_line(L, s);
    LT_CHECK(L, s, !th_rewrite_change_input(r, node, (int)luaL_checkinteger(L, 3), v, luaL_optstring(L, 5, NULL)));
    return 0;
}

static int restore(lua_State *L) { /* (graph, {outputs as they were}) */
    LtState *s = LT_STATE(L);
    ThRewriteCall *r = check(L, s);
    int n;
    ThVar **out = list(L, s, 2, &n);
    LT_CHECK(L, s, !th_rewrite_restore(r, out, n));
    return 0;
}

static int optimize(lua_State *L) { /* (graph, query) */
    LtState *s = LT_STATE(L);
    ThRewriteCall *r = check(L, s);
    const Graph *g = lua_touserdata(L, 1);
    if (!g->own) lt_error(L, TH_RuntimeError, "the optimizer cannot run on a graph that it is at work on");
    const char *query = luaL_checkstring(L, 2);
    lua_State *before = s->running;
    s->running = L;
    lt_mark_line(L, s);
    int status = th_fgraph_optimize(r, query);
    s->running = before;
    lt_drain_log(L, s);
    LT_CHECK(L, s, !status);
    return 0;
}

static int with_inputs(lua_State *L) { /* (node, {inputs}) -> the operation on other inputs */
    LtState *s = LT_STATE(L);
    ThApply **node = lt_test(L, s, 1, LT_APPLY);
    if (!node) return lt_wrong(L, 1, "an Apply");
    int n;
    ThVar **in = list(L, s, 2, &n);
    lt_mark_line(L, s);
    ThApply *made = th_apply_with_inputs(s->ctx, *node, in, n);
    LT_CHECK(L, s, made);
    lt_push_apply(L, s, made);
    th_apply_release(made);
    return 1;
}

void lt_open_graph(lua_State *L, LtState *s) {
    static const luaL_Reg meta[] = {{"__gc", graph_gc}, {NULL, NULL}};
    lt_new_meta(L, s, LT_GRAPH, "FunctionGraph", meta);
    lua_setfield(L, -2, "graph_meta");
    static const luaL_Reg fns[] = {{"graph_new", graph_new},
                                   {"graph_nodes", nodes},
                                   {"graph_vars", vars},
                                   {"graph_clients", clients},
                                   {"var_clients", var_clients},
                                   {"graph_shape", shape},
                                   {"graph_current", current},
                                   {"graph_verify", verify},
                                   {"graph_merge", merge},
                                   {"graph_watch", watch},
                                   {"graph_events", events},
                                   {"graph_state", state},
                                   {"graph_replace", replace},
                                   {"graph_replace_all", replace_all},
                                   {"graph_change_input", change_input},
                                   {"graph_restore", restore},
                                   {"graph_optimize", optimize},
                                   {"apply_with_inputs", with_inputs},
                                   {NULL, NULL}};
    lt_register(L, s, fns);
}
