/*
 * pick_work.h -- columns picked by uniform numbers, as what operations hand to the side where their arrays lie
 * (HostServices.pick): p are rows of probabilities (any real dtype), number c of row i is element c * rows + i of u
 * (floats). z: how often each column was picked, or with `once` the columns in the order picked, each at most once; any
 * real dtype. A pick is the first column whose running sum in double exceeds the number.
 */
#ifndef TH_PICK_WORK_H
#define TH_PICK_WORK_H

#include "base/base.h"

typedef struct PickWork {
    const ThArray *p, *u;
    ThArray *z;
    int64_t count; /* numbers of a row */
    bool once;
    int no_probability, no_sum, too_few; /* failures: {row, column, value}, {row, sum}, {row, picked, count} */
} PickWork;

#endif
