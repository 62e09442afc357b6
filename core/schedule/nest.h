/*
 * nest.h -- how a kernel runs, as data: a tree of loops around the instructions of a Kernel, which says what is
 * computed. Transforms (one a file) take a Nest and give a Nest; choose.c decides which of them pay for a Target;
 * emitters print what stands here and choose nothing. All of it lies in an arena; nothing here is freed.
 *
 * Always holds: the order in which a reduction's elements meet is the Kernel's (kernel.h), so every Nest of a kernel
 * gives the same bits, and a step that `may` be taken is never wrong, only slow. nest_check says what a tree must be.
 */
#ifndef TH_NEST_H
#define TH_NEST_H

#include "kernel/order.h"
#include "plan/plan.h"
#include "target.h"

typedef enum {
    NEST_STAGE, /* around all of a stage */
    NEST_FOR,
    NEST_CODE, /* instructions, in order */
    NEST_ACC,  /* the accumulators of some reductions */
    NEST_MOVE, /* between memory and vectors, or towards the caches */
    NEST_WAY,  /* where all tests hold, its children are the whole kernel, and what follows is skipped */
    NEST_CALL, /* a stage's call of the library; children: what runs on each of its finished tiles */
    NEST_SYNC  /* threads of a block wait for each other */
} NestKind;

typedef enum {
    FOR_SERIAL,
    FOR_VECTOR, /* `lanes` elements of the dim at a time; 1: one by one, but counted as reductions along it need */
    FOR_FLAT,   /* vectors over dims 0 and 1 as one run of elements */
    FOR_PIECE,  /* steps of dim 0 shared out among threads */
    FOR_BLOCK,  /* steps of dim 0 by blocks that have accumulators of their own (kernel_block) */
    FOR_GRID,   /* points of several loops, a thread or a block of threads each */
    FOR_THREAD, /* points of several loops over the threads of a block */
    FOR_LANES,  /* the neighbours of a point of the grid, or of a block's threads, along the last of its loops */
    FOR_TILE    /* the points of a tile of the grid: along loop `dim` and the last one, over the threads of a block */
} NestHow;

typedef enum {
    TAIL_ONCE,  /* whole vectors, then the last, partial one under a mask */
    TAIL_MASKED /* all vectors under masks; of FOR_LANES: as many, of which those that are there step reductions */
} NestTail;

/* JOIN: a block's to those of the blocks before it. FOLD: of a block's threads, by a fixed tree, to what all have. */
typedef enum { ACC_BEGIN, ACC_STEP, ACC_END, ACC_JOIN, ACC_FOLD } NestAcc;

typedef enum {
    MOVE_ARRAY,  /* room for the columns of access `first`, one vector each */
    MOVE_GET,    /* rows that instruction `first` loads, as columns, to such an array */
    MOVE_PUT,    /* ..and columns back to the rows that it stores */
    MOVE_REPEAT, /* the row that access `first` reads for every row, repeated until vectors start at its start again */
    MOVE_AHEAD,  /* fetches what the loads among these instructions will read some rows later */
    MOVE_NEXT,   /* fetches what the load or store `first` will find in the n-th row from here */
    MOVE_LOAD,   /* a GPU: what the load `first` takes for all neighbours, by 16 bytes where it lies so */
    MOVE_STORE,  /* ..and what the store `first` gives */
    MOVE_TURN    /* a tile of what the load `first` takes, in the order in which it lies, to shared memory */
} NestMove;

/* What holds in one way of running the kernel: the whole of a NEST_WAY, or all that is in none. */
typedef enum { WAY_PLAIN, WAY_SIDE /* rows lie along the lanes */, WAY_FLAT } WayKind;
typedef struct NestWay {
    WayKind kind;
    LoopStage *stage; /* by stage, with the loop that vectors lie along */
    int *lanes;       /* by stage: of that loop */
    uint8_t *value;   /* by value id: VALUE_ flags */
    int *array;       /* by access: the array that its rows' columns are in, or -1; NULL: none are */
    int row;          /* of WAY_SIDE: the loop over rows (and its dim); the next one is over their columns */
} NestWay;
enum { SIDE_MOST = 64 }; /* columns that the arrays of WAY_SIDE have room for */
enum {
    VALUE_HALVES =
        1, /* is not made: a cast to float64 of which a sum takes both halves, or such a sum before its cast */
    VALUE_QUOTIENT = 2, /* a division by one number of many: by its reciprocal, rounded as division rounds */
    VALUE_TOGETHER = 4, /* a load or store that MOVE_LOAD or MOVE_STORE does for all neighbours */
    VALUE_STREAM = 8,   /* a store that goes past the caches where there is much to store */
    VALUE_TURNED = 16,  /* a load whose tile MOVE_TURN brought */
    VALUE_SOUGHT = 32   /* what is reduced to a place, which is found otherwise (NestNode.seek) */
};

typedef struct NestTest {
    int dim;
    const char *is; /* ">=", "<=", "<", "!=" */
    int n;
} NestTest;

typedef struct NestNode NestNode;
struct NestNode {
    NestNode *next, *child;
    const NestWay *way;
    uint8_t kind, how; /* how: NestHow, NestAcc or NestMove */
    int stage;         /* number; -1: of none */
    /* NEST_FOR */
    uint8_t tail;
    bool jam;   /* the vectors run inside the loops within, not around them */
    bool share; /* FOR_BLOCK, FOR_PIECE: among threads; FOR_GRID: of Nest.parts; NEST_CALL: it does the outer loops */
    int loop;   /* position in LoopStage.loop */
    int dim, lanes;
    int vectors; /* that are written out in each step */
    int far;     /* jam: at most so many vectors inside a loop over rows where these lie in no cache, or 0 */
    int copy;    /* elements from which memcpy does it, or 0 */
    int seek;    /* elements from which the largest is found first, then its place; or 0 */
    /* the others; n: of FOR_PIECE, rows of a piece at least; of a GPU, loops; of MOVE_REPEAT, vectors that there
     * is room for; of MOVE_NEXT, rows */
    const int *ids; /* NEST_CODE, MOVE_AHEAD */
    const NestTest *test;
    int first, n;
};

/* Whose work a point of the grid is. Always right is SERIAL. */
typedef enum {
    GRID_SERIAL,  /* one thread does everything in order: scatters, sequential loops */
    GRID_THREAD,  /* one thread a point of the first `depth` loops */
    GRID_BLOCK,   /* one block a point: inner loops over its threads, reductions by a fixed tree in shared memory */
    GRID_TILES,   /* one block a tile of a product of matrices, whatever it is made of (contract.c) */
    GRID_SCATTER, /* stores at places that are values: sorted by place, one thread a parallel point of each */
    GRID_DRAW     /* one thread a stream or a counter of a draw, which does what follows each of its numbers */
} GridKind;

/* A kernel as a product of two matrices (contract.c): of each factor the instructions inside of loops, in order, and
 * the value that they make; of a STAGE_GEMM its access instead. */
typedef struct ContractSide {
    const int *ids;
    int n, value, access;
    bool deep; /* elements along the summed dims lie side by side, and those along its own do not */
} ContractSide;
typedef struct Contract {
    ContractSide side[2];
    int8_t side_dim[2][KDIM], batch[KDIM], deep[KDIM]; /* kernel dims, the outermost first: rows and columns, .. */
    int side_n[2], nbatch, ndeep;
    int points;       /* loops around a sum */
    int red, product; /* -1: a STAGE_GEMM */
    uint8_t dtype;    /* of sums */
    uint8_t half;     /* of both factors, where it is one: sums of float32 on tensor cores; or 0 */
    /* Of a convolution of floats that a library may do (stage_convolves): the accesses of both factors, else -1; that
     * of the store of all sums if nothing else follows them. */
    int factor[2], alone;
} Contract;

typedef struct Nest Nest;
struct Nest {
    const Kernel *k;
    const KernelOrder *o;
    const Target *target;
    Arena *arena;
    NestWay *way; /* of what is in no NEST_WAY */
    NestNode *root;
    bool failed; /* MemoryError is set */
    NestNode spare;
    const char *other; /* the decision that was taken the other way, or NULL */
    /* of a GPU */
    GridKind grid;
    int depth;
    bool warp;   /* GRID_BLOCK: with a warp for each point in place of a block.. */
    bool lone;   /* ..whose threads take one element at a time, not some neighbours */
    bool across; /* ..with a block for CHOOSE_WARP neighbouring points, each of whose threads are that far apart */
    bool parts;  /* ..and what a point reduces may be shared out among blocks: the last one joins what all kept */
    bool tiled;  /* GRID_THREAD: a block takes tiles of two loops, CHOOSE_TURN points along each.. */
    int turned;  /* ..of which this is the outer one (position in LoopStage.loop); the other one is the last */
    Nest *twin;  /* runs in its place where few points have long loops inside (choose.h); or NULL */
    Nest *none;  /* ..where there are no points, since what stands before them may fail; or NULL */
    Nest *warps; /* ..by warps, where that suits the points' loops inside (choose.h); or NULL */
    Nest *few;   /* ..by warps that have an element for each thread at most; or NULL */
    Nest *large; /* ..where indices do not fit in 32 bits (grid_fits); or NULL: they have 64 */
    const Contract *contract; /* of GRID_TILES */
};

/* ---- nest.c: building ---- */
NestWay *nest_way(Nest *t, WayKind kind); /* the kernel's stages, one lane */
/* Appended after *at (a `next` or `child` that is NULL); the place for the next one. Empty ones are left out. */
NestNode **nest_put(Nest *t, NestNode **at, const NestWay *w, NestKind kind, int stage, NestNode **out);
NestNode **nest_code(Nest *t, NestNode **at, const NestWay *w, int stage, const int *ids, int n);
NestNode **nest_acc(Nest *t, NestNode **at, const NestWay *w, int stage, NestAcc how, int first, int n);
NestNode **nest_move(Nest *t, NestNode **at, const NestWay *w, int stage, NestMove how, int first);
NestNode **nest_fetch(Nest *t, NestNode **at, const NestNode *before, int id, int rows); /* MOVE_NEXT */
/* plain.c: the kernel as its loops stand, and those of one stage from depth d on */
bool nest_plain(Nest *t);
NestNode **nest_stage(Nest *t, NestNode **at, const NestWay *w, int stage, int d);
/* The loop of a stage that vectors lie along, or NULL. */
NestNode *nest_vec(const Nest *t, int stage);
void nest_each(NestNode *n, void (*fn)(NestNode *n, void *user), void *user);

/* What the chooser is told beside the kernel. */
typedef struct NestAsk {
    bool threads;          /* kernels may be shared out */
    bool known;            /* a version for certain lengths */
    const int64_t *length; /* of it: what each symbol of the kernel is (nest_lengths); or NULL */
    /* 0: what costs least; else the same with one decision taken the other way: that of the least certain one is 1, of
     * the next one 2, .. Where there are not so many, what costs least. */
    int candidate;
} NestAsk;

/* text.c, check.c */
void nest_text(Text *out, const Nest *t);
bool nest_show(Text *out, const Kernel *k, const Target *target, NestAsk ask); /* the Nest that choose.c would take */
bool nest_check(const Nest *t);

/* ---- what many transforms ask ---- */
static inline bool red_is_arg(const Red *d) { return d->kind == RED_ARGMAX || d->kind == RED_ARGMIN; }
static inline int red_lanes(const Red *d) { return 256 / (int)th_dtype_bytes((ThDtype)d->acc_dtype); }
/* The loop that vectors lie along is reduced: element i goes to accumulator i mod red_lanes. */
static inline bool red_in_lanes(const Kernel *k, const LoopStage *s) {
    return s->vec >= 0 && k->dim[s->st->vec].kind == DIM_RED;
}
bool nest_halves(const Nest *t, const NestWay *w, int stage, int red); /* a sum that is two vectors, in this way */
int nest_acc_lanes(const Nest *t, const NestWay *w, int stage, int red);

/* ---- the transforms: may it be done, and doing it ---- */
/* apart.c: what points of dim 0 see of each other */
bool apart_access(const Kernel *k, const Access *w); /* no point of dim 0 sees what another one writes through w */
bool apart_rows(const Kernel *k);                    /* ..through any access */
bool apart_dim(const Kernel *k, int dim);            /* ..of this dim, at one point of those around it */
bool apart_may_fail(const Kernel *k, const Ins *i);  /* but for checks of sizes before all loops */
bool apart_is_row(const Kernel *k, int buf);         /* memory of one row, used again by the next */
/* lanes.c */
bool lanes_apply(Nest *t);
int lanes_of(const Nest *t, const NestWay *w, int stage, bool halves); /* halves: float32 may be summed by halves */
bool lanes_half(const Nest *t, const NestWay *w, int stage, int id, bool halves);
bool lanes_is_vector(const Nest *t, const NestWay *w, int id); /* the value is one */
void lanes_mark(Nest *t, NestWay *w, int stage, bool halves);  /* VALUE_HALVES */
/* unroll.c: rows by as many vectors as each accumulator has (of a position: `chains`), and how many stay in registers;
 * columns.c: some columns of vectors reduced together */
int unroll_vectors(const Nest *t, const NestNode *loop, int chains, int *live); /* 1: cannot be */
bool unroll_may_mask(const Nest *t, const NestNode *loop);
bool columns_may(const Nest *t, const NestNode *loop);
bool columns_apply(Nest *t, NestNode *loop, int vectors);
bool columns_may_far(const Nest *t, const NestNode *loop); /* NestNode.far */
/* fetch.c, copy.c, divide.c */
bool fetch_may(const Nest *t);
bool fetch_rows(Nest *t);
bool copy_may(const Nest *t, const NestNode *loop);
bool seek_may(const Nest *t, const NestNode *loop); /* seek.c */
void seek_apply(Nest *t, NestNode *loop, int least);
int seek_load(const Kernel *k, const Red *d);     /* what is loaded of which it is the place */
bool seek_largest(const Kernel *k, const Red *d); /* ..of the largest, or the smallest */
bool divide_may(const Nest *t, const NestWay *w, int id);
void divide_apply(NestWay *w, int id);
bool stream_may(const Nest *t, int id); /* stream.c: of the loops that are in no way of their own */
void stream_apply(Nest *t, int id);
/* side.c, flat.c: ways of their own, before the loops */
bool side_may(const Nest *t);
NestWay *side_way(Nest *t);
bool side_apply(Nest *t, NestWay *w, int rows, int most);
bool flat_may(const Nest *t);
typedef struct FlatRows { /* rows at least; of fewer elements than, and of any number but */
    int least, below, but;
} FlatRows;
bool flat_apply(Nest *t, FlatRows rows);
bool flat_is_row(const Access *a);
/* split.c: pieces for threads, and a product's outer loops inside its call; blocks.c: reductions of everything */
bool split_may(const Nest *t);
bool split_apply(Nest *t);
bool split_batch_may(const Nest *t);
void split_batch(Nest *t);
bool blocks_may_share(const Nest *t);
bool blocks_apply(Nest *t, bool share);
/* tile.c: what follows a product runs on its finished tiles */
bool tile_may(const Nest *t, int stage);
bool tile_fetch_may(const Nest *t, int stage); /* its rows' lines of memory asked for ahead */
bool tile_fetch(Nest *t, int stage, int rows);
/* Bytes of a factor's element, as tiles are chosen by. */
static inline size_t contract_item(const Contract *c) {
    size_t item = th_dtype_bytes((ThDtype)(c->half ? c->half : c->dtype));
    return item == 2 && !c->half ? 4 : item; /* 2: on tensor cores alone */
}
/* contract.c: false too where there is no memory */
bool contract_stage(const Kernel *k, Contract *out); /* of a kernel whose last stage is a STAGE_GEMM */
bool contract_of(const Kernel *k, const KernelOrder *o, Arena *a, Contract *out);
/* grid.c: points over a GPU's threads and blocks */
bool grid_can(const Kernel *k); /* the others have no text for a GPU yet */
int grid_depth(const Nest *t);  /* leading parallel loops of the only stage around all its stores and accumulators */
bool grid_may(const Nest *t, GridKind kind, int depth);
bool grid_folds(const Nest *t, int depth); /* each point is a reduction that a block may share */
bool grid_apply(Nest *t, GridKind kind, int depth);
Nest *grid_each(const Nest *t);    /* a thread's neighbours one by one, a thread a point; NULL: no memory */
bool grid_may_fail(const Nest *t); /* before there are points */
int grid_group(const Nest *t);     /* threads that share a point */
bool grid_may_part(const Nest *t, int depth, bool across); /* Nest.parts */
/* Elements of a private row, with what fills its last 16 bytes; all of them in bytes. */
int64_t grid_row(const Kernel *k, int buf, const int64_t *sym);
int64_t grid_rows(const Kernel *k, const int64_t *sym);
size_t grid_row_item(const Kernel *k, int buf);     /* 0: the buffer is no private row */
bool grid_can_leave(const Kernel *k, const Ins *i); /* a thread, since something fails */
/* Whether all indices of a launch fit in 32 bits; sym: the kernel's sizes. */
bool grid_fits(const Kernel *k, const int64_t *sym);
int grid_neighbours(const Nest *t); /* points of the last loop a thread */
/* neighbours.c: several points of the last loop a thread */
bool neighbours_may(const Nest *t);
bool neighbours_together(const Nest *t, int id); /* a load or store of all of them at once */
bool neighbours_apply(Nest *t, int lanes);
bool neighbours_early(const Nest *t, int id);         /* a load that may stand before all else that a point is */
bool neighbours_may_inside(const Nest *t, int stage); /* likewise of what a block's threads do inside a point */
bool neighbours_apply_inside(Nest *t, int stage, int lanes);
int neighbours_inside(const Nest *t, int stage); /* 1: one by one */
/* turn.c: tiles of two loops, through shared memory, for loads that lie along an outer one */
int turn_loop(const Nest *t); /* position of the loop that most such loads lie along; -1: there are none, or may not */
bool turn_load(const Nest *t, int id, int loop); /* a load of that kind */
bool turn_apply(Nest *t, int loop);
int turn_bytes(const Nest *t); /* of shared memory */

/* scatter.c: by what stores may be sorted: a value that tells where all of them go, or the address of the only one */
typedef enum { SCATTER_NOT, SCATTER_BY_INDEX, SCATTER_BY_ADDRESS } ScatterHow;
typedef struct Scatter {
    ScatterHow how;
    int place, guard, access; /* value ids or -1; of an address: its index, guard and access */
} Scatter;
Scatter scatter_form(const Kernel *k);
bool scatter_sorts(const Kernel *k, const Scatter *f, int dim);       /* positions along this dim are sorted */
void scatter_needs(const Kernel *k, const Scatter *f, uint8_t *need); /* by value id: what tells the place */
bool scatter_apply(Nest *t);

/* ---- choose.c ---- */
/* How to run k, or NULL (the context's error is set). */
Nest *nest_choose_grid(const Kernel *k, const KernelOrder *o, const Target *target, Arena *a);
/* What symbol i of a kernel is in every step that runs it, where those of the plan are `known`; else INT64_MIN. To
 * `to`, which has room for all symbols of the plan; how many. from, users: its first step, and of how many at most. */
int nest_lengths(const Plan *p, int kernel, int from, int users, const int64_t *known, int64_t *to);
Nest *nest_choose(const Kernel *k, const KernelOrder *o, const Target *target, NestAsk ask, Arena *a);
int nest_candidates(const Kernel *k, const KernelOrder *o, const Target *target, NestAsk ask, Arena *a); /* 0: failed */

#endif
