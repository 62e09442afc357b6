/*
 * launches.c -- th_function_launches: what a call does on a GPU, from the plan and the schedule alone. In: a function
 * that was called before, for whichever device. Out: JSON: for each step the kernel that a launch takes, its grid, what
 * it computes and moves; what goes over. th_function_cubin: its kernels, compiled for a GPU that need not be there.
 */
#include "plan/place.h"
#include "kernel/attention_work.h"
#include "ops/table/nnet.h"
#include "runtime/launch.h"
#include "compile.h"

#include <string.h>

enum { LIBRARY_TERMS = 1 << 22 }; /* of a convolution, from which on a library makes it */

typedef struct Launched {
    ThContext *c;
    const Plan *p;
    const int64_t *sym;
    const GridProgram *g;
    const Places *places;
    Text *t;
    int64_t *sizes;         /* of one step */
    DeviceAddress *b;       /* of one step: nowhere */
    double *runs;           /* by region: how often a call runs it; negative: unknown */
    bool *arm;              /* ..if its arm of a branch is taken */
    int *of, *todo;         /* by step: its region */
    const LaunchUnit *unit; /* of one that was called on a GPU; or NULL */
    bool late;              /* a step before may fail on the device */
    int before, with;       /* the step that was put last, if others may be launched with it, and how many are; or -1 */
} Launched;

/* ---- how often --------------------------------------------------------------------------------------------------- */
/* A region, and those that come behind it, put on the list. */
static int put(Launched *l, int n, int region, double runs, bool arm) {
    for (; region >= 0; region = l->p->region[region].next) {
        l->runs[region] = runs;
        l->arm[region] = arm;
        l->todo[n++] = region;
    }
    return n;
}

static void count_runs(Launched *l) {
    int n = put(l, 0, 0, 1, false);
    while (n > 0) {
        int at = l->todo[--n];
        const Region *r = &l->p->region[at];
        int64_t trip = 1;
        if (r->kind == REGION_STRAIGHT)
            for (int i = r->first; i < r->first + r->n; i++) l->of[i] = at;
        if (r->kind == REGION_STRAIGHT) continue;
        bool known = r->kind == REGION_BRANCH || size_get(r->trip, l->sym, &trip);
        double inside = known && l->runs[at] >= 0 ? l->runs[at] * (double)trip : -1;
        bool arm = l->arm[at] || r->kind == REGION_BRANCH;
        n = put(l, n, r->child, inside, arm);
        if (r->kind == REGION_BRANCH) n = put(l, n, r->other, inside, arm);
    }
}

/* ---- a launch ---------------------------------------------------------------------------------------------------- */
static void put_lengths(Launched *l, double matrices, double m, double n, double k) {
    describe_double(l->t, "matrices", matrices);
    describe_double(l->t, "m", m);
    describe_double(l->t, "n", n);
    describe_double(l->t, "k", k);
}

static double lengths(const Launched *l, const GridKernel *g, const int8_t *dim, int n) {
    double all = 1;
    for (int i = 0; i < n; i++) all *= (double)size_value(g->k->dim[dim[i]].n, l->sizes);
    return all;
}

/* A product of matrices, and the library that would make it where it is found. */
static void put_product(Launched *l, const GridKernel *g, const Step *s, int thin, int64_t tiles) {
    const Contract *c = g->nest->contract;
    double matrices = lengths(l, g, c->batch, c->nbatch), m = lengths(l, g, c->side_dim[0], c->side_n[0]);
    double n = lengths(l, g, c->side_dim[1], c->side_n[1]), k = lengths(l, g, c->deep, c->ndeep);
    GpuProduct p;
    ConvWork w;
    const char *library = NULL;
    bool behind = grid_has(g, GRID_BEHIND);
    bool stops = l->late && plan_writes_outside(l->p, s); /* nothing stops a library behind a failure */
    if (!stops && grid_is_product(g) && product_for_library(g, s, l->b, l->sizes, &p)) {
        library = "cuBLASLt";
        behind &= !p.adds && !p.rounds;
        m = (double)p.c.rows, n = (double)p.c.cols, k = (double)p.a.cols, matrices = (double)p.matrices;
    } else if (!(stops && conv_lies(g, l->sizes)) && grid_is_conv(g) && matrices * m * n * k >= LIBRARY_TERMS &&
               conv_for_library(g, l->b, l->sizes, &w)) {
        bool apart = conv_apart(&w, &p);
        behind = !conv_lies(g, l->sizes);
        library = apart ? "cuBLASLt" : "cuDNN";
        if (apart) {
            describe_double(l->t, "windows", (double)(p.matrices * p.c.step)); /* numbers between product and sum */
            describe_double(l->t, "places", matrices * m * n * k / (double)w.filters);
            m = (double)p.c.rows, n = (double)p.c.cols, k = (double)p.a.cols, matrices = (double)p.matrices;
        }
    }
    put_lengths(l, matrices, m, n, k);
    if (thin >= 0 && !library) {
        ChooseTile t = choose_tile_shape(thin, contract_item(c));
        text_printf(l->t, ", \"tile\": [%d, %d, %d]", t.rows, t.cols, t.deep);
        if (thin == CHOOSE_SMALL && !g->quarters) text_put(l->t, ", \"ahead\": true");
    }
    if (thin == CHOOSE_SQUARE && !library && g->quarters) describe_int(l->t, "quarter", QUARTER);
    if (thin >= 0 && !library && tiles) describe_double(l->t, "tiles", (double)tiles);
    describe_string(l->t, "dtype", th_dtype_name((ThDtype)(c->half ? c->half : c->dtype)));
    if (library) describe_string(l->t, "library", library);
    if (library && behind) {
        char name[GRID_NAME];
        grid_name(name, g->number, GRID_BEHIND);
        describe_string(l->t, "behind", name);
    }
}

/* Loads of a kernel's deepest loops, for each element there; of 16 bytes, where some neighbours come together. */
typedef struct Loads {
    int each, wide;
} Loads;

static Loads deepest_loads(const Kernel *k, const Nest *t, bool each) {
    Loads most = {0, 0};
    for (int s = 0; s < k->st.n; s++) {
        int depth = 0, lanes = each ? 1 : grid_neighbours(t) > 1 ? grid_neighbours(t) : neighbours_inside(t, s);
        Loads n = {0, 0};
        for (int i = k->st.at[s].ins0; i < k->st.at[s].ins0 + k->st.at[s].nins; i++)
            if (k->ins.at[i].op == INS_LOAD && k->ins.at[i].depth > depth) depth = k->ins.at[i].depth;
        for (int i = k->st.at[s].ins0; i < k->st.at[s].ins0 + k->st.at[s].nins; i++) {
            if (k->ins.at[i].op != INS_LOAD || k->ins.at[i].depth < depth) continue;
            n.each++;
            if (lanes > 1 && neighbours_together(t, i))
                n.wide += (lanes * (int)th_dtype_bytes((ThDtype)k->acc.at[k->ins.at[i].a].dtype) + 15) / 16;
        }
        if (n.each > most.each) most = n;
    }
    return most;
}

/* A step that reads or writes what another one writes. */
static bool apart(const Launched *l, const Step *s, const Step *t) {
    const Kernel *k = l->p->kernel[s->kernel];
    for (int a = 0; a < k->acc.n; a++)
        for (int b = 0; b < k->acc.n; b++) {
            const Access *x = &k->acc.at[a], *y = &k->acc.at[b];
            bool writes = (x->flags | y->flags) & (ACC_WRITE | ACC_ADD);
            if (writes && l->places->root[s->buf[x->buf]] == l->places->root[t->buf[y->buf]]) return false;
        }
    return true;
}

/* It goes with the launch of the step before, as core/runtime/many.c decides by where things lie. */
static bool joins(Launched *l, int i, bool own) {
    const Step *s = &l->p->step[i];
    const GridKernel *g = &l->g->kernel[s->kernel];
    bool may = own && g->many > 1, joined = may && l->before >= 0 && l->with < g->many &&
                                            l->of[l->before] == l->of[i] && l->p->step[l->before].kernel == s->kernel;
    for (int j = l->before - l->with + 1; joined && j <= l->before; j++) joined = apart(l, s, &l->p->step[j]);
    l->with = joined ? l->with + 1 : 1;
    l->before = may ? i : -1;
    return joined;
}

/* The loop whose turns were one launch that it is a step of; or -1. */
static int in_turns(const Launched *l, int step) {
    for (int i = 0; l->unit && i < l->g->nturns; i++) {
        const GridTurns *t = &l->g->turns[i];
        if (atomic_load(&l->unit->waited[i]) && step >= t->first && step < t->first + t->nstep) return i;
    }
    return -1;
}

/* ..and before which of its steps blocks wait, and how many for each other. */
static void put_turns(Launched *l, int step) {
    int i = in_turns(l, step);
    if (i < 0) return;
    const GridTurns *t = &l->g->turns[i];
    unsigned long long waits = atomic_load(&l->unit->waited[i]);
    describe_int(l->t, "turns_of", i);
    describe_int(l->t, "waits", waits >> (step - t->first) & 1);
    describe_int(l->t, "among", waits >> TURNS_STEPS);
    describe_double(l->t, "loops", l->runs[t->region]);
    if (step > t->first) text_put(l->t, ", \"joined\": true");
}

/* The step goes with the launch of the product before it. */
static bool is_tail(const Launched *l, int step) {
    for (int i = 0; l->unit && i < l->g->ntail; i++)
        if (l->g->tail[i].step == step - 1 && atomic_load(&l->unit->tailed[i])) return true;
    return false;
}

/* The code of a step whose threads have a point each, and of what asks for its loads. */
static void put_part(Launched *l, int step, int kernel, bool near) {
    char name[GRID_NAME];
    int i = in_turns(l, step), at = i >= 0 ? step - l->g->turns[i].first : -1;
    if (near) turns_near_name(name, false, i, at);
    else turns_each_name(name, kernel);
    describe_string(l->t, "part", name);
    if (!near || !l->g->turns[i].near[at].ahead) return;
    turns_near_name(name, true, i, at);
    describe_string(l->t, "asks", name);
}

static void put_launch(Launched *l, int step, const Step *s) {
    static const char *const kind[] = {"serial", "threads", "blocks", "tiles", "scatter", "draw"};
    const GridKernel *g = &l->g->kernel[s->kernel];
    for (int i = 0; i < s->nsym; i++) {
        l->sizes[i] = l->sym[s->sym[i]];
        if (l->sizes[i] != SIZE_UNKNOWN) continue;
        describe_string(l->t, "kind", "unknown"); /* what is found while it runs */
        l->before = -1;
        return;
    }
    GridLaunch grid = grid_launch(g, l->sizes);
    bool turns = in_turns(l, step) >= 0, each = turns && grid_turns_each(g, l->sizes, &grid.blocks);
    unsigned long long beside = turns ? atomic_load(&l->unit->beside[step]) : 0;
    const Nest *nest = grid.nest >= 0 ? grid_nest(g->nest, grid.nest) : NULL;
    GridShare share = each ? (GridShare){1, 1} : grid_share(g, l->sizes, &grid);
    if (each && beside) { /* a thread for each of a tile's points, as far as they go */
        int64_t points = (int64_t)SPREAD_ROWS << (beside & 63);
        grid.blocks = (int64_t)(beside >> 9);
        grid.threads = points < CHOOSE_THREADS ? (int)points : CHOOSE_THREADS;
        share.turns = points / grid.threads;
    }
    if (!nest || each) nest = g->nest;
    StepWork w = work_of_launch(l->p, step, l->sym, g, nest);
    Loads loads = deepest_loads(g->k, nest, each);
    char name[GRID_NAME];
    bool tail = is_tail(l, step);
    if (tail) {
        tail_rows_name(name, g->number);
        grid.blocks = (grid.blocks + 1) / 2, share.turns = 1;
    } else grid_name(name, g->number, grid.nest < 0 ? 0 : grid.nest);
    describe_string(l->t, "kernel", name);
    describe_string(l->t, "kind", nest->warp ? "warps" : nest->across ? "columns" : kind[nest->grid]);
    describe_int(l->t, "blocks", grid.nest < 0 ? 0 : grid.blocks);
    describe_int(l->t, "threads", grid.threads);
    describe_int(l->t, "shared", grid.shared);
    describe_int(l->t, "parts", grid.parts);
    describe_int(l->t, "turns", share.turns);
    describe_int(l->t, "inside", share.inside);
    describe_int(l->t, "loads", loads.each);
    describe_int(l->t, "wide", loads.wide);
    describe_double(l->t, "flops", w.flops);
    describe_double(l->t, "bytes", w.bytes);
    describe_double(l->t, "written", w.written);
    describe_double(l->t, "moved", w.moved);
    if (each) put_part(l, step, g->number, beside >> 6 & 1);
    if (turns) put_turns(l, step);
    if (turns || tail) l->before = -1;
    if (tail) text_put(l->t, ", \"joined\": true");
    else if (!turns && joins(l, step, grid.nest == GRID_OWN)) text_put(l->t, ", \"joined\": true");
    int thin = turns ? g->tile : grid.nest == CHOOSE_THIN || grid.nest == CHOOSE_SMALL ? grid.nest : -1;
    if (nest->grid == GRID_TILES && grid.nest >= 0)
        put_product(l, g, s, g->nest->contract->half ? -1 : thin, (int64_t)(beside >> 9));
    if (nest->grid == GRID_TILES && grid.nest >= 0 && beside >> 7 & 1) text_put(l->t, ", \"early\": true");
    if (beside >> 8 & 1) text_put(l->t, ", \"told\": true");
}

static bool is_attention(const Op *op) {
    return op == &op_attention || op == &op_attention_grad || op == &op_attention_heads ||
           op == &op_attention_heads_grad || op == &op_attention_heads_into;
}

/* Attention is kernels of the device's library (core/runtime/gpu/attention.c): how many launches, what their products
 * are, and what they move. */
static void put_attention(Launched *l, const PlanHost *h) {
    const PlanValue *q = &h->in[0], *v = &h->in[2];
    const ThDtype d = (ThDtype)q->dtype;
    const bool heads = h->op != &op_attention && h->op != &op_attention_grad;
    const int last = heads ? 3 : 2;
    AttentionLengths n;
    int64_t each = 1;
    if (!size_get(q->shape[0], l->sym, &n.batch) || !size_get(q->shape[1], l->sym, &n.queries) ||
        !size_get(v->shape[1], l->sym, &n.keys) || !size_get(q->shape[last], l->sym, &n.deep) ||
        !size_get(v->shape[last], l->sym, &n.wide) || (heads && !size_get(q->shape[2], l->sym, &each)))
        return;
    const bool back = h->op != &op_attention && h->op != &op_attention_heads;
    n.batch *= each, n.narrow = dtype_is_half((ThDtype)h->out[0].dtype);
    const AttentionSplit s = (back ? attention_split : attention_result)(d, &n);
    describe_double(l->t, "products", s.products);
    describe_double(l->t, "aside", s.aside);
    describe_double(l->t, "extra", s.extra);
    describe_double(l->t, "moved", s.moved);
    describe_int(l->t, "launches", s.launches);
    describe_string(l->t, "dtype", th_dtype_name(d));
}

/* The steps that it waits for, where a call has become a graph; of bit 63, all that are as far away or further. */
static void put_after(Launched *l, int step) {
    if (!l->unit || !atomic_load(&l->unit->ordered)) return;
    unsigned long long waits = atomic_load(&l->unit->after[step]);
    const char *between = "";
    text_put(l->t, ", \"after\": [");
    for (int i = 0; i < 63; i++) {
        if (!(waits >> i & 1)) continue;
        text_printf(l->t, "%s%d", between, step - 1 - i);
        between = ", ";
    }
    text_printf(l->t, "], \"behind_all\": %d", waits >> 63 ? step - 64 : -1);
}

static void put_step(Launched *l, int i, bool first) {
    static const char *const side[] = {"host", "device", "lengths"};
    const Step *s = &l->p->step[i];
    int region = l->of[i];
    bool kernel = s->kind == STEP_KERNEL && l->places->side[i] == PLACE_DEVICE;
    text_printf(l->t, "%s{\"step\": %d", first ? "" : ",\n", i);
    describe_string(l->t, "side", side[l->places->side[i]]);
    describe_string(l->t, "title", s->title && *s->title ? s->title : s->op);
    describe_places(l->t, s->node >= 0 ? l->p->node[s->node].prov : 0);
    describe_double(l->t, "runs", region < 0 ? 0 : l->runs[region]);
    text_printf(l->t, ", \"arm\": %s", region >= 0 && l->arm[region] ? "true" : "false");
    if (kernel) {
        put_launch(l, i, s);
    } else {
        StepWork w = work_of_step(l->p, i, l->sym);
        l->before = -1;
        if (s->kind == STEP_TRANSFER) put_turns(l, i);
        describe_string(l->t, "kind", s->kind == STEP_TRANSFER ? "copy" : s->kind == STEP_HOST ? "call" : "kernel");
        describe_double(l->t, "flops", w.flops);
        describe_double(l->t, "bytes", w.bytes);
        const PlanHost *h = s->kind == STEP_HOST ? &l->p->host[s->host] : NULL;
        if (h && is_attention(h->op)) put_attention(l, h);
    }
    if (l->places->side[i] == PLACE_DEVICE) put_after(l, i);
    l->late |= l->places->side[i] == PLACE_DEVICE && plan_fails_late(l->p, s);
    text_putc(l->t, '}');
}

/* ---- what goes over ---------------------------------------------------------------------------------------------- */
static double bytes_of(const Launched *l, int buf) {
    const PlanBuf *b = &l->p->buf[buf];
    int64_t n;
    double all = (double)th_dtype_bytes((ThDtype)b->dtype);
    bool sized = b->kind == BUF_TEMP || b->kind == BUF_OUTPUT;
    if (sized) return size_get(b->size, l->sym, &n) ? all * (double)n : -1;
    for (int d = 0; d < b->ndim; d++) {
        if (!size_get(b->shape[d], l->sym, &n)) return -1;
        all *= (double)n;
    }
    return all;
}

static void put_move(Launched *l, bool first, bool back, int buf) {
    const PlanBuf *b = &l->p->buf[buf];
    text_printf(l->t, "%s{\"to\": \"%s\"", first ? "" : ", ", back ? "host" : "device");
    describe_string(l->t, "name", b->name);
    describe_double(l->t, "bytes", bytes_of(l, buf));
    text_putc(l->t, '}');
}

/* Once a call: what a loop moves at each turn is not counted. */
static void put_moves(Launched *l) {
    const Places *m = l->places;
    bool first = true, whole = true;
    text_put(l->t, "], \"transfers\": [");
    for (int i = 0; i < m->nover; i++, first = false) put_move(l, first, false, m->over[i]);
    for (int i = 0; i < m->nmove; i++) {
        const PlaceMove *v = &m->move[i];
        whole &= v->when == MOVE_AT_END || v->kind == MOVE_OVER;
        if (v->buf < 0) continue;
        put_move(l, first, v->kind != MOVE_OVER, v->buf);
        first = false;
    }
    for (int i = 0; i < l->p->nstep; i++) whole &= m->side[i] != PLACE_HOST;
    text_printf(l->t, "], \"graph\": %s", whole ? "true" : "false");
}

/* ---- a function -------------------------------------------------------------------------------------------------- */
static bool has_form(const Plan *p, int step, void *user) {
    const GridProgram *g = user;
    const Step *s = &p->step[step];
    if (s->kind == STEP_KERNEL) return g->kernel[s->kernel].nest != NULL;
    return s->kind == STEP_TRANSFER || (s->kind == STEP_HOST && p->host[s->host].op->device);
}

static bool room(Launched *l, Arena *a) {
    size_t nbuf = 1, nsym = 1, nregion = (size_t)l->p->nregion + 1, nstep = (size_t)l->p->nstep + 1;
    for (int i = 0; i < l->p->nstep; i++) {
        const Step *s = &l->p->step[i];
        nbuf = (size_t)s->nbuf >= nbuf ? (size_t)s->nbuf + 1 : nbuf;
        nsym = (size_t)s->nsym >= nsym ? (size_t)s->nsym + 1 : nsym;
    }
    l->sizes = arena_alloc0(a, nsym * sizeof *l->sizes);
    l->b = arena_alloc0(a, nbuf * sizeof *l->b);
    l->runs = arena_alloc0(a, nregion * sizeof *l->runs);
    l->arm = arena_alloc0(a, nregion * sizeof *l->arm);
    l->todo = arena_alloc0(a, nregion * sizeof *l->todo);
    l->of = arena_alloc0(a, nstep * sizeof *l->of);
    if (!l->sizes || !l->b || !l->runs || !l->arm || !l->todo || !l->of) return false;
    for (size_t i = 0; i < nstep; i++) l->of[i] = -1;
    return true;
}

static void put_function(Launched *l, const char *name) {
    text_put(l->t, "{\"name\": ");
    text_json(l->t, name);
    text_put(l->t, ", \"steps\": [");
    bool first = true;
    for (int i = 0; i < l->p->nstep; i++) {
        const Step *s = &l->p->step[i];
        if (s->kind == STEP_SIZE || s->kind == STEP_LATE) continue;
        put_step(l, i, first);
        first = false;
    }
    put_moves(l);
    text_putc(l->t, '}');
}

static bool describe(Launched *l, const char *name, GridProgram *g) {
    Arena *a = arena_new(l->c);
    Places *places = place_make(l->p, has_form, g);
    bool ok = a && places && room(l, a);
    l->places = places;
    if (ok) {
        count_runs(l);
        put_function(l, name);
    }
    place_free(places);
    if (a) arena_free(a);
    return ok && !l->t->failed;
}

char *th_function_launches(ThFunction *f) {
    ThContext *c = f ? th_function_context(f) : NULL;
    if (!f || failed(c)) return NULL;
    int64_t *sym = function_sizes(f);
    if (!sym) {
        if (!failed(c)) err(c, TH_ValueError, "what a call does hangs on its lengths: call the function once before");
        return NULL;
    }
    char *source;
    GridProgram *g = cuda_kernels(function_plan(f), &source);
    Text t;
    text_init(&t, c);
    Launched l = {.c = c, .p = function_plan(f), .sym = sym, .g = g, .t = &t, .before = -1};
    if (function_newest(f)->unit && function_newest(f)->unit->run == launch_run)
        l.unit = function_newest(f)->unit->impl;
    bool ok = g && describe(&l, th_function_name(f), g);
    cuda_program_free(g);
    th_free(c, source);
    ctx_free(c, sym, ((size_t)l.p->nsym + 1) * sizeof *sym);
    if (ok) return text_take(&t);
    text_free(&t);
    if (!failed(c)) err_nomem(c);
    return NULL;
}

static void near_parts(Text *t, const GridProgram *g, int turns, int step, int kernel) {
    const GridNear *n = &g->turns[turns].near[step];
    for (int ask = 0; ask < 2 && n->product >= 0; ask++) {
        char name[GRID_NAME], own[GRID_NAME];
        if (ask && !n->ahead) break;
        near_name(own, ask, turns, step), turns_near_name(name, ask, turns, step);
        text_printf(t, "KERNEL %s(const Args_%d a, const Spread w%s) { SHARED_BYTES(49152); %s(a, sh, w%s); }\n", name,
                    kernel, ask ? "" : ", const u64 place", own, ask ? "" : ", place");
    }
}

/* The text with one more kernel for each of a loop's turns, which estimates look at. */
static char *with_parts(const GridProgram *g, const Plan *p, char *source) {
    bool *had = arena_alloc0(g->arena, sizeof *had * (size_t)(g->nkernel + 1));
    Text t;
    text_init(&t, g->c);
    text_put(&t, source);
    for (int i = 0; had && i < g->nturns; i++)
        for (int j = 0; j < g->turns[i].nstep; j++) {
            const Step *s = &p->step[g->turns[i].first + j];
            char name[GRID_NAME];
            if (s->kind == STEP_KERNEL) near_parts(&t, g, i, j, s->kernel);
            if (s->kind != STEP_KERNEL || !g->kernel[s->kernel].each || had[s->kernel]) continue;
            turns_each_name(name, s->kernel);
            had[s->kernel] = true;
            text_printf(&t, "KERNEL %s(const Args_%d a, const Spread w) { each_%d(a, 0, w); }\n", name, s->kernel,
                        s->kernel);
        }
    for (int i = 0; had && i < g->ntail; i++) {
        const Step *s = &p->step[g->tail[i].step + 1];
        char name[GRID_NAME];
        if (had[s->kernel]) continue;
        tail_rows_name(name, s->kernel);
        had[s->kernel] = true;
        text_printf(&t, "KERNEL %s(const Args_%d a) { rows_%d(a); }\n", name, s->kernel, s->kernel);
    }
    th_free(g->c, source);
    if (had && !t.failed) return text_take(&t);
    text_free(&t);
    return NULL;
}

char *th_function_cubin(ThFunction *f, const char *arch, size_t *bytes, char **log) {
    ThContext *c = f ? th_function_context(f) : NULL;
    if (bytes) *bytes = 0;
    if (log) *log = NULL;
    if (!f || failed(c)) return NULL;
    if (!arch || !bytes || !log) return err_missing(c, __func__), NULL;
    if (th_context_sealed(c)) return NULL; /* no libraries are opened any more */
    char *source;
    Text t;
    text_init(&t, c);
    GridProgram *g = cuda_kernels(function_plan(f), &source);
    if (g) source = with_parts(g, function_plan(f), source);
    const Unit *unit = function_newest(f)->unit;
    if (source && unit && unit->run == launch_run) { /* it was called there: what calls took */
        char *all = source;
        source = launch_loaded(unit->impl, all);
        th_free(c, all);
    }
    char *image = source ? cuda_assemble(c, source, arch, bytes, log) : NULL;
    if (image) text_put_n(&t, image, *bytes);
    ctx_free(c, image, *bytes);
    cuda_program_free(g);
    th_free(c, source);
    if (image) return text_take(&t);
    return NULL;
}
