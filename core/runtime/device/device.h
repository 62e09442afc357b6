/*
 * device.h -- a place with memory that runs kernels: what the runtime asks of it, whichever it is. Host memory and CUDA
 * (NVIDIA's driver, or the specs' emulated one) implement it.
 *
 * Everything that takes time is queued: a DeviceQueue is one stream of work in order, of one thread at a time. What was
 * queued runs later; device_wait says that it is done. A source of a copy_in may be changed as soon as it returns
 * unless it is pinned; a target of a copy_out may be read after device_wait.
 *
 * A function gives a status, and q->call and q->code say which entry point refused and how. DEVICE_LOST: nothing of
 * this device can be used any more, what lay in its memory is gone (device_rebuild gives a fresh one). None sets a
 * context's error, none calls back.
 */
#ifndef TH_DEVICE_H
#define TH_DEVICE_H

#include "base/base.h"

typedef enum {
    DEVICE_OK,
    DEVICE_NOT_READY,
    DEVICE_NO_MEMORY,
    DEVICE_FAILED,
    DEVICE_LOST,
} DeviceStatus;

typedef uint64_t DeviceAddress; /* 0: none. Of the host: an address as an integer. */
typedef struct Device Device;
typedef struct DeviceOps DeviceOps;
typedef struct DeviceSpace DeviceSpace; /* space.h */

typedef struct DeviceQueue {
    Device *device;
    void *stream;
    const char *call; /* of the last failure.. */
    int code;         /* ..and the driver's number of it */
    size_t asked;     /* bytes of the last memory that was wanted */
} DeviceQueue;

typedef struct DeviceGrid {
    unsigned blocks, threads, shared; /* shared: bytes that the kernel does not declare itself */
} DeviceGrid;

struct DeviceOps {
    const char *name; /* "host", "cuda" */
    /* For each: what it is for, then what else there is to know. */
    DeviceStatus (*open)(DeviceQueue *q);
    void (*close)(DeviceQueue *q); /* waits; then nothing of q is left */
    DeviceStatus (*wait)(DeviceQueue *q);
    DeviceStatus (*alloc)(DeviceQueue *q, size_t bytes, DeviceAddress *at); /* aligned to 256; bytes 0: *at is 0 */
    DeviceStatus (*free)(DeviceQueue *q, DeviceAddress at);                 /* once the queue is there; 0 is nothing */
    DeviceStatus (*pin)(DeviceQueue *q, size_t bytes, void **at);           /* host memory that copies read later */
    DeviceStatus (*unpin)(DeviceQueue *q, void *at);
    DeviceStatus (*copy_in)(DeviceQueue *q, DeviceAddress to, const void *from, size_t bytes);
    DeviceStatus (*copy_out)(DeviceQueue *q, void *to, DeviceAddress from, size_t bytes);
    DeviceStatus (*copy)(DeviceQueue *q, DeviceAddress to, DeviceAddress from, size_t bytes); /* they do not overlap */
    DeviceStatus (*copy_peer)(DeviceQueue *q, DeviceAddress to, const Device *there, DeviceAddress from, size_t bytes);
    DeviceStatus (*set)(DeviceQueue *q, DeviceAddress at, unsigned char byte, size_t bytes);
    /* An event: a mark in a queue; `after`: what follows in q waits for it; `event_wait`: the caller does. */
    DeviceStatus (*event_new)(DeviceQueue *q, void **event);
    DeviceStatus (*event_record)(DeviceQueue *q, void *event);
    DeviceStatus (*event_after)(DeviceQueue *q, void *event);
    DeviceStatus (*event_query)(DeviceQueue *q, void *event);
    DeviceStatus (*event_wait)(DeviceQueue *q, void *event);
    void (*event_free)(DeviceQueue *q, void *event);
    DeviceStatus (*clock_new)(DeviceQueue *q, void **event); /* one that keeps the time when it was reached.. */
    DeviceStatus (*clock_read)(DeviceQueue *q, void *from, void *to, double *seconds); /* ..both were */
    /* A module: compiled kernels. `args`: one record of `bytes`, which the launch copies. */
    DeviceStatus (*module_load)(DeviceQueue *q, const void *image, void **module);
    void (*module_free)(DeviceQueue *q, void *module);
    DeviceStatus (*kernel)(DeviceQueue *q, void *module, const char *name, void **kernel);
    DeviceStatus (*launch)(DeviceQueue *q, void *kernel, DeviceGrid g, const void *args);
    /* One whose blocks wait for each other: all of them run at once, at most `blocks` of `resident` (0: it cannot). */
    DeviceStatus (*resident)(DeviceQueue *q, void *kernel, unsigned threads, int *blocks);
    DeviceStatus (*launch_together)(DeviceQueue *q, void *kernel, DeviceGrid g, const void *args);
    /* What is queued between begin and end does not run, it becomes a graph, which runs as often as it is launched. */
    DeviceStatus (*graph_begin)(DeviceQueue *q);
    DeviceStatus (*graph_end)(DeviceQueue *q, void **graph);
    /* Between both: what is queued next runs when these nodes are done, and not before; which these are now, *n, of
     * which nodes gets as many as it has room for: the last that was queued. */
    DeviceStatus (*graph_after)(DeviceQueue *q, void *const *nodes, int n);
    DeviceStatus (*graph_at)(DeviceQueue *q, void **nodes, int room, int *n);
    DeviceStatus (*graph_launch)(DeviceQueue *q, void *graph);
    void (*graph_free)(DeviceQueue *q, void *graph);
    DeviceStatus (*memory)(DeviceQueue *q, size_t *unused, size_t *all);
    /* A fresh context in place of one that is lost; queues and modules of before must be gone. */
    DeviceStatus (*rebuild)(Device *d);
    void (*release)(ThContext *c, Device *d);
};

typedef struct DeviceInfo {
    char name[128];
    int ordinal, major, minor, multiprocessors; /* host: -1, 0, 0, 0 */
    int driver;                                 /* CUDA version, 13000 for 13.0; host: 0 */
    size_t bytes;                               /* of memory; host: 0 */
    bool emulated;
    bool together; /* blocks of a launch can wait for each other */
} DeviceInfo;

struct Device {
    const DeviceOps *op;
    DeviceInfo info;
    void *impl;
    void *
        libraries; /* the emulated driver's handle, which has CUDA's libraries too; NULL: they are files of their own */
    void *kernels; /* that belong to the device (runtime/gpu) */
    void (*kernels_drop)(Device *d, bool all); /* what is loaded, before its memory goes; `all`: the library too */
    DeviceSpace *space;                        /* of one that a context has opened */
    unsigned life;                             /* one more after each rebuild: what was had before is gone */
    atomic_bool lost;                          /* a fault broke it: nothing works until it is rebuilt (space_mend) */
    struct DeviceMoves {
        atomic_llong in, in_bytes, out, out_bytes, launches;
    } moves;
};

/* Host memory. Kernels of a host device are functions (void (*)(const void *args)); grids are of one thread. */
extern Device device_host;

/*
 * GPU `ordinal` by the driver at `path` (NULL: NVIDIA's). NULL, and a GpuError that says which piece is missing, which
 * version is needed and was found, and what to do. Released through op->release.
 */
Device *device_cuda(ThContext *c, const char *path, int ordinal);
/* How many GPUs there are; -1 with that GpuError. */
int device_cuda_count(ThContext *c, const char *path);
/* The context's GPU of that name, opened when first asked for: "cuda" and "cuda0", "cuda1" by the driver that the flag
 * cuda.driver names; "cuda-emulated", "cuda-emulated1" by the emulated one, which lies beside the program. NULL: *why
 * says it, or the error is set (no memory). */
Device *device_open(ThContext *c, const char *name, const char **why);
bool device_is_gpu(const char *name);
/* The device that a user names: true with *d its GPU, NULL for the CPU; false with the error set. */
bool device_named(ThContext *c, const char *name, Device **d);
/* The failure as the context's error: GpuError, MemoryError for DEVICE_NO_MEMORY. Always false. */
bool device_error(ThContext *c, const DeviceQueue *q, DeviceStatus s, const char *doing);

#endif
