/*
 * ifelse.h -- IfElse as the user writes it (condition, values) and IfLazy, what a compile and a gradient make of it:
 * the same choice with what only one side needs inside that side's body.
 *
 * Inputs of IfElse: condition | values if true | values if false. Inputs of IfLazy: condition (bool) | arguments of the
 * first body | arguments of the second | for each result with dimensions its lengths (int64 vector), only where the
 * bodies' own shape rules do not tell that both sides agree.
 */
#ifndef TH_IFELSE_H
#define TH_IFELSE_H

#include "ops/table/ops.h"

typedef struct IfElseAttrs {
    const char *name; /* or NULL */
    int64_t n;        /* results */
} IfElseAttrs;
typedef struct IfLazyAttrs {
    const GraphBody *body[2]; /* if true, if false */
    const char *name;
    int64_t nthen;  /* arguments of the first body */
    uint8_t shaped; /* the lengths of the results are inputs */
} IfLazyAttrs;

int ifelse_make(Builder *b, ThVar *cond, ThVar *const *yes, ThVar *const *no, int n, const char *name, ThVar **out);
/*
 * Lengths of a body's results by the shape rules of its nodes: in[i] are those of argument i, which is input at[i] of
 * the node that alg knows. 1, 0: only running tells, -1: an error.
 */
int ifelse_dims(ThContext *c, const GraphBody *body, const ShapeAlg *alg, const Sz *const *in, const int *at, Sz **out);

#endif
