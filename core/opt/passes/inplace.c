/*
 * inplace.c -- nodes that may overwrite an input instead of filling a new buffer.
 * In: the graph with its schedule. Out: APPLY.destroys (and the pattern that an Elemwise prints). A storage may be
 * destroyed when it is no constant, no protected input, no output, and nothing reads it (or a view of it) later in the
 * schedule. The new value of a shared variable is written into the old one only where no step that can fail comes
 * after. The schedule changes in one way only: a node moves behind the last other reader of what it wants to overwrite,
 * when that is near and nothing in between needs the node or overwrites what the node reads.
 */
#include "opt/engine/rewrite.h"
#include "ops/table/index.h"

#include <string.h>

enum { MAX_MOVE = 64 };

typedef struct Storage { /* by variable id of the storage's root */
    int last;            /* place of its last reader; -1 none */
    bool fixed;          /* constant, protected input, or it reaches an output */
    ThVar *shared;       /* the shared input it is, or NULL */
} Storage;
enum { SUBTENSOR = 1, BLAS, RANDOM }; /* kinds of nodes that overwrite by their flag alone */

typedef struct InPlace {
    Opt *o;
    ThContext *c;
    FGraph *fg;
    int *pos;        /* by node id */
    int *root;       /* by variable id: id of the variable that owns the storage */
    Storage *at;     /* by variable id */
    ThVar **updates; /* by variable id: the shared that this variable is the new value of */
    int last_fail, first_write;
    bool updates_any; /* else what fails may as well do so late */
    size_t nvar, nnode;
    ThApply **list;         /* the schedule as it was when the first of these passes began */
    bool there[RANDOM + 1]; /* are there nodes of that kind? */
    int64_t changes;        /* of the graph, when all this was gathered */
} InPlace;

static int root_of(const InPlace *p, const ThVar *v) {
    int r = (int)v->id;
    while (p->root[r] != r) r = p->root[r] = p->root[p->root[r]];
    return r;
}

/* The planner comes to the same answer, or writes to a shadow. */
static bool can_fail(const InPlace *p, const ThApply *a) {
    return (p->fg->device ? schedule_can_fail(a) : schedule_can_stop(a)) &&
           !(p->updates_any && adv_looked_before(a, p->pos, p->pos[a->id]));
}

static void read_at(InPlace *p, const ThVar *v, int pos) {
    Storage *s = &p->at[root_of(p, v)];
    if (pos > s->last) s->last = pos;
}

/* What may overwrite by its operation's flag alone. */
static int by_flag(const ThApply *a) {
    if (a->op == &op_elemwise || !(a->op->flags & OP_CAN_DESTROY)) return 0;
    if (a->op->flags & OP_DRAWS) return RANDOM;
    bool is_sub = a->op == &op_inc_subtensor || a->op == &op_adv_inc_subtensor || a->op == &op_adv_inc_subtensor1;
    return is_sub ? SUBTENSOR : BLAS;
}

/* The new value of a shared variable, and what it is made of by changing parts of it one after the other. */
static void note_update(InPlace *p, const ThVar *v, ThVar *shared) {
    p->updates[v->id] = shared;
    while (v->owner && by_flag(v->owner) == SUBTENSOR && v->owner->in[0]->owner && v->owner->in[0]->nclients == 1) {
        v = v->owner->in[0];
        p->updates[v->id] = shared;
    }
}

static void note_inputs(InPlace *p) {
    FGraph *fg = p->fg;
    for (int i = 0; i < fg->nin; i++) {
        Storage *s = &p->at[fg->in[i]->id];
        s->fixed = !fg->in_mutable[i];
        if (fg->in[i]->kind == VAR_SHARED) s->shared = fg->in[i];
    }
    for (int k = 0; k + fg->nplain_out < fg->nout; k++) note_update(p, fg->out[fg->nplain_out + k], fg->update_of[k]);
}

/* Views and earlier in-place nodes share storage; then readers and outputs are noted on the roots. */
static void note_nodes(InPlace *p) {
    enum { FAR = 16, NEAR = 8 };
    FGraph *fg = p->fg;
    for (int i = 0; i < fg->norder; i++) {
        ThApply *a = fg->order[i];
        int flag = by_flag(a);
        if (i + FAR < fg->norder) apply_prefetch(fg->order[i + FAR]);
        p->list[i] = a;
        p->pos[a->id] = i;
        p->there[flag] = true;
        if (can_fail(p, a) || (a->op->flags & OP_EFFECT)) p->last_fail = i;
        int from = a->destroys >= 0 ? a->destroys : (a->op->flags & OP_VIEW) ? 0 : -1;
        if (from >= 0) p->root[a->out[0]->id] = root_of(p, a->in[from]);
        if (a->destroys >= 0 && p->at[root_of(p, a->in[a->destroys])].shared && i < p->first_write) p->first_write = i;
    }
    for (int i = 0; i < fg->norder; i++) {
        ThApply *a = fg->order[i];
        if (i + FAR < fg->norder) apply_prefetch(fg->order[i + FAR]);
        if (i + NEAR < fg->norder) apply_prefetch_inputs(fg->order[i + NEAR]);
        for (int k = 0; k < a->nin; k++) {
            read_at(p, a->in[k], i);
            if (var_is_const(a->in[k])) p->at[a->in[k]->id].fixed = true;
        }
    }
    for (int i = 0; i < fg->nout; i++) p->at[root_of(p, fg->out[i])].fixed = true;
}

void inplace_free(Opt *o) {
    InPlace *p = o->inplace;
    if (!p) return;
    ctx_free(p->c, p->pos, p->nnode * sizeof *p->pos);
    ctx_free(p->c, p->root, p->nvar * sizeof *p->root);
    ctx_free(p->c, p->at, p->nvar * sizeof *p->at);
    ctx_free(p->c, p->updates, p->nvar * sizeof *p->updates);
    ctx_free(p->c, p->list, (size_t)(p->fg->norder + 1) * sizeof *p->list);
    ctx_free(p->c, p, sizeof *p);
    o->inplace = NULL;
}

static InPlace *gather(Opt *o) {
    InPlace *p = ctx_alloc0(o->c, sizeof *p);
    if (!p) return NULL;
    *p = (InPlace){.o = o, .c = o->c, .fg = o->fg, .last_fail = -1, .first_write = INT32_MAX, .changes = o->changes};
    o->inplace = p;
    p->nvar = (size_t)o->fg->nvars + 1;
    p->nnode = (size_t)o->fg->nnodes + 1;
    p->pos = ctx_alloc(o->c, p->nnode * sizeof *p->pos);
    p->root = ctx_alloc(o->c, p->nvar * sizeof *p->root);
    p->at = ctx_alloc0(o->c, p->nvar * sizeof *p->at);
    p->updates = ctx_alloc0(o->c, p->nvar * sizeof *p->updates);
    p->list = ctx_alloc(o->c, (size_t)(o->fg->norder + 1) * sizeof *p->list);
    if (!p->pos || !p->root || !p->at || !p->updates || !p->list) {
        inplace_free(o);
        return NULL;
    }
    p->updates_any = o->fg->nout > o->fg->nplain_out;
    for (size_t i = 0; i < p->nnode; i++) p->pos[i] = INT32_MAX;
    for (size_t i = 0; i < p->nvar; i++) {
        p->root[i] = (int)i;
        p->at[i].last = -1;
    }
    note_inputs(p);
    note_nodes(p);
    return p;
}

/* Gathered once for the three passes, unless a rewrite of the user's comes between them. */
static InPlace *begin(Opt *o) {
    if (o->inplace && o->inplace->changes == o->changes) return o->inplace;
    inplace_free(o);
    return gather(o);
}

/* ---- may this input be overwritten? ---- */
/* Another input of a sees the same storage otherwise than through the very same variable. */
static bool read_twice(const InPlace *p, const ThApply *a, int input, bool same_var_ok) {
    int r = root_of(p, a->in[input]);
    for (int i = 0; i < a->nin; i++)
        if (i != input && root_of(p, a->in[i]) == r && !(same_var_ok && a->in[i] == a->in[input])) return true;
    return false;
}

/* Can a move from its place to place `to`? Nobody in between may use it, or overwrite what it reads. */
static bool can_move(const InPlace *p, const ThApply *a, int to) {
    int from = p->pos[a->id];
    if (to - from > MAX_MOVE || (can_fail(p, a) && p->first_write <= to)) return false;
    for (int o = 0; o < a->nout; o++) {
        const ThVar *v = a->out[o];
        if (v->nclients > MAX_MOVE) return false;
        for (int i = 0; i < v->nclients; i++)
            if (v->clients[i].node && p->pos[v->clients[i].node->id] <= to) return false;
    }
    for (int i = from + 1; i <= to; i++) {
        const ThApply *m = p->fg->order[i];
        if (m->destroys < 0) continue;
        int r = root_of(p, m->in[m->destroys]);
        for (int k = 0; k < a->nin; k++)
            if (root_of(p, a->in[k]) == r) return false;
    }
    return true;
}

static void set_place(InPlace *p, int i, ThApply *a) {
    p->fg->order[i] = a;
    p->pos[a->id] = i;
    if (p->last_fail < i && (can_fail(p, a) || (a->op->flags & OP_EFFECT))) p->last_fail = i;
}

/* Moves a behind the node at `to`; readers' places follow. */
static void move(InPlace *p, ThApply *a, int to) {
    int from = p->pos[a->id];
    if (p->last_fail > from && p->last_fail <= to) p->last_fail--;
    for (int i = from; i < to; i++) set_place(p, i, p->fg->order[i + 1]);
    set_place(p, to, a);
    for (int i = from; i <= to; i++) /* a place may only have grown for a itself */
        for (int k = 0; k < p->fg->order[i]->nin; k++) {
            Storage *s = &p->at[root_of(p, p->fg->order[i]->in[k])];
            if (s->last >= from && s->last <= to) s->last = -1;
        }
    for (int i = from; i <= to; i++)
        for (int k = 0; k < p->fg->order[i]->nin; k++) read_at(p, p->fg->order[i]->in[k], i);
}

/* Marks a as overwriting input i when that is safe, moving it if need be. */
static bool try_destroy(InPlace *p, ThApply *a, int i, bool same_var_ok) {
    ThVar *v = a->in[i];
    Storage *s = &p->at[root_of(p, v)];
    int here = p->pos[a->id];
    if (var_is_const(v) || s->fixed || !type_eq(v->type, a->out[0]->type) || read_twice(p, a, i, same_var_ok))
        return false;
    if (s->shared && p->updates[a->out[0]->id] != s->shared) return false;
    int to = s->last > here ? s->last : here;
    if (to > here && !can_move(p, a, to)) return false;
    if (s->shared && p->last_fail > to) return false;
    if (s->shared && p->last_fail == to && !can_fail(p, a)) return false;
    if (to > here) move(p, a, to);
    a->destroys = (int8_t)i;
    if (s->shared && to < p->first_write) p->first_write = to;
    /* the result lives where the input did */
    int r = root_of(p, v), out = root_of(p, a->out[0]);
    if (p->at[out].last > p->at[r].last) p->at[r].last = p->at[out].last;
    p->at[r].fixed |= p->at[out].fixed;
    p->root[out] = r;
    return true;
}

/* ---- passes ---- */
/* The shared that a's result is the new value of, if it is among a's inputs, goes first. */
static int own_shared(const InPlace *p, const ThApply *a) {
    const ThVar *own = p->updates[a->out[0]->id];
    for (int i = 0; own && i < a->nin; i++)
        if (a->in[i] == own) return i;
    return -1;
}

static bool destroy_elemwise(InPlace *p, ThApply *a, int i) {
    if (i > INT8_MAX || !try_destroy(p, a, i, true)) return false;
    ElemwiseAttrs *e = a->attrs;
    e->inplace[0] = 1;
    e->inplace[1] = 0;
    e->inplace[2] = (int8_t)i;
    return true;
}

static void elemwise(InPlace *p, ThApply *a) {
    if (a->op != &op_elemwise || a->nout != 1) return;
    int own = own_shared(p, a);
    if (own >= 0 && destroy_elemwise(p, a, own)) return;
    for (int i = 0; i < a->nin; i++)
        if (destroy_elemwise(p, a, i)) return;
}

bool pass_inplace_elemwise(Opt *o) {
    enum { FAR = 8 };
    InPlace *p = begin(o);
    for (int i = 0, n = p ? o->fg->norder : 0; i < n; i++) {
        if (i + FAR < n) apply_prefetch(p->list[i + FAR]);
        if (p->list[i]->destroys < 0) elemwise(p, p->list[i]);
    }
    return p != NULL;
}

static bool for_flag(Opt *o, int flag) {
    InPlace *p = begin(o);
    if (!p || !p->there[flag]) return p != NULL;
    for (int i = 0; i < o->fg->norder; i++) {
        ThApply *a = p->list[i];
        if (a->destroys < 0 && by_flag(a) == flag) try_destroy(p, a, a->op->destroy_input, false);
    }
    return true;
}

bool pass_inplace_subtensor(Opt *o) { return for_flag(o, SUBTENSOR); }

bool pass_inplace_blas(Opt *o) { return for_flag(o, BLAS); }

bool pass_inplace_random(Opt *o) { return for_flag(o, RANDOM); }
