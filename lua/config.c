/* config.c -- flags: get, set, parse, list. */
#include "binding.h"

static int get(lua_State *L) {
    LtState *s = LT_STATE(L);
    const char *v = th_config_get(s->ctx, luaL_checkstring(L, 1));
    LT_CHECK(L, s, v);
    lua_pushstring(L, v);
    return 1;
}

static int set(lua_State *L) {
    LtState *s = LT_STATE(L);
    LT_CHECK(L, s, !th_config_set(s->ctx, luaL_checkstring(L, 1), lt_push_text(L, 2)));
    lt_drain_log(L, s);
    return 0;
}

static int parse(lua_State *L) {
    LtState *s = LT_STATE(L);
    LT_CHECK(L, s, !th_config_parse(s->ctx, luaL_checkstring(L, 1)));
    lt_drain_log(L, s);
    return 0;
}

static int read_file(lua_State *L) {
    LtState *s = LT_STATE(L);
    LT_CHECK(L, s, !th_config_read(s->ctx, luaL_checkstring(L, 1)));
    lt_drain_log(L, s);
    return 0;
}

static int flags(lua_State *L) { /* {{name, doc, default, allowed}, ..} */
    const char *doc, *deflt, *name;
    lua_newtable(L);
    for (int i = 0; (name = th_config_name(i, &doc, &deflt)); i++) {
        lua_createtable(L, 3, 0);
        lua_pushstring(L, name);
        lua_rawseti(L, -2, 1);
        lua_pushstring(L, doc);
        lua_rawseti(L, -2, 2);
        lua_pushstring(L, deflt);
        lua_rawseti(L, -2, 3);
        lua_pushstring(L, th_config_allowed(i));
        lua_rawseti(L, -2, 4);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

/* autocast_floats(dtype, ..): what float literals become; none: by floatX */
static int autocast(lua_State *L) {
    LtState *s = LT_STATE(L);
    ThDtype list[3] = {TH_FLOAT64, TH_FLOAT64, TH_FLOAT64};
    int n = lua_gettop(L);
    for (int i = 0; i < n && i < 3; i++) list[i] = th_dtype_from_name(luaL_checkstring(L, i + 1));
    LT_CHECK(L, s, !th_autocast_floats(s->ctx, list, n));
    return 0;
}

void lt_open_config(lua_State *L, LtState *s) {
    static const luaL_Reg fns[] = {{"config_get", get},
                                   {"config_set", set},
                                   {"config_parse", parse},
                                   {"config_read", read_file},
                                   {"config_flags", flags},
                                   {"autocast_floats", autocast},
                                   {NULL, NULL}};
    lt_register(L, s, fns);
}
