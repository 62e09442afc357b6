/*
 * emulated.h -- a CUDA driver without a GPU: the entry points that core/runtime/device/driver.h lists, so that the path
 * to a GPU runs on any machine.
 *
 * Memory is the host's, fenced: no access outside of the driver's own work, and a page nobody may touch on both sides.
 * Streams run late: what is queued waits until somebody waits for it or the queue is long, and streams overtake each
 * other as far as events allow. A kernel is a function of a shared object, the module, which the emulated NVRTC
 * (compiler.c) makes of the kernels' text. Every entry point can be made to fail at its n-th call; calls are counted.
 *
 * One lock stands around everything. A status is CUDA's number.
 */
#ifndef EMULATED_H
#define EMULATED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t Address;
typedef struct Stream Stream;
typedef struct Event Event;
typedef struct Graph Graph;
typedef struct Function Function;

enum {
    OK = 0,
    BAD_VALUE = 1,
    NO_MEMORY = 2,
    NOT_STARTED = 3,
    BAD_DEVICE = 101,
    BAD_IMAGE = 200,
    BAD_CONTEXT = 201,
    BAD_HANDLE = 400,
    NOT_FOUND = 500,
    NOT_READY = 600,
    BAD_ADDRESS = 700,
    BAD_LAUNCH = 719,
    TOO_LARGE = 720,
    BAD_BARRIER = 721, /* of no driver: a launch that hangs */
    BAD_CAPTURE = 901,
};

/* ---- memory.c ---- */
int memory_new(size_t bytes, Address *at);
int memory_drop(Address at);
bool memory_holds(Address at, size_t bytes); /* within one allocation */
void memory_open(void);                      /* the driver is at work: all of it can be touched, .. */
void memory_close(void);                     /* ..until here */
void memory_lose(void);                      /* nothing is left */
size_t memory_used(void);
extern size_t memory_limit;

int pinned_new(size_t bytes, void **at);
int pinned_drop(void *at);
bool pinned_holds(const void *at);

/* ---- stream.c: work in order ---- */
typedef enum { WORK_COPY, WORK_SET, WORK_KERNEL, WORK_FREE, WORK_RECORD, WORK_AFTER, WORK_GRAPH, WORK_CALL } WorkKind;
typedef struct Work {
    struct Work *next;
    WorkKind kind;
    char *to;
    const char *from;
    size_t bytes;
    unsigned char byte;
    const Function *function;
    unsigned blocks, threads;
    Event *event;
    uint64_t mark; /* of the event: RECORD reaches it, AFTER waits for it */
    Graph *graph;
    void (*call)(const void *args); /* of a library: it touches what a kernel may */
    /* In a graph: what it comes after, and whether it has run in the launch at work. */
    struct Work **after;
    int nafter;
    bool done;
    _Alignas(16) char args[]; /* a kernel's, or the source of a copy that had to be taken at once */
} Work;

Stream *stream_new(void);
int stream_drop(Stream *s);
bool stream_is(const Stream *s);
/* Room for a piece of work; NULL when there is no memory. */
Work *work_new(WorkKind kind, size_t args);
extern bool stream_idle;            /* kernels and libraries do nothing */
int stream_add(Stream *s, Work *w); /* takes it over */
int stream_finish(Stream *s);       /* runs until nothing is left in it */
int stream_all(void);
void stream_lose(void); /* what is queued is gone */
int stream_begin(Stream *s);
int stream_end(Stream *s, Graph **g);
void graph_drop(Graph *g);
bool graph_is(const Graph *g);
bool stream_records(const Stream *s);
/* What the next piece of work of a graph comes after: asked, set. */
Work *const *stream_after(const Stream *s, size_t *n);
int stream_follow(Stream *s, Work *const *after, size_t n);

Event *event_make(void);
int event_drop(Event *e);
bool event_is(const Event *e);
uint64_t event_next(Event *e); /* the mark that a RECORD which is queued now will reach */
uint64_t event_last(const Event *e);
bool event_done(const Event *e);
int event_finish(Event *e);
int event_progress(Event *e); /* one piece of work, unless it is reached: as a GPU goes on by itself */
double event_seconds(const Event *from, const Event *to);

/* ---- driver.c ---- */
/* Runs a kernel; 0, or what becomes of the context. */
int function_run(const Function *f, const void *args, unsigned blocks, unsigned threads);
void driver_break(int code); /* from now on every entry point gives this */
/* The beginning of every entry point: takes the lock, counts; what it gives if it goes no further. */
int entry_begin(const char *name, bool needs_context);
void entry_end(void);             /* gives the lock back */
extern atomic_bool entry_patient; /* what runs waits for another process */

/* ---- words.c: the head of every text that the emulated compiler is given */
extern const char *const compiler_words;

#endif
