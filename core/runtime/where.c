/*
 * where.c -- devices as a host of the engine sees them: where arrays and shared variables live, what a GPU is and has.
 */
#include "runtime/device/space.h"
#include "graph/graph.h"

#include <string.h>

int th_array_device(const ThArray *a) {
    const Device *d = a ? space_of(a->buf) : NULL;
    return d ? d->info.ordinal : -1;
}

/* On the host: memory without a side. */
static ThArray *to_host(ThContext *c, ThArray *a) {
    if (!space_of(a->buf)) return th_array_retain(a);
    return array_usable(c, a) ? th_array_copy(a) : NULL;
}

ThArray *th_array_to_device(ThArray *a, const char *device) {
    if (!a) return NULL;
    ThContext *c = array_ctx(a);
    Device *d;
    if (!array_there(c, a) || !device_named(c, device, &d)) return NULL;
    if (!d) return to_host(c, a);
    return space_of(a->buf) == d ? th_array_retain(a) : space_array(c, d, a);
}

int th_shared_to_device(ThVar *s, const char *device) {
    Device *d;
    if (!s) return -1;
    if (s->kind != VAR_SHARED) return err(s->ctx, TH_TypeError, "a shared variable is needed"), -1;
    if (!device_named(s->ctx, device, &d)) return -1;
    ThArray *now = th_shared_get(s, true), *there = now ? th_array_to_device(now, device) : NULL;
    int bad = !there || (there != now && th_shared_set(s, there, true));
    if (!bad) s->u.shared->on_host = !d;
    th_array_release(now);
    th_array_release(there);
    return bad ? -1 : 0;
}

int th_device_count(ThContext *c) {
    Device *d;
    if (!c || failed(c)) return 0;
    const char *path = config_str(c, "cuda.driver");
    int n = device_named(c, "cuda", &d) ? device_cuda_count(c, *path ? path : NULL) : 0;
    th_error_clear(c);
    return n < 0 ? 0 : n;
}

int th_device_get(ThContext *c, const char *device, ThDevice *out) {
    Device *d;
    size_t unused, all;
    if (!c) return -1;
    if (!out) return err_missing(c, __func__), -1;
    if (!device_named(c, device, &d)) return -1;
    if (!d) return err(c, TH_ValueError, "\"cpu\" is no GPU"), -1;
    DeviceQueue q = {.device = d};
    DeviceStatus s = d->op->memory(&q, &unused, &all);
    if (s) return device_error(c, &q, s, "it is asked for its memory"), -1;
    SpaceUse u = space_use(d->space);
    const DeviceInfo *i = &d->info;
    *out = (ThDevice){.number = i->ordinal, .major = i->major, .minor = i->minor};
    memcpy(out->name, i->name, sizeof out->name);
    out->multiprocessors = i->multiprocessors, out->driver = i->driver, out->emulated = i->emulated;
    out->bytes = (int64_t)all, out->unused = (int64_t)unused;
    out->used = u.used, out->kept = u.kept, out->most = u.most, out->limit = u.limit, out->arrays = u.buffers;
    out->to_device = atomic_load(&d->moves.in), out->to_device_bytes = atomic_load(&d->moves.in_bytes);
    out->to_host = atomic_load(&d->moves.out), out->to_host_bytes = atomic_load(&d->moves.out_bytes);
    out->launches = atomic_load(&d->moves.launches);
    return 0;
}
