/*
 * derive.c -- forward mode, vmap and gradients that are none, for lua/theano/gradient.lua.
 * In: Variables in sequences; out: sequences with false where nothing is connected.
 */
#include "binding.h"

#include <string.h>

/* Variables of the sequence at t; false entries are NULL when `holes`. The array lives on the Lua stack. */
static ThVar **vars(lua_State *L, LtState *s, int t, bool holes, int *n) {
    luaL_checktype(L, t, LUA_TTABLE);
    *n = lt_length(L, t, &(LtPlace){.argument = t});
    ThVar **at = lua_newuserdatauv(L, sizeof *at * (size_t)(*n + 1), 0);
    for (int i = 0; i < *n; i++) {
        lua_rawgeti(L, t, i + 1);
        at[i] = lt_var(L, s, -1);
        if (!at[i] && !(holes && !lua_toboolean(L, -1)))
            lt_error(L, TH_TypeError, "entry %d: Variable expected, got %s", i + 1, luaL_typename(L, -1));
        lua_pop(L, 1);
    }
    return at;
}

static ThVar **room(lua_State *L, int n) {
    ThVar **out = lua_newuserdatauv(L, sizeof *out * (size_t)(n + 1), 0);
    memset(out, 0, sizeof *out * (size_t)(n + 1));
    return out;
}

static int rop(lua_State *L) { /* rop({f}, {wrt}, {points}) -> {tangents} */
    LtState *s = LT_STATE(L);
    int nf, n, np;
    lua_settop(L, 3);
    ThVar **f = vars(L, s, 1, false, &nf), **wrt = vars(L, s, 2, false, &n), **at = vars(L, s, 3, false, &np);
    ThVar **out = room(L, nf);
    if (n != np) return lt_error(L, TH_ValueError, "Rop: %d variables but %d evaluation points", n, np);
    lt_mark_line(L, s);
    LT_CHECK(L, s, !th_rop(s->ctx, f, nf, wrt, at, n, out));
    return lt_push_vars(L, s, out, nf);
}

static int vmap(lua_State *L) { /* vmap({outputs}, {stand-ins}, {mapped or false}) -> {results} */
    LtState *s = LT_STATE(L);
    int nout, n, nm;
    lua_settop(L, 3);
    ThVar **f = vars(L, s, 1, false, &nout), **in = vars(L, s, 2, false, &n), **mapped = vars(L, s, 3, true, &nm);
    ThVar **out = room(L, nout);
    if (n != nm) return lt_error(L, TH_ValueError, "vmap: %d arguments but %d axes", n, nm);
    lt_mark_line(L, s);
    LT_CHECK(L, s, !th_vmap(s->ctx, f, nout, in, mapped, n, out));
    return lt_push_vars(L, s, out, nout);
}

static int grad_none(lua_State *L) { /* grad_none("n" or "d", why) */
    LtState *s = LT_STATE(L);
    const char *kind = luaL_checkstring(L, 1);
    lt_push_var(L, s, th_grad_none(s->ctx, kind[0], luaL_optstring(L, 2, NULL)));
    return 1;
}

static int operations(lua_State *L) { /* {{name, "grv"}, ..}: the engine's operations and the rules they have */
    char rules[4];
    lua_newtable(L);
    for (int i = 0;; i++) {
        const char *name = th_op_name(i, rules);
        if (!name) return 1;
        lua_createtable(L, 0, 2);
        lua_pushstring(L, name);
        lua_setfield(L, -2, "name");
        lua_pushstring(L, rules);
        lua_setfield(L, -2, "rules");
        lua_rawseti(L, -2, i + 1);
    }
}

void lt_open_derive(lua_State *L, LtState *s) {
    static const luaL_Reg fns[] = {
        {"rop", rop}, {"vmap", vmap}, {"grad_none", grad_none}, {"operations", operations}, {NULL, NULL}};
    lt_register(L, s, fns);
}
