/*
 * cuda.h -- private to the CUDA emitter. The text of kernels is plain C in a dialect of macros (prelude.c), to
 * which the emulated driver's compiler gives a meaning too (spec/emulated/words.c). Scalar texts and helpers are those
 * of backend_c with one lane. How a kernel runs on the grid is its Nest (core/schedule/grid.c).
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
/* narrow.c: by value id, how far whole numbers of 64 bits go in a kernel whose indices have 32, or NULL.
 * The text of one that is made of such, or false */
typedef struct CudaRange {
    int64_t least, most;
} CudaRange;
const CudaRange *cuda_ranges(Emit *e);
bool cuda_narrow(Emit *e, int id);
/* moves.c: what a thread's neighbours load and store together; the place of what they store */
void cuda_move(Emit *e, const NestNode *n);
void cuda_stored(Emit *e, const NestNode *n, int lanes);
/* `if (` all neighbours of a loop's step are there, and all that moves lies where 16 bytes may `) {` */
void cuda_if_whole(Emit *e, const NestNode *loop);
/* reduce.c: the accumulators of a block's threads become r<red> in all of them. */
void cuda_fold(Emit *e, int red);
void cuda_join(Emit *e, int red, int n); /* ..of the blocks that share a point: all but the last one leave it */
/* loops.c: one of the kernel's Nests, or as a function of such a loop's kernel, with a point a thread, which lie as the
 * launch says (GridSpread); as functions of a product with rows behind it; its nodes */
enum { GRID_PART = GRID_FUNCTIONS, GRID_EACH, GRID_FIRST, GRID_HALF, GRID_NEAR };
bool cuda_kernel(Emit *e, const CudaKernel *k, int nest);
bool cuda_nodes(Emit *e, const NestNode *n);
void cuda_spread(Emit *e, const LoopStage *s, const NestNode *n); /* the loop over a thread's points in turns */
void cuda_head(Emit *e);                                          /* extents and pointers */
void cuda_leave(Emit *e, bool can_fail);                          /* where an earlier launch failed */
/* draw.c: the kernels of a draw, its children on each number */
bool cuda_draw(Emit *e, const NestNode *call);
bool cuda_drawn(Emit *e, int id); /* ..an instruction that a number is, or whose text its range makes shorter */
/* scatter.c: the kernels of a scatter */
bool cuda_scatter(Emit *e);
/* gemm.c: a product of matrices by tiles, and its children on each element */
bool cuda_gemm(Emit *e, const NestNode *call);
int cuda_tile_bytes(const Contract *c, int which); /* of shared memory, by that shape of tile */
/* turns.c: loops all of whose turns are one kernel */
bool cuda_turns(Emit *e, const GridTurns *t, int n, const CudaKernel *kernel);
/* near.c: points near a product in turns (Emit.near, GRID_NEAR), of one loop's step; what asks for their loads */
typedef struct CudaNear {
    const GridNear *n;
    int from, width; /* of shared memory: bytes of all tiles; columns of the product's */
    int turns, step;
    bool ask;
} CudaNear;
bool cuda_near(Emit *e, const GridTurns *t, int number, int step, int shared, const CudaKernel *kernel);
bool cuda_near_load(Emit *e, int id); /* ..an instruction that is such a load */
bool cuda_near_ask(Emit *e, const NestNode *n);
/* tails.c: products with the rows behind them, as one kernel */
bool cuda_tails(Emit *e, const GridTail *t, int n, const CudaKernel *kernel);
int cuda_group(const Emit *e);                  /* threads of a point: grid_group, or half a warp */
bool cuda_behind(Emit *e, const CudaKernel *k); /* the children of a product that stands in memory */
/* unit.c: the text of a plan's kernels, */
bool emit_cuda(Text *t, const Plan *p, const char *function_name);
/* ..of which program.c takes the kernels too: an Emit ready for them; all of them into its body (those that cannot be
 * written have no nest); the whole text; its end. */
bool cuda_emit_begin(Emit *e, const Plan *p);
CudaKernel *cuda_emit_kernels(Emit *e, GridProgram *g);
bool cuda_emit_text(Text *t, const Emit *e, const char *function_name);
void cuda_emit_end(Emit *e);

extern const char *const cuda_prelude;
bool cuda_mark_libm(Emit *e); /* prototypes that the device has already */

#endif
