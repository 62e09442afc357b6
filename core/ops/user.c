/*
 * user.c -- operations of the host: defined under a key with callbacks (th_op_define) or with a graph.
 * In: a key, inputs, the types of the results. Out: nodes UserOp in the user's graph. Before a compile each is written
 * out (expand): as its graph; or as UserPerform, which runs the callback on whole arrays and takes the lengths of its
 * results as further inputs, from infer_shape or from UserLengths, which runs the callback first and leaves what it
 * gave for UserPerform to take. Keys and types are attributes as interned texts, so merging, printing and reading need
 * nothing special. Definitions live as long as their context.
 */
#include "structural.h"

#include "../graph/parts.h"

#include <stdio.h>
#include <string.h>

typedef struct UserDef {
    const char *key, *name; /* interned */
    ThOpDef d;
    ThVar **in, **out; /* its graph, retained */
    /* What UserLengths computed, for the UserPerform of the same call. */
    void *frame;
    ThArray **left;
    int nleft;
    bool forgotten;
} UserDef;

typedef struct UserAttrs {
    const char *key, *types; /* types: graph text of the results' types, one after the other */
    int64_t nreal;           /* UserPerform: inputs before the lengths */
} UserAttrs;

/* ---- definitions ------------------------------------------------------------------------------------------------- */
static UserDef *find(ThContext *c, const char *key) {
    OpsState *s = ops_state(c);
    const char *kept = s && key ? intern(c, key) : NULL;
    uint32_t at;
    return kept && map_get(&s->user_of, KEY(kept), &at) && !s->users.at[at]->forgotten ? s->users.at[at] : NULL;
}

static UserDef *def_of(ThContext *c, const void *attrs) {
    UserDef *d = find(c, ((const UserAttrs *)attrs)->key);
    if (!d && !failed(c))
        err(c, TH_KeyError, "the operation '%s' is not defined in this context", ((const UserAttrs *)attrs)->key);
    return d;
}

static void drop_left(ThContext *c, UserDef *d) {
    for (int i = 0; i < d->nleft; i++) th_array_release(d->left[i]);
    ctx_free(c, d->left, sizeof *d->left * (size_t)d->nleft);
    d->left = NULL;
    d->nleft = 0;
    d->frame = NULL;
}

static void drop_graph(ThContext *c, UserDef *d) {
    for (int i = 0; d->in && i < d->d.ngraph_in; i++) th_var_release(d->in[i]);
    for (int i = 0; d->out && i < d->d.ngraph_out; i++) th_var_release(d->out[i]);
    ctx_free(c, d->in, sizeof *d->in * (size_t)d->d.ngraph_in);
    ctx_free(c, d->out, sizeof *d->out * (size_t)d->d.ngraph_out);
    d->in = d->out = NULL;
}

static void free_def(ThContext *c, UserDef *d) {
    drop_left(c, d);
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
    OpsState *s = ops_state(c);
    if (!s || failed(c)) return -1;
    if (find(c, key)) {
        if (def->release) def->release(def->user);
        return 0;
    }
    if (!def->perform && !def->ngraph_out) return th_fail(c, TH_TypeError, "an operation needs perform or a graph");
    if (def->ngraph_out && !closed(c, def)) return -1;
    UserDef *d = ctx_alloc0(c, sizeof *d);
    if (!d) return -1;
    d->d = *def;
    d->d.release = NULL; /* the caller's until all went well */
    d->key = intern(c, key);
    d->name = intern(c, def->name ? def->name : key);
    if (def->ngraph_in) d->in = keep(c, def->graph_in, def->ngraph_in);
    if (def->ngraph_out) d->out = keep(c, def->graph_out, def->ngraph_out);
    if (failed(c) || !vec_push(c, &s->users, d)) {
        free_def(c, d);
        return -1;
    }
    if (!map_put(c, &s->user_of, KEY(d->key), (uint32_t)(s->users.n - 1))) {
        s->users.n--;
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

bool th_op_defined(ThContext *c, const char *key) { return find(c, key) != NULL; }

int th_fail(ThContext *c, ThError kind, const char *text) {
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

static int types_read(ThContext *c, const char *text, ThType *t) {
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
    UserDef *d = def_of(q->ctx, a);
    if (!d) return false;
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
    q->nout = types_read(q->ctx, a->types, q->out);
    return q->nout > 0;
}

static void str_user(Text *t, const ThApply *a) {
    UserDef *d = find(a->ctx, ATTRS(UserAttrs, a)->key);
    text_put(t, d ? d->name : "UserOp");
}

static const AttrField user_fields[] = {
    {"op", ATTR_STR, offsetof(UserAttrs, key), false},
    {"types", ATTR_STR, offsetof(UserAttrs, types), false},
    {"nreal", ATTR_INT, offsetof(UserAttrs, nreal), false},
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

static void grad_user(Grad *g) {
    ThContext *c = g->b->ctx;
    ThApply *a = g->node;
    UserDef *d = def_of(c, a->attrs);
    if (!d) return;
    if (d->d.grad) {
        if (d->d.grad(d->d.user, c, a->in, a->nin, a->out, a->nout, g->gz, g->gx) && !failed(c))
            err(c, TH_RuntimeError, "%s: grad failed without an error", d->name);
        adopt_all(g->b, g->gx, a->nin);
        for (int i = 0; i < a->nin; i++)
            if (g->gx[i] && g->gx[i]->type.kind == TYPE_DISCONNECTED) g->gx[i] = NULL;
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
    UserDef *d = def_of(c, a->attrs);
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
    UserDef *d = def_of(q->b->ctx, q->node->attrs);
    if (!d) return false;
    if (!d->d.ngraph_out)
        return err(q->b->ctx, TH_NotImplementedError,
                   "vmap: %s is an operation of the user with its own code, which works on whole arrays", d->name);
    return write_graph(q->b, d, q->node->in, out) && batch_through(q, out);
}

/* ---- writing it out ---------------------------------------------------------------------------------------------- */
enum { MAX_LENGTHS = 48 };

/* Element i of a vector of lengths: the operand itself where they were put together one by one. */
static ThVar *length_at(Builder *b, ThVar *v, int i) {
    const ThApply *a = v->owner;
    return a && a->op == &op_make_vector && i < a->nin ? a->in[i] : subtensor_int_make(b, v, i);
}

/* Lengths of the results from the user's rule, one 0-d int64 for each dimension that is not promised to be 1. */
static int asked_lengths(Builder *b, UserDef *d, ThApply *a, ThVar *const *in, ThVar **len) {
    ThContext *c = b->ctx;
    ThVar *shape[OP_MAX_OUT], *out[OP_MAX_OUT] = {0};
    int n = 0;
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
        for (int i = 0; i < t.ndim && n < MAX_LENGTHS; i++)
            if (!type_bcast(t, i)) len[n++] = cast_make(b, length_at(b, out[o], i), TH_INT64);
    }
    return n;
}

static int found_lengths(Builder *b, ThApply *a, ThVar *const *in, ThVar **len) {
    ThVar *v = apply1(b, &op_user_lengths, a->attrs, in, a->nin);
    int n = 0;
    for (int o = 0, at = 0; v && o < a->nout; o++)
        for (int i = 0; i < a->out[o]->type.ndim && n < MAX_LENGTHS; i++, at++)
            if (!type_bcast(a->out[o]->type, i)) len[n++] = subtensor_int_make(b, v, at);
    return v ? n : -1;
}

bool user_twofold(ThContext *c, const GraphBody *body) {
    ApplyVec order = {0};
    bool yes = false, ok = graph_toposort(c, body->out, body->nout, body->in, body->nin, &order);
    for (int i = 0; ok && i < order.n && !yes; i++) {
        const UserDef *d = order.at[i]->op == &op_user ? def_of(c, order.at[i]->attrs) : NULL;
        yes = d && d->d.perform && d->d.ngraph_out;
    }
    vec_free(c, &order);
    return yes;
}

/* By its callback, which takes the lengths of its results as further inputs. */
static bool write_perform(Builder *b, UserDef *d, ThApply *a, ThVar *const *in, ThVar **out) {
    ThContext *c = b->ctx;
    ThVar *all[2 * TH_MAX_NDIM], *len[MAX_LENGTHS];
    int n = d->d.infer_shape ? asked_lengths(b, d, a, in, len) : found_lengths(b, a, in, len);
    if (n < 0) return false;
    if (a->nin + n + a->nout > 2 * TH_MAX_NDIM)
        return err(c, TH_ValueError, "%s: too many operands and dimensions", d->name);
    for (int i = 0; i < a->nin; i++) all[i] = in[i];
    for (int i = 0; i < n; i++) all[a->nin + i] = len[i];
    UserAttrs at = *ATTRS(UserAttrs, a);
    at.nreal = a->nin;
    ThApply *r = apply_make(b, &op_user_run, &at, all, a->nin + n);
    for (int o = 0; r && o < a->nout; o++) out[o] = r->out[o];
    return r != NULL;
}

/* Both ways of computing it, for DebugMode to compare. */
static bool note_both(Builder *b, UserDef *d, ThApply *a, ThVar *const *in, ThVar *const *graph) {
    ThVar *by_perform[OP_MAX_OUT];
    VarVec *to = &b->ctx->pairs->var;
    if (!write_perform(b, d, a, in, by_perform) || !vec_reserve(b->ctx, to, to->n + 2 * a->nout)) return false;
    for (int o = 0; o < a->nout; o++) {
        if (!type_eq(by_perform[o]->type, graph[o]->type)) continue;
        to->at[to->n++] = th_var_retain(by_perform[o]);
        to->at[to->n++] = th_var_retain(graph[o]);
    }
    return true;
}

static bool expand_user(Builder *b, ThApply *a, ThVar *const *in, ThVar **out) {
    UserDef *d = def_of(b->ctx, a->attrs);
    if (!d) return false;
    if (!d->d.ngraph_out) return write_perform(b, d, a, in, out);
    return write_graph(b, d, in, out) && (!d->d.perform || !b->ctx->pairs || note_both(b, d, a, in, out));
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
    .flags = OP_FAILS,
    .nin = -1,
    .nout = -1,
    .attr_bytes = sizeof(UserAttrs),
    .attrs = user_fields,
    .nattr = TH_LEN(user_fields),
    .infer = infer_user,
    .shape = shape_never,
    .grad = grad_user,
    .lower = lower_never,
    .str = str_user,
    .rop = rop_user,
    .batch = batch_user,
    .expand = expand_user,
    .doc = "an operation of the user",
};

/* ---- running ------------------------------------------------------------------------------------------------------
 */
/* DebugMode: what the callback did to its inputs, which it may not write, and whose memory its results are. */
static int watch_perform(ThContext *c, const UserDef *d, ThArray *const *in, ThArray *const *was, int nin,
                         ThArray *const *out, int nout) {
    for (int i = 0; i < nin; i++) {
        if (!was[i] || array_same_bits(in[i], was[i])) continue;
        err(c, TH_BadDestroyMap,
            "%s: perform changed its input %d in place, and destroy_map does not say so (destroy_map = {[1] = {%d}} "
            "for result 1)",
            d->name, i + 1, i + 1);
        return 1;
    }
    for (int o = 0; o < nout; o++)
        for (int i = 0; i < nin; i++) {
            if (!out[o] || ((d->d.views | d->d.destroys) >> i & 1) || !th_array_shares_memory(out[o], in[i])) continue;
            err(c, TH_BadViewMap,
                "%s: result %d of perform shares memory with its input %d, and view_map does not say so (view_map = "
                "{[%d] = {%d}})",
                d->name, o + 1, i + 1, o + 1, i + 1);
            return 1;
        }
    return 0;
}

/* Copies of what the callback must not write. */
static int keep_inputs(const UserDef *d, ThArray *const *in, int nin, ThArray **was) {
    for (int i = 0; i < nin; i++)
        if (!(d->d.destroys >> i & 1) && !(was[i] = th_array_copy(in[i]))) return 1;
    return 0;
}

/* The callback, watched in DebugMode. */
static int call_back(ThContext *c, UserDef *d, ThArray *const *in, int nin, const ThType *types, ThArray **out,
                     int nout) {
    ThArray *was[2 * TH_MAX_NDIM] = {0};
    int bad = c->watching ? keep_inputs(d, in, nin, was) : 0;
    bad = bad || d->d.perform(d->d.user, c, in, nin, types, out, nout);
    if (!bad && c->watching) bad = watch_perform(c, d, in, was, nin, out, nout);
    for (int i = 0; i < nin; i++) th_array_release(was[i]);
    return bad;
}

/* The callback on views of its inputs; those it may destroy are copies. Views are dead afterwards. */
static int perform(HostCall *h, UserDef *d, int nin, const ThType *types, ThArray **out, int nout) {
    ThContext *c = h->ctx;
    ThArray *in[2 * TH_MAX_NDIM];
    int made = 0, bad = 0;
    memset(out, 0, sizeof *out * (size_t)nout);
    for (int i = 0; i < nin && !bad; i++) {
        ThArray *x = h->in[i];
        if (!x) {
            err(c, TH_TypeError, "an operation of the user takes tensors only");
            bad = 1;
            break;
        }
        in[made] = th_array_wrap(c, (ThDtype)x->dtype, x->ndim, ARRAY_SHAPE(x), ARRAY_STRIDES(x), x->data, NULL, NULL);
        if (in[made] && (d->d.destroys >> i & 1)) {
            ThArray *copy = th_array_copy(in[made]);
            th_array_release(in[made]);
            in[made] = copy;
        }
        bad = in[made] == NULL;
        made += !bad;
    }
    bad = bad || call_back(c, d, in, nin, types, out, nout);
    if (bad && !failed(c)) err(c, TH_RuntimeError, "%s: perform failed without an error", d->name);
    for (int o = 0; o < nout && !bad; o++)
        if (!out[o]) {
            err(c, TH_ValueError, "%s: perform gave no value for output %d", d->name, o);
            bad = 1;
        } else if (bad == 0) {
            ThArray *own = th_array_copy(out[o]); /* it may be a view of an input */
            th_array_release(out[o]);
            out[o] = own;
            bad = own == NULL;
        }
    for (int i = 0; i < made; i++) {
        th_array_free(in[i]);
        th_array_release(in[i]);
    }
    return bad;
}

/* One result as declared: its dtype exactly, its rank, lengths of 1 where they are promised. */
static bool check_result(ThContext *c, const UserDef *d, int o, const ThArray *a, ThType t) {
    ThError wrong = c->watching ? TH_InvalidValueError : TH_TypeError;
    if (a->dtype != t.dtype)
        return err(c, wrong, "%s: perform gave output %d as %s, declared is %s", d->name, o,
                   th_dtype_name((ThDtype)a->dtype), th_dtype_name((ThDtype)t.dtype));
    if (a->ndim != t.ndim)
        return err(c, wrong, "%s: perform gave output %d with %d dimensions, declared are %d", d->name, o, a->ndim,
                   t.ndim);
    for (int i = 0; i < t.ndim; i++)
        if (type_bcast(t, i) && ARRAY_SHAPE(a)[i] != 1)
            return err(c, c->watching ? TH_InvalidValueError : TH_ValueError,
                       "%s: dimension %d of output %d is declared to be 1, perform gave %lld", d->name, i, o,
                       (long long)ARRAY_SHAPE(a)[i]);
    return true;
}

static void release_all(ThArray **a, int n) {
    for (int i = 0; i < n; i++) th_array_release(a[i]);
}

static int compute(HostCall *h, UserDef *d, int nin, ThArray **out, int *nout) {
    ThType t[OP_MAX_OUT];
    *nout = types_read(h->ctx, ((const UserAttrs *)h->attrs)->types, t);
    int bad = *nout < 0 || perform(h, d, nin, t, out, *nout);
    for (int o = 0; o < *nout && !bad; o++) bad = !check_result(h->ctx, d, o, out[o], t[o]);
    if (bad && *nout > 0) release_all(out, *nout);
    return bad;
}

/* The context's error becomes that of the step, so that the report names the node and the user's line. */
static int report(HostCall *h) {
    ThContext *c = h->ctx;
    char text[512];
    ThError kind = th_error(c);
    snprintf(text, sizeof text, "%s", th_error_text(c) ? th_error_text(c) : "");
    th_error_clear(c);
    return h->fail(h, kind, text);
}

static int lengths(HostCall *h) {
    ThContext *c = h->ctx;
    UserDef *d = def_of(c, h->attrs);
    ThArray *out[OP_MAX_OUT];
    int nout, k = 0;
    if (!d) return 1;
    drop_left(c, d);
    if (compute(h, d, h->nin, out, &nout)) return 1;
    int64_t *len = (int64_t *)(void *)h->out[0]->data;
    for (int o = 0; o < nout; o++)
        for (int i = 0; i < out[o]->ndim; i++) len[k++] = ARRAY_SHAPE(out[o])[i];
    if (c->watching) { /* node by node: UserPerform runs in another call */
        release_all(out, nout);
        return 0;
    }
    d->left = ctx_alloc(c, sizeof *d->left * (size_t)nout);
    if (!d->left) {
        release_all(out, nout);
        return 1;
    }
    memcpy(d->left, out, sizeof *out * (size_t)nout);
    d->nleft = nout;
    d->frame = h->frame;
    return 0;
}

static int put(HostCall *h, const UserDef *d, int o, const ThArray *from) {
    ThArray *to = h->out[o];
    for (int i = 0; i < to->ndim; i++)
        if (ARRAY_SHAPE(to)[i] != ARRAY_SHAPE(from)[i]) {
            err(h->ctx, TH_ShapeError, "%s: dimension %d of output %d has length %lld, infer_shape said %lld", d->name,
                i, o, (long long)ARRAY_SHAPE(from)[i], (long long)ARRAY_SHAPE(to)[i]);
            return 1;
        }
    dtype_cast(to->data, (ThDtype)to->dtype, (int64_t)th_dtype_bytes((ThDtype)to->dtype), from->data,
               (ThDtype)from->dtype, (int64_t)th_dtype_bytes((ThDtype)from->dtype), from->size);
    return 0;
}

static int values(HostCall *h) {
    ThContext *c = h->ctx;
    UserDef *d = def_of(c, h->attrs);
    ThArray *out[OP_MAX_OUT];
    int nout = h->nout, bad = 0;
    if (!d) return 1;
    if (d->frame == h->frame && d->nleft == nout) {
        memcpy(out, d->left, sizeof *out * (size_t)nout);
        d->nleft = 0; /* taken over */
        ctx_free(c, d->left, sizeof *d->left * (size_t)nout);
        d->left = NULL;
        d->frame = NULL;
    } else if (compute(h, d, (int)((const UserAttrs *)h->attrs)->nreal, out, &nout)) return 1;
    for (int o = 0; o < nout && !bad; o++) bad = put(h, d, o, out[o]);
    release_all(out, nout);
    return bad;
}

static int run_lengths(HostCall *h) { return lengths(h) ? report(h) : 0; }
static int run_user(HostCall *h) { return values(h) ? report(h) : 0; }

static bool infer_lengths(Infer *q) {
    ThType t[OP_MAX_OUT];
    if (types_read(q->ctx, ((const UserAttrs *)q->attrs)->types, t) < 1) return false;
    q->out[0] = type_tensor(TH_INT64, 1, 0);
    return true;
}

static bool shape_lengths(ShapeQ *q) {
    ThType t[OP_MAX_OUT];
    int n = types_read(q->node->ctx, ATTRS(UserAttrs, q->node)->types, t), dims = 0;
    for (int i = 0; i < n; i++) dims += t[i].ndim;
    q->out[0][0] = q->alg->constant(q->alg->u, dims);
    return n > 0;
}

static bool lower_lengths(Lower *l) { return l->api->host(l, run_lengths, 0); }

static bool shape_run(ShapeQ *q) {
    int at = (int)ATTRS(UserAttrs, q->node)->nreal;
    for (int o = 0; o < q->node->nout; o++)
        for (int i = 0; i < q->node->out[o]->type.ndim; i++) {
            int64_t k;
            if (type_bcast(q->node->out[o]->type, i)) q->out[o][i] = q->alg->constant(q->alg->u, 1);
            else if (scalar_known(q->node->in[at], &k)) q->out[o][i] = q->alg->constant(q->alg->u, k), at++;
            else q->out[o][i] = q->alg->value(q->alg->u, at++, 0);
        }
    return true;
}

static bool infer_run(Infer *q) {
    q->nout = types_read(q->ctx, ((const UserAttrs *)q->attrs)->types, q->out);
    return q->nout > 0;
}

static bool lower_run(Lower *l) { return l->api->host(l, run_user, 0); }

#define RUNNING(var, text, n, i, s, low, about) \
    const Op op_##var = { \
        .name = text, \
        .flags = OP_FAILS, \
        .nin = -1, \
        .nout = n, \
        .attr_bytes = sizeof(UserAttrs), \
        .attrs = user_fields, \
        .nattr = TH_LEN(user_fields), \
        .infer = i, \
        .shape = s, \
        .lower = low, \
        .str = str_user, \
        .batch = batch_ragged, \
        .doc = about, \
    };
RUNNING(user_lengths, "UserLengths", 1, infer_lengths, shape_lengths, lower_lengths,
        "lengths of what an operation of the user computes")
RUNNING(user_run, "UserPerform", -1, infer_run, shape_run, lower_run,
        "an operation of the user on arrays, with the lengths of its results")

/* ---- applying -----------------------------------------------------------------------------------------------------
 */
ThApply *th_op_apply(ThContext *c, const char *key, ThVar *const *in, int nin, const ThType *out, int nout) {
    Builder b;
    ThType t[OP_MAX_OUT];
    for (int i = 0; i < nin; i++)
        if (!in[i]) return NULL;
    if (failed(c)) return NULL;
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
    builder_begin(&b, c);
    ThApply *r = a.types ? apply_make(&b, &op_user, &a, in, nin) : NULL;
    if (r) th_apply_retain(r);
    builder_end(&b);
    return r;
}
