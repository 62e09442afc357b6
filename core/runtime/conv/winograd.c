/*
 * winograd.c -- convolution of float32 by filters of 3 x 3, steps of one, as Winograd's: squares of m + 2 of the image
 * and the filters become (m + 2)^2 factors each, whose products summed over the channels become squares of m results,
 * m 4 (a quarter of the multiply-adds) or 2 (4 of 9). The products are matrices, one for each factor.
 * In: a group of a ConvWork. Out: its result, or false where this way does not apply.
 * Always holds: the bits of a result depend neither on the other images nor on where rows or filters are cut for
 * threads (squares lie at multiples of m). What is not finite is computed again in tiles: the rows of squares, or the
 * filters, where a NaN, an infinity or an overflow showed up, so that these stay where they belong.
 *
 * Lanes are channels and filters: `rows` has some rows of one image as (y, x, channel lane), factors lie
 * [factor][square][lane].
 */
#include "parts.h"

#include <string.h>

enum {
    ITEM = 4,
    LINE = CONV_ALIGN / ITEM,
    FACTORS_BYTES = 448 * 1024,
    FEW_SQUARES = 12,
    MANY_SQUARES = 48,
    NEAR_FILTERS = 1 << 20,
    MR = GEMM_MR
};

typedef struct Wino {
    ConvRun *r;
    const ConvWork *w;
    const WinogradFn *squares;
    int64_t m, side, factors;       /* side = m + 2, factors = side^2 */
    int64_t down, across;           /* squares of an image's result */
    int64_t channels, filters;      /* lanes: whole vectors */
    int64_t strips, most;           /* rows of squares at a time; squares that these have */
    int64_t width;                  /* of `rows`, in pixels */
    int64_t rows_image, rows_strip; /* what `rows` holds; -1: nothing */
    const char *image;              /* of this group */
    char *top;
    char *rows, *results, *image_factors, *products, *filter_factors;
} Wino;

bool conv_is_winograd(ConvWay way) { return way == CONV_WINOGRAD || way == CONV_WINOGRAD2; }

bool conv_winograd_applies(const ConvRun *r) {
    const ConvWork *w = r->w;
    if (!r->kern->winograd || w->ndim != 2) return false;
    for (int d = 0; d < 2; d++)
        if (w->size[d] != 3 || w->step[d] != 1 || w->dilation[d] != 1 || w->pad[d] < 0 || w->pad[d] > 2) return false;
    return w->image_st[3] == 1 && w->top_st[3] == 1;
}

static char *moved(const char *p, int64_t elements) { return (char *)p + elements * ITEM; }
static void *later(ConvRoom *room, int64_t elements) { return take(room, elements * ITEM); }

/* Rows of squares that run together, by the whole's lengths: sums for filters are cut where these end. */
static void sizes(Wino *j) {
    const ConvWork *w = j->w, *all = j->r->whole;
    int64_t vl = j->r->kern->vl, c = up(all->channels, vl), o = up(all->filters, vl);
    j->m = j->r->way == CONV_WINOGRAD2 ? 2 : 4;
    j->squares = j->r->kern->winograd->squares[j->m / 4];
    j->side = j->m + 2, j->factors = j->side * j->side;
    j->down = (w->out[0] + j->m - 1) / j->m, j->across = (w->out[1] + j->m - 1) / j->m;
    j->channels = up(w->channels, vl), j->filters = up(w->filters, vl);
    j->width = j->across * j->m + 2;
    int64_t many = max64(FEW_SQUARES, FACTORS_BYTES / (j->factors * (c + o) * ITEM));
    if (j->factors * c * o * ITEM > NEAR_FILTERS) many = max64(many, MANY_SQUARES);
    j->strips = min64(max64(1, many / j->across), j->down * w->images);
    j->most = j->strips * j->across;
    j->rows_image = j->rows_strip = -1;
}

/* ---- filters ----------------------------------------------------------------------------------------------------- */
/* All filters as (channel, tap, filter lane) at `to`; the squares that read them there. */
static WinogradTiles gather_filters(const Wino *j, const char *from, char *to) {
    const ConvWork *w = j->w;
    const int64_t *st = w->filter_st, lanes = j->filters;
    bool back_y = st[2] < 0, back_x = st[3] < 0;
    WinogradTiles t = {.tiles = w->channels, .from = to, .from_tile = 9 * lanes};
    if (lanes != w->filters) memset(to, 0, (size_t)(w->channels * 9 * lanes * ITEM));
    t.from_y = 3 * lanes, t.from_x = lanes;
    if ((st[2] == 3 || st[2] == -3) && (st[3] == 1 || st[3] == -1)) {
        from = moved(from, (back_y ? 2 * st[2] : 0) + (back_x ? 2 * st[3] : 0));
        if (st[1] == 9) j->r->kern->turn(to, lanes, from, st[0], w->filters, 9 * w->channels);
        else
            for (int64_t k = 0; k < w->channels; k++)
                j->r->kern->turn(moved(to, 9 * k * lanes), lanes, moved(from, k * st[1]), st[0], w->filters, 9);
        if (back_y) t.from = moved(t.from, 2 * t.from_y), t.from_y = -t.from_y;
        if (back_x) t.from = moved(t.from, 2 * t.from_x), t.from_x = -t.from_x;
        return t;
    }
    for (int64_t k = 0; k < w->channels; k++)
        for (int64_t tap = 0; tap < 9; tap++)
            for (int64_t o = 0; o < w->filters; o++)
                memcpy(moved(to, (9 * k + tap) * lanes + o),
                       moved(from, o * st[0] + k * st[1] + tap / 3 * st[2] + tap % 3 * st[3]), ITEM);
    return t;
}

/* Elements of one factor's matrix: an odd number of cache lines, so that the factors of a square lie in all parts of
 * the cache. */
static int64_t matrix(int64_t elements) { return (up(elements, LINE) / LINE | 1) * LINE; }

/* Lanes in panels as wide as a register tile, each [factor][row][its lanes]. */
static int64_t panel_lanes(const Wino *j) { return (int64_t)j->r->kern->nv * j->r->kern->vl; }

static int64_t panel_start(const Wino *j, int64_t lane, int64_t rows) {
    return lane / panel_lanes(j) * j->factors * matrix(rows * panel_lanes(j));
}
static int64_t panels_of(const Wino *j, int64_t lanes, int64_t rows) {
    return panel_start(j, up(lanes, panel_lanes(j)), rows);
}

/* Squares of all lanes to factors in panels of `rows` rows, these ones from row `at` on. */
static void to_panels(const Wino *j, WinogradKind kind, WinogradTiles t, int64_t lanes, int64_t rows, int64_t at,
                      char *to) {
    const void *from = t.from;
    for (int64_t lane = 0; lane < lanes; lane += panel_lanes(j)) {
        int64_t wide = min64(panel_lanes(j), lanes - lane);
        t.vectors = wide / j->r->kern->vl;
        t.from = moved(from, lane);
        t.to = moved(to, panel_start(j, lane, rows) + at * wide);
        t.to_tile = wide, t.to_x = matrix(rows * wide), t.to_y = j->side * t.to_x;
        j->squares[kind](&t);
    }
}

/* ---- images ------------------------------------------------------------------------------------------------------ */
/* Rows y0 .. y0 + n of an image (channels planes of in[0] x in[1]) from column x0 on as (y, x, lane) with `width`
 * pixels a row; zeros outside. Lanes that are no channel, and columns outside, stay as they are: zeros. */
static void turn_rows(const Wino *j, const char *image, const int64_t *in, int64_t row_st, int64_t plane_st,
                      int64_t channels, int64_t lanes, int64_t y0, int64_t x0, int64_t n, int64_t width, char *to) {
    int64_t left = max64(-x0, 0), right = min64(width, in[1] - x0);
    for (int64_t y = y0; y < y0 + n; y++, to = moved(to, width * lanes)) {
        if (y < 0 || y >= in[0]) {
            memset(to, 0, (size_t)(width * lanes * ITEM));
            continue;
        }
        if (right > left)
            j->r->kern->turn(moved(to, left * lanes), lanes, moved(image, y * row_st + x0 + left), plane_st, channels,
                             right - left);
    }
}

/* The image's rows under strip `strip` of image n, of which its neighbour's last two may be here already. */
static void open_strip(Wino *j, int64_t n, int64_t strip) {
    const ConvWork *w = j->w;
    int64_t row = j->width * j->channels, have = 0, y = strip * j->m - w->pad[0];
    if (j->rows_image == n && j->rows_strip == strip - 1) {
        memmove(j->rows, moved(j->rows, j->m * row), (size_t)(2 * row * ITEM));
        have = 2;
    }
    turn_rows(j, moved(j->image, n * w->image_st[0]), w->in, w->image_st[2], w->image_st[1], w->channels, j->channels,
              y + have, -w->pad[1], j->side - have, j->width, moved(j->rows, have * row));
    j->rows_image = n, j->rows_strip = strip;
}

static WinogradTiles image_squares(const Wino *j) {
    return (WinogradTiles){.tiles = j->across,
                           .vectors = j->channels / j->r->kern->vl,
                           .from = j->rows,
                           .from_tile = j->m * j->channels,
                           .from_y = j->width * j->channels,
                           .from_x = j->channels};
}

/* ---- products ---------------------------------------------------------------------------------------------------- */
/* m rows of c, `lanes` wide, from a and one panel of b. */
static void product(const GemmKernels *kern, GemmTile *t, int64_t m, int64_t lanes) {
    int vectors = (int)(lanes / kern->vl);
    const char *a = t->a;
    char *c = t->c;
    GemmTileFn tall = kern->tall[0] && vectors <= 2 ? kern->tall[vectors - 1] : NULL;
    GemmTileFn quick = vectors == kern->nv ? kern->quick[t->acs == 1 ? 1 : 2] : NULL;
    t->half = MR * t->ars;
    for (int64_t i = 0, n; i < m; i += n) {
        n = tall && m - i >= 2 * MR ? 2 * MR : min64(MR, m - i);
        t->a = moved(a, i * t->ars), t->c = moved(c, i * t->crs);
        (n > MR ? tall : n == MR && quick ? quick : kern->tile[n - 1][vectors - 1])(t);
    }
}

/* Planes of an image's strips, rows dense: where their bytes lie, which are asked for while products are computed. */
typedef struct Ahead {
    const char *at;
    int64_t image_st, plane_st, planes, row, first, strips, limit; /* elements; rows start at first of `limit` */
} Ahead;

/* Part f of all factors: m rows of each plane under strips strip .. strip + a->strips. */
static void ask_for(const Wino *j, const Ahead *a, int64_t strip, int64_t f, bool write) {
    int64_t all = a->strips * a->planes;
    for (int64_t i = all * f / j->factors; i < all * (f + 1) / j->factors; i++) {
        int64_t s = strip + i / a->planes, y = max64(0, a->first + s % j->down * j->m);
        int64_t end = min64(a->limit, a->first + (s % j->down + 1) * j->m);
        const char *p = moved(a->at, s / j->down * a->image_st + i % a->planes * a->plane_st);
        for (int64_t x = y * a->row; x < end * a->row; x += LINE)
            if (write) __builtin_prefetch(moved(p, x), 1, 2);
            else __builtin_prefetch(moved(p, x), 0, 2);
    }
}

/* products [factor][square][filter] = images' [factor][square][channel] . filters' [factor][channel][filter] */
static void multiply_top(const Wino *j, int64_t strip, int64_t strips, int64_t strips_left) {
    const GemmKernels *kern = j->r->kern;
    const ConvWork *w = j->w;
    int64_t k = w->channels, squares = strips * j->across;
    Ahead to = {j->top, w->top_st[0], w->top_st[1], w->filters, w->out[1], 0, strips, w->out[0]};
    Ahead from = {j->image, w->image_st[0], w->image_st[1], k, w->in[1], 2 - w->pad[0], 0, w->in[0]};
    from.strips = min64(strips_left - strips, j->strips);
    if (w->image_st[2] != w->in[1]) from.strips = 0;
    if (w->top_st[2] != w->out[1]) to.strips = 0;
    for (int64_t f = 0; f < j->factors; f++) {
        ask_for(j, &from, strip + strips, f, false);
        ask_for(j, &to, strip, f, true);
        for (int64_t lane = 0; lane < j->filters; lane += panel_lanes(j)) {
            int64_t wide = min64(panel_lanes(j), j->filters - lane);
            GemmTile t = {.k = k, .ars = j->channels, .acs = 1, .brs = wide, .crs = j->filters, .alpha = 1};
            t.tail = t.edge = kern->vl;
            t.a = moved(j->image_factors, f * matrix(j->most * j->channels));
            t.b = moved(j->filter_factors, panel_start(j, lane, k) + f * matrix(k * wide));
            t.c = moved(j->products, f * matrix(j->most * j->filters) + lane);
            product(kern, &t, squares, wide);
        }
    }
}

/* The strip's products to results; false: not all are finite. */
static bool strip_results(const Wino *j, int64_t n, int64_t strip, int64_t square) {
    const ConvWork *w = j->w;
    int64_t rows = min64(j->m, w->out[0] - strip * j->m), wide = j->across * j->m;
    WinogradTiles t = {.tiles = j->across, .vectors = j->filters / j->r->kern->vl, .to = j->results};
    t.from = moved(j->products, square * j->filters);
    t.from_tile = j->filters, t.from_x = matrix(j->most * j->filters), t.from_y = j->side * t.from_x;
    t.to_tile = j->m * j->filters, t.to_x = j->filters, t.to_y = wide * j->filters;
    bool finite = j->squares[WINOGRAD_TOP](&t);
    char *top = moved(j->top, n * w->top_st[0] + strip * j->m * w->top_st[2]);
    for (int64_t y = 0; y < rows; y++)
        j->r->kern->turn(moved(top, y * w->top_st[2]), w->top_st[1], moved(j->results, y * wide * j->filters),
                         j->filters, w->out[1], w->filters);
    return finite;
}

/* ---- to top ------------------------------------------------------------------------------------------------------ */
static bool take_rooms(Wino *j, int64_t group, int64_t image_factors, int64_t filter_factors) {
    const ConvWork *w = j->w;
    int64_t rows = j->side * j->width * j->channels, results = j->m * j->across * j->m * j->filters;
    int64_t gathered = w->channels * 9 * j->filters, products = j->factors * matrix(j->most * j->filters);
    int64_t images = max64(image_factors, gathered); /* at first the filters as they come */
    int64_t all = rows + results + images + products + filter_factors;
    ConvRoom room = {j->r->h->room(j->r->h, (uint64_t)(all * ITEM + 5 * CONV_ALIGN))};
    if (!room.next) return false;
    j->rows = later(&room, rows), j->results = later(&room, results), j->image_factors = later(&room, images);
    j->products = later(&room, products), j->filter_factors = later(&room, filter_factors);
    j->image = moved(w->image, group * w->channels * w->image_st[1]);
    j->top = moved(w->top, group * w->filters * w->top_st[1]);
    memset(j->rows, 0, (size_t)(rows * ITEM));
    memset(j->results, 0, (size_t)(results * ITEM));
    return true;
}

static void image_factors(Wino *j, int64_t strip, int64_t square) {
    WinogradTiles t = image_squares(j);
    open_strip(j, strip / j->down, strip % j->down);
    t.from = j->rows;
    t.to = moved(j->image_factors, square * j->channels);
    t.to_tile = j->channels, t.to_x = matrix(j->most * j->channels), t.to_y = j->side * t.to_x;
    j->squares[WINOGRAD_IMAGE](&t);
}

/* Images from `first` on, up to the first of which not all is finite: *bad, or how many there are. 0, or 1: no room. */
static int run_images(ConvRun *r, int64_t group, int64_t first, int64_t *bad) {
    const ConvWork *w = r->w;
    Wino j = {.r = r, .w = w};
    sizes(&j);
    if (!take_rooms(&j, group, j.factors * matrix(j.most * j.channels), panels_of(&j, j.filters, w->channels)))
        return 1;
    const char *filter = moved(w->filter, group * w->filters * w->filter_st[0]);
    to_panels(&j, WINOGRAD_FILTER, gather_filters(&j, filter, j.image_factors), j.filters, w->channels, 0,
              j.filter_factors);
    bool finite = true;
    for (int64_t s = first * j.down, end = w->images * j.down; s < end && !host_leaves(r->h); s += j.strips) {
        int64_t many = min64(j.strips, end - s);
        for (int64_t i = 0; i < many; i++) image_factors(&j, s + i, i * j.across);
        multiply_top(&j, s, many, end - s);
        for (int64_t i = 0; i < many; i++) {
            int64_t n = (s + i) / j.down, strip = (s + i) % j.down;
            finite = strip_results(&j, n, strip, i * j.across) && finite;
            if (strip < j.down - 1) continue;
            if (!finite) return *bad = n, 0;
            conv_done(r, group, n);
        }
    }
    *bad = w->images;
    return 0;
}

static bool all_finite(const char *row, int64_t n, int64_t step) {
    float check = 0;
    for (int64_t i = 0; i < n; i++) check += ((const float *)row)[i * step] * 0;
    return check == 0;
}

/* Those rows of squares of image n in tiles which are not finite. */
static int mend_image(ConvRun *r, int64_t group, int64_t n) {
    const ConvWork *w = r->w;
    int64_t m = r->way == CONV_WINOGRAD2 ? 2 : 4;
    char *top = moved(w->top, n * w->top_st[0] + group * w->filters * w->top_st[1]);
    for (int64_t y = 0; y < w->out[0]; y += m) {
        ConvWork v = *w;
        ConvRun again = *r;
        bool good = true;
        v.images = v.groups = 1, v.done = NULL;
        v.out[0] = min64(m, w->out[0] - y), v.pad[0] -= y;
        v.image = moved(w->image, n * w->image_st[0] + group * w->channels * w->image_st[1]);
        v.filter = moved(w->filter, group * w->filters * w->filter_st[0]);
        v.top = moved(top, y * w->top_st[2]);
        for (int64_t o = 0; good && o < w->filters; o++)
            for (int64_t i = 0; good && i < v.out[0]; i++)
                good = all_finite(moved(v.top, o * w->top_st[1] + i * w->top_st[2]), w->out[1], 1);
        again.w = &v, again.way = CONV_AUTO;
        if (!good && conv_top(&again, 0)) return 1;
    }
    return 0;
}

int conv_winograd_top(ConvRun *r, int64_t group) {
    if (r->order) return r->order->way = r->way, 0;
    for (int64_t n = 0; n < r->w->images; n++) {
        if (run_images(r, group, n, &n)) return 1;
        if (n == r->w->images) break;
        if (mend_image(r, group, n)) return 1;
        conv_done(r, group, n);
    }
    return 0;
}

/* ---- to the filters ---------------------------------------------------------------------------------------------- */
static void gradient_factors(Wino *j, int64_t strip, int64_t square) {
    const ConvWork *w = j->w;
    int64_t n = strip / j->down, y = strip % j->down * j->m, wide = j->across * j->m;
    WinogradTiles t = image_squares(j);
    open_strip(j, n, strip % j->down);
    to_panels(j, WINOGRAD_IMAGE, t, j->channels, j->most, square, j->image_factors);
    turn_rows(j, moved(j->top, n * w->top_st[0]), w->out, w->top_st[2], w->top_st[1], w->filters, j->filters, y, 0,
              j->m, wide, j->results);
    t = (WinogradTiles){.tiles = j->across, .vectors = j->filters / j->r->kern->vl, .from = j->results};
    t.from_tile = j->m * j->filters, t.from_y = wide * j->filters, t.from_x = j->filters;
    t.to = moved(j->products, square * j->filters);
    t.to_tile = j->filters, t.to_x = matrix(j->most * j->filters), t.to_y = j->side * t.to_x;
    j->squares[WINOGRAD_BACK](&t);
}

/* sums [factor][filter][channel] += gradients' [factor][square][filter] . images' [factor][square][channel] */
static void multiply_filter(const Wino *j, int64_t squares, bool add) {
    const GemmKernels *kern = j->r->kern;
    int64_t filters = j->w->filters;
    for (int64_t f = 0; f < j->factors; f++)
        for (int64_t lane = 0; lane < j->channels; lane += panel_lanes(j)) {
            int64_t wide = min64(panel_lanes(j), j->channels - lane);
            GemmTile t = {.k = squares, .ars = 1, .acs = j->filters, .brs = wide, .crs = wide, .alpha = 1, .beta = add};
            t.tail = t.edge = kern->vl;
            t.a = moved(j->products, f * matrix(j->most * j->filters));
            t.b = moved(j->image_factors, panel_start(j, lane, j->most) + f * matrix(j->most * wide));
            t.c = moved(j->filter_factors, panel_start(j, lane, filters) + f * matrix(filters * wide));
            product(kern, &t, filters, wide);
        }
}

/* Filter o of the sums to its own place; false: not all is finite. */
static bool put_filter(const Wino *j, int64_t o, char *to) {
    const int64_t *st = j->w->filter_st, lanes = j->channels;
    bool back_y = st[2] < 0, back_x = st[3] < 0, good = true, dense = st[2] * (back_y ? -1 : 1) == 3;
    dense = dense && st[3] * (back_x ? -1 : 1) == 1;
    for (int64_t lane = 0; lane < lanes; lane += panel_lanes(j)) {
        int64_t wide = min64(panel_lanes(j), lanes - lane), row = matrix(j->w->filters * wide);
        WinogradTiles t = {.tiles = 1, .vectors = wide / j->r->kern->vl, .from_x = row, .from_y = j->side * row};
        t.from = moved(j->filter_factors, panel_start(j, lane, j->w->filters) + o * wide);
        t.to = moved(j->rows, lane);
        t.to_x = lanes, t.to_y = 3 * lanes;
        if (dense && back_y) t.to = moved(t.to, 6 * lanes), t.to_y = -t.to_y;
        if (dense && back_x) t.to = moved(t.to, 2 * lanes), t.to_x = -t.to_x;
        good = j->squares[WINOGRAD_SUMS](&t) && good;
    }
    if (dense) {
        to = moved(to, (back_y ? 2 * st[2] : 0) + (back_x ? 2 * st[3] : 0));
        j->r->kern->turn(to, st[1], j->rows, lanes, 9, j->w->channels);
        return good;
    }
    for (int64_t tap = 0; tap < 9; tap++)
        for (int64_t c = 0; c < j->w->channels; c++)
            memcpy(moved(to, c * st[1] + tap / 3 * st[2] + tap % 3 * st[3]), moved(j->rows, tap * lanes + c), ITEM);
    return good;
}

/* Those filters in tiles which are not finite. */
static int mend_filters(ConvRun *r, int64_t group) {
    const ConvWork *w = r->w;
    const int64_t *st = w->filter_st;
    char *filter = moved(w->filter, group * w->filters * st[0]);
    for (int64_t o = 0, end; o < w->filters; o = end + 1) {
        for (end = o; end < w->filters; end++) {
            bool good = true;
            for (int64_t tap = 0; good && tap < 9; tap++)
                good = all_finite(moved(filter, end * st[0] + tap / 3 * st[2] + tap % 3 * st[3]), w->channels, st[1]);
            if (good) break;
        }
        if (end == o) continue;
        ConvWork v = *w;
        ConvRun again = *r;
        v.groups = 1, v.filters = end - o;
        v.image = moved(w->image, group * w->channels * w->image_st[1]);
        v.filter = moved(filter, o * st[0]);
        v.top = moved(w->top, (group * w->filters + o) * w->top_st[1]);
        again.w = &v, again.way = CONV_AUTO;
        if (conv_filter(&again, 0)) return 1;
    }
    return 0;
}

int conv_winograd_filter(ConvRun *r, int64_t group) {
    const ConvWork *w = r->w;
    Wino j = {.r = r, .w = w};
    sizes(&j);
    if (r->order) return r->order->way = r->way, r->order->rows = j.strips, 0;
    if (!take_rooms(&j, group, panels_of(&j, j.channels, j.most), panels_of(&j, j.channels, w->filters))) return 1;
    for (int64_t s = 0, end = w->images * j.down; s < end && !host_leaves(r->h); s += j.strips) {
        int64_t many = min64(j.strips, end - s);
        for (int64_t i = 0; i < many; i++) gradient_factors(&j, s + i, i * j.across);
        multiply_filter(&j, many * j.across, s > 0);
    }
    char *filter = moved(w->filter, group * w->filters * w->filter_st[0]);
    bool good = true;
    for (int64_t o = 0; o < w->filters; o++) good = put_filter(&j, o, moved(filter, o * w->filter_st[0])) && good;
    return good ? 0 : mend_filters(r, group);
}
