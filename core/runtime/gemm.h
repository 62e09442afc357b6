/*
 * gemm.h -- c = beta * c + alpha * a . b for every dtype, any strides, any sizes.
 *
 * The bits of a float32 or float64 result depend on m, n, k, alpha, beta, the operands' values and the instruction set
 * only: not on strides, alignment, threads or the presence of OpenBLAS. An element is one chain of multiply-adds over
 * ascending k, started anew every gemm_block_k(k) steps; with m or n of 1 it is a sum on fixed lanes (gemm_kernels.h).
 */
#ifndef TH_GEMM_H
#define TH_GEMM_H

#include "gemm_kernels.h"

/* a is m x k, b is k x n, c is m x n; strides (row, column) in elements, zero and negative too (not c's zero). */
typedef struct GemmArgs {
    ThDtype dtype;
    int64_t m, n, k;
    const void *a;
    int64_t ars, acs;
    const void *b;
    int64_t brs, bcs;
    void *c;
    int64_t crs, ccs;
    double alpha, beta; /* beta 0: c is not read; converted to the dtype (bool: nonzero is true, sum is "or") */
} GemmArgs;

/* Bytes that gemm_run may use of `scratch`: a function of dtype, sizes and strides; the rest is not read. */
size_t gemm_scratch_bytes(const GemmArgs *g);
/*
 * Runs the product; c overlaps neither a nor b. scratch: gemm_scratch_bytes(g) bytes, 64-aligned (NULL when that is 0).
 * Returns 0, or nonzero with TypeError for a dtype that is none of the thirteen. Allocates nothing, but for the record
 * of the machine at the first call in a context (MemoryError; cpu_of makes it earlier).
 */
int gemm_run(ThContext *c, const GemmArgs *g, void *scratch);

/* Length of the chains of multiply-adds. */
int64_t gemm_block_k(int64_t k);
/* Makes the context use one instruction set ("sse2", "avx2", "avx512"); false when this CPU has it not. For tests. */
bool gemm_force(ThContext *c, const char *isa);

/* gemm_plain.c: integers, bool, complex. The last through OpenBLAS when it is there and the product is large. */
size_t gemm_plain_scratch(const GemmArgs *g);
void gemm_plain(ThContext *c, const GemmArgs *g, void *scratch);

#endif
