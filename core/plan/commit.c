/*
 * commit.c -- where outputs and updates live. In: Vals of the graph's outputs. Out: a BUF_OUTPUT root for every output
 * and every update that is not written in place. A value that would serve two masters (an output that is an input, a
 * shared, a constant, a view of one, another output) is copied; copies of what a later step may overwrite are made at
 * once.
 */
#include "parts.h"

static bool is_plain(const Planner *p, int o) { return o < p->fg->nplain_out; }

static const ThVar *updated(const Planner *p, int o) { return p->fg->update_of[o - p->fg->nplain_out]; }

/* Is root r the storage of a shared that this function updates? */
static bool root_updated(const Planner *p, int r) {
    for (int o = p->fg->nplain_out; o < p->fg->nout; o++)
        if (p->val[updated(p, o)->id].root == r) return true;
    return false;
}

static bool copy_out(Planner *p, int o, const Val *v) {
    int r = planner_root(p, BUF_OUTPUT, v->dtype, v->ndim, v->shape);
    if (r < 0) return false;
    p->root.at[r].kept = true;
    p->root.at[r].index = o;
    p->out_root[o] = r;
    p->root.at[r].name = p->fg->out[o]->name;
    return planner_copy(p, v, r, v->ndim, v->shape);
}

/* Are these the lengths that the storage has, too? */
static bool same_lengths(Planner *p, const Val *v, const Root *r) {
    bool same = v->ndim == r->ndim;
    for (int d = 0; d < v->ndim && same; d++) same = sizes_same(&p->sizes, v->shape[d], r->shape[d]);
    return same;
}

/* Output o is v, which lies in storage that is not ours to hand out. */
static bool settle_foreign(Planner *p, int o, const Val *v) {
    const Root *r = &p->root.at[v->root];
    if (is_plain(p, o)) {
        bool lent = r->kind == BUF_SHARED || (r->kind == BUF_INPUT && r->index < p->nin && p->in[r->index].borrow);
        bool borrow = p->out[o].borrow && lent && !root_updated(p, v->root);
        return borrow || copy_out(p, o, v);
    }
    bool own = p->val[updated(p, o)->id].root == v->root && v->whole && same_lengths(p, v, r);
    return own || copy_out(p, o, v);
}

/* Outputs that are var, when its storage is an input's, a shared's or a constant's. */
static bool settle_var(Planner *p, const ThVar *var) {
    for (int o = p->out_of[var->id] - 1; o >= 0; o = p->out_next[o] - 1) {
        Val *v = planner_val(p, var);
        if (!v) return false;
        if (p->root.at[v->root].kind != BUF_TEMP && !settle_foreign(p, o, v)) return false;
    }
    return true;
}

bool commit_leaves(Planner *p) {
    for (int o = 0; o < p->fg->nout; o++) {
        const ThVar *v = p->fg->out[o];
        if (!v->owner && p->out_of[v->id] == o + 1 && !settle_var(p, v)) return false;
    }
    return true;
}

bool commit_node(Planner *p, const ThApply *a) {
    for (int o = 0; o < a->nout; o++)
        if (p->out_of[a->out[o]->id] && !settle_var(p, a->out[o])) return false;
    return true;
}

/* The temporaries: the first output (then update) takes the root as it is, others get copies. */
bool commit_end(Planner *p) {
    p->node = -1;
    for (int o = 0; o < p->fg->nout; o++) {
        Val *v = &p->val[p->fg->out[o]->id];
        if (p->out_root[o] >= 0 || v->root < 0) continue;
        Root *r = &p->root.at[v->root];
        if (r->kind != BUF_TEMP && r->kind != BUF_OUTPUT) continue;
        if (v->ver != r->ver)
            return err(p->ctx, TH_RuntimeError, "planning: output %d is overwritten before the function ends", o);
        bool view_ok = is_plain(p, o) && p->out[o].borrow;
        if (r->kind == BUF_TEMP && (v->whole || view_ok)) {
            r->kind = BUF_OUTPUT;
            r->kept = true;
            r->index = o;
        } else if (!copy_out(p, o, v)) {
            return false;
        }
    }
    return true;
}
