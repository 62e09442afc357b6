/* done.h -- what is told as random numbers are drawn. */
#ifndef TH_BASE_RANDOM_DONE_H
#define TH_BASE_RANDOM_DONE_H

#include "base/base.h"

/* Numbers [from, to) of all that is drawn lie at `at`: once for each number, from any thread. */
typedef void (*RandomDone)(void *user, void *at, int64_t from, int64_t to);

#endif
