/*
 * numbers.c -- short ways (short.h) of functions of each element that have a loop of vectors: quotients by one whole
 * number, comparisons with a number, parts of floats. Always holds: the bits of the other way.
 */
#include "short.h"
#include "wide.h"

#include <math.h>
#include <string.h>

static void *made(lua_State *L, LtState *s, ThDtype d, const ThArray *like) { /* pushed; of its shape */
    ThArray *r = th_array_empty(s->ctx, d, th_array_ndim(like), th_array_shape(like));
    lt_push_array(L, s, r);
    return th_array_data(r);
}

/* A dense array of dimensions, of a dtype, at 1, and nothing behind argument `last`. */
static ThArray *array_of(lua_State *L, LtState *s, ThDtype d, int last) {
    ThArray *a = short_dense(L, s, 1);
    return a && lua_gettop(L) == last && th_array_dtype(a) == d && th_array_ndim(a) > 0 ? a : NULL;
}

/* ---- quotients of integers --------------------------------------------------------------------------------------- */
/* Whether all lie below 2^51: exact as doubles, a quotient of which is at most one off, and added to 3 * 2^51 their
 * bits are those of the number, so that no conversion is asked for, which AVX2 lacks. */
WIDE(bool, near_zero, (const int64_t *x, int64_t n), (x, n), {
    uint64_t far = 0;
    for (int64_t i = 0; i < n; i++) far |= (uint64_t)x[i] ^ (uint64_t)(x[i] >> 63);
    return far >> 51 == 0;
})
#define SHIFT 0x1.8p52
#define SHIFT_BITS 0x4338000000000000
static inline double as_double(int64_t x) {
    double v;
    x += SHIFT_BITS;
    memcpy(&v, &x, 8);
    return v - SHIFT;
}
static inline int64_t as_integer(double v) {
    int64_t x;
    v += SHIFT;
    memcpy(&x, &v, 8);
    return x - SHIFT_BITS;
}
WIDE(void, quotients, (int64_t *restrict to, const int64_t *x, int64_t n, int64_t by), (to, x, n, by), {
    const double d = (double)by, inverse = 1 / d;
    for (int64_t i = 0; i < n; i++) {
        const double v = as_double(x[i]), q = floor(v * inverse), r = v - q * d;
        to[i] = as_integer(q - (r < 0 ? 1.0 : 0.0) + (r >= d ? 1.0 : 0.0));
    }
})
WIDE(void, remainders, (int64_t *restrict to, const int64_t *x, int64_t n, int64_t by), (to, x, n, by), {
    const double d = (double)by, inverse = 1 / d;
    for (int64_t i = 0; i < n; i++) {
        const double v = as_double(x[i]), r = v - floor(v * inverse) * d;
        to[i] = as_integer(r + (r < 0 ? d : 0.0) - (r >= d ? d : 0.0));
    }
})
static int divided(lua_State *L, LtState *s, bool rest) { /* by a whole number of 1 to 2^31 */
    ThArray *a = array_of(L, s, TH_INT64, 2);
    if (!a || lua_type(L, 2) != LUA_TNUMBER || !lua_isinteger(L, 2)) return 0;
    const int64_t by = lua_tointeger(L, 2), n = th_array_size(a), *x = th_array_data(a);
    if (by < 1 || by > (int64_t)1 << 31 || !near_zero(x, n)) return 0;
    int64_t *to = made(L, s, TH_INT64, a);
    if (rest) remainders(to, x, n, by);
    else quotients(to, x, n, by);
    return 1;
}
int numbers_quotient(lua_State *L, LtState *s) { return divided(L, s, false); }
int numbers_remainder(lua_State *L, LtState *s) { return divided(L, s, true); }

/* ---- shifts ------------------------------------------------------------------------------------------------------ */
WIDE(void, shifted_up, (int64_t *restrict to, const int64_t *x, int64_t n, int by), (to, x, n, by), {
    for (int64_t i = 0; i < n; i++) to[i] = (int64_t)((uint64_t)x[i] << by);
})
WIDE(void, shifted_down, (int64_t *restrict to, const int64_t *x, int64_t n, int by), (to, x, n, by), {
    for (int64_t i = 0; i < n; i++) to[i] = x[i] >> by;
})
static int shifted(lua_State *L, LtState *s, bool up) { /* by a whole number of 0 to 63 */
    ThArray *a = array_of(L, s, TH_INT64, 2);
    if (!a || lua_type(L, 2) != LUA_TNUMBER || !lua_isinteger(L, 2)) return 0;
    const int64_t by = lua_tointeger(L, 2);
    if (by < 0 || by > 63) return 0;
    int64_t *to = made(L, s, TH_INT64, a);
    (up ? shifted_up : shifted_down)(to, th_array_data(a), th_array_size(a), (int)by);
    return 1;
}
int numbers_left_shift(lua_State *L, LtState *s) { return shifted(L, s, true); }
int numbers_right_shift(lua_State *L, LtState *s) { return shifted(L, s, false); }

/* ---- comparisons ------------------------------------------------------------------------------------------------- */
/* Of float64 with a float, of float64 or int64 with an array of the same dtype and shape. */
typedef struct Pair {
    const ThArray *a;
    const void *x, *y; /* y NULL: the number v */
    double v;
    int64_t n;
} Pair;

static bool pair_of(lua_State *L, LtState *s, Pair *p) {
    const ThArray *a = p->a = short_dense(L, s, 1);
    if (!a || lua_gettop(L) != 2) return false;
    const ThDtype d = th_array_dtype(a);
    const int nd = th_array_ndim(a);
    if ((d != TH_FLOAT64 && d != TH_INT64) || nd == 0) return false;
    p->x = th_array_data(a), p->y = NULL, p->n = th_array_size(a);
    if (lua_type(L, 2) == LUA_TNUMBER)
        return d == TH_FLOAT64 && !lua_isinteger(L, 2) && (p->v = lua_tonumber(L, 2), true);
    const ThArray *b = short_dense(L, s, 2);
    if (!b || th_array_dtype(b) != d || th_array_ndim(b) != nd) return false;
    p->y = th_array_data(b);
    return !memcmp(th_array_shape(a), th_array_shape(b), sizeof(int64_t) * (size_t)nd);
}

/* Operands of 64 MB and more: two arrays are asked for half a page ahead, since the processor's own reading ahead ends
 * with each page, and the result goes past the caches, which they fill. */
enum { LINE = WIDE_LINE, ASKED = 2048, FAR = 4 << 20 /* elements of two */ };
#define ASK(from) __builtin_prefetch((const char *)(from) + ASKED, 0, 2)
#define COMPARE_LOOP(NAME, T, OP) \
    WIDE(void, NAME, (uint8_t *restrict to, const T *x, const T *y, int64_t n), (to, x, y, n), { \
        int64_t i = 0; \
        for (uint8_t line[LINE]; n >= FAR && i + LINE <= n; i += LINE) { \
            for (int j = 0; j < LINE; j += LINE / (int)sizeof(T)) ASK(x + i + j), ASK(y + i + j); \
            for (int j = 0; j < LINE; j++) line[j] = x[i + j] OP y[i + j]; \
            wide_past(to + i, line); \
        } \
        if (i) WIDE_STORED(); \
        for (; i < n; i++) to[i] = x[i] OP y[i]; \
    })
#define COMPARE(NAME, OP) \
    COMPARE_LOOP(floats_##NAME, double, OP) \
    COMPARE_LOOP(integers_##NAME, int64_t, OP) \
    WIDE(void, number_##NAME, (uint8_t *restrict to, const double *x, int64_t n, double v), (to, x, n, v), { \
        int64_t i = 0; \
        for (uint8_t line[LINE]; n >= 2 * FAR && i + LINE <= n; i += LINE) { \
            for (int j = 0; j < LINE; j++) line[j] = x[i + j] OP v; \
            wide_past(to + i, line); \
        } \
        if (i) WIDE_STORED(); \
        for (; i < n; i++) to[i] = x[i] OP v; \
    }) \
    int numbers_##NAME(lua_State *L, LtState *s) { \
        Pair p; \
        if (!pair_of(L, s, &p)) return 0; \
        uint8_t *to = made(L, s, TH_BOOL, p.a); \
        if (!p.y) number_##NAME(to, p.x, p.n, p.v); \
        else if (th_array_dtype(p.a) == TH_FLOAT64) floats_##NAME(to, p.x, p.y, p.n); \
        else integers_##NAME(to, p.x, p.y, p.n); \
        return 1; \
    }
COMPARE(greater, >)
COMPARE(greater_equal, >=)
COMPARE(less, <)
COMPARE(less_equal, <=)
COMPARE(equal, ==)
COMPARE(not_equal, !=)

/* ---- parts of floats --------------------------------------------------------------------------------------------- */
WIDE(void, cleaned, (double *restrict to, const double *x, int64_t n), (to, x, n), {
    const double most = 0x1.fffffffffffffp1023;
    for (int64_t i = 0; i < n; i++) {
        double v = x[i] != x[i] ? 0.0 : x[i];
        v = v > most ? most : v;
        to[i] = v < -most ? -most : v;
    }
})
int numbers_nan_to_num(lua_State *L, LtState *s) { /* nan_to_num(x) */
    ThArray *a = array_of(L, s, TH_FLOAT64, 1);
    if (!a) return 0;
    cleaned(made(L, s, TH_FLOAT64, a), th_array_data(a), th_array_size(a));
    return 1;
}

/* special_parts.h's, by blocks: of what is neither zero, infinite, NaN nor below the normal ones only bits move. */
static inline __attribute__((always_inline)) void part_of(double *to, int32_t *power, double x) {
    const double big = x * 0x1p54;
    uint64_t u, v;
    memcpy(&u, &x, 8), memcpy(&v, &big, 8);
    const uint64_t e = u >> 52 & 0x7ff;
    v = e ? u : v;
    const int64_t k = (int64_t)(v >> 52 & 0x7ff) - (e ? 1022 : 1076);
    const bool none = (e == 0x7ff) | (x == 0);
    v = none ? u : (v & 0x800fffffffffffff) | 0x3fe0000000000000;
    memcpy(to, &v, 8);
    *power = none ? 0 : (int32_t)k;
}
WIDE(void, parted, (double *restrict to, int32_t *restrict power, const double *x, int64_t n), (to, power, x, n), {
    enum { SOME = 32 };
    int64_t i = 0;
    for (; i + SOME <= n; i += SOME) {
        uint64_t odd = 0;
        for (int j = 0; j < SOME; j++) {
            uint64_t u;
            memcpy(&u, &x[i + j], 8);
            const uint64_t e = u & 0x7ff0000000000000;
            odd |= (uint64_t)(e == 0) | (uint64_t)(e == 0x7ff0000000000000);
            u = (u & 0x800fffffffffffff) | 0x3fe0000000000000;
            memcpy(&to[i + j], &u, 8);
        }
        for (int j = 0; j < SOME; j++) {
            uint64_t u;
            memcpy(&u, &x[i + j], 8);
            power[i + j] = (int32_t)(u >> 52 & 0x7ff) - 1022;
        }
        for (int j = 0; odd && j < SOME; j++) part_of(&to[i + j], &power[i + j], x[i + j]);
    }
    for (; i < n; i++) part_of(&to[i], &power[i], x[i]);
})
int numbers_frexp(lua_State *L, LtState *s) { /* frexp(x) of float64 */
    ThArray *a = array_of(L, s, TH_FLOAT64, 1);
    if (!a) return 0;
    double *to = made(L, s, TH_FLOAT64, a);
    parted(to, made(L, s, TH_INT32, a), th_array_data(a), th_array_size(a));
    return 2;
}

/* How far the next double is, away from zero; NaN where there is none. */
WIDE(void, spaces, (double *restrict to, const double *x, int64_t n), (to, x, n), {
    for (int64_t i = 0; i < n; i++) {
        uint64_t u;
        memcpy(&u, &x[i], 8);
        const uint64_t sign = u & 0x8000000000000000;
        double here;
        double next;
        u ^= sign;
        memcpy(&here, &u, 8);
        const bool none = u >= 0x7ff0000000000000;
        const uint64_t signs = (none | (u == 0)) ? 0 : sign; /* of -0 it is that of 0 */
        u++;
        memcpy(&next, &u, 8);
        next = none ? x[i] - x[i] : next - here;
        memcpy(&u, &next, 8);
        u |= signs;
        memcpy(&to[i], &u, 8);
    }
})
int numbers_spacing(lua_State *L, LtState *s) { /* spacing(x) of float64 */
    ThArray *a = short_dense(L, s, 1);
    if (!a || lua_gettop(L) != 1 || th_array_dtype(a) != TH_FLOAT64 || th_array_ndim(a) == 0) return 0;
    ThArray *r = th_array_empty(s->ctx, TH_FLOAT64, th_array_ndim(a), th_array_shape(a));
    lt_push_array(L, s, r);
    spaces(th_array_data(r), th_array_data(a), th_array_size(a));
    return 1;
}

/* ---- closeness --------------------------------------------------------------------------------------------------- */
WIDE(void, close_ones, (uint8_t *restrict to, const double *x, const double *y, int64_t n), (to, x, y, n), {
    for (int64_t i = 0; i < n; i++) {
        const double off = fabs(x[i] - y[i]), most = 1e-8 + 1e-5 * fabs(y[i]);
        to[i] = ((off <= most) & (fabs(y[i]) < HUGE_VAL)) | (x[i] == y[i]);
    }
})
int numbers_isclose(lua_State *L, LtState *s) { /* isclose(x, y) of float64 of one shape */
    ThArray *a = array_of(L, s, TH_FLOAT64, 2), *b = short_dense(L, s, 2);
    const int nd = th_array_ndim(a);
    if (!a || !b || th_array_dtype(b) != TH_FLOAT64 || th_array_ndim(b) != nd ||
        memcmp(th_array_shape(a), th_array_shape(b), sizeof(int64_t) * (size_t)nd) != 0)
        return 0;
    close_ones(made(L, s, TH_BOOL, a), th_array_data(a), th_array_data(b), th_array_size(a));
    return 1;
}

/* ---- looks ------------------------------------------------------------------------------------------------------- */
WIDE(int64_t, unequal, (const double *x, const double *y, int64_t n), (x, y, n), {
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) count += x[i] != y[i];
    return count;
})
int numbers_array_equal(lua_State *L, LtState *s) { /* of float64: up to the first thousand that differ */
    enum { SOME = 1024 };
    ThArray *a = array_of(L, s, TH_FLOAT64, 2), *b = short_dense(L, s, 2);
    if (!a || !b || th_array_dtype(b) != TH_FLOAT64) return 0;
    const int nd = th_array_ndim(a);
    bool same = nd == th_array_ndim(b) && !memcmp(th_array_shape(a), th_array_shape(b), sizeof(int64_t) * (size_t)nd);
    const double *x = th_array_data(a), *y = th_array_data(b);
    const int64_t n = th_array_size(a);
    for (int64_t i = 0; same && i < n; i += SOME) same = !unequal(x + i, y + i, n - i < SOME ? n - i : SOME);
    lua_pushboolean(L, same);
    return 1;
}

int numbers_nextafter(lua_State *L, LtState *s) { /* nextafter(x, y) of one dtype, which is no half */
    ThArray *x = array_of(L, s, th_array_dtype(short_dense(L, s, 1)), 2), *y = short_dense(L, s, 2), *r = NULL;
    if (!x || !y || th_array_dtype(x) != th_array_dtype(y)) return 0;
    if (th_array_dtype(x) != TH_FLOAT64 && th_array_dtype(x) != TH_FLOAT32) return 0;
    const ThArg args[2] = {{.kind = TH_ARG_ARRAY, .array = x}, {.kind = TH_ARG_ARRAY, .array = y}};
    if (th_eager(s->ctx, SHORT_FUNCTION(L), args, 2, &r, 1) != 1) return th_error_clear(s->ctx), 0;
    lt_push_array(L, s, r);
    return 1;
}

int numbers_atleast_1d(lua_State *L, LtState *s) { /* of an array that has dimensions: itself */
    ThArray *a = lt_array(L, s, 1);
    if (!a || lua_gettop(L) != 1 || th_array_ndim(a) == 0) return 0;
    lua_pushvalue(L, 1);
    return 1;
}

int numbers_isscalar(lua_State *L, LtState *s) {
    (void)s;
    const int t = lua_gettop(L) == 1 ? lua_type(L, 1) : LUA_TNONE;
    if (t != LUA_TNUMBER && t != LUA_TBOOLEAN && t != LUA_TSTRING) return 0;
    lua_pushboolean(L, true);
    return 1;
}

int numbers_ndim(lua_State *L, LtState *s) {
    ThArray *a = lt_array(L, s, 1);
    if (!a || lua_gettop(L) != 1) return 0;
    lua_pushinteger(L, th_array_ndim(a));
    return 1;
}

/* fromiter(list, dtype): of numbers, as an array is made of it. */
static int from_list(lua_State *L, LtState *s, ThDtype d) {
    ThArray *a = d == TH_FLOAT64 || d == TH_INT64 ? lt_plain_list(L, s, 1, d) : NULL;
    if (!a) return 0;
    lt_push_array(L, s, a);
    return 1;
}

/* Twice the room behind the numbers that are there, in a userdata at index 3. */
static double *more_room(lua_State *L, const double *v, int64_t *room) {
    const size_t bytes = (size_t)*room * sizeof *v;
    double *more = lua_newuserdatauv(L, 2 * bytes, 0);
    memcpy(more, v, bytes);
    lua_replace(L, 3);
    *room *= 2;
    return more;
}

int numbers_from_iterator(lua_State *L, LtState *s) { /* fromiter(function, "float64"): floats while it gives some */
    enum { FEW = 512 };
    double few[FEW], *v = few;
    if (lua_gettop(L) != 2 || lua_type(L, 2) != LUA_TSTRING) return 0;
    const ThDtype d = th_dtype_from_name(lua_tostring(L, 2));
    if (lua_type(L, 1) == LUA_TTABLE) return from_list(L, s, d);
    if (lua_type(L, 1) != LUA_TFUNCTION || d != TH_FLOAT64) return 0;
    lua_pushnil(L);
    int64_t n = 0, room = FEW;
    for (int type;; n++, lua_settop(L, 3)) {
        lua_pushvalue(L, 1);
        lua_call(L, 0, 1);
        if ((type = lua_type(L, 4)) == LUA_TNIL) break;
        if (type != LUA_TNUMBER)
            return lt_error(L, TH_TypeError, "fromiter: element %lld is %s, a number is expected", (long long)n,
                            luaL_typename(L, 4));
        if (n == room) v = more_room(L, v, &room);
        v[n] = lua_tonumber(L, 4);
    }
    ThArray *r = th_array_empty(s->ctx, TH_FLOAT64, 1, &n);
    lt_push_array(L, s, r);
    if (n) memcpy(th_array_data(r), v, (size_t)n * sizeof *v);
    return 1;
}

/* ---- imaginary parts --------------------------------------------------------------------------------------------- */
WIDE(void, imaginary, (const double *x, uint8_t *restrict to, int64_t n), (x, to, n), {
    for (int64_t i = 0; i < n; i++) to[i] = x[2 * i + 1] != 0;
})
WIDE(void, without_imaginary, (const double *x, uint8_t *restrict to, int64_t n), (x, to, n), {
    for (int64_t i = 0; i < n; i++) to[i] = x[2 * i + 1] == 0;
})
int numbers_iscomplex(lua_State *L, LtState *s) { /* iscomplex(x) of complex128 */
    ThArray *a = array_of(L, s, TH_COMPLEX128, 1);
    if (!a) return 0;
    imaginary(th_array_data(a), made(L, s, TH_BOOL, a), th_array_size(a));
    return 1;
}
int numbers_isreal(lua_State *L, LtState *s) { /* isreal(x) of complex128 */
    ThArray *a = array_of(L, s, TH_COMPLEX128, 1);
    if (!a) return 0;
    without_imaginary(th_array_data(a), made(L, s, TH_BOOL, a), th_array_size(a));
    return 1;
}
