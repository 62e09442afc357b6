/*
 * schedule_nest.c -- every transform of core/schedule on random kernels: what a Nest computes, run without a compiler
 * (schedule_nest/eval.h), has the bits of the interpreter, which knows no Nests. Transforms are applied because they
 * may be, not because they pay, alone and with others, with any lanes, vectors and thresholds; nest_check accepts each
 * tree and refuses it damaged. What choose.c chooses is run too, and all that it can choose is reached.
 *
 *   schedule_nest [kernels a transform] [first seed]
 */
#include "schedule/choose.h"
#include "schedule_nest/sample.h"
#include "test.h"

#include <math.h>

/* clang-format off */
#define TRANSFORMS(X) \
    X(LANES) X(MASKS) X(UNROLL) X(COLUMNS) X(COPY) X(SEEK) X(DIVIDE) X(STREAM) X(FETCH) X(BLOCKS) X(SHARE) X(FLAT) X(SIDE) X(SPLIT) X(BATCH) \
        X(TILE) X(SERIAL) X(THREADS) X(NEIGHBOURS) X(TURN) X(BLOCK) X(TILES) X(CHOSEN) X(CHOSEN_GRID)
/* What the chooser may choose: a thing of the tree. */
#define CHOICES(X) \
    X(lanes) X(masked) X(vectors) X(rest_masked) X(together) X(copied) X(sought) X(halves) X(quotient) X(stream) X(ahead) X(next) X(tile_ahead) X(side) X(side_halves) \
        X(flat) X(blocks) X(shared_blocks) X(pieces) X(checks_before_pieces) X(product) X(products) X(tiles) X(grid_serial) \
        X(grid_thread) X(grid_block) X(grid_tiles) X(twin) X(no_points) X(neighbours) X(neighbours_there) X(large) X(warps) X(parts) X(across) X(turned) X(fold) X(sync) X(scalar)
/* clang-format on */
#define X(name) T_##name,
typedef enum { TRANSFORMS(X) T_COUNT } Transform;
#undef X
#define X(name) #name,
static const char *const transform_name[] = {TRANSFORMS(X)}, *const choice_name[] = {CHOICES(X)};
#undef X
#define X(name) C_##name,
typedef enum { CHOICES(X) C_COUNT } Choice;
#undef X

static int64_t done[T_COUNT], refused, chosen[C_COUNT];

/* ---- one kernel, its answer, the evaluator ---- */
typedef struct Bench {
    ThContext *c;
    Arena *arena;
    uint64_t seed, state;
    Sample s;
    IKernel ik;
    KernelOrder order;
    Eval e;
    Memory want[KACC + 8];
    int want_kind; /* of its failure, or TH_OK */
} Bench;

static int failed_kind; /* what the interpreter said last */
static int rt_fail(ThFrame *f, int step, int kind, int n, int64_t v0, int64_t v1, int64_t v2, int64_t v3) {
    (void)f, (void)step, (void)n, (void)v0, (void)v1, (void)v2, (void)v3;
    failed_kind = kind;
    return 1;
}

/* The product of both: as written. */
static int rt_gemm(ThFrame *f, const RtProduct *g) {
    (void)f;
    for (int64_t i = 0; i < g->m; i++)
        for (int64_t j = 0; j < g->n; j++) {
            double sum = 0;
            int64_t at = i * g->cs[0] + j * g->cs[1];
            for (int64_t k = 0; k < g->k; k++) {
                int64_t p = i * g->as[0] + k * g->as[1], q = k * g->bs[0] + j * g->bs[1];
                if (g->dtype == TH_FLOAT32) sum += ((const float *)g->a)[p] * ((const float *)g->b)[q];
                else sum += ((const double *)g->a)[p] * ((const double *)g->b)[q];
            }
            if (g->dtype == TH_FLOAT32) {
                float *c = (float *)g->c + at;
                *c = (float)(g->alpha * sum + (g->beta != 0 ? g->beta * *c : 0));
            } else {
                double *c = (double *)g->c + at;
                *c = g->alpha * sum + (g->beta != 0 ? g->beta * *c : 0);
            }
        }
    return 0;
}

static double factor(const Eval *e, int value, double absent) {
    double x = absent;
    if (value >= 0) dtype_cast((char *)&x, TH_FLOAT64, 8, e->value[value].at, (ThDtype)e->k->ins.at[value].dtype, 0, 1);
    return x;
}

static char *operand(const Eval *e, int acc) {
    const Access *a = &e->k->acc.at[acc];
    int64_t at = eval_size(e, a->off);
    for (int d = 0; d < e->k->nouter; d++) at += e->i[d] * eval_size(e, a->st[d]);
    return e->buf[a->buf].at + at * (int64_t)th_dtype_bytes((ThDtype)a->dtype);
}

static int product(Eval *e, const LoopStage *s) {
    const Stage *st = s->st;
    const Access *acc = e->k->acc.at, *a = &acc[st->A], *b = &acc[st->B], *c = &acc[st->C];
    int m = st->d0;
    const RtProduct g = {.dtype = c->dtype,
                         .m = e->n[m],
                         .n = e->n[m + 1],
                         .k = e->n[m + 2],
                         .a = operand(e, st->A),
                         .b = operand(e, st->B),
                         .c = operand(e, st->C),
                         .as = {eval_size(e, a->st[m]), eval_size(e, a->st[m + 2])},
                         .bs = {eval_size(e, b->st[m + 2]), eval_size(e, b->st[m + 1])},
                         .cs = {eval_size(e, c->st[m]), eval_size(e, c->st[m + 1])},
                         .alpha = factor(e, st->alpha, 1),
                         .beta = factor(e, st->beta, 0)};
    return rt_gemm(NULL, &g);
}

/* What the interpreter leaves in memory. */
static bool answer(Bench *w) {
    const Kernel *k = w->s.k;
    ThRt rt = {.fail = rt_fail, .gemm = rt_gemm};
    int number[SAMPLE_SYMS];
    char *base[KACC + 8];
    Step step = {.kind = STEP_KERNEL, .buf = number, .sym = number, .param = k->param.at};
    Plan plan = {.step = &step, .nstep = 1};
    InterpUnit unit = {.plan = &plan, .simd = simd_table(w->c), .kernel = &w->ik, .arena = w->arena};
    for (int i = 0; i < SAMPLE_SYMS; i++) number[i] = i;
    for (int b = 0; b < w->s.nbuf; b++) base[b] = w->s.buf[b].at;
    ThFrame f = {.buf = base, .sym = w->s.sym, .rt = &rt, .plan = &plan};
    f.scratch = aligned_alloc(64, (w->ik.reg_bytes + 127) / 64 * 64);
    if (!f.scratch) return false;
    sample_reset(&w->s);
    failed_kind = TH_OK;
    w->want_kind = interp_step(&unit, 0, &f) ? failed_kind : TH_OK;
    free(f.scratch);
    for (int b = 0; b < w->s.nbuf; b++) {
        size_t bytes = (size_t)w->s.buf[b].bytes;
        w->want[b].at = malloc(bytes + 1);
        if (!w->want[b].at) return false;
        memcpy(w->want[b].at, w->s.buf[b].at, bytes);
    }
    return true;
}

static void bench_end(Bench *w) {
    for (int b = 0; b < w->s.nbuf; b++) free(w->want[b].at), w->want[b].at = NULL;
    free(w->e.regs);
    w->e.regs = NULL;
    for (int b = 0; b < w->s.nbuf && w->e.writer; b++) free(w->e.writer[b]);
    free(w->e.writer);
    w->e.writer = NULL;
    vec_free(w->c, &w->ik.micro);
    sample_free(&w->s);
    arena_free(w->arena);
}

static bool bench_begin(Bench *w, Like like, uint64_t seed) {
    w->seed = seed;
    w->state = seed * 0x2545f4914f6cdd1dull + 1;
    if (!sample_new(&w->s, w->c, like, seed)) return false;
    w->arena = arena_new(w->c);
    w->ik = (IKernel){0};
    Kernel *k = w->s.k;
    bool ok = w->arena && interp_prepare(w->c, simd_table(w->c), k, false, w->arena, &w->ik) &&
              kernel_order(k, w->arena, &w->order);
    th_error_clear(w->c);
    w->e.regs = ok ? malloc(w->ik.reg_bytes + 64) : NULL;
    if (w->e.regs && answer(w)) return true;
    bench_end(w);
    return false;
}

static int pick(Bench *w, int n) {
    w->state = w->state * 6364136223846793005ull + 1442695040888963407ull;
    return (int)((w->state >> 33) % (uint64_t)n);
}

/* ---- the same bits? One NaN is as good as another. ---- */
static bool same(ThDtype d, const char *a, const char *b) {
    if (!memcmp(a, b, th_dtype_bytes(d))) return true;
    ThComplex128 x, y;
    if (dtype_is_discrete(d)) return false;
    dtype_cast((char *)&x, TH_COMPLEX128, 0, a, d, 0, 1);
    dtype_cast((char *)&y, TH_COMPLEX128, 0, b, d, 0, 1);
    bool re = !memcmp(&x.re, &y.re, 8) || (isnan(x.re) && isnan(y.re));
    return re && (!memcmp(&x.im, &y.im, 8) || (isnan(x.im) && isnan(y.im)));
}

static ThDtype dtype_of(const Kernel *k, int buf) {
    for (int i = 0; i < k->acc.n; i++)
        if (k->acc.at[i].buf == buf) return (ThDtype)k->acc.at[i].dtype;
    return TH_INT8;
}

/* The first element that differs, as buffer and place; -1: none. */
static int64_t differs(const Bench *w, int *buf) {
    for (*buf = 0; *buf < w->s.nbuf; ++*buf) {
        const Memory *m = &w->s.buf[*buf];
        ThDtype d = dtype_of(w->s.k, *buf);
        int64_t bytes = (int64_t)th_dtype_bytes(d);
        bool row = apart_is_row(w->s.k, *buf); /* what lies in one row is nobody's answer */
        if (row || !memcmp(m->at, w->want[*buf].at, (size_t)m->bytes)) continue;
        for (int64_t i = 0; i < m->bytes / bytes; i++)
            if (!same(d, m->at + i * bytes, w->want[*buf].at + i * bytes)) return i;
    }
    return -1;
}

static void report(const Bench *w, const Nest *t, const char *by, const char *what) {
    Text x;
    text_init(&x, w->c);
    kernel_text(&x, w->s.k);
    nest_text(&x, t);
    fprintf(stderr, "kernel %llu, %s: %s\n%s", (unsigned long long)w->seed, by, what, x.at ? x.at : "");
    for (int i = 0; i < w->s.nsym; i++) fprintf(stderr, " s%d=%lld", i, (long long)w->s.sym[i]);
    fprintf(stderr, "\n\n");
    text_free(&x);
    if (++test_failures > 4) exit(1);
}

static void run(Bench *w, const Nest *t, const char *by) {
    Eval *e = &w->e;
    int buf;
    char what[200];
    e->c = w->c;
    e->k = w->s.k;
    e->ik = &w->ik;
    e->nest = t;
    e->buf = w->s.buf;
    e->sym = w->s.sym;
    e->product = product;
    e->seed = w->state;
    sample_reset(&w->s);
    EvalEnd end = nest_eval(e);
    if (end == EVAL_WRONG) report(w, t, by, e->why);
    else if ((end == EVAL_FAILED ? e->kind : TH_OK) != w->want_kind) report(w, t, by, "fails differently");
    else if (end == EVAL_OK) {
        int64_t at = differs(w, &buf);
        if (at < 0) return;
        ThDtype d = dtype_of(w->s.k, buf);
        ThComplex128 x[2];
        for (int h = 0; h < 2; h++) {
            const char *p = h ? w->want[buf].at : w->s.buf[buf].at;
            dtype_cast((char *)&x[h], TH_COMPLEX128, 0, p + at * (int64_t)th_dtype_bytes(d), d, 0, 1);
        }
        snprintf(what, sizeof what, "buffer %d, element %lld is %.17g %.17g, not %.17g %.17g", buf, (long long)at,
                 x[0].re, x[0].im, x[1].re, x[1].im);
        report(w, t, by, what);
    }
}

/* ---- damaged trees ---- */
typedef struct Places {
    NestNode **at[256]; /* where nodes hang that must be there */
    int n;
} Places;

/* Whether something runs there: loops around nothing may go. */
static bool find_places(NestNode **at, Places *p) {
    bool any = false;
    for (; *at; at = &(*at)->next) {
        bool runs = ((*at)->kind == NEST_CODE && (*at)->n) || (*at)->kind == NEST_ACC,
             inside = find_places(&(*at)->child, p);
        any |= runs | inside;
        if ((runs || (inside && (*at)->kind == NEST_FOR)) && p->n < TH_LEN(p->at)) p->at[p->n++] = at;
    }
    return any;
}

/* Damages t for good; false where there is nothing to damage. */
static bool damage(Bench *w, Nest *t) {
    Places p = {.n = 0};
    find_places(&t->root, &p);
    if (!p.n) return false;
    NestNode **at = p.at[pick(w, p.n)], *n = *at, *copy = arena_alloc0(w->arena, sizeof *copy);
    int *ids = n->kind == NEST_CODE ? arena_alloc(w->arena, sizeof *ids * (size_t)n->n) : NULL;
    if (!copy) return false;
    if (ids) memcpy(ids, n->ids, sizeof *ids * (size_t)n->n);
    switch (pick(w, 4)) {
    case 0: *at = n->next; return true; /* gone */
    case 1:                             /* twice */
        *copy = *n;
        n->next = copy;
        return true;
    case 2:
        if (n->kind == NEST_ACC) {
            n->how = n->how == ACC_BEGIN ? ACC_END : n->how == ACC_STEP ? ACC_BEGIN : ACC_STEP;
            return true;
        }
        if (!ids) return n->dim++, n->lanes = 0, true;
        n->ids = ids; /* one of them gone */
        n->n--;
        return true;
    default:
        if (n->kind != NEST_CODE) return *at = n->next, true;
        ids[pick(w, n->n)] = t->k->ins.n + pick(w, 3);
        n->ids = ids;
        return true;
    }
}

/* ---- transforms, because they may be ---- */
static const Target *any_target(Bench *w) {
    Target *t = arena_alloc(w->arena, sizeof *t);
    static const char *const names[] = {"sse2", "avx2", "avx512"};
    int which = pick(w, 3);
    if (!t) return NULL;
    *t = *target_named(names[which]);
    if (pick(w, 3) == 0) t->masks = !t->masks;
    return t;
}

typedef struct Wish {
    Transform want;
    bool alone, done;
} Wish;

static bool wanted(Bench *w, Wish *x, Transform t, bool may) {
    if (!may || (t != x->want && (x->alone || pick(w, 100) >= 40))) return false;
    x->done |= t == x->want;
    return true;
}

static void vectors(Bench *w, Nest *t, NestNode *loop, Wish *x) {
    static const int chains[] = {2, 4, 8};
    int live, most = 16, vectors = loop->lanes > 1 ? unroll_vectors(t, loop, chains[pick(w, 3)], &live) : 1;
    if (wanted(w, x, T_COPY, copy_may(t, loop))) loop->copy = 1 + pick(w, 40);
    if (loop->lanes == 1) return;
    if (wanted(w, x, T_SEEK, seek_may(t, loop))) seek_apply(t, loop, 1 + pick(w, 60));
    if (wanted(w, x, T_UNROLL, vectors > 1 && vectors <= most)) {
        loop->vectors = vectors;
        if (unroll_may_mask(t, loop) && pick(w, 2)) loop->tail = TAIL_MASKED;
    } else if (wanted(w, x, T_COLUMNS, columns_may(t, loop))) {
        columns_apply(t, loop, 2 + pick(w, 8));
        if (columns_may_far(t, loop)) loop->far = pick(w, 3);
    } else if (wanted(w, x, T_MASKS, true)) loop->tail = TAIL_MASKED;
}

static void flat_rows(Bench *w, Nest *t) {
    int lanes = t->way->lanes[0];
    flat_apply(t, (FlatRows){.least = pick(w, 6), .below = 1 + pick(w, 3 * lanes), .but = pick(w, 2 * lanes)});
}

static void short_rows(Bench *w, Nest *t, Wish *x) {
    if (wanted(w, x, T_FLAT, flat_may(t))) flat_rows(w, t);
    NestWay *side = side_may(t) ? side_way(t) : NULL;
    if (!wanted(w, x, T_SIDE, side && side->lanes[0] > 1)) return;
    for (int id = 0; id < t->k->ins.n; id++)
        if (divide_may(t, side, id) && pick(w, 2)) divide_apply(side, id);
    side_apply(t, side, pick(w, 4), pick(w, 3) ? SIDE_MOST : 1 + pick(w, SIDE_MOST));
}

static bool is_tiled(const Nest *t) {
    for (const NestNode *s = t->root; s; s = s->next)
        for (const NestNode *n = s->kind == NEST_STAGE ? s->child : NULL; n; n = n->next)
            if (n->kind == NEST_CALL && n->child) return true;
    return false;
}

static bool host(Bench *w, Nest *t, Wish *x) {
    t->target = any_target(w);
    if (!t->target || !nest_plain(t)) return false;
    wanted(w, x, T_TILE, is_tiled(t));
    bool lanes =
        x->want == T_SPLIT || x->want == T_BLOCKS || x->want == T_SHARE || x->want == T_COPY ? pick(w, 4) > 0 : true;
    if (lanes && !lanes_apply(t)) return false;
    x->done |= x->want == T_LANES;
    for (int s = 0; s < t->k->st.n && lanes; s++) {
        NestNode *loop = nest_vec(t, s);
        if (loop) vectors(w, t, loop, x);
    }
    for (int id = 0; id < t->k->ins.n; id++)
        if (divide_may(t, t->way, id) && wanted(w, x, T_DIVIDE, true)) divide_apply(t->way, id);
    for (int id = 0; id < t->k->ins.n; id++)
        if (stream_may(t, id) && wanted(w, x, T_STREAM, true)) stream_apply(t, id);
    Text was;
    if (x->want == T_FETCH || pick(w, 3) == 0) {
        text_init(&was, w->c);
        fetch_rows(t);
        for (int s = 0; s < t->k->st.n; s++) tile_fetch(t, s, CHOOSE_AHEAD);
        nest_text(&was, t);
        x->done |= x->want == T_FETCH && was.at && strstr(was.at, "fetch next");
        text_free(&was);
    }
    if (kernel_in_blocks(t->k)) {
        if (!wanted(w, x, x->want == T_SHARE ? T_SHARE : T_BLOCKS, true)) return false; /* the order asks for blocks */
        return blocks_apply(t, (x->want == T_SHARE || pick(w, 2)) && blocks_may_share(t));
    }
    short_rows(w, t, x);
    if (wanted(w, x, T_SPLIT, split_may(t))) split_apply(t);
    if (wanted(w, x, T_BATCH, split_batch_may(t))) split_batch(t);
    return true;
}

/* Whether a launch of the kernel has points. */
static bool has_points(Bench *w, const Nest *t) {
    w->e.sym = w->s.sym;
    for (int l = 0; l < t->depth && t->grid != GRID_TILES; l++)
        if (eval_size(&w->e, t->k->dim[w->order.stage[0].loop[l]].n) <= 0) return false;
    return true;
}

static bool device(Bench *w, Nest *t, Wish *x) {
    GridKind kind = x->want == T_SERIAL       ? GRID_SERIAL
                    : x->want == T_THREADS    ? GRID_THREAD
                    : x->want == T_NEIGHBOURS ? GRID_THREAD
                    : x->want == T_TURN       ? GRID_THREAD
                    : x->want == T_BLOCK      ? GRID_BLOCK
                                              : GRID_TILES;
    t->target = &target_cuda;
    const Kernel *k = t->k;
    bool many = k->nouter || k->st.n > 1;
    int most = grid_depth(t), depth = many || kind == GRID_SERIAL || kind == GRID_TILES ? k->nouter
                                      : x->want == T_NEIGHBOURS || x->want == T_TURN    ? most
                                                                                        : pick(w, most + 1);
    if (k->st.at[k->st.n - 1].cls == STAGE_GEMM && kind != GRID_TILES) return false;
    if (!grid_may(t, kind, depth)) return false;
    t->across = kind == GRID_BLOCK && depth && grid_may_part(t, depth, true) && pick(w, 2);
    t->parts = t->across || (kind == GRID_BLOCK && grid_may_part(t, depth, false) && pick(w, 2));
    if (!grid_apply(t, kind, depth)) return false;
    t->warp = kind == GRID_BLOCK && !t->parts && pick(w, 2);
    if (x->want == T_NEIGHBOURS && !(neighbours_may(t) && neighbours_apply(t, 2 + pick(w, 15)))) return false;
    if (x->want == T_TURN && !(turn_loop(t) >= 0 && turn_apply(t, turn_loop(t)))) return false;
    return x->done = has_points(w, t) || !grid_may_fail(t); /* without points another Nest looks at what may fail */
}

static bool shadow(Bench *w, bool on) {
    for (int b = 0; b < w->s.nbuf && w->e.writer; b++) free(w->e.writer[b]);
    free(w->e.writer);
    w->e.writer = on ? calloc(KACC + 8, sizeof *w->e.writer) : NULL;
    for (int b = 0; b < w->s.nbuf && on; b++)
        w->e.writer[b] = calloc((size_t)w->s.buf[b].bytes + 1, sizeof **w->e.writer);
    return true;
}

static bool make(Bench *w, Nest *t, Transform want, uint64_t state) {
    Wish x = {.want = want};
    w->state = state;
    x.alone = pick(w, 3) == 0;
    *t = (Nest){.k = w->s.k, .o = &w->order, .arena = w->arena};
    bool ok = want >= T_SERIAL && want <= T_TILES ? device(w, t, &x) : host(w, t, &x);
    return ok && x.done && !t->failed;
}

static void try(Bench *w, Transform want) {
    Nest t;
    uint64_t state = w->state;
    if (!make(w, &t, want, state)) return;
    done[want]++;
    const char *by = transform_name[want];
    if (!nest_check(&t)) {
        report(w, &t, by, "is no tree");
        return;
    }
    shadow(w, t.grid == GRID_BLOCK);
    run(w, &t, by);
    if (pick(w, 3) || !make(w, &t, want, state)) return;
    w->state ^= state << 7 ^ done[want];
    if (!damage(w, &t)) return;
    refused++;
    if (nest_check(&t)) report(w, &t, by, "is damaged and passes");
}

/* ---- what is chosen ---- */
static void note(NestNode *n, void *user) {
    const Nest *t = user;
    if (n->kind == NEST_FOR && n->how == FOR_VECTOR) {
        chosen[n->lanes > 1 ? C_lanes : C_scalar]++;
        chosen[C_masked] += n->lanes > 1 && n->vectors == 1 && n->tail == TAIL_MASKED;
        chosen[C_vectors] += n->vectors > 1 && !n->jam;
        chosen[C_rest_masked] += n->vectors > 1 && n->tail == TAIL_MASKED;
        chosen[C_together] += n->jam;
        chosen[C_copied] += n->copy > 0;
        chosen[C_sought] += n->seek > 0;
    }
    for (int j = 0; n->kind == NEST_CODE && j < n->n; j++) {
        int v = n->way->value[n->ids[j]];
        chosen[n->way->kind == WAY_SIDE ? C_side_halves : C_halves] += (v & VALUE_HALVES) != 0;
        chosen[C_quotient] += (v & VALUE_QUOTIENT) != 0;
        chosen[C_stream] += (v & VALUE_STREAM) != 0;
    }
    chosen[C_ahead] += n->kind == NEST_MOVE && n->how == MOVE_AHEAD;
    chosen[C_next] += n->kind == NEST_MOVE && n->how == MOVE_NEXT && n->n == 1;
    chosen[C_tile_ahead] += n->kind == NEST_MOVE && n->how == MOVE_NEXT && n->n > 1;
    chosen[C_side] += n->kind == NEST_WAY && n->way->kind == WAY_SIDE;
    chosen[C_flat] += n->kind == NEST_WAY && n->way->kind == WAY_FLAT;
    chosen[C_blocks] += n->kind == NEST_FOR && n->how == FOR_BLOCK;
    chosen[C_shared_blocks] += n->kind == NEST_FOR && n->how == FOR_BLOCK && n->share;
    chosen[C_pieces] += n->kind == NEST_FOR && n->how == FOR_PIECE;
    chosen[C_checks_before_pieces] += n->kind == NEST_FOR && n->how == FOR_PIECE && n != t->root;
    chosen[C_products] += n->kind == NEST_CALL && n->share;
    chosen[C_product] += n->kind == NEST_CALL && !n->child && t->target != &target_cuda;
    chosen[C_tiles] += n->kind == NEST_CALL && n->child && t->target != &target_cuda;
    chosen[C_fold] += n->kind == NEST_ACC && n->how == ACC_FOLD;
    chosen[C_sync] += n->kind == NEST_SYNC;
    bool lanes = n->kind == NEST_FOR && n->how == FOR_LANES;
    chosen[lanes && n->tail == TAIL_MASKED ? C_neighbours : C_neighbours_there] += lanes;
}

static void see(Bench *w, Nest *t, Transform by) {
    done[by]++;
    if (!nest_check(t)) {
        report(w, t, transform_name[by], "is no tree");
        return;
    }
    nest_each(t->root, note, t);
    shadow(w, t->grid == GRID_BLOCK);
    run(w, t, transform_name[by]);
}

static void choose(Bench *w) {
    static const char *const names[] = {"sse2", "avx2", "avx512"};
    NestAsk ask = {.threads = pick(w, 2), .known = pick(w, 2), .candidate = pick(w, 2) ? pick(w, 8) : 0};
    Nest *t = nest_choose(w->s.k, &w->order, target_named(names[pick(w, 3)]), ask, w->arena);
    CHECK(t);
    if (t) see(w, t, T_CHOSEN);
}

static void choose_grid(Bench *w) {
    Nest *t = nest_choose_grid(w->s.k, &w->order, &target_cuda, w->arena);
    CHECK(t);
    if (!t) return;
    bool none = t->none && !has_points(w, t);
    chosen[C_grid_serial + t->grid]++;
    chosen[C_no_points] += none;
    see(w, none ? t->none : t, T_CHOSEN_GRID);
    chosen[C_twin] += t->twin != NULL;
    chosen[C_large] += t->large != NULL;
    if (t->twin && !none) see(w, t->twin, T_CHOSEN_GRID);
    chosen[C_warps] += t->warps != NULL;
    chosen[C_parts] += t->twin && t->twin->parts && !t->twin->across;
    chosen[C_across] += t->twin && t->twin->across;
    chosen[C_turned] += t->twin && t->twin->tiled;
    if (t->warps && !none) see(w, t->warps, T_CHOSEN_GRID);
}

/* ---- all of them ---- */
static const Like best[T_COUNT] = {
    [T_UNROLL] = LIKE_ROWS,  [T_COLUMNS] = LIKE_COLUMNS, [T_COPY] = LIKE_COPY,        [T_DIVIDE] = LIKE_MATH,
    [T_SEEK] = LIKE_PLACES,  [T_FETCH] = LIKE_AGAIN,     [T_BLOCKS] = LIKE_BLOCKS,    [T_SHARE] = LIKE_BLOCKS,
    [T_FLAT] = LIKE_FLAT,    [T_SIDE] = LIKE_SIDE,       [T_TILE] = LIKE_PRODUCT,     [T_BATCH] = LIKE_PRODUCT,
    [T_SERIAL] = LIKE_EXACT, [T_THREADS] = LIKE_EXACT,   [T_NEIGHBOURS] = LIKE_EXACT, [T_TURN] = LIKE_TURNED,
    [T_BLOCK] = LIKE_EXACT,  [T_TILES] = LIKE_PRODUCT,   [T_CHOSEN_GRID] = LIKE_EXACT};

/* What a library without generated C, or without GPUs, has no way for. */
static bool lacks(int t) { return (!TH_COMPILER && t == T_SIDE) || (!TH_CUDA && t == T_NEIGHBOURS); }
static bool never(int choice) {
    bool side = choice == C_side || choice == C_side_halves;
    bool neighbours = choice == C_neighbours || choice == C_neighbours_there;
    return (!TH_COMPILER && side) || (!TH_CUDA && neighbours);
}

/* Something was not chosen yet; fewer kernels miss what is rarely chosen. */
static bool missing(int64_t most) {
    bool some = false;
    for (int i = 0; i < C_COUNT && most >= 1000; i++) some |= !chosen[i] && !never(i);
    return some;
}

static void kernel(Bench *w, Like like, uint64_t seed, int64_t most) {
    if (!bench_begin(w, like, seed)) return;
    bool grid = like == LIKE_EXACT || like == LIKE_PRODUCT || like == LIKE_TURNED;
    for (int t = 0; t < T_CHOSEN; t++)
        if (done[t] < most && (grid || t < T_SERIAL || t > T_TILES)) try(w, (Transform)t);
    if (done[T_CHOSEN] < most || missing(most)) choose(w);
    if (grid && (done[T_CHOSEN_GRID] < most || missing(most))) choose_grid(w);
    bench_end(w);
}

int main(int argc, char **argv) {
#ifdef __SANITIZE_ADDRESS__
    int64_t most = 300;
#else
    int64_t most = 2000;
#endif
    most = test_amount(most);
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    if (argc > 1) most = atoll(argv[1]);
    Bench w = {.c = th_context_new(NULL)};
    CHECK(w.c && eval_room(&w.e));
    for (int64_t tries = 0, all = 0; !all && tries < 100 * most + 1000; tries++) {
        Like like = (Like)(tries % LIKE_COUNT);
        for (int t = 0; t < T_COUNT; t++) /* those that few kernels suit */
            if (tries % 3 && !lacks(t) && done[t] < done[tries % T_COUNT] / 2) like = best[t];
        kernel(&w, like, seed++, most);
        all = !missing(most);
        for (int t = 0; t < T_COUNT; t++) all &= done[t] >= most || lacks(t);
    }
    for (int t = 0; t < T_COUNT; t++) {
        if (argc > 1 || done[t] < most) printf("%-12s %6lld kernels\n", transform_name[t], (long long)done[t]);
        CHECK(done[t] >= most || lacks(t));
    }
    for (int i = 0; i < C_COUNT; i++) {
        if (argc > 1 || !chosen[i]) printf("chosen %-20s %6lld times\n", choice_name[i], (long long)chosen[i]);
    }
    CHECK(!missing(most));
    CHECK(refused > most);
    eval_room_free(&w.e);
    th_context_release(w.c);
    return test_done("schedule_nest");
}
