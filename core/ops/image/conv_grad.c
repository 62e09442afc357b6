/*
 * conv_grad.c -- derivatives of the three convolutions, each made of the other two, and their vmap rule.
 * In: a node, gradients of its result, tangents or mapped inputs. Out: nodes with the same attributes. All three are
 * linear in either operand, so forward mode is the operation itself on the tangents.
 */
#include "conv.h"
#include "ops/table/shape.h"

/* ---- reverse mode ------------------------------------------------------------------------------------------------ */
/* A gradient of `like`: its lengths, its broadcast pattern. */
static ThVar *back(Builder *b, ConvRole role, const ConvAttrs *at, ThVar *x, ThVar *y, ThVar *like) {
    ThVar *r = conv_make(b, role, at, conj_make(b, x), y, conv_lengths(b, like, (int)at->ndim));
    return r ? patternbroadcast_make(b, r, like->type.broadcastable) : NULL;
}

/* The result of the forward operation on `image` and `filter`, as a gradient of `like`. */
static ThVar *ahead(Builder *b, const ConvAttrs *at, ThVar *image, ThVar *filter, ThVar *like) {
    ThVar *r = conv_make(b, CONV_FORWARD, at, image, filter, NULL);
    return r ? patternbroadcast_make(b, r, like->type.broadcastable) : NULL;
}

void conv_grad(Grad *g) {
    Builder *b = g->b;
    const ConvAttrs *at = ATTRS(ConvAttrs, g->node);
    ThVar *x = g->node->in[0], *y = g->node->in[1], *gz = g->gz[0], *gx = NULL, *gy = NULL;
    switch (conv_role(g->node->op)) {
    case CONV_FORWARD: /* images, filters */
        if (g->wanted[0]) gx = back(b, CONV_INPUTS, at, y, gz, x);
        if (g->wanted[1]) gy = back(b, CONV_WEIGHTS, at, x, gz, y);
        break;
    case CONV_INPUTS: /* filters, output; gz is of the images' shape */
        if (g->wanted[0]) {
            ThVar *w = conv_make(b, CONV_WEIGHTS, at, gz, conj_make(b, y), conv_lengths(b, x, (int)at->ndim));
            gx = w ? patternbroadcast_make(b, w, x->type.broadcastable) : NULL;
        }
        if (g->wanted[1]) gy = ahead(b, at, gz, conj_make(b, x), y);
        break;
    case CONV_WEIGHTS: /* images, output; gz is of the filters' shape */
        if (g->wanted[0]) {
            ThVar *w = conv_make(b, CONV_INPUTS, at, gz, conj_make(b, y), conv_lengths(b, x, (int)at->ndim));
            gx = w ? patternbroadcast_make(b, w, x->type.broadcastable) : NULL;
        }
        if (g->wanted[1]) gy = ahead(b, at, conj_make(b, x), gz, y);
        break;
    }
    g->gx[0] = gx;
    g->gx[1] = gy;
}

/* ---- forward mode ------------------------------------------------------------------------------------------------ */
bool conv_rop(Rop *r) {
    ThApply *a = r->node;
    ThVar *sum = NULL;
    for (int i = 0; i < 2; i++) {
        if (!r->ev[i]) continue;
        ThVar *in[3] = {i ? a->in[0] : r->ev[0], i ? r->ev[1] : a->in[1], a->nin > 2 ? a->in[2] : NULL};
        ThVar *t = apply1(r->b, a->op, a->attrs, in, a->nin);
        sum = sum ? elemwise_2(r->b, S_add, sum, t) : t;
        if (!sum) return false;
    }
    r->out[0] = sum;
    return true;
}

/* ---- vmap -------------------------------------------------------------------------------------------------------- */
/* Only the images (or the gradient of the result) are mapped: a larger batch. */
static bool batch_images(Batch *q, const ConvAttrs *at, int which) {
    ThVar *in[3] = {q->in[0], q->in[1], q->node->nin > 2 ? q->in[2] : NULL};
    ConvAttrs plain = *at;
    if (plain.imshp.n) plain.imshp.at[0] = -1;
    in[which] = batch_merge(q->b, q->in[which]);
    q->out[0] = batch_unmerge(q->b, apply1(q->b, q->node->op, &plain, in, q->node->nin), q->in[which]);
    return q->out[0] != NULL;
}

/* One convolution for each element; a second mapped dimension is merged with the first. */
static bool batch_stacked(Batch *q, const ConvAttrs *at) {
    ConvAttrs stacked = *at;
    ThVar *in[3] = {NULL, NULL, q->node->nin > 2 ? q->in[2] : NULL}, *like = NULL;
    stacked.stacked = 1;
    for (int i = 0; i < 2; i++) {
        in[i] = at->stacked ? batch_full(q, i) : batch_beside(q, i, q->node->in[i]->type.ndim);
        if (!in[i]) return false;
        if (!at->stacked) continue;
        if (!like || type_bcast(like->type, 1)) like = in[i];
    }
    for (int i = 0; like && i < 2; i++) {
        if (type_bcast(in[i]->type, 1)) { /* repeated along the inner stack too */
            ThVar *n[TH_MAX_NDIM];
            for (int d = 0; d < in[i]->type.ndim; d++) n[d] = shape_elem_make(q->b, d == 1 ? like : in[i], d);
            in[i] = alloc_make(q->b, in[i], n, in[i]->type.ndim);
        }
        in[i] = batch_merge(q->b, in[i]);
    }
    ThVar *r = apply1(q->b, q->node->op, &stacked, in, q->node->nin);
    q->out[0] = like ? batch_unmerge(q->b, r, like) : r;
    return q->out[0] != NULL;
}

bool conv_batch(Batch *q) {
    const ConvAttrs *at = ATTRS(ConvAttrs, q->node);
    ConvRole role = conv_role(q->node->op);
    if (q->node->nin > 2 && !batch_fixed(q, 2, "the lengths of a result must be the same for all elements"))
        return false;
    if (role == CONV_FORWARD && !q->mapped[1] && !at->stacked) return batch_images(q, at, 0);
    if (role == CONV_INPUTS && !q->mapped[0] && !at->stacked) return batch_images(q, at, 1);
    return batch_stacked(q, at);
}
