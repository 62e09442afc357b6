/*
 * graph.c -- a graph in the user's hands: what changes it beside replacing, what it tells, and graphs that no
 * compilation owns.
 * In: an FGraph behind a ThRewriteCall. Out: the changed FGraph, events in the order in which they happened. Invariant:
 * a change that is refused leaves the graph as it was, and nodes that nobody uses are gone before the user looks.
 */
#include "user.h"

#include <string.h>

enum { SHOWN = 6 };

void user_settle(ThRewriteCall *r) {
    Builder *b = &r->o->b;
    if (r->node || !b->pool.n) return;
    Builder again = *b;
    builder_end(b);
    memset(&again.pool, 0, sizeof again.pool);
    *b = again;
}

ThContext *th_rewrite_context(const ThRewriteCall *r) { return r ? r->c : NULL; }

/* ---- what happened ---- */
static void tell(ThRewriteCall *r, Noted e) {
    if (!vec_push(r->c, &r->events, e)) r->watching = false; /* memory is out: the context says so */
}

static void on_import(void *user, ThApply *node) { tell(user, (Noted){.kind = 'i', .node = node}); }

static void on_prune(void *user, ThApply *node) { tell(user, (Noted){.kind = 'p', .node = node}); }

/* Before the users of `old` take the new variable. */
static void on_replace(void *user, ThVar *old, ThVar *new_, const char *rule) {
    for (int i = 0; i < old->nclients; i++)
        tell(user, (Noted){'c', old->clients[i].node, old->clients[i].pos, old, new_, rule});
}

int th_rewrite_watch(ThRewriteCall *r, bool on) {
    if (!r) return -1;
    FGraph *fg = r->o->fg;
    if (on == r->watching) return 0;
    if (on) {
        FgListener l = {.on_import = on_import, .on_prune = on_prune, .on_replace = on_replace, .user = r};
        r->watching = vec_push(r->c, &fg->listeners, l);
        return r->watching ? 0 : -1;
    }
    int kept = 0;
    for (int i = 0; i < fg->listeners.n; i++)
        if (fg->listeners.at[i].user != r) fg->listeners.at[kept++] = fg->listeners.at[i];
    fg->listeners.n = kept;
    r->watching = false;
    vec_free(r->c, &r->events);
    return 0;
}

/* What came and went before anybody asked is not told. */
static bool is_news(ThRewriteCall *r, const Noted *e, const Map *came, const Map *went) {
    uint32_t at;
    return !e->node || (e->kind == 'c' && !map_get(came, KEY(e->node), &at)) ||
           (e->kind == 'i' && !map_get(went, KEY(e->node), &at)) ||
           (e->kind == 'p' && !map_get(came, KEY(e->node), &at)) || failed(r->c);
}

static bool show(ThRewriteCall *r, const Noted *e, ThRewriteEvent *to) {
    *to = (ThRewriteEvent){.kind = e->kind, .position = e->pos, .reason = e->reason};
    if (e->node) {
        bool dead = e->node->flags & APPLY_DEAD;
        ThVar *v = dead ? mirror_was(r, e->node->out[0]) : NULL;
        to->node = dead ? v ? v->owner : NULL : mirror_node(r, e->node, 1);
        if (!to->node) return false;
    }
    if (e->kind != 'c') return true;
    to->old = mirror_was(r, e->old);
    to->new_ = mirror_var(r, e->new_);
    return to->old && to->new_;
}

int th_rewrite_events(ThRewriteCall *r, ThRewriteEvent **events) {
    if (!r) return -1;
    if (!events) return err_missing(r->c, __func__), -1;
    Map came = {0}, went = {0};
    int n = 0;
    user_settle(r);
    bool ok = (*events = ctx_alloc_owned(r->c, sizeof **events * (size_t)(r->events.n + 1))) != NULL;
    for (int i = 0; ok && i < r->events.n; i++) {
        const Noted *e = &r->events.at[i];
        if (e->kind != 'c') ok = map_put(r->c, e->kind == 'i' ? &came : &went, KEY(e->node), 1);
    }
    for (int i = 0; ok && i < r->events.n; i++)
        if (is_news(r, &r->events.at[i], &came, &went)) ok = show(r, &r->events.at[i], &(*events)[n++]);
    map_free(r->c, &came);
    map_free(r->c, &went);
    r->events.n = 0;
    if (ok) return n;
    th_free(r->c, *events);
    *events = NULL;
    return -1;
}

/* ---- changing ---- */
static ThApply *node_of(ThRewriteCall *r, ThApply *user) {
    uint32_t at;
    ThVar *v = user->nout && map_get(&r->of_user, KEY(user->out[0]), &at) ? r->seen.at[at].fg : NULL;
    return v && v->owner && !(v->owner->flags & APPLY_DEAD) ? v->owner : NULL;
}

int th_rewrite_current(ThRewriteCall *r, ThApply *node, ThApply **now) {
    if (!r) return -1;
    if (!node || !now) return err_missing(r->c, __func__), -1;
    user_settle(r);
    ThApply *a = node_of(r, node);
    *now = a ? mirror_node(r, a, SHOWN) : NULL;
    return failed(r->c) ? -1 : *now != NULL;
}

static bool change(ThRewriteCall *r, ThApply *a, int pos, ThVar *v, const char *why) {
    FGraph *fg = r->o->fg;
    ThVar *old = a ? a->in[pos] : fg->out[pos], *to = mirror_import(r, v);
    bool yes = false;
    if (to) to = mirror_fitted(r, old, to);
    if (!to || to == old) return to != NULL;
    if (!type_eq(old->type, to->type)) return mirror_refuse(r, old, to, "the types differ");
    for (int i = 0; a && !yes && i < a->nout; i++)
        if (!mirror_needs(r, to, a->out[i], &yes)) return false;
    if (yes) return mirror_refuse(r, old, to, "the new input is computed by the node that was to take it");
    if (r->watching) tell(r, (Noted){'c', a, pos, old, to, why});
    return a ? fg_set_input(fg, a, pos, to) : fg_set_output(fg, pos, to);
}

int th_rewrite_change_input(ThRewriteCall *r, ThApply *node, int pos, ThVar *v, const char *reason) {
    if (!r) return -1;
    if (!v) return err_missing(r->c, __func__), -1;
    ThApply *a = node ? node_of(r, node) : NULL;
    const char *why = reason ? intern(r->c, reason) : r->name;
    if (!why || !user_may_replace(r)) return -1;
    if (node && !a) return err(r->c, TH_ValueError, "the node is no longer in the graph") - 1;
    int n = a ? a->nin : r->o->fg->nout;
    if (pos < 0 || pos >= n)
        return err(r->c, TH_IndexError, "there is no %s %d (there are %d, counted from 0)", a ? "input" : "output", pos,
                   n) -
               1;
    bool ok = change(r, a, pos, v, why);
    user_settle(r);
    return ok ? 0 : -1;
}

int th_rewrite_restore(ThRewriteCall *r, ThVar *const *out, int n) {
    if (!r) return -1;
    if (!graph_given(r->c, __func__, out, n)) return -1;
    FGraph *fg = r->o->fg;
    if (!user_may_replace(r)) return -1;
    if (n != fg->nout) return err(r->c, TH_ValueError, "the graph has %d outputs, not %d", fg->nout, n) - 1;
    ThVar **to = ctx_alloc(r->c, sizeof *to * (size_t)(n + 1));
    bool ok = to && mirror_again(r, out, n, to);
    for (int i = 0; ok && i < n; i++) {
        to[i] = fg_find(to[i]);
        if (r->watching && to[i] != fg->out[i]) tell(r, (Noted){'c', NULL, i, fg->out[i], to[i], "revert"});
        ok = fg_set_output(fg, i, to[i]);
    }
    ctx_free(r->c, to, sizeof *to * (size_t)(n + 1));
    user_settle(r);
    return ok ? 0 : -1;
}

int th_rewrite_merge(ThRewriteCall *r) {
    if (!r) return -1;
    user_settle(r);
    return user_may_replace(r) && fg_merge(r->o->fg) ? 0 : -1;
}

int th_rewrite_verify(ThRewriteCall *r) {
    if (!r) return -1;
    user_settle(r);
    return fg_ranks(r->o->fg) && graph_verify(r->o->fg) ? 0 : -1;
}

/* ---- graphs of their own ---- */
typedef struct OwnGraph {
    ThRewriteCall call; /* first: a graph of its own is asked as one in a rewrite is */
    Opt o;
} OwnGraph;

/* The user's own nodes stand for those of the copy, which was made in the same order. */
static bool show_own(ThRewriteCall *r, ThVar *const *in, int nin, ThVar *const *out, int nout) {
    ApplyVec order = {0};
    FGraph *fg = r->o->fg;
    bool ok = graph_toposort(r->c, out, nout, in, nin, &order);
    for (int i = 0; ok && i < order.n && i < fg->sorted.n; i++)
        for (int k = 0; ok && k < order.at[i]->nout; k++)
            ok = mirror_note(r, order.at[i]->out[k], fg->sorted.at[i]->out[k]);
    vec_free(r->c, &order);
    return ok;
}

ThRewriteCall *th_fgraph_new(ThContext *c, ThVar *const *in, int nin, ThVar *const *out, int nout) {
    if (!c) return NULL;
    if (!graph_given(c, __func__, in, nin) || !graph_given(c, __func__, out, nout)) return NULL;
    const RuleTable *rules = failed(c) ? NULL : rules_get(c);
    OwnGraph *g = rules ? ctx_alloc0(c, sizeof *g) : NULL;
    if (!g) return NULL;
    g->o = (Opt){.c = c, .rules = rules, .fg = fg_new(c, in, nin, out, nout, NULL, NULL, 0, false)};
    if (!g->o.fg) {
        ctx_free(c, g, sizeof *g);
        return NULL;
    }
    th_context_retain(c);
    mirror_begin(&g->call, &g->o, "user");
    g->call.anywhere = true;
    builder_begin_fg(&g->o.b, g->o.fg, 0);
    if (show_own(&g->call, in, nin, out, nout)) return &g->call;
    th_fgraph_free(&g->call);
    return NULL;
}

void th_fgraph_free(ThRewriteCall *r) {
    if (!r) return;
    OwnGraph *g = (OwnGraph *)r;
    ThContext *c = r->c;
    th_rewrite_watch(r, false);
    builder_end(&g->o.b);
    shape_free(&g->o);
    mirror_end(r);
    fg_free(g->o.fg);
    ctx_free(c, g, sizeof *g);
    th_context_release(c);
}

bool opt_run_own(ThRewriteCall *r, const char *query, OptEval eval) {
    FGraph *fg = r->o->fg;
    user_settle(r);
    shape_free(r->o);
    bool ok = opt_run_query(fg, query, eval);
    fg->order = NULL; /* it may be changed again */
    fg->norder = 0;
    return ok;
}
