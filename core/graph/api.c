/*
 * api.c -- the public functions on variables and applications (core/theano.h).
 * In: handles. Out: handles (make, new, retain give a reference, the rest borrows) and texts. Thin: the work is
 * elsewhere.
 */
#include "parts.h"

#include "base/array/sparse.h"

/* Keeps v past the end of its builder. */
static ThVar *finish(Builder *b, ThVar *v) {
    th_var_retain(v);
    builder_end(b);
    return v;
}

bool graph_given(ThContext *c, const char *function, ThVar *const *list, int n) {
    if (n < 0 || (n && !list)) { return err_missing(c, function); }
    for (int i = 0; i < n; i++) {
        if (!list[i]) { return err(c, TH_TypeError, "%s: variable %d is NULL", function, i); }
        if (list[i]->ctx != c) { return err(c, TH_TypeError, "%s: variable %d is of another context", function, i); }
    }
    return true;
}

bool graph_float64_allowed(ThContext *c, const ThVar *v) {
    const char *action =
        v->type.kind == TYPE_TENSOR && v->type.dtype == TH_FLOAT64 ? config_str(c, "warn_float64") : "";
    if (*action == 'r')
        return err(c, TH_TypeError,
                   "a float64 variable is made here, which warn_float64=raise forbids: give dtypes (floatX), cast, or "
                   "write literals that float32 holds exactly");
    if (*action != 'w') return true;
    int line = 0;
    const char *file = prov_first(c, c->prov, &line);
    ctx_log(c, "%s:%d: warning: a float64 variable is made here (warn_float64=warn)", file ? file : "?", line);
    return true;
}

ThVar *th_variable_new(ThContext *c, ThType t, const char *name) {
    if (!c) return NULL;
    if (t.ndim > TH_MAX_NDIM || ((t.kind == TYPE_TENSOR || t.kind == TYPE_SPARSE) && type_dtype(t) >= TH_DTYPE_COUNT)) {
        err(c, TH_ValueError, "a variable of rank %d and dtype number %d is not possible", t.ndim, t.dtype);
        return NULL;
    }
    if (t.kind == TYPE_SPARSE && dtype_is_half(type_dtype(t))) {
        err(c, TH_TypeError, "sparse matrices hold no %s: use float32", th_dtype_name(type_dtype(t)));
        return NULL;
    }
    Builder b;
    builder_begin(&b, c);
    if (!graph_float64_allowed(c, &(ThVar){.type = t})) { return finish(&b, NULL); }
    return finish(
        &b, var_new(&b, t.kind == TYPE_TENSOR ? type_tensor((ThDtype)t.dtype, t.ndim, t.broadcastable) : t, name));
}

ThVar *th_constant_new(ThContext *c, ThArray *value, const char *name) {
    if (!c) return NULL;
    if (!value) return err_missing(c, __func__), NULL;
    if (!array_usable(c, value)) { return NULL; }
    ThArray *own = th_array_copy(value); /* a constant never changes, whatever happens to the user's array */
    if (!own) { return NULL; }
    Builder b;
    builder_begin(&b, c);
    ThVar *v = name ? const_named(&b, own, name) : const_make(&b, own);
    th_array_release(own);
    return finish(&b, v);
}

ThVar *th_constant_typed(ThContext *c, ThArray *value, uint32_t broadcastable) {
    if (!c) return NULL;
    if (!value) return err_missing(c, __func__), NULL;
    if (!value || !array_usable(c, value)) { return NULL; }
    ThType t =
        array_is_sparse(value) ? type_of_array(value) : type_tensor((ThDtype)value->dtype, value->ndim, broadcastable);
    for (int d = 0; d < t.ndim; d++) {
        if (type_bcast(t, d) && ARRAY_SHAPE(value)[d] != 1) {
            err(c, TH_TypeError, "dimension %d of the value must have length 1, not %lld", d,
                (long long)ARRAY_SHAPE(value)[d]);
            return NULL;
        }
    }
    ThArray *own = th_array_copy(value);
    if (!own) { return NULL; }
    Builder b;
    builder_begin(&b, c);
    ThVar *v = const_make_typed(&b, own, t);
    th_array_release(own);
    return finish(&b, v);
}

ThVar *th_constant_int(ThContext *c, int64_t x) {
    if (!c) return NULL;
    Builder b;
    builder_begin(&b, c);
    return finish(&b, const_int(&b, x, TH_DTYPE_NONE));
}

ThVar *th_constant_float(ThContext *c, double x) {
    if (!c) return NULL;
    Builder b;
    builder_begin(&b, c);
    return finish(&b, const_float(&b, x, TH_DTYPE_NONE));
}

/* ---- variables -------------------------------------------------------------------------------------------------- */
ThType th_var_type(const ThVar *v) { return v ? v->type : (ThType){0}; }
const char *th_var_name(const ThVar *v) { return v ? v->name : NULL; }
ThApply *th_var_owner(const ThVar *v) { return v ? v->owner : NULL; }
int th_var_index(const ThVar *v) { return v ? v->index : -1; }
uint64_t th_var_serial(const ThVar *v) { return v ? v->serial : 0; }
ThContext *th_var_context(const ThVar *v) { return v ? v->ctx : NULL; }
const char *th_var_line(const ThVar *v, int *line) { return v ? prov_first(v->ctx, v->prov, line) : NULL; }

int th_var_set_name(ThVar *v, const char *name) {
    if (!v) return -1;
    const char *kept = name ? intern(v->ctx, name) : NULL;
    if (name && !kept) { return -1; }
    if (v->flags & VAR_F_CACHED) { /* a named constant is not handed out for the plain number any more */
        const_forget(v);
        v->flags &= (uint8_t)~VAR_F_CACHED;
    }
    v->name = kept;
    return 0;
}

char th_var_kind(const ThVar *v) { return !v ? 0 : v->kind == VAR_CONSTANT ? 'c' : v->kind == VAR_SHARED ? 's' : 'v'; }

ThArray *th_var_data(const ThVar *v) {
    if (!v) return NULL;
    return v->kind == VAR_CONSTANT && v->u.data ? th_array_retain(v->u.data) : NULL;
}

char *th_var_str(const ThVar *v) {
    if (!v) return NULL;
    Text t;
    text_init(&t, v->ctx);
    var_str(&t, v);
    return text_take(&t);
}

/* ---- applications ----------------------------------------------------------------------------------------------- */
int th_apply_ninputs(const ThApply *a) { return a ? a->nin : 0; }
int th_apply_noutputs(const ThApply *a) { return a ? a->nout : 0; }
ThContext *th_apply_context(const ThApply *a) { return a ? a->ctx : NULL; }

ThApply *th_apply_with_inputs(ThContext *c, ThApply *a, ThVar *const *in, int n) {
    Builder b;
    if (!c || failed(c)) { return NULL; }
    if (!a) { return err_missing(c, __func__), NULL; }
    if (!graph_given(c, __func__, in, n)) { return NULL; }
    if (n != a->nin) {
        err(c, TH_ValueError, "%s has %d inputs here, got %d", a->op->name, a->nin, n);
        return NULL;
    }
    builder_begin(&b, c);
    ThApply *made = apply_copy(&b, a, in);
    if (made) { th_apply_retain(made); }
    builder_end(&b);
    return made;
}

int th_var_clients(const ThVar *v, ThClient **clients) {
    if (!v) return -1;
    if (!clients) return err_missing(v->ctx, __func__), -1;
    *clients = NULL;
    if (!(v->flags & VAR_F_GRAPH)) { return -1; }
    *clients = ctx_alloc_owned(v->ctx, sizeof **clients * (size_t)(v->nclients + 1));
    for (int i = 0; *clients && i < v->nclients; i++) {
        (*clients)[i] = (ThClient){v->clients[i].node, v->clients[i].pos};
    }
    return *clients ? v->nclients : -1;
}

ThVar *th_apply_input(const ThApply *a, int i) { return !a || i < 0 || i >= a->nin ? NULL : a->in[i]; }

ThVar *th_apply_output(const ThApply *a, int i) { return !a || i < 0 || i >= a->nout ? NULL : a->out[i]; }

static char *places(ThContext *c, Prov p) {
    Text t;
    text_init(&t, c);
    prov_text(c, &t, p);
    return text_take(&t);
}

char *th_apply_places(const ThApply *a) { return a ? places(a->ctx, a->prov) : NULL; }
char *th_var_places(const ThVar *v) { return v ? places(v->ctx, v->owner ? v->owner->prov : v->prov) : NULL; }
const char *th_apply_rule(const ThApply *a) { return a ? a->rule : NULL; }
int th_apply_destroys(const ThApply *a) { return a ? a->destroys : -1; }
int th_apply_views(const ThApply *a) { return a && (a->op->flags & OP_VIEW) ? 0 : -1; }

ThVar *th_apply_body(const ThApply *a, int body, int i) {
    int n = 0;
    const GraphBody *const *b = a && a->op->bodies ? a->op->bodies(a->attrs, &n) : NULL;
    if (!b || body < 0 || body >= n || i < 0) return NULL;
    const FGraph *inner = a->flags & APPLY_GRAPH ? fg_inner(a->out[0]->fg, a, body) : NULL;
    if (inner) return i < inner->nplain_out ? inner->out[i] : NULL;
    return i < b[body]->nout ? b[body]->out[i] : NULL;
}

const char *th_apply_op_name(const ThApply *a) {
    if (!a) return NULL;
    if (a->op != &op_elemwise) return a->op->name;
    const ElemwiseAttrs *e = a->attrs;
    return e->body ? "Composite" : scalar_ops[e->scalar].name;
}

char *th_apply_op_str(const ThApply *a) {
    if (!a) return NULL;
    Text t;
    text_init(&t, a->ctx);
    apply_op_str(&t, a);
    return text_take(&t);
}

char *th_apply_str(const ThApply *a) {
    if (!a) return NULL;
    Text t;
    text_init(&t, a->ctx);
    apply_op_str(&t, a);
    text_putc(&t, '(');
    for (int i = 0; i < a->nin; i++) {
        text_put(&t, i ? ", " : "");
        var_str(&t, a->in[i]);
    }
    text_putc(&t, ')');
    return text_take(&t);
}
