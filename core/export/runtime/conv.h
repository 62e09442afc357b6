/* Convolution: core/kernel/conv_work.h has its numbers. Sums run in the order that `how` tells, which is the engine's
 * (ConvOrder of core/runtime/conv/conv.h). For each T: OF(name), FMA. */
#ifndef CONV
#define CONV
typedef struct {
    i64 groups, images, filters, channels; /* of a group */
    i64 step[3], dilation[3], pad[3], in[3], size[3], out[3], image[5], filter[5], top[5];
    i64 group; /* from one group's filters to the next one's */
} Conv;
/* rows, lanes: of tops that are summed at once; run, chunk: chains start anew every `run` terms, and every `chunk` of
 * these (run, of sums for filters: images whose places are one line; of CONV_FOLD: lines are added); last: terms are
 * taps, then channels; parts of so many images are added up. */
typedef struct {
    i64 way, last, run, chunk, rows, lanes, parts, images, group;
} ConvHow;
enum { CONV_DIRECT = 1, CONV_LANES, CONV_SPREAD, CONV_FOLD, CONV_GEMM, CONV_WINOGRAD = 7, CONV_WINOGRAD2, CONV_PLAIN };

/* One or two dimensions are the last ones of three. */
static Conv conv_read(const i64 *at, const ConvHow *how) {
    Conv w = {0};
    const int nd = (int)at[0], first = 3 - nd;
    w.groups = at[1], w.images = at[2], w.filters = at[3] / at[1], w.channels = at[4] / at[1];
    at += 5;
    for (int d = 0; d < 3; d++) {
        w.step[d] = w.dilation[d] = w.in[d] = w.size[d] = w.out[d] = 1;
        if (d < first) continue;
        w.step[d] = at[0], w.dilation[d] = at[1], w.pad[d] = at[2], w.in[d] = at[3], w.size[d] = at[4],
        w.out[d] = at[5];
        at += 6;
    }
    for (int k = 0; k < 3; k++) {
        i64 *st = k == 0 ? w.image : k == 1 ? w.filter : w.top;
        for (int d = 0; d < 2 + nd; d++) st[d < 2 ? d : d + first] = *at++;
    }
    w.group = how->group ? how->group : w.filters * w.filter[0];
    return w;
}

/* Where place q of the result meets element r of the filter along dimension d. */
static i64 conv_at(const Conv *w, int d, i64 q, i64 r) { return q * w->step[d] + r * w->dilation[d] - w->pad[d]; }
static int conv_in(const Conv *w, int d, i64 at) { return at >= 0 && at < w->in[d]; }
static i64 conv_chunk(i64 k) { /* gemm_block_k */
    const i64 blocks = k <= 1024 ? 1 : (k + 767) / 768;
    return (k + blocks - 1) / blocks;
}
#endif
enum { OF(CONV_WIDE) = 64 };

static void OF(conv_put)(T *sum, T *part, i64 n, int more) {
    for (i64 x = 0; x < n; x++) sum[x] = more ? sum[x] + part[x] : part[x], part[x] = 0;
}

/* Some places of a row of the result: chains of additions over channels and filter. What is outside counts as zero. */
static void OF(conv_row)(const Conv *w, const ConvHow *how, const T *image, const T *filter, i64 q0, i64 q1, i64 q2,
                         i64 n, T *sum) {
    T part[OF(CONV_WIDE)] = {0};
    const i64 taps = w->size[0] * w->size[1] * w->size[2], all = w->channels * taps;
    const i64 run = how->way == CONV_GEMM ? conv_chunk(all) : how->run ? how->run : all;
    const i64 chunk = how->way == CONV_GEMM ? run : how->run ? how->chunk : all;
    int more = 0;
    for (i64 t = 0, in_run = 0, left = chunk; t < all; t++) {
        if (left == 0 || in_run == run) {
            OF(conv_put)(sum, part, n, more);
            more = 1, left = chunk;
            if (in_run == run) in_run = 0;
        }
        left--, in_run++;
        const i64 c = how->last ? t % w->channels : t / taps, tap = how->last ? t / w->channels : t % taps;
        const i64 r0 = tap / (w->size[1] * w->size[2]), r1 = tap / w->size[2] % w->size[1], r2 = tap % w->size[2];
        const i64 a0 = conv_at(w, 0, q0, r0), a1 = conv_at(w, 1, q1, r1);
        const int inside = conv_in(w, 0, a0) && conv_in(w, 1, a1);
        const T by = filter[c * w->filter[1] + r0 * w->filter[2] + r1 * w->filter[3] + r2 * w->filter[4]];
        const i64 start = conv_at(w, 2, q2, r2), st = w->step[2], next = st * w->image[4];
        i64 from = start < 0 ? (-start + st - 1) / st : 0;
        i64 to = inside && w->in[2] > start ? (w->in[2] - start + st - 1) / st : 0;
        if (to > n) to = n;
        if (from > to) from = to;
        for (i64 x = 0; x < from; x++) part[x] = FMA((T)0, by, part[x]);
        if (from < to) {
            const T *row = image + c * w->image[1] + a0 * w->image[2] + a1 * w->image[3] + start * w->image[4];
            if (next == 1)
                for (i64 x = from; x < to; x++) part[x] = FMA(row[x], by, part[x]);
            else
                for (i64 x = from; x < to; x++) part[x] = FMA(row[x * next], by, part[x]);
        }
        for (i64 x = to; x < n; x++) part[x] = FMA((T)0, by, part[x]);
    }
    OF(conv_put)(sum, part, n, more);
}

/* Rows q0, q1 of one result. */
static void OF(conv_line)(const Conv *w, const ConvHow *how, const T *image, const T *filter, i64 q0, i64 q1, T *top) {
    T sum[OF(CONV_WIDE)];
    for (i64 q2 = 0; q2 < w->out[2]; q2 += OF(CONV_WIDE)) {
        const i64 n = w->out[2] - q2 < OF(CONV_WIDE) ? w->out[2] - q2 : OF(CONV_WIDE);
        T *to = top + q0 * w->top[2] + q1 * w->top[3] + q2 * w->top[4];
        OF(conv_row)(w, how, image, filter, q0, q1, q2, n, sum);
        for (i64 x = 0; x < n; x++) to[x * w->top[4]] = sum[x];
    }
}
