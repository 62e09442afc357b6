/*
 * conv.c -- convolution of float32 and float64 as products of matrices whose operands are windows of images, packed
 * straight from where they lie: no matrix of windows ever exists.
 * In: a ConvWork. Out: its target, every element written. Per group
 *   top     (o) x (n, q)     = filter (o) x (c, r)  .  image (c, r) x (n, q)
 *   filter  (o) x (c, r)     = top (o) x (n, q)     .  image (n, q) x (c, r)
 *   image   (c) x (n, i)     = filter (c) x (o, r)  .  top (o, r) x (n, i), for each remainder of i by the steps
 * Always holds: the bits depend on lengths and values alone (gemm.h).
 */
#include "parts.h"
#include "runtime/machine/cpu.h"

#include <string.h>

typedef ConvRun Run;

static char *shifted(const Run *r, const char *p, int64_t elements) { return (char *)p + elements * r->item; }

static void add_dim(GemmAxis *x, int64_t len, int64_t st) {
    x->len[x->nd] = len;
    x->st[x->nd++] = st;
}

static int multiply(Run *r, GemmArgs *g) {
    if (r->order) return r->order->way = CONV_GEMM, 0;
    size_t bytes = gemm_scratch_bytes(g);
    g->alone = r->alone, g->early = r->h->early;
    void *scratch = bytes ? r->h->room(r->h, bytes) : NULL;
    if (bytes && !scratch) return 1;
    return gemm_run(r->h->ctx, g, scratch);
}

/* image as a matrix: (channel, window) one way, (image, place of the window) the other. Bounds where padding shows. */
static GemmOperand windows(const Run *r, int64_t group, bool places_as_rows) {
    const ConvWork *w = r->w;
    GemmOperand o = {.nbound = 0};
    GemmAxis taps = {.nd = 0}, places = {.nd = 0};
    int64_t first = group * w->channels * w->image_st[1];
    add_dim(&taps, w->channels, w->image_st[1]);
    add_dim(&places, w->images, w->image_st[0]);
    for (int d = 0; d < w->ndim; d++) {
        int64_t st = w->image_st[2 + d], last = (w->out[d] - 1) * w->step[d] + (w->size[d] - 1) * w->dilation[d];
        add_dim(&taps, w->size[d], st * w->dilation[d]);
        add_dim(&places, w->out[d], st * w->step[d]);
        first -= w->pad[d] * st;
        if (w->pad[d] == 0 && last < w->in[d]) continue;
        GemmBound *b = &o.bound[o.nbound++];
        *b = (GemmBound){.off = -w->pad[d], .len = w->in[d]};
        (places_as_rows ? b->row : b->col)[1 + d] = w->step[d];
        (places_as_rows ? b->col : b->row)[1 + d] = w->dilation[d];
    }
    o.at = shifted(r, w->image, first);
    o.row = places_as_rows ? places : taps;
    o.col = places_as_rows ? taps : places;
    return o;
}

/* Dims of an axis as one where they are evenly spaced. */
static bool even(const GemmAxis *x, int64_t *st) {
    int64_t want = 0;
    bool any = false;
    for (int d = x->nd - 1; d >= 0; d--) {
        if (x->len[d] == 1) continue;
        if (!any) *st = x->st[d], any = true;
        else if (x->st[d] != want) return false;
        want = x->st[d] * x->len[d];
    }
    if (!any) *st = 1;
    return true;
}

static GemmAxis filter_taps(const ConvWork *w) {
    GemmAxis x = {.nd = 0};
    add_dim(&x, w->channels, w->filter_st[1]);
    for (int d = 0; d < w->ndim; d++) add_dim(&x, w->size[d], w->filter_st[2 + d]);
    return x;
}

static GemmAxis top_places(const ConvWork *w) {
    GemmAxis x = {.nd = 0};
    add_dim(&x, w->images, w->top_st[0]);
    for (int d = 0; d < w->ndim; d++) add_dim(&x, w->out[d], w->top_st[2 + d]);
    return x;
}

static int64_t count(const GemmAxis *x) {
    int64_t n = 1;
    for (int d = 0; d < x->nd; d++) n *= x->len[d];
    return n;
}

/* a: rows of stride ars, and the axis along k. */
static void set_a(GemmArgs *g, GemmOperand *o, const void *at, int64_t ars, const GemmAxis *k) {
    g->a = at;
    g->ars = ars;
    if (even(k, &g->acs)) return;
    *o = (GemmOperand){.at = at, .row = {1, {g->m}, {ars}}, .col = *k};
    g->av = o;
}

static void set_c(GemmArgs *g, void *at, int64_t crs, const GemmAxis *x) {
    g->c = at;
    g->crs = crs;
    if (!even(x, &g->ccs)) g->cv = x;
}

/* ---- the three products ------------------------------------------------------------------------------------------ */
static bool may(const Run *r, ConvWay way) { return r->way == CONV_AUTO || r->way == way; }

/* Stride between neighbouring places of an operand whose strides are st; 0: they are not evenly spaced. */
static int64_t place_step(const ConvWork *w, const int64_t *st) {
    GemmAxis x = {.nd = 0};
    int64_t step;
    for (int d = 0; d < w->ndim; d++) add_dim(&x, w->out[d], st[2 + d]);
    return even(&x, &step) ? step : 0;
}

bool conv_is_plain(const ConvWork *w) {
    for (int d = 0; d < w->ndim; d++)
        if (w->size[d] != 1 || w->step[d] != 1 || w->pad[d] != 0 || w->in[d] != w->out[d]) return false;
    return place_step(w, w->image_st) == 1 && place_step(w, w->top_st) == 1;
}

void conv_done(const ConvRun *r, int64_t group, int64_t image) {
    const ConvWork *w = r->w;
    int64_t n = w->image0 + image, first = w->filter0 + group * w->filters;
    if (w->done) w->done(w->user, n, n + 1, first, first + w->filters);
}

/* top (o) x (q) = filter (o) x (c) . image (c) x (q), image by image. */
static int plain_top(Run *r, int64_t group) {
    const ConvWork *w = r->w;
    GemmArgs g = {.dtype = w->dtype, .m = w->filters, .n = 1, .k = w->channels, .alpha = 1};
    if (r->order) r->order->plain = true;
    for (int d = 0; d < w->ndim; d++) g.n *= w->out[d];
    g.a = shifted(r, w->filter, group * w->filters * w->filter_st[0]);
    g.ars = w->filter_st[0], g.acs = w->filter_st[1];
    g.brs = w->image_st[1], g.bcs = 1;
    g.crs = w->top_st[1], g.ccs = 1;
    for (int64_t n = 0; n < w->images; n++) {
        g.b = shifted(r, w->image, n * w->image_st[0] + group * w->channels * w->image_st[1]);
        g.c = shifted(r, w->top, n * w->top_st[0] + group * w->filters * w->top_st[1]);
        if (multiply(r, &g)) return 1;
        conv_done(r, group, n);
    }
    return 0;
}

int conv_top(Run *r, int64_t group) {
    const ConvWork *w = r->w;
    int status;
    if (r->way == CONV_AUTO && conv_is_plain(w)) return plain_top(r, group);
    if (conv_is_winograd(r->way)) return conv_winograd_top(r, group);
    if (may(r, CONV_LANES) && conv_lanes_top(r, group, &status)) return status;
    if (may(r, CONV_DIRECT) && conv_direct_top(r, group, &status)) return status;
    GemmAxis taps = filter_taps(w), places = top_places(w);
    GemmOperand b = windows(r, group, false), a;
    int64_t o = group * w->filters;
    GemmArgs g = {.dtype = w->dtype, .m = w->filters, .n = count(&places), .k = count(&taps), .bv = &b, .alpha = 1};
    set_a(&g, &a, shifted(r, w->filter, o * w->filter_st[0]), w->filter_st[0], &taps);
    set_c(&g, shifted(r, w->top, o * w->top_st[1]), w->top_st[1], &places);
    if (multiply(r, &g)) return 1;
    for (int64_t n = 0; n < w->images; n++) conv_done(r, group, n);
    return 0;
}

int conv_filter(Run *r, int64_t group) {
    const ConvWork *w = r->w;
    int status;
    if (conv_is_winograd(r->way)) return conv_winograd_filter(r, group);
    if (may(r, CONV_LANES) && conv_lanes_filter(r, group, &status)) return status;
    if (may(r, CONV_DIRECT) && conv_direct_filter(r, group, &status)) return status;
    GemmAxis taps = filter_taps(w), places = top_places(w);
    GemmOperand b = windows(r, group, true), a;
    int64_t o = group * w->filters;
    GemmArgs g = {.dtype = w->dtype, .m = w->filters, .n = count(&taps), .k = count(&places), .bv = &b, .alpha = 1};
    set_a(&g, &a, shifted(r, w->top, o * w->top_st[1]), w->top_st[1], &places);
    set_c(&g, shifted(r, w->filter, o * w->filter_st[0]), w->filter_st[0], &taps);
    return multiply(r, &g);
}

static int64_t gcd(int64_t a, int64_t b) {
    while (b) {
        int64_t t = a % b;
        a = b, b = t;
    }
    return a;
}

static int64_t floor_div(int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

/* Positions i = phase + t * step of one dimension, and the taps tap0, tap0 + every, .. that reach them. */
typedef struct Phase {
    int64_t phase, len;        /* first position, how many */
    int64_t tap0, every, taps; /* taps 0: none reaches them */
    int64_t top0, back;        /* top position of (t, u): top0 + t - u * back */
} Phase;

static Phase phase_of(const ConvWork *w, int d, int64_t phase) {
    int64_t s = w->step[d], f = gcd(w->dilation[d], s);
    Phase p = {.phase = phase, .len = phase < w->in[d] ? (w->in[d] - phase + s - 1) / s : 0, .every = s / f};
    p.back = w->dilation[d] / f;
    for (int64_t u = 0; u < p.every && u < w->size[d]; u++) {
        int64_t at = phase + w->pad[d] - u * w->dilation[d];
        if (at - floor_div(at, s) * s) continue;
        p.tap0 = u;
        p.taps = (w->size[d] - u + p.every - 1) / p.every;
        p.top0 = floor_div(at, s);
        break;
    }
    return p;
}

/* Zeros where no tap reaches. */
static void clear_phase(const Run *r, char *at, const GemmAxis *x, int64_t rows, int64_t rs) {
    int64_t i[GEMM_DIMS + 1] = {0}, len[GEMM_DIMS + 1] = {rows}, st[GEMM_DIMS + 1] = {rs};
    for (int d = 0; d < x->nd; d++) len[1 + d] = x->len[d], st[1 + d] = x->st[d];
    for (int d = 0; d <= x->nd; d++)
        if (len[d] == 0) return;
    for (;;) {
        int64_t off = 0;
        for (int d = 0; d <= x->nd; d++) off += i[d] * st[d];
        memset(shifted(r, at, off), 0, (size_t)r->item);
        int d = x->nd;
        while (d >= 0 && ++i[d] == len[d]) i[d--] = 0;
        if (d < 0) return;
    }
}

static int image_phase(Run *r, int64_t group, const Phase *p) {
    const ConvWork *w = r->w;
    GemmAxis taps = {.nd = 0}, places = {.nd = 0}, up = {.nd = 0}, over = {.nd = 0};
    GemmOperand b = {.nbound = 0}, a;
    int64_t o = group * w->filters, at_filter = o * w->filter_st[0], at_top = o * w->top_st[1];
    int64_t at_image = group * w->channels * w->image_st[1];
    add_dim(&taps, w->filters, w->filter_st[0]);
    add_dim(&up, w->filters, w->top_st[1]);
    add_dim(&places, w->images, w->image_st[0]);
    add_dim(&over, w->images, w->top_st[0]);
    bool none = false;
    for (int d = 0; d < w->ndim; d++) {
        int64_t st = w->top_st[2 + d];
        none = none || p[d].taps == 0;
        add_dim(&taps, p[d].taps, w->filter_st[2 + d] * p[d].every);
        add_dim(&up, p[d].taps, -st * p[d].back);
        add_dim(&places, p[d].len, w->image_st[2 + d] * w->step[d]);
        add_dim(&over, p[d].len, st);
        at_filter += p[d].tap0 * w->filter_st[2 + d];
        at_top += p[d].top0 * st;
        at_image += p[d].phase * w->image_st[2 + d];
        GemmBound *x = &b.bound[b.nbound++];
        *x = (GemmBound){.off = p[d].top0, .len = w->out[d]};
        x->row[1 + d] = -p[d].back;
        x->col[1 + d] = 1;
    }
    char *image = shifted(r, w->image, at_image);
    if (none) {
        clear_phase(r, image, &places, w->channels, w->image_st[1]);
        return 0;
    }
    b.at = shifted(r, w->top, at_top), b.row = up, b.col = over;
    GemmArgs g = {.dtype = w->dtype, .m = w->channels, .n = count(&places), .k = count(&taps), .bv = &b, .alpha = 1};
    set_a(&g, &a, shifted(r, w->filter, at_filter), w->filter_st[1], &taps);
    set_c(&g, image, w->image_st[1], &places);
    return multiply(r, &g);
}

bool conv_dual(const Run *r, int64_t group, ConvWork *v) {
    const ConvWork *w = r->w;
    *v = *w;
    v->image = w->top, v->top = w->image;
    v->channels = w->filters, v->filters = w->channels;
    memcpy(v->image_st, w->top_st, sizeof v->image_st);
    memcpy(v->top_st, w->image_st, sizeof v->top_st);
    v->filter = shifted(r, w->filter, group * w->filters * w->filter_st[0]);
    v->filter_st[0] = w->filter_st[1], v->filter_st[1] = w->filter_st[0];
    for (int d = 0; d < w->ndim; d++) {
        if (w->step[d] != 1) return false;
        v->in[d] = w->out[d], v->out[d] = w->in[d];
        v->pad[d] = (w->size[d] - 1) * w->dilation[d] - w->pad[d];
        v->filter = shifted(r, v->filter, (w->size[d] - 1) * w->filter_st[2 + d]);
        v->filter_st[2 + d] = -w->filter_st[2 + d];
    }
    /* rows of filters are channels now: the group is already in the address */
    v->image = shifted(r, v->image, group * w->filters * w->top_st[1]);
    v->top = shifted(r, v->top, group * w->channels * w->image_st[1]);
    return true;
}

static bool image_directly(Run *r, int64_t group, int *status) {
    ConvWork v;
    if (!conv_dual(r, group, &v)) return false;
    Run dual = *r;
    dual.w = dual.whole = &v;
    if (r->order) r->order->windows = true, r->order->work = v;
    if (conv_is_winograd(r->way)) return *status = conv_winograd_top(&dual, 0), true;
    if (conv_lanes_top(&dual, 0, status) || conv_direct_top(&dual, 0, status)) return true;
    if (r->order) r->order->windows = false;
    return false;
}

int conv_image(Run *r, int64_t group) {
    const ConvWork *w = r->w;
    int64_t i[CONV_DIMS] = {0};
    int status;
    double cost;
    const ConvWay way = r->way == CONV_AUTO ? conv_image_way(r, &cost) : r->way;
    if (way == CONV_SPREAD && conv_spread_image(r, group, &status)) return status;
    if (way == CONV_FOLD && (conv_lines_image(r, group, &status) || conv_fold_image(r, group, &status))) return status;
    if ((may(r, CONV_DIRECT) || conv_is_winograd(r->way)) && image_directly(r, group, &status)) return status;
    if (r->order) return r->order->way = CONV_GEMM, 0;
    for (;;) {
        Phase p[CONV_DIMS];
        for (int d = 0; d < w->ndim; d++) p[d] = phase_of(w, d, i[d]);
        if (image_phase(r, group, p)) return 1;
        int d = w->ndim - 1;
        while (d >= 0 && ++i[d] == w->step[d]) i[d--] = 0;
        if (d < 0) return 0;
    }
}

/* CONV_AUTO: what the cost model says. */
static int run_way(Run *r) {
    static const ConvFn to[] = {conv_top, conv_image, conv_filter};
    const ConvWork *w = r->w;
    Run other = *r;
    if (r->way == CONV_AUTO) other.way = conv_way(r);
    if (conv_is_winograd(other.way) && !conv_winograd_applies(r)) other.way = CONV_AUTO;
    if (other.way != CONV_FFT) return conv_share(&other, to[w->target]);
    other.way = CONV_AUTO;
    for (int64_t g = 0; g < w->groups; g++) {
        int status;
        if (!conv_fft(r, g, &status)) status = to[w->target](&other, g);
        else if (!status)
            for (int64_t n = 0; n < w->images; n++) conv_done(r, g, n);
        if (status) return 1;
    }
    return 0;
}

/* Sums of nothing. */
static int run_nothing(Run *r) {
    const ConvWork *w = r->w;
    memset(w->top, 0, (size_t)(w->images * w->top_st[0] * r->item));
    if (w->done) w->done(w->user, w->image0, w->image0 + w->images, w->filter0, w->filter0 + w->groups * w->filters);
    return 0;
}

static bool is_nothing(const ConvWork *w) {
    bool none = w->channels == 0;
    for (int d = 0; d < w->ndim; d++) none = none || w->in[d] == 0 || w->out[d] == 0;
    return none;
}

int conv_host(HostCall *h, const ConvWork *w) {
    const Cpu *cpu = cpu_of(h->ctx);
    if (!cpu) return 1;
    Run r = {.h = h, .w = w, .whole = w, .kern = cpu->gemm[w->dtype == TH_FLOAT64]};
    int status = 0;
    r.item = (int64_t)th_dtype_bytes(w->dtype);
    bool none = w->target == CONV_TO_TOP && is_nothing(w);
    if (w->pool) {
        if (!none) r.way = conv_way(&r);
        return conv_pooled(&r, none ? run_nothing : run_way);
    }
    if (none) return run_nothing(&r);
    if (config_bool(h->ctx, "conv.autotune") && !config_bool(h->ctx, "repro") &&
        !strcmp(config_str(h->ctx, "conv.algorithm"), "auto")) {
        ConvWork timed = *w;
        timed.done = NULL; /* what follows runs once: it may overwrite what it reads */
        r.w = r.whole = &timed;
        if (!conv_tuned(&r, run_way, &r.way, &status)) return status;
        r.w = r.whole = w;
    }
    return run_way(&r);
}
