/*
 * program.h -- what a device is given in place of a unit: the image of a plan's kernels, and for each how it is
 * launched. A kernel takes one record of arguments, in this order and without gaps: the addresses of its buffers, its
 * sizes, its literals (16 bytes each), the address of the error record, the step, and for each buffer the elements of a
 * point's private row (0: it has none); a scatter's, then, places and positions in their order; of reductions in parts,
 * how many of how many elements, and what they leave (16 bytes each, for every reduction). A buffer of private rows has
 * no address where these are in shared memory.
 */
#ifndef TH_PROGRAM_H
#define TH_PROGRAM_H

#include "kernel/draw_work.h"
#include "kernel/order.h"
#include "choose.h"
#include "nest.h"

/* The Nests of a kernel, each a function (of a product the first of them are the one Nest, by tiles of each shape);
 * GRID_LOOK is one more, which looks at a draw's states or a scatter's indices before it; GRID_PLACES tells a scatter's
 * places; GRID_PARTS and GRID_JOIN are the twin in two kernels, where its points are few and long. */
enum { GRID_OWN, GRID_TWIN, GRID_NONE, GRID_WARPS, GRID_LARGE, GRID_NESTS };
enum { GRID_LOOK = GRID_NESTS, GRID_PLACES, GRID_PARTS, GRID_JOIN, GRID_FUNCTIONS, GRID_NAME = 32 };
_Static_assert((int)CHOOSE_TILES <= (int)GRID_NESTS, "a function for each shape of tile");
static inline const Nest *grid_nest(const Nest *t, int i) {
    const Nest *const all[GRID_NESTS] = {t, t->twin, t->none, t->warps, t->large};
    return t->grid == GRID_TILES ? (i < CHOOSE_TILES ? t : NULL) : all[i];
}

/* Which of them a launch takes, -1: there is nothing to do; sym: the sizes of the kernel's steps. (points.c) */
typedef struct GridLaunch {
    int nest;
    int64_t blocks;
    int threads;
    int64_t shared;      /* bytes of the private rows in shared memory; 0: they need memory of their own */
    int64_t parts, each; /* of a point, for GRID_PARTS and GRID_JOIN: so many of so many elements; 0: it is not cut */
} GridLaunch;
typedef struct GridKernel GridKernel;
GridLaunch grid_launch(const GridKernel *g, const int64_t *sym);

struct GridKernel {
    const Kernel *k;
    KernelOrder o;
    const Nest *nest; /* NULL: it has no form for a device, the host runs it */
    int number;
    int nbuf, nsym, nparam; /* of the steps that run it: lengths of the record's lists, at least 1 each */
};

typedef struct GridProgram {
    ThContext *c;
    Arena *arena; /* of all below */
    char *image;  /* owned; what the device's driver loads */
    size_t bytes;
    GridKernel *kernel;
    int nkernel;
} GridProgram;

void cuda_program_free(GridProgram *g); /* backend_cuda/program.c */

/* The name of a kernel's function i. */
static inline void grid_name(char out[GRID_NAME], int number, int i) {
    static const char *const suffix[GRID_FUNCTIONS] = {"", "b", "n", "w", "l", "c", "k", "p", "j"};
    number_format(out, GRID_NAME, "kernel_%d%s", number, suffix[i]);
}

/* A draw of streams has states that may be none; a scatter may have a stage that looks. */
static inline bool grid_looks(const GridKernel *g) {
    if (g->nest->grid == GRID_SCATTER) return g->k->st.n > 1;
    return g->nest->grid == GRID_DRAW && g->k->size.at[g->k->st.at[0].num0 + DRAW_AT_KIND].k == DRAW_MRG;
}
/* Its points may be reduced in parts. */
static inline bool grid_in_parts(const GridKernel *g) {
    const Nest *t = g->nest;
    return t->grid == GRID_THREAD && t->twin && t->twin->grid == GRID_BLOCK;
}
static inline bool grid_has(const GridKernel *g, int function) {
    if (function == GRID_PARTS || function == GRID_JOIN) return grid_in_parts(g);
    if (function == GRID_PLACES) return g->nest->grid == GRID_SCATTER;
    return function == GRID_LOOK ? grid_looks(g) : grid_nest(g->nest, function) != NULL;
}

static inline size_t grid_record_bytes(const GridKernel *g) {
    size_t more = g->nest && g->nest->grid == GRID_SCATTER ? 16 : g->nest && grid_in_parts(g) ? 24 : 0;
    return (size_t)g->nbuf * 16 + (size_t)g->nsym * 8 + (size_t)g->nparam * 16 + 16 + more;
}

#endif
