/*
 * scalar.c -- the scalar table as data, lookup by name, and its texts parsed once per context.
 */
#include "ops.h"

#include "expr.h"

#include <string.h>

TH_TABLE ScalarOp scalar_ops[] = {
#define X(name, cls, infix, str, opname, arity, flags, result, value, cvalue, grad, meta, params, doc) \
    {#name, cls, infix, str, opname, flags, arity, result, value, cvalue, grad, meta, HELP_LINE(doc)},
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

#ifdef TH_MUTANTS /* spec/mutants/mutants.h, which the mutants target puts in front */
/* The dtype rule that a mutant puts in place of each; -1: none. */
static const int8_t other_rule[] = {
    [RES_UP] = RES_SAME, [RES_UP_NOBOOL] = RES_UP, [RES_UP_BOOL8] = RES_UP,      [RES_FLOAT] = RES_SAME,
    [RES_DIV] = RES_UP,  [RES_SAME] = RES_FLOAT,   [RES_SAME_NOBOOL] = RES_SAME, [RES_BOOL] = RES_UP,
    [RES_BITS] = RES_UP, [RES_SWITCH] = RES_UP,    [RES_ABS] = RES_SAME,         [RES_SECOND] = RES_UP,
    [RES_INT64] = -1,    [RES_COMPLEX] = -1,       [RES_FLOAT_REAL] = RES_FLOAT, [RES_CAST] = -1,
    [RES_CUSTOM] = -1};

__attribute__((constructor(201))) static void mutate(void) {
    for (int i = 0; i < SCALAR_COUNT; i++) {
        ScalarOp *o = &scalar_ops[i];
        mutant_text("scalar", o->name, "value", o->result == RES_BOOL ? MUTANT_TRUTH : MUTANT_VALUE, &o->value);
        mutant_text("scalar", o->name, "grad", MUTANT_GRAD, &o->grad);
        if (other_rule[o->result] >= 0 && mutant_here("scalar", o->name, "dtype rule"))
            o->result = (uint8_t)other_rule[o->result];
    }
}
#endif
