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

enum { MR = GEMM_MR, ROOM_ALIGN = CONV_ALIGN, TOP_BYTES = 24 * 1024, MOST_ROWS = 32, LEAST_ROWS = 4 };
#define FOLDED 1.1

static bool is_flat(const ConvRun *r) {
    const ConvWork *w = r->w;
    const int64_t n = w->out[w->ndim - 1], vl = r->kern->vl;
    if (w->ndim != 2 || w->out[0] * n < vl) return false;
    return conv_flat_share(r) > (n < vl ? 0 : share_of(n, vl));
}

/* ---- to top ------------------------------------------------------------------------------------------------------ */
/* Filters of the group: panel by panel, k by k, row by row; taps that follow each other in memory go together. */
static void pack_filters(const ConvRun *r, const char *from, const int64_t *taps, int64_t ntaps, char *to) {
    const ConvWork *w = r->w;
    const int last = w->ndim - 1;
    const int64_t step = w->filter_st[2 + last], across = w->size[last];
    for (int64_t p = 0; p < panels(w->filters); p++) {
        const int64_t o = panel_at(w->filters, p), rows = panel_at(w->filters, p + 1) - o;
        for (int64_t k = 0, end; k < ntaps; k = end) {
            for (end = k + 1; end < ntaps && taps[end] == taps[end - 1] + across * step;) end++;
            const int64_t n = (end - k) * across;
            r->kern->pack_a(to, from + (o * w->filter_st[0] + taps[k]) * r->item, w->filter_st[0], step, rows, n);
            to += rows * n * r->item;
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
        if (flat) conv_copy_flat(r, slid, flat, unrolled, j->image), j->image = unrolled;
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
    const ConvSlid slid = conv_slid_of(w), s = flat ? conv_flat_of(w) : slid;
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
    pack_filters(r, w->filter + group * w->filters * w->filter_st[0] * item, filter_taps, ntaps, filters);
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

/* Rows over which all taps are summed at once: a panel's stay in the first-level cache, but sums are folded after each.
 */
static int64_t rows_at_once(const ConvWork *w, int64_t item) {
    return max64(LEAST_ROWS, min64(MOST_ROWS, TOP_BYTES / (MR * w->out[w->ndim - 1] * item)));
}

/* Lanes are folded after some rows, not after some images. */
static bool flat_filter_pays(const ConvRun *r) {
    const int64_t n = r->whole->out[r->whole->ndim - 1], vl = r->kern->vl;
    return FOLDED * conv_flat_filter_share(r) > (n < vl ? 0 : share_of(n, vl));
}

bool conv_direct_filter(ConvRun *r, int64_t group, int *status) {
    const ConvWork *w = r->w;
    int last = w->ndim - 1;
    if (flat_filter_pays(r)) return conv_flat_filter(r, group, status);
    const GemmKernels *kern = r->kern;
    if (w->step[last] != 1 || w->top_st[2 + last] != 1 || w->out[last] < kern->vl) return false;
    ConvSlid s = conv_slid_of(w);
    int64_t item = r->item, across = w->size[last], ntaps = conv_tap_rows(w), all = ntaps * across,
            rows = conv_out_rows(w);
    if (r->order) {
        r->order->way = CONV_DIRECT, r->order->rows = rows_at_once(w, item), r->order->lanes = kern->vl;
        return *status = 0, true;
    }
    int64_t bytes = up(all * 8, ROOM_ALIGN) + up(ntaps * 8, ROOM_ALIGN) + 2 * up(rows * 8, ROOM_ALIGN) +
                    up(w->filters * all * item, ROOM_ALIGN) + up(s.elements * item, ROOM_ALIGN);
    ConvRoom room = {r->h->room(r->h, (uint64_t)bytes)};
    if (!room.next) return *status = 1, true;
    int64_t *taps = take(&room, all * 8), *places = take(&room, ntaps * 8);
    int64_t *image_rows = take(&room, rows * 8), *top_rows = take(&room, rows * 8);
    char *sums = take(&room, w->filters * all * item), *copy = take(&room, s.elements * item);
    conv_list_taps(w, &s, taps, places);
    for (int64_t k = ntaps - 1; k >= 0; k--)
        for (int64_t x = across - 1; x >= 0; x--) taps[k * across + x] = taps[k] + x * w->dilation[last];
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
    conv_put_filters(w, w->filter + group * w->filters * w->filter_st[0] * item, sums, item);
    *status = 0;
    return true;
}
