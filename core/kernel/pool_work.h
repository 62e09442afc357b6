/*
 * pool_work.h -- pooling of floats over two dimensions as plain numbers: what operations hand to the library's kernels
 * (core/runtime/pool/pool.c), in a STAGE_POOL or through HostServices.pool. Arrays are dense; lengths positive, but for
 * results without elements.
 *
 * A STAGE_POOL has as sizes, in this order: mode, ignore_border; images and channels; for each dimension window, step,
 * pad and the lengths of image and result.
 */
#ifndef TH_POOL_WORK_H
#define TH_POOL_WORK_H

#include "call_work.h"

/* Where some of them stand: of dimension d, POOL_AT_EACH * d further. */
enum { POOL_AT_IMAGES = 2, POOL_AT_CHANNELS = 3, POOL_AT_IN = 7, POOL_AT_EACH = 5 };
enum { POOL_NUMBERS = 4 + 5 * 2 };
typedef enum { POOL_MAX, POOL_SUM, POOL_INC_PAD, POOL_EXC_PAD } PoolMode;

/* Window q of a dimension covers q * st - pad .. + ws, of which what lies outside of the image takes no part. */
typedef struct PoolWork {
    ThDtype dtype; /* float32 or float64 */
    PoolMode mode;
    bool ignore_border;
    int64_t images, h, w, oh, ow, ws[2], st[2], pad[2]; /* images: of all channels */
    const char *x, *m, *g; /* images; for a gradient what comes back, and of maxima images and them, or NULL.. */
    char *to;              /* ..which are found then; to images, else results */
    bool back;
    CallDone done; /* of results: called with images and channels, once for each, from any thread; or NULL */
    void *user;
    int64_t channels, image0; /* channels of an image; the work's first image (of all channels) among all */
} PoolWork;

#endif
