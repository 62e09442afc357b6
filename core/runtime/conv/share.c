/*
 * share.c -- a convolution in parts that several threads compute. In: a run. Out: its result. Always holds: the
 * bits do not depend on how many threads there are. Parts that write different elements sum each one's products in the
 * order in which the whole would, and the way is chosen by the whole's lengths; parts whose results are added up
 * (gradients of filters, between images) are cut by lengths alone, with one thread too, and added in order.
 *
 * Results and gradients of images are cut between images, a single image's result between its rows, its gradient for
 * filters between filters where no vector is lost by it.
 */
#include "parts.h"
#include "runtime/machine/parallel.h"

#include <stdatomic.h>
#include <string.h>

#define ENOUGH 2e6 /* multiply-adds; with less, threads take longer to wake up */
enum { PARTS_A_THREAD = 2, IMAGES_AT_ONCE = 6, ADDED = 8, WORTH_ADDING = 1500, SQUARE = 4 };

typedef enum { CUT_NOTHING, CUT_IMAGES, CUT_ROWS, CUT_FILTERS, CUT_ADDED } Cut;

typedef struct Share {
    ConvRun *r;
    ConvFn run;
    Cut cut;
    int64_t cuts, unit; /* parts of a group; length of one */
    int pieces;         /* of all groups */
    char *sums;         /* CUT_ADDED: what each part has, dense */
    int64_t sum;        /* elements of one */
    atomic_int next;
    atomic_bool failed;
} Share;

static double work_of(const ConvWork *w) {
    double n = (double)w->images * (double)w->groups * (double)w->filters * (double)w->channels;
    for (int d = 0; d < w->ndim; d++) n *= (double)w->out[d] * (double)w->size[d];
    return n;
}

/* Elements of a group's filters. */
static int64_t filter_elements(const ConvWork *w) {
    int64_t n = w->filters * w->channels;
    for (int d = 0; d < w->ndim; d++) n *= w->size[d];
    return n;
}

/* Into how many parts sums are cut: lengths alone say it. */
static int64_t added(const ConvWork *w) {
    int64_t terms = w->images;
    for (int d = 0; d < w->ndim; d++) terms *= w->out[d];
    if (w->target != CONV_TO_FILTER || work_of(w) < ENOUGH) return 1;
    return min64(min64(w->images, ADDED), terms / WORTH_ADDING);
}

int64_t conv_parts(const ConvWork *w, int64_t *images) {
    int64_t many = added(w);
    *images = many > 1 ? (w->images + many - 1) / many : w->images;
    return many > 1 ? (w->images + *images - 1) / *images : 1;
}

/* Images a part, so that the thread with the most has as few as can be; of equals the largest parts, each of which
 * packs the filters. spread.c takes several images at once. */
static int64_t even_images(int64_t n, int threads) {
    int64_t step = n >= IMAGES_AT_ONCE * threads ? IMAGES_AT_ONCE : 1, best = n, least = n;
    for (int64_t parts = threads; parts <= (int64_t)threads * PARTS_A_THREAD; parts++) {
        int64_t unit = up((n + parts - 1) / parts, step), cuts = (n + unit - 1) / unit, full = (cuts - 1) / threads;
        int64_t most = full * unit + ((cuts - 1) % threads ? unit : n - (cuts - 1) * unit);
        if (most < least) best = unit, least = most;
    }
    return best;
}

static void plan(Share *s, int threads) {
    const ConvWork *w = s->r->w;
    int64_t vl = s->r->kern->vl, half = (w->filters + 1) / 2, many = (int64_t)threads * PARTS_A_THREAD, n = w->images;
    bool lossless = up(half, vl) + up(w->filters - half, vl) == up(w->filters, vl) && half >= GEMM_MR;
    s->cut = added(w) > 1 ? CUT_ADDED : CUT_NOTHING;
    if (s->cut == CUT_ADDED) many = added(w);
    else if (threads > 1 && w->target == CONV_TO_FILTER) s->cut = lossless ? CUT_FILTERS : CUT_NOTHING;
    else if (threads > 1 && n > 1) s->cut = CUT_IMAGES;
    else if (threads > 1 && w->target == CONV_TO_TOP && w->ndim > 1 && !conv_is_plain(w)) s->cut = CUT_ROWS;
    if (s->cut == CUT_NOTHING) n = many = 1;
    if (s->cut == CUT_ROWS) n = w->out[0];
    if (s->cut == CUT_FILTERS) n = w->filters, many = 2;
    s->unit = (n + many - 1) / many;
    if (s->cut == CUT_ROWS && conv_is_winograd(s->r->way)) s->unit = up(s->unit, SQUARE);
    if (s->cut == CUT_IMAGES) s->unit = even_images(n, threads);
    s->cuts = (n + s->unit - 1) / s->unit;
    s->pieces = (int)(w->groups * s->cuts);
}

static void move(char **at, int64_t elements, int64_t item) { *at += elements * item; }

static void onto_sums(const Share *s, int piece, ConvWork *v) {
    int64_t n = 1;
    for (int d = v->ndim - 1; d >= 0; d--) v->filter_st[2 + d] = n, n *= v->size[d];
    v->filter_st[1] = n;
    v->filter_st[0] = n * v->channels;
    v->filter = s->sums + piece * s->sum * s->r->item;
}

/* The part as a convolution of its own, of one group. */
static ConvWork part_of(const Share *s, int piece) {
    ConvWork v = *s->r->w;
    int64_t item = s->r->item, g = piece / s->cuts, at = piece % s->cuts * s->unit;
    v.groups = 1;
    move(&v.image, g * v.channels * v.image_st[1], item);
    move(&v.filter, g * v.filters * v.filter_st[0], item);
    move(&v.top, g * v.filters * v.top_st[1], item);
    v.filter0 += g * v.filters;
    switch (s->cut) {
    case CUT_NOTHING: break;
    case CUT_ROWS:
        v.out[0] = min64(s->unit, v.out[0] - at);
        v.pad[0] -= at * v.step[0];
        v.done = NULL; /* results are complete when all parts are */
        move(&v.top, at * v.top_st[2], item);
        break;
    case CUT_FILTERS:
        v.filters = min64(s->unit, v.filters - at);
        move(&v.filter, at * v.filter_st[0], item);
        move(&v.top, at * v.top_st[1], item);
        break;
    case CUT_ADDED: onto_sums(s, piece, &v); /* fall through */
    case CUT_IMAGES:
        v.images = min64(s->unit, v.images - at);
        v.image0 += at;
        move(&v.image, at * v.image_st[0], item);
        move(&v.top, at * v.top_st[0], item);
        break;
    }
    return v;
}

static void take_parts(int worker, void *user) {
    Share *s = user;
    HostCall call = *s->r->h;
    call.share = worker;
    for (int piece; (piece = atomic_fetch_add_explicit(&s->next, 1, memory_order_relaxed)) < s->pieces;) {
        ConvWork w = part_of(s, piece);
        ConvRun r = *s->r;
        r.h = &call, r.w = &w, r.alone = s->r->alone;
        if (s->run(&r, 0)) atomic_store(&s->failed, true);
    }
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */
#define ADD(T) \
    static void add_##T(void *to, const void *from, int64_t n) { \
        T *a = to; \
        const T *b = from; \
        for (int64_t i = 0; i < n; i++) a[i] += b[i]; \
    }
ADD(float)
ADD(double)

void conv_put_filters(const ConvWork *w, char *to, const char *from, int64_t item) {
    int64_t i[2 + CONV_DIMS] = {0}, len[2 + CONV_DIMS] = {w->filters, w->channels}, last = 1 + w->ndim;
    bool dense = true;
    for (int d = 0; d < w->ndim; d++) len[2 + d] = w->size[d];
    for (int64_t d = last, n = 1; d >= 0; n *= len[d--]) dense = dense && w->filter_st[d] == n;
    if (dense) {
        memcpy(to, from, (size_t)(filter_elements(w) * item));
        return;
    }
    for (int64_t n = filter_elements(w); n > 0; n--, from += item) {
        int64_t at = 0;
        for (int d = 0; d <= last; d++) at += i[d] * w->filter_st[d];
        memcpy(to + at * item, from, (size_t)item);
        for (int64_t d = last; d >= 0 && ++i[d] == len[d]; d--) i[d] = 0;
    }
}

static void add_up(const Share *s) {
    const ConvWork *w = s->r->w;
    int64_t item = s->r->item, bytes = s->sum * item;
    for (int64_t g = 0; g < w->groups; g++) {
        char *first = s->sums + g * s->cuts * bytes;
        for (int64_t k = 1; k < s->cuts; k++) {
            if (item == 4) add_float(first, first + k * bytes, s->sum);
            else add_double(first, first + k * bytes, s->sum);
        }
        conv_put_filters(w, w->filter + g * w->filters * w->filter_st[0] * item, first, item);
    }
}

static bool room_for_sums(Share *s) {
    HostCall call = *s->r->h;
    call.share = HOST_SHARES;
    s->sum = filter_elements(s->r->w);
    s->sums = call.room(&call, (size_t)(s->sum * s->r->item * s->pieces));
    return s->sums != NULL;
}

/* What follows a result that was cut between its rows: some filters a thread. */
static void after_rows(int share, void *user) {
    const Share *s = user;
    const ConvWork *w = s->r->w;
    int64_t n = w->groups * w->filters, first = w->filter0 + n * share / HOST_SHARES;
    int64_t end = w->filter0 + n * (share + 1) / HOST_SHARES;
    if (first < end) w->done(w->user, w->image0, w->image0 + w->images, first, end);
}

int conv_share(ConvRun *r, ConvFn run) {
    Share s = {.r = r, .run = run};
    ThContext *c = r->h->ctx;
    int threads = work_of(r->w) < ENOUGH ? 1 : parallel_threads(c);
    bool unknown = threads > 1 && c->host.parallel_for;
    if (threads > HOST_SHARES || unknown) threads = HOST_SHARES;
    plan(&s, threads);
    if (s.cut == CUT_ADDED && !room_for_sums(&s)) return 1;
    ConvRun whole = *r;
    whole.alone = threads > 1 && s.pieces > 1;
    s.r = &whole;
    if (whole.alone) parallel_for(c, threads, take_parts, &s);
    else take_parts(0, &s);
    if (atomic_load(&s.failed)) return 1;
    if (s.cut == CUT_ADDED) add_up(&s);
    if (s.cut == CUT_ROWS && r->w->done) parallel_for(c, HOST_SHARES, after_rows, &s);
    return 0;
}
