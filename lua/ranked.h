/*
 * ranked.h -- the ranks of an Open MPI job for the engine (ThRanks): what functions reduce over them.
 */
#ifndef LT_RANKED_H
#define LT_RANKED_H

#include "collective.h"

typedef struct Ranked Ranked;

/* The context's from now on; asked(): whether this process was told to end. NULL: no memory, or the context's error. */
Ranked *ranked_open(ThContext *c, Mpi *m, int rank, int size, int (*asked)(void));
void ranked_close(Ranked *r);
bool ranked_asked(const Ranked *r); /* some rank was told to end, as of the last result */

#endif
