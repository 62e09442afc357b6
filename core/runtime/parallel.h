/*
 * parallel.h -- parallel_for: on the host's hook if it gave one, else on libgomp's pool (opened at run time, so that a
 * process that has OpenBLAS has one pool), else a loop. Which thread runs which i is unspecified: what fn(i) computes
 * must depend on i alone, and how work is cut into n pieces must depend on shapes alone.
 */
#ifndef TH_PARALLEL_H
#define TH_PARALLEL_H

#include "../base/base.h"

#include <pthread.h>

typedef struct Pool {
    void *handle; /* libgomp; NULL: none */
    void (*parallel)(void (*fn)(void *), void *data, unsigned threads, unsigned flags);
    int (*max_threads)(void);
    int (*in_parallel)(void);
    int (*number)(void);       /* of the calling thread in its team */
    _Atomic(pthread_t) probed; /* the thread whose team was seen to start */
} Pool;

/* fn(i, user) for all 0 <= i < n; returns when all are done. One thread unless the flag `openmp` is on. */
void parallel_for(ThContext *c, int n, void (*fn)(int i, void *user), void *user);
/* How many threads parallel_for would use now: for choosing a variant with less memory, never for results. */
int parallel_threads(ThContext *c);

#endif
