/*
 * print.c -- Theano's names of Elemwise nodes and their pp forms. Nothing here changes a graph.
 */
#include "ops/table/ops.h"

void elemwise_str(Text *t, const ThApply *a);
void elemwise_pp(Text *t, const ThApply *a, void (*arg)(Text *t, const ThApply *a, int i));

static void put_inplace(Text *t, const ElemwiseAttrs *e) {
    if (e->inplace[0]) text_printf(t, "[(%d, %d)]", e->inplace[1], e->inplace[2]);
}

/*
 * User-made: Elemwise{mul,no_inplace} or the name of its own (sigmoid). Made by a gradient: the scalar's str,
 * Elemwise{mul}. In place: the scalar's class, Elemwise{Mul}[(0, 1)]. Casts and Composites always show themselves.
 */
void elemwise_str(Text *t, const ThApply *a) {
    const ElemwiseAttrs *e = ATTRS(ElemwiseAttrs, a);
    const ScalarOp *s = &scalar_ops[e->scalar];
    if (!e->body && e->scalar != S_cast && !e->inplace[0] && !(a->flags & APPLY_GRAD)) {
        if (s->opname) text_put(t, s->opname);
        else text_printf(t, "Elemwise{%s,no_inplace}", s->name);
        return;
    }
    text_put(t, "Elemwise{");
    if (e->body) scalar_body_text(t, e->body);
    else if (e->scalar == S_cast) text_printf(t, "Cast{%s}", th_dtype_name(e->cast_dtype));
    else text_put(t, e->inplace[0] ? s->cls : scalar_str(e->scalar));
    text_putc(t, '}');
    put_inplace(t, e);
}

static void put_args(Text *t, const ThApply *a, const char *between, void (*arg)(Text *t, const ThApply *a, int i)) {
    for (int i = 0; i < a->nin; i++) {
        if (i) text_put(t, between);
        arg(t, a, i);
    }
}

/* pp names of operations whose public name differs from the scalar's. */
static const char *pp_name(int scalar) { return scalar == S_second ? "fill" : scalar_ops[scalar].name; }

void elemwise_pp(Text *t, const ThApply *a, void (*arg)(Text *t, const ThApply *a, int i)) {
    const ElemwiseAttrs *e = ATTRS(ElemwiseAttrs, a);
    if (e->body || e->inplace[0]) {
        elemwise_str(t, a);
    } else if (scalar_ops[e->scalar].infix) {
        const char *infix = scalar_ops[e->scalar].infix;
        text_putc(t, '(');
        if (a->nin == 1) text_put(t, infix);
        char between[8] = {' '};
        int n = 1;
        for (int i = 0; infix[i] && n < 6; i++) between[n++] = infix[i];
        between[n] = ' ';
        put_args(t, a, between, arg);
        text_putc(t, ')');
        return;
    } else if (e->scalar == S_abs_) {
        text_putc(t, '|');
        arg(t, a, 0);
        text_putc(t, '|');
        return;
    } else {
        text_put(t, e->scalar == S_cast ? th_dtype_name(e->cast_dtype) : pp_name(e->scalar));
    }
    text_putc(t, '(');
    put_args(t, a, ", ", arg);
    text_putc(t, ')');
}
