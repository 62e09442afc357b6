/*
 * copy.c -- DeepCopyOp: a fresh C-contiguous copy of its input. Put before outputs that would alias an input or each
 * other.
 */
#include "ops/table/ops.h"

static bool infer_copy(Infer *q) {
    if (q->in[0]->type.kind != TYPE_TENSOR) return err(q->ctx, TH_TypeError, "DeepCopyOp takes a tensor");
    q->out[0] = q->in[0]->type;
    return true;
}

static bool shape_copy(ShapeQ *q) {
    for (int d = 0; d < q->node->in[0]->type.ndim; d++) q->out[0][d] = q->in[0][d];
    return true;
}

static void grad_copy(Grad *g) { g->gx[0] = g->gz[0]; }

static bool lower_copy(Lower *l) { return l->api->copy(l, 0, 0); }

const Op op_deep_copy = {
    .name = "DeepCopyOp",
    .flags = OP_HALVES,
    .nin = 1,
    .nout = 1,
    .infer = infer_copy,
    .shape = shape_copy,
    .grad = grad_copy,
    .lower = lower_copy,
    .rop = rop_linear,
    .batch = batch_same,
    .doc = OP_DOC("a copy of x in memory of its own"),
};
