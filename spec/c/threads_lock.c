/*
 * threads_lock.c -- locks of many readers or one writer (graph/lock.h): nobody reads while one writes, readers read
 * together, and one may leave on another thread than it came on, as calls in slices do.
 */
#include "test.h"

#include "graph/lock.h"

#include <pthread.h>

enum { THREADS = 12, TURNS = 40000 }; /* more threads than slots */

typedef struct Work {
    ThContext *c;
    Lock *lock;
    atomic_int *left; /* readers that came and are to be let go by whoever finds them */
    int *guarded;     /* two numbers that are equal but while somebody writes */
    bool writes;
    int failures;
} Work;

/* Two numbers are the same for readers; every fourth reader stays, and goes on the thread that finds it. */
static void read_once(Work *w, int turn) {
    int some = atomic_load(w->left);
    if (lock_take(w->c, w->lock, false) != LOCK_TAKEN) w->failures++;
    if (w->guarded[0] != w->guarded[1]) w->failures++;
    if (turn % 4 == 0) atomic_fetch_add(w->left, 1);
    else lock_give(w->lock, false);
    if (some > 0 && atomic_compare_exchange_strong(w->left, &some, some - 1)) lock_give(w->lock, false);
}

static void *worker(void *user) {
    Work *w = user;
    for (int i = 0; i < TURNS; i++) {
        if (!w->writes) {
            read_once(w, i);
            continue;
        }
        LockState is = lock_try(w->c, w->lock, true);
        if (is == LOCK_BUSY) continue;
        w->failures += is != LOCK_TAKEN;
        w->guarded[0]++, w->guarded[1]++;
        lock_give(w->lock, true);
    }
    return NULL;
}

static void race(ThContext *c) {
    static Lock lock;
    static atomic_int left;
    static int guarded[2];
    Work w[THREADS];
    pthread_t t[THREADS];
    for (int i = 0; i < THREADS; i++) {
        w[i] = (Work){.c = c, .lock = &lock, .left = &left, .guarded = guarded, .writes = i % 3 == 0};
        CHECK(pthread_create(&t[i], NULL, worker, &w[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(t[i], NULL);
    for (int i = 0; i < THREADS; i++) CHECK(w[i].failures == 0);
    for (int n = atomic_load(&left); n > 0; n--) {
        CHECK(lock_try(c, &lock, true) == LOCK_BUSY); /* one is still there */
        lock_give(&lock, false);
    }
    CHECK(lock_try(c, &lock, true) == LOCK_TAKEN); /* nobody is */
    CHECK(lock_try(c, &lock, false) == LOCK_BUSY && lock_try(c, &lock, true) == LOCK_BUSY);
    lock_give(&lock, true);
    CHECK(guarded[0] == guarded[1]);
}

typedef struct Other {
    ThContext *c;
    Lock *lock;
    LockState reads, writes;
} Other;

static void *asks(void *user) {
    Other *o = user;
    o->reads = lock_try(o->c, o->lock, false);
    o->writes = lock_try(o->c, o->lock, true);
    return NULL;
}

/* Readers of two threads are there together, and each keeps a writer out. */
static void together(ThContext *c) {
    static Lock lock;
    Other o = {.c = c, .lock = &lock};
    pthread_t t;
    CHECK(lock_try(c, &lock, false) == LOCK_TAKEN);
    CHECK(pthread_create(&t, NULL, asks, &o) == 0);
    pthread_join(t, NULL);
    CHECK(o.reads == LOCK_TAKEN && o.writes == LOCK_BUSY);
    lock_give(&lock, false);
    CHECK(lock_try(c, &lock, true) == LOCK_BUSY);
    lock_give(&lock, false); /* the other thread's */
    CHECK(lock_try(c, &lock, true) == LOCK_TAKEN);
    lock_give(&lock, true);
}

int main(void) {
    ThContext *c = th_context_new(NULL);
    together(c);
    race(c);
    th_context_release(c);
    return test_done("threads_lock");
}
