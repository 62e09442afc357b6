/*
 * cuda.h -- private to the CUDA emitter. One text of kernels serves NVRTC and, behind emulation.c, the C compiler:
 * plain C in a dialect of macros (prelude.c). Scalar texts and helpers are those of backend_c with one lane.
 * How a kernel runs on the grid is its Nest (core/schedule/grid.c).
 */
#ifndef TH_CUDA_H
#define TH_CUDA_H

#include "text/emit.h"
#include "schedule/choose.h"
#include "schedule/program.h"

enum { CUDA_THREADS = CHOOSE_THREADS, CUDA_BLOCKS = CHOOSE_BLOCKS };

typedef GridKernel CudaKernel;

/* shape.c: how kernel `number` runs; false with NotImplementedError for what this backend cannot do. */
bool cuda_shape(Emit *e, int number, CudaKernel *out);

/* ins.c: instructions; in a block, a store at a depth that all threads share is done by one of them. */
bool cuda_code(Emit *e, const int *ids, int n, bool shared);
/* reduce.c: the accumulators of a block's threads become r<red> in all of them. */
void cuda_fold(Emit *e, int red);
/* loops.c: one of the kernel's Nests; its nodes */
bool cuda_kernel(Emit *e, const CudaKernel *k, int nest);
bool cuda_nodes(Emit *e, const NestNode *n);
void cuda_head(Emit *e, const Stage *tile); /* extents and pointers; tile: of a part of that stage's result */
/* calls.c: what follows calls of the library, as kernels; the calls, and launches of these for each part */
bool cuda_tiles(Emit *e);
void cuda_calls(Emit *e, const CudaKernel *k);
void cuda_extents(Emit *e, const Kernel *k); /* host.c */
/* draw.c: the kernels of a draw, its children on each number; what launches them */
bool cuda_draw(Emit *e, const NestNode *call);
void cuda_draw_launcher(Emit *e, const CudaKernel *k);
/* gemm.c: a product, and its children on each element */
bool cuda_gemm(Emit *e, const NestNode *call);
/* host.c: what launches the kernels of a unit, as C for the emulated device */
void cuda_launcher(Emit *e, const CudaKernel *k);
void cuda_steps(Emit *e, const CudaKernel *k);
/* unit.c: kernels only; kernels with emulation and host part */
bool emit_cuda(Text *t, const Plan *p, const char *function_name);
bool emit_cuda_emulated(Text *t, const Plan *p, const char *function_name);
/* What the two, and program.c, are made of: an Emit ready for kernels; all of them into its body (patient: those that
 * cannot be written have no nest; else NULL with NotImplementedError); the whole text; its end. */
bool cuda_emit_begin(Emit *e, const Plan *p);
CudaKernel *cuda_emit_kernels(Emit *e, bool patient);
bool cuda_emit_text(Text *t, const Emit *e, const char *title, const char *const head[2]);
void cuda_emit_end(Emit *e);

/* program.c: what the emulated driver looks for beside a kernel, and what every module of the cache has */
void cuda_entry(Text *t, const char *name, const char *args, bool barriers);
void cuda_module(Text *t);

extern const char *const cuda_prelude, *const cuda_emulation;
bool cuda_mark_libm(Emit *e); /* prototypes that the device or the emulation has already */

#endif
