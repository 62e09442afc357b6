/*
 * updates.c -- the shared variables of a context that have a default update, as a list.
 * Updates that read each other's variables hold each other, and counts never free a circle: whoever ends the context's
 * use takes them back by this list. Any thread may let a shared variable go, so the list has a lock of its own.
 */
#include "parts.h"

static void updates_lock(GraphState *g) {
    while (atomic_flag_test_and_set_explicit(&g->updates_lock, memory_order_acquire)) {}
}

static void updates_unlock(GraphState *g) { atomic_flag_clear_explicit(&g->updates_lock, memory_order_release); }

bool default_update_list(ThContext *c, Shared *s) {
    GraphState *g = graph_state(c);
    if (!g) return false;
    updates_lock(g);
    if (!s->link) {
        if ((s->next = g->updates)) s->next->link = &s->next;
        s->link = &g->updates;
        g->updates = s;
    }
    updates_unlock(g);
    return true;
}

void default_update_unlist(Shared *s) {
    GraphState *g = s->ctx->slot[CTX_GRAPH];
    if (!g) return;
    updates_lock(g);
    if (s->link) {
        if ((*s->link = s->next)) s->next->link = s->link;
        s->link = NULL;
    }
    updates_unlock(g);
}

/* One that is in the list, held for the caller; NULL: there is none. One that is about to die is left to its thread. */
static Shared *some_listed(GraphState *g) {
    updates_lock(g);
    Shared *s = g->updates;
    for (; s; s = s->next) {
        int n = atomic_load(&s->refs);
        while (n > 0 && !atomic_compare_exchange_weak(&s->refs, &n, n + 1)) {}
        if (n > 0) break;
    }
    updates_unlock(g);
    return s;
}

void th_shared_forget_updates(ThContext *c) {
    GraphState *g = c ? c->slot[CTX_GRAPH] : NULL;
    for (Shared *s; g && (s = some_listed(g));) {
        default_update_unlist(s);
        ThVar *update = s->default_update;
        s->default_update = NULL;
        th_var_release(update);
        shared_release(s);
    }
}
