/*
 * trace.c -- when every call and step of profiled functions began and how long it took, from th_trace_begin to
 * th_trace_end. In: their times, from any thread. Out: JSON. Always holds: events go to memory that was taken at the
 * beginning, one atomic addition each, and what comes past its end is only counted; functions that were met are held
 * until the end, so that their steps can be named. Begin and end are for a moment when no call is at work.
 */
#include "profile.h"

typedef struct Event {
    uint32_t function; /* place in Trace.met */
    int step;
    uintptr_t thread; /* an address that is this thread's own */
    int64_t start, ns;
} Event;

typedef struct Trace {
    atomic_bool on;
    uint32_t number; /* how many traces there were */
    int64_t most, begin;
    atomic_llong n;
    Event *event;
    atomic_flag lock; /* of met */
    VEC(ThFunction *) met;
} Trace;

static void drop(ThContext *c, Trace *t) {
    ctx_free(c, t->event, sizeof *t->event * (size_t)t->most);
    t->event = NULL;
    t->most = 0;
    int n = t->met.n;
    t->met.n = 0;
    for (int i = 0; i < n; i++) th_function_release(t->met.at[i]);
}

static void free_trace(ThContext *c, void *p) {
    Trace *t = p;
    drop(c, t);
    vec_free(c, &t->met);
    ctx_free(c, t, sizeof *t);
}

int th_trace_begin(ThContext *c, int64_t most) {
    if (!c || failed(c)) return -1;
    if (most < 1 || most > INT32_MAX)
        return err(c, TH_ValueError, "a trace is of 1 to %d events, not %lld", INT32_MAX, (long long)most), -1;
    Trace *t = c->slot[CTX_TRACE];
    if (t && atomic_load(&t->on)) return err(c, TH_RuntimeError, "a trace is at work: end it first"), -1;
    if (!t) {
        if (!(t = ctx_alloc0(c, sizeof *t))) return -1;
        atomic_flag_clear(&t->lock);
        c->slot_free[CTX_TRACE] = free_trace;
        c->slot[CTX_TRACE] = t;
    }
    if (!(t->event = ctx_alloc(c, sizeof *t->event * (size_t)most))) return -1;
    t->most = most;
    t->number++;
    atomic_store(&t->n, 0);
    t->begin = profile_now();
    atomic_store(&t->on, true);
    return 0;
}

/* Its place among those met; -1: no memory, or too many. */
static int place_of(Trace *t, ThFunction *f) {
    enum { MOST = 0xffff };
    atomic_uint *known = &f->profile->trace;
    uint32_t at = atomic_load_explicit(known, memory_order_acquire);
    if (at >> 16 == (t->number & MOST)) return (int)(at & MOST);
    ThContext *c = f->ctx;
    int place = -1;
    while (atomic_flag_test_and_set_explicit(&t->lock, memory_order_acquire)) {}
    for (int i = 0; i < t->met.n && place < 0; i++)
        if (t->met.at[i] == f) place = i;
    bool before = failed(c);
    if (place < 0 && t->met.n < MOST && vec_push(c, &t->met, f)) {
        th_function_retain(f);
        place = t->met.n - 1;
    } else if (place < 0 && !before) th_error_clear(c);
    if (place >= 0) atomic_store_explicit(known, (t->number & MOST) << 16 | (uint32_t)place, memory_order_release);
    atomic_flag_clear_explicit(&t->lock, memory_order_release);
    return place;
}

void trace_note(ThFunction *f, int step, int64_t start, int64_t ns) {
    Trace *t = f->ctx->slot[CTX_TRACE];
    if (!t || !atomic_load_explicit(&t->on, memory_order_relaxed)) return;
    int place = place_of(t, f);
    int64_t i = place < 0 ? t->most : atomic_fetch_add_explicit(&t->n, 1, memory_order_relaxed);
    if (i < t->most) t->event[i] = (Event){(uint32_t)place, step, (uintptr_t)&ctx_error_scope, start, ns};
}

static void put_function(Text *t, const ThFunction *f) {
    const Plan *p = f->plan;
    text_put(t, "{\"name\": ");
    text_json(t, f->name);
    text_put(t, ", \"steps\": [");
    for (int i = 0; i < p->nstep; i++) {
        const Step *s = &p->step[i];
        ThProfileStep q;
        th_function_profile_step(f, i, &q);
        text_put(t, i ? ", {\"title\": " : "{\"title\": ");
        text_json(t, q.title);
        text_put(t, ", \"op\": ");
        text_json(t, q.op);
        text_put(t, ", \"places\": ");
        Text places;
        text_init(&places, t->c);
        if (s->node >= 0 && s->node < p->nnode) prov_text(t->c, &places, p->node[s->node].prov);
        text_json(t, places.at ? places.at : "");
        text_free(&places);
        text_put(t, "}");
    }
    text_put(t, "]}");
}

char *th_trace_end(ThContext *c) {
    Trace *tr = c ? c->slot[CTX_TRACE] : NULL;
    if (!c || failed(c)) return NULL;
    if (!tr || !atomic_exchange(&tr->on, false)) return err(c, TH_RuntimeError, "no trace has begun"), NULL;
    int64_t n = atomic_load(&tr->n), kept = n < tr->most ? n : tr->most;
    Map threads = {0};
    uint32_t thread, nthread = 0;
    Text t;
    text_init(&t, c);
    text_put(&t, "{\"events\": [");
    for (int64_t i = 0; i < kept; i++) {
        const Event *e = &tr->event[i];
        if (!map_get(&threads, e->thread, &thread)) map_put(c, &threads, e->thread, thread = nthread++);
        text_printf(&t, "%s[%u, %d, %u, %lld, %lld]", i ? ",\n" : "", (unsigned)e->function, e->step, (unsigned)thread,
                    (long long)(e->start - tr->begin), (long long)e->ns);
    }
    text_put(&t, "], \"functions\": [");
    for (int i = 0; i < tr->met.n; i++) {
        text_put(&t, i ? ",\n" : "");
        put_function(&t, tr->met.at[i]);
    }
    text_printf(&t, "], \"lost\": %lld}", (long long)(n - kept));
    map_free(c, &threads);
    drop(c, tr);
    char *text = text_take(&t);
    if (!text && !failed(c)) err_nomem(c);
    return text;
}
