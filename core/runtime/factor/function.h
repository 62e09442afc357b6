/*
 * function.h -- matrices made from factors and products: pseudo-inverses, functions of matrices. Which algorithm finds
 * the factor is asked again (factor_inner), so these run with and without a library.
 */
#ifndef TH_FACTOR_FUNCTION_H
#define TH_FACTOR_FUNCTION_H

#include "factor.h"

/* Work on one matrix within another: inner[..] of a job. */
typedef struct FactorInner {
    FactorWork work;
    FactorJob job;
    const FactorRoutine *routine;
} FactorInner;

/* schur.c: square roots and logarithms */
bool schur_plan(FactorJob *j), schur_run(FactorJob *j, char *const *at);

extern const FactorRoutine factor_function[FACTOR_KINDS];

/* work.c: plans `w` as a batch of one; its room is reserved. false: nothing can run it, or an error. */
bool factor_inner(FactorJob *j, const FactorWork *w);
/* Runs it in `room`; a failure is the outer job's. */
bool factor_inner_run(FactorJob *j, char *room, char *const *at);
/* c = a b of n x n matrices in rows; `work`: so many bytes. The 1-norm of one. */
size_t factor_multiply_bytes(const FactorJob *j);
void factor_multiply(FactorJob *j, void *c, const void *a, const void *b, void *work);
double factor_norm(const FactorJob *j, const void *a);
/* Dense operands of the inner work. */
FactorOperand factor_dense(const FactorJob *j, int64_t rows, int64_t cols);

#endif
