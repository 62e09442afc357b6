/*
 * join.c -- Join (tensors one after the other along an axis) and Split (its inverse).
 * In: the axis as an integer input (constant or computed), the tensors, for Split the lengths as a vector. Out: copies:
 * each part is one kernel into, or out of, a range of the whole. Lengths that do not fit raise ValueError before
 * anything runs.
 */
#include "ops/table/shape.h"
#include "ops/table/index.h"
#include "ops/table/lowering.h"

/* The axis of a node: known while building, or a flag per dimension (1 where it is the axis). */
typedef struct Axis {
    bool known;
    int at;
    Sz flag[TH_MAX_NDIM];
} Axis;

static Sz calc(const ShapeAlg *a, char op, Sz x, Sz y) { return a->op(a->u, op, x, y); }
static Sz number(const ShapeAlg *a, int64_t k) { return a->constant(a->u, k); }

static bool axis_of(const ShapeAlg *a, const ThApply *node, int input, int ndim, Axis *axis) {
    int64_t k;
    axis->known = scalar_known(node->in[input], &k);
    if (axis->known) {
        axis->at = (int)(k < 0 ? k + ndim : k);
        return true;
    }
    Sz v = a->value(a->u, input, 0), one = number(a, 1);
    Sz at = calc(a, '+', v, calc(a, '*', calc(a, '<', v, number(a, 0)), number(a, ndim)));
    for (int d = 0; d < ndim; d++) {
        Sz less = calc(a, '<', at, number(a, d)), more = calc(a, '<', number(a, d), at);
        axis->flag[d] = calc(a, '-', one, calc(a, '+', less, more));
    }
    Sz inside = calc(a, 'M', number(a, 0), calc(a, 'm', at, number(a, ndim - 1)));
    return a->equal(a->u, at, inside, "IndexError! axis {0} is out of bounds (the nearest one is {1})");
}

/* yes where d is the axis, else no. */
static Sz choose(const ShapeAlg *a, const Axis *axis, int d, Sz yes, Sz no) {
    if (axis->known) return axis->at == d ? yes : no;
    return calc(a, '+', no, calc(a, '*', axis->flag[d], calc(a, '-', yes, no)));
}

/* An integer scalar naming one of ndim dimensions; *known tells whether its (normalised) value is. */
static bool want_axis(Infer *q, int input, int ndim, bool *known, int64_t *axis) {
    ThType t = q->in[input]->type;
    if (t.kind != TYPE_TENSOR || t.ndim != 0 || !dtype_is_int((ThDtype)t.dtype))
        return err(q->ctx, TH_TypeError, "%s: the axis must be an integer scalar", q->op->name);
    *known = scalar_known(q->in[input], axis);
    return !*known || axis_normalize(q->ctx, axis, ndim, q->op->name);
}

/* ---- Join -------------------------------------------------------------------------------------------------------- */
static bool infer_join(Infer *q) {
    if (q->nin < 2) return err(q->ctx, TH_ValueError, "Cannot join an empty list of tensors");
    ThDtype d = (ThDtype)q->in[1]->type.dtype;
    int ndim = q->in[1]->type.ndim;
    uint32_t bits = 0;
    bool known;
    int64_t axis;
    for (int i = 1; i < q->nin; i++) {
        ThType t = q->in[i]->type;
        if (t.kind != TYPE_TENSOR || t.ndim == 0)
            return err(q->ctx, TH_TypeError,
                       "Join cannot handle arguments of dimension 0. For joining scalar values, see stack");
        if (t.ndim != ndim)
            return err(
                q->ctx, TH_TypeError,
                "Join() can only join tensors with the same number of dimensions (input 1 has %d, input %d has %d).",
                ndim, i, t.ndim);
        d = th_dtype_upcast(d, (ThDtype)t.dtype);
        bits |= t.broadcastable; /* a length of 1 promised by one is the length of all, but for the axis */
    }
    if (!want_axis(q, 0, ndim, &known, &axis)) return false;
    if (q->nin == 2) bits = q->in[1]->type.broadcastable;
    else if (known) bits &= ~(1u << axis);
    else bits = 0;
    q->out[0] = type_tensor(d, ndim, bits);
    return true;
}

static bool shape_join(ShapeQ *q) {
    const ShapeAlg *a = q->alg;
    Axis axis;
    int ndim = q->node->out[0]->type.ndim;
    if (!axis_of(a, q->node, 0, ndim, &axis)) return false;
    for (int d = 0; d < ndim; d++) {
        Sz first = q->in[1][d], sum = first;
        for (int i = 2; i < q->node->nin; i++) {
            Sz n = q->in[i][d];
            sum = calc(a, '+', sum, choose(a, &axis, d, n, number(a, 0)));
            if (axis.known && axis.at == d) continue;
            if (!a->equal(a->u, choose(a, &axis, d, first, n), first,
                          "Join: all the input array dimensions except for the axis must match exactly, got lengths "
                          "{0} and {1}"))
                return false;
        }
        q->out[0][d] = sum;
    }
    return true;
}

/* gz in n parts of these lengths, to gx[1] and on. A Split has so many results at most: more are parts of parts. */
static void cut(Grad *g, ThVar *const *sizes, int n) {
    ThVar *axis = g->node->in[0], *total[OP_MAX_OUT];
    int groups = (n + OP_MAX_OUT - 1) / OP_MAX_OUT;
    for (int k = 0; groups > 1 && k < groups; k++) {
        int left = n - k * OP_MAX_OUT;
        total[k] = elemwise_make(g->b, S_add, sizes + k * OP_MAX_OUT, left < OP_MAX_OUT ? left : OP_MAX_OUT);
    }
    ThVar *lengths = groups > 1 ? make_vector_make(g->b, total, groups, TH_INT64) : NULL;
    ThApply *outer = groups > 1 ? split_make(g->b, g->gz[0], axis, lengths, groups) : NULL;
    for (int k = 0; k < groups && (outer || groups == 1); k++) {
        int first = k * OP_MAX_OUT, count = n - first < OP_MAX_OUT ? n - first : OP_MAX_OUT;
        ThVar *gz = outer ? outer->out[k] : g->gz[0];
        ThApply *part = split_make(g->b, gz, axis, make_vector_make(g->b, sizes + first, count, TH_INT64), count);
        if (!part) return;
        for (int i = 0; i < count; i++)
            g->gx[first + i + 1] =
                patternbroadcast_make(g->b, part->out[i], g->node->in[first + i + 1]->type.broadcastable);
    }
}

static void grad_join(Grad *g) {
    ThApply *a = g->node;
    int n = a->nin - 1;
    g->gx[0] = grad_undefined(g, 0, "Join has no gradient with respect to its axis");
    if (dtype_is_discrete((ThDtype)a->out[0]->type.dtype)) {
        for (int i = 0; i < n; i++) g->gx[i + 1] = zero_grad_make(g->b, a->in[i + 1]);
        return;
    }
    AttrIdx idx = {.n = 1, .at = {{'i', 1, {TH_INT64, 0, 0}}}};
    ThVar *axis = index_make(g->b, a->in[0]);
    if (!axis) return;
    idx.at[0].dtype[0] = axis->type.dtype;
    int64_t known;
    if (scalar_known(a->in[0], &known)) {
        axis = const_scalar_int(g->b, known);
        idx.at[0].dtype[0] = TH_INT64;
    }
    VarVec sizes = {0};
    bool ok = vec_reserve(g->b->ctx, &sizes, n);
    for (int i = 0; ok && i < n; i++)
        sizes.at[i] = subtensor_make(g->b, shape_make(g->b, a->in[i + 1]), &idx, &axis, 1);
    if (ok) cut(g, sizes.at, n);
    vec_free(g->b->ctx, &sizes);
}

/* One kernel: copies input `in` of the node into a range of output `out`, or a range of input to the whole output. */
static bool copy_part(Lower *l, int in, int out, bool into, Size offset) {
    int8_t map[TH_MAX_NDIM];
    Size stride[TH_MAX_NDIM];
    ThType t = into ? l->api->in_type(l, in) : l->node->out[out]->type;
    ThDtype d = (ThDtype)l->node->out[out]->type.dtype;
    Kernel *k = l->api->kernel(l);
    if (!k) return false;
    for (int i = 0; i < t.ndim; i++) {
        map[i] = (int8_t)i;
        stride[i] = into ? l->api->out_stride(l, out, i) : l->api->in_stride(l, in, i);
        if (kernel_dim(k, into ? l->api->in_dim(l, in, i) : l->api->out_dim(l, out, i), DIM_PAR) >= 0) continue;
        return failed(l->ctx)
                   ? false
                   : err(l->ctx, TH_NotImplementedError, "%s on more than %d dimensions", l->node->op->name, KDIM);
    }
    if (kernel_stage(k, STAGE_LOOP, 0, t.ndim) < 0) return false;
    int from = into ? l->api->read(l, k, in, map) : l->api->read_at(l, k, in, offset, stride);
    int v = ins_cast(k, ins_load(k, from, t.ndim), d, t.ndim);
    int to = into ? l->api->write_at(l, k, out, 0, offset, stride) : l->api->write(l, k, out, map);
    ins_store(k, to, v, t.ndim);
    return !failed(l->ctx);
}

/* Elements from one part to the next along the axis: length times stride, of the axis alone. */
static Size part_step(Lower *l, LowerAlg *alg, const Axis *axis, int ndim, bool join, int part) {
    Size sum = size_const(0);
    for (int d = 0; d < ndim; d++) {
        if (axis->known && axis->at != d) continue;
        Size n = join ? l->api->in_dim(l, part, d) : l->api->out_dim(l, part, d);
        Size st = join ? l->api->out_stride(l, 0, d) : l->api->in_stride(l, 0, d);
        Size step = l->api->mul(l, n, st);
        if (!axis->known) step = l->api->mul(l, step, lower_alg_size(alg, axis->flag[d]));
        sum = l->api->add(l, sum, step);
    }
    return sum;
}

static bool lower_join(Lower *l) {
    LowerAlg alg;
    Axis axis;
    int ndim = l->node->out[0]->type.ndim;
    lower_alg_init(&alg, l);
    bool ok = axis_of(&alg.alg, l->node, 0, ndim, &axis);
    Size offset = l->api->out_offset(l, 0);
    l->api->parts(l, false);
    for (int i = 1; ok && i < l->node->nin; i++) {
        ok = copy_part(l, i, 0, true, offset);
        if (i + 1 < l->node->nin) offset = l->api->add(l, offset, part_step(l, &alg, &axis, ndim, true, i));
    }
    lower_alg_free(&alg);
    return ok && !failed(l->ctx);
}

static bool join_connected(const ThApply *a, int in, int out) {
    (void)a, (void)out;
    return in > 0;
}

static void pp_join(Text *t, const ThApply *a, void (*arg)(Text *t, const ThApply *a, int i)) {
    text_put(t, "join(");
    for (int i = 0; i < a->nin; i++) {
        if (i) text_put(t, ", ");
        arg(t, a, i);
    }
    text_putc(t, ')');
}

const Op op_join = {
    .name = "Join",
    .flags = OP_FAILS | OP_HALVES,
    .nin = -1,
    .nout = 1,
    .infer = infer_join,
    .shape = shape_join,
    .grad = grad_join,
    .lower = lower_join,
    .pp = pp_join,
    .connected = join_connected,
    .rop = rop_linear,
    .batch = batch_join,
    .doc = OP_DOC("tensors one after the other along an axis"),
};

ThVar *join_make(Builder *b, ThVar *axis, ThVar *const *in, int n) {
    VarVec all = {0};
    ThVar *out = NULL;
    if (n == 1) return in[0];
    for (int i = 1; b->arrays && i < n; i++) /* NumPy's kind of error; Theano's comes below */
        if (in[0] && in[i] && in[i]->type.ndim != in[0]->type.ndim) {
            err(b->ctx, TH_ValueError, "all arrays must have the same number of dimensions: %d and %d",
                in[0]->type.ndim, in[i]->type.ndim);
            return NULL;
        }
    bool ok = vec_push(b->ctx, &all, axis);
    for (int i = 0; ok && i < n; i++) ok = vec_push(b->ctx, &all, in[i]);
    if (ok) out = apply1(b, &op_join, NULL, all.at, all.n);
    vec_free(b->ctx, &all);
    return out;
}

/* ---- Split ------------------------------------------------------------------------------------------------------- */
static bool infer_split(Infer *q) {
    int64_t n = ((const SplitAttrs *)q->attrs)->n, axis, given;
    bool known;
    ThType x = q->in[0]->type, s = q->in[2]->type;
    if (x.kind != TYPE_TENSOR || x.ndim == 0)
        return err(q->ctx, TH_TypeError, "Split takes a tensor with at least one dimension");
    if (s.kind != TYPE_TENSOR || s.ndim != 1 || !dtype_is_int((ThDtype)s.dtype))
        return err(q->ctx, TH_TypeError, "Split: the lengths must be a vector of integers");
    if (n < 1 || n > OP_MAX_OUT)
        return err(q->ctx, TH_ValueError, "Split into %lld parts (1 to %d are possible)", (long long)n, OP_MAX_OUT);
    given = vector_length(q->in[2]);
    if (given >= 0 && given != n)
        return err(q->ctx, TH_ValueError, "Split{%lld}: %lld lengths are given", (long long)n, (long long)given);
    if (!want_axis(q, 1, x.ndim, &known, &axis)) return false;
    uint32_t bits = known ? x.broadcastable & ~(1u << axis) : 0;
    q->nout = (int)n;
    for (int o = 0; o < n; o++) q->out[o] = type_tensor((ThDtype)x.dtype, x.ndim, bits);
    return true;
}

static bool shape_split(ShapeQ *q) {
    const ShapeAlg *a = q->alg;
    Axis axis;
    int ndim = q->node->in[0]->type.ndim, n = q->node->nout;
    if (!axis_of(a, q->node, 1, ndim, &axis)) return false;
    if (!a->equal(a->u, q->in[2][0], number(a, n), "Split: {0} lengths are given for {1} parts")) return false;
    Sz sum = number(a, 0), whole = number(a, 0);
    for (int o = 0; o < n; o++) {
        int64_t k;
        Sz v = vector_known(q->node->in[2], o, &k) ? number(a, k) : a->value(a->u, 2, o);
        if (!a->equal(a->u, v, calc(a, 'M', v, number(a, 0)), "Split sizes cannot be negative, got {0}")) return false;
        sum = o ? calc(a, '+', sum, v) : v;
        for (int d = 0; d < ndim; d++) q->out[o][d] = choose(a, &axis, d, v, q->in[0][d]);
    }
    for (int d = 0; d < ndim; d++) whole = choose(a, &axis, d, q->in[0][d], whole);
    return a->equal(a->u, sum, whole, "The splits sum to {0}, expected {1}");
}

static void grad_split(Grad *g) {
    ThApply *a = g->node;
    VarVec parts = {0};
    bool any = false, ok = true;
    g->gx[1] = grad_undefined(g, 1, "Split has no gradient with respect to its axis");
    g->gx[2] = grad_undefined(g, 2, "Split has no gradient with respect to its lengths");
    for (int o = 0; o < a->nout; o++) any = any || g->gz[o];
    for (int o = 0; any && ok && o < a->nout; o++) {
        ThVar *gz = g->gz[o] ? g->gz[o] : zeros_like_make(g->b, a->out[o], (ThDtype)a->out[o]->type.dtype);
        ok = gz && vec_push(g->b->ctx, &parts, gz);
    }
    if (any && ok) {
        ThVar *whole = join_make(g->b, a->in[1], parts.at, parts.n);
        g->gx[0] = patternbroadcast_make(g->b, whole, a->in[0]->type.broadcastable);
    }
    vec_free(g->b->ctx, &parts);
}

static bool lower_split(Lower *l) {
    LowerAlg alg;
    Axis axis;
    int ndim = l->api->in_type(l, 0).ndim;
    lower_alg_init(&alg, l);
    bool ok = axis_of(&alg.alg, l->node, 1, ndim, &axis);
    Size offset = l->api->in_offset(l, 0);
    for (int o = 0; ok && o < l->node->nout; o++) {
        ok = copy_part(l, 0, o, false, offset);
        if (o + 1 < l->node->nout) offset = l->api->add(l, offset, part_step(l, &alg, &axis, ndim, false, o));
    }
    lower_alg_free(&alg);
    return ok && !failed(l->ctx);
}

static bool split_connected(const ThApply *a, int in, int out) {
    (void)a, (void)out;
    return in == 0;
}

static void str_split(Text *t, const ThApply *a) { text_printf(t, "Split{%lld}", (long long)ATTRS(SplitAttrs, a)->n); }

static const AttrField split_fields[] = {{"n", ATTR_INT, offsetof(SplitAttrs, n), false}};
const Op op_split = {
    .name = "Split",
    .flags = OP_FAILS | OP_HALVES,
    .nin = 3,
    .nout = -1,
    .attr_bytes = sizeof(SplitAttrs),
    .attrs = split_fields,
    .nattr = 1,
    .infer = infer_split,
    .shape = shape_split,
    .grad = grad_split,
    .lower = lower_split,
    .str = str_split,
    .connected = split_connected,
    .rop = rop_linear,
    .batch = batch_split,
    .doc = OP_DOC("consecutive parts of x along an axis"),
};

ThApply *split_make(Builder *b, ThVar *x, ThVar *axis, ThVar *sizes, int n) {
    return apply_make(b, &op_split, &(SplitAttrs){n}, (ThVar *[]){x, axis, sizes}, 3);
}
