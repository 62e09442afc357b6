/*
 * attention_work.h -- softmax(scale q . k + mask) . v and its gradient as what operations hand to the side where their
 * arrays lie (HostServices.attention). q: (batch, query, feature), k: (batch, feature, key), v: (batch, key, value),
 * floats of one dtype, or for a device halves of one, with float32 for all that is none of these and dz; mask: (batch,
 * query, key), each of which may be 1: numbers to add, or bools.
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
    const ThArray *q, *k, *v, *mask; /* mask: NULL for ATTENTION_PLAIN */
    AttentionMask kind;
    double scale, fill;
    int64_t each;   /* so many neighbours of the batch share a matrix of the mask, whose matrices then take turns */
    ThArray *z;     /* result; of the gradient what was one, where the graph has it (for a device), or NULL */
    ThArray *stats; /* (batch, query, 2): maximum of a row of scores, and one over its sum of exponentials; the gradient
                       reads it */
    const ThArray *dz; /* NULL: the result is asked for */
    ThArray *dq, *dk, *dv;
} AttentionWork;

#endif
