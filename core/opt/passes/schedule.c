/*
 * schedule.c -- fixes the one order of the graph's nodes that the in-place passes, the planner and the prints use.
 * In: the rewritten FGraph. Out: fg->order. Depth first from the outputs; of a node's inputs the last is computed first
 * (as Theano's toposort has it) unless another order provably holds less memory at once. A node that makes the new
 * value of a shared variable comes after the readers of the old one and after every step that can fail, where
 * dependencies allow it. Updates come in the order in which their values can be there: of a network the last layer's
 * first, so that what its gradient was made of is free before those of the layers below are computed.
 */
#include "opt/engine/rewrite.h"

#include <stdlib.h>
#include <string.h>

enum { NEW, OPEN, DONE };

typedef struct Plan {
    Opt *o;
    ThContext *c;
    double *need, *held; /* by node id: peak of the subtree, size of the results */
    int *level;          /* by node id: nodes on the longest way to it */
    uint8_t *state;
    int8_t *update;       /* by node id: 1 + it makes a new shared value that nobody else uses */
    ThVar **target;       /* by node id: the shared it updates */
    VEC(uint32_t) stack;  /* node ids: the walk leaves the nodes alone */
    VEC(uint32_t) inputs; /* of every node, one after the other: who computes them, as input_order has it */
    ThApply **node;       /* by id */
    int *start;           /* by node id: where its own begin; count entries */
    int *count;
    ApplyVec order, all;
} Plan;

/* ---- estimates ---- */
double schedule_bytes(const ThVar *v) {
    static const double by_rank[] = {1, 100, 1e4, 1e6, 1e7};
    int long_dims = 0;
    if (v->type.kind != TYPE_TENSOR) return 0;
    for (int d = 0; d < v->type.ndim; d++) long_dims += !type_bcast(v->type, d);
    return by_rank[long_dims < TH_LEN(by_rank) ? long_dims : TH_LEN(by_rank) - 1] *
           (double)th_dtype_bytes((ThDtype)v->type.dtype);
}

static double held_by(const ThApply *a) {
    double sum = 0;
    if (a->op->flags & OP_VIEW) return 0;
    for (int i = 0; i < a->nout; i++) sum += schedule_bytes(a->out[i]);
    if (a->op == &op_collective_start) return 0; /* the sooner messages set out, the more is computed beside them */
    /* a number from the user's code weighs nothing against when that code runs: it may be a job that has begun */
    return (a->op->flags & OP_CALLS_BACK) && a->nout == 1 && sum <= 8 ? 0 : sum;
}

/* Peak while the inputs of a are computed in the order at[0..n): what earlier ones hold plus what the next one needs.
 */
static double peak_of(const Plan *p, ThApply *const *at, int n) {
    double held = 0, peak = 0;
    for (int i = 0; i < n; i++) {
        double x = held + p->need[at[i]->id];
        if (x > peak) peak = x;
        held += p->held[at[i]->id];
    }
    return peak;
}

enum { MAX_SORT = 32 };

/* Owners of a's inputs in the order in which to compute them. Number of them. */
static int input_order(const Plan *p, const ThApply *a, ThApply **at) {
    ThApply *best[MAX_SORT];
    int n = 0;
    for (int i = a->nin - 1; i >= 0; i--)
        if (a->in[i]->owner) at[n++] = a->in[i]->owner;
    if (n < 2 || n > MAX_SORT) return n;
    for (int i = 0; i < n; i++) { /* largest need - held first; stable */
        int k = i;
        double x = p->need[at[i]->id] - p->held[at[i]->id];
        for (; k > 0 && p->need[best[k - 1]->id] - p->held[best[k - 1]->id] < x; k--) best[k] = best[k - 1];
        best[k] = at[i];
    }
    if (peak_of(p, best, n) < peak_of(p, at, n)) memcpy(at, best, sizeof *at * (size_t)n);
    return n;
}

static bool estimate(Plan *p) {
    enum { FAR = 16 };
    VEC(ThApply *) in = {0};
    bool ok = true;
    for (int i = 0; ok && i < p->all.n; i++) {
        ThApply *a = p->all.at[i];
        if (i + FAR < p->all.n) apply_prefetch(p->all.at[i + FAR]);
        ok = vec_reserve(p->c, &p->inputs, p->inputs.n + a->nin + 1) && vec_reserve(p->c, &in, a->nin + 1);
        if (!ok) break;
        int n = input_order(p, a, in.at);
        double held = 0, peak = peak_of(p, in.at, n);
        p->node[a->id] = a;
        p->start[a->id] = p->inputs.n;
        p->count[a->id] = n;
        p->level[a->id] = 1;
        for (int k = 0; k < n; k++) {
            const int below = p->level[in.at[k]->id];
            if (below >= p->level[a->id]) p->level[a->id] = below + 1;
            held += p->held[in.at[k]->id];
            p->inputs.at[p->inputs.n++] = in.at[k]->id;
        }
        p->held[a->id] = held_by(a);
        held += p->held[a->id];
        p->need[a->id] = held > peak ? held : peak;
    }
    vec_free(p->c, &in);
    return ok;
}

/* ---- updates ---- */
/* Is an integer known before the first step: a constant, an input, a length, or computed from those? Looks a few nodes
 * deep. */
static bool known_before(const ThVar *v, int depth) {
    const ThApply *a = v->owner;
    if (!a) return true;
    if (a->op == &op_shape || a->op == &op_shape_i) return true;
    bool passes = a->op == &op_make_vector || a->op == &op_scalar_from_tensor || a->op == &op_tensor_from_scalar ||
                  a->op == &op_subtensor || a->op == &op_rebroadcast || a->op == &op_elemwise ||
                  a->op == &op_dimshuffle;
    if (!passes || depth == 0 || a->nin > 8) return false;
    for (int i = 0; i < a->nin; i++)
        if (!known_before(a->in[i], depth - 1)) return false;
    return true;
}

/* Operations that look at values: indices, labels, states, probabilities. */
static bool checks_values(const ThApply *a) {
    static const Op *const ops[] = {&op_adv_subtensor1,       &op_adv_subtensor,           &op_adv_inc_subtensor1,
                                    &op_adv_inc_subtensor,    &op_crossentropy_1hot,       &op_crossentropy_1hot_grad,
                                    &op_crossentropy_softmax, &op_crossentropy_softmax_dx, &op_mrg_uniform,
                                    &op_multinomial_uniform,  &op_choice_uniform,          &op_random_function};
    for (int i = 0; i < TH_LEN(ops); i++)
        if (a->op == ops[i]) return true;
    return false;
}

bool schedule_can_fail(const ThApply *a) {
    int s = ask_which(a);
    if (a->op->flags & OP_ELEMWISE) return s >= 0 && (scalar_ops[s].flags & SF_FAILS);
    if (!a->op->shape || checks_values(a)) return true;
    if (!(a->op->flags & OP_FAILS)) return false;
    for (int i = 0; i < a->nin; i++) { /* the rest fails by shapes, which are checked before the first step */
        ThType t = a->in[i]->type;
        bool size =
            t.kind == TYPE_SCALAR || (t.kind == TYPE_TENSOR && t.ndim <= 1 && dtype_is_discrete((ThDtype)t.dtype));
        if (size && !known_before(a->in[i], 6)) return true;
    }
    return false;
}

/* Calls of the library that training steps make on the way back. They may want memory of their own, so an update before
 * one of them would go to a copy: for a layer of 54,000 x 120 behind convolutions 1.4 of 13 ms. */
static bool calls_library(const ThApply *a) {
    static const Op *const ops[] = {&op_conv_grad_inputs,     &op_conv_grad_weights,   &op_corr_mm_grad_inputs,
                                    &op_corr_mm_grad_weights, &op_max_pool_grad,       &op_max_pool_grad_from_input,
                                    &op_average_pool_grad,    &op_attention,           &op_attention_grad,
                                    &op_attention_heads,      &op_attention_heads_grad};
    for (int i = 0; i < TH_LEN(ops); i++)
        if (a->op == ops[i]) return true;
    return false;
}

bool schedule_can_stop(const ThApply *a) { return calls_library(a) || schedule_can_fail(a); }

static void find_updates(Plan *p) {
    FGraph *fg = p->o->fg;
    for (int k = 0; k + fg->nplain_out < fg->nout; k++) {
        ThVar *v = fg->out[fg->nplain_out + k];
        bool used = false;
        for (int i = 0; v->owner && i < v->nclients; i++) used |= v->clients[i].node != NULL;
        if (!v->owner || used || v->owner->nout != 1) continue;
        p->update[v->owner->id] = 1;
        p->target[v->owner->id] = fg->update_of[k];
    }
}

/* What alone reads a node's result point by point: the planner makes one kernel of a product and what follows it,
 * unless something is written between them. The node itself where there is no such thing. */
static ThApply *with_next(const Plan *p, ThApply *a) {
    if (a->nout != 1 || a->out[0]->nclients != 1) return a;
    ThApply *next = a->out[0]->clients[0].node;
    bool follows = next && (next->op->flags & OP_ELEMWISE) && p->node[next->id] && !p->update[next->id];
    return follows && p->state[next->id] == NEW ? next : a;
}

/* Readers of the shared's storage, through views, go on the stack: they come before the write. */
static bool push_readers(Plan *p, const ThVar *shared, const ThApply *self) {
    VEC(const ThVar *) views = {0};
    bool ok = vec_push(p->c, &views, shared);
    for (int i = 0; ok && i < views.n; i++) {
        const ThVar *v = views.at[i];
        for (int k = 0; ok && k < v->nclients; k++) {
            ThApply *r = v->clients[k].node;
            if (!r || r == self || !p->node[r->id]) continue;
            if ((r->op->flags & OP_VIEW) && v->clients[k].pos == 0) ok = vec_push(p->c, &views, r->out[0]);
            if (ok && p->state[r->id] == NEW) ok = vec_push(p->c, &p->stack, with_next(p, r)->id);
        }
    }
    vec_free(p->c, &views);
    return ok;
}

/* ---- the walk ---- */
static bool push_inputs(Plan *p, uint32_t id) {
    int n = p->count[id];
    const uint32_t *in = p->inputs.at + p->start[id];
    if (!vec_reserve(p->c, &p->stack, p->stack.n + n + 1)) return false;
    for (int i = n - 1; i >= 0; i--) /* the first to compute is pushed last */
        if (p->state[in[i]] == NEW) p->stack.at[p->stack.n++] = in[i];
    return true;
}

static bool visit_from(Plan *p, ThApply *root) {
    bool ok = vec_push(p->c, &p->stack, root->id);
    while (ok && p->stack.n) {
        uint32_t id = p->stack.at[p->stack.n - 1];
        if (p->state[id] != NEW) {
            p->stack.n--;
            if (p->state[id] == DONE) continue;
            p->state[id] = DONE;
            ok = vec_push(p->c, &p->order, p->node[id]);
            continue;
        }
        p->state[id] = OPEN;
        if (p->update[id] && p->o->wants_inplace) ok = push_readers(p, p->target[id], p->node[id]);
        ok = ok && push_inputs(p, id);
    }
    return ok;
}

typedef struct Root {
    int level, place;
    ThApply *node;
} Root;

static int soonest(const void *a, const void *b) {
    const Root *x = a, *y = b;
    if (x->level != y->level) return x->level < y->level ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

/* A device makes all updates at the end, together. */
static bool walk_roots(Plan *p, Root *root, int n) {
    bool ok = true;
    if (!p->o->fg->device) qsort(root, (size_t)n, sizeof *root, soonest);
    for (int i = 0; ok && i < n; i++) ok = visit_from(p, root[i].node);
    return ok;
}

/* What can fail, in the graph's order, and calls of the library as soon as they can be: behind a Split for a layer near
 * the inputs the gradients of all weights above it would wait, and keep what they are made of. */
static bool walk_calls(Plan *p) {
    const size_t bytes = sizeof(Root) * (size_t)(p->all.n + 1);
    Root *call = ctx_alloc(p->c, bytes);
    int n = 0, k = 0;
    for (int i = 0; call && i < p->all.n && !p->o->fg->device; i++)
        if (calls_library(p->all.at[i])) call[n++] = (Root){p->level[p->all.at[i]->id], i, p->all.at[i]};
    bool ok = call;
    if (ok) qsort(call, (size_t)n, sizeof *call, soonest);
    for (int i = 0; ok && i < p->all.n; i++) {
        ThApply *a = p->all.at[i];
        if (!schedule_can_fail(a)) continue;
        while (ok && k < n && call[k].level < p->level[a->id]) ok = visit_from(p, call[k++].node);
        ok = ok && visit_from(p, a);
    }
    while (ok && k < n) ok = visit_from(p, call[k++].node);
    ctx_free(p->c, call, bytes);
    return ok;
}

static bool walk_updates(Plan *p) {
    FGraph *fg = p->o->fg;
    const size_t bytes = sizeof(Root) * (size_t)(fg->nout - fg->nplain_out + 1);
    Root *root = ctx_alloc(p->c, bytes);
    int n = 0;
    for (int i = fg->nplain_out; root && i < fg->nout; i++)
        if (fg->out[i]->owner) root[n++] = (Root){p->level[fg->out[i]->owner->id], i, fg->out[i]->owner};
    bool ok = root && walk_roots(p, root, n);
    ctx_free(p->c, root, bytes);
    return ok;
}

static bool walk(Plan *p) {
    FGraph *fg = p->o->fg;
    bool ok = true;
    for (int i = 0; ok && i < fg->nplain_out; i++)
        if (fg->out[i]->owner) ok = visit_from(p, fg->out[i]->owner);
    for (int i = 0; ok && i < fg->effects.n; i++)
        if (!(fg->effects.at[i]->flags & APPLY_DEAD)) ok = visit_from(p, fg->effects.at[i]);
    if (ok && fg->nout > fg->nplain_out) ok = walk_calls(p);
    return ok && walk_updates(p);
}

bool pass_schedule(Opt *o) {
    FGraph *fg = o->fg;
    ThContext *c = o->c;
    size_t n = (size_t)fg->nnodes + 1;
    Plan p = {.o = o, .c = c};
    p.need = ctx_alloc0(c, n * sizeof *p.need);
    p.held = ctx_alloc0(c, n * sizeof *p.held);
    p.level = ctx_alloc0(c, n * sizeof *p.level);
    p.node = ctx_alloc0(c, n * sizeof *p.node);
    p.start = ctx_alloc0(c, n * sizeof *p.start);
    p.count = ctx_alloc0(c, n * sizeof *p.count);
    p.state = ctx_alloc0(c, n);
    p.update = ctx_alloc0(c, n);
    p.target = ctx_alloc0(c, n * sizeof *p.target);
    bool ok = p.need && p.held && p.level && p.node && p.start && p.count && p.state && p.update && p.target &&
              fg_toposort(fg, &p.all);
    if (ok) find_updates(&p);
    ok = ok && estimate(&p) && walk(&p);
    if (ok) {
        fg->order = arena_alloc(fg->arena, sizeof *fg->order * (size_t)(p.order.n + 1));
        ok = fg->order != NULL;
        fg->norder = ok ? p.order.n : 0;
        for (int i = 0; i < fg->norder; i++) fg->order[i] = p.order.at[i];
    }
    ctx_free(c, p.need, n * sizeof *p.need);
    ctx_free(c, p.held, n * sizeof *p.held);
    ctx_free(c, p.level, n * sizeof *p.level);
    ctx_free(c, p.node, n * sizeof *p.node);
    ctx_free(c, p.start, n * sizeof *p.start);
    ctx_free(c, p.count, n * sizeof *p.count);
    ctx_free(c, p.state, n);
    ctx_free(c, p.update, n);
    ctx_free(c, p.target, n * sizeof *p.target);
    vec_free(c, &p.stack);
    vec_free(c, &p.inputs);
    vec_free(c, &p.order);
    vec_free(c, &p.all);
    return ok;
}
