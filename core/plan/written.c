/*
 * written.c -- lengths that were compared by nodes which rewriting has removed are compared all the same. In:
 * FGraph.written, and the dims of all that is still computed. Out: unions and checks as of any node, which name the
 * removed one; most find their lengths equal by now and leave nothing. What only a removed computation would tell (an
 * index, how much a selection takes) stays unknown, and nothing that stands on it is compared.
 */
#include "parts.h"

/* The lengths and integers of v: those of what stands in its place, where that is computed. */
static bool resolve(Planner *p, ThVar *v) {
    const ThVar *now = fg_find(v);
    if (p->dims[v->id] && now == v) return true;
    if (!now->owner && !p->dims[now->id] && !planner_leaf(p, now)) return false;
    if (!p->dims[now->id] || now == v) return true;
    p->dims[v->id] = p->dims[now->id];
    return planner_same_known(p, v, now);
}

/*
 * Lengths of an elementwise node whose operands are not compared, or fit: there is no need for messages. false: they
 * do not fit, or may not.
 */
static bool quick(Planner *p, const ThApply *a, bool compare, Size *dim) {
    for (int d = 0; d < a->out[0]->type.ndim; d++) {
        bool all_one = true;
        dim[d] = SIZE_BAD;
        for (int i = 0; i < a->nin; i++) {
            if (type_bcast(a->in[i]->type, d)) continue;
            Size n = sizes_find(&p->sizes, p->dims[a->in[i]->id][d]);
            all_one = false;
            if (compare && !size_bad(n) && !size_bad(dim[d]) && !size_eq(n, dim[d])) return false;
            if (size_bad(dim[d])) dim[d] = n;
        }
        if (all_one) dim[d] = size_const(1);
    }
    return true;
}

static bool run(Planner *p, ThApply *a) {
    Size dim[TH_MAX_NDIM];
    bool compare = a->flags & APPLY_CHECKS;
    for (int i = 0; i < a->nin; i++) {
        if (!resolve(p, a->in[i])) return false;
        if (!p->dims[a->in[i]->id] && !planner_unknown(p, a->in[i]->owner)) return false;
    }
    if (a->asserts) return planner_unknown(p, a);
    if (a->op != &op_elemwise || !quick(p, a, compare, dim))
        return planner_dims(p, a, compare ? DIMS_GONE_CHECKED : DIMS_GONE);
    for (int o = 0; o < a->nout; o++) {
        size_t bytes = sizeof(Size) * (size_t)(a->out[o]->type.ndim + 1);
        Size *to = p->dims[a->out[o]->id] = arena_alloc(p->arena, bytes);
        if (!to) return false;
        memcpy(to, dim, bytes - sizeof(Size));
    }
    return planner_known(p, a);
}

bool planner_written(Planner *p) {
    const ApplyVec *all = &p->fg->written;
    bool ok = true;
    for (int k = 0; ok && k < all->n; k++) {
        int before = p->sizes.check.n;
        p->sizes.node = p->order.n + p->written.n;
        ok = run(p, all->at[k]) && !failed(p->ctx);
        if (!ok && error_kind(p->ctx) != TH_MemoryError) { /* sizes that overflow, for one: they would if it were run */
            th_error_clear(p->ctx);
            ok = planner_unknown(p, all->at[k]);
        }
        if (ok && p->sizes.check.n > before) ok = vec_push(p->ctx, &p->written, all->at[k]);
    }
    return ok;
}
