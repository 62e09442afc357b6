/*
 * direct.c -- convolution without packing its windows: register tiles read vectors of the image where they lie.
 * In: a group of a ConvWork whose windows step by one along the last dimension. Out: its result, or false where this
 * way does not apply (rows shorter than a vector).
 * Rows are covered by whole vectors, the last one shifted back so that it ends with the row. Padded images, and those
 * whose rows are not contiguous, are copied into rows with their padding first, one image at a time. Where rows of a
 * result do not fill vectors, its places are taken one after the other, over the rows' ends.
 */
#include "parts.h"

#include <string.h>

enum {
    MR = GEMM_MR,
    ROOM_ALIGN = CONV_ALIGN,
    TOP_BYTES = 24 * 1024,
    MOST_ROWS = 32,
    LEAST_ROWS = 4,
    FLAT_BYTES = 256 * 1024, /* copies of an image that stay in a near cache */
    FLAT_NEAR = 64 * 1024,   /* ..in the nearest */
    FLAT_COPY = 8            /* what a vector of a copy takes beside one of multiply-adds */
};
#define FLAT_FAR 0.85 /* tiles wait for what is not near */

/* ---- rows that are no whole vectors ------------------------------------------------------------------------------ */
/* An image once for each tap along its rows: (channel, tap, y, x of the result), so that what a vector of places reads
 * lies together. */
static ConvSlid flat_slid(const ConvWork *w) {
    ConvSlid s = {.copied = true, .len = {w->out[0] + (w->size[0] - 1) * w->dilation[0], w->out[1]}};
    s.st[0] = w->out[1], s.st[1] = 1;
    s.channel = w->size[1] * s.len[0] * w->out[1];
    s.elements = w->channels * s.channel;
    return s;
}

/* By the whole's lengths: a part may have fewer rows. */
double conv_flat_share(const ConvRun *r) {
    const ConvWork *w = r->whole;
    if (w->ndim != 2 || w->step[0] != 1 || w->step[1] != 1 || w->top_st[3] != 1 || w->top_st[2] != w->out[1]) return 0;
    const ConvSlid s = flat_slid(w);
    const int64_t vl = r->kern->vl, places = w->out[0] * w->out[1], vectors = up(places, vl) / vl;
    if (places < vl || s.elements > FLAT_BYTES / r->item) return 0;
    const double copied = (double)(s.len[0] * (up(w->out[1], vl) / vl));
    const double sums = (double)(vectors * w->filters * w->size[0]);
    const double near = s.elements > FLAT_NEAR / r->item ? FLAT_FAR : 1;
    return near * share_of(places, vl) / (1 + FLAT_COPY * copied / sums);
}

static bool is_flat(const ConvRun *r) {
    const ConvWork *w = r->w;
    const int64_t n = w->out[w->ndim - 1], vl = r->kern->vl;
    if (w->ndim != 2 || w->out[0] * n < vl) return false;
    return conv_flat_share(r) > (n < vl ? 0 : share_of(n, vl));
}

static void copy_flat(const ConvRun *r, const ConvSlid *slid, const ConvSlid *flat, char *to, const char *image) {
    const ConvWork *w = r->w;
    for (int64_t c = 0; c < w->channels; c++)
        for (int64_t x = 0; x < w->size[1]; x++, to += flat->len[0] * w->out[1] * r->item)
            r->kern->pack_b(to, w->out[1], image + (c * slid->channel + x * w->dilation[1]) * r->item, slid->st[0], 1,
                            flat->len[0], w->out[1]);
}

/* ---- to top ------------------------------------------------------------------------------------------------------ */
/* Filters of the group: panel by panel, k by k, row by row. */
static void pack_filters(const ConvWork *w, const char *from, const int64_t *taps, int64_t ntaps, char *to,
                         int64_t item) {
    int last = w->ndim - 1;
    for (int64_t p = 0; p < panels(w->filters); p++) {
        int64_t o0 = panel_at(w->filters, p), o1 = panel_at(w->filters, p + 1);
        for (int64_t k = 0; k < ntaps; k++)
            for (int64_t s = 0; s < w->size[last]; s++)
                for (int64_t o = o0; o < o1; o++, to += item) {
                    int64_t at = o * w->filter_st[0] + taps[k] + s * w->filter_st[2 + last];
                    memcpy(to, from + at * item, (size_t)item);
                }
    }
}

typedef struct ToTop {
    const ConvWork *w;
    const GemmKernels *kern;
    const char *image, *filters;
    char *top;
    int64_t item, ntaps, rows, len, brs; /* of the result, of how many elements; from a tap to the next along one */
    int64_t per_row;                     /* vectors that cover a row */
    const int64_t *taps, *image_rows, *top_rows;
    int64_t *starts;
} ToTop;

/* `n` vectors from number v on, all rows counted one after the other. */
static void top_tiles(const ToTop *j, int64_t v, int n) {
    const ConvWork *w = j->w;
    ConvTile t = {.segs = j->ntaps, .len = w->size[w->ndim - 1], .bseg = j->taps, .b = j->image, .brs = j->brs};
    int64_t shift = j->len - j->kern->vl, k = j->ntaps * t.len;
    for (int i = 0; i < n; i++) {
        int64_t row = (v + i) / j->per_row, x = min64((v + i) % j->per_row * j->kern->vl, shift);
        t.bvec[i] = j->image_rows[row] + x;
        t.cvec[i] = j->top_rows[row] + x;
    }
    t.crs = w->top_st[1];
    for (int i = 0; i < MR; i++) t.arow[i] = i;
    for (int64_t p = 0; p < panels(w->filters); p++) {
        int64_t o = panel_at(w->filters, p), rows = panel_at(w->filters, p + 1) - o;
        t.a = j->filters + o * k * j->item;
        t.acs = rows;
        for (int64_t s = 0; s < j->ntaps; s++) j->starts[s] = s * t.len * rows;
        t.aseg = j->starts;
        t.c = j->top + o * w->top_st[1] * j->item;
        j->kern->window[rows - 1][n - 1](&t);
    }
}

static void all_tops(ConvRun *r, int64_t group, ToTop *j, const ConvSlid *slid, const ConvSlid *flat, char *copy,
                     char *unrolled) {
    const ConvWork *w = r->w;
    for (int64_t n = 0; n < w->images; n++) {
        const char *image = w->image + (n * w->image_st[0] + group * w->channels * w->image_st[1]) * j->item;
        if (slid->copied) conv_copy_image(r, slid, copy, image, n == 0);
        j->image = slid->copied ? copy : image + slid->first * j->item;
        if (flat) copy_flat(r, slid, flat, unrolled, j->image), j->image = unrolled;
        j->top = w->top + (n * w->top_st[0] + group * w->filters * w->top_st[1]) * j->item;
        for (int64_t v = 0; v < j->rows * j->per_row && !host_leaves(r->h); v += j->kern->nv)
            top_tiles(j, v, (int)min64(j->kern->nv, j->rows * j->per_row - v));
        conv_done(r, group, n);
    }
}

bool conv_direct_top(ConvRun *r, int64_t group, int *status) {
    const ConvWork *w = r->w;
    int last = w->ndim - 1;
    const GemmKernels *kern = r->kern;
    const bool flat = is_flat(r);
    if (w->step[last] != 1 || w->top_st[2 + last] != 1 || (w->out[last] < kern->vl && !flat)) return false;
    const ConvSlid slid = conv_slid_of(w), s = flat ? flat_slid(w) : slid;
    if (r->order) return r->order->way = CONV_DIRECT, *status = 0, true;
    int64_t item = r->item, ntaps = conv_tap_rows(w), rows = conv_out_rows(w), k = ntaps * w->size[last];
    int64_t bytes = 3 * up(ntaps * 8, ROOM_ALIGN) + 2 * up(rows * 8, ROOM_ALIGN) +
                    up(w->filters * k * item, ROOM_ALIGN) + up(slid.elements * item, ROOM_ALIGN) +
                    (flat ? up(s.elements * item + GEMM_MAX_NR_BYTES, ROOM_ALIGN) : 0);
    ConvRoom room = {r->h->room(r->h, (uint64_t)bytes)};
    if (!room.next) return *status = 1, true;
    int64_t *taps = take(&room, ntaps * 8), *filter_taps = take(&room, ntaps * 8), *starts = take(&room, ntaps * 8);
    int64_t *image_rows = take(&room, rows * 8), *top_rows = take(&room, rows * 8);
    char *filters = take(&room, w->filters * k * item), *copy = take(&room, slid.elements * item);
    conv_list_taps(w, &s, taps, filter_taps);
    conv_list_rows(w, &s, image_rows, top_rows);
    pack_filters(w, w->filter + group * w->filters * w->filter_st[0] * item, filter_taps, ntaps, filters, item);
    ToTop j = {.w = w,
               .kern = kern,
               .filters = filters,
               .item = item,
               .ntaps = ntaps,
               .rows = flat ? 1 : rows,
               .len = flat ? rows * w->out[last] : w->out[last],
               .brs = flat ? s.len[0] * w->out[last] : w->dilation[last],
               .taps = taps,
               .image_rows = image_rows,
               .top_rows = top_rows,
               .starts = starts};
    j.per_row = (j.len + kern->vl - 1) / kern->vl;
    all_tops(r, group, &j, &slid, flat ? &s : NULL, copy, room.next);
    *status = 0;
    return true;
}

/* ---- to the filters ---------------------------------------------------------------------------------------------- */
/* Sums for filters o0 .. o1 and all taps over some rows of one image, added to sums (o, tap). */
static void filter_tiles(const ToTop *j, ConvTile *t, const int64_t *taps, int64_t ntaps, char *sums) {
    const ConvWork *w = j->w;
    t->crs = ntaps;
    for (int64_t p = 0; p < panels(w->filters); p++) {
        int64_t o = panel_at(w->filters, p), rows = panel_at(w->filters, p + 1) - o;
        for (int64_t i = 0; i < rows; i++) t->arow[i] = (o + i) * w->top_st[1];
        for (int64_t q = 0; q < ntaps; q += j->kern->nv) {
            int n = (int)min64(j->kern->nv, ntaps - q);
            for (int i = 0; i < n; i++) t->bvec[i] = taps[q + i], t->cvec[i] = q + i;
            t->c = sums + o * ntaps * j->item;
            j->kern->dots[rows - 1][n - 1](t);
        }
    }
}

/* Sums (o, tap) to the filters' own places. */
static void put_filters(const ConvWork *w, char *to, const int64_t *places, int64_t ntaps, const char *sums,
                        int64_t item) {
    for (int64_t o = 0; o < w->filters; o++)
        for (int64_t k = 0; k < ntaps; k++, sums += item)
            memcpy(to + (o * w->filter_st[0] + places[k]) * item, sums, (size_t)item);
}

/* Rows over which all taps are summed at once: a panel's stay in the first-level cache, but sums are folded after each.
 */
static int64_t rows_at_once(const ConvWork *w, int64_t item) {
    return max64(LEAST_ROWS, min64(MOST_ROWS, TOP_BYTES / (MR * w->out[w->ndim - 1] * item)));
}

bool conv_direct_filter(ConvRun *r, int64_t group, int *status) {
    const ConvWork *w = r->w;
    int last = w->ndim - 1;
    const GemmKernels *kern = r->kern;
    if (w->step[last] != 1 || w->top_st[2 + last] != 1 || w->out[last] < kern->vl) return false;
    ConvSlid s = conv_slid_of(w);
    int64_t item = r->item, across = w->size[last], ntaps = conv_tap_rows(w), all = ntaps * across,
            rows = conv_out_rows(w);
    if (r->order) {
        r->order->way = CONV_DIRECT, r->order->rows = rows_at_once(w, item), r->order->lanes = kern->vl;
        return *status = 0, true;
    }
    int64_t bytes = 2 * up(all * 8, ROOM_ALIGN) + 2 * up(rows * 8, ROOM_ALIGN) +
                    up(w->filters * all * item, ROOM_ALIGN) + up(s.elements * item, ROOM_ALIGN);
    ConvRoom room = {r->h->room(r->h, (uint64_t)bytes)};
    if (!room.next) return *status = 1, true;
    int64_t *taps = take(&room, all * 8), *places = take(&room, all * 8);
    int64_t *image_rows = take(&room, rows * 8), *top_rows = take(&room, rows * 8);
    char *sums = take(&room, w->filters * all * item), *copy = take(&room, s.elements * item);
    conv_list_taps(w, &s, taps, places);
    for (int64_t k = ntaps - 1; k >= 0; k--)
        for (int64_t x = across - 1; x >= 0; x--) {
            taps[k * across + x] = taps[k] + x * w->dilation[last];
            places[k * across + x] = places[k] + x * w->filter_st[2 + last];
        }
    conv_list_rows(w, &s, image_rows, top_rows);
    memset(sums, 0, (size_t)(w->filters * all * item));
    ToTop j = {.w = w, .kern = kern, .item = item};
    int64_t many = rows_at_once(w, item);
    for (int64_t n = 0; n < w->images; n++) {
        const char *image = w->image + (n * w->image_st[0] + group * w->channels * w->image_st[1]) * item;
        if (s.copied) conv_copy_image(r, &s, copy, image, n == 0);
        ConvTile t = {.len = w->out[last], .b = s.copied ? copy : image + s.first * item};
        t.a = w->top + (n * w->top_st[0] + group * w->filters * w->top_st[1]) * item;
        for (int64_t row = 0; row < rows && !host_leaves(r->h); row += many) {
            t.segs = min64(many, rows - row);
            t.aseg = top_rows + row, t.bseg = image_rows + row;
            filter_tiles(&j, &t, taps, all, sums);
        }
    }
    put_filters(w, w->filter + group * w->filters * w->filter_st[0] * item, places, all, sums, item);
    *status = 0;
    return true;
}
