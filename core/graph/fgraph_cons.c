/*
 * fgraph_cons.c -- what keeps a FunctionGraph free of duplicates: the consing table, client lists, merged constants.
 * In: nodes of the graph's arena. Out: the node that is already there. Hashes are structural (operation's name,
 * attributes, dense ids of the inputs), never addresses; inputs of commutative operations count in any order for the
 * key only. Invariant: every edge stands once in its variable's client list, at the place that the edge's slot says.
 */
#include "parts.h"

#include <string.h>

enum { SORT_MAX = 64 }; /* longer commutative nodes merge only in the same order */

static bool commutes(const Op *op, const void *attrs) {
    if (op->flags & OP_COMM) { return true; }
    if (!(op->flags & OP_ELEMWISE) || op->attr_bytes < sizeof(ElemwiseAttrs)) { return false; }
    const ElemwiseAttrs *e = attrs;
    return !e->body && e->scalar < scalar_count && (scalar_ops[e->scalar].flags & SF_COMM);
}

/* What input `pos` adds to the hash: of a commutative operation the place does not count. */
static uint64_t input_hash(bool any_place, int pos, const ThVar *v) {
    return hash_mix(any_place ? 1 : (uint64_t)pos + 2, v->id);
}

uint64_t fg_hash(const Op *op, const void *attrs, ThVar *const *in, int nin) {
    uint64_t h = hash_mix(hash_bytes(op->name, strlen(op->name), (uint64_t)nin), attrs_hash(op, attrs));
    bool any_place = commutes(op, attrs);
    for (int i = 0; i < nin; i++) { h += input_hash(any_place, i, in[i]); }
    return h;
}

/* A sum over the inputs, so that a node with many of them is not hashed anew for each one that changes. */
void fg_hash_input(ThApply *a, int pos, const ThVar *v) {
    bool any_place = commutes(a->op, a->attrs);
    a->hash += input_hash(any_place, pos, v) - input_hash(any_place, pos, a->in[pos]);
}

static void sort_ids(ThVar *const *in, int n, uint32_t *id) {
    for (int i = 0; i < n; i++) {
        int at = i;
        for (; at > 0 && id[at - 1] > in[i]->id; at--) { id[at] = id[at - 1]; }
        id[at] = in[i]->id;
    }
}

static bool same_inputs(const ThApply *a, const ThApply *b) {
    if (memcmp(a->in, b->in, sizeof *a->in * a->nin) == 0) { return true; }
    uint32_t x[SORT_MAX], y[SORT_MAX];
    if (a->nin < 2 || a->nin > SORT_MAX || !commutes(a->op, a->attrs)) { return false; }
    sort_ids(a->in, a->nin, x);
    sort_ids(b->in, b->nin, y);
    return memcmp(x, y, sizeof *x * a->nin) == 0;
}

/* ---- the table: open addressing, no tombstones ---------------------------------------------------------------------
 */
/* Types count: a node whose inputs became more precise (a constant shape) keeps its old, weaker type beside a new one.
 */
static bool same_types(const ThApply *a, const ThType *types, int n) {
    if (a->nout != n) { return false; }
    for (int i = 0; i < n; i++) {
        if (!type_eq(a->out[i]->type, types[i])) { return false; }
    }
    return true;
}

ThApply *fg_table_find(const FGraph *fg, const ThApply *like, const ThType *types, int nout, uint64_t hash) {
    if (!fg->ncons || (like->op->flags & OP_EFFECT)) { return NULL; }
    int mask = fg->capcons - 1;
    for (int i = (int)(hash & (uint64_t)mask); fg->cons_slot[i].node; i = (i + 1) & mask) {
        ThApply *a = fg->cons_slot[i].node;
        if (fg->cons_slot[i].hash == hash && a->op == like->op && a->nin == like->nin &&
            a->destroys == like->destroys && attrs_equal(a->op, a->attrs, like->attrs) && same_inputs(a, like) &&
            same_types(a, types, nout)) {
            return a;
        }
    }
    return NULL;
}

static void fill_slot(FGraph *fg, ConsSlot x) {
    int mask = fg->capcons - 1, i = (int)(x.hash & (uint64_t)mask);
    while (fg->cons_slot[i].node) { i = (i + 1) & mask; }
    fg->cons_slot[i] = x;
    fg->ncons++;
}

bool fg_table_room(FGraph *fg, int more) {
    if (2 * ((int64_t)fg->ncons + more) <= fg->capcons) { return true; }
    int cap = fg->capcons ? fg->capcons : 64, old = fg->capcons;
    while (2 * ((int64_t)fg->ncons + more) > cap) { cap *= 2; }
    ConsSlot *was = fg->cons_slot, *slot = ctx_alloc0(fg->ctx, sizeof *slot * (size_t)cap);
    if (!slot) { return false; }
    fg->cons_slot = slot;
    fg->capcons = cap;
    fg->ncons = 0;
    for (int i = 0; i < old; i++) {
        if (was[i].node) { fill_slot(fg, was[i]); }
    }
    ctx_free(fg->ctx, was, sizeof *was * (size_t)old);
    return true;
}

void fg_table_add(FGraph *fg, ThApply *a) {
    if (!fg->cons || (a->op->flags & OP_EFFECT)) { return; }
    fill_slot(fg, (ConsSlot){a->hash, a});
    a->flags |= APPLY_CONSED;
}

/* Entries after the hole move back when their own place allows it, so that probing never meets a tombstone. */
void fg_table_del(FGraph *fg, ThApply *a) {
    if (!(a->flags & APPLY_CONSED)) { return; }
    a->flags &= (uint8_t)~APPLY_CONSED;
    int mask = fg->capcons - 1, i = (int)(a->hash & (uint64_t)mask);
    while (fg->cons_slot[i].node && fg->cons_slot[i].node != a) { i = (i + 1) & mask; }
    if (!fg->cons_slot[i].node) { return; }
    for (int j = (i + 1) & mask; fg->cons_slot[j].node; j = (j + 1) & mask) {
        int home = (int)(fg->cons_slot[j].hash & (uint64_t)mask);
        if (((j - home) & mask) >= ((j - i) & mask)) {
            fg->cons_slot[i] = fg->cons_slot[j];
            i = j;
        }
    }
    fg->cons_slot[i].node = NULL;
    fg->ncons--;
}

/* ---- clients ---------------------------------------------------------------------------------------------------- */
static int *slot_of(FGraph *fg, ThApply *node, int pos) { return node ? &apply_slots(node)[pos] : &fg->out_slot[pos]; }

bool fg_client_add(FGraph *fg, ThVar *v, ThApply *node, int pos) {
    if (v->nclients == v->capclients) {
        int cap = v->capclients > 1 ? 2 * v->capclients : 2;
        Client *more = arena_alloc(fg->arena, sizeof *more * (size_t)cap);
        if (!more) { return false; }
        if (v->nclients) { memcpy(more, v->clients, sizeof *more * (size_t)v->nclients); }
        v->clients = more;
        v->capclients = cap;
    }
    *slot_of(fg, node, pos) = v->nclients;
    v->clients[v->nclients++] = (Client){node, pos};
    return true;
}

void fg_client_del(FGraph *fg, ThVar *v, ThApply *node, int pos) {
    int at = *slot_of(fg, node, pos);
    Client last = v->clients[--v->nclients];
    v->clients[at] = last;
    *slot_of(fg, last.node, last.pos) = at;
}

/* ---- constants -------------------------------------------------------------------------------------------------- */
ThVar *fg_const(FGraph *fg, ThVar *made) {
    uint32_t at;
    if (fg->cons && map_get(&fg->const_map, const_hash(made), &at) && const_equal(fg->consts.at[at], made)) {
        if (made->u.data) { th_array_release(made->u.data); }
        made->u.data = NULL;
        return fg_find(fg->consts.at[at]);
    }
    if (!vec_reserve(fg->ctx, &fg->consts, fg->consts.n + 1) ||
        (fg->cons && !map_put(fg->ctx, &fg->const_map, const_hash(made), (uint32_t)fg->consts.n))) {
        if (made->u.data) { th_array_release(made->u.data); }
        made->u.data = NULL;
        return NULL;
    }
    fg->consts.at[fg->consts.n++] = made;
    return made;
}

/* ---- nodes come and go ------------------------------------------------------------------------------------------ */
bool fg_adopt(FGraph *fg, ThApply *a) {
    bool effect = (a->op->flags & OP_EFFECT) != 0;
    if ((fg->cons && !fg_table_room(fg, 1)) || (effect && !vec_reserve(fg->ctx, &fg->effects, fg->effects.n + 1))) {
        return false;
    }
    a->rank = 1;
    for (int i = 0; i < a->nin; i++) {
        if (!fg_client_add(fg, a->in[i], a, i)) {
            while (--i >= 0) { fg_client_del(fg, a->in[i], a, i); }
            return false;
        }
        const ThApply *from = a->in[i]->owner;
        a->rank = from && from->rank >= a->rank ? from->rank + 1 : a->rank;
    }
    a->id = (uint32_t)fg->nnodes++;
    fg->turn++;
    fg->live++;
    fg_table_add(fg, a);
    if (effect) { fg->effects.at[fg->effects.n++] = a; }
    for (int i = 0; i < fg->listeners.n; i++) {
        if (fg->listeners.at[i].on_import) { fg->listeners.at[i].on_import(fg->listeners.at[i].user, a); }
    }
    return true;
}

static bool unused(const ThApply *a) {
    if (a->flags & (APPLY_DEAD | APPLY_QUEUED) || a->op->flags & OP_EFFECT) { return false; }
    for (int i = 0; i < a->nout; i++) {
        if (a->out[i]->nclients) { return false; }
    }
    return true;
}

static void queue(ThApply *a, ThApply **list) {
    a->flags |= APPLY_QUEUED;
    a->next_free = *list;
    *list = a;
}

/* A list through next_free: needs no memory, so it cannot fail. */
void fg_prune(FGraph *fg, ThApply *const *candidates, int n) {
    ThApply *list = NULL;
    for (int i = 0; i < n; i++) {
        if (candidates[i] && unused(candidates[i])) { queue(candidates[i], &list); }
    }
    while (list) {
        ThApply *a = list;
        list = a->next_free;
        a->next_free = NULL;
        a->flags = (uint8_t)((a->flags & ~APPLY_QUEUED) | APPLY_DEAD);
        fg->live--;
        fg->turn++;
        fg_table_del(fg, a);
        for (int i = 0; i < a->nin; i++) {
            fg_client_del(fg, a->in[i], a, i);
            if (a->in[i]->owner && unused(a->in[i]->owner)) { queue(a->in[i]->owner, &list); }
        }
        for (int i = 0; i < fg->listeners.n; i++) {
            if (fg->listeners.at[i].on_prune) { fg->listeners.at[i].on_prune(fg->listeners.at[i].user, a); }
        }
    }
}
