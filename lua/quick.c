/*
 * quick.c -- what most subscripts and attributes of arrays are, without a graph, a list of arguments or a Lua function:
 * integers, slices, one array of positions or one mask, fields and methods. In: an array and a key. Out: its value, or
 * the call of the Lua function that knows all keys and says what is wrong with one. Always holds: nothing but
 * want of memory raises here, nothing is written before every position was checked.
 */
#include "short.h"

#include <string.h>

static bool on_host(const ThArray *a) { return th_array_device(a) < 0; }

/* ---- elements and rows ------------------------------------------------------------------------------------------- */
static bool wrap(int64_t *i, int64_t n) {
    if (*i < 0) *i += n;
    return *i >= 0 && *i < n;
}

static bool push_place(lua_State *L, LtState *s, ThArray *a, const int64_t *index) {
    ThValue v;
    if (th_array_get(a, index, &v)) return th_error_clear(s->ctx), false; /* it was freed: the long way says so */
    lt_push_element(L, s, th_array_dtype(a), &v);
    return true;
}

/* An array of get's own; raises when it is NULL. */
static void push_fresh(lua_State *L, LtState *s, ThArray *a) {
    LT_CHECK(L, s, a);
    lt_collect_between(L, s);
    lt_push_fresh(L, s, a, lua_upvalueindex(5));
}

static bool push_view(lua_State *L, LtState *s, ThArray *a, int ndim, const int64_t *shape, const int64_t *strides,
                      int64_t offset) {
    ThArray *v = th_array_view(a, ndim, shape, strides, offset);
    if (!v) return th_error_clear(s->ctx), false;
    if (ndim == 0) lt_push_result(L, s, v, false);
    else push_fresh(L, s, v);
    return true;
}

static bool push_integer(lua_State *L, LtState *s, ThArray *a, int64_t i) {
    int nd = th_array_ndim(a);
    const int64_t *shape = th_array_shape(a), *strides = th_array_strides(a);
    if (nd == 0 || !wrap(&i, shape[0])) return false;
    if (nd == 1) return push_place(L, s, a, &i);
    return push_view(L, s, a, nd - 1, shape + 1, strides + 1, i * strides[0]);
}

/* ---- slices as text ---------------------------------------------------------------------------------------------- */
typedef struct Cut { /* of one dimension: an integer (colons 0) or bounds that may be left out */
    int64_t at[3];
    bool given[3];
    int colons;
} Cut;

static const char *blank(const char *p) {
    while (*p == ' ') p++;
    return p;
}

/* Integers of up to 17 digits and colons: text up to a comma or the end; NULL: something else. */
static const char *read_cut(const char *p, Cut *c) {
    *c = (Cut){0};
    for (p = blank(p);;) {
        bool negative = *p == '-';
        const char *digit = p += negative;
        int64_t v = 0;
        while (*p >= '0' && *p <= '9' && p - digit < 18) v = 10 * v + (*p++ - '0');
        if (p - digit > 17 || (negative && p == digit)) return NULL;
        if (p > digit) c->at[c->colons] = negative ? -v : v, c->given[c->colons] = true;
        p = blank(p);
        if (*p != ':') break;
        if (++c->colons == 3) return NULL;
        p = blank(p + 1);
    }
    return (*p == ',' || *p == 0) && (c->colons || c->given[0]) ? p : NULL;
}

typedef struct Seen { /* a view as it grows */
    int ndim;
    int64_t shape[TH_MAX_NDIM], strides[TH_MAX_NDIM], offset;
} Seen;

static int64_t bound(const Cut *c, int which, int64_t n, int64_t absent, int64_t low, int64_t high) {
    if (!c->given[which]) return absent;
    int64_t v = c->at[which] < 0 ? c->at[which] + n : c->at[which];
    return v < low ? low : v > high ? high : v;
}

static bool take_cut(const Cut *c, int64_t n, int64_t stride, Seen *v) {
    int64_t i = c->at[0], step = c->given[2] ? c->at[2] : 1;
    if (!c->colons) return wrap(&i, n) && (v->offset += i * stride, true);
    if (step == 0) return false;
    int64_t low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1;
    int64_t start = bound(c, 0, n, step > 0 ? 0 : n - 1, low, high);
    int64_t stop = bound(c, 1, n, step > 0 ? n : -1, low, high);
    int64_t way = step > 0 ? stop - start : start - stop, each = step > 0 ? step : -step;
    int64_t len = way > 0 ? (way - 1) / each + 1 : 0;
    if (len) v->offset += start * stride;
    v->shape[v->ndim] = len;
    v->strides[v->ndim++] = len > 1 ? stride * step : stride;
    return true;
}

/* One entry of a list: an integer, which goes into *index too, or a slice. */
static bool take_entry(lua_State *L, int type, int64_t n, int64_t stride, int64_t *index, Seen *v) {
    Cut c;
    if (type == LUA_TNUMBER) {
        *index = lua_tointeger(L, -1);
        return lua_isinteger(L, -1) && wrap(index, n) && (v->offset += *index * stride, true);
    }
    const char *end = type == LUA_TSTRING ? read_cut(lua_tostring(L, -1), &c) : NULL;
    return end && !*end && take_cut(&c, n, stride, v);
}

/* {"1:", 2, ..}: an integer or a slice for each of the first dimensions; integers for all of them are an element. */
static bool push_parts(lua_State *L, LtState *s, ThArray *a) {
    Seen v;
    int64_t index[TH_MAX_NDIM];
    const int nd = th_array_ndim(a);
    const int64_t *shape = th_array_shape(a), *strides = th_array_strides(a);
    int d = 0;
    v.ndim = 0, v.offset = 0;
    if (lua_getmetatable(L, 2)) return lua_pop(L, 1), false;
    for (; d < nd; d++) { /* entries stay on the stack, a few */
        if (d % 8 == 7) lua_settop(L, 2);
        const int type = lua_rawgeti(L, 2, d + 1);
        if (type == LUA_TNIL && d > 0) break;
        if (!take_entry(L, type, shape[d], strides[d], &index[d], &v)) return lua_settop(L, 2), false;
    }
    if (d == 0) return false;
    lua_pushinteger(L, d); /* the list is all there is, and lies in order: nothing comes behind its last one */
    if (lua_next(L, 2)) return lua_settop(L, 2), false;
    if (v.ndim == 0 && d == nd) return push_place(L, s, a, index);
    for (; d < nd; d++) v.shape[v.ndim] = shape[d], v.strides[v.ndim++] = strides[d];
    return push_view(L, s, a, v.ndim, v.shape, v.strides, v.offset);
}

static bool push_slices(lua_State *L, LtState *s, ThArray *a, const char *text) {
    Seen v;
    int nd = th_array_ndim(a), d = 0;
    v.ndim = 0, v.offset = 0;
    const int64_t *shape = th_array_shape(a), *strides = th_array_strides(a);
    for (Cut c; d < nd; d++) {
        if (!(text = read_cut(text, &c)) || !take_cut(&c, shape[d], strides[d], &v)) return false;
        if (!*text) break;
        text = blank(text + 1);
        if (!*text) break;
    }
    if (*text) return false;
    for (d++; d < nd; d++) v.shape[v.ndim] = shape[d], v.strides[v.ndim++] = strides[d];
    return push_view(L, s, a, v.ndim, v.shape, v.strides, v.offset);
}

/* ---- positions and masks ----------------------------------------------------------------------------------------- */
/* Its elements where they lie one behind the other on the host, else NULL. */
static void *line_of(const ThArray *a) { return th_array_contiguous(a) && on_host(a) ? th_array_data(a) : NULL; }
static bool dense(const ThArray *a) { return line_of(a) != NULL; }

/* Rows of a, as bytes: what one position along the first axis has. */
static size_t row_bytes(const ThArray *a) {
    size_t n = th_dtype_bytes(th_array_dtype(a));
    for (int d = 1; d < th_array_ndim(a); d++) n *= (size_t)th_array_shape(a)[d];
    return n;
}

static bool is_positions(const ThArray *a, const ThArray *at) {
    return th_array_dtype(at) == TH_INT64 && dense(at) && th_array_ndim(a) > 0;
}

static bool all_inside(const int64_t *at, int64_t count, int64_t n) {
    uint64_t bad = 0; /* a sign where one is outside */
    for (int64_t i = 0; i < count; i++) bad |= ((uint64_t)at[i] + (uint64_t)n) | ((uint64_t)(n - 1) - (uint64_t)at[i]);
    return bad >> 63 == 0;
}

#define EACH(T, to, from) \
    for (int64_t i = 0; i < count; i++) { \
        int64_t j = at[i] + (at[i] < 0 ? n : 0); \
        memcpy(to, from, sizeof(T)); \
    }
static void gather(char *d, const char *a, const int64_t *at, int64_t count, int64_t n, size_t bytes) {
    switch (bytes) {
    case 1: EACH(uint8_t, d + i, a + j) break;
    case 4: EACH(uint32_t, d + i * 4, a + j * 4) break;
    case 8: EACH(uint64_t, d + i * 8, a + j * 8) break;
    default:
        for (int64_t i = 0; i < count; i++)
            memcpy(d + (size_t)i * bytes, a + (size_t)(at[i] + (at[i] < 0 ? n : 0)) * bytes, bytes);
    }
}

static void scatter(char *a, const char *v, const int64_t *at, int64_t count, int64_t n, size_t bytes) {
    switch (bytes) {
    case 1: EACH(uint8_t, a + j, v + i) break;
    case 4: EACH(uint32_t, a + j * 4, v + i * 4) break;
    case 8: EACH(uint64_t, a + j * 8, v + i * 8) break;
    default:
        for (int64_t i = 0; i < count; i++)
            memcpy(a + (size_t)(at[i] + (at[i] < 0 ? n : 0)) * bytes, v + (size_t)i * bytes, bytes);
    }
}

static bool push_positions(lua_State *L, LtState *s, ThArray *a, ThArray *at) {
    int64_t shape[2 * TH_MAX_NDIM];
    const int nd = th_array_ndim(at), rest = th_array_ndim(a) - 1;
    if (th_array_dtype(at) != TH_INT64 || nd == 0 || rest < 0 || nd + rest > TH_MAX_NDIM) return false;
    const int64_t *p = line_of(at), *lengths = th_array_shape(a), *few = th_array_shape(at);
    const char *from = p ? line_of(a) : NULL;
    const int64_t n = lengths[0], count = th_array_size(at);
    if (!from || !all_inside(p, count, n)) return false;
    const ThDtype d = th_array_dtype(a);
    size_t bytes = th_dtype_bytes(d); /* of what one position along the first axis has */
    for (int k = 0; k < nd; k++) shape[k] = few[k];
    for (int k = 1; k <= rest; k++) bytes *= (size_t)(shape[nd + k - 1] = lengths[k]);
    ThArray *r = th_array_empty(s->ctx, d, nd + rest, shape);
    push_fresh(L, s, r);
    if (bytes) gather(th_array_data(r), from, p, count, n, bytes);
    return true;
}

/* {i, j}: two vectors of positions in a matrix. */
static bool push_pairs(lua_State *L, LtState *s, ThArray *a) {
    if (th_array_ndim(a) != 2 || !dense(a) || lua_rawlen(L, 2) != 2) return false;
    if (lua_getmetatable(L, 2)) return lua_pop(L, 1), false;
    lua_rawgeti(L, 2, 1);
    lua_rawgeti(L, 2, 2);
    ThArray *at[2] = {lt_array(L, s, -2), lt_array(L, s, -1)};
    lua_pop(L, 2); /* the table holds them */
    int keys = 0;
    for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1)) keys++;
    if (keys != 2 || !at[0] || !at[1] || !is_positions(a, at[0]) || !is_positions(a, at[1])) return false;
    const int64_t count = th_array_size(at[0]), *shape = th_array_shape(a);
    if (th_array_ndim(at[0]) != 1 || th_array_ndim(at[1]) != 1 || th_array_size(at[1]) != count) return false;
    const int64_t *i = th_array_data(at[0]), *j = th_array_data(at[1]);
    if (!all_inside(i, count, shape[0]) || !all_inside(j, count, shape[1])) return false;
    ThArray *r = th_array_empty(s->ctx, th_array_dtype(a), 1, &count);
    push_fresh(L, s, r);
    const size_t bytes = th_dtype_bytes(th_array_dtype(a));
    const char *from = th_array_data(a);
    char *to = th_array_data(r);
    for (int64_t k = 0; k < count; k++, to += bytes) {
        const int64_t row = i[k] + (i[k] < 0 ? shape[0] : 0), column = j[k] + (j[k] < 0 ? shape[1] : 0);
        const char *p = from + (size_t)(row * shape[1] + column) * bytes;
        if (bytes == 8) memcpy(to, p, 8);
        else memcpy(to, p, bytes);
    }
    return true;
}

/* A mask of all dimensions of a. */
static bool is_mask(const ThArray *a, const ThArray *mask) {
    int nd = th_array_ndim(a);
    return th_array_dtype(mask) == TH_BOOL && nd > 0 && th_array_ndim(mask) == nd && dense(mask) &&
           !memcmp(th_array_shape(a), th_array_shape(mask), sizeof(int64_t) * (size_t)nd);
}

/* Without branches: each element is written, and stays where the mask holds; the last true one is the last written. */
#define KEEP(T) \
    for (int64_t i = 0; k < count; i++) { \
        memcpy(d + k * (int64_t)sizeof(T), a + i * (int64_t)sizeof(T), sizeof(T)); \
        k += m[i] != 0; \
    }
static void keep(char *d, const char *a, const uint8_t *m, int64_t count, size_t bytes) {
    int64_t k = 0;
    switch (bytes) {
    case 1: KEEP(uint8_t) break;
    case 2: KEEP(uint16_t) break;
    case 4: KEEP(uint32_t) break;
    case 8: KEEP(uint64_t) break;
    default: KEEP(ThComplex128)
    }
}

static bool push_masked(lua_State *L, LtState *s, ThArray *a, ThArray *mask) {
    if (!is_mask(a, mask) || !dense(a)) return false;
    const uint8_t *m = th_array_data(mask);
    int64_t count = short_trues(m, th_array_size(mask));
    ThArray *r = th_array_empty(s->ctx, th_array_dtype(a), 1, &count);
    push_fresh(L, s, r);
    keep(th_array_data(r), th_array_data(a), m, count, th_dtype_bytes(th_array_dtype(a)));
    return true;
}

static bool push_array_key(lua_State *L, LtState *s, ThArray *a) {
    ThArray *key = lt_array(L, s, 2);
    if (!key) return false;
    lt_collect(L, s);
    return th_array_dtype(key) == TH_BOOL ? push_masked(L, s, a, key) : push_positions(L, s, a, key);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */
/* A number as an element of a's dtype, where that is what it is. */
static bool cell_of(lua_State *L, const ThArray *a, char *cell) {
    ThDtype d = th_array_dtype(a);
    double f = lua_tonumber(L, 3);
    int64_t i = lua_tointeger(L, 3);
    float single = (float)f;
    if (lua_type(L, 3) != LUA_TNUMBER || (d != TH_FLOAT64 && d != TH_FLOAT32 && d != TH_INT64)) return false;
    if (d == TH_INT64 && !lua_isinteger(L, 3)) return false;
    memcpy(cell, d == TH_FLOAT64 ? (void *)&f : d == TH_INT64 ? (void *)&i : (void *)&single, th_dtype_bytes(d));
    return true;
}

#define PUT(T) \
    { \
        T x; \
        memcpy(&x, cell, sizeof x); \
        for (int64_t i = 0; i < count; i++) \
            memcpy(a + (at[i] + (at[i] < 0 ? n : 0)) * (int64_t)sizeof x, &x, sizeof x); \
    }
#define MASK(T) \
    { \
        T x, *p = (T *)(void *)a; \
        memcpy(&x, cell, sizeof x); \
        for (int64_t i = 0; i < count; i++) { /* without branches */ \
            const T all = (T)(0 - (T)(m[i] != 0)); \
            p[i] = (p[i] & ~all) | (x & all); \
        } \
    }

static bool fill_positions(lua_State *L, ThArray *to, const int64_t *at, int64_t count, int64_t n) {
    char cell[16], *a = th_array_data(to);
    if (th_array_ndim(to) != 1 || !cell_of(L, to, cell)) return false;
    if (th_dtype_bytes(th_array_dtype(to)) == 8) PUT(uint64_t)
    else PUT(uint32_t)
    return true;
}

/* a[at] = value: a number, or rows of the same dtype, one for each position. */
static bool set_positions(lua_State *L, LtState *s, ThArray *a, ThArray *at) {
    ThArray *v = lt_array(L, s, 3);
    int64_t n = th_array_ndim(a) ? th_array_shape(a)[0] : 0, count = th_array_size(at);
    int nd = th_array_ndim(at), rest = th_array_ndim(a) - 1;
    if (!is_positions(a, at) || !dense(a) || th_array_shares_memory(a, at)) return false;
    const int64_t *p = th_array_data(at);
    if (!all_inside(p, count, n)) return false;
    if (!v) return fill_positions(L, a, p, count, n);
    if (th_array_dtype(v) != th_array_dtype(a) || th_array_ndim(v) != nd + rest || !dense(v)) return false;
    if (memcmp(th_array_shape(v), th_array_shape(at), sizeof(int64_t) * (size_t)nd) ||
        memcmp(th_array_shape(v) + nd, th_array_shape(a) + 1, sizeof(int64_t) * (size_t)rest) ||
        th_array_shares_memory(a, v))
        return false;
    if (th_array_size(v)) scatter(th_array_data(a), th_array_data(v), p, count, n, row_bytes(a));
    return true;
}

/* a[mask] = number. */
static bool set_masked(lua_State *L, ThArray *to, ThArray *mask) {
    char cell[16];
    if (!is_mask(to, mask) || !dense(to) || th_array_shares_memory(to, mask) || !cell_of(L, to, cell)) return false;
    char *a = th_array_data(to);
    const uint8_t *m = th_array_data(mask);
    int64_t count = th_array_size(mask);
    if (th_dtype_bytes(th_array_dtype(to)) == 8) MASK(uint64_t)
    else MASK(uint32_t)
    return true;
}

static bool set_element(lua_State *L, LtState *s, ThArray *a) {
    char cell[16];
    int64_t i = lua_tointeger(L, 2);
    ThValue v = {.f = lua_tonumber(L, 3)};
    if (th_array_ndim(a) != 1 || !wrap(&i, th_array_shape(a)[0]) || !cell_of(L, a, cell)) return false;
    if (th_array_dtype(a) == TH_INT64) v.i = lua_tointeger(L, 3);
    if (th_array_set(a, &i, th_array_dtype(a) == TH_INT64 ? 'i' : 'f', v)) return th_error_clear(s->ctx), false;
    return true;
}

/* a["1:5"] = number, of a vector. */
static bool set_slice(lua_State *L, ThArray *a) {
    Seen v;
    Cut c;
    v.ndim = 0, v.offset = 0;
    char cell[16], *to = th_array_data(a);
    if (th_array_ndim(a) != 1 || !on_host(a) || !to || !cell_of(L, a, cell)) return false;
    const char *end = read_cut(lua_tostring(L, 2), &c);
    if (!end || *end || !c.colons || !take_cut(&c, th_array_shape(a)[0], th_array_strides(a)[0], &v)) return false;
    const size_t bytes = th_dtype_bytes(th_array_dtype(a));
    to += v.offset;
    if (bytes == 8 && v.strides[0] == 8) {
        uint64_t one, *p = (uint64_t *)(void *)to;
        memcpy(&one, cell, 8);
        for (int64_t i = 0; i < v.shape[0]; i++) p[i] = one;
        return true;
    }
    for (int64_t i = 0; i < v.shape[0]; i++, to += v.strides[0]) {
        if (bytes == 8) memcpy(to, cell, 8);
        else memcpy(to, cell, 4);
    }
    return true;
}

static bool quick_set(lua_State *L, LtState *s, ThArray *a) {
    if (!th_array_writeable(a)) return false;
    if (lua_type(L, 2) == LUA_TSTRING) return set_slice(L, a);
    if (lua_isinteger(L, 2) && lua_type(L, 2) == LUA_TNUMBER) return set_element(L, s, a);
    ThArray *key = lua_type(L, 2) == LUA_TUSERDATA ? lt_array(L, s, 2) : NULL;
    if (!key) return false;
    return th_array_dtype(key) == TH_BOOL ? set_masked(L, a, key) : set_positions(L, s, a, key);
}

/* ---- the metamethods --------------------------------------------------------------------------------------------- */
/* A field that most code asks for; no method has such a name. */
static bool push_field(lua_State *L, LtState *s, ThArray *a, const char *k, size_t n) {
#define IS(name) (n == sizeof name - 1 && !memcmp(k, name, sizeof name - 1))
    if (IS("shape")) {
        lt_push_ints(L, th_array_shape(a), th_array_ndim(a));
        lua_pushvalue(L, lua_upvalueindex(4));
        lua_setmetatable(L, -2);
    } else if (IS("size")) lua_pushinteger(L, th_array_size(a));
    else if (IS("ndim")) lua_pushinteger(L, th_array_ndim(a));
    else if (IS("dtype")) lua_pushstring(L, th_dtype_name(th_array_dtype(a)));
    else if (IS("T")) {
        ThArray *t = th_array_transpose(a, 0, NULL);
        if (!t) return th_error_clear(s->ctx), false;
        push_fresh(L, s, t);
    } else return false;
#undef IS
    return true;
}

static bool push_named(lua_State *L, LtState *s, ThArray *a) {
    size_t n;
    const char *k = lua_tolstring(L, 2, &n);
    const bool letter = (*k >= 'a' && *k <= 'z') || (*k >= 'A' && *k <= 'Z') || *k == '_';
    if (!letter) return push_slices(L, s, a, k);
    if (push_field(L, s, a, k, n)) return true;
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(2)) != LUA_TNIL) return true;
    lua_pop(L, 1);
    return false;
}

static bool quick_get(lua_State *L, LtState *s, ThArray *a) {
    switch (lua_type(L, 2)) {
    case LUA_TSTRING: return push_named(L, s, a);
    case LUA_TNUMBER: return lua_isinteger(L, 2) && push_integer(L, s, a, lua_tointeger(L, 2));
    case LUA_TTABLE: return push_parts(L, s, a) || push_pairs(L, s, a);
    case LUA_TUSERDATA: return push_array_key(L, s, a);
    default: return false;
    }
}

/* Calls the function at an index with the arguments. */
static int long_way(lua_State *L, int function, int arguments, int results) {
    lua_settop(L, arguments);
    lua_pushvalue(L, function);
    lua_insert(L, 1);
    lua_call(L, arguments, results);
    return results;
}

static int get(lua_State *L) { /* upvalues: state, methods, the long way, metatables of shapes and of arrays */
    LtState *s = LT_STATE(L);
    ThArray *a = lt_array(L, s, 1);
    if (a && quick_get(L, s, a)) return 1;
    return long_way(L, lua_upvalueindex(3), 2, 1);
}

static int set(lua_State *L) { /* upvalues: state, the long way */
    LtState *s = LT_STATE(L);
    ThArray *a = lt_array(L, s, 1);
    if (a && quick_set(L, s, a)) return 0;
    return long_way(L, lua_upvalueindex(2), 3, 0);
}

/* Elements x of a vector become what they and v's make, one after the other; whole numbers wrap as words. */
enum { AT_ADD, AT_MULTIPLY, AT_MAXIMUM, AT_MINIMUM };
#define EACH_AT(T, becomes) \
    for (int64_t i = 0; i < count; i++) { \
        T *p = (T *)to + at[i] + (at[i] < 0 ? n : 0); \
        const T x = *p, y = ((const T *)from)[i]; \
        *p = becomes; \
    } \
    break;
#define DEF_AT(T, WORD) \
    static void at_##T(int how, int64_t count, int64_t n, void *to, const int64_t *at, const void *from) { \
        switch (how) { \
        case AT_ADD: EACH_AT(WORD, (WORD)(x + y)) \
        case AT_MULTIPLY: EACH_AT(WORD, (WORD)(x * y)) \
        case AT_MAXIMUM: EACH_AT(T, x >= y || x != x ? x : y) \
        default: EACH_AT(T, x <= y || x != x ? x : y) \
        } \
    }
DEF_AT(double, double)
DEF_AT(float, float)
DEF_AT(int64_t, uint64_t)

/* fold_at(a, at, v, how): elements of v go to those of a vector by addition, multiplication, or as the greater or the
 * smaller one, one after the other; whether that was possible. */
static int fold_at(lua_State *L) {
    static const char *const ways[] = {"add", "multiply", "maximum", "minimum", NULL};
    LtState *s = LT_STATE(L);
    ThArray *a = lt_check_array(L, s, 1), *places = lt_check_array(L, s, 2), *v = lt_check_array(L, s, 3);
    const int64_t n = th_array_size(a), count = th_array_size(places);
    const ThDtype d = th_array_dtype(a);
    bool fine = th_array_ndim(a) == 1 && dense(a) && th_array_writeable(a) && is_positions(a, places);
    fine = fine && dense(v) && th_array_dtype(v) == d && th_array_size(v) == count;
    fine = fine && !th_array_shares_memory(a, v) && !th_array_shares_memory(a, places);
    const int64_t *at = fine ? th_array_data(places) : NULL;
    fine = fine && (d == TH_FLOAT64 || d == TH_FLOAT32 || d == TH_INT64) && all_inside(at, count, n);
    const int how = luaL_checkoption(L, 4, NULL, ways);
    void (*each)(int, int64_t, int64_t, void *, const int64_t *, const void *) = d == TH_FLOAT64   ? at_double
                                                                                 : d == TH_FLOAT32 ? at_float
                                                                                                   : at_int64_t;
    if (fine) each(how, count, n, th_array_data(a), at, th_array_data(v));
    lua_pushboolean(L, fine);
    return 1;
}

/* quick_index(methods, get, metatable of shapes, set): __index and __newindex of arrays, which call get and set with
 * the array, the key and the value where they know no shorter way. */
static int quick_index(lua_State *L) {
    LtState *s = LT_STATE(L);
    lua_settop(L, 4);
    lua_pushlightuserdata(L, s);
    for (int i = 1; i <= 3; i++) lua_pushvalue(L, i);
    lua_rawgeti(L, LUA_REGISTRYINDEX, s->meta_ref[LT_ARRAY]);
    lua_pushcclosure(L, get, 5);
    lua_pushlightuserdata(L, s);
    lua_pushvalue(L, 4);
    lua_pushcclosure(L, set, 2);
    return 2;
}

void lt_open_quick(lua_State *L, LtState *s) {
    static const luaL_Reg fns[] = {{"quick_index", quick_index}, {"fold_at", fold_at}, {NULL, NULL}};
    lt_register(L, s, fns);
}
