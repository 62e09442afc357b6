/* Pooling over two dimensions: core/kernel/pool_work.h has its numbers. For each T: OF(name). */
#ifndef POOL
#define POOL
typedef struct {
    int mode, ignore, pairs; /* pairs: 2x2 side by side */
    i64 images, ws[2], st[2], pad[2], in[2], out[2];
} Pool;

static Pool pool_read(const i64 *at) {
    Pool w = {(int)at[0], (int)at[1], 1, at[2] * at[3], {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}};
    for (int d = 0; d < 2; d++) {
        const i64 *n = at + 4 + 5 * d;
        w.ws[d] = n[0], w.st[d] = n[1], w.pad[d] = n[2], w.in[d] = n[3], w.out[d] = n[4];
        if (n[0] != 2 || n[1] != 2 || n[2] || n[4] * 2 > n[3]) w.pairs = 0;
    }
    return w;
}

static i64 pool_first(const Pool *w, int d, i64 q) { return q * w->st[d] > w->pad[d] ? q * w->st[d] - w->pad[d] : 0; }
static i64 pool_end(const Pool *w, int d, i64 q) {
    const i64 end = q * w->st[d] - w->pad[d] + w->ws[d];
    return end < w->in[d] ? end : w->in[d];
}
static i64 pool_counted(const Pool *w, int d, i64 q) {
    if (w->ignore && (w->mode == 2 || w->pad[d] == 0)) return w->ws[d];
    return pool_end(w, d, q) - pool_first(w, d, q);
}

#endif
/* Window (q, p) of image x. */
static T OF(pool_window)(const Pool *w, const T *x, i64 q, i64 p) {
    const i64 r0 = pool_first(w, 0, q), s0 = pool_first(w, 1, p);
    T v = w->mode == 0 || w->pairs ? x[r0 * w->in[1] + s0] : 0;
    for (i64 r = r0; r < pool_end(w, 0, q); r++)
        for (i64 s = s0; s < pool_end(w, 1, p); s++) {
            const T a = x[r * w->in[1] + s];
            if (w->mode == 0) v = a > v ? a : v;
            else if (!w->pairs || r > r0 || s > s0) v += a;
        }
    if (w->mode > 1) v /= (T)(pool_counted(w, 0, q) * pool_counted(w, 1, p));
    return v;
}

static void OF(pool)(const i64 *numbers, const T *x, T *z) {
    const Pool w = pool_read(numbers);
    for (i64 n = 0; n < w.images; n++, x += w.in[0] * w.in[1])
        for (i64 q = 0; q < w.out[0]; q++)
            for (i64 p = 0; p < w.out[1]; p++) *z++ = OF(pool_window)(&w, x, q, p);
}

/* Row q of results g to image `to`; m: its maxima, or 0: found in x, of which there are some. An element of several
 * windows has their shares by its place in them. */
static void OF(pool_back_row)(const Pool *w, const T *x, const T *m, const T *g, T *to, i64 q) {
    for (i64 r = pool_first(w, 0, q); r < pool_end(w, 0, q); r++)
        for (i64 s = 0; s < w->ws[1]; s++)
            for (i64 p = 0; p < w->out[1]; p++) {
                const i64 column = p * w->st[1] - w->pad[1] + s, at = r * w->in[1] + column;
                T v = g[p];
                if (column < 0 || column >= w->in[1]) continue;
                if (w->mode > 1) v /= (T)pool_counted(w, 0, q) * (T)pool_counted(w, 1, p);
                if (w->mode == 0 && !(x[at] == (m ? m[p] : OF(pool_window)(w, x, q, p)))) v = 0;
                to[at] = w->pairs ? v : to[at] + v;
            }
}
static void OF(pool_back_pairs)(const Pool *w, const T *x, const T *g, T *to, i64 q) {
    for (i64 p = 0; p < w->out[1]; p++) {
        const T m = OF(pool_window)(w, x, q, p);
        for (i64 i = 0; i < 4; i++) {
            const i64 at = (2 * q + i / 2) * w->in[1] + 2 * p + i % 2;
            to[at] = x[at] == m ? g[p] : 0;
        }
    }
}

static void OF(pool_back)(const i64 *numbers, const T *x, const T *m, const T *g, T *to) {
    const Pool w = pool_read(numbers);
    const i64 image = w.in[0] * w.in[1], windows = w.out[0] * w.out[1];
    for (i64 i = 0; i < w.images * image; i++) to[i] = 0;
    for (i64 n = 0; n < w.images; n++, to += image, g += windows, x = x ? x + image : 0, m = m ? m + windows : 0)
        for (i64 q = w.out[0]; q-- > 0;) { /* the last windows over an element first */
            const T *mm = m ? m + q * w.out[1] : 0, *gg = g + q * w.out[1];
            if (w.pairs && w.mode == 0 && !m) OF(pool_back_pairs)(&w, x, gg, to, q);
            else OF(pool_back_row)(&w, x, mm, gg, to, q);
        }
}
