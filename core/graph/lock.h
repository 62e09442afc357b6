/*
 * lock.h -- locks of many readers or one writer, for what calls of functions share. A thread never waits for itself:
 * a call that runs code of the host (an operation written in Lua) makes known what it holds meanwhile (LockHold), and
 * whatever that code asks for is compared with it.
 */
#ifndef TH_LOCK_H
#define TH_LOCK_H

#include "base/base.h"

typedef struct Lock {
    atomic_int n; /* how many readers, or -1: one that writes */
} Lock;

typedef enum {
    LOCK_TAKEN, /* for a reader also where a call of this thread, around this one, is the writer: its first write comes
                   after all that may fail, so that values are those before the call */
    LOCK_BUSY,  /* ask again later, holding nothing that was taken since the last LockHold */
    LOCK_OWN,   /* never: a call of this thread, around this one, holds it */
    LOCK_CIRCLE /* never: its holder waits, on another thread, for what this thread holds */
} LockState;

/* What one call holds while code of the host runs. */
typedef struct LockHold {
    struct LockHold *below;
    OsThread thread;
    Lock *const *at;
    const bool *write; /* by lock */
    int n;
    const Lock *waits; /* what the thread asks for now, inside this call, or NULL */
    bool waits_to_write, met;
} LockHold;

LockState lock_try(ThContext *c, Lock *l, bool write);  /* gives the processor away once where it is busy */
LockState lock_take(ThContext *c, Lock *l, bool write); /* as lock_try, until it is not busy */
void lock_give(Lock *l, bool write);
void lock_hold(ThContext *c, LockHold *h); /* thread is set here */
void lock_hold_end(ThContext *c, LockHold *h);

#endif
