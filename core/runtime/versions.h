/*
 * versions.h -- private to the call path: units of a function for the lengths it is called with (kernels.md's
 * specialisation by shape). The generic unit always serves; a version takes over calls of its signature alone.
 */
#ifndef TH_VERSIONS_H
#define TH_VERSIONS_H

#include "function.h"

/* make: builds beside the calls. NULL: none (a large plan), or the error is set. */
Versions *versions_new(ThFunction *f, MakeVersion *make);
void versions_free(ThContext *c, Versions *v);
/* At a new signature, all static slots known: what serves it, and after how many calls to ask again. */
void versions_sign(ThFunction *f, Workspace *w);
void versions_ask(ThFunction *f, Workspace *w);

/* After the steps of a call that the generic unit did. */
static inline void versions_count(ThFunction *f, Workspace *w) {
    if (--w->wait <= 0) versions_ask(f, w);
}

#endif
