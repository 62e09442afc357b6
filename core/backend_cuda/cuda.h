/*
 * cuda.h -- private to the CUDA emitter. One text of kernels serves NVRTC and, behind emulation.c, the C compiler:
 * plain C in a dialect of macros (prelude.c). Scalar texts and helpers are those of backend_c with one lane.
 *
 * A kernel's leading parallel loops are spread over the grid (`depth` of them); the rest runs inside, in one of four
 * ways.
 */
#ifndef TH_CUDA_H
#define TH_CUDA_H

#include "../backend_c/emit.h"

/* Threads of a block, side of a GEMM tile, most blocks of a launch: fixed, so that results do not depend on the device.
 */
enum { CUDA_THREADS = 256, CUDA_TILE = 16, CUDA_BLOCKS = 1024 };

typedef enum {
    CUDA_SERIAL, /* one thread runs everything in order: scatters, sequential loops */
    CUDA_THREAD, /* one thread a point of the grid loops */
    CUDA_BLOCK,  /* one block a point: inner loops over its threads, reductions by a fixed tree in shared memory */
    CUDA_GEMM    /* one block a tile of the product, through shared memory */
} CudaMode;

typedef struct CudaKernel {
    const Kernel *k;
    KernelOrder o;
    const NestWay *way;
    int number, depth; /* loops spread over the grid */
    CudaMode mode;
    bool also_block;        /* a THREAD kernel with a BLOCK twin for long reductions with few results */
    int nbuf, nsym, nparam; /* of the steps that run it */
} CudaKernel;

/* shape.c: how kernel `number` runs; false with NotImplementedError for what this backend cannot do. */
bool cuda_shape(Emit *e, int number, CudaKernel *out);
/* How a stage's loops inside `depth` are spread over a block, or SPREAD_NOT. */
typedef enum { SPREAD_NOT, SPREAD_NONE, SPREAD_POINTS, SPREAD_REDUCE, SPREAD_ROWS } CudaSpread;
CudaSpread cuda_spread(const Kernel *k, const LoopStage *s, const int *code, int depth);
bool cuda_has_rowtemp(const Kernel *k, int buf); /* buf < 0: any */

/* ins.c: instructions; in a block, a store at a depth that all threads share is done by one of them. */
bool cuda_code(Emit *e, const int *ids, int n, bool shared);
/* reduce.c: the accumulators of a block's threads become r<red> in all of them. */
void cuda_fold(Emit *e, int red);
/* loops.c */
bool cuda_kernel(Emit *e, const CudaKernel *k, CudaMode mode);
void cuda_head(Emit *e, const CudaKernel *k); /* extents and base addresses */
bool cuda_depth(Emit *e, const KernelOrder *o, int d);
/* `for` over the points of loops [from, to) of stage s: h from `first` in steps of `step`; closes with line "}". */
void cuda_points(Emit *e, const LoopStage *s, int from, int to, const char *var, const char *first, const char *step);
/* gemm.c */
bool cuda_gemm(Emit *e, const CudaKernel *k);
/* host.c: what launches the kernels of a unit, as C for the emulated device */
void cuda_launcher(Emit *e, const CudaKernel *k);
void cuda_steps(Emit *e, const CudaKernel *k);
/* unit.c: kernels only; kernels with emulation and host part */
bool emit_cuda(Text *t, const Plan *p, const char *function_name);
bool emit_cuda_emulated(Text *t, const Plan *p, const char *function_name);

extern const char *const cuda_prelude, *const cuda_emulation;
bool cuda_mark_libm(Emit *e); /* prototypes that the device or the emulation has already */

#endif
