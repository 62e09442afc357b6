/*
 * bind.h -- private to bind.c and step.c: a function bound to arguments, which carries its own error and workspace.
 */
#ifndef TH_BIND_H
#define TH_BIND_H

#include "function.h"

typedef struct Into { /* a result that goes to memory of the host's; by output */
    ThBuffer *memory; /* NULL: it does not */
    ThArray *array;   /* its header there, where the function computes it elsewhere; or NULL */
} Into;

struct ThCall {
    ThFunction *f;
    Workspace *w;
    struct Slices *slices; /* step.c; NULL: it never ran in slices */
    ErrorState error;      /* of the last run */
    unsigned turn;         /* how often arrays of results changed */
    atomic_flag busy;      /* a call is at work */
    bool steady;           /* the short way may be taken while workspace_steady says so */
    bool *defaulted;       /* by input: it was not given */
    bool any_default;
    bool ran;            /* or was rehearsed: its memory is there */
    Into *into;          /* or NULL */
    struct Later *later; /* runs on other threads (bind_later.c); NULL: there was none */
};

bool bind_take(ThCall *b);    /* for one call, without an error; false with the context's error: one is at work */
void bind_give(ThCall *b);    /* it is over */
int bind_run(ThCall *b);      /* of a call that was taken; errors go to the scope that was entered */
void step_forget(ThCall *b);  /* ends a call that stands between two slices */
bool bind_deliver(ThCall *b); /* locks held, results there: those that the host wants elsewhere are written there */
void bind_into_free(ThCall *b);
bool bind_later_end(ThCall *b); /* waits for runs on other threads; false: within one, which will release b itself */
bool bind_start(ThCall *b);     /* defaults and locks, all or none; bind_end gives them back */
void bind_end(ThCall *b);

#endif
