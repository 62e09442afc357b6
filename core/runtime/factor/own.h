/*
 * own.h -- factors and systems without a library: small matrices by one kernel, larger ones by blocks that products of
 * matrices do most of; and as many small matrices of a batch at once as a vector has lanes.
 */
#ifndef TH_FACTOR_OWN_H
#define TH_FACTOR_OWN_H

#include "dense.h"

/* Bytes of the room for products that an n x n matrix and k columns ask for, and these, reserved by every plan. */
void own_plan_products(FactorJob *j, int n, int k);
/* Rows (C order), dense; `work` is what own_plan_products reserved. */
int own_cholesky(FactorJob *j, void *a, int n, bool lower, void *work);
int own_lu(FactorJob *j, void *a, int m, int n, int *at, void *work);
void own_triangular(FactorJob *j, const void *a, int n, bool lower, int trans, bool unit, void *b, int k, void *work);

/* own_factor.c */
bool own_plan_qr(FactorJob *j), own_run_qr(FactorJob *j, char *const *at);
bool own_plan_svd(FactorJob *j), own_run_svd(FactorJob *j, char *const *at);
bool own_plan_lstsq(FactorJob *j), own_run_lstsq(FactorJob *j, char *const *at);
bool own_plan_eigh(FactorJob *j), own_run_eigh(FactorJob *j, char *const *at);
bool own_plan_eigh_of(FactorJob *j), own_run_eigh_of(FactorJob *j, char *const *at);
bool own_plan_eig(FactorJob *j), own_run_eig(FactorJob *j, char *const *at);

extern const FactorRoutine factor_own[FACTOR_KINDS];

/* ---- lanes.c ----------------------------------------------------------------------------------------------------- */
/* Whether matrices of this batch can run on lanes; then their room is reserved. */
bool lanes_plan(FactorJob *j);
/* As many matrices as a vector has lanes; `step`: bytes from one operand to the next; more: as many follow. false: one
 * of them has no answer. */
bool lanes_run(FactorJob *j, char *const *at, const int64_t *step, bool more);

#endif
