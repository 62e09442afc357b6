/*
 * eager.h -- private to eager.c, eager_quick.c and eager_along.c.
 */
#ifndef TH_EAGER_H
#define TH_EAGER_H

#include "runtime/frame/runtime.h"

#include "interp/unit.h"

#include "ops/table/ops.h"

/* The call in one compiled function, kept by types; *nout -1: interrupted. false: not that way, and no error is set. */
bool eager_quick(ThContext *c, int func, const ThArg *args, int nargs, ThArray **out, int max, int *nout);
/* The kernel of a function of two such rows that makes one of them, and its registers until the next call; NULL: it has
 * none, or memory is out. */
const InterpDirect *eager_pair(ThContext *c, int func, ThArray *row, char **regs);

#endif
