/*
 * sides.h -- memory of a call on both sides: a value goes over when the other side needs it, once. Shared variables and
 * results stay on the device (device/space.h); what the host must have when a call is over (numbers, arguments and
 * storages of the host's that are changed in place) comes back when all is done.
 *
 * In: a frame whose buffers have host addresses, a queue. Functions that give int: nonzero after the frame's error was
 * set. One call at a time, as the workspace that has the sides.
 */
#ifndef TH_SIDES_H
#define TH_SIDES_H

#include "runtime/device/space.h"
#include "function.h"

typedef struct Side Side;
typedef struct Sides {
    ThContext *c;
    const Plan *plan;
    DeviceQueue *q;
    /* Waits for the queue; nonzero with the frame's error where a kernel failed. Asked before a value comes back. */
    int (*look)(struct Sides *m, ThFrame *f);
    Side *of;            /* by plan buffer */
    int *root;           /* by plan buffer: itself; of a window, the buffer that it shows */
    ThBuffer **used;     /* room for the end of a call.. */
    uint64_t *turn;      /* ..and by plan buffer: which use of its side was the last before this call */
    DeviceAddress arena; /* of temporaries, laid out as on the host */
    size_t arena_bytes;
    char *stage; /* pinned: what comes back before it is told */
    size_t stage_bytes;
    unsigned life; /* of the device, for all of it */
    bool steady;   /* addresses are to be those of the last call, where that can be had */
    int step;      /* at work, for errors; -1: none */
} Sides;

bool sides_init(Sides *m); /* c, plan, q and look are set; false with MemoryError */
void sides_free(Sides *m);
/* A call starts: nothing of an earlier one is of use but constants that went over. */
int sides_begin(Sides *m, ThFrame *f);
/* Brings the value that buffer buf shows over; addresses hold until the call ends. */
int sides_to_device(Sides *m, ThFrame *f, int buf, DeviceAddress *at);
int sides_to_host(Sides *m, ThFrame *f, int buf);
/* The host has bytes [at, at + bytes) of what buffer buf shows: a value that tells lengths. No more need come back. */
int sides_peek(Sides *m, ThFrame *f, int buf, int64_t at, size_t bytes);
/* Who has the value after a step wrote it. */
void sides_device_wrote(Sides *m, int buf);
void sides_host_wrote(Sides *m, int buf);
int sides_none(Sides *m, ThFrame *f, int buf); /* before a step that gives the buffer fresh memory */
/* Everything ran: what the host must have comes back; until all of it is there, nothing of that is changed. */
int sides_finish(Sides *m, ThFrame *f);
void sides_for_report(Sides *m); /* after a failure: what a message shows comes back; the queue is empty then */
/* A device's refusal, or the context's error, as the frame's; always 1. */
int sides_refuse(Sides *m, ThFrame *f, DeviceStatus s);
int sides_fail(Sides *m, ThFrame *f);

#endif
