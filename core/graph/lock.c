/*
 * lock.c -- locks of many readers or one writer (lock.h). In: locks, what calls hold while code of the host runs. Out:
 * the lock, or why it can never be had. Always holds: who waits holds nothing but what LockHolds name, so that these
 * tell every circle of threads; a lock that is free costs one exchange, of a line that only this thread writes where it
 * is read.
 */
#include "lock.h"

static void enter(ThContext *c) {
    while (atomic_flag_test_and_set_explicit(&c->holds_lock, memory_order_acquire)) os_yield();
}

static void leave(ThContext *c) { atomic_flag_clear_explicit(&c->holds_lock, memory_order_release); }

void lock_hold(ThContext *c, LockHold *h) {
    h->thread = os_thread();
    h->waits = NULL;
    enter(c);
    h->below = atomic_load_explicit(&c->holds, memory_order_relaxed);
    atomic_store_explicit(&c->holds, h, memory_order_release);
    leave(c);
}

/* Calls of several threads end in any order. */
void lock_hold_end(ThContext *c, LockHold *h) {
    enter(c);
    LockHold *top = atomic_load_explicit(&c->holds, memory_order_relaxed);
    if (top == h) atomic_store_explicit(&c->holds, h->below, memory_order_release);
    for (; top && top != h; top = top->below)
        if (top->below == h) {
            top->below = h->below;
            break;
        }
    leave(c);
}

/* Would asking for l wait for h's call? */
static bool stops(const LockHold *h, const Lock *l, bool write) {
    for (int i = 0; i < h->n; i++)
        if (h->at[i] == l) return write || h->write[i];
    return false;
}

/* Does somebody who holds l wait, perhaps through others, for this thread? Each round meets one more call, or ends. */
static bool circle(LockHold *top, const Lock *l, bool write, OsThread self) {
    for (LockHold *h = top; h; h = h->below) h->met = stops(h, l, write);
    for (bool more = true; more;) {
        more = false;
        for (const LockHold *h = top; h; h = h->below) {
            if (!h->met) continue;
            if (os_thread_same(h->thread, self)) return true;
            for (const LockHold *w = top; w; w = w->below) {
                if (!w->waits || !os_thread_same(w->thread, h->thread)) continue;
                for (LockHold *next = top; next; next = next->below)
                    if (!next->met && stops(next, w->waits, w->waits_to_write)) next->met = more = true;
            }
        }
    }
    return false;
}

/* l was busy. The innermost call of this thread says what it waits for while another thread may run. */
static LockState wait(ThContext *c, Lock *l, bool write) {
    OsThread self = os_thread();
    LockHold *own = NULL;
    LockState is = LOCK_BUSY;
    enter(c);
    LockHold *top = atomic_load_explicit(&c->holds, memory_order_relaxed);
    for (LockHold *h = top; h && is == LOCK_BUSY; h = h->below) {
        if (!os_thread_same(h->thread, self)) continue;
        if (!own) own = h;
        if (stops(h, l, write)) is = write ? LOCK_OWN : LOCK_TAKEN;
    }
    if (is == LOCK_BUSY && own && circle(top, l, write, self)) is = LOCK_CIRCLE;
    if (is == LOCK_BUSY && own) own->waits = l, own->waits_to_write = write;
    leave(c);
    if (is != LOCK_BUSY) return is;
    os_yield();
    if (!own) return is;
    enter(c);
    own->waits = NULL;
    leave(c);
    return is;
}

/* ---- taking and giving ---- */
typedef enum { NO_WRITER, WRITER_LOOKS, WRITER_IN } LockWriter;

static atomic_uint threads;
static _Thread_local unsigned own_slot __attribute__((tls_model("initial-exec"))); /* and 1; 0: not known yet */

static atomic_int *slot(Lock *l) {
    if (!own_slot) own_slot = atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed) % LOCK_SLOTS + 1;
    return &l->readers[own_slot - 1].n;
}

/* Either sees the other: the reader counts itself, then looks for a writer; the writer says so, then adds readers up.
 */
static bool read_in(Lock *l) {
    atomic_int *n = slot(l);
    atomic_fetch_add(n, 1);
    if (atomic_load(&l->writer) == NO_WRITER) return true;
    atomic_fetch_sub(n, 1);
    return false;
}

/*
 * Readers that came before the writer said so are in the sum until they leave, and each that leaves is there with its
 * coming; those that come later only come and go in one slot. So 0 means that nobody reads.
 */
static bool write_in(Lock *l) {
    int now = NO_WRITER, readers = 0;
    if (!atomic_compare_exchange_strong(&l->writer, &now, WRITER_LOOKS)) return false;
    for (int i = 0; i < LOCK_SLOTS; i++) readers += atomic_load(&l->readers[i].n);
    atomic_store(&l->writer, readers ? NO_WRITER : WRITER_IN);
    return !readers;
}

LockState lock_try(ThContext *c, Lock *l, bool write) {
    if (write ? write_in(l) : read_in(l)) return LOCK_TAKEN;
    if (atomic_load_explicit(&c->holds, memory_order_acquire)) return wait(c, l, write);
    os_yield();
    return LOCK_BUSY;
}

LockState lock_take(ThContext *c, Lock *l, bool write) {
    LockState is;
    while ((is = lock_try(c, l, write)) == LOCK_BUSY) continue;
    return is;
}

void lock_give(Lock *l, bool write) {
    if (write) {
        atomic_store_explicit(&l->writer, NO_WRITER, memory_order_release);
        return;
    }
    /* where a writer is in, it is a call around this one, which did not count itself */
    if (atomic_load_explicit(&l->writer, memory_order_relaxed) != WRITER_IN)
        atomic_fetch_sub_explicit(slot(l), 1, memory_order_release);
}
