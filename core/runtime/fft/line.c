/*
 * line.c -- transforms of any length: tables, on lanes, of one line alone.
 * In: numbers as elements or as pairs. Out: their transforms. Always holds: tables are made from roots that are right
 * to the last place; what a piece writes is its own.
 */
#include "line.h"

#include <math.h>
#include <string.h>

enum { ALIGN = 64 };

static int64_t up(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }
static int64_t item(ThDtype d) { return d == TH_FLOAT64 ? 8 : 4; }

/* ---- lengths ----------------------------------------------------------------------------------------------------- */
/* On lanes, with what it costs that vectors leave the first-level cache, and the second. */
static double cached_cost(int64_t n, int64_t vl, int64_t size) {
    int64_t bytes = 3 * 2 * n * vl * size;
    return fft_cost(n) * (bytes <= 40 << 10 ? 1.0 : bytes <= 768 << 10 ? 1.25 : 2.5) + 8.0 * (double)n;
}

/* Of a transform as n1 rows by n2 columns; vl lanes. */
static double split_cost(int64_t n1, int64_t n2, int64_t vl, int64_t size) {
    double columns = (double)(up(n2, vl) / vl), rows = (double)(up(n1, vl) / vl);
    return columns * cached_cost(n1, vl, size) + rows * cached_cost(n2, vl, size);
}

/* The cheapest rows for n, whose factors are small. */
static int64_t rows_of(int64_t n, int64_t vl, int64_t size, double *cost) {
    int64_t best = 1;
    *cost = INFINITY;
    for (int64_t n1 = 1; n1 * n1 <= n; n1++) {
        if (n % n1) continue;
        for (int i = 0; i < 2; i++) {
            int64_t r = i ? n / n1 : n1;
            double c = split_cost(r, n / r, vl, size);
            if (c <= *cost) *cost = c, best = r;
        }
    }
    return best;
}

static bool plain(int64_t n) { return n == 1 || isfinite(fft_cost(n)); }

/* A length for the chirp of n: at least 2 n - 1. */
static int64_t chirp_length(int64_t n, FftUse use) {
    if (use == FFT_LANES) return fft_length(2 * n - 1, false);
    static const int64_t odd[] = {1, 3, 5, 9, 15};
    int64_t best = INT64_MAX;
    for (int i = 0; i < TH_LEN(odd); i++) {
        int64_t m = odd[i];
        while (m < 2 * n - 1) m *= 2;
        if (m < best) best = m;
    }
    return best;
}

static int64_t length_of(int64_t n, FftUse use) { return plain(n) ? n : chirp_length(n, use); }

double fft_lanes_cost(int64_t n, int64_t vl, ThDtype d) {
    int64_t len = length_of(n, FFT_LANES);
    double cost = cached_cost(len, vl, item(d));
    return len == n ? cost : 2 * cost + 20.0 * (double)len;
}

double fft_alone_cost(int64_t n, int64_t vl, ThDtype d) {
    int64_t len = length_of(n, FFT_ALONE);
    double cost;
    rows_of(len, vl, item(d), &cost);
    return len == n ? cost : 2 * cost + 30.0 * (double)len / (double)vl;
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */
/* Shares out room, or counts with room NULL. */
typedef struct Room {
    char *room;
    size_t used;
} Room;

static void *take(Room *r, int64_t bytes) {
    void *at = r->room ? r->room + r->used : NULL;
    r->used += (size_t)up(bytes, ALIGN);
    return at;
}

static void lay_out(FftTables *t, Room *r) {
    int64_t pair = 2 * item(t->dtype), vl = t->k->vl;
    double cost;
    t->len = t->use == FFT_HALF ? t->n : length_of(t->n, t->use);
    if (t->use == FFT_HALF) {
        t->roots = take(r, (t->n / 2 + 1) * pair);
        return;
    }
    t->p.n = t->len, t->q.n = 1;
    if (t->use == FFT_ALONE) t->p.n = rows_of(t->len, vl, item(t->dtype), &cost), t->q.n = t->len / t->p.n;
    t->p.twiddles = take(r, fft_twiddles(t->p.n) * pair);
    if (t->use == FFT_ALONE) {
        t->q.twiddles = take(r, fft_twiddles(t->q.n) * pair);
        t->turns = take(r, t->p.n * up(t->q.n, vl) * pair);
    }
    if (t->len != t->n) {
        t->chirp = take(r, t->n * pair);
        t->filter = take(r, t->len * pair);
    }
}

static void fill_turns(const FftTables *t, char *to) {
    FftCircle o;
    int64_t vl = t->k->vl, n1 = t->p.n, n2 = t->q.n, size = item(t->dtype);
    fft_circle(&o, t->len);
    for (int64_t b = 0; b * vl < n2; b++)
        for (int64_t k = 0; k < n1; k++)
            for (int64_t l = 0; l < vl; l++) {
                double re, im;
                int64_t at = ((b * n1 + k) * 2 * vl + l) * size;
                fft_root(&o, k * (b * vl + l) % t->len, &re, &im);
                if (size == 8) *(double *)(to + at) = re, *(double *)(to + at + vl * 8) = im;
                else *(float *)(to + at) = (float)re, *(float *)(to + at + vl * 4) = (float)im;
            }
}

/* The filter is the transform of a line: one of the very transforms that will read it. */
static void fill_chirp(const FftTables *t, char *work) {
    FftCircle o;
    int64_t n = t->n, pair = 2 * item(t->dtype), vl = t->k->vl, square = 0;
    char *chirp = (char *)t->chirp, *filter = (char *)t->filter, *line = work;
    fft_circle(&o, 2 * n);
    memset(line, 0, (size_t)(t->len * pair));
    for (int64_t k = 0; k < n; k++) {
        double re, im;
        fft_root(&o, square, &re, &im);
        fft_put(t->dtype, chirp, k, re, im);
        fft_put(t->dtype, line, k, re / (double)t->len, -im / (double)t->len);
        if (k) fft_put(t->dtype, line, t->len - k, re / (double)t->len, -im / (double)t->len);
        square = (square + 2 * k + 1) % (2 * n);
    }
    char *next = work + up(t->len * pair, ALIGN);
    if (t->use == FFT_LANES) {
        int64_t element = pair * vl;
        char *at = next, *rest = at + t->len * element;
        for (int64_t k = 0; k < t->len; k++) t->k->load(line + k * pair, 0, 1, 1, at + k * element);
        t->k->transform(&t->p, at, rest, rest + t->len * element, false);
        for (int64_t k = 0; k < t->len; k++) t->k->store(rest + k * element, 1, filter + k * pair, 0, 1, 1);
        return;
    }
    FftAlone a = {.t = t, .from = line, .to = filter, .rows = next, .by = 1, .pieces = 1};
    next += up((int64_t)fft_alone_rows(t), ALIGN);
    fft_alone_columns(&a, 0, next);
    fft_alone_end(&a, 0, next);
}

static FftTables described(FftUse use, int64_t n, ThDtype d) {
    return (FftTables){.use = use, .n = n, .dtype = d, .k = fft_kernels(d)};
}

size_t fft_table_bytes(FftUse use, int64_t n, ThDtype d) {
    FftTables t = described(use, n, d);
    Room r = {NULL, 0};
    lay_out(&t, &r);
    return r.used;
}

size_t fft_table_work(FftUse use, int64_t n, ThDtype d) {
    FftTables t = described(use, n, d);
    Room r = {NULL, 0};
    int64_t pair = 2 * item(d);
    lay_out(&t, &r);
    if (use == FFT_HALF || t.len == n) return 0;
    if (use == FFT_LANES) return (size_t)(up(t.len * pair, ALIGN) + 3 * t.len * pair * t.k->vl);
    return (size_t)up(t.len * pair, ALIGN) + (size_t)up((int64_t)fft_alone_rows(&t), ALIGN) + fft_alone_part(&t);
}

void fft_table_fill(FftTables *t, FftUse use, int64_t n, ThDtype d, char *room, char *work) {
    Room r = {room, 0};
    *t = described(use, n, d);
    lay_out(t, &r);
    if (use == FFT_HALF) {
        fft_roots(n, n / 2 + 1, d, (void *)t->roots);
        return;
    }
    fft_plan(&t->p, t->p.n, d, (void *)t->p.twiddles);
    if (use == FFT_ALONE) {
        fft_plan(&t->q, t->q.n, d, (void *)t->q.twiddles);
        fill_turns(t, (char *)t->turns);
    }
    if (t->len != n) fill_chirp(t, work);
}

/* ---- on lanes ---------------------------------------------------------------------------------------------------- */
int64_t fft_lanes_room(const FftTables *t) { return t->len; }

/* x c, transformed, times the filter, back, times c: for `back` all of it conjugate. */
void *fft_lanes(const FftTables *t, void *at, void *work, bool back) {
    int64_t element = 2 * t->k->vl * item(t->dtype);
    char *rest = (char *)work + t->len * element;
    if (t->len == t->n) {
        t->k->transform(&t->p, at, work, rest, back);
        return work;
    }
    t->k->product(at, t->chirp, t->n, at, back);
    memset((char *)at + t->n * element, 0, (size_t)((t->len - t->n) * element));
    t->k->transform(&t->p, at, work, rest, back);
    t->k->product(work, t->filter, t->len, work, back);
    t->k->transform(&t->p, work, at, rest, !back);
    t->k->product(at, t->chirp, t->n, at, back);
    return at;
}

/* ---- alone ------------------------------------------------------------------------------------------------------- */
/* The turned columns lie as n1 rows, up to whole vectors, of blocks of columns. One block more a row: rows of 4096
 * bytes would share a few lines of the cache. */
static int64_t row_step(const FftTables *t) {
    return (up(t->q.n, t->k->vl) / t->k->vl + 1) * 2 * t->k->vl;
} /* numbers */

size_t fft_alone_rows(const FftTables *t) { return (size_t)(up(t->p.n, t->k->vl) * row_step(t) * item(t->dtype)); }

static int64_t longest(const FftTables *t) {
    int64_t n2 = up(t->q.n, t->k->vl);
    return t->p.n > n2 ? t->p.n : n2;
}

size_t fft_alone_part(const FftTables *t) { return (size_t)(3 * longest(t) * 2 * t->k->vl * item(t->dtype)); }

void fft_alone_columns(const FftAlone *a, int piece, char *work) {
    const FftTables *t = a->t;
    const FftKernels *k = t->k;
    int64_t vl = k->vl, size = item(t->dtype), n1 = t->p.n, n2 = t->q.n, element = 2 * vl * size,
            blocks = up(n2, vl) / vl;
    char *done = work + longest(t) * element, *rest = done + longest(t) * element;
    for (int64_t b = blocks * piece / a->pieces; b < blocks * (piece + 1) / a->pieces && !ctx_leaves(a->ctx, a->early);
         b++) {
        int lanes = (int)(n2 - b * vl < vl ? n2 - b * vl : vl);
        k->load((const char *)a->from + b * element, 2 * n2, n1, lanes, work);
        k->transform(&t->p, work, done, rest, a->back);
        k->turn(done, (const char *)t->turns + b * n1 * element, n1, a->rows + b * element, row_step(t) / (2 * vl),
                a->back);
    }
    for (int64_t row = n1; piece == 0 && row < up(n1, vl); row++)
        memset(a->rows + row * row_step(t) * size, 0, (size_t)(blocks * element));
}

void fft_alone_end(const FftAlone *a, int piece, char *work) {
    const FftTables *t = a->t;
    const FftKernels *k = t->k;
    int64_t vl = k->vl, size = item(t->dtype), n1 = t->p.n, n2 = t->q.n, element = 2 * vl * size,
            blocks = up(n1, vl) / vl;
    char *done = work + longest(t) * element, *rest = done + longest(t) * element;
    for (int64_t b = blocks * piece / a->pieces; b < blocks * (piece + 1) / a->pieces && !ctx_leaves(a->ctx, a->early);
         b++) {
        int lanes = (int)(n1 - b * vl < vl ? n1 - b * vl : vl);
        const char *rows = a->rows + b * vl * row_step(t) * size;
        for (int64_t c = 0; c * vl < n2; c++) k->square(rows + c * element, row_step(t), work + c * vl * element);
        k->transform(&t->q, work, done, rest, a->back);
        k->store(done, n2, (char *)a->to + b * element, 2 * n1, lanes, a->by);
    }
}

void fft_alone(const FftTables *t, const void *from, void *to, char *rows, char *line, bool back, double by,
               FftPieces *p) {
    int64_t n = t->n, pair = 2 * item(t->dtype);
    FftAlone a = {.t = t,
                  .from = from,
                  .to = to,
                  .rows = rows,
                  .by = by,
                  .back = back,
                  .pieces = p->n,
                  .ctx = p->ctx,
                  .early = p->early};
    if (t->len == n) {
        p->run(p, fft_alone_columns, &a);
        p->run(p, fft_alone_end, &a);
        return;
    }
    t->k->pairs_product(from, t->chirp, n, line, back, 1);
    memset(line + n * pair, 0, (size_t)((t->len - n) * pair));
    a.from = line, a.to = line, a.by = 1;
    p->run(p, fft_alone_columns, &a);
    p->run(p, fft_alone_end, &a);
    t->k->pairs_product(line, t->filter, t->len, line, back, 1);
    a.back = !back;
    p->run(p, fft_alone_columns, &a);
    p->run(p, fft_alone_end, &a);
    t->k->pairs_product(line, t->chirp, n, to, back, by);
}
