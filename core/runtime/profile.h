/*
 * profile.h -- counters of a function compiled with profile; private to core/runtime.
 */
#ifndef TH_PROFILE_H
#define TH_PROFILE_H

#include "function.h"

typedef struct ProfileStep {
    atomic_llong ns, calls;
    atomic_bool there; /* on a device: its time */
} ProfileStep;

struct Profile {
    atomic_llong ns, calls, failed; /* of whole calls */
    FunctionTimes built;
    atomic_uint trace;  /* number of the trace that knows the function, and its place there, 16 bits */
    ProfileStep step[]; /* as in the plan */
};

/* trace.c; step -1: a whole call */
void trace_note(ThFunction *f, int step, int64_t start, int64_t ns);

Profile *profile_new(ThContext *c, const Plan *p);
/* Step took so long, once. */
void profile_add(Profile *r, int step, int64_t ns, bool there);
void profile_free(ThContext *c, const Plan *p, Profile *r);

#endif
