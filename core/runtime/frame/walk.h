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
    /* By region: a branch both arms of which are walked, or a loop that is walked on past its `until`, for what runs
     * the steps passes over those that are not to be; NULL: none. Asked before the first arm, between them and behind
     * them, and after every turn, t, whether (*turns, else -1) the loop stopped after so many; last: no more turns
     * follow. */
    const uint8_t *steered;
    int (*arm)(const struct Walk *w, ThFrame *f, int cond, int arm);
    int (*turn)(const struct Walk *w, ThFrame *f, int until, int64_t t, bool last, int64_t *turns);
    /* A loop begins, its windows as in turn 0: *done: all its turns ran. NULL: they are walked. */
    int (*whole)(const struct Walk *w, ThFrame *f, int region, int64_t trip, bool *done);
} Walk;

int walk_plan(const Walk *w, ThFrame *f);

#endif
