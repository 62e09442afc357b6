/*
 * pool_host.c -- pooling of float32 and float64 over two dimensions, and its gradients, as one pass over whole rows.
 * In: dense arrays. Out: the result, every element. A row of results is made from the rows its windows cover, position
 * by position of the window in order, so values are those of pool_lower.c. Windows of 2x2 side by side, which is most
 * of them, run on vectors.
 */
#include "host.h"
#include "pool.h"

#include <math.h>
#include <string.h>

typedef struct Win { /* one image */
    int64_t h, w, oh, ow, ws[2], st[2], pad[2];
    PoolMode mode;
    bool ignore_border;
} Win;

static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t up_div(int64_t a, int64_t b) { return a <= 0 ? -(-a / b) : (a + b - 1) / b; }

/* Windows q (from .. to) whose element s lies inside a row of n. */
static void inside(int64_t s, int64_t pad, int64_t st, int64_t n, int64_t count, int64_t *from, int64_t *to) {
    *from = most(up_div(pad - s, st), 0);
    *to = least(up_div(n + pad - s, st), count);
}

/* How many elements window q counts along dimension d. */
static int64_t counted(const Win *w, int d, int64_t q) {
    int64_t n = d ? w->w : w->h, from = q * w->st[d] - w->pad[d];
    if (w->ignore_border && (w->mode == POOL_INC_PAD || w->pad[d] == 0)) return w->ws[d];
    return least(from + w->ws[d], n) - most(from, 0);
}

static bool pairs(const Win *w) {
    return w->ws[0] == 2 && w->ws[1] == 2 && w->st[0] == 2 && w->st[1] == 2 && !w->pad[0] && !w->pad[1] &&
           w->oh * 2 <= w->h && w->ow * 2 <= w->w;
}

#define LANES(T) (16 / (int)sizeof(T))
#define MIX __builtin_shufflevector
#define EVEN_float(a, b) MIX(a, b, 0, 2, 4, 6)
#define ODD_float(a, b) MIX(a, b, 1, 3, 5, 7)
#define LOW_float(a) MIX(a, a, 0, 0, 1, 1)
#define HIGH_float(a) MIX(a, a, 2, 2, 3, 3)
#define EVEN_double(a, b) MIX(a, b, 0, 2)
#define ODD_double(a, b) MIX(a, b, 1, 3)
#define LOW_double(a) MIX(a, a, 0, 0)
#define HIGH_double(a) MIX(a, a, 1, 1)
#define VECTORS(T, I) \
    typedef T Vec_##T __attribute__((vector_size(16), aligned(sizeof(T)), may_alias)); \
    typedef I Bits_##T __attribute__((vector_size(16), aligned(sizeof(T)), may_alias));
VECTORS(float, int32_t)
VECTORS(double, int64_t)

/* The larger, c where they cannot be compared: a NaN only stays where it was first. */
#define LARGER(T, a, c) ((Vec_##T)((((Bits_##T)(a)) & ((a) > (c))) | (((Bits_##T)(c)) & ~((a) > (c)))))

#define POOLING(T) \
    static void pool_pairs_##T(const Win *w, const T *x, T *z) { \
        for (int64_t q = 0; q < w->oh; q++, z += w->ow) { \
            const T *a = x + 2 * q * w->w, *b = a + w->w; \
            int64_t p = 0; \
            for (; p + LANES(T) <= w->ow; p += LANES(T)) { \
                Vec_##T a0 = *(const Vec_##T *)(a + 2 * p), a1 = *(const Vec_##T *)(a + 2 * p + LANES(T)); \
                Vec_##T b0 = *(const Vec_##T *)(b + 2 * p), b1 = *(const Vec_##T *)(b + 2 * p + LANES(T)); \
                Vec_##T v = EVEN_##T(a0, a1), v1 = ODD_##T(a0, a1), v2 = EVEN_##T(b0, b1), v3 = ODD_##T(b0, b1); \
                if (w->mode == POOL_MAX) { \
                    v = LARGER(T, v1, v); \
                    v = LARGER(T, v2, v); \
                    v = LARGER(T, v3, v); \
                } else { \
                    v = v + v1 + v2 + v3; \
                    if (w->mode != POOL_SUM) v /= 4; \
                } \
                *(Vec_##T *)(z + p) = v; \
            } \
            for (; p < w->ow; p++) { \
                T e[4] = {a[2 * p], a[2 * p + 1], b[2 * p], b[2 * p + 1]}, v = e[0]; \
                if (w->mode == POOL_MAX) \
                    for (int i = 1; i < 4; i++) v = e[i] > v ? e[i] : v; \
                else v = e[0] + e[1] + e[2] + e[3]; \
                z[p] = w->mode == POOL_MAX || w->mode == POOL_SUM ? v : v / 4; \
            } \
        } \
    } \
    static void pool_image_##T(const Win *w, const T *x, T *z) { \
        if (pairs(w)) { \
            pool_pairs_##T(w, x, z); \
            return; \
        } \
        for (int64_t q = 0; q < w->oh; q++, z += w->ow) { \
            int64_t top = q * w->st[0] - w->pad[0], r0 = most(top, 0), r1 = least(top + w->ws[0], w->h); \
            const T *first = x + r0 * w->w; \
            for (int64_t p = 0; p < w->ow; p++) \
                z[p] = w->mode == POOL_MAX ? first[most(p * w->st[1] - w->pad[1], 0)] : 0; \
            for (int64_t i = r0; i < r1; i++) \
                for (int64_t s = 0; s < w->ws[1]; s++) { \
                    int64_t from, to; \
                    inside(s, w->pad[1], w->st[1], w->w, w->ow, &from, &to); \
                    const T *a = x + i * w->w + s - w->pad[1]; \
                    if (w->mode == POOL_MAX) \
                        for (int64_t p = from; p < to; p++) z[p] = a[p * w->st[1]] > z[p] ? a[p * w->st[1]] : z[p]; \
                    else \
                        for (int64_t p = from; p < to; p++) z[p] += a[p * w->st[1]]; \
                } \
            if (w->mode == POOL_MAX || w->mode == POOL_SUM) continue; \
            int64_t rows = counted(w, 0, q); \
            for (int64_t p = 0; p < w->ow; p++) z[p] /= (T)(rows * counted(w, 1, p)); \
        } \
    } \
    static void back_pairs_##T(const Win *w, const T *x, const T *m, const T *g, T *to) { \
        for (int64_t q = 0; q < w->oh; q++) \
            for (int r = 0; r < 2; r++) { \
                const T *a = x ? x + (2 * q + r) * w->w : NULL, *mm = m ? m + q * w->ow : NULL, *gg = g + q * w->ow; \
                T *d = to + (2 * q + r) * w->w, by = w->mode == POOL_SUM ? 1 : 4; \
                int64_t p = 0; \
                for (; p + LANES(T) <= w->ow; p += LANES(T)) { \
                    Vec_##T v = *(const Vec_##T *)(gg + p), lo, hi; \
                    if (m) { \
                        Vec_##T b = *(const Vec_##T *)(mm + p); \
                        Bits_##T same = *(const Vec_##T *)(a + 2 * p) == LOW_##T(b); \
                        Bits_##T also = *(const Vec_##T *)(a + 2 * p + LANES(T)) == HIGH_##T(b); \
                        lo = (Vec_##T)((Bits_##T)LOW_##T(v) & same); \
                        hi = (Vec_##T)((Bits_##T)HIGH_##T(v) & also); \
                    } else { \
                        v /= by; \
                        lo = LOW_##T(v), hi = HIGH_##T(v); \
                    } \
                    *(Vec_##T *)(d + 2 * p) = lo; \
                    *(Vec_##T *)(d + 2 * p + LANES(T)) = hi; \
                } \
                for (; p < w->ow; p++) \
                    for (int e = 0; e < 2; e++) d[2 * p + e] = m ? (a[2 * p + e] == mm[p] ? gg[p] : 0) : gg[p] / by; \
            } \
    } \
    /* to: rows and columns that no window covers are zero */ \
    static void back_image_##T(const Win *w, const T *x, const T *m, const T *g, T *to) { \
        bool two = pairs(w); \
        if (!two || w->oh * 2 != w->h || w->ow * 2 != w->w) memset(to, 0, (size_t)(w->h * w->w) * sizeof(T)); \
        if (two) { \
            back_pairs_##T(w, x, m, g, to); \
            return; \
        } \
        for (int64_t q = 0; q < w->oh; q++) { \
            int64_t top = q * w->st[0] - w->pad[0], r0 = most(top, 0), r1 = least(top + w->ws[0], w->h); \
            T rows = w->mode == POOL_INC_PAD || w->mode == POOL_EXC_PAD ? (T)counted(w, 0, q) : 1; \
            for (int64_t i = r0; i < r1; i++) \
                for (int64_t s = 0; s < w->ws[1]; s++) { \
                    int64_t from, end, st = w->st[1], off = i * w->w + s - w->pad[1]; \
                    inside(s, w->pad[1], st, w->w, w->ow, &from, &end); \
                    const T *gg = g + q * w->ow, *mm = m ? m + q * w->ow : NULL; \
                    for (int64_t p = from; p < end; p++) { \
                        if (m) to[off + p * st] += x[off + p * st] == mm[p] ? gg[p] : 0; \
                        else if (w->mode == POOL_SUM) to[off + p * st] += gg[p]; \
                        else to[off + p * st] += gg[p] / (rows * (T)counted(w, 1, p)); \
                    } \
                } \
        } \
    } \
    static void run_##T(const HostCall *h, const Win *w, int64_t images) { \
        int n = pool_tensors(h->op); \
        const T *x = (const T *)(const void *)h->in[0]->data, *m = NULL, *g = NULL; \
        T *z = (T *)(void *)h->out[0]->data; \
        if (n == 3) m = (const T *)(const void *)h->in[1]->data; \
        if (n > 1) g = (const T *)(const void *)h->in[n - 1]->data; \
        for (int64_t k = 0; k < images; k++) { \
            int64_t big = k * w->h * w->w, small = k * w->oh * w->ow; \
            if (n == 1) pool_image_##T(w, x + big, z + small); \
            else back_image_##T(w, x + big, m ? m + small : NULL, g + small, z + big); \
        } \
    }
POOLING(float)
POOLING(double)

static int pool_host_run(HostCall *h) {
    const PoolAttrs *at = h->attrs;
    int n = pool_tensors(h->op), nd = h->in[0]->ndim;
    const int64_t *x = ARRAY_SHAPE(h->in[0]), *z = ARRAY_SHAPE(n == 1 ? h->out[0] : h->in[n - 1]);
    int64_t images = 1;
    Win w = {.h = x[nd - 2],
             .w = x[nd - 1],
             .oh = z[nd - 2],
             .ow = z[nd - 1],
             .mode = (PoolMode)at->mode,
             .ignore_border = at->ignore_border};
    for (int d = 0; d < nd - 2; d++) images *= x[d];
    for (int d = 0; d < 2; d++) {
        const int64_t i = d;
        ThValue v[3];
        for (int k = 0; k < 3; k++)
            if (th_array_get(h->in[n + k], &i, &v[k])) return 1;
        w.ws[d] = v[0].i, w.st[d] = v[1].i, w.pad[d] = v[2].i;
    }
    if (h->out[0]->size == 0) return 0;
    if (h->out[0]->dtype == TH_FLOAT32) run_float(h, &w, images);
    else run_double(h, &w, images);
    return 0;
}

bool pool_hosted(Lower *l, bool *ok) {
    const ThApply *a = l->node;
    int n = pool_tensors(a->op);
    ThDtype d = (ThDtype)a->out[0]->type.dtype;
    if (ATTRS(PoolAttrs, a)->ndim != 2 || a->op == &op_max_pool_grad_grad || !dtype_is_float(d)) return false;
    for (int i = 0; i < n; i++)
        if (a->in[i]->type.dtype != d) return false;
    *ok = true;
    for (int i = 0; i < n; i++) *ok = *ok && l->api->contiguous(l, i);
    *ok = *ok && l->api->host(l, pool_host_run, 0);
    return true;
}
