/*
 * counts.c -- short ways (short.h) of functions that count, compare and place: histograms, elements along an axis,
 * positions of several dimensions, sums of polynomials, products of vectors, words about arrays. Always holds: as
 * short.h says; sums have the order of the other way's.
 */
#include "short.h"
#include "wide.h"

#include <math.h>
#include <string.h>

static ThArray *made(lua_State *L, LtState *s, ThDtype d, int nd, const int64_t *shape) { /* pushed */
    ThArray *r = th_array_empty(s->ctx, d, nd, shape);
    lt_push_array(L, s, r);
    return r;
}

/* ---- histograms -------------------------------------------------------------------------------------------------- */
enum { BINS = 4096 };

/* One pass for each: loops so plain have vectors. */
WIDE_EXTREMUM(highest, >, -HUGE_VAL)
WIDE_EXTREMUM(lowest, <, HUGE_VAL)
WIDE(bool, all_numbers, (const double *x, int64_t n), (x, n), {
    uint64_t bad = 0;
    for (int64_t i = 0; i < n; i++) bad |= x[i] != x[i];
    return !bad;
})

/* The least and the greatest element; false: one is NaN. What lies in the nearest cache is gone through three times. */
static bool range_of(const double *x, int64_t n, double *low, double *high) {
    enum { NEAR = 2048 };
    *low = HUGE_VAL, *high = -HUGE_VAL;
    for (int64_t i = 0; i < n; i += NEAR) {
        const int64_t m = n - i < NEAR ? n - i : NEAR;
        if (!all_numbers(x + i, m)) return false;
        const double least = lowest(x + i, m), most = highest(x + i, m);
        if (least < *low) *low = least;
        if (most > *high) *high = most;
    }
    return true;
}

/* Edges of bins of equal width between the least and the greatest element; false: there are none, or not finite. */
static bool even_edges(const double *x, int64_t n, int64_t bins, double *edges) {
    double low, high;
    if (n == 0 || !range_of(x, n, &low, &high) || !(high - low < HUGE_VAL)) return false;
    if (low == high) low -= 0.5, high += 0.5;
    const double step = (high - low) / (double)bins;
    for (int64_t k = 0; k < bins; k++) edges[k] = (double)k * step + low;
    edges[bins] = high;
    return true;
}

static inline int64_t bin_of(double v, const double *edges, int64_t bins, double per) {
    const double guess = (v - edges[0]) * per;
    int64_t k = guess < (double)bins ? (int64_t)guess : bins - 1;
    if (k < 0) k = 0;
    while (k + 1 < bins && v >= edges[k + 1]) k++;
    while (k > 0 && v < edges[k]) k--;
    return k;
}

/* By a guess that is mended: which edges are at most x is what counts. Four counters a bin do not wait for each other's
 * stores. */
static void counted(const double *x, int64_t n, const double *edges, int64_t bins, int64_t *count, int64_t *more) {
    const double per = (double)bins / (edges[bins] - edges[0]);
    memset(more, 0, sizeof *more * 4 * (size_t)bins);
    for (int64_t i = 0; i < n; i++) more[4 * bin_of(x[i], edges, bins, per) + (i & 3)]++;
    for (int64_t k = 0; k < bins; k++) count[k] = more[4 * k] + more[4 * k + 1] + more[4 * k + 2] + more[4 * k + 3];
}

static double *of_bins(lua_State *L, LtState *s, int64_t *bins, double **edges) {
    ThArray *a = short_dense(L, s, 1);
    *bins = 10;
    if (!a || lua_gettop(L) > 2 || th_array_dtype(a) != TH_FLOAT64 || th_array_ndim(a) == 0) return NULL;
    if (lua_gettop(L) == 2) {
        if (lua_type(L, 2) != LUA_TNUMBER || !lua_isinteger(L, 2)) return NULL;
        *bins = lua_tointeger(L, 2);
    }
    if (*bins < 1 || *bins > BINS) return NULL;
    const int64_t n = *bins + 1;
    *edges = th_array_data(made(L, s, TH_FLOAT64, 1, &n));
    if (even_edges(th_array_data(a), th_array_size(a), *bins, *edges)) return th_array_data(a);
    lua_pop(L, 1);
    return NULL;
}

int counts_histogram(lua_State *L, LtState *s) { /* histogram(x[, bins]) of float64 */
    int64_t bins;
    double *edges, *x = of_bins(L, s, &bins, &edges);
    if (!x) return 0;
    const int64_t n = th_array_size(lt_array(L, s, 1));
    int64_t *more = lua_newuserdatauv(L, sizeof *more * 4 * (size_t)bins, 0);
    counted(x, n, edges, bins, th_array_data(made(L, s, TH_INT64, 1, &bins)), more);
    lua_pushvalue(L, -3);
    return 2;
}

int counts_bin_edges(lua_State *L, LtState *s) { /* histogram_bin_edges(x[, bins]) of float64 */
    int64_t bins;
    double *edges;
    return of_bins(L, s, &bins, &edges) ? 1 : 0;
}

static int plain_edges(lua_State *L) { /* even_edges(x, bins): as histogram_bin_edges, or nothing */
    return counts_bin_edges(L, LT_STATE(L));
}

/* Whether edges rise, none of them further than a bin from where it would be between bins of one width. */
static bool nearly_even(const double *edges, int64_t bins) {
    const double width = edges[bins] - edges[0], each = width / (double)bins;
    bool even = width < HUGE_VAL;
    for (int64_t k = 0; k < bins; k++)
        even &= edges[k] < edges[k + 1] && fabs(edges[k] - edges[0] - (double)k * each) <= each;
    return even;
}

/* bin_places(x, edges): the bin of each element of a vector, and how many bins there are for one in none; nothing where
 * edges are not nearly even. */
static int bin_places(lua_State *L) {
    LtState *s = LT_STATE(L);
    ThArray *a = short_dense(L, s, 1), *e = short_dense(L, s, 2);
    const int64_t n = th_array_size(a), bins = th_array_size(e) - 1;
    if (!a || !e || th_array_dtype(a) != TH_FLOAT64 || th_array_dtype(e) != TH_FLOAT64) return 0;
    if (th_array_ndim(a) != 1 || th_array_ndim(e) != 1 || bins < 1 || bins > BINS) return 0;
    const double *x = th_array_data(a), *edges = th_array_data(e);
    if (!nearly_even(edges, bins)) return 0;
    const double per = (double)bins / (edges[bins] - edges[0]);
    int64_t *at = th_array_data(made(L, s, TH_INT64, 1, &n));
    for (int64_t i = 0; i < n; i++)
        at[i] = x[i] >= edges[0] && x[i] <= edges[bins] ? bin_of(x[i], edges, bins, per) : bins;
    return 1;
}

void lt_open_counts(lua_State *L, LtState *s) {
    static const luaL_Reg fns[] = {{"bin_places", bin_places}, {"even_edges", plain_edges}, {NULL, NULL}};
    lt_register(L, s, fns);
}

/* ---- elements along the last axis -------------------------------------------------------------------------------- */
typedef struct Along {
    ThArray *a, *at;
    int64_t lines, n, m; /* lines of n elements, m positions in each */
    size_t bytes;
} Along;

static bool inside(const int64_t *at, int64_t count, int64_t n) {
    uint64_t bad = 0; /* a sign where one is outside */
    for (int64_t i = 0; i < count; i++) bad |= ((uint64_t)at[i] + (uint64_t)n) | ((uint64_t)(n - 1) - (uint64_t)at[i]);
    return bad >> 63 == 0;
}

/* The axis is the last one: absent, or what the argument `axis` says. */
static bool along_of(lua_State *L, LtState *s, int axis, Along *p) {
    ThArray *a = p->a = short_dense(L, s, 1), *at = p->at = short_dense(L, s, 2);
    const int nd = th_array_ndim(a);
    if (!a || !at || nd == 0 || th_array_ndim(at) != nd || th_array_dtype(at) != TH_INT64) return false;
    int64_t last = nd - 1;
    if (!short_axis(L, axis, nd, &last) || last != nd - 1) return false;
    p->n = th_array_shape(a)[nd - 1], p->m = th_array_shape(at)[nd - 1], p->lines = 1;
    for (int d = 0; d < nd - 1; d++) {
        if (th_array_shape(a)[d] != th_array_shape(at)[d]) return false;
        p->lines *= th_array_shape(a)[d];
    }
    p->bytes = th_dtype_bytes(th_array_dtype(a));
    return inside(th_array_data(at), th_array_size(at), p->n) && (p->bytes == 8 || p->bytes == 4);
}

#define LINES(T, body) \
    for (int64_t l = 0; l < p.lines; l++, at += p.m, a += p.n * (int64_t)sizeof(T), v += p.m * (int64_t)sizeof(T)) \
        for (int64_t i = 0; i < p.m; i++) { \
            const int64_t j = at[i] + (at[i] < 0 ? p.n : 0); \
            body; \
        }
int counts_take_along(lua_State *L, LtState *s) { /* take_along_axis(a, positions, axis) */
    Along p;
    if (lua_gettop(L) < 2 || !along_of(L, s, 3, &p)) return 0;
    char *v = th_array_data(made(L, s, th_array_dtype(p.a), th_array_ndim(p.a), th_array_shape(p.at)));
    const int64_t *at = th_array_data(p.at);
    const char *a = th_array_data(p.a);
    if (p.bytes == 8) LINES(uint64_t, memcpy(v + 8 * i, a + 8 * j, 8))
    else LINES(uint32_t, memcpy(v + 4 * i, a + 4 * j, 4))
    return 1;
}

int counts_put_along(lua_State *L, LtState *s) { /* put_along_axis(a, positions, values, axis) */
    Along p;
    ThArray *from = short_dense(L, s, 3);
    if (lua_gettop(L) < 3 || !from || !along_of(L, s, 4, &p) || !th_array_writeable(p.a)) return 0;
    const int nd = th_array_ndim(p.a);
    if (th_array_dtype(from) != th_array_dtype(p.a) || th_array_ndim(from) != nd ||
        memcmp(th_array_shape(from), th_array_shape(p.at), sizeof(int64_t) * (size_t)nd) != 0 ||
        th_array_shares_memory(p.a, from) || th_array_shares_memory(p.a, p.at))
        return 0;
    char *a = th_array_data(p.a);
    const int64_t *at = th_array_data(p.at);
    const char *v = th_array_data(from);
    if (p.bytes == 8) LINES(uint64_t, memcpy(a + 8 * j, v + 8 * i, 8))
    else LINES(uint32_t, memcpy(a + 4 * j, v + 4 * i, 4))
    return SHORT_DONE;
}

/* ---- positions of several dimensions ----------------------------------------------------------------------------- */
int counts_argwhere(lua_State *L, LtState *s) { /* argwhere(a) */
    ThArray *a = lt_array(L, s, 1), *to[TH_MAX_NDIM];
    if (!a || lua_gettop(L) != 1 || th_array_ndim(a) == 0) return 0;
    const int nd = th_array_ndim(a);
    luaL_checkstack(L, nd + 4, "argwhere");
    if (lines_nonzero(L, s)) to[0] = lt_array(L, s, -1);
    else {
        if (th_array_nonzero(a, to)) return th_error_clear(s->ctx), 0;
        for (int d = 0; d < nd; d++) lt_push_array(L, s, to[d]);
    }
    const int64_t n = th_array_size(to[0]), shape[2] = {n, nd}, strides[2] = {8, 8};
    if (nd == 1) {
        ThArray *v = th_array_view(to[0], 2, shape, strides, 0);
        lt_push_array(L, s, v);
        return 1;
    }
    int64_t *r = th_array_data(made(L, s, TH_INT64, 2, shape));
    for (int d = 0; d < nd; d++) {
        const int64_t *p = th_array_data(to[d]);
        for (int64_t i = 0; i < n; i++) r[i * nd + d] = p[i];
    }
    return 1;
}

int counts_unravel(lua_State *L, LtState *s) { /* unravel_index(positions, {n, m}) */
    ThArray *p = short_dense(L, s, 1);
    int64_t form[2];
    if (!p || lua_gettop(L) != 2 || th_array_dtype(p) != TH_INT64 || th_array_ndim(p) == 0) return 0;
    if (short_integers(L, 2, form, 2) != 2 || form[0] < 1 || form[1] < 1 || form[0] > INT32_MAX || form[1] > INT32_MAX)
        return 0;
    const int64_t n = th_array_size(p), *at = th_array_data(p);
    uint64_t most = 0;
    for (int64_t i = 0; i < n; i++) most = (uint64_t)at[i] > most ? (uint64_t)at[i] : most;
    if (most >= (uint64_t)(form[0] * form[1])) return 0;
    int64_t *row = th_array_data(made(L, s, TH_INT64, th_array_ndim(p), th_array_shape(p)));
    int64_t *column = th_array_data(made(L, s, TH_INT64, th_array_ndim(p), th_array_shape(p)));
    if (most <= UINT32_MAX)
        for (int64_t i = 0; i < n; i++) {
            const uint32_t v = (uint32_t)at[i], q = v / (uint32_t)form[1];
            row[i] = q, column[i] = v - q * (uint32_t)form[1];
        }
    else
        for (int64_t i = 0; i < n; i++) row[i] = at[i] / form[1], column[i] = at[i] % form[1];
    return 2;
}

int counts_ravel(lua_State *L, LtState *s) { /* ravel_multi_index({rows, columns}, {n, m}) */
    int64_t form[2];
    if (lua_gettop(L) != 2 || !lua_istable(L, 1) || lua_rawlen(L, 1) != 2) return 0;
    if (lua_getmetatable(L, 1)) return lua_pop(L, 1), 0;
    lua_rawgeti(L, 1, 1);
    lua_rawgeti(L, 1, 2);
    ThArray *row = short_dense(L, s, -2), *column = short_dense(L, s, -1);
    lua_pop(L, 2);
    if (!row || !column || th_array_dtype(row) != TH_INT64 || th_array_dtype(column) != TH_INT64) return 0;
    const int nd = th_array_ndim(row);
    if (nd == 0 || th_array_ndim(column) != nd ||
        memcmp(th_array_shape(row), th_array_shape(column), sizeof(int64_t) * (size_t)nd) != 0)
        return 0;
    if (short_integers(L, 2, form, 2) != 2 || form[0] < 1 || form[1] < 1 || form[0] > INT32_MAX || form[1] > INT32_MAX)
        return 0;
    const int64_t n = th_array_size(row), *i = th_array_data(row), *j = th_array_data(column);
    uint64_t bad = 0;
    for (int64_t k = 0; k < n; k++)
        bad |= (uint64_t)i[k] | (uint64_t)(form[0] - 1 - i[k]) | (uint64_t)j[k] | (uint64_t)(form[1] - 1 - j[k]);
    if (bad >> 63) return 0;
    int64_t *to = th_array_data(made(L, s, TH_INT64, nd, th_array_shape(row)));
    for (int64_t k = 0; k < n; k++) to[k] = i[k] * form[1] + j[k];
    return 1;
}

/* ---- polynomials ------------------------------------------------------------------------------------------------- */
WIDE(void, added, (double *restrict to, const double *x, const double *y, int64_t n), (to, x, y, n), {
    for (int64_t i = 0; i < n; i++) to[i] = x[i] + y[i];
})
WIDE(void, taken, (double *restrict to, const double *x, const double *y, int64_t n), (to, x, y, n), {
    for (int64_t i = 0; i < n; i++) to[i] = x[i] - y[i];
})
static int poly_sum(lua_State *L, LtState *s, double sign) { /* of vectors of float64, the shorter one behind zeros */
    ThArray *a = short_dense(L, s, 1), *b = short_dense(L, s, 2);
    if (!a || !b || lua_gettop(L) != 2 || th_array_ndim(a) != 1 || th_array_ndim(b) != 1) return 0;
    if (th_array_dtype(a) != TH_FLOAT64 || th_array_dtype(b) != TH_FLOAT64) return 0;
    const int64_t n = th_array_size(a), m = th_array_size(b), all = n > m ? n : m;
    if (n == 0 || m == 0) return 0;
    double *to = th_array_data(made(L, s, TH_FLOAT64, 1, &all));
    const double *x = th_array_data(a), *y = th_array_data(b);
    int64_t i = 0;
    for (; i < all - m; i++) to[i] = x[i] + sign * 0.0;
    for (; i < all - n; i++) to[i] = 0.0 + sign * y[i];
    x -= all - n, y -= all - m;
    (sign > 0 ? added : taken)(to + i, x + i, y + i, all - i);
    return 1;
}
int counts_polyadd(lua_State *L, LtState *s) { return poly_sum(L, s, 1); }
int counts_polysub(lua_State *L, LtState *s) { return poly_sum(L, s, -1); }

/* y = y x + c for each coefficient, from 0 on; some elements at a time stay in the nearest cache. */
WIDE(void, horner, (double *restrict y, const double *x, int64_t n, const double *c, int64_t m), (y, x, n, c, m), {
    enum { SOME = 512 };
    for (int64_t i = 0; i < n; i += SOME) {
        const int64_t end = n - i < SOME ? n : i + SOME;
        for (int64_t j = i; j < end; j++) y[j] = 0.0 * x[j] + c[0];
        for (int64_t k = 1; k < m; k++)
            for (int64_t j = i; j < end; j++) y[j] = y[j] * x[j] + c[k];
    }
})
int counts_polyval(lua_State *L, LtState *s) { /* polyval(p, x) of float64 */
    ThArray *p = short_dense(L, s, 1), *x = short_dense(L, s, 2);
    if (!p || !x || lua_gettop(L) != 2 || th_array_ndim(p) != 1 || th_array_size(p) == 0 || th_array_ndim(x) == 0)
        return 0;
    if (th_array_dtype(p) != TH_FLOAT64 || th_array_dtype(x) != TH_FLOAT64) return 0;
    double *y = th_array_data(made(L, s, TH_FLOAT64, th_array_ndim(x), th_array_shape(x)));
    horner(y, th_array_data(x), th_array_size(x), th_array_data(p), th_array_size(p));
    return 1;
}

int counts_gradient(lua_State *L, LtState *s) { /* gradient(x) of a vector of float64 */
    ThArray *a = short_dense(L, s, 1);
    if (!a || lua_gettop(L) != 1 || th_array_ndim(a) != 1 || th_array_dtype(a) != TH_FLOAT64) return 0;
    const int64_t n = th_array_size(a);
    if (n < 3) return 0;
    const double *x = th_array_data(a);
    double *to = th_array_data(made(L, s, TH_FLOAT64, 1, &n));
    to[0] = (x[1] - x[0]) / 1.0;
    for (int64_t i = 1; i < n - 1; i++) to[i] = (x[i + 1] - x[i - 1]) / 2.0;
    to[n - 1] = (x[n - 1] - x[n - 2]) / 1.0;
    return 1;
}

int counts_cross(lua_State *L, LtState *s) { /* cross(a, b) of rows of three float64 */
    ThArray *a = short_dense(L, s, 1), *b = short_dense(L, s, 2);
    const int nd = th_array_ndim(a);
    if (!a || !b || lua_gettop(L) != 2 || nd == 0 || th_array_ndim(b) != nd) return 0;
    if (th_array_dtype(a) != TH_FLOAT64 || th_array_dtype(b) != TH_FLOAT64 || th_array_shape(a)[nd - 1] != 3 ||
        memcmp(th_array_shape(a), th_array_shape(b), sizeof(int64_t) * (size_t)nd) != 0)
        return 0;
    const double *x = th_array_data(a), *y = th_array_data(b);
    double *to = th_array_data(made(L, s, TH_FLOAT64, nd, th_array_shape(a)));
    const int64_t n = th_array_size(a);
    for (int64_t i = 0; i < n; i += 3) {
        to[i] = x[i + 1] * y[i + 2] - x[i + 2] * y[i + 1];
        to[i + 1] = x[i + 2] * y[i] - x[i] * y[i + 2];
        to[i + 2] = x[i] * y[i + 1] - x[i + 1] * y[i];
    }
    return 1;
}

/* ---- products ---------------------------------------------------------------------------------------------------- */
static bool real_floats(const ThArray *a, const ThArray *b) {
    return a && b && th_array_dtype(a) == th_array_dtype(b) &&
           (th_array_dtype(a) == TH_FLOAT64 || th_array_dtype(a) == TH_FLOAT32);
}

/* dot(a, b), of which nothing is wrong. */
static int product(lua_State *L, LtState *s, ThArray *a, ThArray *b) {
    const ThArg at[2] = {{.kind = TH_ARG_ARRAY, .array = a}, {.kind = TH_ARG_ARRAY, .array = b}};
    ThArray *out;
    const int f = th_func_find("dot");
    if (f < 0 || th_eager(s->ctx, f, at, 2, &out, 1) != 1) return th_error_clear(s->ctx), 0;
    lt_push_result(L, s, out, false);
    return 1;
}

/* Both operands of so many dimensions, whose last (or only) lengths agree. */
static int product_of(lua_State *L, LtState *s, int nd, int md, int along, int other) {
    ThArray *a = lt_array(L, s, 1), *b = lt_array(L, s, 2);
    if (!real_floats(a, b) || lua_gettop(L) != 2 || th_array_ndim(a) != nd || th_array_ndim(b) != md) return 0;
    return th_array_shape(a)[along] == th_array_shape(b)[other] ? product(L, s, a, b) : 0;
}
int counts_inner(lua_State *L, LtState *s) {
    const int n = product_of(L, s, 1, 1, 0, 0);
    return n ? n : counts_matvec(L, s);
}
int counts_vdot(lua_State *L, LtState *s) { return product_of(L, s, 1, 1, 0, 0); }
int counts_matvec(lua_State *L, LtState *s) {
    const int n = lines_by_vector(L, s);
    return n ? n : product_of(L, s, 2, 1, 1, 0);
}
int counts_vecmat(lua_State *L, LtState *s) { return product_of(L, s, 1, 2, 0, 0); }

#define OUTER(NAME, T) \
    WIDE(void, NAME, (T *restrict to, const T *x, int64_t n, const T *y, int64_t m), (to, x, n, y, m), { \
        for (int64_t i = 0; i < n; i++) \
            for (int64_t j = 0; j < m; j++) to[i * m + j] = x[i] * y[j]; \
    })
OUTER(outer_doubles, double)
OUTER(outer_floats, float)
OUTER(outer_integers, uint64_t)
int counts_outer(lua_State *L, LtState *s) { /* outer(x, y) of vectors of one dtype */
    ThArray *a = short_dense(L, s, 1), *b = short_dense(L, s, 2);
    const ThDtype d = th_array_dtype(a);
    if (!a || !b || lua_gettop(L) != 2 || th_array_ndim(a) != 1 || th_array_ndim(b) != 1 || th_array_dtype(b) != d)
        return 0;
    if (d != TH_FLOAT64 && d != TH_FLOAT32 && d != TH_INT64) return 0;
    const int64_t n = th_array_size(a), m = th_array_size(b), shape[2] = {n, m};
    ThArray *r = th_array_empty(s->ctx, d, 2, shape);
    lt_push_array(L, s, r);
    if (d == TH_FLOAT64) outer_doubles(th_array_data(r), th_array_data(a), n, th_array_data(b), m);
    else if (d == TH_FLOAT32) outer_floats(th_array_data(r), th_array_data(a), n, th_array_data(b), m);
    else outer_integers(th_array_data(r), th_array_data(a), n, th_array_data(b), m);
    return 1;
}

/* A diagonal that is short enough for one block of accumulators (see kernel.h: 32 lanes, folded by halves). */
int counts_trace(lua_State *L, LtState *s) { /* trace(m) of float64 */
    enum { LANES = 32, SHORT = 32768 };
    ThArray *a = short_dense(L, s, 1);
    if (!a || lua_gettop(L) != 1 || th_array_ndim(a) != 2 || th_array_dtype(a) != TH_FLOAT64) return 0;
    const int64_t rows = th_array_shape(a)[0], m = th_array_shape(a)[1], n = rows < m ? rows : m;
    if (n < 1 || n > SHORT) return 0;
    const double *x = th_array_data(a);
    double acc[LANES] = {0};
    for (int64_t i = 0; i < n; i++) acc[i % LANES] += x[i * (m + 1)];
    for (int h = LANES / 2; h >= 1; h /= 2)
        for (int i = 0; i < h; i++) acc[i] += acc[i + h];
    lua_pushnumber(L, acc[0]);
    return 1;
}

int counts_diag_indices(lua_State *L, LtState *s) { /* diag_indices(n): one vector twice */
    if (lua_gettop(L) != 1 || lua_type(L, 1) != LUA_TNUMBER || !lua_isinteger(L, 1)) return 0;
    const int64_t n = lua_tointeger(L, 1);
    if (n < 0 || n > 1 << 30) return 0;
    int64_t *to = th_array_data(made(L, s, TH_INT64, 1, &n));
    for (int64_t i = 0; i < n; i++) to[i] = i;
    lua_pushvalue(L, -1);
    return 2;
}

/* ---- words about arrays ------------------------------------------------------------------------------------------ */
static ThArray *alone(lua_State *L, LtState *s) { return lua_gettop(L) == 1 ? lt_array(L, s, 1) : NULL; }
int counts_iscomplexobj(lua_State *L, LtState *s) {
    ThArray *a = alone(L, s);
    return a ? lua_pushboolean(L, th_dtype_kind(th_array_dtype(a)) == 'c'), 1 : 0;
}
int counts_isrealobj(lua_State *L, LtState *s) {
    ThArray *a = alone(L, s);
    return a ? lua_pushboolean(L, th_dtype_kind(th_array_dtype(a)) != 'c'), 1 : 0;
}
int counts_isfortran(lua_State *L, LtState *s) {
    ThArray *a = alone(L, s);
    return a ? lua_pushboolean(L, th_array_fortran(a) && !th_array_contiguous(a)), 1 : 0;
}
int counts_result_type(lua_State *L, LtState *s) { /* result_type(a, b) of arrays of floats */
    ThArray *a = lt_array(L, s, 1), *b = lt_array(L, s, 2);
    if (!a || !b || lua_gettop(L) != 2) return 0;
    const ThDtype d = th_array_dtype(a), e = th_array_dtype(b);
    if ((d != TH_FLOAT32 && d != TH_FLOAT64) || (e != TH_FLOAT32 && e != TH_FLOAT64)) return 0;
    lua_pushstring(L, th_dtype_name(d == TH_FLOAT32 ? e : d));
    return 1;
}

int counts_iterable(lua_State *L, LtState *s) {
    ThArray *a = alone(L, s);
    return a ? lua_pushboolean(L, th_array_ndim(a) > 0), 1 : 0;
}

int counts_binary_repr(lua_State *L, LtState *s) { /* binary_repr(n) of what is not negative */
    char text[64];
    (void)s;
    if (lua_gettop(L) != 1 || lua_type(L, 1) != LUA_TNUMBER || !lua_isinteger(L, 1) || lua_tointeger(L, 1) < 0)
        return 0;
    lua_Integer v = lua_tointeger(L, 1);
    int n = 64;
    do text[--n] = (char)('0' + (v & 1));
    while (v >>= 1);
    lua_pushlstring(L, text + n, (size_t)(64 - n));
    return 1;
}

int counts_base_repr(lua_State *L, LtState *s) { /* base_repr(n, base) of what is not negative */
    char text[64];
    (void)s;
    if (lua_gettop(L) != 2 || lua_type(L, 1) != LUA_TNUMBER || !lua_isinteger(L, 1) || lua_tointeger(L, 1) < 0)
        return 0;
    if (lua_type(L, 2) != LUA_TNUMBER || !lua_isinteger(L, 2)) return 0;
    lua_Integer v = lua_tointeger(L, 1), base = lua_tointeger(L, 2);
    int n = 64;
    if (base < 2 || base > 36) return 0;
    do text[--n] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[v % base];
    while (v /= base);
    lua_pushlstring(L, text + n, (size_t)(64 - n));
    return 1;
}
