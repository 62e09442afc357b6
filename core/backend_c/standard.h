/*
 * standard.h -- a plan as standard C99, for whoever puts a whole program around it (core/export): no vectors, nothing
 * of one compiler, nothing but <math.h>, <stdint.h> and <string.h>. Numbers are those of this machine's generated code
 * where it computes with vector math of our own, and libm's elsewhere.
 */
#ifndef TH_BACKEND_STANDARD_H
#define TH_BACKEND_STANDARD_H

#include "plan/plan.h"

/* Types, helpers, kernels and `static int run(Frame *f)`, which calls f->rt. known: slots that are constants, as emit_c
 * has them. */
/* exps: own_exp_f32, own_exp_f64 are wanted too. */
bool emit_c99(Text *t, const Plan *p, const int64_t *known, const bool exps[2]);

#endif
