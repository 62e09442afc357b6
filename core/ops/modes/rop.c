/*
 * rop.c -- forward mode: th_rop and the rules that several operations share.
 * In: expressions, variables and tangents of these. Out: the tangent of each expression, NULL where none reaches it.
 * One walk over the nodes, inputs first. An operation without a rule of its own gets its tangent from its gradient: the
 * gradient is linear in gz, so differentiating <gradient, tangent> once more, by gz, gives the forward map.
 */
#include "ops/table/ops.h"

#include <string.h>

/* ---- shared rules ------------------------------------------------------------------------------------------------ */
static bool continuous(ThType t) {
    return (t.kind == TYPE_TENSOR || t.kind == TYPE_SCALAR || t.kind == TYPE_SPARSE) &&
           !dtype_is_discrete(type_dtype(t));
}

static bool reaches(const ThApply *a, int in) {
    if (!a->op->connected) return true;
    for (int o = 0; o < a->nout; o++)
        if (a->op->connected(a, in, o)) return true;
    return false;
}

bool rop_linear(Rop *r) {
    ThApply *a = r->node, *t;
    ThVar *few[8], **in = a->nin <= 8 ? few : ctx_alloc(r->b->ctx, sizeof *in * a->nin);
    if (!in) return false;
    for (int i = 0; i < a->nin; i++) {
        in[i] = a->in[i];
        if (!reaches(a, i) || (!continuous(in[i]->type) && in[i]->type.kind != TYPE_TENSOR)) continue;
        ThDtype d = (ThDtype)a->in[i]->type.dtype; /* values that are integers have zeros for tangents, too */
        in[i] = r->ev[i] ? cast_make(r->b, r->ev[i], d) : zeros_like_make(r->b, a->in[i], d);
    }
    t = apply_copy(r->b, a, in);
    for (int o = 0; t && o < a->nout; o++) r->out[o] = continuous(a->out[o]->type) ? t->out[o] : NULL;
    if (in != few) ctx_free(r->b->ctx, in, sizeof *in * a->nin);
    return t != NULL;
}

bool rop_bilinear(Rop *r) {
    ThApply *a = r->node;
    ThVar *sum = NULL;
    for (int i = 0; i < 2; i++) {
        if (!r->ev[i]) continue;
        ThVar *in[2] = {i ? a->in[0] : r->ev[0], i ? r->ev[1] : a->in[1]};
        ThVar *t = apply1(r->b, a->op, a->attrs, in, 2);
        sum = sum ? elemwise_2(r->b, S_add, sum, t) : t;
        if (!sum) return false;
    }
    r->out[0] = sum;
    return true;
}

/* The gradient texts with the tangent for gz: every one is linear in gz, element by element. */
bool rop_elemwise(Rop *r) {
    ThApply *a = r->node;
    ThVar *sum = NULL, *z = a->out[0];
    for (int i = 0; i < a->nin; i++) {
        if (!r->ev[i]) continue;
        ThVar *t = elemwise_input_grad(r->b, a, i, r->ev[i]);
        if (failed(r->b->ctx)) return false;
        if (t) sum = sum ? elemwise_2(r->b, S_add, sum, t) : t;
        if (t && !sum) return false;
    }
    if (sum && sum->type.broadcastable != z->type.broadcastable) sum = second_make(r->b, z, sum);
    r->out[0] = sum ? cast_make(r->b, sum, (ThDtype)z->type.dtype) : NULL;
    return !failed(r->b->ctx);
}

/* ---- reverse mode twice ------------------------------------------------------------------------------------------ */
/* The builder keeps what th_grad returned. */
static ThVar *adopt(Builder *b, ThVar *v) {
    if (v && !vec_push(b->ctx, &b->pool, v)) {
        th_var_release(v);
        return NULL;
    }
    return v;
}

typedef struct Twice {
    ThVar **gz, **gx, **from, **tangent; /* nout, nin, nin, nin */
    bool *wanted;
    int n; /* gradients that exist */
} Twice;

/* The gradient of `a` for stand-ins gz: zeros in the shape of its outputs, which nothing reads as zeros. */
static bool reverse_once(Builder *b, ThApply *a, ThVar *const *ev, Twice *t) {
    ThContext *c = b->ctx;
    Grad g = {.b = b, .node = a, .gz = t->gz, .gx = t->gx, .wanted = t->wanted};
    for (int o = 0; o < a->nout; o++)
        if (continuous(a->out[o]->type) && !(t->gz[o] = zeros_like_make(b, a->out[o], (ThDtype)a->out[o]->type.dtype)))
            return false;
    for (int i = 0; i < a->nin; i++) t->wanted[i] = ev[i] != NULL;
    a->op->grad(&g);
    for (int i = 0; i < a->nin && !failed(c); i++) {
        if (!ev[i] || !t->gx[i] || t->gx[i]->type.kind == TYPE_DISCONNECTED) continue;
        if (t->gx[i]->type.kind == TYPE_NULL)
            return err(c, TH_NullTypeGradError, "Rop met a derivative that is not defined: %s",
                       t->gx[i]->name ? t->gx[i]->name : "");
        /* A copy: one gradient may be made from another, and a known one is not looked behind. */
        if (!(t->from[t->n] = elemwise_1(b, S_identity, t->gx[i]))) return false;
        t->tangent[t->n++] = ev[i];
    }
    return !failed(c);
}

static bool reverse_twice(Builder *b, ThApply *a, Twice *t, ThVar **out) {
    ThGradOptions o = {.known = t->from,
                       .known_grad = t->tangent,
                       .nknown = t->n,
                       .disconnected_inputs = TH_IGNORE,
                       .disconnected = 'n',
                       .no_names = true};
    for (int k = 0; t->n && k < a->nout; k++) {
        if (!t->gz[k]) continue;
        if (th_grad(b->ctx, NULL, &t->gz[k], 1, &o, &out[k])) return false;
        if (out[k] && !(out[k] = adopt(b, out[k]))) return false;
    }
    return true;
}

bool rop_by_gradient(Rop *r) {
    ThContext *c = r->b->ctx;
    ThApply *a = r->node;
    size_t n = (size_t)a->nin, bytes = sizeof(ThVar *) * (a->nout + 3 * n) + n;
    Text t;
    if (!a->op->grad) {
        text_init(&t, c);
        apply_op_str(&t, a);
        err(c, TH_NotImplementedError, "Rop: %s has no derivative", t.at ? t.at : a->op->name);
        text_free(&t);
        return false;
    }
    char *room = ctx_alloc0(c, bytes);
    if (!room) return false;
    Twice x = {.gz = (ThVar **)(void *)room};
    x.gx = x.gz + a->nout;
    x.from = x.gx + n;
    x.tangent = x.from + n;
    x.wanted = (bool *)(void *)(x.tangent + n);
    bool ok = reverse_once(r->b, a, r->ev, &x) && reverse_twice(r->b, a, &x, r->out);
    ctx_free(c, room, bytes);
    return ok;
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */
typedef struct Walk {
    ThContext *c;
    Builder b;
    Map at;         /* variable -> its tangent's number */
    VarVec tangent; /* owned by the builder */
} Walk;

static ThVar *tangent_of(const Walk *w, const ThVar *v) {
    uint32_t i;
    return map_get(&w->at, KEY(v), &i) ? w->tangent.at[i] : NULL;
}

static bool set_tangent(Walk *w, const ThVar *v, ThVar *t) {
    return vec_push(w->c, &w->tangent, t) && map_put(w->c, &w->at, KEY(v), (uint32_t)(w->tangent.n - 1));
}

/* Tangents are exact in the holomorphic sense only for real numbers: complex nodes go by their gradients. */
static bool any_complex(const ThApply *a) {
    for (int i = 0; i < a->nin; i++)
        if (a->in[i]->type.kind == TYPE_TENSOR && dtype_is_complex((ThDtype)a->in[i]->type.dtype)) return true;
    return dtype_is_complex((ThDtype)a->out[0]->type.dtype);
}

static bool push_forward(Walk *w, ThApply *a, ThVar **ev, ThVar **out) {
    bool any = false;
    for (int i = 0; i < a->nin; i++) {
        ev[i] = reaches(a, i) ? tangent_of(w, a->in[i]) : NULL;
        any = any || ev[i];
    }
    bool smooth = false;
    for (int o = 0; o < a->nout; o++) smooth = smooth || continuous(a->out[o]->type);
    if (!any || !smooth) return true;
    w->b.prov = prov_grad(w->c, a->prov);
    memset(out, 0, sizeof *out * a->nout);
    Rop r = {.b = &w->b, .node = a, .ev = ev, .out = out};
    bool own = a->op->rop && !(a->op->rop == rop_elemwise && any_complex(a));
    if (!(own ? a->op->rop(&r) : rop_by_gradient(&r))) return false;
    for (int o = 0; o < a->nout; o++) {
        if (!out[o] || !continuous(a->out[o]->type)) continue;
        if (out[o]->type.kind == TYPE_TENSOR)
            out[o] = patternbroadcast_make(&w->b, out[o], a->out[o]->type.broadcastable);
        if (!out[o] || !set_tangent(w, a->out[o], out[o])) return false;
    }
    return true;
}

static bool start(Walk *w, ThVar *const *wrt, ThVar *const *at, int n) {
    for (int i = 0; i < n; i++) {
        ThType x = wrt[i]->type, e = at[i]->type;
        if (x.kind == TYPE_SPARSE) {
            if (!type_eq(x, e)) return err(w->c, TH_TypeError, "Rop: evaluation point %d is of another type", i);
            if (!continuous(x)) return err(w->c, TH_TypeError, "Rop: variable %d is not continuous", i);
            if (!set_tangent(w, wrt[i], at[i])) return false;
            continue;
        }
        if (x.kind != TYPE_TENSOR || e.kind != TYPE_TENSOR || e.ndim != x.ndim)
            return err(w->c, TH_ValueError, "Rop: evaluation point %d has %d dimensions, its variable has %d", i,
                       e.ndim, x.ndim);
        if (!continuous(x)) return err(w->c, TH_TypeError, "Rop: variable %d is not continuous", i);
        ThVar *t = patternbroadcast_make(&w->b, cast_make(&w->b, at[i], (ThDtype)x.dtype), x.broadcastable);
        if (!t || !set_tangent(w, wrt[i], t)) return false;
    }
    return true;
}

static bool walk(Walk *w, ThVar *const *f, int nf, ThVar *const *wrt, int n) {
    ApplyVec order = {0};
    ThVar **ev = NULL, **out = NULL;
    size_t most = 1;
    bool ok = graph_toposort(w->c, f, nf, wrt, n, &order);
    for (int i = 0; i < order.n; i++) {
        size_t k = order.at[i]->nin > order.at[i]->nout ? order.at[i]->nin : order.at[i]->nout;
        most = k > most ? k : most;
    }
    if (ok) ev = ctx_alloc0(w->c, 2 * most * sizeof *ev);
    out = ev ? ev + most : NULL;
    for (int i = 0; ok && ev && i < order.n; i++) ok = push_forward(w, order.at[i], ev, out);
    if (ev) ctx_free(w->c, ev, 2 * most * sizeof *ev);
    vec_free(w->c, &order);
    return ok && ev;
}

int th_rop(ThContext *c, ThVar *const *f, int nf, ThVar *const *wrt, ThVar *const *at, int n, ThVar **out) {
    if (!c) return -1;
    if ((n && !at) || !out) return err_missing(c, __func__), -1;
    if (!graph_given(c, __func__, f, nf) || !graph_given(c, __func__, wrt, n)) return -1;
    for (int i = 0; i < nf; i++) out[i] = NULL;
    for (int i = 0; i < n; i++)
        if (!wrt[i] || !at[i]) return -1;
    for (int i = 0; i < nf; i++)
        if (!f[i]) return -1;
    if (failed(c)) return -1;
    Walk w = {.c = c};
    builder_begin(&w.b, c);
    bool ok = start(&w, wrt, at, n) && walk(&w, f, nf, wrt, n);
    /* Theano's derivatives mention f itself; ours may need less of it, which a function of them does not have to know.
     */
    for (int i = 0; ok && i < n; i++) wrt[i]->flags |= VAR_F_WRT;
    for (int i = 0; ok && i < nf; i++) {
        ThVar *t = tangent_of(&w, f[i]);
        out[i] = t ? th_var_retain(t) : NULL;
    }
    builder_end(&w.b);
    vec_free(c, &w.tangent);
    map_free(c, &w.at);
    return ok ? 0 : -1;
}

ThVar *th_grad_none(ThContext *c, char kind, const char *why) {
    if (!c) return NULL;
    Builder b;
    if (failed(c)) return NULL;
    builder_begin(&b, c);
    ThVar *v =
        var_new(&b, (ThType){kind == 'd' ? TYPE_DISCONNECTED : TYPE_NULL, TH_FLOAT64, 0, 0}, kind == 'd' ? NULL : why);
    if (v) th_var_retain(v);
    builder_end(&b);
    return v;
}

const char *th_op_name(int i, char rules[4]) {
    if (i < 0 || i >= op_count || !rules) return NULL;
    const Op *op = op_table[i];
    int n = 0;
    if (op->grad) rules[n++] = 'g';
    if (op->rop) rules[n++] = 'r';
    if (op->batch) rules[n++] = 'v';
    rules[n] = 0;
    return op->name;
}
