/*
 * stream.c -- streams, events and graphs: lists of work that run when somebody waits for them. Which of several streams
 * goes on next is drawn by a fixed sequence of numbers, so that a run can be repeated.
 */
#include "emulated.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LONG = 256 }; /* so much work of one stream waits at most */

typedef struct List {
    Work *first, *last;
    int n;
} List;

struct Stream {
    Stream *next;
    List work;
    Graph *records; /* between begin and end.. */
    Work **after;   /* ..what the next piece of work comes after */
    int nafter;
};

struct Event {
    Event *next;
    uint64_t asked, reached;
    double at; /* seconds, when it was reached */
};

struct Graph {
    Graph *next;
    List work;
};

static Stream *streams;
static Event *events;
static Graph *graphs;
static uint32_t dice = 1;

static void add(List *l, Work *w) {
    w->next = NULL;
    if (l->last) l->last->next = w;
    else l->first = w;
    l->last = w;
    l->n++;
}

static Work *take(List *l) {
    Work *w = l->first;
    l->first = w->next;
    if (!l->first) l->last = NULL;
    l->n--;
    return w;
}

static void clear(List *l) {
    while (l->first) {
        Work *w = take(l);
        free(w->after);
        free(w);
    }
}

Work *work_new(WorkKind kind, size_t args) {
    Work *w = calloc(1, sizeof *w + args);
    if (w) w->kind = kind;
    return w;
}

bool stream_idle;
static int run_graph(Graph *g);

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int run(const Work *w) {
    switch (w->kind) {
    case WORK_COPY: memmove(w->to, w->from ? w->from : w->args, w->bytes); return OK;
    case WORK_SET: memset(w->to, w->byte, w->bytes); return OK;
    case WORK_KERNEL: return stream_idle ? OK : function_run(w->function, w->args, w->blocks, w->threads);
    case WORK_FREE: return memory_drop((uintptr_t)w->to);
    case WORK_RECORD:
        if (w->event->reached < w->mark) w->event->reached = w->mark, w->event->at = now();
        return OK;
    case WORK_AFTER: return OK; /* next_stream let it pass */
    case WORK_GRAPH: return run_graph(w->graph);
    case WORK_CALL:
        if (!stream_idle) w->call(w->args);
        return OK;
    }
    return BAD_VALUE;
}

static bool is_ready(const Work *w) {
    bool ready = !w->done;
    for (int i = 0; i < w->nafter && ready; i++) ready = w->after[i]->done;
    return ready;
}

static unsigned drawn(unsigned n) {
    dice = dice * 1664525u + 1013904223u;
    return (dice >> 16) % n;
}

/* Any that has nothing left to wait for: one of the first few, so that long graphs do not take long. */
static Work *any_ready(Work *first) {
    enum { FEW = 64 };
    Work *ready[FEW];
    unsigned n = 0;
    for (Work *w = first; w && n < FEW; w = w->next)
        if (is_ready(w)) ready[n++] = w;
    return n ? ready[drawn(n)] : NULL;
}

static int run_graph(Graph *g) {
    int code = OK;
    for (Work *w = g->work.first; w; w = w->next) w->done = false;
    for (Work *first = g->work.first; first && !code;) {
        Work *w = any_ready(first);
        code = w ? run(w) : BAD_LAUNCH;
        if (w) w->done = true;
        while (first && first->done) first = first->next;
    }
    return code;
}

/* That record of the event has not run yet. Later ones, in other streams, may have. */
static bool pending(const Event *e, uint64_t mark) {
    for (const Stream *s = streams; s; s = s->next)
        for (const Work *w = s->work.first; w; w = w->next)
            if (w->kind == WORK_RECORD && w->event == e && w->mark == mark) return true;
    return false;
}

static bool can_run(const Stream *s) {
    const Work *w = s->work.first;
    return w && !(w->kind == WORK_AFTER && pending(w->event, w->mark));
}

/* Any stream whose first work can run, or NULL. */
static Stream *next_stream(void) {
    int n = 0;
    for (Stream *s = streams; s; s = s->next) n += can_run(s);
    if (!n) return NULL;
    int which = (int)drawn((unsigned)n);
    for (Stream *s = streams; s; s = s->next)
        if (can_run(s) && which-- == 0) return s;
    return NULL;
}

/* One piece of work of any stream. A driver would hang where nothing can run; here it is an error. */
static int step(void) {
    Stream *s = next_stream();
    if (!s) return BAD_LAUNCH;
    Work *w = take(&s->work);
    int code = run(w);
    free(w);
    if (code) driver_break(code);
    return code;
}

int stream_finish(Stream *s) {
    int code = OK;
    memory_open();
    while (!code && s->work.first) code = step();
    memory_close();
    return code;
}

void stream_lose(void) {
    for (Stream *s = streams; s; s = s->next) clear(&s->work);
}

int stream_all(void) {
    int code = OK;
    for (Stream *s = streams; s && !code; s = s->next) code = stream_finish(s);
    return code;
}

static int follow(Stream *s, Work *const *after, size_t n);

int stream_add(Stream *s, Work *w) {
    if (!w) return NO_MEMORY;
    if (s->records) {
        w->after = s->after, w->nafter = s->nafter;
        s->after = NULL, s->nafter = 0;
        add(&s->records->work, w);
        return follow(s, &w, 1);
    }
    add(&s->work, w);
    int code = OK;
    if (s->work.n <= LONG) return OK;
    memory_open();
    while (!code && s->work.n > LONG / 2) code = step();
    memory_close();
    return code;
}

Stream *stream_new(void) {
    Stream *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->next = streams;
    streams = s;
    return s;
}

int stream_drop(Stream *s) {
    int code = stream_finish(s);
    for (Stream **p = &streams; *p; p = &(*p)->next)
        if (*p == s) {
            *p = s->next;
            break;
        }
    clear(&s->work);
    graph_drop(s->records);
    free(s->after);
    free(s);
    return code;
}

bool stream_is(const Stream *s) {
    for (const Stream *p = streams; p; p = p->next)
        if (p == s) return true;
    return false;
}

bool stream_records(const Stream *s) { return s->records; }

int stream_begin(Stream *s) {
    if (s->records) return BAD_CAPTURE;
    s->records = calloc(1, sizeof *s->records);
    if (!s->records) return NO_MEMORY;
    s->records->next = graphs;
    graphs = s->records;
    return OK;
}

int stream_end(Stream *s, Graph **g) {
    *g = s->records;
    s->records = NULL;
    follow(s, NULL, 0);
    return *g ? OK : BAD_CAPTURE;
}

Work *const *stream_after(const Stream *s, size_t *n) {
    *n = (size_t)s->nafter;
    return s->after;
}

static bool recorded(const Graph *g, const Work *w) {
    const Work *v = g->work.first;
    while (v && v != w) v = v->next;
    return v;
}

static int follow(Stream *s, Work *const *after, size_t n) {
    Work **own = n ? malloc(n * sizeof(Work *)) : NULL;
    if (n && !own) return NO_MEMORY;
    if (n) memcpy(own, after, n * sizeof(Work *));
    free(s->after);
    s->after = own;
    s->nafter = (int)n;
    return OK;
}

int stream_follow(Stream *s, Work *const *after, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!recorded(s->records, after[i])) return BAD_VALUE;
    return follow(s, after, n);
}

bool graph_is(const Graph *g) {
    for (const Graph *p = graphs; p; p = p->next)
        if (p == g) return true;
    return false;
}

void graph_drop(Graph *g) {
    for (Graph **p = &graphs; g && *p; p = &(*p)->next)
        if (*p == g) {
            *p = g->next;
            clear(&g->work);
            free(g);
            return;
        }
}

Event *event_make(void) {
    Event *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->next = events;
    events = e;
    return e;
}

/* Work that is queued may still name it: it runs first. */
int event_drop(Event *e) {
    int code = event_finish(e);
    for (Event **p = &events; *p; p = &(*p)->next)
        if (*p == e) {
            *p = e->next;
            free(e);
            break;
        }
    return code;
}

bool event_is(const Event *e) {
    for (const Event *p = events; p; p = p->next)
        if (p == e) return true;
    return false;
}

uint64_t event_next(Event *e) { return ++e->asked; }
uint64_t event_last(const Event *e) { return e->asked; }
bool event_done(const Event *e) { return e->reached >= e->asked; }

double event_seconds(const Event *from, const Event *to) { return to->at - from->at; }

int event_progress(Event *e) {
    if (event_done(e)) return OK;
    memory_open();
    int code = step();
    memory_close();
    return code;
}

int event_finish(Event *e) {
    int code = OK;
    memory_open();
    while (!code && !event_done(e)) code = step();
    memory_close();
    return code;
}
