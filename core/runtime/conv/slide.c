/*
 * slide.c -- what the ways of convolution that read images in place share: where windows start, and copies of one
 * image with its padding.
 * In: a ConvWork. Out: offsets in elements, in the order in which sums run.
 */
#include "parts.h"

#include <string.h>

enum { SLACK = GEMM_MAX_NR_BYTES / 4 }; /* behind the copy: rows end with whole vectors */

ConvSlid conv_slid_of(const ConvWork *w) {
    ConvSlid s = {.copied = w->image_st[1 + w->ndim] != 1 && w->in[w->ndim - 1] > 1};
    for (int d = 0; d < w->ndim; d++) {
        s.len[d] = (w->out[d] - 1) * w->step[d] + (w->size[d] - 1) * w->dilation[d] + 1;
        s.copied = s.copied || w->pad[d] > 0 || s.len[d] - w->pad[d] > w->in[d];
        s.st[d] = w->image_st[2 + d];
    }
    s.channel = w->image_st[1];
    if (!s.copied) {
        for (int d = 0; d < w->ndim; d++) s.first -= w->pad[d] * s.st[d];
        return s;
    }
    s.elements = 1;
    for (int d = w->ndim - 1; d >= 0; d--) s.st[d] = s.elements, s.elements *= s.len[d];
    s.channel = s.elements;
    s.elements = s.elements * w->channels + SLACK + max64(w->pad[w->ndim - 1], 0);
    return s;
}

/* Rows and columns of a channel at a time: what ends a row with zeros is overwritten by the row behind it, so the
 * padding stays as the first image found it. */
void conv_copy_image(const ConvRun *r, const ConvSlid *s, char *to, const char *image, bool first) {
    const ConvWork *w = r->w;
    const int64_t item = r->item, across = s->len[w->ndim - 1];
    int64_t n[CONV_DIMS] = {1, 1, 1}, st[CONV_DIMS] = {0}, from[CONV_DIMS] = {0}, at = 0;
    if (first) memset(to, 0, (size_t)(s->elements * item));
    for (int d = w->ndim - 1, k = CONV_DIMS - 1; d >= 0; d--, k--) { /* the last dimensions */
        const int64_t pad = max64(w->pad[d], 0), skip = max64(-w->pad[d], 0);
        n[k] = min64(s->len[d] - pad, w->in[d] - skip);
        if (n[k] <= 0) return;
        st[k] = s->st[d], from[k] = w->image_st[2 + d];
        at += pad * st[k], image += skip * from[k] * item;
    }
    for (int64_t c = 0; c < w->channels; c++)
        for (int64_t z = 0; z < n[0]; z++)
            r->kern->pack_b(to + (c * s->channel + z * st[0] + at) * item, across,
                            image + (c * w->image_st[1] + z * from[0]) * item, from[1], from[2], n[1], n[2]);
}

/* ---- lists of offsets -------------------------------------------------------------------------------------------- */
/* The taps but for the last dimension: offsets into the slid image and into the filters. */
int64_t conv_tap_rows(const ConvWork *w) {
    int64_t n = w->channels;
    for (int d = 0; d < w->ndim - 1; d++) n *= w->size[d];
    return n;
}

void conv_list_taps(const ConvWork *w, const ConvSlid *s, int64_t *image, int64_t *filter) {
    int64_t i[1 + CONV_DIMS] = {0}, n = conv_tap_rows(w);
    for (int64_t k = 0; k < n; k++) {
        image[k] = i[0] * s->channel, filter[k] = i[0] * w->filter_st[1];
        for (int d = 0; d < w->ndim - 1; d++) {
            image[k] += i[1 + d] * w->dilation[d] * s->st[d];
            filter[k] += i[1 + d] * w->filter_st[2 + d];
        }
        int d = w->ndim - 1;
        while (d > 0 && ++i[d] == w->size[d - 1]) i[d--] = 0;
        if (d == 0) i[0]++;
    }
}

int64_t conv_out_rows(const ConvWork *w) {
    int64_t n = 1;
    for (int d = 0; d < w->ndim - 1; d++) n *= w->out[d];
    return n;
}

/* Rows of one result: offsets into the slid image and into top. */
void conv_list_rows(const ConvWork *w, const ConvSlid *s, int64_t *image, int64_t *top) {
    int64_t i[CONV_DIMS] = {0}, n = conv_out_rows(w);
    for (int64_t k = 0; k < n; k++) {
        image[k] = top[k] = 0;
        for (int d = 0; d < w->ndim - 1; d++) {
            image[k] += i[d] * w->step[d] * s->st[d];
            top[k] += i[d] * w->top_st[2 + d];
        }
        for (int d = w->ndim - 2; d >= 0 && ++i[d] == w->out[d] && d > 0; d--) i[d] = 0;
    }
}
