/*
 * bind_later.c -- runs of a bound call on another thread, which ThHost.later gives, or one of our own. In: a ThCall and
 * whom to tell. Out: the same as th_call_run gives, told on that thread. Always holds: who waits, waits for what was
 * begun and for whoever is told of it; a call that is released by whom it told goes when that has returned.
 */
#include "bind.h"

typedef struct Later {
    OsLock lock;
    OsEvent idle;
    int begun;          /* runs that were begun and are not over, those told of included */
    OsThread telling;   /* who tells somebody, while `tells`.. */
    bool tells, orphan; /* ..and that one released the call */
    int last;           /* what the last run gave */
    void (*done)(void *user, ThCall *b, int bad);
    void *user;
} Later;

static Later *later_of(ThCall *b) {
    ThContext *c = b->f->ctx;
    if (b->later) return b->later;
    Later *l = ctx_alloc0(c, sizeof *l);
    if (!l) return NULL;
    os_lock_init(&l->lock);
    os_event_init(&l->idle);
    return b->later = l;
}

static int run(ThCall *b) {
    ErrorScope s;
    error_enter(&s, b->f->ctx, &b->error);
    int bad = bind_run(b);
    error_leave(&s);
    return bad;
}

static void work(void *user) {
    ThCall *b = user;
    Later *l = b->later;
    int bad = run(b);
    os_lock(&l->lock);
    l->last = bad;
    void (*done)(void *, ThCall *, int) = l->done;
    void *to = l->user;
    bool outer = !l->tells; /* a host may run the next one within `done`, on the same thread */
    if (outer) l->telling = os_thread(), l->tells = true;
    os_unlock(&l->lock);
    bind_give(b);
    if (done) done(to, b, bad);
    os_lock(&l->lock);
    if (outer) l->tells = false;
    bool over = !--l->begun, orphan = l->orphan && over;
    if (over) os_event_tell(&l->idle);
    os_unlock(&l->lock); /* l may be gone from here on, unless it is an orphan */
    if (orphan) th_call_release(b);
}

static void *thread(void *user) {
    work(user);
    return NULL;
}

/* The host's signals are for its own threads. */
static bool own_thread(ThCall *b) {
    OsThread id;
    bool ok = os_thread_start(&id, thread, b);
    if (ok) os_thread_leave(id);
    return ok;
}

int th_call_start(ThCall *b, void (*done)(void *user, ThCall *b, int bad), void *user) {
    if (!b || !bind_take(b)) return -1;
    Later *l = later_of(b);
    ThContext *c = b->f->ctx;
    if (l) {
        os_lock(&l->lock);
        l->begun++;
        l->done = done, l->user = user;
        os_unlock(&l->lock);
        if (c->host.later ? c->host.later(c->host.later_user, work, b) : own_thread(b)) return 0;
        os_lock(&l->lock);
        l->begun--;
        os_unlock(&l->lock);
        err(c, TH_RuntimeError, "there is no thread for the call");
    }
    bind_give(b);
    return -1;
}

static bool within(const Later *l) { return l->tells && os_thread_same(l->telling, os_thread()); }

int th_call_wait(ThCall *b) {
    if (!b || !b->later) return b ? 0 : -1;
    Later *l = b->later;
    os_lock(&l->lock);
    while (l->begun && !within(l)) os_event_wait(&l->idle, &l->lock);
    int last = l->last;
    os_unlock(&l->lock);
    return last;
}

bool bind_later_end(ThCall *b) {
    Later *l = b->later;
    if (!l) return true;
    os_lock(&l->lock);
    while (l->begun && !within(l)) os_event_wait(&l->idle, &l->lock);
    if (l->begun) l->orphan = true;
    bool over = !l->begun;
    os_unlock(&l->lock);
    if (!over) return false;
    os_lock_end(&l->lock);
    os_event_end(&l->idle);
    ctx_free(b->f->ctx, l, sizeof *l);
    b->later = NULL;
    return true;
}
