/*
 * shared.c -- SharedVariables: a typed storage that functions and the user see.
 * In: arrays. Out: arrays, copied unless the user borrows. Invariant: the value always fits the variable's type;
 * `stamp` grows when lengths or strides change. A borrowed array and the storage are one memory, as Theano's aliasing
 * page has it.
 */
#include "parts.h"

#include <string.h>

/* Does `value` fit t (dtype aside)? */
static bool shape_fits(ThContext *c, ThType t, const ThArray *value, const char *name) {
    if (value->ndim != t.ndim) {
        return err(c, TH_TypeError, "shared variable %s: wrong number of dimensions: expected %d, got %d", name, t.ndim,
                   value->ndim);
    }
    for (int d = 0; d < t.ndim; d++) {
        if (type_bcast(t, d) && ARRAY_SHAPE(value)[d] != 1) {
            return err(c, TH_TypeError,
                       "shared variable %s: dimension %d is declared broadcastable and must have length 1, not %lld",
                       name, d, (long long)ARRAY_SHAPE(value)[d]);
        }
    }
    return true;
}

/* The array to store: value itself when borrowed, else a copy; of the wanted dtype when that loses nothing. */
static ThArray *stored(ThContext *c, ThDtype want, ThArray *value, bool borrow, const char *name) {
    ThDtype have = (ThDtype)value->dtype;
    bool own = borrow && !(value->flags & ARRAY_READONLY); /* what cannot be written is no storage of updates */
    if (have == want) return own ? th_array_retain(value) : th_array_copy(value);
    if (th_dtype_upcast(want, have) != want) {
        err(c, TH_TypeError,
            "shared variable %s of dtype %s cannot store a value of dtype %s without risking loss of precision; "
            "convert it "
            "with astype(\"%s\") when that is meant",
            name, th_dtype_name(want), th_dtype_name(have), th_dtype_name(want));
        return NULL;
    }
    return th_array_astype(value, want);
}

ThVar *th_shared_new(ThContext *c, ThArray *value, const char *name, bool borrow, uint32_t broadcastable) {
    if (!value || !array_usable(c, value)) { return NULL; }
    ThType t = type_tensor((ThDtype)value->dtype, value->ndim, broadcastable);
    if (!shape_fits(c, t, value, name ? name : "")) { return NULL; }
    Builder b;
    builder_begin(&b, c);
    Shared *s = ctx_alloc0(c, sizeof *s);
    ThVar *v = s ? leaf_new(&b, VAR_SHARED, t, name) : NULL;
    ThArray *own = v ? stored(c, (ThDtype)t.dtype, value, borrow, "") : NULL;
    if (!own) {
        ctx_free(c, s, s ? sizeof *s : 0);
        builder_end(&b); /* u.shared is still NULL */
        return NULL;
    }
    atomic_init(&s->refs, 1);
    s->ctx = th_context_retain(c);
    s->value = own;
    atomic_init(&s->stamp, 1);
    atomic_flag_clear(&s->busy);
    v->u.shared = s;
    th_var_retain(v);
    builder_end(&b);
    return v;
}

static bool is_shared(const ThVar *s, const char *what) {
    if (s->kind == VAR_SHARED) { return true; }
    return err(s->ctx, TH_TypeError, "%s: a shared variable is needed", what);
}

ThArray *th_shared_get(ThVar *s, bool borrow) {
    if (!s || !is_shared(s, "get_value") || !array_usable(s->ctx, s->u.shared->value)) { return NULL; }
    return borrow ? th_array_retain(s->u.shared->value) : th_array_copy(s->u.shared->value);
}

static bool same_layout(const ThArray *a, const ThArray *b) {
    return a->ndim == b->ndim && memcmp(a->dims, b->dims, sizeof *a->dims * 2 * (size_t)a->ndim) == 0;
}

int th_shared_set(ThVar *s, ThArray *value, bool borrow) {
    if (!s || !value || !is_shared(s, "set_value") || !array_usable(s->ctx, value)) { return -1; }
    const char *name = s->name ? s->name : "<unnamed>";
    ThArray *own =
        shape_fits(s->ctx, s->type, value, name) ? stored(s->ctx, (ThDtype)s->type.dtype, value, borrow, name) : NULL;
    if (!own) { return -1; }
    ThArray *old = s->u.shared->value;
    s->u.shared->value = own;
    if (!same_layout(old, own)) { atomic_fetch_add(&s->u.shared->stamp, 1); }
    th_array_release(old);
    return 0;
}
