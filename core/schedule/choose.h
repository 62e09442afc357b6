/*
 * choose.h -- what others than transforms ask the chooser: numbers that the emitters print (pieces for threads, tiles
 * of chains), what a version for certain lengths gains, what building costs.
 */
#ifndef TH_CHOOSE_H
#define TH_CHOOSE_H

#include "kernel/kernel.h"

enum {
    CHOOSE_PIECE = 16384,      /* elements of a piece for a thread at least, of a sum of two arrays */
    CHOOSE_PLAIN = 4,          /* operations of such an element: two loads, a sum, a store */
    CHOOSE_PIECES = 256,       /* pieces at most */
    CHOOSE_NARROW = 256,       /* rows of a piece where these are what vectors lie along: cache lines are read whole */
    CHOOSE_ROOM = 65536,       /* bytes of rows that a piece may have on its stack; longer ones stay with one thread */
    CHOOSE_WAVE = 256,         /* blocks whose results wait on the stack */
    CHOOSE_AHEAD = 8,          /* rows from a fetch to its use */
    CHOOSE_FAR = 1 << 22,      /* bytes of rows from which no cache near a core holds them */
    CHOOSE_FAR_VECTORS = 2,    /* of a row at least.. */
    CHOOSE_FAR_ROWS = 4,       /* ..and rows in one pass.. */
    CHOOSE_FAR_LONG = 64,      /* ..where they have so many */
    CHOOSE_LINE = 64,          /* bytes of a line of memory */
    CHOOSE_STREAM = 1 << 24,   /* bytes of a result from which its stores go past the caches */
    CHOOSE_CHAIN_TILE = 1024,  /* elements of a tile of a chain of steps */
    CHOOSE_CHAIN_TILES = 16,   /* tiles of a piece for a thread at least */
    CHOOSE_CHAIN_PIECES = 256, /* pieces at most */
    CHOOSE_THREADS = 256,      /* of a GPU's block; fixed, so that results do not depend on the device */
    CHOOSE_WARP = 32,          /* of its threads run together */
    CHOOSE_STRANDS = 8,        /* of its threads for each of CHOOSE_WARP columns */
    CHOOSE_BLOCKS = 1024,      /* of a launch at most */
    CHOOSE_SHARED = 40960,     /* bytes of a block's private rows that shared memory has room for */
    CHOOSE_LONG = 4096,        /* elements from which a block shares each reduction, or from CHOOSE_THREADS on, .. */
    CHOOSE_POINTS = 1024,      /* ..where there are fewer results than this */
    CHOOSE_TILES = 4,          /* shapes of a product's tile, a function each: large, thin, of few rows, small */
    CHOOSE_THIN = 1,   /* of products that give a GPU few blocks, and of those in the turns of a loop (turns.c) */
    CHOOSE_SMALL = 3,  /* of those that give it few thin ones; halves on tensor cores have none */
    CHOOSE_SQUARE = 4, /* ..in turns, where a step has a point for each sum: one more shape, which has no function */
    CHOOSE_TURN = 32,  /* points along both sides of a tile that turns what it loads */
    CHOOSE_TURN_SHARED = 26000 /* bytes of shared memory that its loads may have */
};
/* Whether such tiles pay: of so many points along both sides. */
bool choose_turn(int64_t rows, int64_t cols);

/* Whether a warp, and not a block, takes each of so many points: of so many loads of a thread's neighbours in a row,
 * with so many bytes of a private row in shared memory. */
bool choose_warps(int64_t points, int64_t inside, int64_t row);
/* Whether groups of CHOOSE_STRANDS threads, and not one thread each, take so many columns of so many elements. */
bool choose_strands(int64_t columns, int64_t inside);

typedef struct ChooseTile {
    int rows, cols, deep;
} ChooseTile;
ChooseTile choose_tile_shape(int which, size_t item);
bool choose_library(int64_t matrices, int64_t rows, int64_t cols, int64_t deep); /* ..or none: cuBLASLt */
/* A convolution's gradient by images: each image's product and then a sum over windows, or one product of all (cuDNN).
 * Of so many images and channels; elements of a window, its places, places of an image; filters. */
bool choose_windows(int64_t images, int64_t channels, int64_t window, int64_t out, int64_t in, int64_t filters);
int choose_tile(int64_t matrices, int64_t rows, int64_t cols, size_t item); /* which of them */

/* A product in a loop all of whose turns are one launch: not one that a launch of its own does much faster. */
bool choose_turns(int64_t matrices, int64_t rows, int64_t cols, int64_t deep, int which);
bool choose_each(int64_t points); /* ..or so many points of a kernel there: a thread has one, not some neighbours */

enum {
    CHOOSE_VERSIONS = 4,        /* of a function at most */
    CHOOSE_ALL_VERSIONS = 64,   /* of a context */
    CHOOSE_VERSION_STEPS = 256, /* of a function that has versions at most */
    CHOOSE_SEEN = 8,            /* signatures of a function whose calls are counted */
    CHOOSE_CANDIDATES = 8,      /* units that compile.autotune times at most */
    CHOOSE_POLL = 32            /* calls between two looks at what is being built */
};
/* Operations of a point of a stage, CHOOSE_PLAIN at least: threads are worth it from fewer points on where it is more.
 */
int choose_weight(const Kernel *k, int stage);
bool choose_rows(int steps, bool chains); /* the steps of a function are data, walked by a loop */
/* The right operand of a product, m x k by k x n, stays packed between calls. turned: its columns lie together. */
bool choose_pack(int64_t m, int64_t n, int64_t k, int64_t item, bool turned);
/* Nanoseconds that a call of the kernel saves where its short lengths are constants of the text. n: the lengths of its
 * dims; known: which of them a version could know, and then, which it is to know. */
double choose_version_gain(const Kernel *k, const double *n, bool *known);
/* Nanoseconds that the interpreter takes for a run of the kernel beyond what generated code does. */
double choose_interpreter_loss(const Kernel *k, const double *n);
double choose_build_ns(size_t bytes); /* what compiling a unit of so many bytes takes, beside the calls */
int choose_parts(size_t bytes);       /* compilers at most for kernels of so many bytes */

#endif
