/*
 * shared.c -- SharedVariables: a typed storage that functions and the user see.
 * In: arrays. Out: arrays, copied unless the user borrows. Invariant: the value always fits the variable's type;
 * `stamp` grows when lengths or strides change. A borrowed array and the storage are one memory, as Theano's aliasing
 * page has it, where the array is C-contiguous, writeable and not the storage of another shared variable already.
 */
#include "parts.h"

#include "base/array/sparse.h"

#include "base/random/random.h"

#include <string.h>

static bool sparse_fits(ThContext *c, ThType t, const ThArray *value, const char *name) {
    if (array_is_sparse(value) && type_eq(type_of_array(value), t)) { return true; }
    char *want = th_type_str(c, t), *got = th_type_str(c, type_of_array(value));
    err(c, TH_TypeError, "shared variable %s: a value of type %s is needed, not of %s", name, want ? want : "?",
        got ? got : "?");
    th_free(c, want);
    th_free(c, got);
    return false;
}

/* Does `value` fit t (dtype aside)? */
static bool shape_fits(ThContext *c, ThType t, const ThArray *value, const char *name) {
    if ((t.kind != TYPE_TENSOR || array_is_sparse(value)) && !array_usable(c, value)) { return false; }
    if (t.kind == TYPE_STATE)
        return random_is_state(value) ||
               err(c, TH_TypeError, "shared variable %s: the state of a RandomState is needed", name);
    if (t.kind == TYPE_SPARSE || array_is_sparse(value)) { return sparse_fits(c, t, value, name); }
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
static ThArray *stored(ThContext *c, ThDtype want, ThArray *value, bool cast, bool borrow, const char *name) {
    ThDtype have = (ThDtype)value->dtype;
    bool usable = (value->flags & (ARRAY_CONTIGUOUS | ARRAY_READONLY)) == ARRAY_CONTIGUOUS;
    if (have == want) { return borrow && usable ? th_array_retain(value) : th_array_copy(value); }
    if (cast && (dtype_is_complex(want) || !dtype_is_complex(have))) { return th_array_astype(value, want); }
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

ThVar *shared_of(ThContext *c, ThType t, ThArray *value, const char *name, bool borrow) {
    if (!shape_fits(c, t, value, name ? name : "") || !graph_float64_allowed(c, &(ThVar){.type = t})) { return NULL; }
    Builder b;
    builder_begin(&b, c);
    Shared *s = ctx_alloc0(c, sizeof *s);
    ThVar *v = s ? leaf_new(&b, VAR_SHARED, t, name) : NULL;
    ThArray *own = v ? stored(c, (ThDtype)t.dtype, value, false, borrow && !buffer_is_storage(value->buf), "") : NULL;
    if (!own) {
        ctx_free(c, s, s ? sizeof *s : 0);
        builder_end(&b); /* u.shared is still NULL */
        return NULL;
    }
    atomic_init(&s->refs, 1);
    s->ctx = th_context_retain(c);
    s->value = own;
    atomic_init(&s->stamp, 1);
    atomic_init(&s->written, 0);
    s->allow_downcast = -1;
    buffer_set_storage(own->buf, true);
    v->u.shared = s;
    th_var_retain(v);
    builder_end(&b);
    return v;
}

ThVar *th_shared_new(ThContext *c, ThArray *value, const char *name, bool borrow, uint32_t broadcastable) {
    if (!c) return NULL;
    if (!value) return err_missing(c, __func__), NULL;
    if (array_is_sparse(value) ? !array_usable(c, value) : !array_there(c, value)) { return NULL; }
    ThType t =
        array_is_sparse(value) ? type_of_array(value) : type_tensor((ThDtype)value->dtype, value->ndim, broadcastable);
    return shared_of(c, t, value, name, borrow);
}

ThVar *th_shared_random(ThContext *c, ThRandom *r, const char *name, bool borrow) {
    if (!c) return NULL;
    if (!r) return err_missing(c, __func__), NULL;
    ThArray *state = th_random_array(r);
    ThVar *v = state ? shared_of(c, th_random_state_type(), state, name, borrow) : NULL;
    th_array_release(state);
    return v;
}

static bool is_shared(const ThVar *s, const char *what) {
    if (s->kind == VAR_SHARED) { return true; }
    return err(s->ctx, TH_TypeError, "%s: a shared variable is needed", what);
}

static bool lock_for(ThVar *s, bool write) {
    LockState is = lock_take(s->ctx, &s->u.shared->lock, write);
    return is == LOCK_TAKEN || shared_refuse(s->ctx, s->name, is);
}

ThArray *th_shared_get(ThVar *s, bool borrow) {
    if (!s || !is_shared(s, "get_value")) { return NULL; }
    if (!lock_for(s, false)) { return NULL; }
    ThArray *a = s->u.shared->value;
    a = !array_there(s->ctx, a) ? NULL : borrow ? th_array_retain(a) : th_array_copy(a);
    shared_unlock(s->u.shared, false);
    return a;
}

static bool same_layout(const ThArray *a, const ThArray *b) {
    return a->ndim == b->ndim && memcmp(a->dims, b->dims, sizeof *a->dims * 2 * (size_t)a->ndim) == 0;
}

ThArray *shared_exchange(Shared *s, ThArray *value) {
    ThArray *old = s->value;
    s->value = value;
    buffer_set_storage(old->buf, false);
    buffer_set_storage(value->buf, true);
    if (!same_layout(old, value)) { atomic_fetch_add(&s->stamp, 1); }
    return old;
}

int th_shared_set(ThVar *s, ThArray *value, bool borrow) {
    if (!s || !value || !is_shared(s, "set_value") || !array_there(s->ctx, value)) { return -1; }
    const char *name = s->name ? s->name : "<unnamed>";
    Shared *u = s->u.shared;
    if (u->strict && value->dtype != s->type.dtype) {
        err(s->ctx, TH_TypeError, "shared variable %s is strict: it takes %s only, but got %s", name,
            th_dtype_name((ThDtype)s->type.dtype), th_dtype_name((ThDtype)value->dtype));
        return -1;
    }
    if (!lock_for(s, true)) { return -1; }
    bool own_buffer = value->buf == u->value->buf; /* set_value(f(get_value(borrow)), borrow): it is ours already */
    borrow = borrow && (own_buffer || !buffer_is_storage(value->buf));
    ThArray *own = shape_fits(s->ctx, s->type, value, name)
                       ? stored(s->ctx, (ThDtype)s->type.dtype, value, u->allow_downcast == 1, borrow, name)
                       : NULL;
    ThArray *old = own ? shared_exchange(u, own) : NULL;
    shared_unlock(u, true);
    th_array_release(old);
    return own ? 0 : -1;
}

/* ---- locks ------------------------------------------------------------------------------------------------------ */
void shared_unlock(Shared *s, bool write) {
    if (write) { atomic_fetch_add_explicit(&s->written, 1, memory_order_relaxed); }
    lock_give(&s->lock, write);
}

bool shared_refuse(ThContext *c, const char *name, LockState is) {
    if (!name) { name = "<unnamed>"; }
    if (is == LOCK_OWN) {
        return err(
            c, TH_RuntimeError,
            "the shared variable %s cannot be changed here: a call that is at work holds it and waits for this "
            "code (an operation written in Lua, a function of MonitorMode); it can be read, as it was before the "
            "call, or changed after the call",
            name);
    }
    return err(c, TH_RuntimeError,
               "the shared variable %s cannot be had: a call on another thread holds it and waits for what the call "
               "around this one holds",
               name);
}

/* ---- more of a shared variable ------------------------------------------------------------------------------------
 */
int th_shared_rules(ThVar *s, bool strict, int8_t allow_downcast) {
    if (!s || !is_shared(s, "shared")) { return -1; }
    s->u.shared->strict = strict;
    s->u.shared->allow_downcast = allow_downcast;
    return 0;
}

/* A second variable of the same storage. */
ThVar *shared_twin(Builder *b, const ThVar *s, const char *name) {
    ThVar *v = leaf_new(b, VAR_SHARED, s->type, name);
    if (v) {
        shared_retain(s->u.shared);
        v->u.shared = s->u.shared;
    }
    return v;
}

ThVar *th_shared_clone(ThVar *s, const char *name) {
    if (!s || !is_shared(s, "clone")) { return NULL; }
    Builder b;
    builder_begin(&b, s->ctx);
    ThVar *v = shared_twin(&b, s, name ? name : s->name);
    if (v) { th_var_retain(v); }
    builder_end(&b);
    return v;
}

int th_shared_set_default_update(ThVar *s, ThVar *expr) {
    if (!s || !is_shared(s, "default_update")) { return -1; }
    Shared *u = s->u.shared;
    ThVar *on_self = NULL;
    if (expr && !u->self) {
        ThType t = s->type;
        if (!(u->self = th_variable_new(s->ctx, t, s->name))) { return -1; }
    }
    if (expr && !graph_substitute(s->ctx, &expr, 1, &s, &u->self, 1, true, &on_self)) { return -1; }
    if (on_self && !default_update_list(s->ctx, u)) {
        th_var_release(on_self);
        return -1;
    }
    if (!on_self) default_update_unlist(u);
    ThVar *old = u->default_update;
    u->default_update = on_self;
    th_var_release(old);
    return 0;
}

ThVar *shared_default_update(Shared *s, ThVar *v) {
    ThVar *expr = NULL;
    if (s->default_update) { graph_substitute(s->ctx, &s->default_update, 1, &s->self, &v, 1, true, &expr); }
    return expr;
}

ThVar *th_shared_default_update(ThVar *s) {
    return s && is_shared(s, "default_update") ? shared_default_update(s->u.shared, s) : NULL;
}
