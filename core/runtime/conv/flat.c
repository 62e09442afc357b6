/*
 * flat.c -- places of a result in one line, over the ends of its rows: vectors are full where rows do not fill them.
 * In: a ConvWork whose windows step by one and whose tops have their places together. Out: copies of images, once for
 * each tap along their rows, so that what a vector of places reads lies together; gradients for filters as sums along
 * such lines.
 * Always holds: what pays is told by the whole's lengths, so a part goes the way of all.
 */
#include "parts.h"

#include <string.h>

enum {
    MR = GEMM_MR,
    ROOM_ALIGN = CONV_ALIGN,
    FLAT_BYTES = 256 * 1024, /* copies of an image that stay in a near cache */
    FLAT_NEAR = 64 * 1024,   /* ..in the nearest */
    FLAT_COPY = 8,           /* what a vector of a copy takes beside one of multiply-adds.. */
    FLAT_FOLD = 5,           /* ..and one whose lanes are added up */
    TOP_BYTES = 16 * 1024,   /* a panel of tops, and taps with all places, that are in the nearest cache together */
    TAP_BYTES = 48 * 1024,
    LINE_BYTES = 384 * 1024 /* copies of all images that are summed at once */
};
#define FLAT_FAR 0.85 /* tiles wait for what is not near */

/* (channel, tap along rows, y, x of the result) */
ConvSlid conv_flat_of(const ConvWork *w) {
    ConvSlid s = {.copied = true, .len = {w->out[0] + (w->size[0] - 1) * w->dilation[0], w->out[1]}};
    s.st[0] = w->out[1], s.st[1] = 1;
    s.channel = w->size[1] * s.len[0] * w->out[1];
    s.elements = w->channels * s.channel;
    return s;
}

static bool is_line(const ConvWork *w) {
    return w->ndim == 2 && w->step[0] == 1 && w->step[1] == 1 && w->top_st[3] == 1 && w->top_st[2] == w->out[1];
}

/* Vectors that are copied beside those that are summed for one channel. */
static double copies(const ConvRun *r, const ConvSlid *s) {
    const ConvWork *w = r->whole;
    const int64_t vl = r->kern->vl, vectors = up(w->out[0] * w->out[1], vl) / vl;
    const double copied = (double)(s->len[0] * (up(w->out[1], vl) / vl));
    return FLAT_COPY * copied / (double)(vectors * w->filters * w->size[0]);
}

double conv_flat_share(const ConvRun *r) {
    const ConvWork *w = r->whole;
    if (!is_line(w)) return 0;
    const ConvSlid s = conv_flat_of(w);
    const int64_t vl = r->kern->vl, places = w->out[0] * w->out[1];
    if (places < vl || s.elements > FLAT_BYTES / r->item) return 0;
    const double near = s.elements > FLAT_NEAR / r->item ? FLAT_FAR : 1;
    return near * share_of(places, vl) / (1 + copies(r, &s));
}

void conv_copy_flat(const ConvRun *r, const ConvSlid *slid, const ConvSlid *flat, char *to, const char *image) {
    const ConvWork *w = r->w;
    for (int64_t c = 0; c < w->channels; c++)
        for (int64_t x = 0; x < w->size[1]; x++, to += flat->len[0] * w->out[1] * r->item)
            r->kern->pack_b(to, w->out[1], image + (c * slid->channel + x * w->dilation[1]) * r->item, slid->st[0], 1,
                            flat->len[0], w->out[1]);
}

/* ---- to the filters ---------------------------------------------------------------------------------------------- */
/* Images whose lines are summed before their lanes are added up; 0: one is too large. */
static int64_t images_at_once(const ConvRun *r, const ConvSlid *s) {
    const ConvWork *w = r->whole;
    int64_t parts_of;
    conv_parts(w, &parts_of);
    const int64_t line = MR * w->out[0] * w->out[1] * r->item, copy = s->elements * r->item;
    return min64(parts_of, min64(max64(TOP_BYTES / line, 1), LINE_BYTES / copy));
}

double conv_flat_filter_share(const ConvRun *r) {
    const ConvWork *w = r->whole;
    if (!is_line(w)) return 0;
    const ConvSlid s = conv_flat_of(w);
    const int64_t vl = r->kern->vl, places = w->out[0] * w->out[1], many = images_at_once(r, &s);
    if (places < vl || !many) return 0;
    const double vectors = (double)(many * (up(places, vl) / vl));
    return share_of(places, vl) / (1 + copies(r, &s) + FLAT_FOLD / vectors);
}

typedef struct Lines {
    const ConvRun *r;
    ConvSlid slid, flat;
    int64_t all, near; /* taps; of them in the nearest cache at once */
    int64_t *taps, *tops, *copies;
    char *padded, *lines, *sums;
} Lines;

/* Sums for all filters and taps over `t->segs` images, added to sums (filter, tap). */
static void line_tiles(const Lines *j, ConvTile *t) {
    const ConvWork *w = j->r->w;
    const GemmKernels *kern = j->r->kern;
    for (int64_t q0 = 0; q0 < j->all; q0 += j->near)
        for (int64_t p = 0; p < panels(w->filters); p++) {
            const int64_t o = panel_at(w->filters, p), rows = panel_at(w->filters, p + 1) - o;
            const int64_t end = min64(q0 + j->near, j->all);
            for (int64_t i = 0; i < rows; i++) t->arow[i] = (o + i) * w->top_st[1];
            t->c = j->sums + o * j->all * j->r->item;
            for (int64_t q = q0; q < end; q += kern->nv) {
                const int n = (int)min64(kern->nv, end - q);
                for (int i = 0; i < n; i++) t->bvec[i] = j->taps[q + i], t->cvec[i] = q + i;
                kern->dots[rows - 1][n - 1](t);
            }
        }
}

static void copy_lines(const Lines *j, const char *image, int64_t n, bool first) {
    const ConvRun *r = j->r;
    for (int64_t i = 0; i < n; i++, image += r->w->image_st[0] * r->item) {
        if (j->slid.copied) conv_copy_image(r, &j->slid, j->padded, image, first && i == 0);
        const char *from = j->slid.copied ? j->padded : image + j->slid.first * r->item;
        conv_copy_flat(r, &j->slid, &j->flat, j->lines + j->copies[i] * r->item, from);
    }
}

static bool take_lines(Lines *j, int64_t many) {
    const ConvRun *r = j->r;
    const int64_t item = r->item, sums = r->w->filters * j->all * item;
    const int64_t padded = j->slid.elements * item, lines = many * j->flat.elements * item + GEMM_MAX_NR_BYTES;
    ConvRoom room = {r->h->room(r->h, (uint64_t)(up(j->all * 8, ROOM_ALIGN) + 2 * up(many * 8, ROOM_ALIGN) +
                                                 up(sums, ROOM_ALIGN) + up(padded, ROOM_ALIGN) + lines))};
    if (!room.next) return false;
    j->taps = take(&room, j->all * 8), j->tops = take(&room, many * 8), j->copies = take(&room, many * 8);
    j->sums = take(&room, sums), j->padded = take(&room, padded), j->lines = room.next;
    return true;
}

bool conv_flat_filter(ConvRun *r, int64_t group, int *status) {
    const ConvWork *w = r->w;
    Lines j = {.r = r, .slid = conv_slid_of(w), .flat = conv_flat_of(w), .all = conv_tap_rows(w) * w->size[1]};
    const int64_t item = r->item, many = images_at_once(r, &j.flat), a_channel = w->size[0] * w->size[1];
    if (r->order) {
        r->order->way = CONV_DIRECT, r->order->run = many;
        r->order->rows = w->out[0], r->order->lanes = r->kern->vl;
        return *status = 0, true;
    }
    if (!take_lines(&j, many)) return *status = 1, true;
    j.near = max64(1, TAP_BYTES * a_channel / (many * j.flat.channel * item) / r->kern->nv) * r->kern->nv;
    for (int64_t q = 0; q < j.all; q++) {
        const int64_t c = q / a_channel, y = q % a_channel / w->size[1], x = q % w->size[1];
        j.taps[q] = c * j.flat.channel + (x * j.flat.len[0] + y * w->dilation[0]) * w->out[1];
    }
    for (int64_t i = 0; i < many; i++) j.tops[i] = i * w->top_st[0], j.copies[i] = i * j.flat.elements;
    memset(j.sums, 0, (size_t)(w->filters * j.all * item));
    for (int64_t n = 0; n < w->images && !host_leaves(r->h); n += many) {
        const char *image = w->image + (n * w->image_st[0] + group * w->channels * w->image_st[1]) * item;
        const char *top = w->top + (n * w->top_st[0] + group * w->filters * w->top_st[1]) * item;
        ConvTile t = {.segs = min64(many, w->images - n), .len = w->out[0] * w->out[1], .a = top, .b = j.lines};
        t.aseg = j.tops, t.bseg = j.copies, t.crs = j.all;
        copy_lines(&j, image, t.segs, n == 0);
        line_tiles(&j, &t);
    }
    conv_put_filters(w, w->filter + group * w->filters * w->filter_st[0] * item, j.sums, item);
    *status = 0;
    return true;
}
