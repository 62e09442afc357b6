/*
 * fgraph_replace.c -- replacing variables in a FunctionGraph, in place.
 * In: pairs old -> new of equal types. Out: every user of old uses new; users that thereby equal another node are
 * merged with it, and so on, by a queue. A replacement forwards `old` (union-find), moves its clients and rehashes only
 * those; ancestors are never rebuilt. Of two merged nodes the one with more clients stays. What died is pruned at the
 * end, listeners told.
 */
#include "parts.h"

#include <string.h>

typedef struct Pair {
    ThVar *old, *new_;
    bool merged; /* computed by nodes that were found to be equal */
} Pair;
typedef struct Work {
    FGraph *fg;
    VEC(Pair) queue;
    int head;
    ApplyVec touched; /* inputs changed by the pair being done */
    ApplyVec changed; /* inputs changed at all */
    ApplyVec dead;    /* owners of replaced variables */
} Work;

/* Node takes v as input pos; its old edge is already gone from the old variable's list. */
static bool connect(Work *w, ThApply *node, int pos, ThVar *v) {
    w->fg->turn++;
    if (!fg_client_add(w->fg, v, node, pos)) { return false; }
    if (!node) {
        w->fg->out[pos] = v;
        return true;
    }
    if (!(node->flags & APPLY_TOUCHED)) {
        fg_cons_del(w->fg, node);
        node->flags |= APPLY_TOUCHED;
        if (!vec_push(w->fg->ctx, &w->touched, node) || !vec_push(w->fg->ctx, &w->changed, node)) { return false; }
    }
    if (w->fg->cons) { fg_hash_input(node, pos, v); }
    node->in[pos] = v;
    const ThApply *from = v->owner;
    if (from && from->rank >= node->rank) {
        node->rank = from->rank + 1;
        w->fg->ranks_stale = true;
    }
    return true;
}

/* a and its equal b, which is in the table: the one with fewer clients gives way. */
static bool merge_nodes(Work *w, ThApply *a, ThApply *b) {
    if (a->nout == 1 && !a->out[0]->forward && !b->out[0]->forward && a->out[0]->nclients > b->out[0]->nclients) {
        fg_cons_del(w->fg, b);
        if (!fg_cons_add(w->fg, a)) { return false; }
        ThApply *other = a;
        a = b;
        b = other;
    }
    b->prov = prov_join(w->fg->ctx, b->prov, a->prov);
    for (int i = 0; i < a->nout; i++) {
        if (!vec_push(w->fg->ctx, &w->queue, ((Pair){a->out[i], b->out[i], true}))) { return false; }
    }
    return true;
}

/*
 * All its outputs were replaced: it is deleted at the end. Until then it takes part in no merge, for what would be
 * forwarded is the variable that replaced it, which other nodes may be computed from.
 */
static bool leaving(const ThApply *a) {
    for (int i = 0; i < a->nout; i++) {
        if (!a->out[i]->forward) { return false; }
    }
    return true;
}

/* Puts a touched node back into the table, or merges it with the equal one that is there. */
static bool settle(Work *w, ThApply *a) {
    a->flags &= (uint8_t)~APPLY_TOUCHED;
    if (!w->fg->cons || (a->flags & APPLY_DEAD) || leaving(a)) { return true; }
    ThType types[OP_MAX_OUT];
    for (int i = 0; i < a->nout; i++) { types[i] = a->out[i]->type; }
    ThApply *same = fg_cons_find(w->fg, a, types, a->nout);
    if (same) { return same == a || merge_nodes(w, a, same); }
    return fg_cons_add(w->fg, a);
}

/* One pair: moves the clients of a to b. */
static bool forward(Work *w, ThVar *a, ThVar *b) {
    if (a->owner && !vec_push(w->fg->ctx, &w->dead, a->owner)) { return false; }
    a->forward = b;
    b->flags |= a->flags & VAR_F_REMAT;
    if (a->owner && leaving(a->owner) && !(a->owner->flags & APPLY_TOUCHED)) { fg_cons_del(w->fg, a->owner); }
    if (!b->name && b->owner) { b->name = a->name; }
    int n = a->nclients;
    a->nclients = 0;
    for (int i = 0; i < n; i++) {
        if (!connect(w, a->clients[i].node, a->clients[i].pos, b)) { return false; }
    }
    for (int i = 0; i < w->touched.n; i++) {
        if (!settle(w, w->touched.at[i])) { return false; }
    }
    w->touched.n = 0;
    return true;
}

static void tell(const FGraph *fg, ThVar *old, ThVar *new_, bool merged) {
    const char *rule = merged ? "merge" : fg->rule;
    for (int k = 0; k < fg->listeners.n; k++) {
        const FgListener *l = &fg->listeners.at[k];
        if (l->on_replace) { l->on_replace(l->user, old, new_, rule); }
    }
}

static bool drain(Work *w) {
    while (w->head < w->queue.n) {
        Pair p = w->queue.at[w->head++];
        ThVar *a = fg_find(p.old), *b = fg_find(p.new_);
        if (a == b) { continue; }
        tell(w->fg, a, b, p.merged);
        if (!forward(w, a, b)) { return false; }
    }
    return true;
}

/* Deletes what died, tells the listeners what changed, and gives the work lists back. */
static bool finish(Work *w, bool ok) {
    FGraph *fg = w->fg;
    for (int i = 0; i < w->touched.n; i++) { w->touched.at[i]->flags &= (uint8_t)~APPLY_TOUCHED; }
    if (ok) { fg_prune(fg, w->dead.at, w->dead.n); }
    for (int i = 0; ok && i < w->changed.n; i++) {
        for (int k = 0; k < fg->listeners.n && !(w->changed.at[i]->flags & APPLY_DEAD); k++) {
            if (fg->listeners.at[k].on_change) {
                fg->listeners.at[k].on_change(fg->listeners.at[k].user, w->changed.at[i]);
            }
        }
    }
    vec_free(fg->ctx, &w->queue);
    vec_free(fg->ctx, &w->touched);
    vec_free(fg->ctx, &w->changed);
    vec_free(fg->ctx, &w->dead);
    return ok;
}

/* BadOptimization with both variables and their types. */
static bool refuse(FGraph *fg, const char *rule, const ThVar *old, const ThVar *new_, const char *why) {
    Text a, b;
    text_init(&a, fg->ctx);
    text_init(&b, fg->ctx);
    var_str(&a, old);
    text_put(&a, " of type ");
    type_text(&a, old->type);
    var_str(&b, new_);
    text_put(&b, " of type ");
    type_text(&b, new_->type);
    err(fg->ctx, TH_BadOptimization, "rewrite %s: %s: %s is to be replaced by %s", rule ? rule : "(unnamed)", why,
        a.at ? a.at : "?", b.at ? b.at : "?");
    text_free(&a);
    text_free(&b);
    return false;
}

/*
 * Is v computed from old? Only nodes above old's owner can be: what a rewrite makes, mostly, of which few are looked
 * at, so that a replacement does not walk the graph. Ranks may lag, so this finds what one rewrite does, not a circle
 * that several make.
 */
static bool computed_from(const ThVar *v, const ThVar *old) {
    enum { ROOM = 64, LOOKED_AT = 256 };
    const ThApply *stack[ROOM], *last = NULL;
    int n = 0;
    uint32_t least = old->owner ? old->owner->rank : 0;
    if (v->owner && v->owner != old->owner) { stack[n++] = v->owner; }
    for (int looked = 0; n && looked < LOOKED_AT; looked++) {
        const ThApply *a = stack[--n];
        for (int i = 0; i < a->nin; i++) {
            const ThApply *from = a->in[i]->owner;
            if (a->in[i] == old) { return true; }
            if (from && from != last && from->rank > least && n < ROOM) { stack[n++] = last = from; }
        }
    }
    return false;
}

static bool check_pair(FGraph *fg, const ThVar *old, const ThVar *new_, const char *rule) {
    if (!type_eq(old->type, new_->type)) { return refuse(fg, rule, old, new_, "the types differ"); }
    return !computed_from(new_, old) || refuse(fg, rule, old, new_, "the new variable is computed from the old one");
}

bool fg_replace_many(FGraph *fg, ThVar *const *old, ThVar *const *new_, int n, const char *rule) {
    Work w = {.fg = fg};
    const char *was = fg->rule;
    fg->rule = rule;
    bool ok = true;
    for (int i = 0; ok && i < n; i++) {
        ThVar *a = old[i] ? fg_find(old[i]) : NULL, *b = new_[i] ? fg_find(new_[i]) : NULL;
        ok = a && b && (a == b || (check_pair(fg, a, b, rule) && vec_push(fg->ctx, &w.queue, ((Pair){a, b, false}))));
    }
    ok = finish(&w, ok && drain(&w));
    fg->rule = was;
    return ok;
}

bool fg_replace(FGraph *fg, ThVar *old, ThVar *new_, const char *rule) {
    return fg_replace_many(fg, &old, &new_, 1, rule);
}

/* One edge (node NULL: output pos) from its variable to v. */
static bool move_edge(FGraph *fg, ThApply *node, int pos, ThVar *v) {
    ThVar *old = node ? node->in[pos] : fg->out[pos];
    Work w = {.fg = fg};
    v = fg_find(v);
    if (v == old) { return true; }
    if (!type_eq(old->type, v->type)) { return refuse(fg, fg->rule, old, v, "the types differ"); }
    if (old->owner && !vec_push(fg->ctx, &w.dead, old->owner)) { return finish(&w, false); }
    fg_client_del(fg, old, node, pos);
    bool ok = connect(&w, node, pos, v) && (!node || settle(&w, node));
    w.touched.n = 0;
    return finish(&w, ok && drain(&w));
}

bool fg_set_input(FGraph *fg, ThApply *node, int pos, ThVar *v) { return move_edge(fg, node, pos, v); }

bool fg_set_output(FGraph *fg, int pos, ThVar *v) { return move_edge(fg, NULL, pos, v); }

/* ---- merge ------------------------------------------------------------------------------------------------------ */
/* Equal constants become one; the consing table is not in use yet. */
static bool merge_consts(Work *w) {
    FGraph *fg = w->fg;
    for (int i = 0; i < fg->consts.n; i++) {
        ThVar *v = fg->consts.at[i];
        uint32_t at;
        if (v->forward || (!v->u.data && v->type.kind != TYPE_NONE)) { continue; }
        if (map_get(&fg->const_map, const_hash(v), &at) && const_equal(fg->consts.at[at], v)) {
            if (fg->consts.at[at] != v && !vec_push(fg->ctx, &w->queue, ((Pair){v, fg->consts.at[at], true}))) {
                return false;
            }
        } else if (!map_put(fg->ctx, &fg->const_map, const_hash(v), (uint32_t)i)) {
            return false;
        }
    }
    return drain(w);
}

static bool merge_order(Work *w, const ApplyVec *order) {
    enum { FAR = 16, NEAR = 8 };
    for (int i = 0; i < order->n; i++) {
        ThApply *a = order->at[i];
        if (i + FAR < order->n) { apply_prefetch(order->at[i + FAR]); }
        if (i + NEAR < order->n) { apply_prefetch_inputs(order->at[i + NEAR]); }
        fg_cons_del(w->fg, a); /* a client of a merged node may be there already */
        if (!settle(w, a) || !drain(w)) { return false; }
    }
    return true;
}

bool fg_merge(FGraph *fg) {
    if (fg->cons) { return true; }
    Work w = {.fg = fg};
    ApplyVec order = {0};
    bool ok = merge_consts(&w) && fg_toposort(fg, &order);
    fg->cons = ok;
    for (int i = 0; i < order.n && fg->wide; i++) { fg_hash_wide(order.at[i]); }
    ok = ok && merge_order(&w, &order);
    vec_free(fg->ctx, &order);
    return finish(&w, ok);
}
