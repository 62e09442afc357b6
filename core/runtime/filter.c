/*
 * filter.c -- a value as an argument: TensorType.filter of Theano (inventory 2). Arrays of another dtype pass when the
 * input's type holds every value of theirs; numbers and nested lists when each value is held exactly.
 */
#include "function.h"

#include "base/array/sparse.h"
#include "base/random/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

Filter filter_of(ThFunction *f, int i) {
    const FnIn *in = &f->in[i];
    return (Filter){.ctx = f->ctx,
                    .f = f,
                    .i = i,
                    .type = in->type,
                    .strict = in->strict,
                    .writeable = in->mutable_,
                    .allow_downcast = in->allow_downcast};
}

static void where(const Filter *q, char *buf, size_t n) {
    if (!q->f && !q->var) {
        char *t = th_type_str(q->ctx, q->type);
        snprintf(buf, n, "Bad value for a %s.", t ? t : "type");
        th_free(q->ctx, t);
        return;
    }
    if (!q->f) {
        const char *name = th_var_name(q->var), *what = q->var->kind == VAR_SHARED ? "shared " : "";
        snprintf(buf, n, "Bad value for the %svariable %s.", what, name ? name : "<unnamed>");
        return;
    }
    const ThFunction *f = q->f;
    const FnIn *in = &f->in[q->i];
    int line = 0;
    const char *file = in->var ? th_var_line(in->var, &line) : NULL;
    int k = snprintf(buf, n, "Bad input argument to theano function%s%s%s at index %d (0-based)%s%s.",
                     f->name ? " with name \"" : "", f->name ? f->name : "", f->name ? "\"" : "", q->i,
                     in->name ? ", input " : "", in->name ? in->name : "");
    if (file && k > 0 && (size_t)k < n)
        snprintf(buf + k, n - (size_t)k, " The variable was created at %s:%d.", file, line);
}

static ThArray *refuse(const Filter *q, const char *what) {
    char at[512];
    where(q, at, sizeof at);
    err(q->ctx, TH_TypeError, "%s %s", at, what);
    return NULL;
}

static void shape_text(char *out, size_t n, const ThArray *a) {
    size_t k = 0;
    out[0] = 0;
    for (int d = 0; d < a->ndim && k + 24 < n; d++)
        k += (size_t)snprintf(out + k, n - k, d ? ", %lld" : "%lld", (long long)ARRAY_SHAPE(a)[d]);
}

static ThArray *ndim_error(const Filter *q, const ThArray *a) {
    char s[256], m[512];
    shape_text(s, sizeof s, a);
    snprintf(m, sizeof m, "Wrong number of dimensions: expected %d, got %d with shape (%s%s).", q->type.ndim, a->ndim,
             s, a->ndim == 1 ? "," : "");
    return refuse(q, m);
}

static bool lossless(const Filter *q, const ThArray *a) {
    return th_dtype_upcast(q->type.dtype, a->dtype) == q->type.dtype;
}

static ThArray *dtype_error(const Filter *q, const ThArray *a) {
    char m[640];
    const char *want = th_dtype_name(q->type.dtype), *got = th_dtype_name(a->dtype);
    snprintf(m, sizeof m,
             q->strict ? "The input is strict: it takes %s only, but got %s."
                       : "cannot store a value of dtype %2$s in a %1$s without risking loss of precision. Cast "
                         "it first (a:astype(\"%1$s\")), declare the "
                         "input as %2$s, set floatX, or allow it with allow_input_downcast = true.",
             want, got);
    return refuse(q, m);
}

static ThArray *broadcast_error(const Filter *q, const ThArray *a, int d) {
    char s[256], m[512];
    shape_text(s, sizeof s, a);
    snprintf(
        m, sizeof m,
        "Non-unit value on shape on a broadcastable dimension: dimension %d must have length 1, the shape is (%s%s).",
        d, s, a->ndim == 1 ? "," : "");
    return refuse(q, m);
}

static ThArray *fit_sparse(const Filter *q, ThArray *a) {
    char m[256];
    if (array_is_sparse(a) && type_eq(type_of_array(a), q->type))
        return q->writeable && (a->flags & ARRAY_READONLY) ? th_array_copy(a) : th_array_retain(a);
    char *want = th_type_str(q->ctx, q->type), *got = th_type_str(q->ctx, type_of_array(a));
    snprintf(m, sizeof m,
             "The type is %s, the value is of %s: convert it first (:tocsr(), :tocsc(), :astype(), :toarray()).",
             want ? want : "?", got ? got : "?");
    th_free(q->ctx, want);
    th_free(q->ctx, got);
    return refuse(q, m);
}

static ThArray *fit(const Filter *q, ThArray *a) {
    bool looks = q->type.kind == TYPE_STATE || q->type.kind == TYPE_SPARSE || (a && array_is_sparse(a));
    if (looks ? !array_usable(q->ctx, a) : !array_there(q->ctx, a)) return NULL;
    if (q->type.kind == TYPE_STATE)
        return random_is_state(a) ? th_array_retain(a) : refuse(q, "A RandomState is needed, the array holds none.");
    if (q->type.kind == TYPE_SPARSE || array_is_sparse(a)) return fit_sparse(q, a);
    if (a->ndim != q->type.ndim) return ndim_error(q, a);
    for (uint32_t b = q->type.broadcastable; b; b &= b - 1)
        if (ARRAY_SHAPE(a)[__builtin_ctz(b)] != 1) return broadcast_error(q, a, __builtin_ctz(b));
    if (a->dtype == q->type.dtype) {
        if (q->writeable && (a->flags & ARRAY_READONLY)) return th_array_copy(a);
        return th_array_retain(a);
    }
    bool numeric_cast =
        q->allow_downcast == 1 && !(th_dtype_kind(a->dtype) == 'c' && th_dtype_kind(q->type.dtype) != 'c');
    if (q->strict || !(lossless(q, a) || numeric_cast)) return dtype_error(q, a);
    return th_array_astype(a, q->type.dtype);
}

ThArray *filter_array(ThFunction *f, int i, ThArray *a) {
    Filter q = filter_of(f, i);
    return fit(&q, a);
}

/* ---- numbers and nested lists ---- */
enum { LEVELS = TH_MAX_NDIM };
typedef struct Leaves {
    int64_t shape[LEVELS];
    int ndim;
    int leaf; /* depth of the numbers, -1: none seen */
} Leaves;

static bool measure(const Filter *q, const ThArg *a, int depth, Leaves *l) {
    if (a->kind == TH_ARG_LIST) {
        if (depth >= LEVELS) return refuse(q, "The nested table is deeper than 32 levels.") != NULL;
        if (l->leaf >= 0 && depth >= l->leaf)
            return refuse(q, "The nested table is ragged: a table stands beside a number.") != NULL;
        if (a->list.n < 0 || (a->list.n && !a->list.at)) return err_missing(q->ctx, "a nested list");
        if (l->ndim < depth + 1) {
            l->ndim = depth + 1;
            l->shape[depth] = a->list.n;
        }
        if (l->shape[depth] != a->list.n)
            return refuse(q, "The nested table is ragged: rows differ in length.") != NULL;
        for (int k = 0; k < a->list.n; k++)
            if (!measure(q, &a->list.at[k], depth + 1, l)) return false;
        return true;
    }
    l->leaf = depth;
    if (depth < l->ndim) return refuse(q, "The nested table is ragged: a number stands beside a table.") != NULL;
    if (a->kind == TH_ARG_FLOAT || a->kind == TH_ARG_INT || a->kind == TH_ARG_BOOL || a->kind == TH_ARG_COMPLEX)
        return true;
    if (a->kind == TH_ARG_VAR)
        return refuse(q,
                      "Expected an array-like object, but found a Variable: maybe you are trying to call a function on "
                      "a (possibly shared) variable instead of a numeric array?") != NULL;
    return refuse(q, "The value is neither a number, an ndarray nor a nested table of numbers.") != NULL;
}

static double as_float(const ThArg *a) {
    return a->kind == TH_ARG_FLOAT ? a->f : a->kind == TH_ARG_BOOL ? a->b : (double)a->i;
}

/* Is the number held exactly by dtype d? Floats go down to floatX as Theano lets Python floats do. */
static bool exact_float(const Filter *q, double x, ThDtype d) {
    double kept = x;
    if (d == TH_FLOAT64 || isnan(x)) return true;
    dtype_round(&kept, d);
    if (kept == x) return true;
    return q->allow_downcast != 0 && d == config_floatX(q->ctx);
}

static bool exact_complex(const Filter *q, ThComplex128 z) {
    ThDtype d = q->type.dtype, part = d == TH_COMPLEX64 ? TH_FLOAT32 : TH_FLOAT64;
    if (!dtype_is_complex(d)) return false;
    return q->allow_downcast == 1 || (exact_float(q, z.re, part) && exact_float(q, z.im, part));
}

static bool exact(const Filter *q, const ThArg *a) {
    ThDtype d = q->type.dtype;
    if (a->kind == TH_ARG_FLOAT && d == TH_FLOAT64) return true;
    if (a->kind == TH_ARG_COMPLEX) return exact_complex(q, a->c);
    char k = th_dtype_kind(d);
    if (q->allow_downcast == 1 || k == 'c') return true;
    if (a->kind == TH_ARG_FLOAT && k == 'f') return exact_float(q, a->f, d);
    double x = as_float(a), kept = x;
    if (a->kind == TH_ARG_FLOAT) return false;
    if (k == 'f') return d == TH_FLOAT64 || (dtype_round(&kept, d), kept == x);
    if (k == 'b') return a->kind == TH_ARG_BOOL;
    int64_t v = a->kind == TH_ARG_BOOL ? a->b : a->i, back = 0;
    char cell[16];
    dtype_cast(cell, d, 0, (const char *)&v, TH_INT64, 0, 1);
    dtype_cast((char *)&back, TH_INT64, 0, cell, d, 0, 1);
    return back == v && !(k == 'u' && v < 0 && d != TH_UINT64);
}

bool filter_number(const Filter *q, const ThArg *a, void *cell) {
    if (!exact(q, a)) return false;
    if (a->kind == TH_ARG_FLOAT) {
        if (q->type.dtype == TH_FLOAT64) *(double *)cell = a->f;
        else dtype_cast(cell, q->type.dtype, 0, (const char *)&a->f, TH_FLOAT64, 0, 1);
        return true;
    }
    if (a->kind == TH_ARG_COMPLEX) {
        dtype_cast(cell, q->type.dtype, 0, (const char *)&a->c, TH_COMPLEX128, 0, 1);
        return true;
    }
    int64_t v = a->kind == TH_ARG_BOOL ? a->b : a->i;
    dtype_cast(cell, q->type.dtype, 0, (const char *)&v, TH_INT64, 0, 1);
    return true;
}

static bool put(const Filter *q, const ThArg *a, char **at) {
    if (a->kind == TH_ARG_LIST) {
        for (int k = 0; k < a->list.n; k++)
            if (!put(q, &a->list.at[k], at)) return false;
        return true;
    }
    if (!filter_number(q, a, *at)) {
        char m[320], x[64];
        if (a->kind == TH_ARG_COMPLEX) number_format(x, sizeof x, "%.17g%+.17gj", a->c.re, a->c.im);
        else number_format(x, sizeof x, "%.17g", as_float(a));
        if (a->kind == TH_ARG_FLOAT && dtype_is_discrete(q->type.dtype) && a->f == floor(a->f) && fabs(a->f) < 0x1p63)
            snprintf(m, sizeof m,
                     "It is the float %s, the type is %s, and in Lua / and ^ give floats: write 4 // 2 for an "
                     "integer, math.tointeger(x) for that of a float, or allow_input_downcast = true.",
                     x, th_dtype_name(q->type.dtype));
        else
            snprintf(m, sizeof m,
                     "The number %s cannot be held exactly by %s. Give an ndarray of that dtype, or "
                     "allow_input_downcast = true.",
                     x, th_dtype_name(q->type.dtype));
        return refuse(q, m) != NULL;
    }
    *at += th_dtype_bytes(q->type.dtype);
    return true;
}

ThArray *filter_value(const Filter *q, const ThArg *value) {
    if (value->kind == TH_ARG_RANDOM) {
        if (q->type.kind != TYPE_STATE) return refuse(q, "A RandomState is no array of numbers.");
        return value->random ? th_random_array(value->random) : (err_missing(q->ctx, "a RandomState"), NULL);
    }
    if (q->type.kind == TYPE_STATE && value->kind != TH_ARG_ARRAY)
        return refuse(q, "A RandomState (nd.random.RandomState) is needed.");
    if (q->type.kind == TYPE_SPARSE && value->kind != TH_ARG_ARRAY)
        return refuse(q, "A sparse matrix is needed (nd.sparse.csr_matrix, csc_matrix).");
    if (value->kind == TH_ARG_ARRAY) return fit(q, value->array);
    Leaves l = {.leaf = -1};
    if (!measure(q, value, 0, &l)) return NULL;
    if (q->strict) return refuse(q, "The input is strict: it takes an ndarray of its own dtype only.");
    ThArray *a = th_array_empty(q->ctx, q->type.dtype, l.ndim, l.shape);
    if (!a) return NULL;
    char *at = a->data;
    ThArray *r = NULL;
    if (a->ndim != q->type.ndim) ndim_error(q, a);
    else if (put(q, value, &at)) r = fit(q, a);
    th_array_release(a);
    return r;
}

ThArray *th_function_filter(ThFunction *f, int i, const ThArg *value) {
    if (!f) return NULL;
    if (!value) return err_missing(th_function_context(f), __func__), NULL;
    if (i < 0 || i >= f->nin) {
        err(f->ctx, TH_TypeError, "Too many parameter passed: the function takes %d", f->nin);
        return NULL;
    }
    Filter q = filter_of(f, i);
    return filter_value(&q, value);
}

ThArray *th_var_filter(ThVar *v, const ThArg *value) {
    if (!v) return NULL;
    if (!value) return err_missing(v->ctx, __func__), NULL;
    const Shared *s = v->kind == VAR_SHARED ? v->u.shared : NULL;
    Filter q = {.ctx = v->ctx,
                .var = v,
                .type = v->type,
                .strict = s && s->strict,
                .allow_downcast = s ? s->allow_downcast : -1};
    return filter_value(&q, value);
}

ThArray *th_type_filter(ThContext *c, ThType t, const ThArg *value, bool strict, int8_t allow_downcast) {
    if (!c) return NULL;
    if (!value) return err_missing(c, __func__), NULL;
    Filter q = {.ctx = c, .type = t, .strict = strict, .allow_downcast = allow_downcast};
    return failed(c) ? NULL : filter_value(&q, value);
}
