/*
 * primitives.c -- the operators and helpers of value texts as data.
 */
#include "primitives.h"

#include <string.h>

static const Primitive table[] = {
#define OPERATOR(name, arity) {#name, arity, PRIM_EXACT, false},
    OPERATOR_TABLE(OPERATOR)
#undef OPERATOR
#define PRIM(name, arity, flags, doc) {#name, arity, flags, false},
        PRIM_TABLE(PRIM)
#undef PRIM
#define CPRIM(name, arity, flags, doc) {#name, arity, flags, true},
            CPRIM_TABLE(CPRIM)
#undef CPRIM
};

const Primitive *primitives_find(const char *name) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].name, name)) return &table[i];
    return NULL;
}
