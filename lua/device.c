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

/* ---- memory shared with others ----------------------------------------------------------------------------------- */
/* A tensor for whoever takes it, or for nobody: then it goes with the capsule. */
typedef struct Capsule {
    void *tensor; /* NULL: it was taken */
    bool versioned;
} Capsule;
static const char CAPSULE[] = "dltensor";

static void let_go(const Capsule *p) {
    ThDLManaged *old = p->tensor;
    ThDLVersioned *versioned = p->tensor;
    if (!p->tensor) return;
    if (p->versioned && versioned->deleter) versioned->deleter(versioned);
    else if (!p->versioned && old->deleter) old->deleter(old);
}

static int capsule_gc(lua_State *L) {
    Capsule *p = luaL_checkudata(L, 1, CAPSULE);
    let_go(p);
    p->tensor = NULL;
    return 0;
}

static Capsule *full(lua_State *L) {
    Capsule *p = luaL_checkudata(L, 1, CAPSULE);
    if (!p->tensor) lt_error(L, TH_ValueError, "this capsule was taken before");
    return p;
}

static int capsule_take(lua_State *L) { /* -> light userdata, whose deleter the caller calls */
    Capsule *p = full(L);
    lua_pushlightuserdata(L, p->tensor);
    p->tensor = NULL;
    return 1;
}

static int capsule_device(lua_State *L) { /* -> DLPack's type and number */
    const Capsule *p = full(L);
    const ThDLTensor *t = p->versioned ? &((ThDLVersioned *)p->tensor)->tensor : &((ThDLManaged *)p->tensor)->tensor;
    lua_pushinteger(L, t->device.type);
    lua_pushinteger(L, t->device.number);
    return 2;
}

static LtState *outside(lua_State *L, const char *what) {
    LtState *s = LT_STATE(L);
    if (th_context_sealed(s->ctx)) lt_error(L, TH_RuntimeError, "%s: not in a sandbox", what);
    return s;
}

static int to_dlpack(lua_State *L) { /* (ndarray, versioned) -> capsule */
    LtState *s = outside(L, "to_dlpack");
    lt_most(L, 2);
    ThArray *a = lt_check_array(L, s, 1);
    Capsule *p = lua_newuserdatauv(L, sizeof *p, 0);
    *p = (Capsule){.versioned = lua_toboolean(L, 2)};
    if (luaL_newmetatable(L, CAPSULE)) {
        static const luaL_Reg of[] = {
            {"__gc", capsule_gc}, {"take", capsule_take}, {"device", capsule_device}, {NULL, NULL}};
        luaL_setfuncs(L, of, 0);
        lua_pushvalue(L, -1);
        lua_setfield(L, -2, "__index");
    }
    lua_setmetatable(L, -2);
    if (p->versioned) p->tensor = th_array_to_dlpack_versioned(a);
    else p->tensor = th_array_to_dlpack(a);
    LT_CHECK(L, s, p->tensor);
    return 1;
}

static int from_dlpack(lua_State *L) { /* (capsule or light userdata, versioned) -> ndarray */
    LtState *s = outside(L, "from_dlpack");
    lt_most(L, 2);
    Capsule given = {lua_touserdata(L, 1), lua_toboolean(L, 2)}, *p = luaL_testudata(L, 1, CAPSULE);
    if (p) given = *full(L);
    else if (!lua_islightuserdata(L, 1))
        lt_error(L, TH_TypeError, "from_dlpack takes a capsule, got %s", luaL_typename(L, 1));
    ThArray *a = given.versioned ? th_array_from_dlpack_versioned(s->ctx, given.tensor)
                                 : th_array_from_dlpack(s->ctx, given.tensor);
    if (a && p) p->tensor = NULL;
    lt_push_array(L, s, a);
    return 1;
}

static int address(lua_State *L) { /* (ndarray) -> integer, or nil: it lives on the host */
    LtState *s = outside(L, "address");
    uint64_t at = th_array_device_address(lt_check_array(L, s, 1));
    LT_CHECK(L, s, !th_error(s->ctx));
    if (at) lua_pushinteger(L, (lua_Integer)at);
    else lua_pushnil(L);
    return 1;
}

static int on_device(lua_State *L) { /* (device, dtype, shape, address) -> ndarray */
    LtState *s = outside(L, "wrap");
    int64_t shape[TH_MAX_NDIM];
    const char *device = luaL_checkstring(L, 1);
    ThDtype d = lt_dtype(L, s, 2, TH_FLOAT64);
    int ndim = lt_shape(L, 3, shape);
    uint64_t at = (uint64_t)luaL_checkinteger(L, 4);
    lt_push_array(L, s, th_array_on_device(s->ctx, device, d, ndim, shape, NULL, at, NULL, NULL));
    return 1;
}

void lt_open_device(lua_State *L, LtState *s) {
    static const luaL_Reg fns[] = {{"array_to_device", to_device},
                                   {"shared_to_device", shared_to_device},
                                   {"device_count", count},
                                   {"device_info", info},
                                   {"to_dlpack", to_dlpack},
                                   {"from_dlpack", from_dlpack},
                                   {"device_address", address},
                                   {"array_on_device", on_device},
                                   {NULL, NULL}};
    lt_register(L, s, fns);
}
