/*
 * written.c -- what raises as written raises: remembers the graph before the first pass (and what leaves loops then),
 * so that no rewrite loses a comparison of lengths. In: the graph as it was written. Out: FGraph.written: of it the
 * nodes that are gone after the last pass, with the inputs that they had, as far as comparisons (APPLY_CHECKS) need
 * them; the planner makes those that it cannot prove. Left out: nodes of which only the shape is asked for: as in
 * Theano, asking for a shape computes nothing.
 */
#include "opt/engine/rewrite.h"

#include <string.h>

/* May it find that its operands do not fit? */
static bool compares(const ThApply *a) {
    uint32_t met = 0;
    if (a->op == &op_dimshuffle || !a->op->shape) return false;
    if (a->op != &op_elemwise) return true;
    for (int i = 0; i < a->nin; i++) {
        uint32_t all = a->in[i]->type.ndim >= 32 ? ~0u : (1u << a->in[i]->type.ndim) - 1;
        uint32_t own = all & ~a->in[i]->type.broadcastable;
        if ((met & own) && a->in[i] != a->in[0]) return true;
        met |= own;
    }
    return false;
}

static bool asks_shape(const Op *op) { return op == &op_shape || op == &op_shape_i; }

/* Marks the nodes whose values are asked for, not just their shapes. */
static void mark_used(const FGraph *fg, const ApplyVec *order, bool *used) {
    for (int o = 0; o < fg->nout; o++)
        if (fg->out[o]->owner) used[fg->out[o]->owner->id] = true;
    for (int i = order->n - 1; i >= 0; i--) {
        const ThApply *a = order->at[i];
        if (a->op->flags & OP_EFFECT) used[a->id] = true;
        for (int k = 0; k < a->nin && used[a->id] && !asks_shape(a->op); k++)
            if (a->in[k]->owner) used[a->in[k]->owner->id] = true;
    }
}

/* Nodes of which only the shape is asked for are not told of. */
static bool forget_shapes(const FGraph *fg, const ApplyVec *order, int from) {
    size_t bytes = (size_t)fg->nnodes + 1;
    bool *used = ctx_alloc0(fg->ctx, bytes);
    if (!used) return false;
    mark_used(fg, order, used);
    for (int i = 0; i < order->n; i++)
        if ((int)order->at[i]->id >= from && !used[order->at[i]->id]) order->at[i]->flags &= (uint8_t)~APPLY_CHECKS;
    ctx_free(fg->ctx, used, bytes);
    return true;
}

bool written_note(Opt *o) {
    FGraph *fg = o->fg;
    ThContext *c = o->c;
    VarVec *in = &o->written.inputs;
    int from = o->written.nodes;
    bool shape = false;
    const ApplyVec *order = opt_order(o);
    if (!order || !vec_reserve(c, &fg->written, fg->written.n + order->n)) return false;
    for (int i = 0; i < order->n; i++) {
        ThApply *a = order->at[i];
        fg_ahead(order, i);
        shape |= asks_shape(a->op);
        if ((int)a->id < from) continue;
        if (!vec_reserve(c, in, in->n + a->nin)) return false;
        if (a->nin) memcpy(in->at + in->n, a->in, sizeof *a->in * a->nin);
        in->n += a->nin;
        fg->written.at[fg->written.n++] = a;
        if (compares(a)) a->flags |= APPLY_CHECKS;
    }
    o->written.nodes = fg->nnodes;
    return !shape || forget_shapes(fg, order, from);
}

static bool is_dead(const ThVar *v) { return v->owner && (v->owner->flags & APPLY_DEAD); }

/* Where nothing but single rows of a loop's results is read (opt/scan/mem.c), they are asserted to be there. */
static bool asserted(ThApply *a) {
    for (int i = 0; i < a->nout && a->op == &op_scan; i++)
        a->asserts |= fg_find(a->out[i])->owner && fg_find(a->out[i])->owner->asserts;
    return a->asserts;
}

bool written_end(Opt *o) {
    FGraph *fg = o->fg;
    ApplyVec *all = &fg->written;
    size_t bytes = (size_t)fg->nnodes + 1;
    bool *wanted = ctx_alloc0(fg->ctx, bytes);
    int first = o->written.inputs.n, n = all->n;
    if (!wanted) return false;
    for (int i = all->n - 1; i >= 0; i--) {
        ThApply *a = all->at[i];
        bool dead = a->flags & APPLY_DEAD;
        first -= a->nin;
        if (!dead || asserted(a)) a->flags &= (uint8_t)~APPLY_CHECKS;
        if (!dead || !(wanted[a->id] || (a->flags & APPLY_CHECKS))) continue;
        all->at[--n] = a;
        for (int k = 0; k < a->nin; k++) {
            a->in[k] = o->written.inputs.at[first + k];
            if (is_dead(fg_find(a->in[k]))) wanted[a->in[k]->owner->id] = true;
        }
    }
    if (all->n > n) memmove(all->at, all->at + n, sizeof *all->at * (size_t)(all->n - n));
    all->n -= n;
    ctx_free(fg->ctx, wanted, bytes);
    return true;
}
