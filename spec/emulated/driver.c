/*
 * driver.c -- the entry points. Every one is counted and looked up in the list of failures that a spec asked for
 * (cuEmulatedFail); after a fault in a kernel all of them give its number until the context is reset.
 *
 * A module is a shared object with, for each kernel NAME, `int NAME_run(const void *args, long blocks, int threads)`
 * and `const unsigned NAME_bytes`, the size of its record.
 */
#define _GNU_SOURCE
#include "emulated.h"

#include <dlfcn.h>
#include <elf.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum { DEVICES = 2, ENTRIES = 512 };

typedef struct Module Module;
struct Function {
    Function *next;
    Module *of;
    int (*run)(const void *args, long blocks, int threads);
    unsigned bytes;
    bool together; /* its blocks wait for each other */
};
struct Module {
    Module *next;
    void *handle;
    int fd; /* open as long as the module is: the dynamic linker knows modules by their paths */
    Function *functions;
};
typedef struct Context {
    int users;
} Context;

typedef struct Called {
    const char *name;
    long calls, fails; /* fails: at its call of this number, 0: never */
    int code;
} Called;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Called called[ENTRIES];
static Module *modules;
static Context context[DEVICES];
static bool started;
static int broken;
static _Thread_local Context *current;

void driver_break(int code) {
    if (code >= BAD_ADDRESS && code != TOO_LARGE) broken = code;
}

static Called *find_entry(const char *name) {
    for (int i = 0; i < ENTRIES; i++) {
        if (!called[i].name) called[i].name = name;
        if (!strcmp(called[i].name, name)) return &called[i];
    }
    return NULL;
}

/* The lock is held. */
static int look(const char *name, bool needs_context) {
    Called *e = find_entry(name);
    if (e && ++e->calls == e->fails) {
        driver_break(e->code);
        return e->code;
    }
    if (!started) return NOT_STARTED;
    if (!needs_context) return OK;
    return !current ? BAD_CONTEXT : broken;
}

int entry_begin(const char *name, bool needs_context) {
    pthread_mutex_lock(&lock);
    return look(name, needs_context);
}

/* Work in a stream waits for another process (ranks.c), the lock held: who only asks passes it by. */
atomic_bool entry_patient;

/* False: the lock is taken. */
static bool passes(void) {
    while (pthread_mutex_trylock(&lock)) {
        if (atomic_load(&entry_patient)) return true;
        nanosleep(&(struct timespec){.tv_nsec = 10000}, NULL);
    }
    return false;
}

void entry_end(void) { pthread_mutex_unlock(&lock); }

static int end(int code) {
    entry_end();
    return code;
}

#define BEGIN(needs_context) \
    do { \
        int code_ = entry_begin(__func__, (needs_context)); \
        if (code_) return end(code_); \
    } while (0)

/* ---- what specs ask for ---- */
/* The n-th call from now of an entry point gives `code` and does nothing; n 0: no longer. */
EXPORT int cuEmulatedFail(const char *name, long n, int code) {
    pthread_mutex_lock(&lock);
    for (int i = 0; i < ENTRIES; i++) {
        if (!called[i].name) called[i].name = strdup(name);
        if (!called[i].name || strcmp(called[i].name, name)) continue;
        called[i].fails = n ? called[i].calls + n : 0;
        called[i].code = code;
        return end(OK);
    }
    return end(BAD_VALUE);
}

/* How often it was called; NULL: all of them. */
EXPORT long cuEmulatedCalls(const char *name) {
    long n = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < ENTRIES && called[i].name; i++)
        if (!name || !strcmp(called[i].name, name)) n += called[i].calls;
    pthread_mutex_unlock(&lock);
    return n;
}

/* Kernels and libraries do nothing: a call of any size queues what it would. */
EXPORT void cuEmulatedIdle(bool idle) {
    pthread_mutex_lock(&lock);
    stream_all(); /* what was queued before is done as it was then */
    stream_idle = idle;
    pthread_mutex_unlock(&lock);
}

EXPORT void cuEmulatedMemory(size_t bytes) {
    pthread_mutex_lock(&lock);
    memory_limit = bytes;
    pthread_mutex_unlock(&lock);
}

/* ---- the driver and its devices ---- */
EXPORT int cuInit(unsigned flags) {
    pthread_mutex_lock(&lock);
    Called *e = find_entry(__func__);
    bool fails = e && ++e->calls == e->fails;
    started = started || (!fails && flags == 0);
    return end(fails ? e->code : flags ? BAD_VALUE : OK);
}

EXPORT int cuDriverGetVersion(int *version) {
    *version = 13000;
    return OK;
}

static const struct {
    int code;
    const char *name, *text;
} errors[] = {
    {OK, "CUDA_SUCCESS", "no error"},
    {BAD_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {NO_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {NOT_STARTED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {BAD_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {BAD_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {BAD_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {BAD_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    {BAD_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {BAD_BARRIER, "CUDA_ERROR_EMULATED_BARRIER", "a barrier that not all threads of a block reach"},
    {BAD_LAUNCH, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {TOO_LARGE, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", "too many blocks in cooperative launch"},
    {BAD_CAPTURE, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "operation failed due to a previous error during capture"},
};

EXPORT int cuGetErrorName(int code, const char **name) {
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].code == code) {
            *name = errors[i].name;
            return OK;
        }
    *name = NULL;
    return BAD_VALUE;
}

EXPORT int cuGetErrorString(int code, const char **text) {
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].code == code) {
            *text = errors[i].text;
            return OK;
        }
    *text = NULL;
    return BAD_VALUE;
}

EXPORT int cuDeviceGetCount(int *n) {
    BEGIN(false);
    *n = DEVICES;
    return end(OK);
}

EXPORT int cuDeviceGet(int *device, int ordinal) {
    BEGIN(false);
    *device = ordinal;
    return end(ordinal >= 0 && ordinal < DEVICES ? OK : BAD_DEVICE);
}

EXPORT int cuDeviceGetName(char *name, int room, int device) {
    BEGIN(false);
    snprintf(name, (size_t)room, "emulated GPU %d", device);
    return end(OK);
}

EXPORT int cuDeviceGetAttribute(int *value, int which, int device) {
    BEGIN(false);
    (void)device;
    *value = which == 75 ? 9 : which == 76 ? 0 : which == 16 ? 4 : which == 95 || which == 115;
    return end(OK);
}

EXPORT int cuDeviceTotalMem_v2(size_t *bytes, int device) {
    BEGIN(false);
    (void)device;
    *bytes = memory_limit;
    return end(OK);
}

EXPORT int cuDevicePrimaryCtxRetain(Context **c, int device) {
    BEGIN(false);
    if (device < 0 || device >= DEVICES) return end(BAD_DEVICE);
    context[device].users++;
    *c = &context[device];
    return end(OK);
}

EXPORT int cuDevicePrimaryCtxRelease_v2(int device) {
    BEGIN(false);
    if (device < 0 || device >= DEVICES || !context[device].users) return end(BAD_VALUE);
    context[device].users--;
    return end(OK);
}

EXPORT int cuDevicePrimaryCtxReset_v2(int device) {
    BEGIN(false);
    if (device < 0 || device >= DEVICES) return end(BAD_DEVICE);
    stream_lose();
    memory_lose();
    broken = OK;
    return end(OK);
}

EXPORT int cuCtxSetCurrent(Context *c) {
    if (passes()) {
        current = c;
        return OK;
    }
    int code = look(__func__, false);
    if (code) return end(code);
    current = c;
    return end(OK);
}

/* ---- memory ---- */
EXPORT int cuMemGetInfo_v2(size_t *unused, size_t *all) {
    BEGIN(true);
    *all = memory_limit;
    *unused = memory_limit > memory_used() ? memory_limit - memory_used() : 0;
    return end(OK);
}

EXPORT int cuMemAllocAsync(Address *at, size_t bytes, Stream *s) {
    BEGIN(true);
    if (!stream_is(s)) return end(BAD_HANDLE);
    if (stream_records(s)) return end(BAD_CAPTURE); /* CUDA would make a node of it; nobody here wants one */
    int code = memory_new(bytes, at);
    if (code == NO_MEMORY && !stream_all()) code = memory_new(bytes, at); /* what is queued may free some */
    return end(code);
}

EXPORT int cuMemFreeAsync(Address at, Stream *s) {
    BEGIN(true);
    if (!stream_is(s)) return end(BAD_HANDLE);
    if (!memory_holds(at, 1)) return end(BAD_VALUE);
    Work *w = work_new(WORK_FREE, 0);
    if (w) w->to = (char *)(uintptr_t)at;
    return end(stream_add(s, w));
}

EXPORT int cuMemHostAlloc(void **at, size_t bytes, unsigned flags) {
    BEGIN(true);
    (void)flags;
    return end(pinned_new(bytes, at));
}

EXPORT int cuMemFreeHost(void *at) {
    BEGIN(true);
    int code = stream_all();
    return end(code ? code : pinned_drop(at));
}

/* `now`: the source is taken at once, as the driver does with memory that is not pinned. */
static int copy(Stream *s, void *to, const void *from, size_t bytes, bool now) {
    if (!stream_is(s)) return BAD_HANDLE;
    if (now && stream_records(s)) return BAD_CAPTURE;
    Work *w = work_new(WORK_COPY, now ? bytes : 0);
    if (!w) return NO_MEMORY;
    w->to = to;
    w->from = now ? NULL : from;
    w->bytes = bytes;
    if (now) memcpy(w->args, from, bytes);
    return stream_add(s, w);
}

EXPORT int cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t bytes, Stream *s) {
    BEGIN(true);
    if (!memory_holds(to, bytes)) return end(BAD_VALUE);
    return end(copy(s, (void *)(uintptr_t)to, from, bytes, !pinned_holds(from)));
}

EXPORT int cuMemcpyDtoHAsync_v2(void *to, Address from, size_t bytes, Stream *s) {
    BEGIN(true);
    if (!memory_holds(from, bytes)) return end(BAD_VALUE);
    bool late = pinned_holds(to);
    int code = copy(s, to, (const void *)(uintptr_t)from, bytes, false);
    return end(code || late || stream_records(s) ? code : stream_finish(s));
}

EXPORT int cuMemcpyDtoDAsync_v2(Address to, Address from, size_t bytes, Stream *s) {
    BEGIN(true);
    if (!memory_holds(from, bytes) || !memory_holds(to, bytes)) return end(BAD_VALUE);
    return end(copy(s, (void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes, false));
}

EXPORT int cuMemcpyPeerAsync(Address to, Context *there, Address from, Context *here, size_t bytes, Stream *s) {
    (void)there, (void)here;
    return cuMemcpyDtoDAsync_v2(to, from, bytes, s);
}

EXPORT int cuMemsetD8Async(Address at, unsigned char byte, size_t bytes, Stream *s) {
    BEGIN(true);
    if (!memory_holds(at, bytes)) return end(BAD_VALUE);
    if (!stream_is(s)) return end(BAD_HANDLE);
    Work *w = work_new(WORK_SET, 0);
    if (w) w->to = (char *)(uintptr_t)at, w->byte = byte, w->bytes = bytes;
    return end(stream_add(s, w));
}

/* ---- streams and events ---- */
EXPORT int cuStreamCreate(Stream **s, unsigned flags) {
    BEGIN(true);
    (void)flags;
    *s = stream_new();
    return end(*s ? OK : NO_MEMORY);
}

EXPORT int cuStreamDestroy_v2(Stream *s) {
    BEGIN(true);
    return end(stream_is(s) ? stream_drop(s) : BAD_HANDLE);
}

EXPORT int cuStreamSynchronize(Stream *s) {
    BEGIN(true);
    if (!stream_is(s)) return end(BAD_HANDLE);
    return end(stream_records(s) ? BAD_CAPTURE : stream_finish(s));
}

static int mark(Stream *s, Event *e, WorkKind kind) {
    if (!stream_is(s) || !event_is(e)) return BAD_HANDLE;
    if (stream_records(s)) return BAD_CAPTURE;
    Work *w = work_new(kind, 0);
    if (!w) return NO_MEMORY;
    w->event = e;
    w->mark = kind == WORK_RECORD ? event_next(e) : event_last(e);
    return stream_add(s, w);
}

EXPORT int cuStreamWaitEvent(Stream *s, Event *e, unsigned flags) {
    BEGIN(true);
    (void)flags;
    return end(mark(s, e, WORK_AFTER));
}

EXPORT int cuEventCreate(Event **e, unsigned flags) {
    BEGIN(true);
    (void)flags;
    *e = event_make();
    return end(*e ? OK : NO_MEMORY);
}

EXPORT int cuEventDestroy_v2(Event *e) {
    BEGIN(true);
    if (!event_is(e)) return end(BAD_HANDLE);
    int code = stream_all();
    return end(code ? code : event_drop(e));
}

EXPORT int cuEventRecord(Event *e, Stream *s) {
    BEGIN(true);
    return end(mark(s, e, WORK_RECORD));
}

EXPORT int cuEventSynchronize(Event *e) {
    BEGIN(true);
    return end(event_is(e) ? event_finish(e) : BAD_HANDLE);
}

EXPORT int cuEventQuery(Event *e) {
    if (passes()) return event_done(e) ? OK : NOT_READY;
    int code = look(__func__, true);
    if (!code && !event_is(e)) code = BAD_HANDLE;
    if (!code) code = event_progress(e);
    return end(code ? code : event_done(e) ? OK : NOT_READY);
}

EXPORT int cuEventElapsedTime(float *milliseconds, Event *from, Event *to) {
    BEGIN(true);
    if (!event_is(from) || !event_is(to)) return end(BAD_HANDLE);
    if (!event_done(from) || !event_done(to)) return end(NOT_READY);
    *milliseconds = (float)(1e3 * event_seconds(from, to));
    return end(OK);
}

/* ---- modules and kernels ---- */
/* How long the shared object is: its section headers come last. 0: it is none. */
static size_t image_bytes(const void *image) {
    Elf64_Ehdr h;
    memcpy(&h, image, sizeof h);
    if (memcmp(h.e_ident, ELFMAG, SELFMAG) || h.e_ident[EI_CLASS] != ELFCLASS64) return 0;
    return h.e_shoff + (size_t)h.e_shnum * h.e_shentsize;
}

static bool open_image(Module *m, const void *image, size_t n) {
    char path[64];
    m->fd = memfd_create("module", MFD_CLOEXEC);
    bool ok = m->fd >= 0 && write(m->fd, image, n) == (ssize_t)n;
    snprintf(path, sizeof path, "/proc/self/fd/%d", m->fd);
    m->handle = ok ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!m->handle && m->fd >= 0) close(m->fd);
    return m->handle;
}

EXPORT int cuModuleLoadData(Module **m, const void *image) {
    BEGIN(true);
    size_t n = image_bytes(image);
    *m = n ? calloc(1, sizeof **m) : NULL;
    if (!*m) return end(n ? NO_MEMORY : BAD_IMAGE);
    if (!open_image(*m, image, n)) {
        free(*m);
        *m = NULL;
        return end(BAD_IMAGE);
    }
    (*m)->next = modules;
    modules = *m;
    return end(OK);
}

static Module **find(const Module *m) {
    Module **at = &modules;
    while (*at && *at != m) at = &(*at)->next;
    return at;
}

EXPORT int cuModuleUnload(Module *m) {
    BEGIN(true);
    Module **at = find(m);
    if (!*at) return end(BAD_HANDLE);
    int code = stream_all();
    *at = m->next;
    while (m->functions) {
        Function *f = m->functions;
        m->functions = f->next;
        free(f);
    }
    dlclose(m->handle);
    close(m->fd);
    free(m);
    return end(code);
}

EXPORT int cuModuleGetFunction(Function **f, Module *m, const char *name) {
    BEGIN(true);
    char symbol[160];
    if (!*find(m)) return end(BAD_HANDLE);
    snprintf(symbol, sizeof symbol, "%s_run", name);
    void *run = dlsym(m->handle, symbol);
    snprintf(symbol, sizeof symbol, "%s_bytes", name);
    const unsigned *bytes = dlsym(m->handle, symbol);
    *f = run && bytes ? calloc(1, sizeof **f) : NULL;
    if (!*f) return end(run && bytes ? NO_MEMORY : NOT_FOUND);
    snprintf(symbol, sizeof symbol, "%s_together", name);
    void *together = dlsym(m->handle, symbol);
    (*f)->together = together;
    memcpy(&(*f)->run, together ? &together : &run, sizeof run);
    (*f)->bytes = *bytes;
    (*f)->of = m;
    (*f)->next = m->functions;
    m->functions = *f;
    return end(OK);
}

int function_run(const Function *f, const void *args, unsigned blocks, unsigned threads) {
    enum { DIVERGED = 2 }; /* EMU_DIVERGED of words.c */
    int code = f->run(args, blocks, (int)threads);
    return code == DIVERGED ? BAD_BARRIER : code ? BAD_LAUNCH : OK;
}

enum { MULTIPROCESSORS = 4 };
static int resident = 1; /* blocks of each that run at once */

EXPORT void cuEmulatedResident(int blocks) {
    pthread_mutex_lock(&lock);
    resident = blocks;
    pthread_mutex_unlock(&lock);
}

static int queue_kernel(const Function *f, unsigned blocks, unsigned threads, Stream *s, const void *args) {
    Work *w = work_new(WORK_KERNEL, f->bytes);
    if (!w) return NO_MEMORY;
    memcpy(w->args, args, f->bytes);
    w->function = f;
    w->blocks = blocks;
    w->threads = threads;
    return stream_add(s, w);
}

/* One whose blocks wait for each other would hang. */
EXPORT int cuLaunchKernel(Function *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                          unsigned shared, Stream *s, void **arguments, void **extra) {
    BEGIN(true);
    if (!stream_is(s)) return end(BAD_HANDLE);
    if (!gx || !bx || gy != 1 || gz != 1 || by != 1 || bz != 1 || bx > 1024 || shared > 49152 || extra || f->together)
        return end(BAD_VALUE);
    return end(queue_kernel(f, gx, bx, s, arguments[0]));
}

EXPORT int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const Function *f, int threads, size_t shared) {
    BEGIN(true);
    (void)f;
    *blocks = resident;
    return end(threads < 1 || threads > 1024 || shared > 49152 ? BAD_VALUE : OK);
}

EXPORT int cuLaunchCooperativeKernel(Function *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                     unsigned bz, unsigned shared, Stream *s, void **arguments) {
    BEGIN(true);
    if (!stream_is(s)) return end(BAD_HANDLE);
    if (!gx || !bx || gy != 1 || gz != 1 || by != 1 || bz != 1 || bx > 1024 || shared > 49152) return end(BAD_VALUE);
    if (gx > (unsigned)(MULTIPROCESSORS * resident)) return end(TOO_LARGE);
    return end(queue_kernel(f, gx, bx, s, arguments[0]));
}

/* ---- graphs: the executable is the list that was recorded ---- */
EXPORT int cuStreamBeginCapture_v2(Stream *s, int mode) {
    BEGIN(true);
    (void)mode;
    return end(stream_is(s) ? stream_begin(s) : BAD_HANDLE);
}

EXPORT int cuStreamEndCapture(Stream *s, Graph **g) {
    BEGIN(true);
    return end(stream_is(s) ? stream_end(s, g) : BAD_HANDLE);
}

EXPORT int cuStreamGetCaptureInfo_v2(Stream *s, int *state, unsigned long long *id, Graph **g, Work *const **nodes,
                                     size_t *n) {
    BEGIN(true);
    if (!stream_is(s) || !state || id || g || !nodes || !n) return end(BAD_HANDLE);
    *state = stream_records(s);
    *nodes = stream_after(s, n);
    return end(OK);
}

EXPORT int cuStreamUpdateCaptureDependencies(Stream *s, Work **nodes, size_t n, unsigned flags) {
    BEGIN(true);
    if (!stream_is(s) || !stream_records(s) || flags != 1) return end(BAD_HANDLE);
    return end(stream_follow(s, nodes, n));
}

EXPORT int cuGraphInstantiateWithFlags(Graph **executable, Graph *g, unsigned long long flags) {
    BEGIN(true);
    (void)flags;
    *executable = g;
    return end(graph_is(g) ? OK : BAD_HANDLE);
}

EXPORT int cuGraphLaunch(Graph *g, Stream *s) {
    BEGIN(true);
    if (!graph_is(g) || !stream_is(s)) return end(BAD_HANDLE);
    Work *w = work_new(WORK_GRAPH, 0);
    if (w) w->graph = g;
    return end(stream_add(s, w));
}

EXPORT int cuGraphDestroy(Graph *g) {
    BEGIN(true);
    return end(graph_is(g) ? OK : BAD_HANDLE); /* the executable lives on */
}

EXPORT int cuGraphExecDestroy(Graph *g) {
    BEGIN(true);
    if (!graph_is(g)) return end(BAD_HANDLE);
    int code = stream_all();
    graph_drop(g);
    return end(code);
}
