/*
 * array.c -- ndarray userdata: creation, attributes, conversion both ways, printing. Indexing is index.c; arithmetic
 * and the other functions come from the tables through th_eager (ops.c).
 */
#include "binding.h"
#include "pool.h"

#include <math.h>
#include <string.h>

typedef struct LtArray {
    ThArray *a;
    size_t held; /* lt_hold's */
} LtArray;

ThArray *lt_array(lua_State *L, LtState *s, int i) {
    if (s->pool) { /* marked userdata are arrays */
        LtArray *q = lua_touserdata(L, i);
        return q && pool_marked(s->pool, q) ? q->a : NULL;
    }
    LtArray *p = lt_test(L, s, i, LT_ARRAY);
    return p ? p->a : NULL;
}

ThArray *lt_check_array(lua_State *L, LtState *s, int i) {
    ThArray *a = lt_array(L, s, i);
    if (!a) lt_error(L, TH_TypeError, "argument %d: ndarray expected, got %s", i, luaL_typename(L, i));
    return a;
}

void lt_push_array(lua_State *L, LtState *s, ThArray *a) {
    LT_CHECK(L, s, a);
    lt_collect_between(L, s);
    LtArray *p = lua_newuserdatauv(L, sizeof *p, 0);
    p->a = a;
    p->held = lt_hold_array(s, a);
    const bool sparse = th_array_sparse(a);
    if (s->pool && !sparse) pool_mark(s->pool, p);
    lt_set_meta(L, s, sparse ? LT_SPARSE : LT_ARRAY);
}

void lt_push_fresh(lua_State *L, LtState *s, ThArray *a, int meta) {
    LtArray *p = lua_newuserdatauv(L, sizeof *p, 0);
    p->a = a;
    p->held = lt_hold_array(s, a);
    if (s->pool) pool_mark(s->pool, p);
    lua_pushvalue(L, meta);
    lua_setmetatable(L, -2);
}

/* The end of an array, as the runner's pool tells it: the Lua state may be about to close, and ours gone. */
static void array_gone(void *user, void *data) {
    LtArray *p = data;
    th_array_release(p->a);
    if (user) lt_let_go(user, p->held);
}

/* Where the state's memory is the runner's pool arrays need no finalizer. */
static void watch(lua_State *L, LtState *s) {
    lua_getfield(L, LUA_REGISTRYINDEX, "theano.pool");
    Pool *p = lua_touserdata(L, -1);
    const LtArray *probe = lua_newuserdatauv(L, sizeof *probe, 0);
    if (p && pool_watch(p, array_gone, s, probe, sizeof *probe)) s->pool = p;
    lua_pop(L, 2);
}

int lt_array_gc(lua_State *L) {
    LtArray *p = lua_touserdata(L, 1);
    th_array_release(p->a);
    p->a = NULL;
    lt_let_go(LT_STATE(L), p->held);
    p->held = 0;
    return 0;
}

static int array_free(lua_State *L) {
    LtState *s = LT_STATE(L);
    lt_most(L, 1);
    th_array_free(lt_check_array(L, s, 1));
    return th_error(s->ctx) == TH_OK ? 0 : lt_raise(L, s); /* it may be bound to a function */
}

static int array_tostring(lua_State *L) {
    LtState *s = LT_STATE(L);
    char *t = th_array_str(s->ctx, lt_check_array(L, s, 1));
    LT_CHECK(L, s, t);
    lua_pushstring(L, t);
    th_free(s->ctx, t);
    return 1;
}

static int array_repr(lua_State *L) {
    LtState *s = LT_STATE(L);
    lt_most(L, 1);
    char *t = th_array_repr(s->ctx, lt_check_array(L, s, 1));
    LT_CHECK(L, s, t);
    lua_pushstring(L, t);
    th_free(s->ctx, t);
    return 1;
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */
static void push_complex(lua_State *L, LtState *s, ThComplex128 z) {
    ThComplex128 *p = lua_newuserdatauv(L, sizeof *p, 0);
    *p = z;
    lt_set_meta(L, s, LT_COMPLEX);
}

void lt_push_element(lua_State *L, LtState *s, ThDtype d, const ThValue *v) {
    switch (th_dtype_kind(d)) {
    case 'b': lua_pushboolean(L, v->i != 0); break;
    case 'f': lua_pushnumber(L, v->f); break;
    case 'c': push_complex(L, s, v->c); break;
    default: lua_pushinteger(L, v->i);
    }
}

void lt_push_result(lua_State *L, LtState *s, ThArray *a, bool keep_array) {
    if (a && !keep_array && th_array_ndim(a) == 0) {
        ThValue v;
        ThDtype d = th_array_dtype(a);
        int bad = th_array_get(a, NULL, &v);
        th_array_release(a);
        LT_CHECK(L, s, !bad);
        lt_push_element(L, s, d, &v);
    } else lt_push_array(L, s, a);
}

/* {dtype = "int8"} at i, in place of the name alone: the name takes its place. */
static void dtype_keyword(lua_State *L, int i) {
    for (lua_pushnil(L); lua_next(L, i); lua_pop(L, 1)) {
        if (strcmp(lua_tostring(L, -2), "dtype"))
            lt_error(L, TH_TypeError, "unknown keyword '%s' (known: dtype)", lua_tostring(L, -2));
        if (lua_istable(L, -1)) lt_error(L, TH_TypeError, "a dtype is a name such as \"float32\", not a table");
    }
    lua_getfield(L, i, "dtype");
    lua_replace(L, i);
}

ThDtype lt_dtype(lua_State *L, LtState *s, int i, ThDtype absent) {
    if (lua_isnoneornil(L, i)) return absent;
    if (lt_is_keywords(L, i)) dtype_keyword(L, i);
    if (lua_type(L, i) == LUA_TNUMBER)
        lt_error(L, TH_TypeError, "a dtype is a name such as \"float32\", not %s; lengths stand in one table: {2, 3}",
                 lua_tostring(L, i));
    const char *name = luaL_checkstring(L, i);
    if (!strcmp(name, "floatX")) name = th_config_get(s->ctx, "floatX");
    ThDtype d = th_dtype_from_name(name);
    if (d == TH_DTYPE_NONE)
        lt_error(
            L, TH_TypeError,
            "unknown dtype '%s' (bool, int8..int64, uint8..uint64, float16, bfloat16, float32, float64, complex64, "
            "complex128)",
            name);
    return d;
}

int lt_shape(lua_State *L, int i, int64_t shape[TH_MAX_NDIM]) {
    int whole = 0;
    shape[0] = lua_type(L, i) == LUA_TNUMBER ? lua_tointegerx(L, i, &whole) : 0;
    if (whole) return 1;
    if (lua_type(L, i) == LUA_TNUMBER)
        lt_error(L, TH_TypeError, "argument %d: a length is an integer, not %s", i,
                 lt_push_number(L, lua_tonumber(L, i)));
    if (!lua_istable(L, i))
        lt_error(L, TH_TypeError, "argument %d: a shape is a table of integers, got %s", i, luaL_typename(L, i));
    int n = lt_length_of(L, i, "the shape");
    if (n > TH_MAX_NDIM) lt_error(L, TH_ValueError, "a shape of %d dimensions: at most %d", n, TH_MAX_NDIM);
    for (int d = 0; d < n; d++) {
        int ok;
        lua_rawgeti(L, i, d + 1);
        shape[d] = lua_tointegerx(L, -1, &ok);
        if (!ok)
            lt_error(L, TH_TypeError, "a shape is a table of integers: entry %d is %s", d + 1,
                     lua_type(L, -1) == LUA_TNUMBER ? lt_push_number(L, lua_tonumber(L, -1)) : luaL_typename(L, -1));
        lua_pop(L, 1);
    }
    return n;
}

void lt_push_ints(lua_State *L, const int64_t *v, int n) {
    lua_createtable(L, n, 0);
    for (int i = 0; i < n; i++) {
        lua_pushinteger(L, v[i]);
        lua_rawseti(L, -2, i + 1);
    }
}

/* ---- from Lua values --------------------------------------------------------------------------------------------- */
typedef struct Nest {
    LtState *s;
    int tables;     /* levels of tables; below them arrays of one shape, or values */
    int ndim;       /* with the dims of these arrays */
    ThDtype arrays; /* what holds all of them, or TH_DTYPE_NONE */
    int64_t shape[TH_MAX_NDIM];
    bool any_float, any_int, any_bool, any_complex;
    ThArray *a;
    int64_t at[TH_MAX_NDIM];
} Nest;

static void find_shape(lua_State *L, int i, Nest *n) {
    luaL_checkstack(L, TH_MAX_NDIM + 8, "nested table");
    lua_pushvalue(L, i);
    while (lua_istable(L, -1)) {
        if (n->ndim == TH_MAX_NDIM)
            lt_error(L, TH_ValueError, "the nested table is deeper than %d levels", TH_MAX_NDIM);
        n->shape[n->ndim] = lt_length_of(L, -1, "the table");
        if (!n->shape[n->ndim++]) break;
        lua_rawgeti(L, -1, 1);
        lua_remove(L, -2);
    }
    n->tables = n->ndim;
    const ThArray *a = lt_array(L, n->s, -1);
    for (int d = 0; a && d < th_array_ndim(a); d++) {
        if (n->ndim == TH_MAX_NDIM) lt_error(L, TH_ValueError, "the nested table has more than %d dims", TH_MAX_NDIM);
        n->shape[n->ndim++] = th_array_shape(a)[d];
    }
    lua_pop(L, 1);
}

/* An array below the tables: all have one shape. */
static void scan_array(lua_State *L, Nest *n, const ThArray *a, const LtPlace *where) {
    char place[160];
    bool same = th_array_ndim(a) == n->ndim - n->tables;
    for (int d = n->tables; same && d < n->ndim; d++) same = th_array_shape(a)[d - n->tables] == n->shape[d];
    if (!same) {
        lt_describe(where, place, sizeof place);
        lt_error(L, TH_ValueError, "the nested table is ragged: %s is an array of another shape than the first", place);
    }
    n->arrays = n->arrays == TH_DTYPE_NONE ? th_array_dtype(a) : th_dtype_upcast(n->arrays, th_array_dtype(a));
}

static void scan_leaf(lua_State *L, Nest *n, const LtPlace *where) {
    char place[160];
    if (lua_isinteger(L, -1)) n->any_int = true;
    else if (lua_type(L, -1) == LUA_TNUMBER) n->any_float = true;
    else if (lua_isboolean(L, -1)) n->any_bool = true;
    else if (lt_test(L, n->s, -1, LT_COMPLEX)) n->any_complex = true;
    else {
        lt_describe(where, place, sizeof place);
        if (lt_test(L, n->s, -1, LT_VAR))
            lt_error(L, TH_TypeError, "%s is a symbolic Variable: use T.stack, or compile a function", place);
        lt_error(L, TH_TypeError, "%s is %s%s: an array is made of numbers, booleans and complex values", place,
                 lua_isnil(L, -1) ? "" : "a ", luaL_typename(L, -1));
    }
}

static void scan(lua_State *L, Nest *n, int depth, const LtPlace *where) { /* the value on top */
    if (depth == n->tables) {
        const ThArray *a = lt_array(L, n->s, -1);
        if (a) {
            scan_array(L, n, a, where);
            return;
        }
        if (lua_istable(L, -1)) lt_error(L, TH_ValueError, "the nested table is ragged at depth %d", depth);
        scan_leaf(L, n, where);
        if (n->ndim > n->tables)
            lt_error(L, TH_ValueError, "the nested table is ragged: a value stands beside an array");
        return;
    }
    if (!lua_istable(L, -1) || lt_length(L, -1, where) != n->shape[depth])
        lt_error(L, TH_ValueError, "the nested table is ragged: rows of depth %d differ in length (%d expected)", depth,
                 (int)n->shape[depth]);
    for (int64_t i = 1; i <= n->shape[depth]; i++) {
        lua_rawgeti(L, -1, i);
        scan(L, n, depth + 1, &(LtPlace){.in = where, .at = i});
        lua_pop(L, 1);
    }
}

/* A number that an array of integers cannot hold is an error, as in NumPy 2. Whole numbers of Lua stand for those of
 * uint64 too, whose upper half is negative in Lua. */
static void check_leaf(lua_State *L, ThDtype d, char kind, const ThValue *v) {
    const char letter = th_dtype_kind(d);
    if ((letter != 'i' && letter != 'u') || (kind != 'i' && kind != 'f')) return;
    const int bits = 8 * (int)th_dtype_bytes(d) - (letter == 'i');
    const double over = ldexp(1, bits), under = letter == 'i' ? -over : 0;
    bool inside = kind == 'f' ? v->f > under - 1 && v->f < over : true;
    if (kind == 'f' && letter == 'i' && bits == 63) inside = v->f >= under && v->f < over;
    if (kind == 'i' && bits < 63) inside = v->i >= (int64_t)under && v->i < (int64_t)over;
    if (inside) return;
    if (kind == 'f' && v->f != v->f) lt_error(L, TH_ValueError, "NaN is no %s", th_dtype_name(d));
    lua_pushvalue(L, -1);
    lt_error(L, TH_OverflowError, "the number %s is out of bounds for %s", lua_tostring(L, -1), th_dtype_name(d));
}

static void put_leaf(lua_State *L, Nest *n) {
    ThValue v;
    char kind = 'i';
    ThComplex128 *z;
    if (lua_isinteger(L, -1)) v.i = lua_tointeger(L, -1);
    else if (lua_isboolean(L, -1)) {
        v.i = lua_toboolean(L, -1);
        kind = 'b';
    } else if ((z = lt_test(L, n->s, -1, LT_COMPLEX))) {
        v.c = *z;
        kind = 'c';
    } else {
        v.f = lua_tonumber(L, -1);
        kind = 'f';
    }
    check_leaf(L, th_array_dtype(n->a), kind, &v);
    LT_CHECK(L, n->s, !th_array_set(n->a, n->at, kind, v));
}

static void put_array(lua_State *L, Nest *n, const ThArray *a) {
    int64_t offset = 0;
    for (int d = 0; d < n->tables; d++) offset += n->at[d] * th_array_strides(n->a)[d];
    ThArray *to =
        th_array_view(n->a, n->ndim - n->tables, n->shape + n->tables, th_array_strides(n->a) + n->tables, offset);
    LT_CHECK(L, n->s, to);
    int bad = th_array_assign(to, a);
    th_array_release(to);
    LT_CHECK(L, n->s, !bad);
}

static void put(lua_State *L, Nest *n, int depth) {
    if (depth == n->tables) {
        const ThArray *a = lt_array(L, n->s, -1);
        if (a) put_array(L, n, a);
        else put_leaf(L, n);
        return;
    }
    for (int64_t i = 0; i < n->shape[depth]; i++) {
        n->at[depth] = i;
        lua_rawgeti(L, -1, i + 1);
        put(L, n, depth + 1);
        lua_pop(L, 1);
    }
}

static ThDtype found_dtype(const Nest *n) {
    ThDtype d = n->any_complex ? TH_COMPLEX128
                : n->any_float ? TH_FLOAT64
                : n->any_int   ? TH_INT64
                : n->any_bool  ? TH_BOOL
                               : TH_DTYPE_NONE;
    if (n->arrays != TH_DTYPE_NONE) return d == TH_DTYPE_NONE ? n->arrays : th_dtype_upcast(d, n->arrays);
    return d == TH_DTYPE_NONE ? TH_FLOAT64 : d;
}

ThArray *lt_to_array(lua_State *L, LtState *s, int i, ThDtype d) {
    ThArray *a = lt_array(L, s, i);
    if (a) return d == TH_DTYPE_NONE || d == th_array_dtype(a) ? th_array_copy(a) : th_array_astype(a, d);
    Nest n = {.s = s, .arrays = TH_DTYPE_NONE};
    i = lua_absindex(L, i);
    if ((a = lt_plain_list(L, s, i, d))) return a;
    find_shape(L, i, &n);
    lua_pushvalue(L, i);
    scan(L, &n, 0, &(LtPlace){.name = lua_istable(L, i) ? "the table" : "the value"});
    n.a = th_array_zeros(s->ctx, d == TH_DTYPE_NONE ? found_dtype(&n) : d, n.ndim, n.shape);
    lt_push_array(L, s, n.a); /* anchored while the table is read */
    lua_insert(L, -2);
    put(L, &n, 0);
    lua_pop(L, 2);
    return th_array_retain(n.a);
}

/* Where there is {dtype =, device =, ndmin =} at 2: the dtype is put there, the device at 3, the least number of
 * dimensions at 4 (nil: none was asked for). */
static void options(lua_State *L) {
    lt_most(L, 2);
    lua_settop(L, 4);
    if (!lua_istable(L, 2)) return;
    for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1)) {
        const char *k = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "?";
        if (strcmp(k, "dtype") && strcmp(k, "device") && strcmp(k, "ndmin"))
            lt_error(L, TH_TypeError, "array: unknown keyword '%s'; known are dtype, device, ndmin", k);
    }
    lua_getfield(L, 2, "ndmin");
    lua_replace(L, 4);
    lua_getfield(L, 2, "device");
    lua_replace(L, 3);
    lua_getfield(L, 2, "dtype");
    lua_replace(L, 2);
}

static int placed(lua_State *L, LtState *s) { /* the array on top lives where 3 says */
    if (lua_isnil(L, 3)) return 1;
    lt_push_array(L, s, th_array_to_device(lt_check_array(L, s, -1), luaL_checkstring(L, 3)));
    return 1;
}

/* a with dimensions of length 1 in front, ndmin (at 4) in all; takes a. */
static ThArray *wide_enough(lua_State *L, ThArray *a) {
    int64_t shape[TH_MAX_NDIM];
    if (!a || lua_isnil(L, 4)) return a;
    lua_Integer least = lua_isinteger(L, 4) ? lua_tointeger(L, 4) : -1;
    int n = th_array_ndim(a);
    if (least < 0 || least > TH_MAX_NDIM) {
        th_array_release(a);
        lt_error(L, TH_ValueError, "array: ndmin is a number of dimensions from 0 to %d", TH_MAX_NDIM);
    }
    if (least <= n) return a;
    for (int d = 0; d < (int)least; d++) shape[d] = d < (int)least - n ? 1 : th_array_shape(a)[d - (int)least + n];
    ThArray *r = th_array_reshape(a, (int)least, shape);
    th_array_release(a);
    return r;
}

static int new_array(lua_State *L, LtState *s) {
    luaL_checkany(L, 1);
    lt_collect(L, s);
    lt_push_array(L, s, wide_enough(L, lt_to_array(L, s, 1, lt_dtype(L, s, 2, TH_DTYPE_NONE))));
    return placed(L, s);
}

static int array_new(lua_State *L) { /* array(value, dtype or {dtype =, device =}) */
    options(L);
    return new_array(L, LT_STATE(L));
}

static int array_asarray(lua_State *L) {
    LtState *s = LT_STATE(L);
    options(L);
    ThArray *a = lt_array(L, s, 1);
    ThDtype d = lt_dtype(L, s, 2, TH_DTYPE_NONE);
    if (!a || (d != TH_DTYPE_NONE && d != th_array_dtype(a))) return new_array(L, s);
    lua_pushvalue(L, 1);
    return placed(L, s);
}

static int array_empty(lua_State *L) { /* empty(shape, dtype); zeros */
    LtState *s = LT_STATE(L);
    lt_most(L, 2);
    int64_t shape[TH_MAX_NDIM];
    int n = lt_shape(L, 1, shape);
    ThDtype d = lt_dtype(L, s, 2, TH_FLOAT64);
    lt_collect(L, s);
    lt_push_array(L, s,
                  lua_toboolean(L, lua_upvalueindex(2)) ? th_array_zeros(s->ctx, d, n, shape)
                                                        : th_array_empty(s->ctx, d, n, shape));
    return 1;
}

/* ---- to Lua values ----------------------------------------------------------------------------------------------- */
static void store_floats(lua_State *L, const double *x, int64_t n) { /* into the table on top */
    const int table = lua_gettop(L);
    for (int64_t i = 0; i < n; i++) {
        lua_pushnumber(L, x[i]);
        lua_rawseti(L, table, i + 1);
    }
}

static void tolist(lua_State *L, LtState *s, ThArray *a, int depth, int64_t *at) {
    if (depth == th_array_ndim(a)) {
        ThValue v;
        LT_CHECK(L, s, !th_array_get(a, at, &v));
        lt_push_element(L, s, th_array_dtype(a), &v);
        return;
    }
    const int64_t n = th_array_shape(a)[depth];
    luaL_checkstack(L, 4, "tolist");
    lua_createtable(L, (int)(n < 1 << 28 ? n : 0), 0);
    if (depth == th_array_ndim(a) - 1 && th_array_dtype(a) == TH_FLOAT64 && th_array_contiguous(a) &&
        th_array_device(a) < 0 && th_array_data(a)) {
        int64_t from = 0;
        for (int d = 0; d < depth; d++) from = (from + at[d]) * th_array_shape(a)[d + 1];
        store_floats(L, (const double *)th_array_data(a) + from, n);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        at[depth] = i;
        tolist(L, s, a, depth + 1, at);
        lua_rawseti(L, -2, i + 1);
    }
}

static int array_tolist(lua_State *L) {
    LtState *s = LT_STATE(L);
    lt_most(L, 1);
    int64_t at[TH_MAX_NDIM] = {0};
    tolist(L, s, lt_check_array(L, s, 1), 0, at);
    return 1;
}

/* The element at a position of all elements in C order. */
static int item_at(lua_State *L, LtState *s, ThArray *a, int64_t i) {
    int64_t at[TH_MAX_NDIM] = {0}, size = th_array_size(a);
    if (i < -size || i >= size)
        return lt_error(L, TH_IndexError, "index %lld is out of bounds for size %lld", (long long)i, (long long)size);
    if (i < 0) i += size;
    for (int d = th_array_ndim(a) - 1; d >= 0; d--) {
        at[d] = i % th_array_shape(a)[d];
        i /= th_array_shape(a)[d];
    }
    ThValue v;
    LT_CHECK(L, s, !th_array_get(a, at, &v));
    lt_push_element(L, s, th_array_dtype(a), &v);
    return 1;
}

static int array_item(lua_State *L) { /* item() of a single element, item(i, j, ..) */
    LtState *s = LT_STATE(L);
    ThArray *a = lt_check_array(L, s, 1);
    int n = lua_gettop(L) - 1, nd = th_array_ndim(a);
    int64_t at[TH_MAX_NDIM] = {0};
    if (n == 0 && th_array_size(a) != 1)
        return lt_error(L, TH_ValueError, "item() needs an array of one element, this one has %lld",
                        (long long)th_array_size(a));
    if (n == 1 && nd != 1) return item_at(L, s, a, luaL_checkinteger(L, 2));
    if (n != 0 && n != nd)
        return lt_error(L, TH_IndexError, "item takes no position, one of all elements, or %d, got %d", nd, n);
    for (int d = 0; d < n; d++) {
        int64_t len = th_array_shape(a)[d], i = luaL_checkinteger(L, d + 2);
        if (i < -len || i >= len)
            return lt_error(L, TH_IndexError, "index %lld is out of bounds for axis %d with size %lld", (long long)i, d,
                            (long long)len);
        at[d] = i < 0 ? i + len : i;
    }
    ThValue v;
    LT_CHECK(L, s, !th_array_get(a, at, &v));
    lt_push_element(L, s, th_array_dtype(a), &v);
    return 1;
}

static int array_bytes(lua_State *L) { /* raw bytes in C order */
    LtState *s = LT_STATE(L);
    lt_most(L, 1);
    ThArray *a = th_array_copy(lt_check_array(L, s, 1));
    lt_push_array(L, s, a);
    lua_pushlstring(L, th_array_data(a), (size_t)th_array_size(a) * th_dtype_bytes(th_array_dtype(a)));
    return 1;
}

static int array_frombuffer(lua_State *L) { /* frombuffer(bytes, dtype): 1-d copy */
    LtState *s = LT_STATE(L);
    lt_most(L, 2);
    size_t n;
    const char *p = luaL_checklstring(L, 1, &n);
    ThDtype d = lt_dtype(L, s, 2, TH_FLOAT64);
    size_t item = th_dtype_bytes(d);
    if (n % item)
        return lt_error(L, TH_ValueError, "%d bytes are no whole number of %s elements", (int)n, th_dtype_name(d));
    int64_t shape = (int64_t)(n / item);
    lt_collect(L, s);
    ThArray *a = th_array_empty(s->ctx, d, 1, &shape);
    lt_push_array(L, s, a);
    if (n) memcpy(th_array_data(a), p, n);
    return 1;
}

/* ---- copies and views -------------------------------------------------------------------------------------------- */
static int array_copy(lua_State *L) {
    LtState *s = LT_STATE(L);
    lt_most(L, 1);
    lt_collect(L, s);
    lt_push_array(L, s, th_array_copy(lt_check_array(L, s, 1)));
    return 1;
}

static int array_astype(lua_State *L) {
    LtState *s = LT_STATE(L);
    lt_most(L, 2);
    ThArray *a = lt_check_array(L, s, 1);
    luaL_checkany(L, 2);
    lt_collect(L, s);
    lt_push_array(L, s, th_array_astype(a, lt_dtype(L, s, 2, th_array_dtype(a))));
    return 1;
}

static int array_reshape(lua_State *L) { /* reshape({2, -1}) or reshape(2, -1) */
    LtState *s = LT_STATE(L);
    ThArray *a = lt_check_array(L, s, 1);
    int64_t shape[TH_MAX_NDIM];
    int n = lua_gettop(L) - 1;
    if (n == 1 && lua_istable(L, 2)) n = lt_shape(L, 2, shape);
    else {
        if (n > TH_MAX_NDIM) return lt_error(L, TH_ValueError, "a shape of %d dimensions: at most %d", n, TH_MAX_NDIM);
        for (int i = 0; i < n; i++) shape[i] = luaL_checkinteger(L, i + 2);
    }
    lt_push_array(L, s, th_array_reshape(a, n, shape));
    return 1;
}

static int array_transpose(lua_State *L) { /* transpose(), transpose(1, 0), transpose({1, 0}) */
    LtState *s = LT_STATE(L);
    ThArray *a = lt_check_array(L, s, 1);
    int nd = th_array_ndim(a), perm[TH_MAX_NDIM], n = lua_gettop(L) - 1;
    int64_t given[TH_MAX_NDIM] = {0};
    if (n == 1 && lua_istable(L, 2)) n = lt_shape(L, 2, given);
    else
        for (int i = 0; i < n && i < TH_MAX_NDIM; i++) given[i] = luaL_checkinteger(L, i + 2);
    if (n != 0 && n != nd) return lt_error(L, TH_ValueError, "transpose of %d axes: the array has %d", n, nd);
    uint32_t seen = 0;
    for (int d = 0; d < nd; d++) {
        int64_t p = n ? (given[d] < 0 ? given[d] + nd : given[d]) : nd - 1 - d;
        if (p < 0 || p >= nd || (seen >> p) & 1)
            return lt_error(L, TH_ValueError, "transpose: axes are no permutation of 0..%d", nd - 1);
        seen |= 1u << p;
        perm[d] = (int)p;
    }
    lt_push_array(L, s, th_array_transpose(a, nd, perm));
    return 1;
}

static int array_assign(lua_State *L) { /* assign(dst, value): broadcasts and casts */
    LtState *s = LT_STATE(L);
    lt_most(L, 2);
    ThArray *a = lt_check_array(L, s, 1), *v = lt_array(L, s, 2);
    if (v) th_array_retain(v);
    else v = lt_to_array(L, s, 2, lt_held_dtype(a));
    LT_CHECK(L, s, v);
    int bad = th_array_assign(a, v);
    th_array_release(v);
    LT_CHECK(L, s, !bad);
    lua_settop(L, 1);
    return 1;
}

static int array_equal(lua_State *L) { /* of whatever makes arrays */
    LtState *s = LT_STATE(L);
    lt_most(L, 2);
    for (int i = 1; i <= 2; i++) {
        if (lt_array(L, s, i)) continue;
        luaL_checkany(L, i);
        lt_push_array(L, s, lt_to_array(L, s, i, TH_DTYPE_NONE));
        lua_replace(L, i);
    }
    bool equal = th_array_equal(lt_check_array(L, s, 1), lt_check_array(L, s, 2));
    LT_CHECK(L, s, equal || th_error(s->ctx) == TH_OK); /* freed arrays compare with nothing */
    lua_pushboolean(L, equal);
    return 1;
}

static int array_shares(lua_State *L) {
    LtState *s = LT_STATE(L);
    lt_most(L, 2);
    lua_pushboolean(L, th_array_shares_memory(lt_check_array(L, s, 1), lt_check_array(L, s, 2)));
    return 1;
}

static int array_protect(lua_State *L) { /* protect(): read-only from now on */
    lt_most(L, 1);
    th_array_protect(lt_check_array(L, LT_STATE(L), 1));
    lua_settop(L, 1);
    return 1;
}

static int array_ramp(lua_State *L) { /* ramp(n, start, step): int64 when both are integers */
    LtState *s = LT_STATE(L);
    bool whole = lua_isinteger(L, 2) && lua_isinteger(L, 3);
    ThValue start, step;
    if (whole) start.i = lua_tointeger(L, 2), step.i = lua_tointeger(L, 3);
    else start.f = luaL_checknumber(L, 2), step.f = luaL_checknumber(L, 3);
    lt_collect(L, s);
    lt_push_array(L, s, th_array_ramp(s->ctx, whole ? TH_INT64 : TH_FLOAT64, luaL_checkinteger(L, 1), start, step));
    return 1;
}

static int array_filter(lua_State *L) { /* filtered(b, a, x, state): the state is overwritten */
    LtState *s = LT_STATE(L);
    lt_push_array(L, s,
                  th_array_filter(s->ctx, lt_check_array(L, s, 1), lt_check_array(L, s, 2), lt_check_array(L, s, 3),
                                  lt_check_array(L, s, 4)));
    return 1;
}

static int array_tridiagonal(lua_State *L) { /* tridiagonal(diagonals, right) */
    LtState *s = LT_STATE(L);
    lt_push_array(L, s, th_array_tridiagonal(s->ctx, lt_check_array(L, s, 1), lt_check_array(L, s, 2)));
    return 1;
}

/* Attributes by name: pushed, or 0 when there is none. Used by __index. */
static int attribute(lua_State *L) {
    LtState *s = LT_STATE(L);
    ThArray *a = lt_check_array(L, s, 1);
    const char *k = luaL_checkstring(L, 2);
    int nd = th_array_ndim(a);
    if (!strcmp(k, "shape")) lt_push_ints(L, th_array_shape(a), nd);
    else if (!strcmp(k, "strides")) lt_push_ints(L, th_array_strides(a), nd);
    else if (!strcmp(k, "dtype")) lua_pushstring(L, th_dtype_name(th_array_dtype(a)));
    else if (!strcmp(k, "ndim")) lua_pushinteger(L, nd);
    else if (!strcmp(k, "size")) lua_pushinteger(L, th_array_size(a));
    else if (!strcmp(k, "itemsize")) lua_pushinteger(L, (lua_Integer)th_dtype_bytes(th_array_dtype(a)));
    else if (!strcmp(k, "nbytes"))
        lua_pushinteger(L, th_array_size(a) * (lua_Integer)th_dtype_bytes(th_array_dtype(a)));
    else if (!strcmp(k, "device")) {
        int d = th_array_device(a);
        if (d < 0) lua_pushliteral(L, "cpu");
        else lua_pushfstring(L, "cuda:%d", d);
    } else if (!strcmp(k, "flags")) {
        lua_createtable(L, 0, 4);
        lua_pushboolean(L, th_array_owns_data(a));
        lua_setfield(L, -2, "owndata");
        lua_pushboolean(L, th_array_contiguous(a));
        lua_setfield(L, -2, "c_contiguous");
        lua_pushboolean(L, th_array_fortran(a));
        lua_setfield(L, -2, "f_contiguous");
        lua_pushboolean(L, th_array_writeable(a));
        lua_setfield(L, -2, "writeable");
    } else return 0;
    return 1;
}

/* ---- complex values ---------------------------------------------------------------------------------------------- */
static int complex_new(lua_State *L) {
    lt_most(L, 2);
    ThComplex128 z = {luaL_checknumber(L, 1), luaL_optnumber(L, 2, 0)};
    push_complex(L, LT_STATE(L), z);
    return 1;
}

static int complex_index(lua_State *L) {
    ThComplex128 *z = lua_touserdata(L, 1);
    const char *k = luaL_checkstring(L, 2);
    if (!strcmp(k, "real")) lua_pushnumber(L, z->re);
    else if (!strcmp(k, "imag")) lua_pushnumber(L, z->im);
    else return lt_error(L, TH_AttributeError, "a complex value has the fields real and imag, not '%s'", k);
    return 1;
}

static int complex_eq(lua_State *L) {
    LtState *s = LT_STATE(L);
    ThComplex128 *x = lt_test(L, s, 1, LT_COMPLEX), *y = lt_test(L, s, 2, LT_COMPLEX);
    lua_pushboolean(L, x && y && x->re == y->re && x->im == y->im);
    return 1;
}

static int complex_tostring(lua_State *L) {
    ThComplex128 *z = lua_touserdata(L, 1);
    lua_pushfstring(L, "(%s%s%sj)", lt_push_number(L, z->re), z->im >= 0 || z->im != z->im ? "+" : "",
                    lt_push_number(L, z->im));
    return 1;
}

void lt_open_array(lua_State *L, LtState *s) {
    static const luaL_Reg meta[] = {
        {"__gc", lt_array_gc}, {"__close", array_free}, {"__tostring", array_tostring}, {NULL, NULL}};
    watch(L, s);
    lt_new_meta(L, s, LT_ARRAY, "ndarray", meta + (s->pool != NULL));
    lua_setfield(L, -2, "ndarray_meta");
    static const luaL_Reg zmeta[] = {
        {"__index", complex_index}, {"__eq", complex_eq}, {"__tostring", complex_tostring}, {NULL, NULL}};
    lt_new_meta(L, s, LT_COMPLEX, "complex", zmeta);
    lua_setfield(L, -2, "complex_meta");
    static const luaL_Reg fns[] = {
        {"array", array_new},           {"asarray", array_asarray},         {"frombuffer", array_frombuffer},
        {"complex", complex_new},       {"array_equal", array_equal},       {"shares_memory", array_shares},
        {"array_attribute", attribute}, {"array_repr", array_repr},         {"ramp", array_ramp},
        {"filtered", array_filter},     {"tridiagonal", array_tridiagonal}, {NULL, NULL}};
    lt_register(L, s, fns);
    for (int zero = 0; zero < 2; zero++) {
        lua_pushlightuserdata(L, s);
        lua_pushboolean(L, zero);
        lua_pushcclosure(L, array_empty, 2);
        lua_setfield(L, -2, zero ? "zeros" : "empty");
    }
    static const luaL_Reg methods[] = {{"tolist", array_tolist},   {"item", array_item},
                                       {"copy", array_copy},       {"astype", array_astype},
                                       {"reshape", array_reshape}, {"transpose", array_transpose},
                                       {"assign", array_assign},   {"fill", array_assign},
                                       {"free", array_free},       {"tostring", array_bytes},
                                       {"tobytes", array_bytes},   {"bytes", array_bytes},
                                       {"protect", array_protect}, {NULL, NULL}};
    lua_newtable(L);
    lt_register(L, s, methods);
    lua_setfield(L, -2, "array_methods");
}
