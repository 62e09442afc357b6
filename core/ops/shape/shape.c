/*
 * shape.c -- lengths as values: Shape, Shape_i, MakeVector, SpecifyShape, and the passage between 0-d tensors and index
 * scalars. In: tensors. Out: int64 lengths (Shape: vector, Shape_i: 0-d), vectors of scalars, x itself (SpecifyShape,
 * checked). Nothing here reads elements of a tensor for its lengths, so lengths are disconnected in gradients.
 */
#include "ops/table/shape.h"
#include "ops/table/index.h"
#include "ops/table/lowering.h"

#include <string.h>

#define LENGTH_TYPE(n) type_tensor(TH_INT64, (n), 0)

/* ---- what is known while building -------------------------------------------------------------------------------- */
static bool constant_int(const ThVar *v, int64_t elem, int64_t *value) {
    if (v->kind != VAR_CONSTANT || v->u.data == NULL || !dtype_is_discrete((ThDtype)v->type.dtype)) return false;
    const ThArray *a = v->u.data;
    ThValue got;
    if (elem < 0 || elem >= a->size || a->ndim > 1 || th_array_get(a, &elem, &got) != 0) return false;
    *value = got.i;
    return true;
}

/* Shape and Shape_i of a dimension that the type promises to be 1. */
static bool promised_one(const ThVar *x, int64_t i, int64_t *value) {
    if (i < 0) i += x->type.ndim;
    if (i < 0 || i >= x->type.ndim || !type_bcast(x->type, (int)i)) return false;
    *value = 1;
    return true;
}

bool scalar_known(const ThVar *v, int64_t *value) {
    while (v) {
        if (v->kind == VAR_CONSTANT) return constant_int(v, 0, value);
        const ThApply *a = v->owner;
        if (!a) return false;
        if (a->op == &op_shape_i) return promised_one(a->in[0], ATTRS(ShapeIAttrs, a)->i, value);
        if (a->op == &op_subtensor && v->type.ndim == 0 && a->nin == 2 && a->in[0]->type.ndim == 1) {
            int64_t i;
            if (!constant_int(a->in[1], 0, &i)) return false;
            const ThApply *vector = a->in[0]->owner;
            if (!vector)
                return constant_int(a->in[0], i < 0 ? i + (a->in[0]->u.data ? a->in[0]->u.data->size : 0) : i, value);
            if (vector->op == &op_shape) return promised_one(vector->in[0], i, value);
            if (vector->op != &op_make_vector) return false;
            if (i < 0) i += vector->nin;
            if (i < 0 || i >= vector->nin) return false;
            v = vector->in[i];
            continue;
        }
        bool cast =
            a->op == &op_elemwise && !ATTRS(ElemwiseAttrs, a)->body && ATTRS(ElemwiseAttrs, a)->scalar == S_cast;
        if (a->op != &op_scalar_from_tensor && a->op != &op_tensor_from_scalar && !cast) return false;
        v = a->in[0];
    }
    return false;
}

bool vector_known(const ThVar *v, int64_t i, int64_t *value) {
    if (v->kind == VAR_CONSTANT) return constant_int(v, i, value);
    const ThApply *a = v->owner;
    if (!a || i < 0) return false;
    if (a->op == &op_make_vector) return i < a->nin && scalar_known(a->in[i], value);
    return a->op == &op_shape && promised_one(a->in[0], i, value);
}

/* Length where the node alone tells, without looking at its operands' nodes; -1 otherwise. */
static int64_t own_length(const ThVar *v) {
    const ThApply *a = v->owner;
    int64_t n;
    if (type_bcast(v->type, 0)) return 1;
    if (v->kind == VAR_CONSTANT) return v->u.data->size;
    if (!a) return -1;
    if (a->op == &op_shape) return a->in[0]->type.ndim;
    if (a->op == &op_make_vector) return a->nin;
    if (a->op == &op_reshape && vector_known(a->in[1], 0, &n) && n >= 0) return n;
    return -1;
}

/* Operand of an elementwise vector that gives its length, or NULL. */
static const ThVar *long_operand(const ThApply *a) {
    for (int i = 0; i < a->nin; i++)
        if (!type_bcast(a->in[i]->type, 0)) return a->in[i];
    return NULL;
}

int64_t vector_length(const ThVar *v) {
    if (v->type.kind != TYPE_TENSOR || v->type.ndim != 1) return -1;
    for (int depth = 0; depth < 16; depth++) { /* Cast{..}(-Shape(x)) and the like, never a long walk */
        const ThApply *a = v->owner;
        if (!a || a->op != &op_elemwise || type_bcast(v->type, 0)) break;
        const ThVar *next = long_operand(a);
        if (!next) return -1;
        v = next;
    }
    if (own_length(v) >= 0 || !v->owner || v->owner->op != &op_join) return own_length(v);
    int64_t sum = 0;
    for (int i = 1; i < v->owner->nin; i++) {
        int64_t n = own_length(v->owner->in[i]);
        if (n < 0) return -1;
        sum += n;
    }
    return sum;
}

/* ---- Shape, Shape_i ---------------------------------------------------------------------------------------------- */
static bool want_tensor(Infer *q, int i) {
    if (q->in[i]->type.kind == TYPE_TENSOR) return true;
    return err(q->ctx, TH_TypeError, "%s: input %d must be a tensor", q->op->name, i);
}

/* Of a sparse matrix it is the length of its vector, which only the engine asks for. */
static bool want_lengths(Infer *q) { return q->in[0]->type.kind == TYPE_SPARSE || want_tensor(q, 0); }

static bool infer_shape(Infer *q) {
    if (!want_lengths(q)) return false;
    q->out[0] = LENGTH_TYPE(1);
    return true;
}

static bool shape_shape(ShapeQ *q) {
    q->out[0][0] = q->alg->constant(q->alg->u, q->node->in[0]->type.ndim);
    return true;
}

static bool not_connected(const ThApply *a, int in, int out) {
    (void)a, (void)in, (void)out;
    return false;
}

static void grad_disconnected(Grad *g) {
    for (int i = 0; i < g->node->nin; i++) g->gx[i] = NULL;
}

/* Stores sizes one after the other, a kernel for at most 16 of them. */
static bool store_sizes(Lower *l, const Size *s, int n) {
    for (int first = 0; first < n; first += 16) {
        Kernel *k = l->api->kernel(l);
        if (!k || kernel_stage(k, STAGE_LOOP, 0, 0) < 0) return false;
        for (int i = first; i < n && i < first + 16; i++) {
            Size off = l->api->out_offset(l, 0);
            if (i) off = sizes_mul_add(l, off, size_const(i), l->api->out_stride(l, 0, 0));
            int acc = l->api->write_at(l, k, 0, 0, off, NULL);
            ins_store(k, acc, ins_size(k, s[i], 0), 0);
        }
    }
    return !failed(l->ctx);
}

static bool lower_shape(Lower *l) {
    Size s[TH_MAX_NDIM];
    int n = l->api->in_type(l, 0).ndim;
    for (int d = 0; d < n; d++) s[d] = l->api->in_dim(l, 0, d);
    return store_sizes(l, s, n);
}

const Op op_shape = {
    .name = "Shape",
    .flags = OP_HALVES,
    .numbers = NUMBERS_LENGTHS,
    .nin = 1,
    .nout = 1,
    .infer = infer_shape,
    .shape = shape_shape,
    .grad = grad_disconnected,
    .lower = lower_shape,
    .connected = not_connected,
    .batch = batch_lengths,
    .doc = OP_DOC("lengths of x as an int64 vector"),
};

static bool infer_shape_i(Infer *q) {
    const ShapeIAttrs *at = q->attrs;
    if (!want_lengths(q)) return false;
    if (at->i < 0 || at->i >= q->in[0]->type.ndim)
        return err(q->ctx, TH_TypeError, "Shape_i{%lld}: x has only %d dimensions", (long long)at->i,
                   q->in[0]->type.ndim);
    q->out[0] = LENGTH_TYPE(0);
    return true;
}

static bool shape_nothing(ShapeQ *q) {
    (void)q; /* 0-d */
    return true;
}

static bool lower_shape_i(Lower *l) {
    Size s = l->api->in_dim(l, 0, (int)ATTRS(ShapeIAttrs, l->node)->i);
    return store_sizes(l, &s, 1);
}

static void str_shape_i(Text *t, const ThApply *a) {
    text_printf(t, "Shape_i{%lld}", (long long)ATTRS(ShapeIAttrs, a)->i);
}

static const AttrField shape_i_fields[] = {{"i", ATTR_INT, offsetof(ShapeIAttrs, i), false}};
const Op op_shape_i = {
    .name = "Shape_i",
    .flags = OP_HALVES,
    .numbers = NUMBERS_LENGTH,
    .nin = 1,
    .nout = 1,
    .attr_bytes = sizeof(ShapeIAttrs),
    .attrs = shape_i_fields,
    .nattr = 1,
    .infer = infer_shape_i,
    .shape = shape_nothing,
    .grad = grad_disconnected,
    .lower = lower_shape_i,
    .str = str_shape_i,
    .connected = not_connected,
    .batch = batch_length,
    .doc = OP_DOC("length of dimension i of x, int64"),
};

/* ---- MakeVector -------------------------------------------------------------------------------------------------- */
static bool infer_make_vector(Infer *q) {
    ThDtype d = (ThDtype)((MakeVectorAttrs *)q->attrs)->dtype;
    for (int i = 0; i < q->nin; i++) {
        ThType t = q->in[i]->type;
        if (t.kind != TYPE_TENSOR || t.ndim != 0 || t.dtype != d)
            return err(q->ctx, TH_TypeError, "MakeVector{dtype='%s'}: input %d must be a %s scalar", th_dtype_name(d),
                       i, th_dtype_name(d));
    }
    q->out[0] = type_tensor(d, 1, q->nin == 1);
    return true;
}

static bool shape_make_vector(ShapeQ *q) {
    q->out[0][0] = q->alg->constant(q->alg->u, q->node->nin);
    return true;
}

static void grad_make_vector(Grad *g) {
    for (int i = 0; i < g->node->nin; i++) {
        if (!g->wanted[i]) continue;
        if (dtype_is_discrete((ThDtype)g->node->in[i]->type.dtype)) g->gx[i] = zero_grad_make(g->b, g->node->in[i]);
        else g->gx[i] = subtensor_int_make(g->b, g->gz[0], i);
    }
}

static bool lower_make_vector(Lower *l) {
    int n = l->node->nin;
    for (int first = 0; first < n; first += 8) {
        Kernel *k = l->api->kernel(l);
        if (!k || kernel_stage(k, STAGE_LOOP, 0, 0) < 0) return false;
        for (int i = first; i < n && i < first + 8; i++) {
            Size off = sizes_mul_add(l, l->api->out_offset(l, 0), size_const(i), l->api->out_stride(l, 0, 0));
            int v = ins_load(k, l->api->read(l, k, i, NULL), 0);
            ins_store(k, l->api->write_at(l, k, 0, 0, off, NULL), v, 0);
        }
    }
    return !failed(l->ctx);
}

static void str_make_vector(Text *t, const ThApply *a) {
    text_printf(t, "MakeVector{dtype='%s'}", th_dtype_name((ThDtype)ATTRS(MakeVectorAttrs, a)->dtype));
}

static void pp_make_vector(Text *t, const ThApply *a, void (*arg)(Text *t, const ThApply *a, int i)) {
    text_putc(t, '[');
    for (int i = 0; i < a->nin; i++) {
        if (i) text_put(t, ", ");
        arg(t, a, i);
    }
    text_putc(t, ']');
}

static const AttrField make_vector_fields[] = {{"dtype", ATTR_DTYPE, offsetof(MakeVectorAttrs, dtype), false}};
const Op op_make_vector = {
    .name = "MakeVector",
    .flags = OP_HALVES,
    .numbers = NUMBERS_INPUTS,
    .nin = -1,
    .nout = 1,
    .attr_bytes = sizeof(MakeVectorAttrs),
    .attrs = make_vector_fields,
    .nattr = 1,
    .infer = infer_make_vector,
    .shape = shape_make_vector,
    .grad = grad_make_vector,
    .lower = lower_make_vector,
    .str = str_make_vector,
    .pp = pp_make_vector,
    .rop = rop_linear,
    .batch = batch_make_vector,
    .doc = OP_DOC("vector of scalars"),
};

/* ---- SpecifyShape ------------------------------------------------------------------------------------------------ */
static bool infer_specify_shape(Infer *q) {
    if (!want_tensor(q, 0) || !want_tensor(q, 1)) return false;
    ThType s = q->in[1]->type;
    int64_t n = vector_length(q->in[1]);
    if (s.ndim != 1 || !dtype_is_int((ThDtype)s.dtype))
        return err(q->ctx, TH_TypeError, "SpecifyShape: the shape must be a vector of integers");
    if (n >= 0 && n != q->in[0]->type.ndim)
        return err(q->ctx, TH_TypeError, "SpecifyShape: %lld lengths for %d dimensions", (long long)n,
                   q->in[0]->type.ndim);
    q->out[0] = q->in[0]->type;
    return true;
}

static bool shape_specify_shape(ShapeQ *q) {
    int n = q->node->in[0]->type.ndim;
    if (vector_length(q->node->in[1]) < 0 &&
        !q->alg->equal(q->alg->u, q->in[1][0], q->alg->constant(q->alg->u, n),
                       "AssertionError: SpecifyShape: {0} lengths for {1} dimensions"))
        return false;
    for (int d = 0; d < q->node->in[0]->type.ndim; d++) {
        int64_t k;
        Sz want = q->alg->value(q->alg->u, 1, d);
        q->out[0][d] = vector_known(q->node->in[1], d, &k) ? want : q->in[0][d];
        if (!q->alg->equal(q->alg->u, q->in[0][d], want, "AssertionError: SpecifyShape: got length {0}, expected {1}"))
            return false;
    }
    return true;
}

static void grad_specify_shape(Grad *g) {
    g->gx[0] = specify_shape_make(g->b, g->gz[0], g->node->in[1]);
    g->gx[1] = NULL;
}

static bool first_connected(const ThApply *a, int in, int out) {
    (void)a, (void)out;
    return in == 0;
}

/* Output 0 is input 0 as it lies. */
static bool lower_same(Lower *l) {
    Size shape[TH_MAX_NDIM], stride[TH_MAX_NDIM];
    int n = l->api->in_type(l, 0).ndim;
    for (int d = 0; d < n; d++) {
        shape[d] = l->api->in_dim(l, 0, d);
        stride[d] = l->api->in_stride(l, 0, d);
    }
    return l->api->view(l, 0, 0, n, shape, stride, l->api->in_offset(l, 0));
}

const Op op_specify_shape = {
    .name = "SpecifyShape",
    .flags = OP_VIEW | OP_FAILS | OP_HALVES,
    .nin = 2,
    .nout = 1,
    .infer = infer_specify_shape,
    .shape = shape_specify_shape,
    .grad = grad_specify_shape,
    .lower = lower_same,
    .connected = first_connected,
    .rop = rop_linear,
    .batch = batch_specify_shape,
    .doc = OP_DOC("x, raising at run time unless it has this shape"),
};

/* ---- ScalarFromTensor, TensorFromScalar -------------------------------------------------------------------------- */
static bool infer_to_scalar(Infer *q) {
    ThType t = q->in[0]->type;
    if (t.kind != TYPE_TENSOR || t.ndim != 0) return err(q->ctx, TH_TypeError, "ScalarFromTensor takes a 0-d tensor");
    q->out[0] = (ThType){.kind = TYPE_SCALAR, .dtype = t.dtype};
    return true;
}

static bool infer_to_tensor(Infer *q) {
    ThType t = q->in[0]->type;
    if (t.kind != TYPE_SCALAR) return err(q->ctx, TH_TypeError, "TensorFromScalar takes a scalar");
    q->out[0] = type_tensor((ThDtype)t.dtype, 0, 0);
    return true;
}

static void grad_to_scalar(Grad *g) { g->gx[0] = tensor_from_scalar_make(g->b, g->gz[0]); }

static void grad_to_tensor(Grad *g) {
    ThVar *x = g->gz[0];
    g->gx[0] = apply1(g->b, &op_scalar_from_tensor, NULL, &x, 1);
}

const Op op_scalar_from_tensor = {
    .name = "ScalarFromTensor",
    .numbers = NUMBERS_INPUTS,
    .flags = OP_VIEW | OP_HALVES,
    .nin = 1,
    .nout = 1,
    .infer = infer_to_scalar,
    .shape = shape_nothing,
    .grad = grad_to_scalar,
    .lower = lower_same,
    .rop = rop_linear,
    .batch = batch_index,
    .doc = OP_DOC("0-d tensor as an index"),
};
const Op op_tensor_from_scalar = {
    .name = "TensorFromScalar",
    .numbers = NUMBERS_INPUTS,
    .flags = OP_VIEW | OP_HALVES,
    .nin = 1,
    .nout = 1,
    .infer = infer_to_tensor,
    .shape = shape_nothing,
    .grad = grad_to_tensor,
    .lower = lower_same,
    .rop = rop_linear,
    .batch = batch_index,
    .doc = OP_DOC("index as a 0-d tensor"),
};

/* ---- builders ---------------------------------------------------------------------------------------------------- */
ThVar *shape_make(Builder *b, ThVar *x) { return apply1(b, &op_shape, NULL, &x, 1); }

ThVar *shape_i_make(Builder *b, ThVar *x, int i) { return apply1(b, &op_shape_i, &(ShapeIAttrs){i}, &x, 1); }

ThVar *shape_elem_make(Builder *b, ThVar *x, int i) { return subtensor_int_make(b, shape_make(b, x), i); }

ThVar *make_vector_make(Builder *b, ThVar *const *in, int n, ThDtype d) {
    VarVec cast = {0};
    bool ok = vec_reserve(b->ctx, &cast, n > 0 ? n : 1);
    for (int i = 0; ok && i < n; i++) ok = in[i] && (cast.at[cast.n++] = cast_make(b, in[i], d)) != NULL;
    ThVar *r = ok ? apply1(b, &op_make_vector, &(MakeVectorAttrs){(uint8_t)d}, cast.at, n) : NULL;
    vec_free(b->ctx, &cast);
    return r;
}

ThVar *shape_vector_make(Builder *b, ThVar *const *v, int n) {
    int64_t k[TH_MAX_NDIM], len = n;
    bool known = n <= TH_MAX_NDIM;
    for (int i = 0; known && i < n; i++) known = v[i] && v[i]->kind == VAR_CONSTANT && scalar_known(v[i], &k[i]);
    if (!known) return make_vector_make(b, v, n, TH_INT64);
    ThArray *a = th_array_empty(b->ctx, TH_INT64, 1, &len);
    if (!a) return NULL;
    if (n) memcpy(th_array_data(a), k, sizeof *k * (size_t)n);
    ThVar *out = const_make(b, a);
    th_array_release(a);
    return out;
}

ThVar *shape_length_make(Builder *b, ThVar *x, int i) {
    int64_t n = x ? var_length(x, i) : -1;
    return n >= 0 ? const_int(b, n, TH_INT64) : shape_elem_make(b, x, i);
}

ThVar *specify_shape_make(Builder *b, ThVar *x, ThVar *shape) {
    return apply1(b, &op_specify_shape, NULL, (ThVar *[]){x, shape}, 2);
}

ThVar *index_make(Builder *b, ThVar *v) {
    if (!v || v->type.kind == TYPE_SCALAR) return v;
    if (v->type.kind != TYPE_TENSOR || v->type.ndim != 0 || !dtype_is_int((ThDtype)v->type.dtype)) {
        char hint[96];
        err(b->ctx, TH_TypeError, "Expected an integer as an index%s", const_float_hint(v, hint));
        return NULL;
    }
    return apply1(b, &op_scalar_from_tensor, NULL, &v, 1);
}

ThVar *tensor_from_scalar_make(Builder *b, ThVar *v) { return apply1(b, &op_tensor_from_scalar, NULL, &v, 1); }
