/*
 * user.c -- operations of the host: defined under a key with callbacks (th_op_define) or with a graph.
 * In: a key, inputs, the types of the results. Out: nodes UserOp in the user's graph. Before a compile each is written
 * out (expand): as its graph; or as UserPerform, which runs the callback on whole arrays (run.c) and takes the
 * lengths of its results as further inputs, from infer_shape or from UserLengths. Keys and types are attributes as
 * interned texts, so merging, printing and reading need nothing special. Definitions live as long as their context.
 */
#include "user.h"
#include "ops/table/shape.h"
#include "ops/table/index.h"

#include "graph/parts.h"

#include <string.h>

/* ---- definitions ------------------------------------------------------------------------------------------------- */
/* Calls on other threads look definitions up while this one adds some. */
static void lock(OpsState *s) {
    while (atomic_flag_test_and_set_explicit(&s->user_lock, memory_order_acquire)) os_yield();
}
static void unlock(OpsState *s) { atomic_flag_clear_explicit(&s->user_lock, memory_order_release); }

/* kept: interned */
static UserDef *find_kept(OpsState *s, const char *kept) {
    uint32_t at;
    lock(s);
    UserDef *d = map_get(&s->user_of, KEY(kept), &at) ? s->users.at[at] : NULL;
    unlock(s);
    return d && !d->forgotten ? d : NULL;
}

static UserDef *find(ThContext *c, const char *key) {
    OpsState *s = ops_state(c);
    const char *kept = s && key ? intern(c, key) : NULL;
    return kept ? find_kept(s, kept) : NULL;
}

UserDef *user_def(ThContext *c, const void *attrs) {
    OpsState *s = ops_state(c);
    const char *key = ((const UserAttrs *)attrs)->key;
    UserDef *d = s ? find_kept(s, key) : NULL;
    if (!d && !failed(c)) err(c, TH_KeyError, "the operation '%s' is not defined in this context", key);
    return d;
}

static void drop_graph(ThContext *c, UserDef *d) {
    for (int i = 0; d->in && i < d->d.ngraph_in; i++) th_var_release(d->in[i]);
    for (int i = 0; d->out && i < d->d.ngraph_out; i++) th_var_release(d->out[i]);
    ctx_free(c, d->in, sizeof *d->in * (size_t)d->d.ngraph_in);
    ctx_free(c, d->out, sizeof *d->out * (size_t)d->d.ngraph_out);
    d->in = d->out = NULL;
}

static void free_def(ThContext *c, UserDef *d) {
    drop_graph(c, d);
    if (d->d.release) d->d.release(d->d.user);
    ctx_free(c, d, sizeof *d);
}

void user_free_all(ThContext *c, OpsState *s) {
    for (int i = 0; i < s->users.n; i++) free_def(c, s->users.at[i]);
    vec_free(c, &s->users);
    map_free(c, &s->user_of);
}

static ThVar **keep(ThContext *c, ThVar *const *v, int n) {
    ThVar **to = ctx_alloc(c, sizeof *to * (size_t)n);
    for (int i = 0; to && i < n; i++) to[i] = th_var_retain(v[i]);
    return to;
}

/* What the graph is made of besides its inputs must have a value by itself. */
static bool closed(ThContext *c, const ThOpDef *d) {
    VarVec leaves = {0};
    bool ok = graph_leaves(c, d->graph_out, d->ngraph_out, &leaves);
    for (int i = 0; ok && i < leaves.n; i++) {
        bool given = leaves.at[i]->kind != VAR_PLAIN;
        for (int k = 0; k < d->ngraph_in && !given; k++) given = d->graph_in[k] == leaves.at[i];
        if (given) continue;
        ok = err(c, TH_MissingInputError, "%s: its graph uses %s, which is not one of its inputs",
                 d->name ? d->name : "operation", leaves.at[i]->name ? leaves.at[i]->name : "an unnamed variable");
    }
    vec_free(c, &leaves);
    return ok;
}

int th_op_define(ThContext *c, const char *key, const ThOpDef *def) {
    if (!c) return -1;
    if (!key || !def) return err_missing(c, __func__), -1;
    ThOpDef own;
    if (!(def = options_of(c, def, &own))) return -1;
    OpsState *s = ops_state(c);
    if (!s || failed(c)) return -1;
    if (find(c, key)) {
        if (def->release) def->release(def->user);
        return 0;
    }
    if (!def->perform && !def->ngraph_out) return th_fail(c, TH_TypeError, "an operation needs perform or a graph");
    if (def->ngraph_in < 0 || def->ngraph_out < 0) return err_missing(c, __func__), -1;
    if (!graph_given(c, __func__, def->graph_in, def->ngraph_in) ||
        !graph_given(c, __func__, def->graph_out, def->ngraph_out))
        return -1;
    if (def->ngraph_out && !closed(c, def)) return -1;
    UserDef *d = ctx_alloc0(c, sizeof *d);
    if (!d) return -1;
    d->d = *def;
    d->d.release = NULL; /* the caller's until all went well */
    d->key = intern(c, key);
    d->name = intern(c, def->name ? def->name : key);
    if (def->ngraph_in) d->in = keep(c, def->graph_in, def->ngraph_in);
    if (def->ngraph_out) d->out = keep(c, def->graph_out, def->ngraph_out);
    lock(s);
    bool kept = !failed(c) && vec_push(c, &s->users, d);
    if (kept && !map_put(c, &s->user_of, KEY(d->key), (uint32_t)(s->users.n - 1))) {
        s->users.n--;
        kept = false;
    }
    unlock(s);
    if (!kept) {
        free_def(c, d);
        return -1;
    }
    d->d.release = def->release;
    return 0;
}

void th_op_forget(ThContext *c, const char *key) {
    OpsState *s = c ? ops_state(c) : NULL;
    th_context_retain(c); /* a graph may hold the last reference but ours */
    for (int i = 0; s && i < s->users.n; i++) {
        UserDef *d = s->users.at[i];
        if (!d->d.ngraph_out || d->forgotten || (key && strcmp(d->key, key))) continue;
        d->forgotten = true;
        drop_graph(c, d);
    }
    th_context_release(c);
}

bool th_op_defined(ThContext *c, const char *key) { return c && key ? find(c, key) != NULL : false; }

int th_fail(ThContext *c, ThError kind, const char *text) {
    if (!c) return -1;
    if (!failed(c)) err(c, kind, "%s", text);
    return -1;
}

/* ---- types ------------------------------------------------------------------------------------------------------- */
static const char *types_text(ThContext *c, const ThType *t, int n) {
    Text text;
    text_init(&text, c);
    for (int i = 0; i < n; i++) {
        if (i) text_putc(&text, ' ');
        type_put(&text, t[i]);
    }
    const char *kept = text.at ? intern(c, text.at) : NULL;
    text_free(&text);
    return kept;
}

int user_types(ThContext *c, const char *text, ThType *t) {
    int n = 0;
    for (const char *p = text; p && *p; n++) {
        while (*p == ' ') p++;
        if (n == OP_MAX_OUT) return -1;
        p = type_read(c, p, &t[n]);
        if (!p) return -1;
        while (*p == ' ') p++;
    }
    return n;
}

static bool infer_user(Infer *q) {
    const UserAttrs *a = q->attrs;
    UserDef *d = user_def(q->ctx, a);
    if (!d) return false;
    for (int i = 0; i < q->nin && !d->d.ngraph_out; i++)
        if (q->in[i]->type.kind == TYPE_SPARSE)
            return err(q->ctx, TH_TypeError,
                       "%s: input %d is a sparse matrix, whose parts (csm_data, csm_indices, "
                       "csm_indptr) can be handed to code of the host, not it itself",
                       d->name, i);
    if (d->d.ngraph_out) {
        if (q->nin > OP_MAX_OUT) return err(q->ctx, TH_ValueError, "%s: too many inputs", d->name);
        if (q->nin != d->d.ngraph_in)
            return err(q->ctx, TH_TypeError, "%s takes %d inputs, got %d", d->name, d->d.ngraph_in, q->nin);
        for (int i = 0; i < q->nin; i++)
            if (!type_eq(q->in[i]->type, d->in[i]->type)) {
                Text want, got;
                text_init(&want, q->ctx);
                text_init(&got, q->ctx);
                type_text(&want, d->in[i]->type);
                type_text(&got, q->in[i]->type);
                err(q->ctx, TH_TypeError, "%s: input %d must be a %s, got a %s", d->name, i, want.at ? want.at : "?",
                    got.at ? got.at : "?");
                text_free(&want);
                text_free(&got);
                return false;
            }
    }
    q->nout = user_types(q->ctx, a->types, q->out);
    if (q->nout > 0 && a->connected && strlen(a->connected) != (size_t)q->nin * (size_t)q->nout)
        return err(q->ctx, TH_ValueError, "%s: the pattern of connections needs a digit for each input and result",
                   d->name);
    return q->nout > 0;
}

void user_str(Text *t, const ThApply *a) {
    UserDef *d = find(a->ctx, ATTRS(UserAttrs, a)->key);
    text_put(t, d ? d->name : "UserOp");
}

const AttrField user_fields[USER_NFIELD] = {
    {"op", ATTR_STR, offsetof(UserAttrs, key), false},
    {"types", ATTR_STR, offsetof(UserAttrs, types), false},
    {"nreal", ATTR_INT, offsetof(UserAttrs, nreal), false},
    {"connected", ATTR_STR, offsetof(UserAttrs, connected), false},
};

/* ---- the graph form ---------------------------------------------------------------------------------------------- */
static ThVar *adopt(Builder *b, ThVar *v) {
    if (v && !vec_push(b->ctx, &b->pool, v)) {
        th_var_release(v);
        return NULL;
    }
    return v;
}

static bool adopt_all(Builder *b, ThVar **v, int n) {
    bool ok = true;
    for (int i = 0; i < n; i++)
        if (v[i]) {
            v[i] = adopt(b, v[i]);
            ok = ok && v[i];
        }
    return ok;
}

/* The graph on these inputs; results owned by the builder. */
static bool write_graph(Builder *b, const UserDef *d, ThVar *const *in, ThVar **out) {
    return graph_clone(b->ctx, d->out, d->d.ngraph_out, d->in, in, d->d.ngraph_in, true, out) &&
           adopt_all(b, out, d->d.ngraph_out);
}

/* ---- derivatives ------------------------------------------------------------------------------------------------- */
static void graph_grad(Grad *g, const UserDef *d) {
    ThContext *c = g->b->ctx;
    ThApply *a = g->node;
    ThVar *out[OP_MAX_OUT], *known[OP_MAX_OUT], *gz[OP_MAX_OUT], *in[OP_MAX_OUT];
    int n = 0;
    /* On copies of the inputs: one input may be made from another, whose gradient must not count that way here. */
    for (int i = 0; i < a->nin; i++) {
        in[i] = a->in[i]->type.kind == TYPE_TENSOR ? elemwise_1(g->b, S_identity, a->in[i]) : a->in[i];
        if (!in[i]) return;
    }
    if (!write_graph(g->b, d, in, out)) return;
    for (int o = 0; o < a->nout; o++)
        if (g->gz[o]) known[n] = out[o], gz[n++] = g->gz[o];
    ThGradOptions o = {.known = known,
                       .known_grad = gz,
                       .nknown = n,
                       .disconnected_inputs = TH_IGNORE,
                       .null_return = true,
                       .disconnected = 'n',
                       .no_names = true};
    if (n && !th_grad(c, NULL, in, a->nin, &o, g->gx)) adopt_all(g->b, g->gx, a->nin);
}

static bool connected_user(const ThApply *a, int in, int out) {
    const char *pattern = ATTRS(UserAttrs, a)->connected;
    return !pattern || pattern[in * a->nout + out] == '1';
}

/* What a grad gave for input i is what the pattern of connections promises, as Theano wants it. */
static bool keeps_promise(const ThApply *a, const UserDef *d, int i, const ThVar *given) {
    bool any = false;
    if (!ATTRS(UserAttrs, a)->connected) return true;
    for (int o = 0; o < a->nout; o++) any = any || connected_user(a, i, o);
    if (any == (given != NULL)) return true;
    return err(a->ctx, TH_TypeError,
               any ? "%s: grad gave no gradient for its input %d, which connection_pattern says is connected"
                   : "%s: grad gave a gradient for its input %d, which connection_pattern says is disconnected: give "
                     "DisconnectedType",
               d->name, i);
}

static void grad_user(Grad *g) {
    ThContext *c = g->b->ctx;
    ThApply *a = g->node;
    UserDef *d = user_def(c, a->attrs);
    if (!d) return;
    if (d->d.grad) {
        if (d->d.grad(d->d.user, c, a->in, a->nin, a->out, a->nout, g->gz, g->gx) && !failed(c))
            err(c, TH_RuntimeError, "%s: grad failed without an error", d->name);
        adopt_all(g->b, g->gx, a->nin);
        for (int i = 0; i < a->nin && !failed(c); i++) {
            if (g->gx[i] && g->gx[i]->type.kind == TYPE_DISCONNECTED) g->gx[i] = NULL;
            if (!d->d.ngraph_out && !keeps_promise(a, d, i, g->gx[i])) return;
        }
    } else if (d->d.ngraph_out) {
        graph_grad(g, d);
    } else {
        for (int i = 0; i < a->nin; i++)
            if (g->wanted[i]) g->gx[i] = grad_undefined(g, i, "the operation has no grad");
    }
}

static bool rop_user(Rop *r) {
    ThContext *c = r->b->ctx;
    ThApply *a = r->node;
    UserDef *d = user_def(c, a->attrs);
    ThVar *wrt[OP_MAX_OUT], *at[OP_MAX_OUT], *out[OP_MAX_OUT];
    int n = 0;
    if (!d) return false;
    if (d->d.rop) {
        if (d->d.rop(d->d.user, c, a->in, a->nin, r->ev, r->out, a->nout))
            return failed(c) ? false : err(c, TH_RuntimeError, "%s: R_op failed without an error", d->name);
        return adopt_all(r->b, r->out, a->nout);
    }
    if (d->d.grad || !d->d.ngraph_out || a->nin > OP_MAX_OUT) return rop_by_gradient(r);
    if (!write_graph(r->b, d, a->in, out)) return false;
    for (int i = 0; i < a->nin; i++)
        if (r->ev[i]) wrt[n] = a->in[i], at[n++] = r->ev[i];
    return !th_rop(c, out, a->nout, wrt, at, n, r->out) && adopt_all(r->b, r->out, a->nout);
}

static bool batch_user(Batch *q) {
    ThVar *out[OP_MAX_OUT];
    UserDef *d = user_def(q->b->ctx, q->node->attrs);
    if (!d) return false;
    if (!d->d.ngraph_out)
        return err(q->b->ctx, TH_NotImplementedError,
                   "vmap: %s is an operation of the user with its own code, which works on whole arrays", d->name);
    return write_graph(q->b, d, q->node->in, out) && batch_through(q, out);
}

/* ---- writing it out ---------------------------------------------------------------------------------------------- */
enum { MOST = 2 * TH_MAX_NDIM }; /* operands of a host call: inputs, lengths, results */

/* Element i of a vector of lengths: the operand itself where they were put together one by one. */
static ThVar *length_at(Builder *b, ThVar *v, int i) {
    const ThApply *a = v->owner;
    return a && a->op == &op_make_vector && i < a->nin ? a->in[i] : subtensor_int_make(b, v, i);
}

/* Before the lengths of UserPerform stands where UserLengths left what the callback gave; with asked lengths none has.
 */
static ThVar *nothing_left(Builder *b) { return const_int(b, -1, TH_INT64); }

/* Lengths of the results from the user's rule, one 0-d int64 for each dimension that is not promised to be 1. */
static int asked_lengths(Builder *b, UserDef *d, ThApply *a, ThVar *const *in, ThVar **len) {
    ThContext *c = b->ctx;
    ThVar *shape[OP_MAX_OUT], *out[OP_MAX_OUT] = {0};
    int n = 0;
    if (!(len[n++] = nothing_left(b))) return -1;
    for (int i = 0; i < a->nin && i < OP_MAX_OUT; i++)
        if (!(shape[i] = in[i]->type.kind == TYPE_TENSOR ? shape_make(b, in[i]) : const_none(b))) return -1;
    if (d->d.infer_shape(d->d.user, c, in, shape, a->nin, out, a->nout)) {
        if (!failed(c)) err(c, TH_RuntimeError, "%s: infer_shape failed without an error", d->name);
        return -1;
    }
    if (!adopt_all(b, out, a->nout)) return -1;
    for (int o = 0; o < a->nout; o++) {
        ThType t = a->out[o]->type;
        if (!out[o] || out[o]->type.kind != TYPE_TENSOR || out[o]->type.ndim != 1)
            return th_fail(c, TH_TypeError, "infer_shape must give a vector of lengths for each result");
        for (int i = 0; i < t.ndim; i++)
            if (!type_bcast(t, i)) len[n++] = cast_make(b, length_at(b, out[o], i), TH_INT64);
    }
    return n;
}

static int found_lengths(Builder *b, ThApply *a, ThVar *const *in, ThVar **len) {
    bool fixed = true;
    for (int o = 0; o < a->nout; o++)
        for (int i = 0; i < a->out[o]->type.ndim; i++) fixed = fixed && type_bcast(a->out[o]->type, i);
    if (fixed) return (len[0] = nothing_left(b)) ? 1 : -1;
    ThVar *v = apply1(b, &op_user_lengths, a->attrs, in, a->nin);
    int n = 0;
    if (v) len[n++] = subtensor_int_make(b, v, 0);
    for (int o = 0, at = 1; v && o < a->nout; o++)
        for (int i = 0; i < a->out[o]->type.ndim; i++, at++)
            if (!type_bcast(a->out[o]->type, i)) len[n++] = subtensor_int_make(b, v, at);
    return v ? n : -1;
}

bool user_twofold(ThContext *c, const GraphBody *body) {
    ApplyVec order = {0};
    bool yes = false, ok = graph_toposort(c, body->out, body->nout, body->in, body->nin, &order);
    for (int i = 0; ok && i < order.n && !yes; i++) {
        const UserDef *d = order.at[i]->op == &op_user ? user_def(c, order.at[i]->attrs) : NULL;
        yes = d && d->d.perform && d->d.ngraph_out;
    }
    vec_free(c, &order);
    return yes;
}

/* By its callback, which takes the lengths of its results as further inputs. */
static bool write_perform(Builder *b, UserDef *d, ThApply *a, ThVar *const *in, ThVar **out) {
    ThContext *c = b->ctx;
    ThVar *all[MOST], *len[MOST];
    int n = 1;
    for (int o = 0; o < a->nout; o++) n += a->out[o]->type.ndim;
    if (a->nin + n + a->nout > MOST)
        return err(c, TH_ValueError, "%s: %d inputs, %d results and their %d dimensions are more than %d operands",
                   d->name, a->nin, a->nout, n - 1, MOST - 1);
    n = d->d.infer_shape ? asked_lengths(b, d, a, in, len) : found_lengths(b, a, in, len);
    if (n < 0) return false;
    for (int i = 0; i < a->nin; i++) all[i] = in[i];
    for (int i = 0; i < n; i++) all[a->nin + i] = len[i];
    UserAttrs at = *ATTRS(UserAttrs, a);
    at.nreal = a->nin;
    ThApply *r = apply_make(b, &op_user_run, &at, all, a->nin + n);
    for (int o = 0; r && o < a->nout; o++) out[o] = r->out[o];
    return r != NULL;
}

/* Both ways of computing it, for DebugMode to compare. */
static bool note_both(Builder *b, UserDef *d, ThApply *a, ThVar *const *in, ThVar *const *graph, VarVec *to) {
    ThVar *by_perform[OP_MAX_OUT];
    if (!write_perform(b, d, a, in, by_perform) || !vec_reserve(b->ctx, to, to->n + 2 * a->nout)) return false;
    for (int o = 0; o < a->nout; o++) {
        if (!type_eq(by_perform[o]->type, graph[o]->type)) continue;
        to->at[to->n++] = th_var_retain(by_perform[o]);
        to->at[to->n++] = th_var_retain(graph[o]);
    }
    return true;
}

static bool expand_user(Builder *b, ThApply *a, ThVar *const *in, VarPairs *pairs, ThVar **out) {
    UserDef *d = user_def(b->ctx, a->attrs);
    if (!d) return false;
    if (!d->d.ngraph_out) return write_perform(b, d, a, in, out);
    return write_graph(b, d, in, out) && (!d->d.perform || !pairs || note_both(b, d, a, in, out, &pairs->var));
}

static bool lower_never(Lower *l) {
    return err(l->ctx, TH_RuntimeError, "an operation of the user was not written out before compiling");
}

static bool shape_never(ShapeQ *q) {
    (void)q;
    return false;
}

const Op op_user = {
    .name = "UserOp",
    .flags = OP_FAILS | OP_HALVES,
    .nin = -1,
    .nout = -1,
    .attr_bytes = sizeof(UserAttrs),
    .attrs = user_fields,
    .nattr = USER_NFIELD,
    .infer = infer_user,
    .shape = shape_never,
    .grad = grad_user,
    .connected = connected_user,
    .lower = lower_never,
    .str = user_str,
    .rop = rop_user,
    .batch = batch_user,
    .expand = expand_user,
    .doc = OP_DOC("an operation of the user"),
};

/* ---- applying -----------------------------------------------------------------------------------------------------
 */
ThApply *th_op_apply(ThContext *c, const char *key, ThVar *const *in, int nin, const ThType *out, int nout) {
    return th_op_apply_connected(c, key, in, nin, out, nout, NULL);
}

ThApply *th_op_apply_connected(ThContext *c, const char *key, ThVar *const *in, int nin, const ThType *out, int nout,
                               const char *connected) {
    if (!c) return NULL;
    if (!key || nout < 0) return err_missing(c, __func__), NULL;
    if (failed(c) || !graph_given(c, __func__, in, nin)) return NULL;
    Builder b;
    ThType t[OP_MAX_OUT];
    UserDef *d = find(c, key);
    if (!d) {
        err(c, TH_KeyError, "the operation '%s' is not defined", key);
        return NULL;
    }
    for (int i = 0; !out && i < d->d.ngraph_out; i++) t[i] = d->out[i]->type;
    UserAttrs a;
    memset(&a, 0, sizeof a);
    a.key = d->key;
    a.types = out ? types_text(c, out, nout) : types_text(c, t, d->d.ngraph_out);
    if (connected) a.connected = intern(c, connected);
    builder_begin(&b, c);
    ThApply *r = a.types ? apply_make(&b, &op_user, &a, in, nin) : NULL;
    if (r) th_apply_retain(r);
    builder_end(&b);
    return r;
}

const char *th_apply_op_key(const ThApply *a) {
    if (!a) return NULL;
    return a->op == &op_user || a->op == &op_user_run ? ATTRS(UserAttrs, a)->key : NULL;
}
