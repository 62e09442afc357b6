/*
 * rfft.c -- RFFTOp and IRFFTOp: Theano's transforms of real numbers.
 * In: numbers (m, .., n) or pairs (m, .., n / 2 + 1, 2), and a vector of the lengths of all dimensions but the first.
 * Out: the other of the two, not scaled either way. Pairs lie as complex numbers do.
 */
#include "graph/services.h"
#include "dft.h"

#include "kernel/fft_work.h"

static const AttrField rfft_fields[] = {{"whole", ATTR_BOOL, offsetof(DftAttrs, whole), true}};

static bool infer_rfft(Infer *q) {
    ThType x = q->in[0]->type;
    bool back = q->op == &op_irfft;
    if (x.kind != TYPE_TENSOR || !dtype_is_float((ThDtype)x.dtype))
        return err(q->ctx, TH_TypeError, "%s needs a tensor of float32 or float64, not of %s", q->op->name,
                   x.kind == TYPE_TENSOR ? th_dtype_name((ThDtype)x.dtype) : "another kind");
    if (x.ndim < (back ? 3 : 2))
        return err(q->ctx, TH_TypeError,
                   "%s: input must have at least %d dimensions, the first one for batches%s; it has %d", q->op->name,
                   back ? 3 : 2, back ? " and the last one for the real and the imaginary part" : "", x.ndim);
    if (!back && x.ndim == TH_MAX_NDIM) return err(q->ctx, TH_TypeError, "%s: too many dimensions", q->op->name);
    q->out[0] = type_tensor((ThDtype)x.dtype, x.ndim + (back ? -1 : 1), x.broadcastable & 1);
    return dft_lengths(q, x.ndim - (back ? 2 : 1));
}

static bool shape_rfft(ShapeQ *q) {
    const ShapeAlg *a = q->alg;
    bool back = q->node->op == &op_irfft;
    int naxes = q->node->in[0]->type.ndim - (back ? 2 : 1);
    Sz two = a->constant(a->u, 2);
    q->out[0][0] = q->in[0][0];
    for (int i = 0; i < naxes; i++)
        if (!dft_length(q, i, naxes, &q->out[0][1 + i])) return false;
    if (back)
        return a->equal(a->u, q->in[0][naxes + 1], two,
                        "the last dimension holds the real and the imaginary part: its length is {1}, not {0}");
    q->out[0][naxes] = a->op(a->u, '+', a->op(a->u, '/', q->out[0][naxes], two), a->constant(a->u, 1));
    q->out[0][naxes + 1] = two;
    return true;
}

static int run_rfft(HostCall *h) {
    const ThArray *x = h->in[0], *y = h->out[0];
    bool back = h->op == &op_irfft;
    FftWork w = {.dtype = (ThDtype)x->dtype, .by = 1, .twice = 1, .ndim = back ? y->ndim : x->ndim};
    w.kind = back ? FFT_FROM_HALF : FFT_TO_HALF;
    w.from = x->data, w.to = y->data;
    for (int d = 0; d < w.ndim; d++) {
        w.in[d] = ARRAY_SHAPE(x)[d], w.in_st[d] = ARRAY_STRIDES(x)[d];
        w.out[d] = ARRAY_SHAPE(y)[d], w.out_st[d] = ARRAY_STRIDES(y)[d];
        if (d == 0) continue;
        w.axis[w.naxes] = (int8_t)d;
        w.n[w.naxes] = dft_length_value(h, w.naxes);
        w.naxes++;
    }
    return h->lib->fft(h, &w);
}

static bool lower_rfft(Lower *l) {
    if (l->node->op == &op_irfft && !l->api->contiguous(l, 0)) return false; /* pairs lie together */
    return l->api->host(l, run_rfft, 0);
}

/* ---- gradients --------------------------------------------------------------------------------------------------- */
static ThVar *last_length(Builder *b, ThVar *s) { return subtensor_int_make(b, s, -1); }

/* The pairs that stand for two others times `by`: the first does not, nor the last of an even length. */
static ThVar *inner_times(Builder *b, ThVar *pairs, ThVar *s, double by) {
    AttrIdx idx = {.n = (int8_t)pairs->type.ndim};
    ThVar *n = last_length(b, s), *two = const_int(b, 2, TH_DTYPE_NONE), *in[2];
    ThVar *stop = elemwise_2(b, S_add, elemwise_2(b, S_int_div, n, two), elemwise_2(b, S_mod, n, two));
    for (int d = 0; d < idx.n; d++) idx.at[d].kind = 's';
    in[0] = const_scalar_int(b, 1);
    in[1] = stop ? index_make(b, stop) : NULL;
    if (!in[0] || !in[1]) return NULL;
    idx.at[idx.n - 2].has = 3;
    idx.at[idx.n - 2].dtype[0] = in[0]->type.dtype, idx.at[idx.n - 2].dtype[1] = in[1]->type.dtype;
    ThVar *part = subtensor_make(b, pairs, &idx, in, 2);
    ThVar *changed = elemwise_2(b, S_mul, part, const_float(b, by, TH_DTYPE_NONE));
    changed = changed ? cast_make(b, changed, (ThDtype)pairs->type.dtype) : NULL;
    return inc_subtensor_make(b, pairs, changed, &idx, in, 2, true);
}

/* All axes but the first. */
static AttrInts axes_of(const ThVar *numbers) {
    AttrInts axes = {.n = (int8_t)(numbers->type.ndim - 1)};
    for (int d = 1; d < numbers->type.ndim; d++) axes.at[d - 1] = (int8_t)d;
    return axes;
}

static void grad_rfft(Grad *g) {
    ThVar *x = g->node->in[0], *s = g->node->in[1];
    AttrInts axes = axes_of(x);
    ThVar *halved = inner_times(g->b, g->gz[0], s, 0.5);
    ThVar *r = rfft_make(g->b, &op_irfft, halved, s, true);
    if (r && !ATTRS(DftAttrs, g->node)->whole) r = dft_fit(g->b, r, x, s, &axes);
    g->gx[0] = r ? patternbroadcast_make(g->b, r, x->type.broadcastable) : NULL;
    g->gx[1] = NULL;
}

static void grad_irfft(Grad *g) {
    ThVar *x = g->node->in[0], *s = g->node->in[1];
    AttrInts axes = axes_of(g->node->out[0]);
    ThVar *r = rfft_make(g->b, &op_rfft, g->gz[0], s, true);
    r = r ? inner_times(g->b, r, s, 2) : NULL;
    if (r && !ATTRS(DftAttrs, g->node)->whole) {
        ThVar *n[TH_MAX_NDIM];
        for (int i = 0; i < axes.n; i++) n[i] = shape_elem_make(g->b, r, i + 1);
        r = dft_fit(g->b, r, x, make_vector_make(g->b, n, axes.n, TH_INT64), &axes);
    }
    g->gx[0] = r ? patternbroadcast_make(g->b, r, x->type.broadcastable) : NULL;
    g->gx[1] = NULL;
}

/* The mapped dimension and the batches become one. */
static bool batch_rfft(Batch *q) {
    if (!batch_fixed(q, 1, "lengths must be the same for all")) return false;
    ThVar *x = batch_merge(q->b, q->in[0]);
    ThVar *r = x ? rfft_make(q->b, q->node->op, x, q->in[1], ATTRS(DftAttrs, q->node)->whole) : NULL;
    q->out[0] = r ? batch_unmerge(q->b, r, q->in[0]) : NULL;
    return q->out[0] != NULL;
}

#define RFFT_OP(var, title, gradient, text) \
    const Op op_##var = { \
        .name = title, \
        .flags = OP_FAILS | OP_MACHINE, \
        .nin = 2, \
        .nout = 1, \
        .attr_bytes = sizeof(DftAttrs), \
        .attrs = rfft_fields, \
        .nattr = TH_LEN(rfft_fields), \
        .infer = infer_rfft, \
        .shape = shape_rfft, \
        .grad = gradient, \
        .lower = lower_rfft, \
        .device = DEVICE_FORM | DEVICE_READS(1), \
        .connected = dft_connected, \
        .rop = rop_linear, \
        .batch = batch_rfft, \
        .str = str_rfft, \
        .doc = OP_DOC(text), \
    }
static void str_rfft(Text *t, const ThApply *a) { text_put(t, a->op->name); }
RFFT_OP(rfft, "RFFTOp", grad_rfft, "Fourier transforms of batches of real numbers, as pairs");
RFFT_OP(irfft, "IRFFTOp", grad_irfft, "batches of real numbers from the pairs of their Fourier transforms, not scaled");

ThVar *rfft_make(Builder *b, const Op *op, ThVar *x, ThVar *s, bool whole) {
    return apply1(b, op, &(DftAttrs){.whole = whole}, (ThVar *[]){x, s}, 2);
}
