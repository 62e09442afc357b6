/*
 * compile_inner.c -- bodies of loops and branches are optimized like the graph around them. In: an optimized
 * FunctionGraph. Out: for each body of each of its nodes, and of theirs in turn, an optimized graph attached to it
 * (fg_inner). A worklist: nothing recurses.
 */
#include "compile.h"

/* The body as a graph of its own: operations that stand for others written out, conditionals made lazy. */
static FGraph *body_graph(ThContext *c, const GraphBody *b) {
    VarVec out = {0};
    FGraph *fg = NULL;
    int n = b->nout;
    bool ok = vec_reserve(c, &out, 2 * n + 1);
    ThVar **from = out.at, **to = out.at + n;
    for (int i = 0; ok && i < n; i++) from[i] = th_var_retain(b->out[i]);
    bool (*const pass[])(ThContext *, ThVar *const *, int, ThVar *const *, int,
                         ThVar **) = {ops_any_expand(c) ? ops_expand : NULL, c->lazy};
    for (int p = 0; ok && p < 2; p++) {
        if (!pass[p]) continue;
        for (int i = 0; i < n; i++) to[i] = NULL;
        ok = pass[p](c, from, n, b->in, b->nin, to);
        for (int i = 0; ok && i < n; i++) {
            th_var_release(from[i]);
            from[i] = to[i];
        }
    }
    if (ok) fg = fg_new(c, b->in, b->nin, from, n, NULL, NULL, 0, false);
    for (int i = 0; out.at && i < n; i++) th_var_release(from[i]);
    vec_free(c, &out);
    return fg;
}

typedef VEC(FGraph *) Todo;

/* Bodies of node a of fg, optimized; those that may have bodies themselves go to the list. */
static bool node_bodies(FGraph *fg, const ThApply *a, const OptSpec *spec, Todo *todo) {
    int n = 0;
    const GraphBody *const *b = a->op->bodies ? a->op->bodies(a->attrs, &n) : NULL;
    for (int k = 0; b && k < n; k++) {
        FGraph *inner = body_graph(fg->ctx, b[k]);
        if (!inner || !opt_run(inner, spec)) {
            fg_free(inner);
            return false;
        }
        if (!fg_inner_set(fg, a, k, inner) || !vec_push(fg->ctx, todo, inner)) return false;
    }
    return true;
}

bool compile_inner(FGraph *fg, const OptSpec *spec) {
    Todo todo = {0};
    bool ok = vec_push(fg->ctx, &todo, fg);
    for (int i = 0; ok && i < todo.n; i++) {
        FGraph *at = todo.at[i];
        ApplyVec order = {0};
        ok = at->order || fg_toposort(at, &order);
        for (int k = 0; ok && k < (at->order ? at->norder : order.n); k++)
            ok = node_bodies(at, at->order ? at->order[k] : order.at[k], spec, &todo);
        vec_free(fg->ctx, &order);
    }
    vec_free(fg->ctx, &todo);
    return ok;
}
