/*
 * generator.c -- NumPy's PCG64 from Lua: seeds, states and draws, for lua/theano/ndgenerator.lua, which makes a
 * Generator of them. The userdata is a RandomState's, so that integers, orders and picks are the same functions.
 */
#include "binding.h"

/* A list of integers below 2^32 as words: userdata on the stack. */
static uint32_t *words_at(lua_State *L, int i, int *n) {
    *n = lt_length_of(L, i, "entropy");
    uint32_t *w = lua_newuserdatauv(L, sizeof *w * (size_t)(*n + 1), 0);
    for (int k = 0; k < *n; k++) {
        lua_rawgeti(L, i, k + 1);
        lua_Integer v = luaL_checkinteger(L, -1);
        if (v < 0 || v > UINT32_MAX)
            lt_error(L, TH_ValueError, "a word of entropy lies below 2^32, got %lld", (long long)v);
        w[k] = (uint32_t)v;
        lua_pop(L, 1);
    }
    return w;
}

static int pcg_new(lua_State *L) { /* ({words}) -> generator */
    LtState *s = LT_STATE(L);
    int n;
    const uint32_t *w = words_at(L, 1, &n);
    ThRandom **p = lt_new_random(L, s);
    *p = th_random_pcg64(s->ctx, w, n);
    LT_CHECK(L, s, *p);
    return 1;
}

static int words(lua_State *L) { /* ({words}, n) -> {n words} that a SeedSequence makes of them */
    int n;
    lua_Integer most = luaL_checkinteger(L, 2);
    if (most < 0 || most > 1 << 20)
        return lt_error(L, TH_ValueError, "generate_state: 0 to 2^20 words, got %lld", (long long)most);
    const uint32_t *w = words_at(L, 1, &n);
    uint32_t *out = lua_newuserdatauv(L, sizeof *out * (size_t)(most + 1), 0);
    th_seed_words(w, n, out, (int)most);
    lua_createtable(L, (int)most, 0);
    for (lua_Integer i = 0; i < most; i++) {
        lua_pushinteger(L, out[i]);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

static ThRandom *self(lua_State *L, LtState *s) {
    ThRandom *r = lt_random(L, s, 1);
    if (!r) lt_wrong(L, 1, "a generator");
    return r;
}

static int get(lua_State *L) { /* -> state high, low, increment high, low, has_uint32, uinteger */
    LtState *s = LT_STATE(L);
    ThPcg64 p;
    LT_CHECK(L, s, !th_random_pcg64_get(self(L, s), &p));
    lua_pushinteger(L, (lua_Integer)p.state[0]);
    lua_pushinteger(L, (lua_Integer)p.state[1]);
    lua_pushinteger(L, (lua_Integer)p.inc[0]);
    lua_pushinteger(L, (lua_Integer)p.inc[1]);
    lua_pushinteger(L, p.has_uint32);
    lua_pushinteger(L, p.uinteger);
    return 6;
}

static int set(lua_State *L) {
    LtState *s = LT_STATE(L);
    ThRandom *r = self(L, s);
    uint64_t v[6];
    for (int i = 0; i < 6; i++) v[i] = (uint64_t)luaL_checkinteger(L, i + 2);
    const ThPcg64 p = {{v[0], v[1]}, {v[2], v[3]}, v[4] != 0, (uint32_t)v[5]};
    LT_CHECK(L, s, !th_random_pcg64_set(r, &p));
    return 0;
}

static int advance(lua_State *L) { /* (generator, high, low) */
    LtState *s = LT_STATE(L);
    ThRandom *r = self(L, s);
    const uint64_t delta[2] = {(uint64_t)luaL_checkinteger(L, 2), (uint64_t)luaL_checkinteger(L, 3)};
    LT_CHECK(L, s, !th_random_pcg64_advance(r, delta));
    return 0;
}

static int draw(lua_State *L) { /* (generator, "u" | "n" | "e", dtype, size) */
    LtState *s = LT_STATE(L);
    ThRandom *r = self(L, s);
    int64_t shape[TH_MAX_NDIM];
    const char *which = luaL_checkstring(L, 2);
    ThDtype d = lt_dtype(L, s, 3, TH_FLOAT64);
    int n = lua_isnoneornil(L, 4) ? 0 : lt_shape(L, 4, shape);
    lt_push_result(L, s, th_random_pcg64_draw(r, *which, d, n, shape), !lua_isnoneornil(L, 4));
    return 1;
}

static int urn(lua_State *L) { /* (generator, colors, n, by a row of all, size) */
    LtState *s = LT_STATE(L);
    ThRandom *r = self(L, s);
    int64_t shape[TH_MAX_NDIM];
    int k = lua_isnoneornil(L, 5) ? 0 : lt_shape(L, 5, shape);
    ThArray *colors = lt_check_array(L, s, 2);
    lua_Integer n = luaL_checkinteger(L, 3);
    lt_push_array(L, s, th_random_multivariate_hypergeometric(r, colors, n, lua_toboolean(L, 4), k, shape));
    return 1;
}

void lt_open_generator(lua_State *L, LtState *s) {
    static const luaL_Reg fns[] = {{"pcg64", pcg_new},         {"pcg64_get", get},   {"pcg64_set", set},
                                   {"pcg64_advance", advance}, {"pcg64_draw", draw}, {"seed_words", words},
                                   {"random_urn", urn},        {NULL, NULL}};
    lt_register(L, s, fns);
}
