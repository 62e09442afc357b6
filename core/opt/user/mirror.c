/*
 * mirror.c -- what a user's rewrite sees of an FGraph, and how what it builds gets there.
 * In: nodes of the FGraph. Out: copies as ordinary user nodes, so that nothing the user keeps can dangle and all of the
 * tensor language works on them; inputs and shared variables appear as the user's own. Back: expressions on copies are
 * built in the FGraph on what the copies stand for. Invariant: nothing here recurses over nodes.
 */
#include "user.h"

#include <string.h>

enum { MAX_SHOWN = 400 }; /* nodes that a local rewrite is shown */

bool mirror_begin(ThRewriteCall *r, Opt *o, const char *name) {
    *r = (ThRewriteCall){.o = o, .c = o->c, .name = name};
    builder_begin(&r->copies, o->c);
    return true;
}

void mirror_end(ThRewriteCall *r) {
    for (int i = r->seen.n - 1; i >= 0; i--) th_var_release(r->seen.at[i].user);
    builder_end(&r->copies);
    vec_free(r->c, &r->seen);
    map_free(r->c, &r->of_user);
    map_free(r->c, &r->of_fg);
}

/* Holds the user's variable: its address stands for it. */
bool mirror_note(ThRewriteCall *r, ThVar *user, ThVar *fg) {
    if (!user || !vec_push(r->c, &r->seen, ((Seen){user, fg}))) return false;
    th_var_retain(user);
    return map_put(r->c, &r->of_user, KEY(user), (uint32_t)r->seen.n - 1) &&
           map_put(r->c, &r->of_fg, (uint64_t)fg->id + 1, (uint32_t)r->seen.n - 1);
}

ThVar *mirror_var(ThRewriteCall *r, ThVar *fg) {
    uint32_t at;
    ThVar *user;
    fg = fg_find(fg);
    if (map_get(&r->of_fg, (uint64_t)fg->id + 1, &at)) return r->seen.at[at].user;
    if (fg->origin) user = fg->origin;
    else if (fg->kind == VAR_CONSTANT && fg->type.kind == TYPE_NONE) user = const_none(&r->copies);
    else if (fg->kind == VAR_CONSTANT && fg->u.data) user = const_make_typed(&r->copies, fg->u.data, fg->type);
    else user = var_new(&r->copies, fg->type, fg->name);
    return mirror_note(r, user, fg) ? user : NULL;
}

/* A copy of a whose inputs are the copies there are. */
static ThApply *copy_node(ThRewriteCall *r, ThApply *a) {
    VEC(ThVar *) in = {0};
    bool ok = vec_reserve(r->c, &in, a->nin + 1);
    for (int i = 0; ok && i < a->nin; i++) ok = (in.at[i] = mirror_var(r, a->in[i])) != NULL;
    r->copies.prov = a->prov;
    ThApply *copy = ok ? apply_copy(&r->copies, a, in.at) : NULL;
    vec_free(r->c, &in);
    for (int i = 0; copy && i < copy->nout; i++)
        if (!mirror_note(r, copy->out[i], a->out[i])) copy = NULL;
    return copy;
}

static ThApply *copy_known(const ThRewriteCall *r, const ThApply *a) {
    uint32_t at;
    return a->nout && map_get(&r->of_fg, (uint64_t)a->out[0]->id + 1, &at) ? r->seen.at[at].user->owner : NULL;
}

/* The copy of a, on the copies of what it is computed from now: the one there is, or a new one. */
static ThApply *copy_now(ThRewriteCall *r, ThApply *a) {
    ThApply *copy = copy_known(r, a);
    for (int i = 0; copy && i < a->nin; i++)
        if (copy->in[i] != mirror_var(r, a->in[i])) copy = NULL;
    return copy ? copy : copy_node(r, a);
}

/* Nodes at most `levels` below the root, level by level, the root first. */
static bool nearby(ThRewriteCall *r, ThApply *root, int levels, ApplyVec *list) {
    Map in = {0};
    uint32_t at;
    bool ok = vec_push(r->c, list, root) && map_put(r->c, &in, KEY(root), 1);
    for (int i = 0, end = 1; ok && levels > 0 && i < list->n; i++) {
        ThApply *a = list->at[i];
        for (int k = 0; ok && k < a->nin && list->n < MAX_SHOWN; k++) {
            ThApply *from = a->in[k]->owner;
            if (!from || map_get(&in, KEY(from), &at)) continue;
            ok = vec_push(r->c, list, from) && map_put(r->c, &in, KEY(from), 1);
        }
        if (i + 1 == end) {
            end = list->n;
            levels--;
        }
    }
    map_free(r->c, &in);
    return ok;
}

/* Copies the nodes of `list` below a, inputs first. */
static bool copy_below(ThRewriteCall *r, ThApply *a, const ApplyVec *list) {
    Map in = {0};
    ApplyVec stack = {0};
    uint32_t state; /* 1: to do, 2: its inputs are on the stack, 3: done */
    bool ok = vec_push(r->c, &stack, a);
    for (int i = 0; ok && i < list->n; i++) ok = map_put(r->c, &in, KEY(list->at[i]), 1);
    while (ok && stack.n) {
        ThApply *top = stack.at[stack.n - 1];
        map_get(&in, KEY(top), &state);
        if (state > 1) {
            stack.n--;
            ok = state == 3 || (copy_now(r, top) && map_put(r->c, &in, KEY(top), 3));
            continue;
        }
        ok = map_put(r->c, &in, KEY(top), 2);
        for (int i = 0; ok && i < top->nin; i++) {
            ThApply *from = top->in[i]->owner;
            if (from && map_get(&in, KEY(from), &state) && state == 1) ok = vec_push(r->c, &stack, from);
        }
    }
    vec_free(r->c, &stack);
    map_free(r->c, &in);
    return ok;
}

ThApply *mirror_node(ThRewriteCall *r, ThApply *a, int levels) {
    ApplyVec list = {0};
    bool ok = nearby(r, a, levels, &list) && copy_below(r, a, &list);
    vec_free(r->c, &list);
    return ok ? mirror_var(r, a->out[0])->owner : NULL;
}

bool mirror_all(ThRewriteCall *r, ApplyVec *nodes) {
    ApplyVec order = {0};
    if (!nodes && r->whole_at == r->o->fg->turn) return true;
    bool ok = fg_toposort(r->o->fg, &order);
    for (int i = 0; ok && i < order.n; i++) {
        ThApply *copy = copy_now(r, order.at[i]);
        ok = copy && (!nodes || vec_push(r->c, nodes, copy));
    }
    r->whole_at = ok ? r->o->fg->turn : 0;
    vec_free(r->c, &order);
    return ok;
}

ThVar *mirror_was(ThRewriteCall *r, ThVar *fg) {
    uint32_t at;
    if (map_get(&r->of_fg, (uint64_t)fg->id + 1, &at)) return r->seen.at[at].user;
    if (!fg->owner) return fg->forward && fg->origin ? fg->origin : mirror_var(r, fg);
    ThApply *copy = copy_node(r, fg->owner);
    return copy ? copy->out[fg->index] : NULL;
}

/* ---- back ---- */
ThVar *mirror_find(ThRewriteCall *r, ThVar *user) {
    uint32_t at;
    ThVar *v = map_get(&r->of_user, KEY(user), &at) ? fg_find(r->seen.at[at].fg) : NULL;
    return v && !(v->owner && (v->owner->flags & APPLY_DEAD)) ? v : NULL;
}

/* An input, shared variable or constant that the user brings. */
static ThVar *import_leaf(ThRewriteCall *r, ThVar *u) {
    Opt *o = r->o;
    if (u->kind == VAR_CONSTANT && u->type.kind == TYPE_NONE) return const_none(&o->b);
    if (u->kind == VAR_CONSTANT) return const_make_typed(&o->b, u->u.data, u->type);
    for (int i = 0; i < o->fg->nin; i++)
        if (o->fg->in[i]->origin == u) return o->fg->in[i];
    Text t;
    text_init(&t, r->c);
    var_str(&t, u);
    err(r->c, TH_BadOptimization, "the new expression uses %s, which is no input of the %s", t.at ? t.at : "a variable",
        o->q ? "function being compiled" : "FunctionGraph");
    text_free(&t);
    return NULL;
}

/* The FGraph's variable for u when it is there or u is a leaf; NULL without an error: its owner must be built. */
static ThVar *ready(ThRewriteCall *r, ThVar *u) {
    ThVar *v = mirror_find(r, u);
    if (v) return v;
    if (u->owner) return NULL;
    v = import_leaf(r, u);
    return v && mirror_note(r, u, v) ? v : NULL;
}

static bool build_node(ThRewriteCall *r, ThApply *a) {
    VEC(ThVar *) in = {0};
    bool ok = vec_reserve(r->c, &in, a->nin + 1);
    for (int i = 0; ok && i < a->nin; i++) ok = (in.at[i] = ready(r, a->in[i])) != NULL;
    if (!r->node) r->o->b.prov = a->prov; /* errors name the line of the rewrite that built it */
    ThApply *made = ok ? apply_copy(&r->o->b, a, in.at) : NULL;
    vec_free(r->c, &in);
    for (int i = 0; made && i < a->nout; i++)
        if (!mirror_note(r, a->out[i], made->out[i])) made = NULL;
    return made != NULL;
}

ThVar *mirror_import(ThRewriteCall *r, ThVar *user) {
    ApplyVec stack = {0};
    bool ok = true;
    if (!ready(r, user) && !failed(r->c)) ok = vec_push(r->c, &stack, user->owner);
    while (ok && stack.n && !failed(r->c)) {
        ThApply *a = stack.at[stack.n - 1];
        int before = stack.n;
        if (mirror_find(r, a->out[0])) {
            stack.n--;
            continue;
        }
        for (int i = 0; ok && i < a->nin; i++)
            if (!ready(r, a->in[i]) && !failed(r->c)) ok = vec_push(r->c, &stack, a->in[i]->owner);
        if (stack.n > before) continue;
        stack.n--;
        ok = ok && !failed(r->c) && build_node(r, a);
    }
    vec_free(r->c, &stack);
    return ok && !failed(r->c) ? mirror_find(r, user) : NULL;
}

/* The new places of what was built again take the place of the old ones. */
static bool take_again(ThRewriteCall *r, int from) {
    bool ok = true;
    for (int i = from; ok && i < r->seen.n; i++) ok = map_put(r->c, &r->of_user, KEY(r->seen.at[i].user), (uint32_t)i);
    return ok;
}

bool mirror_again(ThRewriteCall *r, ThVar *const *user, int n, ThVar **fg) {
    Map known = r->of_user;
    int from = r->seen.n;
    bool ok = true;
    r->of_user = (Map){0};
    for (int i = 0; i < r->o->fg->nin; i++) r->o->fg->in[i]->forward = NULL; /* they stand for themselves again */
    for (int i = 0; ok && i < n; i++) ok = (fg[i] = mirror_import(r, user[i])) != NULL;
    Map again = r->of_user;
    r->of_user = known;
    map_free(r->c, &again);
    return take_again(r, from) && ok;
}

/* ---- replacing ---- */
/* Is v computed from old? Walks down to old's rank. */
bool mirror_needs(ThRewriteCall *r, ThVar *v, const ThVar *old, bool *yes) {
    FGraph *fg = r->o->fg;
    Map met = {0};
    ApplyVec stack = {0};
    uint32_t at;
    uint32_t least = old->owner ? old->owner->rank : 0; /* an input may be anywhere below */
    *yes = v == old;
    if (*yes) return true;
    bool ok = !fg->ranks_stale || opt_ranks(r->o);
    if (ok && v->owner) ok = vec_push(r->c, &stack, v->owner);
    while (ok && stack.n && !*yes) {
        ThApply *a = vec_pop(&stack);
        *yes = a == old->owner;
        if (a->rank <= least || map_get(&met, KEY(a), &at)) continue;
        ok = map_put(r->c, &met, KEY(a), 1);
        for (int i = 0; ok && i < a->nin; i++) {
            *yes |= a->in[i] == old;
            if (a->in[i]->owner) ok = vec_push(r->c, &stack, a->in[i]->owner);
        }
    }
    map_free(r->c, &met);
    vec_free(r->c, &stack);
    return ok;
}

bool mirror_refuse(ThRewriteCall *r, const ThVar *old, const ThVar *new_, const char *why) {
    Text a, b;
    text_init(&a, r->c);
    text_init(&b, r->c);
    var_str(&a, old);
    text_put(&a, " of ");
    type_text(&a, old->type);
    var_str(&b, new_);
    text_put(&b, " of ");
    type_text(&b, new_->type);
    err(r->c, TH_BadOptimization, "%s: %s was to become %s", why, a.at ? a.at : "?", b.at ? b.at : "?");
    text_free(&a);
    text_free(&b);
    return false;
}

ThVar *mirror_fitted(ThRewriteCall *r, const ThVar *old, ThVar *new_) {
    if (!type_takes(old->type, new_->type)) return new_;
    return patternbroadcast_make(&r->o->b, new_, old->type.broadcastable);
}

bool mirror_replace(ThRewriteCall *r, ThVar *old, ThVar *new_, const char *reason) {
    bool yes = false;
    if (old == new_) return true;
    if (!type_eq(old->type, new_->type)) return mirror_refuse(r, old, new_, "the types differ");
    if (!mirror_needs(r, new_, old, &yes)) return false;
    if (yes) return mirror_refuse(r, old, new_, "the new variable is computed from the old one");
    return fg_replace(r->o->fg, old, new_, reason);
}

/* What v becomes in the end; NULL: the replacements go in a circle. last[of[v]]: what takes v's place. */
static ThVar *becomes(const Map *of, ThVar **last, int n, ThVar *v) {
    uint32_t at, next;
    for (int i = 0; map_get(of, (uint64_t)v->id + 1, &at); i++) {
        if (i > n) return NULL;
        if (map_get(of, (uint64_t)last[at]->id + 1, &next)) last[at] = last[next];
        v = last[at];
    }
    return v;
}

/* Does a need itself once the replacements are made? Marks in `state` what does not: 1 on the way down, 2 done. */
static bool circles(ThRewriteCall *r, ThApply *a, const Map *of, ThVar **last, int n, Map *state, bool *yes) {
    ApplyVec stack = {0};
    uint32_t s;
    bool ok = vec_push(r->c, &stack, a);
    while (ok && stack.n && !*yes) {
        ThApply *top = stack.at[stack.n - 1];
        if (map_get(state, KEY(top), &s)) {
            stack.n--;
            if (s == 1) ok = map_put(r->c, state, KEY(top), 2);
            continue;
        }
        ok = map_put(r->c, state, KEY(top), 1);
        for (int i = 0; ok && i < top->nin; i++) {
            ThVar *v = becomes(of, last, n, top->in[i]);
            if (!v || (v->owner && map_get(state, KEY(v->owner), &s) && s == 1)) *yes = true;
            else if (v->owner && !map_get(state, KEY(v->owner), &s)) ok = vec_push(r->c, &stack, v->owner);
        }
    }
    vec_free(r->c, &stack);
    return ok;
}

/* Types, variables that come twice, and cycles that the replacements make together. last is scratch for n. */
static bool fit_together(ThRewriteCall *r, ThVar *const *old, ThVar *const *new_, ThVar **last, int n) {
    Map of = {0}, state = {0};
    uint32_t at;
    bool ok = true, yes = false;
    for (int i = 0; ok && i < n; i++) {
        last[i] = new_[i];
        if (!type_eq(old[i]->type, new_[i]->type)) ok = mirror_refuse(r, old[i], new_[i], "the types differ");
        else if (map_get(&of, (uint64_t)old[i]->id + 1, &at))
            ok = mirror_refuse(r, old[i], new_[i], "a variable is to be replaced twice");
        else if (old[i] != new_[i]) ok = map_put(r->c, &of, (uint64_t)old[i]->id + 1, (uint32_t)i);
    }
    for (int i = 0; ok && i < n; i++) {
        ThVar *v = becomes(&of, last, n, new_[i]);
        yes = !v;
        if (v && v->owner) ok = circles(r, v->owner, &of, last, n, &state, &yes);
        if (ok && yes) ok = mirror_refuse(r, old[i], new_[i], "the replacements together make a cycle");
    }
    map_free(r->c, &of);
    map_free(r->c, &state);
    return ok;
}

bool mirror_replace_all(ThRewriteCall *r, ThVar **old, ThVar **new_, int n, const char *reason) {
    ThVar **last = ctx_alloc(r->c, sizeof *last * (size_t)(n + 1));
    bool ok = last && fit_together(r, old, new_, last, n) && fg_replace_many(r->o->fg, old, new_, n, reason);
    ctx_free(r->c, last, sizeof *last * (size_t)(n + 1));
    return ok;
}
