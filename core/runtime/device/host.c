/*
 * host.c -- host memory as a Device: everything runs at once, so events and waiting are nothing. A kernel is a function
 * of one argument, its grid is of one thread.
 */
#include "base/os/os.h"
#include "device.h"

#include <string.h>

static void *at(DeviceAddress a) { return (void *)(uintptr_t)a; }

static DeviceStatus refuse(DeviceQueue *q, const char *call) {
    q->call = call;
    q->code = 0;
    return DEVICE_FAILED;
}

static DeviceStatus queue_open(DeviceQueue *q) {
    q->stream = NULL;
    return DEVICE_OK;
}

static void queue_close(DeviceQueue *q) { (void)q; }

static DeviceStatus done(DeviceQueue *q) {
    (void)q;
    return DEVICE_OK;
}

static DeviceStatus pin(DeviceQueue *q, size_t bytes, void **to) {
    *to = NULL;
    if (!bytes) return DEVICE_OK;
    if (bytes > SIZE_MAX - 255 || !(*to = os_alloc(NULL, 0, (bytes + 255) / 256 * 256, 256))) {
        q->call = "alloc";
        return DEVICE_NO_MEMORY;
    }
    return DEVICE_OK;
}

static DeviceStatus unpin(DeviceQueue *q, void *p) {
    (void)q;
    if (p) os_alloc(p, 1, 0, 256);
    return DEVICE_OK;
}

static DeviceStatus alloc(DeviceQueue *q, size_t bytes, DeviceAddress *to) {
    void *p;
    DeviceStatus s = pin(q, bytes, &p);
    *to = (uintptr_t)p;
    return s;
}

static DeviceStatus release_memory(DeviceQueue *q, DeviceAddress a) { return unpin(q, at(a)); }

static DeviceStatus copy_in(DeviceQueue *q, DeviceAddress to, const void *from, size_t bytes) {
    (void)q;
    if (bytes) memcpy(at(to), from, bytes);
    return DEVICE_OK;
}

static DeviceStatus copy_out(DeviceQueue *q, void *to, DeviceAddress from, size_t bytes) {
    return copy_in(q, (uintptr_t)to, at(from), bytes);
}

static DeviceStatus copy(DeviceQueue *q, DeviceAddress to, DeviceAddress from, size_t bytes) {
    return copy_in(q, to, at(from), bytes);
}

static DeviceStatus copy_peer(DeviceQueue *q, DeviceAddress to, const Device *there, DeviceAddress from, size_t bytes) {
    return there == q->device ? copy_in(q, to, at(from), bytes) : refuse(q, "copy_peer");
}

static DeviceStatus set(DeviceQueue *q, DeviceAddress a, unsigned char byte, size_t bytes) {
    (void)q;
    if (bytes) memset(at(a), byte, bytes);
    return DEVICE_OK;
}

static DeviceStatus event_new(DeviceQueue *q, void **event) {
    *event = q->device;
    return DEVICE_OK;
}

static DeviceStatus event_is(DeviceQueue *q, void *event) {
    (void)event;
    return done(q);
}

static void drop(DeviceQueue *q, void *p) { (void)q, (void)p; }

static DeviceStatus clock_read(DeviceQueue *q, void *from, void *to, double *seconds) {
    (void)from, (void)to;
    *seconds = 0;
    return refuse(q, "clock_read");
}

static DeviceStatus module_load(DeviceQueue *q, const void *image, void **module) {
    (void)image;
    *module = NULL;
    return refuse(q, "module_load");
}

static DeviceStatus kernel(DeviceQueue *q, void *module, const char *name, void **found) {
    (void)name;
    return module_load(q, module, found);
}

static DeviceStatus launch(DeviceQueue *q, void *function, DeviceGrid g, const void *args) {
    void (*run)(const void *);
    if (g.blocks != 1 || g.threads != 1) return refuse(q, "launch");
    memcpy(&run, &function, sizeof run); /* ISO C has no cast from an object pointer */
    run(args);
    return DEVICE_OK;
}

static DeviceStatus resident(DeviceQueue *q, void *function, unsigned threads, int *blocks) {
    (void)function, (void)threads;
    *blocks = 0;
    return done(q);
}

static DeviceStatus launch_together(DeviceQueue *q, void *function, DeviceGrid g, const void *args) {
    (void)function, (void)g, (void)args;
    return refuse(q, "launch_together");
}

static DeviceStatus graph_begin(DeviceQueue *q) { return refuse(q, "graph_begin"); }

static DeviceStatus graph_end(DeviceQueue *q, void **graph) {
    *graph = NULL;
    return refuse(q, "graph_end");
}

static DeviceStatus graph_after(DeviceQueue *q, void *const *nodes, int n) {
    (void)nodes, (void)n;
    return refuse(q, "graph_after");
}

static DeviceStatus graph_at(DeviceQueue *q, void **nodes, int room, int *n) {
    (void)nodes, (void)room;
    *n = 0;
    return refuse(q, "graph_at");
}

static DeviceStatus graph_launch(DeviceQueue *q, void *graph) {
    (void)graph;
    return refuse(q, "graph_launch");
}

static DeviceStatus memory(DeviceQueue *q, size_t *unused, size_t *all) {
    *unused = *all = 0;
    return done(q);
}

static DeviceStatus rebuild(Device *d) {
    (void)d;
    return DEVICE_OK;
}

static void release(ThContext *c, Device *d) { (void)c, (void)d; }

static const DeviceOps ops = {
    .name = "host",
    .open = queue_open,
    .close = queue_close,
    .wait = done,
    .alloc = alloc,
    .free = release_memory,
    .pin = pin,
    .unpin = unpin,
    .copy_in = copy_in,
    .copy_out = copy_out,
    .copy = copy,
    .copy_peer = copy_peer,
    .set = set,
    .event_new = event_new,
    .event_record = event_is,
    .event_after = event_is,
    .event_query = event_is,
    .event_wait = event_is,
    .event_free = drop,
    .clock_new = event_new,
    .clock_read = clock_read,
    .module_load = module_load,
    .module_free = drop,
    .kernel = kernel,
    .launch = launch,
    .resident = resident,
    .launch_together = launch_together,
    .graph_begin = graph_begin,
    .graph_end = graph_end,
    .graph_after = graph_after,
    .graph_at = graph_at,
    .graph_launch = graph_launch,
    .graph_free = drop,
    .memory = memory,
    .rebuild = rebuild,
    .release = release,
};

Device device_host = {.op = &ops, .info = {.name = "host memory", .ordinal = -1}};
