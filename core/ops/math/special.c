/* special.c -- the helper texts of special.h as data. */
#include "special.h"

#include <string.h>

const SpecialFn special_fns[] = {
#define FN(result, name, params, uses, ...) {#name, #result, #params, uses, #__VA_ARGS__},
#include "special_all.h"
#undef FN
};
const int special_count = sizeof special_fns / sizeof *special_fns;

const SpecialFn *special_find(const char *name, unsigned long n) {
    for (int i = 0; i < special_count; i++)
        if (strlen(special_fns[i].name) == n && memcmp(special_fns[i].name, name, n) == 0) return &special_fns[i];
    return NULL;
}
