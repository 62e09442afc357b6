/* vmath.c -- the texts of vmath_all.h as data. */
#include "vmath.h"

#include <string.h>

static const VmathFn functions[] = {
#if TH_COMPILER
#define TEXT(...) #__VA_ARGS__
#else
#define TEXT(...) "" /* nobody writes C */
#endif
#define VF(D, name, uses, ...) {TH_##D, 1, #name, uses, TEXT(__VA_ARGS__)},
#define VF2(D, name, uses, ...) {TH_##D, 2, #name, uses, TEXT(__VA_ARGS__)},
#include "vmath_all.h"
#undef VF
#undef VF2
#undef TEXT
};

const VmathFn *vmath_find(const char *name, ThDtype d) {
    for (int i = 0; i < TH_LEN(functions); i++)
        if (functions[i].dtype == d && !strcmp(functions[i].name, name)) return &functions[i];
    return NULL;
}
