/*
 * conv_direct.c -- convolution without packing its windows: register tiles read vectors of the image where they lie.
 * In: a group of a ConvWork whose windows step by one along the last dimension. Out: its result, or false where this
 * way does not apply (rows shorter than a vector).
 * Rows are covered by whole vectors, the last one shifted back so that it ends with the row. Padded images, and those
 * whose rows are not contiguous, are copied into rows with their padding first, one image at a time.
 */
#include "conv_parts.h"

#include <string.h>

enum { MR = GEMM_MR, ROOM_ALIGN = 64, ROWS_AT_ONCE = 16 };

static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

/* The operand that windows slide over: as it lies, or as a padded copy of one image. */
typedef struct Slid {
    bool copied;
    int64_t len[CONV_DIMS], st[CONV_DIMS], channel; /* lengths with padding; strides */
    int64_t first;                                  /* of the first window's first element, from the image's start */
    int64_t elements;                               /* of the copy */
} Slid;

static Slid slid_of(const ConvWork *w) {
    Slid s = {.copied = w->image_st[1 + w->ndim] != 1 && w->in[w->ndim - 1] > 1};
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
static void copy_row(const ConvWork *w, const Slid *s, char *to, const char *from, bool inside, int64_t item) {
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

static void copy_image(const ConvWork *w, const Slid *s, char *to, const char *image, int64_t item) {
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
static int64_t tap_rows(const ConvWork *w) {
    int64_t n = w->channels;
    for (int d = 0; d < w->ndim - 1; d++) n *= w->size[d];
    return n;
}

static void list_taps(const ConvWork *w, const Slid *s, int64_t *image, int64_t *filter) {
    int64_t i[1 + CONV_DIMS] = {0}, n = tap_rows(w);
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

static int64_t out_rows(const ConvWork *w) {
    int64_t n = 1;
    for (int d = 0; d < w->ndim - 1; d++) n *= w->out[d];
    return n;
}

/* Rows of one result: offsets into the slid image and into top. */
static void list_rows(const ConvWork *w, const Slid *s, int64_t *image, int64_t *top) {
    int64_t i[CONV_DIMS] = {0}, n = out_rows(w);
    for (int64_t k = 0; k < n; k++) {
        image[k] = top[k] = 0;
        for (int d = 0; d < w->ndim - 1; d++) {
            image[k] += i[d] * w->step[d] * s->st[d];
            top[k] += i[d] * w->top_st[2 + d];
        }
        for (int d = w->ndim - 2; d >= 0 && ++i[d] == w->out[d] && d > 0; d--) i[d] = 0;
    }
}

/* Rows of a panel: n rows in panels of at most MR, as even as can be. */
static int64_t panels(int64_t n) { return (n + MR - 1) / MR; }
static int64_t panel_at(int64_t n, int64_t p) { return n * p / panels(n); }

/* ---- to top ------------------------------------------------------------------------------------------------------ */
typedef struct Room {
    char *next;
} Room;

static void *take(Room *r, int64_t bytes) {
    void *p = r->next;
    r->next += up(bytes, ROOM_ALIGN);
    return p;
}

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
    int64_t item, ntaps, rows, per_row; /* vectors that cover a row */
    const int64_t *taps, *image_rows, *top_rows;
    int64_t *starts;
} ToTop;

/* `n` vectors from number v on, all rows counted one after the other. */
static void top_tiles(const ToTop *j, int64_t v, int n) {
    const ConvWork *w = j->w;
    int last = w->ndim - 1;
    ConvTile t = {.segs = j->ntaps, .len = w->size[last], .bseg = j->taps, .b = j->image, .brs = w->dilation[last]};
    int64_t shift = w->out[last] - j->kern->vl, k = j->ntaps * w->size[last];
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

bool conv_direct_top(ConvRun *r, int64_t group, int *status) {
    const ConvWork *w = r->w;
    int last = w->ndim - 1;
    const GemmKernels *kern = r->kern;
    if (w->step[last] != 1 || w->top_st[2 + last] != 1 || w->out[last] < kern->vl) return false;
    Slid s = slid_of(w);
    int64_t item = r->item, ntaps = tap_rows(w), rows = out_rows(w), k = ntaps * w->size[last];
    int64_t bytes = 3 * up(ntaps * 8, ROOM_ALIGN) + 2 * up(rows * 8, ROOM_ALIGN) +
                    up(w->filters * k * item, ROOM_ALIGN) + up(s.elements * item, ROOM_ALIGN);
    Room room = {r->h->room(r->h, (size_t)bytes)};
    if (!room.next) return *status = 1, true;
    int64_t *taps = take(&room, ntaps * 8), *filter_taps = take(&room, ntaps * 8), *starts = take(&room, ntaps * 8);
    int64_t *image_rows = take(&room, rows * 8), *top_rows = take(&room, rows * 8);
    char *filters = take(&room, w->filters * k * item), *copy = take(&room, s.elements * item);
    list_taps(w, &s, taps, filter_taps);
    list_rows(w, &s, image_rows, top_rows);
    pack_filters(w, w->filter + group * w->filters * w->filter_st[0] * item, filter_taps, ntaps, filters, item);
    ToTop j = {.w = w,
               .kern = kern,
               .filters = filters,
               .item = item,
               .ntaps = ntaps,
               .rows = rows,
               .taps = taps,
               .image_rows = image_rows,
               .top_rows = top_rows,
               .starts = starts,
               .per_row = (w->out[last] + kern->vl - 1) / kern->vl};
    for (int64_t n = 0; n < w->images; n++) {
        const char *image = w->image + (n * w->image_st[0] + group * w->channels * w->image_st[1]) * item;
        if (s.copied) copy_image(w, &s, copy, image, item);
        j.image = s.copied ? copy : image + s.first * item;
        j.top = w->top + (n * w->top_st[0] + group * w->filters * w->top_st[1]) * item;
        for (int64_t v = 0; v < rows * j.per_row; v += kern->nv)
            top_tiles(&j, v, (int)min64(kern->nv, rows * j.per_row - v));
    }
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

bool conv_direct_filter(ConvRun *r, int64_t group, int *status) {
    const ConvWork *w = r->w;
    int last = w->ndim - 1;
    const GemmKernels *kern = r->kern;
    if (w->step[last] != 1 || w->top_st[2 + last] != 1 || w->out[last] < kern->vl) return false;
    Slid s = slid_of(w);
    int64_t item = r->item, across = w->size[last], ntaps = tap_rows(w), all = ntaps * across, rows = out_rows(w);
    int64_t bytes = 2 * up(all * 8, ROOM_ALIGN) + 2 * up(rows * 8, ROOM_ALIGN) +
                    up(w->filters * all * item, ROOM_ALIGN) + up(s.elements * item, ROOM_ALIGN);
    Room room = {r->h->room(r->h, (size_t)bytes)};
    if (!room.next) return *status = 1, true;
    int64_t *taps = take(&room, all * 8), *places = take(&room, all * 8);
    int64_t *image_rows = take(&room, rows * 8), *top_rows = take(&room, rows * 8);
    char *sums = take(&room, w->filters * all * item), *copy = take(&room, s.elements * item);
    list_taps(w, &s, taps, places);
    for (int64_t k = ntaps - 1; k >= 0; k--)
        for (int64_t x = across - 1; x >= 0; x--) {
            taps[k * across + x] = taps[k] + x * w->dilation[last];
            places[k * across + x] = places[k] + x * w->filter_st[2 + last];
        }
    list_rows(w, &s, image_rows, top_rows);
    memset(sums, 0, (size_t)(w->filters * all * item));
    ToTop j = {.w = w, .kern = kern, .item = item};
    for (int64_t n = 0; n < w->images; n++) {
        const char *image = w->image + (n * w->image_st[0] + group * w->channels * w->image_st[1]) * item;
        if (s.copied) copy_image(w, &s, copy, image, item);
        ConvTile t = {.len = w->out[last], .b = s.copied ? copy : image + s.first * item};
        t.a = w->top + (n * w->top_st[0] + group * w->filters * w->top_st[1]) * item;
        for (int64_t row = 0; row < rows; row += ROWS_AT_ONCE) {
            t.segs = min64(ROWS_AT_ONCE, rows - row);
            t.aseg = top_rows + row, t.bseg = image_rows + row;
            filter_tiles(&j, &t, taps, all, sums);
        }
    }
    put_filters(w, w->filter + group * w->filters * w->filter_st[0] * item, places, all, sums, item);
    *status = 0;
    return true;
}

/* ---- to the filters of small maps -------------------------------------------------------------------------------- */
/* Share of the lanes that compute: along the rows of the result, or along the filters (whose tiles also go to memory
 * once an image). */
static bool filters_fill_lanes(const ConvWork *w, int64_t vl) {
    int64_t n = w->out[w->ndim - 1];
    bool dots = w->step[w->ndim - 1] == 1 && w->top_st[1 + w->ndim] == 1 && n >= vl;
    double along = (double)n / (double)up(n, vl), across = 0.85 * (double)w->filters / (double)up(w->filters, vl);
    return !dots || across > along;
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

bool conv_outer_filter(ConvRun *r, int64_t group, int *status) {
    const ConvWork *w = r->w;
    int last = w->ndim - 1;
    Slid s = slid_of(w);
    int64_t item = r->item, across = w->size[last], ntaps = tap_rows(w), all = ntaps * across, rows = out_rows(w);
    int64_t lanes = up(w->filters, r->kern->vl), places = rows * w->out[last];
    bool pays = filters_fill_lanes(w, r->kern->vl) && places * lanes * item <= 512 * 1024;
    if (!pays && r->way != CONV_OUTER) return false;
    int64_t bytes = 2 * up(all * 8, ROOM_ALIGN) + 3 * up(rows * 8, ROOM_ALIGN) + up(all * lanes * item, ROOM_ALIGN) +
                    up(places * lanes * item, ROOM_ALIGN) + up(s.elements * item, ROOM_ALIGN);
    Room room = {r->h->room(r->h, (size_t)bytes)};
    if (!room.next) return *status = 1, true;
    int64_t *taps = take(&room, all * 8), *at = take(&room, all * 8);
    int64_t *image_rows = take(&room, rows * 8), *top_rows = take(&room, rows * 8),
            *turned_rows = take(&room, rows * 8);
    char *sums = take(&room, all * lanes * item), *turned = take(&room, places * lanes * item);
    char *copy = take(&room, s.elements * item);
    int64_t inner = s.copied ? 1 : w->image_st[2 + last];
    list_taps(w, &s, taps, at);
    for (int64_t k = ntaps - 1; k >= 0; k--)
        for (int64_t x = across - 1; x >= 0; x--) {
            taps[k * across + x] = taps[k] + x * w->dilation[last] * inner;
            at[k * across + x] = at[k] + x * w->filter_st[2 + last];
        }
    list_rows(w, &s, image_rows, top_rows);
    for (int64_t row = 0; row < rows; row++) turned_rows[row] = row * w->out[last] * lanes;
    memset(sums, 0, (size_t)(all * lanes * item));
    for (int64_t n = 0; n < w->images; n++) {
        const char *image = w->image + (n * w->image_st[0] + group * w->channels * w->image_st[1]) * item;
        if (s.copied) copy_image(w, &s, copy, image, item);
        turn_top(r, w->top + (n * w->top_st[0] + group * w->filters * w->top_st[1]) * item, top_rows, rows, lanes,
                 turned);
        ConvTile t = {.segs = rows,
                      .len = w->out[last],
                      .aseg = image_rows,
                      .bseg = turned_rows,
                      .b = turned,
                      .a = s.copied ? copy : image + s.first * item,
                      .acs = w->step[last] * inner,
                      .brs = lanes,
                      .crs = lanes,
                      .add = true};
        outer_tiles(r, &t, taps, all, lanes, sums);
    }
    char *to = w->filter + group * w->filters * w->filter_st[0] * item;
    for (int64_t o = 0; o < w->filters; o++)
        for (int64_t k = 0; k < all; k++)
            memcpy(to + (o * w->filter_st[0] + at[k]) * item, sums + (k * lanes + o) * item, (size_t)item);
    *status = 0;
    return true;
}
