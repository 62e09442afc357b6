/*
 * shared.c -- shared variables from Lua: making them, their values both ways, default updates; values under a
 * variable's rules; copies of expressions with replacements.
 */
#include "binding.h"

#include <string.h>

static ThVar *check_shared(lua_State *L, LtState *s) {
    ThVar *v = lt_check_var(L, s, 1);
    if (th_var_kind(v) != 's') lt_error(L, TH_TypeError, "only a SharedVariable has a value to get or set");
    return v;
}

/* shared(ndarray, name, borrow, {broadcastable..}, strict, allow_downcast) */
static int shared_new(lua_State *L) {
    LtState *s = LT_STATE(L);
    ThArray *a = lt_sparse(L, s, 1) ? lt_sparse(L, s, 1) : lt_check_array(L, s, 1);
    int n;
    uint32_t b = lua_istable(L, 4) ? lt_pattern(L, 4, &n) : 0;
    if (lua_istable(L, 4) && n != th_array_ndim(a))
        return lt_error(L, TH_ValueError, "broadcastable has %d entries, the value has %d dimensions", n,
                        th_array_ndim(a));
    lt_mark_line(L, s);
    ThVar *v = th_shared_new(s->ctx, a, luaL_optstring(L, 2, NULL), lua_toboolean(L, 3), b);
    lt_push_var(L, s, v);
    LT_CHECK(L, s, !th_shared_rules(v, lua_toboolean(L, 5), lua_isnoneornil(L, 6) ? -1 : (int8_t)lua_toboolean(L, 6)));
    lt_drain_log(L, s);
    return 1;
}

static int shared_get(lua_State *L) { /* (shared, borrow, array) -> ndarray, or the element of a 0-d value */
    LtState *s = LT_STATE(L);
    lt_most(L, 3);
    bool borrow = lua_toboolean(L, 2);
    ThVar *v = check_shared(L, s);
    lt_push_value(L, s, th_var_type(v), th_shared_get(v, borrow), borrow || lua_toboolean(L, 3));
    return 1;
}

/* A Lua value under the rules of variable v, pushed; arrays as they are (the engine looks at them again). */
static ThArray *filtered(lua_State *L, LtState *s, ThVar *v, int i) {
    ThArg arg;
    memset(&arg, 0, sizeof arg);
    int t = lua_type(L, i);
    if (t != LUA_TNUMBER && t != LUA_TBOOLEAN && t != LUA_TTABLE && t != LUA_TUSERDATA)
        lt_error(L, TH_TypeError, "%s takes a number, an ndarray or a nested table, got a %s",
                 th_var_name(v) ? th_var_name(v) : "the variable", luaL_typename(L, i));
    lt_value(L, s, i, &arg, &(LtPlace){.name = th_var_name(v) ? th_var_name(v) : "the value"});
    ThArray *a = th_var_filter(v, &arg);
    lt_push_array(L, s, a);
    return a;
}

static int filter(lua_State *L) { /* (variable, value) -> ndarray of its type */
    LtState *s = LT_STATE(L);
    ThVar *v = lt_check_var(L, s, 1);
    ThArray *a = filtered(L, s, v, 2);
    if (lt_is_state(th_var_type(v))) lt_push_state(L, s, th_array_retain(a));
    return 1;
}

static int shared_set(lua_State *L) { /* (shared, value, borrow) */
    LtState *s = LT_STATE(L);
    lt_most(L, 3);
    ThVar *v = check_shared(L, s);
    ThArray *a = lt_sparse(L, s, 2) ? lt_sparse(L, s, 2) : lt_array(L, s, 2);
    bool borrow = (!a && !lt_random(L, s, 2)) || lua_toboolean(L, 3);
    if (lt_var(L, s, 2)) return lt_error(L, TH_TypeError, "set_value takes a value, not a symbolic Variable");
    if (!a) a = filtered(L, s, v, 2);
    LT_CHECK(L, s, !th_shared_set(v, a, borrow));
    return 0;
}

static int shared_clone(lua_State *L) { /* (shared, name) */
    LtState *s = LT_STATE(L);
    lt_most(L, 2);
    ThVar *v = check_shared(L, s);
    lt_mark_line(L, s);
    lt_push_var(L, s, th_shared_clone(v, luaL_optstring(L, 2, NULL)));
    return 1;
}

static int get_update(lua_State *L) { /* default update or nil */
    LtState *s = LT_STATE(L);
    ThVar *v = th_shared_default_update(check_shared(L, s));
    if (v) lt_push_var(L, s, v);
    else if (th_error(s->ctx) != TH_OK) return lt_raise(L, s);
    else lua_pushnil(L);
    return 1;
}

static int set_update(lua_State *L) { /* (shared, expression or nil) */
    LtState *s = LT_STATE(L);
    ThVar *v = check_shared(L, s), *expr = lt_var(L, s, 2);
    if (!expr && !lua_isnoneornil(L, 2))
        return lt_error(L, TH_TypeError, "default_update is a Variable or nil, not a %s", luaL_typename(L, 2));
    LT_CHECK(L, s, !th_shared_set_default_update(v, expr));
    return 0;
}

static int constant_typed(lua_State *L) { /* (ndarray, {broadcastable..}) */
    LtState *s = LT_STATE(L);
    ThArray *a = lt_check_array(L, s, 1);
    int n;
    uint32_t b = lt_pattern(L, 2, &n);
    lt_mark_line(L, s);
    lt_push_var(L, s, th_constant_typed(s->ctx, a, b));
    return 1;
}

static int clone(lua_State *L) { /* ({outputs}, {{from, to}, ..}, strict, copy_inputs) -> {copies} */
    LtState *s = LT_STATE(L);
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_checktype(L, 2, LUA_TTABLE);
    int n = lt_length_of(L, 1, "the outputs"), np = lt_length_of(L, 2, "replace");
    ThVar **outs = lua_newuserdatauv(L, 2 * sizeof *outs * (size_t)(n + 1), 0), **made = outs + n;
    ThPair *p = lua_newuserdatauv(L, sizeof *p * (size_t)(np + 1), 0);
    for (int i = 0; i < n; i++) {
        lua_rawgeti(L, 1, i + 1);
        outs[i] = lt_check_var(L, s, -1);
        lua_pop(L, 1);
    }
    for (int i = 0; i < np; i++) {
        lua_rawgeti(L, 2, i + 1);
        lua_rawgeti(L, -1, 1);
        lua_rawgeti(L, -2, 2);
        p[i] = (ThPair){lt_var(L, s, -2), lt_var(L, s, -1)};
        lua_pop(L, 3);
    }
    LT_CHECK(L, s, !th_clone(s->ctx, outs, n, p, np, lua_toboolean(L, 3), lua_toboolean(L, 4), made));
    lua_createtable(L, n, 0);
    for (int i = 0; i < n; i++) {
        lt_push_var(L, s, made[i]);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

void lt_open_shared(lua_State *L, LtState *s) {
    static const luaL_Reg fns[] = {{"shared", shared_new},
                                   {"get_value", shared_get},
                                   {"set_value", shared_set},
                                   {"shared_clone", shared_clone},
                                   {"default_update", get_update},
                                   {"set_default_update", set_update},
                                   {"filter", filter},
                                   {"constant_typed", constant_typed},
                                   {"clone", clone},
                                   {NULL, NULL}};
    lt_register(L, s, fns);
}
