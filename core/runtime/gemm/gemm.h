/*
 * gemm.h -- c = beta * c + alpha * a . b for every dtype, any strides, any sizes.
 *
 * The bits of a float32 or float64 result depend on m, n, k, alpha, beta, the operands' values and the instruction set
 * only: not on strides, alignment, threads or the presence of OpenBLAS. An element is one chain of multiply-adds over
 * ascending k, started anew every gemm_block_k(k) steps. With m or n of 1 it is a sum on fixed lanes (gemm_kernels.h).
 * So it is where n is less than two vectors that would be two sevenths empty or more, m at least 16, k at least 128 and
 * m (narrow.c): element k goes to lane k mod the lanes of a vector. With operands of general addresses it is
 * always a chain.
 */
#ifndef TH_GEMM_H
#define TH_GEMM_H

#include "runtime/machine/gemm_kernels.h"

/*
 * Called when c[row0 .. row1, col0 .. col1) is complete, while these few kilobytes are in the first-level cache: the
 * place for what is computed from c point by point. Covers every point once; from any thread of parallel_for.
 */
typedef void (*GemmDone)(void *user, int64_t row0, int64_t row1, int64_t col0, int64_t col1);

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
    /* What follows may be zero. The first four are for float32 and float64 alone. */
    const GemmOperand *av, *bv; /* a, b through general addresses (gemm_kernels.h) in place of a, ars, acs and b, .. */
    const GemmAxis *cv;         /* columns of c, in place of ccs */
    const void *packed;         /* b as gemm_pack_b left it, in place of b, brs, bcs, bv */
    GemmDone done;
    void *user;
    atomic_bool *early; /* for ctx_leaves: c may be left half done, and is where it is set; NULL: it may not */
    bool alone;         /* no threads of its own: one of several products at a time, or in the memory of one thread */
    int64_t room; /* with alone: bytes to pack into if that can be, where 0 takes what is fastest; the same bits */
    bool lower;   /* of a square c with unit column stride only what tiles that reach its diagonal or lie below have */
} GemmArgs;

/* Bytes that gemm_run may use of `scratch`: a function of dtype, sizes, strides, alone and room; the rest is not read.
 * More than `room` where the least that a product packs is. */
size_t gemm_scratch_bytes(const GemmArgs *g);
/*
 * Runs the product; c overlaps neither a nor b. scratch: gemm_scratch_bytes(g) bytes, 64-aligned (NULL when that is 0).
 * Returns 0, or nonzero with TypeError for a dtype that is none of the thirteen. Allocates nothing, but for the record
 * of the machine at the first call in a context (MemoryError; cpu_of makes it earlier).
 */
int gemm_run(ThContext *c, const GemmArgs *g, void *scratch);

/* batch.c: as many products as loops around them have turns, the outermost first; in each turn operands lie so many
 * elements further. No loops: one product. c of one overlaps no operand of any. */
enum { GEMM_TURN_A, GEMM_TURN_B, GEMM_TURN_C, GEMM_TURNS, GEMM_TURN };
typedef struct GemmTurns {
    int64_t n;
    const int64_t (*turn)[GEMM_TURN]; /* GEMM_TURNS: how many; the others: elements from one to the next */
} GemmTurns;
double gemm_batch_flops(const GemmArgs *g, const GemmTurns *t); /* of all of them */
/* Bytes of scratch; with which threads share them, where that pays. */
size_t gemm_batch_scratch(ThContext *c, const GemmArgs *g, const GemmTurns *t);
/* g: the first one, without `done`. As gemm_run, with `bytes` of scratch, no less than gemm_scratch_bytes(g). */
int gemm_batch(ThContext *c, const GemmArgs *g, const GemmTurns *t, void *scratch, size_t bytes);

/*
 * b packed once for many products (a weight). Panels of as many columns as the instruction set's tiles have, the last
 * one as wide as whole vectors hold its columns; each is k rows of that width, one after the other, zero beyond n. The
 * same bits as with b itself. Needs the instruction set of the product: a context has one.
 */
size_t gemm_pack_b_bytes(ThDtype d, int64_t k, int64_t n);  /* enough for any instruction set */
int gemm_pack_b(ThContext *c, const GemmArgs *g, void *to); /* b of g (dtype, k, n; b, brs, bcs or bv); 64-aligned */

/* Length of the chains of multiply-adds. */
int64_t gemm_block_k(int64_t k);
/* Makes the context use one instruction set ("sse2", "avx2", "avx512"); false when this CPU has it not. For tests. */
bool gemm_force(ThContext *c, const char *isa);

/* pack.c: columns col .. col + cols of o as a panel of rows k0 .. k0 + k, for GemmKernels.gather. */
void gemm_open_panel(GemmPanel *p, const GemmOperand *o, int64_t k0, int64_t k, int64_t col, int64_t cols,
                     int64_t lanes);
/* gemm.c: does work of so many operations pay for threads? */
bool gemm_shares(ThContext *c, double flops);
/* narrow.c: runs a product with few columns, or returns false: it is none that it does better. vl: lanes. */
bool gemm_narrow(ThContext *c, const GemmKernels *kern, const GemmArgs *g, char *scratch);
size_t gemm_narrow_scratch(const GemmArgs *g, int64_t vl, int64_t item);
/* symmetric.c: runs a matrix times its own transpose with the scratch of any product, or returns false: it is none. */
bool gemm_symmetric(ThContext *c, const GemmArgs *g, void *scratch);
/* plain.c: integers, bool, complex. The last through OpenBLAS when it is there and the product is large. */
size_t gemm_plain_scratch(const GemmArgs *g);
void gemm_plain(ThContext *c, const GemmArgs *g, void *scratch);

#endif
