/* files.c -- .npy, .npz and IDX files. */
#include "binding.h"

#include <string.h>

static int load_npy(lua_State *L) {
    LtState *s = LT_STATE(L);
    lt_push_array(L, s, th_load_npy(s->ctx, luaL_checkstring(L, 1)));
    return 1;
}

static int save_npy(lua_State *L) {
    LtState *s = LT_STATE(L);
    LT_CHECK(L, s, !th_save_npy(s->ctx, luaL_checkstring(L, 1), lt_check_array(L, s, 2)));
    return 0;
}

static int load_idx(lua_State *L) {
    LtState *s = LT_STATE(L);
    lt_push_array(L, s, th_load_idx(s->ctx, luaL_checkstring(L, 1)));
    return 1;
}

static int load_npz(lua_State *L) { /* {name = array}, {names in file order} */
    LtState *s = LT_STATE(L);
    ThNpz z;
    LT_CHECK(L, s, !th_load_npz(s->ctx, luaL_checkstring(L, 1), &z));
    lua_newtable(L);
    lua_newtable(L);
    for (int i = 0; i < z.n; i++) {
        lt_push_array(L, s, th_array_retain(z.arrays[i]));
        lua_setfield(L, -3, z.names[i]);
        lua_pushstring(L, z.names[i]);
        lua_rawseti(L, -2, i + 1);
    }
    th_npz_free(s->ctx, &z);
    return 2;
}

static int save_npz(lua_State *L) { /* save_npz(path, {names}, {arrays}) */
    LtState *s = LT_STATE(L);
    const char *path = luaL_checkstring(L, 1);
    luaL_checktype(L, 2, LUA_TTABLE);
    luaL_checktype(L, 3, LUA_TTABLE);
    int n = (int)lua_rawlen(L, 2);
    const char **names = lua_newuserdatauv(L, sizeof *names * (size_t)(n + 1), 0);
    ThArray **arrays = lua_newuserdatauv(L, sizeof *arrays * (size_t)(n + 1), 0);
    for (int i = 0; i < n; i++) {
        lua_rawgeti(L, 2, i + 1);
        names[i] = luaL_checkstring(L, -1);
        lua_rawgeti(L, 3, i + 1);
        arrays[i] = lt_check_array(L, s, -1);
        lua_pop(L, 2); /* both stay alive in their tables */
    }
    LT_CHECK(L, s, !th_save_npz(s->ctx, path, n, names, arrays));
    return 0;
}

void lt_open_files(lua_State *L, LtState *s) {
    static const luaL_Reg fns[] = {{"load_npy", load_npy}, {"save_npy", save_npy}, {"load_idx", load_idx},
                                   {"load_npz", load_npz}, {"save_npz", save_npz}, {NULL, NULL}};
    lt_register(L, s, fns);
}
