/*
 * launch_kernel.c -- a kernel of a plan launched: which way, its record of arguments, a library in its place, others
 * that it waits for.
 */
#include "launch_state.h"

#include "ops/table/host.h"
#include "schedule/choose.h"

#include <string.h>

static const DeviceOps *ops(const Launches *l) { return l->u->device->op; }

/* ---- launches ---------------------------------------------------------------------------------------------------- */
static int64_t length(const Step *s, const ThFrame *f, Size z) { return z.sym < 0 ? z.k : z.k * f->sym[s->sym[z.sym]]; }

static int64_t product(const GridKernel *g, const Step *s, const ThFrame *f, int from, int to) {
    const LoopStage *st = &g->o.stage[0];
    int64_t n = 1;
    for (int i = from; i < to; i++) n *= length(s, f, g->k->dim[st->loop[i]].n);
    return n;
}

/* Literals as the kernels read them: floats as float64, complex numbers of both, all others as they are. */
static void literals(const GridKernel *g, const Step *s, char *to) {
    for (int i = 0; i < s->nparam; i++) {
        char kind = 'f';
        for (int j = 0; j < g->k->ins.n; j++)
            if (g->k->ins.at[j].op == INS_PARAM && g->k->ins.at[j].a == i)
                kind = th_dtype_kind((ThDtype)g->k->ins.at[j].dtype);
        const ThValue *v = &s->param[i];
        if (kind == 'c') memcpy(to + 16 * i, &v->c, 16);
        else memcpy(to + 16 * i, kind == 'f' ? (const void *)&v->f : &v->i, 8);
    }
}

uint8_t launch_use_of(const Kernel *k, int buf) {
    uint8_t use = 0;
    for (int a = 0; a < k->acc.n; a++)
        if (k->acc.at[a].buf == buf) use |= k->acc.at[a].flags & (ACC_READ | ACC_WRITE | ACC_ADD);
    return use ? use : ACC_READ | ACC_WRITE; /* operands of a product */
}

/* Where buffer buf lies on the device; what follows from it is noted. */
int launch_use(Launches *l, ThFrame *f, int buf, DeviceAddress *at) {
    l->seen[l->u->places->root[buf]] |= LAUNCH_USED;
    return sides_to_device(&l->sides, f, buf, at);
}

void launch_wrote(Launches *l, int buf) {
    l->seen[l->u->places->root[buf]] |= LAUNCH_WROTE;
    sides_device_wrote(&l->sides, buf);
}

/* Memory for the private rows of a launch: of the one before it, whose kernel is done when this one's runs. */
int launch_fit_rows(Launches *l, ThFrame *f, size_t bytes) {
    if (bytes <= l->rows.bytes) return 0;
    l->pure = false;
    if (l->capturing) return 1;
    TRY(ops(l)->free(&l->q, l->rows.at));
    l->rows = (GpuRoom){0};
    TRY(ops(l)->alloc(&l->q, bytes, &l->rows.at));
    l->rows.bytes = bytes;
    return 0;
}

static int addresses(Launches *l, ThFrame *f, const GridKernel *g, const Step *s, const GridLaunch *ch) {
    DeviceAddress *b = (DeviceAddress *)(void *)l->args;
    const int64_t *sizes = (const int64_t *)(void *)(l->args + g->nbuf * 8);
    int64_t *row = (int64_t *)(void *)(l->args + g->nbuf * 8 + g->nsym * 8 + g->nparam * 16 + 16);
    size_t all = 0;
    for (int i = 0; i < s->nbuf; i++) {
        size_t item = grid_row_item(g->k, i);
        if (!item) {
            if (launch_use(l, f, s->buf[i], &b[i])) return 1;
            continue;
        }
        row[i] = grid_row(g->k, i, sizes);
        if (ch->shared) continue;
        b[i] = all;
        all += ((size_t)(ch->blocks * row[i]) * item + 64 + 255) / 256 * 256;
    }
    if (ch->kept) all = (size_t)ch->kept; /* such a kernel has no rows */
    if (launch_fit_rows(l, f, all)) return 1;
    for (int i = 0; i < s->nbuf && all; i++)
        if (grid_row_item(g->k, i)) b[i] += l->rows.at;
    if (!ch->kept) return 0;
    b[g->nbuf - 1] = l->rows.at;
    row[g->nbuf - 1] = ch->parts;
    return 0;
}

/* Lengths of the last stage's loops that are (not) in order, together. */
static int64_t positions(const GridKernel *g, const Step *s, const ThFrame *f, bool ordered) {
    const Stage *st = &g->k->st.at[g->k->st.n - 1];
    const Scatter how = scatter_form(g->k);
    int64_t n = 1;
    for (int d = st->d0; d < st->d0 + st->nd; d++)
        if (scatter_sorts(g->k, &how, d) == ordered) n *= length(s, f, g->k->dim[d].n);
    return n;
}

/* Places, sorted with their positions, and the stores. false: there is little to do, or nothing. */
bool launch_sorts(const GridKernel *g, const Step *s, const ThFrame *f) {
    enum { FEW = 64 };
    return g->nest->grid == GRID_SCATTER && positions(g, s, f, true) * positions(g, s, f, false) > FEW;
}

static DeviceStatus queue_blocks(Launches *l, const GridKernel *g, int function, int64_t points) {
    int64_t blocks = (points + CHOOSE_THREADS - 1) / CHOOSE_THREADS;
    DeviceGrid grid = {(unsigned)(blocks < CHOOSE_BLOCKS ? blocks : CHOOSE_BLOCKS), CHOOSE_THREADS, 0};
    void *what = atomic_load(&l->u->entry[launch_entry_of(g, function)]); /* beside() loaded it */
    return points > 0 ? ops(l)->launch(&l->q, what, grid, l->args) : DEVICE_OK;
}

static DeviceStatus scatter(Launches *l, ThFrame *f, const GridKernel *g, const Step *s) {
    GpuCall call = launch_call(l);
    HostCall h = {.ctx = l->u->c, .lib = &gpu_services, .gpu = &call, .frame = f};
    int64_t many = positions(g, s, f, true), *tail = (int64_t *)(void *)(l->args + grid_record_bytes(g) - 16);
    GpuOrder o = {0};
    char *key;
    bool ok = gpu_room(&h, (size_t)many * sizeof(int64_t), &key);
    tail[0] = (int64_t)(uintptr_t)key;
    ok = ok && !gpu_status(&h, queue_blocks(l, g, GRID_PLACES, many)) && !gpu_order_places(&h, key, many, &o);
    tail[0] = (int64_t)(uintptr_t)o.key, tail[1] = (int64_t)(uintptr_t)o.pos;
    if (ok) gpu_status(&h, queue_blocks(l, g, 0, many * positions(g, s, f, false)));
    l->pure &= call.most <= call.room->bytes; /* the room grows */
    gpu_end(&call);
    return call.status ? call.status : ok ? DEVICE_OK : DEVICE_FAILED;
}

static GpuDone product_made(Launches *l, HostCall *h, const GridKernel *g, const Step *s, const int64_t *sizes) {
    GpuProduct p;
    if (!product_for_library(g, s, (const DeviceAddress *)(void *)l->args, sizes, &p)) return GPU_NOT;
    GpuDone done = gpu_product(h, &p);
    if (done != GPU_DONE || p.added || !grid_has(g, GRID_BEHIND)) return done;
    return gpu_status(h, queue_blocks(l, g, GRID_BEHIND, p.matrices * p.c.rows * p.c.cols)) ? GPU_FAILED : GPU_DONE;
}

bool conv_apart(const ConvWork *w, GpuProduct *p) {
    int64_t in = 1;
    for (int d = 0; d < w->ndim; d++) in *= w->in[d];
    return gpu_by_windows(w, p) && choose_library(p->matrices, p->c.rows, p->c.cols, p->a.cols) &&
           choose_windows(w->images, w->channels, p->c.rows / w->channels, p->c.cols, in, w->filters);
}

static GpuDone conv_made(Launches *l, HostCall *h, const GridKernel *g, const int64_t *sizes) {
    const DeviceAddress *b = (const DeviceAddress *)(void *)l->args;
    int64_t *whole = (int64_t *)(void *)(l->args + grid_record_bytes(g) - 8);
    ConvWork w;
    GpuProduct p;
    int64_t points = conv_for_library(g, b, sizes, &w);
    if (!points || !gpu_conv_wanted(h, &w)) return GPU_NOT;
    char *at = conv_result(g, b, sizes), *to = at;
    if (!at && !gpu_room(h, (size_t)points * th_dtype_bytes(w.dtype), &to)) return GPU_FAILED;
    *(w.target == CONV_TO_TOP ? &w.top : w.target == CONV_TO_IMAGE ? &w.image : &w.filter) = to;
    GpuDone done = conv_apart(&w, &p) ? gpu_conv_windows(h, &w, &p) : GPU_NOT;
    if (done == GPU_NOT) done = gpu_conv(h, &w);
    if (done != GPU_DONE || at) return done;
    *whole = (int64_t)(uintptr_t)to;
    return gpu_status(h, queue_blocks(l, g, GRID_BEHIND, points)) ? GPU_FAILED : GPU_DONE;
}

/* Nothing stops a library behind a failure, which would be seen where it writes what outlives the call. What a
 * convolution does not write as it lies goes by a kernel. */
bool launch_library_shows(const Launches *l, const GridKernel *g, const Step *s, const int64_t *sizes) {
    return plan_writes_outside(l->plan, s) && (!grid_is_conv(g) || conv_lies(g, sizes));
}

/* A product or a convolution by the device's library, and what follows it by a kernel. */
static GpuDone by_library(Launches *l, ThFrame *f, const GridKernel *g, const Step *s, const int64_t *sizes) {
    GpuCall call = launch_call(l);
    HostCall h = {.ctx = l->u->c, .lib = &gpu_services, .gpu = &call, .frame = f};
    bool product = grid_is_product(g), conv = !product && grid_is_conv(g);
    if ((!product && !conv) || l->steered || (l->sides.unlooked && launch_library_shows(l, g, s, sizes)))
        return GPU_NOT;
    GpuDone done = product ? product_made(l, &h, g, s, sizes) : conv_made(l, &h, g, sizes);
    l->pure &= call.most <= call.room->bytes;
    gpu_end(&call);
    if (done == GPU_FAILED && call.status) sides_refuse(&l->sides, f, call.status);
    else if (done == GPU_FAILED) f->rt->fail(f, l->sides.step, TH_MemoryError, 0, 0, 0, 0, 0);
    return done;
}

/* All that wait are launched. Where the device refuses, nothing of them has run: the host does them, or, if nothing was
 * changed in place before, the call ends. */
int launch_waiting(Launches *l, ThFrame *f) {
    Many *m = &l->many;
    if (!m->g) return 0;
    void *what = launch_entry(l, f, launch_entry_of(m->g, m->n > 1 ? GRID_MANY : GRID_OWN));
    if (!what) return 1;
    launch_before_many(l);
    DeviceStatus st = many_launch(m, &l->q, what);
    l->launches++;
    launch_after(l, m->step[0]);
    if (!st) return 0;
    int now = l->sides.step, bad = 0;
    l->sides.step = m->step[0];
    if (m->step[0] <= l->plan->first_write || l->capturing) return sides_refuse(&l->sides, f, st);
    for (int i = 0; i < m->n && !bad; i++) {
        l->sides.step = m->step[i];
        bad = launch_take_over(l, f, m->step[i]);
    }
    l->sides.step = now;
    return bad;
}

/* It waits for others; 1: not this one. -1: launching what waited before failed. */
static int wait(Launches *l, ThFrame *f, const GridKernel *g, const Step *s, int64_t blocks) {
    ManySpan span[MANY_BUFFERS];
    if (!many_spans(l->plan, s, g, f, (const DeviceAddress *)(void *)l->args, span))
        return launch_waiting(l, f) ? -1 : 1;
    if (many_add(&l->many, g, l->sides.step, l->args, blocks, span, s->nbuf)) return 0;
    if (launch_waiting(l, f)) return -1;
    return many_add(&l->many, g, l->sides.step, l->args, blocks, span, s->nbuf) ? 0 : 1;
}

void launch_wrote_all(Launches *l, const GridKernel *g, const Step *s) {
    for (int i = 0; i < s->nbuf; i++)
        if (launch_use_of(g->k, i) & (ACC_WRITE | ACC_ADD)) launch_wrote(l, s->buf[i]);
}

static const DeviceAddress nowhere[GRID_ARGS / 16];

bool launch_expects_library(Launches *l, ThFrame *f, const GridKernel *g, const Step *s, const int64_t *sizes) {
    GpuCall call = launch_call(l);
    const HostCall h = {.ctx = l->u->c, .lib = &gpu_services, .gpu = &call, .frame = f};
    GpuProduct p;
    ConvWork w;
    if (l->steered || g->nbuf > TH_LEN(nowhere)) return false;
    if (grid_is_product(g)) return gpu_wants(&h, 1, 1) && product_for_library(g, s, nowhere, sizes, &p);
    return grid_is_conv(g) && conv_for_library(g, nowhere, sizes, &w) && gpu_conv_wanted(&h, &w);
}

/* What is launched beside the kernel itself is loaded: for its places and its looks, behind a library. */
static bool beside(Launches *l, ThFrame *f, const GridKernel *g, bool sorted) {
    static const int all[] = {GRID_LOOK, GRID_PLACES, GRID_BEHIND};
    for (int i = 0; i < TH_LEN(all); i++) {
        if (!grid_has(g, all[i]) || (all[i] == GRID_PLACES && !sorted)) continue;
        if (!launch_entry(l, f, launch_entry_of(g, all[i]))) return false;
    }
    return !sorted || launch_entry(l, f, launch_entry_of(g, GRID_OWN));
}

/* How it is launched; *lap: it is timed, which is no graph's. */
static GridLaunch way_of(Launches *l, const GridKernel *g, const int64_t *sizes, int nsizes, int *lap) {
    GridLaunch way[GRID_WAYS];
    bool races = l->races.device && !g->many && !l->times.to && !l->steered;
    int n = races ? grid_ways(g, sizes, l->u->device->info.multiprocessors, way) : 1, at = 0;
    *lap = -1;
    if (!races) return grid_launch(g, sizes);
    if (n > 1) at = race_way(&l->races, g, sizes, nsizes, n, lap);
    l->pure &= *lap < 0;
    return way[at];
}

/* The sizes of the step's kernel, in its record, which is fresh. */
static int64_t *sizes_of(Launches *l, const ThFrame *f, const GridKernel *g, const Step *s) {
    memset(l->args, 0, grid_record_bytes(g));
    int64_t *sizes = (int64_t *)(void *)(l->args + g->nbuf * 8);
    for (int i = 0; i < s->nsym; i++) sizes[i] = f->sym[s->sym[i]];
    return sizes;
}

GridLaunch launch_way(Launches *l, const ThFrame *f, const GridKernel *g, const Step *s) {
    return grid_launch(g, sizes_of(l, f, g, s));
}

int launch_record(Launches *l, ThFrame *f, const GridKernel *g, const Step *s, const GridLaunch *ch) {
    if (addresses(l, f, g, s, ch)) return 1;
    literals(g, s, l->args + g->nbuf * 8 + g->nsym * 8);
    int64_t *last = (int64_t *)(void *)(l->args + g->nbuf * 8 + g->nsym * 8 + g->nparam * 16);
    last[0] = (int64_t)l->sides.answers;
    last[1] = (int64_t)(2 * l->launches + 1) << 32 | l->sides.step; /* which launch of the call, of which step */
    return 0;
}

int launch_kernel(Launches *l, ThFrame *f, const GridKernel *g, const Step *s) {
    int64_t *sizes = sizes_of(l, f, g, s);
    int lap;
    GridLaunch ch = way_of(l, g, sizes, s->nsym, &lap);
    if (ch.nest < 0) return 0;
    if (launch_record(l, f, g, s, &ch)) return 1;
    int64_t *last = (int64_t *)(void *)(l->args + g->nbuf * 8 + g->nsym * 8 + g->nparam * 16);
    if (g->many && ch.nest == GRID_OWN && !l->times.to) {
        int waits = wait(l, f, g, s, ch.blocks);
        if (!waits) launch_wrote_all(l, g, s);
        if (waits < 1) return waits < 0;
    }
    if (launch_waiting(l, f)) return 1;
    if (lap < 0 && g->nest->grid == GRID_TILES) {
        bool done;
        if (launch_tail(l, f, g, s, &done) || done) return !done;
    }
    bool sorted = launch_sorts(g, s, f);
    if (!beside(l, f, g, sorted)) return 1;
    launch_before(l, f, s);
    if (ch.zeros) TRY(ops(l)->set(&l->q, l->rows.at, 0, (size_t)ch.zeros));
    DeviceGrid grid = {(unsigned)ch.blocks, (unsigned)ch.threads, (unsigned)ch.shared};
    DeviceStatus st = DEVICE_OK;
    GpuDone made = by_library(l, f, g, s, sizes);
    if (made == GPU_FAILED) return 1;
    void *what = sorted || made == GPU_DONE ? NULL : launch_entry(l, f, launch_entry_of(g, ch.nest));
    if (!what && !sorted && made != GPU_DONE) return 1;
    if (g->nest->grid == GRID_SCATTER && grid_looks(g))
        st = queue_blocks(l, g, GRID_LOOK, product(g, s, f, 0, g->o.stage[0].nloop));
    else if (grid_looks(g))
        st = ops(l)->launch(&l->q, atomic_load(&l->u->entry[launch_entry_of(g, GRID_LOOK)]), grid, l->args);
    last[1] += (int64_t)1 << 32;
    if (lap >= 0 && made == GPU_DONE) race_none(&l->races, lap), lap = -1;
    if (lap >= 0) race_begin(&l->races, lap);
    if (!st && sorted) st = scatter(l, f, g, s);
    else if (!st && made != GPU_DONE) st = ops(l)->launch(&l->q, what, grid, l->args);
    TRY(st);
    if (lap >= 0) race_end(&l->races, lap);
    launch_after(l, l->sides.step);
    l->launches++;
    l->sides.unlooked |= s->can_fail;
    launch_wrote_all(l, g, s);
    return 0;
}
