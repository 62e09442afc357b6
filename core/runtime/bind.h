/*
 * bind.h -- private to bind.c and step.c: a function bound to arguments, which carries its own error and workspace.
 */
#ifndef TH_BIND_H
#define TH_BIND_H

#include "function.h"

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
};

bool bind_take(ThCall *b);   /* for one call, without an error; false with the context's error: one is at work */
void bind_give(ThCall *b);   /* it is over */
int bind_run(ThCall *b);     /* of a call that was taken; errors go to the scope that was entered */
void step_forget(ThCall *b); /* ends a call that stands between two slices */

#endif
