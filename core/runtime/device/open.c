/*
 * open.c -- the devices that a context has opened, one for each driver and ordinal; they stay open as long as it lives,
 * since functions and arrays are theirs. A driver that could not be opened is not tried again.
 */
#include "space.h"

#include <string.h>

enum { DEVICE_PATH = 1024, NUMBER_DIGITS = 4 };
static const char self; /* has an address */

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
        if (o->device) {
            space_free(o->device->space);
            o->device->op->release(c, o->device);
        }
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

/* Of the flag gpuarray.preallocate: megabytes, or up to 1 a part of the memory; 0 and less: no limit. */
static int64_t limit(ThContext *c, const Device *d) {
    double n = number_read(config_str(c, "gpuarray.preallocate"), NULL);
    return n <= 0 ? 0 : n <= 1 ? (int64_t)(n * (double)d->info.bytes) : (int64_t)(n * 1048576);
}

static Opened *open_new(ThContext *c, const char *path, int ordinal) {
    Opened *o = ctx_alloc0(c, sizeof *o);
    if (!o) return NULL;
    o->ordinal = ordinal;
    o->path = ctx_strdup(c, path);
    o->device = o->path ? device_cuda(c, *path ? path : NULL, ordinal) : NULL;
    if (o->device && !(o->device->space = space_new(c, o->device))) {
        release(c, o);
        return NULL;
    }
    if (o->device) space_limit(o->device->space, limit(c, o->device));
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

/* The file NAME in or near the folder of the program or library that this is part of: build/, or bin/ and lib/. */
static bool beside(const char *name, char out[DEVICE_PATH]) {
    static const char *const way[] = {"", "../", "../lib/", "../../"};
    char own[DEVICE_PATH];
    OsFile file;
    if (!os_library_path(&self, own, sizeof own)) return false;
    char *end = strrchr(own, '/');
    if (!end || end - own > DEVICE_PATH - 64) return false;
    end[1] = 0;
    for (int i = 0; i < TH_LEN(way); i++) {
        number_format(out, DEVICE_PATH, "%.900s%s%s", own, way[i], name);
        if (os_look_at(out, &file)) return true;
    }
    return false;
}

bool device_is_gpu(const char *name) { return !strncmp(name, "cuda", 4); }

static const char emulated[] = "cuda-emulated";

static bool is_emulated(const char *name) { return !strncmp(name, emulated, strlen(emulated)); }

/* The number that is all of a text: none is GPU 0; -1: it is no number of a GPU. */
static int number_of(const char *text) {
    int n = 0;
    if (strlen(text) > NUMBER_DIGITS) return -1;
    for (; char_is_digit(*text); text++) n = 10 * n + (*text - '0');
    return *text ? -1 : n;
}

Device *device_open(ThContext *c, const char *name, const char **why) {
    char path_room[DEVICE_PATH];
    const char *path = config_str(c, "cuda.driver"), *number = name + strlen("cuda");
    if (is_emulated(name)) {
        number = name + strlen(emulated);
        path = beside("libcuda-emulated.so", path_room) ? path_room : "libcuda-emulated.so";
    }
    if (!TH_CUDA) {
        *why = "this library was built without GPUs (TH_CUDA=OFF)";
        return NULL;
    }
    int ordinal = number_of(number);
    *why = "the flag init_gpu_device names no GPU";
    if (ordinal < 0) return NULL;
    Opened *o = find(c, path, ordinal);
    *why = NULL;
    if (!o && !(o = open_new(c, path, ordinal))) return NULL;
    *why = o->why;
    return o->device;
}

bool device_named(ThContext *c, const char *name, Device **d) {
    const char *flag = config_str(c, "device"), *init = config_str(c, "init_gpu_device"), *why, *number;
    char full[32];
    *d = NULL;
    if (!name) return err_missing(c, "device");
    if (!strcmp(name, "cpu")) return true;
    if (!device_is_gpu(flag)) flag = device_is_gpu(init) ? init : "cuda";
    bool own = is_emulated(name), gpu = device_is_gpu(name);
    number = name + (own ? strlen(emulated) : gpu ? strlen("cuda") : 0);
    number += gpu && number[0] == ':' && number[1];
    bool numbered = gpu && *number && number_of(number) >= 0;
    if (numbered) number_format(full, sizeof full, "%s%s", own || is_emulated(flag) ? emulated : "cuda", number);
    else if (!strcmp(name, emulated)) number_format(full, sizeof full, "%s", name);
    else if (!strcmp(name, "cuda") || !strcmp(name, "gpu")) number_format(full, sizeof full, "%s", flag);
    else return err(c, TH_ValueError, "there is no device \"%.40s\": \"cpu\", \"cuda\", \"cuda:0\" and so on", name);
    *d = device_open(c, full, &why);
    return *d || (failed(c) ? false : err(c, TH_GpuError, "%s: %s", name, why));
}
