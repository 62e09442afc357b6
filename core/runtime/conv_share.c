/*
 * conv_share.c -- a convolution in parts that several threads compute. In: a run. Out: its result. Always holds: parts
 * write different elements and sum each one's products in the order in which the whole would, and the way is chosen by
 * the whole's lengths, so the bits do not depend on how many parts there are.
 *
 * Results and gradients of images are cut between images, a single image's result between its rows; gradients of
 * filters between rows of taps and, where no vector is lost by it, between filters.
 */
#include "conv_parts.h"
#include "parallel.h"

#include <stdatomic.h>

#define ENOUGH 2e6 /* multiply-adds; with less, threads take longer to wake up */
enum { PARTS_A_THREAD = 2, IMAGES_AT_ONCE = 6 };

typedef struct Share {
    ConvRun *r;
    ConvFn run;
    int64_t cuts[2], unit; /* parts along the two dimensions that are cut; length of one along the first */
    int pieces;            /* of all groups */
    atomic_int next;
    atomic_bool failed;
} Share;

static double work_of(const ConvWork *w) {
    double n = (double)w->images * (double)w->groups * (double)w->filters * (double)w->channels;
    for (int d = 0; d < w->ndim; d++) n *= (double)w->out[d] * (double)w->size[d];
    return n;
}

static bool by_images(const ConvWork *w) { return w->target != CONV_TO_FILTER && w->images > 1; }
static bool by_rows(const ConvWork *w) { return w->target == CONV_TO_TOP && w->images == 1 && w->ndim > 1; }

/* How many elements a cut dimension has. */
static int64_t extent(const ConvWork *w) {
    if (by_images(w)) return w->images;
    if (by_rows(w)) return w->out[0];
    return w->target == CONV_TO_FILTER && w->ndim > 1 ? w->size[0] : 1;
}

static void plan(Share *s, int threads) {
    const ConvRun *r = s->r;
    const ConvWork *w = r->w;
    int64_t n = extent(w), many = (int64_t)threads * PARTS_A_THREAD, vl = r->kern->vl, half = (w->filters + 1) / 2;
    s->unit = w->target == CONV_TO_FILTER ? 1 : (n + many - 1) / many;
    if (by_images(w) && n >= IMAGES_AT_ONCE * threads) s->unit = up(s->unit, IMAGES_AT_ONCE); /* conv_spread.c */
    s->cuts[0] = (n + s->unit - 1) / s->unit;
    bool lossless = up(half, vl) + up(w->filters - half, vl) == up(w->filters, vl) && half >= GEMM_MR;
    s->cuts[1] = w->target == CONV_TO_FILTER && lossless ? 2 : 1;
    s->pieces = (int)(w->groups * s->cuts[0] * s->cuts[1]);
}

static void move(char **at, int64_t elements, int64_t item) { *at += elements * item; }

/* The part as a convolution of its own, of one group. */
static ConvWork part_of(const Share *s, int piece) {
    const ConvRun *r = s->r;
    ConvWork v = *r->w;
    int64_t item = r->item, half = piece % s->cuts[1], at = piece / s->cuts[1] % s->cuts[0] * s->unit;
    int64_t g = piece / s->cuts[1] / s->cuts[0], many = min64(s->unit, extent(r->w) - at);
    v.groups = 1;
    move(&v.image, g * v.channels * v.image_st[1], item);
    move(&v.filter, g * v.filters * v.filter_st[0], item);
    move(&v.top, g * v.filters * v.top_st[1], item);
    if (by_images(r->w)) {
        v.images = many;
        move(&v.image, at * v.image_st[0], item);
        move(&v.top, at * v.top_st[0], item);
    } else if (by_rows(r->w)) {
        v.out[0] = many;
        v.pad[0] -= at * v.step[0];
        move(&v.top, at * v.top_st[2], item);
    } else if (s->cuts[0] > 1) {
        v.size[0] = many;
        v.pad[0] -= at * v.dilation[0];
        move(&v.filter, at * v.filter_st[2], item);
    }
    if (s->cuts[1] > 1) {
        int64_t first = (v.filters + 1) / 2 * half;
        v.filters = half ? v.filters - first : (v.filters + 1) / 2;
        move(&v.filter, first * v.filter_st[0], item);
        move(&v.top, first * v.top_st[1], item);
    }
    return v;
}

static void take_parts(int worker, void *user) {
    Share *s = user;
    HostCall call = *s->r->h;
    call.part = worker;
    for (int piece; (piece = atomic_fetch_add_explicit(&s->next, 1, memory_order_relaxed)) < s->pieces;) {
        ConvWork w = part_of(s, piece);
        ConvRun r = *s->r;
        r.h = &call, r.w = &w, r.alone = true;
        if (s->run(&r, 0)) atomic_store(&s->failed, true);
    }
}

int conv_share(ConvRun *r, ConvFn run) {
    Share s = {.r = r, .run = run};
    int threads = work_of(r->w) < ENOUGH ? 1 : parallel_threads(r->h->ctx);
    bool unknown = threads > 1 && r->h->ctx->host.parallel_for;
    if (threads > HOST_PARTS || unknown) threads = HOST_PARTS;
    if (threads > 1) plan(&s, threads);
    if (s.pieces > 1) {
        parallel_for(r->h->ctx, threads, take_parts, &s);
        return atomic_load(&s.failed);
    }
    for (int64_t g = 0; g < r->w->groups; g++)
        if (run(r, g)) return 1;
    return 0;
}
