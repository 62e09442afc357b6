/*
 * fold.c -- gradient for images of a convolution over two dimensions with small maps: for each image the product
 * taps (c, r) x places = filter (c, r) x (o) . top (o) x places, tile by tile, each row of a tile added at once where
 * its tap's window lies.
 * In: a group of a ConvWork. Out: its images, or false where this way does not apply. Sliding over the padded gradient
 * multiplies the padding too, this way adds every product to memory.
 */
#include "parts.h"

#include <math.h>
#include <string.h>

enum { ROOM_ALIGN = CONV_ALIGN };

static int64_t ceil_div(int64_t a, int64_t b) { return a <= 0 ? -(-a / b) : (a + b - 1) / b; }

/* A tap's row of products is added to memory by loads that wait for the stores of the tap before. */
double conv_fold_cost(const ConvRun *r) {
    enum {
        CALL = 28,
        VECTOR = 7,
        BYTES = 64
    }; /* cycles of a row and of each of its vectors; bytes multiplied in one */
    const ConvWork *w = r->w;
    if (w->ndim != 2 || w->step[1] != 1 || w->image_st[3] != 1) return INFINITY;
    if (w->size[0] * w->size[1] == 1 && w->step[0] == 1) return INFINITY; /* a product of matrices as they lie */
    const int64_t vl = r->kern->vl, rows = w->out[0], vectors = up(w->out[1], vl) / vl;
    const double adds = (double)(rows * (CALL + VECTOR * vectors) * (BYTES / r->item)) / (double)w->filters;
    return (double)up(rows * w->out[1], vl) + adds;
}

/* Filters as (tap) x (o): panel by panel, o by o, row by row. Taps run over the channels first, so that a tile's rows
 * are added to different places: a load that overlaps a store just made waits for it. */
static void pack_taps(const ConvWork *w, const char *from, char *to, int64_t item) {
    int64_t taps = w->channels * w->size[0] * w->size[1];
    for (int64_t p = 0; p < panels(taps); p++)
        for (int64_t o = 0; o < w->filters; o++)
            for (int64_t t = panel_at(taps, p); t < panel_at(taps, p + 1); t++, to += item) {
                int64_t c = t % w->channels, r = t / w->channels;
                int64_t at = o * w->filter_st[0] + c * w->filter_st[1] + r / w->size[1] * w->filter_st[2] +
                             r % w->size[1] * w->filter_st[3];
                memcpy(to, from + at * item, (size_t)item);
            }
}

static void clear_images(const ConvRun *r, char *image) {
    const ConvWork *w = r->w;
    for (int64_t c = 0; c < w->channels; c++)
        for (int64_t y = 0; y < w->in[0]; y++)
            memset(image + (c * w->image_st[1] + y * w->image_st[2]) * r->item, 0, (size_t)(w->in[1] * r->item));
}

/* Adds one tap's products, columns col .. col + cols of (y, x), to the image. */
static void add_tap(const ConvRun *r, char *image, int64_t tap, const char *from, int64_t col, int64_t cols) {
    const ConvWork *w = r->w;
    int64_t c = tap % w->channels, at_tap = tap / w->channels, item = r->item, ow = w->out[1];
    int64_t dy = at_tap / w->size[1] * w->dilation[0] - w->pad[0];
    int64_t dx = at_tap % w->size[1] * w->dilation[1] - w->pad[1];
    int64_t y0 = max64(ceil_div(-dy, w->step[0]), 0), y1 = min64(ceil_div(w->in[0] - dy, w->step[0]), w->out[0]);
    int64_t x0 = max64(-dx, 0), x1 = min64(w->in[1] - dx, ow), rows = w->image_st[2] * w->step[0];
    image += (c * w->image_st[1] + dy * w->image_st[2] + dx) * item;
    if (col == 0 && cols == w->out[0] * ow) { /* all rows at once */
        if (y1 > y0 && x1 > x0)
            r->kern->add_rows(image + (y0 * rows + x0) * item, rows, from + (y0 * ow + x0) * item, ow, y1 - y0,
                              x1 - x0);
        return;
    }
    for (int64_t at = col; at < col + cols;) {
        int64_t y = at / ow, x = at % ow, n = min64(ow - x, col + cols - at);
        int64_t a = max64(x, x0), b = min64(x + n, x1);
        if (y >= y0 && y < y1 && a < b)
            r->kern->add_rows(image + (y * rows + a) * item, rows, from + (y * ow + a - col) * item, ow, 1, b - a);
        at += n;
    }
}

/* All taps times the columns col .. col + cols of one image's top. */
static void fold_columns(const ConvRun *r, const char *taps, const char *top, int64_t trs, char *image, int64_t col,
                         int64_t cols) {
    const ConvWork *w = r->w;
    const GemmKernels *kern = r->kern;
    _Alignas(64) char tile[GEMM_MR * GEMM_MAX_NR_BYTES];
    int64_t n = w->channels * w->size[0] * w->size[1];
    int vectors = (int)((cols + kern->vl - 1) / kern->vl);
    GemmTile t = {.k = w->filters,
                  .ars = 1,
                  .b = top,
                  .brs = trs,
                  .c = tile,
                  .crs = (int64_t)vectors * kern->vl,
                  .tail = kern->vl,
                  .alpha = 1};
    for (int64_t p = 0; p < panels(n); p++) {
        int64_t row = panel_at(n, p), rows = panel_at(n, p + 1) - row;
        t.a = taps + row * w->filters * r->item;
        t.acs = rows;
        kern->tile[rows - 1][vectors - 1](&t);
        for (int64_t i = 0; i < rows; i++) add_tap(r, image, row + i, tile + i * t.crs * r->item, col, cols);
    }
}

bool conv_fold_image(ConvRun *r, int64_t group, int *status) {
    const ConvWork *w = r->w;
    const GemmKernels *kern = r->kern;
    int64_t item = r->item, taps = w->channels * w->size[0] * w->size[w->ndim - 1], places = w->out[0] * w->out[1];
    if (w->ndim != 2 || w->step[1] != 1 || w->image_st[3] != 1) return false;
    if (r->order) return r->order->way = CONV_FOLD, r->order->lanes = kern->nv * kern->vl, *status = 0, true;
    int64_t nr = (int64_t)kern->nv * kern->vl, wide = up(places, kern->vl);
    int64_t bytes = up(taps * w->filters * item, ROOM_ALIGN) + w->filters * wide * item + GEMM_MAX_NR_BYTES;
    char *packed = r->h->room(r->h, (uint64_t)bytes), *copy = packed + up(taps * w->filters * item, ROOM_ALIGN);
    if (!packed) return *status = 1, true;
    pack_taps(w, w->filter + group * w->filters * w->filter_st[0] * item, packed, item);
    bool lies = w->top_st[3] == 1 && (w->top_st[2] == w->out[1] || w->out[0] == 1) && wide == places;
    for (int64_t n = 0; n < w->images; n++) {
        char *image = w->image + (n * w->image_st[0] + group * w->channels * w->image_st[1]) * item;
        const char *top = w->top + (n * w->top_st[0] + group * w->filters * w->top_st[1]) * item;
        int64_t trs = w->top_st[1];
        if (!lies) { /* rows of whole vectors */
            for (int64_t o = 0; o < w->filters; o++)
                for (int64_t y = 0; y < w->out[0]; y++)
                    kern->pack_b(copy + (o * wide + y * w->out[1]) * item, w->out[1],
                                 top + (o * w->top_st[1] + y * w->top_st[2]) * item, 0, w->top_st[3], 1, w->out[1]);
            top = copy, trs = wide;
        }
        clear_images(r, image);
        for (int64_t col = 0; col < places; col += nr)
            fold_columns(r, packed, top + col * item, trs, image, col, min64(nr, places - col));
    }
    *status = 0;
    return true;
}
