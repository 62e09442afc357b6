/*
 * together.h -- whether the steps of calls are shared among threads: what calls with the same lengths took each way
 * says it.
 */
#ifndef TH_TOGETHER_H
#define TH_TOGETHER_H

#include "base/base.h"

enum { TOGETHER_LAST = 3 };

/* Of a workspace, all zero where lengths are new. */
typedef struct Together {
    int64_t start;               /* of the running call; 0: it is not looked at */
    int64_t last[TOGETHER_LAST]; /* nanoseconds of the last calls the usual way.. */
    unsigned nlast;
    int64_t other;  /* ..and the least of those the other way, of which.. */
    int trying;     /* ..so many are left at most */
    int until;      /* calls to the next of them */
    int64_t chosen; /* least time of the usual way when it was chosen.. */
    int soon, wait; /* ..calls until a change of it counts, and from one that counted to the next */
    int same;       /* how often nothing changed */
    int skip;       /* calls that nobody looks at */
    unsigned turn;  /* of the team, when the call began */
    bool alone;     /* the usual way */
    bool keeps;     /* this call's */
} Together;

/* Whether the call about to begin is to be looked at: then it stands between these two. */
static inline bool together_looks(Together *t) { return !t->skip || !t->skip--; }
void together_begin(ThContext *c, Together *t);
void together_end(ThContext *c, Together *t, bool ok); /* ok: its time says something */
/* The next call is to keep its work; it took so long. */
static inline bool together_keeps(const Together *t) { return t->alone != (t->trying > 0); }
void together_count(Together *t, int64_t ns);

#endif
