/*
 * launch.c -- what a call of such a function does: its launches and its steps on the host. In: a frame whose buffers
 * have host addresses. Out: their values, or the first failure.
 *
 * A call whose steps are all the device's is pure: what it queues follows from shapes and addresses alone. The second
 * such call with the same ones is captured as a graph, later ones launch that (graphs.h).
 */
#include "launch_state.h"

#include "profile.h"
#include "base/array/sparse.h"
#include "ops/table/host.h"
#include "runtime/frame/walk.h"
#include "runtime/gpu/gpu.h"
#include "schedule/choose.h"

#include <string.h>

enum { LONGEST = 1 << 13 }; /* launches of a graph, so long that a launch of it costs nothing beside */

static const DeviceOps *ops(const Launches *l) { return l->u->device->op; }

/* ---- failures ---------------------------------------------------------------------------------------------------- */
/* What was changed in place is changed for good by then: a driver that refuses once is asked again. */
static int look(Sides *m, ThFrame *f) {
    Launches *l = (Launches *)(void *)m;
    if (!m->unlooked) return 0;
    l->pure = false;
    return l->capturing || sides_look(m, f);
}

static int judge(Sides *m, ThFrame *f, const int64_t r[SIDES_RECORD]) {
    Launches *l = (Launches *)(void *)m;
    TRY(ops(l)->set(&l->q, m->answers, 0, SIDES_RECORD * sizeof *r));
    if (r[0] > 1) return f->rt->fail(f, (int)(uint32_t)r[0], (int)r[2], (int)r[3], r[4], r[5], 0, 0);
    const Step *s = &l->plan->step[r[1]];     /* a call's: of core/runtime/gpu */
    const Op *op = l->plan->host[s->host].op; /* r[2]: which of its failures */
    host_failure_text(l->u->c, f->ws->host_text, sizeof f->ws->host_text, op, (int)r[2], r + 4);
    return f->rt->fail(f, (int)r[1], op->failures[r[2]].kind, 0, 0, 0, 0, 0);
}

/* ---- steps of the host ------------------------------------------------------------------------------------------- */
/* An integer that sizes come from. */
static int value_there(Launches *l, ThFrame *f, const ShapeIns *i) {
    int64_t item = (int64_t)th_dtype_bytes((ThDtype)l->plan->buf[i->a].dtype);
    return sides_peek(&l->sides, f, i->a, i->b * item, (size_t)item);
}

/* Each buffer that the host reads or writes in a step. */
static int host_needs(Launches *l, ThFrame *f, const Step *s) {
    const Plan *p = l->plan;
    if (s->kind == STEP_SIZE) {
        for (int i = s->a; i < s->a + s->n; i++)
            if (p->shape[i].op == SHAPE_VALUE && value_there(l, f, &p->shape[i])) return 1;
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
            if (launch_use_of(k, i) & (ACC_WRITE | ACC_ADD)) sides_host_wrote(&l->sides, s->buf[i]);
    if (s->kind != STEP_HOST) return;
    const PlanHost *h = &p->host[s->host];
    for (int i = 0; i < h->nout; i++)
        if (h->out[i].buf >= 0) sides_host_wrote(&l->sides, h->out[i].buf);
}

/* A host call by the device's services, where its operands lie. */
static int device_call(Launches *l, ThFrame *f, const Step *s) {
    const PlanHost *h = &l->plan->host[s->host];
    GpuCall g = launch_call(l);
    HostSide side = {.lib = &gpu_services, .gpu = &g};
    for (int n = 0; n < h->nin + h->nout; n++) {
        int buf = n < h->nin ? h->in[n].buf : h->out[n - h->nin].buf;
        bool reads = n < h->nin && (h->op->device & DEVICE_READS(n));
        DeviceAddress at = 0;
        if (buf < 0) continue;
        if (reads ? sides_to_host(&l->sides, f, buf) : launch_use(l, f, buf, &at)) return 1;
        bool head = n < h->nin && plan_reads_head(h, n);
        if (head && sides_peek(&l->sides, f, buf, 0, SPARSE_HEAD * 8)) return 1;
        if (head) side.head[n] = f->buf[buf];
        l->pure &= !reads && !head;
        side.base[n] = reads ? f->buf[buf] : (char *)(uintptr_t)at;
    }
    launch_before(l, f, s);
    int bad = workspace_host_call(f, g.step, &side);
    launch_after(l, g.step);
    l->pure &= !(h->op->flags & OP_CALLS_BACK); /* other ranks are asked */
    l->pure &= g.most <= g.room->bytes;         /* the room grows */
    gpu_end(&g);
    l->launches++;
    l->sides.unlooked |= plan_fails_late(l->plan, s);
    if (g.status) return sides_refuse(&l->sides, f, g.status);
    for (int i = 0; i < h->nout && !bad; i++)
        if (h->out[i].buf >= 0) launch_wrote(l, h->out[i].buf);
    return bad;
}

static int refused(Launches *l, ThFrame *f, const GpuCall *g) {
    if (g->status) return sides_refuse(&l->sides, f, g->status);
    return f->rt->fail(f, l->sides.step, TH_MemoryError, 0, 0, 0, 0, 0);
}

/* A plain copy of a buffer. */
static int transfer(Launches *l, ThFrame *f, const Step *s) {
    const PlanBuf *p = &l->plan->buf[s->buf[1]];
    DeviceAddress from, to;
    int64_t bytes;
    if (!size_bytes(p->size, f->sym, (ThDtype)p->dtype, &bytes))
        return f->rt->fail(f, l->sides.step, TH_RuntimeError, 0, 0, 0, 0, 0);
    if (launch_use(l, f, s->buf[0], &from) || launch_use(l, f, s->buf[1], &to)) return 1;
    GpuCall call = launch_call(l);
    HostCall h = {.ctx = l->u->c, .lib = &gpu_services, .gpu = &call, .frame = f};
    launch_before(l, f, s);
    if (l->steered && gpu_move(&h, to, from, (size_t)bytes)) return refused(l, f, &call);
    if (!l->steered) TRY(ops(l)->copy(&l->q, to, from, (size_t)bytes));
    launch_after(l, l->sides.step);
    l->launches++;
    launch_wrote(l, s->buf[1]);
    return 0;
}

typedef struct LaunchWalk {
    Walk walk;
    Launches *l;
} LaunchWalk;

static const GridKernel *kernel_of(const Launches *l, const Step *s) {
    return s->kind == STEP_KERNEL ? &l->u->program->kernel[s->kernel] : NULL;
}

/* Kernels behind a failed one leave; what a library writes in place waits until none can have failed. */
static bool writes_blindly(const Launches *l, const Step *s) {
    return l->sides.step >= l->plan->first_write && s->kind == STEP_HOST;
}

static int run_there(Launches *l, ThFrame *f, const Step *s) {
    if (writes_blindly(l, s) && look(&l->sides, f)) return 1;
    if (s->kind == STEP_TRANSFER) return transfer(l, f, s);
    return s->kind == STEP_HOST ? device_call(l, f, s) : launch_kernel(l, f, kernel_of(l, s), s);
}

/* By the host, on what the host has. An earlier failure on the device comes first. */
static int lengths_step(Launches *l, ThFrame *f, const Step *s) {
    int64_t own[TH_LEN(f->err)];
    if (s->kind == STEP_LATE && sides_none(&l->sides, f, s->buf[0])) return 1;
    if (!interp_step(f->ws->fn->interp, l->sides.step, f)) {
        host_wrote(l, s);
        return 0;
    }
    memcpy(own, f->err, sizeof own);
    if (!look(&l->sides, f)) memcpy(f->err, own, sizeof own);
    return 1;
}

/* A step of the host. */
int launch_take_over(Launches *l, ThFrame *f, int number) {
    const Step *s = &l->plan->step[number];
    l->pure = false;
    if (host_needs(l, f, s) || look(&l->sides, f)) return 1;
    if (interp_step(f->ws->fn->interp, number, f)) return 1;
    host_wrote(l, s);
    return 0;
}

static int one_step(Launches *l, ThFrame *f, int number) {
    const Step *s = &l->plan->step[number];
    uint8_t side = l->u->places->side[number];
    if (l->done == number) {
        l->done = -1;
        return 0;
    }
    if (l->many.g && (side != PLACE_DEVICE || kernel_of(l, s) != l->many.g) && launch_waiting(l, f)) return 1;
    l->sides.step = number;
    if (side == PLACE_LENGTHS) return lengths_step(l, f, s);
    if (side == PLACE_DEVICE) {
        if (!run_there(l, f, s)) return 0;
        if (number <= l->plan->first_write || l->capturing) return 1;
        th_error_clear(l->u->c); /* what was changed in place stays so: the host goes on where the device refuses */
        f->ws->host_text[0] = 0;
    }
    return launch_take_over(l, f, number);
}

/* What the device does is timed there, the host's own steps by its clock. A time that cannot be had is not missed. */
static int timed_step(Launches *l, ThFrame *f, int number) {
    bool there = l->u->places->side[number] == PLACE_DEVICE;
    int64_t start = profile_now();
    bool begun = there && !times_begin(&l->times, number);
    if (one_step(l, f, number)) return 1;
    if (begun) times_end(&l->times);
    if (!there) profile_add(l->times.to, number, profile_now() - start, false);
    return 0;
}

static int step(const Walk *w, ThFrame *f, int number) {
    Launches *l = ((const LaunchWalk *)w)->l;
    return l->times.to ? timed_step(l, f, number) : one_step(l, f, number);
}

static int see(const Walk *w, ThFrame *f, int buf, bool write) {
    Launches *l = ((const LaunchWalk *)w)->l;
    l->pure = false;
    if (launch_waiting(l, f) || sides_to_host(&l->sides, f, buf)) return 1;
    if (write) sides_host_wrote(&l->sides, buf);
    return 0;
}

/* ---- what the device steers -------------------------------------------------------------------------------------- */
static int steer(Launches *l, ThFrame *f, int flag, GpuSteer way, int64_t turn) {
    GpuCall call = launch_call(l);
    HostCall h = {.ctx = l->u->c, .lib = &gpu_services, .gpu = &call, .frame = f};
    DeviceAddress at;
    if (launch_waiting(l, f)) return 1;
    l->steered = way != GPU_STEER_END;
    const bool there = !launch_use(l, f, flag, &at);
    if (there) launch_before(l, f, NULL);
    if (!there || gpu_steer(&h, at, way, turn)) {
        l->steered = true; /* the mark is still there, perhaps */
        return there ? refused(l, f, &call) : 1;
    }
    launch_after(l, -1);
    l->launches++;
    return 0;
}

static int arm(const Walk *w, ThFrame *f, int cond, int number) {
    return steer(((const LaunchWalk *)w)->l, f, cond, (GpuSteer)(GPU_STEER_IF + number), 0);
}

/* The first answers come soon, so that short loops queue little in vain. */
static int turn(const Walk *w, ThFrame *f, int until, int64_t t, bool last, int64_t *turns) {
    enum { SOON = 4, SELDOM = 64 };
    Launches *l = ((const LaunchWalk *)w)->l;
    if (t == 0) l->ask = SOON - 1, l->often = SOON;
    if (steer(l, f, until, GPU_STEER_UNTIL, t)) return 1;
    if (t < l->ask && !last) return 0;
    l->pure = false;
    if (!l->capturing) {
        l->often = l->often < SELDOM ? 2 * l->often : SELDOM;
        l->ask = t + l->often;
        if (sides_passed(&l->sides, f, turns)) return 1;
    }
    l->steered = false;
    return l->capturing;
}

static int whole_loop(const Walk *w, ThFrame *f, int region, int64_t trip, bool *done) {
    return turns_launch(((const LaunchWalk *)w)->l, f, region, trip, done);
}

/* ---- graphs ------------------------------------------------------------------------------------------------------ */
static uint64_t mix(uint64_t h, uint64_t v) {
    h = (h ^ v) * 0x9E3779B97F4A7C15u;
    return h ^ h >> 29;
}

/* Everything that decides what a pure call queues: lengths, numbers that sizes come from, addresses. */
static int key_of(Launches *l, ThFrame *f, uint64_t *key) {
    uint64_t h = hash_bytes(f->ws->sig, sizeof *f->ws->sig * (size_t)f->ws->fn->nsig, 5);
    h = mix(h, l->rows.at);
    for (int r = 0; r < LAUNCH_ROOMS; r++) h = mix(mix(h, l->room[r].at), l->room[r].bytes);
    for (int u = 0; u < l->plan->nupdate; u++) h = mix(h, l->sides.settles[u]);
    for (int i = 0; i < l->nused; i++) {
        DeviceAddress at;
        if (sides_to_device(&l->sides, f, l->used[i], &at)) return 1;
        h = mix(h, at);
    }
    *key = h;
    return 0;
}

/* The call that just ran was pure: its buffers join those that are known. */
static void remember(Launches *l) {
    for (int b = 0; b < l->plan->nbuf; b++) {
        if (!(l->seen[b] & LAUNCH_USED)) continue;
        int i = 0;
        while (i < l->nused && l->used[i] != b) i++;
        if (i == l->nused) l->used[l->nused++] = b;
    }
    l->known = true;
}

static void trace(Launches *l) {
    memset(l->seen, 0, (size_t)l->plan->nbuf + 1);
    l->pure = true;
    l->launches = 0;
    l->done = -1;
    l->steered = false;
    l->many.g = NULL;
}

/* New values of shared variables go to the memory of the old ones, unless a step failed. */
static bool settle(Launches *l, ThFrame *f, int u) {
    GpuCall call = {.q = &l->q, .room = &l->room[0], .record = l->sides.answers, .step = l->plan->nstep - 1};
    HostCall h = {.ctx = l->u->c, .lib = &gpu_services, .gpu = &call, .frame = f};
    DeviceAddress from, to;
    size_t bytes;
    if (!sides_settles(&l->sides, f, u, &from, &to, &bytes)) return false;
    launch_before_settling(l, from, to, bytes);
    bool bad = l->sides.unlooked ? gpu_copy(&h, to, from, bytes) : ops(l)->copy(&l->q, to, from, bytes) != DEVICE_OK;
    launch_after(l, -1);
    l->sides.settles[u] = !bad;
    if (bad) return false;
    const Plan *p = l->plan;
    l->seen[p->update[u].value.buf] |= LAUNCH_USED;
    l->seen[f->ws->fn->shared_buf[p->update[u].shared]] |= LAUNCH_USED | LAUNCH_WROTE;
    l->launches++;
    return true;
}

/* Where that cannot be, it is no failure: the arrays are exchanged when all is done. */
static int run_steps(Launches *l, ThFrame *f) {
    const LaunchWalk w = {{step, see, l->u->places->steered, arm, turn, whole_loop}, l};
    trace(l);
    if (walk_plan(&w.walk, f) || launch_waiting(l, f)) return 1;
    for (int u = 0; u < l->plan->nupdate; u++) {
        if (!l->sides.settles[u]) continue;
        if (settle(l, f, u)) {
            if (!l->capturing) sides_settled(&l->sides, f, u);
            continue;
        }
        if (l->capturing) return 1;
        l->pure = false;
        th_error_clear(l->u->c);
        memset(f->err, 0, sizeof f->err);
        f->ws->host_text[0] = 0;
    }
    return 0;
}

static int plainly(Launches *l, ThFrame *f) {
    bool known = l->known;
    uint64_t key;
    if (run_steps(l, f)) return 1;
    l->impure = !l->pure || l->launches > LONGEST || !l->launches;
    if (l->impure) return 0;
    remember(l);
    if (known) return 0;
    if (key_of(l, f, &key)) return 1;
    graphs_see(&l->graphs, key);
    return 0;
}

/* Whatever the driver says against a graph, the call can be queued as it is: nothing has run. */
static int capture(Launches *l, ThFrame *f, GraphEntry *e) {
    void *graph = NULL;
    bool unlooked = l->sides.unlooked;
    if (ops(l)->graph_begin(&l->q)) {
        e->never = true;
        return plainly(l, f);
    }
    l->capturing = true;
    graph_order_begin(&l->order, &l->q);
    bool line = l->order.line;
    int bad = run_steps(l, f);
    graph_order_end(&l->order);
    bool good = l->order.line == line; /* else the next one is a line */
    DeviceStatus s = ops(l)->graph_end(&l->q, &graph);
    if (s) ops(l)->graph_end(&l->q, &graph); /* so that nothing is captured any more, if it was the first that failed */
    l->capturing = false;
    if (!bad && !s && l->pure && good) {
        atomic_store(&l->u->ordered, !line);
        e->graph = graph;
        e->can_fail = l->sides.unlooked;
        memcpy(e->wrote, l->seen, (size_t)l->plan->nbuf);
        return 0;
    }
    ops(l)->graph_free(&l->q, graph);
    e->never = good;
    l->sides.unlooked = unlooked;
    if (bad && (f->err[2] == TH_Interrupted || failed(l->u->c) || s == DEVICE_LOST)) return 1;
    memset(f->err, 0, sizeof f->err);
    f->ws->host_text[0] = 0;
    return plainly(l, f);
}

/* No graphs: each step is timed. */
static int timed(Launches *l, ThFrame *f) {
    l->impure = true;
    int bad = run_steps(l, f);
    times_read(&l->times);
    return bad;
}

static int queue(Launches *l, ThFrame *f) {
    uint64_t key;
    if (sides_send(&l->sides, f)) return 1;
    if (l->times.to) return timed(l, f);
    if (!l->known) return plainly(l, f);
    if (key_of(l, f, &key)) return 1;
    GraphEntry *e = graphs_see(&l->graphs, key);
    if (!e->graph && (e->sights < 2 || e->never)) return plainly(l, f);
    if (!e->graph && capture(l, f, e)) return 1;
    if (!e->graph) return 0;
    TRY(ops(l)->graph_launch(&l->q, e->graph));
    l->sides.unlooked |= e->can_fail;
    for (int b = 0; b < l->plan->nbuf; b++)
        if (e->wrote[b] & LAUNCH_WROTE) sides_device_wrote(&l->sides, b);
    for (int u = 0; u < l->plan->nupdate; u++)
        if (l->sides.settles[u]) sides_settled(&l->sides, f, u);
    return 0;
}

/* ---- a call ------------------------------------------------------------------------------------------------------ */
static size_t carve(Launches *l, const LaunchUnit *u, const Plan *p) {
    size_t at = (sizeof *l + 15) / 16 * 16, most = 0, n = (size_t)p->nbuf + 1;
    for (int i = 0; i < u->program->nkernel; i++) {
        size_t bytes = grid_record_bytes(&u->program->kernel[i]);
        if (bytes > most) most = bytes;
    }
    if (l) l->args = (char *)l + at;
    at += (most + 15) / 16 * 16;
    if (l) l->used = (int *)(void *)((char *)l + at);
    at += sizeof *l->used * n;
    for (int i = 0; i <= GRAPHS; i++, at += n) {
        uint8_t *room = (uint8_t *)l + at;
        if (l && i) l->graphs.entry[i - 1].wrote = room;
        else if (l) l->seen = room;
    }
    if (l) l->room_of = (uint8_t *)l + at;
    return at + (size_t)p->nstep + 1;
}

/* The queue, and what was had by it. */
static void give_back(Launches *l) {
    bool lost = l->life != l->u->device->life;
    graphs_drop(&l->graphs, lost);
    times_drop(&l->times, lost || !l->q.stream);
    race_drop(&l->races, lost || !l->q.stream);
    if (!lost && l->q.stream) {
        for (int r = 0; r < LAUNCH_ROOMS; r++) ops(l)->free(&l->q, l->room[r].at);
        ops(l)->free(&l->q, l->rows.at);
        ops(l)->close(&l->q);
    }
    l->q.stream = NULL;
    l->rows = (GpuRoom){0};
    memset(l->room, 0, sizeof l->room);
    l->known = false;
    l->nused = 0;
}

void launch_free(Launches *l) {
    if (!l) return;
    ThContext *c = l->u->c;
    sides_free(&l->sides);
    give_back(l);
    ctx_free(c, l, carve(NULL, l->u, l->plan));
}

/* A step of it asks other ranks. */
static bool ranked(const Launches *l) {
    for (int i = 0; i < l->plan->nhost; i++) {
        const Op *op = l->plan->host[i].op;
        if (op->flags & OP_CALLS_BACK && op->device & DEVICE_FORM) return true;
    }
    return false;
}

/* The workspace's own, made at its first call. */
static Launches *of_workspace(Workspace *w) {
    if (w->launches) return w->launches;
    LaunchUnit *u = w->fn->unit->impl;
    Launches *l = ctx_alloc0(u->c, carve(NULL, u, w->fn->plan));
    if (!l) return NULL;
    carve(l, u, w->fn->plan);
    l->u = u;
    l->plan = w->fn->plan;
    l->q.device = u->device;
    l->graphs.q = &l->q;
    l->times = (Times){.q = &l->q, .to = w->fn->profile};
    l->life = u->device->life;
    l->ranked = ranked(l);
    race_open(&l->races, u->c, &l->q);
    l->sides = (Sides){.c = u->c, .plan = l->plan, .places = u->places, .q = &l->q, .look = look, .judge = judge};
    if (launch_rooms(l) && sides_init(&l->sides)) return w->launches = l;
    launch_free(l);
    return NULL;
}

/* Of such a function: they are all there as far as is known. */
static int ranks_there(const Launches *l, ThFrame *f) {
    if (!l->ranked || gpu_ranks_good(l->u->c, l->u->device)) return 0;
    return f->rt->fail(f, -1, (int)th_error(l->u->c), 0, 0, 0, 0, 0);
}

static int begin(Launches *l, ThFrame *f) {
    l->sides.step = -1;
    if (ranks_there(l, f)) return 1;
    TRY(space_mend(&l->q));
    if (l->u->life != l->u->device->life) TRY(launch_reload(l->u));
    if (l->life != l->u->device->life) give_back(l);
    l->life = l->u->device->life;
    if (!l->q.stream) TRY(ops(l)->open(&l->q));
    if (l->u->program->nturns && launch_fit_rows(l, f, LAUNCH_COUNT)) return 1; /* so that the first call is pure */
    l->sides.steady = !l->impure;
    l->races.waiting = 0; /* of a call that failed */
    return sides_begin(&l->sides, f);
}

static int finish(Launches *l, ThFrame *f) {
    l->sides.step = -1;
    if (sides_finish(&l->sides, f) || ranks_there(l, f)) return 1;
    race_read(&l->races);
    if (config_bool(l->u->c, "gpuarray.sync")) TRY(ops(l)->wait(&l->q));
    return 0;
}

int launch_run(ThFrame *f) {
    Launches *l = of_workspace(f->ws);
    if (!l) return f->rt->fail(f, -1, TH_MemoryError, 0, 0, 0, 0, 0);
    if (begin(l, f)) return 1;
    if (!queue(l, f) && !finish(l, f)) return 0;
    sides_for_report(&l->sides);
    l->sides.unlooked |= l->steered; /* a mark that was left goes before the next call */
    return 1;
}
