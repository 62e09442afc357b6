/*
 * launch.c -- what a call of such a function does: its launches and its steps on the host. In: a frame whose buffers
 * have host addresses. Out: their values, or the first failure.
 */
#include "launch.h"

#include "sides.h"
#include "ops/table/host.h"
#include "runtime/frame/walk.h"
#include "runtime/gpu/gpu.h"
#include "schedule/choose.h"

#include <string.h>

enum { RECORD = 8 }; /* words of the error record */

typedef struct LaunchUnit {
    Unit unit;
    ThContext *c;
    GridProgram *program;
    Device *device;
    DeviceQueue q; /* its module is loaded by it */
    void *module;
    void *function[]; /* GRID_FUNCTIONS a kernel */
} LaunchUnit;

typedef struct Launches {
    Sides sides; /* first: look finds the rest by it */
    LaunchUnit *u;
    const Plan *plan;
    DeviceQueue q;
    DeviceAddress record;
    GpuRoom room; /* of host calls */
    char *args;   /* the largest record of arguments */
    size_t args_bytes;
    bool unlooked; /* a kernel that can fail was launched since the record was looked at */
} Launches;

static const DeviceOps *ops(const Launches *l) { return l->u->device->op; }

/* ---- failures ---------------------------------------------------------------------------------------------------- */
#define TRY(call) \
    do { \
        DeviceStatus s_ = (call); \
        if (s_) return sides_refuse(&l->sides, f, s_); \
    } while (0)

/* Waits, then looks whether a kernel failed, where one could. */
static int look(Launches *l, ThFrame *f) {
    int64_t r[RECORD];
    if (!l->unlooked) return 0;
    TRY(ops(l)->copy_out(&l->q, r, l->record, sizeof r));
    TRY(ops(l)->wait(&l->q));
    l->unlooked = false;
    if (!r[0]) return 0;
    const Step *s = &l->plan->step[r[1]];
    if (s->kind != STEP_HOST) return f->rt->fail(f, (int)r[1], (int)r[2], (int)r[3], r[4], r[5], 0, 0);
    const Op *op = l->plan->host[s->host].op; /* r[2]: which of its failures */
    host_failure_text(l->u->c, f->ws->host_text, sizeof f->ws->host_text, op, (int)r[2], r + 4);
    return f->rt->fail(f, (int)r[1], op->failures[r[2]].kind, 0, 0, 0, 0, 0);
}

static int look_for(Sides *m, ThFrame *f) { return look((Launches *)(void *)m, f); }

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

static uint8_t use_of(const Kernel *k, int buf) {
    uint8_t use = 0;
    for (int a = 0; a < k->acc.n; a++)
        if (k->acc.at[a].buf == buf) use |= k->acc.at[a].flags & (ACC_READ | ACC_WRITE | ACC_ADD);
    return use ? use : ACC_READ | ACC_WRITE; /* operands of a product */
}

typedef struct Rows { /* memory for the private rows of this launch */
    DeviceAddress at[KACC];
    int n;
} Rows;

static int addresses(Launches *l, ThFrame *f, const GridKernel *g, const Step *s, const GridLaunch *ch, Rows *rows) {
    DeviceAddress *b = (DeviceAddress *)(void *)l->args;
    const int64_t *sizes = (const int64_t *)(void *)(l->args + g->nbuf * 8);
    int64_t *row = (int64_t *)(void *)(l->args + g->nbuf * 8 + g->nsym * 8 + g->nparam * 16 + 16);
    for (int i = 0; i < s->nbuf; i++) {
        size_t item = grid_row_item(g->k, i);
        if (!item) {
            if (sides_to_device(&l->sides, f, s->buf[i], &b[i])) return 1;
            continue;
        }
        row[i] = grid_row(g->k, i, sizes);
        if (ch->shared) continue;
        if (rows->n == KACC) return f->rt->fail(f, l->sides.step, TH_RuntimeError, 0, 0, 0, 0, 0);
        TRY(ops(l)->alloc(&l->q, (size_t)(ch->blocks * row[i]) * item + 64, &rows->at[rows->n]));
        b[i] = rows->at[rows->n++];
    }
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
static bool sorts(const GridKernel *g, const Step *s, const ThFrame *f) {
    enum { FEW = 64 };
    return g->nest->grid == GRID_SCATTER && positions(g, s, f, true) * positions(g, s, f, false) > FEW;
}

static DeviceStatus queue_blocks(Launches *l, const GridKernel *g, int function, int64_t points) {
    int64_t blocks = (points + CHOOSE_THREADS - 1) / CHOOSE_THREADS;
    DeviceGrid grid = {(unsigned)(blocks < CHOOSE_BLOCKS ? blocks : CHOOSE_BLOCKS), CHOOSE_THREADS, 0};
    void *what = l->u->function[GRID_FUNCTIONS * g->number + function];
    return points > 0 ? ops(l)->launch(&l->q, what, grid, l->args) : DEVICE_OK;
}

static DeviceStatus scatter(Launches *l, ThFrame *f, const GridKernel *g, const Step *s) {
    GpuCall call = {.q = &l->q, .room = &l->room, .record = l->record, .step = l->sides.step};
    HostCall h = {.ctx = l->u->c, .lib = &gpu_services, .gpu = &call, .frame = f};
    int64_t many = positions(g, s, f, true), *tail = (int64_t *)(void *)(l->args + grid_record_bytes(g) - 16);
    GpuOrder o = {0};
    char *key;
    bool ok = gpu_room(&h, (size_t)many * sizeof(int64_t), &key);
    tail[0] = (int64_t)(uintptr_t)key;
    ok = ok && !gpu_status(&h, queue_blocks(l, g, GRID_PLACES, many)) && !gpu_order_places(&h, key, many, &o);
    tail[0] = (int64_t)(uintptr_t)o.key, tail[1] = (int64_t)(uintptr_t)o.pos;
    if (ok) gpu_status(&h, queue_blocks(l, g, 0, many * positions(g, s, f, false)));
    gpu_end(&call);
    return call.status ? call.status : ok ? DEVICE_OK : DEVICE_FAILED;
}

static int launch(Launches *l, ThFrame *f, const GridKernel *g, const Step *s) {
    Rows rows = {.n = 0};
    memset(l->args, 0, l->args_bytes);
    int64_t *sizes = (int64_t *)(void *)(l->args + g->nbuf * 8);
    for (int i = 0; i < s->nsym; i++) sizes[i] = f->sym[s->sym[i]];
    GridLaunch ch = grid_launch(g, sizes);
    if (ch.nest < 0) return 0;
    int bad = addresses(l, f, g, s, &ch, &rows);
    literals(g, s, l->args + g->nbuf * 8 + g->nsym * 8);
    int64_t *last = (int64_t *)(void *)(l->args + g->nbuf * 8 + g->nsym * 8 + g->nparam * 16);
    last[0] = (int64_t)l->record;
    last[1] = l->sides.step;
    DeviceGrid grid = {(unsigned)ch.blocks, (unsigned)ch.threads, (unsigned)ch.shared};
    void **function = l->u->function + GRID_FUNCTIONS * g->number;
    DeviceStatus st = DEVICE_OK;
    bool sorted = sorts(g, s, f);
    if (!bad && g->nest->grid == GRID_SCATTER && grid_looks(g))
        st = queue_blocks(l, g, GRID_LOOK, product(g, s, f, 0, g->o.stage[0].nloop));
    else if (!bad && grid_looks(g)) st = ops(l)->launch(&l->q, function[GRID_LOOK], grid, l->args);
    if (!bad && !st && sorted) st = scatter(l, f, g, s);
    else if (!bad && !st) st = ops(l)->launch(&l->q, function[ch.nest], grid, l->args);
    for (int i = 0; i < rows.n; i++) ops(l)->free(&l->q, rows.at[i]);
    if (bad) return 1;
    TRY(st);
    l->unlooked |= s->can_fail;
    for (int i = 0; i < s->nbuf; i++)
        if (use_of(g->k, i) & (ACC_WRITE | ACC_ADD)) sides_device_wrote(&l->sides, s->buf[i]);
    return 0;
}

/* ---- steps of the host ------------------------------------------------------------------------------------------- */
/* Each buffer that the host reads or writes in a step. */
static int host_needs(Launches *l, ThFrame *f, const Step *s) {
    const Plan *p = l->plan;
    if (s->kind == STEP_SIZE) {
        for (int i = s->a; i < s->a + s->n; i++)
            if (p->shape[i].op == SHAPE_VALUE && sides_to_host(&l->sides, f, p->shape[i].a)) return 1;
        return 0;
    }
    if (s->kind == STEP_LATE) return sides_none(&l->sides, f, s->buf[0]);
    for (int i = 0; i < s->nbuf && s->kind != STEP_HOST; i++)
        if (sides_to_host(&l->sides, f, s->buf[i])) return 1;
    if (s->kind != STEP_HOST) return 0;
    const PlanHost *h = &p->host[s->host];
    for (int i = 0; i < h->nin; i++)
        if (h->in[i].buf >= 0 && sides_to_host(&l->sides, f, h->in[i].buf)) return 1;
    for (int i = 0; i < h->nout; i++)
        if (h->out[i].buf >= 0 && sides_to_host(&l->sides, f, h->out[i].buf)) return 1;
    return 0;
}

static void host_wrote(Launches *l, const Step *s) {
    const Plan *p = l->plan;
    const Kernel *k = s->kind == STEP_KERNEL ? p->kernel[s->kernel] : NULL;
    if (k)
        for (int i = 0; i < s->nbuf; i++)
            if (use_of(k, i) & (ACC_WRITE | ACC_ADD)) sides_host_wrote(&l->sides, s->buf[i]);
    if (s->kind == STEP_TRANSFER) sides_host_wrote(&l->sides, s->buf[1]);
    if (s->kind != STEP_HOST) return;
    const PlanHost *h = &p->host[s->host];
    for (int i = 0; i < h->nout; i++)
        if (h->out[i].buf >= 0) sides_host_wrote(&l->sides, h->out[i].buf);
}

/* A host call by the device's services, where its operands lie. */
static int device_call(Launches *l, ThFrame *f, const Step *s) {
    const PlanHost *h = &l->plan->host[s->host];
    GpuCall g = {.q = &l->q, .room = &l->room, .record = l->record, .step = l->sides.step};
    HostSide side = {.lib = &gpu_services, .gpu = &g};
    for (int n = 0; n < h->nin + h->nout; n++) {
        int buf = n < h->nin ? h->in[n].buf : h->out[n - h->nin].buf;
        bool reads = n < h->nin && (h->op->device & DEVICE_READS(n));
        DeviceAddress at = 0;
        if (buf < 0) continue;
        if (reads ? sides_to_host(&l->sides, f, buf) : sides_to_device(&l->sides, f, buf, &at)) return 1;
        side.base[n] = reads ? f->buf[buf] : (char *)(uintptr_t)at;
    }
    int bad = workspace_host_call(f, g.step, &side);
    gpu_end(&g);
    l->unlooked |= s->can_fail;
    if (g.status) return sides_refuse(&l->sides, f, g.status);
    for (int i = 0; i < h->nout && !bad; i++)
        if (h->out[i].buf >= 0) sides_device_wrote(&l->sides, h->out[i].buf);
    return bad;
}

/* A plain copy of a buffer. */
static int transfer(Launches *l, ThFrame *f, const Step *s) {
    const PlanBuf *p = &l->plan->buf[s->buf[1]];
    DeviceAddress from, to;
    int64_t bytes;
    if (!size_bytes(p->size, f->sym, (ThDtype)p->dtype, &bytes))
        return f->rt->fail(f, l->sides.step, TH_RuntimeError, 0, 0, 0, 0, 0);
    if (sides_to_device(&l->sides, f, s->buf[0], &from) || sides_to_device(&l->sides, f, s->buf[1], &to)) return 1;
    TRY(ops(l)->copy(&l->q, to, from, (size_t)bytes));
    sides_device_wrote(&l->sides, s->buf[1]);
    return 0;
}

typedef struct LaunchWalk {
    Walk walk;
    Launches *l;
} LaunchWalk;

static const GridKernel *kernel_of(const Launches *l, const Step *s) {
    return s->kind == STEP_KERNEL ? &l->u->program->kernel[s->kernel] : NULL;
}

static bool on_device(const Launches *l, const Step *s) {
    const GridKernel *g = kernel_of(l, s);
    return s->kind == STEP_TRANSFER || (g && g->nest) || (s->kind == STEP_HOST && l->plan->host[s->host].op->device);
}

static int run_there(Launches *l, ThFrame *f, const Step *s) {
    if (s->kind == STEP_TRANSFER) return transfer(l, f, s);
    return s->kind == STEP_HOST ? device_call(l, f, s) : launch(l, f, kernel_of(l, s), s);
}

static int step(const Walk *w, ThFrame *f, int number) {
    Launches *l = ((const LaunchWalk *)w)->l;
    const Step *s = &l->plan->step[number];
    l->sides.step = number;
    if (number == l->plan->first_write && look(l, f)) return 1;
    if (on_device(l, s)) {
        if (!run_there(l, f, s)) return 0;
        if (number <= l->plan->first_write) return 1;
        f->ws->host_text[0] = 0; /* what was changed in place stays so: the host goes on where the device refuses */
    }
    if (host_needs(l, f, s) || look(l, f)) return 1;
    if (interp_step(f->ws->fn->interp, number, f)) return 1;
    host_wrote(l, s);
    return 0;
}

static int see(const Walk *w, ThFrame *f, int buf, bool write) {
    Launches *l = ((const LaunchWalk *)w)->l;
    if (sides_to_host(&l->sides, f, buf)) return 1;
    if (write) sides_host_wrote(&l->sides, buf);
    return 0;
}

/* ---- a call ------------------------------------------------------------------------------------------------------ */
static size_t carve(Launches *l, const LaunchUnit *u) {
    size_t at = (sizeof *l + 15) / 16 * 16, most = 0;
    for (int i = 0; i < u->program->nkernel; i++) {
        size_t n = grid_record_bytes(&u->program->kernel[i]);
        if (n > most) most = n;
    }
    if (l) l->args = (char *)l + at, l->args_bytes = most;
    return at + most;
}

void launch_free(Launches *l) {
    if (!l) return;
    ThContext *c = l->u->c;
    sides_free(&l->sides);
    if (l->q.stream) ops(l)->free(&l->q, l->record);
    if (l->q.stream) ops(l)->free(&l->q, l->room.at);
    ops(l)->close(&l->q);
    ctx_free(c, l, carve(NULL, l->u));
}

/* The workspace's own, made at its first call. */
static Launches *of_workspace(Workspace *w) {
    if (w->launches) return w->launches;
    LaunchUnit *u = w->fn->unit->impl;
    Launches *l = ctx_alloc0(u->c, carve(NULL, u));
    if (!l) return NULL;
    carve(l, u);
    l->u = u;
    l->plan = w->fn->plan;
    l->q.device = u->device;
    l->sides = (Sides){.c = u->c, .plan = l->plan, .q = &l->q, .look = look_for};
    if (sides_init(&l->sides)) return w->launches = l;
    launch_free(l);
    return NULL;
}

static int begin(Launches *l, ThFrame *f) {
    l->sides.step = -1;
    l->unlooked = false;
    if (!l->q.stream) TRY(ops(l)->open(&l->q));
    if (!l->record) TRY(ops(l)->alloc(&l->q, RECORD * 8, &l->record));
    TRY(ops(l)->set(&l->q, l->record, 0, RECORD * 8));
    return sides_begin(&l->sides, f);
}

static int finish(Launches *l, ThFrame *f) {
    l->sides.step = -1;
    return look(l, f) || sides_finish(&l->sides, f);
}

static int run(ThFrame *f) {
    Launches *l = of_workspace(f->ws);
    if (!l) return f->rt->fail(f, -1, TH_MemoryError, 0, 0, 0, 0, 0);
    const LaunchWalk w = {{step, see}, l};
    if (begin(l, f)) return 1;
    if (!walk_plan(&w.walk, f) && !finish(l, f)) return 0;
    sides_for_report(&l->sides);
    return 1;
}

/* ---- the unit ---------------------------------------------------------------------------------------------------- */
static size_t unit_bytes(const GridProgram *g) {
    return sizeof(LaunchUnit) + sizeof(void *) * GRID_FUNCTIONS * (size_t)g->nkernel;
}

static void release(Unit *unit) {
    LaunchUnit *u = unit->impl;
    ThContext *c = u->c;
    if (u->module) u->device->op->module_free(&u->q, u->module);
    if (u->q.stream) u->device->op->close(&u->q);
    size_t bytes = unit_bytes(u->program);
    th_free(c, u->unit.source);
    cuda_program_free(u->program);
    ctx_free(c, u, bytes);
}

static DeviceStatus load(LaunchUnit *u) {
    const DeviceOps *op = u->device->op;
    DeviceStatus s = op->open(&u->q);
    if (!s) s = op->module_load(&u->q, u->program->image, &u->module);
    for (int i = 0; i < u->program->nkernel && !s; i++)
        for (int j = 0; j < GRID_FUNCTIONS && !s; j++) {
            const GridKernel *g = &u->program->kernel[i];
            char name[GRID_NAME];
            grid_name(name, i, j);
            if (g->nest && grid_has(g, j)) s = op->kernel(&u->q, u->module, name, &u->function[GRID_FUNCTIONS * i + j]);
        }
    return s;
}

Unit *launch_unit(ThContext *c, GridProgram *g, char *source, Device *d) {
    LaunchUnit *u = ctx_alloc0(c, unit_bytes(g));
    if (!u) {
        cuda_program_free(g);
        th_free(c, source);
        return NULL;
    }
    u->c = c;
    u->program = g;
    u->device = d;
    u->q.device = d;
    u->unit = (Unit){.run = run, .device = d, .release = release, .source = source, .impl = u};
    if (!gpu_open(c, d)) {
        release(&u->unit);
        return NULL;
    }
    DeviceStatus s = load(u);
    if (!s) return &u->unit;
    device_error(c, &u->q, s, "a function's kernels are loaded");
    release(&u->unit);
    return NULL;
}
