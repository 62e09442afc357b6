/*
 * grad_walk.c -- which variables and Applys a gradient needs, in Theano's order of discovery.
 * In: the outputs that have gradients, the variables asked for, those to hold constant. Out: for each variable the
 * edges (Apply, input position) through which it influences an output, in the order Theano finds them; which variables
 * lie on a path from one asked for; which Applys must be differentiated. Edges follow each operation's `connected`
 * only. Depth first with an explicit stack; every edge is looked at a constant number of times.
 */
#include "grad.h"

int gvar_find(const GradWalk *w, const ThVar *v) {
    uint32_t at;
    return map_get(&w->var_map, KEY(v), &at) ? (int)at : -1;
}

int gvar_add(GradWalk *w, ThVar *v) {
    int at = gvar_find(w, v);
    if (at >= 0) { return at; }
    if (!vec_push(w->c, &w->var, ((GVar){.v = v, .first = -1, .last = -1})) ||
        !map_put(w->c, &w->var_map, KEY(v), (uint32_t)(w->var.n - 1))) {
        return -1;
    }
    return w->var.n - 1;
}

int gnode_find(const GradWalk *w, const ThApply *a) {
    uint32_t at;
    return map_get(&w->node_map, KEY(a), &at) ? (int)at : -1;
}

static int add_node(GradWalk *w, ThApply *a) {
    int at = gnode_find(w, a);
    if (at >= 0) { return at; }
    GNode n = {.a = a, .edge0 = w->edge_of.n};
    if (!vec_reserve(w->c, &w->edge_of, w->edge_of.n + a->nin) || !vec_push(w->c, &w->node, n) ||
        !map_put(w->c, &w->node_map, KEY(a), (uint32_t)(w->node.n - 1))) {
        return -1;
    }
    for (int i = 0; i < a->nin; i++) { w->edge_of.at[w->edge_of.n++] = -1; }
    return w->node.n - 1;
}

bool grad_connected(const ThApply *a, int in, int out) { return !a->op->connected || a->op->connected(a, in, out); }

/* Edge (node, pos) of variable v: behind the other positions of that node, else at the end. */
static bool add_edge(GradWalk *w, int v, int node, int pos) {
    int *mine = &w->edge_of.at[w->node.at[node].edge0 + pos];
    if (*mine >= 0) { return true; /* found before through another output */ }
    uint64_t key = (uint64_t)v << 32 | (uint32_t)node;
    uint32_t after;
    bool grouped = map_get(&w->group, key, &after);
    int e = w->edge.n;
    if (!vec_push(w->c, &w->edge, ((GEdge){node, pos, -1, NULL})) || !map_put(w->c, &w->group, key, (uint32_t)e)) {
        return false;
    }
    GVar *g = &w->var.at[v];
    if (!grouped) { after = (uint32_t)g->last; }
    if (g->first < 0) {
        g->first = e;
    } else {
        w->edge.at[e].next = w->edge.at[after].next;
        w->edge.at[after].next = e;
    }
    if ((int)after == g->last || g->last < 0) { g->last = e; }
    *mine = e;
    return true;
}

typedef struct Frame {
    int var, node, next;
} Frame;
typedef VEC(Frame) FrameVec;

/* Starts on v unless it was accounted for, is held constant, or nothing computes it. */
static bool enter(GradWalk *w, FrameVec *stack, int v) {
    GVar *g = &w->var.at[v];
    if (g->accounted) { return true; }
    g->accounted = true;
    if (g->constant || !g->v->owner) { return true; }
    int node = add_node(w, g->v->owner);
    return node >= 0 && vec_push(w->c, stack, ((Frame){v, node, 0}));
}

static bool account_for(GradWalk *w, FrameVec *stack, int v) {
    bool ok = enter(w, stack, v);
    while (ok && stack->n) {
        Frame *f = &stack->at[stack->n - 1];
        ThApply *a = w->node.at[f->node].a;
        if (f->next == a->nin) {
            stack->n--;
            continue;
        }
        int i = f->next++, node = f->node;
        if (!grad_connected(a, i, w->var.at[f->var].v->index)) { continue; }
        int in = gvar_add(w, a->in[i]);
        ok = in >= 0 && add_edge(w, in, node, i) && enter(w, stack, in);
    }
    return ok;
}

/* Upward from the variables asked for: what lies on a path. `known` variables are not passed when `stop`. */
static bool climb(GradWalk *w, const int *from, int n, bool stop) {
    VEC(int) stack = {0};
    bool ok = true;
    for (int i = 0; ok && i < n; i++) { ok = from[i] < 0 || vec_push(w->c, &stack, from[i]); }
    while (ok && stack.n) {
        GVar *g = &w->var.at[vec_pop(&stack)];
        bool *mark = stop ? &g->needed : &g->on_path;
        if (*mark || g->first < 0 || (stop && g->known)) { continue; }
        *mark = true;
        for (int e = g->first; ok && e >= 0; e = w->edge.at[e].next) {
            GNode *node = &w->node.at[w->edge.at[e].node];
            node->needed = node->needed || stop;
            for (int o = 0; ok && o < node->a->nout; o++) {
                int out = grad_connected(node->a, w->edge.at[e].pos, o) ? gvar_find(w, node->a->out[o]) : -1;
                ok = out < 0 || vec_push(w->c, &stack, out);
            }
        }
    }
    vec_free(w->c, &stack);
    return ok;
}

bool grad_walk(GradWalk *w, ThVar *const *out, int nout, ThVar *const *wrt, int nwrt, ThVar *const *constant,
               int nconstant) {
    FrameVec stack = {0};
    VEC(int) from = {0};
    bool ok = true;
    for (int i = 0; ok && i < nconstant; i++) {
        int v = gvar_add(w, constant[i]);
        ok = v >= 0;
        if (ok) { w->var.at[v].constant = true; }
    }
    for (int i = 0; ok && i < nout; i++) {
        int v = gvar_add(w, out[i]);
        ok = v >= 0 && account_for(w, &stack, v);
    }
    for (int i = 0; ok && i < nwrt; i++) { ok = vec_push(w->c, &from, gvar_find(w, wrt[i])); }
    ok = ok && climb(w, from.at, from.n, false);
    vec_free(w->c, &stack);
    vec_free(w->c, &from);
    return ok;
}

bool grad_needed(GradWalk *w, ThVar *const *wrt, int nwrt) {
    VEC(int) from = {0};
    bool ok = true;
    for (int i = 0; ok && i < nwrt; i++) { ok = vec_push(w->c, &from, gvar_find(w, wrt[i])); }
    ok = ok && climb(w, from.at, from.n, true);
    vec_free(w->c, &from);
    return ok;
}

void grad_walk_free(GradWalk *w) {
    vec_free(w->c, &w->var);
    vec_free(w->c, &w->node);
    vec_free(w->c, &w->edge);
    vec_free(w->c, &w->edge_of);
    map_free(w->c, &w->var_map);
    map_free(w->c, &w->node_map);
    map_free(w->c, &w->group);
}
