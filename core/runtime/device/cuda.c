/*
 * cuda.c -- a Device by NVIDIA's driver. The GPU's primary context is retained, so that other users of the GPU in the
 * process share it; every function makes it the thread's current one first, since anybody may have changed that.
 */
#include "space.h"
#include "driver.h"

#include <string.h>

typedef struct Cuda {
    ThContext *c;
    Driver driver;
    CuHandle context;
    int device;
} Cuda;

static const Cuda *cuda(const DeviceQueue *q) { return q->device->impl; }

static DeviceStatus status(DeviceQueue *q, const char *call, int code) {
    if (code == CU_OK) return DEVICE_OK;
    if (code == CU_NOT_READY) return DEVICE_NOT_READY;
    q->call = call;
    q->code = code;
    if (code == CU_OUT_OF_MEMORY) return DEVICE_NO_MEMORY;
    if (code < CU_STICKY_FIRST || code > CU_STICKY_LAST || code == CU_TOO_LARGE) return DEVICE_FAILED;
    atomic_store(&q->device->lost, true);
    return DEVICE_LOST;
}

/* `return CALL(q, copy, to, from, bytes, q->stream);`: the entry point in the device's context. */
#define CALL(q, entry, ...) status((q), #entry, enter(q) ? CU_NO_CONTEXT : cuda(q)->driver.entry(__VA_ARGS__))

static int enter(const DeviceQueue *q) { return cuda(q)->driver.current(cuda(q)->context); }

static DeviceStatus queue_wait(DeviceQueue *q) { return CALL(q, stream_wait, q->stream); }

static DeviceStatus queue_open(DeviceQueue *q) { return CALL(q, stream_new, &q->stream, CU_NON_BLOCKING); }

static void queue_close(DeviceQueue *q) {
    if (!q->stream) return;
    queue_wait(q);
    CALL(q, stream_free, q->stream);
    q->stream = NULL;
}

static DeviceStatus alloc(DeviceQueue *q, size_t bytes, DeviceAddress *at) {
    *at = 0;
    q->asked = bytes;
    return bytes ? CALL(q, alloc, at, bytes, q->stream) : DEVICE_OK;
}

static DeviceStatus release_memory(DeviceQueue *q, DeviceAddress at) {
    return at ? CALL(q, free, at, q->stream) : DEVICE_OK;
}

static DeviceStatus pin(DeviceQueue *q, size_t bytes, void **at) {
    *at = NULL;
    return bytes ? CALL(q, pin, at, bytes, 0) : DEVICE_OK;
}

static DeviceStatus unpin(DeviceQueue *q, void *at) { return at ? CALL(q, unpin, at) : DEVICE_OK; }

static void count(atomic_llong *n, atomic_llong *sum, size_t bytes) {
    atomic_fetch_add_explicit(n, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(sum, (long long)bytes, memory_order_relaxed);
}

static DeviceStatus copy_in(DeviceQueue *q, DeviceAddress to, const void *from, size_t bytes) {
    if (bytes) count(&q->device->moves.in, &q->device->moves.in_bytes, bytes);
    return bytes ? CALL(q, copy_in, to, from, bytes, q->stream) : DEVICE_OK;
}

static DeviceStatus copy_out(DeviceQueue *q, void *to, DeviceAddress from, size_t bytes) {
    if (bytes) count(&q->device->moves.out, &q->device->moves.out_bytes, bytes);
    return bytes ? CALL(q, copy_out, to, from, bytes, q->stream) : DEVICE_OK;
}

static DeviceStatus copy(DeviceQueue *q, DeviceAddress to, DeviceAddress from, size_t bytes) {
    return bytes ? CALL(q, copy, to, from, bytes, q->stream) : DEVICE_OK;
}

static DeviceStatus copy_peer(DeviceQueue *q, DeviceAddress to, const Device *there, DeviceAddress from, size_t bytes) {
    const Cuda *other = there->impl;
    return bytes ? CALL(q, copy_peer, to, cuda(q)->context, from, other->context, bytes, q->stream) : DEVICE_OK;
}

static DeviceStatus set(DeviceQueue *q, DeviceAddress at, unsigned char byte, size_t bytes) {
    return bytes ? CALL(q, set, at, byte, bytes, q->stream) : DEVICE_OK;
}

static DeviceStatus event_new(DeviceQueue *q, void **event) { return CALL(q, event_new, event, CU_PATIENT_EVENT); }
static DeviceStatus event_record(DeviceQueue *q, void *event) { return CALL(q, event_record, event, q->stream); }
static DeviceStatus event_after(DeviceQueue *q, void *event) { return CALL(q, stream_after, q->stream, event, 0); }
static DeviceStatus event_query(DeviceQueue *q, void *event) { return CALL(q, event_query, event); }
static DeviceStatus event_wait(DeviceQueue *q, void *event) { return CALL(q, event_wait, event); }

static void event_free(DeviceQueue *q, void *event) {
    if (event) CALL(q, event_free, event);
}

static DeviceStatus clock_new(DeviceQueue *q, void **event) { return CALL(q, event_new, event, 0); }

static DeviceStatus clock_read(DeviceQueue *q, void *from, void *to, double *seconds) {
    float milliseconds = 0;
    DeviceStatus s = CALL(q, event_between, &milliseconds, from, to);
    *seconds = (double)milliseconds * 1e-3;
    return s;
}

static DeviceStatus module_load(DeviceQueue *q, const void *image, void **module) {
    return CALL(q, module_load, module, image);
}

static void module_free(DeviceQueue *q, void *module) {
    if (module) CALL(q, module_free, module);
}

static DeviceStatus kernel(DeviceQueue *q, void *module, const char *name, void **found) {
    return CALL(q, function, found, module, name);
}

static DeviceStatus launch(DeviceQueue *q, void *function, DeviceGrid g, const void *args) {
    void *list[] = {(void *)args};
    atomic_fetch_add_explicit(&q->device->moves.launches, 1, memory_order_relaxed);
    return CALL(q, launch, function, g.blocks, 1, 1, g.threads, 1, 1, g.shared, q->stream, list, NULL);
}

static DeviceStatus resident(DeviceQueue *q, void *function, unsigned threads, int *blocks) {
    *blocks = 0;
    if (!q->device->info.together) return DEVICE_OK;
    DeviceStatus s = CALL(q, occupancy, blocks, function, (int)threads, 0);
    *blocks *= q->device->info.multiprocessors;
    return s;
}

static DeviceStatus launch_together(DeviceQueue *q, void *function, DeviceGrid g, const void *args) {
    void *list[] = {(void *)args};
    atomic_fetch_add_explicit(&q->device->moves.launches, 1, memory_order_relaxed);
    return CALL(q, launch_together, function, g.blocks, 1, 1, g.threads, 1, 1, g.shared, q->stream, list);
}

static DeviceStatus graph_begin(DeviceQueue *q) { return CALL(q, capture, q->stream, CU_CAPTURE_THREAD); }

static DeviceStatus graph_end(DeviceQueue *q, void **graph) {
    CuHandle recorded = NULL;
    *graph = NULL;
    DeviceStatus s = CALL(q, captured, q->stream, &recorded);
    if (s) return s;
    s = CALL(q, graph_make, graph, recorded, 0);
    cuda(q)->driver.graph_free(recorded);
    return s;
}

static DeviceStatus graph_after(DeviceQueue *q, void *const *nodes, int n) {
    return CALL(q, capture_after, q->stream, (CuHandle *)nodes, (size_t)n, CU_CAPTURE_SET);
}

static DeviceStatus graph_at(DeviceQueue *q, void **nodes, int room, int *n) {
    const CuHandle *last = NULL;
    size_t many = 0;
    int state = 0;
    DeviceStatus s = CALL(q, capture_at, q->stream, &state, NULL, NULL, &last, &many);
    *n = s ? 0 : (int)many;
    for (int i = 0; i < *n && i < room; i++) nodes[i] = last[i];
    return s;
}

static DeviceStatus graph_launch(DeviceQueue *q, void *graph) { return CALL(q, graph_launch, graph, q->stream); }

static void graph_free(DeviceQueue *q, void *graph) {
    if (graph) CALL(q, executable_free, graph);
}

static DeviceStatus memory(DeviceQueue *q, size_t *unused, size_t *all) { return CALL(q, memory, unused, all); }

static DeviceStatus rebuild(Device *d) {
    Cuda *u = d->impl;
    DeviceQueue q = {.device = d};
    if (d->kernels) d->kernels_drop(d, false);
    d->life++;
    DeviceStatus s = status(&q, "reset", u->driver.reset(u->device));
    return s ? s : status(&q, "retain", u->driver.retain(&u->context, u->device));
}

static void release(ThContext *c, Device *d) {
    if (!d) return;
    Cuda *u = d->impl;
    if (d->kernels) d->kernels_drop(d, true);
    if (u && u->context) u->driver.release(u->device);
    ctx_free(c, u, sizeof *u);
    ctx_free(c, d, sizeof *d);
}

static const DeviceOps ops = {
    .name = "cuda",
    .open = queue_open,
    .close = queue_close,
    .wait = queue_wait,
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
    .event_record = event_record,
    .event_after = event_after,
    .event_query = event_query,
    .event_wait = event_wait,
    .event_free = event_free,
    .clock_new = clock_new,
    .clock_read = clock_read,
    .module_load = module_load,
    .module_free = module_free,
    .kernel = kernel,
    .launch = launch,
    .resident = resident,
    .launch_together = launch_together,
    .graph_begin = graph_begin,
    .graph_end = graph_end,
    .graph_after = graph_after,
    .graph_at = graph_at,
    .graph_launch = graph_launch,
    .graph_free = graph_free,
    .memory = memory,
    .rebuild = rebuild,
    .release = release,
};

static int describe(const Cuda *u, DeviceInfo *i) {
    const Driver *r = &u->driver;
    int code = r->name(i->name, (int)sizeof i->name, u->device);
    if (!code) code = r->attribute(&i->major, CU_MAJOR, u->device);
    if (!code) code = r->attribute(&i->minor, CU_MINOR, u->device);
    if (!code) code = r->attribute(&i->multiprocessors, CU_MULTIPROCESSORS, u->device);
    int together = 0;
    if (!code) code = r->attribute(&together, CU_TOGETHER, u->device);
    if (!code) code = r->total(&i->bytes, u->device);
    i->together = together;
    i->driver = r->found;
    i->emulated = !strncmp(i->name, "emulated", 8);
    return code;
}

/* The GPU of that number in u->device; false with a GpuError. */
static bool find(ThContext *c, Cuda *u, int ordinal) {
    int n = 0, pools = 0, code = u->driver.count(&n);
    if (!code && n == 0) return err(c, TH_GpuError, "the driver was opened and has no GPU to offer");
    if (!code && (ordinal < 0 || ordinal >= n))
        return err(c, TH_GpuError, "there is no cuda%d: this machine has %d GPU%s, cuda0%s", ordinal, n,
                   n == 1 ? "" : "s", n == 1 ? "" : " and so on");
    if (!code) code = u->driver.device(&u->device, ordinal);
    if (!code) code = u->driver.attribute(&pools, CU_POOLS, u->device);
    if (!code && !pools)
        return err(c, TH_GpuError,
                   "cuda%d has no memory that is had in stream order (cuMemAllocAsync): it needs a newer "
                   "driver or a GPU that is not shared through vGPU",
                   ordinal);
    if (!code) code = u->driver.retain(&u->context, u->device);
    const char *name = NULL;
    if (code) u->driver.error_name(code, &name);
    return !code || err(c, TH_GpuError, "cuda%d cannot be used: %s", ordinal, name ? name : "an unknown error");
}

static bool open_driver(ThContext *c, Driver *d, const char *path) {
    char why[DRIVER_WHY];
    const char *bad = driver_open(d, path, why);
    return !bad || err(c, TH_GpuError, "%s", bad);
}

Device *device_cuda(ThContext *c, const char *path, int ordinal) {
    Device *d = ctx_alloc0(c, sizeof *d);
    Cuda *u = d ? ctx_alloc0(c, sizeof *u) : NULL;
    if (!u) {
        ctx_free(c, d, sizeof *d);
        return NULL;
    }
    *d = (Device){.op = &ops, .info.ordinal = ordinal, .impl = u};
    u->c = c;
    bool ok = open_driver(c, &u->driver, path) && find(c, u, ordinal);
    if (ok && describe(u, &d->info)) ok = err(c, TH_GpuError, "cuda%d does not say what it is", ordinal);
    d->libraries = d->info.emulated ? u->driver.handle : NULL;
    if (ok) return d;
    release(c, d);
    return NULL;
}

int device_cuda_count(ThContext *c, const char *path) {
    Driver d;
    int n = 0;
    if (!open_driver(c, &d, path)) return -1;
    if (d.count(&n)) err(c, TH_GpuError, "the driver does not say how many GPUs there are");
    return failed(c) ? -1 : n;
}

static bool out_of_memory(ThContext *c, const DeviceQueue *q, const char *doing) {
    const Device *d = q->device;
    char asked[48], used[48], limit[48];
    if (!d->space) return err(c, TH_MemoryError, "out of memory on %s while %s", d->info.name, doing);
    SpaceUse u = space_use(d->space);
    text_bytes(asked, sizeof asked, (int64_t)q->asked);
    text_bytes(used, sizeof used, u.used);
    text_bytes(limit, sizeof limit, u.limit ? u.limit : (int64_t)d->info.bytes);
    return err(
        c, TH_MemoryError,
        "out of memory on %s while %s: asked for %s, with %s in use, of %s%s; fewer rows at once, `memory` for the "
        "function, or fewer arrays there would do",
        d->info.name, doing, asked, used, limit, u.limit ? " (gpuarray.preallocate)" : "");
}

bool device_error(ThContext *c, const DeviceQueue *q, DeviceStatus s, const char *doing) {
    const char *name = NULL, *text = NULL;
    const Cuda *u = q->device->impl;
    if (u) {
        u->driver.error_name(q->code, &name);
        u->driver.error_text(q->code, &text);
    }
    if (s == DEVICE_NO_MEMORY) return out_of_memory(c, q, doing);
    return err(c, TH_GpuError, "%s failed while %s: %s (%s)%s", q->call ? q->call : "the device", doing,
               name ? name : "an unknown error", text ? text : "no text",
               s == DEVICE_LOST ? "; what lay in the GPU's memory is lost" : "");
}
