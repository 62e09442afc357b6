/*
 * fgraph_cons.c -- what keeps a FunctionGraph free of duplicates: the consing table, client lists, merged constants.
 * In: nodes of the graph's arena. Out: the node that is already there. Hashes are structural (operation's name,
 * attributes, dense ids of the inputs), never addresses; inputs of commutative operations count in any order for the
 * key only. Invariant: every edge stands once in its variable's client list, at the place that the edge's slot says.
 */
#include "parts.h"

#include <string.h>

enum {
    SORT_MAX = 64, /* longer commutative nodes merge only in the same order */
    FEW = 8,       /* nodes with more inputs, or none, always stand in the table */
    SHORT = 16     /* longest client list that is searched; a variable that ever had more is a hub from then on */
};

static bool commutes(const ThApply *a) {
    return (a->op->flags & OP_COMM) || (a->scalar >= 0 && (scalar_ops[a->scalar].flags & SF_COMM));
}

/* What input `pos` adds to the hash: of a commutative operation the place does not count. */
static uint64_t input_hash(bool any_place, int pos, const ThVar *v) {
    return hash_mix(any_place ? 1 : (uint64_t)pos + 2, v->id);
}

/* Of op and attrs alone, so that it stays a node's own whatever becomes of its inputs. */
static uint64_t own_hash(const Op *op, const void *attrs, int scalar) {
    if (scalar >= 0) { return hash_mix(0x5ca1a2, (uint64_t)scalar); }
    return hash_mix(hash_bytes(op->name, strlen(op->name), 0), attrs_hash(op, attrs));
}

uint16_t fg_key(const Op *op, const void *attrs, int scalar) { return (uint16_t)own_hash(op, attrs, scalar); }

static uint64_t hash_of(const ThApply *a) {
    uint64_t h = own_hash(a->op, a->attrs, a->scalar);
    bool any_place = commutes(a);
    for (int i = 0; i < a->nin; i++) { h += input_hash(any_place, i, a->in[i]); }
    return h;
}

void fg_hash_wide(ThApply *a) {
    if (a->nin > FEW) { a->hash = hash_of(a); }
}

/* A sum over the inputs, so that a node with many of them is not hashed anew for each one that changes. */
void fg_hash_input(ThApply *a, int pos, const ThVar *v) {
    if (a->nin <= FEW) { return; }
    bool any_place = commutes(a);
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
    if (a->nin < 2 || a->nin > SORT_MAX || !commutes(a)) { return false; }
    sort_ids(a->in, a->nin, x);
    sort_ids(b->in, b->nin, y);
    return memcmp(x, y, sizeof *x * a->nin) == 0;
}

/* ---- equal nodes ----------------------------------------------------------------------------------------------- */
/*
 * A node that equals another is a client of the same variables, so the shortest client list among its inputs is
 * searched: what it holds is near in memory. Where all inputs are hubs (or there are many, or none) a table is asked:
 * open addressing, no tombstones.
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

static bool equal(const ThApply *a, const ThApply *like, const ThType *types, int nout) {
    return a->op == like->op && a->nin == like->nin && a->destroys == like->destroys &&
           attrs_equal(a->op, a->attrs, like->attrs) && same_inputs(a, like) && same_types(a, types, nout);
}

/* The shortest client list of an input; NULL: all are hubs, or the node is one for the table anyway. */
static const ThVar *shortest(const ThApply *a) {
    const ThVar *best = NULL;
    for (int i = 0; i < a->nin && a->nin <= FEW; i++) {
        const ThVar *v = a->in[i];
        if (!(v->flags & VAR_F_HUB) && (!best || v->nclients < best->nclients)) { best = v; }
    }
    return best;
}

static ThApply *find_in_table(const FGraph *fg, const ThApply *like, const ThType *types, int nout) {
    if (!fg->ncons) { return NULL; }
    uint64_t hash = like->nin > FEW ? like->hash : hash_of(like);
    int mask = fg->capcons - 1;
    for (int i = (int)(hash & (uint64_t)mask); fg->cons_slot[i].node; i = (i + 1) & mask) {
        ThApply *a = fg->cons_slot[i].node;
        if (fg->cons_slot[i].hash == hash && equal(a, like, types, nout)) { return a; }
    }
    return NULL;
}

ThApply *fg_cons_find(const FGraph *fg, const ThApply *like, const ThType *types, int nout) {
    if (like->op->flags & OP_EFFECT) { return NULL; }
    const ThVar *v = shortest(like);
    if (!v) { return find_in_table(fg, like, types, nout); }
    for (int i = 0; i < v->nclients; i++) {
        ThApply *a = v->clients[i].node;
        if (v->clients[i].key == like->key && a && (a->flags & APPLY_CONSED) && equal(a, like, types, nout)) {
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

static bool table_room(FGraph *fg, int more) {
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

/* There is room. */
static void put_in_table(FGraph *fg, ThApply *a) {
    if (a->nin <= FEW) { a->hash = hash_of(a); }
    fill_slot(fg, (ConsSlot){a->hash, a});
    a->flags |= APPLY_TABLED;
}

bool fg_cons_add(FGraph *fg, ThApply *a) {
    if (!fg->cons || (a->op->flags & OP_EFFECT)) { return true; }
    a->flags |= APPLY_CONSED;
    if (shortest(a)) { return true; }
    if (!table_room(fg, 1)) { return false; }
    put_in_table(fg, a);
    return true;
}

/* v's list grows too long to be searched: nodes of hubs alone are found by the table from now on. */
static bool make_hub(FGraph *fg, ThVar *v) {
    v->flags |= VAR_F_HUB;
    if (!table_room(fg, v->nclients + 1)) { return false; }
    for (int i = 0; i < v->nclients; i++) {
        ThApply *a = v->clients[i].node;
        if (a && (a->flags & (APPLY_CONSED | APPLY_TABLED)) == APPLY_CONSED && !shortest(a)) { put_in_table(fg, a); }
    }
    return true;
}

/* Entries after the hole move back when their own place allows it, so that probing never meets a tombstone. */
static void table_del(FGraph *fg, ThApply *a) {
    a->flags &= (uint8_t)~APPLY_TABLED;
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

void fg_cons_del(FGraph *fg, ThApply *a) {
    if (a->flags & APPLY_TABLED) { table_del(fg, a); }
    a->flags &= (uint8_t)~APPLY_CONSED;
}

/* ---- clients ---------------------------------------------------------------------------------------------------- */
static int *slot_of(FGraph *fg, ThApply *node, int pos) { return node ? &apply_slots(node)[pos] : &fg->out_slot[pos]; }

bool fg_client_add(FGraph *fg, ThVar *v, ThApply *node, int pos) {
    if (v->nclients == SHORT && !(v->flags & VAR_F_HUB) && !make_hub(fg, v)) { return false; }
    if (v->nclients == v->capclients) {
        int cap = v->capclients > 1 ? 2 * v->capclients : 2;
        Client *more = arena_alloc(fg->arena, sizeof *more * (size_t)cap);
        if (!more) { return false; }
        if (v->nclients) { memcpy(more, v->clients, sizeof *more * (size_t)v->nclients); }
        v->clients = more;
        v->capclients = cap;
    }
    *slot_of(fg, node, pos) = v->nclients;
    v->clients[v->nclients++] = (Client){node, pos, node ? node->key : 0};
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
    int i = 0;
    if ((effect && !vec_reserve(fg->ctx, &fg->effects, fg->effects.n + 1)) ||
        !vec_reserve(fg->ctx, &fg->node, fg->nnodes + 1)) {
        return false;
    }
    a->rank = 1;
    while (i < a->nin && fg_client_add(fg, a->in[i], a, i)) {
        const ThApply *from = a->in[i++]->owner;
        a->rank = from && from->rank >= a->rank ? from->rank + 1 : a->rank;
    }
    if (i < a->nin || (fg->cons && !table_room(fg, 1))) {
        while (--i >= 0) { fg_client_del(fg, a->in[i], a, i); }
        return false;
    }
    fg->wide |= a->nin > FEW;
    a->id = (uint32_t)fg->nnodes++;
    fg->node.at[fg->node.n++] = a;
    fg->turn++;
    fg->live++;
    fg_cons_add(fg, a); /* there is room */
    if (effect) { fg->effects.at[fg->effects.n++] = a; }
    for (i = 0; i < fg->listeners.n; i++) {
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

static void queue(FGraph *fg, ThApply *a, ThApply **list) {
    fg_cons_del(fg, a);
    a->flags |= APPLY_QUEUED;
    a->next_free = *list;
    *list = a;
}

/* A list through next_free: needs no memory, so it cannot fail. */
void fg_prune(FGraph *fg, ThApply *const *candidates, int n) {
    ThApply *list = NULL;
    for (int i = 0; i < n; i++) {
        if (candidates[i] && unused(candidates[i])) { queue(fg, candidates[i], &list); }
    }
    while (list) {
        ThApply *a = list;
        list = a->next_free;
        a->next_free = NULL;
        a->flags = (uint8_t)((a->flags & ~APPLY_QUEUED) | APPLY_DEAD);
        fg->live--;
        fg->node.at[a->id] = NULL;
        fg->turn++;
        for (int i = 0; i < a->nin; i++) {
            fg_client_del(fg, a->in[i], a, i);
            if (a->in[i]->owner && unused(a->in[i]->owner)) { queue(fg, a->in[i]->owner, &list); }
        }
        for (int i = 0; i < fg->listeners.n; i++) {
            if (fg->listeners.at[i].on_prune) { fg->listeners.at[i].on_prune(fg->listeners.at[i].user, a); }
        }
    }
}
