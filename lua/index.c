/*
 * index.c -- ndarray subscripts: integers, slices, newaxis and ellipsis give views, made here; arrays as indices go to
 * the engine's indexing functions. Both sides of `=`.
 */
#include "binding.h"

#include <string.h>

typedef struct View {
    int ndim;
    int64_t shape[TH_MAX_NDIM], strides[TH_MAX_NDIM], offset;
} View;

static int64_t bound(const ThArg *a, int64_t n, int64_t absent, int64_t low, int64_t high) {
    if (a->kind != TH_ARG_INT) return absent;
    int64_t v = a->i < 0 ? a->i + n : a->i;
    return v < low ? low : v > high ? high : v;
}

static void add_slice(lua_State *L, View *v, const ThArg *e, int64_t n, int64_t stride) {
    const ThArg *p = e->list.at;
    for (int i = 0; i < 3; i++)
        if (p[i].kind != TH_ARG_NONE && p[i].kind != TH_ARG_INT)
            lt_error(L, TH_TypeError, "slice bounds of an ndarray are integers");
    int64_t step = p[2].kind == TH_ARG_INT ? p[2].i : 1;
    if (step == 0) lt_error(L, TH_ValueError, "slice step cannot be zero");
    int64_t lo = step > 0 ? 0 : -1, hi = step > 0 ? n : n - 1;
    int64_t start = bound(&p[0], n, step > 0 ? 0 : n - 1, lo, hi), stop = bound(&p[1], n, step > 0 ? n : -1, lo, hi);
    int64_t way = step > 0 ? stop - start : start - stop; /* steps may be as large as integers are */
    uint64_t each = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
    int64_t len = way > 0 ? (int64_t)((uint64_t)(way - 1) / each) + 1 : 0;
    if (len) v->offset += start * stride;
    v->shape[v->ndim] = len;
    v->strides[v->ndim++] = len > 1 ? stride * step : stride;
}

static void add_index(lua_State *L, View *v, int64_t i, int axis, int64_t n, int64_t stride) {
    if (i < -n || i >= n)
        lt_error(L, TH_IndexError, "index %lld is out of bounds for axis %d with size %lld%s", (long long)i, axis,
                 (long long)n, i == n && n ? " (positions count from 0; a:rows() walks the first axis)" : "");
    v->offset += (i < 0 ? i + n : i) * stride;
}

static int count_axes(lua_State *L, const ThArg *sub, int nd, bool *basic) {
    int used = 0, ellipses = 0;
    *basic = true;
    for (int i = 0; i < sub->list.n; i++) {
        ThArgKind k = sub->list.at[i].kind;
        if (k == TH_ARG_INT || k == TH_ARG_SLICE) used++;
        else if (k == TH_ARG_ELLIPSIS) ellipses++;
        else if (k != TH_ARG_NEWAXIS) {
            used++;
            *basic = false;
        }
    }
    if (ellipses > 1) lt_error(L, TH_IndexError, "an index can only have a single ellipsis ('...')");
    if (*basic && used > nd)
        lt_error(L, TH_IndexError, "too many indices for array: array is %d-dimensional, but %d were indexed%s", nd,
                 used, nd ? " (a table is one subscript for each dimension; a[nd.array{..}] picks positions)" : "");
    return used;
}

/* The view a basic subscript selects; false when it needs index arrays. */
static bool basic_view(lua_State *L, ThArray *a, const ThArg *sub, View *v) {
    int nd = th_array_ndim(a), axis = 0;
    const int64_t *shape = th_array_shape(a), *strides = th_array_strides(a);
    bool basic, seen = false;
    int used = count_axes(L, sub, nd, &basic);
    if (!basic) return false;
    *v = (View){0};
    for (int i = 0; i <= sub->list.n; i++) {
        const ThArg *e = i < sub->list.n ? &sub->list.at[i] : NULL;
        if (!e && seen) break;
        if (v->ndim >= TH_MAX_NDIM) lt_error(L, TH_IndexError, "more than %d dimensions", TH_MAX_NDIM);
        if (!e || e->kind == TH_ARG_ELLIPSIS) { /* whole axes; also those not named */
            for (int k = nd - used; k > 0; k--, axis++)
                v->shape[v->ndim] = shape[axis], v->strides[v->ndim++] = strides[axis];
            seen = true;
        } else if (e->kind == TH_ARG_NEWAXIS) v->shape[v->ndim] = 1, v->strides[v->ndim++] = 0;
        else if (e->kind == TH_ARG_INT) {
            add_index(L, v, e->i, axis, shape[axis], strides[axis]);
            axis++;
        } else {
            add_slice(L, v, e, shape[axis], strides[axis]);
            axis++;
        }
    }
    return true;
}

static int call_func(lua_State *L, LtState *s, const char *name, ThArg *args, int n, ThArray **out) {
    int f = th_func_find(name);
    if (f < 0) return lt_error(L, TH_NotImplementedError, "this build has no function '%s'", name);
    lt_mark_line(L, s);
    LT_CHECK(L, s, th_eager(s->ctx, f, args, n, out, 1) == 1);
    return 1;
}

/* ---- masks and index arrays ------------------------------------------------------------------------------------- */
/* Indices that a mask takes up: one for each of its dims; one for the new axis that a mask without dims stands for. */
static int mask_width(const ThArray *mask) { return th_array_ndim(mask) ? th_array_ndim(mask) : 1; }

/* Positions of the true elements of a mask: one int64 vector for each of its dims, written into out. They stay on the
   stack, which keeps them alive. */
static void mask_positions(lua_State *L, LtState *s, ThArray *mask, ThArg *out) {
    ThArray *to[TH_MAX_NDIM];
    int nd = th_array_ndim(mask);
    if (nd == 0) { /* all of the new axis of length 1, or nothing */
        ThValue on, zero = {.i = 0};
        LT_CHECK(L, s, !th_array_get(mask, NULL, &on));
        out->kind = TH_ARG_ARRAY;
        out->array = th_array_ramp(s->ctx, TH_INT64, on.i != 0, zero, zero);
        lt_push_array(L, s, out->array);
        return;
    }
    LT_CHECK(L, s, !th_array_nonzero(mask, to));
    for (int d = 0; d < nd; d++) {
        lt_push_array(L, s, to[d]);
        out[d] = (ThArg){.kind = TH_ARG_ARRAY, .array = to[d]};
    }
}

static bool is_mask(const ThArg *e) { return e->kind == TH_ARG_ARRAY && th_array_dtype(e->array) == TH_BOOL; }

static void check_mask(lua_State *L, const ThArray *a, const ThArray *mask, int axis) {
    int nd = th_array_ndim(mask);
    for (int d = 0; d < nd && axis + d < th_array_ndim(a); d++)
        if (th_array_shape(mask)[d] > 0 && th_array_shape(mask)[d] != th_array_shape(a)[axis + d]) /* as NumPy */
            lt_error(L, TH_IndexError,
                     "boolean index did not match indexed array along dimension %d; dimension is %lld but "
                     "corresponding boolean dimension is %lld",
                     axis + d, (long long)th_array_shape(a)[axis + d], (long long)th_array_shape(mask)[d]);
}

/* a with a new axis of length 1 in front of `axis`, kept on the stack. */
static ThArray *with_axis(lua_State *L, LtState *s, ThArray *a, int axis) {
    int64_t shape[TH_MAX_NDIM], strides[TH_MAX_NDIM];
    int nd = th_array_ndim(a);
    if (nd + 1 > TH_MAX_NDIM) lt_error(L, TH_IndexError, "more than %d dimensions", TH_MAX_NDIM);
    for (int d = 0; d <= nd; d++) {
        shape[d] = d == axis ? 1 : th_array_shape(a)[d - (d > axis)];
        strides[d] = d == axis ? 0 : th_array_strides(a)[d - (d > axis)];
    }
    ThArray *r = th_array_view(a, nd + 1, shape, strides, 0);
    lt_push_array(L, s, r);
    return r;
}

/* Bool arrays in a subscript become the positions they mean. Gives a, with a new axis for each mask without dims. */
static ThArray *expand_masks(lua_State *L, LtState *s, ThArray *a, ThArg *sub) {
    int n = 0, masks = 0, axis = 0;
    for (int i = 0; i < sub->list.n; i++) {
        bool m = is_mask(&sub->list.at[i]);
        masks += m;
        n += m ? mask_width(sub->list.at[i].array) : 1;
    }
    if (!masks) return a;
    luaL_checkstack(L, 2 * n + 8, "masks");
    ThArg *at = lua_newuserdatauv(L, sizeof *at * (size_t)(n + 1), 0);
    int k = 0, rest = th_array_ndim(a);
    for (int i = 0; i < sub->list.n; i++) { /* what an ellipsis stands for */
        const ThArg *e = &sub->list.at[i];
        if (e->kind != TH_ARG_NEWAXIS && e->kind != TH_ARG_ELLIPSIS) rest -= is_mask(e) ? th_array_ndim(e->array) : 1;
    }
    for (int i = 0; i < sub->list.n; i++) {
        const ThArg *e = &sub->list.at[i];
        if (!is_mask(e)) {
            at[k++] = *e;
            axis += e->kind == TH_ARG_ELLIPSIS ? rest : e->kind != TH_ARG_NEWAXIS;
            continue;
        }
        if (th_array_ndim(e->array) == 0) a = with_axis(L, s, a, axis < th_array_ndim(a) ? axis : th_array_ndim(a));
        check_mask(L, a, e->array, axis);
        mask_positions(L, s, e->array, &at[k]);
        k += mask_width(e->array);
        axis += mask_width(e->array);
    }
    sub->list.at = at;
    sub->list.n = k;
    return a;
}

/* What index arrays select: a copy. Left on the Lua stack by the caller. */
static ThArray *gather(lua_State *L, LtState *s, ThArray *a, const ThArg *sub) {
    ThArg args[2] = {{.kind = TH_ARG_ARRAY, .array = a}, *sub};
    ThArray *r = NULL;
    call_func(L, s, "subtensor", args, 2, &r);
    return r;
}

static ThArray *get(lua_State *L, LtState *s, ThArray *a, ThArg *sub) {
    View v;
    a = expand_masks(L, s, a, sub);
    if (basic_view(L, a, sub, &v)) return th_array_view(a, v.ndim, v.shape, v.strides, v.offset);
    return gather(L, s, a, sub);
}

/*
 * a[sub] = value where sub has index arrays: the same subscript of an array of positions says where each value goes, so
 * every form of indexing means on the left what it means on the right. The last of equal positions wins.
 */
static void scatter(lua_State *L, LtState *s, ThArray *a, const ThArg *sub, ThArray *value) {
    ThArray *line = th_array_ramp(s->ctx, TH_INT64, th_array_size(a), (ThValue){.i = 0}, (ThValue){.i = 1});
    lt_push_array(L, s, line);
    ThArray *all = th_array_reshape(line, th_array_ndim(a), th_array_shape(a));
    lt_push_array(L, s, all);
    ThArray *where = gather(L, s, all, sub);
    lt_push_array(L, s, where);
    LT_CHECK(L, s, !th_array_put(a, where, value));
}

/* a[mask] = value with a mask of a's shape: straight to the positions. */
static bool masked(lua_State *L, LtState *s, ThArray *a, const ThArg *sub, ThArray *value) {
    if (sub->list.n != 1 || !is_mask(&sub->list.at[0])) return false;
    ThArray *mask = sub->list.at[0].array;
    int64_t n = th_array_size(mask);
    if (th_array_ndim(mask) != th_array_ndim(a) || !th_array_ndim(a)) return false;
    check_mask(L, a, mask, 0);
    ThArray *flat = th_array_reshape(mask, 1, &n), *where = NULL;
    lt_push_array(L, s, flat);
    LT_CHECK(L, s, !th_array_nonzero(flat, &where));
    lt_push_array(L, s, where);
    LT_CHECK(L, s, !th_array_put(a, where, value));
    return true;
}

/* index(a, subscript): element as a number when nothing is left of the shape. */
static int index_get(lua_State *L) {
    LtState *s = LT_STATE(L);
    ThArray *a = lt_check_array(L, s, 1);
    ThArg sub = {0};
    lt_subscript(L, s, 2, &sub);
    lt_push_result(L, s, get(L, s, a, &sub), false);
    return 1;
}

static int index_sub(lua_State *L) { /* a:sub(...) */
    LtState *s = LT_STATE(L);
    ThArray *a = lt_check_array(L, s, 1);
    ThArg sub = {0};
    lt_subscript_args(L, s, 2, lua_gettop(L), &sub);
    lt_push_result(L, s, get(L, s, a, &sub), false);
    return 1;
}

static int index_set(lua_State *L) { /* setindex(a, subscript, value) */
    LtState *s = LT_STATE(L);
    ThArray *a = lt_check_array(L, s, 1), *v = lt_array(L, s, 3);
    if (!th_array_data(a) && th_array_size(a))
        return lt_error(L, TH_ValueError, "this array (or the one it views) was freed");
    if (!th_array_writeable(a)) return lt_error(L, TH_ValueError, "assignment destination is read-only");
    if (v) th_array_retain(v);
    else v = lt_to_array(L, s, 3, lt_held_dtype(a));
    lt_push_array(L, s, v);
    ThArg sub = {0};
    lt_subscript(L, s, 2, &sub);
    if (masked(L, s, a, &sub, v)) return 0;
    a = expand_masks(L, s, a, &sub);
    View w;
    if (basic_view(L, a, &sub, &w)) {
        ThArray *dst = th_array_view(a, w.ndim, w.shape, w.strides, w.offset);
        lt_push_array(L, s, dst);
        LT_CHECK(L, s, !th_array_assign(dst, v));
    } else scatter(L, s, a, &sub, v);
    return 0;
}

static int nonzero(lua_State *L) { /* nonzero(a): a vector of positions for each dimension */
    LtState *s = LT_STATE(L);
    lt_most(L, 1);
    ThArray *a = lt_check_array(L, s, 1), *to[TH_MAX_NDIM];
    int nd = th_array_ndim(a);
    luaL_checkstack(L, nd + 4, "nonzero");
    LT_CHECK(L, s, !th_array_nonzero(a, to));
    for (int d = 0; d < nd; d++) lt_push_array(L, s, to[d]);
    return nd;
}

void lt_open_index(lua_State *L, LtState *s) {
    static const luaL_Reg fns[] = {{"index", index_get}, {"setindex", index_set}, {"nonzero", nonzero}, {NULL, NULL}};
    lt_register(L, s, fns);
    lua_getfield(L, -1, "array_methods");
    static const luaL_Reg methods[] = {{"sub", index_sub}, {NULL, NULL}};
    lt_register(L, s, methods);
    lua_pop(L, 1);
}
