/*
 * attention_work.h -- softmax(scale q . k + mask) . v and its gradient as what operations hand to the side where their
 * arrays lie (HostServices.attention). q: (batch, query, feature), k: (batch, feature, key), v: (batch, key, value),
 * floats of one dtype, or for a device halves of one, with float32 for all that is none of these and dz; mask: (batch,
 * query, key), each of which may be 1: numbers to add, or bools. `heads`: q, k, v, dz, z and gradients are (batch,
 * position, head, feature), the mask's batch and the others' is all heads of all the batch.
 */
#ifndef TH_ATTENTION_WORK_H
#define TH_ATTENTION_WORK_H

#include "base/base.h"

typedef enum {
    ATTENTION_PLAIN,
    ATTENTION_ADD,  /* scores + mask */
    ATTENTION_KEEP, /* mask ? scores : fill */
    ATTENTION_FILL  /* mask ? fill : scores */
} AttentionMask;

typedef struct AttentionWork {
    bool heads;
    const ThArray *q, *k, *v, *mask; /* mask: NULL for ATTENTION_PLAIN */
    AttentionMask kind;
    double scale, fill;
    int64_t each;   /* so many neighbours of the batch share a matrix of the mask, whose matrices then take turns */
    ThArray *z;     /* result; of the gradient what was one, where the graph has it (for a device), or NULL */
    ThArray *stats; /* (batch, query, 2): maximum of a row of scores, and one over its sum of exponentials; the gradient
                       reads it */
    ThArray *low;   /* the result rounded to the operands' half, or NULL */
    const ThArray *dz; /* NULL: the result is asked for */
    ThArray *dq, *dk, *dv;
} AttentionWork;

/* ---- a device's kernels (attention.c): what they do is known before they run ------------------------------------- */
typedef struct AttentionLengths {
    int64_t batch, queries, keys, deep, wide; /* deep: features of q and k; wide: of v */
    bool narrow;                              /* gradients of halves are halves: dq is summed in memory of its own */
} AttentionLengths;
/* Of a block: rows of its own side, and columns of a result; more of these are another block's. */
typedef struct AttentionTile {
    int64_t rows, cols;
} AttentionTile;
typedef struct AttentionSplit {
    int64_t parts;    /* of a result's columns, each of which computes the scores */
    int64_t segments; /* of the keys, each with a dq of its own; 0: dq is a kernel's of its own */
    int launches;
    double products; /* FLOPs of all products */
    double aside;    /* bytes that kernels before and behind the products move */
    double extra;    /* bytes that all kernels move besides operands and results, each once */
    double moved;    /* bytes that blocks of products read and write, those that many read counted for each */
} AttentionSplit;
AttentionTile attention_tile(ThDtype d);
AttentionSplit attention_result(ThDtype d, const AttentionLengths *n); /* of no gradient: one kernel */
AttentionSplit attention_split(ThDtype d, const AttentionLengths *n);

#endif
