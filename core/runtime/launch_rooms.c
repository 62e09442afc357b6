/*
 * launch_rooms.c -- which room each step of a plan has for what a device's library, or a call of ours, works in. In:
 * the plan. Out: by step, one of LAUNCH_ROOMS. Steps that have one room run one after the other; so a product or a
 * convolution goes where the last one stands before it anyway, else where nobody was, else where the shortest line
 * stands before the last one. All else, whose room may be as large as its operands, has the first one. What really
 * meets is found by addresses (launch_order.c): here nothing can go wrong but time.
 */
#include "launch_state.h"

enum { FAR = 64 }; /* steps: what is further away is done by then */

typedef struct Line {
    const Launches *l;
    uint64_t *before;  /* by step: bit i, it comes behind the step 1 + i before it */
    int *length;       /* ..and how many stand in line before it */
    int *wrote, *read; /* by buffer: the last step that did, or -1 */
} Line;

static bool stands_before(const Line *t, int step, int last) {
    return step - last > FAR || t->before[step] >> (step - last - 1) & 1;
}

static void behind(Line *t, int step, int last) {
    int far = step - last;
    if (last < 0 || !far) return; /* it reads what it writes */
    if (t->length[last] >= t->length[step]) t->length[step] = t->length[last] + 1;
    if (far > FAR) return;
    t->before[step] |= (uint64_t)1 << (far - 1);
    if (far < FAR) t->before[step] |= t->before[last] << far;
}

static void touches(Line *t, int step, int buf, bool reads, bool writes) {
    int b = t->l->u->places->root[buf];
    behind(t, step, t->wrote[b]);
    if (writes) behind(t, step, t->read[b]);
    if (reads) t->read[b] = step;
    if (writes) t->wrote[b] = step;
}

static void place(Line *t, int step) {
    const Plan *p = t->l->plan;
    const Step *s = &p->step[step];
    const PlanHost *h = s->kind == STEP_HOST ? &p->host[s->host] : NULL;
    for (int i = 0; i < s->nbuf && s->kind == STEP_KERNEL; i++) {
        uint8_t use = launch_use_of(p->kernel[s->kernel], i);
        touches(t, step, s->buf[i], use & ACC_READ, use & (ACC_WRITE | ACC_ADD));
    }
    for (int i = 0; i < 2 && s->kind == STEP_TRANSFER; i++) touches(t, step, s->buf[i], !i, i);
    for (int i = 0; h && i < h->nin + h->nout; i++) {
        bool in = i < h->nin;
        int buf = in ? h->in[i].buf : h->out[i - h->nin].buf;
        if (buf >= 0) touches(t, step, buf, in, !in);
    }
}

/* It may take a room, and then which: what is known before a call. */
typedef enum { NONE, FIRST, ANY } Wish;

static Wish wish_of(const Launches *l, int step) {
    const Step *s = &l->plan->step[step];
    if (l->u->places->side[step] != PLACE_DEVICE) return NONE;
    if (s->kind == STEP_HOST) return FIRST;
    const GridKernel *g = s->kind == STEP_KERNEL ? &l->u->program->kernel[s->kernel] : NULL;
    if (!g || !g->nest) return NONE;
    return grid_is_product(g) || grid_is_conv(g) ? ANY : g->nest->grid == GRID_SCATTER ? FIRST : NONE;
}

static uint8_t choose(const Line *t, int step, const int *last) {
    uint8_t best = 0;
    for (uint8_t r = 0; r < LAUNCH_ROOMS; r++)
        if (last[r] >= 0 && stands_before(t, step, last[r])) return r;
    for (uint8_t r = 0; r < LAUNCH_ROOMS; r++) {
        if (last[r] < 0) return r;
        if (t->length[last[r]] < t->length[last[best]]) best = r;
    }
    return best;
}

static void share_out(Line *t, uint8_t *room) {
    int last[LAUNCH_ROOMS];
    for (int r = 0; r < LAUNCH_ROOMS; r++) last[r] = -1;
    for (int b = 0; b < t->l->plan->nbuf; b++) t->wrote[b] = t->read[b] = -1;
    for (int s = 0; s < t->l->plan->nstep; s++) {
        place(t, s);
        Wish wish = wish_of(t->l, s);
        room[s] = wish == ANY ? choose(t, s, last) : 0;
        if (wish == NONE) continue;
        int before = last[room[s]];
        if (before >= 0 && t->length[before] >= t->length[s]) t->length[s] = t->length[before] + 1;
        last[room[s]] = s;
    }
}

bool launch_rooms(Launches *l) {
    Arena *a = arena_new(l->u->c);
    size_t steps = (size_t)l->plan->nstep + 1, bufs = (size_t)l->plan->nbuf + 1;
    if (!a) return false;
    Line t = {l, arena_alloc0(a, steps * sizeof *t.before), arena_alloc0(a, steps * sizeof *t.length),
              arena_alloc(a, bufs * sizeof *t.wrote), arena_alloc(a, bufs * sizeof *t.read)};
    bool ok = t.before && t.length && t.wrote && t.read;
    if (ok) share_out(&t, l->room_of);
    arena_free(a);
    return ok;
}

GpuRoom *launch_room(Launches *l, int step) {
    return &l->room[step >= 0 && step < l->plan->nstep ? l->room_of[step] : 0];
}

GpuCall launch_call(Launches *l) {
    int step = l->sides.step;
    return (GpuCall){.q = &l->q, .room = launch_room(l, step), .record = l->sides.answers, .step = step};
}
