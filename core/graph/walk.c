/*
 * walk.c -- orders over a user's graph, without recursion.
 * In: output variables. Out: Applys inputs first, or leaves in the order met: depth first in input order, the same in
 * every run (the table of seen nodes is only asked, never iterated). Each edge is looked at once.
 */
#include "parts.h"

#include <string.h>

typedef struct Visit {
    ThApply *node;
    int next;
} Visit; /* next input to look at */
typedef struct Walk {
    ThContext *c;
    Map seen; /* Applys and leaves met, and the stop variables */
    VEC(Visit) stack;
    ApplyVec *order; /* or NULL */
    VarVec *leaves;  /* or NULL */
} Walk;

/* Meets v: pushes its Apply, or notes the leaf. */
static bool meet(Walk *w, ThVar *v) {
    uint32_t x;
    if (map_get(&w->seen, KEY(v), &x)) { return true; /* a stop variable or a leaf met before */ }
    if (!v->owner) { return map_put(w->c, &w->seen, KEY(v), 0) && (!w->leaves || vec_push(w->c, w->leaves, v)); }
    if (map_get(&w->seen, KEY(v->owner), &x)) { return true; }
    return map_put(w->c, &w->seen, KEY(v->owner), 0) && vec_push(w->c, &w->stack, ((Visit){v->owner, 0}));
}

static bool drain(Walk *w) {
    while (w->stack.n) {
        Visit *top = &w->stack.at[w->stack.n - 1];
        if (top->next < top->node->nin) {
            if (!meet(w, top->node->in[top->next++])) { return false; }
            continue;
        }
        ThApply *done = vec_pop(&w->stack).node;
        if (w->order && !vec_push(w->c, w->order, done)) { return false; }
    }
    return true;
}

static bool walk(Walk *w, ThVar *const *outs, int nout, ThVar *const *stop, int nstop) {
    bool ok = true;
    for (int i = 0; ok && i < nstop; i++) { ok = map_put(w->c, &w->seen, KEY(stop[i]), 0); }
    for (int i = 0; ok && i < nout; i++) { ok = meet(w, outs[i]) && drain(w); }
    map_free(w->c, &w->seen);
    vec_free(w->c, &w->stack);
    return ok;
}

bool graph_toposort(ThContext *c, ThVar *const *outs, int nout, ThVar *const *stop, int nstop, ApplyVec *order) {
    Walk w = {.c = c, .order = order};
    return walk(&w, outs, nout, stop, nstop);
}

bool graph_leaves(ThContext *c, ThVar *const *outs, int nout, VarVec *leaves) {
    return graph_leaves_from(c, outs, nout, NULL, 0, leaves);
}

bool graph_leaves_from(ThContext *c, ThVar *const *outs, int nout, ThVar *const *stop, int nstop, VarVec *leaves) {
    Walk w = {.c = c, .leaves = leaves};
    return walk(&w, outs, nout, stop, nstop);
}
