/*
 * arg.c -- Lua values as ThArg trees. Memory of the tree is userdata left on the Lua stack, so that an error anywhere
 * frees it; the values themselves stay referenced by the Lua values they came from.
 */
#include "binding.h"

#include <string.h>

bool lt_is_keywords(lua_State *L, int i) { /* a non-empty table all of whose keys are strings */
    if (!lua_istable(L, i) || (lua_getmetatable(L, i) && (lua_pop(L, 1), true))) return false;
    i = lua_absindex(L, i);
    bool any = false;
    for (lua_pushnil(L); lua_next(L, i); lua_pop(L, 1)) {
        if (lua_type(L, -2) != LUA_TSTRING) {
            lua_pop(L, 2);
            return false;
        }
        any = true;
    }
    return any;
}

/* A table marked {__arg = "slice" | "newaxis" | "ellipsis" | "none", ...} by theano.tensor, or 0. */
static int marked(lua_State *L, int i) {
    if (!lua_istable(L, i)) return 0;
    lua_pushliteral(L, "__arg");
    lua_rawget(L, i < 0 ? i - 1 : i);
    const char *m = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
    int r = !strcmp(m, "slice")      ? 's'
            : !strcmp(m, "newaxis")  ? 'n'
            : !strcmp(m, "ellipsis") ? 'e'
            : !strcmp(m, "none")     ? 'N'
                                     : 0;
    lua_pop(L, 1);
    return r;
}

static ThArg *block(lua_State *L, int n) {
    luaL_checkstack(L, 8, "arguments");
    ThArg *a = lua_newuserdatauv(L, sizeof *a * (size_t)(n + 1), 0);
    memset(a, 0, sizeof *a * (size_t)(n + 1));
    return a;
}

void lt_check_list(lua_State *L, int i) {
    i = lua_absindex(L, i);
    for (lua_pushnil(L); lua_next(L, i); lua_pop(L, 1))
        if (lua_type(L, -2) == LUA_TSTRING)
            lt_error(L, TH_TypeError,
                     "a list of values has the key '%s': keywords stand in one table, the last argument",
                     lua_tostring(L, -2));
}

enum { DEEPEST = 64 }; /* levels of tables; also ends one that holds itself */
static void value(lua_State *L, LtState *s, int i, ThArg *out, int depth);

static void list(lua_State *L, LtState *s, int i, ThArg *out, int depth) {
    int n = (int)lua_rawlen(L, i);
    lt_check_list(L, i);
    ThArg *at = block(L, n);
    for (int k = 0; k < n; k++) {
        lua_rawgeti(L, i, k + 1);
        int v = lua_gettop(L);
        value(L, s, v, &at[k], depth + 1);
        /* a number's Lua value may go; userdata stay alive through the table they came from */
        lua_remove(L, v);
    }
    out->kind = TH_ARG_LIST;
    out->list.at = at;
    out->list.n = n;
}

static void slice(lua_State *L, LtState *s, int i, ThArg *out, int depth) {
    ThArg *at = block(L, 3);
    for (int k = 0; k < 3; k++) {
        lua_rawgeti(L, i, k + 1);
        int v = lua_gettop(L);
        if (!lua_isnil(L, v) && lua_toboolean(L, v)) value(L, s, v, &at[k], depth + 1);
        lua_remove(L, v);
    }
    out->kind = TH_ARG_SLICE;
    out->list.at = at;
    out->list.n = 3;
}

static void user_value(lua_State *L, LtState *s, int i, ThArg *out) {
    ThComplex128 *z;
    if ((out->var = lt_var(L, s, i))) {
        out->kind = TH_ARG_VAR;
        return;
    }
    if ((out->array = lt_array(L, s, i))) {
        out->kind = TH_ARG_ARRAY;
        return;
    }
    if ((z = lt_test(L, s, i, LT_COMPLEX))) {
        ThArray *a = th_array_empty(s->ctx, TH_COMPLEX128, 0, NULL);
        lt_push_array(L, s, a); /* stays on the stack: keeps it alive */
        memcpy(th_array_data(a), z, sizeof *z);
        out->kind = TH_ARG_ARRAY;
        out->array = a;
        return;
    }
    lt_error(L, TH_TypeError, "a %s cannot be an argument", luaL_typename(L, i));
}

static void value(lua_State *L, LtState *s, int i, ThArg *out, int depth) {
    i = lua_absindex(L, i);
    if (depth > DEEPEST)
        lt_error(L, TH_TypeError, "tables nested deeper than %d levels, or a table that holds itself", DEEPEST);
    switch (lua_type(L, i)) {
    case LUA_TNIL:
    case LUA_TNONE: out->kind = TH_ARG_NONE; return;
    case LUA_TBOOLEAN:
        out->kind = TH_ARG_BOOL;
        out->b = lua_toboolean(L, i);
        return;
    case LUA_TSTRING:
        out->kind = TH_ARG_STR;
        out->s = lua_tostring(L, i);
        return;
    case LUA_TNUMBER:
        if (lua_isinteger(L, i)) {
            out->kind = TH_ARG_INT;
            out->i = lua_tointeger(L, i);
        } else {
            out->kind = TH_ARG_FLOAT;
            out->f = lua_tonumber(L, i);
        }
        return;
    case LUA_TUSERDATA: user_value(L, s, i, out); return;
    case LUA_TTABLE:
        switch (marked(L, i)) {
        case 's': slice(L, s, i, out, depth); return;
        case 'n': out->kind = TH_ARG_NEWAXIS; return;
        case 'e': out->kind = TH_ARG_ELLIPSIS; return;
        case 'N': out->kind = TH_ARG_NONE; return;
        default: list(L, s, i, out, depth); return;
        }
    default: lt_error(L, TH_TypeError, "a %s cannot be an argument", luaL_typename(L, i));
    }
}

void lt_value(lua_State *L, LtState *s, int i, ThArg *out) { value(L, s, i, out, 0); }

static void keywords(lua_State *L, LtState *s, int i, LtArgs *a) {
    for (lua_pushnil(L); lua_next(L, i);) {
        int k = lua_gettop(L) - 1, v = k + 1;
        ThArg *out = &a->at[a->n++];
        lt_value(L, s, v, out); /* may leave blocks above v */
        out->key = lua_tostring(L, k);
        lua_pushvalue(L, k); /* lua_next wants the key on top */
    }
}

LtArgs lt_args(lua_State *L, LtState *s, int first, int last) {
    bool kw = last >= first && lt_is_keywords(L, last);
    int npos = last - first + 1 - kw, nkw = 0;
    if (kw)
        for (lua_pushnil(L); lua_next(L, last); lua_pop(L, 1)) nkw++;
    LtArgs a = {block(L, npos + nkw), 0};
    for (int i = 0; i < npos; i++) lt_value(L, s, first + i, &a.at[a.n++]);
    while (a.n > 0 && a.at[a.n - 1].kind == TH_ARG_NONE && !marked(L, first + a.n - 1))
        a.n--; /* trailing nils are absent */
    if (kw) keywords(L, s, last, &a);
    return a;
}
