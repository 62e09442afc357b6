/* draw.h -- draws of random numbers. */
#ifndef TH_RUNTIME_DRAW_H
#define TH_RUNTIME_DRAW_H

#include "kernel/draw_work.h"
#include "graph/op.h"

/* A STAGE_DRAW: 0, or nonzero with the error set. done: what follows, or NULL; c NULL: only it sees the numbers. */
int draw_call(HostCall *h, const CallWork *call, RandomDone done, void *user);

#endif
