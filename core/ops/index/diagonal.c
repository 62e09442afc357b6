/*
 * diagonal.c -- ExtractDiag (a diagonal as a view), AllocDiag (its inverse: zeros around it), FillDiagonal and
 * FillDiagonalOffset (a tensor with a diagonal set to one value).
 * In: a tensor, a diagonal's offset (above the main one when positive) and the two axes it runs along. Out: the
 * diagonal as the last axis; or the tensor. A diagonal outside of the matrix is empty. Always holds: a diagonal is a
 * stride, the sum of those of its axes, so no element is looked for.
 */
#include "ops/reduce/reduce.h"
#include "ops/table/shape.h"
#include "ops/table/index.h"
#include "ops/table/lowering.h"

static Sz calc(const ShapeAlg *a, char op, Sz x, Sz y) { return a->op(a->u, op, x, y); }

static const AttrField diag_fields[] = {
    {"offset", ATTR_INT, offsetof(DiagAttrs, offset), false},
    {"axis1", ATTR_INT, offsetof(DiagAttrs, axis1), false},
    {"axis2", ATTR_INT, offsetof(DiagAttrs, axis2), false},
};

static bool want_axes(Infer *q, int ndim) {
    const DiagAttrs *at = q->attrs;
    if (at->axis1 < 0 || at->axis2 < 0 || at->axis1 >= ndim || at->axis2 >= ndim)
        return err(q->ctx, TH_ValueError, "%s: axes %lld and %lld do not exist in %d dimensions", q->op->name,
                   (long long)at->axis1, (long long)at->axis2, ndim);
    if (at->axis1 == at->axis2)
        return err(q->ctx, TH_ValueError, "%s: axis1 and axis2 cannot be the same (%lld)", q->op->name,
                   (long long)at->axis1);
    return true;
}

/* Length of the diagonal in a matrix of h x w: max(min(h - max(-offset, 0), w - max(offset, 0)), 0). */
static Sz diag_length(const ShapeAlg *a, Sz h, Sz w, Sz offset) {
    Sz zero = a->constant(a->u, 0), down = calc(a, 'M', calc(a, '-', zero, offset), zero);
    Sz rows = calc(a, '-', h, down), columns = calc(a, '-', w, calc(a, 'M', offset, zero));
    return calc(a, 'M', calc(a, 'm', rows, columns), zero);
}

/* ---- ExtractDiag ------------------------------------------------------------------------------------------------- */
static bool infer_extract(Infer *q) {
    ThType x = q->in[0]->type;
    const DiagAttrs *at = q->attrs;
    if (x.kind != TYPE_TENSOR || x.ndim < 2)
        return err(q->ctx, TH_ValueError, "ExtractDiag needs an input with 2 or more dimensions, it has %d", x.ndim);
    if (!want_axes(q, x.ndim)) return false;
    uint32_t bits = 0;
    int out = 0;
    for (int d = 0; d < x.ndim; d++)
        if (d != at->axis1 && d != at->axis2) bits |= (uint32_t)type_bcast(x, d) << out++;
    q->out[0] = type_tensor((ThDtype)x.dtype, x.ndim - 1, bits);
    return true;
}

static bool shape_extract(ShapeQ *q) {
    const DiagAttrs *at = ATTRS(DiagAttrs, q->node);
    int out = 0, nd = q->node->in[0]->type.ndim;
    for (int d = 0; d < nd; d++)
        if (d != at->axis1 && d != at->axis2) q->out[0][out++] = q->in[0][d];
    q->out[0][out] =
        diag_length(q->alg, q->in[0][at->axis1], q->in[0][at->axis2], q->alg->constant(q->alg->u, at->offset));
    return true;
}

/* x[:lengths of y] along the two axes of the diagonal, as a subscript with its inputs. */
static bool up_to(Builder *b, const DiagAttrs *at, ThVar *y, AttrIdx *idx, ThVar **in) {
    int last = (int)(at->axis1 > at->axis2 ? at->axis1 : at->axis2), n = 0;
    *idx = (AttrIdx){.n = (int8_t)(last + 1)};
    for (int d = 0; d <= last; d++) {
        idx->at[d].kind = 's';
        if (d != at->axis1 && d != at->axis2) continue;
        idx->at[d].has = 2;
        idx->at[d].dtype[1] = TH_INT64;
        if (!(in[n++] = index_make(b, shape_elem_make(b, y, d)))) return false;
    }
    return true;
}

/* Zeros like x with gz on the diagonal: AllocDiag makes a square, whose part inside x is written there. */
static void grad_extract(Grad *g) {
    ThVar *x = g->node->in[0], *in[2];
    const DiagAttrs *at = ATTRS(DiagAttrs, g->node);
    Builder *b = g->b;
    AttrIdx idx;
    if (dtype_is_discrete((ThDtype)x->type.dtype)) {
        g->gx[0] = zero_grad_make(b, x);
        return;
    }
    ThVar *square = alloc_diag_make(b, g->gz[0], at);
    if (!square || !up_to(b, at, x, &idx, in)) return;
    ThVar *part = subtensor_make(b, square, &idx, in, 2);
    if (!part || !up_to(b, at, part, &idx, in)) return;
    g->gx[0] = inc_subtensor_make(b, zeros_like_make(b, x, (ThDtype)x->type.dtype), part, &idx, in, 2, true);
}

static bool lower_extract(Lower *l) {
    const DiagAttrs *at = ATTRS(DiagAttrs, l->node);
    Size shape[TH_MAX_NDIM], stride[TH_MAX_NDIM], off = l->api->in_offset(l, 0);
    int nd = l->api->in_type(l, 0).ndim, out = 0;
    for (int d = 0; d < nd; d++)
        if (d != at->axis1 && d != at->axis2) stride[out++] = l->api->in_stride(l, 0, d);
    Size s1 = l->api->in_stride(l, 0, (int)at->axis1), s2 = l->api->in_stride(l, 0, (int)at->axis2);
    stride[out++] = l->api->add(l, s1, s2);
    for (int d = 0; d < out; d++) shape[d] = l->api->out_dim(l, 0, d);
    if (at->offset > 0) off = sizes_mul_add(l, off, size_const(at->offset), s2);
    if (at->offset < 0) off = sizes_mul_add(l, off, size_const(-at->offset), s1);
    return l->api->view(l, 0, 0, out, shape, stride, off);
}

const Op op_extract_diag = {
    .name = "ExtractDiag",
    .flags = OP_VIEW | OP_HALVES,
    .nin = 1,
    .nout = 1,
    .attr_bytes = sizeof(DiagAttrs),
    .attrs = diag_fields,
    .nattr = TH_LEN(diag_fields),
    .infer = infer_extract,
    .shape = shape_extract,
    .grad = grad_extract,
    .lower = lower_extract,
    .batch = batch_diag,
    .rop = rop_linear,
    .doc = OP_DOC("diagonal of two axes of x, as its last axis"),
};

ThVar *extract_diag_make(Builder *b, ThVar *x, const DiagAttrs *at) { return apply1(b, &op_extract_diag, at, &x, 1); }

/* ---- AllocDiag --------------------------------------------------------------------------------------------------- */
static bool infer_alloc_diag(Infer *q) {
    ThType x = q->in[0]->type;
    const DiagAttrs *at = q->attrs;
    if (x.kind != TYPE_TENSOR || x.ndim < 1)
        return err(q->ctx, TH_ValueError, "AllocDiag needs an input with 1 or more dimensions, it has %d", x.ndim);
    if (x.ndim + 1 > TH_MAX_NDIM) return err(q->ctx, TH_ValueError, "AllocDiag: too many dimensions");
    if (!want_axes(q, x.ndim + 1)) return false;
    uint32_t bits = 0;
    int in = 0;
    for (int d = 0; d <= x.ndim; d++) {
        if (d != at->axis1 && d != at->axis2) bits |= (uint32_t)type_bcast(x, in++) << d;
        else if (at->offset == 0) bits |= (uint32_t)type_bcast(x, x.ndim - 1) << d;
    }
    q->out[0] = type_tensor((ThDtype)x.dtype, x.ndim + 1, bits);
    return true;
}

static bool shape_alloc_diag(ShapeQ *q) {
    const DiagAttrs *at = ATTRS(DiagAttrs, q->node);
    int nd = q->node->in[0]->type.ndim, in = 0;
    int64_t more = at->offset < 0 ? -at->offset : at->offset;
    Sz side = q->in[0][nd - 1];
    if (more) side = calc(q->alg, '+', side, q->alg->constant(q->alg->u, more));
    for (int d = 0; d <= nd; d++) q->out[0][d] = d == at->axis1 || d == at->axis2 ? side : q->in[0][in++];
    return true;
}

static void grad_alloc_diag(Grad *g) {
    ThVar *x = g->node->in[0];
    ThVar *part = extract_diag_make(g->b, g->gz[0], ATTRS(DiagAttrs, g->node));
    g->gx[0] = patternbroadcast_make(g->b, part, x->type.broadcastable);
}

static bool fill_zero(Lower *l) {
    ThType t = l->node->out[0]->type;
    int8_t map[TH_MAX_NDIM];
    Kernel *k = l->api->kernel(l);
    if (!k) return false;
    for (int d = 0; d < t.ndim; d++) {
        map[d] = (int8_t)d;
        if (kernel_dim(k, l->api->out_dim(l, 0, d), DIM_PAR) >= 0) continue;
        return failed(l->ctx) ? false
                              : err(l->ctx, TH_NotImplementedError, "%s: too many dimensions", l->node->op->name);
    }
    if (kernel_stage(k, STAGE_LOOP, 0, t.ndim) < 0) return false;
    int zero = ins_literal(k, (ThDtype)t.dtype, (ThValue){.c = {0, 0}}, 0);
    ins_store(k, l->api->write(l, k, 0, map), zero, t.ndim);
    return !failed(l->ctx);
}

static bool lower_alloc_diag(Lower *l) {
    const DiagAttrs *at = ATTRS(DiagAttrs, l->node);
    int nd = l->api->in_type(l, 0).ndim, in = 0;
    Size stride[TH_MAX_NDIM], off = l->api->out_offset(l, 0);
    int8_t map[TH_MAX_NDIM];
    if (!fill_zero(l)) return false;
    Kernel *k = l->api->kernel(l);
    for (int d = 0; k && d < nd; d++) {
        map[d] = (int8_t)d;
        if (kernel_dim(k, l->api->in_dim(l, 0, d), DIM_PAR) < 0) return false;
    }
    if (!k || kernel_stage(k, STAGE_LOOP, 0, nd) < 0) return false;
    for (int d = 0; d <= nd; d++)
        if (d != at->axis1 && d != at->axis2) stride[in++] = l->api->out_stride(l, 0, d);
    Size s1 = l->api->out_stride(l, 0, (int)at->axis1), s2 = l->api->out_stride(l, 0, (int)at->axis2);
    stride[in] = l->api->add(l, s1, s2);
    if (at->offset > 0) off = sizes_mul_add(l, off, size_const(at->offset), s2);
    if (at->offset < 0) off = sizes_mul_add(l, off, size_const(-at->offset), s1);
    int v = ins_load(k, l->api->read(l, k, 0, map), nd);
    ins_store(k, l->api->write_at(l, k, 0, 0, off, stride), v, nd);
    return !failed(l->ctx);
}

const Op op_alloc_diag = {
    .name = "AllocDiag",
    .flags = OP_HALVES,
    .nin = 1,
    .nout = 1,
    .attr_bytes = sizeof(DiagAttrs),
    .attrs = diag_fields,
    .nattr = TH_LEN(diag_fields),
    .infer = infer_alloc_diag,
    .shape = shape_alloc_diag,
    .grad = grad_alloc_diag,
    .lower = lower_alloc_diag,
    .batch = batch_diag,
    .rop = rop_linear,
    .doc = OP_DOC("zeros with x on the diagonal of two axes"),
};

ThVar *alloc_diag_make(Builder *b, ThVar *x, const DiagAttrs *at) { return apply1(b, &op_alloc_diag, at, &x, 1); }

/* ---- FillDiagonal, FillDiagonalOffset ---------------------------------------------------------------------------- */
static bool infer_fill(Infer *q) {
    ThType a = q->in[0]->type, v = q->in[1]->type;
    bool offset = q->op == &op_fill_diagonal_offset;
    if (a.kind != TYPE_TENSOR || a.ndim < 2 || (offset && a.ndim != 2))
        return err(q->ctx, TH_TypeError, "%s: the first argument must have %s dimensions, it has %d", q->op->name,
                   offset ? "exactly 2" : "2 or more", a.ndim);
    if (v.kind != TYPE_TENSOR || v.ndim != 0)
        return err(q->ctx, TH_TypeError, "%s: the value must be a scalar, it has %d dimensions", q->op->name, v.ndim);
    if (th_dtype_upcast((ThDtype)a.dtype, (ThDtype)v.dtype) != (ThDtype)a.dtype)
        return err(q->ctx, TH_TypeError, "%s: a value of dtype %s does not fit into a tensor of dtype %s", q->op->name,
                   th_dtype_name((ThDtype)v.dtype), th_dtype_name((ThDtype)a.dtype));
    if (offset && (q->in[2]->type.kind != TYPE_TENSOR || q->in[2]->type.ndim != 0 ||
                   !dtype_is_int((ThDtype)q->in[2]->type.dtype)))
        return err(q->ctx, TH_TypeError, "%s: the offset must be an integer scalar", q->op->name);
    q->out[0] = a;
    return true;
}

static Sz fill_offset(const ShapeAlg *a, const ThApply *n) {
    int64_t k = 0;
    if (n->op != &op_fill_diagonal_offset || scalar_known(n->in[2], &k)) return a->constant(a->u, k);
    return a->value(a->u, 2, 0);
}

static bool shape_fill(ShapeQ *q) {
    int nd = q->node->in[0]->type.ndim;
    for (int d = 0; d < nd; d++) q->out[0][d] = q->in[0][d];
    fill_offset(q->alg, q->node);
    for (int d = 1; nd > 2 && d < nd; d++)
        if (!q->alg->equal(q->alg->u, q->in[0][0], q->in[0][d],
                           "FillDiagonal: all dimensions of the input must be of equal length, got {0} and {1}"))
            return false;
    return true;
}

static void grad_fill(Grad *g) {
    Builder *b = g->b;
    ThApply *n = g->node;
    ThVar *a = n->in[0], *gz = g->gz[0];
    bool offset = n->nin == 3;
    ThDtype d = (ThDtype)a->type.dtype;
    if (offset) g->gx[2] = grad_undefined(g, 2, "FillDiagonalOffset has no gradient with respect to its offset");
    if (dtype_is_discrete(d)) {
        g->gx[0] = zero_grad_make(b, a);
        g->gx[1] = zero_grad_make(b, n->in[1]);
        return;
    }
    ThVar *zero = cast_make(b, const_int(b, 0, TH_INT8), d), *one = cast_make(b, const_int(b, 1, TH_INT8), d);
    if (g->wanted[0]) g->gx[0] = fill_diagonal_make(b, gz, zero, offset ? n->in[2] : NULL);
    if (!g->wanted[1]) return;
    ThVar *mask = fill_diagonal_make(b, zeros_like_make(b, a, d), one, offset ? n->in[2] : NULL);
    g->gx[1] = sum_make(b, elemwise_2(b, S_mul, gz, mask), NULL);
}

static bool lower_fill(Lower *l) {
    LowerAlg alg;
    int nd = l->api->in_type(l, 0).ndim;
    ThDtype d = (ThDtype)l->api->in_type(l, 0).dtype;
    if (!(l->node->destroys == 0 ? l->api->alias(l, 0, 0) : l->api->copy(l, 0, 0))) return false;
    lower_alg_init(&alg, l);
    Sz h = lower_alg_put(&alg, l->api->in_dim(l, 0, 0)), w = lower_alg_put(&alg, l->api->in_dim(l, 0, 1));
    const ShapeAlg *a = &alg.alg;
    Sz offset = fill_offset(a, l->node), zero = a->constant(a->u, 0);
    Size n = lower_alg_size(&alg, diag_length(a, h, w, offset));
    Size right = lower_alg_size(&alg, calc(a, 'M', offset, zero));
    Size down = lower_alg_size(&alg, calc(a, 'M', calc(a, '-', zero, offset), zero));
    lower_alg_free(&alg);
    Size stride = l->api->out_stride(l, 0, 0), off = l->api->out_offset(l, 0);
    for (int i = 1; i < nd; i++) stride = l->api->add(l, stride, l->api->out_stride(l, 0, i));
    off = sizes_mul_add(l, off, down, l->api->out_stride(l, 0, 0));
    off = sizes_mul_add(l, off, right, l->api->out_stride(l, 0, 1));
    Kernel *k = l->api->kernel(l);
    if (!k || kernel_dim(k, n, DIM_PAR) < 0 || kernel_stage(k, STAGE_LOOP, 0, 1) < 0) return false;
    int v = ins_cast(k, ins_load(k, l->api->read(l, k, 1, NULL), 0), d, 0);
    ins_store(k, l->api->write_at(l, k, 0, 0, off, &stride), v, 1);
    return !failed(l->ctx);
}

static bool but_offset(const ThApply *a, int in, int out) {
    (void)a, (void)out;
    return in < 2;
}

const Op op_fill_diagonal = {
    .name = "FillDiagonal",
    .flags = OP_FAILS | OP_CAN_DESTROY | OP_HALVES,
    .nin = 2,
    .nout = 1,
    .destroy_input = 0,
    .infer = infer_fill,
    .shape = shape_fill,
    .grad = grad_fill,
    .lower = lower_fill,
    .batch = batch_fill_diagonal,
    .rop = rop_linear,
    .doc = OP_DOC("a with its main diagonal set to a value"),
};
const Op op_fill_diagonal_offset = {
    .name = "FillDiagonalOffset",
    .flags = OP_CAN_DESTROY | OP_HALVES,
    .nin = 3,
    .nout = 1,
    .destroy_input = 0,
    .infer = infer_fill,
    .shape = shape_fill,
    .grad = grad_fill,
    .lower = lower_fill,
    .batch = batch_fill_diagonal,
    .connected = but_offset,
    .rop = rop_linear,
    .doc = OP_DOC("a matrix with one diagonal set to a value"),
};

ThVar *fill_diagonal_make(Builder *b, ThVar *a, ThVar *value, ThVar *offset) {
    ThVar *in[3] = {a, value, offset};
    return apply1(b, offset ? &op_fill_diagonal_offset : &op_fill_diagonal, NULL, in, offset ? 3 : 2);
}
