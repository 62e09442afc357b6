/*
 * node.c -- making Variables and Applys: builders, type inference, references.
 * In: an operation, its attributes and inputs. Out: an Apply with typed outputs, in the user's graph or in an FGraph's
 * arena (then an equal node is returned instead of a second one). Invariant: a node holds one reference on each input
 * and on its context; it is owned by its builder's pool until builder_end.
 */
#include "parts.h"

#include <stddef.h>
#include <string.h>

enum { ATTR_ROOM = 1024, FEW = 16 };

void builder_begin(Builder *b, ThContext *c) { *b = (Builder){.ctx = c, .prov = c->prov}; }

void builder_begin_fg(Builder *b, FGraph *fg, Prov prov) { *b = (Builder){.ctx = fg->ctx, .fg = fg, .prov = prov}; }

void builder_end(Builder *b) {
    if (b->fg) {
        for (int i = b->pool.n - 1; i >= 0; i--) { /* newest first: users before what they use */
            fg_prune(b->fg, &b->pool.at[i]->owner, 1);
        }
    } else {
        for (int i = 0; i < b->pool.n; i++) { th_var_release(b->pool.at[i]); }
    }
    vec_free(b->ctx, &b->pool);
}

/* Fields that leaves and outputs share. */
static void init_var(Builder *b, ThVar *v, VarKind kind, ThType t) {
    memset(v, 0, sizeof *v);
    v->kind = (uint8_t)kind;
    v->flags = b->fg ? VAR_F_GRAPH : 0;
    v->type = t;
    v->prov = b->prov;
    v->ctx = b->ctx;
    v->serial = b->ctx->next_serial++;
    atomic_init(&v->refs, 1);
    if (b->fg) {
        v->id = (uint32_t)b->fg->nvars++;
        v->fg = b->fg;
    }
}

/* A graph in the user's hands may grow. */
static bool room_for_node(const Builder *b) {
    const int64_t most = b->ctx->host.limits.nodes;
    if (b->fg || most <= 0 || atomic_load_explicit(&b->ctx->live_nodes, memory_order_relaxed) < most) { return true; }
    return err(b->ctx, TH_MemoryError, "the limit of %lld variables and applications is reached", (long long)most);
}

ThVar *leaf_new(Builder *b, VarKind kind, ThType t, const char *name) {
    const char *kept = name ? intern(b->ctx, name) : NULL;
    if (!room_for_node(b)) { return NULL; }
    if ((name && !kept) || !vec_reserve(b->ctx, &b->pool, b->pool.n + 1)) { return NULL; }
    ThVar *v = b->fg ? arena_alloc(b->fg->arena, sizeof *v) : ctx_alloc(b->ctx, sizeof *v);
    if (!v) { return NULL; }
    init_var(b, v, kind, t);
    v->name = kept;
    if (!b->fg) {
        th_context_retain(b->ctx);
        atomic_fetch_add(&b->ctx->live_nodes, 1);
        b->pool.at[b->pool.n++] = v;
    }
    return v;
}

ThVar *var_new(Builder *b, ThType t, const char *name) { return leaf_new(b, VAR_PLAIN, t, name); }

enum { LINE = 64 };
/* where addresses have 64 bits; with shorter ones both take less */
_Static_assert(sizeof(void *) < 8 || (sizeof(ThApply) == 2 * LINE && offsetof(ThApply, op) == LINE),
               "a node's second half is one cache line");
_Static_assert(sizeof(void *) < 8 || offsetof(ThVar, u) == LINE, "the first part of a variable is one cache line");

static size_t up16(size_t n) { return (n + 15) & ~(size_t)15; }

/* Where the outputs stand: behind pointers, slots and attributes; in a FunctionGraph at the start of a cache line. */
static size_t outs_at(const Op *op, int nin, int nout, bool graph) {
    size_t at =
        sizeof(ThApply) + up16(sizeof(ThVar *) * (size_t)(nin + nout) + (graph ? sizeof(int) * (size_t)nin : 0));
    at += up16(op->attr_bytes);
    return graph ? (at + LINE - 1) & ~(size_t)(LINE - 1) : at;
}

size_t apply_block_bytes(const Op *op, int nin, int nout, bool graph) {
    return outs_at(op, nin, nout, graph) + up16(sizeof(ThVar)) * (size_t)nout;
}

/* Lays the parts of a zeroed block out: record, pointers, slots, attributes, outputs. */
static void lay_out(ThApply *a, bool graph) {
    char *p = (char *)a + sizeof *a, *outs = (char *)a + outs_at(a->op, a->nin, a->nout, graph);
    a->in = (ThVar **)(void *)p;
    a->out = a->in + a->nin;
    p = (char *)(a->in) + up16(sizeof(ThVar *) * (size_t)(a->nin + a->nout) + (graph ? sizeof(int) * a->nin : 0));
    a->attrs = a->op->attr_bytes ? p : NULL;
    for (int i = 0; i < a->nout; i++) { a->out[i] = (ThVar *)(void *)(outs + up16(sizeof(ThVar)) * (size_t)i); }
}

static int scalar_of(const Op *op, const void *attrs) {
    const ElemwiseAttrs *e = attrs;
    return op->flags & OP_ELEMWISE && !e->body ? e->scalar : -1;
}

ThApply *apply_alloc(Builder *b, const Op *op, const void *attrs, ThVar *const *in, int nin, const ThType *types,
                     int nout) {
    size_t bytes = apply_block_bytes(op, nin, nout, b->fg != NULL);
    if (!room_for_node(b) || !vec_reserve(b->ctx, &b->pool, b->pool.n + 1) || !inner_retain(b, op, attrs)) {
        return NULL;
    }
    ThApply *a = b->fg ? arena_alloc0_line(b->fg->arena, bytes) : ctx_alloc0(b->ctx, bytes);
    if (!a) {
        if (!b->fg) { inner_release(op, attrs); }
        return NULL;
    }
    a->op = op;
    a->nin = (uint16_t)nin;
    a->nout = (uint16_t)nout;
    a->prov = b->prov;
    a->ctx = b->ctx;
    a->serial = b->ctx->next_serial++;
    a->flags = (uint8_t)((b->fg ? APPLY_GRAPH : 0) | (b->in_grad && (op->flags & OP_ELEMWISE) ? APPLY_GRAD : 0));
    a->destroys = -1;
    a->rule = b->rule;
    a->generation = b->generation;
    atomic_init(&a->refs, 1);
    lay_out(a, b->fg != NULL);
    if (attrs && a->attrs) { memcpy(a->attrs, attrs, op->attr_bytes); }
    a->scalar = (int16_t)scalar_of(op, a->attrs);
    for (int i = 0; i < nout; i++) {
        init_var(b, a->out[i], VAR_PLAIN, types[i]);
        a->out[i]->owner = a;
        a->out[i]->index = (uint16_t)i;
    }
    if (b->fg) {
        a->out[0]->clients = &a->out[0]->w.first;
        a->out[0]->capclients = 1;
    }
    for (int i = 0; i < nin; i++) { a->in[i] = b->fg ? in[i] : th_var_retain(in[i]); }
    if (!b->fg) {
        th_context_retain(b->ctx);
        atomic_fetch_add(&b->ctx->live_nodes, 1);
    }
    b->pool.at[b->pool.n++] = a->out[0];
    return a;
}

/* Inputs as the builder's graph sees them: same context, same kind of graph, forwarded variables followed. */
static bool take_inputs(Builder *b, const Op *op, ThVar *const *in, int nin, ThVar **taken) {
    if (op->nin >= 0 && nin != op->nin) {
        return err(b->ctx, TH_TypeError, "%s takes %d inputs, got %d", op->name, op->nin, nin);
    }
    if (nin > UINT16_MAX) {
        return err(b->ctx, TH_ValueError, "%s: %d inputs are too many (at most %d)", op->name, nin, UINT16_MAX);
    }
    for (int i = 0; i < nin; i++) {
        if (in[i]->ctx != b->ctx) {
            return err(b->ctx, TH_ValueError, "%s: input %d was made in another context", op->name, i);
        }
        if ((b->fg != NULL) != ((in[i]->flags & VAR_F_GRAPH) != 0)) {
            return err(b->ctx, TH_ValueError, "%s: input %d belongs to %s", op->name, i,
                       b->fg ? "the user's graph, not to the function being compiled" : "a compiled function");
        }
        taken[i] = b->fg ? fg_find(in[i]) : in[i];
    }
    return true;
}

static bool is_half(ThType t) { return t.kind == TYPE_TENSOR && dtype_is_half(type_dtype(t)); }

/* Halves only move: whoever computes with them is given float32 (elemwise_raw, front_build). */
static bool no_halves(Builder *b, const Op *op, ThType t, const char *what) {
    if (op->flags & OP_HALVES || !is_half(t)) { return true; }
    return err(b->ctx, TH_TypeError, "%s %s %s: cast it, x:astype(\"float32\")", op->name, what,
               th_dtype_name(type_dtype(t)));
}

/* Types of the outputs; attrs may be normalised in place. Number of outputs, or -1. */
static int infer_types(Builder *b, const Op *op, void *attrs, ThVar *const *in, int nin, ThType *types) {
    Infer q = {.b = b, .ctx = b->ctx, .op = op, .attrs = attrs, .in = in, .nin = nin, .out = types, .nout = op->nout};
    for (int i = 0; i < nin; i++) {
        if (!no_halves(b, op, in[i]->type, "does not take")) { return -1; }
    }
    if (!op->infer(&q)) {
        if (!failed(b->ctx)) { err(b->ctx, TH_TypeError, "%s does not accept these inputs", op->name); }
        return -1;
    }
    if (q.nout < 1 || q.nout > OP_MAX_OUT) {
        err(b->ctx, TH_ValueError, "%s: %d outputs (1 to %d are possible)", op->name, q.nout, OP_MAX_OUT);
        return -1;
    }
    for (int i = 0; i < q.nout; i++) {
        if (!no_halves(b, op, types[i], "does not give")) { return -1; }
    }
    return q.nout;
}

/* The node itself, once inputs and types are known: an equal one of the FGraph, or a new one. */
static ThApply *place(Builder *b, const Op *op, const void *attrs, ThVar *const *in, int nin, const ThType *types,
                      int nout) {
    ThApply like = {.op = op, .attrs = (void *)attrs, .in = (ThVar **)in, .nin = (uint16_t)nin, .destroys = -1};
    if (b->fg) {
        like.scalar = (int16_t)scalar_of(op, attrs);
        like.key = fg_key(op, attrs, like.scalar);
    }
    if (b->fg && b->fg->cons) {
        fg_hash_wide(&like);
        ThApply *same = fg_cons_find(b->fg, &like, types, nout);
        if (same) { return same; }
    }
    if (b->fg && b->fg->most_nodes && b->fg->nnodes >= b->fg->most_nodes) {
        err(b->ctx, TH_BadOptimization, "it makes node after node (%d of %s last): what it makes calls for more of it",
            b->fg->nnodes, op->name);
        return NULL;
    }
    ThApply *a = apply_alloc(b, op, attrs, in, nin, types, nout);
    if (a && b->fg) {
        a->key = like.key;
        a->hash = like.hash;
        if (!fg_adopt(b->fg, a)) {
            b->pool.n--;
            return NULL;
        }
    }
    return a;
}

static ThApply *make(Builder *b, const Op *op, const void *attrs, ThVar *const *in, int nin, ThVar **taken) {
    _Alignas(16) char room[ATTR_ROOM];
    ThType types[OP_MAX_OUT];
    if (op->attr_bytes > sizeof room) {
        err(b->ctx, TH_RuntimeError, "%s: attributes of %d bytes are too large", op->name, op->attr_bytes);
        return NULL;
    }
    memset(room, 0, op->attr_bytes);
    if (attrs && op->attr_bytes) { memcpy(room, attrs, op->attr_bytes); }
    if (!take_inputs(b, op, in, nin, taken)) { return NULL; }
    int nout = infer_types(b, op, room, taken, nin, types);
    return nout < 0 ? NULL : place(b, op, room, taken, nin, types, nout);
}

ThApply *apply_make(Builder *b, const Op *op, const void *attrs, ThVar *const *in, int nin) {
    ThVar *few[FEW], **taken = few;
    for (int i = 0; i < nin; i++) {
        if (!in[i]) { return NULL; }
        if (in[i]->ctx != b->ctx) {
            err(b->ctx, TH_TypeError, "%s: input %d is a variable of another context", op->name, i);
            return NULL;
        }
    }
    if (nin > FEW && !(taken = ctx_alloc(b->ctx, sizeof *taken * (size_t)nin))) { return NULL; }
    ThApply *a = make(b, op, attrs, in, nin, taken);
    if (taken != few) { ctx_free(b->ctx, taken, sizeof *taken * (size_t)nin); }
    if (a && !b->fg && !lengths_check(a)) { return NULL; } /* the builder's pool holds the node until it ends */
    return a;
}

ThVar *apply1(Builder *b, const Op *op, const void *attrs, ThVar *const *in, int nin) {
    ThApply *a = apply_make(b, op, attrs, in, nin);
    return a ? fg_find(a->out[0]) : NULL;
}

static ThApply *copy_on(Builder *b, const ThApply *src, ThVar *const *in, ThVar **taken) {
    ThType types[OP_MAX_OUT];
    if (!take_inputs(b, src->op, in, src->nin, taken)) { return NULL; }
    for (int i = 0; i < src->nin; i++) {
        if (!type_eq(taken[i]->type, src->in[i]->type)) { return apply_make(b, src->op, src->attrs, taken, src->nin); }
    }
    for (int i = 0; i < src->nout; i++) { types[i] = src->out[i]->type; }
    return place(b, src->op, src->attrs, taken, src->nin, types, src->nout);
}

ThApply *apply_copy(Builder *b, const ThApply *src, ThVar *const *in) {
    ThVar *few[FEW], **taken = few;
    if (src->nin > FEW && !(taken = ctx_alloc(b->ctx, sizeof *taken * src->nin))) { return NULL; }
    int before = b->pool.n;
    ThApply *a = copy_on(b, src, in, taken);
    if (taken != few) { ctx_free(b->ctx, taken, sizeof *taken * src->nin); }
    if (a && b->pool.n > before) { /* really new: it looks like its source */
        a->flags |= src->flags & APPLY_GRAD;
        a->destroys = src->destroys;
        a->asserts = src->asserts;
        for (int i = 0; i < a->nout; i++) { a->out[i]->name = src->out[i]->name; }
    }
    return a;
}
