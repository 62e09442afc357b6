/*
 * choose.c -- does it pay: every cost and threshold of how kernels run. What may be done the transforms know; all
 * choices give the same bits. Figures are measured, on processors with AVX-512 where nothing else is said; a function
 * names what was weighed.
 */
#include "ops/table/expr.h"
#include "ops/table/ops.h"
#include "ops/math/vmath.h"
#include "choose.h"
#include "nest.h"

#include <math.h>

/* ---- decisions, and how sure they are ---- */
/* What may be done one way or the other, each way in a file of its own. */
typedef enum {
    IN_VECTORS,
    IN_COLUMNS,
    IN_MASKS,
    IN_COPY,
    IN_SEEK,
    IN_QUOTIENT,
    IN_SIDE,
    IN_FLAT,
    IN_FETCH,
    IN_ALL
} Decision;
static const char *const decision_name[IN_ALL] = {
    "vectors of a row", "columns together",  "masks",           "memcpy",         "largest first",
    "reciprocals",      "rows side by side", "rows as one run", "lines asked for"};

typedef struct Choice {
    NestAsk ask;
    int other;           /* this one is taken the other way; -1: none */
    double near[IN_ALL]; /* 0: did not come up; 1: both ways cost the same */
} Choice;

/* near: what the better way costs of what the other one does. */
static bool decide(Choice *c, Decision d, bool pays, double near) {
    if (near > c->near[d]) c->near[d] = near;
    return pays != (c->other == (int)d);
}

/* Of a threshold: 1 where x stands on it. */
static double near_to(double x, double threshold) { return x <= threshold ? x / threshold : threshold / x; }

/* ---- the loop that vectors lie along ---- */
/* Rows by several vectors at a time: accumulators must stay in registers, and a long body would be text without end. */
static int vectors_of(const Nest *t, const NestNode *loop, Choice *c) {
    enum { MOST_INS = 24, CHAINS = 4 }; /* CHAINS of positions */
    int live, n = unroll_vectors(t, loop, CHAINS, &live), nins = t->k->st.at[loop->stage].nins;
    if (n == 1) return 1;
    double ins = nins / (double)MOST_INS, registers = live / (double)t->target->registers;
    bool pays = nins <= MOST_INS && live <= t->target->registers;
    return decide(c, IN_VECTORS, pays, near_to(ins > registers ? ins : registers, 1)) ? n : 1;
}

enum { COLUMNS = 8 }; /* vectors of columns together, at most */

/* Of the loop, or negative. */
static int64_t known_length(const Nest *t, const NestNode *loop, const Choice *c) {
    const Size n = t->k->dim[loop->dim].n;
    return n.sym < 0 ? n.k : c->ask.length ? c->ask.length[n.sym] : INT64_MIN;
}

/* So many that all their accumulators are in registers; a position is the largest so far and where it is. */
static int most_columns(const Nest *t, const NestNode *loop) {
    const Stage *st = &t->k->st.at[loop->stage];
    int each = 0;
    for (int r = st->red0; r < st->red0 + st->nred; r++) each += red_is_arg(&t->k->red.at[r]) ? 2 : 1;
    const int n = t->target->registers / (each > 0 ? each : 1);
    return n < COLUMNS ? n : COLUMNS;
}

/* Each vector's sum is one chain, so fewer than WAIT together, and those that are left over, take the time of WAIT. A
 * number that is known is cut where that costs least (64 columns in 4 vectors of 16 together: a third). */
static int columns_of(const Nest *t, const NestNode *loop, const Choice *c) {
    enum { WAIT = 4 };
    const int64_t length = known_length(t, loop, c);
    int best = most_columns(t, loop);
    int64_t least = INT64_MAX;
    for (int v = best; v > 1 && length >= 0; v--) {
        const int64_t all = length / loop->lanes, rounds = all / v;
        const int64_t time = rounds * (v < WAIT ? WAIT : v) + (all - rounds * v) * WAIT;
        if (time < least) best = v, least = time;
    }
    return best;
}

/* What stands behind the loops over rows is as long as it may be: it runs once. Two sums and two of products of 512
 * rows of 128 columns took 77 us one vector after the other, all by 8 vectors 31. */
static bool pays_columns(const Nest *t, const NestNode *loop, Choice *c) {
    enum { MOST_INS = 24 };
    const LoopStage *s = &loop->way->stage[loop->stage];
    if (!columns_may(t, loop)) return false;
    double ins = s->npre[s->nloop] / (double)MOST_INS;
    bool pays = s->npre[s->nloop] <= MOST_INS && most_columns(t, loop) > 1;
    return decide(c, IN_COLUMNS, pays, near_to(ins, 1));
}

/* Columns of many rows are read in the order of memory: pieces of 256 bytes, which 8 vectors take of each row, lie too
 * far apart for the processor to read on. Sums of 25,000 rows of 1,000 floats took 12.3 ms and take 6.8, largest of
 * 208,333 of 120 23 and 5. */
static int far_columns(const Nest *t, const NestNode *loop, const Choice *c) {
    enum { FAR = 128 };
    const LoopStage *s = &loop->way->stage[loop->stage];
    if (!columns_may_far(t, loop)) return 0;
    double n = 1;
    for (int l = loop->loop; l < s->nloop; l++) {
        const Size z = t->k->dim[s->loop[l]].n;
        const int64_t known = z.sym < 0 ? z.k : c->ask.length ? c->ask.length[z.sym] : INT64_MIN;
        if (known < 0) return FAR;
        n *= (double)known;
    }
    return n * 8 > CHOOSE_FAR ? FAR : 0; /* elements have 8 bytes at most, but for complex ones */
}

/* Columns that a loop of standard C runs through inside the loop over rows: its compiler makes vectors of them, where
 * one column after the other would be a chain each (64 x 64 floats: 2,500 ns to 110). gcc writes loops of 5 to 16 turns
 * out first, and then gathers (3,000 ns). */
static int standard_columns(const Nest *t, const NestNode *loop, Choice *c) {
    enum { FEW = 4, MANY = 32 };
    const int64_t length = known_length(t, loop, c);
    if (t->target->vector_bytes != 1 || !pays_columns(t, loop, c)) return 1;
    for (int r = 0; r < t->k->red.n; r++)
        if (red_is_arg(&t->k->red.at[r])) return 1;
    if (length < 0 || length >= MANY) return MANY;
    return length > 1 && length <= FEW ? (int)length : 1;
}

/* Operations of the text of a scalar function, vector math by its size. */
static int length(const Kernel *k, const Ins *i) {
    enum { MATH = 20 };
    const ScalarTexts *st = scalar_value_texts(k->ctx, i->op, !scalar_ops[i->op].value);
    int n = 0;
    for (int j = 0; st && st->n && st->at[0] && j < st->at[0]->n; j++) {
        const ExNode *x = &st->at[0]->at[j];
        if (x->kind == EX_NUM || x->kind == EX_NAME) continue;
        n += vmath_find(x->name, (ThDtype)i->in_dtype) ? MATH : 1;
    }
    return n;
}

/* Whether whole vectors go under masks too: next to so long a body these cost nothing, and the compiler, whose time is
 * what a first call waits for, sees the body once and not twice. (With three functions of vector math in float32 the
 * masks are 8 per cent, with eight a few.) Narrow elements have no masked moves. */
static bool pays_masks(const Nest *t, const NestNode *loop, Choice *c) {
    enum { LONG = 160 }; /* operations: eight functions of vector math */
    const Kernel *k = t->k;
    const Stage *st = &k->st.at[loop->stage];
    int n = 0;
    for (int j = st->ins0; j < st->ins0 + st->nins; j++) {
        const Ins *i = &k->ins.at[j];
        bool moves = i->op == INS_LOAD || i->op == INS_STORE;
        const Access *a = moves ? &k->acc.at[i->a] : NULL;
        if (i->depth <= loop->loop) continue;
        if (a && th_dtype_bytes((ThDtype)a->dtype) < 4) return false;
        if (i->op < INS_LOAD) n += length(k, i);
    }
    return t->target->masks && decide(c, IN_MASKS, n >= LONG, near_to(n, LONG));
}

/* Bytes from which memcpy, which aligns its stores, wins: a third of the time of long rows. */
static int pays_copy(const Nest *t, const NestNode *loop, Choice *c) {
    enum { LONG = 512 };
    if (!copy_may(t, loop)) return 0;
    if (!decide(c, IN_COPY, true, 0.7)) return 0;
    const Ins *in = &t->k->ins.at[t->o->code[loop->way->stage[loop->stage].pre[loop->loop + 1]]];
    return LONG / (int)th_dtype_bytes((ThDtype)in->dtype);
}

/* 316 rows of 316: of float64 28 us in one pass and 11 in two, of float32 23 and 9; on AVX2 23 and 14, on SSE2 121 and
 * 27. Rows of 65: 64 and 16. */
static void pays_seek(Nest *t, NestNode *loop, Choice *c) {
    enum { LONG = 4 }; /* vectors */
    if (seek_may(t, loop) && decide(c, IN_SEEK, true, 0.5)) seek_apply(t, loop, LONG * loop->lanes);
}

static bool vector_loop(Nest *t, NestNode *loop, Choice *c) {
    loop->copy = pays_copy(t, loop, c);
    if (loop->lanes == 1) {
        const int n = standard_columns(t, loop, c);
        return n == 1 || columns_apply(t, loop, n);
    }
    pays_seek(t, loop, c);
    loop->vectors = vectors_of(t, loop, c);
    if (loop->vectors > 1) {
        if (t->target->masks && unroll_may_mask(t, loop)) loop->tail = TAIL_MASKED;
        return true;
    }
    if (pays_columns(t, loop, c)) {
        loop->far = far_columns(t, loop, c);
        return columns_apply(t, loop, columns_of(t, loop, c));
    }
    if (pays_masks(t, loop, c)) loop->tail = TAIL_MASKED;
    return true;
}

/* A division is 16 to 24 cycles a vector of float64, and of float32 half of that: there the look at whether the
 * reciprocal will do pays where it is the same for all rows. */
static bool pays_quotient(const Nest *t, const NestWay *w, int id, Choice *c) {
    const Ins *i = &t->k->ins.at[id], *by = &t->k->ins.at[i->b];
    int bytes = w->lanes[i->stage] * (int)th_dtype_bytes((ThDtype)i->dtype);
    if (!t->target->fused || bytes < 32 || !divide_may(t, w, id)) return false;
    bool pays = i->dtype == TH_FLOAT64 || (by->depth == 0 && !lanes_is_vector(t, w, i->b));
    return decide(c, IN_QUOTIENT, pays, i->dtype == TH_FLOAT64 ? 0.5 : 0.75);
}

static void quotients(Nest *t, NestWay *w, Choice *c) {
    for (int id = 0; id < t->k->ins.n; id++)
        if (pays_quotient(t, w, id, c)) divide_apply(w, id);
}

/* A result of 80 MB takes 0.64 of the time where its lines need not be read before they are filled (a^2 + b^2 + 2ab of
 * float64: 0.89 ns an element against 1.39); one that caches would keep must be read back from memory. The look at it
 * costs a call nothing that can be measured. No decision: how long the run is, is seen when it runs. */
static bool pays_stream(const Nest *t, int id) {
    const Kernel *k = t->k;
    if (!stream_may(t, id)) return false;
    Size n = k->dim[0].n;
    return n.sym >= 0 || n.k >= CHOOSE_STREAM / (int64_t)th_dtype_bytes((ThDtype)k->acc.at[k->ins.at[id].a].dtype);
}

static void streams(Nest *t) {
    for (int id = 0; id < t->k->ins.n; id++)
        if (pays_stream(t, id)) stream_apply(t, id);
}

/* ---- ways for short rows ---- */
/* Rows that read at indices of their own: what the columns' checks and transposing cost the compiler (half of the time
 * for an MLP's step) they give back only where rows are known to be short. */
static bool pays_side(const Nest *t, Choice *c) {
    const Kernel *k = t->k;
    bool indices = false, known = c->ask.known;
    for (int j = 0; j < k->ins.n; j++) indices |= k->ins.at[j].op == INS_CHECK_INDEX;
    for (int s = 0; s < k->st.n; s++) known |= k->dim[k->st.at[s].d0 + k->st.at[s].nd - 1].n.sym < 0;
    return decide(c, IN_SIDE, !indices || known, indices ? 0.8 : 0.4);
}

/* Elements of a row at most: where only positions are sought; of 16 lanes, the same with sums of float64, of fewer;
 * without masks. */
static int side_most(const Nest *t, const NestWay *w) {
    enum { SHORT = SIDE_MOST, SHORT_16 = 48, SHORT_HALVES = 31, SHORT_8 = 24, SHORT_UNMASKED = 15 };
    const Kernel *k = t->k;
    bool sums = false, halves = false;
    for (int r = 0; r < k->red.n; r++) {
        sums |= !red_is_arg(&k->red.at[r]);
        halves |= nest_halves(t, w, k->red.at[r].stage, r);
    }
    if (!t->target->masks) return SHORT_UNMASKED;
    return !sums ? SHORT : w->lanes[0] < 16 ? SHORT_8 : halves ? SHORT_HALVES : SHORT_16;
}

/* Rows shorter than two vectors leave more of the last one empty than the others fill, but for those of just one. */
static bool as_one_run(Nest *t, Choice *c) {
    int lanes = t->way->lanes[0];
    if (!flat_may(t) || !decide(c, IN_FLAT, true, 0.6)) return true;
    return flat_apply(t, (FlatRows){.least = 2 * lanes, .below = 2 * lanes, .but = lanes});
}

static bool short_rows(Nest *t, Choice *c) {
    enum { FEW = 6 }; /* rows at least */
    if (!as_one_run(t, c)) return false;
    if (!side_may(t) || !pays_side(t, c)) return !t->failed;
    NestWay *w = side_way(t);
    if (!w || w->lanes[0] == 1) return !t->failed;
    quotients(t, w, c);
    return side_apply(t, w, FEW, side_most(t, w));
}

/* ---- pieces for threads ---- */
int choose_weight(const Kernel *k, int stage) {
    const Stage *st = &k->st.at[stage];
    int n = 0;
    for (int j = st->ins0; j < st->ins0 + st->nins; j++) {
        const Ins *i = &k->ins.at[j];
        if (i->depth >= st->d0 + st->nd) n += i->op < INS_LOAD ? length(k, i) : 1;
    }
    return n > CHOOSE_PLAIN ? n : CHOOSE_PLAIN;
}

/* Rows of a piece at least: where these are what vectors lie along, lines of memory are read whole. */
static int piece_rows(const Kernel *k) {
    for (int s = 0; s < k->st.n; s++)
        if (k->st.at[s].vec == 0) return CHOOSE_NARROW;
    return 1;
}

static bool pieces(Nest *t) {
    if (!split_apply(t)) return false;
    for (NestNode *n = t->root; n; n = n->next)
        if (n->kind == NEST_FOR && n->how == FOR_PIECE) n->n = piece_rows(t->k);
    return true;
}

/* ---- all of it ---- */
/* With narrower vectors the processor keeps up. */
static bool pays_fetch(const Nest *t, Choice *c) { return fetch_may(t) && decide(c, IN_FETCH, t->target->masks, 0.9); }

/* An epilogue with an operand, as of a residual or of a derivative: GELU's of 512 x 512 behind a product of 128 waits
 * for its lines three quarters of its time, on AVX2 (tiles of 16 columns) 4.5 ns an element. */
static bool pays_tile_fetch(const Nest *t, int stage, Choice *c) {
    return tile_fetch_may(t, stage) && decide(c, IN_FETCH, true, 0.6);
}

static bool choose(Nest *t, Choice *c) {
    bool threads = c->ask.threads;
    if (!nest_plain(t) || !lanes_apply(t)) return false;
    for (int s = 0; s < t->k->st.n; s++) {
        NestNode *loop = nest_vec(t, s);
        if (loop && !vector_loop(t, loop, c)) return false;
    }
    quotients(t, t->way, c);
    streams(t);
    if (pays_fetch(t, c) && !fetch_rows(t)) return false;
    for (int s = 0; s < t->k->st.n; s++)
        if (pays_tile_fetch(t, s, c) && !tile_fetch(t, s, CHOOSE_AHEAD)) return false;
    if (kernel_in_blocks(t->k)) return blocks_apply(t, threads && blocks_may_share(t));
    if (!short_rows(t, c)) return false;
    if (threads && split_batch_may(t)) return split_batch(t), true;
    return !threads || !split_may(t) || pieces(t);
}

static Nest *fresh(const Kernel *k, const KernelOrder *o, const Target *target, Choice *c, Arena *a) {
    Nest *t = arena_alloc0(a, sizeof *t);
    if (!t) return NULL;
    *t = (Nest){.k = k, .o = o, .target = target, .arena = a};
    return choose(t, c) && !t->failed ? t : NULL;
}

/* The decision that candidate n takes the other way: the one that is n-th nearest to both ways costing the same, of
 * equals the first. -1: there are not so many. */
static int nth_nearest(const Choice *c, int n) {
    bool taken[IN_ALL] = {false};
    int best = -1;
    for (; n > 0; n--) {
        best = -1;
        for (int d = 0; d < IN_ALL; d++)
            if (!taken[d] && c->near[d] > 0 && (best < 0 || c->near[d] > c->near[best])) best = d;
        if (best < 0) return -1;
        taken[best] = true;
    }
    return best;
}

int nest_lengths(const Plan *p, int kernel, int from, int users, const int64_t *known, int64_t *to) {
    int n = -1;
    for (int j = from < 0 ? p->nstep : from; j < p->nstep && users > 0; j++) {
        const Step *s = &p->step[j];
        if (s->kind != STEP_KERNEL || s->kernel != kernel) continue;
        users--;
        for (int i = 0; i < s->nsym; i++) {
            const int64_t x = known[s->sym[i]];
            to[i] = n < 0 || (i < n && to[i] == x) ? x : INT64_MIN;
        }
        n = n < 0 || s->nsym < n ? s->nsym : n;
    }
    return n < 0 ? 0 : n;
}

Nest *nest_choose(const Kernel *k, const KernelOrder *o, const Target *target, NestAsk ask, Arena *a) {
    Choice c = {.ask = ask, .other = -1};
    Nest *t = fresh(k, o, target, &c, a);
    int other = t && ask.candidate > 0 ? nth_nearest(&c, ask.candidate) : -1;
    if (other < 0) return t;
    c = (Choice){.ask = ask, .other = other};
    t = fresh(k, o, target, &c, a);
    if (t) t->other = decision_name[other];
    return t;
}

int nest_candidates(const Kernel *k, const KernelOrder *o, const Target *target, NestAsk ask, Arena *a) {
    Choice c = {.ask = ask, .other = -1};
    if (!fresh(k, o, target, &c, a)) return 0;
    int n = 1;
    while (nth_nearest(&c, n) >= 0) n++;
    return n;
}

/* ---- a GPU ---- */
/* What runs on a GPU costs the longest of these, in cycles: bytes through its memory, instructions issued, and what its
 * threads wait for one after the other, wave after wave of as many as there is room for. Nobody has measured it:
 * figures are those of target.c. */
typedef struct GridCost {
    double bytes, issued, waits;
} GridCost;

static double cycles(const Target *t, GridCost c) {
    double memory = c.bytes / t->memory * t->clock, issue = c.issued / (t->multiprocessors * 128.0);
    double most = memory > issue ? memory : issue;
    return most > c.waits ? most : c.waits;
}

/* Rows by groups of threads: loads of neighbours, some of which wait together, then a tree. */
static double rows_cost(const Target *t, int group, int64_t points, int64_t inside, int64_t row) {
    enum { TOGETHER = 4, TURN = 20 }; /* loads that wait together; instructions of one, and what is done with it */
    bool warp = group == CHOOSE_WARP;
    double tree = warp ? 25 : 55, meet = warp ? 150 : 350; /* instructions, cycles */
    double blocks = t->threads / CHOOSE_THREADS, each = CHOOSE_THREADS / group, room = blocks;
    if (row > 0) room = floor((double)t->shared / ((double)row * each + 1024));
    double resident = t->multiprocessors * each * (room < 1 ? 1 : room < blocks ? room : blocks);
    double turns = ceil((double)inside / group), waves = ceil((double)points / resident);
    return cycles(t, (GridCost){.issued = (double)points * group * (turns * TURN + tree),
                                .waits = waves * (ceil(turns / TOGETHER) * t->load + meet)});
}

bool choose_warps(int64_t points, int64_t inside, int64_t row) {
    return rows_cost(&target_cuda, CHOOSE_WARP, points, inside, row) <=
           rows_cost(&target_cuda, CHOOSE_THREADS, points, inside, row);
}

/* A thread that goes down its column alone has nothing to meet, but waits for all of it. */
bool choose_strands(int64_t columns, int64_t inside) {
    enum { FEW = 16, TOGETHER = 4, STEP = 10, TREE = 55, MEET = 350 };
    const Target *t = &target_cuda;
    if (inside < FEW) return false;
    double turns = ceil((double)inside / CHOOSE_STRANDS), resident = (double)t->multiprocessors * t->threads;
    double waves = ceil((double)columns / resident);
    double alone = cycles(t, (GridCost){.issued = (double)columns * (double)inside * STEP,
                                        .waits = waves * (double)inside / TOGETHER * t->load});
    double shared = cycles(t, (GridCost){.issued = (double)columns * CHOOSE_STRANDS * (turns * STEP + TREE),
                                         .waits = ceil((double)columns * CHOOSE_STRANDS / resident) *
                                                  (ceil(turns / TOGETHER) * t->load + MEET)});
    return shared < alone;
}

/* Rows and columns that a block computes, and how deep it reads at a time: what 48 KB of shared memory hold, and each
 * thread some sums. */
ChooseTile choose_tile_shape(int which, size_t item) {
    static const ChooseTile shape[] = {{64, 64, 16}, {16, 32, 128}, {16, 64, 32}, {16, 16, 128}, {16, 16, 256}};
    /* of halves on tensor cores: eight warps, two slices in shared memory at a time */
    static const ChooseTile cores[CHOOSE_SMALL] = {{128, 128, 32}, {64, 64, 32}, {16, 128, 32}};
    if (item == 2) return cores[which];
    ChooseTile t = shape[which];
    if (item > 8 && which == 0) t.rows = t.cols = 32;
    if (t.deep > 32 && item == 8) t.deep /= 2;
    if (item > 8) t.deep = 16;
    return t;
}

static int64_t tiles_of(int64_t matrices, int64_t rows, int64_t cols, ChooseTile t) {
    return matrices * ((rows + t.rows - 1) / t.rows) * ((cols + t.cols - 1) / t.cols);
}

/* Thin tiles read each factor anew for 16 rows or 32 columns: as long as they are a few for each multiprocessor, what a
 * turn takes is the way to the second cache and the wait of all blocks, not their number. */
bool choose_turns(int64_t matrices, int64_t rows, int64_t cols, int64_t deep, int which) {
    enum { TILES = 512, DEEP = 8192 };
    if (choose_library(matrices, rows, cols, deep)) return false;
    return tiles_of(matrices, rows, cols, choose_tile_shape(which, 4)) <= TILES && deep <= DEEP;
}

/* Waits are what a turn takes, and few threads of four points are longer on their way than many of one, up to about a
 * block for each multiprocessor (by the estimate); of more, loads of 16 bytes save instructions. */
bool choose_each(int64_t points) { return points <= 128 * CHOOSE_THREADS; }

/* The large tile where it gives a GPU blocks enough; the small one where each multiprocessor has one at most: a term of
 * its sums is on its way for 4 cycles, of a thin one's sums for 6. */
int choose_tile(int64_t matrices, int64_t rows, int64_t cols, size_t item) {
    enum { FEW_ROWS = 16, BLOCKS = 128 };
    int64_t large = tiles_of(matrices, rows, cols, choose_tile_shape(0, item));
    int64_t small = item == 2 ? BLOCKS + 1 : tiles_of(matrices, rows, cols, choose_tile_shape(CHOOSE_SMALL, item));
    if (small <= BLOCKS) return CHOOSE_SMALL;
    return rows <= FEW_ROWS ? 2 : large >= BLOCKS ? 0 : 1;
}

/* Cycles of a library's product of float32, as theano.roofline has them: whole waves of the tiles that are best, or of
 * parts of their sums, which are written and read once more. */
static double library_cost(const Target *t, double matrices, double rows, double cols, double deep) {
    static const struct {
        double rows, cols, good;
    } tile[] = {{128, 128, 1},  {128, 64, 0.9}, {64, 128, 0.9}, {64, 64, 0.8},
                {128, 32, 0.7}, {32, 128, 0.7}, {32, 32, 0.5}};
    enum { TERMS = 128, LANES = 128 };
    double best = INFINITY, sums = matrices * rows * cols * 4, good = 0.85;
    for (int i = 0; i < TH_LEN(tile); i++) {
        double tiles = matrices * ceil(rows / tile[i].rows) * ceil(cols / tile[i].cols);
        for (int parts = 1; parts == 1 || parts * tiles <= t->multiprocessors; parts++) {
            if (parts > 1 && (deep / parts < TERMS || parts * sums > 32 << 20)) break;
            double wave = tile[i].rows * tile[i].cols * ceil(deep / parts) / LANES / good / tile[i].good;
            double more = parts > 1 ? cycles(t, (GridCost){.bytes = 2 * parts * sums}) + t->launch : 0;
            double cost = ceil(tiles * parts / t->multiprocessors) * wave + more;
            if (cost < best) best = cost;
        }
    }
    return best;
}

/* LeNet's 128 images of 20 channels of 12 x 12 from 50 filters of 5 x 5, by the estimate on an H100: 62 us as one
 * product of 18,432 x 20, which are two waves of whose tiles a third is empty and more than half of whose terms lie
 * outside the tops, and 18 as products of 500 x 64 and a sum. What nobody measured must be far apart. */
bool choose_windows(int64_t images, int64_t channels, int64_t window, int64_t out, int64_t in, int64_t filters) {
    enum { PLACE = 16 }; /* instructions of a window's place */
    const Target *t = &target_cuda;
    const double far = 1.5, rows = (double)channels * (double)window;
    double moved = (double)images * rows * (double)out * 4, many = (double)images * (double)in;
    double write = cycles(t, (GridCost){.bytes = moved});
    double product = library_cost(t, (double)images, rows, (double)out, (double)filters);
    double sum = cycles(t, (GridCost){.bytes = moved + many * (double)channels * 4, .issued = many * rows * PLACE});
    double apart = (product > write ? product : write) + t->launch + sum;
    return apart * far <= library_cost(t, 1, many, (double)channels, (double)filters * (double)window);
}

/* Neighbours of a thread: 16 bytes of the narrowest that lies side by side, fewer where the text would be long, for it
 * stands there once for each. */
static int neighbours_of(const Nest *t, int stage) {
    enum { BYTES = 16, LONG = 640, COMPLEX = 60 }; /* operations; of one with complex numbers */
    enum { VALUES = 96 };                          /* that a thread may hold at once: registers */
    const Kernel *k = t->k;
    int item = BYTES, ops = 1, values = 0, depth = t->o->stage[stage].nloop, n;
    for (int id = 0; id < k->ins.n; id++) {
        const Ins *i = &k->ins.at[id];
        if (i->stage != stage) continue;
        int bytes = neighbours_together(t, id) ? (int)th_dtype_bytes((ThDtype)k->acc.at[i->a].dtype) : BYTES;
        if (bytes < item) item = bytes;
        values += i->depth == depth;
        if (i->depth == depth && i->op < INS_LOAD)
            ops += dtype_is_complex((ThDtype)i->in_dtype) ? COMPLEX : 1 + length(t->k, i);
    }
    for (n = BYTES / item; n > 1 && (n * ops > LONG || n * values > VALUES);) n /= 2;
    return n;
}

/* A text with indices of 64 bits beside that of 32. */
static bool large_too(Nest *t) {
    if (!(t->large = arena_alloc(t->arena, sizeof *t))) return false;
    *t->large = *t;
    t->large->large = NULL;
    return true;
}

/* The same inside the points of blocks, stage by stage. Those that share a point may have to reach far. */
static bool spread_inside(Nest *t) {
    for (int s = 0; s < t->k->st.n; s++) {
        int n = !t->lone && neighbours_may_inside(t, s) ? neighbours_of(t, s) : 1;
        if (n > 1 && !neighbours_apply_inside(t, s, n)) return false;
    }
    return t->parts || t->across || large_too(t);
}

/* With several loops positions are divided, and 64 bits are slow there: two texts. */
static bool spread(Nest *t) {
    int n = neighbours_may(t) ? neighbours_of(t, 0) : 1;
    if (n > 1 && !neighbours_apply(t, n)) return false;
    return t->depth < 2 || large_too(t);
}

/* Where some load lies along an outer loop: a twin by tiles, which launches take whose tiles are full enough. */
static bool turned(const Nest *like, Nest *t) {
    int loop = turn_loop(t);
    if (loop < 0) return true;
    Nest *twin = arena_alloc0(t->arena, sizeof *twin);
    if (!twin) return false;
    *twin = *like;
    twin->large = t->large; /* its indices have 32 bits */
    t->twin = twin;
    return grid_apply(twin, GRID_THREAD, t->depth) && turn_apply(twin, loop);
}

/* What a warp reads along the wrong side comes in sectors of which it uses one element, though others find the rest in
 * the caches: about 2.5 times the time. A tile that is not full reads and computes for nothing. */
bool choose_turn(int64_t rows, int64_t cols) {
    enum { LEAST = CHOOSE_TURN / 2 };
    if (rows < LEAST || cols < LEAST) return false;
    int64_t down = (rows + CHOOSE_TURN - 1) / CHOOSE_TURN, over = (cols + CHOOSE_TURN - 1) / CHOOSE_TURN;
    return (double)down * (double)over * CHOOSE_TURN * CHOOSE_TURN <= 2.0 * (double)rows * (double)cols;
}

static Nest *of_grid(const Nest *like, GridKind kind, int depth) {
    Nest *t = arena_alloc0(like->arena, sizeof *t);
    if (!t) return NULL;
    *t = *like;
    if (!grid_apply(t, kind, depth) || t->failed) return NULL;
    if (kind == GRID_THREAD && (!spread(t) || !turned(like, t))) return NULL;
    if (kind == GRID_BLOCK && !spread_inside(t)) return NULL;
    if (grid_may_fail(t) && !(t->none = of_grid(like, GRID_SERIAL, like->k->nouter))) return NULL;
    return t;
}

/* With the threads of a warp in place of a block's. */
static Nest *by_warps_too(const Nest *like, Nest *t) {
    Nest warps = *like;
    warps.warp = true;
    return t && (t->warps = of_grid(&warps, GRID_BLOCK, t->depth)) ? t : NULL;
}

/* ..and where rows have an element for each of them at most, one at a time: half of the threads would stand idle beside
 * those that have neighbours, and rows that do not begin at 16 bytes go both ways. */
static Nest *by_few_too(const Nest *like, Nest *t) {
    Nest few = *like;
    bool some = false;
    few.warp = few.lone = true;
    for (int s = 0; t && s < like->k->st.n; s++) some |= neighbours_inside(t->warps, s) > 1;
    return t && (!some || (t->few = of_grid(&few, GRID_BLOCK, t->depth))) ? t : NULL;
}

/* By blocks, or where what is reduced lies far apart by blocks of neighbouring columns. */
static Nest *by_blocks(const Nest *like, int depth, bool rows) {
    Nest blocks = *like;
    blocks.across = depth && !rows && grid_may_part(like, depth, true);
    blocks.parts = grid_may_part(like, depth, blocks.across);
    return of_grid(&blocks, GRID_BLOCK, depth);
}

static bool varies(const Nest *t, const Access *a) {
    const LoopStage *s = &t->o->stage[0];
    for (int l = 0; l < t->depth; l++)
        if (!size_is(a->st[s->loop[l]], 0)) return true;
    return false;
}

/* What is reduced lies side by side: neighbouring threads should take neighbours of one row, not of one column. What
 * all points read alike (a vector beside the matrix) says nothing. */
static bool along_rows(const Nest *t) {
    const LoopStage *s = &t->o->stage[0];
    for (int i = 0; i < t->k->ins.n; i++) {
        const Ins *n = &t->k->ins.at[i];
        if (n->op != INS_LOAD || n->depth != s->nloop) continue;
        const Access *a = &t->k->acc.at[n->a];
        if (size_is(a->st[s->loop[s->nloop - 1]], 1) && (varies(t, a) || !t->depth)) return true;
    }
    return false;
}

/* Each row is a few elements, whatever the lengths of a call: a pooling's window. A warp's threads would stand idle. */
static bool tiny_rows(const Kernel *k) {
    enum { FEW = 16 };
    for (int i = 0; i < k->st.n; i++) {
        const Stage *st = &k->st.at[i];
        int64_t all = 1;
        for (int d = st->d0; d < st->d0 + st->nd; d++) {
            if (d < k->nouter) continue;
            if (k->dim[d].n.sym >= 0 || k->dim[d].n.k > FEW) return false;
            all *= k->dim[d].n.k;
        }
        if (all > FEW) return false;
    }
    return true;
}

/* Blocks for kernels of rows; else a thread a point where points do not touch each other, and its twin by blocks. */
Nest *nest_choose_grid(const Kernel *k, const KernelOrder *o, const Target *target, Arena *a) {
    const Nest like = {.k = k, .o = o, .target = target, .arena = a};
    if (grid_may(&like, GRID_DRAW, 0)) return of_grid(&like, GRID_DRAW, 0);
    if (grid_may(&like, GRID_TILES, 0)) return of_grid(&like, GRID_TILES, 0);
    if (grid_may(&like, GRID_SCATTER, 0)) { /* its twin: where there is little to do, and no library to sort */
        Nest *t = of_grid(&like, GRID_SCATTER, 0);
        return t && (t->twin = of_grid(&like, GRID_SERIAL, 0)) ? t : NULL;
    }
    if (k->nouter || k->st.n > 1) {
        bool tiny = tiny_rows(k) && grid_may(&like, GRID_THREAD, k->nouter);
        if (!tiny && grid_may(&like, GRID_BLOCK, k->nouter))
            return by_few_too(&like, by_warps_too(&like, of_grid(&like, GRID_BLOCK, k->nouter)));
        if (grid_may(&like, GRID_THREAD, k->nouter)) return of_grid(&like, GRID_THREAD, k->nouter);
        return of_grid(&like, GRID_SERIAL, k->nouter);
    }
    int depth = grid_depth(&like);
    if (!grid_may(&like, GRID_THREAD, depth)) return of_grid(&like, GRID_SERIAL, k->nouter);
    Nest *t = of_grid(&like, GRID_THREAD, depth);
    if (t && grid_folds(&like, depth)) {
        t->twin = by_blocks(&like, depth, along_rows(t));
        if (!t->twin || (along_rows(t) && !by_warps_too(&like, t))) return NULL;
    }
    return t;
}
