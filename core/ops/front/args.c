/*
 * args.c -- what a front function reads its arguments with: variables, numbers, names, axes, lists.
 * Invariant: an accessor that fails has set the error and returns a value that is safe to go on with.
 */
#include "front.h"

#include <stdio.h>
#include <string.h>

/* ---- results and errors ------------------------------------------------------------------------------------------ */
int front_error(Front *f, ThError kind, const char *format, ...) {
    Text t;
    char text[600];
    va_list ap;
    va_start(ap, format);
    number_vformat(text, sizeof text, format, ap);
    va_end(ap);
    text_init(&t, f->ctx);
    text_printf(&t, "%s: %s", f->info->name, text);
    err(f->ctx, kind, "%s", t.at ? t.at : text);
    text_free(&t);
    return -1;
}

int front_return_n(Front *f, ThVar *const *v, int n) {
    for (int i = 0; i < n; i++)
        if (!v[i]) return -1;
    for (int i = 0; i < n && i < f->max; i++) {
        bool back = dtype_is_half(f->half) && v[i]->type.kind == TYPE_TENSOR && v[i]->type.dtype == TH_FLOAT32;
        f->out[i] = back ? cast_make(f->b, v[i], f->half) : v[i];
    }
    return failed(f->ctx) ? -1 : n;
}

int front_return(Front *f, ThVar *v) { return front_return_n(f, &v, 1); }

/* ---- variables --------------------------------------------------------------------------------------------------- */
static const char *const kind_names[] = {"nil (None)",  "a variable",       "an array",     "an integer", "a float",
                                         "a boolean",   "a string",         "a list",       "a slice",    "newaxis",
                                         "an ellipsis", "a complex number", "a RandomState"};

/* Name of parameter i in f's signature, for messages. */
static const char *param_name(Front *f, int i, char *out, size_t size) {
    const char *s = f->info->signature;
    for (; i > 0 && s; i--) {
        s = strchr(s, ',');
        if (s) s++;
    }
    s = s ? s + strspn(s, " *") : "argument";
    size_t n = strcspn(s, "=,");
    if (n >= size) n = size - 1;
    memcpy(out, s, n);
    out[n] = 0;
    return out;
}

/* What a nested list of numbers looks like: its shape, and the dtype that NumPy gives it. */
typedef struct Nested {
    int64_t shape[TH_MAX_NDIM];
    int ndim; /* -1 before the first number */
    ThDtype dtype;
} Nested;

static ThDtype leaf_dtype(const ThArg *a) {
    switch (a->kind) {
    case TH_ARG_BOOL: return TH_BOOL;
    case TH_ARG_INT: return TH_INT64;
    case TH_ARG_FLOAT: return TH_FLOAT64;
    case TH_ARG_COMPLEX: return TH_COMPLEX128;
    default: return TH_DTYPE_NONE;
    }
}

/* false when ragged, too deep, or holding anything but numbers and booleans; both together only in eager calls. */
static bool list_shape(const ThArg *a, int depth, bool mixed, Nested *n) {
    if (a->kind != TH_ARG_LIST) {
        ThDtype d = leaf_dtype(a);
        if (n->ndim < 0) n->ndim = depth;
        if (d == TH_DTYPE_NONE || n->ndim != depth) return false;
        if (!mixed && n->dtype != TH_DTYPE_NONE && (d == TH_BOOL) != (n->dtype == TH_BOOL)) return false;
        n->dtype = n->dtype == TH_DTYPE_NONE ? d : th_dtype_upcast(n->dtype, d);
        return true;
    }
    if (depth >= TH_MAX_NDIM || (n->ndim >= 0 && depth >= n->ndim)) return false;
    if (n->shape[depth] < 0) n->shape[depth] = a->list.n;
    if (n->shape[depth] != a->list.n) return false;
    if (a->list.n == 0 && n->ndim < 0) n->ndim = depth + 1;
    for (int i = 0; i < a->list.n; i++)
        if (!list_shape(&a->list.at[i], depth + 1, mixed, n)) return false;
    return true;
}

static bool numbers_only(const ThArg *a, int depth) {
    if (a->kind != TH_ARG_LIST) return leaf_dtype(a) != TH_DTYPE_NONE && a->kind != TH_ARG_BOOL;
    bool all = depth < TH_MAX_NDIM;
    for (int i = 0; all && i < a->list.n; i++) all = numbers_only(&a->list.at[i], depth + 1);
    return all;
}

static void list_fill(const ThArg *a, char **to, ThDtype d) {
    if (a->kind == TH_ARG_LIST) {
        for (int i = 0; i < a->list.n; i++) list_fill(&a->list.at[i], to, d);
        return;
    }
    const char *from = a->kind == TH_ARG_BOOL ? (const char *)&a->b : (const char *)&a->i; /* one union */
    dtype_cast(*to, d, 0, from, leaf_dtype(a), 0, 1);
    *to += th_dtype_bytes(d);
}

/* A list of numbers as a Constant: int64, float64 or complex128, bool of booleans. When empty float64, in a graph
 * floatX. */
static ThVar *list_constant(Front *f, const ThArg *a, const Nested *n) {
    ThDtype d = n->dtype;
    if (d == TH_DTYPE_NONE) d = f->b->arrays ? TH_FLOAT64 : config_floatX(f->ctx);
    ThArray *arr = th_array_empty(f->ctx, d, n->ndim, n->shape);
    if (!arr) return NULL;
    char *to = th_array_data(arr);
    if (th_array_size(arr) > 0) list_fill(a, &to, d);
    ThVar *v = const_make(f->b, arr);
    th_array_release(arr);
    return v;
}

static ThVar *from_list(Front *f, const ThArg *a, const char *what) {
    Nested n = {.ndim = -1, .dtype = TH_DTYPE_NONE};
    for (int i = 0; i < TH_MAX_NDIM; i++) n.shape[i] = -1;
    if (list_shape(a, 0, f->b->arrays, &n)) return list_constant(f, a, &n);
    if (numbers_only(a, 0)) {
        front_error(f, TH_ValueError, "%s: the nested list is ragged: its rows differ in length or depth", what);
        return NULL;
    }
    for (int i = 0; i < a->list.n; i++)
        if (a->list.at[i].kind == TH_ARG_NONE || a->list.at[i].kind == TH_ARG_STR ||
            (a->list.at[i].kind >= TH_ARG_SLICE && a->list.at[i].kind != TH_ARG_COMPLEX)) {
            front_error(f, TH_TypeError, "%s: entry %d of the list is %s, not a number or a variable", what, i,
                        kind_names[a->list.at[i].kind]);
            return NULL;
        }
    return front_call(f->b, "stack", a, 1);
}

static ThVar *from_array(Front *f, ThArray *a) {
    if (!array_usable(f->ctx, a)) return NULL;
    ThArray *value = f->b->copies ? th_array_copy(a) : th_array_retain(a);
    ThVar *v = value ? const_make(f->b, value) : NULL;
    if (value) th_array_release(value);
    return v;
}

static ThVar *as_var(Front *f, const ThArg *a, const char *what) {
    switch (a->kind) {
    case TH_ARG_VAR: return a->var;
    case TH_ARG_ARRAY: return from_array(f, a->array);
    case TH_ARG_INT: return const_int(f->b, a->i, TH_DTYPE_NONE);
    case TH_ARG_FLOAT: return const_float(f->b, a->f, TH_DTYPE_NONE);
    case TH_ARG_LIST: return from_list(f, a, what);
    case TH_ARG_COMPLEX: return const_complex(f->b, a->c);
    case TH_ARG_BOOL:
        front_error(f, TH_TypeError,
                    "%s is a boolean, not a tensor: x == y and x < y compare handles in Lua, use %s(x, y), %s(x, y); "
                    "for a constant use %s(true)",
                    what, f->b->arrays ? "nd.eq" : "T.eq", f->b->arrays ? "nd.lt" : "T.lt",
                    f->b->arrays ? "nd.array" : "T.constant");
        return NULL;
    default: front_error(f, TH_TypeError, "%s is %s, not a tensor", what, kind_names[a->kind]); return NULL;
    }
}

ThVar *front_as_var(Front *f, const ThArg *a, const char *what) {
    ThVar *v = as_var(f, a, what);
    bool up = f->half != TH_DTYPE_NONE && v && v->type.kind == TYPE_TENSOR && dtype_is_half(v->type.dtype);
    return up ? cast_make(f->b, v, TH_FLOAT32) : v;
}

ThVar *front_var(Front *f, int i) {
    char name[64];
    return front_as_var(f, &f->arg[i], param_name(f, i, name, sizeof name));
}

ThVar *front_integers(Front *f, int i) {
    int64_t none = 0;
    if (f->arg[i].kind != TH_ARG_LIST || f->arg[i].list.n != 0) return front_var(f, i);
    ThArray *empty = th_array_empty(f->ctx, TH_INT64, 1, &none);
    ThVar *v = empty ? const_make(f->b, empty) : NULL;
    th_array_release(empty);
    return v;
}

/* ---- numbers and names ------------------------------------------------------------------------------------------- */
static bool wrong(Front *f, int i, const char *wanted) {
    char name[64];
    front_error(f, TH_TypeError, "'%s' should be %s, not %s", param_name(f, i, name, sizeof name), wanted,
                kind_names[f->arg[i].kind]);
    return false;
}

/* Value of an integer argument: a number, or a 0-d integer constant or array. */
static bool int_of(const ThArg *a, int64_t *v) {
    const ThArray *arr = a->kind == TH_ARG_ARRAY ? a->array : NULL;
    if (a->kind == TH_ARG_VAR && a->var && a->var->kind == VAR_CONSTANT) arr = a->var->u.data;
    if (a->kind == TH_ARG_INT) *v = a->i;
    else if (arr && arr->size == 1 && dtype_is_discrete(arr->dtype)) *v = array_item_int(arr);
    else return false;
    return true;
}

int64_t front_int(Front *f, int i) {
    int64_t v = 0;
    if (!int_of(&f->arg[i], &v)) wrong(f, i, "an integer");
    return v;
}

int front_count(Front *f, int i, int least, int most) {
    int64_t v = front_int(f, i);
    if (!failed(f->ctx) && (v < least || v > most)) {
        char name[64];
        front_error(f, TH_ValueError, "'%s' is a number of %d to %d, not %lld", param_name(f, i, name, sizeof name),
                    least, most, (long long)v);
    }
    return failed(f->ctx) ? least : (int)v;
}

double front_float(Front *f, int i) {
    int64_t v = 0;
    if (f->arg[i].kind == TH_ARG_FLOAT) return f->arg[i].f;
    if (int_of(&f->arg[i], &v)) return (double)v;
    wrong(f, i, "a number");
    return 0;
}

bool front_bool(Front *f, int i) {
    const ThArg *a = &f->arg[i];
    if (a->kind == TH_ARG_BOOL) return a->b;
    if (a->kind == TH_ARG_INT) return a->i != 0;
    if (a->kind == TH_ARG_NONE) return false;
    return wrong(f, i, "true or false");
}

const char *front_str(Front *f, int i) {
    if (f->arg[i].kind == TH_ARG_STR) return f->arg[i].s;
    wrong(f, i, "a string");
    return NULL;
}

ThDtype front_dtype_of(ThContext *c, const char *name) {
    if (!name) return TH_DTYPE_NONE;
    if (strcmp(name, "floatX") == 0) return config_floatX(c);
    ThDtype d = th_dtype_from_name(name);
    if (d != TH_DTYPE_NONE) return d;
    err(c, TH_TypeError,
        "unknown dtype '%s': bool, int8..int64, uint8..uint64, float16, bfloat16, float32, float64, complex64, "
        "complex128, floatX",
        name);
    return TH_DTYPE_NONE;
}

ThDtype front_dtype(Front *f, int i) {
    if (front_none(f, i)) return TH_DTYPE_NONE;
    const char *s = front_str(f, i);
    return s ? front_dtype_of(f->ctx, s) : TH_DTYPE_NONE;
}

/* ---- lists and axes ---------------------------------------------------------------------------------------------- */
bool front_list(Front *f, int i, VarVec *v) {
    const ThArg *at = i < 0 ? f->rest : &f->arg[i];
    int n = i < 0 ? f->nrest : 1;
    if (i >= 0 && f->arg[i].kind == TH_ARG_LIST) {
        at = f->arg[i].list.at;
        n = f->arg[i].list.n;
    }
    for (int k = 0; k < n; k++) {
        char name[64], what[80];
        snprintf(what, sizeof what, "%s[%d]", param_name(f, i < 0 ? f->nparam - 1 : i, name, sizeof name), k + 1);
        ThVar *x = front_as_var(f, &at[k], what);
        if (!x || !vec_push(f->ctx, v, x)) return false;
    }
    return true;
}

bool front_ints(Front *f, int i, int64_t *v, int max, int *n) {
    const ThArg *a = &f->arg[i];
    bool list = a->kind == TH_ARG_LIST;
    *n = list ? a->list.n : 1;
    if (*n > max) return front_error(f, TH_ValueError, "a list of %d integers, at most %d are possible", *n, max) > 0;
    for (int k = 0; k < *n; k++)
        if (!int_of(list ? &a->list.at[k] : a, &v[k])) return false;
    return true;
}

bool front_axes(Front *f, int i, int ndim, AttrInts *axes) {
    int64_t v[TH_MAX_NDIM];
    int n = 0;
    memset(axes, 0, sizeof *axes);
    axes->n = -1;
    if (front_none(f, i)) return true;
    if (!front_ints(f, i, v, TH_MAX_NDIM, &n))
        return failed(f->ctx) ? false : wrong(f, i, "None, an integer or a list of integers");
    for (int k = 0; k < n; k++) {
        if (v[k] < -ndim || v[k] >= ndim) {
            front_error(f, TH_ValueError, "axis %lld is out of range for a tensor with %d dimension%s", (long long)v[k],
                        ndim, ndim == 1 ? "" : "s");
            return false;
        }
        axes->at[k] = (int8_t)v[k];
    }
    axes->n = (int8_t)n;
    return axes_normalize(f->ctx, axes, ndim, f->info->name);
}

bool front_no_axis(const Front *f, int i, const ThVar *x) {
    const ThArg *a = &f->arg[i];
    return front_none(f, i) || (x && x->type.ndim == 0 && a->kind == TH_ARG_INT && (a->i == 0 || a->i == -1));
}

bool front_axis(Front *f, int i, int ndim, int *axis) {
    int64_t a = front_int(f, i);
    *axis = 0;
    if (failed(f->ctx)) return false;
    if (a < -ndim || a >= ndim) {
        front_error(f, TH_ValueError, "axis %lld is out of range for a tensor with %d dimension%s", (long long)a, ndim,
                    ndim == 1 ? "" : "s");
        return false;
    }
    *axis = (int)(a < 0 ? a + ndim : a);
    return true;
}
