/*
 * fft.c -- Fourier transforms on a device: the host's stages, each over all lines along one axis. A stage takes its
 * lines together, as pairs side by side, transforms them and puts them where they belong. Lengths that are powers of 2
 * by the steps of Stockham (1966); others as a convolution with a chirp (Bluestein 1970) of such a length. Large ones
 * go to cuFFT where it is found.
 */
#include "gpu.h"
#include "runtime/fft/work.h"

#include <string.h>

enum { TABLE, TAKE, STEP, CHIRP, TIMES, PUT };

/* x, y: lines of `size` pairs. table: exp(-+ 2 pi i k / size) for k < size. chirp: of `size` pairs, exp(-+ pi i k k /
 * n) for k < n; then its transform's line. */
GPU_RECORD(FftArgs, {
    i64 *err, step;
    const char *from;
    char *to;
    char *x, *y, *table, *chirp;
    i64 n, size, have, lines, fs, ts;
    i64 kind, sign, apart, chirped;
    f64 by, twice;
    i64 nd;
    i64 len[32];
    i64 st[2][32];
})

/* clang-format off */
static const char text[] = GPU_TEXT(
    typedef struct { R re, im; } Pair;
    INLINE Pair pair(R re, R im) {
        Pair z;
        z.re = re;
        z.im = im;
        return z;
    }
    INLINE Pair times(Pair a, Pair b) { return pair(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re); }
    INLINE i64 line_at(const FftArgs *a, int k, i64 line) {
        i64 at = 0;
        for (int d = (int)a->nd - 1; d >= 0; d--) {
            const i64 q = line / a->len[d];
            at += (line - q * a->len[d]) * a->st[k][d];
            line = q;
        }
        return at;
    }
    /* exp(sign 2 pi i k / n), 0 <= k < n, exact at quarters */
    INLINE Pair root_of_one(i64 k, i64 n, i64 sign) {
        const i64 eighth = 8 * k / n;
        const i64 k4 = 4 * k;
        const i64 quarter = (eighth + 1) / 2;
        const f64 angle = 1.5707963267948966192 * ((f64)(k4 - quarter * n) / (f64)n);
        const f64 c = cos(angle);
        const f64 s = sin(angle);
        const i64 turn = quarter & 3;
        const f64 re = turn == 0 ? c : turn == 1 ? -s : turn == 2 ? -c : s;
        const f64 im = turn == 0 ? s : turn == 1 ? c : turn == 2 ? -s : -c;
        return pair((R)re, (R)(sign * im));
    }
) GPU_TEXT(
    KERNEL fft_table(const FftArgs a) {
        if (a.err[0]) return;
        for (i64 k = blockIdx.x * (i64)blockDim.x + threadIdx.x; k < a.size; k += gridDim.x * (i64)blockDim.x)
            ((Pair *)a.table)[k] = root_of_one(k, a.size, a.sign);
    }
    /* The chirp, and its conjugate around 0 as the line that is transformed (in x). */
    KERNEL fft_chirp(const FftArgs a) {
        if (a.err[0]) return;
        for (i64 k = blockIdx.x * (i64)blockDim.x + threadIdx.x; k < a.size; k += gridDim.x * (i64)blockDim.x) {
            const i64 j = k < a.n ? k : a.size - k;
            const Pair w = j < a.n ? root_of_one((i64)((u64)j * (u64)j % (u64)(2 * a.n)), 2 * a.n, a.sign) : pair(0, 0);
            ((Pair *)a.chirp)[k] = w;
            ((Pair *)a.x)[k] = pair(w.re, -w.im);
        }
    }
) GPU_TEXT(
    /* Unit j of a line: numbers are pairs; of a half the other pairs are their conjugates. */
    INLINE Pair unit(const FftArgs *a, const char *line, i64 j) {
        if (a->kind == 1) return j < a->have ? pair(*(const R *)(line + j * a->fs), 0) : pair(0, 0);
        const int mirror = a->kind == 2 && 2 * j > a->n;
        const i64 at = mirror ? a->n - j : j;
        if (at >= a->have) return pair(0, 0);
        Pair z = *(const Pair *)(line + at * a->fs);
        if (a->kind != 2) return z;
        if (at == 0 || 2 * at == a->n) return pair(z.re, 0);
        return pair(z.re * (R)a->twice, (mirror ? -z.im : z.im) * (R)a->twice);
    }
    KERNEL fft_take(const FftArgs a) {
        if (a.err[0]) return;
        for (i64 e = blockIdx.x * (i64)blockDim.x + threadIdx.x; e < a.lines * a.size; e += gridDim.x * (i64)blockDim.x) {
            const i64 line = e / a.size;
            const i64 j = e - line * a.size;
            Pair z = pair(0, 0);
            if (j < a.n) z = unit(&a, a.from + line_at(&a, 0, line), j);
            if (j < a.n && a.chirped) z = times(z, ((const Pair *)a.chirp)[j]);
            ((Pair *)a.x)[e] = z;
        }
    }
) GPU_TEXT(
    /* One step of all lines from x to y: pairs `apart` from each other, of transforms of size / apart. */
    KERNEL fft_step(const FftArgs a) {
        if (a.err[0]) return;
        const i64 half = a.size / 2;
        for (i64 e = blockIdx.x * (i64)blockDim.x + threadIdx.x; e < a.lines * half; e += gridDim.x * (i64)blockDim.x) {
            const i64 line = e / half;
            const i64 k = e - line * half;
            const i64 p = k / a.apart;
            const i64 q = k - p * a.apart;
            const Pair *const x = (const Pair *)a.x + line * a.size;
            Pair *const y = (Pair *)a.y + line * a.size + q + 2 * a.apart * p;
            const Pair u = x[q + a.apart * p];
            const Pair v = x[q + a.apart * p + half];
            Pair w = ((const Pair *)a.table)[p * a.apart];
            if (a.sign < 0) w.im = -w.im;
            y[0] = pair(u.re + v.re, u.im + v.im);
            y[a.apart] = times(pair(u.re - v.re, u.im - v.im), w);
        }
    }
    /* y: the chirp's transform */
    KERNEL fft_times(const FftArgs a) {
        if (a.err[0]) return;
        for (i64 e = blockIdx.x * (i64)blockDim.x + threadIdx.x; e < a.lines * a.size; e += gridDim.x * (i64)blockDim.x)
            ((Pair *)a.x)[e] = times(((Pair *)a.x)[e], ((const Pair *)a.y)[e % a.size]);
    }
) GPU_TEXT(
    KERNEL fft_put(const FftArgs a) {
        if (a.err[0]) return;
        const i64 units = a.kind == 1 ? a.n / 2 + 1 : a.n;
        for (i64 e = blockIdx.x * (i64)blockDim.x + threadIdx.x; e < a.lines * units; e += gridDim.x * (i64)blockDim.x) {
            const i64 line = e / units;
            const i64 k = e - line * units;
            char *const to = a.to + line_at(&a, 1, line) + k * a.ts;
            Pair z = ((const Pair *)a.x)[line * a.size + k];
            R by = (R)a.by;
            if (a.chirped) {
                z = times(z, ((const Pair *)a.chirp)[k]);
                by = (R)(a.by / (f64)a.size);
            }
            if (a.kind == 1 && k > 0 && 2 * k != a.n) by *= (R)a.twice;
            if (a.kind == 2) *(R *)to = z.re * by;
            else *(Pair *)to = pair(z.re * by, z.im * by);
        }
    }
);
/* clang-format on */

static const CudaEntry kernel[] = {
    GPU_ENTRY(fft_table, FftArgs, false), GPU_ENTRY(fft_take, FftArgs, false),  GPU_ENTRY(fft_step, FftArgs, false),
    GPU_ENTRY(fft_chirp, FftArgs, false), GPU_ENTRY(fft_times, FftArgs, false), GPU_ENTRY(fft_put, FftArgs, false),
};
static const char *const pieces[] = {FftArgs_text, text, NULL};
static bool has(int variant) { return variant < 2; }
static void head(Text *t, int variant) { text_printf(t, "typedef %s R;\n", variant ? "f64" : "f32"); }
const GpuFamily gpu_ffts = {"Fourier transforms", pieces, kernel, TH_LEN(kernel), has, head};

/* ---- a stage ----------------------------------------------------------------------------------------------------- */
typedef struct Passes {
    HostCall *h;
    FftArgs a;
    int variant;
} Passes;

static bool run(Passes *s, int which, int64_t threads) {
    return gpu_launch(s->h, &gpu_ffts, s->variant, which, gpu_blocks(threads), &s->a) == 0;
}

/* All steps; what comes of them lies at a.x. */
static bool steps(Passes *s, int64_t lines, int64_t sign) {
    int64_t all = s->a.lines, was = s->a.sign;
    bool ok = true;
    s->a.lines = lines, s->a.sign = sign;
    for (s->a.apart = 1; s->a.apart < s->a.size && ok; s->a.apart *= 2) {
        ok = run(s, STEP, lines * s->a.size / 2);
        char *x = s->a.x;
        s->a.x = s->a.y, s->a.y = x;
    }
    s->a.lines = all, s->a.sign = was;
    return ok;
}

/* The chirp's transform goes to a line of its own, which is the result. */
static bool chirp(Passes *s, size_t pair, char **line) {
    char *room[2], *x = s->a.x, *y = s->a.y;
    size_t bytes = (size_t)s->a.size * pair;
    if (!gpu_room(s->h, bytes, &s->a.chirp) || !gpu_room(s->h, bytes, &room[0]) || !gpu_room(s->h, bytes, &room[1]))
        return false;
    s->a.x = room[0], s->a.y = room[1];
    if (!run(s, CHIRP, s->a.size) || !steps(s, 1, 1)) return false;
    *line = s->a.x;
    s->a.x = x, s->a.y = y;
    return true;
}

static FftArgs record(const FftStage *x, const char *from, char *to) {
    FftArgs a = {.from = from, .to = to, .n = x->n, .have = x->have, .lines = 1, .fs = x->fs, .ts = x->ts};
    a.kind = x->kind, a.by = x->by, a.twice = x->twice, a.nd = x->ndim;
    a.sign = (x->kind == FFT_COMPLEX ? x->back : x->kind == FFT_FROM_HALF) ? 1 : -1;
    for (int d = 0; d < x->ndim; d++) {
        a.len[d] = x->dim[d].n, a.st[0][d] = x->dim[d].from, a.st[1][d] = x->dim[d].to;
        a.lines *= a.len[d];
    }
    for (a.size = 1; a.size < a.n;) a.size *= 2;
    a.chirped = a.size != a.n;
    while (a.chirped && a.size < 2 * a.n - 1) a.size *= 2;
    return a;
}

/* By cuFFT: lines of their own length, between the same two ends. */
static GpuDone by_library(HostCall *h, const FftStage *x, const FftArgs *a) {
    enum { WORTH = 1 << 12 };
    Passes s = {.h = h, .a = *a, .variant = x->dtype == TH_FLOAT64};
    GpuLines l = {.n = x->n, .lines = a->lines, .sign = (int)a->sign, .wide = s.variant};
    if (x->n < 2 || !gpu_wants(h, x->n * a->lines, WORTH)) return GPU_NOT;
    GpuDone done = gpu_fourier(h, &l);
    if (done != GPU_DONE) return done;
    s.a.size = x->n, s.a.chirped = 0;
    if (!gpu_room(h, (size_t)(x->n * a->lines) * 2 * th_dtype_bytes(x->dtype), &s.a.x)) return GPU_FAILED;
    l.at = s.a.x;
    if (!run(&s, TAKE, x->n * a->lines)) return GPU_FAILED;
    done = gpu_fourier(h, &l);
    if (done != GPU_DONE) return done;
    return run(&s, PUT, a->lines * (x->kind == FFT_TO_HALF ? x->n / 2 + 1 : x->n)) ? GPU_DONE : GPU_FAILED;
}

/* Tables stand for a sign of the steps; those of the convolution with a chirp have both, sign 1 being the table's. */
static bool stage(HostCall *h, const FftStage *x, const char *from, char *to) {
    Passes s = {.h = h, .a = record(x, from, to), .variant = x->dtype == TH_FLOAT64};
    size_t pair = 2 * th_dtype_bytes(x->dtype), bytes = (size_t)(s.a.lines * s.a.size) * pair;
    char *line = NULL;
    if (s.a.lines == 0) return true;
    GpuDone done = by_library(h, x, &s.a);
    if (done != GPU_NOT) return done == GPU_DONE;
    if (!gpu_room(h, (size_t)s.a.size * pair, &s.a.table) || !gpu_room(h, bytes, &s.a.x) ||
        !gpu_room(h, bytes, &s.a.y) || !run(&s, TABLE, s.a.size))
        return false;
    if (s.a.chirped && !chirp(&s, pair, &line)) return false;
    if (!run(&s, TAKE, s.a.lines * s.a.size) || !steps(&s, s.a.lines, 1)) return false;
    if (s.a.chirped) {
        char *y = s.a.y;
        s.a.y = line;
        bool ok = run(&s, TIMES, s.a.lines * s.a.size);
        s.a.y = y;
        if (!ok || !steps(&s, s.a.lines, -1)) return false;
    }
    return run(&s, PUT, s.a.lines * (x->kind == FFT_TO_HALF ? s.a.n / 2 + 1 : s.a.n));
}

int gpu_fft(HostCall *h, const FftWork *w) {
    FftStages s;
    char *pairs = NULL;
    const char *from = w->from;
    for (int i = 0; i < w->naxes; i++)
        if (w->n[i] > INT32_MAX) {
            err(h->ctx, TH_ValueError, "fft: %lld numbers are too many for a transform", (long long)w->n[i]);
            return 1;
        }
    fft_stages(w, &s);
    if (s.pairs && !gpu_room(h, (size_t)s.pairs, &pairs)) return 1;
    for (int i = 0; i < s.n; i++) {
        char *to = w->kind == FFT_FROM_HALF && i < s.n - 1 ? pairs : w->to;
        const GpuMark mark = gpu_mark(h); /* a stage's room serves the next one */
        const bool ok = stage(h, &s.at[i], from, to);
        gpu_back(h, mark);
        if (!ok) return 1;
        from = to;
    }
    return 0;
}
