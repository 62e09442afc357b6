/*
 * order_work.h -- what operations that order, search, count and accumulate hand to the side where their arrays lie
 * (HostCall.lib): arrays by their headers, with addresses of that side, of any strides unless it says dense.
 */
#ifndef TH_ORDER_WORK_H
#define TH_ORDER_WORK_H

#include "base/base.h"

/* z := running sums or products of x along an axis; -1: of all elements in order, both dense. One dtype, one shape. */
typedef struct CumWork {
    const ThArray *x;
    ThArray *z;
    int axis;
    bool product;
} CumWork;

/*
 * x in ascending order along an axis (or descending), NaN last: the first ones go to z (x's dtype), where they stand in
 * x to `at` (any integers, or floats): as many as these have along the axis. Either may be NULL. Equal elements keep
 * their order, -0.0 equals 0.0; of values alone -0.0 comes first, and every NaN is the same.
 */
typedef struct SortWork {
    const ThArray *x;
    ThArray *z, *at;
    int axis;
    bool descending;
} SortWork;

/* z := for each element of v its place in the vector x, which is in ascending order, or is when taken at `sorter`
 * (integers; NULL: as it is); `right`: behind equal elements. x and v of one dtype, z int64. */
typedef struct SearchWork {
    const ThArray *x, *v, *sorter;
    ThArray *z;
    bool right;
    int failure; /* of the operation: sorter[{0}] = {1} is out of bounds for {2} elements */
} SearchWork;

/* Distinct elements of a vector, or rows of a matrix, ascending: `values`; first positions, the place of each among
 * them and how often (dense int64; inverse, count NULL: not asked for); their number (0-d int64). */
typedef struct UniqueWork {
    const ThArray *x;
    ThArray *values, *first, *inverse, *count, *n;
    bool index; /* first positions are asked for; else `first` is room */
    bool apart; /* each NaN (a row with one) is distinct from all others */
} UniqueWork;

/* n := how many elements of x are not zero (0-d int64). */
typedef struct CountWork {
    const ThArray *x;
    ThArray *n;
} CountWork;

/* Their positions, a dense int64 vector for each dimension, as long as they are many; else
 * `failure` {found, wanted}. */
typedef struct NonzeroWork {
    const ThArray *x;
    ThArray *const *at;
    int failure;
} NonzeroWork;

/* z (dense int64) := i repeats[i] times; `failure` {i, repeats[i]}: negative. */
typedef struct RepeatWork {
    const ThArray *repeats;
    ThArray *z;
    int failure;
} RepeatWork;

#endif
