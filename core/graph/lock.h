/*
 * lock.h -- locks of many readers or one writer, for what calls of functions share. A thread never waits for itself:
 * a call that runs code of the host (an operation written in Lua) makes known what it holds meanwhile (LockHold), and
 * whatever that code asks for is compared with it.
 */
#ifndef TH_LOCK_H
#define TH_LOCK_H

#include "base/base.h"

enum { LOCK_SLOTS = 8, LOCK_LINE = 64 };

/*
 * Readers count themselves in the slot of their thread, so that threads that read together do not pass a cache line to
 * and fro; a writer says that it comes, then looks whether all slots add up to nothing. A reader may leave on another
 * thread than it came on: one slot alone says nothing.
 */
typedef struct Lock {
    atomic_int writer; /* LockWriter */
    struct {
        atomic_int n;
        char line[LOCK_LINE - sizeof(atomic_int)];
    } readers[LOCK_SLOTS];
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
