/* Attention and its gradient: core/runtime/attention/attention.c, some rows of scores at a time. The products of
 * product.h stand before it. For each T: OF(name), EXP (the engine's own). */
#ifndef ATTEND
#define ATTEND
enum { ATTEND_PAD = 16 };
/* Lengths; rows at a time, their length in memory, columns of a panel of a product; mask: 0 none, 1 numbers to add,
 * 2 bools where scores stay, 3 bools where they do not; neighbours of the batch that share a matrix of it; how many
 * there are. Strides: of batch, row, column, of each in the order of
 * attention's operands. */
typedef struct {
    i64 batch, queries, keys, features, values, rows, padded, panel, mask, each, masks;
    i64 q[3], k[3], v[3], bias[3], z[3], dz[3], dq[3], dk[3], dv[3];
} Attend;
#endif

/* c = a . b + beta c, a: m x k, b: k x n, some columns at a time */
static void OF(attend_dot)(i64 m, i64 n, i64 k, i64 panel, const T *a, i64 ar, i64 ac, const T *b, i64 br, i64 bc, T *c,
                           i64 cr, i64 cc, int beta) {
    for (i64 j = 0; j < n; j += panel) {
        const i64 cols = n - j < panel ? n - j : panel;
        const Product p = {0, m, cols, k, a, b + j * bc, c + j * cc, {ar, ac}, {br, bc}, {cr, cc}, 1, beta, 0, 0};
        OF(product)(&p);
    }
}

static T OF(attend_sum)(const T *lane) {
    T all[ATTEND_PAD];
    memcpy(all, lane, sizeof all);
    for (int w = ATTEND_PAD / 2; w; w /= 2)
        for (int l = 0; l < w; l++) all[l] += all[l + w];
    return all[0];
}

/* q . k of some rows, scaled and masked; behind them what no weight comes from. */
static void OF(attend_scores)(const Attend *w, const T *q, const T *k, const void *mask, i64 m, T scale, T fill, T *p) {
    OF(attend_dot)(m, w->keys, w->features, w->keys, q, w->q[1], w->q[2], k, w->k[1], w->k[2], p, w->padded, 1, 0);
    for (i64 i = 0; i < m; i++, p += w->padded) {
        const T *add = (const T *)mask + i * w->bias[1];
        const u8 *pick = (const u8 *)mask + i * w->bias[1];
        for (i64 j = 0; j < w->keys; j++) {
            const T s = p[j] * scale;
            p[j] = w->mask == 1                                         ? s + add[j * w->bias[2]]
                   : w->mask && !pick[j * w->bias[2]] == (w->mask == 2) ? fill
                                                                        : s;
        }
        for (i64 j = w->keys; j < w->padded; j++) p[j] = -(T)INFINITY;
    }
}

/* s = exp(s - most) * factor; their sum before the factor */
static T OF(attend_exp)(T *s, i64 n, T most, T factor) {
    T lane[ATTEND_PAD] = {0};
    for (i64 i = 0; i < n; i += ATTEND_PAD)
        for (int l = 0; l < ATTEND_PAD; l++) {
            const T x = EXP(s[i + l] - most);
            lane[l] += x;
            s[i + l] = x * factor;
        }
    return OF(attend_sum)(lane);
}

static T OF(attend_most)(const T *s, i64 n) {
    T m[ATTEND_PAD];
    memcpy(m, s, sizeof m);
    for (i64 i = ATTEND_PAD; i < n; i += ATTEND_PAD)
        for (int l = 0; l < ATTEND_PAD; l++) m[l] = s[i + l] > m[l] ? s[i + l] : m[l];
    for (int w = ATTEND_PAD / 2; w; w /= 2)
        for (int l = 0; l < w; l++) m[l] = m[l + w] > m[l] ? m[l + w] : m[l];
    return m[0];
}

/* dp = p (dp - sum(p dp)) scale, zero where the mask put a number */
static void OF(attend_back)(const Attend *w, const T *p, T *dp, const u8 *pick, T scale) {
    T lane[ATTEND_PAD] = {0};
    for (i64 i = 0; i < w->padded; i += ATTEND_PAD)
        for (int l = 0; l < ATTEND_PAD; l++) lane[l] += p[i + l] * dp[i + l];
    const T all = OF(attend_sum)(lane);
    for (i64 i = 0; i < w->padded; i++) dp[i] = p[i] * (dp[i] - all) * scale;
    for (i64 i = 0; w->mask > 1 && i < w->keys; i++)
        if (!pick[i * w->bias[2]] == (w->mask == 2)) dp[i] = 0;
}

static const void *OF(attend_mask)(const Attend *w, const void *mask, i64 b, i64 row) {
    const i64 at = b / w->each % w->masks * w->bias[0] + row * w->bias[1];
    return w->mask == 1 ? (const void *)((const T *)mask + at) : (const void *)((const u8 *)mask + at);
}

static void OF(attend)(const Attend *w, const T *q, const T *k, const T *v, const void *mask, f64 scale, f64 fill, T *z,
                       T *stats, T *p) {
    for (i64 b = 0; b < w->batch; b++)
        for (i64 row = 0; row < w->queries; row += w->rows) {
            const i64 m = w->queries - row < w->rows ? w->queries - row : w->rows;
            T *to = z + b * w->z[0] + row * w->z[1];
            OF(attend_scores)
            (w, q + b * w->q[0] + row * w->q[1], k + b * w->k[0], OF(attend_mask)(w, mask, b, row), m, (T)scale,
             (T)fill, p);
            for (i64 i = 0; i < m; i++) {
                T *s = p + i * w->padded, *keep = stats + 2 * (b * w->queries + row + i);
                keep[0] = OF(attend_most)(s, w->padded);
                keep[1] = (T)(1 / (f64)OF(attend_exp)(s, w->padded, keep[0], 1));
            }
            OF(attend_dot)
            (m, w->values, w->keys, w->panel, p, w->padded, 1, v + b * w->v[0], w->v[1], w->v[2], to, w->z[1], w->z[2],
             0);
            for (i64 i = 0; i < m; i++)
                for (i64 j = 0; j < w->values; j++)
                    to[i * w->z[1] + j * w->z[2]] *= stats[2 * (b * w->queries + row + i) + 1];
        }
}

static void OF(attend_grad)(const Attend *w, const T *q, const T *k, const T *v, const void *mask, f64 scale, f64 fill,
                            const T *stats, const T *dz, T *dq, T *dk, T *dv, T *p) {
    T *dp = p + w->rows * w->padded;
    for (i64 b = 0; b < w->batch; b++)
        for (i64 row = 0; row < w->queries; row += w->rows) {
            const i64 m = w->queries - row < w->rows ? w->queries - row : w->rows;
            const T *g = dz + b * w->dz[0] + row * w->dz[1], *from = q + b * w->q[0] + row * w->q[1];
            const void *hides = OF(attend_mask)(w, mask, b, row);
            OF(attend_dot)
            (m, w->keys, w->values, w->keys, g, w->dz[1], w->dz[2], v + b * w->v[0], w->v[2], w->v[1], dp, w->padded, 1,
             0);
            OF(attend_scores)(w, from, k + b * w->k[0], hides, m, (T)scale, (T)fill, p);
            for (i64 i = 0; i < m; i++) {
                const T *keep = stats + 2 * (b * w->queries + row + i);
                for (i64 j = w->keys; j < w->padded; j++) dp[i * w->padded + j] = 0;
                OF(attend_exp)(p + i * w->padded, w->padded, keep[0], keep[1]);
                OF(attend_back)
                (w, p + i * w->padded, dp + i * w->padded, (const u8 *)hides + i * w->bias[1], (T)scale);
            }
            OF(attend_dot)
            (m, w->features, w->keys, w->panel, dp, w->padded, 1, k + b * w->k[0], w->k[2], w->k[1],
             dq + b * w->dq[0] + row * w->dq[1], w->dq[1], w->dq[2], 0);
            OF(attend_dot)
            (w->keys, w->values, m, w->values, p, 1, w->padded, g, w->dz[1], w->dz[2], dv + b * w->dv[0], w->dv[1],
             w->dv[2], row > 0);
            OF(attend_dot)
            (w->features, w->keys, m, w->keys, from, w->q[2], w->q[1], dp, w->padded, 1, dk + b * w->dk[0], w->dk[1],
             w->dk[2], row > 0);
        }
}
