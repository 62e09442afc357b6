/*
 * pick.c -- MultinomialFromUniform and ChoiceFromUniform: columns picked by uniform numbers.
 * In: rows of probabilities, n uniform numbers for each row (number c of row i is element c * rows + i), n. Out: how
 * often each column was picked, or the columns in the order picked, each at most once. A pick is the first column whose
 * running sum in double exceeds the number. Nothing is differentiable here: gradients are zeros.
 */
#include "graph/services.h"
#include "ops/table/host.h"
#include "random.h"

#include <string.h>

static const AttrField pick_fields[] = {{"dtype", ATTR_DTYPE, offsetof(PickAttrs, dtype), false}};

static bool infer_pick(Infer *q, bool choice) {
    ThType p = q->in[0]->type, u = q->in[1]->type, n = q->in[2]->type;
    ThDtype d = (ThDtype)((const PickAttrs *)q->attrs)->dtype;
    if (p.kind != TYPE_TENSOR || p.ndim != 2)
        return err(q->ctx, TH_NotImplementedError, "pvals ndim should be 2, it is %d", p.ndim);
    if (u.kind != TYPE_TENSOR || u.ndim != 1)
        return err(q->ctx, TH_NotImplementedError, "unis ndim should be 1, it is %d", u.ndim);
    if (!dtype_is_float((ThDtype)u.dtype)) return err(q->ctx, TH_TypeError, "unis must be float32 or float64");
    if (dtype_is_complex((ThDtype)p.dtype) || dtype_is_complex(d) || d == TH_BOOL)
        return err(q->ctx, TH_TypeError, "%s: pvals are real, the result integers or floats", q->op->name);
    if (n.kind == TYPE_TENSOR ? n.ndim != 0 || !dtype_is_int((ThDtype)n.dtype) : n.kind != TYPE_SCALAR)
        return err(q->ctx, TH_TypeError, "%s: the number of samples must be an integer scalar", q->op->name);
    int64_t k;
    uint32_t bits = p.broadcastable;
    if (choice) bits = (bits & 1) | (scalar_known(q->in[2], &k) && k == 1 ? 2u : 0);
    q->out[0] = type_tensor(d, 2, bits);
    return true;
}
static bool infer_multinomial(Infer *q) { return infer_pick(q, false); }
static bool infer_choice(Infer *q) { return infer_pick(q, true); }

static Sz samples(ShapeQ *q) {
    const ShapeAlg *a = q->alg;
    int64_t k;
    return scalar_known(q->node->in[2], &k) ? a->constant(a->u, k) : a->value(a->u, 2, 0);
}

static bool fits(ShapeQ *q, Sz n) {
    const ShapeAlg *a = q->alg;
    return a->equal(a->u, n, a->op(a->u, 'M', n, a->constant(a->u, 0)), "cannot draw {0} samples") &&
           a->equal(a->u, q->in[1][0], a->op(a->u, '*', q->in[0][0], n),
                    "unis.shape[0] != pvals.shape[0] * n: {0} and {1}");
}

static bool shape_multinomial(ShapeQ *q) {
    q->out[0][0] = q->in[0][0];
    q->out[0][1] = q->in[0][1];
    return fits(q, samples(q));
}

static bool shape_choice(ShapeQ *q) {
    const ShapeAlg *a = q->alg;
    Sz n = samples(q);
    q->out[0][0] = q->in[0][0];
    q->out[0][1] = n;
    return a->equal(a->u, n, a->op(a->u, 'm', n, q->in[0][1]),
                    "Cannot sample without replacement n samples bigger than the size of the distribution") &&
           fits(q, n);
}

/* ---- running ----------------------------------------------------------------------------------------------------- */
enum { NO_PROBABILITY, NO_SUM, TOO_FEW };
static const OpFailure failures[] = {
    [NO_PROBABILITY] = {TH_ValueError, "pvals[{0}, {1}] = {2g} is no probability"},
    [NO_SUM] = {TH_ValueError, "the probabilities of row {0} of pvals sum to {1g}, not to 1"},
    [TOO_FEW] = {TH_ValueError, "row {0} of pvals has only {1} elements that can be drawn, not {2}"},
};

static int64_t bits_of(double v) {
    int64_t w;
    memcpy(&w, &v, sizeof w);
    return w;
}

/* Row i of the probabilities as doubles, checked: each in [0, 1], together 1 up to their rounding. */
static bool get_row(HostCall *h, const PickWork *w, int64_t i, double *p) {
    const double slack = 1e-3;
    const ThArray *a = w->p;
    int64_t n = ARRAY_SHAPE(a)[1];
    double sum = 0;
    dtype_cast((char *)p, TH_FLOAT64, 8, a->data + i * ARRAY_STRIDES(a)[0], (ThDtype)a->dtype, ARRAY_STRIDES(a)[1], n);
    for (int64_t m = 0; m < n; m++) {
        if (!(p[m] >= 0 && p[m] <= 1 + slack)) return !host_failed(h, w->no_probability, i, m, bits_of(p[m]), 0);
        sum += p[m];
    }
    return (sum >= 1 - slack && sum <= 1 + slack) || !host_failed(h, w->no_sum, i, bits_of(sum), 0, 0);
}

/* The first of n columns whose running sum exceeds u; the last that can be drawn at all where rounding keeps the whole
 * sum below u. before: the sum without it. */
static int64_t pick(const double *p, int64_t n, double u, double *before) {
    double sum = 0;
    int64_t last = 0;
    *before = 0;
    for (int64_t m = 0; m < n; m++) {
        sum += p[m];
        *before = sum - p[m];
        if (sum > u) return m;
        if (p[m] > 0) last = m;
    }
    return last;
}

static double uniform_at(const ThArray *u, int64_t i) {
    const char *at = u->data + i * ARRAY_STRIDES(u)[0];
    return u->dtype == TH_FLOAT32 ? (double)*(const float *)(const void *)at : *(const double *)(const void *)at;
}

static int multinomial(HostCall *h, const PickWork *w) {
    ThArray *out = w->z;
    int64_t rows = ARRAY_SHAPE(out)[0], n = ARRAY_SHAPE(out)[1];
    double *p = h->room(h, (uint64_t)n * 2 * sizeof *p + 64), *z = p ? p + n : NULL;
    if (!p) return 1;
    for (int64_t i = 0; i < rows; i++) {
        if (!get_row(h, w, i, p)) return 1;
        memset(z, 0, (size_t)n * sizeof *z);
        double before;
        for (int64_t c = 0; c < w->count; c++) z[pick(p, n, uniform_at(w->u, c * rows + i), &before)] += 1;
        dtype_cast(out->data + i * ARRAY_STRIDES(out)[0], (ThDtype)out->dtype, ARRAY_STRIDES(out)[1], (char *)z,
                   TH_FLOAT64, 8, n);
    }
    return 0;
}

/* As Theano: in the dtype of the probabilities, whose rest is divided by its sum after each pick. */
static void without(double *p, int64_t n, int64_t m, double before, bool single) {
    double sum = single ? (double)(float)before : before;
    p[m] = 0;
    for (int64_t k = m; k < n; k++) sum = single ? (double)((float)sum + (float)p[k]) : sum + p[k];
    for (int64_t k = 0; k < n && sum > 0; k++) p[k] = single ? (double)((float)p[k] / (float)sum) : p[k] / sum;
}

static int choice(HostCall *h, const PickWork *w) {
    ThArray *out = w->z;
    int64_t rows = ARRAY_SHAPE(out)[0], count = w->count, n = ARRAY_SHAPE(w->p)[1];
    bool single = w->p->dtype == TH_FLOAT32;
    double *p = h->room(h, (uint64_t)(n + count) * sizeof *p + 64), *z = p ? p + n : NULL;
    if (!p) return 1;
    for (int64_t i = 0; i < rows; i++) {
        if (!get_row(h, w, i, p)) return 1;
        for (int64_t c = 0; c < count; c++) {
            double before;
            int64_t m = pick(p, n, uniform_at(w->u, c * rows + i), &before);
            if (p[m] <= 0) return host_failed(h, w->too_few, i, c, count, 0);
            z[c] = (double)m;
            without(p, n, m, before, single);
        }
        dtype_cast(out->data + i * ARRAY_STRIDES(out)[0], (ThDtype)out->dtype, ARRAY_STRIDES(out)[1], (char *)z,
                   TH_FLOAT64, 8, count);
    }
    return 0;
}

int pick_host(HostCall *h, const PickWork *w) { return w->once ? choice(h, w) : multinomial(h, w); }

static int run_pick(HostCall *h, int64_t count, bool once) {
    return h->lib->pick(h, &(PickWork){h->in[0], h->in[1], h->out[0], count, once, NO_PROBABILITY, NO_SUM, TOO_FEW});
}

static int run_multinomial(HostCall *h) {
    int64_t rows = ARRAY_SHAPE(h->in[0])[0];
    return run_pick(h, rows ? h->in[1]->size / rows : 0, false);
}

static int run_choice(HostCall *h) { return run_pick(h, ARRAY_SHAPE(h->out[0])[1], true); }

static bool lower_multinomial(Lower *l) { return l->api->host(l, run_multinomial, 0); }
static bool lower_choice(Lower *l) { return l->api->host(l, run_choice, 0); }

/* ---- the rest ---------------------------------------------------------------------------------------------------- */
static void grad_pick(Grad *g) {
    g->gx[0] = zero_grad_make(g->b, g->node->in[0]);
    g->gx[1] = zero_grad_make(g->b, g->node->in[1]);
    g->gx[2] = NULL;
}

static bool pick_connected(const ThApply *a, int in, int out) {
    (void)a, (void)out;
    return in < 2;
}

static void str_pick(Text *t, const ThApply *a) {
    text_printf(t, "%s{%s}", a->op->name, th_dtype_name((ThDtype)ATTRS(PickAttrs, a)->dtype));
}

/* All elements' rows one below the other: (size, rows, ..) as (size * rows, ..), and of the numbers, which stand sample
 * by sample, (size, n * rows) as (n, size, rows). */
static bool batch_pick(Batch *q) {
    Builder *b = q->b;
    if (!batch_fixed(q, 2, "the number of samples must be the same for all")) return false;
    ThVar *p = batch_full(q, 0), *u = batch_full(q, 1), *n = q->in[2];
    if (!p || !u) return false;
    if (n->type.kind == TYPE_SCALAR) n = tensor_from_scalar_make(b, n);
    ThVar *shape[3] = {q->size, cast_make(b, n, TH_INT64), shape_elem_make(b, p, 1)};
    ThVar *by = reshape_make(b, u, make_vector_make(b, shape, 3, TH_INT64), 3);
    ThVar *turned = by ? dimshuffle_make(b, by, (int8_t[]){1, 0, 2}, 3) : NULL, *flat = const_int(b, -1, TH_INT64);
    ThVar *all = turned ? reshape_make(b, turned, make_vector_make(b, &flat, 1, TH_INT64), 1) : NULL;
    ThVar *in[3] = {batch_merge(b, p), all, q->in[2]};
    ThVar *z = in[0] && in[1] ? apply1(b, q->node->op, q->node->attrs, in, 3) : NULL;
    q->out[0] = z ? batch_unmerge(b, z, p) : NULL;
    return q->out[0] != NULL;
}

#define PICK(var, text, what) \
    const Op op_##var##_uniform = {.name = text, \
                                   .flags = OP_FAILS, \
                                   .nin = 3, \
                                   .nout = 1, \
                                   .attr_bytes = sizeof(PickAttrs), \
                                   .attrs = pick_fields, \
                                   .nattr = 1, \
                                   .infer = infer_##var, \
                                   .shape = shape_##var, \
                                   .grad = grad_pick, \
                                   .lower = lower_##var, \
                                   .device = DEVICE_FORM, \
                                   .failures = failures, \
                                   .str = str_pick, \
                                   .connected = pick_connected, \
                                   .batch = batch_pick, \
                                   .doc = OP_DOC(what)};
PICK(multinomial, "MultinomialFromUniform", "how often each column of probabilities is picked by uniform numbers")
PICK(choice, "ChoiceFromUniform", "different columns of probabilities picked by uniform numbers")

static ThVar *pick_make(Builder *b, const Op *op, ThVar *pvals, ThVar *unis, ThVar *n, ThDtype d) {
    if (!pvals || !unis || !n) return NULL;
    ThVar *in[3] = {pvals, unis, index_make(b, n)};
    return in[2] ? apply1(b, op, &(PickAttrs){(uint8_t)d}, in, 3) : NULL;
}
ThVar *multinomial_make(Builder *b, ThVar *pvals, ThVar *unis, ThVar *n, ThDtype d) {
    return pick_make(b, &op_multinomial_uniform, pvals, unis, n, d);
}
ThVar *choice_make(Builder *b, ThVar *pvals, ThVar *unis, ThVar *n, ThDtype d) {
    return pick_make(b, &op_choice_uniform, pvals, unis, n, d);
}
