/*
 * dimshuffle.c -- DimShuffle: permutes dimensions, adds broadcastable ones ('x'), drops broadcastable ones. A view.
 * In: one tensor and a pattern of input dimensions, -1 for 'x'. Out: a view with that order of dimensions.
 */
#include "ops/table/ops.h"
#include "ops/table/shape.h"

#include <string.h>

typedef struct DimShuffleAttrs {
    AttrInts order;
} DimShuffleAttrs;

static bool infer(Infer *q) {
    const AttrInts *p = &((DimShuffleAttrs *)q->attrs)->order;
    ThType t = q->in[0]->type;
    uint32_t seen = 0, bc = 0;
    if (t.kind != TYPE_TENSOR) return err(q->ctx, TH_TypeError, "dimshuffle works on tensors");
    for (int i = 0; i < p->n; i++) {
        int d = p->at[i];
        if (d < 0) {
            bc |= 1u << i;
            continue;
        }
        if (d >= t.ndim)
            return err(q->ctx, TH_ValueError,
                       "dimshuffle: pattern entry %d is %d, but the input has only %d dimension%s", i, d, t.ndim,
                       t.ndim == 1 ? "" : "s");
        if ((seen >> d) & 1)
            return err(q->ctx, TH_ValueError, "dimshuffle: dimension %d appears twice in the pattern", d);
        seen |= 1u << d;
        if (type_bcast(t, d)) bc |= 1u << i;
    }
    for (int d = 0; d < t.ndim; d++)
        if (!((seen >> d) & 1) && !type_bcast(t, d))
            return err(q->ctx, TH_ValueError,
                       "dimshuffle: cannot drop dimension %d, which is not broadcastable (its length is not promised "
                       "to be 1); "
                       "take an element with a subscript, or promise it with T.addbroadcast(x, %d)",
                       d, d);
    q->out[0] = type_tensor(t.dtype, p->n, bc);
    return true;
}

static bool shape(ShapeQ *q) {
    const AttrInts *p = &ATTRS(DimShuffleAttrs, q->node)->order;
    for (int i = 0; i < p->n; i++) q->out[0][i] = p->at[i] < 0 ? q->alg->constant(q->alg->u, 1) : q->in[0][p->at[i]];
    return true;
}

/* The inverse pattern; dropped dimensions come back as 'x'. Theano makes the node even when it changes nothing. */
static void grad(Grad *g) {
    const AttrInts *p = &ATTRS(DimShuffleAttrs, g->node)->order;
    int8_t back[TH_MAX_NDIM];
    int nd = g->node->in[0]->type.ndim;
    if (!g->gz[0]) return;
    if (dtype_is_discrete(g->node->out[0]->type.dtype)) {
        g->gx[0] = zero_grad_make(g->b, g->node->in[0]);
        return;
    }
    for (int d = 0; d < nd; d++) back[d] = -1;
    for (int i = 0; i < p->n; i++)
        if (p->at[i] >= 0) back[p->at[i]] = (int8_t)i;
    g->gx[0] = dimshuffle_node(g->b, g->gz[0], back, nd);
}

static bool lower(Lower *l) {
    const AttrInts *p = &ATTRS(DimShuffleAttrs, l->node)->order;
    Size dims[TH_MAX_NDIM], strides[TH_MAX_NDIM];
    for (int i = 0; i < p->n; i++) {
        dims[i] = l->api->out_dim(l, 0, i);
        strides[i] = p->at[i] < 0 ? size_const(0) : l->api->in_stride(l, 0, p->at[i]);
    }
    return l->api->view(l, 0, 0, p->n, dims, strides, l->api->in_offset(l, 0));
}

static void str(Text *t, const ThApply *a) {
    const AttrInts *p = &ATTRS(DimShuffleAttrs, a)->order;
    text_put(t, "InplaceDimShuffle{");
    for (int i = 0; i < p->n; i++) {
        if (i) text_putc(t, ',');
        if (p->at[i] < 0) text_putc(t, 'x');
        else text_printf(t, "%d", p->at[i]);
    }
    text_putc(t, '}');
}

/* Leading 'x's are not shown; then x alone, x.T where the order is reversed, or DimShuffle{1, x}(x). */
static void pp_text(Text *t, const ThApply *a, void (*arg)(Text *t, const ThApply *a, int i)) {
    const AttrInts *p = &ATTRS(DimShuffleAttrs, a)->order;
    int first = 0, nd = a->in[0]->type.ndim;
    while (first < p->n && p->at[first] < 0) first++;
    bool same = p->n - first == nd, reversed = same;
    for (int i = first; i < p->n; i++) {
        same = same && p->at[i] == i - first;
        reversed = reversed && p->at[i] == p->n - 1 - i;
    }
    if (!same && !reversed) {
        text_put(t, "DimShuffle{");
        for (int i = first; i < p->n; i++) {
            if (i > first) text_put(t, ", ");
            if (p->at[i] < 0) text_putc(t, 'x');
            else text_printf(t, "%d", p->at[i]);
        }
        text_put(t, "}(");
    }
    arg(t, a, 0);
    if (!same) text_put(t, reversed ? ".T" : ")");
}

static const AttrField fields[] = {{"order", ATTR_AXES, offsetof(DimShuffleAttrs, order), false}};

const Op op_dimshuffle = {
    .name = "DimShuffle",
    .numbers = NUMBERS_INPUTS,
    .flags = OP_VIEW | OP_HALVES,
    .nin = 1,
    .nout = 1,
    .attr_bytes = sizeof(DimShuffleAttrs),
    .attrs = fields,
    .nattr = 1,
    .infer = infer,
    .shape = shape,
    .grad = grad,
    .lower = lower,
    .str = str,
    .pp = pp_text,
    .rop = rop_linear,
    .batch = batch_dimshuffle,
    .doc = OP_DOC("dimensions permuted, added ('x') or dropped, as a view"),
};

ThVar *dimshuffle_node(Builder *b, ThVar *x, const int8_t *pattern, int n) {
    DimShuffleAttrs a;
    memset(&a, 0, sizeof a);
    if (n > TH_MAX_NDIM) {
        err(b->ctx, TH_ValueError, "dimshuffle: %d dimensions, at most %d are possible", n, TH_MAX_NDIM);
        return NULL;
    }
    a.order.n = (int8_t)n;
    for (int i = 0; i < n; i++) a.order.at[i] = pattern[i] < 0 ? -1 : pattern[i];
    return apply1(b, &op_dimshuffle, &a, &x, 1);
}

ThVar *dimshuffle_make(Builder *b, ThVar *x, const int8_t *pattern, int n) {
    if (!x) return NULL;
    bool same = x->type.kind == TYPE_TENSOR && n == x->type.ndim;
    for (int i = 0; i < n && same; i++) same = pattern[i] == i;
    return same ? x : dimshuffle_node(b, x, pattern, n);
}

int dimshuffle_source(const ThVar *v, int axis) {
    if (!v->owner || v->owner->op != &op_dimshuffle) return axis;
    const AttrInts *p = &ATTRS(DimShuffleAttrs, v->owner)->order;
    return axis < p->n && p->at[axis] >= 0 ? (int)p->at[axis] : axis;
}
