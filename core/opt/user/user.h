/* user.h -- a user's rewrite while it runs: its own copy of what it sees, and the way back into the FGraph. */
#ifndef TH_OPT_USER_H
#define TH_OPT_USER_H

#include "opt/engine/rewrite.h"

typedef struct Seen {
    ThVar *user, *fg;
} Seen; /* fg may have been replaced or may be dead by now */

/* What happened to the graph, as told by its listener; read as ThRewriteEvents. */
typedef struct Noted {
    char kind;
    ThApply *node; /* the FGraph's, perhaps dead by now; NULL: an output */
    int pos;
    ThVar *old, *new_;
    const char *reason;
} Noted;

struct ThRewriteCall {
    Opt *o;
    ThContext *c;
    const char *name;
    Builder copies; /* of the nodes shown; they live as long as the call, or as the user keeps them */
    VEC(Seen) seen;
    Map of_user, of_fg;  /* address of the user's variable, id of the FGraph's -> place in seen */
    const ThApply *node; /* local: the node looked at */
    VEC(Noted) events;
    bool watching;     /* the FGraph tells what happens to it */
    uint64_t whole_at; /* every node was shown when the FGraph was at this turn */
    bool anywhere;     /* the user saw more than what the node is computed from: replacements need a look for cycles */
};

/* mirror.c */
bool mirror_begin(ThRewriteCall *r, Opt *o, const char *name);
void mirror_end(ThRewriteCall *r);
bool mirror_note(ThRewriteCall *r, ThVar *user, ThVar *fg);     /* they stand for each other */
ThApply *mirror_node(ThRewriteCall *r, ThApply *a, int levels); /* a and some levels below it; NULL: error */
bool mirror_all(ThRewriteCall *r, ApplyVec *nodes); /* everything, copies in an order of computing; nodes may be NULL */
ThVar *mirror_fitted(ThRewriteCall *r, const ThVar *old, ThVar *new_); /* new_, without a pattern that old has not */
ThVar *mirror_was(ThRewriteCall *r, ThVar *fg);                        /* copy of what may have been replaced since */
bool mirror_again(ThRewriteCall *r, ThVar *const *user, int n, ThVar **fg); /* built anew, whatever was replaced */
ThVar *mirror_var(ThRewriteCall *r, ThVar *fg);      /* borrowed copy of a variable, without its owner if new */
ThVar *mirror_find(ThRewriteCall *r, ThVar *user);   /* the FGraph's live variable, or NULL */
ThVar *mirror_import(ThRewriteCall *r, ThVar *user); /* built in the FGraph; NULL: error */
bool mirror_replace(ThRewriteCall *r, ThVar *old, ThVar *new_, const char *reason); /* FGraph's variables, checked */
bool mirror_replace_all(ThRewriteCall *r, ThVar **old, ThVar **new_, int n, const char *reason); /* all or none */

/* Nodes that were built and that nobody uses go. */
void user_settle(ThRewriteCall *r);
bool user_may_replace(ThRewriteCall *r);
bool mirror_needs(ThRewriteCall *r, ThVar *v, const ThVar *old, bool *yes); /* is v computed from old? */
bool mirror_refuse(ThRewriteCall *r, const ThVar *old, const ThVar *new_, const char *why); /* false, with the error */

#endif
