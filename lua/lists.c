/*
 * lists.c -- lists of numbers, nested ones too, as arrays. In: a table that may be one. Out: an array of int64 or
 * float64, or NULL: something else stands in it, or it is ragged. Always holds: no error but want of memory; who gets
 * NULL reads the table again, element by element, and finds the words for it.
 */
#include "binding.h"

/* Whether the table on top and those in it are as long as the first of each. */
static bool is_even(lua_State *L, int ndim, const int64_t *shape) {
    if (!lua_istable(L, -1) || (int64_t)lua_rawlen(L, -1) != shape[0]) return false;
    if (lua_getmetatable(L, -1)) return lua_pop(L, 1), false;
    bool even = true;
    for (int64_t k = 1; ndim > 1 && even && k <= shape[0]; k++) {
        lua_rawgeti(L, -1, k);
        even = is_even(L, ndim - 1, shape + 1);
        lua_pop(L, 1);
    }
    return even;
}

/* The numbers of the table at i, which has n of them and nothing else: integers, or (not whole) what numbers are as
 * doubles. */
static bool fill_line(lua_State *L, int i, int64_t n, bool whole, char *to) {
    int64_t k = 0, *integer = (int64_t *)(void *)to;
    double *number = (double *)(void *)to;
    for (lua_pushnil(L); lua_next(L, i); lua_settop(L, i + 1)) {
        const bool next = lua_tointeger(L, i + 1) == ++k && lua_type(L, i + 1) == LUA_TNUMBER && k <= n;
        if (!next || lua_type(L, i + 2) != LUA_TNUMBER || (whole && !lua_isinteger(L, i + 2)))
            return lua_settop(L, i), false;
        if (whole) *integer++ = lua_tointeger(L, i + 2);
        else *number++ = lua_tonumber(L, i + 2);
    }
    return k == n;
}

/* The same of the table on top, whose tables of tables have those numbers. */
static bool fill(lua_State *L, int ndim, const int64_t *shape, bool whole, char **to) {
    const int i = lua_gettop(L);
    int64_t k = 0;
    if (ndim == 1) {
        char *line = *to;
        *to += (size_t)shape[0] * sizeof(double);
        return fill_line(L, i, shape[0], whole, line);
    }
    for (lua_pushnil(L); lua_next(L, i); lua_pop(L, 1)) {
        const bool next = lua_tointeger(L, -2) == ++k && lua_type(L, -2) == LUA_TNUMBER && k <= shape[0];
        if (!next || !fill(L, ndim - 1, shape + 1, whole, to)) return lua_settop(L, i), false;
    }
    return k == shape[0];
}

ThArray *lt_plain_list(lua_State *L, LtState *s, int i, ThDtype d) {
    int64_t shape[TH_MAX_NDIM];
    int nd = 0;
    if (d != TH_DTYPE_NONE && d != TH_INT64 && d != TH_FLOAT64) return NULL;
    luaL_checkstack(L, 3 * TH_MAX_NDIM + 8, "nested table");
    lua_pushvalue(L, i);
    for (; lua_istable(L, -1) && nd < TH_MAX_NDIM && lua_rawlen(L, -1) > 0; lua_remove(L, -2)) {
        shape[nd++] = (int64_t)lua_rawlen(L, -1);
        lua_rawgeti(L, -1, 1);
    }
    const bool number = lua_type(L, -1) == LUA_TNUMBER, integer = number && lua_isinteger(L, -1);
    lua_pop(L, 1);
    if (!nd || !number) return NULL;
    lua_pushvalue(L, i);
    bool done = is_even(L, nd, shape), whole = d == TH_INT64 || (d == TH_DTYPE_NONE && integer);
    ThArray *a = NULL;
    for (bool again = done; again;) {
        a = th_array_empty(s->ctx, whole ? TH_INT64 : TH_FLOAT64, nd, shape);
        lt_push_array(L, s, a); /* anchored while the table is read */
        lua_insert(L, -2);
        char *to = th_array_data(a);
        done = fill(L, nd, shape, whole, &to);
        again = !done && whole && d == TH_DTYPE_NONE; /* numbers that are none follow integers */
        whole = false;
        if (done) th_array_retain(a);
        lua_remove(L, -2);
    }
    lua_pop(L, 1);
    return done ? a : NULL;
}

ThDtype lt_held_dtype(const ThArray *a) {
    const char kind = th_dtype_kind(th_array_dtype(a));
    return kind == 'i' || kind == 'u' ? th_array_dtype(a) : TH_DTYPE_NONE;
}
