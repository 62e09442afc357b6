/* unit.h -- a plan prepared for the interpreter: immutable, shared by callers. */
#ifndef TH_INTERP_UNIT_H
#define TH_INTERP_UNIT_H

#include "interp.h"

typedef struct InterpUnit {
    const Plan *plan;
    Arena *arena;
    const SimdTable *simd;
    IKernel *kernel; /* by Plan.kernel */
    size_t scratch;  /* bytes of registers; GEMM packing comes after them */
} InterpUnit;

InterpUnit *interp_unit(Plan *p);
void interp_unit_free(InterpUnit *u);
size_t interp_scratch(const InterpUnit *u);
int interp_run(const InterpUnit *u, ThFrame *f); /* the whole plan; nonzero after failing */
int interp_step(const InterpUnit *u, int step, ThFrame *f);
/* Registers of a kernel, rounded up: where its GEMM packing starts in the scratch. */
size_t interp_gemm_offset(const IKernel *k);
size_t interp_room(const IKernel *k); /* calls.c: of a kernel or its twin, whichever is more */

#endif
