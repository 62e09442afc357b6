/*
 * grid.c -- a kernel's leading parallel loops spread over the grid of a GPU, and what happens inside: one thread's
 * loops, or loops over the threads of a block, whose accumulators are folded by a fixed tree. Always holds: points are
 * independent, no store stands between the loops that are spread, and no thread leaves while others wait for it.
 */
#include "ops/table/ops.h"
#include "choose.h"
#include "nest.h"

/* ---- may it ---- */
/* A draw, and what follows its numbers one by one. */
static bool draw_only(const Kernel *k) {
    return k->st.n == 1 && k->st.at[0].cls == STAGE_DRAW && !k->nouter && (!k->st.at[0].nins || kernel_tiles(k, 0));
}

bool grid_can(const Kernel *k) {
    if (k->st.n && draw_only(k)) return true;
    bool product = false, good = k->st.n > 0;
    for (int i = 0; i < k->st.n; i++) {
        product |= k->st.at[i].cls == STAGE_GEMM;
        good &= k->st.at[i].cls == STAGE_LOOP || (k->st.at[i].cls == STAGE_GEMM && i == k->st.n - 1);
    }
    Contract c;
    return good && (!product || contract_stage(k, &c));
}

bool grid_can_leave(const Kernel *k, const Ins *i) {
    if (i->op == INS_FAIL_IF || i->op == INS_CHECK_INDEX) return true;
    return k->can_fail && i->op < INS_LOAD && (scalar_ops[i->op].flags & SF_FAILS) &&
           dtype_is_discrete((ThDtype)i->in_dtype);
}

/* Memory of one row. */
static bool has_row(const Kernel *k) {
    for (int a = 0; a < k->acc.n; a++)
        if (k->acc.at[a].flags & ACC_ROWTEMP) return true;
    return false;
}

/* Sequential dims, and stores whose place is a value: the order of points matters. */
static bool ordered(const Kernel *k) {
    for (int d = 0; d < k->ndim; d++)
        if (k->dim[d].kind == DIM_SEQ) return true;
    for (int i = 0; i < k->ins.n; i++)
        if (k->ins.at[i].op == INS_STORE && k->acc.at[k->ins.at[i].a].idx >= 0) return true;
    return false;
}

/* A store before the loops inside, of a buffer that nothing reads: the first of their points does it. */
static bool may_once(const Nest *t, int id) {
    const Kernel *k = t->k;
    const LoopStage *s = &t->o->stage[0];
    int depth = k->ins.at[id].depth, buf = k->acc.at[k->ins.at[id].a].buf;
    bool before = false;
    for (int i = s->pre[depth]; i < s->pre[depth] + s->npre[depth]; i++) before |= t->o->code[i] == id;
    for (int i = 0; i < k->ins.n; i++)
        if (k->ins.at[i].op == INS_LOAD && k->acc.at[k->ins.at[i].a].buf == buf) return false;
    return before;
}

int grid_depth(const Nest *t) {
    const Kernel *k = t->k;
    const LoopStage *s = &t->o->stage[0];
    int d = 0;
    while (d < s->nloop && k->dim[s->loop[d]].kind == DIM_PAR) d++;
    for (int r = 0; r < k->red.n; r++)
        if (k->red.at[r].depth < d) d = k->red.at[r].depth;
    for (int i = 0; i < k->ins.n; i++)
        if (k->ins.at[i].op == INS_STORE && k->ins.at[i].depth < d && !may_once(t, i)) d = k->ins.at[i].depth;
    return d;
}

/* How a stage's loops inside `depth` are spread over a block. */
typedef enum { SPREAD_NOT, SPREAD_NONE, SPREAD_POINTS, SPREAD_REDUCE, SPREAD_ROWS } Spread;

static bool is_loop(const Kernel *k, const LoopStage *s, int from, DimKind kind) {
    for (int l = from; l < s->nloop; l++)
        if (k->dim[s->loop[l]].kind != kind) return false;
    return true;
}

static int first_reduced(const Kernel *k, const LoopStage *s, int depth) {
    while (depth < s->nloop && k->dim[s->loop[depth]].kind == DIM_PAR) depth++;
    return depth;
}

static Spread spread(const Kernel *k, const LoopStage *s, int depth) {
    const Stage *st = s->st;
    int par = first_reduced(k, s, depth);
    bool reduces = st->nred > 0;
    if (!is_loop(k, s, par, DIM_RED) || (par < s->nloop) != reduces) return SPREAD_NOT;
    for (int r = st->red0; r < st->red0 + st->nred; r++)
        if (k->red.at[r].depth != par) return SPREAD_NOT;
    int inner = reduces && par > depth ? par : s->nloop; /* depth of the code that is spread */
    bool straight = k->st.n == 1 && inner == s->nloop;   /* who fails leaves the loop, and all meet behind it */
    for (int i = st->ins0; i < st->ins0 + st->nins; i++) {
        const Ins *n = &k->ins.at[i];
        if (n->depth > depth && grid_can_leave(k, n) && !straight) return SPREAD_NOT;
        if (n->op == INS_STORE && n->depth > depth && n->depth < inner) return SPREAD_NOT;
    }
    if (depth == s->nloop) return SPREAD_NONE;
    return !reduces ? SPREAD_POINTS : par == depth ? SPREAD_REDUCE : SPREAD_ROWS;
}

bool grid_folds(const Nest *t, int depth) { return spread(t->k, &t->o->stage[0], depth) == SPREAD_REDUCE; }

bool grid_may(const Nest *t, GridKind kind, int depth) {
    const Kernel *k = t->k;
    if (kind == GRID_DRAW || draw_only(k)) return kind == GRID_DRAW && draw_only(k);
    if (kind == GRID_SERIAL) return true;
    if (kind == GRID_SCATTER) return scatter_form(k).how != SCATTER_NOT;
    if (kind == GRID_TILES) return contract_of(k, t->o, t->arena, &(Contract){.red = -1});
    if (ordered(k)) return false;
    if (kind == GRID_THREAD && (k->nouter || k->st.n > 1)) return k->nouter && !has_row(k);
    for (int i = 0; kind == GRID_BLOCK && i < k->st.n; i++)
        if (spread(k, &t->o->stage[i], depth) == SPREAD_NOT) return false;
    return true;
}

/* What stands around the points may fail or stores, where there are none too. */
bool grid_may_fail(const Nest *t) {
    const Kernel *k = t->k;
    for (int i = 0; i < k->ins.n && t->grid != GRID_SERIAL; i++)
        if (k->ins.at[i].depth < t->depth && (grid_can_leave(k, &k->ins.at[i]) || k->ins.at[i].op == INS_STORE))
            return true;
    return false;
}

/* Past this an index could leave 32 bits on its way. */
enum { GRID_FITS = 1 << 30 };

static bool fits(int64_t *sum, int64_t n, int64_t step) {
    int64_t x;
    return !__builtin_mul_overflow(n, step < 0 ? -step : step, &x) && !__builtin_add_overflow(*sum, x, sum) &&
           *sum <= GRID_FITS;
}

static bool access_fits(const Kernel *k, const Access *a, const int64_t *sym) {
    int64_t reach = 0;
    bool good = fits(&reach, 1, size_value(a->off, sym));
    for (int d = 0; d < k->ndim && good; d++) {
        int64_t n = size_value(k->dim[d].n, sym), step = size_value(a->st[d], sym);
        good = !step || (n <= GRID_FITS && fits(&reach, n > 0 ? n : 1, step));
    }
    return good;
}

static bool stage_fits(const Kernel *k, const Stage *st, const int64_t *sym) {
    int64_t points = 1;
    for (int d = 0; d < k->ndim; d++) {
        int64_t n = size_value(k->dim[d].n, sym), before = points;
        bool own = d < k->nouter || (d >= st->d0 && d < st->d0 + st->nd);
        points = 0;
        if (!fits(&points, before, own && n > 1 ? n : 1)) return false;
    }
    return true;
}

bool grid_fits(const Kernel *k, const int64_t *sym) {
    bool good = true;
    for (int s = 0; s < k->st.n && good; s++) good = stage_fits(k, &k->st.at[s], sym);
    for (int a = 0; a < k->acc.n && good; a++) good = access_fits(k, &k->acc.at[a], sym);
    for (int i = 0; i < k->size.n && good; i++) {
        int64_t sum = 0;
        good = fits(&sum, 1, size_value(k->size.at[i], sym));
    }
    return good;
}

int grid_group(const Nest *t) {
    if (t->grid != GRID_BLOCK) return 1;
    return t->warp ? CHOOSE_WARP : t->across ? CHOOSE_STRANDS : CHOOSE_THREADS;
}

/* Only the last of a point's blocks goes on behind the reduction, and no thread leaves while others of its block wait
 * for it: where columns differ, none at all. */
bool grid_may_part(const Nest *t, int depth, bool across) {
    const Kernel *k = t->k;
    const LoopStage *s = &t->o->stage[0];
    if (k->st.n != 1 || !grid_folds(t, depth)) return false;
    for (int i = 0; i < k->ins.n; i++)
        if ((across && k->ins.at[i].depth && grid_can_leave(k, &k->ins.at[i])) ||
            (k->ins.at[i].op == INS_STORE && k->ins.at[i].depth < depth))
            return false;
    for (int j = s->pre[depth]; j < s->pre[depth] + s->npre[depth]; j++)
        if (k->ins.at[t->o->code[j]].op == INS_STORE) return false;
    return true;
}

/* ---- private rows ---- */
size_t grid_row_item(const Kernel *k, int buf) {
    for (int a = 0; a < k->acc.n; a++)
        if (k->acc.at[a].buf == buf && (k->acc.at[a].flags & ACC_ROWTEMP))
            return th_dtype_bytes((ThDtype)k->acc.at[a].dtype);
    return 0;
}

int64_t grid_row(const Kernel *k, int buf, const int64_t *sym) {
    int64_t most = 0, item = (int64_t)grid_row_item(k, buf), whole = 16 / item;
    for (int i = 0; i < k->acc.n; i++) {
        const Access *a = &k->acc.at[i];
        int64_t last = size_value(a->off, sym);
        if (a->buf != buf) continue;
        for (int d = 0; d < k->ndim; d++) {
            int64_t step = size_value(a->st[d], sym), n = size_value(k->dim[d].n, sym);
            if (step > 0 && n > 1) last += (n - 1) * step;
        }
        most = last + 1 > most ? last + 1 : most;
    }
    return (most + whole - 1) / whole * whole;
}

int64_t grid_rows(const Kernel *k, const int64_t *sym) {
    int64_t bytes = 0;
    for (int b = 0; b < k->nbuf; b++) {
        int64_t item = (int64_t)grid_row_item(k, b);
        if (item) bytes += grid_row(k, b, sym) * item;
    }
    return bytes;
}

/* ---- doing it ---- */
static NestNode **shared_code(Nest *t, NestNode **at, int stage, const int *ids, int n) {
    NestNode **next = nest_code(t, at, t->way, stage, ids, n);
    if (n) (*at)->share = true;
    return next;
}

static NestNode **points(Nest *t, NestNode **at, NestHow how, int stage, int from, int to, NestNode **out) {
    at = nest_put(t, at, t->way, NEST_FOR, stage, out);
    (*out)->how = (uint8_t)how;
    (*out)->loop = from;
    (*out)->n = to - from;
    (*out)->lanes = (*out)->vectors = 1;
    return at;
}

/* Around points: every one of them computes it, the first one stores. */
static NestNode **outer_code(Nest *t, NestNode **at, int stage, const int *ids, int n) {
    bool stores = false;
    for (int i = 0; i < n; i++) stores |= t->k->ins.at[ids[i]].op == INS_STORE;
    return stores && t->grid != GRID_SERIAL ? shared_code(t, at, stage, ids, n)
                                            : nest_code(t, at, t->way, stage, ids, n);
}

/* A stage over the threads of a block. */
static void over_threads(Nest *t, NestNode **at, int stage, int depth) {
    const LoopStage *s = &t->way->stage[stage];
    const int *code = t->o->code;
    Spread how = spread(t->k, s, depth);
    bool folds = how == SPREAD_REDUCE;
    int to = how == SPREAD_ROWS ? first_reduced(t->k, s, depth) : s->nloop;
    at = shared_code(t, at, stage, code + s->pre[depth], s->npre[depth]);
    if (folds) at = nest_acc(t, at, t->way, stage, ACC_BEGIN, s->st->red0, s->st->nred);
    if (how != SPREAD_NONE) {
        NestNode *loop, **in;
        at = points(t, at, FOR_THREAD, stage, depth, to, &loop);
        in = &loop->child;
        for (int d = depth + 1; d < to + (how != SPREAD_ROWS); d++)
            in = nest_code(t, in, t->way, stage, code + s->pre[d], s->npre[d]);
        if (how == SPREAD_ROWS) in = nest_stage(t, in, t->way, stage, to);
        if (folds) nest_acc(t, in, t->way, stage, ACC_STEP, s->st->red0, s->st->nred);
    }
    if (folds) at = nest_acc(t, at, t->way, stage, ACC_FOLD, s->st->red0, s->st->nred);
    if (folds && t->parts) at = nest_acc(t, at, t->way, stage, ACC_JOIN, s->st->red0, s->st->nred);
    shared_code(t, at, stage, code + s->post[depth], s->npost[depth]);
}

/* Factors of a product first; on its points what stands around the sum, and after it. */
static bool tiles(Nest *t) {
    const KernelOrder *o = t->o;
    NestNode **at = &t->root, *call, **in;
    Contract *c = arena_alloc0(t->arena, sizeof *c);
    int last = t->k->st.n - 1;
    if (!c || !contract_of(t->k, o, t->arena, c)) return false;
    t->contract = c;
    for (int i = 0; i <= last; i++) at = nest_code(t, at, t->way, i, o->code + o->stage[i].pre[0], o->stage[i].npre[0]);
    nest_put(t, at, t->way, NEST_CALL, last, &call);
    call->n = 1;
    in = &call->child;
    const LoopStage *s = &o->stage[last];
    for (int d = 1; d <= c->points; d++) in = nest_code(t, in, t->way, last, o->code + s->pre[d], s->npre[d]);
    for (int d = c->points; d >= 1; d--) in = nest_code(t, in, t->way, last, o->code + s->post[d], s->npost[d]);
    return !t->failed && !s->npost[0];
}

static bool draw(Nest *t) {
    const LoopStage *s = &t->o->stage[0];
    NestNode *stage, *call;
    nest_put(t, &t->root, t->way, NEST_STAGE, 0, &stage);
    nest_put(t, &stage->child, t->way, NEST_CALL, 0, &call);
    NestNode **in = &call->child;
    for (int d = 0; d <= s->nloop; d++) {
        in = nest_code(t, in, t->way, 0, t->o->code + s->pre[d], s->npre[d]);
        in = nest_code(t, in, t->way, 0, t->o->code + s->post[d], s->npost[d]);
    }
    return !t->failed;
}

bool grid_apply(Nest *t, GridKind kind, int depth) {
    const KernelOrder *o = t->o;
    NestNode *grid, **at;
    t->grid = kind;
    t->depth = depth;
    t->root = NULL;
    t->way = nest_way(t, WAY_PLAIN);
    if (!t->way) return false;
    for (int i = 0; i < t->k->st.n; i++) t->way->stage[i].vec = -1; /* one lane, and one accumulator a thread */
    if (kind == GRID_TILES) return tiles(t);
    if (kind == GRID_DRAW) return draw(t);
    if (kind == GRID_SCATTER) return scatter_apply(t);
    /* One thread looks at what may fail before there is any point. */
    bool before = kind == GRID_SERIAL && depth > 0;
    at = &t->root;
    for (int i = 0; before && i < t->k->st.n; i++)
        at = nest_code(t, at, t->way, i, o->code + o->stage[i].pre[0], o->stage[i].npre[0]);
    points(t, at, FOR_GRID, 0, 0, depth, &grid);
    grid->share = kind == GRID_BLOCK && t->parts;
    at = &grid->child;
    for (int d = before; d < depth; d++)
        for (int i = 0; i < t->k->st.n; i++)
            at = outer_code(t, at, i, o->code + o->stage[i].pre[d], o->stage[i].npre[d]);
    for (int i = 0; i < t->k->st.n; i++) {
        NestNode *stage;
        at = nest_put(t, at, t->way, NEST_STAGE, i, &stage);
        if (kind == GRID_BLOCK) over_threads(t, &stage->child, i, depth);
        else nest_stage(t, &stage->child, t->way, i, depth);
        if (kind == GRID_BLOCK) at = nest_put(t, at, t->way, NEST_SYNC, i, NULL); /* others read what it wrote */
    }
    return !t->failed;
}

Nest *grid_each(const Nest *t) {
    Nest *one = arena_alloc0(t->arena, sizeof *one);
    if (!one) return NULL;
    *one = (Nest){.k = t->k, .o = t->o, .target = t->target, .arena = t->arena};
    if (!grid_apply(one, GRID_THREAD, t->depth)) return NULL;
    one->large = t->large; /* whether indices have 32 bits */
    return one;
}
