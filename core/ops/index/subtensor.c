/*
 * subtensor.c -- Subtensor: x[i, a:b:c, ..] with integer scalars and slices of any step. A view.
 * In: a tensor and the given parts of the subscript as scalars (Constant{0} or ScalarFromTensor). Out: a view; an
 * integer drops its dimension. Slices are clipped as in NumPy; an integer out of range raises IndexError before
 * anything runs.
 */
#include "ops/table/shape.h"
#include "ops/table/index.h"
#include "ops/table/lowering.h"

static bool whole(const AttrIdx *idx, int e) { return idx->at[e].kind == 's' && idx->at[e].has == 0; }

/* A slice of a broadcastable dimension that surely keeps its one element: start none or 0, no stop or one past start
 * that no step back misses. */
static bool keeps_one(const Infer *q, const AttrIdx *idx, int e, int input) {
    int64_t v;
    int has = idx->at[e].has;
    if (has & 1 && !(scalar_known(q->in[input++], &v) && v == 0)) return false;
    if (!(has & 2)) return true;
    if (!(scalar_known(q->in[input++], &v) && v > 0)) return false;
    return !(has & 4) || (scalar_known(q->in[input], &v) && v > 0);
}

static bool infer_subtensor(Infer *q) {
    const AttrIdx *idx = &((const SubtensorAttrs *)q->attrs)->idx;
    if (q->nin < 1 || q->in[0]->type.kind != TYPE_TENSOR) return err(q->ctx, TH_TypeError, "Subtensor takes a tensor");
    ThType x = q->in[0]->type;
    if (idx->n > x.ndim)
        return err(q->ctx, TH_IndexError, "too many indices for array: %d for %d dimension%s", idx->n, x.ndim,
                   x.ndim == 1 ? "" : "s");
    if (!idx_check(q->ctx, idx, q->in + 1, q->nin - 1)) return false;
    uint32_t bits = 0;
    int out = 0, input = 1;
    for (int d = 0; d < x.ndim; d++) {
        int given = d < idx->n ? __builtin_popcount(idx->at[d].has & 7u) : 0;
        if (d < idx->n && idx->at[d].kind == 'i') {
            input += given;
            continue;
        }
        if (type_bcast(x, d) && (d >= idx->n || keeps_one(q, idx, d, input))) bits |= 1u << out;
        input += given;
        out++;
    }
    q->out[0] = type_tensor((ThDtype)x.dtype, out, bits);
    return true;
}

static bool shape_subtensor(ShapeQ *q) {
    SliceForm form[TH_MAX_NDIM];
    int ndim = q->node->in[0]->type.ndim, out = 0;
    if (!slice_forms(q->alg, q->node, 1, &ATTRS(SubtensorAttrs, q->node)->idx, q->in[0], ndim, false, form))
        return false;
    for (int d = 0; d < ndim; d++)
        if (!form[d].drop) q->out[0][out++] = form[d].len;
    return true;
}

static bool first_connected(const ThApply *a, int in, int out) {
    (void)a, (void)out;
    return in == 0;
}

static void grad_subtensor(Grad *g) {
    ThApply *a = g->node;
    for (int i = 1; i < a->nin; i++) g->gx[i] = NULL;
    if (dtype_is_discrete((ThDtype)a->in[0]->type.dtype)) {
        g->gx[0] = zero_grad_make(g->b, a->in[0]);
        return;
    }
    ThVar *zeros = zeros_like_make(g->b, a->in[0], (ThDtype)a->in[0]->type.dtype);
    g->gx[0] = inc_subtensor_make(g->b, zeros, g->gz[0], &ATTRS(SubtensorAttrs, a)->idx, a->in + 1, a->nin - 1, false);
}

static bool lower_subtensor(Lower *l) {
    LowerAlg alg;
    SliceForm form[TH_MAX_NDIM];
    Sz dims[TH_MAX_NDIM];
    Size shape[TH_MAX_NDIM], stride[TH_MAX_NDIM], offset = l->api->in_offset(l, 0);
    int ndim = l->api->in_type(l, 0).ndim, out = 0;
    lower_alg_init(&alg, l);
    for (int d = 0; d < ndim; d++) dims[d] = lower_alg_put(&alg, l->api->in_dim(l, 0, d));
    bool ok = slice_forms(&alg.alg, l->node, 1, &ATTRS(SubtensorAttrs, l->node)->idx, dims, ndim, false, form);
    for (int d = 0; ok && d < ndim; d++) {
        Size st = l->api->in_stride(l, 0, d), start = lower_alg_size(&alg, form[d].start);
        if (!size_is(start, 0)) offset = sizes_mul_add(l, offset, start, st);
        if (form[d].drop) continue;
        shape[out] = l->api->out_dim(l, 0, out);
        stride[out++] = form[d].unit ? st : l->api->mul(l, lower_alg_size(&alg, form[d].step), st);
    }
    lower_alg_free(&alg);
    return ok && !failed(l->ctx) && l->api->view(l, 0, 0, out, shape, stride, offset);
}

static void str_subtensor(Text *t, const ThApply *a) {
    text_put(t, "Subtensor{");
    idx_text(t, &ATTRS(SubtensorAttrs, a)->idx);
    text_putc(t, '}');
}

/* x[Constant{0}, int64:int64:]: integers by value, bounds of slices by their dtype, as Theano prints. */
static void pp_subtensor(Text *t, const ThApply *a, void (*arg)(Text *t, const ThApply *a, int i)) {
    const AttrIdx *idx = &ATTRS(SubtensorAttrs, a)->idx;
    int input = 1;
    arg(t, a, 0);
    text_putc(t, '[');
    for (int e = 0; e < idx->n; e++) {
        if (e) text_put(t, ", ");
        if (idx->at[e].kind == 'i') {
            arg(t, a, input++);
            continue;
        }
        if (idx->at[e].has & 1) text_put(t, th_dtype_name((ThDtype)idx->at[e].dtype[0]));
        text_putc(t, ':');
        if (idx->at[e].has & 2) text_put(t, th_dtype_name((ThDtype)idx->at[e].dtype[1]));
        if (idx->at[e].has & 4) text_printf(t, ":%s", th_dtype_name((ThDtype)idx->at[e].dtype[2]));
        input += __builtin_popcount(idx->at[e].has & 7u);
    }
    text_putc(t, ']');
}

static const AttrField subtensor_fields[] = {{"idx", ATTR_IDX, offsetof(SubtensorAttrs, idx), false}};
const Op op_subtensor = {
    .name = "Subtensor",
    .numbers = NUMBERS_SUBSCRIPT,
    .flags = OP_VIEW | OP_FAILS | OP_HALVES,
    .nin = -1,
    .nout = 1,
    .attr_bytes = sizeof(SubtensorAttrs),
    .attrs = subtensor_fields,
    .nattr = 1,
    .infer = infer_subtensor,
    .shape = shape_subtensor,
    .grad = grad_subtensor,
    .lower = lower_subtensor,
    .str = str_subtensor,
    .pp = pp_subtensor,
    .connected = first_connected,
    .rop = rop_linear,
    .batch = batch_take,
    .doc = OP_DOC("part of a tensor by integers and slices: a view"),
};

/* Drops trailing whole slices, which say nothing. */
static AttrIdx trimmed(const AttrIdx *idx) {
    AttrIdx out = *idx;
    while (out.n > 0 && whole(&out, out.n - 1)) out.n--;
    for (int e = out.n; e < TH_MAX_NDIM; e++) {
        out.at[e].kind = 0;
        out.at[e].has = 0;
        for (int p = 0; p < 3; p++) out.at[e].dtype[p] = 0;
    }
    return out;
}

ThVar *subtensor_make(Builder *b, ThVar *x, const AttrIdx *idx, ThVar *const *in, int n) {
    SubtensorAttrs at = {trimmed(idx)};
    ThVar *all[1 + 3 * TH_MAX_NDIM] = {x};
    if (!x) return NULL;
    if (at.idx.n == 0 && idx->n > 0) at.idx.n = 1, at.idx.at[0].kind = 's'; /* x[:] stays a node, as in Theano */
    for (int i = 0; i < n; i++) all[1 + i] = in[i];
    return apply1(b, &op_subtensor, &at, all, n + 1);
}

ThVar *subtensor_int_make(Builder *b, ThVar *x, int64_t i) {
    AttrIdx idx = {.n = 1};
    ThVar *index = const_scalar_int(b, i);
    idx.at[0].kind = 'i';
    idx.at[0].has = 1;
    idx.at[0].dtype[0] = TH_INT64;
    return subtensor_make(b, x, &idx, &index, 1);
}
