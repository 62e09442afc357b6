/*
 * eager.h -- private to eager.c and eager_quick.c.
 */
#ifndef TH_EAGER_H
#define TH_EAGER_H

#include "runtime/frame/runtime.h"

#include "ops/table/ops.h"

/* The call in one compiled function, kept by types; *nout -1: interrupted. false: not that way, and no error is set. */
bool eager_quick(ThContext *c, int func, const ThArg *args, int nargs, ThArray **out, int max, int *nout);

#endif
