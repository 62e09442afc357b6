/*
 * scan.c -- loops, for lua/theano/scan.lua.
 * In: one table with the parts of a ThScan as sequences of Variables. Out: a sequence of the node's results.
 */
#include "binding.h"

#include <string.h>

/* The field `key` of the table at 1: Variables; their number. The array stays on the Lua stack. */
static ThVar **field(lua_State *L, LtState *s, const char *key, int *n) {
    luaL_checkstack(L, 8, "scan");
    *n = 0;
    if (lua_getfield(L, 1, key) != LUA_TTABLE) return NULL;
    *n = lt_length_of(L, -1, key);
    ThVar **at = lua_newuserdatauv(L, sizeof *at * (size_t)(*n + 1), 0);
    for (int i = 0; i < *n; i++) {
        lua_rawgeti(L, -2, i + 1);
        at[i] = lt_check_var(L, s, lua_gettop(L));
        lua_pop(L, 1);
    }
    return at;
}

/* taps: {{-2, -1}, {-1}} */
static void taps(lua_State *L, ThScan *k) {
    int n = lua_getfield(L, 1, "taps") == LUA_TTABLE ? lt_length_of(L, -1, "taps") : 0, t = lua_gettop(L);
    if (n != k->nstate) lt_error(L, TH_ValueError, "scan: %d states but %d lists of taps", k->nstate, n);
    const int **tap = lua_newuserdatauv(L, sizeof *tap * (size_t)(n + 1), 0);
    int *ntap = lua_newuserdatauv(L, sizeof *ntap * (size_t)(n + 1), 0);
    luaL_checkstack(L, n + 8, "scan");
    for (int i = 0; i < n; i++) {
        lua_rawgeti(L, t, i + 1);
        ntap[i] = lt_length_of(L, -1, "taps");
        int *at = lua_newuserdatauv(L, sizeof *at * (size_t)(ntap[i] + 1), 0);
        for (int j = 0; j < ntap[i]; j++) {
            lua_rawgeti(L, -2, j + 1);
            at[j] = (int)luaL_checkinteger(L, -1);
            lua_pop(L, 1);
        }
        lua_remove(L, -2);
        tap[i] = at;
    }
    k->tap = tap;
    k->ntap = ntap;
}

static ThVar *single(lua_State *L, LtState *s, const char *key) {
    ThVar *v = lua_getfield(L, 1, key) == LUA_TNIL ? NULL : lt_check_var(L, s, lua_gettop(L));
    return v;
}

static int scan(lua_State *L) { /* scan{steps =, seq =, seq_in =, state =, taps =, ..} -> {results} */
    LtState *s = LT_STATE(L);
    int n;
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    ThScan k = {.steps = single(L, s, "steps"), .until = single(L, s, "until_")};
    k.seq = field(L, s, "seq", &k.nseq);
    k.seq_in = field(L, s, "seq_in", &n);
    k.state = field(L, s, "state", &k.nstate);
    k.tap_in = field(L, s, "tap_in", &n);
    k.state_out = field(L, s, "state_out", &n);
    k.shared = field(L, s, "shared", &k.nshared);
    k.shared_in = field(L, s, "shared_in", &n);
    k.shared_out = field(L, s, "shared_out", &n);
    k.collect_out = field(L, s, "collect_out", &k.ncollect);
    k.value = field(L, s, "value", &k.nvalue);
    k.value_in = field(L, s, "value_in", &n);
    taps(L, &k);
    lua_getfield(L, 1, "name");
    k.name = luaL_optstring(L, -1, NULL);
    lua_getfield(L, 1, "truncate");
    k.truncate = lua_isnil(L, -1) ? -1 : luaL_checkinteger(L, -1);
    int most = k.nstate + k.ncollect + k.nshared + 1;
    ThVar **out = lua_newuserdatauv(L, sizeof *out * (size_t)most, 0);
    lt_mark_line(L, s);
    int made = th_scan(s->ctx, &k, out);
    if (made < 0) return lt_raise(L, s);
    lua_createtable(L, made, 0);
    for (int i = 0; i < made; i++) {
        lt_push_var(L, s, out[i]);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

static int scan_state(lua_State *L) { /* scan_state(initial, rows, steps) */
    LtState *s = LT_STATE(L);
    ThVar *initial = lt_check_var(L, s, 1), *steps = lt_check_var(L, s, 3);
    lt_mark_line(L, s);
    lt_push_var(L, s, th_scan_state(s->ctx, initial, (int)luaL_checkinteger(L, 2), steps));
    return 1;
}

static int scan_free(lua_State *L) { /* scan_free{outs =, given =} -> {free and shared variables} */
    LtState *s = LT_STATE(L);
    int n, nin;
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    ThVar **outs = field(L, s, "outs", &n), **in = field(L, s, "given", &nin), **found;
    int count = th_scan_free(s->ctx, outs, n, in, nin, &found);
    if (count < 0) return lt_raise(L, s);
    lua_createtable(L, count, 0);
    for (int i = 0; i < count; i++) {
        lt_push_var(L, s, th_var_retain(found[i]));
        lua_rawseti(L, -2, i + 1);
    }
    th_free(s->ctx, found);
    return 1;
}

static int ifelse(lua_State *L) { /* ifelse{cond = {c}, yes =, no =, name =} -> {values} */
    LtState *s = LT_STATE(L);
    int nc, n, m;
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    ThVar **cond = field(L, s, "cond", &nc), **yes = field(L, s, "yes", &n), **no = field(L, s, "no", &m);
    if (nc != 1 || n != m || n < 1) lt_error(L, TH_ValueError, "ifelse: one condition and two lists of equal length");
    lua_getfield(L, 1, "name");
    const char *name = luaL_optstring(L, -1, NULL);
    ThVar **out = lua_newuserdatauv(L, sizeof *out * (size_t)n, 0);
    lt_mark_line(L, s);
    LT_CHECK(L, s, !th_ifelse(s->ctx, cond[0], yes, no, n, name, out));
    lua_createtable(L, n, 0);
    for (int i = 0; i < n; i++) {
        lt_push_var(L, s, out[i]);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

void lt_open_scan(lua_State *L, LtState *s) {
    static const luaL_Reg fns[] = {
        {"scan", scan}, {"scan_state", scan_state}, {"scan_free", scan_free}, {"ifelse", ifelse}, {NULL, NULL}};
    lt_register(L, s, fns);
}
