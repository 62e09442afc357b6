/*
 * random.c -- nd.random.RandomState: NumPy's legacy streams. Distributions come from the engine's table and take their
 * parameters by position or by name, then `size`: nil (the shape of the parameters; a number where they are numbers),
 * an integer or a table. choice, permutation of arrays, saving and loading are in ndarray.lua.
 */
#include "binding.h"

#include <string.h>

static ThRandom *self(lua_State *L, LtState *s) {
    ThRandom **p = lt_test(L, s, 1, LT_RANDOM);
    if (!p) lt_error(L, TH_TypeError, "RandomState expected, got %s (call it as r:name(...))", luaL_typename(L, 1));
    return *p;
}

/* The size at index i: -1 when it is absent. */
static int size_at(lua_State *L, int i, int64_t *shape) { return lua_isnoneornil(L, i) ? -1 : lt_shape(L, i, shape); }

static int give(lua_State *L, LtState *s, ThArray *a) {
    lt_push_result(L, s, a, false);
    return 1;
}

/* An argument as an array that lives on the stack; NULL when it is absent. */
static ThArray *array_at(lua_State *L, LtState *s, int i) {
    if (lua_isnoneornil(L, i)) return NULL;
    ThArray *a = lt_array(L, s, i);
    if (a) return a;
    lt_push_array(L, s, lt_to_array(L, s, i, TH_DTYPE_NONE));
    lua_replace(L, i);
    return lt_array(L, s, i);
}

/*
 * Arguments after self, by position or in one trailing table of keywords, at 2 .. n + 1 in the order of names (NULL
 * at the end); nil where they are absent. An unknown name raises.
 */
static void named_args(lua_State *L, const char *what, const char *const *names) {
    int n = 0, top = lua_gettop(L);
    while (names[n]) n++;
    bool keywords = top > 1 && lt_is_keywords(L, top);
    if (top - 1 - keywords > n) lt_error(L, TH_TypeError, "%s takes %d arguments, got %d", what, n, top - 1 - keywords);
    lua_settop(L, n + 2);
    if (!keywords) return;
    lua_pushvalue(L, top);
    lua_pushnil(L);
    lua_replace(L, top);
    int t = lua_gettop(L);
    for (lua_pushnil(L); lua_next(L, t);) {
        const char *k = lua_tostring(L, -2);
        int i = 0;
        while (i < n && strcmp(names[i], k)) i++;
        if (i == n) lt_error(L, TH_TypeError, "%s: unknown keyword '%s'", what, k);
        if (!lua_isnil(L, i + 2)) lt_error(L, TH_TypeError, "%s: '%s' is given twice", what, k);
        lua_replace(L, i + 2);
    }
    lua_settop(L, n + 2);
}

static int draw(lua_State *L) { /* upvalue 2: number in the table */
    LtState *s = LT_STATE(L);
    int which = (int)lua_tointeger(L, lua_upvalueindex(2));
    const ThDistribution *d = th_random_distribution(which);
    const char *names[TH_DIST_PARAMS + 2] = {NULL};
    ThArray *params[TH_DIST_PARAMS] = {NULL};
    int64_t shape[TH_MAX_NDIM];
    ThRandom *r = self(L, s);
    memcpy(names, d->param, (size_t)d->nparams * sizeof *names);
    names[d->nparams] = "size";
    named_args(L, d->name, names);
    for (int k = 0; k < d->nparams; k++) params[k] = array_at(L, s, k + 2);
    int n = size_at(L, d->nparams + 2, shape);
    return give(L, s, th_random_draw(r, which, params, n, shape));
}

static int rand_dims(lua_State *L, int64_t *shape) { /* rand(2, 3), rand{2, 3} */
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

/* randint(low, high, size, dtype), randint(n) is randint(0, n); random_integers(1..high closed) */
static int integers(lua_State *L, const char *name, bool closed, lua_Integer first) {
    static const char *const names[] = {"low", "high", "size", "dtype", NULL};
    LtState *s = LT_STATE(L);
    int64_t shape[TH_MAX_NDIM];
    ThRandom *r = self(L, s);
    named_args(L, name, names);
    if (lua_isnil(L, 2)) return lt_error(L, TH_TypeError, "%s needs a bound", name);
    if (lua_isnil(L, 3)) {
        lua_pushvalue(L, 2);
        lua_replace(L, 3);
        lua_pushinteger(L, first);
        lua_replace(L, 2);
    }
    ThDtype d = lt_dtype(L, s, 5, TH_INT64);
    ThArray *low = array_at(L, s, 2), *high = array_at(L, s, 3);
    int n = size_at(L, 4, shape);
    return give(L, s, th_random_integers(r, low, high, closed, d, n, shape));
}

static int r_randint(lua_State *L) { return integers(L, "randint", false, 0); }
static int r_random_integers(lua_State *L) { return integers(L, "random_integers", true, 1); }

static int r_order(lua_State *L) { /* order(n): the integers below n, shuffled */
    LtState *s = LT_STATE(L);
    ThRandom *r = self(L, s);
    lt_push_array(L, s, th_random_permutation(r, luaL_checkinteger(L, 2)));
    return 1;
}

/* A Lua sequence is shuffled as a list: the order of 1-d arrays. */
static void shuffle_table(lua_State *L, LtState *s, ThRandom *r) {
    lua_Integer n = lt_length_of(L, 2, "the list to shuffle");
    ThArray *order = th_random_permutation(r, n);
    lt_push_array(L, s, order);
    const int64_t *at = th_array_data(order);
    lua_createtable(L, (int)(n < 1 << 20 ? n : 0), 0);
    for (lua_Integer i = 0; i < n; i++) {
        lua_rawgeti(L, 2, at[i] + 1);
        lua_rawseti(L, -2, i + 1);
    }
    for (lua_Integer i = 1; i <= n; i++) {
        lua_rawgeti(L, -1, i);
        lua_rawseti(L, 2, i);
    }
}

static int r_shuffle(lua_State *L) { /* shuffle(a): in place */
    LtState *s = LT_STATE(L);
    ThRandom *r = self(L, s);
    if (lua_istable(L, 2)) shuffle_table(L, s, r);
    else LT_CHECK(L, s, !th_random_shuffle(r, lt_check_array(L, s, 2)));
    return 0;
}

static int r_pick(lua_State *L) { /* pick(n, size, replace, p, ordered): positions */
    LtState *s = LT_STATE(L);
    int64_t shape[TH_MAX_NDIM];
    ThRandom *r = self(L, s);
    lua_settop(L, 6);
    int n = size_at(L, 3, shape);
    bool replace = lua_isnil(L, 4) || lua_toboolean(L, 4);
    return give(L, s,
                th_random_choice_ordered(r, luaL_checkinteger(L, 2), replace, lua_toboolean(L, 6), array_at(L, s, 5),
                                         n < 0 ? 0 : n, shape));
}

static int r_multinomial(lua_State *L) {
    static const char *const names[] = {"n", "pvals", "size", NULL};
    LtState *s = LT_STATE(L);
    int64_t shape[TH_MAX_NDIM];
    ThRandom *r = self(L, s);
    named_args(L, "multinomial", names);
    lua_Integer n = luaL_checkinteger(L, 2);
    ThArray *p = array_at(L, s, 3);
    if (!p) return lt_error(L, TH_TypeError, "multinomial needs its parameter pvals");
    int k = size_at(L, 4, shape);
    lt_push_array(L, s, th_random_multinomial(r, n, p, k < 0 ? 0 : k, shape));
    return 1;
}

static int r_dirichlet(lua_State *L) {
    static const char *const names[] = {"alpha", "size", NULL};
    LtState *s = LT_STATE(L);
    int64_t shape[TH_MAX_NDIM];
    ThRandom *r = self(L, s);
    named_args(L, "dirichlet", names);
    ThArray *alpha = array_at(L, s, 2);
    if (!alpha) return lt_error(L, TH_TypeError, "dirichlet needs its parameter alpha");
    int k = size_at(L, 3, shape);
    lt_push_array(L, s, th_random_dirichlet(r, alpha, k < 0 ? 0 : k, shape));
    return 1;
}

static int r_bytes(lua_State *L) { /* bytes(n): a string */
    LtState *s = LT_STATE(L);
    ThRandom *r = self(L, s);
    lua_Integer n = luaL_checkinteger(L, 2);
    if (n < 0 || n > 1 << 30) return lt_error(L, TH_ValueError, "bytes: a length of 0 to 2^30, got %lld", (long long)n);
    luaL_Buffer b;
    char *p = luaL_buffinitsize(L, &b, (size_t)n);
    th_random_bytes(r, p, (size_t)n);
    luaL_pushresultsize(&b, (size_t)n);
    return 1;
}

/* ---- states as values of variables ------------------------------------------------------------------------------- */
ThRandom *lt_random(lua_State *L, LtState *s, int i) {
    ThRandom **p = lt_test(L, s, i, LT_RANDOM);
    return p ? *p : NULL;
}

bool lt_is_state(ThType t) { return t.kind == th_random_state_type().kind; }

ThRandom **lt_new_random(lua_State *L, LtState *s) {
    ThRandom **p = lua_newuserdatauv(L, sizeof *p, 0);
    *p = NULL;
    lt_set_meta(L, s, LT_RANDOM);
    return p;
}

void lt_push_state(lua_State *L, LtState *s, ThArray *state) {
    LT_CHECK(L, s, state);
    lt_push_array(L, s, state); /* so that an error frees it */
    ThRandom **p = lt_new_random(L, s);
    *p = th_random_on(state);
    LT_CHECK(L, s, *p);
    lua_remove(L, -2);
}

void lt_push_value(lua_State *L, LtState *s, ThType t, ThArray *a, bool keep_array) {
    if (lt_is_state(t)) lt_push_state(L, s, a);
    else lt_push_result(L, s, a, keep_array);
}

static int shared_random(lua_State *L) { /* (RandomState, name, borrow) -> a shared variable */
    LtState *s = LT_STATE(L);
    ThRandom *r = lt_random(L, s, 1);
    if (!r) return lt_wrong(L, 1, "a RandomState");
    lt_mark_line(L, s);
    lt_push_var(L, s, th_shared_random(s->ctx, r, luaL_optstring(L, 2, NULL), lua_toboolean(L, 3)));
    return 1;
}

static int state_type(lua_State *L) {
    lt_push_type(L, LT_STATE(L), th_random_state_type());
    return 1;
}

/* (fn, type of the draw, ndim_added, {state, size, parameters..}) -> the state behind the draw, the draw */
static int random_function(lua_State *L) {
    LtState *s = LT_STATE(L);
    ThVar *in[8], *out[2] = {NULL, NULL};
    ThType *t = lt_type(L, s, 2);
    const char *fn = luaL_checkstring(L, 1);
    if (!t) return lt_wrong(L, 2, "a TensorType");
    int added = (int)luaL_checkinteger(L, 3), n = lt_length_of(L, 4, "the arguments");
    if (n > 8) return lt_error(L, TH_TypeError, "RandomFunction{%s}: too many parameters", fn);
    for (int i = 0; i < n; i++) {
        lua_rawgeti(L, 4, i + 1);
        in[i] = lt_check_var(L, s, -1); /* the table keeps it */
        lua_pop(L, 1);
    }
    lt_mark_line(L, s);
    LT_CHECK(L, s, !th_random_function(s->ctx, fn, *t, added, in, n, out));
    luaL_checkstack(L, 4, "results");
    for (int i = 0; i < 2; i++) lt_push_var(L, s, out[i]);
    return 2;
}

static int same_state(lua_State *L) { /* (RandomState, RandomState) */
    LtState *s = LT_STATE(L);
    ThRandom *a = lt_random(L, s, 1), *b = lt_random(L, s, 2);
    if (!a || !b) return lt_wrong(L, a ? 2 : 1, "a RandomState");
    ThArray *x = th_random_array(a), *y = th_random_array(b);
    lua_pushboolean(L, th_array_equal(x, y));
    th_array_release(x);
    th_array_release(y);
    return 1;
}

static int copy_state(lua_State *L) { /* (RandomState) -> another in the same state */
    LtState *s = LT_STATE(L);
    ThRandom *r = self(L, s);
    lt_most(L, 1);
    ThArray *own = th_random_array(r), *copy = th_array_copy(own);
    th_array_release(own);
    lt_push_state(L, s, copy);
    return 1;
}

/* ---- seeds and states -------------------------------------------------------------------------------------------- */
static void seed(lua_State *L, LtState *s, ThRandom *r, int i) {
    if (lua_isnoneornil(L, i)) {
        LT_CHECK(L, s, !th_random_seed(r, (uint32_t)th_context_seed(s->ctx)));
    } else if (lua_istable(L, i) || lua_isuserdata(L, i)) {
        ThArray *a = array_at(L, s, i);
        LT_CHECK(L, s, !th_random_seed_array(r, a));
    } else {
        LT_CHECK(L, s, !th_random_seed(r, (uint64_t)luaL_checkinteger(L, i)));
    }
}

static int r_seed(lua_State *L) {
    LtState *s = LT_STATE(L);
    ThRandom *r = self(L, s);
    lua_settop(L, 2);
    seed(L, s, r, 2);
    return 0;
}

static int r_get_state(lua_State *L) { /* {"MT19937", key, pos, has_gauss, cached_gaussian} */
    LtState *s = LT_STATE(L);
    ThRandomState state;
    const int64_t n = 624;
    th_random_get_state(self(L, s), &state);
    lua_createtable(L, 5, 0);
    lua_pushliteral(L, "MT19937");
    lua_rawseti(L, -2, 1);
    ThArray *key = th_array_empty(s->ctx, TH_UINT32, 1, &n);
    lt_push_array(L, s, key);
    memcpy(th_array_data(key), state.key, sizeof state.key);
    lua_rawseti(L, -2, 2);
    lua_pushinteger(L, state.pos);
    lua_rawseti(L, -2, 3);
    lua_pushinteger(L, state.has_gauss);
    lua_rawseti(L, -2, 4);
    lua_pushnumber(L, state.gauss);
    lua_rawseti(L, -2, 5);
    return 1;
}

static int r_set_state(lua_State *L) {
    LtState *s = LT_STATE(L);
    ThRandom *r = self(L, s);
    ThRandomState state = {.pos = 0};
    luaL_checktype(L, 2, LUA_TTABLE);
    for (int k = 1; k <= 5; k++) lua_rawgeti(L, 2, k); /* 3..7 */
    const char *name = lua_tostring(L, 3);
    if (!name || strcmp(name, "MT19937")) return lt_error(L, TH_ValueError, "a state begins with 'MT19937'");
    ThArray *given = array_at(L, s, 4);
    if (!given || th_array_ndim(given) != 1 || th_array_size(given) != 624 ||
        !strchr("iu", th_dtype_kind(th_array_dtype(given))))
        return lt_error(L, TH_ValueError, "the key of a state is a vector of 624 integers");
    ThArray *key = th_array_astype(given, TH_UINT32);
    lt_push_array(L, s, key);
    memcpy(state.key, th_array_data(key), sizeof state.key);
    lua_Integer pos = luaL_checkinteger(L, 5);
    state.pos = pos < 0 || pos > 624 ? -1 : (int)pos;
    state.has_gauss = lua_isboolean(L, 6) ? lua_toboolean(L, 6) : luaL_optinteger(L, 6, 0) != 0;
    state.gauss = luaL_optnumber(L, 7, 0);
    LT_CHECK(L, s, !th_random_set_state(r, &state));
    return 0;
}

static int r_gc(lua_State *L) {
    ThRandom **p = lua_touserdata(L, 1);
    th_random_release(*p);
    *p = NULL;
    return 0;
}

static int r_new(lua_State *L) {
    LtState *s = LT_STATE(L);
    lt_most(L, 1);
    lua_settop(L, 1);
    ThRandom **p = lt_new_random(L, s);
    *p = th_random_new(s->ctx, 0);
    LT_CHECK(L, s, *p);
    seed(L, s, *p, 1);
    lua_settop(L, 2);
    return 1;
}

static int distributions(lua_State *L) { /* sequence of {name, doc, names of the parameters ...} */
    lua_newtable(L);
    const ThDistribution *d;
    for (int i = 0; (d = th_random_distribution(i)); i++) {
        lua_newtable(L);
        lua_pushstring(L, d->name);
        lua_setfield(L, -2, "name");
        lua_pushstring(L, d->doc);
        lua_setfield(L, -2, "doc");
        for (int k = 0; k < d->nparams; k++) {
            lua_pushstring(L, d->param[k]);
            lua_rawseti(L, -2, k + 1);
        }
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

/* ---- MRG31k3p ---------------------------------------------------------------------------------------------------- */
/* The sequence of six integers at index i, which the caller has checked. */
static void mrg_state(lua_State *L, int i, int32_t *state) {
    luaL_checktype(L, i, LUA_TTABLE);
    for (int k = 0; k < 6; k++) {
        lua_rawgeti(L, i, k + 1);
        state[k] = (int32_t)luaL_checkinteger(L, -1);
        lua_pop(L, 1);
    }
}

static int mrg_streams(lua_State *L) { /* mrg_streams(state, n): the states of n streams */
    LtState *s = LT_STATE(L);
    int32_t state[6];
    mrg_state(L, 1, state);
    lt_push_array(L, s, th_mrg_streams(s->ctx, state, luaL_checkinteger(L, 2)));
    return 1;
}

static int mrg_skip(lua_State *L) { /* mrg_skip(state): the state of the next draw */
    LtState *s = LT_STATE(L);
    int32_t state[6];
    mrg_state(L, 1, state);
    LT_CHECK(L, s, !th_mrg_skip(s->ctx, state));
    lua_createtable(L, 6, 0);
    for (int k = 0; k < 6; k++) {
        lua_pushinteger(L, state[k]);
        lua_rawseti(L, -2, k + 1);
    }
    return 1;
}

void lt_open_random(lua_State *L, LtState *s) {
    static const luaL_Reg meta[] = {{"__gc", r_gc}, {NULL, NULL}};
    lt_new_meta(L, s, LT_RANDOM, "RandomState", meta);
    static const luaL_Reg methods[] = {{"rand", r_rand},
                                       {"randn", r_randn},
                                       {"randint", r_randint},
                                       {"random_integers", r_random_integers},
                                       {"shuffle", r_shuffle},
                                       {"multinomial", r_multinomial},
                                       {"dirichlet", r_dirichlet},
                                       {"bytes", r_bytes},
                                       {"seed", r_seed},
                                       {"get_state", r_get_state},
                                       {"set_state", r_set_state},
                                       {"copy", copy_state},
                                       {NULL, NULL}};
    lua_newtable(L);
    lt_register(L, s, methods);
    for (int i = 0; th_random_distribution(i); i++) {
        lua_pushlightuserdata(L, s);
        lua_pushinteger(L, i);
        lua_pushcclosure(L, draw, 2);
        lua_setfield(L, -2, th_random_distribution(i)->name);
    }
    lua_pushvalue(L, -1);
    lua_setfield(L, -4, "random_methods");
    lua_setfield(L, -2, "__index");
    lua_pop(L, 1);
    static const luaL_Reg fns[] = {{"RandomState", r_new},
                                   {"random_order", r_order},
                                   {"random_pick", r_pick},
                                   {"distributions", distributions},
                                   {"mrg_streams", mrg_streams},
                                   {"mrg_skip", mrg_skip},
                                   {"shared_random", shared_random},
                                   {"random_state_type", state_type},
                                   {"random_function", random_function},
                                   {"same_random_state", same_state},
                                   {NULL, NULL}};
    lt_register(L, s, fns);
}
