/*
 * host.h -- what operations share that run as one C function on whole arrays (LowerApi.host): sorting, searching,
 * running sums. They walk an array lane by lane: all elements along one axis for fixed positions on the others.
 */
#ifndef TH_HOST_H
#define TH_HOST_H

#include "ops.h"

/* Fails the call with a formatted text; returns 1. */
int host_error(HostCall *h, ThError kind, const char *format, ...) TH_PRINTF(3, 4);
/* Fails the call with its operation's failure `which`; returns 1. A device's kernels name the same ones. */
int host_failed(HostCall *h, int which, int64_t v0, int64_t v1, int64_t v2, int64_t v3);
void host_failure_text(ThContext *c, char *to, size_t room, const Op *op, int which, const int64_t *v);
/* The value of integer input i, 0-d or element 0. */
int64_t host_int(const HostCall *h, int i);

/* Lanes of up to three arrays of one rank and equal lengths off the axis: ptr[k] is the first element of the lane in
 * array k, step[k] its stride in bytes, n[k] its length. */
enum { LANE_MOST = 3 };
typedef struct Lanes {
    int count, ndim, axis;
    char *ptr[LANE_MOST];
    int64_t step[LANE_MOST], n[LANE_MOST];
    int64_t at[TH_MAX_NDIM], shape[TH_MAX_NDIM], stride[LANE_MOST][TH_MAX_NDIM];
    bool done;
} Lanes;
void host_lanes(Lanes *l, ThArray *const *arrays, int count, int axis);
void host_next(Lanes *l); /* until l->done */

/* Moves n elements of `item` bytes between a lane and a dense line. */
void host_get(void *line, const char *lane, int64_t step, int64_t n, size_t item);
void host_put(char *lane, int64_t step, const void *line, int64_t n, size_t item);

#endif
