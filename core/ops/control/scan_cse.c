/*
 * scan_cse.c -- equal nodes of a loop's body become one, so that rewrites of loops see each value once.
 * In: results over free variables, in the user's graph. Out: the same computed by as few nodes. One pass, inputs first.
 */
#include "scan.h"

typedef struct Cse {
    ThContext *c;
    Builder b;
    Map of; /* variable -> place in var: what it became */
    VarVec var;
    Map table; /* hash -> place in node of the newest node with it */
    VEC(ThApply *) node;
    VEC(int) older; /* the next older node of the same hash, or -1 */
} Cse;

static ThVar *now(const Cse *w, ThVar *v) {
    uint32_t at;
    return map_get(&w->of, KEY(v), &at) ? w->var.at[at] : v;
}

static uint64_t hash_var(ThVar *v) { return v->kind == VAR_CONSTANT ? const_hash(v) : KEY(v); }

static bool same_var(const ThVar *x, const ThVar *y) {
    return x == y || (x->kind == VAR_CONSTANT && y->kind == VAR_CONSTANT && const_equal(x, y));
}

static bool same_node(const ThApply *x, const ThApply *a, ThVar *const *in) {
    if (x->op != a->op || x->nin != a->nin || x->nout != a->nout || !attrs_equal(x->op, x->attrs, a->attrs))
        return false;
    for (int i = 0; i < x->nin; i++)
        if (!same_var(x->in[i], in[i])) return false;
    for (int o = 0; o < x->nout; o++)
        if (!type_eq(x->out[o]->type, a->out[o]->type)) return false;
    return true;
}

static bool become(Cse *w, const ThApply *a, const ThApply *as) {
    for (int o = 0; o < a->nout; o++)
        if (!vec_push(w->c, &w->var, as->out[o]) || !map_put(w->c, &w->of, KEY(a->out[o]), (uint32_t)w->var.n - 1))
            return false;
    return true;
}

static bool visit(Cse *w, ThApply *a, ThVar **in) {
    uint64_t h = hash_mix(KEY(a->op), attrs_hash(a->op, a->attrs));
    bool changed = false;
    for (int i = 0; i < a->nin; i++) {
        in[i] = now(w, a->in[i]);
        changed = changed || in[i] != a->in[i];
        h = hash_mix(h, hash_var(in[i]));
    }
    uint32_t at;
    bool met = map_get(&w->table, h, &at);
    for (int k = met && !(a->op->flags & OP_EFFECT) ? (int)at : -1; k >= 0; k = w->older.at[k])
        if (same_node(w->node.at[k], a, in)) return become(w, a, w->node.at[k]);
    w->b.prov = a->prov;
    ThApply *copy = changed ? apply_copy(&w->b, a, in) : a;
    return copy && vec_push(w->c, &w->node, copy) && vec_push(w->c, &w->older, met ? (int)at : -1) &&
           map_put(w->c, &w->table, h, (uint32_t)w->node.n - 1) && (!changed || become(w, a, copy));
}

bool scan_cse(ThContext *c, ThVar **out, int n) {
    Cse w = {.c = c};
    ApplyVec order = {0};
    VarVec in = {0};
    builder_begin(&w.b, c);
    bool ok = graph_toposort(c, out, n, NULL, 0, &order);
    for (int k = 0; ok && k < order.n; k++)
        ok = vec_reserve(c, &in, order.at[k]->nin + 1) && visit(&w, order.at[k], in.at);
    for (int i = 0; ok && i < n; i++) {
        ThVar *v = now(&w, out[i]);
        if (v == out[i]) continue;
        th_var_retain(v);
        th_var_release(out[i]);
        out[i] = v;
    }
    builder_end(&w.b);
    vec_free(c, &order);
    vec_free(c, &in);
    vec_free(c, &w.var);
    vec_free(c, &w.node);
    vec_free(c, &w.older);
    map_free(c, &w.of);
    map_free(c, &w.table);
    return ok;
}
