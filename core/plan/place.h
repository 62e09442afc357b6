/*
 * place.h -- where the steps of a plan run when there is a device, and which values go over for them.
 *
 * In: a plan, and of each step whether it has a form for the device. Out: text. The rule: shared variables that a step
 * of the device uses live there, arguments on the host; a value goes over before the first step that needs it on the
 * other side, once, and before a loop that does not write it. runtime/sides.c goes by the same rule while it knows
 * where each value is; arms of branches that are not taken take nothing over.
 */
#ifndef TH_PLACE_H
#define TH_PLACE_H

#include "plan.h"

/* Appends what goes over and where the host waits; false with the error set. */
bool place_text(Text *t, const Plan *p, bool (*has_form)(const Plan *p, int step));

#endif
