/*
 * ifelse_collect.c -- lazy choices: what only one side of an IfElse needs goes into that side's body. In: results of
 * the user's graph. Out: the same results with IfLazy in place of every IfElse that is not itself inside a side (those
 * are collected when their body is compiled). Always holds: a node that a result, the condition or both sides need is
 * computed outside; what sides need that may both not be taken is computed in each of them. Choices of one name with
 * one condition, at one place and none needing another, become one choice first, so that what they share is computed
 * once.
 *
 * Every node gets the place where it is needed: the graph itself (0), or (place, condition, side). The place of a node
 * is the innermost one that holds all its users; users are visited before what they use, so one walk is enough.
 */
#include "ifelse.h"
#include "ops/table/shape.h"

#include <string.h>

enum { MOST_COPIES = 4 };

typedef struct Place {
    int up, depth, side;
    const ThVar *cond;
} Place;
typedef struct Collect {
    ThContext *c;
    Builder b;
    ApplyVec order;
    Map index;           /* Apply -> 1 + position in order */
    int *at;             /* by position: place, -1 nobody needs it */
    int *level, *copies; /* by position: choices on the longest path to it; how often it was left in several sides */
    VEC(Place) place;
    Map place_of;
    Map var; /* variable -> 1 + position in made */
    VarVec made;
} Collect;

static int position(const Collect *k, const ThApply *a) {
    uint32_t at;
    return a && map_get(&k->index, KEY(a), &at) ? (int)at - 1 : -1;
}

static int place(Collect *k, int up, const ThVar *cond, int side) {
    uint64_t h = hash_mix(hash_mix(KEY(cond), (uint64_t)up), (uint64_t)side);
    uint32_t at;
    for (; map_get(&k->place_of, h, &at); h = hash_mix(h, 1)) {
        const Place *p = &k->place.at[at];
        if (p->up == up && p->cond == cond && p->side == side) return (int)at;
    }
    Place p = {up, k->place.at[up].depth + 1, side, cond};
    if (!vec_push(k->c, &k->place, p) || !map_put(k->c, &k->place_of, h, (uint32_t)(k->place.n - 1))) return -1;
    return k->place.n - 1;
}

static int meet(const Collect *k, int a, int b) {
    if (a < 0) return b;
    while (a != b) {
        int da = k->place.at[a].depth, db = k->place.at[b].depth;
        if (da >= db) a = k->place.at[a].up;
        if (db >= da) b = k->place.at[b].up;
    }
    return a;
}

static int below(const Collect *k, int up, int at) {
    while (k->place.at[at].up != up) at = k->place.at[at].up;
    return at;
}

/* Where node i is computed that is needed at both. Both sides of one choice: before it. Sides that may both not be
 * taken: in each, unless that would copy choices or be the fifth copy. */
static int join_places(Collect *k, int i, int a, int b) {
    int m = meet(k, a, b);
    if (a < 0 || m == a || m == b) return m;
    const int x = below(k, m, a), y = below(k, m, b);
    const Place *p = &k->place.at[x], *q = &k->place.at[y];
    bool surely = p->cond == q->cond && p->side != q->side && x == a && y == b;
    if (surely || k->level[i] > 0 || k->copies[i] >= MOST_COPIES) return m;
    k->copies[i]++;
    return x;
}

static void needed(Collect *k, const ThVar *v, int where) {
    int i = position(k, v->owner);
    if (i >= 0) k->at[i] = join_places(k, i, k->at[i], where);
}

static bool places(Collect *k, ThVar *const *outs, int n) {
    if (!vec_push(k->c, &k->place, ((Place){0}))) return false;
    for (int i = 0; i < k->order.n; i++) {
        const ThApply *a = k->order.at[i];
        k->at[i] = -1;
        k->level[i] = k->copies[i] = 0;
        for (int v = 0; v < a->nin; v++) {
            int from = position(k, a->in[v]->owner);
            if (from >= 0 && k->level[from] > k->level[i]) k->level[i] = k->level[from];
        }
        if (a->op == &op_ifelse) k->level[i]++;
    }
    for (int o = 0; o < n; o++) needed(k, outs[o], 0);
    for (int i = k->order.n - 1; i >= 0; i--) {
        const ThApply *a = k->order.at[i];
        for (int j = 0; j < a->nin; j++) {
            int where = k->at[i];
            if (a->op == &op_ifelse && j > 0) where = place(k, where, a->in[0], j > a->nout);
            if (where < 0) return false;
            needed(k, a->in[j], where);
        }
    }
    return true;
}

/* ---- the new graph ----------------------------------------------------------------------------------------------- */
static ThVar *now(const Collect *k, ThVar *v) {
    uint32_t at;
    return map_get(&k->var, KEY(v), &at) ? k->made.at[at] : v;
}

static bool note(Collect *k, const ThVar *from, ThVar *to) {
    return to && vec_push(k->c, &k->made, to) && map_put(k->c, &k->var, KEY(from), (uint32_t)(k->made.n - 1));
}

/* v is computed inside a side. */
static bool inside(const Collect *k, const ThVar *v) {
    int i = position(k, v->owner);
    return i >= 0 && k->at[i] > 0;
}

/* The variables from outside that outs are computed from, in the order met. Constants go inside. */
static bool frontier(Collect *k, ThVar *const *outs, int n, VarVec *front) {
    VarVec todo = {0};
    Map seen = {0};
    bool ok = true;
    for (int o = n - 1; ok && o >= 0; o--) ok = vec_push(k->c, &todo, outs[o]);
    while (ok && todo.n) {
        ThVar *v = todo.at[--todo.n];
        if (map_get(&seen, KEY(v), &(uint32_t){0}) || v->kind == VAR_CONSTANT) continue;
        ok = map_put(k->c, &seen, KEY(v), 1);
        if (!inside(k, v)) ok = ok && vec_push(k->c, front, v);
        for (int i = inside(k, v) ? v->owner->nin - 1 : -1; ok && i >= 0; i--)
            ok = vec_push(k->c, &todo, v->owner->in[i]);
    }
    vec_free(k->c, &todo);
    map_free(k->c, &seen);
    return ok;
}

/* outs over new variables that stand for the frontier, `extra` of them lengths: a body (a reference), or NULL. */
static GraphBody *body_of(Collect *k, ThVar *const *outs, int n, const VarVec *front, bool lengths) {
    VarVec in = {0}, out = {0};
    GraphBody *y = NULL;
    bool ok = vec_reserve(k->c, &in, front->n + 1) && vec_reserve(k->c, &out, 2 * n + 1);
    for (int i = 0; ok && i < front->n; i++) {
        in.at[i] = var_new(&k->b, front->at[i]->type, front->at[i]->name);
        ok = in.at[i] != NULL;
    }
    if (ok && graph_clone(k->c, outs, n, front->at, in.at, front->n, true, out.at)) {
        int m = 0;
        ThVar **use = out.at;
        if (lengths) {
            use = out.at + n;
            for (int o = 0; o < n; o++) {
                bool sparse = outs[o]->type.kind == TYPE_SPARSE; /* as many words */
                if (sparse || (outs[o]->type.kind == TYPE_TENSOR && outs[o]->type.ndim))
                    use[m++] = shape_make(&k->b, out.at[o]);
            }
        } else m = n;
        y = graph_body(k->c, in.at, front->n, use, m);
        for (int o = 0; o < n; o++) th_var_release(out.at[o]);
    }
    vec_free(k->c, &in);
    vec_free(k->c, &out);
    return y;
}

/* ---- do both sides have the same lengths? ------------------------------------------------------------------------ */
typedef struct SizeTable { /* expressions over lengths of outside variables, as hashes: equal ones are equal */
    ThContext *c;
    VEC(uint64_t) at; /* by handle */
    ThVar *const *in;
} SizeTable;

static Sz entry(SizeTable *t, uint64_t h) { return vec_push(t->c, &t->at, h) ? t->at.n - 1 : 0; }
static Sz table_constant(void *u, int64_t v) { return entry(u, hash_mix(1, (uint64_t)v)); }
static Sz table_op(void *u, char op, Sz a, Sz b) {
    SizeTable *t = u;
    uint64_t x = t->at.at[a], y = t->at.at[b];
    if ((op == '+' || op == '*' || op == 'm' || op == 'M') && y < x) {
        uint64_t s = x;
        x = y, y = s;
    }
    return entry(t, hash_mix(hash_mix(hash_mix(2, (uint64_t)op), x), y));
}
static Sz table_value(void *u, int in, int64_t elem) {
    SizeTable *t = u;
    return entry(t, hash_mix(hash_mix(3, KEY(t->in[in])), (uint64_t)elem));
}
static bool table_equal(void *u, Sz a, Sz b, const char *why) {
    (void)u, (void)a, (void)b, (void)why;
    return true;
}

/* Handles of one side's lengths into dims; 1, 0: not known, -1. */
static int side_dims(SizeTable *t, const GraphBody *y, const VarVec *front, Sz *dims) {
    const ShapeAlg alg = {table_constant, table_op, table_value, table_equal, t, NULL, NULL};
    int total = 0, ok = -1;
    for (int i = 0; i < front->n; i++) total += front->at[i]->type.ndim;
    size_t bytes = (size_t)(total + 1) * sizeof(Sz) + (size_t)(front->n + y->nout + 1) * (sizeof(Sz *) + sizeof(int));
    char *room = ctx_alloc0(t->c, bytes);
    if (!room) return -1;
    const Sz **in = (const Sz **)(void *)room;
    Sz **out = (Sz **)(void *)(room + (size_t)front->n * sizeof *in), *d = (Sz *)(void *)(out + y->nout);
    int *at = (int *)(void *)(d + total);
    for (int i = 0; i < front->n; i++) {
        in[i] = d;
        at[i] = i;
        if (front->at[i]->type.kind == TYPE_STATE) {
            *d++ = table_constant(t, TYPE_STATE_WORDS);
            continue;
        }
        for (int k = 0; k < front->at[i]->type.ndim; k++)
            *d++ = entry(t, hash_mix(hash_mix(4, KEY(front->at[i])), (uint64_t)k));
    }
    for (int o = 0; o < y->nout; o++) out[o] = dims, dims += y->out[o]->type.ndim;
    t->in = front->at;
    ok = ifelse_dims(t->c, y, &alg, in, at, out);
    ctx_free(t->c, room, bytes);
    return ok;
}

static int same_lengths(Collect *k, const GraphBody *const y[2], const VarVec front[2]) {
    SizeTable t = {.c = k->c};
    int total = 0, r = 1;
    for (int o = 0; o < y[0]->nout; o++) total += y[0]->out[o]->type.ndim;
    Sz *dims = ctx_alloc0(k->c, (size_t)(2 * total + 1) * sizeof *dims);
    if (!dims || !vec_push(k->c, &t.at, 0)) r = -1;
    for (int s = 0; s < 2 && r > 0; s++) r = side_dims(&t, y[s], &front[s], dims + s * total);
    for (int d = 0; r > 0 && d < total; d++) r = t.at.at[dims[d]] == t.at.at[dims[total + d]];
    ctx_free(k->c, dims, (size_t)(2 * total + 1) * sizeof *dims);
    vec_free(k->c, &t.at);
    return failed(k->c) ? -1 : r;
}

/* ---- one choice -------------------------------------------------------------------------------------------------- */
static ThApply *lazy(Collect *k, const GraphBody *const y[2], const VarVec front[2], ThVar *cond, const char *name,
                     ThApply *lengths) {
    IfLazyAttrs at;
    memset(&at, 0, sizeof at);
    at.body[0] = y[0], at.body[1] = y[1];
    at.name = name;
    at.nthen = front[0].n;
    at.shaped = lengths != NULL;
    VarVec in = {0};
    bool ok = vec_push(k->c, &in, cond);
    for (int s = 0; s < 2; s++)
        for (int i = 0; ok && i < front[s].n; i++) ok = vec_push(k->c, &in, now(k, front[s].at[i]));
    for (int o = 0; lengths && ok && o < lengths->nout; o++) ok = vec_push(k->c, &in, lengths->out[o]);
    ThApply *a = ok ? apply_make(&k->b, &op_if_lazy, &at, in.at, in.n) : NULL;
    vec_free(k->c, &in);
    return a;
}

static bool choice(Collect *k, ThApply *a) {
    int n = a->nout;
    VarVec front[2] = {{0}, {0}};
    GraphBody *y[2] = {0}, *l[2] = {0};
    ThVar *cond = now(k, a->in[0]);
    ThApply *made = NULL, *lengths = NULL;
    bool ok = true;
    if (cond->type.dtype != TH_BOOL) cond = elemwise_2(&k->b, S_neq, cond, const_int(&k->b, 0, TH_DTYPE_NONE));
    for (int s = 0; ok && s < 2; s++) {
        ThVar **v = a->in + 1 + s * n;
        ok = frontier(k, v, n, &front[s]) && (y[s] = body_of(k, v, n, &front[s], false)) != NULL;
    }
    int same = ok ? same_lengths(k, (const GraphBody *const *)y, front) : -1;
    for (int s = 0; same == 0 && s < 2; s++)
        if (!(l[s] = body_of(k, a->in + 1 + s * n, n, &front[s], true))) same = -1;
    const char *name = ATTRS(IfElseAttrs, a)->name;
    if (same == 0) lengths = lazy(k, (const GraphBody *const *)l, front, cond, name, NULL);
    if (same > 0 || lengths) made = lazy(k, (const GraphBody *const *)y, front, cond, name, lengths);
    for (int o = 0; made && o < n; o++) {
        if (a->out[o]->name) made->out[o]->name = a->out[o]->name;
        if (!note(k, a->out[o], made->out[o])) made = NULL;
    }
    for (int s = 0; s < 2; s++) {
        graph_body_release(y[s]);
        graph_body_release(l[s]);
        vec_free(k->c, &front[s]);
    }
    return made != NULL;
}

static bool copy_changed(Collect *k, ThApply *a) {
    bool changed = false;
    k->b.prov = a->prov;
    for (int i = 0; i < a->nin && !changed; i++) changed = now(k, a->in[i]) != a->in[i];
    if (!changed) return true;
    VarVec in = {0};
    bool ok = vec_reserve(k->c, &in, a->nin + 1);
    for (int i = 0; ok && i < a->nin; i++) in.at[i] = now(k, a->in[i]);
    ThApply *copy = ok ? apply_copy(&k->b, a, in.at) : NULL;
    vec_free(k->c, &in);
    for (int o = 0; copy && o < a->nout; o++)
        if (!note(k, a->out[o], copy->out[o])) return false;
    return copy != NULL;
}

static bool rebuild(Collect *k, ThApply *a) {
    k->b.prov = a->prov;
    return a->op == &op_ifelse ? choice(k, a) : copy_changed(k, a);
}

static bool prepare(Collect *k, ThVar *const *outs, int n, ThVar *const *stop, int nstop, bool *any) {
    if (!graph_toposort(k->c, outs, n, stop, nstop, &k->order)) return false;
    *any = false;
    for (int i = 0; i < k->order.n; i++) *any |= k->order.at[i]->op == &op_ifelse;
    if (!*any) return true;
    for (int i = 0; i < k->order.n; i++)
        if (!map_put(k->c, &k->index, KEY(k->order.at[i]), (uint32_t)(i + 1))) return false;
    k->at = ctx_alloc(k->c, (size_t)(3 * k->order.n + 1) * sizeof(int));
    k->level = k->at + k->order.n;
    k->copies = k->level + k->order.n;
    return k->at && places(k, outs, n);
}

/* ---- choices that become one ------------------------------------------------------------------------------------ */
typedef struct Group { /* of choices of one level, condition and name */
    int level, outs, last;
    const ThVar *cond;
    const char *name;
} Group;
typedef struct Joining {
    VEC(Group) group;
    Map of;
    int *next, *mine; /* by position: the member before, or -1; its group */
    int *sorted;      /* all positions, level by level, choices first */
    bool any;
} Joining;

static int group_of(Collect *k, Joining *j, int level, const ThApply *a) {
    const char *name = ATTRS(IfElseAttrs, a)->name;
    uint64_t h = hash_mix(hash_mix(KEY(a->in[0]), (uint64_t)level), KEY(name));
    uint32_t at;
    for (; map_get(&j->of, h, &at); h = hash_mix(h, 1)) {
        const Group *g = &j->group.at[at];
        if (g->level == level && g->cond == a->in[0] && g->name == name && g->outs + a->nout <= OP_MAX_OUT)
            return (int)at;
    }
    const Group g = {level, 0, -1, a->in[0], name};
    if (!vec_push(k->c, &j->group, g) || !map_put(k->c, &j->of, h, (uint32_t)(j->group.n - 1))) return -1;
    return j->group.n - 1;
}

/* Choices of one level cannot need each other. Those inside sides are joined when their body is compiled. */
static bool find_groups(Collect *k, Joining *j, int *deepest) {
    for (int i = 0; i < k->order.n; i++) {
        const ThApply *a = k->order.at[i];
        j->next[i] = -1;
        if (k->level[i] > *deepest) *deepest = k->level[i];
        if (a->op != &op_ifelse || k->at[i] != 0) continue;
        int g = group_of(k, j, k->level[i], a);
        if (g < 0) return false;
        Group *x = &j->group.at[g];
        j->mine[i] = g;
        j->next[i] = x->last;
        j->any |= x->last >= 0;
        x->last = i;
        x->outs += a->nout;
    }
    return true;
}

/* Places by level, the choices of a level first: then inputs stand before what uses them, and a group together. */
static bool sort_levels(Collect *k, Joining *j, int deepest) {
    int buckets = 2 * deepest + 3;
    int *start = ctx_alloc0(k->c, sizeof *start * (size_t)(buckets + 1));
    if (!start) return false;
    for (int i = 0; i < k->order.n; i++) start[2 * k->level[i] + (k->order.at[i]->op != &op_ifelse) + 1]++;
    for (int i = 0; i < buckets; i++) start[i + 1] += start[i];
    for (int i = 0; i < k->order.n; i++) j->sorted[start[2 * k->level[i] + (k->order.at[i]->op != &op_ifelse)]++] = i;
    ctx_free(k->c, start, sizeof *start * (size_t)(buckets + 1));
    return true;
}

/* One choice for the members of a group, made when the first of them is met. */
static bool join_group(Collect *k, const Joining *j, const Group *g) {
    ThVar *yes[OP_MAX_OUT], *no[OP_MAX_OUT], *out[OP_MAX_OUT];
    int at = g->outs;
    for (int i = g->last; i >= 0; i = j->next[i]) {
        const ThApply *a = k->order.at[i];
        k->b.prov = a->prov;
        at -= a->nout;
        for (int o = 0; o < a->nout; o++)
            yes[at + o] = now(k, a->in[1 + o]), no[at + o] = now(k, a->in[1 + a->nout + o]);
    }
    if (ifelse_make(&k->b, now(k, (ThVar *)g->cond), yes, no, g->outs, g->name, out)) return false;
    at = g->outs;
    for (int i = g->last; i >= 0; i = j->next[i]) {
        const ThApply *a = k->order.at[i];
        at -= a->nout;
        for (int o = 0; o < a->nout; o++) {
            if (a->out[o]->name) out[at + o]->name = a->out[o]->name;
            if (!note(k, a->out[o], out[at + o])) return false;
        }
    }
    return true;
}

static bool join_all(Collect *k, Joining *j) {
    uint32_t done;
    bool ok = true;
    for (int s = 0; ok && s < k->order.n; s++) {
        int i = j->sorted[s];
        ThApply *a = k->order.at[i];
        if (a->op == &op_ifelse && k->at[i] == 0) {
            const Group *g = &j->group.at[j->mine[i]];
            if (j->next[g->last] >= 0) {
                ok = map_get(&k->var, KEY(a->out[0]), &done) || join_group(k, j, g);
                continue;
            }
        }
        ok = copy_changed(k, a);
    }
    return ok;
}

/* The graph with such choices joined, new references; 0: there are none; -1. */
static int join_choices(Collect *k, ThVar *const *outs, int n, ThVar *const *stop, int nstop, ThVar **out) {
    Joining j = {0};
    int deepest = 0, made = k->order.n;
    size_t bytes = sizeof(int) * (size_t)(3 * made + 1);
    bool ok = (j.next = ctx_alloc(k->c, bytes)) != NULL;
    j.mine = j.next + made;
    j.sorted = j.mine + made;
    ok = ok && find_groups(k, &j, &deepest);
    if (ok && j.any) {
        ok = sort_levels(k, &j, deepest);
        for (int i = 0; ok && i < nstop; i++) ok = note(k, stop[i], stop[i]);
        ok = ok && join_all(k, &j);
        for (int o = 0; ok && o < n; o++) out[o] = th_var_retain(now(k, outs[o]));
    }
    ctx_free(k->c, j.next, bytes);
    vec_free(k->c, &j.group);
    map_free(k->c, &j.of);
    return !ok ? -1 : j.any;
}

static void forget(Collect *k) {
    ctx_free(k->c, k->at, (size_t)(3 * k->order.n + 1) * sizeof(int));
    k->at = NULL;
    vec_free(k->c, &k->order);
    vec_free(k->c, &k->place);
    vec_free(k->c, &k->made);
    map_free(k->c, &k->index);
    map_free(k->c, &k->place_of);
    map_free(k->c, &k->var);
}

bool ifelse_any(const ThContext *c) {
    const OpsState *s = c->slot[CTX_OPS];
    return s && s->choices;
}

bool ifelse_collect(ThContext *c, ThVar *const *outs, int n, ThVar *const *stop, int nstop, ThVar **out) {
    Collect k = {.c = c};
    VarVec joined = {0};
    bool any = false;
    builder_begin(&k.b, c);
    /* a stopped variable is not computed here, whatever else its node computes */
    bool ok = prepare(&k, outs, n, stop, nstop, &any) && vec_reserve(c, &joined, n + 1);
    int join = ok && any ? join_choices(&k, outs, n, stop, nstop, joined.at) : ok ? 0 : -1;
    ok = join >= 0;
    if (join > 0) {
        outs = joined.at;
        joined.n = n;
        forget(&k);
        ok = prepare(&k, outs, n, stop, nstop, &any);
    }
    for (int i = 0; ok && any && i < nstop; i++) ok = note(&k, stop[i], stop[i]);
    for (int i = 0; ok && any && i < k.order.n; i++)
        if (k.at[i] == 0) ok = rebuild(&k, k.order.at[i]);
    for (int o = 0; o < n; o++) out[o] = ok ? th_var_retain(now(&k, outs[o])) : NULL;
    for (int o = 0; o < joined.n; o++) th_var_release(joined.at[o]);
    vec_free(c, &joined);
    builder_end(&k.b);
    forget(&k);
    return ok;
}
