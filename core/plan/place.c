/*
 * place.c -- where steps run and which values go over. In: a plan, which of its steps a device can do. Out: Places. A
 * walk through the regions with who holds each buffer: a loop's body is walked once silently, to learn what a turn
 * leaves, then once aloud. Windows stand for the buffers that they show.
 */
#include "place.h"

#include <string.h>

enum { HOST = 1, DEVICE = 2, BOTH = 3 };

typedef struct Place {
    Places *m;
    const Plan *p;
    VEC(PlaceMove) move;
    int *root;
    uint8_t *side;
    uint8_t *has;     /* by buffer: who holds its value; 0: there is none yet */
    uint8_t *written; /* by buffer, in the loop at work */
    uint8_t *goes;    /* by buffer: it is in Places.over */
    bool silent;
    bool unlooked; /* a step of the device may have failed, and nobody asked since */
    MoveWhen when; /* where the walk is.. */
    int at;        /* ..the step or region */
    int maybe;     /* branches around */
} Place;

/* ---- what only feeds lengths ------------------------------------------------------------------------------------- */
/* The buffers of step s are no such numbers. */
static void none_of(const Plan *p, const Step *s, uint8_t *number) {
    for (int i = 0; i < s->nbuf; i++) number[s->buf[i]] = 0;
    if (s->kind != STEP_HOST) return;
    const PlanHost *h = &p->host[s->host];
    for (int i = 0; i < h->nin; i++)
        if (h->in[i].buf >= 0) number[h->in[i].buf] = 0;
    for (int i = 0; i < h->nout; i++)
        if (h->out[i].buf >= 0) number[h->out[i].buf] = 0;
}

static bool only_numbers(const Step *s, const uint8_t *number) {
    bool all = s->kind == STEP_KERNEL && s->nbuf > 0;
    for (int i = 0; i < s->nbuf && all; i++) all = number[s->buf[i]];
    return all;
}

/* Temporaries that may be such: a few integers that no loop or branch looks at. */
static void may_be_numbers(const Plan *p, uint8_t *number) {
    enum { FEW = 4 };
    for (int b = 0; b < p->nbuf; b++) {
        const PlanBuf *t = &p->buf[b];
        char kind = th_dtype_kind((ThDtype)t->dtype);
        bool few = t->size.sym < 0 && t->size.k <= FEW && !t->late;
        number[b] = t->kind == BUF_TEMP && few && kind != 'f' && kind != 'c';
    }
    for (int i = 0; i < p->nwindow; i++) number[p->window[i].buf] = number[p->window[i].of] = 0;
    for (int i = 0; i < p->nregion; i++) {
        const Region *g = &p->region[i];
        if (g->kind == REGION_BRANCH) number[g->cond] = 0;
        else if (g->kind == REGION_LOOP && g->until >= 0) number[g->until] = 0;
        if (g->kind == REGION_LOOP && g->turns > 0) number[g->turns - 1] = 0;
    }
}

static bool sizes_of_numbers(const Plan *p, const Step *s, const uint8_t *number) {
    bool all = true;
    for (int i = s->a; i < s->a + s->n; i++) all &= p->shape[i].op != SHAPE_VALUE || number[p->shape[i].a];
    return all;
}

/*
 * Steps that only compute lengths, from lengths: kernels of a few integers that nothing else reads, what takes sizes
 * from them, and memory for temporaries of such sizes (which a device has in a mirror). The host does them, and nobody
 * waits for it; what they give follows from the lengths of the arguments, so an equal call needs none of them.
 */
static void find_lengths(const Plan *p, uint8_t *side, uint8_t *number) {
    enum { TURNS = 8 };
    bool changed = true;
    may_be_numbers(p, number);
    for (int turn = 0; changed; turn++) {
        changed = false;
        for (int i = p->nstep; i-- > 0;) {
            const Step *s = &p->step[i];
            if (s->kind == STEP_SIZE || s->kind == STEP_LATE || (turn < TURNS && only_numbers(s, number))) continue;
            for (int j = 0; j < s->nbuf; j++) changed |= number[s->buf[j]];
            none_of(p, s, number);
        }
    }
    for (int i = 0; i < p->nstep; i++) {
        const Step *s = &p->step[i];
        bool beside = s->kind == STEP_SIZE   ? sizes_of_numbers(p, s, number)
                      : s->kind == STEP_LATE ? p->buf[s->buf[0]].kind == BUF_TEMP
                                             : only_numbers(s, number);
        if (beside) side[i] = PLACE_LENGTHS;
    }
}

/* ---- moves ------------------------------------------------------------------------------------------------------- */
static bool say(Place *w, MoveKind kind, int buf) {
    PlaceMove m = {.kind = (uint8_t)kind, .when = (uint8_t)w->when, .at = w->at, .buf = buf};
    if (w->silent) return true;
    if (kind == MOVE_OVER && w->p->buf[buf].kind == BUF_INPUT && !w->maybe && !w->goes[buf]) {
        w->goes[buf] = 1;
        w->m->over[w->m->nover++] = buf;
        return true;
    }
    return vec_push(w->p->ctx, &w->move, m);
}

static bool look(Place *w) {
    bool ask = w->unlooked;
    w->unlooked = false;
    return !ask || say(w, MOVE_WAIT, -1);
}

static bool need(Place *w, int buf, uint8_t side) {
    int b = w->root[buf];
    if (w->has[b] != (uint8_t)(BOTH - side)) return true;
    w->has[b] |= side;
    return (side != HOST || look(w)) && say(w, side == HOST ? MOVE_BACK : MOVE_OVER, b);
}

/* The host reads the lengths of a sparse matrix. */
static bool need_head(Place *w, int buf) {
    int b = w->root[buf];
    return w->has[b] != DEVICE || (look(w) && say(w, MOVE_HEAD, b));
}

static void wrote(Place *w, int buf, uint8_t side) {
    w->has[w->root[buf]] = side;
    w->written[w->root[buf]] = 1;
}

bool plan_reads_head(const PlanHost *h, int i) {
    const PlanValue *v = &h->in[i];
    return (h->op->device & DEVICE_HEAD(i)) && v->buf >= 0 && v->ndim == 1 && v->dtype == TH_INT64;
}

bool plan_fails_late(const Plan *p, const Step *s) {
    return s->can_fail && !(s->kind == STEP_HOST && p->host[s->host].op->flags & OP_EARLY);
}

/* ---- one step ---------------------------------------------------------------------------------------------------- */
/* What kernel-local buffer i is to a kernel: ACC_READ, ACC_WRITE, ACC_ADD, ACC_ROWTEMP. */
static int use_of(const Kernel *k, int i) {
    int use = 0;
    for (int a = 0; a < k->acc.n; a++)
        if (k->acc.at[a].buf == i) use |= k->acc.at[a].flags;
    return use ? use : ACC_READ | ACC_WRITE; /* operands of a product */
}

static bool kernel(Place *w, const Step *s, uint8_t side) {
    const Kernel *k = w->p->kernel[s->kernel];
    for (int i = 0; i < s->nbuf; i++)
        if ((side == HOST || !(use_of(k, i) & ACC_ROWTEMP)) && !need(w, s->buf[i], side)) return false;
    for (int i = 0; i < s->nbuf; i++)
        if (use_of(k, i) & (ACC_WRITE | ACC_ADD)) wrote(w, s->buf[i], side);
    return true;
}

static bool call(Place *w, const Step *s, uint8_t side) {
    const PlanHost *h = &w->p->host[s->host];
    for (int i = 0; i < h->nin; i++) {
        uint8_t there = side == DEVICE && (h->op->device & DEVICE_READS(i)) ? HOST : side;
        if (h->in[i].buf >= 0 && !need(w, h->in[i].buf, there)) return false;
    }
    for (int i = 0; i < h->nin && side == DEVICE; i++)
        if (plan_reads_head(h, i) && !need_head(w, h->in[i].buf)) return false;
    for (int i = 0; i < h->nout; i++)
        if (h->out[i].buf >= 0 && !need(w, h->out[i].buf, side)) return false;
    for (int i = 0; i < h->nout; i++)
        if (h->out[i].buf >= 0) wrote(w, h->out[i].buf, side);
    return true;
}

static bool copy(Place *w, const Step *s, uint8_t side) {
    if (!need(w, s->buf[0], side) || !need(w, s->buf[1], side)) return false;
    wrote(w, s->buf[1], side);
    return true;
}

static bool values(Place *w, const Step *s) {
    for (int i = s->a; i < s->a + s->n; i++)
        if (w->p->shape[i].op == SHAPE_VALUE && !need(w, w->p->shape[i].a, HOST)) return false;
    return true;
}

/* Kernels behind a failed one leave; what a library of the device writes in place waits until none can have failed. */
static bool step(Place *w, int number) {
    const Step *s = &w->p->step[number];
    uint8_t side = w->side[number] == PLACE_DEVICE ? DEVICE : HOST;
    bool beside = w->side[number] == PLACE_LENGTHS, ok = true;
    w->when = MOVE_BEFORE_STEP, w->at = number;
    if (beside) {
        if (s->kind == STEP_LATE) w->has[w->root[s->buf[0]]] = 0;
        for (int i = 0; i < s->nbuf && s->kind == STEP_KERNEL; i++) w->has[w->root[s->buf[i]]] = HOST;
        return true;
    }
    if (side == DEVICE && s->kind == STEP_HOST && number >= w->p->first_write) ok = look(w);
    if (side == HOST && s->kind != STEP_LATE) ok = look(w);
    switch ((StepKind)s->kind) {
    case STEP_KERNEL: ok = ok && kernel(w, s, side); break;
    case STEP_HOST: ok = ok && call(w, s, side); break;
    case STEP_TRANSFER: ok = ok && copy(w, s, side); break;
    case STEP_SIZE: ok = ok && values(w, s); break;
    case STEP_LATE: w->has[w->root[s->buf[0]]] = 0; break;
    }
    if (side == DEVICE) w->unlooked |= s->can_fail;
    return ok;
}

/* ---- what the device steers -------------------------------------------------------------------------------------- */
/*
 * Where a condition is computed there and all that hangs on it are kernels, the host need not know it: it queues both
 * arms of a branch, and turns of a loop ahead, and what is not to run leaves at once, as kernels behind a failed one
 * do.
 */
enum { STEER_STEPS = 24 }; /* of an arm: what is queued in vain */

/* A library may be better at it, which nothing passes over. */
static bool is_product(const Place *w, const Step *s) {
    bool any = false;
    const Kernel *k = s->kind == STEP_KERNEL ? w->p->kernel[s->kernel] : NULL;
    for (int i = 0; k && i < k->st.n; i++) any |= k->st.at[i].cls == STAGE_GEMM || k->st.at[i].nnum > 0;
    return any;
}

/* Steps of regions id and those behind it, at most `most`; branches, and loops that end early, need the host. */
static bool only_kernels(const Place *w, int id, bool arm, int *most) {
    for (; id >= 0; id = w->p->region[id].next) {
        const Region *g = &w->p->region[id];
        if (g->kind == REGION_BRANCH || (g->kind == REGION_LOOP && (g->until >= 0 || g->turns > 0))) return false;
        if (g->kind == REGION_LOOP && !only_kernels(w, g->child, arm, most)) return false;
        for (int i = g->first; g->kind == REGION_STRAIGHT && i < g->first + g->n; i++) {
            const Step *s = &w->p->step[i];
            bool fits = s->kind == STEP_KERNEL || s->kind == STEP_TRANSFER;
            if (arm && is_product(w, s)) return false;
            if (!fits || w->side[i] != PLACE_DEVICE || i >= w->p->first_write || --*most < 0) return false;
        }
    }
    return true;
}

/* A kernel of the device writes the condition. */
static bool made_there(const Place *w, int buf) {
    for (int i = 0; i < w->p->nstep; i++) {
        const Step *s = &w->p->step[i];
        if (s->kind != STEP_KERNEL || w->side[i] != PLACE_DEVICE) continue;
        for (int j = 0; j < s->nbuf; j++)
            if (w->root[s->buf[j]] == w->root[buf] && use_of(w->p->kernel[s->kernel], j) & ACC_WRITE) return true;
    }
    return false;
}

static void find_steered(Place *w) {
    for (int r = 0; r < w->p->nregion; r++) {
        const Region *g = &w->p->region[r];
        int one = STEER_STEPS, other = STEER_STEPS, all = w->p->nstep;
        if (g->kind == REGION_BRANCH)
            w->m->steered[r] = only_kernels(w, g->child, true, &one) && only_kernels(w, g->other, true, &other) &&
                               made_there(w, g->cond);
        else if (g->kind == REGION_LOOP && g->until >= 0)
            w->m->steered[r] = only_kernels(w, g->child, false, &all) && made_there(w, g->until);
    }
}

/* ---- regions ----------------------------------------------------------------------------------------------------- */
static bool region(Place *w, int id);

static uint8_t *copy_of(Place *w, const uint8_t *from) {
    uint8_t *to = ctx_alloc(w->p->ctx, (size_t)w->p->nbuf + 1);
    if (to) memcpy(to, from, (size_t)w->p->nbuf);
    return to;
}

static void drop(Place *w, uint8_t *copy) { ctx_free(w->p->ctx, copy, (size_t)w->p->nbuf + 1); }

static bool turn(Place *w, const Region *g, int id) {
    if (!region(w, g->child)) return false;
    w->when = MOVE_EACH_TURN, w->at = id;
    return g->until < 0 || need(w, g->until, w->m->steered[id] ? DEVICE : HOST);
}

/* After the silent turn: what it needs of buffers that nobody in the loop writes goes over before it. */
static bool before_loop(Place *w, int id, const uint8_t *before) {
    bool ok = true;
    w->when = MOVE_BEFORE_REGION, w->at = id;
    for (int b = 0; b < w->p->nbuf && ok; b++) {
        uint8_t after = w->has[b];
        w->has[b] = before[b];
        if (!w->written[b] && after != before[b]) ok = need(w, b, (uint8_t)(after & ~before[b]));
        else if (w->written[b] && before[b] && (before[b] & after)) w->has[b] = before[b] & after;
    }
    return ok;
}

static bool loop(Place *w, const Region *g, int id) {
    uint8_t *before = copy_of(w, w->has), *outer = before ? copy_of(w, w->written) : NULL;
    bool silent = w->silent, unlooked = w->unlooked;
    if (!outer) {
        if (before) drop(w, before);
        return false;
    }
    memset(w->written, 0, (size_t)w->p->nbuf);
    w->silent = true;
    bool ok = turn(w, g, id);
    w->silent = silent;
    w->unlooked = unlooked;
    ok = ok && before_loop(w, id, before) && turn(w, g, id);
    if (ok && g->turns > 0) {
        ok = need(w, g->turns - 1, HOST);
        wrote(w, g->turns - 1, HOST);
    }
    for (int b = 0; b < w->p->nbuf; b++) w->written[b] |= outer[b];
    drop(w, before);
    drop(w, outer);
    return ok;
}

static bool branch(Place *w, const Region *g, int id) {
    if (w->m->steered[id]) return need(w, g->cond, DEVICE) && region(w, g->child) && region(w, g->other);
    w->when = MOVE_BEFORE_REGION, w->at = id;
    uint8_t *before = need(w, g->cond, HOST) ? copy_of(w, w->has) : NULL, *one = NULL;
    w->maybe++;
    bool ok = before && region(w, g->child) && (one = copy_of(w, w->has));
    if (ok) {
        memcpy(w->has, before, (size_t)w->p->nbuf);
        ok = region(w, g->other);
        for (int b = 0; b < w->p->nbuf; b++)
            if (w->has[b] & one[b]) w->has[b] &= one[b];
    }
    w->maybe--;
    if (before) drop(w, before);
    if (one) drop(w, one);
    return ok;
}

static bool region(Place *w, int id) {
    for (; id >= 0; id = w->p->region[id].next) {
        const Region *g = &w->p->region[id];
        if (g->kind == REGION_LOOP ? !loop(w, g, id) : g->kind == REGION_BRANCH && !branch(w, g, id)) return false;
        for (int i = g->first; g->kind == REGION_STRAIGHT && i < g->first + g->n; i++)
            if (!step(w, i)) return false;
    }
    return true;
}

/* ---- the plan ---------------------------------------------------------------------------------------------------- */
static void find_roots(const Plan *p, int *root) {
    for (int b = 0; b < p->nbuf; b++) root[b] = b;
    for (int i = 0; i < p->nwindow; i++) root[p->window[i].buf] = p->window[i].of;
    for (int b = 0; b < p->nbuf; b++)
        while (root[root[b]] != root[b]) root[b] = root[root[b]];
}

/* Shared variables that a step of the device uses live there. */
static void begin(Place *w) {
    const Plan *p = w->p;
    for (int b = 0; b < p->nbuf; b++)
        w->has[b] = p->buf[b].kind == BUF_CONST                                   ? BOTH
                    : p->buf[b].kind == BUF_INPUT || p->buf[b].kind == BUF_SHARED ? HOST
                                                                                  : 0;
    for (int i = 0; i < p->nstep; i++)
        for (int j = 0; w->side[i] == PLACE_DEVICE && j < p->step[i].nbuf; j++)
            if (p->buf[w->root[p->step[i].buf[j]]].kind == BUF_SHARED) w->has[w->root[p->step[i].buf[j]]] = DEVICE;
}

/* Numbers, and arguments of the host that were changed in place. */
static bool finish(Place *w) {
    const Plan *p = w->p;
    bool ok = true;
    w->when = MOVE_AT_END, w->at = -1;
    for (int b = 0; b < p->nbuf && ok; b++)
        if (p->buf[b].kind == BUF_INPUT && w->written[b]) ok = need(w, b, HOST);
    ok = ok && look(w);
    for (int o = 0; o < p->noutput && ok; o++) {
        int b = p->result[o].buf;
        bool number = p->result[o].ndim == 0 && !p->buf[b].late;
        if ((number || p->output[o].on_host) && p->buf[b].kind == BUF_OUTPUT) ok = need(w, b, HOST);
    }
    return ok;
}

static bool walk(Places *m, const Plan *p) {
    size_t n = (size_t)p->nbuf + 1;
    uint8_t *room = ctx_alloc0(p->ctx, 3 * n);
    Place w = {.m = m, .p = p, .root = m->root, .side = m->side};
    if (!room) return false;
    w.has = room, w.written = room + n, w.goes = room + 2 * n;
    find_lengths(p, m->side, w.has);
    find_steered(&w);
    begin(&w);
    bool ok = (!p->nregion || region(&w, 0)) && finish(&w);
    ctx_free(p->ctx, room, 3 * n);
    m->move = w.move.at;
    m->nmove = w.move.n;
    m->room = w.move.cap;
    return ok;
}

Places *place_make(const Plan *p, PlaceForm *has_form, void *user) {
    size_t nbuf = (size_t)p->nbuf + 1,
           bytes = sizeof(Places) + nbuf * sizeof(int) * 2 + (size_t)(p->nstep + p->nregion);
    Places *m = ctx_alloc0(p->ctx, bytes);
    if (!m) return NULL;
    m->ctx = p->ctx;
    m->bytes = bytes;
    m->root = (int *)(void *)(m + 1);
    m->over = m->root + nbuf;
    m->side = (uint8_t *)(m->over + nbuf);
    m->steered = m->side + p->nstep;
    find_roots(p, m->root);
    for (int i = 0; i < p->nstep; i++) m->side[i] = has_form(p, i, user) ? PLACE_DEVICE : PLACE_HOST;
    if (walk(m, p)) return m;
    place_free(m);
    return NULL;
}

void place_free(Places *m) {
    if (!m) return;
    ThContext *c = m->ctx;
    ctx_free(c, m->move, sizeof *m->move * (size_t)m->room);
    ctx_free(c, m, m->bytes);
}

/* ---- text: a line is a copy -------------------------------------------------------------------------------------- */
static void buffer_text(Text *t, const Plan *p, int buf) {
    const PlanBuf *b = &p->buf[buf];
    const char *name = b->kind == BUF_INPUT && b->index < p->ninput ? p->input[b->index].name : b->name;
    text_printf(t, "b%d%s%s%s", buf, name ? " '" : "", name ? name : "", name ? "'" : "");
}

static void move_text(Text *t, const Plan *p, const PlaceMove *m) {
    switch ((MoveWhen)m->when) {
    case MOVE_BEFORE_STEP: text_printf(t, "  before step %d: ", m->at); break;
    case MOVE_BEFORE_REGION: text_printf(t, "  before region %d: ", m->at); break;
    case MOVE_EACH_TURN: text_printf(t, "  at the end of each turn of region %d: ", m->at); break;
    case MOVE_AT_END: text_put(t, "  at the end: "); break;
    }
    static const char *const words[] = {
        [MOVE_OVER] = "GpuFromHost(",
        [MOVE_BACK] = "HostFromGpu(",
        [MOVE_HEAD] = "HostFromGpu, its head: (",
        [MOVE_WAIT] = "the host waits, and asks whether a step failed",
    };
    text_put(t, words[m->kind]);
    if (m->kind == MOVE_WAIT) return;
    buffer_text(t, p, m->buf);
    text_putc(t, ')');
}

static bool is_answer(const Plan *p, const PlaceMove *m) {
    return m->when == MOVE_AT_END && (m->kind == MOVE_WAIT || p->buf[m->buf].kind == BUF_OUTPUT);
}

/* Numbers, and whether a step failed, come in one piece. */
static void answers_text(Text *t, const Plan *p, const Places *m) {
    int n = 0, waits = 0;
    for (int i = 0; i < m->nmove; i++) {
        if (!is_answer(p, &m->move[i])) continue;
        if (m->move[i].kind == MOVE_WAIT) {
            waits++;
            continue;
        }
        text_put(t, n++ ? ", " : "  at the end: HostFromGpu(");
        buffer_text(t, p, m->move[i].buf);
    }
    if (n) text_put(t, waits ? "), and whether a step failed\n" : ")\n");
    else if (waits) text_put(t, "  at the end: whether a step failed\n");
}

void place_text(Text *t, const Plan *p, const Places *m) {
    text_put(t, "transfers:\n");
    for (int r = 0; r < p->nregion; r++)
        if (m->steered[r])
            text_printf(t,
                        p->region[r].kind == REGION_BRANCH
                            ? "  region %d: both arms are queued, the device takes one\n"
                            : "  region %d: turns are queued ahead, the host asks now and then whether it is over\n",
                        r);
    for (int i = 0; i < m->nover; i++) {
        text_put(t, i ? ", " : "  at once: GpuFromHost(");
        buffer_text(t, p, m->over[i]);
    }
    if (m->nover) text_put(t, ")\n");
    for (int i = 0; i < m->nmove; i++) {
        if (is_answer(p, &m->move[i])) continue;
        move_text(t, p, &m->move[i]);
        text_putc(t, '\n');
    }
    answers_text(t, p, m);
}
