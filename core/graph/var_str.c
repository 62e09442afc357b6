/*
 * var_str.c -- Theano's str() of variables, constants and operations.
 * In: a node. Out: its name, `op.0`, `<TensorType(float64, matrix)>` or `TensorConstant{...}`.
 */
#include "parts.h"

#include "base/array/sparse.h"

#include <string.h>

enum { LONG = 20, KEPT = 10 }; /* longer texts keep this many bytes at both ends */

/* `(1,) of 1.0` for arrays of one value, else NumPy's str. */
static void put_data(Text *t, ThArray *a) {
    bool one = a->ndim > 0 && a->size > 0 && array_all_equal(a);
    ThArray *shown = one ? th_array_view(a, 0, NULL, NULL, 0) : th_array_retain(a);
    char *s = shown ? th_array_str(t->c, shown) : NULL;
    if (s && one) {
        text_putc(t, '(');
        for (int d = 0; d < a->ndim; d++) { text_printf(t, "%s%lld", d ? ", " : "", (long long)ARRAY_SHAPE(a)[d]); }
        text_printf(t, "%s) of %s", a->ndim == 1 ? "," : "", s);
    } else if (s) {
        text_put(t, s);
    }
    th_free(t->c, s);
    if (shown) { th_array_release(shown); }
}

void const_str(Text *t, const ThVar *v) {
    if (v->type.kind == TYPE_NONE || !v->u.data) {
        text_put(t, v->type.kind == TYPE_NONE ? "NoneConst" : "Constant{}");
        return;
    }
    if (array_is_sparse(v->u.data)) {
        Sparse s = sparse_open((const int64_t *)(const void *)v->u.data->data);
        bool rows = type_sparse_format(v->type) == 'r';
        text_put(t, "SparseConstant{");
        type_text(t, v->type);
        text_printf(t, ",shape=(%lld, %lld),nnz=%lld}", (long long)(rows ? s.lines : s.places),
                    (long long)(rows ? s.places : s.lines), (long long)s.nnz);
        return;
    }
    Text data;
    text_init(&data, t->c);
    put_data(&data, v->u.data);
    text_put(t, v->type.kind == TYPE_TENSOR ? "TensorConstant{" : "Constant{");
    if (data.n > LONG) {
        text_put_n(t, data.at, KEPT);
        text_put(t, "..");
        text_put_n(t, data.at + data.n - KEPT, KEPT);
    } else {
        text_put_n(t, data.n ? data.at : "", data.n);
    }
    text_putc(t, '}');
    text_free(&data);
}

void apply_op_str(Text *t, const ThApply *a) {
    if (a->op->str) {
        a->op->str(t, a);
        return;
    }
    text_put(t, a->op->name);
    attrs_text(t, a->op, a->attrs);
}

void var_str(Text *t, const ThVar *v) {
    if (v->kind == VAR_CONSTANT && v->type.kind == TYPE_TENSOR) {
        const_str(t, v); /* no name is shown */
    } else if (v->name) {
        text_put(t, v->name);
    } else if (v->kind == VAR_CONSTANT) {
        const_str(t, v);
    } else if (v->owner) {
        apply_op_str(t, v->owner);
        text_printf(t, ".%d", v->index);
    } else {
        text_putc(t, '<');
        type_text(t, v->type);
        text_putc(t, '>');
    }
}
