/*
 * filter.c -- a value as an argument: TensorType.filter of Theano (inventory 2). Arrays of another dtype pass when the
 * input's type holds every value of theirs; numbers and nested lists when each value is held exactly.
 */
#include "function.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void where(ThFunction *f, int i, char *buf, size_t n) {
    const FnIn *in = &f->in[i];
    int line;
    const char *file = th_var_line(in->var, &line);
    int k = snprintf(buf, n, "Bad input argument to theano function%s%s%s at index %d (0-based)%s%s.",
                     f->name ? " with name \"" : "", f->name ? f->name : "", f->name ? "\"" : "", i,
                     in->name ? ", input " : "", in->name ? in->name : "");
    if (file && k > 0 && (size_t)k < n)
        snprintf(buf + k, n - (size_t)k, " The variable was created at %s:%d.", file, line);
}

static ThArray *refuse(ThFunction *f, int i, const char *what) {
    char at[512];
    where(f, i, at, sizeof at);
    err(f->ctx, TH_TypeError, "%s %s", at, what);
    return NULL;
}

static void shape_text(char *out, size_t n, const ThArray *a) {
    size_t k = 0;
    out[0] = 0;
    for (int d = 0; d < a->ndim && k + 24 < n; d++)
        k += (size_t)snprintf(out + k, n - k, d ? ", %lld" : "%lld", (long long)ARRAY_SHAPE(a)[d]);
}

static ThArray *ndim_error(ThFunction *f, int i, const ThArray *a) {
    char s[256], m[512];
    shape_text(s, sizeof s, a);
    snprintf(m, sizeof m, "Wrong number of dimensions: expected %d, got %d with shape (%s%s).", f->in[i].type.ndim,
             a->ndim, s, a->ndim == 1 ? "," : "");
    return refuse(f, i, m);
}

static bool lossless(const FnIn *in, const ThArray *a) {
    return th_dtype_upcast(in->type.dtype, a->dtype) == in->type.dtype;
}

static ThArray *dtype_error(ThFunction *f, int i, const ThArray *a) {
    char m[640];
    const char *want = th_dtype_name(f->in[i].type.dtype), *got = th_dtype_name(a->dtype);
    snprintf(m, sizeof m,
             f->in[i].strict ? "The input is strict: it takes %s only, but got %s."
                             : "cannot store a value of dtype %2$s in a %1$s without risking loss of precision. Cast "
                               "it first (a:astype(\"%1$s\")), declare the "
                               "input as %2$s, set floatX, or allow it with allow_input_downcast = true.",
             want, got);
    return refuse(f, i, m);
}

static ThArray *broadcast_error(ThFunction *f, int i, const ThArray *a, int d) {
    char s[256], m[512];
    shape_text(s, sizeof s, a);
    snprintf(
        m, sizeof m,
        "Non-unit value on shape on a broadcastable dimension: dimension %d must have length 1, the shape is (%s%s).",
        d, s, a->ndim == 1 ? "," : "");
    return refuse(f, i, m);
}

ThArray *filter_array(ThFunction *f, int i, ThArray *a) {
    const FnIn *in = &f->in[i];
    if (!array_usable(f->ctx, a)) return NULL;
    if (a->ndim != in->type.ndim) return ndim_error(f, i, a);
    for (uint32_t b = in->type.broadcastable; b; b &= b - 1)
        if (ARRAY_SHAPE(a)[__builtin_ctz(b)] != 1) return broadcast_error(f, i, a, __builtin_ctz(b));
    if (a->dtype == in->type.dtype) {
        if (in->mutable_ && (a->flags & ARRAY_READONLY)) return th_array_copy(a);
        return th_array_retain(a);
    }
    bool numeric_cast =
        in->allow_downcast == 1 && !(th_dtype_kind(a->dtype) == 'c' && th_dtype_kind(in->type.dtype) != 'c');
    if (in->strict || !(lossless(in, a) || numeric_cast)) return dtype_error(f, i, a);
    return th_array_astype(a, in->type.dtype);
}

/* ---- numbers and nested lists ---- */
enum { LEVELS = TH_MAX_NDIM };
typedef struct Leaves {
    int64_t shape[LEVELS];
    int ndim;
    bool any_float, any_int, any_bool;
} Leaves;

static bool measure(ThFunction *f, int i, const ThArg *a, int depth, Leaves *l) {
    if (a->kind == TH_ARG_LIST) {
        if (depth >= LEVELS) return refuse(f, i, "The nested table is deeper than 32 levels.") != NULL;
        if (l->ndim < depth + 1) {
            l->ndim = depth + 1;
            l->shape[depth] = a->list.n;
        }
        if (l->shape[depth] != a->list.n)
            return refuse(f, i, "The nested table is ragged: rows differ in length.") != NULL;
        for (int k = 0; k < a->list.n; k++)
            if (!measure(f, i, &a->list.at[k], depth + 1, l)) return false;
        return true;
    }
    if (depth < l->ndim) return refuse(f, i, "The nested table is ragged: a number stands beside a table.") != NULL;
    if (a->kind == TH_ARG_FLOAT) l->any_float = true;
    else if (a->kind == TH_ARG_INT) l->any_int = true;
    else if (a->kind == TH_ARG_BOOL) l->any_bool = true;
    else if (a->kind == TH_ARG_VAR)
        return refuse(f, i,
                      "Expected an array-like object, but found a Variable: maybe you are trying to call a function on "
                      "a (possibly shared) variable instead of a numeric array?") != NULL;
    else return refuse(f, i, "The value is neither a number, an ndarray nor a nested table of numbers.") != NULL;
    return true;
}

static double as_float(const ThArg *a) {
    return a->kind == TH_ARG_FLOAT ? a->f : a->kind == TH_ARG_BOOL ? a->b : (double)a->i;
}

/* Is the number held exactly by dtype d? Floats go down to floatX as Theano lets Python floats do. */
static bool exact(ThFunction *f, const FnIn *in, const ThArg *a) {
    ThDtype d = in->type.dtype;
    char k = th_dtype_kind(d);
    if (in->allow_downcast == 1 || k == 'c') return true;
    if (a->kind == TH_ARG_FLOAT && k == 'f') {
        if (d == TH_FLOAT64 || isnan(a->f) || (double)(float)a->f == a->f) return true;
        return in->allow_downcast != 0 && d == config_floatX(f->ctx);
    }
    double x = as_float(a);
    if (a->kind == TH_ARG_FLOAT) return false;
    if (k == 'f') return d == TH_FLOAT64 ? (double)a->i == x : (float)x == x;
    if (k == 'b') return a->kind == TH_ARG_BOOL;
    int64_t v = a->kind == TH_ARG_BOOL ? a->b : a->i, back = 0;
    char cell[16];
    dtype_cast(cell, d, 0, (const char *)&v, TH_INT64, 0, 1);
    dtype_cast((char *)&back, TH_INT64, 0, cell, d, 0, 1);
    return back == v && !(k == 'u' && v < 0 && d != TH_UINT64);
}

static bool put(ThFunction *f, int i, const ThArg *a, char **at) {
    const FnIn *in = &f->in[i];
    if (a->kind == TH_ARG_LIST) {
        for (int k = 0; k < a->list.n; k++)
            if (!put(f, i, &a->list.at[k], at)) return false;
        return true;
    }
    if (!exact(f, in, a)) {
        char m[256];
        snprintf(m, sizeof m,
                 "The number %.17g cannot be held exactly by %s. Give an ndarray of that dtype, or "
                 "allow_input_downcast = true.",
                 as_float(a), th_dtype_name(in->type.dtype));
        return refuse(f, i, m) != NULL;
    }
    int64_t v = a->kind == TH_ARG_BOOL ? a->b : a->i;
    size_t item = th_dtype_bytes(in->type.dtype);
    if (a->kind == TH_ARG_FLOAT) dtype_cast(*at, in->type.dtype, 0, (const char *)&a->f, TH_FLOAT64, 0, 1);
    else dtype_cast(*at, in->type.dtype, 0, (const char *)&v, TH_INT64, 0, 1);
    *at += item;
    return true;
}

ThArray *th_function_filter(ThFunction *f, int i, const ThArg *value) {
    if (i < 0 || i >= f->nin) {
        err(f->ctx, TH_TypeError, "Too many parameter passed: the function takes %d", f->nin);
        return NULL;
    }
    if (value->kind == TH_ARG_ARRAY) return filter_array(f, i, value->array);
    Leaves l = {.ndim = 0};
    if (!measure(f, i, value, 0, &l)) return NULL;
    if (f->in[i].strict) return refuse(f, i, "The input is strict: it takes an ndarray of its own dtype only.");
    ThArray *a = th_array_empty(f->ctx, f->in[i].type.dtype, l.ndim, l.shape);
    if (!a) return NULL;
    char *at = a->data;
    ThArray *r = NULL;
    if (a->ndim != f->in[i].type.ndim) ndim_error(f, i, a);
    else if (put(f, i, value, &at)) r = filter_array(f, i, a);
    th_array_release(a);
    return r;
}
