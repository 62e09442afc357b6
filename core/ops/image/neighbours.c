/*
 * neighbours.c -- Images2Neibs: every patch of images (N, C, H, W) as a row, by image, channel, row, column; NeibsGrad:
 * its transpose, which adds every patch back where it came from.
 * In: images (or rows), the patch's two lengths, its two steps (and the images' four lengths). Outside of the images
 * patches are zero ("half", "full") or come from the other side ("wrap_centered").
 */
#include "neighbours.h"
#include "ops/table/shape.h"
#include "ops/table/index.h"
#include "ops/table/lowering.h"

#include "window.h"

static const AttrField neibs_fields[] = {{"mode", ATTR_INT, offsetof(NeibsAttrs, mode), false}};

const char *neighbours_mode_name(int64_t mode) {
    static const char *const names[] = {"valid", "ignore_borders", "wrap_centered", "half", "full"};
    return mode >= 0 && mode < NEIBS_MODES ? names[mode] : NULL;
}

/* ---- types ------------------------------------------------------------------------------------------------------- */
static bool want_lengths(Infer *q, int i, const char *name, int64_t n) {
    ThType t = q->in[i]->type;
    if (t.kind != TYPE_TENSOR || t.ndim != 1 || !dtype_is_int((ThDtype)t.dtype))
        return err(q->ctx, TH_TypeError, "%s: %s must be a vector of %d integers", q->op->name, name, (int)n);
    int64_t have = vector_length(q->in[i]), v;
    if (have >= 0 && have != n)
        return err(q->ctx, TH_ValueError, "%s: %s must have %d elements, it has %lld", q->op->name, name, (int)n,
                   (long long)have);
    for (int d = 0; d < n && n == 2; d++)
        if (vector_known(q->in[i], d, &v) && v < 1)
            return err(q->ctx, TH_ValueError, "%s: %s must be positive, it has %lld", q->op->name, name, (long long)v);
    return true;
}

static bool want_odd(Infer *q) {
    int64_t v;
    for (int d = 0; d < 2 && ((const NeibsAttrs *)q->attrs)->mode == NEIBS_WRAP; d++)
        if (vector_known(q->in[1], d, &v) && v % 2 == 0)
            return err(q->ctx, TH_TypeError,
                       "Images2Neibs: mode wrap_centered needs patches with odd lengths, not %lld", (long long)v);
    return true;
}

static bool infer_images2neibs(Infer *q) {
    ThType t = q->in[0]->type;
    if (t.kind != TYPE_TENSOR || t.ndim != 4)
        return err(q->ctx, TH_TypeError, "Images2Neibs: the images must be a 4D tensor, it has %d dimensions", t.ndim);
    if (!neighbours_mode_name(((const NeibsAttrs *)q->attrs)->mode))
        return err(q->ctx, TH_ValueError, "Images2Neibs: unknown mode");
    if (!want_lengths(q, 1, "neib_shape", 2) || !want_lengths(q, 2, "neib_step", 2) || !want_odd(q)) return false;
    q->out[0] = type_tensor((ThDtype)t.dtype, 2, 0);
    return true;
}

static bool infer_neibs_grad(Infer *q) {
    ThType t = q->in[0]->type;
    if (t.kind != TYPE_TENSOR || t.ndim != 2)
        return err(q->ctx, TH_TypeError, "NeibsGrad: patches are rows of a matrix");
    if (!want_lengths(q, 1, "neib_shape", 2) || !want_lengths(q, 2, "neib_step", 2) || !want_odd(q) ||
        !want_lengths(q, 3, "the images' shape", 4))
        return false;
    q->out[0] = type_tensor((ThDtype)t.dtype, 4, 0);
    return true;
}

/* ---- shapes ------------------------------------------------------------------------------------------------------ */
static Sz calc(const ShapeAlg *a, char op, Sz x, Sz y) { return a->op(a->u, op, x, y); }
static Sz number(const ShapeAlg *a, int64_t k) { return a->constant(a->u, k); }

static Sz entry(const ShapeAlg *a, const ThApply *node, int in, int d) {
    int64_t v;
    return vector_known(node->in[in], d, &v) ? number(a, v) : a->value(a->u, in, d);
}

typedef struct Patch {               /* one dimension */
    Sz in, size, step, shift, count; /* patch p of patch number a lies at a * step + p - shift */
} Patch;

static bool measure_patch(const ShapeAlg *a, const ThApply *node, int d, Patch *p) {
    int64_t mode = ATTRS(NeibsAttrs, node)->mode;
    Sz one = number(a, 1), two = number(a, 2), span;
    p->size = entry(a, node, 1, d);
    p->step = entry(a, node, 2, d);
    p->shift = number(a, 0);
    if (!a->equal(a->u, p->size, calc(a, 'M', p->size, one), "neib_shape holds {0}, it must be at least {1}") ||
        !a->equal(a->u, p->step, calc(a, 'M', p->step, one), "neib_step holds {0}, it must be at least {1}"))
        return false;
    if (mode == NEIBS_WRAP) {
        p->shift = calc(a, '/', p->size, two);
        p->count = calc(a, 'c', p->in, p->step);
        return a->equal(a->u, p->size, calc(a, '+', calc(a, '*', p->shift, two), one),
                        "mode wrap_centered needs patches with odd lengths, not {0}") &&
               a->equal(a->u, p->in, calc(a, 'M', p->in, p->size),
                        "mode wrap_centered: images of length {0} are smaller than a patch of {1}");
    }
    if (mode == NEIBS_HALF) p->shift = calc(a, '/', p->size, two);
    if (mode == NEIBS_FULL) p->shift = calc(a, '-', p->size, one);
    span = calc(a, '-', calc(a, '+', p->in, calc(a, '*', p->shift, two)), p->size);
    if (!a->equal(a->u, span, calc(a, 'M', span, number(a, 0)), "images are smaller than a patch, by {0} (negative)"))
        return false;
    p->count = calc(a, '+', calc(a, '/', span, p->step), one);
    Sz covered = calc(a, '*', calc(a, '-', p->count, one), p->step);
    return mode == NEIBS_IGNORE || a->equal(a->u, covered, span,
                                            "neib_shape and neib_step do not fit the images: patches cover steps of {0}"
                                            " of {1} (mode ignore_borders leaves the rest out)");
}

static bool shape_images2neibs(ShapeQ *q) {
    const ShapeAlg *a = q->alg;
    Patch h = {.in = q->in[0][2]}, w = {.in = q->in[0][3]};
    if (!measure_patch(a, q->node, 0, &h) || !measure_patch(a, q->node, 1, &w)) return false;
    Sz maps = calc(a, '*', q->in[0][0], q->in[0][1]), patches = calc(a, '*', h.count, w.count);
    q->out[0][0] = calc(a, '*', maps, patches);
    q->out[0][1] = calc(a, '*', h.size, w.size);
    return true;
}

static bool shape_neibs_grad(ShapeQ *q) {
    const ShapeAlg *a = q->alg;
    for (int d = 0; d < 4; d++) q->out[0][d] = entry(a, q->node, 3, d);
    Patch h = {.in = q->out[0][2]}, w = {.in = q->out[0][3]};
    if (!measure_patch(a, q->node, 0, &h) || !measure_patch(a, q->node, 1, &w)) return false;
    Sz maps = calc(a, '*', q->out[0][0], q->out[0][1]), patches = calc(a, '*', h.count, w.count);
    Sz rows = calc(a, '*', maps, patches);
    return a->equal(a->u, q->in[0][0], rows, "there are {0} patches, images of this shape have {1}") &&
           a->equal(a->u, q->in[0][1], calc(a, '*', h.size, w.size), "rows have {0} elements, patches {1}");
}

/* ---- lowering ---------------------------------------------------------------------------------------------------- */
enum { N, C, A, B, P, Q, DIMS }; /* kernel dims: image, channel, patch row and column, row and column in the patch */

typedef struct Loops {
    Lower *l;
    Kernel *k;
    Size in[2], size[2], step[2], shift[2], count[2];
    bool wrap;
} Loops;

/* ordered: patches may overlap where they are stored. */
static bool make_loops(Loops *s, bool ordered, Size images, Size channels, Size h, Size w) {
    LowerAlg alg;
    lower_alg_init(&alg, s->l);
    s->in[0] = h, s->in[1] = w;
    for (int d = 0; d < 2; d++) {
        Patch p = {.in = lower_alg_put(&alg, s->in[d])};
        if (!measure_patch(&alg.alg, s->l->node, d, &p)) break;
        s->size[d] = lower_alg_size(&alg, p.size), s->step[d] = lower_alg_size(&alg, p.step);
        s->shift[d] = lower_alg_size(&alg, p.shift), s->count[d] = lower_alg_size(&alg, p.count);
    }
    lower_alg_free(&alg);
    s->wrap = ATTRS(NeibsAttrs, s->l->node)->mode == NEIBS_WRAP;
    if (!(s->k = s->l->api->kernel(s->l))) return false;
    const Size n[DIMS] = {images, channels, s->count[0], s->count[1], s->size[0], s->size[1]};
    for (int d = 0; d < DIMS; d++)
        if (kernel_dim(s->k, n[d], ordered && (d == A || d == B) ? DIM_SEQ : DIM_PAR) < 0) return false;
    return kernel_stage(s->k, STAGE_LOOP, 0, DIMS) >= 0;
}

/* Strides of the matrix of patches, from those of its rows and columns. */
static void rows_of(Loops *s, Size row, Size col, Size channels, Size *st) {
    const LowerApi *api = s->l->api;
    for (int d = 0; d < KDIM; d++) st[d] = size_const(0);
    st[Q] = col;
    st[P] = api->mul(s->l, col, s->size[1]);
    st[B] = row;
    st[A] = api->mul(s->l, row, s->count[1]);
    st[C] = api->mul(s->l, st[A], s->count[0]);
    st[N] = api->mul(s->l, st[C], channels);
}

/* Strides of the images, offset, and what decides where a position lies: a guard, or an index where it wraps. */
static Size images_of(Loops *s, const Size *stride, Size off, Size *st, int *guard, int *idx) {
    const LowerApi *api = s->l->api;
    At w = {s->k, DIMS};
    *guard = *idx = -1;
    for (int d = 0; d < KDIM; d++) st[d] = size_const(0);
    st[N] = stride[0];
    st[C] = stride[1];
    for (int d = 0; d < 2; d++) {
        if (!s->wrap) {
            st[A + d] = api->mul(s->l, stride[2 + d], s->step[d]);
            st[P + d] = stride[2 + d];
            off = sizes_mul_add(s->l, off, api->mul(s->l, s->shift[d], size_const(-1)), stride[2 + d]);
            if (size_is(s->shift[d], 0)) continue;
        }
        int v = at_op(w, S_add, at_scaled(w, A + d, s->step[d]), ins_index(s->k, P + d, DIMS));
        v = at_op(w, S_sub, v, at_size(w, s->shift[d]));
        if (s->wrap) *idx = at_offset(w, *idx, at_op(w, S_mod, v, at_size(w, s->in[d])), stride[2 + d]);
        else *guard = at_inside(w, *guard, v, s->in[d]);
    }
    return off;
}

static bool lower_images2neibs(Lower *l) {
    const LowerApi *api = l->api;
    Loops s = {.l = l};
    Size st[KDIM], stride[4], d[4];
    int guard, idx;
    for (int i = 0; i < 4; i++) stride[i] = api->in_stride(l, 0, i), d[i] = api->in_dim(l, 0, i);
    if (!make_loops(&s, false, d[0], d[1], d[2], d[3])) return false;
    Size off = images_of(&s, stride, api->in_offset(l, 0), st, &guard, &idx);
    int a = api->read_at(l, s.k, 0, off, st);
    if (a < 0) return false;
    s.k->acc.at[a].guard = guard;
    s.k->acc.at[a].idx = idx;
    int v = ins_load(s.k, a, DIMS);
    rows_of(&s, api->out_stride(l, 0, 0), api->out_stride(l, 0, 1), d[1], st);
    return ins_store(s.k, api->write_at(l, s.k, 0, 0, api->out_offset(l, 0), st), v, DIMS) >= 0 && !failed(l->ctx);
}

/* Zeros first: elements between patches stay so. */
static bool clear(Lower *l) {
    static const int8_t map[4] = {0, 1, 2, 3};
    Kernel *k = l->api->kernel(l);
    for (int d = 0; k && d < 4; d++)
        if (kernel_dim(k, l->api->out_dim(l, 0, d), DIM_PAR) < 0) return false;
    if (!k || kernel_stage(k, STAGE_LOOP, 0, 4) < 0) return false;
    int zero = ins_literal(k, (ThDtype)l->node->out[0]->type.dtype, (ThValue){0}, 4);
    return ins_store(k, l->api->write(l, k, 0, map), zero, 4) >= 0;
}

static bool lower_neibs_grad(Lower *l) {
    const LowerApi *api = l->api;
    Loops s = {.l = l};
    Size st[KDIM], stride[4], d[4];
    int guard, idx;
    if (!clear(l)) return false;
    for (int i = 0; i < 4; i++) stride[i] = api->out_stride(l, 0, i), d[i] = api->out_dim(l, 0, i);
    if (!make_loops(&s, true, d[0], d[1], d[2], d[3])) return false;
    rows_of(&s, api->in_stride(l, 0, 0), api->in_stride(l, 0, 1), d[1], st);
    int v = ins_load(s.k, api->read_at(l, s.k, 0, api->in_offset(l, 0), st), DIMS);
    Size off = images_of(&s, stride, api->out_offset(l, 0), st, &guard, &idx);
    int a = api->write_at(l, s.k, 0, ACC_ADD, off, st);
    if (a < 0) return false;
    s.k->acc.at[a].guard = guard;
    s.k->acc.at[a].idx = idx;
    return ins_store(s.k, a, v, DIMS) >= 0 && !failed(l->ctx);
}

/* ---- derivatives, vmap ------------------------------------------------------------------------------------------- */
static void grad_images2neibs(Grad *g) {
    ThVar *x = g->node->in[0];
    if (dtype_is_discrete((ThDtype)x->type.dtype)) {
        g->gx[0] = zero_grad_make(g->b, x);
        return;
    }
    ThVar *in[4] = {g->gz[0], g->node->in[1], g->node->in[2], shape_make(g->b, x)};
    ThVar *r = apply1(g->b, &op_neibs_grad, g->node->attrs, in, 4);
    g->gx[0] = r ? patternbroadcast_make(g->b, r, x->type.broadcastable) : NULL;
}

static void grad_neibs_grad(Grad *g) {
    ThVar *in[3] = {g->gz[0], g->node->in[1], g->node->in[2]};
    ThVar *r = apply1(g->b, &op_images2neibs, g->node->attrs, in, 3);
    g->gx[0] = r ? patternbroadcast_make(g->b, r, g->node->in[0]->type.broadcastable) : NULL;
}

static bool only_first(const ThApply *a, int in, int out) {
    (void)a, (void)out;
    return in == 0;
}

/* Images of all elements as one batch, its rows counted out afterwards. */
static bool batch_neibs(Batch *q) {
    Builder *b = q->b;
    ThApply *a = q->node;
    for (int i = 1; i < a->nin; i++)
        if (!batch_fixed(q, i, "patches must be the same for all elements")) return false;
    ThVar *in[4] = {batch_merge(b, q->in[0]), q->in[1], q->in[2], NULL}, *n[5];
    if (a->nin == 4) {
        for (int d = 0; d < 4; d++) n[d] = subtensor_int_make(b, q->in[3], d);
        n[0] = elemwise_2(b, S_mul, n[0], q->size);
        in[3] = make_vector_make(b, n, 4, TH_INT64);
    }
    ThVar *r = apply1(b, a->op, a->attrs, in, a->nin);
    if (!r) return false;
    int nd = r->type.ndim;
    n[0] = q->size;
    n[1] = const_int(b, -1, TH_INT64);
    for (int d = 1; d < nd; d++) n[d + 1] = shape_elem_make(b, r, d);
    q->out[0] = reshape_make(b, r, make_vector_make(b, n, nd + 1, TH_INT64), nd + 1);
    return q->out[0] != NULL;
}

static void str_neibs(Text *t, const ThApply *a) {
    text_printf(t, "%s{mode='%s'}", a->op->name, neighbours_mode_name(ATTRS(NeibsAttrs, a)->mode));
}

#define NEIBS_OP(id, text, inputs, about) \
    const Op op_##id = { \
        .name = text, \
        .nin = inputs, \
        .nout = 1, \
        .attr_bytes = sizeof(NeibsAttrs), \
        .attrs = neibs_fields, \
        .nattr = TH_LEN(neibs_fields), \
        .infer = infer_##id, \
        .shape = shape_##id, \
        .grad = grad_##id, \
        .lower = lower_##id, \
        .str = str_neibs, \
        .connected = only_first, \
        .rop = rop_linear, \
        .batch = batch_neibs, \
        .doc = OP_DOC(about), \
    };
NEIBS_OP(images2neibs, "Images2Neibs", 3, "patches of images as rows")
NEIBS_OP(neibs_grad, "NeibsGrad", 4, "rows of patches added back into images")

ThVar *neighbours_make(Builder *b, ThVar *x, ThVar *shape, ThVar *step, NeibsMode mode) {
    NeibsAttrs at = {.mode = mode};
    return apply1(b, &op_images2neibs, &at, (ThVar *[]){x, shape, step}, 3);
}
