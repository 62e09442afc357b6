/*
 * turns.c -- all turns of a loop by one launch, whose blocks wait for each other (schedule/turns.c). In: a loop that is
 * about to run, its windows as in turn 0. Out: the launch; or nothing, where it cannot be or does not pay, and its
 * steps are launched one by one.
 *
 * Which steps need a wait before them is told by addresses: a step waits where it touches what one since the last wait
 * wrote, or writes what one touched; but not where the same thread did it, at the same point. Each turn has a wait at
 * least, so that nothing meets what is two turns away. Points behind a product, one for each place of its parts (a
 * cell's gates), go to the blocks that multiplied there if that saves a wait: they see what their own block wrote.
 *
 * Where all steps share their rows out alike, and no row meets what is another's in any turn, blocks wait for those of
 * their own rows alone. Groups of blocks may then be any number of turns apart.
 */
#include "launch_state.h"

#include "schedule/choose.h"

#include <string.h>

/* What a step does to a stretch of memory: elements of one access, or what a copy moves. */
typedef struct Touch {
    int64_t first, bytes; /* in turn 0 */
    int window;           /* it moves with the turns as this window does, or -1 */
    bool write;
    const Access *a;  /* NULL: of a copy, or no one knows where */
    DeviceAddress at; /* of the access' first element */
    int64_t from;     /* where its window lies */
} Touch;
typedef struct Touched {
    int step; /* of the loop */
    const GridKernel *g;
    const int64_t *sizes;
    int lanes; /* points of a thread that are neighbours */
    bool each; /* a thread has a point */
    GridSpread spread;
    Touch touch[KACC];
    int n;
} Touched;

typedef struct Turning {
    const GridTurns *t;
    int64_t trip;
    const GridWindow *window;
    Touched *step;
    const Touch *told; /* rows of a product that are looked for: none need wait for those who write them */
} Turning;

static bool is_product(const Touched *s) { return s->g && s->g->nest->grid == GRID_TILES; }

/* ---- what steps touch -------------------------------------------------------------------------------------------- */
/* Bytes from *first on that an access reaches; false: wherever an index leads. */
static bool reach(const GridKernel *g, const int64_t *sizes, const Access *a, int64_t *first, int64_t *bytes) {
    int64_t item = (int64_t)th_dtype_bytes((ThDtype)a->dtype), from = size_value(a->off, sizes), to = from;
    if (a->idx >= 0) return false;
    for (int d = 0; d < g->k->ndim; d++) {
        int64_t n = size_value(g->k->dim[d].n, sizes), step = size_value(a->st[d], sizes);
        if (n < 1) n = 1;
        if (step < 0) from += (n - 1) * step;
        else to += (n - 1) * step;
    }
    *first = from * item;
    *bytes = (to - from + 1) * item;
    return true;
}

static bool add(Touched *s, Touch t) {
    if (s->n == KACC) return false;
    s->touch[s->n++] = t;
    return true;
}

/* b: where the step's buffers lie in turn 0. */
static bool kernel_touches(const Plan *p, const GridTurns *t, const Step *s, const DeviceAddress *b, Touched *out) {
    const Kernel *k = out->g->k;
    for (int i = 0; i < k->acc.n; i++) {
        const Access *a = &k->acc.at[i];
        Touch one = {.window = turns_window(p, t, s->buf[a->buf]), .write = a->flags & (ACC_WRITE | ACC_ADD), .a = a};
        if (!reach(out->g, out->sizes, a, &one.first, &one.bytes)) return false;
        one.first += one.from = (int64_t)b[a->buf];
        one.at =
            b[a->buf] + (DeviceAddress)(size_value(a->off, out->sizes) * (int64_t)th_dtype_bytes((ThDtype)a->dtype));
        if (!add(out, one)) return false;
    }
    return true;
}

static bool copy_touches(const Plan *p, const GridTurns *t, const Step *s, const GridCopy *c, Touched *out) {
    Touch from = {.first = (int64_t)c->from, .bytes = c->bytes, .window = turns_window(p, t, s->buf[0])};
    Touch to = {.first = (int64_t)c->to, .bytes = c->bytes, .window = turns_window(p, t, s->buf[1]), .write = true};
    from.from = from.first, to.from = to.first;
    return add(out, from) && add(out, to);
}

/* ---- who waits --------------------------------------------------------------------------------------------------- */
static int64_t far_of(const GridWindow *v) { return v->step < 0 ? -v->step : v->step; }

/* It goes from one of a ring's equal slots to the next. */
static bool slots(const GridWindow *v) { return v->step && v->ring % v->step == 0 && v->at % v->step == 0; }

/* What is touched lies in the window's slot alone. */
static bool in_slot(const GridWindow *v, const Touch *t) {
    return slots(v) && t->first >= t->from && t->first + t->bytes <= t->from + far_of(v);
}

/* All that it touches in any turn. */
static void whole(const Turning *w, const Touch *t, int64_t *from, int64_t *to) {
    *from = t->first, *to = t->first + t->bytes;
    if (t->window < 0) return;
    const GridWindow *v = &w->window[t->window];
    int64_t far = (w->trip - 1) * v->step;
    if (v->ring > 0) *from -= v->at, *to += v->ring - v->at - (slots(v) ? far_of(v) : 0);
    else if (far > 0) *to += far;
    else *from += far;
}

/* Both move alike, and lie apart so many turns from each other. */
static bool windows_apart(const Turning *w, const Touch *x, const Touch *y, int64_t turns) {
    const GridWindow *v = &w->window[x->window], *u = &w->window[y->window];
    int64_t apart = y->first - x->first + turns * v->step;
    if (v->step != u->step || v->ring != u->ring || !v->step) return false;
    if (v->ring > 0) {
        if (x->from - v->at != y->from - u->at) return false; /* one place where both begin anew */
        apart = (apart % v->ring + v->ring) % v->ring;
        return in_slot(v, x) && in_slot(u, y) && apart >= x->bytes && v->ring - apart >= y->bytes;
    }
    return apart >= x->bytes || -apart >= y->bytes;
}

/* Rows that the access goes through, so many elements from one to the next, and how wide they are. */
static bool rows_of(const Touched *x, const Touch *t, int64_t *far, int64_t *wide) {
    *far = 0, *wide = 1;
    for (int d = 0; t->a && d < x->g->k->ndim; d++) {
        int64_t n = size_value(x->g->k->dim[d].n, x->sizes), step = n > 1 ? size_value(t->a->st[d], x->sizes) : 0;
        if (step < 0) return false;
        *wide += (n - 1) * step;
        if (step > *far) *far = step;
    }
    for (int d = 0; d < x->g->k->ndim && *far; d++)
        if (size_value(t->a->st[d], x->sizes) == *far) *wide -= (size_value(x->g->k->dim[d].n, x->sizes) - 1) * *far;
    return *far > 0;
}

/* Columns of the same rows side by side, as a gradient's parts are. */
static bool columns_apart(const Touched *x, const Touch *s, const Touched *y, const Touch *t) {
    int64_t far, wide, other, width;
    if (!s->a || !t->a || s->a->dtype != t->a->dtype || !rows_of(x, s, &far, &wide)) return false;
    if (!rows_of(y, t, &other, &width) || other != far) return false;
    int64_t item = (int64_t)th_dtype_bytes((ThDtype)s->a->dtype), at = (int64_t)(t->at - s->at);
    if (at % item) return false;
    at = (at / item % far + far) % far;
    return at >= wide && at + width <= far;
}

/* Both steps share their points out among threads in one way. */
static bool alike(const Touched *x, const Touched *y) {
    const Nest *s = x->g ? x->g->nest : NULL, *t = y->g ? y->g->nest : NULL;
    if (!s || !t || s->grid != GRID_THREAD || t->grid != GRID_THREAD || s->depth != t->depth) return false;
    if (x->lanes != y->lanes || !grid_spread_same(&x->spread, &y->spread)) return false;
    for (int i = 0; i < s->depth; i++)
        if (size_value(x->g->k->dim[x->g->o.stage[0].loop[i]].n, x->sizes) !=
            size_value(y->g->k->dim[y->g->o.stage[0].loop[i]].n, y->sizes))
            return false;
    return true;
}

/* A thread touches by both the same elements, those of its own points. */
static bool same_place(const Touched *x, const Touch *s, const Touched *y, const Touch *t) {
    const LoopStage *xs = &x->g->o.stage[0], *ys = &y->g->o.stage[0];
    int depth = x->g->nest->depth;
    bool apart = false; /* points have elements of their own */
    if (!s->a || !t->a || s->at != t->at || s->a->dtype != t->a->dtype || xs->nloop != depth || ys->nloop != depth)
        return false;
    for (int i = 0; i < depth; i++) {
        int64_t n = size_value(x->g->k->dim[xs->loop[i]].n, x->sizes);
        int64_t step = size_value(s->a->st[xs->loop[i]], x->sizes);
        if (n > 1 && step != size_value(t->a->st[ys->loop[i]], y->sizes)) return false;
        if (n > 1 && !step) return false;
        apart |= step != 0;
    }
    return apart;
}

static int64_t step_along(const Touched *s, const Touch *t, int dim) { return size_value(t->a->st[dim], s->sizes); }

/* Of a product, how far an element of the access is from that a row (column) before, if it has one for each sum. */
static bool sum_steps(const Touched *x, const Touch *s, int64_t *row, int64_t *col) {
    const Contract *c = x->g->nest->contract;
    for (int i = 0; i < c->ndeep; i++)
        if (step_along(x, s, c->deep[i])) return false;
    *row = step_along(x, s, c->side_dim[0][0]), *col = step_along(x, s, c->side_dim[1][0]);
    return true;
}

/* Likewise of points, which may be one loop over all rows. */
static bool point_steps(const Touched *y, const Touch *t, int64_t *row, int64_t *col) {
    const LoopStage *s = &y->g->o.stage[0];
    if (s->nloop != y->g->nest->depth || s->nloop < 1 || s->nloop > 2) return false;
    *col = step_along(y, t, s->loop[s->nloop - 1]);
    *row = s->nloop == 2 ? step_along(y, t, s->loop[0]) : *col * y->spread.cols;
    return true;
}

/* A block touches by product x and by points y behind it the same elements, those of its own tiles. */
static bool same_block(const Touched *x, const Touch *s, const Touched *y, const Touch *t) {
    const GridSpread *p = &x->spread, *q = &y->spread;
    int64_t row, col, along, across;
    if (!is_product(x) || !y->each || !grid_spread_same(p, q)) return false;
    if (!s->a || !t->a || s->a->dtype != t->a->dtype || !sum_steps(x, s, &row, &col)) return false;
    if (col < 1 || (p->rows > 1 && row < p->groups * p->cols * col)) return false; /* elements of their own */
    if (!point_steps(y, t, &along, &across) || (p->rows > 1 && along != row)) return false;
    if (p->cols > 1 && across != col) return false;
    int64_t far = (int64_t)(t->at - s->at), part = p->cols * col * (int64_t)th_dtype_bytes((ThDtype)s->a->dtype);
    return far >= 0 && far % part == 0 && far / part < p->groups;
}

/* Both lie where they lay, relative to each other. */
static bool is_still(const Turning *w, const Touch *s, const Touch *t, int64_t turns) {
    bool stays[2] = {s->window < 0 || !w->window[s->window].step, t->window < 0 || !w->window[t->window].step};
    return (s->window == t->window && turns == 0) || (stays[0] && stays[1]);
}

/* In every turn t lies where s, so many turns before, lay, but for what stands between them within their windows. */
static bool follows(const Turning *w, const Touch *s, const Touch *t, int64_t turns, Touch *as) {
    *as = *t;
    if (is_still(w, s, t, turns)) return true;
    if (s->window < 0 || t->window < 0) return false;
    const GridWindow *v = &w->window[s->window], *u = &w->window[t->window];
    int64_t apart = t->from - s->from + turns * v->step;
    if (v->step != u->step || v->ring != u->ring) return false;
    if (v->ring > 0 && (s->from - v->at != t->from - u->at || apart % v->ring)) return false;
    if (v->ring <= 0 && apart) return false;
    as->at += (DeviceAddress)(s->from - t->from);
    return true;
}

/* Product x touches by both the same elements, one for each sum. */
static bool own_tiles(const Touched *x, const Touch *s, const Touch *t) {
    int64_t row, col;
    const GridSpread *p = &x->spread;
    return is_product(x) && s->a && s->a == t->a && sum_steps(x, s, &row, &col) && col > 0 &&
           row >= p->groups * p->cols * col;
}

/* Where nobody waits: by the same thread in whichever turn, or by the block that multiplies there or will. */
static bool own_alone(const Turning *w, const Touched *x, const Touch *s, const Touched *y, const Touch *t,
                      int64_t turns) {
    Touch as;
    if (alike(x, y) && follows(w, s, t, turns, &as) && same_place(x, s, y, &as)) return true;
    return (is_still(w, s, t, turns) && (same_block(y, t, x, s) || (x == y && own_tiles(x, s, t)))) || t == w->told;
}

/* turns: how many later y's turn is than x's. */
static bool meet(const Turning *w, const Touched *x, const Touched *y, int64_t turns) {
    bool together = alike(x, y);
    for (int i = 0; i < x->n; i++)
        for (int j = 0; j < y->n; j++) {
            const Touch *s = &x->touch[i], *t = &y->touch[j];
            int64_t from, to, first, last;
            if (!s->write && !t->write) continue;
            whole(w, s, &from, &to);
            whole(w, t, &first, &last);
            if (to <= first || last <= from) continue;
            if (s->window >= 0 && t->window >= 0 && windows_apart(w, s, t, turns)) continue;
            bool still = is_still(w, s, t, turns);
            if (together && still && same_place(x, s, y, t)) continue;
            if (still && (same_block(x, s, y, t) || columns_apart(x, s, y, t))) continue;
            if (w->told && own_alone(w, x, s, y, t, turns)) continue;
            return true;
        }
    return false;
}

static uint64_t waits(const Turning *w) {
    const GridTurns *t = w->t;
    uint64_t all = 0;
    int since[2 * TURNS_STEPS], turn_of[2 * TURNS_STEPS], n = 0;
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < t->nstep; i++) {
            bool stop = all >> i & 1;
            for (int j = 0; j < n && !stop; j++) stop = meet(w, &w->step[since[j]], &w->step[i], turn - turn_of[j]);
            if (stop) n = 0, all |= (uint64_t)1 << i;
            since[n] = i, turn_of[n++] = turn;
        }
        if (!turn && !all) all = 1;
    }
    return all;
}

/* ---- who waits for whom ---- */
/* Of each of its rows, bytes that the access reaches (*wide), and from one to the next; false: others' rows perhaps. */
static bool row_reach(const Touched *x, const Touch *s, int64_t *row, int64_t *wide) {
    const GridKernel *g = x->g;
    const LoopStage *o = &g->o.stage[0];
    bool flat = !is_product(x) && o->nloop == 1; /* all rows are one loop */
    if (!s->a || (!is_product(x) && (g->k->st.n != 1 || o->nloop != g->nest->depth || o->nloop < 1 || o->nloop > 2)))
        return false;
    int by = is_product(x) ? g->nest->contract->side_dim[0][0] : o->loop[0];
    int64_t item = (int64_t)th_dtype_bytes((ThDtype)s->a->dtype), step = size_value(s->a->st[by], x->sizes);
    *row = flat ? step * x->spread.cols : step;
    *wide = flat ? (x->spread.cols - 1) * step + 1 : 1;
    if (step < 1) return false;
    for (int d = 0; d < g->k->ndim; d++) {
        int64_t n = size_value(g->k->dim[d].n, x->sizes), far = size_value(s->a->st[d], x->sizes);
        if (d == by || n < 2) continue;
        if (far < 0) return false;
        *wide += (n - 1) * far;
    }
    *row *= item, *wide *= item;
    return *wide <= *row;
}

/* By step x in one row and by step y in another one: never the same, in whichever turns. */
static bool rows_apart(const Turning *w, const Touched *x, const Touch *s, const Touched *y, const Touch *t,
                       int64_t rows) {
    int64_t from, to, first, last, row, wide, other, width, at = (int64_t)(t->at - s->at);
    if (!s->write && !t->write) return true;
    whole(w, s, &from, &to);
    whole(w, t, &first, &last);
    if (to <= first || last <= from) return true;
    if (!row_reach(x, s, &row, &wide) || !row_reach(y, t, &other, &width) || row != other) return false;
    if (!is_still(w, s, t, 1)) { /* both move alike, from one slot with all rows to the next */
        if (s->window < 0 || t->window < 0) return false;
        const GridWindow *v = &w->window[s->window], *u = &w->window[t->window];
        int64_t far = far_of(v);
        if (v->step != u->step || v->ring != u->ring || far < rows * row) return false;
        if (v->ring > 0 && (s->from - v->at != t->from - u->at || !in_slot(v, s) || !in_slot(u, t))) return false;
        at = (at % far + far) % far;
        if (at > far / 2) at -= far;
    }
    return at >= 0 ? at + width <= row : wide - at <= row;
}

static bool steps_apart(const Turning *w, const Touched *x, const Touched *y, int64_t rows) {
    for (int i = 0; i < x->n; i++)
        for (int j = 0; j < y->n; j++)
            if (!rows_apart(w, x, &x->touch[i], y, &y->touch[j], rows)) return false;
    return true;
}

/* Rows of a step whose blocks have tiles of some rows each; 0: they lie otherwise. */
static int64_t rows_in_tiles(const Touched *x) {
    if (!x->g) return 0;
    if (!is_product(x)) return x->each && x->spread.bits >= 0 ? x->spread.rows : 0;
    const Contract *c = x->g->nest->contract;
    return c->side_n[0] == 1 && !c->nbatch ? size_value(x->g->k->dim[c->side_dim[0][0]].n, x->sizes) : 0;
}

/* How many blocks, a tile each, have the same rows in all steps (..of so many), where only those meet; or 0. */
static int64_t neighbours(const Turning *w, int64_t *blocks) {
    int64_t rows = 0;
    *blocks = 0;
    for (int i = 0; i < w->t->nstep; i++) {
        const Touched *x = &w->step[i];
        if (!x->n) continue;
        int64_t own = rows_in_tiles(x);
        if (own <= SPREAD_ROWS) return 0; /* or none */
        int64_t tiles = grid_spread_tiles(&x->spread, own);
        if (rows && (own != rows || tiles != *blocks)) return 0;
        rows = own, *blocks = tiles;
    }
    int64_t groups = (rows + SPREAD_ROWS - 1) / SPREAD_ROWS;
    if (!rows || groups > LAUNCH_GROUPS) return 0;
    for (int i = 0; i < w->t->nstep; i++)
        for (int j = 0; j < w->t->nstep; j++)
            if (!steps_apart(w, &w->step[i], &w->step[j], rows)) return 0;
    return *blocks / groups;
}

/* No step writes what the product's columns are made of. */
static bool columns_stay(const Turning *w, const Touched *x) {
    int a = is_product(x) && x->n ? x->g->nest->contract->side[1].access : -1;
    int64_t from, to, first, last;
    if (a < 0) return false;
    whole(w, &x->touch[a], &from, &to);
    for (int i = 0; i < w->t->nstep; i++)
        for (int j = 0; j < w->step[i].n; j++) {
            whole(w, &w->step[i].touch[j], &first, &last);
            if (w->step[i].touch[j].write && first < to && from < last) return false;
        }
    return true;
}

/* ---- points behind products ---- */
/* The parts that a product has for points of y: as many rows, and parts as wide; 0: it has none. */
static int parts_of(const Touched *x, const Touched *y, int64_t *rows, int64_t *cols) {
    const Contract *c = x->g->nest->contract;
    const LoopStage *s = &y->g->o.stage[0];
    int8_t d = c->side_dim[0][0];
    int64_t n = size_value(x->g->k->dim[d].n, x->sizes), m = x->spread.cols, points = 1;
    if (!y->each || s->nloop != y->g->nest->depth || s->nloop > 2) return 0;
    for (int i = 0; i < s->nloop; i++) points *= size_value(y->g->k->dim[s->loop[i]].n, y->sizes);
    *rows = n, *cols = s->nloop == 2 ? y->spread.cols : m;
    return points == n * *cols && m % *cols == 0 && m / *cols <= (1 << x->spread.bits) ? (int)(m / *cols) : 0;
}

/* Steps behind product i up to the next one, around the end of a turn, with points of its parts, share its tiles. */
static bool share(const Turning *w, int i) {
    Touched *x = &w->step[i];
    const Contract *c = x->g->nest->contract;
    int64_t rows = 0, cols = 0, n, m;
    int groups = 0;
    if (c->side_n[0] != 1 || c->side_n[1] != 1 || c->nbatch) return false;
    for (int j = 1; j < w->t->nstep; j++) {
        Touched *y = &w->step[(i + j) % w->t->nstep];
        if (is_product(y)) break;
        int parts = y->g ? parts_of(x, y, &n, &m) : 0;
        if (!parts || (groups && (rows != n || cols != m))) continue;
        groups = parts, rows = n, cols = m;
        y->spread = (GridSpread){x->spread.bits, 1, (int32_t)rows, (int32_t)cols, 0};
    }
    if (!groups) return false;
    int16_t bits = x->spread.bits;
    for (int k = 1; k < groups; k *= 2) bits--;
    x->spread = (GridSpread){bits, (int16_t)groups, (int32_t)rows, (int32_t)cols, 0};
    for (int j = 1; j < w->t->nstep; j++) {
        Touched *y = &w->step[(i + j) % w->t->nstep];
        if (is_product(y)) break;
        if (y->spread.bits >= 0) y->spread.bits = bits;
    }
    return true;
}

static int count_of(uint64_t bits) { return __builtin_popcountll(bits); }

/* Where that saves waits; which are left. */
static uint64_t spread_out(const Turning *w) {
    uint64_t all = waits(w);
    GridSpread was[TURNS_STEPS];
    for (int i = 0; i < w->t->nstep && count_of(all) > 1; i++) {
        if (!is_product(&w->step[i])) continue;
        for (int j = 0; j < w->t->nstep; j++) was[j] = w->step[j].spread;
        uint64_t with = share(w, i) ? waits(w) : all;
        if (count_of(with) < count_of(all)) all = with;
        else
            for (int j = 0; j < w->t->nstep; j++) w->step[j].spread = was[j];
    }
    return all;
}

/* ---- points near products ---- */
static bool overlap(const Turning *w, const Touch *s, const Touch *t, int64_t turns) {
    int64_t from, to, first, last;
    whole(w, s, &from, &to);
    whole(w, t, &first, &last);
    if (to <= first || last <= from) return false;
    return !(s->window >= 0 && t->window >= 0 && windows_apart(w, s, t, turns));
}

/* Step k writes where y reads, so many turns later; own: but for what the same thread does. */
static bool writes_to(const Turning *w, int k, const Touched *y, const Touch *t, int64_t turns, bool own) {
    const Touched *x = &w->step[k];
    Touch as;
    for (int i = 0; i < x->n; i++) {
        const Touch *s = &x->touch[i];
        if (!s->write || !overlap(w, s, t, turns)) continue;
        if (own && alike(x, y) && follows(w, s, t, turns, &as) && same_place(x, s, y, &as)) continue;
        return true;
    }
    return false;
}

/* What it loads stands in its block's tile still; which part of the product it is. */
static bool in_tile(const Turning *w, int i, int a, uint64_t *part) {
    const GridNear *n = &w->t->near[i];
    const Touched *x = &w->step[n->product], *y = &w->step[i];
    const Touch *s = &x->touch[n->store], *t = &y->touch[a];
    int64_t row, col;
    if (!is_still(w, s, t, n->next) || !same_block(x, s, y, t) || !sum_steps(x, s, &row, &col)) return false;
    for (int k = (n->product + 1) % w->t->nstep; k != i; k = (k + 1) % w->t->nstep)
        if (writes_to(w, k, y, t, n->next && k > n->product, false)) return false;
    int64_t item = (int64_t)th_dtype_bytes((ThDtype)s->a->dtype);
    *part = (uint64_t)((int64_t)(t->at - s->at) / (x->spread.cols * col * item));
    return true;
}

/* What it loads is there when blocks have come to wait for the product, and nobody writes it until it is used. */
static bool may_ask(const Turning *w, int i, int a, uint64_t all) {
    const GridNear *n = &w->t->near[i];
    const Touched *y = &w->step[i];
    const Touch *t = &y->touch[a];
    int steps = w->t->nstep, far = n->product - 1; /* counted from the product's turn on */
    for (bool waited = false; !waited && far >= n->product - steps; far--) {
        int k = (far + steps) % steps;
        if (writes_to(w, k, y, t, n->next + (far < 0), true)) return false;
        waited = all >> k & 1;
    }
    int own = i + (n->next ? steps : 0);
    for (far = n->product; far < n->product + steps; far++) {
        int k = far % steps;
        if (far > own && all >> k & 1) break; /* those come when it is used */
        if (writes_to(w, k, y, t, n->next - (far >= steps), far >= own)) return false;
    }
    return true;
}

/* Step i may find what it reads so; *place: GridNear's of the record. */
static bool is_near(const Turning *w, int i, uint64_t all, int64_t most, uint64_t *place) {
    const GridNear *n = &w->t->near[i];
    const Touched *y = &w->step[i], *x = n->product >= 0 ? &w->step[n->product] : NULL;
    int before = 0;
    *place = 0;
    if (!x || !x->n || !y->n || !y->each || y->spread.bits < 0 || y->spread.bits > 4) return false;
    if (!grid_spread_same(&x->spread, &y->spread) || grid_spread_tiles(&y->spread, y->spread.rows) > most) return false;
    for (int a = 0; a < y->n; a++) {
        uint64_t part;
        if (n->tile >> a & 1) {
            if (!in_tile(w, i, a, &part)) return false;
            *place |= part << 4 * before++;
        }
        if (n->ahead >> a & 1 && !may_ask(w, i, a, all)) return false;
    }
    return true;
}

/* ---- numbers that say that they are there ---- */
typedef struct Told {
    DeviceAddress at; /* where they will stand */
    int64_t bytes;
    bool later; /* a turn reads what the one before it wrote */
} Told;

/* Of the rows that product x reads, bytes: whole ones, one behind the other, a slot for each turn; or 0. */
static int64_t slot_of(const Turning *w, const Touched *x, const Touch *t) {
    const Contract *c = x->g->nest->contract;
    int64_t rows = size_value(x->g->k->dim[c->side_dim[0][0]].n, x->sizes), far;
    int64_t terms = size_value(x->g->k->dim[c->deep[0]].n, x->sizes);
    far = size_value(t->a->st[c->side_dim[0][0]], x->sizes);
    int64_t bytes = rows * terms * (int64_t)th_dtype_bytes((ThDtype)t->a->dtype);
    return t->window >= 0 && far == terms && rows > 1 && far_of(&w->window[t->window]) == bytes ? bytes : 0;
}

/* Points y, of step j, store whole columns of such rows for each turn in another slot; which, and how many; or 0. */
static int64_t columns_told(const Turning *w, int j, const Touch *s, const Touch *t, Told *out, int64_t *first) {
    const Touched *y = &w->step[j], *x = &w->step[w->t->told];
    const GridWindow *v = &w->window[t->window], *u = s->window >= 0 ? &w->window[s->window] : NULL;
    int64_t item = (int64_t)th_dtype_bytes((ThDtype)t->a->dtype), slot = far_of(v), row, col;
    int64_t terms = t->bytes / item / rows_in_tiles(x), at = s->first - t->first;
    if (!u || !s->a || s->a->dtype != t->a->dtype || !y->each || y->spread.bits < 0) return 0;
    if (u->step != v->step || u->ring != v->ring || (u->ring > 0 && s->from - u->at != t->from - v->at)) return 0;
    if (u->ring > 0 && (u->at + (w->trip - 1) * u->step < 0 || u->at + (w->trip - 1) * u->step + slot > u->ring))
        return 0;
    if (y->spread.rows != rows_in_tiles(x) || !point_steps(y, s, &row, &col) || row != terms || col != 1) return 0;
    out->later = at < 0 || at >= slot;
    if (out->later) at -= v->step;
    else if (j > w->t->told) return 0;
    *first = at / item;
    return at >= 0 && at % item == 0 && *first + y->spread.cols <= terms ? y->spread.cols : 0;
}

/* All that the product reads of its rows is told. */
static bool all_told(const Turning *w, const Touch *t, int64_t terms, Told *out) {
    int64_t from[TURNS_STEPS], many[TURNS_STEPS], all = 0, begin, end, first, last;
    int n = 0;
    whole(w, t, &begin, &end);
    for (int j = 0; j < w->t->nstep; j++)
        for (int i = 0; i < w->step[j].n; i++) {
            const Touch *s = &w->step[j].touch[i];
            bool later = out->later;
            whole(w, s, &first, &last);
            if (!s->write || last <= begin || end <= first) continue;
            if (n == TURNS_STEPS || !(w->step[j].g->told >> i & 1)) return false;
            many[n] = columns_told(w, j, s, t, out, &from[n]);
            if (!many[n] || (n && later != out->later)) return false;
            for (int k = 0; k < n; k++)
                if (from[n] < from[k] + many[k] && from[k] < from[n] + many[n]) return false;
            all += many[n++];
        }
    return all == terms;
}

/* The loop's product may look for its rows, and nobody waits: groups of neighbours alone meet, and those by these rows
 * alone, so that none is more than a turn ahead of its others. */
static bool may_tell(Turning *w, Told *out) {
    const Touched *x = w->t->told >= 0 ? &w->step[w->t->told] : NULL;
    const Touch *t = x && x->n ? &x->touch[x->g->nest->contract->side[0].access] : NULL;
    int64_t slot = t ? slot_of(w, x, t) : 0, step = slot ? w->window[t->window].step : 0;
    *out = (Told){0};
    if (!slot || !all_told(w, t, size_value(t->a->st[x->g->nest->contract->side_dim[0][0]], x->sizes), out))
        return false;
    w->told = t;
    for (int64_t turns = 0; turns <= 2; turns++)
        for (int j = 0; j < w->t->nstep; j++)
            for (int k = turns ? 0 : j + 1; k < w->t->nstep; k++)
                if (meet(w, &w->step[j], &w->step[k], turns)) return false;
    out->bytes = w->trip * slot;
    out->at = (DeviceAddress)(t->first + out->later * step + (step < 0 ? (w->trip - 1) * step : 0));
    return true;
}

/* ---- the record -------------------------------------------------------------------------------------------------- */
typedef struct Filling {
    Launches *l;
    ThFrame *f;
    const GridTurns *t;
    char *record;
    Touched *step;
    int64_t blocks; /* that the largest step has work for */
    uint64_t each;  /* by step, a bit: its threads have a point each */
} Filling;

static const Step *step_of(const Filling *w, int i) { return &w->l->plan->step[w->t->first + i]; }

/* *good: such a launch can do it. */
static int kernel_record(Filling *w, int i, bool *good) {
    Launches *l = w->l;
    const Step *s = step_of(w, i);
    const GridKernel *g = &l->u->program->kernel[s->kernel];
    char *args = l->args;
    l->args = w->record + w->t->at[i];
    l->sides.step = w->t->first + i;
    GridLaunch way = launch_way(l, w->f, g, s), plain = {.blocks = 1};
    const int64_t *sizes = (const int64_t *)(const void *)(l->args + g->nbuf * 8);
    if (g->nest->grid == GRID_TILES) *good = grid_turns_pay(g, sizes, &way);
    else *good = way.nest <= GRID_OWN || (way.nest == GRID_TWIN && g->nest->twin->tiled); /* below: nothing to do */
    int bad = *good && launch_record(l, w->f, g, s, &plain);
    l->args = args;
    if (bad || !*good) return bad;
    bool each = grid_turns_each(g, sizes, &way.blocks);
    if (each) w->each |= (uint64_t)1 << i;
    w->step[i] = (Touched){.step = i, .g = g, .sizes = sizes, .lanes = each ? 1 : grid_neighbours(g->nest)};
    w->step[i].each = each;
    w->step[i].spread = grid_turns_spread(g, sizes);
    w->blocks = way.blocks > w->blocks ? way.blocks : w->blocks;
    if (way.nest < 0) return 0; /* it touches nothing */
    *good =
        kernel_touches(l->plan, w->t, s, (const DeviceAddress *)(const void *)(w->record + w->t->at[i]), &w->step[i]);
    return 0;
}

static int copy_record(Filling *w, int i, bool *good) {
    enum { EACH = 16 };
    Launches *l = w->l;
    const Step *s = step_of(w, i);
    GridCopy *c = (GridCopy *)(void *)(w->record + w->t->at[i]);
    const PlanBuf *p = &l->plan->buf[s->buf[1]];
    *good = size_bytes(p->size, w->f->sym, (ThDtype)p->dtype, &c->bytes);
    if (!*good) return 0;
    if (launch_use(l, w->f, s->buf[0], &c->from) || launch_use(l, w->f, s->buf[1], &c->to)) return 1;
    w->step[i] = (Touched){.step = i};
    *good = copy_touches(l->plan, w->t, s, c, &w->step[i]);
    int64_t blocks = (c->bytes + EACH * CHOOSE_THREADS - 1) / (EACH * CHOOSE_THREADS);
    w->blocks = blocks > w->blocks ? blocks : w->blocks;
    return 0;
}

/* Windows in bytes; false: one moves by more than its ring. */
static bool windows(const Filling *w) {
    const Plan *p = w->l->plan;
    const Region *loop = &p->region[w->t->region];
    GridWindow *to = (GridWindow *)(void *)(w->record + sizeof(GridTurnsHead));
    for (int i = 0; i < loop->nwindow; i++) {
        const PlanWindow *v = &p->window[loop->window + i];
        int64_t item = (int64_t)th_dtype_bytes((ThDtype)p->buf[v->buf].dtype), ring = size_value(v->ring, w->f->sym);
        int64_t at = size_value(v->first, w->f->sym), step = size_value(v->step, w->f->sym);
        if (ring > 0) at = (at % ring + ring) % ring;
        if (ring > 0 && (step > ring || step < -ring)) return false;
        to[i] = (GridWindow){at * item, step * item, ring * item};
    }
    return true;
}

/* What windows show begins where the loop's first turn does not: addresses of turn 0 less how far they moved. */
static void begin_windows(const Filling *w) {
    const Plan *p = w->l->plan;
    const GridWindow *v = (const GridWindow *)(const void *)(w->record + sizeof(GridTurnsHead));
    for (int i = 0; i < w->t->nstep; i++) {
        const Step *s = step_of(w, i);
        uint64_t *b = (uint64_t *)(void *)(w->record + w->t->at[i]);
        for (int j = 0; j < s->nbuf; j++) {
            int k = turns_window(p, w->t, s->buf[j]);
            int at = s->kind == STEP_KERNEL ? j : 1 - j; /* a GridCopy begins with where it goes */
            if (k >= 0) b[at] -= (uint64_t)v[k].at;
        }
    }
}

/* ---- the launch -------------------------------------------------------------------------------------------------- */
static const GridTurns *turns_of(const Launches *l, int region, int *number) {
    const GridProgram *g = l->u->program;
    for (*number = 0; *number < g->nturns; ++*number)
        if (g->turns[*number].region == region) return &g->turns[*number];
    return NULL;
}

static bool may(const Launches *l, const GridTurns *t, int64_t trip) {
    if (trip < 2 || trip > 1 << 16 || l->times.to || l->steered) return false;
    for (int i = 0; i < t->nstep; i++)
        if (l->u->places->side[t->first + i] != PLACE_DEVICE) return false;
    return true;
}

/* How steps are shared out, to the record and to who asks afterwards; the most blocks that one has work for. */
static void put_spread(Filling *w, uint64_t early, uint64_t near, uint64_t told) {
    GridSpread *to = (GridSpread *)(void *)(w->record + w->t->spread);
    for (int i = 0; i < w->t->nstep; i++) {
        const Touched *s = &w->step[i];
        bool product = s->g && is_product(s);
        int64_t rows = product ? size_value(s->g->k->dim[s->g->nest->contract->side_dim[0][0]].n, s->sizes) : 0;
        bool beside = s->g && (product ? s->spread.rows > 1 || s->spread.groups > 1 : s->spread.bits >= 0);
        int64_t tiles = beside ? grid_spread_tiles(&s->spread, product ? rows : s->spread.rows) : 0;
        to[i] = s->spread;
        to[i].by = grid_spread_by(&s->spread);
        w->blocks = tiles > w->blocks ? tiles : w->blocks;
        uint64_t bits = (uint64_t)(beside ? s->spread.bits : 0) | (near >> i & 1) << 6 | (early >> i & 1) << 7;
        bits |= (told >> i & 1) << 8;
        atomic_store(&w->l->u->beside[w->t->first + i], (uint64_t)tiles << 9 | bits);
    }
}

static int queue(Filling *w, int number, int64_t trip) {
    Launches *l = w->l;
    ThFrame *f = w->f;
    const DeviceOps *op = l->u->device->op;
    GridTurnsHead *head = (GridTurnsHead *)(void *)w->record;
    Turning how = {w->t, trip, (const GridWindow *)(const void *)(head + 1), w->step, NULL};
    int most = l->u->resident[number], now = l->sides.step;
    Told told;
    *head = (GridTurnsHead){.trip = trip, .err = l->sides.answers, .waits = spread_out(&how), .each = w->each};
    int64_t blocks, own = neighbours(&how, &blocks), groups = 1;
    bool tells = own && blocks <= most && may_tell(&how, &told);
    if (tells) head->waits = 0, head->told = (uint64_t)1 << w->t->told, head->later = told.later ? head->told : 0;
    for (int i = 0; i < w->t->nstep; i++) head->early |= (uint64_t)columns_stay(&how, &w->step[i]) << i;
    uint64_t *place = (uint64_t *)(void *)(w->record + w->t->place);
    for (int i = 0; i < w->t->nstep; i++) head->near |= (uint64_t)is_near(&how, i, head->waits, most, &place[i]) << i;
    put_spread(w, head->early, head->near, head->told);
    DeviceGrid grid = {(unsigned)(w->blocks < most ? w->blocks : most), CHOOSE_THREADS, 0};
    head->among = grid.blocks;
    if (own && blocks <= most) head->among = (uint64_t)own, grid.blocks = (unsigned)blocks, groups = blocks / own;
    begin_windows(w);
    if (launch_fit_rows(l, f, LAUNCH_COUNT)) return 1;
    head->count = l->rows.at;
    launch_before_turns(l, f, w->t);
    DeviceStatus s = tells ? op->set(&l->q, told.at, 0xff, (size_t)told.bytes)
                           : op->set(&l->q, head->count, 0, (size_t)groups * TURNS_COUNT);
    void *what = atomic_load(&l->u->entry[launch_turns_entry(l->u->program, number)]);
    if (!s) s = op->launch_together(&l->q, what, grid, w->record);
    l->sides.step = w->t->first;
    if (s) return sides_refuse(&l->sides, f, s);
    l->sides.step = now;
    launch_after(l, w->t->first);
    l->launches++;
    atomic_store(&l->u->waited[number], head->waits | head->among << TURNS_STEPS);
    for (int i = 0; i < w->t->nstep; i++) {
        const Step *one = step_of(w, i);
        if (one->kind == STEP_KERNEL) launch_wrote_all(l, &l->u->program->kernel[one->kernel], one);
        else launch_wrote(l, one->buf[1]);
    }
    return 0;
}

/* A driver that refuses has run nothing: *done stays false, and the steps are launched one by one. */
static int refused(Filling *w) {
    Launches *l = w->l;
    if (l->capturing || atomic_load(&l->u->device->lost)) return 1;
    th_error_clear(l->u->c);
    memset(w->f->err, 0, sizeof w->f->err);
    w->f->ws->host_text[0] = 0;
    l->pure = false;
    return 0;
}

int turns_launch(Launches *l, ThFrame *f, int region, int64_t trip, bool *done) {
    _Alignas(16) char record[GRID_ARGS];
    Touched step[TURNS_STEPS];
    int number, now = l->sides.step;
    const GridTurns *t = turns_of(l, region, &number);
    *done = false;
    if (!t || !may(l, t, trip)) return 0;
    if (!launch_entry(l, f, launch_turns_entry(l->u->program, number))) return 1;
    if (!l->u->resident[number]) return 0;
    if (launch_waiting(l, f)) return 1;
    Filling w = {l, f, t, record, step, 1, 0};
    memset(record, 0, t->bytes);
    bool good = windows(&w);
    for (int i = 0; i < t->nstep && good; i++)
        if (step_of(&w, i)->kind == STEP_KERNEL ? kernel_record(&w, i, &good) : copy_record(&w, i, &good)) return 1;
    l->sides.step = now;
    if (!good) return 0;
    *done = true;
    if (!queue(&w, number, trip)) return 0;
    *done = false;
    return refused(&w);
}
