/*
 * space.h -- the memory of one device that outlives calls: sides of buffers (base.h) and arenas of workspaces, all had
 * from here, so that it can be told and limited.
 *
 * Marks: a place in a queue. Whoever uses memory in a queue leaves one there; whoever uses it next in another queue
 * waits for it. So the uses of a piece of memory stand in one order, and nothing is freed or read too early.
 *
 * Functions with a queue give a status as devices do (device.h). Any thread may call; a queue is one thread's.
 */
#ifndef TH_SPACE_H
#define TH_SPACE_H

#include "device.h"

typedef struct DeviceMark DeviceMark;

DeviceSpace *space_new(ThContext *c, Device *d); /* NULL with MemoryError; devices of device_open have one */
void space_free(DeviceSpace *s);                 /* nothing of it is in use any more */

/* Memory that work queued in q from now on may use; 0 bytes: *at is 0. */
DeviceStatus space_take(DeviceQueue *q, size_t bytes, DeviceAddress *at);
/* It goes back, and is kept for the next who takes as much; last: mark of its last use, or NULL; life: the device's
 * when it was taken. */
void space_give(DeviceSpace *s, DeviceAddress at, size_t bytes, DeviceMark *last, unsigned life);

DeviceStatus space_mark(DeviceQueue *q, DeviceMark **mark); /* here and now: one reference */
void space_mark_release(DeviceMark *m);
DeviceStatus space_after(DeviceQueue *q, const DeviceMark *m); /* what follows in q waits for it; NULL: for nothing */

/* ---- sides of buffers ---- */
/* A buffer's side on q's device, ready for use in q; made where there is none. It has the buffer's value where
 * BUFFER_AWAY or BUFFER_TWICE say so. turn: which use of it was the last, for space_leave. DEVICE_LOST where it had the
 * value alone and the device was lost since. */
DeviceStatus space_side(DeviceQueue *q, ThBuffer *b, DeviceAddress *at, uint64_t *turn);
bool space_gone(const ThBuffer *b);                   /* so it is */
bool space_lost(ThContext *c, const Device *d);       /* ..as an error; always false */
DeviceStatus space_over(DeviceQueue *q, ThBuffer *b); /* the host's value goes there, where nobody took it over */
/* At the end of what q does with n buffers: the next who uses them waits for it; turn: of space_side. */
DeviceStatus space_leave(DeviceQueue *q, ThBuffer *const *b, const uint64_t *turn, int n);
DeviceAddress space_at(const ThBuffer *b);      /* where its side lies; 0: nowhere */
void space_used(ThBuffer *b, DeviceMark *mark); /* the last use of its side */
bool space_can(const ThBuffer *b);              /* it may have a side: the memory is ours */
Device *space_of(const ThBuffer *b);            /* the device that it lives on: it has a side there; NULL: the host */
/* An array's value in fresh memory that lives on d, C-contiguous; NULL with the error set. */
ThArray *space_array(ThContext *c, Device *d, ThArray *a);
/* What was queued on a buffer that lives on a device is done, and the device alone has its value: others may look at
 * it, and write. False with the error set. */
bool space_settled(ThContext *c, ThBuffer *b);
/* Memory of others on d as an array of n elements that lives there; NULL with the error set. release(user) comes when
 * the buffer goes. */
ThArray *space_adopt(ThContext *c, Device *d, ThDtype dtype, int64_t n, DeviceAddress at);
void space_owner(ThBuffer *b, void (*release)(void *user), void *user);

/* A device that a fault broke works again; what it had is gone. Nothing of it may be in use on another thread. */
DeviceStatus space_mend(DeviceQueue *q);

typedef struct SpaceUse {
    int64_t used, kept, most; /* bytes in use, kept for later, the most that was in use */
    int64_t limit;            /* of used and kept together; 0: what there is */
    int64_t buffers;          /* that have a side */
} SpaceUse;
SpaceUse space_use(DeviceSpace *s);
void space_limit(DeviceSpace *s, int64_t bytes);

#endif
