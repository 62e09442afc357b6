/*
 * ifelse.c -- IfElse and IfLazy: types, lengths, gradients, lowering. In: a 0-d condition and the values of both sides,
 * or the two bodies and their arguments. Out: the values of one side; the other is not computed once the choice is
 * lazy. A choice that nobody made lazy (eager calls) copies.
 */
#include "graph/services.h"
#include "ifelse.h"

#include "ops/table/batch.h"

#include <string.h>

/* ---- IfElse ------------------------------------------------------------------------------------------------------ */
static bool infer_ifelse(Infer *q) {
    const IfElseAttrs *a = q->attrs;
    if (a->n < 1 || a->n > OP_MAX_OUT || q->nin != 1 + 2 * a->n)
        return err(q->ctx, TH_ValueError, "ifelse: a condition and as many values for one side as for the other");
    if (q->in[0]->type.kind != TYPE_TENSOR || q->in[0]->type.ndim != 0)
        return err(q->ctx, TH_TypeError, "ifelse: the condition must be a scalar, it has %d dimensions",
                   q->in[0]->type.ndim);
    q->nout = (int)a->n;
    for (int i = 0; i < a->n; i++) {
        ThType yes = q->in[1 + i]->type, no = q->in[1 + a->n + i]->type;
        if (!type_eq(yes, no)) {
            Text t;
            text_init(&t, q->ctx);
            type_text(&t, yes);
            text_put(&t, " if true, ");
            type_text(&t, no);
            err(q->ctx, TH_TypeError,
                "ifelse: the two branches of value %d have different types: %s if false. Cast one of them "
                "(x:astype(..)) or give it the other's broadcastable dimensions (T.patternbroadcast).",
                i + 1, t.at ? t.at : "");
            text_free(&t);
            return false;
        }
        q->out[i] = yes;
    }
    OpsState *s = ops_state(q->ctx);
    if (s) s->choices = true;
    return s != NULL;
}

/* 0 or 1 of an integer condition: min(max(v, -v), 1). */
static Sz truth(ShapeQ *q) {
    const ShapeAlg *g = q->alg;
    Sz v = g->value(g->u, 0, 0), minus = g->op(g->u, '-', g->constant(g->u, 0), v);
    return g->op(g->u, 'm', g->op(g->u, 'M', v, minus), g->constant(g->u, 1));
}

static bool shape_ifelse(ShapeQ *q) {
    const ShapeAlg *g = q->alg;
    int n = q->node->nout;
    for (int o = 0; o < n; o++)
        for (int d = 0; d < q->node->out[o]->type.ndim; d++) {
            Sz yes = q->in[1 + o][d], no = q->in[1 + n + o][d];
            Sz more = g->op(g->u, '*', truth(q), g->op(g->u, '-', yes, no));
            q->out[o][d] = g->op(g->u, '+', no, more);
        }
    return true;
}

static bool floating(ThType t) { return t.kind == TYPE_TENSOR && !dtype_is_discrete((ThDtype)t.dtype); }

static ThVar *zeros(Builder *b, ThVar *x) { return zeros_like_make(b, x, (ThDtype)x->type.dtype); }

/* Connected, with a gradient of zero. */
static void grad_condition(Grad *g) {
    if (g->wanted[0]) g->gx[0] = zero_grad_make(g->b, g->node->in[0]);
}

static void grad_ifelse(Grad *g) {
    int n = g->node->nout;
    grad_condition(g);
    grad_undefined_sparse(g);
    const IfElseAttrs *a = g->node->attrs;
    for (int i = 0; i < n; i++) {
        ThVar *yes = g->node->in[1 + i], *no = g->node->in[1 + n + i];
        if (!g->gz[i] || !floating(yes->type)) continue;
        ThVar *zy = zeros(g->b, yes), *zn = zeros(g->b, no);
        if (g->wanted[1 + i]) ifelse_make(g->b, g->node->in[0], &g->gz[i], &zy, 1, a->name, &g->gx[1 + i]);
        if (g->wanted[1 + n + i]) ifelse_make(g->b, g->node->in[0], &zn, &g->gz[i], 1, a->name, &g->gx[1 + n + i]);
    }
}

static bool connected_ifelse(const ThApply *a, int in, int out) {
    return in == 0 || in == 1 + out || in == 1 + a->nout + out;
}

static bool rop_ifelse(Rop *r) {
    int n = r->node->nout;
    const IfElseAttrs *a = r->node->attrs;
    for (int i = 0; i < n; i++) {
        ThVar *yes = r->ev[1 + i], *no = r->ev[1 + n + i];
        if (!yes && !no) continue;
        if (!yes) yes = zeros(r->b, r->node->in[1 + i]);
        if (!no) no = zeros(r->b, r->node->in[1 + n + i]);
        if (ifelse_make(r->b, r->node->in[0], &yes, &no, 1, a->name, &r->out[i])) return false;
    }
    return true;
}

/* A condition of each element chooses element by element; one for all stays lazy. */
static bool batch_ifelse(Batch *q) {
    int n = q->node->nout;
    const IfElseAttrs *a = q->node->attrs;
    for (int i = 0; i < n; i++) {
        ThVar *yes = batch_full(q, 1 + i), *no = batch_full(q, 1 + n + i);
        if (!q->mapped[0]) {
            if (ifelse_make(q->b, q->in[0], &yes, &no, 1, a->name, &q->out[i])) return false;
            continue;
        }
        ThVar *cond = batch_pad(q->b, q->in[0], q->node->out[i]->type.ndim);
        if (!(q->out[i] = elemwise_3(q->b, S_switch, cond, yes, no))) return false;
    }
    return true;
}

/* One element of any dtype: is it nonzero? */
static bool truth_of(const ThArray *a) {
    static const char zero[16];
    return memcmp(a->data, zero, th_dtype_bytes((ThDtype)a->dtype)) != 0;
}

static int run_ifelse(HostCall *h) {
    int from = truth_of(h->in[0]) ? 1 : 1 + h->nout;
    for (int o = 0; o < h->nout; o++)
        if (h->lib->assign(h, h->out[o], h->in[from + o])) return 1;
    return 0;
}

static bool lower_ifelse(Lower *l) { return l->api->host(l, run_ifelse, 0); }

static void put_name(Text *t, const char *name) { text_printf(t, "if{%s}", name ? name : ""); }
static void str_ifelse(Text *t, const ThApply *a) { put_name(t, ATTRS(IfElseAttrs, a)->name); }

static const AttrField ifelse_fields[] = {
    {"name", ATTR_STR, offsetof(IfElseAttrs, name), false},
    {"n", ATTR_INT, offsetof(IfElseAttrs, n), false},
};
const Op op_ifelse = {
    .name = "IfElse",
    .flags = OP_HALVES,
    .nin = -1,
    .nout = -1,
    .attr_bytes = sizeof(IfElseAttrs),
    .attrs = ifelse_fields,
    .nattr = TH_LEN(ifelse_fields),
    .infer = infer_ifelse,
    .shape = shape_ifelse,
    .grad = grad_ifelse,
    .lower = lower_ifelse,
    .str = str_ifelse,
    .connected = connected_ifelse,
    .rop = rop_ifelse,
    .batch = batch_ifelse,
    .device = DEVICE_FORM | DEVICE_READS(0),
    .doc = OP_DOC("the values of one of two branches"),
};

int ifelse_make(Builder *b, ThVar *cond, ThVar *const *yes, ThVar *const *no, int n, const char *name, ThVar **out) {
    IfElseAttrs at = {.name = name ? intern(b->ctx, name) : NULL, .n = n};
    VarVec in = {0};
    ThApply *a = NULL;
    if (vec_reserve(b->ctx, &in, 1 + 2 * n)) {
        in.at[0] = cond;
        for (int i = 0; i < n; i++) in.at[1 + i] = yes[i], in.at[1 + n + i] = no[i];
        a = apply_make(b, &op_ifelse, &at, in.at, 1 + 2 * n);
    }
    for (int i = 0; i < n; i++) out[i] = a ? a->out[i] : NULL;
    vec_free(b->ctx, &in);
    return a ? 0 : -1;
}

int th_ifelse(ThContext *c, ThVar *cond, ThVar *const *yes, ThVar *const *no, int n, const char *name, ThVar **out) {
    if (!c) return -1;
    if (!out || n < 1 || n > OP_MAX_OUT) return err_missing(c, __func__), -1;
    if (!graph_given(c, __func__, &cond, 1) || !graph_given(c, __func__, yes, n) || !graph_given(c, __func__, no, n))
        return -1;
    Builder b;
    if (failed(c) || !cond || n < 1 || n > OP_MAX_OUT) return -1;
    builder_begin(&b, c);
    if (cond->type.kind == TYPE_TENSOR && !dtype_is_discrete((ThDtype)cond->type.dtype))
        cond = elemwise_2(&b, S_neq, cond, const_int(&b, 0, TH_DTYPE_NONE));
    int bad = cond ? ifelse_make(&b, cond, yes, no, n, name, out) : -1;
    for (int i = 0; i < n; i++) out[i] = bad ? NULL : th_var_retain(out[i]);
    builder_end(&b);
    return bad;
}

/* ---- IfLazy ------------------------------------------------------------------------------------------------------ */
static int arguments(const IfLazyAttrs *a) { return a->body[0]->nin + a->body[1]->nin; }

static bool infer_lazy(Infer *q) {
    const IfLazyAttrs *a = q->attrs;
    if (!a->body[0] || !a->body[1] || a->body[0]->nout != a->body[1]->nout || a->nthen != a->body[0]->nin ||
        q->nin < 1 + arguments(a))
        return err(q->ctx, TH_ValueError, "IfLazy: the bodies do not fit the inputs");
    if (q->in[0]->type.dtype != TH_BOOL || q->in[0]->type.ndim)
        return err(q->ctx, TH_TypeError, "IfLazy: the condition must be a bool");
    q->nout = a->body[0]->nout;
    for (int o = 0; o < q->nout; o++) {
        q->out[o] = a->body[0]->out[o]->type;
        if (!type_eq(q->out[o], a->body[1]->out[o]->type))
            return err(q->ctx, TH_TypeError, "IfLazy: the bodies have different types");
    }
    return true;
}

static bool shape_lazy(ShapeQ *q) {
    const IfLazyAttrs *a = q->node->attrs;
    int next = 1 + arguments(a), at[OP_MAX_OUT];
    if (a->shaped) {
        for (int o = 0; o < q->node->nout; o++) {
            ThType t = q->node->out[o]->type;
            if (t.kind == TYPE_STATE) q->out[o][0] = q->alg->constant(q->alg->u, TYPE_STATE_WORDS);
            if ((t.kind != TYPE_TENSOR && t.kind != TYPE_SPARSE) || t.ndim == 0) continue; /* none are told */
            for (int d = 0; d < t.ndim; d++) q->out[o][d] = q->alg->value(q->alg->u, next, d);
            next++;
        }
        return true;
    }
    if (a->nthen > OP_MAX_OUT) return false;
    for (int i = 0; i < a->nthen; i++) at[i] = 1 + i;
    return ifelse_dims(q->node->ctx, a->body[0], q->alg, q->in + 1, at, q->out) > 0;
}

static bool lower_lazy(Lower *l) {
    const IfLazyAttrs *a = l->node->attrs;
    int n = arguments(a);
    int *at = ctx_alloc(l->ctx, (size_t)(n + 1) * sizeof(int));
    if (!at) return false;
    for (int i = 0; i < n; i++) at[i] = 1 + i;
    bool ok = l->api->branch(l, 0, at, a->body[0]->nin, at + a->nthen, a->body[1]->nin);
    ctx_free(l->ctx, at, (size_t)(n + 1) * sizeof(int));
    return ok;
}

/* d of side's results by its arguments, in terms of the node's inputs: gx[i] of argument i, NULL where not wanted. */
static bool side_grad(Grad *g, int side, ThVar **gx) {
    const IfLazyAttrs *a = g->node->attrs;
    const GraphBody *y = a->body[side];
    int first = 1 + (side ? (int)a->nthen : 0), nk = 0, nw = 0;
    size_t room = (size_t)y->nin + (size_t)y->nout + 1;
    ThVar **v = ctx_alloc0(g->b->ctx, 8 * room * sizeof *v);
    if (!v) return false;
    ThVar **known = v, **kg = v + room, **from = v + 2 * room, **to = v + 4 * room, **wrt = v + 6 * room,
          **d = v + 7 * room;
    for (int i = 0; i < y->nin; i++) {
        from[i] = y->in[i], to[i] = g->node->in[first + i];
        if (g->wanted[first + i] && floating(y->in[i]->type)) wrt[nw++] = y->in[i];
    }
    for (int o = 0; o < y->nout; o++) {
        if (!g->gz[o] || !floating(y->out[o]->type)) continue;
        known[nk] = elemwise_1(g->b, S_identity, y->out[o]); /* one that is also another, or an input, keeps both */
        kg[nk] = var_new(g->b, g->gz[o]->type, NULL);
        from[y->nin + nk] = kg[nk], to[y->nin + nk] = g->gz[o];
        if (!known[nk] || !kg[nk]) break;
        nk++;
    }
    ThGradOptions opt = {.known = known, .known_grad = kg, .nknown = nk, .disconnected_inputs = TH_IGNORE};
    bool ok = !failed(g->b->ctx);
    if (ok && nk && nw) ok = !th_grad(g->b->ctx, NULL, wrt, nw, &opt, d);
    if (ok && nk && nw) {
        ThVar **made = from + y->nin + nk; /* room for nw more */
        ok = graph_clone(g->b->ctx, d, nw, from, to, y->nin + nk, false, made);
        for (int i = 0, k = 0; ok && i < y->nin; i++)
            if (k < nw && wrt[k] == y->in[i]) {
                ok = vec_push(g->b->ctx, &g->b->pool, made[k]);
                gx[i] = made[k++];
            }
    }
    for (int i = 0; i < nw; i++) th_var_release(d[i]);
    ctx_free(g->b->ctx, v, 8 * room * sizeof *v);
    return ok;
}

/* One choice between the gradients of one side and zeros for the other's arguments: again an IfElse, lazy in turn. */
static void grad_lazy(Grad *g) {
    grad_condition(g);
    const IfLazyAttrs *a = g->node->attrs;
    int n = arguments(a), k = 0;
    ThContext *c = g->b->ctx;
    size_t bytes = (size_t)(5 * n + 1) * sizeof(ThVar *);
    ThVar **gx = ctx_alloc0(c, bytes), **yes = gx + n, **no = gx + 2 * n, **out = gx + 3 * n;
    int *of = gx ? (int *)(void *)(gx + 4 * n) : NULL;
    if (gx && side_grad(g, 0, gx) && side_grad(g, 1, gx + a->nthen)) {
        for (int i = 0; i < n; i++) {
            if (!gx[i]) continue;
            ThVar *zero = zeros(g->b, g->node->in[1 + i]);
            yes[k] = i < a->nthen ? gx[i] : zero;
            no[k] = i < a->nthen ? zero : gx[i];
            of[k++] = i;
        }
        for (int at = 0; at < k; at += OP_MAX_OUT) {
            int m = k - at < OP_MAX_OUT ? k - at : OP_MAX_OUT;
            if (ifelse_make(g->b, g->node->in[0], yes + at, no + at, m, a->name, out + at)) break;
        }
        for (int i = 0; i < k; i++) g->gx[1 + of[i]] = out[i];
    }
    grad_undefined_sparse(g);
    ctx_free(c, gx, bytes);
}

static bool connected_lazy(const ThApply *a, int in, int out) {
    (void)out;
    return in >= 0 && in < 1 + arguments(a->attrs);
}

static const GraphBody *const *bodies_lazy(const void *attrs, int *n) {
    *n = 2;
    return ((const IfLazyAttrs *)attrs)->body;
}

static void str_lazy(Text *t, const ThApply *a) { put_name(t, ATTRS(IfLazyAttrs, a)->name); }

/* Written out for vmap: both sides' graphs on the node's inputs, and the choice of the user. */
static bool batch_lazy(Batch *q) {
    const IfLazyAttrs *a = q->node->attrs;
    int n = q->node->nout, bad = -1;
    ThContext *c = q->b->ctx;
    VarVec v = {0};
    if (vec_reserve(c, &v, 3 * n + 1)) {
        ThVar **yes = v.at, **no = v.at + n, **out = v.at + 2 * n;
        bool ok = graph_clone(c, a->body[0]->out, n, a->body[0]->in, q->node->in + 1, a->body[0]->nin, false, yes);
        if (ok && graph_clone(c, a->body[1]->out, n, a->body[1]->in, q->node->in + 1 + a->nthen, a->body[1]->nin, false,
                              no)) {
            bad = ifelse_make(q->b, q->node->in[0], yes, no, n, a->name, out);
            if (!bad && !batch_through(q, out)) bad = -1;
            for (int i = 0; i < n; i++) th_var_release(no[i]);
        }
        for (int i = 0; ok && i < n; i++) th_var_release(yes[i]);
    }
    vec_free(c, &v);
    return !bad;
}

static const AttrField lazy_fields[] = {
    {"yes", ATTR_GRAPH, offsetof(IfLazyAttrs, body), false},
    {"no", ATTR_GRAPH, offsetof(IfLazyAttrs, body) + sizeof(const GraphBody *), false},
    {"name", ATTR_STR, offsetof(IfLazyAttrs, name), false},
    {"nthen", ATTR_INT, offsetof(IfLazyAttrs, nthen), false},
    {"shaped", ATTR_BOOL, offsetof(IfLazyAttrs, shaped), false},
};
const Op op_if_lazy = {
    .name = "IfLazy",
    .flags = OP_FAILS | OP_HALVES,
    .nin = -1,
    .nout = -1,
    .attr_bytes = sizeof(IfLazyAttrs),
    .attrs = lazy_fields,
    .nattr = TH_LEN(lazy_fields),
    .infer = infer_lazy,
    .shape = shape_lazy,
    .grad = grad_lazy,
    .lower = lower_lazy,
    .str = str_lazy,
    .connected = connected_lazy,
    .rop = rop_by_gradient,
    .batch = batch_lazy,
    .bodies = bodies_lazy,
    .doc = OP_DOC("one of two graphs, only that one computed"),
};
