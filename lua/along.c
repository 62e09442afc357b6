/*
 * along.c -- a function of two that goes along the first axis of an array, or along parts of a vector by themselves:
 * what nd.ufunc asks for. In: the function's number, arrays. Out: an array or a number; nil where it does not go that
 * way: then the caller goes step by step, which also finds the words for what is wrong.
 */
#include "binding.h"

#include <string.h>

enum { LONG = 4096 /* elements of a part, most */, FEW_ROWS = 128 };

static int went(lua_State *L, LtState *s, ThArray *r) {
    if (!r && th_error(s->ctx)) return lt_raise(L, s);
    if (!r) lua_pushnil(L);
    else lt_push_result(L, s, r, false);
    return 1;
}

/* along(function, x, each): all on the way, or the last. */
static int along(lua_State *L) {
    LtState *s = LT_STATE(L);
    const int func = (int)luaL_checkinteger(L, 1);
    ThArray *x = lt_check_array(L, s, 2);
    if (th_array_ndim(x) == 0) return 0;
    lt_collect(L, s);
    return went(L, s, th_eager_along(s->ctx, func, x, lua_toboolean(L, 3)));
}

/* The function at an index with all arguments. */
static int others(lua_State *L, int function) {
    lua_pushvalue(L, function);
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

static int first(lua_State *L) { /* upvalues: state, function, each, most, the other one */
    LtState *s = LT_STATE(L);
    ThArray *x = lua_gettop(L) == 1 ? lt_array(L, s, 1) : NULL;
    const int nd = th_array_ndim(x);
    if (nd && th_array_shape(x)[0] < (nd == 1 ? lua_tointeger(L, lua_upvalueindex(4)) : FEW_ROWS)) {
        lt_collect(L, s);
        went(L, s,
             th_eager_along(s->ctx, (int)lua_tointeger(L, lua_upvalueindex(2)), x,
                            lua_toboolean(L, lua_upvalueindex(3))));
        if (!lua_isnil(L, -1)) return 1;
        lua_settop(L, 1);
    }
    return others(L, lua_upvalueindex(5));
}

/* A closure over the state and n arguments, of which the first is a function's number and the last what it fronts. */
static int in_front(lua_State *L, lua_CFunction way, int n) {
    lua_settop(L, n);
    luaL_checkinteger(L, 1);
    lua_pushlightuserdata(L, LT_STATE(L));
    lua_insert(L, 1);
    lua_pushcclosure(L, way, n + 1);
    return 1;
}

/* along_first(function, each, most, f): f with that in front, of vectors of fewer elements and of few rows */
static int along_first(lua_State *L) { return in_front(L, first, 4); }

/* ---- parts of a vector ------------------------------------------------------------------------------------------- */
typedef struct Parts {
    LtState *s;
    int func;
    ThDtype dtype;
    size_t bytes; /* of an element */
    const char *x;
    const int64_t *at;
    int64_t *length, count, longest;
} Parts;

static void put(const Parts *p, char *to, const char *from) {
    if (p->bytes == 8) memcpy(to, from, 8);
    else memcpy(to, from, p->bytes);
}

static ThArray *vector(const Parts *p, int64_t n) { return th_array_empty(p->s->ctx, p->dtype, 1, &n); }

/* The function of a and b, which go; NULL: it failed, or makes something of another dtype. */
static ThArray *met(const Parts *p, ThArray *a, ThArray *b) {
    const ThArg args[2] = {{.kind = TH_ARG_ARRAY, .array = a}, {.kind = TH_ARG_ARRAY, .array = b}};
    ThArray *r = NULL;
    const bool one = a && b && th_eager(p->s->ctx, p->func, args, 2, &r, 1) == 1;
    th_array_release(a);
    th_array_release(b);
    if (one && th_array_dtype(r) == p->dtype && th_array_contiguous(r)) return r;
    if (one) th_array_release(r);
    return NULL;
}

static bool lengths(Parts *p, int64_t n) {
    p->longest = 0;
    for (int64_t i = 0; i < p->count; i++) {
        const int64_t end = i + 1 < p->count ? p->at[i + 1] : n;
        if (p->at[i] < 0 || p->at[i] >= n) return false;
        p->length[i] = end > p->at[i] ? end - p->at[i] : 1;
        if (p->length[i] > p->longest) p->longest = p->length[i];
    }
    return p->longest > 1 && p->longest <= LONG;
}

/* All parts take their next element, until they have none. longer: of how many parts are longer than so much; active:
 * which of them are. */
static ThArray *in_turn(const Parts *p, int64_t *longer, int64_t *active) {
    ThArray *r = vector(p, p->count), *have = vector(p, p->count);
    memset(longer, 0, sizeof *longer * (size_t)(p->longest + 1));
    for (int64_t i = 0; i < p->count; i++) longer[p->length[i] - 1]++;
    for (int64_t j = p->longest - 1; j > 0; j--) longer[j - 1] += longer[j];
    for (int64_t i = 0; have && i < p->count; i++) {
        active[i] = i;
        put(p, (char *)th_array_data(have) + (size_t)i * p->bytes, p->x + (size_t)p->at[i] * p->bytes);
    }
    int64_t n = p->count;
    for (int64_t j = 1; r && have && n > 0; j++) {
        const int64_t left = j < p->longest ? longer[j] : 0;
        ThArray *more = vector(p, left), *then = vector(p, left);
        const char *e = th_array_data(have);
        char *a = then ? th_array_data(then) : NULL, *b = more ? th_array_data(more) : NULL;
        int64_t k = 0;
        for (int64_t i = 0; then && more && i < n; i++, e += p->bytes) {
            const int64_t part = active[i];
            if (p->length[part] == j) {
                put(p, (char *)th_array_data(r) + (size_t)part * p->bytes, e);
                continue;
            }
            put(p, a + (size_t)k * p->bytes, e);
            put(p, b + (size_t)k * p->bytes, p->x + (size_t)(p->at[part] + j) * p->bytes);
            active[k++] = part;
        }
        th_array_release(have);
        n = left;
        if (n == 0) th_array_release(then), th_array_release(more);
        have = n > 0 ? met(p, then, more) : NULL;
    }
    th_array_release(have);
    if (n == 0) return r;
    th_array_release(r);
    return NULL;
}

/* Each second element of a part and its neighbour, all parts together; then what that left, until each has one. */
static ThArray *by_pairs(const Parts *p) {
    ThArray *have = NULL;
    for (int64_t longest = p->longest; longest > 1; longest -= longest / 2) {
        int64_t pairs = 0, odd = 0;
        for (int64_t i = 0; i < p->count; i++) pairs += p->length[i] / 2, odd += p->length[i] % 2;
        ThArray *left = vector(p, pairs), *right = vector(p, pairs), *next = vector(p, pairs + odd);
        const char *from = have ? th_array_data(have) : p->x, *rest = from;
        char *a = left ? th_array_data(left) : NULL, *b = right ? th_array_data(right) : NULL;
        for (int64_t i = 0; a && b && i < p->count; i++) {
            const char *e = have ? rest : from + (size_t)p->at[i] * p->bytes;
            rest += (size_t)p->length[i] * p->bytes;
            for (int64_t j = p->length[i] / 2; j > 0; j--, a += p->bytes, b += p->bytes, e += 2 * p->bytes)
                put(p, a, e), put(p, b, e + p->bytes);
        }
        ThArray *both = met(p, left, right);
        const char *done = both ? th_array_data(both) : NULL;
        char *to = next ? th_array_data(next) : NULL;
        rest = from;
        for (int64_t i = 0; done && to && i < p->count; i++) {
            const int64_t n = p->length[i];
            const char *e = have ? rest : from + (size_t)p->at[i] * p->bytes;
            const size_t some = (size_t)(n / 2) * p->bytes;
            rest += (size_t)n * p->bytes;
            memcpy(to, done, some);
            to += some, done += some;
            if (n % 2) put(p, to, e + (size_t)(n - 1) * p->bytes), to += p->bytes;
            p->length[i] = n - n / 2;
        }
        th_array_release(have);
        th_array_release(both);
        have = next;
        if (!done || !to) return th_array_release(have), NULL;
    }
    return have;
}

/* One in a dtype that sums and products keep. */
static bool one_of(ThDtype d, char *cell) {
    const double f = 1;
    const float single = 1;
    const int64_t i = 1;
    if (d != TH_FLOAT64 && d != TH_FLOAT32 && d != TH_INT64) return false;
    memcpy(cell,
           d == TH_FLOAT64 ? (const void *)&f
           : d == TH_INT64 ? (const void *)&i
                           : (const void *)&single,
           th_dtype_bytes(d));
    return true;
}

/* The parts of more than half of `most` elements, and of no more, as rows of a matrix that are filled up with what
 * changes nothing (NULL: with their first element); NULL: there are none, or no memory. */
static ThArray *rows(const Parts *p, int64_t most, const char *fill) {
    int64_t shape[2] = {0, 0};
    for (int64_t i = 0; i < p->count; i++) {
        const int64_t n = p->length[i];
        if (n <= most / 2 || n > most) continue;
        shape[0]++;
        if (n > shape[1]) shape[1] = n;
    }
    ThArray *m = shape[0] ? th_array_empty(p->s->ctx, p->dtype, 2, shape) : NULL;
    char *to = m ? th_array_data(m) : NULL;
    for (int64_t i = 0; m && i < p->count; i++) {
        const int64_t n = p->length[i];
        const char *from = p->x + (size_t)p->at[i] * p->bytes;
        if (n <= most / 2 || n > most) continue;
        memcpy(to, from, (size_t)n * p->bytes);
        to += (size_t)n * p->bytes;
        for (int64_t j = n; j < shape[1]; j++, to += p->bytes) put(p, to, fill ? fill : from);
    }
    return m;
}

/* What one function reduces, row by row: "sum", "prod", "max", "min". */
static ThArray *by_rows(const Parts *p, int func) {
    char fill[16] = {0};
    const char *way = th_func_info(func)->name;
    const bool added = !strcmp(way, "sum"), times = !strcmp(way, "prod");
    if (p->dtype == TH_BOOL || (times && !one_of(p->dtype, fill))) return NULL;
    ThArray *r = vector(p, p->count);
    for (int64_t most = 1; r && most / 2 < p->longest; most *= 2) {
        ThArray *m = rows(p, most, added || times ? fill : NULL), *each = NULL;
        if (!m && !th_error(p->s->ctx)) continue;
        const ThArg args[2] = {{.kind = TH_ARG_ARRAY, .array = m}, {.kind = TH_ARG_INT, .i = 1}};
        const bool done = m && th_eager(p->s->ctx, func, args, 2, &each, 1) == 1;
        const bool same = done && th_array_dtype(each) == p->dtype && th_array_contiguous(each);
        const char *from = same ? th_array_data(each) : NULL;
        for (int64_t i = 0; from && i < p->count; i++) {
            if (p->length[i] <= most / 2 || p->length[i] > most) continue;
            put(p, (char *)th_array_data(r) + (size_t)i * p->bytes, from);
            from += p->bytes;
        }
        th_array_release(m);
        if (done) th_array_release(each);
        if (!same) th_array_release(r), r = NULL;
    }
    return r;
}

/* ---- parts that lie end to end, one as long as the other ---- */
typedef struct Even {
    ThArray *x;
    int64_t each, rows, rest; /* elements of a part; parts of so many; elements of a last one that is shorter */
} Even;

static bool is_even(const Parts *p, ThArray *x, Even *e) {
    const int64_t n = th_array_size(x), *at = p->at;
    *e = (Even){.x = x, .each = (p->count > 1 ? at[1] : n) - at[0]};
    if (at[0] < 0 || at[0] >= n || e->each < 2) return false;
    for (int64_t i = 1; i < p->count; i++)
        if (at[i] - at[i - 1] != e->each) return false;
    const int64_t last = n - at[p->count - 1];
    e->rest = last < e->each ? last : 0;
    e->rows = p->count - (e->rest ? 1 : 0);
    return last > 0 && last <= e->each;
}

/* What a function of one reduces of `rows` parts of `each` elements, as they lie. */
static ThArray *across(const Parts *p, int func, ThArray *x, int64_t from, int64_t rows, int64_t each) {
    const int64_t shape[2] = {rows, each}, b = (int64_t)p->bytes, strides[2] = {each * b, b};
    const bool alone = rows == 1, all = alone && each == th_array_size(x);
    ThArray *m = all ? th_array_retain(x) : th_array_view(x, 2 - alone, shape + alone, strides + alone, from * b);
    ThArray *r = NULL, *one = NULL;
    const ThArg args[2] = {{.kind = TH_ARG_ARRAY, .array = m}, {.kind = TH_ARG_INT, .i = 1}};
    const bool done = m && th_eager(p->s->ctx, func, args, alone ? 1 : 2, &r, 1) == 1;
    th_array_release(m);
    if (!done || !alone) return done ? r : NULL;
    one = th_array_view(r, 1, shape, strides + 1, 0);
    th_array_release(r);
    return one;
}

/* What the function of two reduces: all parts side by side, or a part alone. */
static ThArray *down(const Parts *p, ThArray *x, int64_t from, int64_t rows, int64_t each) {
    const int64_t shape[2] = {each, rows}, b = (int64_t)p->bytes, strides[2] = {b, each * b};
    ThArray *m = th_array_view(x, 2, shape, strides, from * b);
    ThArray *t = m && rows > 1 ? th_array_copy(m) : th_array_retain(m);
    ThArray *r = t ? th_eager_along(p->s->ctx, p->func, t, false) : NULL;
    th_array_release(m);
    th_array_release(t);
    return r;
}

/* The parts from the element `from` on; way: the function of one, or -1. NULL: it makes something else of them. */
static ThArray *some(const Parts *p, int way, const Even *e, int64_t from, int64_t rows, int64_t each) {
    ThArray *r = way >= 0 ? across(p, way, e->x, from, rows, each) : down(p, e->x, from, rows, each);
    if (r && th_array_dtype(r) == p->dtype && th_array_contiguous(r)) return r;
    th_array_release(r);
    return NULL;
}

/* Of a function of two few long parts go by themselves, short ones as many together as caches hold. NULL without an
 * error: they want another way. */
static ThArray *evenly(const Parts *p, int way, const Even *e) {
    enum { NEAR = 1 << 15 };
    const int64_t fit = e->each < NEAR ? NEAR / e->each : 1, most = e->rows < fit ? e->rows : fit;
    const int64_t step = way >= 0 ? e->rows : e->rows > e->each ? most : 1;
    if (step == p->count) return some(p, way, e, p->at[0], step, e->each);
    ThArray *r = vector(p, p->count);
    char *to = r ? th_array_data(r) : NULL;
    for (int64_t i = 0, n; to && i < p->count; i += n) {
        const bool last = i == e->rows;
        n = last ? 1 : e->rows - i < step ? e->rows - i : step;
        ThArray *these = some(p, way, e, p->at[i], n, last ? e->rest : e->each);
        if (these) memcpy(to + (size_t)i * p->bytes, th_array_data(these), (size_t)n * p->bytes);
        else to = NULL;
        th_array_release(these);
    }
    if (to) return r;
    th_array_release(r);
    return NULL;
}

static bool plain(const ThArray *a) {
    return th_array_ndim(a) == 1 && th_array_contiguous(a) && th_array_device(a) < 0 && th_array_size(a) > 0;
}

/* What the reduction gives of x (at index 1 of the stack) from each of `at` (2) to the next one, or of one element
 * where that is no later; by a function of one (the number at `by`), by pairs (true), or one by one. 0: another way. */
static int parted(lua_State *L, LtState *s, int func, int by) {
    ThArray *x = lt_array(L, s, 1), *at = lt_array(L, s, 2);
    if (!x || !at || !plain(x) || !plain(at) || th_array_dtype(at) != TH_INT64) return 0;
    const int way = lua_isinteger(L, by) ? (int)lua_tointeger(L, by) : -1; /* of the engine's functions */
    if (way >= th_func_count()) return 0;
    const ThDtype d = th_array_dtype(x);
    Parts p = {.s = s,
               .func = func,
               .dtype = d,
               .bytes = th_dtype_bytes(d),
               .x = th_array_data(x),
               .at = th_array_data(at),
               .count = th_array_size(at)};
    if (!p.x || !p.at) return 0;
    lt_collect(L, s);
    Even e;
    ThArray *r = d != TH_BOOL && is_even(&p, x, &e) ? evenly(&p, way, &e) : NULL;
    if (r || th_error(s->ctx)) return went(L, s, r);
    p.length = lua_newuserdatauv(L, sizeof *p.length * ((size_t)p.count * 2 + LONG + 1), 0);
    if (!lengths(&p, th_array_size(x))) return 0;
    if (way >= 0) return went(L, s, by_rows(&p, way));
    return went(L, s, lua_toboolean(L, by) ? by_pairs(&p) : in_turn(&p, p.length + 2 * p.count, p.length + p.count));
}

/* parts(x, at, function, way): the same, or nil */
static int parts(lua_State *L) { return parted(L, LT_STATE(L), (int)luaL_checkinteger(L, 3), 4); }

static int reduceat(lua_State *L) { /* upvalues: state, function, way, the other one */
    const int n = lua_gettop(L);
    const int done =
        n == 2 ? parted(L, LT_STATE(L), (int)lua_tointeger(L, lua_upvalueindex(2)), lua_upvalueindex(3)) : 0;
    if (done && !lua_isnil(L, -1)) return done;
    lua_settop(L, n);
    return others(L, lua_upvalueindex(4));
}

/* parts_first(function, way, f): f with that in front */
static int parts_first(lua_State *L) { return in_front(L, reduceat, 3); }

static int function_number(lua_State *L) {
    const int func = th_func_find(luaL_checkstring(L, 1));
    if (func < 0) lua_pushnil(L);
    else lua_pushinteger(L, func);
    return 1;
}

void lt_open_along(lua_State *L, LtState *s) {
    static const luaL_Reg fns[] = {{"along", along},
                                   {"along_first", along_first},
                                   {"parts", parts},
                                   {"parts_first", parts_first},
                                   {"function_number", function_number},
                                   {NULL, NULL}};
    lt_register(L, s, fns);
}
