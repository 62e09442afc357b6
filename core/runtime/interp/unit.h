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

/* direct.c: a plan of one elementwise kernel, without a frame; NULL: it is another one (or memory is out: the error is
 * set). It lives as long as the unit. */
typedef struct InterpDirect InterpDirect;
typedef struct DirectCall {
    int64_t n;          /* elements of each argument and result.. */
    char *const *in;    /* ..by input of the plan.. */
    const bool *number; /* ..that has one element only */
    const int64_t
        *step;        /* bytes from an argument's element to the next where it is no dense line, or 0; NULL: all are */
    char *const *out; /* by output; no argument lies there */
} DirectCall;
const InterpDirect *interp_direct(const InterpUnit *u);
size_t interp_direct_room(const InterpDirect *d); /* bytes of `regs`, which may hold anything */
void interp_direct_run(const InterpDirect *d, const DirectCall *c, char *regs);

#endif
