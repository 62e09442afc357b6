/*
 * position.c -- functions about where elements are: nonzero, compress, choose, roll, one-hot rows, flat positions
 * and coordinates, permutations, and a few that put tensors together.
 */
#include "util.h"

#include <string.h>

static ThVar *number(Builder *b, int64_t v) { return const_int(b, v, TH_INT64); }

static ThVar *call1(Front *f, const char *name, ThVar *x) {
    ThArg a = front_arg_var(x);
    return front_call(f->b, name, &a, 1);
}

static ThVar *call2(Front *f, const char *name, ThVar *x, ThArg second) {
    ThArg a[2] = {front_arg_var(x), second};
    return front_call(f->b, name, a, 2);
}

/* 0, 1, .. n - 1 along dimension d of nd, the others broadcastable. */
static ThVar *grid(Builder *b, ThVar *n, int d, int nd) {
    int8_t order[TH_MAX_NDIM];
    ThVar *line = arange_make(b, number(b, 0), n, number(b, 1), TH_INT64);
    for (int i = 0; i < nd; i++) order[i] = (int8_t)(i == d ? 0 : -1);
    return line ? dimshuffle_make(b, line, order, nd) : NULL;
}

/* x[in[0], in[1], ..]: an integer tensor for each of the first n axes. */
static ThVar *pick(Builder *b, ThVar *x, ThVar *const *in, int n) {
    AttrIdx idx = {.n = (int8_t)n};
    for (int d = 0; d < n; d++) {
        if (!in[d]) return NULL;
        idx.at[d].kind = 'i';
        idx.at[d].has = 1;
        idx.at[d].dtype[0] = in[d]->type.dtype;
    }
    return adv_subtensor_make(b, x, &idx, in, n);
}

/* ---- nonzero ----------------------------------------------------------------------------------------------------- */
int front_nonzero(Front *f) {
    ThVar *x = front_var(f, 0);
    bool matrix = front_bool(f, 1);
    if (!x || failed(f->ctx)) return -1;
    if (x->type.ndim == 0) return front_error(f, TH_ValueError, "Nonzero only supports non-scalar arrays.");
    ThApply *a = nonzero_make(f->b, x, NULL);
    if (!a || !matrix) return a ? front_return_n(f, a->out, a->nout) : -1;
    ThArg rows[TH_MAX_NDIM], list = {.kind = TH_ARG_LIST, .list = {rows, a->nout}};
    for (int d = 0; d < a->nout; d++) rows[d] = front_arg_var(a->out[d]);
    return front_return(f, front_call(f->b, "stack", &list, 1));
}

static ThVar *flat_positions(Front *f, ThVar *x) {
    ThVar *flat = x && x->type.ndim != 1 ? front_flatten_to(f->b, x, 1) : x;
    ThApply *a = flat ? nonzero_make(f->b, flat, NULL) : NULL;
    return a ? a->out[0] : NULL;
}

int front_flatnonzero(Front *f) {
    ThVar *x = front_var(f, 0);
    if (x && x->type.ndim == 0) return front_error(f, TH_ValueError, "Nonzero only supports non-scalar arrays.");
    return front_return(f, flat_positions(f, x));
}

int front_nonzero_values(Front *f) {
    ThVar *x = front_var(f, 0), *at = flat_positions(f, x);
    return front_return(f, at ? adv_subtensor1_make(f->b, front_flatten_to(f->b, x, 1), at) : NULL);
}

int front_compress(Front *f) {
    ThVar *c = front_var(f, 0), *x = front_var(f, 1);
    if (!c || !x) return -1;
    if (c->type.ndim != 1)
        return front_error(f, TH_ValueError, "the condition must have 1 dimension, it has %d", c->type.ndim);
    ThArg a[3] = {front_arg_var(x), front_arg_var(flat_positions(f, c)), f->arg[2]};
    a[2].key = NULL;
    return front_return(f, front_call(f->b, "take", a, 3));
}

/* ---- choose ------------------------------------------------------------------------------------------------------ */
/* Positions wrapped or clipped to [0, n) by mode; with "raise" as they are. NULL with ValueError for another mode. */
static ThVar *by_mode(Front *f, ThVar *i, ThVar *n, const char *mode) {
    if (!i || !n || !mode || strcmp(mode, "raise") == 0) return mode ? i : NULL;
    if (strcmp(mode, "wrap") == 0) return elemwise_2(f->b, S_mod, i, n);
    if (strcmp(mode, "clip") == 0)
        return elemwise_3(f->b, S_clip, i, number(f->b, 0), elemwise_2(f->b, S_sub, n, number(f->b, 1)));
    front_error(f, TH_ValueError, "mode must be \"raise\", \"wrap\" or \"clip\", not \"%s\"", mode);
    return NULL;
}

/* choices[a][i, j, ..] at each place i, j, .. of the result: one gather on the stacked choices. */
int front_choose(Front *f) {
    Builder *b = f->b;
    ThVar *a = front_var(f, 0), *c, *dims[TH_MAX_NDIM], *in[TH_MAX_NDIM];
    const char *mode = front_str(f, 3);
    if (!a || !mode) return -1;
    if (!front_none(f, 2)) return front_error(f, TH_NotImplementedError, "out is not supported");
    if (!dtype_is_discrete((ThDtype)a->type.dtype))
        return front_error(f, TH_TypeError, "a must hold integers, not %s", th_dtype_name((ThDtype)a->type.dtype));
    if (a->type.dtype == TH_BOOL) a = cast_make(b, a, TH_INT8);
    c = front_var(f, 1);
    if (!c || !a) return -1;
    if (c->type.ndim == 0) return front_error(f, TH_ValueError, "choices must have at least one dimension");
    if (strcmp(mode, "raise") == 0) {
        ThArg there = front_arg_var(elemwise_2(b, S_and_, elemwise_2(b, S_ge, a, number(b, 0)),
                                               elemwise_2(b, S_lt, a, shape_elem_make(b, c, 0))));
        ThVar *cond = failed(f->ctx) ? NULL : front_call(b, "all", &there, 1);
        a = cond ? assert_make(b, a, &cond, 1, "invalid entry in choice array", TH_ValueError) : NULL;
        if (!a) return -1;
    }
    int nd = c->type.ndim - 1 > a->type.ndim ? c->type.ndim - 1 : a->type.ndim;
    if (nd + 1 > TH_MAX_NDIM || !front_shape_of(b, c, dims)) return -1;
    in[0] = padleft_make(b, by_mode(f, a, dims[0], mode), nd);
    for (int d = 1; d < c->type.ndim; d++) {
        int at = nd - (c->type.ndim - 1) + d - 1; /* dimension of the result */
        if (!type_bcast(c->type, d)) in[d] = grid(b, dims[d], at, nd);
        else in[d] = padleft_make(b, number(b, 0), nd);
    }
    return front_return(f, in[0] ? pick(b, c, in, c->type.ndim) : NULL);
}

/* ---- roll -------------------------------------------------------------------------------------------------------- */
static ThVar *part(Front *f, ThVar *x, ThVar *bound, int axis, bool from) {
    AttrIdx idx = {.n = (int8_t)(axis + 1)};
    ThVar *v = index_make(f->b, bound);
    for (int d = 0; d <= axis; d++) idx.at[d].kind = 's';
    idx.at[axis].has = from ? 1 : 2;
    if (v) idx.at[axis].dtype[from ? 0 : 1] = v->type.dtype;
    return v ? subtensor_make(f->b, x, &idx, &v, 1) : NULL;
}

/* join(axis, x[n - shift:], x[:n - shift]) with the shift brought into [0, n). */
static ThVar *roll(Front *f, ThVar *x, ThVar *shift, int axis) {
    Builder *b = f->b;
    ThVar *n = shape_elem_make(b, x, axis);
    ThVar *most = elemwise_2(b, S_maximum, n, number(b, 1));
    ThVar *cut = elemwise_2(b, S_sub, n, elemwise_2(b, S_mod, cast_make(b, shift, TH_INT64), most));
    ThVar *both[2] = {part(f, x, cut, axis, true), part(f, x, cut, axis, false)};
    if (!both[0] || !both[1]) return NULL;
    ThVar *r = join_make(b, const_int(b, axis, TH_DTYPE_NONE), both, 2);
    return patternbroadcast_make(b, r, x->type.broadcastable);
}

/* Several axes, one after the other: a shift for each, or one for all; or several shifts along one axis. */
static ThVar *roll_each(Front *f, ThVar *x) {
    int64_t axis[TH_MAX_NDIM];
    VarVec by = {0};
    int n;
    if (front_none(f, 2)) front_error(f, TH_ValueError, "several shifts need as many axes");
    else if (!front_ints(f, 2, axis, TH_MAX_NDIM, &n)) {
        if (!failed(f->ctx)) front_error(f, TH_TypeError, "axis must be an integer or a list of integers");
    } else if (front_list(f, 1, &by) && by.n != n && by.n != 1 && n != 1)
        front_error(f, TH_ValueError, "%d shifts along %d axes", by.n, n);
    for (int i = 0; x && !failed(f->ctx) && by.n && n && i < (by.n > n ? by.n : n); i++) {
        int64_t *at = &axis[n == 1 ? 0 : i];
        ThVar *s = by.at[by.n == 1 ? 0 : i];
        if (s->type.ndim != 0 || !dtype_is_int((ThDtype)s->type.dtype))
            front_error(f, TH_TypeError, "shift must be an integer scalar");
        else if (axis_normalize(f->ctx, at, x->type.ndim, f->info->name)) x = roll(f, x, s, (int)*at);
    }
    vec_free(f->ctx, &by);
    return failed(f->ctx) ? NULL : x;
}

int front_roll(Front *f) {
    ThVar *x = front_var(f, 0), *shift;
    int axis;
    if (!x) return -1;
    if (f->arg[1].kind == TH_ARG_LIST || f->arg[2].kind == TH_ARG_LIST) return front_return(f, roll_each(f, x));
    shift = front_var(f, 1);
    if (!x || !shift) return -1;
    if (shift->type.ndim != 0 || !dtype_is_int((ThDtype)shift->type.dtype))
        return front_error(f, TH_TypeError, "shift must be an integer scalar");
    if (!front_none(f, 2))
        return !front_axis(f, 2, x->type.ndim, &axis) ? -1 : front_return(f, roll(f, x, shift, axis));
    if (x->type.ndim == 1) return front_return(f, roll(f, x, shift, 0));
    ThVar *flat = front_flatten_to(f->b, x, 1), *r = flat ? roll(f, flat, shift, 0) : NULL;
    r = r ? reshape_make(f->b, r, shape_make(f->b, x), x->type.ndim) : NULL;
    return front_return(f, patternbroadcast_make(f->b, r, x->type.broadcastable));
}

/* ---- one-hot ----------------------------------------------------------------------------------------------------- */
int front_to_one_hot(Front *f) {
    Builder *b = f->b;
    ThVar *y = front_var(f, 0), *n = front_var(f, 1), *shape[2], *in[2];
    ThDtype d = front_dtype(f, 2);
    if (failed(f->ctx) || !y || !n) return -1;
    if (d == TH_DTYPE_NONE) d = f->b->arrays ? TH_FLOAT64 : config_floatX(f->ctx);
    if (y->type.ndim != 1 || !dtype_is_int((ThDtype)y->type.dtype))
        return front_error(f, TH_TypeError, "y must be a vector of integers");
    shape[0] = shape_elem_make(b, y, 0);
    shape[1] = n;
    in[0] = grid(b, shape[0], 0, 1);
    in[1] = y;
    ThVar *zeros = alloc_make(b, cast_make(b, number(b, 0), d), shape, 2);
    AttrIdx idx = {.n = 2, .at = {{'i', 1, {TH_INT64, 0, 0}}, {'i', 1, {y->type.dtype, 0, 0}}}};
    if (!zeros || !in[0]) return -1;
    return front_return(f, adv_inc_subtensor_make(b, zeros, cast_make(b, number(b, 1), d), &idx, in, 2, true));
}

/* ---- flat positions and coordinates ------------------------------------------------------------------------------ */
/* Where `from` is C order, dims from the last one on; Fortran's from the first one. -1: neither. */
static int direction(Front *f, int i) {
    const char *order = front_str(f, i);
    if (!order) return -1;
    if (strcmp(order, "C") == 0) return 0;
    if (strcmp(order, "F") == 0) return 1;
    return front_error(f, TH_ValueError, "order must be \"C\" or \"F\", not \"%s\"", order);
}

/* x as int64, raising ValueError unless 0 <= x < n everywhere: now, where positions and lengths are known, else while
 * running. */
static ThVar *checked(Front *f, ThVar *x, ThVar *const *dims, int ndims, const char *msg) {
    Builder *b = f->b;
    ThVar *n = dims[0];
    SizeExtremes e;
    int64_t all = 1, one;
    bool known = true;
    for (int d = 0; d < ndims; d++) {
        known = known && scalar_known(dims[d], &one);
        if (known) all *= one;
        if (d) n = elemwise_2(b, S_mul, n, dims[d]);
    }
    if (sizes_extremes(x, &e) && (e.least < 0 || (known && e.most >= all))) {
        char where[120];
        int64_t bad = e.least < 0 ? e.least : e.most;
        sizes_position(where, sizeof where, e.of, e.least < 0 ? e.least_at : e.most_at);
        if (known)
            front_error(f, TH_ValueError, "%s: %lld%s, but the length is %lld", msg, (long long)bad, where,
                        (long long)all);
        else front_error(f, TH_ValueError, "%s: %lld%s is negative", msg, (long long)bad, where);
        return NULL;
    }
    x = cast_make(b, x, TH_INT64);
    ThVar *low = elemwise_2(b, S_ge, x, const_int(b, 0, TH_DTYPE_NONE)), *high = elemwise_2(b, S_lt, x, n);
    ThVar *cond = call1(f, "all", elemwise_2(b, S_and_, low, high));
    return cond ? assert_make(b, x, &cond, 1, msg, TH_ValueError) : NULL;
}

/* The mode of coordinate d: parameter i, or its entry of a list there. NULL: error. */
static const char *mode_of(Front *f, int i, int d) {
    if (f->arg[i].kind != TH_ARG_LIST) return front_str(f, i);
    const ThArg *a = &f->arg[i].list.at[d];
    if (a->kind == TH_ARG_STR) return a->s;
    front_error(f, TH_TypeError, "mode %d of the list is no string", d);
    return NULL;
}

int front_ravel_index(Front *f) {
    Builder *b = f->b;
    VarVec at = {0}, dims = {0};
    ThVar *r = NULL;
    int fortran = direction(f, 3);
    if (fortran >= 0 && front_list(f, 0, &at) && front_lengths_of(f, 1, at.n, &dims)) {
        if (f->arg[2].kind == TH_ARG_LIST && f->arg[2].list.n != at.n)
            front_error(f, TH_ValueError, "%d modes for %d coordinates", f->arg[2].list.n, at.n);
        else if (at.n != dims.n || at.n == 0)
            front_error(f, TH_ValueError, "%d coordinates for %d dimensions", at.n, dims.n);
        for (int i = 0; !failed(f->ctx) && i < at.n; i++) {
            int d = fortran ? at.n - 1 - i : i;
            if (!dtype_is_int((ThDtype)at.at[d]->type.dtype)) {
                front_error(f, TH_TypeError, "coordinates must be integers");
                break;
            }
            const char *how = mode_of(f, 2, d);
            ThVar *x = by_mode(f, cast_make(b, at.at[d], TH_INT64), dims.at[d], how);
            if (x && strcmp(how, "raise") == 0)
                x = checked(f, at.at[d], &dims.at[d], 1, "invalid entry in coordinates array");
            r = i ? elemwise_2(b, S_add, elemwise_2(b, S_mul, r, dims.at[d]), x) : x;
        }
    }
    vec_free(f->ctx, &at);
    vec_free(f->ctx, &dims);
    return failed(f->ctx) ? -1 : front_return(f, r);
}

int front_unravel_index(Front *f) {
    Builder *b = f->b;
    VarVec dims = {0};
    ThVar *x = front_var(f, 0), *out[TH_MAX_NDIM];
    int fortran = direction(f, 2), n = 0, told = front_none(f, 3) ? -1 : (int)front_int(f, 3);
    if (x && fortran >= 0 && front_lengths_of(f, 1, told, &dims)) {
        n = dims.n;
        if (!dtype_is_int((ThDtype)x->type.dtype)) front_error(f, TH_TypeError, "indices must be integers");
        if (n == 0 || n > TH_MAX_NDIM) front_error(f, TH_ValueError, "%d dimensions", n);
        if (!front_none(f, 3) && front_int(f, 3) != n && !failed(f->ctx))
            front_error(f, TH_ValueError, "ndim is %lld, dims has %d lengths", (long long)front_int(f, 3), n);
        x = failed(f->ctx) ? NULL : checked(f, x, dims.at, n, "invalid entry in index array");
        for (int i = 0; x && !failed(f->ctx) && i < n; i++) {
            int d = fortran ? i : n - 1 - i;
            bool last = i == n - 1;
            out[d] = last ? x : elemwise_2(b, S_mod, x, dims.at[d]);
            if (!last) x = elemwise_2(b, S_int_div, x, dims.at[d]);
        }
    }
    vec_free(f->ctx, &dims);
    return failed(f->ctx) || !x ? -1 : front_return_n(f, out, n);
}

/* ---- permutations ------------------------------------------------------------------------------------------------ */
/* Rows of x in the order of the rows of y; leading dimensions of length 1 by type, or missing ones, are shared. */
static ThVar *permute(Front *f, ThVar *x, ThVar *y, bool inverse) {
    Builder *b = f->b;
    ThVar *dims[TH_MAX_NDIM], *in[TH_MAX_NDIM];
    if (!x || !y) return NULL;
    if (!dtype_is_int((ThDtype)y->type.dtype) || y->type.ndim == 0 || x->type.ndim == 0) {
        front_error(f, TH_TypeError, "y must hold integers, and both must have at least one dimension");
        return NULL;
    }
    if (inverse) y = call2(f, "argsort", y, front_arg_int(-1));
    if (!y) return NULL;
    int nd = x->type.ndim > y->type.ndim ? x->type.ndim : y->type.ndim;
    if (x->type.ndim == 1) return y->type.ndim == 1 ? adv_subtensor1_make(b, x, y) : pick(b, x, &y, 1);
    if (!front_shape_of(b, x, dims)) return NULL;
    for (int d = 0; d + 1 < x->type.ndim; d++) {
        if (type_bcast(x->type, d)) in[d] = padleft_make(b, number(b, 0), nd);
        else in[d] = grid(b, dims[d], nd - x->type.ndim + d, nd);
    }
    in[x->type.ndim - 1] = padleft_make(b, y, nd);
    return pick(b, x, in, x->type.ndim);
}

int front_permute_rows(Front *f) {
    ThVar *x = front_var(f, 0), *y = front_var(f, 1);
    bool inverse = front_bool(f, 2);
    return failed(f->ctx) ? -1 : front_return(f, permute(f, x, y, inverse));
}

int front_inverse_permutation(Front *f) {
    ThVar *perm = front_var(f, 0);
    if (!perm) return -1;
    if (!dtype_is_int((ThDtype)perm->type.dtype) || perm->type.ndim == 0)
        return front_error(f, TH_TypeError, "perm must be a tensor of integers with at least one dimension");
    ThVar *r = call2(f, "argsort", perm, front_arg_int(-1));
    return front_return(f, cast_make(f->b, r, (ThDtype)perm->type.dtype));
}

int front_moveaxis(Front *f) {
    ThVar *x = front_var(f, 0);
    int64_t from[TH_MAX_NDIM], to[TH_MAX_NDIM];
    int8_t order[TH_MAX_NDIM];
    int n, m, nd = x ? x->type.ndim : 0;
    uint32_t used = 0, placed = 0;
    if (!x) return -1;
    if (!front_ints(f, 1, from, TH_MAX_NDIM, &n) || !front_ints(f, 2, to, TH_MAX_NDIM, &m))
        return failed(f->ctx) ? -1 : front_error(f, TH_TypeError, "source and destination must be integers");
    if (n != m) return front_error(f, TH_ValueError, "%d axes to move to %d places", n, m);
    for (int i = 0; i < n; i++) {
        if (!axis_normalize(f->ctx, &from[i], nd, f->info->name) || !axis_normalize(f->ctx, &to[i], nd, f->info->name))
            return -1;
        if ((used >> from[i] & 1) || (placed >> to[i] & 1)) return front_error(f, TH_ValueError, "an axis is repeated");
        used |= 1u << from[i];
        placed |= 1u << to[i];
        order[to[i]] = (int8_t)from[i];
    }
    for (int d = 0, at = 0; d < nd; d++) {
        if (used >> d & 1) continue;
        while (placed >> at & 1) at++;
        order[at++] = (int8_t)d;
    }
    return front_return(f, dimshuffle_make(f->b, x, order, nd));
}

/* ---- putting together -------------------------------------------------------------------------------------------- */
int front_stacklists(Front *f) {
    ThVar *x = front_var(f, 0); /* nested lists with variables are stacked when they are read */
    return front_return(f, x);
}

/* M points of 1 - |2 i / (M - 1) - 1|: float64, ones for a single point. */
int front_bartlett(Front *f) {
    Builder *b = f->b;
    ThVar *m = front_var(f, 0);
    if (!m) return -1;
    if (m->type.ndim != 0 || !dtype_is_int((ThDtype)m->type.dtype))
        return front_error(f, TH_TypeError, "M must be an integer scalar");
    m = cast_make(b, m, TH_INT64);
    ThVar *i = grid(b, m, 0, 1), *last = elemwise_2(b, S_sub, m, number(b, 1));
    ThVar *x = cast_make(b, i, TH_FLOAT64),
          *span = cast_make(b, elemwise_2(b, S_maximum, last, number(b, 1)), TH_FLOAT64);
    ThVar *two = const_float(b, 2, TH_FLOAT64), *up = elemwise_2(b, S_true_div, elemwise_2(b, S_mul, two, x), span);
    ThVar *down = elemwise_2(b, S_sub, two, up);
    ThVar *w = elemwise_3(b, S_switch, elemwise_2(b, S_le, x, elemwise_2(b, S_true_div, span, two)), up, down);
    ThVar *one = const_float(b, 1, TH_FLOAT64);
    return front_return(f, elemwise_3(b, S_switch, elemwise_2(b, S_eq, m, number(b, 1)), one, w));
}

static int kind_named(const char *name) {
    int e = TH_ERROR_COUNT;
    while (--e > 0 && strcmp(name, th_error_name((ThError)e)) != 0) {}
    return e;
}

int front_assert(Front *f) {
    ThVar *x = front_var(f, 0), *cond[TH_MAX_NDIM];
    VarVec v = {0};
    int n = 0;
    const char *msg = front_str(f, 2), *kind = front_str(f, 3);
    const int e = kind ? kind_named(kind) : 0;
    if (kind && !e) return front_error(f, TH_ValueError, "there is no kind of error \"%s\"", kind);
    if (x && msg && front_list(f, -1, &v))
        for (int i = 0; i < v.n && n < TH_MAX_NDIM; i++) cond[n++] = v.at[i];
    vec_free(f->ctx, &v);
    if (failed(f->ctx)) return -1;
    return front_return(f, assert_make(f->b, x, cond, n, msg, (ThError)e));
}

/* ---- covariance -------------------------------------------------------------------------------------------------- */
/* (m - mean(m)) . (m - mean(m)).T times 1 / (N - ddof), variables in rows, weights on the columns. */
static ThVar *covariance(Front *f, ThVar *m, ThVar *w, ThVar *total, ThVar *aw, int64_t ddof) {
    Builder *b = f->b;
    static const int8_t column[2] = {0, -1};
    AttrInts last = {.n = 1, .at = {1}};
    ThVar *n = cast_make(b, shape_elem_make(b, m, 1), TH_FLOAT64), *weighted = m, *mean;
    if (w) {
        weighted = elemwise_2(b, S_mul, m, w);
        mean = elemwise_2(b, S_true_div, sum_make(b, weighted, &last), total);
        n = total;
    } else mean = elemwise_2(b, S_true_div, sum_make(b, m, &last), n);
    ThVar *x = mean ? elemwise_2(b, S_sub, m, dimshuffle_make(b, mean, column, 2)) : NULL;
    ThVar *fact = elemwise_2(b, S_sub, n, const_float(b, (double)ddof, TH_FLOAT64));
    if (w && aw && ddof != 0) { /* NumPy: sum(w) - ddof * sum(w * aweights) / sum(w) */
        ThVar *cross = elemwise_2(b, S_true_div, sum_make(b, elemwise_2(b, S_mul, w, aw), NULL), total);
        fact = elemwise_2(b, S_sub, total, elemwise_2(b, S_mul, const_float(b, (double)ddof, TH_FLOAT64), cross));
    }
    ThVar *xt = transpose_make(b, w ? elemwise_2(b, S_mul, x, w) : x);
    ThVar *c = dot_make(b, x, dtype_is_complex((ThDtype)m->type.dtype) ? elemwise_1(b, S_conj, xt) : xt);
    fact = elemwise_2(b, S_maximum, fact, const_float(b, 0, TH_FLOAT64));
    return elemwise_2(b, S_mul, c, elemwise_1(b, S_inv, fact)); /* as NumPy rounds */
}

/* Variables in rows; a vector, or a number, is one. */
static ThVar *variables(Builder *b, ThVar *m, bool rowvar) {
    static const int8_t row[2] = {-1, 0}, one[2] = {-1, -1};
    if (m->type.ndim < 2) return dimshuffle_make(b, m, m->type.ndim ? row : one, 2);
    return rowvar ? m : transpose_make(b, m);
}

int front_cov(Front *f) {
    Builder *b = f->b;
    ThVar *m = front_var(f, 0), *y = front_none(f, 1) ? NULL : front_var(f, 1), *w = NULL, *aw = NULL;
    bool rowvar = front_bool(f, 2), bias = front_bool(f, 3);
    int64_t ddof = front_none(f, 4) ? !bias : front_int(f, 4);
    if (failed(f->ctx) || !m) return -1;
    if (m->type.ndim > 2 || (y && y->type.ndim > 2))
        return front_error(f, TH_TypeError, "m and y have at most 2 dimensions");
    bool number = m->type.ndim < 2 && !y; /* a variance */
    m = variables(b, m, rowvar);
    if (m && !y && b->arrays && type_bcast(m->type, 0)) number = true; /* as NumPy */
    y = y ? variables(b, y, rowvar) : NULL;
    if (m && dtype_is_discrete((ThDtype)m->type.dtype)) m = cast_make(b, m, TH_FLOAT64);
    if (y) m = join_make(b, const_int(b, 0, TH_DTYPE_NONE), (ThVar *[]){m, y}, 2);
    if (!front_none(f, 5)) w = cast_make(b, front_var(f, 5), TH_FLOAT64);
    if (!front_none(f, 6)) aw = cast_make(b, front_var(f, 6), TH_FLOAT64);
    if (failed(f->ctx) || !m) return -1;
    if (aw) w = w ? elemwise_2(b, S_mul, w, aw) : aw;
    if (w && w->type.ndim != 1) return front_error(f, TH_TypeError, "weights must be vectors");
    ThVar *c = covariance(f, m, w, w ? sum_make(b, w, NULL) : NULL, aw, ddof);
    return front_return(f, number ? without_axes_make(b, c, 0, 2) : c);
}
