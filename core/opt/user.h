/* user.h -- a user's rewrite while it runs: its own copy of what it sees, and the way back into the FGraph. */
#ifndef TH_OPT_USER_H
#define TH_OPT_USER_H

#include "rewrite.h"

typedef struct Seen {
    ThVar *user, *fg;
} Seen; /* fg may have been replaced or may be dead by now */

struct ThRewriteCall {
    Opt *o;
    ThContext *c;
    const char *name;
    Builder copies; /* of the nodes shown; they live as long as the call, or as the user keeps them */
    VEC(Seen) seen;
    Map of_user, of_fg;  /* address of the user's variable, id of the FGraph's -> place in seen */
    const ThApply *node; /* local: the node looked at */
    bool anywhere; /* the user saw more than what the node is computed from: replacements need a look for cycles */
};

/* mirror.c */
bool mirror_begin(ThRewriteCall *r, Opt *o, const char *name);
void mirror_end(ThRewriteCall *r);
ThApply *mirror_node(ThRewriteCall *r, ThApply *a, int levels); /* a and some levels below it; NULL: error */
bool mirror_all(ThRewriteCall *r, ApplyVec *nodes);             /* everything, copies in an order of computing */
ThVar *mirror_var(ThRewriteCall *r, ThVar *fg);      /* borrowed copy of a variable, without its owner if new */
ThVar *mirror_find(ThRewriteCall *r, ThVar *user);   /* the FGraph's live variable, or NULL */
ThVar *mirror_import(ThRewriteCall *r, ThVar *user); /* built in the FGraph; NULL: error */
bool mirror_replace(ThRewriteCall *r, ThVar *old, ThVar *new_, const char *reason); /* FGraph's variables, checked */
bool mirror_replace_all(ThRewriteCall *r, ThVar **old, ThVar **new_, int n, const char *reason); /* all or none */

#endif
