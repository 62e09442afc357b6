/*
 * turns.c -- all turns of a loop by one launch, whose blocks wait for each other (schedule/turns.c). In: a loop that is
 * about to run, its windows as in turn 0. Out: the launch; or nothing, where it cannot be or does not pay, and its
 * steps are launched one by one.
 *
 * Which steps need a wait before them is told by addresses: a step waits where it touches what one since the last wait
 * wrote, or writes what one touched; but not where the same thread did it, at the same point. Each turn has a wait at
 * least, so that nothing meets what is two turns away.
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
} Touch;
typedef struct Touched {
    int step; /* of the loop */
    const GridKernel *g;
    const int64_t *sizes;
    int lanes; /* points of a thread that are neighbours */
    Touch touch[KACC];
    int n;
} Touched;

typedef struct Turning {
    const GridTurns *t;
    int64_t trip;
    const GridWindow *window;
    Touched *step;
} Turning;

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
        one.first += (int64_t)b[a->buf];
        one.at =
            b[a->buf] + (DeviceAddress)(size_value(a->off, out->sizes) * (int64_t)th_dtype_bytes((ThDtype)a->dtype));
        if (!add(out, one)) return false;
    }
    return true;
}

static bool copy_touches(const Plan *p, const GridTurns *t, const Step *s, const GridCopy *c, Touched *out) {
    Touch from = {.first = (int64_t)c->from, .bytes = c->bytes, .window = turns_window(p, t, s->buf[0])};
    Touch to = {.first = (int64_t)c->to, .bytes = c->bytes, .window = turns_window(p, t, s->buf[1]), .write = true};
    return add(out, from) && add(out, to);
}

/* ---- who waits --------------------------------------------------------------------------------------------------- */
/* All that it touches in any turn. */
static void whole(const Turning *w, const Touch *t, int64_t *from, int64_t *to) {
    *from = t->first, *to = t->first + t->bytes;
    if (t->window < 0) return;
    const GridWindow *v = &w->window[t->window];
    int64_t far = (w->trip - 1) * v->step;
    if (v->ring > 0) *from -= v->at, *to += v->ring - v->at;
    else if (far > 0) *to += far;
    else *from += far;
}

/* Both move alike, and lie apart so many turns from each other. */
static bool windows_apart(const Turning *w, const Touch *x, const Touch *y, int64_t turns) {
    const GridWindow *v = &w->window[x->window], *u = &w->window[y->window];
    int64_t step = v->step < 0 ? -v->step : v->step, apart = y->first - x->first + turns * v->step;
    if (v->step != u->step || v->ring != u->ring || !step) return false;
    if (v->ring > 0) {
        if (v->ring % step || x->first - v->at != y->first - u->at) return false; /* one place where both begin anew */
        apart = (apart % v->ring + v->ring) % v->ring;
        return x->bytes <= step && y->bytes <= step && apart >= x->bytes && v->ring - apart >= y->bytes;
    }
    return apart >= x->bytes || -apart >= y->bytes;
}

/* Both steps share their points out among threads in one way. */
static bool alike(const Touched *x, const Touched *y) {
    const Nest *s = x->g ? x->g->nest : NULL, *t = y->g ? y->g->nest : NULL;
    if (!s || !t || s->grid != GRID_THREAD || t->grid != GRID_THREAD || s->depth != t->depth) return false;
    if (x->lanes != y->lanes) return false;
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
            bool still = s->window == t->window && (turns == 0 || s->window < 0);
            if (together && still && same_place(x, s, y, t)) continue;
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
    *good =
        kernel_touches(l->plan, w->t, s, (const DeviceAddress *)(const void *)(w->record + w->t->at[i]), &w->step[i]);
    w->blocks = way.blocks > w->blocks ? way.blocks : w->blocks;
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

static bool may(const Launches *l, const GridTurns *t, int number, int64_t trip) {
    if (trip < 2 || trip > 1 << 16 || l->times.to || l->steered || !l->u->resident[number]) return false;
    for (int i = 0; i < t->nstep; i++)
        if (l->u->places->side[t->first + i] != PLACE_DEVICE) return false;
    return true;
}

static int queue(Filling *w, int number, int64_t trip) {
    Launches *l = w->l;
    ThFrame *f = w->f;
    const DeviceOps *op = l->u->device->op;
    GridTurnsHead *head = (GridTurnsHead *)(void *)w->record;
    const Turning how = {w->t, trip, (const GridWindow *)(const void *)(head + 1), w->step};
    int most = l->u->resident[number], now = l->sides.step;
    *head = (GridTurnsHead){.trip = trip, .err = l->sides.answers, .waits = waits(&how), .each = w->each};
    begin_windows(w);
    if (launch_fit_rows(l, f, LAUNCH_COUNT)) return 1;
    head->count = l->rows.at;
    DeviceGrid grid = {(unsigned)(w->blocks < most ? w->blocks : most), CHOOSE_THREADS, 0};
    launch_before(l, f, NULL);
    DeviceStatus s = op->set(&l->q, head->count, 0, LAUNCH_COUNT);
    if (!s) s = op->launch_together(&l->q, l->u->turns[number], grid, w->record);
    l->sides.step = w->t->first;
    if (s) return sides_refuse(&l->sides, f, s);
    l->sides.step = now;
    for (int i = 0; i < w->t->nstep; i++) launch_after(l, w->t->first + i);
    l->launches++;
    atomic_store(&l->u->waited[number], head->waits);
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
    if (!t || !may(l, t, number, trip)) return 0;
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
