/*
 * times.h -- how long the steps of a profiled call take on a device: a mark that keeps the time before and behind what
 * a step queues. In: steps as they are queued. Out: totals of the function's profile. Marks are read when many are
 * waiting, and when a call is over; nobody waits for a step. Where a mark fails its step has no time.
 */
#ifndef TH_TIMES_H
#define TH_TIMES_H

#include "runtime/device/device.h"

struct Profile;
enum { TIMES = 64 };
typedef struct Times {
    DeviceQueue *q;
    struct Profile *to; /* NULL: nothing is timed */
    int n;              /* steps that are not read yet */
    int step[TIMES];
    void *mark[2 * TIMES]; /* before and behind each */
} Times;

DeviceStatus times_begin(Times *t, int step);
DeviceStatus times_end(Times *t);
DeviceStatus times_read(Times *t);
void times_drop(Times *t, bool lost); /* lost: the device has no marks any more */

#endif
