/*
 * device.c -- GPUs from Lua: what there is, where arrays and shared variables live.
 */
#include "binding.h"

static int to_device(lua_State *L) { /* (ndarray, device) -> ndarray that lives there */
    LtState *s = LT_STATE(L);
    lt_most(L, 2);
    ThArray *a = lt_sparse(L, s, 1) ? lt_sparse(L, s, 1) : lt_check_array(L, s, 1);
    lt_push_array(L, s, th_array_to_device(a, luaL_checkstring(L, 2)));
    return 1;
}

static int shared_to_device(lua_State *L) { /* (shared, device) */
    LtState *s = LT_STATE(L);
    LT_CHECK(L, s, !th_shared_to_device(lt_check_var(L, s, 1), luaL_checkstring(L, 2)));
    return 0;
}

static int count(lua_State *L) {
    lua_pushinteger(L, th_device_count(LT_STATE(L)->ctx));
    return 1;
}

static int info(lua_State *L) { /* (device) -> table of everything */
    LtState *s = LT_STATE(L);
    ThDevice d;
    LT_CHECK(L, s, !th_device_get(s->ctx, luaL_checkstring(L, 1), &d));
    const struct {
        const char *name;
        int64_t value;
    } field[] = {{"number", d.number},
                 {"multiprocessors", d.multiprocessors},
                 {"bytes", d.bytes},
                 {"unused", d.unused},
                 {"used", d.used},
                 {"kept", d.kept},
                 {"most", d.most},
                 {"limit", d.limit},
                 {"arrays", d.arrays},
                 {"to_device", d.to_device},
                 {"to_device_bytes", d.to_device_bytes},
                 {"to_host", d.to_host},
                 {"to_host_bytes", d.to_host_bytes},
                 {"launches", d.launches}};
    lua_newtable(L);
    for (size_t i = 0; i < sizeof field / sizeof *field; i++) {
        lua_pushinteger(L, field[i].value);
        lua_setfield(L, -2, field[i].name);
    }
    lua_pushstring(L, d.name);
    lua_setfield(L, -2, "name");
    lua_pushfstring(L, "%d.%d", d.major, d.minor);
    lua_setfield(L, -2, "capability");
    lua_pushfstring(L, "%d.%d", d.driver / 1000, d.driver % 1000 / 10);
    lua_setfield(L, -2, "cuda");
    lua_pushboolean(L, d.emulated);
    lua_setfield(L, -2, "emulated");
    return 1;
}

void lt_open_device(lua_State *L, LtState *s) {
    static const luaL_Reg fns[] = {{"array_to_device", to_device},
                                   {"shared_to_device", shared_to_device},
                                   {"device_count", count},
                                   {"device_info", info},
                                   {NULL, NULL}};
    lt_register(L, s, fns);
}
