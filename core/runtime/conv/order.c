/*
 * order.c -- the order in which a convolution's sums run. In: a work of lengths. Out: the way that it goes, and where
 * the way's chains begin and end. Nothing is computed: each way tells where it would begin to.
 */
#include "parts.h"
#include "runtime/machine/cpu.h"

static bool is_empty(const ConvWork *w) {
    bool none = w->channels == 0 || w->images == 0 || w->filters == 0;
    for (int d = 0; d < w->ndim; d++) none = none || w->in[d] == 0 || w->out[d] == 0 || w->size[d] == 0;
    return none;
}

int conv_order(HostCall *h, const ConvWork *w, bool tiles, ConvOrder *to) {
    static const ConvFn one[] = {conv_top, conv_image, conv_filter};
    const Cpu *cpu = cpu_of(h->ctx);
    *to = (ConvOrder){.way = CONV_GEMM, .parts = 1, .images = w->images, .work = *w};
    if (!cpu) return 1;
    if (is_empty(w)) return 0;
    ConvRun r = {.h = h, .w = w, .whole = w, .kern = cpu->gemm[w->dtype == TH_FLOAT64], .order = to};
    r.item = (int64_t)th_dtype_bytes(w->dtype);
    r.way = conv_way(&r);
    to->fft = r.way == CONV_FFT;
    if (to->fft || (conv_is_winograd(r.way) && (tiles || !conv_winograd_applies(&r)))) r.way = CONV_AUTO;
    to->parts = conv_parts(w, &to->images);
    ConvWork part = *w;
    part.groups = 1, part.images = to->images, part.done = NULL, part.pool = NULL;
    r.w = &part;
    return one[w->target](&r, 0);
}
