/*
 * eval.h -- runs a Nest without a compiler, node by node as the emitters print it: vectors are rows of lanes, names of
 * C are values that are there or not, memory is looked at before it is touched. Scalar functions are the interpreter's.
 * What C would refuse (a name that is not there), what lies outside of an array, and threads that see what others write
 * without waiting for them make a run EVAL_WRONG, with words.
 */
#ifndef NEST_EVAL_H
#define NEST_EVAL_H

#include "runtime/interp/unit.h"
#include "schedule/nest.h"

#include <stdio.h>
#include <stdlib.h>

enum { EVAL_LANES = 16, EVAL_VECTORS = 128, EVAL_THREADS = 256, EVAL_VALUE = EVAL_LANES * 16, EVAL_PARTS = 4 };

typedef struct Memory { /* a kernel-local buffer */
    char *at;
    int64_t bytes;
} Memory;

typedef enum { EVAL_OK, EVAL_FAILED /* as the kernel may: kind says how */, EVAL_WRONG } EvalEnd;

/* All lanes that a value has not are filled too: single values stand in each. */
typedef struct Value {
    bool there;
    int lanes;
    _Alignas(64) char at[EVAL_VALUE];
} Value;

/* The accumulators of one reduction, of one vector. */
typedef struct RedState {
    bool begun, ended;
    int lanes; /* of r */
    char acc[EVAL_VALUE], best[EVAL_VALUE], r[EVAL_VALUE];
    int64_t at[EVAL_LANES];
} RedState;

typedef struct Eval {
    ThContext *c;
    const Kernel *k;
    const IKernel *ik;
    const SimdTable *simd;
    const Nest *nest;
    Memory *buf;
    const int64_t *sym;
    uint64_t seed;                                      /* of the order in which pieces and points run */
    int (*product)(struct Eval *e, const LoopStage *s); /* all of a product */
    void *user;
    /* what came of it */
    EvalEnd end;
    int kind;
    char why[160];
    /* the run */
    Value *value; /* by id */
    RedState *red, *threads;
    char *columns; /* w<red>[SIDE_MOST] */
    char *array;   /* by access, SIDE_MOST or 2 lanes vectors */
    char *regs;
    int *made, nmade; /* ids in the order in which they came, for the ends of scopes */
    const NestWay *way;
    const LoopStage *s;
    int lanes, vector, u;
    bool tail, split, block;
    int64_t n[KDIM], i[KDIM], j[KDIM], m, row0, t, flat, tile[2], side[2];
    bool in[KDIM]; /* the loop of the dim is around */
    const LoopStage *tiled;
    /* the neighbours of a GPU's point: where they begin, how many there are, and what they load or store, by id */
    int64_t begin;
    int there, lane;
    bool beyond; /* this neighbour is not there */
    char *together;
    /* a point's parts: which one runs, what the reductions of each were, how many are done; the others are over */
    int part, parts, ended;
    bool stop;
    RedState *kept;
    /* a block of threads: who wrote what since they last waited */
    int thread;
    uint32_t epoch;
    uint64_t **writer;
} Eval;

/* What stands in e besides the outcome: c, k, ik, nest, buf, sym, seed, product. Memory comes with eval_room. */
bool eval_room(Eval *e);
void eval_room_free(Eval *e);
EvalEnd nest_eval(Eval *e);

/* ---- between the files ---- */
bool eval_wrong(Eval *e, const char *format, ...) TH_PRINTF(2, 3); /* false */
int eval_pick(Eval *e, int n);
int64_t eval_size(const Eval *e, Size s);
static inline char *eval_together(Eval *e, int id, int lane) { return e->together + (id * EVAL_LANES + lane) * 16; }
static inline char *eval_array(Eval *e, int acc) { return e->array + (size_t)acc * SIDE_MOST * EVAL_VALUE; }
/* values.c */
bool eval_code(Eval *e, const int *ids, int n, bool once);
bool eval_move(Eval *e, const NestNode *n);
bool eval_copy(Eval *e, const int *ids);
bool eval_seek(Eval *e); /* what its row is reduced to is found otherwise */
void eval_made(Eval *e, int id, int lanes);
bool eval_cast(Eval *e, char *to, ThDtype d, const char *from, ThDtype f);
/* reds.c */
RedState *eval_red(Eval *e, int red, int vector);
bool eval_acc(Eval *e, const NestNode *n);
bool eval_turns(Eval *e, const NestNode *n, bool begin);
bool eval_join(Eval *e, const RedState *part, RedState *all, int64_t first, bool start);
bool eval_fold(Eval *e, int red, RedState *of_threads);
bool eval_parts(Eval *e, int red, int n); /* the last part folds what all have kept */

#endif
