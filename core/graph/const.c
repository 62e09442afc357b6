/*
 * const.c -- Constants: numbers, arrays, index literals, NoneConst.
 * In: a value. Out: a Constant whose type promises every dim of length 1. Small 0-d and one-element numbers (-10..10)
 * are handed out again while they live, as Theano does, so that `1 - y` and `1 / z` show one constant. Data never
 * change.
 */
#include "parts.h"

#include "base/array/sparse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SMALL_MAX = 10000 };

/* Elements in C order, whatever the strides: hashing and comparing see values, not layout. */
typedef struct Fold {
    uint64_t h;
    size_t item;
} Fold;

static void fold_run(void *user, char *const *ptr, const int64_t *stride, int64_t n) {
    Fold *f = user;
    if (stride[0] == (int64_t)f->item) {
        f->h = hash_bytes(ptr[0], (size_t)n * f->item, f->h);
        return;
    }
    for (int64_t i = 0; i < n; i++) { f->h = hash_bytes(ptr[0] + i * stride[0], f->item, f->h); }
}

uint64_t const_hash(ThVar *v) {
    if (v->hash) { return v->hash; }
    ThType t = v->type;
    uint64_t h = hash_mix(hash_mix(hash_mix(t.kind, t.dtype), t.ndim), t.broadcastable);
    const ThArray *a = v->u.data;
    if (a) {
        h = hash_bytes(ARRAY_SHAPE(a), sizeof(int64_t) * (size_t)a->ndim, h);
        Fold f = {h, th_dtype_bytes((ThDtype)a->dtype)};
        if (th_array_contiguous(a)) {
            f.h = hash_bytes(a->data, (size_t)a->size * f.item, h);
        } else {
            char *ptr = a->data;
            const int64_t *strides = ARRAY_STRIDES(a);
            array_walk(a->ndim, ARRAY_SHAPE(a), 1, &ptr, &strides, fold_run, &f);
        }
        h = f.h;
    }
    return v->hash = h ? h : 1;
}

typedef struct Same {
    bool equal;
    size_t item;
} Same;

static void same_run(void *user, char *const *ptr, const int64_t *stride, int64_t n) {
    Same *s = user;
    for (int64_t i = 0; i < n && s->equal; i++) {
        s->equal = memcmp(ptr[0] + i * stride[0], ptr[1] + i * stride[1], s->item) == 0;
    }
}

bool const_equal(const ThVar *a, const ThVar *b) {
    if (a == b) { return true; }
    if (a->kind != VAR_CONSTANT || b->kind != VAR_CONSTANT || !type_eq(a->type, b->type)) { return false; }
    const ThArray *x = a->u.data, *y = b->u.data;
    if (x == y || !x || !y) { return x == y; }
    if (x->ndim != y->ndim || memcmp(ARRAY_SHAPE(x), ARRAY_SHAPE(y), sizeof(int64_t) * (size_t)x->ndim) != 0) {
        return false;
    }
    Same s = {true, th_dtype_bytes((ThDtype)x->dtype)};
    char *ptr[] = {x->data, y->data};
    const int64_t *strides[] = {ARRAY_STRIDES(x), ARRAY_STRIDES(y)};
    if (x->size) { array_walk(x->ndim, ARRAY_SHAPE(x), 2, ptr, strides, same_run, &s); }
    return s.equal;
}

bool var_is_const(const ThVar *v) { return v && v->kind == VAR_CONSTANT; }

static bool all_equal(const ThArray *a) {
    return a && a->size && !dtype_is_complex((ThDtype)a->dtype) && array_all_equal(a);
}

/* Rewrites ask each constant many times, so one of an FGraph keeps the answer (one thread works on it). */
const char *const_float_hint(const ThVar *v, char text[96]) {
    double x = 0;
    text[0] = 0;
    if (v->type.kind != TYPE_TENSOR || !dtype_is_float((ThDtype)v->type.dtype) || !const_all_equal(v, &x)) return text;
    if (x == floor(x) && fabs(x) < 1e15)
        snprintf(text, 96, ": %lld.0 is a float (the quotient of integers is a // b)", (long long)x);
    else snprintf(text, 96, ": it is a float (the quotient of integers is a // b)");
    return text;
}

bool const_all_equal(const ThVar *v, double *value) {
    if (!var_is_const(v)) { return false; }
    bool keep = (v->flags & VAR_F_GRAPH) && v->u.data;
    if (keep && v->w.uniform.known) {
        *value = v->w.uniform.known > 0 ? v->w.uniform.value : *value;
        return v->w.uniform.known > 0;
    }
    bool yes = all_equal(v->u.data);
    if (yes) { *value = array_item_float(v->u.data); }
    if (keep) { ((ThVar *)v)->w.uniform = (Uniform){yes ? *value : 0, yes ? 1 : -1}; }
    return yes;
}

bool const_is(const ThVar *v, double value) {
    double x;
    return const_all_equal(v, &x) && x == value;
}

/* ---- the cache of small numbers ------------------------------------------------------------------------------------
 */
static bool cacheable(const ThArray *a) {
    if (!a || a->size != 1 || dtype_is_complex((ThDtype)a->dtype) || a->dtype == TH_BOOL) { return false; }
    double x = array_item_float(a);
    return x >= -10 && x <= 10;
}

static ThVar *cached(ThContext *c, const ThVar *like, uint64_t h) {
    const GraphState *s = c->slot[CTX_GRAPH];
    uint32_t at;
    return s && map_get(&s->small_map, h, &at) && const_equal(s->small.at[at], like) ? s->small.at[at] : NULL;
}

/* Without memory for it the number is not cached: no reason to fail, so no error is left behind. */
static void remember(ThContext *c, ThVar *v) {
    bool before = failed(c);
    GraphState *s = graph_state(c);
    uint32_t at;
    if (s && (s->small.n >= SMALL_MAX || map_get(&s->small_map, const_hash(v), &at))) return;
    if (!s || !vec_reserve(c, &s->small, s->small.n + 1) ||
        !map_put(c, &s->small_map, const_hash(v), (uint32_t)s->small.n)) {
        if (!before) th_error_clear(c);
        return;
    }
    v->id = (uint32_t)s->small.n;
    v->flags |= VAR_F_CACHED;
    s->small.at[s->small.n++] = v;
}

/* The last entry takes the place of the one that leaves. */
void const_forget(ThVar *v) {
    GraphState *s = v->ctx->slot[CTX_GRAPH];
    map_del(&s->small_map, const_hash(v));
    ThVar *last = vec_pop(&s->small);
    if (last != v) {
        s->small.at[v->id] = last;
        last->id = v->id;
        map_put(v->ctx, &s->small_map, const_hash(last), last->id); /* replaces: needs no memory */
    }
}

/* ---- making ----------------------------------------------------------------------------------------------------- */
/* A Constant on `value` (a new reference; may be NULL for NoneConst); the cached or merged equal one where there is
 * one. */
static ThVar *make(Builder *b, ThArray *value, ThType t) {
    ThVar probe = {.kind = VAR_CONSTANT, .type = t, .ctx = b->ctx, .u.data = value};
    bool small = !b->fg && !b->arrays && cacheable(value);
    if (small) {
        ThVar *old = cached(b->ctx, &probe, const_hash(&probe));
        if (old) {
            if (!vec_reserve(b->ctx, &b->pool, b->pool.n + 1)) { return NULL; }
            return b->pool.at[b->pool.n++] = th_var_retain(old);
        }
    }
    ThVar *v = leaf_new(b, VAR_CONSTANT, t, NULL);
    if (!v) { return NULL; }
    v->u.data = value ? th_array_retain(value) : NULL;
    v->hash = probe.hash;
    if (small) { remember(b->ctx, v); }
    return b->fg ? fg_const(b->fg, v) : v;
}

ThVar *const_make_typed(Builder *b, ThArray *value, ThType type) {
    if (!value) { return NULL; }
    if (type.kind == TYPE_TENSOR && (type.ndim != value->ndim || type.dtype != value->dtype)) {
        err(b->ctx, TH_TypeError, "a constant of type %s and rank %d does not hold an array of type %s and rank %d",
            th_dtype_name((ThDtype)type.dtype), type.ndim, th_dtype_name((ThDtype)value->dtype), value->ndim);
        return NULL;
    }
    if ((type.kind == TYPE_SPARSE || array_is_sparse(value)) && !type_eq(type, type_of_array(value))) {
        err(b->ctx, TH_TypeError, "a constant of a sparse type holds a sparse matrix of that type");
        return NULL;
    }
    for (int d = 0; type.kind == TYPE_TENSOR && d < type.ndim; d++) {
        if (type_bcast(type, d) && ARRAY_SHAPE(value)[d] != 1) {
            err(b->ctx, TH_TypeError, "a constant's type promises length 1 for dim %d, its array has length %lld", d,
                (long long)ARRAY_SHAPE(value)[d]);
            return NULL;
        }
    }
    return make(b, value, type);
}

ThVar *const_make(Builder *b, ThArray *value) { return value ? make(b, value, type_of_array(value)) : NULL; }

ThVar *const_named(Builder *b, ThArray *value, const char *name) {
    ThVar *v = leaf_new(b, VAR_CONSTANT, type_of_array(value), name);
    if (v) { v->u.data = th_array_retain(value); }
    return v;
}

/* Takes over the reference to `value`. */
static ThVar *make_owned(Builder *b, ThArray *value, ThType t) {
    ThVar *v = value ? make(b, value, t) : NULL;
    if (value) { th_array_release(value); }
    return v;
}

/* A 0-d array of dtype d that holds v. */
static ThArray *scalar_of(ThContext *c, ThDtype d, char kind, ThValue v) {
    ThArray *a = th_array_empty(c, d, 0, NULL);
    if (a && th_array_set(a, NULL, kind, v)) {
        th_array_release(a);
        return NULL;
    }
    return a;
}

/* A number of an eager call. */
static ThVar *weak(Builder *b, ThDtype d, char kind, ThValue v) {
    ThVar *x = make_owned(b, scalar_of(b->ctx, d, kind, v), type_tensor(d, 0, 0));
    if (x) { x->flags |= VAR_F_WEAK; }
    return x;
}

ThDtype const_int_dtype(ThContext *c, int64_t v) { return config_numpy_casts(c) ? TH_INT64 : dtype_of_int(v); }

ThVar *const_int(Builder *b, int64_t v, ThDtype d) {
    if (d == TH_DTYPE_NONE && b->arrays) { return weak(b, TH_INT64, 'i', (ThValue){.i = v}); }
    if (d == TH_DTYPE_NONE) { d = b->fg ? dtype_of_int(v) : const_int_dtype(b->ctx, v); }
    return make_owned(b, scalar_of(b->ctx, d, 'i', (ThValue){.i = v}), type_tensor(d, 0, 0));
}

/* The first of the listed dtypes that holds v exactly, or the last one (autocast_float_as). */
static ThDtype listed_float(const ThContext *c, double v) {
    for (int i = 0; i + 1 < c->nautocast; i++) {
        double kept = v;
        dtype_round(&kept, (ThDtype)c->autocast[i]);
        if (kept == v) { return (ThDtype)c->autocast[i]; }
    }
    return (ThDtype)c->autocast[c->nautocast - 1];
}

int th_autocast_floats(ThContext *c, const ThDtype *dtypes, int n) {
    if (!c) return -1;
    if (n < 0 || (n && !dtypes)) return err_missing(c, __func__), -1;
    for (int i = 0; i < n; i++)
        if (n > TH_LEN(c->autocast) || dtypes[i] >= TH_DTYPE_COUNT || !dtype_is_float(dtypes[i]))
            return !err(c, TH_TypeError,
                        "float literals can be float16, bfloat16, float32, float64, or tried as up to three of them, "
                        "one after the other");
    for (int i = 0; i < n; i++) c->autocast[i] = (uint8_t)dtypes[i];
    c->nautocast = (uint8_t)n;
    return 0;
}

ThDtype const_float_dtype(ThContext *c, double v) {
    ThDtype floatX = config_floatX(c);
    if (config_numpy_casts(c)) return floatX;
    return c->nautocast ? listed_float(c, v) : dtype_of_float(v, floatX);
}

ThVar *const_float(Builder *b, double v, ThDtype d) {
    if (d == TH_DTYPE_NONE && b->arrays) { return weak(b, TH_FLOAT64, 'f', (ThValue){.f = v}); }
    if (d == TH_DTYPE_NONE) d = b->fg ? dtype_of_float(v, config_floatX(b->ctx)) : const_float_dtype(b->ctx, v);
    return make_owned(b, scalar_of(b->ctx, d, 'f', (ThValue){.f = v}), type_tensor(d, 0, 0));
}

ThVar *const_complex(Builder *b, ThComplex128 v) {
    if (b->arrays) { return weak(b, TH_COMPLEX128, 'c', (ThValue){.c = v}); }
    return make_owned(b, scalar_of(b->ctx, TH_COMPLEX128, 'c', (ThValue){.c = v}), type_tensor(TH_COMPLEX128, 0, 0));
}

ThVar *const_scalar_int(Builder *b, int64_t v) {
    ThArray *a = scalar_of(b->ctx, TH_INT64, 'i', (ThValue){.i = v});
    if (!a) { return NULL; }
    ThVar *x = leaf_new(b, VAR_CONSTANT, (ThType){TYPE_SCALAR, TH_INT64, 0, 0}, NULL);
    if (!x) {
        th_array_release(a);
        return NULL;
    }
    x->u.data = a;
    return b->fg ? fg_const(b->fg, x) : x;
}

ThVar *const_none(Builder *b) { return make(b, NULL, (ThType){TYPE_NONE, TH_INT64, 0, 0}); }
