/*
 * packs.h -- private to the call path: weights that stay packed between calls (packs.c).
 */
#ifndef TH_PACKS_H
#define TH_PACKS_H

#include "function.h"
#include "runtime/gemm/gemm.h"

typedef struct Pack {
    struct Pack *next;
    const Shared *of; /* the plan holds it */
    ThDtype dtype;
    int64_t k, n, brs;
    uint64_t written; /* Shared.written when it was looked at */
    bool seen, made;
    void *panels;
    size_t bytes;
} Pack;

/* Lets g read its b packed, where that is allowed and pays; b's values are packed at the second sight. 0, or an error
 * that is set. */
int packs_use(Workspace *w, GemmArgs *g);
void packs_free(Workspace *w);
/* Which shareds are right operands of products in loops, and of none once something is written that outlives the call.
 * shared_buf: their buffers; turns: nshared marks, all false before. False with MemoryError. */
bool packs_turns(const Plan *p, const int *shared_buf, bool *turns);

#endif
