/*
 * call.c -- a stage of a kernel that is a convolution.
 * In: its numbers as conv_work.h lists them, where its operands lie. Out: its result, every element, and `done` for all
 * of it.
 */
#include "parts.h"

#include <string.h>

static int64_t next(const int64_t **at) { return *(*at)++; }

static void strides(const int64_t **at, int64_t *st, int n) {
    memcpy(st, *at, (size_t)n * sizeof *st);
    *at += n;
}

/* A sum of nothing. */
static void clear(const ConvWork *w) {
    int64_t n = w->images * w->groups * w->filters;
    for (int d = 0; d < w->ndim; d++) n *= w->out[d];
    memset(w->top, 0, (size_t)n * th_dtype_bytes(w->dtype));
}

int conv_call(HostCall *h, ThDtype dtype, const int64_t *numbers, const ConvWork *where) {
    const int64_t *at = numbers;
    ConvWork w = *where;
    w.dtype = dtype, w.target = CONV_TO_TOP;
    w.ndim = (int)next(&at);
    w.groups = next(&at);
    w.images = next(&at);
    int64_t filters = next(&at), channels = next(&at);
    w.filters = filters / w.groups, w.channels = channels / w.groups;
    bool some = w.channels > 0, none = w.images == 0 || w.filters == 0;
    for (int d = 0; d < w.ndim; d++) {
        w.step[d] = next(&at), w.dilation[d] = next(&at), w.pad[d] = next(&at);
        w.in[d] = next(&at), w.size[d] = next(&at), w.out[d] = next(&at);
        some = some && w.in[d] > 0;
        none = none || w.out[d] == 0;
    }
    strides(&at, w.image_st, 2 + w.ndim);
    strides(&at, w.filter_st, 2 + w.ndim);
    strides(&at, w.top_st, 2 + w.ndim);
    if (none) return 0;
    if (some) return conv_host(h, &w);
    clear(&w);
    if (w.done) w.done(w.user, 0, w.images, 0, filters);
    return 0;
}
