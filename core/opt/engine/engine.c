/*
 * engine.c -- runs the rules of one phase to a fixed point.
 * A worklist by rank (children before parents), first come first served by serial within a rank. New nodes, nodes whose
 * input changed and, as far as patterns look, the clients of those are looked at again. A node's generation is one more
 * than that of the node it replaces; past the limit it is left alone, so that no set of rules can run for ever.
 */
#include "rewrite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_GENERATION = 50,
    MAX_SPREAD = 256,
    MOST_MADE = 100000 /* nodes by one rewrite of a small graph */
};

enum { WANT_ALL = 1, WANT_CONSTANT = 2 /* those whose inputs are constants */ };

typedef VEC(const Rule *) RuleVec;
typedef struct Entry {
    uint64_t key;
    ThApply *node;
} Entry;
typedef struct Engine {
    Opt *o;
    int visits;
    VEC(Entry) first;    /* what the phase starts with, in order */
    int at;              /* of them, the next one */
    VEC(Entry) heap;     /* what came since: least key first */
    VEC(Entry) late;     /* nodes that wait for the lifts, deepest last */
    VEC(uint8_t) queued; /* by node id */
    RuleVec by_scalar[SCALAR_COUNT], any;
    VEC(RuleVec) by_op, late_by_op; /* by place in op_table */
    VEC(uint8_t) wanted;            /* by kind: WANT_*: some rule looks at such nodes */
    int nmade;                      /* o->nmade when that was found */
    int elemwise;                   /* place of op_elemwise */
    int depth;                      /* levels above a changed node that patterns reach */
    Prov gone;                      /* of the nodes that the rewrite at work has made superfluous.. */
    int ngone;                      /* ..so many */
    bool failed;
} Engine;

/* ---- which nodes ---- */
/* Are there nodes of the kinds that the rule looks for? */
static bool possible(const Opt *o, const Rule *r) {
    bool some = !r->nneed, all = true;
    for (int i = 0; i < r->nneed; i++) {
        some |= o->made[r->needs[i]];
        all &= o->made[r->needs[i]];
    }
    return r->any ? some : all;
}

static int wants(const Opt *o, const RuleVec *v) {
    int w = 0;
    for (int i = 0; i < v->n; i++)
        if (possible(o, v->at[i])) w |= v->at[i]->folds ? WANT_CONSTANT : WANT_ALL;
    return w;
}

/*
 * Nodes that no rule of the phase looks at, and those for whose rules what they look for was never made, stay out of
 * the worklist; most of them are not even fetched.
 */
static void find_wanted(Engine *e) {
    const Opt *o = e->o;
    int all = wants(o, &e->any), elemwise = 0;
    e->nmade = o->nmade;
    for (int place = 0; place < op_count; place++) {
        int w = all | wants(o, &e->by_op.at[place]) | wants(o, &e->late_by_op.at[place]);
        e->wanted.at[SCALAR_COUNT + place] = (uint8_t)w;
        if (place == e->elemwise) elemwise = w;
    }
    for (int s = 0; s < SCALAR_COUNT; s++) e->wanted.at[s] = (uint8_t)(elemwise | wants(o, &e->by_scalar[s]));
    e->wanted.at[SCALAR_COUNT + op_count] = (uint8_t)all;
}

/* ---- worklist ---- */
/* Rank, then order of creation: kept beside the node, so that sifting does not touch the nodes. */
static uint64_t key_of(const ThApply *a) { return (uint64_t)a->rank << 32 | a->id; }

/* Does some rule of the phase look at node `id`? */
static bool is_wanted(const Engine *e, int id) {
    int kind = e->o->kind.at[id];
    return e->wanted.at[kind & ~KIND_FOLDS] & (kind & KIND_FOLDS ? WANT_ALL | WANT_CONSTANT : WANT_ALL);
}

static void sift_up(Entry *h, int i) {
    Entry x = h[i];
    for (int up; i > 0 && x.key < h[up = (i - 1) / 2].key; i = up) h[i] = h[up];
    h[i] = x;
}

static void sift_down(Entry *h, int n, int i) {
    Entry x = h[i];
    for (int k; (k = 2 * i + 1) < n; i = k) {
        if (k + 1 < n && h[k + 1].key < h[k].key) k++;
        if (h[k].key >= x.key) break;
        h[i] = h[k];
    }
    h[i] = x;
}

static void push(Engine *e, ThApply *a) {
    int id = (int)a->id;
    if (e->failed || id >= e->o->kind.n) return;
    if (e->nmade != e->o->nmade) find_wanted(e);
    if (!is_wanted(e, id) || (a->flags & APPLY_DEAD)) return;
    if (id >= e->queued.n) {
        int to = e->o->fg->nnodes > id ? e->o->fg->nnodes : id + 1;
        to += to / 2 + 64;
        if (!vec_reserve(e->o->c, &e->queued, to)) {
            e->failed = true;
            return;
        }
        memset(e->queued.at + e->queued.n, 0, (size_t)(to - e->queued.n));
        e->queued.n = to;
    }
    if (e->queued.at[id]) return;
    if (!vec_push(e->o->c, &e->heap, ((Entry){key_of(a), a}))) {
        e->failed = true;
        return;
    }
    e->queued.at[id] = 1;
    sift_up(e->heap.at, e->heap.n - 1);
}

/* Brings in what the nodes to come will be asked: in large graphs nothing of it is in a cache. */
static void look_ahead(const Engine *e) {
    enum { FAR = 16, NEAR = 8, CLOSE = 4, FEW = 3 };
    if (e->at + FAR < e->first.n) apply_prefetch(e->first.at[e->at + FAR].node);
    if (e->at + NEAR < e->first.n) {
        const ThApply *a = e->first.at[e->at + NEAR].node;
        for (int i = 0; i < a->nin && i < FEW; i++) __builtin_prefetch(a->in[i]);
    }
    if (e->at + CLOSE < e->first.n) {
        const ThApply *a = e->first.at[e->at + CLOSE].node;
        for (int i = 0; i < a->nin && i < FEW; i++)
            if (a->in[i]->owner) __builtin_prefetch(&a->in[i]->owner->op);
    }
}

/* The next node: NULL when none is left. */
static ThApply *pop(Engine *e) {
    bool more = e->at < e->first.n;
    ThApply *a;
    if (more && (!e->heap.n || e->first.at[e->at].key <= e->heap.at[0].key)) {
        look_ahead(e);
        a = e->first.at[e->at++].node;
    } else if (e->heap.n) {
        a = e->heap.at[0].node;
        e->heap.at[0] = e->heap.at[--e->heap.n];
        if (e->heap.n) sift_down(e->heap.at, e->heap.n, 0);
    } else {
        return NULL;
    }
    e->queued.at[a->id] = 0;
    return a;
}

/* The node and its clients up to `levels` above it. Hubs stop the walk: their clients hear of their own changes. */
static void push_upward(Engine *e, ThApply *a, int levels) {
    push(e, a);
    if (levels <= 0) return;
    for (int i = 0; i < a->nout; i++) {
        const ThVar *v = a->out[i];
        for (int k = 0; k < v->nclients && v->nclients <= MAX_SPREAD; k++)
            if (v->clients[k].node) push_upward(e, v->clients[k].node, levels - 1);
    }
}

static void on_import(void *user, ThApply *node) { push(user, node); }

static void on_change(void *user, ThApply *node) {
    Engine *e = user;
    push_upward(e, node, e->depth - 1);
}

static void on_prune(void *user, ThApply *node) {
    enum { MOST = 16 };
    Engine *e = user;
    if (e->ngone++ < MOST) e->gone = prov_join(e->o->c, node->prov, e->gone);
}

/* ---- which rules ---- */
static bool collect(Engine *e) {
    Opt *o = e->o;
    uint32_t elemwise;
    e->elemwise = map_get(&o->rules->op_place, KEY(&op_elemwise), &elemwise) ? (int)elemwise : -1;
    if (!vec_reserve(o->c, &e->by_op, op_count) || !vec_reserve(o->c, &e->late_by_op, op_count)) return false;
    memset(e->by_op.at, 0, sizeof *e->by_op.at * (size_t)op_count);
    memset(e->late_by_op.at, 0, sizeof *e->late_by_op.at * (size_t)op_count);
    e->by_op.n = e->late_by_op.n = op_count;
    for (int i = 0; i < o->rules->n; i++) {
        const Rule *r = &o->rules->at[i];
        uint32_t place;
        if (!query_rule(o->q, o->pass, r)) continue;
        if (r->depth > e->depth) e->depth = r->depth;
        RuleVec *v = &e->any;
        if (r->scalar >= 0) v = &e->by_scalar[r->scalar];
        else if (r->op && map_get(&o->rules->op_place, KEY(r->op), &place))
            v = r->levels & LATE ? &e->late_by_op.at[place] : &e->by_op.at[place];
        if (!vec_push(o->c, v, r)) return false;
    }
    if (e->depth > 3) e->depth = 3;
    if (!vec_reserve(o->c, &e->wanted, opt_kinds())) return false;
    e->wanted.n = opt_kinds();
    find_wanted(e);
    return true;
}

static void forget(Engine *e) {
    ThContext *c = e->o->c;
    for (int i = 0; i < SCALAR_COUNT; i++) vec_free(c, &e->by_scalar[i]);
    for (int i = 0; i < e->by_op.n; i++) vec_free(c, &e->by_op.at[i]);
    for (int i = 0; i < e->late_by_op.n; i++) vec_free(c, &e->late_by_op.at[i]);
    vec_free(c, &e->by_op);
    vec_free(c, &e->late_by_op);
    vec_free(c, &e->late);
    vec_free(c, &e->any);
    vec_free(c, &e->heap);
    vec_free(c, &e->first);
    vec_free(c, &e->queued);
    vec_free(c, &e->wanted);
}

/* ---- replacing ---- */
/* second(input, r) for inputs of the node that have the dims r lacks. */
static ThVar *fill_from_inputs(Opt *o, ThVar *r, const ThVar *out) {
    const ThApply *a = out->owner;
    for (int i = 0; a && r && i < a->nin; i++) {
        ThType t = a->in[i]->type;
        uint32_t missing = r->type.broadcastable & ~out->type.broadcastable;
        if (!missing) break;
        if (a->op != &op_elemwise || t.kind != TYPE_TENSOR || t.ndim != out->type.ndim) continue;
        if (missing & ~t.broadcastable) r = second_make(&o->b, a->in[i], r);
    }
    return r;
}

ThVar *engine_fit(Opt *o, ThVar *r, ThVar *out) {
    ThType want = out->type;
    if (!r || type_eq(r->type, want)) return r;
    if (r->type.kind != TYPE_TENSOR || want.kind != TYPE_TENSOR || r->type.ndim > want.ndim) return NULL;
    if (dtype_is_complex(r->type.dtype) && !dtype_is_complex(want.dtype)) return NULL;
    r = padleft_make(&o->b, cast_make(&o->b, r, want.dtype), want.ndim);
    if (r && (want.broadcastable & ~r->type.broadcastable)) return NULL;
    if (r) r = fill_from_inputs(o, r, out);
    return r && type_eq(r->type, want) ? r : NULL;
}

bool engine_replace(Opt *o, ThVar *out, ThVar *r, const char *rule) {
    r = engine_fit(o, r, out);
    if (!r || fg_find(r) == out) return false;
    r = fg_find(r);
    o->changes++;
    if (out->name && !r->name && r->owner) r->name = out->name;
    return fg_replace(o->fg, out, r, rule);
}

void engine_error(Opt *o, const char *rule) {
    ThContext *c = o->c;
    const char *policy = config_str(c, "on_opt_error");
    if (error_kind(c) == TH_MemoryError || error_kind(c) == TH_Interrupted) return;
    ThError kind = error_kind(c);
    char text[sizeof ctx_error_state(c)->text];
    snprintf(text, sizeof text, "%s", th_error_text(c));
    th_error_clear(c);
    if (policy && strcmp(policy, "raise") == 0) err(c, kind, "rewrite %s failed: %s", rule, text);
    else if (!policy || strcmp(policy, "ignore")) /* the function still compiles, without this rewrite */
        ctx_log(c, "WARNING: rewrite %s could not be applied: %s: %s", rule, th_error_name(kind), text);
}

/* ---- the loop ---- */
/* A node that the rewrite made stands for those that went with it: errors name their lines too. */
static void inherit(const Engine *e, const ThVar *v, int before) {
    ThApply *a = v->owner;
    if (a && (int)a->id >= before && a->prov != e->gone) a->prov = prov_join(e->o->c, a->prov, e->gone);
}

/* True when the rule changed the graph. */
static bool try_one(Engine *e, const Rule *r, ThApply *a) {
    Opt *o = e->o;
    o->b.rule = r->name;
    /* a lift ends by itself: it only moves toward the inputs */
    o->b.generation = (uint16_t)(a->generation + !(r->levels & LATE));
    o->fg->rule = r->name;
    o->which = 0;
    o->rule = r;
    int before = o->fg->nnodes;
    o->fg->most_nodes = before + MOST_MADE + 4 * o->fg->live;
    ThVar *v = r->fn ? r->fn(o, a) : rule_apply(o, r, a);
    if (failed(o->c)) {
        engine_error(o, r->name);
        v = NULL;
    }
    e->gone = 0, e->ngone = 0;
    bool done = v && !failed(o->c) && engine_replace(o, a->out[o->which], v, r->name);
    if (done && e->gone) inherit(e, fg_find(v), before);
    if (th_error(o->c) == TH_BadOptimization) engine_error(o, r->name); /* refused: the graph is as it was */
    o->fg->most_nodes = 0;
    if (o->b.pool.n) {
        builder_end(&o->b);
        builder_begin_fg(&o->b, o->fg, a->prov);
    }
    if (done) {
        ((Rule *)r)->fired++; /* the count is the only field that changes */
        o->rewrites++;
    }
    return done;
}

static bool try_rule(Engine *e, const Rule *r, ThApply *a) {
    const OptLook *look = e->o->look;
    if (!look) return try_one(e, r, a);
    int64_t start = opt_now();
    bool done = try_one(e, r, a);
    look->rule(look->user, r->name, opt_now() - start, done);
    return done;
}

static bool try_list(Engine *e, const RuleVec *v, ThApply *a) {
    Opt *o = e->o;
    bool done = false;
    if (!v->n) return false;
    builder_begin_fg(&o->b, o->fg, a->prov);
    for (int i = 0; !done && i < v->n; i++) done = possible(o, v->at[i]) && (try_rule(e, v->at[i], a) || failed(o->c));
    builder_end(&o->b);
    o->fg->rule = NULL;
    return done;
}

/* A user's rule made this node again and again out of what it had made: it would never end. */
static void endless(Opt *o, const ThApply *a) {
    bool user = false;
    for (int i = 0; a->rule && i < o->rules->n; i++)
        user |= o->rules->at[i].user && !strcmp(o->rules->at[i].name, a->rule);
    if (!user) return;
    err(o->c, TH_BadOptimization,
        "it was applied %d times to what rewrites had just made and would go on for ever: it undoes what another rule "
        "does, or makes what it replaces; let it return nil for its own results",
        MAX_GENERATION);
    engine_error(o, a->rule);
}

/* Rules on this node until one changes the graph; then its clients and its replacement are in the worklist. */
static void visit(Engine *e, ThApply *a) {
    enum { OFTEN = 63 };
    if (!(++e->visits & OFTEN) && ctx_stopped(e->o->c)) {
        err_stopped(e->o->c);
        return;
    }
    int kind = opt_kind_at(e->o, (int)a->id), place = kind < SCALAR_COUNT ? e->elemwise : kind - SCALAR_COUNT;
    bool known = place >= 0 && place < op_count;
    if (a->generation >= MAX_GENERATION) {
        if (!e->o->fg->max_generation_hit++) endless(e->o, a);
        return;
    }
    if (kind < SCALAR_COUNT && try_list(e, &e->by_scalar[kind], a)) return;
    if (known && try_list(e, &e->by_op.at[place], a)) return;
    if (try_list(e, &e->any, a) || !known || !e->late_by_op.at[place].n) return;
    Entry x = {~key_of(a), a};
    if (!vec_push(e->o->c, &e->late, x)) e->failed = true;
    else sift_up(e->late.at, e->late.n - 1);
}

/* The lifts of the waiting node nearest to the outputs: a view meets the views below it before those have moved. */
static void visit_late(Engine *e) {
    uint32_t place;
    ThApply *a = e->late.at[0].node;
    e->late.at[0] = e->late.at[--e->late.n];
    if (e->late.n) sift_down(e->late.at, e->late.n, 0);
    if (a->flags & APPLY_DEAD || a->generation >= MAX_GENERATION) return;
    if (map_get(&e->o->rules->op_place, KEY(a->op), &place)) try_list(e, &e->late_by_op.at[place], a);
}

/* By rank, stable, so that entries in the order of ids get the order of keys; `other` has room for as many. Digits that
 * are all equal cost one look. */
static void sort_entries(Entry *a, Entry *other, int n) {
    enum { BITS = 11, SIZE = 1 << BITS };
    uint64_t all_or = 0, all_and = ~(uint64_t)0;
    Entry *from = a, *to = other;
    for (int i = 0; i < n; i++) all_or |= a[i].key, all_and &= a[i].key;
    for (int shift = 32; shift < 64; shift += BITS) {
        int count[SIZE] = {0}, sum = 0;
        if (!(((all_or ^ all_and) >> shift) & (SIZE - 1))) continue;
        for (int i = 0; i < n; i++) count[(from[i].key >> shift) & (SIZE - 1)]++;
        for (int d = 0; d < SIZE; d++) {
            int here = count[d];
            count[d] = sum;
            sum += here;
        }
        for (int i = 0; i < n; i++) to[count[(from[i].key >> shift) & (SIZE - 1)]++] = from[i];
        Entry *t = from;
        from = to;
        to = t;
    }
    if (from != a) memcpy(a, from, sizeof *a * (size_t)n);
}

static int by_key(const void *x, const void *y) {
    uint64_t a = ((const Entry *)x)->key, b = ((const Entry *)y)->key;
    return a < b ? -1 : a > b;
}

/* All live nodes that some rule looks at, in order. */
static bool fill_worklist(Engine *e) {
    enum { SMALL = 256 };
    const Opt *o = e->o;
    ThContext *c = o->c;
    ThApply *const *node = o->fg->node.at;
    int kept = 0, nodes = o->kind.n;
    if (!vec_reserve(c, &e->queued, nodes + 1)) return false;
    for (int i = 0; i < nodes; i++) kept += e->queued.at[i] = node[i] && is_wanted(e, i);
    e->queued.n = nodes;
    if (!kept) return true;
    if (!vec_reserve(c, &e->first, 2 * kept)) return false;
    for (int i = 0; i < nodes; i++)
        if (e->queued.at[i]) e->first.at[e->first.n++] = (Entry){(uint64_t)o->rank.at[i] << 32 | (uint32_t)i, node[i]};
    if (kept < SMALL) qsort(e->first.at, (size_t)kept, sizeof *e->first.at, by_key);
    else sort_entries(e->first.at, e->first.at + kept, kept);
    return true;
}

bool pass_rules(Opt *o) {
    Engine e = {.o = o, .depth = 1};
    FgListener l = {on_import, on_change, on_prune, &e, NULL};
    bool ok = collect(&e) && fill_worklist(&e) && vec_push(o->c, &o->fg->listeners, l);
    if (ok) {
        while (!e.failed && !failed(o->c)) {
            ThApply *a = pop(&e);
            if (!a && !e.late.n) break;
            if (!a) {
                visit_late(&e);
                continue;
            }
            if (a->flags & APPLY_DEAD) continue;
            if (o->rewrites > o->limit || o->fg->nnodes > o->most_nodes) {
                ctx_log(o->c, "WARNING: optimizer: %lld rewrites made %d nodes in one function; stopped in %s at %s",
                        (long long)o->rewrites, o->fg->nnodes, o->pass->name, o->rule ? o->rule->name : "its start");
                break;
            }
            visit(&e, a);
        }
        o->fg->listeners.n--;
    }
    if (e.failed && !failed(o->c)) err_nomem(o->c);
    forget(&e);
    return ok && !failed(o->c);
}
