/*
 * ring.c -- rooms of pinned memory that take turns.
 */
#include "ring.h"

static DeviceStatus until_read(RingRoom *o, DeviceQueue *q) {
    if (!o->read) return DEVICE_OK;
    DeviceStatus s = o->marked ? q->device->op->event_wait(q, o->event) : q->device->op->wait(q);
    if (!s) o->read = o->marked = false;
    return s;
}

static DeviceStatus grow(RingRoom *o, DeviceQueue *q, size_t bytes) {
    const DeviceOps *op = q->device->op;
    void *fresh;
    DeviceStatus s = op->pin(q, bytes, &fresh);
    if (s) return s;
    op->unpin(q, o->at);
    o->at = fresh;
    o->bytes = bytes;
    return DEVICE_OK;
}

DeviceStatus ring_take(Ring *r, DeviceQueue *q, size_t bytes, char **at) {
    int next = 0;
    while (next < RING_ROOMS && r->room[next].read) next++;
    if (next == RING_ROOMS) next = (r->now + 1) % RING_ROOMS; /* read since the longest time */
    RingRoom *o = &r->room[next];
    DeviceStatus s = until_read(o, q);
    if (!s && bytes > o->bytes) s = grow(o, q, bytes);
    if (s) return s;
    r->now = next;
    o->read = true;
    *at = o->at;
    return DEVICE_OK;
}

DeviceStatus ring_leave(Ring *r, DeviceQueue *q) {
    RingRoom *o = &r->room[r->now];
    if (!o->read || o->marked) return DEVICE_OK;
    DeviceStatus s = o->event ? DEVICE_OK : q->device->op->event_new(q, &o->event);
    if (!s) s = q->device->op->event_record(q, o->event);
    o->marked = !s;
    return s;
}

void ring_rest(Ring *r) {
    for (int i = 0; i < RING_ROOMS; i++) r->room[i].read = r->room[i].marked = false;
}

void ring_drop(Ring *r, DeviceQueue *q, bool lost) {
    for (int i = 0; i < RING_ROOMS; i++) {
        RingRoom *o = &r->room[i];
        if (!lost) q->device->op->unpin(q, o->at);
        if (!lost && o->event) q->device->op->event_free(q, o->event);
        *o = (RingRoom){.at = NULL};
    }
}
