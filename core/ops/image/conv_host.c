/*
 * conv_host.c -- convolutions of float32 and float64 as one call of the library's kernels on whole arrays.
 * In: the operands as arrays. Out: the result, written whole. Flipped filters are their last element and negative
 * strides; a stack is one call after the other.
 */
#include "graph/services.h"
#include "conv.h"
#include "ops/table/host.h"

#include <string.h>

bool conv_hosted(const ThApply *a) {
    ThDtype d = (ThDtype)a->out[0]->type.dtype;
    return dtype_is_float(d) && a->in[0]->type.dtype == d && a->in[1]->type.dtype == d &&
           !ATTRS(ConvAttrs, a)->unshared;
}

typedef struct Operand {
    const ThArray *a;
    const int64_t *shape;
    int64_t st[3 + CONV_MAX]; /* elements; without the stacked dimension */
    int64_t stack;            /* bytes */
} Operand;

static Operand operand(const ConvAttrs *at, const ThArray *a) {
    Operand o = {.a = a, .shape = ARRAY_SHAPE(a) + at->stacked};
    int64_t item = (int64_t)th_dtype_bytes((ThDtype)a->dtype);
    const int64_t *st = ARRAY_STRIDES(a);
    if (at->stacked) o.stack = ARRAY_SHAPE(a)[0] == 1 ? 0 : st[0];
    for (int d = at->stacked; d < a->ndim; d++) o.st[d - at->stacked] = st[d] / item;
    return o;
}

/* The numbers of one convolution; false: there is nothing to compute. */
static bool describe(const HostCall *h, const ConvAttrs *at, const Operand *image, const Operand *filter,
                     const Operand *top, ConvWork *w) {
    *w = (ConvWork){.dtype = (ThDtype)h->out[0]->dtype, .ndim = (int)at->ndim, .groups = at->groups};
    w->images = image->shape[0], w->channels = image->shape[1] / at->groups, w->filters = filter->shape[0] / at->groups;
    w->image = image->a->data, w->filter = filter->a->data, w->top = top->a->data;
    memcpy(w->image_st, image->st, sizeof w->image_st);
    memcpy(w->filter_st, filter->st, sizeof w->filter_st);
    memcpy(w->top_st, top->st, sizeof w->top_st);
    int64_t item = (int64_t)th_dtype_bytes(w->dtype);
    bool some = w->images > 0 && w->channels > 0 && w->filters > 0;
    for (int d = 0; d < at->ndim; d++) {
        w->in[d] = image->shape[2 + d], w->size[d] = filter->shape[2 + d], w->out[d] = top->shape[2 + d];
        w->step[d] = at->subsample.at[d], w->dilation[d] = at->dilation.at[d];
        int64_t reach = (w->size[d] - 1) * w->dilation[d] + 1;
        w->pad[d] = at->border == CONV_PADS   ? at->pad.at[2 * d]
                    : at->border == CONV_HALF ? reach / 2
                    : at->border == CONV_FULL ? reach - 1
                                              : 0;
        some = some && w->in[d] > 0 && w->out[d] > 0;
        if (!at->flip) continue;
        w->filter += (w->size[d] - 1) * w->filter_st[2 + d] * item;
        w->filter_st[2 + d] = -w->filter_st[2 + d];
    }
    return some;
}

int conv_host_run(HostCall *h) {
    const ConvAttrs *at = h->attrs;
    ConvRole role = conv_role(h->op);
    const ThArray *none = h->out[0], *x = h->in[0], *y = h->in[1];
    Operand image = operand(at, role == CONV_INPUTS ? none : x);
    Operand filter = operand(at, role == CONV_FORWARD ? y : role == CONV_INPUTS ? x : none);
    Operand top = operand(at, role == CONV_FORWARD ? none : y);
    ConvWork w;
    if (h->out[0]->size == 0) return 0;
    bool some = describe(h, at, &image, &filter, &top, &w);
    if (!some) memset(h->out[0]->data, 0, (size_t)h->out[0]->size * th_dtype_bytes(w.dtype)); /* a sum of nothing */
    if (!some) return 0;
    w.target = role == CONV_FORWARD ? CONV_TO_TOP : role == CONV_INPUTS ? CONV_TO_IMAGE : CONV_TO_FILTER;
    int64_t n = at->stacked ? ARRAY_SHAPE(h->out[0])[0] : 1;
    for (int64_t i = 0; i < n; i++) {
        if (h->lib->conv(h, &w)) return 1;
        w.image += image.stack, w.filter += filter.stack, w.top += top.stack;
    }
    return 0;
}
