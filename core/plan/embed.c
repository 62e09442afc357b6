/*
 * embed.c -- bodies of loops and branches: planned by themselves, then their lengths are told in terms of the plan that
 * they become a part of. In: a node's bodies and where each argument and result lies in the node's arrays. Out: one
 * WORK_EMBED; embed_build.c makes a region of it. Always holds: a length in a body is a Size of the outer plan unless
 * only running the body tells it; checks of a loop's body run before the loop, checks of a branch inside it.
 */
#include "parts.h"

void embed_free(Embed *e) {
    for (int k = 0; k < 2; k++) plan_release(e->body[k].plan);
}

static bool broken(Planner *p, const char *what) { return err(p->ctx, TH_RuntimeError, "planning a loop: %s", what); }

/* ---- planning a body ---- */
/* What the body's planner must know of argument i. Another turn may find it changed; in a branch all integers are read
 * where it runs, since what they tell may be wrong for the other side. */
static bool describe(Planner *p, const Embed *e, const ThApply *node, const LoopPort *q, PlanIo *io) {
    io->varying = !e->loop || q->window || q->outer < 0;
    if (e->loop) return true;
    Val *v = planner_val(p, node->in[q->outer]);
    io->strided = v && !val_contiguous(p, v);
    return v != NULL;
}

static bool plan_body(Planner *p, Embed *e, int number, const ThApply *node, const LoopPort *in, int nin) {
    FGraph *fg = fg_inner(p->fg, node, number);
    Body *y = &e->body[number];
    if (!fg) return false;
    if (fg->nin != nin) return broken(p, "every argument of the body needs one place");
    PlanIo *ios = arena_alloc0(p->arena, (size_t)(fg->nin + fg->nplain_out + 1) * sizeof *ios);
    if (!ios) return false;
    for (int i = 0; i < fg->nin; i++) {
        if (fg->in[i]->kind == VAR_SHARED) return broken(p, "a body reads a shared variable that is no argument of it");
        ios[i].type = fg->in[i]->type;
        ios[i].name = fg->in[i]->name;
    }
    for (int i = 0; i < nin; i++) {
        if (in[i].inner < 0 || in[i].inner >= nin) return broken(p, "no such argument of the body");
        if (!describe(p, e, node, &in[i], &ios[in[i].inner])) return false;
        ios[in[i].inner].said = said_argument(p, node, fg->in[in[i].inner], &in[i], e->loop);
    }
    for (int o = 0; o < fg->nplain_out; o++) ios[fg->nin + o].type = fg->out[o]->type;
    fg->device = p->fg->device;
    y->plan = plan_make(fg, ios, fg->nin, ios + fg->nin, fg->nplain_out);
    if (!y->plan) return false;
    y->node0 = p->nnode;
    p->nnode += y->plan->nnode;
    y->nin = nin;
    y->in = arena_alloc0(p->arena, (size_t)(nin + 1) * sizeof *y->in);
    y->slot = arena_alloc(p->arena, (size_t)(y->plan->nsym + 1) * sizeof *y->slot);
    for (int s = 0; y->slot && s < y->plan->nsym; s++) y->slot[s] = SIZE_BAD;
    return y->in && y->slot;
}

/* ---- ports ---- */
/* The rows along dim 0 are whole, in C order. */
static bool rows_contiguous(Planner *p, const Val *v) {
    Val row = {.ndim = (int16_t)(v->ndim - 1), .shape = v->shape + 1, .stride = v->stride + 1};
    return v->ndim > 0 && val_contiguous(p, &row);
}

const char embed_misfit[] =
    "A dimension of what the body of a loop or branch computes has length {0}, where its place has {1}.";

/* Where a port lies in v. `moves`: it must be a window even where it could be the root itself. */
static bool place(Planner *p, const LoopPort *from, const Val *v, bool moves, Port *to) {
    *to = (Port){.inner = from->inner, .root = v->root, .output = -1, .window = true, .base = v->off};
    to->first = to->step = to->ring = size_const(0);
    to->ndim = v->ndim - from->window;
    to->shape = v->shape + from->window;
    if (!from->window) {
        to->window = moves || !size_is(v->off, 0);
        return true;
    }
    if (!rows_contiguous(p, v)) return broken(p, "rows of a state are not contiguous");
    Size row = v->stride[0];
    to->first = sizes_op(&p->sizes, '*', from->off, row);
    to->step = sizes_op(&p->sizes, '*', from->step, row);
    to->ring = sizes_op(&p->sizes, '*', from->ring, row);
    return !size_bad(to->first) && !size_bad(to->step) && !size_bad(to->ring);
}

/* The variable a port reads or writes. */
static const ThVar *outer_var(const ThApply *a, const LoopPort *q, bool in) {
    if (!in) return a->out[q->outer];
    return q->outer >= 0 ? a->in[q->outer] : a->out[-1 - q->outer];
}

static bool in_port(Planner *p, Embed *e, Body *y, const ThApply *a, const LoopPort *q) {
    const ThVar *var = outer_var(a, q, true);
    Val *v = q->outer >= 0 ? planner_val(p, var) : planner_out(p, var);
    if (!v) return false;
    bool straight = !e->loop || (q->window ? rows_contiguous(p, v) : val_contiguous(p, v));
    if (!straight && q->outer >= 0 && !planner_contiguous(p, var)) return false;
    Port *to = &y->in[q->inner];
    if (!place(p, q, v, q->outer < 0, to)) return false;
    if (q->outer < 0) to->output = -1 - q->outer;
    return true;
}

/* ---- rows that a turn both reads and writes ---- */
/*
 * Does out port o write the row that in port i reads in the same turn? Distances and rings are constants, or the ring
 * is longer than the distance, which is checked before the loop.
 */
static bool clash(Planner *p, const LoopPort *o, const LoopPort *i, Size trip, bool *yes) {
    *yes = true;
    if (o->window != i->window) return broken(p, "a state is read whole and written row by row");
    if (!o->window || !sizes_same(&p->sizes, o->step, i->step) || !sizes_same(&p->sizes, o->ring, i->ring)) return true;
    Size far = sizes_op(&p->sizes, '-', o->off, i->off), ring = sizes_find(&p->sizes, o->ring);
    if (size_bad(far)) return false;
    if (far.sym >= 0 || far.k == 0) return true;
    if (ring.sym < 0) {
        *yes = ring.k != 0 && far.k % ring.k == 0;
        return true;
    }
    *yes = false;
    Size some = sizes_op(&p->sizes, 'm', sizes_op(&p->sizes, 'M', trip, size_const(0)), size_const(1));
    Size room = sizes_op(&p->sizes, '-', ring, size_const(far.k < 0 ? -far.k : far.k));
    return sizes_check_ge0(&p->sizes, sizes_op(&p->sizes, '-', room, some), TH_ValueError,
                           "A state has too few rows for its taps: {0} are missing.");
}

/* In port i shows in the next turn what port `to` shows now. */
static bool follows(Planner *p, const LoopPort *i, const LoopPort *to) {
    return i->window == to->window && sizes_same(&p->sizes, i->step, to->step) &&
           sizes_same(&p->sizes, i->ring, to->ring) &&
           sizes_same(&p->sizes, sizes_op(&p->sizes, '+', i->off, i->step), to->off);
}

/*
 * The lengths of a result are those of its place: `now`, before the loop starts; what only the body tells is checked
 * aside, in every turn.
 */
static bool result_fits(Planner *p, const Body *y, Port *to, bool now) {
    const PlanValue *v = &y->plan->result[to->inner];
    if (v->ndim != to->ndim) return broken(p, "a result has other dimensions than its place");
    for (int d = 0; d < v->ndim; d++) {
        Size n = v->shape[d];
        if (n.sym >= 0 && size_bad(y->slot[n.sym])) to->aside = to->check = true;
        else if (n.sym >= 0) n = sizes_op(&p->sizes, '*', size_const(n.k), y->slot[n.sym]);
        if (to->check) continue;
        if (now && !sizes_equal(&p->sizes, n, to->shape[d], embed_misfit)) return false;
        if (!now && !sizes_same(&p->sizes, n, to->shape[d])) to->aside = to->check = true;
    }
    return true;
}

static bool touches(const Step *s, int buf) {
    for (int i = 0; i < s->nbuf; i++)
        if (s->buf[i] == buf) return true;
    return false;
}

/* What of a kernel goes to and from this buffer of the plan: one place a point, or NULL. */
static const Access *sole_access(const Step *s, const Kernel *k, int buf, int *flags) {
    const Access *one = NULL;
    *flags = 0;
    for (int i = 0; i < k->acc.n; i++) {
        const Access *x = &k->acc.at[i];
        if (s->buf[x->buf] != buf) continue;
        bool same = !one || size_eq(x->off, one->off);
        for (int d = 0; d < KDIM && same && one; d++) same = size_eq(x->st[d], one->st[d]);
        if (!same || x->idx >= 0 || x->guard >= 0 || (x->flags & ACC_ADD)) return NULL;
        *flags |= x->flags;
        one = x;
    }
    return one;
}

/* Each point of the step's kernel has read of `in` the element at which it writes `out`, and reads no other. */
static bool point_by_point(const Plan *y, const Step *s, int in, int out) {
    const Kernel *k = s->kind == STEP_KERNEL ? y->kernel[s->kernel] : NULL;
    bool stored = false;
    int reads, writes;
    if (!k || k->st.n != 1 || k->st.at[0].cls != STAGE_LOOP || k->red.n || k->nouter) return false;
    for (int d = 0; d < k->ndim; d++)
        if (k->dim[d].kind != DIM_PAR) return false;
    const Access *x = sole_access(s, k, in, &reads), *z = sole_access(s, k, out, &writes);
    if (!x || !z || (reads & ~(ACC_READ | ACC_SAMEMAP)) || (writes & ~(ACC_WRITE | ACC_SAMEMAP))) return false;
    bool same = size_eq(x->off, z->off);
    for (int d = 0; d < KDIM && same; d++) same = size_eq(x->st[d], z->st[d]);
    for (int i = 0; i < k->ins.n && same; i++) {
        const Ins *n = &k->ins.at[i];
        bool moves = n->op == INS_LOAD || n->op == INS_STORE;
        int buf = moves ? s->buf[k->acc.at[n->a].buf] : -1;
        stored |= buf == out;
        same = !stored || buf != in;
    }
    return same;
}

/* The body's steps, one after the other, begin to write the result when no step reads the argument any more, but for
 * the one that writes it: it may be written where the argument lies. */
static bool read_before(const Plan *y, int arg, int result) {
    int in = -1, out = y->result[result].buf;
    bool written = false;
    if (out < 0 || y->buf[out].kind != BUF_OUTPUT || y->buf[out].index != result || y->nregion != 1) return false;
    for (int b = 0; b < y->nbuf && in < 0; b++)
        if (y->buf[b].kind == BUF_INPUT && y->buf[b].index == arg) in = b;
    for (int r = 0; r < y->noutput; r++)
        if (y->result[r].buf == in || (r != result && y->result[r].buf == out)) return false;
    for (int s = 0; s < y->nstep; s++) {
        if (y->step[s].kind != STEP_KERNEL && y->step[s].kind != STEP_TRANSFER) return false;
        bool both = !written && touches(&y->step[s], out) && touches(&y->step[s], in);
        written |= touches(&y->step[s], out);
        if (written && touches(&y->step[s], in) && !(both && point_by_point(y, &y->step[s], in, out))) return false;
    }
    return in >= 0;
}

static bool out_port(Planner *p, Embed *e, const ThApply *a, const LoopPort *q, int number, const LoopPort *in, int nin,
                     bool *taken) {
    const ThVar *var = outer_var(a, q, false);
    Val *v = planner_out(p, var);
    bool read = false, aside = taken[q->inner];
    if (!v) return false;
    for (int i = 0; i < nin; i++) {
        bool yes;
        if (in[i].outer != -1 - q->outer) continue;
        read = true;
        if (!clash(p, q, &in[i], e->trip, &yes)) return false;
        /* A GPU's turn is short: a copy at its end is a good part of it. */
        aside |= yes && !(p->fg->device && e->loop && read_before(e->body[0].plan, in[i].inner, q->inner));
        if (follows(p, &in[i], q)) e->body[0].in[in[i].inner].next = -(1 + number);
    }
    if (!place(p, q, v, read, &e->out[number])) return false;
    e->out[number].aside = aside;
    e->out[number].output = q->outer;
    if (!result_fits(p, &e->body[0], &e->out[number], true)) return false;
    if (!e->out[number].aside) taken[q->inner] = true;
    return true;
}

/* States read at several taps: the older one shows in the next turn what the younger one shows now. */
static void chain(Planner *p, Embed *e, const LoopPort *in, int nin) {
    for (int i = 0; i < nin; i++) {
        Port *x = &e->body[0].in[in[i].inner];
        for (int j = 0; j < nin && in[i].outer < 0 && !x->next; j++)
            if (j != i && in[j].outer == in[i].outer && follows(p, &in[i], &in[j])) x->next = 1 + in[j].inner;
    }
}

/* ---- lengths of a body in the outer plan ---- */
typedef struct Translate {
    Planner *p;
    Embed *e;
    Body *y;
    const ThApply *node;
    const LoopPort *in; /* by argument of the body */
} Translate;

static const Val *val_of(const Translate *t, int arg) {
    const LoopPort *q = &t->in[arg];
    return &t->p->val[outer_var(t->node, q, true)->id];
}

/* A leaf: a length, stride or integer of argument `arg`. */
static Size leaf(const Translate *t, const ShapeIns *i) {
    int arg = t->y->plan->buf[i->a].index, row = t->in[arg].window;
    if (i->op == SHAPE_DIM) return sizes_find(&t->p->sizes, val_of(t, arg)->shape[i->b + row]);
    if (i->op == SHAPE_STRIDE) return sizes_find(&t->p->sizes, val_of(t, arg)->stride[i->b + row]);
    const ThVar *v = outer_var(t->node, &t->in[arg], true);
    return planner_val(t->p, v) ? planner_value(t->p, v, i->b) : SIZE_BAD;
}

static Size operand(const Translate *t, int slot) {
    return slot < 0 ? size_const(0) : sizes_find(&t->p->sizes, t->y->slot[slot]);
}

/* x, or 0 where the loop makes no turn: then nothing is indexed, and nothing out of bounds. */
static Size in_turns(const Translate *t, Size x) {
    Sizes *s = &t->p->sizes;
    Size trip = t->e->trip;
    if (size_bad(x) || (trip.sym < 0 && trip.k > 0)) return x;
    return sizes_op(s, '*', x, sizes_op(s, 'm', trip, size_const(1)));
}

/* A check of a loop's body becomes one of this plan, which names the body's node. */
static bool check(const Translate *t, const ShapeIns *i) {
    Sizes *s = &t->p->sizes;
    const ShapeCheck *c = &t->y->plan->check[i->k];
    Size a = operand(t, i->a), b = i->op == SHAPE_CHECK_EQ ? operand(t, i->b) : size_const(0);
    int n = s->check.n;
    if (c->kind == TH_IndexError && !sizes_same(s, a, b) && !(i->op == SHAPE_CHECK_GE0 && sizes_nonneg(s, a)))
        a = in_turns(t, a), b = in_turns(t, b);
    bool ok = i->op == SHAPE_CHECK_EQ ? sizes_equal(s, a, b, c->text) : sizes_check_ge0(s, a, c->kind, c->text);
    if (ok && s->check.n > n) {
        ShapeCheck *mine = &s->check.at[s->check.n - 1];
        mine->kind = c->kind;
        mine->cause = c->cause;
        mine->text = c->text;
        mine->node = c->node < 0 ? t->p->node : c->node + t->y->node0;
    }
    return ok;
}

static bool translate(const Translate *t) {
    static const char ops[] = {[SHAPE_ADD] = '+',     [SHAPE_SUB] = '-', [SHAPE_MUL] = '*', [SHAPE_FLOORDIV] = '/',
                               [SHAPE_CEILDIV] = 'c', [SHAPE_MIN] = 'm', [SHAPE_MAX] = 'M', [SHAPE_LT] = '<'};
    const Plan *b = t->y->plan;
    for (int k = 0; k < b->nshape_static; k++) {
        const ShapeIns *i = &b->shape[k];
        if (i->op == SHAPE_CHECK_EQ || i->op == SHAPE_CHECK_GE0) {
            if (t->e->loop && !check(t, i)) return false;
            continue;
        }
        Size *to = &t->y->slot[i->dst];
        if (i->op == SHAPE_CONST) *to = size_const(i->k);
        else if (i->op < SHAPE_ADD) *to = leaf(t, i);
        else if (i->op <= SHAPE_LT) *to = sizes_op(&t->p->sizes, ops[i->op], operand(t, i->a), operand(t, i->b));
        if (size_bad(*to)) return failed(t->p->ctx) ? false : broken(t->p, "a length of the body is not known");
    }
    return true;
}

/* ---- the work ---- */
static void touch(int *list, int *n, int root) {
    for (int i = 0; i < *n; i++)
        if (list[i] == root) return;
    list[(*n)++] = root;
}

static bool finish(Planner *p, Embed *e, const ThApply *a) {
    int most = e->body[0].nin + e->body[1].nin + e->nout + 2;
    e->read = arena_alloc(p->arena, (size_t)most * sizeof(int));
    e->write = arena_alloc(p->arena, (size_t)most * sizeof(int));
    if (!e->read || !e->write) return false;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < e->body[k].nin; i++) touch(e->read, &e->nread, e->body[k].in[i].root);
    if (e->cond >= 0) touch(e->read, &e->nread, e->cond);
    for (int o = 0; o < e->nout; o++) touch(e->write, &e->nwrite, e->out[o].root);
    if (e->turns >= 0) touch(e->write, &e->nwrite, e->turns);
    Text t;
    text_init(&t, p->ctx);
    apply_op_str(&t, a);
    e->title = arena_strdup(p->plan->arena, t.at ? t.at : "");
    text_free(&t);
    int w = e->title ? planner_work(p, WORK_EMBED, NULL) : -1;
    if (w < 0) return false;
    p->work.at[w].host = p->embed.n - 1;
    return true;
}

static Embed *start(Planner *p, const Embed *from, int nout) {
    if (!vec_push(p->ctx, &p->embed, *from)) return NULL;
    Embed *e = &p->embed.at[p->embed.n - 1];
    e->out = arena_alloc0(p->arena, (size_t)(nout + 1) * sizeof *e->out);
    e->nout = nout;
    return e->out ? e : NULL;
}

static bool ports_by_argument(Planner *p, Translate *t, const LoopPort *in, int nin) {
    LoopPort *by = arena_alloc0(p->arena, (size_t)(nin + 1) * sizeof *by);
    for (int i = 0; by && i < nin; i++) by[in[i].inner] = in[i];
    t->in = by;
    return by != NULL;
}

bool embed_loop(Lower *l, int body, Size trip, const LoopPort *in, int nin, const LoopPort *out, int nout, int until,
                int turns) {
    Planner *p = l->plan;
    const ThApply *a = l->node;
    Embed *e = start(p, &(Embed){.loop = true, .trip = trip, .until = until, .turns = -1, .cond = -1}, nout);
    if (!e || size_bad(trip)) return false;
    if (body != 0) return broken(p, "a loop has one body");
    if (!plan_body(p, e, 0, a, in, nin)) return false;
    Translate t = {p, e, &e->body[0], a, NULL};
    bool *taken = arena_alloc0(p->arena, (size_t)(e->body[0].plan->noutput + 1));
    if (!taken) return false;
    for (int i = 0; i < nin; i++)
        if (!in_port(p, e, &e->body[0], a, &in[i])) return false;
    if (!ports_by_argument(p, &t, in, nin) || !translate(&t)) return false;
    for (int o = 0; o < nout; o++)
        if (!out_port(p, e, a, &out[o], o, in, nin, taken)) return false;
    chain(p, e, in, nin);
    if (turns >= 0) {
        Val *v = planner_out(p, a->out[turns]);
        if (!v) return false;
        e->turns = v->root;
    }
    return finish(p, e, a);
}

bool embed_branch(Lower *l, int cond, const int *then_in, int nthen, const int *else_in, int nelse) {
    Planner *p = l->plan;
    const ThApply *a = l->node;
    const int *from[2] = {then_in, else_in}, n[2] = {nthen, nelse};
    Embed *e = start(p, &(Embed){.trip = size_const(1), .until = -1, .turns = -1, .cond = -1}, a->nout);
    Val *c = e ? planner_val(p, a->in[cond]) : NULL;
    if (!c || !planner_whole(p, c)) return false;
    for (int k = 0; k < 2; k++) {
        LoopPort *in = arena_alloc0(p->arena, (size_t)(n[k] + 1) * sizeof *in);
        if (!in) return false;
        for (int i = 0; i < n[k]; i++) in[i] = (LoopPort){.inner = i, .outer = from[k][i]};
        if (!plan_body(p, e, k, a, in, n[k])) return false;
        for (int i = 0; i < n[k]; i++)
            if (!in_port(p, e, &e->body[k], a, &in[i])) return false;
        Translate t = {p, e, &e->body[k], a, in};
        if (!translate(&t)) return false;
    }
    for (int o = 0; o < a->nout; o++) {
        Val *v = planner_out(p, a->out[o]);
        if (!v || !place(p, &(LoopPort){.inner = o, .outer = o}, v, false, &e->out[o])) return false;
        e->out[o].output = o;
        for (int k = 0; k < 2; k++)
            if (!result_fits(p, &e->body[k], &e->out[o], false)) return false;
    }
    e->cond = c->root;
    return finish(p, e, a);
}
