/*
 * reshape.c -- Reshape and Rebroadcast: the same elements under other lengths or other promises.
 * In: a tensor and its new lengths (an int vector, one entry may be -1), or a new broadcast pattern. Out: a view where
 * the tensor is C-contiguous (for a device: or one length becomes several), else of a contiguous copy. Wrong sizes
 * raise ValueError before anything runs.
 */
#include "ops/table/shape.h"

#include <stdio.h>

/* ---- Reshape ----------------------------------------------------------------------------------------------------- */
/* Broadcast bits that the new lengths promise; refuses two -1 entries where that is known. */
static bool promised_bits(Infer *q, int ndim, uint32_t *bits) {
    int unknown = 0;
    *bits = 0;
    for (int d = 0; d < ndim; d++) {
        int64_t v;
        if (!vector_known(q->in[1], d, &v)) continue;
        if (v == 1) *bits |= 1u << d;
        if (v < 0 && ++unknown > 1) return err(q->ctx, TH_ValueError, "Reshape: only one length can be -1");
    }
    return true;
}

static bool infer_reshape(Infer *q) {
    int64_t ndim = ((const ReshapeAttrs *)q->attrs)->ndim, n = vector_length(q->in[1]);
    ThType x = q->in[0]->type, s = q->in[1]->type;
    uint32_t bits;
    if (x.kind != TYPE_TENSOR) return err(q->ctx, TH_TypeError, "Reshape takes a tensor");
    if (s.kind != TYPE_TENSOR || s.ndim != 1)
        return err(q->ctx, TH_TypeError, "Reshape: the shape must be a vector of integers");
    if (!dtype_is_int((ThDtype)s.dtype) && n != 0)
        return err(q->ctx, TH_TypeError, "Shape must be integers, got a vector of %s", th_dtype_name((ThDtype)s.dtype));
    if (ndim < 0 || ndim > TH_MAX_NDIM)
        return err(q->ctx, TH_ValueError, "Reshape to %lld dimensions (0 to %d are possible)", (long long)ndim,
                   TH_MAX_NDIM);
    if (n >= 0 && n != ndim)
        return err(q->ctx, TH_ValueError, "Reshape{%lld}: the shape has %lld entries", (long long)ndim, (long long)n);
    if (!promised_bits(q, (int)ndim, &bits)) return false;
    q->out[0] = type_tensor((ThDtype)x.dtype, (int)ndim, bits);
    return true;
}

typedef struct Lengths { /* of a reshape */
    const ShapeAlg *a;
    const Sz *in;
    int n, nin;
    Sz at[TH_MAX_NDIM]; /* entries as given */
    bool known[TH_MAX_NDIM];
    int64_t k[TH_MAX_NDIM];
    bool met[TH_MAX_NDIM], taken[TH_MAX_NDIM]; /* entries that are lengths of x; those lengths */
    int open;                                  /* entries that are -1 */
    int maybe, left;                           /* others that may be; others that are no length of x */
    bool positive;                             /* what is left are numbers above 0 */
} Lengths;

static Sz calc(const ShapeAlg *a, char op, Sz x, Sz y) { return a->op(a->u, op, x, y); }

static Sz product(const ShapeAlg *a, const Sz *s, int n, const bool *without) {
    Sz p = -1;
    for (int i = 0; i < n; i++)
        if (!without || !without[i]) p = p < 0 ? s[i] : calc(a, '*', p, s[i]);
    return p < 0 ? a->constant(a->u, 1) : p;
}

/* Entries that are lengths of x say nothing about the others, however many rows there are. */
static void meet(Lengths *l) {
    for (int d = 0; d < l->n; d++) {
        bool open = l->known[d] && l->k[d] < 0;
        for (int e = 0; e < l->nin && !open && !l->met[d] && l->a->alike; e++)
            if (!l->taken[e] && l->a->alike(l->a->u, l->at[d], l->in[e])) l->met[d] = l->taken[e] = true;
    }
    l->positive = true;
    for (int d = 0; d < l->n; d++) {
        bool open = l->known[d] && l->k[d] < 0;
        l->open += open;
        if (open || l->met[d]) continue;
        l->left++;
        l->maybe += !l->known[d];
        l->positive &= l->known[d] && l->k[d] > 0;
    }
}

/* How many of them are 0, and the product of the others. */
static void count_zeros(const ShapeAlg *a, const Sz *s, int n, const bool *without, Sz *zeros, Sz *rest) {
    Sz one = a->constant(a->u, 1);
    *zeros = a->constant(a->u, 0), *rest = one;
    for (int i = 0; i < n; i++) {
        if (without[i]) continue;
        *zeros = calc(a, '+', *zeros, calc(a, '<', s[i], one));
        *rest = calc(a, '*', *rest, calc(a, 'M', s[i], one));
    }
}

/*
 * The length for -1 where a length of 0 may be among the entries, as x:reshape{x.shape[0], 28, -1} of no images has it:
 * the other lengths of x shared out among the other entries. 0 where x has more lengths of 0 than the entries.
 * filled: entries below 0 are 1 there; neg: 1 for those.
 */
static bool share_out(const Lengths *l, const Sz *filled, const Sz *neg, Sz *missing) {
    const ShapeAlg *a = l->a;
    Sz zx, zs, x, s, one = a->constant(a->u, 1), any = a->constant(a->u, l->open > 0);
    count_zeros(a, l->in, l->nin, l->taken, &zx, &x);
    count_zeros(a, filled, l->n, l->met, &zs, &s);
    Sz some = calc(a, '-', one, calc(a, '<', zs, zx));
    *missing = calc(a, '*', some, calc(a, '/', x, s));
    for (int d = 0; d < l->n && !l->open; d++)
        if (!l->met[d]) any = calc(a, 'M', any, neg[d]);
    some = calc(a, '*', some, any);
    Sz there = calc(a, '*', some, x), asked = calc(a, '*', any, calc(a, '*', *missing, s));
    return a->equal(
        a->u, there, asked,
        "Cannot reshape an input without elements: its other lengths make {0}, which the new ones, of {1}, do "
        "not share out for the one that is -1");
}

static bool shape_reshape(ShapeQ *q) {
    const ShapeAlg *a = q->alg;
    static const char wrong[] = "Cannot reshape input of {0} elements to a shape of {1} elements";
    Sz filled[TH_MAX_NDIM] = {0}, neg[TH_MAX_NDIM] = {0}, *out = q->out[0], zero = a->constant(a->u, 0),
       one = a->constant(a->u, 1), missing = one;
    Lengths l = {.a = a, .in = q->in[0], .n = q->node->out[0]->type.ndim, .nin = q->node->in[0]->type.ndim};
    for (int d = 0; d < l.n; d++) {
        l.known[d] = vector_known(q->node->in[1], d, &l.k[d]);
        l.at[d] = l.known[d] ? a->constant(a->u, l.k[d]) : a->value(a->u, 1, d);
    }
    meet(&l);
    for (int d = 0; d < l.n; d++) { /* entries below 0 become 1 */
        bool sure = l.known[d] || l.met[d], open = l.known[d] && l.k[d] < 0;
        neg[d] = open ? one : sure ? zero : calc(a, '<', l.at[d], zero);
        filled[d] = open ? one : l.at[d];
        if (!sure) filled[d] = calc(a, '+', l.at[d], calc(a, '*', neg[d], calc(a, '-', one, l.at[d])));
    }
    Sz total = product(a, l.in, l.nin, l.taken), rest = product(a, filled, l.n, l.met);
    if (l.open && l.positive) missing = calc(a, '/', total, rest);
    else if ((l.open || l.maybe) && !share_out(&l, filled, neg, &missing)) return false;
    for (int d = 0; d < l.n; d++) {
        if (l.known[d] || l.met[d]) out[d] = l.known[d] && l.k[d] < 0 ? missing : l.at[d];
        else out[d] = calc(a, '+', filled[d], calc(a, '*', neg[d], calc(a, '-', missing, filled[d])));
    }
    if (l.open && !l.left) return true; /* what is met is what is there */
    Sz there = product(a, l.in, l.nin, NULL), asked = product(a, out, l.n, NULL);
    if (!a->equal(a->u, there, asked, wrong)) return false;
    if (!l.open || !l.positive || l.left + l.open == l.n) return true;
    return a->equal(a->u, total, calc(a, '*', missing, rest), wrong); /* a length that is met may be 0 */
}

static void grad_reshape(Grad *g) {
    ThVar *x = g->node->in[0];
    g->gx[0] = patternbroadcast_make(g->b, reshape_make(g->b, g->gz[0], shape_make(g->b, x), x->type.ndim),
                                     x->type.broadcastable);
    g->gx[1] = NULL;
}

/* Is length d of the tensor that of the result at o? */
static bool keeps(Lower *l, int d, int o) { return l->api->same(l, l->api->in_dim(l, 0, d), l->api->out_dim(l, 0, o)); }

/* For a device: does one length become several and the others stay? Such a tensor is seen where it lies, by stride. */
static bool splits(Lower *l, Size *stride) {
    int n = l->node->out[0]->type.ndim, m = l->api->in_type(l, 0).ndim, first = 0, last = 0;
    if (!l->api->loops(l) || m == 0 || n <= m) return false;
    while (first < m - 1 && keeps(l, first, first)) first++;
    while (last < m - 1 - first && keeps(l, m - 1 - last, n - 1 - last)) last++;
    if (first + last != m - 1) return false;
    for (int d = 0; d < first; d++) stride[d] = l->api->in_stride(l, 0, d);
    for (int d = n - last; d < n; d++) stride[d] = l->api->in_stride(l, 0, d - n + m);
    Size run = l->api->in_stride(l, 0, first);
    for (int d = n - last - 1; d >= first; d--) {
        stride[d] = run;
        if (d > first) run = l->api->mul(l, run, l->api->out_dim(l, 0, d));
    }
    return true;
}

static bool lower_reshape(Lower *l) {
    Size shape[TH_MAX_NDIM], stride[TH_MAX_NDIM], run = size_const(1);
    int n = l->node->out[0]->type.ndim;
    for (int d = 0; d < n; d++) shape[d] = l->api->out_dim(l, 0, d);
    bool there = l->api->in_contiguous(l, 0);
    if (!there && splits(l, stride)) return l->api->view(l, 0, 0, n, shape, stride, l->api->in_offset(l, 0));
    if (!there && !l->api->contiguous(l, 0)) return false;
    for (int d = n - 1; d >= 0; d--) {
        stride[d] = run;
        if (d) run = l->api->mul(l, run, shape[d]);
    }
    return l->api->view(l, 0, 0, n, shape, stride, l->api->in_offset(l, 0));
}

static bool first_connected(const ThApply *a, int in, int out) {
    (void)a, (void)out;
    return in == 0;
}

static void str_reshape(Text *t, const ThApply *a) {
    text_printf(t, "Reshape{%lld}", (long long)ATTRS(ReshapeAttrs, a)->ndim);
}

static const AttrField reshape_fields[] = {{"ndim", ATTR_INT, offsetof(ReshapeAttrs, ndim), false}};
const Op op_reshape = {
    .name = "Reshape",
    .flags = OP_VIEW | OP_FAILS | OP_HALVES,
    .nin = 2,
    .nout = 1,
    .attr_bytes = sizeof(ReshapeAttrs),
    .attrs = reshape_fields,
    .nattr = 1,
    .infer = infer_reshape,
    .shape = shape_reshape,
    .grad = grad_reshape,
    .lower = lower_reshape,
    .str = str_reshape,
    .connected = first_connected,
    .rop = rop_linear,
    .batch = batch_reshape,
    .doc = OP_DOC("the elements of x in another shape"),
};

ThVar *reshape_make(Builder *b, ThVar *x, ThVar *shape, int ndim) {
    return apply1(b, &op_reshape, &(ReshapeAttrs){ndim}, (ThVar *[]){x, shape}, 2);
}

/* ---- Rebroadcast ------------------------------------------------------------------------------------------------- */
static bool infer_rebroadcast(Infer *q) {
    const AttrInts *axis = &((const RebroadcastAttrs *)q->attrs)->axis;
    ThType t = q->in[0]->type;
    if (t.kind != TYPE_TENSOR) return err(q->ctx, TH_TypeError, "Rebroadcast takes a tensor");
    if (axis->n > t.ndim)
        return err(q->ctx, TH_ValueError, "Rebroadcast: trying to rebroadcast non-existent dimension %d", axis->n - 1);
    for (int d = 0; d < axis->n; d++) {
        if (axis->at[d] == 1) t.broadcastable |= 1u << d;
        if (axis->at[d] == 0) t.broadcastable &= ~(1u << d);
    }
    q->out[0] = t;
    return true;
}

static bool shape_rebroadcast(ShapeQ *q) {
    const AttrInts *axis = &ATTRS(RebroadcastAttrs, q->node)->axis;
    char why[120];
    for (int d = 0; d < q->node->in[0]->type.ndim; d++) {
        Sz one;
        q->out[0][d] = q->in[0][d];
        if (d >= axis->n || axis->at[d] != 1 || type_bcast(q->node->in[0]->type, d)) continue;
        snprintf(why, sizeof why, "Dimension %d in Rebroadcast's input was supposed to be 1 (got {0} instead)", d);
        const char *text = intern(q->node->ctx, why);
        q->out[0][d] = one = q->alg->constant(q->alg->u, 1);
        if (!text || !q->alg->equal(q->alg->u, q->in[0][d], one, text)) return false;
    }
    return true;
}

static void grad_rebroadcast(Grad *g) {
    RebroadcastAttrs back = *ATTRS(RebroadcastAttrs, g->node);
    for (int d = 0; d < back.axis.n; d++)
        if (back.axis.at[d] >= 0) back.axis.at[d] = (int8_t)type_bcast(g->node->in[0]->type, d);
    ThVar *gz = g->gz[0];
    g->gx[0] = apply1(g->b, &op_rebroadcast, &back, &gz, 1);
}

static bool lower_rebroadcast(Lower *l) {
    Size shape[TH_MAX_NDIM], stride[TH_MAX_NDIM];
    int n = l->node->out[0]->type.ndim;
    for (int d = 0; d < n; d++) {
        shape[d] = l->api->out_dim(l, 0, d);
        stride[d] = l->api->in_stride(l, 0, d);
    }
    return l->api->view(l, 0, 0, n, shape, stride, l->api->in_offset(l, 0));
}

static void str_rebroadcast(Text *t, const ThApply *a) {
    const AttrInts *axis = &ATTRS(RebroadcastAttrs, a)->axis;
    text_put(t, "Rebroadcast{");
    for (int d = 0; d < axis->n; d++) text_printf(t, "%s%c", d ? "," : "", axis->at[d] < 0 ? '?' : '0' + axis->at[d]);
    text_putc(t, '}');
}

static const AttrField rebroadcast_fields[] = {{"axis", ATTR_AXES, offsetof(RebroadcastAttrs, axis), false}};
const Op op_rebroadcast = {
    .name = "Rebroadcast",
    .numbers = NUMBERS_INPUTS,
    .flags = OP_VIEW | OP_FAILS | OP_HALVES,
    .nin = 1,
    .nout = 1,
    .attr_bytes = sizeof(RebroadcastAttrs),
    .attrs = rebroadcast_fields,
    .nattr = 1,
    .infer = infer_rebroadcast,
    .shape = shape_rebroadcast,
    .grad = grad_rebroadcast,
    .lower = lower_rebroadcast,
    .str = str_rebroadcast,
    .rop = rop_linear,
    .batch = batch_rebroadcast,
    .doc = OP_DOC("x with other promises of length 1, checked at run time"),
};

ThVar *patternbroadcast_make(Builder *b, ThVar *x, uint32_t broadcastable) {
    RebroadcastAttrs at = {0};
    if (!x || x->type.broadcastable == broadcastable) return x;
    for (int d = 0; d < x->type.ndim; d++) {
        bool want = broadcastable >> d & 1;
        at.axis.at[d] = (int8_t)(want == type_bcast(x->type, d) ? -1 : want);
        if (at.axis.at[d] >= 0) at.axis.n = (int8_t)(d + 1);
    }
    for (int d = at.axis.n; d < TH_MAX_NDIM; d++) at.axis.at[d] = 0; /* canonical past n */
    return apply1(b, &op_rebroadcast, &at, &x, 1);
}
