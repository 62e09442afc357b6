/*
 * pool.c -- a convolution whose results are pooled: of as many images at a time as a near cache holds.
 * In: a run whose work has a PoolWork. Out: what that says, every element. Always holds: the bits are those of the two
 * apart, since the way is chosen by all images' lengths, and no result depends on which images run together.
 */
#include "parts.h"
#include "runtime/machine/parallel.h"
#include "runtime/pool/pool.h"

enum { NEAR_BYTES = 1 << 20 };

static int some_images(const ConvRun *all, ConvRunFn run, char *top, int64_t from, int64_t n) {
    const ConvWork *w = all->w;
    ConvWork part = *w;
    ConvRun r = *all;
    PoolWork pool = *w->pool;
    part.pool = NULL;
    part.images = n;
    part.image0 += from;
    part.image += from * w->image_st[0] * all->item;
    part.top = top;
    *w->at = (char *)((uintptr_t)top - (uintptr_t)(from * w->top_st[0] * all->item));
    r.w = r.whole = &part;
    if (run(&r)) return 1;
    pool.x = top;
    pool.image0 = from * pool.channels;
    pool.images = n * pool.channels;
    pool.to += pool.image0 * pool.oh * pool.ow * all->item;
    return pool_host(all->h, &pool);
}

int conv_pooled(const ConvRun *r, ConvRunFn run) {
    const ConvWork *w = r->w;
    HostCall call = *r->h;
    int64_t bytes = max64(w->top_st[0] * r->item, 1), many = max64(1, NEAR_BYTES * parallel_threads(call.ctx) / bytes);
    if (r->way == CONV_FFT) many = w->images; /* the filters are transformed once */
    many = min64(many, w->images);
    call.share = HOST_SHARES;
    char *top = call.room(&call, (size_t)(many * bytes));
    if (!top) return 1;
    for (int64_t n = 0; n < w->images; n += many)
        if (some_images(r, run, top, n, min64(many, w->images - n))) return 1;
    return 0;
}
