/*
 * lines.c -- short ways (short.h) of functions that reduce each row of a matrix, or make or read one line of numbers.
 * Always holds: every sum has the order of the other way's (32 lanes, folded by halves).
 */
#include "short.h"
#include "wide.h"

#include <math.h>
#include <string.h>

static double *floats(lua_State *L, LtState *s, int nd, const int64_t *shape) {
    ThArray *a = th_array_empty(s->ctx, TH_FLOAT64, nd, shape);
    lt_push_array(L, s, a);
    return th_array_data(a);
}

/* ---- sums of products -------------------------------------------------------------------------------------------- */
enum { LANES = 32, LONGEST = 32768 }; /* from there on sums are made of blocks */
typedef double Eight __attribute__((vector_size(64)));

#define FEED(x, y) \
    { \
        Eight p_, q_; \
        memcpy(&p_, x, 64), memcpy(&q_, y, 64), a += p_ * q_; \
        memcpy(&p_, (x) + 8, 64), memcpy(&q_, (y) + 8, 64), b += p_ * q_; \
        memcpy(&p_, (x) + 16, 64), memcpy(&q_, (y) + 16, 64), c += p_ * q_; \
        memcpy(&p_, (x) + 24, 64), memcpy(&q_, (y) + 24, 64), d += p_ * q_; \
    }
WIDE(void, dots, (double *to, const double *x, int64_t rows, int64_t n, const double *y, int64_t step),
     (to, x, rows, n, y, step), {
         const int64_t whole = n / LANES * LANES;
         double u[LANES] = {0}, v[LANES] = {0};
         for (int64_t r = 0; r < rows; r++, x += n, y += step) {
             Eight a = {0}, b = {0}, c = {0}, d = {0};
             for (int64_t i = 0; i < whole; i += LANES) FEED(x + i, y + i)
             if (whole < n) {
                 for (int64_t i = whole; i < n; i++) u[i - whole] = x[i], v[i - whole] = y[i];
                 FEED(u, v)
             }
             double t[8];
             a = (a + c) + (b + d);
             memcpy(t, &a, sizeof t);
             to[r] = ((t[0] + t[4]) + (t[2] + t[6])) + ((t[1] + t[5]) + (t[3] + t[7]));
         }
     })

/* Both float64, dense, of so many dimensions, and equally long rows that are no sums of blocks. */
static bool factors(lua_State *L, LtState *s, int nd, int md, ThArray **a, ThArray **b) {
    *a = short_dense(L, s, 1), *b = short_dense(L, s, 2);
    if (!*a || !*b || th_array_dtype(*a) != TH_FLOAT64 || th_array_dtype(*b) != TH_FLOAT64) return false;
    if (th_array_ndim(*a) != nd || th_array_ndim(*b) != md) return false;
    const int64_t n = th_array_shape(*a)[nd - 1];
    return n == th_array_shape(*b)[md - 1] && n > 0 && n <= LONGEST;
}

int lines_vecdot(lua_State *L, LtState *s) { /* vecdot(m, q) */
    ThArray *a, *b;
    if (lua_gettop(L) != 2 || !factors(L, s, 2, 2, &a, &b) || th_array_shape(a)[0] != th_array_shape(b)[0]) return 0;
    const int64_t rows = th_array_shape(a)[0], n = th_array_shape(a)[1];
    dots(floats(L, s, 1, &rows), th_array_data(a), rows, n, th_array_data(b), n);
    return 1;
}

int lines_by_vector(lua_State *L, LtState *s) { /* a matrix by a vector */
    ThArray *a, *b;
    if (lua_gettop(L) != 2 || !factors(L, s, 2, 1, &a, &b)) return 0;
    const int64_t rows = th_array_shape(a)[0];
    dots(floats(L, s, 1, &rows), th_array_data(a), rows, th_array_shape(a)[1], th_array_data(b), 0);
    return 1;
}

/* ---- places of extrema ------------------------------------------------------------------------------------------- */
/* The first place of the greatest of n doubles (of the least: better is <); the first NaN before all. */
#define PLACES(NAME, BETTER, WORST) \
    WIDE(void, NAME, (int64_t * to, const double *x, int64_t rows, int64_t n), (to, x, rows, n), { \
        enum { SOME = 32 }; \
        for (int64_t r = 0; r < rows; r++, x += n) { \
            double e[SOME]; \
            int64_t bad = 0, i = 0, at = 0; \
            for (int j = 0; j < SOME; j++) e[j] = WORST; \
            for (; i + SOME <= n; i += SOME) \
                for (int j = 0; j < SOME; j++) e[j] = x[i + j] BETTER e[j] ? x[i + j] : e[j]; \
            for (int j = 0; i < n; i++, j++) e[j] = x[i] BETTER e[j] ? x[i] : e[j]; \
            for (int h = SOME / 2; h > 0; h /= 2) \
                for (int j = 0; j < h; j++) e[j] = e[j + h] BETTER e[j] ? e[j + h] : e[j]; \
            for (i = 0; i < n; i++) bad += x[i] != x[i]; \
            if (bad) { \
                while (x[at] == x[at]) at++; \
            } else { \
                for (int64_t none = 1; none && at + SOME <= n; at += none ? SOME : 0) { \
                    int64_t hits = 0; \
                    for (int j = 0; j < SOME; j++) hits += x[at + j] == e[0]; \
                    none = !hits; \
                } \
                while (x[at] != e[0]) at++; \
            } \
            to[r] = at; \
        } \
    })
PLACES(greatest, >, -HUGE_VAL)
PLACES(least, <, HUGE_VAL)

static int places(lua_State *L, LtState *s, void (*of)(int64_t *to, const double *x, int64_t rows, int64_t n)) {
    ThArray *a = short_dense(L, s, 1);
    int64_t axis = -1;
    if (!a || lua_gettop(L) != 2 || th_array_dtype(a) != TH_FLOAT64 || th_array_ndim(a) != 2) return 0;
    if (!short_axis(L, 2, 2, &axis) || axis != 1 || !th_array_size(a)) return 0;
    const int64_t rows = th_array_shape(a)[0];
    ThArray *r = th_array_empty(s->ctx, TH_INT64, 1, &rows);
    lt_push_array(L, s, r);
    of(th_array_data(r), th_array_data(a), rows, th_array_shape(a)[1]);
    return 1;
}
int lines_argmax(lua_State *L, LtState *s) { return places(L, s, greatest); }
int lines_argmin(lua_State *L, LtState *s) { return places(L, s, least); }

int lines_all(lua_State *L, LtState *s) { /* all(x), all(m, {axis = 1}) of bool: up to the first false one */
    ThArray *a = short_dense(L, s, 1);
    int64_t axis = -1;
    if (!a || th_array_dtype(a) != TH_BOOL || th_array_ndim(a) == 0) return 0;
    if (lua_gettop(L) == 1) {
        lua_pushboolean(L, !memchr(th_array_data(a), 0, (size_t)th_array_size(a)));
        return 1;
    }
    if (lua_gettop(L) != 2 || th_array_ndim(a) != 2) return 0;
    if (!short_axis(L, 2, 2, &axis) || axis != 1 || !th_array_size(a)) return 0;
    const int64_t rows = th_array_shape(a)[0], n = th_array_shape(a)[1];
    const char *x = th_array_data(a);
    ThArray *r = th_array_empty(s->ctx, TH_BOOL, 1, &rows);
    lt_push_array(L, s, r);
    uint8_t *to = th_array_data(r);
    for (int64_t i = 0; i < rows; i++, x += n) to[i] = !memchr(x, 0, (size_t)n);
    return 1;
}

/* ---- numbers of a line ------------------------------------------------------------------------------------------- */
WIDE(void, tent, (double *to, int64_t n), (to, n), {
    const double span = (double)(n > 1 ? n - 1 : 1), half = span / 2;
    for (int64_t i = 0; i < n; i++) {
        const double x = (double)i, up = 2 * x / span, down = 2 - up;
        to[i] = x <= half ? up : down;
    }
})
int lines_bartlett(lua_State *L, LtState *s) { /* bartlett(n) */
    if (lua_gettop(L) != 1 || lua_type(L, 1) != LUA_TNUMBER || !lua_isinteger(L, 1)) return 0;
    const int64_t n = lua_tointeger(L, 1);
    if (n < 1 || n > 1 << 30) return 0;
    double *to = floats(L, s, 1, &n);
    if (n == 1) to[0] = 1;
    else tent(to, n);
    return 1;
}

WIDE(void, rounded, (double *restrict to, const double *x, int64_t n, double scale), (to, x, n, scale), {
    for (int64_t i = 0; i < n; i++) to[i] = rint(x[i] * scale) / scale;
})
int lines_round(lua_State *L, LtState *s) { /* round(x, decimals), decimals > 0, of float64 */
    static const double power[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
    ThArray *a = short_dense(L, s, 1);
    if (!a || lua_gettop(L) != 2 || th_array_dtype(a) != TH_FLOAT64 || th_array_ndim(a) == 0) return 0;
    if (lua_type(L, 2) != LUA_TNUMBER || !lua_isinteger(L, 2)) return 0;
    const int64_t decimals = lua_tointeger(L, 2);
    if (decimals < 1 || decimals > 9) return 0;
    double *to = floats(L, s, th_array_ndim(a), th_array_shape(a));
    rounded(to, th_array_data(a), th_array_size(a), power[decimals]);
    return 1;
}

/* A power of 2 that is a normal number: one product, rounded as it has to be. */
WIDE(void, scaled, (double *restrict to, const double *x, int64_t n, double by), (to, x, n, by), {
    for (int64_t i = 0; i < n; i++) to[i] = x[i] * by;
})
int lines_ldexp(lua_State *L, LtState *s) { /* ldexp(x, whole number) of float64 */
    ThArray *a = short_dense(L, s, 1);
    if (!a || lua_gettop(L) != 2 || th_array_dtype(a) != TH_FLOAT64 || th_array_ndim(a) == 0) return 0;
    if (lua_type(L, 2) != LUA_TNUMBER || !lua_isinteger(L, 2)) return 0;
    const int64_t k = lua_tointeger(L, 2);
    if (k < -1022 || k > 1023) return 0;
    double *to = floats(L, s, th_array_ndim(a), th_array_shape(a));
    scaled(to, th_array_data(a), th_array_size(a), ldexp(1, (int)k));
    return 1;
}

WIDE(void, nearest, (double *restrict to, const double *x, int64_t n), (to, x, n), {
    for (int64_t i = 0; i < n; i++) to[i] = rint(x[i]);
})
int lines_rint(lua_State *L, LtState *s) { /* rint(x) of float64 */
    ThArray *a = short_dense(L, s, 1);
    if (!a || lua_gettop(L) != 1 || th_array_dtype(a) != TH_FLOAT64 || th_array_ndim(a) == 0) return 0;
    double *to = floats(L, s, th_array_ndim(a), th_array_shape(a));
    nearest(to, th_array_data(a), th_array_size(a));
    return 1;
}

/* ---- looks ------------------------------------------------------------------------------------------------------- */
WIDE(int64_t, far_from_real, (const ThComplex128 *x, int64_t n, double most), (x, n, most), {
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) count += !(fabs(x[i].im) < most);
    return count;
})
int lines_real_if_close(lua_State *L, LtState *s) { /* of complex128: itself at the first part that is not small */
    enum { SOME = 1024 };
    ThArray *a = short_dense(L, s, 1);
    if (!a || lua_gettop(L) != 1 || th_array_dtype(a) != TH_COMPLEX128 || th_array_ndim(a) == 0) return 0;
    const ThComplex128 *x = th_array_data(a);
    const int64_t n = th_array_size(a);
    for (int64_t i = 0; i < n; i += SOME)
        if (far_from_real(x + i, n - i < SOME ? n - i : SOME, 100 * 0x1p-52)) return lua_pushvalue(L, 1), 1;
    return 0;
}

int lines_trim_zeros(lua_State *L, LtState *s) { /* trim_zeros(x) of a vector of float64 */
    ThArray *a = short_dense(L, s, 1);
    if (!a || lua_gettop(L) != 1 || th_array_dtype(a) != TH_FLOAT64 || th_array_ndim(a) != 1) return 0;
    const double *x = th_array_data(a);
    int64_t from = 0, to = th_array_size(a), step = sizeof *x;
    while (from < to && x[from] == 0) from++;
    while (to > from && x[to - 1] == 0) to--;
    if (from == to) return 0;
    to -= from;
    ThArray *v = th_array_view(a, 1, &to, &step, from * step);
    lt_push_array(L, s, v);
    return 1;
}

/* ---- distinct numbers -------------------------------------------------------------------------------------------- */
int lines_unique_counts(lua_State *L, LtState *s) { /* of int64 that lie close to each other: they are counted */
    ThArray *a = short_dense(L, s, 1);
    if (!a || lua_gettop(L) != 1 || th_array_dtype(a) != TH_INT64 || th_array_size(a) == 0) return 0;
    const int64_t n = th_array_size(a), *x = th_array_data(a);
    int64_t low = x[0], high = x[0], found = 0;
    for (int64_t i = 1; i < n; i++) {
        low = x[i] < low ? x[i] : low;
        high = x[i] > high ? x[i] : high;
    }
    const uint64_t range = (uint64_t)high - (uint64_t)low;
    if (range > (uint64_t)(2 * n + 256)) return 0;
    int64_t *count = lua_newuserdatauv(L, ((size_t)range + 1) * sizeof *count, 0);
    memset(count, 0, ((size_t)range + 1) * sizeof *count);
    for (int64_t i = 0; i < n; i++) count[(uint64_t)x[i] - (uint64_t)low]++;
    for (uint64_t v = 0; v <= range; v++) found += count[v] != 0;
    int64_t *to[2];
    for (int i = 0; i < 2; i++) {
        ThArray *r = th_array_empty(s->ctx, TH_INT64, 1, &found);
        lt_push_array(L, s, r);
        to[i] = th_array_data(r);
    }
    for (uint64_t v = 0, k = 0; v <= range; v++) {
        if (!count[v]) continue;
        to[0][k] = (int64_t)((uint64_t)low + v);
        to[1][k++] = count[v];
    }
    return 2;
}
