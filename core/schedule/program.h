/*
 * program.h -- what a device is given in place of a unit: the image of a plan's kernels, and for each how it is
 * launched. A kernel takes one record of arguments, in this order and without gaps: the addresses of its buffers, its
 * sizes, its literals (16 bytes each), the address of the error record, the step, and for each buffer the elements of a
 * point's private row (0: it has none); a scatter's, then, places and positions in their order; a convolution's, where
 * a library left it. A buffer of private rows has no address where these are in shared memory.
 */
#ifndef TH_PROGRAM_H
#define TH_PROGRAM_H

#include "kernel/draw_work.h"
#include "kernel/order.h"
#include "plan/plan.h"
#include "choose.h"
#include "nest.h"

/* The Nests of a kernel, each a function (of a product the first of them are the one Nest, by tiles of each shape);
 * GRID_LOOK is one more, which looks at a draw's states or a scatter's indices before it; GRID_PLACES tells a scatter's
 * places; GRID_BEHIND is what follows a product or a convolution that a library made; GRID_MANY is GRID_OWN for several
 * steps. */
enum { GRID_OWN, GRID_TWIN, GRID_NONE, GRID_WARPS, GRID_LARGE, GRID_FEW, GRID_NESTS };
enum { GRID_LOOK = GRID_NESTS, GRID_PLACES, GRID_BEHIND, GRID_MANY, GRID_FUNCTIONS, GRID_NAME = 32 };
_Static_assert((int)CHOOSE_TILES <= (int)GRID_NESTS, "a function for each shape of tile");
static inline const Nest *grid_nest(const Nest *t, int i) {
    const Nest *const all[GRID_NESTS] = {t, t->twin, t->none, t->warps, t->large, t->few};
    if (t->grid == GRID_TILES) return i < (t->contract->half ? CHOOSE_SMALL : CHOOSE_TILES) ? t : NULL;
    return all[i];
}

enum { GRID_ARGS = 4000, GRID_MOST_MANY = 16 }; /* CUDA passes 4 KB of arguments */

/* Which of them a launch takes, -1: there is nothing to do; sym: the sizes of the kernel's steps. (points.c) */
typedef struct GridLaunch {
    int nest;
    int64_t blocks;
    int threads;
    int64_t shared; /* bytes of the private rows in shared memory; 0: they need memory of their own */
    /* Of Nest.parts: how many a point has, bytes of what they keep, and how many of these begin as zeros. The record
     * takes them as a buffer behind the others, with the number of parts as its row. Of a draw in pairs: bytes of its
     * states. */
    int64_t parts, kept, zeros;
} GridLaunch;
typedef struct GridKernel GridKernel;
GridLaunch grid_launch(const GridKernel *g, const int64_t *sym);
/* Whether a product pays in a loop that is one launch (turns.c), and how it would be launched alone by such tiles. */
bool grid_turns_pay(const GridKernel *g, const int64_t *sym, GridLaunch *way);
/* Whether a kernel that may (GridKernel.each) has a point a thread there, and then its blocks. */
bool grid_turns_each(const GridKernel *g, const int64_t *sym, int64_t *blocks);
struct GridSpread grid_turns_spread(const GridKernel *g, const int64_t *sym); /* ..of a step that is beside no other */
/* Ways of launching it that give the same bits, the first that which grid_launch gives; how many. */
enum { GRID_WAYS = 4 };
int grid_ways(const GridKernel *g, const int64_t *sym, int multiprocessors, GridLaunch way[GRID_WAYS]);
/* What a thread of it does: so many points, with so many elements inside each. */
typedef struct GridShare {
    int64_t turns, inside;
} GridShare;
GridShare grid_share(const GridKernel *g, const int64_t *sym, const GridLaunch *l);

/* A product of floats in the turns of a loop may add its terms as four sums, each of neighbouring terms, which are
 * added first to last: a multiple of QUARTER in all but the last. Up to QUARTER terms it is one sum. */
enum { QUARTER = 256, QUARTERS = 4 };

struct GridKernel {
    const Kernel *k;
    KernelOrder o;
    const Nest *nest; /* NULL: it has no form for a device, the host runs it */
    int number;
    int nbuf, nsym, nparam; /* of the steps that run it: lengths of the record's lists, at least 1 each */
    int many;      /* steps that one launch may run, by as many records and where the blocks of each end; or 0 */
    int tile;      /* of a product in the turns of a loop: CHOOSE_THIN or CHOOSE_SQUARE */
    bool quarters; /* ..whose terms are added as four sums (QUARTER), wherever it is launched */
    bool each;     /* there its threads may have a point each, shared out as GridSpread says */
    int kept;      /* ..1 + the access of what a product leaves in its tile there (GridNear); 0: of none */
    uint32_t told; /* ..by access, a bit: points store, and a product looks for, what says that it is there (told.c) */
};

/*
 * A loop all of whose turns may be one launch, of as many blocks as the device runs at once (turns.c). The record it
 * takes: a head, how far the region's windows (plan.h) move, how each step is shared out, then for each step what its
 * kernel takes, in turn 0, or GridCopy. Bit i of `waits`: before step i blocks wait until each of them has done what
 * came before; of `each`: the step's threads have a point each (grid_turns_each). Who waits for each other are `among`
 * neighbours, all blocks or those that have the same rows; a product's columns may be loaded meanwhile if bit i of
 * `early` says that no step of the loop writes them; bit i of `near`: the step's points lie as GridNear says. Bit i of
 * `told`: nobody waits before product i, which looks until each number of its rows is there; of `later`: from the
 * second turn on, since the first one's are there (told.c).
 */
enum { TURNS_STEPS = 40, TURNS_WINDOWS = 40 };
typedef struct GridTurnsHead {
    int64_t trip;
    uint64_t count; /* of blocks that waited, for each such group, so far apart; 0 before */
    uint64_t err;   /* the call's error record */
    uint64_t waits, each, among, early, near, told, later;
} GridTurnsHead;
enum { TURNS_COUNT = 128 };
typedef struct GridWindow {
    int64_t at, step, ring; /* bytes: where it is in turn 0 behind where it begins, by how much it moves, and where it
                               begins anew; 0: never */
} GridWindow;
/*
 * How the columns of a product, and the points of a step that has one for each thread, are shared out among blocks. A
 * tile has 1 << bits neighbouring columns, of a product from each of `groups` parts that lie `cols` apart (a cell's
 * gates); so the block that multiplied it may take the points of such a tile, too, which find what their own block
 * wrote. bits -1: points go by their number.
 */
typedef struct GridSpread {
    int16_t bits, groups;
    int32_t rows, cols; /* of the points, or of a part of the product, which may have any number of rows */
    uint32_t by;        /* of the points, what divides: 2^31 over the tiles of a row, or over the columns, rounded up */
} GridSpread;
enum { SPREAD_ROWS = 16 }; /* of a tile */
static inline bool grid_spread_same(const GridSpread *a, const GridSpread *b) {
    return a->bits == b->bits && a->rows == b->rows && a->cols == b->cols;
}
uint32_t grid_spread_by(const GridSpread *w);
int64_t grid_spread_tiles(const GridSpread *w, int64_t rows);
typedef struct GridCopy {
    uint64_t to, from;
    int64_t bytes;
} GridCopy;
/*
 * Points behind a product whose block has them: what they load of its sums is taken from the tile, in shared memory
 * (of the record, 4 bits an access: which part of the product); what else they load is asked for before the product's
 * blocks wait, and lies in shared memory behind all tiles, an element a thread (near.c).
 */
enum { NEAR_TILES = 15, NEAR_ACCESSES = 24 };
_Static_assert((int)NEAR_ACCESSES == (int)KACC, "a bit for each access");
typedef struct GridNear {
    int product;           /* that step of the loop; -1: none */
    bool next;             /* ..of the turn before */
    int store;             /* its access of what stays in the tile */
    uint32_t tile, ahead;  /* by access of the points' kernel, a bit: where it is loaded from */
    int at[NEAR_ACCESSES]; /* ..of the latter, bytes behind all tiles */
} GridNear;
typedef struct GridTurns {
    int region, first, nstep;
    size_t spread;  /* where the record has a GridSpread a step, */
    size_t place;   /* ..8 bytes a step, of GridNear */
    size_t *at;     /* by step: where its part of the record begins */
    size_t bytes;   /* of the record */
    GridNear *near; /* by step */
    int room;       /* bytes of shared memory that these need */
    int told;       /* the product whose rows may say themselves that they are there; -1: none */
} GridTurns;
bool near_find(const Plan *p, GridKernel *kernel, GridTurns *t, Arena *a);
void told_find(const Plan *p, GridKernel *kernel, GridTurns *t);
int turns_root(const Plan *p, int buf); /* the buffer that it shows a part of */
/* Kernels get the shape of tile by which they run there. */
bool turns_find(const Plan *p, GridKernel *kernel, Arena *a, GridTurns **out, int *n);
int turns_window(const Plan *p, const GridTurns *t, int buf); /* which of the region's windows it is, or -1 */
static inline void turns_name(char out[GRID_NAME], int number) { number_format(out, GRID_NAME, "turns_%d", number); }
/* ..and of a kernel whose threads have a point each there, as a launch of its own: estimates look at its code. */
static inline void turns_each_name(char out[GRID_NAME], int number) {
    number_format(out, GRID_NAME, "turn_%d", number);
}

/* ..or lie near a product: of loop `turns`, of its step `step`; estimates look at what asks for their loads, too. */
static inline void near_name(char out[GRID_NAME], bool ask, int turns, int step) {
    number_format(out, GRID_NAME, ask ? "ask_%d_%d" : "near_%d_%d", turns, step);
}

static inline void turns_near_name(char out[GRID_NAME], bool ask, int turns, int step) {
    number_format(out, GRID_NAME, ask ? "turn_ask_%d_%d" : "turn_near_%d_%d", turns, step);
}

/*
 * A product whose blocks may go on with the rows behind it (tails.c): a launch of small tiles, and then half a warp a
 * row. It takes the records of both kernels, the product's first.
 */
typedef struct GridTail {
    int step; /* the product's; the rows' is the next one */
} GridTail;
enum { TAIL_ROW = 16 }; /* threads of a row, which has no more elements */
bool tails_find(const Plan *p, const GridKernel *kernel, Arena *a, GridTail **out, int *n);
/* They do, where both would be launched so; each with its step's sizes. */
bool grid_tail(const GridKernel *g, const GridLaunch *l, const int64_t *sym, const GridKernel *r, const GridLaunch *way,
               const int64_t *sizes);
static inline void tail_name(char out[GRID_NAME], int number) { number_format(out, GRID_NAME, "tail_%d", number); }
/* ..and of the rows of that kernel alone, which estimates look at. */
static inline void tail_rows_name(char out[GRID_NAME], int kernel) { number_format(out, GRID_NAME, "half_%d", kernel); }

typedef struct GridProgram {
    ThContext *c;
    Arena *arena; /* of all below */
    GridKernel *kernel;
    int nkernel;
    GridTurns *turns;
    int nturns;
    GridTail *tail;
    int ntail;
} GridProgram;

void cuda_program_free(GridProgram *g); /* backend_cuda/program.c */

/* The name of a kernel's function i. */
static inline void grid_name(char out[GRID_NAME], int number, int i) {
    static const char *const suffix[GRID_FUNCTIONS] = {"", "b", "n", "w", "l", "f", "c", "k", "e", "m"};
    number_format(out, GRID_NAME, "kernel_%d%s", number, suffix[i]);
}

/* A draw of streams has states that may be none; a scatter may have a stage that looks. */
static inline bool grid_looks(const GridKernel *g) {
    if (g->nest->grid == GRID_SCATTER) return g->k->st.n > 1;
    return g->nest->grid == GRID_DRAW && g->k->size.at[g->k->st.at[0].num0 + DRAW_AT_KIND].k == DRAW_MRG;
}
/* A draw in pairs from streams: those of which other threads write what they are afterwards are read from a copy. */
static inline bool grid_pairs(const GridKernel *g) {
    const Stage *s = g->k->st.at;
    return g->k->st.n == 1 && s->paired && g->k->size.at[s->num0 + DRAW_AT_KIND].k == DRAW_MRG;
}
static inline bool grid_parts(const GridKernel *g) {
    return g->nest && ((g->nest->twin && g->nest->twin->parts) || grid_pairs(g));
}
/* A library may make the product: a STAGE_GEMM of matrices. */
static inline bool grid_is_product(const GridKernel *g) {
    return g->nest->grid == GRID_TILES && g->nest->contract->red < 0 && g->nest->contract->nbatch < 2;
}
/* ..or the convolution, whose sums it leaves in the order of the parallel dims. */
static inline bool grid_is_conv(const GridKernel *g) {
    return g->nest && g->nest->grid == GRID_TILES && g->nest->contract->factor[0] >= 0;
}
static inline bool grid_has(const GridKernel *g, int function) {
    if (function == GRID_BEHIND) return grid_is_conv(g) || (grid_is_product(g) && g->k->st.at[g->k->st.n - 1].nins);
    if (function == GRID_MANY) return g->many > 1;
    if (function == GRID_PLACES) return g->nest->grid == GRID_SCATTER;
    return function == GRID_LOOK ? grid_looks(g) : grid_nest(g->nest, function) != NULL;
}

static inline size_t grid_record_bytes(const GridKernel *g) {
    size_t sorted = g->nest && g->nest->grid == GRID_SCATTER ? 16 : grid_is_conv(g) ? 8 : 0;
    return (size_t)g->nbuf * 16 + (size_t)g->nsym * 8 + (size_t)g->nparam * 16 + 16 + sorted;
}

#endif
