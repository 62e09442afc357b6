/*
 * open.c -- the devices that a context has opened, one for each driver and ordinal; they stay open as long as it lives,
 * since functions and arrays are theirs. A driver that could not be opened is not tried again.
 */
#include "device.h"

#include <string.h>

typedef struct Opened {
    struct Opened *next;
    char *path;
    int ordinal;
    Device *device; /* NULL: why not, in `why` */
    char *why;
} Opened;

static void release(ThContext *c, void *p) {
    for (Opened *o = p, *next; o; o = next) {
        next = o->next;
        if (o->device) o->device->op->release(c, o->device);
        th_free(c, o->path);
        th_free(c, o->why);
        ctx_free(c, o, sizeof *o);
    }
}

static Opened *find(ThContext *c, const char *path, int ordinal) {
    for (Opened *o = c->slot[CTX_DEVICE]; o; o = o->next)
        if (o->ordinal == ordinal && !strcmp(o->path, path)) return o;
    return NULL;
}

static Opened *open_new(ThContext *c, const char *path, int ordinal) {
    Opened *o = ctx_alloc0(c, sizeof *o);
    if (!o) return NULL;
    o->ordinal = ordinal;
    o->path = ctx_strdup(c, path);
    o->device = o->path ? device_cuda(c, *path ? path : NULL, ordinal) : NULL;
    if (th_error(c) == TH_GpuError) {
        o->why = ctx_strdup(c, th_error_text(c));
        th_error_clear(c);
    }
    if (o->device || o->why) {
        o->next = c->slot[CTX_DEVICE];
        c->slot[CTX_DEVICE] = o;
        c->slot_free[CTX_DEVICE] = release;
        return o;
    }
    release(c, o);
    return NULL;
}

Device *device_open(ThContext *c, int ordinal, const char **why) {
    const char *path = config_str(c, "cuda.driver");
    Opened *o = find(c, path, ordinal);
    *why = NULL;
    if (!o && !(o = open_new(c, path, ordinal))) return NULL;
    *why = o->why;
    return o->device;
}
