/*
 * call.c -- a stage of a kernel that is a convolution.
 * In: its numbers as conv_work.h lists them, where its operands lie; the pooling that it feeds. Out: its result, every
 * element, and `done` for all of it; or what is pooled of that.
 */
#include "parts.h"
#include "runtime/pool/pool.h"

#include <string.h>

static int64_t next(const int64_t **at) { return *(*at)++; }

static void strides(const int64_t **at, int64_t *st, int n) {
    memcpy(st, *at, (size_t)n * sizeof *st);
    *at += n;
}

bool conv_work(ConvWork *to, const CallWork *conv) {
    const int64_t *at = conv->numbers;
    ConvWork w = {.dtype = (ThDtype)conv->dtype, .target = CONV_TO_TOP, .image = (char *)conv->a};
    w.filter = (char *)conv->b, w.top = conv->c, w.done = conv->done, w.user = conv->user;
    w.ndim = (int)next(&at);
    w.groups = next(&at);
    w.images = next(&at);
    int64_t filters = next(&at), channels = next(&at);
    w.filters = filters / w.groups, w.channels = channels / w.groups;
    bool some = w.images > 0 && w.filters > 0;
    for (int d = 0; d < w.ndim; d++) {
        w.step[d] = next(&at), w.dilation[d] = next(&at), w.pad[d] = next(&at);
        w.in[d] = next(&at), w.size[d] = next(&at), w.out[d] = next(&at);
    }
    strides(&at, w.image_st, 2 + w.ndim);
    strides(&at, w.filter_st, 2 + w.ndim);
    strides(&at, w.top_st, 2 + w.ndim);
    *to = w;
    return some;
}

int conv_call(HostCall *h, const CallWork *conv, const CallWork *pool, char **into) {
    ConvWork w;
    bool some = conv_work(&w, conv);
    for (int d = 0; d < w.ndim; d++) some = some && (w.out[d] > 0 || pool);
    if (!some) return 0;
    PoolWork p;
    if (pool) pool_work(&p, pool), w.pool = &p, w.at = into;
    return pool && (p.oh == 0 || p.ow == 0) ? 0 : conv_host(h, &w);
}
