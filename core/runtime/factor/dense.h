/*
 * dense.h -- kernels on small dense matrices, for one instruction set: factors and triangular systems in place on rows,
 * and the same for as many matrices of one size as a vector has lanes. dense_body.h implements this table for each
 * dtype; dense_<isa>.c compiles it. Row strides (ld) in elements.
 */
#ifndef TH_FACTOR_DENSE_H
#define TH_FACTOR_DENSE_H

#include "factor.h"

typedef struct DenseKernels {
    int lanes; /* 0: no kernels on lanes */
    /* The triangle `lower` of a becomes its factor of Cholesky, the other one is not touched. Returns 0, or the number
     * (from 1) of the leading minor that is not positive. */
    int (*cholesky)(void *a, int n, int64_t ld, bool lower);
    /* P a = L U, `at` from 0. Returns 0, or the number (from 1) of the first pivot that is 0. */
    int (*lu)(void *a, int m, int n, int64_t ld, int *at);
    /* op(a) X = b in place of b, k columns. */
    void (*triangular)(const void *a, int n, int64_t lda, bool lower, int trans, bool unit, void *b, int k,
                       int64_t ldb);
    /*
     * On lanes: element e of all matrices is vector e. false: for one of them there is no answer, or not in this way,
     * and what stands there is of no use. Elements (i, j) of a at i * rs + j * cs, so that a turned matrix needs no
     * other kernel.
     */
    bool (*lane_cholesky)(void *a, int n, int rs, int cs);
    bool (*lane_solve)(void *a, int n, int rs, int cs, void *b, int k, void *work); /* work: n vectors */
    bool (*lane_invert)(void *a, int n, void *to, void *work);
    bool (*lane_det)(void *a, int n, void *det, void *work);
    bool (*lane_triangular)(const void *a, int n, int rs, int cs, bool lower, bool unit, void *b, int k);
    /* Between lanes and matrices of n dense numbers, `step` numbers from one to the next. */
    void (*lane_gather)(void *to, const void *from, int64_t step, int n);
    void (*lane_scatter)(void *to, int64_t step, const void *from, int n);
} DenseKernels;

/* By FACTOR_F32 .. */
extern const DenseKernels *const dense_sse2[4];
#if TH_WIDE
extern const DenseKernels *const dense_avx2[4];
extern const DenseKernels *const dense_avx512[4];
#endif

const DenseKernels *dense_kernels(const FactorJob *j); /* the best that this processor can run */

#endif
