/*
 * points.c -- which of a kernel's Nests a launch takes for its lengths, with how many blocks of how many threads. What
 * is chosen depends on lengths alone.
 */
#include "base/random/mrg.h"
#include "choose.h"
#include "program.h"

static int64_t length(const GridKernel *g, const int64_t *sym, int loop) {
    return size_value(g->k->dim[g->o.stage[0].loop[loop]].n, sym);
}

static int64_t product(const GridKernel *g, const int64_t *sym, int from, int to) {
    int64_t n = 1;
    for (int l = from; l < to; l++) n *= length(g, sym, l);
    return n;
}

static int64_t lengths(const GridKernel *g, const int64_t *sym, const int8_t *dim, int n) {
    int64_t all = 1;
    for (int i = 0; i < n; i++) all *= size_value(g->k->dim[dim[i]].n, sym);
    return all;
}

/* A product's tiles of shape `which`, -1: of what costs least; and a block for each. */
static GridLaunch tiles(const GridKernel *g, const int64_t *sym, int which) {
    const Contract *c = g->nest->contract;
    int64_t matrices = lengths(g, sym, c->batch, c->nbatch), rows = lengths(g, sym, c->side_dim[0], c->side_n[0]);
    int64_t cols = lengths(g, sym, c->side_dim[1], c->side_n[1]);
    if (which < 0) which = choose_tile(matrices, rows, cols, contract_item(c));
    ChooseTile t = choose_tile_shape(which, contract_item(c));
    int64_t n = matrices * ((rows + t.rows - 1) / t.rows) * ((cols + t.cols - 1) / t.cols);
    return (GridLaunch){n > 0 ? which : -1, n, CHOOSE_THREADS, 0, 1, 0, 0};
}

/* Threads that a draw has work for: some a stream, or one a counter. */
static int64_t draw_threads(const GridKernel *g, const int64_t *sym) {
    const Stage *st = &g->k->st.at[0];
    const Size *z = g->k->size.at + st->num0;
    int64_t most = 16 / (int64_t)th_dtype_bytes((ThDtype)g->k->acc.at[st->C].dtype); /* numbers of a counter */
    if (z[DRAW_AT_KIND].k == DRAW_MRG) return size_value(z[DRAW_AT_STREAMS], sym) * CHOOSE_STRANDS;
    int64_t each = size_value(z[DRAW_AT_EACH], sym) / (st->paired ? 2 : 1);
    return (each + most - 1) / most * size_value(z[DRAW_AT_DRAWS], sym);
}

static GridLaunch draws(const GridKernel *g, const int64_t *sym) {
    int64_t n = draw_threads(g, sym), state = MRG_STATE * (int64_t)sizeof(int32_t);
    int64_t kept = grid_pairs(g) ? n / CHOOSE_STRANDS * state : 0;
    return (GridLaunch){
        n > 0 ? GRID_OWN : -1, (n + CHOOSE_THREADS - 1) / CHOOSE_THREADS, CHOOSE_THREADS, 0, 1, kept, 0};
}

int grid_neighbours(const Nest *t) {
    for (const NestNode *n = t->root; n; n = n->next)
        if (n->kind == NEST_FOR && n->how == FOR_GRID) return n->lanes;
    return 1;
}

/* The most elements that the loops of a stage have inside a point; some neighbours are one where t takes them so. */
static int64_t inside(const GridKernel *g, const int64_t *sym, const Nest *t) {
    int64_t most = 0;
    for (int i = 0; i < g->k->st.n; i++) {
        const LoopStage *s = &g->o.stage[i];
        int64_t n = 1, each = t ? neighbours_inside(t, i) : 1;
        for (int l = g->nest->depth; l < s->nloop; l++) {
            int64_t of = size_value(g->k->dim[s->loop[l]].n, sym);
            n *= l == s->nloop - 1 ? (of + each - 1) / each : of;
        }
        most = n > most ? n : most;
    }
    return most;
}

/* Where there are few blocks, several share what a point reduces: each with some elements for every thread. */
static GridLaunch parted(const GridKernel *g, const int64_t *sym, const Nest *t, GridLaunch l, int64_t points) {
    enum { BLOCKS = 512, EACH = 16, MOST = 256, PLACE = 16, LINE = 256 };
    int group = grid_group(t);
    int64_t most = inside(g, sym, NULL) / ((int64_t)group * EACH), n = BLOCKS / l.blocks;
    bool position = false;
    for (int r = 0; r < g->k->red.n; r++) position |= red_is_arg(&g->k->red.at[r]);
    if (n > most) n = most;
    if (n > (position ? group : MOST)) n = position ? group : MOST;
    if (n < 2) return l;
    l.parts = n;
    l.zeros = (l.blocks * 4 + LINE - 1) / LINE * LINE;
    l.kept = l.zeros + points * n * PLACE * g->k->red.n;
    l.blocks *= n;
    return l;
}

/* Blocks, or a warp a point; their private rows in shared memory where that has room. */
static GridLaunch groups(const GridKernel *g, const int64_t *sym, int nest, int64_t points) {
    const Nest *t = grid_nest(g->nest, nest);
    int64_t each = CHOOSE_THREADS / grid_group(t), bytes = each * grid_rows(g->k, sym);
    GridLaunch l = {nest, (points + each - 1) / each, CHOOSE_THREADS, bytes <= CHOOSE_SHARED ? bytes : 0, 1, 0, 0};
    return t->parts ? parted(g, sym, t, l, points) : l;
}

/* Whether warps take the points, each of `in` elements. */
static bool by_warps(const GridKernel *g, const int64_t *sym, int64_t all, int64_t in) {
    const Nest *t = g->nest;
    if (!t->warps || (t->grid != GRID_BLOCK && in < CHOOSE_WARP) || !grid_fits(g->k, sym)) return false;
    int64_t row = grid_rows(g->k, sym);
    return CHOOSE_THREADS / CHOOSE_WARP * row <= CHOOSE_SHARED &&
           choose_warps(all, inside(g, sym, t->grid == GRID_BLOCK ? t : t->twin), row);
}

/* Tiles of two loops, for each point of the others. */
static int64_t turned(const GridKernel *g, const int64_t *sym, const Nest *t, int64_t all) {
    int64_t rows = length(g, sym, t->turned), cols = length(g, sym, t->depth - 1);
    return all / rows / cols * ((rows + CHOOSE_TURN - 1) / CHOOSE_TURN) * ((cols + CHOOSE_TURN - 1) / CHOOSE_TURN);
}

/* A thread a point, or some neighbours. */
static GridLaunch threads(const GridKernel *g, const int64_t *sym, int own, int64_t all) {
    enum { WIDE = CHOOSE_THREADS };
    int64_t lanes = grid_neighbours(g->nest), last = lanes > 1 ? length(g, sym, g->nest->depth - 1) : 1;
    if (lanes > 1) all = all / last * ((last + lanes - 1) / lanes);
    return (GridLaunch){own, (all + WIDE - 1) / WIDE, WIDE, 0, 1, 0, 0};
}

static GridLaunch points(const GridKernel *g, const int64_t *sym) {
    enum { WIDE = CHOOSE_THREADS, COLUMN = 64 };
    const Nest *t = g->nest;
    int64_t all = product(g, sym, 0, t->depth);
    if (all <= 0) return (GridLaunch){t->none ? GRID_NONE : -1, 1, 1, 0, 1, 0, 0};
    if (t->grid == GRID_SCATTER) return (GridLaunch){GRID_TWIN, 1, 1, 0, 1, 0, 0}; /* where it is not sorted */
    int64_t in = inside(g, sym, NULL);
    if (by_warps(g, sym, all, in)) return groups(g, sym, t->few && in <= CHOOSE_WARP ? GRID_FEW : GRID_WARPS, all);
    if (t->twin && t->twin->tiled) {
        bool turns = choose_turn(length(g, sym, t->twin->turned), length(g, sym, t->depth - 1));
        if (turns && grid_fits(g->k, sym))
            return (GridLaunch){GRID_TWIN, turned(g, sym, t->twin, all), WIDE, 0, 1, 0, 0};
    } else if (t->twin && t->twin->across) {
        if (in >= COLUMN || choose_strands(all, in)) return groups(g, sym, GRID_TWIN, all);
    } else if (t->twin && (in >= CHOOSE_LONG || (in >= WIDE && all < CHOOSE_POINTS) || (t->warps && in >= CHOOSE_WARP)))
        return groups(g, sym, GRID_TWIN, all);
    if (t->grid == GRID_SERIAL) return (GridLaunch){GRID_OWN, 1, 1, 0, 1, 0, 0};
    int own = t->large && !grid_fits(g->k, sym) ? GRID_LARGE : GRID_OWN;
    if (t->grid == GRID_BLOCK) return groups(g, sym, own, all);
    return threads(g, sym, own, all);
}

GridLaunch grid_launch(const GridKernel *g, const int64_t *sym) {
    GridLaunch l = g->nest->grid == GRID_TILES  ? tiles(g, sym, -1)
                   : g->nest->grid == GRID_DRAW ? draws(g, sym)
                                                : points(g, sym);
    if (l.blocks > CHOOSE_BLOCKS) l.blocks = CHOOSE_BLOCKS;
    return l;
}

bool grid_turns_pay(const GridKernel *g, const int64_t *sym, GridLaunch *way) {
    const Contract *c = g->nest->contract;
    int64_t matrices = lengths(g, sym, c->batch, c->nbatch), rows = lengths(g, sym, c->side_dim[0], c->side_n[0]);
    int64_t cols = lengths(g, sym, c->side_dim[1], c->side_n[1]), deep = lengths(g, sym, c->deep, c->ndeep);
    *way = tiles(g, sym, g->tile);
    return choose_turns(matrices, rows, cols, deep, g->tile);
}

bool grid_turns_each(const GridKernel *g, const int64_t *sym, int64_t *blocks) {
    int64_t all = g->each ? product(g, sym, 0, g->nest->depth) : 0;
    if (all <= 0 || !choose_each(all)) return false;
    *blocks = (all + CHOOSE_THREADS - 1) / CHOOSE_THREADS;
    return true;
}

/* Tiles side by side. */
static int64_t wide_of(const GridSpread *w) { return ((int64_t)w->cols + (1 << w->bits) - 1) >> w->bits; }

int64_t grid_spread_tiles(const GridSpread *w, int64_t rows) {
    return (rows + SPREAD_ROWS - 1) / SPREAD_ROWS * wide_of(w);
}

/* g / d is g * by / 2^31, rounded down, of g and d up to 2^15: as many points as choose_each allows. */
uint32_t grid_spread_by(const GridSpread *w) {
    uint32_t d = (uint32_t)(w->bits < 0 ? w->cols : wide_of(w));
    return d ? ((1u << 31) + d - 1) / d : 0;
}

GridSpread grid_turns_spread(const GridKernel *g, const int64_t *sym) {
    const Nest *t = g->nest;
    GridSpread w = {-1, 1, 1, 1, 0};
    if (t->grid == GRID_TILES) {
        const Contract *c = t->contract;
        w.cols = (int32_t)lengths(g, sym, c->side_dim[1], c->side_n[1]);
        for (int n = choose_tile_shape(g->tile, contract_item(c)).cols; n; n /= 2) w.bits++;
    } else {
        int last = t->depth - 1;
        w.rows = (int32_t)product(g, sym, 0, last < 0 ? 0 : last);
        w.cols = (int32_t)product(g, sym, last < 0 ? 0 : last, t->depth);
    }
    return w;
}

/* Other functions than the first way's for a thread a point: turned tiles, or none; then fewer blocks, which take more
 * points each. */
static int more_threads(const GridKernel *g, const int64_t *sym, int multiprocessors, GridLaunch *way) {
    enum { RESIDENT = 16 }; /* blocks of a multiprocessor, two rounds of them */
    const Nest *t = g->nest, *twin = t->twin && t->twin->tiled ? t->twin : NULL;
    int64_t all = product(g, sym, 0, t->depth), few = (int64_t)multiprocessors * RESIDENT;
    int n = 1;
    if (way->nest == GRID_TWIN && twin) way[n++] = threads(g, sym, GRID_OWN, all);
    else if (way->nest == GRID_OWN && twin && grid_fits(g->k, sym))
        way[n++] = (GridLaunch){GRID_TWIN, turned(g, sym, twin, all), CHOOSE_THREADS, 0, 1, 0, 0};
    if (way->nest == GRID_OWN && few > 0 && way->blocks >= 2 * few) {
        way[n] = way[0];
        way[n++].blocks = few;
    }
    return n;
}

int grid_ways(const GridKernel *g, const int64_t *sym, int multiprocessors, GridLaunch way[GRID_WAYS]) {
    int n = 1;
    way[0] = grid_launch(g, sym);
    if (way[0].nest < 0) return 1;
    for (int which = 0; g->nest->grid == GRID_TILES && which < CHOOSE_TILES; which++)
        if (which != way[0].nest && grid_nest(g->nest, which)) way[n++] = tiles(g, sym, which);
    if (g->nest->grid == GRID_THREAD) n = more_threads(g, sym, multiprocessors, way);
    for (int i = 1; i < n; i++)
        if (way[i].blocks > CHOOSE_BLOCKS) way[i].blocks = CHOOSE_BLOCKS;
    return n;
}

static int64_t shared_out(int64_t n, int64_t among) { return among > 0 ? (n + among - 1) / among : n; }

/* Of each stream or counter so many numbers a thread. */
static GridShare drawn(const GridKernel *g, const int64_t *sym, const GridLaunch *l) {
    const Stage *st = &g->k->st.at[0];
    const Size *z = g->k->size.at + st->num0;
    int64_t all = size_value(z[DRAW_AT_DRAWS], sym) * size_value(z[DRAW_AT_EACH], sym);
    int64_t turns = shared_out(draw_threads(g, sym), l->blocks * CHOOSE_THREADS);
    return (GridShare){turns, shared_out(all, l->blocks * CHOOSE_THREADS * turns)};
}

GridShare grid_share(const GridKernel *g, const int64_t *sym, const GridLaunch *l) {
    const Nest *t = l->nest >= 0 && l->nest < GRID_NESTS ? grid_nest(g->nest, l->nest) : NULL;
    if (t && t->grid == GRID_DRAW) return drawn(g, sym, l);
    if (!t || (t->grid != GRID_THREAD && t->grid != GRID_BLOCK)) return (GridShare){1, 1};
    int64_t all = product(g, sym, 0, t->depth), lanes = grid_neighbours(t), group = grid_group(t);
    int64_t last = t->depth ? length(g, sym, t->depth - 1) : 1;
    if (t->tiled)
        return (GridShare){shared_out(turned(g, sym, t, all), l->blocks), CHOOSE_TURN * CHOOSE_TURN / l->threads};
    if (lanes > 1 && last > 0) all = all / last * shared_out(last, lanes);
    return (GridShare){shared_out(all * l->parts, l->blocks * (l->threads / group)),
                       shared_out(inside(g, sym, t), group * l->parts)};
}
