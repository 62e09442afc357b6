/*
 * conv.c -- AbstractConv2d, AbstractConv3d, their two gradients, and CorrMM .. as the same operations lowered.
 * In: images, filters or the gradient of a result, and for gradients the lengths of what they are the gradient of.
 * Out: types, shape rules with every check of lengths, Theano's names. One text serves one to three dimensions.
 * What an operand is, by role, is said once, in `operands`.
 */
#include "conv.h"
#include "ops/table/shape.h"
#include "ops/table/index.h"

static const AttrField conv_fields[] = {
    {"ndim", ATTR_INT, offsetof(ConvAttrs, ndim), false},
    {"border", ATTR_INT, offsetof(ConvAttrs, border), false},
    {"pad", ATTR_LONGS, offsetof(ConvAttrs, pad), false},
    {"subsample", ATTR_LONGS, offsetof(ConvAttrs, subsample), false},
    {"dilation", ATTR_LONGS, offsetof(ConvAttrs, dilation), false},
    {"imshp", ATTR_LONGS, offsetof(ConvAttrs, imshp), false},
    {"kshp", ATTR_LONGS, offsetof(ConvAttrs, kshp), false},
    {"groups", ATTR_INT, offsetof(ConvAttrs, groups), false},
    {"flip", ATTR_BOOL, offsetof(ConvAttrs, flip), false},
    {"unshared", ATTR_BOOL, offsetof(ConvAttrs, unshared), false},
    {"stacked", ATTR_BOOL, offsetof(ConvAttrs, stacked), false},
    {"mm", ATTR_BOOL, offsetof(ConvAttrs, mm), false},
};

ConvRole conv_role(const Op *op) {
    if (op == &op_conv || op == &op_corr_mm) return CONV_FORWARD;
    return op == &op_conv_grad_inputs || op == &op_corr_mm_grad_inputs ? CONV_INPUTS : CONV_WEIGHTS;
}

/* Which operand is what: an input number, -1 the result. */
typedef struct Operands {
    int image, filter, top;
} Operands;
static Operands operands(ConvRole r) {
    static const Operands by_role[] = {{0, 1, -1}, {-1, 0, 1}, {0, -1, 1}};
    return by_role[r];
}

/* ---- types ------------------------------------------------------------------------------------------------------- */
static const char *title(Infer *q) {
    static const char *const names[] = {"conv%dd", "conv%dd_grad_wrt_inputs", "conv%dd_grad_wrt_weights"};
    return names[conv_role(q->op)];
}

static bool refuse(Infer *q, ThError kind, const char *what, long long a, long long b) {
    const ConvAttrs *at = q->attrs;
    Text t;
    text_init(&t, q->ctx);
    text_printf(&t, title(q), (int)at->ndim);
    text_put(&t, ": ");
    text_printf(&t, what, a, b);
    err(q->ctx, kind, "%s", t.at ? t.at : what);
    text_free(&t);
    return false;
}

static bool want_positive(Infer *q, const AttrLongs *v, const char *what) {
    const ConvAttrs *at = q->attrs;
    if (v->n != at->ndim) return refuse(q, TH_ValueError, what, v->n, at->ndim);
    for (int i = 0; i < v->n; i++)
        if (v->at[i] < 1) return refuse(q, TH_ValueError, what, v->at[i], 0);
    return true;
}

static bool want_attrs(Infer *q) {
    const ConvAttrs *at = q->attrs;
    bool lowered = q->op != &op_conv && q->op != &op_conv_grad_inputs && q->op != &op_conv_grad_weights;
    if (lowered != at->mm || (at->mm && at->flip))
        return err(q->ctx, TH_ValueError, "%s: mm says whether the operation is lowered; then it never flips",
                   q->op->name);
    if (at->ndim < 1 || at->ndim > CONV_MAX || at->border < CONV_PADS || at->border > CONV_FULL)
        return err(q->ctx, TH_ValueError, "a convolution has 1 to 3 dimensions and one of four borders");
    if (at->border == CONV_PADS && at->pad.n != 2 * at->ndim)
        return refuse(q, TH_ValueError, "border_mode gives %lld paddings, %lld are needed", at->pad.n, 2 * at->ndim);
    for (int i = 0; at->border == CONV_PADS && i < at->pad.n; i++)
        if (at->pad.at[i] < 0)
            return refuse(q, TH_ValueError, "invalid border_mode: a padding of %lld is negative", at->pad.at[i], 0);
    if (at->groups < 1) return refuse(q, TH_ValueError, "num_groups must be at least 1, it is %lld", at->groups, 0);
    if (at->groups > 1 && at->ndim != 2 && at->unshared)
        return refuse(q, TH_NotImplementedError, "unshared filters exist in 2 dimensions only", 0, 0);
    return want_positive(q, &at->subsample, "subsample must hold a positive step per dimension, it has %lld") &&
           want_positive(q, &at->dilation, "filter_dilation must hold a positive step per dimension, it has %lld");
}

static int rank_of(const ConvAttrs *at, bool filter) {
    return (int)(2 + at->ndim * (filter && at->unshared ? 2 : 1)) + at->stacked;
}

static bool want_operand(Infer *q, int i, const char *name, bool filter) {
    const ConvAttrs *at = q->attrs;
    ThType t = q->in[i]->type;
    Text text;
    int rank = rank_of(at, filter);
    if (t.kind == TYPE_TENSOR && t.ndim == rank && t.dtype != TH_BOOL) return true;
    text_init(&text, q->ctx);
    text_printf(&text, title(q), (int)at->ndim);
    text_printf(&text, ": %s must be a %dD tensor of numbers, it is ", name, rank);
    type_text(&text, t);
    err(q->ctx, TH_TypeError, "%s", text.at ? text.at : name);
    text_free(&text);
    return false;
}

static bool want_lengths(Infer *q) {
    ThType t = q->in[2]->type;
    const ConvAttrs *at = q->attrs;
    int64_t n = t.kind == TYPE_TENSOR && t.ndim == 1 ? vector_length(q->in[2]) : -1;
    if (t.kind != TYPE_TENSOR || t.ndim != 1 || !dtype_is_int((ThDtype)t.dtype))
        return refuse(q, TH_TypeError, "the lengths of the result must be a vector of integers", 0, 0);
    return n < 0 || n == at->ndim ||
           refuse(q, TH_ValueError, "the result needs %lld lengths, %lld are given", at->ndim, n);
}

/* Index of a dimension of the filters: rows (0), and behind what unshared ones have, channels and sizes. */
static int filter_dim(const ConvAttrs *at, int d) {
    return at->stacked + (d == 0 ? 0 : d + (at->unshared ? (int)at->ndim : 0));
}

/* The hints must fit each other. */
static bool want_hints(Infer *q) {
    const ConvAttrs *at = q->attrs;
    int64_t rows = 0, channels = 0;
    int last = at->unshared ? 1 + (int)at->ndim : 1;
    if (at->imshp.n && at->imshp.n != 2 + at->ndim)
        return refuse(q, TH_ValueError, "input_shape has %lld lengths, %lld are needed", at->imshp.n, 2 + at->ndim);
    if (at->kshp.n && at->kshp.n != 1 + last + at->ndim)
        return refuse(q, TH_ValueError, "filter_shape has %lld lengths, %lld are needed", at->kshp.n,
                      1 + last + at->ndim);
    channels = at->imshp.n ? at->imshp.at[1] : -1;
    rows = at->kshp.n ? at->kshp.at[0] : -1;
    if (channels >= 0 && channels % at->groups)
        return refuse(q, TH_ValueError, "%lld channels cannot be divided into num_groups = %lld groups", channels,
                      at->groups);
    if (rows >= 0 && rows % at->groups)
        return refuse(q, TH_ValueError, "%lld filters cannot be divided into num_groups = %lld groups", rows,
                      at->groups);
    if (channels >= 0 && at->kshp.n && at->kshp.at[last] >= 0 && channels != at->kshp.at[last] * at->groups)
        return refuse(q, TH_ValueError, "input_shape says %lld channels, filter_shape %lld", channels,
                      at->kshp.at[last] * at->groups);
    return true;
}

static uint32_t bit(ThType t, int d, int to) { return (uint32_t)type_bcast(t, d) << to; }

static bool infer_conv(Infer *q) {
    const ConvAttrs *at = q->attrs;
    ConvRole role = conv_role(q->op);
    Operands o = operands(role);
    if (!want_attrs(q) || !want_hints(q)) return false;
    if (o.image >= 0 && !want_operand(q, o.image, "the images (input)", false)) return false;
    if (o.filter >= 0 && !want_operand(q, o.filter, "the filters", true)) return false;
    if (o.top >= 0 && (!want_operand(q, o.top, "the gradient of the result (output_grad)", false) || !want_lengths(q)))
        return false;
    ThType a = q->in[0]->type, b = q->in[1]->type;
    int s = at->stacked;
    uint32_t bits = s && type_bcast(a, 0) && type_bcast(b, 0) ? 1u : 0;
    if (role == CONV_FORWARD) bits |= bit(a, s, s) | bit(b, s, s + 1);
    else if (role == CONV_INPUTS) {
        bits |= bit(b, s, s);
        if (at->groups == 1) bits |= bit(a, filter_dim(at, 1), s + 1);
    } else {
        bits |= bit(b, s + 1, s);
        if (at->groups == 1) bits |= bit(a, s + 1, filter_dim(at, 1));
    }
    q->out[0] =
        type_tensor(th_dtype_upcast((ThDtype)a.dtype, (ThDtype)b.dtype), rank_of(at, role == CONV_WEIGHTS), bits);
    return true;
}

/* ---- shapes ------------------------------------------------------------------------------------------------------ */
static Sz calc(const ShapeAlg *a, char op, Sz x, Sz y) { return a->op(a->u, op, x, y); }
static Sz number(const ShapeAlg *a, int64_t k) { return a->constant(a->u, k); }

static void paddings(const ShapeAlg *a, const ConvAttrs *at, int d, ConvSizes *s) {
    if (at->border == CONV_HALF) s->before = s->after = calc(a, '/', s->reach, number(a, 2));
    else if (at->border == CONV_FULL) s->before = s->after = calc(a, '-', s->reach, number(a, 1));
    else {
        s->before = number(a, at->border == CONV_PADS ? at->pad.at[2 * d] : 0);
        s->after = number(a, at->border == CONV_PADS ? at->pad.at[2 * d + 1] : 0);
    }
}

bool conv_sizes(const ShapeAlg *a, const ConvAttrs *at, int d, ConvSizes *s) {
    Sz one = number(a, 1);
    s->reach = s->filter;
    if (at->dilation.at[d] != 1)
        s->reach = calc(a, '+', calc(a, '*', calc(a, '-', s->filter, one), number(a, at->dilation.at[d])), one);
    paddings(a, at, d, s);
    Sz padded = s->in;
    if (at->border != CONV_VALID) padded = calc(a, '+', padded, calc(a, '+', s->before, s->after));
    if (!a->equal(a->u, s->filter, calc(a, 'M', s->filter, one), "the filters are empty: they have length {0}") ||
        !a->equal(a->u, padded, calc(a, 'M', padded, s->reach),
                  "impossible output shape: an image with its padding has length {0}, the (dilated) filter {1}"))
        return false;
    s->out = calc(a, '-', padded, s->reach);
    if (at->subsample.at[d] != 1) s->out = calc(a, '/', s->out, number(a, at->subsample.at[d]));
    s->out = calc(a, '+', s->out, one);
    return true;
}

typedef struct Shapes { /* of the three operands, without the stacked dimension */
    const Sz *image, *filter, *top;
} Shapes;

#define HINTED(who, whose, d) who " says {0}, " whose " have length {1} in dimension " #d
#define HINTS(who, whose) \
    HINTED(who, whose, 0), HINTED(who, whose, 1), HINTED(who, whose, 2), HINTED(who, whose, 3), HINTED(who, whose, 4), \
        HINTED(who, whose, 5), HINTED(who, whose, 6), HINTED(who, whose, 7)
static const char *const image_hints[] = {HINTS("input_shape", "the images")};
static const char *const filter_hints[] = {HINTS("filter_shape", "the filters")};

static bool hinted(ShapeQ *q, const AttrLongs *hint, const Sz *dims, const char *const *why) {
    for (int i = 0; i < hint->n; i++)
        if (hint->at[i] >= 0 && !q->alg->equal(q->alg->u, number(q->alg, hint->at[i]), dims[i], why[i])) return false;
    return true;
}

/* Channels, filters, batch of the three operands. */
static bool same_counts(ShapeQ *q, const ConvAttrs *at, const Shapes *s) {
    const ShapeAlg *a = q->alg;
    Sz groups = number(a, at->groups), c = s->filter[filter_dim(at, 1) - at->stacked];
    Sz taken = at->groups == 1 ? c : calc(a, '*', c, groups), rows = s->filter[0];
    if (!a->equal(a->u, s->image[1], taken,
                  "the images have {0} channels, the filters take {1} (all groups together)") ||
        !a->equal(a->u, s->top[1], rows, "the result has {0} channels, but there are {1} filters") ||
        !a->equal(a->u, s->image[0], s->top[0], "there are {0} images, but {1} results"))
        return false;
    return at->groups == 1 || a->equal(a->u, rows, calc(a, '*', calc(a, '/', rows, groups), groups),
                                       "{0} filters cannot be divided into num_groups groups of equal size; {1} could");
}

static bool same_sizes(ShapeQ *q, const ConvAttrs *at, const Shapes *s, Sz *out) {
    int first = filter_dim(at, 2) - at->stacked;
    for (int d = 0; d < at->ndim; d++) {
        ConvSizes z = {.in = s->image[2 + d], .filter = s->filter[first + d]};
        if (!conv_sizes(q->alg, at, d, &z)) return false;
        if (out) out[d] = z.out;
        else if (!q->alg->equal(q->alg->u, s->top[2 + d], z.out,
                                "output_grad has length {0}, images and filters of these lengths give {1}"))
            return false;
        if (at->unshared && !q->alg->equal(q->alg->u, s->filter[1 + d], z.out,
                                           "unshared filters are for results of length {0}, the result has {1}"))
            return false;
    }
    return true;
}

/* The stacked dimension of the result. */
static bool stack(ShapeQ *q, const ConvAttrs *at) {
    ThApply *n = (ThApply *)q->node;
    if (!at->stacked) return true;
    int given = type_bcast(n->in[0]->type, 0) ? 1 : 0;
    q->out[0][0] = q->in[given][0];
    return type_bcast(n->in[!given]->type, 0) ||
           q->alg->equal(q->alg->u, q->in[0][0], q->in[1][0], "stacks of {0} and {1} convolutions");
}

static bool shape_conv(ShapeQ *q) {
    const ConvAttrs *at = ATTRS(ConvAttrs, q->node);
    const ShapeAlg *a = q->alg;
    Sz *out = q->out[0] + at->stacked;
    ConvRole role = conv_role(q->node->op);
    Operands o = operands(role);
    Shapes s = {.image = o.image < 0 ? out : q->in[o.image] + at->stacked,
                .filter = o.filter < 0 ? out : q->in[o.filter] + at->stacked,
                .top = o.top < 0 ? out : q->in[o.top] + at->stacked};
    if (!stack(q, at)) return false;
    if (role == CONV_FORWARD) {
        out[0] = s.image[0];
        out[1] = s.filter[0];
    } else if (role == CONV_INPUTS) {
        Sz c = s.filter[filter_dim(at, 1) - at->stacked];
        out[0] = s.top[0];
        out[1] = at->groups == 1 ? c : calc(a, '*', c, number(a, at->groups));
        for (int d = 0; d < at->ndim; d++) out[2 + d] = a->value(a->u, 2, d);
    } else {
        int c = filter_dim(at, 1) - at->stacked;
        out[0] = s.top[1];
        out[c] = at->groups == 1 ? s.image[1] : calc(a, '/', s.image[1], number(a, at->groups));
        for (int d = 0; d < at->ndim; d++) {
            if (at->unshared) out[1 + d] = s.top[2 + d];
            out[c + 1 + d] = a->value(a->u, 2, d);
        }
    }
    if (!hinted(q, &at->imshp, s.image, image_hints) || !hinted(q, &at->kshp, s.filter, filter_hints)) return false;
    return same_counts(q, at, &s) && same_sizes(q, at, &s, role == CONV_FORWARD ? out + 2 : NULL);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */
static void put_list(Text *t, const AttrLongs *v) {
    text_putc(t, '(');
    for (int i = 0; i < v->n; i++) {
        if (i) text_put(t, ", ");
        if (v->at[i] < 0) text_put(t, "None");
        else text_printf(t, "%lld", (long long)v->at[i]);
    }
    text_put(t, v->n == 1 ? ",)" : ")");
}

/* (1, 1), or ((1, 0), (0, 2)) where sides differ; the lowered operations always say both sides. */
static void put_border(Text *t, const ConvAttrs *at) {
    static const char *const names[] = {"", "valid", "half", "full"};
    bool pairs = at->mm;
    if (at->border != CONV_PADS) {
        text_printf(t, at->mm ? "%s" : "'%s'", names[at->border]);
        return;
    }
    for (int d = 0; d < at->ndim; d++) pairs = pairs || at->pad.at[2 * d] != at->pad.at[2 * d + 1];
    text_putc(t, '(');
    for (int d = 0; d < at->ndim; d++) {
        if (d) text_put(t, ", ");
        if (pairs) text_printf(t, "(%lld, %lld)", (long long)at->pad.at[2 * d], (long long)at->pad.at[2 * d + 1]);
        else text_printf(t, "%lld", (long long)at->pad.at[2 * d]);
    }
    text_put(t, at->ndim == 1 ? ",)" : ")");
}

static void put_hint(Text *t, const char *name, const AttrLongs *v, int n) {
    AttrLongs none = {.n = n, .at = {-1, -1, -1, -1, -1, -1, -1, -1}};
    text_printf(t, ", %s=", name);
    put_list(t, v->n ? v : &none);
}

/* CorrMM{valid, (1, 1), (1, 1), 1 False} */
static void str_lowered(Text *t, const ConvAttrs *at, const char *more) {
    text_printf(t, at->ndim == 3 ? "Corr3dMM%s{" : "CorrMM%s{", more);
    put_border(t, at);
    text_put(t, ", ");
    put_list(t, &at->subsample);
    text_put(t, ", ");
    put_list(t, &at->dilation);
    text_printf(t, ", %lld", (long long)at->groups);
    if (at->ndim != 3) text_put(t, at->unshared ? " True" : " False");
    text_putc(t, '}');
}

static void str_conv(Text *t, const ThApply *a) {
    static const char *const names[] = {"", "_gradInputs", "_gradWeights"};
    const ConvAttrs *at = ATTRS(ConvAttrs, a);
    ConvRole role = conv_role(a->op);
    if (at->mm) {
        str_lowered(t, at, names[role]);
        return;
    }
    text_printf(t, "AbstractConv%lldd%s{convdim=%lld, border_mode=", (long long)at->ndim, names[role],
                (long long)at->ndim);
    put_border(t, at);
    text_put(t, ", subsample=");
    put_list(t, &at->subsample);
    text_printf(t, ", filter_flip=%s", at->flip ? "True" : "False");
    put_hint(t, "imshp", &at->imshp, (int)at->ndim + 2);
    put_hint(t, "kshp", &at->kshp, (int)at->ndim * (at->unshared ? 2 : 1) + 2);
    text_put(t, ", filter_dilation=");
    put_list(t, &at->dilation);
    text_printf(t, ", num_groups=%lld, unshared=%s", (long long)at->groups, at->unshared ? "True" : "False");
    text_put(t, at->stacked ? ", stacked=True}" : "}");
}

static bool two_connected(const ThApply *a, int in, int out) {
    (void)a, (void)out;
    return in < 2;
}

/* ---- records ----------------------------------------------------------------------------------------------------- */
#define CONV_OP(id, text, inputs, about) \
    const Op op_##id = { \
        .name = text, \
        .flags = OP_AMP, \
        .nin = inputs, \
        .nout = 1, \
        .attr_bytes = sizeof(ConvAttrs), \
        .attrs = conv_fields, \
        .nattr = TH_LEN(conv_fields), \
        .infer = infer_conv, \
        .shape = shape_conv, \
        .grad = conv_grad, \
        .lower = conv_lower, \
        .str = str_conv, \
        .connected = two_connected, \
        .rop = conv_rop, \
        .batch = conv_batch, \
        .doc = OP_DOC(about), \
    };
CONV_OP(conv, "AbstractConv", 2, "images convolved with filters")
CONV_OP(conv_grad_inputs, "AbstractConv_gradInputs", 3, "gradient of a convolution for its images")
CONV_OP(conv_grad_weights, "AbstractConv_gradWeights", 3, "gradient of a convolution for its filters")

CONV_OP(corr_mm, "CorrMM", 2, "images correlated with filters: a convolution as it runs")
CONV_OP(corr_mm_grad_inputs, "CorrMM_gradInputs", 3, "gradient of CorrMM for its images")
CONV_OP(corr_mm_grad_weights, "CorrMM_gradWeights", 3, "gradient of CorrMM for its filters")

ThVar *conv_make(Builder *b, ConvRole role, const ConvAttrs *at, ThVar *x, ThVar *y, ThVar *lengths) {
    static const Op *const ops[2][3] = {{&op_conv, &op_conv_grad_inputs, &op_conv_grad_weights},
                                        {&op_corr_mm, &op_corr_mm_grad_inputs, &op_corr_mm_grad_weights}};
    return apply1(b, ops[at->mm][role], at, (ThVar *[]){x, y, lengths}, role == CONV_FORWARD ? 2 : 3);
}

ThVar *conv_lengths(Builder *b, ThVar *x, int n) {
    AttrIdx idx = {.n = 1};
    ThVar *shape = x ? shape_make(b, x) : NULL, *start = const_scalar_int(b, -n);
    idx.at[0].kind = 's';
    idx.at[0].has = 1;
    idx.at[0].dtype[0] = TH_INT64;
    return shape && start ? subtensor_make(b, shape, &idx, &start, 1) : NULL;
}
