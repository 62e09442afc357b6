/*
 * guard.c -- functions of Lua's libraries as scripts in a sandbox have them: what goes through long texts and tables
 * counts as work, and the lengths that tables claim to have are looked at first. In: the libraries. Out: the same ones
 * with these functions in the place of Lua's. Always holds: a call takes a time in proportion to the memory it is
 * given.
 */
#include "binding.h"
#include "guard.h"

#include <stdlib.h>
#include <string.h>

#define LONGEST 20000000 /* places of a table that one call goes through */

/* Upvalue 1: Lua's function, which is told of as the script's own call. */
static int handed_on(lua_State *L) {
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    if (lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0) == LUA_OK) return lua_gettop(L);
    const char *why = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
    static const char bad[] = "bad argument #", nameless[] = " to '?'";
    char *rest = NULL;
    long at = strncmp(why, bad, sizeof bad - 1) ? 0 : strtol(why + sizeof bad - 1, &rest, 10);
    lua_Debug ar;
    if (rest && !strncmp(rest, nameless, sizeof nameless - 1) && lua_getstack(L, 0, &ar)) {
        lua_getinfo(L, "n", &ar);
        if (ar.namewhat && strcmp(ar.namewhat, "method") == 0) at--;
        luaL_where(L, 1);
        lua_pushfstring(L, "%s%d to '%s'%s", bad, (int)at, ar.name ? ar.name : "?", rest + sizeof nameless - 1);
        lua_concat(L, 2);
    }
    return lua_error(L);
}

static int weighed(lua_State *L) {
    size_t n = 64;
    for (int i = lua_gettop(L); i > 0; i--)
        if (lua_type(L, i) == LUA_TSTRING) n += (size_t)lua_rawlen(L, i);
    lt_guard_work(L, n);
    return handed_on(L);
}

/* A table may say by __len, or by its first places at powers of two, that it is longer than any memory. */
static lua_Unsigned length(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    if (luaL_getmetafield(L, 1, "__len") != LUA_TNIL)
        luaL_error(L, "RuntimeError: a table whose metatable has __len is closed to this function in a sandbox");
    const lua_Unsigned n = lua_rawlen(L, 1);
    if (n > LONGEST) luaL_error(L, "ValueError: a table of more than %d elements in a sandbox", LONGEST);
    return n;
}

static int of_table(lua_State *L) {
    lt_guard_work(L, 64 + 16 * (size_t)length(L));
    return handed_on(L);
}

static int concat(lua_State *L) { /* (t, between, i, j) */
    const lua_Integer n = (lua_Integer)length(L), i = luaL_optinteger(L, 3, 1), j = luaL_optinteger(L, 4, n);
    if (j >= i && (lua_Unsigned)j - (lua_Unsigned)i >= LONGEST)
        return luaL_error(L, "ValueError: table.concat: at most %d elements", LONGEST);
    if (j >= i) lt_guard_work(L, 16 * (size_t)(j - i + 1));
    return handed_on(L);
}

static int move(lua_State *L) { /* (from, f, e, t, to) */
    const lua_Integer f = luaL_checkinteger(L, 2), e = luaL_checkinteger(L, 3);
    if (e >= f && (lua_Unsigned)e - (lua_Unsigned)f >= LONGEST)
        return luaL_error(L, "ValueError: table.move: at most %d elements", LONGEST);
    if (e >= f) lt_guard_work(L, 16 * (size_t)(e - f + 1));
    return handed_on(L);
}

static int less(lua_State *L) {
    lt_guard_work(L, 1024);
    lua_pushboolean(L, lua_compare(L, 1, 2, LUA_OPLT));
    return 1;
}

static int sort(lua_State *L) { /* (t, less): without an order of the script's own by one that can be stopped */
    length(L);
    if (lua_isnoneornil(L, 2)) {
        lua_settop(L, 1);
        lua_pushcfunction(L, less);
    }
    return handed_on(L);
}

int lt_in_time(lua_State *L) {
    lt_guard(L);
    return 0;
}

typedef struct Guarded {
    const char *library, *names; /* with a space behind each */
    lua_CFunction by;
} Guarded;

static const Guarded guarded[] = {{"string", "format lower pack packsize reverse sub unpack upper byte ", weighed},
                                  {"utf8", "codepoint len offset ", weighed},
                                  {"_G", "tonumber ", weighed},
                                  {"table", "insert remove ", of_table},
                                  {"table", "concat ", concat},
                                  {"table", "move ", move},
                                  {"table", "sort ", sort}};

void lt_guard_open(lua_State *L) {
    char name[16];
    for (size_t g = 0; g < sizeof guarded / sizeof *guarded; g++) {
        lua_getglobal(L, guarded[g].library);
        const char *p = guarded[g].names, *end;
        for (; (end = strchr(p, ' ')); p = end + 1) {
            snprintf(name, sizeof name, "%.*s", (int)(end - p), p);
            lua_getfield(L, -1, name);
            lua_pushcclosure(L, guarded[g].by, 1);
            lua_setfield(L, -2, name);
        }
        lua_pop(L, 1);
    }
    lua_getglobal(L, "string");
    lt_guard_texts(L);
    lua_pop(L, 1);
}
