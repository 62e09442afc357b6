/*
 * eager.c -- values at once: one Apply becomes a one-node function on the interpreter's kernels. Functions are cached
 * by (operation, attributes, types of inputs and of results: flags may decide these; checked). Where small integer
 * inputs decide a result's type (a length of 1) they are constants of the plan, and such plans are not cached. Constant
 * folding (OptEval) and th_eager stand on eager_apply.
 */
#include "eager.h"
#include "function.h"

#include "base/array/sparse.h"

#include <string.h>

typedef struct Cached {
    uint64_t key;
    const Op *op;
    ThFunction *fn; /* NULL: values decide the types of results */
    struct Cached *next;
    void *attrs;    /* inner graphs in it may be gone: */
    uint64_t *body; /* ..these are their serial numbers; 0: none stands there */
    int nbody, nin, nout;
    bool checked;
    ThType type[]; /* of the inputs, then of the results */
} Cached;
typedef struct EagerState {
    Cached **slot;
    int nslot, n;
} EagerState;
enum { FEW = 32, MOST_RESULTS = OP_MAX_OUT, MOST_CACHED = 512, SLOTS = 1024, CONST_ELEMS = 2 * TH_MAX_NDIM };

/* Room for something of each input of a node: on the stack where there are few. */
typedef struct Room {
    void *few[FEW], **at;
    int n;
} Room;

static bool room_take(ThContext *c, Room *r, int n) {
    r->n = n;
    r->at = n <= FEW ? r->few : ctx_alloc0(c, sizeof *r->at * (size_t)n);
    return r->at != NULL;
}

static void room_free(ThContext *c, Room *r) {
    if (r->at && r->at != r->few) ctx_free(c, r->at, sizeof *r->at * (size_t)r->n);
    r->at = NULL;
}

static size_t cached_bytes(int nin, int nout) { return sizeof(Cached) + sizeof(ThType) * (size_t)(nin + nout); }

static void drop_all(ThContext *c, EagerState *s) {
    for (int i = 0; i < s->nslot; i++)
        for (Cached *e = s->slot[i], *next; e; e = next) {
            next = e->next;
            th_function_release(e->fn);
            ctx_free(c, e->attrs, e->op->attr_bytes);
            ctx_free(c, e->body, sizeof *e->body * (size_t)e->nbody);
            ctx_free(c, e, cached_bytes(e->nin, e->nout));
        }
    memset(s->slot, 0, sizeof *s->slot * (size_t)s->nslot);
    s->n = 0;
}

static void free_state(ThContext *c, void *p) {
    EagerState *s = p;
    drop_all(c, s);
    ctx_free(c, s->slot, sizeof *s->slot * SLOTS);
    ctx_free(c, s, sizeof *s);
}

static EagerState *state(ThContext *c) {
    EagerState *s = c->slot[CTX_RUNTIME];
    if (s) return s;
    s = ctx_alloc0(c, sizeof *s);
    if (!s) return NULL;
    s->slot = ctx_alloc0(c, sizeof *s->slot * SLOTS);
    if (!s->slot) {
        ctx_free(c, s, sizeof *s);
        return NULL;
    }
    s->nslot = SLOTS;
    c->slot[CTX_RUNTIME] = s;
    c->slot_free[CTX_RUNTIME] = free_state;
    return s;
}

/* Inputs whose value decides types or sizes when the node is built: kept as constants. */
static bool keeps_value(const ThArray *a) {
    return a && !array_is_sparse(a) && dtype_is_discrete((ThDtype)a->dtype) && a->ndim <= 1 && a->size <= CONST_ELEMS;
}
/* Whether input `a` of n becomes a constant of its plan. */
static bool stays(const ThApply *n, const ThArray *a) { return !(n->op->flags & OP_ELEMWISE) && keeps_value(a); }

static uint64_t key_of(const ThApply *n, bool checked) {
    uint64_t h = hash_mix(attrs_hash(n->op, n->attrs), KEY(n->op) + checked);
    for (int i = 0; i < n->nin; i++) h = hash_bytes(&n->in[i]->type, sizeof(ThType), h);
    for (int i = 0; i < n->nout; i++) h = hash_bytes(&n->out[i]->type, sizeof(ThType), h);
    return h;
}

static const GraphBody *const *bodies_of(const ThApply *n, int *count) {
    *count = 0;
    return n->op->bodies && n->attrs ? n->op->bodies(n->attrs, count) : NULL;
}
static uint64_t serial_of(const GraphBody *b) { return b ? b->like->serial : 0; }

static bool same_bodies(const Cached *e, const ThApply *n) {
    int count;
    const GraphBody *const *b = bodies_of(n, &count);
    bool same = count == e->nbody;
    for (int i = 0; same && i < count; i++) same = serial_of(b[i]) == e->body[i];
    return same;
}

static bool same(const Cached *e, const ThApply *n, uint64_t key, bool checked) {
    if (e->key != key || e->checked != checked || e->op != n->op || e->nin != n->nin || e->nout != n->nout)
        return false;
    if (!attrs_equal_but_bodies(n->op, e->attrs, n->attrs) || !same_bodies(e, n)) return false;
    for (int i = 0; i < n->nin; i++)
        if (!type_eq(e->type[i], n->in[i]->type)) return false;
    for (int i = 0; i < n->nout; i++)
        if (!type_eq(e->type[n->nin + i], n->out[i]->type)) return false;
    return true;
}

/* The node's graph; bodies may hold operations that stand for others: written out. */
static FGraph *close_node(ThContext *c, ThApply *a, const VarVec *leaf) {
    if (!a->op->bodies || !ops_any_expand(c))
        return fg_new(c, leaf->at, leaf->n, a->out, a->nout, NULL, NULL, 0, false);
    ThVar *out[OP_MAX_OUT] = {NULL};
    bool ok = ops_expand(c, a->out, a->nout, leaf->at, leaf->n, NULL, out);
    FGraph *fg = ok ? fg_new(c, leaf->at, leaf->n, out, a->nout, NULL, NULL, 0, false) : NULL;
    for (int i = 0; ok && i < a->nout; i++) th_var_release(out[i]);
    return fg;
}

static bool same_results(const ThApply *a, const ThApply *b) {
    for (int i = 0; i < a->nout; i++)
        if (!type_eq(a->out[i]->type, b->out[i]->type)) return false;
    return a->nout == b->nout;
}

/* A function of the node alone; args: room for its inputs; values: small integer inputs are constants. NULL without an
 * error: without their values the results are of other types. */
static ThFunction *build(ThContext *c, const ThApply *n, ThArray *const *in, bool checked, bool values, ThVar **args) {
    Builder b;
    builder_begin(&b, c);
    VarVec leaf = {0};
    VEC(ThIn) ins = {0};
    VEC(PlanIo) io = {0};
    FGraph *fg = NULL;
    Plan *plan = NULL;
    ThFunction *f = NULL;
    for (int i = 0; i < n->nin; i++) {
        ThType t = n->in[i]->type;
        bool fixed = values && stays(n, in[i]);
        args[i] = t.kind == TYPE_NONE ? const_none(&b) : fixed ? const_make_typed(&b, in[i], t) : var_new(&b, t, NULL);
        if (!args[i]) goto out;
        if (fixed || t.kind == TYPE_NONE) continue;
        if (!vec_push(c, &leaf, args[i]) || !vec_push(c, &ins, ((ThIn){0})) || !vec_push(c, &io, (PlanIo){.type = t}))
            goto out;
    }
    ThApply *a = apply_make(&b, n->op, n->attrs, args, n->nin);
    if (!a || (!values && !same_results(a, n))) goto out;
    fg = close_node(c, a, &leaf);
    VEC(PlanIo) oo = {0};
    VEC(ThOut) outs = {0};
    for (int i = 0; fg && i < a->nout; i++)
        if (!vec_push(c, &oo, (PlanIo){.type = a->out[i]->type}) || !vec_push(c, &outs, ((ThOut){0}))) break;
    if (fg && outs.n == a->nout) plan = plan_make(fg, io.at, io.n, oo.at, oo.n);
    for (int i = 0; i < ins.n; i++) ins.at[i].allow_downcast = -1;
    FunctionSpec s = {.plan = plan,
                      .in = ins.at,
                      .nin = ins.n,
                      .out = outs.at,
                      .nout = outs.n,
                      .allow_input_downcast = -1,
                      .internal = true,
                      .checked = checked};
    if (plan) f = function_new(c, &s);
    plan_release(plan);
    vec_free(c, &oo);
    vec_free(c, &outs);
out:
    if (fg) fg_free(fg);
    vec_free(c, &leaf);
    vec_free(c, &ins);
    vec_free(c, &io);
    builder_end(&b);
    return f;
}

static Cached *remember(ThContext *c, EagerState *s, const ThApply *n, uint64_t key, bool checked, ThFunction *f) {
    if (s->n >= MOST_CACHED) drop_all(c, s);
    int nbody;
    const GraphBody *const *b = bodies_of(n, &nbody);
    size_t bytes = n->op->attr_bytes, serials = sizeof(uint64_t) * (size_t)nbody;
    Cached *e = ctx_alloc0(c, cached_bytes(n->nin, n->nout));
    void *attrs = e && bytes ? ctx_alloc(c, bytes) : NULL;
    uint64_t *body = e && nbody ? ctx_alloc(c, serials) : NULL;
    if (!e || (bytes && !attrs) || (nbody && !body)) {
        ctx_free(c, attrs, bytes);
        ctx_free(c, body, serials);
        if (e) ctx_free(c, e, cached_bytes(n->nin, n->nout));
        return NULL;
    }
    for (int i = 0; i < nbody; i++) body[i] = serial_of(b[i]);
    if (attrs) memcpy(attrs, n->attrs, n->op->attr_bytes);
    *e = (Cached){.key = key, .op = n->op, .fn = f, .next = s->slot[key % SLOTS], .attrs = attrs, .body = body};
    e->nbody = nbody, e->nin = n->nin, e->nout = n->nout;
    e->checked = checked;
    for (int i = 0; i < n->nin; i++) e->type[i] = n->in[i]->type;
    for (int i = 0; i < n->nout; i++) e->type[n->nin + i] = n->out[i]->type;
    s->slot[key % SLOTS] = e;
    s->n++;
    return e;
}

/* The kept function of nodes like n, made where there is none; NULL with or without an error where there cannot be. */
static ThFunction *kept(ThContext *c, const ThApply *n, ThArray *const *in, bool any, bool checked, ThVar **room) {
    EagerState *s = state(c);
    if (!s) return NULL;
    uint64_t key = key_of(n, checked);
    Cached *e = s->slot[key % SLOTS];
    while (e && !same(e, n, key, checked)) e = e->next;
    if (e) return e->fn;
    ThFunction *f = build(c, n, in, checked, false, room);
    if (!f && (!any || error_kind(c) == TH_MemoryError || error_kind(c) == TH_Interrupted)) return NULL;
    if (failed(c)) th_error_clear(c); /* what wants values says what is wrong with them */
    if (!remember(c, s, n, key, checked, f)) {
        th_function_release(f);
        return NULL;
    }
    return f;
}

static int apply(ThContext *c, ThApply *n, ThArray *const *in, bool checked, ThArray **out) {
    Room room;
    if (!room_take(c, &room, n->nin)) return 1;
    bool any = false;
    for (int i = 0; i < n->nin; i++) any |= stays(n, in[i]);
    ThFunction *f = kept(c, n, in, any, checked, (ThVar **)room.at), *own = NULL;
    if (!f && any && !failed(c)) f = own = build(c, n, in, checked, true, (ThVar **)room.at);
    ThArray **args = (ThArray **)room.at;
    int nargs = 0;
    for (int i = 0; i < n->nin; i++)
        if (!(own && stays(n, in[i])) && n->in[i]->type.kind != TYPE_NONE) args[nargs++] = in[i];
    int rc = f ? th_call(f, args, nargs, out) : 1;
    th_function_release(own);
    room_free(c, &room);
    return rc;
}

int eager_apply(ThContext *c, ThApply *n, ThArray *const *in, ThArray **out) { return apply(c, n, in, false, out); }

int eager_apply_checked(ThContext *c, ThApply *n, ThArray *const *in, ThArray **out) {
    return apply(c, n, in, true, out);
}

/* ---- th_eager: the graph of a call on constants, evaluated node by node ---- */
static ThArray *value_of(ThContext *c, const Map *at, ThArray *const *values, ThVar *v) {
    uint32_t i;
    if (v->kind == VAR_CONSTANT) return v->u.data;
    if (v->kind == VAR_SHARED) return v->u.shared->value;
    if (v->owner && map_get(at, KEY(v->owner), &i)) return values[i + v->index];
    err(c, TH_MissingInputError, "a variable without a value in an eager call");
    return NULL;
}

/* The results of one node, behind the values so far. */
static bool evaluate_node(ThContext *c, ThApply *n, const Map *at, ThArray **values, ThArray **out) {
    Room room;
    if (!room_take(c, &room, n->nin)) return false;
    ThArray **in = (ThArray **)room.at;
    bool ok = true;
    for (int j = 0; ok && j < n->nin; j++) {
        in[j] = n->in[j]->type.kind == TYPE_NONE ? NULL : value_of(c, at, values, n->in[j]);
        ok = in[j] || n->in[j]->type.kind == TYPE_NONE;
    }
    ok = ok && eager_apply(c, n, in, out) == 0;
    room_free(c, &room);
    return ok;
}

static bool evaluate(ThContext *c, ThVar *const *outs, int nout, ThArray **result) {
    ApplyVec order = {0};
    VEC(ThArray *) values = {0};
    Map at = {0};
    bool ok = graph_toposort(c, outs, nout, NULL, 0, &order);
    for (int i = 0; ok && i < order.n; i++) {
        ThApply *n = order.at[i];
        ok = vec_reserve(c, &values, values.n + n->nout) && map_put(c, &at, KEY(n), (uint32_t)values.n) &&
             evaluate_node(c, n, &at, values.at, values.at + values.n);
        if (ok) values.n += n->nout;
    }
    for (int i = 0; ok && i < nout; i++) {
        ThArray *a = value_of(c, &at, values.at, outs[i]);
        ok = a != NULL;
        if (ok) result[i] = th_array_retain(a);
    }
    for (int i = 0; i < values.n; i++) th_array_release(values.at[i]);
    vec_free(c, &values);
    vec_free(c, &order);
    map_free(c, &at);
    return ok;
}

static int by_graph(ThContext *c, int func, const ThArg *args, int nargs, ThArray **out, int max) {
    ThVar *vars[MOST_RESULTS];
    ThArray *result[MOST_RESULTS] = {0};
    uint32_t prov = c->prov; /* of the last graph: not where this call stands, nor where later ones of its kind do */
    c->prov = 0;
    int n = ops_build(c, false, func, args, nargs, vars, MOST_RESULTS);
    bool ok = n >= 0 && evaluate(c, vars, n, result);
    c->prov = prov;
    for (int i = 0; i < n; i++) {
        th_var_release(vars[i]);
        if (ok && i < max) out[i] = result[i];
        else th_array_release(result[i]);
    }
    return ok ? (n < max ? n : max) : -1;
}

int th_eager(ThContext *c, int func, const ThArg *args, int nargs, ThArray **out, int max) {
    if (!c) return -1;
    if (nargs < 0 || max < 0 || (nargs && !args) || !out) return err_missing(c, __func__), -1;
    if (func < 0 || func >= th_func_count()) return err(c, TH_ValueError, "there is no function number %d", func), -1;
    int n;
    if (!failed(c) && eager_quick(c, func, args, nargs, out, max, &n)) return n;
    return by_graph(c, func, args, nargs, out, max);
}
