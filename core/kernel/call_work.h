/*
 * call_work.h -- a stage's call of the library (STAGE_CONV, STAGE_POOL, STAGE_DRAW) as numbers and addresses: what
 * executors hand to it. Generated code fills this record in too (core/backend_c/prelude.c).
 */
#ifndef TH_CALL_WORK_H
#define TH_CALL_WORK_H

#include "base/base.h"

/* Points of the result that are complete: of the stage's first two dims; all of the others. From any thread. */
typedef void (*CallDone)(void *user, int64_t i0, int64_t i1, int64_t j0, int64_t j1);

typedef struct CallWork {
    int dtype;
    const int64_t *numbers; /* the stage's sizes, as conv_work.h, pool_work.h and draw_work.h list them */
    const void *a, *b;      /* a draw's b may be written */
    void *c;
    CallDone done; /* what follows, once for each point; or NULL: nothing, or it is told otherwise */
    void *user;
} CallWork;

#endif
