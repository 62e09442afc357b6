/*
 * record.c -- the record of an optimization: every node of an FGraph is copied as a user node when it is made, so
 * each rewrite is kept as two expressions that must have equal values on whatever the function is called with. A copy
 * is never changed: a node whose inputs are replaced later keeps computing from the old ones, which have equal values
 * if those rewrites were right, and the wrong rewrite itself is found where it is not.
 */
#include "watch.h"

#include <string.h>

WatchGraph *watch_graph(ThContext *c, Text *log, bool bare) {
    WatchGraph *g = ctx_alloc0(c, sizeof *g);
    if (!g) return NULL;
    g->c = c;
    g->log = log;
    g->bare = bare;
    builder_begin(&g->b, c);
    return g;
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */
/* Room for one entry by id in both lists. */
static bool room(WatchGraph *g, uint32_t id) {
    int n = (int)id + 1, more = n + n / 2 + 64, was = g->copy.n;
    if (n <= was) return true;
    if (!vec_reserve(g->c, &g->copy, more) || !vec_reserve(g->c, &g->last, more)) return false;
    memset(g->copy.at + was, 0, sizeof *g->copy.at * (size_t)(more - was));
    memset(g->last.at + was, 0, sizeof *g->last.at * (size_t)(more - was));
    g->copy.n = g->last.n = more;
    return true;
}

/* A leaf: the user's own variable, or a constant. */
static ThVar *leaf(WatchGraph *g, const ThVar *v) {
    if (v->origin) return v->origin;
    if (v->kind == VAR_CONSTANT && v->type.kind == TYPE_NONE) return const_none(&g->b);
    if (v->kind == VAR_CONSTANT && v->u.data) return const_make_typed(&g->b, v->u.data, v->type);
    return var_new(&g->b, v->type, v->name);
}

static ThVar *copied(WatchGraph *g, const ThVar *v) {
    if (!room(g, v->id)) return NULL;
    if (!g->copy.at[v->id] && !v->owner) g->copy.at[v->id] = g->last.at[v->id] = leaf(g, v);
    if (!g->copy.at[v->id] && !failed(g->c)) err(g->c, TH_RuntimeError, "a node was rewritten that was never made");
    return g->copy.at[v->id];
}

/* The node over these variables (by id). */
static ThApply *copy_over(WatchGraph *g, const ThApply *a, bool last) {
    VarVec in = {0};
    bool ok = vec_reserve(g->c, &in, a->nin + 1);
    for (int i = 0; ok && i < a->nin; i++) {
        ok = copied(g, a->in[i]) != NULL || (last && !failed(g->c));
        if (ok) in.at[i] = last ? g->last.at[a->in[i]->id] : g->copy.at[a->in[i]->id];
        ok = ok && in.at[i];
    }
    g->b.prov = a->prov;
    ThApply *copy = ok ? apply_copy(&g->b, a, in.at) : NULL;
    if (copy) copy->rule = a->rule;
    vec_free(g->c, &in);
    return copy;
}

static bool record(WatchGraph *g, const ThApply *a) {
    ThApply *copy = g->bare ? NULL : copy_over(g, a, false);
    for (int i = 0; copy && i < a->nout; i++) {
        if (!room(g, a->out[i]->id)) return false;
        g->copy.at[a->out[i]->id] = copy->out[i];
    }
    return g->bare || copy;
}

/* ---- while it is optimized --------------------------------------------------------------------------------------- */
static void on_import(void *user, ThApply *a) { record(user, a); } /* an error ends the compile by itself */

static void put_node(Text *t, const ThVar *v) {
    if (!v->owner) {
        var_str(t, v);
        return;
    }
    apply_op_str(t, v->owner);
    for (int i = 0; i < v->owner->nin; i++) {
        text_put(t, i ? ", " : "(");
        if (v->owner->in[i]->owner) apply_op_str(t, v->owner->in[i]->owner);
        else var_str(t, v->owner->in[i]);
    }
    text_printf(t, ").%d", (int)v->index);
}

static void on_replace(void *user, ThVar *old, ThVar *new_, const char *rule) {
    WatchGraph *g = user;
    if (!rule) rule = new_->owner && new_->owner->rule ? new_->owner->rule : "(unnamed)";
    if (g->log) {
        text_printf(g->log, "%s: ", rule);
        put_node(g->log, old);
        text_put(g->log, " -> ");
        put_node(g->log, new_);
        text_put(g->log, "\n");
    }
    if (g->bare || !old->nclients || failed(g->c)) return; /* nobody asked for it any more */
    ThVar *from = copied(g, old), *to = copied(g, new_);
    if (from && to && from != to && vec_reserve(g->c, &g->event, g->event.n + 1))
        g->event.at[g->event.n++] = (WatchEvent){rule, from, to, opt_stabilizes(g->c, rule), false};
}

bool watch_attach(WatchGraph *g, FGraph *fg) {
    const FgListener l = {.on_import = on_import, .on_replace = on_replace, .user = g};
    ApplyVec order = {0};
    bool ok = vec_push(g->c, &fg->listeners, l) && (g->bare || fg_toposort(fg, &order));
    g->fg = fg;
    for (int i = 0; ok && !g->bare && i < fg->nin; i++)
        ok = copied(g, fg->in[i]) && vec_push(g->c, &g->in, fg->in[i]->origin);
    for (int i = 0; ok && i < order.n; i++) ok = record(g, order.at[i]);
    for (int i = 0; ok && !g->bare && i < fg->nout; i++)
        ok = copied(g, fg->out[i]) && vec_push(g->c, &g->first, copied(g, fg->out[i]));
    vec_free(g->c, &order);
    return ok;
}

bool watch_pairs(WatchGraph *g, VarPairs *p) {
    bool ok =
        vec_reserve(g->c, &g->held, g->held.n + p->var.n) && vec_reserve(g->c, &g->event, g->event.n + p->var.n / 2);
    for (int i = 0; i < p->var.n; i++) {
        if (ok) g->held.at[g->held.n++] = p->var.at[i];
        else th_var_release(p->var.at[i]);
        if (ok && i % 2) g->event.at[g->event.n++] = (WatchEvent){"", p->var.at[i - 1], p->var.at[i], false, true};
    }
    vec_free(g->c, &p->var);
    return ok;
}

WatchGraph *watch_inner(WatchGraph *g, const ThApply *node, int body) {
    WatchGraph *in = watch_graph(g->c, g->log, g->bare);
    if (in && !vec_push(g->c, &g->inner, ((WatchInner){node, body, in}))) {
        watch_graph_free(in);
        return NULL;
    }
    return in;
}

/* ---- once it is optimized ---------------------------------------------------------------------------------------- */
/* The copy made with the node serves when its inputs are what they were. */
static ThApply *settle(WatchGraph *g, const ThApply *a) {
    ThVar *made = room(g, a->out[0]->id) ? g->copy.at[a->out[0]->id] : NULL;
    ThApply *copy = made ? made->owner : NULL;
    for (int i = 0; copy && i < a->nin; i++) {
        copied(g, a->in[i]);
        if (g->last.at[a->in[i]->id] != copy->in[i]) copy = NULL;
    }
    if (copy && (copy->nin != a->nin || !attrs_equal(a->op, copy->attrs, a->attrs))) copy = NULL;
    if (!copy) copy = copy_over(g, a, true);
    for (int i = 0; copy && i < a->nout; i++) g->last.at[a->out[i]->id] = copy->out[i];
    return copy;
}

static bool final_nodes(WatchGraph *g) {
    ApplyVec order = {0};
    bool ok = g->fg->order || fg_toposort(g->fg, &order);
    int n = g->fg->order ? g->fg->norder : order.n;
    for (int i = 0; ok && i < n; i++) {
        const ThApply *a = g->fg->order ? g->fg->order[i] : order.at[i];
        ThApply *copy = settle(g, a);
        ok = copy && vec_push(g->c, &g->node, copy);
        for (int k = 0; ok && k < g->inner.n; k++)
            if (g->inner.at[k].node == a) g->inner.at[k].node = copy;
    }
    vec_free(g->c, &order);
    for (int i = 0; ok && i < g->fg->nout; i++) {
        ok = copied(g, g->fg->out[i]) && vec_push(g->c, &g->out, g->last.at[g->fg->out[i]->id]);
        const WatchEvent e = {"(all rewrites together)", g->first.at[i], ok ? g->out.at[i] : NULL, true, false};
        if (ok && e.old != e.new_) ok = vec_push(g->c, &g->event, e);
    }
    return ok;
}

/* Everything that has a value, inputs first, and a number for it. */
static bool list_all(WatchGraph *g) {
    VarVec roots = {0};
    Map place = {0};
    uint32_t at;
    bool ok = true;
    for (int i = 0; ok && i < g->event.n; i++)
        ok = vec_push(g->c, &roots, g->event.at[i].old) && vec_push(g->c, &roots, g->event.at[i].new_);
    for (int i = 0; ok && i < g->node.n; i++)
        ok =
            vec_push(g->c, &roots, g->node.at[i]->out[0]) && map_put(g->c, &place, KEY(g->node.at[i]), (uint32_t)i + 1);
    ok = ok && graph_toposort(g->c, roots.at, roots.n, g->in.at, g->in.n, &g->all);
    for (int i = 0; ok && i < g->in.n; i++)
        if (!map_get(&g->number, KEY(g->in.at[i]), &at))
            ok = map_put(g->c, &g->number, KEY(g->in.at[i]), (uint32_t)g->nvalue++);
    for (int i = 0; ok && i < g->all.n; i++) {
        const ThApply *a = g->all.at[i];
        ok = vec_push(g->c, &g->place, map_get(&place, KEY(a), &at) ? (int)at : 0);
        for (int o = 0; ok && o < a->nout; o++) ok = map_put(g->c, &g->number, KEY(a->out[o]), (uint32_t)g->nvalue++);
    }
    vec_free(g->c, &roots);
    map_free(g->c, &place);
    return ok;
}

typedef VEC(WatchGraph *) Graphs;

/* g and the graphs of all bodies in it: nothing recurses. */
static bool list_graphs(WatchGraph *g, Graphs *list) {
    bool ok = vec_push(g->c, list, g);
    for (int i = 0; ok && i < list->n; i++) {
        const WatchGraph *at = list->at[i];
        for (int k = 0; ok && k < at->inner.n; k++) ok = vec_push(g->c, list, at->inner.at[k].graph);
    }
    return ok;
}

bool watch_seal(WatchGraph *g) {
    Graphs list = {0};
    bool ok = list_graphs(g, &list);
    for (int i = 0; ok && i < list.n; i++) {
        WatchGraph *at = list.at[i];
        if (at->fg->listeners.n) at->fg->listeners.n = 0;
        ok = !failed(g->c) && final_nodes(at) && list_all(at);
        at->fg = NULL;
        vec_free(g->c, &at->copy);
        vec_free(g->c, &at->last);
    }
    vec_free(g->c, &list);
    return ok;
}

static void free_one(WatchGraph *g) {
    ThContext *c = g->c;
    if (g->apart) th_function_release(g->apart);
    vec_free(c, &g->copy);
    vec_free(c, &g->last);
    vec_free(c, &g->first);
    vec_free(c, &g->event);
    for (int i = 0; i < g->held.n; i++) th_var_release(g->held.at[i]);
    vec_free(c, &g->held);
    vec_free(c, &g->in);
    vec_free(c, &g->out);
    vec_free(c, &g->node);
    vec_free(c, &g->all);
    vec_free(c, &g->place);
    vec_free(c, &g->inner);
    vec_free(c, &g->apart_in);
    vec_free(c, &g->apart_node);
    map_free(c, &g->number);
    builder_end(&g->b);
    ctx_free(c, g, sizeof *g);
}

void watch_graph_free(WatchGraph *g) {
    Graphs list = {0};
    if (!g) return;
    bool ok = list_graphs(g, &list);
    ThContext *c = g->c;
    for (int i = 0; ok && i < list.n; i++) free_one(list.at[i]);
    vec_free(c, &list);
}
