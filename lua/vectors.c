/*
 * vectors.c -- short ways (short.h) of functions that compute or choose: convolutions of vectors, linear interpolation,
 * elements taken and written at positions. Always holds: every sum has the order of the other way's.
 */
#include "short.h"
#include "wide.h"

#include <math.h>
#include <string.h>

/* ---- elements at positions --------------------------------------------------------------------------------------- */
static bool inside(const int64_t *at, int64_t count, int64_t n) {
    uint64_t bad = 0; /* a sign where one is outside */
    for (int64_t i = 0; i < count; i++) bad |= ((uint64_t)at[i] + (uint64_t)n) | ((uint64_t)(n - 1) - (uint64_t)at[i]);
    return bad >> 63 == 0;
}

#define TAKE(T) \
    for (int64_t i = 0; i < count; i++) \
        memcpy(to + i * (int64_t)sizeof(T), from + (at[i] + (at[i] < 0 ? n : 0)) * (int64_t)sizeof(T), sizeof(T));
static void take_line(char *to, const char *from, const int64_t *at, int64_t count, int64_t n, size_t bytes) {
    switch (bytes) {
    case 1: TAKE(uint8_t) break;
    case 4: TAKE(uint32_t) break;
    case 8: TAKE(uint64_t) break;
    default:
        for (int64_t i = 0; i < count; i++)
            memcpy(to + (size_t)i * bytes, from + (size_t)(at[i] + (at[i] < 0 ? n : 0)) * bytes, bytes);
    }
}

/* take(a, positions[, axis or {axis = n}]); without an axis of all elements in order. */
int vectors_take(lua_State *L, LtState *s) {
    ThArray *a = short_dense(L, s, 1), *p = short_dense(L, s, 2);
    if (!a || !p || th_array_dtype(p) != TH_INT64 || th_array_ndim(p) == 0 || lua_gettop(L) > 3) return 0;
    int64_t axis = 0, shape[2 * TH_MAX_NDIM], size = th_array_size(a), lines = 1, n = size, count = th_array_size(p);
    int nd = th_array_ndim(a), np = th_array_ndim(p), k = 0;
    size_t bytes = th_dtype_bytes(th_array_dtype(a));
    const int64_t *own = nd && !lua_isnoneornil(L, 3) ? th_array_shape(a) : &size;
    if (own == &size) nd = 1;
    else if (!short_axis(L, 3, nd, &axis)) return 0;
    if (np + nd - 1 > TH_MAX_NDIM) return 0;
    n = own[axis];
    for (int d = 0; d < axis; d++) lines *= shape[k++] = own[d];
    for (int d = 0; d < np; d++) shape[k++] = th_array_shape(p)[d];
    for (int d = (int)axis + 1; d < nd; d++) bytes *= (size_t)(shape[k++] = own[d]);
    const int64_t *at = th_array_data(p);
    if (!inside(at, count, n)) return 0;
    ThArray *r = th_array_empty(s->ctx, th_array_dtype(a), k, shape);
    lt_push_array(L, s, r);
    if (!th_array_size(r)) return 1;
    char *to = th_array_data(r);
    const char *from = th_array_data(a);
    for (int64_t i = 0; i < lines; i++, to += (size_t)count * bytes, from += (size_t)n * bytes)
        take_line(to, from, at, count, n, bytes);
    return 1;
}

/* What a is written with: an array of its dtype that shares nothing with it and is not empty. */
static const char *written_with(lua_State *L, LtState *s, const ThArray *a, int64_t *n) {
    ThArray *v = short_dense(L, s, 3);
    if (!v || th_array_dtype(v) != th_array_dtype(a) || !th_array_size(v) || th_array_shares_memory(a, v)) return NULL;
    *n = th_array_size(v);
    return th_array_data(v);
}

int vectors_put(lua_State *L, LtState *s) { /* put(a, positions, values) */
    ThArray *a = short_dense(L, s, 1), *p = short_dense(L, s, 2);
    if (!a || !p || th_array_dtype(p) != TH_INT64 || lua_gettop(L) != 3 || !th_array_writeable(a)) return 0;
    int64_t have, n = th_array_size(a), count = th_array_size(p);
    const char *v = written_with(L, s, a, &have);
    const int64_t *at = th_array_data(p);
    if (!v || th_array_shares_memory(a, p) || !inside(at, count, n)) return 0;
    size_t bytes = th_dtype_bytes(th_array_dtype(a));
    char *to = th_array_data(a);
    for (int64_t i = 0, j = 0; i < count; i++, j = j + 1 == have ? 0 : j + 1) {
        char *place = to + (size_t)(at[i] + (at[i] < 0 ? n : 0)) * bytes;
        if (bytes == 8) memcpy(place, v + 8 * j, 8);
        else memcpy(place, v + (size_t)j * bytes, bytes);
    }
    return SHORT_DONE;
}

/* Of an array of 8 bytes an element (argument 1), a mask of its shape (2) and values (3): these, or NULL for the long
 * way. */
static const char *masked(lua_State *L, LtState *s, uint64_t **to, const uint8_t **m, int64_t *n, int64_t *have) {
    ThArray *a = short_dense(L, s, 1), *mask = short_dense(L, s, 2);
    if (!a || !mask || th_array_dtype(mask) != TH_BOOL || lua_gettop(L) != 3 || !th_array_writeable(a)) return NULL;
    int nd = th_array_ndim(a);
    if (nd == 0 || th_array_ndim(mask) != nd ||
        memcmp(th_array_shape(a), th_array_shape(mask), sizeof(int64_t) * (size_t)nd) != 0)
        return NULL;
    if (th_dtype_bytes(th_array_dtype(a)) != 8 || th_array_shares_memory(a, mask)) return NULL;
    *n = th_array_size(a);
    *to = th_array_data(a);
    *m = th_array_data(mask);
    return written_with(L, s, a, have);
}

int vectors_putmask(lua_State *L, LtState *s) { /* putmask(a, mask, values) */
    uint64_t *to;
    const uint8_t *m;
    int64_t n, have;
    const char *v = masked(L, s, &to, &m, &n, &have);
    if (!v) return 0;
    for (int64_t i = 0, j = 0; i < n; i++, j = j + 1 == have ? 0 : j + 1) { /* without branches */
        const uint64_t all = 0 - (uint64_t)(m[i] != 0);
        uint64_t x;
        memcpy(&x, v + 8 * j, 8);
        to[i] = (to[i] & ~all) | (x & all);
    }
    return SHORT_DONE;
}

/* ---- masks ------------------------------------------------------------------------------------------------------- */
/* Elements of 8 bytes where the mask holds, written without branches. */
static int kept(lua_State *L, LtState *s, ThArray *a, ThArray *mask) {
    if (!a || !mask || lua_gettop(L) != 2 || th_array_dtype(mask) != TH_BOOL || th_array_ndim(a) != 1 ||
        th_array_ndim(mask) != 1 || th_array_size(a) != th_array_size(mask) || th_dtype_bytes(th_array_dtype(a)) != 8)
        return 0;
    const uint8_t *m = th_array_data(mask);
    int64_t count = short_trues(m, th_array_size(mask));
    ThArray *r = th_array_empty(s->ctx, th_array_dtype(a), 1, &count);
    lt_push_array(L, s, r);
    const uint64_t *from = th_array_data(a);
    uint64_t *to = th_array_data(r);
    for (int64_t i = 0, k = 0; k < count; i++) {
        to[k] = from[i];
        k += m[i] != 0;
    }
    return 1;
}
int vectors_extract(lua_State *L, LtState *s) { /* extract(mask, x), compress(mask, x) of vectors */
    return kept(L, s, short_dense(L, s, 2), short_dense(L, s, 1));
}

int vectors_place(lua_State *L, LtState *s) { /* place(a, mask, values): the values one after the other */
    uint64_t *to;
    const uint8_t *m;
    int64_t n, have;
    const char *v = masked(L, s, &to, &m, &n, &have);
    if (!v) return 0;
    for (int64_t i = 0, j = 0; i < n; i++) {
        const uint64_t all = 0 - (uint64_t)(m[i] != 0);
        uint64_t x;
        memcpy(&x, v + 8 * j, 8);
        to[i] = (to[i] & ~all) | (x & all);
        j += m[i] != 0;
        j = j == have ? 0 : j;
    }
    return SHORT_DONE;
}

/* isin(x, set) of int64: a table of what lies between the least and the greatest of the set, where that is short. */
int vectors_isin(lua_State *L, LtState *s) {
    ThArray *x = short_dense(L, s, 1), *set = short_dense(L, s, 2);
    if (!x || !set || lua_gettop(L) != 2 || th_array_dtype(x) != TH_INT64 || th_array_dtype(set) != TH_INT64) return 0;
    int64_t n = th_array_size(x), m = th_array_size(set), low, high;
    if (th_array_ndim(x) == 0 || m == 0) return 0;
    const int64_t *v = th_array_data(x), *e = th_array_data(set);
    low = high = e[0];
    for (int64_t i = 1; i < m; i++) {
        low = e[i] < low ? e[i] : low;
        high = e[i] > high ? e[i] : high;
    }
    const uint64_t range = (uint64_t)high - (uint64_t)low;
    if (range > (uint64_t)(6 * (n + m) + 64)) return 0;
    uint8_t *in = lua_newuserdatauv(L, (size_t)range + 1, 0);
    memset(in, 0, (size_t)range + 1);
    for (int64_t i = 0; i < m; i++) in[(uint64_t)e[i] - (uint64_t)low] = 1;
    ThArray *r = th_array_empty(s->ctx, TH_BOOL, th_array_ndim(x), th_array_shape(x));
    lt_push_array(L, s, r);
    uint8_t *to = th_array_data(r);
    for (int64_t i = 0; i < n; i++) {
        const uint64_t at = (uint64_t)v[i] - (uint64_t)low;
        to[i] = at <= range ? in[at] : 0;
    }
    return 1;
}

/* ---- extrema of what is not NaN ---------------------------------------------------------------------------------- */
WIDE_EXTREMUM(greatest, >, -HUGE_VAL)
WIDE_EXTREMUM(least, <, HUGE_VAL)

/* Infinity may mean that there was nothing else, and a zero has a sign: both are the other way's. */
static int extremum(lua_State *L, LtState *s, double (*of)(const double *x, int64_t n)) {
    ThArray *a = short_dense(L, s, 1);
    if (!a || lua_gettop(L) != 1 || th_array_dtype(a) != TH_FLOAT64) return 0;
    double r = of(th_array_data(a), th_array_size(a));
    if (r == 0 || r - r != 0) return 0;
    lua_pushnumber(L, r);
    return 1;
}
int vectors_nanmax(lua_State *L, LtState *s) { return extremum(L, s, greatest); }
int vectors_nanmin(lua_State *L, LtState *s) { return extremum(L, s, least); }

/* ---- copies in other lengths ------------------------------------------------------------------------------------- */
int vectors_resize(lua_State *L, LtState *s) { /* resize(x, shape) */
    ThArray *a = short_dense(L, s, 1);
    int64_t shape[TH_MAX_NDIM], most = INT64_MAX / 16;
    int nd = 0;
    if (!a || lua_gettop(L) != 2 || !th_array_size(a) || !lua_istable(L, 2)) return 0;
    for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1), nd++) {
        bool fine = nd < TH_MAX_NDIM && lua_isinteger(L, -2) && lua_tointeger(L, -2) == nd + 1 &&
                    lua_type(L, -1) == LUA_TNUMBER && lua_isinteger(L, -1);
        shape[nd < TH_MAX_NDIM ? nd : 0] = lua_tointeger(L, -1);
        if (!fine || lua_tointeger(L, -1) < 0 || (lua_tointeger(L, -1) && (most /= lua_tointeger(L, -1)) == 0))
            return lua_pop(L, 2), 0;
    }
    if (!nd) return 0;
    ThArray *r = th_array_empty(s->ctx, th_array_dtype(a), nd, shape);
    lt_push_array(L, s, r);
    size_t bytes = th_dtype_bytes(th_array_dtype(a)), all = bytes * (size_t)th_array_size(r);
    size_t have = bytes * (size_t)th_array_size(a);
    if (all) memcpy(th_array_data(r), th_array_data(a), have < all ? have : all);
    if (have < all) moves_again(th_array_data(r), have, all);
    return 1;
}

int vectors_eye(lua_State *L, LtState *s) { /* eye(n), identity(n) */
    if (lua_gettop(L) != 1 || lua_type(L, 1) != LUA_TNUMBER || !lua_isinteger(L, 1)) return 0;
    int64_t n = lua_tointeger(L, 1), shape[2] = {n, n};
    if (n < 0 || n > 1 << 20) return 0;
    ThArray *r = th_array_zeros(s->ctx, TH_FLOAT64, 2, shape);
    lt_push_array(L, s, r);
    double *to = th_array_data(r);
    for (int64_t i = 0; i < n; i++) to[i * (n + 1)] = 1;
    return 1;
}

/* ---- convolutions ------------------------------------------------------------------------------------------------ */
/* out[k] = a[k] v[0] + a[k-1] v[1] + .. in this order, each from 0 on; the part of it that lies in a. Some outputs at a
 * time stay in the nearest cache, four terms at a time in registers. */
#define CONVOLVE(NAME, T) \
    WIDE(void, NAME, (T *restrict out, const T *a, int64_t n, const T *v, int64_t m), (out, a, n, v, m), { \
        enum { SOME = 1024 }; \
        memset(out, 0, sizeof *out *(size_t)(n + m - 1)); \
        for (int64_t from = 0; from < n + m - 1; from += SOME) { \
            const int64_t to = from + SOME < n + m - 1 ? from + SOME : n + m - 1; \
            int64_t i = 0; \
            for (; i + 4 <= m; i += 4) { \
                int64_t lo = from > i + 3 ? from : i + 3, hi = to < i + n ? to : i + n; \
                for (int64_t j = 0; j < 4; j++) /* ends that not all four reach */ \
                    for (int64_t k = from > i + j ? from : i + j; k < lo && k < to && k < i + j + n; k++) \
                        out[k] += a[k - i - j] * v[i + j]; \
                for (int64_t k = lo; k < hi; k++) { \
                    const T *x = a + k - i; \
                    out[k] = out[k] + x[0] * v[i] + x[-1] * v[i + 1] + x[-2] * v[i + 2] + x[-3] * v[i + 3]; \
                } \
                for (int64_t j = 1; j < 4; j++) { \
                    int64_t k = hi > lo ? hi : lo; \
                    if (k < from) k = from; \
                    for (; k < to && k < i + j + n; k++) out[k] += a[k - i - j] * v[i + j]; \
                } \
            } \
            for (; i < m; i++) { \
                int64_t lo = from > i ? from : i, hi = to < i + n ? to : i + n; \
                for (int64_t k = lo; k < hi; k++) out[k] += a[k - i] * v[i]; \
            } \
        } \
    })
CONVOLVE(convolve_f64, double)
CONVOLVE(convolve_f32, float)
CONVOLVE(convolve_i64, uint64_t)

/* Both vectors at 1 and 2, the longer one first; turned: the second is read from its end. */
typedef struct Pair {
    const char *a, *v;
    int64_t n, m; /* as they were given */
    ThDtype dtype;
} Pair;

#define MOST_PRODUCTS (1 << 28)

static bool pair_of(lua_State *L, LtState *s, Pair *p) {
    ThArray *a = short_dense(L, s, 1), *v = short_dense(L, s, 2);
    if (!a || !v || th_array_ndim(a) != 1 || th_array_ndim(v) != 1 || lua_gettop(L) > 3) return false;
    *p = (Pair){th_array_data(a), th_array_data(v), th_array_size(a), th_array_size(v), th_array_dtype(a)};
    if (p->n > MOST_PRODUCTS / (p->m ? p->m : 1)) return false; /* in parts, between which it can be stopped */
    return p->n && p->m && p->dtype == th_array_dtype(v) &&
           (p->dtype == TH_FLOAT64 || p->dtype == TH_FLOAT32 || p->dtype == TH_INT64);
}

static ThArray *whole(LtState *s, const Pair *p, const char *v) {
    const char *a = p->a;
    int64_t n = p->n, m = p->m, all = n + m - 1;
    if (m > n) {
        const char *other = a;
        a = v, v = other, n = p->m, m = p->n;
    }
    ThArray *r = th_array_empty(s->ctx, p->dtype, 1, &all);
    if (!r) return NULL;
    void *out = th_array_data(r);
    if (p->dtype == TH_FLOAT64) convolve_f64(out, (const void *)a, n, (const void *)v, m);
    else if (p->dtype == TH_FLOAT32) convolve_f32(out, (const void *)a, n, (const void *)v, m);
    else convolve_i64(out, (const void *)a, n, (const void *)v, m);
    return r;
}

/* Elements [from, from + n) of the vector on top, in its place. */
static int cut(lua_State *L, LtState *s, ThArray *r, int64_t from, int64_t n) {
    int64_t step = (int64_t)th_dtype_bytes(th_array_dtype(r));
    ThArray *part = th_array_view(r, 1, &n, &step, from * step);
    lt_push_array(L, s, part);
    return 1;
}

static int mode_of(lua_State *L, LtState *s, const Pair *p, const char *v, const char *mode, int64_t same) {
    int64_t shorter = p->n < p->m ? p->n : p->m, longer = p->n < p->m ? p->m : p->n;
    bool full = !strcmp(mode, "full"), valid = !strcmp(mode, "valid");
    if (!full && !valid && strcmp(mode, "same") != 0) return 0;
    ThArray *r = whole(s, p, v);
    lt_push_array(L, s, r);
    if (full) return 1;
    return valid ? cut(L, s, r, shorter - 1, longer - shorter + 1) : cut(L, s, r, same, longer);
}

static const char *mode_at(lua_State *L, const char *absent) {
    return lua_isnoneornil(L, 3) ? absent : lua_type(L, 3) == LUA_TSTRING ? lua_tostring(L, 3) : "";
}

int vectors_convolve(lua_State *L, LtState *s) {
    Pair p;
    if (!pair_of(L, s, &p)) return 0;
    return mode_of(L, s, &p, p.v, mode_at(L, "full"), ((p.n < p.m ? p.n : p.m) - 1) / 2);
}

int vectors_correlate(lua_State *L, LtState *s) {
    Pair p;
    if (!pair_of(L, s, &p)) return 0;
    const char *mode = mode_at(L, "valid"); /* the text stays where it is */
    size_t bytes = th_dtype_bytes(p.dtype);
    char *turned = lua_newuserdatauv(L, bytes * (size_t)p.m, 0);
    for (int64_t i = 0; i < p.m; i++) memcpy(turned + (size_t)i * bytes, p.v + (size_t)(p.m - 1 - i) * bytes, bytes);
    int n = mode_of(L, s, &p, turned, mode, p.m <= p.n ? (p.m - 1) / 2 : p.n / 2);
    if (!n) lua_pop(L, 1);
    return n;
}

/* ---- interpolation ----------------------------------------------------------------------------------------------- */
/* How many of the increasing n places are at most v, NaN being above all; guess: what it was for the one before. */
static int64_t places_up_to(const double *xp, int64_t n, double v, int64_t guess) {
    if (v != v) return n;
    if (guess > 0 && guess < n && xp[guess - 1] <= v && xp[guess] > v) return guess;
    int64_t low = 0;
    while (n > 0) {
        int64_t half = n / 2;
        bool right = xp[low + half] <= v;
        low += right ? half + 1 : 0;
        n = right ? n - half - 1 : half;
    }
    return low;
}

/* On the lines between n points with increasing places `at` and values y. Neighbours mostly ask for the same line. */
static void line(double *restrict to, const double *v, int64_t count, const double *at, const double *y, int64_t n) {
    const double first = at[0], last = at[n - 1];
    int64_t guess = 0, k = -1, next = 0;
    double slope = 0;
    for (int64_t i = 0; i < count; i++) {
        guess = places_up_to(at, n, v[i], guess);
        const int64_t most = guess - 1 > n - 2 ? n - 2 : guess - 1, here = most < 0 ? 0 : most;
        if (here != k) {
            k = here, next = k + 1 < n ? k + 1 : n - 1;
            const double way = at[next] - at[k];
            slope = (y[next] - y[k]) / (way > 0 ? way : 1.0);
        }
        double e = slope * (v[i] - at[k]) + y[k];
        if (e != e) e = slope * (v[i] - at[next]) + y[next]; /* by an infinite value: from its other side */
        if (v[i] == at[k] || (e != e && y[k] == y[next])) e = y[k];
        to[i] = v[i] >= last ? y[n - 1] : v[i] <= first ? y[0] : e;
    }
}

int vectors_interp(lua_State *L, LtState *s) { /* interp(x, xp, fp) of float64 */
    ThArray *x = short_dense(L, s, 1), *xp = short_dense(L, s, 2), *fp = short_dense(L, s, 3);
    if (!x || !xp || !fp || lua_gettop(L) != 3 || th_array_ndim(x) == 0) return 0;
    if (th_array_dtype(x) != TH_FLOAT64 || th_array_dtype(xp) != TH_FLOAT64 || th_array_dtype(fp) != TH_FLOAT64)
        return 0;
    const int64_t n = th_array_size(xp);
    if (th_array_ndim(xp) != 1 || th_array_ndim(fp) != 1 || n == 0 || th_array_size(fp) != n) return 0;
    const double *at = th_array_data(xp), *y = th_array_data(fp), *v = th_array_data(x);
    for (int64_t i = 0; i < n; i++)
        if (at[i] != at[i]) return 0;
    ThArray *r = th_array_empty(s->ctx, TH_FLOAT64, th_array_ndim(x), th_array_shape(x));
    lt_push_array(L, s, r);
    double *to = th_array_data(r);
    line(to, v, th_array_size(x), at, y, n);
    return 1;
}
