/* Convolution: core/kernel/conv_work.h has its numbers. For each T: OF(name), FMA. */
#ifndef CONV
#define CONV
typedef struct {
    i64 groups, images, filters, channels; /* of a group */
    i64 step[3], dilation[3], pad[3], in[3], size[3], out[3], image[5], filter[5], top[5];
} Conv;

/* One or two dimensions are the last ones of three. */
static Conv conv_read(const i64 *at) {
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
    return w;
}

/* Where place q of the result meets element r of the filter along dimension d. */
static i64 conv_at(const Conv *w, int d, i64 q, i64 r) { return q * w->step[d] + r * w->dilation[d] - w->pad[d]; }
static int conv_in(const Conv *w, int d, i64 at) { return at >= 0 && at < w->in[d]; }

#endif
enum { OF(CONV_WIDE) = 64 };

/* Some places of a row of the result: one chain of additions over channels and filter each. */
static void OF(conv_row)(const Conv *w, const T *image, const T *filter, i64 q0, i64 q1, i64 q2, i64 n, T *sum) {
    for (i64 x = 0; x < n; x++) sum[x] = 0;
    for (i64 c = 0; c < w->channels; c++)
        for (i64 r0 = 0; r0 < w->size[0]; r0++)
            for (i64 r1 = 0; r1 < w->size[1]; r1++) {
                const i64 a0 = conv_at(w, 0, q0, r0), a1 = conv_at(w, 1, q1, r1);
                if (!conv_in(w, 0, a0) || !conv_in(w, 1, a1)) continue;
                for (i64 r2 = 0; r2 < w->size[2]; r2++) {
                    const T by = filter[c * w->filter[1] + r0 * w->filter[2] + r1 * w->filter[3] + r2 * w->filter[4]];
                    const T *row = image + c * w->image[1] + a0 * w->image[2] + a1 * w->image[3];
                    const i64 start = conv_at(w, 2, q2, r2), st = w->step[2];
                    i64 from = start < 0 ? (-start + st - 1) / st : 0;
                    i64 to = w->in[2] <= start ? 0 : (w->in[2] - start + st - 1) / st;
                    if (to > n) to = n;
                    for (i64 x = from; x < to; x++) sum[x] = FMA(row[(start + x * st) * w->image[4]], by, sum[x]);
                }
            }
}

/* Image n: of all groups. */
static void OF(conv_image)(const Conv *w, const T *image, const T *filter, T *top) {
    T sum[OF(CONV_WIDE)];
    for (i64 o = 0; o < w->groups * w->filters; o++)
        for (i64 q0 = 0; q0 < w->out[0]; q0++)
            for (i64 q1 = 0; q1 < w->out[1]; q1++)
                for (i64 q2 = 0; q2 < w->out[2]; q2 += OF(CONV_WIDE)) {
                    const i64 n = w->out[2] - q2 < OF(CONV_WIDE) ? w->out[2] - q2 : OF(CONV_WIDE);
                    T *to = top + o * w->top[1] + q0 * w->top[2] + q1 * w->top[3] + q2 * w->top[4];
                    OF(conv_row)
                    (w, image + o / w->filters * w->channels * w->image[1], filter + o * w->filter[0], q0, q1, q2, n,
                     sum);
                    for (i64 x = 0; x < n; x++) to[x * w->top[4]] = sum[x];
                }
}

static void OF(conv_top)(const Conv *w, const T *image, const T *filter, T *top) {
    for (i64 n = 0; n < w->images; n++) OF(conv_image)(w, image + n * w->image[0], filter, top + n * w->top[0]);
}

/* The gradients: what meets in a product goes to the third. */
static void OF(conv_back)(const Conv *w, T *image, T *filter, const T *top, int to_image) {
    for (i64 n = 0; n < w->images; n++)
        for (i64 o = 0; o < w->groups * w->filters; o++)
            for (i64 c = 0; c < w->channels; c++)
                for (i64 r0 = 0; r0 < w->size[0]; r0++)
                    for (i64 r1 = 0; r1 < w->size[1]; r1++)
                        for (i64 r2 = 0; r2 < w->size[2]; r2++) {
                            T *by = filter + o * w->filter[0] + c * w->filter[1] + r0 * w->filter[2] +
                                    r1 * w->filter[3] + r2 * w->filter[4];
                            T sum = *by;
                            for (i64 q0 = 0; q0 < w->out[0]; q0++)
                                for (i64 q1 = 0; q1 < w->out[1]; q1++)
                                    for (i64 q2 = 0; q2 < w->out[2]; q2++) {
                                        const i64 a0 = conv_at(w, 0, q0, r0), a1 = conv_at(w, 1, q1, r1);
                                        const i64 a2 = conv_at(w, 2, q2, r2);
                                        if (!conv_in(w, 0, a0) || !conv_in(w, 1, a1) || !conv_in(w, 2, a2)) continue;
                                        const T t = top[n * w->top[0] + o * w->top[1] + q0 * w->top[2] +
                                                        q1 * w->top[3] + q2 * w->top[4]];
                                        T *x = image + n * w->image[0] +
                                               (o / w->filters * w->channels + c) * w->image[1] + a0 * w->image[2] +
                                               a1 * w->image[3] + a2 * w->image[4];
                                        if (to_image) *x = FMA(t, *by, *x);
                                        else sum = FMA(t, *x, sum);
                                    }
                            if (!to_image) *by = sum;
                        }
}

/* target: as ConvTarget of conv_work.h. Results of gradients are dense from `to` on. */
static void OF(conv)(int target, const i64 *numbers, T *image, T *filter, T *top, T *to, i64 elements) {
    const Conv w = conv_read(numbers);
    if (target == 0) {
        OF(conv_top)(&w, image, filter, top);
        return;
    }
    for (i64 i = 0; i < elements; i++) to[i] = 0;
    OF(conv_back)(&w, image, filter, top, target == 1);
}
