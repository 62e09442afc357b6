/*
 * bind_later.c -- runs of a bound call on another thread, which ThHost.later gives, or one of our own. In: a ThCall and
 * whom to tell. Out: the same as th_call_run gives, told on that thread. Always holds: who waits, waits for what was
 * begun and for whoever is told of it; a call that is released by whom it told goes when that has returned.
 */
#include "bind.h"

#include <pthread.h>
#include <signal.h>

typedef struct Later {
    pthread_mutex_t lock;
    pthread_cond_t idle;
    int begun;          /* runs that were begun and are not over, those told of included */
    pthread_t telling;  /* who tells somebody, while `tells`.. */
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
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->idle, NULL);
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
    pthread_mutex_lock(&l->lock);
    l->last = bad;
    void (*done)(void *, ThCall *, int) = l->done;
    void *to = l->user;
    bool outer = !l->tells; /* a host may run the next one within `done`, on the same thread */
    if (outer) l->telling = pthread_self(), l->tells = true;
    pthread_mutex_unlock(&l->lock);
    bind_give(b);
    if (done) done(to, b, bad);
    pthread_mutex_lock(&l->lock);
    if (outer) l->tells = false;
    bool over = !--l->begun, orphan = l->orphan && over;
    if (over) pthread_cond_broadcast(&l->idle);
    pthread_mutex_unlock(&l->lock); /* l may be gone from here on, unless it is an orphan */
    if (orphan) th_call_release(b);
}

static void *thread(void *user) {
    work(user);
    return NULL;
}

/* The host's signals are for its own threads. */
static bool own_thread(ThCall *b) {
    pthread_t id;
    pthread_attr_t how;
    sigset_t all, before;
    if (pthread_attr_init(&how)) return false;
    pthread_attr_setdetachstate(&how, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool ok = !pthread_create(&id, &how, thread, b);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&how);
    return ok;
}

int th_call_start(ThCall *b, void (*done)(void *user, ThCall *b, int bad), void *user) {
    if (!b || !bind_take(b)) return -1;
    Later *l = later_of(b);
    ThContext *c = b->f->ctx;
    if (l) {
        pthread_mutex_lock(&l->lock);
        l->begun++;
        l->done = done, l->user = user;
        pthread_mutex_unlock(&l->lock);
        if (c->host.later ? c->host.later(c->host.later_user, work, b) : own_thread(b)) return 0;
        pthread_mutex_lock(&l->lock);
        l->begun--;
        pthread_mutex_unlock(&l->lock);
        err(c, TH_RuntimeError, "there is no thread for the call");
    }
    bind_give(b);
    return -1;
}

static bool within(const Later *l) { return l->tells && pthread_equal(l->telling, pthread_self()); }

int th_call_wait(ThCall *b) {
    if (!b || !b->later) return b ? 0 : -1;
    Later *l = b->later;
    pthread_mutex_lock(&l->lock);
    while (l->begun && !within(l)) pthread_cond_wait(&l->idle, &l->lock);
    int last = l->last;
    pthread_mutex_unlock(&l->lock);
    return last;
}

bool bind_later_end(ThCall *b) {
    Later *l = b->later;
    if (!l) return true;
    pthread_mutex_lock(&l->lock);
    while (l->begun && !within(l)) pthread_cond_wait(&l->idle, &l->lock);
    if (l->begun) l->orphan = true;
    bool over = !l->begun;
    pthread_mutex_unlock(&l->lock);
    if (!over) return false;
    pthread_mutex_destroy(&l->lock);
    pthread_cond_destroy(&l->idle);
    ctx_free(b->f->ctx, l, sizeof *l);
    b->later = NULL;
    return true;
}
