/*
 * many.h -- launches of one kernel on several arrays, one behind the other in a plan, as one launch: updates of all
 * parameters by one formula. In: records of arguments, in order. Out: when one comes that another kernel would follow,
 * or that reads or writes what those before it write, the launch of all that wait.
 *
 * Always holds: what waits has touched nothing yet.
 */
#ifndef TH_MANY_H
#define TH_MANY_H

#include "runtime/device/device.h"
#include "runtime/frame/runtime.h"
#include "plan/place.h"
#include "schedule/program.h"

enum { MANY_BUFFERS = 12 }; /* of a step; with more it is not one of many */

typedef struct ManySpan {
    DeviceAddress at;
    size_t bytes;
    bool write;
} ManySpan;

typedef struct Many {
    const GridKernel *g; /* of what waits; NULL: nothing does */
    int n, step[GRID_MOST_MANY];
    int64_t blocks;                               /* of all */
    int64_t own;                                  /* of the first */
    ManySpan span[GRID_MOST_MANY * MANY_BUFFERS]; /* what they touch.. */
    int spans;
    char args[GRID_ARGS]; /* records, then where the blocks of each end */
} Many;

/* What a step touches: false where that is not known, so that it may not wait. out: MANY_BUFFERS. */
bool many_spans(const Plan *p, const Step *s, const GridKernel *g, const ThFrame *f, const DeviceAddress *b,
                ManySpan *out);
/* Bytes of a buffer that has no gaps; false where these are not known before. */
bool many_bytes(const PlanBuf *p, const ThFrame *f, int64_t *bytes);
/* One of both writes what the other one touches. */
bool many_meet(const ManySpan *a, const ManySpan *b);
/* It waits now, behind the others; false: it cannot be with them. */
bool many_add(Many *m, const GridKernel *g, int step, const void *record, int64_t blocks, const ManySpan *span, int n);
/* The launch of all that wait, by the kernel's GRID_MANY, or by itself where it is one; these are still told by m->n
 * and m->step. */
DeviceStatus many_launch(Many *m, DeviceQueue *q, void *what);

#endif
