/*
 * fgraph.c -- a FunctionGraph: the private copy on which a compile works.
 * In: the user's inputs, outputs and updates. Out: nodes in one arena with clients, dense ids and ranks, duplicates
 * merged. Invariant: inputs of live nodes are never forwarded variables; nothing points from the user's graph into this
 * one.
 */
#include "parts.h"

#include <string.h>

/* ---- copying ---------------------------------------------------------------------------------------------------- */
typedef struct Copy {
    FGraph *fg;
    Builder b;
    Map map; /* user variable -> place in made */
    VarVec made;
    VarVec inputs; /* becomes fg->in */
} Copy;

static bool note(Copy *w, const ThVar *user, ThVar *made) {
    return made && vec_push(w->fg->ctx, &w->made, made) &&
           map_put(w->fg->ctx, &w->map, KEY(user), (uint32_t)(w->made.n - 1));
}

static ThVar *known(const Copy *w, const ThVar *user) {
    uint32_t at;
    return map_get(&w->map, KEY(user), &at) ? fg_find(w->made.at[at]) : NULL;
}

/* An input of the FunctionGraph for the user's variable: holds it, and the storage of a shared. */
static ThVar *add_input(Copy *w, ThVar *user) {
    if (!vec_reserve(w->fg->ctx, &w->inputs, w->inputs.n + 1)) { return NULL; }
    w->b.prov = user->prov;
    ThVar *v = leaf_new(&w->b, user->kind == VAR_SHARED ? VAR_SHARED : VAR_PLAIN, user->type, user->name);
    if (!v) { return NULL; }
    v->flags |= VAR_F_INPUT;
    v->origin = th_var_retain(user);
    if (user->kind == VAR_SHARED) {
        shared_retain(user->u.shared);
        v->u.shared = user->u.shared;
    }
    w->inputs.at[w->inputs.n++] = v;
    if (user->kind == VAR_SHARED && !map_put(w->fg->ctx, &w->map, KEY(user->u.shared), (uint32_t)w->made.n)) {
        return NULL;
    }
    return note(w, user, v) ? v : NULL;
}

/* Variables of one storage (s:clone()) are one input. */
static ThVar *add_shared(Copy *w, ThVar *user) {
    uint32_t at;
    if (!map_get(&w->map, KEY(user->u.shared), &at)) { return add_input(w, user); }
    return w->made.at[at];
}

static ThVar *add_const(Copy *w, ThVar *user) {
    w->b.prov = user->prov;
    ThVar *v = leaf_new(&w->b, VAR_CONSTANT, user->type, user->name);
    if (!v) { return NULL; }
    v->u.data = user->u.data ? th_array_retain(user->u.data) : NULL;
    v->hash = const_hash(user);
    v = fg_const(w->fg, v);
    return note(w, user, v) ? v : NULL;
}

static bool missing(Copy *w, const ThVar *user, const ThApply *node, int pos) {
    Text t, at;
    text_init(&t, w->fg->ctx);
    text_init(&at, w->fg->ctx);
    var_str(&t, user);
    if (node) {
        text_printf(&at, "Input %d of the graph node ", pos);
        apply_op_str(&at, node);
    } else {
        text_printf(&at, "Output %d of the function", pos);
    }
    text_put(&t, user->prov ? " (made at " : "");
    prov_text(w->fg->ctx, &t, user->prov);
    text_put(&t, user->prov ? ")" : "");
    err(w->fg->ctx, TH_MissingInputError,
        "%s is the variable %s, which was not provided as an input and has no value; add it to the inputs, give it a "
        "value "
        "with givens, or use a shared variable",
        at.at ? at.at : "?", t.at ? t.at : "?");
    text_free(&t);
    text_free(&at);
    return false;
}

/* The copy of a user's variable that no Apply of the walk computes, or that was copied before. */
static ThVar *copy_of(Copy *w, ThVar *user, const ThApply *node, int pos) {
    ThVar *v = known(w, user);
    if (v) { return v; }
    if (user->kind == VAR_PLAIN) {
        missing(w, user, node, pos);
        return NULL;
    }
    return user->kind == VAR_SHARED ? add_shared(w, user) : add_const(w, user);
}

/* What the user calls the node's result, or the first of its results that has a name. */
static const char *name_of(const ThApply *user) {
    for (int i = 0; i < user->nout; i++) {
        if (user->out[i]->name) { return user->out[i]->name; }
    }
    return NULL;
}

static bool copy_node(Copy *w, const ThApply *user, VarVec *in) {
    in->n = 0;
    for (int i = 0; i < user->nin; i++) {
        ThVar *v = copy_of(w, user->in[i], user, i);
        if (!v || !vec_push(w->fg->ctx, in, v)) { return false; }
    }
    w->b.prov = prov_name(w->fg->ctx, user->prov, name_of(user));
    ThApply *a = apply_copy(&w->b, user, in->at);
    if (a && a->prov != w->b.prov) { a->prov = prov_join(w->fg->ctx, a->prov, w->b.prov); } /* an equal node's */
    for (int i = 0; a && i < user->nout; i++) {
        if (!note(w, user->out[i], a->out[i])) { return false; }
    }
    return a && ((int)a->id < w->fg->sorted.n || vec_push(w->fg->ctx, &w->fg->sorted, a));
}

static bool copy_nodes(Copy *w, ThVar *const *in, int nin, ThVar *const *all, int nall) {
    ThContext *c = w->fg->ctx;
    ApplyVec order = {0};
    VarVec args = {0};
    bool ok = true;
    for (int i = 0; ok && i < nin; i++) { ok = add_input(w, in[i]) != NULL; }
    ok = ok && graph_toposort(c, all, nall, in, nin, &order);
    for (int i = 0; ok && i < order.n; i++) { ok = copy_node(w, order.at[i], &args); }
    vec_free(c, &order);
    vec_free(c, &args);
    return ok;
}

static bool set_outputs(Copy *w, ThVar *const *all, int nall) {
    FGraph *fg = w->fg;
    fg->out = arena_alloc(fg->arena, sizeof *fg->out * (size_t)(nall + 1));
    fg->out_slot = arena_alloc(fg->arena, sizeof *fg->out_slot * (size_t)(nall + 1));
    if (!fg->out || !fg->out_slot) { return false; }
    for (int i = 0; i < nall; i++) {
        ThVar *v = copy_of(w, all[i], NULL, i);
        if (!v || !fg_client_add(fg, v, NULL, i)) { return false; }
        fg->out[i] = v;
        fg->nout = i + 1;
    }
    return true;
}

static bool set_updates(Copy *w, ThVar *const *update_of, int n) {
    FGraph *fg = w->fg;
    fg->update_of = arena_alloc(fg->arena, sizeof *fg->update_of * (size_t)(n + 1));
    for (int i = 0; fg->update_of && i < n; i++) {
        ThVar *v = known(w, update_of[i]);
        if (!(fg->update_of[i] = v ? v : add_shared(w, update_of[i]))) { return false; }
    }
    return fg->update_of != NULL;
}

/* The inputs' list is complete: into the arena, with what may be destroyed. */
static bool set_inputs(Copy *w, int nupdate) {
    FGraph *fg = w->fg;
    ThVar **in = arena_alloc(fg->arena, sizeof *in * (size_t)(w->inputs.n + 1));
    fg->in_mutable = arena_alloc0(fg->arena, sizeof *fg->in_mutable * (size_t)(w->inputs.n + 1));
    if (!in || !fg->in_mutable) { return false; }
    Map place = {0};
    bool ok = true;
    for (int i = 0; ok && i < w->inputs.n; i++) {
        in[i] = w->inputs.at[i];
        ok = map_put(fg->ctx, &place, KEY(in[i]), (uint32_t)i);
    }
    for (int i = 0; ok && i < nupdate; i++) {
        uint32_t at;
        if (map_get(&place, KEY(fg->update_of[i]), &at)) { fg->in_mutable[at] = true; }
    }
    map_free(fg->ctx, &place);
    fg->in = in;
    fg->nin = w->inputs.n;
    return ok;
}

static FGraph *empty(ThContext *c, bool cons) {
    FGraph *fg = ctx_alloc0(c, sizeof *fg);
    if (!fg) { return NULL; }
    fg->ctx = c;
    fg->cons = cons;
    fg->turn = 1;
    atomic_init(&fg->refs, 1);
    if (!(fg->arena = arena_new(c))) {
        ctx_free(c, fg, sizeof *fg);
        return NULL;
    }
    th_context_retain(c);
    return fg;
}

/* fg, filled in; NULL and nothing left of it when that fails. */
static FGraph *fill(FGraph *fg, ThVar *const *in, int nin, ThVar *const *out, int nout, ThVar *const *update_of,
                    ThVar *const *update, int nupdate, const VarVec *check) {
    ThContext *c = fg->ctx;
    VarVec all = {0};
    Copy w = {.fg = fg};
    builder_begin_fg(&w.b, fg, 0);
    bool ok = vec_reserve(c, &all, nout + nupdate + check->n + 1);
    for (int i = 0; ok && i < nout; i++) { all.at[all.n++] = out[i]; }
    for (int i = 0; ok && i < nupdate; i++) { all.at[all.n++] = update[i]; }
    for (int i = 0; ok && i < check->n; i++) { all.at[all.n++] = check->at[i]; }
    ok = ok && copy_nodes(&w, in, nin, all.at, all.n) && set_outputs(&w, all.at, all.n) &&
         set_updates(&w, update_of, nupdate) && set_inputs(&w, nupdate);
    fg->nplain_out = nout;
    fg->ncheck = ok ? check->n : 0;
    if (!ok) { /* so that fg_free finds what the inputs hold */
        fg->in = w.inputs.at;
        fg->nin = w.inputs.n;
        w.b.pool.n = 0;
    }
    builder_end(&w.b);
    /* equal nodes met again add nothing that was not there: the order of the user's graph is that of its copy */
    if (fg->sorted.n == fg->nnodes && fg->live == fg->nnodes) { fg->sorted_at = fg->turn; }
    map_free(c, &w.map);
    vec_free(c, &w.made);
    vec_free(c, &all);
    if (!ok) {
        fg_free(fg);
        fg = NULL;
    }
    vec_free(c, &w.inputs);
    return fg;
}

FGraph *fg_new(ThContext *c, ThVar *const *in, int nin, ThVar *const *out, int nout, ThVar *const *update_of,
               ThVar *const *update, int nupdate, bool cons) {
    FGraph *fg = empty(c, cons);
    const VarVec none = {0};
    return fg ? fill(fg, in, nin, out, nout, update_of, update, nupdate, &none) : NULL;
}

FGraph *fg_new_checked(ThContext *c, ThVar *const *in, int nin, ThVar *const *out, int nout, ThVar *const *update_of,
                       ThVar *const *update, int nupdate, const VarVec *check) {
    FGraph *fg = empty(c, false);
    return fg ? fill(fg, in, nin, out, nout, update_of, update, nupdate, check) : NULL;
}

bool fg_drop_checks(FGraph *fg) {
    VEC(ThApply *) unused = {0};
    bool ok = vec_reserve(fg->ctx, &unused, fg->ncheck + 1);
    for (; ok && fg->ncheck > 0; fg->ncheck--) {
        ThVar *v = fg->out[--fg->nout];
        fg_client_del(fg, v, NULL, fg->nout);
        if (v->owner) { unused.at[unused.n++] = v->owner; }
    }
    if (ok) { fg_prune(fg, unused.at, unused.n); }
    vec_free(fg->ctx, &unused);
    fg->turn++;
    return ok;
}

void fg_free(FGraph *fg) {
    if (!fg || atomic_fetch_sub(&fg->refs, 1) != 1) { return; }
    ThContext *c = fg->ctx;
    for (int i = 0; i < fg->nin; i++) {
        if (fg->in[i]->kind == VAR_SHARED && fg->in[i]->u.shared) { shared_release(fg->in[i]->u.shared); }
        th_var_release(fg->in[i]->origin);
    }
    for (int i = 0; i < fg->consts.n; i++) {
        if (fg->consts.at[i]->u.data) { th_array_release(fg->consts.at[i]->u.data); }
    }
    fg_inner_free(fg);
    for (int i = 0; i < fg->bodies.n; i++) { graph_body_release(fg->bodies.at[i]); }
    vec_free(c, &fg->bodies);
    vec_free(c, &fg->consts);
    vec_free(c, &fg->sorted);
    vec_free(c, &fg->written);
    vec_free(c, &fg->node);
    vec_free(c, &fg->listeners);
    vec_free(c, &fg->effects);
    map_free(c, &fg->const_map);
    ctx_free(c, fg->cons_slot, sizeof *fg->cons_slot * (size_t)fg->capcons);
    arena_free(fg->arena);
    ctx_free(c, fg, sizeof *fg);
    th_context_release(c);
}

/* ---- looking ---------------------------------------------------------------------------------------------------- */
/* Halves the path on the way, so that long chains of replacements stay cheap. */
ThVar *fg_find(ThVar *v) {
    while (v && v->forward) {
        if (v->forward->forward) { v->forward = v->forward->forward; }
        v = v->forward;
    }
    return v;
}

/* Who computes the inputs of each node, by ids and one after the other: the walk then leaves the nodes alone, which in
 * large graphs would each be a fetch from memory, one after the other. */
typedef struct Edges {
    uint32_t *from; /* inputs of node i that are computed: from[start[i]] to from[start[i + 1]] */
    int *start;
    int cap;
} Edges;

/* Nodes in the order in which they were made lie one after the other: what is needed next is asked for early. */
void fg_ahead(const ApplyVec *node, int i) {
    enum { FAR = 24, NEAR = 16, CLOSE = 8, FEW = 3 };
    const ApplyVec *v = node;
    if (i + FAR < v->n && v->at[i + FAR]) { apply_prefetch(v->at[i + FAR]); }
    if (i + NEAR < v->n && v->at[i + NEAR]) { apply_prefetch_inputs(v->at[i + NEAR]); }
    const ThApply *a = i + CLOSE < v->n ? v->at[i + CLOSE] : NULL;
    for (int k = 0; a && k < a->nin && k < FEW; k++) {
        if (a->in[k]->owner) { __builtin_prefetch(&a->in[k]->owner->op); }
    }
}

static bool take_edges(const FGraph *fg, Edges *e) {
    VEC(uint32_t) from = {0};
    bool ok = vec_reserve(fg->ctx, &from, 2 * fg->live + 1);
    for (int i = 0; ok && i < fg->nnodes; i++) {
        const ThApply *a = fg->node.at[i];
        e->start[i] = from.n;
        fg_ahead(&fg->node, i);
        if (!a || !(ok = vec_reserve(fg->ctx, &from, from.n + a->nin))) { continue; }
        for (int k = 0; k < a->nin; k++) {
            if (a->in[k]->owner) { from.at[from.n++] = a->in[k]->owner->id; }
        }
    }
    e->start[fg->nnodes] = from.n;
    e->from = from.at;
    e->cap = from.cap;
    return ok;
}

/*
 * Everything below `root` that was not yet seen, inputs first. A node's inputs are all put on the stack when it is met;
 * the second time it comes up (DONE) it goes into the order.
 */
typedef VEC(uint32_t) StackVec;
static bool order_from(FGraph *fg, const ThApply *root, const Edges *e, uint8_t *seen, StackVec *stack) {
    const uint32_t DONE = (uint32_t)1 << 31;
    if (!root) { return true; }
    if (!vec_push(fg->ctx, stack, root->id)) { return false; }
    while (stack->n) {
        uint32_t id = vec_pop(stack);
        if (id & DONE) {
            fg->sorted.at[fg->sorted.n++] = fg->node.at[id & ~DONE];
            continue;
        }
        if (seen[id]) { continue; }
        seen[id] = 1;
        int first = e->start[id], n = e->start[id + 1] - first;
        if (!vec_reserve(fg->ctx, stack, stack->n + n + 1)) { return false; }
        stack->at[stack->n++] = id | DONE;
        for (int i = n - 1; i >= 0; i--) {
            if (!seen[e->from[first + i]]) { stack->at[stack->n++] = e->from[first + i]; }
        }
    }
    return true;
}

static bool sort(FGraph *fg) {
    ThContext *c = fg->ctx;
    size_t n = (size_t)fg->nnodes + 1;
    uint8_t *seen = ctx_alloc0(c, n);
    Edges e = {.start = ctx_alloc(c, n * sizeof *e.start)};
    StackVec stack = {0};
    fg->sorted.n = 0;
    bool ok = seen && e.start && vec_reserve(c, &fg->sorted, fg->live) && take_edges(fg, &e);
    for (int i = 0; ok && i < fg->nout; i++) { ok = order_from(fg, fg->out[i]->owner, &e, seen, &stack); }
    for (int i = 0; ok && i < fg->effects.n; i++) { ok = order_from(fg, fg->effects.at[i], &e, seen, &stack); }
    vec_free(c, &stack);
    ctx_free(c, e.from, sizeof *e.from * (size_t)e.cap);
    ctx_free(c, e.start, n * sizeof *e.start);
    ctx_free(c, seen, n);
    fg->sorted_at = ok ? fg->turn : 0;
    return ok;
}

/* A graph that has not changed since is not walked again: in large ones every node would be fetched from memory. */
bool fg_toposort(FGraph *fg, ApplyVec *order) {
    if (fg->sorted_at != fg->turn && !sort(fg)) { return false; }
    if (!vec_reserve(fg->ctx, order, order->n + fg->sorted.n)) { return false; }
    if (fg->sorted.n) { memcpy(order->at + order->n, fg->sorted.at, sizeof *order->at * (size_t)fg->sorted.n); }
    order->n += fg->sorted.n;
    return true;
}

bool fg_ranks(FGraph *fg) {
    ApplyVec order = {0};
    bool ok = fg_toposort(fg, &order);
    for (int i = 0; ok && i < order.n; i++) {
        ThApply *a = order.at[i];
        a->rank = 1;
        for (int k = 0; k < a->nin; k++) {
            const ThApply *from = a->in[k]->owner;
            a->rank = from && from->rank >= a->rank ? from->rank + 1 : a->rank;
        }
    }
    fg->ranks_stale = fg->ranks_stale && !ok;
    vec_free(fg->ctx, &order);
    return ok;
}
