/*
 * moves.c -- short ways (short.h) of functions that put elements elsewhere: borders, repetitions, triangles, grids,
 * blocks, parts left out. Always holds: as short.h says; every element is copied once.
 */
#include "short.h"
#include "wide.h"

#include <string.h>
#ifdef WIDE_BY_PROCESSOR
#include <emmintrin.h>
#endif

static bool whole_at(lua_State *L, int i, int64_t *v) {
    if (lua_type(L, i) != LUA_TNUMBER || !lua_isinteger(L, i)) return false;
    *v = lua_tointeger(L, i);
    return true;
}

static size_t item(const ThArray *a) { return th_dtype_bytes(th_array_dtype(a)); }

static char *made(lua_State *L, LtState *s, ThDtype d, int nd, const int64_t *shape) { /* pushed */
    ThArray *r = th_array_empty(s->ctx, d, nd, shape);
    lt_push_array(L, s, r);
    return th_array_data(r);
}

static void put_one(char *to, const char *from, size_t bytes) {
    if (bytes == 8) memcpy(to, from, 8);
    else if (bytes == 4) memcpy(to, from, 4);
    else memcpy(to, from, bytes);
}

/* ---- borders ----------------------------------------------------------------------------------------------------- */
typedef enum { CONSTANT, EDGE, WRAP, SYMMETRIC, REFLECT, MODES } Border;
static const char *const modes[MODES] = {"constant", "edge", "wrap", "symmetric", "reflect"};

/* The place in an axis of length n that stands at place i, which may lie in front of it or behind it. */
static int64_t inside(Border mode, int64_t i, int64_t n) {
    const int64_t period = mode == SYMMETRIC ? 2 * n : mode == REFLECT ? (n > 1 ? 2 * (n - 1) : 1) : n;
    if (mode == EDGE) return i < 0 ? 0 : i >= n ? n - 1 : i;
    if ((i %= period) < 0) i += period;
    if (mode == SYMMETRIC) return i < 2 * n - 1 - i ? i : 2 * n - 1 - i;
    if (mode == REFLECT) return i < 2 * (n - 1) - i ? i : 2 * (n - 1) - i;
    return i;
}

typedef struct Pad {
    Border mode;
    int nd;
    int64_t width;
    const int64_t *shape; /* of what is padded */
    size_t bytes;
} Pad;

static char *padded_row(const Pad *p, char *to, const char *from) {
    const int64_t n = p->shape[p->nd - 1], w = p->width;
    const size_t border = (size_t)w * p->bytes, middle = (size_t)n * p->bytes;
    for (int64_t i = 0; p->mode != CONSTANT && i < w; i++) {
        put_one(to + (size_t)i * p->bytes, from + (size_t)inside(p->mode, i - w, n) * p->bytes, p->bytes);
        put_one(to + border + middle + (size_t)i * p->bytes, from + (size_t)inside(p->mode, n + i, n) * p->bytes,
                p->bytes);
    }
    if (p->mode == CONSTANT) memset(to, 0, border), memset(to + border + middle, 0, border);
    memcpy(to + border, from, middle);
    return to + 2 * border + middle;
}

static void padded(const Pad *p, char *to, const char *from) {
    int64_t at[TH_MAX_NDIM] = {0};
    const int last = p->nd - 1;
    const size_t row = (size_t)(p->shape[last] + 2 * p->width) * p->bytes;
    for (;;) {
        int64_t source = 0;
        bool out = false;
        for (int d = 0; d < last; d++) {
            int64_t i = at[d] - p->width, n = p->shape[d];
            out |= p->mode == CONSTANT && (i < 0 || i >= n);
            source = source * n + (out ? 0 : inside(p->mode == CONSTANT ? EDGE : p->mode, i, n));
        }
        if (out) memset(to, 0, row), to += row;
        else to = padded_row(p, to, from + (size_t)(source * p->shape[last]) * p->bytes);
        int d = last - 1;
        while (d >= 0 && ++at[d] == p->shape[d] + 2 * p->width) at[d--] = 0;
        if (d < 0) return;
    }
}

int moves_pad(lua_State *L, LtState *s) { /* pad(a, width[, mode]) of one width, borders of 0 */
    ThArray *a = short_dense(L, s, 1);
    int64_t w = 0, shape[TH_MAX_NDIM];
    Border mode = CONSTANT;
    if (!a || lua_gettop(L) < 2 || lua_gettop(L) > 3 || !whole_at(L, 2, &w) || w < 0 || w > 1 << 20) return 0;
    if (lua_gettop(L) == 3) {
        if (lua_type(L, 3) != LUA_TSTRING) return 0;
        while (mode < MODES && strcmp(lua_tostring(L, 3), modes[mode]) != 0) mode++;
    }
    const int nd = th_array_ndim(a);
    if (mode == MODES || nd == 0 || th_array_size(a) == 0) return 0;
    for (int d = 0; d < nd; d++) shape[d] = th_array_shape(a)[d] + 2 * w;
    char *to = made(L, s, th_array_dtype(a), nd, shape);
    padded(&(Pad){mode, nd, w, th_array_shape(a), item(a)}, to, th_array_data(a));
    return 1;
}

/* ---- again and again --------------------------------------------------------------------------------------------- */
/* The first `have` bytes again and again, up to `all`. */
void moves_again(char *to, size_t have, size_t all) {
    enum { NEAR = 16384 }; /* what is read again stays in the nearest cache */
    for (size_t done = have; done < all;) {
        size_t near = done < NEAR ? done : NEAR / have * have, n = have < NEAR ? near : have;
        if (n > all - done) n = all - done;
        memcpy(to + done, to, n);
        done += n;
    }
}

int moves_tile(lua_State *L, LtState *s) { /* tile(x, n) of vectors, tile(x, {n, m}) of matrices */
    ThArray *a = short_dense(L, s, 1);
    int64_t reps[2] = {1, 1}, shape[2];
    if (!a || lua_gettop(L) != 2) return 0;
    const int nd = th_array_ndim(a), n = whole_at(L, 2, &reps[0]) ? 1 : short_integers(L, 2, reps, 2);
    if (n != nd || th_array_size(a) == 0) return 0;
    for (int d = 0; d < nd; d++) {
        if (reps[d] < 1 || reps[d] > 1 << 20) return 0;
        shape[d] = th_array_shape(a)[d] * reps[d];
    }
    char *to = made(L, s, th_array_dtype(a), nd, shape);
    const int64_t rows = nd == 2 ? th_array_shape(a)[0] : 1;
    const size_t row = (size_t)th_array_shape(a)[nd - 1] * item(a), wide = row * (size_t)reps[nd - 1];
    const char *from = th_array_data(a);
    for (int64_t i = 0; i < rows; i++) {
        memcpy(to + (size_t)i * wide, from + (size_t)i * row, row);
        moves_again(to + (size_t)i * wide, row, wide);
    }
    if (nd == 2) moves_again(to, wide * (size_t)rows, wide * (size_t)rows * (size_t)reps[0]);
    return 1;
}

/* One element of 8 bytes again and again. */
WIDE(void, fill, (uint64_t *restrict to, uint64_t v, int64_t n), (to, v, n), {
    for (int64_t i = 0; i < n; i++) to[i] = v;
})
static void lines_of(char *to, const char *from, int64_t n, int64_t each) {
    for (int64_t i = 0; i < n; i++, from += 8, to += 8 * each) {
        uint64_t v;
        memcpy(&v, from, 8);
        fill((uint64_t *)(void *)to, v, each);
    }
}

#define REPEAT(T) \
    for (int64_t i = 0; i < n; i++, from += sizeof(T)) { \
        T x; \
        memcpy(&x, from, sizeof x); \
        for (int64_t j = 0; j < each; j++, to += sizeof(T)) memcpy(to, &x, sizeof x); \
    }
/* Past the caches, where what is written would be read before: results of many megabytes whose parts are aligned. */
#ifdef WIDE_BY_PROCESSOR
static bool streamed(char *to, const char *from, int64_t n, int64_t each, size_t bytes) {
    enum { LARGE = 16 << 20 };
    if ((size_t)(n * each) * bytes < LARGE || (bytes != 8 && bytes % 16 != 0) || (uintptr_t)to % 16 != 0) return false;
    for (int64_t i = 0; i < n; i++, from += bytes)
        for (int64_t j = 0; j < each; j++, to += bytes) {
            long long v;
            if (bytes == 8) memcpy(&v, from, 8), _mm_stream_si64((long long *)(void *)to, v);
            else
                for (size_t k = 0; k < bytes; k += 16)
                    _mm_stream_si128((__m128i *)(void *)(to + k),
                                     _mm_loadu_si128((const __m128i *)(const void *)(from + k)));
        }
    _mm_sfence();
    return true;
}
#else
static bool streamed(char *to, const char *from, int64_t n, int64_t each, size_t bytes) {
    return (void)to, (void)from, (void)n, (void)each, (void)bytes, false;
}
#endif
static void repeated(char *to, const char *from, int64_t n, int64_t each, size_t bytes) {
    enum { MANY = 16 };
    if ((bytes != 8 || each < MANY) && streamed(to, from, n, each, bytes)) return;
    if (bytes == 8 && each >= MANY) {
        lines_of(to, from, n, each);
        return;
    }
    switch (bytes) {
    case 1: REPEAT(uint8_t) break;
    case 4: REPEAT(uint32_t) break;
    case 8: REPEAT(uint64_t) break;
    default:
        for (int64_t i = 0; i < n; i++, from += bytes)
            for (int64_t j = 0; j < each; j++, to += bytes) memcpy(to, from, bytes);
    }
}

int moves_repeat(lua_State *L, LtState *s) { /* repeat_(x, n[, axis or {axis = i}]) */
    ThArray *a = short_dense(L, s, 1);
    int64_t each, axis = 0, lines = 1, shape[TH_MAX_NDIM];
    const int top = lua_gettop(L);
    if (!a || top < 2 || top > 3 || !whole_at(L, 2, &each) || each < 0 || each > 1 << 20) return 0;
    const int nd = th_array_ndim(a);
    size_t bytes = item(a);
    if (lua_isnoneornil(L, 3)) {
        int64_t all = th_array_size(a) * each;
        repeated(made(L, s, th_array_dtype(a), 1, &all), th_array_data(a), th_array_size(a), each, bytes);
        return 1;
    }
    if (!short_axis(L, 3, nd, &axis)) return 0;
    for (int d = 0; d < nd; d++) {
        shape[d] = th_array_shape(a)[d] * (d == axis ? each : 1);
        if (d <= axis) lines *= th_array_shape(a)[d];
        else bytes *= (size_t)shape[d];
    }
    repeated(made(L, s, th_array_dtype(a), nd, shape), th_array_data(a), bytes ? lines : 0, each, bytes);
    return 1;
}

/* ---- triangles, diagonals ---------------------------------------------------------------------------------------- */
/* tri(n) of float64. */
int moves_tri(lua_State *L, LtState *s) {
    int64_t n, shape[2];
    if (lua_gettop(L) != 1 || !whole_at(L, 1, &n) || n < 0 || n > 1 << 20) return 0;
    shape[0] = shape[1] = n;
    double *to = (double *)(void *)made(L, s, TH_FLOAT64, 2, shape);
    for (int64_t i = 0; i < n; i++, to += n) {
        for (int64_t j = 0; j <= i; j++) to[j] = 1;
        memset(to + i + 1, 0, sizeof *to * (size_t)(n - i - 1));
    }
    return 1;
}

static int triangle(lua_State *L, LtState *s, bool upper) { /* tril(m), triu(m) */
    ThArray *a = short_dense(L, s, 1);
    if (!a || lua_gettop(L) != 1 || th_array_ndim(a) != 2) return 0;
    const int64_t rows = th_array_shape(a)[0], columns = th_array_shape(a)[1];
    const size_t bytes = item(a), row = (size_t)columns * bytes;
    char *to = made(L, s, th_array_dtype(a), 2, th_array_shape(a));
    const char *from = th_array_data(a);
    for (int64_t i = 0; i < rows && row; i++, to += row, from += row) {
        const int64_t left = upper ? i : i + 1; /* elements in front of the diagonal, or up to it */
        const size_t n = left < columns ? (size_t)left * bytes : row;
        if (upper) memset(to, 0, n), memcpy(to + n, from + n, row - n);
        else memcpy(to, from, n), memset(to + n, 0, row - n);
    }
    return 1;
}
int moves_tril(lua_State *L, LtState *s) { return triangle(L, s, false); }
int moves_triu(lua_State *L, LtState *s) { return triangle(L, s, true); }

/* Rows and columns of a triangle of an n by m matrix, with the diagonal. */
static int triangle_places(lua_State *L, LtState *s, int64_t n, int64_t m, bool upper) {
    int64_t all = 0;
    for (int64_t i = 0; i < n; i++) all += upper ? (m > i ? m - i : 0) : (i + 1 < m ? i + 1 : m);
    int64_t *row = (int64_t *)(void *)made(L, s, TH_INT64, 1, &all);
    int64_t *column = (int64_t *)(void *)made(L, s, TH_INT64, 1, &all);
    for (int64_t i = 0; i < n; i++) {
        const int64_t from = upper ? i : 0, to = upper || i + 1 > m ? m : i + 1;
        for (int64_t j = from; j < to; j++) *row++ = i, *column++ = j;
    }
    return 2;
}
static int square_places(lua_State *L, LtState *s, bool upper) {
    int64_t n;
    if (lua_gettop(L) != 1 || !whole_at(L, 1, &n) || n < 0 || n > 1 << 16) return 0;
    return triangle_places(L, s, n, n, upper);
}
static int places_of(lua_State *L, LtState *s, bool upper) {
    ThArray *a = lt_array(L, s, 1);
    if (!a || lua_gettop(L) != 1 || th_array_ndim(a) != 2) return 0;
    return triangle_places(L, s, th_array_shape(a)[0], th_array_shape(a)[1], upper);
}
int moves_tril_indices(lua_State *L, LtState *s) { return square_places(L, s, false); }
int moves_triu_indices(lua_State *L, LtState *s) { return square_places(L, s, true); }
int moves_tril_indices_from(lua_State *L, LtState *s) { return places_of(L, s, false); }
int moves_triu_indices_from(lua_State *L, LtState *s) { return places_of(L, s, true); }

int moves_diagflat(lua_State *L, LtState *s) { /* of a vector */
    ThArray *a = short_dense(L, s, 1);
    if (!a || lua_gettop(L) != 1 || th_array_ndim(a) != 1 || th_array_size(a) > 1 << 20) return 0;
    const int64_t n = th_array_size(a), shape[2] = {n, n};
    ThArray *r = th_array_zeros(s->ctx, th_array_dtype(a), 2, shape);
    lt_push_array(L, s, r);
    const size_t bytes = item(a);
    char *to = th_array_data(r);
    const char *from = th_array_data(a);
    for (int64_t i = 0; i < n; i++) put_one(to + (size_t)(i * (n + 1)) * bytes, from + (size_t)i * bytes, bytes);
    return 1;
}

/* Diagonal k of two axes, as the last axis: a view that is read alone. */
static int diagonal_view(lua_State *L, LtState *s, ThArray *a, int64_t k, int64_t axis1, int64_t axis2) {
    const int64_t *n = th_array_shape(a), *st = th_array_strides(a), nd = th_array_ndim(a);
    int64_t shape[TH_MAX_NDIM], strides[TH_MAX_NDIM], from = 0, rows = n[axis1], columns = n[axis2];
    int kept = 0;
    for (int d = 0; d < nd; d++) {
        if (d != axis1 && d != axis2) shape[kept] = n[d], strides[kept++] = st[d];
    }
    if (k > columns || k < -rows) k = k > 0 ? columns : -rows; /* nothing there, nor beyond */
    if (k >= 0) columns -= k;
    else rows += k;
    shape[kept] = rows < columns ? rows : columns, strides[kept] = st[axis1] + st[axis2];
    if (shape[kept] > 0) from = k >= 0 ? k * st[axis2] : -k * st[axis1];
    ThArray *v = th_array_view(a, kept + 1, shape, strides, from);
    lt_push_array(L, s, v);
    th_array_protect(v);
    return 1;
}

int moves_diagonal(lua_State *L, LtState *s) { /* diagonal(a, offset, axis1, axis2) */
    ThArray *a = lt_array(L, s, 1);
    int64_t at[3] = {0, 0, 1};
    const int given = lua_gettop(L);
    if (!a || given > 4 || th_array_ndim(a) < 2) return 0;
    for (int i = 2; i <= given; i++) {
        if (lua_type(L, i) != LUA_TNUMBER || !lua_isinteger(L, i)) return 0;
        at[i - 2] = lua_tointeger(L, i);
    }
    for (int i = 1; i < 3; i++) {
        if (at[i] < 0) at[i] += th_array_ndim(a);
        if (at[i] < 0 || at[i] >= th_array_ndim(a)) return 0;
    }
    return at[1] != at[2] ? diagonal_view(L, s, a, at[0], at[1], at[2]) : 0;
}

int moves_diag(lua_State *L, LtState *s) { /* diag(a, k) of a matrix; diag(v) */
    ThArray *a = lt_array(L, s, 1);
    return a && lua_gettop(L) <= 2 && th_array_ndim(a) == 2 ? moves_diagonal(L, s) : moves_diagflat(L, s);
}

int moves_fill_diagonal(lua_State *L, LtState *s) { /* fill_diagonal(m, number) of float64 */
    ThArray *a = short_dense(L, s, 1);
    if (!a || lua_gettop(L) != 2 || lua_type(L, 2) != LUA_TNUMBER || th_array_ndim(a) != 2) return 0;
    if (th_array_dtype(a) != TH_FLOAT64 || !th_array_writeable(a)) return 0;
    const int64_t n = th_array_shape(a)[0], m = th_array_shape(a)[1];
    double *to = th_array_data(a), v = lua_tonumber(L, 2);
    for (int64_t i = 0; i < n && i < m; i++) to[i * (m + 1)] = v;
    lua_pushvalue(L, 1);
    return 1;
}

/* ---- grids ------------------------------------------------------------------------------------------------------- */
int moves_indices(lua_State *L, LtState *s) { /* indices({n, m}) */
    int64_t shape[3] = {2};
    if (lua_gettop(L) != 1 || short_integers(L, 1, shape + 1, 2) != 2) return 0;
    const int64_t n = shape[1], m = shape[2];
    if (n < 0 || m < 0 || (n && m && (n > 1 << 24 || m > 1 << 24))) return 0;
    int64_t *row = (int64_t *)(void *)made(L, s, TH_INT64, 3, shape), *column = row + n * m;
    for (int64_t i = 0; i < n && m; i++)
        for (int64_t j = 0; j < m; j++) row[i * m + j] = i, column[i * m + j] = j;
    return 1;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */
enum { MOST = 8 };
typedef struct Blocks {
    ThArray *at[MOST][MOST];
    int rows, columns;
} Blocks;

/* block({{a, b}, {c, d}}) of matrices of one dtype, as many in each row, that fit. */
static bool blocks_of(lua_State *L, LtState *s, Blocks *b) {
    b->rows = (int)lua_rawlen(L, 1), b->columns = 0;
    if (b->rows < 1 || b->rows > MOST) return false;
    for (int i = 0; i < b->rows; i++) {
        lua_rawgeti(L, 1, i + 1);
        const int n = lua_istable(L, -1) && !lua_getmetatable(L, -1) ? (int)lua_rawlen(L, -1) : 0;
        if (i == 0) b->columns = n;
        if (n < 1 || n > MOST || n != b->columns) return false;
        for (int j = 0; j < n; j++) {
            lua_rawgeti(L, -1, j + 1);
            ThArray *a = b->at[i][j] = short_dense(L, s, -1), *first = b->at[0][0];
            lua_pop(L, 1);
            if (!a || th_array_ndim(a) != 2 || th_array_dtype(a) != th_array_dtype(first)) return false;
            if (th_array_shape(a)[0] != th_array_shape(b->at[i][0])[0]) return false;
            if (th_array_shape(a)[1] != th_array_shape(b->at[0][j])[1]) return false;
        }
        lua_pushnil(L); /* nothing behind them */
        int keys = 0;
        while (lua_next(L, -2)) lua_pop(L, 1), keys++;
        lua_pop(L, 1);
        if (keys != n) return false;
    }
    int keys = 0;
    for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) keys++;
    return keys == b->rows;
}

int moves_block(lua_State *L, LtState *s) {
    Blocks b;
    int64_t shape[2] = {0, 0};
    if (lua_gettop(L) != 1 || !lua_istable(L, 1)) return 0;
    if (lua_getmetatable(L, 1)) return lua_pop(L, 1), 0;
    const bool fine = blocks_of(L, s, &b);
    lua_settop(L, 1);
    if (!fine) return 0;
    for (int i = 0; i < b.rows; i++) shape[0] += th_array_shape(b.at[i][0])[0];
    for (int j = 0; j < b.columns; j++) shape[1] += th_array_shape(b.at[0][j])[1];
    char *to = made(L, s, th_array_dtype(b.at[0][0]), 2, shape);
    const size_t bytes = item(b.at[0][0]);
    for (int i = 0; i < b.rows; i++)
        for (int64_t row = 0; row < th_array_shape(b.at[i][0])[0]; row++)
            for (int j = 0; j < b.columns; j++) {
                const size_t n = (size_t)th_array_shape(b.at[i][j])[1] * bytes;
                if (n) memcpy(to, (const char *)th_array_data(b.at[i][j]) + (size_t)row * n, n);
                to += n;
            }
    return 1;
}

int moves_meshgrid(lua_State *L, LtState *s) { /* meshgrid(x, y) of vectors of 8 bytes an element */
    ThArray *x = short_dense(L, s, 1), *y = short_dense(L, s, 2);
    if (!x || !y || lua_gettop(L) != 2 || th_array_ndim(x) != 1 || th_array_ndim(y) != 1) return 0;
    if (item(x) != 8 || item(y) != 8) return 0;
    const int64_t n = th_array_size(x), m = th_array_size(y), shape[2] = {m, n};
    if (n == 0 || m == 0) return 0;
    const size_t row = 8 * (size_t)n, all = row * (size_t)m;
    char *to = made(L, s, th_array_dtype(x), 2, shape);
    memcpy(to, th_array_data(x), row);
    moves_again(to, row, all);
    repeated(made(L, s, th_array_dtype(y), 2, shape), th_array_data(y), m, n, 8);
    return 2;
}

/* ---- parts left out, rows ---------------------------------------------------------------------------------------- */
int moves_delete(lua_State *L, LtState *s) { /* delete(x, i), delete(x, {i, j, ..}) of a vector */
    enum { FEW = 32 };
    ThArray *a = short_dense(L, s, 1);
    int64_t at[FEW];
    if (!a || lua_gettop(L) != 2 || th_array_ndim(a) != 1) return 0;
    int64_t n = th_array_size(a), k = whole_at(L, 2, at) ? 1 : short_integers(L, 2, at, FEW), gone = 0;
    if (k < 1) return 0;
    for (int64_t i = 0; i < k; i++) { /* in order, each once */
        int64_t v = at[i] < 0 ? at[i] + n : at[i], j = gone;
        if (v < 0 || v >= n) return 0;
        while (j > 0 && at[j - 1] > v) j--;
        if (j > 0 && at[j - 1] == v) continue;
        memmove(at + j + 1, at + j, sizeof *at * (size_t)(gone - j));
        at[j] = v;
        gone++;
    }
    const int64_t rest = n - gone;
    const size_t bytes = item(a);
    char *to = made(L, s, th_array_dtype(a), 1, &rest);
    const char *from = th_array_data(a);
    for (int64_t i = 0, done = 0; i <= gone; i++) {
        const int64_t end = i < gone ? at[i] : n;
        if (end > done) memcpy(to, from + (size_t)done * bytes, (size_t)(end - done) * bytes);
        to += (size_t)(end - done) * bytes;
        done = end + 1;
    }
    return 1;
}

int moves_roll(lua_State *L, LtState *s) { /* roll(a, shift), roll(a, shift, axis) */
    ThArray *a = short_dense(L, s, 1);
    const int nd = th_array_ndim(a), last = lua_gettop(L);
    const int64_t *shape = th_array_shape(a), size = th_array_size(a);
    int64_t shift, axis = 0, len = size;
    size_t inner = 1;
    if (!a || last < 2 || last > 3 || !whole_at(L, 2, &shift) || size == 0) return 0;
    if (last == 3) {
        if (lua_isnil(L, 3) || !short_axis(L, 3, nd, &axis)) return 0;
        len = shape[axis];
        for (int d = (int)axis + 1; d < nd; d++) inner *= (size_t)shape[d];
    }
    const size_t each = inner * item(a), all = (size_t)len * each, bytes = (size_t)size * item(a);
    const size_t head = (size_t)((shift % len + len) % len) * each;
    char *to = made(L, s, th_array_dtype(a), nd, shape);
    const char *from = th_array_data(a);
    for (size_t i = 0; i < bytes; i += all) {
        memcpy(to + i, from + i + all - head, head);
        memcpy(to + i + head, from + i, all - head);
    }
    return 1;
}

int moves_unstack(lua_State *L, LtState *s) { /* unstack(m) of a matrix or more: views */
    ThArray *a = lt_array(L, s, 1);
    if (!a || lua_gettop(L) != 1 || th_array_ndim(a) < 2) return 0;
    const int64_t n = th_array_shape(a)[0], *shape = th_array_shape(a), *strides = th_array_strides(a);
    lua_createtable(L, n < 1 << 24 ? (int)n : 0, 0);
    s->spare = n < 1 << 24 ? (int)n : 1 << 24; /* none of them is garbage before all are there */
    for (int64_t i = 0; i < n; i++) {
        ThArray *v = th_array_view(a, th_array_ndim(a) - 1, shape + 1, strides + 1, i * strides[0]);
        if (!v) return th_error_clear(s->ctx), lua_pop(L, 1), 0;
        lt_push_array(L, s, v);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

int moves_ascontiguous(lua_State *L, LtState *s) { /* ascontiguousarray(a) */
    ThArray *a = lt_array(L, s, 1);
    if (!a || lua_gettop(L) != 1 || th_array_ndim(a) == 0) return 0;
    if (th_array_contiguous(a)) lua_pushvalue(L, 1);
    else lt_push_array(L, s, th_array_copy(a));
    return 1;
}

int moves_empty_like(lua_State *L, LtState *s) { /* empty_like(a) */
    ThArray *a = short_dense(L, s, 1);
    if (!a || lua_gettop(L) != 1 || th_array_ndim(a) == 0) return 0;
    made(L, s, th_array_dtype(a), th_array_ndim(a), th_array_shape(a));
    return 1;
}

/* ---- filled ------------------------------------------------------------------------------------------------------ */
static int filled(lua_State *L, LtState *s, int nd, const int64_t *shape, ThDtype d, const void *v) {
    uint64_t one;
    ThArray *r = th_array_empty(s->ctx, d, nd, shape);
    lt_push_array(L, s, r);
    uint64_t *to = th_array_data(r);
    memcpy(&one, v, sizeof one);
    fill(to, one, th_array_size(r));
    return 1;
}

static int shape_at(lua_State *L, int64_t *shape) { /* a length or a list of some at 1; the rank, or -1 */
    const int nd = whole_at(L, 1, shape) ? 1 : short_integers(L, 1, shape, TH_MAX_NDIM);
    for (int d = 0; d < nd; d++)
        if (shape[d] < 0) return -1;
    return nd ? nd : -1;
}

int moves_ones(lua_State *L, LtState *s) { /* ones(shape) */
    int64_t shape[TH_MAX_NDIM];
    const double one = 1;
    const int nd = lua_gettop(L) == 1 ? shape_at(L, shape) : -1;
    return nd < 0 ? 0 : filled(L, s, nd, shape, TH_FLOAT64, &one);
}

int moves_ones_like(lua_State *L, LtState *s) { /* ones_like(a) of float64 */
    const double one = 1;
    ThArray *a = lua_gettop(L) == 1 ? lt_array(L, s, 1) : NULL;
    if (!a || th_array_dtype(a) != TH_FLOAT64 || th_array_device(a) >= 0 || th_array_ndim(a) == 0) return 0;
    return filled(L, s, th_array_ndim(a), th_array_shape(a), TH_FLOAT64, &one);
}

int moves_empty(lua_State *L, LtState *s) { /* empty(shape) */
    int64_t shape[TH_MAX_NDIM];
    const int nd = lua_gettop(L) == 1 ? shape_at(L, shape) : -1;
    if (nd < 0) return 0;
    made(L, s, TH_FLOAT64, nd, shape);
    return 1;
}

int moves_full_like(lua_State *L, LtState *s) { /* full_like(a, number) of float64 */
    ThArray *a = lua_gettop(L) == 2 && lua_type(L, 2) == LUA_TNUMBER ? lt_array(L, s, 1) : NULL;
    const double v = lua_tonumber(L, 2);
    if (!a || th_array_dtype(a) != TH_FLOAT64 || th_array_device(a) >= 0 || th_array_ndim(a) == 0) return 0;
    return filled(L, s, th_array_ndim(a), th_array_shape(a), TH_FLOAT64, &v);
}

/* The list at 2: arrays of one dtype of 8 bytes and of the lengths of a; how many, or 0: something else is there. */
static int choices_at_2(lua_State *L, LtState *s, const ThArray *a, const uint64_t **from, int most, ThDtype *d) {
    const int nd = th_array_ndim(a);
    int n = 0;
    if (!lua_istable(L, 2)) return 0;
    if (lua_getmetatable(L, 2)) return lua_pop(L, 1), 0;
    for (; n < most && lua_rawgeti(L, 2, n + 1) != LUA_TNIL; n++, lua_pop(L, 1)) {
        const ThArray *c = short_dense(L, s, -1);
        if (n == 0 && c) *d = th_array_dtype(c);
        if (!c || item(c) != sizeof(uint64_t) || th_array_dtype(c) != *d || th_array_ndim(c) != nd ||
            memcmp(th_array_shape(c), th_array_shape(a), sizeof(int64_t) * (size_t)nd) != 0)
            return lua_pop(L, 1), 0;
        from[n] = th_array_data(c);
    }
    return n < most ? lua_pop(L, 1), n : 0;
}

int moves_choose(lua_State *L, LtState *s) { /* choose(a, list) of int64 and arrays of its lengths */
    const uint64_t *from[MOST];
    ThDtype d = TH_FLOAT64;
    ThArray *a = lua_gettop(L) == 2 ? short_dense(L, s, 1) : NULL;
    if (!a || th_array_dtype(a) != TH_INT64 || th_array_ndim(a) == 0) return 0;
    const int n = choices_at_2(L, s, a, from, MOST, &d);
    const int64_t size = th_array_size(a), *at = th_array_data(a);
    uint64_t beyond = 0;
    if (n == 0) return 0;
    for (int64_t i = 0; i < size; i++) beyond |= (uint64_t)at[i] >= (uint64_t)n;
    if (beyond) return 0;
    uint64_t *to = (void *)made(L, s, d, th_array_ndim(a), th_array_shape(a));
    for (int64_t i = 0; i < size; i++) to[i] = from[at[i]][i];
    return 1;
}

int moves_copyto(lua_State *L, LtState *s) { /* copyto(to, from) of one dtype and shape */
    ThArray *to = short_dense(L, s, 1), *from = short_dense(L, s, 2);
    const int nd = th_array_ndim(to);
    if (!to || !from || lua_gettop(L) != 2 || !th_array_writeable(to) || th_array_dtype(to) != th_array_dtype(from) ||
        th_array_ndim(from) != nd || th_array_shares_memory(to, from) ||
        memcmp(th_array_shape(to), th_array_shape(from), sizeof(int64_t) * (size_t)nd) != 0)
        return 0;
    if (th_array_size(to)) memcpy(th_array_data(to), th_array_data(from), item(to) * (size_t)th_array_size(to));
    return SHORT_DONE;
}

int moves_full(lua_State *L, LtState *s) { /* full(shape, number) */
    int64_t shape[TH_MAX_NDIM];
    if (lua_gettop(L) != 2 || lua_type(L, 2) != LUA_TNUMBER) return 0;
    const int nd = shape_at(L, shape);
    const double f = lua_tonumber(L, 2);
    const int64_t i = lua_tointeger(L, 2);
    if (nd < 0) return 0;
    return lua_isinteger(L, 2) ? filled(L, s, nd, shape, TH_INT64, &i) : filled(L, s, nd, shape, TH_FLOAT64, &f);
}
