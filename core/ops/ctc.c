/*
 * ctc.c -- ConnectionistTemporalClassification: for each sequence -log of the probability that its activations spell
 * its labels, with blanks (class 0) and repetitions left out (Graves and others, 2006).
 * In: activations (time, batch, classes) before their softmax, labels (batch, most) ended by a negative number, lengths
 * of the sequences (batch). Out: costs (batch), and their gradients (time, batch, classes), which nothing computes
 * unless they are used. Labels that do not fit into the length have probability 0: cost inf, gradient 0.
 * All sums run over logarithms in double precision.
 */
#include "host.h"

#include <math.h>
#include <string.h>

static bool infer_ctc(Infer *q) {
    ThType x = q->in[0]->type;
    if (x.kind != TYPE_TENSOR || x.ndim != 3 || !dtype_is_float((ThDtype)x.dtype))
        return err(q->ctx, TH_TypeError,
                   "ctc: activations must be a float tensor of 3 dimensions (time, batch, classes)");
    for (int i = 1; i < 3; i++) {
        ThType t = q->in[i]->type;
        if (t.kind != TYPE_TENSOR || t.ndim != 3 - i || !dtype_is_int((ThDtype)t.dtype))
            return err(q->ctx, TH_TypeError, "ctc: %s must be an integer %s, got %d dimensions of %s",
                       i == 1 ? "labels" : "input_lengths", i == 1 ? "matrix (batch, labels)" : "vector (batch)",
                       t.ndim, th_dtype_name((ThDtype)t.dtype));
    }
    q->nout = 2;
    q->out[0] = type_tensor((ThDtype)x.dtype, 1, x.broadcastable >> 1 & 1);
    q->out[1] = x;
    return true;
}

static bool shape_ctc(ShapeQ *q) {
    const ShapeAlg *a = q->alg;
    q->out[0][0] = q->in[0][1];
    for (int d = 0; d < 3; d++) q->out[1][d] = q->in[0][d];
    return a->equal(a->u, q->in[0][1], q->in[1][0], "ctc: {0} sequences of activations but {1} rows of labels") &&
           a->equal(a->u, q->in[0][1], q->in[2][0], "ctc: {0} sequences of activations but {1} lengths");
}

/* ---- one sequence ------------------------------------------------------------------------------------------------ */
typedef struct Seq {
    int64_t T, K, S;     /* steps, classes, states: labels with blanks between and around them */
    int64_t *class;      /* of each state */
    double *logp;        /* T x K */
    double *alpha;       /* T x S: log probability of all prefixes that end in the state */
    double *beta, *next; /* S: of all suffixes after it */
} Seq;

static double log_add(double a, double b) {
    double m = a > b ? a : b;
    return m == -INFINITY ? m : m + log1p(exp((a > b ? b : a) - m));
}

/* A state may be skipped to from two before it unless it is a blank or repeats that label. */
static bool skips(const Seq *s, int64_t i) { return i > 1 && s->class[i] && s->class[i] != s->class[i - 2]; }

static void log_softmax_row(double *row, int64_t n) {
    double m = -INFINITY, sum = 0;
    for (int64_t k = 0; k < n; k++) m = row[k] > m ? row[k] : m;
    for (int64_t k = 0; k < n; k++) sum += exp(row[k] - m);
    for (int64_t k = 0; k < n; k++) row[k] -= m + log(sum);
}

/* Log of the probability of the labels. */
static double forward(Seq *s) {
    if (s->T == 0) return s->S == 1 ? 0 : -INFINITY;
    for (int64_t t = 0; t < s->T; t++) {
        double *a = s->alpha + t * s->S, *was = a - s->S;
        for (int64_t i = 0; i < s->S; i++) {
            double sum = -INFINITY;
            if (t == 0) sum = i < 2 ? 0 : sum;
            else {
                sum = i ? log_add(was[i], was[i - 1]) : was[i];
                if (skips(s, i)) sum = log_add(sum, was[i - 2]);
            }
            a[i] = sum + s->logp[t * s->K + s->class[i]];
        }
    }
    const double *end = s->alpha + (s->T - 1) * s->S;
    return s->S == 1 ? end[0] : log_add(end[s->S - 1], end[s->S - 2]);
}

/* Adds, for each step and class, -P(the class is spelt there | labels) to g (T x K), which holds the softmax. */
static void backward(Seq *s, double total, double *g) {
    for (int64_t t = s->T - 1; t >= 0; t--) {
        const double *a = s->alpha + t * s->S;
        for (int64_t i = 0; i < s->S; i++) {
            double sum = -INFINITY;
            if (t == s->T - 1) sum = i >= s->S - 2 ? 0 : sum;
            else {
                for (int64_t j = i; j < s->S && j <= i + 2; j++)
                    if (j < i + 2 || skips(s, j))
                        sum = log_add(sum, s->next[j] + s->logp[(t + 1) * s->K + s->class[j]]);
            }
            s->beta[i] = sum;
            g[t * s->K + s->class[i]] -= exp(a[i] + sum - total);
        }
        double *swap = s->beta;
        s->beta = s->next, s->next = swap;
    }
}

/* ---- the batch --------------------------------------------------------------------------------------------------- */
static double element(const ThArray *a, int64_t at) {
    return a->dtype == TH_FLOAT32 ? ((const float *)(const void *)a->data)[at]
                                  : ((const double *)(const void *)a->data)[at];
}

static void store(ThArray *a, int64_t at, double v) {
    if (a->dtype == TH_FLOAT32) ((float *)(void *)a->data)[at] = (float)v;
    else ((double *)(void *)a->data)[at] = v;
}

static int64_t whole(const ThArray *a, int64_t at) {
    int64_t v = 0;
    dtype_cast((char *)&v, TH_INT64, 0, a->data + at * (int64_t)th_dtype_bytes((ThDtype)a->dtype), (ThDtype)a->dtype, 0,
               1);
    return v;
}

/* The states of sequence n, checked. */
static int read_labels(HostCall *h, int64_t n, Seq *s) {
    int64_t most = ARRAY_SHAPE(h->in[1])[1], count = 0;
    s->T = whole(h->in[2], n);
    if (s->T < 0 || s->T > ARRAY_SHAPE(h->in[0])[0])
        return host_error(h, TH_ValueError, "ctc: input_lengths[%lld] is %lld, but there are %lld steps", (long long)n,
                          (long long)s->T, (long long)ARRAY_SHAPE(h->in[0])[0]);
    for (; count < most; count++) {
        int64_t y = whole(h->in[1], n * most + count);
        if (y < 0) break;
        if (y == 0 || y >= s->K)
            return host_error(h, TH_ValueError, "ctc: labels[%lld, %lld] is %lld: labels are 1 to %lld, 0 is the blank",
                              (long long)n, (long long)count, (long long)y, (long long)s->K - 1);
        s->class[2 * count] = 0;
        s->class[2 * count + 1] = y;
    }
    s->S = 2 * count + 1;
    s->class[2 * count] = 0;
    return 0;
}

static void read_steps(const ThArray *x, int64_t n, Seq *s) {
    int64_t batch = ARRAY_SHAPE(x)[1];
    for (int64_t t = 0; t < s->T; t++) {
        for (int64_t k = 0; k < s->K; k++) s->logp[t * s->K + k] = element(x, (t * batch + n) * s->K + k);
        log_softmax_row(s->logp + t * s->K, s->K);
    }
}

static void write_gradient(Seq *s, int64_t n, double total, double *g, ThArray *out) {
    int64_t batch = ARRAY_SHAPE(out)[1], steps = ARRAY_SHAPE(out)[0];
    bool possible = total != -INFINITY;
    for (int64_t i = 0; i < s->T * s->K; i++) g[i] = exp(s->logp[i]);
    if (possible) backward(s, total, g);
    for (int64_t t = 0; t < steps; t++)
        for (int64_t k = 0; k < s->K; k++)
            store(out, (t * batch + n) * s->K + k, possible && t < s->T ? g[t * s->K + k] : 0);
}

static int run_ctc(HostCall *h, bool gradient) {
    int64_t T = ARRAY_SHAPE(h->in[0])[0], N = ARRAY_SHAPE(h->in[0])[1], K = ARRAY_SHAPE(h->in[0])[2];
    int64_t S = 2 * ARRAY_SHAPE(h->in[1])[1] + 1;
    if (N == 0) return 0;
    if (K == 0) return host_error(h, TH_ValueError, "ctc: there are no classes");
    double *room = h->room(h, sizeof *room * (size_t)(2 * T * K + T * S + 3 * S));
    if (!room) return 1;
    Seq s = {.K = K, .logp = room, .alpha = room + T * K};
    double *g = s.alpha + T * S;
    s.beta = g + T * K, s.next = s.beta + S;
    s.class = (int64_t *)(void *)(s.next + S);
    for (int64_t n = 0; n < N; n++) {
        if (read_labels(h, n, &s)) return 1;
        read_steps(h->in[0], n, &s);
        double total = forward(&s);
        store(h->out[0], n, -total);
        if (gradient) write_gradient(&s, n, total, g, h->out[1]);
    }
    return 0;
}

static int run_cost(HostCall *h) { return run_ctc(h, false); }
static int run_both(HostCall *h) { return run_ctc(h, true); }

static bool lower_ctc(Lower *l) {
    const ThVar *g = l->node->out[1];
    for (int i = 0; i < 3; i++)
        if (!l->api->contiguous(l, i)) return false;
    return l->api->host(l, g->nclients ? run_both : run_cost, 0);
}

/* ---- derivatives ------------------------------------------------------------------------------------------------- */
static void grad_ctc(Grad *g) {
    static const int8_t spread[3] = {-1, 0, -1};
    if (g->gz[1]) {
        g->gx[0] = grad_undefined(g, 0, "the gradient of ctc is known, its second derivative is not");
        return;
    }
    ThVar *gz = g->gz[0] ? dimshuffle_make(g->b, g->gz[0], spread, 3) : NULL;
    g->gx[0] = gz ? elemwise_2(g->b, S_mul, gz, g->node->out[1]) : NULL;
}

static bool ctc_connected(const ThApply *a, int in, int out) {
    (void)a, (void)out;
    return in == 0;
}

/* The mapped dimension joins the batch. */
static bool batch_ctc(Batch *q) {
    static const int8_t to_batch[4] = {0, 2, 1, 3}, to_time[3] = {1, 0, 2};
    Builder *b = q->b;
    ThVar *x = batch_full(q, 0), *y = batch_full(q, 1), *n = batch_full(q, 2);
    ThVar *rows = x ? batch_merge(b, dimshuffle_make(b, x, to_batch, 4)) : NULL;
    y = batch_merge(b, y);
    ThVar *like = n, *in[3] = {rows ? dimshuffle_make(b, rows, to_time, 3) : NULL, y, batch_merge(b, n)};
    if (!in[0] || !in[1] || !in[2]) return false;
    ThApply *a = apply_make(b, q->node->op, NULL, in, 3);
    if (!a) return false;
    q->out[0] = batch_unmerge(b, a->out[0], like);
    ThVar *g = batch_unmerge(b, dimshuffle_make(b, a->out[1], to_time, 3), like);
    q->out[1] = g ? dimshuffle_make(b, g, to_batch, 4) : NULL;
    return q->out[0] && q->out[1];
}

const Op op_ctc = {
    .name = "ConnectionistTemporalClassification",
    .flags = OP_FAILS,
    .nin = 3,
    .nout = -1,
    .infer = infer_ctc,
    .shape = shape_ctc,
    .grad = grad_ctc,
    .lower = lower_ctc,
    .connected = ctc_connected,
    .batch = batch_ctc,
    .doc = "costs of sequences of labels spelt by activations, and their gradients",
};
