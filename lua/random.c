/* random.c -- nd.random.RandomState: NumPy's legacy streams. Sizes: nil (a number), an integer or a table. */
#include "binding.h"

static ThRandom *self(lua_State *L, LtState *s) {
    ThRandom **p = lt_test(L, s, 1, LT_RANDOM);
    if (!p) lt_error(L, TH_TypeError, "RandomState expected, got %s", luaL_typename(L, 1));
    return *p;
}

static int size_at(lua_State *L, int i, int64_t *shape) { return lua_isnoneornil(L, i) ? 0 : lt_shape(L, i, shape); }

static int give(lua_State *L, LtState *s, ThArray *a) {
    lt_push_result(L, s, a, false);
    return 1;
}

static int rand_dims(lua_State *L, int64_t *shape) { /* rand(2, 3) */
    int n = lua_gettop(L) - 1;
    if (n == 1 && lua_istable(L, 2)) return lt_shape(L, 2, shape);
    if (n > TH_MAX_NDIM) lt_error(L, TH_ValueError, "%d dimensions: at most %d", n, TH_MAX_NDIM);
    for (int i = 0; i < n; i++) shape[i] = luaL_checkinteger(L, i + 2);
    return n;
}

static int r_rand(lua_State *L) {
    LtState *s = LT_STATE(L);
    int64_t shape[TH_MAX_NDIM];
    ThRandom *r = self(L, s);
    int n = rand_dims(L, shape);
    return give(L, s, th_random_rand(r, n, shape));
}

static int r_randn(lua_State *L) {
    LtState *s = LT_STATE(L);
    int64_t shape[TH_MAX_NDIM];
    ThRandom *r = self(L, s);
    int n = rand_dims(L, shape);
    return give(L, s, th_random_randn(r, n, shape));
}

/* Positional or keywords: low/loc, high/scale, size. */
static void two(lua_State *L, const char *a, const char *b, double da, double db, double *x, double *y) {
    if (lt_is_keywords(L, 2)) {
        lua_getfield(L, 2, a);
        lua_getfield(L, 2, b);
        lua_getfield(L, 2, "size");
        lua_remove(L, 2);
    }
    *x = luaL_optnumber(L, 2, da);
    *y = luaL_optnumber(L, 3, db);
}

static int r_uniform(lua_State *L) {
    LtState *s = LT_STATE(L);
    int64_t shape[TH_MAX_NDIM];
    ThRandom *r = self(L, s);
    double a, b;
    two(L, "low", "high", 0, 1, &a, &b);
    int n = size_at(L, 4, shape);
    return give(L, s, th_random_uniform(r, a, b, n, shape));
}

static int r_normal(lua_State *L) {
    LtState *s = LT_STATE(L);
    int64_t shape[TH_MAX_NDIM];
    ThRandom *r = self(L, s);
    double a, b;
    two(L, "loc", "scale", 0, 1, &a, &b);
    int n = size_at(L, 4, shape);
    return give(L, s, th_random_normal(r, a, b, n, shape));
}

static int r_randint(lua_State *L) { /* randint(low, high, size, dtype); randint(n) is randint(0, n) */
    LtState *s = LT_STATE(L);
    int64_t shape[TH_MAX_NDIM];
    ThRandom *r = self(L, s);
    if (lt_is_keywords(L, lua_gettop(L)) && lua_gettop(L) > 2) {
        int k = lua_gettop(L);
        if (k == 3) {
            lua_getfield(L, k, "high");
            lua_insert(L, 3);
            k++;
        }
        lua_getfield(L, k, "size");
        lua_getfield(L, k, "dtype");
        lua_remove(L, k);
    }
    int64_t low = luaL_checkinteger(L, 2), high = low;
    if (lua_isnoneornil(L, 3)) low = 0;
    else high = luaL_checkinteger(L, 3);
    int n = size_at(L, 4, shape);
    return give(L, s, th_random_randint(r, low, high, lt_dtype(L, s, 5, TH_INT64), n, shape));
}

static int r_permutation(lua_State *L) {
    LtState *s = LT_STATE(L);
    ThRandom *r = self(L, s);
    lt_push_array(L, s, th_random_permutation(r, luaL_checkinteger(L, 2)));
    return 1;
}

static int r_gc(lua_State *L) {
    ThRandom **p = lua_touserdata(L, 1);
    th_random_release(*p);
    *p = NULL;
    return 0;
}

static int r_new(lua_State *L) {
    LtState *s = LT_STATE(L);
    lua_Integer seed = luaL_checkinteger(L, 1);
    if (seed < 0 || seed > 0xffffffffll) return lt_error(L, TH_ValueError, "Seed must be between 0 and 2**32 - 1");
    ThRandom **p = lua_newuserdatauv(L, sizeof *p, 0);
    *p = NULL;
    lt_set_meta(L, s, LT_RANDOM);
    *p = th_random_new(s->ctx, (uint64_t)seed);
    LT_CHECK(L, s, *p);
    return 1;
}

void lt_open_random(lua_State *L, LtState *s) {
    static const luaL_Reg meta[] = {{"__gc", r_gc}, {NULL, NULL}};
    lt_new_meta(L, s, LT_RANDOM, "RandomState", meta);
    lua_newtable(L);
    static const luaL_Reg methods[] = {{"rand", r_rand},     {"randn", r_randn},     {"uniform", r_uniform},
                                       {"normal", r_normal}, {"randint", r_randint}, {"permutation", r_permutation},
                                       {NULL, NULL}};
    lt_register(L, s, methods);
    lua_setfield(L, -2, "__index");
    lua_pop(L, 1);
    static const luaL_Reg fns[] = {{"RandomState", r_new}, {NULL, NULL}};
    lt_register(L, s, fns);
}
