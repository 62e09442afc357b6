/*
 * launch_order.c -- what the steps of a call that becomes a graph touch (graph_order.h).
 *
 * What may fail is one stretch more, the call's error record: a step that can fail writes it, one that changes what
 * outlives the call reads it, so that nothing is changed before all that can fail is done.
 */
#include "launch_state.h"

#include "ops/table/host.h"

enum { MOST = ORDER_SPANS / 2 };

typedef struct Stretches {
    Launches *l;
    ThFrame *f;
    ManySpan at[MOST];
    int n; /* ORDER_ALL: not known */
} Stretches;

static void add(Stretches *t, DeviceAddress at, size_t bytes, bool write) {
    if (t->n == ORDER_ALL || !bytes) return;
    for (int i = 0; i < t->n; i++) {
        if (t->at[i].at != at || t->at[i].bytes != bytes) continue;
        t->at[i].write |= write;
        return;
    }
    if (t->n == MOST) t->n = ORDER_ALL;
    else t->at[t->n++] = (ManySpan){at, bytes, write};
}

/* An argument with gaps is all that its buffer has. */
static bool dense(const ThArray *a) {
    int64_t bytes = (int64_t)th_dtype_bytes((ThDtype)a->dtype);
    for (int d = a->ndim - 1; d >= 0; d--) {
        if (ARRAY_SHAPE(a)[d] > 1 && ARRAY_STRIDES(a)[d] != bytes) return false;
        bytes *= ARRAY_SHAPE(a)[d];
    }
    return true;
}

static void add_buffer(Stretches *t, int buf, bool write) {
    const PlanBuf *p = &t->l->plan->buf[buf];
    DeviceAddress at;
    int64_t bytes;
    const ThArray *a = p->kind == BUF_INPUT || p->kind == BUF_SHARED ? workspace_array(t->f->ws, buf) : NULL;
    if (t->n == ORDER_ALL) return;
    if (!many_bytes(p, t->f, &bytes) || sides_to_device(&t->l->sides, t->f, buf, &at)) t->n = ORDER_ALL;
    else if (a && !dense(a)) add(t, at - (DeviceAddress)(a->data - a->buf->data), (size_t)a->buf->bytes, write);
    else add(t, at, (size_t)bytes, write);
}

/* Memory that launches have one after the other. */
static void add_room(Stretches *t, const GpuRoom *r) { add(t, r->at, r->bytes, true); }

static void add_record(Stretches *t, int step) {
    const Launches *l = t->l;
    bool fails = plan_fails_late(l->plan, &l->plan->step[step]), changes = step >= l->plan->first_write;
    if (fails || changes) add(t, l->sides.answers, SIDES_RECORD * sizeof(int64_t), fails);
}

/* It may be a library's, or sorts: by its record, which is filled. */
static bool takes_room(const Launches *l, const GridKernel *g, const Step *s) {
    const DeviceAddress *b = (const DeviceAddress *)(const void *)l->args;
    const int64_t *sizes = (const int64_t *)(const void *)(l->args + g->nbuf * 8);
    GpuProduct p;
    ConvWork w;
    if (grid_is_product(g)) return product_for_library(g, s, b, sizes, &p);
    if (grid_is_conv(g)) return conv_for_library(g, b, sizes, &w);
    return g->nest->grid == GRID_SCATTER;
}

static void add_kernel(Stretches *t, const Step *s) {
    const Launches *l = t->l;
    const GridKernel *g = &l->u->program->kernel[s->kernel];
    bool rows = grid_parts(g);
    for (int i = 0; i < s->nbuf; i++) {
        if (grid_row_item(g->k, i)) rows = true;
        else add_buffer(t, s->buf[i], launch_use_of(g->k, i) & (ACC_WRITE | ACC_ADD));
    }
    if (rows) add_room(t, &l->rows);
    if (takes_room(l, g, s)) add_room(t, launch_room(t->l, (int)(s - l->plan->step)));
}

static void add_host(Stretches *t, const PlanHost *h, int step) {
    for (int i = 0; i < h->nin; i++)
        if (h->in[i].buf >= 0) add_buffer(t, h->in[i].buf, false);
    for (int i = 0; i < h->nout; i++)
        if (h->out[i].buf >= 0) add_buffer(t, h->out[i].buf, true);
    add_room(t, launch_room(t->l, step));
}

void launch_before(Launches *l, ThFrame *f, const Step *s) {
    Stretches t;
    if (!l->order.works) return;
    t.l = l, t.f = f, t.n = 0;
    if (!s || l->steered) t.n = ORDER_ALL;
    else if (s->kind == STEP_KERNEL) add_kernel(&t, s);
    else if (s->kind == STEP_HOST) add_host(&t, &l->plan->host[s->host], (int)(s - l->plan->step));
    else if (s->kind == STEP_TRANSFER) add_buffer(&t, s->buf[0], false), add_buffer(&t, s->buf[1], true);
    else t.n = ORDER_ALL;
    if (s) add_record(&t, (int)(s - l->plan->step));
    graph_order_before(&l->order, t.at, t.n);
}

void launch_before_tail(Launches *l, ThFrame *f, const Step *s) {
    Stretches t = {.l = l, .f = f};
    if (!l->order.works) return;
    if (l->steered) t.n = ORDER_ALL;
    for (int i = 0; i < 2; i++) {
        add_kernel(&t, s + i);
        add_record(&t, (int)(s + i - l->plan->step));
    }
    graph_order_before(&l->order, t.at, t.n);
}

/* Of what its windows show parts of, all; two loops never run side by side: each may want all multiprocessors. */
void launch_before_turns(Launches *l, ThFrame *f, const GridTurns *g) {
    Stretches t = {.l = l, .f = f};
    if (!l->order.works) return;
    if (l->steered) t.n = ORDER_ALL;
    for (int i = g->first; i < g->first + g->nstep; i++) {
        const Step *s = &l->plan->step[i];
        const Kernel *k = s->kind == STEP_KERNEL ? l->u->program->kernel[s->kernel].k : NULL;
        for (int b = 0; b < s->nbuf; b++)
            add_buffer(&t, l->u->places->root[s->buf[b]], k ? launch_use_of(k, b) & (ACC_WRITE | ACC_ADD) : b == 1);
        add_record(&t, i);
    }
    add_room(&t, &l->rows);
    graph_order_before(&l->order, t.at, t.n);
}

void launch_before_many(Launches *l) {
    const Many *m = &l->many;
    Stretches t;
    if (!l->order.works) return;
    t.l = l, t.n = 0;
    for (int i = 0; i < m->spans; i++) add(&t, m->span[i].at, m->span[i].bytes, m->span[i].write);
    for (int i = 0; i < m->n; i++) add_record(&t, m->step[i]);
    if (l->steered) t.n = ORDER_ALL;
    graph_order_before(&l->order, t.at, t.n);
}

/* A new value that goes to the memory of the old one. */
void launch_before_settling(Launches *l, DeviceAddress from, DeviceAddress to, size_t bytes) {
    ManySpan span[] = {{from, bytes, false},
                       {to, bytes, true},
                       {l->sides.answers, SIDES_RECORD * sizeof(int64_t), false},
                       {l->room[0].at, l->room[0].bytes, true}};
    if (l->order.works) graph_order_before(&l->order, span, TH_LEN(span));
}

void launch_after(Launches *l, int step) {
    uint64_t waits;
    if (!l->order.works) return;
    graph_order_after(&l->order, step, &waits);
    if (step >= 0 && step < l->u->nstep) atomic_store(&l->u->after[step], waits);
}
