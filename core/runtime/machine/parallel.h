/*
 * parallel.h -- parallel_for: on the host's hook if it gave one, else by the context's team of threads (team.h), else a
 * loop. Which thread runs which i is unspecified: what fn(i) computes must depend on i alone, and how work is cut into
 * n pieces must depend on shapes alone.
 */
#ifndef TH_PARALLEL_H
#define TH_PARALLEL_H

#include "base/base.h"

/* fn(i, user) for all 0 <= i < n; returns when all are done. One thread unless the flag `openmp` is on. */
void parallel_for(ThContext *c, int n, void (*fn)(int i, void *user), void *user);
/* How many threads parallel_for would use now: for choosing a variant with less memory, never for results. */
int parallel_threads(ThContext *c);

#endif
