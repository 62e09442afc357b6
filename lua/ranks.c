/*
 * ranks.c -- short ways (short.h) of functions that ask for a place in the order of elements: partitions, medians and
 * quantiles of whole arrays, bins of edges that rise. Always holds: numbers are those of the other way, which sorts;
 * partitions are some other order that a partition may have.
 */
#include "short.h"

#include <math.h>

/* ---- parts ------------------------------------------------------------------------------------------------------- */
static int parts(lua_State *L, LtState *s, bool positions) { /* partition(x, kth) along the last axis */
    ThArray *a = short_dense(L, s, 1);
    const ThDtype d = th_array_dtype(a);
    if (!a || lua_gettop(L) != 2 || (d != TH_FLOAT64 && d != TH_INT64) || th_array_ndim(a) == 0) return 0;
    if (lua_type(L, 2) != LUA_TNUMBER || !lua_isinteger(L, 2)) return 0;
    const int64_t n = th_array_shape(a)[th_array_ndim(a) - 1];
    int64_t kth = lua_tointeger(L, 2);
    if (kth < 0) kth += n;
    if (kth < 0 || kth >= n) return 0;
    lt_collect(L, s);
    lt_push_array(L, s, th_array_partition(a, kth, positions));
    return 1;
}
int ranks_partition(lua_State *L, LtState *s) { return parts(L, s, false); }
int ranks_argpartition(lua_State *L, LtState *s) { return parts(L, s, true); }

/* ---- quantiles --------------------------------------------------------------------------------------------------- */
/* Place v among n sorted elements: between two of them as NumPy rounds it. false: memory is out. */
static bool between(const ThArray *a, int64_t n, double v, double *r) {
    const double low = floor(v), t = v - low;
    const int64_t at = low < 0 ? 0 : low > (double)(n - 1) ? n - 1 : (int64_t)low;
    ThValue x, y;
    if (th_array_rank(a, at, &x, at + 1 < n ? &y : NULL)) return false;
    if (at + 1 >= n) y = x;
    *r = t >= 0.5 ? y.f - (y.f - x.f) * (1 - t) : x.f + (y.f - x.f) * t;
    return true;
}

/* quantile(x, q) of all elements of float64 that are no NaN, or NaN where one is. */
static int quantile(lua_State *L, LtState *s, double scale, bool skip) {
    ThArray *a = short_dense(L, s, 1);
    if (!a || lua_gettop(L) != 2 || th_array_dtype(a) != TH_FLOAT64 || lua_type(L, 2) != LUA_TNUMBER) return 0;
    const double p = lua_tonumber(L, 2);
    const int64_t n = th_array_size(a);
    if (n == 0 || !(p >= 0 && p <= scale)) return 0;
    const int64_t bad = th_array_count_nan(a), there = n - bad;
    double r = NAN;
    if (bad < 0 || there == 0) return 0;
    lt_collect(L, s);
    if ((skip || bad == 0) && !between(a, there, (double)(there - 1) * (p / scale), &r))
        return th_error_clear(s->ctx), 0;
    lua_pushnumber(L, r);
    return 1;
}
int ranks_quantile(lua_State *L, LtState *s) { return quantile(L, s, 1, false); }
int ranks_percentile(lua_State *L, LtState *s) { return quantile(L, s, 100, false); }
int ranks_nanquantile(lua_State *L, LtState *s) { return quantile(L, s, 1, true); }
int ranks_nanpercentile(lua_State *L, LtState *s) { return quantile(L, s, 100, true); }

static int median(lua_State *L, LtState *s, bool skip) { /* the middle one, or the mean of two */
    ThArray *a = short_dense(L, s, 1);
    if (!a || lua_gettop(L) != 1 || th_array_dtype(a) != TH_FLOAT64 || th_array_size(a) == 0) return 0;
    const int64_t bad = th_array_count_nan(a), n = th_array_size(a) - (skip ? bad : 0);
    ThValue x, y;
    if (bad < 0 || n == 0) return 0;
    lt_collect(L, s);
    if (bad > 0 && !skip) return lua_pushnumber(L, NAN), 1;
    if (th_array_rank(a, (n - 1) / 2, &x, n % 2 ? NULL : &y)) return th_error_clear(s->ctx), 0;
    lua_pushnumber(L, (x.f + (n % 2 ? x.f : y.f)) / 2);
    return 1;
}
int ranks_median(lua_State *L, LtState *s) { return median(L, s, false); }
int ranks_nanmedian(lua_State *L, LtState *s) { return median(L, s, true); }

/* ---- bins -------------------------------------------------------------------------------------------------------- */
static bool rises(const ThArray *a) { /* of float64: no edge is less than the one before it, none is NaN */
    const double *e = th_array_data(a);
    const int64_t n = th_array_size(a);
    bool up = n > 0 && e[0] == e[0];
    for (int64_t i = 1; i < n; i++) up &= e[i - 1] <= e[i];
    return up;
}

int ranks_digitize(lua_State *L, LtState *s) { /* digitize(x, edges) or digitize(x, edges, right) */
    ThArray *x = short_dense(L, s, 1), *edges = short_dense(L, s, 2), *r = NULL;
    const int top = lua_gettop(L);
    if (top < 2 || top > 3 || (top == 3 && !lua_isboolean(L, 3)) || !x || !edges) return 0;
    if (th_array_dtype(x) != TH_FLOAT64 || th_array_dtype(edges) != TH_FLOAT64 || th_array_ndim(x) == 0) return 0;
    if (th_array_ndim(edges) != 1 || !rises(edges)) return 0;
    const ThArg args[3] = {{.kind = TH_ARG_ARRAY, .array = edges},
                           {.kind = TH_ARG_ARRAY, .array = x},
                           {.kind = TH_ARG_STR, .s = top == 3 && lua_toboolean(L, 3) ? "left" : "right"}};
    if (th_eager(s->ctx, SHORT_FUNCTION(L), args, 3, &r, 1) != 1) return th_error_clear(s->ctx), 0;
    lt_push_array(L, s, r);
    return 1;
}
