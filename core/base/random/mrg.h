/*
 * mrg.h -- MRG31k3p of L'Ecuyer and Touzin: two recurrences of order 3 modulo primes below 2^31, many streams at a
 * time. A stream's state is six numbers x11 x12 x13 x21 x22 x23, the streams are rows of six. A draw d lies in
 * 1 .. 2^31 - 1. Sample i of a draw of n is the next number of stream i mod `streams`, so streams are lanes of vectors.
 */
#ifndef TH_BASE_RANDOM_MRG_H
#define TH_BASE_RANDOM_MRG_H

#include "base/random/done.h"

enum { MRG_STATE = 6, MRG_M1 = 2147483647, MRG_M2 = 2147462579, MRG_MOST = 2147483647 /* samples of one draw */ };

/* Is each of n rows a state: numbers below their primes, neither half all 0? */
bool mrg_valid(const int32_t *rows, int64_t n);
/* Jumps ahead by 2^72 (from stream to stream of one draw), 2^104 (from lane to lane of vmap), 2^134 (draw to draw). */
typedef enum { MRG_JUMP_STREAM, MRG_JUMP_LANE, MRG_JUMP_DRAW } MrgJump;
void mrg_jump(int32_t *row, MrgJump by);
extern const uint32_t mrg_jumps[3][2][3][3]; /* by MrgJump and half: what multiplies it, modulo its prime */

/* n samples, C order; `to` gets the states after it (may be `from`; NULL: nobody wants them). d: float32 or float64. */
typedef struct MrgDraw {
    const int32_t *from;
    int32_t *to;
    int64_t streams, n;
    ThDtype d;
    void *out;       /* NULL: only `done` sees them, some at a time */
    RandomDone done; /* or NULL */
    void *user;
    int64_t first; /* number of sample 0 among all that is drawn */
    bool valid;    /* the states were looked at */
} MrgDraw;
/* Streams come in blocks, which share nothing and may be drawn at the same time. */
int64_t mrg_blocks(const MrgDraw *w);
bool mrg_block(const MrgDraw *w, int64_t block); /* false: a stream that gives a sample has no state; unfinished */
/* Streams of it that give a sample at all. */
static inline int64_t mrg_used(const MrgDraw *w) { return w->n < w->streams ? w->n : w->streams; }

/* ---- the loops, one source for each instruction set -------------------------------------------------------------- */
enum { MRG_WIDE = 1024 }; /* streams of a block: its states stay in the nearest cache, its rows are whole lines */
typedef struct MrgBlock {
    int32_t *x[MRG_STATE];     /* x11 .. x23 of all lanes; rotated as rows are drawn */
    int64_t lanes, rows, step; /* rows are `step` samples apart */
    void *out;
} MrgBlock;
typedef void (*MrgRows)(MrgBlock *b);
typedef struct MrgKernels {
    bool (*valid)(const int32_t *rows, int64_t n);
    void (*load)(MrgBlock *b, const int32_t *rows);
    bool (*loaded_valid)(const MrgBlock *b);
    void (*store)(const MrgBlock *b, int32_t *rows, int64_t lanes);
    MrgRows f32, f64;
} MrgKernels;
extern const MrgKernels mrg_kernels_sse2;
#if TH_WIDE
extern const MrgKernels mrg_kernels_avx2, mrg_kernels_avx512;
#endif

#endif
