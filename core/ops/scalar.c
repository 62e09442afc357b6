/*
 * scalar.c -- the scalar table as data, lookup by name, and its texts parsed once per context.
 */
#include "ops.h"

#include "../graph/expr.h"

#include <string.h>

const ScalarOp scalar_ops[] = {
#define X(name, cls, infix, str, opname, arity, flags, result, value, cvalue, grad, meta, params, doc) \
    {#name, cls, infix, str, opname, arity, flags, result, value, cvalue, grad, meta, doc},
    SCALAR_TABLE(X)
#undef X
};
const int scalar_count = SCALAR_COUNT;

int scalar_find(const char *name) {
    for (int i = 0; i < SCALAR_COUNT; i++)
        if (strcmp(scalar_ops[i].name, name) == 0) return i;
    return -1;
}

/* Parses a ';'-separated text into the state's arena and keeps it in *slot. */
static const ScalarTexts *parse(ThContext *c, const ScalarTexts **slot, const char *text) {
    if (*slot) return *slot;
    OpsState *s = ops_state(c);
    ScalarTexts *t = s ? arena_alloc0(s->arena, sizeof *t) : NULL;
    if (!t) return NULL;
    t->n = expr_parse_list(s->arena, text, t->at, TH_LEN(t->at));
    if (t->n < 0) return NULL;
    return *slot = t;
}

const ScalarTexts *scalar_grad_texts(ThContext *c, int op) {
    OpsState *s = ops_state(c);
    return s ? parse(c, &s->grad[op], scalar_ops[op].grad) : NULL;
}

const ScalarTexts *scalar_value_texts(ThContext *c, int op, bool complex_form) {
    OpsState *s = ops_state(c);
    const char *text = complex_form ? scalar_ops[op].cvalue : scalar_ops[op].value;
    if (!s) return NULL;
    if (!text) {
        err(c, TH_NotImplementedError, "%s has no %s form", scalar_ops[op].name, complex_form ? "complex" : "real");
        return NULL;
    }
    return parse(c, complex_form ? &s->cvalue[op] : &s->value[op], text);
}
