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

#endif
