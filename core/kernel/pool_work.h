/*
 * pool_work.h -- pooling of floats over two dimensions as plain numbers: what the operations (core/ops) hand to the
 * library's kernels (core/runtime/pool/pool.c) through HostCall.pool. Arrays are dense; lengths positive, but for
 * results without elements, which nobody hands over.
 */
#ifndef TH_POOL_WORK_H
#define TH_POOL_WORK_H

#include "base/base.h"

typedef enum { POOL_MAX, POOL_SUM, POOL_INC_PAD, POOL_EXC_PAD } PoolMode;

/* Window q of a dimension covers q * st - pad .. + ws, of which what lies outside of the image takes no part. */
typedef struct PoolWork {
    ThDtype dtype; /* float32 or float64 */
    PoolMode mode;
    bool ignore_border;
    int64_t images, h, w, oh, ow, ws[2], st[2], pad[2];
    const char *x, *m, *g; /* images; and for a gradient maxima (or NULL, x too: sum or mean) and what comes back.. */
    char *to;              /* .. which goes to images, else results */
    bool back;
} PoolWork;

#endif
