/*
 * api.c -- the public entry of building: th_build by function number, th_op by name. In: arguments of a host or of Lua.
 * Out: new references to variables; everything else that was made on the way is released.
 */
#include "front.h"

#include <string.h>

int ops_build(ThContext *c, bool copies, int func, const ThArg *args, int nargs, ThVar **out, int max) {
    Builder b;
    if (failed(c)) return -1;
    builder_begin(&b, c);
    b.copies = copies;
    b.arrays = !copies;
    int n = front_build(&b, func, args, nargs, out, max);
    for (int i = 0; copies && i < n && i < max; i++)
        if (!graph_float64_allowed(c, out[i])) n = -1;
    for (int i = 0; i < n && i < max; i++) th_var_retain(out[i]);
    builder_end(&b);
    return n;
}

int th_build(ThContext *c, int func, const ThArg *args, int nargs, ThVar **out, int max) {
    if (!c) return -1;
    if (nargs < 0 || max < 0 || (nargs && !args) || !out) return err_missing(c, __func__), -1;
    return ops_build(c, true, func, args, nargs, out, max);
}

/* A NULL operand is a TypeError unless an error is there already, so that a host may build a whole expression and look
 * once. */
ThVar *th_op(ThContext *c, const char *name, int n, ...) {
    ThArg args[FRONT_MAX_PARAMS];
    ThVar *out = NULL;
    int func = name ? th_func_find(name) : -1;
    if (!c || failed(c)) return NULL;
    if (!name) return err_missing(c, __func__), NULL;
    if (func < 0 || n < 0 || n > TH_LEN(args)) {
        err(c, TH_ValueError, func < 0 ? "there is no function named %s" : "%s: th_op takes at most 16 operands", name);
        return NULL;
    }
    va_list ap;
    va_start(ap, n);
    bool all = true;
    for (int i = 0; i < n; i++) {
        args[i] = front_arg_var(va_arg(ap, ThVar *));
        if (!args[i].var) all = err(c, TH_TypeError, "%s: operand %d of th_op is NULL", name, i + 1);
    }
    va_end(ap);
    return all && th_build(c, func, args, n, &out, 1) == 1 ? out : NULL;
}
