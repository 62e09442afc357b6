/*
 * sides.h -- memory of a call on both sides: each buffer of a plan may have a mirror on a device, and each side knows
 * whether it holds the buffer's value. A value goes over when the other side needs it, once; what a call changes
 * (results, shared variables) comes back when all is done.
 *
 * In: a frame whose buffers have host addresses, a queue. Functions that give int: nonzero after the frame's error was
 * set. One call at a time, as the workspace that has the sides.
 */
#ifndef TH_SIDES_H
#define TH_SIDES_H

#include "runtime/device/device.h"
#include "function.h"

typedef struct Side Side;
typedef struct Sides {
    ThContext *c;
    const Plan *plan;
    DeviceQueue *q;
    /* Waits for the queue; nonzero with the frame's error where a kernel failed. Asked before a value comes back. */
    int (*look)(struct Sides *m, ThFrame *f);
    Side *of;    /* by plan buffer */
    int *root;   /* by plan buffer: itself; of a window, the buffer that it shows */
    char *stage; /* what comes back before it is told */
    size_t stage_bytes;
    int step; /* at work, for errors; -1: none */
} Sides;

bool sides_init(Sides *m); /* c, plan, q and look are set; false with MemoryError */
void sides_free(Sides *m);
/* A call starts: arguments, shareds and constants have their values on the host. */
int sides_begin(Sides *m, ThFrame *f);
/* Brings the value that buffer buf shows over; addresses hold until the call ends. */
int sides_to_device(Sides *m, ThFrame *f, int buf, DeviceAddress *at);
int sides_to_host(Sides *m, ThFrame *f, int buf);
/* Who has the value after a step wrote it. none: the buffer is fresh memory. */
void sides_device_wrote(Sides *m, int buf);
void sides_host_wrote(Sides *m, int buf);
void sides_none(Sides *m, int buf);
/* Everything ran: results and what was changed come back; until all of it is there, nothing is changed. */
int sides_finish(Sides *m, ThFrame *f);
void sides_for_report(Sides *m); /* after a failure: what stood in temporaries */
/* A device's refusal as the frame's error; always 1. */
int sides_refuse(Sides *m, ThFrame *f, DeviceStatus s);

#endif
