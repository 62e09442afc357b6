/*
 * clone.c -- copies of a user's graph with replacements.
 * In: outputs, pairs from -> to. Out: new output variables (new references) whose Applys are all copies; leaves are
 * shared. An inner variable may be replaced too: what only it needs is not copied. One pass over a topological order.
 */
#include "parts.h"

typedef struct Copy {
    ThContext *c;
    Builder b;
    Map map; /* user variable -> place in made */
    VarVec made;
    bool keep;  /* nodes that stand on nothing replaced stay themselves */
    bool refit; /* ranks may change */
} Copy;

static bool note(Copy *w, const ThVar *from, ThVar *to) {
    return vec_push(w->c, &w->made, to) && map_put(w->c, &w->map, KEY(from), (uint32_t)(w->made.n - 1));
}

static ThVar *copy_of(const Copy *w, ThVar *v) {
    uint32_t at;
    return map_get(&w->map, KEY(v), &at) ? w->made.at[at] : v;
}

static bool check_pair(ThContext *c, const ThVar *from, const ThVar *to, bool strict) {
    if (!strict || type_eq(from->type, to->type) || type_takes(from->type, to->type)) { return true; }
    Text a, b;
    text_init(&a, c);
    text_init(&b, c);
    var_str(&a, from);
    text_put(&a, " of type ");
    type_text(&a, from->type);
    var_str(&b, to);
    text_put(&b, " of type ");
    type_text(&b, to->type);
    err(c, TH_TypeError, "%s cannot be replaced by %s: the types differ", a.at ? a.at : "?", b.at ? b.at : "?");
    text_free(&a);
    text_free(&b);
    return false;
}

static bool copy_node(Copy *w, const ThApply *a, VarVec *in) {
    bool same = w->keep;
    in->n = 0;
    for (int i = 0; i < a->nin; i++) {
        ThVar *v = copy_of(w, a->in[i]);
        same = same && v == a->in[i];
        if (!vec_push(w->c, in, v)) { return false; }
    }
    if (same) { return true; }
    if (w->refit && a->op->refit && !a->op->refit(&w->b, a, in->at)) { return false; }
    w->b.prov = a->prov;
    ThApply *copy = apply_copy(&w->b, a, in->at);
    for (int i = 0; copy && i < a->nout; i++) {
        uint32_t at;
        if (!map_get(&w->map, KEY(a->out[i]), &at) &&
            !note(w, a->out[i], copy->out[i])) { /* a replaced output stays so */
            return false;
        }
    }
    return copy != NULL;
}

/* Leaves of outs but constants that nothing replaces get copies, of shared variables on the same storage: pairs
 * appended to from and to. */
static bool fresh_leaves(Builder *b, ThVar *const *outs, int n, VarVec *from, VarVec *to) {
    VarVec leaves = {0};
    Map given = {0};
    uint32_t at;
    bool ok = graph_leaves(b->ctx, outs, n, &leaves);
    for (int i = 0; ok && i < from->n; i++) { ok = map_put(b->ctx, &given, KEY(from->at[i]), (uint32_t)i); }
    for (int i = 0; ok && i < leaves.n; i++) {
        ThVar *v = leaves.at[i];
        if (v->kind == VAR_CONSTANT || map_get(&given, KEY(v), &at)) { continue; }
        ThVar *own = v->kind == VAR_SHARED ? shared_twin(b, v, v->name) : var_new(b, v->type, v->name);
        ok = own && vec_push(b->ctx, from, v) && vec_push(b->ctx, to, own);
    }
    vec_free(b->ctx, &leaves);
    map_free(b->ctx, &given);
    return ok;
}

int th_clone(ThContext *c, ThVar *const *outs, int n, const ThPair *replace, int nreplace, bool strict,
             bool copy_inputs, ThVar **out) {
    if (!c) return -1;
    if (nreplace < 0 || (nreplace && !replace) || !out) return err_missing(c, __func__), -1;
    if (!graph_given(c, __func__, outs, n)) return -1;
    VarVec from = {0}, to = {0};
    Builder b;
    builder_begin(&b, c);
    bool ok = !failed(c);
    for (int i = 0; ok && i < nreplace; i++) {
        if (!replace[i].var || !replace[i].expr) {
            ok = err(c, TH_TypeError, "clone: pair %d of replace needs two variables", i);
        } else {
            ok = vec_push(c, &from, replace[i].var) && vec_push(c, &to, replace[i].expr);
        }
    }
    ok = ok && (!copy_inputs || fresh_leaves(&b, outs, n, &from, &to)) &&
         graph_clone(c, outs, n, from.at, to.at, from.n, strict, out);
    builder_end(&b);
    vec_free(c, &from);
    vec_free(c, &to);
    return ok ? 0 : -1;
}

static bool clone(ThContext *c, ThVar *const *outs, int nout, ThVar *const *from, ThVar *const *to, int nrep,
                  bool strict, bool keep, ThVar **out) {
    Copy w = {.c = c, .keep = keep, .refit = !strict};
    ApplyVec order = {0};
    VarVec in = {0};
    builder_begin(&w.b, c);
    bool ok = true;
    for (int i = 0; ok && i < nrep; i++) {
        ThVar *v = to[i];
        ok = check_pair(c, from[i], v, strict);
        if (ok && strict) { v = patternbroadcast_make(&w.b, v, from[i]->type.broadcastable); }
        ok = ok && v && note(&w, from[i], v);
    }
    ok = ok && graph_toposort(c, outs, nout, from, nrep, &order);
    for (int i = 0; ok && i < order.n; i++) { ok = copy_node(&w, order.at[i], &in); }
    for (int i = 0; i < nout; i++) { out[i] = ok ? th_var_retain(copy_of(&w, outs[i])) : NULL; }
    builder_end(&w.b);
    vec_free(c, &order);
    vec_free(c, &in);
    vec_free(c, &w.made);
    map_free(c, &w.map);
    return ok;
}

bool graph_clone(ThContext *c, ThVar *const *outs, int nout, ThVar *const *from, ThVar *const *to, int nrep,
                 bool strict, ThVar **out) {
    return clone(c, outs, nout, from, to, nrep, strict, false, out);
}

bool graph_substitute(ThContext *c, ThVar *const *outs, int nout, ThVar *const *from, ThVar *const *to, int nrep,
                      bool strict, ThVar **out) {
    return clone(c, outs, nout, from, to, nrep, strict, true, out);
}
