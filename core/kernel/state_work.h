/*
 * state_work.h -- draws from the state of a RandomState, as what operations hand to the side where it lies
 * (HostServices.state): numbers of a distribution, bounded integers, orders, picks, shares. What was checked stands on
 * the host: params, for one number or for each; the state and the results lie where the work is done.
 */
#ifndef TH_STATE_WORK_H
#define TH_STATE_WORK_H

#include "base/base.h"

/* of RandomState's distributions; the others are one kind each */
typedef enum { STATE_NUMBERS, STATE_INTEGERS, STATE_ORDERS, STATE_PICKS, STATE_SHARES, STATE_KINDS } StateKind;
typedef struct StateWork {
    const ThArray *from;
    ThArray *to, *out; /* the state behind the draws; they */
    StateKind kind;
    int which;             /* of STATE_NUMBERS: the distribution's place in the table */
    const int64_t *params; /* bits of values: nparam lists of `many` one behind the other: 1, or as many as there are
                              numbers. Shares: probabilities by rows, then a count for each row */
    int nparam;
    int64_t many;
    int64_t n;        /* orders: of 0 .. n - 1; picks: out of n; shares: places of a row */
    const char *pick; /* picks: n elements, side by side, or NULL: positions */
    ThDtype pick_dtype;
    bool replace;
    int no_state; /* failure */
} StateWork;

#endif
