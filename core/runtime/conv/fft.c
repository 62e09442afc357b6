/*
 * fft.c -- convolution over one or two dimensions by Fourier transforms: work that does not grow with the filters.
 * In: a group of a ConvWork. Out: its result, or false where this way does not apply (three dimensions, no room) or
 * does not do: a result that is not finite is left to the other ways, since a NaN or an infinity, or an overflow of the
 * sums, would be everywhere in it.
 *
 * All three operands lie on one grid that holds a padded image: the image shifted by its padding, taps `dilation`
 * apart, places of the result `step` apart. Then, with ^ for spectra,
 *   top^ = image^ conj(filter^)     image^ = top^ filter^     filter^ = image^ conj(top^)
 * and what wraps round is never read. A plane's spectrum is [block of columns][row][re lanes, im lanes], columns being
 * the lanes; spectra of many planes lie [block of columns][plane][row].
 */
#include "parts.h"
#include "runtime/fft/fft.h"
#include "runtime/machine/parallel.h"

#include <math.h>
#include <string.h>

enum { PIECES = 8, ALIGN = CONV_ALIGN, SUMS_PIECES = 4 };
#define SPECTRA_BYTES ((int64_t)24 << 20) /* of all spectra at once, where blocks can be made small enough.. */
#define MOST_BYTES ((int64_t)512 << 20)   /* ..and never more than this */

/* Where an operand's elements lie: in memory (strides in elements) and on the grid. */
typedef struct Placed {
    char *at;
    int64_t outer[2]; /* strides of its two leading dimensions */
    int64_t len[2], st[2], first[2], apart[2];
} Placed;

typedef struct Grid {                  /* rows (perhaps 1) and columns; spectra of what lies on it */
    int64_t rows, columns, half;       /* half = columns / 2 */
    int64_t row_blocks, column_blocks; /* of vl rows; of vl of the half + 1 columns that a spectrum has */
    int64_t plane, bytes;              /* numbers of a plane in a block of columns; bytes of a whole plane */
} Grid;

typedef struct Job {
    ConvRun *r;
    const FftKernels *k;
    int64_t item;
    Grid grid;
    FftPlan down, across;
    const void *roots;
    char *piece; /* scratch: PIECES times piece_bytes */
    int64_t piece_bytes;
    /* what the present parallel loop does */
    const Placed *operand;
    int64_t from[2], count[2]; /* planes: ranges of the two leading dimensions */
    char *spectra;
    bool finite[PIECES];
    FftSums sums;
} Job;

static Grid grid_of(const ConvWork *w, int64_t vl, int64_t item) {
    int64_t need[2] = {1, 1};
    for (int d = 0; d < w->ndim; d++) {
        int64_t *n = &need[2 - w->ndim + d], whole = w->in[d] + w->pad[d];
        *n = (w->out[d] - 1) * w->step[d] + (w->size[d] - 1) * w->dilation[d] + 1;
        if (w->target == CONV_TO_IMAGE && *n < whole) *n = whole; /* what no window covers is written too */
    }
    Grid g = {.rows = fft_length(need[0], false), .columns = fft_length(need[1], true)};
    g.half = g.columns / 2;
    g.row_blocks = up(g.rows, vl) / vl;
    g.column_blocks = up(g.half + 1, vl) / vl;
    g.plane = (g.rows + 1) * 2 * vl; /* one more: planes of 4096 bytes would share a few lines of the cache */
    g.bytes = g.column_blocks * g.plane * item;
    return g;
}

static Placed placed(const ConvWork *w, char *at, const int64_t *st, const int64_t *len, const int64_t *first,
                     const int64_t *apart) {
    Placed p = {.at = at, .outer = {st[0], st[1]}, .len = {1, 1}, .apart = {1, 1}};
    for (int d = 0; d < w->ndim; d++) {
        int to = 2 - w->ndim + d;
        p.len[to] = len[d], p.st[to] = st[2 + d], p.first[to] = first ? first[d] : 0;
        p.apart[to] = apart ? apart[d] : 1;
    }
    return p;
}

/* ---- one plane --------------------------------------------------------------------------------------------------- */
typedef struct Rooms { /* of one piece */
    char *lines, *a, *b, *c, *spectrum;
} Rooms;

static int64_t line_length(const Job *j) { return up(j->grid.columns, j->k->vl); }
static int64_t most_elements(const Job *j) {
    int64_t rows = j->grid.row_blocks * j->k->vl, pairs = line_length(j) / 2 + 1;
    return rows > pairs ? rows : pairs;
}
static int64_t half_rows(const Job *j) { return j->grid.row_blocks * 2 * j->k->vl; } /* numbers of a column */

static Rooms rooms(const Job *j, int64_t piece, int64_t *bytes) {
    Rooms r;
    int64_t vl = j->k->vl, work = up(most_elements(j) * 2 * vl * j->item, ALIGN);
    r.lines = j->piece + piece * j->piece_bytes;
    r.a = r.lines + up(vl * line_length(j) * j->item, ALIGN);
    r.b = r.a + work;
    r.c = r.b + work;
    r.spectrum = r.c + work;
    if (bytes) *bytes = r.spectrum - r.lines + up(j->grid.column_blocks * vl * half_rows(j) * j->item, ALIGN);
    return r;
}

/* Elements of one line that lie on the grid: index range. */
static void visible(const Placed *p, int d, int64_t n, int64_t *from, int64_t *to) {
    *from = p->first[d] >= 0 ? 0 : (-p->first[d] + p->apart[d] - 1) / p->apart[d];
    *to = n <= p->first[d] ? 0 : min64(p->len[d], (n - p->first[d] + p->apart[d] - 1) / p->apart[d]);
}

#define LINES(T) \
    static void read_##T(const Placed *p, const char *row, int64_t from, int64_t to, char *line) { \
        const T *x = (const T *)row; \
        T *y = (T *)line + p->first[1]; \
        if (p->st[1] == 1 && p->apart[1] == 1) memcpy(y + from, x + from, (size_t)(to - from) * sizeof(T)); \
        else \
            for (int64_t i = from; i < to; i++) y[i * p->apart[1]] = x[i * p->st[1]]; \
    } \
    static bool write_##T(const Placed *p, char *row, int64_t from, int64_t to, const char *line, double scale) { \
        T *x = (T *)row, check = 0, by = (T)scale; \
        const T *y = (const T *)line + p->first[1]; \
        for (int64_t i = from; i < to; i++) { \
            T v = y[i * p->apart[1]] * by; \
            check += v * 0; \
            x[i * p->st[1]] = v; \
        } \
        return check == 0; \
    }
LINES(float)
LINES(double)

/* Does a block of vl rows hold any of the operand's? */
static bool touches(const Placed *p, int64_t block, int64_t vl, int64_t from, int64_t to) {
    int64_t first = p->first[0] + from * p->apart[0], last = p->first[0] + (to - 1) * p->apart[0];
    return to > from && block * vl <= last && (block + 1) * vl > first;
}

/* Element of the operand in row y of the grid, or -1. */
static int64_t element(const Placed *p, int64_t y, int64_t from, int64_t to) {
    int64_t at = y - p->first[0];
    if (at < 0 || at % p->apart[0]) return -1;
    at /= p->apart[0];
    return at >= from && at < to ? at : -1;
}

/* vl rows of the plane, transposed, transformed: block `rb` of every column of the half spectrum. */
static void rows_forth(const Job *j, const Rooms *m, const char *plane, int64_t rb) {
    const Placed *p = j->operand;
    int64_t vl = j->k->vl, len = line_length(j), from[2], to[2];
    for (int d = 0; d < 2; d++) visible(p, d, d ? j->grid.columns : j->grid.rows, &from[d], &to[d]);
    memset(m->lines, 0, (size_t)(vl * len * j->item));
    for (int64_t i = 0; i < vl; i++) {
        int64_t e = element(p, rb * vl + i, from[0], to[0]);
        if (e < 0) continue;
        const char *row = plane + e * p->st[0] * j->item;
        if (j->item == 4) read_float(p, row, from[1], to[1], m->lines + i * len * j->item);
        else read_double(p, row, from[1], to[1], m->lines + i * len * j->item);
    }
    for (int64_t x = 0; x < len; x += vl) j->k->transpose(m->lines + x * j->item, len, m->a + x * vl * j->item, vl);
    j->k->transform(&j->across, m->a, m->b, m->c, false);
    j->k->split(m->b, j->roots, j->grid.half, m->spectrum + rb * 2 * vl * j->item, half_rows(j));
}

static bool rows_back(const Job *j, const Rooms *m, char *plane, int64_t rb) {
    const Placed *p = j->operand;
    int64_t vl = j->k->vl, len = line_length(j), from[2], to[2];
    double scale = 1 / ((double)j->grid.rows * (double)j->grid.columns);
    bool finite = true;
    for (int d = 0; d < 2; d++) visible(p, d, d ? j->grid.columns : j->grid.rows, &from[d], &to[d]);
    j->k->join(m->spectrum + rb * 2 * vl * j->item, half_rows(j), j->roots, j->grid.half, m->a);
    j->k->transform(&j->across, m->a, m->b, m->c, true);
    for (int64_t x = 0; x < len; x += vl) j->k->transpose(m->b + x * vl * j->item, vl, m->lines + x * j->item, len);
    for (int64_t i = 0; i < vl; i++) {
        int64_t e = element(p, rb * vl + i, from[0], to[0]);
        if (e < 0) continue;
        char *row = plane + e * p->st[0] * j->item, *line = m->lines + i * len * j->item;
        bool fine = j->item == 4 ? write_float(p, row, from[1], to[1], line, scale)
                                 : write_double(p, row, from[1], to[1], line, scale);
        finite = finite && fine;
    }
    return finite;
}

/* Tiles of vl columns x vl rows between the half spectrum and a column-wise buffer, for rows that matter. */
static void columns_forth(const Job *j, const Rooms *m, int64_t cb, bool *some, char *to) {
    int64_t vl = j->k->vl, tile = 2 * vl * vl * j->item, part = vl * j->item;
    for (int64_t rb = 0; rb < j->grid.row_blocks; rb++) {
        const char *from = m->spectrum + (cb * vl * half_rows(j) + rb * 2 * vl) * j->item;
        if (!some[rb]) {
            memset(m->a + rb * tile, 0, (size_t)tile);
            continue;
        }
        j->k->transpose(from, half_rows(j), m->a + rb * tile, 2 * vl);
        j->k->transpose(from + part, half_rows(j), m->a + rb * tile + part, 2 * vl);
    }
    j->k->transform(&j->down, m->a, to, m->b, false);
}

static void columns_back(const Job *j, const Rooms *m, int64_t cb, const bool *some, const char *from) {
    int64_t vl = j->k->vl, tile = 2 * vl * vl * j->item, part = vl * j->item;
    j->k->transform(&j->down, from, m->a, m->b, true);
    for (int64_t rb = 0; rb < j->grid.row_blocks; rb++) {
        char *to = m->spectrum + (cb * vl * half_rows(j) + rb * 2 * vl) * j->item;
        if (!some[rb]) continue;
        j->k->transpose(m->a + rb * tile, 2 * vl, to, half_rows(j));
        j->k->transpose(m->a + rb * tile + part, 2 * vl, to + part, half_rows(j));
    }
}

/* ---- many planes ------------------------------------------------------------------------------------------------- */
enum { MOST_ROW_BLOCKS = 4096 };

static void which_rows(const Job *j, bool *some) {
    int64_t from, to;
    visible(j->operand, 0, j->grid.rows, &from, &to);
    for (int64_t rb = 0; rb < j->grid.row_blocks; rb++) some[rb] = touches(j->operand, rb, j->k->vl, from, to);
}

static char *plane_at(const Job *j, int64_t i) {
    const Placed *p = j->operand;
    int64_t x = j->from[0] + i / j->count[1], y = j->from[1] + i % j->count[1];
    return p->at + (x * p->outer[0] + y * p->outer[1]) * j->item;
}

static char *spectrum_at(const Job *j, int64_t i, int64_t cb) {
    return j->spectra + (cb * j->count[0] * j->count[1] + i) * j->grid.plane * j->item;
}

static void forth(int piece, void *user) {
    Job *j = user;
    Rooms m = rooms(j, piece, NULL);
    bool some[MOST_ROW_BLOCKS];
    which_rows(j, some);
    for (int64_t i = piece; i < j->count[0] * j->count[1] && !host_leaves(j->r->h); i += PIECES) {
        for (int64_t rb = 0; rb < j->grid.row_blocks; rb++)
            if (some[rb]) rows_forth(j, &m, plane_at(j, i), rb);
        for (int64_t cb = 0; cb < j->grid.column_blocks; cb++) columns_forth(j, &m, cb, some, spectrum_at(j, i, cb));
    }
}

static void back(int piece, void *user) {
    Job *j = user;
    Rooms m = rooms(j, piece, NULL);
    bool some[MOST_ROW_BLOCKS];
    which_rows(j, some);
    for (int64_t i = piece; i < j->count[0] * j->count[1] && !host_leaves(j->r->h); i += PIECES) {
        for (int64_t cb = 0; cb < j->grid.column_blocks; cb++) columns_back(j, &m, cb, some, spectrum_at(j, i, cb));
        for (int64_t rb = 0; rb < j->grid.row_blocks; rb++)
            if (some[rb] && !rows_back(j, &m, plane_at(j, i), rb)) j->finite[piece] = false;
    }
}

static void planes(Job *j, const Placed *p, const int64_t from[2], const int64_t count[2], char *spectra,
                   bool forwards) {
    ThContext *c = j->r->h->ctx;
    j->operand = p, j->spectra = spectra;
    memcpy(j->from, from, sizeof j->from);
    memcpy(j->count, count, sizeof j->count);
    parallel_for(c, (int)min64(PIECES, count[0] * count[1]), forwards ? forth : back, j);
}

static void sum_part(int part, void *user) {
    const Job *j = user;
    const FftSums *whole = &j->sums;
    for (int64_t cb = 0; cb < j->grid.column_blocks && !host_leaves(j->r->h); cb++) {
        int64_t rows = j->grid.rows, from = rows * part / SUMS_PIECES, to = rows * (part + 1) / SUMS_PIECES;
        int64_t at = from * 2 * j->k->vl, block = j->grid.plane * cb;
        FftSums s = *whole;
        s.u = (const char *)s.u + (block * s.a * s.k + at) * j->item;
        s.v = (const char *)s.v + (block * s.b * s.k + at) * j->item;
        s.out = (char *)s.out + (block * s.a * s.b + at) * j->item;
        s.n = to - from;
        if (s.n > 0) j->k->sums(&s);
    }
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */
/* out[a][b] = sum over k of u[a][k] v[b][k]: top (n, o, c), image (n, c, o), filter (c, o, n). */
typedef struct Blocks {
    int64_t all[3], at_once[3]; /* a, b, k */
} Blocks;

static int64_t blocks_bytes(const Blocks *x, const Grid *g) {
    const int64_t *n = x->at_once;
    return (n[0] * n[2] + n[1] * n[2] + n[0] * n[1]) * g->bytes;
}

static Blocks blocks_of(const ConvWork *w, const Grid *g) {
    const int64_t n = w->images, o = w->filters, c = w->channels;
    const int64_t all[3][3] = {{n, o, c}, {n, c, o}, {c, o, n}};
    Blocks x;
    memcpy(x.all, all[w->target], sizeof x.all);
    memcpy(x.at_once, x.all, sizeof x.all);
    int first = w->target == CONV_TO_FILTER ? 2 : 0; /* images can be taken a few at a time at no cost */
    while (blocks_bytes(&x, g) > SPECTRA_BYTES && x.at_once[first] > 1) x.at_once[first] = (x.at_once[first] + 1) / 2;
    while (blocks_bytes(&x, g) > SPECTRA_BYTES && x.at_once[1] > 4) x.at_once[1] = (x.at_once[1] + 1) / 2;
    return x;
}

/* Which leading dimension of an operand is which index: of (u, v, out), the index of its first and second one. */
static const int8_t index_of[3][3][2] = {{{0, 2}, {1, 2}, {0, 1}}, {{0, 2}, {2, 1}, {0, 1}}, {{2, 0}, {2, 1}, {1, 0}}};

typedef struct Operands {
    Placed x[3]; /* u, v, out */
    char *spectra[3];
} Operands;

static Operands operands_of(const ConvWork *w, int64_t group, int64_t item) {
    Placed image = placed(w, w->image, w->image_st, w->in, w->pad, NULL);
    Placed filter = placed(w, w->filter, w->filter_st, w->size, NULL, w->dilation);
    Placed top = placed(w, w->top, w->top_st, w->out, NULL, w->step);
    image.at += group * w->channels * w->image_st[1] * item;
    filter.at += group * w->filters * w->filter_st[0] * item;
    top.at += group * w->filters * w->top_st[1] * item;
    if (w->target == CONV_TO_TOP) return (Operands){{image, filter, top}, {0}};
    if (w->target == CONV_TO_IMAGE) return (Operands){{top, filter, image}, {0}};
    return (Operands){{image, top, filter}, {0}};
}

static void one_operand(Job *j, const Operands *x, int i, const int64_t *at, const int64_t *count, bool forwards) {
    const int8_t *index = index_of[j->r->w->target][i];
    int64_t from[2] = {at[index[0]], at[index[1]]}, n[2] = {count[index[0]], count[index[1]]};
    planes(j, &x->x[i], from, n, x->spectra[i], forwards);
}

/* Stride of index `which` in the spectra of operand i. */
static int64_t stride(const Job *j, int i, int which, const int64_t *count) {
    const int8_t *index = index_of[j->r->w->target][i];
    return index[1] == which ? j->grid.plane : count[index[1]] * j->grid.plane;
}

static void multiply(Job *j, const Operands *x, const int64_t *count, bool add) {
    j->sums = (FftSums){.u = x->spectra[0],
                        .v = x->spectra[1],
                        .out = x->spectra[2],
                        .ua = stride(j, 0, 0, count),
                        .uk = stride(j, 0, 2, count),
                        .vb = stride(j, 1, 1, count),
                        .vk = stride(j, 1, 2, count),
                        .oa = stride(j, 2, 0, count),
                        .ob = stride(j, 2, 1, count),
                        .a = count[0],
                        .b = count[1],
                        .k = count[2],
                        .conjugate = j->r->w->target != CONV_TO_IMAGE,
                        .add = add};
    parallel_for(j->r->h->ctx, SUMS_PIECES, sum_part, j);
}

static void run_blocks(Job *j, const Operands *x, const Blocks *b) {
    int64_t at[3], n[3];
    for (at[1] = 0; at[1] < b->all[1]; at[1] += b->at_once[1]) {
        n[1] = min64(b->at_once[1], b->all[1] - at[1]);
        for (at[0] = 0; at[0] < b->all[0]; at[0] += b->at_once[0]) {
            n[0] = min64(b->at_once[0], b->all[0] - at[0]);
            for (at[2] = 0; at[2] < b->all[2]; at[2] += b->at_once[2]) {
                n[2] = min64(b->at_once[2], b->all[2] - at[2]);
                if (at[0] == 0 || b->at_once[2] < b->all[2]) one_operand(j, x, 1, at, n, true);
                one_operand(j, x, 0, at, n, true);
                multiply(j, x, n, at[2] > 0);
            }
            one_operand(j, x, 2, at, n, false);
        }
    }
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */
static const FftKernels *kernels(const ConvRun *r) {
    int which = r->item == 8;
#if TH_WIDE
    if (r->kern == gemm_kernels_avx512[which]) return fft_kernels_avx512[which];
    if (r->kern == gemm_kernels_avx2[which]) return fft_kernels_avx2[which];
#endif
    return fft_kernels_sse2[which];
}

/* Shares out `room`, or counts its bytes with room NULL. */
static int64_t lay_out(Job *j, const Blocks *b, Operands *x, char *room) {
    static char base[1];
    char *start = room ? room : base;
    ConvRoom next = {start};
    int64_t planes_of[3] = {b->at_once[0] * b->at_once[2], b->at_once[1] * b->at_once[2],
                            b->at_once[0] * b->at_once[1]};
    for (int i = 0; i < 3; i++) x->spectra[i] = take(&next, planes_of[i] * j->grid.bytes);
    j->down.twiddles = take(&next, fft_twiddles(j->grid.rows) * 2 * j->item);
    j->across.twiddles = take(&next, fft_twiddles(j->grid.half) * 2 * j->item);
    j->roots = take(&next, (j->grid.half + 1) * 2 * j->item);
    j->piece = start;
    rooms(j, 0, &j->piece_bytes);
    j->piece = take(&next, PIECES * j->piece_bytes);
    return next.next - start;
}

bool conv_fft_applies(const ConvRun *r) {
    const ConvWork *w = r->w;
    if (w->ndim > 2) return false;
    const FftKernels *k = kernels(r);
    Grid g = grid_of(w, k->vl, r->item);
    Blocks b = blocks_of(w, &g);
    return g.row_blocks <= MOST_ROW_BLOCKS && blocks_bytes(&b, &g) <= MOST_BYTES;
}

bool conv_fft(ConvRun *r, int64_t group, int *status) {
    const ConvWork *w = r->w;
    if (!conv_fft_applies(r)) return false;
    Job j = {.r = r, .k = kernels(r), .item = r->item};
    j.grid = grid_of(w, j.k->vl, r->item);
    Blocks b = blocks_of(w, &j.grid);
    Operands x = operands_of(w, group, r->item);
    char *room = r->h->room(r->h, (uint64_t)lay_out(&j, &b, &x, NULL));
    if (!room) return *status = 1, true;
    lay_out(&j, &b, &x, room);
    fft_plan(&j.down, j.grid.rows, w->dtype, (void *)j.down.twiddles);
    fft_plan(&j.across, j.grid.half, w->dtype, (void *)j.across.twiddles);
    fft_roots(j.grid.columns, j.grid.half + 1, w->dtype, (void *)j.roots);
    memset(j.piece, 0, (size_t)(PIECES * j.piece_bytes));
    for (int i = 0; i < PIECES; i++) j.finite[i] = true;
    run_blocks(&j, &x, &b);
    *status = 0;
    for (int i = 0; i < PIECES; i++)
        if (!j.finite[i]) return false;
    return true;
}

double conv_fft_cost(const ConvRun *r) {
    const ConvWork *w = r->w;
    const FftKernels *k = kernels(r);
    Grid g = grid_of(w, k->vl, r->item);
    Blocks b = blocks_of(w, &g);
    double rounds = ceil((double)b.all[1] / (double)b.at_once[1]);
    double us = (double)b.all[0] * (double)b.all[2] * rounds, vs = (double)b.all[1] * (double)b.all[2];
    double outs = (double)b.all[0] * (double)b.all[1];
    double columns = (double)g.column_blocks * (fft_cost(g.rows) + 10.0 * (double)g.rows);
    double rows = (double)g.row_blocks * (fft_cost(g.half) + 22.0 * (double)g.columns);
    double products = 2.5 * us / rounds * (double)b.all[1] * (double)(g.column_blocks * g.rows);
    return (double)w->groups * ((us + vs + outs) * (columns + rows) + products);
}
