/*
 * digits.c -- short ways (short.h) of functions between numbers, names and texts: digits of a float, the numbers of a
 * text, shapes that lengths give together, what dtypes become. Always holds: the texts and numbers of the other way.
 */
#include "short.h"

#include <math.h>
#include <string.h>

/* ---- digits ------------------------------------------------------------------------------------------------------ */
/* x = m / 10^k with the fewest digits, where these are at most 15: m below 10^15 and 10^k are doubles, and so is the
 * quotient rounded as a text that is read. */
typedef struct Digits {
    char text[20]; /* of m */
    int n, k;
} Digits;

static bool digits_of(double x, Digits *d) {
    double m, scale = 1;
    if (!(x >= 1e-7 && x < 1e15)) return false;
    for (d->k = 0;; d->k++, scale *= 10) { /* exact up to 10^22 */
        m = nearbyint(x * scale);
        if (m >= 1e15 || d->k > 22) return false;
        if (m / scale == x) break;
    }
    char turned[20];
    int n = 0;
    for (int64_t v = (int64_t)m; v > 0; v /= 10) turned[n++] = (char)('0' + v % 10);
    for (int i = 0; i < n; i++) d->text[i] = turned[n - 1 - i];
    d->n = n;
    return n > 0;
}

/* The only argument, a number of few digits without its sign. */
static bool plain_number(lua_State *L, Digits *d, bool *negative) {
    if (lua_gettop(L) != 1 || lua_type(L, 1) != LUA_TNUMBER) return false;
    const double x = lua_tonumber(L, 1);
    *negative = x < 0;
    return digits_of(fabs(x), d);
}

int digits_positional(lua_State *L, LtState *s) { /* format_float_positional(x) */
    Digits d;
    bool negative;
    char text[64], *to = text;
    (void)s;
    if (!plain_number(L, &d, &negative)) return 0;
    if (negative) *to++ = '-';
    const int whole = d.n - d.k; /* so many in front of the point */
    if (whole <= 0) *to++ = '0';
    for (int i = 0; i < whole; i++) *to++ = d.text[i];
    *to++ = '.';
    for (int i = whole; i < 0; i++) *to++ = '0';
    for (int i = whole > 0 ? whole : 0; i < d.n; i++) *to++ = d.text[i];
    lua_pushlstring(L, text, (size_t)(to - text));
    return 1;
}

int digits_scientific(lua_State *L, LtState *s) { /* format_float_scientific(x) */
    Digits d;
    bool negative;
    char text[64], *to = text;
    (void)s;
    if (!plain_number(L, &d, &negative)) return 0;
    const int power = d.n - d.k - 1, size = power < 0 ? -power : power;
    int n = d.n;
    while (n > 1 && d.text[n - 1] == '0') n--;
    if (negative) *to++ = '-';
    *to++ = d.text[0];
    *to++ = '.';
    for (int i = 1; i < n; i++) *to++ = d.text[i];
    *to++ = 'e';
    *to++ = power < 0 ? '-' : '+';
    *to++ = (char)('0' + size / 10);
    *to++ = (char)('0' + size % 10);
    lua_pushlstring(L, text, (size_t)(to - text));
    return 1;
}

/* ---- numbers of a text ------------------------------------------------------------------------------------------- */
static bool blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static bool digit(char c) { return c >= '0' && c <= '9'; }

/* Digits with a point somewhere, at most 15 of them: a quotient of two doubles. false: something else. */
static bool read_plain(const char *p, const char *end, double *v) {
    static const double power[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const bool negative = p < end && *p == '-';
    int64_t m = 0;
    int n = 0, behind = -1;
    for (p += negative; p < end; p++) {
        if (*p == '.' && behind < 0) behind = 0;
        else if (!digit(*p) || n == 15) return false;
        else m = 10 * m + (*p - '0'), n++, behind += behind >= 0;
    }
    if (n == 0) return false;
    *v = (double)m / power[behind > 0 ? behind : 0];
    if (negative) *v = -*v;
    return behind >= 0 || *v != 0; /* a 0 without a point has no sign */
}

/* The word as Lua reads numbers. */
static bool read_word(lua_State *L, const char *p, const char *end, double *v) {
    enum { LONGEST = 63 };
    char word[LONGEST + 1];
    const size_t n = (size_t)(end - p);
    if (read_plain(p, end, v)) return true;
    if (n > LONGEST || memchr(p, 0, n)) return false;
    memcpy(word, p, n);
    word[n] = 0;
    if (lua_stringtonumber(L, word) != n + 1) return false;
    *v = lua_tonumber(L, -1);
    lua_pop(L, 1);
    return true;
}

static bool by_blanks(lua_State *L, int i) { /* {sep = " "} and nothing else */
    if (!lua_istable(L, i)) return false;
    if (lua_getmetatable(L, i)) return lua_pop(L, 1), false;
    int keys = 0;
    for (lua_pushnil(L); lua_next(L, i); lua_pop(L, 1)) keys++;
    lua_pushliteral(L, "sep");
    const bool fine = lua_rawget(L, i) == LUA_TSTRING && !strcmp(lua_tostring(L, -1), " ") && keys == 1;
    lua_pop(L, 1);
    return fine;
}

int digits_fromstring(lua_State *L, LtState *s) { /* fromstring(text[, {sep = " "}]) */
    const int top = lua_gettop(L);
    if (top < 1 || top > 2 || lua_type(L, 1) != LUA_TSTRING || (top == 2 && !by_blanks(L, 2))) return 0;
    size_t bytes;
    const char *text = lua_tolstring(L, 1, &bytes), *end = text + bytes;
    int64_t n = 0;
    for (size_t i = 0; i < bytes; i++) n += !blank(text[i]) && (i == 0 || blank(text[i - 1]));
    if (n == 0) return 0;
    ThArray *r = th_array_empty(s->ctx, TH_FLOAT64, 1, &n);
    lt_push_array(L, s, r);
    double *to = th_array_data(r);
    for (const char *p = text; p < end;) {
        while (p < end && blank(*p)) p++;
        const char *word = p;
        while (p < end && !blank(*p)) p++;
        if (p > word && !read_word(L, word, p, to++)) return lua_settop(L, top), 0;
    }
    return 1;
}

/* ---- words about shapes and dtypes ------------------------------------------------------------------------------- */
int digits_broadcast_shapes(lua_State *L, LtState *s) { /* broadcast_shapes(shape, ..) of lists and integers */
    int64_t all[TH_MAX_NDIM], shape[TH_MAX_NDIM];
    int nd = 0;
    (void)s;
    const int top = lua_gettop(L);
    for (int i = 0; i < TH_MAX_NDIM; i++) all[i] = 1; /* from the last one on */
    for (int i = 1; i <= top; i++) {
        int n = 1;
        if (lua_type(L, i) == LUA_TNUMBER && lua_isinteger(L, i)) shape[0] = lua_tointeger(L, i);
        else if ((n = short_integers(L, i, shape, TH_MAX_NDIM)) < 0) return 0;
        for (int d = 0; d < n; d++) {
            int64_t *at = &all[n - 1 - d];
            if (shape[d] != 1 && *at != 1 && *at != shape[d]) return 0;
            if (*at == 1) *at = shape[d];
        }
        nd = n > nd ? n : nd;
    }
    for (int i = 0; i < nd; i++) shape[i] = all[nd - 1 - i];
    lt_push_ints(L, shape, nd);
    return 1;
}

/* Both arguments, and no others, are names of dtypes. */
static bool two_dtypes(lua_State *L, ThDtype *a, ThDtype *b) {
    if (lua_gettop(L) != 2 || lua_type(L, 1) != LUA_TSTRING || lua_type(L, 2) != LUA_TSTRING) return false;
    *a = th_dtype_from_name(lua_tostring(L, 1)), *b = th_dtype_from_name(lua_tostring(L, 2));
    return *a < TH_DTYPE_COUNT && *b < TH_DTYPE_COUNT;
}
int digits_can_cast(lua_State *L, LtState *s) { /* can_cast(a, b) */
    ThDtype a, b;
    (void)s;
    if (!two_dtypes(L, &a, &b)) return 0;
    lua_pushboolean(L, th_dtype_upcast(a, b) == b);
    return 1;
}
int digits_promote_types(lua_State *L, LtState *s) { /* promote_types(a, b) */
    ThDtype a, b;
    (void)s;
    if (!two_dtypes(L, &a, &b)) return 0;
    lua_pushstring(L, th_dtype_name(th_dtype_upcast(a, b)));
    return 1;
}
