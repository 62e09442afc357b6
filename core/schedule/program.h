/*
 * program.h -- what a device is given in place of a unit: the image of a plan's kernels, and for each how it is
 * launched. A kernel takes one record of arguments, in this order and without gaps: the addresses of its buffers, its
 * sizes, its literals (16 bytes each), the address of the error record, the step, and for each buffer the elements of a
 * point's private row (0: it has none); a scatter's, then, places and positions in their order.
 */
#ifndef TH_PROGRAM_H
#define TH_PROGRAM_H

#include "kernel/draw_work.h"
#include "kernel/order.h"
#include "nest.h"

/* The Nests of a kernel: its own, by blocks, where there are no points. Each is a function; GRID_LOOK is one more,
 * which looks at a draw's states or a scatter's indices before it; GRID_PLACES tells a scatter's places. */
enum { GRID_NESTS = 3, GRID_LOOK = 3, GRID_PLACES = 4, GRID_FUNCTIONS = 5, GRID_NAME = 32 };
static inline const Nest *grid_nest(const Nest *t, int i) { return i == 0 ? t : i == 1 ? t->twin : t->none; }

typedef struct GridKernel {
    const Kernel *k;
    KernelOrder o;
    const Nest *nest; /* NULL: it has no form for a device, the host runs it */
    int number;
    int nbuf, nsym, nparam; /* of the steps that run it: lengths of the record's lists, at least 1 each */
} GridKernel;

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
    static const char *const suffix[GRID_FUNCTIONS] = {"", "b", "n", "c", "k"};
    number_format(out, GRID_NAME, "kernel_%d%s", number, suffix[i]);
}

/* A draw of streams has states that may be none; a scatter may have a stage that looks. */
static inline bool grid_looks(const GridKernel *g) {
    if (g->nest->grid == GRID_SCATTER) return g->k->st.n > 1;
    return g->nest->grid == GRID_DRAW && g->k->size.at[g->k->st.at[0].num0 + DRAW_AT_KIND].k == DRAW_MRG;
}
static inline bool grid_has(const GridKernel *g, int function) {
    if (function == GRID_PLACES) return g->nest->grid == GRID_SCATTER;
    return function == GRID_LOOK ? grid_looks(g) : grid_nest(g->nest, function) != NULL;
}

static inline size_t grid_record_bytes(const GridKernel *g) {
    size_t sorted = g->nest && g->nest->grid == GRID_SCATTER ? 16 : 0;
    return (size_t)g->nbuf * 16 + (size_t)g->nsym * 8 + (size_t)g->nparam * 16 + 16 + sorted;
}

#endif
