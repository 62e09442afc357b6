/*
 * walk.h -- a plan's regions in order, for whoever runs its steps one by one: the interpreter, and what launches them
 * on a device. Recursion is over the nesting of regions.
 */
#ifndef TH_WALK_H
#define TH_WALK_H

#include "runtime.h"

typedef struct Walk {
    int (*step)(const struct Walk *w, ThFrame *f, int step); /* nonzero: it failed */
    /* A buffer that steers regions (a branch's condition, the end of a loop, its number of turns) is read or, with
     * `write`, written by the host now; nonzero: that failed. NULL: buffers are always there. */
    int (*see)(const struct Walk *w, ThFrame *f, int buf, bool write);
} Walk;

int walk_plan(const Walk *w, ThFrame *f);

#endif
