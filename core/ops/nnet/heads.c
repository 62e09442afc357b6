/*
 * heads.c -- AttentionHeads: Attention (attention.c) of arrays as a model has them, (batch, position, head, feature),
 * and its gradient, for a device: nothing is turned for them, and what they give lies as the next product reads it.
 * Rewriting makes them (opt/passes/heads.c). In: q, k, v, floats of one dtype; of halves sums are float32; the mask, if
 * there is one, of three dimensions, the first of all heads of all the batch. Out: the result, and two numbers of each
 * row of scores, (batch, head, position, 2). `low`: a half that results are rounded to; the whole one is a third result
 * if the gradient wants it. AttentionHeadsInto sets the three gradients in an array of three dimensions, of which the
 * first two are as many lines as there are positions in all, each from a number of the last dimension on.
 */
#include "graph/services.h"
#include "ops/table/lowering.h"
#include "ops/table/nnet.h"

enum { Q, K, V, STATS, DZ, Z, BASE }; /* inputs; the mask follows */

#define FIELD(name, type) \
    { #name, type, offsetof(HeadsAttrs, name), false }
static const AttrField heads_fields[] = {
    FIELD(kind, ATTR_INT),  FIELD(scale, ATTR_FLOAT), FIELD(fill, ATTR_FLOAT), FIELD(low, ATTR_INT),
    FIELD(whole, ATTR_INT), FIELD(dq_from, ATTR_INT), FIELD(dq_to, ATTR_INT),  FIELD(dk_from, ATTR_INT),
    FIELD(dk_to, ATTR_INT), FIELD(dv_from, ATTR_INT), FIELD(dv_to, ATTR_INT),
};

static bool is_grad(const Op *op) { return op != &op_attention_heads; }
static int mask_of(const Op *op) { return !is_grad(op) ? V + 1 : op == &op_attention_heads_grad ? BASE : BASE + 1; }

static ThDtype sums_of(ThDtype d) { return dtype_is_half(d) ? TH_FLOAT32 : d; }

/* The dtype of input i, and its dimensions. */
static ThType wanted(const Infer *q, int i, ThDtype d) {
    const HeadsAttrs *at = q->attrs;
    const ThDtype sums = sums_of(d);
    if (i == mask_of(q->op)) return type_tensor(at->kind == ATTENTION_ADD ? sums : TH_BOOL, 3, 0);
    if (i == BASE && is_grad(q->op)) return type_tensor(at->low ? (ThDtype)at->low : sums, 3, 0);
    return type_tensor(is_grad(q->op) && (i == STATS || i == Z) ? sums : d, 4, 0);
}

static bool infer_heads(Infer *q) {
    const HeadsAttrs *at = q->attrs;
    const ThDtype d = (ThDtype)q->in[Q]->type.dtype, sums = sums_of(d), low = at->low ? (ThDtype)at->low : sums;
    bool good = q->nin == mask_of(q->op) + (at->kind != ATTENTION_PLAIN) && (sums == TH_FLOAT32 || sums == TH_FLOAT64);
    good = good && (!at->low || at->low == d);
    for (int i = 0; good && i < q->nin; i++) {
        const ThType t = q->in[i]->type, want = wanted(q, i, d);
        good = t.kind == TYPE_TENSOR && t.ndim == want.ndim && t.dtype == want.dtype;
    }
    if (!good) return err(q->ctx, TH_TypeError, "%s: operands are tensors of four dimensions", q->op->name);
    if (q->op == &op_attention_heads_grad) {
        for (int i = 0; i < 3; i++) q->out[i] = q->in[i]->type, q->out[i].dtype = (uint8_t)low;
    } else if (is_grad(q->op)) {
        q->out[0] = q->in[BASE]->type;
    } else {
        const ThType t = q->in[Q]->type;
        const uint32_t b = type_bcast(t, 0), m = type_bcast(t, 1), h = type_bcast(t, 2);
        q->out[0] = type_tensor(low, 4, b | m << 1 | h << 2 | (uint32_t)type_bcast(q->in[V]->type, 3) << 3);
        q->out[1] = type_tensor(sums, 4, b | h << 1 | m << 2);
        q->out[2] = q->out[0], q->out[2].dtype = (uint8_t)sums;
        q->nout = at->whole ? 3 : 2;
    }
    return true;
}

static bool equal(ShapeQ *q, Sz a, Sz b) { return q->alg->equal(q->alg->u, a, b, "attention: lengths {0} and {1}"); }

/* Numbers from..to of the last dimension of the array are what a gradient of `width` numbers goes to. */
static bool slot(ShapeQ *q, int64_t from, int64_t to, Sz width) {
    const ShapeAlg *g = q->alg;
    const Sz all = q->in[BASE][2], start = g->op(g->u, 'm', all, g->constant(g->u, from));
    const Sz stop = to == INT64_MAX ? all : g->op(g->u, 'm', all, g->constant(g->u, to));
    return g->equal(g->u, width, g->op(g->u, '-', stop, start),
                    "cannot write a value of length {0} into a slot of length {1}");
}

static bool shape_gradient(ShapeQ *q) {
    const HeadsAttrs *at = q->node->attrs;
    const ShapeAlg *g = q->alg;
    const Sz *const *in = q->in;
    bool ok = true;
    for (int d = 0; ok && d < 4; d++) ok = equal(q, in[DZ][d], in[d == 3 ? V : Q][d]);
    for (int d = 0; ok && d < 3; d++) ok = equal(q, in[Z][d], in[Q][d]);
    ok = ok && equal(q, in[STATS][0], in[Q][0]) && equal(q, in[STATS][1], in[Q][2]) && equal(q, in[STATS][2], in[Q][1]);
    if (!ok) return false;
    if (q->node->op == &op_attention_heads_grad) {
        for (int i = 0; i < 3; i++)
            for (int d = 0; d < 4; d++) q->out[i][d] = in[i][d];
        return true;
    }
    for (int d = 0; d < 3; d++) q->out[0][d] = in[BASE][d];
    return equal(q, g->op(g->u, '*', in[BASE][0], in[BASE][1]), g->op(g->u, '*', in[Q][0], in[Q][1])) &&
           equal(q, in[Q][1], in[K][1]) && slot(q, at->dq_from, at->dq_to, g->op(g->u, '*', in[Q][2], in[Q][3])) &&
           slot(q, at->dk_from, at->dk_to, g->op(g->u, '*', in[K][2], in[K][3])) &&
           slot(q, at->dv_from, at->dv_to, g->op(g->u, '*', in[V][2], in[V][3]));
}

static bool shape_heads(ShapeQ *q) {
    const ThApply *a = q->node;
    const HeadsAttrs *at = a->attrs;
    const ShapeAlg *g = q->alg;
    const Sz *const *in = q->in;
    const int mask = mask_of(a->op);
    bool ok = equal(q, in[Q][0], in[K][0]) && equal(q, in[Q][0], in[V][0]) && equal(q, in[Q][2], in[K][2]) &&
              equal(q, in[Q][2], in[V][2]) && equal(q, in[K][1], in[V][1]) && equal(q, in[Q][3], in[K][3]);
    if (ok && at->kind != ATTENTION_PLAIN) {
        const Sz want[3] = {g->op(g->u, '*', in[Q][0], in[Q][2]), in[Q][1], in[K][1]};
        for (int d = 0; ok && d < 3; d++)
            if (!type_bcast(a->in[mask]->type, d))
                ok = g->equal(g->u, want[d], in[mask][d], "Input dimension mis-match: scores have {0}, the mask {1}");
    }
    if (!ok || is_grad(a->op)) return ok && shape_gradient(q);
    for (int o = 0; o < a->nout; o++) {
        if (o == 1) continue;
        for (int d = 0; d < 3; d++) q->out[o][d] = in[Q][d];
        q->out[o][3] = in[V][3];
    }
    q->out[1][0] = in[Q][0], q->out[1][1] = in[Q][2], q->out[1][2] = in[Q][1], q->out[1][3] = g->constant(g->u, 2);
    return true;
}

/* ---- a call ------------------------------------------------------------------------------------------------------ */
typedef union Header { /* a view for the time of a call */
    ThArray a;
    char room[sizeof(ThArray) + 8 * sizeof(int64_t)];
} Header;

static ThArray *view(Header *h, const ThArray *of, char *data, int n, const int64_t *shape, const int64_t *strides) {
    ThArray *a = &h->a;
    *a = (ThArray){.dtype = of->dtype, .flags = of->flags, .ndim = (int16_t)n, .buf = of->buf, .data = data, .size = 1};
    for (int d = 0; d < n; d++) {
        ARRAY_SHAPE(a)[d] = shape[d];
        ARRAY_STRIDES(a)[d] = strides[d];
        a->size *= shape[d];
    }
    return a;
}

/* The part of x that the gradient of an operand goes to, as (batch, position, head, feature). */
static ThArray *part_of(Header *h, ThArray *x, const ThArray *like, int64_t from) {
    const int64_t *n = ARRAY_SHAPE(like), *st = ARRAY_STRIDES(x);
    const int64_t step[4] = {n[1] * st[1], st[1], st[2] * n[3], st[2]};
    return view(h, x, x->data + from * st[2], 4, n, step);
}

/* All heads of one of the batch, as attention.c has them; turned: features before positions. */
static ThArray *matrices(Header *h, const ThArray *x, int64_t b, bool turned) {
    const int64_t *n = ARRAY_SHAPE(x), *st = ARRAY_STRIDES(x);
    const int p = turned ? 3 : 1, f = turned ? 1 : 3;
    const int64_t shape[3] = {n[2], n[p], n[f]}, step[3] = {st[2], st[p], st[f]};
    return view(h, x, x->data + b * st[0], 3, shape, step);
}

/* The host has no halves of its own. */
static ThArray *widened(const ThArray *x) {
    ThArray *a = (ThArray *)(uintptr_t)x;
    return dtype_is_half((ThDtype)x->dtype) ? th_array_astype(a, TH_FLOAT32) : th_array_copy(a);
}

/* to := from, which may be wider. */
static int put(HostCall *h, ThArray *to, ThArray *from) {
    ThArray *low = to->dtype == from->dtype ? NULL : th_array_astype(from, (ThDtype)to->dtype);
    const int bad = (to->dtype != from->dtype && !low) || h->lib->assign(h, to, low ? low : from);
    th_array_release(low);
    return bad;
}

/* What stands for an array of the work. */
typedef struct Stand {
    ThArray *whole, *wide; /* of the call; of attention.c, or NULL */
    bool turned;
} Stand;

/* One of the batch by the host's attention. */
static int run_one(HostCall *h, const AttentionWork *all, int64_t b) {
    AttentionWork w = *all;
    Header room, stats, mask;
    Stand in[] = {{(ThArray *)(uintptr_t)w.q, NULL, false},
                  {(ThArray *)(uintptr_t)w.k, NULL, true},
                  {(ThArray *)(uintptr_t)w.v, NULL, false},
                  {(ThArray *)(uintptr_t)w.dz, NULL, false}};
    Stand out[] = {{w.z, NULL, false}, {w.dq, NULL, false}, {w.dk, NULL, true}, {w.dv, NULL, false}};
    int bad = 0;
    for (int i = 0; i < 4; i++)
        if (in[i].whole) bad |= !(in[i].wide = widened(matrices(&room, in[i].whole, b, in[i].turned)));
    for (int i = w.dz ? 1 : 0; i < 4 && !bad; i++) {
        if (!out[i].whole) continue;
        const ThDtype d = sums_of((ThDtype)w.q->dtype);
        bad =
            !(out[i].wide = th_array_empty(h->ctx, d, 3, ARRAY_SHAPE(matrices(&room, out[i].whole, b, out[i].turned))));
    }
    const int64_t heads = ARRAY_SHAPE(w.q)[2], *st = ARRAY_STRIDES(w.stats);
    w.q = in[0].wide, w.k = in[1].wide, w.v = in[2].wide, w.dz = in[3].wide, w.heads = false, w.low = NULL;
    w.z = out[0].wide, w.dq = out[1].wide, w.dk = out[2].wide, w.dv = out[3].wide;
    w.stats = view(&stats, w.stats, w.stats->data + b * st[0], 3, ARRAY_SHAPE(w.stats) + 1, st + 1);
    if (w.mask && ARRAY_SHAPE(w.mask)[0] != 1) {
        const int64_t *n = ARRAY_SHAPE(w.mask), shape[3] = {heads, n[1], n[2]}, *step = ARRAY_STRIDES(w.mask);
        w.mask = view(&mask, w.mask, w.mask->data + b * heads * step[0], 3, shape, step);
    }
    bad = bad || h->lib->attention(h, &w);
    for (int i = 0; i < 4 && !bad; i++) {
        if (!out[i].wide) continue;
        bad = put(h, matrices(&room, out[i].whole, b, out[i].turned), out[i].wide);
        if (i == 0 && all->low && !bad) bad = put(h, matrices(&room, all->low, b, false), out[i].wide);
    }
    for (int i = 0; i < 4; i++) th_array_release(in[i].wide), th_array_release(out[i].wide);
    return bad;
}

static int run_heads(HostCall *h) {
    const HeadsAttrs *at = h->attrs;
    AttentionWork w = {.q = h->in[Q], .k = h->in[K], .v = h->in[V], .kind = (AttentionMask)at->kind, .heads = true};
    Header part[3];
    int bad = 0;
    w.scale = at->scale, w.fill = at->fill, w.each = 1;
    if (at->kind != ATTENTION_PLAIN) w.mask = h->in[mask_of(h->op)];
    if (is_grad(h->op)) {
        w.stats = h->in[STATS], w.dz = h->in[DZ], w.z = h->in[Z];
        w.dq = h->out[0], w.dk = h->out[1], w.dv = h->out[2];
        if (h->op == &op_attention_heads_into) {
            w.dq = part_of(&part[0], h->out[0], w.q, at->dq_from);
            w.dk = part_of(&part[1], h->out[0], w.k, at->dk_from);
            w.dv = part_of(&part[2], h->out[0], w.v, at->dv_from);
        }
    } else {
        w.z = h->out[at->whole ? 2 : 0], w.low = at->whole ? h->out[0] : NULL, w.stats = h->out[1];
    }
    if (h->gpu) return h->lib->attention(h, &w);
    for (int64_t b = 0; b < ARRAY_SHAPE(w.q)[0] && !bad; b++) bad = run_one(h, &w, b);
    return bad;
}

/* What is kept of rows is read as it lies; the array that is written into is its own or a copy. */
static bool lower_heads(Lower *l) {
    const ThApply *a = l->node;
    if (is_grad(a->op) && !l->api->contiguous(l, STATS)) return false;
    if (a->op == &op_attention_heads_into) {
        const bool own = a->destroys == BASE;
        if (!(own ? l->api->alias(l, 0, BASE) : l->api->copy(l, 0, BASE))) return false;
    }
    return l->api->host(l, run_heads, 0);
}

#define HEADS_OP(var, title, outputs, more, text) \
    const Op op_##var = { \
        .name = title, \
        .flags = OP_HALVES | OP_MACHINE | OP_EARLY | (more), \
        .nin = -1, \
        .nout = outputs, \
        .destroy_input = BASE, \
        .attr_bytes = sizeof(HeadsAttrs), \
        .attrs = heads_fields, \
        .nattr = TH_LEN(heads_fields), \
        .infer = infer_heads, \
        .shape = shape_heads, \
        .lower = lower_heads, \
        .device = DEVICE_FORM, \
        .doc = OP_DOC(text), \
    }
HEADS_OP(attention_heads, "AttentionHeads", -1, 0, "Attention of arrays (batch, position, head, feature)");
HEADS_OP(attention_heads_grad, "AttentionHeadsGrad", 3, 0, "gradient of AttentionHeads");
HEADS_OP(attention_heads_into, "AttentionHeadsInto", 1, OP_CAN_DESTROY,
         "gradient of AttentionHeads, side by side in an array");
