/* vmath.c -- the texts of vmath_all.h as data. */
#include "vmath.h"

#include <string.h>

static const VmathFn functions[] = {
#define VF(D, name, uses, ...) {TH_##D, #name, uses, #__VA_ARGS__},
#include "vmath_all.h"
#undef VF
};

const VmathFn *vmath_find(const char *name, ThDtype d) {
    for (int i = 0; i < TH_LEN(functions); i++)
        if (functions[i].dtype == d && !strcmp(functions[i].name, name)) return &functions[i];
    return NULL;
}
