/*
 * short.c -- the common calls of functions of arrays that only move or count elements: dense arrays of one dtype in,
 * one pass over memory, no graph. In: a function of the module and its name. Out: a function that tries the short way
 * and calls the other one where arguments are anything else. Always holds: results are those of the other way, bit by
 * bit; nothing but want of memory raises here, so that whatever is wrong is said by the other way.
 */
#include "short.h"
#include "wide.h"

#include <string.h>

ThArray *short_dense(lua_State *L, LtState *s, int i) {
    ThArray *a = lt_array(L, s, i);
    return a && th_array_contiguous(a) && th_array_device(a) < 0 && th_array_data(a) ? a : NULL;
}

bool short_axis(lua_State *L, int i, int ndim, int64_t *axis) {
    if (lua_gettop(L) > i) return false;
    if (lua_istable(L, i)) {
        if (lua_getmetatable(L, i)) return lua_pop(L, 1), false;
        int keys = 0;
        for (lua_pushnil(L); lua_next(L, i); lua_pop(L, 1)) keys++;
        lua_pushliteral(L, "axis");
        bool whole = lua_rawget(L, i) == LUA_TNUMBER && lua_isinteger(L, -1) && keys == 1;
        if (whole) *axis = lua_tointeger(L, -1);
        lua_pop(L, 1);
        if (!whole) return false;
    } else if (lua_type(L, i) == LUA_TNUMBER && lua_isinteger(L, i)) *axis = lua_tointeger(L, i);
    else if (!lua_isnoneornil(L, i)) return false;
    if (*axis < 0) *axis += ndim;
    return *axis >= 0 && *axis < ndim;
}

int short_integers(lua_State *L, int i, int64_t *v, int most) {
    int n = 0;
    if (!lua_istable(L, i)) return -1;
    if (lua_getmetatable(L, i)) return lua_pop(L, 1), -1;
    for (lua_pushnil(L); lua_next(L, i); lua_pop(L, 1)) {
        const bool whole = lua_type(L, -1) == LUA_TNUMBER && lua_isinteger(L, -1);
        if (n == most || !whole || !lua_isinteger(L, -2) || lua_tointeger(L, -2) != n + 1) return lua_pop(L, 2), -1;
        v[n++] = lua_tointeger(L, -1);
    }
    return n;
}

static int push_view(lua_State *L, LtState *s, ThArray *a, int nd, const int64_t *shape, const int64_t *strides,
                     int64_t offset) {
    ThArray *v = th_array_view(a, nd, shape, strides, offset);
    if (!v) return th_error_clear(s->ctx), 0;
    lt_push_array(L, s, v);
    return 1;
}

/* ---- views ------------------------------------------------------------------------------------------------------- */
static int flipped(lua_State *L, LtState *s, ThArray *a, int64_t axis) { /* axis -1: all */
    int64_t strides[TH_MAX_NDIM], offset = 0;
    int nd = th_array_ndim(a);
    if (nd == 0 || axis >= nd) return 0;
    for (int d = 0; d < nd; d++) {
        strides[d] = th_array_strides(a)[d];
        int64_t n = th_array_shape(a)[d];
        if ((axis >= 0 && axis != d) || n == 0) continue;
        if (n > 1) offset += (n - 1) * strides[d], strides[d] = -strides[d];
    }
    return push_view(L, s, a, nd, th_array_shape(a), strides, offset);
}

static int short_flip(lua_State *L, LtState *s) {
    ThArray *a = lt_array(L, s, 1);
    int64_t axis = -1;
    if (!a || lua_gettop(L) > 2) return 0;
    if (!lua_isnoneornil(L, 2) && !(short_axis(L, 2, th_array_ndim(a), &axis))) return 0;
    return flipped(L, s, a, axis);
}
static int short_fliplr(lua_State *L, LtState *s) {
    ThArray *a = lt_array(L, s, 1);
    return a && lua_gettop(L) == 1 ? flipped(L, s, a, 1) : 0;
}
static int short_flipud(lua_State *L, LtState *s) {
    ThArray *a = lt_array(L, s, 1);
    return a && lua_gettop(L) == 1 ? flipped(L, s, a, 0) : 0;
}

static int exchanged(lua_State *L, LtState *s, ThArray *a, int64_t i, int64_t j) {
    int64_t shape[TH_MAX_NDIM], strides[TH_MAX_NDIM];
    int nd = th_array_ndim(a);
    for (int d = 0; d < nd; d++) {
        int from = d == i ? (int)j : d == j ? (int)i : d;
        shape[d] = th_array_shape(a)[from], strides[d] = th_array_strides(a)[from];
    }
    return push_view(L, s, a, nd, shape, strides, 0);
}

static int short_swapaxes(lua_State *L, LtState *s) {
    ThArray *a = lt_array(L, s, 1);
    if (!a || lua_gettop(L) != 3 || !lua_isinteger(L, 2) || !lua_isinteger(L, 3)) return 0;
    int64_t nd = th_array_ndim(a), i = lua_tointeger(L, 2), j = lua_tointeger(L, 3);
    if (i < 0) i += nd;
    if (j < 0) j += nd;
    return i >= 0 && i < nd && j >= 0 && j < nd ? exchanged(L, s, a, i, j) : 0;
}
static int short_matrix_transpose(lua_State *L, LtState *s) {
    ThArray *a = lt_array(L, s, 1);
    int nd = th_array_ndim(a);
    return a && lua_gettop(L) == 1 && nd >= 2 ? exchanged(L, s, a, nd - 2, nd - 1) : 0;
}

static int short_permute(lua_State *L, LtState *s) { /* permute_dims(a, {axis, ..}) */
    ThArray *a = lt_array(L, s, 1);
    int64_t order[TH_MAX_NDIM], shape[TH_MAX_NDIM], strides[TH_MAX_NDIM];
    const int nd = th_array_ndim(a);
    uint64_t seen = 0;
    if (!a || lua_gettop(L) != 2 || nd == 0 || short_integers(L, 2, order, TH_MAX_NDIM) != nd) return 0;
    for (int d = 0; d < nd; d++) {
        const int64_t from = order[d] < 0 ? order[d] + nd : order[d];
        if (from < 0 || from >= nd || seen >> from & 1) return 0;
        seen |= (uint64_t)1 << from;
        shape[d] = th_array_shape(a)[from], strides[d] = th_array_strides(a)[from];
    }
    return push_view(L, s, a, nd, shape, strides, 0);
}

static int short_squeeze(lua_State *L, LtState *s) {
    ThArray *a = lt_array(L, s, 1);
    int64_t shape[TH_MAX_NDIM], strides[TH_MAX_NDIM];
    int n = 0;
    if (!a || lua_gettop(L) != 1) return 0;
    for (int d = 0; d < th_array_ndim(a); d++)
        if (th_array_shape(a)[d] != 1) shape[n] = th_array_shape(a)[d], strides[n++] = th_array_strides(a)[d];
    return push_view(L, s, a, n, shape, strides, 0);
}

static int short_ravel(lua_State *L, LtState *s) {
    ThArray *a = short_dense(L, s, 1), *of = lt_array(L, s, 1);
    if (!a && of && lua_gettop(L) == 1 && !th_array_contiguous(of) && th_array_device(of) < 0) {
        lt_push_array(L, s, th_array_copy(of));
        lua_replace(L, 1);
        a = lt_array(L, s, 1);
    }
    int64_t n = th_array_size(a), step = a ? (int64_t)th_dtype_bytes(th_array_dtype(a)) : 0;
    return a && lua_gettop(L) == 1 ? push_view(L, s, a, 1, &n, &step, 0) : 0;
}

/* New axes of length 1, `before` and `behind` the array's own. */
static int with_axes(lua_State *L, LtState *s, ThArray *a, int before, int behind) {
    int64_t shape[TH_MAX_NDIM], strides[TH_MAX_NDIM];
    int own = th_array_ndim(a), nd = before + own + behind;
    if (nd > TH_MAX_NDIM) return 0;
    for (int d = 0; d < nd; d++) {
        bool mine = d >= before && d < before + own;
        shape[d] = mine ? th_array_shape(a)[d - before] : 1;
        strides[d] = mine ? th_array_strides(a)[d - before] : 0;
    }
    return push_view(L, s, a, nd, shape, strides, 0);
}

static int short_atleast_2d(lua_State *L, LtState *s) {
    ThArray *a = lt_array(L, s, 1);
    int nd = th_array_ndim(a);
    return a && lua_gettop(L) == 1 && nd == 1 ? with_axes(L, s, a, 1, 0) : 0;
}
static int short_atleast_3d(lua_State *L, LtState *s) {
    ThArray *a = lt_array(L, s, 1);
    int nd = th_array_ndim(a);
    return a && lua_gettop(L) == 1 && (nd == 1 || nd == 2) ? with_axes(L, s, a, nd == 1, 1) : 0;
}

static int short_rollaxis(lua_State *L, LtState *s) { /* rollaxis(a, axis): to the front */
    ThArray *a = lt_array(L, s, 1);
    int64_t shape[TH_MAX_NDIM], strides[TH_MAX_NDIM], axis = 0;
    int nd = th_array_ndim(a);
    if (!a || lua_gettop(L) != 2 || !lua_isinteger(L, 2) || !short_axis(L, 2, nd, &axis)) return 0;
    for (int d = 0; d < nd; d++) {
        int from = d == 0 ? (int)axis : d - (d <= axis);
        shape[d] = th_array_shape(a)[from], strides[d] = th_array_strides(a)[from];
    }
    return push_view(L, s, a, nd, shape, strides, 0);
}

static int component(lua_State *L, LtState *s, int which) { /* of complex numbers on the host */
    ThArray *a = lt_array(L, s, 1);
    const ThDtype d = th_array_dtype(a);
    if (!a || lua_gettop(L) != 1 || (d != TH_COMPLEX128 && d != TH_COMPLEX64) || th_array_ndim(a) == 0) return 0;
    ThArray *v = th_array_device(a) < 0 ? th_array_component(a, which) : NULL;
    if (!v) return th_error_clear(s->ctx), 0;
    lt_push_array(L, s, v);
    return 1;
}
static int short_real(lua_State *L, LtState *s) { return component(L, s, 0); }
static int short_imag(lua_State *L, LtState *s) { return component(L, s, 1); }

static int lies(lua_State *L) { /* lies(a): whether elements lie densely in row-major, in column-major order */
    ThArray *a = lt_check_array(L, LT_STATE(L), 1);
    lua_pushboolean(L, th_array_contiguous(a));
    lua_pushboolean(L, th_array_fortran(a));
    return 2;
}

/* broadcast_view(a, shape): a read-only view of that shape, or nothing: it does not fit. */
static int broadcast_view(lua_State *L) {
    LtState *s = LT_STATE(L);
    ThArray *a = lt_check_array(L, s, 1);
    int64_t shape[TH_MAX_NDIM], strides[TH_MAX_NDIM];
    int nd = lt_shape(L, 2, shape), extra = nd - th_array_ndim(a);
    if (extra < 0) return 0;
    for (int d = 0; d < nd; d++) {
        int64_t n = d < extra ? 1 : th_array_shape(a)[d - extra];
        if (shape[d] < 0 || (n != 1 && n != shape[d])) return 0;
        strides[d] = n == 1 ? 0 : th_array_strides(a)[d - extra];
    }
    if (!push_view(L, s, a, nd, shape, strides, 0)) return 0;
    th_array_protect(lt_array(L, s, -1));
    return 1;
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */
typedef struct Parts { /* arrays of one dtype that are put one behind the other */
    ThArray *first;
    int n;
} Parts;

/* The arrays of the list at 1: dense, of one dtype and rank. */
static bool parts_of(lua_State *L, LtState *s, Parts *p) {
    *p = (Parts){0};
    if (!lua_istable(L, 1)) return false;
    if (lua_getmetatable(L, 1)) return lua_pop(L, 1), false;
    lua_Unsigned n = lua_rawlen(L, 1);
    int keys = 0;
    for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) keys++;
    if (n == 0 || n > 64 || keys != (int)n) return false;
    for (int i = 1; i <= (int)n; i++) {
        lua_rawgeti(L, 1, i);
        ThArray *a = short_dense(L, s, -1);
        lua_pop(L, 1);
        if (!a || (p->first &&
                   (th_array_dtype(a) != th_array_dtype(p->first) || th_array_ndim(a) != th_array_ndim(p->first))))
            return false;
        if (!p->first) p->first = a;
    }
    p->n = (int)n;
    return true;
}

static ThArray *part(lua_State *L, LtState *s, int i) { /* referenced by the list */
    lua_rawgeti(L, 1, i + 1);
    ThArray *a = lt_array(L, s, -1);
    lua_pop(L, 1);
    return a;
}

/* Pieces of `bytes[i]` of each part in turns, `outer` times. */
static void interleave(char *to, const char **from, const size_t *bytes, int n, int64_t outer) {
    if (n == 2 && bytes[0] == 8 && bytes[1] == 8) {
        for (int64_t k = 0; k < outer; k++) {
            memcpy(to + 16 * k, from[0] + 8 * k, 8);
            memcpy(to + 16 * k + 8, from[1] + 8 * k, 8);
        }
        return;
    }
    for (int64_t k = 0; k < outer; k++)
        for (int i = 0; i < n; i++) {
            memcpy(to, from[i], bytes[i]);
            to += bytes[i], from[i] += bytes[i];
        }
}

/* What the parts with `nd` dimensions `shape[i]` give along an axis. */
static int joined(lua_State *L, LtState *s, const Parts *p, int nd, int64_t (*shape)[TH_MAX_NDIM], int axis) {
    int64_t out[TH_MAX_NDIM], outer = 1;
    size_t bytes[64], inner = th_dtype_bytes(th_array_dtype(p->first));
    const char *from[64];
    memcpy(out, shape[0], sizeof *out * (size_t)nd);
    out[axis] = 0;
    for (int i = 0; i < p->n; i++) {
        for (int d = 0; d < nd; d++)
            if (d != axis && shape[i][d] != out[d]) return 0;
        out[axis] += shape[i][axis];
    }
    for (int d = 0; d < axis; d++) outer *= out[d];
    for (int d = axis + 1; d < nd; d++) inner *= (size_t)out[d];
    for (int i = 0; i < p->n; i++) from[i] = th_array_data(part(L, s, i)), bytes[i] = inner * (size_t)shape[i][axis];
    ThArray *r = th_array_empty(s->ctx, th_array_dtype(p->first), nd, out);
    lt_push_array(L, s, r);
    if (th_array_size(r)) interleave(th_array_data(r), from, bytes, p->n, outer);
    return 1;
}

/* The parts in forms of their own: new axes of length 1 at `before` and `behind`; then along an axis. */
static int join_as(lua_State *L, LtState *s, int before, int behind, int axis) {
    int64_t shape[64][TH_MAX_NDIM];
    Parts p;
    if (!parts_of(L, s, &p)) return 0;
    int own = th_array_ndim(p.first), nd = before + own + behind;
    if (nd > TH_MAX_NDIM || axis >= nd) return 0;
    for (int i = 0; i < p.n; i++) {
        for (int d = 0; d < nd; d++) shape[i][d] = 1;
        if (own) memcpy(shape[i] + before, th_array_shape(part(L, s, i)), sizeof(int64_t) * (size_t)own);
    }
    return joined(L, s, &p, nd, shape, axis);
}

static int first_rank(lua_State *L, LtState *s) {
    Parts p;
    return lua_gettop(L) == 1 && parts_of(L, s, &p) ? th_array_ndim(p.first) : -1;
}

static int short_concatenate(lua_State *L, LtState *s) {
    Parts p;
    int64_t axis = 0;
    if (!parts_of(L, s, &p) || !short_axis(L, 2, th_array_ndim(p.first), &axis)) return 0;
    return join_as(L, s, 0, 0, (int)axis);
}
static int short_stack(lua_State *L, LtState *s) {
    Parts p;
    int64_t axis = 0, shape[64][TH_MAX_NDIM];
    if (!parts_of(L, s, &p) || !short_axis(L, 2, th_array_ndim(p.first) + 1, &axis)) return 0;
    int nd = th_array_ndim(p.first) + 1;
    if (nd > TH_MAX_NDIM) return 0;
    for (int i = 0; i < p.n; i++)
        for (int d = 0; d < nd; d++) shape[i][d] = d == axis ? 1 : th_array_shape(part(L, s, i))[d - (d > axis)];
    return joined(L, s, &p, nd, shape, (int)axis);
}
static int short_vstack(lua_State *L, LtState *s) {
    int nd = first_rank(L, s);
    return nd == 1 ? join_as(L, s, 1, 0, 0) : nd > 1 ? join_as(L, s, 0, 0, 0) : 0;
}
static int short_hstack(lua_State *L, LtState *s) {
    int nd = first_rank(L, s);
    return nd > 0 ? join_as(L, s, 0, 0, nd > 1) : 0;
}
static int short_dstack(lua_State *L, LtState *s) {
    int nd = first_rank(L, s);
    return nd == 1 ? join_as(L, s, 1, 1, 2) : nd == 2 ? join_as(L, s, 0, 1, 2) : 0;
}
static int short_column_stack(lua_State *L, LtState *s) {
    int nd = first_rank(L, s);
    return nd == 1 ? join_as(L, s, 0, 1, 1) : nd == 2 ? join_as(L, s, 0, 0, 1) : 0;
}
static int short_append(lua_State *L, LtState *s) { /* vectors; without an axis also whatever else, in order */
    ThArray *a = short_dense(L, s, 1), *b = short_dense(L, s, 2);
    if (!a || !b || lua_gettop(L) != 2 || th_array_dtype(a) != th_array_dtype(b)) return 0;
    int64_t n = th_array_size(a) + th_array_size(b);
    size_t bytes = th_dtype_bytes(th_array_dtype(a)), first = bytes * (size_t)th_array_size(a);
    ThArray *r = th_array_empty(s->ctx, th_array_dtype(a), 1, &n);
    lt_push_array(L, s, r);
    char *to = th_array_data(r);
    memcpy(to, th_array_data(a), first);
    memcpy(to + first, th_array_data(b), bytes * (size_t)th_array_size(b));
    return 1;
}

/* ---- counting ---------------------------------------------------------------------------------------------------- */
/* 1 in each byte that is not 0. */
static uint64_t ones_of(uint64_t x) {
    const uint64_t low = 0x7f7f7f7f7f7f7f7fu;
    return (((x & low) + low) | x) >> 7 & 0x0101010101010101u;
}

WIDE(int64_t, trues, (const uint8_t *m, int64_t n), (m, n), {
    int64_t count = 0;
    for (int64_t i = 0; i < n;) { /* by bytes, which hold 255 */
        uint8_t some[64] = {0};
        int64_t end = n - i < 64 * 255 ? n - (n - i) % 64 : i + 64 * 255;
        for (; i < end; i += 64)
            for (int j = 0; j < 64; j++) some[j] += m[i + j] != 0;
        for (int j = 0; j < 64; j++) count += some[j];
        if (n - i < 64)
            for (; i < n; i++) count += m[i] != 0;
    }
    return count;
})
int64_t short_trues(const uint8_t *m, int64_t n) { return trues(m, n); }

#define COUNT(NAME, T) \
    WIDE(int64_t, NAME, (const T *x, int64_t n), (x, n), { \
        int64_t count = 0; \
        for (int64_t i = 0; i < n; i++) count += x[i] != 0; \
        return count; \
    })
COUNT(count_doubles, double)
COUNT(count_floats, float)
COUNT(count_integers, int64_t)
static int64_t not_zero(const void *p, ThDtype d, int64_t n) {
    switch (d) {
    case TH_BOOL: return short_trues(p, n);
    case TH_FLOAT64: return count_doubles(p, n);
    case TH_FLOAT32: return count_floats(p, n);
    default: return count_integers(p, n);
    }
}

static int short_count_nonzero(lua_State *L, LtState *s) {
    ThArray *a = short_dense(L, s, 1);
    ThDtype d = th_array_dtype(a);
    if (!a || lua_gettop(L) != 1 || (d != TH_BOOL && d != TH_FLOAT64 && d != TH_FLOAT32 && d != TH_INT64)) return 0;
    lua_pushinteger(L, not_zero(th_array_data(a), d, th_array_size(a)));
    return 1;
}

/* How often each number of a vector of int64 occurs, or the sums of weights: counted in two halves, which do not wait
 * for each other's stores. */
/* The least and greatest of n numbers and those that stand there. */
WIDE(void, span, (const int64_t *x, int64_t n, int64_t *least, int64_t *greatest), (x, n, least, greatest), {
    int64_t low = *least, high = *greatest;
    for (int64_t i = 0; i < n; i++) {
        low = x[i] < low ? x[i] : low;
        high = x[i] > high ? x[i] : high;
    }
    *least = low, *greatest = high;
})
static int short_bincount(lua_State *L, LtState *s) {
    ThArray *a = short_dense(L, s, 1), *w = short_dense(L, s, 2);
    if (!a || lua_gettop(L) > 2 || th_array_dtype(a) != TH_INT64 || th_array_ndim(a) != 1) return 0;
    if (lua_gettop(L) == 2 &&
        (!w || th_array_dtype(w) != TH_FLOAT64 || th_array_ndim(w) != 1 || th_array_size(w) != th_array_size(a)))
        return 0;
    const int64_t n = th_array_size(a), *x = th_array_data(a);
    int64_t low = 0, high = -1;
    span(x, n, &low, &high);
    int64_t bins = high + 1;
    if (n == 0 || low < 0 || bins > 4 * n + 1024) return 0;
    ThArray *r = th_array_zeros(s->ctx, w ? TH_FLOAT64 : TH_INT64, 1, &bins);
    lt_push_array(L, s, r);
    if (w) {
        double *sum = th_array_data(r);
        const double *each = th_array_data(w);
        for (int64_t i = 0; i < n; i++) sum[x[i]] += each[i];
        return 1;
    }
    int64_t *to = th_array_data(r);
    enum { FEW = 1024 };
    if (bins > FEW) {
        for (int64_t i = 0; i < n; i++) to[x[i]]++;
        return 1;
    }
    int64_t other[FEW], i = 0;
    memset(other, 0, sizeof *other * (size_t)bins);
    for (; i + 2 <= n; i += 2) to[x[i]]++, other[x[i + 1]]++;
    if (i < n) to[x[i]]++;
    for (int64_t b = 0; b < bins; b++) to[b] += other[b];
    return 1;
}

/* ---- bits -------------------------------------------------------------------------------------------------------- */
static inline uint64_t in_order(uint64_t v) { /* the first byte is the lowest, on any machine */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap64(v);
#else
    return v;
#endif
}
/* The first of eight elements is the highest bit. */
WIDE(void, pack, (uint8_t *restrict to, const uint8_t *x, int64_t bytes), (to, x, bytes), {
    for (int64_t i = 0; i < bytes; i++) {
        uint64_t v;
        memcpy(&v, x + 8 * i, 8);
        to[i] = (uint8_t)(ones_of(in_order(v)) * 0x8040201008040201u >> 56);
    }
})
WIDE(void, unpack, (uint8_t *restrict to, const uint8_t *x, int64_t n), (to, x, n), {
    for (int64_t i = 0; i < n; i++) {
        uint64_t spread = (uint64_t)x[i] * 0x0101010101010101u & 0x0102040810204080u; /* byte k has bit 7 - k */
        spread = in_order((spread + 0x7f7f7f7f7f7f7f7fu) >> 7 & 0x0101010101010101u);
        memcpy(to + 8 * i, &spread, 8);
    }
})
static inline uint64_t size_of(int64_t x) { return x < 0 ? 0 - (uint64_t)x : (uint64_t)x; }
/* How many bits of |x| are set: sums of neighbouring bits, pairs, quads. */
static void set_bits_any(uint8_t *restrict to, const int64_t *x, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        uint64_t v = size_of(x[i]);
        v = v - (v >> 1 & 0x5555555555555555u);
        v = (v & 0x3333333333333333u) + (v >> 2 & 0x3333333333333333u);
        v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0fu;
        to[i] = (uint8_t)(v * 0x0101010101010101u >> 56);
    }
}
#ifdef WIDE_BY_PROCESSOR /* it has an instruction for one number, or for vectors of them */
#define COUNTED \
    { \
        for (int64_t i = 0; i < n; i++) to[i] = (uint8_t)__builtin_popcountll(size_of(x[i])); \
    }
__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq"))) static void set_bits_vectors(
    uint8_t *restrict to, const int64_t *x, int64_t n) COUNTED
    __attribute__((target("popcnt"))) static void set_bits_numbers(uint8_t *restrict to, const int64_t *x,
                                                                   int64_t n) COUNTED
    static void set_bits(uint8_t *restrict to, const int64_t *x, int64_t n) {
    if (__builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        set_bits_vectors(to, x, n);
    else if (__builtin_cpu_supports("popcnt")) set_bits_numbers(to, x, n);
    else set_bits_any(to, x, n);
}
#else
static void set_bits(uint8_t *restrict to, const int64_t *x, int64_t n) { set_bits_any(to, x, n); }
#endif

static int short_bitwise_count(lua_State *L, LtState *s) { /* of int64 */
    ThArray *a = short_dense(L, s, 1);
    if (!a || lua_gettop(L) != 1 || th_array_dtype(a) != TH_INT64 || th_array_ndim(a) == 0) return 0;
    ThArray *r = th_array_empty(s->ctx, TH_UINT8, th_array_ndim(a), th_array_shape(a));
    lt_push_array(L, s, r);
    set_bits(th_array_data(r), th_array_data(a), th_array_size(a));
    return 1;
}

static int short_packbits(lua_State *L, LtState *s) { /* of bool */
    ThArray *a = short_dense(L, s, 1);
    if (!a || lua_gettop(L) != 1 || th_array_dtype(a) != TH_BOOL) return 0;
    const int64_t n = th_array_size(a), bytes = (n + 7) / 8;
    ThArray *r = th_array_empty(s->ctx, TH_UINT8, 1, &bytes);
    lt_push_array(L, s, r);
    const uint8_t *x = th_array_data(a);
    uint8_t *to = th_array_data(r);
    uint64_t v = 0;
    pack(to, x, n / 8);
    if (n % 8) memcpy(&v, x + n / 8 * 8, (size_t)(n % 8)), pack(to + n / 8, (const uint8_t *)&v, 1);
    return 1;
}

static int short_unpackbits(lua_State *L, LtState *s) {
    ThArray *a = short_dense(L, s, 1);
    if (!a || lua_gettop(L) != 1 || th_array_dtype(a) != TH_UINT8) return 0;
    const int64_t n = th_array_size(a), bits = 8 * n;
    ThArray *r = th_array_empty(s->ctx, TH_UINT8, 1, &bits);
    lt_push_array(L, s, r);
    const uint8_t *x = th_array_data(a);
    uint8_t *to = th_array_data(r);
    unpack(to, x, n);
    return 1;
}

/* ---- the functions ----------------------------------------------------------------------------------------------- */
static const struct {
    const char *name;
    ShortWay *way;
} ways[] = {{"flip", short_flip},
            {"fliplr", short_fliplr},
            {"flipud", short_flipud},
            {"swapaxes", short_swapaxes},
            {"matrix_transpose", short_matrix_transpose},
            {"squeeze", short_squeeze},
            {"atleast_2d", short_atleast_2d},
            {"atleast_3d", short_atleast_3d},
            {"rollaxis", short_rollaxis},
            {"ravel", short_ravel},
            {"real", short_real},
            {"imag", short_imag},
            {"concatenate", short_concatenate},
            {"concat", short_concatenate},
            {"stack", short_stack},
            {"vstack", short_vstack},
            {"row_stack", short_vstack},
            {"hstack", short_hstack},
            {"dstack", short_dstack},
            {"column_stack", short_column_stack},
            {"append", short_append},
            {"count_nonzero", short_count_nonzero},
            {"bincount", short_bincount},
            {"bitwise_count", short_bitwise_count},
            {"packbits", short_packbits},
            {"unpackbits", short_unpackbits},
            {"take", vectors_take},
            {"extract", vectors_extract},
            {"compress", vectors_extract},
            {"place", vectors_place},
            {"isin", vectors_isin},
            {"in1d", vectors_isin},
            {"nanmax", vectors_nanmax},
            {"nanmin", vectors_nanmin},
            {"resize", vectors_resize},
            {"delete", moves_delete},
            {"roll", moves_roll},
            {"repeat_", moves_repeat},
            {"repeat", moves_repeat},
            {"pad", moves_pad},
            {"tile", moves_tile},
            {"tri", moves_tri},
            {"tril", moves_tril},
            {"triu", moves_triu},
            {"tril_indices", moves_tril_indices},
            {"triu_indices", moves_triu_indices},
            {"tril_indices_from", moves_tril_indices_from},
            {"triu_indices_from", moves_triu_indices_from},
            {"diag", moves_diag},
            {"diagonal", moves_diagonal},
            {"diagflat", moves_diagflat},
            {"fill_diagonal", moves_fill_diagonal},
            {"indices", moves_indices},
            {"block", moves_block},
            {"unstack", moves_unstack},
            {"ascontiguousarray", moves_ascontiguous},
            {"empty_like", moves_empty_like},
            {"histogram", counts_histogram},
            {"histogram_bin_edges", counts_bin_edges},
            {"take_along_axis", counts_take_along},
            {"put_along_axis", counts_put_along},
            {"argwhere", counts_argwhere},
            {"unravel_index", counts_unravel},
            {"ravel_multi_index", counts_ravel},
            {"polyadd", counts_polyadd},
            {"polysub", counts_polysub},
            {"polyval", counts_polyval},
            {"gradient", counts_gradient},
            {"cross", counts_cross},
            {"ones", moves_ones},
            {"ones_like", moves_ones_like},
            {"full", moves_full},
            {"inner", counts_inner},
            {"trace", counts_trace},
            {"diag_indices", counts_diag_indices},
            {"vdot", counts_vdot},
            {"matvec", counts_matvec},
            {"vecmat", counts_vecmat},
            {"result_type", counts_result_type},
            {"iscomplexobj", counts_iscomplexobj},
            {"iscomplex", numbers_iscomplex},
            {"isreal", numbers_isreal},
            {"isrealobj", counts_isrealobj},
            {"isfortran", counts_isfortran},
            {"iterable", counts_iterable},
            {"binary_repr", counts_binary_repr},
            {"base_repr", counts_base_repr},
            {"eye", vectors_eye},
            {"identity", vectors_eye},
            {"put", vectors_put},
            {"putmask", vectors_putmask},
            {"convolve", vectors_convolve},
            {"correlate", vectors_correlate},
            {"interp", vectors_interp},
            {"permute_dims", short_permute},
            {"floor_divide", numbers_quotient},
            {"mod", numbers_remainder},
            {"remainder", numbers_remainder},
            {"greater", numbers_greater},
            {"gt", numbers_greater},
            {"greater_equal", numbers_greater_equal},
            {"ge", numbers_greater_equal},
            {"less", numbers_less},
            {"lt", numbers_less},
            {"less_equal", numbers_less_equal},
            {"le", numbers_less_equal},
            {"equal", numbers_equal},
            {"eq", numbers_equal},
            {"not_equal", numbers_not_equal},
            {"neq", numbers_not_equal},
            {"nan_to_num", numbers_nan_to_num},
            {"array_equal", numbers_array_equal},
            {"ndim", numbers_ndim},
            {"fromiter", numbers_from_iterator},
            {"vecdot", lines_vecdot},
            {"matmul", lines_by_vector},
            {"dot", lines_by_vector},
            {"average", lines_average},
            {"argmax", lines_argmax},
            {"argmin", lines_argmin},
            {"all", lines_all},
            {"bartlett", lines_bartlett},
            {"round", lines_round},
            {"around", lines_round},
            {"ldexp", lines_ldexp},
            {"rint", lines_rint},
            {"real_if_close", lines_real_if_close},
            {"trim_zeros", lines_trim_zeros},
            {"unique_counts", lines_unique_counts},
            {"partition", ranks_partition},
            {"argpartition", ranks_argpartition},
            {"median", ranks_median},
            {"quantile", ranks_quantile},
            {"percentile", ranks_percentile},
            {"nanmedian", ranks_nanmedian},
            {"nanquantile", ranks_nanquantile},
            {"nanpercentile", ranks_nanpercentile},
            {"digitize", ranks_digitize},
            {"nextafter", numbers_nextafter},
            {"einsum", lines_einsum},
            {"lexsort", series_lexsort},
            {"sort_complex", series_sort_complex},
            {"polyint", series_polyint},
            {"poly", series_poly},
            {"vander", series_vander},
            {"trapezoid", series_trapezoid},
            {"trapz", series_trapezoid},
            {"cumulative_sum", series_cumulative_sum},
            {"cumulative_prod", series_cumulative_prod},
            {"insert", series_insert},
            {"fromfunction", series_fromfunction},
            {"arange", series_arange},
            {"frexp", numbers_frexp},
            {"spacing", numbers_spacing},
            {"outer", counts_outer},
            {"polyder", series_polyder},
            {"ediff1d", series_ediff1d},
            {"diff", series_diff},
            {"nanvar", series_nanvar},
            {"nanstd", series_nanstd},
            {"hamming", series_hamming},
            {"hanning", series_hanning},
            {"blackman", series_blackman},
            {"setxor1d", series_setxor1d},
            {"meshgrid", moves_meshgrid},
            {"empty", moves_empty},
            {"full_like", moves_full_like},
            {"copyto", moves_copyto},
            {"choose", moves_choose},
            {"isclose", numbers_isclose},
            {"atleast_1d", numbers_atleast_1d},
            {"isscalar", numbers_isscalar},
            {"common_type", counts_result_type},
            {"format_float_positional", digits_positional},
            {"format_float_scientific", digits_scientific},
            {"fromstring", digits_fromstring},
            {"broadcast_shapes", digits_broadcast_shapes},
            {"can_cast", digits_can_cast},
            {"promote_types", digits_promote_types},
            {"left_shift", numbers_left_shift},
            {"bitwise_left_shift", numbers_left_shift},
            {"right_shift", numbers_right_shift},
            {"bitwise_right_shift", numbers_right_shift},
            {"nonzero", lines_nonzero},
            {"flatnonzero", lines_flatnonzero}};
enum { WAYS = sizeof ways / sizeof *ways };

/* The list of numbers on top becomes an array; whether it was one. */
static bool read_list(lua_State *L, LtState *s, ThDtype d) {
    ThArray *a = lua_istable(L, -1) ? lt_plain_list(L, s, -1, d) : NULL;
    if (a) lt_push_array(L, s, a), lua_remove(L, -2);
    return a != NULL;
}

/* The list at 1 with arrays in place of the lists of numbers in it; whether there were any. */
static bool read_parts(lua_State *L, LtState *s) {
    const lua_Integer n = lua_istable(L, 1) ? (lua_Integer)lua_rawlen(L, 1) : 0;
    bool any = false;
    if (n == 0 || lua_getmetatable(L, 1)) return lua_pop(L, n != 0), false;
    lua_pushinteger(L, n);
    if (lua_next(L, 1)) return lua_pop(L, 2), false; /* not all it has */
    lua_createtable(L, (int)n, 0);
    for (lua_Integer i = 1; i <= n; i++) {
        lua_rawgeti(L, 1, i);
        any |= read_list(L, s, TH_DTYPE_NONE);
        lua_rawseti(L, -2, i);
    }
    if (any) lua_replace(L, 1);
    else lua_pop(L, 1);
    return any;
}

/* Lists where arrays are meant: whole arguments, or parts of what joins. */
static bool read_lists(lua_State *L, LtState *s, ShortWay *way, int top) {
    static ShortWay *const joins[] = {short_concatenate, short_stack,  short_vstack,
                                      short_hstack,      short_dstack, short_column_stack};
    bool any = false;
    for (int i = 0; i < (int)(sizeof joins / sizeof *joins); i++)
        if (joins[i] == way) return read_parts(L, s);
    if (way != vectors_convolve && way != vectors_correlate && way != vectors_interp) return false;
    for (int i = 1; i <= top; i++) {
        const ThArray *first = lt_array(L, s, 1); /* integers become what they meet */
        const bool doubles = way == vectors_interp || (first && th_array_dtype(first) == TH_FLOAT64);
        lua_pushvalue(L, i);
        if (read_list(L, s, doubles ? TH_FLOAT64 : TH_DTYPE_NONE)) lua_replace(L, i), any = true;
        else lua_pop(L, 1);
    }
    return any;
}

static int call(lua_State *L) { /* upvalues: state, number of the way, the other function, SHORT_FUNCTION */
    LtState *s = LT_STATE(L);
    lt_collect(L, s); /* before there is a result: it may get the memory of the one before it */
    ShortWay *way = ways[lua_tointeger(L, lua_upvalueindex(2))].way;
    int n = way(L, s), top = lua_gettop(L);
    if (!n && read_lists(L, s, way, top)) n = way(L, s);
    if (n) return n == SHORT_DONE ? 0 : n;
    lua_pushvalue(L, lua_upvalueindex(3));
    lua_insert(L, 1);
    lua_call(L, top, LUA_MULTRET);
    return lua_gettop(L);
}

static int shorter(lua_State *L) { /* shorter(name, f): f with a short way in front, or nil: there is none */
    LtState *s = LT_STATE(L);
    const char *name = luaL_checkstring(L, 1);
    luaL_checktype(L, 2, LUA_TFUNCTION);
    for (int i = 0; i < WAYS; i++)
        if (!strcmp(name, ways[i].name)) {
            lua_pushlightuserdata(L, s);
            lua_pushinteger(L, i);
            lua_pushvalue(L, 2);
            lua_pushinteger(L, th_func_find(strcmp(name, "digitize") ? name : "searchsorted"));
            lua_pushcclosure(L, call, 4);
            return 1;
        }
    return 0;
}

void lt_open_short(lua_State *L, LtState *s) {
    static const luaL_Reg fns[] = {
        {"shorter", shorter}, {"broadcast_view", broadcast_view}, {"lies", lies}, {NULL, NULL}};
    lt_register(L, s, fns);
}
