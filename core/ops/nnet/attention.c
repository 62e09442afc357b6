/*
 * attention.c -- Attention: softmax(scale q . k + mask) . v for each matrix of a batch, and AttentionGrad. Rewriting
 * makes them of their parts (opt/passes/attention.c), after gradients and batching; nobody else does.
 * In: q (b, m, d), k (b, d, n), v (b, n, e), floats of one dtype; of halves sums are float32, and what follows is too,
 * and weights are rounded to the half before they are multiplied, if a device does it; the mask, if there is one, of
 * three dimensions. Out: (b, m, e), and two numbers of each row of scores (b, m, 2); the gradient: of q, k and v. It
 * may take the result as its last input: a device does, which finds the rows of dz . z by it.
 */
#include "graph/services.h"
#include "ops/table/lowering.h"
#include "ops/table/nnet.h"

enum { Q, K, V, STATS, DZ }; /* inputs; the mask follows */

static const AttrField attention_fields[] = {
    {"kind", ATTR_INT, offsetof(AttentionAttrs, kind), false},
    {"scale", ATTR_FLOAT, offsetof(AttentionAttrs, scale), false},
    {"fill", ATTR_FLOAT, offsetof(AttentionAttrs, fill), false},
    {"share", ATTR_INT, offsetof(AttentionAttrs, share), false},
};

static bool is_grad(const Op *op) { return op == &op_attention_grad; }
/* Number of the mask among the inputs; -1: there is none. */
static int mask_of(const Op *op, const AttentionAttrs *at) {
    return at->kind == ATTENTION_PLAIN ? -1 : is_grad(op) ? DZ + 1 : V + 1;
}

/* Of halves everything but the operands is float32. */
static ThDtype sums_of(ThDtype d) { return dtype_is_half(d) ? TH_FLOAT32 : d; }

static bool infer_attention(Infer *q) {
    const AttentionAttrs *at = q->attrs;
    int mask = mask_of(q->op, at), want = (is_grad(q->op) ? DZ : V) + 1 + (mask >= 0);
    ThDtype d = (ThDtype)q->in[Q]->type.dtype, sums = sums_of(d);
    bool good =
        (q->nin == want || (is_grad(q->op) && q->nin == want + 1)) && (sums == TH_FLOAT32 || sums == TH_FLOAT64);
    for (int i = 0; good && i < q->nin; i++) {
        ThType t = q->in[i]->type;
        bool flags = i == mask && at->kind != ATTENTION_ADD, operand = i <= V || (is_grad(q->op) && i == DZ);
        if (is_grad(q->op) && i == STATS) operand = false;
        good = t.kind == TYPE_TENSOR && t.ndim == 3 && t.dtype == (flags ? TH_BOOL : operand ? d : sums);
    }
    if (!good) return err(q->ctx, TH_TypeError, "%s: operands are three tensors of three dimensions", q->op->name);
    if (is_grad(q->op)) {
        for (int i = 0; i < 3; i++) q->out[i] = q->in[i]->type, q->out[i].dtype = (uint8_t)sums;
        return true;
    }
    uint32_t first = type_bcast(q->in[Q]->type, 0), rows = (uint32_t)type_bcast(q->in[Q]->type, 1) << 1;
    q->out[0] = type_tensor(sums, 3, first | rows | (uint32_t)type_bcast(q->in[V]->type, 2) << 2);
    q->out[1] = type_tensor(sums, 3, first | rows);
    return true;
}

static bool equal(ShapeQ *q, int x, int i, int y, int j, const char *why) {
    return q->alg->equal(q->alg->u, q->in[x][i], q->in[y][j], why);
}

static bool shape_attention(ShapeQ *q) {
    const ThApply *a = q->node;
    const Op *op = a->op;
    const AttentionAttrs *at = a->attrs;
    int mask = mask_of(op, at);
    Sz rows = q->in[Q][1], keys = q->in[K][2];
    bool ok = equal(q, Q, 0, K, 0, "Shape mismatch: batch sizes unequal: x has {0} and y has {1}{x=0}{y=1}") &&
              equal(q, Q, 2, K, 1, "Shape mismatch: the rows of x have length {0}, the columns of y {1}{x=0}{y=1}") &&
              equal(q, Q, 0, V, 0, "Shape mismatch: batch sizes unequal: x has {0} and y has {1}{x=0}{y=1}") &&
              equal(q, K, 2, V, 1, "Shape mismatch: the rows of x have length {0}, the columns of y {1}{x=0}{y=1}");
    const Sz want[3] = {q->in[Q][0], rows, keys};
    for (int d = 0; ok && mask >= 0 && d < 3; d++)
        if (!type_bcast(a->in[mask]->type, d) && (d || at->share == ATTENTION_EACH)) /* of shared ones: run_attention */
            ok = q->alg->equal(q->alg->u, want[d], q->in[mask][d],
                               "Input dimension mis-match: scores have {0}, the mask {1}");
    if (ok && is_grad(op)) {
        const Sz result[3] = {q->in[Q][0], rows, q->in[V][2]};
        for (int d = 0; ok && d < 3; d++) {
            ok = q->alg->equal(q->alg->u, result[d], q->in[DZ][d], "gradient of another shape: {0} and {1}");
            for (int i = 0; i < 3; i++) q->out[i][d] = q->in[i][d];
        }
        return ok && q->alg->equal(q->alg->u, rows, q->in[STATS][1], "rows of another number: {0} and {1}") &&
               q->alg->equal(q->alg->u, q->in[Q][0], q->in[STATS][0], "another batch: {0} and {1}");
    }
    if (!ok || is_grad(op)) return ok;
    for (int o = 0; o < 2; o++) q->out[o][0] = q->in[Q][0], q->out[o][1] = rows;
    q->out[0][2] = q->in[V][2];
    q->out[1][2] = q->alg->constant(q->alg->u, 2);
    return true;
}

/* The host has no halves of its own: operands become float32. What a device rounds on the way, the weights, stays
 * whole. */
static int run_widened(HostCall *h, AttentionWork w) {
    const ThArray **const operand[4] = {&w.q, &w.k, &w.v, &w.dz};
    ThArray *wide[4] = {0};
    int bad = 0;
    for (int i = 0; i < 4 && !bad; i++) {
        if (!*operand[i]) continue;
        bad = !(wide[i] = th_array_astype((ThArray *)(uintptr_t)*operand[i], TH_FLOAT32));
        *operand[i] = wide[i];
    }
    bad = bad || h->lib->attention(h, &w);
    for (int i = 0; i < 4; i++) th_array_release(wide[i]);
    return bad;
}

/* How many neighbours share a matrix of the mask: 0 after an error. */
static int64_t share_of(HostCall *h, const AttentionAttrs *at, const ThArray *mask) {
    const int64_t all = ARRAY_SHAPE(h->in[Q])[0], some = mask ? ARRAY_SHAPE(mask)[0] : 1;
    if (some ? all % some == 0 : all == 0) return at->share == ATTENTION_NEIGHBOURS && some && all ? all / some : 1;
    err(h->ctx, TH_ValueError, "a mask of %lld matrices does not fit a batch of %lld", (long long)some, (long long)all);
    return 0;
}

static int run_attention(HostCall *h) {
    const AttentionAttrs *at = h->attrs;
    int mask = mask_of(h->op, at);
    AttentionWork w = {.q = h->in[Q], .k = h->in[K], .v = h->in[V], .kind = (AttentionMask)at->kind};
    w.scale = at->scale, w.fill = at->fill;
    if (mask >= 0) w.mask = h->in[mask];
    if (!(w.each = share_of(h, at, w.mask))) return 1;
    if (is_grad(h->op)) {
        int z = DZ + 1 + (mask >= 0);
        w.stats = h->in[STATS], w.dz = h->in[DZ];
        if (z < h->nin) w.z = h->in[z];
        w.dq = h->out[0], w.dk = h->out[1], w.dv = h->out[2];
    } else {
        w.z = h->out[0], w.stats = h->out[1];
    }
    bool half = dtype_is_half((ThDtype)w.q->dtype);
    return half && !h->gpu ? run_widened(h, w) : h->lib->attention(h, &w);
}

/* What is kept of rows is read as it lies. */
static bool lower_attention(Lower *l) {
    if (is_grad(l->node->op) && !l->api->contiguous(l, STATS)) return false;
    return l->api->host(l, run_attention, 0);
}

#define ATTENTION_OP(var, title, outputs, text) \
    const Op op_##var = { \
        .name = title, \
        .flags = OP_HALVES | OP_MACHINE | OP_EARLY, \
        .nin = -1, \
        .nout = outputs, \
        .attr_bytes = sizeof(AttentionAttrs), \
        .attrs = attention_fields, \
        .nattr = TH_LEN(attention_fields), \
        .infer = infer_attention, \
        .shape = shape_attention, \
        .lower = lower_attention, \
        .device = DEVICE_FORM, \
        .doc = OP_DOC(text), \
    }
ATTENTION_OP(attention, "Attention", 2,
             "softmax of scaled and masked products of x and y, times z; what its gradient needs of each row");
ATTENTION_OP(attention_grad, "AttentionGrad", 3, "gradient of Attention, which computes the scores again");
