/*
 * lines.c -- gradient for images of a convolution over two dimensions with small maps: places of the gradient of the
 * result as one line, over the ends of its rows. For each channel and column of the filter, its rows (r) times the line
 * = filter (r) x (o) . top (o) x places are products that belong to lines as well, each a row further: they are added
 * as such, rows are then drawn apart to those of the image, and the columns of the filter are added there.
 * In: a group of a ConvWork. Out: its images, or false where this way does not apply, or tile by tile (fold.c) costs
 * less.
 */
#include "parts.h"

#include <math.h>
#include <string.h>

enum { ROOM_ALIGN = CONV_ALIGN, NEAR_BYTES = 20 * 1024 };

typedef struct Lines {
    const ConvRun *r;
    int64_t step, line, width, reach; /* from a row of the filter to the next; of sums; of a row drawn apart; rows */
    int64_t stride, apart;            /* of products; elements of all rows drawn apart.. */
    int64_t column, shift;            /* ..from one column's to the next one's; zeros before each */
    int64_t whole, vectors, edge;     /* places: tiles as wide as can be, vectors of the last one, lanes of its last */
    char *filters, *tops, *products, *sums, *rows, *image;
} Lines;

static Lines lines_of(const ConvRun *r) {
    const ConvWork *w = r->w;
    Lines j = {.r = r, .step = w->dilation[0] * w->out[1], .reach = w->out[0] + (w->size[0] - 1) * w->dilation[0]};
    j.line = j.reach * w->out[1];
    j.stride = up(j.line, r->kern->vl);
    j.width = w->out[1] + (w->size[1] - 1) * w->dilation[1];
    j.apart = j.reach * j.width + j.width - w->out[1];
    j.shift = j.width - w->out[1];
    const int64_t vl = r->kern->vl, nr = r->kern->nv * vl, places = w->out[0] * w->out[1];
    j.whole = places / nr, j.vectors = up(places % nr, vl) / vl;
    j.edge = places % nr - (j.vectors - 1) * vl;
    j.column = j.shift + j.apart + GEMM_MAX_NR_BYTES / r->item;
    return j;
}

static bool applies(const ConvRun *r) {
    const ConvWork *w = r->w;
    if (w->ndim != 2 || w->step[0] != 1 || w->step[1] != 1 || w->image_st[3] != 1) return false;
    if (w->pad[0] < 0 || w->pad[1] < 0 || w->size[0] * w->size[1] == 1) return false;
    return w->size[0] * lines_of(r).stride * r->item <= NEAR_BYTES;
}

/* Vectors of products, of their sums, and of rows that are drawn apart and added, in cycles; beside what the other ways
 * are reckoned at. */
#define LOW 1.5  /* tiles of few rows wait for their operands.. */
#define FAR 1.15 /* ..and those whose tops are not in the nearest cache */
#define ALL 0.85
double conv_lines_cost(const ConvRun *r) {
    enum { BYTES = 64, LOW_ROWS = 3, TOP_BYTES = 20 * 1024 }; /* BYTES: multiplied in a cycle */
    const ConvWork *w = r->w;
    if (!applies(r)) return INFINITY;
    const Lines j = lines_of(r);
    const int64_t vl = r->kern->vl, row = up(w->out[1], vl) / vl, places = w->out[0] * w->out[1];
    const double sums = 5.0 * (double)(w->size[0] * (j.stride / vl));
    const double apart = 8.0 * (double)(j.reach * row) + 6.0 * (double)(up(j.apart, vl) / vl);
    const double cycles = sums + apart + 10.0 * (double)w->in[0] / (double)w->size[1];
    const double low = w->size[0] / panels(w->size[0]) <= LOW_ROWS ? LOW : 1;
    const double far = w->filters * places * r->item > TOP_BYTES ? FAR : 1;
    const double adds = cycles * (double)(BYTES / r->item) / (double)(w->filters * w->size[0]);
    return ALL * (low * far * (double)up(places, vl) + adds);
}

/* Filters as (channel, column, row from the last one on) x (o), rows in panels. */
static void pack_columns(const Lines *j, const char *from) {
    const ConvWork *w = j->r->w;
    const int64_t item = j->r->item, last = w->size[0] - 1;
    char *to = j->filters;
    for (int64_t c = 0; c < w->channels; c++)
        for (int64_t x = 0; x < w->size[1]; x++)
            for (int64_t p = 0; p < panels(w->size[0]); p++) {
                const int64_t i = panel_at(w->size[0], p), rows = panel_at(w->size[0], p + 1) - i;
                const int64_t at = c * w->filter_st[1] + x * w->filter_st[3] + (last - i) * w->filter_st[2];
                j->r->kern->pack_a(to, from + at * item, -w->filter_st[2], w->filter_st[0], rows, w->filters);
                to += rows * w->filters * item;
            }
}

/* One column of the filters times all places, rows of products where their lines have them; zeros stay around them. */
static void multiply_column(const Lines *j, GemmTile *t, const char *top, const char *filters) {
    const ConvWork *w = j->r->w;
    const GemmKernels *kern = j->r->kern;
    const int64_t item = j->r->item, nr = kern->nv * kern->vl;
    for (int64_t p = 0, i = 0, end; i < w->size[0]; i = end) {
        end = panel_at(w->size[0], ++p);
        const int64_t rows = end - i;
        char *to = j->products + (i * j->stride + (w->size[0] - 1 - i) * j->step) * item;
        t->a = filters, t->acs = rows, t->crs = j->stride - j->step;
        filters += rows * w->filters * item;
        t->b = top, t->c = to, t->tail = t->edge = kern->vl;
        for (int64_t n = j->whole; n > 0; n--) {
            kern->tile[rows - 1][kern->nv - 1](t);
            t->b = (const char *)t->b + nr * item, t->c = (char *)t->c + nr * item;
        }
        t->tail = t->edge = j->edge;
        if (j->vectors) kern->tile[rows - 1][j->vectors - 1](t);
    }
}

static void put_image(const Lines *j, char *image) {
    const ConvWork *w = j->r->w;
    const int64_t item = j->r->item, cols = max64(0, min64(w->in[1], j->width - w->pad[1]));
    for (int64_t y = 0; y < w->in[0]; y++, image += w->image_st[2] * item) {
        const int64_t n = y + w->pad[0] < j->reach ? cols : 0;
        memcpy(image, j->image + ((y + w->pad[0]) * j->width + w->pad[1]) * item, (size_t)(n * item));
        memset(image + n * item, 0, (size_t)((w->in[1] - n) * item));
    }
}

static void one_image(const Lines *j, const char *top, int64_t trs, char *image) {
    const ConvRun *r = j->r;
    const ConvWork *w = r->w;
    const int64_t item = r->item, column = w->size[0] * w->filters * item;
    GemmTile t = {.k = w->filters, .ars = 1, .brs = trs, .alpha = 1};
    const char *filters = j->filters;
    for (int64_t c = 0; c < w->channels; c++, image += w->image_st[1] * item) {
        for (int64_t x = 0; x < w->size[1]; x++, filters += column) {
            multiply_column(j, &t, top, filters);
            r->kern->sum_rows(j->sums, j->products, j->stride, w->size[0], j->line);
            r->kern->pack_b(j->rows + (x * j->column + j->shift) * item, j->width, j->sums, w->out[1], 1, j->reach,
                            w->out[1]);
        }
        r->kern->sum_rows(j->image, j->rows + j->shift * item, j->column - w->dilation[1], w->size[1], j->apart);
        put_image(j, image);
    }
}

static bool take_room(Lines *j, bool lies) {
    const ConvRun *r = j->r;
    const ConvWork *w = r->w;
    const int64_t item = r->item, slack = GEMM_MAX_NR_BYTES;
    const int64_t filters = w->channels * w->size[0] * w->size[1] * w->filters * item;
    const int64_t tops = lies ? 0 : w->filters * w->out[0] * w->out[1] * item + slack;
    const int64_t products = w->size[0] * j->stride * item, rows = w->size[1] * j->column * item;
    ConvRoom room = {
        r->h->room(r->h, (uint64_t)(up(filters, ROOM_ALIGN) + up(tops, ROOM_ALIGN) + up(products, ROOM_ALIGN) +
                                    up(j->line * item, ROOM_ALIGN) + up(rows, ROOM_ALIGN) + j->apart * item))};
    if (!room.next) return false;
    j->filters = take(&room, filters), j->tops = take(&room, tops), j->products = take(&room, products);
    j->sums = take(&room, j->line * item), j->rows = take(&room, rows), j->image = room.next;
    memset(j->products, 0, (size_t)products);
    memset(j->rows, 0, (size_t)rows);
    return true;
}

bool conv_lines_image(ConvRun *r, int64_t group, int *status) {
    const ConvWork *w = r->w;
    const int64_t item = r->item, places = w->out[0] * w->out[1];
    if (!applies(r) || (r->way == CONV_AUTO && conv_lines_cost(r) > conv_fold_cost(r))) return false;
    if (r->order) return r->order->way = CONV_FOLD, r->order->run = 1, *status = 0, true;
    const bool lies = w->top_st[3] == 1 && (w->top_st[2] == w->out[1] || w->out[0] == 1);
    Lines j = lines_of(r);
    if (!take_room(&j, lies)) return *status = 1, true;
    pack_columns(&j, w->filter + group * w->filters * w->filter_st[0] * item);
    for (int64_t n = 0; n < w->images && !host_leaves(r->h); n++) {
        const char *top = w->top + (n * w->top_st[0] + group * w->filters * w->top_st[1]) * item;
        if (!lies) {
            for (int64_t o = 0; o < w->filters; o++)
                r->kern->pack_b(j.tops + o * places * item, w->out[1], top + o * w->top_st[1] * item, w->top_st[2],
                                w->top_st[3], w->out[0], w->out[1]);
        }
        one_image(&j, lies ? top : j.tops, lies ? w->top_st[1] : places,
                  w->image + (n * w->image_st[0] + group * w->channels * w->image_st[1]) * item);
    }
    *status = 0;
    return true;
}
