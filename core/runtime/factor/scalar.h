/* scalar.h -- small things about the numbers of a matrix, whatever their dtype. Matrices lie in rows. */
#ifndef TH_FACTOR_SCALAR_H
#define TH_FACTOR_SCALAR_H

#include "factor.h"

/* No zero on the diagonal of an n x n matrix; false with FAULT_SINGULAR. */
bool factor_diagonal(FactorJob *j, const void *a, int64_t n);
/* Positions of input i as dense integers within 0 .. n; false with FAULT_POSITIONS. */
bool factor_positions(FactorJob *j, int i, const char *at, int *to);
/* The product of the diagonal of an LU factor, its sign changed where `odd`; its sign, the logarithm of its modulus. */
void factor_det(const FactorJob *j, const void *lu, bool odd, void *det);
void factor_slogdet(const FactorJob *j, const void *lu, bool odd, void *sign, void *log_modulus);
/* Number i of an array as double parts, and back. */
void factor_get(const FactorJob *j, const void *at, int64_t i, double *re, double *im);
void factor_put(const FactorJob *j, void *at, int64_t i, double re, double im);

/* Real and imaginary parts of eigenvalues and LAPACK's columns of vectors v (pairs of real columns where they are
 * complex; or NULL) as the results, which are real or complex as the job says. false: FAULT_UNREAL_EIGENVALUES. */
bool factor_spread_eig(FactorJob *j, const void *wr, const void *wi, const void *v, void *w, void *vectors);

#endif
