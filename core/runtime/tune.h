/*
 * tune.h -- private to the call path: the candidates of a function's kernels timed beside its calls (the flag
 * compile.autotune).
 */
#ifndef TH_TUNE_H
#define TH_TUNE_H

#include "function.h"

/* NULL: nothing is timed (a large plan), or the error is set. */
Tune *tune_new(ThFunction *f, const FunctionSpec *s);
void tune_free(ThFunction *f);
/* At a new signature, all static slots known. */
void tune_sign(ThFunction *f, Workspace *w);
/* Before the steps of a call: true where w->timed is to do them, one by one, and tune_end follows. */
bool tune_look(ThFunction *f, Workspace *w);
void tune_end(ThFunction *f, Workspace *w, bool ok);
void tune_step(ThFunction *f, int step, int64_t ns); /* what a step of such a call took */
Unit *tune_unit(const ThFunction *f);                /* that does steps one by one now, or NULL */
bool tune_over(const ThFunction *f);
void tune_text(Text *t, const ThFunction *f); /* what was timed, for profiles */

static inline bool tune_begin(ThFunction *f, Workspace *w) { return !tune_over(f) && tune_look(f, w); }

#endif
