/*
 * ring.h -- pinned memory that arguments of the host leave from: a call copies them there and goes on while a device
 * takes them, so that the next call may come before. A few rooms take turns; who wants one that a device may still
 * read waits for it.
 *
 * In: a queue, bytes. One thread at a time, as the queue.
 */
#ifndef TH_RING_H
#define TH_RING_H

#include "runtime/device/device.h"

enum { RING_ROOMS = 3, RING_MOST = 1 << 26 }; /* more bytes than that are the driver's business */

typedef struct RingRoom {
    void *at, *event;
    size_t bytes;
    bool read;   /* copies out of it were queued.. */
    bool marked; /* ..and the event stands behind them */
} RingRoom;
typedef struct Ring {
    RingRoom room[RING_ROOMS];
    int now; /* the one that the call at work has */
} Ring;

/* The next room, of so many bytes at least, which nobody reads any more. */
DeviceStatus ring_take(Ring *r, DeviceQueue *q, size_t bytes, char **at);
DeviceStatus ring_leave(Ring *r, DeviceQueue *q); /* the call at work queues no more copies out of its room */
void ring_rest(Ring *r);                          /* the queue is empty: nobody reads any of them */
void ring_drop(Ring *r, DeviceQueue *q, bool lost);

#endif
