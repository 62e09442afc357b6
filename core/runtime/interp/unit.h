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
/* The loops in which an argument is read while the result's elements are counted, the innermost first, steps in bytes:
 * none of one turn, and what goes on as the loop inside it is one with that. */
typedef struct DirectSpread {
    int n; /* 0: it lies as DirectCall.step and .number say */
    int64_t len[TH_MAX_NDIM], step[TH_MAX_NDIM];
} DirectSpread;
typedef struct DirectCall {
    int64_t n;          /* elements of each argument and result.. */
    char *const *in;    /* ..by input of the plan.. */
    const bool *number; /* ..that has one element only */
    const int64_t
        *step; /* bytes from an argument's element to the next where it is no dense line, or 0; NULL: all are */
    const DirectSpread *spread; /* by input, of a plan with one result; NULL: all have its shape */
    char *const *out;           /* by output; no argument lies there */
} DirectCall;
const InterpDirect *interp_direct(const InterpUnit *u);
size_t interp_direct_room(const InterpDirect *d, bool spread); /* bytes of `regs`, which may hold anything */
bool interp_direct_spreads(const InterpDirect *d);             /* whether a call may have `spread` */
void interp_direct_run(const InterpDirect *d, const DirectCall *c, char *regs);
/* A function of two along n numbers: *value becomes f(*value, x0), then f(that, x1) .. the last of them, and `to`
 * (NULL: not wanted) each; false: it is not one operation. */
bool interp_direct_chain(const InterpDirect *d, int64_t n, char *value, const char *x, char *to, char *regs);
/* The same by pairs: neighbours, then what came of them; false: not of so many, or it is not one operation. */
bool interp_direct_pairs(const InterpDirect *d, int64_t n, const char *x, char *value, char *regs);
/* spread.c: one such argument in one call */
typedef struct SpreadWalk {
    int64_t at[TH_MAX_NDIM]; /* turns of its loops.. */
    const char *p;           /* ..and its element there */
    const char *held;        /* the element that the register holds.. */
    int64_t many;            /* ..so often, or 0 */
    char *row;               /* the row that it repeats, and again its beginning, or NULL */
    const SimdTable *simd;
} SpreadWalk;
/* The next n elements: where they lie, if `there` may be and they do, else in reg. */
const char *interp_spread(const DirectSpread *w, SpreadWalk *k, int64_t n, size_t bytes, bool there, char *reg);
/* Whether n elements are rows that are better read from `row`: as many elements as it has then, or 0. */
int64_t interp_spread_row(const DirectSpread *w, int64_t n, size_t bytes);
enum { SPREAD_ROW = 2048 }; /* the longest such row */

#endif
