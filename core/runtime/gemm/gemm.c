/*
 * gemm.c -- cutting a product into register tiles.
 *
 * In: GemmArgs. Out: c. Three ways through, chosen by sizes and layout, all with the same bits (gemm.h says which):
 *   vectors   m or n is 1: the matrix-vector kernels
 *   panels    a is small enough for the second-level cache: for each panel of b (as wide as a tile), pack it, often
 *             while the first tile reads it, and run down the rows; so too, one after the other, some parts of a
 *   blocks    b is packed whole for one block of k, then chunks of rows of a pass over its panels
 * Always holds: how work is cut for threads is a function of the sizes; no memory is allocated.
 */
#include "gemm.h"

#include "kernel/costs.h"
#include "runtime/machine/cpu.h"
#include "runtime/machine/parallel.h"

#include <string.h>

enum {
    MR = GEMM_MR,
    CHUNKS = 8,                /* pieces that run at once: each has its own workspace */
    A_BYTES = 528 * 1024,      /* packed rows of a (128 of 1,024): stay in the second-level cache beside a panel of b */
    B_BYTES = 4 * 1024 * 1024, /* packed block of b: third-level cache */
    L1_BYTES = 32 * 1024,      /* a panel of b that stays in the first-level cache */
    NEAR_BYTES = 512,          /* rows of b so close together that packing gains nothing */
    NEAR_K = 32,
    INPLACE_K = 96,
    K_WHOLE = 1024,
    K_BLOCK = 768,
    SMALL_M = 8 * GEMM_MR,
    ALIGN = 64,
    PART_ROWS = 8 * GEMM_MR, /* of a at least, where threads share the rows of a panel: each packs it for itself */
    PACK_BYTES = 64 * 1024,  /* rows of a that threads pack together: a fifth of what they cost is a job's price */
    ROWS = 16,               /* outer products are cut at multiples: so few columns are whole vectors */
    DONE_BYTES = 8 * 1024    /* of c between two calls of `done` */
};
static const double PARALLEL_FLOPS = 4e6; /* about 50 us on one core: far above what starting a team costs */

/* One product on one instruction set, oriented so that c has unit column stride where it has one at all. */
typedef struct Job {
    ThContext *ctx;
    const GemmKernels *kern;
    GemmArgs g;
    int64_t item, nr;    /* bytes of an element; columns of a panel */
    int64_t kb, kstep;   /* this block of k: length; first index */
    double beta;         /* of this block */
    bool pack_a, turned; /* turned: the caller's rows are our columns */
    int64_t mc, nc;      /* rows of a chunk of a; columns of a block of b */
    int64_t panel_bytes, chunk_bytes;
    char *a_space, *b_space;
    int64_t row0, col0, cols; /* origin of the chunks in flight; of panels the first row */
    bool panels;
    int parts; /* of the rows of a panel, where threads share it */
    int pieces;
    bool shared_space; /* pieces run one after another */
    bool down; /* from the last columns to the first: a weight that is updated was read from its first to its last */
} Job;

int64_t gemm_block_k(int64_t k) {
    if (k <= K_WHOLE) return k;
    int64_t blocks = (k + K_BLOCK - 1) / K_BLOCK;
    return (k + blocks - 1) / blocks;
}

static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

static void swap_sides(GemmArgs *g) {
    GemmArgs o = *g;
    g->m = o.n, g->n = o.m;
    g->a = o.b, g->ars = o.bcs, g->acs = o.brs;
    g->b = o.a, g->brs = o.acs, g->bcs = o.ars;
    g->crs = o.ccs, g->ccs = o.crs;
}

/* ---- sizes of the workspace -------------------------------------------------------------------------------------- */
static int64_t chunk_rows(int64_t item, int64_t m, int64_t kb) {
    int64_t rows = A_BYTES / (item * (kb > 0 ? kb : 1)) / MR * MR;
    if (rows < 8 * MR) rows = 8 * MR;
    return min64(rows, up(m, MR));
}

static int64_t block_columns(int64_t item, int64_t nr, int64_t n, int64_t kb) {
    int64_t cols = B_BYTES / (item * (kb > 0 ? kb : 1)) / nr * nr;
    if (cols < 4 * nr) cols = 4 * nr;
    return min64(cols, up(n, nr));
}

static bool by_panels(int64_t item, const GemmArgs *g, int64_t kb) {
    bool straight = !g->av && !g->bv && !g->cv && g->bcs == 1 && g->ccs == 1;
    return g->m <= (straight ? COST_PARTS_PACKED : 1) * chunk_rows(item, g->m, kb);
}

/* Rows of a read in place: along k they are whole cache lines, or there is one panel only. */
static bool packs_a(const GemmArgs *g, int64_t nr) {
    return g->av || (g->acs != 1 && g->n > nr && (g->ars != 1 || g->k > INPLACE_K));
}

/* Pieces that run at once, each with a workspace of its own. */
static int64_t at_once(const Job *j, int64_t pieces) { return j->g.alone ? 1 : min64(pieces, CHUNKS); }

static size_t space(const Job *j) {
    int64_t n = up(j->g.n, j->nr), chunks = at_once(j, (j->g.m + j->mc - 1) / j->mc);
    if (j->panels) return (size_t)(j->chunk_bytes + at_once(j, n / j->nr) * j->parts * j->panel_bytes);
    return (size_t)(chunks * j->chunk_bytes + j->nc / j->nr * j->panel_bytes);
}

/* Fewer columns of b at once, then fewer rows of a, until the workspace is small enough or the least there is. */
static void plan_within(Job *j) {
    int64_t kb = gemm_block_k(j->g.k);
    while (j->g.room && space(j) > (size_t)j->g.room) {
        if (j->parts > 1) j->parts /= 2;
        else if (!j->panels && j->nc > j->nr) j->nc = up(j->nc / 2, j->nr);
        else if (j->pack_a && j->mc > 2 * MR) j->mc = up(j->mc / 2, MR);
        else return;
        j->chunk_bytes = j->pack_a ? up(j->mc * kb * j->item, ALIGN) : 0;
    }
}

/* At least four pieces of panels, and an even number of them, or as many as there can be. */
static int row_parts(const Job *j) {
    const int64_t panels = (j->g.n + j->nr - 1) / j->nr;
    int parts = panels == 1 ? 4 : panels == 2 || (panels < CHUNKS && panels % 2) ? 2 : 1;
    while (parts > 1 && min64(j->mc, j->g.m) < parts * PART_ROWS) parts /= 2;
    return parts;
}

static void plan(Job *j) {
    const GemmArgs *g = &j->g;
    int64_t kb = gemm_block_k(g->k);
    j->mc = chunk_rows(j->item, g->m, kb);
    int64_t parts = (g->m + j->mc - 1) / j->mc;
    j->panels = by_panels(j->item, g, kb);
    if (j->panels) j->mc = up((g->m + parts - 1) / parts, MR);
    j->nc = j->panels ? j->nr : block_columns(j->item, j->nr, g->n, kb);
    j->pack_a = packs_a(g, j->nr);
    j->panel_bytes = up(kb * j->nr * j->item, ALIGN);
    j->chunk_bytes = j->pack_a ? up(j->mc * kb * j->item, ALIGN) : 0;
    j->parts = j->panels && !g->alone ? row_parts(j) : 1;
    plan_within(j);
}

static bool general(const GemmArgs *g) { return g->av || g->bv || g->cv; }

/* c rows contiguous: as given; else columns contiguous: the transposed product, which has the same bits. That too where
 * up to a vector of rows of float64 meet columns of b that lie along k: b is then read once, as it lies (in float32 as
 * many rows cost more than packing does). */
static bool orient(GemmArgs *g, int64_t vl) {
    if (general(g) || g->packed) return false;
    bool few = g->dtype == TH_FLOAT64 && g->m <= vl && g->brs == 1 && g->bcs != 1 && g->n > MR && g->k > NEAR_K;
    if (!few && (g->ccs == 1 || g->crs != 1)) return false;
    swap_sides(g);
    return true;
}

/* Lanes of sums down the columns (dot_columns), or the vector side by side. */
static size_t vector_space(const GemmArgs *g, int64_t item) {
    int64_t lanes = min64(((g->m > g->n ? g->m : g->n) + 2 * ALIGN / item) * ALIGN, GEMV_BLOCK_BYTES);
    return (size_t)(lanes > g->k * item ? lanes : g->k * item);
}

size_t gemm_scratch_bytes(const GemmArgs *g) {
    if (g->m <= 0 || g->n <= 0 || g->k <= 0) return 0;
    if (!dtype_is_float(g->dtype)) return gemm_plain_scratch(g);
    int64_t item = (int64_t)th_dtype_bytes(g->dtype);
    if ((g->m == 1 || g->n == 1) && !general(g)) return vector_space(g, item);
    size_t most = 0;
    for (int64_t bytes = 32; bytes <= GEMM_MAX_NR_BYTES; bytes *= 2) { /* whatever the instruction set */
        Job j = {.g = *g, .item = item, .nr = bytes / item};
        orient(&j.g, bytes / item / (bytes == GEMM_MAX_NR_BYTES ? 4 : 2));
        plan(&j);
        size_t need = space(&j),
               narrow = gemm_narrow_scratch(g, bytes / item / (bytes == GEMM_MAX_NR_BYTES ? 4 : 2), item);
        if (narrow > need) need = narrow;
        if (need > most) most = need;
    }
    return most + ALIGN;
}

/* ---- tiles ------------------------------------------------------------------------------------------------------- */
static const char *at(const Job *j, const void *p, int64_t elements) { return (const char *)p + elements * j->item; }

/* One tile whose columns in c are not neighbours: computed aside, then spread. */
static void spread_tile(const Job *j, GemmTile *t, int rows, int vectors, int64_t col, int64_t cols, char *c) {
    _Alignas(64) char aside[GEMM_MR * GEMM_MAX_NR_BYTES];
    int64_t width = (int64_t)vectors * j->kern->vl;
    t->c = aside, t->crs = width, t->tail = j->kern->vl, t->alpha = 1, t->beta = 0;
    j->kern->tile[rows - 1][vectors - 1](t);
    t->alpha = j->g.alpha, t->beta = j->beta;
    if (!j->g.cv) {
        j->kern->scatter(aside, width, rows, cols, c, j->g.crs, j->g.ccs, j->g.alpha, j->beta);
        return;
    }
    GemmOperand o = {.col = *j->g.cv, .row = {1, {1}, {0}}};
    GemmPanel p;
    gemm_open_panel(&p, &o, 0, 1, col, cols, width);
    for (int r = 0; r < p.nrun; r++)
        j->kern->scatter(aside + p.run[r].to * j->item, width, rows, p.run[r].n, c + p.run[r].at * j->item, j->g.crs,
                         o.col.st[o.col.nd - 1], j->g.alpha, j->beta);
}

/* Are the panel's columns neighbours in c? Then *at is where the first one stands. */
static bool in_a_row(const Job *j, int64_t col, int64_t cols, int64_t *at) {
    const GemmAxis *x = j->g.cv;
    *at = x ? 0 : col * j->g.ccs;
    if (!x) return j->g.ccs == 1 || cols == 1;
    int last = x->nd - 1;
    int64_t i = last > 0 ? col % x->len[last] : col;
    int64_t left = last > 0 ? col / x->len[last] : 0;
    if (cols > 1 && (x->st[last] != 1 || (last > 0 && i + cols > x->len[last]))) return false;
    *at = i * x->st[last];
    for (int d = last - 1; d >= 0; d--) {
        *at += (d ? left % x->len[d] : left) * x->st[d];
        left /= x->len[d];
    }
    return true;
}

static void tell(const Job *j, int64_t row, int64_t row_end, int64_t col, int64_t col_end) {
    if (j->turned) j->g.done(j->g.user, col, col_end, row, row_end);
    else j->g.done(j->g.user, row, row_end, col, col_end);
}

/* Where a sweep takes a and b from. */
typedef struct Source {
    const char *a; /* packed rows of this chunk, or NULL: read in place */
    const char *b; /* this panel */
    int64_t brs;
    bool bare;         /* b is the caller's: nothing beyond its columns may be read */
    char *fill;        /* not NULL: b is copied here by the first tile and read from here after it */
    const char *next;  /* the panel after this one, to be had in cache by its turn; or NULL */
    int64_t next_step; /* bytes between its rows */
} Source;

/* What the quick kernel asks for ahead: the next panel in up to eight parts, then the next rows of c. */
static void look_ahead(const Job *j, const Source *s, GemmTile *t, int64_t tile, int64_t tiles) {
    int64_t parts = tiles > 12 ? 8 : tiles > 6 ? tiles - 2 : 4, part = min64(j->kb / 4, j->kb / parts + 1);
    int64_t done = tile * part;
    if (s->next && done < j->kb) {
        t->ahead = s->next + done * s->next_step, t->ahead_step = s->next_step, t->nahead = min64(part, j->kb - done);
    } else {
        t->ahead_step = j->g.crs * j->item, t->nahead = MR;
        t->ahead = (const char *)t->c + MR * t->ahead_step;
    }
}

/* How many of the rows `row` and the next lie above the panel at column `col`, where only what reaches the diagonal is
 * asked for. */
static int64_t rows_above(const Job *j, int64_t row, int64_t rows, int64_t col) {
    const int64_t above = j->g.lower ? col / MR * MR - row : 0;
    return above < 0 ? 0 : min64(above, rows);
}

/* Rows row .. row + rows of the panel that starts at column col and has cols columns. */
static void sweep(const Job *j, Source s, int64_t row, int64_t rows, int64_t col, int64_t cols) {
    const GemmKernels *kern = j->kern;
    int vectors = (int)((cols + kern->vl - 1) / kern->vl);
    GemmTile t = {.k = j->kb, .b = s.b, .brs = s.brs, .crs = j->g.crs, .alpha = j->g.alpha, .beta = j->beta};
    t.tail = cols - (int64_t)(vectors - 1) * kern->vl;
    t.edge = s.bare ? t.tail : kern->vl;
    int64_t told = 0, often = DONE_BYTES / (vectors * kern->vl * j->item), at_col;
    bool whole = in_a_row(j, col, cols, &at_col), last = j->g.done && j->kstep + j->kb >= j->g.k;
    GemmTileFn tall = whole ? kern->tall[vectors - 1] : NULL;
    GemmTileFn quick = whole && vectors == kern->nv && (s.a || j->g.acs == 1 || j->g.ars == 1)
                           ? kern->quick[s.a             ? 0
                                         : j->g.acs == 1 ? 1
                                                         : 2]
                           : NULL;
    for (int64_t i = 0, r; i < rows; i += r) {
        bool two = tall && rows - i >= 2 * MR && (i > 0 || !s.fill);
        r = two ? 2 * MR : min64(MR, rows - i);
        t.a = s.a ? s.a + i * j->kb * j->item : at(j, j->g.a, (row + i) * j->g.ars + j->kstep * j->g.acs);
        t.ars = s.a ? 1 : j->g.ars;
        t.acs = s.a ? min64(r, MR) : j->g.acs;
        t.half = s.a ? MR * j->kb : MR * j->g.ars;
        char *c = (char *)j->g.c + ((row + i) * j->g.crs + at_col) * j->item;
        t.c = c, t.crs = j->g.crs;
        if (!whole) {
            int64_t tail = t.tail;
            spread_tile(j, &t, (int)r, vectors, col, cols, c);
            t.tail = tail;
        } else if (two) {
            tall(&t);
        } else if (i == 0 && s.fill) {
            t.pack = s.fill;
            kern->fused[vectors - 1](&t);
            t.b = s.fill, t.brs = (int64_t)vectors * kern->vl, t.edge = kern->vl;
        } else if (quick && r == MR && t.brs == j->nr && t.edge == kern->vl) {
            look_ahead(j, &s, &t, i / MR - (s.fill != NULL), rows / MR);
            quick(&t);
        } else {
            kern->tile[r - 1][vectors - 1](&t);
        }
        if (last && (i + r == rows || i + r - told + MR > often)) {
            tell(j, row + told, row + i + r, col, col + cols);
            told = i + r;
        }
    }
}

/* Packs a panel of b for this block of k. */
static void fill_panel(const Job *j, char *room, int64_t col, int64_t cols) {
    const GemmArgs *g = &j->g;
    int64_t lanes = up(cols, j->kern->vl);
    if (g->bv) {
        GemmPanel p;
        gemm_open_panel(&p, g->bv, j->kstep, j->kb, col, cols, lanes);
        j->kern->gather(room, &p);
    } else {
        j->kern->pack_b(room, lanes, at(j, g->b, j->kstep * g->brs + col * g->bcs), g->brs, g->bcs, j->kb, cols);
    }
}

/* How the panel of b at column col is read by `rows` rows: in place, packed by the first tile, or packed here. */
static Source open_panel(const Job *j, int64_t col, int64_t cols, int64_t rows, char *room) {
    const GemmArgs *g = &j->g;
    int64_t lanes = up(cols, j->kern->vl);
    if (g->packed) return (Source){.b = at(j, g->packed, col * g->k + j->kstep * lanes), .brs = lanes};
    if (g->bv) {
        fill_panel(j, room, col, cols);
        return (Source){.b = room, .brs = lanes};
    }
    const char *b = at(j, g->b, j->kstep * g->brs + col * g->bcs);
    bool whole = (lanes == cols || j->kern->part) && g->bcs == 1;
    Source s = {.b = b, .brs = g->brs, .bare = true};
    int64_t in_place = j->kb * j->nr * j->item <= L1_BYTES ? 4 * MR : MR;
    if (whole && (rows <= in_place || j->kb == 1 || (g->brs > 0 && g->brs * j->item <= NEAR_BYTES))) return s;
    if (whole && rows > MR && g->ccs == 1) {
        s.fill = room;
        return s;
    }
    fill_panel(j, room, col, cols);
    return (Source){.b = room, .brs = lanes};
}

/* The transposed operand: columns of it are rows of a. */
static GemmOperand turned(const GemmOperand *o) {
    GemmOperand t = *o;
    t.row = o->col, t.col = o->row;
    for (int b = 0; b < o->nbound; b++) {
        memcpy(t.bound[b].row, o->bound[b].col, sizeof t.bound[b].row);
        memcpy(t.bound[b].col, o->bound[b].row, sizeof t.bound[b].col);
    }
    return t;
}

static void gather_rows(const Job *j, char *to, int64_t row, int64_t rows) {
    GemmOperand o = turned(j->g.av);
    GemmPanel p;
    for (int64_t i = 0; i < rows; i += MR) {
        int64_t r = min64(MR, rows - i);
        gemm_open_panel(&p, &o, j->kstep, j->kb, row + i, r, r);
        j->kern->gather(to + i * j->kb * j->item, &p);
    }
}

static void pack_rows(const Job *j, char *to, int64_t row, int64_t rows) {
    const GemmArgs *g = &j->g;
    if (g->av) {
        gather_rows(j, to, row, rows);
        return;
    }
    j->kern->pack_a(to, at(j, g->a, row * g->ars + j->kstep * g->acs), g->ars, g->acs, rows, j->kb);
}

static bool leaves(const Job *j) { return ctx_leaves(j->ctx, j->g.early); }

/* ---- panels ------------------------------------------------------------------------------------------------------ */
/* Where part i of the rows at hand begins. */
static int64_t part_row(const Job *j, int64_t i, int64_t parts) {
    const int64_t rows = min64(j->mc, j->g.m - j->row0);
    return min64(up(rows * i / parts, 2 * MR), rows);
}

static void pack_part(int piece, void *user) {
    const Job *j = user;
    const int64_t row = part_row(j, piece, CHUNKS), end = part_row(j, piece + 1, CHUNKS);
    if (end > row) pack_rows(j, j->a_space + row * j->kb * j->item, j->row0 + row, end - row);
}

static void panel_piece(int piece, void *user) {
    const Job *j = user;
    int64_t panels = (j->g.n + j->nr - 1) / j->nr, across = j->pieces / j->parts, i = piece / j->parts;
    int64_t row = part_row(j, piece % j->parts, j->parts), rows = part_row(j, piece % j->parts + 1, j->parts) - row;
    char *room = j->b_space + (j->shared_space ? 0 : piece * j->panel_bytes);
    int64_t first = panels * i / across, end = panels * (i + 1) / across, turn = j->down ? -1 : 1;
    for (int64_t left = end - first, p = j->down ? end - 1 : first; left > 0 && !leaves(j); left--, p += turn) {
        int64_t col = p * j->nr, cols = min64(j->nr, j->g.n - col), next = col + turn * j->nr;
        const int64_t above = rows_above(j, j->row0 + row, rows, col);
        if (above == rows) continue;
        Source s = open_panel(j, col, cols, rows - above, room);
        if (!j->g.packed && !j->g.bv && j->g.bcs == 1 && next >= 0 && next < j->g.n)
            s.next = at(j, j->g.b, j->kstep * j->g.brs + next), s.next_step = j->g.brs * j->item;
        if (j->g.packed && next >= 0 && next < j->g.n) {
            int64_t lanes = up(min64(j->nr, j->g.n - next), j->kern->vl);
            s.next = at(j, j->g.packed, next * j->g.k + j->kstep * lanes), s.next_step = lanes * j->item;
        }
        if (j->pack_a) s.a = j->a_space + (row + above) * j->kb * j->item;
        sweep(j, s, j->row0 + row + above, rows - above, col, cols);
    }
}

bool gemm_shares(ThContext *c, double flops) { return flops >= PARALLEL_FLOPS && parallel_threads(c) > 1; }

static bool shares(ThContext *c, const Job *j) {
    return !j->g.alone && gemm_shares(c, 2.0 * (double)j->g.m * (double)j->g.n * (double)j->kb);
}

static void run_pieces(ThContext *c, Job *j, int pieces, void (*fn)(int, void *)) {
    j->pieces = pieces;
    j->shared_space = true;
    if (pieces > 1 && shares(c, j)) {
        j->shared_space = false;
        parallel_for(c, pieces, fn, j);
        return;
    }
    for (int i = 0; i < pieces; i++) fn(j->down ? pieces - 1 - i : i, j);
}

static void run_panels(ThContext *c, Job *j) {
    int64_t panels = (j->g.n + j->nr - 1) / j->nr;
    const bool shared = shares(c, j);
    j->down = j->beta != 0;
    if (!shared) j->parts = 1;
    for (j->row0 = 0; j->row0 < j->g.m; j->row0 += j->mc) {
        const int64_t rows = min64(j->mc, j->g.m - j->row0);
        if (j->pack_a && shared && rows * j->kb * j->item >= PACK_BYTES) parallel_for(c, CHUNKS, pack_part, j);
        else if (j->pack_a) pack_rows(j, j->a_space, j->row0, rows);
        run_pieces(c, j, (int)min64(panels, CHUNKS) * j->parts, panel_piece);
    }
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */
static void pack_piece(int piece, void *user) {
    const Job *j = user;
    int64_t panels = (j->cols + j->nr - 1) / j->nr;
    for (int64_t p = panels * piece / j->pieces; p < panels * (piece + 1) / j->pieces; p++) {
        int64_t col = p * j->nr, cols = min64(j->nr, j->cols - col);
        fill_panel(j, j->b_space + p * j->panel_bytes, j->col0 + col, cols);
    }
}

/* The packed panel at column col of this block, and the length of its rows. */
static const char *block_panel(const Job *j, int64_t col, int64_t *lanes) {
    *lanes = up(min64(j->nr, j->cols - col), j->kern->vl);
    if (j->g.packed) return at(j, j->g.packed, (j->col0 + col) * j->g.k + j->kstep * *lanes);
    return j->b_space + col / j->nr * j->panel_bytes;
}

static void chunk_piece(int piece, void *user) {
    const Job *j = user;
    int64_t row = j->row0 + piece * j->mc, rows = min64(j->mc, j->g.m - row);
    Source s = {0};
    char *room = j->a_space + (j->shared_space ? 0 : piece * j->chunk_bytes);
    if (rows_above(j, row, rows, j->col0) == rows) return;
    if (j->pack_a) pack_rows(j, room, row, rows);
    for (int64_t col = 0; col < j->cols && !leaves(j); col += j->nr) {
        const int64_t cols = min64(j->nr, j->cols - col), above = rows_above(j, row, rows, j->col0 + col);
        if (above == rows) return;
        s.b = block_panel(j, col, &s.brs);
        if (j->pack_a) s.a = room + above * j->kb * j->item;
        s.next = NULL;
        if (col + j->nr < j->cols) s.next = block_panel(j, col + j->nr, &s.next_step), s.next_step *= j->item;
        sweep(j, s, row + above, rows - above, j->col0 + col, cols);
    }
}

static void run_blocks(ThContext *c, Job *j) {
    for (j->col0 = 0; j->col0 < j->g.n; j->col0 += j->nc) {
        j->cols = min64(j->nc, j->g.n - j->col0);
        int64_t panels = (j->cols + j->nr - 1) / j->nr;
        if (!j->g.packed) run_pieces(c, j, (int)min64(panels, CHUNKS), pack_piece);
        for (j->row0 = 0; j->row0 < j->g.m; j->row0 += CHUNKS * j->mc) {
            int64_t left = j->g.m - j->row0;
            run_pieces(c, j, (int)min64((left + j->mc - 1) / j->mc, CHUNKS), chunk_piece);
        }
    }
}

/* ---- k of 1 ------------------------------------------------------------------------------------------------------ */
/* From the last rows to the first: a product that has just read c (a weight) left its end in the cache, and the next
 * one will begin with its start. */
static int64_t rank1_start(const Job *j, int piece) { return min64(up(j->g.m * piece / j->pieces, ROWS), j->g.m); }

static void rank1_piece(int piece, void *user) {
    const Job *j = user;
    const GemmArgs *g = &j->g;
    int64_t first = rank1_start(j, piece), end = rank1_start(j, piece + 1);
    int64_t step = g->done || g->n > j->kern->few ? up(DONE_BYTES / (g->n * j->item) + 1, ROWS) : g->m;
    for (int64_t row; end > first; end = row) {
        row = end - first < step ? first : end - step;
        GemmTile t = {.a = at(j, g->a, row * g->ars),
                      .ars = g->ars,
                      .b = g->b,
                      .c = (char *)g->c + row * g->crs * j->item,
                      .crs = g->crs,
                      .alpha = g->alpha,
                      .beta = g->beta};
        j->kern->rank1(&t, end - row, g->n);
        if (g->done) tell(j, row, end, 0, g->n);
    }
}

/* An outer product goes row by row, as memory lies. Narrow ones with gaps between their rows are faster as tiles. */
static bool rank1(const GemmKernels *kern, const GemmArgs *g) {
    bool few = g->n <= kern->few && g->crs == g->n && g->ars == 1 && g->beta != 0;
    return g->k == 1 && g->ccs == 1 && g->bcs == 1 && !general(g) && !g->packed && (few || g->n >= 2 * kern->vl);
}

static void run_tiles(ThContext *c, const GemmKernels *kern, const GemmArgs *g, void *scratch) {
    Job j = {.ctx = c, .kern = kern, .g = *g, .item = kern->item, .nr = (int64_t)kern->nv * kern->vl};
    j.turned = orient(&j.g, kern->vl);
    if (rank1(kern, &j.g)) {
        j.kb = 1, j.down = true;
        run_pieces(c, &j, gemm_shares(c, 2.0 * (double)j.g.m * (double)j.g.n) ? (int)min64(j.g.m, CHUNKS) : 1,
                   rank1_piece);
        return;
    }
    /* one panel: what run_panels would do, without the plan */
    if (j.g.n <= j.nr && j.g.m <= SMALL_M && j.g.k <= K_WHOLE && !g->av) {
        j.kb = j.g.k, j.beta = j.g.beta;
        sweep(&j, open_panel(&j, 0, j.g.n, j.g.m, scratch), 0, j.g.m, 0, j.g.n);
        return;
    }
    plan(&j);
    int64_t chunks = j.panels ? 1 : at_once(&j, (j.g.m + j.mc - 1) / j.mc);
    j.a_space = scratch;
    j.b_space = j.a_space ? j.a_space + chunks * j.chunk_bytes : NULL;
    int64_t step = gemm_block_k(j.g.k);
    for (j.kstep = 0; j.kstep < j.g.k && !leaves(&j); j.kstep += step) {
        j.kb = min64(step, j.g.k - j.kstep);
        j.beta = j.kstep == 0 ? j.g.beta : 1;
        if (j.panels) run_panels(c, &j);
        else run_blocks(c, &j);
    }
}

/* ---- vectors, empty sums, the entry ------------------------------------------------------------------------------ */
static void run_vector(const GemmKernels *kern, GemmArgs g, char *scratch) {
    int64_t item = kern->item;
    if (g.m == 1) swap_sides(&g); /* now n is 1 */
    GemmVec v = {g.m, g.k, g.a, g.ars, g.acs, g.b, g.brs, g.c, g.crs, g.alpha, g.beta, scratch};
    if (v.acs == 1 && v.xs != 1) { /* the row kernels want x contiguous */
        for (int64_t k = 0; k < v.k; k++) memcpy(scratch + k * item, (const char *)v.x + k * v.xs * item, (size_t)item);
        v.x = scratch, v.xs = 1;
    }
    kern->gemv(&v);
}

/* One row times packed panels: the sums of run_vector. */
static void run_packed_row(const GemmKernels *kern, const GemmArgs *g, char *scratch) {
    int64_t item = kern->item, nr = (int64_t)kern->nv * kern->vl;
    for (int64_t col = 0; col < g->n; col += nr) {
        int64_t cols = min64(nr, g->n - col), lanes = up(cols, kern->vl);
        char *y = (char *)g->c + col * g->ccs * item;
        GemmVec v = {
            cols,    g->k,   (const char *)g->packed + col * g->k * item, 1, lanes, g->a, g->acs, y, g->ccs, g->alpha,
            g->beta, scratch};
        if (cols > 1) {
            kern->gemv(&v);
            continue;
        }
        double two[2]; /* a lone column would be summed as a single dot product: run it beside one of zeros */
        v.m = 2, v.y = two, v.ys = 1, v.alpha = 1, v.beta = 0;
        kern->gemv(&v);
        kern->scatter(two, 0, 1, 1, y, 0, 0, g->alpha, g->beta);
    }
}

static void run_packed_vector(const GemmKernels *kern, const GemmArgs *g, char *scratch) {
    if (g->n > 1) {
        run_packed_row(kern, g, scratch);
        return;
    }
    GemmArgs one = *g;
    one.b = g->packed, one.brs = kern->vl, one.bcs = 1;
    run_vector(kern, one, scratch);
}

/* c = beta * c */
static void scale(const GemmKernels *kern, const GemmArgs *g) {
    static const double zero[1] = {0};
    for (int64_t j = 0; j < g->n; j++) {
        Job job = {.g = *g};
        int64_t at_col;
        in_a_row(&job, j, 1, &at_col);
        for (int64_t i = 0; i < g->m; i++)
            kern->scatter(zero, 0, 1, 1, (char *)g->c + (i * g->crs + at_col) * kern->item, 0, 0, 1, g->beta);
    }
}

int gemm_run(ThContext *c, const GemmArgs *g, void *scratch) {
    if (g->dtype >= TH_DTYPE_COUNT) {
        err(c, TH_TypeError, "gemm: dtype number %d is not a dtype", (int)g->dtype);
        return 1;
    }
    if (g->m <= 0 || g->n <= 0) return 0;
    const Cpu *u = cpu_of(c);
    if (!u) return 1;
    const GemmKernels *kern = u->gemm[g->dtype == TH_FLOAT64];
    if (!dtype_is_float(g->dtype)) gemm_plain(c, g, scratch);
    else if (g->k <= 0) scale(kern, g);
    else if ((g->m > 1 && g->n > 1) || general(g)) {
        if (!gemm_symmetric(c, g, scratch) && !gemm_narrow(c, kern, g, scratch)) run_tiles(c, kern, g, scratch);
        return 0;
    } else if (g->packed) run_packed_vector(kern, g, scratch);
    else run_vector(kern, *g, scratch);
    if (g->done) g->done(g->user, 0, g->m, 0, g->n);
    return 0;
}

bool gemm_force(ThContext *c, const char *isa) {
    Cpu *u = cpu_of(c);
    if (!u) return false;
    const GemmKernels *const *best = cpu_gemm_kernels(c), *const * all[] = {
        gemm_kernels_sse2,
#if TH_WIDE
        gemm_kernels_avx2,
        gemm_kernels_avx512,
#endif
    };
    for (int i = 0; i < TH_LEN(all); i++) {
        if (strcmp(all[i][0]->name, isa) == 0) {
            u->gemm = all[i];
            return true;
        }
        if (all[i] == best) break;
    }
    return false;
}
