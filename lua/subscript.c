/*
 * subscript.c -- what stands between the brackets: a number, Variable, ndarray, "1:3, ::-1, ..., None", a table of
 * those, or the arguments of x:sub(...), as a LIST argument with one entry a dimension.
 */
#include "binding.h"

#include <string.h>

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

enum { MOST = 2 * TH_MAX_NDIM };

static ThArg *block(lua_State *L, int n) {
    luaL_checkstack(L, 8, "subscript");
    ThArg *a = lua_newuserdatauv(L, sizeof *a * (size_t)(n + 1), 0);
    memset(a, 0, sizeof *a * (size_t)(n + 1));
    return a;
}

static const char *skip(const char *p) {
    while (*p == ' ' || (*p >= '\t' && *p <= '\r')) p++;
    return p;
}

/* An optional integer; returns the position behind it. */
static const char *integer(lua_State *L, const char *text, const char *p, ThArg *out) {
    p = skip(p);
    bool neg = *p == '-';
    if (neg || *p == '+') p++;
    if (!is_digit(*p)) {
        if (neg) lt_error(L, TH_IndexError, "subscript \"%s\": a number is missing after '-'", text);
        out->kind = TH_ARG_NONE;
        return p;
    }
    uint64_t v = 0;
    for (; is_digit(*p); p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (v > ((uint64_t)INT64_MAX + neg - digit) / 10)
            lt_error(L, TH_IndexError, "subscript \"%s\": number too large", text);
        v = v * 10 + digit;
    }
    out->kind = TH_ARG_INT;
    out->i = neg ? (int64_t)(0 - v) : (int64_t)v;
    return skip(p);
}

static const char *entry(lua_State *L, const char *text, const char *p, ThArg *out) {
    p = skip(p);
    if (!strncmp(p, "...", 3)) {
        out->kind = TH_ARG_ELLIPSIS;
        return skip(p + 3);
    }
    if (!strncmp(p, "None", 4)) {
        out->kind = TH_ARG_NEWAXIS;
        return skip(p + 4);
    }
    if (!strncmp(p, "newaxis", 7)) {
        out->kind = TH_ARG_NEWAXIS;
        return skip(p + 7);
    }
    ThArg part[3] = {{0}};
    p = integer(L, text, p, &part[0]);
    if (*p != ':') {
        if (part[0].kind == TH_ARG_NONE)
            lt_error(L, TH_IndexError, "subscript \"%s\": a number, slice, ... or None expected at '%s'", text, p);
        *out = part[0];
        return p;
    }
    p = integer(L, text, p + 1, &part[1]);
    if (*p == ':') p = integer(L, text, p + 1, &part[2]);
    ThArg *at = block(L, 3);
    memcpy(at, part, sizeof part);
    out->kind = TH_ARG_SLICE;
    out->list.at = at;
    out->list.n = 3;
    return p;
}

static void parse(lua_State *L, const char *text, ThArg *out) {
    ThArg *at = block(L, MOST);
    int n = 0;
    const char *p = text;
    for (;;) {
        if (n == MOST) lt_error(L, TH_IndexError, "subscript \"%s\": too many entries", text);
        p = entry(L, text, p, &at[n++]);
        if (*p == 0) break;
        if (*p != ',') lt_error(L, TH_IndexError, "subscript \"%s\": ',' expected at '%s'", text, p);
        p = skip(p + 1);
        if (*p == 0) break;
    }
    out->kind = TH_ARG_LIST;
    out->list.at = at;
    out->list.n = n;
}

/* A bound of a slice from the value at v; nil and false leave the end open. */
static void slice_bound(lua_State *L, LtState *s, int v, const char *name, ThArg *out) {
    int type = lua_type(L, v);
    if (type == LUA_TNIL || (type == LUA_TBOOLEAN && !lua_toboolean(L, v))) return;
    if (type == LUA_TNUMBER && !lua_isinteger(L, v))
        lt_error(L, TH_TypeError, "the %s of a slice is an integer, got %s", name,
                 lt_push_number(L, lua_tonumber(L, v)));
    if (type != LUA_TNUMBER && !lt_var(L, s, v))
        lt_error(L, TH_TypeError, "the %s of a slice is an integer or a Variable, got a %s", name, luaL_typename(L, v));
    lt_value(L, s, v, out, NULL);
}

/* {start =, stop =, step =}, or {a, b} and {a, b, step} where `positions` may stand for them. */
static void table_slice(lua_State *L, LtState *s, int i, bool positions, ThArg *out) {
    static const char *const part[] = {"start", "stop", "step"};
    static const char choices[] = "T.slice(a, b) or {start = a, stop = b} is a slice, nd.array({a, b}) picks these "
                                  "positions";
    bool named = lt_is_keywords(L, i);
    if (!named && !positions)
        lt_error(L, TH_TypeError,
                 "a table inside x[{..}] may be a slice or a list of positions: %s; x:sub({a, b}, ..) "
                 "takes slices",
                 choices);
    if (!named) {
        int n = lt_length_of(L, i, "a slice");
        if (n != 2 && n != 3)
            lt_error(L, TH_TypeError, "a table of %d in a subscript is no slice {a, b} or {a, b, step}: %s", n,
                     choices);
    }
    for (lua_pushnil(L); named && lua_next(L, i); lua_pop(L, 1)) {
        const char *k = lua_tostring(L, -2);
        if (strcmp(k, part[0]) && strcmp(k, part[1]) && strcmp(k, part[2]))
            lt_error(L, TH_TypeError, "a slice has no '%s' (known: start, stop, step)", k);
    }
    ThArg *at = block(L, 3);
    for (int k = 0; k < 3; k++) {
        if (named) lua_getfield(L, i, part[k]);
        else lua_rawgeti(L, i, k + 1);
        int v = lua_gettop(L);
        slice_bound(L, s, v, part[k], &at[k]);
        lua_remove(L, v);
    }
    out->kind = TH_ARG_SLICE;
    out->list.at = at;
    out->list.n = 3;
}

/* A plain table, none of theano.tensor's marked ones. */
static bool is_plain(lua_State *L, int i) {
    if (!lua_istable(L, i)) return false;
    if (lua_getmetatable(L, i)) {
        lua_pop(L, 1);
        return false;
    }
    lua_pushliteral(L, "__arg");
    bool plain = lua_rawget(L, i) == LUA_TNIL;
    lua_pop(L, 1);
    return plain;
}

static void item(lua_State *L, LtState *s, int i, bool positions, ThArg *out) {
    if (lua_type(L, i) == LUA_TSTRING) {
        const char *t = lua_tostring(L, i);
        if (!strcmp(t, "all")) t = ":";
        const char *end = entry(L, t, t, out);
        if (*end) lt_error(L, TH_IndexError, "subscript \"%s\": one entry expected", t);
        return;
    }
    if (is_plain(L, i)) {
        table_slice(L, s, i, positions, out);
        return;
    }
    if (lua_isboolean(L, i)) lt_error(L, TH_IndexError, "a boolean is no index: use a bool tensor as a mask");
    if (lua_isnil(L, i))
        lt_error(L, TH_IndexError,
                 "nil is no index: a new dimension is \"None\" or T.newaxis, \"all\" "
                 "is the whole of one");
    if (lua_type(L, i) == LUA_TNUMBER && !lua_isinteger(L, i))
        lt_error(L, lt_array(L, s, 1) ? TH_IndexError : TH_TypeError, /* of the array or the Variable */
                 "Expected an integer as an index, got %s (the quotient of integers is a // b)",
                 lt_push_number(L, lua_tonumber(L, i)));
    lt_value(L, s, i, out, NULL);
}

void lt_subscript_args(lua_State *L, LtState *s, int first, int last, ThArg *out) {
    int n = last - first + 1;
    ThArg *at = block(L, n);
    for (int k = 0; k < n; k++) item(L, s, first + k, true, &at[k]);
    out->kind = TH_ARG_LIST;
    out->list.at = at;
    out->list.n = n;
}

void lt_subscript(lua_State *L, LtState *s, int i, ThArg *out) {
    i = lua_absindex(L, i);
    if (lua_type(L, i) == LUA_TSTRING) {
        parse(L, lua_tostring(L, i), out);
        return;
    }
    if (!is_plain(L, i)) {
        lt_subscript_args(L, s, i, i, out);
        return;
    }
    if (lt_is_keywords(L, i))
        lt_error(L, TH_TypeError,
                 "x[{..}] is a list of subscripts, one for each dimension: a slice is one of them, as in "
                 "x[{ {start = 0, stop = 2} }], x[{T.slice(0, 2)}] or x[\"0:2\"]");
    int n = lt_length_of(L, i, "the subscript");
    if (n > MOST) lt_error(L, TH_IndexError, "too many indices: %d", n);
    ThArg *at = block(L, n);
    for (int k = 0; k < n; k++) {
        lua_rawgeti(L, i, k + 1);
        int v = lua_gettop(L);
        item(L, s, v, false, &at[k]);
        lua_remove(L, v);
    }
    out->kind = TH_ARG_LIST;
    out->list.at = at;
    out->list.n = n;
}
