/*
 * choice.c -- which way a convolution runs. In: its lengths, the flag conv.algorithm. Out: a way. Always holds:
 * with the flag at `auto` and without conv.autotune the choice depends on the lengths and the instruction set alone.
 */
#include "parts.h"

#include <math.h>
#include <string.h>

ConvWay conv_way_named(const char *name) {
    static const char *const names[] = {"auto", "direct", "lanes",    "spread",   "fold",
                                        "gemm", "fft",    "winograd", "winograd2"};
    for (int i = 0; i < CONV_WAYS; i++)
        if (!strcmp(name, names[i])) return (ConvWay)i;
    return CONV_AUTO;
}

/* ---- what it costs ----------------------------------------------------------------------------------------------- */
/* In nanoseconds of the machine they were measured on (bench/README.md): their ratio is what counts. */
#define TRANSFORM_NS 0.48 /* a vector operation of a transform, its loads and stores.. */
#define TRANSFORM_START 2e4
#define TILE_NS 0.24    /* a vector of multiply-adds in a register tile.. */
#define TILE_ROW 0.36   /* ..and what each of its vectors waits for, shared by its rows */
#define FILTER_NS 0.08  /* rows that are summed over are short */
#define CLEARLY 1.5     /* transforms round differently: not for a little */
#define SQUARE_NS 3.0   /* Winograd: a vector of a square's factors, turned and transformed.. */
#define FACTOR_NS 4.0   /* ..of a filter's.. */
#define PRODUCT_NS 0.24 /* ..a vector of multiply-adds, whose operands are read once more.. */
#define RATHER 1.15     /* ..and errors are only two to four times those of tiles */

double conv_slide_cost(const ConvRun *r) {
    ConvRun dual = *r;
    ConvWork v;
    if (!conv_dual(r, 0, &v)) return INFINITY;
    dual.w = dual.whole = &v;
    const int64_t vl = r->kern->vl;
    const int last = v.ndim - 1;
    double places = 1, flat = conv_flat_share(&dual), least = INFINITY, few = 1 + 1.8 / (double)v.filters;
    for (int d = 0; d <= last; d++) places *= (double)v.out[d];
    if (flat > 0) least = places / flat * few;
    const double rows = places / share_of(v.out[last], vl) * few, lanes = places / share_of(v.filters, vl);
    if (v.out[last] >= vl && rows < least) least = rows;
    return v.filters >= 2 * vl && lanes < least ? lanes : least;
}

ConvWay conv_image_way(const ConvRun *r, double *cost) {
    const ConvWay way[] = {CONV_DIRECT, CONV_SPREAD, CONV_FOLD, CONV_FOLD};
    const double costs[] = {conv_slide_cost(r), conv_spread_cost(r), conv_lines_cost(r), conv_fold_cost(r)};
    int least = 0;
    for (int i = 1; i < 4; i++) least = costs[i] < costs[least] ? i : least;
    *cost = costs[least];
    return way[least];
}

/* What the least of the ways takes for; all places where nothing is known. */
static double image_places(const ConvRun *r, double places) {
    double least;
    conv_image_way(r, &least);
    return least < INFINITY ? least : places;
}

/* Places over whole vectors: of the result's rows, or of filters or of all places where those fill more. */
static double filled(const ConvRun *r, double places) {
    const ConvWork *w = r->w;
    const int64_t vl = r->kern->vl, row = w->out[w->ndim - 1];
    double share = row < vl ? 0 : share_of(row, vl);
    const double flat = w->target == CONV_TO_FILTER ? conv_flat_filter_share(r) : conv_flat_share(r);
    if (flat > share) share = flat;
    if (w->target == CONV_TO_FILTER && share_of(w->filters, vl) > share) share = share_of(w->filters, vl);
    return share > 0 ? places / share : places;
}

/* Vectors of multiply-adds, idle lanes counted. */
static double vectors(const ConvRun *r) {
    const ConvWork *w = r->w;
    double n = (double)w->images * (double)w->filters * (double)w->channels * (double)w->groups, places = 1;
    for (int d = 0; d < w->ndim; d++) n *= (double)w->size[d], places *= (double)w->out[d];
    return n / (double)r->kern->vl * (w->target == CONV_TO_IMAGE ? image_places(r, places) : filled(r, places));
}

double conv_tiles_ns(const ConvRun *r) {
    const ConvWork *w = r->w;
    int64_t rows = w->target == CONV_TO_IMAGE ? w->channels : w->filters;
    double each = TILE_NS + TILE_ROW / (double)(rows < GEMM_MR ? rows : GEMM_MR);
    return vectors(r) * (each + (w->target == CONV_TO_FILTER ? FILTER_NS : 0));
}

double conv_fft_ns(const ConvRun *r) { return TRANSFORM_START + TRANSFORM_NS * conv_fft_cost(r); }

double conv_winograd_ns(const ConvRun *r, int64_t m) {
    const ConvWork *w = r->w;
    const int64_t *len = w->target == CONV_TO_IMAGE ? w->in : w->out;
    double squares = (double)(w->images * up(len[0], m) * up(len[1], m)) / (double)(m * m), vl = (double)r->kern->vl;
    double factors = (double)((m + 2) * (m + 2)), c = (double)w->channels, o = (double)w->filters;
    double lanes = ceil((w->target == CONV_TO_TOP ? o : c) / vl);
    double each = squares * (ceil(c / vl) + ceil(o / vl)) * SQUARE_NS + ceil(o / vl) * c * FACTOR_NS;
    return (double)w->groups * factors * (each + squares * (w->target == CONV_TO_TOP ? c : o) * lanes * PRODUCT_NS);
}

/* Winograd's way, or CONV_AUTO: it costs more. */
static ConvWay winograd(const ConvRun *r, double tiles) {
    if (!conv_winograd_applies(r)) return CONV_AUTO;
    double four = conv_winograd_ns(r, 4), two = conv_winograd_ns(r, 2);
    if (RATHER * (four < two ? four : two) >= tiles) return CONV_AUTO;
    return four < two ? CONV_WINOGRAD : CONV_WINOGRAD2;
}

static ConvWay cheapest(const ConvRun *r) {
    double tiles = conv_tiles_ns(r);
    if (tiles < TRANSFORM_START) return CONV_AUTO;
    ConvWay way = winograd(r, tiles);
    if (way != CONV_AUTO || tiles < CLEARLY * TRANSFORM_START || !conv_fft_applies(r)) return way;
    if (config_bool(r->h->ctx, "repro")) return way; /* transforms are another for each instruction set */
    return CLEARLY * conv_fft_ns(r) < tiles ? CONV_FFT : CONV_AUTO;
}

ConvWay conv_way(const ConvRun *r) {
    ConvWay flag = conv_way_named(config_str(r->h->ctx, "conv.algorithm"));
    bool not_here = flag == CONV_FFT && config_bool(r->h->ctx, "repro");
    return flag == CONV_AUTO || not_here ? cheapest(r) : flag;
}
