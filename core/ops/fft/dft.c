/*
 * dft.c -- FFTOp, RealFFTOp and RealIFFTOp: discrete Fourier transforms along axes, of complex numbers, of real ones to
 * the half of the result that tells the rest, and from such a half.
 * In: a tensor, a vector of lengths. Out: the tensor with these lengths along the axes (n / 2 + 1 for a half); lines
 * are cut or followed by zeros before. They are linear: the gradient is the transposed conjugate, which is one of them.
 */
#include "graph/services.h"
#include "dft.h"

#include "kernel/fft_work.h"

#include <math.h>

static const AttrField dft_fields[] = {{"axes", ATTR_AXES, offsetof(DftAttrs, axes), false},
                                       {"norm", ATTR_INT, offsetof(DftAttrs, norm), false},
                                       {"twice", ATTR_FLOAT, offsetof(DftAttrs, twice), false},
                                       {"inverse", ATTR_BOOL, offsetof(DftAttrs, back), false},
                                       {"whole", ATTR_BOOL, offsetof(DftAttrs, whole), true}};

ThDtype dft_part(ThDtype d) { return d == TH_COMPLEX64 || d == TH_FLOAT32 ? TH_FLOAT32 : TH_FLOAT64; }
static ThDtype whole_of(ThDtype d) { return d == TH_FLOAT32 ? TH_COMPLEX64 : TH_COMPLEX128; }

/* ---- types and lengths ------------------------------------------------------------------------------------------- */
bool dft_lengths(Infer *q, int naxes) {
    ThType s = q->in[1]->type;
    if (s.kind != TYPE_TENSOR || s.ndim != 1 || !dtype_is_int((ThDtype)s.dtype))
        return err(q->ctx, TH_TypeError, "%s: length of the transformed axis must be of type integer", q->op->name);
    int64_t n = vector_length(q->in[1]);
    if (n >= 0 && n != naxes)
        return err(q->ctx, TH_ValueError, "%s: %lld lengths for %d axes", q->op->name, (long long)n, naxes);
    return true;
}

static bool infer_dft(Infer *q) {
    ThType x = q->in[0]->type;
    const DftAttrs *at = q->attrs;
    bool from_real = q->op == &op_dft_to_half;
    if (x.kind != TYPE_TENSOR || (from_real ? !dtype_is_float((ThDtype)x.dtype) : !dtype_is_complex((ThDtype)x.dtype)))
        return err(q->ctx, TH_TypeError, "%s needs a tensor of %s numbers, not of %s", q->op->name,
                   from_real ? "real" : "complex",
                   x.kind == TYPE_TENSOR ? th_dtype_name((ThDtype)x.dtype) : "another kind");
    if (at->axes.n < 1) return err(q->ctx, TH_ValueError, "%s: at least 1 axis must be transformed", q->op->name);
    uint32_t ones = x.broadcastable;
    for (int i = 0; i < at->axes.n; i++) {
        if (at->axes.at[i] < 0 || at->axes.at[i] >= x.ndim)
            return err(q->ctx, TH_ValueError, "%s: axis %d is out of range for a tensor with %d dimension%s",
                       q->op->name, at->axes.at[i], x.ndim, x.ndim == 1 ? "" : "s");
        ones &= ~(1u << at->axes.at[i]);
    }
    ThDtype d = (ThDtype)x.dtype;
    if (from_real) d = whole_of(d);
    else if (q->op == &op_dft_from_half) d = dft_part(d);
    q->out[0] = type_tensor(d, x.ndim, ones);
    return dft_lengths(q, at->axes.n);
}

bool dft_length(ShapeQ *q, int i, int naxes, Sz *n) {
    const ShapeAlg *a = q->alg;
    Sz one = a->constant(a->u, 1);
    if (!a->equal(a->u, q->in[1][0], a->constant(a->u, naxes), "{0} lengths for {1} axes that are transformed"))
        return false;
    *n = a->value(a->u, 1, i);
    return a->equal(a->u, a->op(a->u, 'M', *n, one), *n, "Invalid number of FFT data points ({1}) specified");
}

static bool shape_dft(ShapeQ *q) {
    const ShapeAlg *a = q->alg;
    const DftAttrs *at = ATTRS(DftAttrs, q->node);
    for (int d = 0; d < q->node->in[0]->type.ndim; d++) q->out[0][d] = q->in[0][d];
    for (int i = 0; i < at->axes.n; i++) {
        Sz n;
        if (!dft_length(q, i, at->axes.n, &n)) return false;
        if (q->node->op == &op_dft_to_half && i == at->axes.n - 1)
            n = a->op(a->u, '+', a->op(a->u, '/', n, a->constant(a->u, 2)), a->constant(a->u, 1));
        q->out[0][at->axes.at[i]] = n;
    }
    return true;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */
int64_t dft_length_value(const HostCall *h, int i) {
    const ThArray *s = h->in[1];
    int64_t n;
    dtype_cast((char *)&n, TH_INT64, 8, s->data + i * ARRAY_STRIDES(s)[0], (ThDtype)s->dtype, 0, 1);
    return n;
}

static int run_dft(HostCall *h) {
    const DftAttrs *at = h->attrs;
    const ThArray *x = h->in[0], *y = h->out[0];
    FftWork w = {.dtype = dft_part((ThDtype)x->dtype), .back = at->back, .by = 1, .twice = at->twice, .ndim = x->ndim};
    double n = 1;
    w.kind = h->op == &op_dft ? FFT_COMPLEX : h->op == &op_dft_to_half ? FFT_TO_HALF : FFT_FROM_HALF;
    w.from = x->data, w.to = y->data, w.naxes = at->axes.n;
    for (int d = 0; d < x->ndim; d++) {
        w.in[d] = ARRAY_SHAPE(x)[d], w.in_st[d] = ARRAY_STRIDES(x)[d];
        w.out[d] = ARRAY_SHAPE(y)[d], w.out_st[d] = ARRAY_STRIDES(y)[d];
    }
    for (int i = 0; i < at->axes.n; i++) {
        w.axis[i] = at->axes.at[i];
        w.n[i] = dft_length_value(h, i);
        n *= (double)w.n[i];
    }
    if (at->norm == DFT_MEAN) w.by = 1 / n;
    else if (at->norm == DFT_ORTHO) w.by = 1 / sqrt(n);
    return h->lib->fft(h, &w);
}

static bool lower_dft(Lower *l) { return l->api->host(l, run_dft, 0); }

/* ---- gradient ---------------------------------------------------------------------------------------------------- */
/* Element i of a vector of integers as an index. */
static ThVar *entry(Builder *b, ThVar *s, int i) {
    ThVar *v = s->owner && s->owner->op == &op_make_vector ? s->owner->in[i] : subtensor_int_make(b, s, i);
    return v ? index_make(b, v) : NULL;
}

/* The leading part of x along the axes, as a subscript. */
static int leading(Builder *b, ThVar *const *stop, const AttrInts *axes, AttrIdx *idx, ThVar **in) {
    int n = 0;
    *idx = (AttrIdx){.n = 0};
    for (int i = 0; i < axes->n; i++)
        if (axes->at[i] >= idx->n) idx->n = (int8_t)(axes->at[i] + 1);
    for (int d = 0; d < idx->n; d++) idx->at[d].kind = 's';
    for (int d = 0; d < idx->n; d++)
        for (int i = 0; i < axes->n; i++) {
            if (axes->at[i] != d) continue;
            idx->at[d].has = 2;
            idx->at[d].dtype[1] = stop[i] ? stop[i]->type.dtype : TH_INT64;
            in[n++] = stop[i];
        }
    (void)b;
    return n;
}

ThVar *dft_fit(Builder *b, ThVar *g, ThVar *x, ThVar *s, const AttrInts *axes) {
    ThVar *own[TH_MAX_NDIM], *new[TH_MAX_NDIM], *in[TH_MAX_NDIM];
    AttrIdx idx;
    for (int i = 0; i < axes->n; i++) {
        ThVar *n = shape_elem_make(b, x, axes->at[i]);
        own[i] = n ? index_make(b, n) : NULL;
        new[i] = entry(b, s, i);
    }
    int n = leading(b, own, axes, &idx, in);
    ThVar *part = subtensor_make(b, g, &idx, in, n);
    n = leading(b, new, axes, &idx, in);
    ThVar *zeros = zeros_like_make(b, x, (ThDtype)x->type.dtype);
    ThVar *fit = inc_subtensor_make(b, zeros, part, &idx, in, n, true);
    return fit ? patternbroadcast_make(b, fit, x->type.broadcastable) : NULL;
}

/* Lengths of a half as a vector: the last one is n / 2 + 1. */
static ThVar *half_lengths(Builder *b, ThVar *s, int n) {
    ThVar *v[TH_MAX_NDIM];
    for (int i = 0; i < n; i++) {
        v[i] = s->owner && s->owner->op == &op_make_vector ? s->owner->in[i] : subtensor_int_make(b, s, i);
        if (i == n - 1)
            v[i] = elemwise_2(b, S_add, elemwise_2(b, S_int_div, v[i], const_int(b, 2, TH_INT64)),
                              const_int(b, 1, TH_INT64));
    }
    return make_vector_make(b, v, n, TH_INT64);
}

static void grad_dft(Grad *g) {
    const Op *op = g->node->op, *other = op == &op_dft           ? op
                                         : op == &op_dft_to_half ? &op_dft_from_half
                                                                 : &op_dft_to_half;
    ThVar *x = g->node->in[0], *s = g->node->in[1];
    DftAttrs at = *ATTRS(DftAttrs, g->node);
    bool whole = at.whole;
    g->gx[1] = NULL;
    if (op == &op_dft) at.back = !at.back;
    else if (op == &op_dft_to_half) at.twice /= 2; /* one pair of a half is worth as much as the other */
    else at.twice *= 2;
    at.whole = true;
    ThVar *r = dft_make(g->b, other, g->gz[0], s, &at);
    if (r && !whole) r = dft_fit(g->b, r, x, op == &op_dft_from_half ? half_lengths(g->b, s, at.axes.n) : s, &at.axes);
    g->gx[0] = r ? patternbroadcast_make(g->b, r, x->type.broadcastable) : NULL;
}

bool dft_connected(const ThApply *a, int in, int out) {
    (void)a, (void)out;
    return in == 0;
}

static bool batch_dft(Batch *q) {
    DftAttrs at = *ATTRS(DftAttrs, q->node);
    if (!batch_fixed(q, 1, "lengths must be the same for all")) return false;
    for (int i = 0; i < at.axes.n; i++) at.axes.at[i]++;
    q->out[0] = dft_make(q->b, q->node->op, q->in[0], q->in[1], &at);
    return q->out[0] != NULL;
}

#define DFT_OP(var, title, text) \
    const Op op_##var = { \
        .name = title, \
        .flags = OP_FAILS | OP_MACHINE, \
        .nin = 2, \
        .nout = 1, \
        .attr_bytes = sizeof(DftAttrs), \
        .attrs = dft_fields, \
        .nattr = TH_LEN(dft_fields), \
        .infer = infer_dft, \
        .shape = shape_dft, \
        .grad = grad_dft, \
        .lower = lower_dft, \
        .device = DEVICE_FORM | DEVICE_READS(1), \
        .connected = dft_connected, \
        .rop = rop_linear, \
        .batch = batch_dft, \
        .doc = OP_DOC(text), \
    }
DFT_OP(dft, "FFTOp", "discrete Fourier transform of complex numbers along axes");
DFT_OP(dft_to_half, "RealFFTOp", "the first half of the Fourier transform of real numbers");
DFT_OP(dft_from_half, "RealIFFTOp", "real numbers from the first half of their Fourier transform");

ThVar *dft_make(Builder *b, const Op *op, ThVar *x, ThVar *s, const DftAttrs *at) {
    return apply1(b, op, at, (ThVar *[]){x, s}, 2);
}
