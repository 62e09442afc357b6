/*
 * arg.c -- Lua values as ThArg trees. Memory of the tree is userdata left on the Lua stack, so that an error anywhere
 * frees it; the values themselves stay referenced by the Lua values they came from.
 */
#include "binding.h"

#include <stdio.h>
#include <string.h>

enum { DEEPEST = 64 }; /* levels of tables; also ends one that holds itself */

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

/* ---- lists ------------------------------------------------------------------------------------------------------- */
/* "stack: tensors" from the signature "tensors, axis=0". */
static int outermost(const LtPlace *w, char *text, size_t size) {
    const char *front = w->of ? w->of->name : "", *between = w->of ? ": " : "", *p = w->of ? w->of->signature : "";
    if (w->name) return snprintf(text, size, "%s%s%s", front, between, w->name);
    for (int i = 1; i < w->argument && *p && *p != '*'; i++) p += strcspn(p, ","), p += strspn(p, ", ");
    int n = (int)strcspn(p, ",=*");
    if (n > 0) return snprintf(text, size, "%s: %.*s", front, n, p);
    return snprintf(text, size, "%s%sargument %d", front, between, w->argument);
}

void lt_describe(const LtPlace *w, char *text, size_t size) {
    const LtPlace *chain[DEEPEST + 2];
    int n = 0;
    for (; w && n < DEEPEST + 2; w = w->in) chain[n++] = w;
    size_t at = 0;
    while (n-- > 0 && at < size) {
        if (chain[n]->in) at += (size_t)snprintf(text + at, size - at, "[%lld]", (long long)chain[n]->at);
        else at += (size_t)outermost(chain[n], text, size);
    }
}

/* The key below the value on top is no position in a list. */
LT_NORETURN static void no_position(lua_State *L, const char *list) {
    if (lua_type(L, -2) == LUA_TSTRING)
        lt_error(L, TH_TypeError,
                 "%s is a list of values and has the key '%s': keywords stand in one table, the last "
                 "argument",
                 list, lua_tostring(L, -2));
    lt_error(L, TH_TypeError, "%s is a list, counted from 1: it has the key %s", list, lt_push_text(L, -2));
}

/* Key and value on top are the "n" that table.pack adds. */
static bool is_count(lua_State *L) {
    return lua_type(L, -2) == LUA_TSTRING && !strcmp(lua_tostring(L, -2), "n") && lua_isinteger(L, -1) &&
           lua_tointeger(L, -1) >= 0;
}

int lt_length(lua_State *L, int i, const LtPlace *where) {
    lua_Integer most = 0, count = 0, packed = 0; /* the n of table.pack */
    char list[160];
    i = lua_absindex(L, i);
    luaL_checkstack(L, 6, "a list");
    for (lua_pushnil(L); lua_next(L, i); lua_pop(L, 1)) {
        lua_Integer k = lua_isinteger(L, -2) ? lua_tointeger(L, -2) : 0;
        if (k < 1 && is_count(L)) {
            packed = lua_tointeger(L, -1);
            continue;
        }
        if (k < 1) {
            lt_describe(where, list, sizeof list);
            no_position(L, list);
        }
        count++;
        if (k > most) most = k;
    }
    if (packed > most) most = packed;
    if (count != most) { /* not the border that Lua's # finds: the first hole */
        lua_Integer k = 1;
        while (lua_rawgeti(L, i, k) != LUA_TNIL) lua_pop(L, 1), k++;
        lt_describe(where, list, sizeof list);
        lt_error(L, TH_TypeError, "%s[%lld] is nil: a list has no holes (false stands for None, where None is allowed)",
                 list, (long long)k);
    }
    if (most > INT32_MAX) lt_error(L, TH_ValueError, "a list of %lld entries", (long long)most);
    return (int)most;
}

int lt_length_of(lua_State *L, int i, const char *name) {
    const LtPlace where = {.name = name};
    if (lt_var(L, lt_state(L), i)) lt_error(L, TH_TypeError, "%s is a list, got a Variable: write {x}", name);
    if (!lua_istable(L, i)) lt_error(L, TH_TypeError, "%s is a list, got a %s", name, luaL_typename(L, i));
    return lt_length(L, i, &where);
}

static int length(lua_State *L) { /* length(list, name): its number of entries, for the modules in Lua */
    lua_pushinteger(L, lt_length_of(L, 1, luaL_checkstring(L, 2)));
    return 1;
}

void lt_open_arg(lua_State *L, LtState *s) {
    static const luaL_Reg fns[] = {{"length", length}, {NULL, NULL}};
    lt_register(L, s, fns);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */
static void value(lua_State *L, LtState *s, int i, ThArg *out, const LtPlace *where, int depth);

/* What reading one entry has left above the stack's index `top` goes into a table there: long lists do not fill the
   stack. */
static void gather(lua_State *L, int top) {
    if (lua_gettop(L) == top) return;
    if (lua_gettop(L) == top + 1 && lua_istable(L, top + 1)) return; /* the table itself */
    if (!lua_istable(L, top + 1)) {
        lua_newtable(L);
        lua_insert(L, top + 1);
    }
    for (lua_Integer n = (lua_Integer)lua_rawlen(L, top + 1); lua_gettop(L) > top + 1;) lua_rawseti(L, top + 1, ++n);
}

static void list(lua_State *L, LtState *s, int i, ThArg *out, const LtPlace *where, int depth) {
    int n = lt_length(L, i, where);
    ThArg *at = block(L, n);
    int top = lua_gettop(L);
    for (int k = 0; k < n; k++) {
        lua_rawgeti(L, i, k + 1);
        int v = lua_gettop(L);
        const LtPlace here = {.in = where, .at = k + 1};
        value(L, s, v, &at[k], &here, depth + 1);
        /* a number's Lua value may go; userdata stay alive through the table they came from */
        lua_remove(L, v);
        gather(L, top);
    }
    out->kind = TH_ARG_LIST;
    out->list.at = at;
    out->list.n = n;
}

static void slice(lua_State *L, LtState *s, int i, ThArg *out, const LtPlace *where, int depth) {
    ThArg *at = block(L, 3);
    for (int k = 0; k < 3; k++) {
        lua_rawgeti(L, i, k + 1);
        int v = lua_gettop(L);
        if (!lua_isnil(L, v) && lua_toboolean(L, v)) value(L, s, v, &at[k], where, depth + 1);
        lua_remove(L, v);
    }
    out->kind = TH_ARG_SLICE;
    out->list.at = at;
    out->list.n = 3;
}

LT_NORETURN static void no_argument(lua_State *L, int i, const LtPlace *where) {
    char place[160];
    lt_describe(where, place, sizeof place);
    lt_error(L, TH_TypeError, "%s is a %s, which cannot be an argument", place, luaL_typename(L, i));
}

static void user_value(lua_State *L, LtState *s, int i, ThArg *out, const LtPlace *where) {
    ThComplex128 *z;
    if ((out->var = lt_var(L, s, i))) {
        out->kind = TH_ARG_VAR;
        return;
    }
    if ((out->array = lt_array(L, s, i)) || (out->array = lt_sparse(L, s, i))) {
        out->kind = TH_ARG_ARRAY;
        return;
    }
    if ((out->random = lt_random(L, s, i))) {
        out->kind = TH_ARG_RANDOM;
        return;
    }
    if ((z = lt_test(L, s, i, LT_COMPLEX))) {
        out->kind = TH_ARG_COMPLEX;
        out->c = *z;
        return;
    }
    no_argument(L, i, where);
}

static void value(lua_State *L, LtState *s, int i, ThArg *out, const LtPlace *where, int depth) {
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
    case LUA_TUSERDATA: user_value(L, s, i, out, where); return;
    case LUA_TTABLE:
        switch (marked(L, i)) {
        case 's': slice(L, s, i, out, where, depth); return;
        case 'n': out->kind = TH_ARG_NEWAXIS; return;
        case 'e': out->kind = TH_ARG_ELLIPSIS; return;
        case 'N': out->kind = TH_ARG_NONE; return;
        default: list(L, s, i, out, where, depth); return;
        }
    default: no_argument(L, i, where);
    }
}

void lt_value(lua_State *L, LtState *s, int i, ThArg *out, const LtPlace *where) {
    static const LtPlace nowhere = {.name = "the list"};
    value(L, s, i, out, where ? where : &nowhere, 0);
}

static void keywords(lua_State *L, LtState *s, int i, LtArgs *a, const ThFuncInfo *of) {
    for (lua_pushnil(L); lua_next(L, i);) {
        int k = lua_gettop(L) - 1, v = k + 1;
        ThArg *out = &a->at[a->n++];
        const LtPlace where = {.name = lua_tostring(L, k), .of = of};
        lt_value(L, s, v, out, &where); /* may leave blocks above v */
        out->key = lua_tostring(L, k);
        lua_pushvalue(L, k); /* lua_next wants the key on top */
    }
}

/* Whether some of the n arguments stand in the list of f(x, *list): a nil behind them is a mistake, T.add(x, typo). */
static bool listed(const ThFuncInfo *of, const ThArg *at, int n) {
    const char *list = of ? strchr(of->signature, '*') : NULL;
    int named = 0;
    for (const char *p = of ? of->signature : ""; list && p < list; p++) named += *p == ',';
    for (int i = named; list && i < n; i++)
        if (at[i].kind != TH_ARG_NONE) return true;
    return false;
}

LtArgs lt_args(lua_State *L, LtState *s, int first, int last, const ThFuncInfo *of) {
    bool kw = last >= first && lt_is_keywords(L, last);
    int npos = last - first + 1 - kw, nkw = 0;
    if (kw)
        for (lua_pushnil(L); lua_next(L, last); lua_pop(L, 1)) nkw++;
    LtArgs a = {block(L, npos + nkw), 0};
    for (int i = 0; i < npos; i++) {
        const LtPlace where = {.argument = i + 1, .of = of};
        lt_value(L, s, first + i, &a.at[a.n++], &where);
    }
    int n = a.n;
    while (n > 0 && a.at[n - 1].kind == TH_ARG_NONE && !marked(L, first + n - 1)) n--;
    if (n < a.n && !listed(of, a.at, n)) a.n = n; /* trailing nils are absent */
    if (kw) keywords(L, s, last, &a, of);
    return a;
}
