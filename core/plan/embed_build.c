/*
 * embed_build.c -- a planned body becomes regions of the plan being built. In: an Embed (embed.c). Out: the body's
 * kernels (equal keys shared), steps, buffers, windows, slots and nodes under this plan's numbers, in a loop or a
 * branch. Always holds: lengths are the outer plan's; those that only the body tells are set by its own size steps.
 */
#include "build.h"

typedef struct Put { /* one body at work */
    Build *b;
    const Embed *e;
    const Body *y;
    int node;             /* whose body it is */
    int *buf;             /* by buffer of the body: the plan's, -1 */
    int *kernel;          /* by kernel of the body: the plan's */
    int *counter;         /* by slot of the body that counts turns: the plan's */
    int *out;             /* by result of the body: its buffer here */
    int *shown;           /* by out port: the window through which its place is seen, -1 */
    int window0, window1; /* windows of loops inside, and of the region itself, start here */
    int import0, import1; /* of Build.import */
} Put;

/* ---- sizes ---- */
/* The plan's size; whether it will have it is the caller's. */
static bool size_here(const Put *t, Size *s) {
    Build *b = t->b;
    if (s->sym >= 0 && s->k == 0) *s = size_const(0);
    if (s->sym < 0) return true;
    Size m = t->y->slot[s->sym];
    if (size_bad(m)) return err(b->ctx, TH_RuntimeError, "planning a body: a length is used before it is known");
    int64_t k;
    if (__builtin_mul_overflow(s->k, m.k, &k)) return err(b->ctx, TH_ValueError, "%s", b->p->sizes.check.at[0].text);
    *s = (Size){k, k == 0 ? -1 : m.sym};
    return true;
}

static bool translate(const Put *t, Size *s) {
    if (!size_here(t, s)) return false;
    build_need(t->b, s);
    return true;
}

static bool translate_value(const Put *t, PlanValue *v) {
    bool ok = translate(t, &v->off);
    for (int d = 0; d < v->ndim; d++) ok = ok && translate(t, &v->shape[d]) && translate(t, &v->stride[d]);
    if (v->buf >= 0) v->buf = t->buf[v->buf];
    return ok;
}

/* A slot of this plan's with the value of a slot of the body. */
static int slot(const Put *t, int s) {
    Size m = {1, s};
    if (!translate(t, &m)) return -1;
    int at = sizes_materialize(&t->b->p->sizes, m);
    if (at >= 0) t->b->p->sizes.ins.at[at].needed = true;
    return at;
}

/* ---- buffers ---- */
static int new_buffer(const Put *t, PlanBuf f) {
    f.first = f.last = f.inplace_of = -1;
    return vec_push(t->b->ctx, &t->b->buf, f) ? t->b->buf.n - 1 : -1;
}

/* A buffer that shows what the port says; its size is the body's until buffer_sizes. */
static int new_window(const Put *t, const Port *q, PlanBuf f) {
    Build *b = t->b;
    PlanWindow w = {build_buffer(b, q->root), 0, -1, q->base, q->first, q->step, q->ring};
    w.of = w.buf;
    build_need(b, &w.base), build_need(b, &w.first), build_need(b, &w.step), build_need(b, &w.ring);
    f.kind = BUF_WINDOW;
    f.index = b->window.n;
    f.late = false;
    w.buf = new_buffer(t, f);
    return w.of < 0 || w.buf < 0 || !vec_push(b->ctx, &b->window, w) ? -1 : w.buf;
}

/* The out port that result o is written through, or NULL. */
static const Port *written_through(const Put *t, int o) {
    for (int i = 0; i < t->e->nout; i++)
        if (t->e->out[i].inner == o && !t->e->out[i].aside) return &t->e->out[i];
    return NULL;
}

static int port_buffer(const Put *t, const Port *q, PlanBuf f) {
    return q->window ? new_window(t, q, f) : build_buffer(t->b, q->root);
}

/* Buffer f of the body here; -1 with no error: nothing uses it. */
static int body_buffer(const Put *t, int f) {
    const Plan *y = t->y->plan;
    PlanBuf x = y->buf[f];
    const Port *q = NULL;
    x.node = x.node < 0 ? t->node : x.node + t->y->node0;
    switch ((BufKind)x.kind) {
    case BUF_INPUT: return x.first < 0 ? -1 : port_buffer(t, &t->y->in[x.index], x);
    case BUF_OUTPUT:
        q = written_through(t, x.index);
        if (q) return port_buffer(t, q, x);
        x.kind = BUF_TEMP;
        break;
    case BUF_CONST:
        x.index = build_constant(t->b, y->constant[x.index]);
        if (x.index < 0) return -1;
        break;
    case BUF_WINDOW: x.index += t->window0; break;
    case BUF_SHARED: err(t->b->ctx, TH_RuntimeError, "planning a body: it reads a shared variable"); return -1;
    default: break;
    }
    return new_buffer(t, x);
}

/* Windows of loops inside the body, so that those of its own region stand together. */
static bool inner_windows(Put *t) {
    t->window0 = t->b->window.n;
    for (int w = 0; w < t->y->plan->nwindow; w++)
        if (!vec_push(t->b->ctx, &t->b->window, t->y->plan->window[w])) return false;
    return true;
}

static bool buffers(Put *t) {
    const Plan *y = t->y->plan;
    for (int f = 0; f < y->nbuf; f++)
        if ((t->buf[f] = body_buffer(t, f)) < 0 && failed(t->b->ctx)) return false;
    for (int o = 0; o < y->noutput; o++) t->out[o] = t->buf[y->result[o].buf];
    return true;
}

static int window_of(const Put *t, int buf) {
    return buf >= 0 && t->b->buf.at[buf].kind == BUF_WINDOW ? t->b->buf.at[buf].index : -1;
}

/* Through which window the result of each out port is seen in its place; -1: the whole root. */
static bool shown_windows(Put *t) {
    for (int o = 0; o < t->e->nout; o++) {
        const Port *q = &t->e->out[o];
        t->shown[o] = -1;
        if (!q->window) continue;
        if (!q->aside) {
            t->shown[o] = window_of(t, t->out[q->inner]);
            continue;
        }
        int w = new_window(t, q, t->y->plan->buf[t->y->plan->result[q->inner].buf]);
        if (w < 0) return false;
        t->shown[o] = t->b->buf.at[w].index;
    }
    return true;
}

/* Which window shows in the next turn what another one shows now. Arguments are the body's first buffers. */
static void follow(const Put *t) {
    for (int i = 0; t->e->loop && i < t->y->nin; i++) {
        int w = window_of(t, t->buf[i]), next = t->y->in[i].next;
        if (w < 0) continue;
        t->b->window.at[w].next = next > 0 ? window_of(t, t->buf[next - 1]) : next < 0 ? t->shown[-1 - next] : -1;
    }
}

/* ---- their sizes, once the slots of the body's size steps have numbers ---- */
static bool port_size(const Put *t, const Port *q, int f) {
    Build *b = t->b;
    Size n = size_const(1);
    PlanBuf *to = &b->buf.at[f];
    for (int d = 0; d < q->ndim; d++) {
        to->shape[d] = q->shape[d];
        build_need(b, &to->shape[d]);
        n = sizes_op(&b->p->sizes, '*', n, to->shape[d]);
    }
    if (size_bad(n)) return false;
    build_need(b, &n);
    b->buf.at[f].size = n;
    return true;
}

static bool temp_size(const Put *t, const PlanBuf *from, int f) {
    Build *b = t->b;
    Size n = from->size, shape[TH_MAX_NDIM];
    bool ok = translate(t, &n);
    for (int d = 0; d < from->ndim; d++) {
        shape[d] = from->shape[d];
        ok = ok && translate(t, &shape[d]);
    }
    /* a length computed for the side of a branch that is not taken may be nonsense; one that a step of it finds is not
     */
    if (ok && !t->e->loop && !sizes_dyn(&b->p->sizes, n)) n = sizes_op(&b->p->sizes, 'M', n, size_const(0));
    if (!ok || size_bad(n)) return false;
    build_need(b, &n);
    PlanBuf *to = &b->buf.at[f];
    to->size = n;
    memcpy(to->shape, shape, (size_t)from->ndim * sizeof(Size));
    if (to->kind != BUF_TEMP || to->late || !sizes_dyn(&b->p->sizes, n)) return true;
    to->late = true;
    return build_late(b, f);
}

static bool inner_window_sizes(const Put *t) {
    for (int w = 0; w < t->y->plan->nwindow; w++) {
        PlanWindow *x = &t->b->window.at[t->window0 + w];
        x->buf = t->buf[x->buf];
        x->of = t->buf[x->of];
        if (x->next >= 0) x->next += t->window0;
        if (!translate(t, &x->base) || !translate(t, &x->first) || !translate(t, &x->step) || !translate(t, &x->ring))
            return false;
    }
    return true;
}

static bool buffer_sizes(const Put *t) {
    const Plan *y = t->y->plan;
    for (int f = 0; f < y->nbuf; f++) {
        const PlanBuf *x = &y->buf[f];
        const Port *q = x->kind == BUF_INPUT    ? &t->y->in[x->index]
                        : x->kind == BUF_OUTPUT ? written_through(t, x->index)
                                                : NULL;
        if (t->buf[f] < 0 || (q && !q->window)) continue;
        if (q ? !port_size(t, q, t->buf[f]) : !temp_size(t, x, t->buf[f])) return false;
    }
    for (int o = 0; o < t->e->nout; o++)
        if (t->e->out[o].aside && t->shown[o] >= 0 && !port_size(t, &t->e->out[o], t->b->window.at[t->shown[o]].buf))
            return false;
    return inner_window_sizes(t);
}

/* ---- size steps ---- */
static bool is_check(const ShapeIns *i) { return i->op == SHAPE_CHECK_EQ || i->op == SHAPE_CHECK_GE0; }

static bool import_one(const Put *t, const ShapeIns *i) {
    Sizes *s = &t->b->p->sizes;
    SizeIns x = {.op = i->op, .dyn = true, .import = true, .a = 0, .b = -1, .c = -1, .k = i->k, .node = -1, .home = -1};
    if (i->op == SHAPE_VALUE) {
        x.b = t->buf[i->a];
        x.k = i->b;
    } else if ((x.a = slot(t, i->a)) < 0 || (i->b >= 0 && (x.b = slot(t, i->b)) < 0)) return false;
    if (is_check(i)) {
        ShapeCheck c = t->y->plan->check[i->k];
        c.node = c.node < 0 ? t->node : c.node + t->y->node0;
        if (!vec_push(t->b->ctx, &s->check, c)) return false;
        x.k = s->check.n - 1;
    }
    int at = sizes_push(s, x);
    if (at >= 0 && !is_check(i)) t->y->slot[i->dst] = (Size){1, at};
    return at >= 0;
}

/*
 * The body's shape instructions [first, first + n), or only the checks among them, for the step that Import.step will
 * name. Operands from outside become slots first, so that the instructions stand together.
 */
static bool import(const Put *t, int step, int first, int n, bool only_checks) {
    Build *b = t->b;
    const ShapeIns *at = t->y->plan->shape;
    for (int i = first; i < first + n; i++) {
        if (at[i].op < SHAPE_ADD) continue;
        if (!size_bad(t->y->slot[at[i].a]) && slot(t, at[i].a) < 0) return false;
        if (at[i].b >= 0 && !size_bad(t->y->slot[at[i].b]) && slot(t, at[i].b) < 0) return false;
    }
    Import m = {.step = step, .first = b->p->sizes.ins.n};
    for (int i = first; i < first + n; i++)
        if ((!only_checks || is_check(&at[i])) && !import_one(t, &at[i])) return false;
    m.n = b->p->sizes.ins.n - m.first;
    return vec_push(b->ctx, &b->import, m);
}

/* Steps are named by their number in the body; side() adds where it starts. */
static bool size_steps(Put *t) {
    const Plan *y = t->y->plan;
    t->import0 = t->b->import.n;
    for (int s = 0; s < y->nstep; s++)
        if (y->step[s].kind == STEP_SIZE && !import(t, s, y->step[s].a, y->step[s].n, false)) return false;
    t->import1 = t->b->import.n;
    return true;
}

/* Counters of loops inside are slots of their own. */
static bool counters(const Put *t) {
    for (int r = 0; r < t->y->plan->nregion; r++) {
        const Region *g = &t->y->plan->region[r];
        if (g->kind != REGION_LOOP) continue;
        int at = build_counter(t->b);
        if (at < 0) return false;
        t->counter[g->counter] = at;
    }
    return true;
}

static Step size_step(const Put *t, const char *title) {
    return (Step){.kind = STEP_SIZE, .node = t->node, .host = -1, .can_fail = true, .title = title};
}

/* The checks of a branch stand at its head; those of a loop are made before it. */
static bool head_checks(const Put *t) {
    const Plan *y = t->y->plan;
    bool any = false;
    for (int i = 0; i < y->nshape_static; i++) any |= is_check(&y->shape[i]);
    if (!any || t->e->loop) return true;
    return vec_push(t->b->ctx, &t->b->step, size_step(t, "checks")) &&
           import(t, t->b->step.n - 1, 0, y->nshape_static, true);
}

/* ---- steps ---- */
static bool kernels(const Put *t) {
    Plan *y = t->y->plan;
    int n = y->nkernel;
    y->nkernel = 0; /* they change hands here */
    for (int k = 0; k < n; k++) {
        if (failed(t->b->ctx)) kernel_free(y->kernel[k]);
        else t->kernel[k] = build_share(t->b, y->kernel[k]);
    }
    return !failed(t->b->ctx);
}

static bool hosts(const Put *t) {
    const Plan *y = t->y->plan;
    for (int h = 0; h < y->nhost; h++) {
        PlanHost *x = &y->host[h];
        for (int i = 0; i < x->nin; i++)
            if (!translate_value(t, &x->in[i])) return false;
        for (int i = 0; i < x->nout; i++)
            if (!translate_value(t, &x->out[i])) return false;
        if (!vec_push(t->b->ctx, &t->b->p->host, *x)) return false;
    }
    return true;
}

static bool one_step(const Put *t, Step s, int host0) {
    Arena *a = t->b->plan->arena;
    int *buf = arena_alloc(a, (size_t)(s.nbuf + 1) * sizeof(int)), *nodes = arena_alloc(a, (size_t)(s.nnodes + 1) * 4);
    int *sym = arena_alloc(a, (size_t)(s.nsym + 1) * sizeof(int));
    if (!buf || !sym || !nodes) return false;
    for (int i = 0; i < s.nbuf; i++) buf[i] = s.buf[i] < 0 ? -1 : t->buf[s.buf[i]];
    for (int i = 0; i < s.nsym; i++)
        if ((sym[i] = slot(t, s.sym[i])) < 0) return false;
    for (int i = 0; i < s.nnodes; i++) nodes[i] = s.nodes[i] + t->y->node0;
    if (s.kind == STEP_KERNEL) s.kernel = t->kernel[s.kernel];
    if (s.kind == STEP_HOST) s.host += host0;
    s.node = s.node >= 0 ? s.node + t->y->node0 : t->node;
    s.buf = buf, s.sym = sym, s.nodes = nodes;
    return vec_push(t->b->ctx, &t->b->step, s);
}

static bool steps(const Put *t) {
    const Plan *y = t->y->plan;
    int host0 = t->b->p->host.n;
    if (!hosts(t)) return false;
    for (int s = 0; s < y->nstep; s++)
        if (!one_step(t, y->step[s], host0)) return false;
    return true;
}

/* A result whose lengths only the turn itself tells fits its place. */
static bool fits_check(const Put *t, const Port *q) {
    Build *b = t->b;
    const PlanValue *v = &t->y->plan->result[q->inner];
    Sizes *s = &b->p->sizes;
    int at[TH_MAX_NDIM][3]; /* the slot of its length or of a part of it, of its place's, of how many such parts */
    for (int d = 0; d < v->ndim; d++) {
        Size mine = v->shape[d], place = q->shape[d];
        if (!translate(t, &mine)) return false;
        build_need(b, &place);
        bool part = mine.sym >= 0 && mine.k != 1 && s->ins.at[mine.sym].import;
        at[d][0] = part ? mine.sym : sizes_materialize(s, mine);
        at[d][1] = sizes_materialize(s, place);
        at[d][2] = part ? sizes_materialize(s, size_const(mine.k)) : -1;
        if (at[d][0] < 0 || at[d][1] < 0 || (part && at[d][2] < 0)) return false;
        for (int k = 0; k < 2 + part; k++) s->ins.at[at[d][k]].needed = true;
    }
    Import m = {.step = b->step.n, .first = s->ins.n};
    for (int d = 0; d < v->ndim; d++) {
        ShapeCheck c = {.node = t->node, .kind = TH_ValueError, .text = intern(b->ctx, embed_misfit)};
        SizeIns x = {.dyn = true, .import = true, .a = at[d][0], .b = at[d][2], .c = -1, .node = -1, .home = -1};
        x.op = SHAPE_MUL;
        if (at[d][2] >= 0 && (x.a = sizes_push(s, x)) < 0) return false;
        x.op = SHAPE_CHECK_EQ, x.b = at[d][1], x.k = s->check.n;
        if (!c.text || !vec_push(b->ctx, &s->check, c) || sizes_push(s, x) < 0) return false;
    }
    m.n = s->ins.n - m.first;
    return vec_push(b->ctx, &b->import, m) && vec_push(b->ctx, &b->step, size_step(t, "checks"));
}

/* What was computed aside goes to its place at the end of the turn. */
static bool copies(const Put *t) {
    for (int o = 0; o < t->e->nout; o++) {
        const Port *q = &t->e->out[o];
        if (!q->aside) continue;
        if (q->check && !fits_check(t, q)) return false;
        int to = t->shown[o] >= 0 ? t->b->window.at[t->shown[o]].buf : build_buffer(t->b, q->root);
        Step s = {.kind = STEP_TRANSFER, .nbuf = 2, .host = -1, .node = t->node, .title = "new state"};
        s.buf = build_keep(t->b, (int[2]){t->out[q->inner], to}, 2 * sizeof(int));
        if (to < 0 || !s.buf || !vec_push(t->b->ctx, &t->b->step, s)) return false;
    }
    return true;
}

/* ---- nodes, for error reports ---- */
/* The body's plan takes lengths that must be equal for one; where they are not, a report wants the argument's own: the
 * port of the argument that v is the whole of, or NULL. */
static const Port *own_lengths(const Put *t, const PlanValue *v) {
    const PlanBuf *b = v->buf >= 0 ? &t->y->plan->buf[v->buf] : NULL;
    if (!b || b->kind != BUF_INPUT || b->ndim != v->ndim || !size_is(v->off, 0)) return NULL;
    for (int d = 0; d < v->ndim; d++)
        if (!size_eq(v->shape[d], b->shape[d])) return NULL;
    return &t->y->in[b->index];
}

static bool node_value(const Put *t, PlanValue *v) {
    const Port *own = own_lengths(t, v);
    bool ok = translate(t, &v->off);
    for (int d = 0; d < v->ndim && ok; d++) {
        ok = size_here(t, &v->shape[d]) && translate(t, &v->stride[d]);
        if (own) v->shape[d] = own->shape[d];
        if (ok) build_need_told(t->b, &v->shape[d]);
    }
    if (v->buf >= 0) v->buf = t->buf[v->buf];
    v->packed |= own != NULL;
    return ok;
}

static bool nodes(const Put *t, int counter) {
    const Plan *y = t->y->plan;
    for (int n = 0; n < y->nnode; n++) {
        BodyNode x = {n + t->y->node0, y->node[n]};
        for (int i = 0; x.node.in && i < x.node.nin; i++)
            if (!node_value(t, &x.node.in[i])) return false;
        if (x.node.within) {
            x.node.within += t->y->node0;
            if (x.node.counter) x.node.counter = 1 + t->counter[x.node.counter - 1];
        } else {
            x.node.within = 1 + t->node;
            x.node.counter = counter < 0 ? 0 : 1 + counter;
        }
        if (!vec_push(t->b->ctx, &t->b->node, x)) return false;
    }
    return true;
}

/* ---- regions ---- */
typedef struct Line { /* regions one after the other */
    int head, tail;
} Line;

static void append(Build *b, Line *l, int head, int tail) {
    if (l->head < 0) l->head = head;
    else b->region.at[l->tail].next = head;
    l->tail = tail;
}

/* The steps from `first` on as a straight region; none when there are none. */
static bool straight(Build *b, Line *l, int first) {
    Region g = {.kind = REGION_STRAIGHT, .first = first, .n = b->step.n - first, .trip = size_const(1)};
    g.child = g.other = g.next = g.counter = g.until = g.cond = -1;
    if (g.n == 0) return true;
    if (!vec_push(b->ctx, &b->region, g)) return false;
    append(b, l, b->region.n - 1, b->region.n - 1);
    return true;
}

static bool regions(const Put *t, Line *l, int step0) {
    const Plan *y = t->y->plan;
    Build *b = t->b;
    int r0 = b->region.n, tail = r0;
    for (int r = 0; r < y->nregion; r++) {
        Region g = y->region[r];
        if (g.child >= 0) g.child += r0;
        if (g.other >= 0) g.other += r0;
        if (g.next >= 0) g.next += r0;
        if (g.kind == REGION_STRAIGHT) g.first += step0;
        if (g.until >= 0) g.until = t->buf[g.until];
        if (g.cond >= 0) g.cond = t->buf[g.cond];
        if (g.turns > 0) g.turns = 1 + t->buf[g.turns - 1];
        if (g.counter >= 0) g.counter = t->counter[g.counter];
        g.window += t->window0;
        if (!translate(t, &g.trip) || !vec_push(b->ctx, &b->region, g)) return false;
    }
    while (b->region.at[tail].next >= 0) tail = b->region.at[tail].next;
    append(b, l, r0, tail);
    return true;
}

/* One body from its first check to its last copy. */
static bool side(const Put *t, int counter, Line *l) {
    Build *b = t->b;
    int first = b->step.n;
    if (!head_checks(t) || !straight(b, l, first)) return false;
    int step0 = b->step.n;
    for (int i = t->import0; i < t->import1; i++) b->import.at[i].step += step0;
    if (!kernels(t) || !steps(t) || !regions(t, l, step0)) return false;
    first = b->step.n;
    return copies(t) && straight(b, l, first) && nodes(t, counter);
}

/* ---- the whole ---- */
static bool prepare(Put *t) {
    const Plan *y = t->y->plan;
    Arena *a = t->b->p->arena;
    t->buf = arena_alloc(a, (size_t)(y->nbuf + 1) * sizeof(int));
    t->kernel = arena_alloc(a, (size_t)(y->nkernel + 1) * sizeof(int));
    t->counter = arena_alloc(a, (size_t)(y->nsym + 1) * sizeof(int));
    t->out = arena_alloc(a, (size_t)(y->noutput + 1) * sizeof(int));
    t->shown = arena_alloc(a, (size_t)(t->e->nout + 1) * sizeof(int));
    if (!t->buf || !t->kernel || !t->counter || !t->out || !t->shown || !vec_push(t->b->ctx, &t->b->body, t->y->plan))
        return false;
    plan_retain(t->y->plan);
    return inner_windows(t);
}

/* Every buffer of this plan that a body uses is there before it starts. */
static bool allocate(Build *b, const Embed *e) {
    for (int i = 0; i < e->nread + e->nwrite; i++) {
        int f = build_buffer(b, i < e->nread ? e->read[i] : e->write[i - e->nread]);
        if (f < 0 || !build_late(b, f)) return false;
        build_live(b, f, b->step.n);
    }
    return true;
}

static bool head(Put *t, int n) {
    bool ok = true;
    for (int k = 0; k < n; k++) ok = ok && prepare(&t[k]);
    int window = t->b->window.n;
    for (int k = 0; k < n; k++) ok = ok && counters(&t[k]) && buffers(&t[k]) && shown_windows(&t[k]);
    for (int k = 0; k < n; k++) ok = ok && size_steps(&t[k]);
    for (int k = 0; k < n; k++) ok = ok && buffer_sizes(&t[k]);
    for (int k = 0; k < n; k++) t[k].window1 = window;
    return ok;
}

bool build_embed(Build *b, Embed *e, int node) {
    int n = e->loop ? 1 : 2, counter = -1;
    Put t[2];
    for (int k = 0; k < 2; k++) t[k] = (Put){.b = b, .e = e, .y = &e->body[k], .node = node};
    if (!allocate(b, e) || !head(t, n)) return false;
    Region g = {.kind = e->loop ? REGION_LOOP : REGION_BRANCH, .trip = e->trip, .window = t[0].window1};
    g.nwindow = b->window.n - g.window;
    g.child = g.other = g.next = g.counter = g.until = g.cond = -1;
    g.title = e->title;
    build_need(b, &g.trip);
    if (e->loop && (g.counter = counter = build_counter(b)) < 0) return false;
    if ((b->step.n > b->segment || !b->region.n) && !build_segment(b)) return false;
    for (int k = 0; k < n; k++) {
        Line l = {-1, -1};
        follow(&t[k]);
        if (!side(&t[k], counter, &l)) return false;
        *(k ? &g.other : &g.child) = l.head;
    }
    if (e->until >= 0) g.until = t[0].out[e->until];
    if (e->turns >= 0) g.turns = 1 + build_buffer(b, e->turns);
    if (e->cond >= 0) g.cond = build_buffer(b, e->cond);
    b->segment = b->step.n;
    return !failed(b->ctx) && build_region(b, &g);
}
