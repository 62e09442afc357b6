/*
 * inner.c -- bodies of loops and branches are optimized like the graph around them. In: an optimized
 * FunctionGraph. Out: for each body of each of its nodes, and of theirs in turn, an optimized graph attached to it
 * (fg_inner). A worklist: nothing recurses.
 */
#include "compile.h"

/* The body as a graph of its own, written out. */
static FGraph *body_graph(ThContext *c, const GraphBody *b, VarPairs *pairs) {
    VarVec out = {0};
    bool ok = vec_reserve(c, &out, b->nout + 1);
    for (int i = 0; ok && i < b->nout; i++) out.at[out.n++] = th_var_retain(b->out[i]);
    ok = ok && compile_write_out(c, out.at, out.n, b->in, b->nin, pairs);
    const VarVec check = {.at = b->check, .n = b->ncheck};
    FGraph *fg = ok ? fg_new_checked(c, b->in, b->nin, out.at, out.n, NULL, NULL, 0, &check) : NULL;
    for (int i = 0; i < out.n; i++) th_var_release(out.at[i]);
    vec_free(c, &out);
    return fg;
}

typedef struct Inner {
    FGraph *fg;
    void *of; /* CompileWatch.graph's, or NULL */
} Inner;
typedef VEC(Inner) Todo;

/* Bodies of node a of a graph, optimized; those that may have bodies themselves go to the list. */
static bool node_bodies(Inner at, const ThApply *a, const OptSpec *spec, const CompileWatch *w, Todo *todo) {
    ThContext *c = at.fg->ctx;
    int n = 0;
    const GraphBody *const *b = a->op->bodies ? a->op->bodies(a->attrs, &n) : NULL;
    for (int k = 0; b && k < n; k++) {
        Inner in = {body_graph(c, b[k], w ? w->pairs : NULL), NULL};
        if (in.fg) in.fg->device = at.fg->device;
        bool ok = in.fg && (!w || (in.of = w->graph(w->user, at.of, a, k, in.fg)));
        if (!ok || !opt_run(in.fg, spec)) {
            fg_free(in.fg);
            return false;
        }
        if (!fg_inner_set(at.fg, a, k, in.fg) || !vec_push(c, todo, in)) return false;
    }
    return true;
}

bool compile_inner(FGraph *fg, const OptSpec *spec, const CompileWatch *w, void *of) {
    Todo todo = {0};
    bool ok = vec_push(fg->ctx, &todo, ((Inner){fg, of}));
    for (int i = 0; ok && i < todo.n; i++) {
        const Inner at = todo.at[i];
        ApplyVec order = {0};
        ok = at.fg->order || fg_toposort(at.fg, &order);
        for (int k = 0; ok && k < (at.fg->order ? at.fg->norder : order.n); k++)
            ok = node_bodies(at, at.fg->order ? at.fg->order[k] : order.at[k], spec, w, &todo);
        vec_free(fg->ctx, &order);
    }
    vec_free(fg->ctx, &todo);
    return ok;
}
