/*
 * place.c -- which values go to a device and back. In: a plan, which of its steps run there. Out: lines of text. A walk
 * through the regions with who holds each buffer: a loop's body is walked once silently, to learn what a turn leaves,
 * then once aloud. Windows stand for the buffers that they show.
 */
#include "place.h"

#include <string.h>

enum { HOST = 1, DEVICE = 2, BOTH = 3 };

typedef struct Place {
    Text *t;
    const Plan *p;
    bool (*has_form)(const Plan *p, int step);
    int *root;
    uint8_t *has;     /* by buffer: who holds its value; 0: there is none yet */
    uint8_t *written; /* by buffer, in the loop at work */
    bool silent;
    bool unlooked; /* a step of the device may have failed, and nobody asked since */
    char at[64];   /* where the walk is, for readers */
} Place;

static void say(Place *w, const char *what, int buf) {
    if (w->silent) return;
    const char *name = buf < 0 ? NULL : w->p->buf[buf].name;
    const PlanBuf *b = buf < 0 ? NULL : &w->p->buf[buf];
    if (b && b->kind == BUF_INPUT && b->index < w->p->ninput) name = w->p->input[b->index].name;
    text_printf(w->t, "  %s: %s", w->at, what);
    if (b) text_printf(w->t, "(b%d%s%s%s)", buf, name ? " '" : "", name ? name : "", name ? "'" : "");
    text_putc(w->t, '\n');
}

static void look(Place *w) {
    if (w->unlooked) say(w, "the host waits: a step before may have failed", -1);
    w->unlooked = false;
}

static void need(Place *w, int buf, uint8_t side) {
    int b = w->root[buf];
    uint8_t other = (uint8_t)(BOTH - side);
    if (w->has[b] != other) return;
    if (side == HOST) look(w);
    say(w, side == HOST ? "HostFromGpu" : "GpuFromHost", b);
    w->has[b] |= side;
}

/* The host reads the lengths of a sparse matrix. */
static void need_head(Place *w, int buf) {
    if (w->has[w->root[buf]] != DEVICE) return;
    look(w);
    say(w, "HostFromGpu, its head: ", w->root[buf]);
}

static void wrote(Place *w, int buf, uint8_t side) {
    w->has[w->root[buf]] = side;
    w->written[w->root[buf]] = 1;
}

bool plan_reads_head(const PlanHost *h, int i) {
    const PlanValue *v = &h->in[i];
    return (h->op->device & DEVICE_HEAD(i)) && v->buf >= 0 && v->ndim == 1 && v->dtype == TH_INT64;
}

/* ---- one step ---------------------------------------------------------------------------------------------------- */
/* What kernel-local buffer i is to a kernel: ACC_READ, ACC_WRITE, ACC_ADD, ACC_ROWTEMP. */
static int use_of(const Kernel *k, int i) {
    int use = 0;
    for (int a = 0; a < k->acc.n; a++)
        if (k->acc.at[a].buf == i) use |= k->acc.at[a].flags;
    return use ? use : ACC_READ | ACC_WRITE; /* operands of a product */
}

static void kernel(Place *w, const Step *s, uint8_t side) {
    const Kernel *k = w->p->kernel[s->kernel];
    for (int i = 0; i < s->nbuf; i++)
        if (side == HOST || !(use_of(k, i) & ACC_ROWTEMP)) need(w, s->buf[i], side);
    for (int i = 0; i < s->nbuf; i++)
        if (use_of(k, i) & (ACC_WRITE | ACC_ADD)) wrote(w, s->buf[i], side);
}

static void call(Place *w, const Step *s, uint8_t side) {
    const PlanHost *h = &w->p->host[s->host];
    for (int i = 0; i < h->nin; i++)
        if (h->in[i].buf >= 0) need(w, h->in[i].buf, side == DEVICE && (h->op->device & DEVICE_READS(i)) ? HOST : side);
    for (int i = 0; i < h->nin && side == DEVICE; i++)
        if (plan_reads_head(h, i)) need_head(w, h->in[i].buf);
    for (int i = 0; i < h->nout; i++)
        if (h->out[i].buf >= 0) need(w, h->out[i].buf, side);
    for (int i = 0; i < h->nout; i++)
        if (h->out[i].buf >= 0) wrote(w, h->out[i].buf, side);
}

static void step(Place *w, int number) {
    const Step *s = &w->p->step[number];
    uint8_t side = w->has_form(w->p, number) ? DEVICE : HOST;
    number_format(w->at, sizeof w->at, "before step %d", number);
    if (number == w->p->first_write) look(w);
    if (s->kind == STEP_KERNEL) kernel(w, s, side);
    if (s->kind == STEP_HOST) call(w, s, side);
    if (s->kind == STEP_TRANSFER) {
        for (int i = 0; i < 2; i++) need(w, s->buf[i], side);
        wrote(w, s->buf[1], side);
    }
    for (int i = s->a; s->kind == STEP_SIZE && i < s->a + s->n; i++)
        if (w->p->shape[i].op == SHAPE_VALUE) need(w, w->p->shape[i].a, HOST);
    if (s->kind == STEP_LATE) w->has[w->root[s->buf[0]]] = 0;
    if (side == DEVICE) w->unlooked |= s->can_fail;
    else if (s->kind != STEP_LATE) look(w);
}

/* ---- regions ----------------------------------------------------------------------------------------------------- */
static bool region(Place *w, int id);

static uint8_t *copy_of(Place *w, const uint8_t *from) {
    uint8_t *to = ctx_alloc(w->p->ctx, (size_t)w->p->nbuf + 1);
    if (to) memcpy(to, from, (size_t)w->p->nbuf);
    return to;
}

static void drop(Place *w, uint8_t *copy) { ctx_free(w->p->ctx, copy, (size_t)w->p->nbuf + 1); }

static bool turn(Place *w, const Region *g) {
    bool ok = region(w, g->child);
    number_format(w->at, sizeof w->at, "at the end of each turn");
    if (g->until >= 0) need(w, g->until, HOST);
    return ok;
}

/* Silently: what a turn needs of buffers that nobody in the loop writes goes over before it. */
static bool loop(Place *w, const Region *g, int id) {
    uint8_t *before = copy_of(w, w->has), *outer = before ? copy_of(w, w->written) : NULL;
    bool silent = w->silent, unlooked = w->unlooked;
    if (!outer) {
        if (before) drop(w, before);
        return false;
    }
    memset(w->written, 0, (size_t)w->p->nbuf);
    w->silent = true;
    bool ok = turn(w, g);
    w->silent = silent;
    w->unlooked = unlooked;
    number_format(w->at, sizeof w->at, "before region %d", id);
    for (int b = 0; b < w->p->nbuf; b++) {
        uint8_t after = w->has[b];
        w->has[b] = before[b];
        if (!w->written[b] && after != before[b]) need(w, b, (uint8_t)(after & ~before[b]));
        else if (w->written[b] && before[b] && (before[b] & after)) w->has[b] = before[b] & after;
    }
    ok = ok && turn(w, g);
    if (g->turns > 0) {
        need(w, g->turns - 1, HOST);
        wrote(w, g->turns - 1, HOST);
    }
    for (int b = 0; b < w->p->nbuf; b++) w->written[b] |= outer[b];
    drop(w, before);
    drop(w, outer);
    return ok;
}

static bool branch(Place *w, const Region *g, int id) {
    number_format(w->at, sizeof w->at, "before region %d", id);
    need(w, g->cond, HOST);
    uint8_t *before = copy_of(w, w->has), *one = NULL;
    bool ok = before && region(w, g->child) && (one = copy_of(w, w->has));
    if (ok) {
        memcpy(w->has, before, (size_t)w->p->nbuf);
        ok = region(w, g->other);
        for (int b = 0; b < w->p->nbuf; b++)
            if (w->has[b] & one[b]) w->has[b] &= one[b];
    }
    if (before) drop(w, before);
    if (one) drop(w, one);
    return ok;
}

static bool region(Place *w, int id) {
    for (; id >= 0; id = w->p->region[id].next) {
        const Region *g = &w->p->region[id];
        if (g->kind == REGION_LOOP ? !loop(w, g, id) : g->kind == REGION_BRANCH && !branch(w, g, id)) return false;
        for (int i = g->first; g->kind == REGION_STRAIGHT && i < g->first + g->n; i++) step(w, i);
    }
    return true;
}

/* ---- the plan ---------------------------------------------------------------------------------------------------- */
/* Shared variables that a step of the device uses live there. */
static void begin(Place *w) {
    const Plan *p = w->p;
    for (int b = 0; b < p->nbuf; b++) {
        w->root[b] = b;
        w->has[b] = p->buf[b].kind == BUF_CONST                                   ? BOTH
                    : p->buf[b].kind == BUF_INPUT || p->buf[b].kind == BUF_SHARED ? HOST
                                                                                  : 0;
    }
    for (int i = 0; i < p->nwindow; i++) w->root[p->window[i].buf] = p->window[i].of;
    for (int b = 0; b < p->nbuf; b++)
        while (w->root[w->root[b]] != w->root[b]) w->root[b] = w->root[w->root[b]];
    for (int i = 0; i < p->nstep; i++)
        for (int j = 0; w->has_form(p, i) && j < p->step[i].nbuf; j++)
            if (p->buf[w->root[p->step[i].buf[j]]].kind == BUF_SHARED) w->has[w->root[p->step[i].buf[j]]] = DEVICE;
}

/* Numbers, and arguments of the host that were changed in place. */
static void finish(Place *w) {
    const Plan *p = w->p;
    number_format(w->at, sizeof w->at, "at the end");
    look(w);
    for (int b = 0; b < p->nbuf; b++)
        if (p->buf[b].kind == BUF_INPUT && w->written[b]) need(w, b, HOST);
    for (int o = 0; o < p->noutput; o++) {
        int b = p->result[o].buf;
        if (p->result[o].ndim == 0 && p->buf[b].kind == BUF_OUTPUT && !p->buf[b].late) need(w, b, HOST);
    }
}

bool place_text(Text *t, const Plan *p, bool (*has_form)(const Plan *p, int step)) {
    size_t n = (size_t)p->nbuf + 1, bytes = n * (sizeof(int) + 2);
    int *room = ctx_alloc0(p->ctx, bytes);
    if (!room) return false;
    Place w = {.t = t, .p = p, .has_form = has_form, .root = room};
    w.has = (uint8_t *)(room + n);
    w.written = w.has + n;
    text_put(t, "transfers:\n");
    begin(&w);
    bool ok = !p->nregion || region(&w, 0);
    if (ok) finish(&w);
    ctx_free(p->ctx, room, bytes);
    return ok;
}
