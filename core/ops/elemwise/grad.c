/*
 * grad.c -- gradients of Elemwise: the table's texts instantiated as graphs, then summed over what was
 * broadcast. In: the node and the gradient of its output. Out: gradients shaped like the inputs. Casts to an input's
 * own dtype are the business of the gradient engine, which does them before each operation. Complex numbers: scalar.h.
 */
#include "ops/table/ops.h"

#include "ops/table/expr.h"

#include <string.h>

void elemwise_grad(Grad *g);
bool elemwise_connected(const ThApply *a, int in, int out);

/* What the names of a gradient text stand for. */
typedef struct Env {
    Builder *b;
    ThApply *node;
    ThVar *gz;
    int nd;
    bool forward; /* gz is the tangent of an input, the answer that of the result */
} Env;

/* A literal of the graph's rank: a 0-d constant behind InplaceDimShuffle{x,..}. */
static ThVar *literal(Env *e, ThVar *scalar) {
    int8_t pattern[TH_MAX_NDIM];
    memset(pattern, -1, sizeof pattern);
    return scalar ? dimshuffle_node(e->b, scalar, pattern, e->nd) : NULL;
}

/* Numbers take the smallest dtype that holds them, whatever floatX is. */
static ThVar *number(Env *e, const ExNode *n) {
    if (n->integer) return literal(e, const_int(e->b, (int64_t)n->num, TH_DTYPE_NONE));
    ThDtype d = (double)(float)n->num == n->num ? TH_FLOAT32 : TH_FLOAT64;
    return literal(e, const_float(e->b, n->num, d));
}

static ThVar *typed_literal(Env *e, double v) {
    return literal(e, const_float(e->b, v, scalar_real_of(e->node->out[0]->type.dtype)));
}

/* Zeros of x's shape where the gradient is connected but flat. */
static ThVar *zeros(Env *e, ThVar *x) {
    ThDtype d = dtype_is_discrete(x->type.dtype) ? config_floatX(e->b->ctx) : (ThDtype)x->type.dtype;
    ThVar *in[2] = {x, literal(e, const_float(e->b, 0.0, d))};
    return elemwise_raw(e->b, S_second, in, 2);
}

static ThVar *name(Env *e, const char *s) {
    if (strcmp(s, "gz") == 0) return e->gz;
    if (strcmp(s, "z") == 0) return e->node->out[0];
    if (strcmp(s, "x") == 0) return e->node->in[0];
    if (strcmp(s, "y") == 0 && e->node->nin > 1) return e->node->in[1];
    if (strcmp(s, "w") == 0 && e->node->nin > 2) return e->node->in[2];
    err(e->b->ctx, TH_ValueError, "gradient text of %s: unknown name %s",
        scalar_ops[ATTRS(ElemwiseAttrs, e->node)->scalar].name, s);
    return NULL;
}

static ThVar *call(Env *e, const Expr *x, const ExNode *n, ThVar *const *at) {
    if (strcmp(n->name, "lit") == 0) return typed_literal(e, x->at[n->kid[0]].num);
    if (strcmp(n->name, "zeros") == 0) return zeros(e, at[n->kid[0]]);
    int op = scalar_find(n->name);
    if (op < 0) {
        err(e->b->ctx, TH_ValueError, "gradient text of %s: unknown operation %s",
            scalar_ops[ATTRS(ElemwiseAttrs, e->node)->scalar].name, n->name);
        return NULL;
    }
    ThVar *in[4];
    for (int i = 0; i < n->nkid; i++) in[i] = at[n->kid[i]];
    if ((op == S_real || op == S_imag) && !dtype_is_complex(in[0]->type.dtype))
        return op == S_real ? in[0] : zeros(e, in[0]);
    return elemwise_raw(e->b, op, in, n->nkid);
}

/* Children stand before parents, so one pass builds it all. The operand of lit is not built. */
static ThVar *instantiate(Env *e, const Expr *x) {
    enum { MAX_NODES = 64 };
    ThVar *at[MAX_NODES] = {0};
    bool skip[MAX_NODES] = {0};
    if (x->n > MAX_NODES) {
        err(e->b->ctx, TH_ValueError, "a gradient text has %d parts, at most %d are possible", x->n, MAX_NODES);
        return NULL;
    }
    for (int i = 0; i < x->n; i++)
        if (x->at[i].kind == EX_CALL && strcmp(x->at[i].name, "lit") == 0) skip[x->at[i].kid[0]] = true;
    for (int i = 0; i < x->n; i++) {
        const ExNode *n = &x->at[i];
        if (skip[i]) continue;
        at[i] = n->kind == EX_NUM ? number(e, n) : n->kind == EX_NAME ? name(e, n->name) : call(e, x, n, at);
        if (!at[i]) return NULL;
    }
    return at[x->n - 1];
}

static bool is_complex(const ThVar *v) { return dtype_is_complex(v->type.dtype); }
ThVar *conj_make(Builder *b, ThVar *v) { return v && is_complex(v) ? elemwise_raw(b, S_conj, &v, 1) : v; }
ThVar *real_make(Builder *b, ThVar *v, const ThVar *of) {
    return v && is_complex(v) && !is_complex(of) ? elemwise_raw(b, S_real, &v, 1) : v;
}

/* mul of n factors: gz times all others (conjugated), in order, as one n-ary product; add: gz. */
static ThVar *nary_grad(Env *e, int scalar, int i) {
    if (scalar == S_add) return e->gz;
    VEC(ThVar *) v = {0};
    ThContext *c = e->b->ctx;
    if (!vec_reserve(c, &v, e->node->nin)) return NULL;
    v.at[v.n++] = e->gz;
    for (int k = 0; k < e->node->nin; k++)
        if (k != i) v.at[v.n++] = e->forward ? e->node->in[k] : conj_make(e->b, e->node->in[k]);
    ThVar *r = elemwise_raw(e->b, S_mul, v.at, v.n);
    vec_free(c, &v);
    return r;
}

static ThVar *no_tangent(Env *e, int scalar) {
    err(e->b->ctx, TH_NotImplementedError, "Rop of %s has no formula for these inputs", scalar_ops[scalar].name);
    return NULL;
}

/* Forward mode of what is not holomorphic; linear operations by their texts. */
static ThVar *complex_tangent(Env *e, int scalar, int i, const Expr *text) {
    ThVar *t = e->gz, *x = e->node->in[i];
    switch (scalar) {
    case S_real:
    case S_imag: return elemwise_raw(e->b, scalar, &t, 1);
    case S_complex: {
        ThVar *nothing = zeros(e, t), *parts[2] = {i ? nothing : t, i ? t : nothing};
        return elemwise_raw(e->b, S_complex, parts, 2);
    }
    case S_abs_: { /* Re(conj(x / |x|) t) */
        ThVar *u = conj_make(e->b, elemwise_raw(e->b, S_sgn, &x, 1)), *both[2] = {u, t};
        ThVar *p = elemwise_raw(e->b, S_mul, both, 2);
        return p ? elemwise_raw(e->b, S_real, &p, 1) : NULL;
    }
    case S_angle: { /* Im(t / x) */
        if (!is_complex(x)) return zeros(e, t);
        ThVar *both[2] = {t, x}, *q = elemwise_raw(e->b, S_true_div, both, 2);
        return q ? elemwise_raw(e->b, S_imag, &q, 1) : NULL;
    }
    case S_complex_from_polar:
    case S_maximum:
    case S_minimum: return no_tangent(e, scalar);
    default: return instantiate(e, text);
    }
}

/* Of u = x / |x|, by the projection off u: (gz - u Re(conj(u) gz)) / |x|, 0 where x is. It is its own adjoint. */
static ThVar *complex_sgn_grad(Env *e) {
    Builder *b = e->b;
    ThVar *x = e->node->in[0], *u = e->node->out[0], *both[2] = {conj_make(b, u), e->gz}, *of[3];
    ThVar *p = elemwise_raw(b, S_mul, both, 2), *size = elemwise_raw(b, S_abs_, &x, 1);
    of[0] = u, of[1] = p ? elemwise_raw(b, S_real, &p, 1) : NULL;
    of[1] = of[1] ? elemwise_raw(b, S_mul, of, 2) : NULL;
    of[0] = e->gz;
    of[0] = of[1] ? elemwise_raw(b, S_sub, of, 2) : NULL;
    of[1] = size;
    of[2] = of[0] && size ? elemwise_raw(b, S_true_div, of, 2) : NULL;
    of[0] = size, of[1] = literal(e, const_int(b, 0, TH_DTYPE_NONE));
    of[0] = of[1] && size ? elemwise_raw(b, S_eq, of, 2) : NULL;
    return of[0] && of[2] ? elemwise_raw(b, S_switch, of, 3) : NULL;
}

/* NULL without an error: disconnected. */
static ThVar *input_grad(Env *e, Grad *g, int scalar, int i) {
    if (scalar_ops[scalar].flags & SF_NARY) return nary_grad(e, scalar, i);
    if (scalar == S_sgn && is_complex(e->node->out[0])) return complex_sgn_grad(e);
    const ScalarTexts *t = scalar_grad_texts(e->b->ctx, scalar);
    if (!t || i >= t->n || !t->at[i]) return NULL;
    const ExNode *root = &t->at[i]->at[t->at[i]->n - 1];
    if (root->kind == EX_NAME && strcmp(root->name, "undefined") == 0)
        return g ? grad_undefined(g, i, "no formula is known") : no_tangent(e, scalar);
    if (e->forward && (scalar == S_angle || is_complex(e->node->out[0]) || is_complex(e->node->in[i])) &&
        (scalar_ops[scalar].flags & SF_CGRAD))
        return complex_tangent(e, scalar, i, t->at[i]);
    if (e->forward || !is_complex(e->node->out[0]) || (scalar_ops[scalar].flags & SF_CGRAD))
        return instantiate(e, t->at[i]);
    Env conj = *e; /* gz * conj(f') = conj(conj(gz) * f') */
    conj.gz = conj_make(e->b, e->gz);
    return conj.gz ? conj_make(e->b, instantiate(&conj, t->at[i])) : NULL;
}

ThVar *elemwise_input_grad(Builder *b, ThApply *node, int i, ThVar *gz) {
    const ElemwiseAttrs *a = ATTRS(ElemwiseAttrs, node);
    Env e = {.b = b, .node = node, .gz = gz, .nd = node->in[0]->type.ndim, .forward = true};
    bool was = b->in_grad;
    if (a->body) {
        err(b->ctx, TH_NotImplementedError, "a Composite is made by the optimizer: differentiate before compiling");
        return NULL;
    }
    b->in_grad = true;
    ThVar *r = elemwise_connected(node, i, 0) ? input_grad(&e, NULL, a->scalar, i) : NULL;
    b->in_grad = was;
    return r;
}

void elemwise_grad(Grad *g) {
    const ElemwiseAttrs *a = ATTRS(ElemwiseAttrs, g->node);
    Env e = {.b = g->b, .node = g->node, .gz = g->gz[0], .nd = g->node->in[0]->type.ndim};
    if (!e.gz) return;
    bool was = g->b->in_grad;
    bool flat = dtype_is_discrete(g->node->out[0]->type.dtype);
    g->b->in_grad = true;
    for (int i = 0; i < g->node->nin; i++) {
        if (g->wanted && !g->wanted[i]) continue;
        if (!elemwise_connected(g->node, i, 0)) continue;
        if (a->body) {
            g->gx[i] = grad_undefined(
                g, i, "a Composite is made by the optimizer: differentiate the graph before compiling it");
            continue;
        }
        if (flat) g->gx[i] = zero_grad_make(g->b, g->node->in[i]);
        else
            g->gx[i] = unbroadcast_make(g->b, real_make(g->b, input_grad(&e, g, a->scalar, i), g->node->in[i]),
                                        g->node->in[i]);
        if (dtype_is_half(g->node->in[i]->type.dtype)) g->gx[i] = cast_make(g->b, g->gx[i], g->node->in[i]->type.dtype);
    }
    g->b->in_grad = was;
}

/* second reads only the shape of its first input. */
bool elemwise_connected(const ThApply *a, int in, int out) {
    const ElemwiseAttrs *e = ATTRS(ElemwiseAttrs, a);
    (void)out;
    return e->body || e->scalar != S_second || in != 0;
}
