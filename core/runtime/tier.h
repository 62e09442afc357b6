/* tier.h -- private to the call path: calls of a function whose unit is being built (config compile.tiers). */
#ifndef TH_TIER_H
#define TH_TIER_H

#include "function.h"

/* From any thread: asks for the unit, waiting so many milliseconds at most; whoever comes at the same time goes on
 * without. */
void tier_look(ThFunction *f, int ms);
/* All steps of a call that begins before the unit is there; nonzero after failing. */
int tier_run(ThFunction *f, Workspace *w);

#endif
