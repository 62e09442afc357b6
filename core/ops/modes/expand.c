/*
 * expand.c -- writes out operations that stand for others (Op.expand) before a compile, and texts of the expression
 * language as graphs. In: outputs of the user's graph. Out: the same outputs without such operations; the user's nodes
 * are not touched, nodes that nothing changes are shared. Rounds go on while a written graph holds another.
 */
#include "ops/table/ops.h"

#include "ops/table/expr.h"

#include <string.h>

enum { ROUNDS = 100 };

bool ops_any_expand(const ThContext *c) {
    const OpsState *s = c->slot[CTX_OPS];
    return s && s->users.n > 0;
}

typedef struct Expand {
    Builder b;
    VarPairs *pairs; /* or NULL */
    Map at;
    VarVec made;
    bool again;
} Expand;

static ThVar *now(const Expand *x, ThVar *v) {
    uint32_t i;
    return map_get(&x->at, KEY(v), &i) ? x->made.at[i] : v;
}

static bool note(Expand *x, const ThVar *from, ThVar *to) {
    return to && vec_push(x->b.ctx, &x->made, to) && map_put(x->b.ctx, &x->at, KEY(from), (uint32_t)(x->made.n - 1));
}

/* An inner graph with such operations written out, new reference; itself when there are none. One level of the stack
 * for each loop inside a loop. */
static const GraphBody *expand_body(ThContext *c, VarPairs *pairs, const GraphBody *body) {
    if (pairs && user_twofold(c, body)) return graph_body_retain(body); /* when the body itself is compiled */
    if (failed(c)) return NULL;
    ThVar **out = ctx_alloc0(c, sizeof *out * (size_t)body->nout);
    bool ok = out && ops_expand(c, body->out, body->nout, body->in, body->nin, pairs, out), same = true;
    for (int i = 0; ok && i < body->nout; i++) same = same && out[i] == body->out[i];
    const GraphBody *r = !ok    ? NULL
                         : same ? graph_body_retain(body)
                                : graph_body(c, body->in, body->nin, out, body->nout);
    for (int i = 0; out && i < body->nout; i++) th_var_release(out[i]);
    ctx_free(c, out, sizeof *out * (size_t)body->nout);
    return r;
}

/* The node with its inner graphs written out; a itself when nothing changed. */
static ThApply *expand_inner(Expand *x, ThApply *a, ThVar *const *in, bool changed) {
    _Alignas(16) char attrs[1024];
    ThApply *r = NULL;
    if (a->op->attr_bytes > sizeof attrs) return NULL;
    memcpy(attrs, a->attrs, a->op->attr_bytes);
    const GraphBody *made[8] = {NULL};
    int n = 0;
    bool ok = true;
    for (int i = 0; ok && i < a->op->nattr; i++) {
        if (a->op->attrs[i].kind != ATTR_GRAPH || n == TH_LEN(made)) continue;
        const GraphBody *old, **at = (const GraphBody **)(void *)(attrs + a->op->attrs[i].offset);
        if (!(old = *at)) continue;
        ok = (made[n] = expand_body(x->b.ctx, x->pairs, old)) != NULL;
        changed = changed || made[n] != old;
        *at = made[n++];
    }
    if (ok) r = changed ? apply_make(&x->b, a->op, attrs, in, a->nin) : a;
    for (int i = 0; i < n; i++) graph_body_release(made[i]);
    return r;
}

static bool visit(Expand *x, ThApply *a, ThVar **in) {
    ThVar *out[OP_MAX_OUT];
    bool changed = false;
    for (int i = 0; i < a->nin; i++) {
        in[i] = now(x, a->in[i]);
        changed = changed || in[i] != a->in[i];
    }
    x->b.prov = a->prov;
    if (a->op->expand) {
        x->again = true;
        if (!a->op->expand(&x->b, a, in, x->pairs, out)) return false;
    } else if (changed || a->op->bodies) {
        ThApply *copy = a->op->bodies ? expand_inner(x, a, in, changed) : apply_copy(&x->b, a, in);
        for (int o = 0; copy && o < a->nout; o++) out[o] = copy->out[o];
        if (!copy || copy == a) return copy != NULL;
    } else return true;
    for (int o = 0; o < a->nout; o++)
        if (!note(x, a->out[o], out[o])) return false;
    return true;
}

static bool round_of(ThContext *c, ThVar *const *outs, int n, ThVar *const *stop, int nstop, VarPairs *pairs,
                     ThVar **out, bool *again) {
    Expand x = {.pairs = pairs, .again = false};
    ApplyVec order = {0};
    VarVec in = {0};
    builder_begin(&x.b, c);
    bool ok = graph_toposort(c, outs, n, stop, nstop, &order);
    for (int i = 0; ok && i < order.n; i++)
        ok = vec_reserve(c, &in, order.at[i]->nin + 1) && visit(&x, order.at[i], in.at);
    for (int i = 0; i < n; i++) out[i] = ok ? th_var_retain(now(&x, outs[i])) : NULL;
    *again = x.again;
    builder_end(&x.b);
    vec_free(c, &order);
    vec_free(c, &in);
    vec_free(c, &x.made);
    map_free(c, &x.at);
    return ok;
}

bool ops_expand(ThContext *c, ThVar *const *outs, int n, ThVar *const *in, int nin, VarPairs *pairs, ThVar **out) {
    VarVec from = {0};
    bool again = true, ok = vec_reserve(c, &from, n + 1);
    for (int i = 0; ok && i < n; i++) from.at[from.n++] = th_var_retain(outs[i]);
    for (int i = 0; i < n; i++) out[i] = NULL;
    for (int k = 0; ok && again; k++) {
        if (k == ROUNDS) ok = err(c, TH_RuntimeError, "operations stand for each other more than %d deep", ROUNDS);
        else ok = round_of(c, from.at, n, in, nin, pairs, out, &again);
        for (int i = 0; ok && i < n; i++) {
            th_var_release(from.at[i]);
            from.at[i] = out[i];
        }
    }
    if (!ok)
        for (int i = 0; i < from.n; i++) th_var_release(from.at[i]);
    vec_free(c, &from);
    return ok;
}

/* ---- texts --------------------------------------------------------------------------------------------------------
 */
typedef struct Words {
    Builder *b;
    const char *const *names;
    ThVar *const *vars;
    int n;
} Words;

static ThVar *word(const Words *w, const ExNode *n, ThVar *const *at) {
    if (n->kind == EX_NUM)
        return n->integer ? const_int(w->b, (int64_t)n->num, TH_DTYPE_NONE) : const_float(w->b, n->num, TH_DTYPE_NONE);
    if (n->kind == EX_NAME) {
        for (int i = 0; i < w->n; i++)
            if (__builtin_strcmp(w->names[i], n->name) == 0) return w->vars[i];
        err(w->b->ctx, TH_ValueError, "kernel text: unknown name '%s'", n->name);
        return NULL;
    }
    int s = n->kind == EX_CALL ? scalar_find(__builtin_strcmp(n->name, "not") ? n->name : "invert") : -1;
    if (s < 0) {
        err(w->b->ctx, TH_ValueError, "kernel text: unknown operation '%s'", n->name ? n->name : "?");
        return NULL;
    }
    ThVar *in[4];
    for (int i = 0; i < n->nkid; i++) in[i] = at[n->kid[i]];
    if (n->nkid != scalar_ops[s].arity) {
        err(w->b->ctx, TH_TypeError, "kernel text: %s takes %d operands, got %d", n->name, scalar_ops[s].arity,
            n->nkid);
        return NULL;
    }
    return elemwise_make(w->b, s, in, n->nkid);
}

ThVar *th_expr(ThContext *c, const char *text, const char *const *names, ThVar *const *vars, int n) {
    if (!c) return NULL;
    if (!text || (n && !names)) return err_missing(c, __func__), NULL;
    if (!graph_given(c, __func__, vars, n)) return NULL;
    for (int i = 0; i < n; i++)
        if (!names[i]) return err_missing(c, __func__), NULL;
    Builder b;
    VarVec at = {0};
    OpsState *s = failed(c) ? NULL : ops_state(c);
    Expr *x = s ? expr_parse(s->arena, text) : NULL;
    if (!x) return NULL;
    builder_begin(&b, c);
    Words w = {&b, names, vars, n};
    bool ok = vec_reserve(c, &at, x->n);
    for (int i = 0; ok && i < x->n; i++) {
        ThVar *v = word(&w, &x->at[i], at.at);
        at.at[at.n++] = v;
        ok = v != NULL;
    }
    ThVar *r = ok ? th_var_retain(at.at[x->n - 1]) : NULL;
    builder_end(&b);
    vec_free(c, &at);
    return r;
}
