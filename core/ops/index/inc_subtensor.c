/*
 * inc_subtensor.c -- IncSubtensor: a copy of x with x[idx] set to y or increased by y; in place once the in-place pass
 * decided so. In: x, y (broadcast into the slot, cast to x's dtype), the given parts of the subscript. Out: a tensor of
 * x's type. One store through the view's strides into the output; nothing else of x is touched.
 */
#include "ops/table/index.h"
#include "ops/table/shape.h"
#include "ops/table/lowering.h"

static bool infer_inc(Infer *q) {
    const IncSubtensorAttrs *at = q->attrs;
    if (q->nin < 2 || q->in[0]->type.kind != TYPE_TENSOR || q->in[1]->type.kind != TYPE_TENSOR)
        return err(q->ctx, TH_TypeError, "IncSubtensor takes a tensor and a value");
    ThType x = q->in[0]->type, y = q->in[1]->type;
    int slot = x.ndim;
    for (int e = 0; e < at->idx.n; e++) slot -= at->idx.at[e].kind == 'i';
    if (at->idx.n > x.ndim)
        return err(q->ctx, TH_IndexError, "too many indices for array: %d for %d dimension%s", at->idx.n, x.ndim,
                   x.ndim == 1 ? "" : "s");
    if (y.ndim > slot)
        return err(q->ctx, TH_TypeError, "Trying to increment a %d-dimensional subtensor with a %d-dimensional value.",
                   slot, y.ndim);
    if (dtype_is_complex((ThDtype)y.dtype) && !dtype_is_complex((ThDtype)x.dtype))
        return err(q->ctx, TH_TypeError, "a complex value does not fit into a %s tensor",
                   th_dtype_name((ThDtype)x.dtype));
    if (!idx_check(q->ctx, &at->idx, q->in + 2, q->nin - 2)) return false;
    if (dtype_is_half((ThDtype)x.dtype) && !at->set)
        return err(q->ctx, TH_TypeError, "halves are increased as float32: it needs casts around it");
    q->out[0] = x;
    return true;
}

static bool shape_inc(ShapeQ *q) {
    SliceForm form[TH_MAX_NDIM];
    const ThType x = q->node->in[0]->type, y = q->node->in[1]->type;
    int slot = 0, at = 0;
    if (!slice_forms(q->alg, q->node, 2, &ATTRS(IncSubtensorAttrs, q->node)->idx, q->in[0], x.ndim, false, form))
        return false;
    for (int d = 0; d < x.ndim; d++) {
        q->out[0][d] = q->in[0][d];
        slot += !form[d].drop;
    }
    for (int d = 0; d < x.ndim; d++) {
        if (form[d].drop) continue;
        int yd = at++ - (slot - y.ndim);
        if (yd >= 0 && !type_bcast(y, yd) &&
            !q->alg->equal(q->alg->u, q->in[1][yd], form[d].len,
                           "cannot write a value of length {0} into a slot of length {1}"))
            return false;
    }
    return true;
}

static bool two_connected(const ThApply *a, int in, int out) {
    (void)a, (void)out;
    return in < 2;
}

static void grad_inc(Grad *g) {
    ThApply *a = g->node;
    ThVar *x = a->in[0], *y = a->in[1], *gz = g->gz[0];
    const IncSubtensorAttrs *at = ATTRS(IncSubtensorAttrs, a);
    for (int i = 2; i < a->nin; i++) g->gx[i] = NULL;
    if (dtype_is_discrete((ThDtype)x->type.dtype)) {
        g->gx[0] = zero_grad_make(g->b, x);
        g->gx[1] = zero_grad_make(g->b, y);
        return;
    }
    g->gx[0] = gz;
    if (at->set && g->wanted[0]) {
        ThVar *zeros = zeros_like_make(g->b, y, (ThDtype)y->type.dtype);
        g->gx[0] = inc_subtensor_make(g->b, gz, zeros, &at->idx, a->in + 2, a->nin - 2, true);
    }
    if (g->wanted[1]) {
        ThVar *part = subtensor_make(g->b, gz, &at->idx, a->in + 2, a->nin - 2);
        g->gx[1] = unbroadcast_make(g->b, part, y);
    }
}

bool inc_subtensor_slice(const ThApply *a, int *dim, int64_t *from, int64_t *to) {
    const AttrIdx *idx = &ATTRS(IncSubtensorAttrs, a)->idx;
    *dim = -1;
    for (int e = 0, in = 2; e < idx->n; e++) {
        int has = idx->at[e].has;
        if (idx->at[e].kind == 's' && !has) continue;
        if (*dim >= 0 || idx->at[e].kind != 's' || (has & 4)) return false;
        *dim = e, *from = 0, *to = INT64_MAX;
        if (((has & 1) && !scalar_known(a->in[in++], from)) || ((has & 2) && !scalar_known(a->in[in++], to)) ||
            *from < 0 || *to < 0)
            return false;
    }
    return *dim >= 0;
}

const ThVar *inc_subtensor_below(const ThApply *a) {
    enum { SLICES = 16 };
    const ThVar *x = a->in[0];
    int dim, other;
    int64_t from, to, first, end;
    if (!inc_subtensor_slice(a, &dim, &from, &to)) return NULL;
    for (int n = 0; x->owner && x->owner->op == &op_inc_subtensor; n++, x = x->owner->in[0])
        if (n == SLICES || !inc_subtensor_slice(x->owner, &other, &first, &end) || other != dim ||
            (first < to && from < end))
            return NULL;
    return x;
}

/* Another slice of what nodes before it have set slices of. */
static bool sets_more(const ThApply *a) {
    const ThApply *x = a->in[0]->owner;
    return x && x->op == &op_inc_subtensor && ATTRS(IncSubtensorAttrs, x)->set && inc_subtensor_below(a);
}

/* Where the slot lies in the output: kernel dims, offset and strides. */
static bool slot_access(Lower *l, Kernel *k, Size *offset, Size *stride, int *nslot) {
    LowerAlg alg;
    SliceForm form[TH_MAX_NDIM];
    Sz dims[TH_MAX_NDIM];
    int ndim = l->api->in_type(l, 0).ndim;
    lower_alg_init(&alg, l);
    for (int d = 0; d < ndim; d++) dims[d] = lower_alg_put(&alg, l->api->in_dim(l, 0, d));
    bool ok = slice_forms(&alg.alg, l->node, 2, &ATTRS(IncSubtensorAttrs, l->node)->idx, dims, ndim, false, form);
    *offset = l->api->out_offset(l, 0);
    *nslot = 0;
    for (int d = 0; ok && d < ndim; d++) {
        Size st = l->api->out_stride(l, 0, d), start = lower_alg_size(&alg, form[d].start);
        if (!size_is(start, 0)) *offset = sizes_mul_add(l, *offset, start, st);
        if (form[d].drop) continue;
        ok = kernel_dim(k, lower_alg_size(&alg, form[d].len), DIM_PAR) >= 0;
        if (!ok && !failed(l->ctx))
            err(l->ctx, TH_NotImplementedError, "IncSubtensor on more than %d dimensions", KDIM);
        stride[(*nslot)++] = form[d].unit ? st : l->api->mul(l, lower_alg_size(&alg, form[d].step), st);
    }
    lower_alg_free(&alg);
    return ok && !failed(l->ctx);
}

static bool lower_inc(Lower *l) {
    bool set = ATTRS(IncSubtensorAttrs, l->node)->set;
    ThType x = l->api->in_type(l, 0), y = l->api->in_type(l, 1);
    Size offset, stride[TH_MAX_NDIM];
    int8_t map[TH_MAX_NDIM];
    int n;
    if (!(l->node->destroys == 0 ? l->api->alias(l, 0, 0) : l->api->copy(l, 0, 0))) return false;
    if (set) l->api->parts(l, sets_more(l->node));
    Kernel *k = l->api->kernel(l);
    if (!k || !slot_access(l, k, &offset, stride, &n) || kernel_stage(k, STAGE_LOOP, 0, n) < 0) return false;
    sizes_map_dims(map, y, n - y.ndim);
    int v = ins_cast(k, ins_load(k, l->api->read(l, k, 1, map), n), (ThDtype)x.dtype, n);
    int acc = l->api->write_at(l, k, 0, set ? 0 : ACC_ADD, offset, stride);
    ins_store(k, acc, v, n);
    return !failed(l->ctx);
}

static void str_inc(Text *t, const ThApply *a) {
    const IncSubtensorAttrs *at = ATTRS(IncSubtensorAttrs, a);
    text_printf(t, "IncSubtensor{%s%s;", a->destroys == 0 ? "Inplace" : "", at->set ? "Set" : "Inc");
    idx_text(t, &at->idx);
    text_putc(t, '}');
}

static const AttrField inc_fields[] = {
    {"idx", ATTR_IDX, offsetof(IncSubtensorAttrs, idx), false},
    {"set", ATTR_BOOL, offsetof(IncSubtensorAttrs, set), false},
};
const Op op_inc_subtensor = {
    .name = "IncSubtensor",
    .flags = OP_FAILS | OP_CAN_DESTROY | OP_HALVES,
    .nin = -1,
    .nout = 1,
    .destroy_input = 0,
    .attr_bytes = sizeof(IncSubtensorAttrs),
    .attrs = inc_fields,
    .nattr = TH_LEN(inc_fields),
    .infer = infer_inc,
    .shape = shape_inc,
    .grad = grad_inc,
    .lower = lower_inc,
    .str = str_inc,
    .connected = two_connected,
    .rop = rop_linear,
    .batch = batch_put,
    .doc = OP_DOC("x with a part set or increased"),
};

ThVar *inc_subtensor_make(Builder *b, ThVar *x, ThVar *y, const AttrIdx *idx, ThVar *const *in, int n, bool set) {
    if (x && dtype_is_half(x->type.dtype) && !set) {
        ThDtype d = x->type.dtype;
        x = cast_make(b, x, TH_FLOAT32);
        return x ? cast_make(b, inc_subtensor_make(b, x, y, idx, in, n, set), d) : NULL;
    }
    IncSubtensorAttrs at = {.idx = *idx, .set = set};
    ThVar *all[2 + 3 * TH_MAX_NDIM] = {x, y};
    for (int i = 0; i < n; i++) all[2 + i] = in[i];
    return apply1(b, &op_inc_subtensor, &at, all, n + 2);
}
