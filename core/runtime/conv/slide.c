/*
 * slide.c -- what the ways of convolution that read images in place share: where windows start, and copies of one
 * image with its padding.
 * In: a ConvWork. Out: offsets in elements, in the order in which sums run.
 */
#include "parts.h"

#include <string.h>

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
    s.elements *= w->channels;
    return s;
}

/* One row of the copy: from the image where it lies inside, else zeros. */
static void copy_row(const ConvWork *w, const ConvSlid *s, char *to, const char *from, bool inside, int64_t item) {
    int last = w->ndim - 1;
    int64_t n = s->len[last], lo = w->pad[last] > 0 ? w->pad[last] : 0, skip = w->pad[last] < 0 ? -w->pad[last] : 0;
    int64_t hi = min64(n, lo + w->in[last] - skip), st = w->image_st[2 + last] * item;
    if (!inside || hi <= lo) {
        memset(to, 0, (size_t)(n * item));
        return;
    }
    memset(to, 0, (size_t)(lo * item));
    memset(to + hi * item, 0, (size_t)((n - hi) * item));
    from += skip * st;
    if (st == item) memcpy(to + lo * item, from, (size_t)((hi - lo) * item));
    else
        for (int64_t i = lo; i < hi; i++, from += st) memcpy(to + i * item, from, (size_t)item);
}

void conv_copy_image(const ConvWork *w, const ConvSlid *s, char *to, const char *image, int64_t item) {
    int64_t rows = s->elements / s->len[w->ndim - 1], row_bytes = s->len[w->ndim - 1] * item;
    int64_t i[1 + CONV_DIMS] = {0};
    for (int64_t r = 0; r < rows; r++, to += row_bytes) {
        bool inside = true;
        int64_t at = i[0] * w->image_st[1];
        for (int d = 0; d < w->ndim - 1; d++) {
            int64_t p = i[1 + d] - w->pad[d];
            inside = inside && p >= 0 && p < w->in[d];
            at += p * w->image_st[2 + d];
        }
        copy_row(w, s, to, image + (inside ? at : 0) * item, inside, item);
        int d = w->ndim - 1;
        while (d > 0 && ++i[d] == s->len[d - 1]) i[d--] = 0;
        if (d == 0) i[0]++;
    }
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
