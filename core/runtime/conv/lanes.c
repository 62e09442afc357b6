/*
 * lanes.c -- convolution with vectors along the filters: each vector holds one tap of as many filters, the image
 * gives single numbers from where it lies, so neither rows shorter than a vector nor steps cost anything.
 * In: a group of a ConvWork. Out: its result, or false where too many lanes would be idle.
 */
#include "parts.h"

#include <string.h>

/* FEW_TAPS: of a filter; what turns results, or gradients, costs more than lanes along rows lose with fewer */
enum { FEW_TAPS = 128, ROOM_ALIGN = CONV_ALIGN, TURNED_BYTES = 64 * 1024, ROW_BYTES = 512 * 1024 };

/* ---- to top ------------------------------------------------------------------------------------------------------ */
typedef struct Lanes {
    const ConvRun *r;
    ConvSlid slid;
    int64_t segs, len, acs, k;  /* taps: segments of evenly spaced ones; all of them */
    int64_t stride;             /* lanes of the widest block */
    int64_t places, across, xs; /* of one image; in a row; from one to the next */
    const int64_t *seg, *seg_filter, *image_rows, *top_rows;
    const char *image;
    char *filters, *sums, *top;
} Lanes;

/* What stays in the first-level cache: filters of as many taps, sums of as many places. */
enum { TAP_BYTES = 64 * 1024, PLACES = 16 * GEMM_MR };

static int64_t vectors(const Lanes *j) { return up(j->r->w->filters, j->r->kern->vl) / j->r->kern->vl; }
static int64_t blocks(const Lanes *j) { return (vectors(j) + j->r->kern->nv - 1) / j->r->kern->nv; }
static int64_t vector_at(const Lanes *j, int64_t block) { return vectors(j) * block / blocks(j); }

/* Filters as blocks of (tap) x (lane). */
static void pack_lanes(const Lanes *j, const char *from) {
    const ConvWork *w = j->r->w;
    int64_t item = j->r->item, fast = j->len == w->channels ? w->filter_st[1] : w->filter_st[1 + w->ndim];
    char *to = j->filters;
    for (int64_t b = 0; b < blocks(j); b++) {
        int64_t o = vector_at(j, b) * j->r->kern->vl, n = min64(vector_at(j, b + 1) * j->r->kern->vl, w->filters) - o;
        for (int64_t s = 0; s < j->segs; s++, to += j->len * j->stride * item)
            j->r->kern->pack_b(to, j->stride, from + (o * w->filter_st[0] + j->seg_filter[s]) * item, fast,
                               w->filter_st[0], j->len, n);
    }
}

/* sums of places p0 .. p1 over segments and their taps from .. to, tile by tile */
static void sum_tiles(const Lanes *j, ConvTile *t, int64_t p0, int64_t p1, int vecs) {
    const ConvRun *r = j->r;
    char *sums = t->c;
    for (int64_t p = 0; p < panels(p1 - p0); p++) {
        int64_t at = p0 + panel_at(p1 - p0, p), rows = p0 + panel_at(p1 - p0, p + 1) - at;
        int64_t row = at / j->across, x = at % j->across;
        for (int64_t i = 0; i < rows; i++) {
            t->arow[i] = j->image_rows[row] + x * j->xs;
            if (++x == j->across) x = 0, row++;
        }
        t->c = sums + (at - p0) * j->stride * r->item;
        r->kern->window[rows - 1][vecs - 1](t);
    }
    t->c = sums;
}

/* Taps of a block that are summed at once: segments, of so many. */
static int64_t taps_at_once(const Lanes *j, int64_t *len) {
    int64_t most = max64(TAP_BYTES / (j->stride * j->r->item), 1);
    *len = min64(j->len, most);
    return min64(most / *len, j->segs);
}

/* Sums (place) x (lane) of one block of filters, places p0 .. p1. */
static void sum_block(const Lanes *j, int64_t block, int64_t p0, int64_t p1, int64_t *starts) {
    const ConvRun *r = j->r;
    int64_t item = r->item, len, n = taps_at_once(j, &len);
    int vecs = (int)(vector_at(j, block + 1) - vector_at(j, block));
    ConvTile t = {.acs = j->acs, .brs = j->stride, .crs = j->stride, .c = j->sums, .bseg = starts};
    for (int i = 0; i < vecs; i++) t.bvec[i] = t.cvec[i] = i * r->kern->vl;
    for (int64_t s = 0; s < n; s++) starts[s] = s * j->len * j->stride;
    for (int64_t s = 0; s < j->segs; s += n)
        for (int64_t k = 0; k < j->len; k += len) {
            t.segs = min64(n, j->segs - s), t.len = min64(len, j->len - k);
            t.aseg = j->seg + s;
            t.a = j->image + k * j->acs * item;
            t.b = j->filters + ((block * j->segs + s) * j->len + k) * j->stride * item;
            sum_tiles(j, &t, p0, p1, vecs);
            t.add = true;
        }
}

/* The block's sums to top, where they lie one filter after the other. */
static void put_block(const Lanes *j, int64_t block, int64_t p0, int64_t p1) {
    const ConvRun *r = j->r;
    const ConvWork *w = r->w;
    int64_t vl = r->kern->vl, o = vector_at(j, block) * vl, n = min64(vector_at(j, block + 1) * vl, w->filters) - o;
    for (int64_t p = p0; p < p1;) {
        int64_t row = p / j->across, x = p % j->across, many = min64(j->across - x, p1 - p);
        int64_t at = j->top_rows[row] + x;
        while (p + many < p1 && j->top_rows[(p + many) / j->across] == at + many)
            many += min64(j->across, p1 - p - many);
        r->kern->turn(j->top + (o * w->top_st[1] + at) * r->item, w->top_st[1],
                      j->sums + (p - p0) * j->stride * r->item, j->stride, many, n);
        p += many;
    }
}

/* Share of the lanes that compute, and of the places in tiles. */
static bool lanes_pay(const ConvRun *r) {
    const ConvWork *w = r->w;
    int last = w->ndim - 1;
    int64_t vl = r->kern->vl, n = w->out[last], k = w->channels;
    if (w->top_st[2 + last] != 1) return false;
    if (r->way == CONV_LANES) return true;
    for (int d = 0; d < w->ndim; d++) k *= w->size[d];
    double lanes = share_of(w->filters, vl), along = 0;
    if (w->step[last] == 1 && n >= vl) along = (k < FEW_TAPS ? 1 : 0.85) * share_of(n, vl);
    const double flat = conv_flat_share(r);
    if (flat > along) along = flat;
    return lanes >= 0.6 && lanes > along && w->filters >= 2 * vl && k >= 8;
}

static bool tell_order(const Lanes *lanes, int *status) {
    Lanes j = *lanes;
    ConvOrder *to = j.r->order;
    int64_t channels = j.r->w->channels, len;
    to->way = CONV_LANES, to->channels_last = channels >= j.len;
    if (to->channels_last) j.segs = j.segs / channels * j.len, j.len = channels;
    int64_t n = taps_at_once(&j, &len);
    to->run = len < j.len ? j.len : n * len, to->chunk = n * len;
    *status = 0;
    return true;
}

/* Taps as segments along the channels, which are longer. */
static void along_channels(Lanes *j, int64_t *seg, int64_t *filter) {
    const ConvWork *w = j->r->w;
    int64_t rows = j->segs / w->channels, st = w->filter_st[1 + w->ndim];
    if (w->channels < j->len) return;
    for (int64_t s = rows * j->len; s-- > 0;) {
        seg[s] = seg[s / j->len] + s % j->len * j->acs;
        filter[s] = filter[s / j->len] + s % j->len * st;
    }
    j->segs = rows * j->len, j->len = w->channels, j->acs = j->slid.channel;
}

bool conv_lanes_top(ConvRun *r, int64_t group, int *status) {
    const ConvWork *w = r->w;
    int last = w->ndim - 1;
    if (!lanes_pay(r)) return false;
    Lanes j = {.r = r, .slid = conv_slid_of(w), .segs = conv_tap_rows(w), .len = w->size[last]};
    int64_t item = r->item, rows = conv_out_rows(w), inner = j.slid.copied ? 1 : w->image_st[2 + last];
    j.across = w->out[last], j.places = rows * j.across, j.xs = w->step[last] * inner;
    j.acs = w->dilation[last] * inner, j.k = j.segs * j.len;
    for (int64_t b = 0; b < blocks(&j); b++)
        j.stride = max64(j.stride, (vector_at(&j, b + 1) - vector_at(&j, b)) * r->kern->vl);
    if (r->order) return tell_order(&j, status);
    int64_t bytes = 3 * up(j.segs * 8, ROOM_ALIGN) + 2 * up(rows * 8, ROOM_ALIGN) +
                    up(blocks(&j) * j.k * j.stride * item, ROOM_ALIGN) + up(j.slid.elements * item, ROOM_ALIGN) +
                    PLACES * j.stride * item;
    ConvRoom room = {r->h->room(r->h, (uint64_t)bytes)};
    if (!room.next) return *status = 1, true;
    int64_t *seg = take(&room, j.segs * 8), *filter = take(&room, j.segs * 8), *starts = take(&room, j.segs * 8);
    int64_t *image_rows = take(&room, rows * 8), *top_rows = take(&room, rows * 8);
    j.filters = take(&room, blocks(&j) * j.k * j.stride * item), j.sums = take(&room, PLACES * j.stride * item);
    char *copy = take(&room, j.slid.elements * item);
    conv_list_taps(w, &j.slid, seg, filter);
    conv_list_rows(w, &j.slid, image_rows, top_rows);
    j.seg = seg, j.seg_filter = filter, j.image_rows = image_rows, j.top_rows = top_rows;
    along_channels(&j, seg, filter);
    pack_lanes(&j, w->filter + group * w->filters * w->filter_st[0] * item);
    for (int64_t n = 0; n < w->images; n++) {
        const char *image = w->image + (n * w->image_st[0] + group * w->channels * w->image_st[1]) * item;
        if (j.slid.copied) conv_copy_image(r, &j.slid, copy, image, n == 0);
        j.image = j.slid.copied ? copy : image + j.slid.first * item;
        j.top = w->top + (n * w->top_st[0] + group * w->filters * w->top_st[1]) * item;
        for (int64_t p = 0; p < j.places && !host_leaves(r->h); p += PLACES)
            for (int64_t b = 0; b < blocks(&j); b++) {
                int64_t end = min64(p + PLACES, j.places);
                sum_block(&j, b, p, end, starts);
                put_block(&j, b, p, end);
            }
        conv_done(r, group, n);
    }
    *status = 0;
    return true;
}

/* ---- to the filters ---------------------------------------------------------------------------------------------- */
/* Share of the lanes that compute: along the rows of the result (whose sums are folded, too), along the filters, or
 * along all places. */
static bool filters_fill_lanes(const ConvRun *r) {
    const ConvWork *w = r->whole;
    int64_t n = w->out[w->ndim - 1], vl = r->kern->vl;
    bool dots = w->step[w->ndim - 1] == 1 && w->top_st[1 + w->ndim] == 1 && n >= vl;
    int64_t k = w->channels;
    for (int d = 0; d < w->ndim; d++) k *= w->size[d];
    const double gain = k < FEW_TAPS ? 1 : 1.1, flat = conv_flat_filter_share(r), own = share_of(w->filters, vl);
    return own >= flat && (!dots || gain * own > share_of(n, vl));
}

/* top of one image as (place) x (filter), rows of whole vectors. */
static void turn_top(const ConvRun *r, const char *top, const int64_t *top_rows, int64_t rows, int64_t lanes,
                     char *to) {
    const ConvWork *w = r->w;
    int64_t n = w->out[w->ndim - 1];
    for (int64_t row = 0; row < rows; row++, to += n * lanes * r->item)
        r->kern->pack_b(to, lanes, top + top_rows[row] * r->item, w->top_st[1 + w->ndim], w->top_st[1], n, w->filters);
}

/* sums (tap) x (filter lane) += image (tap) x (place) . turned (place) x (filter lane) */
static void outer_tiles(const ConvRun *r, ConvTile *t, const int64_t *taps, int64_t ntaps, int64_t lanes, char *sums) {
    const GemmKernels *kern = r->kern;
    const char *b = t->b;
    for (int64_t lane = 0; lane < lanes; lane += (int64_t)kern->nv * kern->vl) {
        int n = (int)min64(kern->nv, (lanes - lane) / kern->vl);
        for (int i = 0; i < n; i++) t->bvec[i] = t->cvec[i] = i * kern->vl;
        t->b = b + lane * r->item;
        for (int64_t p = 0; p < panels(ntaps); p++) {
            int64_t q = panel_at(ntaps, p), rows = panel_at(ntaps, p + 1) - q;
            for (int64_t i = 0; i < rows; i++) t->arow[i] = taps[q + i];
            t->c = sums + (q * lanes + lane) * r->item;
            kern->window[rows - 1][n - 1](t);
        }
    }
}

/* Rows of the result whose gradients, turned, stay in a near cache while all taps are summed over them; by the whole's
 * lengths, since sums are cut there. */
static int64_t rows_at_once(const ConvRun *r) {
    const ConvWork *w = r->whole;
    return max64(1, TURNED_BYTES / (up(w->filters, r->kern->vl) * w->out[w->ndim - 1] * r->item));
}

bool conv_lanes_filter(ConvRun *r, int64_t group, int *status) {
    const ConvWork *w = r->w;
    int last = w->ndim - 1;
    ConvSlid s = conv_slid_of(w);
    int64_t item = r->item, across = w->size[last], ntaps = conv_tap_rows(w), all = ntaps * across,
            rows = conv_out_rows(w);
    int64_t lanes = up(w->filters, r->kern->vl), many = min64(rows, rows_at_once(r)), places = many * w->out[last];
    int64_t row_bytes = up(r->whole->filters, r->kern->vl) * w->out[last] * item;
    bool pays = filters_fill_lanes(r) && row_bytes <= ROW_BYTES;
    if (!pays && r->way != CONV_LANES) return false;
    if (r->order) return r->order->way = CONV_LANES, r->order->rows = many, *status = 0, true;
    int64_t bytes = 2 * up(all * 8, ROOM_ALIGN) + 3 * up(rows * 8, ROOM_ALIGN) + up(all * lanes * item, ROOM_ALIGN) +
                    up(places * lanes * item, ROOM_ALIGN) + up(s.elements * item, ROOM_ALIGN);
    ConvRoom room = {r->h->room(r->h, (uint64_t)bytes)};
    if (!room.next) return *status = 1, true;
    int64_t *taps = take(&room, all * 8), *at = take(&room, all * 8);
    int64_t *image_rows = take(&room, rows * 8), *top_rows = take(&room, rows * 8),
            *turned_rows = take(&room, rows * 8);
    char *sums = take(&room, all * lanes * item), *turned = take(&room, places * lanes * item);
    char *copy = take(&room, s.elements * item);
    int64_t inner = s.copied ? 1 : w->image_st[2 + last];
    conv_list_taps(w, &s, taps, at);
    for (int64_t k = ntaps - 1; k >= 0; k--)
        for (int64_t x = across - 1; x >= 0; x--) {
            taps[k * across + x] = taps[k] + x * w->dilation[last] * inner;
            at[k * across + x] = at[k] + x * w->filter_st[2 + last];
        }
    conv_list_rows(w, &s, image_rows, top_rows);
    for (int64_t row = 0; row < rows; row++) turned_rows[row] = row * w->out[last] * lanes;
    memset(sums, 0, (size_t)(all * lanes * item));
    for (int64_t n = 0; n < w->images; n++) {
        const char *image = w->image + (n * w->image_st[0] + group * w->channels * w->image_st[1]) * item;
        if (s.copied) conv_copy_image(r, &s, copy, image, n == 0);
        const char *top = w->top + (n * w->top_st[0] + group * w->filters * w->top_st[1]) * item;
        ConvTile t = {.len = w->out[last],
                      .bseg = turned_rows,
                      .a = s.copied ? copy : image + s.first * item,
                      .acs = w->step[last] * inner,
                      .brs = lanes,
                      .crs = lanes,
                      .add = true};
        for (int64_t row = 0; row < rows && !host_leaves(r->h); row += many) {
            t.segs = min64(many, rows - row);
            t.aseg = image_rows + row;
            t.b = turned;
            turn_top(r, top, top_rows + row, t.segs, lanes, turned);
            outer_tiles(r, &t, taps, all, lanes, sums);
        }
    }
    char *to = w->filter + group * w->filters * w->filter_st[0] * item;
    for (int64_t o = 0; o < w->filters; o++)
        for (int64_t k = 0; k < all; k++)
            memcpy(to + (o * w->filter_st[0] + at[k]) * item, sums + (k * lanes + o) * item, (size_t)item);
    *status = 0;
    return true;
}
