/*
 * state.c -- default updates: every shared variable that the function reaches and that has one is updated,
 * unless it has an explicit update or is excluded (no_default_updates). Random streams advance this way. In: outputs
 * and explicit updates with givens in their places. Out: more updates, in the order in which the shareds are met;
 * a default update may reach further shareds. What stands behind an input of the function is not reached: the input's
 * value takes its place.
 */
#include "compile.h"

static bool excluded(const Compile *k, const ThVar *s) {
    if (k->spec->no_default_updates) return true;
    for (int i = 0; i < k->spec->nno_default_update_of; i++)
        if (k->spec->no_default_update_of[i]->u.shared == s->u.shared) return true;
    return false;
}

/* The default update of s with the function's givens in it, as one more update. */
static bool add(Compile *k, ThVar *s, const VarVec *from, const VarVec *to) {
    ThVar *expr = shared_default_update(s->u.shared, s), *own = NULL;
    bool ok = expr && (from->n == 0 || graph_substitute(k->ctx, &expr, 1, from->at, to->at, from->n,
                                                        !k->spec->no_rebuild_strict, &own));
    if (own) {
        th_var_release(expr);
        expr = own;
    }
    ok = ok && compile_update_type(k, s, expr) && vec_push(k->ctx, &k->update_of, s) && vec_push(k->ctx, &k->out, expr);
    if (!ok) th_var_release(expr);
    return ok;
}

/* Shareds of outs that are not yet in `done`: they get their default updates. */
static bool visit(Compile *k, ThVar *const *outs, int n, Map *done, const VarVec *from, const VarVec *to) {
    VarVec leaves = {0};
    bool ok = graph_leaves_from(k->ctx, outs, n, k->in.at, k->in.n, &leaves);
    for (int i = 0; ok && i < leaves.n; i++) {
        ThVar *s = leaves.at[i];
        uint32_t at;
        if (s->kind != VAR_SHARED || map_get(done, KEY(s->u.shared), &at)) continue;
        ok = map_put(k->ctx, done, KEY(s->u.shared), 1) &&
             (!s->u.shared->default_update || excluded(k, s) || add(k, s, from, to));
    }
    vec_free(k->ctx, &leaves);
    return ok;
}

bool compile_default_updates(Compile *k, const VarVec *from, const VarVec *to) {
    Map done = {0};
    bool ok = true;
    for (int i = 0; ok && i < k->update_of.n; i++) ok = map_put(k->ctx, &done, KEY(k->update_of.at[i]->u.shared), 1);
    int seen = 0;
    while (ok && seen < k->out.n) {
        int n = k->out.n;
        ok = visit(k, k->out.at + seen, n - seen, &done, from, to);
        seen = n;
    }
    map_free(k->ctx, &done);
    return ok;
}
