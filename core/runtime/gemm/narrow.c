/*
 * narrow.c -- products whose few columns would leave lanes empty (10 columns in two vectors of 8).
 *
 * In: GemmArgs with n below two vectors, two sevenths of them empty or more. Out: c. Lanes lie elsewhere: along k
 * where k is long and rows of a lie along k; else along rows, in tiles that are turned when they are stored.
 * Always holds: the order of every sum is a function of sizes and instruction set (gemm.h), so all layouts have equal
 * bits; work is cut into chunks of rows by sizes alone.
 */
#include "gemm.h"

#include "runtime/machine/parallel.h"

#include <string.h>

enum {
    ALONG_K = 128,          /* from this many steps on sums on lanes pay for being folded.. */
    ALONG_M = 16,           /* ..and this many rows for turning b */
    BY_ROWS_K = 20,         /* steps from which tiles on rows pay for being turned */
    CHUNK = 192,            /* rows: whole vectors of any kind, four times.. */
    FEW = 96,               /* ..those whose unfinished sums are kept, whole tiles */
    PIECES = 8,             /* of chunks that run at once */
    NEAR_BYTES = 40 * 1024, /* what a tile and b take for one block of k: about the first-level cache */
    MAX_LANES = 16,
    ALIGN = 64
};

typedef struct Narrow {
    const GemmKernels *kern;
    GemmArgs g;
    int64_t item, lanes; /* of a sum: vl, or 1 */
    int64_t kb;          /* steps of a block of k */
    const char *bt;      /* b's columns, each contiguous along k, `bts` apart; NULL: b as it lies */
    int64_t bts;
    char *near_b; /* not NULL: one block of k of them at a time is turned there */
    char *room;   /* for each piece */
    int64_t room_bytes;
    int pieces;
    bool own_room;
} Narrow;

static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }
static int64_t row_bytes(const GemmArgs *g, int64_t item) { return up(g->k * item, ALIGN); }

static bool narrow(const GemmArgs *g, int64_t vl) {
    return g->n > 1 && g->m > 1 && g->n < 2 * vl && 7 * g->n <= 5 * up(g->n, vl) && !g->av && !g->bv && !g->cv;
}

static bool along_k(const GemmArgs *g) { return g->k >= ALONG_K && g->m >= ALONG_M && g->k >= g->m; }

/* With lanes along rows: a's columns are contiguous, and whole vectors of rows are there to be read. */
static bool by_rows(const GemmArgs *g, int64_t vl) {
    return g->ars == 1 && g->acs != 1 && g->m >= 2 * vl && g->k >= BY_ROWS_K;
}

/* Workspace of a piece: rows of a turned and sums not folded yet, or parts of sums. */
static int64_t piece_bytes(const GemmArgs *g, int64_t vl, int64_t item) {
    int64_t rows = GEMM_MR * row_bytes(g, item) + FEW * g->n * vl * item;
    int64_t parts = vl * GEMM_MR * GEMM_MAX_NR_BYTES;
    return rows > parts ? rows : parts;
}

size_t gemm_narrow_scratch(const GemmArgs *g, int64_t vl, int64_t item) {
    if (!narrow(g, vl)) return 0;
    int64_t pieces = g->alone ? 1 : min64((g->m + CHUNK - 1) / CHUNK, PIECES);
    return (size_t)(g->n * row_bytes(g, item) + pieces * piece_bytes(g, vl, item));
}

static const char *at(const Narrow *w, const void *p, int64_t elements) { return (const char *)p + elements * w->item; }
static char *point(const Narrow *w, int64_t row, int64_t col) {
    return (char *)w->g.c + (row * w->g.crs + col * w->g.ccs) * w->item;
}

/* d[j][i] = s[i * rs + j * cs] for n x m, rows of d contiguous, m small */
static void turn(const Narrow *w, char *d, int64_t ds, const char *s, int64_t rs, int64_t cs, int64_t n, int64_t m) {
    if (cs == 1) {
        w->kern->turn_narrow(d, ds, s, rs, n, m);
        return;
    }
    for (int64_t j = 0; j < m; j++)
        for (int64_t i = 0; i < n; i++)
            memcpy(d + (j * ds + i) * w->item, s + (i * rs + j * cs) * w->item, (size_t)w->item);
}

/* ---- lanes along k ----------------------------------------------------------------------------------------------- */
/* Up to 6 rows for one block of k. state: the lanes of their sums so far. */
static void tile_rows(const Narrow *w, int64_t row, int64_t rows, int64_t k0, int64_t k, char *state, char *room) {
    const GemmArgs *g = &w->g;
    int64_t kept = row_bytes(g, w->item) / w->item;
    GemmPairs t = {.k = k, .ars = g->ars, .brs = w->bts, .crs = g->crs, .ccs = g->ccs, .alpha = g->alpha};
    t.beta = g->beta, t.resume = k0 > 0, t.suspend = k0 + k < g->k;
    t.a = at(w, g->a, row * g->ars + k0 * g->acs);
    if (g->acs != 1) {
        turn(w, room, kept, t.a, g->acs, g->ars, k, rows);
        t.a = room, t.ars = kept;
    }
    for (int64_t j = 0, cols; j < g->n; j += cols) {
        cols = min64(w->kern->nv, g->n - j);
        t.b = w->near_b ? at(w, w->near_b, j * w->bts) : at(w, w->bt, j * w->bts + k0);
        t.c = point(w, row, j), t.state = state;
        w->kern->pairs[rows - 1][cols - 1](&t);
        state += rows * cols * w->kern->vl * w->item;
    }
}

static void rows_along_k(const Narrow *w, int64_t row, int64_t rows, char *room) {
    const GemmArgs *g = &w->g;
    char *state = room + GEMM_MR * row_bytes(g, w->item);
    for (int64_t k0 = 0, k; k0 < w->g.k; k0 += k) {
        k = min64(w->kb, g->k - k0);
        if (w->near_b) turn(w, w->near_b, w->bts, at(w, g->b, k0 * g->brs), g->brs, g->bcs, k, g->n);
        for (int64_t i = 0; i < rows; i += GEMM_MR)
            tile_rows(w, row + i, min64(GEMM_MR, rows - i), k0, k, state + i * w->g.n * w->kern->vl * w->item, room);
    }
}

/* ---- lanes along rows -------------------------------------------------------------------------------------------- */
/* Columns j .. j + n for `vectors` vectors of rows from row: sums[n][vectors], each of them as so many parts as lanes.
 */
static void sum_rows(const Narrow *w, int64_t row, int vectors, int64_t j, int64_t n, char *sums, char *room) {
    static const double zero[GEMM_MR * GEMM_MAX_NR_BYTES / sizeof(double)];
    const GemmArgs *g = &w->g;
    int64_t vl = w->kern->vl, size = n * vectors * vl, left = g->k % w->lanes;
    GemmTile t = {.ars = g->bcs, .acs = g->brs * w->lanes, .brs = g->acs * w->lanes, .crs = vectors * vl, .alpha = 1};
    GemmTileFn tile = vectors == w->kern->nv ? w->kern->ahead[n - 1] : w->kern->tile[n - 1][vectors - 1];
    char *part[MAX_LANES] = {sums};
    t.tail = t.edge = vl;
    for (int64_t l = 0; l < w->lanes; l++) {
        if (l) part[l] = room + (l - 1) * size * w->item;
        t.k = (g->k - l + w->lanes - 1) / w->lanes;
        t.a = at(w, g->b, l * g->brs + j * g->bcs), t.b = at(w, g->a, row * g->ars + l * g->acs), t.c = part[l];
        tile(&t);
        /* along k a product of zeros is added to the lanes past the end: turns -0 into 0 there and here */
        if (left && l >= left) w->kern->add_rows(part[l], 0, zero, 0, 1, size);
    }
    for (int64_t h = w->lanes / 2; h > 0; h /= 2)
        for (int64_t l = 0; l < h; l++) w->kern->add_rows(part[l], 0, part[l + h], 0, 1, size);
}

/* Rows i .. i + r, in `vectors` vectors that begin `back` rows before. */
static void turned_rows(const Narrow *w, int64_t i, int64_t r, int vectors, int64_t back, char *room) {
    _Alignas(64) char sums[2 * MAX_LANES * GEMM_MAX_NR_BYTES];
    const GemmArgs *g = &w->g;
    int64_t width = vectors * w->kern->vl, groups = (g->n + GEMM_MR - 1) / GEMM_MR;
    for (int64_t q = 0; q < groups; q++) {
        int64_t j = g->n * q / groups, n = g->n * (q + 1) / groups - j;
        sum_rows(w, i - back, vectors, j, n, sums + j * width * w->item, room);
    }
    const char *from = sums + back * w->item;
    char *c = point(w, i, 0);
    if (g->ccs == 1) w->kern->put_turned(from, width, r, g->n, c, g->crs, g->alpha, g->beta);
    else w->kern->scatter(from, width, g->n, r, c, g->ccs, g->crs, g->alpha, g->beta);
}

static void rows_by_rows(const Narrow *w, int64_t row, int64_t rows, char *room) {
    int64_t vl = w->kern->vl;
    for (int64_t i = 0, r; i < rows; i += r) {
        int vectors = (int)min64(min64(w->kern->nv, (rows - i + vl - 1) / vl), w->g.m / vl);
        int64_t over = row + i + vectors * vl - w->g.m, back = over > 0 ? over : 0; /* the last ones end with a */
        r = min64(vectors * vl - back, rows - i);
        turned_rows(w, row + i, r, vectors, back, room);
    }
}

/* ---- pieces ------------------------------------------------------------------------------------------------------ */
static void piece(int number, void *user) {
    const Narrow *w = user;
    const GemmArgs *g = &w->g;
    char *room = w->room + (w->own_room ? number * w->room_bytes : 0);
    int64_t most = by_rows(g, w->kern->vl) ? CHUNK : FEW, chunks = (g->m + CHUNK - 1) / CHUNK;
    int64_t end = min64(chunks * (number + 1) / w->pieces * CHUNK, g->m);
    for (int64_t row = chunks * number / w->pieces * CHUNK, rows; row < end; row += rows) {
        rows = min64(most, end - row);
        if (most == CHUNK) rows_by_rows(w, row, rows, room);
        else rows_along_k(w, row, rows, room);
        if (g->done) g->done(g->user, row, row + rows, 0, g->n);
    }
}

bool gemm_narrow(ThContext *c, const GemmKernels *kern, const GemmArgs *g, char *scratch) {
    int64_t vl = kern->vl, item = kern->item, chunks = (g->m + CHUNK - 1) / CHUNK;
    if (!narrow(g, vl) || !(along_k(g) || by_rows(g, vl))) return false;
    Narrow w = {.kern = kern, .g = *g, .item = item, .lanes = along_k(g) ? vl : 1, .bts = row_bytes(g, item) / item};
    w.room = scratch + g->n * row_bytes(g, item), w.room_bytes = piece_bytes(g, vl, item);
    if (g->packed) w.g.b = g->packed, w.g.brs = up(g->n, vl), w.g.bcs = 1; /* one panel */
    if (!by_rows(g, vl)) {
        int64_t blocks = up(g->k * (GEMM_MR + g->n) * item, NEAR_BYTES) / NEAR_BYTES;
        w.kb = up((g->k + blocks - 1) / blocks, vl);
        if (w.g.brs == 1) w.bt = w.g.b, w.bts = w.g.bcs;
        else if (g->m <= FEW) w.near_b = scratch, w.bts = w.kb;
        else turn(&w, scratch, w.bts, w.g.b, w.g.brs, w.g.bcs, g->k, g->n), w.bt = scratch;
    }
    w.pieces = (int)min64(chunks, PIECES);
    w.own_room = w.pieces > 1 && !g->alone && gemm_shares(c, 2.0 * (double)g->m * (double)g->n * (double)g->k);
    if (w.own_room) {
        parallel_for(c, w.pieces, piece, &w);
        return true;
    }
    for (int i = 0; i < w.pieces; i++) piece(i, &w);
    return true;
}
