/*
 * spread.c -- gradient for images of a convolution over two dimensions with small maps: one row of as many images
 * as a tile has rows at a time. An element of the gradient of the result times the filters' rows that reach the row of
 * the image is a run of (tap across, channel) sums, which are added at once where the window lies.
 * In: a group of a ConvWork. Out: its images, or false where this way does not apply.
 */
#include "parts.h"

#include <math.h>
#include <string.h>

enum { ROWS = GEMM_MR };

typedef struct Spread {
    const ConvRun *r;
    int64_t run, vecs, blocks, stride; /* lanes of a run of sums; its vectors; in blocks of at most nv; lanes of one */
    int64_t width;                     /* of a row of images with its padding */
    char *filters, *tops, *row, *sums;
    int64_t *top_at, *filter_at; /* the filter's rows that reach a row */
} Spread;

static int64_t vector_at(const Spread *s, int64_t block) { return s->vecs * block / s->blocks; }

/* Filters as blocks of (row of the filter, filter) x (lane of the run). */
static void pack_runs(const Spread *s, const char *from) {
    const ConvWork *w = s->r->w;
    int64_t item = s->r->item, vl = s->r->kern->vl;
    char *to = s->filters;
    for (int64_t b = 0; b < s->blocks; b++) {
        int64_t lane0 = vector_at(s, b) * vl, lanes = min64(vector_at(s, b + 1) * vl, s->run) - lane0;
        for (int64_t y = 0; y < w->size[0]; y++)
            for (int64_t o = 0; o < w->filters; o++, to += s->stride * item) {
                for (int64_t i = 0; i < lanes; i++) {
                    int64_t x = (lane0 + i) / w->channels, c = (lane0 + i) % w->channels;
                    int64_t at = o * w->filter_st[0] + c * w->filter_st[1] + y * w->filter_st[2] + x * w->filter_st[3];
                    memcpy(to + i * item, from + at * item, (size_t)item);
                }
                memset(to + lanes * item, 0, (size_t)((s->stride - lanes) * item));
            }
    }
}

/* The rows of the filter that reach row y of the image. */
static int64_t list_reaching(const Spread *s, int64_t y, int64_t images) {
    const ConvWork *w = s->r->w;
    int64_t n = 0;
    for (int64_t f = 0; f < w->size[0]; f++) {
        int64_t at = y + w->pad[0] - f * w->dilation[0];
        if (at < 0 || at % w->step[0] || at / w->step[0] >= w->out[0]) continue;
        s->top_at[n] = at / w->step[0] * w->out[1] * w->filters * images;
        s->filter_at[n++] = f * w->filters * s->stride;
    }
    return n;
}

/* Adds to the row of `images` images all that column x of the result gives. */
static void spread_place(const Spread *s, ConvTile *t, int64_t images, int64_t x) {
    const ConvRun *r = s->r;
    const ConvWork *w = r->w;
    int64_t vl = r->kern->vl, all = s->vecs * vl;
    const char *top = t->a, *filters = t->b;
    t->a = top + x * w->filters * images * r->item;
    for (int64_t b = 0; b < s->blocks; b++) {
        int vecs = (int)(vector_at(s, b + 1) - vector_at(s, b));
        t->b = filters + b * w->size[0] * w->filters * s->stride * r->item;
        t->c = s->sums + vector_at(s, b) * vl * r->item;
        r->kern->window[images - 1][vecs - 1](t);
    }
    t->a = top, t->b = filters;
    r->kern->add_rows(s->row + x * w->step[1] * w->channels * r->item, s->width * w->channels, s->sums, all, images,
                      s->run);
}

/* Gradients of the results of `images` images as (place) x (filter) x (image). */
static void pack_tops(const Spread *s, const char *top, int64_t images) {
    const ConvWork *w = s->r->w;
    int64_t item = s->r->item;
    char *to = s->tops;
    for (int64_t y = 0; y < w->out[0]; y++)
        for (int64_t x = 0; x < w->out[1]; x++, to += w->filters * images * item)
            s->r->kern->pack_a(to, top + (y * w->top_st[2] + x * w->top_st[3]) * item, w->top_st[0], w->top_st[1],
                               images, w->filters);
}

static void spread_images(const Spread *s, const char *top, char *image, int64_t images) {
    const ConvRun *r = s->r;
    const ConvWork *w = r->w;
    int64_t item = r->item;
    ConvTile t = {.len = w->filters,
                  .aseg = s->top_at,
                  .bseg = s->filter_at,
                  .a = s->tops,
                  .acs = images,
                  .b = s->filters,
                  .brs = s->stride,
                  .crs = s->vecs * r->kern->vl};
    for (int64_t i = 0; i < images; i++) t.arow[i] = i;
    pack_tops(s, top, images);
    for (int i = 0; i < r->kern->nv; i++) t.bvec[i] = t.cvec[i] = i * r->kern->vl;
    for (int64_t y = 0; y < w->in[0] && !host_leaves(r->h); y++) {
        memset(s->row, 0, (size_t)(images * s->width * w->channels * item));
        t.segs = list_reaching(s, y, images);
        for (int64_t x = 0; t.segs && x < w->out[1]; x++) spread_place(s, &t, images, x);
        for (int64_t i = 0; i < images; i++)
            r->kern->turn(image + (i * w->image_st[0] + y * w->image_st[2]) * item, w->image_st[1],
                          s->row + (i * s->width + w->pad[1]) * w->channels * item, w->channels, w->in[1], w->channels);
    }
}

static bool applies(const ConvWork *w) { return w->ndim == 2 && w->dilation[1] == 1 && w->image_st[3] == 1; }

/* Runs of taps in whole vectors, and for each place a row of runs that is added to memory. */
double conv_spread_cost(const ConvRun *r) {
    enum { BYTES = 64 }; /* multiplied in a cycle */
    const ConvWork *w = r->w;
    const int64_t vl = r->kern->vl, run = w->channels * w->size[1];
    if (!applies(w) || r->whole->images < ROWS || w->filters < 4 || w->size[1] == 1 || w->pad[1] < 0) return INFINITY;
    const double lanes = 1.05 / share_of(run, vl), vectors = (double)(up(run, vl) / vl);
    const double adds = (7.5 + 1.5 * vectors) * (double)(BYTES / r->item) / (double)(run * w->filters); /* cycles */
    return (double)(w->out[0] * w->out[1]) * (lanes + adds);
}

bool conv_spread_image(ConvRun *r, int64_t group, int *status) {
    const ConvWork *w = r->w;
    int64_t vl = r->kern->vl, item = r->item, rows = w->size[0];
    if (!applies(w)) return false;
    if (r->order) return r->order->way = CONV_SPREAD, *status = 0, true;
    Spread s = {.r = r, .run = w->channels * w->size[1]};
    s.vecs = up(s.run, vl) / vl;
    s.blocks = (s.vecs + r->kern->nv - 1) / r->kern->nv;
    for (int64_t b = 0; b < s.blocks; b++) s.stride = max64(s.stride, (vector_at(&s, b + 1) - vector_at(&s, b)) * vl);
    s.width = max64((w->out[1] - 1) * w->step[1] + w->size[1], w->pad[1] + w->in[1]);
    int64_t packed = s.blocks * rows * w->filters * s.stride * item, row = ROWS * s.width * w->channels * item;
    int64_t tops = ROWS * w->filters * w->out[0] * w->out[1] * item, sums = ROWS * s.vecs * vl * item;
    int64_t bytes =
        2 * up(rows * 8, CONV_ALIGN) + up(packed, CONV_ALIGN) + up(row, CONV_ALIGN) + up(tops, CONV_ALIGN) + sums;
    ConvRoom room = {r->h->room(r->h, (uint64_t)bytes)};
    if (!room.next) return *status = 1, true;
    s.top_at = take(&room, rows * 8), s.filter_at = take(&room, rows * 8);
    s.filters = take(&room, packed), s.row = take(&room, row), s.tops = take(&room, tops), s.sums = take(&room, sums);
    pack_runs(&s, w->filter + group * w->filters * w->filter_st[0] * item);
    const char *top = w->top + group * w->filters * w->top_st[1] * item;
    char *image = w->image + group * w->channels * w->image_st[1] * item;
    for (int64_t n = 0; n < w->images; n += ROWS)
        spread_images(&s, top + n * w->top_st[0] * item, image + n * w->image_st[0] * item, min64(ROWS, w->images - n));
    *status = 0;
    return true;
}
