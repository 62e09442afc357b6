/*
 * ctc.c -- connectionist temporal classification: minus the log probability of each sequence's labels, summed over all
 * ways to spread them over its time steps with blanks (class 0) between, and its gradient.
 * In: activations (time, sequence, class), whose softmax over classes is the probability; labels (sequence, position),
 * a negative one ends the row; the time steps of each sequence. Out: a cost for each sequence (infinite where its time
 * steps cannot hold its labels), or the gradient of the sum of the finite ones by the activations, or that gradient's
 * derivative along a direction (symmetric, so its transposed product too). Sums are made in float64 on logarithms.
 */
#include "graph/services.h"
#include "ops/table/host.h"
#include "ops/table/nnet.h"

#include <math.h>

static bool infer_ctc(Infer *q) {
    static const char *const names[4] = {"activations", "labels", "input_lengths", "the direction"};
    static const int ranks[4] = {3, 2, 1, 3};
    for (int i = 0; i < q->nin; i++) {
        ThType t = q->in[i]->type;
        bool floats = i == 0 || i == 3,
             right = floats ? dtype_is_float((ThDtype)t.dtype) : dtype_is_int((ThDtype)t.dtype);
        if (t.kind != TYPE_TENSOR || t.ndim != ranks[i] || !right)
            return err(q->ctx, TH_TypeError, "ctc: %s must be a tensor of %d dimension%s of %s", names[i], ranks[i],
                       i == 2 ? "" : "s", floats ? "floats" : "integers");
    }
    ThType x = q->in[0]->type;
    if (q->op == &op_ctc) q->out[0] = type_tensor((ThDtype)x.dtype, 1, x.broadcastable >> 1 & 1);
    else q->out[0] = x;
    return true;
}

static bool shape_ctc(ShapeQ *q) {
    const ShapeAlg *a = q->alg;
    bool cost = q->node->op == &op_ctc;
    for (int d = 0; d < 3; d++)
        if (!cost || d == 1) q->out[0][cost ? 0 : d] = q->in[0][d];
    for (int d = 0; d < 3 && q->node->nin == 4; d++)
        if (!a->equal(a->u, q->in[3][d], q->in[0][d], "ctc: the direction has length {0} where activations has {1}"))
            return false;
    return a->equal(a->u, q->in[1][0], q->in[0][1], "ctc: labels has {0} rows, but activations holds {1} sequences") &&
           a->equal(a->u, q->in[2][0], q->in[0][1],
                    "ctc: input_lengths has length {0}, but activations holds {1} sequences");
}

/* ---- one sequence ------------------------------------------------------------------------------------------------ */
typedef struct Path { /* the labels with a blank before, between and after */
    int64_t steps, states, classes;
    int64_t *label;       /* of each state */
    double *y;            /* log softmax: steps x classes */
    double *alpha, *beta; /* steps x states: log of all ways that lead here, and on from here; both with y of here */
    double *dy, *dalpha, *dbeta; /* their derivatives along a direction */
} Path;

static double log_add(double a, double b) {
    double high = a > b ? a : b, low = a > b ? b : a;
    return low == -INFINITY ? high : high + log1p(exp(low - high));
}

static void log_softmax(const Path *p, const ThArray *x, int64_t n) {
    const int64_t *st = ARRAY_STRIDES(x);
    for (int64_t t = 0; t < p->steps; t++) {
        double *y = p->y + t * p->classes, most = -INFINITY, sum = 0;
        dtype_cast((char *)y, TH_FLOAT64, 8, x->data + t * st[0] + n * st[1], (ThDtype)x->dtype, st[2], p->classes);
        for (int64_t k = 0; k < p->classes; k++) most = y[k] > most ? y[k] : most;
        for (int64_t k = 0; k < p->classes; k++) sum += exp(y[k] - most);
        for (int64_t k = 0; k < p->classes; k++) y[k] -= most + log(sum);
    }
}

/* A state follows itself, the one before, and over a blank another label's. */
static bool skips(const Path *p, int64_t s) { return s > 1 && p->label[s] && p->label[s] != p->label[s - 2]; }

static double forward(const Path *p) {
    int64_t S = p->states;
    for (int64_t t = 0; t < p->steps; t++) {
        double *now = p->alpha + t * S, *before = now - S;
        for (int64_t s = 0; s < S; s++) {
            double a = t == 0 && s < 2 ? 0 : -INFINITY;
            if (t > 0) {
                a = before[s];
                if (s > 0) a = log_add(a, before[s - 1]);
                if (skips(p, s)) a = log_add(a, before[s - 2]);
            }
            now[s] = a + p->y[t * p->classes + p->label[s]];
        }
    }
    if (p->steps == 0) return S == 1 ? 0 : -INFINITY; /* nothing said in no time */
    double *last = p->alpha + (p->steps - 1) * S;
    return S == 1 ? last[0] : log_add(last[S - 1], last[S - 2]);
}

static void backward(const Path *p) {
    int64_t S = p->states;
    for (int64_t t = p->steps - 1; t >= 0; t--) {
        double *now = p->beta + t * S, *after = now + S;
        for (int64_t s = 0; s < S; s++) {
            double b = t == p->steps - 1 && s >= S - 2 ? 0 : -INFINITY;
            if (t < p->steps - 1) {
                b = after[s];
                if (s + 1 < S) b = log_add(b, after[s + 1]);
                if (s + 2 < S && skips(p, s + 2)) b = log_add(b, after[s + 2]);
            }
            now[s] = b + p->y[t * p->classes + p->label[s]];
        }
    }
}

/* softmax - the share of each class in all ways, into g (steps of sequence n; the steps after them are zero). */
static void gradient(const Path *p, double log_p, ThArray *g, int64_t n, double *row) {
    const int64_t *st = ARRAY_STRIDES(g);
    for (int64_t t = 0; t < ARRAY_SHAPE(g)[0]; t++) {
        const double *y = p->y + t * p->classes;
        bool none = t >= p->steps || log_p == -INFINITY;
        for (int64_t k = 0; k < p->classes; k++) row[k] = none ? 0 : exp(y[k]);
        for (int64_t s = 0; s < p->states && !none; s++) {
            int64_t k = p->label[s], at = t * p->states + s;
            double way = p->alpha[at] + p->beta[at] - y[k] - log_p;
            if (way > -INFINITY) row[k] -= exp(way);
        }
        dtype_cast(g->data + t * st[0] + n * st[1], (ThDtype)g->dtype, st[2], (const char *)row, TH_FLOAT64, 8,
                   p->classes);
    }
}

/* ---- its derivative along a direction ---------------------------------------------------------------------------- */
static void log_softmax_along(const Path *p, const ThArray *v, int64_t n) {
    const int64_t *st = ARRAY_STRIDES(v);
    for (int64_t t = 0; t < p->steps; t++) {
        double *d = p->dy + t * p->classes, *y = p->y + t * p->classes, mean = 0;
        dtype_cast((char *)d, TH_FLOAT64, 8, v->data + t * st[0] + n * st[1], (ThDtype)v->dtype, st[2], p->classes);
        for (int64_t k = 0; k < p->classes; k++) mean += exp(y[k]) * d[k];
        for (int64_t k = 0; k < p->classes; k++) d[k] -= mean;
    }
}

/* What way `from`, changing by `d`, adds to the change of the sum of ways `sum`. */
static double share(double from, double sum, double d) { return from == -INFINITY ? 0 : exp(from - sum) * d; }

static double forward_along(const Path *p, double log_p) {
    int64_t S = p->states;
    for (int64_t t = 0; t < p->steps; t++) {
        const double *before = p->alpha + (t - 1) * S, *d = p->dalpha + (t - 1) * S;
        for (int64_t s = 0; s < S; s++) {
            int64_t at = t * S + s, k = t * p->classes + p->label[s];
            double sum = p->alpha[at] - p->y[k], change = p->dy[k];
            for (int64_t j = s; t > 0 && sum > -INFINITY && j >= 0 && j >= s - 1 - skips(p, s); j--)
                change += share(before[j], sum, d[j]);
            p->dalpha[at] = change;
        }
    }
    if (p->steps == 0 || log_p == -INFINITY) return 0;
    double change = 0;
    for (int64_t s = S == 1 ? 0 : S - 2, last = (p->steps - 1) * S; s < S; s++)
        change += share(p->alpha[last + s], log_p, p->dalpha[last + s]);
    return change;
}

static void backward_along(const Path *p) {
    int64_t S = p->states;
    for (int64_t t = p->steps - 1; t >= 0; t--) {
        const double *after = p->beta + (t + 1) * S, *d = p->dbeta + (t + 1) * S;
        for (int64_t s = 0; s < S; s++) {
            int64_t at = t * S + s, k = t * p->classes + p->label[s];
            double sum = p->beta[at] - p->y[k], change = p->dy[k];
            for (int64_t j = s; t < p->steps - 1 && sum > -INFINITY && j < S && j <= s + 2; j++)
                if (j < s + 2 || skips(p, j)) change += share(after[j], sum, d[j]);
            p->dbeta[at] = change;
        }
    }
}

static void gradient_along(const Path *p, double log_p, double dlog_p, ThArray *g, int64_t n, double *row) {
    const int64_t *st = ARRAY_STRIDES(g);
    for (int64_t t = 0; t < ARRAY_SHAPE(g)[0]; t++) {
        const double *y = p->y + t * p->classes, *dy = p->dy + t * p->classes;
        bool none = t >= p->steps || log_p == -INFINITY;
        for (int64_t k = 0; k < p->classes; k++) row[k] = none ? 0 : exp(y[k]) * dy[k];
        for (int64_t s = 0; s < p->states && !none; s++) {
            int64_t k = p->label[s], at = t * p->states + s;
            double way = p->alpha[at] + p->beta[at] - y[k] - log_p;
            if (way > -INFINITY) row[k] -= exp(way) * (p->dalpha[at] + p->dbeta[at] - dy[k] - dlog_p);
        }
        dtype_cast(g->data + t * st[0] + n * st[1], (ThDtype)g->dtype, st[2], (const char *)row, TH_FLOAT64, 8,
                   p->classes);
    }
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */
static int64_t int_at(const ThArray *a, int64_t i, int64_t j) {
    int64_t v, at = i * ARRAY_STRIDES(a)[0] + (a->ndim > 1 ? j * ARRAY_STRIDES(a)[1] : 0);
    dtype_cast((char *)&v, TH_INT64, 8, a->data + at, (ThDtype)a->dtype, 0, 1);
    return v;
}

enum { BAD_LENGTH, BAD_LABEL, NO_CLASSES };
static const OpFailure failures[] = {
    [BAD_LENGTH] = {TH_ValueError, "ctc: input_lengths[{0}] = {1}, but there are {2} time steps"},
    [BAD_LABEL] = {TH_ValueError, "ctc: labels[{0}, {1}] = {2} is out of bounds: classes are 1 to {3}, 0 is the blank, "
                                  "a negative number ends the row"},
    [NO_CLASSES] = {TH_ValueError, "ctc: there are no classes"},
};

/* Steps and states of sequence n; nonzero after an error. */
static int read_path(HostCall *h, const CtcWork *w, Path *p, int64_t n) {
    int64_t most = ARRAY_SHAPE(w->labels)[1], T = ARRAY_SHAPE(w->x)[0], u = 0;
    p->steps = int_at(w->lengths, n, 0);
    if (p->steps < 0 || p->steps > T) return host_failed(h, w->bad_length, n, p->steps, T, 0);
    p->label[0] = 0;
    for (; u < most; u++) {
        int64_t k = int_at(w->labels, n, u);
        if (k < 0) break;
        if (k == 0 || k >= p->classes) return host_failed(h, w->bad_label, n, u, k, p->classes - 1);
        p->label[2 * u + 1] = k;
        p->label[2 * u + 2] = 0;
    }
    p->states = 2 * u + 1;
    return p->steps > 0 && p->classes == 0 ? host_failed(h, w->no_classes, 0, 0, 0, 0) : 0;
}

/* What is asked for of sequence n, from its path. */
static void put_path(const CtcWork *w, const Path *p, int64_t n, double *row) {
    log_softmax(p, w->x, n);
    double log_p = forward(p), cost = -log_p;
    if (w->kind != CTC_COST) backward(p);
    if (w->kind == CTC_ALONG) {
        log_softmax_along(p, w->along, n);
        double dlog_p = forward_along(p, log_p);
        backward_along(p);
        gradient_along(p, log_p, dlog_p, w->z, n, row);
    } else if (w->kind == CTC_GRADIENT) gradient(p, log_p, w->z, n, row);
    else
        dtype_cast(w->z->data + n * ARRAY_STRIDES(w->z)[0], (ThDtype)w->x->dtype, 0, (const char *)&cost, TH_FLOAT64, 0,
                   1);
}

int ctc_host(HostCall *h, const CtcWork *w) {
    const ThArray *x = w->x;
    bool along = w->kind == CTC_ALONG;
    int64_t T = ARRAY_SHAPE(x)[0], N = ARRAY_SHAPE(x)[1], K = ARRAY_SHAPE(x)[2], S = 2 * ARRAY_SHAPE(w->labels)[1] + 1;
    int64_t part = T * K + 2 * T * S;
    double *room = h->room(h, sizeof *room * (uint64_t)((along ? 2 : 1) * part + K + S + 1));
    if (!room) return 1;
    Path p = {.classes = K, .y = room, .alpha = room + T * K};
    p.beta = p.alpha + T * S;
    double *row = p.beta + T * S;
    if (along) p.dy = room + part, p.dalpha = p.dy + T * K, p.dbeta = p.dalpha + T * S, row += part;
    p.label = (int64_t *)(void *)(row + K);
    for (int64_t n = 0; n < N; n++) {
        if (read_path(h, w, &p, n)) return 1;
        put_path(w, &p, n, row);
    }
    return 0;
}

static int run_ctc(HostCall *h) {
    CtcKind kind = h->op == &op_ctc_hess ? CTC_ALONG : h->op == &op_ctc_grad ? CTC_GRADIENT : CTC_COST;
    return h->lib->ctc(h, &(CtcWork){kind, h->in[0], h->in[1], h->in[2], kind == CTC_ALONG ? h->in[3] : NULL, h->out[0],
                                     BAD_LENGTH, BAD_LABEL, NO_CLASSES});
}

static bool lower_ctc(Lower *l) { return l->api->host(l, run_ctc, 0); }

/* ---- gradient, vmap ---------------------------------------------------------------------------------------------- */
static void grad_ctc(Grad *g) {
    static const int8_t middle[3] = {-1, 0, -1};
    ThVar *by = apply1(g->b, &op_ctc_grad, NULL, g->node->in, 3), *gz = dimshuffle_make(g->b, g->gz[0], middle, 3);
    g->gx[0] = elemwise_2(g->b, S_mul, gz, by);
    g->gx[1] = g->gx[2] = NULL;
}

/* The second derivative is symmetric: what comes back is its product with gz. */
static void grad_twice(Grad *g) {
    ThVar *const *in = g->node->in;
    g->gx[0] = apply1(g->b, &op_ctc_hess, NULL, (ThVar *[]){in[0], in[1], in[2], g->gz[0]}, 4);
    g->gx[1] = g->gx[2] = NULL;
}

static void grad_thrice(Grad *g) {
    ThVar *const *in = g->node->in;
    g->gx[0] = grad_undefined(g, 0, "the third derivative of ctc is not available");
    g->gx[1] = g->gx[2] = NULL;
    if (g->wanted[3]) g->gx[3] = apply1(g->b, &op_ctc_hess, NULL, (ThVar *[]){in[0], in[1], in[2], g->gz[0]}, 4);
}

static bool ctc_connected(const ThApply *a, int in, int out) {
    (void)a, (void)out;
    return in == 0 || in == 3;
}

/* The mapped sequences and the others become one batch. */
static bool batch_ctc(Batch *q) {
    static const int8_t front[4] = {0, 2, 1, 3}, swap[3] = {1, 0, 2};
    ThVar *x = batch_full(q, 0), *labels = batch_full(q, 1), *lengths = batch_full(q, 2), *in[4];
    if (!x || !labels || !lengths || !(x = dimshuffle_make(q->b, x, front, 4))) return false;
    in[0] = batch_merge(q->b, x);
    in[0] = in[0] ? dimshuffle_make(q->b, in[0], swap, 3) : NULL;
    in[1] = batch_merge(q->b, labels);
    in[2] = batch_merge(q->b, lengths);
    bool cost = q->node->op == &op_ctc;
    if (q->node->nin == 4) {
        ThVar *v = batch_full(q, 3);
        v = v ? dimshuffle_make(q->b, v, front, 4) : NULL;
        in[3] = v ? batch_merge(q->b, v) : NULL;
        in[3] = in[3] ? dimshuffle_make(q->b, in[3], swap, 3) : NULL;
    }
    ThVar *r = apply1(q->b, q->node->op, NULL, in, q->node->nin);
    if (r && !cost) r = dimshuffle_make(q->b, r, swap, 3);
    r = r ? batch_unmerge(q->b, r, x) : NULL;
    if (r && !cost) r = dimshuffle_make(q->b, r, front, 4);
    q->out[0] = r;
    return r != NULL;
}

#define CTC_OP(var, title, inputs, grads, text) \
    const Op op_##var = { \
        .name = title, \
        .flags = OP_FAILS | OP_MACHINE, \
        .nin = inputs, \
        .nout = 1, \
        .infer = infer_ctc, \
        .shape = shape_ctc, \
        .grad = grads, \
        .lower = lower_ctc, \
        .device = DEVICE_FORM, \
        .failures = failures, \
        .connected = ctc_connected, \
        .batch = batch_ctc, \
        .doc = OP_DOC(text), \
    }
CTC_OP(ctc, "ConnectionistTemporalClassification", 3, grad_ctc,
       "minus the log probability of each sequence's labels over all their alignments");
CTC_OP(ctc_grad, "ConnectionistTemporalClassificationGrad", 3, grad_twice, "its gradient by the activations");
CTC_OP(ctc_hess, "ConnectionistTemporalClassificationHessian", 4, grad_thrice,
       "its second derivative by the activations times a direction");

ThVar *ctc_make(Builder *b, ThVar *activations, ThVar *labels, ThVar *input_lengths) {
    return apply1(b, &op_ctc, NULL, (ThVar *[]){activations, labels, input_lengths}, 3);
}
