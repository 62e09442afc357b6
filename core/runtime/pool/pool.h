/* pool.h -- pooling of floats over two dimensions. */
#ifndef TH_RUNTIME_POOL_H
#define TH_RUNTIME_POOL_H

#include "kernel/pool_work.h"
#include "graph/op.h"

/* HostServices.pool: 0, or nonzero with the error set. The result does not overlap its operands. */
int pool_host(HostCall *h, const PoolWork *w);

/* A STAGE_POOL as a work, and that done. */
void pool_work(PoolWork *w, const CallWork *call);
int pool_call(HostCall *h, const CallWork *call);

#endif
