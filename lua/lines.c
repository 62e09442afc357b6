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
typedef double Four __attribute__((vector_size(32)));

#define LANE4(x, y, i, sum) \
    { \
        Four p_, q_; \
        memcpy(&p_, (x) + 4 * (i), 32), memcpy(&q_, (y) + 4 * (i), 32), sum += p_ * q_; \
    }
#define FEED(x, y) \
    { \
        LANE4(x, y, 0, a) \
        LANE4(x, y, 1, b) \
        LANE4(x, y, 2, c) LANE4(x, y, 3, d) LANE4(x, y, 4, e) LANE4(x, y, 5, f) LANE4(x, y, 6, g) LANE4(x, y, 7, h) \
    }
WIDE(void, dots, (double *to, const double *x, int64_t rows, int64_t n, const double *y, int64_t step),
     (to, x, rows, n, y, step), {
         const int64_t whole = n / LANES * LANES;
         double u[LANES] = {0}, v[LANES] = {0};
         for (int64_t r = 0; r < rows; r++, x += n, y += step) {
             Four a = {0}, b = {0}, c = {0}, d = {0}, e = {0}, f = {0}, g = {0}, h = {0};
             for (int64_t i = 0; i < whole; i += LANES) FEED(x + i, y + i)
             if (whole < n) {
                 for (int64_t i = whole; i < n; i++) u[i - whole] = x[i], v[i - whole] = y[i];
                 FEED(u, v)
             }
             a = (a + e) + (c + g), b = (b + f) + (d + h);
             a = a + b;
             to[r] = (a[0] + a[2]) + (a[1] + a[3]);
         }
     })

#ifdef WIDE_BY_PROCESSOR
/* Several rows at a time hide each other's ends; where they come from memory, short ones are faster one by one, asked
 * for AHEAD elements before their turn. */
enum { ROWS = 4, LONG = 1000, MEDIUM = 64, NEAR = 1 << 18, AHEAD = 256 };
typedef double Eight __attribute__((vector_size(64)));
typedef int64_t Whole8 __attribute__((vector_size(64)));
#define WITH_512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
/* The same sums of `many` rows of at least LANES at a time, but not of the last ones: behind a row's end some of the
 * next one is read. How many rows these are. */
static inline __attribute__((always_inline)) WITH_512 int64_t rows_at_once(const int many, double *to, const double *x,
                                                                           int64_t rows, int64_t n, const double *y) {
    enum { EACH = LANES / 8 };
    const int64_t whole = n / LANES * LANES, rest = n - whole;
    Whole8 keep[EACH];
    double v[LANES] = {0};
    int64_t r = 0;
    for (int i = 0; i < LANES; i++) keep[i / 8][i % 8] = i < rest ? -1 : 0;
    for (int64_t i = 0; i < rest; i++) v[i] = y[whole + i];
    for (; r + many < rows; r += many, x += many * n) {
        Eight sum[ROWS][EACH], p, q;
        for (int j = 0; j < many; j++)
            for (int k = 0; k < EACH; k++) sum[j][k] = (Eight){0};
        for (int64_t i = 0; i < whole; i += LANES)
            for (int k = 0; k < EACH; k++) {
                memcpy(&q, y + i + 8 * k, sizeof q);
                if (many == 1) __builtin_prefetch((const char *)x + (i + 8 * k + AHEAD) * (int64_t)sizeof *x);
                for (int j = 0; j < many; j++) memcpy(&p, x + j * n + i + 8 * k, sizeof p), sum[j][k] += p * q;
            }
#pragma GCC unroll 4
        for (int k = 0; k < EACH; k++) { /* sums stay in registers where k is known */
            if (8 * k >= rest) break;
            memcpy(&q, v + 8 * k, sizeof q);
            for (int j = 0; j < many; j++) {
                memcpy(&p, x + j * n + whole + 8 * k, sizeof p);
                sum[j][k] += (Eight)((Whole8)p & keep[k]) * q;
            }
        }
        for (int j = 0; j < many; j++) {
            const Eight all = (sum[j][0] + sum[j][2]) + (sum[j][1] + sum[j][3]);
            const double a = all[0] + all[4], b = all[1] + all[5], c = all[2] + all[6], d = all[3] + all[7];
            to[r + j] = (a + c) + (b + d);
        }
    }
    return r;
}
static WITH_512 int64_t rows_of_dots(double *to, const double *x, int64_t rows, int64_t n, const double *y) {
    const bool several = n >= LONG || (n >= MEDIUM && rows * n <= NEAR);
    return several ? rows_at_once(ROWS, to, x, rows, n, y) : rows_at_once(1, to, x, rows, n, y);
}
#endif

/* The last arguments, from `first` on: both float64, dense, of so many dimensions, and equally long rows that are no
 * sums of blocks. */
static bool factors(lua_State *L, LtState *s, int first, int nd, int md, ThArray **a, ThArray **b) {
    if (lua_gettop(L) != first + 1) return false;
    *a = short_dense(L, s, first), *b = short_dense(L, s, first + 1);
    if (!*a || !*b || th_array_dtype(*a) != TH_FLOAT64 || th_array_dtype(*b) != TH_FLOAT64) return false;
    if (th_array_ndim(*a) != nd || th_array_ndim(*b) != md) return false;
    const int64_t n = th_array_shape(*a)[nd - 1];
    return n == th_array_shape(*b)[md - 1] && n > 0 && n <= LONGEST;
}

int lines_vecdot(lua_State *L, LtState *s) { /* vecdot(m, q) */
    ThArray *a, *b;
    if (!factors(L, s, 1, 2, 2, &a, &b) || th_array_shape(a)[0] != th_array_shape(b)[0]) return 0;
    const int64_t rows = th_array_shape(a)[0], n = th_array_shape(a)[1];
    dots(floats(L, s, 1, &rows), th_array_data(a), rows, n, th_array_data(b), n);
    return 1;
}

static int by_vector(lua_State *L, LtState *s, int first) {
    ThArray *a, *b;
    if (!factors(L, s, first, 2, 1, &a, &b)) return 0;
    const int64_t rows = th_array_shape(a)[0], n = th_array_shape(a)[1];
    int64_t done = 0;
    double *to = floats(L, s, 1, &rows);
    const double *x = th_array_data(a), *y = th_array_data(b);
#ifdef WIDE_BY_PROCESSOR
    if (n >= LANES && rows > ROWS && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw"))
        done = rows_of_dots(to, x, rows, n, y);
#endif
    dots(to + done, x + done * n, rows - done, n, y, 0);
    return 1;
}

int lines_by_vector(lua_State *L, LtState *s) { return by_vector(L, s, 1); } /* a matrix by a vector */

static bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

int lines_einsum(lua_State *L, LtState *s) { /* einsum("ij,j->i", matrix, vector), of any two letters */
    const char *t = lua_type(L, 1) == LUA_TSTRING ? lua_tostring(L, 1) : "";
    if (!letter(t[0]) || !letter(t[1]) || t[0] == t[1] || t[2] != ',' || t[3] != t[1]) return 0;
    if (strncmp(t + 4, "->", 2) != 0 || t[6] != t[0] || t[7]) return 0;
    return by_vector(L, s, 2);
}

/* The sum of x's elements in the order of a reduction. */
WIDE(double, total, (const double *x, int64_t n), (x, n), {
    double e[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int j = 0; j < LANES; j++) e[j] += x[i + j];
    for (int j = 0; i < n; i++, j++) e[j] += x[i];
    for (int w = LANES / 2; w; w /= 2)
        for (int j = 0; j < w; j++) e[j] += e[j + w];
    return e[0];
})

/* The array at i as {weights = w} alone. */
static ThArray *weights(lua_State *L, LtState *s, int i) {
    int keys = 0;
    if (!lua_istable(L, i)) return NULL;
    if (lua_getmetatable(L, i)) return lua_pop(L, 1), NULL;
    for (lua_pushnil(L); lua_next(L, i); lua_pop(L, 1)) keys++;
    lua_pushliteral(L, "weights");
    ThArray *w = lua_rawget(L, i) != LUA_TNIL && keys == 1 ? short_dense(L, s, -1) : NULL;
    lua_pop(L, 1);
    return w;
}

int lines_average(lua_State *L, LtState *s) { /* average(x, {weights = w}) of vectors */
    ThArray *a = lua_gettop(L) == 2 ? short_dense(L, s, 1) : NULL, *w = a ? weights(L, s, 2) : NULL;
    if (!a || !w || th_array_dtype(a) != TH_FLOAT64 || th_array_dtype(w) != TH_FLOAT64) return 0;
    const int64_t n = th_array_size(a);
    if (th_array_ndim(a) != 1 || th_array_ndim(w) != 1 || n != th_array_size(w) || n > LONGEST) return 0;
    const double whole = total(th_array_data(w), n);
    double r = 0;
    if (whole == 0) return 0; /* an error, where words are */
    dots(&r, th_array_data(a), 1, n, th_array_data(w), 0);
    lua_pushnumber(L, r / whole);
    return 1;
}

/* ---- places of extrema ------------------------------------------------------------------------------------------- */
/* The first place of the greatest of n doubles (of the least: better is <); the first NaN before all. Lanes keep their
 * best and the block it came from, which is looked into at the end; the last block reaches back into the one before it.
 * Where there is a NaN, the sum is one: such a row is searched once more, as one with both infinities is. */
typedef int64_t Whole4 __attribute__((vector_size(32)));
#define BETTER4(NAME, BETTER) \
    static inline __attribute__((always_inline)) void NAME(Four *x, const Four *y) { /* NaN in x: y */ \
        double a[4], b[4]; \
        memcpy(a, x, 32), memcpy(b, y, 32); \
        for (int k = 0; k < 4; k++) a[k] = a[k] BETTER b[k] ? a[k] : b[k]; \
        memcpy(x, a, 32); \
    }
BETTER4(greater4, >)
BETTER4(less4, <)
#define BLOCK(BETTER, BEST) \
    { \
        Four a, b, c, d; \
        memcpy(&a, x + at, 32), memcpy(&b, x + at + 4, 32), memcpy(&c, x + at + 8, 32), memcpy(&d, x + at + 12, 32); \
        p += a, q += b, u += c, v += d; \
        BEST(&a, &b), BEST(&c, &d), BEST(&a, &c); \
        const Whole4 new_ = a BETTER best; \
        where = (turn & new_) | (where & ~new_); \
        BEST(&a, &best), best = a; \
    }
#define PLACES(NAME, BETTER, BEST, WORST) \
    WIDE(void, NAME, (int64_t * to, const double *x, int64_t rows, int64_t n), (to, x, rows, n), { \
        enum { SOME = 16 }; \
        for (int64_t r = 0; r < rows; r++, x += n) { \
            Four best = {WORST, WORST, WORST, WORST}, p = {0}, q = {0}, u = {0}, v = {0}; \
            Whole4 where = {0}, turn = {0}; \
            double e = WORST, sum = 0; \
            int64_t at = 0, place = 0, in = SOME; \
            if (n < SOME) { \
                for (; at < n && sum == 0; at++) { \
                    if (x[at] != x[at]) place = at, sum = 1; \
                    else if (x[at] BETTER e) e = x[at], place = at; \
                } \
                to[r] = place; \
                continue; \
            } \
            for (; at + SOME <= n; at += SOME, turn += SOME) BLOCK(BETTER, BEST) \
            if (at < n) { \
                turn += n - SOME - at, at = n - SOME; \
                BLOCK(BETTER, BEST) \
            } \
            p = (p + q) + (u + v), sum = (p[0] + p[1]) + (p[2] + p[3]); \
            for (int k = 0; k < 4; k++) e = best[k] BETTER e ? best[k] : e; \
            place = n - SOME; \
            for (int k = 0; k < 4; k++) { \
                const int64_t from = best[k] == e ? where[k] : place; \
                place = from < place ? from : place; \
            } \
            for (int k = SOME - 1; k >= 0; k--) in = x[place + k] == e ? k : in; \
            place += in; \
            for (at = 0; sum != sum && at < n; at++) \
                if (x[at] != x[at]) place = at, sum = 0; \
            to[r] = place; \
        } \
    })
PLACES(greatest, >, greater4, -HUGE_VAL)
PLACES(least, <, less4, HUGE_VAL)

static int places(lua_State *L, LtState *s, void (*of)(int64_t *to, const double *x, int64_t rows, int64_t n)) {
    ThArray *a = short_dense(L, s, 1);
    int64_t axis = 0; /* of all elements: nil is none */
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
    int64_t axis = 0; /* nil is none */
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

/* Positions of what is true. Of eight bools at a time, as bits of one byte: a table has the places of those that are
 * set, and all eight are written where there is room. */
WIDE(void, positions, (int64_t *restrict to, const uint8_t *m, int64_t n, int64_t count, uint8_t (*place)[8]),
     (to, m, n, count, place), {
         int64_t k = 0;
         int64_t i = 0;
         for (; i + 8 <= n && k + 8 <= count; i += 8) {
             uint64_t v;
             memcpy(&v, m + i, 8);
             v = ((v & 0x7f7f7f7f7f7f7f7f) + 0x7f7f7f7f7f7f7f7f) | v; /* the highest bit of each that is not 0 */
             const unsigned bits = (unsigned)((v >> 7 & 0x0101010101010101) * 0x0102040810204080 >> 56);
             for (int j = 0; j < 8; j++) to[k + j] = i + place[bits][j];
             k += __builtin_popcount(bits);
         }
         for (; i < n && k < count; i++) {
             to[k] = i;
             k += m[i] != 0;
         }
     })
static void by_table(int64_t *to, const uint8_t *m, int64_t n, int64_t count) {
    uint8_t place[256][8] = {{0}};
    for (int v = 0; v < 256; v++)
        for (int bit = 0, k = 0; bit < 8; bit++)
            if (v >> bit & 1) place[v][k++] = (uint8_t)bit;
    positions(to, m, n, count, place);
}

int lines_flatnonzero(lua_State *L, LtState *s) { /* flatnonzero(m) of bool */
    enum { FEW = 1024 /* for which the table costs more than it saves */ };
    ThArray *a = short_dense(L, s, 1);
    if (!a || lua_gettop(L) != 1 || th_array_dtype(a) != TH_BOOL || th_array_ndim(a) == 0) return 0;
    const uint8_t *m = th_array_data(a);
    const int64_t n = th_array_size(a), count = short_trues(m, n);
    ThArray *r = th_array_empty(s->ctx, TH_INT64, 1, &count);
    lt_push_array(L, s, r);
    int64_t *to = th_array_data(r);
    for (int64_t i = 0, k = 0; n < FEW && k < count; i++) to[k] = i, k += m[i] != 0;
    if (n >= FEW && count) by_table(to, m, n, count);
    return 1;
}
int lines_nonzero(lua_State *L, LtState *s) { /* nonzero(m) of a vector of bool */
    return th_array_ndim(lt_array(L, s, 1)) == 1 ? lines_flatnonzero(L, s) : 0;
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
