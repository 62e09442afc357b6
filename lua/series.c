/*
 * series.c -- short ways (short.h) of functions of NumPy that are several calls of the engine in Lua: orders by several
 * keys, polynomials, powers, areas, running sums, grids of positions. Always holds: the numbers of the other way, bit
 * by bit.
 */
#include "short.h"
#include "wide.h"

#include <math.h>
#include <string.h>

static double *floats(lua_State *L, LtState *s, int nd, const int64_t *shape) { /* pushed */
    ThArray *a = th_array_empty(s->ctx, TH_FLOAT64, nd, shape);
    lt_push_array(L, s, a);
    return th_array_data(a);
}

/* A dense vector of float64 at 1, and nothing behind argument `last`. */
static ThArray *vector_of(lua_State *L, LtState *s, int last) {
    ThArray *a = short_dense(L, s, 1);
    return a && lua_gettop(L) == last && th_array_dtype(a) == TH_FLOAT64 && th_array_ndim(a) == 1 ? a : NULL;
}

/* What a function of the engine gives of one or two arrays; NULL: it refuses them, the other way says why. */
static ThArray *given(LtState *s, const char *name, ThArray *a, ThArray *b) {
    const ThArg at[2] = {{.kind = TH_ARG_ARRAY, .array = a}, {.kind = TH_ARG_ARRAY, .array = b}};
    ThArray *out = NULL;
    const int f = th_func_find(name);
    if (f < 0 || th_eager(s->ctx, f, at, b ? 2 : 1, &out, 1) != 1) return th_error_clear(s->ctx), NULL;
    return out;
}

static int pushed(lua_State *L, LtState *s, ThArray *a) {
    if (!a) return 0;
    lt_push_array(L, s, a);
    return 1;
}

/* ---- orders ------------------------------------------------------------------------------------------------------ */
enum { MOST_KEYS = 8, MOST_SORTED = 512 };
typedef struct Keys { /* vectors of one length, the last one first of all */
    const void *at[MOST_KEYS];
    bool whole[MOST_KEYS]; /* int64; else float64 */
    int n;
    int64_t length;
} Keys;

static bool keys_of(lua_State *L, LtState *s, Keys *k) {
    if (lua_gettop(L) != 1 || !lua_istable(L, 1)) return false;
    if (lua_getmetatable(L, 1)) return lua_pop(L, 1), false;
    int entries = 0;
    for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) entries++;
    k->n = (int)lua_rawlen(L, 1), k->length = 0;
    if (k->n < 1 || k->n > MOST_KEYS || entries != k->n) return false;
    for (int i = 0; i < k->n; i++) {
        lua_rawgeti(L, 1, i + 1);
        const ThArray *a = short_dense(L, s, -1);
        lua_pop(L, 1);
        const ThDtype d = th_array_dtype(a);
        if (!a || th_array_ndim(a) != 1 || (d != TH_FLOAT64 && d != TH_INT64)) return false;
        if (i == 0) k->length = th_array_size(a);
        if (th_array_size(a) != k->length) return false;
        k->at[i] = th_array_data(a), k->whole[i] = d == TH_INT64;
    }
    return k->length > 0 && k->length <= MOST_SORTED;
}

static bool comes_before(const Keys *k, int64_t i, int64_t j) { /* NaN behind all others */
    for (int key = k->n - 1; key >= 0; key--) {
        if (k->whole[key]) {
            const int64_t x = ((const int64_t *)k->at[key])[i], y = ((const int64_t *)k->at[key])[j];
            if (x != y) return x < y;
        } else {
            const double x = ((const double *)k->at[key])[i], y = ((const double *)k->at[key])[j];
            const bool odd = x != x, late = y != y;
            if (odd != late) return late;
            if (x != y && !odd) return x < y;
        }
    }
    return false;
}

int series_lexsort(lua_State *L, LtState *s) { /* lexsort({k, ..}) of few elements: merged runs */
    Keys k;
    int64_t spare[MOST_SORTED];
    if (!keys_of(L, s, &k)) return 0;
    const int64_t n = k.length;
    ThArray *r = th_array_empty(s->ctx, TH_INT64, 1, &n);
    lt_push_array(L, s, r);
    int64_t *to = th_array_data(r);
    enum { RUN = 8 };
    for (int64_t from = 0; from < n; from += RUN)
        for (int64_t i = from; i < n && i < from + RUN; i++) {
            int64_t j = i;
            for (; j > from && comes_before(&k, i, to[j - 1]); j--) to[j] = to[j - 1];
            to[j] = i;
        }
    for (int64_t run = RUN; run < n; run *= 2)
        for (int64_t from = 0; from + run < n; from += 2 * run) {
            const int64_t end = from + 2 * run < n ? from + 2 * run : n;
            memcpy(spare, to + from, (size_t)run * sizeof *to);
            int64_t i = 0, j = from + run, at = from;
            while (i < run && j < end) to[at++] = comes_before(&k, to[j], spare[i]) ? to[j++] : spare[i++];
            while (i < run) to[at++] = spare[i++];
        }
    return 1;
}

int series_sort_complex(lua_State *L, LtState *s) { /* of real numbers */
    ThArray *a = short_dense(L, s, 1);
    if (!a || lua_gettop(L) != 1 || th_array_dtype(a) != TH_FLOAT64 || th_array_ndim(a) == 0) return 0;
    ThArray *sorted = given(s, "sort", a, NULL);
    if (!pushed(L, s, sorted)) return 0;
    const int64_t n = th_array_size(a);
    ThArray *r = th_array_empty(s->ctx, TH_COMPLEX128, th_array_ndim(a), th_array_shape(a));
    lt_push_array(L, s, r);
    const double *x = th_array_data(sorted);
    ThComplex128 *to = th_array_data(r);
    for (int64_t i = 0; i < n; i++) to[i] = (ThComplex128){x[i], 0};
    return 1;
}

/* ---- polynomials, powers ----------------------------------------------------------------------------------------- */
WIDE(void, integrals, (double *restrict to, const double *c, int64_t n), (to, c, n), {
    for (int64_t i = 0; i < n; i++) to[i] = c[i] / (double)(n - i);
    to[n] = 0;
})
int series_polyint(lua_State *L, LtState *s) { /* polyint(p) */
    const ThArray *p = vector_of(L, s, 1);
    if (!p || th_array_size(p) == 0) return 0;
    const int64_t n = th_array_size(p), all = n + 1;
    const double *c = th_array_data(p);
    integrals(floats(L, s, 1, &all), c, n);
    return 1;
}

WIDE(void, derivatives, (double *restrict to, const double *c, int64_t n), (to, c, n), {
    for (int64_t i = 0; i < n; i++) to[i] = c[i] * (double)(n - i);
})
int series_polyder(lua_State *L, LtState *s) { /* polyder(p) */
    const ThArray *p = vector_of(L, s, 1);
    const int64_t n = th_array_size(p), all = n - 1;
    if (!p || n < 2) return 0;
    const double *c = th_array_data(p);
    derivatives(floats(L, s, 1, &all), c, all);
    return 1;
}

/* How far it is to the element `lag` behind, in `outer` runs of n such steps. */
WIDE(void, steps, (double *restrict to, const double *x, int64_t outer, int64_t n, int64_t lag), (to, x, outer, n, lag),
     {
         for (int64_t o = 0; o < outer; o++, to += n, x += n + lag)
             for (int64_t i = 0; i < n; i++) to[i] = x[i + lag] - x[i];
     })
int series_ediff1d(lua_State *L, LtState *s) { /* ediff1d(x) */
    const ThArray *a = vector_of(L, s, 1);
    const int64_t all = th_array_size(a) - 1;
    if (!a || all < 0) return 0;
    const double *x = th_array_data(a);
    steps(floats(L, s, 1, &all), x, 1, all, 1);
    return 1;
}
int series_diff(lua_State *L, LtState *s) { /* diff(x, {axis = n}) */
    const ThArray *a = short_dense(L, s, 1);
    const int nd = a ? th_array_ndim(a) : 0, last = lua_gettop(L);
    int64_t axis = nd - 1, outer = 1, lag = 1, shape[TH_MAX_NDIM];
    if (nd == 0 || th_array_dtype(a) != TH_FLOAT64 || last > 2) return 0;
    if (last == 2 && (!lua_istable(L, 2) || !short_axis(L, 2, nd, &axis))) return 0;
    for (int d = 0; d < nd; d++) {
        shape[d] = th_array_shape(a)[d] - (d == axis);
        if (d < axis) outer *= shape[d];
        if (d > axis) lag *= shape[d];
    }
    if (shape[axis] < 0 || outer == 0) return 0;
    const double *x = th_array_data(a);
    steps(floats(L, s, nd, shape), x, outer, shape[axis] * lag, lag);
    return 1;
}

int series_poly(lua_State *L, LtState *s) { /* poly(zeros): one zero more in each turn */
    enum { MOST = 4096 };
    const ThArray *zeros = vector_of(L, s, 1);
    if (!zeros || th_array_size(zeros) == 0 || th_array_size(zeros) > MOST) return 0;
    const int64_t n = th_array_size(zeros), all = n + 1;
    const double *z = th_array_data(zeros);
    double *p = floats(L, s, 1, &all);
    p[0] = 1;
    for (int64_t k = 0; k < n; k++) {
        p[k + 1] = 0.0 - z[k] * p[k];
        for (int64_t j = k; j > 0; j--) p[j] = p[j] - z[k] * p[j - 1];
        p[0] = p[0] - z[k] * 0.0;
    }
    return 1;
}

int series_vander(lua_State *L, LtState *s) { /* vander(x): running products, the last column 1 */
    const ThArray *a = vector_of(L, s, 1);
    const int64_t n = th_array_size(a), shape[2] = {n, n};
    if (!a || n == 0 || n > 1 << 15) return 0;
    const double *x = th_array_data(a);
    double *to = floats(L, s, 2, shape);
    enum { SOME = 8 }; /* rows whose products do not wait for each other */
    for (int64_t r = 0; r < n; r += SOME) {
        const int some = n - r < SOME ? (int)(n - r) : SOME;
        double p[SOME] = {1, 1, 1, 1, 1, 1, 1, 1};
        for (int64_t j = n - 1; j >= 0; j--)
            for (int i = 0; i < some; i++) to[(r + i) * n + j] = p[i], p[i] *= x[r + i];
    }
    return 1;
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */
int series_trapezoid(lua_State *L, LtState *s) { /* trapezoid(y) */
    const ThArray *a = vector_of(L, s, 1);
    const int64_t n = th_array_size(a), pairs = n - 1;
    if (!a || n < 2) return 0;
    const double *y = th_array_data(a);
    double *to = floats(L, s, 1, &pairs);
    for (int64_t i = 0; i < pairs; i++) to[i] = (y[i + 1] + y[i]) / 2.0;
    ThArray *r = given(s, "sum", lt_array(L, s, -1), NULL);
    if (!r) return lua_pop(L, 1), 0;
    lt_push_result(L, s, r, false);
    return 1;
}

static int running(lua_State *L, LtState *s, const char *name) {
    ThArray *a = vector_of(L, s, 1);
    return a ? pushed(L, s, given(s, name, a, NULL)) : 0;
}
int series_cumulative_sum(lua_State *L, LtState *s) { return running(L, s, "cumsum"); }
int series_cumulative_prod(lua_State *L, LtState *s) { return running(L, s, "cumprod"); }

/* ---- without NaN ------------------------------------------------------------------------------------------------- */
WIDE(int64_t, numbers_only, (double *restrict to, const double *x, int64_t n), (to, x, n), {
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        to[i] = x[i] == x[i] ? x[i] : 0.0;
        count += x[i] == x[i];
    }
    return count;
})
WIDE(void, squares, (double *restrict to, const double *x, int64_t n, double about), (to, x, n, about), {
    for (int64_t i = 0; i < n; i++) {
        const double off = x[i] == x[i] ? x[i] - about : 0.0;
        to[i] = off * off;
    }
})

static bool summed(LtState *s, ThArray *a, double *sum) {
    ThArray *r = given(s, "sum", a, NULL);
    ThValue v;
    const bool fine = r && !th_array_get(r, NULL, &v);
    th_array_release(r);
    return fine ? (*sum = v.f, true) : (th_error_clear(s->ctx), false);
}

/* Of a vector some of which are NaN, but not all. */
static bool variance(lua_State *L, LtState *s, double *r) {
    const ThArray *a = vector_of(L, s, 1);
    const int64_t n = th_array_size(a);
    double sum;
    if (!a || n == 0) return false;
    const double *x = th_array_data(a);
    double *to = floats(L, s, 1, &n);
    ThArray *clean = lt_array(L, s, -1);
    const int64_t count = numbers_only(to, x, n);
    bool fine = count > 0 && count < n && summed(s, clean, &sum);
    if (fine) {
        squares(to, x, n, sum / (double)count);
        fine = summed(s, clean, &sum);
        *r = sum / (double)count;
    }
    lua_pop(L, 1);
    return fine;
}
int series_nanvar(lua_State *L, LtState *s) { /* nanvar(x) */
    double r;
    return variance(L, s, &r) ? (lua_pushnumber(L, r), 1) : 0;
}
int series_nanstd(lua_State *L, LtState *s) { /* nanstd(x) */
    double r;
    return variance(L, s, &r) ? (lua_pushnumber(L, sqrt(r)), 1) : 0;
}

/* ---- windows ----------------------------------------------------------------------------------------------------- */
/* k by / m for k = -m, 2 - m, .. m, and m = n - 1 (1 of one point). */
WIDE(void, turns, (double *to, int64_t n, double by), (to, n, by), {
    const double m = n > 1 ? (double)(n - 1) : 1.0;
    for (int64_t i = 0; i < n; i++) to[i] = (double)(2 * i - (n - 1)) * by / m;
})
WIDE(void, raised, (double *x, int64_t n, double by, double up), (x, n, by, up), {
    for (int64_t i = 0; i < n; i++) x[i] = x[i] * by + up;
})
WIDE(void, raised_by_two, (double *restrict x, const double *y, int64_t n, double by, double also, double up),
     (x, y, n, by, also, up), {
         for (int64_t i = 0; i < n; i++) x[i] = x[i] * by + y[i] * also + up;
     })

/* The cosines of turns, pushed; NULL: nothing is. */
static double *cosines(lua_State *L, LtState *s, int64_t n, double by) {
    turns(floats(L, s, 1, &n), n, by);
    ThArray *r = given(s, "cos", lt_array(L, s, -1), NULL);
    lua_pop(L, 1);
    if (!r) return NULL;
    lt_push_array(L, s, r);
    return th_array_data(r);
}

static const double half_turn = 3.141592653589793;
static bool points_of(lua_State *L, int64_t *n) {
    if (lua_gettop(L) != 1 || lua_type(L, 1) != LUA_TNUMBER || !lua_isinteger(L, 1)) return false;
    *n = lua_tointeger(L, 1);
    return *n >= 1 && *n <= 1 << 30;
}
static int window(lua_State *L, LtState *s, double by, double up) {
    int64_t n;
    double *x = points_of(L, &n) ? cosines(L, s, n, half_turn) : NULL;
    if (!x) return 0;
    raised(x, n, by, up);
    return 1;
}
int series_hamming(lua_State *L, LtState *s) { return window(L, s, 0.46, 0.54); }
int series_hanning(lua_State *L, LtState *s) { return window(L, s, 0.5, 0.5); }
int series_blackman(lua_State *L, LtState *s) {
    int64_t n;
    if (!points_of(L, &n)) return 0;
    double *x = cosines(L, s, n, half_turn), *y = x ? cosines(L, s, n, 2 * half_turn) : NULL;
    if (!y) return lua_pop(L, x != NULL), 0;
    raised_by_two(x, y, n, 0.5, 0.08, 0.42);
    lua_pop(L, 1);
    return 1;
}

/* ---- sets -------------------------------------------------------------------------------------------------------- */
int series_setxor1d(lua_State *L, LtState *s) { /* setxor1d(x, y) of int64: both in order, then side by side */
    ThArray *a = short_dense(L, s, 1), *b = short_dense(L, s, 2);
    if (!a || !b || lua_gettop(L) != 2 || th_array_dtype(a) != TH_INT64 || th_array_dtype(b) != TH_INT64) return 0;
    if (th_array_ndim(a) != 1 || th_array_ndim(b) != 1) return 0;
    if (!pushed(L, s, given(s, "unique", a, NULL))) return 0;
    if (!pushed(L, s, given(s, "unique", b, NULL))) return lua_pop(L, 1), 0;
    const ThArray *u = lt_array(L, s, -2), *v = lt_array(L, s, -1);
    const int64_t n = th_array_size(u), m = th_array_size(v), *x = th_array_data(u), *y = th_array_data(v);
    int64_t *all = lua_newuserdatauv(L, sizeof *all * (size_t)(n + m + 1), 0), k = 0;
    for (int64_t i = 0, j = 0; i < n || j < m;) {
        const bool first = j == m || (i < n && x[i] < y[j]), second = i == n || (j < m && y[j] < x[i]);
        if (first) all[k++] = x[i];
        else if (second) all[k++] = y[j];
        i += !second, j += !first;
    }
    ThArray *r = th_array_empty(s->ctx, TH_INT64, 1, &k);
    lt_push_array(L, s, r);
    if (k) memcpy(th_array_data(r), all, sizeof *all * (size_t)k);
    return 1;
}

/* ---- pieces ------------------------------------------------------------------------------------------------------ */
int series_insert(lua_State *L, LtState *s) { /* insert(x, i, number) of a vector */
    const ThArray *a = vector_of(L, s, 3);
    if (!a || lua_type(L, 2) != LUA_TNUMBER || !lua_isinteger(L, 2) || lua_type(L, 3) != LUA_TNUMBER) return 0;
    const int64_t n = th_array_size(a), all = n + 1;
    int64_t at = lua_tointeger(L, 2);
    if (at < 0) at += n;
    if (at < 0 || at > n) return 0;
    const double *x = th_array_data(a), v = lua_tonumber(L, 3);
    double *to = floats(L, s, 1, &all);
    if (at) memcpy(to, x, (size_t)at * sizeof *to);
    to[at] = v;
    if (at < n) memcpy(to + at + 1, x + at, (size_t)(n - at) * sizeof *to);
    return 1;
}

WIDE(void, counting, (int64_t * to, int64_t n), (to, n), {
    for (int64_t i = 0; i < n; i++) to[i] = i;
})
int series_arange(lua_State *L, LtState *s) { /* arange(n) */
    if (lua_gettop(L) != 1 || lua_type(L, 1) != LUA_TNUMBER || !lua_isinteger(L, 1)) return 0;
    const int64_t n = lua_tointeger(L, 1);
    if (n < 0) return 0;
    ThArray *r = th_array_empty(s->ctx, TH_INT64, 1, &n);
    lt_push_array(L, s, r);
    counting(th_array_data(r), n);
    return 1;
}

/* 0, 1, .. n - 1, each so many times. */
WIDE(void, stairs, (double *to, int64_t n, int64_t each), (to, n, each), {
    if (each == 1)
        for (int64_t i = 0; i < n; i++) to[i] = (double)i;
    else
        for (int64_t i = 0; i < n; i++, to += each)
            for (int64_t k = 0; k < each; k++) to[k] = (double)i;
})
int series_fromfunction(lua_State *L, LtState *s) { /* fromfunction(fn, {n, ..}): fn of positions along each axis */
    enum { MOST = 4 };
    int64_t shape[MOST], all = 1;
    if (lua_gettop(L) != 2 || lua_type(L, 1) != LUA_TFUNCTION) return 0;
    const int nd = short_integers(L, 2, shape, MOST);
    if (nd < 1) return 0;
    for (int d = 0; d < nd; d++) {
        if (shape[d] < 1 || shape[d] > (1 << 30) / all) return 0;
        all *= shape[d];
    }
    luaL_checkstack(L, nd + 2, "positions");
    lua_pushvalue(L, 1);
    for (int64_t d = 0, inner = all; d < nd; d++) {
        inner /= shape[d];
        double *to = floats(L, s, nd, shape);
        stairs(to, shape[d], inner);
        moves_again((char *)to, sizeof *to * (size_t)(shape[d] * inner), sizeof *to * (size_t)all);
    }
    lua_call(L, nd, LUA_MULTRET);
    const int results = lua_gettop(L) - 2;
    return results ? results : SHORT_DONE;
}
