/*
 * inner.c -- bodies of loops and branches are optimized like the graph around them. In: an optimized
 * FunctionGraph. Out: for each body of each of its nodes, and of theirs in turn, an optimized graph attached to it
 * (fg_inner). A worklist: nothing recurses.
 */
#include "watch.h"

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

typedef struct Part {
    FGraph *fg;
    WatchGraph *watch; /* or NULL */
} Part;
typedef VEC(Part) Todo;

/* Bodies of node a of a graph, optimized; those that may have bodies themselves go to the list. */
static bool node_bodies(Part at, const ThApply *a, const OptSpec *spec, Todo *todo) {
    FGraph *fg = at.fg;
    int n = 0;
    const GraphBody *const *b = a->op->bodies ? a->op->bodies(a->attrs, &n) : NULL;
    for (int k = 0; b && k < n; k++) {
        Part in = {body_graph(fg->ctx, b[k]), NULL};
        bool ok = in.fg && (!at.watch || ((in.watch = watch_inner(at.watch, a, k)) && watch_attach(in.watch, in.fg)));
        if (ok && in.watch && fg->ctx->pairs) ok = watch_pairs(in.watch, fg->ctx->pairs);
        if (!ok || !opt_run(in.fg, spec)) {
            fg_free(in.fg);
            return false;
        }
        if (!fg_inner_set(fg, a, k, in.fg) || !vec_push(fg->ctx, todo, in)) return false;
    }
    return true;
}

bool compile_inner(FGraph *fg, const OptSpec *spec, WatchGraph *g) {
    Todo todo = {0};
    bool ok = vec_push(fg->ctx, &todo, ((Part){fg, g}));
    for (int i = 0; ok && i < todo.n; i++) {
        const Part part = todo.at[i];
        FGraph *at = part.fg;
        ApplyVec order = {0};
        ok = at->order || fg_toposort(at, &order);
        for (int k = 0; ok && k < (at->order ? at->norder : order.n); k++)
            ok = node_bodies(part, at->order ? at->order[k] : order.at[k], spec, &todo);
        vec_free(fg->ctx, &order);
    }
    vec_free(fg->ctx, &todo);
    return ok;
}
