/*
 * times.c -- how long the steps of a profiled call take on a device.
 */
#include "times.h"

#include "profile.h"

static const DeviceOps *ops(const Times *t) { return t->q->device->op; }

static DeviceStatus mark(Times *t, int i) {
    DeviceStatus s = t->mark[i] ? DEVICE_OK : ops(t)->clock_new(t->q, &t->mark[i]);
    return s ? s : ops(t)->event_record(t->q, t->mark[i]);
}

DeviceStatus times_begin(Times *t, int step) {
    DeviceStatus s = t->n == TIMES ? times_read(t) : DEVICE_OK;
    t->step[t->n] = step;
    return s ? s : mark(t, 2 * t->n);
}

DeviceStatus times_end(Times *t) {
    DeviceStatus s = mark(t, 2 * t->n + 1);
    t->n += !s;
    return s;
}

DeviceStatus times_read(Times *t) {
    int n = t->n;
    t->n = 0;
    DeviceStatus s = n ? ops(t)->event_wait(t->q, t->mark[2 * n - 1]) : DEVICE_OK;
    for (int i = 0; i < n && !s; i++) {
        double seconds = 0;
        s = ops(t)->clock_read(t->q, t->mark[2 * i], t->mark[2 * i + 1], &seconds);
        if (!s) profile_add(t->to, t->step[i], (int64_t)(seconds * 1e9), true);
    }
    return s;
}

void times_drop(Times *t, bool lost) {
    for (int i = 0; i < 2 * TIMES; i++) {
        if (!lost) ops(t)->event_free(t->q, t->mark[i]);
        t->mark[i] = NULL;
    }
    t->n = 0;
}
