/*
 * ranks_work.h -- an array reduced over the ranks of a job, element by element and in their order, as what operations
 * hand to the side where it lies (HostServices.ranks). It is begun, and waited for: what came of `x` is `z`, and the
 * address of z is the name by which the two know each other.
 */
#ifndef TH_RANKS_WORK_H
#define TH_RANKS_WORK_H

#include "base/base.h"

typedef struct RanksWork {
    ThRanksOp op;
    bool waits;
    const ThArray *x; /* C-contiguous, likewise the others */
    ThArray *z;
    ThArray *to; /* of one that waits: where z goes; its memory may be z's */
} RanksWork;

#endif
