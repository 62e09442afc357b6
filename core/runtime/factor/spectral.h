/*
 * spectral.h -- QR, singular values and eigenvalues without a library, for each dtype. Columns lie one after the other
 * here (`lines` of memory are columns), as LAPACK has them.
 */
#ifndef TH_FACTOR_SPECTRAL_H
#define TH_FACTOR_SPECTRAL_H

#include "factor.h"

/* Each asks `job` now and then whether the work is to end, and then leaves what it has. */
typedef struct SpectralKernels {
    /* a (m x n): R above, below it the reflectors I - tau v v^H (v starts with 1), as geqrf leaves them. */
    void (*qr)(const FactorJob *job, void *a, int m, int n, void *tau);
    /* The first `cols` columns of the product of the first k of them, in place. */
    void (*q)(const FactorJob *job, void *a, int m, int cols, int k, const void *tau);
    /* a Hermitian, both triangles, finite: eigenvalues w ascending; z: eigenvectors, or NULL. work: 4 n. false: no
     * convergence. */
    bool (*eigh)(const FactorJob *job, void *a, int n, void *w, void *z, void *work);
    /* a (m x n, m >= n) becomes U's first columns, v (n x n) V, a = U S V^H. v may be NULL. Columns of U whose value is
     * 0 are made up. work: (m + 1) m + n. */
    bool (*svd)(const FactorJob *job, void *a, int m, int n, void *s, void *v, void *work);
    /* Columns r .. cols of u (m x cols) from the r that are there, orthonormal. work: m r + r. */
    void (*complete)(const FactorJob *job, void *u, int m, int r, int cols, void *work);
} SpectralKernels;

/* Of complex numbers, in rows: h = Q T Q^H, h becomes T, qt the columns of Q one after the other. false: no
 * convergence. */
typedef struct SchurKernels {
    bool (*schur)(const FactorJob *job, void *h, int n, void *qt, void *work); /* work: n */
    /* The eigenvectors of the triangular t: columns one after the other, times Q; of length 1. work: n */
    void (*vectors)(const FactorJob *job, const void *t, int n, const void *qt, void *to, void *work);
    bool (*root)(const FactorJob *job, const void *t, int n,
                 void *r); /* r r = t, both triangular; false: there is none */
    void (*logarithm)(const FactorJob *job, void *t, int n, void *to, void *x,
                      void *y); /* triangular too; n more at t; x, y: n x n working matrices */
} SchurKernels;

/* mirror_body.h, by FACTOR_C64, .. */
extern void (*const spectral_mirror[2])(void *triangle, int n, void *vectors, double limit);

/* By FACTOR_F32 .. and FACTOR_C64, .. */
extern const SpectralKernels *const spectral_sse2[4];
extern const SchurKernels *const spectral_schur_sse2[2];
#if TH_WIDE
extern const SpectralKernels *const spectral_avx2[4], *const spectral_avx512[4];
extern const SchurKernels *const spectral_schur_avx2[2], *const spectral_schur_avx512[2];
#endif

const SpectralKernels *spectral_kernels(const FactorJob *j, int d); /* the best that this processor can run */
const SchurKernels *spectral_schur(const FactorJob *j, int d);

#endif
